//! Eigenvalues and eigenvectors of real matrices, ordered, normalised and with their residual.

use faer::Mat;

use crate::linalg::dense::cholesky::Cholesky;
use crate::linalg::dense::{
    self, NoConvergence, exponent_of, max_abs, norm2, normalised, scaled, spectrum,
};

/// The eigenvalues and their evidence.
#[derive(Debug)]
pub(crate) struct Eigen {
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts; all zero for a symmetric matrix.
    pub imaginary: Vec<f64>,
    /// Eigenvectors in the columns, row by row.
    pub vectors: Option<Vectors>,
    /// Whether the matrix is exactly symmetric, and was treated so.
    pub symmetric: bool,
    /// `|sum of eigenvalues - trace| / (n eps |A|)`, Frobenius norm.
    pub trace_error: f64,
    /// Largest `|A v - lambda v| / (n eps |A|)` over the pairs, where vectors were computed.
    pub residual: Option<f64>,
    /// Left eigenvectors, `y* A = lambda y*`, likewise, and the conditions of the eigenvalues, on request.
    pub left: Option<(Vectors, Vec<f64>)>,
}

/// Eigenvectors of unit Euclidean norm, the entry of largest magnitude real and positive; n x n, row by row.
#[derive(Debug)]
pub(crate) struct Vectors {
    /// Real parts.
    pub real: Vec<f64>,
    /// Imaginary parts; `None` when every eigenvalue is real.
    pub imaginary: Option<Vec<f64>>,
}

/// Whether the matrix equals its transpose, entry by entry.
pub(crate) fn is_symmetric(a: &[f64], n: usize) -> bool {
    (0..n).all(|row| (0..row).all(|column| a[row * n + column] == a[column * n + row]))
}

/// Finds all eigenvalues of an n x n matrix, ascending by real part and then by imaginary part.
///
/// # Method
/// Symmetric: tridiagonal form and divide and conquer. General: balancing by powers of two, Hessenberg form, real Schur form by
/// multishift QR with aggressive deflation, back substitution for the vectors. The matrix is first scaled by a power of two.
///
/// # Errors
/// [`NoConvergence`] when QR exceeds its step limit.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, chapters 7 and 8; B. N. Parlett, C. Reinsch, "Balancing a
/// matrix for calculation of eigenvalues and eigenvectors", Numer. Math. 13, 1969.
pub(crate) fn eigen(
    a: &[f64],
    n: usize,
    vectors: bool,
    left: bool,
) -> Result<Eigen, NoConvergence> {
    let (matrix, exponent) = normalised(a);
    let symmetric = is_symmetric(&matrix, n);
    let mut left_basis = None;
    let pairs = if symmetric {
        let (values, basis) =
            dense::symmetric_eigen(dense::columns_of(&matrix, n, n).as_ref(), vectors || left)?;
        Pairs {
            imaginary: vec![0.0; n],
            real: values,
            basis,
        }
    } else if left {
        let (pairs, basis) = two_sided(&matrix, n)?;
        left_basis = Some(basis);
        pairs
    } else {
        general(&matrix, n, vectors)?
    };
    let norm = norm2(&matrix);
    let unit = n as f64 * f64::EPSILON * norm;
    let order = pairs.order();
    let pick = |values: &[f64]| {
        order
            .iter()
            .map(|&index| values[index])
            .collect::<Vec<f64>>()
    };
    let (real, imaginary) = (pick(&pairs.real), pick(&pairs.imaginary));
    let trace: f64 = (0..n).map(|index| matrix[index * n + index]).sum();
    let sum: f64 = real.iter().sum();
    let in_units = |error: f64| if unit > 0.0 { error / unit } else { error };

    let normal = pairs
        .basis
        .as_ref()
        .map(|basis| pairs.normal_vectors(basis, &order));
    let residual = normal
        .as_ref()
        .map(|(re, im)| in_units(residual(&matrix, n, &real, &imaginary, re, im.as_ref())));
    let left = match (&normal, left) {
        (Some(right), true) => Some(match &left_basis {
            Some(basis) => conditions(right, pairs.normal_vectors(basis, &order)),
            // Left and right vectors of a symmetric matrix are the same.
            None => (rows(right), vec![1.0; n]),
        }),
        _ => None,
    };
    let restore = |values: Vec<f64>| -> Vec<f64> {
        values
            .into_iter()
            .map(|value| scaled(value, exponent))
            .collect()
    };
    Ok(Eigen {
        real: restore(real),
        imaginary: restore(imaginary),
        vectors: normal.as_ref().map(rows),
        symmetric,
        trace_error: in_units((sum - trace).abs()),
        residual,
        left,
    })
}

/// Eigenvalues as a factorisation leaves them: vectors of conjugate pairs in two columns, real and imaginary part.
struct Pairs {
    real: Vec<f64>,
    imaginary: Vec<f64>,
    basis: Option<Mat<f64>>,
}

impl Pairs {
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.real.len()).collect();
        order.sort_by(|&left, &right| {
            self.real[left]
                .total_cmp(&self.real[right])
                .then(self.imaginary[left].total_cmp(&self.imaginary[right]))
        });
        order
    }

    /// Real and imaginary parts of the vectors in the given order; no imaginary part when all eigenvalues are real.
    fn normal_vectors(&self, basis: &Mat<f64>, order: &[usize]) -> (Mat<f64>, Option<Mat<f64>>) {
        let n = basis.nrows();
        let complex = self.imaginary.iter().any(|&value| value != 0.0);
        let mut real = Mat::zeros(n, order.len());
        let mut imaginary = complex.then(|| Mat::zeros(n, order.len()));
        for (target, &source) in order.iter().enumerate() {
            let part = self.imaginary[source];
            let (re, im, sign) = if part == 0.0 {
                (basis.col_as_slice(source), None, 1.0)
            } else {
                let first = if self.leads_pair(source) {
                    source
                } else {
                    source - 1
                };
                let sign = if first == source { 1.0 } else { -1.0 };
                (
                    basis.col_as_slice(first),
                    Some(basis.col_as_slice(first + 1)),
                    sign,
                )
            };
            let (re, im) = normal(re, im, sign);
            real.col_as_slice_mut(target).copy_from_slice(&re);
            if let (Some(imaginary), Some(im)) = (&mut imaginary, im) {
                imaginary.col_as_slice_mut(target).copy_from_slice(&im);
            }
        }
        (real, imaginary)
    }

    /// Whether the eigenvalue is the first of its conjugate pair: the number of complex ones before it is even.
    fn leads_pair(&self, index: usize) -> bool {
        self.imaginary[..index]
            .iter()
            .filter(|&&value| value != 0.0)
            .count()
            % 2
            == 0
    }
}

/// The vector `re + sign i im` with unit norm and its largest entry real and positive.
fn normal(re: &[f64], im: Option<&[f64]>, sign: f64) -> (Vec<f64>, Option<Vec<f64>>) {
    let exponent = exponent_of(max_abs(re).max(im.map_or(0.0, max_abs)));
    let re: Vec<f64> = re.iter().map(|&value| scaled(value, -exponent)).collect();
    let Some(im) = im else {
        let largest = re.iter().fold(0.0_f64, |best, &value| {
            if value.abs() > best.abs() {
                value
            } else {
                best
            }
        });
        let norm = norm2(&re).copysign(largest);
        return (re.iter().map(|value| value / norm).collect(), None);
    };
    let im: Vec<f64> = im
        .iter()
        .map(|&value| sign * scaled(value, -exponent))
        .collect();
    let size = |index: usize| re[index] * re[index] + im[index] * im[index];
    let largest = (0..re.len()).fold(0, |best, index| {
        if size(index) > size(best) {
            index
        } else {
            best
        }
    });
    let modulus = size(largest).sqrt();
    // Dividing by the phase of the largest entry turns that entry real.
    let (cosine, sine) = (re[largest] / modulus, im[largest] / modulus);
    let norm = norm2(&re).hypot(norm2(&im));
    let turned_re = re
        .iter()
        .zip(&im)
        .map(|(re, im)| (re * cosine + im * sine) / norm)
        .collect();
    let mut turned_im: Vec<f64> = re
        .iter()
        .zip(&im)
        .map(|(re, im)| (im * cosine - re * sine) / norm)
        .collect();
    turned_im[largest] = 0.0;
    (turned_re, Some(turned_im))
}

fn rows((re, im): &(Mat<f64>, Option<Mat<f64>>)) -> Vectors {
    Vectors {
        real: dense::rows_of(re.as_ref()),
        imaginary: im.as_ref().map(|im| dense::rows_of(im.as_ref())),
    }
}

/// Left vectors turned so that `y* A = lambda y*`, and `1 / |y* x|` of each eigenvalue.
///
/// # References
/// G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 7.2.2.
fn conditions(
    (right, right_im): &(Mat<f64>, Option<Mat<f64>>),
    (left, mut left_im): (Mat<f64>, Option<Mat<f64>>),
) -> (Vectors, Vec<f64>) {
    let n = right.ncols();
    let conditions = (0..n)
        .map(|column| {
            let part = |im: &Option<Mat<f64>>| {
                im.as_ref()
                    .map_or_else(|| vec![0.0; n], |im| im.col_as_slice(column).to_vec())
            };
            let (x, x_im) = (right.col_as_slice(column), part(right_im));
            let (y, y_im) = (left.col_as_slice(column), part(&left_im));
            let (same, cross) = (dense::dot(y, x), dense::dot(&y_im, &x_im));
            let (turn, back) = (dense::dot(y, &x_im), dense::dot(&y_im, x));
            // y* x of the vector as it is, and of its conjugate; the left vector of the other eigenvalue is orthogonal to x.
            let (plain, conjugate) = (
                (same + cross).hypot(turn - back),
                (same - cross).hypot(turn + back),
            );
            if conjugate > plain
                && let Some(im) = &mut left_im
            {
                im.col_as_slice_mut(column)
                    .iter_mut()
                    .for_each(|value| *value = -*value);
            }
            1.0 / plain.max(conjugate)
        })
        .collect();
    (rows(&(left, left_im)), conditions)
}

fn two_sided(matrix: &[f64], n: usize) -> Result<(Pairs, Mat<f64>), NoConvergence> {
    let mut balanced = dense::columns_of(matrix, n, n);
    let exponents = dense::balance(&mut balanced);
    let (raw, left) = spectrum::two_sided(balanced.as_ref())?;
    let moved = |basis: &Mat<f64>, sign: i32| {
        Mat::from_fn(n, n, |row, column| {
            scaled(basis[(row, column)], sign * exponents[row])
        })
    };
    let pairs = Pairs {
        real: raw.real,
        imaginary: raw.imaginary,
        basis: raw.vectors.as_ref().map(|basis| moved(basis, 1)),
    };
    Ok((pairs, moved(&left, -1)))
}

/// The eigenvalues of `A v = lambda B v`, ascending, with vectors of unit norm and the number of infinite ones, which are left out.
///
/// # Method
/// Symmetric A and positive definite B: Cholesky of B and the symmetric problem; else QZ, `beta` up to `n eps |B|` counting as 0. Its
/// pairs are checked by their residual; where that is not small, the problem is reduced to that of `B^-1 A`, if B allows it.
///
/// # Errors
/// [`NoConvergence`], also when neither gives pairs with a small residual.
pub(crate) fn generalised(
    a: &[f64],
    b: &[f64],
    n: usize,
    vectors: bool,
) -> Result<(Eigen, usize, &'static str), NoConvergence> {
    let ((a, a_exponent), (b, b_exponent)) = (normalised(a), normalised(b));
    let exponent = a_exponent - b_exponent;
    let columns = |data: &[f64]| dense::columns_of(data, n, n);
    let symmetric = is_symmetric(&a, n) && is_symmetric(&b, n);
    let (found, infinite, method) =
        match symmetric.then(|| Cholesky::new(columns(&b)).ok()).flatten() {
            Some(factor) => {
                let (real, basis) =
                    spectrum::symmetric_definite(columns(&a).as_ref(), &factor, true)?;
                let imaginary = vec![0.0; n];
                let pairs = Pairs {
                    imaginary,
                    real,
                    basis,
                };
                (finish(&a, &b, n, &pairs, exponent), 0, "cholesky")
            }
            None => of_pair(&a, &b, n, exponent)?,
        };
    let vectors = if vectors { found.vectors } else { None };
    let residual = found.residual.filter(|_| vectors.is_some());
    let eigen = Eigen {
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
) -> Result<(Eigen, usize, &'static str), NoConvergence> {
    const RESIDUAL_GOOD: f64 = 30.0;
    const RESIDUAL_MAX: f64 = 1e6;
    const RCOND_MIN: f64 = 1e-10;
    let size = |found: &Eigen| found.residual.unwrap_or(f64::INFINITY);
    let bad = |found: &Eigen| size(found).is_nan() || size(found) > RESIDUAL_GOOD;
    let columns = |data: &[f64]| dense::columns_of(data, n, n);
    let mut best = spectrum::pair(columns(a), columns(b), true)
        .ok()
        .map(|raw| {
            let limit = n as f64 * f64::EPSILON * norm2(b);
            let kept: Vec<usize> = (0..n)
                .filter(|&index| raw.beta[index].abs() > limit)
                .collect();
            let pick = |values: &[f64]| -> Vec<f64> {
                kept.iter()
                    .map(|&index| values[index] / raw.beta[index])
                    .collect()
            };
            let pairs = Pairs {
                real: pick(&raw.alpha.real),
                imaginary: pick(&raw.alpha.imaginary),
                basis: raw.alpha.vectors.as_ref().map(|basis| {
                    Mat::from_fn(n, kept.len(), |row, column| basis[(row, kept[column])])
                }),
            };
            (finish(a, b, n, &pairs, exponent), n - kept.len(), "qz")
        });
    if best.as_ref().is_none_or(|(found, ..)| bad(found))
        && let Ok(solved) = dense::system::solve(b, n, a, n, None)
        && solved.rcond > RCOND_MIN
    {
        let pairs = general(&solved.x, n, true)?;
        let found = finish(a, b, n, &pairs, exponent);
        if best
            .as_ref()
            .is_none_or(|(other, ..)| size(&found).total_cmp(&size(other)).is_lt())
        {
            best = Some((found, 0, "reduction"));
        }
    }
    best.filter(|(found, ..)| size(found) <= RESIDUAL_MAX)
        .ok_or(NoConvergence {
            what: "the eigenvalues of the pair",
        })
}

/// Order, normal vectors and residual of the pairs of a generalised problem.
fn finish(a: &[f64], b: &[f64], n: usize, pairs: &Pairs, exponent: i32) -> Eigen {
    let order = pairs.order();
    let normal = pairs
        .basis
        .as_ref()
        .map(|basis| pairs.normal_vectors(basis, &order));
    let pick = |values: &[f64]| -> Vec<f64> { order.iter().map(|&index| values[index]).collect() };
    let (real, imaginary) = (pick(&pairs.real), pick(&pairs.imaginary));
    let residual = normal
        .as_ref()
        .map(|(re, im)| pair_residual(a, b, n, (&real, &imaginary), re, im.as_ref()));
    let restore = |values: Vec<f64>| -> Vec<f64> {
        values
            .into_iter()
            .map(|value| scaled(value, exponent))
            .collect()
    };
    Eigen {
        real: restore(real),
        imaginary: restore(imaginary),
        vectors: normal.as_ref().map(rows),
        symmetric: false,
        trace_error: 0.0,
        residual,
        left: None,
    }
}

/// Largest `|A v - lambda B v| / (n eps (|A| + |lambda| |B|))`, Frobenius norms.
fn pair_residual(
    a: &[f64],
    b: &[f64],
    n: usize,
    (real, imaginary): (&[f64], &[f64]),
    re: &Mat<f64>,
    im: Option<&Mat<f64>>,
) -> f64 {
    let (a_norm, b_norm) = (norm2(a), norm2(b));
    let (a, b) = (dense::columns_of(a, n, n), dense::columns_of(b, n, n));
    let image = |matrix: &Mat<f64>, v: &Mat<f64>| dense::product(matrix.as_ref(), v.as_ref());
    let (a_re, b_re) = (image(&a, re), image(&b, re));
    let parts = im.map(|im| (image(&a, im), image(&b, im)));
    (0..real.len())
        .map(|column| {
            let (lambda, mu) = (real[column], imaginary[column]);
            let rest: Vec<f64> = (0..n)
                .flat_map(|row| {
                    let (x, y) = (
                        b_re[(row, column)],
                        parts.as_ref().map_or(0.0, |p| p.1[(row, column)]),
                    );
                    let image_y = parts.as_ref().map_or(0.0, |p| p.0[(row, column)]);
                    [
                        a_re[(row, column)] - (lambda * x - mu * y),
                        image_y - (lambda * y + mu * x),
                    ]
                })
                .collect();
            let unit = n as f64 * f64::EPSILON * (a_norm + lambda.hypot(mu) * b_norm);
            if unit > 0.0 { norm2(&rest) / unit } else { 0.0 }
        })
        .fold(0.0, f64::max)
}

fn general(matrix: &[f64], n: usize, vectors: bool) -> Result<Pairs, NoConvergence> {
    let raw = dense::general_eigen(dense::columns_of(matrix, n, n).as_ref(), vectors)?;
    Ok(Pairs {
        real: raw.real,
        imaginary: raw.imaginary,
        basis: raw.vectors,
    })
}

/// Largest `|A v - lambda v|`.
fn residual(
    matrix: &[f64],
    n: usize,
    real: &[f64],
    imaginary: &[f64],
    re: &Mat<f64>,
    im: Option<&Mat<f64>>,
) -> f64 {
    let a = dense::columns_of(matrix, n, n);
    let image_re = dense::product(a.as_ref(), re.as_ref());
    let image_im = im.map(|im| dense::product(a.as_ref(), im.as_ref()));
    (0..n)
        .map(|column| {
            let (lambda, mu) = (real[column], imaginary[column]);
            let rest: Vec<f64> = (0..n)
                .flat_map(|row| {
                    let x = re[(row, column)];
                    let y = im.map_or(0.0, |im| im[(row, column)]);
                    let image_y = image_im.as_ref().map_or(0.0, |image| image[(row, column)]);
                    [
                        image_re[(row, column)] - (lambda * x - mu * y),
                        image_y - (lambda * y + mu * x),
                    ]
                })
                .collect();
            norm2(&rest)
        })
        .fold(0.0, f64::max)
}
