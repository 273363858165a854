//! Commands: a file for each, with its arguments, its event (when it may follow a state, and what it changes), who may give it, its tool
//! and an example. A refused command writes nothing.
//!
//! This file is the list of them, and the table of transitions. A new command is a file, a `mod` line, a row of the list, and a row of the
//! table for each phase that it leads an item to. Nothing here does I/O or knows a clock.

mod agent_end;
mod agent_spawn;
#[cfg(test)]
pub(crate) mod case;
mod chain_approve;
mod chain_create;
mod chain_request_changes;
pub(crate) mod command;
mod feedback_acknowledge;
mod feedback_create;
mod feedback_dismiss;
mod feedback_respond;
mod gate_satisfy;
mod lock_acquire;
mod lock_release;
mod ownership;
mod request_approval;
mod request_approve;
mod request_close;
mod request_create;
mod request_request_changes;
mod task_approve;
mod task_block;
mod task_create;
mod task_ready;
mod task_request_changes;
mod task_start;
mod task_submit;
mod task_unblock;
mod text;
pub mod transition;
mod workflow_advance;
mod workflow_discard;
mod workflow_pause;
mod workflow_resume;
mod workflow_start;

use self::transition::GatePhase::{Satisfied, Shut, Waiting};
use self::transition::ItemPhase::{
    Absent, AgentEnded as AgentDone, AgentRunning, Chain, Feedback, Gate, LockHeld, Request, Task,
    Workflow,
};
use self::transition::ReviewPhase::{Approved, ChangesRequested, Closed, Open};
use self::transition::Transition;
use crate::names::AgentOutcome::{Cancelled, Completed, Failed};
use crate::names::FeedbackStatus::{Acknowledged, Dismissed, Pending, Resolved};
use crate::names::TaskStatus::{Backlog, Blocked, Done, InProgress, InReview, Todo};
use crate::names::WorkflowStatus::{self, Active, Discarded, Paused};

/// Calls a macro with the list: of each file its command and its event, in the order of the documentation of tools and of events.
///
/// A `transition` is a command whose tool does nothing but decide it and write its event. A `command` has another tool (`tool`: the type of
/// its arguments here, run in `crate::tools`) or none. `other` tools of this family read, and have their file in `crate::tools`.
macro_rules! with_commands {
    ($expand:ident) => {
        $expand! {
            request_create: transition RequestCreate => RequestCreated;
            request_approve: transition RequestApprove => RequestApproved;
            request_request_changes: transition RequestRequestChanges => RequestChangesRequested;
            request_close: transition RequestClose => RequestClosed;
            reads: other RequestList;
            chain_create: transition ChainCreate => ChainCreated;
            chain_approve: transition ChainApprove => ChainApproved;
            chain_request_changes: transition ChainRequestChanges => ChainChangesRequested;
            reads: other ChainStatusArgs;
            reads: other ChainList;
            reads: other ChainSummary;
            task_create: transition TaskCreate => TaskCreated;
            task_ready: transition TaskReady => TaskReadied;
            task_start: transition TaskStart => TaskStarted;
            task_submit: transition TaskSubmit => TaskSubmitted;
            task_approve: transition TaskApprove => TaskApproved;
            task_request_changes: transition TaskRequestChanges => TaskChangesRequested;
            task_block: transition TaskBlock => TaskBlocked;
            task_unblock: transition TaskUnblock => TaskUnblocked;
            reads: other TaskStatusArgs;
            reads: other TaskList;
            feedback_create: transition FeedbackCreate => FeedbackCreated;
            feedback_acknowledge: command FeedbackAcknowledge => FeedbackAcknowledged;
            feedback_respond: transition FeedbackRespond => FeedbackAnswered;
            feedback_dismiss: command FeedbackDismiss => FeedbackDismissed tool FeedbackDismiss;
            reads: other FeedbackList;
            workflow_start: command TemplateStart => WorkflowStarted tool WorkflowStart;
            workflow_advance: command WorkflowAdvance => WorkflowAdvanced tool WorkflowAdvanceArgs;
            workflow_pause: transition WorkflowPause => WorkflowPaused;
            workflow_resume: transition WorkflowResume => WorkflowResumed;
            workflow_discard: transition WorkflowDiscard => WorkflowDiscarded;
            workflow_advance: => WorkflowCompleted;
            reads: other WorkflowStatusArgs;
            request_approval: transition RequestApproval => GateOpened;
            gate_satisfy: command GateSatisfy => GateSatisfied tool GateSatisfy;
            lock_acquire: transition LockAcquire => LockAcquired;
            lock_release: transition LockRelease => LockReleased;
            reads: other LockStatus;
            governance: other GovernanceCheck;
            agent_spawn: command AgentSpawn => AgentSpawned;
            agent_end: command AgentEnd => AgentEnded;
            spawn: other SpawnAgent;
            spawn: other SpawnImplSession;
        }
    };
}
pub(crate) use with_commands;

/// Defines [`TRANSITIONS`].
macro_rules! define_transitions {
    ($($from:expr, $command:literal => $to:expr;)+) => {
        /// What commands make of items: a state, a command, the state after it. Tasks and feedback move by this table alone; for the others
        /// it says what their files decide, and tests hold every command to it. The order is that in which messages list what may follow.
        pub const TRANSITIONS: &[Transition] = &[$(
            Transition { from: $from, command: $command, to: $to },
        )+];
    };
}

define_transitions! {
    Absent,                      "request:create"           => Request(Open);
    Request(Open),               "request:approve"          => Request(Approved);
    Request(Open),               "request:request_changes"  => Request(ChangesRequested);
    Request(Open),               "request:close"            => Request(Closed);
    Request(ChangesRequested),   "request:approve"          => Request(Approved);
    Request(ChangesRequested),   "request:request_changes"  => Request(ChangesRequested);
    Request(ChangesRequested),   "request:close"            => Request(Closed);
    Request(Approved),           "request:request_changes"  => Request(ChangesRequested);
    Request(Approved),           "request:close"            => Request(Closed);

    Absent,                      "chain:create"             => Chain(Open);
    Chain(Open),                 "chain:approve"            => Chain(Approved);
    Chain(Open),                 "chain:request_changes"    => Chain(ChangesRequested);
    Chain(ChangesRequested),     "chain:approve"            => Chain(Approved);
    Chain(ChangesRequested),     "chain:request_changes"    => Chain(ChangesRequested);
    Chain(Approved),             "chain:request_changes"    => Chain(ChangesRequested);

    Absent,                      "task:create"              => Task(Backlog);
    Absent,                      "task:create"              => Task(Todo);
    Task(Backlog),               "task:ready"               => Task(Todo);
    Task(Backlog),               "task:block"               => Task(Blocked);
    Task(Todo),                  "task:start"               => Task(InProgress);
    Task(Todo),                  "task:block"               => Task(Blocked);
    Task(InProgress),            "task:submit"              => Task(InReview);
    Task(InProgress),            "task:block"               => Task(Blocked);
    Task(InProgress),            "task:ready"               => Task(Todo);
    Task(InReview),              "task:approve"             => Task(Done);
    Task(InReview),              "task:request_changes"     => Task(InProgress);
    Task(InReview),              "task:block"               => Task(Blocked);
    Task(Blocked),               "task:unblock"             => Task(Todo);
    Task(Blocked),               "task:unblock"             => Task(Backlog);

    Absent,                      "feedback:create"          => Feedback(Pending);
    Feedback(Pending),           "feedback:acknowledge"     => Feedback(Acknowledged);
    Feedback(Pending),           "feedback:respond"         => Feedback(Resolved);
    Feedback(Pending),           "feedback:dismiss"         => Feedback(Dismissed);
    Feedback(Acknowledged),      "feedback:respond"         => Feedback(Resolved);
    Feedback(Acknowledged),      "feedback:dismiss"         => Feedback(Dismissed);

    Absent,                      "workflow:start"           => Workflow(Active);
    Workflow(Active),            "workflow:advance"         => Workflow(Active);
    Workflow(Active),            "workflow:advance"         => Workflow(WorkflowStatus::Completed);
    Workflow(Active),            "workflow:pause"           => Workflow(Paused);
    Workflow(Active),            "workflow:discard"         => Workflow(Discarded);
    Workflow(Active),            "gate:satisfy"             => Workflow(Discarded);
    Workflow(Active),            "feedback:create"          => Workflow(Paused);
    // A question that blocks pauses as well: both have to end.
    Workflow(Paused),            "workflow:pause"           => Workflow(Paused);
    Workflow(Paused),            "workflow:resume"          => Workflow(Paused);
    Workflow(Paused),            "workflow:resume"          => Workflow(Active);
    Workflow(Paused),            "workflow:discard"         => Workflow(Discarded);
    Workflow(Paused),            "feedback:respond"         => Workflow(Active);
    Workflow(Paused),            "feedback:dismiss"         => Workflow(Active);

    Gate(Shut),                  "workflow:start"           => Gate(Waiting);
    Gate(Shut),                  "workflow:advance"         => Gate(Waiting);
    Gate(Shut),                  "workflow:advance"         => Gate(Satisfied);
    Gate(Shut),                  "request_approval"         => Gate(Waiting);
    Gate(Waiting),               "gate:satisfy"             => Gate(Satisfied);

    Absent,                      "lock:acquire"             => LockHeld;
    LockHeld,                    "lock:acquire"             => LockHeld;
    LockHeld,                    "lock:release"             => Absent;

    Absent,                      "spawn_agent"              => AgentRunning;
    AgentRunning,                "agent:end"                => AgentDone(Completed);
    AgentRunning,                "agent:end"                => AgentDone(Failed);
    AgentRunning,                "agent:end"                => AgentDone(Cancelled);
}

/// Hands on the types of each file.
macro_rules! hand_on {
    ($($module:ident:
        $(transition $transition:ident)? $(command $command:ident)? $(=> $event:ident)? $(tool $tool:ident)? $(other $other:ident)?;
    )+) => {
        $(
            $(pub use self::$module::$transition;)?
            $(pub use self::$module::$command;)?
            $(pub use self::$module::$event;)?
        )+
    };
}
with_commands!(hand_on);

pub use self::command::{Command, DecisionResult, DraftResult, EventDraft};
pub use self::feedback_create::ContextArgs;
pub use self::workflow_advance::WorkflowAdvanceArgs;
pub use self::workflow_start::WorkflowStart;
