//! Series in time: what they are made of, a model chosen by evidence, forecasts with intervals.

mod answer;
mod arguments;
mod calendar;
mod data;
mod models;
mod parts;
#[cfg(test)]
mod tests;
mod words;

use statistics::series::{find_period, measure_forecast, prefers_logarithms};

use self::answer::{
    AnomalyRow, ChangesAnswer, CorrelationRow, ForecastRow, HeldOutRow, ModelCandidate,
    SeriesColumns, SeriesFitMeasures, SeriesParameter, StrengthAnswer,
};
pub(crate) use self::arguments::Args;
use self::arguments::{SeriesModelChoice, SeriesTransform};
use self::data::{SeriesData, read_series};
use self::models::{
    MODEL_VALUES_MAX, ModelTask, SeriesModel, compared_families, fit_family, has_residuals,
    try_held_out,
};
use self::parts::{column_rows, correlation_rows, take_apart};
use crate::prelude::*;
use crate::stats::reporting::AssumptionRecord;

/// A series analysed.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// What the series says, in a few sentences.
    pub summary: String,
    /// The model in one line.
    pub apa: String,
    /// The chosen model: `ETS(M,A,M)` (error, trend, season; Ad is a damped trend) or `ARIMA(0,1,1)(0,1,1)[12]`.
    pub model: String,
    /// How it was chosen.
    pub chosen_by: String,
    /// Its parameters.
    pub parameters: Vec<SeriesParameter>,
    /// Its likelihood and its errors one step ahead.
    pub fit: SeriesFitMeasures,
    /// Tests of its residuals.
    pub checks: Vec<AssumptionRecord>,
    /// The models of its family with the least AICc, at most five.
    pub candidates: Vec<ModelCandidate>,
    /// Errors on the values held out; empty where the series is too short. The chosen model was fitted again to all values.
    pub held_out: Vec<HeldOutRow>,
    /// Values held out.
    pub held_out_n: usize,
    /// The forecasts.
    pub forecast: Vec<ForecastRow>,
    /// Strengths of trend and season.
    pub strength: StrengthAnswer,
    /// Change points.
    pub changes: ChangesAnswer,
    /// Anomalies, the most extreme first; at most 100.
    pub anomalies: Vec<AnomalyRow>,
    /// Correlations at lags up to two periods, at most 36.
    pub correlations: Vec<CorrelationRow>,
    /// What correlations of white noise stay within, up to the sign, 95 times of 100.
    pub correlation_bound: f64,
    /// Values of the series, those filled included.
    pub n: usize,
    /// Missing values that were filled.
    pub filled: usize,
    /// Time of the first value; null without dates.
    pub first_time: Option<String>,
    /// Time of the last value.
    pub last_time: Option<String>,
    /// Time from one value to the next.
    pub step: String,
    /// Values in a period; 1 without season.
    pub period: usize,
    /// Where the period is from.
    pub period_source: String,
    /// Whether parts, changes and an ARIMA model are those of the logarithms.
    pub logarithms: bool,
    /// The series and its parts value by value.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "columns": true }))]
    pub columns: Option<SeriesColumns>,
    /// The seed used.
    pub seed: RandomSeed,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("time_series", "Time series and forecasts")
        .seeded()
        .tags(&[
            "statistics",
            "forecast",
            "arima",
            "exponential smoothing",
            "seasonal decomposition",
            "change points",
            "anomalies",
            "autocorrelation",
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a walk is forecast by its last value; residuals that turn at each step say that the model is poor": r#"{"data": [1, 3, 2, 4, 3, 5, 4, 6, 5, 7], "period": 1, "model": "arima", "order": [0, 1, 0], "forecast": 1, "hold_out": 0, "columns": false, "changes": "none"}"#
            => r#"{"summary": "`value` has a strong trend (strength 0.818), no season and no anomalies in 10 values. The model is ARIMA(0,1,0). It forecasts 7 for step 1 (95 % interval 3.799 to 10.2). The residuals are autocorrelated (p < 0.001): the model misses something, and its intervals are too narrow or too wide.",
                "apa": "ARIMA(0,1,0), N = 10, log L = -17.18, AICc = 36.94, Ljung-Box Q = 25.54, p < .001", "model": "ARIMA(0,1,0)",
                "chosen_by": "of the orders that the call names", "parameters": [], "fit": {"log_likelihood": -17.18417843739482,
                "parameters": 1, "n": 9, "aic": 36.36835687478964, "aicc": 36.93978544621822, "bic": 36.56558145212586,
                "sigma": 1.632993161855452, "relative_errors": false, "rmse": 1.632993161855452, "mae": 1.5555555555555556,
                "mape": 0.3854497354497355, "mase": 1.0}, "checks": [{"assumption": "no autocorrelation of the residuals up to lag 3",
                "test": "Ljung-Box test", "statistic": 25.544880952380943, "p": 0.00001187657314598455,
                "holds": false}, {"assumption": "normal distribution of the residuals", "test": "Shapiro-Wilk test",
                "statistic": 0.6547360579487965, "p": 0.0004193908832069008, "holds": false}], "candidates": [{"model": "ARIMA(0,1,0)",
                "parameters": 1, "aicc": 36.93978544621822, "chosen": true}], "held_out": [], "held_out_n": 0, "forecast": [{"step": 1,
                "time": null, "mean": 7.0, "low_80": 4.907235056900518, "high_80": 9.092764943099482, "low_95": 3.7993922157631266,
                "high_95": 10.200607784236873}], "strength": {"trend": 0.8176694784405718, "season": 0.0}, "changes": {"kind": "none",
                "penalty": 0.0, "points": []}, "anomalies": [], "correlations": [{"lag": 1, "series": 0.3, "partial": 0.3,
                "residuals": -0.8888888888888887}, {"lag": 2, "series": 0.5333333333333333, "partial": 0.48717948717948717,
                "residuals": 0.7722222222222223}, {"lag": 3, "series": -0.06666666666666667, "partial": -0.42487684729064035,
                "residuals": -0.6666666666666666}, {"lag": 4, "series": 0.13333333333333333, "partial": -0.017299040011548757,
                "residuals": 0.5444444444444445}, {"lag": 5, "series": -0.3333333333333333, "partial": -0.20143752823651406,
                "residuals": -0.4444444444444445}, {"lag": 6, "series": -0.13333333333333333, "partial": -0.12657998674488066,
                "residuals": 0.3166666666666667}, {"lag": 7, "series": -0.43333333333333335, "partial": -0.09921443480012114,
                "residuals": -0.22222222222222224}, {"lag": 8, "series": -0.2, "partial": -0.0960759612109397,
                "residuals": 0.0888888888888889}, {"lag": 9, "series": -0.3, "partial": 0.04675156462486118, "residuals": null}],
                "correlation_bound": 0.6197950323045616, "n": 10, "filled": 0, "first_time": null, "last_time": null, "step": "1 place",
                "period": 1, "period_source": "given", "logarithms": false, "seed": 42}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let series = read_series(&args, ctx)?;
        let (period, period_source) = series_period(&args, &series, ctx)?;
        let is_log = takes_logarithms(&args, &series, period)?;
        let seed = ctx.seed(args.seed);
        let steps = match args.forecast {
            Some(steps) => steps.size(),
            None if period > 1 => 2 * period.min(5_000),
            None => 10,
        };
        let parts = take_apart(&args, &series, period, is_log, ctx)?;
        let from = series.values.len().saturating_sub(MODEL_VALUES_MAX);
        if from > 0 {
            ctx.warn(format!(
                "models are fitted to the last {MODEL_VALUES_MAX} of {} values",
                series.values.len()
            ));
        }
        let task = ModelTask {
            values: &series.values[from..],
            period,
            is_log,
            is_log_forced: args.transform == SeriesTransform::Log,
        };
        let held = held_out_count(&args, steps, task.values.len(), period);
        let trial = try_held_out(task, held, (&args, seed, series.unit), ctx)?;
        let (model, chosen_by) = final_model(task, trial.best, &args, ctx)?;
        let forecast = forecast_rows(&model, &series, steps, seed, ctx)?;
        let fit = fit_measures(&model, task, series.unit);
        let checks = residual_checks(&model, period);
        let columns = args.columns.then(|| column_rows(&series, &parts, &model));
        let correlations = correlation_rows(&series, &parts, &model, period);
        let mut output = Output {
            summary: String::new(),
            apa: String::new(),
            model: model.name(),
            chosen_by,
            parameters: words::parameters_of(&model, series.unit),
            fit,
            checks,
            candidates: model.candidates_in_units(series.unit),
            held_out_n: if trial.rows.is_empty() { 0 } else { held },
            held_out: trial.rows,
            forecast,
            strength: parts.strength_answer(period),
            correlation_bound: 1.959_963_984_540_054 / (series.values.len() as f64).sqrt(),
            correlations,
            n: series.values.len(),
            filled: series.filled,
            first_time: series.axis.label(0),
            last_time: series.axis.label(series.values.len() - 1),
            step: series.axis.step_words(),
            period,
            period_source,
            logarithms: is_log,
            columns,
            seed,
            changes: parts.changes,
            anomalies: parts.anomalies,
        };
        output.apa = words::apa_line(&output);
        output.summary = words::summary_sentences(&output, &series.name);
        Ok(output)
    }
}

/// The period, and where it is from.
fn series_period(
    args: &Args,
    series: &SeriesData,
    ctx: &Ctx,
) -> Result<(usize, String), ToolError> {
    let n = series.values.len();
    let most = n.saturating_sub(1) / 2;
    if let Some(period) = args.period {
        let period = period.size();
        if period > 1 && period > most {
            refuse!(invalid "/period", "range"; "expected at most {most}, so that the {n} values have two periods and one value more, found {period}";
                "pass a longer series, or a smaller `period`; 1 is a series without season");
        }
        return Ok((period, "given".to_owned()));
    }
    if let Some(period) = series.axis.usual_period() {
        let step = series.axis.step_words();
        if period > 1 && period > most {
            ctx.warn(format!(
                "{n} values have no two periods of {period}; the series is taken as one without season"
            ));
            return Ok((
                1,
                format!("values {step} apart, too few for a period of {period}"),
            ));
        }
        return Ok((period, format!("values {step} apart")));
    }
    let found = find_period(&series.values);
    Ok(match found.period {
        1 => (1, "no period stands out in the series".to_owned()),
        period if period > most => (1, "no period stands out in the series".to_owned()),
        period => (
            period,
            format!(
                "autocorrelation {:.2} of the differences at lag {period}",
                found.correlation
            ),
        ),
    })
}

fn takes_logarithms(args: &Args, series: &SeriesData, period: usize) -> Result<bool, ToolError> {
    let least = series.values.iter().copied().fold(f64::INFINITY, f64::min);
    match args.transform {
        SeriesTransform::None => Ok(false),
        SeriesTransform::Auto => Ok(prefers_logarithms(&series.values, period)),
        SeriesTransform::Log if least > 0.0 => Ok(true),
        SeriesTransform::Log => {
            let found = least * series.unit;
            refuse!(invalid "/transform", "response"; "logarithms need values above 0, found {found}";
                "pass `transform` \"none\", or add a constant to the series")
        }
    }
}

/// How many values are held out: the number that the call names, or the steps of the forecast up to a fifth of the series and two periods; none where fewer than two
/// periods and five values would be left.
fn held_out_count(args: &Args, steps: usize, n: usize, period: usize) -> usize {
    let count = match args.hold_out {
        Some(count) => count.size(),
        None => steps.max(1).min(n / 5).min((2 * period).max(10)),
    };
    let needed = (2 * period + 5).max(12);
    if n < needed + count { 0 } else { count }
}

/// The model of the family that did best on the held-out values; without any, exponential smoothing.
fn final_model(
    task: ModelTask<'_>,
    best: Option<SeriesModelChoice>,
    args: &Args,
    ctx: &Ctx,
) -> Result<(SeriesModel, String), ToolError> {
    let families = compared_families(args);
    let chosen = best.filter(|_| families.len() > 1);
    let is_given = args.order.is_some();
    let first = chosen.unwrap_or(families[0]);
    let mut fitted = fit_family(first, task, args, ctx);
    if fitted.is_err() && families.len() > 1 {
        ctx.check()?;
        let other = families.iter().copied().find(|family| *family != first);
        fitted = fit_family(other.unwrap_or(first), task, args, ctx).or(fitted);
    }
    let model = fitted?;
    let within = match (is_given, model.is_approximate) {
        (true, _) => "of the orders that the call names",
        (false, true) => {
            "the least AICc among the models that a stepwise search met, compared by conditional squares"
        }
        (false, false) => match model.family() {
            "seasonal ARIMA" => "the least AICc among the models that a stepwise search met",
            _ => "the least AICc of its family",
        },
    };
    let between = match (chosen, families.len()) {
        (Some(_), _) => format!(
            "{} had the smaller mean error on the held-out values; ",
            model.family()
        ),
        (None, 1) => String::new(),
        (None, _) => format!("no values were held out, so {} was taken; ", model.family()),
    };
    Ok((model, format!("{between}{within}")))
}

fn forecast_rows(
    model: &SeriesModel,
    series: &SeriesData,
    steps: usize,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Vec<ForecastRow>, ToolError> {
    let last = series.values.len() - 1;
    let unit = series.unit;
    let forecast = model.forecast(steps, seed, ctx)?;
    let rows = forecast.iter().enumerate().map(|(at, one)| ForecastRow {
        step: at + 1,
        time: series.axis.label(last + at + 1),
        mean: Real(one.mean * unit),
        low_80: Real(one.inner[0] * unit),
        high_80: Real(one.inner[1] * unit),
        low_95: Real(one.outer[0] * unit),
        high_95: Real(one.outer[1] * unit),
    });
    let rows: Vec<ForecastRow> = rows.collect();
    if rows.iter().any(|row| !row.mean.0.is_finite()) {
        refuse!(numeric "/forecast", "overflow"; "the forecast leaves the range of doubles"; "forecast fewer steps");
    }
    Ok(rows)
}

fn fit_measures(model: &SeriesModel, task: ModelTask<'_>, unit: f64) -> SeriesFitMeasures {
    let evidence = model.evidence();
    let shift = model.likelihood_shift(unit);
    let fitted = model.fitted();
    let observed = &task.values[task.values.len() - fitted.len()..];
    let accuracy = measure_forecast(observed, &fitted, task.values, task.period);
    let sigma = model.variance().sqrt();
    let relative_errors = model.has_relative_errors();
    SeriesFitMeasures {
        log_likelihood: Real(evidence.log_likelihood - shift),
        parameters: evidence.parameters,
        n: evidence.n,
        aic: Real(evidence.aic + 2.0 * shift),
        aicc: Real(evidence.aicc + 2.0 * shift),
        bic: Real(evidence.bic + 2.0 * shift),
        sigma: Real(if relative_errors { sigma } else { sigma * unit }),
        relative_errors,
        rmse: Real(accuracy.map_or(0.0, |one| one.rmse * unit)),
        mae: Real(accuracy.map_or(0.0, |one| one.mae * unit)),
        mape: accuracy.and_then(|one| one.mape).map(Real),
        mase: accuracy.and_then(|one| one.mase).map(Real),
    }
}

/// Ljung and Box's test of the residuals up to two periods, 10 lags without season, and tests of their normality.
fn residual_checks(model: &SeriesModel, period: usize) -> Vec<AssumptionRecord> {
    use statistics::hypothesis::{test_jarque_bera, test_ljung_box};
    if !has_residuals(model) {
        return Vec::new();
    }
    let residuals = model.residuals();
    let terms = model.residual_terms();
    let lags = if period > 1 { 2 * period } else { 10 };
    let lags = lags
        .min(residuals.len() / 5)
        .max(terms + 3)
        .min(residuals.len() - 1);
    let mut checks = Vec::new();
    if let Ok(result) = test_ljung_box(residuals, lags, terms) {
        let what = format!("no autocorrelation of the residuals up to lag {lags}");
        checks.push(AssumptionRecord::new(what, &result));
    }
    match AssumptionRecord::normality("the residuals", residuals) {
        Some(check) => checks.push(check),
        None => {
            checks.extend(test_jarque_bera(residuals).ok().map(|result| {
                AssumptionRecord::new("normal distribution of the residuals", &result)
            }))
        }
    }
    checks
}
