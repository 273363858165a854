//! Circular functions: products as sums of multiples, and the shorter of equal forms.

use std::cmp::Reverse;

use crate::budget::{Budget, Outcome};
use crate::poly::fraction::{NormalForm, normal_form};
use crate::poly::prepare::rewrite_functions;
use crate::simplify::expand::expand;
use crate::tree::walk::has_minus_sign;
use crate::tree::{Expr, ExprNode, MathFunction};

/// Rewrites products and powers of sines and cosines as sums of multiples of angles.
pub(crate) fn products_to_sums(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let mut current = expand(expr, budget)?;
    for _ in 0..40 {
        budget.spend(current.size() as usize)?;
        let next = Expr::sum(current.terms().iter().map(lower_term));
        let next = expand(&next, budget)?;
        if next == current {
            break;
        }
        current = next;
    }
    Ok(current)
}

fn circular_angle(factor: &Expr) -> Option<(MathFunction, Expr)> {
    match factor.as_call() {
        Some((function @ (MathFunction::Sin | MathFunction::Cos), [angle])) => {
            Some((function.clone(), angle.clone()))
        }
        _ => None,
    }
}

/// Joins the first two circular factors of a term.
fn lower_term(term: &Expr) -> Expr {
    let mut circular: Vec<(MathFunction, Expr)> = Vec::new();
    let mut others = Vec::new();
    for factor in term.factors() {
        let (base, exponent) = factor.base_and_exponent();
        match (circular_angle(&base), exponent.as_integer()) {
            (Some(pair), Some(count)) if (1..=40).contains(&count) => {
                circular.extend(std::iter::repeat_n(pair, count as usize));
            }
            _ => others.push(factor.clone()),
        }
    }
    if circular.len() < 2 {
        return term.clone();
    }
    let joined = join_pair(&circular[0], &circular[1]);
    let rest = circular[2..]
        .iter()
        .map(|(function, angle)| Expr::apply(function.clone(), angle.clone()));
    Expr::product(others.into_iter().chain(rest).chain([joined]))
}

fn join_pair(a: &(MathFunction, Expr), b: &(MathFunction, Expr)) -> Expr {
    let (sum, difference) = (&a.1 + &b.1, &a.1 - &b.1);
    let half = Expr::ratio(1, 2);
    let sin = |x: Expr| Expr::apply(MathFunction::Sin, x);
    let cos = |x: Expr| Expr::apply(MathFunction::Cos, x);
    half * match (&a.0, &b.0) {
        (MathFunction::Sin, MathFunction::Sin) => cos(difference) - cos(sum),
        (MathFunction::Cos, MathFunction::Cos) => cos(difference) + cos(sum),
        (MathFunction::Sin, _) => sin(sum) + sin(difference),
        _ => sin(sum) - sin(difference),
    }
}

/// The shortest of the forms that circular identities give.
pub(crate) fn simplify_circular(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let mut candidates = vec![expr.clone()];
    if let Ok(form) = normal_form(expr, None, &budget.share(400_000)) {
        candidates.push(rename_quotients(&form.to_expr()));
        candidates.push(collect_squares(&form.to_expr(), budget)?);
        candidates.extend(swapped_squares(&form, budget));
        if let Ok(lowered) = products_to_sums(&form.numerator(), &budget.share(100_000)) {
            let den = products_to_sums(&form.denominator(), &budget.share(100_000))
                .unwrap_or_else(|_| form.denominator());
            candidates.push(rename_quotients(&(lowered / den)));
        }
    }
    if let Ok(plain) = rewrite_functions(expr, budget)
        && let Ok(lowered) = products_to_sums(&plain, &budget.share(100_000))
    {
        candidates.push(rename_quotients(&lowered));
    }
    Ok(shortest(candidates))
}

/// Cosines by sines squared instead of the other way round.
fn swapped_squares(form: &NormalForm, budget: &Budget<'_>) -> Option<Expr> {
    let turn = |expr: &Expr| {
        let turned = expr.rewrite(&|part| {
            let (base, exponent) = part.base_and_exponent();
            let (function, angle) = circular_angle(&base)?;
            let count = exponent.as_integer().filter(|count| *count >= 2)?;
            (function == MathFunction::Cos).then(|| {
                let sine = Expr::apply(MathFunction::Sin, angle);
                let square = Expr::one() - sine.powi(2);
                square.powi(count / 2) * base.powi(count % 2)
            })
        });
        expand(&turned, budget)
    };
    let (num, den) = (
        turn(&form.numerator()).ok()?,
        turn(&form.denominator()).ok()?,
    );
    Some(rename_quotients(&(num / den)))
}

/// `1 - cos(x)^2` as `sin(x)^2` where a sum is of that shape.
pub(crate) fn collect_squares(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(expr.size() as usize)?;
    let changed = expr.rewrite(&|part| {
        let [first, second] = part.terms() else {
            return None;
        };
        let scale = first.as_number()?;
        let (coefficient, rest) = second.coefficient_and_rest();
        let (base, exponent) = rest.base_and_exponent();
        let (function, angle) = circular_angle(&base)?;
        if exponent.as_integer() != Some(2) || coefficient != -scale.clone() {
            return None;
        }
        let partner = match function {
            MathFunction::Sin => MathFunction::Cos,
            _ => MathFunction::Sin,
        };
        Some(Expr::number(scale.clone()) * Expr::apply(partner, angle).powi(2))
    });
    Ok(rename_quotients(&changed))
}

/// Quotients of sine and cosine of one angle by their names.
pub(crate) fn rename_quotients(expr: &Expr) -> Expr {
    if let ExprNode::Product(factors) = expr.node()
        && let Some(joined) = join_quotient(expr, factors)
    {
        return rename_quotients(&joined);
    }
    if expr.parts().is_empty() {
        return expr.clone();
    }
    match rename_reciprocal(expr) {
        Some(renamed) => renamed,
        None => expr.map_parts(&mut rename_quotients),
    }
}

/// The product with one pair of sine and cosine as a tangent or cotangent.
fn join_quotient(product: &Expr, factors: &[Expr]) -> Option<Expr> {
    let power_of = |function: MathFunction, angle: &Expr| {
        let wanted = Expr::apply(function, angle.clone());
        factors.iter().find_map(|factor| {
            let (base, exponent) = factor.base_and_exponent();
            (base == wanted).then(|| exponent.as_integer()).flatten()
        })
    };
    for factor in factors {
        let Some((_, angle)) = circular_angle(&factor.base_and_exponent().0) else {
            continue;
        };
        let (Some(s), Some(c)) = (
            power_of(MathFunction::Sin, &angle),
            power_of(MathFunction::Cos, &angle),
        ) else {
            continue;
        };
        if s.signum() == c.signum() {
            continue;
        }
        let count = s.abs().min(c.abs());
        let sine = Expr::apply(MathFunction::Sin, angle.clone());
        let cosine = Expr::apply(MathFunction::Cos, angle.clone());
        let (name, quotient) = match s > 0 {
            true => (MathFunction::Tan, (cosine / sine).powi(count)),
            false => (MathFunction::Cot, (sine / cosine).powi(count)),
        };
        return Some(product * quotient * Expr::apply(name, angle).powi(count));
    }
    None
}

fn rename_reciprocal(part: &Expr) -> Option<Expr> {
    let ExprNode::Power(base, exponent) = part.node() else {
        return None;
    };
    let count = exponent.as_integer().filter(|count| *count < 0)?;
    let (function, angle) = circular_angle(base)?;
    let name = match function {
        MathFunction::Sin => MathFunction::Csc,
        _ => MathFunction::Sec,
    };
    Some(Expr::apply(name, angle).powi(-count))
}

/// A measure of length: nodes, with functions, roots and denominators counted more.
pub(crate) fn complexity(expr: &Expr) -> u64 {
    let own = match expr.node() {
        ExprNode::Number(value) => {
            1 + (value.numer().bits() + value.denom().bits()) / 16 + u64::from(!value.is_integer())
        }
        ExprNode::Call(..) => 3,
        ExprNode::Power(base, exponent) => match (
            exponent.is_negative_number(),
            base.as_exponential().is_some(),
        ) {
            (true, _) => 2,
            _ => 1,
        },
        ExprNode::Sum(terms) => terms.len() as u64,
        ExprNode::Product(factors) => factors.len() as u64 - 1,
        _ => 1,
    };
    expr.parts()
        .into_iter()
        .map(complexity)
        .fold(own, u64::saturating_add)
}

/// The least complex candidate; of equal ones the first.
pub(crate) fn shortest(candidates: Vec<Expr>) -> Expr {
    candidates
        .into_iter()
        .filter(|candidate| candidate.poison().is_none())
        .enumerate()
        .min_by_key(|(place, candidate)| {
            (
                complexity(candidate),
                has_minus_sign(candidate),
                Reverse(usize::MAX - place),
            )
        })
        .map_or_else(Expr::undefined, |(_, candidate)| candidate)
}
