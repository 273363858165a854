use super::*;
use crate::testing;

fn run_with(text: &str, ctx: &Ctx) -> Result<Output, ToolError> {
    testing::run_in::<Args>(text, ctx)
}

fn run(text: &str) -> Result<Output, ToolError> {
    run_with(text, &Ctx::default())
}

#[test]
fn faults_name_the_argument() {
    let long = format!("{:?}", vec![1.0; 40]);
    testing::assert_refused::<Args>(&[
        (
            r#"{"data": [], "cutoff": 0.1}"#.to_owned(),
            "/data",
            "empty",
        ),
        (r#"{"data": [1, 2]}"#.to_owned(), "/cutoff", "one of"),
        (
            r#"{"data": [1, 2], "cutoff": 0.1, "b": [1]}"#.to_owned(),
            "/cutoff",
            "one of",
        ),
        (
            r#"{"data": [1, 2], "cutoff": 0.5}"#.to_owned(),
            "/cutoff",
            "below 0.5",
        ),
        (
            r#"{"data": [1, 2], "cutoff": -1}"#.to_owned(),
            "/cutoff",
            "above 0",
        ),
        (
            r#"{"data": [1, 2], "cutoff": [0.1, 0.2, 0.3]}"#.to_owned(),
            "/cutoff",
            "two",
        ),
        (
            r#"{"data": [1, 2], "cutoff": [0.2, 0.1]}"#.to_owned(),
            "/cutoff",
            "low below high",
        ),
        (
            r#"{"data": [1, 2], "cutoff": 0.1, "kind": "bandpass"}"#.to_owned(),
            "/cutoff",
            "two frequencies",
        ),
        (
            r#"{"data": [1, 2], "cutoff": [0.1, 0.2], "kind": "lowpass"}"#.to_owned(),
            "/cutoff",
            "one frequency",
        ),
        (
            r#"{"data": [1, 2], "cutoff": 0.1, "order": 51}"#.to_owned(),
            "/order",
            "from 1 to 50",
        ),
        (
            r#"{"data": [1, 2], "cutoff": 0.1, "ripple": 1}"#.to_owned(),
            "/ripple",
            "Butterworth",
        ),
        (
            r#"{"data": [1, 2], "b": [1], "order": 2}"#.to_owned(),
            "/order",
            "design",
        ),
        (
            r#"{"data": [1, 2], "cutoff": 0.1, "a": [1]}"#.to_owned(),
            "/a",
            "belongs",
        ),
        (
            r#"{"data": [1, 2], "b": [1], "a": [0, 1]}"#.to_owned(),
            "/a/0",
            "is 0",
        ),
        (
            r#"{"data": [1, 2], "b": []}"#.to_owned(),
            "/b",
            "coefficients",
        ),
        (
            r#"{"data": [1, 2], "sos": [[1, 2]]}"#.to_owned(),
            "/sos",
            "6",
        ),
        (
            r#"{"data": [1, 2], "sos": [[1, 0, 0, 0, 0, 0]]}"#.to_owned(),
            "/sos/0/3",
            "a0 is 0",
        ),
        (
            r#"{"data": [1, 2], "cutoff": 0.1, "initial": "rest"}"#.to_owned(),
            "/initial",
            "causal",
        ),
        (
            r#"{"data": [1, 2], "cutoff": 0.1, "padding": 1, "zero_phase": false}"#.to_owned(),
            "/padding",
            "zero_phase",
        ),
        (
            r#"{"data": [1, 2], "b": [1, 1], "zero_phase": false, "state": [[1, 2]]}"#.to_owned(),
            "/state",
            "lengths [1]",
        ),
        (
            format!(r#"{{"data": {long}, "cutoff": 0.1, "padding": 40}}"#),
            "/data",
            "at least 41",
        ),
        (
            r#"{"data": [1, 2, 3], "cutoff": 0.1}"#.to_owned(),
            "/data",
            "at least 16 samples, found 3",
        ),
    ]);
}

#[test]
fn unstable_filters_are_said_to_be_and_growth_is_an_error() {
    let ctx = Ctx::default();
    let found = run_with(
        r#"{"data": [1, 0, 0, 0], "b": [1], "a": [1, -2], "zero_phase": false, "plot": false}"#,
        &ctx,
    )
    .unwrap();
    assert_eq!(
        (found.filtered, found.stable),
        (vec![1.0, 2.0, 4.0, 8.0], false)
    );
    assert!((found.pole_radius - 2.0).abs() < 1e-12 && found.settling.0.is_infinite());
    assert!(ctx.take_warnings()[0].contains("unstable"));
    let long = format!(
        r#"{{"data": {:?}, "b": [1], "a": [1, -2], "zero_phase": false}}"#,
        vec![1.0; 2000]
    );
    assert_eq!(run(&long).unwrap_err().reason_str(), Some("overflow"));
    let sum = run(r#"{"data": [1, 2, 3, 4, 5, 6, 7], "b": [1], "a": [1, -1]}"#).unwrap_err();
    assert_eq!(sum.reason_str(), Some("no_steady_state"));
}

#[test]
fn a_state_goes_on_where_it_ended() {
    let data: Vec<f64> = (0..40).map(|j| f64::from((j * 31) % 17)).collect();
    let call = |data: &[f64], more: &str| {
        run(&format!(r#"{{"data": {data:?}, "cutoff": 0.1, "order": 5, "zero_phase": false, "plot": false{more}}}"#)).unwrap()
    };
    let whole = call(&data, "");
    let first = call(&data[..13], "");
    let second = call(
        &data[13..],
        &format!(r#", "state": {:?}"#, first.state.unwrap()),
    );
    assert_eq!([first.filtered, second.filtered].concat(), whole.filtered);
    assert_eq!(second.state, whole.state);
}

#[test]
fn a_design_that_lacks_digits_is_said_to() {
    let data = vec![1.0; 400];
    let ctx = Ctx::default();
    let text = |cutoff: f64| {
        format!(
            r#"{{"data": {data:?}, "cutoff": {cutoff:e}, "order": 6, "zero_phase": false, "plot": false}}"#
        )
    };
    let good = run_with(&text(1e-4), &ctx).unwrap();
    assert!((good.gain_at_cutoff_db.unwrap()[0].0 + 3.0103).abs() < 1e-3);
    assert_eq!(ctx.take_warnings(), [""; 0]);
    if run_with(&text(1e-9), &ctx).is_ok() {
        let warnings = ctx.take_warnings();
        assert!(
            warnings
                .iter()
                .any(|words| words.contains("gain at the cutoff") || words.contains("unstable")),
            "{warnings:?}"
        );
    }
}
