//! The channels of one layer as columns, with rows put together where the specification says so.

use std::collections::HashMap;

use super::columns::{ChannelColumn, reordered, resolve_channel};
use super::statistics::{compensated_sum, mean_of, quantile_of, variance_of};
use crate::data::DataTable;
use crate::error::PlotError;
use crate::specification::{
    AggregateKind, BinRule, CategoryOrder, ChannelDefinition, ChannelSource, FieldKind,
    LayerChannels, MarkKind, PlotLayer, PlotSpecification,
};

/// The channels of a layer, each with a value for every row.
#[derive(Debug, Clone, Default)]
pub(crate) struct LayerColumns {
    pub(crate) rows: usize,
    pub(crate) x: Option<ChannelColumn>,
    pub(crate) y: Option<ChannelColumn>,
    pub(crate) x2: Option<ChannelColumn>,
    pub(crate) y2: Option<ChannelColumn>,
    pub(crate) x_error: Option<ChannelColumn>,
    pub(crate) y_error: Option<ChannelColumn>,
    pub(crate) color: Option<ChannelColumn>,
    pub(crate) size: Option<ChannelColumn>,
    pub(crate) shape: Option<ChannelColumn>,
    pub(crate) text: Option<ChannelColumn>,
    pub(crate) detail: Option<ChannelColumn>,
    /// The panel of each row, before panels are numbered: below each other, beside each other.
    pub(crate) panel_row: Option<ChannelColumn>,
    pub(crate) panel_column: Option<ChannelColumn>,
}

/// Names of the channels, in the order of [`LayerColumns::slots`].
const CHANNELS: [&str; 13] = [
    "x", "y", "x2", "y2", "xError", "yError", "color", "size", "shape", "text", "detail", "row",
    "column",
];

impl LayerColumns {
    fn slots(&mut self) -> [&mut Option<ChannelColumn>; 13] {
        [
            &mut self.x,
            &mut self.y,
            &mut self.x2,
            &mut self.y2,
            &mut self.x_error,
            &mut self.y_error,
            &mut self.color,
            &mut self.size,
            &mut self.shape,
            &mut self.text,
            &mut self.detail,
            &mut self.panel_row,
            &mut self.panel_column,
        ]
    }
}

/// The channels of a layer with what its mark implies.
fn implied_channels(layer: &PlotLayer) -> LayerChannels {
    let mut channels = layer.channels.clone();
    if layer.mark == MarkKind::Histogram {
        let counts = || Some(ChannelDefinition::of_source(ChannelSource::Rows));
        let bins = Some(BinRule {
            most: None,
            step: None,
        });
        match (&mut channels.x, &mut channels.y) {
            (Some(x), None) => {
                x.bin = x.bin.or(bins);
                channels.y = counts();
            }
            (None, Some(y)) => {
                y.bin = y.bin.or(bins);
                channels.x = counts();
            }
            (Some(x), Some(_)) => x.bin = x.bin.or(bins),
            (None, None) => {}
        }
    }
    for channel in [
        &mut channels.x,
        &mut channels.y,
        &mut channels.color,
        &mut channels.size,
        &mut channels.text,
    ]
    .into_iter()
    .flatten()
    {
        if channel.source == ChannelSource::Rows {
            channel.aggregate = Some(AggregateKind::Count);
        }
    }
    channels
}

/// Whether the statistics of a mark need all rows.
fn is_statistical(layer: &PlotLayer) -> bool {
    matches!(
        layer.mark,
        MarkKind::Box | MarkKind::Violin | MarkKind::Contour | MarkKind::ErrorBar | MarkKind::Band
    )
}

/// The columns of a layer.
pub(crate) fn resolve_layer(
    plot: &PlotSpecification,
    layer: &PlotLayer,
) -> Result<LayerColumns, PlotError> {
    let table: &DataTable = layer.data.as_deref().unwrap_or(&plot.data);
    let channels = implied_channels(layer);
    let wrap = plot.wrap.as_ref().map(|wrap| &wrap.channel);
    let definitions: [Option<&ChannelDefinition>; 13] = [
        channels.x.as_ref(),
        channels.y.as_ref(),
        channels.x2.as_ref(),
        channels.y2.as_ref(),
        channels.x_error.as_ref(),
        channels.y_error.as_ref(),
        channels.color.as_ref(),
        channels.size.as_ref(),
        channels.shape.as_ref(),
        channels.text.as_ref(),
        channels.detail.as_ref(),
        plot.row.as_ref(),
        plot.column.as_ref().or(wrap),
    ];
    let mut columns = LayerColumns {
        rows: table.rows().max(1),
        ..LayerColumns::default()
    };
    let has_fields = definitions[..11].iter().flatten().any(|channel| {
        matches!(
            channel.source,
            ChannelSource::Field(_) | ChannelSource::Rows
        )
    });
    if has_fields && table.rows() == 0 {
        return Err(PlotError::NothingToDraw {
            place: format!("{}/data", layer.place),
            fields: "the data, which are empty".to_owned(),
        });
    }
    // A layer without fields is drawn once, whatever the data.
    let empty = DataTable::default();
    let table = if has_fields { table } else { &empty };
    columns.rows = table.rows().max(1);
    let mut resolved: Vec<Option<ChannelColumn>> = Vec::with_capacity(13);
    for (name, definition) in CHANNELS.iter().zip(definitions) {
        let is_panel = matches!(*name, "row" | "column");
        let place = if is_panel {
            format!("/encoding/{name}")
        } else {
            format!("{}/encoding/{name}", layer.place)
        };
        let column = match definition {
            // A layer whose data lack the field of the panels is in each of them.
            Some(channel) if is_panel => {
                let channel = ChannelDefinition {
                    kind: Some(FieldKind::Category),
                    ..channel.clone()
                };
                let known = matches!(&channel.source, ChannelSource::Field(name) if table.columns().iter().any(|column| column.name == *name));
                if known || layer.data.is_none() && has_fields {
                    Some(resolve_channel(table, &channel, &place)?)
                } else {
                    None
                }
            }
            Some(channel) => Some(resolve_channel(table, channel, &place)?),
            None => None,
        };
        resolved.push(column);
    }
    for (slot, column) in columns.slots().into_iter().zip(resolved) {
        *slot = column;
    }
    if !is_statistical(layer) {
        columns = aggregate_rows(columns, &definitions);
    }
    order_by_value(&mut columns, &definitions);
    Ok(columns)
}

/// Puts the rows together that agree in all channels without an aggregate; rows with a missing value there are left out.
fn aggregate_rows(
    mut columns: LayerColumns,
    definitions: &[Option<&ChannelDefinition>; 13],
) -> LayerColumns {
    let is_aggregated =
        |index: usize| definitions[index].is_some_and(|channel| channel.aggregate.is_some());
    if !(0..13).any(is_aggregated) {
        return columns;
    }
    let rows = columns.rows;
    let mut groups: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut members: Vec<Vec<u32>> = Vec::new();
    {
        let slots = columns.slots();
        let keys: Vec<&ChannelColumn> = slots
            .iter()
            .enumerate()
            .filter(|(index, _)| !is_aggregated(*index))
            .filter_map(|(_, slot)| slot.as_ref())
            .collect();
        let mut key = Vec::with_capacity(keys.len());
        for row in 0..rows {
            key.clear();
            key.extend(
                keys.iter()
                    .map(|column| (column.values[row] + 0.0).to_bits()),
            );
            if keys.iter().any(|column| !column.values[row].is_finite()) {
                continue;
            }
            let group = match groups.get(&key) {
                Some(&group) => group,
                None => {
                    groups.insert(key.clone(), members.len());
                    members.push(Vec::new());
                    members.len() - 1
                }
            };
            members[group].push(row as u32);
        }
    }
    let firsts: Vec<u32> = members.iter().map(|rows| rows[0]).collect();
    for (index, slot) in columns.slots().into_iter().enumerate() {
        let Some(column) = slot.take() else {
            continue;
        };
        *slot = Some(
            match definitions[index].and_then(|channel| channel.aggregate) {
                None => column.of_rows(&firsts),
                Some(aggregate) => {
                    let counts_all = definitions[index]
                        .is_some_and(|channel| channel.source == ChannelSource::Rows);
                    let values = members.iter().map(|rows| {
                        let mut cells: Vec<f64> = rows
                            .iter()
                            .map(|&row| column.values[row as usize])
                            .filter(|value| value.is_finite())
                            .collect();
                        if counts_all {
                            rows.len() as f64
                        } else {
                            aggregate_values(&mut cells, aggregate)
                        }
                    });
                    let keeps_kind = matches!(
                        aggregate,
                        AggregateKind::Min
                            | AggregateKind::Max
                            | AggregateKind::Mean
                            | AggregateKind::Median
                    );
                    let kind = if keeps_kind && column.kind == FieldKind::Time {
                        FieldKind::Time
                    } else {
                        FieldKind::Quantity
                    };
                    ChannelColumn {
                        kind,
                        values: values.collect(),
                        levels: Vec::new().into(),
                        ..column
                    }
                }
            },
        );
    }
    columns.rows = members.len();
    columns
}

/// One value of several; NaN where none is known.
fn aggregate_values(cells: &mut [f64], aggregate: AggregateKind) -> f64 {
    let mut sorted = |share: f64| {
        cells.sort_by(f64::total_cmp);
        quantile_of(cells, share)
    };
    match aggregate {
        AggregateKind::Count => cells.len() as f64,
        AggregateKind::Sum => compensated_sum(cells.iter().copied()),
        AggregateKind::Mean => mean_of(cells),
        AggregateKind::Median => sorted(0.5),
        AggregateKind::Min => sorted(0.0),
        AggregateKind::Max => sorted(1.0),
        AggregateKind::Deviation => libm::sqrt(variance_of(cells)),
        AggregateKind::Variance => variance_of(cells),
        AggregateKind::LowerQuartile => sorted(0.25),
        AggregateKind::UpperQuartile => sorted(0.75),
        AggregateKind::Distinct => {
            cells.sort_by(f64::total_cmp);
            let changes = cells.windows(2).filter(|pair| pair[0] != pair[1]).count();
            (changes + usize::from(!cells.is_empty())) as f64
        }
    }
}

/// Orders the categories of one axis by the sums of the other.
fn order_by_value(columns: &mut LayerColumns, definitions: &[Option<&ChannelDefinition>; 13]) {
    for (own, other) in [(0, 1), (1, 0)] {
        let Some(CategoryOrder::ByValue { is_descending }) =
            definitions[own].map(|channel| &channel.order)
        else {
            continue;
        };
        let is_descending = *is_descending;
        let slots = columns.slots();
        let Some(values) = slots[other]
            .as_ref()
            .filter(|column| !column.is_category())
            .map(|column| column.values.clone())
        else {
            continue;
        };
        if !slots[own].as_ref().is_some_and(ChannelColumn::is_category) {
            continue;
        }
        let Some(column) = slots[own].take() else {
            continue;
        };
        let mut sums = vec![0.0; column.levels.len()];
        for (level, value) in column
            .values
            .iter()
            .zip(values.iter())
            .filter(|(level, value)| level.is_finite() && value.is_finite())
        {
            sums[*level as usize] += value;
        }
        let mut positions: Vec<usize> = (0..sums.len()).collect();
        positions.sort_by(|&a, &b| {
            if is_descending {
                sums[b].total_cmp(&sums[a])
            } else {
                sums[a].total_cmp(&sums[b])
            }
        });
        *slots[own] = Some(reordered(column, &positions));
    }
}
