//! The chains in parallel.

use rayon::prelude::*;
use tool_core::{Ctx, RandomSeed, ToolError};

use super::chain::{ChainSchedule, MarkovChain, TransitionKernel};
use super::{metropolis, nuts};

/// Runs chains in parallel, each with its own stream.
///
/// # Errors
/// When the call is stopped, when its evaluations are used up, or when the log density is plus infinity somewhere.
pub(super) fn run_chains(
    plan: &ChainSchedule<'_>,
    chains: usize,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Vec<MarkovChain>, ToolError> {
    if let TransitionKernel::Metropolis = plan.sampler {
        ctx.count_evaluations(
            metropolis::evaluations_per_chain(plan).saturating_mul(chains as u64),
        )?;
    }
    let one = |index| {
        let rng = ctx.rng(seed, index as u64);
        match plan.sampler {
            TransitionKernel::Metropolis => metropolis::run_chain(plan, index, rng, ctx),
            TransitionKernel::Nuts {
                gradient,
                target_accept,
            } => nuts::run_chain(plan, gradient, target_accept, index, rng, ctx),
        }
    };
    let results: Vec<Result<MarkovChain, ToolError>> =
        thread_pools::run_in_pool(|| (0..chains).into_par_iter().map(one).collect());
    results.into_iter().collect()
}
