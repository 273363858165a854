//! Eigenvalues and eigenvectors of real matrices, ordered, normalised and with their residual.

use faer::Mat;

use super::cholesky::Cholesky;
use super::structure::is_symmetric;
use crate::dense::{
    self, RawEigen, SpectralConvergenceError, all_scaled, euclidean_norm, exponent_of,
    largest_entry, max_abs, normalise_data, scale_by_exponent, spectrum,
};

/// The eigenvalues and their evidence.
#[derive(Debug)]
pub struct EigenResult {
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts; all zero for a symmetric matrix.
    pub imaginary: Vec<f64>,
    /// Eigenvectors in the columns, row by row.
    pub vectors: Option<EigenvectorMatrix>,
    /// Whether the matrix is exactly symmetric, and was treated so.
    pub symmetric: bool,
    /// `|sum of eigenvalues - trace| / (n eps |A|)`, Frobenius norm.
    pub trace_error: f64,
    /// Largest `|A v - lambda v| / (n eps |A|)` over the pairs, where vectors were computed.
    pub residual: Option<f64>,
    /// Left eigenvectors, `y* A = lambda y*`, likewise, and the conditions of the eigenvalues, on request.
    pub left: Option<(EigenvectorMatrix, Vec<f64>)>,
}

/// Eigenvectors of unit Euclidean norm, the entry of largest magnitude real and positive; n x n, row by row.
#[derive(Debug)]
pub struct EigenvectorMatrix {
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts; `None` when every eigenvalue is real.
    pub imaginary: Option<Vec<f64>>,
}

/// Finds all eigenvalues of an n x n matrix, ascending by real part and then by imaginary part.
///
/// # Method
/// Symmetric: tridiagonal form and divide and conquer. General: balancing by powers of two, Hessenberg form, real Schur form by
/// multishift QR with aggressive deflation, back substitution for the vectors. The matrix is first scaled by a power of two.
///
/// # Errors
/// [`SpectralConvergenceError`] when QR exceeds its step limit.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, chapters 7 and 8; B. N. Parlett, C. Reinsch, "Balancing a
/// matrix for calculation of eigenvalues and eigenvectors", Numer. Math. 13, 1969.
pub fn eigen_decomposition(
    a: &[f64],
    n: usize,
    vectors: bool,
    left: bool,
) -> Result<EigenResult, SpectralConvergenceError> {
    let (matrix, exponent) = normalise_data(a);
    let symmetric = is_symmetric(&matrix, n);
    let columns = dense::columns_of(&matrix, n, n);
    let mut left_basis = None;
    let pairs = if symmetric {
        let (real, vectors) = dense::symmetric_eigen(columns.as_ref(), vectors || left)?;
        real_pairs(real, vectors)
    } else if left {
        let (pairs, basis) = two_sided(columns)?;
        left_basis = Some(basis);
        pairs
    } else {
        dense::general_eigen(columns.as_ref(), vectors)?
    };
    let unit = n as f64 * f64::EPSILON * euclidean_norm(&matrix);
    let order = ascending_order(&pairs);
    let trace: f64 = (0..n).map(|index| matrix[index * n + index]).sum();
    let sum: f64 = order.iter().map(|&index| pairs.real[index]).sum();
    let (found, normal) = finish_pairs(&matrix, None, n, &pairs, exponent, |_| unit);
    let left = match (&normal, left) {
        (Some(right), true) => Some(match &left_basis {
            Some(basis) => eigenvalue_conditions(right, normal_vectors(&pairs, basis, &order)),
            // Left and right vectors of a symmetric matrix are the same.
            None => (vectors_by_rows(right), vec![1.0; n]),
        }),
        _ => None,
    };
    let error = (sum - trace).abs();
    Ok(EigenResult {
        symmetric,
        trace_error: if unit > 0.0 { error / unit } else { error },
        left,
        ..found
    })
}

/// Real eigenvalues.
fn real_pairs(real: Vec<f64>, vectors: Option<Mat<f64>>) -> RawEigen {
    RawEigen {
        imaginary: vec![0.0; real.len()],
        real,
        vectors,
    }
}

/// Indices of the eigenvalues, ascending by real part and then by imaginary part.
fn ascending_order(pairs: &RawEigen) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pairs.real.len()).collect();
    order.sort_by(|&left, &right| {
        let imaginary = pairs.imaginary[left].total_cmp(&pairs.imaginary[right]);
        let real = pairs.real[left].total_cmp(&pairs.real[right]);
        real.then(imaginary)
    });
    order
}

/// Real and imaginary parts of vectors in columns; no imaginary part when all eigenvalues are real.
type Columns = (Mat<f64>, Option<Mat<f64>>);

/// The vectors of a basis in the given order, of unit norm.
fn normal_vectors(pairs: &RawEigen, basis: &Mat<f64>, order: &[usize]) -> Columns {
    let n = basis.nrows();
    let complex = pairs.imaginary.iter().any(|&value| value != 0.0);
    let mut real = Mat::zeros(n, order.len());
    let mut imaginary = complex.then(|| Mat::zeros(n, order.len()));
    for (target, &source) in order.iter().enumerate() {
        let (re, im) = if pairs.imaginary[source] == 0.0 {
            normalise_vector(basis.col_as_slice(source), None, 1.0)
        } else {
            // The first of its conjugate pair: the number of complex eigenvalues before it is even.
            let before = pairs.imaginary[..source].iter();
            let leads = before.filter(|&&value| value != 0.0).count() % 2 == 0;
            let first = source - usize::from(!leads);
            let sign = if leads { 1.0 } else { -1.0 };
            let im = basis.col_as_slice(first + 1);
            normalise_vector(basis.col_as_slice(first), Some(im), sign)
        };
        real.col_as_slice_mut(target).copy_from_slice(&re);
        if let (Some(imaginary), Some(im)) = (&mut imaginary, im) {
            imaginary.col_as_slice_mut(target).copy_from_slice(&im);
        }
    }
    (real, imaginary)
}

/// The vector `re + sign i im` with unit norm and its largest entry real and positive.
fn normalise_vector(re: &[f64], im: Option<&[f64]>, sign: f64) -> (Vec<f64>, Option<Vec<f64>>) {
    let exponent = exponent_of(max_abs(re).max(im.map_or(0.0, max_abs)));
    let re = all_scaled(re.to_vec(), -exponent);
    let Some(im) = im else {
        let norm = euclidean_norm(&re).copysign(largest_entry(&re));
        return (re.iter().map(|value| value / norm).collect(), None);
    };
    let signed = |&value: &f64| sign * scale_by_exponent(value, -exponent);
    let im: Vec<f64> = im.iter().map(signed).collect();
    let size = |index: usize| re[index] * re[index] + im[index] * im[index];
    let larger = |a, b| if size(b) > size(a) { b } else { a };
    let largest = (0..re.len()).fold(0, larger);
    let modulus = size(largest).sqrt();
    // Dividing by the phase of the largest entry turns that entry real.
    let (cosine, sine) = (re[largest] / modulus, im[largest] / modulus);
    let norm = euclidean_norm(&re).hypot(euclidean_norm(&im));
    let turned = |(re, im): (&f64, &f64)| {
        let real = (re * cosine + im * sine) / norm;
        (real, (im * cosine - re * sine) / norm)
    };
    let pairs = re.iter().zip(&im);
    let (turned_re, mut turned_im): (Vec<f64>, Vec<f64>) = pairs.map(turned).unzip();
    turned_im[largest] = 0.0;
    (turned_re, Some(turned_im))
}

fn vectors_by_rows((re, im): &Columns) -> EigenvectorMatrix {
    EigenvectorMatrix {
        real: dense::rows_of(re.as_ref()),
        imaginary: im.as_ref().map(|im| dense::rows_of(im.as_ref())),
    }
}

/// Left vectors turned so that `y* A = lambda y*`, and `1 / |y* x|` of each eigenvalue.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 7.2.2.
fn eigenvalue_conditions(
    (right, right_im): &Columns,
    (left, mut left_im): Columns,
) -> (EigenvectorMatrix, Vec<f64>) {
    let n = right.ncols();
    let mut condition = |column: usize| {
        let part = |im: &Option<Mat<f64>>| match im {
            Some(im) => im.col_as_slice(column).to_vec(),
            None => vec![0.0; n],
        };
        let (x, x_im) = (right.col_as_slice(column), part(right_im));
        let (y, y_im) = (left.col_as_slice(column), part(&left_im));
        let (same, cross) = (dense::dot(y, x), dense::dot(&y_im, &x_im));
        let (turn, back) = (dense::dot(y, &x_im), dense::dot(&y_im, x));
        // y* x of the vector as it is, and of its conjugate; the left vector of the other eigenvalue is orthogonal to x.
        let plain = (same + cross).hypot(turn - back);
        let conjugate = (same - cross).hypot(turn + back);
        if conjugate > plain
            && let Some(im) = &mut left_im
        {
            let entries = im.col_as_slice_mut(column).iter_mut();
            entries.for_each(|value| *value = -*value);
        }
        1.0 / plain.max(conjugate)
    };
    let conditions = (0..n).map(&mut condition).collect();
    (vectors_by_rows(&(left, left_im)), conditions)
}

fn two_sided(mut balanced: Mat<f64>) -> Result<(RawEigen, Mat<f64>), SpectralConvergenceError> {
    let n = balanced.nrows();
    let exponents = dense::balance_matrix(&mut balanced);
    let (mut pairs, left) = spectrum::two_sided(balanced.as_ref())?;
    let moved = |basis: &Mat<f64>, sign: i32| {
        let entry =
            |row: usize, column| scale_by_exponent(basis[(row, column)], sign * exponents[row]);
        Mat::from_fn(n, n, entry)
    };
    pairs.vectors = pairs.vectors.map(|basis| moved(&basis, 1));
    Ok((pairs, moved(&left, -1)))
}

/// Why the eigenvalues of a pair are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairError {
    /// No method gives pairs with a small residual.
    NoConvergence(SpectralConvergenceError),
    /// `A - lambda B` is singular for every lambda.
    Singular,
}

impl From<SpectralConvergenceError> for PairError {
    fn from(err: SpectralConvergenceError) -> Self {
        Self::NoConvergence(err)
    }
}

/// The eigenvalues of `A v = lambda B v`, ascending, with vectors of unit norm and the number of infinite ones, which are left out.
///
/// # Method
/// Symmetric A and positive definite B: Cholesky of B and the symmetric problem; else QZ, `beta` up to `n eps |B|` counting as 0. Its
/// pairs are checked by their residual; where that is not small, the problem is reduced to that of `B^-1 A`, if B allows it, or to that
/// of `(A - s B)^-1 B`.
///
/// # Errors
/// [`PairError`].
pub fn generalised_eigen(
    a: &[f64],
    b: &[f64],
    n: usize,
    vectors: bool,
) -> Result<(EigenResult, usize, &'static str), PairError> {
    let ((a, a_exponent), (b, b_exponent)) = (normalise_data(a), normalise_data(b));
    let exponent = a_exponent - b_exponent;
    let columns = |data: &[f64]| dense::columns_of(data, n, n);
    let symmetric = is_symmetric(&a, n) && is_symmetric(&b, n);
    let (found, infinite, method) =
        match symmetric.then(|| Cholesky::new(columns(&b)).ok()).flatten() {
            Some(factor) => {
                let (real, basis) =
                    spectrum::symmetric_definite(columns(&a).as_ref(), &factor, true)?;
                let pairs = real_pairs(real, basis);
                (finish_pair(&a, &b, n, &pairs, exponent), 0, "cholesky")
            }
            None => of_pair(&a, &b, n, exponent)?,
        };
    let vectors = if vectors { found.vectors } else { None };
    let residual = found.residual.filter(|_| vectors.is_some());
    let eigen = EigenResult {
        vectors,
        residual,
        symmetric: method == "cholesky",
        ..found
    };
    Ok((eigen, infinite, method))
}

/// QZ, or the reduction where its pairs do not hold.
fn of_pair(
    a: &[f64],
    b: &[f64],
    n: usize,
    exponent: i32,
) -> Result<(EigenResult, usize, &'static str), PairError> {
    const RESIDUAL_GOOD: f64 = 30.0;
    const RESIDUAL_MAX: f64 = 1e6;
    const RCOND_MIN: f64 = 1e-10;
    let size = |found: &EigenResult| found.residual.unwrap_or(f64::INFINITY);
    let bad = |found: &EigenResult| size(found).is_nan() || size(found) > RESIDUAL_GOOD;
    let columns = |data: &[f64]| dense::columns_of(data, n, n);
    let mut best = None;
    if let Ok(raw) = spectrum::generalised_eigen(columns(a), columns(b), true) {
        let limit = n as f64 * f64::EPSILON * euclidean_norm(b);
        let finite = |&index: &usize| raw.beta[index].abs() > limit;
        // A quotient of 0 and 0 is any number, or, by roundings, one of a regular pair.
        const OPEN: f64 = 100.0;
        let smallest = n as f64 * f64::EPSILON * euclidean_norm(a);
        let is_open = |index: usize| {
            let alpha = raw.alpha.real[index].hypot(raw.alpha.imaginary[index]);
            let beta = raw.beta[index].abs();
            let is_zero = alpha <= OPEN * smallest && beta <= OPEN * limit;
            is_zero || alpha.is_nan() || beta.is_nan()
        };
        if (0..n).any(is_open) {
            by_shift(a, b, n)?;
        }
        let kept: Vec<usize> = (0..n).filter(finite).collect();
        let pick = |values: &[f64]| -> Vec<f64> {
            let quotients = kept.iter().map(|&index| values[index] / raw.beta[index]);
            quotients.collect()
        };
        let vectors = raw.alpha.vectors.as_ref();
        let pairs = RawEigen {
            real: pick(&raw.alpha.real),
            imaginary: pick(&raw.alpha.imaginary),
            vectors: vectors.map(|all| Mat::from_fn(n, kept.len(), |row, at| all[(row, kept[at])])),
        };
        let found = finish_pair(a, b, n, &pairs, exponent);
        best = Some((found, n - kept.len(), "qz"));
    }
    if best.as_ref().is_none_or(|(found, ..)| bad(found))
        && let Ok(solved) = dense::system::solve_dense_system(b, n, a, n, None)
        && solved.rcond > RCOND_MIN
    {
        let pairs = dense::general_eigen(columns(&solved.x).as_ref(), true)?;
        let found = finish_pair(a, b, n, &pairs, exponent);
        let better = |(other, ..): &(EigenResult, usize, &str)| {
            size(&found) < size(other) || size(other).is_nan()
        };
        if best.as_ref().is_none_or(better) {
            best = Some((found, 0, "reduction"));
        }
    }
    if best.as_ref().is_none_or(|(found, ..)| bad(found)) {
        let (infinite, pairs) = by_shift(a, b, n)?;
        let found = finish_pair(a, b, n, &pairs, exponent);
        let better = |(other, ..): &(EigenResult, usize, &str)| {
            size(&found) < size(other) || size(other).is_nan()
        };
        if best.as_ref().is_none_or(better) {
            best = Some((found, infinite, "shift_invert"));
        }
    }
    let what = "the eigenvalues of the pair";
    let good = best.filter(|(found, ..)| size(found) <= RESIDUAL_MAX);
    Ok(good.ok_or(SpectralConvergenceError { what })?)
}

/// The pairs of `A v = lambda B v` from those of `(A - s B)^-1 B v = mu v`, `lambda = s + 1 / mu`, for the best conditioned of some shifts,
/// with the number of infinite ones. B may be singular; A and B are of size 1.
///
/// # Errors
/// [`SpectralConvergenceError`]; [`PairError::Singular`] where `A - s B` is singular to working precision for every shift.
///
/// # References
/// Z. Bai and others (editors), "Templates for the Solution of Algebraic Eigenvalue Problems", SIAM 2000, section 8.1.
fn by_shift(a: &[f64], b: &[f64], n: usize) -> Result<(usize, RawEigen), PairError> {
    // Of both signs and without a common ratio, so that few eigenvalues of a problem stated in round numbers are near one.
    const SHIFTS: [f64; 6] = [
        0.618_03, -0.618_03, 1.324_72, -1.324_72, 0.259_92, -0.259_92,
    ];
    let least = 10.0 * n as f64 * f64::EPSILON;
    let ratio = match euclidean_norm(b) {
        0.0 => 0.0,
        size => euclidean_norm(a) / size,
    };
    let solved = SHIFTS.iter().filter_map(|factor| {
        let shift = factor * ratio;
        let moved: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - shift * b).collect();
        let solved = dense::system::solve_dense_system(&moved, n, b, n, None).ok()?;
        Some((shift, solved))
    });
    let (shift, solved) = solved
        .max_by(|(_, one), (_, other)| one.rcond.total_cmp(&other.rcond))
        .filter(|(_, solved)| solved.rcond > least)
        .ok_or(PairError::Singular)?;
    let pairs = dense::general_eigen(dense::columns_of(&solved.x, n, n).as_ref(), true)?;
    let limit = n as f64 * f64::EPSILON * euclidean_norm(&solved.x);
    let kept: Vec<usize> = (0..n)
        .filter(|&index| pairs.real[index].hypot(pairs.imaginary[index]) > limit)
        .collect();
    let inverse = |index: usize| {
        let (re, im) = (pairs.real[index], pairs.imaginary[index]);
        let square = re * re + im * im;
        (shift + re / square, 0.0 - im / square)
    };
    let (real, imaginary) = kept.iter().map(|&index| inverse(index)).unzip();
    let vectors = pairs.vectors.as_ref();
    let pick = |all: &Mat<f64>| Mat::from_fn(n, kept.len(), |row, at| all[(row, kept[at])]);
    // The same vectors: the first of a conjugate pair now lies below the axis.
    let found = RawEigen {
        real,
        imaginary,
        vectors: vectors.map(pick),
    };
    Ok((n - kept.len(), found))
}

/// The pairs of a generalised problem, with residuals in units of `n eps (|A| + |lambda| |B|)`.
fn finish_pair(a: &[f64], b: &[f64], n: usize, pairs: &RawEigen, exponent: i32) -> EigenResult {
    let (a_norm, b_norm) = (euclidean_norm(a), euclidean_norm(b));
    let unit = |size: f64| n as f64 * f64::EPSILON * (a_norm + size * b_norm);
    finish_pairs(a, Some(b), n, pairs, exponent, unit).0
}

/// The pairs in order, with normal vectors and their residual in units of `unit(|lambda|)`; and the vectors in columns.
fn finish_pairs(
    a: &[f64],
    b: Option<&[f64]>,
    n: usize,
    pairs: &RawEigen,
    exponent: i32,
    unit: impl Fn(f64) -> f64,
) -> (EigenResult, Option<Columns>) {
    let order = ascending_order(pairs);
    let basis = pairs.vectors.as_ref();
    let normal = basis.map(|basis| normal_vectors(pairs, basis, &order));
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&index| values[index]).collect() };
    let (real, imaginary) = (pick(&pairs.real), pick(&pairs.imaginary));
    let residual = normal.as_ref().map(|vectors| {
        let columns = pair_residuals(a, b, n, (&real, &imaginary), vectors);
        let in_units = |(index, size): (usize, f64)| {
            let unit = unit(real[index].hypot(imaginary[index]));
            if size == 0.0 { 0.0 } else { size / unit }
        };
        // NaN where one is: QZ has vectors of NaN for some defective pairs.
        let larger = |most: f64, size: f64| {
            if most.is_nan() || most >= size {
                most
            } else {
                size
            }
        };
        let sizes = columns.into_iter().enumerate().map(in_units);
        sizes.fold(0.0, larger)
    });
    let eigen = EigenResult {
        real: all_scaled(real, exponent),
        imaginary: all_scaled(imaginary, exponent),
        vectors: normal.as_ref().map(vectors_by_rows),
        symmetric: false,
        trace_error: 0.0,
        residual,
        left: None,
    };
    (eigen, normal)
}

/// `|A v - lambda B v|` of every pair, Frobenius norm; B is the identity where absent.
fn pair_residuals(
    a: &[f64],
    b: Option<&[f64]>,
    n: usize,
    (real, imaginary): (&[f64], &[f64]),
    (re, im): &Columns,
) -> Vec<f64> {
    let image = |matrix: &[f64], v: &Mat<f64>| {
        dense::matrix_product(dense::columns_of(matrix, n, n).as_ref(), v.as_ref())
    };
    let right = |v: &Mat<f64>| b.map_or_else(|| v.clone(), |b| image(b, v));
    let (a_re, b_re) = (image(a, re), right(re));
    let parts = im.as_ref().map(|im| (image(a, im), right(im)));
    let size = |column: usize| {
        let (lambda, mu) = (real[column], imaginary[column]);
        let rest = (0..n).flat_map(|row| {
            let at = (row, column);
            let (image_y, y) = parts.as_ref().map_or((0.0, 0.0), |p| (p.0[at], p.1[at]));
            let x = b_re[at];
            [
                a_re[at] - (lambda * x - mu * y),
                image_y - (lambda * y + mu * x),
            ]
        });
        let rest: Vec<f64> = rest.collect();
        // The norm leaves out what is no number.
        match rest.iter().any(|value| value.is_nan()) {
            true => f64::NAN,
            false => euclidean_norm(&rest),
        }
    };
    (0..real.len()).map(size).collect()
}
