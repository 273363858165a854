//! The difference of two texts, as a person is shown it.

use mathchain::math_tools::unified_diff::UnifiedDiff;

/// Unchanged lines shown around a change.
const CONTEXT: u32 = 3;

/// The difference with some context, without file names; `None` for equal texts.
pub fn unified_diff(old: &str, new: &str) -> Option<String> {
    (old != new).then(|| UnifiedDiff::new(old, new, CONTEXT).text)
}
