//! Cancelling a run that another process works on: the request stands in the row of the run and in the audit of who asked; the
//! thread that keeps leases young finds it.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};
use tool_core::{StopFlag, ToolError, Value};

use super::lease::RENEWAL;
use super::ledger::Core;
use super::open::OpenRun;
use super::{Journal, State};

/// How often the holder of a run looks for a request.
const LOOK: Duration = Duration::from_millis(500);

/// How long the state's thread waits for records.
pub(super) fn pause(core: &Core) -> Duration {
    let mut runs = core.chains.runs.values();
    match runs.any(is_watched) {
        true => LOOK,
        false => RENEWAL,
    }
}

fn is_watched(run: &OpenRun) -> bool {
    run.closed.is_none() && run.watched.as_ref().is_some_and(|stop| !stop.is_set())
}

/// Stops the runs of this process that somebody asked to cancel. What cannot be read now is found the next time.
pub(super) fn look(core: &Core) {
    let connection = &core.connection;
    for run in core.chains.runs.values().filter(|run| is_watched(run)) {
        if let (Ok(true), Some(stop)) = (is_asked(connection, &run.id), &run.watched) {
            stop.cancel();
        }
    }
}

fn is_asked(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    let asked = connection
        .prepare_cached("SELECT cancel_ms IS NOT NULL FROM runs WHERE id = ?")?
        .query_row([id], |row| row.get(0))
        .optional()?;
    Ok(asked.unwrap_or(false))
}

impl State {
    /// Asks that a run be cancelled, whoever works on it. On disk, and in the audit, when this returns; the process that works on
    /// the run finds it within a second, and one that goes on with it later before anything else.
    ///
    /// # Errors
    /// As [`State::run`]; `conflict` with reason `run_ended`.
    pub fn ask_to_cancel(&self, id: &str) -> Result<(), ToolError> {
        const ACTION: &str = "ask to cancel the run";
        let run = self.run(id)?;
        self.shared.transact(ACTION, |transaction, now_ms| {
            let fail = |err: rusqlite::Error| self.shared.fail(ACTION, &err);
            let open = super::run::row(transaction, &run.id).map_err(fail)?;
            if open.is_none_or(|row| row.run.state.is_final()) {
                return Err(super::runs::ended(&run.id));
            }
            transaction
                .execute(
                    "UPDATE runs SET cancel_ms = ifnull(cancel_ms, ?) WHERE id = ?",
                    params![now_ms as i64, run.id],
                )
                .map_err(fail)?;
            let record = Value::object([
                ("event", Value::from("cancel")),
                ("run", Value::from(run.id.as_str())),
            ]);
            Ok(((), Some(record)))
        })?;
        Ok(())
    }
}

impl Journal {
    /// Sets a flag when another process asks that the run be cancelled.
    pub fn watch(&self, stop: StopFlag) {
        let shared = &self.state().shared;
        let mut core = shared.lock();
        if let Ok(run) = core.chains.run(self.key()) {
            run.watched = Some(stop);
        }
        core.looks = true;
        shared.wake_all();
    }

    /// Whether somebody asked that the run be cancelled.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn is_cancelled(&self) -> Result<bool, ToolError> {
        let shared = &self.state().shared;
        let core = shared.lock();
        is_asked(&core.connection, self.id()).map_err(|err| shared.fail("read the run", &err))
    }
}
