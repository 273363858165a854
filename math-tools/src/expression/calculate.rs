//! The calculator: one expression, exact where its numbers are integers, to any number of digits, real or complex.

use tool_core::examples;
use tool_core::schema::json;
use tool_core::{
    BoundedInteger, Ctx, Decode, Describe, Encode, Input, JsonExample, Spec, Syntax, Table, Tool,
    ToolError, number, value::SAFE_INTEGER,
};

use super::ast::{Ast, AstKind};
use super::big;
use super::complex::ComplexArithmetic;
use super::exact::RationalArithmetic;
use super::fault::EvaluationFault;
use super::parameters::{NamedParameters, ParameterValue};
use super::plane::RealOrComplex;
use super::rational::Rational;
use super::{Expression, ExpressionScope, rows, unknowns};

/// Calculate the value of one mathematical expression, such as `2*pi*sqrt(2)`, `2**200`, `15% of 80` or `if(x > 0, log(x), 0)`; with `precision`
/// to as many digits as requested, correctly rounded; with `complex` over the complex numbers.
///
/// Operators: + - * / // (rounded down) % ** ^ (both powers, binding tighter than unary minus) and comparisons (1 or 0). Functions: sin cos tan
/// asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log (natural; log(x, base)) log2 log10 log1p sqrt cbrt abs
/// sign floor ceil round (halves to even) trunc min max hypot fmod degrees radians erf erfc gamma lgamma factorial,
/// if(condition, a, b); re im arg conj. Constants: pi e tau. Names may start with `np.` or `math.`. Angles are in radians. Division by zero,
/// overflow and arguments outside a function's domain are errors. Percent: `b%` is b/100, `b% of x` the product, `a + b%` and `a - b%` are
/// `a * (1 + b/100)` and `a * (1 - b/100)`; a `%` before a number, name, `(`, `+` or `-` is the remainder.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression.
    pub expression: String,
    /// Values of the variables the expression uses, by name; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default)]
    pub variables: NamedParameters,
    /// Columns of numbers, inline or from a file, which the expression reduces to one number, such as `mean(v)` or `sum(w*v)/sum(w)`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Whether the result is an exact rational number as a string `p/q` (or `p`); decimals such as `0.1` then mean exactly what
    /// they say, and functions whose value is irrational are refused.
    #[value(default)]
    pub exact: bool,
    /// Significant decimal digits, 1 to 10000: the result is then a string with that many, correctly rounded, and numbers mean exactly what they
    /// say. Not with `exact` or `complex`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub precision: Option<BoundedInteger<1, 10_000>>,
    /// Whether to calculate over the complex numbers: `2i`, `1.5j`, `sqrt(-1)`. Branch cuts as in C99 (Annex G).
    #[value(default)]
    pub complex: bool,
}

/// The value of the expression.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The value: a number; an integer beyond 2^53 is a string of its digits; with `exact` always a string `p` or `p/q`; with `precision` a
    /// decimal string; a complex number is `{"re": ..., "im": ...}`.
    pub value: CalculatedValue,
    /// `integer` and `rational` are exact; `double` is the nearest or a nearby double, `complex` a pair of them; `decimal` is correctly rounded.
    pub kind: AnswerKind,
    /// Whether the value is exact.
    pub exact: bool,
    /// A bound on the absolute error of the value, such as `5e-61`; absent where none is known. For doubles it includes the rounding of
    /// decimals such as `0.1` in the expression.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "exact": true }, { "precision": { "not": null } }]))]
    pub error_bound: Option<String>,
}

/// The value of an expression, in the form its kind requires.
#[derive(Debug, Clone, PartialEq, Encode)]
#[value(untagged)]
pub(crate) enum CalculatedValue {
    /// An integer of magnitude at most 2^53.
    Integer(i64),
    /// A finite double.
    Double(f64),
    /// Digits of a large integer, a fraction `p/q`, or a decimal.
    Text(String),
    /// Real and imaginary part.
    Complex { re: f64, im: f64 },
}

/// Whether the value is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
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

tool_core::inline_schema!(
    CalculatedValue,
    json!({ "anyOf": [
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

impl Tool for Args {
    const SPEC: Spec = Spec::named("calculate", "Calculator")
        .tags(&["expression", "arithmetic", "exact", "quantile", "p-value"])
        .syntax(&[("/expression", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "power binds tighter than unary minus": r#"{"expression": "-3**2 + 10"}"#
            => r#"{"value": 1, "kind": "integer", "exact": true, "error_bound": "0"}"#;
        "large integers are exact": r#"{"expression": "2**100"}"#
            => r#"{"value": "1267650600228229401496703205376", "kind": "integer", "exact": true,
                "error_bound": "0"}"#;
        "exact decimals": r#"{"expression": "0.1 + 0.2", "exact": true}"#
            => r#"{"value": "3/10", "kind": "rational", "exact": true, "error_bound": "0"}"#;
        "a circle of radius 2": r#"{"expression": "pi * r**2", "variables": {"r": 2}}"#
            => r#"{"value": 12.566370614359172, "kind": "double", "exact": false,
                "error_bound": "5.2e-16"}"#;
        "a third to 30 digits": r#"{"expression": "10 + 1/3", "precision": 30}"#
            => r#"{"value": "10.3333333333333333333333333333", "kind": "decimal",
                "exact": false, "error_bound": "5e-29"}"#;
        "a complex product": r#"{"expression": "(1 + 2i) * (3 - 1i)", "complex": true}"#
            => r#"{"value": {"re": 5.0, "im": 5.0}, "kind": "complex", "exact": false}"#;
        "the mean of a column": r#"{"expression": "mean(v)", "data": {"v": [1, 2, 6]}}"#
            => r#"{"value": 3, "kind": "integer", "exact": true, "error_bound": "0"}"#;
        "a price with tax": r#"{"expression": "200 + 10%"}"#
            => r#"{"value": 220, "kind": "integer", "exact": true, "error_bound": "0"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        check_modes(&args)?;
        let (scope, values) = variable_scope(&args.variables)?;
        let mut scope = scope.with_table(args.data.as_ref(), ctx)?;
        if args.complex {
            scope = scope.with_imaginary_unit();
        }
        let expression = Expression::parse(&args.expression, &scope)
            .map_err(|err| err.into_tool_error("/expression"))?;
        unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
        warn_of_remainder(&args.expression, ctx);
        let (ast, exact) = (expression.ast(), exact_values(&values));
        let exact_value =
            || rows::evaluate_over_rows(ast, &mut RationalArithmetic { slots: &exact, ctx });
        if args.complex {
            return complex_answer(ast, &values);
        }
        if let Some(digits) = args.precision {
            return decimal_answer(ast, &exact, digits.get() as usize, ctx);
        }
        ctx.reserve(ast.numbers().saturating_mul(size_of::<Rational>()) as u64)?;
        if args.exact {
            let value = exact_value();
            ctx.check()?;
            let value = value.map_err(|err| err.into_tool_error("/expression"))?;
            let kind = match value.is_integer() {
                true => AnswerKind::Integer,
                false => AnswerKind::Rational,
            };
            return Ok(exact_output(CalculatedValue::Text(value.to_string()), kind));
        }
        if in_integers(ast, &values) {
            let value = exact_value();
            ctx.check()?;
            match value {
                Ok(value) => return rounded_answer(&value),
                // A fraction too long to keep exact may still be near a double; an integer that large is not.
                Err(err) if err.fault == EvaluationFault::TooLarge => {
                    return double_answer(&expression, &values, &exact, ctx)
                        .map_err(|_| err.into_tool_error("/expression"));
                }
                Err(_) => {} // inexact, or a fault that the evaluation in doubles words with its operands
            }
        }
        double_answer(&expression, &values, &exact, ctx)
    }
}

/// The scope of the variables, and the values of their slots.
fn variable_scope(variables: &NamedParameters) -> Result<(ExpressionScope, Vec<f64>), ToolError> {
    variables.check("/variables")?;
    let (mut scope, mut values) = (ExpressionScope::new().with_percent(), Vec::new());
    for (name, value) in variables.iter() {
        match value {
            ParameterValue::Number(value) => {
                scope = scope.variable(name);
                values.push(*value);
            }
            ParameterValue::List(list) => {
                scope = scope.list(name, list.len());
                values.extend_from_slice(list);
            }
        }
    }
    Ok((scope, values))
}

/// Whether every number of the expression, every variable and every column is of integers, and these are few enough to keep exact.
fn in_integers(ast: &Ast, values: &[f64]) -> bool {
    const NUMBERS_MAX: usize = 1 << 22;
    let whole = |value: &f64| value.fract() == 0.0 && value.abs() <= SAFE_INTEGER as f64;
    let column = |slot: usize| {
        let data = ast.data().filter(|data| data.has(slot))?;
        data.column(slot).ok()
    };
    ast.numbers() <= NUMBERS_MAX
        && ast.nodes().iter().all(|node| match &node.kind {
            AstKind::Number { text, .. } => text.bytes().all(|byte| byte.is_ascii_digit()),
            AstKind::Slot(slot) => match column(*slot) {
                Some(numbers) => numbers.iter().all(whole),
                None => whole(&values[*slot]),
            },
            _ => true,
        })
}

/// Variables as the decimals they are spelled with.
fn exact_values(values: &[f64]) -> Vec<Rational> {
    let exact = |&value: &f64| Rational::parse(&number::non_finite_spelling(value));
    let exact: Result<_, _> = values.iter().map(exact).collect();
    exact.expect("a finite double has fewer bits than the limit")
}

/// Each of the three ways to calculate excludes the others.
fn check_modes(args: &Args) -> Result<(), ToolError> {
    let conflict = |pointer: &str, other: &str| {
        refuse!(invalid pointer, "conflict"; "`{}` and `{other}` exclude each other", &pointer[1..];
            "leave one of them out");
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
    let value = rows::evaluate_over_rows(ast, &mut ComplexArithmetic(values));
    let (value, kind) = match value.map_err(|err| err.into_tool_error("/expression"))? {
        RealOrComplex::Real(value) => (CalculatedValue::Double(value), AnswerKind::Double),
        RealOrComplex::Pair(re, im) => (CalculatedValue::Complex { re, im }, AnswerKind::Complex),
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
    slots: &[Rational],
    digits: usize,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let decimal = big::evaluate_to_digits(ast, slots, digits, ctx)?;
    if decimal.vanishing {
        ctx.warn(format!(
            "the value could not be told from zero: its magnitude is below {}",
            decimal.error_bound
        ));
    }
    Ok(Output {
        value: CalculatedValue::Text(decimal.text),
        kind: AnswerKind::Decimal,
        exact: decimal.exact,
        error_bound: Some(decimal.error_bound),
    })
}

fn exact_output(value: CalculatedValue, kind: AnswerKind) -> Output {
    Output {
        value,
        kind,
        exact: true,
        error_bound: Some("0".into()),
    }
}

/// An exact value as a number: integers stay exact, fractions become the nearest double.
fn rounded_answer(value: &Rational) -> Result<Output, ToolError> {
    if let Some(integer) = value.integer() {
        let small = i64::try_from(integer)
            .ok()
            .filter(|small| small.unsigned_abs() <= SAFE_INTEGER.unsigned_abs());
        let value = small.map_or_else(
            || CalculatedValue::Text(integer.to_string()),
            CalculatedValue::Integer,
        );
        return Ok(exact_output(value, AnswerKind::Integer));
    }
    let nearest = value.to_f64();
    if nearest.is_infinite() {
        refuse!(numeric "/expression", "overflow"; "the value is beyond the range of a double";
            "request it with `exact` or `precision`");
    }
    Ok(nearest_output(nearest))
}

/// The double nearest to a value: off by half a unit in its last place at most.
fn nearest_output(nearest: f64) -> Output {
    let half_unit = 0.5 * (nearest.abs().next_up() - nearest.abs());
    Output {
        value: CalculatedValue::Double(nearest),
        kind: AnswerKind::Double,
        exact: false,
        error_bound: Some(bound_text(half_unit.max(f64::from_bits(1)))),
    }
}

fn double_answer(
    expression: &Expression,
    values: &[f64],
    exact: &[Rational],
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    /// Longer expressions are answered without the bound, which takes far longer than the value.
    const BOUNDED_NODES_MAX: usize = 200;
    /// So are those of many rows.
    const BOUNDED_NUMBERS_MAX: usize = 10_000;
    /// Relative error from which the reader must know of it.
    const DOUBTFUL: f64 = 1e-8;
    let ast = expression.ast();
    let short = ast.nodes().len() <= BOUNDED_NODES_MAX && ast.numbers() <= BOUNDED_NUMBERS_MAX;
    let found = match ast.data() {
        None => expression.value(values),
        // As every tool evaluates it; row by row where an operation has no value.
        Some(_) => match expression.evaluator().eval(values) {
            value if value.is_finite() => Ok(value),
            _ => expression.value(values),
        },
    };
    let value = match found {
        Ok(value) => value,
        Err(err) => {
            if err.fault == EvaluationFault::Overflow
                && short
                && let Some(nearest) = wide_value(ast, exact, ctx)?
            {
                return Ok(nearest_output(nearest));
            }
            return Err(err.into_tool_error("/expression"));
        }
    };
    let bound = short
        .then(|| big::double_error(ast, exact, value, ctx))
        .flatten()
        .filter(|bound| bound.is_finite());
    if let Some(bound) = bound.filter(|bound| *bound > DOUBTFUL * value.abs()) {
        let bound = bound_text(bound);
        ctx.warn(format!(
            "digits cancel: the error is up to {bound}; ask for `precision`"
        ));
    }
    Ok(Output {
        value: CalculatedValue::Double(value),
        kind: AnswerKind::Double,
        exact: bound == Some(0.0),
        error_bound: bound.map(bound_text),
    })
}

/// The double nearest to a value whose way leads beyond the range of doubles, such as `1e308 * 10 / 10`; `None` where it is beyond itself,
/// or not told from zero.
fn wide_value(ast: &Ast, slots: &[Rational], ctx: &Ctx) -> Result<Option<f64>, ToolError> {
    const DIGITS: usize = 25; // enough to round to a double
    let wide = big::evaluate_to_digits(ast, slots, DIGITS, ctx).ok();
    ctx.check()?;
    Ok(wide
        .filter(|decimal| !decimal.vanishing)
        .and_then(|decimal| decimal.text.parse::<f64>().ok())
        .filter(|value| value.is_finite()))
}

/// A bound with two digits, rounded up.
fn bound_text(bound: f64) -> String {
    if bound == 0.0 {
        "0".into()
    } else {
        format!("{:.1e}", bound * 1.06)
    }
}
