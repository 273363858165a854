//! Which errors of a call are retried, and after how long.

use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use tool_core::ErrorCode;

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
fn retried() -> Vec<&'static str> {
    let codes = ErrorCode::ALL.iter().copied();
    let codes = codes.filter(|code| !NEVER_RETRIED.contains(code));
    codes
        .map(ErrorCode::as_str)
        .chain(RETRIED_REASONS)
        .collect()
}

/// Which errors are retried, and after how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// Maximum number of retries.
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 10))]
    pub max: u32,
    /// Codes or reasons of errors that are retried; those that would fail again the same way cannot be listed.
    #[schemars(schema_with = "retried_schema")]
    pub on: Vec<Arc<str>>,
    /// Milliseconds before the first retry.
    #[schemars(range(min = 0, max = 3_600_000))]
    pub backoff_ms: u64,
    /// Growth of the wait from one retry to the next.
    #[schemars(range(min = 1, max = 10))]
    pub factor: f64,
    /// Randomization of the waits.
    pub jitter: Jitter,
}

/// A step with a `retry` is retried once where it does not say how often; one without is not.
const fn one() -> u32 {
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

fn retried_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"enum": retried()}})
}

impl Default for Retry {
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

impl Retry {
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
