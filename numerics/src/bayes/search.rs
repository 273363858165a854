//! The loop: design, fit, search the acquisition, evaluate.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use random_streams::stream_rng;

use super::acquisition::{self, AcquisitionFunction, AcquisitionGoal};
use super::ascent::maximise_in_box;
use super::error::BayesError;
use super::process::{GaussianProcess, ProcessObservations};
use crate::{FunctionError, Watch};

/// Points at which the acquisition is looked at before the local searches, for each dimension.
const CANDIDATES: usize = 300;
/// Local searches.
const STARTS: usize = 6;
/// Points of the cube closer than this are the same to the model.
const SAME: f64 = 1e-7;
/// Beyond this many observations the length scales are fitted only every fifth time.
const REFIT_ALWAYS: usize = 80;

/// Settings of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BayesOptions {
    /// Evaluations before the first model, on a Latin hypercube; at least 1.
    pub initial: usize,
    /// Evaluations chosen by the model.
    pub iterations: usize,
    /// What the next point maximises.
    pub acquisition: AcquisitionFunction,
    /// Variance of the noise relative to that of the process, above 0.
    pub nugget: f64,
    /// Seed of the random streams.
    pub seed: u64,
}

impl Default for BayesOptions {
    fn default() -> Self {
        Self {
            initial: 5,
            iterations: 25,
            acquisition: AcquisitionFunction::default(),
            nugget: 1e-10,
            seed: 42,
        }
    }
}

/// The course of a search: every evaluation in order, in the unit cube, and the last model.
#[derive(Debug, Clone)]
pub struct BayesSearch {
    /// The points, a row of coordinates after the other.
    pub x: Vec<f64>,
    /// Values to maximise; NaN where the objective was not finite.
    pub y: Vec<f64>,
    /// The last model, over standardised values.
    pub process: GaussianProcess,
    /// Standard deviation of the values, the unit of the model.
    pub spread: f64,
    /// Largest expected improvement of the last model, in the units of y.
    pub expected_improvement: f64,
}

/// Maximises an objective over the unit cube of a dimension of at least 1, with as many evaluations as the options say.
///
/// Values that are not finite are left out of the statistics and enter the model as the worst value seen, so that the search
/// moves away from them.
///
/// # Errors
/// Those of the objective; a stop; [`BayesError::Singular`].
pub fn maximise_in_cube(
    dimension: usize,
    plan: &BayesOptions,
    watch: &dyn Watch,
    objective: &mut dyn FnMut(&[f64]) -> Result<f64, FunctionError>,
) -> Result<BayesSearch, BayesError> {
    let d = dimension;
    if d == 0 || plan.initial == 0 {
        return Err(BayesError::Shape {
            points: plan.initial,
            dimension,
            coordinates: 0,
        });
    }
    let mut x = latin_hypercube(plan.initial, d, &mut stream_rng(plan.seed, 0));
    let mut y = Vec::with_capacity(plan.initial + plan.iterations);
    for point in x.chunks_exact(d) {
        y.push(objective(point)?);
    }
    let mut lengths: Option<Vec<f64>> = None;
    for iteration in 0..plan.iterations {
        let mut rng = stream_rng(plan.seed, 1 + iteration as u64);
        let refit = y.len() <= REFIT_ALWAYS || iteration % 5 == 0;
        let model = SurrogateModel::fit(
            (plan, d),
            &x,
            &y,
            lengths.as_deref(),
            refit,
            &mut rng,
            watch,
        )?;
        let mut next =
            model.propose(AcquisitionGoal::Acquire(plan.acquisition), &mut rng, watch)?;
        // Below the noise the acquisition has nothing to say about where exactly the best point is; the mean has.
        if iteration % 2 == 0 && model.expected_improvement(&next) < model.process.noise_std() {
            let top = model.propose(AcquisitionGoal::Mean, &mut rng, watch)?;
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
        watch.progress(Some(done as f64 / all as f64), &|| {
            format!("iteration {done} of {all}")
        });
    }
    let mut rng = stream_rng(plan.seed, 1 + plan.iterations as u64);
    let model = SurrogateModel::fit((plan, d), &x, &y, lengths.as_deref(), true, &mut rng, watch)?;
    let peak = model.propose(
        AcquisitionGoal::Acquire(AcquisitionFunction::ExpectedImprovement),
        &mut rng,
        watch,
    )?;
    Ok(BayesSearch {
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
        (plan, d): (&BayesOptions, usize),
        x: &[f64],
        y: &[f64],
        lengths: Option<&[f64]>,
        refit: bool,
        rng: &mut impl Rng,
        watch: &dyn Watch,
    ) -> Result<Self, BayesError> {
        watch.check()?;
        let (spread, z) = standardise_values(y);
        let (y, dimension) = (&z[..], d);
        let data = ProcessObservations { x, y, dimension };
        let process = match lengths {
            Some(lengths) if !refit => {
                GaussianProcess::condition(data, lengths, plan.nugget, watch)?
            }
            known => GaussianProcess::fit(data, plan.nugget, known, rng, watch)?,
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
        watch: &dyn Watch,
    ) -> Result<Vec<f64>, BayesError> {
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
            watch.check()?;
            *value = acquisition::acquisition_value(goal, process, best, point);
        }
        candidates.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut peak: Option<(f64, Vec<f64>)> = None;
        for (_, start) in candidates.iter().take(STARTS) {
            let found = maximise_in_box(
                start,
                (0.0, 1.0),
                ITERATIONS_MAX,
                watch,
                |point, gradient| {
                    acquisition::acquisition_with_gradient(goal, process, best, point, gradient)
                },
            )?;
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
