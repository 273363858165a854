//! From when on the journal is said to look wrong: `[chain.anomalies]`.

use super::part::{Part, set};
use crate::model::AnomalyLimits;

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
