//! Systems of the dense tools: factors, growth, structure, honest estimates.

use super::*;

/// Matrices that stop careless methods, n = 12: graded, scaled to both ends of the range, Kahan, Grcar, Frank, Hilbert, nearly
/// singular, defective.
fn hard() -> Vec<(&'static str, Vec<f64>)> {
    let n = 12;
    let of = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..n * n)
            .map(|index| entry(index / n, index % n))
            .collect()
    };
    let base = formula(n, n);
    vec![
        (
            "graded",
            of(&|i, j| base[i * n + j] * 10_f64.powi(-(i as i32 + j as i32))),
        ),
        ("large", base.iter().map(|value| value * 1e200).collect()),
        ("small", base.iter().map(|value| value * 1e-200).collect()),
        (
            "kahan",
            of(&|i, j| match i.cmp(&j) {
                std::cmp::Ordering::Greater => 0.0,
                std::cmp::Ordering::Equal => 0.9_f64.powi(i as i32),
                std::cmp::Ordering::Less => -0.43 * 0.9_f64.powi(i as i32),
            }),
        ),
        (
            "grcar",
            of(&|i, j| {
                if i == j + 1 {
                    -1.0
                } else {
                    f64::from(u8::from(j >= i && j <= i + 3))
                }
            }),
        ),
        (
            "frank",
            of(&|i, j| {
                if j + 1 >= i {
                    (n - i.max(j)) as f64
                } else {
                    0.0
                }
            }),
        ),
        ("hilbert", hilbert(n)),
        ("nearly singular", of(&|i, j| 1.0 + 1e-13 * base[i * n + j])),
        (
            "defective",
            of(&|i, j| f64::from(u8::from(i == j || i + 1 == j))),
        ),
    ]
}

#[test]
fn factors_of_hard_matrices_reach_the_test_ratios() {
    for (name, a) in hard() {
        for (id, args) in [
            ("matrix_qr", with(&a, 12)),
            ("matrix_lu", with(&a, 12)),
            (
                "matrix_qr",
                Value::object([("A", rows(&a, 12)), ("pivoting", Value::from(true))]),
            ),
        ] {
            let (found, _) = call(id, &args).unwrap();
            assert!(number(&found, "residual") < 30.0, "{name}, {id}: {found}");
        }
        let ones = Value::object([("A", rows(&a, 12)), ("b", Value::vector(vec![1.0; 12]))]);
        let (found, _) = call("matrix_solve", &ones).unwrap();
        let ratio = number(&found, "backward_error") / (12.0 * f64::EPSILON);
        assert!(ratio < 30.0, "{name}, solve: {ratio}");
        let values = Value::object([("A", rows(&a, 12)), ("vectors", Value::from(true))]);
        let (found, _) = call("matrix_eigenvalues", &values).unwrap();
        assert!(number(&found, "residual") < 30.0, "{name}, eigen");
        let thin = Value::object([("A", rows(&a, 12)), ("vectors", Value::from("thin"))]);
        let (found, _) = call("matrix_svd", &thin).unwrap();
        assert!(number(&found, "residual") < 30.0, "{name}, svd");
    }
}

/// Wilkinson's matrix on which partial pivoting grows by 2^(n-1): orthogonal factors take over.
#[test]
fn growth_is_answered_with_orthogonal_factors() {
    let n = 60;
    let a: Vec<f64> = (0..n * n)
        .map(|index| match (index / n, index % n) {
            (i, j) if i == j || j == n - 1 => 1.0,
            (i, j) if i > j => -1.0,
            _ => 0.0,
        })
        .collect();
    let x: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64 - 1.7).collect();
    let b = multiply(&a, &x, n, n, 1);
    let fields = |method: &str| {
        Value::object([
            ("A", rows(&a, n)),
            ("b", Value::vector(b.clone())),
            ("method", Value::from(method)),
        ])
    };
    let (found, warnings) = call("matrix_solve", &fields("auto")).unwrap();
    assert_eq!(found.get("method").unwrap().as_str(), Some("qr"));
    assert_eq!(found.get("abandoned").unwrap().as_str(), Some("lu"));
    assert!(!warnings.is_empty() && distance(&numbers(&found, "x"), &x) < 1e-13);
    let (_, warnings) = call("matrix_solve", &fields("lu")).unwrap();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("grew by 6e17")),
        "{warnings:?}"
    );
}

#[test]
fn the_structure_chooses_the_method() {
    let n = 20;
    let of = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..n * n)
            .map(|index| entry(index / n, index % n))
            .collect()
    };
    let base = formula(n, n);
    let even = |i: usize, j: usize| base[i.min(j) * n + i.max(j)];
    for (expected, a) in [
        (
            "triangular",
            of(&|i, j| if i >= j { 1.0 + base[i * n + j] } else { 0.0 }),
        ),
        (
            "triangular",
            of(&|i, j| if i <= j { 1.0 + base[i * n + j] } else { 0.0 }),
        ),
        (
            "tridiagonal",
            of(&|i, j| {
                if i.abs_diff(j) <= 1 {
                    base[i * n + j]
                } else {
                    0.0
                }
            }),
        ),
        (
            "banded",
            of(&|i, j| {
                if j <= i + 3 && i <= j + 2 {
                    base[i * n + j]
                } else {
                    0.0
                }
            }),
        ),
        (
            "cholesky",
            of(&|i, j| even(i, j) + if i == j { 20.0 } else { 0.0 }),
        ),
        ("symmetric_indefinite", of(&even)),
        ("lu", base.clone()),
    ] {
        let x: Vec<f64> = (0..2 * n).map(|i| (i as f64 * 0.7).sin()).collect();
        let b = multiply(&a, &x, n, n, 2);
        for method in ["auto", expected, "qr", "lu"] {
            let args = Value::object([
                ("A", rows(&a, n)),
                ("b", rows(&b, 2)),
                ("method", Value::from(method)),
            ]);
            let (found, _) = call("matrix_solve", &args).unwrap();
            let used = if method == "auto" { expected } else { method };
            assert_eq!(found.get("method").unwrap().as_str(), Some(used));
            let error = distance(&numbers(&found, "x"), &x);
            assert!(
                error < 1e-14 / number(&found, "rcond"),
                "{expected} by {method}: {error}"
            );
            assert!(
                error <= 10.0 * number(&found, "error_bound"),
                "{expected} by {method}"
            );
        }
    }
    for method in [
        "triangular",
        "tridiagonal",
        "cholesky",
        "symmetric_indefinite",
    ] {
        let args = Value::object([
            ("A", rows(&formula(4, 4), 4)),
            ("b", Value::vector(vec![1.0; 4])),
            ("method", Value::from(method)),
        ]);
        let err = call("matrix_solve", &args).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::InvalidArgs, Some("structure"))
        );
    }
}

/// The rounded Hilbert matrices 3 to 11 with rational solutions of 1s: `b` exact by `fractions` would need more digits, so x is
/// compared with the solution refined further; estimates must not be smaller than a tenth of the error.
#[test]
fn the_error_estimate_is_honest_on_hilbert_matrices() {
    for n in 3..=12 {
        // Integers: the scaled Hilbert matrix times lcm(1, ..., 2 n - 1) is exact below 2^53, and so is b.
        let scale = (1..2 * n as u64).fold(1_u64, |lcm, k| lcm / gcd(lcm, k) * k);
        let a: Vec<f64> = (0..n * n)
            .map(|at| (scale / (at / n + at % n + 1) as u64) as f64)
            .collect();
        let b: Vec<f64> = a.chunks(n).map(|row| row.iter().sum()).collect();
        let args = Value::object([("A", rows(&a, n)), ("b", Value::vector(b))]);
        let (found, warnings) = call("matrix_solve", &args).unwrap();
        let error = distance(&numbers(&found, "x"), &vec![1.0; n]);
        let estimate = found
            .get("error_estimate")
            .unwrap()
            .as_f64()
            .unwrap_or(f64::INFINITY);
        assert!(
            error <= 10.0 * estimate || !warnings.is_empty(),
            "n = {n}: error {error:e}, estimate {estimate:e}"
        );
        assert!(n > 10 || error < 1e-12, "n = {n}: {error:e}");
        assert!(n < 7 || warnings[0].contains("digits of `x` can be trusted"));
    }
}

/// The example file of the documentation: a Hilbert system with its residual, condition and warning.
#[test]
fn the_example_file_warns() {
    let text = include_str!("../../../../../examples/hilbert12.json");
    let (found, warnings) = call("matrix_solve", &parse(text)).unwrap();
    assert!(number(&found, "rcond") < f64::EPSILON && number(&found, "residual") < 1e-6);
    assert!(
        warnings[0].contains("0 digits of `x` can be trusted"),
        "{warnings:?}"
    );
    let _: solve::Args = convert::from_value(&parse(text)).unwrap();
}

/// Matrices of numbers that are exactly singular, of which elimination finds no pivot 0 (numpy 8769, 20932, 23793; scipy 2249, 3312).
#[test]
fn exactly_singular_matrices_are_refused() {
    let counted = |n: usize| -> Vec<f64> { (1..=n * n).map(|entry| entry as f64).collect() };
    let singular = [
        (counted(3), 3),
        (counted(4), 4),
        (vec![1.0, 2.0, 1.0, -2.0, -3.0, 1.0, 3.0, 5.0, 0.0], 3),
        (vec![2.0, 4.0, 6.0, 2.0, 0.0, 2.0, 6.0, 8.0, 14.0], 3),
    ];
    for (a, n) in &singular {
        for scale in [1.0, 2_f64.powi(-40), 2_f64.powi(40)] {
            let a: Vec<f64> = a.iter().map(|entry| entry * scale).collect();
            let mut b = vec![0.0; *n];
            b[0] = 1.0;
            let system = Value::object([("A", rows(&a, *n)), ("b", Value::vector(b.clone()))]);
            let places: Vec<f64> = (0..n * n).map(|index| (index / n) as f64).collect();
            let columns: Vec<f64> = (0..n * n).map(|index| (index % n) as f64).collect();
            let sparse = Value::object([
                ("rows", Value::vector(places)),
                ("cols", Value::vector(columns)),
                ("values", Value::vector(a.clone())),
                ("b", Value::vector(b)),
            ]);
            let power = Value::object([
                ("A", rows(&a, *n)),
                ("function", Value::from("power")),
                ("exponent", Value::from(-1.0)),
            ]);
            for (tool, args) in [
                ("matrix_solve", system),
                ("matrix_inverse", with(&a, *n)),
                ("sparse_solve", sparse),
                ("matrix_function", power),
            ] {
                let err = call(tool, &args).unwrap_err();
                assert_eq!(
                    (err.code(), err.reason_str()),
                    (ErrorCode::Numeric, Some("singular")),
                    "{tool}: {a:?}"
                );
            }
        }
    }
}

/// Doubles near a singular matrix: the rank is that of `matrix_rank`, and no residual as large as `b` passes as a solution.
#[test]
fn the_rank_of_a_system_is_that_of_its_matrix() {
    let tenths: Vec<f64> = (1..=9).map(|entry| f64::from(entry) / 10.0).collect();
    let args = |b: Vec<f64>| Value::object([("A", rows(&tenths, 3)), ("b", Value::vector(b))]);
    let err = call("matrix_solve", &args(vec![1.0, 0.0, 0.0])).unwrap_err();
    assert_eq!(err.reason_str(), Some("singular"));
    let near = [1.0, 1.0, 1.0, 1.0 + f64::EPSILON];
    let rank = number(&call("matrix_rank", &with(&near, 2)).unwrap().0, "rank");
    let system = Value::object([("A", rows(&near, 2)), ("b", Value::vector(vec![1.0, 1.0]))]);
    let (found, _) = call("matrix_solve", &system).unwrap();
    assert_eq!((number(&found, "rank"), rank), (1.0, 1.0));
}

/// Roots of singular matrices that have one (SciPy gh4866, gh5336), and powers beyond 2^31.
#[test]
fn roots_of_semidefinite_matrices_and_large_powers_exist() {
    let root = |a: &str| {
        run(
            "matrix_function",
            &format!(r#"{{"A":{a},"function":"sqrt"}}"#),
        )
    };
    let half = 0.5_f64.sqrt();
    for (a, expected) in [
        (
            "[[2,0,0],[0,1,0],[0,0,0]]",
            vec![2_f64.sqrt(), 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        ),
        ("[[1,1],[1,1]]", vec![half; 4]),
        ("[[0,0],[0,0]]", vec![0.0; 4]),
        ("[[4,2],[0,0]]", vec![2.0, 1.0, 0.0, 0.0]),
    ] {
        let found = root(a);
        assert!(
            distance(&numbers(&found, "value"), &expected) < 1e-15,
            "{found}"
        );
    }
    let nilpotent = parse(r#"{"A":[[0,1],[0,0]],"function":"sqrt"}"#);
    let err = call("matrix_function", &nilpotent).unwrap_err();
    assert_eq!(err.reason_str(), Some("branch_cut"));
    for (exponent, expected) in [
        ("2147483648", [1.0, 0.0, 0.0, 1.0]),
        ("2147483649", [0.0, 1.0, 1.0, 0.0]),
        ("-1e300", [1.0, 0.0, 0.0, 1.0]),
    ] {
        let found = run(
            "matrix_function",
            &format!(r#"{{"A":[[0,1],[1,0]],"function":"power","exponent":{exponent}}}"#),
        );
        assert_eq!(numbers(&found, "value"), expected);
    }
}
