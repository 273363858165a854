//! End of one step: from the outcome of its call, or because it was not called.

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tool_core::{
    CallOutcome, ErrorCode, Object, OutcomeStatus, StopFlag, ToolError, Value, tool_error,
};

use crate::check::CheckedStep;
use crate::tools::TOOL_CHAINS;

tool_core::names! {
    /// Status of a step that has ended.
    #[derive(Default)]
    StepStatus {
        /// With a result.
        Done = "done",
        /// With an error.
        Failed = "failed",
        /// A dependency did not succeed, or its condition is false.
        Skipped = "skipped",
        /// The run was cancelled or timed out.
        Cancelled = "cancelled",
        /// Denied by the policy or an approver.
        Denied = "denied",
        /// Awaits approval.
        Pending = "pending_approval",
        /// Stopped, or begun by an interrupted process: whether its effects happened is unknown.
        Unknown = "needs_decision",
        /// The run ended before its turn.
        #[default]
        NotRun = "not_run",
    }
}

/// A failed attempt that was retried.
#[derive(Debug, Clone)]
pub struct FailedAttempt {
    /// Start, relative to the start of the run.
    pub began: Duration,
    /// End, relative to the start of the run.
    pub ended: Duration,
    /// Error code.
    pub code: ErrorCode,
}

/// End of one step, with its result.
#[derive(Debug, Clone, Default)]
pub struct StepOutcome {
    /// Its end.
    pub status: StepStatus,
    /// Digest of its result.
    pub output_digest: Option<OutputDigest>,
    /// Error of a failure.
    pub error: Option<ToolError>,
    /// The step because of which it did not run.
    pub cause: Option<usize>,
    /// Warnings about its result.
    pub warnings: Vec<String>,
    /// References whose default was used.
    pub defaults_used: Vec<String>,
    /// Facts of its call: call id, deciding layer, approval, place in the audit.
    pub metadata: Object,
    /// Start, relative to the start of the run.
    pub began: Duration,
    /// End, relative to the start of the run.
    pub ended: Duration,
    /// Number of attempts.
    pub attempts: u32,
    /// The attempts before the last one.
    pub tries: Vec<FailedAttempt>,
    /// The approval it waits for.
    pub approval_id: Option<String>,
    /// Ends of the calls of a map, in the order of its elements.
    pub items: Vec<StepOutcome>,
    pub(super) output: Option<Value>,
}

impl StepOutcome {
    /// End from the outcome of its call; `run` is the id of the run if it can be resumed, `keep` as for [`OutputDigest::of`].
    pub(super) fn of_outcome(
        step: &CheckedStep,
        outcome: CallOutcome,
        stop: &StopFlag,
        run: Option<&str>,
        keep: impl FnOnce(u64) -> bool,
    ) -> Self {
        let mut end = Self {
            warnings: outcome.warnings,
            metadata: outcome.metadata,
            ..Self::default()
        };
        match outcome.status {
            OutcomeStatus::Success(output) => {
                end.status = StepStatus::Done;
                let recorded = end.metadata.remove("output_digest");
                let recorded = recorded.and_then(|digest| digest.as_str().map(str::to_owned));
                let digest = recorded.map_or_else(|| OutputDigest::of(&output, keep), Into::into);
                end.output_digest = Some(digest);
                end.output = Some(output);
            }
            OutcomeStatus::Error(error) => {
                end.status = match error.is_outcome_unknown() {
                    true => StepStatus::Unknown,
                    false => status_of(error.code(), stop),
                };
                end.error = Some(with_origin(step, error));
            }
            OutcomeStatus::PendingApproval { approval_id, .. } => {
                end.status = StepStatus::Pending;
                let tool = step.tool;
                let what = format!("the call of `{tool}` waits for the approval {approval_id}");
                let error = tool_error!(ApprovalRequired, "{what}");
                let next = match run {
                    Some(run) => format!("`mathchain runs resume {run}`"),
                    None => "run the plan again".to_owned(),
                };
                let hint = format!("`mathchain approve {approval_id}`, then {next}");
                end.error = Some(error.hint(hint));
                end.approval_id = Some(approval_id);
            }
        }
        end
    }

    /// The end of an element as its run holds it until it ends: what its record has, and no report of the run shows, is left out.
    pub(super) fn without_recorded_facts(mut self) -> Self {
        let mut facts = Object::new();
        for key in ["node", "placement_fallback", TOOL_CHAINS] {
            facts.insert_some(key, self.metadata.remove(key));
        }
        self.metadata = facts;
        self
    }

    fn with(status: StepStatus, error: Option<ToolError>, cause: Option<usize>) -> Self {
        Self {
            status,
            error,
            cause,
            ..Self::default()
        }
    }

    pub(super) fn cancelled(why: ToolError) -> Self {
        Self::with(StepStatus::Cancelled, Some(why), None)
    }

    pub(super) fn done(output: Value) -> Self {
        Self {
            output_digest: Some(registry::digest::of_value(&output).into()),
            output: Some(output),
            ..Self::with(StepStatus::Done, None, None)
        }
    }

    pub(super) fn failed(error: ToolError) -> Self {
        Self::with(StepStatus::Failed, Some(error), None)
    }

    /// End of a call that may have happened.
    pub(super) fn unknown(error: ToolError) -> Self {
        Self::with(StepStatus::Unknown, Some(error), None)
    }

    /// End of a step whose condition is false.
    pub(super) fn unmet() -> Self {
        Self::with(StepStatus::Skipped, None, None)
    }

    /// Whether it was skipped because its condition is false.
    pub fn is_unmet(&self) -> bool {
        self.status == StepStatus::Skipped && self.cause.is_none()
    }

    pub(super) fn not_run(cause: usize) -> Self {
        Self::with(StepStatus::NotRun, None, Some(cause))
    }

    pub(super) fn skipped(cause: usize) -> Self {
        Self::with(StepStatus::Skipped, None, Some(cause))
    }

    /// The digest of its result in hex digits.
    pub(super) fn digest(&self) -> Option<&str> {
        self.output_digest.as_ref().map(OutputDigest::as_str)
    }

    /// Duration of its last attempt.
    pub(super) fn elapsed(&self) -> Duration {
        self.ended.saturating_sub(self.began)
    }

    pub(super) fn has_run(&self) -> bool {
        matches!(self.status, StepStatus::Done | StepStatus::Failed)
    }
}

fn status_of(code: ErrorCode, stop: &StopFlag) -> StepStatus {
    match code {
        ErrorCode::Cancelled | ErrorCode::Timeout if stop.is_set() => StepStatus::Cancelled,
        ErrorCode::PolicyDenied
        | ErrorCode::NotVisible
        | ErrorCode::ApprovalRequired
        | ErrorCode::ApprovalDeclined
        | ErrorCode::ApprovalExpired => StepStatus::Denied,
        _ => StepStatus::Failed,
    }
}

/// Adds the reference that an invalid argument came from.
fn with_origin(step: &CheckedStep, error: ToolError) -> ToolError {
    let (Some(path), None) = (error.path(), error.hint_str()) else {
        return error;
    };
    let origin = step.args.references().into_iter().find(|placed| {
        let slot = placed.pointer.split_once("/args");
        let slot = slot.map_or("", |(_, slot)| slot);
        let rest = path.strip_prefix(slot);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let origin = origin.map(|placed| placed.reference.to_string());
    let mut inputs = step.from_inputs.iter();
    let input = inputs.find(|(slot, _)| path.starts_with(slot.as_str()));
    match origin.as_ref().or(input.map(|(_, reference)| reference)) {
        Some(origin) => error.hint(format!("the value came from `{origin}`")),
        None => error,
    }
}

/// Milliseconds with a microsecond's resolution.
pub(crate) fn duration_in_ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Size from which a result is digested on demand; digesting a smaller one costs less than retaining it.
const LARGE_BYTES: u64 = 1 << 20;

/// Digest of a result. A recorded run has it already; a run in memory retains a large result until the digest is needed.
#[derive(Clone)]
pub struct OutputDigest(Arc<Made>);

type Made = LazyLock<String, Box<dyn FnOnce() -> String + Send>>;

impl OutputDigest {
    /// Digest of a result; a large one that `keep` accepts (by its size in bytes) is digested on demand.
    pub(super) fn of(value: &Value, keep: impl FnOnce(u64) -> bool) -> Self {
        let bytes = value.memory_bytes();
        if bytes < LARGE_BYTES || !keep(bytes) {
            return Self::from(registry::digest::of_value(value));
        }
        let value = value.clone();
        Self::made(move || registry::digest::of_value(&value))
    }

    fn made(make: impl FnOnce() -> String + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }

    /// The digest in hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for OutputDigest {
    fn from(text: String) -> Self {
        let known = Self::made(move || text);
        LazyLock::force(&known.0);
        known
    }
}

impl PartialEq for OutputDigest {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for OutputDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_result_is_kept_where_there_is_room_and_has_the_same_digest() {
        let large = Value::vector(vec![0.5; 1 << 18]);
        let small = Value::vector(vec![0.5; 16]);
        for (value, room, asked) in [(&large, true, 1), (&large, false, 1), (&small, true, 0)] {
            let mut times = 0;
            let digest = OutputDigest::of(value, |bytes| {
                times += 1;
                assert!(bytes >= 2 << 20, "{bytes}");
                room
            });
            assert_eq!(times, asked);
            assert_eq!(LazyLock::get(&digest.0).is_none(), asked > 0 && room);
            assert_eq!(digest.as_str(), registry::digest::of_value(value));
        }
    }
}
