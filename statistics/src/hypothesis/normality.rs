//! Tests of normality: Shapiro and Wilk, Anderson and Darling, Lilliefors, Jarque and Bera.
//!
//! # References
//! P. Royston, "Algorithm AS R94", Appl. Stat. 44, 1995; M. A. Stephens, in "Goodness-of-Fit Techniques", 1986, section 4.8.5; G. E. Dallal and
//! L. Wilkinson, Am. Stat. 40, 1986, and M. A. Stephens, JASA 69, 1974 (Lilliefors); C. M. Jarque and A. K. Bera, Int. Stat. Rev. 55, 1987.

use numerics::special::normal_quantile;

use super::kolmogorov::kolmogorov_distance;
use super::outcome::{EffectSize, HypothesisError, HypothesisResult, PValueBasis, check_sample};
use super::sample::{is_constant, mean, sorted, squared_deviations, variance};
use crate::distribution::{chi_squared_sf, normal_sf};

/// Largest sample of the Shapiro-Wilk test.
pub const SHAPIRO_MAX: usize = 5000;

fn check_normality(x: &[f64], needed: usize) -> Result<(), HypothesisError> {
    check_sample(x, needed, "observations")?;
    match is_constant(x) {
        true => Err(HypothesisError::Constant {
            what: "the observations",
        }),
        false => Ok(()),
    }
}

/// The value of a polynomial, constant term first.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The weights of the upper half of the order statistics, the largest first.
fn shapiro_weights(n: usize) -> Vec<f64> {
    const LAST: [f64; 6] = [0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056];
    const LAST_BUT_ONE: [f64; 6] = [0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633];
    if n == 3 {
        return vec![std::f64::consts::FRAC_1_SQRT_2];
    }
    let count = n as f64;
    let score = |i: usize| normal_quantile((i as f64 + 1.0 - 0.375) / (count + 0.25));
    let scores: Vec<f64> = (0..n / 2).map(score).collect();
    let sum = 2.0 * scores.iter().map(|m| m * m).sum::<f64>();
    let (root, inverse) = (sum.sqrt(), 1.0 / count.sqrt());
    let first = polynomial(&LAST, inverse) - scores[0] / root;
    let (fixed, factor) = match n > 5 {
        true => {
            let second = polynomial(&LAST_BUT_ONE, inverse) - scores[1] / root;
            let rest = sum - 2.0 * scores[0].powi(2) - 2.0 * scores[1].powi(2);
            let scale = 1.0 - 2.0 * first * first - 2.0 * second * second;
            (vec![first, second], (rest / scale).sqrt())
        }
        false => {
            let rest = sum - 2.0 * scores[0].powi(2);
            (vec![first], (rest / (1.0 - 2.0 * first * first)).sqrt())
        }
    };
    let others = scores.iter().skip(fixed.len()).map(|m| -m / factor);
    fixed.iter().copied().chain(others).collect()
}

/// P value of the statistic `w` for `n` values, by Royston's normal forms.
fn shapiro_p(w: f64, n: usize) -> f64 {
    const SMALL_GAMMA: [f64; 2] = [-2.273, 0.459];
    const SMALL_MEAN: [f64; 4] = [0.544, -0.39978, 0.025054, -6.714e-4];
    const SMALL_LOG_DEVIATION: [f64; 4] = [1.3822, -0.77857, 0.062767, -0.0020322];
    const LARGE_MEAN: [f64; 4] = [-1.5861, -0.31082, -0.083751, 0.0038915];
    const LARGE_LOG_DEVIATION: [f64; 3] = [-0.4803, -0.082676, 0.0030302];
    if n == 3 {
        let p = 6.0 / std::f64::consts::PI * (w.sqrt().asin() - 0.75_f64.sqrt().asin());
        return p.clamp(0.0, 1.0);
    }
    let (count, y) = (n as f64, (-w).ln_1p());
    let log = count.ln();
    if n <= 11 {
        let gamma = polynomial(&SMALL_GAMMA, count);
        if y >= gamma {
            return 1e-99;
        }
        let mean = polynomial(&SMALL_MEAN, count);
        let deviation = polynomial(&SMALL_LOG_DEVIATION, count).exp();
        return normal_sf((-(gamma - y).ln() - mean) / deviation);
    }
    let mean = polynomial(&LARGE_MEAN, log);
    let deviation = polynomial(&LARGE_LOG_DEVIATION, log).exp();
    normal_sf((y - mean) / deviation)
}

/// The Shapiro-Wilk test for 3 to [`SHAPIRO_MAX`] values.
///
/// # Errors
/// [`HypothesisError`] for other sizes and a constant sample.
pub fn test_shapiro(x: &[f64]) -> Result<HypothesisResult, HypothesisError> {
    check_normality(x, 3)?;
    if x.len() > SHAPIRO_MAX {
        return Err(HypothesisError::TooMany {
            what: "observations for the Shapiro-Wilk test",
            limit: SHAPIRO_MAX,
            found: x.len(),
        });
    }
    let values = sorted(x);
    let range = values[values.len() - 1] - values[0];
    let scaled: Vec<f64> = values
        .iter()
        .map(|value| (value - values[0]) / range)
        .collect();
    let weights = shapiro_weights(values.len());
    let pairs = weights.iter().enumerate();
    let sum: f64 = pairs
        .map(|(at, weight)| weight * (scaled[scaled.len() - 1 - at] - scaled[at]))
        .sum();
    let w = (sum * sum / squared_deviations(&scaled)).min(1.0);
    Ok(
        HypothesisResult::new("Shapiro-Wilk test", "W", w, shapiro_p(w, x.len())).with_effects(
            vec![EffectSize {
                name: "Shapiro-Wilk W",
                symbol: "W",
                value: w,
                interval: None,
            }],
        ),
    )
}

/// Standardised values in ascending order.
fn standard_scores(x: &[f64]) -> Vec<f64> {
    let (centre, deviation) = (mean(x), variance(x).sqrt());
    let scores = sorted(x);
    scores
        .iter()
        .map(|value| (value - centre) / deviation)
        .collect()
}

/// The Anderson-Darling test of normality with mean and deviation of the sample, for at least 8 values.
///
/// # Errors
/// [`HypothesisError`] for fewer values, and a constant sample.
pub fn test_anderson(x: &[f64]) -> Result<HypothesisResult, HypothesisError> {
    /// The fitted curve ends here, with this p value.
    const CURVE_END: f64 = 10.0;
    const CURVE_LEAST: f64 = 3.7e-24;
    check_normality(x, 8)?;
    let scores = standard_scores(x);
    let n = scores.len() as f64;
    let logs = scores.iter().enumerate().map(|(at, z)| {
        let mirror = scores[scores.len() - 1 - at];
        (2.0 * at as f64 + 1.0) * (normal_sf(-z).ln() + normal_sf(mirror).ln())
    });
    let a2 = -n - logs.sum::<f64>() / n;
    let a = a2 * (1.0 + 0.75 / n + 2.25 / (n * n));
    let p = match a {
        a if a < 0.2 => 1.0 - (-13.436 + 101.14 * a - 223.73 * a * a).exp(),
        a if a < 0.34 => 1.0 - (-8.318 + 42.796 * a - 59.938 * a * a).exp(),
        a if a < 0.6 => (0.9177 - 4.279 * a - 1.38 * a * a).exp(),
        a if a < CURVE_END => (1.2937 - 5.709 * a + 0.0186 * a * a).exp(),
        _ => CURVE_LEAST,
    };
    let result = HypothesisResult::new("Anderson-Darling test", "A2", a2, p)
        .with_basis(PValueBasis::Tabulated);
    Ok(match a < CURVE_END {
        true => result,
        false => result.with_note("the p value is at most 3.7e-24, where the fitted curve ends"),
    })
}

/// The Lilliefors test: Kolmogorov's statistic with mean and deviation of the sample, for at least 5 values.
///
/// # Errors
/// [`HypothesisError`] for fewer values, and a constant sample.
pub fn test_lilliefors(x: &[f64]) -> Result<HypothesisResult, HypothesisError> {
    check_normality(x, 5)?;
    let d = kolmogorov_distance(&standard_scores(x), |z| normal_sf(-z))?;
    let n = x.len() as f64;
    Ok(
        HypothesisResult::new("Lilliefors test", "D", d, lilliefors_p(d, n))
            .with_basis(PValueBasis::Tabulated),
    )
}

/// Dallal and Wilkinson's formula below 0.1, Stephens' modified statistic above.
fn lilliefors_p(d: f64, n: f64) -> f64 {
    const SIZE_MAX: f64 = 100.0;
    let (scaled, size) = match n > SIZE_MAX {
        true => (d * (n / SIZE_MAX).powf(0.49), SIZE_MAX),
        false => (d, n),
    };
    let shifted = size + 2.78019;
    let p = (-7.01256 * scaled * scaled * shifted + 2.99587 * scaled * shifted.sqrt() - 0.122119
        + 0.974598 / size.sqrt()
        + 1.67997 / size)
        .exp();
    if p <= 0.1 {
        return p;
    }
    let k = (n.sqrt() - 0.01 + 0.85 / n.sqrt()) * d;
    let curve: &[f64] = match k {
        k if k <= 0.302 => &[1.0],
        k if k <= 0.5 => &[2.76773, -19.828315, 80.709644, -138.55152, 81.218052],
        k if k <= 0.9 => &[-4.901232, 40.662806, -97.490286, 94.029866, -32.355711],
        k if k <= 1.31 => &[6.198765, -19.558097, 23.186922, -12.234627, 2.423045],
        _ => &[0.0],
    };
    polynomial(curve, k).clamp(0.0, 1.0)
}

/// The Jarque-Bera test by skewness and kurtosis, chi-squared with 2 degrees of freedom for large samples.
///
/// # Errors
/// [`HypothesisError`] for fewer than 3 values, and a constant sample.
pub fn test_jarque_bera(x: &[f64]) -> Result<HypothesisResult, HypothesisError> {
    check_normality(x, 3)?;
    let (n, centre) = (x.len() as f64, mean(x));
    let scale = (squared_deviations(x) / n).sqrt();
    let moment = |power: i32| {
        let powers = x.iter().map(|value| ((value - centre) / scale).powi(power));
        powers.sum::<f64>() / n
    };
    let (skewness, kurtosis) = (moment(3), moment(4));
    let statistic = n / 6.0 * (skewness * skewness + 0.25 * (kurtosis - 3.0).powi(2));
    let sized = |name, symbol, value| EffectSize {
        name,
        symbol,
        value,
        interval: None,
    };
    Ok(HypothesisResult::new(
        "Jarque-Bera test",
        "JB",
        statistic,
        chi_squared_sf(statistic, 2.0),
    )
    .with_df(&[2.0])
    .with_basis(PValueBasis::Asymptotic)
    .with_effects(vec![
        sized("skewness", "skewness", skewness),
        sized("excess kurtosis", "excess kurtosis", kurtosis - 3.0),
    ]))
}
