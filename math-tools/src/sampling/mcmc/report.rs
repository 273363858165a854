//! Summary and diagnostics of the draws.

use kernels::quantile::QuantileDefinition;
use rayon::prelude::*;
use tool_core::{Ctx, RandomSeed, Real, ToolError};

use super::chain::{ChainSchedule, MarkovChain, TrajectoryStatistics, improper_density_error};
use super::model::{
    Args, DimensionSummary, ESS_PER_CHAIN_MIN, McmcMethod, NutsReport, Output, RHAT_MAX,
    UnconvergedReason,
};
use super::trajectory::DEPTH_MAX;
use crate::sampling::blocks::SampleMoments;
use crate::sampling::diagnostics::{ChainDiagnostics, DRAWS_MIN, DiagnosticParts};

/// Acceptance rates outside of this range mean a badly scaled proposal.
const ACCEPTANCE_RANGE: std::ops::Range<f64> = 0.05..0.8;
/// An energy fraction below this means that fresh momenta move the energy too little (Stan's threshold).
const BFMI_MIN: f64 = 0.3;
/// More diverging trajectories than this share speak against the draws.
const DIVERGENCES_MAX: f64 = 0.01;
/// More trajectories than this share that end where the density is zero make the sampler slow.
const OUTSIDE_MAX: f64 = 0.1;

/// Dimensions that are diagnosed in parallel; a constant, because each takes memory.
pub(in crate::sampling) const AXES_AT_ONCE: usize = 4;
/// Doubles that diagnosing one draw of one dimension takes: halves, ranks, order, spectrum.
pub(in crate::sampling) const PER_DRAW: usize = 24;

/// Moments, diagnostics and counts of the chains; the draws are left out.
///
/// # Errors
/// When the call is stopped, or the draws diverge.
pub(super) fn summarise_chains(
    plan: &ChainSchedule<'_>,
    chains: &[MarkovChain],
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let dimension = plan.start.len();
    let columns = |axis| draws_by_chain(chains, axis, dimension);
    let found = of_axes(dimension, (chains.len(), plan.draws), columns, ctx)?;
    let mean: Vec<f64> = found.iter().map(|(moments, _)| moments.mean).collect();
    let diagnostics: Vec<ChainDiagnostics> = found.into_iter().map(|(_, found)| found).collect();
    let covariance = sample_covariance(chains, &mean, ctx)?;
    let count = (chains.len() * plan.draws) as f64;
    let mut entries = covariance.iter().flatten();
    if count >= 2.0 && entries.any(|entry| !entry.is_finite()) {
        return Err(improper_density_error("the draws diverge"));
    }
    let real =
        |f: fn(&ChainDiagnostics) -> f64| diagnostics.iter().map(|found| Real(f(found))).collect();
    let enough = ESS_PER_CHAIN_MIN * chains.len() as f64;
    let nuts = trajectory_statistics(chains);
    let unsound = |nuts: &NutsReport| !is_sound(nuts, count * plan.thin as f64);
    let unmixed = |found: &ChainDiagnostics| {
        UnconvergedReason::of(
            found.rhat,
            lowest_number([found.ess_bulk, found.ess_tail]),
            enough,
        )
    };
    let unsound = nuts.as_ref().is_some_and(unsound);
    let reason = diagnostics.iter().find_map(unmixed);
    let reason = reason.or(unsound.then_some(UnconvergedReason::Trajectories));
    let accepted = chains.iter().map(|chain| chain.accepted).sum::<f64>();
    let std_dev = |axis: usize| Real(covariance[axis][axis].sqrt());
    let reals = |row: &Vec<f64>| row.iter().copied().map(Real).collect();
    let proposal = |chain: &MarkovChain| chain.proposal_std.clone();
    Ok(Output {
        samples: None,
        method: nuts
            .as_ref()
            .map_or(McmcMethod::Metropolis, |_| McmcMethod::Nuts),
        acceptance_rate: accepted / (count * plan.thin as f64),
        summary: dimension_summaries(chains, (&mean, &covariance, &diagnostics), ctx)?,
        mean,
        std_dev: (0..dimension).map(std_dev).collect(),
        covariance: covariance.iter().map(reals).collect(),
        ess: real(|found| found.ess_bulk),
        ess_tail: real(|found| found.ess_tail),
        rhat: real(|found| found.rhat),
        mcse: real(|found| found.mcse),
        converged: reason.is_none(),
        reason,
        proposal_std: chains.iter().map(proposal).collect(),
        adapted: plan.burnin > 0,
        n_samples: plan.draws as i64,
        chains: chains.len() as i64,
        dimension,
        names: None,
        evaluations: chains.iter().map(|chain| chain.evaluations).sum(),
        nuts,
        seed,
    })
}

/// A row for each dimension, with the names `x0`, `x1`, ...
fn dimension_summaries(
    chains: &[MarkovChain],
    (mean, covariance, diagnostics): (&[f64], &[Vec<f64>], &[ChainDiagnostics]),
    ctx: &Ctx,
) -> Result<Vec<DimensionSummary>, ToolError> {
    let dimension = mean.len();
    let row = |axis: usize| {
        ctx.check()?;
        let mut draws = draws_by_chain(chains, axis, dimension).concat();
        draws.sort_unstable_by(f64::total_cmp);
        let quantile = |p: f64| QuantileDefinition::Linear.of(&draws, p);
        Ok(DimensionSummary {
            name: format!("x{axis}"),
            mean: mean[axis],
            std_dev: Real(covariance[axis][axis].sqrt()),
            q5: quantile(0.05),
            q50: quantile(0.5),
            q95: quantile(0.95),
            ess: Real(diagnostics[axis].ess_bulk),
            rhat: Real(diagnostics[axis].rhat),
        })
    };
    (0..dimension).map(row).collect()
}

/// The lowest of some numbers; NaN where one is: what is not known of one is not known of all.
pub(in crate::sampling) fn lowest_number(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let lower = |a: f64, b: f64| if a.is_nan() || a < b { a } else { b };
    numbers.into_iter().reduce(lower).unwrap_or(f64::NAN)
}

/// Moments and diagnostics of every dimension of `chains` chains of `draws` draws; `columns` are the draws of one dimension, by chain.
///
/// # Errors
/// When the call is stopped.
pub(in crate::sampling) fn of_axes(
    dimension: usize,
    (chains, draws): (usize, usize),
    columns: impl Fn(usize) -> Vec<Vec<f64>> + Sync,
    ctx: &Ctx,
) -> Result<Vec<(SampleMoments, ChainDiagnostics)>, ToolError> {
    let diagnosis = DiagnosticParts::new(chains, draws);
    let axes: Vec<usize> = (0..dimension).collect();
    let mut found = Vec::with_capacity(dimension);
    for group in axes.chunks(AXES_AT_ONCE) {
        let of_axis = |&axis: &usize| {
            let columns = columns(axis);
            let moments = columns
                .iter()
                .map(|column| SampleMoments::of(column))
                .collect();
            Ok((
                SampleMoments::join_all(moments),
                diagnosis.of(&columns, ctx)?,
            ))
        };
        let of_group: Result<Vec<_>, ToolError> =
            thread_pools::run_in_pool(|| group.par_iter().map(of_axis).collect());
        found.extend(of_group?);
    }
    Ok(found)
}

/// One coordinate of the draws, by chain.
fn draws_by_chain(chains: &[MarkovChain], axis: usize, dimension: usize) -> Vec<Vec<f64>> {
    let column = |chain: &MarkovChain| {
        let draws = chain.draws[axis..].iter();
        draws.step_by(dimension).copied().collect()
    };
    chains.iter().map(column).collect()
}

/// Statistics of the trajectories; `None` for random walks.
fn trajectory_statistics(chains: &[MarkovChain]) -> Option<NutsReport> {
    let of_chains = chains
        .iter()
        .filter_map(|chain| chain.trajectories.as_ref());
    let found: Vec<&TrajectoryStatistics> = of_chains.collect();
    let total =
        |count: fn(&TrajectoryStatistics) -> u64| found.iter().map(|chain| count(chain)).sum();
    (!found.is_empty()).then(|| NutsReport {
        divergences: total(|chain| chain.divergences),
        outside: total(|chain| chain.outside),
        tree_depth_saturated: total(|chain| chain.saturated),
        step_size: found.iter().map(|chain| chain.step_size).collect(),
        metric: found.iter().map(|chain| chain.metric).collect(),
        bfmi: found.iter().map(|chain| Real(chain.bfmi)).collect(),
    })
}

/// Whether nothing about this many trajectories speaks against the draws.
fn is_sound(nuts: &NutsReport, count: f64) -> bool {
    nuts.divergences as f64 <= DIVERGENCES_MAX * count
        && nuts.bfmi.iter().all(|bfmi| bfmi.0 >= BFMI_MIN)
}

/// Sample covariance over all draws of all chains.
fn sample_covariance(
    chains: &[MarkovChain],
    mean: &[f64],
    ctx: &Ctx,
) -> Result<Vec<Vec<f64>>, ToolError> {
    let dimension = mean.len();
    let mut sums = vec![vec![0.0; dimension]; dimension];
    let mut count = 0.0;
    let draws = chains
        .iter()
        .map(|chain| chain.draws.chunks_exact(dimension));
    for draw in draws.flatten() {
        ctx.check()?;
        count += 1.0;
        for (row, sums) in sums.iter_mut().enumerate() {
            let deviation = draw[row] - mean[row];
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum += deviation * (draw[column] - mean[column]);
            }
        }
    }
    let entries = sums.iter_mut().flatten();
    entries.for_each(|sum| *sum /= count - 1.0);
    Ok(sums)
}

/// Warns of draws that must not be used as they are.
pub(super) fn warn_of_unusable_draws(output: &Output, args: &Args, ctx: &Ctx) {
    let axes = |bad: &dyn Fn(usize) -> bool| -> String {
        let found = (0..output.dimension).filter(|&axis| bad(axis));
        found
            .map(|axis| match &output.names {
                Some(names) => format!("`{}`", names[axis]),
                None => format!("x{axis}"),
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    let sizes = output.rhat.iter().map(|rhat| rhat.0);
    let largest = sizes.fold(f64::NAN, f64::max);
    let unmixed = axes(&|axis| output.rhat[axis].0 > RHAT_MAX);
    if !unmixed.is_empty() {
        ctx.warn(format!("R-hat is above {RHAT_MAX} (largest {largest:.3}) for {unmixed}: the chains have not mixed; do not use the draws, raise `burnin` and `n_samples`"));
    }
    let enough = ESS_PER_CHAIN_MIN * output.chains as f64;
    let few = axes(&|axis| output.ess[axis].0.min(output.ess_tail[axis].0) < enough);
    if !few.is_empty() {
        ctx.warn(format!("fewer than {enough} effective draws for {few}: raise `n_samples`, or `thin` if the result grows too large"));
    }
    let unknown = axes(&|axis| output.rhat[axis].0.is_nan());
    if !unknown.is_empty() {
        ctx.warn(format!(
            "no diagnostics for {unknown}: fewer than {DRAWS_MIN} draws, or chains that never moved"
        ));
    }
    match &output.nuts {
        Some(nuts) => warn_of_trajectories(nuts, output, args, ctx),
        None => warn_of_proposals(output, args, ctx),
    }
    if output.chains == 1 {
        ctx.warn("a single chain cannot show that it missed a part of the distribution: use several `chains`");
    }
}

fn warn_of_proposals(output: &Output, args: &Args, ctx: &Ctx) {
    if !ACCEPTANCE_RANGE.contains(&output.acceptance_rate) {
        let share = 100.0 * output.acceptance_rate;
        let hint = if args.burnin.get() == 0 {
            "set `proposal_std` to the width of the distribution, or let it adapt with `burnin`"
        } else {
            "raise `burnin`"
        };
        ctx.warn(format!(
            "{share:.1} % of the proposals were accepted: {hint}"
        ));
    }
}

fn warn_of_trajectories(nuts: &NutsReport, output: &Output, args: &Args, ctx: &Ctx) {
    let count = (output.n_samples * output.chains * args.thin.get()) as f64;
    if nuts.divergences > 0 {
        ctx.warn(format!("{} of {count} trajectories diverged: the draws may miss a part of the distribution that curves strongly; raise `target_accept` (to 0.95 or 0.99), or reparameterise", nuts.divergences));
    }
    if nuts.outside as f64 > OUTSIDE_MAX * count {
        ctx.warn(format!("{} of {count} trajectories entered a region of density zero, which makes the sampler slow: use variables without bounds (for x > 0, put exp(x) for x and add x to the log density)", nuts.outside));
    }
    if nuts.tree_depth_saturated > 0 {
        ctx.warn(format!("{} of {count} trajectories had not turned after {} steps: the scales of the variables differ strongly; raise `burnin`, or reparameterise", nuts.tree_depth_saturated, (1 << DEPTH_MAX) - 1));
    }
    let low = (0..nuts.bfmi.len()).filter(|&chain| nuts.bfmi[chain].0 < BFMI_MIN);
    let low: Vec<String> = low.map(|chain| chain.to_string()).collect();
    if !low.is_empty() {
        ctx.warn(format!("the energy fraction `bfmi` is below {BFMI_MIN} in the chains {}: the tails are explored too slowly; reparameterise", low.join(", ")));
    }
}
