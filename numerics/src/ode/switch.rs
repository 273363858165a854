//! When `auto` tries another method: the cheap signs that it may pay, and the trial of the explicit method.

use super::drive::OdeTrajectory;
use super::flow::{OdeProblem, OdeTolerances};
use super::matrix::{JacobianPattern, JacobianStorage};
use super::method::OdeMethod;
use super::radau;
use super::stepper::{StepAttempt, StepBounds};

/// Steps of `auto` after which it looks whether the solution is smooth, and again after as many.
pub(super) const LOOK: usize = 32;
/// Attempts of a trial of the stiff method.
pub(super) const TRIAL: u32 = 12;
/// Steps of the stiff method after which `auto` first tries the explicit one again, then after twice as many each time.
pub(super) const LOOK_BACK: usize = 32;
/// Steps of the explicit method before `auto` looks at it again.
pub(super) const SETTLED: usize = 16;
/// The explicit method must be cheaper by this factor, so that `auto` does not change to and fro where both cost the same; with five stages,
/// whose steps cost as much as those of `dop853`, by the other.
const HYSTERESIS: (f64, f64) = (1.6, 4.0);
/// Size up to which factors of a full matrix are cheap.
const CHEAP: usize = 50;
/// Nodes of the polynomial that tells whether the solution is smooth.
const NODES: usize = 6;

/// Whether the last steps were far shorter than the solution needs: a polynomial through every second state meets the one in the middle
/// within the tolerance. Then something else limits them, though the test within the steps, which sees the Jacobian only in the direction in
/// which the solution moves, does not find it to be stability.
pub(super) fn is_smooth(path: &OdeTrajectory, tolerances: &OdeTolerances) -> bool {
    let Some(first) = path.t.len().checked_sub(2 * NODES - 1) else {
        return false;
    };
    let nodes: [usize; NODES] = std::array::from_fn(|node| first + 2 * node);
    let middle = first + NODES - 1;
    let mut difference = path.state(middle).to_vec();
    for node in nodes {
        let others = nodes.iter().filter(|other| **other != node);
        let factors =
            others.map(|&other| (path.t[middle] - path.t[other]) / (path.t[node] - path.t[other]));
        let weight: f64 = factors.product();
        for (difference, y) in difference.iter_mut().zip(path.state(node)) {
            *difference -= weight * y;
        }
    }
    tolerances.norm(&difference, path.state(middle)) <= 1.0
}

/// Whether the explicit method takes steps so long again that it pays: neither stability nor accuracy limits them in a trial.
pub(super) fn explicit_pays(
    problem: &mut OdeProblem<'_>,
    at: (f64, &[f64]),
    step: f64,
    bounds: StepBounds,
) -> bool {
    const ATTEMPTS: u32 = 16;
    let (of_three, of_five) = HYSTERESIS;
    let factor = match radau::has_five_stages(&problem.tolerances) {
        true => of_five,
        false => of_three,
    };
    let needed = factor * step.abs() / stiff_step_cost(&problem.pattern());
    let mut trial = OdeMethod::Dop853.start(problem, at, Some(step), bounds);
    let mut attempts = 0;
    while attempts < ATTEMPTS {
        if trial.next_step().abs() < 0.1 * needed {
            return false;
        }
        attempts += 1;
        if matches!(trial.attempt(problem, bounds), StepAttempt::Stuck(_)) {
            return false;
        }
        if trial.t() == bounds.end {
            break;
        }
    }
    // An attempt that is rejected costs as much as one that is not.
    let mean = (trial.t() - at.0).abs() / f64::from(attempts);
    !trial.may_be_stiff() && mean > needed
}

/// Whether factors of the matrix cost little; those of a large full one are worth a trial only where stability seems to limit the steps.
pub(super) fn is_cheap(pattern: &JacobianPattern) -> bool {
    pattern.storage() != JacobianStorage::Dense || pattern.n <= CHEAP
}

/// The cost of a step of the stiff method in steps of the explicit one: about two, far more where a large full matrix is factored.
pub(super) fn stiff_step_cost(pattern: &JacobianPattern) -> f64 {
    match pattern.storage() {
        JacobianStorage::Dense => (pattern.n as f64 / 8.0).max(2.5),
        JacobianStorage::Banded { .. } | JacobianStorage::Sparse => 3.0,
    }
}
