//! [`evaluate_over_rows`]: the value of a tree in any arithmetic, with columns of data row by row.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::Ast;
use super::data::DataColumns;
use super::evaluate::{self, Arithmetic};
use super::fault::{EvaluationFault, ValueError};
use super::functions::{
    ADD, BinaryDefinition, MAX, MIN, ReductionFunction, TernaryDefinition, UnaryDefinition,
};

/// The value of a tree whose variables the arithmetic has, or the first operation without one. Columns of data are read as the decimals
/// they are spelled with.
pub(super) fn evaluate_over_rows<A: Arithmetic>(
    ast: &Ast,
    arithmetic: &mut A,
) -> Result<A::Value, ValueError> {
    let Some(data) = ast.data() else {
        return evaluate::evaluate_tree(ast, arithmetic);
    };
    let mut rows = RowArithmetic {
        columns: BTreeMap::new(),
        inner: arithmetic,
        data,
    };
    for slot in ast.slots().into_iter().filter(|slot| data.has(*slot)) {
        let numbers = data.column(slot).expect("columns in use are numbers");
        let number = |row: usize| {
            let name = "the number";
            rows.inner
                .datum(numbers[row])
                .map_err(|fault| RowFault { fault, name })
        };
        let cells: Arc<[Cell<A>]> = (0..numbers.len()).map(number).collect();
        rows.columns.insert(slot, cells);
    }
    Ok(match evaluate::evaluate_tree(ast, &mut rows)? {
        ScalarOrColumn::One(value) => value,
        ScalarOrColumn::Many(_) => unreachable!("the value of a tree is no column"),
    })
}

/// The value of a row, or the operation that has none.
type Cell<A> = Result<<A as Arithmetic>::Value, RowFault>;

/// An operation without a value.
#[derive(Debug, Clone, Copy)]
struct RowFault {
    fault: EvaluationFault,
    name: &'static str,
}

/// A number, or a column.
enum ScalarOrColumn<A: Arithmetic> {
    One(A::Value),
    Many(Arc<[Cell<A>]>),
}

impl<A: Arithmetic> Clone for ScalarOrColumn<A> {
    fn clone(&self) -> Self {
        match self {
            Self::One(value) => Self::One(value.clone()),
            Self::Many(column) => Self::Many(Arc::clone(column)),
        }
    }
}

impl<A: Arithmetic> ScalarOrColumn<A> {
    fn at(&self, row: usize) -> Result<&A::Value, RowFault> {
        match self {
            Self::One(value) => Ok(value),
            Self::Many(column) => column[row].as_ref().map_err(|failed| *failed),
        }
    }

    /// As [`ScalarOrColumn::at`], for a reduction of the rows.
    fn of(&self, row: usize) -> Result<&A::Value, EvaluationFault> {
        self.at(row).map_err(|failed| match failed.fault {
            EvaluationFault::DivisionByZero | EvaluationFault::Overflow => EvaluationFault::Domain, // the words would blame the reduction
            fault => fault,
        })
    }
}

/// An arithmetic over the rows of columns.
struct RowArithmetic<'a, A: Arithmetic> {
    inner: &'a mut A,
    data: &'a DataColumns,
    columns: BTreeMap<usize, Arc<[Cell<A>]>>,
}

impl<A: Arithmetic> RowArithmetic<'_, A> {
    /// The value of each row.
    ///
    /// # Errors
    /// When the call is stopped.
    fn column(
        &mut self,
        mut value: impl FnMut(&mut A, usize) -> Cell<A>,
    ) -> Result<ScalarOrColumn<A>, EvaluationFault> {
        /// Rows between two looks at the stop flag.
        const BETWEEN: usize = 256;
        let mut cells = Vec::with_capacity(self.data.rows());
        for row in 0..self.data.rows() {
            if row % BETWEEN == 0 {
                self.inner.check()?;
            }
            cells.push(value(self.inner, row));
        }
        Ok(ScalarOrColumn::Many(cells.into()))
    }

    /// One operation after the other, from the first row on.
    fn joined(
        &mut self,
        op: &BinaryDefinition,
        x: &ScalarOrColumn<A>,
    ) -> Result<A::Value, EvaluationFault> {
        let mut value = x.of(0)?.clone();
        for row in 1..self.data.rows() {
            value = self.inner.operation(op, &value, x.of(row)?)?;
        }
        Ok(value)
    }
}

impl<A: Arithmetic> Arithmetic for RowArithmetic<'_, A> {
    type Value = ScalarOrColumn<A>;

    fn number(&mut self, value: f64, text: &str) -> Result<ScalarOrColumn<A>, EvaluationFault> {
        self.inner.number(value, text).map(ScalarOrColumn::One)
    }

    fn variable(&self, slot: usize) -> ScalarOrColumn<A> {
        match self.columns.get(&slot) {
            Some(column) => ScalarOrColumn::Many(Arc::clone(column)),
            // The slots of columns are not among those of the variables.
            None if slot < self.data.first() => ScalarOrColumn::One(self.inner.variable(slot)),
            None => ScalarOrColumn::One(self.inner.variable(slot - self.data.len())),
        }
    }

    fn function(
        &mut self,
        op: &UnaryDefinition,
        x: &ScalarOrColumn<A>,
    ) -> Result<ScalarOrColumn<A>, EvaluationFault> {
        match x {
            ScalarOrColumn::One(x) => self.inner.function(op, x).map(ScalarOrColumn::One),
            ScalarOrColumn::Many(_) => {
                let name = op.name;
                self.column(|inner, row| {
                    let value = inner.function(op, x.at(row)?);
                    value.map_err(|fault| RowFault { fault, name })
                })
            }
        }
    }

    fn operation(
        &mut self,
        op: &BinaryDefinition,
        a: &ScalarOrColumn<A>,
        b: &ScalarOrColumn<A>,
    ) -> Result<ScalarOrColumn<A>, EvaluationFault> {
        match (a, b) {
            (ScalarOrColumn::One(a), ScalarOrColumn::One(b)) => {
                self.inner.operation(op, a, b).map(ScalarOrColumn::One)
            }
            _ => {
                let name = op.name;
                self.column(|inner, row| {
                    let value = inner.operation(op, a.at(row)?, b.at(row)?);
                    value.map_err(|fault| RowFault { fault, name })
                })
            }
        }
    }

    fn ternary(
        &mut self,
        op: &TernaryDefinition,
        operands: [&ScalarOrColumn<A>; 3],
    ) -> Result<ScalarOrColumn<A>, EvaluationFault> {
        if let [
            ScalarOrColumn::One(a),
            ScalarOrColumn::One(b),
            ScalarOrColumn::One(c),
        ] = operands
        {
            return self.inner.ternary(op, [a, b, c]).map(ScalarOrColumn::One);
        }
        let name = op.name();
        self.column(|inner, row| {
            let [a, b, c] = operands;
            let value = inner.ternary(op, [a.at(row)?, b.at(row)?, c.at(row)?]);
            value.map_err(|fault| RowFault { fault, name })
        })
    }

    fn is_zero(&mut self, x: &ScalarOrColumn<A>) -> Result<bool, EvaluationFault> {
        self.inner.is_zero(x.of(0)?)
    }

    fn reduction(
        &mut self,
        op: ReductionFunction,
        x: &ScalarOrColumn<A>,
    ) -> Result<ScalarOrColumn<A>, EvaluationFault> {
        let value = match op {
            ReductionFunction::Sum => self.joined(&ADD, x)?,
            ReductionFunction::Min => self.joined(&MIN, x)?,
            ReductionFunction::Max => self.joined(&MAX, x)?,
            ReductionFunction::LogSumExp => {
                let rows: Vec<A::Value> = (0..self.data.rows())
                    .map(|row| x.of(row).cloned())
                    .collect::<Result<_, _>>()?;
                self.inner.log_sum_exp(&rows)?
            }
            ReductionFunction::CumSum => {
                let name = op.name();
                let mut sum: Option<Cell<A>> = None;
                return self.column(|inner, row| {
                    let next = match sum.take() {
                        None => x.at(row).cloned(),
                        Some(sum) => sum.and_then(|sum| {
                            let next = inner.operation(&ADD, &sum, x.at(row)?);
                            next.map_err(|fault| RowFault { fault, name })
                        }),
                    };
                    sum = Some(next.clone());
                    next
                });
            }
        };
        Ok(ScalarOrColumn::One(value))
    }

    fn words(operands: &[&ScalarOrColumn<A>]) -> String {
        let mut numbers = Vec::new();
        for cells in operands {
            match cells {
                ScalarOrColumn::One(value) => numbers.push(value),
                ScalarOrColumn::Many(column) => {
                    let mut cells = column.iter().enumerate();
                    let failed = cells.find_map(|(row, cell)| Some((row, cell.as_ref().err()?)));
                    return failed.map_or_else(String::new, |(row, failed)| {
                        format!(": `{}` has none in row {row}", failed.name)
                    });
                }
            }
        }
        A::words(&numbers)
    }

    fn select(
        &mut self,
        condition: &ScalarOrColumn<A>,
        branches: [Result<ScalarOrColumn<A>, ValueError>; 2],
    ) -> Result<Result<ScalarOrColumn<A>, ValueError>, EvaluationFault> {
        let [then, otherwise] = branches;
        let whole = |branch: &Result<ScalarOrColumn<A>, ValueError>| match branch {
            Ok(ScalarOrColumn::One(value)) => Some(Ok(value.clone())),
            Ok(ScalarOrColumn::Many(_)) => None,
            Err(error) => Some(Err(error.clone())),
        };
        if let ScalarOrColumn::One(condition) = condition
            && let (Some(then), Some(otherwise)) = (whole(&then), whole(&otherwise))
        {
            let chosen = self.inner.select(condition, [then, otherwise])?;
            return Ok(chosen.map(ScalarOrColumn::One));
        }
        // A branch without a value counts where a row takes it.
        let cell = |branch: &Result<ScalarOrColumn<A>, ValueError>, row: usize| match branch {
            Ok(cells) => cells
                .at(row)
                .cloned()
                .map_err(|failed| ValueError::new(failed.fault, failed.name)),
            Err(error) => Err(error.clone()),
        };
        let chosen = self.column(|inner, row| {
            let name = "if";
            let branches = [cell(&then, row), cell(&otherwise, row)];
            let chosen = inner.select(condition.at(row)?, branches);
            let chosen = chosen.map_err(|fault| RowFault { fault, name })?;
            chosen.map_err(|err| RowFault {
                fault: err.fault,
                name: err.name,
            })
        })?;
        Ok(Ok(chosen))
    }

    fn check(&self) -> Result<(), EvaluationFault> {
        self.inner.check()
    }
}
