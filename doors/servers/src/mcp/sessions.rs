//! [`McpSessions`]: the sessions of clients of the older protocol, limited for each caller and in all.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tool_core::{Result, tool_error};

/// Sessions of one caller.
const OF_CALLER_MAX: usize = 128;
/// Sessions of all callers; each takes about 70 KB.
const ALL_MAX: usize = 1024;

/// The sessions of every caller of a server.
#[derive(Default)]
pub struct McpSessions(Mutex<Vec<Arc<LocalSessionManager>>>);

impl McpSessions {
    /// Room for the sessions of one more caller.
    pub(super) fn add(&self) -> Arc<LocalSessionManager> {
        let own = Arc::new(LocalSessionManager::default());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Of a caller that is gone, only this has them.
        all.retain(|one| Arc::strong_count(one) > 1);
        all.push(Arc::clone(&own));
        own
    }

    /// Refuses one more session of a caller where there are as many as may be.
    ///
    /// # Errors
    /// `limit_exceeded` with reason `overloaded`.
    pub(super) async fn admit(&self, own: &LocalSessionManager) -> Result<()> {
        let mut all = 0;
        for one in self.all() {
            all += one.sessions.read().await.len();
        }
        let own = own.sessions.read().await.len();
        if own < OF_CALLER_MAX && all < ALL_MAX {
            return Ok(());
        }
        Err(
            tool_error!(LimitExceeded, "overloaded"; "there are {own} MCP sessions of this caller and {all} in all; at most {OF_CALLER_MAX} and {ALL_MAX} are kept";
            "end sessions with DELETE, or use protocol version 2026-07-28, which has none; a silent session ends after five minutes"),
        )
    }

    fn all(&self) -> Vec<Arc<LocalSessionManager>> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
