//! Convergence diagnostics of several chains of one quantity: split R-hat, effective sample sizes, Monte Carlo error.
//!
//! # References
//! A. Vehtari, A. Gelman, D. Simpson, B. Carpenter, P.-C. Buerkner, "Rank-Normalization, Folding, and Localization: An Improved
//! R-hat for Assessing Convergence of MCMC", Bayesian Analysis 16(2), 2021; C. J. Geyer, "Practical Markov Chain Monte
//! Carlo", Statistical Science 7(4), 1992.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::blocks::{Moments, quantile};

/// What the chains of one quantity say about themselves; NaN where it cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagnostics {
    /// Largest of the rank-normalised split R-hat and its folded form.
    pub rhat: f64,
    /// Bulk effective sample size.
    pub ess_bulk: f64,
    /// Tail effective sample size: the smaller of those of the 5 % and 95 % quantiles.
    pub ess_tail: f64,
    /// Monte Carlo standard error of the mean.
    pub mcse: f64,
}

/// Fewest draws per chain for which the diagnostics exist.
pub const DRAWS_MIN: usize = 4;

/// The diagnostics of chains of equal length; NaN for fewer than [`DRAWS_MIN`] draws and for chains that never moved.
///
/// O(n log n) for n draws in all.
pub fn diagnose(chains: &[Vec<f64>]) -> Diagnostics {
    let all: Vec<f64> = chains.concat();
    let short = chains.first().is_none_or(|chain| chain.len() < DRAWS_MIN);
    if short || all.iter().all(|value| *value == all[0]) {
        return Diagnostics {
            rhat: f64::NAN,
            ess_bulk: f64::NAN,
            ess_tail: f64::NAN,
            mcse: f64::NAN,
        };
    }
    let halves = split(chains);
    let ranked = rank_normalise(&halves);
    let ess_mean = effective_sample_size(&halves);
    Diagnostics {
        rhat: rhat(&ranked).max(rhat(&rank_normalise(&fold(&halves)))),
        ess_bulk: effective_sample_size(&ranked),
        ess_tail: ess_quantile(chains, 0.05).min(ess_quantile(chains, 0.95)),
        mcse: Moments::of(&all).std() / ess_mean.sqrt(),
    }
}

/// First and last half of every chain; the middle draw of an odd length is left out.
fn split(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let halves = |chain: &Vec<f64>| {
        let half = chain.len() / 2;
        [chain[..half].to_vec(), chain[chain.len() - half..].to_vec()]
    };
    chains.iter().flat_map(halves).collect()
}

/// Distances from the median of all draws.
fn fold(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut sorted = chains.concat();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = quantile(&sorted, 0.5);
    map(chains, |value| (value - median).abs())
}

fn map(chains: &[Vec<f64>], f: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    chains
        .iter()
        .map(|chain| chain.iter().map(|&value| f(value)).collect())
        .collect()
}

/// Normal scores of the average ranks over all chains, with Blom's offset 3/8.
fn rank_normalise(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let values = chains.concat();
    let count = values.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut scores = vec![0.0; count];
    let mut first = 0;
    while first < count {
        let ties = order[first..].partition_point(|&index| values[index] <= values[order[first]]);
        let rank = first as f64 + (ties as f64 + 1.0) / 2.0;
        let score = normal_quantile((rank - 0.375) / (count as f64 + 0.25));
        order[first..first + ties]
            .iter()
            .for_each(|&index| scores[index] = score);
        first += ties;
    }
    let len = chains[0].len();
    scores.chunks(len).map(<[f64]>::to_vec).collect()
}

/// Potential scale reduction of chains that are taken as they are.
fn rhat(chains: &[Vec<f64>]) -> f64 {
    let draws = chains[0].len() as f64;
    let moments: Vec<Moments> = chains.iter().map(|chain| Moments::of(chain)).collect();
    let within = moments.iter().map(Moments::variance).sum::<f64>() / moments.len() as f64;
    let between = Moments::of(&means(&moments)).variance();
    ((between + within * (draws - 1.0) / draws) / within).sqrt()
}

fn means(moments: &[Moments]) -> Vec<f64> {
    moments.iter().map(|moments| moments.mean).collect()
}

/// Effective sample size for the mean of chains that are taken as they are, from their joint autocorrelations up to the end
/// of Geyer's initial monotone sequence; at most `n log10 n` for n draws in all (antithetic chains).
fn effective_sample_size(chains: &[Vec<f64>]) -> f64 {
    let draws = chains[0].len();
    let count = (chains.len() * draws) as f64;
    let moments: Vec<Moments> = chains.iter().map(|chain| Moments::of(chain)).collect();
    let within = moments.iter().map(Moments::variance).sum::<f64>() / moments.len() as f64;
    let between = if chains.len() > 1 {
        Moments::of(&means(&moments)).variance()
    } else {
        0.0
    };
    let total = within * (draws as f64 - 1.0) / draws as f64 + between;
    if total == 0.0 {
        return f64::NAN;
    }
    let mut covariance = vec![0.0; draws];
    for chain in chains {
        let own = autocovariance(chain);
        covariance
            .iter_mut()
            .zip(own)
            .for_each(|(sum, own)| *sum += own / chains.len() as f64);
    }
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

/// Effective sample size of a quantile: that of the indicator of being at most the quantile.
fn ess_quantile(chains: &[Vec<f64>], probability: f64) -> f64 {
    let mut sorted = chains.concat();
    sorted.sort_unstable_by(f64::total_cmp);
    let threshold = quantile(&sorted, probability);
    effective_sample_size(&map(&split(chains), |value| {
        f64::from(u8::from(value <= threshold))
    }))
}

/// Autocovariances of all lags, divided by the number of draws: the inverse transform of the power spectrum of the padded
/// series. O(n log n).
fn autocovariance(chain: &[f64]) -> Vec<f64> {
    let draws = chain.len();
    let mean = Moments::of(chain).mean;
    let size = (2 * draws).next_power_of_two();
    let mut spectrum = vec![(0.0, 0.0); size];
    spectrum
        .iter_mut()
        .zip(chain)
        .for_each(|(point, value)| point.0 = value - mean);
    fourier(&mut spectrum);
    spectrum
        .iter_mut()
        .for_each(|point| *point = (point.0 * point.0 + point.1 * point.1, 0.0));
    fourier(&mut spectrum); // the power spectrum is even, so forward and inverse agree up to the scale
    let scale = 1.0 / (size as f64 * draws as f64);
    spectrum[..draws]
        .iter()
        .map(|point| point.0 * scale)
        .collect()
}

/// Radix-2 Fourier transform in place; the length is a power of two.
fn fourier(points: &mut [(f64, f64)]) {
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
        let roots: Vec<(f64, f64)> = (0..half)
            .map(|index| {
                let (sine, cosine) = (-PI * index as f64 / half as f64).sin_cos();
                (cosine, sine)
            })
            .collect();
        for group in points.chunks_mut(2 * half) {
            let (low, high) = group.split_at_mut(half);
            for ((low, high), root) in low.iter_mut().zip(high).zip(&roots) {
                let turned = (
                    high.0 * root.0 - high.1 * root.1,
                    high.0 * root.1 + high.1 * root.0,
                );
                *high = (low.0 - turned.0, low.1 - turned.1);
                *low = (low.0 + turned.0, low.1 + turned.1);
            }
        }
        half *= 2;
    }
}

/// The quantile function of the standard normal distribution, for a probability inside (0, 1); relative error about 1e-15.
///
/// A rational start (error below 4.5e-4) and two Halley steps, each of which triples the number of right digits.
///
/// # References
/// M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 26.2.23.
pub fn normal_quantile(probability: f64) -> f64 {
    let tail = probability.min(1.0 - probability);
    let t = (-2.0 * tail.ln()).sqrt();
    let top = (0.010328 * t + 0.802853) * t + 2.515517;
    let bottom = ((0.001308 * t + 0.189269) * t + 1.432788) * t + 1.0;
    let mut z = top / bottom - t; // in the lower tail
    for _ in 0..2 {
        let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
        let error = (0.5 * libm::erfc(-z * FRAC_1_SQRT_2) - tail) / density;
        z -= error / (1.0 + 0.5 * z * error);
    }
    if probability < 0.5 { z } else { -z }
}
