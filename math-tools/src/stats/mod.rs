//! Statistics and regression.

use tool_core::{Entry, entry};

pub(crate) mod linear_regression;
pub(crate) mod statistics;

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<statistics::Args>(),
    entry::<linear_regression::Args>(),
];
