//! [`Parametric`]: an initial value problem whose equations and start depend on parameters, solved together with the derivatives of its
//! solution by them.
//!
//! # Method
//! The variational equations of [`Variational`], which begin with the derivatives of the start: S(t0) = d y(t0) / d p. All derivatives are
//! exact, from the expressions, and as accurate as the solution, whose error control they share.

use tool_core::{Ctx, ToolError};

use super::drive::{Options, integrate};
use super::dynamics::Dynamics;
use super::event::Watch;
use super::jump::{Jump, jump};
use super::sensitivity::{ByParameters, Variational};
use super::stepper::Reason;
use super::system::State;
use crate::expression::{Expression, NotDifferentiable, System};

/// Equations and start as functions of parameters.
#[derive(Debug)]
pub(crate) struct Parametric {
    dynamics: Dynamics,
    by_parameters: ByParameters,
    /// The start, then its derivatives by the parameters, row by row.
    start: System,
    /// Settings.
    pub(crate) options: Options,
}

/// Where and why an integration stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stop {
    /// The time that was reached.
    pub(crate) t: f64,
    /// The reason.
    pub(crate) reason: Reason,
}

impl Parametric {
    /// Equations in the slots time, states, parameters.
    ///
    /// # Errors
    /// [`NotDifferentiable`] of an equation.
    pub(crate) fn new(
        equations: Vec<Expression>,
        start: System,
        parameters: usize,
        options: Options,
    ) -> Result<Self, NotDifferentiable> {
        let state = State::First(equations.len());
        let dynamics = Dynamics::expressions(equations, state);
        let by_parameters = ByParameters::of(&dynamics, parameters)?;
        Ok(Self {
            dynamics,
            by_parameters,
            start,
            options,
        })
    }

    /// Number of states.
    fn len(&self) -> usize {
        self.dynamics.len()
    }

    /// Entries of a state with its derivatives: the states, then the derivatives of all of them by each parameter.
    pub(crate) fn width(&self) -> usize {
        self.len() * (1 + self.by_parameters.count)
    }

    /// The start with its derivatives.
    fn start(&self, parameters: &[f64]) -> Vec<f64> {
        let (n, count) = (self.len(), self.by_parameters.count);
        let mut values = vec![0.0; self.width()];
        self.start.evaluator().point(parameters, &mut values);
        let mut start = values.clone();
        for row in 0..n {
            for parameter in 0..count {
                start[(1 + parameter) * n + row] = values[n + row * count + parameter];
            }
        }
        start
    }

    /// Solutions with their derivatives, one after the other, at times that move away from `t0`, the first of which may be `t0`; or where
    /// the integration stopped before the last of them.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn solutions(
        &self,
        parameters: &[f64],
        t0: f64,
        times: &[f64],
        ctx: &Ctx,
    ) -> Result<Result<Vec<f64>, Stop>, ToolError> {
        let start = self.start(parameters);
        if start.iter().any(|value| !value.is_finite()) {
            let reason = Reason::NotFinite;
            return Ok(Err(Stop { t: t0, reason }));
        }
        let end = match times.last() {
            None => return Ok(Ok(Vec::new())),
            Some(&end) if end == t0 => return Ok(Ok(start)),
            Some(&end) => end,
        };
        let mut watch = Watch::at(times, (t0, end));
        let (mut flow, options) = self.flow(parameters);
        let ctx = &ctx.scratch();
        let path = integrate(&mut flow, (t0, end), &start, &options, &mut watch, ctx)?;
        Ok(match path.stopped {
            None => Ok(path.samples),
            Some(reason) => Err(Stop {
                t: path.t_end(),
                reason,
            }),
        })
    }

    /// A place that the steps to a time do not see, as [`jump`] finds it; an integration that stops has none.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn unseen(
        &self,
        parameters: &[f64],
        (t0, end): (f64, f64),
        ctx: &Ctx,
    ) -> Result<Option<Jump>, ToolError> {
        let start = self.start(parameters);
        let (mut flow, options) = self.flow(parameters);
        let ctx = &ctx.scratch();
        let (span, watch) = ((t0, end), &mut Watch::none());
        let path = integrate(&mut flow, span, &start, &options, watch, ctx)?;
        let explicit = !path.methods.iter().any(|method| method.is_implicit());
        if path.stopped.is_some() || !(explicit || self.dynamics.uses_time()) {
            return Ok(None);
        }
        Ok(jump(&mut flow, &path, &options, ctx)?.0)
    }

    fn flow(&self, parameters: &[f64]) -> (Variational<'_>, Options) {
        let derivative = self.dynamics.evaluator(parameters);
        let tolerances = &self.options.tolerances;
        let options = Options {
            tolerances: tolerances.with_derivatives(self.len(), parameters),
            ..self.options.clone()
        };
        (Variational::new(derivative, &self.by_parameters), options)
    }
}
