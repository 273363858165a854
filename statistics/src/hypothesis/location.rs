//! Means compared: Student, Welch and Yuen.
//!
//! # References
//! B. L. Welch, "The generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947.
//! K. K. Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61, 1974.

use super::outcome::{
    Alternative, HypothesisError, HypothesisResult, OmittedValues, ParameterEstimate, TestOptions,
    check_options, check_sample, student_p,
};
use super::sample::{is_constant, mean, sorted, squared_deviations, variance};
use crate::distribution::student_isf;
use crate::effect::{
    DifferenceSummary, glass_delta, paired_effects, pooled_effects, robust_effect, single_effects,
};

/// A difference, its standard error and the degrees of freedom of the error.
struct StudentParts {
    name: &'static str,
    quantity: &'static str,
    value: f64,
    error: f64,
    df: f64,
}

impl StudentParts {
    fn finish(self, options: &TestOptions) -> HypothesisResult {
        let t = (self.value - options.null) / self.error;
        let p = student_p(t, self.df, options.alternative);
        let left_out = OmittedValues::new(options);
        let interval = left_out.around(self.value, self.error, |p| student_isf(p, self.df));
        HypothesisResult::new(self.name, "t", t, p)
            .with_df(&[self.df])
            .with_alternative(options.alternative)
            .with_estimate(ParameterEstimate {
                name: self.quantity,
                value: self.value,
                null: options.null,
                interval: Some(interval),
            })
    }
}

/// Student's test of the mean of a sample of at least two.
///
/// # Errors
/// [`HypothesisError`] for a short or constant sample.
pub fn test_mean(x: &[f64], options: &TestOptions) -> Result<HypothesisResult, HypothesisError> {
    check_options(options)?;
    check_sample(x, 2, "observations")?;
    if is_constant(x) {
        return Err(HypothesisError::Constant {
            what: "the observations",
        });
    }
    let n = x.len() as f64;
    let parts = StudentParts {
        name: "one-sample t test",
        quantity: "mean",
        value: mean(x),
        error: (variance(x) / n).sqrt(),
        df: n - 1.0,
    };
    let result = parts.finish(options);
    let effects = single_effects(result.statistic, n, options.confidence);
    Ok(result.with_effects(effects))
}

/// Student's test of the mean difference `x - y` of pairs.
///
/// # Errors
/// [`HypothesisError`] for samples of different length, fewer than two pairs, or differences that are all the same.
pub fn test_pairs(
    x: &[f64],
    y: &[f64],
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    let differences = pair_differences(x, y)?;
    if is_constant(&differences) && differences.len() > 1 {
        return Err(HypothesisError::Constant {
            what: "the differences of the pairs",
        });
    }
    let mut result = test_mean(&differences, options)?;
    result.name = "paired t test";
    if let Some(estimate) = &mut result.estimate {
        estimate.name = "mean difference";
    }
    let n = x.len() as f64;
    let effects = paired_effects(result.statistic, n, options.confidence);
    Ok(result.with_effects(effects))
}

/// `x - y` of each pair.
pub(crate) fn pair_differences(x: &[f64], y: &[f64]) -> Result<Vec<f64>, HypothesisError> {
    if x.len() != y.len() {
        return Err(HypothesisError::Lengths {
            first: x.len(),
            second: y.len(),
        });
    }
    check_sample(x, 2, "pairs")?;
    check_sample(y, 2, "pairs")?;
    Ok(x.iter().zip(y).map(|(x, y)| x - y).collect())
}

fn check_two(x: &[f64], y: &[f64], options: &TestOptions) -> Result<(), HypothesisError> {
    check_options(options)?;
    check_sample(x, 2, "observations in each group")?;
    check_sample(y, 2, "observations in each group")?;
    match is_constant(x) && is_constant(y) {
        true => Err(HypothesisError::Constant {
            what: "the observations within the groups",
        }),
        false => Ok(()),
    }
}

fn two_sample_effects(
    x: &[f64],
    y: &[f64],
    options: &TestOptions,
) -> Vec<super::outcome::EffectSize> {
    let summary = DifferenceSummary::new(x, y, options.null);
    let mut effects = pooled_effects(&summary, options.confidence);
    effects.extend(glass_delta(&summary, options.confidence));
    effects
}

/// Welch's test of the difference of two means, `x - y`, without the assumption that variances are equal.
///
/// # Errors
/// [`HypothesisError`] for groups of fewer than two, or both of them constant.
pub fn test_welch(
    x: &[f64],
    y: &[f64],
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_two(x, y, options)?;
    let (a, b) = (variance(x) / x.len() as f64, variance(y) / y.len() as f64);
    let (share_a, share_b) = (a / (a + b), b / (a + b));
    let df = 1.0
        / (share_a * share_a / (x.len() as f64 - 1.0) + share_b * share_b / (y.len() as f64 - 1.0));
    let parts = StudentParts {
        name: "Welch two-sample t test",
        quantity: "difference of means",
        value: mean(x) - mean(y),
        error: (a + b).sqrt(),
        df,
    };
    let effects = two_sample_effects(x, y, options);
    Ok(parts.finish(options).with_effects(effects))
}

/// Student's test of the difference of two means, `x - y`, of groups of one variance.
///
/// # Errors
/// As [`test_welch`].
pub fn test_pooled(
    x: &[f64],
    y: &[f64],
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_two(x, y, options)?;
    let (n, m) = (x.len() as f64, y.len() as f64);
    let df = n + m - 2.0;
    let pooled = (squared_deviations(x) + squared_deviations(y)) / df;
    let parts = StudentParts {
        name: "Student two-sample t test",
        quantity: "difference of means",
        value: mean(x) - mean(y),
        error: (pooled * (1.0 / n + 1.0 / m)).sqrt(),
        df,
    };
    let effects = two_sample_effects(x, y, options);
    Ok(parts.finish(options).with_effects(effects))
}

/// A trimmed mean and what its error needs.
#[derive(Debug, Clone, Copy)]
struct TrimmedMean {
    /// The mean of the values that are left.
    value: f64,
    /// How many are left.
    kept: f64,
    /// Winsorised sum of squared deviations.
    squares: f64,
    /// Winsorised variance.
    variance: f64,
}

/// The mean without the `share` of values at each end, and the Winsorised variance.
fn trimmed_mean(x: &[f64], share: f64) -> TrimmedMean {
    let values = sorted(x);
    let n = values.len();
    let cut = (share * n as f64 + 1e-12).floor() as usize;
    let kept = &values[cut..n - cut];
    let (low, high) = (kept[0], kept[kept.len() - 1]);
    let winsorised: Vec<f64> = values.iter().map(|value| value.clamp(low, high)).collect();
    let squares = squared_deviations(&winsorised);
    TrimmedMean {
        value: mean(kept),
        kept: kept.len() as f64,
        squares,
        variance: squares / (n as f64 - 1.0),
    }
}

/// Yuen's test of the difference of two trimmed means, `x - y`; `trim` is the share of values that is left out at each end, below one half.
///
/// # Errors
/// [`HypothesisError`] where fewer than two values are left in a group, or the middle of both groups is constant.
pub fn test_yuen(
    x: &[f64],
    y: &[f64],
    trim: f64,
    options: &TestOptions,
) -> Result<HypothesisResult, HypothesisError> {
    check_two(x, y, options)?;
    if !(0.0..0.5).contains(&trim) {
        return Err(HypothesisError::Range {
            expected: "a trimmed share from 0 to below 0.5",
            found: trim,
        });
    }
    let (a, b) = (trimmed_mean(x, trim), trimmed_mean(y, trim));
    let kept = a.kept.min(b.kept);
    if kept < 2.0 {
        return Err(HypothesisError::TooFew {
            what: "observations in each group after trimming",
            needed: 2,
            found: kept as usize,
        });
    }
    let part = |mean: &TrimmedMean| mean.squares / (mean.kept * (mean.kept - 1.0));
    let (d, e) = (part(&a), part(&b));
    if d + e == 0.0 {
        return Err(HypothesisError::Constant {
            what: "the observations in the middle of the groups",
        });
    }
    let parts = StudentParts {
        name: "Yuen trimmed t test",
        quantity: "difference of trimmed means",
        value: a.value - b.value,
        error: (d + e).sqrt(),
        df: (d + e).powi(2) / (d * d / (a.kept - 1.0) + e * e / (b.kept - 1.0)),
    };
    let result = parts.finish(options);
    let pooled = ((x.len() as f64 - 1.0) * a.variance + (y.len() as f64 - 1.0) * b.variance)
        / (x.len() + y.len() - 2) as f64;
    let two_sided = TestOptions {
        alternative: Alternative::TwoSided,
        ..*options
    };
    let reach = OmittedValues::new(&two_sided);
    let interval = reach.around(a.value - b.value - options.null, (d + e).sqrt(), |p| {
        student_isf(p, result.df[0])
    });
    let effect = robust_effect(a.value - b.value - options.null, pooled, trim, interval);
    Ok(result.with_effects(vec![effect]))
}

/// Centre and spread of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleDescription {
    /// Mean.
    pub mean: f64,
    /// Standard deviation with n - 1; `None` for one value.
    pub deviation: Option<f64>,
    /// Median.
    pub median: f64,
    /// EstimateInterval of the mean by Student's t; `None` for one value.
    pub interval: Option<[f64; 2]>,
}

/// Describes finite values; `None` where there is none.
pub fn describe_sample(x: &[f64], confidence: f64) -> Option<SampleDescription> {
    if x.is_empty() {
        return None;
    }
    let (n, centre) = (x.len() as f64, mean(x));
    let deviation = (x.len() > 1).then(|| variance(x).sqrt());
    let reach = deviation
        .map(|deviation| deviation / n.sqrt() * student_isf(0.5 * (1.0 - confidence), n - 1.0));
    Some(SampleDescription {
        mean: centre,
        deviation,
        median: super::sample::median(x),
        interval: reach.map(|reach| [centre - reach, centre + reach]),
    })
}
