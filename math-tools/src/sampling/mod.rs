//! Monte Carlo and Markov chain Monte Carlo.
//!
//! The methods are those of [`numerics::sampling`]. [`legacy`] answers the operations of the earlier `monte_carlo` command.

use tool_core::{ErasedTool, tool_entry, verified_entry};

pub(crate) mod blocks;
pub mod legacy;
pub(crate) mod mcmc;
pub(crate) mod mcmc_diagnostics;
pub(crate) mod monte_carlo;
pub(crate) mod monte_carlo_native;
mod verify;

#[cfg(test)]
mod tests;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    verified_entry::<monte_carlo::Args>(),
    tool_entry::<monte_carlo_native::Args>(),
    tool_entry::<mcmc::Args>(),
    tool_entry::<mcmc_diagnostics::Args>(),
];
