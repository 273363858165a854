//! Residuals by expressions, one value each or one for each row of a table, with their Jacobian.

use tool_core::{Ctx, Table, ToolError};

use super::levenberg::{Linear, Problem};
use super::loss::Loss;
use crate::expression::{Expression, LANES, Parameters, Scope, System};
use crate::optimise::columns::numbers;

/// Residuals, and the columns of their Jacobian.
type Both = (Vec<f64>, Vec<Vec<f64>>);

/// Most residuals given as texts.
const TEXTS_MAX: usize = 10_000;

/// Residuals as a function of n variables.
pub(super) struct Residuals<'a> {
    n: usize,
    /// Values of the residuals of one kind, then their derivatives row by row; and how many there are.
    single: (System, usize),
    by_row: (System, usize),
    columns: Vec<Vec<f64>>,
    rows: usize,
    loss: Loss,
    pub(super) evaluations: u64,
    ctx: &'a Ctx,
}

impl<'a> Residuals<'a> {
    /// # Errors
    /// `invalid_args` at `/residuals` for texts that do not fit, at `/data` for columns that are no numbers.
    pub(super) fn new(
        texts: &[String],
        parameters: &Parameters,
        n: usize,
        table: Option<&Table>,
        loss: Loss,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        if texts.is_empty() || texts.len() > TEXTS_MAX {
            let found = texts.len();
            refuse!(invalid "/residuals"; "expected 1 to {TEXTS_MAX} residuals, found {found}";
                "for many rows, pass them as `data` and name its columns");
        }
        let mut scope = Scope::new().variables("x", n);
        let names: Vec<&str> = table
            .map(|table| table.names().collect())
            .unwrap_or_default();
        for name in &names {
            scope = scope.variable(name);
        }
        let scope = scope.with_parameters(parameters, "/parameters")?;
        let mut expressions = [Vec::new(), Vec::new()];
        let mut used = vec![false; names.len()];
        for (index, text) in texts.iter().enumerate() {
            let pointer = format!("/residuals/{index}");
            let parsed = Expression::parse(text, &scope);
            let parsed = parsed.map_err(|err| err.into_tool_error(&pointer))?;
            let mut has_column = false;
            for (column, used) in used.iter_mut().enumerate() {
                if parsed.uses(n + column) {
                    (has_column, *used) = (true, true);
                }
            }
            expressions[usize::from(has_column)].push(parsed);
        }
        let mut columns = Vec::new();
        for ((name, cells), used) in names
            .iter()
            .zip(table.iter().flat_map(|t| t.columns()))
            .zip(used)
        {
            columns.push(match used {
                true => numbers(name, cells)?,
                false => Vec::new(),
            });
        }
        let [single, by_row] = expressions;
        let compiled = |list: Vec<Expression>| {
            let system = System::values_and_jacobian(&list, n).map_err(|err| {
                ToolError::invalid("/residuals", format!("a residual has no derivative: {err}"))
                    .hint("write it without that function")
            });
            Ok::<_, ToolError>((system?.0, list.len()))
        };
        let rows = if by_row.is_empty() {
            0
        } else {
            table.map_or(0, Table::rows)
        };
        let count = rows
            .saturating_mul(by_row.len())
            .saturating_add(single.len());
        ctx.reserve_doubles(count.saturating_mul(3 * n + 4))?;
        Ok(Self {
            n,
            single: compiled(single)?,
            by_row: compiled(by_row)?,
            columns,
            rows,
            loss,
            evaluations: 0,
            ctx,
        })
    }

    /// The residuals and the columns of their Jacobian; `None` where one is not finite.
    fn all(&mut self, x: &[f64]) -> Result<Option<Both>, ToolError> {
        let n = self.n;
        let ((single, singles), (by_row, per_row)) = (&self.single, &self.by_row);
        self.evaluations += 1;
        self.ctx.check()?;
        self.ctx.count_evaluations(self.rows as u64 + 1)?;
        let count = singles + self.rows * per_row;
        let mut values = Vec::with_capacity(count);
        let mut jacobian = vec![Vec::with_capacity(count); n];
        let mut out = vec![0.0; singles * (n + 1)];
        single.evaluator().point(x, &mut out);
        values.extend_from_slice(&out[..*singles]);
        for row in out[*singles..].chunks_exact(n) {
            jacobian
                .iter_mut()
                .zip(row)
                .for_each(|(column, entry)| column.push(*entry));
        }
        let constants: Vec<[f64; LANES]> = x.iter().map(|&value| [value; LANES]).collect();
        let mut evaluator = by_row.evaluator();
        let mut blocks = vec![[0.0; LANES]; per_row * (n + 1)];
        for start in (0..self.rows).step_by(LANES) {
            if start % (64 * LANES) == 0 {
                self.ctx.check()?;
            }
            let end = (start + LANES).min(self.rows);
            let fixed = constants.iter().map(|one| &one[..end - start]);
            let varying = self
                .columns
                .iter()
                .map(|one| one.get(start..end).unwrap_or_default());
            let slots: Vec<&[f64]> = fixed.chain(varying).collect();
            let mut outputs: Vec<&mut [f64]> = blocks
                .iter_mut()
                .map(|one| &mut one[..end - start])
                .collect();
            evaluator.block(&slots, &mut outputs);
            for residual in 0..*per_row {
                values.extend_from_slice(&blocks[residual][..end - start]);
                for (place, column) in jacobian.iter_mut().enumerate() {
                    column
                        .extend_from_slice(&blocks[per_row + residual * n + place][..end - start]);
                }
            }
        }
        let is_finite = values
            .iter()
            .chain(jacobian.iter().flatten())
            .all(|value| value.is_finite());
        Ok(is_finite.then_some((values, jacobian)))
    }

    /// The residuals; `None` where one is not finite.
    pub(super) fn values(&mut self, x: &[f64]) -> Result<Option<Vec<f64>>, ToolError> {
        Ok(self.all(x)?.map(|(values, _)| values))
    }
}

impl Problem for Residuals<'_> {
    fn cost(&mut self, point: &[f64]) -> Result<Option<f64>, ToolError> {
        let values = self.values(point)?;
        let cost = values.map(|values| self.loss.sum(&values));
        Ok(cost.filter(|cost| cost.is_finite()))
    }

    fn linear(&mut self, point: &[f64]) -> Result<Option<Linear>, ToolError> {
        let Some((mut residuals, mut jacobian)) = self.all(point)? else {
            return Ok(None);
        };
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
