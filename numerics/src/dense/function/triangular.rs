//! Square root, logarithm and powers of an upper triangular matrix.

use faer::{Mat, c64};

use super::FunctionError;
use super::exponential::{matrix_exponential, one_norm};

/// Refuses eigenvalues on the closed negative real axis, to rounding; `zero` allows a single one at 0, whose place is returned.
fn check_axis(t: &Mat<c64>, zero: bool) -> Result<Option<usize>, FunctionError> {
    let n = t.nrows();
    let rounding = n as f64 * f64::EPSILON * one_norm(t);
    let mut found = None;
    for index in 0..n {
        let value = t[(index, index)];
        let at_zero = value.norm() <= rounding;
        let on_axis = value.re <= 0.0 && value.im.abs() <= rounding && !at_zero;
        if on_axis || (at_zero && (!zero || found.is_some())) {
            return Err(FunctionError::BranchCut {
                real: value.re,
                imaginary: value.im,
            });
        }
        if at_zero {
            found = Some(index);
        }
    }
    Ok(found)
}

/// Replaces T by its principal square root; returns whether T is singular. An eigenvalue that is 0 to rounding counts as 0.
///
/// # References
/// Å. Björck, S. Hammarling, "A Schur method for the square root of a matrix", Linear Algebra Appl. 52/53, 1983.
pub(super) fn square_root(t: &mut Mat<c64>) -> Result<bool, FunctionError> {
    let zero = check_axis(t, true)?;
    if let Some(index) = zero {
        t[(index, index)] = c64::new(0.0, 0.0);
    }
    root_in_place(t);
    Ok(zero.is_some())
}

fn root_in_place(t: &mut Mat<c64>) {
    let n = t.nrows();
    for column in 0..n {
        t[(column, column)] = t[(column, column)].sqrt();
        for row in (0..column).rev() {
            let mut rest = t[(row, column)];
            for index in row + 1..column {
                rest -= t[(row, index)] * t[(index, column)];
            }
            let divisor = t[(row, row)] + t[(column, column)];
            t[(row, column)] = if rest == c64::new(0.0, 0.0) {
                rest
            } else {
                rest / divisor
            };
        }
    }
}

/// Points and weights of Gauss-Legendre quadrature on (0, 1), which are the partial fractions of the Padé approximants of
/// `log(1 + x)`, by Newton's iteration on the Legendre polynomial.
fn gauss_legendre(m: usize) -> Vec<(f64, f64)> {
    let degree = m as f64;
    (0..m)
        .map(|index| {
            let mut x = (std::f64::consts::PI * (index as f64 + 0.75) / (degree + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..8 {
                let (mut before, mut value) = (1.0, x);
                for k in 2..=m {
                    let k = k as f64;
                    (before, value) = (
                        value,
                        ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k,
                    );
                }
                slope = degree * (x * value - before) / (x * x - 1.0);
                x -= value / slope;
            }
            ((1.0 + x) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// Bounds of `|T - I|` for the approximants of degrees 1 to 7.
const THETA: [f64; 7] = [
    1.59e-5, 2.31e-3, 1.94e-2, 6.21e-2, 1.28e-1, 2.06e-1, 2.88e-1,
];

/// Replaces T by its principal logarithm; returns the number of square roots.
///
/// The diagonal and the first diagonal above it are computed from T itself, which saves digits when the eigenvalues are near 1 or
/// far apart.
///
/// # References
/// A. H. Al-Mohy, N. J. Higham, "Improved inverse scaling and squaring algorithms for the matrix logarithm", SIAM J. Sci. Comput. 34,
/// 2012, algorithm 4.1 with the norm itself in place of estimates of powers.
pub(super) fn triangular_logarithm(t: &mut Mat<c64>) -> Result<u32, FunctionError> {
    const ROOTS_MAX: u32 = 100;
    check_axis(t, false)?;
    let n = t.nrows();
    let original = t.clone();
    let minus_identity = |matrix: &Mat<c64>| {
        let mut out = matrix.clone();
        (0..n).for_each(|index| out[(index, index)] -= 1.0);
        out
    };
    let mut roots = 0;
    let mut rest = minus_identity(t);
    while one_norm(&rest) > THETA[6] && roots < ROOTS_MAX {
        root_in_place(t);
        roots += 1;
        rest = minus_identity(t);
    }
    // (t^(1/2^s) - 1) of the diagonal without cancellation.
    for index in 0..n {
        rest[(index, index)] = root_minus_one(original[(index, index)], roots);
    }
    let norm = one_norm(&rest);
    let degree = THETA.iter().position(|&theta| norm <= theta).unwrap_or(6) + 1;
    let mut value: Mat<c64> = Mat::zeros(n, n);
    for (point, weight) in gauss_legendre(degree) {
        // weight (I + point X)^-1 X, triangular.
        let mut part = rest.clone();
        for column in 0..n {
            for row in (0..=column).rev() {
                let mut sum = part[(row, column)];
                for index in row + 1..=column {
                    sum -= rest[(row, index)] * part[(index, column)] * point;
                }
                part[(row, column)] = sum / (rest[(row, row)] * point + 1.0);
            }
        }
        for column in 0..n {
            for row in 0..=column {
                value[(row, column)] += part[(row, column)] * weight;
            }
        }
    }
    let factor = super::super::scale_by_exponent(1.0, roots as i32);
    for column in 0..n {
        for row in 0..=column {
            value[(row, column)] *= factor;
        }
        value[(column, column)] = original[(column, column)].ln();
        if column > 0 {
            let (a, b) = (
                original[(column - 1, column - 1)],
                original[(column, column)],
            );
            value[(column - 1, column)] = original[(column - 1, column)] * log_difference(a, b);
        }
    }
    *t = value;
    Ok(roots)
}

/// `z^(1/2^s) - 1`, exact to rounding also near 1.
///
/// # References
/// A. H. Al-Mohy, "A more accurate Briggs method for the logarithm", Numer. Algorithms 59, 2012.
fn root_minus_one(mut z: c64, mut roots: u32) -> c64 {
    if roots == 0 {
        return z - 1.0;
    }
    if z.arg() >= std::f64::consts::FRAC_PI_2 {
        z = z.sqrt();
        roots -= 1;
    }
    let start = z - 1.0;
    let mut product = c64::new(1.0, 0.0);
    for step in 0..roots {
        z = z.sqrt();
        product = if step == 0 {
            z + 1.0
        } else {
            product * (z + 1.0)
        };
    }
    start / product
}

/// `(log b - log a) / (b - a)`, the entry above the diagonal of the logarithm of a 2 x 2 triangle.
///
/// # References
/// N. J. Higham, "Functions of Matrices", SIAM 2008, equation (11.28).
fn log_difference(a: c64, b: c64) -> c64 {
    if a == b {
        return a.inv();
    }
    let sum = a + b;
    if sum.norm() == 0.0 || a.norm() < b.norm() / 2.0 || b.norm() < a.norm() / 2.0 {
        return (b.ln() - a.ln()) / (b - a);
    }
    let z = (b - a) / sum;
    // atanh z = log((1 + z) / (1 - z)) / 2, by its series where that cancels.
    let atanh = if z.norm() < 0.1 {
        let square = z * z;
        let mut term = z;
        let mut total = z;
        for k in 1..12 {
            term *= square;
            total += term / f64::from(2 * k + 1);
        }
        total
    } else {
        ((z + 1.0).ln() - (-z + 1.0).ln()) * 0.5
    };
    let turns = ((b.ln() - a.ln()).im - 2.0 * atanh.im) / (2.0 * std::f64::consts::PI);
    let winding = c64::new(0.0, std::f64::consts::PI * turns.round());
    (atanh + winding) * 2.0 / (b - a)
}

/// Replaces T by `T^p`, the exponential of p times its logarithm, for p from -1/2 to 1/2.
pub(super) fn triangular_power(t: &mut Mat<c64>, p: f64) -> Result<u32, FunctionError> {
    let diagonal: Vec<c64> = (0..t.nrows()).map(|index| t[(index, index)]).collect();
    let roots = triangular_logarithm(t)?;
    let n = t.nrows();
    let scaled = Mat::from_fn(n, n, |row, column| t[(row, column)] * p);
    let (mut value, squarings) = matrix_exponential(scaled);
    for (index, entry) in diagonal.into_iter().enumerate() {
        value[(index, index)] = entry.powf(p);
        (index + 1..n).for_each(|row| value[(row, index)] = c64::new(0.0, 0.0));
    }
    *t = value;
    Ok(roots + squarings)
}
