//! Stopping of a run: detection, the record before anything is undone, and the calls that still complete.

use std::sync::{MutexGuard, PoisonError};

use tool_core::capability::RecordDurability;
use tool_core::{ToolError, tool_error};

use super::core::RunCore;
use super::encoding::ending_record;
use super::events::{CallUnit, RunEvent};
use super::finished::StepOutcome;
use super::memory::RunMemory;
use super::workers::{LOOK_AGAIN, RunWorkers};
use crate::check::is_chain;
use crate::tools::{child_id, recorded_answer};
use journal::RunRecord;

impl RunWorkers<'_> {
    /// Watches for a stop until the run is over, since the threads that make calls may be busy.
    pub(super) fn watch(&self) {
        let mut core = self.lock();
        while !core.is_over {
            let waited = self.over.wait_timeout(core, LOOK_AGAIN);
            core = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !core.is_over && self.look(&mut core) {
                let writes = core.take_write_end();
                drop(core);
                self.wake.notify_all();
                if writes {
                    self.write_end();
                }
                core = self.lock();
            }
        }
    }

    /// Notifies the machine of a stop, once; returns whether it did.
    pub(super) fn look(&self, core: &mut MutexGuard<'_, RunCore<'_>>) -> bool {
        let is_written = self.job.memory.and_then(RunMemory::journal).is_some();
        if is_written && self.job.limit.is_interrupted() {
            if core.halted {
                return false;
            }
            core.halted = true;
            self.back.interrupt();
            core.feed(RunEvent::Halt);
            return true;
        }
        if let Some(cluster) = self.job.cluster {
            core.machine.widen_elsewhere(cluster.calls_wanted());
        }
        // Two results of one computation: nothing that was computed elsewhere can be believed.
        let alarm = self.job.cluster.and_then(|cluster| cluster.alarm());
        match alarm.map_or_else(|| self.job.limit.check(), Err) {
            Err(why) if !core.told_to_stop => {
                core.told_to_stop = true;
                core.feed(RunEvent::Stop(why));
                true
            }
            _ => false,
        }
    }

    /// Why the run does not continue.
    pub(super) fn ended_by(&self) -> Option<ToolError> {
        let ending = self.job.memory.and_then(RunMemory::ending);
        let ending = ending.map(|ending| ending.why.clone());
        ending.or_else(|| self.job.limit.check().err())
    }

    /// Why a call is not made: the run has ended, and no earlier process began the call.
    pub(super) fn barred(&self, unit: CallUnit, attempt: u32) -> Option<ToolError> {
        if unit.part.undoes() {
            return self.back.check().err();
        }
        let why = self.ended_by()?;
        (!self.began(unit, attempt)).then_some(why)
    }

    /// Whether an earlier process began a call, or the nested run of that call.
    pub(super) fn began(&self, unit: CallUnit, attempt: u32) -> bool {
        self.job.memory.is_some_and(|memory| {
            memory.knows(unit, attempt)
                || memory.is_open(unit)
                || self.inner_run(unit, attempt).is_some()
        })
    }

    /// The nested run that a call started.
    fn inner_run(&self, unit: CallUnit, attempt: u32) -> Option<RunRecord> {
        let step = &self.job.plan.steps[unit.step];
        if !is_chain(step.tool) {
            return None;
        }
        let id = child_id(self.job.chain_id, &step.id, unit.part.item(), attempt);
        let state = self.job.memory?.journal()?.state();
        state.run_named(&id).ok().flatten()
    }

    /// End of a nested run, which is undone before this one.
    pub(super) fn inner(&self, unit: CallUnit, attempt: u32) -> StepOutcome {
        let journal = self.job.memory.and_then(RunMemory::journal);
        let Some((run, journal)) = self.inner_run(unit, attempt).zip(journal) else {
            let why = self.ended_by();
            return why.map_or_else(StepOutcome::default, StepOutcome::cancelled);
        };
        if run.state.is_final() {
            let output = recorded_answer(journal.state(), &run);
            return output.map_or_else(StepOutcome::cancelled, StepOutcome::done);
        }
        let id = &run.id;
        let message = format_args!("the run `{id}` within this one is not undone yet");
        let known = self.job.memory.and_then(|memory| memory.within.get(id));
        let hint = format!("`mathchain runs resume {}`", self.job.chain_id);
        let own = || tool_error!(Conflict, "{message}").hint(hint);
        let error = known.map_or_else(own, |error| error.prefixed(message));
        StepOutcome::unknown(error.may_have_happened())
    }

    /// Records that the run ends, and why. If it cannot be recorded, nothing is undone and the run stays as it is.
    pub(super) fn write_end(&self) {
        let cause = self.lock().machine.end_cause();
        let journal = self.job.memory.and_then(RunMemory::journal);
        let record = ending_record(&cause, Some(self.job.plan));
        let written = journal.map(|journal| journal.write(&record, RecordDurability::Synced));
        let mut core = self.lock();
        if let Some(Err(why)) = written {
            core.broken.get_or_insert(why);
            core.told_to_stop = true;
            core.halted = true;
            core.feed(RunEvent::Halt);
        }
        core.feed(RunEvent::EndWritten);
        drop(core);
        self.wake.notify_all();
    }
}
