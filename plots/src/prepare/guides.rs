//! What tells marks apart: colours, sizes and shapes, from which legends are made.

use super::columns::ChannelColumn;
use super::layers::LayerColumns;
use super::prepared::{CategoryColours, CategoryShapes, PlotGuides, PointSizes, QuantityColours};
use crate::colour::{PlotTheme, parse_colour};
use crate::error::PlotError;
use crate::limits::COLOUR_LEVELS_MAX;
use crate::scale::{AxisScale, ScaleKind};
use crate::specification::{
    ChannelDefinition, ChannelSource, MarkKind, PlotLayer, PlotSpecification, ScaleOptions,
    ScaleShape,
};

/// Colours, sizes and shapes of all layers.
pub(crate) fn make_guides(
    plot: &PlotSpecification,
    columns: &[LayerColumns],
) -> Result<PlotGuides, PlotError> {
    let mut guides = PlotGuides::default();
    let mut quantity: Option<ColouredQuantity> = None;
    for (layer, columns) in plot.layers.iter().zip(columns) {
        if let (Some(column), Some(channel)) = (&columns.color, &layer.channels.color) {
            if column.is_category() {
                check_levels(layer, column)?;
                add_categories(&mut guides, plot.theme, column, channel);
                add_swatch(&mut guides, layer.mark);
            } else if let Some([low, high]) = column.extent() {
                let known = quantity.get_or_insert_with(|| ColouredQuantity {
                    extent: [low, high],
                    title: column.title.clone(),
                    options: channel.scale.clone(),
                    is_hidden: channel.is_hidden,
                });
                known.extent = [known.extent[0].min(low), known.extent[1].max(high)];
            }
        }
        add_sizes(&mut guides, layer, columns);
        add_shapes(&mut guides, layer, columns);
    }
    guides.quantities = quantity.map(ColouredQuantity::into_colours);
    Ok(guides)
}

fn check_levels(layer: &PlotLayer, column: &ChannelColumn) -> Result<(), PlotError> {
    if column.levels.len() <= COLOUR_LEVELS_MAX {
        return Ok(());
    }
    Err(PlotError::TooMany {
        place: format!("{}/encoding/color", layer.place),
        what: "colours".to_owned(),
        found: column.levels.len(),
        most: COLOUR_LEVELS_MAX,
    })
}

/// Adds the colours of a layer's categories; colours that are written out win over those of the theme.
fn add_categories(
    guides: &mut PlotGuides,
    theme: PlotTheme,
    column: &ChannelColumn,
    channel: &ChannelDefinition,
) {
    let is_literal =
        matches!(&channel.source, ChannelSource::Text(text) if parse_colour(text).is_some());
    let known = guides.categories.get_or_insert_with(|| CategoryColours {
        title: column.title.clone(),
        levels: column.levels.to_vec(),
        colours: Vec::new(),
        is_hidden: true,
    });
    known.is_hidden &= channel.is_hidden || is_literal;
    if known.title.is_empty() {
        known.title.clone_from(&column.title);
    }
    let given = &channel.scale.colours;
    if known.colours.is_empty() || !given.is_empty() {
        let colour = |(index, level): (usize, &String)| {
            let named = || parse_colour(level).filter(|_| is_literal);
            match given.get(index % given.len().max(1)) {
                Some(colour) => *colour,
                None => named().unwrap_or_else(|| theme.category(index)),
            }
        };
        known.colours = known.levels.iter().enumerate().map(colour).collect();
    }
}

/// The legend shows a category by a point or line where there is one.
fn add_swatch(guides: &mut PlotGuides, mark: MarkKind) {
    let is_plain = |mark| !matches!(mark, MarkKind::Point | MarkKind::Line);
    if guides.swatch.is_none_or(is_plain) {
        guides.swatch = Some(mark);
    }
}

fn add_sizes(guides: &mut PlotGuides, layer: &PlotLayer, columns: &LayerColumns) {
    let (Some(column), Some(channel)) = (&columns.size, &layer.channels.size) else {
        return;
    };
    let has_values = matches!(
        channel.source,
        ChannelSource::Field(_) | ChannelSource::Rows
    );
    if let Some(extent) = column
        .extent()
        .filter(|_| has_values && !column.is_category())
    {
        guides.sizes.get_or_insert(PointSizes {
            title: column.title.clone(),
            extent,
            is_hidden: channel.is_hidden,
        });
    }
}

fn add_shapes(guides: &mut PlotGuides, layer: &PlotLayer, columns: &LayerColumns) {
    let (Some(column), Some(channel)) = (&columns.shape, &layer.channels.shape) else {
        return;
    };
    if column.is_category() {
        guides.shapes.get_or_insert_with(|| CategoryShapes {
            title: column.title.clone(),
            levels: column.levels.to_vec(),
            is_hidden: channel.is_hidden,
        });
    }
}

/// A quantity that is shown by colours, over all layers.
struct ColouredQuantity {
    extent: [f64; 2],
    title: String,
    options: ScaleOptions,
    is_hidden: bool,
}

impl ColouredQuantity {
    fn into_colours(self) -> QuantityColours {
        let asks_log = self.options.shape == ScaleShape::Logarithmic;
        let kind = if asks_log && self.extent[0] > 0.0 {
            ScaleKind::Logarithmic
        } else {
            ScaleKind::Linear
        };
        let [low, high] = self.options.domain.unwrap_or(self.extent);
        QuantityColours {
            title: self.title,
            scale: AxisScale::of_ends(kind, low, high),
            palette: self.options.palette,
            is_reversed: self.options.is_reversed,
            is_hidden: self.is_hidden,
        }
    }
}
