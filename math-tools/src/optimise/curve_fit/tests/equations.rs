//! Differential equations as models: against their formulas, and what can go wrong. `tests/reference/curve_fit.json` compares with SciPy.

use tool_core::{CallBudget, ErrorCode};

use super::{Args, Ctx, Output, ToolError, Value, fit, value};
use crate::prelude::*;

/// A decay with deterministic errors, rows in no order and one time twice.
const DECAY: &str = r#""data": {"t": [3, 0, 1, 2, 2, 5, 8], "y": [2.4, 8.1, 5.3, 3.7, 3.5, 1.0, 0.4], "s": [0.2, 0.4, 0.2, 0.2, 0.1, 0.1, 0.1]},
    "start": {"a": 5, "k": 1}, "plot": false"#;
const EQUATION: &str = r#"{"system": {"y": "-k*y"}, "y0": {"y": "a"}}"#;

fn assert_same(ode: &Output, formula: &Output, tolerance: f64) {
    let close = |a: f64, b: f64| (a - b).abs() <= tolerance * b.abs();
    for (a, b) in ode.parameters.iter().zip(&formula.parameters) {
        let pairs = [
            (a.estimate, b.estimate),
            (a.standard_error.0, b.standard_error.0),
            (a.interval[0].0, b.interval[0].0),
        ];
        assert!(pairs.iter().all(|(a, b)| close(*a, *b)), "{a:?} {b:?}");
    }
    let rows = ode.band.iter().zip(&formula.band);
    assert!(rows.into_iter().all(|(a, b)| close(a.0, b.0)));
    let fitted = ode.fitted.iter().zip(&formula.fitted);
    assert!(fitted.into_iter().all(|(a, b)| close(*a, *b)));
    assert!(close(ode.aic.0, formula.aic.0) && close(ode.sum_of_squares, formula.sum_of_squares));
}

/// y' = -k y, y(0) = a, as its formula: 8 digits of estimates, errors, bands and criteria, with each option.
#[test]
fn a_decay_is_fitted_as_its_formula() {
    for options in [
        "",
        r#", "sigma": "s""#,
        r#", "sigma": "s", "absolute_sigma": true, "confidence": 0.9"#,
        r#", "loss": "huber", "loss_scale": 0.1"#,
        r#", "bounds": {"k": [0.5, null]}"#,
    ] {
        let with = |model: &str| fit(&format!(r#"{{"model": {model}, {DECAY}{options}}}"#));
        let ode = with(EQUATION).unwrap_or_else(|err| panic!("{options}: {err:?}"));
        let formula = with(r#""a*exp(-k*t)""#).expect("a fit");
        assert!(ode.converged, "{options}: {:?}", ode.reason);
        if options.contains("bounds") {
            assert!(ode.parameters[1].at_bound && ode.parameters[1].estimate == 0.5);
            assert!((ode.parameters[0].estimate - formula.parameters[0].estimate).abs() < 1e-7);
        } else {
            // The loss has no second derivative where a row changes sides: the error of the integration moves the end of the search more.
            let tolerance = if options.contains("huber") {
                1e-6
            } else {
                1e-8
            };
            assert_same(&ode, &formula, tolerance);
        }
    }
    // Given numbers are not fitted; the time of the initial value may lie within the data or before it.
    let held = fit(&format!(
        r#"{{"model": {EQUATION}, {}, "parameters": {{"k": 0.5}}}}"#,
        DECAY.replace(r#", "k": 1"#, "")
    ));
    assert_eq!(held.expect("a fit").parameters.len(), 1);
    let formula = fit(&format!(r#"{{"model": "a*exp(-k*t)", {DECAY}}}"#)).expect("a fit");
    for t0 in [2.0, -1.0, 10.0] {
        let moved = format!(
            r#"{{"model": {{"system": {{"y": "-k*y"}}, "y0": {{"y": "a*exp(-k*({t0}))"}}, "t0": {t0}}}, {DECAY}}}"#
        );
        let moved = fit(&moved).unwrap_or_else(|err| panic!("{t0}: {err:?}"));
        assert_same(&moved, &formula, 1e-8);
    }
}

/// What is observed may use states, parameters and columns, and the equations the time.
#[test]
fn an_observation_is_differentiated_by_the_chain_rule() {
    let data = r#""data": {"day": [0, 1, 2, 3, 4], "w": [1, 2, 1, 2, 1], "z": [2.1, 4.9, 3.4, 8.2, 4.8]}, "response": "z", "plot": false"#;
    // u = b t^2 / 2, observed as w (c + u)^2.
    let ode = fit(&format!(
        r#"{{"model": {{"system": {{"u": "b*day"}}, "y0": {{"u": 0}}, "observe": "w*(c+u)**2", "time": "day"}}, "start": {{"b": 0.2, "c": 1}}, {data}}}"#
    ));
    let formula = fit(&format!(
        r#"{{"model": "w*(c+b*day**2/2)**2", "start": {{"b": 0.2, "c": 1}}, {data}}}"#
    ));
    assert_same(&ode.expect("a fit"), &formula.expect("a fit"), 1e-8);
}

/// y' = r y^2 ends at t = 1 / r: from r = 0.01 the first steps pass 0.2, where there is no solution at t = 5.
#[test]
fn a_trial_that_cannot_be_integrated_is_a_step_too_far() {
    let model = r#""model": {"system": {"y": "r*y**2"}, "y0": {"y": 1}}"#;
    let data =
        r#""data": {"t": [0, 1, 2, 3, 4, 5], "y": [1, 1.23, 1.61, 2.33, 4.17, 20]}, "plot": false"#;
    let output = fit(&format!(r#"{{{model}, {data}, "start": {{"r": 0.01}}}}"#)).expect("a fit");
    let formula = fit(&format!(
        r#"{{"model": "1/(1-r*t)", {data}, "start": {{"r": 0.19}}}}"#
    ));
    assert!(output.converged, "{output:?}");
    // The residuals, of which standard errors are made, are a thousandth of the values near the singularity.
    assert_same(&output, &formula.expect("a fit"), 1e-6);
    let error = fit(&format!(r#"{{{model}, {data}, "start": {{"r": 0.5}}}}"#)).expect_err("no");
    assert_eq!(
        (error.code(), error.path(), error.reason_str()),
        (ErrorCode::Numeric, Some("/start"), Some("not_integrable")),
        "{error:?}"
    );
    assert!(error.message().contains("time 2"), "{}", error.message());
}

/// y' = -k (y - cos t): stiff at the start value, not at the estimate; explicit steps run out, which is said.
#[test]
fn a_problem_that_is_stiff_at_the_start_is_fitted() {
    let rows: Vec<(f64, f64)> = (0..40)
        .map(|row| {
            let t = 0.25 * f64::from(row);
            // k = 2, y(0) = 0.
            let y = (4.0 * t.cos() + 2.0 * t.sin() - 4.0 * (-2.0 * t).exp()) / 5.0;
            (t, y + 0.01 * f64::from(row * row % 7 - 3))
        })
        .collect();
    let column = |of: &dyn Fn(&(f64, f64)) -> f64| Value::vector(rows.iter().map(of).collect());
    let data = || tool_core::object! { "t" => column(&|row| row.0), "y" => column(&|row| row.1) };
    let run = |method: &str, k: f64| {
        let model = format!(
            r#"{{"system": {{"y": "-k*(y-cos(t))"}}, "y0": {{"y": 0}}, "method": "{method}", "max_steps": 2000}}"#
        );
        super::fit_of(tool_core::object! {
            "model" => value(&model), "data" => data(), "start" => tool_core::object! { "k" => k }, "plot" => false,
        })
    };
    let near = run("dop853", 1.5).expect("a fit");
    for (method, k) in [("auto", 3e3), ("radau", 3e3), ("bdf", 30.0)] {
        let far = run(method, k).unwrap_or_else(|err| panic!("{method}: {err:?}"));
        let difference = far.parameters[0].estimate - near.parameters[0].estimate;
        assert!(
            far.converged && difference.abs() < 1e-6,
            "{method}: {far:?}"
        );
    }
    let error = run("dop853", 3e4).expect_err("steps run out");
    assert!(error.message().contains("max_steps"), "{error:?}");
}

/// Data without errors: the residuals are those of the integration, and the fit says that it passes through the data.
#[test]
fn exact_data_are_told_from_a_search_that_fails() {
    let y: Vec<f64> = (0..20).map(|t| 3.0 * (-0.3 * f64::from(t)).exp()).collect();
    let t = Value::vector((0..20).map(f64::from).collect());
    let output = super::fit_of(tool_core::object! {
        "model" => value(EQUATION), "start" => value(r#"{"a": 1, "k": 1}"#), "plot" => false,
        "data" => tool_core::object! { "t" => t, "y" => Value::vector(y) },
    });
    let output = output.expect("a fit");
    assert!(output.converged, "{:?} {}", output.reason, output.cosine);
    for (term, truth) in output.parameters.iter().zip([3.0, 0.3]) {
        assert!((term.estimate - truth).abs() < 1e-7, "{term:?}");
    }
}

/// A pulse of a twentieth between two rows: y(20) - y(0) = a / 20.
#[test]
fn a_pulse_between_the_rows_is_seen() {
    let ctx = Ctx::default();
    let args = r#"{"model": {"system": {"y": "a*(t > 7)*(t < 7.5)"}, "y0": {"y": 0}, "max_steps": 100000}, "start": {"a": 10}, "plot": false,
        "data": {"t": [0, 20, 30], "y": [0, 2, 2]}}"#;
    let args: Args = tool_core::convert::from_value(&value(args)).expect("arguments");
    let output = Args::run(args, &ctx).expect("a fit");
    assert!(
        (output.parameters[0].estimate - 4.0).abs() < 1e-5,
        "{output:?}"
    );
    assert!(
        ctx.take_warnings()
            .iter()
            .any(|text| text.contains("steps of at most"))
    );
}

/// Hundreds of integrations use the memory of one.
#[test]
fn memory_does_not_grow_with_the_number_of_integrations() {
    let ctx = Ctx::new(
        tool_core::StopFlag::default(),
        CallBudget {
            memory_bytes: 100_000,
            ..CallBudget::default()
        },
    );
    let args = r#"{"model": {"system": {"x": "v", "v": "-w*x-c*v"}, "y0": {"x": "a", "v": "b"}, "observe": "x"}, "plot": false,
        "start": {"w": 3, "c": 0, "a": 0.1, "b": 4}, "tolerance": 0,
        "data": {"t": [0, 1, 2, 3, 4, 5, 6, 7], "y": [1.0, 0.5, -0.4, -0.9, -0.5, 0.2, 0.9, 0.6]}}"#;
    let args: Args = tool_core::convert::from_value(&value(args)).expect("arguments");
    let output = Args::run(args, &ctx).unwrap_or_else(|err| panic!("{err:?}"));
    assert!(output.evaluations > 10, "{}", output.evaluations);
}

fn refusal(model: &str, rest: &str) -> ToolError {
    let text = format!(r#"{{"model": {model}, "plot": false, {rest}}}"#);
    fit(&text).expect_err(&text)
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    let data = r#""data": {"t": [0, 1, 2], "x": [1, 1, 2], "y": [1, 2, 3]}, "start": {"k": 1}"#;
    let cases = [
        // Unknown names and texts.
        (
            r#"{"system": {"u": "-k*q*u"}, "y0": {"u": 1}}"#,
            "/start",
            "`q`",
        ),
        (
            r#"{"system": {"u": "-k*("}, "y0": {"u": 1}}"#,
            "/model/system/u",
            "",
        ),
        (
            r#"{"system": {"u": "-k*frob(u)"}, "y0": {"u": 1}}"#,
            "/model/system/u",
            "frob",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": "1+"}}"#,
            "/model/y0/u",
            "",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": 1}, "observe": "u u"}"#,
            "/model/observe",
            "",
        ),
        // States, equations and initial values that do not belong together.
        (
            r#"{"system": {}, "y0": {}}"#,
            "/model/system",
            "at least one state",
        ),
        (
            r#"{"system": {"u": "-k*u"}, "y0": {}}"#,
            "/model/y0",
            "`u` has no initial value",
        ),
        (
            r#"{"system": {"u": "-k*u"}, "y0": {"u": 1, "v": 1}}"#,
            "/model/y0/v",
            "no equation",
        ),
        (
            r#"{"system": {"u": "-k*u", "v": "u"}, "y0": {"u": 1, "v": 0}}"#,
            "/model/observe",
            "`u`, `v`",
        ),
        (
            r#"{"system": {"u": "-k", "v": "u"}, "y0": {"u": 1, "v": "u"}, "observe": "v"}"#,
            "/model/y0/v",
            "is a state",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": "x"}}"#,
            "/model/y0/u",
            "column",
        ),
        (
            r#"{"system": {"u": "-k*x"}, "y0": {"u": 1}}"#,
            "/model/system/u",
            "column",
        ),
        (
            r#"{"system": {"t": "-k"}, "y0": {"t": 1}}"#,
            "/model/system/t",
            "time",
        ),
        (
            r#"{"system": {"2u": "-k"}, "y0": {"2u": 1}}"#,
            "/model/system/2u",
            "rename",
        ),
        (
            r#"{"system": {"a b": "-k"}, "y0": {"a b": 1}}"#,
            "/model/system/a b",
            "name",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": 1}, "observe": "y"}"#,
            "/model/observe",
            "`y`",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": 1}, "time": "day"}"#,
            "/model/time",
            "no column `day`",
        ),
        (
            r#"{"system": {"u": "-u"}, "y0": {"u": 1}}"#,
            "/model",
            "no parameter",
        ),
        // Options.
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": 1}, "method": "rodas4"}"#,
            "/model/method",
            "rodas4",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": 1}, "atol": 0}"#,
            "/model/atol",
            "above 0",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": null}}"#,
            "/model/y0/u",
            "finite number",
        ),
        (
            r#"{"system": {"u": "-k"}, "y0": {"u": 1}, "observed": "u"}"#,
            "/model/observed",
            "observe",
        ),
        (
            r#"{"system": {"u": 3}, "y0": {"u": 1}}"#,
            "/model/system/u",
            "string",
        ),
        (r#"{"y0": {"u": 1}}"#, "/model/system", "system"),
        (r"3", "/model", "expression"),
        // No derivative.
        (
            r#"{"system": {"u": "-besselj(k, 1)"}, "y0": {"u": 1}}"#,
            "/model/system",
            "derivative",
        ),
    ];
    for (model, place, words) in cases {
        let error = refusal(model, data);
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{model}: {error:?}");
        assert_eq!(error.path(), Some(place), "{model}: {error:?}");
        let all = format!("{} {:?}", error.message(), error);
        assert!(all.contains(words), "{model}: {all}");
    }
    let cases = [
        (
            r#""data": {"t": [], "y": []}, "start": {"a": 1, "k": 1}"#,
            "/data",
        ),
        (
            r#""data": {"t": [0], "y": [1]}, "start": {"a": 1, "k": 1}"#,
            "/data",
        ),
        (
            r#""data": {"t": [0, 1], "y": [1, 2]}, "start": {"a": 1}"#,
            "/start",
        ),
        (r#""data": {"t": [0, 1], "y": [1, 2]}"#, "/start"),
        (
            r#""data": {"t": [0, "one"], "y": [1, 2]}, "start": {"a": 1, "k": 1}"#,
            "/data/t/1",
        ),
        (
            r#""data": {"t": [0, 1], "y": [1, "NaN"]}, "start": {"a": 1, "k": 1}"#,
            "/data/y/1",
        ),
        (
            r#""data": {"t": [0, 1], "y": [1, 2]}, "start": {"a": 1, "k": 1}, "parameters": {"y": 1}"#,
            "/parameters/y",
        ),
        (
            r#""data": {"t": [0, 1], "y": [1, 2]}, "start": {"a": 1, "k": 1}, "parameters": {"t": 1}"#,
            "/parameters/t",
        ),
        (
            r#""data": {"t": [0, 1], "y": [1, 2]}, "start": {"a": 1, "k": 1}, "response": "t""#,
            "/response",
        ),
    ];
    for (rest, place) in cases {
        let error = refusal(EQUATION, rest);
        assert_eq!(error.path(), Some(place), "{rest}: {error:?}");
    }
    let nowhere = refusal(
        r#"{"system": {"u": "-k*log(-1-u*u)"}, "y0": {"u": 1}}"#,
        data,
    );
    assert_eq!(
        (nowhere.code(), nowhere.path()),
        (ErrorCode::Numeric, Some("/start"))
    );
    assert!(nowhere.message().contains("at the start"), "{nowhere:?}");
}

/// A state may be named like the response, another column, a constant or a function: within the model the name is the state.
#[test]
fn a_state_comes_before_columns_constants_and_functions() {
    let formula = fit(&format!(r#"{{"model": "a*exp(-k*t)", {DECAY}}}"#)).expect("a fit");
    for state in ["y", "s", "e", "pi", "gamma"] {
        let model = format!(
            r#"{{"system": {{"{state}": "-k*{state}"}}, "y0": {{"{state}": "a"}}, "observe": "1*{state}"}}"#
        );
        let ode = fit(&format!(r#"{{"model": {model}, {DECAY}}}"#));
        assert_same(
            &ode.unwrap_or_else(|err| panic!("{state}: {err:?}")),
            &formula,
            1e-8,
        );
    }
}

/// One row and one parameter: a fit without degrees of freedom.
#[test]
fn one_row_determines_one_parameter() {
    let output = fit(
        r#"{"model": {"system": {"y": "-k*y"}, "y0": {"y": 1}, "t0": 0}, "data": {"t": [2], "y": [0.5]}, "start": {"k": 1}, "plot": false}"#,
    )
    .expect("a fit");
    assert!(output.converged && output.degrees_of_freedom == 0);
    assert!((output.parameters[0].estimate - 2.0_f64.ln() / 2.0).abs() < 1e-8);
}

#[test]
fn the_plot_is_over_the_time() {
    let text = DECAY.replace(r#""plot": false"#, r#""plot": true"#);
    let output = fit(&format!(r#"{{"model": {EQUATION}, {text}}}"#)).expect("a fit");
    let plot = output.plot.expect("a plot");
    assert!(
        plot.contains("data and fit") && plot.contains(" t\n"),
        "{plot}"
    );
}
