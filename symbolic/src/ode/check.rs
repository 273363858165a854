//! Solutions put back into their equation, at random points of the variable and of the constants.

use super::problem::DifferentialProblem;
use super::{ClosedFormSolution, FoundSolutions, OdeAnswer};
use crate::budget::{Budget, Outcome};
use crate::calculus::derivative_of;
use crate::numeric::compare::PointSequence;
use crate::numeric::evaluate::{Assignment, Evaluation, WORKING_BITS};
use crate::tree::{Expr, Symbol};

/// Points at which a solution is put back.
const POINTS: usize = 6;
/// Points that are tried.
const TRIES: usize = 60;
/// Bits to which both sides agree: 30 digits.
const AGREEMENT_BITS: i64 = 100;

/// How often two expressions agree and differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PointCount {
    pub agreed: usize,
    pub differed: usize,
}

/// Keeps the solutions that fulfil the equation.
pub(super) fn keep_checked(
    problem: &DifferentialProblem,
    found: FoundSolutions,
    budget: &Budget<'_>,
) -> Outcome<OdeAnswer> {
    let mut answer = OdeAnswer {
        order: problem.order,
        method: found.method,
        solutions: Vec::new(),
        constants: problem
            .constants
            .iter()
            .filter_map(|constant| constant.as_symbol().map(|symbol| symbol.name.to_string()))
            .collect(),
        singular: Vec::new(),
        conditions: found.conditions,
        points: 0,
    };
    for mut solution in found.solutions {
        if answer
            .solutions
            .iter()
            .any(|known| known.expr == solution.expr)
        {
            continue;
        }
        let Some(count) = count_points(problem, &solution, budget)? else {
            continue;
        };
        if count.agreed < POINTS.min(3) || !has_all_constants(problem, &solution) {
            continue;
        }
        solution.holds_on_branch = count.differed > 0;
        answer.points = match answer.points {
            0 => count.agreed,
            points => points.min(count.agreed),
        };
        answer.solutions.push(solution);
    }
    for value in found.singular {
        let solution = ClosedFormSolution::explicit(value.clone());
        let is_new = !answer.singular.contains(&value);
        if is_new
            && let Some(count) = count_points(problem, &solution, budget)?
            && count.agreed > 0
            && count.differed == 0
            && !is_member(problem, &answer.solutions, &value, budget)?
        {
            answer.singular.push(value);
        }
    }
    Ok(answer)
}

/// Whether as many constants occur as the equation has orders.
fn has_all_constants(problem: &DifferentialProblem, solution: &ClosedFormSolution) -> bool {
    problem
        .constants
        .iter()
        .all(|constant| solution.expr.contains(constant))
}

/// Whether a solution is the general one at a simple value of its constant.
fn is_member(
    problem: &DifferentialProblem,
    solutions: &[ClosedFormSolution],
    value: &Expr,
    budget: &Budget<'_>,
) -> Outcome<bool> {
    let Some(constant) = problem.constants.first() else {
        return Ok(false);
    };
    for solution in solutions.iter().filter(|solution| solution.is_explicit) {
        for choice in [0, 1, -1] {
            let special = solution.expr.replace(constant, &Expr::integer(choice));
            if special.poison().is_none()
                && !special.contains(&problem.slots[0])
                && crate::numeric::compare_values(&special, value, 3, budget)?.is_agreement()
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Puts a solution back; `None` where it has no derivative.
pub(super) fn count_points(
    problem: &DifferentialProblem,
    solution: &ClosedFormSolution,
    budget: &Budget<'_>,
) -> Outcome<Option<PointCount>> {
    let Some((left, right)) = sides_with(problem, solution, budget)? else {
        return Ok(None);
    };
    compare_at_points(&left, &right, budget).map(Some)
}

/// Both sides of the equation with a solution in them; `None` where it has no derivative.
pub(super) fn sides_with(
    problem: &DifferentialProblem,
    solution: &ClosedFormSolution,
    budget: &Budget<'_>,
) -> Outcome<Option<(Expr, Expr)>> {
    let slopes = match solution.is_explicit {
        true => explicit_slopes(problem, &solution.expr, budget)?,
        false => implicit_slope(problem, &solution.expr, budget)?,
    };
    let Some(slopes) = slopes else {
        return Ok(None);
    };
    let set = |side: &Expr| {
        // The highest first: each is a symbol of its own.
        problem
            .slots
            .iter()
            .zip(&slopes)
            .rev()
            .fold(side.clone(), |side, (slot, slope)| {
                side.replace(slot, slope)
            })
    };
    let (left, right) = (set(&problem.sides.0), set(&problem.sides.1));
    if left.poison().is_some() || right.poison().is_some() {
        return Ok(None);
    }
    Ok(Some((left, right)))
}

fn explicit_slopes(
    problem: &DifferentialProblem,
    value: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Vec<Expr>>> {
    if value.poison().is_some() || value.contains(&problem.slots[0]) {
        return Ok(None);
    }
    let mut slopes = vec![value.clone()];
    for _ in 0..problem.order {
        let Ok(next) = derivative_of(&slopes[slopes.len() - 1], &problem.x, budget) else {
            budget.spend(1)?;
            return Ok(None);
        };
        slopes.push(next);
    }
    Ok(Some(slopes))
}

/// Of `G(x, y) = C`: the slope is `-G_x/G_y`, at all points of the plane.
fn implicit_slope(
    problem: &DifferentialProblem,
    relation: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Vec<Expr>>> {
    let y = &problem.slots[0];
    let crate::tree::ExprNode::Relation(_, left, _) = relation.node() else {
        return Ok(None);
    };
    if problem.order != 1 {
        return Ok(None);
    }
    let (Ok(by_x), Ok(by_y)) = (
        derivative_of(left, &problem.x, budget),
        derivative_of(left, y, budget),
    ) else {
        budget.spend(1)?;
        return Ok(None);
    };
    if by_y.is_zero() {
        return Ok(None);
    }
    Ok(Some(vec![y.clone(), -by_x / by_y]))
}

/// Compares at random points, on all branches that they meet.
pub(super) fn compare_at_points(a: &Expr, b: &Expr, budget: &Budget<'_>) -> Outcome<PointCount> {
    let symbols: Vec<Symbol> = a.symbols().union(&b.symbols()).cloned().collect();
    let mut sequence = PointSequence::new();
    let mut count = PointCount {
        agreed: 0,
        differed: 0,
    };
    let tries = if symbols.is_empty() { POINTS } else { TRIES };
    for attempt in 0..tries {
        let Some(empty) = Evaluation::new(WORKING_BITS, Assignment::new(), budget) else {
            break;
        };
        let values: Assignment = symbols
            .iter()
            .map(|symbol| {
                let value = sequence.value(symbol, attempt);
                let value = empty.arithmetic.fraction(&value);
                (symbol.clone(), empty.arithmetic.complex(value))
            })
            .collect();
        let Some(mut evaluation) = Evaluation::new(WORKING_BITS, values, budget) else {
            break;
        };
        let (Some(first), Some(second)) = (evaluation.value(a)?, evaluation.value(b)?) else {
            continue;
        };
        let math = &evaluation.arithmetic;
        let gap = math.modulus(&math.sub(&first, &second));
        let size = math.fadd(
            &math.fadd(&math.modulus(&first), &math.modulus(&second)),
            &math.real(1),
        );
        let is_equal = gap.is_zero()
            || match (gap.exponent(), size.exponent()) {
                (Some(gap), Some(size)) => i64::from(size) - i64::from(gap) > AGREEMENT_BITS,
                _ => false,
            };
        match is_equal {
            true => count.agreed += 1,
            false => count.differed += 1,
        }
        if count.agreed >= POINTS && count.agreed + count.differed >= 2 * POINTS
            || count.differed >= 2 * POINTS
        {
            break;
        }
        if count.differed == 0 && count.agreed == POINTS {
            break;
        }
    }
    Ok(count)
}
