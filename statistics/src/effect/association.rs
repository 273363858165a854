//! Association in tables of counts: phi, Cramer's V, odds ratio, risk ratio.
//!
//! # References
//! H. Cramer, "Mathematical Methods of Statistics", 1946, section 21.9; A. Agresti, "Categorical Data Analysis", 2013, section 3.1.

use super::noncentral::noncentral_chi_squared_interval;
use crate::distribution::normal_isf;
use crate::hypothesis::EffectSize;

/// Cramer's V of a chi-squared statistic without correction; `smaller` is the smaller of rows and columns less 1. Its interval is that of the
/// noncentrality.
pub fn cramers_v(statistic: f64, df: f64, smaller: f64, count: f64, confidence: f64) -> EffectSize {
    let scale = |x: f64| (x / (count * smaller)).sqrt().min(1.0);
    let interval = noncentral_chi_squared_interval(statistic, df, confidence);
    EffectSize {
        name: "Cramer V",
        symbol: "V",
        value: scale(statistic),
        interval: interval.map(|ends| ends.map(scale)),
    }
}

/// Cohen's w of a chi-squared statistic of goodness of fit.
pub fn cohens_w(statistic: f64, df: f64, count: f64, confidence: f64) -> EffectSize {
    let scale = |x: f64| (x / count).sqrt();
    let interval = noncentral_chi_squared_interval(statistic, df, confidence);
    EffectSize {
        name: "Cohen w",
        symbol: "w",
        value: scale(statistic),
        interval: interval.map(|ends| ends.map(scale)),
    }
}

/// Phi of the counts `[a, b, c, d]` of a table with rows `a b` and `c d`, with its sign, and an interval on the scale of Fisher's z.
pub fn phi_coefficient(table: [f64; 4], confidence: f64) -> EffectSize {
    let [a, b, c, d] = table;
    let margins = ((a + b) * (c + d) * (a + c) * (b + d)).sqrt();
    let value = (a * d - b * c) / margins;
    let count: f64 = table.iter().sum();
    let reach = normal_isf(0.5 * (1.0 - confidence)) / (count - 3.0).sqrt();
    let is_inside = value.abs() < 1.0 && count > 3.0;
    EffectSize {
        name: "phi",
        symbol: "phi",
        value,
        interval: is_inside.then(|| [-reach, reach].map(|step| (value.atanh() + step).tanh())),
    }
}

/// A ratio with an interval on the scale of its logarithm; without one where a count is 0.
fn ratio_effect(
    name: &'static str,
    symbol: &'static str,
    value: f64,
    variance: f64,
    confidence: f64,
) -> EffectSize {
    let reach = normal_isf(0.5 * (1.0 - confidence)) * variance.sqrt();
    let is_inside = value > 0.0 && value.is_finite() && reach.is_finite();
    EffectSize {
        name,
        symbol,
        value,
        interval: is_inside.then(|| [value * (-reach).exp(), value * reach.exp()]),
    }
}

/// Odds ratio `a d / (b c)` with Woolf's interval. `None` where it is 0 / 0.
pub fn odds_ratio(table: [f64; 4], confidence: f64) -> Option<EffectSize> {
    let [a, b, c, d] = table;
    let variance = table.iter().map(|count| 1.0 / count).sum();
    let value = a * d / (b * c);
    (!value.is_nan()).then(|| ratio_effect("odds ratio", "OR", value, variance, confidence))
}

/// Ratio of the shares of the first column in the two rows. `None` where it is 0 / 0.
pub fn risk_ratio(table: [f64; 4], confidence: f64) -> Option<EffectSize> {
    let [a, b, c, d] = table;
    let variance = 1.0 / a - 1.0 / (a + b) + 1.0 / c - 1.0 / (c + d);
    let value = (a / (a + b)) / (c / (c + d));
    (!value.is_nan()).then(|| ratio_effect("risk ratio", "RR", value, variance, confidence))
}

/// Phi, odds ratio and risk ratio of a table with two rows and columns.
pub fn two_by_two_effects(table: [f64; 4], confidence: f64) -> Vec<EffectSize> {
    let mut effects = vec![phi_coefficient(table, confidence)];
    effects.extend(odds_ratio(table, confidence));
    effects.extend(risk_ratio(table, confidence));
    effects
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: phi = (10 * 20 - 5 * 15) / sqrt(15 * 35 * 25 * 25), odds ratio 200 / 75, risk ratio (10 / 15) / (15 / 35).
    #[test]
    fn measures_by_hand() {
        let effects = two_by_two_effects([10.0, 5.0, 15.0, 20.0], 0.95);
        let values: Vec<f64> = effects.iter().map(|effect| effect.value).collect();
        let expected = [
            125.0 / 328_125_f64.sqrt(),
            200.0 / 75.0,
            (10.0 / 15.0) / (15.0 / 35.0),
        ];
        for (value, expected) in values.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-14, "{values:?}");
        }
        for effect in effects {
            let [low, high] = effect.interval.expect("an interval");
            assert!(low < effect.value && effect.value < high);
        }
    }

    /// A count of 0 leaves the ratio without an interval, and 0 / 0 has no ratio.
    #[test]
    fn empty_cells() {
        let ratio = odds_ratio([5.0, 0.0, 3.0, 2.0], 0.95).expect("infinite");
        assert_eq!((ratio.value, ratio.interval), (f64::INFINITY, None));
        assert_eq!(odds_ratio([0.0, 4.0, 0.0, 5.0], 0.95), None);
    }
}
