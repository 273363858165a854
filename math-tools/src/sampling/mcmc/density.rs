//! [`ExpressionDensity`]: a log density by its expression.

use numerics::sampling::mcmc::TargetDensity;
use numerics::sampling::mcmc::density::{GradientEvaluator, LevelEvaluator};

use crate::expression::{Expression, ExpressionSystem};

/// The logarithm of a density, with its derivatives for `nuts`.
pub(super) struct ExpressionDensity<'a> {
    pub(super) level: &'a Expression,
    pub(super) gradient: Option<&'a ExpressionSystem>,
}

impl TargetDensity for ExpressionDensity<'_> {
    fn level(&self) -> LevelEvaluator<'_> {
        let mut evaluator = self.level.evaluator();
        Box::new(move |point| evaluator.eval(point))
    }

    fn gradient(&self) -> Option<GradientEvaluator<'_>> {
        let mut evaluator = self.gradient?.evaluator();
        Some(Box::new(move |point, out| evaluator.point(point, out)))
    }
}
