//! Limits of a session. They are part of version 1 of the documents, so that a log folds identically everywhere.

use tool_core::Value;

/// Version of the documents.
pub const VERSION: u32 = 1;
/// Most events of a session; afterwards only running calls can be settled and the session closed.
pub const EVENTS_MAX: u64 = 1_000_000;
/// Most calls of one event; every settlement visits all of them, so that more would take minutes.
pub(super) const OBSERVED_MAX: usize = 1_024;
/// Most judged calls of one batch; further ones are rejected.
pub const CALLS_MAX: usize = 256;
/// Longest arguments of a call, as JSON.
pub const ARGS_BYTES_MAX: usize = 8 << 20;
/// Longest output of a call, as JSON.
pub const OUTPUT_BYTES_MAX: usize = 64 << 20;
/// Deepest nesting of arguments and outputs.
pub const DEPTH_MAX: usize = 64;
/// Longest id of a call, a run, a session or a workspace, in bytes.
pub const ID_BYTES_MAX: usize = 256;
/// Most names in the overrides of one scope.
pub const NAMES_MAX: usize = 1_000;
/// Longest text of an error, a hint or a warning, in bytes; longer ones are truncated.
pub(super) const WORDS_BYTES_MAX: usize = 4 << 10;
/// Most retained warnings of one call.
pub(super) const WARNINGS_MAX: usize = 100;

/// Whether arrays and objects nest deeper than [`DEPTH_MAX`].
pub(super) fn too_deep(value: &Value) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        let rank = match value {
            Value::Array(_) | Value::Object(_) => 1,
            Value::Numbers(numbers) => numbers.rank(),
            _ => continue,
        };
        if depth + rank - 1 > DEPTH_MAX {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(object) => open.extend(object.iter().map(|(_, item)| (item, depth + 1))),
            _ => {}
        }
    }
    false
}

/// Truncates a text to [`WORDS_BYTES_MAX`] bytes.
pub(super) fn truncate_text(text: &str) -> String {
    let mut end = text.len().min(WORDS_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
