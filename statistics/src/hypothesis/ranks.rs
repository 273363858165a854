//! Two samples by ranks: Mann and Whitney, Brunner and Munzel.
//!
//! # References
//! H. B. Mann and D. R. Whitney, Ann. Math. Stat. 18, 1947; J. L. Hodges and E. L. Lehmann, Ann. Math. Stat. 34, 1963;
//! E. Brunner and U. Munzel, "The nonparametric Behrens-Fisher problem", Biom. J. 42, 2000.

use super::outcome::{
    Alternative, HypothesisError, HypothesisResult, OmittedValues, PValueBasis, ParameterEstimate,
    TestOptions, check_options, check_sample, doubled_tail, normal_p, student_p,
};
use super::rank_sums::SumCounts;
use super::sample::{SampleRanks, mean, sorted, sorted_median};
use crate::distribution::{normal_isf, student_isf};
use crate::effect::dominance_effects;
use crate::hypothesis::EffectSize;

/// Largest size of each group whose arrangements are counted.
pub const EXACT_RANKS_MAX: usize = 50;
/// Most pairs whose differences are sorted for the Hodges-Lehmann estimate.
const PAIRS_MAX: usize = 4_000_000;

/// How a p value is found where there is a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExactChoice {
    /// By counting up to the limit of the test, by the normal distribution beyond.
    #[default]
    Auto,
    /// By counting.
    Exact,
    /// By the normal distribution.
    Asymptotic,
}

impl ExactChoice {
    /// Whether to count.
    pub(crate) fn is_exact(self, fits: bool) -> bool {
        match self {
            Self::Auto => fits,
            Self::Exact => true,
            Self::Asymptotic => false,
        }
    }
}

/// How the p value of ranks is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankMethod {
    /// By counting or by the normal distribution.
    pub choice: ExactChoice,
    /// Whether the normal distribution is corrected for continuity.
    pub has_continuity: bool,
}

impl Default for RankMethod {
    fn default() -> Self {
        Self {
            choice: ExactChoice::Auto,
            has_continuity: true,
        }
    }
}

/// Step towards the mean by which a statistic that moves in steps of 1 is corrected.
pub(crate) fn continuity_step(difference: f64, alternative: Alternative) -> f64 {
    match alternative {
        Alternative::TwoSided if difference == 0.0 => 0.0,
        Alternative::TwoSided => 0.5 * difference.signum(),
        Alternative::Greater => 0.5,
        Alternative::Less => -0.5,
    }
}

/// The Mann-Whitney test of whether values of `x` tend to be larger than those of `y` plus the null shift; the statistic is U of `x`. P values count
/// all arrangements of the (tied) ranks up to [`EXACT_RANKS_MAX`] in each group.
///
/// # Errors
/// [`HypothesisError`] for an empty group, or observations that are all equal.
pub fn test_mann_whitney(
    x: &[f64],
    y: &[f64],
    method: RankMethod,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    check_sample(x, 1, "observations in each group")?;
    check_sample(y, 1, "observations in each group")?;
    let pooled: Vec<f64> = x
        .iter()
        .map(|value| value - options.null)
        .chain(y.iter().copied())
        .collect();
    let ranks = SampleRanks::new(&pooled);
    if ranks.groups.len() == 1 {
        return Err(HypothesisError::Constant {
            what: "the observations",
        });
    }
    let (n, m) = (x.len() as f64, y.len() as f64);
    let rank_sum: f64 = ranks.ranks[..x.len()].iter().sum();
    let u = rank_sum - 0.5 * n * (n + 1.0);
    let fits = x.len().max(y.len()) <= EXACT_RANKS_MAX;
    let is_exact = method.choice.is_exact(fits);
    if is_exact && x.len().min(y.len()) > 4 * EXACT_RANKS_MAX {
        return Err(HypothesisError::TooMany {
            what: "observations in the smaller group for an exact test",
            limit: 4 * EXACT_RANKS_MAX,
            found: x.len().min(y.len()),
        });
    }
    let (p, basis) = match is_exact {
        true => {
            let (counts, unit) = SumCounts::of_choices(&ranks.ranks, x.len());
            let tails = counts.tails((rank_sum * unit as f64).round() as usize);
            let p = doubled_tail(tails.lower, tails.upper, options.alternative);
            (p, PValueBasis::Exact)
        }
        false => approximate_rank_sum(u, n, m, &ranks, method, options.alternative),
    };
    let mut result = HypothesisResult::new("Mann-Whitney U test", "U", u, p)
        .with_basis(basis)
        .with_alternative(options.alternative)
        .with_effects(dominance_effects(u / (n * m), n, m, options.confidence));
    if let Some(estimate) = shift_estimate(x, y, is_exact && !ranks.has_ties(), options) {
        result = result.with_estimate(estimate);
    }
    Ok(result)
}

fn approximate_rank_sum(
    u: f64,
    n: f64,
    m: f64,
    ranks: &SampleRanks,
    method: RankMethod,
    alternative: Alternative,
) -> (f64, PValueBasis) {
    let total = n + m;
    let tied = ranks.tie_sum() / (total * (total - 1.0));
    let deviation = (n * m / 12.0 * (total + 1.0 - tied)).sqrt();
    let difference = u - 0.5 * n * m;
    let (step, basis) = match method.has_continuity {
        true => (
            continuity_step(difference, alternative),
            PValueBasis::Corrected,
        ),
        false => (0.0, PValueBasis::Asymptotic),
    };
    (
        normal_p((difference - step) / deviation, alternative),
        basis,
    )
}

/// The median of the differences of all pairs, and its interval by the distribution of U without ties. `None` for too many pairs.
fn shift_estimate(
    x: &[f64],
    y: &[f64],
    is_exact: bool,
    options: &TestOptions,
) -> Option<ParameterEstimate> {
    let pairs = x.len().checked_mul(y.len())?;
    if pairs > PAIRS_MAX {
        return None;
    }
    let differences: Vec<f64> = x
        .iter()
        .flat_map(|x| y.iter().map(move |y| x - y))
        .collect();
    let differences = sorted(&differences);
    let (n, m) = (x.len() as f64, y.len() as f64);
    let deviation = (n * m * (n + m + 1.0) / 12.0).sqrt();
    let counts = is_exact.then(|| {
        let ranks: Vec<f64> = (1..=x.len() + y.len()).map(|rank| rank as f64).collect();
        SumCounts::of_choices(&ranks, x.len()).0
    });
    let least = x.len() * (x.len() + 1) / 2;
    let depth = |p: f64| match &counts {
        Some(counts) => counts.critical_sum(p).map_or(0, |sum| sum + 1 - least),
        None => (0.5 * n * m - normal_isf(p) * deviation).round().max(0.0) as usize,
    };
    Some(ParameterEstimate {
        name: "shift",
        value: sorted_median(&differences),
        null: options.null,
        interval: Some(order_interval(&differences, depth, options)),
    })
}

/// The interval between the order statistics at a depth from both ends; depth 0 is an infinite end.
pub(crate) fn order_interval(
    values: &[f64],
    depth: impl Fn(f64) -> usize,
    options: &TestOptions,
) -> [f64; 2] {
    let left_out = OmittedValues::new(options);
    let place = |p: f64| match p > 0.0 {
        true => depth(p).min(values.len()).checked_sub(1),
        false => None,
    };
    [
        place(left_out.below).map_or(f64::NEG_INFINITY, |at| values[at]),
        place(left_out.above).map_or(f64::INFINITY, |at| values[values.len() - 1 - at]),
    ]
}

/// The Brunner-Munzel test of whether P(x > y) + P(x = y) / 2 is one half, without equal variances. The statistic is positive where `x` tends to be
/// larger; Student's distribution with Satterthwaite's degrees of freedom.
///
/// # Errors
/// [`HypothesisError`] for groups of fewer than two, or groups that do not overlap at all.
pub fn test_brunner_munzel(
    x: &[f64],
    y: &[f64],
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    check_sample(x, 2, "observations in each group")?;
    check_sample(y, 2, "observations in each group")?;
    let pooled: Vec<f64> = x.iter().chain(y).copied().collect();
    let all = SampleRanks::new(&pooled).ranks;
    let (first, second) = all.split_at(x.len());
    let (n, m) = (x.len() as f64, y.len() as f64);
    let (mean_x, mean_y) = (mean(first), mean(second));
    let (var_x, var_y) = (placement_variance(first, x), placement_variance(second, y));
    let total = n * var_x + m * var_y;
    if total <= 0.0 {
        return Err(HypothesisError::Undefined {
            reason: "the groups do not overlap, so that the Brunner-Munzel statistic is infinite",
        });
    }
    let statistic = n * m * (mean_x - mean_y) / ((n + m) * total.sqrt());
    let df = total * total / ((n * var_x).powi(2) / (n - 1.0) + (m * var_y).powi(2) / (m - 1.0));
    let share = (mean_x - mean_y) / (n + m) + 0.5;
    let error = (total / (n * m * n * m)).sqrt();
    let p = student_p(statistic, df, options.alternative);
    let estimate = ParameterEstimate {
        name: "probability of superiority",
        value: share,
        null: 0.5,
        interval: Some(
            OmittedValues::new(options)
                .around(share, error, |p| student_isf(p, df))
                .map(|end| end.clamp(0.0, 1.0)),
        ),
    };
    let reach = error * student_isf(0.5 * (1.0 - options.confidence), df);
    let effect = EffectSize {
        name: "probability of superiority",
        symbol: "A",
        value: share,
        interval: Some([(share - reach).max(0.0), (share + reach).min(1.0)]),
    };
    Ok(
        HypothesisResult::new("Brunner-Munzel test", "W", statistic, p)
            .with_df(&[df])
            .with_alternative(options.alternative)
            .with_estimate(estimate)
            .with_effects(vec![effect]),
    )
}

/// Variance of the ranks among all less the ranks within the group.
fn placement_variance(ranks: &[f64], values: &[f64]) -> f64 {
    let within = SampleRanks::new(values).ranks;
    let placements: Vec<f64> = ranks
        .iter()
        .zip(&within)
        .map(|(all, own)| all - own)
        .collect();
    super::sample::variance(&placements)
}
