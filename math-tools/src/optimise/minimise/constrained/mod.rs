//! Minimisation under constraints.
//!
//! [`Problem`] is the type to read first: objective, constraints and bounds as the methods see them. [`sqp`] is the method of smooth
//! problems, [`cobyla`] the one without derivatives.

pub(crate) mod cobyla;
pub(crate) mod constraints;
pub(crate) mod kkt;
mod quadratic;
mod restore;
pub(crate) mod sqp;
mod step;

use faer::Mat;
use tool_core::{ToolError, Value};

use super::bounds::Bounds;
use super::curvature;
use super::found::{Method, Reason};
use super::target::Target;
use constraints::Watched;
use kkt::Evidence;

pub(crate) use constraints::Constraints;

/// The most variables: a step factors dense matrices, which cannot be interrupted.
pub(crate) const VARIABLES_MAX: usize = 300;

/// A problem: the objective, its constraints and bounds.
pub(crate) struct Problem<'a> {
    pub target: Target<'a>,
    pub watched: Watched<'a>,
    pub bounds: Bounds,
    /// A feasible point with a lower value shows that there is no minimum.
    floor: f64,
}

/// The end of a method under constraints.
#[derive(Debug)]
pub(crate) struct Found {
    pub at: State,
    pub evidence: Evidence,
    pub iterations: u64,
    pub converged: bool,
    pub method: Method,
    pub reason: Reason,
    /// Lowest curvature of the Lagrangian along the active constraints, where it is known and a direction is left.
    pub lowest_curvature: Option<f64>,
}

/// A point with values and first derivatives.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub x: Vec<f64>,
    pub value: f64,
    pub gradient: Vec<f64>,
    /// Constraints: not negative, or zero, where they hold.
    pub c: Vec<f64>,
    /// Their gradients.
    pub jacobian: Vec<Vec<f64>>,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(target: Target<'a>, watched: Watched<'a>, bounds: Bounds) -> Self {
        /// Points on curved constraints do not get as far as free ones.
        const FALL: f64 = 1e-70;
        let floor = FALL * target.floor();
        Self {
            target: target.down_to(f64::NEG_INFINITY),
            watched,
            bounds,
            floor,
        }
    }

    /// Whether neither objective nor constraints have kinks or steps.
    pub(crate) fn is_smooth(&self) -> bool {
        self.target.is_smooth() && self.watched.constraints.smooth
    }

    pub(crate) fn equal(&self) -> &'a [bool] {
        &self.watched.constraints.equal
    }

    /// Objective and constraints at a point of the box; an infinite value where one of them is not finite.
    ///
    /// # Errors
    /// A stop request, a budget, or `numeric` with reason `unbounded`.
    pub(crate) fn values(&mut self, x: &[f64]) -> Result<(f64, Vec<f64>), ToolError> {
        let c = self.watched.values(x)?;
        if c.iter().any(|c| !c.is_finite()) {
            return Ok((f64::INFINITY, c));
        }
        let value = self.target.value(x)?;
        if value < self.floor {
            let most = kkt::violations(&c, self.equal()).fold(0.0, f64::max);
            let size = x.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
            if most <= 1e-8 * size {
                return Err(self.target.unbounded(x, value));
            }
            return Ok((f64::INFINITY, c));
        }
        Ok((value, c))
    }

    /// A point with its derivatives.
    ///
    /// # Errors
    /// As [`Problem::values`].
    pub(crate) fn state(
        &mut self,
        x: Vec<f64>,
        (value, c): (f64, Vec<f64>),
    ) -> Result<State, ToolError> {
        let gradient = self.target.gradient(&x, value)?;
        let jacobian = self.watched.jacobian(&x, &self.bounds)?;
        Ok(State {
            x,
            value,
            gradient,
            c,
            jacobian,
        })
    }

    /// The Hessian of the Lagrangian, where second derivatives are known and finite.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn hessian(
        &mut self,
        x: &[f64],
        multipliers: &[f64],
    ) -> Result<Option<Mat<f64>>, ToolError> {
        let n = x.len();
        let all: Vec<usize> = (0..n).collect();
        let Some(mut hessian) = curvature::hessian(&mut self.target, x, &all)? else {
            return Ok(None);
        };
        if multipliers.iter().all(|entry| *entry == 0.0) {
            return Ok(Some(hessian));
        }
        for column in 0..n {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            let Some(product) = self.watched.hessian_times(x, multipliers, &unit)? else {
                return Ok(None);
            };
            for row in 0..n {
                hessian[(row, column)] -= product[row] / 2.0;
                hessian[(column, row)] -= product[row] / 2.0;
            }
        }
        Ok(Some(hessian))
    }

    /// Evidence of optimality at a point.
    ///
    /// # Errors
    /// A stop request.
    pub(crate) fn evidence(&self, at: &State) -> Result<Evidence, ToolError> {
        kkt::evidence(at, self.equal(), &self.bounds, || self.target.ctx.check())
    }

    /// What is violated at a point by more than a tolerance, as given.
    pub(crate) fn violated(&self, c: &[f64], tolerance: f64) -> Vec<usize> {
        let violations = kkt::violations(c, self.equal()).enumerate();
        violations
            .filter(|(_, violation)| *violation > tolerance)
            .map(|(index, _)| index)
            .collect()
    }

    /// The error of a problem whose constraints cannot all hold: near a point, or anywhere in the case of affine ones.
    pub(crate) fn infeasible(
        &self,
        x: &[f64],
        c: &[f64],
        of: &[usize],
        anywhere: bool,
    ) -> ToolError {
        let texts: Vec<&str> = of
            .iter()
            .map(|&index| self.watched.constraints.texts[index].as_str())
            .collect();
        let named: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
        let named = named.join(", ");
        let most = kkt::violations(c, self.equal()).fold(0.0, f64::max);
        let message = if anywhere && of.len() == 1 {
            format!("the problem is infeasible: no point within the bounds satisfies {named}")
        } else if anywhere {
            format!(
                "the problem is infeasible: no point within the bounds satisfies all of {named}"
            )
        } else {
            format!(
                "no feasible point found: near the best one, every step increases the violation of {named} from {most:.3e}"
            )
        };
        let place = match of {
            [only] => format!("/constraints/{only}"),
            _ => "/constraints".to_owned(),
        };
        let hint = if anywhere {
            "relax or remove one of them"
        } else {
            "start elsewhere, or relax a constraint"
        };
        ToolError::numeric(place, message)
            .reason("infeasible")
            .hint(hint)
            .evidence(Value::object([
                ("x", Value::vector(x.to_vec())),
                ("violation", Value::from(most)),
                (
                    "violated",
                    Value::array(texts.into_iter().map(Value::from).collect()),
                ),
            ]))
    }
}
