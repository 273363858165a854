//! Events and commands of the machine.

use tool_core::{ResourceKey, ToolError};

use super::finished::StepOutcome;
use crate::check::{CheckedPlan, CheckedStep};

/// One call: a step, an element of a map, or what undoes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallUnit {
    /// Position of the step in the plan.
    pub step: usize,
    /// Which call of the step.
    pub part: CallPart,
}

impl CallUnit {
    /// The only call of a step.
    pub(super) const fn whole(step: usize) -> Self {
        let part = CallPart::Whole;
        Self { step, part }
    }

    /// The call for an element of the map of a step.
    pub(super) const fn item(step: usize, index: usize) -> Self {
        let part = CallPart::Item(index);
        Self { step, part }
    }
}

/// Which call of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum CallPart {
    Whole,
    /// For an element of the map.
    Item(usize),
    Undo,
    /// The compensation of an element of the map.
    UndoItem(usize),
}

impl CallPart {
    pub(crate) fn item(self) -> Option<usize> {
        match self {
            Self::Item(index) | Self::UndoItem(index) => Some(index),
            Self::Whole | Self::Undo => None,
        }
    }

    /// Whether it is a compensation.
    pub(crate) fn undoes(self) -> bool {
        matches!(self, Self::Undo | Self::UndoItem(_))
    }
}

/// One attempt of a call.
#[derive(Clone, Copy)]
pub(super) struct CallAttempt<'a> {
    pub(super) plan: &'a CheckedPlan,
    /// The step, or the call that undoes it.
    pub(super) step: &'a CheckedStep,
    pub(super) unit: CallUnit,
    /// Its number, from 1.
    pub(super) number: u32,
}

#[derive(Debug)]
pub(crate) enum RunEvent {
    /// A call ended.
    Ended {
        unit: CallUnit,
        end: Box<StepOutcome>,
        /// Milliseconds that are left of the step's deadline.
        left_ms: Option<u64>,
    },
    /// The resources of the calls of a map are known.
    Keyed {
        step: usize,
        keys: Vec<Vec<ResourceKey>>,
    },
    /// A wait is over.
    Woke(CallUnit),
    /// Nothing new may start, and completed steps are undone.
    Stop(ToolError),
    /// The end of the run is recorded.
    EndWritten,
    /// The process ends: nothing new may start, and nothing is undone.
    Halt,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MachineCommand {
    /// Make a call; the number of the attempt, from 1.
    Start(CallUnit, u32),
    /// Determine the resources of the calls of a map: one list of keys per element.
    Key(usize),
    /// Wait so many milliseconds before the call is made again.
    Sleep(CallUnit, u64),
    /// A step has ended, or will not run.
    Settled(usize),
    /// Record the end of the run and its reason: nothing is undone before.
    WriteEnd,
}

/// State of a run when nothing is in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunConclusion {
    /// Every step has ended.
    Finished,
    /// Steps await approval.
    Suspended,
    /// The outcome of a call with effects is unknown, and the operator must decide.
    NeedsDecision,
    /// The process ends before the run.
    Interrupted,
}

/// Number of calls that run in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallSlots {
    /// Calls that compute.
    pub compute: usize,
    /// Calls that wait for files, programs or the network; `None` where they share the slots of the others.
    pub waiting: Option<usize>,
    /// Calls that an engine computes elsewhere; `None` without an engine.
    pub elsewhere: Option<usize>,
}

impl CallSlots {
    /// Number of threads that make calls, at most.
    pub(super) fn threads(self) -> usize {
        self.compute + self.waiting.unwrap_or(0) + self.elsewhere.unwrap_or(0)
    }
}
