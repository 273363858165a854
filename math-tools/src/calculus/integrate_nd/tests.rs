//! Known integrals over boxes, limits of inner variables, and what is refused.

use super::{Args, IntegrateNdMethod, Output};
use crate::prelude::*;

fn run(args: &str) -> Result<Output, ToolError> {
    let args: Args = tool_core::convert::from_value(&crate::linalg::tests::parse(args))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Args::run(args, &Ctx::default())
}

fn check(args: &str, expected: f64) -> Output {
    let found = run(args).unwrap_or_else(|err| panic!("{args}: {err:?}"));
    let off = (found.integral - expected).abs();
    assert!(
        off <= found.error && found.converged,
        "{args}: off {off:e}: {found:?}"
    );
    found
}

#[test]
fn limits_may_be_formulas_and_infinite() {
    check(
        r#"{"f": "1", "bounds": [[0, 1], [0, "x0"]], "rtol": 1e-9}"#,
        0.5,
    );
    check(
        r#"{"f": "1", "bounds": [[-1, 1], ["-sqrt(1-x**2)", "sqrt(1-x**2)"]], "rtol": 1e-5}"#,
        std::f64::consts::PI,
    );
    check(
        r#"{"f": "exp(-x**2-y**2)", "bounds": [["-inf", "inf"], ["-inf", "inf"]], "rtol": 1e-7}"#,
        std::f64::consts::PI,
    );
    check(
        r#"{"f": "exp(-r)*r", "bounds": [[0, "2*pi"], [0, "inf"]], "variables": ["t", "r"]}"#,
        2.0 * std::f64::consts::PI,
    );
    check(r#"{"f": "x", "bounds": [[1, 0], [0, 1]]}"#, -0.5);
}

#[test]
fn many_variables_take_scrambled_points() {
    let bounds = "[0, 1],".repeat(12);
    let found = check(
        &format!(
            r#"{{"f": "exp(x0+x1+x2+x3+x4+x5)*x11", "bounds": [{}], "rtol": 1e-4}}"#,
            bounds.trim_end_matches(',')
        ),
        (1_f64.exp() - 1.0).powi(6) / 2.0,
    );
    assert_eq!(found.method, IntegrateNdMethod::QuasiMonteCarlo);
    let again = |seed: u64| {
        run(&format!(r#"{{"f": "x*y", "bounds": [[0,1],[0,1]], "method": "quasi_monte_carlo", "rtol": 1e-3, "seed": {seed}}}"#)).unwrap()
    };
    assert_eq!(again(7), again(7));
    assert_ne!(again(7).integral, again(8).integral);
}

#[test]
fn bad_arguments_are_refused() {
    for (args, path) in [
        (r#"{"f": "x", "bounds": [[0, 1]]}"#, "/bounds"),
        (r#"{"f": "x", "bounds": []}"#, "/bounds"),
        (r#"{"f": "w", "bounds": [[0, 1], [0, 1]]}"#, "/f"),
        (r#"{"f": "x", "bounds": [["y", 1], [0, 1]]}"#, "/bounds/0/0"),
        (
            r#"{"f": "x", "bounds": [["inf", "inf"], [0, 1]]}"#,
            "/bounds/0",
        ),
        (
            r#"{"f": "x", "bounds": [[0, 1], [0, 1]], "variables": ["x"]}"#,
            "/variables",
        ),
        (
            r#"{"f": "x", "bounds": [[0, 1], [0, 1]], "variables": ["x", "x"]}"#,
            "/variables/1",
        ),
        (r#"{"f": "log(x-2)", "bounds": [[0, 1], [0, 1]]}"#, "/f"),
        (
            r#"{"f": "log(x-2)", "bounds": [[0, 1], [0, 1]], "method": "quasi_monte_carlo"}"#,
            "/f",
        ),
    ] {
        let err = run(args).unwrap_err();
        assert_eq!(err.path(), Some(path), "{args}: {err:?}");
    }
    let many = format!(
        r#"{{"f": "x", "bounds": [{}]}}"#,
        vec!["[0, 1]"; 34].join(",")
    );
    assert_eq!(run(&many).unwrap_err().path(), Some("/bounds"));
}
