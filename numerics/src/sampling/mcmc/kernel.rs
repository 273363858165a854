//! The chains in parallel.

use random_streams::stream_rng;
use rayon::prelude::*;

use super::chain::{ChainSchedule, MarkovChain, TransitionKernel};
use super::{metropolis, nuts};
use crate::sampling::SamplingError;
use crate::watch::Watch;

/// Runs chains in parallel, each with its own stream.
///
/// # Errors
/// [`SamplingError::Interrupted`], [`SamplingError::Unbounded`]; along trajectories [`SamplingError::Improper`] and [`SamplingError::Rough`].
pub fn run_chains(
    plan: &ChainSchedule<'_>,
    chains: usize,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Vec<MarkovChain>, SamplingError> {
    let target = match plan.kernel {
        TransitionKernel::Nuts { target_accept } if plan.density.gradient().is_some() => {
            Some(target_accept)
        }
        _ => None,
    };
    if target.is_none() {
        let each = metropolis::evaluations_per_chain(plan);
        watch.count_evaluations(each.saturating_mul(chains as u64))?;
    }
    let one = |index| {
        let rng = stream_rng(seed, index as u64);
        match (target, plan.density.gradient()) {
            (Some(target), Some(gradient)) => {
                nuts::run_chain(plan, gradient, target, index, rng, watch)
            }
            _ => metropolis::run_chain(plan, index, rng, watch),
        }
    };
    let results: Vec<Result<MarkovChain, SamplingError>> =
        thread_pools::run_in_pool(|| (0..chains).into_par_iter().map(one).collect());
    results.into_iter().collect()
}
