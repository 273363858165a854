//! Boxes, violins and error bars: what the rows of a place have in common.

use std::collections::BTreeMap;

use super::bars::{BandSlots, colour_slots, is_upright, oriented, segments_by_colour};
use super::columns::ChannelColumn;
use super::context::LayerContext;
use super::curves::points_at;
use super::marks::{AxisPlace, MarkBox, PanelMark, PanelPlace};
use super::statistics::{
    kernel_density, kernel_width, mean_of, quantile_of, student_95, summarise_box, variance_of,
};
use crate::colour::PlotColour;
use crate::error::PlotError;
use crate::scene::SceneStroke;
use crate::specification::ErrorExtent;

/// The sorted values of one place and colour.
struct PlaceValues {
    along: f64,
    slot: usize,
    colour: PlotColour,
    sorted: Vec<f64>,
}

/// The values by place and colour, with the slots that they are drawn in.
struct ValuesByPlace {
    is_upright: bool,
    slots: BandSlots,
    places: Vec<PlaceValues>,
}

fn values_by_place(context: &LayerContext<'_>, share: f64) -> Result<ValuesByPlace, PlotError> {
    let columns = context.columns;
    let upright = is_upright(context.layer, columns);
    let (along, value) = if upright {
        (&columns.y, &columns.x)
    } else {
        (&columns.x, &columns.y)
    };
    let value = value
        .as_ref()
        .ok_or_else(|| context.missing_channel(if upright { "x" } else { "y" }))?;
    if value.is_category() {
        return Err(PlotError::NotNumeric {
            place: format!(
                "{}/encoding/{}",
                context.layer.place,
                if upright { "x" } else { "y" }
            ),
            name: value.title.clone(),
            sample: value.levels.first().cloned().unwrap_or_default(),
        });
    }
    let along = along.as_ref();
    let rows: Vec<u32> = context
        .row_list()
        .into_iter()
        .filter(|&row| {
            value.values[row as usize].is_finite()
                && along.is_none_or(|column| column.values[row as usize].is_finite())
        })
        .collect();
    let (slots, divided) = colour_slots(context, along, &rows, share);
    let mut places: BTreeMap<(i64, usize), PlaceValues> = BTreeMap::new();
    for row in rows {
        let place = along.map_or(0.0, |column| column.values[row as usize]);
        let slot = if divided {
            context.colour_level(row).unwrap_or(0)
        } else {
            0
        };
        let bits = (place + 0.0).to_bits() as i64;
        let key = if bits < 0 { bits ^ i64::MAX } else { bits };
        let entry = places.entry((key, slot)).or_insert_with(|| PlaceValues {
            along: place,
            slot,
            colour: context.colour(row),
            sorted: Vec::new(),
        });
        entry.sorted.push(value.values[row as usize]);
    }
    let mut places: Vec<PlaceValues> = places.into_values().collect();
    super::bars::check_shapes(context, places.len())?;
    for place in &mut places {
        place.sorted.sort_by(f64::total_cmp);
    }
    Ok(ValuesByPlace {
        is_upright: upright,
        slots,
        places,
    })
}

/// Box plots.
pub(crate) fn box_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let found = values_by_place(context, 0.6)?;
    let ink = context.theme.ink();
    let scale = context.font_scale;
    let (mut boxes, mut whiskers, mut medians) = (Vec::new(), Vec::new(), Vec::new());
    let mut outliers: BTreeMap<PlotColour, Vec<(AxisPlace, AxisPlace)>> = BTreeMap::new();
    for place in &found.places {
        let summary = summarise_box(&place.sorted);
        let span = found.slots.span(place.along, place.slot);
        let centre = found.slots.centre(place.along, place.slot);
        let to_panel = |along: AxisPlace, value: f64| -> PanelPlace {
            oriented(found.is_upright, along, AxisPlace::at(value))
        };
        let [x, y] = oriented(
            found.is_upright,
            span,
            [AxisPlace::at(summary.lower), AxisPlace::at(summary.upper)],
        );
        let fill = place
            .colour
            .mix(context.theme.background(), 0.35)
            .with_opacity(context.opacity(1.0));
        boxes.push(MarkBox {
            x,
            y,
            fill: Some(fill),
        });
        let caps = [0.5, -0.5].map(|share| found.slots.within(place.along, place.slot, share));
        for (from, to) in [
            (summary.lower, summary.whiskers[0]),
            (summary.upper, summary.whiskers[1]),
        ] {
            whiskers.push((ink, [to_panel(centre, from), to_panel(centre, to)]));
            whiskers.push((ink, [to_panel(caps[0], to), to_panel(caps[1], to)]));
        }
        medians.push((ink, span.map(|along| to_panel(along, summary.median))));
        let dots = summary
            .outliers
            .iter()
            .map(|&value| to_panel(centre, value));
        outliers
            .entry(place.colour)
            .or_default()
            .extend(dots.map(|[x, y]| (x, y)));
    }
    if boxes.is_empty() {
        return Ok(Vec::new());
    }
    let mut marks = segments_by_colour(whiskers.into_iter(), 1.1 * scale, &[]);
    marks.push(PanelMark::Boxes {
        boxes,
        stroke: Some(SceneStroke::plain(ink, 1.1 * scale)),
    });
    marks.extend(segments_by_colour(medians.into_iter(), 2.2 * scale, &[]));
    for (colour, places) in outliers {
        marks.extend(points_at(
            places,
            context,
            2.4 * scale,
            colour.with_opacity(0.8),
        )?);
    }
    Ok(marks)
}

/// Violins: the density to both sides, with quartiles and median inside.
pub(crate) fn violin_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    const PLACES: usize = 96;
    let found = values_by_place(context, 0.86)?;
    let (ink, scale) = (context.theme.ink(), context.font_scale);
    let mut outlines = Vec::with_capacity(found.places.len());
    let mut peak = 0.0_f64;
    for place in &found.places {
        let width = kernel_width(&place.sorted);
        let (first, last) = (place.sorted[0], place.sorted[place.sorted.len() - 1]);
        // A little beyond the data, where the density has become small.
        let (low, high) = (first - 1.5 * width, last + 1.5 * width);
        let density = kernel_density(&place.sorted, width, low, high, PLACES);
        peak = density.iter().fold(peak, |peak, value| peak.max(*value));
        outlines.push((low, high, density));
    }
    let mut marks = Vec::new();
    let (mut quartiles, mut medians) = (Vec::new(), Vec::new());
    for (place, (low, high, density)) in found.places.iter().zip(outlines) {
        let side = |sign: f64, index: usize| -> PanelPlace {
            let value = low + (high - low) * index as f64 / (PLACES - 1) as f64;
            let along = found
                .slots
                .within(place.along, place.slot, sign * density[index] / peak);
            oriented(found.is_upright, along, AxisPlace::at(value))
        };
        let ring: Vec<PanelPlace> = (0..PLACES)
            .map(|index| side(1.0, index))
            .chain((0..PLACES).rev().map(|index| side(-1.0, index)))
            .collect();
        marks.push(PanelMark::Polygon {
            rings: vec![ring],
            is_closed: true,
            fill: Some(
                place
                    .colour
                    .mix(context.theme.background(), 0.3)
                    .with_opacity(context.opacity(1.0)),
            ),
            stroke: Some(SceneStroke::plain(place.colour.mix(ink, 0.2), 1.1 * scale)),
        });
        let [lower, median, upper] =
            [0.25, 0.5, 0.75].map(|share| quantile_of(&place.sorted, share));
        let centre = found.slots.centre(place.along, place.slot);
        let to_panel =
            |along: AxisPlace, value: f64| oriented(found.is_upright, along, AxisPlace::at(value));
        quartiles.push((ink, [to_panel(centre, lower), to_panel(centre, upper)]));
        medians.push(to_panel(centre, median));
    }
    marks.extend(segments_by_colour(quartiles.into_iter(), 4.0 * scale, &[]));
    marks.extend(points_at(
        medians.into_iter().map(|[x, y]| (x, y)).collect(),
        context,
        2.2 * scale,
        context.theme.background(),
    )?);
    Ok(marks)
}

/// The interval that an error bar or band shows, of at least one value, which it sorts.
pub(crate) fn interval_of(cells: &mut [f64], extent: ErrorExtent) -> [f64; 2] {
    if extent == ErrorExtent::Quartiles {
        cells.sort_by(f64::total_cmp);
        return [0.25, 0.75].map(|share| quantile_of(cells, share));
    }
    let (mean, deviation) = (mean_of(cells), libm::sqrt(variance_of(cells)));
    let count = cells.len() as f64;
    let half = match extent {
        ErrorExtent::StandardDeviation => deviation,
        ErrorExtent::ConfidenceInterval if cells.len() > 1 => {
            student_95(count - 1.0) * deviation / libm::sqrt(count)
        }
        _ => deviation / libm::sqrt(count),
    };
    [mean - half, mean + half]
}

/// Error bars: by given errors or ends, else from the values of each place; with a point at the mean where asked for.
pub(crate) fn error_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let columns = context.columns;
    let (scale, cap) = (context.font_scale, 4.0 * context.font_scale);
    let mut segments: Vec<(PlotColour, [PanelPlace; 2])> = Vec::new();
    let mut means: BTreeMap<PlotColour, Vec<(AxisPlace, AxisPlace)>> = BTreeMap::new();
    let mut add = |upright: bool, along: AxisPlace, ends: [f64; 2], colour: PlotColour| {
        let place = |along: AxisPlace, value: f64| -> PanelPlace {
            oriented(upright, along, AxisPlace::at(value))
        };
        segments.push((colour, ends.map(|value| place(along, value))));
        for value in ends {
            let caps = [-cap, cap].map(|pixels| place(AxisPlace { pixels, ..along }, value));
            segments.push((colour, caps));
        }
    };
    let given =
        |error: &Option<ChannelColumn>, end: &Option<ChannelColumn>, value: f64, row: u32| {
            let error = error.as_ref().map(|column| column.values[row as usize]);
            let end = end.as_ref().map(|column| column.values[row as usize]);
            match (error, end) {
                (Some(error), _) => Some([value - error.abs(), value + error.abs()]),
                (None, Some(end)) => Some([value, end]),
                (None, None) => None,
            }
        };
    let has_given = columns.x_error.is_some()
        || columns.y_error.is_some()
        || columns.x2.is_some()
        || columns.y2.is_some();
    if has_given {
        let (Some(x), Some(y)) = (&columns.x, &columns.y) else {
            return Err(context.missing_channel(if columns.x.is_none() { "x" } else { "y" }));
        };
        let rows = context.row_list();
        super::bars::check_shapes(context, rows.len())?;
        for row in rows {
            let (x, y) = (x.values[row as usize], y.values[row as usize]);
            if !(x.is_finite() && y.is_finite()) {
                continue;
            }
            let colour = context.colour(row);
            if let Some(ends) = given(&columns.y_error, &columns.y2, y, row)
                .filter(|ends| ends.iter().all(|end| end.is_finite()))
            {
                add(false, AxisPlace::at(x), ends, colour);
            }
            if let Some(ends) = given(&columns.x_error, &columns.x2, x, row)
                .filter(|ends| ends.iter().all(|end| end.is_finite()))
            {
                add(true, AxisPlace::at(y), ends, colour);
            }
            means
                .entry(colour)
                .or_default()
                .push((AxisPlace::at(x), AxisPlace::at(y)));
        }
    } else {
        let mut found = values_by_place(context, 0.6)?;
        for place in &mut found.places {
            let centre = found.slots.centre(place.along, place.slot);
            let middle = match context.style.extent {
                ErrorExtent::Quartiles => quantile_of(&place.sorted, 0.5),
                _ => mean_of(&place.sorted),
            };
            add(
                found.is_upright,
                centre,
                interval_of(&mut place.sorted, context.style.extent),
                place.colour,
            );
            let [x, y] = oriented(found.is_upright, centre, AxisPlace::at(middle));
            means.entry(place.colour).or_default().push((x, y));
        }
    }
    let mut marks = segments_by_colour(
        segments.into_iter(),
        context.style.stroke_width.unwrap_or(1.6) * scale,
        &[],
    );
    if context.style.has_points {
        for (colour, places) in means {
            marks.extend(points_at(places, context, 3.4 * scale, colour)?);
        }
    }
    Ok(marks)
}
