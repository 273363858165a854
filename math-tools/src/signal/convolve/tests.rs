use tool_core::ErrorCode;

use super::*;
use crate::testing;

fn run(text: &str) -> Result<Output, ToolError> {
    testing::run::<Args>(text)
}

#[test]
fn faults_name_the_argument() {
    testing::assert_refused::<Args>(&[
        (r#"{"a": [], "b": [1]}"#, "/a", "empty"),
        (r#"{"a": [1], "b": []}"#, "/b", "empty"),
        (r#"{"a": [1], "b": [[1]]}"#, "/b", "a list"),
        (
            r#"{"a": [[1, 2]], "b": [[1], [2]], "mode": "valid"}"#,
            "/mode",
            "neither",
        ),
        (
            r#"{"a": [1], "b": [1], "mode": "ful"}"#,
            "/mode",
            "expected one of",
        ),
    ]);
    let error = run(r#"{"a": [1e200], "b": [1e200]}"#).unwrap_err();
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::Numeric, Some("overflow"))
    );
}

#[test]
fn stated_errors_are_kept_and_zero_for_whole_numbers() {
    let a: Vec<f64> = (0..500).map(|j| f64::from((j * 37) % 101 - 50)).collect();
    let exact = run(&format!(r#"{{"a": {a:?}, "b": {a:?}}}"#)).unwrap();
    assert_eq!((exact.method, exact.error), (ConvolveMethod::Direct, 0.0));
    let quick = run(&format!(r#"{{"a": {a:?}, "b": {a:?}, "method": "fft"}}"#)).unwrap();
    let pairs = exact.values.as_slice().iter().zip(quick.values.as_slice());
    let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(
        most > 0.0 && most <= quick.error && quick.error < 1e-7,
        "{most:e} {:e}",
        quick.error
    );
}

#[test]
fn a_correlation_finds_a_shift() {
    let found = run(r#"{"a": [0, 0, 0, 1, 2, 3, 0], "b": [1, 2, 3], "correlate": true}"#).unwrap();
    let values = found.values.as_slice();
    let at = (0..values.len())
        .max_by(|&a, &b| values[a].total_cmp(&values[b]))
        .unwrap();
    assert_eq!(at - (3 - 1), 3);
}
