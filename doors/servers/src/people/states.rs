//! States of calls, steps, runs and requests, as pages show them.

/// The kinds of states, which have a colour and a sign each, so that neither is needed alone.
pub(crate) fn state_class(state: &str) -> (&'static str, &'static str) {
    match state {
        "succeeded" | "done" | "success" | "granted" | "consumed" | "allow" => ("good", "✓"),
        "failed" | "rejected" | "error" | "denied" | "declined" | "deny" | "unknown"
        | "timeout" => ("bad", "✗"),
        "suspended" | "needs_decision" | "pending" | "pending_approval" | "interrupted" | "ask"
        | "expired" => ("waits", "!"),
        "running" => ("runs", "▸"),
        _ => ("quiet", "·"),
    }
}
