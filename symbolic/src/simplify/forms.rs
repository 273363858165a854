//! The forms that can be asked for.

use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::poly::fraction::{NormalForm, normal_form, normal_form_of_prepared};
use crate::poly::sparse_factor::factor_sparse;
use crate::simplify::apart::apart;
use crate::simplify::circular::{complexity, rename_quotients, shortest, simplify_circular};
use crate::simplify::expand::expand;
use crate::tree::walk::is_known_positive;
use crate::tree::{Expr, ExprNode, MathFunction};

/// A form of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimplifyForm {
    /// The shortest that is found.
    Simple,
    /// Products multiplied out.
    Expand,
    /// A product of factors that cannot be split over the rationals.
    Factor,
    /// One fraction.
    Together,
    /// Partial fractions.
    Apart,
    /// By circular identities.
    Trig,
    /// One fraction without common factors, multiplied out.
    Rational,
}

/// The expression in a form; `variable` is needed for partial fractions of several symbols.
pub fn simplify_as(
    expr: &Expr,
    form: SimplifyForm,
    variable: Option<&Expr>,
    budget: &Budget<'_>,
) -> Outcome<Expr> {
    let expr = budget.admit(expr.clone())?;
    if let ExprNode::Relation(kind, a, b) = expr.node() {
        let (a, b) = (
            simplify_as(a, form, variable, budget)?,
            simplify_as(b, form, variable, budget)?,
        );
        return Ok(Expr::relation(*kind, a, b));
    }
    match form {
        SimplifyForm::Simple => simplify(&expr, budget),
        SimplifyForm::Expand => {
            let expanded = expand(&expr, budget)?;
            // A power that would have too many terms stays as it is elsewhere; who asks for the terms is told.
            let is_left = |part: &Expr| match part.node() {
                ExprNode::Power(base, exponent) => {
                    matches!(base.node(), ExprNode::Sum(_))
                        && exponent.as_integer().is_some_and(|exponent| exponent > 1)
                }
                _ => false,
            };
            match expanded.any(&is_left) {
                true => refuse("a power of a sum has more terms than are written out"),
                false => Ok(expanded),
            }
        }
        SimplifyForm::Factor => factor(&expr, budget),
        SimplifyForm::Together => together(&expr, budget),
        SimplifyForm::Rational => Ok(plain_form(&expr, budget)?.to_expr()),
        SimplifyForm::Trig => simplify_circular(&expr, budget),
        SimplifyForm::Apart => {
            let symbol = match variable {
                Some(symbol) => symbol.clone(),
                None => match expr.symbols().into_iter().next() {
                    Some(symbol) => Expr::symbol_with(&symbol.name, symbol.traits),
                    None => return Ok(expr),
                },
            };
            apart(&expr, &symbol, budget)
        }
    }
}

/// The normal form in the functions that the expression has.
fn plain_form(expr: &Expr, budget: &Budget<'_>) -> Outcome<NormalForm> {
    normal_form_of_prepared(expr, None, budget)
}

/// Numerator and denominator as products of irreducible factors.
pub(crate) fn factored_expr(form: &NormalForm, budget: &Budget<'_>) -> Outcome<Expr> {
    let mut parts = Vec::new();
    for (poly, sign) in [(&form.fraction.num, 1), (&form.fraction.den, -1)] {
        let factored = factor_sparse(poly, budget)?;
        parts.push(Expr::number(factored.constant).powi(sign));
        for (factor, count) in factored.factors {
            parts.push(form.table.poly_to_expr(&factor).powi(sign * count as i64));
        }
    }
    budget.admit(keep_factors(parts))
}

/// A product in which a number does not go into a sum.
fn keep_factors(parts: Vec<Expr>) -> Expr {
    let (numbers, others): (Vec<Expr>, Vec<Expr>) = parts
        .into_iter()
        .partition(|part| part.as_number().is_some());
    let number = Expr::product(numbers);
    let rest = Expr::product(others);
    match (rest.node(), number.is_one()) {
        (ExprNode::Sum(_), false) => Expr::from_node(ExprNode::Product(vec![number, rest])),
        _ => number * rest,
    }
}

/// Factors over the rationals.
pub(crate) fn factor(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let form = plain_form(expr, budget)?;
    factored_expr(&form, budget)
}

fn together(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let form = plain_form(expr, budget)?;
    let num = form.numerator();
    let factored = factored_expr(
        &NormalForm {
            table: form.table.clone(),
            fraction: crate::poly::fraction::KernelFraction {
                num: crate::poly::sparse::SparsePoly::one(form.fraction.num.variables),
                den: form.fraction.den.clone(),
            },
        },
        budget,
    )?;
    Ok(num * factored)
}

/// Attempts that fail for their limits count as none; a stop is passed on.
fn attempt(candidates: &mut Vec<Expr>, result: Outcome<Expr>) -> Outcome<()> {
    match result {
        Ok(expr) => {
            candidates.push(expr);
            Ok(())
        }
        Err(SymbolicFault::Stopped) => Err(SymbolicFault::Stopped),
        Err(_) => Ok(()),
    }
}

/// The shortest form that is found.
pub(crate) fn simplify(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let first = simplify_once(expr, budget)?;
    match complexity(&first) < complexity(expr) && first.size() > 3 {
        true => simplify_once(&first, budget),
        false => Ok(first),
    }
}

fn simplify_once(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(1)?;
    if expr.parts().is_empty() {
        return Ok(expr.clone());
    }
    let inner = simplify_parts(expr, budget)?;
    let mut candidates = vec![inner.clone()];
    let share = || budget.share(300_000);
    attempt(&mut candidates, join_logarithms(&inner, budget))?;
    attempt(&mut candidates, expand(&inner, &share()))?;
    if let Ok(form) = plain_form(&inner, &share()) {
        candidates.push(form.to_expr());
        attempt(&mut candidates, factored_expr(&form, &share()))?;
    }
    if inner.any(&|part| is_circular_or_hyperbolic(part)) {
        attempt(&mut candidates, simplify_circular(&inner, &share()))?;
        attempt(&mut candidates, simplify_hyperbolic(&inner, &share()))?;
    }
    if let Ok(form) = normal_form(&inner, None, &share()) {
        candidates.push(rename_quotients(&form.to_expr()));
        if let Ok(factored) = factored_expr(&form, &share()) {
            candidates.push(rename_quotients(&factored));
        }
    }
    let best = shortest(candidates);
    budget.admit(best.rewrite(&|part| {
        let changed = crate::poly::roots::denest(part);
        (changed != *part).then_some(changed)
    }))
}

fn is_circular_or_hyperbolic(part: &Expr) -> bool {
    use MathFunction as F;
    part.as_exponential().is_some()
        || matches!(
            part.as_call(),
            Some((
                F::Sin
                    | F::Cos
                    | F::Tan
                    | F::Cot
                    | F::Sec
                    | F::Csc
                    | F::Sinh
                    | F::Cosh
                    | F::Tanh
                    | F::Coth
                    | F::Sech
                    | F::Csch,
                _
            ))
        )
}

/// Simplifies what stands inside functions, roots and exponents.
fn simplify_parts(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let mut fault = None;
    let mut change = |part: &Expr| match simplify_inside(part, budget) {
        Ok(part) => part,
        Err(err) => {
            fault = Some(err);
            Expr::zero()
        }
    };
    let changed = expr.map_parts(&mut change);
    match fault {
        Some(SymbolicFault::Stopped) => Err(SymbolicFault::Stopped),
        Some(_) => Ok(expr.clone()),
        None => budget.admit(changed),
    }
}

fn simplify_inside(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    match expr.node() {
        ExprNode::Call(function, arguments) => {
            let arguments: Outcome<Vec<Expr>> = arguments
                .iter()
                .map(|argument| simplify_once(argument, budget))
                .collect();
            Ok(Expr::call(function.clone(), arguments?))
        }
        ExprNode::Power(base, exponent) if exponent.as_integer().is_none() => {
            Ok(simplify_once(base, budget)?.pow(&simplify_once(exponent, budget)?))
        }
        _ if expr.parts().is_empty() => Ok(expr.clone()),
        _ => simplify_parts(expr, budget),
    }
}

/// Sums of whole multiples of logarithms of positive values as one logarithm.
fn join_logarithms(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let joined = expr.rewrite(&|part| {
        let ExprNode::Sum(terms) = part.node() else {
            return None;
        };
        let (mut inside, mut others) = (Vec::new(), Vec::new());
        for term in terms {
            let (coefficient, rest) = term.coefficient_and_rest();
            match rest.argument_of(MathFunction::Ln) {
                Some(argument) if coefficient.is_integer() && is_known_positive(argument) => {
                    inside.push(argument.pow(&Expr::number(coefficient)));
                }
                _ => others.push(term.clone()),
            }
        }
        (inside.len() > 1).then(|| Expr::sum(others) + Expr::product(inside).ln())
    });
    budget.admit(joined)
}

/// Exponentials as hyperbolic functions where that is shorter.
fn simplify_hyperbolic(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let form = normal_form(expr, None, budget)?;
    let plain = expand(&form.to_expr(), budget)?;
    // a*e^x + b*e^-x = (a + b)*cosh(x) + (a - b)*sinh(x)
    let named = plain.rewrite(&|part| {
        let ExprNode::Sum(terms) = part.node() else {
            return None;
        };
        for (place, term) in terms.iter().enumerate() {
            let (coefficient, rest) = term.coefficient_and_rest();
            let Some(exponent) = rest.as_exponential() else {
                continue;
            };
            let partner = (-exponent).exp();
            let found = terms
                .iter()
                .enumerate()
                .skip(place + 1)
                .find(|(_, other)| other.coefficient_and_rest().1 == partner);
            if let Some((other, second)) = found {
                let second = Expr::number(second.coefficient_and_rest().0);
                let first = Expr::number(coefficient);
                let cosh = Expr::apply(MathFunction::Cosh, exponent.clone());
                let sinh = Expr::apply(MathFunction::Sinh, exponent.clone());
                let rest = terms
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| *at != place && *at != other)
                    .map(|(_, term)| term.clone());
                return Some(Expr::sum(
                    rest.chain([(&first + &second) * cosh, (first - second) * sinh]),
                ));
            }
        }
        None
    });
    budget.admit(named)
}
