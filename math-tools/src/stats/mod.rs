//! Statistics and regression.
//!
//! [`sum`] holds the twice-working-precision sums the family rests on, [`student`] the tail of Student's t.

use tool_core::{Entry, entry};

pub mod linear_regression;
pub mod statistics;
pub mod student;
pub mod sum;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[
    entry::<statistics::Statistics>(),
    entry::<linear_regression::LinearRegression>(),
];
