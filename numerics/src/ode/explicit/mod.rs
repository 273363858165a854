//! [`ExplicitRungeKutta`]: embedded explicit Runge-Kutta pairs with step control, dense output and a test for stiffness.
//!
//! Sources: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., Springer 1993, sections II.4 to
//! II.6 (control, dense output, the pairs of Dormand and Prince); "Solving Ordinary Differential Equations II", section IV.2 (stiffness);
//! C. Tsitouras, "Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying assumption", Comput. Math. Appl. 62, 2011.

mod dop853;
mod dopri5;
mod tableau;
mod tsit5;

use self::tableau::{ButcherTableau, RungeKuttaStep, combine_stages};
use super::control::StepController;
use super::flow::OdeProblem;
use super::stepper::{OdeStepper, StepAttempt, StepBounds, StepState, initial_step};

/// Smaller than that of stiff methods, whose steps are limited by more than the error: fewer steps are rejected, and of `dop853` a tenth to a
/// sixth fewer evaluations are needed for the same error at the end (Lorenz, Kepler, Arenstorf, Brusselator, Van der Pol, Henon-Heiles).
const SAFETY: f64 = 0.85;
/// What is left of a step whose error is not finite.
const SHRINK: f64 = 0.2;

/// The pair of formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RungeKuttaPair {
    /// Dormand-Prince 5(4).
    Dopri5,
    /// Tsitouras 5(4).
    Tsit5,
    /// Dormand-Prince 8(5,3).
    Dop853,
}

impl RungeKuttaPair {
    fn tableau(self) -> &'static ButcherTableau {
        match self {
            Self::Dopri5 => &dopri5::TABLEAU,
            Self::Tsit5 => &tsit5::TABLEAU,
            Self::Dop853 => &dop853::TABLEAU,
        }
    }
}

/// A pair with its state. The last stage of a step is the first of the next.
pub(crate) struct ExplicitRungeKutta {
    pair: RungeKuttaPair,
    n: usize,
    reached: StepState,
    y_before: Vec<f64>,
    /// Derivatives at the stages, one after the other; the one at the end of the step comes last.
    k: Vec<f64>,
    next: Vec<f64>,
    stage: Vec<f64>,
    error: Vec<f64>,
    /// Coefficients of the interpolation, and whether they belong to the last step.
    dense: Vec<f64>,
    dense_ready: bool,
    control: StepController,
    near: StiffnessCounter,
    half_near: StiffnessCounter,
}

/// Steps near the border of stability, and those off it since.
#[derive(Debug, Clone, Copy, Default)]
struct StiffnessCounter {
    near: u32,
    off: u32,
}

impl StiffnessCounter {
    fn count(&mut self, near: bool) {
        if near {
            self.off = 0;
            self.near += 1;
        } else {
            self.off += 1;
            if self.off >= 6 {
                self.near = 0;
            }
        }
    }

    /// Whether there were so many of them.
    fn holds(self, count: u32) -> bool {
        self.near >= count
    }
}

impl ExplicitRungeKutta {
    /// Starts at a state; `step` is the size of the first step, found when absent.
    pub(crate) fn new(
        pair: RungeKuttaPair,
        problem: &mut OdeProblem<'_>,
        (t, y): (f64, &[f64]),
        step: Option<f64>,
        bounds: StepBounds,
    ) -> Self {
        let n = y.len();
        let tableau = pair.tableau();
        let stages = tableau.a.len();
        let mut k = vec![0.0; (stages + dop853::EXTRA) * n];
        problem.eval(t, y, &mut k[..n]);
        let h =
            step.unwrap_or_else(|| initial_step(problem, (t, y, &k[..n]), bounds, tableau.order));
        Self {
            pair,
            n,
            reached: StepState::new((t, y), h),
            y_before: y.to_vec(),
            k,
            next: vec![0.0; n],
            stage: vec![0.0; n],
            error: vec![0.0; n],
            dense: vec![0.0; 8 * n],
            dense_ready: false,
            control: StepController::new(tableau.growth, tableau.order, SAFETY),
            near: StiffnessCounter::default(),
            half_near: StiffnessCounter::default(),
        }
    }

    /// Evaluates the stages; the last argument is left in `stage`, the solution in `next`.
    fn stages(&mut self, problem: &mut OdeProblem<'_>, h: f64) {
        let tableau = self.pair.tableau();
        let n = self.n;
        let last = tableau.a.len() - 1;
        for index in 1..last {
            let (before, after) = self.k.split_at_mut(index * n);
            combine_stages(
                &mut self.stage,
                &self.reached.y,
                h,
                before,
                tableau.a[index],
            );
            let time = if tableau.c[index] == 1.0 {
                self.reached.t + h
            } else {
                self.reached.t + tableau.c[index] * h
            };
            problem.eval(time, &self.stage, &mut after[..n]);
        }
        combine_stages(&mut self.next, &self.reached.y, h, &self.k, tableau.a[last]);
    }

    fn last_stage(&self) -> usize {
        self.pair.tableau().a.len() - 1
    }

    fn evaluate_end(&mut self, problem: &mut OdeProblem<'_>, h: f64) {
        let (n, last) = (self.n, self.last_stage());
        problem.eval(
            self.reached.t + h,
            &self.next,
            &mut self.k[last * n..(last + 1) * n],
        );
    }

    fn error(&mut self, problem: &OdeProblem<'_>, h: f64) -> f64 {
        match self.pair {
            RungeKuttaPair::Dopri5 => self.embedded(problem, h, &dopri5::ERROR),
            RungeKuttaPair::Tsit5 => self.embedded(problem, h, &tsit5::ERROR),
            RungeKuttaPair::Dop853 => self.error_853(problem, h),
        }
    }

    fn larger(&self, index: usize) -> f64 {
        self.reached.y[index].abs().max(self.next[index].abs())
    }

    fn embedded(&mut self, problem: &OdeProblem<'_>, h: f64, weights: &[f64]) -> f64 {
        self.error.fill(0.0);
        for (weight, k) in weights.iter().zip(self.k.chunks_exact(self.n)) {
            for (error, k) in self.error.iter_mut().zip(k) {
                *error += weight * k;
            }
        }
        let mut sum = 0.0;
        for index in 0..self.n {
            let scaled =
                h * self.error[index] / problem.tolerances.scale(index, self.larger(index));
            sum += scaled * scaled;
        }
        (sum / self.n as f64).sqrt()
    }

    /// The error of order 5, damped by that of order 3 (section II.10 of the book).
    fn error_853(&mut self, problem: &OdeProblem<'_>, h: f64) -> f64 {
        let n = self.n;
        let (mut fifth, mut third) = (0.0, 0.0);
        let [first, ninth, twelfth] = dop853::BHH;
        let k = &self.k[..12 * n];
        for index in 0..n {
            let scale = problem.tolerances.scale(index, self.larger(index));
            let k: [f64; 12] = std::array::from_fn(|stage| k[stage * n + index]);
            let mut value = 0.0;
            let mut solution = 0.0;
            for stage in [0, 5, 6, 7, 8, 9, 10, 11] {
                value += dop853::ERROR[stage] * k[stage];
                solution += dop853::B[stage] * k[stage];
            }
            let low = solution - first * k[0] - ninth * k[8] - twelfth * k[11];
            fifth += (value / scale) * (value / scale);
            third += (low / scale) * (low / scale);
        }
        let damped = fifth + 0.01 * third;
        let damped = if damped > 0.0 { damped } else { 1.0 };
        if fifth.is_nan() || third.is_nan() {
            return f64::NAN;
        }
        h.abs() * fifth / (damped * n as f64).sqrt()
    }

    /// Size of the step times an estimate of the dominant eigenvalue, against the border of stability.
    fn test_stiffness(&mut self, h: f64) {
        let (n, last) = (self.n, self.last_stage());
        let (mut above, mut below) = (0.0, 0.0);
        for index in 0..n {
            let slope = self.k[last * n + index] - self.k[(last - 1) * n + index];
            let distance = self.next[index] - self.stage[index];
            above += slope * slope;
            below += distance * distance;
        }
        if below <= 0.0 {
            return;
        }
        let found = h.abs() * (above / below).sqrt() / self.pair.tableau().stability;
        self.near.count(found > 1.0);
        self.half_near.count(found > 0.5);
    }

    fn prepare_dense(&mut self, problem: &mut OdeProblem<'_>) {
        if self.dense_ready {
            return;
        }
        self.dense_ready = true;
        let h = self.reached.t - self.reached.t_before;
        if self.pair == RungeKuttaPair::Dop853 {
            dop853::extra_stages(
                &mut self.k,
                &self.y_before,
                (self.reached.t_before, h),
                problem,
            );
        }
        let step = RungeKuttaStep {
            h,
            k: &self.k,
            before: &self.y_before,
            after: &self.reached.y,
        };
        match self.pair {
            RungeKuttaPair::Dopri5 => dopri5::dense_coefficients(step, &mut self.dense),
            RungeKuttaPair::Tsit5 => {}
            RungeKuttaPair::Dop853 => dop853::dense_coefficients(step, &mut self.dense),
        }
    }
}

impl OdeStepper for ExplicitRungeKutta {
    fn reached(&self) -> &StepState {
        &self.reached
    }

    fn attempt(&mut self, problem: &mut OdeProblem<'_>, bounds: StepBounds) -> StepAttempt {
        let n = self.n;
        if !self.control.is_first()
            && !self.control.is_after_rejection()
            && self.reached.t != self.reached.t_before
        {
            // The derivative at the end of the last step begins this one.
            let last = self.last_stage();
            self.k.copy_within(last * n..(last + 1) * n, 0);
            self.reached.t_before = self.reached.t;
        }
        self.dense_ready = false;
        let Some(step) = self.reached.plan_step(bounds, 0.01, false) else {
            return self.reached.stuck_attempt();
        };
        let h = step.h;
        self.stages(problem, h);
        let fsal = self.pair != RungeKuttaPair::Dop853;
        if fsal {
            self.evaluate_end(problem, h);
        }
        let error = self.error(problem, h);
        self.reached.non_finite = !error.is_finite();
        if self.reached.non_finite || error > 1.0 {
            self.reached.h = match self.reached.non_finite {
                true => SHRINK * h,
                false => h / self.control.quotient(error, 1.0),
            };
            self.control.reject();
            return StepAttempt::Rejected;
        }
        if !fsal {
            self.evaluate_end(problem, h);
        }
        self.test_stiffness(h);
        self.reached.h = self.control.accept(h, error, 1.0);
        self.reached.accept_step(step, bounds);
        std::mem::swap(&mut self.reached.y, &mut self.y_before);
        self.reached.y.copy_from_slice(&self.next);
        StepAttempt::Accepted
    }

    fn interpolate(&mut self, problem: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        self.prepare_dense(problem);
        let s = (t - self.reached.t_before) / (self.reached.t - self.reached.t_before);
        match self.pair {
            RungeKuttaPair::Dopri5 => dopri5::interpolate_step(&self.dense, &self.y_before, s, y),
            RungeKuttaPair::Tsit5 => {
                let h = self.reached.t - self.reached.t_before;
                combine_stages(
                    y,
                    &self.y_before,
                    h,
                    &self.k,
                    &tsit5::interpolation_weights(s),
                );
            }
            RungeKuttaPair::Dop853 => dop853::interpolate_step(&self.dense, &self.y_before, s, y),
        }
    }

    fn is_stiff(&self) -> bool {
        self.near.holds(15)
    }

    fn may_be_stiff(&self) -> bool {
        self.half_near.holds(6)
    }
}

#[cfg(test)]
mod tests;
