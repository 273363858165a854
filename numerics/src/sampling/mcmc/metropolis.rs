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
use random_streams::StreamRng;

use super::chain::{ChainSchedule, MarkovChain, chain_start};
use super::density::LevelEvaluator;
use super::warmup::{WarmupWindow, window_ends};
use crate::dense::cholesky::cholesky_factor;
use crate::dense::euclidean_norm;
use crate::sampling::SamplingError;
use crate::watch::Watch;

/// Evaluations of one chain: its steps and its start.
pub(super) fn evaluations_per_chain(plan: &ChainSchedule<'_>) -> u64 {
    (plan.steps() as u64).saturating_add(1)
}

/// Runs one chain.
///
/// # Errors
/// [`SamplingError::Interrupted`], [`SamplingError::Unbounded`].
pub(super) fn run_chain(
    plan: &ChainSchedule<'_>,
    index: usize,
    mut rng: StreamRng,
    watch: &dyn Watch,
) -> Result<MarkovChain, SamplingError> {
    let mut walker = MetropolisWalker::start(plan, index, &mut rng);
    let mut schedule = AdaptationSchedule::new(plan);
    for step in 0..plan.burnin {
        watch.check()?;
        plan.report(index, step, watch);
        let (_, acceptance) = walker.step(&mut rng)?;
        schedule.adapt(step, acceptance, &mut walker);
    }
    let mut draws = Vec::with_capacity(plan.draws * plan.start.len());
    let mut accepted = 0;
    for draw in 0..plan.draws {
        for extra in 0..plan.thin {
            watch.check()?;
            plan.report(index, plan.burnin + draw * plan.thin + extra, watch);
            accepted += usize::from(walker.step(&mut rng)?.0);
        }
        draws.extend_from_slice(&walker.point);
    }
    Ok(MarkovChain {
        draws,
        accepted: accepted as f64,
        proposal_std: walker.proposal.std(),
        evaluations: evaluations_per_chain(plan),
        trajectories: None,
    })
}

/// A point, its log density and the way to propose the next.
struct MetropolisWalker<'a> {
    evaluate: LevelEvaluator<'a>,
    point: Vec<f64>,
    level: f64,
    proposal: GaussianProposal,
    /// Scratch: standard normals, then the candidate.
    normals: Vec<f64>,
    candidate: Vec<f64>,
}

impl<'a> MetropolisWalker<'a> {
    fn start(plan: &ChainSchedule<'a>, index: usize, rng: &mut StreamRng) -> Self {
        let dimension = plan.start.len();
        let mut evaluate = plan.density.level();
        let point = chain_start(plan, index, rng, &mut evaluate);
        Self {
            level: evaluate(&point),
            evaluate,
            point,
            proposal: GaussianProposal::new(dimension, plan.proposal_std),
            normals: vec![0.0; dimension],
            candidate: vec![0.0; dimension],
        }
    }

    /// One Metropolis step: whether the proposal was accepted, and the probability of it.
    fn step(&mut self, rng: &mut StreamRng) -> Result<(bool, f64), SamplingError> {
        self.normals.fill_with(|| StandardNormal.sample(rng));
        self.proposal
            .shift(&self.normals, &self.point, &mut self.candidate);
        let level = if self.candidate.iter().all(|x| x.is_finite()) {
            (self.evaluate)(&self.candidate)
        } else {
            f64::NEG_INFINITY
        };
        if level == f64::INFINITY {
            let point = self.candidate.clone();
            return Err(SamplingError::Unbounded { point });
        }
        let uniform: f64 = rng.random(); // drawn in every case, so that streams stay aligned
        let ratio = (level - self.level).exp().min(1.0);
        let probability = if level.is_nan() { 0.0 } else { ratio };
        let accepted = uniform < probability;
        if accepted {
            std::mem::swap(&mut self.point, &mut self.candidate);
            self.level = level;
        }
        Ok((accepted, probability))
    }
}

/// A Gaussian proposal: scale times a lower triangular factor.
struct GaussianProposal {
    dimension: usize,
    log_scale: f64,
    /// Row-major lower triangle of the covariance's Cholesky factor, in a full square.
    factor: Vec<f64>,
}

impl GaussianProposal {
    fn new(dimension: usize, std: f64) -> Self {
        let mut factor = vec![0.0; dimension * dimension];
        let diagonal = factor.iter_mut().step_by(dimension + 1);
        diagonal.for_each(|entry| *entry = std);
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
            let terms = factors
                .iter()
                .zip(normals)
                .map(|(factor, normal)| factor * normal);
            *candidate = point[row] + scale * terms.sum::<f64>();
        }
    }

    /// Standard deviation per dimension.
    fn std(&self) -> Vec<f64> {
        let scale = self.log_scale.exp();
        let rows = self.factor.chunks_exact(self.dimension);
        rows.map(|row| scale * euclidean_norm(row)).collect()
    }

    /// Sets the covariance; returns false when it is not positive definite.
    fn set_covariance(&mut self, covariance: &[f64]) -> bool {
        let Some(factor) = cholesky_factor(covariance.to_vec(), self.dimension) else {
            return false;
        };
        self.factor = factor;
        self.log_scale = (2.38 / (self.dimension as f64).sqrt()).ln();
        true
    }
}

/// When the proposal learns what: the scale at every step, the covariance at the end of each window.
struct AdaptationSchedule {
    target: f64,
    /// Ends of the windows, as steps of burn-in, the next one last.
    window_ends: Vec<usize>,
    /// Whether the window is the one that only finds the bulk.
    first: bool,
    window: WarmupWindow,
    /// Steps since the scale was set anew.
    age: usize,
}

impl AdaptationSchedule {
    /// A seventh of burn-in to find the bulk, doubling windows, a seventh to settle the scale.
    fn new(plan: &ChainSchedule<'_>) -> Self {
        let dimension = plan.start.len();
        let edge = plan.burnin / 7;
        let end = plan.burnin - edge;
        let length = (25 + 5 * dimension).min((end - edge).max(1));
        let target = 0.234 + 0.206 / dimension as f64;
        Self {
            target,
            window_ends: window_ends(edge, end, length),
            first: true,
            window: WarmupWindow::new(dimension),
            age: 0,
        }
    }

    fn adapt(&mut self, step: usize, acceptance: f64, walker: &mut MetropolisWalker<'_>) {
        const DECAY: f64 = -0.6; // between 1/2 and 1: the steps sum to infinity, their squares do not
        self.age += 1;
        walker.proposal.log_scale += (self.age as f64).powf(DECAY) * (acceptance - self.target);
        self.window.add(&walker.point);
        if self.window_ends.last() == Some(&(step + 1)) {
            self.window_ends.pop();
            if !self.first && walker.proposal.set_covariance(&self.window.covariance()) {
                self.age = 0;
            }
            self.window = WarmupWindow::new(walker.point.len());
            self.first = false;
        }
    }
}
