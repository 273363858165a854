//! From starts to solutions.

use rand::RngExt;
use random_streams::{StreamRng, stream_rng};

use super::verify::{condition_number, invert_matrix, multiply_vector, verify_solution};
use super::{
    DescentEnd, SquaresDescent, SquaresPoint, SystemEnd, SystemOptions, SystemResult, SystemSearch,
    SystemSolution,
};
use crate::roots::RootError;

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
    Solution(SystemSolution, SystemEnd),
    /// The point, its equations, the norm and the reason.
    Elsewhere(Vec<f64>, Vec<f64>, SystemEnd),
}

impl SystemSearch<'_> {
    /// Powers of ten that bring each equation near 1 at the first start, 0 where it is: one that is much larger than the others hides them
    /// in the sum of squares.
    ///
    /// # Errors
    /// [`RootError::Function`], [`RootError::Interrupted`].
    pub fn scales(&self, starts: &[Vec<f64>]) -> Result<Vec<i32>, RootError> {
        const PLAIN: std::ops::RangeInclusive<i32> = -4..=5;
        let n = self.n();
        let first = starts.first().map(|start| self.at(start)).transpose()?;
        let Some(first) = first.flatten() else {
            return Ok(vec![0; n]);
        };
        let scale = |i: usize| {
            let slopes = largest_magnitude(&first.jacobian[i * n..(i + 1) * n]);
            let size = first.values[i].abs().max(slopes);
            let exponent = if size > 0.0 {
                libm::log10(size).floor() as i32
            } else {
                0
            };
            if PLAIN.contains(&exponent) {
                0
            } else {
                -exponent
            }
        };
        Ok((0..n).map(scale).collect())
    }

    /// Solutions from starts of as many numbers as there are unknowns.
    ///
    /// # Errors
    /// [`RootError::NotFinite`] where no start has finite equations and derivatives, [`RootError::Function`], [`RootError::Interrupted`].
    pub fn solve(
        &self,
        starts: &[Vec<f64>],
        options: &SystemOptions<'_>,
        descent: &mut dyn SquaresDescent,
    ) -> Result<SystemResult, RootError> {
        search_solutions(self, starts, options, descent)
    }
}

fn search_solutions(
    equations: &SystemSearch<'_>,
    starts: &[Vec<f64>],
    options: &SystemOptions<'_>,
    descent: &mut dyn SquaresDescent,
) -> Result<SystemResult, RootError> {
    let (mut solutions, mut iterations, mut undefined): (
        Vec<(SystemSolution, SystemEnd)>,
        u64,
        usize,
    ) = (Vec::new(), 0, 0);
    let mut best: Option<(Vec<f64>, Vec<f64>, SystemEnd)> = None;
    let mut rng = stream_rng(options.seed, RESTARTS);
    let mut queue: Vec<(Vec<f64>, bool)> =
        starts.iter().map(|start| (start.clone(), false)).collect();
    let mut index = 0;
    while let Some((start, is_restart)) = queue.get(index).cloned() {
        index += 1;
        let start = &start;
        let words = || format!("start {index} of {}", queue.len());
        let fraction = (index - 1) as f64 / queue.len() as f64;
        equations.watch.progress(Some(fraction), &words);
        let Some(first) = equations.at(start)? else {
            undefined += 1;
            continue;
        };
        let found = descent.descend(start)?;
        iterations += found.iterations;
        let Some(found) = found.point else {
            undefined += 1;
            continue;
        };
        match judge_point(
            equations,
            options,
            start,
            euclidean_norm(&first.values),
            &found,
        )? {
            StartOutcome::Solution(solution, reason) => {
                add_solution(&mut solutions, solution, reason, largest_magnitude(start));
            }
            StartOutcome::Elsewhere(x, values, reason) => {
                let is_last = index == queue.len() && solutions.is_empty();
                if is_last && !is_restart && reason == SystemEnd::LocalMinimum {
                    let others = (0..RESTARTS_EACH).map(|_| {
                        let moved = perturb_start(start, &x, options, &mut rng);
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
    solutions.sort_by_key(|(solution, _)| (!solution.is_verified, solution.is_singular));
    let (x, residuals, end) = match (solutions.first(), best) {
        (Some((solution, reason)), _) => {
            let values = equations.at(&solution.x)?.map(|local| local.values);
            (solution.x.clone(), values.unwrap_or_default(), *reason)
        }
        (None, Some(best)) => best,
        (None, None) => {
            return Err(RootError::NotFinite { starts: undefined });
        }
    };
    Ok(SystemResult {
        x,
        residuals,
        end,
        solutions: solutions
            .into_iter()
            .map(|(solution, _)| solution)
            .collect(),
        iterations,
        evaluations: equations.count.get(),
    })
}

/// A start beside one that led to a local minimum: each unknown moved by up to the larger of its sizes here and there.
fn perturb_start(
    start: &[f64],
    minimum: &[f64],
    options: &SystemOptions<'_>,
    rng: &mut StreamRng,
) -> Vec<f64> {
    let all = largest_magnitude(start).max(largest_magnitude(minimum));
    let size = if all > 0.0 { all } else { 1.0 };
    let moved = start.iter().zip(minimum).map(|(start, minimum)| {
        let own = start.abs().max(minimum.abs()).max(1e-3 * size);
        start + own * rng.random_range(-2.0..2.0)
    });
    let mut moved: Vec<f64> = moved.collect();
    options.project(&mut moved);
    moved
}

pub(super) fn euclidean_norm(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |norm, value| libm::hypot(norm, *value))
}

fn largest_magnitude(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// Whether a point is a solution; it is refined first.
fn judge_point(
    equations: &SystemSearch<'_>,
    options: &SystemOptions<'_>,
    start: &[f64],
    initial: f64,
    found: &SquaresPoint,
) -> Result<StartOutcome, RootError> {
    let n = equations.n();
    let mut x = found.x.clone();
    let Some(mut local) = equations.at(&x)? else {
        return Ok(StartOutcome::Elsewhere(
            x,
            found.residuals.clone(),
            SystemEnd::NoProgress,
        ));
    };
    equations.watch.afford(2.0 * (n as f64).powi(3))?;
    let mut inverted = invert_matrix(&local.jacobian, n, equations.watch)?;
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
        options.project(&mut next);
        let Some(there) = equations.at(&next)? else {
            break;
        };
        if next == x {
            break;
        }
        (x, local) = (next, there);
        inverted = invert_matrix(&local.jacobian, n, equations.watch)?;
    }
    let residual = largest_magnitude(&local.values);
    let grade = inverted.as_ref().map_or(f64::INFINITY, |inverted| {
        condition_number(&local.jacobian, inverted, n)
    });
    let solution = |error: f64, verified: bool, singular: bool| SystemSolution {
        x: x.clone(),
        residual,
        error,
        is_verified: verified,
        condition: grade,
        is_singular: singular,
    };
    if let Some(inverted) = &inverted {
        if let Some(bound) = verify_solution(equations, &x, inverted)? {
            return Ok(StartOutcome::Solution(
                solution(largest_magnitude(&bound), true, false),
                SystemEnd::Verified,
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
        let is_small = relative_step(&newton, &x, &x) <= options.tolerance;
        if grade < SINGULAR && is_small && relative_step(&errors, &x, &x) <= BLURRED {
            return Ok(StartOutcome::Solution(
                solution(largest_magnitude(&errors), false, false),
                SystemEnd::Step,
            ));
        }
    }
    // At a singular solution Newton's steps only halve the distance: the equations must hold far better than at the start, at a
    // place that steps no longer change much.
    let near = step <= 1e-3 || inverted.is_none();
    if euclidean_norm(&local.values) <= 1e-12 * initial && near || residual == 0.0 {
        let singular = SystemSolution {
            condition: f64::INFINITY,
            ..solution(f64::INFINITY, false, true)
        };
        return Ok(StartOutcome::Solution(singular, SystemEnd::Singular));
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
    let end = match found.end {
        DescentEnd::Minimum => SystemEnd::LocalMinimum,
        _ if is_stationary => SystemEnd::LocalMinimum,
        DescentEnd::Iterations => SystemEnd::Iterations,
        _ => SystemEnd::NoProgress,
    };
    Ok(StartOutcome::Elsewhere(x, local.values, end))
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
    solutions: &mut Vec<(SystemSolution, SystemEnd)>,
    new: SystemSolution,
    reason: SystemEnd,
    start: f64,
) {
    /// Relative distance within which solutions are one where they are not verified.
    const NEAR: f64 = 1e-6;
    /// Unknowns below this have a unit of their own, 1e-4 or less.
    const SMALL: f64 = 1e-4;
    let all = largest_magnitude(&new.x).max(start);
    let unit = if all > 0.0 && all < SMALL { all } else { 1.0 };
    let reach = |solution: &SystemSolution| {
        if solution.is_verified {
            2.0 * solution.error
        } else {
            NEAR * largest_magnitude(&solution.x) + 1e-10 * unit
        }
    };
    let same = |(old, _): &&mut (SystemSolution, SystemEnd)| {
        let distance = old
            .x
            .iter()
            .zip(&new.x)
            .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        let most = if old.is_verified && new.is_verified {
            reach(old) + reach(&new)
        } else {
            reach(old)
                .max(reach(&new))
                .max(NEAR * largest_magnitude(&old.x))
        };
        distance <= most
            || old.is_singular
                && new.is_singular
                && distance <= 1e-3 * (unit + largest_magnitude(&old.x))
    };
    match solutions.iter_mut().find(same) {
        Some(old) if new.is_verified && !old.0.is_verified => *old = (new, reason),
        Some(_) => {}
        None => solutions.push((new, reason)),
    }
}
