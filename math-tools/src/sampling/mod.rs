//! Monte Carlo and Markov chain Monte Carlo.

use tool_core::Entry;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[];
