//! Fits of the NIST reference problems, of common curves without a start, and of what can go wrong.

mod draws;
mod equations;
mod predict;

use tool_core::ErrorCode;
use tool_core::json::{self, JsonLimits};

use super::*;
use crate::expression::Expression;
use crate::optimise::least_squares::options::LeastSquaresReason;

const STRD: &str = include_str!("../../../../tests/reference/strd.json");

fn value(text: &str) -> Value {
    json::parse_json(text, JsonLimits::default()).expect("JSON")
}

fn fit_of(args: Value) -> Result<Output, ToolError> {
    let args = tool_core::convert::from_value(&args)
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Args::run(args, &Ctx::default())
}

fn fit(text: &str) -> Result<Output, ToolError> {
    fit_of(value(text))
}

/// Digits that agree.
fn digits(found: f64, expected: f64) -> f64 {
    -((found - expected) / expected).abs().max(1e-17).log10()
}

/// All 27 problems from both starts: 6 digits of every estimate, and 4 of every standard error but those of Lanczos1, whose residuals
/// are roundings of its data.
#[test]
fn the_nist_problems_are_solved_from_both_starts() {
    let reference = value(STRD);
    let problems = reference.items_at("problems");
    let mut runs = 0;
    for problem in &problems {
        let name = problem.text("name").expect("a name");
        for start in problem.items_at("start") {
            let args = tool_core::object! {
                "model" => problem.text("model"),
                "data" => problem.get("data").cloned(),
                "start" => start,
                "plot" => false,
            };
            let output = fit_of(args).unwrap_or_else(|err| panic!("{name}: {err:?}"));
            assert!(
                output.converged || name == "Lanczos1",
                "{name}: {:?}",
                output.reason
            );
            for term in &output.parameters {
                let certified = problem.get("certified").and_then(|all| all.get(&term.name));
                let certified = certified.and_then(Value::as_numbers).expect("numbers");
                let [estimate, error] = certified.as_slice() else {
                    panic!("{name}")
                };
                let agreeing = digits(term.estimate, *estimate);
                assert!(
                    agreeing >= 6.0,
                    "{name}: {} has {agreeing:.1} digits",
                    term.name
                );
                let agreeing = digits(term.standard_error.0, *error);
                assert!(
                    agreeing >= 4.0 || name == "Lanczos1",
                    "{name}: the error of {} has {agreeing:.1} digits",
                    term.name
                );
            }
            runs += 1;
        }
    }
    assert_eq!(runs, 54);
}

/// The curves people fit most, with noise, without a start.
#[test]
fn common_curves_need_no_start() {
    let cases: &[(&str, &[(&str, f64)])] = &[
        ("a*exp(-k*t)+c", &[("a", 5.0), ("k", 0.3), ("c", 1.0)]),
        ("a*exp(k*t)", &[("a", 0.2), ("k", 0.25)]),
        ("vmax*t/(km+t)", &[("vmax", 12.0), ("km", 3.0)]),
        (
            "top/(1+exp(-r*(t-m)))",
            &[("top", 40.0), ("r", 0.9), ("m", 9.0)],
        ),
        (
            "a*exp(-(t-m)**2/(2*s**2))+c",
            &[("a", 8.0), ("m", 7.0), ("s", 1.5), ("c", 2.0)],
        ),
        ("a*t**b", &[("a", 2.0), ("b", 1.7)]),
        (
            "a*sin(w*t+p)+c",
            &[("a", 3.0), ("w", 2.1), ("p", 0.7), ("c", 1.0)],
        ),
        ("a+b*log(t)", &[("a", 1.0), ("b", 2.0)]),
        (
            "a*exp(-k*t)+b*exp(-q*t)",
            &[("a", 5.0), ("k", 0.2), ("b", 9.0), ("q", 2.0)],
        ),
    ];
    for (model, truth) in cases {
        let mut scope = crate::expression::ExpressionScope::new().variable("t");
        for (name, _) in *truth {
            scope = scope.variable(name);
        }
        let curve = Expression::parse(model, &scope).expect("a model");
        let mut evaluator = curve.evaluator();
        let t: Vec<f64> = (1..=80).map(|row| f64::from(row) * 0.2).collect();
        let noise = |row: usize| 0.02 * ((row * row) as f64 * 0.7).sin();
        let y = t.iter().enumerate().map(|(row, t)| {
            let slots: Vec<f64> = [*t]
                .into_iter()
                .chain(truth.iter().map(|pair| pair.1))
                .collect();
            evaluator.eval(&slots) + noise(row)
        });
        let data = tool_core::object! { "y" => Value::vector(y.collect()), "t" => Value::vector(t.clone()) };
        let args = tool_core::object! { "model" => *model, "data" => data, "plot" => false };
        let output = fit_of(args).unwrap_or_else(|err| panic!("{model}: {err:?}"));
        assert!(output.converged, "{model}: {:?}", output.reason);
        assert!(
            output.residual_std.0 < 0.02,
            "{model}: {:?}",
            output.residual_std
        );
    }
}

#[test]
fn a_bound_holds_and_has_no_standard_error() {
    let output = fit(
        r#"{"model": "a+b*t", "data": {"t": [0, 1, 2, 3], "y": [1, 3.1, 4.9, 7]}, "bounds": {"b": [0, 1.5]}, "plot": false}"#,
    )
    .expect("a fit");
    let b = &output.parameters[1];
    assert!(output.converged && b.at_bound && b.estimate == 1.5 && b.standard_error.0.is_nan());
    assert!(
        (output.parameters[0].estimate - 1.75).abs() < 1e-9,
        "the mean of y - 1.5 t"
    );
}

/// The same line by the normal equations: slope 1.96, intercept 1.06, s = sqrt(0.016/2), as R's `lm` prints them.
#[test]
fn a_line_has_the_errors_of_linear_regression() {
    let output = fit(
        r#"{"model": "a+b*t", "data": {"t": [0, 1, 2, 3], "y": [1, 3.1, 4.9, 7]}, "plot": false}"#,
    )
    .expect("a fit");
    let [a, b] = &output.parameters[..] else {
        panic!()
    };
    assert!(
        (a.estimate - 1.03).abs() < 1e-9 && (b.estimate - 1.98).abs() < 1e-9,
        "{output:?}"
    );
    let s = (0.018_f64 / 2.0).sqrt();
    assert!((output.residual_std.0 - s).abs() < 1e-9);
    assert!((b.standard_error.0 - s / 5.0_f64.sqrt()).abs() < 1e-9);
    assert!((a.standard_error.0 - s * 0.7_f64.sqrt()).abs() < 1e-9);
}

#[test]
fn a_robust_loss_ignores_what_lies_far_off() {
    let far = r#""data": {"t": [0, 1, 2, 3, 4, 5], "y": [1, 3, 5, 70, 9, 11]}, "plot": false"#;
    let plain = fit(&format!("{{\"model\": \"a+b*t\", {far}}}")).expect("a fit");
    let robust = fit(&format!(
        "{{\"model\": \"a+b*t\", {far}, \"loss\": \"cauchy\", \"loss_scale\": 0.5}}"
    ));
    let robust = robust.expect("a fit");
    assert!((plain.parameters[1].estimate - 2.0).abs() > 1.0);
    assert!(
        (robust.parameters[1].estimate - 2.0).abs() < 0.05,
        "{robust:?}"
    );
}

#[test]
fn what_cannot_be_fitted_is_refused_with_its_place() {
    let cases = [
        (
            r#"{"model": "a*t", "data": {"t": [1], "y": [2], "z": [3]}, "response": "w"}"#,
            "/response",
        ),
        (
            r#"{"model": "t**2", "data": {"t": [1, 2], "y": [2, 3]}}"#,
            "/model",
        ),
        (
            r#"{"model": "a*y", "data": {"t": [1, 2], "y": [2, 3]}}"#,
            "/model",
        ),
        (
            r#"{"model": "a*t+b", "data": {"t": [1], "y": [2]}}"#,
            "/data",
        ),
        (
            r#"{"model": "a*t", "data": {"t": [1, 2], "y": [2, 3]}, "start": {"b": 1}}"#,
            "/start/b",
        ),
        (
            r#"{"model": "a*t", "data": {"t": [1, 2], "y": [2, 3]}, "bounds": {"a": [2, 1]}}"#,
            "/bounds/a",
        ),
        (
            r#"{"model": "a*t", "data": {"t": [1, 2], "y": [2, 3], "s": [1, 0]}, "sigma": "s"}"#,
            "/data/s/1",
        ),
        (
            r#"{"model": "a*(", "data": {"t": [1, 2], "y": [2, 3]}}"#,
            "/model",
        ),
        (
            r#"{"model": "a*t", "data": {"t": [1, "two"], "y": [2, 3]}}"#,
            "/data/t/1",
        ),
    ];
    for (text, place) in cases {
        let error = fit(text).expect_err(text);
        assert_eq!(error.code(), ErrorCode::InvalidArgs, "{text}: {error:?}");
        assert_eq!(error.path(), Some(place), "{text}: {error:?}");
    }
    let nowhere = fit(r#"{"model": "log(-a*a-1)*t", "data": {"t": [1, 2], "y": [2, 3]}}"#);
    assert_eq!(nowhere.expect_err("no value").code(), ErrorCode::Numeric);
}

#[test]
fn parameters_that_the_data_do_not_determine_are_said_to_be_so() {
    let ctx = Ctx::default();
    let args =
        value(r#"{"model": "a*b*t", "data": {"t": [1, 2, 3], "y": [2, 4.1, 6]}, "plot": false}"#);
    let args: Args = tool_core::convert::from_value(&args).expect("arguments");
    let output = Args::run(args, &ctx).expect("a fit");
    assert!(
        output
            .parameters
            .iter()
            .all(|term| term.standard_error.0.is_nan())
    );
    assert!(
        ctx.take_warnings()
            .iter()
            .any(|text| text.contains("do not determine"))
    );
}

#[test]
fn columns_come_before_constants_and_before_nothing_else() {
    let text = |names: &str| {
        format!(
            r#"{{"model": "a*e+b*t", "data": {{"e": [1,5,2,7], "t": [1,2,3,4], "y": [3,9,8,15]}}, "plot": false{names}}}"#
        )
    };
    let output = fit(&text("")).expect("a fit");
    for (term, expected) in output.parameters.iter().zip([1.0, 2.0]) {
        assert!((term.estimate - expected).abs() < 1e-9, "{output:?}");
    }
    let error = fit(&text(r#", "parameters": {"e": 2}"#)).expect_err("both");
    assert_eq!(error.path(), Some("/parameters/e"));
    let mean = fit(r#"{"model": "a", "data": {"y": [1, 2, 3.1]}, "plot": false}"#).expect("a mean");
    assert!((mean.parameters[0].estimate - 6.1 / 3.0).abs() < 1e-12);
}

/// Known standard deviations: the normal distribution, as of a mean of three.
#[test]
fn known_standard_deviations_have_normal_intervals() {
    let data = r#""data": {"t": [1, 2, 3], "y": [1, 2.1, 3], "s": [0.1, 0.1, 0.1]}, "plot": false"#;
    let output = fit(&format!(
        r#"{{"model": "a+0*t", {data}, "sigma": "s", "absolute_sigma": true}}"#
    ));
    let output = output.expect("a fit");
    let term = &output.parameters[0];
    let half = 1.959_963_984_540_054 * 0.1 / 3.0_f64.sqrt();
    assert!(
        (term.interval[1].0 - term.estimate - half).abs() < 1e-7,
        "{term:?}"
    );
    let error = fit(&format!(
        r#"{{"model": "a+0*t", {data}, "absolute_sigma": true}}"#
    ));
    assert_eq!(error.expect_err("no sigma").path(), Some("/absolute_sigma"));
}

/// Where the parameter has no influence nothing is known: the sum of squares of (a^2 - 4) t is largest at a = 0.
#[test]
fn a_maximum_of_the_sum_of_squares_is_no_fit() {
    let output = fit(
        r#"{"model": "a**2*t", "data": {"t": [1, 2, 3], "y": [4, 8, 12]}, "start": {"a": 0}, "plot": false}"#,
    )
    .expect("an answer");
    assert!(
        !output.converged && output.reason == LeastSquaresReason::Flat,
        "{output:?}"
    );
}

/// Standard errors of a robust fit are about those of the fit without what lies far off (factor 2).
#[test]
fn a_robust_loss_has_the_errors_of_the_bulk() {
    let mut y: Vec<f64> = (0..40)
        .map(|row| 2.0 * f64::from(row) * 0.1 + 0.05 * f64::from(row * row * 7 % 11 - 5) / 3.0)
        .collect();
    let t = Value::vector((0..40).map(|row| f64::from(row) * 0.1).collect());
    let fitted = |y: &[f64], loss: &str| {
        let data = tool_core::object! { "t" => t.clone(), "y" => Value::vector(y.to_vec()) };
        let args = tool_core::object! { "model" => "a+b*t", "data" => data, "loss" => loss, "loss_scale" => 0.1, "plot" => false };
        fit_of(args).expect("a fit").parameters[1].standard_error.0
    };
    let clean = fitted(&y, "linear");
    (y[7], y[21], y[33]) = (y[7] + 3.0, y[21] - 3.0, y[33] + 3.0);
    for loss in ["huber", "soft_l1", "cauchy"] {
        let robust = fitted(&y, loss);
        assert!(
            (0.5 * clean..2.0 * clean).contains(&robust),
            "{loss}: {robust} beside {clean}"
        );
    }
}

/// Waves faster than sixteen over the data are found without a start: evenly and unevenly spaced, by angular frequency, frequency and
/// period, and up to the rate of rows of which the search takes a part.
#[test]
fn fast_waves_are_found_without_a_start() {
    use std::f64::consts::TAU;
    type Case = (f64, usize, &'static str, fn(&[f64; 4]) -> f64);
    let cases: [Case; 4] = [
        (2.3, 200, "a*sin(w*t+p)+c", |[_, _, _, w]| w / TAU),
        (9.7, 200, "a*sin(w*t+p)+c", |[_, _, _, w]| w / TAU),
        (7.0, 300, "a*sin(tau*w*t+p)+c", |[_, _, _, w]| *w),
        (60.0, 2000, "a*sin(tau*t/w+p)+c", |[_, _, _, w]| w.recip()),
    ];
    for (frequency, count, model, of) in cases {
        for uneven in [0.0, 0.4] {
            let place =
                |i: usize| (i as f64 + uneven * (1.7 * i as f64).sin()) / count as f64 * 10.0;
            let t: Vec<f64> = (0..count).map(place).collect();
            let noise = |i: usize| 0.1 * (12.9898 * i as f64).sin() * (78.233 * i as f64).cos();
            let y = t.iter().enumerate();
            let y: Vec<f64> = y
                .map(|(i, t)| 2.0 * (TAU * frequency * t + 0.5).sin() + 1.0 + noise(i))
                .collect();
            let args = tool_core::object! {
                "model" => model,
                "response" => "y",
                "data" => tool_core::object! { "t" => Value::vector(t), "y" => Value::vector(y) },
                "plot" => false,
            };
            let found = fit_of(args).unwrap();
            let value = |name: &str| {
                found
                    .parameters
                    .iter()
                    .find(|p| p.name == name)
                    .unwrap()
                    .estimate
            };
            let point = ["a", "c", "p", "w"].map(value);
            assert!(
                (of(&point).abs() - frequency).abs() < 2e-3,
                "{model} {frequency} {uneven}: {point:?}"
            );
            assert!(
                (point[0].abs() - 2.0).abs() < 0.05,
                "{model} {frequency} {uneven}: {point:?}"
            );
        }
    }
}

/// About the mean of t the two estimates are not correlated: the mean of y, and the slope.
#[test]
fn a_model_may_reduce_its_columns() {
    let text = r#"{"model": "dt = t - mean(t); a + b*dt", "data": {"t": [0, 1, 2, 3], "y": [1, 3, 2, 5]}}"#;
    let output = fit(text).unwrap();
    assert!(output.converged);
    assert!(digits(output.parameters[0].estimate, 2.75) > 12.0);
    assert!(digits(output.parameters[1].estimate, 1.1) > 12.0);
    let sum = fit(r#"{"model": "a*y", "data": {"t": [0, 1], "y": [1, 3]}}"#).unwrap_err();
    assert!(sum.message().contains("contains `y`"), "{sum:?}");
}

/// A saturation with one outlier, from a start at which far residuals have a loss of no curvature. Reference: SciPy's `least_squares` with
/// the same loss, scale and start.
#[test]
fn robust_fits_end_at_minima() {
    let data = r#"{"t": [0.0, 0.34483, 0.68966, 1.03448, 1.37931, 1.72414, 2.06897, 2.41379, 2.75862, 3.10345, 3.44828, 3.7931, 4.13793, 4.48276, 4.82759, 5.17241, 5.51724, 5.86207, 6.2069, 6.55172, 6.89655, 7.24138, 7.58621, 7.93103, 8.27586, 8.62069, 8.96552, 9.31034, 9.65517, 10.0],
        "y": [0.993, 1.043, 1.226, 3.44, 1.712, 1.967, 2.282, 2.562, 2.837, 3.034, 3.302, 3.467, 3.631, 3.739, 3.885, 4.02, 4.056, 4.176, 4.256, 4.293, 4.38, 4.407, 4.484, 4.51, 4.54, 4.608, 4.614, 4.65, 4.624, 4.657]}"#;
    for (loss, scale, expected) in [
        ("cauchy", 0.5, [3.9875, 1.0274, 3.0335]),
        ("huber", 0.05, [4.0015, 1.0129, 3.0251]),
    ] {
        let output = fit(&format!(
            r#"{{"model": "a*t**2/(k**2+t**2)+c", "data": {data}, "start": {{"a": 4.17, "c": 1.47, "k": 1.82}},
                "loss": "{loss}", "loss_scale": {scale}, "plot": false}}"#
        ))
        .unwrap();
        assert!(output.converged, "{loss}: {output:?}");
        for (term, expected) in output.parameters.iter().zip(expected) {
            assert!(
                (term.estimate - expected).abs() < 1e-4,
                "{loss}: {output:?}"
            );
        }
    }
}

/// Rows of running sums depend on each other: b * cumsum(t) is the same model, and linear.
#[test]
fn running_sums_have_a_jacobian() {
    let data =
        r#"{"t": [1, 2, 1, 3, 2, 1, 2, 4], "y": [1.2, 2.9, 4.3, 6.8, 9.4, 10.1, 12.2, 16.3]}"#;
    for model in ["cumsum(b*t)", "b*cumsum(t)"] {
        let text = format!(r#"{{"model": "{model}", "data": {data}, "plot": false}}"#);
        let output = fit(&text).unwrap();
        // The sum of the products of the running sums by that of the squares.
        let estimate = output.parameters[0].estimate;
        assert!(
            output.converged && digits(estimate, 1.017530487804878) > 8.0,
            "{model}: {output:?}"
        );
    }
}

/// The fit of the complete rows alone.
#[test]
fn rows_with_a_missing_cell_are_left_out_and_counted() {
    let fit = |data: &str| {
        let text = format!(
            r#"{{"model": "a*exp(-k*t)", "data": {data}, "start": {{"a": 8, "k": 1}}, "plot": false}}"#
        );
        let value = json::parse_json(&text, JsonLimits::default()).unwrap();
        let args: Args = tool_core::convert::from_value(&value).unwrap();
        let ctx = Ctx::default();
        let output = Args::run(args, &ctx).unwrap();
        (output, ctx.take_warnings())
    };
    let (with_holes, warnings) = fit(
        r#"[{"t": 0, "y": 8.1}, {"t": 1, "y": 3.9}, {"t": 2, "y": null}, {"t": 3, "y": 0.9, "note": null}, {"t": 4}]"#,
    );
    let (complete, _) = fit(r#"{"t": [0, 1, 3], "y": [8.1, 3.9, 0.9]}"#);
    assert_eq!(with_holes.dropped, Some(2));
    assert_eq!(complete.dropped, None);
    assert_eq!(with_holes.sum_of_squares, complete.sum_of_squares);
    let value = json::parse_json(
        r#"{"model": "a*t", "data": {"t": [1, 2], "y": [null, null]}, "plot": false}"#,
        JsonLimits::default(),
    );
    let args: Args = tool_core::convert::from_value(&value.unwrap()).unwrap();
    let err = Args::run(args, &Ctx::default()).unwrap_err();
    assert!(err.message().contains("each of the 2 rows"), "{err:?}");
    assert!(
        warnings.iter().any(|one| one.starts_with("2 of 5 rows")),
        "{warnings:?}"
    );
}
