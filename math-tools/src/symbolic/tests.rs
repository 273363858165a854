use super::{integrate, laplace, ode, simplify, solve};
use crate::prelude::*;
use crate::testing::{assert_refused, run, run_in};

#[test]
fn the_cubic_of_the_first_page_has_its_roots() {
    let output = run::<solve::Args>(r#"{"equations": "x^3 - 6x^2 + 11x - 6 = 0"}"#).unwrap();
    let values: Vec<&str> = output
        .solutions
        .iter()
        .map(|row| row.values["x"].as_str())
        .collect();
    assert_eq!((values, output.complete), (vec!["1", "2", "3"], true));
}

#[test]
fn a_quotient_in_latex_names_its_gap() {
    let output = run::<simplify::Args>(r#"{"expression": "\\frac{x^2-1}{x-1}"}"#).unwrap();
    assert_eq!(
        (output.result.text.as_str(), output.conditions),
        ("x + 1", vec!["x != 1".to_owned()])
    );
    let output =
        run::<simplify::Args>(r#"{"expression": "sin(2x)", "equal_to": "2sin(x)"}"#).unwrap();
    assert_eq!(output.equal, Some(simplify::EqualityAnswer::Different));
    assert!(output.counter_example.is_some());
}

#[test]
fn integrals_are_checked_and_singular_ones_refused() {
    let output = run::<integrate::Args>(
        r#"{"expression": "x^2 exp(-x)", "variable": "x", "from": "0", "to": "inf"}"#,
    )
    .unwrap();
    assert_eq!(output.value.map(|value| value.text).as_deref(), Some("2"));
    let error =
        run::<integrate::Args>(r#"{"expression": "1/x", "from": "-1", "to": "1"}"#).unwrap_err();
    assert_eq!(error.reason_str(), Some("refused"));
    let error = run::<integrate::Args>(r#"{"expression": "sin(sin(x))"}"#).unwrap_err();
    assert_eq!(error.reason_str(), Some("unevaluated"));
}

#[test]
fn texts_that_cannot_be_read_are_refused_where_they_end() {
    assert_refused::<simplify::Args>(&[
        (r#"{"expression": "2*(x"}"#, "/expression", "expected `)`"),
        (r#"{"expression": "1/0"}"#, "/expression", "divides by zero"),
        (
            r#"{"expression": "x", "assumptions": "x bright"}"#,
            "/assumptions",
            "no assumption",
        ),
    ]);
    let many: Vec<String> = (0..31).map(|at| format!("x{at} = {at}")).collect();
    let many = format!(r#"{{"equations": "{}"}}"#, many.join("; "));
    assert_refused::<solve::Args>(&[(many.as_str(), "/equations", "at most 30")]);
}

#[test]
fn transforms_go_both_ways() {
    let output =
        run::<laplace::Args>(r#"{"expression": "t*exp(-a*t)", "assumptions": "a > 0"}"#).unwrap();
    assert_eq!(output.converges.as_deref(), Some("re(s) > -a"));
    let image = output.result.text;
    let call = format!(r#"{{"expression": "{image}", "inverse": true}}"#);
    let output = run::<laplace::Args>(&call).unwrap();
    assert_eq!(output.result.text, "t*exp(-a*t)");
    assert_eq!(output.verified.digits, 30);
    let output =
        run::<laplace::Args>(r#"{"expression": "y'' + 4y = 0", "initial": "y(0) = 1, y'(0) = 0"}"#)
            .unwrap();
    assert_eq!(
        output.solved.map(|solved| solved.text).as_deref(),
        Some("s/(s**2 + 4)")
    );
    let output = run::<laplace::Args>(r#"{"expression": "y'(t)"}"#).unwrap();
    assert_eq!(output.result.text, "s*Y(s) - y(0)");
}

#[test]
fn transforms_that_do_not_exist_are_refused() {
    for (call, words) in [
        (r#"{"expression": "1/t"}"#, "diverges"),
        (r#"{"expression": "exp(t^2)"}"#, "no rule"),
        (r#"{"expression": "exp(s)", "inverse": true}"#, "grows"),
    ] {
        let error = run::<laplace::Args>(call).unwrap_err();
        assert_eq!(error.reason_str(), Some("refused"), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let long = format!(r#"{{"expression": "{}"}}"#, "t+".repeat(50_000));
    assert_refused::<laplace::Args>(&[
        (r#"{"expression": ""}"#, "/expression", "expected"),
        (r#"{"expression": "1/0"}"#, "/expression", "divides by zero"),
        (r#"{"expression": "nan"}"#, "/expression", "no value"),
        (r#"{"expression": "1/s"}"#, "/expression", "variable `s`"),
        (r#"{"expression": "t", "to": "t"}"#, "/to", "both variables"),
        (
            r#"{"expression": "t", "initial": "y(0) = 1"}"#,
            "/initial",
            "",
        ),
        (&long, "/expression", "at most 20000 bytes"),
    ]);
}

#[test]
fn differential_equations_in_several_notations_are_one() {
    for (equation, unknown) in [
        ("y'' + 3y' + 2y = 0", "y(x)"),
        ("y''(t) + 3y'(t) + 2y(t) = 0", "y(t)"),
        ("d^2y/dx^2 + 3 dy/dx + 2y = 0", "y(x)"),
        ("d2y/dt2 + 3*dy/dt + 2*y = 0", "y(t)"),
        (r"\\frac{d^2y}{dx^2} + 3\\frac{dy}{dx} + 2y = 0", "y(x)"),
        (r"\\ddot{x} + 3\\dot{x} + 2x = 0", "x(t)"),
        ("u'' + 3u' + 2u = 0", "u(x)"),
        ("x'' + 3x' + 2x = 0", "x(t)"),
        (r"y^{(2)} + 3y^{\\prime} + 2y = 0", "y(x)"),
        ("f'' + 3f' + 2f", "f(x)"),
    ] {
        let call = format!(r#"{{"equation": "{equation}"}}"#);
        let output = run::<ode::Args>(&call).unwrap_or_else(|error| panic!("{equation}: {error}"));
        assert_eq!(output.unknown, unknown, "{equation}");
        assert_eq!(output.constants, ["C1", "C2"], "{equation}");
        assert_eq!(output.order, 2, "{equation}");
    }
}

#[test]
fn lost_solutions_and_roots_are_named() {
    let output = run::<ode::Args>(r#"{"equation": "y' = y^2"}"#).unwrap();
    assert_eq!(output.singular, ["y = 0"]);
    let output = run::<ode::Args>(r#"{"equation": "y' = y^2", "conditions": "y(0) = 0"}"#).unwrap();
    assert_eq!(output.solutions[0].value.as_deref(), Some("0"));
    let output = run::<ode::Args>(r#"{"equation": "y' = sqrt(y)"}"#).unwrap();
    assert!(output.solutions.iter().any(|row| row.on_branch));
    // A constant that the equation has is not taken.
    let output = run::<ode::Args>(r#"{"equation": "y' = C1*y"}"#).unwrap();
    assert_eq!(output.constants, ["K1"]);
}

#[test]
fn equations_without_a_closed_form_point_at_numbers() {
    for (equation, words) in [
        ("y = 1", "no derivative"),
        ("y' > 1", "inequality"),
        ("y' = y(x-1)", "another argument"),
        ("y''''''''' = y", "at most 6"),
    ] {
        let call = format!(r#"{{"equation": "{equation}"}}"#);
        let error = run::<ode::Args>(&call).unwrap_err();
        assert_eq!(error.reason_str(), Some("refused"), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let error = run::<ode::Args>(r#"{"equation": "y' = sin(x*y)"}"#).unwrap_err();
    assert_eq!(error.reason_str(), Some("unevaluated"));
    assert!(format!("{error:?}").contains("solve_ode"), "{error:?}");
    let long = format!(r#"{{"equation": "y' = {}"}}"#, "y+".repeat(50_000));
    let deep = format!(
        r#"{{"equation": "y' = {}y{}"}}"#,
        "(".repeat(4_000),
        ")".repeat(4_000)
    );
    assert_refused::<ode::Args>(&[
        (r#"{"equation": ""}"#, "/equation", "expected"),
        (
            r#"{"equation": "y' = 1/0"}"#,
            "/equation",
            "divides by zero",
        ),
        (r#"{"equation": "y' = nan"}"#, "/equation", "no value"),
        (
            r#"{"equation": "y' = y", "conditions": "y = 1"}"#,
            "/conditions",
            "",
        ),
        (
            r#"{"equation": "y' = y", "conditions": "y(0)=1, y(0)=2"}"#,
            "/conditions",
            "second value",
        ),
        (
            r#"{"equation": "y' = y", "variable": "y"}"#,
            "/variable",
            "both",
        ),
        (&long, "/equation", "at most 20000 bytes"),
        (&deep, "/equation", ""),
    ]);
}

#[test]
fn a_linear_system_has_a_row_for_each_function() {
    let output = run::<ode::Args>(
        r#"{"equation": "dx/dt = x + y(t); y' = 4x(t) + y", "conditions": "x(0) = 1, y(0) = 2"}"#,
    )
    .unwrap();
    let values: Vec<_> = output
        .solutions
        .iter()
        .map(|row| row.equation.text.as_str())
        .collect();
    assert_eq!(values, ["x = exp(3*t)", "y = 2*exp(3*t)"]);
    assert_eq!(output.unknown, "x(t), y(t)");
    assert!(output.constants.is_empty() && output.verified.points >= 3);
    let free = run::<ode::Args>(r#"{"equation": "u' = v; v' = -u + 1"}"#).unwrap();
    assert_eq!(free.constants, ["C1", "C2"]);
    assert_refused::<ode::Args>(&[
        (
            r#"{"equation": "x' = y; y = x"}"#,
            "/equation",
            "no derivative",
        ),
        (
            r#"{"equation": "x' = y; x' = 2"}"#,
            "/equation",
            "two equations",
        ),
        (
            r#"{"equation": "x' = y; y' = x", "conditions": "z(0) = 1"}"#,
            "/conditions",
            "no value of a function",
        ),
        (
            r#"{"equation": "x' = y; y' = x", "engine": "sympy"}"#,
            "/engine",
            "native",
        ),
    ]);
    let error = run::<ode::Args>(r#"{"equation": "x' = x*y; y' = x"}"#).unwrap_err();
    assert!(error.message().contains("not linear"), "{error:?}");
}

/// An algebra system with one answer to everything, or none.
struct Oracle(&'static str);

impl tool_core::capability::ComputerAlgebra for Oracle {
    fn ask(&self, question: &Value, _: &Ctx) -> Result<Value, ToolError> {
        assert!(question.get("task").is_some() && question.get("symbols").is_some());
        match self.0 {
            "" => Err(ToolError::new(ErrorCode::ToolError, "it crashed").reason("engine_crashed")),
            text => Ok(tool_core::json::parse_json(text, Default::default())?),
        }
    }
}

fn asking(answer: &'static str) -> Ctx {
    Ctx::default().with_capabilities(tool_core::Capabilities {
        algebra: Some(std::sync::Arc::new(Oracle(answer))),
        ..tool_core::Capabilities::default()
    })
}

#[test]
fn an_engine_is_asked_where_the_call_says_so_and_named_in_the_answer() {
    let call = r#"{"expression": "sin(sin(x))*x", "engine": "ENGINE"}"#;
    let integral = |engine: &str, ctx: &Ctx| {
        let output = run_in::<integrate::Args>(&call.replace("ENGINE", engine), ctx);
        output.map(|output| output.engine)
    };
    let reason = |engine: &str, ctx: &Ctx| {
        integral(engine, ctx)
            .unwrap_err()
            .reason_str()
            .map(str::to_owned)
    };
    // Nobody is asked by default, and nothing that fails its check is an answer.
    for (engine, wanted) in [
        ("native", "unevaluated"),
        ("auto", "unevaluated"),
        ("sympy", "unevaluated"),
    ] {
        let ctx = asking(r#"{"rows": [["v0**2"]]}"#);
        assert_eq!(reason(engine, &ctx).as_deref(), Some(wanted), "{engine}");
    }
    for (engine, wanted) in [("auto", "unevaluated"), ("sympy", "engine_crashed")] {
        assert_eq!(
            reason(engine, &asking("")).as_deref(),
            Some(wanted),
            "{engine}"
        );
    }
    for other in [r#"{"rows": 1}"#, r#"{"rows": [["a", 1]]}"#, "{}", "[]"] {
        assert_eq!(
            reason("sympy", &asking(other)).as_deref(),
            Some("engine_protocol")
        );
    }
    assert_eq!(reason("sympy", &Ctx::default()).as_deref(), Some("engine"));
    let square = r#"{"expression": "x^2", "engine": "ENGINE"}"#;
    for (engine, wanted) in [
        ("native", None),
        ("auto", Some("Native")),
        ("sympy", Some("Sympy")),
    ] {
        let ctx = asking(r#"{"rows": [["v0**3/3"]]}"#);
        let output = run_in::<integrate::Args>(&square.replace("ENGINE", engine), &ctx).unwrap();
        let named = output.engine.map(|name| format!("{name:?}"));
        assert_eq!(named.as_deref(), wanted, "{engine}");
    }
}

#[test]
fn solutions_of_an_outside_engine_are_never_called_all() {
    let ctx = asking(r#"{"rows": [["lambertw(2)"], ["5"]]}"#);
    let call = r#"{"equations": "x*exp(x) = 2", "engine": "auto"}"#;
    let output = run_in::<solve::Args>(call, &ctx).unwrap();
    assert_eq!(output.solutions.len(), 1);
    assert!(!output.complete);
}
