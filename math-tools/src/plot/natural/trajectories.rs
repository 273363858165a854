//! `solve_ode`: the components over time, and the first two over each other.

use std::sync::Arc;

use plots::{
    CategoryOrder, ChannelDefinition, DataTable, MarkKind, PartPlace, PlotColumn, PlotLayer,
};

use super::result::{DrawnResult, NumberRows};
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, shared_table, table_of,
};
use crate::prelude::*;

/// Most components with a line of their own; of more, the first ones.
const COMPONENTS_MAX: usize = 12;

pub(super) fn draw_solve_ode(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let t = source.numbers("t")?;
    let rows = source.result.get("y").and_then(NumberRows::of_value);
    let rows = rows.filter(|rows| rows.len() == t.len() && !t.is_empty());
    let rows = rows.ok_or_else(|| source.missing("y", "one row of numbers per time"))?;
    let names = component_names(source, rows.width);
    let drawn = rows.width.min(COMPONENTS_MAX);
    let time = source.x_label.unwrap_or("t");
    let series = plot_of(vec![series_layer(
        source,
        &t,
        &rows,
        &names[..drawn],
        time,
    )?]);
    let has_phases = rows.width > 1;
    let size = NaturalSize {
        width: if has_phases { 960 } else { 720 },
        height: 420,
    };
    let mut picture = NaturalPicture::new("Solution", size);
    let completed = source.result.get("completed").and_then(Value::as_bool);
    let mut words = vec![format!("{} components, {} times", rows.width, t.len())];
    if rows.width == 1 {
        words[0] = format!("{} times", t.len());
    }
    if drawn < rows.width {
        words.push(format!("the first {drawn} are drawn"));
    }
    if let (Some(false), Some(reason)) = (completed, source.result.text("reason")) {
        words.push(format!("ended early: {reason}"));
    }
    picture.subtitle = words.join("; ");
    if !has_phases {
        picture.add(WHOLE, series);
        return Ok(picture);
    }
    let left = PartPlace {
        width: 0.58,
        ..WHOLE
    };
    let right = PartPlace {
        left: 0.58,
        width: 0.42,
        ..WHOLE
    };
    picture.add(left, series);
    picture.add(right, plot_of(phase_layers(&rows, &names)?));
    Ok(picture)
}

/// `y0`, `y1`, ... and of a system of second order `v0`, `v1`, ... for the velocities.
fn component_names(source: &DrawnResult<'_>, width: usize) -> Vec<String> {
    let is_second_order = source.argument("v0").is_some() && width.is_multiple_of(2);
    let positions = if is_second_order { width / 2 } else { width };
    let name = |index: usize| match index.checked_sub(positions) {
        None => format!("y{index}"),
        Some(velocity) => format!("v{velocity}"),
    };
    match width {
        1 => vec!["y".to_owned()],
        _ => (0..width).map(name).collect(),
    }
}

fn series_layer(
    source: &DrawnResult<'_>,
    t: &[f64],
    rows: &NumberRows,
    names: &[String],
    time: &str,
) -> Result<PlotLayer, ToolError> {
    let values: Vec<f64> = (0..names.len())
        .flat_map(|index| rows.column(index))
        .collect();
    let labels = names
        .iter()
        .flat_map(|name| std::iter::repeat_n(Some(name.as_str()), t.len()));
    let data = shared_table(vec![
        PlotColumn::of_numbers("t", t.repeat(names.len())),
        PlotColumn::of_numbers("y", values),
        PlotColumn::of_texts("component", labels),
    ])?;
    let only = if names.len() == 1 { &names[0] } else { "" };
    let (x, y) = (
        AxisField {
            field: "t",
            title: time,
        },
        AxisField {
            field: "y",
            title: source.y_label.unwrap_or(only),
        },
    );
    let mut lines = layer(MarkKind::Line, &data, x, y);
    // Where a state jumps there are two rows of one time, in their order.
    lines.style.keeps_order = true;
    if names.len() > 1 {
        lines.channels.color = Some(ChannelDefinition {
            title: Some(String::new()),
            order: CategoryOrder::AsInData,
            ..ChannelDefinition::of_field("component")
        });
    }
    Ok(lines)
}

/// The second component over the first, with its start and its end.
fn phase_layers(rows: &NumberRows, names: &[String]) -> Result<Vec<PlotLayer>, ToolError> {
    let (first, second) = (rows.column(0), rows.column(1));
    let last = first.len() - 1;
    let x = AxisField {
        field: "x",
        title: &names[0],
    };
    let y = AxisField {
        field: "y",
        title: &names[1],
    };
    let path = table_of(&[("x", &first), ("y", &second)])?;
    let mut line = layer(MarkKind::Line, &path, x, y);
    line.style.keeps_order = true;
    let ends: Arc<DataTable> = shared_table(vec![
        PlotColumn::of_numbers("x", vec![first[0], first[last]]),
        PlotColumn::of_numbers("y", vec![second[0], second[last]]),
        PlotColumn::of_texts("name", [Some("start"), Some("end")].into_iter()),
    ])?;
    let mut points = layer(MarkKind::Point, &ends, x, y);
    points.style.size = Some(60.0);
    let mut texts = layer(MarkKind::Text, &ends, x, y);
    texts.channels.text = channel("name", "");
    texts.style.shift = (0.0, -12.0);
    Ok(vec![line, points, texts])
}
