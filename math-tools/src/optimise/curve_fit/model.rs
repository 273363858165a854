//! A model over the columns of a table: values, residuals and exact derivatives.

use numerics::FunctionError;
use numerics::optimise::{
    LinearisedResiduals, OptimiseError, ResidualProblem, RobustLoss, thin_column,
};
use tool_core::{Ctx, ToolError};

use crate::expression::{Expression, ExpressionScope, ExpressionSystem, LANES};

/// The data of a fit: predictors by slot, the response, and its standard deviations.
pub(super) struct FitRows {
    /// Columns of the model, in the slots after the parameters.
    pub(super) predictors: Vec<Vec<f64>>,
    pub(super) response: Vec<f64>,
    /// The reciprocal of each standard deviation; none: all are 1.
    pub(super) weights: Option<Vec<f64>>,
}

impl FitRows {
    pub(super) fn len(&self) -> usize {
        self.response.len()
    }

    /// Some of the rows, by which a start is looked for.
    pub(super) fn thinned(&self) -> Self {
        let thin = |column: &Vec<f64>| thin_column(column);
        Self {
            predictors: self.predictors.iter().map(thin).collect(),
            response: thin(&self.response),
            weights: self.weights.as_ref().map(thin),
        }
    }
}

/// Values of a model, then its derivatives by the parameters, each a column with an entry for each row.
pub(super) type Columns = Vec<Vec<f64>>;

/// What a model gives for its parameters.
pub(super) trait FitCurve {
    /// The columns at a point; `None` where the model has no value.
    ///
    /// # Errors
    /// A stop or a budget.
    fn columns(&mut self, point: &[f64], rows: &FitRows) -> Result<Option<Columns>, ToolError>;

    /// The relative error of its values beyond roundings.
    fn error(&self) -> f64 {
        0.0
    }

    /// Whether a closer look at a point changed how values are computed.
    ///
    /// # Errors
    /// `numeric` where the model has no value at the point, with the reason; a stop or a budget.
    fn look(&mut self, _point: &[f64]) -> Result<bool, ToolError> {
        Ok(false)
    }
}

/// An expression with its derivatives, evaluated block by block of rows.
pub(super) struct FormulaCurve<'a> {
    system: ExpressionSystem,
    outputs: usize,
    ctx: &'a Ctx,
}

impl<'a> FormulaCurve<'a> {
    /// An expression with its derivatives by slots.
    ///
    /// # Errors
    /// `invalid_args` for a function without derivatives.
    pub(super) fn new(
        expression: &Expression,
        slots: &[usize],
        pointer: &str,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        let system = ExpressionSystem::value_and_gradient(expression, slots)
            .map_err(|err| without_derivative(err, pointer))?;
        Ok(Self {
            system,
            outputs: 1 + slots.len(),
            ctx,
        })
    }

    /// Value and derivatives in each of `n` rows: the first slots have the numbers of `point`, the others columns.
    ///
    /// # Errors
    /// A stop or a budget.
    pub(super) fn at(
        &self,
        point: &[f64],
        varying: &[&[f64]],
        n: usize,
    ) -> Result<Columns, ToolError> {
        self.ctx.count_evaluations(n as u64)?;
        let mut columns = vec![vec![0.0; n]; self.outputs];
        let constants: Vec<[f64; LANES]> = point.iter().map(|&value| [value; LANES]).collect();
        let mut evaluator = self.system.evaluator();
        for start in (0..n).step_by(LANES) {
            if start % (LANES * 64) == 0 {
                self.ctx.check()?;
            }
            let end = (start + LANES).min(n);
            let fixed = constants.iter().map(|one| &one[..end - start]);
            let varying = varying.iter().map(|one| &one[start..end]);
            let slots: Vec<&[f64]> = fixed.chain(varying).collect();
            let mut out: Vec<&mut [f64]> =
                columns.iter_mut().map(|one| &mut one[start..end]).collect();
            evaluator.block(&slots, &mut out);
        }
        Ok(columns)
    }
}

/// The error of an expression without derivatives.
pub(super) fn without_derivative(
    err: crate::expression::NotDifferentiable,
    pointer: &str,
) -> ToolError {
    let message = format!("the model has no derivative: {err}");
    ToolError::invalid(pointer, message).hint("write it without that function")
}

/// The columns where all entries are finite.
pub(super) fn require_finite_columns(columns: Columns) -> Option<Columns> {
    let is_finite = columns.iter().flatten().all(|value| value.is_finite());
    is_finite.then_some(columns)
}

/// An expression over the columns of a table, with its derivatives by the parameters.
pub(super) struct OverData<'a> {
    system: ExpressionSystem,
    outputs: usize,
    ctx: &'a Ctx,
}

impl<'a> OverData<'a> {
    /// A model in a scope whose first slots are the parameters.
    ///
    /// # Errors
    /// `invalid_args` at `/model` for a text that cannot be read or differentiated.
    pub(super) fn new(
        text: &str,
        scope: &ExpressionScope,
        parameters: usize,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        let expression = Expression::parse(text, scope);
        let expression = expression.map_err(|err| err.into_tool_error("/model"))?;
        let slots: Vec<usize> = (0..parameters).collect();
        let system = ExpressionSystem::value_and_gradient(&expression, &slots)
            .map_err(|err| without_derivative(err, "/model"))?;
        let outputs = 1 + parameters;
        Ok(Self {
            system,
            outputs,
            ctx,
        })
    }
}

impl FitCurve for OverData<'_> {
    fn columns(&mut self, point: &[f64], rows: &FitRows) -> Result<Option<Columns>, ToolError> {
        self.ctx.check()?;
        self.ctx.count_evaluations(rows.len() as u64)?;
        let mut evaluator = self.system.evaluator();
        let mut numbers = vec![0.0; self.outputs];
        evaluator.run(point, &mut numbers);
        let column = |output: usize| match evaluator.column(output) {
            Some(column) => column.to_vec(),
            None => vec![numbers[output]; rows.len()],
        };
        Ok(require_finite_columns(
            (0..self.outputs).map(column).collect(),
        ))
    }
}

/// A model with its data.
pub(super) struct CurveFitProblem<'a> {
    pub(super) rows: &'a FitRows,
    pub(super) curve: Box<dyn FitCurve + 'a>,
    loss: RobustLoss,
    /// The last point with its columns: a cost and its linear approximation need the same.
    last: Option<(Vec<f64>, Option<Columns>)>,
    /// Number of passes over the rows.
    pub(super) evaluations: u64,
}

impl<'a> CurveFitProblem<'a> {
    pub(super) fn new(curve: Box<dyn FitCurve + 'a>, rows: &'a FitRows, loss: RobustLoss) -> Self {
        Self {
            rows,
            curve,
            loss,
            last: None,
            evaluations: 0,
        }
    }

    /// As [`FitCurve::columns`].
    pub(super) fn columns(&mut self, point: &[f64]) -> Result<Option<Columns>, ToolError> {
        if let Some((known, columns)) = &self.last
            && known == point
        {
            return Ok(columns.clone());
        }
        self.evaluations += 1;
        let columns = self.curve.columns(point, self.rows)?;
        self.last = Some((point.to_vec(), columns.clone()));
        Ok(columns)
    }

    /// As [`FitCurve::look`].
    pub(super) fn look(&mut self, point: &[f64]) -> Result<bool, ToolError> {
        self.last = None;
        self.curve.look(point)
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

impl ResidualProblem for CurveFitProblem<'_> {
    fn cost(&mut self, point: &[f64]) -> Result<Option<f64>, OptimiseError> {
        let columns = self.columns(point).map_err(FunctionError::new)?;
        let cost = columns.map(|columns| self.loss.sum(&self.residuals(&columns[0])));
        Ok(cost.filter(|cost| cost.is_finite()))
    }

    fn linear(&mut self, point: &[f64]) -> Result<Option<LinearisedResiduals>, OptimiseError> {
        let Some(mut columns) = self.columns(point).map_err(FunctionError::new)? else {
            return Ok(None);
        };
        let mut residuals = self.residuals(&columns[0]);
        let jacobian = columns.split_off(1).into_iter();
        let mut jacobian: Vec<Vec<f64>> = jacobian.map(|column| self.weighted(column)).collect();
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
