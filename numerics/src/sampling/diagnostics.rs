//! Convergence diagnostics of several chains of one quantity: split R-hat, effective sample sizes, Monte Carlo error.
//!
//! # References
//! A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner, "Rank-Normalization, Folding, and Localization: An Improved
//! R-hat for Assessing Convergence of MCMC", Bayesian Analysis 16(2), 2021; C. J. Geyer, "Practical Markov Chain Monte
//! Carlo", Statistical Science 7(4), 1992.

use std::borrow::Cow;
use std::f64::consts::PI;

use super::blocks::{SampleMoments, afford_sort, sorted_quantile};
use crate::special::normal_quantile;
use crate::watch::{Interruption, Watch};

/// Diagnostics of the chains of one quantity; NaN where undefined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainDiagnostics {
    /// Largest of the rank-normalised split R-hat and its folded form.
    pub rhat: f64,
    /// Bulk effective sample size.
    pub ess_bulk: f64,
    /// Tail effective sample size: the smaller of those of the 5 % and 95 % quantiles.
    pub ess_tail: f64,
    /// Monte Carlo standard error of the mean.
    pub mcse: f64,
}

impl ChainDiagnostics {
    const UNDEFINED: Self = Self {
        rhat: f64::NAN,
        ess_bulk: f64::NAN,
        ess_tail: f64::NAN,
        mcse: f64::NAN,
    };
}

/// R-hat above this means that the chains have not mixed (Vehtari et al. 2021).
pub const RHAT_MAX: f64 = 1.01;
/// Fewest effective draws per chain that make the diagnostics trustworthy (Vehtari et al. 2021).
pub const ESS_PER_CHAIN_MIN: f64 = 100.0;
/// Dimensions that are diagnosed in parallel; a constant, because each takes memory.
pub const AXES_AT_ONCE: usize = 4;
/// Doubles that diagnosing one draw of one dimension takes: halves, ranks, order, spectrum.
pub const DOUBLES_PER_DRAW: usize = 24;

/// The first reason that chains have not converged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnconvergedEvidence {
    /// R-hat or an effective sample size is not defined: too few draws, or draws that do not vary.
    Undefined,
    /// An R-hat is above [`RHAT_MAX`]: the chains have not mixed.
    Rhat,
    /// An effective sample size is below [`ESS_PER_CHAIN_MIN`] per chain.
    EffectiveSize,
    /// More than 1 % of the trajectories diverged, or an energy fraction is below 0.3.
    Trajectories,
}

impl UnconvergedEvidence {
    /// What R-hat and the effective sample size say, of which `enough` is enough.
    pub fn of(rhat: f64, ess: f64, enough: f64) -> Option<Self> {
        if rhat.is_nan() || ess.is_nan() {
            Some(Self::Undefined)
        } else if rhat > RHAT_MAX {
            Some(Self::Rhat)
        } else {
            (ess < enough).then_some(Self::EffectiveSize)
        }
    }
}

/// Fewest draws per chain for which the diagnostics exist.
pub const DRAWS_MIN: usize = 4;

/// Sorts of all draws, and transforms that cost as much.
const SORTS: usize = 10;

/// The parts that the diagnostics of every quantity of the same chains share.
#[derive(Debug)]
pub struct DiagnosticParts {
    /// Draws of all chains.
    count: usize,
    short: bool,
    scores: NormalScores,
    roots: Vec<(f64, f64)>,
}

impl DiagnosticParts {
    /// For this many chains of this many draws each. O(n) for n draws in all.
    pub fn new(chains: usize, draws: usize) -> Self {
        let halves = 2 * chains * (draws / 2);
        Self {
            count: chains * draws,
            short: draws < DRAWS_MIN,
            scores: NormalScores::new(halves),
            roots: roots_of_unity((draws / 2 * 2).next_power_of_two()),
        }
    }

    /// The diagnostics of chains of that shape; NaN for fewer than [`DRAWS_MIN`] draws and for chains that never moved.
    ///
    /// O(n log n) for n draws in all.
    ///
    /// # Errors
    /// [`Interruption::Stopped`], or [`Interruption::Cost`] where sorting so many draws would outlast the deadline.
    pub fn of(
        &self,
        chains: &[Vec<f64>],
        watch: &dyn Watch,
    ) -> Result<ChainDiagnostics, Interruption> {
        let all: Vec<f64> = chains.concat();
        if self.short || all.iter().all(|value| *value == all[0]) {
            return Ok(ChainDiagnostics::UNDEFINED);
        }
        afford_sort(SORTS * self.count, watch)?;
        let halves = split_chains(chains);
        let ranked = self.scores.of(&halves);
        watch.check()?;
        let mut sorted = all.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let median = sorted_quantile(&sorted_halves(chains, &halves, &sorted), 0.5);
        let distances = map_draws(&halves, |value| (value - median).abs());
        let folded = self.scores.of(&distances);
        watch.check()?;
        let effective = |chains: &[Vec<f64>]| effective_sample_size(chains, &self.roots);
        let ess_mean = effective(&halves);
        let ess_bulk = effective(&ranked);
        watch.check()?;
        let ess_at = |probability: f64| {
            let threshold = sorted_quantile(&sorted, probability);
            let below = map_draws(&halves, |value| f64::from(u8::from(value <= threshold)));
            effective(&below)
        };
        Ok(ChainDiagnostics {
            rhat: scale_reduction(&ranked).max(scale_reduction(&folded)),
            ess_bulk,
            ess_tail: ess_at(0.05).min(ess_at(0.95)),
            mcse: SampleMoments::of(&all).std() / ess_mean.sqrt(),
        })
    }
}

/// The diagnostics of chains of equal length, as [`DiagnosticParts::of`].
///
/// # Errors
/// As there.
pub fn diagnose_chains(
    chains: &[Vec<f64>],
    watch: &dyn Watch,
) -> Result<ChainDiagnostics, Interruption> {
    let draws = chains.first().map_or(0, Vec::len);
    DiagnosticParts::new(chains.len(), draws).of(chains, watch)
}

/// First and last half of every chain; the middle draw of an odd length is left out.
fn split_chains(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let halves = |chain: &Vec<f64>| {
        let half = chain.len() / 2;
        [chain[..half].to_vec(), chain[chain.len() - half..].to_vec()]
    };
    chains.iter().flat_map(halves).collect()
}

/// The draws of the halves, sorted: those of the chains, unless the halves leave out middle draws.
fn sorted_halves<'s>(
    chains: &[Vec<f64>],
    halves: &[Vec<f64>],
    sorted: &'s [f64],
) -> Cow<'s, [f64]> {
    if chains[0].len().is_multiple_of(2) {
        return Cow::Borrowed(sorted);
    }
    let mut values = halves.concat();
    values.sort_unstable_by(f64::total_cmp);
    Cow::Owned(values)
}

fn map_draws(chains: &[Vec<f64>], f: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    let of_chain = |chain: &Vec<f64>| chain.iter().map(|&value| f(value)).collect();
    chains.iter().map(of_chain).collect()
}

/// Normal scores of ranks, with Blom's offset 3/8.
#[derive(Debug)]
struct NormalScores {
    /// Score of every whole rank from 1; that of half a rank (a tie) is computed when needed.
    whole: Vec<f64>,
}

impl NormalScores {
    /// The scores of this many draws.
    fn new(count: usize) -> Self {
        let ranks = 1..=count.div_ceil(2);
        let mut whole: Vec<f64> = ranks.map(|rank| normal_score(rank as f64, count)).collect();
        let mirrored: Vec<f64> = whole[..count / 2]
            .iter()
            .rev()
            .map(|score| -score)
            .collect();
        whole.extend(mirrored);
        Self { whole }
    }

    /// The scores of the average ranks over all chains.
    fn of(&self, chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut order: Vec<(f64, usize)> = chains.iter().flatten().copied().zip(0..).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut scores = vec![0.0; order.len()];
        let mut first = 0;
        for tied in order.chunk_by(|a, b| a.0 == b.0) {
            // The average of the ranks first + 1 to first + tied.len().
            let score = if tied.len() % 2 == 1 {
                self.whole[first + tied.len() / 2]
            } else {
                normal_score(first as f64 + (tied.len() as f64 + 1.0) / 2.0, order.len())
            };
            tied.iter().for_each(|&(_, index)| scores[index] = score);
            first += tied.len();
        }
        let draws = chains[0].len();
        scores.chunks(draws).map(<[f64]>::to_vec).collect()
    }
}

fn normal_score(rank: f64, count: usize) -> f64 {
    normal_quantile((rank - 0.375) / (count as f64 + 0.25))
}

/// Potential scale reduction of chains that are taken as they are.
fn scale_reduction(chains: &[Vec<f64>]) -> f64 {
    let draws = chains[0].len() as f64;
    let (_, within, between) = chain_variances(chains);
    ((between + within * (draws - 1.0) / draws) / within).sqrt()
}

/// The moments of every chain, the mean of their variances and the variance of their means.
fn chain_variances(chains: &[Vec<f64>]) -> (Vec<SampleMoments>, f64, f64) {
    let moments: Vec<SampleMoments> = chains
        .iter()
        .map(|chain| SampleMoments::of(chain))
        .collect();
    let within = moments.iter().map(SampleMoments::variance).sum::<f64>() / moments.len() as f64;
    let means: Vec<f64> = moments.iter().map(|moments| moments.mean).collect();
    (moments, within, SampleMoments::of(&means).variance())
}

/// Effective sample size for the mean of chains that are taken as they are, from their joint autocorrelations up to the end
/// of Geyer's initial monotone sequence; at most `n log10 n` for n draws in all (antithetic chains).
fn effective_sample_size(chains: &[Vec<f64>], roots: &[(f64, f64)]) -> f64 {
    let draws = chains[0].len();
    let count = (chains.len() * draws) as f64;
    let (moments, within, between) = chain_variances(chains);
    let between = if chains.len() > 1 { between } else { 0.0 };
    let total = within * (draws as f64 - 1.0) / draws as f64 + between;
    if total == 0.0 {
        return f64::NAN;
    }
    let covariance = mean_autocovariance(chains, &moments, roots);
    let correlation = |lag: usize| 1.0 - (within - covariance[lag]) / total;
    let time = autocorrelation_time(draws, |lag| if lag == 0 { 1.0 } else { correlation(lag) });
    count / time.max(1.0 / count.log10())
}

/// Integrated autocorrelation time: sums of neighbouring lags while they are positive, made non-increasing.
///
/// The last, even lag after the positive pairs is counted once when it is positive itself.
fn autocorrelation_time(draws: usize, correlation: impl Fn(usize) -> f64) -> f64 {
    let mut time = -1.0;
    let mut least_pair = f64::INFINITY;
    let mut lag = 0;
    loop {
        let (even, odd) = (correlation(lag), correlation(lag + 1));
        let last = lag + 4 >= draws;
        if lag > 0 && (even + odd < 0.0 || last) {
            return time + even.max(0.0);
        }
        least_pair = least_pair.min(even + odd);
        time += 2.0 * least_pair;
        lag += 2;
        if last {
            return time;
        }
    }
}

/// Autocovariances of all lags, divided by the number of draws and averaged over the chains.
///
/// The inverse transform of the summed power spectra of the padded chains; two chains share one complex transform, because
/// for `z = a + i b` the spectra add up: `|Z(k)|^2 + |Z(-k)|^2 = 2 |A(k)|^2 + 2 |B(k)|^2`. O(n log n).
fn mean_autocovariance(
    chains: &[Vec<f64>],
    moments: &[SampleMoments],
    roots: &[(f64, f64)],
) -> Vec<f64> {
    let draws = chains[0].len();
    let size = 2 * roots.len();
    let mut power = vec![0.0; size];
    let mut points = vec![(0.0, 0.0); size];
    for (pair, moments) in chains.chunks(2).zip(moments.chunks(2)) {
        points.fill((0.0, 0.0));
        for (point, value) in points.iter_mut().zip(&pair[0]) {
            point.0 = value - moments[0].mean;
        }
        for (point, value) in points.iter_mut().zip(pair.get(1).into_iter().flatten()) {
            point.1 = value - moments[1].mean;
        }
        fourier_transform(&mut points, roots);
        for (power, point) in power.iter_mut().zip(&points) {
            *power += point.0 * point.0 + point.1 * point.1;
        }
    }
    for (k, point) in points.iter_mut().enumerate() {
        *point = (0.5 * (power[k] + power[(size - k) % size]), 0.0);
    }
    fourier_transform(&mut points, roots); // even, so forward and inverse agree up to the scale
    let scale = 1.0 / (size as f64 * draws as f64 * chains.len() as f64);
    let covariances = points[..draws].iter().map(|point| point.0 * scale);
    covariances.collect()
}

/// `exp(-2 pi i k / size)` for the first half of k.
fn roots_of_unity(size: usize) -> Vec<(f64, f64)> {
    let angle = |k| -2.0 * PI * k as f64 / size as f64;
    let roots = (0..size / 2).map(|k| (angle(k).cos(), angle(k).sin()));
    roots.collect()
}

/// Radix-2 Fourier transform in place; the length is a power of two, with its [`roots_of_unity`].
fn fourier_transform(points: &mut [(f64, f64)], roots: &[(f64, f64)]) {
    let size = points.len();
    let shift = usize::BITS - size.trailing_zeros();
    for index in 1..size {
        let mirrored = index.reverse_bits() >> shift;
        if index < mirrored {
            points.swap(index, mirrored);
        }
    }
    let mut half = 1;
    while half < size {
        let stride = size / (2 * half);
        for group in points.chunks_mut(2 * half) {
            let (low, high) = group.split_at_mut(half);
            for ((low, high), root) in low.iter_mut().zip(high).zip(roots.iter().step_by(stride)) {
                let real = high.0 * root.0 - high.1 * root.1;
                let imaginary = high.0 * root.1 + high.1 * root.0;
                *high = (low.0 - real, low.1 - imaginary);
                *low = (low.0 + real, low.1 + imaginary);
            }
        }
        half *= 2;
    }
}
