//! Programs: linear and quadratic objectives, integers, assignments.

pub(crate) mod assignment;
pub(crate) mod linear_program;
pub(crate) mod quadratic;
mod units;

use tool_core::{ErasedTool, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    entry::<linear_program::Args>(),
    entry::<quadratic::Args>(),
    entry::<assignment::Args>(),
];
