//! `y' = g(x)*h(y)`: both sides integrated, and solved for the function where that goes.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::{ClosedFormSolution, FoundSolutions, antiderivative, shorten_form};
use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::numeric::compare_values;
use crate::simplify::expand::expand;
use crate::solve::{SolveDomain, solve_equation};
use crate::tree::integer::lcm_of;
use crate::tree::{Expr, ExprNode, MathFunction, RelationKind, SymbolTraits};

/// Values at which one variable is held to separate the other.
const HOLD: [(i64, i64); 8] = [
    (0, 0),
    (1, 1),
    (1, 0),
    (0, 1),
    (1, 2),
    (2, 1),
    (2, 3),
    (3, 5),
];
/// Points at which the product of both parts is compared.
const POINTS: usize = 4;

/// The factors of `x` alone and of `y` alone.
pub(super) fn separate_variables(
    slope: &Expr,
    x: &Expr,
    y: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<(Expr, Expr)>> {
    if !slope.contains(x) {
        return Ok(Some((Expr::one(), slope.clone())));
    }
    if !slope.contains(y) {
        return Ok(Some((slope.clone(), Expr::one())));
    }
    for (at_x, at_y) in HOLD {
        let (at_x, at_y) = (Expr::integer(at_x), Expr::integer(at_y));
        let by_y = slope.replace(x, &at_x);
        let by_x = slope.replace(y, &at_y);
        let scale = by_y.replace(y, &at_y);
        if [&by_x, &by_y, &scale]
            .iter()
            .any(|part| part.poison().is_some() || part.is_zero())
        {
            continue;
        }
        if !compare_values(&(slope * &scale), &(&by_x * &by_y), POINTS, budget)?.is_agreement() {
            return Ok(None);
        }
        let g = shorten_form(&(by_x / scale), budget)?;
        let h = shorten_form(&by_y, budget)?;
        // A number goes to the side of the variable.
        let (number, h) = match h.node() {
            ExprNode::Sum(_) => (Expr::one(), h),
            _ => {
                let (number, rest) = h.coefficient_and_rest();
                (Expr::number(number), rest)
            }
        };
        return Ok(Some((number * g, h)));
    }
    Ok(None)
}

/// The solutions of `y' = g(x)*h(y)`.
pub(super) fn solve_separated(
    (g, h): (&Expr, &Expr),
    x: &Expr,
    y: &Expr,
    constant: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    let Some(left) = antiderivative(&h.recip(), y, budget)? else {
        return Ok(None);
    };
    let Some(right) = antiderivative(g, x, budget)? else {
        return Ok(None);
    };
    let mut found = FoundSolutions {
        method: "separable".to_owned(),
        ..FoundSolutions::default()
    };
    if h.contains(y)
        && let Ok(zeros) = solve_equation(h, y, SolveDomain::Real, &budget.share(300_000))
    {
        let constants = zeros
            .solutions
            .into_iter()
            .filter(|zero| zero.is_exact && zero.family.is_none() && !zero.value.contains(x));
        found.singular = constants.map(|zero| zero.value).collect();
    }
    let values = solve_for_function(&left, &right, y, constant, budget)?;
    if values.is_empty() {
        found.solutions = vec![implicit_solution(&left, &right, y, constant, budget)?];
    } else {
        found.solutions = values
            .into_iter()
            .map(ClosedFormSolution::explicit)
            .collect();
    }
    Ok(Some(found))
}

/// `left(y) - right(x) = C`; of logarithms alone their product.
fn implicit_solution(
    left: &Expr,
    right: &Expr,
    y: &Expr,
    constant: &Expr,
    budget: &Budget<'_>,
) -> Outcome<ClosedFormSolution> {
    let difference = match joined_logarithm(left, y, budget)? {
        Some((inside, times)) => {
            let exponent = expand(&(Expr::number(-times) * right), budget)?;
            inside * exponent.exp()
        }
        None => left - right,
    };
    let difference = shorten_form(&difference, budget)?;
    Ok(ClosedFormSolution::implicit(Expr::relation(
        RelationKind::Equal,
        difference,
        constant.clone(),
    )))
}

/// Solves `left(y) = right(x) + C` for `y`.
pub(super) fn solve_for_function(
    left: &Expr,
    right: &Expr,
    y: &Expr,
    constant: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    // Logarithms alone: their exponential, in which the constant becomes a factor of either sign.
    if let Some((inside, times)) = joined_logarithm(left, y, budget)? {
        let share = Expr::symbol("\u{3b7}k");
        let values = values_of(&inside, &share, y, budget)?;
        if !values.is_empty() {
            let exponent = expand(&(Expr::number(times) * right), budget)?;
            let full = constant * exponent.exp();
            return replace_share(values, &share, &full, budget);
        }
    }
    // Common denominators go into the constant.
    let (left, right) = (expand(left, budget)?, expand(right, budget)?);
    let times = left
        .terms()
        .iter()
        .chain(right.terms())
        .fold(BigInt::one(), |all, term| {
            lcm_of(&all, term.coefficient_and_rest().0.denom())
        });
    let times = Expr::number(BigRational::from_integer(times));
    let (left, full) = peel_functions(&times * left, times * right + constant, y);
    let mut values = Vec::new();
    // A root is above zero: with a value of which that is known it can be put back.
    let has_root = left.any(&|part| match part.node() {
        ExprNode::Power(base, exponent) => base.contains(y) && exponent.as_integer().is_none(),
        _ => false,
    });
    for traits in [SymbolTraits::REAL, SymbolTraits::POSITIVE] {
        if traits.is_positive && !has_root {
            break;
        }
        let share = Expr::symbol_with("\u{3b7}k", traits);
        let found = values_of(&left, &share, y, budget)?;
        values = replace_share(found, &share, &full, budget)?;
        if !values.is_empty() {
            break;
        }
    }
    Ok(values)
}

/// Takes off functions that stand around all of `y`, with their inverse on the other side; which branch it is shows when the solution is put back.
fn peel_functions(mut left: Expr, mut right: Expr, y: &Expr) -> (Expr, Expr) {
    use MathFunction as F;
    for _ in 0..8 {
        let (with, without): (Vec<&Expr>, Vec<&Expr>) =
            left.terms().iter().partition(|term| term.contains(y));
        let [term] = with.as_slice() else {
            break;
        };
        let (inside, factor) = crate::transforms::split_factors(term, y);
        let rest = Expr::sum(without.into_iter().cloned());
        let value = (&right - rest) / factor;
        let (argument, inverse) = match (inside.as_call(), inside.node()) {
            (Some((function, [argument])), _) => {
                let inverse = match function {
                    F::Atan => F::Tan,
                    F::Asin => F::Sin,
                    F::Acos => F::Cos,
                    F::Asinh => F::Sinh,
                    F::Acosh => F::Cosh,
                    F::Atanh => F::Tanh,
                    F::Ln => {
                        (left, right) = (argument.clone(), value.exp());
                        continue;
                    }
                    _ => break,
                };
                (argument.clone(), Expr::apply(inverse, value))
            }
            (_, ExprNode::Power(base, exponent)) if *exponent == Expr::ratio(1, 2) => {
                (base.clone(), value.powi(2))
            }
            _ => break,
        };
        (left, right) = (argument, inverse);
    }
    (left, right)
}

fn replace_share(
    values: Vec<Expr>,
    share: &Expr,
    full: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    let mut all = Vec::new();
    for value in values {
        let set = budget.admit(value.replace(share, full));
        if let Ok(set) = set {
            all.push(shorten_form(&set, budget)?);
        }
    }
    Ok(all)
}

/// The values of `y` at which an expression has a value, where they are known and no whole number stands in them.
fn values_of(expr: &Expr, value: &Expr, y: &Expr, budget: &Budget<'_>) -> Outcome<Vec<Expr>> {
    let equation = Expr::relation(RelationKind::Equal, expr.clone(), value.clone());
    let solved = solve_equation(&equation, y, SolveDomain::Real, &budget.share(600_000));
    match solved {
        Ok(solved) => Ok(match solved.unsolved.is_empty() {
            true => solved
                .solutions
                .into_iter()
                .filter(|solution| solution.is_exact)
                .map(|solution| match &solution.family {
                    Some(name) => {
                        let k = Expr::symbol_with(name, SymbolTraits::INTEGER);
                        solution.value.replace(&k, &Expr::zero())
                    }
                    None => solution.value,
                })
                .filter(|value| value.poison().is_none() && !value.contains(y))
                .collect(),
            false => Vec::new(),
        }),
        Err(SymbolicFault::Stopped) => Err(SymbolicFault::Stopped),
        Err(_) => Ok(Vec::new()),
    }
}

/// A sum of multiples of logarithms of `y` as one: what stands inside, and by what number the sum was multiplied.
fn joined_logarithm(
    expr: &Expr,
    y: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<(Expr, BigRational)>> {
    let expanded = expand(expr, budget)?;
    let mut parts: Vec<(BigRational, Expr)> = Vec::new();
    let mut scale = Expr::one();
    for (place, term) in expanded.terms().iter().enumerate() {
        let (inside, outside) = crate::transforms::split_factors(term, y);
        let Some(argument) = inside.argument_of(MathFunction::Ln) else {
            return Ok(None);
        };
        // A factor that is no number is the same in all.
        let (number, rest) = outside.coefficient_and_rest();
        if place == 0 {
            scale = rest;
        } else if scale != rest {
            return Ok(None);
        }
        parts.push((number, argument.clone()));
    }
    if !scale.is_one() {
        return Ok(None);
    }
    let common = parts.iter().fold(BigInt::one(), |all, (number, _)| {
        lcm_of(&all, number.denom())
    });
    let times = BigRational::from_integer(common);
    let mut inside = Expr::one();
    for (number, argument) in parts {
        let Some(count) = (number * &times).to_integer().to_i64() else {
            return Ok(None);
        };
        inside = inside * argument.powi(count);
    }
    Ok(Some((inside, times)))
}
