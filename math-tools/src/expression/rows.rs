//! Arithmetic over the rows of columns, for the operation or the row without a finite value.

use std::sync::Arc;

use kernels::program::Column;

use super::ast::Ast;
use super::data::Data;
use super::evaluate::{Arithmetic, Doubles, Fault, ValueError, evaluate};
use super::functions::{Binary, Reduction, Unary};

/// The value of a tree at a point of finite numbers, or the first operation that has none.
pub(super) fn value(ast: &Ast, slots: &[f64], data: &Data) -> Result<f64, ValueError> {
    let columns = data.columns();
    let mut arithmetic = Rows {
        slots,
        data,
        columns,
    };
    evaluate(ast, &mut arithmetic).map(|cells| cells.at(0))
}

/// A number, or a column.
#[derive(Debug, Clone)]
enum Cells {
    One(f64),
    Many(Column),
}

impl Cells {
    fn at(&self, row: usize) -> f64 {
        match self {
            Self::One(value) => *value,
            Self::Many(column) => column[row],
        }
    }
}

struct Rows<'a> {
    slots: &'a [f64],
    data: &'a Data,
    columns: Vec<Column>,
}

impl Rows<'_> {
    /// The value of each row.
    fn column(&self, value: impl FnMut(usize) -> f64) -> Cells {
        Cells::Many((0..self.data.rows()).map(value).collect())
    }
}

impl Arithmetic for Rows<'_> {
    type Value = Cells;

    fn number(&mut self, value: f64, _: &str) -> Result<Cells, Fault> {
        Ok(Cells::One(value))
    }

    fn variable(&self, slot: usize) -> Cells {
        let first = self.data.first();
        if self.data.has(slot) {
            Cells::Many(Arc::clone(&self.columns[slot - first]))
        } else {
            let columns = if slot < first { 0 } else { self.data.len() };
            Cells::One(self.slots[slot - columns])
        }
    }

    fn function(&mut self, op: Unary, x: &Cells) -> Result<Cells, Fault> {
        match x {
            Cells::One(x) => Doubles(&[]).function(op, x).map(Cells::One),
            Cells::Many(x) => Ok(self.column(|row| op.value(x[row]))),
        }
    }

    fn operation(&mut self, op: Binary, a: &Cells, b: &Cells) -> Result<Cells, Fault> {
        match (a, b) {
            (Cells::One(a), Cells::One(b)) => Doubles(&[]).operation(op, a, b).map(Cells::One),
            _ => Ok(self.column(|row| op.value(a.at(row), b.at(row)))),
        }
    }

    fn is_zero(&mut self, x: &Cells) -> Result<bool, Fault> {
        Ok(x.at(0) == 0.0)
    }

    fn reduction(&mut self, op: Reduction, x: &Cells) -> Result<Cells, Fault> {
        let values = (0..self.data.rows()).map(|row| x.at(row));
        let value = match op {
            Reduction::Sum => values.sum(),
            Reduction::Min => values.fold(f64::INFINITY, f64::min),
            Reduction::Max => values.fold(f64::NEG_INFINITY, f64::max),
            Reduction::LogSumExp => {
                let largest = values.clone().fold(f64::NEG_INFINITY, f64::max);
                largest + values.map(|x| (x - largest).exp()).sum::<f64>().ln()
            }
            Reduction::CumSum => {
                let mut sum = 0.0;
                let sums = values.map(|x| {
                    sum += x;
                    sum
                });
                return Ok(Cells::Many(sums.collect()));
            }
        };
        if value.is_finite() {
            Ok(Cells::One(value))
        } else {
            Err(Fault::NotFinite)
        }
    }

    fn words(operands: &[&Cells]) -> String {
        let mut numbers = Vec::new();
        for cells in operands {
            match cells {
                Cells::One(value) => numbers.push(value),
                Cells::Many(column) => {
                    let row = column.iter().position(|value| !value.is_finite());
                    return row.map_or_else(String::new, |row| {
                        format!(": its column is {} in row {row}", column[row])
                    });
                }
            }
        }
        Doubles::words(&numbers)
    }

    fn select(
        &mut self,
        condition: &Cells,
        branches: [Result<Cells, ValueError>; 2],
    ) -> Result<Result<Cells, ValueError>, Fault> {
        if let Cells::One(_) = condition {
            let taken = usize::from(condition.at(0) == 0.0);
            let [then, otherwise] = branches;
            return Ok([then, otherwise]
                .into_iter()
                .nth(taken)
                .expect("two branches"));
        }
        // A branch without a value counts where a row takes it.
        let taken = |branch: usize| {
            (0..self.data.rows()).any(|row| usize::from(condition.at(row) == 0.0) == branch)
        };
        let [then, otherwise] = branches;
        let pair = match (then, otherwise) {
            (Err(error), _) if taken(0) => return Ok(Err(error)),
            (_, Err(error)) if taken(1) => return Ok(Err(error)),
            (then, otherwise) => [then, otherwise].map(|side| side.unwrap_or(Cells::One(0.0))),
        };
        let chosen = |row: usize| pair[usize::from(condition.at(row) == 0.0)].at(row);
        Ok(Ok(self.column(chosen)))
    }
}
