//! [`Event`]: the input of a session.

use tool_core::{Decode, Describe, Encode, Value};

use super::document::{documents, structs};
use super::tools::Failure;

documents! {
    /// An event of a session.
    Event {
        /// The session begins, with its principal and the facts of the door. The first event; the door writes it, not the caller.
        SessionOpened = "session.opened" {
            /// Name of the session.
            session: String,
            /// Role of its calls.
            role: String;
            /// Agent of its calls.
            agent: Option<String>,
            /// Phase of its calls.
            phase: Option<String>,
            /// Kind of task of its calls.
            task: Option<String>,
            /// Toolset that its calls start from, instead of what phase, agent or role select.
            toolset: Option<String>,
            /// Initial provider profile.
            profile: Option<String>,
            /// Facts of this door, such as `session=open`; none about the workspace, which is not open yet.
            facts: Vec<String>,
        }

        /// The registry was read again: configuration, plugins, tools. An invalid one refuses the event.
        RegistrySet = "registry.set" {
            ;
            /// Expected digest of the registry; a different one refuses the event.
            generation: Option<String>,
        }

        /// A provider profile was chosen for the next turns and for calls that start later.
        ProfileSelected = "profile.selected" {
            ;
            /// Name of the profile; none removes it.
            profile: Option<String>,
        }

        /// The overrides of a scope were replaced. Disabled tools stay disabled, forced or not.
        OverridesSet = "overrides.set" {
            /// Scope of the overrides.
            scope: OverrideScope;
            /// Additional tools.
            enable: Vec<String>,
            /// Removed tools.
            disable: Vec<String>,
            /// As `enable`.
            force: Vec<String>,
        }

        /// Contexts were switched on or off, effective from the next turn and for calls that start later.
        FactsSet = "facts.set" {
            ;
            /// Whether changes are forbidden.
            read_only: Option<bool>,
            /// Whether network access is forbidden.
            no_web: Option<bool>,
        }

        /// The workspace was opened or closed. Tools that need it appear and disappear with the next turn; calls that would start without it
        /// are rejected.
        WorkspaceChanged = "workspace.changed" {
            /// Id of this opening of the workspace.
            id: String,
            /// Its new status.
            status: WorkspaceStatus;
            /// The open folder, relative to the workspace root; the root by default.
            path: Option<String>,
            /// Id of the causing call.
            cause: Option<String>,
        }

        /// A run begins: `generate.requested` follows.
        RunRequested = "run.requested" {
            ;
            /// The caller's name of the run.
            run: Option<String>,
        }

        /// The conversation was extended. A waiting run continues with a turn; a busy one handles it later.
        InputAppended = "input.appended" {}

        /// The model answered with calls. Each is judged and gets exactly one result.
        CallsObserved = "calls.observed" {
            /// The calls, in the model's order; at least one.
            calls: Vec<ObservedCall>;
            /// The turn they answer; a different current turn refuses the event.
            turn: Option<u64>,
        }

        /// A call ended. Refused for a call that is not running.
        CallSettled = "call.settled" {
            /// Id of the call.
            call_id: String,
            /// Its outcome.
            status: CallSettlement;
            /// Its output, for a successful call only.
            output: Option<Value>,
            /// The error of a failed or cancelled call.
            error: Option<Failure>,
            /// The approval request; once it is granted, the same call, sent again, runs.
            approval_id: Option<String>,
            /// Warnings about the result.
            warnings: Vec<String>,
        }

        /// The model answered without calls. The run continues with input appended meanwhile, or waits for some.
        TurnEnded = "turn.ended" {}

        /// The run was interrupted: no more of its calls start, unstarted ones are cancelled, and it ends when none is running.
        RunInterrupted = "run.interrupted" {}

        /// The caller ends the run. Refused while calls of it are open.
        RunFinished = "run.finished" {
            /// Its outcome.
            status: RunFinish;
            /// The reason, as text.
            reason: Option<String>,
        }

        /// No turn or wave starts until the session is resumed; running calls may be settled.
        SessionPaused = "session.paused" {}

        /// Turns and waves that were held back start now.
        SessionResumed = "session.resumed" {}

        /// The session ends. Open calls are cancelled, each with a result; further events are refused.
        SessionClosed = "session.closed" {}
    }
}

structs! {
    /// One call of the model.
    ObservedCall {
        /// The caller's id of the call; unique in its batch.
        call_id: String,
        /// The tool, by either of its names.
        tool: String,
        /// Its arguments: an object, or the JSON text of one.
        #[value(default)]
        args: Value,
    }
}

/// The scope of overrides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum OverrideScope {
    /// The whole session.
    Session,
    /// The active run.
    Run,
}

/// The status of a workspace that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum WorkspaceStatus {
    /// Open.
    Ready,
    /// Closed on purpose.
    Closed,
    /// Its time expired.
    Expired,
    /// It failed.
    Error,
}

/// The outcome of a call that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum CallSettlement {
    /// With an output.
    Succeeded,
    /// With an error.
    Failed,
    /// It was stopped.
    Cancelled,
    /// It waits for approval; sent again after a grant, it runs.
    PendingApproval,
}

/// The outcome of a run, according to its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum RunFinish {
    /// Its work is done.
    Completed,
    /// It cannot be done.
    Failed,
    /// It is not wanted any more.
    Cancelled,
}
