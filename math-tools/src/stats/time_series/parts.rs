//! The parts of a series: trend, season, remainder, changes, anomalies, correlations.

use statistics::series::{
    ChangeKind, ChangeSearch, SeriesDecomposition, SeriesError, SeriesStrength, StlOptions,
    StlWindow, correlate_series, decompose_series, find_anomalies, find_changes, smooth_trend,
};

use super::answer::{
    AnomalyRow, ChangeRow, ChangesAnswer, CorrelationRow, SeriesColumns, StrengthAnswer,
};
use super::arguments::{Args, ChangesChoice};
use super::data::SeriesData;
use super::models::{SeriesModel, has_residuals, series_fault};
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Values of the series in an answer at most: the last ones.
const COLUMNS_MAX: usize = 2_000;

/// Change points and anomalies in an answer at most.
const POINTS_MAX: usize = 100;

/// Values below which no anomalies are looked for: a trend through so few follows each of them.
const ANOMALY_VALUES_MIN: usize = 10;

/// Lags of an answer at most.
const LAGS_MAX: usize = 36;

/// Periods over which the season may change.
const SEASON_WINDOW: usize = 11;

/// Values up to which all robust rounds of R are made; longer series have fewer.
const ROBUST_VALUES_MAX: usize = 5_000;

/// The series taken apart.
pub(crate) struct SeriesParts {
    /// In units of the series over its unit, or of their logarithms.
    decomposition: SeriesDecomposition,
    strength: SeriesStrength,
    is_log: bool,
    pub changes: ChangesAnswer,
    pub anomalies: Vec<AnomalyRow>,
}

impl SeriesParts {
    pub(crate) fn strength_answer(&self, period: usize) -> StrengthAnswer {
        StrengthAnswer {
            trend: self.strength.trend,
            season: if period > 1 {
                self.strength.season
            } else {
                0.0
            },
        }
    }
}

/// Takes a series apart: STL with robust rounds, or a robust trend where there is no period; changes of the series without season; anomalies of the remainder.
pub(crate) fn take_apart(
    args: &Args,
    series: &SeriesData,
    period: usize,
    is_log: bool,
    ctx: &Ctx,
) -> Result<SeriesParts, ToolError> {
    let watch = CallWatch(ctx);
    let values: Vec<f64> = match is_log {
        true => series.values.iter().map(|value| value.ln()).collect(),
        false => series.values.clone(),
    };
    let decomposition = match period {
        1 => smooth_trend(&values, &watch),
        period => {
            let options = StlOptions {
                period,
                window: StlWindow::Periods(SEASON_WINDOW),
                robust_rounds: if values.len() > ROBUST_VALUES_MAX {
                    3
                } else {
                    15
                },
            };
            decompose_series(&values, options, &watch)
        }
    };
    let decomposition = decomposition.map_err(|err| series_fault(err, "/data", ctx))?;
    let changes = search_changes(args, &decomposition.adjusted(), period, ctx)?;
    Ok(SeriesParts {
        strength: decomposition.strength(),
        changes: changes_answer(changes, series, is_log),
        anomalies: anomaly_rows(args, series, &decomposition, is_log),
        decomposition,
        is_log,
    })
}

/// The search whose segments cost the least, of the kinds that the call allows.
fn search_changes(
    args: &Args,
    adjusted: &[f64],
    period: usize,
    ctx: &Ctx,
) -> Result<Option<(&'static str, ChangeSearch)>, ToolError> {
    let kinds: &[(&'static str, ChangeKind)] = match args.changes {
        ChangesChoice::None => &[],
        ChangesChoice::Mean => &[("mean", ChangeKind::Mean)],
        ChangesChoice::Line => &[("line", ChangeKind::Line)],
        ChangesChoice::Variance => &[("variance", ChangeKind::Variance)],
        ChangesChoice::Auto => &[("mean", ChangeKind::Mean), ("line", ChangeKind::Line)],
    };
    let mut best: Option<(&'static str, ChangeSearch, f64)> = None;
    for (name, kind) in kinds {
        let found = match find_changes(adjusted, *kind, period.max(2), &CallWatch(ctx)) {
            Ok(found) => found,
            // Short series, and those that are rounding after their season, have no changes.
            Err(SeriesError::TooShort { .. } | SeriesError::Constant) => continue,
            Err(err) => return Err(series_fault(err, "/changes", ctx)),
        };
        // The first line has a slope more than the first mean.
        let slope = match kind {
            ChangeKind::Line => (adjusted.len() as f64).ln(),
            _ => 0.0,
        };
        let cost = found.cost + slope;
        if best.as_ref().is_none_or(|(_, _, least)| cost < *least) {
            best = Some((name, found, cost));
        }
    }
    Ok(best.map(|(name, found, _)| (name, found)))
}

fn changes_answer(
    found: Option<(&'static str, ChangeSearch)>,
    series: &SeriesData,
    is_log: bool,
) -> ChangesAnswer {
    let Some((kind, found)) = found else {
        return ChangesAnswer {
            kind: "none".to_owned(),
            penalty: 0.0,
            points: Vec::new(),
        };
    };
    let level = |value: f64| Real(series.unit * if is_log { value.exp() } else { value });
    let growth = |slope: f64| {
        Real(if is_log {
            slope.exp_m1()
        } else {
            slope * series.unit
        })
    };
    let points = found.points.iter().take(POINTS_MAX).map(|point| ChangeRow {
        at: point.at,
        time: series.axis.label(point.at),
        before: level(point.before),
        after: level(point.after),
        growth_before: growth(point.slope_before),
        growth_after: growth(point.slope_after),
        gain: point.gain,
    });
    ChangesAnswer {
        kind: kind.to_owned(),
        penalty: found.penalty,
        points: points.collect(),
    }
}

fn anomaly_rows(
    args: &Args,
    series: &SeriesData,
    parts: &SeriesDecomposition,
    is_log: bool,
) -> Vec<AnomalyRow> {
    if parts.remainder.len() < ANOMALY_VALUES_MIN {
        return Vec::new();
    }
    // What is below a part in 10^10 of the series is rounding.
    let found = find_anomalies(&parts.remainder, args.anomaly_limit.get(), 1e-10);
    let mut anomalies = found.anomalies;
    anomalies.sort_by(|a, b| b.score.abs().total_cmp(&a.score.abs()));
    let rows = anomalies.iter().take(POINTS_MAX).map(|one| {
        let expected = parts.trend[one.at] + parts.season[one.at];
        let expected = if is_log { expected.exp() } else { expected };
        AnomalyRow {
            at: one.at,
            time: series.axis.label(one.at),
            value: Real(series.values[one.at] * series.unit),
            expected: Real(expected * series.unit),
            score: one.score,
        }
    });
    rows.collect()
}

/// Correlations of the series and of the residuals at the first lags.
pub(crate) fn correlation_rows(
    series: &SeriesData,
    parts: &SeriesParts,
    model: &SeriesModel,
    period: usize,
) -> Vec<CorrelationRow> {
    let lags = (2 * period)
        .clamp(12, LAGS_MAX)
        .min(series.values.len() - 1);
    let values: Vec<f64> = match parts.is_log {
        true => series.values.iter().map(|value| value.ln()).collect(),
        false => series.values.clone(),
    };
    let Ok(of_series) = correlate_series(&values, lags) else {
        return Vec::new();
    };
    let of_residuals = has_residuals(model)
        .then(|| {
            let residuals = model.residuals();
            let lags = lags.min(residuals.len().saturating_sub(1));
            correlate_series(residuals, lags).ok()
        })
        .flatten();
    (0..lags)
        .map(|at| CorrelationRow {
            lag: at + 1,
            series: of_series.autocorrelations[at],
            partial: of_series.partial[at],
            residuals: of_residuals
                .as_ref()
                .and_then(|found| found.autocorrelations.get(at).copied()),
        })
        .collect()
}

/// The last values with their parts.
pub(crate) fn column_rows(
    series: &SeriesData,
    parts: &SeriesParts,
    model: &SeriesModel,
) -> SeriesColumns {
    let n = series.values.len();
    let from = n.saturating_sub(COLUMNS_MAX);
    let fitted = model.fitted();
    let first_fitted = n - fitted.len();
    let fitted = (from..n).map(|at| {
        let fitted = fitted.get(at.checked_sub(first_fitted)?)?;
        Some(Real(fitted * series.unit))
    });
    let unit = series.unit;
    let of_trend = |value: &f64| Real(unit * if parts.is_log { value.exp() } else { *value });
    let of_part = |value: &f64| {
        Real(if parts.is_log {
            value.exp()
        } else {
            *value * unit
        })
    };
    let decomposition = &parts.decomposition;
    SeriesColumns {
        from,
        time: (from..n).filter_map(|at| series.axis.label(at)).collect(),
        observed: series.values[from..]
            .iter()
            .map(|value| Real(value * unit))
            .collect(),
        fitted: fitted.collect(),
        trend: decomposition.trend[from..].iter().map(of_trend).collect(),
        season: decomposition.season[from..].iter().map(of_part).collect(),
        remainder: decomposition.remainder[from..]
            .iter()
            .map(of_part)
            .collect(),
    }
}
