//! [`Transition`]: a row of the table of transitions, and what the table answers.

use super::TRANSITIONS;
use crate::names::{AgentOutcome, FeedbackStatus, TaskStatus, WorkflowStatus};

/// How far the decisions about a request or a chain are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewPhase {
    /// No decision yet.
    Open,
    /// The last decision requested changes.
    ChangesRequested,
    /// The last decision approved it.
    Approved,
    /// The request is closed.
    Closed,
}

/// How far the gate of a workflow's current stage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GatePhase {
    /// It waits for no person yet.
    Shut,
    /// It waits for a person.
    Waiting,
    /// Its condition is met.
    Satisfied,
}

/// An item as the rules distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemPhase {
    /// There is no such item.
    Absent,
    /// A request.
    Request(ReviewPhase),
    /// A chain.
    Chain(ReviewPhase),
    /// A task.
    Task(TaskStatus),
    /// Feedback in a workflow.
    Feedback(FeedbackStatus),
    /// A workflow; an unanswered question that blocks pauses it.
    Workflow(WorkflowStatus),
    /// The gate of the current stage.
    Gate(GatePhase),
    /// A lock that holds.
    LockHeld,
    /// An agent at work.
    AgentRunning,
    /// An agent that ended.
    AgentEnded(AgentOutcome),
}

/// That a command leads an item from one phase to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// The phase before.
    pub from: ItemPhase,
    /// Id of the command, as [`super::Command::ID`].
    pub command: &'static str,
    /// The phase after.
    pub to: ItemPhase,
}

/// Whether the table has a transition.
pub fn has_transition(from: ItemPhase, command: &str, to: ItemPhase) -> bool {
    TRANSITIONS
        .iter()
        .any(|row| row.from == from && row.command == command && row.to == to)
}

/// The phases that may follow one, in the order of the table.
pub fn next_phases(from: ItemPhase) -> impl Iterator<Item = ItemPhase> {
    TRANSITIONS
        .iter()
        .filter(move |row| row.from == from)
        .map(|row| row.to)
}

/// The statuses of tasks that may follow one, in the order of the table.
pub fn next_task_statuses(from: TaskStatus) -> Vec<TaskStatus> {
    next_phases(ItemPhase::Task(from))
        .filter_map(|phase| match phase {
            ItemPhase::Task(status) => Some(status),
            _ => None,
        })
        .collect()
}
