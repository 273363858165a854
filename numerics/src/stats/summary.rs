//! The statistics themselves, each computed once and on demand.

use crate::exact::CompensatedSum;
use crate::quantile::QuantileDefinition;
use crate::watch::{Interruption, Watch};

/// Values between two looks at the stop flag.
const CHUNK: usize = 1 << 16;

/// A sample and what has been computed of it so far.
///
/// # Method
/// Sums run in twice the working precision over data scaled by a power of two (exact), so neither overflow inside nor
/// cancellation around a large mean costs digits; the variance is the two-pass one, around the mean in that same precision.
/// The quartiles are Hyndman-Fan type 7.
///
/// # Accuracy and cost
/// Mean and variance are correct to about one rounding of the doubles given. O(n) time for the moments; the quantiles sort a
/// copy: O(n log n) time, 2n doubles of memory.
///
/// # References
/// T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample Variance", The American Statistician 37(3),
/// 1983; R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50(4), 1996.
pub struct SampleSummary<'a> {
    data: &'a [f64],
    extremes: Option<(f64, f64)>,
    total: Option<CompensatedSum>,
    squares: Option<f64>,
    sorted: Option<Vec<f64>>,
}

impl<'a> SampleSummary<'a> {
    /// A summary of a sample, which must not be empty.
    pub fn new(data: &'a [f64]) -> Self {
        Self {
            data,
            extremes: None,
            total: None,
            squares: None,
            sorted: None,
        }
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.data.len()
    }

    /// The least value.
    ///
    /// # Errors
    /// [`Interruption::Stopped`], as of every statistic; quantiles also [`Interruption::Memory`].
    pub fn min(&mut self, watch: &dyn Watch) -> Result<f64, Interruption> {
        Ok(self.extremes(watch)?.0)
    }

    /// The greatest value.
    ///
    /// # Errors
    /// As [`SampleSummary::min`].
    pub fn max(&mut self, watch: &dyn Watch) -> Result<f64, Interruption> {
        Ok(self.extremes(watch)?.1)
    }

    /// The sum.
    ///
    /// # Errors
    /// As [`SampleSummary::min`].
    pub fn sum(&mut self, watch: &dyn Watch) -> Result<f64, Interruption> {
        let scale = self.scale(watch)?;
        Ok(divide_by_scale(self.total(watch)?.value(), scale))
    }

    /// The mean.
    ///
    /// # Errors
    /// As [`SampleSummary::min`].
    pub fn mean(&mut self, watch: &dyn Watch) -> Result<f64, Interruption> {
        let scale = self.scale(watch)?;
        let mean = self.total(watch)?.divide(self.count() as f64).value();
        Ok(divide_by_scale(mean, scale))
    }

    /// The variance with divisor n - `lost`.
    ///
    /// # Errors
    /// As [`SampleSummary::min`].
    pub fn variance(&mut self, lost: usize, watch: &dyn Watch) -> Result<f64, Interruption> {
        let scale = self.scale(watch)?;
        let variance = self.squares(watch)? / (self.count() - lost) as f64;
        Ok(divide_by_scale(divide_by_scale(variance, scale), scale))
    }

    /// The standard deviation with divisor n - `lost`.
    ///
    /// # Errors
    /// As [`SampleSummary::min`].
    pub fn std(&mut self, lost: usize, watch: &dyn Watch) -> Result<f64, Interruption> {
        let scale = self.scale(watch)?;
        let variance = self.squares(watch)? / (self.count() - lost) as f64;
        Ok(divide_by_scale(variance.sqrt(), scale))
    }

    /// The quantile of a probability from 0 to 1, by linear interpolation.
    ///
    /// # Errors
    /// As [`SampleSummary::min`].
    pub fn quantile(&mut self, probability: f64, watch: &dyn Watch) -> Result<f64, Interruption> {
        self.quantile_by(QuantileDefinition::Linear, probability, watch)
    }

    /// The quantile of a probability from 0 to 1 by a definition.
    ///
    /// # Errors
    /// As [`SampleSummary::min`].
    pub fn quantile_by(
        &mut self,
        definition: QuantileDefinition,
        probability: f64,
        watch: &dyn Watch,
    ) -> Result<f64, Interruption> {
        let sorted = match self.sorted.take() {
            Some(sorted) => sorted,
            None => sort_in_runs(self.data, watch)?,
        };
        let value = definition.of(&sorted, probability);
        self.sorted = Some(sorted);
        Ok(value)
    }

    fn extremes(&mut self, watch: &dyn Watch) -> Result<(f64, f64), Interruption> {
        if let Some(extremes) = self.extremes {
            return Ok(extremes);
        }
        let mut extremes = (f64::INFINITY, f64::NEG_INFINITY);
        for chunk in self.data.chunks(CHUNK) {
            watch.check()?;
            for &value in chunk {
                extremes = (extremes.0.min(value), extremes.1.max(value));
            }
        }
        self.extremes = Some(extremes);
        Ok(extremes)
    }

    /// The power of two the sums are computed in: 1 unless squares could overflow or underflow.
    fn scale(&mut self, watch: &dyn Watch) -> Result<f64, Interruption> {
        let (min, max) = self.extremes(watch)?;
        let largest = min.abs().max(max.abs());
        Ok(if largest > 1e120 {
            2f64.powi(-600)
        } else if largest < 1e-120 {
            2f64.powi(600)
        } else {
            1.0
        })
    }

    fn total(&mut self, watch: &dyn Watch) -> Result<CompensatedSum, Interruption> {
        if let Some(total) = self.total {
            return Ok(total);
        }
        let scale = self.scale(watch)?;
        let mut total = CompensatedSum::default();
        for chunk in self.data.chunks(CHUNK) {
            watch.check()?;
            for &value in chunk {
                total.add(value * scale);
            }
        }
        self.total = Some(total);
        Ok(total)
    }

    /// The sum of squared deviations from the mean, in scaled units.
    fn squares(&mut self, watch: &dyn Watch) -> Result<f64, Interruption> {
        if let Some(squares) = self.squares {
            return Ok(squares);
        }
        let scale = self.scale(watch)?;
        let mean = self.total(watch)?.divide(self.count() as f64);
        let mut squares = CompensatedSum::default();
        for chunk in self.data.chunks(CHUNK) {
            watch.check()?;
            for &value in chunk {
                let deviation = mean.subtract_from(value * scale);
                squares.add_product(deviation, deviation);
            }
        }
        self.squares = Some(squares.value());
        Ok(squares.value())
    }
}

fn divide_by_scale(value: f64, scale: f64) -> f64 {
    value / scale
}

/// A sorted copy: runs sorted in place, then merged; looks at the stop flag between runs.
fn sort_in_runs(data: &[f64], watch: &dyn Watch) -> Result<Vec<f64>, Interruption> {
    watch.reserve_doubles(2 * data.len())?;
    let mut sorted = data.to_vec();
    for run in sorted.chunks_mut(CHUNK) {
        watch.check()?;
        run.sort_unstable_by(f64::total_cmp);
    }
    let mut width = CHUNK;
    if width < sorted.len() {
        let mut spare = vec![0.0; sorted.len()];
        while width < sorted.len() {
            for (from, to) in sorted.chunks(2 * width).zip(spare.chunks_mut(2 * width)) {
                let (left, right) = from.split_at(width.min(from.len()));
                merge_runs(left, right, to, watch)?;
            }
            std::mem::swap(&mut sorted, &mut spare);
            width *= 2;
        }
    }
    Ok(sorted)
}

/// Merges two sorted runs into a buffer of their joint length.
fn merge_runs(
    left: &[f64],
    right: &[f64],
    to: &mut [f64],
    watch: &dyn Watch,
) -> Result<(), Interruption> {
    let (mut i, mut j) = (0, 0);
    for chunk in to.chunks_mut(CHUNK) {
        watch.check()?;
        for slot in chunk {
            let take_left = j == right.len() || (i < left.len() && left[i] <= right[j]);
            *slot = if take_left {
                i += 1;
                left[i - 1]
            } else {
                j += 1;
                right[j - 1]
            };
        }
    }
    Ok(())
}
