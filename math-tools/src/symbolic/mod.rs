//! Symbolic mathematics.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod combinatorics;
pub(crate) mod diff;
mod engine;
mod exact_integer;
pub(crate) mod integrate;
pub(crate) mod laplace;
pub(crate) mod limit;
pub(crate) mod matrix;
pub(crate) mod number_theory;
pub(crate) mod ode;
mod ode_system;
mod reading;
pub(crate) mod render_math;
pub(crate) mod series;
pub(crate) mod simplify;
pub(crate) mod solve;
pub(crate) mod sum;
#[cfg(test)]
mod tests;
mod unknown;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<solve::Args>(),
    tool_entry::<simplify::Args>(),
    tool_entry::<diff::Args>(),
    tool_entry::<integrate::Args>(),
    tool_entry::<limit::Args>(),
    tool_entry::<series::Args>(),
    tool_entry::<sum::Args>(),
    tool_entry::<matrix::Args>(),
    tool_entry::<laplace::Args>(),
    tool_entry::<ode::Args>(),
    tool_entry::<number_theory::Args>(),
    tool_entry::<combinatorics::Args>(),
    tool_entry::<render_math::Args>(),
];
