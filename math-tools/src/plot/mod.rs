//! Plots as text and as pixels.

use tool_core::Entry;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[];
