use proptest::prelude::*;
use tool_core::{Ctx, ErrorCode, Input, Tool};

use super::{Args, EigenvalueSelection};
use crate::linalg::tests::{distance, formula, matrix};
use numerics::dense::eigenpairs::{EigenResult, eigen_decomposition};

fn find(n: usize, a: &[f64]) -> EigenResult {
    let found = eigen_decomposition(a, n, true, false).unwrap();
    assert!(
        found.residual.unwrap() < 20.0,
        "residual {:?}",
        found.residual
    );
    assert!(
        found.trace_error < 20.0,
        "trace error {}",
        found.trace_error
    );
    found
}

/// NumPy 2.4.6, `numpy.linalg.eigvals` of the 5 x 5 formula matrix and `eigvalsh` of it plus its transpose.
#[test]
fn agrees_with_numpy() {
    let a = formula(5, 5);
    let found = find(5, &a);
    let real = [
        -1.0313633832256832,
        -0.4542429881201565,
        -0.4542429881201565,
        0.07601897171242221,
        0.23201671084574463,
    ];
    assert!(distance(&found.real, &real) < 1e-14);
    assert!(
        distance(
            &found.imaginary,
            &[0.0, -0.5003343491282015, 0.5003343491282015, 0.0, 0.0]
        ) < 1e-14
    );
    assert!(!found.symmetric);

    let sum: Vec<f64> = (0..25)
        .map(|index| a[index] + a[index % 5 * 5 + index / 5])
        .collect();
    let found = find(5, &sum);
    let expected = [
        -2.38611238318156,
        -1.1260274400378834,
        -0.4953427906225726,
        0.009637273062207678,
        0.73421798696415,
    ];
    assert!(found.symmetric && distance(&found.real, &expected) < 1e-14);
}

/// Eigenvalues 2 - 2 cos(k pi / (n + 1)) of the second difference matrix.
#[test]
fn second_differences_have_cosines_as_eigenvalues() {
    for n in [1_usize, 2, 10, 65, 200] {
        let entry = |index: usize| match (index / n).abs_diff(index % n) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        let a: Vec<f64> = (0..n * n).map(entry).collect();
        let expected: Vec<f64> = (1..=n)
            .map(|k| 2.0 - 2.0 * (k as f64 * std::f64::consts::PI / (n + 1) as f64).cos())
            .collect();
        assert!(
            distance(&find(n, &a).real, &expected) < 1e-14 * n as f64,
            "n = {n}"
        );
    }
}

/// The Frank matrix of size 8: determinant 1, eigenvalues in reciprocal pairs. The small ones have conditions up to 3e3, so that
/// rounding may move them by eps |A| 3e3 = 2e-11, which is 3e-10 of their size.
#[test]
fn frank_matrix() {
    let n = 8;
    let entry = |index: usize| {
        let (i, j) = (index / n, index % n);
        if j + 1 < i {
            0.0
        } else {
            (n - i.max(j)) as f64
        }
    };
    let a: Vec<f64> = (0..n * n).map(entry).collect();
    let found = find(n, &a);
    let product: f64 = found.real.iter().product();
    assert!(
        (product - 1.0).abs() < 1e-9,
        "the determinant is 1: {product}"
    );
    for (small, large) in found.real.iter().zip(found.real.iter().rev()) {
        let miss = (small * large - 1.0).abs();
        assert!(miss < 5e-10, "{small} and {large}: {miss:e}");
    }
}

/// `D T D^-1` with D = diag(1e8, 1, 1e-8) has the eigenvalues of T: 2 - sqrt(3), 2, 2 + sqrt(3).
#[test]
fn balancing_keeps_the_eigenvalues_of_a_badly_scaled_matrix() {
    let a = [1.0, 1e8, 0.0, 1e-8, 2.0, 1e8, 0.0, 1e-8, 3.0];
    let found = eigen_decomposition(&a, 3, true, false).unwrap();
    let expected = [2.0 - 3.0_f64.sqrt(), 2.0, 2.0 + 3.0_f64.sqrt()];
    for (found, expected) in found.real.iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 1e-14, "{found} {expected}");
    }
}

#[test]
fn scaling_of_the_entries_does_not_matter() {
    let a = formula(6, 6);
    let plain = find(6, &a);
    for scale in [1e200, 1e-200, 1e300] {
        let large: Vec<f64> = a.iter().map(|value| value * scale).collect();
        let found = find(6, &large);
        let back = |values: &[f64]| values.iter().map(|value| value / scale).collect::<Vec<_>>();
        assert!(distance(&back(&found.real), &plain.real) < 1e-13);
        assert!(distance(&back(&found.imaginary), &plain.imaginary) < 1e-13);
    }
}

#[test]
fn special_matrices() {
    assert_eq!(find(1, &[-3.0]).real, [-3.0]);
    assert_eq!(find(3, &[0.0; 9]).real, [0.0; 3]);
    let defective = find(2, &[1.0, 1.0, 0.0, 1.0]);
    assert_eq!(
        (defective.real, defective.imaginary),
        (vec![1.0, 1.0], vec![0.0, 0.0])
    );
    let cycle = find(3, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    assert!(distance(&cycle.real, &[-0.5, -0.5, 1.0]) < 1e-15);
    assert!(distance(&cycle.imaginary, &[-0.75_f64.sqrt(), 0.75_f64.sqrt(), 0.0]) < 1e-15);
}

#[test]
fn vectors_have_unit_norm_and_a_positive_largest_entry() {
    let n = 30;
    let found = find(n, &formula(n, n));
    let vectors = found.vectors.unwrap();
    let imaginary = vectors.imaginary.unwrap();
    for column in 0..n {
        let at = |row: usize| (vectors.real[row * n + column], imaginary[row * n + column]);
        let norm: f64 = (0..n)
            .map(|row| at(row).0.powi(2) + at(row).1.powi(2))
            .sum();
        assert!((norm - 1.0).abs() < 1e-14);
        let size = |row: usize| at(row).0.hypot(at(row).1);
        let largest = (0..n).max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap();
        assert!(at(largest).0 > 0.0 && at(largest).1.abs() < 1e-15);
        if found.imaginary[column] == 0.0 {
            assert!((0..n).all(|row| at(row).1 == 0.0));
        }
    }
}

#[test]
fn the_result_has_numbers_only_when_all_are_real() {
    let run = |n, data, vectors| {
        Args::run(
            Args {
                a: Input::Inline(matrix(n, n, data)),
                vectors,
                b: None,
                left: false,
                select: EigenvalueSelection::All,
                count: None,
            },
            &Ctx::default(),
        )
        .unwrap()
    };
    let complex = run(2, vec![0.0, -1.0, 1.0, 0.0], true);
    assert!(complex.eigenvalues.is_none() && complex.eigenvectors.is_none());
    assert!(complex.eigenvectors_real.is_some() && complex.eigenvectors_imaginary.is_some());
    let real = run(2, vec![1.0, 2.0, 0.0, 3.0], true);
    assert_eq!(real.eigenvalues, Some(vec![1.0, 3.0]));
    assert!(real.eigenvectors.is_some() && real.eigenvectors_real.is_none());
    assert!(run(2, vec![1.0, 2.0, 0.0, 3.0], false).residual.is_none());
    let args = Args {
        a: Input::Inline(matrix(2, 3, vec![1.0; 6])),
        vectors: false,
        b: None,
        left: false,
        select: EigenvalueSelection::All,
        count: None,
    };
    let err = Args::run(args, &Ctx::default()).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/A"))
    );
    assert_eq!(err.message(), "expected a square matrix, found 2 x 3");
}

proptest! {
    #[test]
    fn residuals_are_small_for_any_matrix(
        (n, a) in (1_usize..20).prop_flat_map(|n| (Just(n), prop::collection::vec(-1e3_f64..1e3, n * n))),
        symmetric in any::<bool>(),
    ) {
        let a: Vec<f64> = if symmetric {
            (0..n * n).map(|index| a[index] + a[index % n * n + index / n]).collect()
        } else {
            a
        };
        let found = eigen_decomposition(&a, n, true, false).unwrap();
        prop_assert!(found.residual.unwrap() < 20.0, "{:?}", found.residual);
        prop_assert!(found.trace_error < 20.0);
        let values_only = eigen_decomposition(&a, n, false, false).unwrap();
        // Both runs solve the same problem; well separated values agree closely, all agree in sum.
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        prop_assert!((sum(&found.real) - sum(&values_only.real)).abs() < 1e-9);
    }
}
