//! Eigenvalues and eigenvectors of general real matrices.
//!
//! # Method
//! Balancing, reduction to Hessenberg form, and QR steps to the real Schur form: by double shifts up to [`SMALL`] rows, by many shifts and
//! aggressive deflation (faer) above. Vectors by back substitution. Vectors that do not satisfy their equation to
//! working precision - of graded matrices above [`SMALL`] rows, or where balancing did harm - are found again by double shifts on the
//! matrix as it is.

mod balance;
mod francis;
mod hessenberg;
mod vectors;

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::{Mat, MatRef, Par, Spec};

pub use self::balance::balance_matrix;
use super::{
    NO_EIGENVALUES, SpectralConvergenceError, all_scaled, euclidean_norm, exponent_of,
    matrix_product, scale_by_exponent, shared_by, two_parts_from,
};

/// Rows up to which the double-shift iteration is the faster one.
const SMALL: usize = 200;
/// Rows from which on the work is cut in two parts.
const SHARED: usize = 1000;
/// A residual beyond this many units of `n eps |A|` is not accepted.
const RATIO_MAX: f64 = 10.0;

/// Eigenvalues of a general real matrix, as they come.
#[derive(Debug)]
pub struct RawEigen {
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts; of a conjugate pair the one above the real axis comes first.
    pub imaginary: Vec<f64>,
    /// A column per real eigenvalue; real and imaginary part in two columns per conjugate pair.
    pub vectors: Option<Mat<f64>>,
}

impl RawEigen {
    /// From what faer finds.
    pub(super) fn of(real: &Diag<f64>, imaginary: &Diag<f64>, vectors: Option<Mat<f64>>) -> Self {
        let list = |values: &Diag<f64>| (0..values.dim()).map(|index| values[index]).collect();
        Self {
            real: list(real),
            imaginary: list(imaginary),
            vectors,
        }
    }
}

/// Eigenvalues and right eigenvectors through the real Schur form.
///
/// # Errors
/// [`SpectralConvergenceError`].
pub fn general_eigen(
    matrix: MatRef<'_, f64>,
    vectors: bool,
) -> Result<RawEigen, SpectralConvergenceError> {
    let n = matrix.nrows();
    let column = |column: usize| (0..n).map(move |row| matrix[(row, column)]);
    let finite = |index: usize| column(index).all(f64::is_finite);
    if !(0..n).all(finite) {
        return Err(NO_EIGENVALUES);
    }
    let size = |most: f64, entry: f64| most.max(entry.abs());
    let most = (0..n).flat_map(column).fold(0.0, size);
    let exponent = exponent_of(most);
    let inside = Mat::from_fn(n, n, |row, column| {
        scale_by_exponent(matrix[(row, column)], -exponent)
    });
    let found = balanced_eigen(&inside, vectors)?;
    Ok(RawEigen {
        real: all_scaled(found.real, exponent),
        imaginary: all_scaled(found.imaginary, exponent),
        vectors: found.vectors,
    })
}

/// The eigenvalues of a matrix with entries of ordinary size.
fn balanced_eigen(matrix: &Mat<f64>, vectors: bool) -> Result<RawEigen, SpectralConvergenceError> {
    let n = matrix.nrows();
    let mut balanced = matrix.clone();
    let exponents = balance_matrix(&mut balanced);
    let same = exponents.iter().all(|&exponent| exponent == 0);
    let mut found = if n <= SMALL {
        small_eigen(balanced, vectors)?
    } else {
        let par = two_parts_from(SHARED, n);
        shared_by(par, || {
            large_eigen(balanced.as_ref(), [false, vectors], par)
        })?
        .0
    };
    let Some(basis) = &mut found.vectors else {
        return Ok(found);
    };
    if !same {
        for column in 0..n {
            for (entry, &exponent) in basis.col_as_slice_mut(column).iter_mut().zip(&exponents) {
                *entry = scale_by_exponent(*entry, exponent);
            }
        }
    }
    if same && n <= SMALL {
        return Ok(found);
    }
    let worst = worst_residual(matrix, &found);
    if worst <= RATIO_MAX {
        return Ok(found);
    }
    let plain = small_eigen(matrix.clone(), vectors)?;
    let better = worst_residual(matrix, &plain) < worst;
    Ok(if better { plain } else { found })
}

fn small_eigen(mut h: Mat<f64>, vectors: bool) -> Result<RawEigen, SpectralConvergenceError> {
    let mut basis = hessenberg::reduce_to_hessenberg(&mut h, vectors);
    let (real, imaginary) = francis::real_schur(&mut h, basis.as_mut())?;
    let vectors = basis.map(|basis| {
        let inside = vectors::right_vectors(&h, &real, &imaginary);
        matrix_product(basis.as_ref(), inside.as_ref())
    });
    Ok(RawEigen {
        real,
        imaginary,
        vectors,
    })
}

/// The eigenvalues, with left and right vectors as wanted; the left ones are apart.
pub(super) fn large_eigen(
    matrix: MatRef<'_, f64>,
    wanted: [bool; 2],
    par: Par,
) -> Result<(RawEigen, Option<Mat<f64>>), SpectralConvergenceError> {
    let n = matrix.nrows();
    let (mut real, mut imaginary) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let [mut left, mut right] = wanted.map(|wanted| wanted.then(|| Mat::zeros(n, n)));
    let params = Spec::default();
    let [of_left, of_right] = wanted.map(eigenvector_option);
    let scratch = evd::evd_scratch::<f64>(n, of_left, of_right, par, params);
    evd::evd_real(
        matrix,
        real.as_mut(),
        imaginary.as_mut(),
        left.as_mut().map(Mat::as_mut),
        right.as_mut().map(Mat::as_mut),
        par,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .map_err(|_| NO_EIGENVALUES)?;
    Ok((RawEigen::of(&real, &imaginary, right), left))
}

/// The largest `|A v - lambda v| / |v|` in units of `n eps |A|`; 0 without vectors.
fn worst_residual(matrix: &Mat<f64>, found: &RawEigen) -> f64 {
    let Some(basis) = &found.vectors else {
        return 0.0;
    };
    let n = matrix.nrows();
    let image = matrix_product(matrix.as_ref(), basis.as_ref());
    let norm = (0..n).map(|column| euclidean_norm(matrix.col_as_slice(column)));
    let unit = n as f64 * f64::EPSILON * euclidean_norm(&norm.collect::<Vec<_>>());
    let mut worst = 0.0_f64;
    let mut off = Vec::with_capacity(2 * n);
    let mut at = 0;
    while at < n {
        let (re, im) = (found.real[at], found.imaginary[at]);
        let width = if im == 0.0 { 1 } else { 2 };
        let other = at + width - 1;
        let (x, y) = (basis.col_as_slice(at), basis.col_as_slice(other));
        let (ax, ay) = (image.col_as_slice(at), image.col_as_slice(other));
        off.clear();
        if width == 1 {
            off.extend(ax.iter().zip(x).map(|(ax, x)| ax - re * x));
        } else {
            for ((x, y), (ax, ay)) in x.iter().zip(y).zip(ax.iter().zip(ay)) {
                off.extend([ax - (re * x - im * y), ay - (re * y + im * x)]);
            }
        }
        let mut lengths = [euclidean_norm(x), euclidean_norm(y)];
        lengths[width..].fill(0.0);
        let ratio = euclidean_norm(&off) / (euclidean_norm(&lengths) * unit);
        worst = worst.max(if ratio.is_nan() { f64::INFINITY } else { ratio });
        at += width;
    }
    worst
}

pub(super) fn eigenvector_option(vectors: bool) -> ComputeEigenvectors {
    if vectors {
        ComputeEigenvectors::Yes
    } else {
        ComputeEigenvectors::No
    }
}
