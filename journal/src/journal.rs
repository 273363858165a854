//! The journal of one run: the records of its runner, and the ledger and approvals of its dispatcher.

use std::sync::Arc;

use rusqlite::{Transaction, params};
use tool_core::capability::{
    ApprovalRequest, ApprovalState, Approvals, Durability, Ledger, LedgerHead,
};
use tool_core::{ErrorCode, Result, ToolError, Value};

use super::ledger::How;
use super::open::{Closed, Target};
use super::run::RunState;
use super::sql;
use super::state::State;
use crate::artifacts::Handle;
use crate::failpoints::fail_at;

/// The action of giving back a lease, in errors.
const RELEASE: &str = "release the run";

/// The journal of one run, held by this process until it is finished or dropped.
///
/// Every write compares the fencing number of the lease in its own transaction: after another process took over the run, every write
/// fails with reason `run_lost`, so no further effect can begin here.
pub struct Journal {
    state: Arc<State>,
    id: String,
    key: String,
    part: u64,
}

impl Journal {
    pub(super) fn new(state: Arc<State>, id: String, key: String, part: u64) -> Self {
        Self {
            state,
            id,
            key,
            part,
        }
    }

    /// Id of the run.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The number of processes that have executed the run, this one included.
    pub fn part(&self) -> u64 {
        self.part
    }

    /// The state that contains the run.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    fn target(&self) -> Target<'_> {
        Target::Run(&self.key)
    }

    /// Appends an event to the chain. A batched one is in the file within milliseconds, and at the latest with the next
    /// synced one or the end; a synced one is on disk when this returns.
    ///
    /// # Errors
    /// `conflict` with reason `run_lost` or `run_ended`, `limit_exceeded` above a mebibyte, `tool_error` when it could not be
    /// written.
    pub fn write(&self, event: &Value, durability: Durability) -> Result<LedgerHead> {
        let kind = event.get("kind").and_then(Value::as_str);
        let (before, after) = match kind {
            Some("intent") => ("journal.before_intent", "journal.after_intent"),
            Some("settled") => ("journal.before_settled", "journal.after_settled"),
            _ => ("", ""),
        };
        fail_at(before);
        let shared = &self.state.shared;
        let head = match durability {
            Durability::Synced => shared.record_synced(self.target(), event),
            Durability::Batched => shared.record_batched(self.target(), event),
        }?;
        fail_at(after);
        Ok(head)
    }

    /// Stores a value outside the chain; events refer to it by handle. A large value is on disk when this returns, a small one with
    /// the next record.
    ///
    /// # Errors
    /// As [`Journal::write`]; `limit_exceeded` for a value that is too large or too deep; `artifact_full` and
    /// `artifact_unwritable` for its file.
    pub fn put(&self, value: &Value) -> Result<Handle> {
        self.state.shared.put(&self.key, value)
    }

    /// Adds a reference to a value of another run, such as a cached result: it is not collected before this run.
    ///
    /// # Errors
    /// As [`Journal::write`]; `artifact_missing` when it was collected meanwhile and must be recomputed.
    pub fn refer(&self, handle: &Handle) -> Result<()> {
        self.state.shared.refer_to(&self.key, handle)
    }

    /// Reads and verifies the value of a handle.
    ///
    /// # Errors
    /// `artifact_missing` or `artifact_corrupt`.
    pub fn get(&self, handle: &Handle) -> Result<Value> {
        self.state.value(handle)
    }

    /// Writes the batched records.
    ///
    /// # Errors
    /// As [`Journal::write`].
    pub fn flush(&self) -> Result<()> {
        self.state.flush()?;
        self.state.shared.lock().chains.run(&self.key).map(|_| ())
    }

    /// The newest record of the chain.
    ///
    /// # Errors
    /// `conflict` with reason `run_lost` or `run_ended`.
    pub fn head(&self) -> Result<LedgerHead> {
        let mut core = self.state.shared.lock();
        core.chains.run(&self.key).map(|run| run.chain.head())
    }

    /// Ends the execution by this process: writes all records and the state of the run, links the end of the chain, releases the lease.
    /// On disk when this returns if any record before it was synced; a run of pure steps is batched like its steps.
    ///
    /// # Errors
    /// As [`Journal::write`]; `invalid_args` for `running`.
    pub fn finish(&self, state: RunState) -> Result<LedgerHead> {
        if state == RunState::Running {
            let message = "a run does not end in the state `running`";
            return Err(ToolError::new(ErrorCode::InvalidArgs, message).reason("run_state"));
        }
        fail_at("journal.before_finish");
        let shared = &self.state.shared;
        let synced = shared.lock().chains.run(&self.key)?.synced;
        let how = How {
            // A run that waits for a person must survive a crash of the machine.
            synced: synced || !state.is_final(),
            link: true,
        };
        let ((), head) =
            shared.transact_on(self.target(), how, "end the run", |transaction, now_ms| {
                const SQL: &str = "UPDATE runs SET state = ?, changed_ms = ? WHERE id = ?";
                self.release(transaction)?;
                let params = params![state.as_str(), now_ms as i64, self.id];
                sql::execute(transaction, SQL, params)?;
                let event = Value::object([("kind", "state"), ("state", state.as_str())]);
                Ok(((), Some(event)))
            })?;
        fail_at("journal.after_finish");
        if let Ok(run) = shared.lock().chains.run(&self.key) {
            run.closed = Some(Closed::Ended);
        }
        Ok(head)
    }

    /// Releases a run that is to be resumed later, as after a crash: all records are on disk, and the lease is free.
    ///
    /// # Errors
    /// As [`Journal::write`].
    pub fn release_lease(&self) -> Result<LedgerHead> {
        let shared = &self.state.shared;
        let how = How {
            synced: true,
            link: true,
        };
        let ((), head) = shared.transact_on(self.target(), how, RELEASE, |transaction, _| {
            self.release(transaction)?;
            Ok(((), Some(Value::object([("kind", "interrupted")]))))
        })?;
        if let Ok(run) = shared.lock().chains.run(&self.key) {
            run.closed = Some(Closed::Ended);
        }
        Ok(head)
    }

    /// Releases the lease; the same transaction checks that this process still holds it.
    fn release(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        const SQL: &str =
            "UPDATE runs SET lease_owner = NULL, lease_until_ms = 0, lease_up_ms = 0 WHERE id = ?";
        sql::execute(transaction, SQL, [&self.id]).map(drop)
    }
}

/// The dispatcher's records of calls in this run. Intents are synced. Outcomes may be batched: after an effect the runner writes a
/// synced event of its own, so that each effect costs one sync before and one after.
impl Ledger for Journal {
    fn record(&self, record: &Value, durability: Durability) -> Result<LedgerHead> {
        let is_end = record.get("kind").and_then(Value::as_str) == Some("call");
        let durability = match is_end {
            true => Durability::Batched,
            false => durability,
        };
        self.write(record, durability)
    }
}

impl Approvals for Journal {
    fn settle(&self, request: &ApprovalRequest, intent: &Value) -> Result<ApprovalState> {
        fail_at("journal.before_intent");
        let settled = self.state.shared.settle(self.target(), request, intent)?;
        fail_at("journal.after_intent");
        Ok(settled)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let shared = &self.state.shared;
        if shared.lock().chains.run(&self.key).is_ok() {
            let how = How {
                synced: false,
                link: true,
            };
            // On failure the lease expires by itself; `finish` reports failures.
            let _ = shared.transact_on(self.target(), how, RELEASE, |transaction, _| {
                self.release(transaction)?;
                Ok(((), None))
            });
        }
        shared.lock().chains.runs.remove(&self.key);
    }
}
