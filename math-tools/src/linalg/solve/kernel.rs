//! Solving `A X = B`: LU with refinement and a condition estimate, and least squares of minimum norm.

use faer::{Mat, MatRef};

use crate::linalg::dense::{
    self, Lu, NoConvergence, SingularVectors, exponent_of, max_abs, norm2, normalised, scaled,
};

/// A right-hand side of few columns gets its residual in doubled precision; more would cost as much as the factorisation.
const PRECISE_COLUMNS_MAX: usize = 4;

/// A solution and its evidence. Norms over several right-hand sides are Frobenius norms.
#[derive(Debug, Clone)]
pub struct Solution {
    /// n x k, row by row.
    pub x: Vec<f64>,
    /// `|B - A X|`.
    pub residual: f64,
    /// `|B - A X| / |B|`; 0 when `B` is zero.
    pub relative_error: f64,
    /// Largest over the columns of `|b - A x| / (|A| |x| + |b|)` in maximum norms.
    pub backward_error: f64,
    /// LU: the estimate of `1 / (|A|_1 |A^-1|_1)`; least squares: smallest over largest singular value.
    pub rcond: f64,
    /// Numerical rank.
    pub rank: usize,
    /// Whether rows or columns were scaled before factoring; `rcond` is that of the scaled matrix.
    pub equilibrated: bool,
}

/// Why there is no solution.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// An exact zero pivot.
    #[error("`A` is singular: column {column} depends on the columns before it")]
    Singular {
        /// The first such column, counted from 0.
        column: usize,
    },
    /// The solution is larger than any double.
    #[error("the solution is too large for a double")]
    Overflow,
    /// The singular values did not converge.
    #[error(transparent)]
    NoConvergence(#[from] NoConvergence),
}

/// Solves the square system by LU with partial pivoting, for `k` right-hand sides.
///
/// # Method
/// Rows and columns are scaled by powers of two when their sizes differ by more than 2^26 or come near the range of a double
/// (as LAPACK xGESVX). One step of iterative refinement follows, with the residual in doubled precision for few right-hand
/// sides; it is kept where it makes the residual smaller. The condition estimate is that of Hager and Higham (LAPACK xGECON).
///
/// # Errors
/// [`SolveError::Singular`] for an exact zero pivot, [`SolveError::Overflow`].
///
/// # References
/// N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, chapters 9, 12 and 15.
pub fn solve(a: &[f64], n: usize, b: &[f64], k: usize) -> Result<Solution, SolveError> {
    let scaling = Scaling::of(a, n);
    let matrix = scaling.apply(a);
    let columns = dense::columns_of(&matrix, n, n);
    let norm1 = norm1(columns.as_ref());
    let factors = Lu::new(columns);
    if let Some(column) = factors.zero_pivot() {
        return Err(SolveError::Singular { column });
    }
    let rcond = reciprocal_condition(&factors, norm1, n);

    let (rhs, exponents) = scaled_columns(b, n, k, &scaling.rows);
    let mut x = rhs.clone();
    factors.solve(&mut x);
    if !all_finite(&x) {
        return Err(SolveError::Overflow);
    }
    let mut rest = residual(&matrix, n, &x, &rhs);
    refine(&factors, &matrix, &rhs, &mut x, &mut rest);

    let backward_error = backward_error(&matrix, n, &x, &rhs, &rest);
    let restored = |values: &Mat<f64>, shift: &dyn Fn(usize) -> i32| -> Vec<f64> {
        let mut out = Vec::with_capacity(n * k);
        for row in 0..n {
            out.extend(
                (0..k).map(|column| scaled(values[(row, column)], exponents[column] + shift(row))),
            );
        }
        out
    };
    let solution = restored(&x, &|row| scaling.columns[row]);
    if solution.iter().any(|value| !value.is_finite()) {
        return Err(SolveError::Overflow);
    }
    let residual = norm2(&restored(&rest, &|row| -scaling.rows[row]));
    Ok(Solution {
        x: solution,
        residual,
        relative_error: relative(residual, norm2(b)),
        backward_error,
        rcond,
        rank: n,
        equilibrated: scaling.used,
    })
}

/// Least squares of minimum norm for any shape: m x n, `k` right-hand sides.
///
/// # Method
/// `x = V S^+ U' b` from the singular value decomposition; singular values up to `max(m, n) eps s_max` count as zero.
///
/// # Errors
/// [`SolveError::NoConvergence`], [`SolveError::Overflow`].
pub fn least_squares(
    a: &[f64],
    m: usize,
    n: usize,
    b: &[f64],
    k: usize,
) -> Result<Solution, SolveError> {
    let (matrix, a_exponent) = normalised(a);
    let (rhs, b_exponent) = normalised(b);
    let columns = dense::columns_of(&matrix, m, n);
    let rhs = dense::columns_of(&rhs, m, k);
    let (values, bases) = dense::singular(columns.as_ref(), SingularVectors::Thin)?;
    let (u, v) = bases.expect("thin vectors were asked for");
    let tolerance = rank_tolerance(m, n, values[0]);
    let rank = values.iter().filter(|&&value| value > tolerance).count();
    let mut coordinates = dense::product(u.as_ref().transpose(), rhs.as_ref());
    for (index, &value) in values.iter().enumerate() {
        for column in 0..k {
            let entry = &mut coordinates[(index, column)];
            *entry = if index < rank { *entry / value } else { 0.0 };
        }
    }
    let x = dense::product(v.as_ref(), coordinates.as_ref());
    let rest = residual(&matrix, n, &x, &rhs);
    let backward_error = backward_error(&matrix, n, &x, &rhs, &rest);
    let solution: Vec<f64> = dense::rows_of(x.as_ref())
        .into_iter()
        .map(|value| scaled(value, b_exponent - a_exponent))
        .collect();
    if solution.iter().any(|value| !value.is_finite()) {
        return Err(SolveError::Overflow);
    }
    let norm = norm2(&dense::rows_of(rest.as_ref()));
    let last = values.last().copied().unwrap_or(0.0);
    Ok(Solution {
        x: solution,
        residual: scaled(norm, b_exponent),
        relative_error: relative(norm, norm2(&dense::rows_of(rhs.as_ref()))),
        backward_error,
        rcond: if values[0] > 0.0 {
            last / values[0]
        } else {
            0.0
        },
        rank,
        equilibrated: false,
    })
}

/// Singular values up to this count as zero: `max(m, n) eps s_max`, as NumPy and MATLAB take it.
pub fn rank_tolerance(m: usize, n: usize, largest: f64) -> f64 {
    m.max(n) as f64 * f64::EPSILON * largest
}

fn relative(residual: f64, norm: f64) -> f64 {
    if norm > 0.0 {
        residual / norm
    } else {
        residual
    }
}

/// Exponents of the powers of two that rows and columns are multiplied by.
struct Scaling {
    rows: Vec<i32>,
    columns: Vec<i32>,
    used: bool,
}

impl Scaling {
    /// Sizes of rows or columns that differ by more than this many powers of two are levelled.
    const SPREAD_MAX: i32 = 26;
    /// Entries beyond these powers of two are brought back, so that no product leaves the range.
    const RANGE: i32 = 300;

    fn of(a: &[f64], n: usize) -> Self {
        let row_sizes: Vec<f64> = a.chunks_exact(n).map(max_abs).collect();
        let rows = Self::exponents(&row_sizes).unwrap_or_else(|| vec![0; n]);
        let mut column_sizes = vec![0.0_f64; n];
        for (row, entries) in a.chunks_exact(n).enumerate() {
            for (size, &entry) in column_sizes.iter_mut().zip(entries) {
                *size = size.max(scaled(entry, rows[row]).abs());
            }
        }
        let columns = Self::exponents(&column_sizes).unwrap_or_else(|| vec![0; n]);
        let used = rows.iter().chain(&columns).any(|&exponent| exponent != 0);
        Self {
            rows,
            columns,
            used,
        }
    }

    /// The exponents that bring every size to 1, or `None` when the sizes are alike.
    fn exponents(sizes: &[f64]) -> Option<Vec<i32>> {
        let present = || {
            sizes
                .iter()
                .filter(|&&size| size > 0.0)
                .map(|&size| exponent_of(size))
        };
        let (least, most) = (present().min()?, present().max()?);
        let alike =
            most - least <= Self::SPREAD_MAX && least >= -Self::RANGE && most <= Self::RANGE;
        (!alike).then(|| sizes.iter().map(|&size| -exponent_of(size)).collect())
    }

    fn apply(&self, a: &[f64]) -> Vec<f64> {
        if !self.used {
            return a.to_vec();
        }
        let n = self.columns.len();
        a.iter()
            .enumerate()
            .map(|(index, &entry)| scaled(entry, self.rows[index / n] + self.columns[index % n]))
            .collect()
    }
}

/// The right-hand sides with their rows scaled and every column brought to size 1, and the exponents of the columns.
fn scaled_columns(b: &[f64], n: usize, k: usize, rows: &[i32]) -> (Mat<f64>, Vec<i32>) {
    let exponents: Vec<i32> = (0..k)
        .map(|column| {
            (0..n)
                .filter(|row| b[row * k + column] != 0.0)
                .map(|row| exponent_of(b[row * k + column].abs()) + rows[row])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let rhs = Mat::from_fn(n, k, |row, column| {
        scaled(b[row * k + column], rows[row] - exponents[column])
    });
    (rhs, exponents)
}

/// The largest column sum of magnitudes.
fn norm1(matrix: MatRef<'_, f64>) -> f64 {
    (0..matrix.ncols())
        .map(|column| {
            (0..matrix.nrows())
                .map(|row| matrix[(row, column)].abs())
                .sum()
        })
        .fold(0.0, f64::max)
}

/// Estimates `1 / (|A|_1 |A^-1|_1)` with a few solves.
///
/// # References
/// N. J. Higham, "FORTRAN codes for estimating the one-norm of a real or complex matrix", ACM TOMS 14, 1988 (LAPACK xLACN2).
pub fn reciprocal_condition(factors: &Lu, norm1: f64, n: usize) -> f64 {
    let inverse_norm = inverse_norm1(factors, n);
    if norm1 == 0.0 || inverse_norm == 0.0 || inverse_norm.is_nan() {
        return 0.0;
    }
    ((1.0 / inverse_norm) / norm1).min(1.0)
}

fn inverse_norm1(factors: &Lu, n: usize) -> f64 {
    const ROUNDS_MAX: usize = 5;
    let one_norm = |x: &[f64]| x.iter().map(|value| value.abs()).sum::<f64>();
    let mut x = vec![1.0 / n as f64; n];
    factors.solve_vector(&mut x);
    let mut estimate = one_norm(&x);
    if n == 1 || !estimate.is_finite() {
        return estimate;
    }
    let mut signs: Vec<f64> = x.iter().map(|value| 1.0_f64.copysign(*value)).collect();
    let mut last_index = usize::MAX;
    for _ in 0..ROUNDS_MAX {
        let mut gradient = signs.clone();
        factors.solve_transposed(&mut gradient);
        let index = (0..n).fold(0, |best, index| {
            if gradient[index].abs() > gradient[best].abs() {
                index
            } else {
                best
            }
        });
        if index == last_index {
            break;
        }
        last_index = index;
        x.fill(0.0);
        x[index] = 1.0;
        factors.solve_vector(&mut x);
        let grown = one_norm(&x);
        let next: Vec<f64> = x.iter().map(|value| 1.0_f64.copysign(*value)).collect();
        if !grown.is_finite() {
            return grown;
        }
        if next == signs || grown <= estimate {
            estimate = estimate.max(grown);
            break;
        }
        estimate = grown;
        signs = next;
    }
    // A vector with growing entries of alternating sign catches the matrices on which the iteration is blind.
    for (index, value) in x.iter_mut().enumerate() {
        let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
        *value = sign * (1.0 + index as f64 / (n - 1) as f64);
    }
    factors.solve_vector(&mut x);
    estimate.max(2.0 * one_norm(&x) / (3.0 * n as f64))
}

/// One step of iterative refinement, kept where it makes the residual smaller.
fn refine(factors: &Lu, a: &[f64], rhs: &Mat<f64>, x: &mut Mat<f64>, rest: &mut Mat<f64>) {
    let n = x.nrows();
    let mut correction = rest.clone();
    factors.solve(&mut correction);
    if !all_finite(&correction) {
        return;
    }
    let better = Mat::from_fn(n, x.ncols(), |row, column| {
        x[(row, column)] + correction[(row, column)]
    });
    let new_rest = residual(a, n, &better, rhs);
    for column in 0..x.ncols() {
        let size = |matrix: &Mat<f64>| max_abs(matrix.col_as_slice(column));
        if size(&new_rest) < size(rest) {
            x.col_as_slice_mut(column)
                .copy_from_slice(better.col_as_slice(column));
            rest.col_as_slice_mut(column)
                .copy_from_slice(new_rest.col_as_slice(column));
        }
    }
}

/// `B - A X` for a row-major `a` with rows of length `n`.
fn residual(a: &[f64], n: usize, x: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let (m, k) = b.shape();
    if k <= PRECISE_COLUMNS_MAX {
        return Mat::from_fn(m, k, |row, column| {
            precise_residual(
                &a[row * n..(row + 1) * n],
                x.col_as_slice(column),
                b[(row, column)],
            )
        });
    }
    let image = dense::product(MatRef::from_row_major_slice(a, m, n), x.as_ref());
    Mat::from_fn(m, k, |row, column| b[(row, column)] - image[(row, column)])
}

/// `b - a . x` as if computed with twice the digits and rounded once, in interleaved sums that keep the processor busy.
///
/// # References
/// T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005, algorithm Dot2.
fn precise_residual(a: &[f64], x: &[f64], b: f64) -> f64 {
    const LANES: usize = 4;
    let (mut sums, mut errors) = ([0.0; LANES], [0.0; LANES]);
    let (mut a_blocks, mut x_blocks) = (a.chunks_exact(LANES), x.chunks_exact(LANES));
    for (a, x) in a_blocks.by_ref().zip(x_blocks.by_ref()) {
        for lane in 0..LANES {
            let (product, product_error) = two_product(-a[lane], x[lane]);
            let (sum, sum_error) = two_sum(sums[lane], product);
            sums[lane] = sum;
            errors[lane] += product_error + sum_error;
        }
    }
    let (mut total, mut error) = (b, errors.iter().sum::<f64>());
    let mut add = |term: f64, term_error: f64| {
        let (sum, sum_error) = two_sum(total, term);
        total = sum;
        error += term_error + sum_error;
    };
    for (a, x) in a_blocks.remainder().iter().zip(x_blocks.remainder()) {
        let (product, product_error) = two_product(-a, *x);
        add(product, product_error);
    }
    for sum in sums {
        add(sum, 0.0);
    }
    let precise = total + error;
    if precise.is_finite() { precise } else { total }
}

fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let shadow = sum - a;
    (sum, (a - (sum - shadow)) + (b - shadow))
}

/// The product and its rounding error, by Dekker's splitting: bit-equal with or without fused multiply-add.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let split = |value: f64| {
        let high = SPLITTER * value;
        let high = high - (high - value);
        (high, value - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (product, error)
}

fn backward_error(a: &[f64], n: usize, x: &Mat<f64>, b: &Mat<f64>, rest: &Mat<f64>) -> f64 {
    let a_norm = a
        .chunks_exact(n)
        .map(|row| row.iter().map(|value| value.abs()).sum())
        .fold(0.0, f64::max);
    (0..b.ncols())
        .map(|column| {
            let size = |matrix: &Mat<f64>| max_abs(matrix.col_as_slice(column));
            let scale = a_norm * size(x) + size(b);
            if scale > 0.0 { size(rest) / scale } else { 0.0 }
        })
        .fold(0.0, f64::max)
}

fn all_finite(matrix: &Mat<f64>) -> bool {
    (0..matrix.ncols()).all(|column| {
        matrix
            .col_as_slice(column)
            .iter()
            .all(|value| value.is_finite())
    })
}
