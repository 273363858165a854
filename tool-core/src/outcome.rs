//! [`CallOutcome`]: the answer to one call, and its envelope on the wire.

use crate::error::{ErrorCode, ToolError};
use crate::fields;
use crate::spec::Effect;
use crate::value::{Object, Value};

/// Version of the envelope.
pub const PROTOCOL_VERSION: i64 = 1;

/// The member of the metadata that holds a [`Shortfall`].
pub const SHORTFALL: &str = "shortfall";
/// The member of the metadata, and of the audit record, that says what a call did beside its answer, such as `git.committed`.
pub const EVENT: &str = "event";
/// What belongs to [`EVENT`].
pub const EVENT_DATA: &str = "event_data";

names! {
    /// How a successful answer falls short of the request. It is in the metadata of the answer, with a warning; the command line
    /// has its own exit code for it.
    Shortfall {
        /// The deadline of the tool passed; the answer is partial.
        TimedOut = "timed_out",
        /// A program was killed for exceeding a limit.
        Exceeded = "exceeded",
        /// A program ended with a status other than 0.
        ExitStatus = "exit_status",
        /// A computation stopped early.
        Incomplete = "incomplete",
        /// A second computation disagrees, or there is none although the call asked for it.
        Unverified = "unverified",
        /// None of the calls returned a result.
        NoneDone = "none_done",
    }
}

/// How a call ended.
#[derive(Debug, Clone)]
pub enum OutcomeStatus {
    /// With a result.
    Success(Value),
    /// With an error.
    Error(ToolError),
    /// Not yet: it awaits approval.
    PendingApproval {
        /// The id to approve or decline.
        approval_id: String,
        /// Progress of a run; `null` for a single call.
        so_far: Value,
    },
}

/// The answer to one call.
#[derive(Debug, Clone)]
pub struct CallOutcome {
    /// How the call ended.
    pub status: OutcomeStatus,
    /// Effects the tool declares.
    pub effects: Vec<Effect>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Tool, call id, elapsed time, seed, policy and audit facts.
    pub metadata: Object,
}

impl CallOutcome {
    /// The outcome of a call that reached no tool.
    pub fn error(error: ToolError) -> Self {
        Self {
            status: OutcomeStatus::Error(error),
            effects: Vec::new(),
            warnings: Vec::new(),
            metadata: Object::new(),
        }
    }

    /// The result, if there is one.
    pub fn output(&self) -> Option<&Value> {
        match &self.status {
            OutcomeStatus::Success(output) => Some(output),
            _ => None,
        }
    }

    /// The error, if there is one.
    pub fn err(&self) -> Option<&ToolError> {
        match &self.status {
            OutcomeStatus::Error(error) => Some(error),
            _ => None,
        }
    }

    /// How the answer falls short of the request, if it does.
    pub fn shortfall(&self) -> Option<&str> {
        self.metadata.get(SHORTFALL)?.as_str()
    }

    /// Whether the call returned a result.
    pub fn is_success(&self) -> bool {
        matches!(self.status, OutcomeStatus::Success(_))
    }

    /// The envelope, equal at every interface.
    pub fn to_value(&self) -> Value {
        let mut metadata = self.metadata.clone();
        let (ok, status, output) = match &self.status {
            OutcomeStatus::Success(output) => (true, "success", output.clone()),
            OutcomeStatus::Error(_) => (false, "error", Value::Null),
            OutcomeStatus::PendingApproval {
                approval_id,
                so_far,
            } => {
                metadata.insert("approval_id", approval_id.as_str());
                (true, "pending_approval", so_far.clone())
            }
        };
        let mut envelope = fields! {
            "protocol_version" => PROTOCOL_VERSION,
            "ok" => ok,
            "status" => status,
            "output" => output,
        };
        envelope.insert_some("error", self.err().map(ToolError::to_value));
        let effects = self.effects.iter().map(|effect| effect.as_str());
        envelope.insert("side_effects_declared", effects.collect::<Vec<_>>());
        envelope.insert("requires_approval", status == "pending_approval");
        if let OutcomeStatus::PendingApproval { approval_id, .. } = &self.status {
            envelope.insert("approval_id", approval_id.as_str());
            envelope.insert(
                "message",
                format!("approval `{approval_id}` is pending and the call has not run: `mathchain approve {approval_id}` in a terminal, then the same call again"),
            );
        }
        envelope.insert("warnings", self.warnings.clone());
        envelope.insert("metadata", metadata);
        envelope.into()
    }

    /// The error code, for exit codes and counters.
    pub fn code(&self) -> Option<ErrorCode> {
        self.err().map(ToolError::code)
    }
}
