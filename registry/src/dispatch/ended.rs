//! [`CallEndReport`]: the end of a call, which the stages make and the trail records.

use tool_core::{Object, ToolError, Value};

/// The end of a call, with the notes for its answer.
pub(super) struct CallEndReport {
    pub(super) ending: CallEnd,
    pub(super) warnings: Vec<String>,
    /// Members for the metadata of the answer.
    pub(super) notes: Object,
    /// Number of secrets redacted from the result.
    pub(super) redacted: usize,
}

/// The three ends of a call.
pub(super) enum CallEnd {
    Success(Value),
    Failed(ToolError),
    /// Awaiting the approval of this id, with the progress of the plan that the call runs.
    Pending(String, Value),
}

impl CallEndReport {
    pub(super) fn failed(error: ToolError) -> Self {
        Self::with(CallEnd::Failed(error))
    }

    pub(super) fn with(ending: CallEnd) -> Self {
        Self {
            ending,
            warnings: Vec::new(),
            notes: Object::new(),
            redacted: 0,
        }
    }
}
