//! Curves.

use numerics::interpolation::slopes::{self, SplineEnd};
use numerics::interpolation::smoothing::SmoothingEquations;
use numerics::interpolation::{Extrapolation, PiecewiseCubic, StepCurve};

use super::places::QueryPoints;
use super::{Args, ExtrapolationMode, InterpolateMethod, Output, SplineBoundary, check_ascending};
use crate::call_watch::CallWatch;
use crate::plot::marked;
use crate::prelude::*;

/// Points of a curve that are drawn.
const DRAWN: usize = 600;
/// Most points that are marked.
const MARKS_MAX: usize = 2000;
/// Places between two checks of the stop flag.
const CHUNK: usize = 1 << 15;

/// The points of a curve, in ascending order.
struct CurvePoints {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Option<Vec<f64>>,
}

/// A curve that can be evaluated.
enum InterpolationCurve {
    Smooth(PiecewiseCubic),
    Steps(StepCurve),
}

pub(super) fn interpolate_curve(args: &Args, ctx: &Ctx) -> Result<Output, ToolError> {
    let points = CurvePoints::load(args, ctx)?;
    let n = points.x.len();
    let range = [points.x[0], points.x[n - 1]];
    ctx.reserve_doubles(30 * n)?;
    let mut output = Output {
        at: None,
        values: Vec::new(),
        method: args.method,
        n,
        range,
        lambda: None,
        degrees_of_freedom: None,
        score: None,
        plot: None,
    };
    let marks: Vec<(f64, f64)> = points
        .x
        .iter()
        .copied()
        .zip(points.y.iter().copied())
        .collect();
    let curve = build_curve(args, points, &mut output, ctx)?;
    let at = evaluation_places(args, range, ctx)?;
    ctx.reserve_doubles(3 * at.len())?;
    check_inside(args, &at, range)?;
    let order = args.derivative.get() as i32;
    let values = curve.evaluate(&at, order, outside_rule(args.extrapolate), ctx)?;
    let gap = values.iter().position(|value| !value.is_finite());
    if let Some(place) = gap.filter(|_| args.extrapolate != ExtrapolationMode::Nan) {
        refuse!(numeric "/y", "overflow"; "the curve overflows a double at {:?}", at[place]; "scale `x` or `y`");
    }
    if args.plot {
        output.plot = Some(plot_curve(&curve, args, &marks, (&at, &values), ctx)?);
    }
    output.values = values.into_iter().map(Real).collect();
    output.at = args.grid.map(|_| at);
    Ok(output)
}

impl CurvePoints {
    fn load(args: &Args, ctx: &Ctx) -> Result<Self, ToolError> {
        let (x, y) = (args.x.load(ctx)?, args.y.load(ctx)?);
        let weights = args
            .weights
            .as_ref()
            .map(|weights| weights.load(ctx))
            .transpose()?;
        let same = |name: &str, len: usize| {
            if len != x.len() {
                refuse!(invalid format!("/{name}"), "shape"; "expected {} numbers, as many as `x` has, found {len}", x.len();
                    "give one for each point");
            }
            Ok(())
        };
        same("y", y.len())?;
        if let Some(weights) = &weights {
            same("weights", weights.len())?;
            if let Some(at) = weights.iter().position(|weight| *weight <= 0.0) {
                refuse!(invalid format!("/weights/{at}"); "expected a weight above 0, found {:?}", weights[at]; "leave the point out");
            }
        }
        ctx.reserve_doubles(8 * x.len())?;
        let is_sorted = x.windows(2).all(|pair| pair[0] <= pair[1]);
        let sorted = if is_sorted {
            let weights = weights.map(|weights| weights.to_vec());
            Self {
                x: x.to_vec(),
                y: y.to_vec(),
                weights,
            }
        } else {
            let mut order: Vec<usize> = (0..x.len()).collect();
            order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
            ctx.warn("the points were sorted by `x`");
            let pick = |from: &[f64]| order.iter().map(|&at| from[at]).collect::<Vec<f64>>();
            Self {
                x: pick(&x),
                y: pick(&y),
                weights: weights.map(|weights| pick(&weights)),
            }
        };
        check_ascending(&sorted.x, "x", 2)?;
        Ok(sorted)
    }
}

/// Sets the last value to the first, from which it may differ by rounding: by a few units in the last place of the largest value.
fn close_period(y: &mut [f64]) -> Result<(), ToolError> {
    const ROUNDING: f64 = 32.0 * f64::EPSILON;
    let (first, last) = (y[0], y[y.len() - 1]);
    let size = y.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
    // Halves, since the difference of large values may overflow.
    if (first / 2.0 - last / 2.0).abs() > ROUNDING / 2.0 * size {
        refuse!(invalid "/y", "periodic"; "expected equal first and last values, found {first:?} and {last:?}";
            "repeat the first value at the end of the period");
    }
    let end = y.len() - 1;
    y[end] = first;
    Ok(())
}

fn build_curve(
    args: &Args,
    mut points: CurvePoints,
    output: &mut Output,
    ctx: &Ctx,
) -> Result<InterpolationCurve, ToolError> {
    let is_periodic = args.boundary == SplineBoundary::Periodic
        || args.extrapolate == ExtrapolationMode::Periodic;
    if is_periodic {
        close_period(&mut points.y)?;
    }
    let (x, y) = (&points.x, &points.y);
    let n = x.len();
    let hermite =
        |slopes: &[f64]| InterpolationCurve::Smooth(PiecewiseCubic::hermite(x, y, slopes));
    Ok(match args.method {
        InterpolateMethod::Linear => InterpolationCurve::Smooth(PiecewiseCubic::linear(x, y)),
        InterpolateMethod::Nearest | InterpolateMethod::Previous => {
            return Ok(InterpolationCurve::Steps(StepCurve {
                x: points.x,
                y: points.y,
                is_nearest: args.method == InterpolateMethod::Nearest,
            }));
        }
        InterpolateMethod::Cubic => {
            let ends = match (args.boundary, args.end_slopes) {
                (SplineBoundary::Periodic, _) => {
                    return Ok(hermite(&slopes::periodic_spline(x, y)));
                }
                (SplineBoundary::NotAKnot, _) => [SplineEnd::NotAKnot; 2],
                (SplineBoundary::Natural, _) => [SplineEnd::Second(0.0); 2],
                (SplineBoundary::Clamped, None) => [SplineEnd::Slope(0.0); 2],
                (SplineBoundary::Clamped, Some(slopes)) => {
                    slopes.map(|slope| SplineEnd::Slope(slope.get()))
                }
            };
            hermite(&slopes::cubic_spline_slopes(x, y, ends))
        }
        InterpolateMethod::Pchip => hermite(&slopes::shape_preserving_slopes(x, y)),
        InterpolateMethod::Akima => hermite(&slopes::akima_slopes(x, y, false)),
        InterpolateMethod::Makima => hermite(&slopes::akima_slopes(x, y, true)),
        InterpolateMethod::Smoothing => {
            if n < 3 {
                refuse!(invalid "/x", "empty"; "expected at least 3 points to smooth, found {n}"; "add points");
            }
            let ones = vec![1.0; n];
            let data = SmoothingEquations::new(x, y, points.weights.as_deref().unwrap_or(&ones));
            let lambda = match args.smoothing {
                Some(lambda) => lambda.get(),
                None if n < 5 => {
                    refuse!(invalid "/smoothing", "missing"; "expected at least 5 points to choose `smoothing`, found {n}";
                        "pass `smoothing`, or add points");
                }
                None => {
                    let watch = CallWatch(ctx);
                    data.best(&watch)
                        .map_err(|interruption| watch.interruption_error(interruption))?
                }
            };
            let found = data.fit(lambda);
            output.lambda = Some(lambda);
            output.degrees_of_freedom = Some(found.degrees_of_freedom);
            output.score = Some(Real(found.score));
            InterpolationCurve::Smooth(found.curve)
        }
    })
}

impl InterpolationCurve {
    fn evaluate(
        &self,
        at: &[f64],
        order: i32,
        outside: Extrapolation,
        ctx: &Ctx,
    ) -> Result<Vec<f64>, ToolError> {
        let mut values = vec![0.0; at.len()];
        for (at, values) in at.chunks(CHUNK).zip(values.chunks_mut(CHUNK)) {
            ctx.check()?;
            match self {
                Self::Smooth(curve) => curve.evaluate(at, order, outside, values),
                Self::Steps(curve) => {
                    let value = |&t: &f64| curve.value(t, outside);
                    values
                        .iter_mut()
                        .zip(at.iter().map(value))
                        .for_each(|(to, value)| *to = value);
                }
            }
        }
        Ok(values)
    }
}

fn outside_rule(extrapolate: ExtrapolationMode) -> Extrapolation {
    match extrapolate {
        ExtrapolationMode::Refuse | ExtrapolationMode::Extend => Extrapolation::Extend,
        ExtrapolationMode::Constant => Extrapolation::Constant,
        ExtrapolationMode::Nan => Extrapolation::Nan,
        ExtrapolationMode::Periodic => Extrapolation::Periodic,
    }
}

fn evaluation_places(args: &Args, [low, high]: [f64; 2], ctx: &Ctx) -> Result<Vec<f64>, ToolError> {
    if let Some(count) = args.grid {
        let last = count.size() - 1;
        ctx.reserve_doubles(count.size())?;
        let place = |index: usize| {
            let share = index as f64 / last as f64;
            if index == last {
                high
            } else {
                (low * (1.0 - share) + high * share).clamp(low, high)
            }
        };
        return Ok((0..=last).map(place).collect());
    }
    match args.at.as_ref().map(|at| at.load(ctx)).transpose()? {
        Some(QueryPoints::Line(at)) => Ok(at.to_vec()),
        Some(QueryPoints::Plane(_)) => {
            refuse!(invalid "/at", "shape"; "expected numbers, found points `[x, y]`"; "points are for surfaces, with `z`");
        }
        None => Ok(Vec::new()),
    }
}

fn check_inside(args: &Args, at: &[f64], [low, high]: [f64; 2]) -> Result<(), ToolError> {
    if args.extrapolate != ExtrapolationMode::Refuse {
        return Ok(());
    }
    if let Some(place) = at.iter().position(|t| !(low..=high).contains(t)) {
        let pointer = if at.len() == 1 {
            "/at".to_owned()
        } else {
            format!("/at/{place}")
        };
        refuse!(numeric pointer, "extrapolation"; "{:?} is outside the points, which reach from {low:?} to {high:?}", at[place];
            "choose places inside, or say in `extrapolate` what to return: `extend`, `constant`, `nan`, `periodic`");
    }
    Ok(())
}

/// The curve over the points and the places, with the points marked; of derivatives the places alone.
fn plot_curve(
    curve: &InterpolationCurve,
    args: &Args,
    points: &[(f64, f64)],
    (at, values): (&[f64], &[f64]),
    ctx: &Ctx,
) -> Result<String, ToolError> {
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let (low, high) = at
        .iter()
        .fold((first, last), |(low, high), &t| (low.min(t), high.max(t)));
    let place = |index: usize| {
        let share = index as f64 / (DRAWN - 1) as f64;
        (low * (1.0 - share) + high * share).clamp(low, high)
    };
    let drawn: Vec<f64> = (0..DRAWN).map(place).collect();
    let order = args.derivative.get() as i32;
    let heights = curve.evaluate(&drawn, order, outside_rule(args.extrapolate), ctx)?;
    let finite = |point: &(f64, f64)| point.0.is_finite() && point.1.is_finite();
    let line: Vec<(f64, f64)> = drawn.into_iter().zip(heights).filter(finite).collect();
    let every = points.len().div_ceil(MARKS_MAX);
    let (marks, marked): (Vec<(f64, f64)>, &str) = if order == 0 {
        (points.iter().copied().step_by(every).collect(), "o: points")
    } else {
        let every = at.len().div_ceil(MARKS_MAX).max(1);
        let pairs = at
            .iter()
            .copied()
            .zip(values.iter().copied())
            .step_by(every);
        (pairs.filter(finite).collect(), "o: values")
    };
    let what = match order {
        -1 => "integral",
        0 => "curve",
        1 => "first derivative",
        2 => "second derivative",
        _ => "third derivative",
    };
    let title = format!("{what}, {} ({marked})", args.method.name());
    marked::plot_marked_points(&line, &marks, &title, ctx)
}
