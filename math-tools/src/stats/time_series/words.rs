//! Parameters by name, the line in the style of the APA, and the sentences.

use super::Output;
use super::answer::SeriesParameter;
use super::models::{MODEL_VALUES_MAX, SeriesModel, SeriesModelKind};
use crate::prelude::*;
use crate::stats::reporting::words::{apa_p, estimate_words, number_words, p_words, percent_words};

/// The parameters in units of the series.
pub(crate) fn parameters_of(model: &SeriesModel, unit: f64) -> Vec<SeriesParameter> {
    match &model.kind {
        SeriesModelKind::Arima(fit) => {
            let rows = fit.coefficients.iter().map(|one| {
                let is_level = matches!(one.name.as_str(), "mean" | "drift");
                let (shift, factor) = match (is_level, model.is_log) {
                    (true, false) => (0.0, unit),
                    (true, true) if one.name == "mean" => (unit.ln(), 1.0),
                    _ => (0.0, 1.0),
                };
                let test = one.z_and_p();
                SeriesParameter {
                    name: one.name.clone(),
                    estimate: Real(one.estimate * factor + shift),
                    standard_error: one.standard_error.map(|error| error * factor),
                    z: test.map(|pair| pair[0]),
                    p: test.map(|pair| pair[1]),
                }
            });
            rows.collect()
        }
        SeriesModelKind::Smoothing(fit) => {
            use statistics::series::smoothing::{SmoothingSeason, SmoothingTrend};
            let has_trend = fit.model.trend != SmoothingTrend::None;
            let is_seasonal = fit.model.season != SmoothingSeason::None;
            let (shift, factor) = match model.is_log {
                true => (unit.ln(), 1.0),
                false => (0.0, unit),
            };
            let parameters = &fit.parameters;
            let rows = [
                ("alpha", true, parameters.alpha),
                ("beta", has_trend, parameters.beta),
                ("gamma", is_seasonal, parameters.gamma),
                (
                    "phi",
                    fit.model.trend == SmoothingTrend::Damped,
                    parameters.damping,
                ),
                ("level", true, fit.start.level * factor + shift),
                ("slope", has_trend, fit.start.slope * factor),
            ];
            let used = rows.into_iter().filter(|(_, is_used, _)| *is_used);
            let row = |(name, _, estimate): (&str, bool, f64)| SeriesParameter {
                name: name.to_owned(),
                estimate: Real(estimate),
                standard_error: None,
                z: None,
                p: None,
            };
            used.map(row).collect()
        }
    }
}

/// `ARIMA(0,1,1)(0,1,1)[12], log L = 244.70, AICc = -483.20, Ljung-Box p = .234`.
pub(crate) fn apa_line(output: &Output) -> String {
    let fit = &output.fit;
    let mut line = format!(
        "{}, N = {}, log L = {:.2}, AICc = {:.2}",
        output.model,
        output.n.min(MODEL_VALUES_MAX),
        fit.log_likelihood.0,
        fit.aicc.0
    );
    if let Some(check) = output.checks.first() {
        line.push_str(&format!(
            ", {} Q = {:.2}, {}",
            check.test.trim_end_matches(" test"),
            check.statistic.0,
            apa_p(check.p)
        ));
    }
    line
}

/// The parts of the series, the model with its trial, the forecast, the residuals; each from the numbers beside it.
pub(crate) fn summary_sentences(output: &Output, name: &str) -> String {
    let sentences = [
        parts_sentence(output, name),
        model_sentence(output),
        forecast_sentence(output),
        residual_sentence(output),
    ];
    let said: Vec<String> = sentences
        .into_iter()
        .filter(|one| !one.is_empty())
        .collect();
    said.join(" ")
}

fn strength_words(strength: f64) -> &'static str {
    match strength {
        s if s >= 0.8 => "a strong",
        s if s >= 0.4 => "a moderate",
        _ => "a weak",
    }
}

fn parts_sentence(output: &Output, name: &str) -> String {
    let strength = &output.strength;
    let trend = format!(
        "{} trend (strength {})",
        strength_words(strength.trend),
        number_words(strength.trend)
    );
    let season = match output.period {
        1 => "no season".to_owned(),
        period => format!(
            "{} season of period {period} (strength {})",
            strength_words(strength.season),
            number_words(strength.season)
        ),
    };
    let counted = |count: usize, word: &str| match count {
        0 => format!("no {word}s"),
        1 => format!("1 {word}"),
        100 => format!("at least 100 {word}s"),
        count => format!("{count} {word}s"),
    };
    let anomalies = match output.anomalies.len() {
        0 => "no anomalies".to_owned(),
        1 => "1 anomaly".to_owned(),
        100 => "at least 100 anomalies".to_owned(),
        count => format!("{count} anomalies"),
    };
    let changes = match output.changes.kind.as_str() {
        "none" => String::new(),
        _ => format!(", {}", counted(output.changes.points.len(), "change point")),
    };
    format!(
        "`{name}` has {trend}, {season}{changes} and {anomalies} in {} values.",
        output.n
    )
}

fn model_sentence(output: &Output) -> String {
    let model = &output.model;
    let held = &output.held_out;
    let naive = held.last();
    let best = held[..held.len().saturating_sub(1)]
        .iter()
        .min_by(|a, b| a.mae.0.total_cmp(&b.mae.0));
    let (Some(best), Some(naive)) = (best, naive) else {
        return format!("The model is {model}.");
    };
    let error = |row: &super::HeldOutRow| match &row.mape {
        Some(share) => percent_words(share.0),
        None => number_words(row.mae.0),
    };
    let is_better = best.mae.0 < naive.mae.0;
    let verdict = match is_better {
        true => "less than",
        false if best.mae.0 == naive.mae.0 => "the same as",
        false => "more than",
    };
    let earlier = match best.model == *model {
        true => String::new(),
        false => format!(" (then {})", best.model),
    };
    format!(
        "The model is {model}; fitted{earlier} without the last {} values it missed them by {} on average (MAE {}), {verdict} the {} forecast ({}, MAE {}).",
        output.held_out_n,
        error(best),
        number_words(best.mae.0),
        naive.model,
        error(naive),
        number_words(naive.mae.0)
    )
}

fn forecast_sentence(output: &Output) -> String {
    let row = |row: &super::ForecastRow| {
        let when = match &row.time {
            Some(time) => time.clone(),
            None => format!("step {}", row.step),
        };
        format!(
            "{} for {when} (95 % interval {} to {})",
            estimate_words(row.mean.0),
            estimate_words(row.low_95.0),
            estimate_words(row.high_95.0)
        )
    };
    match output.forecast.as_slice() {
        [] => String::new(),
        [only] => format!("It forecasts {}.", row(only)),
        [first, .., last] => format!("It forecasts {} and {}.", row(first), row(last)),
    }
}

fn residual_sentence(output: &Output) -> String {
    let Some(check) = output.checks.first() else {
        return "The residuals are rounding alone: intervals have no meaning.".to_owned();
    };
    let p = p_words(check.p);
    match check.holds {
        true => format!("The residuals show no autocorrelation ({p})."),
        false => format!(
            "The residuals are autocorrelated ({p}): the model misses something, and its intervals are too narrow or too wide."
        ),
    }
}
