//! Permutation tests of means: all arrangements where they are few, random ones of a seed otherwise.
//!
//! # References
//! B. Phipson and G. K. Smyth, "Permutation P-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9, 2010: (b + 1) / (m + 1).

use numerics::Watch;
use rand::RngExt as _;
use random_streams::stream_rng;

use super::location::pair_differences;
use super::outcome::{
    Alternative, HypothesisError, HypothesisResult, PValueBasis, ParameterEstimate, TestOptions,
    check_options, check_sample, doubled_tail,
};
use super::sample::{is_constant, mean};
use super::spread::{GroupSquares, check_groups};
use crate::effect::{DifferenceSummary, eta_squared, pooled_effects, single_effects};

/// Most arrangements that are all counted.
pub const ARRANGEMENTS_MAX: f64 = 20_000.0;

/// Random arrangements of a permutation test.
#[derive(Debug, Clone, Copy)]
pub struct PermutationDraws {
    /// How many, where not all are counted.
    pub draws: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Arrangements on either side of the observed one, which is among them.
#[derive(Debug, Clone, Copy, Default)]
struct ArrangementCount {
    lower: usize,
    upper: usize,
    all: usize,
}

impl ArrangementCount {
    fn add(&mut self, value: f64, observed: f64, slack: f64) {
        self.all += 1;
        self.lower += usize::from(value <= observed + slack);
        self.upper += usize::from(value >= observed - slack);
    }

    /// The p value; random arrangements count the observed one as one of them.
    fn p(&self, is_exact: bool, alternative: Alternative) -> f64 {
        let extra = usize::from(!is_exact);
        let share = |count: usize| (count + extra) as f64 / (self.all + extra) as f64;
        doubled_tail(share(self.lower), share(self.upper), alternative)
    }
}

fn basis(is_exact: bool, draws: usize) -> PValueBasis {
    match is_exact {
        true => PValueBasis::Exact,
        false => PValueBasis::Simulated { draws },
    }
}

/// The permutation test of the difference of two means, `x - y`.
///
/// # Errors
/// [`HypothesisError`] for an empty group, and observations that are all equal.
pub fn test_permutation(
    x: &[f64],
    y: &[f64],
    draws: PermutationDraws,
    options: &TestOptions,
    watch: &dyn Watch,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    check_sample(x, 2, "observations in each group")?;
    check_sample(y, 2, "observations in each group")?;
    let shifted = x.iter().map(|value| value - options.null);
    let mut pooled: Vec<f64> = shifted.chain(y.iter().copied()).collect();
    if is_constant(&pooled) {
        return Err(HypothesisError::Constant {
            what: "the observations",
        });
    }
    let centre = mean(&pooled);
    pooled.iter_mut().for_each(|value| *value -= centre);
    let chosen = x.len();
    let observed: f64 = pooled[..chosen].iter().sum();
    let slack = 1e-12 * pooled.iter().map(|value| value.abs()).sum::<f64>();
    let ways = numerics::special::binomial_coefficient(pooled.len() as f64, chosen as f64);
    let is_exact = ways <= ARRANGEMENTS_MAX;
    let mut count = ArrangementCount::default();
    match is_exact {
        true => each_choice(&pooled, chosen, |sum| count.add(sum, observed, slack)),
        false => {
            let mut rng = stream_rng(draws.seed, 0);
            for draw in 0..draws.draws {
                if draw % 256 == 0 {
                    watch.check()?;
                }
                // The first `chosen` of a random order.
                for at in 0..chosen {
                    let other = rng.random_range(at..pooled.len());
                    pooled.swap(at, other);
                }
                count.add(pooled[..chosen].iter().sum(), observed, slack);
            }
        }
    }
    let p = count.p(is_exact, options.alternative);
    let difference = mean(x) - mean(y);
    let summary = DifferenceSummary::new(x, y, options.null);
    Ok(
        HypothesisResult::new("permutation test", "difference", difference, p)
            .with_basis(basis(is_exact, draws.draws))
            .with_alternative(options.alternative)
            .with_estimate(ParameterEstimate {
                name: "difference of means",
                value: difference,
                null: options.null,
                interval: None,
            })
            .with_effects(pooled_effects(&summary, options.confidence)),
    )
}

/// The sum of each choice of so many values.
fn each_choice(values: &[f64], chosen: usize, mut f: impl FnMut(f64)) {
    let mut places: Vec<usize> = (0..chosen).collect();
    loop {
        f(places.iter().map(|&at| values[at]).sum());
        let Some(at) = (0..chosen)
            .rev()
            .find(|&at| places[at] < values.len() - chosen + at)
        else {
            return;
        };
        places[at] += 1;
        for later in at + 1..chosen {
            places[later] = places[later - 1] + 1;
        }
    }
}

/// The permutation test of the mean difference of pairs, by their signs.
///
/// # Errors
/// [`HypothesisError`] for samples of different length, fewer than two pairs, and differences that are all 0.
pub fn test_sign_permutation(
    x: &[f64],
    y: &[f64],
    draws: PermutationDraws,
    options: &TestOptions,
    watch: &dyn Watch,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    let differences = pair_differences(x, y)?;
    let values: Vec<f64> = differences
        .iter()
        .map(|value| value - options.null)
        .collect();
    if values.iter().all(|value| *value == 0.0) {
        return Err(HypothesisError::Constant {
            what: "the differences, which are all 0,",
        });
    }
    let observed: f64 = values.iter().sum();
    let slack = 1e-12 * values.iter().map(|value| value.abs()).sum::<f64>();
    let is_exact = values.len() < 63 && (1_u64 << values.len()) as f64 <= ARRANGEMENTS_MAX;
    let mut count = ArrangementCount::default();
    let total = match is_exact {
        true => 1 << values.len(),
        false => draws.draws,
    };
    let mut rng = stream_rng(draws.seed, 0);
    for draw in 0..total {
        if draw % 256 == 0 {
            watch.check()?;
        }
        let mut sum = 0.0;
        let mut bits = 0_u64;
        for (at, value) in values.iter().enumerate() {
            bits = match (is_exact, at % 64) {
                (true, _) => draw as u64 >> at,
                (false, 0) => rng.random(),
                (false, _) => bits >> 1,
            };
            sum += if bits & 1 == 1 { *value } else { -value };
        }
        count.add(sum, observed, slack);
    }
    let p = count.p(is_exact, options.alternative);
    let n = x.len() as f64;
    let difference = mean(&differences);
    let mut result = HypothesisResult::new("paired permutation test", "difference", difference, p)
        .with_basis(basis(is_exact, draws.draws))
        .with_alternative(options.alternative)
        .with_estimate(ParameterEstimate {
            name: "mean difference",
            value: difference,
            null: options.null,
            interval: None,
        });
    if !is_constant(&differences) {
        let error = (super::sample::variance(&differences) / n).sqrt();
        let t = (difference - options.null) / error;
        result = result.with_effects(single_effects(t, n, options.confidence));
    }
    Ok(result)
}

/// The permutation test of the means of several groups by the F ratio.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, an empty group, and observations that do not vary within groups.
pub fn test_permutation_groups(
    groups: &[&[f64]],
    draws: PermutationDraws,
    confidence: f64,
    watch: &dyn Watch,
) -> Result<HypothesisResult, HypothesisError> {
    check_groups(groups, 1)?;
    let squares = GroupSquares::new(groups);
    if squares.within <= 0.0 || squares.df2 <= 0.0 {
        return Err(HypothesisError::Constant {
            what: "the observations within the groups",
        });
    }
    let mut pooled: Vec<f64> = groups
        .iter()
        .flat_map(|group| group.iter().copied())
        .collect();
    let centre = mean(&pooled);
    pooled.iter_mut().for_each(|value| *value -= centre);
    let between = |values: &[f64]| {
        let mut start = 0;
        let parts = groups.iter().map(|group| {
            let part = &values[start..start + group.len()];
            start += group.len();
            part.iter().sum::<f64>().powi(2) / part.len() as f64
        });
        parts.sum::<f64>()
    };
    let observed = between(&pooled);
    let slack = 1e-12 * observed;
    let mut rng = stream_rng(draws.seed, 0);
    let mut count = ArrangementCount::default();
    for draw in 0..draws.draws {
        if draw % 64 == 0 {
            watch.check()?;
        }
        for at in (1..pooled.len()).rev() {
            let other = rng.random_range(0..=at);
            pooled.swap(at, other);
        }
        count.add(between(&pooled), observed, slack);
    }
    let p = count.p(false, Alternative::Greater);
    Ok(HypothesisResult::new(
        "permutation test of several groups",
        "F",
        squares.f_value(),
        p,
    )
    .with_df(&[squares.df1, squares.df2])
    .with_basis(basis(false, draws.draws))
    .with_effects(vec![eta_squared(&squares.shares(), confidence)]))
}
