//! Early end of a run: the record before anything is undone, and calls whose outcome is unknown.

use tool_core::{ErrorCode, Reason, ToolError};

use super::Machine;
use crate::plan::{OnError, OnItemError};
use crate::run::events::{Part, Unit};
use crate::run::finished::{Finished, StepStatus};

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

impl Machine<'_> {
    /// Whether an earlier process began a call of a step.
    pub(super) fn step_began(&self, step: usize) -> bool {
        let next = self.prior.began.range(Unit::whole(step)..).next();
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
    pub(super) fn is_given_up(end: &Option<Finished>) -> bool {
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
    pub(super) fn unknown(&mut self, unit: Unit, end: Finished) {
        let step = &self.plan.steps[unit.step];
        let fails_map = match (&step.map, unit.part) {
            (Some(map), Part::Item(_)) => map.on_item_error == OnItemError::Fail,
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
        let found: Vec<Unit> = known.filter(|&unit| self.may_be_undone(unit)).collect();
        for unit in &found {
            if let Some(end) = self.calls.unknown.remove(unit) {
                self.settle_perhaps(*unit, end);
            }
        }
        !found.is_empty()
    }

    /// Whether a call can be undone whether it happened or not: its compensation is idempotent and does not use its result.
    fn may_be_undone(&self, unit: Unit) -> bool {
        let undo = self.plan.steps[unit.step].compensate.as_deref();
        undo.is_some_and(|undo| undo.idempotent && !undo.uses.contains(&unit.step))
    }

    fn settle_perhaps(&mut self, unit: Unit, mut end: Finished) {
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
