//! Requests for approval that nobody decides in time: their fallback denies them, and the runs that this server accepted continue.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::approvals::workspace_scope;
use super::chains;
use super::server::HttpServer;

/// How often it looks.
const LOOK: Duration = Duration::from_secs(1);

/// Denies what is overdue until the server closes.
pub(super) async fn deny_overdue(server: Arc<HttpServer>) {
    // A run that does not continue here is tried once: its submitter resumes it.
    let mut tried: HashSet<String> = HashSet::new();
    loop {
        tokio::select! {
            () = server.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        let found = server
            .aside(|server| {
                let Ok(state) = server.records() else {
                    return Ok(Vec::new());
                };
                state.deny_overdue_approvals()?;
                state.runs_denied_by_timeout(&workspace_scope(server))
            })
            .await
            // A state that cannot be read now is read again later.
            .unwrap_or_default();
        let open: HashSet<&String> = found.iter().map(|(_, id)| id).collect();
        tried.retain(|id| open.contains(id));
        for (run, id) in found {
            if tried.insert(id) {
                chains::go_on(&server, run).await;
            }
        }
    }
}
