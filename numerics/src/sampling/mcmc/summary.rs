//! What the draws of chains tell, and how far to trust them.

use rayon::prelude::*;

use super::chain::{ChainSchedule, MarkovChain, MetricShape, TrajectoryStatistics};
use crate::quantile::QuantileDefinition;
use crate::sampling::blocks::SampleMoments;
use crate::sampling::diagnostics::{
    AXES_AT_ONCE, ChainDiagnostics, DiagnosticParts, ESS_PER_CHAIN_MIN, UnconvergedEvidence,
};
use crate::sampling::{ImproperEvidence, SamplingError};
use crate::watch::Watch;

/// An energy fraction below this means that fresh momenta move the energy too little (Stan's threshold).
pub const BFMI_MIN: f64 = 0.3;
/// More diverging trajectories than this share speak against the draws.
const DIVERGENCES_MAX: f64 = 0.01;

/// Moments, diagnostics and counts of chains.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainSummary {
    /// Mean of all kept draws, per dimension.
    pub mean: Vec<f64>,
    /// Sample covariance of all kept draws (n - 1); NaN for a single draw.
    pub covariance: Vec<Vec<f64>>,
    /// R-hat, effective sample sizes and Monte Carlo error, per dimension.
    pub diagnostics: Vec<ChainDiagnostics>,
    /// Quantiles 5 %, 50 % and 95 % of all kept draws, per dimension.
    pub quantiles: Vec<[f64; 3]>,
    /// Share of accepted proposals after burn-in; of trajectories the mean acceptance along them.
    pub acceptance_rate: f64,
    /// Evaluations of the density, with or without its gradient.
    pub evaluations: u64,
    /// Statistics of the trajectories; `None` for random walks.
    pub trajectories: Option<TrajectorySummary>,
    /// The first reason that the chains have not converged; `None` where they have.
    pub unconverged: Option<UnconvergedEvidence>,
}

/// Statistics of the trajectories of all chains.
#[derive(Debug, Clone, PartialEq)]
pub struct TrajectorySummary {
    /// Those that diverged, over all chains.
    pub divergences: u64,
    /// Those that came where the density is zero, over all chains.
    pub outside: u64,
    /// Those that had not turned at the largest depth, over all chains.
    pub saturated: u64,
    /// Leapfrog step per chain, in units of the metric.
    pub step_size: Vec<f64>,
    /// Form of the metric per chain.
    pub metric: Vec<MetricShape>,
    /// Energy Bayesian fraction of missing information per chain.
    pub bfmi: Vec<f64>,
}

/// Moments, diagnostics and counts of the chains.
///
/// # Errors
/// [`SamplingError::Improper`] where the draws diverge, [`SamplingError::Interrupted`].
pub fn summarise_chains(
    plan: &ChainSchedule<'_>,
    chains: &[MarkovChain],
    watch: &dyn Watch,
) -> Result<ChainSummary, SamplingError> {
    let dimension = plan.start.len();
    let columns = |axis| draws_by_chain(chains, axis, dimension);
    let found = diagnose_axes(dimension, (chains.len(), plan.draws), columns, watch)?;
    let mean: Vec<f64> = found.iter().map(|(moments, _)| moments.mean).collect();
    let diagnostics: Vec<ChainDiagnostics> = found.into_iter().map(|(_, found)| found).collect();
    let covariance = sample_covariance(chains, &mean, watch)?;
    let count = (chains.len() * plan.draws) as f64;
    let mut entries = covariance.iter().flatten();
    if count >= 2.0 && entries.any(|entry| !entry.is_finite()) {
        return Err(SamplingError::Improper(ImproperEvidence::DivergingDraws));
    }
    let enough = ESS_PER_CHAIN_MIN * chains.len() as f64;
    let trajectories = trajectory_summary(chains);
    let unmixed = |found: &ChainDiagnostics| {
        let ess = lowest_number([found.ess_bulk, found.ess_tail]);
        UnconvergedEvidence::of(found.rhat, ess, enough)
    };
    let steps = count * plan.thin as f64;
    let is_unsound = trajectories
        .as_ref()
        .is_some_and(|trajectories| !is_sound(trajectories, steps));
    let unconverged = diagnostics.iter().find_map(unmixed);
    let accepted = chains.iter().map(|chain| chain.accepted).sum::<f64>();
    Ok(ChainSummary {
        quantiles: axis_quantiles(chains, dimension, watch)?,
        mean,
        covariance,
        diagnostics,
        acceptance_rate: accepted / steps,
        evaluations: chains.iter().map(|chain| chain.evaluations).sum(),
        trajectories,
        unconverged: unconverged.or(is_unsound.then_some(UnconvergedEvidence::Trajectories)),
    })
}

/// Quantiles of all draws, per dimension.
fn axis_quantiles(
    chains: &[MarkovChain],
    dimension: usize,
    watch: &dyn Watch,
) -> Result<Vec<[f64; 3]>, SamplingError> {
    let of_axis = |axis: usize| {
        watch.check()?;
        let mut draws = draws_by_chain(chains, axis, dimension).concat();
        draws.sort_unstable_by(f64::total_cmp);
        Ok([0.05, 0.5, 0.95].map(|p| QuantileDefinition::Linear.of(&draws, p)))
    };
    (0..dimension).map(of_axis).collect()
}

/// The lowest of some numbers; NaN where one is: what is not known of one is not known of all.
pub fn lowest_number(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let lower = |a: f64, b: f64| if a.is_nan() || a < b { a } else { b };
    numbers.into_iter().reduce(lower).unwrap_or(f64::NAN)
}

/// Moments and diagnostics of every dimension of `chains` chains of `draws` draws; `columns` are the draws of one dimension, by chain.
///
/// # Errors
/// [`SamplingError::Interrupted`].
pub fn diagnose_axes(
    dimension: usize,
    (chains, draws): (usize, usize),
    columns: impl Fn(usize) -> Vec<Vec<f64>> + Sync,
    watch: &dyn Watch,
) -> Result<Vec<(SampleMoments, ChainDiagnostics)>, SamplingError> {
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
                diagnosis.of(&columns, watch)?,
            ))
        };
        let of_group: Result<Vec<_>, SamplingError> =
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
fn trajectory_summary(chains: &[MarkovChain]) -> Option<TrajectorySummary> {
    let of_chains = chains
        .iter()
        .filter_map(|chain| chain.trajectories.as_ref());
    let found: Vec<&TrajectoryStatistics> = of_chains.collect();
    let total =
        |count: fn(&TrajectoryStatistics) -> u64| found.iter().map(|chain| count(chain)).sum();
    (!found.is_empty()).then(|| TrajectorySummary {
        divergences: total(|chain| chain.divergences),
        outside: total(|chain| chain.outside),
        saturated: total(|chain| chain.saturated),
        step_size: found.iter().map(|chain| chain.step_size).collect(),
        metric: found.iter().map(|chain| chain.metric).collect(),
        bfmi: found.iter().map(|chain| chain.bfmi).collect(),
    })
}

/// Whether nothing about this many trajectories speaks against the draws.
fn is_sound(trajectories: &TrajectorySummary, count: f64) -> bool {
    trajectories.divergences as f64 <= DIVERGENCES_MAX * count
        && trajectories.bfmi.iter().all(|bfmi| *bfmi >= BFMI_MIN)
}

/// Sample covariance over all draws of all chains.
fn sample_covariance(
    chains: &[MarkovChain],
    mean: &[f64],
    watch: &dyn Watch,
) -> Result<Vec<Vec<f64>>, SamplingError> {
    let dimension = mean.len();
    let mut sums = vec![vec![0.0; dimension]; dimension];
    let mut count = 0.0;
    let draws = chains
        .iter()
        .map(|chain| chain.draws.chunks_exact(dimension));
    for draw in draws.flatten() {
        watch.check()?;
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
