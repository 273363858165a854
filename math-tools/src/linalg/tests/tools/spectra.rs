//! Eigenvalues and singular values: conditions, selections, truncations.

use super::*;

/// Left vectors and conditions: of a triangle by hand, and every left vector against its eigenvalue.
#[test]
fn left_vectors_and_conditions() {
    let found = run("matrix_eigenvalues", r#"{"A":[[1,100],[0,2]],"left":true}"#);
    // x = (1, 0) and y = (1, -100) / |.|: 1 / |y* x| = sqrt(10001).
    assert!(distance(&numbers(&found, "conditions"), &[10_001_f64.sqrt(); 2]) < 1e-12);
    let n = 9;
    let a = formula(n, n);
    let args = Value::object([("A", rows(&a, n)), ("left", Value::from(true))]);
    let (found, _) = call("matrix_eigenvalues", &args).unwrap();
    let (re, im) = (numbers(&found, "real"), numbers(&found, "imaginary"));
    let (y, y_im) = (
        numbers(&found, "left_eigenvectors_real"),
        numbers(&found, "left_eigenvectors_imaginary"),
    );
    for k in 0..n {
        for column in 0..n {
            let sum =
                |y: &[f64]| -> f64 { (0..n).map(|row| y[row * n + k] * a[row * n + column]).sum() };
            // y* A = lambda y*, the conjugate of A' y = conj(lambda) y.
            let (x, x_im) = (y[column * n + k], y_im[column * n + k]);
            assert!(
                (sum(&y) - (re[k] * x + im[k] * x_im)).abs() < 1e-13,
                "vector {k}"
            );
            assert!(
                (sum(&y_im) - (re[k] * x_im - im[k] * x)).abs() < 1e-13,
                "vector {k}"
            );
        }
    }
    assert!(
        numbers(&found, "conditions")
            .iter()
            .all(|&value| value >= 1.0 - 1e-14)
    );
}

/// Small pairs by hand; others by their residual.
#[test]
fn generalised_eigenvalues() {
    let found = run(
        "matrix_eigenvalues",
        r#"{"A":[[2,1],[1,3]],"B":[[4,1],[1,2]],"vectors":true}"#,
    );
    assert_eq!(found.get("method").unwrap().as_str(), Some("cholesky"));
    // 7 l^2 - 14 l + 5 = 0.
    let root = (2.0_f64 / 7.0).sqrt();
    assert!(distance(&numbers(&found, "eigenvalues"), &[1.0 - root, 1.0 + root]) < 1e-15);
    assert!(number(&found, "residual") < 30.0);
    let (found, warnings) = call(
        "matrix_eigenvalues",
        &parse(r#"{"A":[[1,2],[3,4]],"B":[[1,0],[0,0]],"vectors":true}"#),
    )
    .unwrap();
    // det(A - l B) = (1 - l) 4 - 6.
    assert!(distance(&numbers(&found, "eigenvalues"), &[-0.5]) < 1e-14);
    assert_eq!((number(&found, "infinite"), warnings.len()), (1.0, 1));
    for n in [5, 20, 60] {
        let (a, b) = (formula(n, n), formula(n + 1, n)[n..].to_vec());
        let args = Value::object([
            ("A", rows(&a, n)),
            ("B", rows(&b, n)),
            ("vectors", Value::from(true)),
        ]);
        let (found, _) = call("matrix_eigenvalues", &args).unwrap();
        // The reduction loses what the condition of B takes.
        let residual = number(&found, "residual") * n as f64 * f64::EPSILON;
        assert!(residual < 1e-11, "n = {n}: {residual}");
        assert_eq!(numbers(&found, "real").len(), n);
    }
}

/// Pairs of 1 to 4 rows against their residual, with and without vectors; those with a closed form by hand.
#[test]
fn small_pairs_have_their_eigenvalues() {
    let turn = run(
        "matrix_eigenvalues",
        r#"{"A":[[0,1],[-1,0]],"B":[[1,0],[0,1]],"vectors":true}"#,
    );
    assert_eq!(numbers(&turn, "real"), [0.0, 0.0]);
    assert!(distance(&numbers(&turn, "imaginary"), &[-1.0, 1.0]) < 1e-15);
    assert!(number(&turn, "residual") < 10.0);
    let (none, warnings) = call("matrix_eigenvalues", &parse(r#"{"A":[[1]],"B":[[0]]}"#)).unwrap();
    assert_eq!((number(&none, "infinite"), warnings.len()), (1.0, 1));
    let one = run("matrix_eigenvalues", r#"{"A":[[3]],"B":[[-2]]}"#);
    assert_eq!(numbers(&one, "eigenvalues"), [-1.5]);
    // `A - lambda B` has a lower rank for every lambda, in exact arithmetic.
    let singular = [
        (3, 2),
        (3, 3),
        (3, 10),
        (3, 15),
        (3, 21),
        (3, 22),
        (3, 29),
        (4, 5),
        (4, 9),
        (4, 12),
        (4, 13),
        (4, 17),
        (4, 24),
        (4, 28),
    ];
    for n in 1..=4 {
        for shift in 0..30 {
            let entry = |index: usize| ((index * 37 + shift * 11) % 19) as f64 - 9.0;
            let a: Vec<f64> = (0..n * n).map(|index| entry(index + 1)).collect();
            let b: Vec<f64> = (0..n * n).map(|index| entry(3 * index + 7)).collect();
            let args = |vectors: bool| {
                Value::object([
                    ("A", rows(&a, n)),
                    ("B", rows(&b, n)),
                    ("vectors", Value::from(vectors)),
                ])
            };
            let found = call("matrix_eigenvalues", &args(true));
            if singular.contains(&(n, shift)) {
                let err = found.unwrap_err();
                assert_eq!(err.reason_str(), Some("singular_pencil"), "{n} {shift}");
                continue;
            }
            let (found, _) = found.unwrap_or_else(|err| panic!("{n} {shift}: {err:?}"));
            let (plain, _) = call("matrix_eigenvalues", &args(false)).unwrap();
            assert_eq!(numbers(&found, "real"), numbers(&plain, "real"));
            let residual = found
                .get("residual")
                .map_or(0.0, |_| number(&found, "residual"));
            assert!(residual < 1e3, "n = {n}, {shift}: {found}");
        }
    }
}

/// Falk's chain of three masses of which one is 0 (SciPy `TestEig::test_falker`): QZ does not converge.
#[test]
fn a_pair_that_stops_qz_is_shifted() {
    let found = run(
        "matrix_eigenvalues",
        r#"{"A":[[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,-2,1,1],[0,0,0,1,-2,1],[0,0,0,1,1,-2]],
            "B":[[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1],[1,0,0,1,-1,0],[0,0,0,-1,1,0],[0,0,3,0,0,0]]}"#,
    );
    assert_eq!(found.get("method").unwrap().as_str(), Some("shift_invert"));
    // det(s^2 M + s D + K) = s^2 (3 s^3 + 6 s^2 + ...): the eigenvalue 0 is double and defective.
    let real = numbers(&found, "real");
    assert_eq!((real.len(), number(&found, "infinite")), (5, 1.0));
    assert!(real[3].abs() < 1e-7 && real[4].abs() < 1e-7, "{found}");
    assert!((real[0] + 1.770_113_724).abs() < 1e-8, "{found}");
}

#[test]
fn selected_eigenvalues_are_those_of_all() {
    let a = formula(8, 8);
    let of = |fields: Vec<(&'static str, Value)>| {
        let mut all = vec![("A", rows(&a, 8)), ("vectors", Value::from(true))];
        all.extend(fields);
        call("matrix_eigenvalues", &Value::object(all)).unwrap().0
    };
    let all = numbers(&of(vec![]), "real");
    for (name, range) in [("smallest", 0..3), ("largest", 5..8)] {
        let found = of(vec![
            ("select", Value::from(name)),
            ("count", Value::from(3_usize)),
        ]);
        assert_eq!(numbers(&found, "real"), &all[range]);
        assert_eq!(numbers(&found, "eigenvectors_real").len(), 24);
    }
    for args in [
        r#"{"A":[[1]],"select":"largest"}"#,
        r#"{"A":[[1]],"count":1}"#,
    ] {
        assert_eq!(
            call("matrix_eigenvalues", &parse(args)).unwrap_err().path(),
            Some("/count")
        );
    }
    let err = call(
        "matrix_eigenvalues",
        &parse(r#"{"A":[[1]],"B":[[1]],"left":true}"#),
    )
    .unwrap_err();
    assert_eq!(err.path(), Some("/left"));
    let err = call("matrix_eigenvalues", &parse(r#"{"A":[[1]],"B":[[1,2]]}"#)).unwrap_err();
    assert_eq!(err.path(), Some("/B"));
}

/// A matrix of rank 5 and a little noise: the sketch finds what the whole decomposition finds.
#[test]
fn truncated_and_randomised_components() {
    let (m, n, k) = (80, 50, 5);
    let mut a = multiply(&formula(m, k), &formula(k, n), m, k, n);
    a.iter_mut()
        .zip(formula(m, n))
        .for_each(|(a, noise)| *a += 1e-6 * noise);
    let of = |fields: Vec<(&'static str, Value)>| {
        let mut all = vec![("A", rows(&a, n)), ("vectors", Value::from("thin"))];
        all.extend(fields);
        call("matrix_svd", &Value::object(all)).unwrap().0
    };
    let whole = numbers(&of(vec![]), "singular_values");
    let cut = of(vec![("components", Value::from(k))]);
    assert_eq!(numbers(&cut, "singular_values"), &whole[..k]);
    assert_eq!(numbers(&cut, "U").len(), m * k);
    let sketched = of(vec![
        ("components", Value::from(k)),
        ("randomised", Value::from(true)),
    ]);
    assert!(distance(&numbers(&sketched, "singular_values"), &whole[..k]) < 1e-13);
    for name in ["U", "V"] {
        assert!(
            distance(&numbers(&sketched, name), &numbers(&cut, name)) < 1e-9,
            "{name}"
        );
    }
    let error = number(&cut, "truncation_error");
    assert!(error < 1e-4 && (number(&sketched, "truncation_error") / error - 1.0).abs() < 1e-6);
    assert_eq!(number(&sketched, "seed"), 42.0);
    for args in [
        r#"{"A":[[1]],"randomised":true}"#,
        r#"{"A":[[1]],"full":true,"components":1}"#,
    ] {
        assert_eq!(
            call("matrix_svd", &parse(args)).unwrap_err().path(),
            Some("/components")
        );
    }
}
