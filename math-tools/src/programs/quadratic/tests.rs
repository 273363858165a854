use tool_core::ErrorCode;

use super::*;
use crate::testing;

fn run(text: &str) -> Result<Output, ToolError> {
    testing::run::<Args>(text)
}

#[test]
fn faults_name_the_argument() {
    testing::assert_refused::<Args>(&[
        (r#"{"P": [[1, 2]]}"#, "/P", "1 x 1"),
        (r#"{"P": [[1]], "c": []}"#, "/c", "empty"),
        (r#"{"P": [[1]], "c": [1, 2]}"#, "/P", "2 x 2"),
        (
            r#"{"P": {"rows": [0], "cols": [0], "values": [1]}}"#,
            "/c",
            "how many",
        ),
        (
            r#"{"P": {"rows": [0], "cols": [2], "values": [1]}, "c": [1, 1]}"#,
            "/P/cols/0",
            "whole number",
        ),
        (
            r#"{"P": {"rows": [0], "cols": [0]}, "c": [1]}"#,
            "/P",
            "`values` is missing",
        ),
        (
            r#"{"P": {"rows": [0], "cols": [0], "values": [1, 2]}, "c": [1]}"#,
            "/P",
            "1, 1 and 2",
        ),
        (
            r#"{"P": {"rows": [0], "cols": [0], "values": [1], "shape": 3}, "c": [1]}"#,
            "/P",
            "`shape` is unknown",
        ),
        (r#"{"P": [[1]], "A_ub": [[1]]}"#, "/b_ub", "needs"),
        (r#"{"P": [[1]], "b_eq": [1]}"#, "/A_eq", "needs"),
        (
            r#"{"P": [[1]], "A_ub": [[1, 2]], "b_ub": [1]}"#,
            "/A_ub",
            "1 x 1",
        ),
        (r#"{"P": [[1]], "bounds": [[1, 0]]}"#, "/bounds/0", "above"),
        (
            r#"{"P": [[1]], "bounds": [[0, 1], [0, 1]]}"#,
            "/bounds",
            "expected 1 pairs",
        ),
        (
            r#"{"P": [[1]], "tolerance": 0}"#,
            "/tolerance",
            "greater than 0",
        ),
    ]);
}

#[test]
fn what_has_no_solution_says_why() {
    let error = run(r#"{"P": [[1, 2], [2, 1]]}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::Numeric, Some("not_convex"))
    );
    let value = error.to_value();
    let lowest = value
        .pointer("/evidence/lowest_eigenvalue")
        .and_then(|v| v.as_f64());
    assert!((lowest.unwrap() + 1.0).abs() < 1e-14);
    let error = run(r#"{"P": [[1]], "A_ub": [[1], [-1]], "b_ub": [0, -1]}"#).unwrap_err();
    assert_eq!(error.reason_str(), Some("infeasible"), "{error:?}");
    let error = run(r#"{"P": [[1, 0], [0, 0]], "c": [0, -1], "bounds": [[0, null]]}"#).unwrap_err();
    assert_eq!(error.reason_str(), Some("unbounded"), "{error:?}");
    // Both: no ray without a point.
    let both =
        r#"{"P": [[0, 0], [0, 0]], "c": [0, -1], "A_ub": [[1, 0], [-1, 0]], "b_ub": [0, -1]}"#;
    assert_eq!(run(both).unwrap_err().reason_str(), Some("infeasible"));
}

#[test]
fn duals_are_slopes_of_the_optimum() {
    let at = |b: f64, e: f64, low: f64| {
        let text = format!(
            r#"{{"P": [[2, 0.5, 0], [0.5, 3, 0], [0, 0, 1]], "c": [-4, -5, 1], "A_ub": [[1, 1, 0]], "b_ub": [{b}],
                "A_eq": [[1, 0, 1]], "b_eq": [{e}], "bounds": [[null, null], [null, null], [{low}, null]]}}"#
        );
        run(&text).unwrap()
    };
    let found = at(1.0, 0.5, 0.2);
    assert!(
        found.converged && found.polished && found.kkt_residual < 1e-13,
        "{found:?}"
    );
    let h = 1e-4;
    let slope = |up: Output, down: Output| (up.objective - down.objective) / (2.0 * h);
    let of_b = slope(at(1.0 + h, 0.5, 0.2), at(1.0 - h, 0.5, 0.2));
    let of_e = slope(at(1.0, 0.5 + h, 0.2), at(1.0, 0.5 - h, 0.2));
    let of_low = slope(at(1.0, 0.5, 0.2 + h), at(1.0, 0.5, 0.2 - h));
    assert!(
        (of_b - found.duals_ub[0]).abs() < 1e-8 && found.duals_ub[0] < -0.1,
        "{of_b} {found:?}"
    );
    assert!((of_e - found.duals_eq[0]).abs() < 1e-8, "{of_e} {found:?}");
    assert!(
        (of_low - found.duals_bounds[2]).abs() < 1e-8,
        "{of_low} {found:?}"
    );
}

#[test]
fn sparse_and_dense_are_the_same_program() {
    let dense = r#"{"P": [[2, 0], [0, 4]], "c": [-2, -8], "A_ub": [[1, 1]], "b_ub": [2]}"#;
    let sparse = r#"{"P": {"rows": [0, 1], "cols": [0, 1], "values": [2, 4]}, "c": [-2, -8],
        "A_ub": {"rows": [0, 0], "cols": [0, 1], "values": [1, 1]}, "b_ub": [2]}"#;
    assert_eq!(run(dense).unwrap().x, run(sparse).unwrap().x);
}

#[test]
fn an_upper_triangle_is_warned_of_and_limits_are_said() {
    let ctx = Ctx::default();
    let go = |text: &str, ctx: &Ctx| testing::run_in::<Args>(text, ctx);
    go(r#"{"P": [[2, 1], [0, 2]], "c": [1, 1]}"#, &ctx).unwrap();
    assert!(ctx.take_warnings()[0].contains("not symmetric"));
    let stopped = tool_core::StopFlag::new();
    stopped.cancel();
    let error = go(
        r#"{"P": [[1]], "c": [1]}"#,
        &Ctx::new(stopped, tool_core::CallBudget::default()),
    )
    .unwrap_err();
    assert_eq!(error.code(), ErrorCode::Cancelled);
}
