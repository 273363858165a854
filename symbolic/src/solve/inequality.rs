//! Inequalities in one real unknown: the line is cut at zeros and at ends of the domain, and each piece is tried.

use super::{SolveDomain, solve_equation};
use crate::budget::{Budget, Outcome, refuse};
use crate::numeric::compare::{numeric_sign, real_double};
use crate::simplify::conditions::denominator_factors;
use crate::tree::{Expr, ExprNode, MathFunction, RelationKind};

/// An interval of solutions.
#[derive(Debug, Clone, PartialEq)]
pub struct SolutionInterval {
    /// The lower end; minus infinity where there is none.
    pub low: Expr,
    /// Whether the lower end is a solution.
    pub has_low: bool,
    /// The upper end.
    pub high: Expr,
    /// Whether the upper end is a solution.
    pub has_high: bool,
}

/// Solves an inequality for a real unknown.
pub fn solve_inequality(
    relation: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Vec<SolutionInterval>> {
    let ExprNode::Relation(kind, left, right) = relation.node() else {
        return refuse("an inequality is expected");
    };
    let difference = left - right;
    if difference
        .symbols()
        .iter()
        .any(|symbol| x.as_symbol() != Some(symbol))
    {
        return refuse("an inequality with parameters is not solved: give them values");
    }
    let mut cuts: Vec<Expr> = Vec::new();
    add_zeros(&difference, x, &mut cuts, budget)?;
    for part in ends_of_domain(&difference, x, budget)? {
        add_zeros(&part, x, &mut cuts, budget)?;
    }
    let holds = |point: &Expr| -> Outcome<bool> {
        let value = difference.replace(x, point);
        if value.poison().is_some() {
            return Ok(false);
        }
        // Without a sign it is not real there: outside of the domain.
        Ok(
            numeric_sign(&value, budget)?.is_some_and(|sign| match kind {
                RelationKind::Less => sign < 0,
                RelationKind::LessEqual => sign <= 0,
                RelationKind::Greater => sign > 0,
                RelationKind::GreaterEqual => sign >= 0,
                RelationKind::Unequal => sign != 0,
                RelationKind::Equal => sign == 0,
            }),
        )
    };
    let mut pieces: Vec<(bool, bool)> = Vec::new();
    for place in 0..=cuts.len() {
        let point = inner_point(
            place.checked_sub(1).map(|before| &cuts[before]),
            cuts.get(place),
            budget,
        )?;
        let at_cut = match cuts.get(place) {
            Some(cut) => holds(cut)?,
            None => false,
        };
        pieces.push((holds(&point)?, at_cut));
    }
    Ok(join_pieces(&cuts, &pieces))
}

fn add_zeros(expr: &Expr, x: &Expr, cuts: &mut Vec<Expr>, budget: &Budget<'_>) -> Outcome<()> {
    if !expr.contains(x) {
        return Ok(());
    }
    let found = solve_equation(expr, x, SolveDomain::Real, budget)?;
    if !found.unsolved.is_empty() {
        return refuse("the zeros of the inequality are not all found");
    }
    for solution in found.solutions {
        if solution.family.is_some() {
            return refuse("an inequality with infinitely many zeros is not solved");
        }
        if !solution.is_exact {
            return refuse(
                "an end of the solutions has no short exact form: `find_root` gives its digits",
            );
        }
        insert_ascending(cuts, solution.value, budget)?;
    }
    Ok(())
}

/// Adds a cut at its place among those that are there, unless it is one of them; by all digits, since cuts may be nearer than doubles are.
fn insert_ascending(cuts: &mut Vec<Expr>, cut: Expr, budget: &Budget<'_>) -> Outcome<()> {
    for (place, other) in cuts.iter().enumerate() {
        match numeric_sign(&(&cut - other), budget)? {
            Some(0) => return Ok(()),
            Some(sign) if sign < 0 => {
                cuts.insert(place, cut);
                return Ok(());
            }
            Some(_) => {}
            None => return refuse("the zeros of the inequality cannot be ordered"),
        }
    }
    cuts.push(cut);
    Ok(())
}

/// Expressions whose zeros are ends of the domain: denominators, and what stands in logarithms and roots.
fn ends_of_domain(expr: &Expr, x: &Expr, budget: &Budget<'_>) -> Outcome<Vec<Expr>> {
    let mut found = denominator_factors(expr, budget)?;
    for part in expr.collect(&|part| part.contains(x)) {
        match part.node() {
            ExprNode::Call(MathFunction::Ln | MathFunction::Sign, arguments) => {
                found.push(arguments[0].clone())
            }
            ExprNode::Call(
                MathFunction::Asin | MathFunction::Acos | MathFunction::Atanh,
                arguments,
            ) => {
                found.push(&arguments[0] - Expr::one());
                found.push(&arguments[0] + Expr::one());
            }
            ExprNode::Call(MathFunction::Acosh, arguments) => {
                found.push(&arguments[0] - Expr::one())
            }
            ExprNode::Call(
                MathFunction::Floor | MathFunction::Ceil | MathFunction::Tan | MathFunction::Gamma,
                _,
            ) => {
                return refuse("an inequality with infinitely many jumps is not solved");
            }
            ExprNode::Power(base, exponent)
                if exponent.as_integer().is_none() && base.contains(x) =>
            {
                found.push(base.clone())
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A point between two cuts: a short fraction where doubles tell them apart, else their mean.
fn inner_point(low: Option<&Expr>, high: Option<&Expr>, budget: &Budget<'_>) -> Outcome<Expr> {
    let double = |cut: Option<&Expr>| -> Outcome<Option<f64>> {
        cut.map_or(Ok(None), |cut| real_double(cut, budget))
    };
    let value = match (double(low)?, double(high)?) {
        (None, None) => 0.5,
        (None, Some(high)) => high - 1.0 - high.abs() / 4.0,
        (Some(low), None) => low + 1.0 + low.abs() / 4.0,
        (Some(low), Some(high)) => low + (high - low) * 0.5,
    };
    let Some(value) = num_rational::BigRational::from_float(value) else {
        return refuse("a zero of the inequality is beyond the range of doubles");
    };
    let point = Expr::number(value);
    let is_above = |a: &Expr, b: &Expr| -> Outcome<bool> {
        Ok(numeric_sign(&(a - b), budget)?.is_some_and(|sign| sign > 0))
    };
    let is_inside = low.map_or(Ok(true), |low| is_above(&point, low))?
        && high.map_or(Ok(true), |high| is_above(high, &point))?;
    match (is_inside, low, high) {
        (true, ..) => Ok(point),
        (false, Some(low), Some(high)) => Ok((low + high) / Expr::integer(2)),
        (false, ..) => refuse("no point beyond the zeros of the inequality is found"),
    }
}

fn join_pieces(cuts: &[Expr], pieces: &[(bool, bool)]) -> Vec<SolutionInterval> {
    let mut intervals = Vec::new();
    let minus = || Expr::constant(crate::tree::MathConstant::MinusInfinity);
    let mut open: Option<(Expr, bool)> = None;
    for (place, &(inside, at_cut)) in pieces.iter().enumerate() {
        if inside && open.is_none() {
            open = Some(match place.checked_sub(1) {
                None => (minus(), false),
                Some(before) => (cuts[before].clone(), false),
            });
        }
        let Some(cut) = cuts.get(place) else {
            break;
        };
        let goes_through = inside && at_cut && pieces[place + 1].0;
        match open.take() {
            Some(start) if goes_through => open = Some(start),
            Some((low, has_low)) => {
                intervals.push(SolutionInterval {
                    low,
                    has_low,
                    high: cut.clone(),
                    has_high: at_cut,
                });
            }
            None if at_cut && pieces[place + 1].0 => open = Some((cut.clone(), true)),
            None if at_cut => intervals.push(SolutionInterval {
                low: cut.clone(),
                has_low: true,
                high: cut.clone(),
                has_high: true,
            }),
            None => {}
        }
    }
    if let Some((low, has_low)) = open {
        intervals.push(SolutionInterval {
            low,
            has_low,
            high: Expr::infinity(),
            has_high: false,
        });
    }
    intervals
}
