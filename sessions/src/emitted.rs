//! [`Emitted`]: the requests and reports of a session.

use tool_core::{Decode, Describe, Encode, Value};

use super::document::{documents, structs};
use super::tools::{ElsewhereTool, Failure, Missing, OfferedTool, PermittedVerdict, Resource};

documents! {
    /// A request or report of a session.
    Emitted {
        /// The model must answer, with these tools. Emitted after `run.requested` and after every batch.
        GenerateRequested = "generate.requested" {
            /// Number of the run in the session, from 1.
            run: u64,
            /// Number of the turn in the run, from 1.
            turn: u64,
            /// Digest of the registry.
            generation: String,
            /// Digest of the list of tools; calls are judged against this list.
            tools_digest: String,
            /// The tools: those of the profile in its order, then enabled ones by name.
            tools: Vec<OfferedTool>;
            /// Missing facts, with the tools that each alone hides.
            missing: Vec<Missing>,
            /// Tools that run elsewhere, such as those of the provider of the model: no calls of them are sent here.
            elsewhere: Vec<ElsewhereTool>,
            /// Maximum number of turns of the run.
            max_turns: Option<u64>,
        }

        /// The calls of a batch were judged and ordered.
        PlanCreated = "plan.created" {
            /// Number of the batch in the session, from 1.
            batch: u64,
            /// Number of the run.
            run: u64,
            /// Number of the turn.
            turn: u64,
            /// Digest of tools and their contracts, arguments, resources and waves.
            digest: String,
            /// Every call, in call order.
            calls: Vec<PlannedCall>,
            /// Ids of calls by wave: the calls of one wave run in parallel, the waves in sequence.
            waves: Vec<Vec<String>>,
        }

        /// Calls must run in parallel and be settled once each.
        WaveStarted = "wave.started" {
            /// Number of the batch.
            batch: u64,
            /// Number of the wave, from 0.
            wave: usize,
            /// The calls, in call order.
            calls: Vec<StartedCall>,
        }

        /// Every call of a batch has a result.
        BatchSettled = "batch.settled" {
            /// Number of the batch.
            batch: u64,
            /// Number of the run.
            run: u64,
            /// Number of the turn.
            turn: u64,
            /// One result per call that was observed, in call order.
            results: Vec<CallResult>,
            /// Digest of the results.
            digest: String,
        }

        /// The run ended.
        RunEnded = "run.ended" {
            /// Number of the run.
            run: u64,
            /// Its outcome.
            status: RunStatus;
            /// The reason, unless it ended normally.
            reason: Option<String>,
        }
    }
}

structs! {
    /// A judged call.
    PlannedCall {
        /// The caller's id of the call.
        call_id: String,
        /// Canonical id of the tool; for an unknown tool the name that was called.
        tool: String,
        /// `planned` or `rejected`.
        status: CallStatus;
        /// Its wave, from 0.
        wave: Option<usize>,
        /// Whether it needs approval.
        decision: Option<PermittedVerdict>,
        /// The deciding layer.
        layer: Option<String>,
        /// Its resources.
        resources: Vec<Resource>,
        /// Whether it must run alone.
        alone: bool,
        /// The reason for its rejection.
        error: Option<Failure>,
    }

    /// A call to run.
    StartedCall {
        /// The caller's id of the call.
        call_id: String,
        /// Canonical id of the tool.
        tool: String,
        /// Its arguments.
        args: Value,
    }

    /// The one result of a call.
    CallResult {
        /// The caller's id of the call.
        call_id: String,
        /// The tool, as in the plan.
        tool: String,
        /// Its outcome.
        status: CallStatus;
        /// Its output.
        output: Option<Value>,
        /// Its error.
        error: Option<Failure>,
        /// The pending approval request.
        approval_id: Option<String>,
        /// Warnings about the result.
        warnings: Vec<String>,
    }
}

/// The status of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum CallStatus {
    /// It waits for its wave.
    Planned,
    /// It runs.
    Running,
    /// It ended with an output.
    Succeeded,
    /// It ended with an error.
    Failed,
    /// It was refused.
    Rejected,
    /// It was stopped, or did not start.
    Cancelled,
    /// It waits for approval; sent again after a grant, it runs.
    PendingApproval,
}

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum RunStatus {
    /// The model must answer.
    Generating,
    /// Calls of the model are open.
    Calling,
    /// It waits for input.
    Waiting,
    /// It ends when none of its calls is running.
    Interrupting,
    /// Its work is done.
    Completed,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// It was interrupted.
    Interrupted,
}

impl RunStatus {
    /// Whether the run has not ended.
    pub const fn is_active(self) -> bool {
        matches!(
            self,
            Self::Generating | Self::Calling | Self::Waiting | Self::Interrupting
        )
    }
}
