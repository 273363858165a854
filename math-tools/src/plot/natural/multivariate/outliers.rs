//! `outliers`: robust distances against local outlier factors, with the limits of both and the numbers of the rows most methods name.

use plots::{ChannelDefinition, MarkKind, PlotColumn, PlotLayer};

use super::super::result::DrawnResult;
use super::super::{
    NaturalPicture, NaturalSize, WHOLE, layer, plot_of, shared_table, short_number, table_of,
};
use super::plane::places_of;
use super::{AxisField, axis, point_size, ranks, row_words};
use crate::prelude::*;

/// Rows that are named.
const NAMED_ROWS: usize = 12;

/// The numbers of an axis, with the limit beyond which a row is an outlier.
struct ScoredAxis {
    values: Vec<f64>,
    title: &'static str,
    limit: Option<f64>,
}

impl ScoredAxis {
    /// A member of the result with the limit of its method; `None` where the method gave no numbers.
    fn of_method(
        source: &DrawnResult<'_>,
        member: &str,
        method: &str,
        title: &'static str,
    ) -> Option<Self> {
        let values = source
            .numbers(member)
            .ok()
            .filter(|list| !list.is_empty())?;
        let methods = source.result.items_at("methods");
        let found = methods
            .iter()
            .find(|one| one.text("method") == Some(method));
        Some(Self {
            values,
            title,
            limit: found.and_then(|one| one.get("high")?.as_f64()),
        })
    }
}

pub(in crate::plot::natural) fn draw_outliers(
    source: &DrawnResult<'_>,
) -> Result<NaturalPicture, ToolError> {
    let rows = places_of(source, "rows")?;
    let distances = ScoredAxis::of_method(
        source,
        "distances",
        "robust distance",
        "robust Mahalanobis distance",
    );
    let factors = ScoredAxis::of_method(
        source,
        "factors",
        "local outlier factor",
        "local outlier factor",
    );
    let order = |_: ()| ScoredAxis {
        values: ranks(rows.len()),
        title: "row, in order",
        limit: None,
    };
    let (across, up) = match (distances, factors) {
        (Some(distances), Some(factors)) => (distances, factors),
        (Some(one), None) | (None, Some(one)) => (order(()), one),
        (None, None) => {
            refuse!(invalid "/result/factors", "missing"; "the result has neither distances nor factors to draw"; "draw the columns themselves with `mark` boxplot")
        }
    };
    if across.values.len() != rows.len() || up.values.len() != rows.len() {
        return Err(source.missing("rows", "a row for each distance and factor"));
    }
    let found: Vec<usize> = source
        .result
        .items_at("outliers")
        .iter()
        .filter_map(|one| one.get("row")?.as_i64())
        .filter_map(|row| usize::try_from(row).ok())
        .collect();
    let axes = [axis("x", across.title), axis("y", up.title)];
    let marked: Vec<bool> = rows.iter().map(|row| found.contains(row)).collect();
    let pick = |values: &[f64], is_marked: bool| -> Vec<f64> {
        let pairs = values.iter().zip(&marked);
        pairs
            .filter(|(_, marked)| **marked == is_marked)
            .map(|(value, _)| *value)
            .collect()
    };
    let mut layers = Vec::new();
    for is_marked in [false, true] {
        let (x, y) = (pick(&across.values, is_marked), pick(&up.values, is_marked));
        if !x.is_empty() {
            let data = table_of(&[("x", &x), ("y", &y)])?;
            let mut points = layer(MarkKind::Point, &data, axes[0], axes[1]);
            points.style.colour = Some(source.theme.category(usize::from(is_marked)));
            points.style.opacity = Some(0.75);
            points.style.size = Some(point_size(rows.len()));
            layers.push(points);
        }
    }
    layers.extend(limit_layers([&across, &up], axes)?);
    layers.extend(name_layer(&rows, &found, [&across, &up], axes)?);
    let size = NaturalSize {
        width: 760,
        height: 520,
    };
    let mut picture = NaturalPicture::new("Outliers", size);
    picture.subtitle = format!(
        "{}, {} rows by at least one method; dashes are the limits",
        row_words(source),
        short_number(found.len() as f64)
    );
    picture.add(WHOLE, plot_of(layers));
    Ok(picture)
}

fn limit_layers(
    scored: [&ScoredAxis; 2],
    axes: [AxisField<'_>; 2],
) -> Result<Vec<PlotLayer>, ToolError> {
    let mut layers = Vec::new();
    for (place, one) in scored.into_iter().enumerate() {
        let Some(limit) = one.limit else {
            continue;
        };
        let data = table_of(&[(axes[place].field, &[limit])])?;
        let mut rule = layer(MarkKind::Rule, &data, axes[0], axes[1]);
        match place {
            0 => rule.channels.y = None,
            _ => rule.channels.x = None,
        }
        rule.style.dashes = vec![5.0, 4.0];
        layers.push(rule);
    }
    Ok(layers)
}

/// The rows that most methods name.
fn name_layer(
    rows: &[usize],
    found: &[usize],
    [across, up]: [&ScoredAxis; 2],
    axes: [AxisField<'_>; 2],
) -> Result<Option<PlotLayer>, ToolError> {
    let places: Vec<usize> = found
        .iter()
        .take(NAMED_ROWS)
        .filter_map(|row| rows.iter().position(|one| one == row))
        .collect();
    if places.is_empty() {
        return Ok(None);
    }
    let pick = |values: &[f64]| -> Vec<f64> { places.iter().map(|place| values[*place]).collect() };
    let names: Vec<String> = places
        .iter()
        .map(|place| rows[*place].to_string())
        .collect();
    let data = shared_table(vec![
        PlotColumn::of_numbers("x", pick(&across.values)),
        PlotColumn::of_numbers("y", pick(&up.values)),
        PlotColumn::of_texts("name", names.iter().map(|name| Some(name.as_str()))),
    ])?;
    let mut texts = layer(MarkKind::Text, &data, axes[0], axes[1]);
    texts.channels.text = Some(ChannelDefinition::of_field("name"));
    texts.style.shift = (0.0, -10.0);
    texts.style.size = Some(11.0);
    Ok(Some(texts))
}
