//! The expression language, and the calculator.

use tool_core::Entry;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[];
