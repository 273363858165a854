//! [`OdeFlow`], a right-hand side with its derivatives as the methods see it, and [`OdeProblem`], which counts what they evaluate.

use std::sync::Arc;

use super::matrix::{JacobianPattern, RealOrComplexField, ShiftedFactors, SingularShift};

/// The right-hand side `f` of `M y' = f(t, y)`, and its derivatives.
///
/// A value that is not finite, where there is none, makes the step shorter, and in the end ends the integration.
///
/// The state may hold several parts of the length of the pattern; only the first part enters the Jacobian, which serves them all.
pub trait OdeFlow {
    /// `dy = f(t, y)`.
    fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]);
    /// As [`OdeFlow::eval`] at the stages of a step, in less time than one after the other; false, and nothing done, where it cannot.
    fn eval_together(&mut self, _t: &[f64], _y: &[Vec<f64>], _dy: &mut [Vec<f64>]) -> bool {
        false
    }
    /// The pattern of the derivatives by `y`, with the mass matrix.
    fn pattern(&mut self) -> Arc<JacobianPattern>;
    /// The derivatives by `y`, in the order of the pattern; returns the evaluations of `f` that it took.
    fn jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) -> u64;
    /// The derivative of `f` by `t`; returns the evaluations of `f` that it took.
    fn time_slope(&mut self, t: f64, y: &[f64], slope: &mut [f64]) -> u64;
}

/// A smaller relative error cannot be told from rounding.
pub const RTOL_MIN: f64 = 100.0 * f64::EPSILON;

/// Tolerances of the local error.
#[derive(Debug, Clone)]
pub struct OdeTolerances {
    /// Relative.
    pub rtol: f64,
    /// Absolute: one for all entries of the state, or one each.
    pub atol: Vec<f64>,
}

impl OdeTolerances {
    /// The absolute tolerance of an entry of the state.
    pub fn absolute(&self, index: usize) -> f64 {
        if self.atol.len() == 1 {
            self.atol[0]
        } else {
            self.atol[index]
        }
    }

    /// The tolerances of `n` components and their derivatives by parameters: a change of a parameter by its own size counts as much
    /// as the component.
    #[must_use]
    pub fn with_derivatives(&self, n: usize, parameters: &[f64]) -> Self {
        let own = (0..n).map(|index| self.absolute(index));
        let of = |parameter: &f64| {
            let size = if *parameter == 0.0 {
                1.0
            } else {
                parameter.abs()
            };
            (0..n).map(move |index| self.absolute(index) / size)
        };
        Self {
            rtol: self.rtol,
            atol: own.chain(parameters.iter().flat_map(of)).collect(),
        }
    }

    /// The scale `atol + rtol |y|` of the error of an entry.
    pub fn scale(&self, index: usize, y: f64) -> f64 {
        self.absolute(index) + self.rtol * y.abs()
    }

    /// Tolerances looser by a factor.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Self {
            rtol: self.rtol * factor,
            atol: self.atol.iter().map(|atol| atol * factor).collect(),
        }
    }

    /// The root mean square of `values / scale(y)`.
    pub fn norm(&self, values: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (index, (value, y)) in values.iter().zip(y).enumerate() {
            let scaled = value / self.scale(index, *y);
            sum += scaled * scaled;
        }
        (sum / y.len() as f64).sqrt()
    }
}

/// Work of an integration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OdeWork {
    /// Evaluations of the right-hand side.
    pub evaluations: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Factorisations of a matrix.
    pub factorisations: u64,
}

impl std::ops::AddAssign for OdeWork {
    fn add_assign(&mut self, other: Self) {
        self.evaluations += other.evaluations;
        self.jacobians += other.jacobians;
        self.factorisations += other.factorisations;
    }
}

/// A flow with the tolerances of one integration; counts the work.
pub(crate) struct OdeProblem<'a> {
    flow: &'a mut dyn OdeFlow,
    /// The tolerances.
    pub tolerances: OdeTolerances,
    /// Work so far.
    pub work: OdeWork,
}

impl<'a> OdeProblem<'a> {
    /// Without work so far.
    pub(crate) fn new(flow: &'a mut dyn OdeFlow, tolerances: OdeTolerances) -> Self {
        Self {
            flow,
            tolerances,
            work: OdeWork::default(),
        }
    }

    /// `dy = f(t, y)`.
    #[inline]
    pub(crate) fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.work.evaluations += 1;
        self.flow.eval(t, y, dy);
    }

    /// As [`OdeFlow::eval`] at each of several points.
    pub(crate) fn eval_each(&mut self, t: &[f64], y: &[Vec<f64>], dy: &mut [Vec<f64>]) {
        self.work.evaluations += t.len() as u64;
        if !self.flow.eval_together(t, y, dy) {
            for ((t, y), dy) in t.iter().zip(y).zip(dy) {
                self.flow.eval(*t, y, dy);
            }
        }
    }

    /// As [`OdeFlow::pattern`].
    pub(crate) fn pattern(&mut self) -> Arc<JacobianPattern> {
        self.flow.pattern()
    }

    /// As [`OdeFlow::jacobian`]; whether every entry is finite.
    pub(crate) fn jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) -> bool {
        self.work.jacobians += 1;
        self.work.evaluations += self.flow.jacobian(t, y, entries);
        entries.iter().all(|entry| entry.is_finite())
    }

    /// As [`OdeFlow::jacobian`] for iterations, which need no exact one: what is not finite counts as 0.
    pub(crate) fn finite_jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) {
        if !self.jacobian(t, y, entries) {
            for entry in entries.iter_mut().filter(|entry| !entry.is_finite()) {
                *entry = 0.0;
            }
        }
    }

    /// As [`OdeFlow::time_slope`].
    pub(crate) fn time_slope(&mut self, t: f64, y: &[f64], slope: &mut [f64]) {
        self.work.evaluations += self.flow.time_slope(t, y, slope);
    }

    /// Factors `shift M - J`.
    ///
    /// # Errors
    /// [`SingularShift`].
    pub(crate) fn factor<T: RealOrComplexField>(
        &mut self,
        factors: &mut ShiftedFactors<T>,
        shift: T,
        jacobian: &[f64],
    ) -> Result<(), SingularShift> {
        self.work.factorisations += 1;
        factors.factor(shift, jacobian)
    }
}
