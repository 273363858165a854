//! Tests of the tools that return factors, inverses, determinants, ranks, products and functions.

use tool_core::{Ctx, ErrorCode, ToolError, Value, convert};

use super::tests::{distance, formula, hilbert, multiply, parse};
use super::{TOOLS, solve};

/// Calls a tool of the family by its id; the result and its warnings.
fn call(id: &str, args: &Value) -> Result<(Value, Vec<String>), ToolError> {
    let entry = TOOLS.iter().find(|entry| entry.tool().spec().id == id);
    let tool = entry.unwrap_or_else(|| panic!("no tool `{id}`")).tool();
    let ctx = Ctx::default();
    let found = tool.decode(args)?.run(&ctx)?;
    Ok((found, ctx.take_warnings()))
}

fn run(id: &str, args: &str) -> Value {
    call(id, &parse(args)).unwrap().0
}

fn rows(data: &[f64], columns: usize) -> Value {
    Value::array(
        data.chunks(columns)
            .map(|row| Value::vector(row.to_vec()))
            .collect(),
    )
}

fn with(data: &[f64], columns: usize) -> Value {
    Value::object([("A", rows(data, columns))])
}

fn numbers(value: &Value, name: &str) -> Vec<f64> {
    let block = value
        .get(name)
        .unwrap_or_else(|| panic!("no {name} in {value}"));
    block.as_numbers().unwrap().as_slice().to_vec()
}

fn number(value: &Value, name: &str) -> f64 {
    value
        .get(name)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no {name} in {value}"))
}

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

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

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

/// The example file of the documentation: a Hilbert system with its residual, condition and warning.
#[test]
fn the_example_file_warns() {
    let text = include_str!("../../../examples/hilbert12.json");
    let (found, warnings) = call("matrix_solve", &parse(text)).unwrap();
    assert!(number(&found, "rcond") < f64::EPSILON && number(&found, "residual") < 1e-6);
    assert!(
        warnings[0].contains("0 digits of `x` can be trusted"),
        "{warnings:?}"
    );
    let _: solve::Args = convert::from_value(&parse(text)).unwrap();
}
