//! [`MinimisationTarget`]: an objective as the methods see it, always minimised, counted, and stoppable.

use crate::expression::program;
use tool_core::{Ctx, ToolError, Value};

use super::bounds::VariableBounds;
use super::objective::ObjectiveFunction;
use super::scale::round_to_scale;
use crate::expression::SystemEvaluator;
use crate::linalg::dense::{dot, max_abs};

/// The objective as the methods see it: minimised, counted, watched for stop requests and for a fall without end.
pub(crate) struct MinimisationTarget<'a> {
    function: &'a ObjectiveFunction,
    evaluator: Option<SystemEvaluator<'a>>,
    gradient: Option<program::SystemEvaluator<'a>>,
    pub(super) ctx: &'a Ctx,
    /// Differences stay within.
    bounds: VariableBounds,
    /// -1 when the caller maximises.
    sign: f64,
    /// Below this the objective counts as unbounded.
    floor: f64,
    /// Evaluations so far.
    pub evaluations: u64,
    /// The lowest value and its point.
    best: (f64, Vec<f64>),
}

impl<'a> MinimisationTarget<'a> {
    /// Evaluates a function at a start point.
    ///
    /// # Errors
    /// `numeric` with reason `not_finite` when the function is not finite there.
    pub(crate) fn new(
        function: &'a ObjectiveFunction,
        maximise: bool,
        x0: &[f64],
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        let (target, start) = Self::near(function, maximise, x0, ctx)?;
        if !start.is_finite() {
            let found = tool_core::number::non_finite_spelling(start);
            let cause = function
                .expression_of()
                .and_then(|expression| expression.value(x0).err());
            let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
            refuse!(numeric "/x0", "not_finite"; "the objective at `x0` is {found}{cause}";
                "start at a point where the objective is finite");
        }
        Ok(target)
    }

    /// Evaluates a function at a start point, where it need not be finite; answers its value too.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn near(
        function: &'a ObjectiveFunction,
        maximise: bool,
        x0: &[f64],
        ctx: &'a Ctx,
    ) -> Result<(Self, f64), ToolError> {
        /// Drop below the start, relative to its size, beyond which a value is no optimum.
        const FALL: f64 = 1e100;
        let (evaluator, gradient) = match function {
            ObjectiveFunction::Expression(expression, derivatives) => {
                let programmed = derivatives.as_ref().map(|all| all.gradient.evaluator());
                (Some(expression.evaluator()), programmed)
            }
            _ => (None, None),
        };
        let sign = if maximise { -1.0 } else { 1.0 };
        let mut target = Self {
            function,
            evaluator,
            gradient,
            ctx,
            bounds: VariableBounds::free(x0.len()),
            sign,
            floor: f64::NEG_INFINITY,
            evaluations: 0,
            best: (f64::INFINITY, x0.to_vec()),
        };
        let start = target.raw(x0)?;
        let finite = if start.is_finite() { start } else { 0.0 };
        if start.is_finite() {
            target.best.0 = sign * start;
        }
        target.floor = -FALL * (1.0 + finite.abs());
        Ok((target, start))
    }

    /// Takes differences within these bounds only.
    #[must_use]
    pub(crate) fn within(self, bounds: &VariableBounds) -> Self {
        let bounds = bounds.clone();
        Self { bounds, ..self }
    }

    fn count(&mut self) -> Result<(), ToolError> {
        self.ctx.check()?;
        self.ctx.count_evaluations(1)?;
        self.evaluations += 1;
        if self.evaluations.is_multiple_of(4096) {
            let (evaluations, best) = (self.evaluations, self.sign * self.best.0);
            let words = || format!("{evaluations} evaluations, best value {best:.6}");
            self.ctx.progress(None, words);
        }
        Ok(())
    }

    /// The function as the caller wrote it.
    fn raw(&mut self, x: &[f64]) -> Result<f64, ToolError> {
        self.count()?;
        Ok(match (self.function, &mut self.evaluator) {
            (_, Some(evaluator)) => evaluator.eval(x),
            (ObjectiveFunction::Oracle(oracle), _) => oracle.value(x, self.ctx)?,
            (ObjectiveFunction::Rosenbrock, _) => {
                let term = |x: f64, y: f64| 100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2);
                x.windows(2).map(|pair| term(pair[0], pair[1])).sum()
            }
            (ObjectiveFunction::Quadratic(a, b, c), _) => {
                let rows = a.chunks_exact(x.len()).zip(x).zip(b.iter());
                let terms = rows.map(|((row, x_i), b)| x_i * (0.5 * dot(row, x) + b));
                terms.sum::<f64>() + c
            }
            _ => dot(x, x),
        })
    }

    /// The value to be minimised; positive infinity where the function is not finite.
    ///
    /// # Errors
    /// A stop request, a budget, or `numeric` with reason `unbounded` and the best point as evidence.
    pub(crate) fn value(&mut self, x: &[f64]) -> Result<f64, ToolError> {
        let raw = self.raw(x)?;
        if x.iter().any(|x| !x.is_finite()) {
            return Ok(f64::INFINITY); // the objective need not use every coordinate
        }
        let value = self.sign * raw;
        if value < self.best.0 {
            if value.is_finite() {
                self.best = (value, x.to_vec());
            }
            if value < self.floor {
                return Err(self.unbounded(&self.best.1, self.best.0));
            }
        }
        let finite = value.is_finite();
        Ok(if finite { value } else { f64::INFINITY })
    }

    /// Whether the objective has a known gradient and neither kinks nor steps.
    pub(crate) fn is_smooth(&self) -> bool {
        self.function.is_smooth()
    }

    /// Whether nothing is known of the objective but its values.
    pub(crate) fn is_oracle(&self) -> bool {
        matches!(self.function, ObjectiveFunction::Oracle(_))
    }

    /// Below this the objective counts as unbounded.
    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }

    /// Takes only values below this for a fall without end.
    #[must_use]
    pub(crate) fn down_to(self, floor: f64) -> Self {
        Self { floor, ..self }
    }

    /// The error of an objective without an optimum, with a point as evidence.
    pub(crate) fn unbounded(&self, x: &[f64], value: f64) -> ToolError {
        let (direction, verb) = if self.sign < 0.0 {
            ("above", "maximum")
        } else {
            ("below", "minimum")
        };
        let message = format!("the objective is unbounded {direction}: it has no {verb}");
        ToolError::numeric("/objective", message)
            .reason("unbounded")
            .hint("check the sign of the objective and `mode`")
            .evidence(Value::object([
                ("x", Value::vector(x.to_vec())),
                ("f", Value::from(self.sign * value)),
                ("evaluations", Value::from(self.evaluations)),
            ]))
    }

    /// The gradient, given the value at the point: by formula or by the derivatives of the expression, else by central differences of step 6e-6 max(1, |x|), one-sided
    /// where a neighbour is not finite or beyond a bound.
    ///
    /// # Errors
    /// As [`MinimisationTarget::value`].
    pub(crate) fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, ToolError> {
        if let Some(mut gradient) = self.function.exact_gradient(x) {
            self.count()?;
            gradient.iter_mut().for_each(|entry| *entry *= self.sign);
            return Ok(gradient);
        }
        if let Some(gradient) = self.programmed_gradient(x)? {
            return Ok(gradient);
        }
        let mut point = x.to_vec();
        let mut gradient = Vec::with_capacity(x.len());
        for index in 0..x.len() {
            let step = difference_step(x[index]);
            let above = self.bounds.nearest(index, x[index] + step);
            let below = self.bounds.nearest(index, x[index] - step);
            if above == below {
                gradient.push(0.0); // the bounds leave one value
                continue;
            }
            point[index] = above;
            let up = self.value(&point)?;
            point[index] = below;
            let down = self.value(&point)?;
            point[index] = x[index];
            gradient.push(match (up.is_finite(), down.is_finite()) {
                (true, false) => (up - value) / (above - x[index]),
                (false, true) => (value - down) / (x[index] - below),
                _ => (up - down) / (above - below),
            });
        }
        Ok(gradient)
    }

    /// The product of the Hessian and a vector; `None` where second derivatives are not known, or not finite at this point.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn hessian_times(
        &mut self,
        x: &[f64],
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, ToolError> {
        self.ctx.check()?;
        let Some(mut product) = self.function.hessian_times(x, v) else {
            return Ok(None);
        };
        self.count()?;
        product.iter_mut().for_each(|entry| *entry *= self.sign);
        Ok(Some(product).filter(|product| product.iter().all(|entry| entry.is_finite())))
    }

    /// The gradient by the derivatives of the expression; `None` where one is not known, or not finite at this point.
    fn programmed_gradient(&mut self, x: &[f64]) -> Result<Option<Vec<f64>>, ToolError> {
        let mut found = vec![0.0; x.len() + 1]; // the value, then its derivatives
        match &mut self.gradient {
            Some(evaluator) => evaluator.point(x, &mut found),
            None => return Ok(None),
        }
        self.count()?;
        let gradient = found[1..].iter().map(|entry| self.sign * entry);
        let finite = found.iter().all(|entry| entry.is_finite());
        Ok(finite.then(|| gradient.collect()))
    }

    /// The size of the rounding error of a component of the gradient.
    pub(crate) fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        const ROUNDINGS: f64 = 4.0;
        let size = match self.function {
            // By a step of 1, or of the size of the point where that is far beyond.
            ObjectiveFunction::Expression(_, Some(_)) => {
                value.abs() / round_to_scale(max_abs(x)).max(1.0)
            }
            ObjectiveFunction::Expression(_, None) | ObjectiveFunction::Oracle(_) => {
                value.abs() / difference_step(0.0)
            }
            ObjectiveFunction::Sphere => max_abs(x),
            ObjectiveFunction::Rosenbrock => 400.0 * max_abs(x).powi(3),
            ObjectiveFunction::Quadratic(a, b, _) => {
                x.len() as f64 * max_abs(a) * max_abs(x) + max_abs(b)
            }
        };
        ROUNDINGS * f64::EPSILON * size
    }

    /// A value in the caller's sign.
    pub(crate) fn restored(&self, value: f64) -> f64 {
        self.sign * value + 0.0 // no negative zero
    }
}

/// The cube root of the rounding unit, which balances truncation and rounding.
pub(super) fn difference_step(x: f64) -> f64 {
    const STEP: f64 = 6.055_454_452_393_343e-6;
    STEP * x.abs().max(1.0)
}
