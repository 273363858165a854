//! [`Outcome`]: the answer to one call, and its envelope on the wire.

use crate::error::{ErrorCode, ToolError};
use crate::spec::Effect;
use crate::value::{Object, Value};

/// Version of the envelope.
pub const PROTOCOL_VERSION: i64 = 1;

/// The member of the metadata that says how an answer fell short of what was asked.
pub const SHORTFALL: &str = "shortfall";

names! {
    /// How an answer that is no error fell short of what was asked: in the metadata of the answer, with a warning beside it. A
    /// program that calls exits with a code of its own then.
    Shortfall {
        /// The deadline of the tool passed; what there was until then is the answer.
        TimedOut = "timed_out",
        /// A program was ended for using more than it may.
        Exceeded = "exceeded",
        /// A program ended with another status than 0.
        ExitStatus = "exit_status",
        /// A computation ended before its end.
        Incomplete = "incomplete",
        /// Calls were made and none of them gave a result.
        NoneDone = "none_done",
    }
}

/// How a call ended.
#[derive(Debug, Clone)]
pub enum Status {
    /// With a result.
    Success(Value),
    /// With an error.
    Error(ToolError),
    /// Not yet: it waits for a person.
    PendingApproval {
        /// The id to approve or decline.
        approval_id: String,
        /// What a chain has done so far; `null` for a call of its own.
        so_far: Value,
    },
}

/// The answer to one call.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How the call ended.
    pub status: Status,
    /// Effects the tool declares.
    pub effects: Vec<Effect>,
    /// What the reader of the result must know.
    pub warnings: Vec<String>,
    /// Tool, call id, elapsed time, seed, policy and audit facts.
    pub metadata: Object,
}

impl Outcome {
    /// A failed call that reached no tool.
    pub fn error(error: ToolError) -> Self {
        Self {
            status: Status::Error(error),
            effects: Vec::new(),
            warnings: Vec::new(),
            metadata: Object::new(),
        }
    }

    /// The result, if there is one.
    pub fn output(&self) -> Option<&Value> {
        match &self.status {
            Status::Success(output) => Some(output),
            _ => None,
        }
    }

    /// The error, if there is one.
    pub fn err(&self) -> Option<&ToolError> {
        match &self.status {
            Status::Error(error) => Some(error),
            _ => None,
        }
    }

    /// How the answer fell short of what was asked, where it did.
    pub fn shortfall(&self) -> Option<&str> {
        self.metadata.get(SHORTFALL)?.as_str()
    }

    /// Whether the call gave a result.
    pub fn is_success(&self) -> bool {
        matches!(self.status, Status::Success(_))
    }

    /// The envelope, the same at every door.
    pub fn to_value(&self) -> Value {
        let mut envelope = Object::new();
        let (ok, status) = match &self.status {
            Status::Success(_) => (true, "success"),
            Status::Error(_) => (false, "error"),
            Status::PendingApproval { .. } => (true, "pending_approval"),
        };
        envelope.insert("protocol_version", PROTOCOL_VERSION);
        envelope.insert("ok", ok);
        envelope.insert("status", status);
        let output = match &self.status {
            Status::Success(output) => output.clone(),
            Status::PendingApproval { so_far, .. } => so_far.clone(),
            Status::Error(_) => Value::Null,
        };
        envelope.insert("output", output);
        if let Status::Error(error) = &self.status {
            envelope.insert("error", error.to_value());
        }
        envelope.insert(
            "side_effects_declared",
            self.effects
                .iter()
                .map(|effect| effect.as_str())
                .collect::<Vec<_>>(),
        );
        envelope.insert(
            "requires_approval",
            matches!(self.status, Status::PendingApproval { .. }),
        );
        envelope.insert("warnings", self.warnings.clone());
        let mut metadata = self.metadata.clone();
        if let Status::PendingApproval { approval_id, .. } = &self.status {
            metadata.insert("approval_id", approval_id.as_str());
        }
        envelope.insert("metadata", Value::Object(std::sync::Arc::new(metadata)));
        Value::Object(std::sync::Arc::new(envelope))
    }

    /// The error code, for exit codes and counters.
    pub fn code(&self) -> Option<ErrorCode> {
        self.err().map(ToolError::code)
    }
}
