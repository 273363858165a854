//! The smallest and largest values on the axes.

use super::bars;
use super::columns::ChannelColumn;
use super::layers::LayerColumns;
use super::marks::PanelMark;
use crate::specification::{ChannelDefinition, MarkKind, PlotLayer, StackMode};

/// Smallest and largest values of the axes.
#[derive(Debug, Clone, Default)]
pub(crate) struct AxisBounds {
    pub(crate) x: ValueBounds,
    pub(crate) left: ValueBounds,
    pub(crate) right: ValueBounds,
}

#[derive(Debug, Clone)]
pub(crate) struct ValueBounds {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Smallest value above zero.
    pub(crate) positive: f64,
    pub(crate) has_zero: bool,
    /// Whether ends of bars or areas touch the ends, which then need no margin.
    pub(crate) is_tight: [bool; 2],
}

impl Default for ValueBounds {
    fn default() -> Self {
        Self {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            positive: f64::INFINITY,
            has_zero: false,
            is_tight: [false; 2],
        }
    }
}

impl ValueBounds {
    fn include(&mut self, value: f64) {
        if value.is_finite() {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
            if value > 0.0 {
                self.positive = self.positive.min(value);
            }
        }
    }

    fn include_all(&mut self, values: &[f64], rows: Option<&[u32]>) {
        match rows {
            Some(rows) => rows
                .iter()
                .for_each(|&row| self.include(values[row as usize])),
            None => values.iter().for_each(|&value| self.include(value)),
        }
    }
}

impl AxisBounds {
    pub(crate) fn include_mark(&mut self, mark: &PanelMark, is_right: bool) {
        let (x, y) = (
            &mut self.x,
            if is_right {
                &mut self.right
            } else {
                &mut self.left
            },
        );
        match mark {
            PanelMark::Points(points) => {
                x.include_all(&points.x, points.rows.as_deref());
                y.include_all(&points.y, points.rows.as_deref());
            }
            PanelMark::Line {
                x: xs, y: ys, rows, ..
            } => {
                x.include_all(xs, rows.as_deref());
                y.include_all(ys, rows.as_deref());
            }
            PanelMark::Area {
                along,
                low,
                high,
                is_upright,
                ..
            } => {
                let (along_bounds, value_bounds) = if *is_upright { (y, x) } else { (x, y) };
                along_bounds.include_all(along, None);
                value_bounds.include_all(low, None);
                value_bounds.include_all(high, None);
            }
            PanelMark::Boxes { boxes, .. } => {
                for one in boxes {
                    one.x.iter().for_each(|place| x.include(place.value));
                    one.y.iter().for_each(|place| y.include(place.value));
                }
            }
            PanelMark::Segments { segments, .. } => {
                for place in segments.iter().flatten() {
                    x.include(place[0].value);
                    y.include(place[1].value);
                }
            }
            PanelMark::Polygon { rings, .. } => {
                for place in rings.iter().flatten() {
                    x.include(place[0].value);
                    y.include(place[1].value);
                }
            }
            PanelMark::Texts { texts, .. } => {
                for text in texts {
                    x.include(text.place[0].value);
                    y.include(text.place[1].value);
                }
            }
        }
    }

    /// Zero belongs to the axis of bars and areas.
    pub(crate) fn include_layer(&mut self, layer: &PlotLayer, columns: &LayerColumns) {
        let is_upright = bars::is_upright(layer, columns);
        let is_binned = |column: &Option<ChannelColumn>| {
            column.as_ref().is_some_and(|column| column.width.is_some())
        };
        let is_whole = |channel: &Option<ChannelDefinition>| {
            channel
                .as_ref()
                .is_some_and(|channel| channel.stack == Some(StackMode::Normalise))
        };
        if is_whole(&layer.channels.x) {
            self.x.is_tight = [true; 2];
        }
        if is_binned(&columns.x)
            || layer.mark == MarkKind::Rect
            || layer.mark == MarkKind::Area && !is_upright
        {
            self.x.is_tight = [true; 2];
        }
        let y = if layer.is_right {
            &mut self.right
        } else {
            &mut self.left
        };
        if is_whole(&layer.channels.y) {
            y.is_tight = [true; 2];
        }
        if is_binned(&columns.y)
            || layer.mark == MarkKind::Rect
            || layer.mark == MarkKind::Area && is_upright
        {
            y.is_tight = [true; 2];
        }
        let is_ranged = columns.x2.is_some() || columns.y2.is_some();
        if matches!(
            layer.mark,
            MarkKind::Bar | MarkKind::Histogram | MarkKind::Area
        ) && !is_ranged
        {
            let value = if is_upright { &mut self.x } else { y };
            value.has_zero = true;
        }
    }
}
