//! Location, spread and shape of a sample, with weights where they make sense.

use super::super::distribution::student_isf;

/// A sum to about one rounding (A. Neumaier, 1974).
pub fn compensated_sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut rest) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = sum + value;
        rest += match sum.abs() >= value.abs() {
            true => (sum - next) + value,
            false => (value - next) + sum,
        };
        sum = next;
    }
    if rest.is_finite() { sum + rest } else { sum }
}

/// The mean of values that are not empty.
pub fn mean_of(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = compensated_sum(values.iter().copied()) / n;
    match mean.is_finite() {
        true => mean + compensated_sum(values.iter().map(|x| x - mean)) / n,
        false => values.iter().map(|x| x / n).sum(),
    }
}

/// Central moments of a sample: sums of powers of the distances from the mean, divided by n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CentralMoments {
    /// Number of values.
    pub n: f64,
    /// Their mean.
    pub mean: f64,
    /// Second, third and fourth central moments.
    pub powers: [f64; 3],
}

impl CentralMoments {
    /// Of values that are not empty.
    pub fn new(values: &[f64]) -> Self {
        let (n, mean) = (values.len() as f64, mean_of(values));
        let power = |k: i32| compensated_sum(values.iter().map(|x| (x - mean).powi(k))) / n;
        Self {
            n,
            mean,
            powers: [power(2), power(3), power(4)],
        }
    }

    /// The variance with the divisor n - 1; NaN for one value.
    pub fn variance(&self) -> f64 {
        match self.n > 1.0 {
            true => self.powers[0] * self.n / (self.n - 1.0),
            false => f64::NAN,
        }
    }

    /// The adjusted skewness G1 of Fisher and Pearson, as in SAS, SPSS and pandas; NaN below 3 values and of a constant.
    pub fn skewness(&self) -> f64 {
        let n = self.n;
        match n > 2.0 && self.powers[0] > 0.0 {
            true => self.powers[1] / self.powers[0].powf(1.5) * (n * (n - 1.0)).sqrt() / (n - 2.0),
            false => f64::NAN,
        }
    }

    /// The adjusted excess kurtosis G2, 0 for a normal distribution; NaN below 4 values and of a constant.
    pub fn excess_kurtosis(&self) -> f64 {
        let n = self.n;
        match n > 3.0 && self.powers[0] > 0.0 {
            true => {
                let g2 = self.powers[2] / (self.powers[0] * self.powers[0]) - 3.0;
                (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * g2 + 6.0)
            }
            false => f64::NAN,
        }
    }
}

/// The mean without the lowest and highest `share` of sorted values, `floor(share n)` on each side, as in SciPy and R.
pub fn trimmed_mean(sorted: &[f64], share: f64) -> f64 {
    let cut = trim_count(sorted.len(), share);
    mean_of(&sorted[cut..sorted.len() - cut])
}

/// The mean with the lowest and highest `floor(share n)` replaced by their nearest neighbours inside.
pub fn winsorised_mean(sorted: &[f64], share: f64) -> f64 {
    mean_of(&winsorise(sorted, share))
}

fn winsorise(sorted: &[f64], share: f64) -> Vec<f64> {
    let cut = trim_count(sorted.len(), share);
    let (low, high) = (sorted[cut], sorted[sorted.len() - 1 - cut]);
    sorted.iter().map(|x| x.clamp(low, high)).collect()
}

/// The standard error of the trimmed mean by the winsorised variance (J. W. Tukey and D. H. McLaughlin, 1963).
pub fn trimmed_standard_error(sorted: &[f64], share: f64) -> f64 {
    let n = sorted.len() as f64;
    let kept = n - 2.0 * trim_count(sorted.len(), share) as f64;
    let spread = CentralMoments::new(&winsorise(sorted, share)).variance();
    (spread * n).sqrt() / kept
}

fn trim_count(n: usize, share: f64) -> usize {
    let cut = (share * n as f64 * (1.0 + 1e-14)).floor() as usize;
    cut.min((n - 1) / 2)
}

/// The median of sorted values.
pub fn median_of(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    match n % 2 {
        1 => sorted[n / 2],
        _ => 0.5 * sorted[n / 2 - 1] + 0.5 * sorted[n / 2],
    }
}

/// The median of the distances from the median, times 1.4826, which makes it the standard deviation of a normal sample; and without the factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianDeviation {
    /// The median distance.
    pub plain: f64,
    /// Times 1.4826.
    pub scaled: f64,
}

/// The median absolute deviation of sorted values.
pub fn median_deviation(sorted: &[f64]) -> MedianDeviation {
    const TO_NORMAL: f64 = 1.482_602_218_505_602;
    let middle = median_of(sorted);
    let mut distances: Vec<f64> = sorted.iter().map(|x| (x - middle).abs()).collect();
    distances.sort_by(f64::total_cmp);
    let plain = median_of(&distances);
    MedianDeviation {
        plain,
        scaled: TO_NORMAL * plain,
    }
}

/// The geometric mean of positive values; NaN where one is negative, 0 where one is 0.
pub fn geometric_mean(values: &[f64]) -> f64 {
    if values.iter().any(|x| *x < 0.0) {
        return f64::NAN;
    }
    let logs: Vec<f64> = values.iter().map(|x| x.ln()).collect();
    match logs.contains(&f64::NEG_INFINITY) {
        true => 0.0,
        false => mean_of(&logs).exp(),
    }
}

/// The harmonic mean of positive values; NaN where one is negative, 0 where one is 0.
pub fn harmonic_mean(values: &[f64]) -> f64 {
    if values.iter().any(|x| *x < 0.0) {
        return f64::NAN;
    }
    match values.contains(&0.0) {
        true => 0.0,
        false => values.len() as f64 / compensated_sum(values.iter().map(|x| 1.0 / x)),
    }
}

/// The value that occurs most often and how often, the least of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleMode {
    /// The value.
    pub value: f64,
    /// How often it occurs.
    pub count: usize,
}

/// The mode of sorted values that are not empty.
pub fn mode_of(sorted: &[f64]) -> SampleMode {
    let mut best = SampleMode {
        value: sorted[0],
        count: 0,
    };
    for group in sorted.chunk_by(|a, b| a == b) {
        if group.len() > best.count {
            best = SampleMode {
                value: group[0],
                count: group.len(),
            };
        }
    }
    best
}

/// An interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimateInterval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// Student's interval around an estimate.
pub fn student_interval(
    estimate: f64,
    standard_error: f64,
    df: f64,
    confidence: f64,
) -> EstimateInterval {
    let half = student_isf(0.5 * (1.0 - confidence), df) * standard_error;
    EstimateInterval {
        low: estimate - half,
        high: estimate + half,
    }
}

/// Mean and variance of values with weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedSummary {
    /// The sum of the weights.
    pub weight: f64,
    /// The mean.
    pub mean: f64,
    /// The variance with the divisor `weight - sum of squares / weight`, unbiased for weights of reliability.
    pub variance: f64,
    /// The variance with the divisor `weight`.
    pub variance_population: f64,
    /// How many values of equal weight are as good: `weight^2 / sum of squares` (L. Kish, 1965).
    pub effective_n: f64,
}

/// The summary of values with weights of at least 0, not all 0.
pub fn weighted_summary(values: &[f64], weights: &[f64]) -> WeightedSummary {
    let weight = compensated_sum(weights.iter().copied());
    let pairs = || values.iter().zip(weights);
    let mean = compensated_sum(pairs().map(|(x, w)| w * x)) / weight;
    let squares = compensated_sum(pairs().map(|(x, w)| w * (x - mean) * (x - mean)));
    let share = compensated_sum(weights.iter().map(|w| w / weight * w));
    WeightedSummary {
        weight,
        mean,
        variance: squares / (weight - share),
        variance_population: squares / weight,
        effective_n: weight / share,
    }
}

/// The least value with at least the share `p` of the weight at or below it; halfway to the next where the share is met exactly.
pub fn weighted_quantile(values: &[f64], weights: &[f64], p: f64) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).filter(|&k| weights[k] > 0.0).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let target = p * compensated_sum(weights.iter().copied());
    let mut sum = 0.0;
    for (place, &index) in order.iter().enumerate() {
        sum += weights[index];
        let is_met = (sum - target).abs() <= 1e-14 * target.abs();
        if is_met && p > 0.0 {
            let next = order
                .get(place + 1)
                .map_or(values[index], |&next| values[next]);
            return 0.5 * values[index] + 0.5 * next;
        }
        if sum > target {
            return values[index];
        }
    }
    order.last().map_or(f64::NAN, |&index| values[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: [f64; 10] = [1.2, 3.4, 2.2, 8.9, 4.1, 3.3, 2.8, 5.0, 3.4, 12.5];

    fn near(value: f64, expected: f64) {
        assert!(
            (value - expected).abs() <= 1e-13 * expected.abs(),
            "{value} {expected}"
        );
    }

    /// By SciPy 1.17.
    #[test]
    fn summaries_agree_with_scipy() {
        let moments = CentralMoments::new(&SAMPLE);
        near(moments.mean, 4.68);
        near(moments.variance(), 11.819555555555556);
        near(moments.skewness(), 1.6486028178832208);
        near(moments.excess_kurtosis(), 2.3205031372792515);
        let mut sorted = SAMPLE.to_vec();
        sorted.sort_by(f64::total_cmp);
        near(trimmed_mean(&sorted, 0.1), 4.1375);
        near(trimmed_mean(&sorted, 0.25), 3.6666666666666665);
        near(trimmed_standard_error(&sorted, 0.2), 0.4957847003849578);
        near(winsorised_mean(&sorted, 0.1), 4.42);
        near(median_deviation(&sorted).plain, 0.95);
        near(geometric_mean(&SAMPLE), 3.809156019180886);
        near(harmonic_mean(&SAMPLE), 3.15203934422972);
        assert_eq!(
            mode_of(&sorted),
            SampleMode {
                value: 3.4,
                count: 2
            }
        );
    }

    #[test]
    fn whole_weights_are_repetitions() {
        let (values, weights) = ([1.0, 4.0, 6.0], [2.0, 1.0, 3.0]);
        let repeated = [1.0, 1.0, 4.0, 6.0, 6.0, 6.0];
        let summary = weighted_summary(&values, &weights);
        near(summary.mean, mean_of(&repeated));
        near(
            summary.variance_population,
            CentralMoments::new(&repeated).powers[0],
        );
        near(summary.effective_n, 36.0 / 14.0);
        assert_eq!(weighted_quantile(&values, &weights, 0.5), 5.0);
        assert_eq!(weighted_quantile(&values, &weights, 0.4), 4.0);
        assert_eq!(weighted_quantile(&values, &weights, 1.0), 6.0);
    }

    #[test]
    fn constants_and_lone_values_have_no_shape() {
        assert!(CentralMoments::new(&[2.0; 5]).skewness().is_nan());
        assert!(CentralMoments::new(&[2.0]).variance().is_nan());
        assert!(geometric_mean(&[1.0, -1.0]).is_nan() && harmonic_mean(&[1.0, 0.0]) == 0.0);
        assert!(mean_of(&[1.7e308, 1.7e308]).is_finite());
    }
}
