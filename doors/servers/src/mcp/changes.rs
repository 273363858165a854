//! Changes of the list of tools after a reload.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::door::McpServerState;

/// Interval at which the list of tools is compared.
const POLL: Duration = Duration::from_millis(500);

/// Tells of changes of the list after a reload.
pub(super) async fn poll_changes(door: Arc<McpServerState>) {
    loop {
        tokio::select! {
            () = door.gone.cancelled() => return,
            () = tokio::time::sleep(POLL) => {}
        }
        if door.changes.receiver_count() > 0 {
            check_for_changes(&door).await;
        }
    }
}

/// Receives changes of the list from now on.
pub(super) async fn subscribe_changes(door: &Arc<McpServerState>) -> watch::Receiver<u64> {
    check_for_changes(door).await;
    door.changes.subscribe()
}

async fn check_for_changes(door: &Arc<McpServerState>) {
    let door = Arc::clone(door);
    let _ = tokio::task::spawn_blocking(move || door.look_for_changes()).await;
}
