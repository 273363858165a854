//! The calculator: one expression, exact where its numbers are integers, to any number of digits, real or complex.

use schemars::{JsonSchema, json_schema};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use tool_core::{
    Bounded, Category, Ctx, ErrorCode, JsonExample, Spec, Syntax, Tool, ToolError, number,
    value::SAFE_INTEGER,
};

use super::ast::{Ast, Kind};
use super::big;
use super::complex::{self, Complex};
use super::exact::{self, ExactError};
use super::parameters::{Parameter, Parameters};
use super::rational::{FRACTION_BITS_MAX, Failure, INTEGER_BITS_MAX, Rational};
use super::{Expression, Scope, ValueError};

/// The calculator.
#[derive(Debug)]
pub(crate) struct Calculate;

/// Calculate the value of one mathematical expression, such as `2*pi*sqrt(2)`, `2**200`, `15% of 80` or `if(x > 0, log(x), 0)`; with `precision`
/// to as many digits as requested, correctly rounded; with `complex` over the complex numbers.
///
/// Operators: + - * / // (rounded down) % ** ^ (both powers, binding tighter than unary minus) and comparisons (1 or 0). Functions: sin cos tan
/// asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log (natural; log(x, base)) log2 log10 log1p sqrt cbrt abs
/// sign floor ceil round (halves to even) trunc min max hypot fmod degrees radians erf erfc gamma lgamma factorial,
/// if(condition, a, b); re im arg conj. Constants: pi e tau. Names may start with `np.` or `math.`. Angles are in radians. Division by zero,
/// overflow and arguments outside a function's domain are errors. Percent: `b%` is b/100, `b% of x` the product, `a + b%` and `a - b%` are
/// `a * (1 + b/100)` and `a * (1 - b/100)`; a `%` before a number, name, `(`, `+` or `-` is the remainder.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression.
    pub expression: String,
    /// Values of the variables the expression uses, by name; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[serde(default)]
    pub variables: Parameters,
    /// Whether the result is an exact rational number as a string `p/q` (or `p`); decimals such as `0.1` then mean exactly what
    /// they say, and functions whose value is irrational are refused.
    #[serde(default)]
    pub exact: bool,
    /// Significant decimal digits, 1 to 10000: the result is then a string with that many, correctly rounded, and numbers mean exactly what they
    /// say. Not with `exact` or `complex`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Bounded<1, 10_000>>,
    /// Whether to calculate over the complex numbers: `2i`, `1.5j`, `sqrt(-1)`. Branch cuts as in C99 (Annex G).
    #[serde(default)]
    pub complex: bool,
}

/// The value of the expression.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The value: a number; an integer beyond 2^53 is a string of its digits; with `exact` always a string `p` or `p/q`; with `precision` a
    /// decimal string; a complex number is `{"re": ..., "im": ...}`.
    pub value: Answer,
    /// `integer` and `rational` are exact; `double` is the nearest or a nearby double, `complex` a pair of them; `decimal` is correctly rounded.
    pub kind: AnswerKind,
    /// Whether the value is exact.
    pub exact: bool,
    /// A bound on the absolute error of the value, such as `5e-61`; absent where none is known. For doubles it includes the rounding of
    /// decimals such as `0.1` in the expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-present" = [{ "exact": true }, { "precision": { "not": null } }]))]
    pub error_bound: Option<String>,
}

/// The value of an expression, in the form its kind requires.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// An integer of magnitude at most 2^53.
    Integer(i64),
    /// A finite double.
    Double(f64),
    /// Digits of a large integer, a fraction `p/q`, or a decimal.
    Text(String),
    /// Real and imaginary part.
    Complex(f64, f64),
}

/// Whether the value is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnswerKind {
    /// An exact integer.
    Integer,
    /// An exact fraction.
    Rational,
    /// A rounded number.
    Double,
    /// A pair of rounded numbers.
    Complex,
    /// A number rounded to the digits requested.
    Decimal,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Double(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Complex(re, im) => {
                let mut pair = serializer.serialize_struct("Complex", 2)?;
                pair.serialize_field("re", re)?;
                pair.serialize_field("im", im)?;
                pair.end()
            }
        }
    }
}

tool_core::inline_schema!(
    Answer,
    "Answer",
    json_schema!({ "anyOf": [
        { "type": "number" },
        { "type": "string", "pattern": "^-?[0-9]+(/[0-9]+|([.][0-9]+)?(e[+-][0-9]+)?)$" },
        {
            "type": "object",
            "properties": { "re": { "type": "number" }, "im": { "type": "number" } },
            "required": ["re", "im"],
            "additionalProperties": false
        }
    ] })
);

impl Tool for Calculate {
    const SPEC: Spec = Spec {
        id: "calculate",
        title: "Calculator",
        category: Category::Math,
        tags: &["expression", "arithmetic", "exact"],
        syntax: &[("/expression", Syntax::Expression)],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = &[
        JsonExample {
            title: "power binds tighter than unary minus",
            args: r#"{"expression": "-3**2 + 10"}"#,
            output: r#"{"value": 1, "kind": "integer", "exact": true, "error_bound": "0"}"#,
        },
        JsonExample {
            title: "large integers are exact",
            args: r#"{"expression": "2**100"}"#,
            output: r#"{"value": "1267650600228229401496703205376", "kind": "integer", "exact": true,
                "error_bound": "0"}"#,
        },
        JsonExample {
            title: "exact decimals",
            args: r#"{"expression": "0.1 + 0.2", "exact": true}"#,
            output: r#"{"value": "3/10", "kind": "rational", "exact": true, "error_bound": "0"}"#,
        },
        JsonExample {
            title: "a circle of radius 2",
            args: r#"{"expression": "pi * r**2", "variables": {"r": 2}}"#,
            output: r#"{"value": 12.566370614359172, "kind": "double", "exact": false,
                "error_bound": "5.2e-16"}"#,
        },
        JsonExample {
            title: "a third to 30 digits",
            args: r#"{"expression": "10 + 1/3", "precision": 30}"#,
            output: r#"{"value": "10.3333333333333333333333333333", "kind": "decimal",
                "exact": false, "error_bound": "5e-29"}"#,
        },
        JsonExample {
            title: "a complex product",
            args: r#"{"expression": "(1 + 2i) * (3 - 1i)", "complex": true}"#,
            output: r#"{"value": {"re": 5.0, "im": 5.0}, "kind": "complex", "exact": false}"#,
        },
        JsonExample {
            title: "a price with tax",
            args: r#"{"expression": "200 + 10%"}"#,
            output: r#"{"value": 220, "kind": "integer", "exact": true, "error_bound": "0"}"#,
        },
    ];

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        check_modes(&args)?;
        let (mut scope, values) = variables(&args.variables)?;
        if args.complex {
            scope = scope.with_imaginary_unit();
        }
        let expression = Expression::parse(&args.expression, &scope)
            .map_err(|err| err.into_tool_error("/expression"))?;
        warn_of_remainder(&args.expression, ctx);
        if args.complex {
            return complex_answer(expression.ast(), &values);
        }
        if let Some(digits) = args.precision {
            return decimal_answer(expression.ast(), &values, digits.get() as usize, ctx);
        }
        if args.exact {
            return exact_answer(expression.ast(), &values, ctx);
        }
        if in_integers(expression.ast(), &values) {
            match exact::evaluate(expression.ast(), &exact_values(&values), ctx)? {
                Ok(value) => return rounded_answer(&value),
                Err(err) if err.failure == Failure::Inexact => {}
                // A fraction too long to keep exact may still be near a double; an integer that large is not.
                Err(err) if err.failure == Failure::TooLarge => {
                    return double_answer(&expression, &values, ctx).map_err(|_| exact_error(&err));
                }
                Err(_) => {} // the evaluation in doubles finds the same fault and words it with its operands
            }
        }
        double_answer(&expression, &values, ctx)
    }
}

/// The scope of the variables, and the values of their slots.
fn variables(variables: &Parameters) -> Result<(Scope, Vec<f64>), ToolError> {
    variables.check("/variables")?;
    let (mut scope, mut values) = (Scope::new().with_percent(), Vec::new());
    for (name, value) in variables.iter() {
        match value {
            Parameter::Number(value) => {
                scope = scope.variable(name);
                values.push(*value);
            }
            Parameter::List(list) => {
                scope = scope.list(name, list.len());
                values.extend_from_slice(list);
            }
        }
    }
    Ok((scope, values))
}

/// Whether every number of the expression and every variable is an integer.
fn in_integers(ast: &Ast, values: &[f64]) -> bool {
    let whole = |value: f64| value.fract() == 0.0 && value.abs() <= SAFE_INTEGER as f64;
    ast.nodes().iter().all(|node| match &node.kind {
        Kind::Number { text, .. } => text.bytes().all(|byte| byte.is_ascii_digit()),
        Kind::Slot(slot) => whole(values[*slot]),
        Kind::Unary(_) | Kind::Binary(_) | Kind::Select => true,
    })
}

/// Variables as the decimals they are spelled with.
fn exact_values(values: &[f64]) -> Vec<Result<Rational, ExactError>> {
    values
        .iter()
        .map(|&value| {
            Rational::parse(&number::spelling(value)).map_err(|failure| ExactError {
                failure,
                column: 1,
                name: "a variable",
            })
        })
        .collect()
}

/// Each of the three ways to calculate excludes the others.
fn check_modes(args: &Args) -> Result<(), ToolError> {
    let conflict = |pointer: &str, other: &str| {
        Err(ToolError::invalid(
            pointer,
            format_args!("`{}` and `{other}` exclude each other", &pointer[1..]),
        )
        .reason("conflict")
        .hint("leave one of them out"))
    };
    match (args.exact, args.precision.is_some(), args.complex) {
        (true, true, _) => conflict("/precision", "exact"),
        (_, true, true) => conflict("/precision", "complex"),
        (true, _, true) => conflict("/exact", "complex"),
        _ => Ok(()),
    }
}

/// `10% + 5` reads as a remainder, which is rarely meant.
fn warn_of_remainder(text: &str, ctx: &Ctx) {
    let suspicious = text.match_indices('%').any(|(at, _)| {
        let before = text[..at].ends_with(|last: char| !last.is_whitespace());
        let rest = &text[at + 1..];
        let spaced = rest
            .trim_start()
            .strip_prefix(['+', '-'])
            .is_some_and(|after| after.starts_with(' '));
        before && rest.starts_with(' ') && spaced
    });
    if suspicious {
        ctx.warn("`%` before a sign is the remainder: for a percentage put it in parentheses, `(10%) + 5`");
    }
}

fn complex_answer(ast: &Ast, values: &[f64]) -> Result<Output, ToolError> {
    let mut slots: Vec<Complex> = values.iter().map(|&value| Complex::Real(value)).collect();
    slots.push(Complex::Pair(0.0, 1.0));
    let (value, kind) = match complex::evaluate(ast, &slots)? {
        Complex::Real(value) => (Answer::Double(value), AnswerKind::Double),
        Complex::Pair(re, im) => (Answer::Complex(re, im), AnswerKind::Complex),
    };
    Ok(Output {
        value,
        kind,
        exact: false,
        error_bound: None,
    })
}

fn decimal_answer(
    ast: &Ast,
    values: &[f64],
    digits: usize,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let slots: Result<Vec<Rational>, ExactError> = exact_values(values).into_iter().collect();
    let decimal = big::evaluate(ast, &slots.map_err(|err| exact_error(&err))?, digits, ctx)?;
    if decimal.vanishing {
        ctx.warn(format!(
            "the value could not be told from zero: its magnitude is below {}",
            decimal.error_bound
        ));
    }
    Ok(Output {
        value: Answer::Text(decimal.text),
        kind: AnswerKind::Decimal,
        exact: decimal.exact,
        error_bound: Some(decimal.error_bound),
    })
}

fn exact_output(value: Answer, kind: AnswerKind) -> Output {
    Output {
        value,
        kind,
        exact: true,
        error_bound: Some("0".into()),
    }
}

fn exact_answer(ast: &Ast, values: &[f64], ctx: &Ctx) -> Result<Output, ToolError> {
    let value =
        exact::evaluate(ast, &exact_values(values), ctx)?.map_err(|err| exact_error(&err))?;
    let kind = if value.is_integer() {
        AnswerKind::Integer
    } else {
        AnswerKind::Rational
    };
    Ok(exact_output(Answer::Text(value.to_string()), kind))
}

/// An exact value as a number: integers stay exact, fractions become the nearest double.
fn rounded_answer(value: &Rational) -> Result<Output, ToolError> {
    if let Some(integer) = value.integer() {
        let small = i64::try_from(integer)
            .ok()
            .filter(|small| small.unsigned_abs() <= SAFE_INTEGER.unsigned_abs());
        let value = small.map_or_else(|| Answer::Text(integer.to_string()), Answer::Integer);
        return Ok(exact_output(value, AnswerKind::Integer));
    }
    let nearest = value.to_f64();
    if nearest.is_infinite() {
        return Err(
            ToolError::numeric("/expression", "the value is beyond the range of a double")
                .reason("overflow")
                .hint("request it with `exact` or `precision`"),
        );
    }
    let half_unit = 0.5 * (nearest.abs().next_up() - nearest.abs());
    Ok(Output {
        value: Answer::Double(nearest),
        kind: AnswerKind::Double,
        exact: false,
        error_bound: Some(bound_text(half_unit.max(f64::from_bits(1)))),
    })
}

fn double_answer(expression: &Expression, values: &[f64], ctx: &Ctx) -> Result<Output, ToolError> {
    /// Longer expressions are answered without the bound, which takes far longer than the value.
    const BOUNDED_NODES_MAX: usize = 200;
    /// Relative error from which the reader must know of it.
    const DOUBTFUL: f64 = 1e-8;
    let ast = expression.ast();
    let slots: Result<Vec<Rational>, ExactError> = exact_values(values).into_iter().collect();
    let slots = slots
        .ok()
        .filter(|_| ast.nodes().len() <= BOUNDED_NODES_MAX);
    let value = match (expression.value(values), &slots) {
        (Ok(value), _) => value,
        (Err(err @ ValueError::Overflow { .. }), Some(slots)) => {
            let wide = big::evaluate(ast, slots, WIDE_DIGITS, ctx);
            return wide_answer(wide, ctx)?.ok_or_else(|| err.into_tool_error("/expression"));
        }
        (Err(err), _) => return Err(err.into_tool_error("/expression")),
    };
    let bound = slots
        .and_then(|slots| big::double_error(ast, &slots, value, ctx))
        .filter(|bound| bound.is_finite());
    if let Some(bound) = bound.filter(|bound| *bound > DOUBTFUL * value.abs()) {
        let bound = bound_text(bound);
        ctx.warn(format!(
            "digits cancel: the error is up to {bound}; ask for `precision`"
        ));
    }
    Ok(Output {
        value: Answer::Double(value),
        kind: AnswerKind::Double,
        exact: bound == Some(0.0),
        error_bound: bound.map(bound_text),
    })
}

/// Digits that are enough to round to a double.
const WIDE_DIGITS: usize = 25;

/// The double nearest to a value whose way leads beyond the range of doubles, such as `1e308 * 10 / 10`; `None` where it is beyond itself,
/// or not told from zero.
fn wide_answer(
    wide: Result<big::Decimal, ToolError>,
    ctx: &Ctx,
) -> Result<Option<Output>, ToolError> {
    ctx.check()?;
    let Some(value) = wide
        .ok()
        .filter(|decimal| !decimal.vanishing)
        .and_then(|decimal| decimal.text.parse::<f64>().ok())
        .filter(|value| value.is_finite())
    else {
        return Ok(None);
    };
    let half_unit = 0.5 * (value.abs().next_up() - value.abs());
    Ok(Some(Output {
        value: Answer::Double(value),
        kind: AnswerKind::Double,
        exact: false,
        error_bound: Some(bound_text(half_unit.max(f64::from_bits(1)))),
    }))
}

/// A bound with two digits, rounded up.
fn bound_text(bound: f64) -> String {
    if bound == 0.0 {
        "0".into()
    } else {
        format!("{:.1e}", bound * 1.06)
    }
}

fn exact_error(err: &ExactError) -> ToolError {
    let ExactError {
        failure,
        column,
        name,
    } = err;
    let error = match failure {
        Failure::Inexact => {
            ToolError::new(ErrorCode::Numeric, format_args!("`{name}` at column {column} has no exact rational value"))
                .reason("inexact")
                .hint("leave `exact` out to get a double")
        }
        Failure::DivisionByZero => {
            ToolError::new(ErrorCode::Numeric, format_args!("division by zero in `{name}` at column {column}"))
                .reason("division_by_zero")
                .hint("guard it: `if(b != 0, a / b, 0)`")
        }
        Failure::Domain => {
            ToolError::new(ErrorCode::Numeric, format_args!("`{name}` at column {column} has no real value"))
                .reason("domain")
                .hint("guard it with `if(condition, a, b)`")
        }
        Failure::TooLarge => ToolError::new(
            ErrorCode::LimitExceeded,
            format_args!("`{name}` at column {column} gives more than {INTEGER_BITS_MAX} bits ({FRACTION_BITS_MAX} in a fraction)"),
        )
        .reason("bits")
        .hint("compute its logarithm, or for a remainder of smaller numbers"),
    };
    error.at("/expression")
}
