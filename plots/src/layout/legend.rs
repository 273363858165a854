//! The legend, outside of the panels: at the right where there is room, else below.

use super::SceneBuilder;
use super::sizes::{LayoutSizes, text_height};
use crate::colour::{GradientPalette, PlotColour};
use crate::font::{CAP_HEIGHT, fit_text, text_width};
use crate::prepare::prepared::{PreparedPlot, QuantityColours};
use crate::scene::{
    PathStep, PointCloud, PointShape, SceneBox, SceneItem, SceneStroke, TextAnchor, TextRole,
    TextRun,
};
use crate::specification::MarkKind;
use crate::ticks::ScaleTick;

/// The sign before the name of a legend.
#[derive(Debug, Clone)]
enum LegendSign {
    Point {
        shape: PointShape,
        radius: f64,
        colour: PlotColour,
    },
    Line(PlotColour),
    Field(PlotColour),
    None,
}

#[derive(Debug, Clone)]
struct LegendEntry {
    sign: LegendSign,
    text: String,
}

/// A part of the legend.
#[derive(Debug, Clone)]
enum LegendPart {
    Entries {
        title: String,
        entries: Vec<LegendEntry>,
        /// Height of an entry.
        line: f64,
        /// Room of a sign.
        sign: f64,
    },
    Gradient {
        title: String,
        palette: GradientPalette,
        is_reversed: bool,
        ticks: Vec<(f64, String)>,
        length: f64,
    },
}

/// A legend with its size.
#[derive(Debug, Clone)]
pub(crate) struct LegendBlock {
    parts: Vec<LegendPart>,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) is_below: bool,
    /// Width of an entry below the panels.
    step: f64,
}

/// Room of a sign.
fn sign_width(sizes: &LayoutSizes) -> f64 {
    1.9 * sizes.legend
}

fn line_height(sizes: &LayoutSizes) -> f64 {
    1.5 * sizes.legend
}

/// The legend of a plot; `None` where nothing needs one.
pub(crate) fn make_legend(
    plot: &PreparedPlot,
    sizes: &LayoutSizes,
    room: SceneBox,
) -> Option<LegendBlock> {
    // Names beyond a third of the picture are cut.
    let text_room = 0.3 * room.width - sign_width(sizes);
    let mut parts = Vec::new();
    let guides = &plot.guides;
    let shapes = guides.shapes.as_ref().filter(|shapes| !shapes.is_hidden);
    // Colours that repeat the categories of an axis say nothing new.
    let is_on_axis =
        |levels: &[String]| plot.axes.x.levels == levels || plot.axes.y.levels == levels;
    let (line, sign) = (line_height(sizes), sign_width(sizes));
    if let Some(colours) = guides.categories.as_ref().filter(|colours| {
        !colours.is_hidden && !colours.levels.is_empty() && !is_on_axis(&colours.levels)
    }) {
        let shared = shapes.filter(|shapes| shapes.levels == colours.levels);
        let entry = |(index, (level, colour)): (usize, (&String, &PlotColour))| LegendEntry {
            sign: match (guides.swatch, shared) {
                (_, Some(shapes)) => LegendSign::Point {
                    shape: shapes.shape(index),
                    radius: 0.36 * sizes.legend,
                    colour: *colour,
                },
                (Some(MarkKind::Point), None) => LegendSign::Point {
                    shape: PointShape::Circle,
                    radius: 0.38 * sizes.legend,
                    colour: *colour,
                },
                (
                    Some(
                        MarkKind::Line
                        | MarkKind::ErrorBar
                        | MarkKind::Rule
                        | MarkKind::Contour
                        | MarkKind::Tick,
                    ),
                    None,
                ) => LegendSign::Line(*colour),
                _ => LegendSign::Field(*colour),
            },
            text: level.clone(),
        };
        parts.push(LegendPart::Entries {
            title: colours.title.clone(),
            entries: colours
                .levels
                .iter()
                .zip(&colours.colours)
                .enumerate()
                .map(entry)
                .collect(),
            line,
            sign,
        });
    }
    if let Some(shapes) = shapes.filter(|shapes| {
        guides
            .categories
            .as_ref()
            .is_none_or(|colours| colours.levels != shapes.levels || colours.is_hidden)
    }) {
        let entry = |(index, level): (usize, &String)| LegendEntry {
            sign: LegendSign::Point {
                shape: shapes.shape(index),
                radius: 0.36 * sizes.legend,
                colour: plot.theme.soft_ink(),
            },
            text: level.clone(),
        };
        parts.push(LegendPart::Entries {
            title: shapes.title.clone(),
            entries: shapes.levels.iter().enumerate().map(entry).collect(),
            line,
            sign,
        });
    }
    if let Some(point_sizes) = guides.sizes.as_ref().filter(|sizes| !sizes.is_hidden) {
        let [low, high] = point_sizes.extent;
        let ticks: Vec<ScaleTick> = crate::ticks::extended::extended_ticks(low, high, 3)
            .into_iter()
            .take(4)
            .collect();
        let radius = |tick: &ScaleTick| point_sizes.radius(tick.value) * plot.font_scale;
        let largest = ticks.iter().map(radius).fold(0.0, f64::max);
        let entries = ticks.iter().map(|tick| LegendEntry {
            sign: LegendSign::Point {
                shape: PointShape::Circle,
                radius: radius(tick),
                colour: plot.theme.axis(),
            },
            text: tick.label.clone(),
        });
        parts.push(LegendPart::Entries {
            title: point_sizes.title.clone(),
            entries: entries.collect(),
            line: line.max(2.0 * largest + 3.0 * sizes.scale),
            sign: sign.max(2.0 * largest + 0.6 * sizes.legend),
        });
    }
    if let Some(colours) = guides
        .quantities
        .as_ref()
        .filter(|colours| !colours.is_hidden)
    {
        parts.push(gradient_part(
            colours,
            sizes,
            (0.62 * room.height)
                .min(150.0 * sizes.scale)
                .max(30.0 * sizes.scale),
        ));
    }
    if parts.is_empty() {
        return None;
    }
    for part in &mut parts {
        match part {
            LegendPart::Entries { title, entries, .. } => {
                *title = fit_text(title, sizes.legend, text_room + sign_width(sizes));
                for entry in entries {
                    entry.text = fit_text(&entry.text, sizes.legend, text_room);
                }
            }
            LegendPart::Gradient { title, .. } => {
                *title = fit_text(title, sizes.legend, text_room + sign_width(sizes))
            }
        }
    }
    let block = beside_block(parts.clone(), sizes, room);
    let is_small = room.width < 330.0 * sizes.scale;
    let has_gradient = parts
        .iter()
        .any(|part| matches!(part, LegendPart::Gradient { .. }));
    if block.width > 0.4 * room.width || (is_small && !has_gradient) {
        return Some(below_block(parts, sizes, room));
    }
    Some(block)
}

fn gradient_part(colours: &QuantityColours, sizes: &LayoutSizes, length: f64) -> LegendPart {
    let fits = |ticks: &[ScaleTick]| {
        let mut places: Vec<f64> = ticks
            .iter()
            .filter(|tick| !tick.label.is_empty())
            .map(|tick| colours.scale.fraction(tick.value) * length)
            .collect();
        places.sort_by(f64::total_cmp);
        places
            .windows(2)
            .all(|pair| pair[1] - pair[0] >= 1.2 * text_height(sizes.legend))
    };
    let ticks = colours
        .scale
        .ticks(5, &fits)
        .into_iter()
        .filter(|tick| !tick.label.is_empty());
    let ticks = ticks
        .map(|tick| (colours.scale.fraction(tick.value), tick.label))
        .filter(|(share, _)| (0.0..=1.0).contains(share));
    LegendPart::Gradient {
        title: colours.title.clone(),
        palette: colours.palette,
        is_reversed: colours.is_reversed,
        ticks: ticks.collect(),
        length,
    }
}

fn title_height(title: &str, sizes: &LayoutSizes) -> f64 {
    if title.is_empty() {
        0.0
    } else {
        1.6 * sizes.legend
    }
}

/// A legend at the right, cut where it would be higher than the room.
fn beside_block(mut parts: Vec<LegendPart>, sizes: &LayoutSizes, room: SceneBox) -> LegendBlock {
    let (mut width, mut height) = (0.0_f64, 0.0);
    let most = 0.82 * room.height;
    for part in &mut parts {
        match part {
            LegendPart::Entries {
                title,
                entries,
                line,
                sign,
            } => {
                let lines =
                    ((most - height - title_height(title, sizes)) / *line).max(1.0) as usize;
                cut_entries(entries, lines);
                let texts = entries
                    .iter()
                    .map(|entry| *sign + text_width(&entry.text, sizes.legend));
                width = texts.fold(width.max(text_width(title, sizes.legend)), f64::max);
                height +=
                    title_height(title, sizes) + entries.len() as f64 * *line + 0.8 * sizes.pad;
            }
            LegendPart::Gradient {
                title,
                ticks,
                length,
                ..
            } => {
                let texts = ticks
                    .iter()
                    .map(|(_, label)| 2.0 * sizes.legend + text_width(label, sizes.legend));
                width = texts.fold(width.max(text_width(title, sizes.legend)), f64::max);
                height += title_height(title, sizes) + *length + text_height(sizes.legend);
            }
        }
    }
    LegendBlock {
        parts,
        width,
        height,
        is_below: false,
        step: 0.0,
    }
}

fn cut_entries(entries: &mut Vec<LegendEntry>, lines: usize) {
    if entries.len() > lines {
        let more = entries.len() - lines.saturating_sub(1);
        entries.truncate(lines.saturating_sub(1));
        entries.push(LegendEntry {
            sign: LegendSign::None,
            text: format!("and {more} more"),
        });
    }
}

/// A legend below, in columns of one width; gradients are left out.
fn below_block(mut parts: Vec<LegendPart>, sizes: &LayoutSizes, room: SceneBox) -> LegendBlock {
    parts.retain(|part| matches!(part, LegendPart::Entries { .. }));
    let mut step = 1.0_f64;
    for part in &parts {
        if let LegendPart::Entries { entries, sign, .. } = part {
            step = entries
                .iter()
                .map(|entry| *sign + text_width(&entry.text, sizes.legend) + sizes.legend)
                .fold(step, f64::max);
        }
    }
    let per_line = ((room.width * 0.9 / step) as usize).max(1);
    let most = 0.3 * room.height;
    let mut height = 0.0;
    for part in &mut parts {
        if let LegendPart::Entries {
            title,
            entries,
            line,
            ..
        } = part
        {
            let lines = ((most - height - title_height(title, sizes)) / *line).max(1.0) as usize;
            cut_entries(entries, lines * per_line);
            height += title_height(title, sizes) + entries.len().div_ceil(per_line) as f64 * *line;
        }
    }
    LegendBlock {
        parts,
        width: room.width,
        height,
        is_below: true,
        step,
    }
}

impl LegendBlock {
    /// Draws the legend from its upper left corner.
    pub(crate) fn draw(&self, builder: &mut SceneBuilder<'_>, (left, top): (f64, f64)) {
        let sizes = builder.sizes;
        let mut y = top;
        let per_line = if self.is_below {
            ((self.width * 0.9 / self.step) as usize).max(1)
        } else {
            1
        };
        for part in &self.parts {
            let title = match part {
                LegendPart::Entries { title, .. } | LegendPart::Gradient { title, .. } => title,
            };
            if !title.is_empty() {
                let colour = builder.plot.theme.ink();
                write(
                    builder,
                    title.clone(),
                    (left, y + 1.0 * sizes.legend),
                    colour,
                );
                y += title_height(title, &sizes);
            }
            match part {
                LegendPart::Entries {
                    entries,
                    line,
                    sign,
                    ..
                } => {
                    for (index, entry) in entries.iter().enumerate() {
                        let x = left + (index % per_line) as f64 * self.step;
                        let middle = y + (index / per_line) as f64 * line + line / 2.0;
                        draw_sign(builder, &entry.sign, x, middle, *sign - 0.6 * sizes.legend);
                        let colour = builder.plot.theme.soft_ink();
                        write(
                            builder,
                            entry.text.clone(),
                            (x + sign, middle + CAP_HEIGHT * sizes.legend / 2.0),
                            colour,
                        );
                    }
                    y += entries.len().div_ceil(per_line) as f64 * line
                        + if self.is_below { 0.0 } else { 0.8 * sizes.pad };
                }
                LegendPart::Gradient {
                    palette,
                    is_reversed,
                    ticks,
                    length,
                    ..
                } => {
                    let y_top = y + text_height(sizes.legend) / 2.0;
                    draw_gradient(builder, (left, y_top), *length, *palette, *is_reversed);
                    for (share, label) in ticks {
                        let place = y_top + (1.0 - share) * length;
                        let colour = builder.plot.theme.soft_ink();
                        write(
                            builder,
                            label.clone(),
                            (
                                left + 2.0 * sizes.legend,
                                place + CAP_HEIGHT * sizes.legend / 2.0,
                            ),
                            colour,
                        );
                        let axis = builder.plot.theme.axis();
                        builder.line(
                            (left + 1.3 * sizes.legend, place),
                            (left + 1.6 * sizes.legend, place),
                            axis,
                            1.0,
                        );
                    }
                    y += length + text_height(sizes.legend);
                }
            }
        }
    }
}

fn write(builder: &mut SceneBuilder<'_>, text: String, (x, y): (f64, f64), colour: PlotColour) {
    let size = builder.sizes.legend;
    builder.add_text(TextRun {
        text,
        x,
        y,
        size,
        anchor: TextAnchor::Start,
        is_vertical: false,
        colour,
        role: TextRole::Legend,
    });
}

fn draw_sign(builder: &mut SceneBuilder<'_>, sign: &LegendSign, left: f64, middle: f64, room: f64) {
    let size = builder.sizes.legend;
    let centre = left + room / 2.0;
    match sign {
        LegendSign::None => {}
        LegendSign::Point {
            shape,
            radius,
            colour,
        } => builder.items.push(SceneItem::Points(PointCloud {
            shape: *shape,
            radius: *radius,
            fill: Some(*colour),
            stroke: None,
            centres: vec![[centre as f32, middle as f32]],
        })),
        LegendSign::Line(colour) => builder.items.push(SceneItem::Path {
            steps: vec![
                PathStep::Move(left, middle),
                PathStep::Line(left + 1.3 * size, middle),
            ],
            fill: None,
            stroke: Some(SceneStroke::plain(*colour, 2.2 * builder.sizes.scale)),
        }),
        LegendSign::Field(colour) => builder.items.push(SceneItem::Rectangle {
            place: SceneBox::new(
                left + 0.1 * size,
                middle - 0.45 * size,
                1.1 * size,
                0.9 * size,
            ),
            fill: Some(*colour),
            stroke: None,
        }),
    }
}

/// A bar of colours, in steps that no eye tells apart.
fn draw_gradient(
    builder: &mut SceneBuilder<'_>,
    (left, top): (f64, f64),
    length: f64,
    palette: GradientPalette,
    is_reversed: bool,
) {
    const STEPS: usize = 64;
    for step in 0..STEPS {
        let share = 1.0 - (step as f64 + 0.5) / STEPS as f64;
        let from = top + length * step as f64 / STEPS as f64;
        // A little longer, so that no seam shows.
        let height = length / STEPS as f64 + if step + 1 < STEPS { 0.6 } else { 0.0 };
        builder.items.push(SceneItem::Rectangle {
            place: SceneBox::new(left, from, 1.3 * builder.sizes.legend, height),
            fill: Some(palette.colour(if is_reversed { 1.0 - share } else { share })),
            stroke: None,
        });
    }
}
