//! Statistics and regression.

use tool_core::{ErasedTool, entry};

pub(crate) mod linear_regression;
pub(crate) mod statistics;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    entry::<statistics::Args>(),
    entry::<linear_regression::Args>(),
];
