//! Random-walk Metropolis chains whose proposal adapts during burn-in.
//!
//! # Method
//! Gaussian proposals `x + s L z` with `L L^T` the covariance learnt so far. The scale `s` follows a Robbins-Monro recursion
//! towards the acceptance rate that is best for a Gaussian (0.44 in one dimension, falling to 0.234). The covariance is
//! replaced at the end of windows of doubling length by the sample covariance of that window, shrunk towards its diagonal,
//! so that the way from the start to the bulk is forgotten; the scale then starts anew at `2.38 / sqrt(d)`. After burn-in both
//! are frozen, which keeps the chain exact.
//!
//! # References
//! H. Haario, E. Saksman, J. Tamminen, "An Adaptive Metropolis Algorithm", Bernoulli 7(2), 2001; C. Andrieu and J. Thoms, "A
//! Tutorial on Adaptive MCMC", Statistics and Computing 18(4), 2008; A. Gelman, G. O. Roberts, W. R. Gilks, "Efficient
//! Metropolis Jumping Rules", Bayesian Statistics 5, 1996.

use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};
use rayon::prelude::*;
use tool_core::rng::StreamRng;
use tool_core::{Ctx, ErrorCode, Seed, ToolError};

use crate::expression::{Evaluator, Expression};

/// What every chain does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) density: &'a Expression,
    pub(super) start: &'a [f64],
    pub(super) draws: usize,
    pub(super) thin: usize,
    pub(super) burnin: usize,
    pub(super) proposal_std: f64,
}

/// Tries for the start of a further chain around `x0` before it starts at `x0` itself.
const START_TRIES: usize = 20;

impl Plan<'_> {
    /// Steps of one chain.
    fn steps(&self) -> usize {
        self.draws
            .saturating_mul(self.thin)
            .saturating_add(self.burnin)
    }

    /// Evaluations of one chain: its steps and its start.
    pub(super) fn evaluations(&self) -> u64 {
        (self.steps() as u64).saturating_add(1)
    }
}

/// One finished chain.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// Kept draws, `[draw][dimension]`.
    pub(super) draws: Vec<f64>,
    /// Accepted proposals after burn-in.
    pub(super) accepted: usize,
    /// Standard deviation of the frozen proposal, per dimension.
    pub(super) proposal_std: Vec<f64>,
}

/// Runs chains in parallel, each with its own stream.
///
/// # Errors
/// When the call is stopped, or the log density is plus infinity somewhere.
pub(super) fn run(
    plan: &Plan<'_>,
    chains: usize,
    seed: Seed,
    ctx: &Ctx,
) -> Result<Vec<Chain>, ToolError> {
    let results: Vec<Result<Chain, ToolError>> = (0..chains)
        .into_par_iter()
        .map(|index| run_chain(plan, index, ctx.rng(seed, index as u64), ctx))
        .collect();
    results.into_iter().collect()
}

fn run_chain(
    plan: &Plan<'_>,
    index: usize,
    mut rng: StreamRng,
    ctx: &Ctx,
) -> Result<Chain, ToolError> {
    let mut walker = Walker::start(plan, index, &mut rng);
    let mut schedule = Schedule::new(plan);
    for step in 0..plan.burnin {
        ctx.check()?;
        let acceptance = walker.step(&mut rng)?.probability;
        schedule.adapt(step, acceptance, &mut walker);
    }
    let mut draws = Vec::with_capacity(plan.draws * plan.start.len());
    let mut accepted = 0;
    for _ in 0..plan.draws {
        for _ in 0..plan.thin {
            ctx.check()?;
            accepted += usize::from(walker.step(&mut rng)?.accepted);
        }
        draws.extend_from_slice(&walker.point);
    }
    Ok(Chain {
        draws,
        accepted,
        proposal_std: walker.proposal.std(),
    })
}

/// A point, its log density and the way to propose the next.
struct Walker<'a> {
    evaluator: Evaluator<'a>,
    point: Vec<f64>,
    level: f64,
    proposal: Proposal,
    /// Scratch: standard normals, then the candidate.
    normals: Vec<f64>,
    candidate: Vec<f64>,
}

/// How one proposal went.
struct Step {
    accepted: bool,
    probability: f64,
}

impl<'a> Walker<'a> {
    /// The first chain starts at `x0`, the others nearby where the density is positive.
    fn start(plan: &Plan<'a>, index: usize, rng: &mut StreamRng) -> Self {
        let dimension = plan.start.len();
        let mut walker = Self {
            evaluator: plan.density.evaluator(),
            point: plan.start.to_vec(),
            level: 0.0,
            proposal: Proposal::new(dimension, plan.proposal_std),
            normals: vec![0.0; dimension],
            candidate: vec![0.0; dimension],
        };
        walker.level = walker.evaluator.eval(&walker.point);
        let tries = if index == 0 { 0 } else { START_TRIES };
        for _ in 0..tries {
            let near: Vec<f64> = plan
                .start
                .iter()
                .map(|x| {
                    let z: f64 = StandardNormal.sample(rng);
                    x + plan.proposal_std * z
                })
                .collect();
            let level = walker.evaluator.eval(&near);
            if level.is_finite() {
                (walker.point, walker.level) = (near, level);
                break;
            }
        }
        walker
    }

    /// One Metropolis step.
    fn step(&mut self, rng: &mut StreamRng) -> Result<Step, ToolError> {
        self.normals.fill_with(|| StandardNormal.sample(rng));
        self.proposal
            .shift(&self.normals, &self.point, &mut self.candidate);
        let level = if self.candidate.iter().all(|x| x.is_finite()) {
            self.evaluator.eval(&self.candidate)
        } else {
            f64::NEG_INFINITY
        };
        if level == f64::INFINITY {
            return Err(infinite_density(&self.candidate));
        }
        let uniform: f64 = rng.random(); // drawn in every case, so that streams stay aligned
        let probability = if level.is_nan() {
            0.0
        } else {
            (level - self.level).exp().min(1.0)
        };
        let accepted = uniform < probability;
        if accepted {
            std::mem::swap(&mut self.point, &mut self.candidate);
            self.level = level;
        }
        Ok(Step {
            accepted,
            probability,
        })
    }
}

fn infinite_density(point: &[f64]) -> ToolError {
    ToolError::new(
        ErrorCode::Numeric,
        format_args!("the log density is infinite at {point:?}"),
    )
    .reason("unbounded")
    .at("/log_density")
    .hint("a density must be bounded")
}

/// A Gaussian proposal: scale times a lower triangular factor.
struct Proposal {
    dimension: usize,
    log_scale: f64,
    /// Row-major lower triangle of the covariance's Cholesky factor, in a full square.
    factor: Vec<f64>,
}

impl Proposal {
    fn new(dimension: usize, std: f64) -> Self {
        let mut factor = vec![0.0; dimension * dimension];
        factor
            .iter_mut()
            .step_by(dimension + 1)
            .for_each(|diagonal| *diagonal = std);
        Self {
            dimension,
            log_scale: 0.0,
            factor,
        }
    }

    /// `candidate = point + scale * factor * normals`.
    fn shift(&self, normals: &[f64], point: &[f64], candidate: &mut [f64]) {
        let scale = self.log_scale.exp();
        for (row, candidate) in candidate.iter_mut().enumerate() {
            let factors = &self.factor[row * self.dimension..][..=row];
            let sum: f64 = factors
                .iter()
                .zip(normals)
                .map(|(factor, normal)| factor * normal)
                .sum();
            *candidate = point[row] + scale * sum;
        }
    }

    /// Standard deviation per dimension.
    fn std(&self) -> Vec<f64> {
        let scale = self.log_scale.exp();
        self.factor
            .chunks_exact(self.dimension)
            .map(|row| scale * row.iter().map(|factor| factor * factor).sum::<f64>().sqrt())
            .collect()
    }

    /// Takes a covariance; refused (false) when it is not positive definite.
    fn set_covariance(&mut self, covariance: &[f64]) -> bool {
        let n = self.dimension;
        let mut factor = vec![0.0; n * n];
        for row in 0..n {
            for column in 0..=row {
                let (left, right) = (
                    &factor[row * n..][..column],
                    &factor[column * n..][..column],
                );
                let sum: f64 = left
                    .iter()
                    .zip(right)
                    .map(|(left, right)| left * right)
                    .sum();
                let rest = covariance[row * n + column] - sum;
                let entry = if row == column {
                    rest.sqrt()
                } else {
                    rest / factor[column * n + column]
                };
                if !entry.is_finite() || (row == column && entry <= 0.0) {
                    return false;
                }
                factor[row * n + column] = entry;
            }
        }
        self.factor = factor;
        self.log_scale = (2.38 / (n as f64).sqrt()).ln();
        true
    }
}

/// When the proposal learns what: the scale at every step, the covariance at the end of each window.
struct Schedule {
    target: f64,
    /// Ends of the windows, as steps of burn-in; the first one only finds the bulk.
    window_ends: Vec<usize>,
    window: Window,
    /// Steps since the scale was set anew.
    age: usize,
}

impl Schedule {
    /// A seventh of burn-in to find the bulk, doubling windows, a seventh to settle the scale.
    fn new(plan: &Plan<'_>) -> Self {
        let dimension = plan.start.len();
        let edge = plan.burnin / 7;
        let end = plan.burnin - edge;
        let mut length = (25 + 5 * dimension).min((end - edge).max(1));
        let mut window_ends = vec![edge];
        let mut position = edge;
        while position < end {
            // A rest shorter than the next window belongs to this one.
            let next = if position + 3 * length > end {
                end
            } else {
                position + length
            };
            window_ends.push(next);
            position = next;
            length *= 2;
        }
        window_ends.reverse(); // the next one is last
        let target = 0.234 + 0.206 / dimension as f64;
        Self {
            target,
            window_ends,
            window: Window::new(dimension),
            age: 0,
        }
    }

    fn adapt(&mut self, step: usize, acceptance: f64, walker: &mut Walker<'_>) {
        const DECAY: f64 = -0.6; // between 1/2 and 1: the steps sum to infinity, their squares do not
        self.age += 1;
        walker.proposal.log_scale += (self.age as f64).powf(DECAY) * (acceptance - self.target);
        self.window.add(&walker.point);
        if self.window_ends.last() == Some(&(step + 1)) {
            self.window_ends.pop();
            let first = self.window.first;
            let learnt = !first && walker.proposal.set_covariance(&self.window.covariance());
            if learnt {
                self.age = 0;
            }
            self.window = Window::new(walker.point.len());
            self.window.first = false;
        }
    }
}

/// Mean and sum of outer products of the points of one window.
struct Window {
    first: bool,
    count: f64,
    mean: Vec<f64>,
    products: Vec<f64>,
    deviation: Vec<f64>,
}

impl Window {
    fn new(dimension: usize) -> Self {
        Self {
            first: true,
            count: 0.0,
            mean: vec![0.0; dimension],
            products: vec![0.0; dimension * dimension],
            deviation: vec![0.0; dimension],
        }
    }

    fn add(&mut self, point: &[f64]) {
        self.count += 1.0;
        let n = point.len();
        for (axis, x) in point.iter().enumerate() {
            self.deviation[axis] = x - self.mean[axis];
            self.mean[axis] += self.deviation[axis] / self.count;
        }
        for (row, x) in point.iter().enumerate() {
            let after = x - self.mean[row];
            for column in 0..=row {
                self.products[row * n + column] += after * self.deviation[column];
            }
        }
    }

    /// Sample covariance (lower triangle), shrunk towards its diagonal as if `dimension + 5` uncorrelated points had been seen.
    fn covariance(&self) -> Vec<f64> {
        let n = self.mean.len();
        let weight = self.count / (self.count + n as f64 + 5.0);
        let mut covariance: Vec<f64> = self
            .products
            .iter()
            .map(|sum| weight * sum / (self.count - 1.0).max(1.0))
            .collect();
        covariance
            .iter_mut()
            .step_by(n + 1)
            .for_each(|diagonal| *diagonal /= weight);
        covariance
    }
}
