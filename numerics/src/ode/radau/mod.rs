//! [`Radau`]: the implicit Runge-Kutta methods Radau IIA of order 5, with three stages, and of order 9, with five.
//!
//! # Method
//! Below a relative tolerance of 3e-8 there are five stages, whose steps are so much longer that they pay for their factors.
//! The stages are found by simplified Newton iterations, in coordinates that split the linear system into a real and one or two complex
//! ones of the size of the state; they start from the collocation polynomial of the step before, which is also the interpolation
//! (its order is the number of stages). Values that are returned within a step come from a shorter step of their own.
//! The order of the error estimate is the number of stages `S`, so that it is compared with `rtol^((S + 1) / 2S) / 10`; the step follows
//! the predictive controller of Gustafsson. The Jacobian is evaluated again when the iteration converges slowly, the factors are kept while
//! the step would change little. L-stable and stiffly accurate: it also solves differential-algebraic systems of index 1.
//!
//! # References
//! E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996, section IV.8; K. Gustafsson, "Control-
//! theoretic techniques for stepsize selection in implicit Runge-Kutta methods", ACM TOMS 20, 1994; five stages: E. Hairer, G. Wanner,
//! "Stiff differential equations solved by Radau methods", J. Comput. Appl. Math. 111, 1999.

mod coefficients;

use std::sync::Arc;

use faer::c64;

use self::coefficients::{KnownRadauCoefficients, RadauCoefficients, RadauStages};
use super::control::StepController;
use super::flow::{OdeProblem, OdeTolerances};
use super::matrix::{JacobianPattern, ShiftedFactors};
use super::stepper::{OdeStepper, PlannedStep, StepAttempt, StepBounds, StepState, initial_step};

/// Corrections below this part of the tolerance of the iterations end them.
const NEGLIGIBLE: f64 = 1e-3;
/// Relative tolerances below which five stages are worth their factors (measured on the stiff problems of `BENCHMARKS.md`).
const NINTH_ORDER: f64 = 3e-8;
/// Slower convergence asks for a new Jacobian.
const SLOW: f64 = 1e-3;
/// Largest growth of a step.
const GROWTH: f64 = 8.0;
/// The factors are kept when the step would grow by less than this.
const KEEP: f64 = 1.2;

/// The method with `S` stages, and its state.
struct Radau<const S: usize> {
    n: usize,
    pattern: Arc<JacobianPattern>,
    tolerances: OdeTolerances,
    newton_tolerance: f64,
    reached: StepState,
    slope: Vec<f64>,
    /// Length of the last accepted step; 0 before the first.
    h_before: f64,
    /// Coefficients of the collocation polynomial of the last step, in Newton's form from its end backwards.
    collocation: [Vec<f64>; S],
    jacobian: Vec<f64>,
    real: ShiftedFactors<f64>,
    /// One for each pair of eigenvalues.
    complex: Vec<ShiftedFactors<c64>>,
    /// Whether the Jacobian belongs to this state, and whether the factors belong to the step.
    fresh: bool,
    jacobian_due: bool,
    factors_due: bool,
    scale: Vec<f64>,
    z: [Vec<f64>; S],
    w: [Vec<f64>; S],
    /// States of the stages, then the mass matrix times each of `w`.
    stages: [Vec<f64>; S],
    stage: Vec<f64>,
    work: Vec<f64>,
    rhs: Vec<f64>,
    /// Their parts of the corrections, one pair after the other.
    pairs: Vec<c64>,
    convergence: f64,
    rate: f64,
    control: StepController,
}

/// Starts at a state, with as many stages as the tolerances are worth; `step` is the size of the first step, found when absent.
pub(crate) fn start_radau(
    problem: &mut OdeProblem<'_>,
    at: (f64, &[f64]),
    step: Option<f64>,
    bounds: StepBounds,
) -> Box<dyn OdeStepper> {
    if has_five_stages(&problem.tolerances) {
        Box::new(Radau::<5>::new(problem, at, step, bounds))
    } else {
        Box::new(Radau::<3>::new(problem, at, step, bounds))
    }
}

/// Whether the tolerances are worth the longer and dearer steps of order 9.
pub(crate) fn has_five_stages(tolerances: &OdeTolerances) -> bool {
    reference_tolerance(tolerances) < NINTH_ORDER
}

impl<const S: usize> Radau<S>
where
    RadauStages<S>: KnownRadauCoefficients<S>,
{
    const OF: &'static RadauCoefficients<S> = RadauStages::<S>::OF;
    /// Largest number of Newton iterations.
    const ITERATIONS_MAX: usize = 7 + 5 * (S - 3) / 2;

    fn new(
        problem: &mut OdeProblem<'_>,
        (t, y): (f64, &[f64]),
        step: Option<f64>,
        bounds: StepBounds,
    ) -> Self {
        let n = y.len();
        let pattern = problem.pattern();
        let tolerances = tighten_tolerances(&problem.tolerances, S as f64);
        let mut slope = vec![0.0; n];
        problem.eval(t, y, &mut slope);
        let order = (2 * S - 1) as f64;
        let h = step.unwrap_or_else(|| initial_step(problem, (t, y, &slope), bounds, order));
        let zeros = || vec![0.0; n];
        let each = || std::array::from_fn(|_| zeros());
        let rtol = tolerances.rtol;
        let accuracy = rtol.powf((S - 1) as f64 / (S + 1) as f64);
        Self {
            n,
            jacobian: vec![0.0; pattern.entries.len()],
            real: ShiftedFactors::new(&pattern),
            complex: Self::OF
                .pairs
                .iter()
                .map(|_| ShiftedFactors::new(&pattern))
                .collect(),
            pattern,
            newton_tolerance: (10.0 * f64::EPSILON / rtol).max(accuracy.min(0.03)),
            tolerances,
            reached: StepState::new((t, y), h),
            slope,
            h_before: 0.0,
            collocation: each(),
            fresh: false,
            jacobian_due: true,
            factors_due: true,
            scale: zeros(),
            z: each(),
            w: each(),
            stages: each(),
            stage: zeros(),
            work: zeros(),
            rhs: zeros(),
            pairs: vec![c64::new(0.0, 0.0); S / 2 * n],
            convergence: 1.0,
            rate: 1.0,
            control: StepController::new(GROWTH, S as f64 + 1.0, 0.9),
        }
    }

    /// A shorter step, with a new Jacobian unless it is this state's own.
    fn shorten(&mut self, h: f64) -> StepAttempt {
        self.reached.h = h;
        self.control.reject();
        self.factors_due = true;
        self.jacobian_due = !self.fresh;
        StepAttempt::Rejected
    }

    /// Makes Jacobian and factors where they are due; false when the matrix is singular.
    fn prepare(&mut self, problem: &mut OdeProblem<'_>, h: f64) -> bool {
        if self.jacobian_due {
            problem.finite_jacobian(self.reached.t, &self.reached.y, &mut self.jacobian);
            (self.jacobian_due, self.fresh, self.factors_due) = (false, true, true);
        }
        if self.factors_due {
            let real = problem.factor(&mut self.real, Self::OF.real / h, &self.jacobian);
            let mut is_regular = real.is_ok();
            for (complex, (alpha, beta)) in self.complex.iter_mut().zip(Self::OF.pairs) {
                let shift = c64::new(alpha / h, beta / h);
                is_regular &= problem.factor(complex, shift, &self.jacobian).is_ok();
            }
            if !is_regular {
                return false;
            }
            self.factors_due = false;
        }
        true
    }

    /// First values of the stages: the polynomial of the step before, continued.
    fn start(&mut self, h: f64) {
        if self.h_before == 0.0 {
            self.z.iter_mut().for_each(|z| z.fill(0.0));
            self.w.iter_mut().for_each(|w| w.fill(0.0));
            return;
        }
        let ratio = h / self.h_before;
        for index in 0..self.n {
            let z = Self::OF.c.map(|c| self.continued(index, c * ratio));
            self.place(index, z);
        }
    }

    /// Sets the stages of a component.
    fn place(&mut self, index: usize, z: [f64; S]) {
        for (stage, row) in Self::OF.t_inverse.iter().enumerate() {
            self.z[stage][index] = z[stage];
            self.w[stage][index] = dot(row, &z);
        }
    }

    /// The collocation polynomial of the last step less its value at the end, so many lengths of the step after the end.
    fn continued(&self, index: usize, s: f64) -> f64 {
        let c = &Self::OF.c;
        let mut value = self.collocation[S - 1][index];
        for order in (1..S).rev() {
            value = self.collocation[order - 1][index] + (s - (c[S - 1 - order] - 1.0)) * value;
        }
        s * value
    }

    /// Replaces `w` by the residual in the split coordinates and solves; the norm of the correction, which is added.
    fn iterate(&mut self, problem: &mut OdeProblem<'_>, h: f64) -> f64 {
        let n = self.n;
        let RadauCoefficients {
            c, t, t_inverse, ..
        } = Self::OF;
        for (stage, z) in self.stages.iter_mut().zip(&self.z) {
            for ((stage, y), z) in stage.iter_mut().zip(&self.reached.y).zip(z) {
                *stage = y + z;
            }
        }
        let times = c.map(|c| self.reached.t + c * h);
        problem.eval_each(&times, &self.stages, &mut self.z);
        for (w, mass) in self.w.iter().zip(&mut self.stages) {
            self.pattern.apply_mass(w, mass);
        }
        let real = Self::OF.real / h;
        let mut z = self.z.each_mut().map(|z| &mut z[..n]);
        let mut w = self.w.each_mut().map(|w| &mut w[..n]);
        let mass = self.stages.each_ref().map(|mass| &mass[..n]);
        for index in 0..n {
            let f = z.each_ref().map(|z| z[index]);
            let m = mass.map(|mass| mass[index]);
            self.rhs[index] = dot(&t_inverse[0], &f) - real * m[0];
            for (pair, (alpha, beta)) in Self::OF.pairs.iter().enumerate() {
                let (alpha, beta) = (alpha / h, beta / h);
                let (first, second) = (2 * pair + 1, 2 * pair + 2);
                self.pairs[pair * n + index] = c64::new(
                    dot(&t_inverse[first], &f) - alpha * m[first] + beta * m[second],
                    dot(&t_inverse[second], &f) - alpha * m[second] - beta * m[first],
                );
            }
        }
        self.real.solve(&mut self.rhs);
        for (complex, pair) in self.complex.iter_mut().zip(self.pairs.chunks_exact_mut(n)) {
            complex.solve(pair);
        }
        let mut sum = 0.0;
        for index in 0..n {
            let scale = self.scale[index];
            let mut change = [self.rhs[index]; S];
            for pair in 0..S / 2 {
                let value = self.pairs[pair * n + index];
                (change[2 * pair + 1], change[2 * pair + 2]) = (value.re, value.im);
            }
            for (change, w) in change.iter_mut().zip(&mut w) {
                let scaled = *change / scale;
                sum += scaled * scaled;
                w[index] += *change;
                *change = w[index];
            }
            for (z, row) in z.iter_mut().zip(t) {
                z[index] = dot(row, &change);
            }
        }
        (sum / (S * n) as f64).sqrt()
    }

    /// The number of iterations, or the step to try instead.
    fn newton(&mut self, problem: &mut OdeProblem<'_>, h: f64) -> Result<usize, f64> {
        self.convergence = self.convergence.max(f64::EPSILON).powf(0.8);
        let (mut norm_before, mut ratio_before) = (0.0_f64, 0.0_f64);
        self.rate = SLOW;
        // The matrix does not have the terms by which the solution moves its derivatives by parameters: the second iteration
        // corrects for that, and says nothing about the rate.
        let coupled = self.n > self.pattern.n;
        let (first, most) = if coupled {
            (2, Self::ITERATIONS_MAX + 2)
        } else {
            (1, Self::ITERATIONS_MAX)
        };
        let mut iterations = 0;
        loop {
            if iterations >= most {
                return Err(0.5 * h);
            }
            iterations += 1;
            let norm = self.iterate(problem, h);
            if !norm.is_finite() {
                self.reached.non_finite = true;
                return Err(0.5 * h);
            }
            if iterations > first && iterations < most {
                let ratio = norm / norm_before;
                self.rate = if iterations == first + 1 {
                    ratio
                } else {
                    (ratio * ratio_before).sqrt()
                };
                ratio_before = ratio;
                if self.rate >= 0.99 {
                    // A correction this small is rounding: its ratio to the one before says nothing.
                    if norm <= NEGLIGIBLE * self.newton_tolerance {
                        self.rate = SLOW;
                        return Ok(iterations);
                    }
                    return Err(0.5 * h);
                }
                self.convergence = self.rate / (1.0 - self.rate);
                let left = (most - 1 - iterations) as i32;
                let expected =
                    self.convergence * norm * self.rate.powi(left) / self.newton_tolerance;
                if expected >= 1.0 {
                    let excess = expected.clamp(1e-4, 20.0);
                    return Err(0.8 * h * excess.powf(-1.0 / (4.0 + f64::from(left))));
                }
            }
            norm_before = norm.max(f64::EPSILON);
            if iterations >= first && self.convergence * norm <= self.newton_tolerance {
                return Ok(iterations);
            }
        }
    }

    /// The norm of the error estimate, of order `S`.
    fn error(&mut self, problem: &mut OdeProblem<'_>, h: f64) -> f64 {
        let n = self.n;
        for index in 0..n {
            let z = self.z.each_ref().map(|z| z[index]);
            self.stage[index] = dot(&Self::OF.error, &z) / h;
        }
        self.pattern.apply_mass(&self.stage, &mut self.work);
        for index in 0..n {
            self.rhs[index] = self.work[index] + self.slope[index];
        }
        self.real.solve(&mut self.rhs);
        let norm = |rhs: &[f64], scale: &[f64]| {
            let mut sum = 0.0;
            for (value, scale) in rhs.iter().zip(scale) {
                sum += (value / scale) * (value / scale);
            }
            (sum / n as f64).sqrt().max(1e-10)
        };
        let error = norm(&self.rhs, &self.scale);
        if error < 1.0 || !(self.control.is_first() || self.control.is_after_rejection()) {
            return error;
        }
        // The estimate does not vanish at infinity; filtered once more where that is likely to matter.
        for index in 0..n {
            self.stage[index] = self.reached.y[index] + self.rhs[index];
        }
        problem.eval(self.reached.t, &self.stage, &mut self.rhs);
        for index in 0..n {
            self.rhs[index] += self.work[index];
        }
        self.real.solve(&mut self.rhs);
        norm(&self.rhs, &self.scale)
    }

    /// Records the step.
    fn accept(&mut self, problem: &mut OdeProblem<'_>, step: PlannedStep, bounds: StepBounds) {
        self.reached.accept_step(step, bounds);
        // Divided differences of the stages, from the end of the step to its start.
        let c = &Self::OF.c;
        let time = |node: usize| if node == S { 0.0 } else { c[S - 1 - node] };
        for index in 0..self.n {
            let z = self.z.each_ref().map(|z| z[index]);
            self.reached.y[index] += z[S - 1];
            let value = |node: usize| if node == S { 0.0 } else { z[S - 1 - node] };
            let mut differences: [f64; S] =
                std::array::from_fn(|node| value(node + 1) - value(node));
            for order in 1..=S {
                for (node, difference) in differences.iter_mut().enumerate().take(S - order + 1) {
                    *difference /= time(node + order) - time(node);
                }
                self.collocation[order - 1][index] = differences[0];
                for node in 0..S - order {
                    differences[node] = differences[node + 1] - differences[node];
                }
            }
        }
        self.h_before = step.h;
        problem.eval(self.reached.t, &self.reached.y, &mut self.slope);
        self.fresh = false;
    }
}

fn dot<const S: usize>(row: &[f64; S], column: &[f64; S]) -> f64 {
    let mut sum = row[0] * column[0];
    for (a, b) in row.iter().zip(column).skip(1) {
        sum += a * b;
    }
    sum
}

/// The relative tolerance; where the absolute one alone counts, that is taken as relative to a solution of size 1.
fn reference_tolerance(given: &OdeTolerances) -> f64 {
    let largest = given.atol.iter().copied().fold(0.0, f64::max);
    if given.rtol < 1e-13 {
        given.rtol.max(largest.min(1.0))
    } else {
        given.rtol
    }
}

/// Tolerances for an error estimate whose order is the number of stages, with which the error of the method follows the tolerances given.
fn tighten_tolerances(given: &OdeTolerances, stages: f64) -> OdeTolerances {
    let reference = reference_tolerance(given);
    let factor = 0.1 * reference.powf((stages + 1.0) / (2.0 * stages)) / reference;
    // A component that has become small is not given up: its absolute tolerance stays.
    let mut tightened = given.times(factor.min(1.0));
    tightened.rtol = factor * given.rtol;
    tightened
}

impl<const S: usize> OdeStepper for Radau<S>
where
    RadauStages<S>: KnownRadauCoefficients<S>,
{
    fn reached(&self) -> &StepState {
        &self.reached
    }

    fn attempt(&mut self, problem: &mut OdeProblem<'_>, bounds: StepBounds) -> StepAttempt {
        let Some(step) = self.reached.plan_step(bounds, 1e-4, true) else {
            return self.reached.stuck_attempt();
        };
        let h = step.h;
        if h != self.reached.h {
            self.factors_due = true;
            self.reached.h = h;
        }
        self.reached.non_finite = false;
        if !self.prepare(problem, h) {
            self.reached.singular += 1;
            return self.shorten(0.5 * h);
        }
        for index in 0..self.n {
            self.scale[index] = self.tolerances.scale(index, self.reached.y[index]);
        }
        self.start(h);
        let iterations = match self.newton(problem, h) {
            Ok(iterations) => iterations,
            Err(shorter) => return self.shorten(shorter),
        };
        let error = self.error(problem, h);
        if !error.is_finite() {
            self.reached.non_finite = true;
            return self.shorten(0.5 * h);
        }
        let most = 2 * Self::ITERATIONS_MAX;
        let caution = ((1 + most) as f64 / (iterations + most) as f64).min(1.0);
        if error >= 1.0 {
            let shorter = match self.control.is_first() {
                true => 0.1 * h,
                false => h / self.control.quotient(error, caution),
            };
            return self.shorten(shorter);
        }
        let next = self.control.accept(h, error, caution);
        self.accept(problem, step, bounds);
        let grows = next / h;
        let keep = self.rate <= SLOW && (1.0..=KEEP).contains(&grows);
        if !keep {
            self.reached.h = next;
            self.factors_due = true;
        }
        self.jacobian_due = self.rate > SLOW;
        StepAttempt::Accepted
    }

    fn interpolate(&mut self, _: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        let s = (t - self.reached.t) / self.h_before;
        for (index, y) in y.iter_mut().enumerate() {
            *y = self.reached.y[index] + self.continued(index, s);
        }
    }

    /// A step from the start of the last one: the interpolation has the order `S`, the ends of steps 2 `S` - 1.
    fn sample(&mut self, problem: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        let h = t - self.reached.t_before;
        self.interpolate(problem, self.reached.t_before, y);
        let mut start = std::mem::replace(&mut self.reached.y, y.to_vec());
        let (end, rate, convergence) = (self.reached.t, self.rate, self.convergence);
        let ratio = h / self.h_before;
        for (index, start) in start.iter().enumerate() {
            let at =
                |c: f64| start + self.continued(index, c * ratio - 1.0) - self.reached.y[index];
            self.place(index, Self::OF.c.map(at));
        }
        self.reached.t = self.reached.t_before;
        // The rate of the whole step says nothing about the first iteration of this one.
        self.convergence = 1.0;
        self.factors_due = true;
        let jacobian_due = std::mem::replace(&mut self.jacobian_due, false);
        let solved = self.prepare(problem, h) && self.newton(problem, h).is_ok();
        if solved {
            for (y, z) in y.iter_mut().zip(&self.z[S - 1]) {
                *y += z;
            }
        }
        std::mem::swap(&mut self.reached.y, &mut start);
        (self.reached.t, self.rate, self.convergence) = (end, rate, convergence);
        (self.factors_due, self.jacobian_due, self.reached.non_finite) =
            (true, jacobian_due, false);
        if !solved {
            self.interpolate(problem, t, y);
        }
    }
}
