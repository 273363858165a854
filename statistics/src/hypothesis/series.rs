//! Tests of a series in time: Ljung and Box, runs, augmented Dickey-Fuller, KPSS.
//!
//! # References
//! G. M. Ljung and G. E. P. Box, Biometrika 65, 1978; A. Wald and J. Wolfowitz, Ann. Math. Stat. 11, 1940; S. E. Said and D. A. Dickey, Biometrika 71, 1984;
//! J. G. MacKinnon, J. Bus. Econ. Stat. 12, 1994 (p values); D. Kwiatkowski and others, J. Econom. 54, 1992; B. Hobijn, P. H. Franses and M. Ooms,
//! Stat. Neerl. 58, 2004 (number of lags).

use super::outcome::{
    Alternative, EffectSize, HypothesisError, HypothesisResult, PValueBasis, check_sample, normal_p,
};
use super::sample::{is_constant, mean, median};
use crate::anova::least_squares::OrthogonalFit;
use crate::distribution::{chi_squared_sf, normal_sf};

/// What a series moves about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeriesTrend {
    /// Zero; of the Dickey-Fuller test alone.
    None,
    /// A constant.
    #[default]
    Constant,
    /// A line in time.
    Line,
}

fn check_series(x: &[f64], needed: usize) -> Result<(), HypothesisError> {
    check_sample(x, needed, "observations of the series")?;
    match is_constant(x) {
        true => Err(HypothesisError::Constant {
            what: "the observations",
        }),
        false => Ok(()),
    }
}

fn check_lags(lags: usize, most: usize) -> Result<(), HypothesisError> {
    match lags > most {
        true => Err(HypothesisError::TooMany {
            what: "lags for a series of this length",
            limit: most,
            found: lags,
        }),
        false => Ok(()),
    }
}

/// The Ljung-Box test of whether a series has autocorrelations up to `lags`; `fitted` parameters of a model of it are taken off the degrees of freedom.
///
/// # Errors
/// [`HypothesisError`] for a constant or short series, and a number of lags that is not from 1 to the length less 1 or not above `fitted`.
pub fn test_ljung_box(
    x: &[f64],
    lags: usize,
    fitted: usize,
) -> Result<HypothesisResult, HypothesisError> {
    check_series(x, 3)?;
    check_lags(lags, x.len() - 1)?;
    if lags <= fitted {
        return Err(HypothesisError::TooFew {
            what: "lags, more than fitted parameters",
            needed: fitted + 1,
            found: lags,
        });
    }
    let (n, centre) = (x.len() as f64, mean(x));
    let deviations: Vec<f64> = x.iter().map(|value| value - centre).collect();
    let power: f64 = deviations.iter().map(|d| d * d).sum();
    let correlation = |lag: usize| {
        let pairs = deviations.iter().zip(&deviations[lag..]);
        pairs.map(|(a, b)| a * b).sum::<f64>() / power
    };
    let terms = (1..=lags).map(|lag| correlation(lag).powi(2) / (n - lag as f64));
    let q = n * (n + 2.0) * terms.sum::<f64>();
    let df = (lags - fitted) as f64;
    Ok(
        HypothesisResult::new("Ljung-Box test", "Q", q, chi_squared_sf(q, df))
            .with_df(&[df])
            .with_basis(PValueBasis::Asymptotic)
            .with_effects(vec![EffectSize {
                name: "autocorrelation at lag 1",
                symbol: "r_1",
                value: correlation(1),
                interval: None,
            }]),
    )
}

/// The runs test of Wald and Wolfowitz: runs of values above and below the median, which are left out where they are equal to it.
///
/// # Errors
/// [`HypothesisError`] for a series without values on both sides.
pub fn test_runs(x: &[f64], alternative: Alternative) -> Result<HypothesisResult, HypothesisError> {
    check_series(x, 2)?;
    let middle = median(x);
    let signs: Vec<bool> = x
        .iter()
        .filter(|value| **value != middle)
        .map(|value| *value > middle)
        .collect();
    let above = signs.iter().filter(|sign| **sign).count() as f64;
    let below = signs.len() as f64 - above;
    if above == 0.0 || below == 0.0 {
        return Err(HypothesisError::Undefined {
            reason: "all values lie on one side of the median",
        });
    }
    let runs = 1.0 + signs.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
    let n = above + below;
    let product = 2.0 * above * below;
    let variance = product * (product - n) / (n * n * (n - 1.0));
    if variance <= 0.0 {
        return Err(HypothesisError::TooFew {
            what: "values off the median",
            needed: 3,
            found: signs.len(),
        });
    }
    let expected = product / n + 1.0;
    let z = (runs - expected) / variance.sqrt();
    Ok(
        HypothesisResult::new("runs test", "z", z, normal_p(z, alternative))
            .with_basis(PValueBasis::Asymptotic)
            .with_alternative(alternative)
            .with_effects(vec![EffectSize {
                name: "runs by expected runs",
                symbol: "ratio",
                value: runs / expected,
                interval: None,
            }]),
    )
}

/// The augmented Dickey-Fuller test of a unit root; a small p value speaks for a series that returns to its mean or line. The number of lags has the least
/// AIC where it is not given, up to `12 (n / 100)^(1/4)`.
///
/// # Errors
/// [`HypothesisError`] for a series that is constant or too short for the lags.
pub fn test_dickey_fuller(
    x: &[f64],
    trend: SeriesTrend,
    lags: Option<usize>,
) -> Result<HypothesisResult, HypothesisError> {
    check_series(x, 6)?;
    let n = x.len();
    let fixed = trend as usize;
    let most = (n / 2).saturating_sub(fixed + 1);
    let schwert = (12.0 * (n as f64 / 100.0).powf(0.25)).ceil() as usize;
    let lags = match lags {
        Some(lags) => {
            check_lags(lags, most)?;
            lags
        }
        None => {
            let longest = schwert.min(most);
            let mut best = (f64::INFINITY, 0);
            for lag in 0..=longest {
                let Some(fit) = dickey_fuller_fit(x, trend, lag, longest) else {
                    continue;
                };
                if fit.aic < best.0 {
                    best = (fit.aic, lag);
                }
            }
            best.1
        }
    };
    let fit = dickey_fuller_fit(x, trend, lags, lags).ok_or(HypothesisError::Undefined {
        reason: "the regression of the test has no errors: the series is too regular or too short",
    })?;
    let p = mackinnon_p(fit.t, trend);
    let observations = n - 1 - lags;
    Ok(
        HypothesisResult::new("augmented Dickey-Fuller test", "tau", fit.t, p)
            .with_basis(PValueBasis::Tabulated)
            .with_effects(vec![EffectSize {
                name: "coefficient of the last level",
                symbol: "rho - 1",
                value: fit.coefficient,
                interval: None,
            }])
            .with_note(format!(
                "{lags} lags, {observations} observations in the regression"
            )),
    )
}

struct DickeyFullerFit {
    t: f64,
    coefficient: f64,
    aic: f64,
}

/// The regression of differences on the last level, earlier differences and the trend; the first `skipped` differences are left out.
fn dickey_fuller_fit(
    x: &[f64],
    trend: SeriesTrend,
    lags: usize,
    skipped: usize,
) -> Option<DickeyFullerFit> {
    let differences: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let rows = skipped..differences.len();
    let y: Vec<f64> = differences[rows.clone()].to_vec();
    // The level is the last column, so that its coefficient is the last one of the triangle.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    if trend != SeriesTrend::None {
        columns.push(vec![1.0; y.len()]);
    }
    if trend == SeriesTrend::Line {
        columns.push((0..y.len()).map(|at| at as f64 + 1.0).collect());
    }
    for lag in 1..=lags {
        columns.push(rows.clone().map(|row| differences[row - lag]).collect());
    }
    columns.push(rows.map(|row| x[row]).collect());
    let parameters = columns.len();
    let fit = OrthogonalFit::new(&columns, &y);
    if fit.rank() < parameters || y.len() <= parameters || fit.residual_squares() <= 0.0 {
        return None;
    }
    let n = y.len() as f64;
    let last = fit.last_coefficient()?;
    let variance = fit.residual_squares() / (n - parameters as f64);
    let likelihood =
        -0.5 * n * ((2.0 * std::f64::consts::PI * fit.residual_squares() / n).ln() + 1.0);
    Some(DickeyFullerFit {
        t: last.value * last.length / variance.sqrt(),
        coefficient: last.value,
        aic: 2.0 * parameters as f64 - 2.0 * likelihood,
    })
}

/// MacKinnon's p value of a tau statistic.
fn mackinnon_p(tau: f64, trend: SeriesTrend) -> f64 {
    struct TauCurve {
        least: f64,
        star: f64,
        most: f64,
        small: [f64; 3],
        large: [f64; 4],
    }
    let curve = match trend {
        SeriesTrend::None => TauCurve {
            least: -19.04,
            star: -1.04,
            most: f64::INFINITY,
            small: [0.6344, 1.2378, 3.2496e-2],
            large: [0.4797, 0.93557, -0.06999, 0.033066],
        },
        SeriesTrend::Constant => TauCurve {
            least: -18.83,
            star: -1.61,
            most: 2.74,
            small: [2.1659, 1.4412, 3.8269e-2],
            large: [1.7339, 0.93202, -0.12745, -0.010368],
        },
        SeriesTrend::Line => TauCurve {
            least: -16.18,
            star: -2.89,
            most: 0.7,
            small: [3.2512, 1.6047, 4.9588e-2],
            large: [2.5261, 0.61654, -0.37956, -0.060285],
        },
    };
    if tau > curve.most {
        return 1.0;
    }
    if tau < curve.least {
        return 0.0;
    }
    let coefficients: &[f64] = match tau <= curve.star {
        true => &curve.small,
        false => &curve.large,
    };
    let z = coefficients.iter().rev().fold(0.0, |sum, c| sum * tau + c);
    normal_sf(-z)
}

/// The KPSS test of whether a series is stationary about a constant or a line: here a small p value speaks against it. P values are interpolated in a table
/// from 0.01 to 0.1 and end there. The number of lags is that of Hobijn and others where it is not given.
///
/// # Errors
/// [`HypothesisError`] for a constant or short series, for a trend of `None`, and lags beyond the length.
pub fn test_kpss(
    x: &[f64],
    trend: SeriesTrend,
    lags: Option<usize>,
) -> Result<HypothesisResult, HypothesisError> {
    check_series(x, 4)?;
    let n = x.len();
    let critical = match trend {
        SeriesTrend::None => {
            return Err(HypothesisError::Undefined {
                reason: "the KPSS test is about a constant or a line",
            });
        }
        SeriesTrend::Constant => [0.347, 0.463, 0.574, 0.739],
        SeriesTrend::Line => [0.119, 0.146, 0.176, 0.216],
    };
    let mut columns = vec![vec![1.0; n]];
    if trend == SeriesTrend::Line {
        let middle = 0.5 * (n as f64 - 1.0);
        columns.push((0..n).map(|at| at as f64 - middle).collect());
    }
    let residuals = OrthogonalFit::new(&columns, x).residuals().to_vec();
    let count = n as f64;
    let products = |lag: usize| -> f64 {
        residuals
            .iter()
            .zip(&residuals[lag..])
            .map(|(a, b)| a * b)
            .sum()
    };
    let lags = match lags {
        Some(lags) => {
            check_lags(lags, n - 1)?;
            lags
        }
        None => {
            let reach = count.powf(2.0 / 9.0) as usize;
            let (mut s0, mut s1) = (products(0) / count, 0.0);
            for lag in 1..=reach {
                let product = products(lag) / (0.5 * count);
                s0 += product;
                s1 += lag as f64 * product;
            }
            let ratio = s1 / s0;
            let gamma = 1.1447 * (ratio * ratio).cbrt();
            ((gamma * count.cbrt()) as usize).min(n - 1)
        }
    };
    let weighted =
        (1..=lags).map(|lag| 2.0 * products(lag) * (1.0 - lag as f64 / (lags as f64 + 1.0)));
    let variance = (products(0) + weighted.sum::<f64>()) / count;
    if variance <= 0.0 {
        return Err(HypothesisError::Undefined {
            reason: "the long-run variance of the series is not above 0",
        });
    }
    let mut sum = 0.0;
    let squares: f64 = residuals
        .iter()
        .map(|residual| {
            sum += residual;
            sum * sum
        })
        .sum();
    let statistic = squares / (count * count) / variance;
    let p = interpolate_table(statistic, critical);
    let note = match p {
        p if p <= 0.01 => ": the p value is at most 0.01, the end of the table",
        p if p >= 0.1 => ": the p value is at least 0.1, the end of the table",
        _ => "",
    };
    Ok(HypothesisResult::new("KPSS test", "eta", statistic, p)
        .with_basis(PValueBasis::Tabulated)
        .with_note(format!("{lags} lags{note}")))
}

/// The p value between the critical values of 0.1, 0.05, 0.025 and 0.01.
fn interpolate_table(statistic: f64, critical: [f64; 4]) -> f64 {
    const LEVELS: [f64; 4] = [0.1, 0.05, 0.025, 0.01];
    if statistic <= critical[0] {
        return LEVELS[0];
    }
    for at in 1..LEVELS.len() {
        if statistic <= critical[at] {
            let share = (statistic - critical[at - 1]) / (critical[at] - critical[at - 1]);
            return LEVELS[at - 1] + share * (LEVELS[at] - LEVELS[at - 1]);
        }
    }
    LEVELS[3]
}
