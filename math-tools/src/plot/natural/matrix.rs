//! `correlation`: the matrix of coefficients as a heat map.

use std::sync::Arc;

use plots::{
    CategoryOrder, ChannelDefinition, DataTable, FieldKind, GradientPalette, LayerChannels,
    MarkKind, PlotColumn, PlotLayer, ScaleOptions,
};

use super::result::{DrawnResult, number_list};
use super::{NaturalPicture, NaturalSize, WHOLE, plot_of, shared_table};
use crate::prelude::*;

/// Most columns that are drawn; of more, the first ones.
const COLUMNS_MAX: usize = 40;

/// Most columns whose coefficients are written into the cells.
const WRITTEN_MAX: usize = 14;

pub(super) fn draw_correlation(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let names: Option<Vec<String>> = source
        .result
        .items_at("columns")
        .iter()
        .map(|name| name.as_str().map(str::to_owned))
        .collect();
    let rows = source.result.items_at("matrix");
    let rows: Option<Vec<Vec<f64>>> = rows.iter().map(number_list).collect();
    let (Some(names), Some(rows)) = (names, rows) else {
        return Err(source.missing("matrix", "rows of numbers, and `columns`"));
    };
    let is_square = rows.len() == names.len() && rows.iter().all(|row| row.len() == names.len());
    if !is_square || names.is_empty() {
        return Err(source.missing("matrix", "a row and a column for each of `columns`"));
    }
    let drawn = names.len().min(COLUMNS_MAX);
    let method = source.result.text("method").unwrap_or("pearson");
    let cells = coefficient_table(&names[..drawn], &rows)?;
    let mut layers = vec![coefficient_layer(
        MarkKind::Rect,
        &cells,
        &names[..drawn],
        method,
    )];
    if drawn <= WRITTEN_MAX {
        let mut texts = coefficient_layer(MarkKind::Text, &cells, &names[..drawn], method);
        texts.channels.text = Some(ChannelDefinition::of_field("words"));
        layers.push(texts);
    }
    let side = (drawn as u32 * if drawn <= WRITTEN_MAX { 62 } else { 22 }).max(200);
    let size = NaturalSize {
        width: (260 + side).max(560),
        height: 170 + side,
    };
    let mut picture = NaturalPicture::new(format!("Correlation ({method})"), size);
    let mut words: Vec<String> = Vec::new();
    words.extend(source.result.text("summary").map(str::to_owned));
    if drawn < names.len() {
        words.push(format!("the first {drawn} of {} columns", names.len()));
    }
    picture.subtitle = words.join("; ");
    picture.add(WHOLE, plot_of(layers));
    Ok(picture)
}

/// A row for each cell of the matrix; those without a value have no colour.
fn coefficient_table(names: &[String], rows: &[Vec<f64>]) -> Result<Arc<DataTable>, ToolError> {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    let (mut values, mut words) = (Vec::new(), Vec::new());
    for (row, name) in rows.iter().zip(names) {
        for (value, other) in row.iter().zip(names) {
            down.push(Some(name.as_str()));
            across.push(Some(other.as_str()));
            values.push(*value);
            words.push(match value.is_finite() {
                true => format!("{value:.2}").replace('-', "−"),
                false => "–".to_owned(),
            });
        }
    }
    shared_table(vec![
        PlotColumn::of_texts("x", across.into_iter()),
        PlotColumn::of_texts("y", down.into_iter()),
        PlotColumn::of_numbers("coefficient", values),
        PlotColumn::of_texts("words", words.iter().map(|one| Some(one.as_str()))),
    ])
}

fn coefficient_layer(
    mark: MarkKind,
    cells: &Arc<DataTable>,
    names: &[String],
    method: &str,
) -> PlotLayer {
    let category = |field: &str| ChannelDefinition {
        title: Some(String::new()),
        kind: Some(FieldKind::Category),
        order: CategoryOrder::Given(names.to_vec()),
        ..ChannelDefinition::of_field(field)
    };
    let is_signed = method != "distance";
    let color = ChannelDefinition {
        title: Some("coefficient".to_owned()),
        scale: ScaleOptions {
            domain: Some(if is_signed { [-1.0, 1.0] } else { [0.0, 1.0] }),
            palette: match is_signed {
                true => GradientPalette::BlueRed,
                false => GradientPalette::Viridis,
            },
            ..ScaleOptions::default()
        },
        ..ChannelDefinition::of_field("coefficient")
    };
    let channels = LayerChannels {
        x: Some(category("x")),
        y: Some(category("y")),
        color: (mark == MarkKind::Rect).then_some(color),
        ..LayerChannels::default()
    };
    PlotLayer {
        data: Some(Arc::clone(cells)),
        ..PlotLayer::of_mark(mark, channels)
    }
}
