//! Evolution of a normal distribution by adaptation of its covariance matrix, with restarts of two kinds.
//!
//! N. Hansen, A. Ostermeier, "Completely derandomized self-adaptation in evolution strategies", Evolutionary Computation 9, 2001;
//! N. Hansen, "Benchmarking a BI-population CMA-ES on the BBOB-2009 function testbed", GECCO 2009.

use crate::optimise::error::OptimiseError;
use faer::Mat;
use rand::RngExt;
use rand_distr::StandardNormal;
use random_streams::StreamRng;

use super::search::{GlobalSearch, INFEASIBLE};
use crate::dense::{add_multiple, dot, euclidean_norm, symmetric_eigen};

/// The size of the largest population so far, 0 before the first run, and the evaluations of runs with large and with small ones.
#[derive(Default, Clone, Copy)]
pub(super) struct CmaRestarts {
    large: usize,
    large_used: u64,
    small_used: u64,
}

/// Runs from random points until the budget is used up: populations that double, and between them small ones with small first steps, such
/// that both kinds use about the same number of evaluations.
///
/// # Errors
/// Those of the search.
pub(super) fn search_by_cma(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
    const STEP: f64 = 0.2;
    let d = search.dimension();
    let default = 4 + (3.0 * (d as f64).ln()) as usize;
    let mut rng = search.rng();
    loop {
        let before = search.spent();
        let start: Vec<f64> = (0..d).map(|_| rng.random()).collect();
        let CmaRestarts { large, .. } = search.restarts;
        if large == 0 {
            run_from_point(search, &mut rng, start, STEP, default)?;
            search.restarts.large = default;
        } else if search.restarts.large_used <= search.restarts.small_used {
            let large = (2 * large).min(1 << 12);
            search.restarts.large = large;
            run_from_point(search, &mut rng, start, STEP, large)?;
            search.restarts.large_used += search.spent() - before;
        } else {
            let power: f64 = rng.random::<f64>().powi(2);
            let ratio = 0.5 * large as f64 / default as f64;
            let size = (default as f64 * ratio.powf(power)) as usize;
            let step = STEP * 10_f64.powf(-2.0 * rng.random::<f64>());
            run_from_point(search, &mut rng, start, step, size.max(default))?;
            search.restarts.small_used += search.spent() - before;
        }
    }
}

/// The constants of a run.
struct CmaSettings {
    weights: Vec<f64>,
    mass: f64,
    path: f64,
    step_path: f64,
    rank_one: f64,
    rank_many: f64,
    damping: f64,
    expected: f64,
}

impl CmaSettings {
    fn new(d: usize, population: usize) -> Self {
        let (n, half) = (d as f64, population / 2);
        let raw: Vec<f64> = (0..half)
            .map(|i| (population as f64 / 2.0 + 0.5).ln() - (i as f64 + 1.0).ln())
            .collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        let mass = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let step_path = (mass + 2.0) / (n + mass + 5.0);
        let rank_one = 2.0 / ((n + 1.3).powi(2) + mass);
        let many = 2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0).powi(2) + mass);
        Self {
            path: (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n),
            step_path,
            rank_one,
            rank_many: many.min(1.0 - rank_one).max(0.0),
            damping: 1.0 + 2.0 * (((mass - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + step_path,
            expected: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            weights,
            mass,
        }
    }
}

/// The number in the unit interval that a number beyond it is reflected to.
fn reflect_into_unit(u: f64) -> f64 {
    let folded = u.rem_euclid(2.0);
    if folded > 1.0 { 2.0 - folded } else { folded }
}

/// One run from a start point; its best point is the end of a search. A run ends early where it will not reach what is known.
fn run_from_point(
    search: &mut GlobalSearch<'_>,
    rng: &mut StreamRng,
    mut mean: Vec<f64>,
    mut step: f64,
    population: usize,
) -> Result<(), OptimiseError> {
    /// The spread of recent values, relative to the distance from the best one known, at which a run is given up. One that has found no
    /// feasible point yet goes on: its keys say nothing of values.
    const BEHIND: f64 = 0.1;
    let d = mean.len();
    let n = d as f64;
    let settings = CmaSettings::new(d, population);
    let mut covariance = Mat::<f64>::identity(d, d);
    let (mut path, mut step_path) = (vec![0.0; d], vec![0.0; d]);
    let generations_max = 100 + (150.0 * (n + 3.0).powi(2) / (population as f64).sqrt()) as usize;
    let window = 10 + (30.0 * n / population as f64).ceil() as usize;
    let mut lows: Vec<f64> = Vec::new();
    let mut best: (f64, Vec<f64>) = (f64::INFINITY, mean.clone());
    for generation in 0..generations_max {
        let Ok((values, Some(vectors))) = symmetric_eigen(covariance.as_ref(), true) else {
            break;
        };
        if values[0].is_nan() || values[0] <= 1e-14 * values[d - 1] || !step.is_finite() {
            break;
        }
        let lengths: Vec<f64> = values.iter().map(|value| value.sqrt()).collect();
        let mut sample = Vec::with_capacity(population);
        for _ in 0..population {
            let mut y = vec![0.0; d];
            for (column, length) in lengths.iter().enumerate() {
                let normal: f64 = rng.sample(StandardNormal);
                add_multiple(&mut y, length * normal, vectors.col_as_slice(column));
            }
            let unit: Vec<f64> = mean
                .iter()
                .zip(&y)
                .map(|(m, y)| reflect_into_unit(m + step * y))
                .collect();
            let value = search.at(&unit)?;
            if value < best.0 {
                best = (value, unit);
            }
            sample.push((value, y));
        }
        sample.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut shift = vec![0.0; d];
        for (weight, (_, y)) in settings.weights.iter().zip(&sample) {
            add_multiple(&mut shift, *weight, y);
        }
        add_multiple(&mut mean, step, &shift);
        // C^-1/2 times the shift.
        let mut whitened = vec![0.0; d];
        for (column, length) in lengths.iter().enumerate() {
            let vector = vectors.col_as_slice(column);
            add_multiple(&mut whitened, dot(vector, &shift) / length, vector);
        }
        let (c, s) = (settings.path, settings.step_path);
        step_path.iter_mut().for_each(|entry| *entry *= 1.0 - s);
        add_multiple(
            &mut step_path,
            (s * (2.0 - s) * settings.mass).sqrt(),
            &whitened,
        );
        let length = euclidean_norm(&step_path);
        let decay = 1.0 - (1.0 - s).powi(2 * (generation as i32 + 1));
        let moving = length / decay.sqrt() < (1.4 + 2.0 / (n + 1.0)) * settings.expected;
        path.iter_mut().for_each(|entry| *entry *= 1.0 - c);
        if moving {
            add_multiple(&mut path, (c * (2.0 - c) * settings.mass).sqrt(), &shift);
        }
        let stalled = if moving { 0.0 } else { c * (2.0 - c) };
        let (one, many) = (settings.rank_one, settings.rank_many);
        let keep = 1.0 - one - many + one * stalled;
        for column in 0..d {
            for row in 0..d {
                let mut entry = keep * covariance[(row, column)] + one * path[row] * path[column];
                for (weight, (_, y)) in settings.weights.iter().zip(&sample) {
                    entry += many * weight * y[row] * y[column];
                }
                covariance[(row, column)] = entry;
            }
        }
        step *= ((s / settings.damping) * (length / settings.expected - 1.0))
            .min(1.0)
            .exp();

        let (low, high) = (sample[0].0, sample[population - 1].0);
        lows.push(low);
        let recent = &lows[lows.len().saturating_sub(window)..];
        let range = recent.iter().fold(high, |most, low| most.max(*low))
            - recent.iter().fold(low, |least, low| least.min(*low));
        let unit = 1e-3 * search.range()?;
        let flat = lows.len() >= window && range <= 1e-12 * best.0.abs().max(unit);
        let still = (0..d).all(|i| step * covariance[(i, i)].sqrt() < 1e-13);
        let is_feasible = best.0 < INFEASIBLE;
        let gap = best.0 - search.best.0;
        let behind = is_feasible && lows.len() >= window && range <= BEHIND * gap;
        if flat || still || behind || !low.is_finite() {
            break;
        }
    }
    let x = search.point(&best.1);
    search.descend(&x)?;
    Ok(())
}
