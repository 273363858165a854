//! Sparse systems by factors: scaling, refinement, condition and error.

use std::cell::Cell;

use super::cholesky::{CholeskyPlan, SparseCholesky};
use super::lu::SparseLu;
use super::outcome::{SolutionColumns, restore_scale, scaled_copy};
use super::system::{DirectBudget, SparseEvidence, SparseJob, SparseMethod, SparseSolution};
use super::{CsrMatrix, SparseError, go_on, reserve_doubles};
use crate::dense::condition::{LinearOperator, reciprocal_condition, weighted_inverse_norm};
use crate::dense::refinement::{refine_solution, size_in};
use crate::dense::scaling::Equilibration;
use crate::dense::system::{RCOND_DOUBTFUL, unknown_units};
use crate::dense::{dependent_column, max_abs, scale_by_exponent};
use crate::watch::Watch;

impl SparseJob<'_> {
    pub(super) fn by_cholesky(
        &self,
        cheap: Option<DirectBudget>,
    ) -> Result<SparseSolution, SparseError> {
        const WHAT: &str = "the Cholesky factorisation";
        self.check_definite()?;
        // 24 bytes per entry, so that no machine has room for more.
        const FILL_MAX: usize = 1 << 40;
        let scaling = symmetric_scaling(self.a);
        let scaled_copy = scaled_copy(self.a, &scaling, self.watch)?;
        let matrix = scaled_copy.as_ref().unwrap_or(self.a);
        let fill_max = cheap.map_or(FILL_MAX, |cheap| cheap.fill);
        let too_much = |operations| SparseError::Cost {
            what: WHAT,
            operations,
        };
        let plan =
            CholeskyPlan::new(matrix, fill_max, self.watch)?.ok_or(too_much(fill_max as f64))?;
        if let Some(cheap) = cheap.filter(|cheap| plan.operations > cheap.operations) {
            return Err(too_much(cheap.operations));
        }
        let factors = SparseCholesky::new(matrix, plan, self.watch)?;
        let fill = factors.fill();
        self.by_factors(
            SparseMethod::Cholesky,
            matrix,
            &scaling,
            &factors,
            fill,
            None,
        )
    }

    pub(super) fn by_lu(&self, operations_max: f64) -> Result<SparseSolution, SparseError> {
        let scaling = general_scaling(self.a);
        let scaled_copy = scaled_copy(self.a, &scaling, self.watch)?;
        let matrix = scaled_copy.as_ref().unwrap_or(self.a);
        let factors = SparseLu::new(matrix, operations_max, self.watch)?;
        let (fill, growth) = (factors.fill(), factors.growth());
        self.by_factors(
            SparseMethod::Lu,
            matrix,
            &scaling,
            &factors,
            fill,
            Some(growth),
        )
    }

    /// The column that makes a small matrix exactly singular.
    fn dependent_column(&self) -> Option<usize> {
        const SIZE_MAX: usize = 100;
        let n = self.a.row_count();
        if n > SIZE_MAX {
            return None;
        }
        let mut full = vec![0.0; n * n];
        for row in 0..n {
            let (columns, values) = self.a.row(row);
            let entries = columns.iter().zip(values);
            entries.for_each(|(&column, value)| full[row * n + column as usize] += value);
        }
        dependent_column(&full, n)
    }

    fn by_factors(
        &self,
        method: SparseMethod,
        matrix: &CsrMatrix,
        scaling: &Equilibration,
        factors: &dyn LinearOperator,
        fill: usize,
        growth: Option<f64>,
    ) -> Result<SparseSolution, SparseError> {
        let n = matrix.row_count();
        reserve_doubles(self.watch, "the solution", n * (3 * self.k + 16))?;
        let factors = StoppableOperator {
            inner: factors,
            watch: self.watch,
            stopped: Cell::new(false),
        };
        let rcond = reciprocal_condition(&factors, matrix.norm1());
        factors.check()?;
        if rcond < RCOND_DOUBTFUL
            && let Some(column) = self.dependent_column()
        {
            return Err(SparseError::Singular(column));
        }
        let units = unknown_units(&scaling.columns);
        let mut sums = SolutionColumns::new(self.a, self.k);
        let mut weights = vec![0.0_f64; n];
        let (mut refinements, mut error_estimate) = (0, 0.0_f64);
        for column in 0..self.k {
            let (rhs, exponent) = self.column(column, Some(&scaling.rows));
            let mut start = rhs.clone();
            factors.apply(&mut start);
            factors.check()?;
            if start.iter().any(|value| !value.is_finite()) {
                return Err(SparseError::Overflow);
            }
            let found = refine_solution(
                &factors,
                |x, b| matrix.precise_residual(x, b),
                &rhs,
                start,
                &units,
            );
            factors.check()?;
            refinements = refinements.max(found.refinements);
            error_estimate = error_estimate.max(found.error_estimate);
            raise_weights(
                &mut weights,
                matrix,
                &rhs,
                &found.x,
                &found.rest,
                size_in(&units, &found.x),
            );
            let x = restore_scale(&found.x, |row| exponent + scaling.columns[row])?;
            let rest: Vec<f64> = found
                .rest
                .iter()
                .enumerate()
                .map(|(row, &r)| scale_by_exponent(r, exponent - scaling.rows[row]))
                .collect();
            sums.add(column, self.b, x, &rest);
        }
        let error_bound = weighted_inverse_norm(&factors, &units, &weights);
        factors.check()?;
        let evidence = SparseEvidence::Direct {
            rcond,
            error_estimate,
            error_bound,
            fill,
            growth,
            refinements,
            equilibrated: scaling.used,
        };
        Ok(sums.finish(method, evidence))
    }
}

/// Checks the limits before each solve and skips the solve beyond them.
struct StoppableOperator<'a> {
    inner: &'a dyn LinearOperator,
    watch: &'a dyn Watch,
    stopped: Cell<bool>,
}

impl StoppableOperator<'_> {
    fn check(&self) -> Result<(), SparseError> {
        if self.stopped.get() {
            return Err(SparseError::Stopped);
        }
        go_on(self.watch)
    }

    fn goes_on(&self) -> bool {
        if self.watch.check().is_err() {
            self.stopped.set(true);
        }
        !self.stopped.get()
    }
}

impl LinearOperator for StoppableOperator<'_> {
    fn size(&self) -> usize {
        self.inner.size()
    }

    fn apply(&self, x: &mut [f64]) {
        if self.goes_on() {
            self.inner.apply(x);
        }
    }

    fn apply_transposed(&self, x: &mut [f64]) {
        if self.goes_on() {
            self.inner.apply_transposed(x);
        }
    }
}

/// Raises the uncertainty of each residual, relative to the size of its solution: what it is, and half a unit in the last place
/// of every entry.
fn raise_weights(
    weights: &mut [f64],
    a: &CsrMatrix,
    b: &[f64],
    x: &[f64],
    rest: &[f64],
    size: f64,
) {
    const ROUNDOFF: f64 = f64::EPSILON / 2.0;
    if size == 0.0 {
        return;
    }
    let images = a.absolute_product(x);
    for (row, weight) in weights.iter_mut().enumerate() {
        let uncertain = rest[row].abs() + ROUNDOFF * (images[row] + b[row].abs());
        *weight = weight.max(uncertain / size);
    }
}

/// As [`Equilibration::of`].
fn general_scaling(a: &CsrMatrix) -> Equilibration {
    let n = a.row_count();
    let row_sizes: Vec<f64> = (0..n).map(|row| max_abs(a.row(row).1)).collect();
    let rows = Equilibration::exponents(&row_sizes).unwrap_or_else(|| vec![0; n]);
    let mut sizes = vec![0.0_f64; n];
    for (row, &exponent) in rows.iter().enumerate() {
        let (columns, values) = a.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            let size = &mut sizes[column as usize];
            *size = size.max(scale_by_exponent(value, exponent).abs());
        }
    }
    let columns = Equilibration::exponents(&sizes).unwrap_or_else(|| vec![0; n]);
    Equilibration::with(rows, columns)
}

/// As [`Equilibration::symmetric`].
fn symmetric_scaling(a: &CsrMatrix) -> Equilibration {
    let half: Vec<i32> = Equilibration::exponents(&a.diagonal()).map_or_else(
        || vec![0; a.row_count()],
        |exponents| {
            exponents
                .iter()
                .map(|exponent| exponent.div_euclid(2))
                .collect()
        },
    );
    Equilibration::with(half.clone(), half)
}
