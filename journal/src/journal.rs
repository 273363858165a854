//! The journal of one run: what a runner writes to, and what a dispatcher has as its ledger and its approvals.

use std::sync::Arc;

use rusqlite::{Transaction, params};
use tool_core::capability::{
    ApprovalRequest, ApprovalState, Approvals, Durability, Ledger, LedgerHead,
};
use tool_core::{ErrorCode, ToolError, Value};

use super::State;
use super::ledger::How;
use super::open::{Closed, Target};
use super::run::RunState;
use crate::artifacts::Handle;
use crate::failpoints::fail_at;

/// The journal of one run, held by this process until it is finished or dropped.
///
/// Every write compares the number of the lease in its own transaction: after another process took the run, every write fails
/// with reason `run_lost`, so no further effect can begin here.
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

    /// The run.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How often a process took the run up, this one included.
    pub fn part(&self) -> u64 {
        self.part
    }

    /// The state that it is in.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    fn target(&self) -> Target<'_> {
        Target::Run(&self.key)
    }

    /// Puts an event at the end of the chain. A batched one is in the file within milliseconds, and at the latest with the next
    /// synced one or the end; a synced one is on disk when this returns.
    ///
    /// # Errors
    /// `conflict` with reason `run_lost` or `run_ended`, `limit_exceeded` above a mebibyte, `tool_error` when it could not be
    /// written.
    pub fn write(&self, event: &Value, durability: Durability) -> Result<LedgerHead, ToolError> {
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

    /// Keeps a value outside the chain; the handle stands for it in events. A large one is on disk when this returns, a small
    /// one as soon as a record that is written later.
    ///
    /// # Errors
    /// As [`Journal::write`]; `limit_exceeded` for a value that is too large or too deep; `artifact_full` and
    /// `artifact_unwritable` for its file.
    pub fn put(&self, value: &Value) -> Result<Handle, ToolError> {
        self.state.shared.put(&self.key, value)
    }

    /// Says that this run refers to a value that another one made, such as a kept result: it is not collected before this run
    /// is.
    ///
    /// # Errors
    /// As [`Journal::write`]; `artifact_missing` when it was collected meanwhile, and then is to be made again.
    pub fn refer(&self, handle: &Handle) -> Result<(), ToolError> {
        self.state.shared.refer_to(&self.key, handle)
    }

    /// The value of a handle, verified.
    ///
    /// # Errors
    /// `artifact_missing` or `artifact_corrupt`.
    pub fn get(&self, handle: &Handle) -> Result<Value, ToolError> {
        self.state.value(handle)
    }

    /// Writes what is batched.
    ///
    /// # Errors
    /// As [`Journal::write`].
    pub fn flush(&self) -> Result<(), ToolError> {
        self.state.flush()?;
        self.state.shared.lock().chains.run(&self.key).map(|_| ())
    }

    /// Where the chain stands.
    ///
    /// # Errors
    /// `conflict` with reason `run_lost` or `run_ended`.
    pub fn head(&self) -> Result<LedgerHead, ToolError> {
        let mut core = self.state.shared.lock();
        core.chains.run(&self.key).map(|run| run.chain.head())
    }

    /// Ends this process's work on the run: writes everything and where the run stands, links the end of the chain, gives the
    /// lease back. On disk when this returns if anything before it was; a run of pure steps alone is written like its steps.
    ///
    /// # Errors
    /// As [`Journal::write`]; `invalid_args` for `running`, which is no end.
    pub fn finish(&self, state: RunState) -> Result<LedgerHead, ToolError> {
        const ACTION: &str = "end the run";
        if state == RunState::Running {
            return Err(
                ToolError::new(ErrorCode::InvalidArgs, "a run does not end as `running`")
                    .reason("run_state"),
            );
        }
        fail_at("journal.before_finish");
        let shared = &self.state.shared;
        let synced = shared.lock().chains.run(&self.key)?.synced;
        let how = How {
            // What waits for a person outlives this process, whatever happens.
            synced: synced || !state.is_final(),
            link: true,
        };
        let ((), head) =
            shared.transact_on(self.target(), how, ACTION, |transaction, now_ms| {
                self.release(transaction)
                    .and_then(|()| {
                        transaction.execute(
                            "UPDATE runs SET state = ?, changed_ms = ? WHERE id = ?",
                            params![state.as_str(), now_ms as i64, self.id],
                        )
                    })
                    .map_err(|err| shared.fail(ACTION, &err))?;
                let event = Value::object([("kind", "state"), ("state", state.as_str())]);
                Ok(((), Some(event)))
            })?;
        fail_at("journal.after_finish");
        if let Ok(run) = shared.lock().chains.run(&self.key) {
            run.closed = Some(Closed::Ended);
        }
        Ok(head)
    }

    /// Lets go of a run that is to go on later, as after a crash: everything is written and on disk, and the lease is free.
    ///
    /// # Errors
    /// As [`Journal::write`].
    pub fn let_go(&self) -> Result<LedgerHead, ToolError> {
        const ACTION: &str = "let go of the run";
        let shared = &self.state.shared;
        let how = How {
            synced: true,
            link: true,
        };
        let ((), head) = shared.transact_on(self.target(), how, ACTION, |transaction, _| {
            self.release(transaction)
                .map_err(|err| shared.fail(ACTION, &err))?;
            Ok(((), Some(Value::object([("kind", "interrupted")]))))
        })?;
        if let Ok(run) = shared.lock().chains.run(&self.key) {
            run.closed = Some(Closed::Ended);
        }
        Ok(head)
    }

    /// Gives the lease back; whether it still is ours is looked at in the same transaction.
    fn release(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        transaction.execute(
            "UPDATE runs SET lease_owner = NULL, lease_until_ms = 0, lease_up_ms = 0 WHERE id = ?",
            [&self.id],
        )?;
        Ok(())
    }
}

/// The dispatcher's records of calls in this run. What is about to happen is synced. How a call ended may be batched: the
/// runner writes an event of its own after an effect, synced, so that each effect costs one sync before and one after.
impl Ledger for Journal {
    fn record(&self, record: &Value, durability: Durability) -> Result<LedgerHead, ToolError> {
        let is_end = record.get("kind").and_then(Value::as_str) == Some("call");
        self.write(
            record,
            if is_end {
                Durability::Batched
            } else {
                durability
            },
        )
    }
}

impl Approvals for Journal {
    fn settle(
        &self,
        request: &ApprovalRequest,
        intent: &Value,
    ) -> Result<ApprovalState, ToolError> {
        fail_at("journal.before_intent");
        let settled = self.state.shared.settle(self.target(), request, intent)?;
        fail_at("journal.after_intent");
        Ok(settled)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        const ACTION: &str = "let go of the run";
        let shared = &self.state.shared;
        if shared.lock().chains.run(&self.key).is_ok() {
            let how = How {
                link: true,
                ..How::QUICK
            };
            // Were it not written, the lease would end by itself; `finish` is where a failure is reported.
            let _ = shared.transact_on(self.target(), how, ACTION, |transaction, _| {
                self.release(transaction)
                    .map_err(|err| shared.fail(ACTION, &err))?;
                Ok(((), None))
            });
        }
        shared.lock().chains.runs.remove(&self.key);
    }
}
