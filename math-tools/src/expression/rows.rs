//! [`evaluate`]: the value of a tree in any arithmetic, with columns of data row by row.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::Ast;
use super::data::Data;
use super::evaluate::{self, Arithmetic, Fault, ValueError};
use super::functions::{Binary, Reduction, Ternary, Unary};

/// The value of a tree whose variables the arithmetic has, or the first operation without one. Columns of data are read as the decimals
/// they are spelled with.
pub(super) fn evaluate<A: Arithmetic>(
    ast: &Ast,
    arithmetic: &mut A,
) -> Result<A::Value, ValueError> {
    let Some(data) = ast.data() else {
        return evaluate::evaluate(ast, arithmetic);
    };
    let mut rows = Rows {
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
                .map_err(|fault| Failed { fault, name })
        };
        let cells: Arc<[Cell<A>]> = (0..numbers.len()).map(number).collect();
        rows.columns.insert(slot, cells);
    }
    Ok(match evaluate::evaluate(ast, &mut rows)? {
        Cells::One(value) => value,
        Cells::Many(_) => unreachable!("the value of a tree is no column"),
    })
}

/// The value of a row, or the operation that has none.
type Cell<A> = Result<<A as Arithmetic>::Value, Failed>;

/// An operation without a value.
#[derive(Debug, Clone, Copy)]
struct Failed {
    fault: Fault,
    name: &'static str,
}

/// A number, or a column.
enum Cells<A: Arithmetic> {
    One(A::Value),
    Many(Arc<[Cell<A>]>),
}

impl<A: Arithmetic> Clone for Cells<A> {
    fn clone(&self) -> Self {
        match self {
            Self::One(value) => Self::One(value.clone()),
            Self::Many(column) => Self::Many(Arc::clone(column)),
        }
    }
}

impl<A: Arithmetic> Cells<A> {
    fn at(&self, row: usize) -> Result<&A::Value, Failed> {
        match self {
            Self::One(value) => Ok(value),
            Self::Many(column) => column[row].as_ref().map_err(|failed| *failed),
        }
    }

    /// As [`Cells::at`], for a reduction of the rows.
    fn of(&self, row: usize) -> Result<&A::Value, Fault> {
        self.at(row).map_err(|failed| match failed.fault {
            Fault::DivisionByZero | Fault::Overflow => Fault::Domain, // the words would blame the reduction
            fault => fault,
        })
    }
}

/// An arithmetic over the rows of columns.
struct Rows<'a, A: Arithmetic> {
    inner: &'a mut A,
    data: &'a Data,
    columns: BTreeMap<usize, Arc<[Cell<A>]>>,
}

impl<A: Arithmetic> Rows<'_, A> {
    /// The value of each row.
    ///
    /// # Errors
    /// When the call is stopped.
    fn column(
        &mut self,
        mut value: impl FnMut(&mut A, usize) -> Cell<A>,
    ) -> Result<Cells<A>, Fault> {
        /// Rows between two looks at the stop flag.
        const BETWEEN: usize = 256;
        let mut cells = Vec::with_capacity(self.data.rows());
        for row in 0..self.data.rows() {
            if row % BETWEEN == 0 {
                self.inner.check()?;
            }
            cells.push(value(self.inner, row));
        }
        Ok(Cells::Many(cells.into()))
    }

    /// One operation after the other, from the first row on.
    fn joined(&mut self, op: Binary, x: &Cells<A>) -> Result<A::Value, Fault> {
        let mut value = x.of(0)?.clone();
        for row in 1..self.data.rows() {
            value = self.inner.operation(op, &value, x.of(row)?)?;
        }
        Ok(value)
    }
}

impl<A: Arithmetic> Arithmetic for Rows<'_, A> {
    type Value = Cells<A>;

    fn number(&mut self, value: f64, text: &str) -> Result<Cells<A>, Fault> {
        self.inner.number(value, text).map(Cells::One)
    }

    fn variable(&self, slot: usize) -> Cells<A> {
        match self.columns.get(&slot) {
            Some(column) => Cells::Many(Arc::clone(column)),
            // The slots of columns are not among those of the variables.
            None if slot < self.data.first() => Cells::One(self.inner.variable(slot)),
            None => Cells::One(self.inner.variable(slot - self.data.len())),
        }
    }

    fn function(&mut self, op: Unary, x: &Cells<A>) -> Result<Cells<A>, Fault> {
        match x {
            Cells::One(x) => self.inner.function(op, x).map(Cells::One),
            Cells::Many(_) => {
                let name = op.name();
                self.column(|inner, row| {
                    let value = inner.function(op, x.at(row)?);
                    value.map_err(|fault| Failed { fault, name })
                })
            }
        }
    }

    fn operation(&mut self, op: Binary, a: &Cells<A>, b: &Cells<A>) -> Result<Cells<A>, Fault> {
        match (a, b) {
            (Cells::One(a), Cells::One(b)) => self.inner.operation(op, a, b).map(Cells::One),
            _ => {
                let name = op.name();
                self.column(|inner, row| {
                    let value = inner.operation(op, a.at(row)?, b.at(row)?);
                    value.map_err(|fault| Failed { fault, name })
                })
            }
        }
    }

    fn ternary(&mut self, op: Ternary, operands: [&Cells<A>; 3]) -> Result<Cells<A>, Fault> {
        if let [Cells::One(a), Cells::One(b), Cells::One(c)] = operands {
            return self.inner.ternary(op, [a, b, c]).map(Cells::One);
        }
        let name = op.name();
        self.column(|inner, row| {
            let [a, b, c] = operands;
            let value = inner.ternary(op, [a.at(row)?, b.at(row)?, c.at(row)?]);
            value.map_err(|fault| Failed { fault, name })
        })
    }

    fn is_zero(&mut self, x: &Cells<A>) -> Result<bool, Fault> {
        self.inner.is_zero(x.of(0)?)
    }

    fn reduction(&mut self, op: Reduction, x: &Cells<A>) -> Result<Cells<A>, Fault> {
        let value = match op {
            Reduction::Sum => self.joined(Binary::Add, x)?,
            Reduction::Min => self.joined(Binary::Min, x)?,
            Reduction::Max => self.joined(Binary::Max, x)?,
            Reduction::LogSumExp => {
                let rows: Vec<A::Value> = (0..self.data.rows())
                    .map(|row| x.of(row).cloned())
                    .collect::<Result<_, _>>()?;
                self.inner.log_sum_exp(&rows)?
            }
            Reduction::CumSum => {
                let name = op.name();
                let mut sum: Option<Cell<A>> = None;
                return self.column(|inner, row| {
                    let next = match sum.take() {
                        None => x.at(row).cloned(),
                        Some(sum) => sum.and_then(|sum| {
                            let next = inner.operation(Binary::Add, &sum, x.at(row)?);
                            next.map_err(|fault| Failed { fault, name })
                        }),
                    };
                    sum = Some(next.clone());
                    next
                });
            }
        };
        Ok(Cells::One(value))
    }

    fn words(operands: &[&Cells<A>]) -> String {
        let mut numbers = Vec::new();
        for cells in operands {
            match cells {
                Cells::One(value) => numbers.push(value),
                Cells::Many(column) => {
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
        condition: &Cells<A>,
        branches: [Result<Cells<A>, ValueError>; 2],
    ) -> Result<Result<Cells<A>, ValueError>, Fault> {
        let [then, otherwise] = branches;
        let whole = |branch: &Result<Cells<A>, ValueError>| match branch {
            Ok(Cells::One(value)) => Some(Ok(value.clone())),
            Ok(Cells::Many(_)) => None,
            Err(error) => Some(Err(error.clone())),
        };
        if let Cells::One(condition) = condition
            && let (Some(then), Some(otherwise)) = (whole(&then), whole(&otherwise))
        {
            let chosen = self.inner.select(condition, [then, otherwise])?;
            return Ok(chosen.map(Cells::One));
        }
        // A branch without a value counts where a row takes it.
        let cell = |branch: &Result<Cells<A>, ValueError>, row: usize| match branch {
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
            let chosen = chosen.map_err(|fault| Failed { fault, name })?;
            chosen.map_err(|err| Failed {
                fault: err.fault,
                name: err.name,
            })
        })?;
        Ok(Ok(chosen))
    }

    fn check(&self) -> Result<(), Fault> {
        self.inner.check()
    }
}
