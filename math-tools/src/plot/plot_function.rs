//! A function of `x` as a plot of characters.

use super::axis::AxisRange;
use super::braille::{BrailleChart, ChartCaptions};
use super::canvas::trace_curve;
use super::curve::sample_curve;
use crate::expression::{Expression, ExpressionScope, NamedParameters, unknowns};
use crate::prelude::*;

/// Plot a function of `x` as text: braille dots in a frame with ticks.
///
/// Undefined points are gaps, jumps are not joined, and poles do not squash the rest: the vertical range is then cut.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Expression in `x`, such as `sin(x)/x`; the bare name of a function of one argument, such as `sin`, means `sin(x)`.
    pub function: String,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which the function reduces to one number, such as `sum(normal_lpdf(y, x, 1))`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Left end, below `x_max`.
    #[value(default = "default_x_min")]
    pub x_min: Finite,
    /// Right end.
    #[value(default = "default_x_max")]
    pub x_max: Finite,
    /// Width of the whole text, in characters.
    #[value(default = "BoundedInteger::<10, 1000>::of::<80>")]
    pub width: BoundedInteger<10, 1000>,
    /// Rows of the plotting area; title and axis come on top.
    #[value(default = "BoundedInteger::<2, 500>::of::<20>")]
    pub height: BoundedInteger<2, 500>,
    /// Number of samples, equally spaced, both ends included.
    #[value(default = "BoundedInteger::<2, 100_000>::of::<400>")]
    pub n_points: BoundedInteger<2, 100_000>,
    /// Line above the plot; absent: `f(x) = ` and the function.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The plot, and what it leaves out.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// The plot, lines joined by newlines.
    pub plot: String,
    /// Ends of the horizontal axis: `x_min` and `x_max`.
    pub x_range: [f64; 2],
    /// Ends of the vertical axis: all values and 5 %, or cut where a pole would stretch it to more than four times the middle
    /// 80 % of the values.
    pub y_range: [f64; 2],
    /// Number of samples.
    pub n_points: usize,
    /// Samples where the function has no finite value.
    pub undefined: usize,
    /// Samples outside `y_range`, near poles.
    pub clipped: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("plot_function", "Plot a function as text")
        .category(Category::Data)
        .tags(&["plot", "terminal", "expression"])
        .syntax(&[("/function", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the diagonal": r#"{"function": "x", "x_min": -1, "x_max": 1, "width": 23, "height": 5}"#
            => concat!(
            r#"{"plot": ""#,
            r"         f(x) = x\n",
            r" 1 ┤               ⢀⣠⠴⠚\n",
            r"   │           ⢀⣠⠴⠚⠉\n",
            r" 0 ┤       ⣀⡤⠔⠚⠉\n",
            r"   │   ⣀⡤⠖⠋⠁\n",
            r"-1 ┤⡤⠖⠋⠁\n",
            r"   └┬────────┬────────┬\n",
            r#"   -1        0        1", "x_range": [-1.0, 1.0], "y_range": [-1.1, 1.1], "n_points": 400,"#,
            r#" "undefined": 0, "clipped": 0}"#,
        );
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (low, high) = (args.x_min.get(), args.x_max.get());
        let x = AxisRange::exact(low, high);
        if low >= high || x.ends() != [low, high] {
            let message = format!("expected `x_min` below `x_max`, found {low:?} and {high:?}");
            return Err(ToolError::invalid("/x_max", message).reason("range"));
        }
        let expression = parse_plotted_expression(&args, ctx)?;
        unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
        let (width, height, count) = (args.width.size(), args.height.size(), args.n_points.size());
        ctx.reserve((width * height * 8) as u64)?;
        let Some(curve) = sample_curve(&expression, (low, high), count, ctx)? else {
            refuse!(numeric "/function", "undefined";
                "`function` has no finite value at any of {count} points from {low:?} to {high:?}";
                "choose `x_min` and `x_max` where it is defined");
        };
        let mut chart = BrailleChart::new(x, curve.y, width, height);
        let mut canvas = chart.canvas();
        let points = curve.points.iter().copied();
        trace_curve(&mut canvas, &chart.dot_projection(), points, ctx)?;
        chart.draw(&canvas);
        let title = args
            .title
            .unwrap_or_else(|| format!("f(x) = {}", expression.text()));
        let words = ChartCaptions {
            title: &title,
            ..ChartCaptions::default()
        };
        let mut notes = Vec::new();
        let (clipped, undefined) = (curve.clipped, curve.undefined);
        if clipped > 0 {
            notes.push(format!(
                "y range cut near a pole: {clipped} of {count} samples lie outside"
            ));
        }
        if undefined > 0 {
            notes.push(format!("undefined at {undefined} of {count} samples"));
        }
        Ok(Output {
            plot: chart.text(&words, &notes),
            x_range: x.ends(),
            y_range: curve.y.ends(),
            n_points: count,
            undefined,
            clipped,
        })
    }
}

#[expect(
    clippy::approx_constant,
    reason = "the contract states these five decimals"
)]
fn default_x_min() -> Finite {
    Finite::literal(-3.14159)
}

#[expect(
    clippy::approx_constant,
    reason = "the contract states these five decimals"
)]
fn default_x_max() -> Finite {
    Finite::literal(3.14159)
}

/// Reads an expression in `x`; a bare name that is a function of one argument is called with `x`.
fn parse_plotted_expression(args: &Args, ctx: &Ctx) -> Result<Expression, ToolError> {
    /// Names without a function of the expression language, from an earlier interface.
    const NAMED: [(&str, &str); 3] = [
        ("cube", "x**3"),
        ("sigmoid", "1/(1+exp(-x))"),
        ("gaussian", "exp(-x**2/2)"),
    ];
    let text = args.function.as_str();
    let scope = ExpressionScope::new()
        .variable("x")
        .with_table(args.data.as_ref(), ctx)?
        .with_parameters(&args.parameters, "/parameters")?;
    let name = text.trim();
    let bare = !name.is_empty()
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '.'));
    let named = NAMED
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, formula)| (*formula).to_owned());
    let called = named.or_else(|| (bare && name.len() < 64).then(|| format!("{name}(x)")));
    if let Some(expression) = called.and_then(|called| Expression::parse(&called, &scope).ok()) {
        return Ok(expression);
    }
    Expression::parse(text, &scope).map_err(|err| err.into_tool_error("/function"))
}
