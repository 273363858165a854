//! The loop: design, fit, search the acquisition, evaluate.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use tool_core::{Ctx, RandomSeed, ToolError};

use super::AcquisitionFunction;
use super::acquisition::{self, AcquisitionGoal};
use crate::bayes::ascent::maximise_in_box;
use crate::bayes::process::{GaussianProcess, ProcessObservations};

/// Points at which the acquisition is looked at before the local searches, for each dimension.
const CANDIDATES: usize = 300;
/// Local searches.
const STARTS: usize = 6;
/// Points of the cube closer than this are the same to the model.
const SAME: f64 = 1e-7;
/// Beyond this many observations the length scales are fitted only every fifth time.
const REFIT_ALWAYS: usize = 80;

/// Settings of a search.
pub(super) struct BayesoptSettings {
    pub(super) dimension: usize,
    pub(super) initial: usize,
    pub(super) iterations: usize,
    pub(super) acquisition: AcquisitionFunction,
    pub(super) nugget: f64,
    pub(super) seed: RandomSeed,
}

/// The course of a search: every evaluation in order, in the unit cube, and the last model.
pub(super) struct BayesoptSearch {
    pub(super) x: Vec<f64>,
    /// Values to maximise; NaN where the objective was not finite.
    pub(super) y: Vec<f64>,
    /// Over standardised values.
    pub(super) process: GaussianProcess,
    /// Standard deviation of the values, the unit of the model.
    pub(super) spread: f64,
    /// Largest expected improvement of the last model, in the units of y.
    pub(super) expected_improvement: f64,
}

/// Maximises an objective over the unit cube.
///
/// Values that are not finite are left out of the statistics and enter the model as the worst value seen, so that the search
/// moves away from them.
///
/// # Errors
/// Those of the objective; `cancelled` and `timeout`.
pub(super) fn maximise_objective(
    plan: &BayesoptSettings,
    ctx: &Ctx,
    mut objective: impl FnMut(&[f64]) -> Result<f64, ToolError>,
) -> Result<BayesoptSearch, ToolError> {
    let d = plan.dimension;
    let mut x = latin_hypercube(plan.initial, d, &mut ctx.rng(plan.seed, 0));
    let mut y = Vec::with_capacity(plan.initial + plan.iterations);
    for point in x.chunks_exact(d) {
        y.push(objective(point)?);
    }
    let mut lengths: Option<Vec<f64>> = None;
    for iteration in 0..plan.iterations {
        let mut rng = ctx.rng(plan.seed, 1 + iteration as u64);
        let refit = y.len() <= REFIT_ALWAYS || iteration % 5 == 0;
        let model = SurrogateModel::fit(plan, &x, &y, lengths.as_deref(), refit, &mut rng, ctx)?;
        let mut next = model.propose(AcquisitionGoal::Acquire(plan.acquisition), &mut rng, ctx)?;
        // Below the noise the acquisition has nothing to say about where exactly the best point is; the mean has.
        if iteration % 2 == 0 && model.expected_improvement(&next) < model.process.noise_std() {
            let top = model.propose(AcquisitionGoal::Mean, &mut rng, ctx)?;
            if !is_evaluated_point(&x, &top) {
                next = top;
            }
        }
        if is_evaluated_point(&x, &next) {
            next = least_known(&model.process, &x, d, &mut rng);
        }
        y.push(objective(&next)?);
        x.extend(next);
        lengths = Some(model.process.lengths);
        let (done, all) = (iteration + 1, plan.iterations);
        ctx.progress(done as f64 / all as f64, || {
            format!("iteration {done} of {all}")
        });
    }
    let mut rng = ctx.rng(plan.seed, 1 + plan.iterations as u64);
    let model = SurrogateModel::fit(plan, &x, &y, lengths.as_deref(), true, &mut rng, ctx)?;
    let peak = model.propose(
        AcquisitionGoal::Acquire(AcquisitionFunction::Ei),
        &mut rng,
        ctx,
    )?;
    Ok(BayesoptSearch {
        x,
        y,
        expected_improvement: model.spread * model.expected_improvement(&peak),
        process: model.process,
        spread: model.spread,
    })
}

/// A process over standardised values, with the best of them.
struct SurrogateModel {
    process: GaussianProcess,
    spread: f64,
    best: f64,
    /// Index of the best value.
    centre: Vec<f64>,
}

impl SurrogateModel {
    fn fit(
        plan: &BayesoptSettings,
        x: &[f64],
        y: &[f64],
        lengths: Option<&[f64]>,
        refit: bool,
        rng: &mut impl Rng,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        ctx.check()?;
        let d = plan.dimension;
        let (spread, z) = standardise_values(y);
        let (y, dimension) = (&z[..], d);
        let data = ProcessObservations { x, y, dimension };
        let process = match lengths {
            Some(lengths) if !refit => GaussianProcess::condition(data, lengths, plan.nugget, ctx)?,
            known => GaussianProcess::fit(data, plan.nugget, known, rng, ctx)?,
        };
        let best = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let incumbent = z.iter().position(|value| *value == best).unwrap_or(0);
        Ok(Self {
            process,
            spread,
            best,
            centre: x[incumbent * d..(incumbent + 1) * d].to_vec(),
        })
    }

    fn expected_improvement(&self, point: &[f64]) -> f64 {
        acquisition::expected_improvement(self.process.predict(point), self.best)
    }

    /// The point that is best for a goal: scattered candidates, some near the best point so far, then local searches.
    fn propose(
        &self,
        goal: AcquisitionGoal,
        rng: &mut impl Rng,
        ctx: &Ctx,
    ) -> Result<Vec<f64>, ToolError> {
        const ITERATIONS_MAX: usize = 60;
        let (process, best) = (&self.process, self.best);
        let d = self.centre.len();
        let scattered = latin_hypercube((CANDIDATES * d).min(3000), d, rng);
        let scattered = scattered.chunks_exact(d).map(|point| (0.0, point.to_vec()));
        let mut candidates: Vec<(f64, Vec<f64>)> = scattered.collect();
        for scale in [0.1, 0.01, 0.001] {
            for _ in 0..20 * d {
                let moved = self.centre.iter().map(|value| {
                    (value + scale * (2.0 * rng.random::<f64>() - 1.0)).clamp(0.0, 1.0)
                });
                candidates.push((0.0, moved.collect()));
            }
        }
        for (value, point) in &mut candidates {
            ctx.check()?;
            *value = acquisition::acquisition_value(goal, process, best, point);
        }
        candidates.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut peak: Option<(f64, Vec<f64>)> = None;
        for (_, start) in candidates.iter().take(STARTS) {
            let found =
                maximise_in_box(start, (0.0, 1.0), ITERATIONS_MAX, ctx, |point, gradient| {
                    acquisition::acquisition_with_gradient(goal, process, best, point, gradient)
                })?;
            if peak.as_ref().is_none_or(|(value, _)| found.value > *value) {
                peak = Some((found.value, found.x));
            }
        }
        Ok(peak.map_or_else(|| self.centre.clone(), |(_, point)| point))
    }
}

/// One point in each of `count` slices of every dimension.
///
/// # References
/// M. D. McKay, R. J. Beckman and W. J. Conover, Technometrics 21(2), 1979.
fn latin_hypercube(count: usize, d: usize, rng: &mut impl Rng) -> Vec<f64> {
    let mut points = vec![0.0; count * d];
    let mut slices: Vec<usize> = (0..count).collect();
    for k in 0..d {
        slices.shuffle(rng);
        for (row, slice) in slices.iter().enumerate() {
            points[row * d + k] = (*slice as f64 + rng.random::<f64>()) / count as f64;
        }
    }
    points
}

/// The standard deviation, and the values with mean 0 and variance 1; those that are not finite become the worst one.
fn standardise_values(y: &[f64]) -> (f64, Vec<f64>) {
    let finite = y.iter().copied().filter(|value| value.is_finite());
    let finite: Vec<f64> = finite.collect();
    let count = finite.len().max(1) as f64;
    let centre = finite.iter().map(|value| value / count).sum::<f64>();
    let deviations = finite.iter().map(|value| (value - centre) / count.sqrt());
    let spread = deviations.fold(0.0_f64, f64::hypot);
    let usable = spread > 0.0 && spread.is_finite();
    let spread = if usable { spread } else { 1.0 };
    let worst = finite.iter().copied().fold(f64::INFINITY, f64::min);
    let worst = if worst.is_finite() { worst } else { centre };
    let z = y
        .iter()
        .map(|value| (if value.is_finite() { *value } else { worst } - centre) / spread);
    (spread, z.collect())
}

/// Whether a point has been evaluated already, as far as the model can tell.
fn is_evaluated_point(x: &[f64], point: &[f64]) -> bool {
    x.chunks_exact(point.len())
        .any(|known| known.iter().zip(point).all(|(a, b)| (a - b).abs() < SAME))
}

/// Of some scattered points, the one the model knows least about.
fn least_known(process: &GaussianProcess, x: &[f64], d: usize, rng: &mut impl Rng) -> Vec<f64> {
    let points = latin_hypercube(100 * d, d, rng);
    let farthest = points
        .chunks_exact(d)
        .filter(|point| !is_evaluated_point(x, point))
        .max_by(|a, b| process.predict(a).std.total_cmp(&process.predict(b).std));
    farthest.map_or_else(|| points[..d].to_vec(), <[f64]>::to_vec)
}
