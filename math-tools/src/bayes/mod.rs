//! Bayesian optimisation.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod bayesopt;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[tool_entry::<bayesopt::Args>()];
