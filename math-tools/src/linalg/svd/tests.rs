use proptest::prelude::*;
use tool_core::{CallBudget, Ctx, ErrorCode, Input, Matrix, StopFlag, Tool, ToolError};

use super::{Args, Output, SingularVectorSelection};
use crate::linalg::dense::SingularVectors;
use crate::linalg::tests::{distance, formula, hilbert, matrix, multiply};
use numerics::dense::decomposition::{SvdResult, singular_value_decomposition};

fn call(
    a: Matrix,
    full: bool,
    vectors: Option<SingularVectorSelection>,
) -> Result<Output, ToolError> {
    Args::run(
        Args {
            a: Input::Inline(a),
            full,
            vectors,
            components: None,
            randomised: false,
            seed: None,
        },
        &Ctx::default(),
    )
}

/// NumPy 2.4.6, `numpy.linalg.svd`.
#[test]
fn agrees_with_numpy() {
    let values = |a: &[f64], m, n| {
        singular_value_decomposition(a, m, n, SingularVectors::None)
            .unwrap()
            .values
    };
    let expected = [1.1349636807137349, 0.7209354384867811, 0.18762806493677286];
    assert!(distance(&values(&formula(5, 3), 5, 3), &expected) < 1e-15);
    let expected = [
        1.7953720595619977,
        0.38027524595503703,
        0.04473854875218106,
        0.0037223122378911592,
        0.00023308908902177245,
        1.1163357483228818e-05,
        4.082376110418266e-07,
        1.1228610667654038e-08,
        2.2519645337231846e-10,
        3.111345518032038e-12,
        2.649127597755537e-14,
        1.0930117336481689e-16,
    ];
    assert!(distance(&values(&hilbert(12), 12, 12), &expected) < 1e-15);
}

fn check(m: usize, n: usize, a: &[f64], vectors: SingularVectors) -> SvdResult {
    let found = singular_value_decomposition(a, m, n, vectors).unwrap();
    assert!(
        found
            .values
            .windows(2)
            .all(|pair| pair[0] >= pair[1] && pair[1] >= 0.0)
    );
    assert!(found.norm_error < 20.0, "{m} x {n}: {}", found.norm_error);
    if let (Some((u, u_columns)), Some((v, v_columns))) = (&found.u, &found.v) {
        assert!(
            found.residual.unwrap() < 20.0,
            "{m} x {n}: {:?}",
            found.residual
        );
        for (factor, rows, columns) in [(u, m, *u_columns), (v, n, *v_columns)] {
            let transposed: Vec<f64> = (0..rows * columns)
                .map(|index| factor[index % rows * columns + index / rows])
                .collect();
            let gram = multiply(&transposed, factor, columns, rows, columns);
            let identity: Vec<f64> = (0..columns * columns)
                .map(|index| f64::from(u8::from(index / columns == index % columns)))
                .collect();
            assert!(
                distance(&gram, &identity) < 1e-13,
                "{m} x {n}: columns are orthonormal"
            );
        }
    }
    found
}

#[test]
fn factors_are_orthonormal_and_reproduce_the_matrix() {
    for (m, n) in [
        (1, 1),
        (1, 4),
        (4, 1),
        (3, 3),
        (7, 4),
        (4, 7),
        (60, 8),
        (8, 60),
        (90, 90),
    ] {
        let a = formula(m, n);
        let none = check(m, n, &a, SingularVectors::None);
        let thin = check(m, n, &a, SingularVectors::Thin);
        let full = check(m, n, &a, SingularVectors::Full);
        assert!(none.u.is_none() && none.residual.is_none());
        assert!(
            // Values alone come by another method: n eps apart at most.
            distance(&none.values, &thin.values) < 3e-14
                && distance(&none.values, &full.values) < 3e-14
        );
        let size = m.min(n);
        let (u, columns) = thin.u.unwrap();
        assert_eq!(columns, size);
        let (v, _) = thin.v.unwrap();
        let weighted: Vec<f64> = u
            .iter()
            .enumerate()
            .map(|(index, value)| value * thin.values[index % size])
            .collect();
        let v_transposed: Vec<f64> = (0..n * size)
            .map(|index| v[index % n * size + index / n])
            .collect();
        assert!(distance(&multiply(&weighted, &v_transposed, m, size, n), &a) < 1e-13);
        assert_eq!((full.u.unwrap().1, full.v.unwrap().1), (m, n));
    }
}

#[test]
fn rank_and_condition() {
    let rank = |data: Matrix| call(data, false, None).unwrap();
    let found = rank(Matrix::from([
        [1.0, 2.0, 3.0],
        [4.0, 5.0, 6.0],
        [7.0, 8.0, 9.0],
    ]));
    assert_eq!(found.rank, 2);
    assert!(found.condition.0 > 1e15);
    let zero = rank(Matrix::from([[0.0, 0.0]]));
    assert_eq!(
        (zero.rank, zero.singular_values, zero.condition.0),
        (0, vec![0.0], f64::INFINITY)
    );
    // The smallest singular value of the Hilbert matrix, 1.1e-16, lies below 12 eps times the largest.
    assert_eq!(rank(matrix(12, 12, hilbert(12))).rank, 11);
    for scale in [1e-300, 1e200, 1e300] {
        let found = rank(matrix(2, 2, vec![3.0 * scale, 0.0, 0.0, 2.0 * scale]));
        assert!(distance(&found.singular_values, &[3.0 * scale, 2.0 * scale]) < 1e-15);
        assert_eq!(found.rank, 2);
    }
}

#[test]
fn the_arguments_choose_the_vectors() {
    let a = || matrix(3, 2, formula(3, 2));
    let shape = |output: Output| {
        output
            .u
            .zip(output.v)
            .map(|(u, v)| ((u.rows(), u.columns()), (v.rows(), v.columns())))
    };
    let cases = [
        (false, None, None),
        (true, None, Some(((3, 3), (2, 2)))),
        (false, Some(SingularVectorSelection::None), None),
        (
            false,
            Some(SingularVectorSelection::Thin),
            Some(((3, 2), (2, 2))),
        ),
        (
            false,
            Some(SingularVectorSelection::Full),
            Some(((3, 3), (2, 2))),
        ),
        (
            true,
            Some(SingularVectorSelection::Full),
            Some(((3, 3), (2, 2))),
        ),
    ];
    for (full, vectors, expected) in cases {
        assert_eq!(
            shape(call(a(), full, vectors).unwrap()),
            expected,
            "{full} {vectors:?}"
        );
    }
    for vectors in [SingularVectorSelection::None, SingularVectorSelection::Thin] {
        let err = call(a(), true, Some(vectors)).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/vectors"))
        );
    }
}

#[test]
fn a_full_basis_of_a_long_matrix_is_refused_before_it_is_allocated() {
    let args = Args {
        a: Input::Inline(matrix(20_000, 1, vec![1.0; 20_000])),
        full: true,
        vectors: None,
        components: None,
        randomised: false,
        seed: None,
    };
    let budget = CallBudget {
        memory_bytes: 1 << 30,
        ..CallBudget::default()
    };
    let err = Args::run(args, &Ctx::new(StopFlag::new(), budget)).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("memory"))
    );
}

proptest! {
    #[test]
    fn any_shape_is_reproduced(
        (m, n, a) in (1_usize..20, 1_usize..20)
            .prop_flat_map(|(m, n)| (Just(m), Just(n), prop::collection::vec(-1e3_f64..1e3, m * n))),
    ) {
        let found = singular_value_decomposition(&a, m, n, SingularVectors::Thin).unwrap();
        prop_assert!(found.residual.unwrap() < 20.0, "{:?}", found.residual);
        prop_assert!(found.norm_error < 20.0);
    }
}
