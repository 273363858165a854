//! Determinants, ranks, inverses, products and functions of dense matrices.

use super::*;

#[test]
fn determinants_of_integers_are_exact() {
    for (a, value, digits) in [
        ("[[7]]", -7.0 * -1.0, None),
        ("[[0,1],[1,0]]", -1.0, None),
        ("[[0,1,0],[0,0,1],[1,0,0]]", 1.0, None),
        ("[[1,2,3],[4,5,6],[7,8,9]]", 0.0, None),
        ("[[1,2],[2,4]]", 0.0, None),
        // LU in doubles gives 0 or 2 here.
        ("[[94906267,94906266],[94906266,94906265]]", -1.0, None),
        (
            "[[9007199254740992,1],[1,9007199254740992]]",
            8.112963841460668e31,
            Some("81129638414606681695789005144063"),
        ),
    ] {
        let found = run("matrix_determinant", &format!(r#"{{"A":{a}}}"#));
        assert_eq!(number(&found, "determinant"), value, "{a}");
        assert_eq!(found.get("exact"), Some(&Value::from(true)));
        let text = found.get("digits");
        assert_eq!(text.as_ref().and_then(|text| text.as_str()), digits, "{a}");
    }
    // The determinant of the Pascal matrix is 1; of min(i, j) too.
    let n = 40;
    let lesser: Vec<f64> = (0..n * n)
        .map(|at| ((at / n).min(at % n) + 1) as f64)
        .collect();
    assert_eq!(
        number(
            &call("matrix_determinant", &with(&lesser, n)).unwrap().0,
            "determinant"
        ),
        1.0
    );
    let large = run("matrix_determinant", "{\"A\":[[1e300,0.5],[0,-1e300]]}");
    assert_eq!(
        large.get("determinant").unwrap().as_str(),
        Some("-Infinity")
    );
    assert!(
        (number(&large, "log_abs_determinant") / (600.0 * std::f64::consts::LN_10) - 1.0).abs()
            < 1e-15
    );
}

/// Hilbert matrix of size 6: determinant 5.3673e-18, exact 1 / 186313420339200000 (the rounding of the entries moves it by 1e-10).
#[test]
fn a_determinant_says_how_wrong_it_may_be() {
    let (found, _) = call("matrix_determinant", &with(&hilbert(6), 6)).unwrap();
    let relative = (number(&found, "determinant") * 186_313_420_339_200_000.0 - 1.0).abs();
    assert!(
        relative < number(&found, "error_estimate") && relative < 1e-8,
        "{relative:e}"
    );
}

#[test]
fn rank_null_space_and_norms() {
    let found = run(
        "matrix_rank",
        r#"{"A":[[1,2,3],[4,5,6],[7,8,9]],"null_space":true}"#,
    );
    assert_eq!(number(&found, "rank"), 2.0);
    let null = numbers(&found, "null_space");
    let third = null[0];
    assert!(
        distance(&null, &[third, -2.0 * third, third]) < 1e-14
            && (third.abs() - 6_f64.sqrt().recip()).abs() < 1e-14
    );
    let norms = found.get("norms").unwrap();
    for (name, expected) in [
        ("one", 18.0),
        ("infinity", 24.0),
        ("max", 9.0),
        ("frobenius", 285_f64.sqrt()),
    ] {
        assert!(
            (number(norms, name) / expected - 1.0).abs() < 1e-15,
            "{name}"
        );
    }
    // NumPy 2.4.6: norm(A, 2) and norm(A, 'nuc').
    assert!((number(norms, "two") / 16.84810335261421 - 1.0).abs() < 1e-14);
    assert!((number(norms, "nuclear") / 17.916472867168917 - 1.0).abs() < 1e-14);
    let (_, warnings) = call("matrix_rank", &with(&hilbert(14), 14)).unwrap();
    assert!(warnings[0].contains("not clear"), "{warnings:?}");
}

#[test]
fn inverses() {
    let a = formula(9, 9);
    let (found, _) = call("matrix_inverse", &with(&a, 9)).unwrap();
    let image = multiply(&a, &numbers(&found, "inverse"), 9, 9, 9);
    let identity: Vec<f64> = (0..81)
        .map(|at| f64::from(u8::from(at / 9 == at % 9)))
        .collect();
    assert!(distance(&image, &identity) < 1e-13);
    let wide = formula(3, 5);
    let args = Value::object([("A", rows(&wide, 5)), ("pseudo", Value::from(true))]);
    let (found, _) = call("matrix_inverse", &args).unwrap();
    let pseudo = numbers(&found, "inverse");
    let back = multiply(&multiply(&wide, &pseudo, 3, 5, 3), &wide, 3, 3, 5);
    assert!(distance(&back, &wide) < 1e-13);
    let err = call("matrix_inverse", &parse(r#"{"A":[[1,2],[2,4]]}"#)).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Numeric, Some("singular"))
    );
    assert!(err.hint_str().unwrap().contains("pseudo"));
}

#[test]
fn products() {
    let (a, b) = (formula(4, 3), formula(3, 5));
    let expected = multiply(&a, &b, 4, 3, 5);
    let transposed = |data: &[f64], m: usize, n: usize| -> Vec<f64> {
        (0..m * n).map(|at| data[at % m * n + at / m]).collect()
    };
    let (at, bt) = (transposed(&a, 4, 3), transposed(&b, 3, 5));
    for precise in [false, true] {
        let args = Value::object([
            ("A", rows(&at, 4)),
            ("B", rows(&bt, 3)),
            ("transpose_A", Value::from(true)),
            ("transpose_B", Value::from(true)),
            ("precise", Value::from(precise)),
        ]);
        let (found, _) = call("matrix_multiply", &args).unwrap();
        assert!(distance(&numbers(&found, "product"), &expected) < 1e-15);
    }
    let found = run(
        "matrix_multiply",
        r#"{"A":[[1e16,1,-1e16]],"B":[1,1,1],"precise":true}"#,
    );
    assert_eq!(numbers(&found, "product"), [1.0]);
    let huge = run(
        "matrix_multiply",
        r#"{"A":[[1e300,1e300]],"B":[1e-300,1e-300]}"#,
    );
    assert!(distance(&numbers(&huge, "product"), &[2.0]) < 1e-15);
    for (args, path) in [
        (r#"{"A":[[1,2]],"B":[[1,2]]}"#, "/B"),
        (
            r#"{"A":[[1,2]],"B":[1,2],"transpose_B":true}"#,
            "/transpose_B",
        ),
    ] {
        assert_eq!(
            call("matrix_multiply", &parse(args)).unwrap_err().path(),
            Some(path)
        );
    }
    let err = call(
        "matrix_multiply",
        &parse(r#"{"A":[[1e200]],"B":[[1e200]]}"#),
    )
    .unwrap_err();
    assert_eq!(err.reason_str(), Some("overflow"));
}

#[test]
fn cholesky_is_also_the_test() {
    let n = 30;
    let a = formula(n, n);
    let transposed: Vec<f64> = (0..n * n).map(|at| a[at % n * n + at / n]).collect();
    let gram = multiply(&a, &transposed, n, n, n);
    let even: Vec<f64> = (0..n * n)
        .map(|at| gram[(at / n).min(at % n) * n + (at / n).max(at % n)])
        .collect();
    let (found, _) = call("matrix_cholesky", &with(&even, n)).unwrap();
    assert!(number(&found, "residual") < 3.0);
    for (a, reason) in [
        ("[[1,2],[2,1]]", "not_positive_definite"),
        ("[[0]]", "not_positive_definite"),
        ("[[1,2],[3,9]]", "structure"),
        ("[[1,2]]", "shape"),
    ] {
        let err = call("matrix_cholesky", &parse(&format!(r#"{{"A":{a}}}"#))).unwrap_err();
        assert_eq!(err.reason_str(), Some(reason), "{a}");
    }
}

#[test]
fn functions_are_refused_where_they_have_no_value() {
    for (args, reason) in [
        (r#"{"A":[[-1]],"function":"log"}"#, "branch_cut"),
        (r#"{"A":[[0,1],[0,0]],"function":"sqrt"}"#, "branch_cut"),
        (
            r#"{"A":[[1,1],[1,1]],"function":"power","exponent":-1}"#,
            "singular",
        ),
        (r#"{"A":[[800]],"function":"exp"}"#, "overflow"),
        (r#"{"A":[[1]],"function":"power"}"#, "contradiction"),
        (
            r#"{"A":[[1]],"function":"exp","exponent":2}"#,
            "contradiction",
        ),
    ] {
        assert_eq!(
            call("matrix_function", &parse(args))
                .unwrap_err()
                .reason_str(),
            Some(reason),
            "{args}"
        );
    }
    let found = run(
        "matrix_function",
        r#"{"A":[[0,1],[1,1]],"function":"power","exponent":30}"#,
    );
    assert_eq!(
        numbers(&found, "value"),
        [514_229.0, 832_040.0, 832_040.0, 1_346_269.0],
        "Fibonacci numbers"
    );
}

/// Neither the largest nor the smallest doubles beside each other spoil the product of the pivots.
#[test]
fn determinants_at_the_ends_of_the_range() {
    for (a, value) in [
        ("[[0.5,1e308],[0,0.5]]", 0.25),
        ("[[0.5,0],[1e308,0.5]]", 0.25),
        ("[[0.3,1e308],[0,0.5]]", 0.15),
        ("[[1e308,0.5],[0.5,1e-308]]", 0.75),
        (
            "[[5e-324,1e308,1],[0,1e308,0.5],[0,0,1.5e-292]]",
            5e-324 * 1e308 * 1.5e-292,
        ),
        ("[[1e300,1e300,0.5],[0,1e-300,1e300],[0,0,0.5]]", 0.5),
    ] {
        let found = run("matrix_determinant", &format!(r#"{{"A":{a}}}"#));
        let determinant = number(&found, "determinant");
        assert!((determinant / value - 1.0).abs() < 1e-14, "{a}: {found}");
        assert_eq!(number(&found, "sign"), 1.0, "{a}");
    }
    let large = run("matrix_determinant", r#"{"A":[[1e308,0.5],[0,1e308]]}"#);
    assert_eq!(large.get("determinant"), Some(&Value::from("Infinity")));
    assert!((number(&large, "log_abs_determinant") - 616.0 * 10_f64.ln()).abs() < 1e-10);
}

/// A threshold beyond the range is spelled; norms and values beyond it are an error that says so.
#[test]
fn ranks_at_the_ends_of_the_range() {
    let all = run("matrix_rank", r#"{"A":[[3,4],[0,0]],"tolerance":1e308}"#);
    assert_eq!(all.get("threshold"), Some(&Value::from("Infinity")));
    assert_eq!(number(&all, "rank"), 0.0);
    for a in ["[[1e308,1e308]]", "[[1.7e308,1.7e308],[1.7e308,1.7e308]]"] {
        let args = parse(&format!(r#"{{"A":{a}}}"#));
        let error = call("matrix_rank", &args).unwrap_err();
        assert_eq!(
            (error.code(), error.reason_str(), error.path()),
            (ErrorCode::Numeric, Some("overflow"), Some("/A")),
            "{a}"
        );
    }
}
