//! Changes of the list of tools after a reload.

use std::sync::Arc;
use std::time::Duration;

use super::door::Door;

/// Interval at which the list of tools is compared.
const POLL: Duration = Duration::from_millis(500);

/// Tells of changes of the list after a reload.
pub(super) async fn look(door: Arc<Door>) {
    let mut told = None;
    loop {
        tokio::time::sleep(POLL).await;
        if door.changes.receiver_count() > 0 {
            let looking = {
                let (door, mut told) = (Arc::clone(&door), std::mem::take(&mut told));
                tokio::task::spawn_blocking(move || {
                    door.look_for_changes(&mut told);
                    told
                })
            };
            told = looking.await.unwrap_or_default();
        }
    }
}
