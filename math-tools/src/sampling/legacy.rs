//! The operations of the earlier `monte_carlo` command: `integrate`, `pi`, `normal_stats`, `random_walk`, `bootstrap`.
//!
//! Their arguments, defaults and result fields are kept; unknown operations, arguments and choices are errors, every seed is
//! good, and the results do not depend on the number of threads. `seed` and a few standard errors are added to the results.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tool_core::convert::{from_value, to_value};
use tool_core::nearest::nearest;
use tool_core::{
    Bounded, Ctx, ErrorCode, Finite, Input, Object, Positive, Seed, Tool, ToolError, Value, Vector,
};

use super::blocks::{BLOCK, Moments, afford_sort, quantile, run_blocks};
use super::monte_carlo_native::{self, MonteCarloNative};

/// Every operation, in the order of the documentation.
pub const OPERATIONS: [&str; 5] = [
    "integrate",
    "pi",
    "normal_stats",
    "random_walk",
    "bootstrap",
];

/// Runs an operation; members `command` and `operation` of the parameters are ignored.
///
/// # Errors
/// `invalid_args` for an unknown operation and for arguments that do not fit; those of the operation.
pub fn run(operation: &str, params: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let mut members = match params {
        Value::Null => Object::new(),
        other => other.as_object().cloned().ok_or_else(|| {
            ToolError::invalid(
                "",
                format_args!(
                    "expected the parameters as an object, found {}",
                    other.kind()
                ),
            )
        })?,
    };
    members.remove("command");
    members.remove("operation");
    let params = Value::Object(std::sync::Arc::new(members));
    match operation {
        "integrate" => to_value(&MonteCarloNative::run(
            decode::<monte_carlo_native::Args>(&params)?,
            ctx,
        )?),
        "pi" => to_value(&pi(&decode(&params)?, ctx)?),
        "normal_stats" => to_value(&normal_stats(&decode(&params)?, ctx)?),
        "random_walk" => to_value(&random_walk(&decode(&params)?, ctx)?),
        "bootstrap" => to_value(&bootstrap(&decode(&params)?, ctx)?),
        unknown => Err(unknown_name("operation", unknown, &OPERATIONS)),
    }
}

fn decode<T: DeserializeOwned>(params: &Value) -> Result<T, ToolError> {
    from_value(params)
        .map_err(|problem| ToolError::of_problems(ErrorCode::InvalidArgs, vec![problem]))
}

fn unknown_name(argument: &str, name: &str, known: &[&str]) -> ToolError {
    let hint = match nearest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("one of: {}", known.join(", ")),
    };
    ToolError::invalid(
        format!("/{argument}"),
        format_args!("unknown {argument} `{name}`"),
    )
    .reason("unknown_name")
    .hint(hint)
}

type Samples = Bounded<2, 1_000_000_000_000>;

fn default_samples() -> Samples {
    Samples::literal(10_000)
}

/// Arguments of `pi`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PiArgs {
    #[serde(default = "default_samples")]
    n_samples: Samples,
    #[serde(default)]
    seed: Option<Seed>,
}

#[derive(Debug, Serialize)]
struct Pi {
    pi_estimate: f64,
    true_pi: f64,
    absolute_error: f64,
    standard_error: f64,
    n_samples: i64,
    inside_count: u64,
    seed: Seed,
}

/// Estimates pi by the share of points of the unit square that lie in the quarter circle.
fn pi(args: &PiArgs, ctx: &Ctx) -> Result<Pi, ToolError> {
    const POINTS_PER_CHECK: usize = 1024;
    let seed = ctx.seed(args.seed);
    let samples = args.n_samples.get() as u64;
    ctx.count_evaluations(samples)?;
    let inside: Vec<u64> = run_blocks(samples, seed, ctx, |_, len, mut rng| {
        let mut inside = 0;
        for point in 0..len {
            if point % POINTS_PER_CHECK == 0 {
                ctx.check()?;
            }
            let (x, y): (f64, f64) = (rng.random(), rng.random());
            inside += u64::from(x * x + y * y <= 1.0);
        }
        Ok(inside)
    })?;
    let inside: u64 = inside.iter().sum();
    let count = samples as f64;
    let share = inside as f64 / count;
    let estimate = 4.0 * share;
    Ok(Pi {
        pi_estimate: estimate,
        true_pi: std::f64::consts::PI,
        absolute_error: (estimate - std::f64::consts::PI).abs(),
        standard_error: 4.0 * (share * (1.0 - share) / count).sqrt(),
        n_samples: samples as i64,
        inside_count: inside,
        seed,
    })
}

/// Arguments of `normal_stats`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NormalArgs {
    #[serde(default = "zero")]
    mean: Finite,
    #[serde(default = "one")]
    std: Positive,
    #[serde(default = "default_draws")]
    n_samples: Draws,
    #[serde(default)]
    seed: Option<Seed>,
}

type Draws = Bounded<2, 1_000_000_000>;

fn default_draws() -> Draws {
    Draws::literal(10_000)
}

fn zero() -> Finite {
    Finite::literal(0.0)
}

fn one() -> Positive {
    Positive::literal(1.0)
}

#[derive(Debug, Serialize)]
struct NormalStats {
    sample_mean: f64,
    sample_std: f64,
    min: f64,
    max: f64,
    median: f64,
    percentile_25: f64,
    percentile_75: f64,
    true_mean: f64,
    true_std: f64,
    n_samples: i64,
    seed: Seed,
}

/// Draws from a normal distribution and describes the draws.
fn normal_stats(args: &NormalArgs, ctx: &Ctx) -> Result<NormalStats, ToolError> {
    const COPIES: usize = 2;
    let (mean, std) = (args.mean.get(), args.std.get());
    let seed = ctx.seed(args.seed);
    let samples = args.n_samples.size();
    ctx.reserve_doubles(samples.saturating_mul(COPIES))?;
    let blocks = run_blocks(samples as u64, seed, ctx, |_, len, mut rng| {
        ctx.check()?;
        let draw = || {
            let z: f64 = StandardNormal.sample(&mut rng);
            mean + std * z
        };
        Ok(std::iter::repeat_with(draw).take(len).collect::<Vec<f64>>())
    })?;
    let mut values = blocks.concat();
    let moments = Moments::join_all(values.chunks(BLOCK as usize).map(Moments::of).collect());
    afford_sort(values.len(), ctx)?;
    values.sort_unstable_by(f64::total_cmp);
    finite(NormalStats {
        sample_mean: moments.mean,
        sample_std: moments.std(),
        min: values[0],
        max: values[samples - 1],
        median: quantile(&values, 0.5),
        percentile_25: quantile(&values, 0.25),
        percentile_75: quantile(&values, 0.75),
        true_mean: mean,
        true_std: std,
        n_samples: samples as i64,
        seed,
    })
}

/// Extreme parameters can leave the range of a double.
fn finite(stats: NormalStats) -> Result<NormalStats, ToolError> {
    let values = [stats.sample_mean, stats.sample_std, stats.min, stats.max];
    if values.iter().all(|value| value.is_finite()) {
        return Ok(stats);
    }
    Err(ToolError::new(
        ErrorCode::Numeric,
        "the draws or their variance are beyond the range of a double",
    )
    .reason("overflow")
    .at("/std")
    .hint("use smaller `mean` and `std`"))
}

/// Arguments of `random_walk`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WalkArgs {
    #[serde(default = "default_steps")]
    n_steps: Bounded<1, 1_000_000_000>,
    #[serde(default = "default_walks")]
    n_walks: Bounded<1, 100_000_000>,
    #[serde(default = "one")]
    step_size: Positive,
    #[serde(default, rename = "type")]
    kind: Walk,
    #[serde(default)]
    seed: Option<Seed>,
}

fn default_steps() -> Bounded<1, 1_000_000_000> {
    Bounded::literal(1000)
}

fn default_walks() -> Bounded<1, 100_000_000> {
    Bounded::literal(100)
}

/// The space of a random walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
enum Walk {
    /// Steps to the left or right.
    #[default]
    #[serde(rename = "1d")]
    Line,
    /// Steps in a uniformly random direction of the plane.
    #[serde(rename = "2d")]
    Plane,
}

#[derive(Debug, Serialize)]
struct RandomWalk {
    mean_final_distance: f64,
    expected_rms_distance: f64,
    rms_final_distance: f64,
    n_walks: i64,
    n_steps: i64,
    r#type: Walk,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_final_position: Option<f64>,
    seed: Seed,
}

/// Walks from the origin; each walk has its own stream.
fn random_walk(args: &WalkArgs, ctx: &Ctx) -> Result<RandomWalk, ToolError> {
    const STEPS_PER_CHECK: usize = 4096;
    let seed = ctx.seed(args.seed);
    let (walks, steps, size) = (
        args.n_walks.size(),
        args.n_steps.size(),
        args.step_size.get(),
    );
    ctx.count_evaluations((walks as u64).saturating_mul(steps as u64))?;
    ctx.reserve_doubles(walks.saturating_mul(16))?;
    let ends: Vec<Result<(f64, f64), ToolError>> = (0..walks)
        .into_par_iter()
        .map(|walk| {
            let mut rng = ctx.rng(seed, walk as u64);
            let (mut x, mut y) = (0.0, 0.0);
            for step in 0..steps {
                if step % STEPS_PER_CHECK == 0 {
                    ctx.check()?;
                }
                if args.kind == Walk::Line {
                    x += if rng.random::<bool>() { 1.0 } else { -1.0 };
                } else {
                    let (sine, cosine) = (std::f64::consts::TAU * rng.random::<f64>()).sin_cos();
                    x += cosine;
                    y += sine;
                }
            }
            Ok((size * x, size * y))
        })
        .collect();
    let ends: Vec<(f64, f64)> = ends.into_iter().collect::<Result<_, _>>()?;
    let mean = |values: Vec<f64>| {
        Moments::join_all(values.chunks(BLOCK as usize).map(Moments::of).collect()).mean
    };
    let distance = |unit: &(f64, f64)| unit.0.hypot(unit.1);
    let squares = ends
        .iter()
        .map(|end| (distance(end) / size).powi(2))
        .collect();
    let result = RandomWalk {
        mean_final_distance: mean(ends.iter().map(distance).collect()),
        expected_rms_distance: size * (steps as f64).sqrt(),
        rms_final_distance: size * mean(squares).sqrt(),
        n_walks: walks as i64,
        n_steps: steps as i64,
        r#type: args.kind,
        mean_final_position: (args.kind == Walk::Line)
            .then(|| mean(ends.iter().map(|end| end.0).collect())),
        seed,
    };
    if result.expected_rms_distance.is_finite() && result.mean_final_distance.is_finite() {
        return Ok(result);
    }
    Err(ToolError::new(
        ErrorCode::Numeric,
        "the distances are beyond the range of a double",
    )
    .reason("overflow")
    .at("/step_size")
    .hint("use a smaller `step_size`"))
}

/// Arguments of `bootstrap`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BootstrapArgs {
    data: Input<Vector>,
    #[serde(default = "default_statistic")]
    statistic: String,
    #[serde(default = "default_confidence")]
    confidence: Finite,
    #[serde(default = "default_resamples")]
    n_samples: Bounded<2, 10_000_000>,
    #[serde(default)]
    seed: Option<Seed>,
}

fn default_statistic() -> String {
    "mean".into()
}

fn default_confidence() -> Finite {
    Finite::literal(0.95)
}

fn default_resamples() -> Bounded<2, 10_000_000> {
    Bounded::literal(10_000)
}

#[derive(Debug, Serialize)]
struct Bootstrap {
    statistic: &'static str,
    original_value: f64,
    confidence_interval: Interval,
    confidence_level: f64,
    standard_error: f64,
    n_bootstrap_samples: usize,
    n_data_points: usize,
    seed: Seed,
}

#[derive(Debug, Serialize)]
struct Interval {
    lower: f64,
    upper: f64,
}

/// A statistic of a sample; may reorder it.
type Statistic = fn(&mut [f64]) -> f64;

const STATISTICS: [(&str, Statistic); 3] = [
    ("mean", |values| Moments::of(values).mean),
    ("median", median),
    ("std", |values| Moments::of(values).std()),
];

fn median(values: &mut [f64]) -> f64 {
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
fn bootstrap(args: &BootstrapArgs, ctx: &Ctx) -> Result<Bootstrap, ToolError> {
    let data = args.data.load(ctx)?;
    let known = STATISTICS.map(|(name, _)| name);
    let Some(&(name, statistic)) = STATISTICS.iter().find(|(name, _)| *name == args.statistic)
    else {
        return Err(unknown_name("statistic", &args.statistic, &known));
    };
    let fewest = if name == "std" { 2 } else { 1 };
    if data.len() < fewest {
        return Err(ToolError::invalid(
            "/data",
            format_args!("expected at least {fewest} number(s), found {}", data.len()),
        )
        .hint("pass the observations"));
    }
    let confidence = args.confidence.get();
    if !(0.0 < confidence && confidence < 1.0) {
        return Err(ToolError::invalid(
            "/confidence",
            format_args!("expected a number between 0 and 1, both excluded, found {confidence}"),
        )
        .hint("for example 0.95"));
    }
    let seed = ctx.seed(args.seed);
    let resamples = args.n_samples.size();
    ctx.count_evaluations((resamples as u64).saturating_mul(data.len() as u64))?;
    ctx.reserve_doubles(
        resamples
            .saturating_mul(4)
            .saturating_add(data.len().saturating_mul(rayon::current_num_threads() + 1)),
    )?;
    let values: Vec<Result<f64, ToolError>> = (0..resamples)
        .into_par_iter()
        .map_init(
            || vec![0.0; data.len()],
            |resample, index| {
                let mut rng = ctx.rng(seed, index as u64);
                for strip in resample.chunks_mut(BLOCK as usize) {
                    ctx.check()?;
                    strip.fill_with(|| data[rng.random_range(0..data.len())]);
                }
                Ok(statistic(resample))
            },
        )
        .collect();
    let mut values: Vec<f64> = values.into_iter().collect::<Result<_, _>>()?;
    let moments = Moments::join_all(values.chunks(BLOCK as usize).map(Moments::of).collect());
    afford_sort(values.len(), ctx)?;
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    let result = Bootstrap {
        statistic: name,
        original_value: statistic(&mut data.to_vec()),
        confidence_interval: Interval {
            lower: quantile(&values, tail),
            upper: quantile(&values, 1.0 - tail),
        },
        confidence_level: confidence,
        standard_error: moments.std(),
        n_bootstrap_samples: resamples,
        n_data_points: data.len(),
        seed,
    };
    if [result.original_value, result.standard_error]
        .iter()
        .all(|value| value.is_finite())
    {
        return Ok(result);
    }
    Err(ToolError::new(
        ErrorCode::Numeric,
        "the statistic is beyond the range of a double",
    )
    .reason("overflow")
    .at("/data")
    .hint("rescale the data"))
}
