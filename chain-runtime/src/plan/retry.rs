//! What is tried again, and after how long.

use std::sync::Arc;

use tool_core::nearest::nearest;
use tool_core::{ErrorCode, Value};

use super::read::Reader;
use crate::problem::{Fault, PlanProblem};

/// Most retries of a call.
pub const RETRIES_MAX: u32 = 10;
/// Longest wait before a retry.
pub(super) const BACKOFF_MS_MAX: u64 = 3_600_000;
pub(crate) const RETRY_FIELDS: [&str; 5] = ["max", "on", "backoff_ms", "factor", "jitter"];

/// Errors that another attempt cannot change, or that a person or the policy decided.
pub(super) const NEVER_RETRIED: [ErrorCode; 11] = [
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
pub(super) const RETRIED_REASONS: [&str; 12] = [
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

/// The names that `retry.on` takes.
pub(super) fn retried() -> impl Iterator<Item = &'static str> {
    let codes = ErrorCode::ALL
        .iter()
        .copied()
        .filter(|code| !NEVER_RETRIED.contains(code));
    codes.map(ErrorCode::as_str).chain(RETRIED_REASONS)
}

/// What is tried again, and after how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Most further attempts; 0 for none.
    pub max: u32,
    /// Codes, or reasons, of the errors that are tried again.
    pub on: Vec<Arc<str>>,
    /// Milliseconds before the first further attempt.
    pub backoff_ms: u64,
    /// By how much the wait grows with each.
    pub factor: f64,
    /// Whether the wait is taken at random, from the seed, between 0 and its length.
    pub backoff: Backoff,
}

/// How the wait before a retry is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Backoff {
    /// As written.
    #[default]
    Exact,
    /// Between 0 and what is written, from the plan's seed.
    Jittered,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max: 0,
            on: vec![
                ErrorCode::Timeout.as_str().into(),
                ErrorCode::ToolError.as_str().into(),
            ],
            backoff_ms: 200,
            factor: 2.0,
            backoff: Backoff::Exact,
        }
    }
}

impl Retry {
    /// Whether an error of this code and reason is tried again.
    pub fn covers(&self, code: ErrorCode, reason: Option<&str>) -> bool {
        !NEVER_RETRIED.contains(&code)
            && self
                .on
                .iter()
                .any(|one| **one == *code.as_str() || Some(&**one) == reason)
    }

    /// Milliseconds before attempt `number` (the first retry is 1), where `share` is a number from 0 to 1 from the seed.
    pub fn wait_ms(&self, number: u32, share: f64) -> u64 {
        let grown = self.factor.powi(number.saturating_sub(1) as i32);
        let whole = (self.backoff_ms as f64 * grown).min(BACKOFF_MS_MAX as f64);
        match self.backoff {
            Backoff::Exact => whole as u64,
            Backoff::Jittered => (whole * share) as u64,
        }
    }
}

impl Reader {
    pub(super) fn retry(&mut self, value: &Value) -> Retry {
        let mut retry = Retry::default();
        let Some(object) = value.as_object() else {
            self.hinted(
                Fault::Form,
                format!("expected an object, found {}", value.kind()),
                "write `retry: {max: 2, on: [timeout], backoff_ms: 200}`",
            );
            return retry;
        };
        self.closed(object, &RETRY_FIELDS, "a retry");
        retry.max = self
            .field(
                object,
                "max",
                &format!("a whole number from 0 to {RETRIES_MAX}"),
                |value| {
                    let number = u32::try_from(value.as_i64()?).ok()?;
                    (number <= RETRIES_MAX).then_some(number)
                },
            )
            .unwrap_or(if object.get("max").is_none() { 1 } else { 0 });
        if let Some(on) = self.field(object, "on", "a list of error codes or reasons", |value| {
            let items = value.items()?;
            let names = items.iter().map(|item| item.as_str().map(Arc::<str>::from));
            names.collect::<Option<Vec<_>>>()
        }) {
            self.under("on", |reader| reader.retried(&on));
            retry.on = on;
        }
        retry.backoff_ms = self
            .field(
                object,
                "backoff_ms",
                &format!("milliseconds from 0 to {BACKOFF_MS_MAX}"),
                |value| {
                    let number = u64::try_from(value.as_i64()?).ok()?;
                    (number <= BACKOFF_MS_MAX).then_some(number)
                },
            )
            .unwrap_or(retry.backoff_ms);
        retry.factor = self
            .field(object, "factor", "a number from 1 to 10", |value| {
                value
                    .as_f64()
                    .filter(|factor| (1.0..=10.0).contains(factor))
            })
            .unwrap_or(retry.factor);
        retry.backoff = self
            .field(object, "jitter", "`none` or `full`", |value| {
                match value.as_str()? {
                    "none" => Some(Backoff::Exact),
                    "full" => Some(Backoff::Jittered),
                    _ => None,
                }
            })
            .unwrap_or_default();
        retry
    }

    /// Refuses what no attempt would change, and what no error says.
    fn retried(&mut self, on: &[Arc<str>]) {
        for (index, name) in on.iter().enumerate() {
            if retried().any(|known| known == &**name) {
                continue;
            }
            let never = NEVER_RETRIED.iter().any(|code| *code.as_str() == **name);
            let message = match never {
                true => {
                    format!("`{name}` is never tried again: another attempt would end the same")
                }
                false => {
                    format!("`{name}` is no code and no reason of an error that is tried again")
                }
            };
            let near = nearest(name, retried()).filter(|_| !never);
            let known: Vec<&str> = retried().collect();
            self.item(index, |reader| {
                let problem = PlanProblem::new(Fault::Form, reader.pointer.as_str(), message);
                let hint = format_args!("write one of {}", known.join(", "));
                reader.problems.push(problem.hint(hint).near(near));
            });
        }
    }
}
