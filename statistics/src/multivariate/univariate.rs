//! Outliers of one column: robust scores, fences, and deviates with p values.

use numerics::dense::{exponent_of, max_abs, scale_by_exponent};
use numerics::quantile::QuantileDefinition;
use numerics::special::student_two_sided;

use super::points::CentredColumn;
use crate::distribution::student_isf;
use crate::summary::{median_deviation, median_of};

/// Distances from the median in robust deviations.
#[derive(Debug, Clone, PartialEq)]
pub struct RobustScores {
    /// The median.
    pub median: f64,
    /// The robust standard deviation: 1.4826 median distances from the median, or 1.2533 mean distances where half of the values are equal; 0 for a constant.
    pub scale: f64,
    /// Whether the mean distance was taken.
    pub is_mean: bool,
    /// The score of each value; 0 for all of a constant.
    pub scores: Vec<f64>,
}

/// Scores of values.
///
/// # References
/// B. Iglewicz and D. C. Hoaglin, "How to Detect and Handle Outliers", ASQC 1993: beyond 3.5 a value is suspect.
pub fn robust_scores(values: &[f64]) -> RobustScores {
    /// `sqrt(pi / 2)`: the standard deviation of a normal sample over its mean distance.
    const MEAN_FACTOR: f64 = 1.253_314_137_315_500_3;
    /// 1 over the 3/4 quantile of the normal distribution.
    const MEDIAN_FACTOR: f64 = 1.482_602_218_505_602;
    let exponent = exponent_of(max_abs(values));
    let unit: Vec<f64> = values
        .iter()
        .map(|value| scale_by_exponent(*value, -exponent))
        .collect();
    let mut sorted = unit.clone();
    sorted.sort_by(f64::total_cmp);
    let (median, middle) = match sorted.is_empty() {
        true => (0.0, 0.0),
        false => (median_of(&sorted), median_deviation(&sorted).plain),
    };
    let is_mean = middle == 0.0;
    let distances = unit.iter().map(|value| (value - median).abs());
    let scale = match is_mean {
        true => MEAN_FACTOR * distances.sum::<f64>() / unit.len().max(1) as f64,
        false => MEDIAN_FACTOR * middle,
    };
    let score = |value: &f64| match scale > 0.0 {
        true => (value - median) / scale,
        false => 0.0,
    };
    RobustScores {
        median: scale_by_exponent(median, exponent),
        scale: scale_by_exponent(scale, exponent),
        is_mean: is_mean && scale > 0.0,
        scores: unit.iter().map(score).collect(),
    }
}

/// Limits beyond the quartiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FenceLimits {
    /// Below it a value is outside.
    pub low: f64,
    /// Above it a value is outside.
    pub high: f64,
}

/// Fences `factor` interquartile ranges beyond the quartiles (J. W. Tukey, "Exploratory Data Analysis", 1977: 1.5); quartiles of type 7. Values must not be
/// empty.
pub fn tukey_fences(values: &[f64], factor: f64) -> FenceLimits {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let low = QuantileDefinition::Linear.of(&sorted, 0.25);
    let high = QuantileDefinition::Linear.of(&sorted, 0.75);
    // Halves, so that the range of the largest doubles is one.
    let range = 2.0 * factor * (0.5 * high - 0.5 * low);
    FenceLimits {
        low: (low - range).max(f64::MIN),
        high: (high + range).min(f64::MAX),
    }
}

/// The most extreme value that is left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviateStep {
    /// Its place.
    pub place: usize,
    /// Its distance from the mean in standard deviations, of the values that are left.
    pub statistic: f64,
    /// The limit of the statistic.
    pub limit: f64,
    /// P value of this step alone.
    pub p: f64,
}

/// Extreme values one after another.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviateTest {
    /// The steps; the first is Grubbs's test.
    pub steps: Vec<DeviateStep>,
    /// Steps whose values are outliers: up to the last one beyond its limit.
    pub outliers: usize,
}

/// The generalised test of extreme deviates: up to `most` outliers of a normal sample at a level.
///
/// # References
/// B. Rosner, "Percentage points for a generalized ESD many-outlier procedure", Technometrics 25, 1983; F. E. Grubbs, Technometrics 11, 1969.
pub fn generalised_deviates(values: &[f64], most: usize, level: f64) -> DeviateTest {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let mut left = order.as_slice();
    let mut test = DeviateTest {
        steps: Vec::new(),
        outliers: 0,
    };
    while test.steps.len() < most && left.len() > 2 {
        let cells: Vec<f64> = left.iter().map(|place| values[*place]).collect();
        let column = CentredColumn::of_own_unit(&cells);
        if column.deviation <= 0.0 {
            break;
        }
        let (first, last) = (column.values[0].abs(), column.values[cells.len() - 1].abs());
        let (place, distance) = match last > first {
            true => (left[left.len() - 1], last),
            false => (left[0], first),
        };
        let statistic = distance / column.deviation;
        let step = DeviateStep {
            place,
            statistic,
            limit: deviate_limit(left.len(), level),
            p: deviate_p(left.len(), statistic),
        };
        test.steps.push(step);
        if step.statistic > step.limit {
            test.outliers = test.steps.len();
        }
        left = match last > first {
            true => &left[..left.len() - 1],
            false => &left[1..],
        };
    }
    test
}

/// The largest distance that a normal sample of a size exceeds with a probability.
fn deviate_limit(size: usize, level: f64) -> f64 {
    let n = size as f64;
    let t = student_isf(0.5 * level / n, n - 2.0);
    (n - 1.0) / n.sqrt() * (t / (n - 2.0 + t * t).sqrt())
}

/// The p value of the largest distance in a normal sample: the bound by Bonferroni, which is nearly exact where it is small.
fn deviate_p(size: usize, statistic: f64) -> f64 {
    let n = size as f64;
    let rest = (n - 1.0).powi(2) - n * statistic * statistic;
    if rest <= 0.0 {
        return 0.0;
    }
    let t = statistic * (n * (n - 2.0) / rest).sqrt();
    (n * student_two_sided(t, n - 2.0)).min(1.0)
}
