//! Roots of functions, systems and polynomials.

pub(crate) mod find_root;
pub(crate) mod polynomial_roots;
pub(crate) mod solve_nonlinear;

use tool_core::{ErasedTool, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    entry::<find_root::Args>(),
    entry::<solve_nonlinear::Args>(),
    entry::<polynomial_roots::Args>(),
];
