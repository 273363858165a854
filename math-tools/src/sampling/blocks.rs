//! Work in blocks of fixed size: one random stream per block, moments joined in a fixed tree.

use std::sync::atomic::{AtomicU64, Ordering};

use kernels::vector;
use rayon::prelude::*;
use tool_core::rng::StreamRng;
use tool_core::{Ctx, ErrorCode, RandomSeed, ToolError};

use crate::expression::{Expression, LANES};

/// Samples of one block; a block is the unit of parallel work and of random streams.
pub(crate) const BLOCK: u64 = 4096;

/// Count, mean and sum of squared deviations of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SampleMoments {
    /// Number of values.
    pub count: f64,
    /// Mean of the values.
    pub mean: f64,
    /// Sum of the squared deviations from the mean.
    pub squares: f64,
}

impl SampleMoments {
    /// The moments of some numbers, in two passes.
    pub(crate) fn of(values: &[f64]) -> Self {
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
    pub(crate) fn join(self, other: Self) -> Self {
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
    pub(crate) fn join_all(mut parts: Vec<Self>) -> Self {
        let joined = |pair: &[Self]| pair.iter().copied().reduce(Self::join).unwrap_or_default();
        while parts.len() > 1 {
            parts = parts.chunks(2).map(joined).collect();
        }
        parts.pop().unwrap_or_default()
    }

    /// Sample variance (n - 1); NaN for fewer than two numbers.
    pub(crate) fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }

    /// Sample standard deviation (n - 1).
    pub(crate) fn std(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Standard error of the mean of independent numbers.
    pub(crate) fn standard_error(&self) -> f64 {
        (self.variance() / self.count).sqrt()
    }
}

/// The error of a problem with too many dimensions.
pub(crate) fn too_many_dimensions(found: usize, most: usize) -> Option<ToolError> {
    let message = format!("expected at most {most} dimensions, found {found}");
    let error = ToolError::new(ErrorCode::LimitExceeded, message).reason("dimension");
    (found > most).then_some(error)
}

/// Number of blocks, the last of which may be short.
pub(crate) fn block_count(samples: u64) -> u64 {
    samples.div_ceil(BLOCK)
}

/// Number of samples in a block.
pub(crate) fn block_len(samples: u64, block: u64) -> usize {
    (samples - block * BLOCK).min(BLOCK) as usize
}

/// Runs every block with its own stream, in parallel, and returns the results in the order of the blocks.
///
/// # Errors
/// The first error of the lowest block; `limit_exceeded` when the results would not fit.
pub(crate) fn run_blocks<T: Send>(
    samples: u64,
    seed: RandomSeed,
    ctx: &Ctx,
    work: impl Fn(u64, usize, StreamRng) -> Result<T, ToolError> + Sync,
) -> Result<Vec<T>, ToolError> {
    let blocks = block_count(samples);
    ctx.reserve(blocks.saturating_mul(size_of::<Result<T, ToolError>>() as u64))?;
    let done = AtomicU64::new(0);
    let one = |block| {
        let result = work(block, block_len(samples, block), ctx.rng(seed, block));
        let done = 1 + done.fetch_add(1, Ordering::Relaxed);
        if done.is_multiple_of(64) {
            let words = || format!("{} of {samples} samples", (done * BLOCK).min(samples));
            ctx.progress(done as f64 / blocks as f64, words);
        }
        result
    };
    let results: Vec<Result<T, ToolError>> =
        thread_pools::run_in_pool(|| (0..blocks).into_par_iter().map(one).collect());
    results.into_iter().collect()
}

/// The first point at which an expression has no finite value, and how many there are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct UndefinedPoints {
    /// Number of points.
    pub count: u64,
    /// The first of them.
    pub first: Vec<f64>,
}

impl UndefinedPoints {
    /// The values that are not finite, and the point of the first: `slots[i][k]` is coordinate `i` of point `k`.
    fn of(values: &[f64], slots: &[&[f64]]) -> Self {
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
    pub(crate) fn join_all(parts: impl IntoIterator<Item = Self>) -> Self {
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

    /// An error when there is any: `numeric`, saying what is wrong at the first point.
    ///
    /// # Errors
    /// As said.
    pub(crate) fn check(
        &self,
        expression: &Expression,
        samples: u64,
        pointer: &str,
    ) -> Result<(), ToolError> {
        if self.count == 0 {
            return Ok(());
        }
        let coordinate = |(index, x): (usize, &f64)| format!("x{index} = {x}");
        let point: Vec<String> = self.first.iter().enumerate().map(coordinate).collect();
        let cause = match expression.value(&self.first) {
            Err(cause) => cause.to_string(),
            Ok(value) => format!("the value is {value}, out of an infinite intermediate value"),
        };
        let (count, point) = (self.count, point.join(", "));
        refuse!(numeric pointer, "domain";
            "no finite value at {count} of {samples} points, first at {point}: {cause}";
            "guard it with `if(condition, a, b)`, or sample where it is defined");
    }
}

/// Values of an expression at random points: fills `out`, a strip at a time; `draw` fills in the coordinates of a slot.
///
/// # Errors
/// When the call is stopped.
pub(crate) fn sample_expression(
    expression: &Expression,
    dimension: usize,
    out: &mut [f64],
    ctx: &Ctx,
    mut draw: impl FnMut(usize, &mut [f64]),
) -> Result<UndefinedPoints, ToolError> {
    /// Points between two looks at the stop flag; two passes of an evaluator.
    const STRIP: usize = 2 * LANES;
    let mut evaluator = expression.evaluator();
    let mut points = vec![[0.0; STRIP]; dimension];
    let mut undefined = UndefinedPoints::default();
    for strip in out.chunks_mut(expression.strip(STRIP)) {
        ctx.check()?;
        let lanes = strip.len();
        for (slot, coordinates) in points.iter_mut().enumerate() {
            draw(slot, &mut coordinates[..lanes]);
        }
        let slots: Vec<&[f64]> = points.iter().map(|slot| &slot[..lanes]).collect();
        evaluator.eval_block(&slots, strip);
        // A value that is not finite makes the sum not finite.
        if !vector::sum_numbers(strip).is_finite() {
            undefined = UndefinedPoints::join_all([undefined, UndefinedPoints::of(strip, &slots)]);
        }
    }
    Ok(undefined)
}

/// Refuses a sort, which cannot be interrupted, that would outlast the deadline.
///
/// # Errors
/// As [`Ctx::afford`], and when the call is stopped.
pub(crate) fn afford_sort(count: usize, ctx: &Ctx) -> Result<(), ToolError> {
    const OPERATIONS_PER_COMPARISON: f64 = 4.0;
    ctx.check()?;
    let count = count as f64;
    ctx.afford(OPERATIONS_PER_COMPARISON * count * (count + 1.0).log2())
}

/// The quantile of sorted numbers by linear interpolation between order statistics (type 7 of Hyndman and Fan, NumPy's
/// default); at least one number.
pub(crate) fn sorted_quantile(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let weight = position - position.floor();
    sorted[below] * (1.0 - weight) + sorted[above] * weight
}
