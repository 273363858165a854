//! Lines, areas, bands, points and fitted lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bars::{check_shapes, is_upright, oriented, stack_mode};
use super::columns::ChannelColumn;
use super::context::LayerContext;
use super::distributions::interval_of;
use super::marks::{AxisPlace, MarkPoints, PanelMark};
use super::statistics::fit_line;
use crate::colour::PlotColour;
use crate::error::PlotError;
use crate::scene::SceneStroke;
use crate::specification::{FieldKind, LineInterpolation, StackMode};

fn both<'a>(
    context: &LayerContext<'a>,
) -> Result<(&'a ChannelColumn, &'a ChannelColumn), PlotError> {
    let columns = context.columns;
    match (&columns.x, &columns.y) {
        (Some(x), Some(y)) => Ok((x, y)),
        (None, _) => Err(context.missing_channel("x")),
        (_, None) => Err(context.missing_channel("y")),
    }
}

/// Whether a place may come after another: not before it, and a missing one anywhere.
fn follows(before: f64, after: f64) -> bool {
    before <= after || before.is_nan() || after.is_nan()
}

/// The rows in the order of their places; `None` stays where they are in order already.
fn in_order(along: &[f64], rows: Option<Vec<u32>>) -> Option<Vec<u32>> {
    let is_sorted = match &rows {
        Some(rows) => rows
            .windows(2)
            .all(|pair| follows(along[pair[0] as usize], along[pair[1] as usize])),
        None => along.windows(2).all(|pair| follows(pair[0], pair[1])),
    };
    if is_sorted {
        return rows;
    }
    let mut rows = rows.unwrap_or_else(|| (0..along.len() as u32).collect());
    rows.sort_by(|&a, &b| along[a as usize].total_cmp(&along[b as usize]));
    Some(rows)
}

fn has_point(x: &[f64], y: &[f64], rows: Option<&[u32]>) -> bool {
    let is_point = |row: usize| x[row].is_finite() && y[row].is_finite();
    match rows {
        Some(rows) => rows.iter().any(|&row| is_point(row as usize)),
        None => (0..x.len()).any(is_point),
    }
}

/// Lines, one for each colour, shape and detail.
pub(crate) fn line_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let (x, y) = both(context)?;
    let is_upright = x.kind == FieldKind::Quantity && y.kind != FieldKind::Quantity;
    let along = if is_upright { y } else { x };
    let mut marks = Vec::new();
    let mut markers = Vec::new();
    for group in context.groups() {
        let rows = match context.style.keeps_order {
            true => group.rows,
            false => in_order(&along.values, group.rows),
        };
        if !has_point(&x.values, &y.values, rows.as_deref()) {
            continue;
        }
        let colour = context
            .colour(group.first)
            .with_opacity(context.opacity(1.0));
        // One point alone is no line: it shows as a point.
        let finite = rows.as_ref().map_or(x.values.len(), Vec::len);
        if context.style.has_points || finite == 1 {
            markers.push(PanelMark::Points(MarkPoints {
                x: Arc::clone(&x.values),
                y: Arc::clone(&y.values),
                rows: rows.clone(),
                shape: context.style.shape.unwrap_or_default(),
                radius: 3.0 * context.font_scale,
                fill: Some(colour),
                stroke: None,
                bands: [0.0; 2],
            }));
        }
        let width = context.style.stroke_width.unwrap_or(2.0) * context.font_scale;
        marks.push(PanelMark::Line {
            x: Arc::clone(&x.values),
            y: Arc::clone(&y.values),
            rows,
            stroke: SceneStroke {
                colour,
                width,
                dashes: context.style.dashes.clone(),
            },
            interpolation: context.style.interpolation,
            is_upright,
        });
    }
    marks.extend(markers);
    Ok(marks)
}

/// Areas: between curves, from zero, or stacked.
pub(crate) fn area_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let (x, y) = both(context)?;
    let upright = is_upright(context.layer, context.columns);
    let (along, value) = if upright { (y, x) } else { (x, y) };
    let (end, channel) = if upright {
        (&context.columns.x2, &context.layer.channels.x)
    } else {
        (&context.columns.y2, &context.layer.channels.y)
    };
    if let Some(end) = end {
        return Ok(between_curves(
            context,
            along,
            value,
            end,
            upright,
            context.opacity(0.5),
        ));
    }
    let mut groups = context.groups();
    let mode = stack_mode(channel.as_ref(), groups.len() > 1);
    let is_stacked = matches!(mode, StackMode::Zero | StackMode::Normalise);
    if is_stacked && !upright {
        // The first colour is on top, as in the legend.
        groups.reverse();
    }
    // The sums of each group over all places.
    let mut places: BTreeMap<i64, f64> = BTreeMap::new();
    let key = |place: f64| {
        let bits = (place + 0.0).to_bits() as i64;
        if bits < 0 { bits ^ i64::MAX } else { bits }
    };
    let mut sums: Vec<BTreeMap<i64, f64>> = Vec::with_capacity(groups.len());
    for group in &groups {
        let mut own: BTreeMap<i64, f64> = BTreeMap::new();
        for row in group.list(context.columns.rows) {
            let (place, height) = (along.values[row as usize], value.values[row as usize]);
            if place.is_finite() && height.is_finite() {
                places.insert(key(place), place);
                *own.entry(key(place)).or_insert(0.0) += height;
            }
        }
        sums.push(own);
    }
    let mut base = vec![0.0; places.len()];
    let wholes: Vec<f64> = places
        .keys()
        .map(|key| {
            sums.iter()
                .filter_map(|own| own.get(key))
                .map(|height| height.abs())
                .sum()
        })
        .collect();
    let mut marks = Vec::new();
    for (group, own) in groups.iter().zip(&sums).filter(|(_, own)| !own.is_empty()) {
        let colour = context.colour(group.first);
        let (mut at, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (key, &place)) in places.iter().enumerate() {
            let height = match own.get(key) {
                Some(&height) => height,
                None if is_stacked => 0.0,
                None => continue,
            };
            let height = if mode == StackMode::Normalise && wholes[index] > 0.0 {
                height / wholes[index]
            } else {
                height
            };
            at.push(place);
            if is_stacked {
                low.push(base[index]);
                base[index] += height;
                high.push(base[index]);
            } else {
                low.push(if context.is_log[usize::from(!upright)] {
                    f64::NEG_INFINITY
                } else {
                    0.0
                });
                high.push(height);
            }
        }
        let fill = colour.with_opacity(context.opacity(if is_stacked { 0.9 } else { 0.35 }));
        let outline = (!is_stacked).then(|| (Arc::from(at.as_slice()), Arc::from(high.as_slice())));
        marks.push(PanelMark::Area {
            along: at,
            low,
            high,
            fill,
            interpolation: context.style.interpolation,
            is_upright: upright,
        });
        if let Some((at, high)) = outline {
            let [x, y]: [Arc<[f64]>; 2] = oriented(upright, at, high);
            marks.push(PanelMark::Line {
                x,
                y,
                rows: None,
                stroke: SceneStroke::plain(colour, 1.8 * context.font_scale),
                interpolation: context.style.interpolation,
                is_upright: upright,
            });
        }
    }
    Ok(marks)
}

/// The area between two curves of each group.
fn between_curves(
    context: &LayerContext<'_>,
    along: &ChannelColumn,
    value: &ChannelColumn,
    end: &ChannelColumn,
    is_upright: bool,
    opacity: f64,
) -> Vec<PanelMark> {
    let mut marks = Vec::new();
    for group in context.groups() {
        let rows =
            in_order(&along.values, Some(group.list(context.columns.rows))).unwrap_or_default();
        let is_whole = |row: &&u32| {
            [along, value, end]
                .iter()
                .all(|column| column.values[**row as usize].is_finite())
        };
        let rows: Vec<u32> = rows.iter().filter(is_whole).copied().collect();
        if rows.is_empty() {
            continue;
        }
        let pick = |column: &ChannelColumn| {
            rows.iter()
                .map(|&row| column.values[row as usize])
                .collect()
        };
        marks.push(PanelMark::Area {
            along: pick(along),
            low: pick(end),
            high: pick(value),
            fill: context.colour(group.first).with_opacity(opacity),
            interpolation: context.style.interpolation,
            is_upright,
        });
    }
    marks
}

/// Bands: between `y` and `y2`, or around the mean of the rows of each place.
pub(crate) fn band_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let (x, y) = both(context)?;
    let upright = is_upright(context.layer, context.columns);
    let (along, value) = if upright { (y, x) } else { (x, y) };
    let end = if upright {
        &context.columns.x2
    } else {
        &context.columns.y2
    };
    let opacity = context.opacity(0.25);
    if let Some(end) = end {
        return Ok(between_curves(context, along, value, end, upright, opacity));
    }
    let mut marks = Vec::new();
    for group in context.groups() {
        let rows =
            in_order(&along.values, Some(group.list(context.columns.rows))).unwrap_or_default();
        let (mut at, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for rows in rows.chunk_by(|&a, &b| along.values[a as usize] == along.values[b as usize]) {
            let mut cells: Vec<f64> = rows
                .iter()
                .map(|&row| value.values[row as usize])
                .filter(|cell| cell.is_finite())
                .collect();
            let place = along.values[rows[0] as usize];
            if place.is_finite() && !cells.is_empty() {
                let [from, to] = interval_of(&mut cells, context.style.extent);
                at.push(place);
                low.push(from);
                high.push(to);
            }
        }
        if !at.is_empty() {
            let fill = context.colour(group.first).with_opacity(opacity);
            marks.push(PanelMark::Area {
                along: at,
                low,
                high,
                fill,
                interpolation: context.style.interpolation,
                is_upright: upright,
            });
        }
    }
    Ok(marks)
}

/// Points.
pub(crate) fn point_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let columns = context.columns;
    if columns.x.is_none() && columns.y.is_none() {
        return Err(context.missing_channel("x"));
    }
    let zeros: Arc<[f64]> = match (&columns.x, &columns.y) {
        (Some(_), Some(_)) => Arc::default(),
        _ => vec![0.0; columns.rows].into(),
    };
    // The middle of an interval.
    let places = |column: &Option<ChannelColumn>| match column {
        Some(ChannelColumn {
            width: Some(width),
            values,
            ..
        }) => values.iter().map(|value| value + width / 2.0).collect(),
        Some(column) => Arc::clone(&column.values),
        None => Arc::clone(&zeros),
    };
    let (x, y): (Arc<[f64]>, Arc<[f64]>) = (places(&columns.x), places(&columns.y));
    let count = context.rows.map_or(columns.rows, <[u32]>::len);
    let (radius, opacity) = match count {
        0..=60 => (4.2, 0.9),
        61..=400 => (3.6, 0.8),
        401..=3000 => (2.6, 0.65),
        3001..=30_000 => (1.8, 0.5),
        _ => (1.2, 0.6),
    };
    let opacity = context.opacity(opacity);
    let radius = context.style.size.map_or(radius, |area| {
        libm::sqrt(area / std::f64::consts::PI).clamp(0.3, 200.0)
    }) * context.font_scale;
    let sizes = columns.size.as_ref().zip(context.guides.sizes.as_ref());
    let by_quantity = columns
        .color
        .as_ref()
        .filter(|column| !column.is_category());
    let is_filled = context.style.is_filled.unwrap_or(true);
    let mark = |rows: Option<Vec<u32>>, radius: f64, colour: PlotColour, first: u32| {
        let shape = match (&columns.shape, &context.guides.shapes) {
            (Some(column), Some(shapes)) if column.values[first as usize].is_finite() => {
                shapes.shape(column.values[first as usize] as usize)
            }
            _ => context.style.shape.unwrap_or_default(),
        };
        let thin = SceneStroke::plain(colour, 1.4 * context.font_scale);
        PanelMark::Points(MarkPoints {
            x: Arc::clone(&x),
            y: Arc::clone(&y),
            rows,
            shape,
            radius,
            fill: is_filled.then(|| colour.with_opacity(opacity)),
            stroke: (!is_filled).then_some(thin),
            bands: [0.0; 2],
        })
    };
    let mut marks = Vec::new();
    for group in context.groups() {
        if sizes.is_none() && by_quantity.is_none() {
            if has_point(&x, &y, group.rows.as_deref()) {
                marks.push(mark(
                    group.rows,
                    radius,
                    context.colour(group.first),
                    group.first,
                ));
            }
            continue;
        }
        // Looks in steps, so that points of nearly one look are one cloud.
        let mut looks: BTreeMap<(u32, PlotColour), Vec<u32>> = BTreeMap::new();
        for row in group.list(columns.rows) {
            let at = row as usize;
            let own = match sizes {
                Some((column, sizes)) if column.values[at].is_finite() => {
                    sizes.radius(column.values[at]) * context.font_scale
                }
                Some(_) => continue,
                None => radius,
            };
            let colour = match (by_quantity, &context.guides.quantities) {
                (Some(column), Some(colours)) if column.values[at].is_finite() => {
                    let step = libm::round(
                        colours.scale.fraction(column.values[at]).clamp(0.0, 1.0) * 63.0,
                    ) / 63.0;
                    colours.palette.colour(if colours.is_reversed {
                        1.0 - step
                    } else {
                        step
                    })
                }
                _ => context.colour(row),
            };
            if x[at].is_finite() && y[at].is_finite() {
                // Large points lie below small ones.
                looks
                    .entry((u32::MAX - libm::round(own * 4.0) as u32, colour))
                    .or_default()
                    .push(row);
            }
        }
        for ((size, colour), rows) in looks {
            let first = rows[0];
            marks.push(mark(
                Some(rows),
                f64::from(u32::MAX - size) / 4.0,
                colour,
                first,
            ));
        }
    }
    Ok(marks)
}

/// Lines of least squares with the interval of their mean, one for each colour.
pub(crate) fn fit_marks(context: &LayerContext<'_>) -> Vec<PanelMark> {
    const PLACES: usize = 48;
    let (Some(x), Some(y)) = (&context.columns.x, &context.columns.y) else {
        return Vec::new();
    };
    if x.is_category() || y.is_category() {
        return Vec::new();
    }
    let mut marks = Vec::new();
    let mut lines = Vec::new();
    for group in context.groups() {
        let points: Vec<(f64, f64)> = match &group.rows {
            Some(rows) => rows
                .iter()
                .map(|&row| (x.values[row as usize], y.values[row as usize]))
                .collect(),
            None => x
                .values
                .iter()
                .copied()
                .zip(y.values.iter().copied())
                .collect(),
        };
        let Some(fit) = fit_line(points.into_iter()) else {
            continue;
        };
        let colour = context.colour(group.first);
        let [from, to] = fit.x_range;
        let at: Vec<f64> = (0..=PLACES)
            .map(|index| {
                let share = index as f64 / PLACES as f64;
                if context.is_log[0] && from > 0.0 {
                    from * libm::pow(to / from, share)
                } else {
                    from + (to - from) * share
                }
            })
            .collect();
        let values: Vec<f64> = at.iter().map(|&x| fit.value(x)).collect();
        if fit.count > 2 {
            marks.push(PanelMark::Area {
                low: at
                    .iter()
                    .zip(&values)
                    .map(|(&x, value)| value - fit.margin(x))
                    .collect(),
                high: at
                    .iter()
                    .zip(&values)
                    .map(|(&x, value)| value + fit.margin(x))
                    .collect(),
                along: at.clone(),
                fill: colour.with_opacity(0.16),
                interpolation: LineInterpolation::Linear,
                is_upright: false,
            });
        }
        lines.push(PanelMark::Line {
            x: at.into(),
            y: values.into(),
            rows: None,
            stroke: SceneStroke::plain(colour, 2.2 * context.font_scale),
            interpolation: LineInterpolation::Linear,
            is_upright: false,
        });
    }
    marks.extend(lines);
    marks
}

/// Places across and upwards that share a shift in bands.
type ShiftedPlaces = (Vec<f64>, Vec<f64>, [f64; 2]);

/// A cloud of single places.
pub(crate) fn points_at(
    places: Vec<(AxisPlace, AxisPlace)>,
    context: &LayerContext<'_>,
    radius: f64,
    colour: PlotColour,
) -> Result<Vec<PanelMark>, PlotError> {
    check_shapes(context, places.len())?;
    // Shifts in bands differ between slots; a cloud has one shift.
    let mut by_shift: BTreeMap<(u64, u64), ShiftedPlaces> = BTreeMap::new();
    for (x, y) in places {
        let entry = by_shift
            .entry((x.bands.to_bits(), y.bands.to_bits()))
            .or_insert_with(|| (Vec::new(), Vec::new(), [x.bands, y.bands]));
        entry.0.push(x.value);
        entry.1.push(y.value);
    }
    let cloud = |(x, y, bands): ShiftedPlaces| {
        PanelMark::Points(MarkPoints {
            x: x.into(),
            y: y.into(),
            rows: None,
            shape: Default::default(),
            radius,
            fill: Some(colour),
            stroke: None,
            bands,
        })
    };
    Ok(by_shift.into_values().map(cloud).collect())
}
