//! One step as written: the tool it calls, under which condition, how often, which errors are retried, and what follows a failure.

use std::sync::Arc;

use tool_core::schema::{Schema, json};
use tool_core::{Decode, Describe, Encode, ErrorCode};

use super::pictures::{StepPicture, step_picture_schema};
use super::schema::{
    args_schema, id_schema, list_schema, names_schema, positive_integer_schema, reserved_schema,
};
use super::{CALLS_MAX, OnError};
use crate::condition::StepCondition;
use crate::template::ArgumentNode;

/// Maximum number of elements of one map; every element counts as a step.
pub const ITEMS_MAX: usize = CALLS_MAX;
/// Suffix of the id under which records name the call that undoes a step.
pub const COMPENSATE_SUFFIX: &str = "!compensate";

/// A call of a tool.
#[derive(Debug, Clone, Default, Decode, Describe)]
#[value(default, deny_unknown_fields)]
#[schema(extend("required" = ["id", "tool"]))]
pub struct PlanStep {
    /// Name of the step, unique in the plan.
    #[schema(schema_with = "reserved_schema")]
    pub id: Arc<str>,
    /// Tool to call; it must list `chain` among its callers.
    #[schema(length(min = 1), extend("examples" = ["linear_regression"]))]
    pub tool: Arc<str>,
    /// Arguments by name; `mathchain tools show TOOL` lists them.
    #[schema(schema_with = "args_schema")]
    pub args: ArgumentNode,
    /// Steps that must end first, in addition to those that it references.
    #[value(decode_with = "super::one_or_more")]
    #[schema(schema_with = "names_schema")]
    pub after: Vec<Arc<str>>,
    /// Condition; the step is skipped where it is false: `fit.r2 > 0.9 && len(raw.rows) >= 10`.
    pub when: Option<StepCondition>,
    /// Calls the tool once per element of a list; the results keep its order.
    #[schema(extend("examples" = [{"over": [1, 2, 3], "as": "item"}]))]
    pub map: Option<StepMap>,
    /// Which errors are retried, and when.
    #[schema(extend("examples" = [{"max": 2, "on": ["timeout"], "backoff_ms": 200}]))]
    pub retry: StepRetry,
    /// Timeout of one attempt in milliseconds.
    #[schema(schema_with = "positive_integer_schema")]
    pub timeout_ms: Option<u64>,
    /// Deadline of all attempts and waits together in milliseconds.
    #[schema(schema_with = "positive_integer_schema")]
    pub deadline_ms: Option<u64>,
    /// Expected duration in milliseconds: a hint for scheduling the critical path first.
    #[schema(schema_with = "positive_integer_schema")]
    pub cost_ms: Option<u64>,
    /// Whether the call needs an approval.
    pub approval: Approval,
    /// Effect of a failure on the other steps.
    pub on_error: Option<OnError>,
    /// Call that undoes the step when the run fails later; it may reference the step's own result.
    #[schema(extend("examples" = [{"tool": "delete_file", "args": {"path": "out/a.txt"}}]))]
    pub compensate: Option<StepCompensation>,
    /// Where it is computed. Where it is absent, the elements of a map go to the engine of the run, if there is one.
    pub place: Option<Place>,
    /// File for the picture of the result: a path that ends in `.png`, `.svg`, `.pdf` or `.html`, or `{path, mode}` with `mode` `overwrite` to
    /// replace a file. It stands for a call of `plot`, unless the step is one, and one of `write_file`.
    #[value(decode_with = "super::pictures::step_picture")]
    #[schema(schema_with = "step_picture_schema")]
    pub out: Option<StepPicture>,
}

/// The same call for every element of a list.
#[derive(Debug, Clone, Decode, Describe)]
#[value(default, deny_unknown_fields)]
#[schema(extend("required" = ["over"]))]
pub struct StepMap {
    /// The list: literal, or a reference to one.
    #[schema(schema_with = "list_schema")]
    pub over: ArgumentNode,
    /// Name of the element in references; `index` is its position, from 0.
    #[value(rename = "as")]
    #[schema(schema_with = "id_schema", extend("not" = {"enum": ["inputs", "index"]}))]
    pub name: Arc<str>,
    /// Maximum number of elements.
    #[schema(range(min = 1, max = 100_000))]
    pub max: usize,
    /// Maximum number of calls in parallel; no limit of its own where absent.
    #[schema(range(min = 1, max = 10_000))]
    pub concurrency: Option<usize>,
    /// Effect of an element that fails.
    pub on_item_error: OnItemError,
}

impl Default for StepMap {
    fn default() -> Self {
        Self {
            over: ArgumentNode::default(),
            name: "item".into(),
            max: ITEMS_MAX,
            concurrency: None,
            on_item_error: OnItemError::default(),
        }
    }
}

impl StepMap {
    /// Number of elements, where the plan lists them.
    pub fn elements(&self) -> Option<usize> {
        Some(self.over.literal()?.items()?.len())
    }

    /// The list in a few words.
    pub(crate) fn over_words(&self) -> String {
        match (&self.over, self.elements()) {
            (_, Some(1)) => "1 element".to_owned(),
            (_, Some(count)) => format!("{count} elements"),
            (ArgumentNode::Reference(placed), _) => placed.reference.to_string(),
            _ => "a list".to_owned(),
        }
    }
}

/// The call that undoes a step.
#[derive(Debug, Clone, Default, Decode, Describe)]
#[value(default, deny_unknown_fields)]
#[schema(extend("required" = ["tool"]))]
pub struct StepCompensation {
    /// Tool to call.
    #[schema(length(min = 1))]
    pub tool: Arc<str>,
    /// Its arguments; they may reference the result of the step.
    #[schema(schema_with = "args_schema")]
    pub args: ArgumentNode,
}

tool_core::names! {
    /// What an element that fails means for its map.
    #[derive(Default)]
    OnItemError {
        /// The step fails with the error of the first such element.
        #[default]
        Fail = "fail",
        /// The result has `{ok, value, error}` for every element.
        Collect = "collect",
    }
}

tool_core::names! {
    /// Whether a call needs an approval: a plan may require more than the policy, never less.
    #[derive(Default)]
    Approval {
        /// As the policy decides.
        #[default]
        Auto = "auto",
        /// Always required.
        Required = "required",
        /// Never requested: a call that needs one is denied.
        NeverAsk = "never-ask",
    }
}

tool_core::names! {
    /// Where a step is computed.
    Place {
        /// On this machine.
        Local = "local",
        /// By the engine of the run; on this machine where there is none.
        Prefer = "prefer",
        /// By the engine of the run; without one the plan is refused.
        Require = "require",
    }
}

/// Maximum number of retries of a call.
pub const RETRIES_MAX: u32 = 10;
/// Longest wait before a retry.
const BACKOFF_MS_MAX: u64 = 3_600_000;

/// Errors that would fail again the same way, or that the policy or an approver decided.
const NEVER_RETRIED: [ErrorCode; 11] = [
    ErrorCode::InvalidRequest,
    ErrorCode::UnknownTool,
    ErrorCode::InvalidArgs,
    ErrorCode::NotVisible,
    ErrorCode::PolicyDenied,
    ErrorCode::ApprovalRequired,
    ErrorCode::ApprovalDeclined,
    ErrorCode::ApprovalExpired,
    ErrorCode::ResourceChanged,
    ErrorCode::DependencyFailed,
    ErrorCode::Cancelled,
];

/// Reasons of errors that another attempt may change: of services, files, programs and the state.
const RETRIED_REASONS: [&str; 12] = [
    "rate_limit",
    "status",
    "network",
    "connect",
    "dns",
    "answer",
    "io",
    "exec",
    "plugin_crashed",
    "plugin_resting",
    "state_busy",
    "run_busy",
];

/// The names that `retry.on` accepts.
fn retryable_errors() -> Vec<&'static str> {
    let codes = ErrorCode::ALL.iter().copied();
    let codes = codes.filter(|code| !NEVER_RETRIED.contains(code));
    let codes = codes.map(ErrorCode::as_str);
    codes.chain(RETRIED_REASONS).collect()
}

/// Which errors are retried, and after how long.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(default, deny_unknown_fields)]
pub struct StepRetry {
    /// Maximum number of retries.
    #[value(default = "default_retry_count")]
    #[schema(range(min = 0, max = 10))]
    pub max: u32,
    /// Codes or reasons of errors that are retried; those that would fail again the same way cannot be listed.
    #[schema(schema_with = "retried_schema")]
    pub on: Vec<Arc<str>>,
    /// Milliseconds before the first retry.
    #[schema(range(min = 0, max = 3_600_000))]
    pub backoff_ms: u64,
    /// Growth of the wait from one retry to the next.
    #[schema(range(min = 1, max = 10))]
    pub factor: f64,
    /// Randomization of the waits.
    pub jitter: Jitter,
}

/// A step with a `retry` is retried once where it does not say how often; one without is not.
const fn default_retry_count() -> u32 {
    1
}

tool_core::names! {
    /// How the wait before a retry is chosen.
    #[derive(Default)]
    Jitter {
        /// Exactly as computed.
        #[default]
        None = "none",
        /// At random between 0 and the computed wait, from the seed of the plan.
        Full = "full",
    }
}

fn retried_schema() -> Schema {
    json!({"type": "array", "items": {"enum": retryable_errors()}})
}

impl Default for StepRetry {
    fn default() -> Self {
        let on = [ErrorCode::Timeout, ErrorCode::ToolError];
        Self {
            max: 0,
            on: on.map(|code| code.as_str().into()).into(),
            backoff_ms: 200,
            factor: 2.0,
            jitter: Jitter::None,
        }
    }
}

impl StepRetry {
    /// Whether an error of this code and reason is retried.
    pub(crate) fn covers(&self, code: ErrorCode, reason: Option<&str>) -> bool {
        let mut on = self.on.iter().map(|name| &**name);
        !NEVER_RETRIED.contains(&code) && on.any(|one| one == code.as_str() || Some(one) == reason)
    }

    /// Milliseconds before retry `number`, from 1; `share` is a number from 0 to 1 from the seed.
    pub fn wait_ms(&self, number: u32, share: f64) -> u64 {
        let grown = self.factor.powi(number.saturating_sub(1) as i32);
        let whole = (self.backoff_ms as f64 * grown).min(BACKOFF_MS_MAX as f64);
        match self.jitter {
            Jitter::None => whole as u64,
            Jitter::Full => (whole * share) as u64,
        }
    }
}
