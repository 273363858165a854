//! The fit at new places.

use super::{Output, fit};

const DATA: &str = r#""data": {"t": [0, 1, 2, 3, 4], "y": [1, 3.1, 4.9, 7.2, 8.8]}"#;

fn close(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs();
    assert!(error <= relative * expected.abs(), "{found} for {expected}");
}

fn predicted(text: &str) -> Output {
    fit(text).unwrap_or_else(|err| panic!("{text}: {err:?}"))
}

/// Bands of a line in closed form: q s sqrt(h) of the mean and q s sqrt(1 + h) of an observation, h = 1/n + (t - mean)^2 / Sxx, as R's
/// `predict.lm` and `get_prediction` of statsmodels have them. Five rows: mean 2, Sxx 10; q = 3.182446305284263 with 3 degrees of freedom.
#[test]
fn bands_at_new_places_of_a_line_are_those_of_the_closed_form() {
    let output = predicted(&format!(
        r#"{{"model": "a+b*t", {DATA}, "predict": {{"t": [-3, 2, 10.5]}}}}"#
    ));
    let at_places = output.predicted.as_ref().expect("predictions");
    let q = 3.182_446_305_284_263;
    let s = output.residual_std.0;
    for (index, t) in [-3.0, 2.0, 10.5_f64].into_iter().enumerate() {
        let h = 0.2 + (t - 2.0).powi(2) / 10.0;
        close(at_places.fitted[index], 1.06 + 1.97 * t, 1e-9);
        close(at_places.band[index].0, q * s * h.sqrt(), 1e-9);
        close(
            at_places.observation_band[index].0,
            q * s * (1.0 + h).sqrt(),
            1e-9,
        );
    }
    assert!(
        output
            .plot
            .as_ref()
            .is_some_and(|plot| plot.contains("fit + band"))
    );
    let same = predicted(&format!(
        r#"{{"model": "a+b*t", {DATA}, "predict": {{"t": [0, 1, 2, 3, 4]}}, "plot": false}}"#
    ));
    let at_rows = same.predicted.expect("predictions");
    for row in 0..5 {
        close(at_rows.fitted[row], same.fitted[row], 1e-14);
        close(at_rows.band[row].0, same.band[row].0, 1e-12);
    }
}

/// The same curve as a formula and as the solution of an equation, before and after the data too.
#[test]
fn differential_equations_have_the_predictions_of_their_solution() {
    let rest = r#""data": {"t": [1, 2, 3, 4], "y": [8.1, 3.9, 2.1, 0.9]}, "start": {"a": 16, "k": 0.7}, "predict": {"t": [7, -1, 2.5, 1]}, "plot": false"#;
    let formula = predicted(&format!(r#"{{"model": "a*exp(-k*(t-1))", {rest}}}"#));
    let equation = predicted(&format!(
        r#"{{"model": {{"system": {{"x": "-k*x"}}, "y0": {{"x": "a"}}}}, {rest}}}"#
    ));
    let (formula, equation) = (formula.predicted.unwrap(), equation.predicted.unwrap());
    for row in 0..4 {
        close(equation.fitted[row], formula.fitted[row], 1e-5);
        close(equation.band[row].0, formula.band[row].0, 1e-4);
        close(
            equation.observation_band[row].0,
            formula.observation_band[row].0,
            1e-4,
        );
    }
}

/// An observation of standard deviation 0.3 is as uncertain as that, beside the mean; without it, it is not known how uncertain.
#[test]
fn bands_of_observations_need_their_standard_deviation() {
    let fit = |predict: &str| {
        let data = r#"{"t": [0, 1, 2, 3], "y": [1, 3.1, 4.9, 7], "s": [0.1, 0.1, 0.1, 0.1]}"#;
        predicted(&format!(
            r#"{{"model": "a+b*t", "data": {data}, "sigma": "s", "absolute_sigma": true, "predict": {predict}, "plot": false}}"#
        ))
        .predicted
        .expect("predictions")
    };
    let known = fit(r#"[{"t": 5, "s": 0.3}]"#);
    // Normal: 1.959963984540054 standard errors; h = 1/4 + (5 - 1.5)^2 / 5.
    let h = 0.25 + 3.5_f64.powi(2) / 5.0;
    let q = 1.959_963_984_540_054;
    close(known.band[0].0, q * 0.1 * h.sqrt(), 1e-8);
    close(
        known.observation_band[0].0,
        q * (0.01 * h + 0.09).sqrt(),
        1e-8,
    );
    let unknown = fit(r#"[{"t": 5}]"#);
    assert!(unknown.band[0].0.is_finite() && unknown.observation_band[0].0.is_nan());
}

#[test]
fn places_without_a_prediction_are_refused() {
    for (model, predict, path) in [
        (r#""a+b*t""#, r#"{"x": [1]}"#, "/predict"),
        (r#""a+b*t""#, r#"{"t": []}"#, "/predict"),
        (r#""a+b*t""#, r#"{"t": [1, null]}"#, "/predict/t/1"),
        (r#""a+b*(t-mean(t))""#, r#"{"t": [1]}"#, "/predict"),
        (r#""a+b*sqrt(t)""#, r#"{"t": [-1]}"#, "/predict"),
    ] {
        let text = format!(r#"{{"model": {model}, {DATA}, "predict": {predict}, "plot": false}}"#);
        let error = fit(&text).expect_err(&text);
        assert_eq!(error.path(), Some(path), "{text}: {error:?}");
    }
}
