//! Integrals and derivatives, of expressions and of samples.

pub(crate) mod differentiate;
pub(crate) mod integrate;
pub(crate) mod integrate_nd;
pub(crate) mod integrate_samples;
mod limit;
mod samples;

use tool_core::{ErasedTool, tool_entry, verified_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    verified_entry::<integrate::Args>(),
    tool_entry::<integrate_nd::Args>(),
    tool_entry::<integrate_samples::Args>(),
    tool_entry::<differentiate::Args>(),
];
