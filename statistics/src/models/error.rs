//! [`ModelError`]: why there is no fit.

use numerics::Interruption;

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Fewer rows than a fit needs.
    #[error("{parameters} coefficients need more than {rows} rows")]
    TooFewRows {
        /// Independent columns.
        parameters: usize,
        /// Rows.
        rows: usize,
    },
    /// No column to fit.
    #[error("the design matrix has no column that is not zero")]
    NoColumns,
    /// A weight that is not a positive number.
    #[error("weights must be positive numbers, and row {row} has {value}")]
    Weight {
        /// Row, from 0.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// A row that the fit goes through whatever its response, where an error estimate divides by what is left to it.
    #[error(
        "row {row} determines a coefficient alone (leverage 1), so that its error estimate is not defined"
    )]
    FullLeverage {
        /// Row, from 0.
        row: usize,
    },
    /// Fewer clusters than two.
    #[error("clustered errors need at least 2 clusters, found {found}")]
    Clusters {
        /// Clusters.
        found: usize,
    },
    /// A response that the family does not have.
    #[error("the response of row {row} is {value}, and {family} needs {expected}")]
    Response {
        /// Row, from 0.
        row: usize,
        /// The value.
        value: f64,
        /// The family.
        family: &'static str,
        /// What it needs.
        expected: &'static str,
    },
    /// A response with one value.
    #[error("the response does not vary: every value is {value}")]
    ConstantResponse {
        /// The value.
        value: f64,
    },
    /// Perfect separation: the likelihood has no maximum.
    #[error(
        "the terms separate the responses completely{by}, so that the likelihood has no maximum"
    )]
    Separation {
        /// The columns that do, as words; empty where several together do.
        by: String,
    },
    /// An iteration that did not end.
    #[error("{method} did not converge in {iterations} iterations")]
    NoConvergence {
        /// The method.
        method: &'static str,
        /// Iterations.
        iterations: usize,
    },
    /// A number beyond the range of doubles.
    #[error("the fit overflows the range of doubles")]
    Overflow,
    /// A problem with words of its own.
    #[error("{0}")]
    Unsuitable(String),
    /// The caller ended it.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}
