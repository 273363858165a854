//! [`LevenbergDescent`]: the least-squares method of `nonlinear_least_squares` as the descent of a search for solutions.

use numerics::FunctionError;
use numerics::optimise::{
    LeastSquaresResult, LevenbergEnd, LevenbergOptions, LossKind, RobustLoss, StepWeights,
    VariableBounds,
};
use numerics::roots::RootError;
use numerics::roots::system::{DescentEnd, SquaresDescent, SquaresDescentResult, SquaresPoint};
use tool_core::{Ctx, ToolError};

use super::Args;
use crate::expression::ExpressionScope;
use crate::optimise::least_squares::minimise_doggedly;
use crate::optimise::least_squares::problem::ResidualSystem;

/// The sum of squares of the equations, and how it is minimised.
pub(super) struct LevenbergDescent<'a> {
    problem: ResidualSystem<'a>,
    bounds: Vec<[f64; 2]>,
    max_iter: u64,
    ctx: &'a Ctx,
}

impl<'a> LevenbergDescent<'a> {
    /// # Errors
    /// As [`ResidualSystem::new`].
    pub(super) fn new(
        args: &Args,
        texts: &[String],
        scope: ExpressionScope,
        bounds: &VariableBounds,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        let loss = RobustLoss {
            kind: LossKind::default(),
            scale: 1.0,
        };
        let n = bounds.low.len();
        let problem = ResidualSystem::new(texts, scope, n, loss, ctx)?;
        let pairs = bounds.low.iter().zip(&bounds.high);
        Ok(Self {
            problem,
            bounds: pairs.map(|(low, high)| [*low, *high]).collect(),
            max_iter: args.max_iter.get() as u64,
            ctx,
        })
    }

    /// Evaluations of the residuals.
    pub(super) fn evaluations(&self) -> u64 {
        self.problem.evaluations
    }
}

impl SquaresDescent for LevenbergDescent<'_> {
    fn descend(&mut self, start: &[f64]) -> Result<SquaresDescentResult, RootError> {
        let how = LevenbergOptions {
            bounds: &self.bounds,
            max_iter: self.max_iter,
            tolerance: 1e-14,
            scale: 0.0,
            error: 0.0,
            weights: StepWeights::Largest,
        };
        let (found, iterations) = minimise_doggedly(&mut self.problem, start, &how, self.ctx)
            .map_err(FunctionError::new)?;
        let point = |found: LeastSquaresResult| SquaresPoint {
            x: found.point,
            residuals: found.linear.residuals,
            end: match found.reason {
                LevenbergEnd::Orthogonal | LevenbergEnd::Curvature | LevenbergEnd::Flat => {
                    DescentEnd::Minimum
                }
                LevenbergEnd::MaxIter => DescentEnd::Iterations,
                LevenbergEnd::Exact | LevenbergEnd::NoProgress => DescentEnd::NoStep,
            },
        };
        Ok(SquaresDescentResult {
            point: found.map(point),
            iterations,
        })
    }
}
