//! What the machine is told and what it commands.

use tool_core::{ResourceKey, ToolError};

use super::finished::Finished;

/// One call: a step, an element of a map, or what undoes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Unit {
    /// Position of the step in the plan.
    pub step: usize,
    /// Which of its calls.
    pub part: Part,
}

/// Which call of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The only one.
    Whole,
    /// That for an element of the map.
    Item(usize),
    /// That which undoes it.
    Undo,
    /// That which undoes an element of the map.
    UndoItem(usize),
}

impl Part {
    /// The element it is about.
    pub fn item(self) -> Option<usize> {
        match self {
            Self::Item(index) | Self::UndoItem(index) => Some(index),
            Self::Whole | Self::Undo => None,
        }
    }

    /// Whether it undoes what was done.
    pub fn undoes(self) -> bool {
        matches!(self, Self::Undo | Self::UndoItem(_))
    }
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A call ended.
    Ended {
        /// Which.
        unit: Unit,
        /// How.
        end: Box<Finished>,
        /// Milliseconds that are left of the step's deadline.
        left_ms: Option<u64>,
    },
    /// The resources of a map's calls are known.
    Keyed {
        /// The step.
        step: usize,
        /// What each call uses.
        keys: Vec<Vec<ResourceKey>>,
    },
    /// A wait is over.
    Woke(Unit),
    /// Nothing more is to start, and what was done is undone.
    Stop(ToolError),
    /// That the chain ends, and why, is written.
    EndWritten,
    /// The process is to end: nothing more is to start, and nothing is undone.
    Halt,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Make a call; the number of the attempt, from 1.
    Start(Unit, u32),
    /// Find out what the calls of a map use: one list of keys per element.
    Key(usize),
    /// Wait so many milliseconds before the call is made again.
    Sleep(Unit, u64),
    /// A step has ended, or will not run.
    Settled(usize),
    /// Write that the chain ends, and why: before that nothing is undone.
    WriteEnd,
}

/// Where a run stands when nothing of it is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conclusion {
    /// Every step has ended.
    Finished,
    /// Steps wait for a person.
    Suspended,
    /// The outcome of a call with effects is not known, and a person must say.
    NeedsDecision,
    /// The process is to end before the run has.
    Interrupted,
}

/// How many calls run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    /// Calls that compute.
    pub compute: usize,
    /// Calls that wait for the world; `None` where they share the others' slots.
    pub waiting: Option<usize>,
}
