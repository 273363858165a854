use tool_core::ToolError;

use super::{Args, Output};
use crate::testing::run;

fn call(text: &str) -> Result<Output, ToolError> {
    run::<Args>(text)
}

/// By mpmath: half of erfc(38 / sqrt(2)).
#[test]
fn tails_are_answered_as_numbers() {
    let output = call(r#"{"family": "normal", "at": [37.5], "probability": [1e-300]}"#).unwrap();
    let sf = output.points[0].sf;
    assert!(
        (sf / 4.605_353_009_593_787e-308 - 1.0).abs() < 1e-10,
        "{sf:e}"
    );
    assert!((output.quantiles[0].isf.0 - 37.047_096_299_361_2).abs() < 1e-9);
}

/// The sentence is made again from the numbers.
#[test]
fn the_sentence_is_that_of_the_numbers() {
    let data = "[1.2, 3.4, 2.2, 8.9, 4.1, 3.3, 2.8, 5.0, 3.4, 12.5]";
    let text = format!(r#"{{"family": ["normal", "gamma"], "data": {data}}}"#);
    let output = call(&text).unwrap();
    assert_eq!(output.n, 10);
    assert!(output.fits[0].aic <= output.fits[1].aic && output.family == output.fits[0].family);
    let expected = format!("has the least AIC, {:.2}", output.fits[0].aic);
    assert!(output.summary.contains(&expected), "{}", output.summary);
    assert!(output.summary.contains(&output.family));
    let gap = format!(
        "{} with an AIC {:.2} higher",
        output.fits[1].family,
        output.fits[1].aic - output.fits[0].aic
    );
    assert!(output.summary.contains(&gap), "{}", output.summary);
}

#[test]
fn wrong_arguments_are_named() {
    for (text, pointer) in [
        (r#"{"family": "gaussien"}"#, "/family"),
        (r#"{"family": "auto"}"#, "/family"),
        (r#"{"family": "gamma"}"#, "/parameters"),
        (
            r#"{"family": "normal", "parameters": {"sigma": 1}}"#,
            "/parameters/sigma",
        ),
        (
            r#"{"family": "normal", "parameters": {"sd": -1}}"#,
            "/parameters/sd",
        ),
        (r#"{"family": "lognormal", "data": [1, -1, 2]}"#, "/data/1"),
        (r#"{"family": "normal", "data": []}"#, "/data"),
        (r#"{"family": "normal", "data": [2, 2, 2]}"#, "/data"),
        (
            r#"{"family": "binomial", "data": [2, 1, 2]}"#,
            "/parameters",
        ),
    ] {
        let error = call(text).unwrap_err();
        assert_eq!(error.path(), Some(pointer), "{text}: {error}");
        assert!(error.hint_str().is_some(), "{text}");
    }
}
