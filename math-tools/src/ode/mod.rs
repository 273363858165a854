//! Ordinary differential equations.

pub mod solve;

use tool_core::{Entry, entry};

/// The tools of this family.
pub static TOOLS: &[Entry] = &[entry::<solve::SolveOde>()];
