//! A fit as text: the data with the curve, and the residuals below.

use tool_core::{Ctx, Input, ToolError, Vector};

use super::model::Rows;
use super::names::Names;
use crate::plot::{plot_braille, series};
use tool_core::{Bounded, Tool as _};

/// The data and the fit over the first predictor, and the residuals.
pub(super) fn plot(
    names: &Names,
    rows: &Rows,
    fit: &[f64],
    ctx: &Ctx,
) -> Result<String, ToolError> {
    let rank: Vec<f64> = (0..rows.len()).map(|row| row as f64).collect();
    let (x, name) = match (names.predictors.first(), rows.predictors.first()) {
        (Some((name, _)), Some(x)) => (x, name.as_str()),
        _ => (&rank, "row"),
    };
    let residuals: Vec<f64> = rows.response.iter().zip(fit).map(|(y, f)| y - f).collect();
    let draw = |series: Vec<Vec<f64>>, labels: Option<Vec<String>>, title: &str, rows: i64| {
        let series = std::sync::Arc::new(series.into_iter().map(Vector::from).collect());
        let args = plot_braille::Args {
            x: Input::inline(x.clone()),
            y: Input::Inline(series::Series(series)),
            plot_type: series::PlotType::Scatter,
            points: Vec::new(),
            width: Bounded::literal(72),
            height: Bounded::literal(rows),
            title: title.to_owned(),
            x_label: Some(name.to_owned()),
            y_label: None,
            labels,
        };
        plot_braille::Args::run(args, ctx).map(|output| output.plot)
    };
    let labels = vec!["data".to_owned(), "fit".to_owned()];
    let above = draw(
        vec![rows.response.clone(), fit.to_vec()],
        Some(labels),
        "data and fit",
        14,
    )?;
    let below = draw(vec![residuals], None, "residuals", 6)?;
    Ok(format!("{above}\n{below}"))
}
