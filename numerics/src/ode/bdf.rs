//! [`Bdf`]: backward differentiation formulas of variable order, 1 to 5.
//!
//! # Method
//! The numerical differentiation formulas in terms of backward differences with a quasi-constant step: the differences are interpolated
//! to a new step when it changes, and order and step change at most once in as many steps as the order. Simplified Newton iterations
//! start from the predictor. The interpolation is the polynomial through the last points. One real matrix of the size of the state,
//! half the work of `radau` for a large system. The errors of a whole integration are 5 to 30 times the tolerance of the formulas, which
//! is therefore a twentieth of the given one.
//!
//! # References
//! L. F. Shampine, M. W. Reichelt, "The MATLAB ODE Suite", SIAM J. Sci. Comput. 18, 1997; G. D. Byrne, A. C. Hindmarsh, "A Polyalgorithm
//! for the Numerical Solution of Ordinary Differential Equations", ACM TOMS 1, 1975.

use std::sync::Arc;

use super::flow::{OdeProblem, OdeTolerances};
use super::matrix::{JacobianPattern, ShiftedFactors};
use super::stepper::{OdeStepper, PlannedStep, StepAttempt, StepBounds, StepState, initial_step};

const ORDER_MAX: usize = 5;
/// Newton iterations of an attempt.
const ITERATIONS_MAX: usize = 4;
/// The tolerance of the formulas relative to the given one.
const TIGHTER: f64 = 0.05;
/// Corrections below this part of the tolerance of the iterations end them.
const NEGLIGIBLE: f64 = 1e-3;
/// Largest growth of a step, and largest shrinking.
const GROWTH: f64 = 10.0;
const SHRINKING: f64 = 0.2;
/// The coefficients that distinguish the formulas from those of backward differentiation.
const KAPPA: [f64; ORDER_MAX + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];
/// Sums of 1/j up to the order.
const GAMMA: [f64; ORDER_MAX + 1] = [0.0, 1.0, 1.5, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];

/// Leading coefficient of an order.
fn leading_coefficient(order: usize) -> f64 {
    (1.0 - KAPPA[order]) * GAMMA[order]
}

/// Factor of the last difference in the local error of an order.
fn error_constant(order: usize) -> f64 {
    KAPPA[order] * GAMMA[order] + 1.0 / (order + 1) as f64
}

/// The method with its state.
pub(crate) struct Bdf {
    n: usize,
    pattern: Arc<JacobianPattern>,
    tolerances: OdeTolerances,
    reached: StepState,
    order: usize,
    /// Step and order of the last accepted step.
    interpolated: (f64, usize),
    /// Backward differences; the first is the state.
    differences: Vec<Vec<f64>>,
    /// Differences of the last accepted step from the second on, for its interpolation.
    past: Vec<Vec<f64>>,
    equal_steps: usize,
    jacobian: Vec<f64>,
    factors: ShiftedFactors<f64>,
    fresh: bool,
    jacobian_due: bool,
    factors_due: bool,
    newton_tolerance: f64,
    predicted: Vec<f64>,
    psi: Vec<f64>,
    correction: Vec<f64>,
    iterate: Vec<f64>,
    rhs: Vec<f64>,
    scale: Vec<f64>,
}

impl Bdf {
    /// Starts at a state with order 1; `step` is the size of the first step, found when absent.
    pub(crate) fn new(
        problem: &mut OdeProblem<'_>,
        (t, y): (f64, &[f64]),
        step: Option<f64>,
        bounds: StepBounds,
    ) -> Self {
        let n = y.len();
        let pattern = problem.pattern();
        let mut slope = vec![0.0; n];
        problem.eval(t, y, &mut slope);
        let h = step.unwrap_or_else(|| initial_step(problem, (t, y, &slope), bounds, 2.0));
        let mut differences = vec![vec![0.0; n]; ORDER_MAX + 3];
        differences[0].copy_from_slice(y);
        if pattern.identity {
            for (difference, slope) in differences[1].iter_mut().zip(&slope) {
                *difference = h * slope;
            }
        }
        let tolerances = problem.tolerances.times(TIGHTER);
        let rtol = tolerances.rtol;
        let zeros = || vec![0.0; n];
        Self {
            n,
            jacobian: vec![0.0; pattern.entries.len()],
            factors: ShiftedFactors::new(&pattern),
            pattern,
            tolerances,
            reached: StepState::new((t, y), h),
            order: 1,
            interpolated: (h, 1),
            past: differences[1..=ORDER_MAX].to_vec(),
            differences,
            equal_steps: 0,
            fresh: false,
            jacobian_due: true,
            factors_due: true,
            newton_tolerance: (10.0 * f64::EPSILON / rtol).max(rtol.sqrt().min(0.03)),
            predicted: zeros(),
            psi: zeros(),
            correction: zeros(),
            iterate: zeros(),
            rhs: zeros(),
            scale: zeros(),
        }
    }

    /// Interpolates the differences to a step of another length.
    fn rescale(&mut self, h: f64) {
        if h == self.reached.h {
            return;
        }
        let factor = h / self.reached.h;
        let order = self.order;
        let (to, back) = (
            step_change_matrix(order, factor),
            step_change_matrix(order, 1.0),
        );
        let mut matrix = [[0.0; ORDER_MAX + 1]; ORDER_MAX + 1];
        for (row, out) in matrix.iter_mut().enumerate().take(order + 1) {
            for (column, out) in out.iter_mut().enumerate().take(order + 1) {
                *out = (0..=order).map(|k| to[row][k] * back[k][column]).sum();
            }
        }
        let mut before = [0.0; ORDER_MAX + 1];
        for index in 0..self.n {
            for (before, difference) in before.iter_mut().zip(&self.differences) {
                *before = difference[index];
            }
            for (column, difference) in self.differences.iter_mut().enumerate().take(order + 1) {
                let terms = matrix.iter().zip(&before).take(order + 1);
                difference[index] = terms.map(|(row, value)| row[column] * value).sum();
            }
        }
        self.reached.h = h;
        self.equal_steps = 0;
        self.factors_due = true;
    }

    /// A shorter step, with a new Jacobian unless it is this state's own.
    fn shorten(&mut self, factor: f64) -> StepAttempt {
        let h = self.reached.h * factor;
        self.rescale(h);
        StepAttempt::Rejected
    }

    fn prepare(&mut self, problem: &mut OdeProblem<'_>) -> bool {
        if self.jacobian_due {
            problem.finite_jacobian(
                self.reached.t + self.reached.h,
                &self.predicted,
                &mut self.jacobian,
            );
            (self.jacobian_due, self.fresh, self.factors_due) = (false, true, true);
        }
        if self.factors_due {
            let shift = leading_coefficient(self.order) / self.reached.h;
            if problem
                .factor(&mut self.factors, shift, &self.jacobian)
                .is_err()
            {
                return false;
            }
            self.factors_due = false;
        }
        true
    }

    /// Solves `M (psi + d) alpha / h = f(t + h, predicted + d)`: the iterations, or nothing when they do not converge.
    fn newton(&mut self, problem: &mut OdeProblem<'_>) -> Option<usize> {
        let shift = leading_coefficient(self.order) / self.reached.h;
        self.correction.fill(0.0);
        self.iterate.copy_from_slice(&self.predicted);
        let time = self.reached.t + self.reached.h;
        let mut before: Option<f64> = None;
        // The matrix does not have the terms by which the solution moves its derivatives: the second iteration corrects for that,
        // and says nothing about the rate.
        let coupled = self.n > self.pattern.n;
        let most = ITERATIONS_MAX + if coupled { 3 } else { 0 };
        for iteration in 1..=most {
            problem.eval(time, &self.iterate, &mut self.rhs);
            if self.pattern.identity {
                for index in 0..self.n {
                    self.rhs[index] -= shift * (self.psi[index] + self.correction[index]);
                }
            } else {
                let sum: Vec<f64> = self
                    .psi
                    .iter()
                    .zip(&self.correction)
                    .map(|(psi, d)| psi + d)
                    .collect();
                let mut image = vec![0.0; self.n];
                self.pattern.apply_mass(&sum, &mut image);
                for (rhs, image) in self.rhs.iter_mut().zip(image) {
                    *rhs -= shift * image;
                }
            }
            self.factors.solve(&mut self.rhs);
            let norm = self.norm(&self.rhs, 1.0);
            if !norm.is_finite() {
                self.reached.non_finite = true;
                return None;
            }
            let rate = before
                .filter(|_| iteration != 2 || !coupled)
                .map(|before| norm / before);
            // A correction this small is rounding: its ratio to the one before says nothing.
            let negligible = norm <= NEGLIGIBLE * self.newton_tolerance;
            if let Some(rate) = rate.filter(|_| !negligible) {
                let left = (most - iteration) as i32;
                if rate >= 1.0 || rate.powi(left) / (1.0 - rate) * norm > self.newton_tolerance {
                    return None;
                }
            }
            for index in 0..self.n {
                self.correction[index] += self.rhs[index];
                self.iterate[index] = self.predicted[index] + self.correction[index];
            }
            let settled =
                rate.is_some_and(|rate| rate / (1.0 - rate) * norm < self.newton_tolerance);
            if negligible || settled {
                return Some(iteration);
            }
            before = Some(norm);
        }
        None
    }

    /// The root mean square of values times a factor over the scale.
    fn norm(&self, values: &[f64], factor: f64) -> f64 {
        let mut sum = 0.0;
        for (value, scale) in values.iter().zip(&self.scale) {
            let scaled = factor * value / scale;
            sum += scaled * scaled;
        }
        (sum / self.n as f64).sqrt()
    }

    fn set_scale(&mut self, of_state: bool) {
        let values = if of_state {
            &self.iterate
        } else {
            &self.predicted
        };
        for (index, (scale, value)) in self.scale.iter_mut().zip(values).enumerate() {
            *scale = self.tolerances.scale(index, *value);
        }
    }

    /// Order and step for what follows, by the errors that the neighbouring orders would have.
    fn choose(&mut self, error: f64, safety: f64) {
        let order = self.order;
        if self.equal_steps <= order {
            return;
        }
        let lower =
            (order > 1).then(|| self.norm(&self.differences[order], error_constant(order - 1)));
        let higher = (order < ORDER_MAX)
            .then(|| self.norm(&self.differences[order + 2], error_constant(order + 1)));
        let factor = |error: Option<f64>, order: usize| match error {
            Some(0.0) => GROWTH,
            Some(error) => error.powf(-1.0 / (order + 1) as f64),
            None => 0.0,
        };
        let choices = [
            factor(lower, order - 1),
            factor(Some(error), order),
            factor(higher, order + 1),
        ];
        let mut best = 1;
        for index in [0, 2] {
            if choices[index] > choices[best] {
                best = index;
            }
        }
        self.order = order + best - 1;
        let h = self.reached.h * (safety * choices[best]).min(GROWTH);
        if self.order != order {
            self.factors_due = true;
        }
        self.equal_steps = 0;
        self.rescale(h);
    }
}

/// The matrix from differences of one step to values at the points of another, `factor` times as long.
fn step_change_matrix(order: usize, factor: f64) -> [[f64; ORDER_MAX + 1]; ORDER_MAX + 1] {
    let mut matrix = [[0.0; ORDER_MAX + 1]; ORDER_MAX + 1];
    matrix[0] = [1.0; ORDER_MAX + 1];
    for row in 1..=order {
        let above = matrix[row - 1];
        for (column, entry) in matrix[row].iter_mut().enumerate().skip(1).take(order) {
            let (i, j) = (row as f64, column as f64);
            *entry = above[column] * (i - 1.0 - factor * j) / i;
        }
    }
    matrix
}

impl OdeStepper for Bdf {
    fn reached(&self) -> &StepState {
        &self.reached
    }

    fn attempt(&mut self, problem: &mut OdeProblem<'_>, bounds: StepBounds) -> StepAttempt {
        if self.reached.is_stuck(self.reached.h, bounds) {
            return self.reached.stuck_attempt();
        }
        if self.reached.h.abs() > bounds.step_max * (1.0 + 1e-12) {
            self.rescale(self.reached.h.signum() * bounds.step_max);
        }
        let is_last = self.reached.is_last(self.reached.h, bounds, 1e-4);
        let h = if is_last {
            bounds.end - self.reached.t
        } else {
            self.reached.resolved_step(self.reached.h)
        };
        self.rescale(h);
        let step = PlannedStep { h, is_last };
        let order = self.order;
        self.predicted.fill(0.0);
        self.psi.fill(0.0);
        for (j, difference) in self.differences.iter().enumerate().take(order + 1) {
            let weight = GAMMA[j] / leading_coefficient(order);
            for (index, difference) in difference.iter().enumerate() {
                self.predicted[index] += difference;
                self.psi[index] += weight * difference;
            }
        }
        self.reached.non_finite = false;
        self.set_scale(false);
        let iterations = loop {
            if !self.prepare(problem) {
                self.reached.singular += 1;
                return self.shorten(0.5);
            }
            match self.newton(problem) {
                Some(iterations) => break iterations,
                None if self.fresh || self.reached.non_finite => {
                    self.jacobian_due = !self.fresh;
                    return self.shorten(0.5);
                }
                None => self.jacobian_due = true,
            }
        };
        let most = (2 * ITERATIONS_MAX + 1) as f64;
        let safety = 0.9 * most / (2 * ITERATIONS_MAX + iterations) as f64;
        self.set_scale(true);
        let error = self.norm(&self.correction, error_constant(order));
        if !error.is_finite() {
            self.reached.non_finite = true;
            return self.shorten(0.5);
        }
        if error > 1.0 {
            let factor = (safety * error.powf(-1.0 / (order + 1) as f64)).max(SHRINKING);
            return self.shorten(factor);
        }
        self.reached.accept_step(step, bounds);
        self.equal_steps += 1;
        self.fresh = false;
        for index in 0..self.n {
            let d = self.correction[index];
            self.differences[order + 2][index] = d - self.differences[order + 1][index];
            self.differences[order + 1][index] = d;
            for j in (0..=order).rev() {
                self.differences[j][index] += self.differences[j + 1][index];
            }
        }
        self.interpolated = (self.reached.h, order);
        self.reached.y.copy_from_slice(&self.differences[0]);
        for (past, difference) in self.past.iter_mut().zip(&self.differences[1..]) {
            past.copy_from_slice(difference);
        }
        self.choose(error, safety);
        StepAttempt::Accepted
    }

    fn interpolate(&mut self, _: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        let (h, order) = self.interpolated;
        y.copy_from_slice(&self.reached.y);
        let mut weight = 1.0;
        for j in 1..=order {
            let shift = self.reached.t - h * (j as f64 - 1.0);
            weight *= (t - shift) / (h * j as f64);
            for (y, difference) in y.iter_mut().zip(&self.past[j - 1]) {
                *y += weight * difference;
            }
        }
    }
}
