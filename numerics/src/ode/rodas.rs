//! [`Rodas`]: the Rosenbrock method Rodas of order 4, which solves linear systems only.
//!
//! # Method
//! Six stages with one matrix per step, an embedded solution of order 3 for the error, an interpolation of order 3, and the predictive
//! controller of Gustafsson. The Jacobian and the derivative by time are evaluated at each step: the method needs them exactly.
//! L-stable and stiffly accurate; also for differential-algebraic systems of index 1. Best at tolerances of 1e-3 to 1e-6; where
//! a very stiff component follows a given function of time its order falls to 1 or 2, and errors of 100 tolerances occur.
//!
//! # References
//! E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996, sections IV.7 and VI.4; the coefficients
//! are those of the authors' program RODAS.

use std::sync::Arc;

use super::control::StepController;
use super::flow::OdeProblem;
use super::matrix::{JacobianPattern, ShiftedFactors};
use super::stepper::{OdeStepper, StepAttempt, StepBounds, StepState, initial_step};

const STAGES: usize = 6;
const GAMMA: f64 = 0.25;

/// Weights of the stages in the argument of each; stage 6 adds stage 5 to the argument of stage 5.
const A: [&[f64]; 5] = [
    &[],
    &[1.544],
    &[0.946_678_528_081_582_6, 0.255_701_169_898_328_4],
    &[
        3.314_825_187_068_521,
        2.896_124_015_972_201,
        0.998_641_913_997_781_7,
    ],
    &[
        1.221_224_509_226_641,
        6.019_134_481_288_629,
        12.537_083_329_320_87,
        -0.687_886_036_105_895,
    ],
];

/// Weights of the stages in the right-hand side of each, divided by the step.
const C: [&[f64]; STAGES] = [
    &[],
    &[-5.6688],
    &[-2.430_093_356_833_875, -0.206_359_915_709_191_5],
    &[
        -0.107_352_905_815_137_5,
        -9.594_562_251_023_355,
        -20.470_286_148_096_16,
    ],
    &[
        7.496_443_313_967_647,
        -10.246_804_314_643_52,
        -33.999_903_528_199_05,
        11.708_908_932_061_6,
    ],
    &[
        8.083_246_795_921_522,
        -7.981_132_988_064_893,
        -31.521_594_328_743_71,
        16.319_305_431_231_36,
        -6.058_818_238_834_054,
    ],
];

/// Times of the stages.
const TIMES: [f64; STAGES] = [0.0, 0.386, 0.21, 0.63, 1.0, 1.0];

/// Weights of the derivative by time in each stage.
const BY_TIME: [f64; STAGES] = [0.25, -0.1043, 0.1035, -0.036_200_000_000_000_23, 0.0, 0.0];

/// Weights of the stages in both coefficients of the interpolation.
const D: [[f64; 5]; 2] = [
    [
        10.126_235_083_445_86,
        -7.487_995_877_610_167,
        -34.800_918_615_557_47,
        -7.992_771_707_568_823,
        1.025_137_723_295_662,
    ],
    [
        -0.676_280_339_280_689_8,
        6.087_714_651_680_015,
        16.430_843_208_924_78,
        24.767_225_114_183_86,
        -6.594_389_125_716_872,
    ],
];

/// Largest growth of a step.
const GROWTH: f64 = 6.0;

/// The method with its state.
pub(crate) struct Rodas {
    n: usize,
    pattern: Arc<JacobianPattern>,
    reached: StepState,
    y_before: Vec<f64>,
    jacobian: Vec<f64>,
    jacobian_due: bool,
    by_time: Vec<f64>,
    slope: Vec<f64>,
    factors: ShiftedFactors<f64>,
    k: Vec<Vec<f64>>,
    stage: Vec<f64>,
    sum: Vec<f64>,
    image: Vec<f64>,
    dense: [Vec<f64>; 2],
    control: StepController,
}

impl Rodas {
    /// Starts at a state; `step` is the size of the first step, found when absent.
    pub(crate) fn new(
        problem: &mut OdeProblem<'_>,
        (t, y): (f64, &[f64]),
        step: Option<f64>,
        bounds: StepBounds,
    ) -> Self {
        let n = y.len();
        let pattern = problem.pattern();
        let zeros = || vec![0.0; n];
        let mut slope = zeros();
        problem.eval(t, y, &mut slope);
        let h = step.unwrap_or_else(|| initial_step(problem, (t, y, &slope), bounds, 4.0));
        Self {
            n,
            jacobian: vec![0.0; pattern.entries.len()],
            factors: ShiftedFactors::new(&pattern),
            pattern,
            reached: StepState::new((t, y), h),
            y_before: y.to_vec(),
            jacobian_due: true,
            by_time: zeros(),
            slope,
            k: vec![zeros(); STAGES],
            stage: zeros(),
            sum: zeros(),
            image: zeros(),
            dense: [zeros(), zeros()],
            control: StepController::new(GROWTH, 4.0, 0.9),
        }
    }

    fn reject(&mut self, h: f64) -> StepAttempt {
        self.reached.h = h;
        self.control.reject();
        StepAttempt::Rejected
    }

    /// Evaluates the stages; the solution is left in `stage`, its error is the last stage.
    fn stages(&mut self, problem: &mut OdeProblem<'_>, h: f64) {
        for index in 0..STAGES {
            if index == STAGES - 1 {
                for (stage, k) in self.stage.iter_mut().zip(&self.k[index - 1]) {
                    *stage += k;
                }
            } else {
                self.stage.copy_from_slice(&self.reached.y);
                for (weight, k) in A[index].iter().zip(&self.k) {
                    for (stage, k) in self.stage.iter_mut().zip(k) {
                        *stage += weight * k;
                    }
                }
            }
            self.sum.fill(0.0);
            for (weight, k) in C[index].iter().zip(&self.k) {
                for (sum, k) in self.sum.iter_mut().zip(k) {
                    *sum += weight / h * k;
                }
            }
            self.pattern.apply_mass(&self.sum, &mut self.image);
            let k = &mut self.k[index];
            if index == 0 {
                k.copy_from_slice(&self.slope);
            } else {
                problem.eval(self.reached.t + TIMES[index] * h, &self.stage, k);
            }
            let weight = h * BY_TIME[index];
            for ((k, image), by_time) in k.iter_mut().zip(&self.image).zip(&self.by_time) {
                *k += image + weight * by_time;
            }
            self.factors.solve(k);
        }
        for (stage, k) in self.stage.iter_mut().zip(&self.k[STAGES - 1]) {
            *stage += k;
        }
    }
}

impl OdeStepper for Rodas {
    fn reached(&self) -> &StepState {
        &self.reached
    }

    fn attempt(&mut self, problem: &mut OdeProblem<'_>, bounds: StepBounds) -> StepAttempt {
        let Some(step) = self.reached.plan_step(bounds, 1e-4, false) else {
            return self.reached.stuck_attempt();
        };
        let h = step.h;
        if self.jacobian_due {
            if !problem.jacobian(self.reached.t, &self.reached.y, &mut self.jacobian) {
                self.reached.non_finite = true;
                return self.reject(0.5 * h);
            }
            problem.time_slope(self.reached.t, &self.reached.y, &mut self.by_time);
            self.jacobian_due = false;
        }
        self.reached.non_finite = false;
        if problem
            .factor(&mut self.factors, 1.0 / (GAMMA * h), &self.jacobian)
            .is_err()
        {
            self.reached.singular += 1;
            return self.reject(0.5 * h);
        }
        self.stages(problem, h);
        let mut sum = 0.0;
        for (index, error) in self.k[STAGES - 1].iter().enumerate() {
            let larger = self.reached.y[index].abs().max(self.stage[index].abs());
            let scaled = error / problem.tolerances.scale(index, larger);
            sum += scaled * scaled;
        }
        let error = (sum / self.n as f64).sqrt();
        if !error.is_finite() {
            self.reached.non_finite = true;
            return self.reject(0.5 * h);
        }
        if error > 1.0 {
            return self.reject(h / self.control.quotient(error, 1.0));
        }
        self.reached.h = self.control.accept(h, error, 1.0);
        self.reached.accept_step(step, bounds);
        std::mem::swap(&mut self.reached.y, &mut self.y_before);
        self.reached.y.copy_from_slice(&self.stage);
        for (dense, weights) in self.dense.iter_mut().zip(&D) {
            dense.fill(0.0);
            for (weight, k) in weights.iter().zip(&self.k) {
                for (dense, k) in dense.iter_mut().zip(k) {
                    *dense += weight * k;
                }
            }
        }
        self.jacobian_due = true;
        problem.eval(self.reached.t, &self.reached.y, &mut self.slope);
        StepAttempt::Accepted
    }

    fn interpolate(&mut self, _: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        let s = (t - self.reached.t_before) / (self.reached.t - self.reached.t_before);
        let r = 1.0 - s;
        let [third, fourth] = &self.dense;
        for (index, y) in y.iter_mut().enumerate() {
            let bow = third[index] + s * fourth[index];
            *y = r * self.y_before[index] + s * (self.reached.y[index] + r * bow);
        }
    }

    /// A step from the start of the last one: on stiff problems the interpolation is far less accurate than the ends of steps.
    fn sample(&mut self, problem: &mut OdeProblem<'_>, t: f64, y: &mut [f64]) {
        let (h, end) = (t - self.reached.t_before, self.reached.t);
        let of_end = self.slope.clone();
        std::mem::swap(&mut self.reached.y, &mut self.y_before);
        self.reached.t = self.reached.t_before;
        problem.eval(self.reached.t, &self.reached.y, &mut self.slope);
        // Jacobian and derivative by time are those of the start until the next attempt.
        let shift = 1.0 / (GAMMA * h);
        let is_solved = problem
            .factor(&mut self.factors, shift, &self.jacobian)
            .is_ok();
        if is_solved {
            self.stages(problem, h);
            y.copy_from_slice(&self.stage);
        }
        std::mem::swap(&mut self.reached.y, &mut self.y_before);
        (self.reached.t, self.slope) = (end, of_end);
        if !is_solved || y.iter().any(|value| !value.is_finite()) {
            self.interpolate(problem, t, y);
        }
    }
}
