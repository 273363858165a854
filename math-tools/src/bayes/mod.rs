//! Bayesian optimisation.
//!
//! [`process`] is the Gaussian process, [`ascent`] the local search that fits it and searches its acquisition functions.

use tool_core::{Entry, entry};

pub mod ascent;
pub mod bayesopt;
pub mod process;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[entry::<bayesopt::BayesOpt>()];
