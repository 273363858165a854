//! A model over the columns of a table: values, residuals and exact derivatives, block by block of rows.

use tool_core::{Ctx, ToolError};

use crate::expression::{Expression, LANES, System};
use crate::optimise::least_squares::levenberg::{Linear, Problem};
use crate::optimise::least_squares::loss::Loss;

/// The data of a fit: predictors by slot, the response, and its standard deviations.
pub(super) struct Rows {
    /// Columns of the model, in the slots after the parameters.
    pub(super) predictors: Vec<Vec<f64>>,
    pub(super) response: Vec<f64>,
    /// The reciprocal of each standard deviation; none: all are 1.
    pub(super) weights: Option<Vec<f64>>,
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.response.len()
    }
}

/// A model with its data.
pub(super) struct Fitted<'a> {
    pub(super) rows: &'a Rows,
    system: System,
    parameters: usize,
    loss: Loss,
    /// Number of passes over the rows.
    pub(super) evaluations: u64,
    pub(super) ctx: &'a Ctx,
}

impl<'a> Fitted<'a> {
    /// A model whose first slots are the parameters.
    ///
    /// # Errors
    /// `invalid_args` for a function without derivatives.
    pub(super) fn new(
        model: &Expression,
        parameters: usize,
        rows: &'a Rows,
        loss: Loss,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        let slots: Vec<usize> = (0..parameters).collect();
        let system = System::value_and_gradient(model, &slots).map_err(|err| {
            let message = format!("the model has no derivative: {err}");
            ToolError::invalid("/model", message).hint("write it without that function")
        })?;
        Ok(Self {
            rows,
            system,
            parameters,
            loss,
            evaluations: 0,
            ctx,
        })
    }

    /// The values of the model, then its derivatives, each a column of rows; `None` where one is not finite.
    pub(super) fn columns(&mut self, point: &[f64]) -> Result<Option<Vec<Vec<f64>>>, ToolError> {
        self.evaluations += 1;
        self.ctx.count_evaluations(self.rows.len() as u64)?;
        let (n, outputs) = (self.rows.len(), 1 + self.parameters);
        let mut columns = vec![vec![0.0; n]; outputs];
        let constants: Vec<[f64; LANES]> = point.iter().map(|&value| [value; LANES]).collect();
        let mut evaluator = self.system.evaluator();
        for start in (0..n).step_by(LANES) {
            if start % (LANES * 64) == 0 {
                self.ctx.check()?;
            }
            let end = (start + LANES).min(n);
            let fixed = constants.iter().map(|one| &one[..end - start]);
            let varying = self.rows.predictors.iter().map(|one| &one[start..end]);
            let slots: Vec<&[f64]> = fixed.chain(varying).collect();
            let mut out: Vec<&mut [f64]> =
                columns.iter_mut().map(|one| &mut one[start..end]).collect();
            evaluator.block(&slots, &mut out);
        }
        let is_finite = columns.iter().flatten().all(|value| value.is_finite());
        Ok(is_finite.then_some(columns))
    }

    /// A column times the weights.
    pub(super) fn weighted(&self, mut column: Vec<f64>) -> Vec<f64> {
        if let Some(weights) = &self.rows.weights {
            column
                .iter_mut()
                .zip(weights)
                .for_each(|(entry, w)| *entry *= w);
        }
        column
    }

    /// The weighted residuals of values.
    pub(super) fn residuals(&self, values: &[f64]) -> Vec<f64> {
        let plain = values.iter().zip(&self.rows.response).map(|(f, y)| f - y);
        match &self.rows.weights {
            None => plain.collect(),
            Some(weights) => plain.zip(weights).map(|(r, w)| r * w).collect(),
        }
    }
}

impl Problem for Fitted<'_> {
    fn cost(&mut self, point: &[f64]) -> Result<Option<f64>, ToolError> {
        let columns = self.columns(point)?;
        let cost = columns.map(|columns| self.loss.sum(&self.residuals(&columns[0])));
        Ok(cost.filter(|cost| cost.is_finite()))
    }

    fn linear(&mut self, point: &[f64]) -> Result<Option<Linear>, ToolError> {
        let Some(mut columns) = self.columns(point)? else {
            return Ok(None);
        };
        let mut residuals = self.residuals(&columns[0]);
        let jacobian = columns.split_off(1).into_iter();
        let mut jacobian: Vec<Vec<f64>> = jacobian.map(|column| self.weighted(column)).collect();
        let cost = self.loss.sum(&residuals);
        self.loss.scale(&mut residuals, &mut jacobian);
        let linear = Linear {
            residuals,
            jacobian,
            cost,
        };
        Ok(linear.cost.is_finite().then_some(linear))
    }
}
