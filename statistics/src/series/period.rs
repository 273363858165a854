//! The period of a series, and whether it is better seen in logarithms.

use super::correlation::autocorrelations;

/// Most values that a period is looked for in: the last ones.
const VALUES_MAX: usize = 20_000;

/// Share of the variation of deviations that those of logarithms have to stay below: a little less is chance.
const CLEARLY_LESS: f64 = 0.75;

/// Longest period that is found.
const PERIOD_MAX: usize = 400;

/// A period with the correlation that speaks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeriodSearch {
    /// Values in a period; 1 where none stands out.
    pub period: usize,
    /// Autocorrelation of the differences at that lag; 0 for a period of 1.
    pub correlation: f64,
}

/// The period whose autocorrelation stands out in the differences of a series: the shortest lag that is a peak of the autocorrelations, within a tenth of the
/// highest one, and above both 0.3 and 4 over the root of the number of values. At least three periods have to be there.
pub fn find_period(y: &[f64]) -> PeriodSearch {
    const NONE: PeriodSearch = PeriodSearch {
        period: 1,
        correlation: 0.0,
    };
    let y = &y[y.len().saturating_sub(VALUES_MAX)..];
    let differences: Vec<f64> = y.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let most = (y.len() / 3).min(PERIOD_MAX);
    if most < 2 {
        return NONE;
    }
    let Some(r) = autocorrelations(&differences, (most + 1).min(differences.len() - 1)) else {
        return NONE;
    };
    let at = |lag: usize| r.get(lag - 1).copied().unwrap_or(f64::NEG_INFINITY);
    let peaks = (2..=most).filter(|&lag| at(lag) > at(lag - 1) && at(lag) >= at(lag + 1));
    let limit = (4.0 / (y.len() as f64).sqrt()).max(0.3);
    let high: Vec<usize> = peaks.filter(|&lag| at(lag) > limit).collect();
    let highest = high.iter().map(|&lag| at(lag)).fold(0.0, f64::max);
    match high.into_iter().find(|&lag| at(lag) >= 0.9 * highest) {
        Some(period) => PeriodSearch {
            period,
            correlation: at(period),
        },
        None => NONE,
    }
}

/// Whether the spread of values above 0 grows with their level: of stretches of a period, or of ten values, the standard deviations vary less by a quarter as
/// shares of the means than as they are (the rule of Guerrero between a power of 1 and of 0).
///
/// # References
/// V. M. Guerrero, "Time-series analysis supported by power transformations", J. Forecasting 12, 1993.
pub fn prefers_logarithms(y: &[f64], period: usize) -> bool {
    let width = if period > 1 { period } else { 10 };
    if y.len() < 3 * width || y.iter().any(|value| *value <= 0.0) {
        return false;
    }
    let parts = y.rchunks_exact(width);
    let (mut plain, mut shares) = (Vec::new(), Vec::new());
    for part in parts {
        let mean = part.iter().sum::<f64>() / width as f64;
        let squares: f64 = part.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / (width as f64 - 1.0)).sqrt();
        plain.push(deviation);
        shares.push(deviation / mean);
    }
    match (variation(&plain), variation(&shares)) {
        (Some(plain), Some(shares)) => shares < CLEARLY_LESS * plain,
        _ => false,
    }
}

/// Standard deviation over mean.
fn variation(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean > 0.0).then(|| (squares / (count - 1.0)).sqrt() / mean)
}
