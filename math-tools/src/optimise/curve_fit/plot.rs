//! A fit as text: the data with the curve, and the residuals below.

use tool_core::{Ctx, Input, ToolError, Vector};

use super::model::FitRows;
use super::names::ModelNames;
use super::predict::{PredictionBands, PredictionPlaces};
use crate::plot::{plot_braille, series};
use tool_core::{BoundedInteger, Tool as _};

/// The data and the fit over the first predictor, and the residuals; and the fit with its band at several places of a prediction.
pub(super) fn plot_fit(
    names: &ModelNames,
    rows: &FitRows,
    fit: &[f64],
    predicted: Option<&(PredictionBands, PredictionPlaces)>,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    let rank: Vec<f64> = (0..rows.len()).map(|row| row as f64).collect();
    let (x, name) = match (names.predictors.first(), rows.predictors.first()) {
        (Some((name, _)), Some(x)) => (x, name.as_str()),
        _ => (&rank, "row"),
    };
    let residuals: Vec<f64> = rows.response.iter().zip(fit).map(|(y, f)| y - f).collect();
    let draw = |x: &[f64],
                series: Vec<Vec<f64>>,
                plot_type,
                labels: Option<Vec<String>>,
                title: &str,
                rows: i64| {
        let series = std::sync::Arc::new(series.into_iter().map(Vector::from).collect());
        let args = plot_braille::Args {
            x: Input::inline(x.to_vec()),
            y: Input::Inline(series::PlotSeries(series)),
            plot_type,
            points: Vec::new(),
            width: BoundedInteger::literal(72),
            height: BoundedInteger::literal(rows),
            title: title.to_owned(),
            x_label: Some(name.to_owned()),
            y_label: None,
            labels,
        };
        plot_braille::Args::run(args, ctx).map(|output| output.plot)
    };
    let (scatter, line) = (series::PlotType::Scatter, series::PlotType::Line);
    let labels = vec!["data".to_owned(), "fit".to_owned()];
    let of_data = vec![rows.response.clone(), fit.to_vec()];
    let above = draw(x, of_data, scatter, Some(labels), "data and fit", 14)?;
    let below = draw(x, vec![residuals], scatter, None, "residuals", 6)?;
    let plot = format!("{above}\n{below}");
    let Some((predicted, places)) = predicted else {
        return Ok(plot);
    };
    let (Some(x), true) = (places.rows.predictors.first(), places.rows.len() > 1) else {
        return Ok(plot);
    };
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let along = |of: &dyn Fn(usize) -> f64| order.iter().map(|&row| of(row)).collect::<Vec<f64>>();
    let mut series = vec![along(&|row| predicted.fitted[row])];
    let mut labels = vec!["fit".to_owned()];
    if predicted.band.iter().all(|band| band.0.is_finite()) {
        series.push(along(&|row| predicted.fitted[row] - predicted.band[row].0));
        series.push(along(&|row| predicted.fitted[row] + predicted.band[row].0));
        labels.extend(["fit - band".to_owned(), "fit + band".to_owned()]);
    }
    let x = along(&|row| x[row]);
    let labels = (series.len() > 1).then_some(labels);
    let there = draw(&x, series, line, labels, "fit at `predict`", 14)?;
    Ok(format!("{plot}\n{there}"))
}
