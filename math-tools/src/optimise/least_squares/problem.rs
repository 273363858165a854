//! Residuals by expressions, a number or one for each row of a table, with their Jacobian.

use numerics::FunctionError;
use numerics::optimise::{LinearisedResiduals, OptimiseError, ResidualProblem, RobustLoss};
use tool_core::{Ctx, ToolError};

use crate::expression::{Expression, ExpressionScope, ExpressionSystem};

/// Residuals, and the columns of their Jacobian.
type Both = (Vec<f64>, Vec<Vec<f64>>);

/// Most residuals given as texts.
const TEXTS_MAX: usize = 10_000;

/// Residuals as a function of n variables.
pub(crate) struct ResidualSystem<'a> {
    n: usize,
    /// Values of the texts, then their derivatives text by text.
    system: ExpressionSystem,
    /// By text, whether it is a residual for each row.
    by_row: Vec<bool>,
    rows: usize,
    loss: RobustLoss,
    pub(crate) evaluations: u64,
    ctx: &'a Ctx,
}

impl<'a> ResidualSystem<'a> {
    /// # Errors
    /// `invalid_args` at `/residuals` for texts that do not fit, at `/data` for columns that are no numbers.
    pub(crate) fn new(
        texts: &[String],
        scope: ExpressionScope,
        n: usize,
        loss: RobustLoss,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        if texts.is_empty() || texts.len() > TEXTS_MAX {
            let found = texts.len();
            refuse!(invalid "/residuals"; "expected 1 to {TEXTS_MAX} residuals, found {found}";
                "for many rows, pass them as `data` and name its columns");
        }
        let scope = scope.by_row();
        let parsed = texts.iter().enumerate().map(|(index, text)| {
            let parsed = Expression::parse(text, &scope);
            parsed.map_err(|err| err.into_tool_error(&format!("/residuals/{index}")))
        });
        let parsed: Vec<Expression> = parsed.collect::<Result<_, _>>()?;
        let rows = scope.rows();
        if rows > 0 && !parsed.iter().any(Expression::uses_data) {
            refuse!(invalid "/data"; "no residual names a column of `data`"; "name columns in the residuals, or leave `data` out");
        }
        let by_row: Vec<bool> = parsed.iter().map(Expression::is_column).collect();
        let columns = by_row.iter().filter(|is_column| **is_column).count();
        let count = rows.saturating_mul(columns).saturating_add(texts.len());
        ctx.reserve_doubles(count.saturating_mul(5 * n + 6))?;
        let (system, _) = ExpressionSystem::values_and_jacobian(&parsed, n).map_err(|err| {
            ToolError::invalid("/residuals", format!("a residual has no derivative: {err}"))
                .hint("write it without that function")
        })?;
        Ok(Self {
            n,
            system,
            by_row,
            rows,
            loss,
            evaluations: 0,
            ctx,
        })
    }

    /// The residuals and the columns of their Jacobian; `None` where one is not finite.
    fn all(&mut self, x: &[f64]) -> Result<Option<Both>, ToolError> {
        self.evaluations += 1;
        self.ctx.check()?;
        self.ctx.count_evaluations(self.rows as u64 + 1)?;
        let (n, texts) = (self.n, self.by_row.len());
        let mut evaluator = self.system.evaluator();
        let mut numbers = vec![0.0; texts * (n + 1)];
        evaluator.run(x, &mut numbers);
        let mut values = Vec::new();
        let mut jacobian = vec![Vec::new(); n];
        for (text, is_column) in self.by_row.iter().enumerate() {
            let rows = if *is_column { self.rows } else { 1 };
            let append = |to: &mut Vec<f64>, output: usize| match evaluator.column(output) {
                Some(column) => to.extend_from_slice(column),
                None => to.resize(to.len() + rows, numbers[output]),
            };
            append(&mut values, text);
            for (place, column) in jacobian.iter_mut().enumerate() {
                append(column, texts + text * n + place);
            }
        }
        let finite = |column: &[f64]| column.iter().all(|value| value.is_finite());
        let is_finite = finite(&values) && jacobian.iter().all(|column| finite(column));
        Ok(is_finite.then_some((values, jacobian)))
    }

    /// The residuals; `None` where one is not finite.
    pub(crate) fn values(&mut self, x: &[f64]) -> Result<Option<Vec<f64>>, ToolError> {
        Ok(self.all(x)?.map(|(values, _)| values))
    }
}

impl ResidualProblem for ResidualSystem<'_> {
    fn cost(&mut self, point: &[f64]) -> Result<Option<f64>, OptimiseError> {
        let values = self.values(point).map_err(FunctionError::new)?;
        let cost = values.map(|values| self.loss.sum(&values));
        Ok(cost.filter(|cost| cost.is_finite()))
    }

    fn linear(&mut self, point: &[f64]) -> Result<Option<LinearisedResiduals>, OptimiseError> {
        let Some((mut residuals, mut jacobian)) = self.all(point).map_err(FunctionError::new)?
        else {
            return Ok(None);
        };
        let cost = self.loss.sum(&residuals);
        self.loss.scale(&mut residuals, &mut jacobian);
        let linear = LinearisedResiduals {
            residuals,
            jacobian,
            cost,
        };
        Ok(linear.cost.is_finite().then_some(linear))
    }
}
