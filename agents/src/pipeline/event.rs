//! [`PhaseEvent`]: what happened in a pipeline, as the journal records it.

use tool_core::{Decode, Encode, names};

use super::PhaseSetup;

names! {
    /// Why an agent failed.
    Category {
        /// The provider of its model refused more requests.
        RateLimit = "rate_limit",
        /// Its program does not exist.
        BinaryNotFound = "binary_not_found",
        /// It ended with another status than 0.
        NonzeroExit = "nonzero_exit",
        /// It ended without an answer.
        EmptyOutput = "empty_output",
        /// It reported an error, or its output could not be read.
        StreamError = "stream_error",
        /// It was silent for too long.
        StallTimeout = "stall_timeout",
        /// It ran for too long.
        Timeout = "timeout",
        /// It was stopped, or not started, because of another agent or the user.
        Cancelled = "cancelled",
        /// The system could not start it, or not in its sandbox.
        OsError = "os_error",
        /// It exceeded its turns, or the cost of its phase or of the pipeline.
        Limit = "limit",
        /// It left a file in the workspace that only people write.
        ProtectedPath = "protected_path",
        /// The process that ran the pipeline ended first: what the agent did is not known.
        Unknown = "unknown",
    }

    /// How a phase ended.
    PhaseStatus {
        /// Every agent succeeded.
        Done = "done",
        /// Enough agents succeeded.
        Partial = "partial",
        /// It did not run.
        Skipped = "skipped",
        /// Too many agents failed, or its gate did not open.
        Failed = "failed",
    }

    /// Why a pipeline stops early.
    Stop {
        /// The user cancelled it.
        Cancelled = "cancelled",
        /// The system asked the process to end.
        Interrupted = "interrupted",
        /// The turns or the cost of the whole pipeline are used up.
        Limit = "limit",
    }

    /// How a pipeline ended.
    End {
        /// No phase failed.
        Succeeded = "succeeded",
        /// A phase failed, or a required one could not run.
        Failed = "failed",
        /// It stopped early; it can be resumed.
        Stopped = "stopped",
    }
}

impl PhaseStatus {
    /// Whether phases that depend on it may run.
    pub fn passes(self) -> bool {
        matches!(self, Self::Done | Self::Partial)
    }
}

/// A phase that does not run.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct PhaseSkip {
    /// Its name.
    pub phase: String,
    /// Why.
    pub reason: String,
    /// Whether an earlier pipeline completed it, so that phases may depend on it.
    pub met: bool,
}

/// How an agent ended.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode)]
#[value(default)]
pub struct AgentResult {
    /// Why it failed; `None` where it succeeded.
    pub category: Option<Category>,
    /// What happened, for a reader.
    pub message: String,
    /// The exit code of its process.
    pub exit: Option<i32>,
    /// The file with its answer, in the workspace.
    pub output: Option<String>,
    /// BLAKE3 digest of that file.
    pub output_digest: Option<String>,
    /// Its cost, where its command line reports it.
    pub cost_usd: Option<f64>,
    /// Its turns, where its command line reports them.
    pub turns: Option<u64>,
    /// Tokens that its model read, where they are reported.
    pub input_tokens: Option<u64>,
    /// Tokens that its model wrote, where they are reported.
    pub output_tokens: Option<u64>,
    /// Seconds after which the provider takes requests again.
    pub reset_s: Option<u64>,
    /// Its duration.
    pub elapsed_ms: u64,
}

impl AgentResult {
    /// Whether its process was started.
    pub fn started(&self) -> bool {
        self.elapsed_ms > 0 || self.exit.is_some()
    }

    /// A failure.
    pub fn failed(category: Category, message: impl Into<String>) -> Self {
        Self {
            category: Some(category),
            message: message.into(),
            ..Self::default()
        }
    }
}

/// What happened in a pipeline.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
#[value(rename_all = "snake_case")]
pub enum PhaseEvent {
    /// It began.
    Began {
        /// Its phases, as the file declared them.
        phases: Vec<PhaseSetup>,
        /// Those that the user leaves out.
        skipped: Vec<PhaseSkip>,
        /// What the jitter of waits derives from.
        seed: String,
    },
    /// A phase began.
    PhaseBegan {
        /// Its name.
        phase: String,
    },
    /// A phase was skipped.
    PhaseSkipped(PhaseSkip),
    /// An agent was started.
    AgentBegan {
        /// Its phase.
        phase: String,
        /// Its name.
        agent: String,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// An agent ended, or was not started.
    AgentEnded {
        /// Its phase.
        phase: String,
        /// Its name.
        agent: String,
        /// How.
        result: AgentResult,
    },
    /// An agent waits for its next attempt.
    RetryPlanned {
        /// Its phase.
        phase: String,
        /// Its name.
        agent: String,
        /// The wait.
        wait_ms: u64,
    },
    /// The wait is over.
    RetryDue {
        /// The phase of the agent.
        phase: String,
        /// Its name.
        agent: String,
    },
    /// A gate waits.
    GateOpened {
        /// Its phase.
        phase: String,
        /// The id of the question in the inbox, for a person.
        notice: Option<String>,
    },
    /// A gate was settled.
    GateSettled {
        /// Its phase.
        phase: String,
        /// Whether the pipeline may pass.
        passed: bool,
        /// Who or what settled it.
        by: String,
        /// What was found or said.
        text: String,
    },
    /// A phase ended.
    PhaseEnded {
        /// Its name.
        phase: String,
        /// How.
        status: PhaseStatus,
        /// The messages of the agents that failed.
        error: Option<String>,
    },
    /// The pipeline is to stop.
    StopRequested {
        /// Why.
        why: Stop,
    },
    /// Another process runs the pipeline from here.
    Resumed {
        /// Whether agents with an unknown outcome run again.
        retry_unknown: bool,
    },
    /// The pipeline ended.
    Ended {
        /// How.
        end: End,
    },
}
