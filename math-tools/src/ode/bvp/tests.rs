use tool_core::{Ctx, Tool, ToolError, convert};

use super::{Args, Output, SolveBvpReason};
use crate::linalg::tests::parse;

fn from_json(text: &str) -> Result<(Output, String), ToolError> {
    let ctx = Ctx::default();
    let args: Args = convert::from_value(&parse(text))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Ok((Args::run(args, &ctx)?, ctx.take_warnings().join("\n")))
}

/// The error of the first component against a function, which the estimate must not understate much.
fn assert_solved(text: &str, exact: impl Fn(f64) -> f64, tolerance: f64) -> Output {
    let (output, warnings) = from_json(text).unwrap();
    assert!(output.converged, "{text}: {warnings}");
    let error = output
        .t
        .iter()
        .zip(&output.y)
        .map(|(&t, y)| (y[0] - exact(t)).abs());
    let error = error.fold(0.0, f64::max);
    assert!(error < tolerance, "{text}: {error:e}");
    let estimate = output.error_estimate.unwrap();
    assert!(
        error <= 3.0 * estimate + 1e-10,
        "{text}: {error:e}, estimate {estimate:e}"
    );
    output
}

#[test]
fn linear_problems() {
    assert_solved(
        r#"{"system":["y1","-y0"],"boundary":["a0","b0-1"],"t_span":[0,1]}"#,
        |t| t.sin() / 1.0_f64.sin(),
        1e-6,
    );
    // A layer of width 1e-2 at the right end.
    let output = assert_solved(
        r#"{"system":["y1","s*y1"],"parameters":{"s":100},"boundary":["a0","b0-1"],"t_span":[0,1],"tolerance":1e-6}"#,
        |t| ((100.0 * (t - 1.0)).exp() - (-100.0_f64).exp()) / (1.0 - (-100.0_f64).exp()),
        1e-5,
    );
    assert!(output.nodes > 30);
}

/// Bratu's problem y'' + e^y = 0, y(0) = y(1) = 0, has two solutions: U. M. Ascher and others, SIAM 1995, example 3.3. In closed form
/// y = -2 log(cosh((t - 1/2) c / 2) / cosh(c / 4)) with c = sqrt(2) cosh(c / 4).
#[test]
fn both_solutions_of_a_nonlinear_problem() {
    let root = |mut c: f64| {
        for _ in 0..200 {
            let f = c - 2.0_f64.sqrt() * (c / 4.0).cosh();
            c -= f / (1.0 - 2.0_f64.sqrt() / 4.0 * (c / 4.0).sinh());
        }
        c
    };
    for (guess, start) in [("0", 1.5), ("16*t*(1-t)", 11.0)] {
        let c = root(start);
        let exact = |t: f64| -2.0 * (((t - 0.5) * c / 2.0).cosh() / (c / 4.0).cosh()).ln();
        assert_solved(
            &format!(
                r#"{{"system":["y1","-exp(y0)"],"boundary":["a0","b0"],"t_span":[0,1],"guess":["{guess}","0"],"tolerance":1e-8}}"#
            ),
            exact,
            1e-6,
        );
    }
}

/// y'' + k^2 y = 0 with y(0) = y(1) = 0 and y'(0) = k has k = pi near 3.
#[test]
fn an_eigenvalue_is_found() {
    let output = assert_solved(
        r#"{"system":["y1","-k**2*y0"],"parameters":{"k":3},"unknowns":["k"],"boundary":["a0","b0","a1-k"],"t_span":[0,1],
            "guess":["sin(3*t)","3*cos(3*t)"],"tolerance":1e-9}"#,
        |t| (std::f64::consts::PI * t).sin(),
        1e-7,
    );
    assert!((output.unknowns.unwrap()[0] - std::f64::consts::PI).abs() < 1e-8);
}

#[test]
fn what_does_not_converge_says_why() {
    // Every multiple of the sine is a solution, and none fulfils the second condition.
    let (output, _) =
        from_json(r#"{"system":["y1","0"],"boundary":["a1-1","b1-2"],"t_span":[0,1]}"#).unwrap();
    assert_eq!(
        (output.converged, output.reason),
        (false, Some(SolveBvpReason::Singular))
    );
    let (output, warnings) = from_json(
        r#"{"system":["y1","1e6*y0"],"boundary":["a0-1","b0"],"t_span":[0,1],"max_nodes":20}"#,
    )
    .unwrap();
    assert_eq!(output.reason, Some(SolveBvpReason::MaxNodes));
    assert!(warnings.contains("max_nodes"));
    let (output, _) =
        from_json(r#"{"system":["y1","log(y0)"],"boundary":["a0-1","b0-1"],"t_span":[0,1]}"#)
            .unwrap();
    assert_eq!(output.reason, Some(SolveBvpReason::NotFinite));
    // Bratu's problem has no solution beyond 3.51.
    let (output, _) =
        from_json(r#"{"system":["y1","-4*exp(y0)"],"boundary":["a0","b0"],"t_span":[0,1]}"#)
            .unwrap();
    assert!(!output.converged && output.error_estimate.is_none());
}

#[test]
fn bad_input_names_the_argument() {
    for (text, path) in [
        (
            r#"{"system":["y1","-y0"],"boundary":["a0"],"t_span":[0,1]}"#,
            "/boundary",
        ),
        (
            r#"{"system":["y1","-y0"],"boundary":["a0","c0"],"t_span":[0,1]}"#,
            "/boundary/1",
        ),
        (
            r#"{"system":["y1","-y0"],"boundary":["a0","b0"],"t_span":[1,0]}"#,
            "/t_span",
        ),
        (
            r#"{"system":["y1","-y2"],"boundary":["a0","b0"],"t_span":[0,1]}"#,
            "/system/1",
        ),
        (
            r#"{"system":["y1","-y0"],"boundary":["a0","b0"],"t_span":[0,1],"guess":["t"]}"#,
            "/guess",
        ),
        (
            r#"{"system":["y1","-y0"],"boundary":["a0","b0"],"t_span":[0,1],"guess":["1/t","0"]}"#,
            "/guess/0",
        ),
        (
            r#"{"system":["y1","-y0"],"boundary":["a0","b0"],"t_span":[0,1],"t_eval":[2]}"#,
            "/t_eval/0",
        ),
        (
            r#"{"system":["y1","-k*y0"],"boundary":["a0","b0","a1"],"t_span":[0,1],"unknowns":["k"]}"#,
            "/unknowns/0",
        ),
        (
            r#"{"system":["y1","-y0"],"boundary":["a0","b0"],"t_span":[0,1],"tolerance":0}"#,
            "/tolerance",
        ),
        (
            r#"{"system":["y1","-y(t-1)"],"boundary":["a0","b0"],"t_span":[0,1]}"#,
            "/system/1",
        ),
    ] {
        let err = from_json(text)
            .err()
            .unwrap_or_else(|| panic!("{text} was accepted"));
        assert_eq!(err.path(), Some(path), "{text}: {err:?}");
    }
}

/// No solution meets the conditions, and one misses a pulse between the points of its mesh: small residuals are no evidence then.
#[test]
fn what_a_finer_mesh_contradicts_is_not_converged() {
    for text in [
        r#"{"system":["y1","-y0"],"boundary":["a0","b0-1"],"t_span":[0,3.141592653589793]}"#,
        r#"{"system":["y1","if((t>0.52)*(t<0.53),100,0)"],"boundary":["a0","b0"],"t_span":[0,1]}"#,
    ] {
        let (output, _) = from_json(text).unwrap();
        assert_eq!(
            (output.converged, output.reason),
            (false, Some(SolveBvpReason::Unconfirmed)),
            "{text}"
        );
    }
}

#[test]
fn a_mesh_has_no_more_points_than_are_allowed() {
    let (output, _) = from_json(
        r#"{"system":["y1","6*t"],"boundary":["a0","b0-1"],"t_span":[0,1],"max_nodes":5}"#,
    )
    .unwrap();
    assert!(output.nodes <= 5, "{}", output.nodes);
}

/// y'' = 1 up to 0.3 and -2 from there: integrated by hand, y'(0) = 0.235, y(0.3) = 0.1155.
#[test]
fn a_jump_of_the_right_hand_side() {
    let system = r#""system":["y1","if(t<0.3,1,-2)"],"boundary":["a0","b0"],"t_span":[0,1],"t_eval":[0,0.3]"#;
    let (output, warnings) = from_json(&format!("{{{system}}}")).unwrap();
    assert_eq!(output.reason, Some(SolveBvpReason::MaxNodes));
    assert!(
        warnings.contains("`breakpoints`") && warnings.contains("from t = 0.29"),
        "{warnings}"
    );
    let (output, _) = from_json(&format!(r#"{{{system},"breakpoints":[0.3]}}"#)).unwrap();
    assert!(output.converged, "{:?}", output.reason);
    assert!(
        (output.y[0][1] - 0.235).abs() < 1e-8 && (output.y[1][0] - 0.1155).abs() < 1e-8,
        "{:?}",
        output.y
    );
    for (breakpoints, path) in [
        ("[0]", "/breakpoints/0"),
        ("[1]", "/breakpoints/0"),
        ("[0.5,0.2]", "/breakpoints/1"),
        ("[0.2,0.2]", "/breakpoints/1"),
    ] {
        let text = format!(r#"{{{system},"breakpoints":{breakpoints}}}"#);
        assert_eq!(from_json(&text).err().unwrap().path(), Some(path));
    }
    let few = format!(r#"{{{system},"breakpoints":[0.1,0.2,0.3],"max_nodes":4}}"#);
    assert_eq!(from_json(&few).err().unwrap().path(), Some("/max_nodes"));
}

/// The same problem in units of any size has the same solution.
#[test]
fn the_size_of_a_solution_does_not_matter() {
    for size in [1e-12_f64, 1e-6, 1e6, 1e10] {
        let text = format!(
            r#"{{"system":["y1","-y0"],"boundary":["a0","b0-{size:e}"],"t_span":[0,1],"t_eval":[0.5]}}"#
        );
        let (output, warnings) = from_json(&text).unwrap();
        assert!(output.converged, "{size}: {warnings}");
        let exact = size * 0.5_f64.sin() / 1.0_f64.sin();
        assert!(
            (output.y[0][0] / exact - 1.0).abs() < 1e-6,
            "{size} {:?}",
            output.y
        );
    }
}

/// A breakpoint at a point of the mesh.
#[test]
fn breakpoints_may_be_points_of_the_mesh() {
    for place in ["0.1", "0.2", "0.5", "0.9"] {
        let text = format!(
            r#"{{"system": ["y1", "if(t<{place},1,-2)"], "boundary": ["a0", "b0"], "t_span": [0, 1], "breakpoints": [{place}], "t_eval": [0.5]}}"#
        );
        let args: Args =
            tool_core::convert::from_value(&crate::linalg::tests::parse(&text)).unwrap();
        let output = Args::run(args, &tool_core::Ctx::default()).unwrap();
        assert!(output.converged, "{place}: {output:?}");
    }
}

/// SciML issue 209: relative residuals of what is left of 0 never become small.
#[test]
fn the_solution_may_be_zero() {
    for (system, span, guess) in [
        (r#"["y1","y0"]"#, "[0,1]", r#"["t*(1-t)","1-2*t"]"#),
        (r#"["y1","-y0"]"#, "[0,2.5]", r#"["t*(2.5-t)","2.5-2*t"]"#),
        (
            r#"["y1","y0"]"#,
            "[0,1]",
            r#"["1e12*t*(1-t)","1e12*(1-2*t)"]"#,
        ),
        (
            r#"["y1","y0"]"#,
            "[0,1]",
            r#"["1e-12*t*(1-t)","1e-12*(1-2*t)"]"#,
        ),
    ] {
        let text = format!(
            r#"{{"system":{system},"boundary":["a0","b0"],"t_span":{span},"guess":{guess}}}"#
        );
        let (found, warnings) = from_json(&text).unwrap();
        assert!(found.converged, "{text}: {warnings}");
        assert!(
            found.y.iter().flatten().all(|y| *y == 0.0),
            "{text}: {:?}",
            found.y
        );
    }
}
