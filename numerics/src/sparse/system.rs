//! Sparse square systems: the method chosen by the matrix, and error estimates.

use super::{CsrMatrix, IndefiniteEvidence, SparseError};
use crate::watch::Watch;

/// Method for a sparse system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SparseMethod {
    /// `L L'` of a symmetric positive definite matrix.
    Cholesky,
    /// Elimination with partial pivoting.
    Lu,
    /// Conjugate gradients.
    ConjugateGradient,
    /// Restarted GMRES.
    Gmres,
}

/// Preconditioner of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreconditionerMethod {
    /// Not at all.
    None,
    /// By the diagonal.
    Jacobi,
    /// By a Cholesky factor without fill.
    IncompleteCholesky,
    /// By LU factors without fill.
    IncompleteLu,
    /// By a cycle of smoothed aggregation multigrid.
    Multigrid,
}

/// Options of the caller.
#[derive(Debug, Clone, Copy)]
pub struct SparseOptions {
    /// `None` looks at the matrix.
    pub method: Option<SparseMethod>,
    /// `None` takes multigrid for conjugate gradients and ILU(0), or the diagonal where that fails, for GMRES.
    pub preconditioning: Option<PreconditionerMethod>,
    /// Largest `|b - A x| / |b|` of an iteration, greater than 0.
    pub tolerance: f64,
    /// Most iterations per right-hand side.
    pub iterations_max: usize,
    /// Steps of GMRES before it starts again.
    pub restart: usize,
}

impl Default for SparseOptions {
    fn default() -> Self {
        Self {
            method: None,
            preconditioning: None,
            tolerance: 1e-10,
            iterations_max: 10_000,
            restart: 50,
        }
    }
}

/// A solution and its evidence. Norms over several right-hand sides are Frobenius norms.
#[derive(Debug, Clone)]
pub struct SparseSolution {
    /// n x k, row by row.
    pub x: Vec<f64>,
    /// `|B - A X|`.
    pub residual: f64,
    /// Largest over the columns of `|b - A x| / |b|`; 0 for a column of zeros.
    pub relative_residual: f64,
    /// Largest over the columns of `|b - A x| / (|A| |x| + |b|)` in maximum norms.
    pub backward_error: f64,
    /// Method used.
    pub method: SparseMethod,
    /// Evidence of the method.
    pub evidence: SparseEvidence,
    /// Methods tried before, with the reason each was abandoned.
    pub abandoned: Vec<(SparseMethod, SparseError)>,
}

/// Evidence besides the residual.
#[derive(Debug, Clone, PartialEq)]
pub enum SparseEvidence {
    /// Of factors.
    Direct {
        /// The estimate of `1 / (|A|_1 |A^-1|_1)` of the matrix as factored.
        rcond: f64,
        /// As [`crate::dense::system::DenseSolution::error_estimate`].
        error_estimate: f64,
        /// As [`crate::dense::system::DenseSolution::error_bound`].
        error_bound: f64,
        /// Entries of the factors.
        fill: usize,
        /// Growth of the elimination, where rows are exchanged.
        growth: Option<f64>,
        /// Steps of refinement that were kept.
        refinements: usize,
        /// Whether rows or columns were scaled before factoring.
        equilibrated: bool,
    },
    /// Of an iteration.
    Iterative {
        /// Preconditioner used.
        preconditioning: PreconditionerMethod,
        /// Most over the columns.
        iterations: usize,
        /// Largest over the columns of the estimated `|x - A^-1 b| / |x|` in the energy norm; conjugate gradients only.
        error_estimate: Option<f64>,
    },
}

/// Solves the square system for `k` right-hand sides; `b` is n x k, row by row.
///
/// # Method
/// Without a method: a symmetric matrix with positive diagonal is factored by Cholesky while that is cheap, else solved by
/// conjugate gradients with multigrid, else by Cholesky at any cost; one that turns out indefinite, and any other, by LU
/// while that is cheap, else by GMRES, else by LU. Direct solutions are refined with residuals in doubled precision; rows and
/// columns are scaled by powers of two where their sizes differ by more than 2^26.
///
/// # Errors
/// [`SparseError`]; of several methods that were tried, the error of the last.
///
/// # Panics
/// When `a` is not square or `b` has not n k entries.
pub fn solve_sparse_system(
    a: &CsrMatrix,
    b: &[f64],
    k: usize,
    options: &SparseOptions,
    watch: &dyn Watch,
) -> Result<SparseSolution, SparseError> {
    let n = a.row_count();
    assert!(
        a.column_count() == n && b.len() == n * k,
        "a square matrix and n k right-hand sides"
    );
    check_structure(a)?;
    let job = SparseJob {
        a,
        b,
        k,
        options,
        watch,
    };
    match options.method {
        Some(method) => job.by(method, None),
        None => job.by_matrix(),
    }
}

fn check_structure(a: &CsrMatrix) -> Result<(), SparseError> {
    if a.values().iter().any(|value| !value.is_finite()) {
        return Err(SparseError::Overflow);
    }
    let mut rows = a.starts().windows(2);
    if let Some(row) = rows.position(|bounds| bounds[0] == bounds[1]) {
        return Err(SparseError::EmptyRow(row));
    }
    let mut present = vec![false; a.column_count()];
    for &column in a.columns() {
        present[column as usize] = true;
    }
    match present.iter().position(|&present| !present) {
        Some(column) => Err(SparseError::EmptyColumn(column)),
        None => Ok(()),
    }
}

/// One system, and what the caller chose and allows.
pub(super) struct SparseJob<'a> {
    pub(super) a: &'a CsrMatrix,
    pub(super) b: &'a [f64],
    pub(super) k: usize,
    pub(super) options: &'a SparseOptions,
    pub(super) watch: &'a dyn Watch,
}

/// Cost of a direct factorisation beyond which an iteration is tried first.
#[derive(Debug, Clone, Copy)]
pub(super) struct DirectBudget {
    pub(super) fill: usize,
    pub(super) operations: f64,
}

impl SparseJob<'_> {
    /// Up to a few tenths of a second, with about twenty solves for the condition and the error.
    const CHEAP_CHOLESKY: DirectBudget = DirectBudget {
        fill: 1_500_000,
        operations: 3e8,
    };
    /// Up to a few seconds, since GMRES may fail.
    const CHEAP_LU: f64 = 2e9;
    /// Larger matrices are ordered only when they have a narrow band: ordering takes longer than the iteration.
    const ORDERED_MAX: usize = 200_000;
    const NARROW: usize = 64;

    fn by_matrix(&self) -> Result<SparseSolution, SparseError> {
        let mut abandoned = Vec::new();
        let definite = self.a.asymmetry().is_none() && first_not_positive(self.a).is_none();
        if definite {
            let n = self.a.row_count();
            let DirectBudget { fill, operations } = Self::CHEAP_CHOLESKY;
            // Little fill for the size is cheap too.
            let fill = fill.max(2 * self.a.nonzeros());
            let cheap = Some(DirectBudget { fill, operations });
            let small = n <= Self::ORDERED_MAX || matrix_bandwidth(self.a) <= Self::NARROW;
            let tries = [
                (SparseMethod::Cholesky, cheap, small),
                (SparseMethod::ConjugateGradient, None, true),
                (SparseMethod::Cholesky, None, true),
            ];
            for (method, cheap, wanted) in tries {
                if !wanted || is_indefinite(&abandoned) {
                    continue;
                }
                match self.by(method, cheap) {
                    Ok(found) => return Ok(SparseSolution { abandoned, ..found }),
                    Err(err) if !leaves_another(&err) => return Err(err),
                    Err(err) => abandoned.push((method, err)),
                }
            }
            if !is_indefinite(&abandoned) {
                return Err(last_error(abandoned));
            }
        }
        let cheap = Some(DirectBudget {
            fill: usize::MAX,
            operations: Self::CHEAP_LU,
        });
        for (method, cheap) in [
            (SparseMethod::Lu, cheap),
            (SparseMethod::Gmres, None),
            (SparseMethod::Lu, None),
        ] {
            match self.by(method, cheap) {
                Ok(found) => return Ok(SparseSolution { abandoned, ..found }),
                Err(err) if !leaves_another(&err) => return Err(err),
                Err(err) => abandoned.push((method, err)),
            }
        }
        Err(last_error(abandoned))
    }

    fn by(
        &self,
        method: SparseMethod,
        cheap: Option<DirectBudget>,
    ) -> Result<SparseSolution, SparseError> {
        match method {
            SparseMethod::Cholesky => self.by_cholesky(cheap),
            SparseMethod::Lu => self.by_lu(cheap.map_or(f64::INFINITY, |cheap| cheap.operations)),
            SparseMethod::ConjugateGradient => {
                self.check_definite()?;
                let named = self.options.preconditioning;
                self.by_iteration(method, named.unwrap_or(PreconditionerMethod::Multigrid))
            }
            SparseMethod::Gmres => match self.options.preconditioning {
                Some(named) => self.by_iteration(method, named),
                None => self.by_default_gmres(),
            },
        }
    }

    fn by_default_gmres(&self) -> Result<SparseSolution, SparseError> {
        let tries = [
            PreconditionerMethod::IncompleteLu,
            PreconditionerMethod::Jacobi,
            PreconditionerMethod::None,
        ];
        let mut last = None;
        for kind in tries {
            match self.by_iteration(SparseMethod::Gmres, kind) {
                Err(err @ SparseError::Breakdown { .. }) => last = Some(better_error(last, err)),
                Err(SparseError::NoConvergence(best)) if best.stagnated => {
                    last = Some(better_error(last, SparseError::NoConvergence(best)));
                }
                other => return other,
            }
        }
        Err(last.unwrap_or(SparseError::Stopped))
    }

    pub(super) fn check_definite(&self) -> Result<(), SparseError> {
        if let Some((row, column)) = self.a.asymmetry() {
            return Err(SparseError::NotSymmetric { row, column });
        }
        match first_not_positive(self.a) {
            Some(row) => Err(SparseError::NotPositiveDefinite(
                IndefiniteEvidence::Diagonal(row),
            )),
            None => Ok(()),
        }
    }
}

/// The first diagonal entry that is not greater than zero.
fn first_not_positive(a: &CsrMatrix) -> Option<usize> {
    (0..a.row_count()).find(|&row| a.get(row, row) <= 0.0)
}

/// The largest distance of an entry from the diagonal.
fn matrix_bandwidth(a: &CsrMatrix) -> usize {
    let of_row = |row: usize| {
        let columns = a.row(row).0;
        let ends = columns.first().into_iter().chain(columns.last());
        ends.map(move |&column| (column as usize).abs_diff(row))
    };
    (0..a.row_count()).flat_map(of_row).max().unwrap_or(0)
}

fn is_indefinite(abandoned: &[(SparseMethod, SparseError)]) -> bool {
    let mut errors = abandoned.iter().map(|(_, err)| err);
    errors.any(|err| matches!(err, SparseError::NotPositiveDefinite(_)))
}

/// Whether another method may do better: not after a stop, nor where the matrix itself is at fault.
fn leaves_another(err: &SparseError) -> bool {
    matches!(
        err,
        SparseError::NotPositiveDefinite(_)
            | SparseError::NoConvergence(_)
            | SparseError::Breakdown { .. }
            | SparseError::Cost { .. }
            | SparseError::Memory { .. }
    )
}

/// The best that an iteration reached says more than the limit that stopped a factorisation.
fn last_error(abandoned: Vec<(SparseMethod, SparseError)>) -> SparseError {
    let errors = abandoned.into_iter().map(|(_, err)| err);
    let best = errors.reduce(|last, err| better_error(Some(last), err));
    best.unwrap_or(SparseError::Stopped)
}

fn better_error(last: Option<SparseError>, err: SparseError) -> SparseError {
    match (last, err) {
        (Some(SparseError::NoConvergence(one)), SparseError::NoConvergence(other)) => {
            let first = one.residual <= other.residual;
            SparseError::NoConvergence(if first { one } else { other })
        }
        (Some(one @ SparseError::NoConvergence(_)), _) => one,
        (_, err) => err,
    }
}
