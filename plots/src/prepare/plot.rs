//! A whole plot prepared: panels with their marks, scales, legends.

use super::axes::make_axes;
use super::bounds::AxisBounds;
use super::context::LayerContext;
use super::guides::make_guides;
use super::layers::{LayerColumns, resolve_layer};
use super::marks::PanelMark;
use super::panels::PanelGrid;
use super::prepared::{PanelInsets, PlotGuides, PreparedPlot};
use super::shared::{SharedChannel, unify_levels};
use super::{bars, curves, distributions, heights};
use crate::error::PlotError;
use crate::limits::{LAYERS_MAX, SIDE_MAX};
use crate::specification::{ChannelDefinition, MarkKind, PlotLayer, PlotSpecification, ScaleShape};

/// Prepares a plot.
///
/// # Errors
/// [`PlotError`] with the place of what cannot be drawn.
pub(crate) fn prepare_plot(plot: &PlotSpecification) -> Result<PreparedPlot, PlotError> {
    prepare_with(plot, None)
}

/// Prepares a part of a picture, whose texts have a size by the whole.
pub(crate) fn prepare_part(
    plot: &PlotSpecification,
    font_scale: f64,
) -> Result<PreparedPlot, PlotError> {
    prepare_with(plot, Some(font_scale))
}

fn prepare_with(
    plot: &PlotSpecification,
    font_scale: Option<f64>,
) -> Result<PreparedPlot, PlotError> {
    check_size(plot.width, plot.height)?;
    check_layers(plot)?;
    let mut columns = Vec::with_capacity(plot.layers.len());
    for layer in &plot.layers {
        columns.push(resolve_layer(plot, layer)?);
    }
    for channel in SharedChannel::ALL {
        unify_levels(plot, &mut columns, channel)?;
    }
    let guides = make_guides(plot, &columns)?;
    let mut grid = PanelGrid::new(plot, &columns)?;
    let font_scale = font_scale.unwrap_or_else(|| usual_font_scale(plot, &grid));
    let mut bounds = AxisBounds::default();
    let mut accounts = Vec::new();
    for (layer, columns) in plot.layers.iter().zip(&columns) {
        let drawing = LayerDrawing {
            plot,
            layer,
            columns,
            guides: &guides,
            font_scale,
        };
        drawing.draw_in_panels(&mut grid, &mut bounds)?;
        bounds.include_layer(layer, columns);
        accounts.push(crate::description::account_layer(layer, columns));
    }
    let axes = make_axes(plot, &columns, &bounds)?;
    Ok(PreparedPlot {
        title: plot.title.clone(),
        subtitle: plot.subtitle.clone(),
        width: plot.width,
        height: plot.height,
        theme: plot.theme,
        panels: grid.panels,
        panel_rows: grid.rows,
        panel_columns: grid.columns,
        axes,
        guides,
        accounts,
        font_scale,
        row_titles: grid.row_titles,
        insets: PanelInsets::default(),
    })
}

pub(crate) fn check_size(width: u32, height: u32) -> Result<(), PlotError> {
    for (name, side) in [("width", width), ("height", height)] {
        if !(1..=SIDE_MAX).contains(&side) {
            return Err(PlotError::form(
                format!("/{name}"),
                format!("a number of pixels from 1 to {SIDE_MAX}"),
                format!("{side}"),
            ));
        }
    }
    Ok(())
}

fn check_layers(plot: &PlotSpecification) -> Result<(), PlotError> {
    if plot.layers.is_empty() || plot.layers.len() > LAYERS_MAX {
        return Err(PlotError::TooMany {
            place: "/layer".to_owned(),
            what: "layers, and at least one,".to_owned(),
            found: plot.layers.len(),
            most: LAYERS_MAX,
        });
    }
    Ok(())
}

/// How large texts are: by the size of the picture, and small in many panels, as one has in a picture of usual size.
fn usual_font_scale(plot: &PlotSpecification, grid: &PanelGrid) -> f64 {
    let area = f64::from(plot.width) * f64::from(plot.height);
    let scale = libm::sqrt(area / (720.0 * 450.0)).clamp(0.72, 2.4);
    let side = grid.rows.max(grid.columns) as f64;
    if side > 1.0 {
        (scale * libm::pow(side, -0.35)).max(scale.min(1.0))
    } else {
        scale
    }
}

/// One layer, to be drawn in all panels.
struct LayerDrawing<'a> {
    plot: &'a PlotSpecification,
    layer: &'a PlotLayer,
    columns: &'a LayerColumns,
    guides: &'a PlotGuides,
    font_scale: f64,
}

impl LayerDrawing<'_> {
    fn draw_in_panels(
        &self,
        grid: &mut PanelGrid,
        bounds: &mut AxisBounds,
    ) -> Result<(), PlotError> {
        let mut is_drawn = false;
        for panel in 0..grid.panels.len() {
            let rows = grid.rows_of(panel, self.columns);
            if rows.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let marks = layer_marks(&self.context(rows.as_deref()))?;
            is_drawn |= !marks.is_empty();
            for mark in marks {
                bounds.include_mark(&mark, self.layer.is_right);
                grid.panels[panel].marks.push((self.layer.is_right, mark));
            }
        }
        if is_drawn {
            return Ok(());
        }
        let fields = [&self.columns.x, &self.columns.y].into_iter().flatten();
        let fields: Vec<String> = fields.map(|column| format!("`{}`", column.title)).collect();
        Err(PlotError::NothingToDraw {
            place: format!("{}/encoding", self.layer.place),
            fields: if fields.is_empty() {
                "its channels".to_owned()
            } else {
                fields.join(" and ")
            },
        })
    }

    fn context<'a>(&'a self, rows: Option<&'a [u32]>) -> LayerContext<'a> {
        let (plot, layer) = (self.plot, self.layer);
        let is_log = |channel: &Option<ChannelDefinition>| {
            channel
                .as_ref()
                .is_some_and(|one| one.scale.shape == ScaleShape::Logarithmic)
        };
        let plain = || plot.theme.category(usize::from(layer.is_right));
        LayerContext {
            layer,
            style: &layer.style,
            columns: self.columns,
            rows,
            guides: self.guides,
            theme: plot.theme,
            plain: layer.style.colour.unwrap_or_else(plain),
            font_scale: self.font_scale,
            is_log: [
                plot.layers.iter().any(|other| is_log(&other.channels.x)),
                plot.layers
                    .iter()
                    .filter(|other| other.is_right == layer.is_right)
                    .any(|other| is_log(&other.channels.y)),
            ],
        }
    }
}

/// The marks of a layer in one panel.
fn layer_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    if context.layer.is_fit_alone {
        return Ok(curves::fit_marks(context));
    }
    let mut marks = match context.layer.mark {
        MarkKind::Line => curves::line_marks(context)?,
        MarkKind::Area => curves::area_marks(context)?,
        MarkKind::Band => curves::band_marks(context)?,
        MarkKind::Point => curves::point_marks(context)?,
        MarkKind::Bar | MarkKind::Histogram => bars::bar_marks(context)?,
        MarkKind::Rect => bars::rect_marks(context)?,
        MarkKind::Rule => bars::rule_marks(context)?,
        MarkKind::Tick => bars::tick_marks(context)?,
        MarkKind::Text => bars::text_marks(context)?,
        MarkKind::Box => distributions::box_marks(context)?,
        MarkKind::Violin => distributions::violin_marks(context)?,
        MarkKind::ErrorBar => distributions::error_marks(context)?,
        MarkKind::Contour => heights::contour_marks(context)?,
    };
    if context.layer.fit.is_some() {
        marks.extend(curves::fit_marks(context));
    }
    Ok(marks)
}
