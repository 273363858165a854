//! [`SeriesError`]: why a series has no answer.

use numerics::Interruption;

/// Why a series cannot be analysed as asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SeriesError {
    /// Too few values.
    #[error("{what} needs at least {needed} values, found {found}")]
    TooShort {
        /// The method.
        what: &'static str,
        /// The least number.
        needed: usize,
        /// The number of values.
        found: usize,
    },
    /// All values are the same.
    #[error("all values are equal")]
    Constant,
    /// A whole number outside of its range.
    #[error("expected {what} from {least} to {most}, found {found}")]
    Range {
        /// What it counts.
        what: &'static str,
        /// The least.
        least: usize,
        /// The largest.
        most: usize,
        /// The number.
        found: usize,
    },
    /// A multiplicative form or a logarithm of values that are not all above 0.
    #[error("{what} needs values above 0, found {value}")]
    NotPositive {
        /// The form.
        what: &'static str,
        /// The least value.
        value: f64,
    },
    /// No model could be fitted.
    #[error("no {what} fits the series")]
    NoModel {
        /// The family of models.
        what: &'static str,
    },
    /// The caller said no.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}
