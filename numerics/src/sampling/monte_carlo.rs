//! Means and distributions of functions of random variables.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::sampling::monte_carlo::{PointFunction, mean_over_box};
//!
//! let f = PointFunction(|x: &[f64]| x[0] * x[1]);
//! let found = mean_over_box(&f, &[[0.0, 1.0], [0.0, 2.0]], 100_000, 42, &NoWatch)?;
//! assert!((found.moments.mean - 0.5).abs() < 5.0 * found.moments.standard_error());
//! # Ok::<(), numerics::sampling::SamplingError>(())
//! ```

use rand::RngExt;
use rand_distr::{Distribution as _, Exp1, StandardNormal};
use random_streams::{StreamRng, stream_rng, stream_states};
use rayon::prelude::*;

use super::SamplingError;
use super::blocks::{BLOCK, SampleMoments, UndefinedPoints, block_count, run_blocks};
use super::order;
use crate::bytecode::LANES;
use crate::vector::{self, UniformGenerators};
use crate::watch::Watch;

/// A function of points that is evaluated for many at once.
pub trait BlockFunction: Sync {
    /// Points between two looks at the caller, at most `most`.
    fn strip(&self, most: usize) -> usize {
        most
    }

    /// What fills in the values at points: `slots[i][k]` is coordinate `i` of point `k`. NaN where there is none.
    fn evaluator(&self) -> BlockEvaluator<'_>;
}

/// An evaluator with its memory, for one thread.
pub type BlockEvaluator<'f> = Box<dyn FnMut(&[&[f64]], &mut [f64]) + 'f>;

/// A function of one point at a time.
#[derive(Debug, Clone, Copy)]
pub struct PointFunction<F>(pub F);

impl<F: Fn(&[f64]) -> f64 + Sync> BlockFunction for PointFunction<F> {
    fn evaluator(&self) -> BlockEvaluator<'_> {
        let mut point = Vec::new();
        Box::new(move |slots, values| {
            for (lane, value) in values.iter_mut().enumerate() {
                point.clear();
                point.extend(slots.iter().map(|slot| slot[lane]));
                *value = (self.0)(&point);
            }
        })
    }
}

/// Values at random points: fills `out`, a strip at a time; `draw` fills in the coordinates of a slot.
fn sample_function(
    function: &dyn BlockFunction,
    dimension: usize,
    out: &mut [f64],
    watch: &dyn Watch,
    draw: &mut dyn FnMut(usize, &mut [f64]),
) -> Result<UndefinedPoints, SamplingError> {
    /// Points between two looks at the caller; two passes of an evaluator.
    const STRIP: usize = 2 * LANES;
    let mut evaluate = function.evaluator();
    let mut points = vec![[0.0; STRIP]; dimension];
    let mut undefined = UndefinedPoints::default();
    for strip in out.chunks_mut(function.strip(STRIP).clamp(1, STRIP)) {
        watch.check()?;
        let lanes = strip.len();
        for (slot, coordinates) in points.iter_mut().enumerate() {
            draw(slot, &mut coordinates[..lanes]);
        }
        let slots: Vec<&[f64]> = points.iter().map(|slot| &slot[..lanes]).collect();
        evaluate(&slots, strip);
        // A value that is not finite makes the sum not finite.
        if !vector::sum_numbers(strip).is_finite() {
            undefined = UndefinedPoints::join_all([undefined, UndefinedPoints::of(strip, &slots)]);
        }
    }
    Ok(undefined)
}

/// Moments of a function at random points.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxMoments {
    /// The moments of the values.
    pub moments: SampleMoments,
    /// Points without a finite value, which the moments contain.
    pub undefined: UndefinedPoints,
}

/// Moments of a function at `samples` points drawn uniformly from a box of `[lower, upper]` for each coordinate.
///
/// # Errors
/// [`SamplingError::Interrupted`].
pub fn mean_over_box(
    function: &dyn BlockFunction,
    bounds: &[[f64; 2]],
    samples: u64,
    seed: u64,
    watch: &dyn Watch,
) -> Result<BoxMoments, SamplingError> {
    watch.count_evaluations(samples)?;
    let dimension = bounds.len();
    let blocks = run_blocks(samples, seed, watch, |block, len, _| {
        let mut uniforms = UniformGenerators::new(stream_states(seed, block));
        let mut values = vec![0.0; len];
        let mut draw = |slot: usize, out: &mut [f64]| {
            let [lower, upper] = bounds[slot];
            uniforms.fill(lower, upper - lower, out);
        };
        let undefined = sample_function(function, dimension, &mut values, watch, &mut draw)?;
        Ok((SampleMoments::of(&values), undefined))
    })?;
    let (moments, undefined): (Vec<_>, Vec<_>) = blocks.into_iter().unzip();
    Ok(BoxMoments {
        moments: SampleMoments::join_all(moments),
        undefined: UndefinedPoints::join_all(undefined),
    })
}

/// The distribution of independent random variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VariableDistribution {
    /// Uniform on `[low, low + width)`.
    Uniform {
        /// Lower end.
        low: f64,
        /// Width.
        width: f64,
    },
    /// Normal.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        std: f64,
    },
    /// Exponential.
    Exponential {
        /// Mean, the inverse of the rate.
        scale: f64,
    },
}

impl VariableDistribution {
    fn draw(self, rng: &mut StreamRng) -> f64 {
        match self {
            Self::Uniform { low, width } => low + width * rng.random::<f64>(),
            Self::Normal { mean, std } => {
                let z: f64 = StandardNormal.sample(rng);
                mean + std * z
            }
            Self::Exponential { scale } => {
                let unit: f64 = Exp1.sample(rng);
                scale * unit
            }
        }
    }
}

/// Random numbers of one block: uniform ones by generators in lockstep, others one by one.
enum VariateStream {
    Uniform(Box<UniformGenerators>, f64, f64),
    Other(VariableDistribution, StreamRng),
}

impl VariateStream {
    fn new(distribution: VariableDistribution, seed: u64, block: u64) -> Self {
        match distribution {
            VariableDistribution::Uniform { low, width } => {
                let uniforms = UniformGenerators::new(stream_states(seed, block));
                Self::Uniform(Box::new(uniforms), low, width)
            }
            other => Self::Other(other, stream_rng(seed, block)),
        }
    }

    fn fill(&mut self, out: &mut [f64]) {
        match self {
            Self::Uniform(uniforms, low, width) => uniforms.fill(*low, *width, out),
            Self::Other(distribution, rng) => out.fill_with(|| distribution.draw(rng)),
        }
    }
}

/// Values of a function of random variables.
#[derive(Debug, Clone)]
pub struct DrawnValues {
    values: Vec<f64>,
    blocks: Vec<BlockSummary>,
    /// Points without a finite value.
    pub undefined: UndefinedPoints,
}

/// Values of a function at `samples` points whose coordinates are drawn independently from a distribution: one stream for each block of
/// samples, the same for any number of threads.
///
/// # Errors
/// [`SamplingError::Interrupted`].
pub fn draw_values(
    function: &dyn BlockFunction,
    dimension: usize,
    distribution: VariableDistribution,
    samples: usize,
    seed: u64,
    watch: &dyn Watch,
) -> Result<DrawnValues, SamplingError> {
    type BlockResult = Result<(BlockSummary, UndefinedPoints), Box<SamplingError>>;
    const COPIES: usize = 2; // the values, and those a selection collects
    watch.count_evaluations(samples as u64)?;
    watch.reserve_doubles(samples.saturating_mul(COPIES))?;
    let blocks = block_count(samples as u64);
    watch.reserve(blocks.saturating_mul(size_of::<BlockResult>() as u64))?;
    let mut values = vec![0.0; samples];
    let one = |(block, values): (usize, &mut [f64])| -> BlockResult {
        let mut stream = VariateStream::new(distribution, seed, block as u64);
        let mut fill = |_: usize, out: &mut [f64]| stream.fill(out);
        let undefined = sample_function(function, dimension, values, watch, &mut fill)?;
        Ok((BlockSummary::of(values), undefined))
    };
    let parts = values.par_chunks_mut(BLOCK as usize).enumerate();
    let blocks: Vec<BlockResult> = thread_pools::run_in_pool(|| parts.map(one).collect());
    let blocks: Result<Vec<_>, Box<SamplingError>> = blocks.into_iter().collect();
    let (blocks, undefined): (Vec<_>, Vec<_>) = blocks.map_err(|err| *err)?.into_iter().unzip();
    Ok(DrawnValues {
        values,
        blocks,
        undefined: UndefinedPoints::join_all(undefined),
    })
}

/// Summary of the values of a block.
#[derive(Debug, Clone)]
struct BlockSummary {
    moments: SampleMoments,
    least: f64,
    greatest: f64,
}

impl BlockSummary {
    fn of(values: &[f64]) -> Self {
        const LANES: usize = 8;
        let (mut least, mut greatest) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        let (steps, rest) = values.as_chunks::<LANES>();
        let rest: Vec<[f64; LANES]> = rest.iter().map(|value| [*value; LANES]).collect();
        for step in steps.iter().chain(&rest) {
            for (lane, &value) in step.iter().enumerate() {
                let (low, high) = (least[lane], greatest[lane]);
                least[lane] = if value < low { value } else { low };
                greatest[lane] = if value > high { value } else { high };
            }
        }
        Self {
            moments: SampleMoments::of(values),
            least: least.into_iter().fold(f64::INFINITY, f64::min),
            greatest: greatest.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// What values say of their distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueDistribution {
    /// Count, mean and squares.
    pub moments: SampleMoments,
    /// Quantiles at 5, 25, 50, 75 and 95 %.
    pub quantiles: [f64; 5],
    /// Edges of bins of equal width from the least to the greatest value, one more than bins.
    pub edges: Vec<f64>,
    /// Values in each bin.
    pub counts: Vec<u64>,
}

impl DrawnValues {
    /// The values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Moments, quantiles and a histogram with as many bins as Sturges' rule requires, one when all values are equal.
    ///
    /// # Errors
    /// [`SamplingError::Overflow`], [`SamplingError::Interrupted`].
    pub fn describe(mut self, watch: &dyn Watch) -> Result<ValueDistribution, SamplingError> {
        let parts = self.blocks.iter().map(|block| block.moments).collect();
        let moments = SampleMoments::join_all(parts);
        if !(moments.mean.is_finite() && moments.std().is_finite()) {
            return Err(SamplingError::Overflow);
        }
        let ends = self
            .blocks
            .iter()
            .map(|block| [block.least, block.greatest]);
        let ends = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
        let [least, greatest] = ends.unwrap_or_default();
        let (edges, counts) = if least == greatest {
            let edges = vec![least - 0.5, least + 0.5];
            (edges, vec![self.values.len() as u64])
        } else {
            let edges = sturges_edges(self.values.len(), least, greatest)?;
            let counts = order::count_in_bins(&self.values, &edges, watch)?;
            (edges, counts)
        };
        let shares = [0.05, 0.25, 0.5, 0.75, 0.95];
        Ok(ValueDistribution {
            moments,
            quantiles: order::order_quantiles(&mut self.values, shares, watch)?,
            edges,
            counts,
        })
    }
}

/// Edges of bins of equal width.
fn sturges_edges(count: usize, least: f64, greatest: f64) -> Result<Vec<f64>, SamplingError> {
    let bins = count.ilog2() as usize + 1;
    let width = (greatest - least) / bins as f64;
    if !width.is_finite() {
        return Err(SamplingError::Overflow);
    }
    let mut edges: Vec<f64> = (0..bins).map(|bin| least + bin as f64 * width).collect();
    edges.push(greatest);
    Ok(edges)
}
