//! Bayesian optimisation.
//!
//! [`process`] is the Gaussian process, [`ascent`] the local search that fits it and searches its acquisition functions.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod ascent;
pub(crate) mod bayesopt;
pub(crate) mod process;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[tool_entry::<bayesopt::Args>()];
