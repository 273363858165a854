//! Requests whose time is over without a decision, and whose fallback denies them.

use rusqlite::params;
use tool_core::{Result, Value, fields};

use super::ledger::LedgerShared;
use super::scope::StateScope;
use super::sql::{self, row_structs};
use super::state::StateStore;

/// The name under which a request is denied that nobody decided in time.
pub const BY_TIMEOUT: &str = "timeout";

row_structs! {
    /// A request that is denied now.
    Overdue {
        id: String,
        tool: String,
        role: String,
        agent: Option<String>,
        digest: String,
    }
}

impl StateStore {
    /// Denies the requests whose time is over and whose fallback is `deny`, of every workspace of the state; each denial is recorded in
    /// the audit log. Gives their number.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read or written.
    pub fn deny_overdue_approvals(&self) -> Result<usize> {
        self.shared.deny_overdue()
    }

    /// The runs of a workspace with a step that was denied by its fallback and has not learned of it, each with the id of the request.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn runs_denied_by_timeout(&self, scope: &StateScope) -> Result<Vec<(String, String)>> {
        const SQL: &str = "SELECT run, id FROM approvals WHERE state = 'declined' AND fallback = 'deny' AND told = 0
             AND decided_ms >= expires_ms AND run IS NOT NULL AND (?1 OR workspace IS ?2) ORDER BY number";
        let (_, every, _, root) = scope.params();
        self.shared
            .select("list the approvals", SQL, params![every, root])
    }
}

impl LedgerShared {
    /// As [`StateStore::deny_overdue_approvals`].
    pub(super) fn deny_overdue(&self) -> Result<usize> {
        const WAITS: &str = "SELECT 1 FROM approvals WHERE state = 'pending' AND fallback = 'deny' AND expires_ms <= ? LIMIT 1";
        const CHANGE: &str = "UPDATE approvals SET state = 'declined', decided_by = ?, decided_ms = ?, decided_in = ?, details = NULL, condition = NULL WHERE id = ?";
        let find = Overdue::sql(
            "FROM approvals WHERE state = 'pending' AND fallback = 'deny' AND expires_ms <= ? ORDER BY number LIMIT 1",
        );
        let mut denied = 0;
        loop {
            // Nearly always there is none, and nothing is written.
            let now_ms = self.clock.unix_ms() as i64;
            let waits: Vec<i64> = self.select("look for overdue approvals", WAITS, [now_ms])?;
            if waits.is_empty() {
                return Ok(denied);
            }
            let session = self.lock().chains.own.session.clone();
            let done = self.transact("deny an overdue approval", |transaction, now_ms| {
                // Another process may have been first.
                let Some(found) = sql::first_row::<Overdue>(transaction, &find, [now_ms as i64])?
                else {
                    return Ok((0, None));
                };
                let params = params![BY_TIMEOUT, now_ms as i64, session, found.id];
                sql::execute_statement(transaction, CHANGE, params)?;
                let record = fields! {
                    "event" => "approval",
                    "approval_id" => found.id,
                    "decision" => "declined",
                    "decided_by" => BY_TIMEOUT,
                    "tool" => found.tool,
                    "role" => found.role,
                    "agent" => found.agent,
                    "digest" => found.digest,
                    "fallback" => "deny",
                };
                Ok((1, Some(Value::from(record))))
            })?;
            denied += done;
        }
    }
}
