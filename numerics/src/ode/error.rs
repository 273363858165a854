//! [`OdeError`]: why equations were not integrated at all. An integration that ends early is a result.

use crate::dense::SpectralConvergenceError;
use crate::watch::Interruption;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OdeError {
    /// The caller said no.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// An argument does not fit.
    #[error(transparent)]
    Argument(#[from] OdeArgumentError),
    /// The right-hand side is not finite at the start.
    #[error("the derivative of component {component} at the start (t = {t}) is {value}")]
    StartSlope {
        /// The first component where it is not.
        component: usize,
        /// The start.
        t: f64,
        /// The derivative.
        value: f64,
    },
    /// An event sets an entry of the state to what is not finite.
    #[error("event {event} sets entry {entry} of the state at t = {t} to {value}")]
    EventValue {
        /// Index of the event.
        event: usize,
        /// The entry.
        entry: usize,
        /// The time.
        t: f64,
        /// The new value.
        value: f64,
    },
    /// The singular values of the mass matrix were not found.
    #[error(transparent)]
    MassDecomposition(#[from] SpectralConvergenceError),
    /// The algebraic equations do not determine what the differential equations leave open.
    #[error(
        "the equations without a derivative do not determine the rest at the start (t = {t}): their index is higher than 1"
    )]
    HigherIndex {
        /// The start.
        t: f64,
    },
    /// The start does not fulfil the algebraic equations.
    #[error(
        "the start does not fulfil the equations without a derivative: component {component} = {found} should be about {better}"
    )]
    InconsistentStart {
        /// The component that is farthest off.
        component: usize,
        /// Its value.
        found: f64,
        /// What it would be to first order.
        better: f64,
    },
}

/// What is wrong with an argument of an integration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OdeArgumentError {
    /// The start has not one number per component.
    #[error("expected {expected} numbers, one per component, as the start, found {found}")]
    StartLength {
        /// The components.
        expected: usize,
        /// The numbers.
        found: usize,
    },
    /// An entry of the start is not finite.
    #[error("expected a finite number as entry {index} of the start, found {value}")]
    StartValue {
        /// The entry.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The span is empty or not finite.
    #[error("expected two different finite times, found {start} and {end}")]
    Span {
        /// The first.
        start: f64,
        /// The second.
        end: f64,
    },
    /// A time to return the state at does not fit.
    #[error(transparent)]
    Time(#[from] OdeTimeError),
    /// The relative tolerance is not one.
    #[error("expected a relative tolerance from {least:.1e} to 1, found {found}")]
    RelativeTolerance {
        /// The smallest.
        least: f64,
        /// The tolerance.
        found: f64,
    },
    /// The absolute tolerances are none.
    #[error("expected one absolute tolerance of at least 0, or one per component, found {found:?}")]
    AbsoluteTolerance {
        /// The tolerances.
        found: Vec<f64>,
    },
    /// The largest step is none.
    #[error("expected a largest step above 0, found {found}")]
    StepLimit {
        /// The step.
        found: f64,
    },
    /// Every entry of the mass matrix is 0.
    #[error("every entry of the mass matrix is 0: there is no differential equation")]
    ZeroMass,
    /// The mass matrix has not the entries of a square matrix with a row per component.
    #[error("expected {expected} entries of the mass matrix, row by row, found {found}")]
    MassLength {
        /// The square of the components.
        expected: usize,
        /// The entries.
        found: usize,
    },
    /// An entry of the mass matrix is not finite.
    #[error("expected a finite number as entry {index} of the mass matrix, found {value}")]
    MassValue {
        /// The entry, row by row.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The method needs y' itself.
    #[error("with a mass matrix `{method}` needs y' itself: use an implicit method")]
    ExplicitMethod {
        /// The name of the method.
        method: &'static str,
    },
}

impl From<OdeTimeError> for OdeError {
    fn from(error: OdeTimeError) -> Self {
        Self::Argument(error.into())
    }
}

/// What is wrong with the times to return the state at.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum OdeTimeError {
    /// One lies outside of the span.
    #[error("expected a time within the span, found {time} (number {index}, counted from 0)")]
    Outside {
        /// Its index.
        index: usize,
        /// The time.
        time: f64,
    },
    /// One does not follow the one before it in the direction of integration.
    #[error(
        "expected times in the direction of integration, found {found} after {before} (number {index}, counted from 0)"
    )]
    Order {
        /// Its index.
        index: usize,
        /// The time before it.
        before: f64,
        /// The time.
        found: f64,
    },
}

/// Whether times lie within a span, each after the one before it in the direction of the span.
///
/// # Errors
/// [`OdeTimeError`] of the first that does not; of one outside before one out of order.
pub fn check_times(times: &[f64], (start, end): (f64, f64)) -> Result<(), OdeTimeError> {
    let is_within = |time: f64| start.min(end) <= time && time <= start.max(end);
    if let Some(index) = times.iter().position(|&time| !is_within(time)) {
        let time = times[index];
        return Err(OdeTimeError::Outside { index, time });
    }
    let forward = end > start;
    let is_wrong = |pair: &[f64]| pair[0] == pair[1] || (pair[0] < pair[1]) != forward;
    if let Some(index) = times.windows(2).position(is_wrong) {
        let (before, found) = (times[index], times[index + 1]);
        let index = index + 1;
        return Err(OdeTimeError::Order {
            index,
            before,
            found,
        });
    }
    Ok(())
}
