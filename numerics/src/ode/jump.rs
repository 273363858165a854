//! Detection of jumps of the right-hand side between the points that the steps evaluated: [`search_discontinuity`].

use super::error::OdeError;
use crate::watch::Watch;

use super::drive::{OdeOptions, OdeTrajectory, integrate_flow};
use super::flow::{OdeFlow, OdeWork};
use super::observer::TrajectoryObserver;

/// The right-hand side is looked at in at least about so many places of the span.
const PLACES: f64 = 200.0;
/// Steps shorter than this part of the span have stages enough.
const LONG: f64 = 20.0;
/// Differences of the solution beyond so many times its tolerance count.
const TOLERANCES: f64 = 100.0;

/// A place where the right-hand side changes faster than the steps saw.
#[derive(Debug, Clone, Copy)]
pub struct DerivativeJump {
    /// About where.
    pub t: f64,
    /// A step that sees it.
    pub step: f64,
}

/// Searches the intervals that long steps skipped for discontinuities; returns the number of evaluations too.
///
/// # Method
/// In every step longer than 1/20 of the span the right-hand side is evaluated at equal distances of at most 1/200 of the span, along the
/// cubic through both ends of the step. The method has treated it as a polynomial of low degree there; where a value lies off the cubic
/// through its four neighbours by a fifth of the range of all of them, the step is integrated again by short steps, and counts as a jump
/// when its end differs by more than 100 times the tolerance.
///
/// # Accuracy and cost
/// At most about 260 evaluations where nothing is suspicious. Features narrower than 1/200 of the span may still be missed.
///
/// # Errors
/// As [`integrate_flow`].
pub fn search_discontinuity(
    flow: &mut dyn OdeFlow,
    path: &OdeTrajectory,
    options: &OdeOptions,
    watch: &dyn Watch,
) -> Result<(Option<DerivativeJump>, OdeWork), OdeError> {
    let span = (path.t_end() - path.t[0]).abs();
    let mut work = OdeWork::default();
    for index in 1..path.t.len() {
        let step = path.t[index] - path.t[index - 1];
        if step.abs() * LONG < span {
            continue;
        }
        let count = (PLACES * step.abs() / span).ceil() as usize;
        work.evaluations += count as u64 + 2;
        let Some(t) = suspicious_time(flow, path, index, count, options, watch)? else {
            continue;
        };
        let short = OdeOptions {
            step_max: span / PLACES,
            max_steps: 100 * count as u32,
            ..options.clone()
        };
        let ends = (path.t[index - 1], path.t[index]);
        let start = path.state(index - 1);
        let again = integrate_flow(
            flow,
            ends,
            start,
            &short,
            &mut TrajectoryObserver::none(),
            watch,
        )?;
        work += again.work;
        let scale = |index, y| TOLERANCES * options.tolerances.scale(index, y);
        let mut ends = path.state(index).iter().zip(again.y_end()).enumerate();
        let differs = ends.any(|(index, (y, again))| (y - again).abs() > scale(index, *y));
        if again.stopped.is_none() && differs {
            let step = span / PLACES;
            return Ok((Some(DerivativeJump { t, step }), work));
        }
    }
    Ok((None, work))
}

/// A time within a step at which the right-hand side is off its neighbours, by more than the tolerance can bear.
fn suspicious_time(
    flow: &mut dyn OdeFlow,
    path: &OdeTrajectory,
    index: usize,
    count: usize,
    options: &OdeOptions,
    watch: &dyn Watch,
) -> Result<Option<f64>, OdeError> {
    /// A part of the range of the values.
    const OFF: f64 = 0.2;
    /// Less than this relative to the values is rounding.
    const ROUNDING: f64 = 1e-9;
    let (before, after) = (path.state(index - 1), path.state(index));
    let (start, n) = (path.t[index - 1], before.len());
    let step = path.t[index] - start;
    watch.reserve_doubles((count + 3) * n)?;
    watch.count_evaluations(count as u64 + 2)?;
    let (mut slope, mut slope_after) = (vec![0.0; n], vec![0.0; n]);
    flow.eval(start, before, &mut slope);
    flow.eval(path.t[index], after, &mut slope_after);
    let time = |place: usize| start + step * (place as f64 + 0.5) / count as f64;
    let mut seen = vec![0.0; count * n];
    let (mut low, mut high) = (vec![f64::INFINITY; n], vec![f64::NEG_INFINITY; n]);
    let mut y = vec![0.0; n];
    for (place, values) in seen.chunks_exact_mut(n).enumerate() {
        watch.check()?;
        let s = (place as f64 + 0.5) / count as f64;
        let r = 1.0 - s;
        for (k, y) in y.iter_mut().enumerate() {
            *y = (1.0 + 2.0 * s) * r * r * before[k]
                + (3.0 - 2.0 * s) * s * s * after[k]
                + s * r * step * (r * slope[k] - s * slope_after[k]);
        }
        flow.eval(time(place), &y, values);
        for ((low, high), value) in low.iter_mut().zip(&mut high).zip(values) {
            if value.is_finite() {
                (*low, *high) = (low.min(*value), high.max(*value));
            }
        }
    }
    // How far off a value of each component may be.
    let bars = low.iter().zip(&high).enumerate().map(|(k, (low, high))| {
        let bar = (OFF * (high - low)).max(ROUNDING * low.abs().max(high.abs()));
        let larger = before[k].abs().max(after[k].abs());
        let bearable = TOLERANCES * options.tolerances.scale(k, larger);
        bar.max(bearable * count as f64 / step.abs())
    });
    let bars: Vec<f64> = bars.collect();
    let is_off = |place: &usize| {
        let around = &seen[(place - 2) * n..(place + 3) * n];
        let at = |away: usize, k: usize| around[away * n + k];
        bars.iter().enumerate().any(|(k, bar)| {
            let sides = 4.0 * (at(1, k) + at(3, k)) - at(0, k) - at(4, k);
            (at(2, k) - sides / 6.0).abs() > *bar
        })
    };
    let place = (2..count.saturating_sub(2)).find(is_off);
    Ok(place.map(time))
}
