//! Integrals of functions of one variable, with errors that hold.
//!
//! [`integrate_function`] is the one to read first: a globally adaptive Gauss-Kronrod rule (`rule`) over charts of the range (`chart`) in
//! which every end, also an infinite one, is at zero, where doubles are dense. Where halving does not help, an end or a singular place
//! inside is summed over intervals that halve towards it, or over half-waves, and the limit extrapolated (`ladder`); at the end samples
//! at irregular places, and where bounds of the integrand say that they have missed something (`hunt`), are held against the panels (`look`). [`double_exponential`] is a second method, independent of the first.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::quadrature::{QuadratureRequest, integrate_function};
//!
//! let mut f = |x: &[f64], y: &mut [f64]| {
//!     y.iter_mut().zip(x).for_each(|(y, x)| *y = (-x * x).exp());
//!     Ok(())
//! };
//! let request = QuadratureRequest::between(&[f64::NEG_INFINITY, f64::INFINITY]);
//! let found = integrate_function(&mut f, &request, &NoWatch)?;
//! assert!((found.value - std::f64::consts::PI.sqrt()).abs() <= found.error && found.error < 1e-9);
//! # Ok::<(), numerics::quadrature::QuadratureError>(())
//! ```
//!
//! # References
//! R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, "QUADPACK", Springer 1983; I. M. Longman, "Note on a method for
//! computing infinite integrals of oscillatory functions", Math. Proc. Camb. Phil. Soc. 52, 1956.

mod chart;
mod cubature;
mod derivatives;
mod double_exponential;
mod engine;
mod epsilon;
mod hunt;
mod ladder;
mod locate;
mod look;
mod panel;
mod random;
mod rule;
mod sampled;
pub mod samples;
mod sobol;
mod waves;

use self::chart::RangeChart;
pub use self::cubature::{CubatureResult, Field, cubature_points, integrate_box};
pub use self::derivatives::{SampledDerivatives, differentiate_samples, differentiate_spline};
pub use self::double_exponential::double_exponential;
use self::engine::QuadratureEngine;
use self::panel::ChartSpan;
pub use self::random::{RandomisedIntegral, integrate_by_random_points};
pub use self::sampled::{SampleRule, SampledIntegral, UNEVEN_STEPS, integrate_samples};
pub use self::sobol::{SOBOL_DIMENSIONS, SobolSequence};
use crate::roots::interval::Interval;
use crate::watch::{FunctionError, Interruption, Watch};

#[cfg(test)]
mod tests;

/// An integrand: fills in the values at some places, or fails. Values may be infinite or NaN.
pub type Values<'f> = dyn FnMut(&[f64], &mut [f64]) -> Result<(), FunctionError> + 'f;

/// Bounds of the integrand on an interval; `None` where there are none.
pub type Bounds<'f> = dyn Fn(Interval) -> Option<Interval> + 'f;

/// Reason that there is no integral.
#[derive(Debug, thiserror::Error)]
pub enum QuadratureError {
    /// The caller ended it.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
    /// The integrand failed.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The integrand has no finite value around a place.
    #[error("the integrand has no finite value around {at}")]
    Undefined {
        /// The place.
        at: f64,
    },
    /// The integral does not converge at a place, which may be infinite.
    #[error("the integral diverges at {at}")]
    Divergent {
        /// The place.
        at: f64,
    },
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuadratureEnd {
    /// The error is at most as large as asked for.
    Tolerance,
    /// The error is that of rounding, or of the limit at an end: more evaluations gain nothing.
    Rounding,
    /// All evaluations were used.
    Evaluations,
}

/// How to integrate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuadratureMethod {
    /// Adaptive, with ends, singular places and half-waves treated.
    Auto,
    /// Adaptive halving alone.
    Plain,
    /// As `Auto`, with ends summed over half-waves from the start.
    Waves,
}

/// An integral to compute, and its tolerances.
#[derive(Clone)]
pub struct QuadratureRequest<'a> {
    /// Ends and break points in ascending order, at least two; the first and the last may be infinite.
    pub points: &'a [f64],
    /// Those of the points that are poles, of which the principal value is meant; not the first, not the last, no two neighbours.
    pub poles: &'a [f64],
    /// Error asked for, relative to the integral.
    pub relative: f64,
    /// Error asked for, in units of the integral; the larger of both counts.
    pub absolute: f64,
    /// Most evaluations, exceeded by few.
    pub evaluations_max: u64,
    /// Samples of the second look; 0 for none.
    pub samples: usize,
    /// Bounds of the integrand, which lead to what lies between the samples.
    pub bounds: Option<&'a Bounds<'a>>,
    /// How.
    pub method: QuadratureMethod,
}

impl<'a> QuadratureRequest<'a> {
    /// Between ends and break points in ascending order, to ten digits.
    pub fn between(points: &'a [f64]) -> Self {
        Self {
            points,
            poles: &[],
            relative: 1e-10,
            absolute: 0.0,
            evaluations_max: 5_000_000,
            samples: 1 << 13,
            bounds: None,
            method: QuadratureMethod::Auto,
        }
    }
}

/// An integral.
#[derive(Debug, Clone, PartialEq)]
pub struct Integral {
    /// The value.
    pub value: f64,
    /// Bound on the error, by comparison of rules, the rounding of values and places included.
    pub error: f64,
    /// The part of `error` that is rounding.
    pub rounding: f64,
    /// Integral of the magnitude of the integrand.
    pub absolute: f64,
    /// Evaluations of the integrand.
    pub evaluations: u64,
    /// Intervals at the end.
    pub panels: usize,
    /// Why it ended.
    pub ending: QuadratureEnd,
    /// Places inside at which the integrand or a low derivative is not continuous, in ascending order.
    pub singular: Vec<f64>,
    /// Whether half-waves were extrapolated.
    pub oscillates: bool,
    /// Ends of the part of the range that holds nearly all of `absolute`.
    pub bulk: (f64, f64),
}

impl Integral {
    /// The integral over nothing.
    pub fn zero() -> Self {
        Self {
            value: 0.0,
            error: 0.0,
            rounding: 0.0,
            absolute: 0.0,
            evaluations: 0,
            panels: 0,
            ending: QuadratureEnd::Tolerance,
            singular: Vec::new(),
            oscillates: false,
            bulk: (0.0, 0.0),
        }
    }

    /// The integral over two ranges that follow each other, held against a relative and an absolute tolerance.
    #[must_use]
    pub fn joined(self, next: &Self, (relative, absolute): (f64, f64)) -> Self {
        let (value, error) = (self.value + next.value, self.error + next.error);
        let ending = match (self.ending, next.ending) {
            (QuadratureEnd::Evaluations, _) | (_, QuadratureEnd::Evaluations) => {
                QuadratureEnd::Evaluations
            }
            _ if error <= absolute.max(relative * value.abs()) => QuadratureEnd::Tolerance,
            _ => QuadratureEnd::Rounding,
        };
        Self {
            value,
            error,
            rounding: self.rounding + next.rounding,
            absolute: self.absolute + next.absolute,
            evaluations: self.evaluations + next.evaluations,
            panels: self.panels + next.panels,
            ending,
            singular: self.singular,
            oscillates: false,
            bulk: (self.bulk.0, next.bulk.1),
        }
    }
}

/// Integrates over each interval between ascending points by [`double_exponential`], and joins what it finds.
///
/// # Errors
/// As there.
pub fn double_exponential_between(
    f: &mut Values<'_>,
    points: &[f64],
    tolerances: (f64, f64),
    evaluations_max: u64,
    watch: &dyn Watch,
) -> Result<Integral, QuadratureError> {
    let mut all: Option<Integral> = None;
    for pair in points.windows(2) {
        let one = double_exponential(f, (pair[0], pair[1]), tolerances, evaluations_max, watch)?;
        all = Some(match all {
            None => one,
            Some(before) => before.joined(&one, tolerances),
        });
    }
    Ok(all.unwrap_or_else(Integral::zero))
}

/// Integrates a function of one variable.
///
/// # Accuracy and cost
/// The error sums the differences of the 10- and the 21-point rule of each interval, unscaled, the errors of limits, and
/// `eps (2 |f| + |x f'|)`, the rounding of values and places; it is meant to exceed the true one always. 21 evaluations for each interval,
/// in blocks, and `samples` for the second look.
///
/// # Errors
/// [`QuadratureError`].
pub fn integrate_function(
    f: &mut Values<'_>,
    request: &QuadratureRequest<'_>,
    watch: &dyn Watch,
) -> Result<Integral, QuadratureError> {
    let (charts, reaches) = build_charts(request);
    let mut engine = QuadratureEngine::new(f, charts, watch);
    engine.evaluations_max = request.evaluations_max;
    engine.tolerances = (request.relative, request.absolute);
    engine.is_plain = request.method == QuadratureMethod::Plain;
    engine.by_waves = request.method == QuadratureMethod::Waves;
    let spans: Vec<ChartSpan> = reaches
        .iter()
        .map(|&(chart, reach)| ChartSpan::new(chart, 0.0, reach))
        .collect();
    let mut waiting = Vec::new();
    for panel in engine.measure(&spans)? {
        engine.check_defined(&panel)?;
        let is_far = matches!(engine.charts[panel.span.chart], RangeChart::Far { .. });
        if engine.by_waves && is_far {
            waiting.push(panel.span);
        } else {
            engine.keep(panel);
        }
    }
    for span in waiting {
        engine.ladder(span.chart, span.high)?;
    }
    engine.halve_all()?;
    let mut ending = engine.refine()?;
    if request.samples > 0 && ending != QuadratureEnd::Evaluations {
        const LOOKS: usize = 64;
        let samples = engine.sample(&reaches, request.samples, request.bounds)?;
        for _ in 0..LOOKS {
            let split = engine.look(&samples)?;
            let total = engine.total();
            let is_met = total.error + total.noise <= engine.target(&total);
            if split == 0 && (is_met || ending == QuadratureEnd::Rounding)
                || ending == QuadratureEnd::Evaluations
            {
                break;
            }
            ending = engine.refine()?;
        }
    }
    let total = engine.total();
    let mut singular = std::mem::take(&mut engine.singular);
    singular.sort_by(f64::total_cmp);
    singular.dedup();
    Ok(Integral {
        value: total.value,
        error: total.error + total.noise,
        rounding: total.noise,
        absolute: total.absolute,
        evaluations: engine.evaluations,
        panels: engine.heap.len() + engine.done.len() + engine.settled.len(),
        ending,
        singular,
        oscillates: engine.oscillates,
        bulk: engine.bulk(),
    })
}

/// The charts of a range, and how far each reaches.
fn build_charts(request: &QuadratureRequest<'_>) -> (Vec<RangeChart>, Vec<(usize, f64)>) {
    let mut charts = Vec::new();
    let mut reaches = Vec::new();
    let mut add = |chart: RangeChart, reach: f64| {
        if reach > 0.0 {
            charts.push(chart);
            reaches.push((charts.len() - 1, reach));
        }
    };
    // Zero is where functions of a wide range are apt to have their features, and where doubles are dense.
    let mut points = request.points.to_vec();
    let at = points.partition_point(|&x| x < 0.0);
    if at > 0
        && at < points.len()
        && points[at] > 0.0
        && points[at - 1].is_finite()
        && points[at].is_finite()
    {
        points.insert(at, 0.0);
    }
    let points = points.as_slice();
    let is_pole = |x: f64| request.poles.contains(&x);
    // A pole takes the same distance from the intervals on both of its sides.
    let reach_of = |index: usize| {
        let half = |a: f64, b: f64| {
            if (b - a).is_finite() {
                (b - a) / 2.0
            } else {
                1.0
            }
        };
        half(points[index - 1], points[index]).min(half(points[index], points[index + 1]))
    };
    let inside = points.len().saturating_sub(2);
    for (index, &point) in points.iter().enumerate().skip(1).take(inside) {
        if is_pole(point) {
            let reach = reach_of(index);
            add(RangeChart::pair(point, reach), reach);
        }
    }
    for (index, pair) in points.windows(2).enumerate() {
        let inner = |index: usize| {
            let is_inside = 0 < index && index + 1 < points.len();
            if is_inside && is_pole(points[index]) {
                reach_of(index)
            } else {
                0.0
            }
        };
        let (low, high) = (pair[0] + inner(index), pair[1] - inner(index + 1));
        match (low.is_finite(), high.is_finite()) {
            (true, true) => {
                let half = high / 2.0 - low / 2.0;
                add(
                    RangeChart::Near {
                        origin: low,
                        sign: 1.0,
                    },
                    half,
                );
                add(
                    RangeChart::Near {
                        origin: high,
                        sign: -1.0,
                    },
                    half,
                );
            }
            (true, false) => {
                add(
                    RangeChart::Near {
                        origin: low,
                        sign: 1.0,
                    },
                    1.0,
                );
                add(
                    RangeChart::Far {
                        origin: low,
                        sign: 1.0,
                    },
                    1.0,
                );
            }
            (false, true) => {
                add(
                    RangeChart::Near {
                        origin: high,
                        sign: -1.0,
                    },
                    1.0,
                );
                add(
                    RangeChart::Far {
                        origin: high,
                        sign: -1.0,
                    },
                    1.0,
                );
            }
            (false, false) => {
                for sign in [-1.0, 1.0] {
                    add(RangeChart::Near { origin: 0.0, sign }, 1.0);
                    add(RangeChart::Far { origin: 0.0, sign }, 1.0);
                }
            }
        }
    }
    (charts, reaches)
}
