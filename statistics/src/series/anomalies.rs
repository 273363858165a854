//! Values that a decomposition does not explain.

use super::changes::median_in_place;

/// A value far from what was expected of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesAnomaly {
    /// Its place, from 0.
    pub at: usize,
    /// Remainder less its median, over the scale.
    pub score: f64,
}

/// Anomalies with what they were judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct AnomalySearch {
    /// The anomalies in time order.
    pub anomalies: Vec<SeriesAnomaly>,
    /// Scale of the remainder.
    pub scale: f64,
    /// Median of the remainder.
    pub centre: f64,
}

/// Values whose remainder lies further than `limit` scales from its median. The scale is 1.4826 times the median absolute deviation, or the ninth decile of
/// the absolute deviations over 1.645 where that is larger: both are the standard deviation of normal remainders, and robust smoothing makes more than half
/// of the remainders small. It is never below `floor`, what is rounding in the units of the series; where both are, it is the mean absolute deviation
/// times 1.2533.
///
/// # References
/// B. Iglewicz and D. Hoaglin, "How to Detect and Handle Outliers", ASQC, 1993, which has 3.5 for the limit.
pub fn find_anomalies(remainder: &[f64], limit: f64, floor: f64) -> AnomalySearch {
    if remainder.is_empty() {
        return AnomalySearch {
            anomalies: Vec::new(),
            scale: 0.0,
            centre: 0.0,
        };
    }
    let mut values = remainder.to_vec();
    let centre = median_in_place(&mut values);
    values
        .iter_mut()
        .for_each(|value| *value = (*value - centre).abs());
    let median = median_in_place(&mut values);
    let decile = values[(9 * (values.len() - 1)).div_ceil(10)];
    let robust = (1.482_602_218_505_602 * median).max(decile / 1.644_853_626_951_473);
    let scale = match robust > floor {
        true => robust,
        false => 1.253_314_137_315_5 * values.iter().sum::<f64>() / values.len() as f64,
    };
    let scale = scale.max(floor);
    let scored = remainder
        .iter()
        .enumerate()
        .map(|(at, value)| SeriesAnomaly {
            at,
            score: match scale > 0.0 {
                true => (value - centre) / scale,
                false => 0.0,
            },
        });
    AnomalySearch {
        anomalies: scored.filter(|one| one.score.abs() > limit).collect(),
        scale,
        centre,
    }
}
