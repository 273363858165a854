//! `curve_fit` and `linear_regression`: data, fit and band above, residuals below.

mod curve;
mod formula;
mod line;

use plots::{MarkKind, PartPlace, PlotColour, PlotLayer, PlotTheme};

use super::result::DrawnResult;
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, short_number, table_of,
};
use crate::prelude::*;

#[cfg(test)]
pub(super) use curve::ModelCurve;
pub(super) use curve::draw_curve_fit;
pub(super) use formula::point_opacity;
#[cfg(test)]
pub(super) use formula::{FormulaFit, normal_scores};
#[cfg(test)]
pub(super) use line::MeanBand;
pub(super) use line::draw_linear_regression;

/// Places at which a fitted curve is computed.
const CURVE_POINTS: usize = 201;

/// Most estimates that the line below the title names.
const NAMED_ESTIMATES: usize = 4;

/// Size of the pictures of fits.
const SIZE: NaturalSize = NaturalSize {
    width: 760,
    height: 560,
};

/// A fit over one predictor, or over its own values where there are several.
struct DrawnFit {
    x_title: String,
    y_title: String,
    x: Vec<f64>,
    observed: Vec<f64>,
    /// The model at the rows.
    fitted: Vec<f64>,
    curve: FittedCurvePoints,
}

/// A curve with half the width of its band, NaN where that is not known.
#[derive(Debug, Clone, Default)]
pub(super) struct FittedCurvePoints {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) half: Vec<f64>,
}

impl FittedCurvePoints {
    fn sorted(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.x.len()).collect();
        order.sort_by(|&a, &b| self.x[a].total_cmp(&self.x[b]));
        let pick = |values: &[f64]| order.iter().map(|&index| values[index]).collect();
        (self.x, self.y, self.half) = (pick(&self.x), pick(&self.y), pick(&self.half));
        self
    }
}

impl DrawnFit {
    /// The picture: the fit upon the data, and the residuals over the same axis.
    fn compose(
        &self,
        source: &DrawnResult<'_>,
        picture: &mut NaturalPicture,
    ) -> Result<(), ToolError> {
        let theme = source.theme;
        let (x, y) = (
            AxisField {
                field: "x",
                title: &self.x_title,
            },
            AxisField {
                field: "y",
                title: &self.y_title,
            },
        );
        let data = table_of(&[("x", &self.x), ("y", &self.observed)])?;
        let mut layers = self.curve_layers(x, y, theme.category(1))?;
        let mut points = layer(MarkKind::Point, &data, x, y);
        points.style.colour = Some(theme.category(0));
        // The titles of the axes come from the first layer; the points lie above the band and below the line.
        let line = layers.pop();
        layers.push(points);
        layers.extend(line);
        let above = PartPlace {
            height: 0.68,
            ..WHOLE
        };
        let below = PartPlace {
            top: 0.68,
            height: 0.32,
            ..WHOLE
        };
        let mut fit = plot_of(layers);
        for layer in &mut fit.layers {
            hide_title(&mut layer.channels.x);
        }
        picture.add(above, fit);
        picture.add(below, plot_of(self.residual_layers(x, theme)?));
        Ok(())
    }

    fn curve_layers(
        &self,
        x: AxisField<'_>,
        y: AxisField<'_>,
        colour: PlotColour,
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let curve = &self.curve;
        let mut layers = Vec::new();
        if curve.half.iter().any(|half| half.is_finite()) {
            let ends = |sign: f64| -> Vec<f64> {
                let pairs = curve.y.iter().zip(&curve.half);
                pairs.map(|(y, half)| y + sign * half).collect()
            };
            let band = table_of(&[("x", &curve.x), ("y", &ends(-1.0)), ("high", &ends(1.0))])?;
            let mut band = layer(MarkKind::Band, &band, x, y);
            band.channels.y2 = channel("high", y.title);
            band.style.colour = Some(colour);
            layers.push(band);
        }
        let line = table_of(&[("x", &curve.x), ("y", &curve.y)])?;
        let mut line = layer(MarkKind::Line, &line, x, y);
        line.style.colour = Some(colour);
        layers.push(line);
        Ok(layers)
    }

    fn residual_layers(
        &self,
        x: AxisField<'_>,
        theme: PlotTheme,
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let pairs = self.observed.iter().zip(&self.fitted);
        let residuals: Vec<f64> = pairs.map(|(y, fitted)| y - fitted).collect();
        let y = AxisField {
            field: "residual",
            title: "residual",
        };
        let data = table_of(&[("x", &self.x), ("residual", &residuals)])?;
        let zero = table_of(&[("residual", &[0.0])])?;
        let mut rule = layer(MarkKind::Rule, &zero, x, y);
        rule.channels.x = None;
        let mut strokes = layer(MarkKind::Rule, &data, x, y);
        let mut points = layer(MarkKind::Point, &data, x, y);
        points.style.colour = Some(theme.category(0));
        points.style.size = Some(22.0);
        if residuals.len() > 200 {
            return Ok(vec![points, rule]);
        }
        let zeros = vec![0.0; residuals.len()];
        let ends = table_of(&[("x", &self.x), ("residual", &residuals), ("zero", &zeros)])?;
        strokes.data = Some(ends);
        strokes.channels.y2 = channel("zero", y.title);
        strokes.style.colour = Some(theme.category(0));
        strokes.style.stroke_width = Some(1.0);
        strokes.style.opacity = Some(0.6);
        Ok(vec![strokes, points, rule])
    }
}

/// The axis is titled below the residuals.
fn hide_title(channel: &mut Option<plots::ChannelDefinition>) {
    if let Some(channel) = channel {
        channel.title = Some(String::new());
    }
}

/// An estimate with its standard error, as far as the error leaves digits.
fn estimate_words(name: &str, estimate: f64, error: f64) -> String {
    match error.is_finite() && error > 0.0 {
        true => format!(
            "{name} = {} ± {}",
            short_number(estimate),
            plots::readable_number(error, 2)
        ),
        false => format!("{name} = {}", short_number(estimate)),
    }
}

/// Estimates and r2 in one line.
fn fit_words(source: &DrawnResult<'_>, list: &str) -> String {
    let items = source.result.items_at(list);
    let words = items.iter().take(NAMED_ESTIMATES).filter_map(|item| {
        let number = |name: &str| item.get(name).and_then(Value::as_f64);
        let error = number("standard_error").unwrap_or(f64::NAN);
        Some(estimate_words(
            item.text("name")?,
            number("estimate")?,
            error,
        ))
    });
    let mut words: Vec<String> = words.collect();
    if let Some(r2) = source.result.get("r2").and_then(Value::as_f64) {
        words.push(format!("R² = {}", short_number(r2)));
    }
    words.join(", ")
}
