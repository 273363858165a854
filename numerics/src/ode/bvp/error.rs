//! [`BvpError`]: why there is no result at all. A problem that is not solved has a result that says so.

use crate::watch::Interruption;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BvpError {
    /// The caller said no.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The interval is no interval.
    #[error("expected two ascending finite times, found {start} and {end}")]
    Span {
        /// The start.
        start: f64,
        /// The end.
        end: f64,
    },
    /// The points of a mesh would be the same double.
    #[error("the interval is too short for a mesh of doubles")]
    TooShort,
    /// A breakpoint is not between the one before it and the end.
    #[error(
        "expected ascending breakpoints within the interval, found {time} (number {index}, counted from 0)"
    )]
    Breakpoint {
        /// Its index.
        index: usize,
        /// The time.
        time: f64,
    },
    /// The ends and the breakpoints are more than the points of a mesh.
    #[error(
        "expected at least {least} mesh points for the ends and the breakpoints, found {found}"
    )]
    FewNodes {
        /// The fewest.
        least: usize,
        /// What is allowed.
        found: usize,
    },
    /// The guess has not as many numbers per point as there are components, or fewer than two points, or they do not ascend, or a number is not finite.
    #[error(
        "expected a guess of {components} finite numbers at each of at least two ascending points"
    )]
    Guess {
        /// The components.
        components: usize,
    },
}
