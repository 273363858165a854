//! Calls of `time_series`: the airline series, dates, gaps, and what is refused.

use std::fmt::Write as _;

use super::{Args, Output};
use crate::testing::{assert_refused, run, run_warned};

/// The table of `examples/data/airline.csv`.
fn airline() -> String {
    let text = include_str!("../../../../examples/data/airline.csv");
    let rows = text.lines().skip(1).filter_map(|line| line.split_once(','));
    let (months, values): (Vec<&str>, Vec<&str>) = rows.unzip();
    format!(
        r#"{{"month": ["{}"], "passengers": [{}]}}"#,
        months.join(r#"", ""#),
        values.join(", ")
    )
}

fn airline_call(more: &str) -> String {
    format!(r#"{{"data": {}, "y": "passengers"{more}}}"#, airline())
}

/// Numbers from -0.5 to 0.5 without a pattern.
fn noise(at: usize) -> f64 {
    let turned = (12.9898 * at as f64).sin() * 43_758.545_3;
    turned - turned.floor() - 0.5
}

/// A season of four with a slow trend and a little noise.
fn quarters(count: usize) -> Vec<f64> {
    let season = [3.0, -1.0, -4.0, 2.0];
    (0..count)
        .map(|at| 50.0 + 0.4 * at as f64 + season[at % 4] + noise(at))
        .collect()
}

fn list(values: &[f64]) -> String {
    let mut text = String::new();
    for value in values {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{separator}{value:e}");
    }
    format!("[{text}]")
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found / expected - 1.0).abs() < tolerance,
        "expected {expected}, found {found}"
    );
}

#[test]
fn the_airline_model_has_the_estimates_and_forecasts_of_r() {
    // R: arima(log(AirPassengers), c(0,1,1), c(0,1,1)) and exp(predict(fit, 12)$pred), as in statistics/src/series/tests.rs.
    let call = airline_call(
        r#", "order": [0, 1, 1], "seasonal_order": [0, 1, 1], "forecast": 12, "hold_out": 0"#,
    );
    let output = run::<Args>(&call).unwrap();
    assert_eq!(output.model, "ARIMA(0,1,1)(0,1,1)[12] of logarithms");
    assert!(output.logarithms && output.period == 12);
    near(output.parameters[0].estimate.0, -0.4018, 1e-4);
    near(output.parameters[0].standard_error.unwrap(), 0.0896, 1e-3);
    near(output.fit.log_likelihood.0, 244.6965, 1e-6);
    near(output.fit.aicc.0, -483.2040, 1e-6);
    near(output.forecast[0].mean.0, 6.110_186_f64.exp(), 1e-6);
    assert_eq!(output.forecast[0].time.as_deref(), Some("1961-01-01"));
    assert_eq!(output.forecast[11].time.as_deref(), Some("1961-12-01"));
    let columns = output.columns.unwrap();
    assert_eq!(columns.observed.len(), 144);
    // Trend times season times remainder is the series.
    for at in [0, 77, 143] {
        let product = columns.trend[at].0 * columns.season[at].0 * columns.remainder[at].0;
        near(product, columns.observed[at].0, 1e-12);
    }
    assert!(columns.fitted[12].is_none() && columns.fitted[13].is_some());
}

/// Numbers of a sentence that the result has again.
fn is_said(output: &Output, words: &str) -> bool {
    output.summary.contains(words)
}

#[test]
fn sentences_are_derived_from_the_numbers() {
    let values = list(&quarters(60));
    let output = run::<Args>(&format!(r#"{{"data": {values}, "forecast": 8}}"#)).unwrap();
    assert_eq!((output.period, output.held_out_n), (4, 8));
    let rows = &output.held_out;
    let (naive, models) = rows.split_last().unwrap();
    assert_eq!(naive.model, "seasonal naive");
    let best = models
        .iter()
        .map(|row| row.mae.0)
        .fold(f64::INFINITY, f64::min);
    let word = if best < naive.mae.0 {
        "less than"
    } else {
        "more than"
    };
    assert!(is_said(&output, word), "{}", output.summary);
    assert!(is_said(&output, "season of period 4"), "{}", output.summary);
    let residuals = &output.checks[0];
    assert_eq!(residuals.holds, is_said(&output, "show no autocorrelation"));
    let last = output.forecast.last().unwrap();
    assert!(is_said(&output, &format!("for step {}", last.step)));
    for row in &output.forecast {
        let ends = [row.low_95, row.low_80, row.mean, row.high_80, row.high_95];
        assert!(ends.map(|end| end.0).is_sorted(), "{row:?}");
    }
    // The trend goes on: a period later 1.6 more.
    let step = output.forecast[7].mean.0 - output.forecast[3].mean.0;
    assert!((step - 1.6).abs() < 0.4, "{step}");
}

#[test]
fn dates_gaps_and_missing_values() {
    let call = |more: &str| {
        format!(
            r#"{{"data": {{"day": ["2024-01-31", "2024-02-29", "2024-03-31", "2024-05-31", "2024-06-30", "2024-07-31", "2024-08-31"],
                "y": [1, 3, 2, 5, 4, 6, 5]}}, "forecast": 7, "model": "ets"{more}}}"#
        )
    };
    assert_refused::<Args>(&[(call(""), "/data", "between others: 1,")]);
    let (output, warnings) = run_warned::<Args>(&call(r#", "missing": "interpolate""#)).unwrap();
    assert!(warnings.contains("1 of 8 values"), "{warnings}");
    assert_eq!((output.n, output.filled, output.period), (8, 1, 1));
    assert_eq!(output.columns.unwrap().observed[3].0, 3.5);
    // The last days of months stay last days.
    let times: Vec<&str> = output
        .forecast
        .iter()
        .filter_map(|row| row.time.as_deref())
        .collect();
    assert_eq!(times[0], "2024-09-30");
    assert_eq!(times[5], "2025-02-28");
}

#[test]
fn years_and_hours_are_times() {
    let years: Vec<String> = (1900..1930).map(|year| year.to_string()).collect();
    let values = list(&quarters(30));
    let call = format!(
        r#"{{"data": {{"year": [{}], "y": {values}}}, "y": "y", "time": "year", "forecast": 2, "period": 1, "model": "ets"}}"#,
        years.join(", ")
    );
    let output = run::<Args>(&call).unwrap();
    assert_eq!(output.forecast[1].time.as_deref(), Some("1931"));
    let hours: Vec<String> = (0..30)
        .map(|hour| format!(r#""2024-03-0{}T{:02}:00:00Z""#, 1 + hour / 24, hour % 24))
        .collect();
    let call = format!(
        r#"{{"data": {{"at": [{}], "y": {values}}}, "forecast": 1, "model": "ets"}}"#,
        hours.join(", ")
    );
    let (output, warnings) = run_warned::<Args>(&call).unwrap();
    assert_eq!(
        output.forecast[0].time.as_deref(),
        Some("2024-03-02T06:00:00Z")
    );
    assert_eq!(output.step, "1 hour");
    assert!(warnings.contains("no two periods of 24"), "{warnings}");
}

#[test]
fn a_spike_and_a_step_are_found() {
    let mut values = quarters(80);
    values[33] += 25.0;
    let output = run::<Args>(&format!(
        r#"{{"data": {}, "period": 4, "forecast": 0, "model": "ets", "changes": "none"}}"#,
        list(&values)
    ))
    .unwrap();
    // The most extreme comes first, and the others are far less so.
    assert_eq!(output.anomalies[0].at, 33);
    assert!(
        output.anomalies[1..]
            .iter()
            .all(|row| row.score.abs() < 10.0)
    );
    assert!(output.anomalies[0].score > 50.0 && output.forecast.is_empty());
    let values: Vec<f64> = (0..60)
        .map(|at| 10.0 * noise(at) + if at < 31 { 0.0 } else { 40.0 })
        .collect();
    let output = run::<Args>(&format!(
        r#"{{"data": {}, "period": 1, "forecast": 0, "model": "ets"}}"#,
        list(&values)
    ))
    .unwrap();
    assert_eq!(output.changes.kind, "mean");
    let places: Vec<usize> = output.changes.points.iter().map(|point| point.at).collect();
    assert_eq!(places, [31]);
}

#[test]
fn extreme_units_change_nothing_but_the_unit() {
    let call = |unit: f64| {
        let values: Vec<f64> = quarters(40).iter().map(|value| value * unit).collect();
        run::<Args>(&format!(
            r#"{{"data": {}, "forecast": 2, "hold_out": 0, "model": "ets"}}"#,
            list(&values)
        ))
    };
    let one = call(1.0).unwrap();
    for exponent in [-1000, 1000] {
        let unit = 2.0_f64.powi(exponent);
        let other = call(unit).unwrap();
        assert_eq!(other.model, one.model);
        assert_eq!(other.forecast[1].mean.0, one.forecast[1].mean.0 * unit);
    }
}

#[test]
fn what_is_no_series_is_refused() {
    assert_refused::<Args>(&[
        (r#"{"data": [1]}"#, "/data", "at least 5"),
        (r#"{"data": [1, 2, 3]}"#, "/data", "at least 5"),
        (r#"{"data": [4, 4, 4, 4, 4, 4]}"#, "/data", "all 6 values"),
        (
            r#"{"data": [1, 2, 3, 4, 5, 6, 8], "period": 4}"#,
            "/period",
            "at most 3",
        ),
        (
            r#"{"data": [1, 2, 3, 4, 5, -6], "transform": "log"}"#,
            "/transform",
            "above 0",
        ),
        (
            r#"{"data": {"a": [1, 2, 3, 4, 5], "b": [1, 2, 3, 4, 6]}}"#,
            "/y",
            "2 columns",
        ),
        (
            r#"{"data": [1, 2, 3, 4, 5, 7], "order": [1, 1]}"#,
            "/order",
            "three numbers",
        ),
        (
            r#"{"data": {"d": ["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-03", "2024-01-05"], "y": [1, 2, 3, 4, 6]}}"#,
            "/data",
            "same time",
        ),
    ]);
}

#[test]
fn perfect_and_nearly_constant_series_have_answers() {
    let perfect: Vec<f64> = (0..48).map(|at| f64::from((at % 12) as u8)).collect();
    let output = run::<Args>(&format!(
        r#"{{"data": {}, "forecast": 12, "transform": "none", "model": "arima"}}"#,
        list(&perfect)
    ))
    .unwrap();
    assert_eq!(output.period, 12);
    for (at, row) in output.forecast.iter().enumerate() {
        assert!((row.mean.0 - at as f64).abs() < 1e-6, "{row:?}");
    }
    assert_eq!(output.anomalies.len(), 0);
    let mut nearly = vec![3.0; 40];
    nearly[20] = 4.0;
    let output = run::<Args>(&format!(r#"{{"data": {}}}"#, list(&nearly))).unwrap();
    assert!(output.forecast.iter().all(|row| row.mean.0.is_finite()));
}
