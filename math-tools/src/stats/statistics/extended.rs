//! Shape, robust measures and the interval of the mean, beside the plain statistics.

use ::statistics::summary::{
    CentralMoments, geometric_mean, harmonic_mean, median_deviation, mode_of, student_interval,
    trimmed_mean, trimmed_standard_error, weighted_quantile, weighted_summary, winsorised_mean,
};

use crate::prelude::*;

/// Further statistics of a sample.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ExtendedStatistics {
    /// Standard error of the mean.
    pub standard_error: Real,
    /// Ends of the confidence interval of the mean by Student's t; "NaN" of one value, and where the spread is beyond the largest double.
    pub mean_interval: [Real; 2],
    /// Adjusted skewness G1 (0 when symmetric); "NaN" below 3 values and of a constant.
    pub skewness: Real,
    /// Adjusted excess kurtosis G2 (0 for a normal sample); "NaN" below 4 values and of a constant.
    pub excess_kurtosis: Real,
    /// Median of the distances from the median.
    pub mad: f64,
    /// The same times 1.4826, which estimates the standard deviation of a normal sample.
    pub mad_normal: Real,
    /// Mean without the share `trim` of the values on each side.
    pub trimmed_mean: f64,
    /// Its standard error by the winsorised variance.
    pub trimmed_standard_error: Real,
    /// Mean with the share `trim` of the values on each side moved to the nearest of the others.
    pub winsorised_mean: f64,
    /// Geometric mean; "NaN" where a value is negative.
    pub geometric_mean: Real,
    /// Harmonic mean; "NaN" where a value is negative.
    pub harmonic_mean: Real,
    /// The value that occurs most often, the least of several.
    pub mode: f64,
    /// How often it occurs.
    pub mode_count: usize,
    /// Standard deviation over the mean; "NaN" of a mean of 0.
    pub coefficient_of_variation: Real,
}

/// The further statistics of values that are not empty.
pub(crate) fn extended_statistics(
    values: &[f64],
    trim: f64,
    confidence: f64,
) -> ExtendedStatistics {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let moments = CentralMoments::new(values);
    let sd = moments.variance().sqrt();
    let error = sd / moments.n.sqrt();
    let interval = match moments.n > 1.0 {
        true => {
            let interval = student_interval(moments.mean, error, moments.n - 1.0, confidence);
            [interval.low, interval.high]
        }
        false => [f64::NAN; 2],
    };
    let deviation = median_deviation(&sorted);
    let mode = mode_of(&sorted);
    ExtendedStatistics {
        standard_error: Real(error),
        mean_interval: interval.map(Real),
        skewness: Real(moments.skewness()),
        excess_kurtosis: Real(moments.excess_kurtosis()),
        mad: deviation.plain,
        mad_normal: Real(deviation.scaled),
        trimmed_mean: trimmed_mean(&sorted, trim),
        trimmed_standard_error: Real(trimmed_standard_error(&sorted, trim)),
        winsorised_mean: winsorised_mean(&sorted, trim),
        geometric_mean: Real(geometric_mean(values)),
        harmonic_mean: Real(harmonic_mean(values)),
        mode: mode.value,
        mode_count: mode.count,
        coefficient_of_variation: match moments.mean == 0.0 {
            true => Real(f64::NAN),
            false => Real(sd / moments.mean.abs()),
        },
    }
}

/// Statistics of values with weights.
#[derive(Debug, Encode, Describe)]
pub(crate) struct WeightedStatistics {
    /// Sum of the weights.
    pub weight: f64,
    /// Weighted mean.
    pub mean: f64,
    /// Weighted variance, unbiased for weights that say how reliable a value is; "NaN" where one value has all of the weight.
    pub variance: Real,
    /// Weighted variance with the sum of the weights as divisor; for weights that count repetitions take this times weight / (weight - 1).
    pub variance_population: f64,
    /// Square root of `variance`.
    pub std: Real,
    /// Weighted median.
    pub median: f64,
    /// How many values of equal weight are as good.
    pub effective_n: f64,
}

/// The weighted statistics; weights are checked here.
pub(crate) fn weighted_statistics(
    values: &[f64],
    weights: &[f64],
) -> Result<WeightedStatistics, ToolError> {
    if weights.len() != values.len() {
        let (expected, found) = (values.len(), weights.len());
        refuse!(invalid "/weights", "shape"; "expected {expected} weights, one for each value, found {found}"; "give one weight for each value");
    }
    if let Some(place) = weights.iter().position(|weight| *weight < 0.0) {
        let found = weights[place];
        refuse!(invalid format!("/weights/{place}"); "expected a weight of at least 0, found {found}"; "leave the value out, or give it the weight 0");
    }
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        refuse!(invalid "/weights"; "expected weights with a positive, finite sum, found {sum}"; "give at least one weight above 0");
    }
    let summary = weighted_summary(values, weights);
    Ok(WeightedStatistics {
        weight: summary.weight,
        mean: summary.mean,
        variance: Real(match summary.effective_n > 1.0 {
            true => summary.variance,
            false => f64::NAN,
        }),
        variance_population: summary.variance_population,
        std: Real(match summary.effective_n > 1.0 {
            true => summary.variance.sqrt(),
            false => f64::NAN,
        }),
        median: weighted_quantile(values, weights, 0.5),
        effective_n: summary.effective_n,
    })
}
