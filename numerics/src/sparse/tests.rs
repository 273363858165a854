//! Tests of the kernels: small systems by hand, agreement with the dense kernels, and the properties of each part.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use proptest::prelude::*;

use super::lu::SparseLu;
use super::{
    CsrMatrix, IndefiniteEvidence, PreconditionerMethod, SparseError, SparseEvidence, SparseMethod,
    SparseOptions, solve_sparse_system,
};
use crate::dense;
use crate::dense::condition::LinearOperator as _;
use crate::watch::{Interruption, NoWatch, Watch};

/// The five-point Laplacian of m x m points (-1 beside, 4 on the diagonal).
fn poisson(m: usize) -> CsrMatrix {
    convection(m, 0.0)
}

/// The same with wind: -1 - wind on the left, -1 + wind on the right.
fn convection(m: usize, wind: f64) -> CsrMatrix {
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |row: usize, column: usize, value: f64| {
        rows.push(row as u32);
        columns.push(column as u32);
        values.push(value);
    };
    for y in 0..m {
        for x in 0..m {
            let at = y * m + x;
            add(at, at, 4.0);
            if x > 0 {
                add(at, at - 1, -1.0 - wind);
            }
            if x + 1 < m {
                add(at, at + 1, -1.0 + wind);
            }
            if y > 0 {
                add(at, at - m, -1.0);
            }
            if y + 1 < m {
                add(at, at + m, -1.0);
            }
        }
    }
    CsrMatrix::from_triplets(m * m, m * m, &rows, &columns, &values)
}

fn with(method: SparseMethod, preconditioning: Option<PreconditionerMethod>) -> SparseOptions {
    SparseOptions {
        method: Some(method),
        preconditioning,
        tolerance: 1e-12,
        ..SparseOptions::default()
    }
}

/// `A x` for x = 1, 2, 3, ... modulo 7, and that x.
fn known(a: &CsrMatrix) -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..a.row_count())
        .map(|index| (index % 7) as f64 - 3.0)
        .collect();
    let mut b = vec![0.0; x.len()];
    a.multiply(&x, &mut b);
    (b, x)
}

fn distance(found: &[f64], expected: &[f64]) -> f64 {
    let difference: Vec<f64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    dense::max_abs(&difference) / dense::max_abs(expected)
}

#[test]
fn triplets_are_sorted_summed_and_zeros_left_out() {
    let a = CsrMatrix::from_triplets(
        3,
        4,
        &[2, 0, 0, 1, 0, 1, 2],
        &[3, 2, 0, 1, 2, 1, 0],
        &[7.0, 1.0, 2.0, 5.0, 3.0, -5.0, 0.0],
    );
    assert_eq!(
        (a.starts(), a.columns(), a.values()),
        (&[0, 2, 2, 3][..], &[0, 2, 3][..], &[2.0, 4.0, 7.0][..])
    );
    let same = CsrMatrix::from_rows(
        4,
        vec![0, 4, 6, 7],
        vec![2, 0, 2, 0, 1, 1, 3],
        vec![1.0, 1.0, 3.0, 1.0, 5.0, -5.0, 7.0],
    );
    assert_eq!(a, same);
    let back = a.transposed();
    assert_eq!(
        (back.row_count(), back.get(3, 2), back.get(2, 0)),
        (4, 7.0, 4.0)
    );
    assert_eq!(back.transposed(), a);
}

#[test]
fn asymmetry_names_the_first_place() {
    assert_eq!(poisson(5).asymmetry(), None);
    let a = CsrMatrix::from_triplets(3, 3, &[0, 1, 1, 2], &[0, 1, 2, 2], &[1.0; 4]);
    assert_eq!(a.asymmetry(), Some((1, 2)));
    let a = CsrMatrix::from_triplets(2, 2, &[0, 0, 1, 1], &[0, 1, 0, 1], &[1.0, 2.0, 2.5, 1.0]);
    assert_eq!(a.asymmetry(), Some((0, 1)));
}

#[test]
fn every_method_and_preconditioner_finds_the_same() {
    let a = poisson(30);
    let (b, x) = known(&a);
    let cg = SparseMethod::ConjugateGradient;
    let cases = [
        with(SparseMethod::Cholesky, None),
        with(SparseMethod::Lu, None),
        with(cg, Some(PreconditionerMethod::None)),
        with(cg, Some(PreconditionerMethod::Jacobi)),
        with(cg, Some(PreconditionerMethod::IncompleteCholesky)),
        with(cg, Some(PreconditionerMethod::Multigrid)),
        with(SparseMethod::Gmres, Some(PreconditionerMethod::None)),
        with(SparseMethod::Gmres, Some(PreconditionerMethod::Jacobi)),
        with(
            SparseMethod::Gmres,
            Some(PreconditionerMethod::IncompleteLu),
        ),
        with(SparseMethod::Gmres, Some(PreconditionerMethod::Multigrid)),
        SparseOptions::default(),
    ];
    for options in cases {
        let found = solve_sparse_system(&a, &b, 1, &options, &NoWatch)
            .unwrap_or_else(|err| panic!("{options:?}: {err}"));
        // The condition is 400: a residual of 1e-12 leaves an error below 4e-10.
        let limit = match found.evidence {
            SparseEvidence::Direct { .. } => 1e-15,
            SparseEvidence::Iterative { .. } => 4e-10,
        };
        assert!(
            distance(&found.x, &x) <= limit,
            "{options:?}: {}",
            distance(&found.x, &x)
        );
        assert!(found.relative_residual <= 1e-10, "{options:?}");
    }
}

#[test]
fn unsymmetric_systems_are_eliminated_or_iterated() {
    let a = convection(25, 0.7);
    let (b, x) = known(&a);
    for options in [
        with(SparseMethod::Lu, None),
        with(SparseMethod::Gmres, None),
        SparseOptions::default(),
    ] {
        let found = solve_sparse_system(&a, &b, 1, &options, &NoWatch).unwrap();
        assert!(
            distance(&found.x, &x) <= 1e-9,
            "{options:?}: {}",
            distance(&found.x, &x)
        );
    }
}

/// The transposed solve, on which the condition rests, against the plain solve of the transpose.
#[test]
fn factors_solve_with_the_transpose_too() {
    let a = convection(12, 0.4);
    let (b, _) = known(&a);
    let forward = SparseLu::new(&a.transposed(), f64::INFINITY, &NoWatch).unwrap();
    let backward = SparseLu::new(&a, f64::INFINITY, &NoWatch).unwrap();
    let (mut x, mut y) = (b.clone(), b);
    forward.apply(&mut x);
    backward.apply_transposed(&mut y);
    assert!(distance(&x, &y) < 1e-13);
}

/// Iterations that depend on the size would show here: 40 x 40 and 160 x 160 points.
#[test]
fn multigrid_needs_the_same_iterations_for_every_size() {
    let iterations = |m: usize| {
        let a = poisson(m);
        let b = vec![1.0; m * m];
        let options = SparseOptions {
            tolerance: 1e-8,
            ..with(
                SparseMethod::ConjugateGradient,
                Some(PreconditionerMethod::Multigrid),
            )
        };
        match solve_sparse_system(&a, &b, 1, &options, &NoWatch)
            .unwrap()
            .evidence
        {
            SparseEvidence::Iterative { iterations, .. } => iterations,
            SparseEvidence::Direct { .. } => unreachable!("an iteration was requested"),
        }
    };
    let (small, large) = (iterations(40), iterations(160));
    assert!(small <= 15 && large <= 18, "{small} {large}");
}

#[test]
fn the_estimated_energy_error_is_near_the_true_one() {
    let a = poisson(40);
    let (b, x) = known(&a);
    for preconditioning in [
        PreconditionerMethod::Jacobi,
        PreconditionerMethod::IncompleteCholesky,
        PreconditionerMethod::Multigrid,
    ] {
        let options = SparseOptions {
            tolerance: 1e-6,
            ..with(SparseMethod::ConjugateGradient, Some(preconditioning))
        };
        let found = solve_sparse_system(&a, &b, 1, &options, &NoWatch).unwrap();
        let SparseEvidence::Iterative {
            error_estimate: Some(estimate),
            ..
        } = found.evidence
        else {
            panic!("no estimate");
        };
        let energy = |v: &[f64]| {
            let mut image = vec![0.0; v.len()];
            a.multiply(v, &mut image);
            dense::dot(v, &image).sqrt()
        };
        let error: Vec<f64> = found.x.iter().zip(&x).map(|(a, b)| a - b).collect();
        let truth = energy(&error) / energy(&x);
        assert!(
            truth <= estimate && estimate <= 100.0 * truth,
            "{preconditioning:?}: {estimate:.1e} {truth:.1e}"
        );
    }
}

#[test]
fn faults_are_named() {
    let failed = |a: &CsrMatrix, options: SparseOptions| {
        solve_sparse_system(a, &vec![1.0; a.row_count()], 1, &options, &NoWatch).unwrap_err()
    };
    let empty_row = CsrMatrix::from_triplets(3, 3, &[0, 2, 2], &[0, 1, 2], &[1.0; 3]);
    assert_eq!(
        failed(&empty_row, SparseOptions::default()),
        SparseError::EmptyRow(1)
    );
    let empty_column = CsrMatrix::from_triplets(3, 3, &[0, 1, 2], &[0, 0, 2], &[1.0; 3]);
    assert_eq!(
        failed(&empty_column, SparseOptions::default()),
        SparseError::EmptyColumn(1)
    );
    // Two equal rows; no row or column is empty.
    let singular = CsrMatrix::from_triplets(
        3,
        3,
        &[0, 0, 1, 1, 2],
        &[0, 1, 0, 1, 2],
        &[1.0, 2.0, 1.0, 2.0, 3.0],
    );
    assert!(matches!(
        failed(&singular, SparseOptions::default()),
        SparseError::Singular(_)
    ));
    // Rows 0 and 1 both have column 2 only.
    let structural = CsrMatrix::from_triplets(3, 3, &[0, 1, 2, 2, 2], &[2, 2, 0, 1, 2], &[1.0; 5]);
    assert!(matches!(
        failed(&structural, SparseOptions::default()),
        SparseError::Singular(_)
    ));
    let indefinite =
        CsrMatrix::from_triplets(2, 2, &[0, 0, 1, 1], &[0, 1, 0, 1], &[1.0, 2.0, 2.0, 1.0]);
    assert!(matches!(
        failed(&indefinite, with(SparseMethod::Cholesky, None)),
        SparseError::NotPositiveDefinite(IndefiniteEvidence::Pivot(_))
    ));
    // Of [1, 2; 2, 1] and b = (1, 0) the first direction has curvature 1, the second -3.
    let outcome = solve_sparse_system(
        &indefinite,
        &[1.0, 0.0],
        1,
        &with(
            SparseMethod::ConjugateGradient,
            Some(PreconditionerMethod::None),
        ),
        &NoWatch,
    );
    assert_eq!(
        outcome.unwrap_err(),
        SparseError::NotPositiveDefinite(IndefiniteEvidence::Curvature(2))
    );
    let negative = CsrMatrix::from_triplets(2, 2, &[0, 1], &[0, 1], &[1.0, -1.0]);
    assert_eq!(
        failed(&negative, with(SparseMethod::Cholesky, None)),
        SparseError::NotPositiveDefinite(IndefiniteEvidence::Diagonal(1))
    );
    let skew = convection(3, 0.5);
    assert_eq!(
        failed(&skew, with(SparseMethod::ConjugateGradient, None)),
        SparseError::NotSymmetric { row: 0, column: 1 }
    );
    let hollow = CsrMatrix::from_triplets(2, 2, &[0, 1], &[1, 0], &[1.0, 1.0]);
    for kind in [
        PreconditionerMethod::Jacobi,
        PreconditionerMethod::IncompleteLu,
    ] {
        let err = failed(&hollow, with(SparseMethod::Gmres, Some(kind)));
        assert!(
            matches!(err, SparseError::Breakdown { row: 0, .. }),
            "{err:?}"
        );
    }
}

#[test]
fn an_indefinite_matrix_goes_from_cholesky_to_lu() {
    let a = CsrMatrix::from_triplets(2, 2, &[0, 0, 1, 1], &[0, 1, 0, 1], &[1.0, 2.0, 2.0, 1.0]);
    let found =
        solve_sparse_system(&a, &[5.0, 4.0], 1, &SparseOptions::default(), &NoWatch).unwrap();
    assert_eq!((found.x, found.method), (vec![1.0, 2.0], SparseMethod::Lu));
    assert!(matches!(
        found.abandoned[..],
        [(SparseMethod::Cholesky, SparseError::NotPositiveDefinite(_))]
    ));
}

#[test]
fn no_convergence_brings_the_best_point() {
    let a = poisson(40);
    let b = vec![1.0; 1600];
    for (method, preconditioning) in [
        (SparseMethod::ConjugateGradient, PreconditionerMethod::None),
        (SparseMethod::Gmres, PreconditionerMethod::None),
    ] {
        let options = SparseOptions {
            iterations_max: 20,
            ..with(method, Some(preconditioning))
        };
        let Err(SparseError::NoConvergence(best)) =
            solve_sparse_system(&a, &b, 1, &options, &NoWatch)
        else {
            panic!("{method:?} cannot converge in 20 iterations");
        };
        let rest = a.precise_residual(&best.x, &b);
        assert!((dense::euclidean_norm(&rest) / 40.0 / best.residual - 1.0).abs() < 1e-12);
        assert!(best.iterations == 20 && !best.stagnated && best.residual > 1e-12);
    }
    // A tolerance below rounding ends when nothing improves, not at the limit.
    let options = SparseOptions {
        tolerance: 1e-300,
        ..with(
            SparseMethod::ConjugateGradient,
            Some(PreconditionerMethod::Multigrid),
        )
    };
    let Err(SparseError::NoConvergence(best)) = solve_sparse_system(&a, &b, 1, &options, &NoWatch)
    else {
        panic!("1e-300 cannot be reached");
    };
    assert!(best.stagnated && best.residual < 1e-13, "{best}");
}

#[test]
fn sizes_far_apart_are_scaled_and_the_residual_stays_true() {
    // diag(1e200, 1, 1e-200) and a little more.
    let a = CsrMatrix::from_triplets(
        3,
        3,
        &[0, 0, 1, 2],
        &[0, 1, 1, 2],
        &[1e200, 1e199, 1.0, 1e-200],
    );
    let found = solve_sparse_system(
        &a,
        &[1.1e200, 1.0, 3e-200],
        1,
        &SparseOptions::default(),
        &NoWatch,
    )
    .unwrap();
    assert!(distance(&found.x, &[1.0, 1.0, 3.0]) < 1e-15);
    assert!(matches!(
        found.evidence,
        SparseEvidence::Direct {
            equilibrated: true,
            ..
        }
    ));
    for scale in [1e-250, 1e250] {
        let a = poisson(10).scaled(&[0; 100], &[dense::exponent_of(scale); 100]);
        let (b, x) = known(&a);
        for options in [
            with(SparseMethod::ConjugateGradient, None),
            with(SparseMethod::Gmres, None),
            SparseOptions::default(),
        ] {
            let found = solve_sparse_system(&a, &b, 1, &options, &NoWatch).unwrap();
            assert!(distance(&found.x, &x) < 1e-9, "{scale} {options:?}");
        }
    }
}

#[test]
fn several_right_hand_sides_come_back_row_by_row() {
    let a = poisson(8);
    let (b, x) = known(&a);
    let both: Vec<f64> = b
        .iter()
        .flat_map(|&value| [value, -2.0 * value, 0.0])
        .collect();
    for options in [
        with(SparseMethod::Cholesky, None),
        with(SparseMethod::ConjugateGradient, None),
    ] {
        let found = solve_sparse_system(&a, &both, 3, &options, &NoWatch).unwrap();
        let expected: Vec<f64> = x
            .iter()
            .flat_map(|&value| [value, -2.0 * value, 0.0])
            .collect();
        assert!(distance(&found.x, &expected) < 1e-10);
    }
}

/// Stops after a number of looks.
struct Patience(AtomicUsize);

impl Watch for Patience {
    fn check(&self) -> Result<(), Interruption> {
        let left = self.0.load(Relaxed);
        self.0.store(left.saturating_sub(1), Relaxed);
        if left == 0 {
            return Err(Interruption::Stopped);
        }
        Ok(())
    }
}

/// Has so many bytes.
struct Purse(AtomicU64);

impl Watch for Purse {
    fn reserve(&self, bytes: u64) -> Result<(), Interruption> {
        let Some(left) = self.0.load(Relaxed).checked_sub(bytes) else {
            return Err(Interruption::Memory { bytes });
        };
        self.0.store(left, Relaxed);
        Ok(())
    }

    fn afford(&self, operations: f64) -> Result<(), Interruption> {
        if operations >= 1e6 {
            return Err(Interruption::Cost { operations });
        }
        Ok(())
    }
}

#[test]
fn every_method_looks_at_the_limits() {
    let a = poisson(60);
    let b = vec![1.0; 3600];
    let methods = [
        SparseMethod::Cholesky,
        SparseMethod::Lu,
        SparseMethod::ConjugateGradient,
        SparseMethod::Gmres,
    ];
    for method in methods {
        for patience in [0, 3] {
            let outcome = solve_sparse_system(
                &a,
                &b,
                1,
                &with(method, None),
                &Patience(AtomicUsize::new(patience)),
            );
            assert_eq!(
                outcome.unwrap_err(),
                SparseError::Stopped,
                "{method:?} {patience}"
            );
        }
        for bytes in [1 << 10, 1 << 19] {
            let outcome = solve_sparse_system(
                &a,
                &b,
                1,
                &with(method, None),
                &Purse(AtomicU64::new(bytes)),
            );
            assert!(
                matches!(outcome, Err(SparseError::Memory { .. })),
                "{method:?} {bytes}"
            );
        }
    }
    let outcome = solve_sparse_system(
        &poisson(100),
        &vec![1.0; 10_000],
        1,
        &with(SparseMethod::Cholesky, None),
        &Purse(AtomicU64::new(1 << 30)),
    );
    assert!(matches!(outcome, Err(SparseError::Cost { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Random sparse matrices, most of them unsymmetric and some singular: the sparse answer is the dense one, or both refuse.
    #[test]
    fn elimination_agrees_with_the_dense_one(
        n in 1_usize..12,
        entries in prop::collection::vec((0_u32..12, 0_u32..12, -9_i32..10), 1..60),
    ) {
        let at = |index: u32| index % n as u32;
        let rows: Vec<u32> = entries.iter().map(|entry| at(entry.0)).collect();
        let columns: Vec<u32> = entries.iter().map(|entry| at(entry.1)).collect();
        let values: Vec<f64> = entries.iter().map(|entry| f64::from(entry.2)).collect();
        let a = CsrMatrix::from_triplets(n, n, &rows, &columns, &values);
        let mut full = vec![0.0; n * n];
        for row in 0..n {
            for column in 0..n {
                full[row * n + column] = a.get(row, column);
            }
        }
        let b: Vec<f64> = (0..n).map(|index| index as f64 - 2.5).collect();
        let sparse = solve_sparse_system(&a, &b, 1, &with(SparseMethod::Lu, None), &NoWatch);
        let dense = dense::system::solve_dense_system(&full, n, &b, 1, Some(dense::factors::SquareMethod::Lu));
        match (sparse, dense) {
            (Ok(sparse), Ok(dense)) => {
                let SparseEvidence::Direct { rcond, .. } = sparse.evidence else {
                    panic!("elimination was requested");
                };
                // Rounding decides whether a singular matrix of small integers shows as such.
                if dense.rcond > 1e-10 {
                    prop_assert!(distance(&sparse.x, &dense.x) < 1e-12);
                    // Both estimates of the inverse are lower bounds, of different factors; rarely off by more than three.
                    prop_assert!((0.1..10.0).contains(&(rcond / dense.rcond)));
                }
            }
            (Err(_), Err(_)) => {}
            (Ok(sparse), Err(_)) => {
                let tiny = matches!(sparse.evidence, SparseEvidence::Direct { rcond, .. } if rcond < 1e-14);
                prop_assert!(tiny);
            }
            (Err(_), Ok(dense)) => prop_assert!(dense.rcond < 1e-14),
        }
    }
}
