//! From when on the journal is said to look wrong: `[chain.anomalies]`.

use super::part::{Part, set};

/// Limits of what is usual. A finding begins above them (`docs/runs.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnomalyLimits {
    /// Fewest results of a tool whose median says how long it takes.
    pub calls_least: u64,
    /// A stall takes more than this many times what is usual,
    pub stall_times: u64,
    /// and longer than this many milliseconds.
    pub stall_ms: u64,
    /// Fewest failures of one tool,
    pub failures_least: u64,
    /// which are at least this share of its calls, in percent.
    pub failure_percent: u64,
    /// An instant failure takes no longer than this, in milliseconds.
    pub instant_ms: u64,
    /// Fewest of them in one run or session.
    pub instant_least: u64,
    /// Most attempts for each settled call of a tool in a run,
    pub attempts_per_call: u64,
    /// where there were at least this many.
    pub attempts_least: u64,
    /// Largest share of plans that ran one step after the other in place of by dependencies, in percent,
    pub fallback_percent: u64,
    /// of at least this many.
    pub chains_least: u64,
    /// Largest share of all calls that one tool has, in percent.
    pub tool_percent: u64,
    /// Largest share of all calls that one role has, in percent.
    pub role_percent: u64,
    /// Fewest calls of which shares are taken.
    pub share_calls_least: u64,
}

impl Default for AnomalyLimits {
    fn default() -> Self {
        Self {
            calls_least: 5,
            stall_times: 10,
            stall_ms: 1000,
            failures_least: 3,
            failure_percent: 25,
            instant_ms: 5,
            instant_least: 3,
            attempts_per_call: 2,
            attempts_least: 5,
            fallback_percent: 20,
            chains_least: 5,
            tool_percent: 80,
            role_percent: 90,
            share_calls_least: 20,
        }
    }
}

const KEYS: [&str; 14] = [
    "calls_least",
    "stall_times",
    "stall_ms",
    "failures_least",
    "failure_percent",
    "instant_ms",
    "instant_least",
    "attempts_per_call",
    "attempts_least",
    "fallback_percent",
    "chains_least",
    "tool_percent",
    "role_percent",
    "share_calls_least",
];

pub(super) fn anomalies(part: Part<'_>) -> AnomalyLimits {
    let mut limits = AnomalyLimits::default();
    let Some(mut table) = part.into_table(&KEYS) else {
        return limits;
    };
    for (key, slot) in [
        ("calls_least", &mut limits.calls_least),
        ("stall_times", &mut limits.stall_times),
        ("stall_ms", &mut limits.stall_ms),
        ("failures_least", &mut limits.failures_least),
        ("instant_ms", &mut limits.instant_ms),
        ("instant_least", &mut limits.instant_least),
        ("attempts_per_call", &mut limits.attempts_per_call),
        ("attempts_least", &mut limits.attempts_least),
        ("chains_least", &mut limits.chains_least),
        ("share_calls_least", &mut limits.share_calls_least),
    ] {
        set(slot, table.positive(key));
    }
    for (key, slot) in [
        ("failure_percent", &mut limits.failure_percent),
        ("fallback_percent", &mut limits.fallback_percent),
        ("tool_percent", &mut limits.tool_percent),
        ("role_percent", &mut limits.role_percent),
    ] {
        set(slot, table.percent(key));
    }
    limits
}
