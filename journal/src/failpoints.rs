//! Failpoints: places where a test aborts the process, as `kill -9` would.
//!
//! `MATHCHAIN_FAILPOINT=name` aborts at the first passage, `name:3` at the third. Without the feature `failpoints` (and outside the
//! tests of this crate) nothing is compiled.

/// The failpoints of this crate; those of tools in tests begin with `run.`.
#[cfg(any(test, feature = "failpoints"))]
pub const PLACES: [&str; 9] = [
    "journal.before_intent",
    "journal.after_intent",
    "artifact.temp",
    "artifact.sync",
    "artifact.rename",
    "journal.before_settled",
    "journal.after_settled",
    "journal.before_finish",
    "journal.after_finish",
];

/// The failpoints of pruning and collecting.
#[cfg(any(test, feature = "failpoints"))]
pub const PRUNING: [&str; 4] = [
    "prune.after_begin",
    "prune.before_commit",
    "prune.after_commit",
    "gc.after_rows",
];

/// The failpoints of workflows: between the events and the files that show them.
#[cfg(any(test, feature = "failpoints"))]
pub const WORKFLOW: [&str; 3] = [
    "workflow.after_append",
    "workflow.between_files",
    "workflow.after_files",
];

/// Aborts the process here if a test requests it.
#[cfg(any(test, feature = "failpoints"))]
pub fn fail_at(name: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    let is_listed = PLACES.contains(&name) || PRUNING.contains(&name) || WORKFLOW.contains(&name);
    let is_known = name.is_empty() || name.starts_with("run.") || is_listed;
    assert!(is_known, "`{name}` is not a known failpoint");
    static WANTED: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var_os("MATHCHAIN_FAILPOINT")?
            .into_string()
            .ok()?;
        Some(match text.split_once(':') {
            Some((name, nth)) => (name.to_owned(), nth.parse().unwrap_or(1)),
            None => (text, 1),
        })
    });
    if let Some((place, nth)) = wanted
        && place == name
        && PASSED.fetch_add(1, Ordering::Relaxed) + 1 == *nth
    {
        std::process::abort();
    }
}

/// Does nothing.
#[cfg(not(any(test, feature = "failpoints")))]
#[inline(always)]
pub fn fail_at(_: &str) {}
