//! `time_series`: the series with its forecast, bands, changes and anomalies; below, the season and the remainder over the same times.

use std::sync::Arc;

use plots::{ColumnCells, DataTable, MarkKind, PartPlace, PlotColumn, PlotLayer};

use super::result::{DrawnResult, number_list};
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, shared_table,
    short_number,
};
use crate::prelude::*;

/// Opacities of the 95 and the 80 % band.
const BAND_OPACITIES: [f64; 2] = [0.16, 0.26];

/// Places that are marked at most.
const MARKS_MAX: usize = 60;

/// Columns of the result, with the places of their rows.
struct DrawnSeries<'a> {
    source: &'a DrawnResult<'a>,
    observed: Vec<f64>,
    fitted: Vec<f64>,
    season: Vec<f64>,
    remainder: Vec<f64>,
    /// Place of the first row in the series.
    from: usize,
    /// Times of the rows and of the forecast, where there are any.
    times: Option<Vec<String>>,
    /// Means and ends of bands by name, for each step of the forecast.
    forecast: Vec<Value>,
    is_log: bool,
}

pub(super) fn draw_time_series(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let series = DrawnSeries::of_result(source)?;
    let has_season = source.result.get("period").and_then(Value::as_f64) > Some(1.0);
    let mut picture = NaturalPicture::new(
        series.title(),
        NaturalSize {
            width: 960,
            height: if has_season { 760 } else { 640 },
        },
    );
    picture.subtitle = evidence_words(source);
    let heights: &[f64] = if has_season {
        &[0.6, 0.19, 0.21]
    } else {
        &[0.72, 0.28]
    };
    let mut parts = vec![series.forecast_layers()?];
    if has_season {
        parts.push(series.part_layers("season", &series.season)?);
    }
    parts.push(series.part_layers("remainder", &series.remainder)?);
    let last = parts.len() - 1;
    let mut top = 0.0;
    for (index, (mut layers, height)) in parts.into_iter().zip(heights).enumerate() {
        if index < last {
            for layer in &mut layers {
                if let Some(x) = &mut layer.channels.x {
                    x.title = Some(String::new());
                }
            }
        }
        let place = PartPlace {
            top,
            height: *height,
            ..WHOLE
        };
        picture.add(place, plot_of(layers));
        top += height;
    }
    Ok(picture)
}

impl<'a> DrawnSeries<'a> {
    fn of_result(source: &'a DrawnResult<'a>) -> Result<Self, ToolError> {
        let Some(columns) = source.result.get("columns") else {
            refuse!(invalid "/result/columns", "missing"; "the result has no values to draw";
                "call `time_series` with `columns` true");
        };
        let numbers = |name: &str| {
            let found = columns.get(name).and_then(number_list);
            found.ok_or_else(|| source.missing("columns", "lists of numbers by name"))
        };
        let observed = numbers("observed")?;
        let (season, remainder) = (numbers("season")?, numbers("remainder")?);
        if observed.is_empty()
            || season.len() != observed.len()
            || remainder.len() != observed.len()
        {
            return Err(source.missing("columns", "lists of one length"));
        }
        let fitted = columns.items_at("fitted");
        let fitted = fitted.iter().map(|cell| cell.as_f64().unwrap_or(f64::NAN));
        let mut fitted: Vec<f64> = fitted.collect();
        fitted.resize(observed.len(), f64::NAN);
        let forecast = source.result.items_at("forecast");
        let times = columns.items_at("time");
        let later = forecast.iter().filter_map(|row| row.get("time"));
        let times: Vec<String> = times
            .iter()
            .chain(later)
            .filter_map(|time| time.as_str().map(str::to_owned))
            .collect();
        let is_whole = times.len() == observed.len() + forecast.len();
        let from = columns.get("from").and_then(Value::as_f64).unwrap_or(0.0);
        Ok(Self {
            times: is_whole.then_some(times),
            from: from.max(0.0) as usize,
            is_log: source.result.get("logarithms") == Some(&Value::Bool(true)),
            source,
            observed,
            fitted,
            season,
            remainder,
            forecast,
        })
    }

    fn name(&self) -> &'a str {
        let named = self.source.argument("y").and_then(Value::as_str);
        named.or(self.source.y).unwrap_or("value")
    }

    fn title(&self) -> String {
        let name = self.name();
        let capital: String = name
            .chars()
            .enumerate()
            .flat_map(|(at, letter)| match at {
                0 => letter.to_uppercase().collect::<Vec<char>>(),
                _ => vec![letter],
            })
            .collect();
        match self.forecast.len() {
            0 => capital,
            1 => format!("{capital}: the next value"),
            steps => format!("{capital}: the next {steps} values"),
        }
    }

    /// The column of x for rows of the series and of the forecast after them.
    fn places(&self, rows: impl Iterator<Item = usize> + Clone) -> PlotColumn {
        match &self.times {
            Some(times) => {
                PlotColumn::of_texts("x", rows.map(|row| times.get(row).map(String::as_str)))
            }
            None => {
                let place = |row: usize| (self.from + row) as f64;
                PlotColumn::of_numbers("x", rows.map(place).collect::<Vec<f64>>())
            }
        }
    }

    fn table(
        &self,
        rows: impl Iterator<Item = usize> + Clone,
        columns: &[(&str, Vec<f64>)],
    ) -> Result<Arc<DataTable>, ToolError> {
        let cells = columns
            .iter()
            .map(|(name, cells)| PlotColumn::of_numbers(name, cells.clone()));
        shared_table(std::iter::once(self.places(rows)).chain(cells).collect())
    }

    /// The whole extent of x, the same in each panel.
    fn extent(&self) -> Option<[f64; 2]> {
        let last = self.observed.len() + self.forecast.len() - 1;
        let column = self.places([0, last].into_iter());
        let (ColumnCells::Numbers(ends) | ColumnCells::Times(ends)) = &column.cells else {
            return None;
        };
        let (first, last) = (*ends.first()?, *ends.last()?);
        let room = 0.01 * (last - first);
        (last > first).then_some([first - room, last + room])
    }

    fn x_title(&self) -> &'a str {
        let named = self.source.x_label.or(self.source.x);
        let titled = if self.times.is_some() { "" } else { "place" };
        named.unwrap_or(titled)
    }

    fn layer_of(&self, mark: MarkKind, data: &Arc<DataTable>, y_title: &str) -> PlotLayer {
        let x = AxisField {
            field: "x",
            title: self.x_title(),
        };
        let y = AxisField {
            field: "y",
            title: y_title,
        };
        let mut layer = layer(mark, data, x, y);
        if let Some(x) = &mut layer.channels.x {
            x.scale.domain = self.extent();
        }
        if let Some(y) = &mut layer.channels.y {
            y.scale.has_zero = Some(false);
        }
        layer
    }

    fn forecast_layers(&self) -> Result<Vec<PlotLayer>, ToolError> {
        let theme = self.source.theme;
        let title = self.source.y_label.unwrap_or(self.name());
        let rows = 0..self.observed.len();
        let observed = self.table(rows, &[("y", self.observed.clone())])?;
        let mut observed = self.layer_of(MarkKind::Line, &observed, title);
        observed.style.colour = Some(theme.category(0));
        observed.style.stroke_width = Some(1.8);
        let mut layers = vec![];
        for (level, opacity) in ["95", "80"].into_iter().zip(BAND_OPACITIES) {
            layers.extend(self.band_layer(level, opacity, title)?);
        }
        layers.extend(self.change_layer(title)?);
        layers.extend(self.fitted_layer(title)?);
        layers.push(observed);
        layers.extend(self.mean_layer(title)?);
        layers.extend(self.anomaly_layer(&self.observed, title)?);
        Ok(layers)
    }

    /// Forecasts one step ahead, where there are any.
    fn fitted_layer(&self, title: &str) -> Result<Option<PlotLayer>, ToolError> {
        if !self.fitted.iter().any(|value| value.is_finite()) {
            return Ok(None);
        }
        let rows = 0..self.fitted.len();
        let data = self.table(rows, &[("y", self.fitted.clone())])?;
        let mut line = self.layer_of(MarkKind::Line, &data, title);
        line.style.colour = Some(self.source.theme.category(1));
        line.style.stroke_width = Some(1.0);
        line.style.opacity = Some(0.75);
        Ok(Some(line))
    }

    /// Numbers of the forecast after the last value, at which all of them begin.
    fn forecast_column(&self, name: &str) -> Vec<f64> {
        let last = self.observed.last().copied();
        let steps = self.forecast.iter().map(|row| {
            let number = row.get(name).and_then(Value::as_f64);
            number.unwrap_or(f64::NAN)
        });
        last.into_iter().chain(steps).collect()
    }

    fn forecast_rows(&self) -> std::ops::RangeInclusive<usize> {
        let last = self.observed.len() - 1;
        last..=last + self.forecast.len()
    }

    fn band_layer(
        &self,
        level: &str,
        opacity: f64,
        title: &str,
    ) -> Result<Option<PlotLayer>, ToolError> {
        if self.forecast.is_empty() {
            return Ok(None);
        }
        let low = self.forecast_column(&format!("low_{level}"));
        let high = self.forecast_column(&format!("high_{level}"));
        let data = self.table(self.forecast_rows(), &[("y", low), ("high", high)])?;
        let mut band = self.layer_of(MarkKind::Band, &data, title);
        band.channels.y2 = channel("high", title);
        band.style.colour = Some(self.source.theme.category(1));
        band.style.opacity = Some(opacity);
        Ok(Some(band))
    }

    fn mean_layer(&self, title: &str) -> Result<Option<PlotLayer>, ToolError> {
        if self.forecast.is_empty() {
            return Ok(None);
        }
        let means = self.forecast_column("mean");
        let data = self.table(self.forecast_rows(), &[("y", means)])?;
        let mut line = self.layer_of(MarkKind::Line, &data, title);
        line.style.colour = Some(self.source.theme.category(1));
        line.style.stroke_width = Some(2.2);
        Ok(Some(line))
    }

    /// Rows of the columns that the points of a list name.
    fn marked_rows(&self, points: &[Value]) -> Vec<usize> {
        let places = points.iter().take(MARKS_MAX).filter_map(|point| {
            let at = point.get("at")?.as_f64()? as usize;
            let row = at.checked_sub(self.from)?;
            (row < self.observed.len()).then_some(row)
        });
        places.collect()
    }

    /// Where changes are: strokes across the panel.
    fn change_layer(&self, title: &str) -> Result<Option<PlotLayer>, ToolError> {
        let changes = self.source.result.get("changes");
        let points = changes.map(|changes| changes.items_at("points"));
        let rows = self.marked_rows(&points.unwrap_or_default());
        if rows.is_empty() {
            return Ok(None);
        }
        let data = self.table(rows.into_iter(), &[])?;
        let mut rule = self.layer_of(MarkKind::Rule, &data, title);
        rule.channels.y = None;
        rule.style.stroke_width = Some(1.0);
        rule.style.dashes = vec![4.0, 4.0];
        rule.style.opacity = Some(0.6);
        Ok(Some(rule))
    }

    /// Rings about anomalies.
    fn anomaly_layer(&self, values: &[f64], title: &str) -> Result<Option<PlotLayer>, ToolError> {
        let rows = self.marked_rows(&self.source.result.items_at("anomalies"));
        if rows.is_empty() {
            return Ok(None);
        }
        let y = rows.iter().map(|row| values[*row]).collect();
        let data = self.table(rows.into_iter(), &[("y", y)])?;
        let mut points = self.layer_of(MarkKind::Point, &data, title);
        points.style.size = Some(80.0);
        points.style.is_filled = Some(false);
        points.style.stroke_width = Some(1.8);
        points.style.colour = Some(self.source.theme.category(3));
        Ok(Some(points))
    }

    /// A part of the series about its neutral value: a line for the season, strokes for the remainder.
    fn part_layers(&self, name: &str, values: &[f64]) -> Result<Vec<PlotLayer>, ToolError> {
        let theme = self.source.theme;
        let neutral = if self.is_log { 1.0 } else { 0.0 };
        let title = match self.is_log {
            true => format!("{name}, factor"),
            false => name.to_owned(),
        };
        let rows = 0..values.len();
        let neutrals = vec![neutral; values.len()];
        let data = self.table(rows, &[("y", values.to_vec()), ("neutral", neutrals)])?;
        let is_remainder = name == "remainder";
        let mark = match is_remainder && values.len() <= 400 {
            true => MarkKind::Rule,
            false => MarkKind::Line,
        };
        let mut part = self.layer_of(mark, &data, &title);
        part.style.colour = Some(theme.category(0));
        part.style.stroke_width = Some(if is_remainder { 1.6 } else { 1.4 });
        if mark == MarkKind::Rule {
            part.channels.y2 = channel("neutral", &title);
        }
        let zero = shared_table(vec![PlotColumn::of_numbers("y", vec![neutral])])?;
        let mut rule = self.layer_of(MarkKind::Rule, &zero, &title);
        rule.channels.x = None;
        let mut layers = vec![part, rule];
        if is_remainder {
            layers.extend(self.anomaly_layer(values, &title)?);
        }
        Ok(layers)
    }
}

/// The model and how far it can be trusted.
fn evidence_words(source: &DrawnResult<'_>) -> String {
    let mut words: Vec<String> = Vec::new();
    words.extend(source.result.text("model").map(str::to_owned));
    let held = source.result.items_at("held_out");
    let share = |row: &Value| Some(100.0 * row.get("mape")?.as_f64()?);
    let model = source.result.text("model").unwrap_or_default();
    let least = |rows: &[Value]| {
        let errors = rows.iter().filter_map(share);
        errors.reduce(f64::min)
    };
    let own = held.iter().find(|row| row.text("model") == Some(model));
    let own = own.and_then(share).or_else(|| match held.as_slice() {
        [others @ .., _] => least(others),
        [] => None,
    });
    if let (Some(own), Some(naive)) = (own, held.last().and_then(share)) {
        let name = held.last().and_then(|row| row.text("model"));
        words.push(format!(
            "error on held-out values {} % ({} {} %)",
            short_number((own * 100.0).round() / 100.0),
            name.unwrap_or("naive"),
            short_number((naive * 100.0).round() / 100.0)
        ));
    }
    let mut marks = Vec::new();
    if !source.result.items_at("forecast").is_empty() {
        marks.push("bands 80 and 95 %");
    }
    let changes = source.result.get("changes");
    if changes.is_some_and(|changes| !changes.items_at("points").is_empty()) {
        marks.push("dashes changes");
    }
    if !source.result.items_at("anomalies").is_empty() {
        marks.push("rings anomalies");
    }
    if !marks.is_empty() {
        words.push(marks.join(", "));
    }
    words.join("  ·  ")
}
