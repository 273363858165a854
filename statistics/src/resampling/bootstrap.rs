//! The bootstrap: percentile, basic and bias-corrected accelerated (BCa) intervals.

use rand::RngExt;
use random_streams::{StreamRng, stream_rng};

use crate::summary::{EstimateInterval, mean_of};
use numerics::quantile::QuantileDefinition;
use numerics::special::{normal_cdf, normal_quantile};

/// How rows are drawn again.
#[derive(Debug, Clone, PartialEq)]
pub enum ResamplingScheme {
    /// Each row by itself, within groups of rows whose sizes stay: `groups[k]` has the rows of group k.
    Groups(Vec<Vec<usize>>),
    /// Runs of this length of a series of so many rows, which begin anywhere and go round its end (D. N. Politis and J. P. Romano, 1992).
    Blocks {
        /// Rows of the series.
        rows: usize,
        /// Rows of a block.
        length: usize,
    },
}

impl ResamplingScheme {
    /// All rows in one group.
    pub fn of_rows(rows: usize) -> Self {
        Self::Groups(vec![(0..rows).collect()])
    }

    fn draw(&self, random: &mut StreamRng) -> Vec<usize> {
        match self {
            Self::Groups(groups) => {
                let mut drawn = Vec::new();
                for group in groups {
                    drawn.extend(
                        group
                            .iter()
                            .map(|_| group[random.random_range(0..group.len())]),
                    );
                }
                drawn
            }
            Self::Blocks { rows, length } => {
                let mut drawn = Vec::with_capacity(rows + length);
                while drawn.len() < *rows {
                    let start = random.random_range(0..*rows);
                    drawn.extend((0..*length).map(|k| (start + k) % rows));
                }
                drawn.truncate(*rows);
                drawn
            }
        }
    }

    /// The rows without one, or without one block.
    fn leave_out(&self, part: usize) -> Vec<usize> {
        match self {
            Self::Groups(groups) => {
                let all = groups.iter().flatten().enumerate();
                all.filter(|(place, _)| *place != part)
                    .map(|(_, row)| *row)
                    .collect()
            }
            Self::Blocks { rows, length } => {
                let (from, to) = (part * length, (part + 1) * length);
                (0..*rows).filter(|row| !(from..to).contains(row)).collect()
            }
        }
    }

    fn parts(&self) -> usize {
        match self {
            Self::Groups(groups) => groups.iter().map(Vec::len).sum(),
            Self::Blocks { rows, length } => rows.div_ceil(*length),
        }
    }
}

/// The distribution of a statistic over resamples.
#[derive(Debug, Clone, PartialEq)]
pub struct BootstrapResult {
    /// The statistic of the rows as they are.
    pub estimate: f64,
    /// Its values in the resamples that gave a number, ascending.
    pub sorted: Vec<f64>,
    /// Resamples whose statistic was no number.
    pub failed: usize,
    /// Mean of the resamples less the estimate.
    pub bias: f64,
    /// Standard deviation over the resamples.
    pub standard_error: f64,
    /// The share of resamples below the estimate as a normal quantile.
    pub bias_correction: f64,
    /// The skewness of leaving out each row in turn, over 6.
    pub acceleration: f64,
}

/// Why there is no distribution.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError<E> {
    /// The statistic of the rows is no number.
    #[error("the statistic of the data is no finite number")]
    NoEstimate,
    /// Fewer than half of the resamples gave a number.
    #[error("{0} of {1} resamples gave no number")]
    Failures(usize, usize),
    /// The statistic failed, or the caller stopped.
    #[error("the statistic failed")]
    Statistic(E),
}

/// Resamples the statistic of rows, which is given their places. The resample k is drawn from stream k of the seed. Costs a statistic for each resample
/// and for each row.
pub fn bootstrap<E>(
    scheme: &ResamplingScheme,
    resamples: usize,
    seed: u64,
    statistic: &mut dyn FnMut(&[usize]) -> Result<f64, E>,
) -> Result<BootstrapResult, BootstrapError<E>> {
    let whole: Vec<usize> = match scheme {
        ResamplingScheme::Groups(groups) => groups.iter().flatten().copied().collect(),
        ResamplingScheme::Blocks { rows, .. } => (0..*rows).collect(),
    };
    let estimate = statistic(&whole).map_err(BootstrapError::Statistic)?;
    if !estimate.is_finite() {
        return Err(BootstrapError::NoEstimate);
    }
    let mut sorted = Vec::with_capacity(resamples);
    for resample in 0..resamples {
        let rows = scheme.draw(&mut stream_rng(seed, resample as u64));
        let value = statistic(&rows).map_err(BootstrapError::Statistic)?;
        if value.is_finite() {
            sorted.push(value);
        }
    }
    let failed = resamples - sorted.len();
    if sorted.len() < 2 || 2 * failed > resamples {
        return Err(BootstrapError::Failures(failed, resamples));
    }
    sorted.sort_by(f64::total_cmp);
    let mean = mean_of(&sorted);
    let squares = sorted.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    let below = sorted.partition_point(|x| *x < estimate);
    let equal = sorted.partition_point(|x| *x <= estimate) - below;
    let share = (below as f64 + 0.5 * equal as f64) / sorted.len() as f64;
    Ok(BootstrapResult {
        estimate,
        failed,
        bias: mean - estimate,
        standard_error: (squares / (sorted.len() - 1) as f64).sqrt(),
        bias_correction: normal_quantile(share),
        acceleration: find_acceleration(scheme, statistic)?,
        sorted,
    })
}

/// B. Efron, "Better bootstrap confidence intervals", J. Am. Stat. Assoc. 82, 1987.
fn find_acceleration<E>(
    scheme: &ResamplingScheme,
    statistic: &mut dyn FnMut(&[usize]) -> Result<f64, E>,
) -> Result<f64, BootstrapError<E>> {
    /// Beyond, leaving out each row would cost more than the resamples, and the skewness is that of a thousandth.
    const PARTS_MAX: usize = 2000;
    let parts = scheme.parts();
    let step = parts.div_ceil(PARTS_MAX);
    let mut values = Vec::new();
    for part in (0..parts).step_by(step) {
        let value = statistic(&scheme.leave_out(part)).map_err(BootstrapError::Statistic)?;
        if value.is_finite() {
            values.push(value);
        }
    }
    if values.len() < 3 {
        return Ok(0.0);
    }
    let mean = mean_of(&values);
    let power = |k: i32| values.iter().map(|x| (mean - x).powi(k)).sum::<f64>();
    let square = power(2);
    let scale = (parts as f64 / values.len() as f64).sqrt();
    Ok(match square > 0.0 {
        true => power(3) / (6.0 * square.powf(1.5)) / scale,
        false => 0.0,
    })
}

impl BootstrapResult {
    fn quantile(&self, p: f64) -> f64 {
        QuantileDefinition::Linear.of(&self.sorted, p.clamp(0.0, 1.0))
    }

    /// The quantiles of the resamples.
    pub fn percentile(&self, confidence: f64) -> EstimateInterval {
        let half = 0.5 * (1.0 - confidence);
        EstimateInterval {
            low: self.quantile(half),
            high: self.quantile(1.0 - half),
        }
    }

    /// The quantiles mirrored at the estimate.
    pub fn basic(&self, confidence: f64) -> EstimateInterval {
        let percentile = self.percentile(confidence);
        EstimateInterval {
            low: 2.0 * self.estimate - percentile.high,
            high: 2.0 * self.estimate - percentile.low,
        }
    }

    /// The quantiles at levels corrected for bias and skewness; NaN where all resamples are on one side of the estimate.
    pub fn bca(&self, confidence: f64) -> EstimateInterval {
        let (z0, a) = (self.bias_correction, self.acceleration);
        let level = |p: f64| {
            let z = z0 + normal_quantile(p);
            normal_cdf(z0 + z / (1.0 - a * z))
        };
        let half = 0.5 * (1.0 - confidence);
        match z0.is_finite() {
            true => EstimateInterval {
                low: self.quantile(level(half)),
                high: self.quantile(level(1.0 - half)),
            },
            false => EstimateInterval {
                low: f64::NAN,
                high: f64::NAN,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// The interval of the mean of 40 numbers is near Student's, and the same for the same seed.
    #[test]
    fn intervals_of_a_mean_are_near_the_exact_ones() {
        let data: Vec<f64> = (0..40).map(|k| f64::from((k * 17) % 40)).collect();
        let mut mean = |rows: &[usize]| -> Result<f64, Infallible> {
            Ok(rows.iter().map(|&row| data[row]).sum::<f64>() / rows.len() as f64)
        };
        let scheme = ResamplingScheme::of_rows(40);
        let result = bootstrap(&scheme, 4000, 9, &mut mean).unwrap();
        let error = (40.0 * 41.0 / 12.0 / 40.0_f64).sqrt();
        assert_eq!(result.estimate, 19.5);
        assert!((result.standard_error / (error * (39.0_f64 / 40.0).sqrt()) - 1.0).abs() < 0.04);
        // A symmetric sample has neither bias nor acceleration.
        assert!(result.acceleration.abs() < 1e-12 && result.bias_correction.abs() < 0.06);
        for interval in [
            result.percentile(0.95),
            result.basic(0.95),
            result.bca(0.95),
        ] {
            assert!(
                (interval.low - (19.5 - 1.96 * error)).abs() < 0.4,
                "{interval:?}"
            );
            assert!(
                (interval.high - (19.5 + 1.96 * error)).abs() < 0.4,
                "{interval:?}"
            );
        }
        let again = bootstrap(&scheme, 4000, 9, &mut mean).unwrap();
        assert_eq!(again, result);
    }

    /// Neighbours stay together within a block.
    #[test]
    fn blocks_go_round_the_series() {
        let scheme = ResamplingScheme::Blocks { rows: 7, length: 3 };
        let rows = scheme.draw(&mut stream_rng(1, 0));
        assert_eq!(rows.len(), 7);
        assert!(
            rows[..3]
                .windows(2)
                .all(|pair| pair[1] == (pair[0] + 1) % 7)
        );
        assert_eq!(scheme.parts(), 3);
        assert_eq!(scheme.leave_out(2), [0, 1, 2, 3, 4, 5]);
    }
}
