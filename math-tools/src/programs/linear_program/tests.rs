//! Prices and certificates of small programs, the two forms of matrices, and arguments that do not fit.

use tool_core::{ErrorCode, convert};

use super::*;
use crate::testing;

fn call(args: &str) -> Result<Value, ToolError> {
    testing::run::<Args>(args).map(|output| convert::to_value(&output).expect("a value"))
}

fn at(output: &Value, pointer: &str) -> Value {
    output
        .pointer(pointer)
        .unwrap_or_else(|| panic!("nothing at {pointer} of {output}"))
}

fn number(output: &Value, pointer: &str) -> f64 {
    at(output, pointer)
        .as_f64()
        .unwrap_or_else(|| panic!("no number at {pointer} of {output}"))
}

const PLANTS: &str = r#""b_ub": [4, 12, 18], "plot": false"#;

#[test]
fn sparse_matrices_are_the_same_program() {
    let full = call(&format!(
        r#"{{"c": [-3, -5], "A_ub": [[1, 0], [0, 2], [3, 2]], {PLANTS}}}"#
    ))
    .unwrap();
    for sparse in [
        r#"{"rows": [2, 0, 1, 2, 2], "cols": [0, 0, 1, 1, 1], "values": [3, 1, 2, 1, 1]}"#,
        r#"{"indptr": [0, 1, 2, 4], "indices": [0, 1, 1, 0], "data": [1, 2, 2, 3]}"#,
    ] {
        let found = call(&format!(r#"{{"c": [-3, -5], "A_ub": {sparse}, {PLANTS}}}"#)).unwrap();
        assert_eq!(found, full);
    }
}

/// The rate at which the objective changes when a right-hand side or a bound does, against the change itself.
#[test]
fn prices_are_rates_of_the_objective_as_given() {
    let program = |maximize: bool, ub: f64, eq: f64, high: f64| {
        let sign = if maximize { "" } else { "-" };
        call(&format!(
            r#"{{"c": [{sign}2, {sign}3, {sign}1], "A_ub": [[1, 1, 0]], "b_ub": [{ub}], "A_eq": [[0, 1, 1]], "b_eq": [{eq}],
                "bounds": {{"x1": [null, {high}]}}, "maximize": {maximize}}}"#
        ))
        .unwrap()
    };
    for maximize in [true, false] {
        let base = program(maximize, 5.0, 4.0, 3.0);
        let objective = number(&base, "/objective");
        let rises = [
            ("/constraints/0/dual", program(maximize, 5.5, 4.0, 3.0)),
            ("/constraints/1/dual", program(maximize, 5.0, 4.5, 3.0)),
            (
                "/variables/1/reduced_cost",
                program(maximize, 5.0, 4.0, 3.5),
            ),
        ];
        for (price, risen) in rises {
            let rate = (number(&risen, "/objective") - objective) / 0.5;
            assert_eq!(number(&base, price), rate, "{price}, maximize {maximize}");
        }
    }
}

#[test]
fn ties_are_named() {
    let tied = call(r#"{"c": [-1, -1], "A_ub": [[1, 1]], "b_ub": [1], "plot": false}"#).unwrap();
    assert_eq!(at(&tied, "/unique"), Value::from(false));
    assert_eq!(at(&tied, "/duals_unique"), Value::from(true));
    let degenerate = call(
        r#"{"c": [-1, -2], "A_ub": [[1, 0], [1, 1], [0, 1]], "b_ub": [0, 1, 1], "plot": false}"#,
    )
    .unwrap();
    assert_eq!(at(&degenerate, "/unique"), Value::from(true));
    assert_eq!(at(&degenerate, "/duals_unique"), Value::from(false));
}

#[test]
fn certificates_are_proofs() {
    let none = call(r#"{"c": [1, 1], "A_ub": [[1, 2], [-1, -1]], "b_ub": [2, -3]}"#).unwrap();
    assert_eq!(at(&none, "/reason").as_str(), Some("infeasible"));
    // 1 (x + 2y <= 2) + 1 (-x - y <= -3) is y <= -1.
    assert_eq!(
        at(&none, "/certificate/multipliers"),
        Value::vector(vec![1.0, 1.0])
    );
    assert_eq!(number(&none, "/certificate/margin"), 1.0);
    let free = call(r#"{"c": [-1, -1], "A_ub": [[1, -1]], "b_ub": [2]}"#).unwrap();
    assert_eq!(at(&free, "/reason").as_str(), Some("unbounded"));
    assert_eq!(at(&free, "/certificate/ray"), Value::vector(vec![1.0, 1.0]));
    assert_eq!(number(&free, "/certificate/margin"), 2.0);
    let free = call(r#"{"c": [-1, -1], "A_ub": [[1, -1]], "b_ub": [2.5], "integrality": [1, 1]}"#)
        .unwrap();
    assert_eq!(at(&free, "/reason").as_str(), Some("unbounded"));
    // Unbounded when relaxed, but x0 = 0.5 is no integer.
    let none =
        call(r#"{"c": [0, -1], "A_eq": [[2, 0]], "b_eq": [1], "integrality": ["x0"]}"#).unwrap();
    assert_eq!(at(&none, "/reason").as_str(), Some("infeasible"));
}

#[test]
fn integers_end_at_a_limit_with_a_bound() {
    // Two equations with large coefficients, which cuts do not help.
    let weight = |at: usize| (at * at * 37 + at * 101 + 13) % 89 + 1;
    let rows = [0, 20].map(|start| (start..start + 20).map(weight).collect::<Vec<_>>());
    let right = rows.each_ref().map(|row| {
        let chosen = row.iter().enumerate().filter(|(at, _)| at * at % 7 < 3);
        chosen.map(|(_, weight)| weight).sum::<usize>()
    });
    let equations = format!(
        r#""c": {:?}, "A_eq": {rows:?}, "b_eq": {right:?}, "bounds": {:?}, "integrality": {:?}"#,
        [1; 20],
        [[0, 1]; 20],
        [1; 20]
    );
    let whole = call(&format!("{{{equations}}}")).unwrap();
    let objective = number(&whole, "/objective");
    assert_eq!(number(&whole, "/bound"), objective);
    let cut = call(&format!(r#"{{{equations}, "max_nodes": 2}}"#)).unwrap();
    assert_eq!(at(&cut, "/reason").as_str(), Some("node_limit"));
    assert!(number(&cut, "/bound") <= objective);
    let loose = call(&format!(r#"{{{equations}, "gap": 0.5}}"#)).unwrap();
    assert!(number(&loose, "/gap") <= 0.5 && number(&loose, "/nodes") <= number(&whole, "/nodes"));
    let knapsack = r#""c": [10, 13, 18, 31, 7, 15], "A_ub": [[11, 15, 20, 35, 10, 33]], "b_ub": [47], "maximize": true,
        "bounds": [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1]], "integrality": [1, 1, 1, 1, 1, 1]"#;
    let largest = call(&format!("{{{knapsack}}}")).unwrap();
    assert_eq!(number(&largest, "/objective"), 41.0);
    assert_eq!(number(&largest, "/bound"), 41.0);
}

#[test]
fn two_variables_are_drawn() {
    let drawn =
        call(r#"{"c": [-3, -5], "A_ub": [[1, 0], [0, 2], [3, 2]], "b_ub": [4, 12, 18]}"#).unwrap();
    let plot = at(&drawn, "/plot");
    assert!(
        plot.as_str()
            .is_some_and(|plot| plot.contains("optimum at (2, 6)")),
        "{plot}"
    );
    let line = call(r#"{"c": [1, 1], "A_eq": [[1, 1]], "b_eq": [1]}"#).unwrap();
    assert!(line.pointer("/plot").is_some());
    let point = call(r#"{"c": [1, 1], "bounds": [[1, 1], [2, 2]]}"#).unwrap();
    assert!(point.pointer("/plot").is_none());
    assert_eq!(number(&point, "/objective"), 3.0);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    for (args, path) in [
        (r#"{"c": []}"#, "/c"),
        (r#"{"c": ["NaN"]}"#, "/c/0"),
        (r#"{"c": [1], "A_ub": [[1]]}"#, "/b_ub"),
        (r#"{"c": [1], "b_eq": [1]}"#, "/A_eq"),
        (r#"{"c": [1], "A_ub": [[1, 2]], "b_ub": [1]}"#, "/A_ub"),
        (r#"{"c": [1], "A_ub": [[1], [2]], "b_ub": [1]}"#, "/A_ub"),
        (
            r#"{"c": [1, 2], "A_ub": [[1, 2], [3]], "b_ub": [1, 2]}"#,
            "/A_ub",
        ),
        (
            r#"{"c": [1], "A_ub": {"rows": [0], "cols": [0]}, "b_ub": [1]}"#,
            "/A_ub",
        ),
        (
            r#"{"c": [1], "A_ub": {"rows": [1], "cols": [0], "values": [1]}, "b_ub": [1]}"#,
            "/A_ub/rows/0",
        ),
        (
            r#"{"c": [1], "A_ub": {"rows": [0, 0], "cols": [0], "values": [1]}, "b_ub": [1]}"#,
            "/A_ub/cols",
        ),
        (
            r#"{"c": [1], "A_ub": {"indptr": [0, 2], "indices": [0], "data": [1]}, "b_ub": [1]}"#,
            "/A_ub/indptr/1",
        ),
        (
            r#"{"c": [1], "A_ub": {"indptr": [1, 1], "indices": [0], "data": [1]}, "b_ub": [1]}"#,
            "/A_ub/indptr",
        ),
        (r#"{"c": [1], "bounds": [[2, 1]]}"#, "/bounds/0"),
        (r#"{"c": [1], "bounds": [[0, 1], [0, 1]]}"#, "/bounds"),
        (r#"{"c": [1], "bounds": {"y": [0, 1]}}"#, "/bounds"),
        (r#"{"c": [1], "integrality": [2]}"#, "/integrality"),
        (r#"{"c": [1], "integrality": ["y"]}"#, "/integrality"),
        (r#"{"c": [1], "integrality": [1, 0]}"#, "/integrality"),
        (r#"{"c": [1], "integrality": []}"#, "/integrality"),
        (r#"{"c": [1], "names": ["a", "b"]}"#, "/names"),
        (r#"{"c": [1, 1], "names": ["a", "a"]}"#, "/names/1"),
        (r#"{"c": [1], "gap": 0.1}"#, "/gap"),
        (r#"{"c": [1], "max_nodes": 5}"#, "/max_nodes"),
    ] {
        let error = call(args).expect_err(args);
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}: {error:?}"
        );
    }
}

#[test]
fn extreme_numbers_do_not_panic() {
    for args in [
        r#"{"c": [1e308, -1e308], "A_ub": [[1e308, 1e-308]], "b_ub": [1e308], "bounds": [[null, null], [-1e308, 1e308]]}"#,
        r#"{"c": [5e-324], "A_eq": [[5e-324]], "b_eq": [1e308]}"#,
        r#"{"c": [-1, 1], "A_ub": [[1e-300, 1e300], [1e300, 1e-300]], "b_ub": [1, 1]}"#,
        r#"{"c": [1, 1], "bounds": [[0.1, 0.2], [0, 1e300]], "integrality": [1, 1]}"#,
        r#"{"c": [-1], "bounds": [[0, 1e300]], "integrality": [1]}"#,
    ] {
        let _ = call(args);
    }
}
