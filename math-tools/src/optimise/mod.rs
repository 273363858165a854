//! Optimisation.

pub(crate) mod curve_fit;
pub(crate) mod errors;
pub(crate) mod global;
pub(crate) mod least_squares;
pub(crate) mod minimise;
pub(crate) mod program;
mod verify;

use tool_core::{ErasedTool, tool_entry, verified_entry};

/// The tool of this family that starts a program.
pub(crate) static PROGRAMS: &[ErasedTool] = &[tool_entry::<program::Args>()];

/// The tools of this family that are pure.
pub(crate) static TOOLS: &[ErasedTool] = &[
    verified_entry::<minimise::Args>(),
    verified_entry::<global::Args>(),
    verified_entry::<curve_fit::Args>(),
    tool_entry::<least_squares::Args>(),
];
