//! [`SamplingError`]: why there are no draws.

use crate::watch::Interruption;

/// Why there are no draws.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SamplingError {
    /// The caller ended it.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The density has no finite integral.
    #[error("{0}: the density has no finite integral")]
    Improper(ImproperEvidence),
    /// The log density is plus infinity.
    #[error("the log density is infinite at {point:?}")]
    Unbounded {
        /// Where.
        point: Vec<f64>,
    },
    /// No step along the gradient keeps the energy.
    #[error("no step along the gradient keeps the energy: the log density is too rough")]
    Rough,
    /// The mean or the variance is beyond the range of a double.
    #[error("the mean or the variance of the values is beyond the range of a double")]
    Overflow,
}

/// How it shows that a density has no finite integral.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImproperEvidence {
    /// The moments of the draws are not finite.
    #[error("the draws diverge")]
    DivergingDraws,
    /// Steps of every size are accepted.
    #[error("the log density does not fall in some direction")]
    FlatDirection,
}
