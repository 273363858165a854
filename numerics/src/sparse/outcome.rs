//! Normalised right-hand sides and column residuals, for direct and iterative solutions.

use super::system::{SparseEvidence, SparseJob, SparseMethod, SparseSolution};
use super::{CsrMatrix, SparseError, reserve_doubles};
use crate::dense::scaling::Equilibration;
use crate::dense::{euclidean_norm, exponent_of, max_abs, scale_by_exponent};
use crate::watch::Watch;

impl SparseJob<'_> {
    /// One right-hand side brought to size 1 by a power of two, with its exponent, after the scaling of the rows.
    pub(super) fn column(&self, column: usize, rows: Option<&[i32]>) -> (Vec<f64>, i32) {
        let shift = |row: usize| rows.map_or(0, |rows| rows[row]);
        let entries = || self.b.iter().skip(column).step_by(self.k).enumerate();
        let present = entries().filter(|(_, entry)| **entry != 0.0);
        let sizes = present.map(|(row, entry)| exponent_of(entry.abs()) + shift(row));
        let exponent = sizes.max().unwrap_or(0);
        let moved = entries().map(|(row, &entry)| scale_by_exponent(entry, shift(row) - exponent));
        (moved.collect(), exponent)
    }
}

pub(super) fn restore_scale(
    x: &[f64],
    shift: impl Fn(usize) -> i32,
) -> Result<Vec<f64>, SparseError> {
    let moved = |(row, &value): (usize, &f64)| scale_by_exponent(value, shift(row));
    let out: Vec<f64> = x.iter().enumerate().map(moved).collect();
    if out.iter().all(|value| value.is_finite()) {
        return Ok(out);
    }
    Err(SparseError::Overflow)
}

/// The solution as its columns come.
pub(super) struct SolutionColumns {
    k: usize,
    a_norm: f64,
    x: Vec<f64>,
    residual: f64,
    relative_residual: f64,
    backward_error: f64,
}

impl SolutionColumns {
    pub(super) fn new(a: &CsrMatrix, k: usize) -> Self {
        let x = vec![0.0; a.row_count() * k];
        Self {
            k,
            a_norm: a.norm_max(),
            x,
            residual: 0.0,
            relative_residual: 0.0,
            backward_error: 0.0,
        }
    }

    pub(super) fn add(&mut self, column: usize, b: &[f64], x: Vec<f64>, rest: &[f64]) {
        let rhs: Vec<f64> = b.iter().skip(column).step_by(self.k).copied().collect();
        let (size, whole) = (euclidean_norm(rest), euclidean_norm(&rhs));
        self.residual = libm::hypot(self.residual, size);
        if whole > 0.0 {
            self.relative_residual = self.relative_residual.max(size / whole);
        }
        let scale = self.a_norm * max_abs(&x) + max_abs(&rhs);
        if scale > 0.0 {
            self.backward_error = self.backward_error.max(max_abs(rest) / scale);
        }
        if self.k == 1 {
            self.x = x;
            return;
        }
        let own = self.x.iter_mut().skip(column).step_by(self.k);
        own.zip(x).for_each(|(out, value)| *out = value);
    }

    pub(super) fn finish(self, method: SparseMethod, evidence: SparseEvidence) -> SparseSolution {
        SparseSolution {
            x: self.x,
            residual: self.residual,
            relative_residual: self.relative_residual,
            backward_error: self.backward_error,
            method,
            evidence,
            abandoned: Vec::new(),
        }
    }
}

pub(super) fn scaled_copy(
    a: &CsrMatrix,
    scaling: &Equilibration,
    watch: &dyn Watch,
) -> Result<Option<CsrMatrix>, SparseError> {
    if !scaling.used {
        return Ok(None);
    }
    let doubles = 2 * a.nonzeros() + a.row_count();
    reserve_doubles(watch, "the scaled matrix", doubles)?;
    Ok(Some(a.clone().scaled(&scaling.rows, &scaling.columns)))
}
