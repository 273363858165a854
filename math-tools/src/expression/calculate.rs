//! The calculator: one expression, exact where its numbers are integers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use tool_core::{
    Category, Ctx, ErrorCode, Example, Finite, Spec, Syntax, Tool, ToolError, number, path,
    value::SAFE_INTEGER,
};

use super::ast::{Ast, Kind};
use super::exact::{self, ExactError};
use super::rational::{FRACTION_BITS_MAX, Failure, INTEGER_BITS_MAX, Rational};
use super::{Expression, Scope, functions};

/// The calculator.
#[derive(Debug)]
pub struct Calculate;

/// Calculate the value of one mathematical expression, such as `2*pi*sqrt(2)`, `2**200` or `if(x > 0, log(x), 0)`.
///
/// Operators: + - * / % ** ^ (both powers, binding tighter than unary minus) and comparisons (1 or 0). Functions: sin cos tan
/// asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp expm1 log (natural; log(x, base)) log2 log10 log1p sqrt cbrt abs
/// sign floor ceil round (halves to even) trunc min max hypot fmod degrees radians erf erfc gamma lgamma factorial,
/// if(condition, a, b). Constants: pi e tau. Names may start with `np.` or `math.`. Angles are in radians. Division by zero,
/// overflow and arguments outside a function's domain are errors.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The expression.
    pub expression: String,
    /// Values of the variables the expression uses, by name.
    #[serde(default)]
    pub variables: BTreeMap<String, Finite>,
    /// Whether the result is an exact rational number as a string `p/q` (or `p`); decimals such as `0.1` then mean exactly what
    /// they say, and functions whose value is irrational are refused.
    #[serde(default)]
    pub exact: bool,
}

/// The value of the expression.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The value: a number; an integer beyond 2^53 is a string of its digits; with `exact` always a string `p` or `p/q`.
    pub value: Answer,
    /// `integer` and `rational` are exact; `double` is the nearest or a nearby double.
    pub kind: AnswerKind,
}

/// The value of an expression, in the form its kind asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// An integer of magnitude at most 2^53.
    Integer(i64),
    /// A finite double.
    Double(f64),
    /// Digits of a large integer, or a fraction `p/q`.
    Text(String),
}

/// Whether the value is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// An exact integer.
    Integer,
    /// An exact fraction.
    Rational,
    /// A rounded number.
    Double,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Double(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl JsonSchema for Answer {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "number" }, { "type": "string", "pattern": "^-?[0-9]+(/[0-9]+)?$" }] })
    }
}

impl Tool for Calculate {
    const SPEC: Spec = Spec {
        id: "calculate",
        version: 1,
        title: "Calculator",
        category: Category::Math,
        tags: &["expression", "arithmetic", "exact"],
        syntax: &[("/expression", Syntax::Expression)],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut scope = Scope::new();
        for name in args.variables.keys() {
            check_name(name)?;
            scope = scope.variable(name);
        }
        let values: Vec<f64> = args.variables.values().map(|value| value.get()).collect();
        let expression = Expression::parse(&args.expression, &scope)
            .map_err(|err| err.into_tool_error("/expression"))?;
        if args.exact {
            return exact_answer(expression.ast(), &values, ctx);
        }
        if in_integers(expression.ast(), &values) {
            match exact::evaluate(expression.ast(), &exact_values(&values), ctx)? {
                Ok(value) => return rounded_answer(&value),
                Err(err) if err.failure == Failure::Inexact => {}
                // A fraction too long to keep exact may still be near a double; an integer that large is not.
                Err(err) if err.failure == Failure::TooLarge => {
                    return double_answer(&expression, &values).map_err(|_| exact_error(&err));
                }
                Err(_) => {} // the evaluation in doubles finds the same fault and words it with its operands
            }
        }
        double_answer(&expression, &values)
    }

    fn examples() -> Vec<Example<Args, Output>> {
        let args = |expression: &str, exact| Args {
            expression: expression.into(),
            variables: BTreeMap::new(),
            exact,
        };
        vec![
            Example {
                title: "power binds tighter than unary minus",
                args: args("-3**2 + 10", false),
                output: Output {
                    value: Answer::Integer(1),
                    kind: AnswerKind::Integer,
                },
            },
            Example {
                title: "large integers are exact",
                args: args("2**100", false),
                output: Output {
                    value: Answer::Text("1267650600228229401496703205376".into()),
                    kind: AnswerKind::Integer,
                },
            },
            Example {
                title: "exact decimals",
                args: args("0.1 + 0.2", true),
                output: Output {
                    value: Answer::Text("3/10".into()),
                    kind: AnswerKind::Rational,
                },
            },
            Example {
                title: "a circle of radius 2",
                args: Args {
                    expression: "pi * r**2".into(),
                    variables: BTreeMap::from([("r".into(), Finite::literal(2.0))]),
                    exact: false,
                },
                output: Output {
                    value: Answer::Double(4.0 * std::f64::consts::PI),
                    kind: AnswerKind::Double,
                },
            },
        ]
    }
}

/// A variable must be readable as a name and must not hide a function or a constant.
fn check_name(name: &str) -> Result<(), ToolError> {
    let mut pointer = String::from("/variables");
    path::push_key(&mut pointer, name);
    let mut bytes = name.bytes();
    let starts = bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !starts || !bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(ToolError::invalid(
            pointer,
            "expected a name of letters, digits and `_` that starts with a letter",
        )
        .hint("rename the variable"));
    }
    if functions::function(name).is_some() || functions::constant(name).is_some() {
        return Err(ToolError::invalid(
            pointer,
            format_args!("`{name}` is a name of the language"),
        )
        .hint("rename the variable"));
    }
    Ok(())
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

fn exact_answer(ast: &Ast, values: &[f64], ctx: &Ctx) -> Result<Output, ToolError> {
    let value =
        exact::evaluate(ast, &exact_values(values), ctx)?.map_err(|err| exact_error(&err))?;
    let kind = if value.is_integer() {
        AnswerKind::Integer
    } else {
        AnswerKind::Rational
    };
    Ok(Output {
        value: Answer::Text(value.to_string()),
        kind,
    })
}

/// An exact value as a number: integers stay exact, fractions become the nearest double.
fn rounded_answer(value: &Rational) -> Result<Output, ToolError> {
    if let Some(integer) = value.integer() {
        let small = i64::try_from(integer)
            .ok()
            .filter(|small| small.unsigned_abs() <= SAFE_INTEGER.unsigned_abs());
        let value = small.map_or_else(|| Answer::Text(integer.to_string()), Answer::Integer);
        return Ok(Output {
            value,
            kind: AnswerKind::Integer,
        });
    }
    let nearest = value.to_f64();
    if nearest.is_infinite() {
        return Err(ToolError::new(
            ErrorCode::Numeric,
            "the value is beyond the range of a double",
        )
        .reason("overflow")
        .at("/expression")
        .hint("ask for it with `exact`"));
    }
    Ok(Output {
        value: Answer::Double(nearest),
        kind: AnswerKind::Double,
    })
}

fn double_answer(expression: &Expression, values: &[f64]) -> Result<Output, ToolError> {
    let value = expression
        .value(values)
        .map_err(|err| err.into_tool_error("/expression"))?;
    Ok(Output {
        value: Answer::Double(value),
        kind: AnswerKind::Double,
    })
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
        .hint("ask for its logarithm, or for a remainder of smaller numbers"),
    };
    error.at("/expression")
}
