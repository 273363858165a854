//! [`ConstraintSet`]: comparisons of expressions, read and differentiated.

use std::cell::OnceCell;

use crate::expression::program;
use tool_core::{Ctx, ToolError};

use super::super::bounds::VariableBounds;
use super::kkt::constraint_violations;
use crate::expression::{Expression, ExpressionScope, ExpressionSystem};
use crate::linalg::dense::add_multiple;

/// Most constraints.
const CONSTRAINTS_MAX: usize = 1000;

/// Constraints on points of n coordinates, each as `c(x) >= 0` or `c(x) = 0`.
#[derive(Debug)]
pub(crate) struct ConstraintSet {
    /// As they were given.
    pub texts: Vec<String>,
    /// Whether it is an equality.
    pub equal: Vec<bool>,
    /// `c` is this times left side minus right side.
    pub signs: Vec<f64>,
    /// Whether the derivatives of `c` are numbers.
    pub affine: Vec<bool>,
    /// Whether none has a kink or a step.
    pub smooth: bool,
    n: usize,
    sides: Vec<Expression>,
    values: ExpressionSystem,
    jacobian: Option<ExpressionSystem>,
    gradient: OnceCell<Option<ExpressionSystem>>,
    curvature: OnceCell<Option<ExpressionSystem>>,
}

impl ConstraintSet {
    /// Reads constraints on `n` coordinates.
    ///
    /// # Errors
    /// `invalid_args` at the constraint that is no comparison with `>=`, `<=` or `==`.
    pub(crate) fn new(
        texts: &[String],
        scope: &ExpressionScope,
        n: usize,
    ) -> Result<Self, ToolError> {
        if texts.len() > CONSTRAINTS_MAX {
            let found = texts.len();
            refuse!(invalid "/constraints"; "expected at most {CONSTRAINTS_MAX} constraints, found {found}";
                "remove constraints, or state those of one variable as `bounds`");
        }
        let (mut equal, mut signs, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        for (index, text) in texts.iter().enumerate() {
            let pointer = format!("/constraints/{index}");
            let (sign, side) = parse_comparison(text, scope, &pointer)?;
            equal.push(sign == "==");
            signs.push(if sign == "<=" { -1.0 } else { 1.0 });
            sides.push(side);
        }
        let known =
            (n <= super::VARIABLES_MAX).then(|| ExpressionSystem::values_and_jacobian(&sides, n));
        let (jacobian, affine) = match known {
            Some(Ok((system, affine))) => (Some(system), affine),
            _ => (None, vec![false; sides.len()]),
        };
        Ok(Self {
            texts: texts.to_vec(),
            equal,
            signs,
            affine,
            smooth: sides.iter().all(|side| side.ast().is_smooth()),
            n,
            values: ExpressionSystem::values(&sides),
            sides,
            jacobian,
            gradient: OnceCell::new(),
            curvature: OnceCell::new(),
        })
    }

    /// Number of constraints.
    pub(crate) fn len(&self) -> usize {
        self.sides.len()
    }

    /// Left side minus right side of each.
    pub(crate) fn sides(&self) -> &[Expression] {
        &self.sides
    }

    /// The largest violation at a point; infinite where a constraint has no value.
    pub(crate) fn violation(&self, x: &[f64]) -> f64 {
        let mut c = vec![0.0; self.len()];
        self.values.evaluator().point(x, &mut c);
        c.iter_mut()
            .zip(&self.signs)
            .for_each(|(c, sign)| *c *= sign);
        if c.iter().any(|c| c.is_nan()) {
            return f64::INFINITY;
        }
        constraint_violations(&c, &self.equal).fold(0.0, f64::max)
    }

    fn gradient(&self) -> Option<&ExpressionSystem> {
        let compile = || ExpressionSystem::weighted_gradient(&self.sides, self.n).ok();
        self.gradient.get_or_init(compile).as_ref()
    }

    fn curvature(&self) -> Option<&ExpressionSystem> {
        let compile = || ExpressionSystem::weighted_hessian_product(&self.sides, self.n).ok();
        self.curvature.get_or_init(compile).as_ref()
    }
}

/// The sign of a constraint, and its left side minus its right side.
fn parse_comparison(
    text: &str,
    scope: &ExpressionScope,
    pointer: &str,
) -> Result<(&'static str, Expression), ToolError> {
    const HINT: &str =
        "write `EXPR >= EXPR`, `EXPR <= EXPR` or `EXPR == EXPR`; a chain is two constraints";
    let expression = Expression::parse(text, scope).map_err(|err| {
        let chained = err.to_string().contains("cannot be chained");
        let error = err.into_tool_error(pointer);
        if chained { error.hint(HINT) } else { error }
    })?;
    match expression.difference() {
        Some((sign @ (">=" | "<=" | "=="), side)) => Ok((sign, side)),
        Some((sign @ (">" | "<"), _)) => {
            let message = format!("a constraint holds on its border too: `{sign}` is not one");
            let hint =
                format!("write `{sign}=`, and add a margin where the border must not be reached");
            Err(ToolError::invalid(pointer, message).hint(hint))
        }
        Some((sign, _)) => {
            let message = format!("`{sign}` states no constraint");
            Err(ToolError::invalid(pointer, message).hint(HINT))
        }
        None => {
            let message = "expected a comparison, found an expression without one";
            Err(ToolError::invalid(pointer, message).hint(HINT))
        }
    }
}

/// Evaluates constraints, counted and stoppable.
pub(crate) struct ConstraintEvaluator<'a> {
    pub constraints: &'a ConstraintSet,
    ctx: &'a Ctx,
    values: program::SystemEvaluator<'a>,
    jacobian: Option<program::SystemEvaluator<'a>>,
    /// Evaluations of all constraints together.
    pub evaluations: u64,
}

impl<'a> ConstraintEvaluator<'a> {
    pub(crate) fn new(constraints: &'a ConstraintSet, ctx: &'a Ctx) -> Self {
        Self {
            constraints,
            ctx,
            values: constraints.values.evaluator(),
            jacobian: constraints
                .jacobian
                .as_ref()
                .map(ExpressionSystem::evaluator),
            evaluations: 0,
        }
    }

    fn count(&mut self) -> Result<(), ToolError> {
        self.ctx.check()?;
        self.ctx.count_evaluations(1)?;
        self.evaluations += 1;
        Ok(())
    }

    fn turn(&self, values: &mut [f64]) {
        let signs = self.constraints.signs.iter();
        values
            .iter_mut()
            .zip(signs)
            .for_each(|(value, sign)| *value *= sign);
    }

    /// The values of `c`; not all finite outside a domain.
    ///
    /// # Errors
    /// A stop request or a budget.
    pub(crate) fn values(&mut self, x: &[f64]) -> Result<Vec<f64>, ToolError> {
        self.count()?;
        let mut found = vec![0.0; self.constraints.len()];
        self.values.point(x, &mut found);
        self.turn(&mut found);
        Ok(found)
    }

    /// The derivatives of each `c`, row by row: by formula, or by differences within the bounds.
    ///
    /// # Errors
    /// As [`ConstraintEvaluator::values`].
    pub(crate) fn jacobian(
        &mut self,
        x: &[f64],
        bounds: &VariableBounds,
    ) -> Result<Vec<Vec<f64>>, ToolError> {
        let (m, n) = (self.constraints.len(), x.len());
        if let Some(evaluator) = &mut self.jacobian {
            let mut found = vec![0.0; m + m * n];
            evaluator.point(x, &mut found);
            self.count()?;
            if found.iter().all(|entry| entry.is_finite()) {
                let rows = found[m..]
                    .chunks_exact(n.max(1))
                    .zip(&self.constraints.signs);
                return Ok(rows
                    .map(|(row, sign)| row.iter().map(|entry| sign * entry).collect())
                    .collect());
            }
        }
        let mut rows = vec![vec![0.0; n]; m];
        let here = self.values(x)?;
        let mut point = x.to_vec();
        for column in 0..n {
            let step = super::super::target::difference_step(x[column]);
            let mut ends = [
                bounds.nearest(column, x[column] + step),
                bounds.nearest(column, x[column] - step),
            ];
            let mut values = [Vec::new(), Vec::new()];
            for side in 0..2 {
                point[column] = ends[side];
                values[side] = self.values(&point)?;
                if values[side].iter().any(|value| !value.is_finite()) {
                    (ends[side], values[side]) = (x[column], here.clone());
                }
            }
            point[column] = x[column];
            let width = ends[0] - ends[1];
            if width > 0.0 {
                for (row, (up, down)) in rows.iter_mut().zip(values[0].iter().zip(&values[1])) {
                    row[column] = (up - down) / width;
                }
            }
        }
        Ok(rows)
    }

    /// The gradient of the sum of `weights` times `c`: by formula, or from differences within the bounds.
    ///
    /// # Errors
    /// As [`ConstraintEvaluator::values`].
    pub(crate) fn weighted_gradient(
        &mut self,
        x: &[f64],
        weights: &[f64],
        bounds: &VariableBounds,
    ) -> Result<Vec<f64>, ToolError> {
        if let Some(system) = self.constraints.gradient() {
            self.count()?;
            let mut slots = x.to_vec();
            let signs = weights.iter().zip(&self.constraints.signs);
            slots.extend(signs.map(|(weight, sign)| weight * sign));
            let mut gradient = vec![0.0; x.len()];
            system.evaluator().point(&slots, &mut gradient);
            if gradient.iter().all(|entry| entry.is_finite()) {
                return Ok(gradient);
            }
        }
        let mut gradient = vec![0.0; x.len()];
        for (weight, row) in weights.iter().zip(self.jacobian(x, bounds)?) {
            add_multiple(&mut gradient, *weight, &row);
        }
        Ok(gradient)
    }

    /// The product of the Hessian of the sum of `weights` times `c` and a vector, where second derivatives are known.
    ///
    /// # Errors
    /// As [`ConstraintEvaluator::values`].
    pub(crate) fn hessian_times(
        &mut self,
        x: &[f64],
        weights: &[f64],
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, ToolError> {
        let Some(system) = self.constraints.curvature() else {
            return Ok(None);
        };
        self.count()?;
        let mut slots = x.to_vec();
        slots.extend_from_slice(v);
        let signs = weights.iter().zip(&self.constraints.signs);
        slots.extend(signs.map(|(weight, sign)| weight * sign));
        let mut product = vec![0.0; x.len()];
        system.evaluator().point(&slots, &mut product);
        Ok(Some(product).filter(|product| product.iter().all(|entry| entry.is_finite())))
    }
}
