//! Functions of a linear argument.

use crate::budget::{Budget, Outcome};
use crate::tree::walk::is_known_positive;
use crate::tree::{Expr, ExprNode, MathFunction};

/// `a` and `b`, where the expression is `a*x + b` with `a` not zero and both without x.
pub(crate) fn as_linear(
    expr: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<(Expr, Expr)>> {
    let coefficients = as_polynomial(expr, x, 1, budget)?;
    Ok(coefficients.and_then(|parts| match parts.as_slice() {
        [b, a] => Some((a.clone(), b.clone())),
        _ => None,
    }))
}

/// The coefficients from the constant up, where the expression is a polynomial of at most this degree.
pub(crate) fn as_polynomial(
    expr: &Expr,
    x: &Expr,
    limit: usize,
    budget: &Budget<'_>,
) -> Outcome<Option<Vec<Expr>>> {
    let expanded = crate::simplify::expand::expand(expr, budget)?;
    let mut parts: Vec<Expr> = Vec::new();
    for term in expanded.terms() {
        let (inside, outside): (Vec<&Expr>, Vec<&Expr>) =
            term.factors().iter().partition(|factor| factor.contains(x));
        let power = match inside.as_slice() {
            [] => 0,
            [only] => {
                let (base, exponent) = only.base_and_exponent();
                match exponent.as_integer() {
                    Some(count) if base == *x && count > 0 && count as usize <= limit => {
                        count as usize
                    }
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        while parts.len() <= power {
            parts.push(Expr::zero());
        }
        parts[power] = &parts[power] + Expr::product(outside.into_iter().cloned());
    }
    while parts.last().is_some_and(Expr::is_zero) {
        parts.pop();
    }
    Ok(Some(parts))
}

/// The logarithm of the absolute value.
pub(crate) fn log_abs(u: &Expr) -> Expr {
    match is_known_positive(u) {
        true => u.ln(),
        false => Expr::apply(MathFunction::Abs, u.clone()).ln(),
    }
}

/// The antiderivative of a function of a linear argument.
pub(super) fn from_table(expr: &Expr, x: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    match expr.node() {
        ExprNode::Symbol(_) => Ok(Some(x.powi(2) / Expr::integer(2))),
        ExprNode::Power(base, exponent) => power_integral(expr, base, exponent, x, budget),
        ExprNode::Call(function, arguments) if arguments.len() == 1 => {
            let Some((a, _)) = as_linear(&arguments[0], x, budget)? else {
                return Ok(None);
            };
            Ok(call_integral(function, &arguments[0]).map(|found| found / a))
        }
        ExprNode::Product(factors) => quotient_integral(factors, x, budget),
        _ => Ok(None),
    }
}

fn power_integral(
    expr: &Expr,
    base: &Expr,
    exponent: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    if !exponent.contains(x) {
        if let Some((a, _)) = as_linear(base, x, budget)? {
            let next = exponent + Expr::one();
            return Ok(Some(match next.is_zero() {
                true => log_abs(base) / a,
                false => base.pow(&next) / (next * a),
            }));
        }
        if let (Some((function, [u])), Some(count)) = (base.as_call(), exponent.as_integer())
            && let Some((a, _)) = as_linear(u, x, budget)?
        {
            return Ok(call_power_integral(function, u, count).map(|found| found / a));
        }
        return Ok(None);
    }
    if base.contains(x) {
        return Ok(None);
    }
    if let Some((a, _)) = as_linear(exponent, x, budget)? {
        return Ok(Some(expr / (a * base.ln())));
    }
    // exp(-a*x^2 + b*x + c) by the error function.
    let Some(parts) = as_polynomial(exponent, x, 2, budget)? else {
        return Ok(None);
    };
    let ([c, b, a], Some(_)) = (parts.as_slice(), expr.as_exponential()) else {
        return Ok(None);
    };
    let size = -a;
    if !is_known_positive(&size) {
        return Ok(None);
    }
    let root = size.sqrt();
    let argument = &root * x - b / (Expr::integer(2) * &root);
    let scale = Expr::pi().sqrt() / (Expr::integer(2) * root)
        * (b.powi(2) / (Expr::integer(4) * size) + c).exp();
    Ok(Some(scale * Expr::apply(MathFunction::Erf, argument)))
}

fn call_integral(function: &MathFunction, u: &Expr) -> Option<Expr> {
    use MathFunction as F;
    let of = |function: F| Expr::apply(function, u.clone());
    let half = Expr::ratio(1, 2);
    let root = |inside: Expr| inside.sqrt();
    let one = Expr::one();
    Some(match function {
        F::Sin => -of(F::Cos),
        F::Cos => of(F::Sin),
        F::Tan => -log_abs(&of(F::Cos)),
        F::Cot => log_abs(&of(F::Sin)),
        F::Sec => log_abs(&(of(F::Sec) + of(F::Tan))),
        F::Csc => -log_abs(&(of(F::Csc) + of(F::Cot))),
        F::Sinh => of(F::Cosh),
        F::Cosh => of(F::Sinh),
        F::Tanh => of(F::Cosh).ln(),
        F::Coth => log_abs(&of(F::Sinh)),
        F::Sech => Expr::integer(2) * Expr::apply(F::Atan, u.exp()),
        F::Csch => log_abs(&Expr::apply(F::Tanh, u * half)),
        F::Ln => u * of(F::Ln) - u,
        F::Asin => u * of(F::Asin) + root(one - u.powi(2)),
        F::Acos => u * of(F::Acos) - root(one - u.powi(2)),
        F::Atan => u * of(F::Atan) - half * (u.powi(2) + one).ln(),
        F::Asinh => u * of(F::Asinh) - root(u.powi(2) + one),
        F::Atanh => u * of(F::Atanh) + half * log_abs(&(one - u.powi(2))),
        F::Abs => half * u * of(F::Abs),
        F::Erf => u * of(F::Erf) + (-u.powi(2)).exp() / Expr::pi().sqrt(),
        _ => return None,
    })
}

/// Reduction of powers of circular functions.
fn call_power_integral(function: &MathFunction, u: &Expr, count: i64) -> Option<Expr> {
    use MathFunction as F;
    if !(-30..=30).contains(&count) {
        return None;
    }
    let of = |function: &F| Expr::apply(function.clone(), u.clone());
    let named = |function: &F, count: i64| match count {
        0 => Some(u.clone()),
        1 => call_integral(function, u),
        _ => call_power_integral(function, u, count),
    };
    match (function, count) {
        (F::Ln, -1) => Some(Expr::apply(F::ExpIntegral, of(&F::Ln))),
        (F::Cos, count) if count < 0 => named(&F::Sec, -count),
        (F::Sin, count) if count < 0 => named(&F::Csc, -count),
        (F::Tan, count) if count < 0 => named(&F::Cot, -count),
        (F::Cot, count) if count < 0 => named(&F::Tan, -count),
        (F::Sec, count) if count < 0 => None,
        (F::Tan | F::Cot | F::Tanh | F::Coth, count) if count > 1 => {
            let step = of(function).powi(count - 1) / Expr::integer(count - 1);
            let rest = named(function, count - 2)?;
            Some(match function {
                F::Tan => step - rest,
                F::Cot => -step - rest,
                _ => rest - step,
            })
        }
        (F::Sec | F::Csc, 2) => Some(match function {
            F::Sec => of(&F::Tan),
            _ => -of(&F::Cot),
        }),
        (F::Sec | F::Csc, count) if count > 2 => {
            let scale = Expr::integer(count - 1).recip();
            let partner = match function {
                F::Sec => of(&F::Tan),
                _ => -of(&F::Cot),
            };
            let step = of(function).powi(count - 2) * partner * &scale;
            Some(step + Expr::integer(count - 2) * scale * named(function, count - 2)?)
        }
        (F::Sech, 2) => Some(of(&F::Tanh)),
        (F::Csch, 2) => Some(-of(&F::Coth)),
        (F::Cosh, -2) => Some(of(&F::Tanh)),
        (F::Sinh, -2) => Some(-of(&F::Coth)),
        _ => None,
    }
}

/// `exp(u)/v`, `sin(u)/v`, `cos(u)/v` with proportional linear arguments, by the integrals that are named after them.
fn quotient_integral(factors: &[Expr], x: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    let [a, b] = factors else {
        return Ok(None);
    };
    for (denominator, other) in [(a, b), (b, a)] {
        let (v, exponent) = denominator.base_and_exponent();
        if exponent.as_integer() != Some(-1) || v != *x {
            continue;
        }
        if let Some(u) = other.as_exponential()
            && let Some((slope, constant)) = as_linear(u, x, budget)?
        {
            return Ok(Some(
                constant.exp() * Expr::apply(MathFunction::ExpIntegral, slope * x),
            ));
        }
        if let Some((function @ (MathFunction::Sin | MathFunction::Cos), [u])) = other.as_call()
            && let Some((_, constant)) = as_linear(u, x, budget)?
        {
            let name = match function {
                MathFunction::Sin => MathFunction::SinIntegral,
                _ => MathFunction::CosIntegral,
            };
            return Ok(constant.is_zero().then(|| Expr::apply(name, u.clone())));
        }
    }
    Ok(None)
}
