//! [`solve_on_meshes`]: the collocation solution on meshes that are refined until the residual is small.
//!
//! The residual of the cubic between its points is integrated by the Lobatto formula with five points; intervals above the tolerance are
//! halved, those far above it cut in three. Source: Kierzenka and Shampine, ACM TOMS 27, 2001, sections 3 and 4.

use super::collocation::{
    CollocationResiduals, CollocationWork, collocation_residuals, newton_iterations,
    relative_conditions,
};
use super::problem::{BvpEnd, BvpProblem, MeshSolution, slope_floor};
use crate::watch::{Interruption, Watch};

/// Multiples of the tolerance, relative to the size of the solution, beyond which a finer mesh contradicts.
const UNCONFIRMED: f64 = 1e3;

/// Rounds of refinement.
const ROUNDS_MAX: usize = 30;

/// Settings of a solution.
#[derive(Debug, Clone, Copy)]
pub struct BvpOptions {
    /// Largest residual of the differential equations on each interval, relative to their right-hand side and the largest of them (at most 1), and of each
    /// condition, relative to the sizes of what it depends on; at least 100 roundings.
    pub tolerance: f64,
    /// Largest number of mesh points.
    pub nodes: usize,
}

impl Default for BvpOptions {
    /// A tolerance of 1e-6 and at most 2,000 points.
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            nodes: 2_000,
        }
    }
}

/// The last curve, and how well it solves the problem.
#[derive(Debug)]
pub struct BvpResult {
    /// The last curve.
    pub curve: MeshSolution,
    /// Why it is no solution; `None` where it is one.
    pub failure: Option<BvpEnd>,
    /// Largest relative residual.
    pub residual: f64,
    /// Largest residual of a condition, relative to the sizes of what it depends on.
    pub boundary_residual: f64,
    /// The interval of the largest residual.
    pub place: Option<[f64; 2]>,
    /// Difference from the solution on a mesh twice as fine.
    pub error_estimate: Option<f64>,
    /// Newton iterations.
    pub iterations: u64,
    /// Evaluations of the right-hand side.
    pub evaluations: u64,
}

/// Solves the problem from a first curve.
///
/// # Errors
/// An interruption.
pub(super) fn solve_on_meshes(
    problem: &BvpProblem<'_>,
    mut curve: MeshSolution,
    options: BvpOptions,
    watch: &dyn Watch,
) -> Result<BvpResult, Interruption> {
    let mut work = CollocationWork::default();
    let mut last = (f64::INFINITY, f64::INFINITY);
    let mut place = None;
    let mut failure = Some(BvpEnd::NoConvergence);
    let guessed = curve.size();
    for _ in 0..ROUNDS_MAX {
        watch.check()?;
        let found =
            match newton_iterations(problem, &mut curve, options.tolerance, &mut work, watch)? {
                Ok(found) => found,
                Err(failed) => {
                    failure = Some(failed);
                    break;
                }
            };
        if let Some((zero, found)) = try_zero_solution(problem, &curve, guessed, &mut work) {
            let conditions = relative_conditions(problem, &zero, &found);
            last = (0.0, conditions.fold(0.0, f64::max));
            (curve, failure) = (zero, None);
            break;
        }
        let by_interval = relative_residuals(problem, &curve, &found, &mut work);
        watch.count_evaluations(2 * by_interval.len() as u64)?;
        let most = |values: &[f64]| {
            let larger = |most: f64, value: &f64| if *value > most { *value } else { most };
            values.iter().fold(0.0, larger)
        };
        let conditions: Vec<f64> = relative_conditions(problem, &curve, &found).collect();
        last = (most(&by_interval), most(&conditions));
        place = largest_residual_interval(&curve, &by_interval);
        let pieces = |residual: &f64| {
            if *residual < options.tolerance {
                1
            } else if *residual < 100.0 * options.tolerance {
                2
            } else {
                3
            }
        };
        let cuts: Vec<usize> = by_interval.iter().map(pieces).collect();
        let nodes = 1 + cuts.iter().sum::<usize>();
        if nodes == curve.t.len() {
            if last.1 <= options.tolerance {
                failure = None;
                break;
            }
            continue;
        }
        if nodes > options.nodes {
            failure = Some(BvpEnd::MaxNodes);
            break;
        }
        let Some(finer) = refine_mesh(&curve, &cuts) else {
            break;
        };
        curve = finer;
    }
    let error_estimate = match failure {
        None => mesh_error_estimate(problem, &curve, options, &mut work, watch)?,
        Some(_) => None,
    };
    // Small residuals are no evidence where the problem hardly determines its solution, or the mesh missed a part of it.
    let size = curve.size();
    if error_estimate.is_some_and(|error| error > UNCONFIRMED * options.tolerance * size) {
        failure = Some(BvpEnd::Unconfirmed);
    }
    Ok(BvpResult {
        curve,
        failure,
        residual: last.0,
        boundary_residual: last.1,
        place,
        error_estimate,
        iterations: work.iterations,
        evaluations: work.evaluations,
    })
}

/// The solution 0, where the iterations have come down to it and it fulfils all equations exactly: relative residuals of what rounding
/// leaves of it never become small.
fn try_zero_solution(
    problem: &BvpProblem<'_>,
    curve: &MeshSolution,
    guessed: f64,
    work: &mut CollocationWork,
) -> Option<(MeshSolution, CollocationResiduals)> {
    const LEFT: f64 = 1e-12;
    let size = curve.size();
    if size == 0.0 || size > LEFT * guessed {
        return None;
    }
    let mut zero = MeshSolution::new(curve.t.clone(), vec![0.0; curve.y.len()], curve.p.clone());
    let found = collocation_residuals(problem, &mut zero, work);
    found
        .all
        .iter()
        .all(|value| *value == 0.0)
        .then_some((zero, found))
}

/// The interval with the largest residual.
fn largest_residual_interval(curve: &MeshSolution, by_interval: &[f64]) -> Option<[f64; 2]> {
    let all = by_interval.iter().enumerate();
    let (index, _) = all.max_by(|a, b| a.1.total_cmp(b.1))?;
    Some([curve.t[index], curve.t[index + 1]])
}

/// The root mean square of `(y' - f) / (s + |f|)` on each interval, where s is the size of the largest derivative, at most 1.
fn relative_residuals(
    problem: &BvpProblem<'_>,
    curve: &MeshSolution,
    found: &CollocationResiduals,
    work: &mut CollocationWork,
) -> Vec<f64> {
    let n = curve.components();
    let floor = slope_floor(curve);
    let mut flow = problem.equations.flow(&curve.p);
    let offset = 0.5 * (3.0_f64 / 7.0).sqrt();
    let mut f = vec![0.0; n];
    let mut all = Vec::with_capacity(curve.t.len() - 1);
    for (index, pair) in curve.t.windows(2).enumerate() {
        let h = pair[1] - pair[0];
        let mut sum = 0.0;
        for k in 0..n {
            let at = index * n + k;
            let middle = 1.5 * found.all[at] / h / (floor + found.middle[at].abs());
            sum += 32.0 / 45.0 * middle * middle;
        }
        for side in [-offset, offset] {
            let t = pair[0] + (0.5 + side) * h;
            let (y, slope) = curve.at(t);
            flow.eval(t, &y, &mut f);
            for (slope, f) in slope.iter().zip(&f) {
                let rest = (slope - f) / (floor + f.abs());
                sum += 49.0 / 90.0 * rest * rest;
            }
        }
        work.evaluations += 2;
        // Not a number counts as large.
        let size = (0.5 * sum).sqrt();
        all.push(if size.is_nan() { f64::INFINITY } else { size });
    }
    all
}

/// The curve on a mesh whose intervals are cut; nothing where doubles have no points between.
fn refine_mesh(curve: &MeshSolution, cuts: &[usize]) -> Option<MeshSolution> {
    let mut t = Vec::new();
    for (pair, &pieces) in curve.t.windows(2).zip(cuts) {
        let step = (pair[1] - pair[0]) / pieces as f64;
        t.extend((0..pieces).map(|piece| pair[0] + step * piece as f64));
    }
    t.extend(curve.t.last());
    if t.windows(2).any(|pair| pair[0] >= pair[1]) {
        return None;
    }
    let y: Vec<f64> = t.iter().flat_map(|&t| curve.at(t).0).collect();
    Some(MeshSolution::new(t, y, curve.p.clone()))
}

/// The largest difference at the points from the solution on a mesh twice as fine, which is that of order 4 times 16/15.
fn mesh_error_estimate(
    problem: &BvpProblem<'_>,
    curve: &MeshSolution,
    options: BvpOptions,
    work: &mut CollocationWork,
    watch: &dyn Watch,
) -> Result<Option<f64>, Interruption> {
    let halves = vec![2; curve.t.len() - 1];
    let Some(mut finer) = refine_mesh(curve, &halves) else {
        return Ok(None);
    };
    collocation_residuals(problem, &mut finer, work);
    if newton_iterations(problem, &mut finer, 0.01 * options.tolerance, work, watch)?.is_err() {
        return Ok(None);
    }
    let n = curve.components();
    let mut most: f64 = 0.0;
    for node in 0..curve.t.len() {
        for k in 0..n {
            most = most.max((curve.y[node * n + k] - finer.y[2 * node * n + k]).abs());
        }
    }
    Ok(Some(most * 16.0 / 15.0))
}
