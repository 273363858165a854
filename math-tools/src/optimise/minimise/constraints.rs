//! [`ConstraintSet`]: comparisons of expressions, read and differentiated.

use std::cell::OnceCell;

use numerics::FunctionError;
use numerics::optimise::{
    ConstraintFunctions, ConstraintKinds, KnownDerivative, constraint_violations,
    takes_dense_factors,
};
use tool_core::ToolError;

use crate::expression::{Expression, ExpressionScope, ExpressionSystem, program};

/// Most constraints.
const CONSTRAINTS_MAX: usize = 1000;

/// Constraints on points of n coordinates, each as `c(x) >= 0` or `c(x) = 0`.
#[derive(Debug)]
pub(crate) struct ConstraintSet {
    /// As they were given.
    pub texts: Vec<String>,
    /// What is known of them.
    pub kinds: ConstraintKinds,
    /// `c` is this times left side minus right side.
    pub signs: Vec<f64>,
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
            takes_dense_factors(n).then(|| ExpressionSystem::values_and_jacobian(&sides, n));
        let (jacobian, affine) = match known {
            Some(Ok((system, affine))) => (Some(system), affine),
            _ => (None, vec![false; sides.len()]),
        };
        Ok(Self {
            texts: texts.to_vec(),
            kinds: ConstraintKinds {
                equal,
                affine,
                is_smooth: sides.iter().all(|side| side.ast().is_smooth()),
            },
            signs,
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
        constraint_violations(&c, &self.kinds.equal).fold(0.0, f64::max)
    }

    /// The constraints for the methods of one call.
    pub(crate) fn evaluator(&self) -> SignedConstraints<'_> {
        SignedConstraints {
            set: self,
            values: self.values.evaluator(),
            jacobian: self.jacobian.as_ref().map(ExpressionSystem::evaluator),
        }
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

/// Constraints as the methods ask for them.
pub(crate) struct SignedConstraints<'a> {
    set: &'a ConstraintSet,
    values: program::SystemEvaluator<'a>,
    jacobian: Option<program::SystemEvaluator<'a>>,
}

impl SignedConstraints<'_> {
    /// The slots of a system that weighs the sides.
    fn weighted_slots(&self, point: &[&[f64]], weights: &[f64]) -> Vec<f64> {
        let mut slots = point.concat();
        let signs = weights.iter().zip(&self.set.signs);
        slots.extend(signs.map(|(weight, sign)| weight * sign));
        slots
    }
}

impl ConstraintFunctions for SignedConstraints<'_> {
    fn values(&mut self, x: &[f64], c: &mut [f64]) -> Result<(), FunctionError> {
        self.values.point(x, c);
        let signs = self.set.signs.iter();
        c.iter_mut().zip(signs).for_each(|(c, sign)| *c *= sign);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64]) -> Result<KnownDerivative<Vec<Vec<f64>>>, FunctionError> {
        let (m, n) = (self.set.len(), x.len());
        let Some(evaluator) = &mut self.jacobian else {
            return Ok(KnownDerivative::Unknown);
        };
        let mut found = vec![0.0; m + m * n];
        evaluator.point(x, &mut found);
        if found.iter().any(|entry| !entry.is_finite()) {
            return Ok(KnownDerivative::NotFinite);
        }
        let rows = found[m..].chunks_exact(n.max(1)).zip(&self.set.signs);
        let rows = rows.map(|(row, sign)| row.iter().map(|entry| sign * entry).collect());
        Ok(KnownDerivative::Known(rows.collect()))
    }

    fn weighted_gradient(
        &mut self,
        x: &[f64],
        weights: &[f64],
    ) -> Result<KnownDerivative<Vec<f64>>, FunctionError> {
        let Some(system) = self.set.gradient() else {
            return Ok(KnownDerivative::Unknown);
        };
        let slots = self.weighted_slots(&[x], weights);
        let mut gradient = vec![0.0; x.len()];
        system.evaluator().point(&slots, &mut gradient);
        Ok(if gradient.iter().all(|entry| entry.is_finite()) {
            KnownDerivative::Known(gradient)
        } else {
            KnownDerivative::NotFinite
        })
    }

    fn hessian_times(
        &mut self,
        x: &[f64],
        weights: &[f64],
        v: &[f64],
    ) -> Result<Option<Vec<f64>>, FunctionError> {
        let Some(system) = self.set.curvature() else {
            return Ok(None);
        };
        let slots = self.weighted_slots(&[x, v], weights);
        let mut product = vec![0.0; x.len()];
        system.evaluator().point(&slots, &mut product);
        Ok(Some(product))
    }
}
