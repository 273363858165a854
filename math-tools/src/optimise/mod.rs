//! Optimisation.

pub mod minimise;

use tool_core::{Entry, entry};

/// The tools of this family.
pub static TOOLS: &[Entry] = &[entry::<minimise::Optimize>()];
