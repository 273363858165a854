//! [`Radau`]: the implicit Runge-Kutta method Radau IIA of order 5, with three stages.
//!
//! # Method
//! The stages are found by simplified Newton iterations, in coordinates that split the linear system into a real and a complex one of
//! the size of the state; they start from the collocation polynomial of the step before, which is also the interpolation (order 3).
//! Values that are returned within a step come from a shorter step of their own.
//! The error estimate has order 3, so that it is compared with `rtol^(2/3) / 10`; the step follows the predictive controller of
//! Gustafsson. The Jacobian is evaluated again when the iteration converges slowly, the factors are kept while
//! the step would change little. L-stable and stiffly accurate: it also solves differential-algebraic systems of index 1.
//!
//! # References
//! E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996, section IV.8; K. Gustafsson, "Control-
//! theoretic techniques for stepsize selection in implicit Runge-Kutta methods", ACM TOMS 20, 1994.

mod coefficients;

use std::sync::Arc;

use faer::c64;

use self::coefficients::{C1, C2, ERROR, T, T_INVERSE, eigenvalues};
use super::control::Predictive;
use super::flow::{Problem, Tolerances};
use super::matrix::{Pattern, Shifted};
use super::stepper::{Attempt, Bounds, Stepper, initial_step, stuck, vanishes};

/// Largest number of Newton iterations.
const ITERATIONS_MAX: usize = 7;
/// Corrections below this part of the tolerance of the iterations end them.
const NEGLIGIBLE: f64 = 1e-3;
/// Slower convergence asks for a new Jacobian.
const SLOW: f64 = 1e-3;
/// Largest growth of a step.
const GROWTH: f64 = 8.0;
/// The factors are kept when the step would grow by less than this.
const KEEP: f64 = 1.2;

/// The method with its state.
pub(crate) struct Radau {
    n: usize,
    pattern: Arc<Pattern>,
    tolerances: Tolerances,
    newton_tolerance: f64,
    t: f64,
    t_before: f64,
    y: Vec<f64>,
    slope: Vec<f64>,
    /// Length of the last accepted step; 0 before the first.
    h_before: f64,
    h: f64,
    /// Coefficients of the collocation polynomial of the last step.
    collocation: [Vec<f64>; 3],
    jacobian: Vec<f64>,
    real: Shifted<f64>,
    complex: Shifted<c64>,
    eigenvalues: (f64, f64, f64),
    /// Whether the Jacobian belongs to this state, and whether the factors belong to the step.
    fresh: bool,
    jacobian_due: bool,
    factors_due: bool,
    scale: Vec<f64>,
    z: [Vec<f64>; 3],
    w: [Vec<f64>; 3],
    stage: Vec<f64>,
    work: Vec<f64>,
    rhs: Vec<f64>,
    pair: Vec<c64>,
    convergence: f64,
    rate: f64,
    control: Predictive,
    singular: u32,
    non_finite: bool,
}

impl Radau {
    /// Starts at a state; `step` is the size of the first step, found when absent.
    pub(crate) fn new(
        problem: &mut Problem<'_>,
        (t, y): (f64, &[f64]),
        step: Option<f64>,
        bounds: Bounds,
    ) -> Self {
        let n = y.len();
        let pattern = problem.pattern();
        let tolerances = tightened(&problem.tolerances);
        let mut slope = vec![0.0; n];
        problem.eval(t, y, &mut slope);
        let h = step.unwrap_or_else(|| initial_step(problem, (t, y, &slope), bounds, 5.0));
        let zeros = || vec![0.0; n];
        let three = || [zeros(), zeros(), zeros()];
        let rtol = tolerances.rtol;
        Self {
            n,
            jacobian: vec![0.0; pattern.entries.len()],
            real: Shifted::new(&pattern),
            complex: Shifted::new(&pattern),
            pattern,
            newton_tolerance: (10.0 * f64::EPSILON / rtol).max(rtol.sqrt().min(0.03)),
            tolerances,
            t,
            t_before: t,
            y: y.to_vec(),
            slope,
            h_before: 0.0,
            h,
            collocation: three(),
            eigenvalues: eigenvalues(),
            fresh: false,
            jacobian_due: true,
            factors_due: true,
            scale: zeros(),
            z: three(),
            w: three(),
            stage: zeros(),
            work: zeros(),
            rhs: zeros(),
            pair: vec![c64::new(0.0, 0.0); n],
            convergence: 1.0,
            rate: 1.0,
            control: Predictive::new(GROWTH),
            singular: 0,
            non_finite: false,
        }
    }

    /// A shorter step, with a new Jacobian unless it is this state's own.
    fn shorten(&mut self, h: f64) -> Attempt {
        self.h = h;
        self.control.reject();
        self.factors_due = true;
        self.jacobian_due = !self.fresh;
        Attempt::Rejected
    }

    /// Makes Jacobian and factors where they are due; false when the matrix is singular.
    fn prepare(&mut self, problem: &mut Problem<'_>, h: f64) -> bool {
        if self.jacobian_due {
            problem.finite_jacobian(self.t, &self.y, &mut self.jacobian);
            (self.jacobian_due, self.fresh, self.factors_due) = (false, true, true);
        }
        if self.factors_due {
            let (real, alpha, beta) = self.eigenvalues;
            let shift = c64::new(alpha / h, beta / h);
            let one = problem.factor(&mut self.real, real / h, &self.jacobian);
            let two = problem.factor(&mut self.complex, shift, &self.jacobian);
            if one.is_err() || two.is_err() {
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
        let [c1, c2, c3] = [C1 * ratio, C2 * ratio, ratio];
        let [k1, k2, k3] = &self.collocation;
        for index in 0..self.n {
            let (k1, k2, k3) = (k1[index], k2[index], k3[index]);
            let at = |c: f64| c * (k1 + (c - (C2 - 1.0)) * (k2 + (c - (C1 - 1.0)) * k3));
            let z = [at(c1), at(c2), at(c3)];
            for (stage, row) in T_INVERSE.iter().enumerate() {
                self.z[stage][index] = z[stage];
                self.w[stage][index] = row[0] * z[0] + row[1] * z[1] + row[2] * z[2];
            }
        }
    }

    /// Replaces `w` by the residual in the split coordinates and solves; the norm of the correction, which is added.
    fn iterate(&mut self, problem: &mut Problem<'_>, h: f64) -> f64 {
        let n = self.n;
        let (real, alpha, beta) = self.eigenvalues;
        let (real, alpha, beta) = (real / h, alpha / h, beta / h);
        let [z1, z2, z3] = &mut self.z;
        for (z, c) in [(&mut *z1, C1), (&mut *z2, C2), (&mut *z3, 1.0)] {
            for ((stage, y), z) in self.stage.iter_mut().zip(&self.y).zip(z.iter()) {
                *stage = y + z;
            }
            problem.eval(self.t + c * h, &self.stage, z);
        }
        let [w1, w2, w3] = &mut self.w;
        // The mass matrix times w; the same numbers where it is the identity.
        self.pattern.apply_mass(w1, &mut self.rhs);
        self.pattern.apply_mass(w2, &mut self.work);
        self.pattern.apply_mass(w3, &mut self.stage);
        let [r1, r2, r3] = &T_INVERSE;
        for index in 0..n {
            let f = [z1[index], z2[index], z3[index]];
            let (m1, m2, m3) = (self.rhs[index], self.work[index], self.stage[index]);
            let of = |row: &[f64; 3]| row[0] * f[0] + row[1] * f[1] + row[2] * f[2];
            self.rhs[index] = of(r1) - real * m1;
            self.pair[index] = c64::new(
                of(r2) - alpha * m2 + beta * m3,
                of(r3) - alpha * m3 - beta * m2,
            );
        }
        self.real.solve(&mut self.rhs);
        self.complex.solve(&mut self.pair);
        let mut sum = 0.0;
        for index in 0..n {
            let scale = self.scale[index];
            let (d1, d2) = (self.rhs[index], self.pair[index]);
            let (a, b, c) = (d1 / scale, d2.re / scale, d2.im / scale);
            sum += a * a + b * b + c * c;
            w1[index] += d1;
            w2[index] += d2.re;
            w3[index] += d2.im;
            let w = [w1[index], w2[index], w3[index]];
            let of = |row: &[f64; 3]| row[0] * w[0] + row[1] * w[1] + row[2] * w[2];
            z1[index] = of(&T[0]);
            z2[index] = of(&T[1]);
            z3[index] = T[2][0] * w[0] + w[1];
        }
        (sum / (3 * n) as f64).sqrt()
    }

    /// The number of iterations, or the step to try instead.
    fn newton(&mut self, problem: &mut Problem<'_>, h: f64) -> Result<usize, f64> {
        self.convergence = self.convergence.max(f64::EPSILON).powf(0.8);
        let (mut norm_before, mut ratio_before) = (0.0_f64, 0.0_f64);
        self.rate = SLOW;
        // The matrix does not have the terms by which the solution moves its derivatives by parameters: the second iteration
        // corrects for that, and says nothing about the rate.
        let coupled = self.n > self.pattern.n;
        let (first, most) = if coupled {
            (2, ITERATIONS_MAX + 2)
        } else {
            (1, ITERATIONS_MAX)
        };
        let mut iterations = 0;
        loop {
            if iterations >= most {
                return Err(0.5 * h);
            }
            iterations += 1;
            let norm = self.iterate(problem, h);
            if !norm.is_finite() {
                self.non_finite = true;
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

    /// The norm of the error estimate, of order 3.
    fn error(&mut self, problem: &mut Problem<'_>, h: f64) -> f64 {
        let n = self.n;
        for index in 0..n {
            let z = [self.z[0][index], self.z[1][index], self.z[2][index]];
            self.stage[index] = (ERROR[0] * z[0] + ERROR[1] * z[1] + ERROR[2] * z[2]) / h;
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
            self.stage[index] = self.y[index] + self.rhs[index];
        }
        problem.eval(self.t, &self.stage, &mut self.rhs);
        for index in 0..n {
            self.rhs[index] += self.work[index];
        }
        self.real.solve(&mut self.rhs);
        norm(&self.rhs, &self.scale)
    }

    /// Records the step; `last` says that it reaches the end.
    fn accept(&mut self, problem: &mut Problem<'_>, h: f64, last: bool, bounds: Bounds) {
        self.t_before = self.t;
        self.t = if last { bounds.end } else { self.t + h };
        let [k1, k2, k3] = &mut self.collocation;
        for index in 0..self.n {
            let (z1, z2, z3) = (self.z[0][index], self.z[1][index], self.z[2][index]);
            self.y[index] += z3;
            k1[index] = (z2 - z3) / (C2 - 1.0);
            let difference = (z1 - z2) / (C1 - C2);
            let inner = (difference - z1 / C1) / C2;
            k2[index] = (difference - k1[index]) / (C1 - 1.0);
            k3[index] = k2[index] - inner;
        }
        self.h_before = h;
        problem.eval(self.t, &self.y, &mut self.slope);
        self.fresh = false;
    }
}

/// Tolerances for an error estimate of order 3 with which the error of order 5 follows the tolerances given.
fn tightened(given: &Tolerances) -> Tolerances {
    let largest = given.atol.iter().copied().fold(0.0, f64::max);
    // Where the absolute tolerance alone counts it is taken as relative to a solution of size 1.
    let reference = if given.rtol < 1e-13 {
        given.rtol.max(largest.min(1.0))
    } else {
        given.rtol
    };
    let factor = 0.1 * reference.powf(2.0 / 3.0) / reference;
    // A component that has become small is not given up: its absolute tolerance stays.
    let mut tightened = given.times(factor.min(1.0));
    tightened.rtol = factor * given.rtol;
    tightened
}

impl Stepper for Radau {
    fn attempt(&mut self, problem: &mut Problem<'_>, bounds: Bounds) -> Attempt {
        let rest = bounds.end - self.t;
        let mut h = self.h.signum() * self.h.abs().min(bounds.step_max);
        if vanishes(h, self.t) && !vanishes(rest, self.t) {
            return stuck(self.singular, self.non_finite);
        }
        let last = (self.t + 1.0001 * h - bounds.end) * h.signum() >= 0.0
            && rest.abs() <= bounds.step_max * (1.0 + 1e-12);
        if last {
            h = rest;
        } else if f64::EPSILON * self.t.abs() > 1e-9 * h.abs() {
            // The step is the difference of two times, also where these are large.
            h = (self.t + h) - self.t;
        }
        if h != self.h {
            self.factors_due = true;
            self.h = h;
        }
        self.non_finite = false;
        if !self.prepare(problem, h) {
            self.singular += 1;
            return self.shorten(0.5 * h);
        }
        for index in 0..self.n {
            self.scale[index] = self.tolerances.scale(index, self.y[index]);
        }
        self.start(h);
        let iterations = match self.newton(problem, h) {
            Ok(iterations) => iterations,
            Err(shorter) => return self.shorten(shorter),
        };
        let error = self.error(problem, h);
        if !error.is_finite() {
            self.non_finite = true;
            return self.shorten(0.5 * h);
        }
        let most = (1 + 2 * ITERATIONS_MAX) as f64;
        let caution = (most / (iterations + 2 * ITERATIONS_MAX) as f64).min(1.0);
        if error >= 1.0 {
            let shorter = match self.control.is_first() {
                true => 0.1 * h,
                false => h / self.control.quotient(error, caution),
            };
            return self.shorten(shorter);
        }
        let next = self.control.accept(h, error, caution);
        self.singular = 0;
        self.accept(problem, h, last, bounds);
        let grows = next / h;
        let keep = self.rate <= SLOW && (1.0..=KEEP).contains(&grows);
        if !keep {
            self.h = next;
            self.factors_due = true;
        }
        self.jacobian_due = self.rate > SLOW;
        Attempt::Accepted
    }

    fn t(&self) -> f64 {
        self.t
    }

    fn t_before(&self) -> f64 {
        self.t_before
    }

    fn y(&self) -> &[f64] {
        &self.y
    }

    fn interpolate(&mut self, _: &mut Problem<'_>, t: f64, y: &mut [f64]) {
        let s = (t - self.t) / self.h_before;
        let [k1, k2, k3] = &self.collocation;
        for (index, y) in y.iter_mut().enumerate() {
            let inner = k2[index] + (s - (C1 - 1.0)) * k3[index];
            *y = self.y[index] + s * (k1[index] + (s - (C2 - 1.0)) * inner);
        }
    }

    /// A step from the start of the last one: the interpolation has order 3, the ends of steps 5.
    fn sample(&mut self, problem: &mut Problem<'_>, t: f64, y: &mut [f64]) {
        let h = t - self.t_before;
        self.interpolate(problem, self.t_before, y);
        let mut start = std::mem::replace(&mut self.y, y.to_vec());
        let (end, rate, convergence) = (self.t, self.rate, self.convergence);
        let ratio = h / self.h_before;
        let [k1, k2, k3] = &self.collocation;
        for index in 0..self.n {
            let at = |c: f64| {
                let s = c * ratio - 1.0;
                let inner = k2[index] + (s - (C1 - 1.0)) * k3[index];
                let value = start[index] + s * (k1[index] + (s - (C2 - 1.0)) * inner);
                value - self.y[index]
            };
            let z = [at(C1), at(C2), at(1.0)];
            for (stage, row) in T_INVERSE.iter().enumerate() {
                self.z[stage][index] = z[stage];
                self.w[stage][index] = row[0] * z[0] + row[1] * z[1] + row[2] * z[2];
            }
        }
        self.t = self.t_before;
        // The rate of the whole step says nothing about the first iteration of this one.
        self.convergence = 1.0;
        self.factors_due = true;
        let jacobian_due = std::mem::replace(&mut self.jacobian_due, false);
        let solved = self.prepare(problem, h) && self.newton(problem, h).is_ok();
        if solved {
            for (y, z) in y.iter_mut().zip(&self.z[2]) {
                *y += z;
            }
        }
        std::mem::swap(&mut self.y, &mut start);
        (self.t, self.rate, self.convergence) = (end, rate, convergence);
        (self.factors_due, self.jacobian_due, self.non_finite) = (true, jacobian_due, false);
        if !solved {
            self.interpolate(problem, t, y);
        }
    }

    fn next_step(&self) -> f64 {
        self.h
    }
}
