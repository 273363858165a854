//! `pca`: rows and columns over the first two components, and the shares of all.

use plots::{ChannelDefinition, MarkKind, PartPlace, PlotColumn, PlotLayer};

use super::super::result::{DrawnResult, NumberRows};
use super::super::{
    NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, shared_table, table_of,
};
use super::plane::record_numbers;
use super::{axis, point_size, ranks, row_words, strokes};
use crate::prelude::*;

/// Most columns whose arrows are drawn: those with the largest coefficients.
const ARROWS_MAX: usize = 12;
/// Most components of the scree plot.
const SCREE_MAX: usize = 20;

/// A column as an arrow.
struct ColumnArrow {
    name: String,
    x: f64,
    y: f64,
}

pub(in crate::plot::natural) fn draw_pca(
    source: &DrawnResult<'_>,
) -> Result<NaturalPicture, ToolError> {
    let components = source.result.items_at("components");
    let member = |name: &str| -> Vec<f64> {
        let numbers = components.iter().filter_map(|one| one.get(name)?.as_f64());
        numbers.collect()
    };
    let shares = member("share");
    if shares.is_empty() {
        return Err(source.missing("components", "components with shares"));
    }
    let size = NaturalSize {
        width: 1080,
        height: 560,
    };
    let mut picture = NaturalPicture::new("Principal components", size);
    let matrix = match source.result.get("standardised") {
        Some(Value::Bool(true)) => "of standardised columns",
        _ => "of columns as they are",
    };
    picture.subtitle = format!("{}, {matrix}", row_words(source));
    let scree = plot_of(scree_layers(source, &shares)?);
    let Some(biplot) = biplot_layers(source, &shares)? else {
        picture.size.width = 620;
        picture.add(WHOLE, scree);
        return Ok(picture);
    };
    let left = PartPlace {
        width: 0.62,
        ..WHOLE
    };
    let right = PartPlace {
        left: 0.62,
        width: 0.38,
        ..WHOLE
    };
    picture.add(left, plot_of(biplot));
    picture.add(right, scree);
    Ok(picture)
}

/// Rows as points, columns as arrows; `None` where only one component is kept.
fn biplot_layers(
    source: &DrawnResult<'_>,
    shares: &[f64],
) -> Result<Option<Vec<PlotLayer>>, ToolError> {
    let mut arrows = column_arrows(source);
    if arrows.is_empty() {
        return Ok(None);
    }
    let scores = source.result.get("scores").and_then(NumberRows::of_value);
    let scores = scores.filter(|scores| scores.width >= 2 && scores.len() > 0);
    let title =
        |component: usize| format!("PC{} ({:.1} %)", component + 1, 100.0 * shares[component]);
    let (first, second) = (title(0), title(1));
    let axes = [axis("x", &first), axis("y", &second)];
    let mut layers = Vec::new();
    let longest = arrows
        .iter()
        .fold(0.0, |most: f64, one| most.max(one.x.hypot(one.y)));
    // Arrows reach most of the way to the farthest row.
    let mut factor = 1.0;
    if let Some(scores) = &scores {
        let (x, y) = (scores.column(0), scores.column(1));
        let far = |values: &[f64]| values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        factor = match longest > 0.0 {
            true => 0.8 * far(&x).max(far(&y)) / longest,
            false => 1.0,
        };
        let data = table_of(&[("x", &x), ("y", &y)])?;
        let mut points = layer(MarkKind::Point, &data, axes[0], axes[1]);
        points.style.colour = Some(source.theme.category(0));
        points.style.opacity = Some(0.55);
        points.style.size = Some(point_size(x.len()));
        layers.push(points);
    }
    for arrow in &mut arrows {
        (arrow.x, arrow.y) = (arrow.x * factor, arrow.y * factor);
    }
    layers.extend(arrow_layers(source, &arrows, axes)?);
    Ok(Some(layers))
}

fn column_arrows(source: &DrawnResult<'_>) -> Vec<ColumnArrow> {
    let loadings = source.result.items_at("loadings");
    let coefficients = record_numbers(&loadings, "coefficients");
    let pairs = loadings.iter().zip(coefficients);
    let arrow = |(record, numbers): (&Value, Vec<f64>)| {
        Some(ColumnArrow {
            name: record.text("column")?.to_owned(),
            x: *numbers.first()?,
            y: *numbers.get(1)?,
        })
    };
    let mut arrows: Vec<ColumnArrow> = pairs.filter_map(arrow).collect();
    arrows.sort_by(|a, b| b.x.hypot(b.y).total_cmp(&a.x.hypot(a.y)));
    arrows.truncate(ARROWS_MAX);
    arrows
}

/// Strokes from the middle with heads, and names beyond them.
fn arrow_layers(
    source: &DrawnResult<'_>,
    arrows: &[ColumnArrow],
    axes: [super::AxisField<'_>; 2],
) -> Result<Vec<PlotLayer>, ToolError> {
    let colour = source.theme.category(1);
    let ends = |get: fn(&ColumnArrow) -> f64| -> Vec<f64> { arrows.iter().map(get).collect() };
    let (x, y) = (ends(|one| one.x), ends(|one| one.y));
    let zeros = vec![0.0; arrows.len()];
    let data = table_of(&[("x", &zeros), ("y", &zeros), ("x2", &x), ("y2", &y)])?;
    let mut layers = vec![strokes(&data, axes, colour, 1.8)];
    let heads = table_of(&[("x", &x), ("y", &y)])?;
    let mut heads = layer(MarkKind::Point, &heads, axes[0], axes[1]);
    heads.style.colour = Some(colour);
    heads.style.size = Some(22.0);
    layers.push(heads);
    for (is_above, shift) in [(true, -11.0), (false, 13.0)] {
        let side: Vec<&ColumnArrow> = arrows
            .iter()
            .filter(|one| (one.y >= 0.0) == is_above)
            .collect();
        if side.is_empty() {
            continue;
        }
        let data = shared_table(vec![
            PlotColumn::of_numbers("x", side.iter().map(|one| one.x).collect::<Vec<f64>>()),
            PlotColumn::of_numbers("y", side.iter().map(|one| one.y).collect::<Vec<f64>>()),
            PlotColumn::of_texts("name", side.iter().map(|one| Some(one.name.as_str()))),
        ])?;
        let mut names = layer(MarkKind::Text, &data, axes[0], axes[1]);
        names.channels.text = Some(ChannelDefinition::of_field("name"));
        names.style.shift = (0.0, shift);
        names.style.size = Some(12.0);
        layers.push(names);
    }
    Ok(layers)
}

/// Shares as bars, their sums as a line, and what chance would give as dashes.
fn scree_layers(source: &DrawnResult<'_>, shares: &[f64]) -> Result<Vec<PlotLayer>, ToolError> {
    let count = shares.len().min(SCREE_MAX);
    let places = ranks(count);
    let shift = |by: f64| -> Vec<f64> { places.iter().map(|place| place + by).collect() };
    let percent: Vec<f64> = shares[..count].iter().map(|share| 100.0 * share).collect();
    let data = table_of(&[
        ("x", &shift(-0.35)),
        ("x2", &shift(0.35)),
        ("y", &percent),
        ("y2", &vec![0.0; count]),
    ])?;
    let (x, y) = (
        axis("x", "component"),
        axis("y", "share of the variance, %"),
    );
    let mut bars = layer(MarkKind::Rect, &data, x, y);
    if let Some(across) = &mut bars.channels.x {
        across.scale.domain = Some([0.4, count as f64 + 0.6]);
    }
    bars.channels.x2 = channel("x2", x.title);
    bars.channels.y2 = channel("y2", y.title);
    bars.style.colour = Some(source.theme.category(0));
    bars.style.opacity = Some(0.8);
    let mut sum = 0.0;
    let sums: Vec<f64> = percent
        .iter()
        .map(|share| {
            sum += share;
            f64::min(sum, 100.0)
        })
        .collect();
    let sums = table_of(&[("x", &places), ("y", &sums)])?;
    let mut line = layer(MarkKind::Line, &sums, x, y);
    line.style.colour = Some(source.theme.category(2));
    line.style.has_points = true;
    let mut layers = vec![bars, line];
    layers.extend(chance_layer(source, shares, count)?);
    Ok(layers)
}

fn chance_layer(
    source: &DrawnResult<'_>,
    shares: &[f64],
    count: usize,
) -> Result<Option<PlotLayer>, ToolError> {
    let components = source.result.items_at("components");
    let number = |place: usize, name: &str| components.get(place)?.get(name)?.as_f64();
    let Some(variance) = number(0, "variance").filter(|variance| *variance > 0.0) else {
        return Ok(None);
    };
    let limits: Option<Vec<f64>> = (0..count)
        .map(|place| Some(100.0 * shares[0] * (number(place, "chance")? / variance)))
        .collect();
    let Some(limits) = limits else {
        return Ok(None);
    };
    let data = table_of(&[("x", &ranks(count)), ("y", &limits)])?;
    let mut line = layer(MarkKind::Line, &data, axis("x", ""), axis("y", ""));
    line.style.colour = Some(source.theme.category(1));
    line.style.dashes = vec![5.0, 4.0];
    Ok(Some(line))
}
