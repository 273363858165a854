//! `histogram`: counts as bars between the edges of their bins.

use plots::{MarkKind, PlotLayer};

use super::result::DrawnResult;
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, short_number, table_of,
};
use crate::prelude::*;

pub(super) fn draw_histogram(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let edges = source.numbers("bin_edges")?;
    let counts = source.numbers("counts")?;
    if counts.is_empty() || edges.len() != counts.len() + 1 {
        return Err(source.missing("bin_edges", "one edge more than counts"));
    }
    let data = table_of(&[
        ("low", &edges[..counts.len()]),
        ("high", &edges[1..]),
        ("count", &counts),
        ("zero", &vec![0.0; counts.len()]),
    ])?;
    let x = AxisField {
        field: "low",
        title: source.x_label.unwrap_or("value"),
    };
    let y = AxisField {
        field: "count",
        title: source.y_label.unwrap_or("count"),
    };
    let mut bars: PlotLayer = layer(MarkKind::Rect, &data, x, y);
    bars.channels.x2 = channel("high", x.title);
    bars.channels.y2 = channel("zero", y.title);
    bars.style.opacity = Some(0.8);
    let total: f64 = counts.iter().sum();
    let size = NaturalSize {
        width: 720,
        height: 450,
    };
    let mut picture = NaturalPicture::new("Histogram", size);
    picture.subtitle = format!(
        "{} values in {} bins from {} to {}",
        short_number(total),
        counts.len(),
        short_number(edges[0]),
        short_number(edges[counts.len()])
    );
    picture.add(WHOLE, plot_of(vec![bars]));
    Ok(picture)
}
