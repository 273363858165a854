//! Entries as elements of the smallest ring that holds them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::ExprMatrix;
use crate::budget::{Budget, Outcome};
use crate::poly::fraction::KernelFraction;
use crate::poly::kernels::KernelTable;
use crate::poly::prepare::prepare;
use crate::poly::sparse::SparsePoly;
use crate::poly::sparse_gcd::sparse_gcd;
use crate::tree::integer::lcm_of;
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction};

/// A matrix in the ring of its entries.
pub(super) enum RingMatrix {
    /// Rows of whole numbers: each row times its factor.
    Whole {
        rows: Vec<Vec<BigInt>>,
        factors: Vec<BigInt>,
    },
    /// Rows of polynomials in the symbols of the table: each row times its factor.
    Polynomials {
        table: KernelTable,
        rows: Vec<Vec<SparsePoly>>,
        factors: Vec<SparsePoly>,
    },
    /// Fractions in kernels.
    Fractions {
        table: KernelTable,
        rows: Vec<Vec<KernelFraction>>,
    },
}

/// The table of kernels of all entries, and the entries as fractions in them.
pub(super) fn convert_entries(
    matrix: &ExprMatrix,
    leading: Option<&Expr>,
    budget: &Budget<'_>,
) -> Outcome<(KernelTable, Vec<Vec<KernelFraction>>)> {
    // All at once, so that circular functions have a common angle.
    let joined = Expr::call(MathFunction::Row, matrix.entries().to_vec());
    let prepared = prepare(&joined, budget)?;
    let entries: Vec<Expr> = match prepared.as_call() {
        Some((MathFunction::Row, entries)) => entries.to_vec(),
        _ => matrix.entries().to_vec(),
    };
    let references: Vec<&Expr> = entries.iter().chain(leading).collect();
    let table = KernelTable::of(&references, leading, budget)?;
    let converted: Outcome<Vec<KernelFraction>> = entries
        .iter()
        .map(|entry| {
            let fraction = table.convert(entry, budget)?;
            table.rationalise(fraction, budget)?.cancel(budget)
        })
        .collect();
    let rows = converted?
        .chunks(matrix.columns())
        .map(<[KernelFraction]>::to_vec)
        .collect();
    Ok((table, rows))
}

/// The matrix in the smallest ring. A common factor of all rows is used where `is_uniform`.
pub(super) fn convert_matrix(
    matrix: &ExprMatrix,
    is_uniform: bool,
    budget: &Budget<'_>,
) -> Outcome<RingMatrix> {
    let numbers: Option<Vec<&BigRational>> = matrix.entries().iter().map(Expr::as_number).collect();
    if let Some(numbers) = numbers {
        return Ok(whole_rows(&numbers, matrix.columns(), is_uniform));
    }
    let (table, rows) = convert_entries(matrix, None, budget)?;
    let is_independent = table.relations.iter().all(Option::is_none)
        && table.kernels.iter().all(|kernel| {
            matches!(
                kernel.node(),
                ExprNode::Symbol(_) | ExprNode::Constant(MathConstant::Pi)
            )
        });
    if !is_independent {
        return Ok(RingMatrix::Fractions { table, rows });
    }
    let common = |row: &[KernelFraction], start: SparsePoly| -> Outcome<SparsePoly> {
        row.iter()
            .try_fold(start, |all, entry| lcm_poly(&all, &entry.den, budget))
    };
    let one = SparsePoly::one(table.count());
    let mut factors = Vec::new();
    for row in &rows {
        factors.push(common(row, one.clone())?);
    }
    if is_uniform {
        let mut all = one;
        for factor in &factors {
            all = lcm_poly(&all, factor, budget)?;
        }
        factors = vec![all; rows.len()];
    }
    let mut cleared = Vec::new();
    for (row, factor) in rows.iter().zip(&factors) {
        let mut entries = Vec::new();
        for entry in row {
            let share = factor.div_exact(&entry.den, budget)?;
            let share = share.unwrap_or_else(|| factor.clone());
            entries.push(entry.num.mul(&share, budget)?);
        }
        cleared.push(entries);
    }
    Ok(RingMatrix::Polynomials {
        table,
        rows: cleared,
        factors,
    })
}

fn whole_rows(numbers: &[&BigRational], columns: usize, is_uniform: bool) -> RingMatrix {
    let common = |row: &[&BigRational]| {
        row.iter()
            .fold(BigInt::one(), |all, value| lcm_of(&all, value.denom()))
    };
    let mut factors: Vec<BigInt> = numbers.chunks(columns).map(common).collect();
    if is_uniform {
        factors = vec![common(numbers); factors.len()];
    }
    let rows = numbers.chunks(columns).zip(&factors).map(|(row, factor)| {
        row.iter()
            .map(|value| value.numer() * (factor / value.denom()))
            .collect()
    });
    RingMatrix::Whole {
        rows: rows.collect(),
        factors,
    }
}

/// The least common multiple.
pub(super) fn lcm_poly(a: &SparsePoly, b: &SparsePoly, budget: &Budget<'_>) -> Outcome<SparsePoly> {
    if b.as_constant().is_some() {
        return Ok(a.clone());
    }
    let common = sparse_gcd(a, b, budget)?;
    let rest = b.div_exact(&common, budget)?.unwrap_or_else(|| b.clone());
    a.mul(&rest, budget)
}

/// Does work in the ring of a matrix: the body is compiled once for each ring.
macro_rules! in_ring {
    ($matrix:expr, $budget:expr, |$ring:ident, $rows:ident, $scale:ident| $body:expr) => {
        match $matrix {
            RingMatrix::Whole {
                rows: $rows,
                factors,
            } => {
                let $ring = WholeRing { budget: $budget };
                let $scale = factors;
                $body
            }
            RingMatrix::Polynomials {
                table,
                rows: $rows,
                factors,
            } => {
                let $ring = PolynomialRing {
                    table: &table,
                    budget: $budget,
                };
                let $scale = factors;
                $body
            }
            RingMatrix::Fractions { table, rows: $rows } => {
                let $ring = KernelField {
                    table: &table,
                    budget: $budget,
                    has_hidden_zeros: true,
                };
                let $scale = vec![$ring.one(); $rows.len()];
                $body
            }
        }
    };
}

pub(super) use in_ring;
