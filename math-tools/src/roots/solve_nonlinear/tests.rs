use serde_json::Value as Json;
use tool_core::ToolError;

use super::{Args, Output, SolveNonlinearReason};

fn call(text: &str) -> Result<(Output, String), ToolError> {
    crate::testing::run_warned::<Args>(text)
}

/// `tests/reference/solve_nonlinear.json`, with its sources in the script beside it.
#[test]
fn solutions_agree_with_mpmath() {
    let text = include_str!("../../../../tests/reference/solve_nonlinear.json");
    let cases: Vec<Json> = serde_json::from_str(text).unwrap();
    assert!(cases.len() >= 25);
    let (mut solved, mut verified, mut of_scipy) = (0, 0, 0);
    for case in &cases {
        let args = serde_json::json!({ "system": case["system"], "x0": case["x0"] });
        let name = case["name"].as_str().unwrap();
        let (output, _) = call(&args.to_string()).unwrap_or_else(|err| panic!("{name}: {err:?}"));
        if case["none"] == true {
            assert!(!output.converged, "{name} {output:?}");
            continue;
        }
        of_scipy += usize::from(case["scipy"] == true);
        if !output.converged {
            continue;
        }
        solved += 1;
        let Some(expected) = case["x"].as_array() else {
            continue;
        };
        let expected: Vec<f64> = expected.iter().filter_map(Json::as_f64).collect();
        let solution = &output.solutions[0];
        verified += usize::from(solution.verified);
        let distance = |x: &[f64]| {
            x.iter()
                .zip(&expected)
                .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
        };
        let size = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if case["singular"] == true {
            assert!(
                solution.singular && distance(&output.x) < 1e-3,
                "{name} {output:?}"
            );
            continue;
        }
        if distance(&output.x) > 1e-6 * size {
            continue;
        }
        let allowed = if solution.verified {
            solution.error.0
        } else {
            1e-12 * size
        };
        assert!(
            distance(&output.x) <= allowed + 1.2e-16 * size,
            "{name}: {:e} {output:?}",
            distance(&output.x)
        );
    }
    assert!(
        solved >= of_scipy && verified >= 18,
        "{solved} {verified} {of_scipy}"
    );
}

#[test]
fn several_solutions_are_found_within_bounds() {
    let (output, _) =
        call(r#"{"system": ["x**2+y**2-4", "x*y-1"], "bounds": {"x": [-3, 3], "y": [-3, 3]}}"#)
            .unwrap();
    assert_eq!(output.solutions.len(), 4, "{output:?}");
    assert!(
        output
            .solutions
            .iter()
            .all(|solution| solution.verified && solution.error.0 < 1e-14)
    );
    let again =
        call(r#"{"system": ["x**2+y**2-4", "x*y-1"], "bounds": {"x": [-3, 3], "y": [-3, 3]}}"#)
            .unwrap()
            .0;
    assert_eq!(again.x, output.x);
}

#[test]
fn what_is_no_solution_is_named() {
    let (output, warnings) = call(r#"{"system": ["x0**2 + 1"], "x0": [2]}"#).unwrap();
    assert!(
        !output.converged && output.solutions.is_empty(),
        "{output:?}"
    );
    assert!(
        matches!(
            output.reason,
            SolveNonlinearReason::LocalMinimum | SolveNonlinearReason::NoProgress
        ),
        "{output:?}"
    );
    assert!(warnings.contains("no solution"));
    let (output, _) = call(r#"{"system": ["(x0-1)**2"], "x0": [4]}"#).unwrap();
    assert_eq!(output.reason, SolveNonlinearReason::Singular);
    assert!((output.x[0] - 1.0).abs() < 1e-5);
}

#[test]
fn arguments_are_checked() {
    for (text, at) in [
        (r#"{"system": ["x0"]}"#, "/x0"),
        (r#"{"system": ["x0"], "x0": []}"#, "/x0"),
        (r#"{"system": ["x0", "x0"], "x0": [1]}"#, "/system"),
        (r#"{"system": ["x0 +"], "x0": [1]}"#, "/system/0"),
        (r#"{"system": ["gammainc(x0, 1)"], "x0": [1]}"#, "/system"),
        (r#"{"system": ["x0"], "x0": [1], "starts": 5}"#, "/bounds"),
        (r#"{"system": ["log(x0)"], "x0": [-1]}"#, "/x0"),
    ] {
        let err = call(text).unwrap_err();
        assert_eq!(err.path(), Some(at), "{text}: {err:?}");
    }
}

/// Powell's badly scaled pair from a start that leads to a local minimum of the squares: starts beside it lead to the solution.
#[test]
fn a_local_minimum_is_left_by_starts_beside_it() {
    let (found, _) =
        call(r#"{"system":["10000*x0*x1-1","exp(-x0)+exp(-x1)-1.0001"],"x0":[-1,-2]}"#).unwrap();
    assert!(found.converged, "{found:?}");
    let product = 1e4 * found.x[0] * found.x[1];
    assert!((product - 1.0).abs() < 1e-9, "{found:?}");
}
