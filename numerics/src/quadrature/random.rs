//! Randomised quasi-Monte Carlo: the mean over scrambled Sobol' points, 16 times.

use rand::rand_core::Rng as _;
use random_streams::stream_rng;

use super::{Field, QuadratureEnd, QuadratureError, SobolSequence};
use crate::watch::Watch;

/// The mean over the unit cube, with its errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomisedIntegral {
    /// The value.
    pub value: f64,
    /// Five standard errors, and rounding.
    pub error: f64,
    /// Standard error of the mean of the randomisations.
    pub standard_error: f64,
    /// Evaluations of the integrand.
    pub evaluations: u64,
    /// Why it ended.
    pub ending: QuadratureEnd,
    /// Whether a value was not finite.
    pub is_undefined: bool,
}

/// Independent randomisations.
const TIMES: usize = 16;
/// Standard errors that make the stated error: with 15 degrees of freedom, exceeded about twice in 10,000 times.
const STANDARD_ERRORS: f64 = 5.0;

/// Integrates over the unit cube of up to [`SOBOL_DIMENSIONS`](super::SOBOL_DIMENSIONS) dimensions, by means over scrambled points.
///
/// The points double until the error, five standard errors of 16 randomisations, is within the relative or the absolute tolerance, or
/// another doubling would need more than `evaluations_max` evaluations. The same seed gives the same bits.
///
/// # Errors
/// [`QuadratureError::Function`], [`QuadratureError::Interrupted`].
pub fn integrate_by_random_points(
    f: &mut Field<'_>,
    n: usize,
    (relative, absolute): (f64, f64),
    evaluations_max: u64,
    seed: u64,
    watch: &dyn Watch,
) -> Result<RandomisedIntegral, QuadratureError> {
    const FIRST: u32 = 64;
    const CHUNK: u32 = 1 << 12;
    watch.reserve_doubles((n + 1) * 2 * CHUNK as usize + TIMES * n * 32)?;
    let sequences: Vec<SobolSequence> = (0..TIMES)
        .map(|time| {
            let mut rng = stream_rng(seed, time as u64);
            SobolSequence::new((0..n).map(|_| rng.next_u64() as u32).collect())
        })
        .collect();
    let mut sums = [0.0; TIMES];
    let (mut done, mut count) = (0_u32, FIRST);
    let mut is_undefined = false;
    loop {
        for (sequence, sum) in sequences.iter().zip(&mut sums) {
            for first in (done..count).step_by(CHUNK as usize) {
                let last = (first + CHUNK).min(count);
                let axis = |axis: usize| {
                    (first..last)
                        .map(|point| sequence.coordinate(point, axis))
                        .collect()
                };
                let points: Vec<Vec<f64>> = (0..n).map(axis).collect();
                let mut values = vec![0.0; (last - first) as usize];
                watch.check()?;
                watch.count_evaluations(values.len() as u64)?;
                f(&points, &mut values)?;
                is_undefined |= values.iter().any(|value| !value.is_finite());
                *sum += crate::vector::sum_numbers(&values);
            }
        }
        done = count;
        let means = sums.map(|sum| sum / f64::from(count));
        let value = means.iter().sum::<f64>() / TIMES as f64;
        let squares: f64 = means
            .iter()
            .map(|mean| (mean - value) * (mean - value))
            .sum();
        let standard_error = (squares / (TIMES * (TIMES - 1)) as f64).sqrt();
        let rounding = 8.0 * f64::EPSILON * value.abs();
        let error = STANDARD_ERRORS * standard_error + rounding;
        let evaluations = u64::from(count) * TIMES as u64;
        let is_met = error <= absolute.max(relative * value.abs()) && count >= 4 * FIRST;
        let is_last = 2 * evaluations > evaluations_max || count >= 1 << 30;
        if is_undefined || is_met || is_last {
            let ending = if is_met {
                QuadratureEnd::Tolerance
            } else {
                QuadratureEnd::Evaluations
            };
            return Ok(RandomisedIntegral {
                value,
                error,
                standard_error,
                evaluations,
                ending,
                is_undefined,
            });
        }
        count *= 2;
    }
}
