//! `matrix_op` against NumPy, and the shapes of its results.

use tool_core::{Ctx, ErrorCode, ToolError, Value};

use crate::linalg::tests::{distance, formula, multiply, parse};
use crate::protocol::legacy::run_matrix_operation as run;

const OPERATIONS: [&str; 8] = [
    "solve", "inverse", "det", "eigen", "svd", "lu", "qr", "rank",
];

fn call(operation: &str, params: &str) -> Result<Value, ToolError> {
    run(operation, &parse(params), &Ctx::default())
}

fn numbers(value: &Value, name: &str) -> Vec<f64> {
    value
        .get(name)
        .unwrap()
        .as_numbers()
        .unwrap()
        .as_slice()
        .to_vec()
}

fn with_formula(m: usize, n: usize) -> Value {
    let rows: Vec<Value> = formula(m, n)
        .chunks(n)
        .map(|row| Value::vector(row.to_vec()))
        .collect();
    Value::object([("A", Value::array(rows))])
}

/// NumPy 2.4.6: `inv`, `cond` and `det` of the 4 x 4 formula matrix.
#[test]
fn inverse_and_determinant_agree_with_numpy() {
    let ctx = Ctx::default();
    let found = run("inverse", &with_formula(4, 4), &ctx).unwrap();
    let expected = [
        0.30138863689281165,
        -3.230400143059309,
        1.9621929670745322,
        2.0886580292282932,
        -1.5552588713771514,
        1.5858437932285139,
        -0.09649927698730405,
        -1.5970396843251375,
        -1.2776294356885756,
        2.292921896614257,
        -1.548249638493652,
        -0.2985198421625689,
        0.5871488067047279,
        -0.44507555158346224,
        -1.57855172954634,
        -0.7590290587222556,
    ];
    assert!(distance(&numbers(&found, "inverse"), &expected) < 1e-14);
    let condition = found.get("condition_number").unwrap().as_f64().unwrap();
    assert!((condition / 5.941365293710438 - 1.0).abs() < 1e-14);
    let det = run("det", &with_formula(4, 4), &ctx).unwrap();
    assert!(
        (det.get("determinant").unwrap().as_f64().unwrap() / -0.06333290743311024 - 1.0).abs()
            < 1e-14
    );
}

#[test]
fn determinants() {
    let det = |a: &str| call("det", &format!(r#"{{"A":{a}}}"#)).unwrap();
    for (a, expected) in [
        ("[[2]]", 2.0),
        ("[[0,1],[1,0]]", -1.0),
        ("[[0,1,0],[0,0,1],[1,0,0]]", 1.0),
        ("[[1,2],[2,4]]", 0.0),
        ("[[1e-300,0],[0,1e300]]", 1.0),
    ] {
        let found = det(a).get("determinant").unwrap().as_f64().unwrap();
        assert!((found - expected).abs() < 1e-14, "{a}: {found}");
    }
    let large = det("[[1e300,0],[0,-1e300]]");
    assert_eq!(
        large.get("determinant").unwrap().as_str(),
        Some("-Infinity")
    );
    let log = large.get("log_abs_determinant").unwrap().as_f64().unwrap();
    assert!((log / (600.0 * std::f64::consts::LN_10) - 1.0).abs() < 1e-14);
}

/// Case W28: a ragged matrix has no determinant. Case W29: neither has an empty one.
#[test]
fn ragged_and_empty_matrices_are_refused() {
    for operation in OPERATIONS {
        for (a, path) in [
            ("[[1,2],[3]]", "/A"),
            ("[]", "/A"),
            ("[[]]", "/A/0"),
            ("\"x\"", "/A"),
        ] {
            let err = call(operation, &format!(r#"{{"A":{a},"b":[1,1]}}"#)).unwrap_err();
            assert_eq!(
                (err.code(), err.path()),
                (ErrorCode::InvalidArgs, Some(path)),
                "{operation} {a}"
            );
        }
        let err = call(operation, "{}").unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/A"))
        );
    }
}

/// Case W30: a wrong length of `b` is refused, and a 2 x 3 matrix has an LU factorisation.
#[test]
fn wrong_length_and_rectangular_lu() {
    let err = call("solve", r#"{"A":[[1,2],[3,4]],"b":[1,2,3]}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/b"))
    );
    let found = call("lu", r#"{"A":[[1,2,3],[4,5,6]]}"#).unwrap();
    assert_eq!(numbers(&found, "L"), [1.0, 0.0, 0.25, 1.0]);
    assert_eq!(numbers(&found, "U"), [4.0, 5.0, 6.0, 0.0, 0.75, 1.5]);
    assert_eq!(numbers(&found, "P"), [1.0, 0.0]);
    for (m, n) in [(2, 3), (3, 2), (5, 5), (20, 30), (30, 20), (40, 40)] {
        let found = run("lu", &with_formula(m, n), &Ctx::default()).unwrap();
        let size = m.min(n);
        let image = multiply(&numbers(&found, "L"), &numbers(&found, "U"), m, size, n);
        let a = formula(m, n);
        let permuted: Vec<f64> = numbers(&found, "P")
            .iter()
            .flat_map(|&row| a[row as usize * n..][..n].to_vec())
            .collect();
        assert!(distance(&image, &permuted) < 1e-13, "{m} x {n}");
    }
}

#[test]
fn qr_rank_and_the_shapes_of_the_others() {
    let found = run("qr", &with_formula(7, 3), &Ctx::default()).unwrap();
    assert!(
        distance(
            &multiply(&numbers(&found, "Q"), &numbers(&found, "R"), 7, 3, 3),
            &formula(7, 3)
        ) < 1e-14
    );
    let found = call("rank", r#"{"A":[[1,2],[2,4.0000000001]]}"#).unwrap();
    assert_eq!(found, parse(r#"{"rank":1,"tolerance":1e-10}"#));
    let found = call(
        "rank",
        r#"{"A":[[1,2],[2,4.0000000001]],"tolerance":1e-13}"#,
    )
    .unwrap();
    assert_eq!(found.get("rank").unwrap().as_i64(), Some(2));
    assert_eq!(
        call("rank", r#"{"A":[[1]],"tolerance":-1}"#)
            .unwrap_err()
            .path(),
        Some("/tolerance")
    );

    let found = call("solve", r#"{"A":[[2,0],[0,4]],"b":[2,4]}"#).unwrap();
    assert_eq!(found, parse(r#"{"x":[1,1],"relative_error":0}"#));
    let found = call("eigen", r#"{"A":[[2,0],[0,1]],"vectors":true}"#).unwrap();
    assert_eq!(
        found,
        parse(r#"{"eigenvalues":[1,2],"eigenvectors":[[0,1],[1,0]]}"#)
    );
    let found = call("eigen", r#"{"A":[[0,-1],[1,0]]}"#).unwrap();
    let expected = r#"{"eigenvalues":[{"real":0,"imag":-1},{"real":0,"imag":1}]}"#;
    assert_eq!(found, parse(expected));
    let found = call("svd", r#"{"A":[[0,2],[3,0]],"matrices":true}"#).unwrap();
    let expected = r#"{"singular_values":[3,2],"rank":2,"U":[[0,1],[1,0]],"V":[[1,0],[0,1]]}"#;
    assert_eq!(found, parse(expected));
}

#[test]
fn unknown_operations_and_flags_are_refused() {
    let err = call("invers", r#"{"A":[[1]]}"#).unwrap_err();
    assert_eq!(err.hint_str(), Some("did you mean `inverse`?"));
    let err = call("inverse", r#"{"A":[[1,2],[2,4]]}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Numeric, Some("singular"))
    );
    assert_eq!(
        call("eigen", r#"{"A":[[1]],"vectors":1}"#)
            .unwrap_err()
            .path(),
        Some("/vectors")
    );
    assert_eq!(
        call("det", r#"{"A":[[1,2]]}"#).unwrap_err().path(),
        Some("/A")
    );
}
