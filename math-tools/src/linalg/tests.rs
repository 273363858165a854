//! Tests of the family: shared matrices, exact scaling, and independence of the thread pool.

pub(crate) mod nist;
mod tools;

use proptest::prelude::*;
use tool_core::{Ctx, Input, Matrix, Value, json};

use super::dense::{self, Lu, euclidean_norm, exponent_of, scale_by_exponent};
use super::eigen;
use super::solve::{self, Rhs};
use super::svd;
use tool_core::Tool;

/// A full-rank matrix without structure whose entries any language computes to the same bits.
pub(crate) fn formula(m: usize, n: usize) -> Vec<f64> {
    (0..m * n)
        .map(|index| {
            let (i, j) = (index / n, index % n);
            let hash =
                (i * i * 37 + j * j * j * 11 + i * j * (i + 2 * j) * 29 + 101 * i + 3 * j + 5)
                    % 1009;
            hash as f64 / 1009.0 - 0.5
        })
        .collect()
}

/// The Hilbert matrix of size n, each entry rounded.
pub(crate) fn hilbert(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|index| 1.0 / (index / n + index % n + 1) as f64)
        .collect()
}

/// A JSON text as a value.
pub(crate) fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).expect("the test's JSON is right")
}

pub(crate) fn matrix(m: usize, n: usize, data: Vec<f64>) -> Matrix {
    Matrix::new(m, n, data).expect("the sizes fit")
}

/// Largest difference, relative to the largest entry.
pub(crate) fn distance(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let size = dense::max_abs(expected).max(f64::MIN_POSITIVE);
    found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
        / size
}

pub(crate) fn multiply(a: &[f64], b: &[f64], m: usize, n: usize, k: usize) -> Vec<f64> {
    dense::rows_of(
        dense::matrix_product(
            dense::columns_of(a, m, n).as_ref(),
            dense::columns_of(b, n, k).as_ref(),
        )
        .as_ref(),
    )
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Everything the three tools compute for one size, as bits.
fn all_bits(n: usize) -> Vec<Vec<u64>> {
    let ctx = Ctx::default();
    let a = formula(n, n);
    let symmetric: Vec<f64> = (0..n * n)
        .map(|index| a[index] + a[(index % n) * n + index / n])
        .collect();
    let input = |data: &[f64]| Input::Inline(matrix(n, n, data.to_vec()));
    let solved = solve::Args::run(
        solve::Args {
            a: input(&a),
            b: Input::Inline(Rhs::One(
                (0..n).map(|i| i as f64).collect::<Vec<_>>().into(),
            )),
            method: solve::LinearSolveMethod::Auto,
        },
        &ctx,
    )
    .unwrap();
    let mut out = vec![
        bits(solved.x.as_slice()),
        bits(&[solved.rcond, solved.residual]),
    ];
    for data in [&a, &symmetric] {
        let args = eigen::Args {
            a: input(data),
            vectors: n <= 300,
            b: None,
            left: false,
            select: eigen::EigenvalueSelection::All,
            count: None,
        };
        let found = eigen::Args::run(args, &ctx).unwrap();
        out.push(bits(&found.real));
        out.push(bits(&found.imaginary));
        for vectors in [found.eigenvectors, found.eigenvectors_real]
            .into_iter()
            .flatten()
        {
            out.push(bits(vectors.as_slice()));
        }
    }
    let args = svd::Args {
        a: input(&a),
        full: false,
        vectors: Some(svd::SingularVectorSelection::Thin),
        components: None,
        randomised: false,
        seed: None,
    };
    let found = svd::Args::run(args, &ctx).unwrap();
    out.push(bits(&found.singular_values));
    out.extend(
        found
            .u
            .iter()
            .chain(&found.v)
            .map(|factor| bits(factor.as_slice())),
    );
    out
}

#[test]
fn results_have_the_same_bits_in_pools_of_1_2_and_8_threads() {
    for n in [100, 300, 500, 600] {
        let in_pool = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| all_bits(n))
        };
        let expected = in_pool(1);
        assert!(expected.len() >= 9);
        for threads in [2, 8] {
            assert!(in_pool(threads) == expected, "n = {n}, {threads} threads");
        }
        assert!(all_bits(n) == expected, "n = {n}, outside a pool");
    }
}

#[test]
fn small_and_large_lu_agree() {
    for n in [2, 5, 16, 17, 40] {
        let a = formula(n, n);
        let factors = Lu::new(dense::columns_of(&a, n, n));
        let mut x = vec![1.0; n];
        factors.solve_vector(&mut x);
        let image = multiply(&a, &x, n, n, 1);
        assert!(distance(&image, &vec![1.0; n]) < 1e-12, "n = {n}");
        let mut y = vec![1.0; n];
        factors.solve_transposed(&mut y);
        let transposed: Vec<f64> = (0..n * n)
            .map(|index| a[(index % n) * n + index / n])
            .collect();
        assert!(
            distance(&multiply(&transposed, &y, n, n, 1), &vec![1.0; n]) < 1e-12,
            "n = {n}"
        );
    }
}

#[test]
fn qr_reproduces_the_matrix() {
    for (m, n) in [(1, 1), (3, 5), (5, 3), (40, 40), (70, 20), (20, 70)] {
        let a = formula(m, n);
        let (q, r) = dense::thin_qr(dense::columns_of(&a, m, n));
        let size = m.min(n);
        let (q, r) = (dense::rows_of(q.as_ref()), dense::rows_of(r.as_ref()));
        assert!(
            distance(&multiply(&q, &r, m, size, n), &a) < 1e-14,
            "{m} x {n}"
        );
        let gram: Vec<f64> = (0..size * size)
            .map(|index| {
                (0..m)
                    .map(|row| q[row * size + index / size] * q[row * size + index % size])
                    .sum()
            })
            .collect();
        let identity: Vec<f64> = (0..size * size)
            .map(|index| f64::from(u8::from(index / size == index % size)))
            .collect();
        assert!(distance(&gram, &identity) < 1e-14, "{m} x {n}");
    }
}

#[test]
fn norms_do_not_overflow_or_vanish() {
    for (data, expected) in [
        (vec![3e200, 4e200], 5e200),
        (vec![3e-200, 4e-200], 5e-200),
        (vec![3e-320, 4e-320], 5e-320),
        (vec![], 0.0),
        (vec![0.0], 0.0),
    ] {
        let found = euclidean_norm(&data);
        assert!(
            (found - expected).abs() <= 1e-15 * expected + 1e-323,
            "{data:?}: {found}"
        );
    }
}

proptest! {
    #[test]
    fn scaling_by_powers_of_two_is_exact(mantissa in 1.0_f64..2.0, exponent in -1000_i32..1000) {
        let value = scale_by_exponent(mantissa, exponent);
        prop_assert_eq!(exponent_of(value), exponent);
        prop_assert_eq!(scale_by_exponent(value, -exponent), mantissa);
    }
}
