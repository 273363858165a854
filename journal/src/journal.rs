//! The journal of one run: the records of its runner, and the ledger and approvals of its dispatcher.

use std::sync::Arc;

use rusqlite::{Transaction, params};
use tool_core::capability::{
    ApprovalRequest, ApprovalState, ApprovalStore, AuditLedger, LedgerHead, RecordDurability,
};
use tool_core::{ErrorCode, Object, Result, ToolError, Value};

use super::ledger::CommitMode;
use super::open::{ChainTarget, RunEnd};
use super::packs;
use super::run::{END_KEY, RunState};
use super::sql;
use super::state::StateStore;
use crate::artifacts::{self, ArtifactHandle, ArtifactKind};
use crate::failpoints::fail_at;

/// The action of giving back a lease, in errors.
const RELEASE: &str = "release the run";

/// The journal of one run, held by this process until it is finished or dropped.
///
/// Every write compares the fencing number of the lease in its own transaction: after another process took over the run, every write
/// fails with reason `run_lost`, so no further effect can begin here.
pub struct Journal {
    state: Arc<StateStore>,
    id: String,
    key: String,
    part: u64,
}

impl Journal {
    pub(super) fn new(state: Arc<StateStore>, id: String, key: String, part: u64) -> Self {
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
    pub fn state(&self) -> &Arc<StateStore> {
        &self.state
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    fn target(&self) -> ChainTarget<'_> {
        ChainTarget::Run(&self.key)
    }

    /// Appends an event to the chain. A batched one is in the file within milliseconds, and at the latest with the next
    /// synced one or the end; a synced one is on disk when this returns.
    ///
    /// # Errors
    /// `conflict` with reason `run_lost` or `run_ended`, `limit_exceeded` above a mebibyte, `tool_error` when it could not be
    /// written.
    pub fn write(&self, event: &Value, durability: RecordDurability) -> Result<LedgerHead> {
        let kind = event.text("kind");
        let (before, after) = match kind {
            Some("intent") => ("journal.before_intent", "journal.after_intent"),
            Some("settled") => ("journal.before_settled", "journal.after_settled"),
            _ => ("", ""),
        };
        fail_at(before);
        let shared = &self.state.shared;
        let head = match durability {
            RecordDurability::Synced => shared.record_synced(self.target(), event),
            RecordDurability::Batched => shared.record_batched(self.target(), event),
        }?;
        fail_at(after);
        Ok(head)
    }

    /// Stores the end of a call, and appends the event of it, which names it. Ends of elements without effects are recorded together with those
    /// of their neighbours, within 50 ms.
    ///
    /// # Errors
    /// As [`Journal::write`] and [`Journal::put`].
    pub fn settle_call(
        &self,
        mut event: Object,
        end: &Value,
        durability: RecordDurability,
    ) -> Result<()> {
        let is_done = event.get("status").and_then(Value::as_str) == Some("done");
        if durability == RecordDurability::Batched && is_done && packs::is_of_element(&event) {
            let stored = artifacts::encode_value(end, artifacts::least_of(end))?;
            let is_small = stored.handle.kind == ArtifactKind::Small && stored.blocks.is_empty();
            let body = stored
                .body
                .filter(|body| is_small && packs::is_packable_end(body));
            if let Some(body) = body {
                fail_at("journal.before_settled");
                self.state
                    .shared
                    .record_packed(&self.key, &event, Some(body))?;
                fail_at("journal.after_settled");
                return Ok(());
            }
        }
        event.insert(END_KEY, self.put(end)?.to_value());
        self.write(&event.into(), durability).map(drop)
    }

    /// Stores a value outside the chain; events refer to it by handle. A large value is on disk when this returns, a small one with
    /// the next record.
    ///
    /// # Errors
    /// As [`Journal::write`]; `limit_exceeded` for a value that is too large or too deep; `artifact_full` and
    /// `artifact_unwritable` for its file.
    pub fn put(&self, value: &Value) -> Result<ArtifactHandle> {
        self.state.shared.put(&self.key, value)
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
        // A run that waits for a person must survive a crash of the machine.
        let is_synced = self.state.shared.lock().chains.run(&self.key)?.synced || !state.is_final();
        let head = self.end(is_synced, "end the run", |transaction, now_ms| {
            const SQL: &str = "UPDATE runs SET state = ?, changed_ms = ? WHERE id = ?";
            let params = params![state.as_str(), now_ms as i64, self.id];
            sql::execute_statement(transaction, SQL, params)?;
            Ok(Some(Value::object([
                ("kind", "state"),
                ("state", state.as_str()),
            ])))
        })?;
        fail_at("journal.after_finish");
        Ok(head)
    }

    /// Releases a run that is to be resumed later, as after a crash: all records are on disk, and the lease is free.
    ///
    /// # Errors
    /// As [`Journal::write`].
    pub fn release_lease(&self) -> Result<LedgerHead> {
        self.end(true, RELEASE, |_, _| {
            Ok(Some(Value::object([("kind", "interrupted")])))
        })
    }

    /// Releases the lease with the work and the record of an end, and links the end of the chain; the same transaction checks that this
    /// process still holds the lease.
    fn end(
        &self,
        synced: bool,
        action: &str,
        work: impl FnOnce(&Transaction<'_>, u64) -> rusqlite::Result<Option<Value>>,
    ) -> Result<LedgerHead> {
        const SQL: &str =
            "UPDATE runs SET lease_owner = NULL, lease_until_ms = 0, lease_up_ms = 0 WHERE id = ?";
        let how = CommitMode { synced, link: true };
        let shared = &self.state.shared;
        let work = |transaction: &Transaction<'_>, now_ms| {
            sql::execute_statement(transaction, SQL, [&self.id])?;
            Ok(((), work(transaction, now_ms)?))
        };
        let ((), head) = shared.transact_on(self.target(), how, action, work)?;
        if let Ok(run) = shared.lock().chains.run(&self.key) {
            run.closed = Some(RunEnd::Ended);
        }
        Ok(head)
    }
}

/// The dispatcher's records of calls in this run. Intents are synced. Outcomes may be batched: after an effect the runner writes a
/// synced event of its own, so that each effect costs one sync before and one after.
impl AuditLedger for Journal {
    fn record(&self, record: &Value, durability: RecordDurability) -> Result<LedgerHead> {
        if let Some(call) = record.as_object().filter(|it| packs::is_packable_call(it)) {
            return self.state.shared.record_packed(&self.key, call, None);
        }
        let is_end = record.text("kind") == Some("call");
        let durability = match is_end {
            true => RecordDurability::Batched,
            false => durability,
        };
        self.write(record, durability)
    }
}

impl ApprovalStore for Journal {
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
            // On failure the lease expires by itself; `finish` reports failures.
            let _ = self.end(false, RELEASE, |_, _| Ok(None));
        }
        shared.lock().chains.runs.remove(&self.key);
    }
}
