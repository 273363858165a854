use tool_core::{CallBudget, Ctx, ErrorCode, StopFlag, Tool, ToolError, Value, convert};

use super::Args;
use crate::linalg::tests::parse;

/// Runs a call written as JSON, through decoding, within a budget.
fn within(text: &str, ctx: &Ctx) -> Result<Value, ToolError> {
    let args: Args = convert::from_value(&parse(text))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    convert::to_value(&Args::run(args, ctx)?)
}

fn call(text: &str) -> Result<Value, ToolError> {
    within(text, &Ctx::default())
}

fn number(found: &Value, key: &str) -> f64 {
    found
        .get(key)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number `{key}` in {found}"))
}

fn text<'a>(found: &'a Value, key: &str) -> &'a str {
    found.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Code, reason and path of a refusal, which also says what to do next.
fn refused(text: &str, code: ErrorCode, reason: &str, path: &str) -> String {
    let err = call(text).map_or_else(|err| err, |found| panic!("{text} gives {found}"));
    let found = (
        err.code(),
        err.reason_str().unwrap_or_default(),
        err.path().unwrap_or_default(),
    );
    assert_eq!(found, (code, reason, path), "{text}: {err:?}");
    assert!(err.hint_str().is_some(), "{text}: {err:?} has no next step");
    err.message().to_owned()
}

fn invalid(text: &str, reason: &str, path: &str) -> String {
    refused(text, ErrorCode::InvalidArgs, reason, path)
}

fn numeric(text: &str, reason: &str) -> String {
    refused(text, ErrorCode::Numeric, reason, "/values")
}

/// The tridiagonal matrix -1, 2, -1 as JSON members.
fn second_difference(n: usize) -> String {
    let (mut rows, mut cols, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..n {
        for col in row.saturating_sub(1)..(row + 2).min(n) {
            rows.push(row);
            cols.push(col);
            values.push(if row == col { 2 } else { -1 });
        }
    }
    format!(r#""rows": {rows:?}, "cols": {cols:?}, "values": {values:?}"#)
}

#[test]
fn the_matrix_comes_in_exactly_one_form() {
    invalid(r#"{"b": [1]}"#, "matrix", "");
    invalid(
        r#"{"b": [1], "rows": [0], "cols": [0], "values": [1], "data": [1]}"#,
        "matrix",
        "",
    );
    invalid(
        r#"{"b": [1], "rows": [0], "values": [1]}"#,
        "matrix",
        "/cols",
    );
    invalid(
        r#"{"b": [1], "indptr": [0, 1], "indices": [0]}"#,
        "matrix",
        "/data",
    );
    invalid(
        r#"{"b": [1], "rows": [0], "cols": [0, 0], "values": [1]}"#,
        "shape",
        "/cols",
    );
    invalid(
        r#"{"b": [1], "rows": [0], "cols": [0], "values": [1, 2]}"#,
        "shape",
        "/values",
    );
    invalid(
        r#"{"b": [], "rows": [], "cols": [], "values": []}"#,
        "shape",
        "/b",
    );
    invalid(
        r#"{"b": [1, 2], "n": 3, "rows": [0], "cols": [0], "values": [1]}"#,
        "shape",
        "/n",
    );
    for (index, path) in [
        ("1", "/rows/0"),
        ("-1", "/rows/0"),
        ("0.5", "/rows/0"),
        ("1e300", "/rows/0"),
    ] {
        invalid(
            &format!(r#"{{"b": [1], "rows": [{index}], "cols": [0], "values": [1]}}"#),
            "index",
            path,
        );
    }
}

#[test]
fn compressed_rows_must_rise_from_0_to_the_number_of_entries() {
    let csr = |indptr: &str| {
        format!(r#"{{"b": [1, 1], "indptr": {indptr}, "indices": [0, 1], "data": [1, 2]}}"#)
    };
    assert_eq!(
        call(&csr("[0, 1, 2]")).unwrap().get("x"),
        Some(&Value::vector(vec![1.0, 0.5]))
    );
    assert!(invalid(&csr("[0, 2]"), "shape", "/indptr").contains("2 x 2"));
    invalid(&csr("[1, 1, 2]"), "indptr", "/indptr/0");
    invalid(&csr("[0, 2, 1]"), "indptr", "/indptr/2");
    invalid(&csr("[0, 1, 1]"), "indptr", "/indptr/2");
    invalid(&csr("[0, 3, 2]"), "index", "/indptr/1");
    invalid(
        r#"{"b": [1, 1], "indptr": [0, 1, 2], "indices": [0, 2], "data": [1, 2]}"#,
        "index",
        "/indices/1",
    );
}

#[test]
fn singular_systems_are_refused_by_name() {
    let coo = |entries: &str| format!(r#"{{"b": [1, 1], {entries}}}"#);
    assert!(
        numeric(
            &coo(r#""rows": [0, 0], "cols": [0, 1], "values": [1, 2]"#),
            "singular"
        )
        .contains("row 1")
    );
    assert!(
        numeric(
            &coo(r#""rows": [0, 1], "cols": [1, 1], "values": [1, 2]"#),
            "singular"
        )
        .contains("column 0")
    );
    // The duplicates of entry (1, 1) sum to zero.
    let zero = r#""rows": [0, 1, 1], "cols": [0, 1, 1], "values": [1, 3, -3]"#;
    assert!(numeric(&coo(zero), "singular").contains("row 1"));
    let rank_1 = r#""rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": [1, 2, 2, 4]"#;
    numeric(&coo(rank_1), "singular");
    numeric(&coo(r#""rows": [], "cols": [], "values": []"#), "singular");
    numeric(
        &coo(r#""rows": [0, 0, 1], "cols": [0, 0, 1], "values": [1e308, 1e308, 1]"#),
        "overflow",
    );
}

#[test]
fn a_method_that_does_not_suit_says_which_does() {
    let two = |values: &str, more: &str| {
        format!(
            r#"{{"b": [1, 0], "rows": [0, 0, 1, 1], "cols": [0, 1, 0, 1], "values": {values}, {more}}}"#
        )
    };
    let indefinite = "[1, 2, 2, 1]";
    for more in [
        r#""method": "cholesky""#,
        r#""method": "cg""#,
        r#""method": "cg", "preconditioner": "none""#,
    ] {
        numeric(&two(indefinite, more), "not_positive_definite");
        numeric(&two("[1, 2, 3, 9]", more), "structure");
    }
    let found = call(&two(indefinite, r#""method": "auto""#)).unwrap();
    assert_eq!(text(&found, "method"), "lu");
    assert!(
        found
            .pointer("/abandoned/0/reason")
            .is_some_and(|reason| reason.to_string().contains("not positive definite"))
    );
    for more in [
        r#""method": "lu", "preconditioner": "jacobi""#,
        r#""method": "cg", "preconditioner": "ilu0""#,
        r#""method": "gmres", "preconditioner": "ic0""#,
        r#""preconditioner": "amg""#,
    ] {
        invalid(&two(indefinite, more), "preconditioner", "/preconditioner");
    }
    numeric(
        &two(
            "[0, 2, 2, 1]",
            r#""method": "gmres", "preconditioner": "ilu0""#,
        ),
        "breakdown",
    );
    let found = call(&two("[0, 2, 2, 0]", r#""method": "gmres""#)).unwrap();
    assert_eq!(
        (text(&found, "preconditioner"), found.get("x")),
        ("none", Some(&Value::vector(vec![0.0, 0.5])))
    );
}

#[test]
fn no_convergence_returns_the_best_point() {
    let matrix = second_difference(100);
    let b = vec![1; 100];
    for method in ["cg", "gmres"] {
        let call_text = format!(
            r#"{{"b": {b:?}, {matrix}, "method": "{method}", "preconditioner": "none", "max_iterations": 5}}"#
        );
        refused(&call_text, ErrorCode::Numeric, "no_convergence", "/method");
        let evidence = call(&call_text)
            .unwrap_err()
            .to_value()
            .get("evidence")
            .cloned()
            .unwrap();
        assert_eq!(number(&evidence, "iterations"), 5.0);
        assert!(number(&evidence, "residual") > 1e-10);
        assert_eq!(
            evidence
                .get("x")
                .and_then(Value::as_numbers)
                .map(|x| x.len()),
            Some(100)
        );
    }
    // A tenth has no exact multiple among doubles.
    let tenths = vec![0.1; 100];
    let call_text =
        format!(r#"{{"b": {tenths:?}, {matrix}, "method": "cg", "tolerance": 1e-200}}"#);
    assert!(
        refused(&call_text, ErrorCode::Numeric, "no_convergence", "/method")
            .contains("does not get smaller")
    );
}

#[test]
fn iterations_and_factors_bring_their_evidence() {
    let matrix = second_difference(50);
    let b = vec![1; 50];
    for method in ["cg", "gmres", "cholesky", "lu"] {
        let found = call(&format!(
            r#"{{"b": {b:?}, {matrix}, "method": "{method}"}}"#
        ))
        .unwrap();
        let direct = ["cholesky", "lu"].contains(&method);
        assert_eq!(text(&found, "method"), method);
        for key in [
            "rcond",
            "trusted_digits",
            "error_bound",
            "fill",
            "refinements",
        ] {
            assert_eq!(found.get(key).is_some(), direct, "{method} {key}");
        }
        for key in ["iterations", "preconditioner"] {
            assert_eq!(found.get(key).is_some(), !direct, "{method} {key}");
        }
        assert_eq!(found.get("error_estimate").is_some(), method != "gmres");
        assert_eq!(number(&found, "nonzeros"), 148.0);
        assert!(number(&found, "relative_residual") <= 1e-10);
        // x_25 = 25 (51 - 25) / 2.
        let x = found
            .get("x")
            .and_then(Value::as_numbers)
            .unwrap()
            .as_slice();
        assert!((x[24] - 325.0).abs() < 325.0 * 1e-9, "{method}: {}", x[24]);
    }
}

#[test]
fn budgets_and_stops_reach_the_kernels() {
    let matrix = second_difference(2000);
    let b = vec![1; 2000];
    for method in ["cg", "gmres", "cholesky", "lu"] {
        let call_text = format!(r#"{{"b": {b:?}, {matrix}, "method": "{method}"}}"#);
        let poor = Ctx::new(
            StopFlag::new(),
            CallBudget {
                memory_bytes: 400_000,
                ..CallBudget::default()
            },
        );
        let err = within(&call_text, &poor).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::LimitExceeded, Some("memory")),
            "{method}: {err:?}"
        );
        let stopped = StopFlag::new();
        stopped.time_out();
        let err = within(&call_text, &Ctx::new(stopped, CallBudget::default())).unwrap_err();
        assert_eq!(err.code(), ErrorCode::Timeout, "{method}: {err:?}");
    }
}

fn market(body: &str, b: &str) -> String {
    let text = body.replace('\n', "\\n");
    format!(r#"{{"matrix_market": "{text}", "b": {b}}}"#)
}

#[test]
fn matrix_market_texts_are_read() {
    let good = |body: &str, expected: [f64; 2]| {
        let found = call(&market(body, "[1, 2]")).unwrap_or_else(|err| panic!("{body}: {err:?}"));
        let x = found
            .get("x")
            .and_then(Value::as_numbers)
            .map(|x| x.as_slice().to_vec());
        assert_eq!(x, Some(expected.to_vec()), "{body}");
    };
    let coordinate = "%%MatrixMarket matrix coordinate";
    good(
        &format!("{coordinate} real general\n2 2 3\n1 1 2.0\n2 2 4e0\n1 2 -1\n"),
        [0.75, 0.5],
    );
    good(
        "%%matrixmarket MATRIX Coordinate Integer Symmetric\n% c\n\n2 2 3\n1 1 2\n2 1 1\n2 2 1\n\n% end\n",
        [-1.0, 3.0],
    );
    good(
        &format!("{coordinate} pattern general\n2 2 2\n1 2\n2 1"),
        [2.0, 1.0],
    );
    good(
        &format!("{coordinate} real skew-symmetric\n2 2 1\n2 1 2\n"),
        [1.0, -0.5],
    );
    good(
        "%%MatrixMarket matrix array real general\n2 2\n2\n0\n-1\n4\n",
        [0.75, 0.5],
    );
    good(
        "%%MatrixMarket matrix array integer symmetric\n2 2\n2\n1\n1\n",
        [-1.0, 3.0],
    );
}

#[test]
fn hostile_matrix_market_texts_are_refused_with_line_and_column() {
    let bad = |body: &str, place: &str| {
        let message = invalid(&market(body, "[1, 2]"), "matrix_market", "/matrix_market");
        assert!(
            message.starts_with(&format!("{place}: ")),
            "{body}: {message}"
        );
    };
    let coordinate = |rest: &str| format!("%%MatrixMarket matrix coordinate real general\n{rest}");
    bad("", "line 1, column 1");
    bad("2 2 1\n1 1 1\n", "line 1, column 1");
    bad(
        "%%MatrixMarket matrix coordinate complex general\n",
        "line 1, column 34",
    );
    bad(
        "%%MatrixMarket matrix coordinate real hermitian\n",
        "line 1, column 39",
    );
    bad(
        "%%MatrixMarket vector coordinate real general\n",
        "line 1, column 16",
    );
    bad(&coordinate(""), "line 1, column 1");
    bad(&coordinate("2 2\n"), "line 2, column 1");
    bad(&coordinate("2 2 -1\n"), "line 2, column 5");
    bad(&coordinate("0 2 0\n"), "line 2, column 1");
    bad(
        &coordinate("2 99999999999999999999 1\n"),
        "line 2, column 3",
    );
    bad(
        &coordinate("2 2 18446744073709551615\n1 1 1\n"),
        "line 2, column 1",
    );
    bad(&coordinate("2 2 1000000000\n1 1 1\n"), "line 2, column 1");
    bad(
        &coordinate("4000000000 4000000000 1\n1 5000000000 1\n"),
        "line 3, column 3",
    );
    bad(&coordinate("2 2 2\n1 1 1\n"), "line 3, column 1");
    bad(&coordinate("2 2 1\n0 1 1\n"), "line 3, column 1");
    bad(&coordinate("2 2 1\n1 -1 1\n"), "line 3, column 3");
    bad(&coordinate("2 2 1\n1  3 1\n"), "line 3, column 4");
    bad(&coordinate("2 2 1\n1 1 NaN\n"), "line 3, column 5");
    bad(&coordinate("2 2 1\n1 1 1e999\n"), "line 3, column 5");
    bad(&coordinate("2 2 1\n1 1 1d3\n"), "line 3, column 5");
    bad(&coordinate("2 2 1\n1 1\n"), "line 3, column 3");
    bad(&coordinate("2 2 1\n1 1 1 1\n"), "line 3, column 7");
    bad(&coordinate("2 2 1\n1 1 1\n2 2 1\n"), "line 4, column 1");
    bad(
        "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n",
        "line 3, column 5",
    );
    bad(
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
        "line 3, column 1",
    );
    bad(
        "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
        "line 3, column 1",
    );
    bad(
        "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
        "line 2, column 1",
    );
    bad(
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
        "line 5, column 1",
    );
    bad(
        "%%MatrixMarket matrix array real general\n3000000000 3000000000\n1\n",
        "line 2, column 1",
    );
    invalid(
        &market(&coordinate("3 3 1\n1 1 1\n"), "[1, 2]"),
        "shape",
        "/matrix_market",
    );
    invalid(
        &market(&coordinate("2 3 1\n1 1 1\n"), "[1, 2]"),
        "shape",
        "/matrix_market",
    );
}

/// A million unknowns: the second difference in one dimension, by its narrow band.
#[test]
fn a_million_unknowns() {
    use numerics::NoWatch;
    use numerics::sparse::{CsrMatrix, SparseOptions, solve_sparse_system};
    let n = 1_000_000_usize;
    let mut starts = vec![0];
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for row in 0..n {
        for column in row.saturating_sub(1)..(row + 2).min(n) {
            columns.push(column as u32);
            values.push(if row == column { 2.0 } else { -1.0 });
        }
        starts.push(columns.len());
    }
    let a = CsrMatrix::from_rows(n, starts, columns, values);
    let found =
        solve_sparse_system(&a, &vec![1.0; n], 1, &SparseOptions::default(), &NoWatch).unwrap();
    let worst = (0..n)
        .map(|index| {
            let exact = (index + 1) as f64 * (n - index) as f64 / 2.0;
            (found.x[index] - exact).abs() / exact
        })
        .fold(0.0, f64::max);
    // The condition is 4e11; refinement makes the digits right all the same.
    assert!(worst < 1e-15, "{worst}");
}
