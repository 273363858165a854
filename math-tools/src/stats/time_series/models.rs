//! The models of a call: the choice, the trial on values held out, forecasts in the units of the series.

use statistics::series::arima::{ArimaFit, ArimaOrder, choose_arima, fit_arima, forecast_arima};
use statistics::series::smoothing::{
    PathDraws, SmoothingFit, choose_smoothing, forecast_smoothing,
};
use statistics::series::{
    ForecastAccuracy, LikelihoodEvidence, SeriesError, StepForecast, measure_forecast,
    seasonal_naive,
};

use super::answer::{HeldOutRow, ModelCandidate};
use super::arguments::{Args, SeriesModelChoice};
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Most values that models are fitted to: the last ones.
pub(crate) const MODEL_VALUES_MAX: usize = 2_000;

/// Paths of simulated intervals.
const PATHS: usize = 5_000;

/// Candidates that the answer names.
const CANDIDATES_SHOWN: usize = 5;

/// What a model is fitted to.
#[derive(Clone, Copy)]
pub(crate) struct ModelTask<'a> {
    /// The values over the unit of the series.
    pub values: &'a [f64],
    /// Values in a period.
    pub period: usize,
    /// Whether an ARIMA model is one of the logarithms.
    pub is_log: bool,
    /// Whether exponential smoothing is one of the logarithms too.
    pub is_log_forced: bool,
}

/// A fitted model with those it was chosen from.
pub(crate) struct SeriesModel {
    pub kind: SeriesModelKind,
    /// Whether it is a model of the logarithms.
    pub is_log: bool,
    candidates: Vec<ModelCandidate>,
    /// Whether candidates were compared by conditional squares.
    pub is_approximate: bool,
    /// Values of the fit, in its own scale.
    values: Vec<f64>,
}

/// The fit of a family.
pub(crate) enum SeriesModelKind {
    /// Exponential smoothing.
    Smoothing(SmoothingFit),
    /// Seasonal ARIMA.
    Arima(ArimaFit),
}

impl SeriesModel {
    /// Its name: `ETS(M,Ad,M)`, `ARIMA(0,1,1)(0,1,1)[12] of logarithms`.
    pub(crate) fn name(&self) -> String {
        let name = match &self.kind {
            SeriesModelKind::Smoothing(fit) => fit.model.to_string(),
            SeriesModelKind::Arima(fit) => fit.order.to_string(),
        };
        match self.is_log {
            true => format!("{name} of logarithms"),
            false => name,
        }
    }

    pub(crate) fn family(&self) -> &'static str {
        match self.kind {
            SeriesModelKind::Smoothing(_) => "exponential smoothing",
            SeriesModelKind::Arima(_) => "seasonal ARIMA",
        }
    }

    pub(crate) fn evidence(&self) -> LikelihoodEvidence {
        match &self.kind {
            SeriesModelKind::Smoothing(fit) => fit.evidence,
            SeriesModelKind::Arima(fit) => fit.evidence,
        }
    }

    /// What the logarithm of the likelihood loses in the units of the series: a density of values in other units is another density, one of logarithms is
    /// the same.
    pub(crate) fn likelihood_shift(&self, unit: f64) -> f64 {
        match self.is_log {
            true => 0.0,
            false => self.evidence().n as f64 * unit.ln(),
        }
    }

    /// The candidates, which have as many values in their likelihoods as the chosen one.
    pub(crate) fn candidates_in_units(&self, unit: f64) -> Vec<ModelCandidate> {
        let shift = 2.0 * self.likelihood_shift(unit);
        let candidates = self.candidates.iter().cloned();
        let shifted = candidates.map(|one| ModelCandidate {
            aicc: Real(one.aicc.0 + shift),
            ..one
        });
        shifted.collect()
    }

    pub(crate) fn variance(&self) -> f64 {
        match &self.kind {
            SeriesModelKind::Smoothing(fit) => fit.variance,
            SeriesModelKind::Arima(fit) => fit.variance,
        }
    }

    /// Errors one step ahead, in the scale in which they are alike.
    pub(crate) fn residuals(&self) -> &[f64] {
        match &self.kind {
            SeriesModelKind::Smoothing(fit) => &fit.errors,
            SeriesModelKind::Arima(fit) => &fit.residuals,
        }
    }

    /// Terms that take from the degrees of freedom of a test of the residuals.
    pub(crate) fn residual_terms(&self) -> usize {
        match &self.kind {
            SeriesModelKind::Smoothing(_) => 0,
            SeriesModelKind::Arima(fit) => fit.order.terms(),
        }
    }

    /// Whether errors are shares of the forecasts or differences of logarithms.
    pub(crate) fn has_relative_errors(&self) -> bool {
        use statistics::series::smoothing::ErrorForm;
        match &self.kind {
            SeriesModelKind::Smoothing(fit) => {
                self.is_log || fit.model.error == ErrorForm::Multiplicative
            }
            SeriesModelKind::Arima(_) => self.is_log,
        }
    }

    /// Forecasts one step ahead of the last values, in units of the task.
    pub(crate) fn fitted(&self) -> Vec<f64> {
        let fitted = match &self.kind {
            SeriesModelKind::Smoothing(fit) => &fit.fitted,
            SeriesModelKind::Arima(fit) => &fit.fitted,
        };
        let back = |value: &f64| if self.is_log { value.exp() } else { *value };
        fitted.iter().map(back).collect()
    }

    /// Forecasts in units of the task; of logarithms the median is the point forecast.
    pub(crate) fn forecast(
        &self,
        steps: usize,
        seed: RandomSeed,
        ctx: &Ctx,
    ) -> Result<Vec<StepForecast>, ToolError> {
        let draws = PathDraws {
            paths: PATHS,
            seed: seed.get(),
        };
        let watch = CallWatch(ctx);
        let forecast = match &self.kind {
            SeriesModelKind::Smoothing(fit) => forecast_smoothing(fit, steps, draws, &watch),
            SeriesModelKind::Arima(fit) => forecast_arima(fit, &self.values, steps, &watch),
        };
        let mut forecast = forecast.map_err(|err| series_fault(err, "/forecast", ctx))?;
        if self.is_log {
            for one in &mut forecast {
                one.mean = one.mean.exp();
                one.inner = one.inner.map(f64::exp);
                one.outer = one.outer.map(f64::exp);
            }
        }
        Ok(forecast)
    }
}

/// Fits the model of a family, chosen by AICc or of the orders that the call names.
pub(crate) fn fit_family(
    family: SeriesModelChoice,
    task: ModelTask<'_>,
    args: &Args,
    ctx: &Ctx,
) -> Result<SeriesModel, ToolError> {
    let watch = CallWatch(ctx);
    let is_arima = family == SeriesModelChoice::Arima;
    let is_log = task.is_log_forced || (task.is_log && is_arima);
    let values: Vec<f64> = match is_log {
        true => task.values.iter().map(|value| value.ln()).collect(),
        false => task.values.to_vec(),
    };
    if !is_arima {
        let fits = choose_smoothing(&values, task.period, &watch);
        let fits = fits.map_err(|err| series_fault(err, "/data", ctx))?;
        let candidates = fits.iter().map(|fit| (fit.model.to_string(), fit.evidence));
        let candidates = named_candidates(candidates);
        let best = fits.into_iter().next();
        let fit =
            best.ok_or_else(|| series_fault(SeriesError::NoModel { what: "model" }, "/data", ctx))?;
        return Ok(SeriesModel {
            kind: SeriesModelKind::Smoothing(fit),
            is_log,
            candidates,
            is_approximate: false,
            values,
        });
    }
    if let Some(order) = given_order(args, task.period)? {
        let fit = fit_arima(&values, order, &watch);
        let fit = fit.map_err(|err| series_fault(err, "/order", ctx))?;
        let candidates = named_candidates([(fit.order.to_string(), fit.evidence)].into_iter());
        return Ok(SeriesModel {
            kind: SeriesModelKind::Arima(fit),
            is_log,
            candidates,
            is_approximate: false,
            values,
        });
    }
    let chosen = choose_arima(&values, task.period, &watch);
    let chosen = chosen.map_err(|err| series_fault(err, "/data", ctx))?;
    let candidates = chosen.candidates.iter();
    let candidates =
        named_candidates(candidates.map(|(order, evidence)| (order.to_string(), *evidence)));
    Ok(SeriesModel {
        kind: SeriesModelKind::Arima(chosen.fit),
        is_log,
        candidates,
        is_approximate: chosen.is_approximate,
        values,
    })
}

fn named_candidates(
    candidates: impl Iterator<Item = (String, LikelihoodEvidence)>,
) -> Vec<ModelCandidate> {
    let shown = candidates.take(CANDIDATES_SHOWN);
    let named = shown.enumerate();
    named
        .map(|(at, (model, evidence))| ModelCandidate {
            model,
            parameters: evidence.parameters,
            aicc: Real(evidence.aicc),
            chosen: at == 0,
        })
        .collect()
}

/// The orders that a call names.
fn given_order(args: &Args, period: usize) -> Result<Option<ArimaOrder>, ToolError> {
    let three = |list: &Option<Vec<BoundedInteger<0, 12>>>, pointer: &'static str| {
        let Some(list) = list else {
            return Ok(None);
        };
        match list.as_slice() {
            [p, d, q] => Ok(Some([p.size(), d.size(), q.size()])),
            _ => {
                let found = list.len();
                refuse!(invalid pointer, "order"; "expected three numbers p, d, q, found {found}"; "such as [0, 1, 1]")
            }
        }
    };
    let plain = three(&args.order, "/order")?;
    let seasonal = three(&args.seasonal_order, "/seasonal_order")?;
    let Some([p, d, q]) = plain else {
        if seasonal.is_some() {
            refuse!(invalid "/seasonal_order", "order"; "`seasonal_order` belongs to an `order`"; "pass both, or none for a choice by AICc");
        }
        return Ok(None);
    };
    let [seasonal_p, seasonal_d, seasonal_q] = seasonal.unwrap_or([0; 3]);
    if seasonal_p + seasonal_d + seasonal_q > 0 && period < 2 {
        refuse!(invalid "/seasonal_order", "order"; "the series has no period"; "pass its `period`");
    }
    let has_constant = args.constant.unwrap_or(d + seasonal_d == 0);
    Ok(Some(ArimaOrder {
        p,
        d,
        q,
        seasonal_p,
        seasonal_d,
        seasonal_q,
        period,
        has_constant,
    }))
}

/// The families that a call compares.
pub(crate) fn compared_families(args: &Args) -> &'static [SeriesModelChoice] {
    use SeriesModelChoice as Choice;
    match (
        args.model,
        args.order.is_some() || args.seasonal_order.is_some(),
    ) {
        (Choice::Arima, _) | (Choice::Auto, true) => &[Choice::Arima],
        (Choice::Ets, _) => &[Choice::Ets],
        (Choice::Auto, false) => &[Choice::Ets, Choice::Arima],
    }
}

/// The errors of each family, and of the seasonal naive forecast, on the last values, which the fits do not see.
pub(crate) struct HeldOutTrial {
    pub rows: Vec<HeldOutRow>,
    /// The family with the least mean error.
    pub best: Option<SeriesModelChoice>,
}

/// Tries the families on the last `count` values.
pub(crate) fn try_held_out(
    task: ModelTask<'_>,
    count: usize,
    (args, seed, unit): (&Args, RandomSeed, f64),
    ctx: &Ctx,
) -> Result<HeldOutTrial, ToolError> {
    let (training, tail) = task.values.split_at(task.values.len() - count);
    let task = ModelTask {
        values: training,
        ..task
    };
    let is_constant = training.iter().all(|value| *value == training[0]);
    let mut trial = HeldOutTrial {
        rows: Vec::new(),
        best: None,
    };
    if count == 0 || is_constant {
        return Ok(trial);
    }
    let row = |model: String, forecasts: &[f64]| {
        let accuracy = measure_forecast(tail, forecasts, training, task.period)?;
        Some((held_out_row(model, accuracy, unit), accuracy.mae))
    };
    let mut least = f64::INFINITY;
    for &family in compared_families(args) {
        let Ok(model) = fit_family(family, task, args, ctx) else {
            ctx.check()?;
            continue;
        };
        let forecast = model.forecast(count, seed, ctx)?;
        let means: Vec<f64> = forecast.iter().map(|one| one.mean).collect();
        if let Some((row, mae)) = row(model.name(), &means) {
            trial.rows.push(row);
            if mae < least {
                (least, trial.best) = (mae, Some(family));
            }
        }
    }
    let naive = seasonal_naive(training, task.period, count);
    let name = match task.period {
        1 => "naive",
        _ => "seasonal naive",
    };
    trial
        .rows
        .extend(row(name.to_owned(), &naive).map(|(row, _)| row));
    Ok(trial)
}

fn held_out_row(model: String, accuracy: ForecastAccuracy, unit: f64) -> HeldOutRow {
    HeldOutRow {
        model,
        mae: Real(accuracy.mae * unit),
        rmse: Real(accuracy.rmse * unit),
        mape: accuracy.mape.map(Real),
        mase: accuracy.mase.map(Real),
    }
}

/// The error of a computation as that of the call.
pub(crate) fn series_fault(err: SeriesError, pointer: &'static str, ctx: &Ctx) -> ToolError {
    let (reason, hint) = match &err {
        SeriesError::Interrupted(interruption) => {
            return CallWatch(ctx).interruption_error(*interruption);
        }
        SeriesError::TooShort { .. } => (
            "too_few",
            "pass a longer series, or ask for a smaller model",
        ),
        SeriesError::Constant => ("constant", "there is nothing to model"),
        SeriesError::Range { .. } => ("range", "choose a number in the range"),
        SeriesError::NotPositive { .. } => (
            "response",
            "pass `transform` \"none\", or values above 0 alone",
        ),
        SeriesError::NoModel { .. } => (
            "too_few",
            "pass a longer series, a smaller `period`, or an `order`",
        ),
    };
    ToolError::invalid(pointer, err).reason(reason).hint(hint)
}

/// Whether the residuals are more than rounding.
pub(super) fn has_residuals(model: &SeriesModel) -> bool {
    model.variance().sqrt() > 1e-10
}
