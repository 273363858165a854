//! `find_root`: where a function of one variable is zero.

mod answer;
mod function;
#[cfg(test)]
mod tests;

use numerics::roots::find;

use self::function::RootExpression;
use crate::call_watch::CallWatch;
use crate::expression::Expression;
use crate::expression::NamedParameters;
use crate::plot::marked;
use crate::prelude::*;

/// Find where a function of one variable is zero: one root, or all roots of an interval with proof.
///
/// A pole or a jump is no root, and is named. Errors are bounds with the rounding of the function, where intervals can prove them.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Expression in `variable`, such as `cos(x) - x`.
    pub f: String,
    /// Lower end of the interval.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub from: Option<Finite>,
    /// Upper end, above `from`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub to: Option<Finite>,
    /// Start without an interval: ends are moved away from it until the signs of `f` differ.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub x0: Option<Finite>,
    /// Whether to find every root from `from` to `to`.
    #[value(default)]
    pub all: bool,
    /// Name of the variable.
    #[value(default = "default_variable")]
    pub variable: String,
    /// Named numbers that `f` uses, such as `{"a": 1.5}`.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which `f` reduces to one number, such as `sum(t*(y - exp(x*t)))`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Width of the bracket that is enough; 0: neighbouring doubles. Not with `all`.
    #[value(default = "default_tolerance")]
    pub tolerance: Tolerance,
    /// Whether to draw `f` with its roots.
    #[value(default = "default_true")]
    pub plot: bool,
}

fn default_variable() -> String {
    "x".to_owned()
}

fn default_tolerance() -> Tolerance {
    Tolerance::literal(0.0)
}

/// The roots and how they are known.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The root, with `all` the first one; null where there is none.
    pub root: Option<f64>,
    /// Every root found, ascending.
    pub roots: Vec<RealRoot>,
    /// Whether the request is fulfilled: the root, or with `all` exactly all of them, none left open.
    pub converged: bool,
    /// What was found.
    pub reason: FindRootReason,
    /// With `all`: whether every root of the interval is in `roots`, each proven.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "all": true }))]
    pub complete: Option<bool>,
    /// Places that are no roots or not decided: poles, jumps, roots of higher order, parts not searched.
    pub unresolved: Vec<SuspectPlace>,
    /// `chandrupatla`, `intervals` or `sampling`.
    pub method: FindRootMethod,
    /// Evaluations of `f`, at points and over intervals.
    pub evaluations: u64,
    /// The function with its roots.
    #[value(skip_encoding_if = "Option::is_none")]
    pub plot: Option<String>,
}

/// A root.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct RealRoot {
    /// The root.
    pub x: f64,
    /// Distance that the true root is within: a bound where it is proven, else the width of the bracket.
    pub error: f64,
    /// Value of `f` at `x`.
    pub residual: Real,
    /// Whether intervals prove that `f` is continuous and changes its sign within `error`, or is exactly zero.
    pub proven: bool,
}

/// A place that is no root or not decided.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct SuspectPlace {
    /// What it is.
    pub kind: SuspectKind,
    /// Lower end.
    pub from: f64,
    /// Upper end.
    pub to: f64,
    /// Whether there is a root in it.
    pub has_root: bool,
    /// The point in it where `f` is nearest to zero, of those tried.
    pub x: f64,
    /// Value of `f` at `x`; null where it has none.
    pub residual: Option<Real>,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SuspectKind {
    /// The function changes its sign through infinity.
    Pole,
    /// The function jumps across zero.
    Jump,
    /// A root of higher order, several roots close to each other, or a value not told from zero.
    Multiple,
    /// Zero, or below the smallest double, on a whole interval.
    Flat,
    /// The function is not defined everywhere there.
    Undefined,
    /// Not searched: the limits of parts or roots were reached, as where roots accumulate.
    Unsearched,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FindRootReason {
    /// A root: a sign change without a pole or a jump, or a value of exactly zero.
    Root,
    /// Every root of the interval is proven.
    All,
    /// Some places are not decided: see `unresolved`.
    Unresolved,
    /// Found by samples, which may miss roots: `f` has a function that is not known over intervals.
    Sampled,
    /// The sign changes through infinity: no root.
    Pole,
    /// The sign changes by a jump: no root.
    Jump,
    /// Zero on a whole interval, or too small for doubles.
    Flat,
}

/// How roots were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FindRootMethod {
    /// A bracket made smaller.
    Chandrupatla,
    /// Interval arithmetic on the whole interval.
    Intervals,
    /// Sign changes and minima of samples.
    Sampling,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("find_root", "Find roots of a function")
        .tags(&["root", "zero", "equation", "bisection", "brent", "interval"])
        .syntax(&[("/f", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the square root of 4": r#"{"f": "x**2 - 4", "from": 0, "to": 8, "plot": false}"#
            => r#"{"root": 2.0, "roots": [{"x": 2.0, "error": 0.0, "residual": 0.0, "proven": true}],
                "converged": true, "reason": "root", "unresolved": [], "method": "chandrupatla", "evaluations": 19}"#;
        "all roots of a cubic": r#"{"f": "x*(x-1)*(x+2)", "from": -4, "to": 3, "all": true, "plot": false}"#
            => r#"{"root": -2.0, "roots": [{"x": -2.0, "error": 0.0, "residual": 0.0, "proven": true},
                {"x": 0.0, "error": 0.0, "residual": 0.0, "proven": true}, {"x": 1.0, "error": 0.0, "residual": 0.0, "proven": true}],
                "converged": true, "reason": "all", "complete": true, "unresolved": [], "method": "intervals", "evaluations": 78}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let expression = function::parse_function(&args, ctx)?;
        let (f, watch) = (RootExpression::new(&expression), CallWatch(ctx));
        let found = match (interval_ends(&args)?, args.x0) {
            (None, None) => {
                refuse!(invalid "/from", "missing"; "expected `from` and `to`, or `x0`"; "give the ends of an interval, or a start");
            }
            (Some(_), Some(_)) => {
                refuse!(invalid "/x0", "conflict"; "`x0` and `from` exclude each other"; "leave one of them out");
            }
            (None, Some(_)) if args.all => {
                refuse!(invalid "/all", "conflict"; "`all` needs `from` and `to`"; "give the ends of an interval");
            }
            (Some(ends), None) if args.all => find::find_all_roots(&f, ends.into(), &watch),
            (Some(ends), None) => {
                find::find_root_between(&f, ends.into(), args.tolerance.get(), &watch)
            }
            (None, Some(start)) => {
                find::find_root_around(&f, start.get(), args.tolerance.get(), &watch)
            }
        };
        let found = found.map_err(|error| answer::root_error(error, ctx))?;
        let mut output = answer::root_output(found, args.all, ctx);
        if args.plot {
            output.plot = plot_function(&expression, &args, &output, ctx)?;
        }
        Ok(output)
    }
}

/// The ends of the interval.
fn interval_ends(args: &Args) -> Result<Option<(f64, f64)>, ToolError> {
    let (from, to) = match (args.from, args.to) {
        (None, None) => return Ok(None),
        (Some(from), Some(to)) => (from.get(), to.get()),
        (Some(_), None) => {
            refuse!(invalid "/to", "missing"; "`from` is given, `to` is not"; "give both ends of the interval");
        }
        (None, Some(_)) => {
            refuse!(invalid "/from", "missing"; "`to` is given, `from` is not"; "give both ends of the interval");
        }
    };
    if from >= to {
        refuse!(invalid "/to", "range"; "expected `to` above `from`, found {from:?} and {to:?}"; "exchange them");
    }
    Ok(Some((from, to)))
}

fn plot_function(
    f: &Expression,
    args: &Args,
    output: &Output,
    ctx: &Ctx,
) -> Result<Option<String>, ToolError> {
    let marks: Vec<f64> = output.roots.iter().map(|root| root.x).collect();
    let ends = match interval_ends(args)? {
        Some(ends) => ends,
        None => {
            let centre = output.root.unwrap_or(0.0);
            let start = args.x0.map_or(0.0, Finite::get);
            let reach = (1.5 * (centre - start).abs()).max(1e-3 * centre.abs().max(1e-300));
            (centre - reach, centre + reach)
        }
    };
    let title = format!("{} (o: roots)", args.f.trim());
    marked::plot_marked_function(f, ends, &marks, &title, &ctx.uncounted())
}
