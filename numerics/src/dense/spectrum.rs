//! Eigenvalues beyond the standard problem: left vectors, and pairs of matrices.

use std::panic::{AssertUnwindSafe, catch_unwind};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::{gevd, temp_mat_scratch};
use faer::{Mat, MatRef, Par, Spec, diag::Diag};

use super::cholesky::Cholesky;
use super::general::{eigenvector_option, large_eigen};
use super::{RawEigen, SpectralConvergenceError, symmetric_eigen};

const PAR: Par = Par::Seq;

/// Eigenvalues of a general real matrix with right and left vectors, both in the packing of [`RawEigen`]: the left ones, `y' A =
/// lambda y'` without conjugation, or with it.
///
/// # Errors
/// [`SpectralConvergenceError`].
pub fn two_sided(a: MatRef<'_, f64>) -> Result<(RawEigen, Mat<f64>), SpectralConvergenceError> {
    let (found, left) = large_eigen(a, [true, true], PAR)?;
    Ok((found, left.expect("left vectors were requested")))
}

/// Eigenvalues of `A v = lambda B v` for symmetric A and the Cholesky factor of a symmetric positive definite B; vectors with
/// `v' B v = 1` in the columns. Ascending.
///
/// # Accuracy
/// The error grows with the condition of B.
///
/// # Errors
/// [`SpectralConvergenceError`].
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 8.7.2.
pub fn symmetric_definite(
    a: MatRef<'_, f64>,
    factor: &Cholesky,
    vectors: bool,
) -> Result<(Vec<f64>, Option<Mat<f64>>), SpectralConvergenceError> {
    use faer::linalg::triangular_solve as triangular;
    let n = a.nrows();
    let lower = factor.packed.as_ref();
    // C = L^-1 A L^-T, made symmetric again after rounding.
    let mut half = a.to_owned();
    triangular::solve_lower_triangular_in_place(lower, half.as_mut(), PAR);
    let mut c = half.transpose().to_owned();
    triangular::solve_lower_triangular_in_place(lower, c.as_mut(), PAR);
    let c = Mat::from_fn(n, n, |row, column| {
        (c[(row, column)] + c[(column, row)]) / 2.0
    });
    let (values, basis) = symmetric_eigen(c.as_ref(), vectors)?;
    let basis = basis.map(|mut basis| {
        triangular::solve_upper_triangular_in_place(lower.transpose(), basis.as_mut(), PAR);
        basis
    });
    Ok((values, basis))
}

/// Eigenvalues `alpha / beta` of a pair of real matrices.
#[derive(Debug)]
pub struct RawPair {
    /// Numerators, and vectors packed as in [`RawEigen`].
    pub alpha: RawEigen,
    /// Denominators, not negative; 0 represents an infinite eigenvalue.
    pub beta: Vec<f64>,
}

/// Eigenvalues of `A v = lambda B v` for any real pair, by the QZ iteration.
///
/// # Errors
/// [`SpectralConvergenceError`], also where the library panics.
///
/// # References
/// C. B. Moler, G. W. Stewart, "An algorithm for generalized matrix eigenvalue problems", SIAM J. Numer. Anal. 10, 1973.
pub fn generalised_eigen(
    a: Mat<f64>,
    b: Mat<f64>,
    vectors: bool,
) -> Result<RawPair, SpectralConvergenceError> {
    let n = a.nrows();
    let (mut a, mut b) = (a, b);
    let (mut real, mut imaginary) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let mut beta = Diag::<f64>::zeros(n);
    let mut basis = vectors.then(|| Mat::<f64>::identity(n, n));
    let params = Spec::default();
    let (none, wanted) = (eigenvector_option(false), eigenvector_option(vectors));
    // The library counts too little for its vectors of a conjugate pair where n is 1 or 2.
    let scratch =
        gevd::gevd_scratch::<f64>(n, none, wanted, PAR, params).and(temp_mat_scratch::<f64>(n, 2));
    let mut memory = MemBuffer::new(scratch);
    let decompose = AssertUnwindSafe(|| {
        gevd::gevd_real(
            a.as_mut(),
            b.as_mut(),
            real.as_mut(),
            imaginary.as_mut(),
            beta.as_mut(),
            None,
            basis.as_mut().map(Mat::as_mut),
            PAR,
            MemStack::new(&mut memory),
            params,
        )
    });
    let failed = SpectralConvergenceError {
        what: "the eigenvalues of the pair",
    };
    let found = catch_unwind(decompose).map_err(|_| failed)?;
    found.map_err(|_| failed)?;
    Ok(RawPair {
        alpha: RawEigen::of(&real, &imaginary, basis),
        beta: (0..n).map(|index| beta[index]).collect(),
    })
}
