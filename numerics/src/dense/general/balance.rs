//! Balancing: a similarity by powers of two, which is exact, that brings rows and columns to the same size.
//!
//! # Reference
//! R. James, J. Langou, B. R. Lowery, "On matrix balancing and eigenvector computation", arXiv:1401.5766, 2014 (LAPACK xGEBAL with
//! 2-norms). Rows and columns are not permuted.

use faer::Mat;

use crate::dense::{euclidean_norm, exponent_of, scale_by_exponent};

/// Sweeps over all rows and columns; a few suffice.
const SWEEPS_MAX: usize = 50;
/// The sum of both sizes must fall below this share, or the scaling is not worth its rounding of nothing.
const GAIN: f64 = 0.95;
/// No scale leaves this range of powers of two.
const EXPONENT_MAX: i32 = 400;

/// Scales `D^-1 A D` so that rows and columns have 2-norms of the same size; returns the exponents of `D`.
pub fn balance_matrix(a: &mut Mat<f64>) -> Vec<i32> {
    let n = a.nrows();
    let mut exponents = vec![0; n];
    let mut beside = Vec::with_capacity(n);
    for _ in 0..SWEEPS_MAX {
        let mut changed = false;
        for index in 0..n {
            let others = || (0..n).filter(|&other| other != index);
            let entries = a.col_as_slice(index);
            beside.clear();
            beside.extend(others().map(|row| entries[row]));
            let column = size_of(&beside);
            beside.clear();
            beside.extend(others().map(|column| a[(index, column)]));
            let row = size_of(&beside);
            if column == 0.0 || row == 0.0 {
                continue;
            }
            // Half of the logarithm of the ratio, without the rounding of a logarithm.
            let shift = (exponent_of(row / column) + 1).div_euclid(2);
            let grown = scale_by_exponent(column, shift) + scale_by_exponent(row, -shift);
            let total: i32 = exponents[index] + shift;
            if shift == 0 || grown >= GAIN * (column + row) || total.abs() > EXPONENT_MAX {
                continue;
            }
            changed = true;
            exponents[index] = total;
            for other in others() {
                a[(other, index)] = scale_by_exponent(a[(other, index)], shift);
                a[(index, other)] = scale_by_exponent(a[(index, other)], -shift);
            }
        }
        if !changed {
            break;
        }
    }
    exponents
}

/// The Euclidean norm; the careful one only where squares leave the range.
fn size_of(entries: &[f64]) -> f64 {
    const ORDINARY: std::ops::Range<f64> = 1e-200..1e200;
    let sum: f64 = entries.iter().map(|entry| entry * entry).sum();
    if ORDINARY.contains(&sum) {
        return sum.sqrt();
    }
    euclidean_norm(entries)
}
