//! [`Emitted`]: what a session asks its surroundings for, and what it tells them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::Value;

use super::document::documents;
use super::tools::{Decided, Failure, Missing, OfferedTool, Resource};

documents! {
    /// What a session asks for and tells.
    Emitted {
        /// The model is to answer.
        GenerateRequested = "generate.requested",
        /// The calls of a batch were judged and put in order.
        PlanCreated = "plan.created",
        /// Calls are to run.
        WaveStarted = "wave.started",
        /// Every call of a batch has its result.
        BatchSettled = "batch.settled",
        /// The run is over.
        RunEnded = "run.ended",
    }
}

/// The model is to answer, with these tools. Emitted after `run.requested` and after every batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateRequested {
    /// Number of the run in the session, from 1.
    pub run: u64,
    /// Number of the turn in the run, from 1.
    pub turn: u64,
    /// Digest of the registry.
    pub generation: String,
    /// Digest of the list of tools; calls are judged against this list.
    pub tools_digest: String,
    /// The tools: the profile's first, in its order, those that were enabled last, by name.
    pub tools: Vec<OfferedTool>,
    /// Facts that do not hold, and the tools that each alone hides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

/// The calls of a batch were judged and put in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanCreated {
    /// Number of the batch in the session, from 1.
    pub batch: u64,
    /// Number of the run.
    pub run: u64,
    /// Number of the turn.
    pub turn: u64,
    /// Digest of tools and their contracts, arguments, resources and waves.
    pub digest: String,
    /// Every call, in call order.
    pub calls: Vec<PlannedCall>,
    /// Ids of calls by wave: those of one wave run at the same time, the waves one after the other.
    pub waves: Vec<Vec<String>>,
}

/// A call as it was judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedCall {
    /// The caller's id of the call.
    pub call_id: String,
    /// The tool: its canonical id, or the name that was called where there is no such tool.
    pub tool: String,
    /// `planned` or `rejected`.
    pub status: CallStatus,
    /// Its wave, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wave: Option<usize>,
    /// Whether a person is asked before it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decided>,
    /// The layer that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// What it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
    /// Whether nothing may run beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Why it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It waits for its wave.
    Planned,
    /// It runs.
    Running,
    /// It ended with an output.
    Succeeded,
    /// It ended with an error.
    Failed,
    /// It may not run.
    Rejected,
    /// It was stopped, or never started.
    Cancelled,
    /// It waits for a person; sent again after the approval it runs.
    PendingApproval,
}

/// Calls are to run, all at the same time, and to be settled, each once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaveStarted {
    /// Number of the batch.
    pub batch: u64,
    /// Number of the wave, from 0.
    pub wave: usize,
    /// The calls, in call order.
    pub calls: Vec<StartedCall>,
}

/// A call that is to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartedCall {
    /// The caller's id of the call.
    pub call_id: String,
    /// Canonical id of the tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
}

/// Every call of a batch has its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchSettled {
    /// Number of the batch.
    pub batch: u64,
    /// Number of the run.
    pub run: u64,
    /// Number of the turn.
    pub turn: u64,
    /// One result per call that was observed, in call order.
    pub results: Vec<CallResult>,
    /// Digest of the results.
    pub digest: String,
}

/// The one result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallResult {
    /// The caller's id of the call.
    pub call_id: String,
    /// The tool, as in the plan.
    pub tool: String,
    /// How it ended.
    pub status: CallStatus,
    /// What it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Why it gave nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// What a person must approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// What the reader of the result must know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The run is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunEnded {
    /// Number of the run.
    pub run: u64,
    /// How it ended.
    pub status: RunStatus,
    /// Why, where it did not end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The model is to answer.
    Generating,
    /// Calls of the model are open.
    Calling,
    /// It waits for input.
    Waiting,
    /// It stops when nothing of it runs any more.
    Interrupting,
    /// Its work is done.
    Completed,
    /// It could not be done.
    Failed,
    /// It was not wanted any more.
    Cancelled,
    /// It was interrupted.
    Interrupted,
}

impl RunStatus {
    /// Whether something of it may still happen.
    pub const fn is_active(self) -> bool {
        matches!(
            self,
            Self::Generating | Self::Calling | Self::Waiting | Self::Interrupting
        )
    }
}
