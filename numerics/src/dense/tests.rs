//! Values-only eigenvalues and singular values against closed forms, the solvers with vectors, and each other.

use std::f64::consts::PI;

use faer::{Mat, MatRef};

use super::cholesky::Cholesky;
use super::singular::values::bidiagonal_values;
use super::symmetric::values::tridiagonal_eigenvalues;
use super::{
    Lu, SingularVectors, euclidean_norm, exponent_of, general_eigen, matrix_product, max_abs,
    rows_of, scale_by_exponent, singular_decomposition, symmetric_eigen, thin_qr,
};

/// LAPACK's bound on a test ratio, `error / (n eps ||A||)`.
const RATIO: f64 = 30.0;

fn random(m: usize, n: usize) -> Mat<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    Mat::from_fn(m, n, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

fn symmetric(n: usize, entry: impl Fn(usize, usize) -> f64) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| entry(i.max(j), i.min(j)))
}

/// The largest difference in units of `n eps` times the largest value.
fn ratio(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let most = found
        .iter()
        .zip(expected)
        .fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
    assert!(found.iter().all(|value| value.is_finite()));
    if most == 0.0 {
        return 0.0;
    }
    most / max_abs(expected) / (found.len() as f64 * f64::EPSILON)
}

#[test]
fn second_differences_have_their_closed_form() {
    // 4 sin^2(k pi / (2 (n + 1))): eigenvalues of the tridiagonal matrix with rows -1, 2, -1.
    for n in [1, 2, 3, 10, 100, 500] {
        let mut values = vec![2.0; n];
        tridiagonal_eigenvalues(&mut values, &vec![-1.0; n - 1]).unwrap();
        let expected: Vec<f64> = (1..=n)
            .map(|k| 4.0 * (k as f64 * PI / (2 * (n + 1)) as f64).sin().powi(2))
            .collect();
        // The closed form itself is rounded: one unit more at n = 1.
        assert!(ratio(&values, &expected) < 2.0, "n = {n}");
    }
}

#[test]
fn bidiagonal_of_ones_has_its_closed_form() {
    // 2 cos(k pi / (2 n + 1)).
    for n in [1, 2, 3, 10, 100, 500] {
        let values = bidiagonal_values(&vec![1.0; n], &vec![1.0; n - 1]).unwrap();
        let expected: Vec<f64> = (1..=n)
            .map(|k| 2.0 * (k as f64 * PI / (2 * n + 1) as f64).cos())
            .collect();
        assert!(ratio(&values, &expected) < 1.0, "n = {n}");
    }
}

#[test]
fn tiny_singular_values_of_a_bidiagonal_keep_their_digits() {
    // Their product is that of the diagonal, over 80 orders of magnitude: only relative accuracy of each keeps it.
    for step in [1.0, 2.0, -2.0] {
        let diagonal: Vec<f64> = (0..40).map(|k| 10_f64.powf(-step * f64::from(k))).collect();
        let above: Vec<f64> = diagonal[..39].iter().map(|value| 0.5 * value).collect();
        let values = bidiagonal_values(&diagonal, &above).unwrap();
        let logarithm = |values: &[f64]| values.iter().map(|value| value.ln()).sum::<f64>();
        // 40 values with a few eps each, and the rounding of sums of size 4000.
        assert!(
            (logarithm(&values) - logarithm(&diagonal)).abs() < 1e-11,
            "step {step}"
        );
    }
}

#[test]
fn an_exact_spectrum_comes_back() {
    // H diag(1..n) H with a reflection H: eigenvalues and singular values 1..n.
    for n in [17, 100, 300] {
        let v = random(n, 1);
        let square: f64 = (0..n).map(|k| v[(k, 0)].powi(2)).sum();
        let mean: f64 = (0..n).map(|k| (k + 1) as f64 * v[(k, 0)].powi(2)).sum();
        let a = symmetric(n, |i, j| {
            let (vi, vj) = (v[(i, 0)], v[(j, 0)]);
            let own = if i == j { (i + 1) as f64 } else { 0.0 };
            own - 2.0 / square * vi * vj * (i + j + 2) as f64
                + 4.0 / (square * square) * mean * vi * vj
        });
        let expected: Vec<f64> = (1..=n).map(|k| k as f64).collect();
        let (values, _) = symmetric_eigen(a.as_ref(), false).unwrap();
        assert!(ratio(&values, &expected) < 1.0, "eigenvalues, n = {n}");
        let (mut values, _) = singular_decomposition(a.as_ref(), SingularVectors::None).unwrap();
        values.reverse();
        assert!(ratio(&values, &expected) < 1.0, "singular values, n = {n}");
    }
}

/// Matrices that are hard in one way each.
fn hard(n: usize) -> Vec<(&'static str, Mat<f64>)> {
    let noise = random(n, n);
    let (s, c) = (1.2_f64.sin(), 1.2_f64.cos());
    let weight = |k: usize| 10_f64.powf(-20.0 * k as f64 / n as f64);
    vec![
        ("random", noise.clone()),
        ("large", Mat::from_fn(n, n, |i, j| 1e200 * noise[(i, j)])),
        ("small", Mat::from_fn(n, n, |i, j| 1e-200 * noise[(i, j)])),
        (
            "near overflow",
            Mat::from_fn(n, n, |i, j| 1e305 * noise[(i, j)]),
        ),
        (
            "graded",
            Mat::from_fn(n, n, |i, j| weight(i) * weight(j) * noise[(i, j)]),
        ),
        (
            "hilbert",
            Mat::from_fn(n, n, |i, j| 1.0 / (i + j + 1) as f64),
        ),
        (
            "rank one",
            Mat::from_fn(n, n, |i, j| noise[(i, 0)] * noise[(j, 0)]),
        ),
        ("ones", Mat::from_fn(n, n, |_, _| 1.0)),
        ("zero", Mat::zeros(n, n)),
        ("identity", Mat::identity(n, n)),
        (
            "jordan",
            Mat::from_fn(n, n, |i, j| f64::from(i == j || i + 1 == j)),
        ),
        (
            "frank",
            Mat::from_fn(n, n, |i, j| {
                if j + 1 >= i {
                    (n - i.max(j)) as f64
                } else {
                    0.0
                }
            }),
        ),
        (
            "kahan",
            Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => -c * s.powi(i as i32),
                std::cmp::Ordering::Equal => s.powi(i as i32),
                std::cmp::Ordering::Greater => 0.0,
            }),
        ),
        (
            "grcar",
            Mat::from_fn(n, n, |i, j| {
                if i == j + 1 {
                    -1.0
                } else {
                    f64::from(j >= i && j <= i + 3)
                }
            }),
        ),
        (
            "wilkinson",
            Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
                0 => (i as f64 - (n / 2) as f64).abs(),
                1 => 1.0,
                _ => 0.0,
            }),
        ),
    ]
}

#[test]
fn values_alone_agree_with_values_beside_vectors() {
    for n in [1, 2, 3, 5, 21, 60, 120] {
        for (name, a) in hard(n) {
            let both = symmetric(n, |i, j| a[(i, j)]);
            // The reference wants entries of ordinary size; the powers of two change no digit.
            let largest = (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
            let largest = largest.fold(0.0, |most: f64, at| most.max(a[at].abs()));
            let scale = scale_by_exponent(1.0, -exponent_of(largest));
            let inside = Mat::from_fn(n, n, |i, j| scale * both[(i, j)]);
            let (values, _) = symmetric_eigen(both.as_ref(), false).unwrap();
            let (expected, _) = symmetric_eigen(inside.as_ref(), true).unwrap();
            let values: Vec<f64> = values.iter().map(|value| scale * value).collect();
            assert!(ratio(&values, &expected) < RATIO, "eigenvalues, {name} {n}");
            assert!(values.is_sorted(), "eigenvalues, {name} {n}");

            let inside = Mat::from_fn(n, n, |i, j| scale * a[(i, j)]);
            let (values, _) = singular_decomposition(a.as_ref(), SingularVectors::None).unwrap();
            let (expected, _) =
                singular_decomposition(inside.as_ref(), SingularVectors::Thin).unwrap();
            let values: Vec<f64> = values.iter().map(|value| scale * value).collect();
            assert!(
                ratio(&values, &expected) < RATIO,
                "singular values, {name} {n}"
            );
            assert!(
                values.iter().all(|&value| value >= 0.0),
                "singular values, {name} {n}"
            );
            assert!(
                values.is_sorted_by(|a, b| a >= b),
                "singular values, {name} {n}"
            );
        }
    }
}

/// The largest entry of a matrix.
fn largest(a: &Mat<f64>) -> f64 {
    (0..a.ncols()).fold(0.0, |most: f64, j| most.max(max_abs(a.col_as_slice(j))))
}

#[test]
fn symmetric_vectors_diagonalise_and_are_orthonormal() {
    for n in [1, 2, 3, 5, 21, 33, 64, 65, 97, 130, 260] {
        let mut families = hard(n);
        // Wilkinson matrices glued by small numbers, clusters, and a matrix that falls into blocks.
        let glued = |i: usize, j: usize| match (i.abs_diff(j), i.max(j) % 21) {
            (0, row) => (row as f64 - 10.0).abs(),
            (1, 0) => 1e-7,
            (1, _) => 1.0,
            _ => 0.0,
        };
        families.push(("glued", Mat::from_fn(n, n, glued)));
        let noise = random(n, n);
        let near = |i: usize, j: usize| f64::from(i == j) + 1e-14 * noise[(i, j)];
        families.push(("clustered", Mat::from_fn(n, n, near)));
        let cut = |i: usize, j: usize| if i / 40 == j / 40 { noise[(i, j)] } else { 0.0 };
        families.push(("blocks", Mat::from_fn(n, n, cut)));
        for (name, a) in families {
            let both = symmetric(n, |i, j| a[(i, j)]);
            let (values, basis) = symmetric_eigen(both.as_ref(), true).unwrap();
            let basis = basis.unwrap();
            assert!(values.is_sorted(), "{name} {n}");
            let unit = n as f64 * f64::EPSILON;
            let gram = matrix_product(basis.transpose(), basis.as_ref());
            let off = largest(&(gram - Mat::<f64>::identity(n, n)));
            assert!(off < RATIO * unit, "orthogonality {off}, {name} {n}");
            let scale = scale_by_exponent(1.0, -exponent_of(largest(&both)));
            let inside = Mat::from_fn(n, n, |i, j| scale * both[(i, j)]);
            let image = matrix_product(inside.as_ref(), basis.as_ref());
            let stretched = Mat::from_fn(n, n, |i, j| basis[(i, j)] * (scale * values[j]));
            let norm = max_abs(&values).max(f64::MIN_POSITIVE) * scale;
            let off = largest(&(image - stretched));
            assert!(off <= RATIO * unit * norm, "residual {off}, {name} {n}");
        }
    }
}

#[test]
fn general_vectors_satisfy_their_equation() {
    for n in [1, 2, 3, 4, 5, 9, 21, 60, 120, 201] {
        let mut families = hard(n);
        // Rotations by all angles, and a cycle: eigenvalues on the unit circle.
        let shift = |i: usize, j: usize| f64::from((i + 1) % n == j);
        families.push(("cycle", Mat::from_fn(n, n, shift)));
        let noise = random(n, n);
        let skew = |i: usize, j: usize| noise[(i, j)] - noise[(j, i)];
        families.push(("skew", Mat::from_fn(n, n, skew)));
        for (name, a) in families {
            let scale = scale_by_exponent(1.0, -exponent_of(largest(&a)));
            let inside = Mat::from_fn(n, n, |i, j| scale * a[(i, j)]);
            let found = general_eigen(a.as_ref(), true).unwrap();
            let basis = found.vectors.unwrap();
            let image = matrix_product(inside.as_ref(), basis.as_ref());
            // The Frobenius norm bounds the backward error of orthogonal transformations.
            let norm = euclidean_norm(&rows_of(inside.as_ref())).max(f64::MIN_POSITIVE);
            let unit = n as f64 * f64::EPSILON * norm;
            let (mut trace, mut at) = (0.0, 0);
            while at < n {
                let (re, im) = (scale * found.real[at], scale * found.imaginary[at]);
                let pair = im != 0.0;
                assert!(im >= 0.0, "{name} {n}");
                trace += re * if pair { 2.0 } else { 1.0 };
                let column = |k: usize| basis.col_as_slice(k);
                let (x, y) = (column(at), if pair { column(at + 1) } else { &[] });
                let y = |row: usize| y.get(row).copied().unwrap_or(0.0);
                let length = x.iter().enumerate().map(|(row, x)| x.hypot(y(row)));
                let length = euclidean_norm(&length.collect::<Vec<_>>());
                assert!(length > 0.0 && length.is_finite(), "{name} {n}");
                for (row, &x) in x.iter().enumerate() {
                    let real = image[(row, at)] - (re * x - im * y(row));
                    let imaginary = if pair {
                        image[(row, at + 1)] - (re * y(row) + im * x)
                    } else {
                        0.0
                    };
                    let off = real.hypot(imaginary) / length;
                    assert!(off <= RATIO * unit, "residual {off}, {name} {n}, pair {at}");
                }
                at += if pair { 2 } else { 1 };
            }
            let expected: f64 = (0..n).map(|k| inside[(k, k)]).sum();
            assert!(
                (trace - expected).abs() <= RATIO * unit,
                "trace, {name} {n}"
            );
        }
    }
}

#[test]
fn eigenvalues_of_a_cycle_are_the_roots_of_unity() {
    for n in [3, 8, 50, 120] {
        let a = Mat::from_fn(n, n, |i, j| f64::from((i + 1) % n == j));
        let found = general_eigen(a.as_ref(), false).unwrap();
        let mut angles: Vec<f64> = (0..n)
            .map(|k| found.imaginary[k].atan2(found.real[k]))
            .collect();
        angles.sort_by(f64::total_cmp);
        for (k, angle) in angles.iter().enumerate() {
            let size = found.real[k].hypot(found.imaginary[k]);
            assert!((size - 1.0).abs() < 1e-13, "n = {n}");
            // Ascending from just above -pi; -1 itself may come first or last.
            let turns = angle / (2.0 * PI) * n as f64;
            assert!((turns - turns.round()).abs() < 1e-11, "n = {n}, {angle}");
        }
    }
}

#[test]
fn wide_and_tall_matrices_have_the_same_singular_values() {
    for (m, n) in [(1, 7), (3, 2), (40, 39), (80, 50), (200, 20), (0, 3)] {
        let a = random(m, n);
        let values =
            |a: MatRef<'_, f64>| singular_decomposition(a, SingularVectors::None).unwrap().0;
        let tall = values(a.as_ref());
        assert_eq!(tall.len(), m.min(n));
        assert_eq!(tall, values(a.transpose()), "{m} x {n}");
        if m > 0 {
            let (expected, _) = singular_decomposition(a.as_ref(), SingularVectors::Thin).unwrap();
            assert!(ratio(&tall, &expected) < RATIO, "{m} x {n}");
        }
    }
}

#[test]
fn entries_that_are_not_numbers_are_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut a = Mat::<f64>::identity(20, 20);
        a[(11, 4)] = bad;
        assert!(symmetric_eigen(a.as_ref(), false).is_err());
        assert!(symmetric_eigen(a.as_ref(), true).is_err());
        assert!(singular_decomposition(a.as_ref(), SingularVectors::None).is_err());
        assert!(general_eigen(a.as_ref(), true).is_err());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for n in [100, 300, 600, 1100] {
        let a = random(n, n);
        let run = || {
            let mut bits = symmetric_eigen(a.as_ref(), false).unwrap().0;
            bits.extend(
                singular_decomposition(a.as_ref(), SingularVectors::None)
                    .unwrap()
                    .0,
            );
            let factors = Lu::new(a.clone());
            bits.extend((0..n).map(|k| factors.packed[(k, k)]));
            let mut add = |matrix: Mat<f64>| {
                (0..matrix.ncols()).for_each(|j| bits.extend(matrix.col_as_slice(j)));
            };
            add(symmetric_eigen(a.as_ref(), true).unwrap().1.unwrap());
            add(general_eigen(a.as_ref(), true).unwrap().vectors.unwrap());
            let (u, v) = singular_decomposition(a.as_ref(), SingularVectors::Thin)
                .unwrap()
                .1
                .unwrap();
            add(u);
            add(v);
            add(thin_qr(a.clone()).0);
            add(matrix_product(a.as_ref(), a.as_ref()));
            let definite = Mat::from_fn(n, n, |i, j| {
                a[(i.max(j), i.min(j))] + if i == j { n as f64 } else { 0.0 }
            });
            add(Cholesky::new(definite).unwrap().lower());
            bits.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
        };
        let expected = run();
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert!(pool.install(run) == expected, "n = {n}, {threads} threads");
        }
    }
}
