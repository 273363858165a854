//! The axes of a plot: what is common to its layers, their ends, titles and kinds.

use super::bounds::{AxisBounds, ValueBounds};
use super::columns::ChannelColumn;
use super::layers::LayerColumns;
use super::prepared::PlotAxes;
use super::shared::SharedChannel;
use crate::error::PlotError;
use crate::scale::{AxisScale, ScaleKind};
use crate::specification::{
    ChannelDefinition, FieldKind, MarkKind, PlotLayer, PlotSpecification, ScaleShape, StackMode,
};

/// Most fields that a title names.
const TITLE_FIELDS_MAX: usize = 3;

/// The axes of a plot whose marks lie within `bounds`.
pub(crate) fn make_axes(
    plot: &PlotSpecification,
    columns: &[LayerColumns],
    bounds: &AxisBounds,
) -> Result<PlotAxes, PlotError> {
    let axis = |channel, bounds| AxisMaker::new(plot, columns, channel, bounds).make_axis();
    let has_right = plot.layers.iter().any(|layer| layer.is_right);
    Ok(PlotAxes {
        x: axis(SharedChannel::X, &bounds.x)?,
        y: axis(SharedChannel::LeftY, &bounds.left)?,
        right: match has_right {
            true => Some(axis(SharedChannel::RightY, &bounds.right)?),
            false => None,
        },
    })
}

/// What an axis is made from.
struct AxisMaker<'a> {
    channel: SharedChannel,
    bounds: &'a ValueBounds,
    layers: Vec<&'a PlotLayer>,
    /// The channel of each layer that has it.
    definitions: Vec<&'a ChannelDefinition>,
    /// Its column in each layer that has it.
    columns: Vec<&'a ChannelColumn>,
}

impl<'a> AxisMaker<'a> {
    fn new(
        plot: &'a PlotSpecification,
        columns: &'a [LayerColumns],
        channel: SharedChannel,
        bounds: &'a ValueBounds,
    ) -> Self {
        let of_axis = plot.layers.iter().zip(columns);
        let of_axis: Vec<_> = of_axis
            .filter(|(layer, _)| channel.has_layer(layer))
            .collect();
        Self {
            channel,
            bounds,
            layers: of_axis.iter().map(|(layer, _)| *layer).collect(),
            definitions: of_axis
                .iter()
                .filter_map(|(layer, _)| channel.definition(plot, layer))
                .collect(),
            columns: of_axis
                .iter()
                .filter_map(|(_, columns)| channel.column(columns))
                .collect(),
        }
    }

    fn make_axis(&self) -> Result<AxisScale, PlotError> {
        let title = self.title();
        let is_hidden =
            self.definitions.iter().all(|channel| channel.is_hidden) && !self.is_implied();
        let is_reversed = self.definitions.iter().any(|one| one.scale.is_reversed);
        if let Some(column) = self.columns.iter().find(|column| column.is_category()) {
            let mut scale = AxisScale::of_levels(column.levels.to_vec());
            // Categories read downwards.
            scale.is_reversed = is_reversed ^ (self.channel != SharedChannel::X);
            (scale.title, scale.is_hidden) = (title, is_hidden);
            return Ok(scale);
        }
        let mut scale = self.scale_of_numbers(&title)?;
        scale.is_reversed = is_reversed;
        scale.is_hidden |= is_hidden;
        let bounds = self.bounds;
        scale.data = (bounds.low <= bounds.high).then_some([bounds.low, bounds.high]);
        let is_share = self
            .definitions
            .iter()
            .any(|one| one.stack == Some(StackMode::Normalise) && one.title.is_none());
        scale.title = if is_share {
            format!("share of {title}")
        } else {
            title
        };
        Ok(scale)
    }

    /// Whether the axis has values though no layer names a field for it, as the counts of a histogram.
    fn is_implied(&self) -> bool {
        self.definitions.is_empty() && !self.columns.is_empty()
    }

    /// A title that was written out wins over names of fields.
    fn title(&self) -> String {
        if let Some(written) = self.definitions.iter().find_map(|one| one.title.clone()) {
            return written;
        }
        let mut titles: Vec<&str> = Vec::new();
        for column in &self.columns {
            if !column.title.is_empty() && !titles.contains(&column.title.as_str()) {
                titles.push(&column.title);
            }
        }
        let is_histogram = self
            .layers
            .first()
            .is_some_and(|layer| layer.mark == MarkKind::Histogram);
        if titles.is_empty() && self.channel != SharedChannel::X && is_histogram {
            return "count".to_owned();
        }
        titles.truncate(TITLE_FIELDS_MAX);
        titles.join(", ")
    }

    fn scale_of_numbers(&self, title: &str) -> Result<AxisScale, PlotError> {
        let is_time = self
            .columns
            .iter()
            .any(|column| column.kind == FieldKind::Time);
        let asks_log = |one: &&ChannelDefinition| one.scale.shape == ScaleShape::Logarithmic;
        let is_log = !is_time && self.definitions.iter().any(asks_log);
        let kind = match (is_time, is_log) {
            (true, _) => ScaleKind::Time,
            (_, true) => ScaleKind::Logarithmic,
            _ => ScaleKind::Linear,
        };
        let bounds = self.bounds;
        let domain = self.definitions.iter().find_map(|one| one.scale.domain);
        if let Some([low, high]) = domain {
            if is_log && low <= 0.0 {
                return Err(PlotError::form(
                    format!("{}/scale/domain", self.place()),
                    "ends above 0 on a logarithmic axis",
                    format!("{low}"),
                ));
            }
            return Ok(AxisScale::of_ends(kind, low, high));
        }
        if bounds.low > bounds.high {
            let [low, high] = if is_log { [1.0, 10.0] } else { [0.0, 1.0] };
            let mut empty = AxisScale::of_ends(kind, low, high);
            empty.is_hidden = true;
            return Ok(empty);
        }
        if is_log {
            if bounds.positive == f64::INFINITY {
                return Err(PlotError::NotPositive {
                    place: self.place(),
                    name: title.to_owned(),
                });
            }
            return Ok(AxisScale::of_decades(bounds.positive, bounds.high));
        }
        let wants_zero = self.definitions.iter().find_map(|one| one.scale.has_zero);
        let has_zero = wants_zero.unwrap_or(bounds.has_zero) && !is_time;
        Ok(AxisScale::of_values(
            kind,
            bounds.low,
            bounds.high,
            has_zero,
            bounds.is_tight,
        ))
    }

    /// The channel in the first layer that has it.
    fn place(&self) -> String {
        let has_channel = |layer: &&&PlotLayer| match self.channel {
            SharedChannel::X => layer.channels.x.is_some(),
            _ => layer.channels.y.is_some(),
        };
        let layer = self.layers.iter().find(has_channel);
        let place = layer.map_or("", |layer| layer.place.as_str());
        format!("{place}/encoding/{}", self.channel.name())
    }
}
