//! Proportions: one by exact binomial probabilities, two or more by chi-squared.
//!
//! # References
//! C. J. Clopper and E. S. Pearson, Biometrika 26, 1934; E. B. Wilson, JASA 22, 1927; R. G. Newcombe, "EstimateInterval estimation for the difference
//! between independent proportions", Stat. Med. 17, 1998, method 10.

use numerics::special::{binomial_ccdf, binomial_cdf, inverse_regularised_beta, lgamma};

use super::outcome::{
    Alternative, EffectSize, HypothesisError, HypothesisResult, PValueBasis, ParameterEstimate,
    TestOptions, check_options, normal_p, two_sided_z,
};
use crate::distribution::chi_squared_sf;

/// Successes among trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuccessCount {
    /// Successes: whole, from 0 to the trials.
    pub successes: f64,
    /// Trials: whole, at least 1.
    pub trials: f64,
}

impl SuccessCount {
    /// Checks a pair of counts.
    ///
    /// # Errors
    /// [`HypothesisError::Range`] for what are not counts.
    pub fn new(successes: f64, trials: f64) -> Result<Self, HypothesisError> {
        let is_count = |value: f64| value >= 0.0 && value.fract() == 0.0 && value <= 9e15;
        if !is_count(trials) || trials < 1.0 {
            return Err(HypothesisError::Range {
                expected: "a whole number of trials, at least 1",
                found: trials,
            });
        }
        match is_count(successes) && successes <= trials {
            true => Ok(Self { successes, trials }),
            false => Err(HypothesisError::Range {
                expected: "a whole number of successes, from 0 to the trials",
                found: successes,
            }),
        }
    }

    fn share(&self) -> f64 {
        self.successes / self.trials
    }
}

/// The exact interval of a proportion.
pub fn clopper_pearson(successes: f64, trials: f64, confidence: f64) -> [f64; 2] {
    exact_ends(successes, trials, [0.5 * (1.0 - confidence); 2])
}

/// Ends that leave out the given probabilities below and above; 0 leaves out nothing.
fn exact_ends(k: f64, n: f64, left_out: [f64; 2]) -> [f64; 2] {
    let low = match k > 0.0 && left_out[0] > 0.0 {
        true => inverse_regularised_beta(k, n - k + 1.0, left_out[0]),
        false => 0.0,
    };
    let high = match k < n && left_out[1] > 0.0 {
        // By the mirror image, so that the small tail keeps its digits.
        true => 1.0 - inverse_regularised_beta(n - k, k + 1.0, left_out[1]),
        false => 1.0,
    };
    [low, high]
}

/// Wilson's score interval of a proportion.
pub fn wilson_interval(successes: f64, trials: f64, confidence: f64) -> [f64; 2] {
    let z = two_sided_z(confidence);
    let (n, p) = (trials, successes / trials);
    let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
    [(centre - reach).max(0.0), (centre + reach).min(1.0)]
}

/// Logarithm of the probability of `k` successes.
pub(crate) fn log_binomial(k: f64, n: f64, p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        let is_sure = (p <= 0.0 && k == 0.0) || (p >= 1.0 && k == n);
        return if is_sure { 0.0 } else { f64::NEG_INFINITY };
    }
    lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * p.ln() + (n - k) * (-p).ln_1p()
}

/// The exact test of a proportion; two-sided, all counts count that are at most as probable as the one observed.
///
/// # Errors
/// [`HypothesisError::Range`] for a null value outside of 0 to 1.
pub fn test_binomial(
    count: SuccessCount,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    if !(0.0..=1.0).contains(&options.null) {
        return Err(HypothesisError::Range {
            expected: "a proportion from 0 to 1",
            found: options.null,
        });
    }
    let (k, n, share) = (count.successes, count.trials, options.null);
    let lower = binomial_cdf(k, n, share);
    let upper = binomial_ccdf(k - 1.0, n, share);
    let alpha = 1.0 - options.confidence;
    let (p, left_out) = match options.alternative {
        Alternative::Less => (lower, [0.0, alpha]),
        Alternative::Greater => (upper, [alpha, 0.0]),
        Alternative::TwoSided => (minlike_binomial(k, n, share), [0.5 * alpha; 2]),
    };
    let h = 2.0 * (count.share().sqrt().asin() - share.sqrt().asin());
    let transform = |p: f64| 2.0 * (p.sqrt().asin() - share.sqrt().asin());
    let ends = clopper_pearson(k, n, options.confidence).map(transform);
    Ok(HypothesisResult::new("exact binomial test", "k", k, p)
        .with_basis(PValueBasis::Exact)
        .with_alternative(options.alternative)
        .with_estimate(ParameterEstimate {
            name: "proportion",
            value: count.share(),
            null: share,
            interval: Some(exact_ends(k, n, left_out)),
        })
        .with_effects(vec![EffectSize {
            name: "Cohen h",
            symbol: "h",
            value: h,
            interval: Some(ends),
        }]))
}

/// Probability of all counts that are at most as probable as `k`, by bisection of the other tail, where probabilities fall.
fn minlike_binomial(k: f64, n: f64, share: f64) -> f64 {
    /// Probabilities that differ by less are the same.
    const ALIKE: f64 = 1e-7;
    let mean = n * share;
    if k == mean {
        return 1.0;
    }
    let limit = log_binomial(k, n, share) + ALIKE;
    let is_rare = |j: f64| log_binomial(j, n, share) <= limit;
    let (mut near, mut far) = match k < mean {
        true => (mean.ceil(), n),
        false => (mean.floor(), 0.0),
    };
    let own = match k < mean {
        true => binomial_cdf(k, n, share),
        false => binomial_ccdf(k - 1.0, n, share),
    };
    if !is_rare(far) {
        return own;
    }
    // `far` is rare; the nearest rare count is searched between.
    if is_rare(near) {
        far = near;
    }
    while (far - near).abs() > 1.0 {
        let middle = ((near + far) * 0.5).floor();
        match is_rare(middle) {
            true => far = middle,
            false => near = middle,
        }
    }
    let other = match k < mean {
        true => binomial_ccdf(far - 1.0, n, share),
        false => binomial_cdf(far, n, share),
    };
    (own + other).min(1.0)
}

/// The test that proportions of independent groups are equal: chi-squared, corrected for continuity for two groups where `has_continuity`. For two groups, the
/// difference of the proportions has Newcombe's interval, and one-sided alternatives are taken.
///
/// # Errors
/// [`HypothesisError`] for fewer than two groups, all or no successes, or a one-sided alternative for more than two.
pub fn test_proportions(
    groups: &[SuccessCount],
    has_continuity: bool,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    if groups.len() < 2 {
        return Err(HypothesisError::TooFew {
            what: "groups",
            needed: 2,
            found: groups.len(),
        });
    }
    let successes: f64 = groups.iter().map(|group| group.successes).sum();
    let trials: f64 = groups.iter().map(|group| group.trials).sum();
    let share = successes / trials;
    if share == 0.0 || share == 1.0 {
        return Err(HypothesisError::Constant {
            what: "the outcomes",
        });
    }
    let spread = share * (1.0 - share);
    if let [first, second] = groups {
        return Ok(two_proportions(
            *first,
            *second,
            spread,
            has_continuity,
            options,
        ));
    }
    if options.alternative != Alternative::TwoSided {
        return Err(HypothesisError::Undefined {
            reason: "a one-sided alternative needs two groups",
        });
    }
    let parts = groups
        .iter()
        .map(|group| (group.successes - group.trials * share).powi(2) / (group.trials * spread));
    let statistic: f64 = parts.sum();
    let df = groups.len() as f64 - 1.0;
    let p = chi_squared_sf(statistic, df);
    let effect = crate::effect::cramers_v(statistic, df, 1.0, trials, options.confidence);
    Ok(
        HypothesisResult::new("test of equal proportions", "chi2", statistic, p)
            .with_df(&[df])
            .with_basis(PValueBasis::Asymptotic)
            .with_effects(vec![effect]),
    )
}

fn two_proportions(
    first: SuccessCount,
    second: SuccessCount,
    spread: f64,
    has_continuity: bool,
    options: &TestOptions,
) -> HypothesisResult {
    let (p1, p2) = (first.share(), second.share());
    let (n, m) = (first.trials, second.trials);
    let difference = p1 - p2;
    let inverse = 1.0 / n + 1.0 / m;
    let step = match has_continuity {
        true => (0.5 * inverse).min(difference.abs()),
        false => 0.0,
    };
    let z = difference.signum() * (difference.abs() - step) / (spread * inverse).sqrt();
    let basis = match has_continuity {
        true => PValueBasis::Corrected,
        false => PValueBasis::Asymptotic,
    };
    let alpha = 1.0 - options.confidence;
    let newcombe = |tail: f64| {
        let coverage = 1.0 - 2.0 * tail;
        let [l1, u1] = wilson_interval(first.successes, n, coverage);
        let [l2, u2] = wilson_interval(second.successes, m, coverage);
        [
            difference - ((p1 - l1).powi(2) + (u2 - p2).powi(2)).sqrt(),
            difference + ((u1 - p1).powi(2) + (p2 - l2).powi(2)).sqrt(),
        ]
    };
    let interval = match options.alternative {
        Alternative::TwoSided => newcombe(0.5 * alpha),
        Alternative::Less => [-1.0, newcombe(alpha)[1]],
        Alternative::Greater => [newcombe(alpha)[0], 1.0],
    };
    let table = [
        first.successes,
        n - first.successes,
        second.successes,
        m - second.successes,
    ];
    HypothesisResult::new(
        "test of equal proportions",
        "chi2",
        z * z,
        normal_p(z, options.alternative),
    )
    .with_df(&[1.0])
    .with_basis(basis)
    .with_alternative(options.alternative)
    .with_estimate(ParameterEstimate {
        name: "difference of proportions",
        value: difference,
        null: 0.0,
        interval: Some(interval),
    })
    .with_effects(crate::effect::two_by_two_effects(table, options.confidence))
}
