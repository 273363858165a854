//! Products and powers.

use super::ExprMatrix;
use super::check::{check_at_points, symbols_of};
use super::convert::{RingMatrix, convert_matrix, in_ring};
use super::operations::{CheckedMatrix, check_product, conditions_for, inverse_of, shorten_entry};
use super::ring::{EliminationRing, KernelField, PolynomialRing, WholeRing};
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::tree::Expr;

/// Largest exponent of a power of fractions.
const POWER_LIMIT: i64 = 1_000;
/// Largest product of exponent and number of symbols of a power: the terms grow with the exponent in every symbol.
const SYMBOLIC_POWER_LIMIT: i64 = 60;

/// The product of two matrices.
pub fn multiply_matrices(
    a: &ExprMatrix,
    b: &ExprMatrix,
    budget: &Budget<'_>,
) -> Outcome<CheckedMatrix> {
    a.admit()?;
    b.admit()?;
    if a.columns() != b.rows() {
        return refuse(format!(
            "a matrix of {} by {} has no product with one of {} by {}",
            a.rows(),
            a.columns(),
            b.rows(),
            b.columns()
        ));
    }
    let all: Vec<Expr> = a.entries().iter().chain(b.entries()).cloned().collect();
    let Some(joined) = ExprMatrix::from_rows(vec![all]) else {
        return Err(SymbolicFault::Undefined);
    };
    let converted = convert_matrix(&joined, true, budget)?;
    let count = a.entries().len();
    let entries = in_ring!(converted, budget, |ring, rows, scale| {
        let (left, right) = rows[0].split_at(count);
        let left: Vec<_> = left.chunks(a.columns()).map(<[_]>::to_vec).collect();
        let right: Vec<_> = right.chunks(b.columns()).map(<[_]>::to_vec).collect();
        let square = ring.mul(&scale[0], &scale[0])?;
        quotients_of(&ring, &multiply_rows(&ring, &left, &right)?, &square)?
    });
    finish_product(a, b, entries, budget)
}

fn finish_product(
    a: &ExprMatrix,
    b: &ExprMatrix,
    rows: Vec<Vec<Expr>>,
    budget: &Budget<'_>,
) -> Outcome<CheckedMatrix> {
    let Some(product) = ExprMatrix::from_rows(rows) else {
        return Err(SymbolicFault::Undefined);
    };
    let product = product.map(|entry| shorten_entry(entry, budget))?;
    let points = check_product(a, b, &product, budget)?;
    let entries = a.entries().iter().chain(b.entries());
    Ok(CheckedMatrix {
        conditions: conditions_for(entries, &[], budget)?,
        matrix: product,
        points,
    })
}

pub(super) fn multiply_rows<R: EliminationRing>(
    ring: &R,
    a: &[Vec<R::Element>],
    b: &[Vec<R::Element>],
) -> Outcome<Vec<Vec<R::Element>>> {
    let columns = b.first().map_or(0, Vec::len);
    let mut rows = Vec::new();
    for row in a {
        let mut entries = Vec::new();
        for column in 0..columns {
            let mut total = ring.zero();
            for (left, right) in row.iter().zip(b) {
                total = ring.add(&total, &ring.mul(left, &right[column])?)?;
            }
            ring.budget().spend(row.len())?;
            entries.push(total);
        }
        rows.push(entries);
    }
    Ok(rows)
}

fn quotients_of<R: EliminationRing>(
    ring: &R,
    rows: &[Vec<R::Element>],
    divisor: &R::Element,
) -> Outcome<Vec<Vec<Expr>>> {
    rows.iter()
        .map(|row| {
            row.iter()
                .map(|entry| ring.quotient(entry, divisor))
                .collect()
        })
        .collect()
}

/// A whole power; of a negative exponent that of the inverse.
pub fn power_of(matrix: &ExprMatrix, exponent: i64, budget: &Budget<'_>) -> Outcome<CheckedMatrix> {
    matrix.admit_square()?;
    let entries = matrix.entries();
    let is_numeric = entries.iter().all(|entry| entry.as_number().is_some());
    let symbols = symbols_of(entries);
    let limit = match is_numeric {
        true => POWER_LIMIT,
        false => SYMBOLIC_POWER_LIMIT / (symbols.len() as i64).max(1),
    };
    if exponent.abs() > limit {
        return refuse(format!(
            "an exponent of such a matrix is at most {limit}, found {exponent}"
        ));
    }
    if exponent < 0 {
        let inverse = inverse_of(matrix, budget)?;
        let mut power = power_of(&inverse.matrix, -exponent, budget)?;
        power.conditions = inverse.conditions;
        return Ok(power);
    }
    let converted = convert_matrix(matrix, true, budget)?;
    let size = matrix.rows();
    let rows = in_ring!(converted, budget, |ring, rows, scale| {
        let (mut power, mut square, mut divisor) = (unit_rows(&ring, size), rows, ring.one());
        for _ in 0..exponent {
            divisor = ring.mul(&divisor, &scale[0])?;
        }
        let mut rest = exponent;
        while rest > 0 {
            if rest % 2 == 1 {
                power = multiply_rows(&ring, &power, &square)?;
            }
            rest /= 2;
            if rest > 0 {
                square = multiply_rows(&ring, &square, &square)?;
            }
        }
        quotients_of(&ring, &power, &divisor)?
    });
    let Some(power) = ExprMatrix::from_rows(rows) else {
        return Err(SymbolicFault::Undefined);
    };
    let power = power.map(|entry| shorten_entry(entry, budget))?;
    // The power is compared with the product of digits, factor by factor.
    let points = check_at_points(&symbols_of(matrix.entries()), budget, |point| {
        let (Some(base), Some(found)) = (point.matrix(matrix)?, point.matrix(&power)?) else {
            return Ok(None);
        };
        point.is_power(&base, exponent, &found).map(Some)
    })?;
    Ok(CheckedMatrix {
        conditions: conditions_for(matrix.entries(), &[], budget)?,
        matrix: power,
        points,
    })
}

pub(super) fn unit_rows<R: EliminationRing>(ring: &R, size: usize) -> Vec<Vec<R::Element>> {
    let entry = |row: usize, column: usize| ring.small(i64::from(row == column));
    (0..size)
        .map(|row| (0..size).map(|column| entry(row, column)).collect())
        .collect()
}
