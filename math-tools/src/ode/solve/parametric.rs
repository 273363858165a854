//! [`ParametricOde`]: an initial value problem whose equations and start depend on parameters, solved together with the derivatives of its
//! solution by them.
//!
//! # Method
//! The variational equations of [`VariationalFlow`], which begin with the derivatives of the start: S(t0) = d y(t0) / d p. All derivatives are
//! exact, from the expressions, and as accurate as the solution, whose error control they share.

use numerics::ode::{
    DerivativeJump, OdeEnd, OdeOptions, TrajectoryObserver, VariationalFlow, integrate_flow,
    search_discontinuity,
};
use tool_core::{Ctx, ToolError};

use super::dynamics::OdeDynamics;
use super::failure::ode_error;
use super::sensitivity::{ByParameters, ParametricDynamics};
use super::system::StateNames;
use crate::call_watch::CallWatch;
use crate::expression::{Expression, ExpressionSystem, NotDifferentiable};

/// Equations and start as functions of parameters.
#[derive(Debug)]
pub(crate) struct ParametricOde {
    dynamics: OdeDynamics,
    by_parameters: ByParameters,
    /// The start, then its derivatives by the parameters, row by row.
    start: ExpressionSystem,
    /// Settings.
    pub(crate) options: OdeOptions,
}

/// Where and why an integration stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OdeStop {
    /// The time that was reached.
    pub(crate) t: f64,
    /// The reason.
    pub(crate) reason: OdeEnd,
}

impl ParametricOde {
    /// Equations in the slots time, states, parameters.
    ///
    /// # Errors
    /// [`NotDifferentiable`] of an equation.
    pub(crate) fn new(
        equations: Vec<Expression>,
        start: ExpressionSystem,
        parameters: usize,
        options: OdeOptions,
    ) -> Result<Self, NotDifferentiable> {
        let state = StateNames::First(equations.len());
        let dynamics = OdeDynamics::expressions(equations, state);
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
    ) -> Result<Result<Vec<f64>, OdeStop>, ToolError> {
        let start = self.start(parameters);
        if start.iter().any(|value| !value.is_finite()) {
            let reason = OdeEnd::NotFinite;
            return Ok(Err(OdeStop { t: t0, reason }));
        }
        let end = match times.last() {
            None => return Ok(Ok(Vec::new())),
            Some(&end) if end == t0 => return Ok(Ok(start)),
            Some(&end) => end,
        };
        let mut observer = TrajectoryObserver::at(times, (t0, end));
        let (mut dynamics, options) = self.flow(parameters);
        let mut flow = VariationalFlow::new(&mut dynamics);
        let ctx = &ctx.scratch();
        let watch = CallWatch(ctx);
        let span = (t0, end);
        let path = integrate_flow(&mut flow, span, &start, &options, &mut observer, &watch)
            .map_err(|error| ode_error(error, watch))?;
        Ok(match path.stopped {
            None => Ok(path.samples),
            Some(reason) => Err(OdeStop {
                t: path.t_end(),
                reason,
            }),
        })
    }

    /// A place that the steps to a time do not see, as [`search_discontinuity`] finds it; an integration that stops has none.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn unseen(
        &self,
        parameters: &[f64],
        (t0, end): (f64, f64),
        ctx: &Ctx,
    ) -> Result<Option<DerivativeJump>, ToolError> {
        let start = self.start(parameters);
        let (mut dynamics, options) = self.flow(parameters);
        let mut flow = VariationalFlow::new(&mut dynamics);
        let ctx = &ctx.scratch();
        let (span, observer) = ((t0, end), &mut TrajectoryObserver::none());
        let watch = CallWatch(ctx);
        let error = |error| ode_error(error, watch);
        let path =
            integrate_flow(&mut flow, span, &start, &options, observer, &watch).map_err(error)?;
        let explicit = !path.methods.iter().any(|method| method.is_implicit());
        if path.stopped.is_some() || !(explicit || self.dynamics.uses_time()) {
            return Ok(None);
        }
        let found = search_discontinuity(&mut flow, &path, &options, &watch);
        Ok(found.map_err(error)?.0)
    }

    fn flow(&self, parameters: &[f64]) -> (ParametricDynamics<'_>, OdeOptions) {
        let derivative = self.dynamics.evaluator(parameters);
        let tolerances = &self.options.tolerances;
        let options = OdeOptions {
            tolerances: tolerances.with_derivatives(self.len(), parameters),
            ..self.options.clone()
        };
        (
            ParametricDynamics::new(derivative, &self.by_parameters),
            options,
        )
    }
}
