//! [`RootError`]: why a search for roots has no result.

use crate::watch::{FunctionError, Interruption};

/// Why a search for roots has no result.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// The caller ended it.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The function of the caller failed.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The function has no value at an end of the interval, and no sign change was found inside.
    #[error("the function has no value at {x:?}, and no sign change was found in the interval")]
    UndefinedEnd {
        /// The end.
        x: f64,
        /// Whether it is the upper end.
        is_upper: bool,
    },
    /// The function has no value at the start.
    #[error("the function has no value at the start {x:?}")]
    UndefinedStart {
        /// The start.
        x: f64,
    },
    /// The function has the same sign at both ends and at all samples between.
    #[error(
        "the function has the same sign at {low:?} ({at_low:?}), {high:?} ({at_high:?}) and {samples} samples between"
    )]
    NoSignChange {
        /// The lower end.
        low: f64,
        /// The value there.
        at_low: f64,
        /// The upper end.
        high: f64,
        /// The value there.
        at_high: f64,
        /// Samples between.
        samples: usize,
    },
    /// The function has the same sign on both sides of the start, as far as it has values.
    #[error("the function has the same sign on both sides of {start:?}")]
    NoSignChangeAround {
        /// The start.
        start: f64,
    },
    /// An equation or a derivative is not finite at any start.
    #[error("an equation or a derivative is not finite at any of {starts} starts")]
    NotFinite {
        /// Starts that were tried.
        starts: usize,
    },
}
