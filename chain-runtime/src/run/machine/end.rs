//! That a chain ends early: what is written of it before anything is undone, and what becomes of calls of which it is not known
//! whether they happened.

use std::collections::BTreeSet;

use tool_core::{ErrorCode, Reason, ToolError};

use super::Machine;
use crate::plan::{OnError, OnItemError};
use crate::run::events::{Part, Unit};
use crate::run::finished::{Finished, StepStatus};

/// Whether the end of the chain is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EndRecord {
    None,
    /// It is being written.
    Open,
    Written,
}

/// Why a chain ends early.
pub(crate) struct EndCause {
    /// `step`, `cancelled`, `deadline` or `budget`.
    pub(crate) cause: &'static str,
    /// The step that ended it.
    pub(crate) at: Option<usize>,
    pub(crate) error: Option<ToolError>,
}

impl Machine<'_> {
    /// Of a run whose unknown calls somebody can be asked about later.
    #[must_use]
    pub(crate) fn asking(mut self, asks: bool) -> Self {
        self.asks = asks;
        self
    }

    /// Of a run whose end is written already: nothing goes forward. With why it was stopped; none where a step ended it.
    #[must_use]
    pub(crate) fn ending(mut self, why: Option<ToolError>) -> Self {
        self.end_record = EndRecord::Written;
        self.ends_with = why;
        self
    }

    /// Of a run in which a process before this one began these calls: whatever ends the chain, what became of them counts.
    #[must_use]
    pub(crate) fn remembering(mut self, began: BTreeSet<Unit>) -> Self {
        self.began = began;
        self
    }

    /// Whether a process before this one began a call of a step.
    pub(super) fn step_began(&self, step: usize) -> bool {
        let part = Part::Whole;
        let from = Unit { step, part };
        let next = self.began.range(from..).next();
        next.is_some_and(|unit| unit.step == step)
    }

    /// Why the chain ends.
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

    /// Whether a step was denied, or cancelled: a call that ran when the chain was cancelled may end before the machine hears of it.
    pub(super) fn is_given_up(end: &Option<Finished>) -> bool {
        let status = end.as_ref().map(|end| end.status);
        matches!(status, Some(StepStatus::Denied | StepStatus::Cancelled))
    }

    /// Whether the chain ends early, so that what was done is undone.
    pub(super) fn ends_early(&self) -> bool {
        self.stopped.is_some()
            || self.stop_at != usize::MAX
            || self.ends.iter().any(Self::is_given_up)
    }

    /// Takes in a call of which it is not known whether it happened.
    pub(super) fn unknown(&mut self, unit: Unit, end: Finished) {
        let step = &self.plan.steps[unit.step];
        let fails_map = match (&step.map, unit.part) {
            (Some(map), Part::Item(_)) => map.on_item_error == OnItemError::Fail,
            _ => true,
        };
        let ends_chain = step.on_error == OnError::FailChain && fails_map;
        // One that a process before this one began may still be what the run goes on with.
        let is_of_this = end
            .error
            .as_ref()
            .is_some_and(|error| !error.is(Reason::OutcomeUnknown));
        if self.asks && !(ends_chain && is_of_this && self.may_be_undone(unit)) {
            self.unknown.insert(unit, end);
        } else {
            self.settle_perhaps(unit, end);
        }
    }

    /// Settles what is not known and can be undone all the same, where the chain ends. Gives whether there was any.
    pub(super) fn settle_unknown(&mut self) -> bool {
        let known = self.unknown.keys().copied();
        let found: Vec<Unit> = known.filter(|&unit| self.may_be_undone(unit)).collect();
        for unit in &found {
            if let Some(end) = self.unknown.remove(unit) {
                self.settle_perhaps(*unit, end);
            }
        }
        !found.is_empty()
    }

    /// Whether undoing a call is right whether it happened or not: what undoes it may be done twice, and needs nothing of it.
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
            self.perhaps.insert(unit);
            end.warnings
                .push("whether it happened is not known: it is undone as if it had".to_owned());
            end.error = end.error.map(ToolError::settled);
        } else {
            end.warnings
                .push("whether it happened is not known".to_owned());
        }
        self.settle_unit(unit, end);
    }
}
