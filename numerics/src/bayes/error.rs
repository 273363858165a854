//! [`BayesError`]: how a search or a fit of a process ends that has no result.

use crate::{FunctionError, Interruption};

/// How a search or a fit of a process ends that has no result.
#[derive(Debug, thiserror::Error)]
pub enum BayesError {
    /// The caller said no.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The objective failed.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// No points, or coordinates that do not fit their number.
    #[error("{coordinates} coordinates of {points} points in {dimension} dimensions")]
    Shape {
        /// Points.
        points: usize,
        /// Coordinates of a point.
        dimension: usize,
        /// Coordinates found.
        coordinates: usize,
    },
    /// The correlations of the points cannot be told from those of fewer points.
    #[error(
        "the correlation matrix of {points} points has no Cholesky factor, with a nugget up to {nugget:.1e}"
    )]
    Singular {
        /// Points of the process.
        points: usize,
        /// The largest nugget that was tried, relative to the signal variance.
        nugget: f64,
    },
}
