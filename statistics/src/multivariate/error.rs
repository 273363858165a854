//! [`MultivariateError`]: why rows of numbers have no answer.

use numerics::Interruption;

/// Why rows of numbers have no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MultivariateError {
    /// No column.
    #[error("expected at least one column, found none")]
    NoColumns,
    /// Fewer rows than needed.
    #[error("expected at least {needed} rows, found {found}")]
    TooFewRows {
        /// Least number.
        needed: usize,
        /// Rows.
        found: usize,
    },
    /// More rows than a method whose memory is their square takes.
    #[error("expected at most {most} rows, found {found}")]
    TooManyRows {
        /// Most.
        most: usize,
        /// Rows.
        found: usize,
    },
    /// Columns of different lengths.
    #[error("expected columns of one length, found {first} and {other} rows")]
    Ragged {
        /// Rows of the first column.
        first: usize,
        /// Rows of another one.
        other: usize,
    },
    /// No column varies.
    #[error("no column varies: every row is the same")]
    Constant,
    /// More clusters than different rows.
    #[error("expected at most {distinct} clusters, one for each different row, found {clusters}")]
    Clusters {
        /// Clusters.
        clusters: usize,
        /// Different rows.
        distinct: usize,
    },
    /// A row of zeros, which has no direction.
    #[error("row {row} is zero in every column and has no direction")]
    ZeroRow {
        /// Row, from 0.
        row: usize,
    },
    /// Columns that depend on each other where they may not.
    #[error("{0}")]
    Dependent(&'static str),
    /// A number beyond the range of doubles.
    #[error("the result is beyond the range of doubles")]
    Overflow,
    /// An iteration that did not end.
    #[error("{0} did not converge")]
    NoConvergence(&'static str),
    /// The caller ended it.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}

impl From<numerics::dense::SpectralConvergenceError> for MultivariateError {
    fn from(err: numerics::dense::SpectralConvergenceError) -> Self {
        Self::NoConvergence(err.what)
    }
}
