//! Determinant, inverse, rank, reduced rows, null space, linear systems.

use super::ExprMatrix;
use super::check::{check_at_points, symbols_of};
use super::convert::{RingMatrix, convert_matrix, in_ring};
use super::eliminate::eliminate_rows;
use super::ring::{EliminationRing, KernelField, PolynomialRing, WholeRing};
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::simplify::conditions::{denominator_factors, nonzero_condition};
use crate::simplify::forms::simplify;
use crate::tree::Expr;
use crate::tree::walk::is_known_positive;

/// Steps that the shortest form of an entry may take.
const SHORTEN_STEPS: u64 = 60_000;
/// Nodes of an entry that is shortened.
const SHORTEN_SIZE: u32 = 400;

/// A matrix that was checked.
#[derive(Debug, Clone)]
pub struct CheckedMatrix {
    /// The matrix.
    pub matrix: ExprMatrix,
    /// What must hold for it.
    pub conditions: Vec<Expr>,
    /// Points at which it was checked.
    pub points: usize,
}

/// An expression that was checked.
#[derive(Debug, Clone)]
pub struct CheckedValue {
    /// The value.
    pub value: Expr,
    /// What must hold for it.
    pub conditions: Vec<Expr>,
    /// Points at which it was checked.
    pub points: usize,
}

/// The vectors that a matrix takes to zero.
#[derive(Debug, Clone)]
pub struct NullSpace {
    /// A basis.
    pub vectors: Vec<Vec<Expr>>,
    /// The rank of the matrix.
    pub rank: usize,
    /// What must hold for it.
    pub conditions: Vec<Expr>,
    /// Points at which it was checked.
    pub points: usize,
}

/// The solutions of `A x = b`.
#[derive(Debug, Clone)]
pub struct LinearSolution {
    /// A solution, with free unknowns zero; none where there is none.
    pub solution: Option<ExprMatrix>,
    /// What may be added to it.
    pub null_space: Vec<Vec<Expr>>,
    /// What must hold for it.
    pub conditions: Vec<Expr>,
    /// Points at which it was checked.
    pub points: usize,
}

/// The shortest form of an entry that is found in few steps.
pub(super) fn shorten_entry(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    if expr.as_number().is_some() || expr.size() > SHORTEN_SIZE {
        return Ok(expr.clone());
    }
    let share = budget.share(SHORTEN_STEPS);
    let found = simplify(expr, &share);
    match found {
        Ok(short) => Ok(short),
        Err(SymbolicFault::Stopped) => Err(SymbolicFault::Stopped),
        Err(_) => Ok(expr.clone()),
    }
}

/// What must hold for the entries to be defined and the factors not to be zero.
pub(super) fn conditions_for<'e>(
    entries: impl IntoIterator<Item = &'e Expr>,
    factors: &[Expr],
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    let mut all: Vec<Expr> = Vec::new();
    for entry in entries {
        for factor in denominator_factors(entry, budget)? {
            if !all.contains(&factor) {
                all.push(factor);
            }
        }
    }
    for factor in factors {
        let is_new = !is_known_positive(factor) && !all.contains(factor) && !all.contains(&-factor);
        if is_new {
            all.push(factor.clone());
        }
    }
    Ok(all.iter().map(nonzero_condition).collect())
}

/// The determinant.
pub fn determinant_of(matrix: &ExprMatrix, budget: &Budget<'_>) -> Outcome<CheckedValue> {
    matrix.admit_square()?;
    let size = matrix.rows();
    let converted = convert_matrix(matrix, false, budget)?;
    let value = in_ring!(converted, budget, |ring, rows, scale| {
        let done = eliminate_rows(&ring, rows, size, false)?;
        match done.pivots.len() == size {
            true => {
                let mut divisor = ring.small(if done.is_flipped { -1 } else { 1 });
                for factor in &scale {
                    divisor = ring.mul(&divisor, factor)?;
                }
                ring.quotient(&done.minor, &divisor)?
            }
            false => Expr::zero(),
        }
    });
    let value = shorten_entry(&value, budget)?;
    let points = check_at_points(&symbols_of(matrix.entries()), budget, |point| {
        let (Some(digits), Some(found)) = (point.matrix(matrix)?, point.value(&value)?) else {
            return Ok(None);
        };
        let (_, determinant) = point.rank_and_determinant(&digits)?;
        let none = point.arithmetic().real(0);
        Ok(Some(point.agree(&found, &determinant, &none)))
    })?;
    Ok(CheckedValue {
        conditions: conditions_for(matrix.entries(), &[], budget)?,
        value,
        points,
    })
}

/// The inverse.
pub fn inverse_of(matrix: &ExprMatrix, budget: &Budget<'_>) -> Outcome<CheckedMatrix> {
    matrix.admit_square()?;
    let size = matrix.rows();
    let unit = ExprMatrix::identity(size);
    let reduced = reduce_rows(&matrix.beside(&unit), size, budget)?;
    if reduced.pivots.len() < size {
        return refuse("the matrix is singular: its determinant is zero");
    }
    let rows = reduced.rows.iter().map(|row| row[size..].to_vec());
    let Some(inverse) = ExprMatrix::from_rows(rows.collect()) else {
        return Err(SymbolicFault::Undefined);
    };
    let inverse = inverse.map(|entry| shorten_entry(entry, budget))?;
    let points = check_product(matrix, &inverse, &unit, budget)?;
    Ok(CheckedMatrix {
        conditions: conditions_for(matrix.entries(), &reduced.factors, budget)?,
        matrix: inverse,
        points,
    })
}

/// The number of points at which `a*b` is `product`.
pub(super) fn check_product(
    a: &ExprMatrix,
    b: &ExprMatrix,
    product: &ExprMatrix,
    budget: &Budget<'_>,
) -> Outcome<usize> {
    let all = [a, b, product].map(ExprMatrix::entries);
    let symbols = symbols_of(all.into_iter().flatten());
    check_at_points(&symbols, budget, |point| {
        let (Some(a), Some(b), Some(product)) =
            (point.matrix(a)?, point.matrix(b)?, point.matrix(product)?)
        else {
            return Ok(None);
        };
        point.is_product(&a, &b, &product).map(Some)
    })
}

/// Rows in which each pivot is 1 and alone in its column.
pub(super) struct ReducedRows {
    pub rows: Vec<Vec<Expr>>,
    pub pivots: Vec<usize>,
    /// Factors that must not be zero for these pivots.
    pub factors: Vec<Expr>,
}

/// Eliminates with pivots in the first columns. Rows without a pivot are as elimination left them.
pub(super) fn reduce_rows(
    matrix: &ExprMatrix,
    pivot_columns: usize,
    budget: &Budget<'_>,
) -> Outcome<ReducedRows> {
    let converted = convert_matrix(matrix, false, budget)?;
    in_ring!(converted, budget, |ring, rows, _scale| {
        let done = eliminate_rows(&ring, rows, pivot_columns, true)?;
        let mut rows = Vec::new();
        for row in &done.rows {
            let quotients: Outcome<Vec<Expr>> = row
                .iter()
                .map(|entry| match ring.is_zero(entry)? {
                    true => Ok(Expr::zero()),
                    false => ring.quotient(entry, &done.minor),
                })
                .collect();
            rows.push(quotients?);
        }
        Ok(ReducedRows {
            rows,
            factors: ring.factors(&done.minor)?,
            pivots: done.pivots,
        })
    })
}

/// The basis of the vectors that reduced rows take to zero.
pub(super) fn null_vectors(reduced: &ReducedRows, columns: usize) -> Vec<Vec<Expr>> {
    (0..columns)
        .filter(|column| !reduced.pivots.contains(column))
        .map(|free| {
            let mut vector = vec![Expr::zero(); columns];
            vector[free] = Expr::one();
            for (row, &pivot) in reduced.pivots.iter().enumerate() {
                vector[pivot] = -&reduced.rows[row][free];
            }
            vector
        })
        .collect()
}

/// The reduced row echelon form.
pub fn reduced_rows_of(matrix: &ExprMatrix, budget: &Budget<'_>) -> Outcome<CheckedMatrix> {
    matrix.admit()?;
    let reduced = reduce_rows(matrix, matrix.columns(), budget)?;
    let Some(rows) = ExprMatrix::from_rows(reduced.rows.clone()) else {
        return Err(SymbolicFault::Undefined);
    };
    let rows = rows.map(|entry| shorten_entry(entry, budget))?;
    let rank = reduced.pivots.len();
    // Both have the same rows: neither adds to the rank of the other.
    let mut both = matrix.to_rows();
    both.extend(rows.to_rows());
    let Some(both) = ExprMatrix::from_rows(both) else {
        return Err(SymbolicFault::Undefined);
    };
    let points = check_at_points(&symbols_of(matrix.entries()), budget, |point| {
        for part in [matrix, &rows, &both] {
            let Some(digits) = point.matrix(part)? else {
                return Ok(None);
            };
            if point.rank_and_determinant(&digits)?.0 != rank {
                return Ok(Some(false));
            }
        }
        Ok(Some(true))
    })?;
    Ok(CheckedMatrix {
        conditions: conditions_for(matrix.entries(), &reduced.factors, budget)?,
        matrix: rows,
        points,
    })
}

/// The rank.
pub fn rank_of(matrix: &ExprMatrix, budget: &Budget<'_>) -> Outcome<NullSpace> {
    null_space_of(matrix, budget)
}

/// The vectors that the matrix takes to zero, with its rank.
pub fn null_space_of(matrix: &ExprMatrix, budget: &Budget<'_>) -> Outcome<NullSpace> {
    matrix.admit()?;
    let reduced = reduce_rows(matrix, matrix.columns(), budget)?;
    let rank = reduced.pivots.len();
    let mut vectors = null_vectors(&reduced, matrix.columns());
    for vector in &mut vectors {
        for entry in vector {
            *entry = shorten_entry(entry, budget)?;
        }
    }
    let points = check_null_space(matrix, &vectors, rank, budget)?;
    Ok(NullSpace {
        vectors,
        rank,
        conditions: conditions_for(matrix.entries(), &reduced.factors, budget)?,
        points,
    })
}

/// Points at which the rank is as found and every vector is taken to zero.
fn check_null_space(
    matrix: &ExprMatrix,
    vectors: &[Vec<Expr>],
    rank: usize,
    budget: &Budget<'_>,
) -> Outcome<usize> {
    let basis = ExprMatrix::from_rows(vectors.to_vec()).map(|basis| basis.transpose());
    check_at_points(&symbols_of(matrix.entries()), budget, |point| {
        let Some(digits) = point.matrix(matrix)? else {
            return Ok(None);
        };
        if point.rank_and_determinant(&digits)?.0 != rank {
            return Ok(Some(false));
        }
        let Some(basis) = &basis else {
            return Ok(Some(true));
        };
        let Some(basis) = point.matrix(basis)? else {
            return Ok(None);
        };
        let zero = super::check::DigitMatrix {
            rows: digits.rows,
            columns: basis.columns,
            entries: vec![point.arithmetic().small(0); digits.rows * basis.columns],
        };
        point.is_product(&digits, &basis, &zero).map(Some)
    })
}

/// The solutions of `A x = b`; `b` may have several columns.
pub fn solve_linear(
    a: &ExprMatrix,
    b: &ExprMatrix,
    budget: &Budget<'_>,
) -> Outcome<LinearSolution> {
    a.admit()?;
    b.admit()?;
    if a.rows() != b.rows() {
        return refuse(format!(
            "the matrix has {} rows and the right-hand side {}",
            a.rows(),
            b.rows()
        ));
    }
    let columns = a.columns();
    let joined = a.beside(b);
    let reduced = reduce_rows(&joined, columns, budget)?;
    let rank = reduced.pivots.len();
    // A row without a pivot says that its right-hand side is zero.
    let is_consistent = reduced.rows[rank..]
        .iter()
        .all(|row| row[columns..].iter().all(Expr::is_zero));
    let conditions = conditions_for(joined.entries(), &reduced.factors, budget)?;
    if !is_consistent {
        let symbols = symbols_of(joined.entries());
        let points = check_at_points(&symbols, budget, |point| {
            let (Some(a), Some(joined)) = (point.matrix(a)?, point.matrix(&joined)?) else {
                return Ok(None);
            };
            let (left, _) = point.rank_and_determinant(&a)?;
            let (all, _) = point.rank_and_determinant(&joined)?;
            Ok(Some(left < all))
        })?;
        return Ok(LinearSolution {
            solution: None,
            null_space: Vec::new(),
            conditions,
            points,
        });
    }
    let mut rows = vec![vec![Expr::zero(); b.columns()]; columns];
    for (row, &pivot) in reduced.pivots.iter().enumerate() {
        for (place, entry) in reduced.rows[row][columns..].iter().enumerate() {
            rows[pivot][place] = shorten_entry(entry, budget)?;
        }
    }
    let Some(solution) = ExprMatrix::from_rows(rows) else {
        return Err(SymbolicFault::Undefined);
    };
    let points = check_product(a, &solution, b, budget)?;
    let null_space = null_vectors(&reduced, columns);
    if !null_space.is_empty() {
        check_null_space(a, &null_space, rank, budget)?;
    }
    Ok(LinearSolution {
        solution: Some(solution),
        null_space,
        conditions,
        points,
    })
}

/// The sum of the diagonal.
pub fn trace_of(matrix: &ExprMatrix, budget: &Budget<'_>) -> Outcome<CheckedValue> {
    matrix.admit_square()?;
    let diagonal = (0..matrix.rows()).map(|place| matrix.at(place, place).clone());
    let sum = budget.admit(Expr::sum(diagonal))?;
    let value = shorten_entry(&sum, budget)?;
    let points = check_at_points(&sum.symbols(), budget, |point| {
        let (Some(a), Some(b)) = (point.value(&sum)?, point.value(&value)?) else {
            return Ok(None);
        };
        let none = point.arithmetic().real(1);
        Ok(Some(point.agree(&a, &b, &none)))
    })?;
    Ok(CheckedValue {
        conditions: conditions_for(matrix.entries(), &[], budget)?,
        value,
        points,
    })
}
