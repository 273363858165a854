//! Matrices of expressions: elimination, eigenvalues and products, exact over the rationals and over quotients of polynomials in symbols.
//!
//! What holds for all but some values of the symbols is given with its conditions, and every answer is compared by digits at random points.

mod check;
mod convert;
mod eigen;
mod eliminate;
mod operations;
mod products;
mod ring;

#[cfg(test)]
mod tests;

pub use eigen::{
    EigenvalueWithVectors, MatrixEigenvalues, characteristic_polynomial, eigensystem_of,
};
pub use operations::{
    CheckedMatrix, CheckedValue, LinearSolution, NullSpace, determinant_of, inverse_of,
    null_space_of, rank_of, reduced_rows_of, solve_linear, trace_of,
};
pub use products::{multiply_matrices, power_of};

pub(crate) use eliminate::solve_field_system;

use crate::budget::{Outcome, refuse};
use crate::tree::Expr;

/// Rows and columns of a matrix with symbols, functions or roots.
pub const SYMBOLIC_SIZE_LIMIT: usize = 12;
/// Rows and columns of a matrix of fractions.
pub const NUMERIC_SIZE_LIMIT: usize = 40;

/// A matrix, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprMatrix {
    rows: usize,
    columns: usize,
    entries: Vec<Expr>,
}

impl ExprMatrix {
    /// A matrix of rows of equal length, at least one of each.
    pub fn from_rows(rows: Vec<Vec<Expr>>) -> Option<Self> {
        let columns = rows.first().map_or(0, Vec::len);
        let is_regular = columns > 0 && rows.iter().all(|row| row.len() == columns);
        is_regular.then(|| Self {
            rows: rows.len(),
            columns,
            entries: rows.into_iter().flatten().collect(),
        })
    }

    /// The unit matrix.
    pub fn identity(size: usize) -> Self {
        let entries = (0..size * size).map(|at| Expr::integer(i64::from(at % (size + 1) == 0)));
        Self {
            rows: size,
            columns: size,
            entries: entries.collect(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> &Expr {
        &self.entries[row * self.columns + column]
    }

    /// All entries, row by row.
    pub fn entries(&self) -> &[Expr] {
        &self.entries
    }

    /// The rows.
    pub fn to_rows(&self) -> Vec<Vec<Expr>> {
        self.entries
            .chunks(self.columns)
            .map(<[Expr]>::to_vec)
            .collect()
    }

    /// Rows as columns.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let entries = (0..self.columns)
            .flat_map(|column| (0..self.rows).map(move |row| self.at(row, column).clone()));
        Self {
            rows: self.columns,
            columns: self.rows,
            entries: entries.collect(),
        }
    }

    /// The matrix with the columns of another to the right; both have as many rows.
    fn beside(&self, other: &Self) -> Self {
        let rows = self.to_rows().into_iter().zip(other.to_rows());
        Self {
            rows: self.rows,
            columns: self.columns + other.columns,
            entries: rows
                .flat_map(|(left, right)| left.into_iter().chain(right))
                .collect(),
        }
    }

    /// Entries changed one by one.
    fn map(&self, change: impl FnMut(&Expr) -> Outcome<Expr>) -> Outcome<Self> {
        let entries: Outcome<Vec<Expr>> = self.entries.iter().map(change).collect();
        Ok(Self {
            rows: self.rows,
            columns: self.columns,
            entries: entries?,
        })
    }

    /// The matrix less a multiple of the unit matrix.
    fn less_multiple(&self, value: &Expr) -> Self {
        let mut shifted = self.clone();
        for place in 0..self.rows.min(self.columns) {
            let at = place * self.columns + place;
            shifted.entries[at] = &shifted.entries[at] - value;
        }
        shifted
    }

    /// Refuses sizes beyond the limits, and entries without a value.
    fn admit(&self) -> Outcome<()> {
        let is_numeric = self.entries.iter().all(|entry| entry.as_number().is_some());
        let limit = if is_numeric {
            NUMERIC_SIZE_LIMIT
        } else {
            SYMBOLIC_SIZE_LIMIT
        };
        if self.rows.max(self.columns) > limit {
            let kind = if is_numeric {
                "of fractions"
            } else {
                "with symbols or roots"
            };
            return refuse(format!(
                "a matrix {kind} has at most {limit} rows and columns, found {} by {}",
                self.rows, self.columns
            ));
        }
        let is_infinite = |part: &Expr| {
            part.is_infinite() || matches!(part.node(), crate::tree::ExprNode::Relation(..))
        };
        match self.entries.iter().any(|entry| entry.any(&is_infinite)) {
            true => refuse("an entry of the matrix is infinite or an equation"),
            false => Ok(()),
        }
    }

    /// Refuses a matrix that is not square.
    fn admit_square(&self) -> Outcome<()> {
        self.admit()?;
        match self.rows == self.columns {
            true => Ok(()),
            false => refuse(format!(
                "the matrix is {} by {} and has to be square",
                self.rows, self.columns
            )),
        }
    }
}
