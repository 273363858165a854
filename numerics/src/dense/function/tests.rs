mod reference;

use super::*;

fn mat(rows: &[&[f64]]) -> Mat<f64> {
    Mat::from_fn(rows.len(), rows.len(), |row, column| rows[row][column])
}

fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let n = a.nrows();
    let difference = Mat::from_fn(n, n, |row, column| a[(row, column)] - b[(row, column)]);
    frobenius_norm(difference.as_ref()) / frobenius_norm(b.as_ref())
}

/// `Q T Q* = A` and `Q* Q = I`, on matrices that stop careless iterations: companion of x^n - 1, Frank, defective.
#[test]
fn the_schur_form_reproduces_the_matrix() {
    let n = 12;
    let cycle = Mat::from_fn(n, n, |i, j| f64::from(u8::from((i + 1) % n == j)));
    let frank = Mat::from_fn(n, n, |i, j| {
        if j + 1 >= i {
            (n - i.max(j)) as f64
        } else {
            0.0
        }
    });
    let jordan = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j || i + 1 == j)));
    let dense = Mat::from_fn(60, 60, |i, j| {
        ((i * 37 + j * j * 11 + i * j * 29) % 101) as f64
    });
    for a in [
        cycle,
        frank,
        jordan,
        dense,
        mat(&[&[3.0]]),
        mat(&[&[0.0, 1.0], &[-1.0, 0.0]]),
    ] {
        let n = a.nrows();
        let found = complex_schur(a.as_ref()).unwrap();
        let adjoint = found.q.adjoint().to_owned();
        let image = exponential::multiply_matrices(
            &exponential::multiply_matrices(&found.q, &found.t),
            &adjoint,
        );
        let gram = exponential::multiply_matrices(&adjoint, &found.q);
        let size = frobenius_norm(a.as_ref());
        for row in 0..n {
            for column in 0..n {
                let error = image[(row, column)] - c64::new(a[(row, column)], 0.0);
                assert!(error.norm() < 1e-13 * size, "n = {n}: {error}");
                let expected = f64::from(u8::from(row == column));
                assert!((gram[(row, column)] - expected).norm() < 1e-13);
            }
        }
    }
}

/// Functions and their inverses cancel: log exp, square of the root, cube of the power 1/3, sin^2 + cos^2 = I.
#[test]
fn identities() {
    let a = mat(&[
        &[1.0, 0.3, -0.2, 0.0],
        &[0.1, 0.7, 0.4, -0.3],
        &[-0.5, 0.2, 1.1, 0.6],
        &[0.2, -0.1, 0.3, 0.9],
    ]);
    let apply = |a: &Mat<f64>, function| evaluate_function(a.as_ref(), function).unwrap();
    let exponential = apply(&a, MatrixFunction::Exponential).value;
    assert!(distance(&apply(&exponential, MatrixFunction::Logarithm).value, &a) < 1e-14);
    let root = apply(&a, MatrixFunction::SquareRoot).value;
    let square = super::super::matrix_product(root.as_ref(), root.as_ref());
    assert!(distance(&square, &a) < 1e-14);
    let third = apply(&a, MatrixFunction::Power(1.0 / 3.0)).value;
    assert!(distance(&apply(&third, MatrixFunction::Power(3.0)).value, &a) < 1e-14);
    let (sine, cosine) = (
        apply(&a, MatrixFunction::Sine).value,
        apply(&a, MatrixFunction::Cosine).value,
    );
    let sum = super::super::matrix_product(sine.as_ref(), sine.as_ref())
        + super::super::matrix_product(cosine.as_ref(), cosine.as_ref());
    assert!(distance(&sum, &Mat::identity(4, 4)) < 1e-14);
    let inverse = apply(&a, MatrixFunction::Power(-1.0)).value;
    let product = super::super::matrix_product(inverse.as_ref(), a.as_ref());
    assert!(distance(&product, &Mat::identity(4, 4)) < 1e-14);
}

#[test]
fn the_negative_axis_is_refused() {
    for (a, functions) in [
        (
            mat(&[&[-1.0, 0.0], &[0.0, 2.0]]),
            &[
                MatrixFunction::Logarithm,
                MatrixFunction::SquareRoot,
                MatrixFunction::Power(0.5),
            ][..],
        ),
        (
            mat(&[&[0.0, 1.0], &[0.0, 0.0]]),
            &[MatrixFunction::Logarithm, MatrixFunction::SquareRoot],
        ),
        (mat(&[&[0.0]]), &[MatrixFunction::Logarithm]),
    ] {
        for &function in functions {
            let found = evaluate_function(a.as_ref(), function);
            assert!(
                matches!(found, Err(FunctionError::BranchCut { .. })),
                "{function:?}: {found:?}"
            );
        }
    }
    let singular = mat(&[&[1.0, 2.0], &[2.0, 4.0]]);
    assert!(matches!(
        evaluate_function(singular.as_ref(), MatrixFunction::Power(-1.0)),
        Err(FunctionError::Singular)
    ));
    let large = mat(&[&[1000.0]]);
    assert!(matches!(
        evaluate_function(large.as_ref(), MatrixFunction::Exponential),
        Err(FunctionError::Overflow)
    ));
}

/// 22 matrices times 7 functions: the true error is within ten times the estimate, and small against the condition.
#[test]
fn agrees_with_references() {
    let mut failures = Vec::new();
    for case in reference::CASES {
        let n = case.a.len().isqrt();
        let a = super::super::columns_of(case.a, n, n);
        for (function, expected) in case.values {
            let expected = super::super::columns_of(expected, n, n);
            let found = evaluate_function(a.as_ref(), *function)
                .unwrap_or_else(|err| panic!("{}, {function:?}: {err}", case.name));
            let error = distance(&found.value, &expected);
            let honest = error <= 10.0 * found.error_estimate;
            let small = error <= 2e-14 * found.condition.max(1.0);
            if !honest || !small {
                failures.push(format!(
                    "{}, {function:?}: error {error:.1e}, estimate {:.1e}, condition {:.1e}",
                    case.name, found.error_estimate, found.condition
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
