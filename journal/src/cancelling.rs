//! Cancelling a run that another process executes: the request is stored in the row of the run and in the audit log of the session
//! that requests it; the thread that renews leases finds it.

use rusqlite::params;
use tool_core::{Result, StopFlag, Value};

use super::journal::Journal;
use super::state::StateStore;
use super::watching::is_requested;
use super::{lease, sql};

impl StateStore {
    /// Requests the cancellation of a run, which any process may execute. The request is on disk and in the audit log when this
    /// returns; the process that executes the run finds it within a second, one that resumes it later before anything else.
    ///
    /// # Errors
    /// As [`StateStore::run`]; `conflict` with reason `run_ended`.
    pub fn request_cancel(&self, id: &str) -> Result<()> {
        const SQL: &str = "UPDATE runs SET cancel_ms = ifnull(cancel_ms, ?) WHERE id = ?";
        let run = self.run(id)?;
        self.shared
            .transact("request cancellation of the run", |transaction, now_ms| {
                let open = super::run::find_run_row(transaction, &run.id)?;
                if open.is_none_or(|row| row.run.state.is_final()) {
                    return Err(lease::run_ended_error(&run.id).into());
                }
                sql::execute_statement(transaction, SQL, params![now_ms as i64, run.id])?;
                let record = Value::object([("event", "cancel"), ("run", &run.id)]);
                Ok(((), Some(record)))
            })
    }
}

impl Journal {
    /// Sets a flag when another process requests the cancellation of the run.
    pub fn watch(&self, stop: StopFlag) {
        let shared = &self.state().shared;
        let mut core = shared.lock();
        if let Ok(run) = core.chains.run(self.key()) {
            run.watched = Some(stop);
        }
        core.looks = true;
        shared.wake_all();
    }

    /// Whether the cancellation of the run was requested.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn is_cancelled(&self) -> Result<bool> {
        let shared = &self.state().shared;
        shared.read("read the run", |connection| {
            Ok(is_requested(connection, self.id())?)
        })
    }
}
