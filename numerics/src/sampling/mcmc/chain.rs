//! A chain: its schedule, its start and its results.

use rand_distr::{Distribution as _, StandardNormal};
use random_streams::StreamRng;

use super::density::TargetDensity;
use crate::watch::Watch;

/// The schedule of every chain.
#[derive(Clone, Copy)]
pub struct ChainSchedule<'a> {
    /// What is drawn from.
    pub density: &'a dyn TargetDensity,
    /// Start of the first chain, where the density is positive; the others start around it.
    pub start: &'a [f64],
    /// Draws kept from each chain.
    pub draws: usize,
    /// Steps of each chain per kept draw, at least 1.
    pub thin: usize,
    /// Steps of each chain before the first draw is kept; the kernel adapts during these.
    pub burnin: usize,
    /// Standard deviation of the first proposals, and of the starts of further chains around `start`.
    pub proposal_std: f64,
    /// How a chain moves.
    pub kernel: TransitionKernel,
}

/// Transition kernel of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TransitionKernel {
    /// By random-walk proposals.
    Metropolis,
    /// Along trajectories that follow the gradient; of a density without one, by random-walk proposals.
    Nuts {
        /// The mean acceptance that the step size is adapted to.
        target_accept: f64,
    },
}

impl<'a> ChainSchedule<'a> {
    /// 10,000 draws by random-walk proposals from each chain, after 1,000 steps.
    pub fn new(density: &'a dyn TargetDensity, start: &'a [f64]) -> Self {
        Self {
            density,
            start,
            draws: 10_000,
            thin: 1,
            burnin: 1000,
            proposal_std: 1.0,
            kernel: TransitionKernel::Metropolis,
        }
    }

    /// Reports progress: that of its first chain, which takes as many steps as every other.
    pub(super) fn report(&self, chain: usize, step: usize, watch: &dyn Watch) {
        if chain == 0 && step.is_multiple_of(256) {
            let all = self.steps();
            let kind = if step < self.burnin { "warm-up, " } else { "" };
            let words = || format!("{kind}step {step} of {all} of each chain");
            watch.progress(Some(step as f64 / all as f64), &words);
        }
    }

    /// Steps of one chain.
    pub(super) fn steps(&self) -> usize {
        let kept = self.draws.saturating_mul(self.thin);
        kept.saturating_add(self.burnin)
    }
}

/// One finished chain.
#[derive(Debug, Clone)]
pub struct MarkovChain {
    /// Kept draws, `[draw][dimension]`.
    pub draws: Vec<f64>,
    /// Sum of the acceptance of the steps after burn-in: 0 or 1 for a proposal, the mean over a trajectory.
    pub accepted: f64,
    /// Standard deviation of the frozen proposal or metric, per dimension.
    pub proposal_std: Vec<f64>,
    /// Evaluations of the density, with or without its gradient.
    pub evaluations: u64,
    /// Statistics of the trajectories; `None` for random walks.
    pub trajectories: Option<TrajectoryStatistics>,
}

/// Statistics of the trajectories of a chain after burn-in.
#[derive(Debug, Clone)]
pub struct TrajectoryStatistics {
    /// Those that diverged.
    pub divergences: u64,
    /// Those that came where the density is zero.
    pub outside: u64,
    /// Those that had not turned at the largest depth.
    pub saturated: u64,
    /// Energy Bayesian fraction of missing information; NaN for fewer than three trajectories.
    pub bfmi: f64,
    /// The leapfrog step, in units of the metric.
    pub step_size: f64,
    /// The form of the metric.
    pub metric: MetricShape,
}

/// The form of the metric, the covariance that trajectories are scaled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricShape {
    /// A standard deviation per dimension.
    Diagonal,
    /// A whole covariance.
    Dense,
}

/// Start of a chain: the first one at `x0`, the others nearby where the density is positive.
pub(super) fn chain_start(
    plan: &ChainSchedule<'_>,
    index: usize,
    rng: &mut StreamRng,
    mut level: impl FnMut(&[f64]) -> f64,
) -> Vec<f64> {
    /// Tries for the start of a further chain around `x0` before it starts at `x0` itself.
    const TRIES: usize = 20;
    let tries = if index == 0 { 0 } else { TRIES };
    for _ in 0..tries {
        let moved = |x: &f64| {
            let z: f64 = StandardNormal.sample(rng);
            x + plan.proposal_std * z
        };
        let near: Vec<f64> = plan.start.iter().map(moved).collect();
        if near.iter().all(|x| x.is_finite()) && level(&near).is_finite() {
            return near;
        }
    }
    plan.start.to_vec()
}
