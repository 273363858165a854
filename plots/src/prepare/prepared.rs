//! What a prepared plot consists of: panels with their marks, axes, and what tells marks apart.

use super::marks::PanelMark;
use crate::colour::{GradientPalette, PlotColour, PlotTheme};
use crate::scale::AxisScale;
use crate::scene::{PointShape, SHAPES};
use crate::specification::MarkKind;

/// Colours of categories.
#[derive(Debug, Clone, Default)]
pub(crate) struct CategoryColours {
    pub(crate) title: String,
    pub(crate) levels: Vec<String>,
    pub(crate) colours: Vec<PlotColour>,
    pub(crate) is_hidden: bool,
}

/// Colours of a quantity.
#[derive(Debug, Clone)]
pub(crate) struct QuantityColours {
    pub(crate) title: String,
    pub(crate) scale: AxisScale,
    pub(crate) palette: GradientPalette,
    pub(crate) is_reversed: bool,
    pub(crate) is_hidden: bool,
}

impl QuantityColours {
    pub(crate) fn colour(&self, value: f64) -> PlotColour {
        let share = self.scale.fraction(value);
        self.palette
            .colour(if self.is_reversed { 1.0 - share } else { share })
    }
}

/// Sizes of points.
#[derive(Debug, Clone)]
pub(crate) struct PointSizes {
    pub(crate) title: String,
    pub(crate) extent: [f64; 2],
    pub(crate) is_hidden: bool,
}

impl PointSizes {
    /// Radius in pixels: the area grows with the value.
    pub(crate) fn radius(&self, value: f64) -> f64 {
        let [low, high] = self.extent;
        let share = if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        };
        libm::sqrt(6.0 + share.clamp(0.0, 1.0) * 140.0)
    }
}

/// Shapes of categories.
#[derive(Debug, Clone, Default)]
pub(crate) struct CategoryShapes {
    pub(crate) title: String,
    pub(crate) levels: Vec<String>,
    pub(crate) is_hidden: bool,
}

impl CategoryShapes {
    pub(crate) fn shape(&self, level: usize) -> PointShape {
        SHAPES[level % SHAPES.len()]
    }
}

/// What tells marks apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlotGuides {
    pub(crate) categories: Option<CategoryColours>,
    pub(crate) quantities: Option<QuantityColours>,
    pub(crate) sizes: Option<PointSizes>,
    pub(crate) shapes: Option<CategoryShapes>,
    /// The mark by which the legend shows a category.
    pub(crate) swatch: Option<MarkKind>,
}

/// One panel.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlotPanel {
    pub(crate) title: String,
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// The marks of the left axis, then those of the right one.
    pub(crate) marks: Vec<(bool, PanelMark)>,
}

/// The axes of all panels.
#[derive(Debug, Clone)]
pub(crate) struct PlotAxes {
    pub(crate) x: AxisScale,
    pub(crate) y: AxisScale,
    pub(crate) right: Option<AxisScale>,
}

/// A statement about the data of a layer, for the description.
#[derive(Debug, Clone, Default)]
pub(crate) struct LayerAccount {
    pub(crate) mark: Option<MarkKind>,
    pub(crate) rows: usize,
    pub(crate) missing: usize,
    pub(crate) x: String,
    pub(crate) y: String,
    /// Whole sentences: extremes, trends, fits.
    pub(crate) sentences: Vec<String>,
}

/// Room between the panels and the sides of the picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct PanelInsets {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// Everything of a plot but its places in pixels.
#[derive(Debug, Clone)]
pub(crate) struct PreparedPlot {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) theme: PlotTheme,
    pub(crate) panels: Vec<PlotPanel>,
    pub(crate) panel_rows: usize,
    pub(crate) panel_columns: usize,
    pub(crate) axes: PlotAxes,
    pub(crate) guides: PlotGuides,
    pub(crate) accounts: Vec<LayerAccount>,
    pub(crate) font_scale: f64,
    /// Titles of the rows of panels.
    pub(crate) row_titles: Vec<String>,
    /// The least room around the panels, for plots that line up.
    pub(crate) insets: PanelInsets,
}
