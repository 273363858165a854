//! `kmeans` and `dbscan`: rows coloured by their clusters.

use plots::{MarkKind, PartPlace, PlotLayer, PointShape};

use super::super::result::DrawnResult;
use super::super::{NaturalPicture, NaturalSize, WHOLE, layer, plot_of, short_number, table_of};
use super::plane::{RowPlane, places_of};
use super::{GREY, axis, cluster_points, point_size, ranks, row_words};
use crate::prelude::*;

const SIZE: NaturalSize = NaturalSize {
    width: 760,
    height: 520,
};

fn number_words(source: &DrawnResult<'_>, name: &str) -> Option<String> {
    let value = source.result.get(name)?.as_f64()?;
    Some(short_number(value))
}

/// The rows by cluster, and the means as crosses.
pub(in crate::plot::natural) fn draw_kmeans(
    source: &DrawnResult<'_>,
) -> Result<NaturalPicture, ToolError> {
    let labels = places_of(source, "labels")?;
    let plane = RowPlane::of_result(source)?;
    if labels.len() != plane.x.len() {
        return Err(source.missing("labels", "a cluster for each row"));
    }
    let axes = [axis("x", &plane.titles[0]), axis("y", &plane.titles[1])];
    let points = cluster_points(&plane.x, &plane.y, &labels, axes, source.theme)?;
    // The mean of the places is the place of the mean: components are linear.
    let count = labels.iter().max().map_or(0, |most| most + 1);
    let mean = |values: &[f64], cluster: usize| {
        let rows = labels.iter().zip(values);
        let own: Vec<f64> = rows
            .filter(|(label, _)| **label == cluster)
            .map(|(_, value)| *value)
            .collect();
        own.iter().sum::<f64>() / own.len().max(1) as f64
    };
    let means = |values: &[f64]| -> Vec<f64> { (0..count).map(|one| mean(values, one)).collect() };
    let data = table_of(&[("x", &means(&plane.x)), ("y", &means(&plane.y))])?;
    let mut centres = layer(MarkKind::Point, &data, axes[0], axes[1]);
    centres.style.shape = Some(PointShape::Cross);
    centres.style.size = Some(150.0);
    centres.style.colour = Some(source.theme.category(6));
    let title = format!("k-means: {count} clusters");
    let mut picture = NaturalPicture::new(title, SIZE);
    let mut words = vec![row_words(source)];
    words.extend(number_words(source, "silhouette").map(|one| format!("mean silhouette {one}")));
    words.extend(
        number_words(source, "between_share").map(|one| format!("share between clusters {one}")),
    );
    picture.subtitle = words.join(", ") + "; crosses are the means";
    picture.add(WHOLE, plot_of(vec![points, centres]));
    Ok(picture)
}

/// The rows by cluster, noise grey, and the curve whose knee is the radius.
pub(in crate::plot::natural) fn draw_dbscan(
    source: &DrawnResult<'_>,
) -> Result<NaturalPicture, ToolError> {
    let labels = source.numbers("labels")?;
    let plane = RowPlane::of_result(source)?;
    if labels.len() != plane.x.len() {
        return Err(source.missing("labels", "a cluster for each row"));
    }
    let axes = [axis("x", &plane.titles[0]), axis("y", &plane.titles[1])];
    let pick = |is_noise: bool, values: &[f64]| -> Vec<f64> {
        let pairs = labels.iter().zip(values);
        pairs
            .filter(|(label, _)| (**label < 0.0) == is_noise)
            .map(|(_, value)| *value)
            .collect()
    };
    let mut layers: Vec<PlotLayer> = Vec::new();
    let noise = pick(true, &plane.x);
    if !noise.is_empty() {
        let data = table_of(&[("x", &noise), ("y", &pick(true, &plane.y))])?;
        let mut points = layer(MarkKind::Point, &data, axes[0], axes[1]);
        points.style.colour = Some(GREY);
        points.style.opacity = Some(0.7);
        points.style.shape = Some(PointShape::Cross);
        points.style.size = Some(point_size(plane.x.len()));
        layers.push(points);
    }
    let (x, y) = (pick(false, &plane.x), pick(false, &plane.y));
    if !x.is_empty() {
        let clusters: Vec<usize> = labels
            .iter()
            .filter(|label| **label >= 0.0)
            .map(|label| *label as usize)
            .collect();
        layers.push(cluster_points(&x, &y, &clusters, axes, source.theme)?);
    }
    let curve = source.numbers("curve").unwrap_or_default();
    let eps = source.number("eps")?;
    let count = source.number("k")? as usize;
    let mut picture = NaturalPicture::new(format!("DBSCAN: {count} clusters"), SIZE);
    picture.subtitle = format!(
        "{}, {} noise (grey crosses); eps {}, min points {}",
        row_words(source),
        noise.len(),
        short_number(eps),
        number_words(source, "min_points").unwrap_or_default()
    );
    if curve.len() < 3 {
        picture.add(WHOLE, plot_of(layers));
        return Ok(picture);
    }
    picture.size.width = 1040;
    let left = PartPlace {
        width: 0.64,
        ..WHOLE
    };
    let right = PartPlace {
        left: 0.64,
        width: 0.36,
        ..WHOLE
    };
    picture.add(left, plot_of(layers));
    picture.add(right, plot_of(knee_layers(source, &curve, eps)?));
    Ok(picture)
}

fn knee_layers(
    source: &DrawnResult<'_>,
    curve: &[f64],
    eps: f64,
) -> Result<Vec<PlotLayer>, ToolError> {
    let (x, y) = (
        axis("x", "place, ascending"),
        axis("y", "distance to the neighbour"),
    );
    let data = table_of(&[("x", &ranks(curve.len())), ("y", curve)])?;
    let line = layer(MarkKind::Line, &data, x, y);
    let data = table_of(&[("y", &[eps])])?;
    let mut rule = layer(MarkKind::Rule, &data, x, y);
    rule.channels.x = None;
    rule.style.dashes = vec![5.0, 4.0];
    rule.style.colour = Some(source.theme.category(1));
    Ok(vec![line, rule])
}
