//! [`Event`]: what happens to a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::Value;

use super::document::documents;
use super::tools::Failure;

documents! {
    /// What happens to a session.
    Event {
        /// The session begins.
        SessionOpened = "session.opened",
        /// The registry was read again.
        RegistrySet = "registry.set",
        /// A provider profile was chosen.
        ProfileSelected = "profile.selected",
        /// The overrides of a scope were set.
        OverridesSet = "overrides.set",
        /// Contexts were switched on or off.
        FactsSet = "facts.set",
        /// The workspace was opened, or is gone.
        WorkspaceChanged = "workspace.changed",
        /// A run begins.
        RunRequested = "run.requested",
        /// Something was added to the conversation.
        InputAppended = "input.appended",
        /// The model answered with calls.
        CallsObserved = "calls.observed",
        /// A call ended.
        CallSettled = "call.settled",
        /// The model answered without calls.
        TurnEnded = "turn.ended",
        /// The run shall stop.
        RunInterrupted = "run.interrupted",
        /// The run is over.
        RunFinished = "run.finished",
        /// Nothing new starts for a while.
        SessionPaused = "session.paused",
        /// Things start again.
        SessionResumed = "session.resumed",
        /// The session is over.
        SessionClosed = "session.closed",
    }
}

/// The session begins: who calls in it, and what holds at the door. The first event; the door writes it, not the caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionOpened {
    /// Names the session.
    pub session: String,
    /// Role of its calls.
    pub role: String,
    /// Agent of its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Phase of its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Kind of task of its calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Toolset that its calls start from, instead of what phase, agent or role select.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolset: Option<String>,
    /// Provider profile it starts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Facts that hold at this door, such as `session=open`; not about the workspace, which is not open yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
}

/// The registry was read again: configuration, plugins, tools. What is wrong with it refuses the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegistrySet {
    /// Its digest; where given, another one refuses the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
}

/// A provider profile was chosen: the next turns are offered by it, and what starts after it is judged by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileSelected {
    /// Its name; none takes the profile away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// The overrides of a scope were set; they take the place of what the scope had. What is disabled stays so, forced or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverridesSet {
    /// What they are about.
    pub scope: Scope,
    /// Tools beside the selected ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enable: Vec<String>,
    /// Tools taken away.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disable: Vec<String>,
    /// As `enable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<String>,
}

/// What overrides are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The whole session.
    Session,
    /// The run that is active.
    Run,
}

/// Contexts were switched on or off; they hold from the next turn on, and for calls that start after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactsSet {
    /// Whether nothing may be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Whether the network may not be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_web: Option<bool>,
}

/// The workspace was opened, or is gone. Tools that need it come and go with the next turn; calls that would start without it are
/// rejected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceChanged {
    /// Names this opening of the workspace.
    pub id: String,
    /// How it stands.
    pub status: WorkspaceStatus,
    /// The folder that is open, relative to the workspace root; the root where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The call that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// How a workspace that was opened stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceStatus {
    /// Open.
    Ready,
    /// Closed on purpose.
    Closed,
    /// Its time ran out.
    Expired,
    /// It broke.
    Error,
}

/// A run begins: `generate.requested` follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRequested {
    /// Names the run for the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// Something was added to the conversation. A run that waits goes on with a turn; one that is busy takes it in later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputAppended {}

/// The model answered with calls. Each is judged and gets exactly one result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallsObserved {
    /// The calls, in the model's order; at least one.
    pub calls: Vec<ObservedCall>,
    /// The turn they answer; where given, another one refuses the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
}

/// One call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObservedCall {
    /// The caller's id of the call; unique in its batch.
    pub call_id: String,
    /// The tool, by either of its names.
    pub tool: String,
    /// Its arguments, an object.
    #[serde(default)]
    pub args: Value,
}

/// A call ended. Refused for a call that is not running: one the plan did not start, or that is settled already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallSettled {
    /// The call.
    pub call_id: String,
    /// How it ended.
    pub status: Settled,
    /// What it gave; of a call that succeeded only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Why it failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// What a person must approve before the same call, sent again, runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// What the reader of the result must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// How a call that ran ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// With an output.
    Succeeded,
    /// With an error.
    Failed,
    /// It was stopped.
    Cancelled,
    /// It waits for a person; sent again after the approval it runs.
    PendingApproval,
}

/// The model answered without calls. The run goes on with input that was appended meanwhile, else it waits for some.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnEnded {}

/// The run shall stop: nothing of it starts any more, and it ends when nothing of it runs. What did not start is cancelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunInterrupted {}

/// The run is over, as its caller says. Refused while calls of it are open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunFinished {
    /// How it ended.
    pub status: Finish,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How a caller ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// Its work is done.
    Completed,
    /// It cannot be done.
    Failed,
    /// It is not wanted any more.
    Cancelled,
}

/// Nothing new starts until the session is resumed; what runs may be settled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionPaused {}

/// What was held back while the session was paused starts now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionResumed {}

/// The session is over. Open calls are cancelled, each with its result; no event is taken after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionClosed {}
