//! The operations of the earlier `monte_carlo` command: `pi`, `normal_stats`, `random_walk`, `bootstrap`.
//!
//! Arguments, defaults and result fields are those of 0.1.0; unknown operations, arguments and choices are errors, every seed
//! is valid, and the results do not depend on the number of threads. `seed` and a few standard errors are added to the results.

use std::f64::consts::PI;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use tool_core::convert::from_value;
use tool_core::{
    BoundedInteger, Ctx, Decode, ErrorCode, Finite, Input, Object, Positive, RandomSeed, ToolError,
    Value, Vector,
};

use numerics::Watch as _;
use numerics::sampling::blocks::{BLOCK, SampleMoments, afford_sort, run_blocks, sorted_quantile};

use super::blocks::sampling_error;
use crate::call_watch::CallWatch;
use crate::prelude::did_you_mean;

const OPERATIONS: [&str; 5] = [
    "integrate",
    "pi",
    "normal_stats",
    "random_walk",
    "bootstrap",
];

/// Runs an operation; members `command` and `operation` of the parameters are ignored.
///
/// # Errors
/// `invalid_args` for an unknown operation and for invalid arguments; those of the operation.
pub fn run_operation(operation: &str, params: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let mut members = match params {
        Value::Null => Object::new(),
        other => other.as_object().cloned().ok_or_else(|| {
            let found = other.kind();
            let message = format!("expected the parameters as an object, found {found}");
            ToolError::invalid("", message)
        })?,
    };
    members.remove("command");
    members.remove("operation");
    let params = Value::Object(members.into());
    match operation {
        "pi" => estimate_pi(&decode_arguments(&params)?, ctx),
        "normal_stats" => normal_stats(&decode_arguments(&params)?, ctx),
        "random_walk" => random_walk(&decode_arguments(&params)?, ctx),
        "bootstrap" => bootstrap_statistic(&decode_arguments(&params)?, ctx),
        unknown => Err(unknown_name("operation", unknown, &OPERATIONS)),
    }
}

fn decode_arguments<T: Decode>(params: &Value) -> Result<T, ToolError> {
    from_value(params)
        .map_err(|problem| ToolError::of_problems(ErrorCode::InvalidArgs, vec![problem]))
}

fn unknown_name(argument: &str, name: &str, known: &[&str]) -> ToolError {
    let near = did_you_mean(name, known.iter().copied());
    let message = format!("unknown {argument} `{name}`");
    ToolError::invalid(format!("/{argument}"), message)
        .reason("unknown_name")
        .hint(near.unwrap_or_else(|| format!("one of: {}", known.join(", "))))
}

/// The result, unless one of these numbers is beyond the range of a double.
fn require_finite_result(
    numbers: &[f64],
    result: Value,
    (at, message, hint): (&str, &str, &str),
) -> Result<Value, ToolError> {
    if numbers.iter().all(|number| number.is_finite()) {
        return Ok(result);
    }
    Err(ToolError::numeric(at, message)
        .reason("overflow")
        .hint(hint))
}

/// The moments of draws, by blocks in a fixed tree.
fn moments_by_blocks(values: &[f64]) -> SampleMoments {
    SampleMoments::join_all(
        values
            .chunks(BLOCK as usize)
            .map(SampleMoments::of)
            .collect(),
    )
}

/// Arguments of `pi`.
#[derive(Debug, Decode)]
#[value(deny_unknown_fields)]
struct PiArgs {
    n_samples: Option<BoundedInteger<2, 1_000_000_000_000>>,
    seed: Option<RandomSeed>,
}

/// Estimates pi by the share of points of the unit square that lie in the quarter circle.
fn estimate_pi(args: &PiArgs, ctx: &Ctx) -> Result<Value, ToolError> {
    const POINTS_PER_CHECK: usize = 1024;
    let seed = ctx.seed(args.seed);
    let samples = args
        .n_samples
        .map_or(10_000, |samples| samples.get() as u64);
    ctx.count_evaluations(samples)?;
    let watch = CallWatch(ctx);
    let inside = run_blocks(samples, seed.get(), &watch, |_, len, mut rng| {
        let mut inside = 0;
        for point in 0..len {
            if point % POINTS_PER_CHECK == 0 {
                watch.check()?;
            }
            let (x, y): (f64, f64) = (rng.random(), rng.random());
            inside += u64::from(x * x + y * y <= 1.0);
        }
        Ok(inside)
    });
    let inside: Vec<u64> = inside.map_err(|error| sampling_error(error, "/n_samples", ctx))?;
    let inside: u64 = inside.iter().sum();
    let count = samples as f64;
    let share = inside as f64 / count;
    let estimate = 4.0 * share;
    let standard_error = 4.0 * (share * (1.0 - share) / count).sqrt();
    Ok(Value::object([
        ("pi_estimate", Value::from(estimate)),
        ("true_pi", PI.into()),
        ("absolute_error", (estimate - PI).abs().into()),
        ("standard_error", standard_error.into()),
        ("n_samples", (samples as i64).into()),
        ("inside_count", (inside as i64).into()),
        ("seed", number_of(seed)),
    ]))
}

fn number_of(seed: RandomSeed) -> Value {
    tool_core::convert::to_value(&seed).unwrap_or_default()
}

/// Arguments of `normal_stats`.
#[derive(Debug, Decode)]
#[value(deny_unknown_fields)]
struct NormalArgs {
    mean: Option<Finite>,
    std: Option<Positive>,
    n_samples: Option<BoundedInteger<2, 1_000_000_000>>,
    seed: Option<RandomSeed>,
}

/// Draws from a normal distribution and describes the draws.
fn normal_stats(args: &NormalArgs, ctx: &Ctx) -> Result<Value, ToolError> {
    const COPIES: usize = 2;
    let mean = args.mean.map_or(0.0, Finite::get);
    let std = args.std.map_or(1.0, Positive::get);
    let samples = args.n_samples.map_or(10_000, BoundedInteger::size);
    let seed = ctx.seed(args.seed);
    ctx.reserve_doubles(samples.saturating_mul(COPIES))?;
    let watch = CallWatch(ctx);
    let blocks = run_blocks(samples as u64, seed.get(), &watch, |_, len, mut rng| {
        watch.check()?;
        let draw = || {
            let z: f64 = StandardNormal.sample(&mut rng);
            mean + std * z
        };
        Ok(std::iter::repeat_with(draw).take(len).collect::<Vec<f64>>())
    });
    let blocks = blocks.map_err(|error| sampling_error(error, "/n_samples", ctx))?;
    let mut values = blocks.concat();
    let moments = moments_by_blocks(&values);
    let watch = CallWatch(ctx);
    afford_sort(values.len(), &watch)
        .map_err(|interruption| watch.interruption_error(interruption))?;
    values.sort_unstable_by(f64::total_cmp);
    let (least, most) = (values[0], values[samples - 1]);
    let result = Value::object([
        ("sample_mean", Value::from(moments.mean)),
        ("sample_std", moments.std().into()),
        ("min", least.into()),
        ("max", most.into()),
        ("median", sorted_quantile(&values, 0.5).into()),
        ("percentile_25", sorted_quantile(&values, 0.25).into()),
        ("percentile_75", sorted_quantile(&values, 0.75).into()),
        ("true_mean", mean.into()),
        ("true_std", std.into()),
        ("n_samples", samples.into()),
        ("seed", number_of(seed)),
    ]);
    let failure = (
        "/std",
        "the draws or their variance are beyond the range of a double",
        "use smaller `mean` and `std`",
    );
    require_finite_result(&[moments.mean, moments.std(), least, most], result, failure)
}

/// Arguments of `random_walk`.
#[derive(Debug, Decode)]
#[value(deny_unknown_fields)]
struct WalkArgs {
    n_steps: Option<BoundedInteger<1, 1_000_000_000>>,
    n_walks: Option<BoundedInteger<1, 100_000_000>>,
    step_size: Option<Positive>,
    #[value(default, rename = "type")]
    kind: RandomWalkSpace,
    seed: Option<RandomSeed>,
}

/// The space of a random walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Decode)]
enum RandomWalkSpace {
    /// Steps to the left or right.
    #[default]
    #[value(rename = "1d")]
    Line,
    /// Steps in a uniformly random direction of the plane.
    #[value(rename = "2d")]
    Plane,
}

/// Walks from the origin; each walk has its own stream.
fn random_walk(args: &WalkArgs, ctx: &Ctx) -> Result<Value, ToolError> {
    const STEPS_PER_CHECK: usize = 4096;
    let seed = ctx.seed(args.seed);
    let walks = args.n_walks.map_or(100, BoundedInteger::size);
    let steps = args.n_steps.map_or(1000, BoundedInteger::size);
    let size = args.step_size.map_or(1.0, Positive::get);
    ctx.count_evaluations((walks as u64).saturating_mul(steps as u64))?;
    ctx.reserve_doubles(walks.saturating_mul(16))?;
    let one = |walk| {
        let mut rng = ctx.rng(seed, walk as u64);
        let (mut x, mut y) = (0.0, 0.0);
        for step in 0..steps {
            if step % STEPS_PER_CHECK == 0 {
                ctx.check()?;
            }
            if args.kind == RandomWalkSpace::Line {
                x += if rng.random::<bool>() { 1.0 } else { -1.0 };
            } else {
                let (sine, cosine) = (std::f64::consts::TAU * rng.random::<f64>()).sin_cos();
                x += cosine;
                y += sine;
            }
        }
        Ok((size * x, size * y))
    };
    let ends: Vec<Result<(f64, f64), ToolError>> =
        thread_pools::run_in_pool(|| (0..walks).into_par_iter().map(one).collect());
    let ends: Vec<(f64, f64)> = ends.into_iter().collect::<Result<_, _>>()?;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| {
        moments_by_blocks(&ends.iter().map(of).collect::<Vec<_>>()).mean
    };
    let distance = |end: &(f64, f64)| end.0.hypot(end.1);
    let mean_distance = mean(&distance);
    let expected_rms = size * (steps as f64).sqrt();
    let rms = size * mean(&|end| (distance(end) / size).powi(2)).sqrt();
    let (name, position) = match args.kind {
        RandomWalkSpace::Line => ("1d", Some(mean(&|end| end.0))),
        RandomWalkSpace::Plane => ("2d", None),
    };
    let mut result = vec![
        ("mean_final_distance", Value::from(mean_distance)),
        ("expected_rms_distance", expected_rms.into()),
        ("rms_final_distance", rms.into()),
        ("n_walks", walks.into()),
        ("n_steps", steps.into()),
        ("type", name.into()),
    ];
    result.extend(position.map(|position| ("mean_final_position", position.into())));
    result.push(("seed", number_of(seed)));
    let failure = (
        "/step_size",
        "the distances are beyond the range of a double",
        "use a smaller `step_size`",
    );
    let numbers = [expected_rms, mean_distance];
    require_finite_result(&numbers, Value::object(result), failure)
}

/// Arguments of `bootstrap`.
#[derive(Debug, Decode)]
#[value(deny_unknown_fields)]
struct BootstrapArgs {
    data: Input<Vector>,
    statistic: Option<String>,
    confidence: Option<Finite>,
    n_samples: Option<BoundedInteger<2, 10_000_000>>,
    seed: Option<RandomSeed>,
}

/// A statistic of a sample; may reorder it.
type Statistic = fn(&mut [f64]) -> f64;

const STATISTICS: [(&str, Statistic); 3] = [
    ("mean", |values| SampleMoments::of(values).mean),
    ("median", sample_median),
    ("std", |values| SampleMoments::of(values).std()),
];

fn sample_median(values: &mut [f64]) -> f64 {
    let half = values.len() / 2;
    let (below, &mut upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    if below.len() < half || values.len() % 2 == 1 {
        return upper;
    }
    let lower = values[..half]
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    lower + (upper - lower) / 2.0
}

/// Percentile bootstrap of a statistic; each resample has its own stream.
///
/// # References
/// B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", chapter 13, 1993.
fn bootstrap_statistic(args: &BootstrapArgs, ctx: &Ctx) -> Result<Value, ToolError> {
    let data = args.data.load(ctx)?;
    let wanted = args.statistic.as_deref().unwrap_or("mean");
    let Some(&(name, statistic)) = STATISTICS.iter().find(|(name, _)| *name == wanted) else {
        let known = STATISTICS.map(|(name, _)| name);
        return Err(unknown_name("statistic", wanted, &known));
    };
    let fewest = if name == "std" { 2 } else { 1 };
    if data.len() < fewest {
        refuse!(invalid "/data"; "expected {fewest} or more observations, found {}", data.len();
            "pass the observations");
    }
    let confidence = args.confidence.map_or(0.95, Finite::get);
    if !(0.0 < confidence && confidence < 1.0) {
        let message =
            format!("expected a number between 0 and 1, both excluded, found {confidence}");
        return Err(ToolError::invalid("/confidence", message).hint("for example 0.95"));
    }
    let seed = ctx.seed(args.seed);
    let resamples = args.n_samples.map_or(10_000, BoundedInteger::size);
    ctx.count_evaluations((resamples as u64).saturating_mul(data.len() as u64))?;
    let copies = data.len().saturating_mul(rayon::current_num_threads() + 1);
    ctx.reserve_doubles(resamples.saturating_mul(4).saturating_add(copies))?;
    let one = |resample: &mut Vec<f64>, index: usize| {
        let mut rng = ctx.rng(seed, index as u64);
        for strip in resample.chunks_mut(BLOCK as usize) {
            ctx.check()?;
            strip.fill_with(|| data[rng.random_range(0..data.len())]);
        }
        Ok(statistic(resample))
    };
    let all = (0..resamples).into_par_iter();
    let values = all.map_init(|| vec![0.0; data.len()], one);
    let values: Vec<Result<f64, ToolError>> = thread_pools::run_in_pool(|| values.collect());
    let mut values: Vec<f64> = values.into_iter().collect::<Result<_, _>>()?;
    let standard_error = moments_by_blocks(&values).std();
    let watch = CallWatch(ctx);
    afford_sort(values.len(), &watch)
        .map_err(|interruption| watch.interruption_error(interruption))?;
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    let original = statistic(&mut data.to_vec());
    let interval = [
        ("lower", sorted_quantile(&values, tail)),
        ("upper", sorted_quantile(&values, 1.0 - tail)),
    ];
    let result = Value::object([
        ("statistic", Value::from(name)),
        ("original_value", original.into()),
        ("confidence_interval", Value::object(interval)),
        ("confidence_level", confidence.into()),
        ("standard_error", standard_error.into()),
        ("n_bootstrap_samples", resamples.into()),
        ("n_data_points", data.len().into()),
        ("seed", number_of(seed)),
    ]);
    let failure = (
        "/data",
        "the statistic is beyond the range of a double",
        "rescale the data",
    );
    require_finite_result(&[original, standard_error], result, failure)
}
