//! Marks in the units of their axes, with their final colours.

use std::sync::Arc;

use crate::colour::PlotColour;
use crate::scene::{PointShape, SceneStroke};
use crate::specification::LineInterpolation;

/// A place along one axis: a value, so many bands beside it, so many pixels beside that. Infinite values are the ends of the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AxisPlace {
    pub(crate) value: f64,
    pub(crate) bands: f64,
    pub(crate) pixels: f64,
}

impl AxisPlace {
    pub(crate) const fn at(value: f64) -> Self {
        Self {
            value,
            bands: 0.0,
            pixels: 0.0,
        }
    }

    pub(crate) const fn in_band(value: f64, bands: f64) -> Self {
        Self {
            value,
            bands,
            pixels: 0.0,
        }
    }
}

/// A place in a panel.
pub(crate) type PanelPlace = [AxisPlace; 2];

/// A rectangle between two places of each axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MarkBox {
    pub(crate) x: [AxisPlace; 2],
    pub(crate) y: [AxisPlace; 2],
    pub(crate) fill: Option<PlotColour>,
}

/// A text at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MarkText {
    pub(crate) place: PanelPlace,
    pub(crate) text: String,
    pub(crate) colour: PlotColour,
}

/// Points of one look.
#[derive(Debug, Clone)]
pub(crate) struct MarkPoints {
    pub(crate) x: Arc<[f64]>,
    pub(crate) y: Arc<[f64]>,
    /// The rows that are drawn; all where absent.
    pub(crate) rows: Option<Vec<u32>>,
    pub(crate) shape: PointShape,
    pub(crate) radius: f64,
    pub(crate) fill: Option<PlotColour>,
    pub(crate) stroke: Option<SceneStroke>,
    /// Shift in bands, for points beside each other in a category.
    pub(crate) bands: [f64; 2],
}

/// What a panel shows, in drawing order.
#[derive(Debug, Clone)]
pub(crate) enum PanelMark {
    Points(MarkPoints),
    /// A curve through rows in order; missing values are gaps.
    Line {
        x: Arc<[f64]>,
        y: Arc<[f64]>,
        rows: Option<Vec<u32>>,
        stroke: SceneStroke,
        interpolation: LineInterpolation,
        /// Whether the rows follow each other along y.
        is_upright: bool,
    },
    /// The area between two curves over the same places.
    Area {
        along: Vec<f64>,
        low: Vec<f64>,
        high: Vec<f64>,
        fill: PlotColour,
        interpolation: LineInterpolation,
        is_upright: bool,
    },
    Boxes {
        boxes: Vec<MarkBox>,
        stroke: Option<SceneStroke>,
    },
    Segments {
        segments: Vec<[PanelPlace; 2]>,
        stroke: SceneStroke,
    },
    Polygon {
        rings: Vec<Vec<PanelPlace>>,
        is_closed: bool,
        fill: Option<PlotColour>,
        stroke: Option<SceneStroke>,
    },
    Texts {
        texts: Vec<MarkText>,
        size: f64,
        shift: (f64, f64),
    },
}
