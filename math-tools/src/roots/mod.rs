//! Roots of functions, systems and polynomials.

pub(crate) mod find_root;
pub(crate) mod polynomial_roots;
pub(crate) mod solve_nonlinear;

use tool_core::{ErasedTool, tool_entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<find_root::Args>(),
    tool_entry::<solve_nonlinear::Args>(),
    tool_entry::<polynomial_roots::Args>(),
];
