//! The labels of an axis: which there are, how they are written, and how much room they take.

use super::SceneBuilder;
use super::sizes::{LayoutSizes, text_height, wrap_text};
use crate::font::{ASCENT, CAP_HEIGHT, fit_text, text_width};
use crate::scale::{AxisScale, ScaleKind};
use crate::scene::{SceneBox, TextAnchor, TextRole, TextRun};
use crate::ticks::ScaleTick;

/// Where an axis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AxisSide {
    Bottom,
    Left,
    Right,
}

/// A tick of a panel.
#[derive(Debug, Clone)]
pub(crate) struct PanelTick {
    /// Share of the length of the axis, from the left or from below.
    pub(crate) share: f64,
    pub(crate) label: String,
    /// How far the label is moved along the axis to stay within its reach, in pixels.
    pub(crate) shift: f64,
    pub(crate) has_mark: bool,
}

/// How labels below an axis are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelStyle {
    Level,
    /// In two lines.
    Wrapped,
    /// Upwards.
    Upright,
}

/// The labels of an axis.
#[derive(Debug, Clone)]
pub(crate) struct AxisLabels {
    pub(crate) ticks: Vec<PanelTick>,
    /// Room that they take away from the panel, with the gap to it.
    pub(crate) depth: f64,
    style: LabelStyle,
    size: f64,
    /// Width of a place of a label in two lines.
    place: f64,
}

impl AxisScale {
    /// Whether lines across the panel help to read values.
    pub(crate) fn draws_grid(&self) -> bool {
        self.kind != ScaleKind::Band && !self.is_hidden
    }

    /// Share of the length, from the left or from below.
    pub(crate) fn directed(&self, value: f64) -> f64 {
        let share = self.fraction(value);
        if self.is_reversed { 1.0 - share } else { share }
    }
}

/// Distance of labels from the panel: more than half the height of a label, so that those of two axes do not meet in the corner.
fn label_gap(sizes: &LayoutSizes, side: AxisSide) -> f64 {
    match side {
        AxisSide::Bottom => 6.8 * sizes.scale,
        AxisSide::Left | AxisSide::Right => 6.5 * sizes.scale,
    }
}

/// Chooses the ticks of an axis of a length, with at most `most` room away from it and labels within `reach` along it.
pub(crate) fn label_axis(
    axis: &AxisScale,
    side: AxisSide,
    length: f64,
    most: f64,
    reach: f64,
    sizes: &LayoutSizes,
) -> AxisLabels {
    let gap = label_gap(sizes, side);
    let mut labels = AxisLabels {
        ticks: Vec::new(),
        depth: 0.0,
        style: LabelStyle::Level,
        size: sizes.tick,
        place: 0.0,
    };
    if axis.is_hidden {
        labels.depth = if side == AxisSide::Bottom {
            0.4 * sizes.pad
        } else {
            0.0
        };
        return labels;
    }
    if axis.kind == ScaleKind::Band {
        label_bands(&mut labels, axis, side, length, most - gap, sizes);
    } else {
        let is_level = side == AxisSide::Bottom;
        let overhang = (reach - length) / 2.0;
        // Labels at the ends of an axis move inwards as far as the picture or the next panel asks.
        let extent_of = |tick: &ScaleTick| {
            let half = if is_level {
                text_width(&tick.label, sizes.tick) / 2.0
            } else {
                0.62 * text_height(sizes.tick)
            };
            let place = axis.directed(tick.value) * length;
            let shift = match is_level {
                true if place - half < -overhang => (-overhang - (place - half)).min(half),
                true if place + half > length + overhang => {
                    -((place + half) - (length + overhang)).min(half)
                }
                _ => 0.0,
            };
            (place + shift - half, place + shift + half, shift)
        };
        let fits = |ticks: &[ScaleTick]| {
            let mut boxes: Vec<(f64, f64, f64)> = ticks
                .iter()
                .filter(|tick| !tick.label.is_empty())
                .map(extent_of)
                .collect();
            boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
            let gap = if is_level { 0.9 * sizes.tick } else { 0.0 };
            let is_apart = boxes.windows(2).all(|pair| pair[0].1 + gap <= pair[1].0);
            is_apart
                && boxes.iter().all(|(start, end, _)| {
                    *start >= -overhang - 1e-6 && *end <= length + overhang + 1e-6 || !is_level
                })
        };
        let spacing = if is_level { 92.0 } else { 58.0 } * sizes.scale;
        let count = (length / spacing).clamp(2.0, 14.0) as usize + 1;
        let ticks = axis.ticks(count, &fits);
        let is_in = |tick: &ScaleTick| (-1e-9..=1.0 + 1e-9).contains(&axis.fraction(tick.value));
        labels.ticks = ticks
            .iter()
            .filter(|tick| is_in(tick))
            .map(|tick| PanelTick {
                share: axis.directed(tick.value),
                label: tick.label.clone(),
                shift: extent_of(tick).2,
                has_mark: true,
            })
            .collect();
    }
    let widest = labels
        .ticks
        .iter()
        .map(|tick| text_width(&tick.label, sizes.tick))
        .fold(0.0, f64::max);
    labels.depth = gap
        + match (side, labels.style) {
            (AxisSide::Bottom, LabelStyle::Level) => text_height(sizes.tick),
            (AxisSide::Bottom, LabelStyle::Wrapped) => 2.1 * text_height(sizes.tick),
            _ => widest,
        };
    labels
}

/// Labels of categories: level, in two lines, upright, or every so many-th.
fn label_bands(
    labels: &mut AxisLabels,
    axis: &AxisScale,
    side: AxisSide,
    length: f64,
    most: f64,
    sizes: &LayoutSizes,
) {
    let size = sizes.tick;
    let band = length / axis.high;
    let height = 1.08 * text_height(size);
    let texts: Vec<String> = match side {
        AxisSide::Bottom => {
            let room = band - 0.5 * size;
            let widths = axis.levels.iter().map(|level| text_width(level, size));
            labels.place = room;
            if widths.clone().all(|width| width <= room) {
                axis.levels.clone()
            } else if band > 3.2 * size
                && axis
                    .levels
                    .iter()
                    .all(|level| wraps_in_two(level, size, room))
            {
                labels.style = LabelStyle::Wrapped;
                axis.levels.clone()
            } else {
                labels.style = LabelStyle::Upright;
                axis.levels
                    .iter()
                    .map(|level| fit_text(level, size, most))
                    .collect()
            }
        }
        _ => axis
            .levels
            .iter()
            .map(|level| fit_text(level, size, most))
            .collect(),
    };
    let across = if side == AxisSide::Bottom && labels.style != LabelStyle::Upright {
        0.0
    } else {
        height
    };
    let stride = libm::ceil(across / band).max(1.0) as usize;
    labels.ticks = texts
        .into_iter()
        .enumerate()
        .map(|(index, text)| PanelTick {
            share: axis.directed(index as f64),
            label: if index % stride == 0 {
                text
            } else {
                String::new()
            },
            shift: 0.0,
            has_mark: false,
        })
        .filter(|tick| !tick.label.is_empty())
        .collect();
}

fn wraps_in_two(text: &str, size: f64, room: f64) -> bool {
    let lines = wrap_text(text, size, room);
    lines.len() <= 2
        && !lines
            .iter()
            .any(|line| line.ends_with('…') || line.is_empty())
}

impl AxisLabels {
    /// Writes the labels beside a panel.
    pub(crate) fn draw(&self, builder: &mut SceneBuilder<'_>, cell: SceneBox, side: AxisSide) {
        let gap = label_gap(&builder.sizes, side);
        let colour = builder.plot.theme.soft_ink();
        let run = |text: String, x: f64, y: f64, anchor: TextAnchor, is_vertical: bool| TextRun {
            text,
            x,
            y,
            size: self.size,
            anchor,
            is_vertical,
            colour,
            role: TextRole::TickLabel,
        };
        for tick in self.ticks.iter().filter(|tick| !tick.label.is_empty()) {
            let (x, y) = (
                cell.left + tick.share * cell.width,
                cell.bottom() - tick.share * cell.height,
            );
            let label = tick.label.clone();
            let centred = y + CAP_HEIGHT * self.size / 2.0;
            match side {
                AxisSide::Left => {
                    _ = builder.add_text(run(
                        label,
                        cell.left - gap,
                        centred,
                        TextAnchor::End,
                        false,
                    ))
                }
                AxisSide::Right => {
                    _ = builder.add_text(run(
                        label,
                        cell.right() + gap,
                        centred,
                        TextAnchor::Start,
                        false,
                    ))
                }
                AxisSide::Bottom => {
                    let top = cell.bottom() + gap;
                    match self.style {
                        LabelStyle::Level => {
                            let x = x + tick.shift;
                            builder.add_text(run(
                                label,
                                x,
                                top + ASCENT * self.size,
                                TextAnchor::Middle,
                                false,
                            ));
                        }
                        LabelStyle::Wrapped => {
                            for (index, line) in wrap_text(&label, self.size, self.place)
                                .into_iter()
                                .enumerate()
                            {
                                let y = top
                                    + ASCENT * self.size
                                    + index as f64 * 1.05 * text_height(self.size);
                                builder.add_text(run(line, x, y, TextAnchor::Middle, false));
                            }
                        }
                        LabelStyle::Upright => {
                            let x = x + CAP_HEIGHT * self.size / 2.0;
                            builder.add_text(run(label, x, top, TextAnchor::End, true));
                        }
                    }
                }
            }
        }
    }
}
