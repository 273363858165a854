//! One sample or pairs by signs and ranks: Wilcoxon, and the sign test.
//!
//! # References
//! F. Wilcoxon, Biometrics Bull. 1, 1945; M. Hollander, D. A. Wolfe and E. Chicken, "Nonparametric Statistical Methods", 2014, sections 3.1 to 3.6.

use numerics::special::{binomial_ccdf, binomial_cdf};

use super::outcome::{
    HypothesisError, HypothesisResult, PValueBasis, ParameterEstimate, TestOptions, check_options,
    check_sample, doubled_tail, normal_p,
};
use super::rank_sums::SumCounts;
use super::ranks::{EXACT_RANKS_MAX, RankMethod, continuity_step, order_interval};
use super::sample::{SampleRanks, sorted, sorted_median};
use crate::distribution::normal_isf;
use crate::effect::signed_rank_effect;
use crate::hypothesis::EffectSize;

/// Largest sample whose Walsh averages are sorted.
const WALSH_MAX: usize = 2500;
/// Largest sample whose sign patterns are counted at all.
const SIGNS_MAX: usize = 400;

/// Wilcoxon's signed-rank test of whether a sample, or differences of pairs, are symmetric about the null value. The statistic is the sum of the ranks
/// of positive differences. Differences of 0 are left out, and counted in the notes; ties are counted exactly up to 50 differences.
///
/// # Errors
/// [`HypothesisError`] for an empty sample, and where no difference is left.
pub fn test_signed_ranks(
    x: &[f64],
    method: RankMethod,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    check_sample(x, 1, "observations")?;
    let differences: Vec<f64> = x
        .iter()
        .map(|value| value - options.null)
        .filter(|difference| *difference != 0.0)
        .collect();
    let zeros = x.len() - differences.len();
    if differences.is_empty() {
        return Err(HypothesisError::Constant {
            what: "the differences, which are all 0,",
        });
    }
    let sizes: Vec<f64> = differences.iter().map(|value| value.abs()).collect();
    let ranks = SampleRanks::new(&sizes);
    let n = differences.len() as f64;
    let signed = differences.iter().zip(&ranks.ranks);
    let positive = signed.filter(|pair| *pair.0 > 0.0).map(|pair| pair.1);
    // Not the -0 of an empty sum.
    let positive = positive.sum::<f64>() + 0.0;
    let negative = 0.5 * n * (n + 1.0) - positive;
    let is_exact = method.choice.is_exact(differences.len() <= EXACT_RANKS_MAX);
    if is_exact && differences.len() > SIGNS_MAX {
        return Err(HypothesisError::TooMany {
            what: "differences for an exact test",
            limit: SIGNS_MAX,
            found: differences.len(),
        });
    }
    let (p, basis) = match is_exact {
        true => {
            let (counts, unit) = SumCounts::of_subsets(&ranks.ranks);
            let tails = counts.tails((positive * unit as f64).round() as usize);
            let p = doubled_tail(tails.lower, tails.upper, options.alternative);
            (p, PValueBasis::Exact)
        }
        false => {
            let spread = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ranks.tie_sum() / 48.0;
            let difference = 0.5 * (positive - negative);
            let (step, basis) = match method.has_continuity {
                true => {
                    let step = continuity_step(difference, options.alternative);
                    (step, PValueBasis::Corrected)
                }
                false => (0.0, PValueBasis::Asymptotic),
            };
            let z = (difference - step) / spread.sqrt();
            (normal_p(z, options.alternative), basis)
        }
    };
    let effect = signed_rank_effect(positive, negative, n, options.confidence);
    let mut result = HypothesisResult::new("Wilcoxon signed-rank test", "V", positive, p)
        .with_basis(basis)
        .with_alternative(options.alternative)
        .with_effects(vec![effect]);
    if zeros > 0 {
        result = result.with_note(format!("{zeros} differences of 0 are left out"));
    }
    if let Some(estimate) = pseudomedian(x, is_exact && !ranks.has_ties() && zeros == 0, options) {
        result = result.with_estimate(estimate);
    }
    Ok(result)
}

/// The median of the means of all pairs, and its interval. `None` for too many.
fn pseudomedian(x: &[f64], is_exact: bool, options: &TestOptions) -> Option<ParameterEstimate> {
    if x.len() > WALSH_MAX {
        return None;
    }
    let averages: Vec<f64> = x
        .iter()
        .enumerate()
        .flat_map(|(at, a)| x[at..].iter().map(move |b| 0.5 * a + 0.5 * b))
        .collect();
    let averages = sorted(&averages);
    let n = x.len() as f64;
    let counts = is_exact.then(|| {
        let ranks: Vec<f64> = (1..=x.len()).map(|rank| rank as f64).collect();
        SumCounts::of_subsets(&ranks).0
    });
    let centre = 0.25 * n * (n + 1.0);
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0).sqrt();
    let depth = |p: f64| match &counts {
        Some(counts) => counts.critical_sum(p).map_or(0, |sum| sum + 1),
        None => (centre - normal_isf(p) * deviation).round().max(0.0) as usize,
    };
    Some(ParameterEstimate {
        name: "pseudomedian",
        value: sorted_median(&averages),
        null: options.null,
        interval: Some(order_interval(&averages, depth, options)),
    })
}

/// The sign test of a median: the number of values above the null value, of those that differ from it.
///
/// # Errors
/// [`HypothesisError`] where no value differs from the null value.
pub fn test_signs(x: &[f64], options: &TestOptions) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    check_sample(x, 1, "observations")?;
    let above = x.iter().filter(|value| **value > options.null).count() as f64;
    let below = x.iter().filter(|value| **value < options.null).count() as f64;
    let n = above + below;
    if n == 0.0 {
        return Err(HypothesisError::Constant {
            what: "the differences, which are all 0,",
        });
    }
    let lower = binomial_cdf(above, n, 0.5);
    let upper = binomial_ccdf(above - 1.0, n, 0.5);
    let p = doubled_tail(lower, upper, options.alternative);
    let values = sorted(x);
    let count = x.len() as f64;
    // The most values that may lie outside of an end: the largest k with P(B < k) at most p.
    let depth = |p: f64| {
        let mut k = 0.0;
        while k < count && binomial_cdf(k, count, 0.5) <= p {
            k += 1.0;
        }
        k as usize
    };
    let estimate = ParameterEstimate {
        name: "median",
        value: sorted_median(&values),
        null: options.null,
        interval: Some(order_interval(&values, depth, options)),
    };
    let ends = super::proportions::clopper_pearson(above, n, options.confidence);
    let share = EffectSize {
        name: "difference of shares",
        symbol: "r",
        value: (above - below) / n,
        interval: Some(ends.map(|end| 2.0 * end - 1.0)),
    };
    let mut result = HypothesisResult::new("sign test", "S", above, p)
        .with_basis(PValueBasis::Exact)
        .with_alternative(options.alternative)
        .with_estimate(estimate)
        .with_effects(vec![share]);
    let zeros = x.len() - n as usize;
    if zeros > 0 {
        result = result.with_note(format!("{zeros} differences of 0 are left out"));
    }
    Ok(result)
}
