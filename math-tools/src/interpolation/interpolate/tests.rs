use tool_core::ToolError;

use super::{Args, Output};

fn call(text: &str) -> Result<(Output, String), ToolError> {
    crate::testing::run_warned::<Args>(text)
}

fn values(text: &str) -> Vec<f64> {
    let (output, _) = call(text).unwrap_or_else(|err| panic!("{text}: {err:?}"));
    output.values.iter().map(|value| value.0).collect()
}

#[test]
fn points_in_any_order_are_sorted_and_said_so() {
    let (output, warnings) = call(r#"{"x": [2, 0, 1], "y": [4, 0, 1], "at": 1.5}"#).unwrap();
    assert_eq!(output.values[0].0, 2.25);
    assert!(warnings.contains("sorted") && output.plot.is_some());
}

#[test]
fn nothing_is_extrapolated_unasked() {
    let err = call(r#"{"x": [0, 1, 2], "y": [0, 1, 4], "at": [1, 2.5]}"#).unwrap_err();
    assert_eq!(err.path(), Some("/at/1"));
    assert!(
        err.message().contains("2.5") && err.message().contains("2.0"),
        "{err:?}"
    );
    for (how, expected) in [("extend", 6.25), ("constant", 4.0)] {
        let text =
            format!(r#"{{"x": [0, 1, 2], "y": [0, 1, 4], "at": 2.5, "extrapolate": "{how}"}}"#);
        assert_eq!(values(&text), [expected]);
    }
    assert!(
        values(r#"{"x": [0, 1, 2], "y": [0, 1, 4], "at": 2.5, "extrapolate": "nan"}"#)[0].is_nan()
    );
    assert_eq!(
        values(
            r#"{"x": [0, 1, 2], "y": [0, 1, 0], "at": [2.5, -1], "method": "linear", "extrapolate": "periodic"}"#
        ),
        [0.5, 1.0]
    );
}

#[test]
fn a_grid_has_both_ends() {
    let (output, _) = call(r#"{"x": [0, 3], "y": [1, 7], "grid": 4}"#).unwrap();
    assert_eq!(output.at.as_deref(), Some(&[0.0, 1.0, 2.0, 3.0][..]));
    assert_eq!(
        output
            .values
            .iter()
            .map(|value| value.0)
            .collect::<Vec<f64>>(),
        [1.0, 3.0, 5.0, 7.0]
    );
}

#[test]
fn smoothing_chosen_by_cross_validation_finds_the_curve() {
    let x: Vec<f64> = (0..60).map(|i| f64::from(i) / 6.0).collect();
    let noise = |i: usize| ((i * 7919 % 101) as f64 / 101.0 - 0.5) * 0.4;
    let y: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(i, x)| x.sin() + noise(i))
        .collect();
    let text = serde_json::json!({ "x": x, "y": y, "at": x, "method": "smoothing" }).to_string();
    let (output, _) = call(&text).unwrap();
    let error = output
        .values
        .iter()
        .zip(&x)
        .map(|(value, x)| (value.0 - x.sin()).powi(2))
        .sum::<f64>()
        / 60.0;
    assert!(error.sqrt() < 0.06, "{error}");
    let freedom = output.degrees_of_freedom.unwrap();
    assert!((4.0..30.0).contains(&freedom), "{freedom}");
}

#[test]
fn arguments_are_checked() {
    for (text, at) in [
        (r#"{"x": [0, 1], "y": [0, 1]}"#, "/at"),
        (r#"{"x": [0, 1], "y": [0, 1], "at": 0, "grid": 3}"#, "/grid"),
        (r#"{"x": [0], "y": [0], "at": 0}"#, "/x"),
        (r#"{"x": [], "y": [], "at": 0}"#, "/x"),
        (r#"{"x": [0, 1, 0], "y": [0, 1, 2], "at": 0}"#, "/x"),
        (r#"{"x": [0, 1], "y": [0, 1, 2], "at": 0}"#, "/y"),
        (r#"{"x": [-1e308, 1e308], "y": [0, 1], "at": 0}"#, "/x"),
        (
            r#"{"x": [0, 1], "y": [0, 1], "at": 0, "smoothing": 1}"#,
            "/smoothing",
        ),
        (
            r#"{"x": [0, 1], "y": [0, 1], "at": 0, "end_slopes": [1, 2]}"#,
            "/end_slopes",
        ),
        (
            r#"{"x": [0, 1], "y": [0, 1], "at": 0, "method": "linear", "boundary": "natural"}"#,
            "/boundary",
        ),
        (
            r#"{"x": [0, 1], "y": [0, 1], "at": 0, "method": "nearest", "derivative": 1}"#,
            "/derivative",
        ),
        (
            r#"{"x": [0, 1, 2], "y": [0, 1, 2], "at": 0, "boundary": "periodic"}"#,
            "/y",
        ),
        (
            r#"{"x": [0, 1, 2], "y": [0, 1, 2], "at": 0, "method": "smoothing"}"#,
            "/smoothing",
        ),
        (
            r#"{"x": [0, 1, 2], "y": [0, 1, 2], "at": 0, "method": "smoothing", "smoothing": 1, "weights": [1, 0, 1]}"#,
            "/weights/1",
        ),
        (
            r#"{"x": [0, 1], "y": [0, 1], "z": [[1, 2]], "at": [[0, 0]]}"#,
            "/z",
        ),
        (r#"{"x": [], "y": [0], "z": [[1]], "at": [[0, 0]]}"#, "/x"),
        (
            r#"{"x": [3], "y": [0, 1], "z": [[1, 2]], "at": [[3.5, 0]]}"#,
            "/at/0/0",
        ),
        (
            r#"{"x": [0, 1], "y": [1, 0], "z": [[1, 2], [3, 4]], "at": [[0, 0]]}"#,
            "/y/1",
        ),
        (
            r#"{"x": [0, 1], "y": [0, 1], "z": [[1, 2], [3, 4]], "at": [0, 0]}"#,
            "/at",
        ),
        (
            r#"{"x": [0, 1], "y": [0, 1], "z": [[1, 2], [3, 4]], "at": [[0, 2]]}"#,
            "/at/0/1",
        ),
        (
            r#"{"x": [0, 1], "y": [0, 1], "z": [[1, 2], [3, 4]], "at": [[0, 1]], "method": "pchip"}"#,
            "/method",
        ),
    ] {
        let err = call(text).unwrap_err();
        assert_eq!(err.path(), Some(at), "{text}: {err:?}");
    }
}

/// The sine at the end of its period is its rounding.
#[test]
fn a_period_closes_up_to_rounding() {
    use std::f64::consts::TAU;
    for scale in [1e-12, 1.0, 1e12] {
        let x: Vec<f64> = (0..=4).map(|k| f64::from(k) * TAU / 4.0).collect();
        let y: Vec<f64> = x.iter().map(|x| scale * x.sin()).collect();
        assert!(y[4] != y[0]);
        let found = values(&format!(
            r#"{{"x": {x:?}, "y": {y:?}, "at": [1], "boundary": "periodic", "plot": false}}"#
        ));
        assert!((found[0] / scale - 1.0_f64.sin()).abs() < 0.02, "{found:?}");
        let mut off = y;
        off[4] += 1e-13 * scale;
        let refused = call(&format!(
            r#"{{"x": {x:?}, "y": {off:?}, "at": [1], "boundary": "periodic", "plot": false}}"#
        ));
        assert!(refused.is_err(), "{off:?}");
    }
}

/// SciPy issue 22882: a steep end does not reach the other one.
#[test]
fn slopes_of_akima_are_local() {
    let x: Vec<f64> = (0..10).map(f64::from).collect();
    for last in [1e2, 1e10, 1e100] {
        let y = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, last];
        for method in ["akima", "makima"] {
            let found = values(&format!(
                r#"{{"x": {x:?}, "y": {y:?}, "at": [3.5, 5.5], "method": "{method}", "plot": false}}"#
            ));
            assert!(found[0].abs() < 1e-15, "{method} {last}: {found:?}");
        }
    }
}

/// A grid with one place along an axis is the curve along the other, the same everywhere on that axis.
#[test]
fn a_surface_is_constant_along_an_axis_of_one_place() {
    let curve = r#""y": [0, 1, 3, 4], "z": [[0, 2, 1, 5]]"#;
    for method in ["linear", "cubic"] {
        let expected = values(&format!(
            r#"{{"x": [0, 1, 3, 4], "y": [0, 2, 1, 5], "at": [0, 0.5, 2, 4], "method": "{method}", "plot": false}}"#
        ));
        for place in ["-7", "0", "3", "1e-12", "1e12"] {
            let at = ["0", "0.5", "2", "4"]
                .map(|y| format!("[{place}, {y}]"))
                .join(",");
            let found = values(&format!(
                r#"{{"x": [{place}], {curve}, "at": [{at}], "method": "{method}"}}"#
            ));
            assert_eq!(found, expected, "{method} {place}");
            let turned = at
                .replace(&format!("[{place}, "), "[")
                .replace(']', &format!(", {place}]"));
            let turned = values(&format!(
                r#"{{"y": [{place}], "x": [0, 1, 3, 4], "z": [[0], [2], [1], [5]], "at": [{turned}], "method": "{method}"}}"#
            ));
            assert_eq!(turned, expected, "{method} {place}");
        }
        let beyond = values(&format!(
            r#"{{"x": [3], {curve}, "at": [[-2, 0.5], [100, 0.5]], "method": "{method}", "extrapolate": "extend"}}"#
        ));
        assert_eq!(beyond, [expected[1]; 2], "{method}");
    }
    assert_eq!(
        values(r#"{"x": [3], "y": [5], "z": [[7]], "at": [[3, 5]]}"#),
        [7.0]
    );
}
