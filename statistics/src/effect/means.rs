//! Standardised differences of means.
//!
//! # References
//! L. V. Hedges, "Distribution theory for Glass's estimator of effect size and related estimators", J. Educ. Stat. 6, 1981: g = J d with
//! J by gamma functions. G. Cumming and S. Finch, Educ. Psychol. Meas. 61, 2001: intervals by the noncentral t distribution.
//! J. Algina, H. J. Keselman and R. D. Penfield, Psychol. Methods 10, 2005: the robust form.

use numerics::special::lgamma;

use super::noncentral::noncentral_t_interval;
use crate::distribution::normal_isf;
use crate::hypothesis::EffectSize;
use crate::hypothesis::sample::{mean, squared_deviations, variance};

/// Two groups as an effect size needs them.
#[derive(Debug, Clone, Copy)]
pub struct DifferenceSummary {
    /// Mean of the first group less that of the second, less the difference under the hypothesis.
    pub difference: f64,
    /// Standard deviation over both groups.
    pub pooled_deviation: f64,
    /// Standard deviation of the first group.
    pub first_deviation: f64,
    /// Standard deviation of the second group.
    pub second_deviation: f64,
    /// Size of the first group.
    pub first_count: f64,
    /// Size of the second group.
    pub second_count: f64,
}

impl DifferenceSummary {
    /// The summary of two groups of at least two.
    pub fn new(x: &[f64], y: &[f64], null: f64) -> Self {
        let freedom = (x.len() + y.len()) as f64 - 2.0;
        Self {
            difference: mean(x) - mean(y) - null,
            pooled_deviation: ((squared_deviations(x) + squared_deviations(y)) / freedom).sqrt(),
            first_deviation: variance(x).sqrt(),
            second_deviation: variance(y).sqrt(),
            first_count: x.len() as f64,
            second_count: y.len() as f64,
        }
    }

    fn freedom(&self) -> f64 {
        self.first_count + self.second_count - 2.0
    }

    /// Standard error of a difference in units of the deviation.
    fn unit_error(&self) -> f64 {
        (1.0 / self.first_count + 1.0 / self.second_count).sqrt()
    }
}

/// The factor that makes a standardised difference unbiased, for its degrees of freedom.
pub fn hedges_factor(df: f64) -> f64 {
    match df > 1.0 {
        true => (lgamma(0.5 * df) - lgamma(0.5 * (df - 1.0))).exp() / (0.5 * df).sqrt(),
        false => 0.0,
    }
}

/// `d` and its unbiased form, from an interval of the noncentrality in units of `error`.
fn with_unbiased(d: f64, df: f64, interval: Option<[f64; 2]>) -> Vec<EffectSize> {
    let factor = hedges_factor(df);
    let mut effects = vec![EffectSize {
        name: "Cohen d",
        symbol: "d",
        value: d,
        interval,
    }];
    if factor > 0.0 {
        effects.push(EffectSize {
            name: "Hedges g",
            symbol: "g",
            value: factor * d,
            interval: interval.map(|ends| ends.map(|end| factor * end)),
        });
    }
    effects
}

/// Cohen's d and Hedges' g of a mean, from its t value.
pub fn single_effects(t: f64, count: f64, confidence: f64) -> Vec<EffectSize> {
    let error = (1.0 / count).sqrt();
    let interval = noncentral_t_interval(t, count - 1.0, confidence);
    let interval = interval.map(|ends| ends.map(|end| end * error));
    with_unbiased(t * error, count - 1.0, interval)
}

/// Cohen's d of paired differences, in units of their own deviation, and its unbiased form.
pub fn paired_effects(t: f64, count: f64, confidence: f64) -> Vec<EffectSize> {
    let mut effects = single_effects(t, count, confidence);
    if let Some(first) = effects.first_mut() {
        (first.name, first.symbol) = ("Cohen d of the differences", "d_z");
    }
    effects
}

/// Cohen's d with the pooled deviation, and Hedges' g, with intervals by the noncentral t distribution. None where the groups do not vary.
pub fn pooled_effects(summary: &DifferenceSummary, confidence: f64) -> Vec<EffectSize> {
    if summary.pooled_deviation.is_nan() || summary.pooled_deviation <= 0.0 {
        return Vec::new();
    }
    let d = summary.difference / summary.pooled_deviation;
    let error = summary.unit_error();
    let interval = noncentral_t_interval(d / error, summary.freedom(), confidence);
    let interval = interval.map(|ends| ends.map(|end| end * error));
    with_unbiased(d, summary.freedom(), interval)
}

/// Glass's delta, in units of the deviation of the second group, with an interval by its large-sample variance.
pub fn glass_delta(summary: &DifferenceSummary, confidence: f64) -> Option<EffectSize> {
    if summary.second_deviation.is_nan() || summary.second_deviation <= 0.0 {
        return None;
    }
    let value = summary.difference / summary.second_deviation;
    let ratio = (summary.first_deviation / summary.second_deviation).powi(2);
    let variance = ratio / summary.first_count
        + 1.0 / summary.second_count
        + value * value / (2.0 * (summary.second_count - 1.0));
    let reach = normal_isf(0.5 * (1.0 - confidence)) * variance.sqrt();
    Some(EffectSize {
        name: "Glass delta",
        symbol: "delta",
        value,
        interval: Some([value - reach, value + reach]),
    })
}

/// The robust d of trimmed means: the difference in Winsorised deviations, scaled so that it is Cohen's d for normal data. `interval` is that of
/// the difference.
pub fn robust_effect(
    difference: f64,
    winsorised_variance: f64,
    trim: f64,
    interval: [f64; 2],
) -> EffectSize {
    let scale = winsorised_deviation(trim) / winsorised_variance.sqrt();
    EffectSize {
        name: "robust Cohen d",
        symbol: "d_R",
        value: difference * scale,
        interval: Some(interval.map(|end| end * scale)),
    }
}

/// Standard deviation of a standard normal value Winsorised at its quantiles `trim` and `1 - trim`; 0.642 for a fifth.
fn winsorised_deviation(trim: f64) -> f64 {
    if trim <= 0.0 {
        return 1.0;
    }
    let z = normal_isf(trim);
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (1.0 - 2.0 * trim - 2.0 * z * density + 2.0 * trim * z * z).sqrt()
}
