//! Randomised quasi-Monte Carlo: the mean over scrambled Sobol' points, 16 times.

use kernels::quadrature::{QuadratureEnd, SobolSequence};
use rand::rand_core::Rng as _;

use super::{MultipleIntegral, UnitCubeIntegrand};
use crate::prelude::*;

/// Independent randomisations.
const TIMES: usize = 16;
/// Standard errors that make the stated error: with 15 degrees of freedom, exceeded about twice in 10,000 times.
const STANDARD_ERRORS: f64 = 5.0;

pub(super) fn integrate_by_random_points(
    field: &mut UnitCubeIntegrand<'_>,
    n: usize,
    (relative, absolute): (f64, f64),
    most: u64,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<MultipleIntegral, ToolError> {
    const FIRST: u32 = 64;
    const CHUNK: u32 = 1 << 12;
    ctx.reserve_doubles((n + 1) * 2 * CHUNK as usize + TIMES * n * 32)?;
    let sequences: Vec<SobolSequence> = (0..TIMES)
        .map(|time| {
            let mut rng = ctx.rng(seed, time as u64);
            SobolSequence::new((0..n).map(|_| rng.next_u64() as u32).collect())
        })
        .collect();
    let mut sums = [0.0; TIMES];
    let (mut done, mut count) = (0_u32, FIRST);
    let mut undefined = false;
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
                field.values(&points, &mut values)?;
                undefined |= values.iter().any(|value| !value.is_finite());
                *sum += kernels::vector::sum_numbers(&values);
            }
        }
        done = count;
        let means = sums.map(|sum| sum / f64::from(count));
        let integral = means.iter().sum::<f64>() / TIMES as f64;
        let squares: f64 = means
            .iter()
            .map(|mean| (mean - integral) * (mean - integral))
            .sum();
        let standard_error = (squares / (TIMES * (TIMES - 1)) as f64).sqrt();
        let rounding = 8.0 * f64::EPSILON * integral.abs();
        let error = STANDARD_ERRORS * standard_error + rounding;
        let evaluations = u64::from(count) * TIMES as u64;
        let is_met = error <= absolute.max(relative * integral.abs()) && count >= 4 * FIRST;
        let is_last = 2 * evaluations > most || count >= 1 << 30;
        if undefined || is_met || is_last {
            let ending = if is_met {
                QuadratureEnd::Tolerance
            } else {
                QuadratureEnd::Evaluations
            };
            let standard_error = Some(standard_error);
            return Ok(MultipleIntegral {
                integral,
                error,
                standard_error,
                evaluations,
                ending,
                undefined,
            });
        }
        count *= 2;
    }
}
