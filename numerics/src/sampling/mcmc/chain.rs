//! A chain: its schedule, its start and its results.

use rand_distr::{Distribution as _, StandardNormal};
use tool_core::rng::StreamRng;
use tool_core::{Ctx, ToolError};

use super::model::MetricForm;
use crate::expression::{Expression, ExpressionSystem};

/// The schedule of every chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChainSchedule<'a> {
    pub(super) density: &'a Expression,
    pub(super) start: &'a [f64],
    pub(super) draws: usize,
    pub(super) thin: usize,
    pub(super) burnin: usize,
    pub(super) proposal_std: f64,
    pub(super) sampler: TransitionKernel<'a>,
}

/// Transition kernel of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) enum TransitionKernel<'a> {
    /// By random-walk proposals.
    Metropolis,
    /// Along trajectories that follow the gradient.
    Nuts {
        /// The log density and its derivatives.
        gradient: &'a ExpressionSystem,
        /// The mean acceptance that the step size is adapted to.
        target_accept: f64,
    },
}

impl ChainSchedule<'_> {
    /// Reports the progress of the call: that of its first chain, which takes as many steps as every other.
    pub(super) fn report(&self, chain: usize, step: usize, ctx: &Ctx) {
        if chain == 0 && step.is_multiple_of(256) {
            let all = self.steps();
            let kind = if step < self.burnin { "warm-up, " } else { "" };
            let words = || format!("{kind}step {step} of {all} of each chain");
            ctx.progress(step as f64 / all as f64, words);
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
pub(super) struct MarkovChain {
    /// Kept draws, `[draw][dimension]`.
    pub(super) draws: Vec<f64>,
    /// Sum of the acceptance of the steps after burn-in: 0 or 1 for a proposal, the mean over a trajectory.
    pub(super) accepted: f64,
    /// Standard deviation of the frozen proposal or metric, per dimension.
    pub(super) proposal_std: Vec<f64>,
    /// Evaluations of the density, with or without its gradient.
    pub(super) evaluations: u64,
    /// Statistics of the trajectories; `None` for random walks.
    pub(super) trajectories: Option<TrajectoryStatistics>,
}

/// Statistics of the trajectories of a chain after burn-in.
#[derive(Debug, Clone)]
pub(super) struct TrajectoryStatistics {
    /// Those that diverged.
    pub(super) divergences: u64,
    /// Those that came where the density is zero.
    pub(super) outside: u64,
    /// Those that had not turned at the largest depth.
    pub(super) saturated: u64,
    /// Energy Bayesian fraction of missing information; NaN for fewer than three trajectories.
    pub(super) bfmi: f64,
    /// The leapfrog step, in units of the metric.
    pub(super) step_size: f64,
    /// The form of the metric.
    pub(super) metric: MetricForm,
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

/// The error of a density without a finite integral.
pub(super) fn improper_density_error(sign: &str) -> ToolError {
    let message = format!("{sign}: the density has no finite integral");
    let error = ToolError::numeric("/log_density", message).reason("improper");
    error.hint("the log density must fall faster than -log|x| in every direction")
}

/// The density has no finite bound.
pub(super) fn infinite_density(point: &[f64]) -> ToolError {
    let message = format!("the log density is infinite at {point:?}");
    let error = ToolError::numeric("/log_density", message).reason("unbounded");
    error.hint("a density must be bounded")
}
