//! Balancing: a similarity by powers of two, which is exact, that brings rows and columns to the same size.
//!
//! # Reference
//! R. James, J. Langou, B. R. Lowery, "On matrix balancing and eigenvector computation", arXiv:1401.5766, 2014 (LAPACK xGEBAL with
//! 2-norms). Rows and columns are not permuted.

use faer::Mat;

use crate::dense::scaled;

/// Sweeps over all rows and columns; a few suffice.
const SWEEPS_MAX: usize = 50;
/// The sum of both sizes must fall below this share, or the scaling is not worth its rounding of nothing.
const GAIN: f64 = 0.95;
/// No scale leaves this range of powers of two.
const EXPONENT_MAX: i32 = 400;

/// Scales `D^-1 A D` so that rows and columns have 2-norms of the same size; returns the exponents of `D`.
pub fn balance(a: &mut Mat<f64>) -> Vec<i32> {
    let n = a.nrows();
    let mut exponents = vec![0; n];
    for _ in 0..SWEEPS_MAX {
        let mut changed = false;
        for index in 0..n {
            let others = || (0..n).filter(|&other| other != index);
            let entries = a.col_as_slice(index);
            let column = size_of(others().map(|row| entries[row]));
            let row = size_of(others().map(|column| a[(index, column)]));
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let shift = ((row / column).log2() / 2.0).round() as i32;
            let grown = scaled(column, shift) + scaled(row, -shift);
            let total: i32 = exponents[index] + shift;
            if shift == 0 || grown >= GAIN * (column + row) || total.abs() > EXPONENT_MAX {
                continue;
            }
            changed = true;
            exponents[index] = total;
            for other in others() {
                a[(other, index)] = scaled(a[(other, index)], shift);
                a[(index, other)] = scaled(a[(index, other)], -shift);
            }
        }
        if !changed {
            break;
        }
    }
    exponents
}

/// The Euclidean norm of a few numbers, without overflow or underflow on the way.
fn size_of(entries: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = entries
        .clone()
        .fold(0.0_f64, |most, entry| most.max(entry.abs()));
    if most == 0.0 {
        return 0.0;
    }
    most * entries
        .map(|entry| (entry / most).powi(2))
        .sum::<f64>()
        .sqrt()
}
