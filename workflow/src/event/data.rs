//! The data of events: one struct for each type.

use tool_core::convert::{from_value, to_value};
use tool_core::{Decode, Describe, Encode, Value};

use super::wire;
use crate::actor::EventTime;
use crate::fault::WorkflowFault;
use crate::names::{
    AgentOutcome, ChainKind, Closing, FeedbackKind, Priority, RequestKind, RequestStatus, TaskKind,
    TaskStatus,
};
use crate::template::{CommandResult, WorkflowStage};

/// Whether a value is the default of its type.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Defines structs; fields after `;` are left out where they have their default value.
macro_rules! structs {
    ($($(#[$meta:meta])* $name:ident {
        $($(#[$doc:meta])* $field:ident: $type:ty),* $(,)?
        $(; $($(#[$optional_doc:meta])* $optional:ident: $optional_type:ty),+ $(,)?)?
    })+) => {$(
        #[derive(Debug, Clone, PartialEq, Encode, Decode)]
        #[value(deny_unknown_fields)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            $($($(#[$optional_doc])*
            #[value(default, skip_encoding_if = "is_default")]
            pub $optional: $optional_type,)+)?
        }
    )+};
}

/// Defines the events: a struct for each, and the enum of them.
macro_rules! events {
    ($($(#[$doc:meta])* $name:ident = $kind:literal { $($fields:tt)* })+) => {
        structs! { $($(#[$doc])* $name { $($fields)* })+ }

        /// What happened.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EventPayload {
            $($(#[$doc])* $name($name)),+
        }

        $(impl From<$name> for EventPayload {
            fn from(data: $name) -> Self {
                Self::$name(data)
            }
        })+

        impl EventPayload {
            /// Every type of event, in the order of the documentation.
            pub const KINDS: &'static [&'static str] = &[$($kind),+];

            /// Its type.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $kind),+
                }
            }

            pub(super) fn to_value(&self) -> Result<Value, WorkflowFault> {
                let value = match self {
                    $(Self::$name(data) => to_value(data)),+
                };
                value.map_err(|error| WorkflowFault::Malformed {
                    path: self.kind().to_owned(),
                    message: error.message().to_owned(),
                })
            }

            pub(super) fn from_parts(kind: &str, data: &Value) -> Result<Self, WorkflowFault> {
                match kind {
                    $($kind => from_value(data).map(Self::$name).map_err(|problem| wire::malformed_event_fault("/data", problem)),)+
                    _ => Err(wire::unknown_event_fault(kind)),
                }
            }
        }
    };
}

events! {
    /// A request was made.
    RequestCreated = "request.created" {
        /// Id of the request.
        request: String,
        /// Its kind.
        kind: RequestKind,
        /// Its title.
        title: String,
        /// The part of the product it is about.
        domain: String;
        /// What is wanted and why, as Markdown.
        content: String,
        /// Its first status; others than `backlog` come from imports and drafts.
        status: RequestStatus,
    }

    /// The work of a request was approved.
    RequestApproved = "request.approved" {
        /// The request.
        request: String,
    }

    /// Changes of a request were requested; the reason of the event says which.
    RequestChangesRequested = "request.changes_requested" {
        /// The request.
        request: String;
        /// Single suggestions.
        suggestions: Vec<String>,
    }

    /// A request was closed.
    RequestClosed = "request.closed" {
        /// The request.
        request: String,
        /// How.
        outcome: Closing,
    }

    /// A chain was added to a request.
    ChainCreated = "chain.created" {
        /// Id of the chain.
        chain: String,
        /// Its request.
        request: String,
        /// Its title.
        title: String;
        /// Its kind.
        kind: ChainKind,
        /// What it is about, as Markdown.
        description: String,
        /// A chain that has to be done before tasks of this one start.
        depends_on: Option<String>,
        /// Patterns of the files it changes.
        file_scope: Vec<String>,
        /// Why it needs no design.
        skip_design: Option<String>,
    }

    /// The work of a chain was approved.
    ChainApproved = "chain.approved" {
        /// The chain.
        chain: String,
    }

    /// Changes of a chain were requested; the reason of the event says which.
    ChainChangesRequested = "chain.changes_requested" {
        /// The chain.
        chain: String;
        /// Single suggestions.
        suggestions: Vec<String>,
    }

    /// A task was added to a chain.
    TaskCreated = "task.created" {
        /// Its chain.
        chain: String,
        /// Its id, unique in the chain.
        task: String,
        /// Its title.
        title: String;
        /// Its kind.
        kind: TaskKind,
        /// Its first status; others than `backlog` and `todo` come from imports.
        status: TaskStatus,
        /// What has to be done.
        brief: Brief,
        /// The task that this one repeats.
        rework_of: Option<String>,
        /// How often it was sent back before an import.
        rework_count: u32,
    }

    /// A task became ready, or went back to the ready ones.
    TaskReadied = "task.readied" {
        /// Its chain.
        chain: String,
        /// The task.
        task: String,
        /// Its status before.
        from: TaskStatus,
        /// Its status now.
        to: TaskStatus,
    }

    /// Work on a task began.
    TaskStarted = "task.started" {
        /// Its chain.
        chain: String,
        /// The task.
        task: String,
        /// Its status before.
        from: TaskStatus,
        /// Its status now.
        to: TaskStatus,
    }

    /// A task was submitted for review.
    TaskSubmitted = "task.submitted" {
        /// Its chain.
        chain: String,
        /// The task.
        task: String,
        /// Its status before.
        from: TaskStatus,
        /// Its status now.
        to: TaskStatus;
        /// What was done.
        summary: Option<String>,
    }

    /// A task was approved.
    TaskApproved = "task.approved" {
        /// Its chain.
        chain: String,
        /// The task.
        task: String,
        /// Its status before.
        from: TaskStatus,
        /// Its status now.
        to: TaskStatus,
    }

    /// A task was sent back; the reason of the event says why.
    TaskChangesRequested = "task.changes_requested" {
        /// Its chain.
        chain: String,
        /// The task.
        task: String,
        /// Its status before.
        from: TaskStatus,
        /// Its status now.
        to: TaskStatus;
        /// Single suggestions.
        suggestions: Vec<String>,
    }

    /// A task cannot continue; the reason of the event says why.
    TaskBlocked = "task.blocked" {
        /// Its chain.
        chain: String,
        /// The task.
        task: String,
        /// Its status before.
        from: TaskStatus,
        /// Its status now.
        to: TaskStatus,
    }

    /// A task can continue.
    TaskUnblocked = "task.unblocked" {
        /// Its chain.
        chain: String,
        /// The task.
        task: String,
        /// Its status before.
        from: TaskStatus,
        /// Its status now.
        to: TaskStatus,
    }

    /// Feedback was given or a question asked.
    FeedbackCreated = "feedback.created" {
        /// Its workflow.
        workflow: String,
        /// Its id, unique in the workflow.
        feedback: String,
        /// Its kind.
        kind: FeedbackKind,
        /// The question or remark.
        content: String,
        /// Its priority.
        priority: Priority;
        /// Whether the workflow is paused until there is an answer.
        blocking: bool,
        /// What helps to answer.
        context: FeedbackContext,
        /// The chain it is about.
        chain: Option<String>,
        /// The task it is about.
        task: Option<String>,
    }

    /// Feedback was read.
    FeedbackAcknowledged = "feedback.acknowledged" {
        /// Its workflow.
        workflow: String,
        /// The feedback.
        feedback: String,
    }

    /// Feedback was answered.
    FeedbackAnswered = "feedback.answered" {
        /// Its workflow.
        workflow: String,
        /// The feedback.
        feedback: String,
        /// The answer.
        content: String;
        /// The label of the option chosen.
        selected_option: Option<String>,
    }

    /// Feedback will not be answered.
    FeedbackDismissed = "feedback.dismissed" {
        /// Its workflow.
        workflow: String,
        /// The feedback.
        feedback: String,
    }

    /// A workflow was started. The event has the stages, so that a later change of the template changes no workflow.
    WorkflowStarted = "workflow.started" {
        /// Id of the workflow.
        workflow: String,
        /// Name of the template.
        template: String,
        /// Its stages.
        stages: Vec<WorkflowStage>;
        /// The request it serves.
        request: Option<String>,
        /// The chain it serves, where it is one only.
        chain: Option<String>,
        /// The first stage; others than 0 come from imports.
        stage: usize,
    }

    /// A workflow went to its next stage.
    WorkflowAdvanced = "workflow.advanced" {
        /// The workflow.
        workflow: String,
        /// The stage before, from 0.
        from: usize,
        /// The stage now.
        to: usize,
    }

    /// A workflow was paused.
    WorkflowPaused = "workflow.paused" {
        /// The workflow.
        workflow: String,
    }

    /// A paused workflow was resumed.
    WorkflowResumed = "workflow.resumed" {
        /// The workflow.
        workflow: String,
    }

    /// A workflow was given up; the reason of the event says why.
    WorkflowDiscarded = "workflow.discarded" {
        /// The workflow.
        workflow: String,
    }

    /// A workflow left its last stage.
    WorkflowCompleted = "workflow.completed" {
        /// The workflow.
        workflow: String;
        /// Whether it was completed in an earlier system, whose gates are not checked again.
        imported: bool,
    }

    /// A gate began to wait for a person: its stage began, or an agent asked for the decision where it opens only then.
    GateOpened = "gate.opened" {
        /// The workflow.
        workflow: String,
        /// The stage, from 0.
        stage: usize,
    }

    /// The condition of a gate is met.
    GateSatisfied = "gate.satisfied" {
        /// The workflow.
        workflow: String,
        /// The stage, from 0.
        stage: usize;
        /// The label of the option chosen.
        option: Option<String>,
        /// What the commands of the gate returned.
        results: Vec<CommandResult>,
    }

    /// A chain locked files.
    LockAcquired = "lock.acquired" {
        /// The chain.
        chain: String,
        /// Patterns of the files.
        patterns: Vec<String>,
        /// When the lock ends by itself.
        expires: EventTime,
    }

    /// A chain released its files.
    LockReleased = "lock.released" {
        /// The chain.
        chain: String,
    }

    /// An agent was started.
    AgentSpawned = "agent.spawned" {
        /// Id of the agent.
        agent: String,
        /// Its role.
        role: String;
        /// The agent that started it.
        parent: Option<String>,
        /// The chain it works on.
        chain: Option<String>,
        /// The task it works on.
        task: Option<String>,
    }

    /// An agent ended.
    AgentEnded = "agent.ended" {
        /// The agent.
        agent: String,
        /// How.
        outcome: AgentOutcome;
        /// Why it failed, in a word such as `timeout`.
        category: Option<String>,
        /// What happened, for a reader.
        message: String,
        /// The exit code of its process.
        exit: Option<i32>,
        /// Its turns, where they are known.
        turns: Option<u64>,
        /// Its cost, where it is known.
        cost_usd: Option<f64>,
        /// Its duration, in milliseconds.
        elapsed_ms: u64,
        /// The beginning of its answer.
        answer: String,
    }
}

structs! {
    /// What has to be done in a task.
    #[derive(Default, Describe)]
    Brief {
        ;
        /// What is to be reached, as Markdown.
        objective: String,
        /// Files that will be touched.
        expected_files: Vec<String>,
        /// Patterns of files that may be changed.
        file_scope: Vec<String>,
        /// Conditions of acceptance.
        acceptance: Vec<String>,
        /// Constraints.
        constraints: Vec<String>,
        /// Notes, as Markdown.
        notes: String,
    }

    /// What helps to answer feedback.
    #[derive(Default)]
    FeedbackContext {
        ;
        /// An explanation.
        notes: String,
        /// Files.
        files: Vec<String>,
        /// Parts of files.
        code_snippets: Vec<CodeSnippet>,
        /// Possible answers.
        options: Vec<FeedbackOption>,
        /// Anything else: an object, or nothing.
        metadata: Value,
    }

    /// A part of a file.
    #[derive(Describe)]
    #[value(rename_all = "camelCase")]
    CodeSnippet {
        /// The file.
        file: String,
        /// First line, from 1.
        start_line: u32,
        /// Last line.
        end_line: u32,
        /// Its text.
        content: String,
    }

    /// A possible answer.
    #[derive(Describe)]
    FeedbackOption {
        /// Short name of the option.
        label: String;
        /// What it means.
        description: String,
        /// Whether the author recommends it.
        recommended: bool,
    }
}
