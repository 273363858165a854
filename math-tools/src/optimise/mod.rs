//! Optimisation.

mod columns;
pub(crate) mod curve_fit;
pub(crate) mod global;
pub(crate) mod least_squares;
pub(crate) mod minimise;

use tool_core::{Entry, entry};

/// The tools of this family.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<minimise::Args>(),
    entry::<global::Args>(),
    entry::<curve_fit::Args>(),
    entry::<least_squares::Args>(),
];
