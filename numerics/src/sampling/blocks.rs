//! Work in blocks of fixed size: one random stream per block, moments joined in a fixed tree.

use std::sync::atomic::{AtomicU64, Ordering};

use random_streams::{StreamRng, stream_rng};
use rayon::prelude::*;

use super::SamplingError;
use crate::vector;
use crate::watch::{Interruption, Watch};

/// Samples of one block; a block is the unit of parallel work and of random streams.
pub const BLOCK: u64 = 4096;

/// Count, mean and sum of squared deviations of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SampleMoments {
    /// Number of values.
    pub count: f64,
    /// Mean of the values.
    pub mean: f64,
    /// Sum of the squared deviations from the mean.
    pub squares: f64,
}

impl SampleMoments {
    /// The moments of some numbers, in two passes.
    pub fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let count = values.len() as f64;
        let mean = vector::sum_numbers(values) / count;
        let squares = vector::sum_of_squares(values, mean);
        Self {
            count,
            mean,
            squares,
        }
    }

    /// The moments of two parts together.
    ///
    /// # References
    /// T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for Computing the Sample Variance", The American Statistician 37(3),
    /// 1983.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        if self.count == 0.0 || other.count == 0.0 {
            return if self.count == 0.0 { other } else { self };
        }
        let count = self.count + other.count;
        let difference = other.mean - self.mean;
        Self {
            count,
            mean: self.mean + difference * (other.count / count),
            squares: self.squares
                + other.squares
                + difference * difference * (self.count * other.count / count),
        }
    }

    /// Joins parts pairwise: neighbours, then neighbours of those; the tree depends on the number of parts only.
    pub fn join_all(mut parts: Vec<Self>) -> Self {
        let joined = |pair: &[Self]| pair.iter().copied().reduce(Self::join).unwrap_or_default();
        while parts.len() > 1 {
            parts = parts.chunks(2).map(joined).collect();
        }
        parts.pop().unwrap_or_default()
    }

    /// Sample variance (n - 1); NaN for fewer than two numbers.
    pub fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }

    /// Sample standard deviation (n - 1).
    pub fn std(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Standard error of the mean of independent numbers.
    pub fn standard_error(&self) -> f64 {
        (self.variance() / self.count).sqrt()
    }
}

/// Number of blocks, the last of which may be short.
pub fn block_count(samples: u64) -> u64 {
    samples.div_ceil(BLOCK)
}

/// Number of samples in a block.
pub fn block_len(samples: u64, block: u64) -> usize {
    (samples - block * BLOCK).min(BLOCK) as usize
}

/// Runs every block with its own stream, in parallel, and returns the results in the order of the blocks.
///
/// # Errors
/// The first error of the lowest block; [`Interruption::Memory`] where the results would not fit.
pub fn run_blocks<T: Send>(
    samples: u64,
    seed: u64,
    watch: &dyn Watch,
    work: impl Fn(u64, usize, StreamRng) -> Result<T, SamplingError> + Sync,
) -> Result<Vec<T>, SamplingError> {
    let blocks = block_count(samples);
    // Errors are boxed, so that they take no more room than a result.
    let bytes = size_of::<Result<T, Box<SamplingError>>>() as u64;
    watch.reserve(blocks.saturating_mul(bytes))?;
    let done = AtomicU64::new(0);
    let one = |block| {
        let result = work(block, block_len(samples, block), stream_rng(seed, block));
        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
        if done.is_multiple_of(64) {
            let words = || format!("{} of {samples} samples", (done * BLOCK).min(samples));
            watch.progress(Some(done as f64 / blocks as f64), &words);
        }
        result.map_err(Box::new)
    };
    let results: Vec<Result<T, Box<SamplingError>>> =
        thread_pools::run_in_pool(|| (0..blocks).into_par_iter().map(one).collect());
    let results: Result<Vec<T>, Box<SamplingError>> = results.into_iter().collect();
    results.map_err(|err| *err)
}

/// The first point at which a function has no finite value, and how many there are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UndefinedPoints {
    /// Number of points.
    pub count: u64,
    /// The first of them.
    pub first: Vec<f64>,
}

impl UndefinedPoints {
    /// The values that are not finite, and the point of the first: `slots[i][k]` is coordinate `i` of point `k`.
    pub(super) fn of(values: &[f64], slots: &[&[f64]]) -> Self {
        let undefined = |value: &f64| !value.is_finite();
        let point = |lane: usize| slots.iter().map(|slot| slot[lane]).collect();
        Self {
            count: values.iter().filter(|&value| undefined(value)).count() as u64,
            first: values
                .iter()
                .position(undefined)
                .map_or_else(Vec::new, point),
        }
    }

    /// Joins the findings of blocks, in their order.
    pub fn join_all(parts: impl IntoIterator<Item = Self>) -> Self {
        let join = |joined: Self, part: Self| Self {
            count: joined.count + part.count,
            first: if joined.count == 0 {
                part.first
            } else {
                joined.first
            },
        };
        parts.into_iter().fold(Self::default(), join)
    }
}

/// Refuses a sort, which cannot be interrupted, that would outlast the deadline.
///
/// # Errors
/// [`Interruption::Cost`], [`Interruption::Stopped`].
pub fn afford_sort(count: usize, watch: &dyn Watch) -> Result<(), Interruption> {
    const OPERATIONS_PER_COMPARISON: f64 = 4.0;
    watch.check()?;
    let count = count as f64;
    watch.afford(OPERATIONS_PER_COMPARISON * count * (count + 1.0).log2())
}

/// The quantile of sorted numbers by linear interpolation between order statistics (type 7 of Hyndman and Fan, NumPy's
/// default); at least one number.
pub fn sorted_quantile(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let weight = position - position.floor();
    sorted[below] * (1.0 - weight) + sorted[above] * weight
}
