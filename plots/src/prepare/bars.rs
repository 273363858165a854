//! Bars, cells, rules, ticks and texts: marks with a shape for each row.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::ChannelColumn;
use super::context::LayerContext;
use super::layers::LayerColumns;
use super::marks::{AxisPlace, MarkBox, MarkText, PanelMark, PanelPlace};
use crate::colour::PlotColour;
use crate::error::PlotError;
use crate::limits::SHAPES_MAX;
use crate::scene::SceneStroke;
use crate::specification::{
    AggregateKind, ChannelDefinition, FieldKind, MarkKind, PlotLayer, StackMode,
};

/// Whether the values of bars, areas and boxes run across, with their places along y.
pub(crate) fn is_upright(layer: &PlotLayer, columns: &LayerColumns) -> bool {
    let (Some(x), Some(y)) = (&columns.x, &columns.y) else {
        // A box of one field lies along it.
        return columns.x.is_some()
            && columns.y.is_none()
            && matches!(
                layer.mark,
                MarkKind::Box | MarkKind::Violin | MarkKind::ErrorBar
            );
    };
    match (x.kind, y.kind) {
        (FieldKind::Category, _) => false,
        (_, FieldKind::Category) => true,
        _ if x.width.is_some() => false,
        _ if y.width.is_some() => true,
        (FieldKind::Quantity, FieldKind::Time) => true,
        _ => {
            columns.x2.is_some()
                && columns.y2.is_none()
                && matches!(layer.mark, MarkKind::Bar | MarkKind::Area | MarkKind::Band)
        }
    }
}

/// The places of shapes along an axis: bands of categories, intervals, or as wide as the least distance of two values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BandSlots {
    /// Whole width of a place: in bands, or in units of the axis.
    width: f64,
    is_category: bool,
    /// Width of the interval that begins at each value.
    interval: Option<f64>,
    count: usize,
}

impl BandSlots {
    /// Slots for `count` shapes beside each other in a share of each place.
    pub(crate) fn new(column: Option<&ChannelColumn>, count: usize, share: f64) -> Self {
        let is_category = column.is_none_or(ChannelColumn::is_category);
        let interval = column.and_then(|column| column.width);
        let width = match column {
            Some(column) if !is_category => share * least_distance(column).unwrap_or(1.0),
            _ => share,
        };
        Self {
            width,
            is_category,
            interval,
            count: count.max(1),
        }
    }

    /// The ends of a slot.
    pub(crate) fn span(&self, value: f64, slot: usize) -> [AxisPlace; 2] {
        let share = |part: usize| part as f64 / self.count as f64;
        if let Some(interval) = self.interval {
            let end = |part: usize, pixels: f64| AxisPlace {
                value: value + interval * share(part),
                bands: 0.0,
                pixels,
            };
            return [end(slot, 0.5), end(slot + 1, -0.5)];
        }
        [slot, slot + 1].map(|part| self.beside(value, self.width * (share(part) - 0.5)))
    }

    /// The middle of a slot.
    pub(crate) fn centre(&self, value: f64, slot: usize) -> AxisPlace {
        let middle = (slot as f64 + 0.5) / self.count as f64;
        match self.interval {
            Some(interval) => AxisPlace::at(value + interval * middle),
            None => self.beside(value, self.width * (middle - 0.5)),
        }
    }

    /// A place beside the middle of a slot by a share of its half width.
    pub(crate) fn within(&self, value: f64, slot: usize, share: f64) -> AxisPlace {
        let [start, end] = self.span(value, slot);
        let mix = |a: f64, b: f64| (a + b) / 2.0 + share * (b - a) / 2.0;
        AxisPlace {
            value: mix(start.value, end.value),
            bands: mix(start.bands, end.bands),
            pixels: 0.0,
        }
    }

    fn beside(&self, value: f64, away: f64) -> AxisPlace {
        if self.is_category {
            AxisPlace::in_band(value, away)
        } else {
            AxisPlace::at(value + away)
        }
    }
}

/// The least distance of two different values.
fn least_distance(column: &ChannelColumn) -> Option<f64> {
    let mut sorted: Vec<f64> = column.finite().collect();
    sorted.sort_by(f64::total_cmp);
    let gaps = sorted
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|gap| *gap > 0.0);
    gaps.min_by(f64::total_cmp)
}

/// The places `[x, y]` of a place along an axis and one of the values.
pub(crate) fn oriented<T>(is_upright: bool, along: T, value: T) -> [T; 2] {
    if is_upright {
        [value, along]
    } else {
        [along, value]
    }
}

pub(crate) fn check_shapes(context: &LayerContext<'_>, count: usize) -> Result<(), PlotError> {
    if count > SHAPES_MAX {
        return Err(PlotError::TooMany {
            place: context.layer.place.clone(),
            what: format!("shapes of the mark `{}`", context.layer.mark.name()),
            found: count,
            most: SHAPES_MAX,
        });
    }
    Ok(())
}

/// How bars or areas of one place are put together.
pub(crate) fn stack_mode(channel: Option<&ChannelDefinition>, is_divided: bool) -> StackMode {
    let stated = channel.and_then(|channel| channel.stack);
    let adds_up = channel.is_none_or(|channel| {
        matches!(
            channel.aggregate,
            None | Some(AggregateKind::Count | AggregateKind::Sum)
        )
    });
    match stated {
        Some(mode) => mode,
        None if !is_divided => StackMode::Overlay,
        None if adds_up => StackMode::Zero,
        // Means on top of each other mean nothing.
        None => StackMode::Grouped,
    }
}

/// Whether several colours meet at one place.
fn is_divided(context: &LayerContext<'_>, along: Option<&ChannelColumn>, rows: &[u32]) -> bool {
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    let place = |row: u32| along.map_or(0, |column| column.values[row as usize].to_bits());
    rows.iter().any(|&row| {
        let level = context.colour_level(row).unwrap_or(usize::MAX);
        *seen.entry(place(row)).or_insert(level) != level
    })
}

/// The slots of a layer, and the slot of each row's colour.
pub(crate) fn colour_slots(
    context: &LayerContext<'_>,
    along: Option<&ChannelColumn>,
    rows: &[u32],
    share: f64,
) -> (BandSlots, bool) {
    let divided = is_divided(context, along, rows);
    let colours = context
        .columns
        .color
        .as_ref()
        .map_or(1, |column| column.levels.len());
    (
        BandSlots::new(along, if divided { colours } else { 1 }, share),
        divided,
    )
}

/// Bars.
pub(crate) fn bar_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let columns = context.columns;
    let upright = is_upright(context.layer, columns);
    let channels = &context.layer.channels;
    let (along, value) = if upright {
        (&columns.y, &columns.x)
    } else {
        (&columns.x, &columns.y)
    };
    let (value_channel, value_end, along_end) = if upright {
        (&channels.x, &columns.x2, &columns.y2)
    } else {
        (&channels.y, &columns.y2, &columns.x2)
    };
    let value = value
        .as_ref()
        .ok_or_else(|| context.missing_channel(if upright { "x" } else { "y" }))?;
    let along = along.as_ref();
    let rows: Vec<u32> = context
        .row_list()
        .into_iter()
        .filter(|&row| {
            value.values[row as usize].is_finite()
                && along.is_none_or(|column| column.values[row as usize].is_finite())
        })
        .collect();
    check_shapes(context, rows.len())?;
    let divided = is_divided(context, along, &rows);
    let mode = if value_end.is_some() {
        StackMode::Overlay
    } else {
        stack_mode(value_channel.as_ref(), divided)
    };
    let colours = columns
        .color
        .as_ref()
        .map_or(1, |column| column.levels.len());
    let slots = BandSlots::new(
        along,
        if mode == StackMode::Grouped && divided {
            colours
        } else {
            1
        },
        0.78,
    );
    let opacity = context.opacity(if mode == StackMode::Overlay && divided {
        0.65
    } else {
        1.0
    });
    // The first colour is on top, as in the legend; across, where one reads from the left, it comes first.
    let mut order = rows;
    if matches!(mode, StackMode::Zero | StackMode::Normalise) {
        order.sort_by_key(|&row| context.colour_level(row).unwrap_or(usize::MAX));
        if !upright {
            order.reverse();
        }
    }
    let place_of = |row: u32| along.map_or(0.0, |column| column.values[row as usize]);
    let mut wholes: BTreeMap<u64, f64> = BTreeMap::new();
    if mode == StackMode::Normalise {
        for &row in &order {
            *wholes.entry(place_of(row).to_bits()).or_insert(0.0) +=
                value.values[row as usize].abs();
        }
    }
    let mut ends: BTreeMap<u64, [f64; 2]> = BTreeMap::new();
    let is_log = context.is_log[usize::from(!upright)];
    let floor = if is_log { f64::NEG_INFINITY } else { 0.0 };
    let boxes = order.iter().map(|&row| {
        let place = place_of(row);
        let mut height = value.values[row as usize];
        if let Some(whole) = wholes.get(&place.to_bits()).filter(|whole| **whole > 0.0) {
            height /= whole;
        }
        let (from, to) = match (mode, value_end) {
            (_, Some(end)) => (end.values[row as usize], height),
            (StackMode::Zero | StackMode::Normalise, None) => {
                let stack = ends.entry(place.to_bits()).or_insert([0.0; 2]);
                let end = &mut stack[usize::from(height < 0.0)];
                let start = *end;
                *end += height;
                (if start == 0.0 { floor } else { start }, *end)
            }
            _ => (floor, height),
        };
        let slot = if mode == StackMode::Grouped && divided {
            context.colour_level(row).unwrap_or(0)
        } else {
            0
        };
        let along_span = match along_end {
            Some(end) => [
                AxisPlace {
                    pixels: 0.5,
                    ..AxisPlace::at(place)
                },
                AxisPlace {
                    pixels: -0.5,
                    ..AxisPlace::at(end.values[row as usize])
                },
            ],
            None => slots.span(place, slot),
        };
        let [x, y] = oriented(
            upright,
            along_span,
            [AxisPlace::at(from), AxisPlace::at(to)],
        );
        MarkBox {
            x,
            y,
            fill: Some(context.colour(row).with_opacity(opacity)),
        }
    });
    let boxes: Vec<MarkBox> = boxes.collect();
    Ok(if boxes.is_empty() {
        Vec::new()
    } else {
        vec![PanelMark::Boxes {
            boxes,
            stroke: None,
        }]
    })
}

/// Rectangles.
pub(crate) fn rect_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let columns = context.columns;
    if columns.x.is_none() && columns.y.is_none() {
        return Err(context.missing_channel("x"));
    }
    let ends = |column: &Option<ChannelColumn>,
                other: &Option<ChannelColumn>,
                slots: &BandSlots,
                row: u32| match (column, other) {
        (None, _) => Some([
            AxisPlace::at(f64::NEG_INFINITY),
            AxisPlace::at(f64::INFINITY),
        ]),
        (Some(column), Some(end)) => {
            let ends = [column.values[row as usize], end.values[row as usize]];
            ends.iter()
                .all(|end| end.is_finite())
                .then(|| ends.map(AxisPlace::at))
        }
        (Some(column), None) => {
            let value = column.values[row as usize];
            value.is_finite().then(|| {
                let [start, end] = slots.span(value, 0);
                [
                    AxisPlace {
                        pixels: 0.0,
                        ..start
                    },
                    AxisPlace { pixels: 0.0, ..end },
                ]
            })
        }
    };
    let rows = context.row_list();
    check_shapes(context, rows.len())?;
    let across = BandSlots::new(columns.x.as_ref(), 1, 1.0);
    let upwards = BandSlots::new(columns.y.as_ref(), 1, 1.0);
    let is_region = columns.color.is_none();
    let opacity = context.opacity(if is_region { 0.2 } else { 1.0 });
    let boxes: Vec<MarkBox> = rows
        .into_iter()
        .filter_map(|row| {
            let x = ends(&columns.x, &columns.x2, &across, row)?;
            let y = ends(&columns.y, &columns.y2, &upwards, row)?;
            Some(MarkBox {
                x,
                y,
                fill: Some(context.colour(row).with_opacity(opacity)),
            })
        })
        .collect();
    Ok(if boxes.is_empty() {
        Vec::new()
    } else {
        vec![PanelMark::Boxes {
            boxes,
            stroke: None,
        }]
    })
}

/// Segments by colour, in the order of their colours.
pub(crate) fn segments_by_colour(
    segments: impl Iterator<Item = (PlotColour, [PanelPlace; 2])>,
    width: f64,
    dashes: &[f64],
) -> Vec<PanelMark> {
    let mut by_colour: BTreeMap<PlotColour, Vec<[PanelPlace; 2]>> = BTreeMap::new();
    for (colour, segment) in segments {
        by_colour.entry(colour).or_default().push(segment);
    }
    let mark = |(colour, segments)| PanelMark::Segments {
        segments,
        stroke: SceneStroke {
            colour,
            width,
            dashes: dashes.to_vec(),
        },
    };
    by_colour.into_iter().map(mark).collect()
}

/// Rules: across the whole panel, or between two places.
pub(crate) fn rule_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let columns = context.columns;
    if columns.x.is_none() && columns.y.is_none() {
        return Err(context.missing_channel("y"));
    }
    let rows = context.row_list();
    check_shapes(context, rows.len())?;
    let ends = |column: &Option<ChannelColumn>,
                other: &Option<ChannelColumn>,
                has_end: bool,
                row: u32|
     -> Option<[AxisPlace; 2]> {
        let Some(column) = column else {
            return Some([
                AxisPlace::at(f64::NEG_INFINITY),
                AxisPlace::at(f64::INFINITY),
            ]);
        };
        let start = column.values[row as usize];
        let end = match other {
            Some(end) => end.values[row as usize],
            // A rule of one axis with both ends is a bar of its own.
            None if has_end => start,
            None => start,
        };
        (start.is_finite() && end.is_finite()).then(|| [AxisPlace::at(start), AxisPlace::at(end)])
    };
    let plain = context.style.colour.unwrap_or_else(|| context.theme.ink());
    let has_colour = columns.color.is_some();
    let segments = rows.into_iter().filter_map(|row| {
        let x = ends(&columns.x, &columns.x2, columns.y2.is_some(), row)?;
        let y = ends(&columns.y, &columns.y2, columns.x2.is_some(), row)?;
        let colour = if has_colour {
            context.colour(row)
        } else {
            plain
        };
        Some((
            colour.with_opacity(context.opacity(0.9)),
            [[x[0], y[0]], [x[1], y[1]]],
        ))
    });
    let mut seen: BTreeSet<String> = BTreeSet::new();
    // The same rule for every row is drawn once.
    let segments = segments.filter(|one| columns.rows < 2 || seen.insert(format!("{one:?}")));
    let width = context.style.stroke_width.unwrap_or(1.4) * context.font_scale;
    Ok(segments_by_colour(segments, width, &context.style.dashes))
}

/// Short strokes at the rows.
pub(crate) fn tick_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let columns = context.columns;
    if columns.x.is_none() && columns.y.is_none() {
        return Err(context.missing_channel("x"));
    }
    let rows = context.row_list();
    check_shapes(context, rows.len())?;
    let upright = match (&columns.x, &columns.y) {
        (Some(x), Some(_)) => !x.is_category(),
        (None, _) => false,
        _ => true,
    };
    let half = 6.0 * context.font_scale;
    let segments = rows.into_iter().filter_map(|row| {
        let value = |column: &Option<ChannelColumn>| {
            column.as_ref().map_or(Some(0.0), |column| {
                Some(column.values[row as usize]).filter(|value| value.is_finite())
            })
        };
        let (x, y) = (value(&columns.x)?, value(&columns.y)?);
        let spread = |value: f64, column: &Option<ChannelColumn>| {
            let is_category = column.as_ref().is_none_or(ChannelColumn::is_category);
            [-1.0, 1.0].map(|side| match is_category && column.is_some() {
                true => AxisPlace::in_band(value, 0.3 * side),
                false => AxisPlace {
                    value,
                    bands: 0.0,
                    pixels: half * side,
                },
            })
        };
        let segment = if upright {
            let [low, high] = spread(y, &columns.y);
            [[AxisPlace::at(x), low], [AxisPlace::at(x), high]]
        } else {
            let [low, high] = spread(x, &columns.x);
            [[low, AxisPlace::at(y)], [high, AxisPlace::at(y)]]
        };
        Some((
            context.colour(row).with_opacity(context.opacity(0.7)),
            segment,
        ))
    });
    let width = context.style.stroke_width.unwrap_or(1.5) * context.font_scale;
    Ok(segments_by_colour(segments, width, &[]))
}

/// Texts at the rows; in the middle of an axis without a channel.
pub(crate) fn text_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    /// More are never apart from each other.
    const TEXTS_MAX: usize = 3000;
    let columns = context.columns;
    let words = columns
        .text
        .as_ref()
        .ok_or_else(|| context.missing_channel("text"))?;
    let has_colour = columns.color.is_some();
    let plain = context.style.colour.unwrap_or_else(|| context.theme.ink());
    let texts: Vec<MarkText> = context
        .row_list()
        .into_iter()
        .filter_map(|row| {
            let place = |column: &Option<ChannelColumn>| match column {
                Some(column) => {
                    let value = column.values[row as usize];
                    let middle = column.width.unwrap_or(0.0) / 2.0;
                    value.is_finite().then(|| AxisPlace::at(value + middle))
                }
                None => Some(AxisPlace::at(f64::NAN)),
            };
            let value = words.values[row as usize];
            let text = if words.is_category() {
                words.levels.get(value as usize)?.clone()
            } else {
                words.words(value)
            };
            let colour = if has_colour {
                context.colour(row)
            } else {
                plain
            };
            (value.is_finite() && !text.is_empty()).then_some(())?;
            Some(MarkText {
                place: [place(&columns.x)?, place(&columns.y)?],
                text,
                colour,
            })
        })
        .take(TEXTS_MAX)
        .collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let size = context.style.size.unwrap_or(11.0).clamp(1.0, 200.0) * context.font_scale;
    Ok(vec![PanelMark::Texts {
        texts,
        size,
        shift: context.style.shift,
    }])
}
