//! Derivatives of expressions, by transformation of their programs.

use std::collections::BTreeMap;

use tool_core::schema::json;
use tool_core::{DecodeError, EncodeError, Encoder};

use super::{Args, DifferentiateMethod, Output, refuse_given};
use crate::expression::unknowns::{self, by_name};
use crate::expression::{Expression, ExpressionScope, ExpressionSystem, NotDifferentiable};
use crate::prelude::*;

/// Most variables of a gradient, and of a Hessian.
const VARIABLES_MAX: usize = 10_000;
const HESSIAN_MAX: usize = 1_000;
/// Most operations of a derivative of a high order.
const OPERATIONS_MAX: usize = 1_000_000;

/// One expression or several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum OneOrManyFormulas {
    /// One.
    One(String),
    /// Several, for a Jacobian.
    Many(Vec<String>),
}

impl Encode for OneOrManyFormulas {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::One(text) => text.encode(encoder),
            Self::Many(texts) => texts.encode(encoder),
        }
    }
}

impl Decode for OneOrManyFormulas {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        if let Some(text) = value.as_str() {
            return Ok(Self::One(text.to_owned()));
        }
        let expected = "an expression or a list of expressions";
        let mismatch = || DecodeError::expected(expected, value);
        let items = value.items().ok_or_else(mismatch)?;
        let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
        let texts: Option<Vec<String>> = texts.collect();
        let texts = texts.filter(|texts| !texts.is_empty()).map(Self::Many);
        texts.ok_or_else(|| DecodeError::new(format_args!("expected {expected}")))
    }
}

tool_core::inline_schema!(
    OneOrManyFormulas,
    json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }] })
);

/// A point: one number, several, or some by name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DerivativePoint {
    /// Of one variable.
    Number(f64),
    /// Of `x0`, `x1`, ...
    List(Vec<f64>),
    /// By name.
    Named(BTreeMap<String, f64>),
}

impl Encode for DerivativePoint {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Number(value) => value.encode(encoder),
            Self::List(values) => values.encode(encoder),
            Self::Named(values) => values.encode(encoder),
        }
    }
}

impl Decode for DerivativePoint {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let expected = "a number, a list of numbers, or an object of numbers";
        let mismatch = || DecodeError::expected(expected, value);
        let finite = |value: &Value| value.as_f64().filter(|number| number.is_finite());
        if let Some(number) = finite(value) {
            return Ok(Self::Number(number));
        }
        if let Some(object) = value.as_object() {
            let entry = |(name, value): (&str, &Value)| Some((name.to_owned(), finite(value)?));
            let entries: Option<BTreeMap<String, f64>> = object.iter().map(entry).collect();
            return entries.map(Self::Named).ok_or_else(mismatch);
        }
        let numbers = value.as_numbers().map(|block| block.as_slice().to_vec());
        let numbers = numbers.filter(|list| list.iter().all(|number| number.is_finite()));
        numbers.map(Self::List).ok_or_else(mismatch)
    }
}

tool_core::inline_schema!(
    DerivativePoint,
    json!({ "anyOf": [
        { "type": "number" },
        { "type": "array", "items": { "type": "number" } },
        { "type": "object", "additionalProperties": { "type": "number" } }
    ] })
);

pub(super) fn differentiate_formulas(
    args: &Args,
    f: &OneOrManyFormulas,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let given = [
        ("x", args.x.is_some()),
        ("dx", args.dx.is_some()),
        (
            "method",
            args.method
                .is_some_and(|method| method != DifferentiateMethod::Exact),
        ),
        ("accuracy", args.accuracy.is_some()),
        ("window", args.window.is_some()),
        ("degree", args.degree.is_some()),
    ];
    refuse_given(&given, "an expression")?;
    let (point, names) = match &args.at {
        Some(DerivativePoint::Number(value)) => (vec![*value], None),
        Some(DerivativePoint::List(values)) => (values.clone(), None),
        Some(DerivativePoint::Named(values)) => {
            let names: Vec<String> = values.keys().cloned().collect();
            (values.values().copied().collect(), Some(names))
        }
        None => {
            refuse!(invalid "/at"; "an expression is differentiated at a point"; "give `at`, such as 2, [1, 2] or {\"x\": 1}");
        }
    };
    let n = point.len();
    if n == 0 || n > VARIABLES_MAX {
        refuse!(invalid "/at", "dimension"; "expected 1 to {VARIABLES_MAX} variables, found {n}"; "give fewer");
    }
    let data = args.data.as_ref();
    let scope =
        unknowns::unknowns_scope((n, names.as_deref()), data, &args.parameters, "/at", ctx)?;
    match f {
        OneOrManyFormulas::One(text) if n == 1 => {
            derivative_of_one_variable(args, text, &scope, point[0], ctx)
        }
        OneOrManyFormulas::One(text) => {
            derivatives_of_several_variables(args, text, &scope, &point, names.as_deref(), ctx)
        }
        OneOrManyFormulas::Many(texts) => jacobian_at_point(args, texts, &scope, &point, ctx),
    }
}

fn parse_formula(
    text: &str,
    scope: &ExpressionScope,
    pointer: &str,
) -> Result<Expression, ToolError> {
    Expression::parse(text, scope).map_err(|err| err.into_tool_error(pointer))
}

fn not_differentiable_error(err: &NotDifferentiable) -> ToolError {
    ToolError::invalid("/f", err.to_string())
        .reason("not_differentiable")
        .hint("take samples of it and pass them as `y`")
}

/// Refuses what is not finite.
fn check_finite_derivatives(
    values: &[f64],
    expression: &Expression,
    point: &[f64],
) -> Result<(), ToolError> {
    if values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    if let Err(cause) = expression.value(point) {
        refuse!(numeric "/at", "domain"; "no finite value there: {cause}"; "choose a point inside the domain");
    }
    refuse!(numeric "/at", "domain"; "a derivative is not finite there"; "choose a point where the function is smooth");
}

fn derivative_of_one_variable(
    args: &Args,
    text: &str,
    scope: &ExpressionScope,
    point: f64,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let expression = parse_formula(text, scope, "/f")?;
    unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
    let order = args.order.size();
    let system = ExpressionSystem::derivatives(&expression, 0, order, OPERATIONS_MAX)
        .map_err(|err| not_differentiable_error(&err))?;
    let Some(system) = system else {
        refuse!(invalid "/order", "cost"; "the derivative of order {order} takes more than {OPERATIONS_MAX} operations"; "ask for a lower order");
    };
    let mut values = vec![f64::NAN; order + 1];
    system.evaluator().point(&[point], &mut values);
    let wanted = [values[0], values[order]];
    check_finite_derivatives(&wanted, &expression, &[point])?;
    Ok(Output {
        value: Some(wanted[0]),
        derivative: Some(wanted[1]),
        method: DifferentiateMethod::Exact,
        ..Output::default()
    })
}

fn derivatives_of_several_variables(
    args: &Args,
    text: &str,
    scope: &ExpressionScope,
    point: &[f64],
    names: Option<&[String]>,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let n = point.len();
    let order = args.order.size();
    if order > 2 {
        refuse!(invalid "/order"; "of several variables the orders are 1 and 2, found {order}"; "give `at` as one number for a higher order");
    }
    if order == 2 && n > HESSIAN_MAX {
        refuse!(invalid "/order", "dimension"; "a Hessian takes at most {HESSIAN_MAX} variables, found {n}"; "ask for order 1");
    }
    let expression = parse_formula(text, scope, "/f")?;
    unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
    let slots: Vec<usize> = (0..n).collect();
    let system = ExpressionSystem::value_and_gradient(&expression, &slots)
        .map_err(|err| not_differentiable_error(&err))?;
    let mut values = vec![f64::NAN; n + 1];
    system.evaluator().point(point, &mut values);
    check_finite_derivatives(&values, &expression, point)?;
    let gradient = values.split_off(1);
    let hessian = if order == 2 {
        ctx.reserve_doubles(2 * n * n)?;
        let product = ExpressionSystem::hessian_product(&expression, n)
            .map_err(|err| not_differentiable_error(&err))?;
        let mut evaluator = product.evaluator();
        let mut rows = Vec::with_capacity(n);
        let mut slots = point.to_vec();
        slots.resize(2 * n, 0.0);
        for row in 0..n {
            ctx.check()?;
            slots[n..].fill(0.0);
            slots[n + row] = 1.0;
            let mut entries = vec![f64::NAN; n];
            evaluator.point(&slots, &mut entries);
            check_finite_derivatives(&entries, &expression, point)?;
            rows.push(entries);
        }
        Some(rows)
    } else {
        None
    };
    Ok(Output {
        value: Some(values[0]),
        named: by_name(names, &gradient),
        gradient: Some(gradient),
        hessian,
        method: DifferentiateMethod::Exact,
        ..Output::default()
    })
}

fn jacobian_at_point(
    args: &Args,
    texts: &[String],
    scope: &ExpressionScope,
    point: &[f64],
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    if args.order.get() > 1 {
        refuse!(invalid "/order"; "of a list of expressions the order is 1, found {}", args.order.get(); "pass them one by one");
    }
    let n = point.len();
    ctx.reserve_doubles(texts.len().saturating_mul(2 * n + 2))?;
    let texts = texts.iter().enumerate();
    let expressions = texts.map(|(index, text)| parse_formula(text, scope, &format!("/f/{index}")));
    let expressions: Vec<Expression> = expressions.collect::<Result<_, _>>()?;
    unknowns::check_use(args.data.as_ref(), &expressions, ctx)?;
    let m = expressions.len();
    let (system, _) = ExpressionSystem::values_and_jacobian(&expressions, n)
        .map_err(|err| not_differentiable_error(&err))?;
    let mut all = vec![f64::NAN; m * (n + 1)];
    system.evaluator().point(point, &mut all);
    let entries = all.split_off(m);
    for (index, expression) in expressions.iter().enumerate() {
        check_finite_derivatives(&all[index..=index], expression, point)?;
        check_finite_derivatives(&entries[index * n..(index + 1) * n], expression, point)?;
    }
    Ok(Output {
        values: Some(all),
        jacobian: Some(entries.chunks(n).map(<[f64]>::to_vec).collect()),
        method: DifferentiateMethod::Exact,
        ..Output::default()
    })
}
