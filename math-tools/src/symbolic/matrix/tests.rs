use super::Args;
use crate::testing::{assert_refused, run};

#[test]
fn a_matrix_is_read_from_rows_text_and_latex() {
    for matrix in [
        r#"[[1, "x"], [0.5, "x^2"]]"#,
        r#""1, x; 1/2, x^2""#,
        r#""[[1, x], [1/2, x^2]]""#,
        r#""\\begin{pmatrix} 1 & x \\\\ \\frac12 & x^2 \\end{pmatrix}""#,
    ] {
        let call = format!(r#"{{"matrix": {matrix}, "operation": "determinant"}}"#);
        let output = run::<Args>(&call).unwrap_or_else(|error| panic!("{matrix}: {error}"));
        assert_eq!(output.read_as, [["1", "x"], ["1/2", "x**2"]], "{matrix}");
        let value = output.value.map(|value| value.text);
        assert_eq!(value.as_deref(), Some("x**2 - x/2"), "{matrix}");
    }
}

#[test]
fn values_for_which_an_answer_does_not_hold_are_named() {
    let output =
        run::<Args>(r#"{"matrix": [["a", 1], [1, "a"]], "operation": "inverse"}"#).unwrap();
    assert_eq!(output.conditions, ["a != 1", "a != -1"]);
    let output = run::<Args>(
        r#"{"matrix": [["a", 1], [0, 1]], "operation": "rank", "assumptions": "a > 0"}"#,
    )
    .unwrap();
    assert_eq!((output.rank, output.conditions), (Some(2), Vec::new()));
    let output =
        run::<Args>(r#"{"matrix": [["k", 1], ["k", 1]], "operation": "solve", "b": ["c", "c"]}"#)
            .unwrap();
    assert_eq!(
        (output.consistent, output.null_space.len()),
        (Some(true), 1)
    );
}

#[test]
fn eigenvalues_come_with_multiplicities_and_vectors() {
    let output =
        run::<Args>(r#"{"matrix": [[2, 1], [0, 2]], "operation": "eigenvectors"}"#).unwrap();
    let row = &output.eigenvalues[0];
    assert_eq!((row.value.text.as_str(), row.multiplicity), ("2", 2));
    assert_eq!(row.vectors, [["1", "0"]]);
}

#[test]
fn hostile_matrices_are_refused() {
    let long = "x".repeat(100_000);
    let long = format!(r#"{{"matrix": [["{long}"]], "operation": "trace"}}"#);
    let deep = format!("{}x{}", "(".repeat(5_000), ")".repeat(5_000));
    let deep = format!(r#"{{"matrix": [["{deep}"]], "operation": "trace"}}"#);
    let wide = vec!["1"; 41].join(", ");
    let wide = format!(r#"{{"matrix": [[{wide}]], "operation": "rref"}}"#);
    assert_refused::<Args>(&[
        (
            r#"{"matrix": "", "operation": "trace"}"#,
            "/matrix",
            "no entry",
        ),
        (
            r#"{"matrix": [[1, 2], [3]], "operation": "trace"}"#,
            "/matrix/1",
            "expected 2 entries",
        ),
        (
            r#"{"matrix": "1, 2; 3", "operation": "trace"}"#,
            "/matrix",
            "equal length",
        ),
        (
            r#"{"matrix": [["1/0"]], "operation": "trace"}"#,
            "/matrix/0/0",
            "divides by zero",
        ),
        (
            r#"{"matrix": [["nan"]], "operation": "trace"}"#,
            "/matrix/0/0",
            "no value",
        ),
        (
            r#"{"matrix": [["sin"]], "operation": "trace"}"#,
            "/matrix/0/0",
            "is a function",
        ),
        (
            r#"{"matrix": [[1, 2]], "operation": "trace"}"#,
            "/matrix",
            "square",
        ),
        (
            r#"{"matrix": [[1]], "operation": "solve"}"#,
            "/b",
            "second matrix",
        ),
        (
            r#"{"matrix": [[1]], "operation": "trace", "b": [1]}"#,
            "/b",
            "only `product`",
        ),
        (
            r#"{"matrix": [[1]], "operation": "power"}"#,
            "/exponent",
            "exponent",
        ),
        (
            r#"{"matrix": [["lambda"]], "operation": "eigenvalues"}"#,
            "/variable",
            "symbol of the matrix",
        ),
        (&long, "/matrix/0/0", "at most 20000 bytes"),
        (&deep, "/matrix/0/0", ""),
        (&wide, "/matrix", "at most 40"),
    ]);
    for (entry, words) in [("x = 1", "equation"), ("inf", "infinite")] {
        let call = format!(r#"{{"matrix": [["{entry}"]], "operation": "trace"}}"#);
        let error = run::<Args>(&call).unwrap_err();
        assert_eq!(error.reason_str(), Some("refused"));
        assert!(error.to_string().contains(words), "{error}");
    }
    // Terms would grow in every symbol.
    let tower =
        r#"{"matrix": [["x + 1", "y"], ["z", "w"]], "operation": "power", "exponent": 1000}"#;
    assert!(run::<Args>(tower).is_err());
}
