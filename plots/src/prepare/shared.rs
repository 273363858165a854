//! Channels whose scale is common to all layers, and the categories on them.

use std::sync::Arc;

use super::columns::{ChannelColumn, compare_naturally};
use super::layers::LayerColumns;
use crate::error::PlotError;
use crate::specification::{
    CategoryOrder, ChannelDefinition, ChannelSource, PlotLayer, PlotSpecification,
};

/// A channel whose scale is common to layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SharedChannel {
    X,
    LeftY,
    RightY,
    Color,
    Shape,
    Row,
    Column,
}

impl SharedChannel {
    pub(crate) const ALL: [Self; 7] = [
        Self::X,
        Self::LeftY,
        Self::RightY,
        Self::Color,
        Self::Shape,
        Self::Row,
        Self::Column,
    ];

    /// Its name in specifications.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::LeftY | Self::RightY => "y",
            Self::Color => "color",
            Self::Shape => "shape",
            Self::Row => "row",
            Self::Column => "column",
        }
    }

    /// Whether marks have their place by it.
    pub(crate) fn is_position(self) -> bool {
        matches!(self, Self::X | Self::LeftY | Self::RightY)
    }

    /// Whether a layer belongs to its scale.
    pub(crate) fn has_layer(self, layer: &PlotLayer) -> bool {
        match self {
            Self::LeftY => !layer.is_right,
            Self::RightY => layer.is_right,
            _ => true,
        }
    }

    /// Its column in a layer.
    pub(crate) fn column(self, columns: &LayerColumns) -> Option<&ChannelColumn> {
        match self {
            Self::X => columns.x.as_ref(),
            Self::LeftY | Self::RightY => columns.y.as_ref(),
            Self::Color => columns.color.as_ref(),
            Self::Shape => columns.shape.as_ref(),
            Self::Row => columns.panel_row.as_ref(),
            Self::Column => columns.panel_column.as_ref(),
        }
    }

    fn column_mut(self, columns: &mut LayerColumns) -> Option<&mut ChannelColumn> {
        match self {
            Self::X => columns.x.as_mut(),
            Self::LeftY | Self::RightY => columns.y.as_mut(),
            Self::Color => columns.color.as_mut(),
            Self::Shape => columns.shape.as_mut(),
            Self::Row => columns.panel_row.as_mut(),
            Self::Column => columns.panel_column.as_mut(),
        }
    }

    /// What a layer, or the plot for all layers, says about it.
    pub(crate) fn definition<'a>(
        self,
        plot: &'a PlotSpecification,
        layer: &'a PlotLayer,
    ) -> Option<&'a ChannelDefinition> {
        let wrapped = plot.wrap.as_ref().map(|wrap| &wrap.channel);
        match self {
            Self::X => layer.channels.x.as_ref(),
            Self::LeftY | Self::RightY => layer.channels.y.as_ref(),
            Self::Color => layer.channels.color.as_ref(),
            Self::Shape => layer.channels.shape.as_ref(),
            Self::Row => plot.row.as_ref(),
            Self::Column => plot.column.as_ref().or(wrapped),
        }
    }
}

/// Gives the categories of a channel the same positions in all layers.
pub(crate) fn unify_levels(
    plot: &PlotSpecification,
    columns: &mut [LayerColumns],
    channel: SharedChannel,
) -> Result<(), PlotError> {
    let mut levels: Vec<String> = Vec::new();
    let mut sources = 0;
    let mut has_numbers = false;
    let of_channel = |layer: &&PlotLayer| channel.has_layer(layer);
    for (layer, columns) in plot.layers.iter().zip(columns.iter()) {
        let Some(column) = channel.column(columns).filter(|_| of_channel(&layer)) else {
            continue;
        };
        let definition = channel.definition(plot, layer);
        let is_constant =
            definition.is_some_and(|one| matches!(one.source, ChannelSource::Number(_)));
        has_numbers |= !is_constant && !column.is_category();
        sources += usize::from(column.is_category());
        if channel.is_position() && has_numbers && sources > 0 && !is_constant {
            return Err(PlotError::form(
                format!("{}/encoding/{}", layer.place, channel.name()),
                "values of one kind on an axis",
                "numbers in one layer and texts in another",
            ));
        }
        if column.is_category() {
            for level in column.levels.iter() {
                if !levels.contains(level) {
                    levels.push(level.clone());
                }
            }
        }
    }
    if sources < 2 {
        return Ok(());
    }
    let is_ordered = |one: &ChannelDefinition| {
        one.order != CategoryOrder::default()
            || matches!(one.source, ChannelSource::Text(_))
            || one.time_unit.is_some()
    };
    let mut definitions = plot
        .layers
        .iter()
        .filter_map(|layer| channel.definition(plot, layer));
    if !definitions.any(is_ordered) {
        levels.sort_by(|a, b| compare_naturally(a, b));
    }
    let levels: Arc<[String]> = levels.into();
    for (_, columns) in plot
        .layers
        .iter()
        .zip(columns.iter_mut())
        .filter(|(layer, _)| of_channel(layer))
    {
        if let Some(column) = channel
            .column_mut(columns)
            .filter(|column| column.is_category())
        {
            move_to_levels(column, &levels);
        }
    }
    Ok(())
}

/// Numbers the categories of a column by their positions in a common list.
fn move_to_levels(column: &mut ChannelColumn, levels: &Arc<[String]>) {
    let positions: Vec<f64> = column
        .levels
        .iter()
        .map(|level| levels.iter().position(|one| one == level).unwrap_or(0) as f64)
        .collect();
    let position = |value: &f64| {
        if value.is_finite() {
            positions[*value as usize]
        } else {
            f64::NAN
        }
    };
    column.values = column.values.iter().map(position).collect();
    column.levels = Arc::clone(levels);
}
