//! Functions of square matrices: exponential, logarithm, roots, powers, sine and cosine, with an estimate of the error.
//!
//! Matrices are column-major [`Mat`]s. Functions with a principal value on the real axis are computed through the complex Schur form and
//! comes back real; the imaginary part that rounding leaves is part of the evidence.

mod exponential;
mod schur;
mod triangular;

pub use exponential::matrix_exponential;
pub(crate) use schur::{SchurFactors, complex_schur};

use std::cell::Cell;

use faer::{Mat, MatRef, c64};

use super::SpectralConvergenceError;

/// Errors of a function of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FunctionError {
    /// The function has no principal value there.
    #[error(
        "the matrix has the eigenvalue {real:e}{imaginary:+e} i, on the closed negative real axis, where the function has no principal value"
    )]
    BranchCut {
        /// Real part.
        real: f64,
        /// Imaginary part, zero to rounding.
        imaginary: f64,
    },
    /// A negative power of a singular matrix.
    #[error("a singular matrix has no negative power")]
    Singular,
    /// An entry of the result, or of a step on the way, is larger than any double.
    #[error("the result is too large for a double")]
    Overflow,
    /// The Schur form did not converge.
    #[error(transparent)]
    NoConvergence(#[from] SpectralConvergenceError),
}

/// A function of a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MatrixFunction {
    /// `e^A`.
    Exponential,
    /// Principal logarithm.
    Logarithm,
    /// Principal square root.
    SquareRoot,
    /// `A^p`: integer exponents by repeated squaring, others by their principal value.
    Power(f64),
    /// Sine.
    Sine,
    /// Cosine.
    Cosine,
}

/// A value and what is known of its error.
#[derive(Debug, Clone)]
pub struct FunctionValue {
    /// n x n.
    pub value: Mat<f64>,
    /// Estimate of the relative condition number in the Frobenius norm: how much a relative change of A grows.
    pub condition: f64,
    /// Estimate of the relative error in the Frobenius norm.
    pub error_estimate: f64,
    /// Squarings or square roots taken.
    pub scalings: u32,
}

/// Evaluates a function of an n x n matrix with finite entries.
///
/// # Method
/// Exponential: scaling and squaring with Padé approximants up to degree 13. Sine and cosine: parts of the exponential of `i A`.
/// Square root, logarithm and other powers: complex Schur form; the recurrence of Björck and Hammarling, inverse scaling and
/// squaring with partial fractions of the Padé approximant of degree up to 7; the eigenvectors of a singular symmetric positive
/// semidefinite matrix. The condition is estimated with four
/// directional derivatives (two steps of the power method, differences).
///
/// # Accuracy and cost
/// The error is usually at most ten times `n eps` times the condition. Exponential about 20 n^3 operations, the others 100 n^3;
/// the condition costs the same four times.
///
/// # Errors
/// [`FunctionError`].
///
/// # References
/// N. J. Higham, "Functions of Matrices", SIAM 2008; A. H. Al-Mohy, N. J. Higham, "A new scaling and squaring algorithm for the
/// matrix exponential", SIAM J. Matrix Anal. Appl. 31, 2009; the same, "Improved inverse scaling and squaring algorithms for the
/// matrix logarithm", SIAM J. Sci. Comput. 34, 2012; N. J. Higham, "Computing real square roots of a real matrix", Linear
/// Algebra Appl. 88/89, 1987; C. S. Kenney, A. J. Laub, "Condition estimates for matrix functions", SIAM J. Matrix Anal. Appl. 10,
/// 1989.
pub fn evaluate_function(
    a: MatRef<'_, f64>,
    function: MatrixFunction,
) -> Result<FunctionValue, FunctionError> {
    let plain = function_value(a, function)?;
    if !all_finite(plain.value.as_ref()) {
        return Err(FunctionError::Overflow);
    }
    let n = a.nrows() as f64;
    if plain.singular {
        // Eigenvalues within n eps |A| of 0 were taken as 0; a power is as uncertain as theirs.
        let exponent = match function {
            MatrixFunction::Power(exponent) => exponent,
            _ => 0.5,
        };
        return Ok(FunctionValue {
            error_estimate: (n * f64::EPSILON).powf(exponent.min(1.0)),
            condition: f64::INFINITY,
            scalings: plain.scalings,
            value: plain.value,
        });
    }
    let condition = estimate_condition(a, &plain.value, function);
    let rounding = f64::EPSILON * (n.sqrt() + f64::from(plain.scalings));
    Ok(FunctionValue {
        error_estimate: (condition.max(1.0) * rounding).max(plain.imaginary),
        condition,
        scalings: plain.scalings,
        value: plain.value,
    })
}

struct PlainFunctionValue {
    value: Mat<f64>,
    scalings: u32,
    /// Imaginary part left by rounding, relative.
    imaginary: f64,
    /// Whether the matrix is singular where the function has no derivative: the condition is infinite.
    singular: bool,
}

impl PlainFunctionValue {
    fn real_part(value: &Mat<c64>, scalings: u32) -> Self {
        let n = value.nrows();
        let real = Mat::from_fn(n, n, |row, column| value[(row, column)].re);
        let rest = Mat::from_fn(n, n, |row, column| value[(row, column)].im);
        let (size, rest) = (frobenius_norm(real.as_ref()), frobenius_norm(rest.as_ref()));
        let imaginary = if size > 0.0 { rest / size } else { 0.0 };
        Self {
            value: real,
            scalings,
            imaginary,
            singular: false,
        }
    }

    fn real((value, scalings): (Mat<f64>, u32)) -> Self {
        Self {
            value,
            scalings,
            imaginary: 0.0,
            singular: false,
        }
    }
}

fn function_value(
    a: MatRef<'_, f64>,
    function: MatrixFunction,
) -> Result<PlainFunctionValue, FunctionError> {
    let n = a.nrows();
    let of_schur = |evaluate: &dyn Fn(&mut Mat<c64>) -> Result<u32, FunctionError>| {
        let SchurFactors { q, mut t } = complex_schur(a)?;
        let scalings = evaluate(&mut t)?;
        let image = exponential::multiply_matrices(
            &exponential::multiply_matrices(&q, &t),
            &q.adjoint().to_owned(),
        );
        Ok(PlainFunctionValue::real_part(&image, scalings))
    };
    match function {
        MatrixFunction::Exponential => {
            Ok(PlainFunctionValue::real(matrix_exponential(a.to_owned())))
        }
        MatrixFunction::Sine | MatrixFunction::Cosine => {
            let turned = Mat::from_fn(n, n, |row, column| c64::new(0.0, a[(row, column)]));
            let (value, scalings) = matrix_exponential(turned);
            let part = |row, column| match function {
                MatrixFunction::Sine => value[(row, column)].im,
                _ => value[(row, column)].re,
            };
            Ok(PlainFunctionValue::real((
                Mat::from_fn(n, n, part),
                scalings,
            )))
        }
        MatrixFunction::Power(exponent) if exponent.fract() == 0.0 => integer_power(a, exponent),
        MatrixFunction::SquareRoot => {
            let singular = Cell::new(false);
            let found = of_schur(&|t| {
                singular.set(triangular::square_root(t)?);
                Ok(0)
            });
            match (found, singular.get()) {
                (Ok(found), false) => Ok(found),
                (found, _) => semidefinite_power(a, 0.5).map_or_else(
                    || {
                        found.map(|found| PlainFunctionValue {
                            singular: true,
                            ..found
                        })
                    },
                    Ok,
                ),
            }
        }
        MatrixFunction::Logarithm => of_schur(&triangular::triangular_logarithm),
        MatrixFunction::Power(exponent) => {
            // A^p = A^k e^(f log A) with |f| at most 1/2, so that the exponential stays small.
            let whole = exponent.round();
            let part = exponent - whole;
            let fraction = match of_schur(&|t| triangular::triangular_power(t, part)) {
                Ok(fraction) => fraction,
                Err(error) => return semidefinite_power(a, exponent).ok_or(error),
            };
            if whole == 0.0 {
                return Ok(fraction);
            }
            let power = integer_power(a, whole)?;
            Ok(PlainFunctionValue {
                value: super::matrix_product(power.value.as_ref(), fraction.value.as_ref()),
                scalings: power.scalings + fraction.scalings,
                imaginary: fraction.imaginary,
                singular: false,
            })
        }
    }
}

/// The power of a symmetric positive semidefinite matrix by its eigenvectors, for a positive exponent; `None` for any other matrix.
///
/// Eigenvalues that are 0 to rounding count as 0.
///
/// # References
/// N. J. Higham, "Functions of Matrices", SIAM 2008, sections 1.4 and 6.1.
fn semidefinite_power(a: MatRef<'_, f64>, exponent: f64) -> Option<PlainFunctionValue> {
    let n = a.nrows();
    if exponent <= 0.0 || !super::structure::is_symmetric(&super::rows_of(a), n) {
        return None;
    }
    let (values, vectors) = super::symmetric_eigen(a, true).ok()?;
    let most = values
        .last()
        .copied()
        .filter(|&most| most > 0.0)
        .unwrap_or(0.0);
    let rounding = n as f64 * f64::EPSILON * most;
    if values.first().is_some_and(|&least| least < -rounding) {
        return None;
    }
    let powers: Vec<f64> = values
        .iter()
        .map(|&value| {
            if value <= rounding {
                0.0
            } else {
                value.powf(exponent)
            }
        })
        .collect();
    let vectors = vectors?;
    let moved = Mat::from_fn(n, n, |row, column| vectors[(row, column)] * powers[column]);
    let value = super::matrix_product(moved.as_ref(), vectors.transpose());
    Some(PlainFunctionValue {
        singular: true,
        ..PlainFunctionValue::real((value, 0))
    })
}

/// Repeated squaring, of the inverse for negative exponents; any whole double takes at most 1,024 squarings.
fn integer_power(a: MatRef<'_, f64>, exponent: f64) -> Result<PlainFunctionValue, FunctionError> {
    let n = a.nrows();
    let mut base = a.to_owned();
    if exponent < 0.0 {
        let rows = super::rows_of(a);
        let mut identity = vec![0.0; n * n];
        (0..n).for_each(|index| identity[index * n + index] = 1.0);
        let inverse = super::system::solve_dense_system(&rows, n, &identity, n, None)
            .map_err(|_| FunctionError::Singular)?;
        base = super::columns_of(&inverse.x, n, n);
    }
    let mut left = exponent.abs();
    let mut value: Mat<f64> = Mat::identity(n, n);
    let mut scalings = 0;
    while left > 0.0 {
        if left % 2.0 == 1.0 {
            value = super::matrix_product(value.as_ref(), base.as_ref());
        }
        left = (left / 2.0).floor();
        if left > 0.0 {
            base = super::matrix_product(base.as_ref(), base.as_ref());
            scalings += 1;
        }
    }
    Ok(PlainFunctionValue::real((value, scalings)))
}

/// Two steps of the power method on the derivative, each direction by a difference; 0 where no difference can be taken.
fn estimate_condition(a: MatRef<'_, f64>, base: &Mat<f64>, function: MatrixFunction) -> f64 {
    // A power grows with its exponent: the step stays so small that the difference is one of first order.
    let step_size = match function {
        MatrixFunction::Power(exponent) => (0.1 / exponent.abs()).clamp(1e-14, 1e-7),
        _ => 1e-7,
    };
    let n = a.nrows();
    let (size, base_size) = (frobenius_norm(a), frobenius_norm(base.as_ref()));
    if size == 0.0 || base_size == 0.0 {
        return 1.0;
    }
    let transposed_base = base.transpose().to_owned();
    let derivative = |direction: &Mat<f64>, transposed: bool| -> Option<Mat<f64>> {
        let length = frobenius_norm(direction.as_ref());
        let step = step_size * size / length;
        let moved = Mat::from_fn(n, n, |row, column| {
            let place = if transposed {
                (column, row)
            } else {
                (row, column)
            };
            a[place] + step * direction[(row, column)]
        });
        let moved = function_value(moved.as_ref(), function).ok()?.value;
        let origin = if transposed { &transposed_base } else { base };
        let image = Mat::from_fn(n, n, |row, column| {
            (moved[(row, column)] - origin[(row, column)]) / (step * length)
        });
        all_finite(image.as_ref()).then_some(image)
    };
    // A start without symmetry, the same for every call.
    let mut direction = Mat::from_fn(n, n, |row, column| {
        ((row * 7 + column * 13 + row * column * 5) % 17) as f64 / 8.0 - 0.9
    });
    let mut growth = 0.0_f64;
    for _ in 0..2 {
        for transposed in [false, true] {
            match derivative(&direction, transposed) {
                Some(image) => {
                    growth = growth.max(frobenius_norm(image.as_ref()));
                    direction = image;
                }
                None => return f64::INFINITY,
            }
            if frobenius_norm(direction.as_ref()) == 0.0 {
                return growth * size / base_size;
            }
        }
    }
    growth * size / base_size
}

fn frobenius_norm(a: MatRef<'_, f64>) -> f64 {
    super::euclidean_norm(&super::rows_of(a))
}

fn all_finite(a: MatRef<'_, f64>) -> bool {
    (0..a.ncols()).all(|column| (0..a.nrows()).all(|row| a[(row, column)].is_finite()))
}

#[cfg(test)]
mod tests;
