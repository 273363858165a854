//! `interpolate`: values between given points.

mod curve;
mod places;
mod surface;
#[cfg(test)]
mod tests;

use self::places::QueryPoints;
use crate::prelude::*;

/// Interpolate points by a curve, or values on a rectangular grid by a surface, and evaluate it.
///
/// Lines, cubic splines, shape-preserving and Akima curves, smoothing splines; derivatives and integrals; nothing is extrapolated
/// unless `extrapolate` says how.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Places of the points, different from each other; in any order for curves, ascending for `z`.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Input<Vector>,
    /// Values at `x`; with `z`, the second axis of the grid, ascending.
    pub y: Input<Vector>,
    /// Values on a grid: row i is at `x[i]`, column j at `y[j]`. Along an axis of one place they are constant.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub z: Option<Input<Matrix>>,
    /// Where to evaluate: a number or a list; with `z`, points `[x, y]`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub at: Option<Input<QueryPoints>>,
    /// Instead of `at`: this many equally spaced places from the first to the last point.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub grid: Option<BoundedInteger<2, 10_000_000>>,
    /// How the curve goes between points; with `z`: `linear` or `cubic`.
    #[value(default)]
    pub method: InterpolateMethod,
    /// Ends of the cubic spline.
    #[value(default)]
    pub boundary: SplineBoundary,
    /// Slopes at both ends for `clamped`; absent: 0.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub end_slopes: Option<[Finite; 2]>,
    /// For `smoothing`: weight of the integral of the squared second derivative; absent: by generalised cross-validation.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub smoothing: Option<Tolerance>,
    /// For `smoothing`: positive weights of the points.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub weights: Option<Input<Vector>>,
    /// Derivative to return: 1 to 3; -1 is the integral from the first point.
    #[value(default = "BoundedInteger::<-1, 3>::of::<0>")]
    pub derivative: BoundedInteger<-1, 3>,
    /// What to return outside the points.
    #[value(default)]
    pub extrapolate: ExtrapolationMode,
    /// Whether to draw the curve and the points.
    #[value(default = "default_true")]
    pub plot: bool,
}

/// How the curve goes between points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum InterpolateMethod {
    /// Straight lines.
    Linear,
    /// The value of the nearest point; of two, the lower one.
    Nearest,
    /// The value of the point before.
    Previous,
    /// A cubic spline: two continuous derivatives.
    #[default]
    Cubic,
    /// Monotone where the points are (Fritsch and Butland).
    Pchip,
    /// Akima's curve: little overshoot.
    Akima,
    /// Akima's curve with weights that keep flat places flat.
    Makima,
    /// A natural cubic spline near the points.
    Smoothing,
}

impl InterpolateMethod {
    fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Nearest => "nearest",
            Self::Previous => "previous",
            Self::Cubic => "cubic",
            Self::Pchip => "pchip",
            Self::Akima => "akima",
            Self::Makima => "makima",
            Self::Smoothing => "smoothing",
        }
    }
}

/// Ends of a cubic spline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SplineBoundary {
    /// The first two pieces are one polynomial, and the last two.
    #[default]
    NotAKnot,
    /// Second derivative 0.
    Natural,
    /// Slopes `end_slopes`.
    Clamped,
    /// Both ends meet: the first and last value are equal.
    Periodic,
}

/// What is returned outside the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ExtrapolationMode {
    /// An error that names the place.
    #[default]
    Refuse,
    /// The polynomial of the nearest piece.
    Extend,
    /// The value at the nearest end.
    Constant,
    /// NaN.
    Nan,
    /// The curve repeated; for values that are equal at both ends.
    Periodic,
}

/// The values and what they come from.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Places, with `grid`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "grid": { "not": null } }))]
    pub at: Option<Vec<f64>>,
    /// The value, derivative or integral at each place.
    pub values: Vec<Real>,
    /// The method.
    pub method: InterpolateMethod,
    /// Number of points.
    pub n: usize,
    /// First and last place of the points.
    pub range: [f64; 2],
    /// With `smoothing`: the weight of the bending.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": "smoothing" }))]
    pub lambda: Option<f64>,
    /// With `smoothing`: trace of the influence matrix, from 2 (a line) to n (through the points).
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": "smoothing" }))]
    pub degrees_of_freedom: Option<f64>,
    /// With `smoothing`: score of generalised cross-validation; infinite through the points.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "method": "smoothing" }))]
    pub score: Option<Real>,
    /// The curve and the points (o).
    #[value(skip_encoding_if = "Option::is_none")]
    pub plot: Option<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("interpolate", "Interpolate points")
        .tags(&[
            "interpolation",
            "spline",
            "pchip",
            "akima",
            "smoothing",
            "grid",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a parabola through three points":
            r#"{"x": [0, 1, 2], "y": [0, 1, 4], "at": [0.5, 1.5], "plot": false}"#
            => r#"{"values": [0.25, 2.25], "method": "cubic", "n": 3, "range": [0.0, 2.0]}"#;
        "a plane over a grid":
            r#"{"x": [0, 1], "y": [0, 2], "z": [[0, 2], [1, 3]], "at": [[0.5, 1]], "method": "linear"}"#
            => r#"{"values": [1.5], "method": "linear", "n": 4, "range": [0.0, 1.0]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        match (&args.at, args.grid) {
            (None, None) => {
                refuse!(invalid "/at", "missing"; "expected `at` or `grid`"; "say where to evaluate");
            }
            (Some(_), Some(_)) => {
                refuse!(invalid "/grid", "conflict"; "`at` and `grid` exclude each other"; "leave one of them out");
            }
            _ => {}
        }
        check_options(&args)?;
        match &args.z {
            None => curve::interpolate_curve(&args, ctx),
            Some(z) => surface::interpolate_surface(&args, z, ctx),
        }
    }
}

/// Options that the method does not use are errors, not silence.
fn check_options(args: &Args) -> Result<(), ToolError> {
    let unused = |pointer: &str, wants: &str| {
        refuse!(invalid pointer, "conflict"; "`{}` is for {wants}, found the method `{}`", &pointer[1..], args.method.name();
            "leave it out, or choose that method");
    };
    if args.method != InterpolateMethod::Smoothing {
        if args.smoothing.is_some() {
            unused("/smoothing", "`smoothing`")?;
        }
        if args.weights.is_some() {
            unused("/weights", "`smoothing`")?;
        }
    }
    if args.method != InterpolateMethod::Cubic && args.boundary != SplineBoundary::NotAKnot {
        unused("/boundary", "`cubic`")?;
    }
    if args.end_slopes.is_some() && args.boundary != SplineBoundary::Clamped {
        refuse!(invalid "/end_slopes", "conflict"; "`end_slopes` is for the boundary `clamped`"; "choose `boundary`: `clamped`");
    }
    if matches!(
        args.method,
        InterpolateMethod::Nearest | InterpolateMethod::Previous
    ) && args.derivative.get() != 0
    {
        unused("/derivative", "smooth curves")?;
    }
    if args.z.is_some() {
        if args.derivative.get() != 0 {
            refuse!(invalid "/derivative", "conflict"; "derivatives are for curves, found `z`"; "leave it out");
        }
        if args.boundary != SplineBoundary::NotAKnot {
            refuse!(invalid "/boundary", "conflict"; "surfaces have the boundary `not_a_knot`"; "leave it out");
        }
        if args.grid.is_some() {
            refuse!(invalid "/grid", "conflict"; "`grid` is for curves, found `z`"; "pass points `[x, y]` as `at`");
        }
    }
    Ok(())
}

/// Checks that there are enough numbers, and that the differences of ascending ones are numbers.
fn check_ascending(x: &[f64], name: &str, least: usize) -> Result<(), ToolError> {
    if x.len() < least {
        refuse!(invalid format!("/{name}"), "empty"; "expected at least {least} points, found {}", x.len(); "add points");
    }
    if let Some(at) = (1..x.len()).find(|&at| x[at] <= x[at - 1]) {
        if x[at] == x[at - 1] {
            refuse!(invalid format!("/{name}"), "repeated"; "`{name}` has the value {:?} twice", x[at];
                "average the points at the same place, or leave all but one out");
        }
        refuse!(invalid format!("/{name}/{at}"), "order"; "expected `{name}` in ascending order, found {:?} after {:?}", x[at], x[at - 1];
            "sort the rows or columns of `z` with it");
    }
    let (low, high) = (x[0], x[x.len() - 1]);
    if !(high - low).is_finite() {
        refuse!(numeric format!("/{name}"), "overflow"; "the range of `{name}` overflows a double"; "scale it");
    }
    Ok(())
}
