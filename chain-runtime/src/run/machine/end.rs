//! End of a run: the record before anything is undone, calls whose outcome is unknown, compensations, and the result in plan
//! order.

use std::collections::{BTreeMap, HashMap};

use tool_core::{ErrorCode, Reason, ToolError, Value};

use super::RunMachine;
use crate::plan::{OnError, OnItemError};
use crate::reference::MissingValueError;
use crate::run::events::{CallPart, CallUnit, MachineCommand, RunConclusion};
use crate::run::finished::{StepOutcome, StepStatus};
use crate::run::values::find_obstacle;

/// Whether the end of the run is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EndRecord {
    None,
    /// Being recorded.
    Open,
    Written,
}

/// Why a run ends early.
pub(crate) struct EndCause {
    /// `step`, `cancelled`, `deadline` or `budget`.
    pub(crate) cause: &'static str,
    /// The step that ended it.
    pub(crate) at: Option<usize>,
    pub(crate) error: Option<ToolError>,
}

impl RunMachine<'_> {
    /// Whether an earlier process began a call of a step.
    pub(super) fn step_began(&self, step: usize) -> bool {
        let next = self.prior.began.range(CallUnit::whole(step)..).next();
        next.is_some_and(|unit| unit.step == step)
    }

    /// Why the run ends.
    pub(crate) fn end_cause(&self) -> EndCause {
        if let Some(why) = &self.stopped {
            return EndCause {
                cause: match why.code() {
                    ErrorCode::Timeout => "deadline",
                    ErrorCode::LimitExceeded => "budget",
                    _ => "cancelled",
                },
                at: None,
                error: Some(why.clone()),
            };
        }
        let at = self.plan.steps.get(self.stop_at).map(|_| self.stop_at);
        let at = at.or_else(|| self.ends.iter().position(Self::is_given_up));
        let end = at.and_then(|at| self.ends[at].as_ref());
        EndCause {
            cause: "step",
            at,
            error: end.and_then(|end| end.error.clone()),
        }
    }

    /// Whether a step was denied or cancelled: a running call may end with a cancellation before the machine is notified of it.
    pub(super) fn is_given_up(end: &Option<StepOutcome>) -> bool {
        let status = end.as_ref().map(|end| end.status);
        matches!(status, Some(StepStatus::Denied | StepStatus::Cancelled))
    }

    /// Whether the run ends early, so that completed steps are undone.
    pub(super) fn ends_early(&self) -> bool {
        self.stopped.is_some()
            || self.stop_at != usize::MAX
            || self.ends.iter().any(Self::is_given_up)
    }

    /// Enters a call whose outcome is unknown.
    pub(super) fn unknown(&mut self, unit: CallUnit, end: StepOutcome) {
        let step = &self.plan.steps[unit.step];
        let fails_map = match (&step.map, unit.part) {
            (Some(map), CallPart::Item(_)) => map.on_item_error == OnItemError::Fail,
            _ => true,
        };
        let ends_chain = step.on_error == OnError::FailChain && fails_map;
        // A call that an earlier process began may still decide how the run continues.
        let error = end.error.as_ref();
        let is_of_this = error.is_some_and(|error| !error.is(Reason::OutcomeUnknown));
        if self.prior.asks && !(ends_chain && is_of_this && self.may_be_undone(unit)) {
            self.calls.unknown.insert(unit, end);
        } else {
            self.settle_perhaps(unit, end);
        }
    }

    /// Settles calls of unknown outcome that can be undone either way. Returns whether there were any.
    pub(super) fn settle_unknown(&mut self) -> bool {
        let known = self.calls.unknown.keys().copied();
        let found: Vec<CallUnit> = known.filter(|&unit| self.may_be_undone(unit)).collect();
        for unit in &found {
            if let Some(end) = self.calls.unknown.remove(unit) {
                self.settle_perhaps(*unit, end);
            }
        }
        !found.is_empty()
    }

    /// Whether a call can be undone whether it happened or not: its compensation is idempotent and does not use its result.
    fn may_be_undone(&self, unit: CallUnit) -> bool {
        let undo = self.plan.steps[unit.step].compensate.as_deref();
        undo.is_some_and(|undo| undo.idempotent && !undo.uses.contains(&unit.step))
    }

    fn settle_perhaps(&mut self, unit: CallUnit, mut end: StepOutcome) {
        end.status = match self.stopped {
            Some(_) => StepStatus::Cancelled,
            None => StepStatus::Failed,
        };
        if self.may_be_undone(unit) {
            self.calls.perhaps.insert(unit);
            end.warnings
                .push("its outcome is unknown: it is undone as if it had happened".to_owned());
            end.error = end.error.map(ToolError::settled);
        } else {
            end.warnings.push("its outcome is unknown".to_owned());
        }
        self.settle_unit(unit, end);
    }
}

/// Result of the machine when the run has stopped.
pub(crate) struct RunMachineResult {
    /// End of every step by plan order.
    pub(crate) settled: Vec<StepOutcome>,
    /// Actual end of every step.
    pub(crate) real: Vec<StepOutcome>,
    /// Compensations and their ends.
    pub(crate) undone: Vec<(CallUnit, StepOutcome)>,
    /// A compensation of unknown outcome, or one that awaits approval or was interrupted.
    pub(crate) open_undo: Option<(CallUnit, StepOutcome)>,
    pub(crate) stopped: Option<ToolError>,
    pub(crate) conclusion: Option<RunConclusion>,
    /// Values of the outputs, by the text of their references.
    pub(crate) outputs: HashMap<String, Result<Value, MissingValueError>>,
    /// The budget that the last call exceeded.
    pub(crate) over: Option<ToolError>,
}

impl RunMachine<'_> {
    /// When nothing is in progress: steps that await approval after the end of the run are dropped, and a run that did not
    /// succeed is undone. Returns whether there is more to do.
    pub(super) fn finish(&mut self) -> bool {
        if self.is_busy() {
            return false;
        }
        let late = self.calls.pending.keys();
        let late = late.filter(|unit| unit.step > self.stop_at);
        let late: Vec<CallUnit> = late.copied().collect();
        for unit in &late {
            self.calls.pending.remove(unit);
            self.settle_unit(*unit, StepOutcome::not_run(self.stop_at));
        }
        if !late.is_empty() {
            return true;
        }
        if self.ends_early() && self.settle_unknown() {
            return true;
        }
        if self.left > 0 || self.undo.open.is_some() {
            return false;
        }
        if let Some(why) = self.prior.ends_with.take() {
            self.stopped = Some(why);
        }
        let to_undo = self.undo.next.take();
        let mut to_undo = to_undo.unwrap_or_else(|| self.calls_to_undo());
        if self.end_record == EndRecord::None && !to_undo.is_empty() {
            self.end_record = EndRecord::Open;
            self.commands.push(MachineCommand::WriteEnd);
            self.undo.next = Some(to_undo);
            return false;
        }
        // The next one starts when this one has ended.
        let next = to_undo.pop();
        self.undo.next = Some(to_undo);
        if let Some(unit) = next {
            self.undo.runs = true;
            self.calls.attempts.insert(unit, 1);
            self.commands.push(MachineCommand::Start(unit, 1));
        }
        false
    }

    /// Completed calls with a compensation, in plan order, if the run ended early; for a map those of its elements, even if the
    /// map failed.
    fn calls_to_undo(&self) -> Vec<CallUnit> {
        if !self.ends_early() {
            return Vec::new();
        }
        let mut calls = Vec::new();
        let steps = self.plan.steps.iter().enumerate();
        for (step, checked) in steps.filter(|(_, step)| step.compensate.is_some()) {
            let of = |part| CallUnit { step, part };
            let end = self.ends[step].as_ref();
            let is_done = end.is_some_and(|end| end.status == StepStatus::Done);
            match self.calls.done_items.get(&step) {
                Some(done) => calls.extend(
                    done.iter()
                        .map(|&(index, ..)| of(CallPart::UndoItem(index))),
                ),
                None if checked.map.is_some() => {}
                None if is_done || self.calls.perhaps.contains(&CallUnit::whole(step)) => {
                    calls.push(of(CallPart::Undo));
                }
                None => {}
            }
        }
        calls
    }

    /// Collects the ends of all steps by plan order, their actual ends, and the outputs.
    pub(crate) fn into_parts(mut self) -> RunMachineResult {
        let conclusion = self.conclusion();
        let mut open: BTreeMap<usize, StepOutcome> = BTreeMap::new();
        // Decisions come before approvals.
        let calls = std::mem::take(&mut self.calls);
        let calls = calls
            .unknown
            .into_iter()
            .chain(calls.pending)
            .chain(calls.cut);
        for (unit, end) in calls {
            open.entry(unit.step).or_insert(end);
        }
        let ends = self.ends.into_iter().enumerate();
        let real: Vec<StepOutcome> = ends
            .map(|(step, end)| end.or_else(|| open.remove(&step)).unwrap_or_default())
            .collect();
        let mut settled: Vec<StepOutcome> = Vec::with_capacity(real.len());
        for (position, end) in real.iter().enumerate() {
            let stays = matches!(end.status, StepStatus::Cancelled | StepStatus::Unknown);
            settled.push(
                match find_obstacle(self.plan, position, &|step| settled.get(step)) {
                    _ if position <= self.stop_at || stays => end.clone(),
                    Some(cause) => StepOutcome::skipped(cause),
                    None => StepOutcome::not_run(self.stop_at),
                },
            );
        }
        RunMachineResult {
            settled,
            real,
            undone: self.undo.done,
            open_undo: self.undo.open,
            stopped: self.stopped,
            conclusion,
            outputs: self.output_values,
            over: self.over,
        }
    }
}
