//! Bayesian optimisation.

use tool_core::Entry;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[];
