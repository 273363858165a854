//! `pca`, `kmeans`, `dbscan`, `hierarchical_clustering` and `outliers`: rows as points, trees and components.

mod clusters;
mod components;
mod dendrogram;
mod outliers;
mod plane;
#[cfg(test)]
mod tests;

use plots::{
    ChannelDefinition, DataTable, MarkKind, PlotColour, PlotColumn, PlotLayer, PlotTheme,
    ScaleOptions,
};
use std::sync::Arc;

pub(super) use clusters::{draw_dbscan, draw_kmeans};
pub(super) use components::draw_pca;
pub(super) use dendrogram::draw_hierarchical_clustering;
pub(super) use outliers::draw_outliers;

use super::{AxisField, channel, layer, shared_table};
use crate::prelude::*;

/// What belongs to no cluster.
const GREY: PlotColour = PlotColour {
    channels: [150, 150, 150],
    alpha: 255,
};

/// The colour of a cluster.
fn cluster_colour(theme: PlotTheme, cluster: usize) -> PlotColour {
    theme.category(cluster)
}

fn cluster_name(cluster: usize) -> String {
    format!("cluster {cluster}")
}

/// Points whose colours are those of their clusters, with a legend.
fn cluster_points(
    x: &[f64],
    y: &[f64],
    clusters: &[usize],
    axes: [AxisField<'_>; 2],
    theme: PlotTheme,
) -> Result<PlotLayer, ToolError> {
    let names: Vec<String> = clusters.iter().copied().map(cluster_name).collect();
    let data = shared_table(vec![
        PlotColumn::of_numbers("x", x.to_vec()),
        PlotColumn::of_numbers("y", y.to_vec()),
        PlotColumn::of_texts("cluster", names.iter().map(|name| Some(name.as_str()))),
    ])?;
    let mut points = layer(MarkKind::Point, &data, axes[0], axes[1]);
    let count = clusters.iter().max().map_or(0, |most| most + 1);
    points.channels.color = Some(ChannelDefinition {
        title: Some(String::new()),
        scale: ScaleOptions {
            colours: (0..count).map(|one| cluster_colour(theme, one)).collect(),
            levels: (0..count).map(cluster_name).collect(),
            ..ScaleOptions::default()
        },
        ..ChannelDefinition::of_field("cluster")
    });
    points.style.size = Some(point_size(x.len()));
    points.style.opacity = Some(0.8);
    Ok(points)
}

/// Smaller points where there are many.
fn point_size(count: usize) -> f64 {
    match count {
        0..=300 => 34.0,
        301..=3000 => 16.0,
        _ => 5.0,
    }
}

/// Straight strokes between two places each.
fn strokes(
    data: &Arc<DataTable>,
    axes: [AxisField<'_>; 2],
    colour: PlotColour,
    width: f64,
) -> PlotLayer {
    let mut rule = layer(MarkKind::Rule, data, axes[0], axes[1]);
    rule.channels.x2 = channel("x2", axes[0].title);
    rule.channels.y2 = channel("y2", axes[1].title);
    rule.style.colour = Some(colour);
    rule.style.stroke_width = Some(width);
    rule
}

/// An axis of a column `x` or `y` of a layer.
fn axis<'a>(field: &'a str, title: &'a str) -> AxisField<'a> {
    AxisField { field, title }
}

/// Ranks from 1.
fn ranks(count: usize) -> Vec<f64> {
    (1..=count).map(|rank| rank as f64).collect()
}

/// `n = 150, 3 rows left out`.
fn row_words(source: &super::result::DrawnResult<'_>) -> String {
    let number = |name: &str| source.result.get(name).and_then(Value::as_i64).unwrap_or(0);
    match number("missing") {
        0 => format!("n = {}", number("n")),
        missing => format!("n = {}, {missing} rows left out", number("n")),
    }
}
