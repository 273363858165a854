//! From starts to solutions.

use rand::RngExt;
use tool_core::rng::StreamRng;
use tool_core::{Ctx, Real, ToolError};

use super::equations::NonlinearSystem;
use super::verify::{condition_number, invert_matrix, multiply_vector, verify_solution};
use super::{Args, NonlinearSolution, Output, SolveNonlinearReason};
use crate::expression::ExpressionScope;
use crate::optimise::least_squares::levenberg::{
    self, LeastSquaresResult, LevenbergOptions, StepWeights,
};
use crate::optimise::least_squares::loss::{LossKind, RobustLoss};
use crate::optimise::least_squares::problem::ResidualSystem;
use crate::optimise::least_squares::projected::minimise_doggedly;
use crate::optimise::minimise::bounds::VariableBounds;

/// Condition beyond which a Jacobian counts as singular.
const SINGULAR: f64 = 1e13;
/// Relative error beyond which a solution counts as singular: half the digits.
const BLURRED: f64 = 1e-8;
/// Relative slope of the sum of squares below which its point counts as a minimum.
const STATIONARY: f64 = 1e-6;
/// Newton steps to rounding.
const POLISH: usize = 20;

/// The stream of the starts beside a local minimum.
const RESTARTS: u64 = 1;
/// Starts beside the last of those given, where it leads to a local minimum.
const RESTARTS_EACH: usize = 8;

/// What a start led to.
enum StartOutcome {
    Solution(NonlinearSolution, SolveNonlinearReason),
    /// The point, its equations, the norm and the reason.
    Elsewhere(Vec<f64>, Vec<f64>, SolveNonlinearReason),
}

pub(super) fn search_solutions(
    equations: &NonlinearSystem<'_>,
    args: &Args,
    scope: ExpressionScope,
    starts: &[Vec<f64>],
    bounds: &VariableBounds,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let n = equations.n();
    let loss = RobustLoss {
        kind: LossKind::default(),
        scale: 1.0,
    };
    let texts = scale_equations(equations, &args.system, starts)?;
    let mut problem = ResidualSystem::new(&texts, scope, n, loss, ctx)?;
    let pairs: Vec<[f64; 2]> = bounds
        .low
        .iter()
        .zip(&bounds.high)
        .map(|(low, high)| [*low, *high])
        .collect();
    let how = LevenbergOptions {
        bounds: &pairs,
        max_iter: args.max_iter.get() as u64,
        tolerance: 1e-14,
        scale: 0.0,
        error: 0.0,
        weights: StepWeights::Largest,
    };
    let (mut solutions, mut iterations, mut undefined): (
        Vec<(NonlinearSolution, SolveNonlinearReason)>,
        u64,
        usize,
    ) = (Vec::new(), 0, 0);
    let mut best: Option<(Vec<f64>, Vec<f64>, SolveNonlinearReason)> = None;
    let mut rng = ctx.rng(ctx.seed(None), RESTARTS);
    let mut queue: Vec<(Vec<f64>, bool)> =
        starts.iter().map(|start| (start.clone(), false)).collect();
    let mut index = 0;
    while let Some((start, is_restart)) = queue.get(index).cloned() {
        index += 1;
        let start = &start;
        ctx.progress((index - 1) as f64 / queue.len() as f64, || {
            format!("start {index} of {}", queue.len())
        });
        let Some(first) = equations.at(start)? else {
            undefined += 1;
            continue;
        };
        let (found, count) = minimise_doggedly(&mut problem, start, &how, ctx)?;
        iterations += count;
        let Some(found) = found else {
            undefined += 1;
            continue;
        };
        match judge_point(
            equations,
            args,
            bounds,
            start,
            euclidean_norm(&first.values),
            &found,
            ctx,
        )? {
            StartOutcome::Solution(solution, reason) => {
                add_solution(&mut solutions, solution, reason, largest_magnitude(start));
            }
            StartOutcome::Elsewhere(x, values, reason) => {
                let is_last = index == queue.len() && solutions.is_empty();
                if is_last && !is_restart && reason == SolveNonlinearReason::LocalMinimum {
                    let others = (0..RESTARTS_EACH).map(|_| {
                        let moved = perturb_start(start, &x, bounds, &mut rng);
                        (moved, true)
                    });
                    queue.extend(others.collect::<Vec<_>>());
                }
                if best
                    .as_ref()
                    .is_none_or(|(_, least, _)| euclidean_norm(&values) < euclidean_norm(least))
                {
                    best = Some((x, values, reason));
                }
            }
        }
    }
    solutions.sort_by_key(|(solution, _)| (!solution.verified, solution.singular));
    let (x, residuals, reason) = match (solutions.first(), best) {
        (Some((solution, reason)), _) => {
            let values = equations.at(&solution.x)?.map(|local| local.values);
            (solution.x.clone(), values.unwrap_or_default(), *reason)
        }
        (None, Some(best)) => best,
        (None, None) => {
            refuse!(numeric "/x0", "not_finite"; "an equation or a derivative is not finite at any of {undefined} starts";
                "choose starts or `bounds` in which they are");
        }
    };
    let converged = !solutions.is_empty();
    if !converged {
        ctx.warn("no solution was found: start elsewhere, or give `bounds` and more `starts`; there may be none");
    } else if reason == SolveNonlinearReason::Singular {
        ctx.warn("the Jacobian is singular at the solution: it has about half the digits, and may not be isolated");
    }
    Ok(Output {
        x,
        named: None,
        converged,
        reason,
        residuals,
        solutions: solutions
            .into_iter()
            .map(|(solution, _)| solution)
            .collect(),
        starts: starts.len(),
        iterations,
        evaluations: equations.evaluations() + problem.evaluations,
    })
}

/// A start beside one that led to a local minimum: each unknown moved by up to the larger of its sizes here and there.
fn perturb_start(
    start: &[f64],
    minimum: &[f64],
    bounds: &VariableBounds,
    rng: &mut StreamRng,
) -> Vec<f64> {
    let all = largest_magnitude(start).max(largest_magnitude(minimum));
    let size = if all > 0.0 { all } else { 1.0 };
    let moved = start.iter().zip(minimum).map(|(start, minimum)| {
        let own = start.abs().max(minimum.abs()).max(1e-3 * size);
        start + own * rng.random_range(-2.0..2.0)
    });
    let mut moved: Vec<f64> = moved.collect();
    bounds.project(&mut moved);
    moved
}

/// The equations, each times a power of ten where its values at the first start are far from 1: one that is much larger than the others hides
/// them in the sum of squares.
fn scale_equations(
    equations: &NonlinearSystem<'_>,
    texts: &[String],
    starts: &[Vec<f64>],
) -> Result<Vec<String>, ToolError> {
    const PLAIN: std::ops::RangeInclusive<i32> = -4..=5;
    let first = starts
        .first()
        .map(|start| equations.at(start))
        .transpose()?
        .flatten();
    let Some(first) = first else {
        return Ok(texts.to_vec());
    };
    let n = equations.n();
    let scale = |(i, text): (usize, &String)| {
        let slopes = largest_magnitude(&first.jacobian[i * n..(i + 1) * n]);
        let size = first.values[i].abs().max(slopes);
        let exponent = if size > 0.0 {
            libm::log10(size).floor() as i32
        } else {
            0
        };
        if PLAIN.contains(&exponent) {
            return text.clone();
        }
        let (definitions, value) = text.rsplit_once(';').unwrap_or(("", text));
        let separator = if definitions.is_empty() { "" } else { ";" };
        format!("{definitions}{separator}({value})*1e{}", -exponent)
    };
    Ok(texts.iter().enumerate().map(scale).collect())
}

fn euclidean_norm(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |norm, value| libm::hypot(norm, *value))
}

fn largest_magnitude(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// Whether a point is a solution; it is refined first.
fn judge_point(
    equations: &NonlinearSystem<'_>,
    args: &Args,
    bounds: &VariableBounds,
    start: &[f64],
    initial: f64,
    found: &LeastSquaresResult,
    ctx: &Ctx,
) -> Result<StartOutcome, ToolError> {
    let n = equations.n();
    let mut x = found.point.clone();
    let Some(mut local) = equations.at(&x)? else {
        return Ok(StartOutcome::Elsewhere(
            x,
            found.linear.residuals.clone(),
            SolveNonlinearReason::NoProgress,
        ));
    };
    ctx.afford(2.0 * (n as f64).powi(3))?;
    let mut inverted = invert_matrix(&local.jacobian, n, ctx)?;
    let mut step = f64::INFINITY;
    for _ in 0..POLISH {
        let Some(inverse_here) = &inverted else {
            break;
        };
        let newton = multiply_vector(inverse_here, &local.values);
        let size = relative_step(&newton, &x, start);
        if size >= step || size > 0.1 {
            step = step.min(size);
            break;
        }
        step = size;
        let mut next: Vec<f64> = x.iter().zip(&newton).map(|(x, step)| x - step).collect();
        bounds.project(&mut next);
        let Some(there) = equations.at(&next)? else {
            break;
        };
        if next == x {
            break;
        }
        (x, local) = (next, there);
        inverted = invert_matrix(&local.jacobian, n, ctx)?;
    }
    let residual = largest_magnitude(&local.values);
    let grade = inverted.as_ref().map_or(f64::INFINITY, |inverted| {
        condition_number(&local.jacobian, inverted, n)
    });
    let solution = |error: f64, verified: bool, singular: bool| NonlinearSolution {
        x: x.clone(),
        residual,
        error: Real(error),
        verified,
        condition: Real(grade),
        singular,
    };
    if let Some(inverted) = &inverted {
        if let Some(bound) = verify_solution(equations, &x, inverted, ctx)? {
            return Ok(StartOutcome::Solution(
                solution(largest_magnitude(&bound), true, false),
                SolveNonlinearReason::Verified,
            ));
        }
        // The equations are known to about the rounding of their terms, whose sizes are those of the products of slopes and unknowns.
        let newton = multiply_vector(inverted, &local.values);
        let sizes: Vec<f64> = local
            .jacobian
            .chunks_exact(n)
            .map(|row| row.iter().zip(&x).map(|(a, x)| (a * x).abs()).sum())
            .collect();
        let off = |i: usize| {
            inverted[i * n..(i + 1) * n]
                .iter()
                .zip(&sizes)
                .map(|(a, size)| (a * size).abs())
                .sum::<f64>()
        };
        let errors: Vec<f64> = (0..n)
            .map(|i| newton[i].abs() + 4.0 * f64::EPSILON * off(i))
            .collect();
        let is_small = relative_step(&newton, &x, &x) <= args.tolerance.get();
        if grade < SINGULAR && is_small && relative_step(&errors, &x, &x) <= BLURRED {
            return Ok(StartOutcome::Solution(
                solution(largest_magnitude(&errors), false, false),
                SolveNonlinearReason::Step,
            ));
        }
    }
    // At a singular solution Newton's steps only halve the distance: the equations must hold far better than at the start, at a
    // place that steps no longer change much.
    let near = step <= 1e-3 || inverted.is_none();
    if euclidean_norm(&local.values) <= 1e-12 * initial && near || residual == 0.0 {
        let singular = NonlinearSolution {
            condition: Real(f64::INFINITY),
            ..solution(f64::INFINITY, false, true)
        };
        return Ok(StartOutcome::Solution(
            singular,
            SolveNonlinearReason::Singular,
        ));
    }
    // How much the sum of squares changes with each unknown by its own size, here or at the start.
    let size = euclidean_norm(&local.values).max(f64::MIN_POSITIVE);
    let slope = |j: usize| {
        let share = |i: usize| local.values[i] / size;
        let slope: f64 = (0..n)
            .map(|i| local.jacobian[i * n + j] / size * share(i))
            .sum();
        (slope * x[j].abs().max(start[j].abs())).abs()
    };
    let steepest = (0..n).map(slope).fold(0.0, f64::max);
    let is_stationary = steepest <= STATIONARY;
    let reason = match found.reason {
        levenberg::LevenbergEnd::Orthogonal
        | levenberg::LevenbergEnd::Curvature
        | levenberg::LevenbergEnd::Flat => SolveNonlinearReason::LocalMinimum,
        _ if is_stationary => SolveNonlinearReason::LocalMinimum,
        levenberg::LevenbergEnd::MaxIter => SolveNonlinearReason::MaxIter,
        _ => SolveNonlinearReason::NoProgress,
    };
    Ok(StartOutcome::Elsewhere(x, local.values, reason))
}

/// The largest step relative to the size of an unknown, here or at the start.
fn relative_step(step: &[f64], x: &[f64], start: &[f64]) -> f64 {
    let all = largest_magnitude(x)
        .max(largest_magnitude(start))
        .max(f64::MIN_POSITIVE);
    let one = |i: usize| step[i].abs() / x[i].abs().max(start[i].abs()).max(1e-10 * all);
    (0..x.len()).map(one).fold(0.0, |most, size| {
        if size.is_nan() {
            f64::INFINITY
        } else {
            f64::max(most, size)
        }
    })
}

/// Adds a solution that is not there yet; `start` is the size of the unknowns where its search began.
fn add_solution(
    solutions: &mut Vec<(NonlinearSolution, SolveNonlinearReason)>,
    new: NonlinearSolution,
    reason: SolveNonlinearReason,
    start: f64,
) {
    /// Relative distance within which solutions are one where they are not verified.
    const NEAR: f64 = 1e-6;
    /// Unknowns below this have a unit of their own, 1e-4 or less.
    const SMALL: f64 = 1e-4;
    let all = largest_magnitude(&new.x).max(start);
    let unit = if all > 0.0 && all < SMALL { all } else { 1.0 };
    let reach = |solution: &NonlinearSolution| {
        if solution.verified {
            2.0 * solution.error.0
        } else {
            NEAR * largest_magnitude(&solution.x) + 1e-10 * unit
        }
    };
    let same = |(old, _): &&mut (NonlinearSolution, SolveNonlinearReason)| {
        let distance = old
            .x
            .iter()
            .zip(&new.x)
            .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        let most = if old.verified && new.verified {
            reach(old) + reach(&new)
        } else {
            reach(old)
                .max(reach(&new))
                .max(NEAR * largest_magnitude(&old.x))
        };
        distance <= most
            || old.singular && new.singular && distance <= 1e-3 * (unit + largest_magnitude(&old.x))
    };
    match solutions.iter_mut().find(same) {
        Some(old) if new.verified && !old.0.verified => *old = (new, reason),
        Some(_) => {}
        None => solutions.push((new, reason)),
    }
}
