//! The marks of a panel in pixels.

use super::SceneBuilder;
use super::decimate::{CloudCells, CurvePoint, decimate_curve};
use super::sizes::text_height;
use crate::colour::{PlotColour, PlotTheme};
use crate::decimal::readable_number;
use crate::font::{CAP_HEIGHT, text_width};
use crate::limits::HOVER_MAX;
use crate::prepare::marks::{AxisPlace, MarkBox, MarkPoints, PanelMark, PanelPlace};
use crate::prepare::prepared::{PlotPanel, PreparedPlot};
use crate::scale::{AxisProjection, AxisScale, ScaleKind};
use crate::scene::{
    HoverPoint, PathStep, PointCloud, SceneBox, SceneItem, TextAnchor, TextRole, TextRun,
};
use crate::specification::LineInterpolation;

/// Clouds above this number are thinned to what a picture shows.
const THIN_ABOVE: usize = 20_000;

/// From the units of a panel to pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PanelProjection {
    pub(crate) x: AxisProjection,
    pub(crate) y: AxisProjection,
}

impl PanelProjection {
    pub(crate) fn new(x: &AxisScale, y: &AxisScale, cell: SceneBox) -> Self {
        Self {
            x: x.projection(cell.left, cell.right()),
            y: y.projection(cell.bottom(), cell.top),
        }
    }

    fn along(projection: &AxisProjection, place: AxisPlace) -> f64 {
        let unit = projection.unit();
        projection.place_or_end(place.value) + place.bands * unit + place.pixels * unit.signum()
    }

    pub(crate) fn point(&self, place: PanelPlace) -> CurvePoint {
        (
            Self::along(&self.x, place[0]),
            Self::along(&self.y, place[1]),
        )
    }

    /// The rectangle of a box; `None` where a side has no place.
    pub(crate) fn rectangle(&self, one: &MarkBox) -> Option<SceneBox> {
        let [left, right] = one.x.map(|place| Self::along(&self.x, place));
        let [bottom, top] = one.y.map(|place| Self::along(&self.y, place));
        let is_placed = [left, right, bottom, top]
            .iter()
            .all(|side| side.is_finite());
        // Sides on whole pixels: neighbours meet without a seam, and edges are sharp.
        let settle = |a: f64, b: f64| {
            if (b - a).abs() >= 2.0 {
                (libm::round(a), libm::round(b))
            } else {
                (a, b)
            }
        };
        let ((left, right), (bottom, top)) = (settle(left, right), settle(bottom, top));
        is_placed.then(|| {
            SceneBox::new(
                left.min(right),
                top.min(bottom),
                (right - left).abs(),
                (bottom - top).abs(),
            )
        })
    }
}

/// Draws the marks of a panel but its texts.
pub(crate) fn draw_panel(
    builder: &mut SceneBuilder<'_>,
    panel: &PlotPanel,
    cell: SceneBox,
    hover: &mut Vec<HoverPoint>,
) {
    let plot = builder.plot;
    builder.panels.push(cell);
    let mut items = Vec::new();
    for (is_right, mark) in &panel.marks {
        let projection = panel_projection(plot, *is_right, cell);
        draw_mark(&mut items, mark, &projection, cell);
        collect_hover(hover, plot, *is_right, mark, &projection, cell);
    }
    // Only what reaches outside is cut off.
    let room = cell.widened(0.75);
    let is_inside = items.iter().all(|item| lies_within(item, &room));
    if is_inside {
        builder.items.extend(items);
    } else {
        builder.items.push(SceneItem::Clip(cell));
        let (clouds, others): (Vec<SceneItem>, Vec<SceneItem>) = items
            .into_iter()
            .partition(|item| matches!(item, SceneItem::Points(_)));
        builder.items.extend(others);
        builder.items.push(SceneItem::EndClip);
        // Whole points at the edge: their centres lie inside.
        builder.items.extend(clouds);
    }
}

pub(crate) fn panel_projection(
    plot: &PreparedPlot,
    is_right: bool,
    cell: SceneBox,
) -> PanelProjection {
    let y = plot
        .axes
        .right
        .as_ref()
        .filter(|_| is_right)
        .unwrap_or(&plot.axes.y);
    PanelProjection::new(&plot.axes.x, y, cell)
}

fn lies_within(item: &SceneItem, room: &SceneBox) -> bool {
    match item {
        SceneItem::Rectangle { place, .. } => room.holds(place),
        SceneItem::Path { steps, .. } => steps.iter().all(|step| match step {
            PathStep::Move(x, y) | PathStep::Line(x, y) => room.holds_point(*x, *y),
            PathStep::Close => true,
        }),
        _ => true,
    }
}

pub(crate) fn draw_mark(
    items: &mut Vec<SceneItem>,
    mark: &PanelMark,
    projection: &PanelProjection,
    cell: SceneBox,
) {
    match mark {
        PanelMark::Points(points) => {
            items.push(SceneItem::Points(draw_points(points, projection, cell)))
        }
        PanelMark::Line {
            x,
            y,
            rows,
            stroke,
            interpolation,
            is_upright,
        } => {
            let count = rows.as_ref().map_or(x.len(), Vec::len);
            let point = |row: usize| projected(projection, x[row], y[row]);
            let length = if *is_upright { cell.height } else { cell.width };
            let pieces = match rows {
                _ if (count as f64) < 4.0 * length.max(1.0) => {
                    let row =
                        |index: usize| rows.as_ref().map_or(index, |rows| rows[index] as usize);
                    split_at_gaps((0..count).map(|index| point(row(index))))
                }
                Some(rows) => {
                    decimate_curve(rows.iter().map(|&row| point(row as usize)), *is_upright)
                }
                None => decimate_curve((0..count).map(point), *is_upright),
            };
            let steps = curve_steps(&pieces, *interpolation, *is_upright);
            if !steps.is_empty() {
                items.push(SceneItem::Path {
                    steps,
                    fill: None,
                    stroke: Some(stroke.clone()),
                });
            }
        }
        PanelMark::Area {
            along,
            low,
            high,
            fill,
            interpolation,
            is_upright,
        } => {
            draw_area(
                items,
                (along, low, high),
                *fill,
                (*interpolation, *is_upright),
                projection,
            );
        }
        PanelMark::Boxes { boxes, stroke } => {
            for one in boxes {
                if let Some(place) = projection.rectangle(one) {
                    items.push(SceneItem::Rectangle {
                        place,
                        fill: one.fill,
                        stroke: stroke.clone(),
                    });
                }
            }
        }
        PanelMark::Segments { segments, stroke } => {
            let mut steps = Vec::with_capacity(2 * segments.len());
            for segment in segments {
                let [from, to] = segment.map(|place| projection.point(place));
                if [from.0, from.1, to.0, to.1]
                    .iter()
                    .all(|side| side.is_finite())
                {
                    steps.push(PathStep::Move(from.0, from.1));
                    steps.push(PathStep::Line(to.0, to.1));
                }
            }
            if !steps.is_empty() {
                items.push(SceneItem::Path {
                    steps,
                    fill: None,
                    stroke: Some(stroke.clone()),
                });
            }
        }
        PanelMark::Polygon {
            rings,
            is_closed,
            fill,
            stroke,
        } => {
            let mut steps = Vec::new();
            for ring in rings {
                let points: Vec<CurvePoint> = ring
                    .iter()
                    .map(|&place| projection.point(place))
                    .filter(|(x, y)| x.is_finite() && y.is_finite())
                    .collect();
                add_steps(&mut steps, &points);
                let returns = points.len() > 2 && points.first() == points.last();
                if (*is_closed || returns) && !points.is_empty() {
                    steps.push(PathStep::Close);
                }
            }
            if !steps.is_empty() {
                items.push(SceneItem::Path {
                    steps,
                    fill: *fill,
                    stroke: stroke.clone(),
                });
            }
        }
        PanelMark::Texts { .. } => {}
    }
}

fn projected(projection: &PanelProjection, x: f64, y: f64) -> CurvePoint {
    if !(x.is_finite() && y.is_finite()) {
        return (f64::NAN, f64::NAN);
    }
    (projection.x.place(x), projection.y.place(y))
}

fn draw_points(points: &MarkPoints, projection: &PanelProjection, cell: SceneBox) -> PointCloud {
    let room = cell.widened(0.75);
    let shift = [
        points.bands[0] * projection.x.unit(),
        points.bands[1] * projection.y.unit(),
    ];
    let count = points.rows.as_ref().map_or(points.x.len(), Vec::len);
    let mut cells = (count > THIN_ABOVE)
        .then(|| CloudCells::new(room.width, room.height, count, points.radius));
    let mut centres = Vec::new();
    let mut add = |row: usize| {
        let (x, y) = projected(projection, points.x[row], points.y[row]);
        let (x, y) = (x + shift[0], y + shift[1]);
        // Comparisons with NaN are false.
        if x >= room.left && x <= room.right() && y >= room.top && y <= room.bottom() {
            let is_free = cells
                .as_mut()
                .is_none_or(|cells| cells.take(x - room.left, y - room.top));
            if is_free {
                centres.push([x as f32, y as f32]);
            }
        }
    };
    match &points.rows {
        Some(rows) => rows.iter().for_each(|&row| add(row as usize)),
        None => (0..count).for_each(&mut add),
    }
    PointCloud {
        shape: points.shape,
        radius: points.radius,
        fill: points.fill,
        stroke: points.stroke.clone(),
        centres,
    }
}

fn split_at_gaps(points: impl Iterator<Item = CurvePoint>) -> Vec<Vec<CurvePoint>> {
    let mut pieces = Vec::new();
    let mut piece: Vec<CurvePoint> = Vec::new();
    for point in points {
        if point.0.is_finite() && point.1.is_finite() {
            piece.push(point);
        } else if !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

fn add_steps(steps: &mut Vec<PathStep>, points: &[CurvePoint]) {
    for (index, &(x, y)) in points.iter().enumerate() {
        steps.push(if index == 0 {
            PathStep::Move(x, y)
        } else {
            PathStep::Line(x, y)
        });
    }
}

/// The points of a curve with the corners of its steps.
fn interpolated(
    points: &[CurvePoint],
    interpolation: LineInterpolation,
    is_upright: bool,
) -> Vec<CurvePoint> {
    if interpolation == LineInterpolation::Linear {
        return points.to_vec();
    }
    let mut corners = Vec::with_capacity(3 * points.len());
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        corners.push(from);
        let share = match interpolation {
            LineInterpolation::StepAfter => 1.0,
            LineInterpolation::StepBefore => 0.0,
            _ => 0.5,
        };
        if is_upright {
            let y = from.1 + share * (to.1 - from.1);
            corners.extend([(from.0, y), (to.0, y)]);
        } else {
            let x = from.0 + share * (to.0 - from.0);
            corners.extend([(x, from.1), (x, to.1)]);
        }
    }
    corners.extend(points.last());
    corners
}

fn curve_steps(
    pieces: &[Vec<CurvePoint>],
    interpolation: LineInterpolation,
    is_upright: bool,
) -> Vec<PathStep> {
    let mut steps = Vec::new();
    for piece in pieces {
        add_steps(&mut steps, &interpolated(piece, interpolation, is_upright));
        if piece.len() == 1 {
            // A stroke of no length shows as a dot by its round ends.
            steps.push(PathStep::Line(piece[0].0 + 0.01, piece[0].1));
        }
    }
    steps
}

fn draw_area(
    items: &mut Vec<SceneItem>,
    (along, low, high): (&[f64], &[f64], &[f64]),
    fill: crate::colour::PlotColour,
    (interpolation, is_upright): (LineInterpolation, bool),
    projection: &PanelProjection,
) {
    let point = |along: f64, value: f64| {
        if is_upright {
            (projection.x.place_or_end(value), projection.y.place(along))
        } else {
            (projection.x.place(along), projection.y.place_or_end(value))
        }
    };
    let edges: Vec<(CurvePoint, CurvePoint)> = (0..along.len())
        .map(|index| {
            (
                point(along[index], low[index]),
                point(along[index], high[index]),
            )
        })
        .collect();
    let is_whole = |(low, high): &(CurvePoint, CurvePoint)| {
        [low.0, low.1, high.0, high.1]
            .iter()
            .all(|side| side.is_finite())
    };
    let mut steps = Vec::new();
    for piece in edges
        .chunk_by(|a, b| is_whole(a) == is_whole(b))
        .filter(|piece| piece.first().is_some_and(is_whole))
    {
        let thin = |pick: fn(&(CurvePoint, CurvePoint)) -> CurvePoint| -> Vec<CurvePoint> {
            let points = piece.iter().map(pick);
            if piece.len() > 4000 {
                decimate_curve(points, is_upright)
                    .into_iter()
                    .flatten()
                    .collect()
            } else {
                points.collect()
            }
        };
        let mut upper = interpolated(&thin(|edge| edge.1), interpolation, is_upright);
        let lower = interpolated(&thin(|edge| edge.0), interpolation, is_upright);
        upper.extend(lower.into_iter().rev());
        add_steps(&mut steps, &upper);
        steps.push(PathStep::Close);
    }
    if !steps.is_empty() {
        items.push(SceneItem::Path {
            steps,
            fill: Some(fill),
            stroke: None,
        });
    }
}

/// A value of an axis in words.
fn axis_words(axis: &AxisScale, value: f64) -> String {
    match axis.kind {
        ScaleKind::Band => axis.levels.get(value as usize).cloned().unwrap_or_default(),
        ScaleKind::Time => crate::dates::format_date(value),
        _ => readable_number(value, 5),
    }
}

/// Notes the points of a mark with their values, up to the limit.
fn collect_hover(
    hover: &mut Vec<HoverPoint>,
    plot: &PreparedPlot,
    is_right: bool,
    mark: &PanelMark,
    projection: &PanelProjection,
    cell: SceneBox,
) {
    let (x_axis, y_axis) = (
        &plot.axes.x,
        plot.axes
            .right
            .as_ref()
            .filter(|_| is_right)
            .unwrap_or(&plot.axes.y),
    );
    let named = |axis: &AxisScale, value: f64| {
        let words = axis_words(axis, value);
        if axis.title.is_empty() {
            words
        } else {
            format!("{}: {words}", axis.title)
        }
    };
    let mut add = |point: CurvePoint, x: f64, y: f64| {
        if hover.len() < HOVER_MAX && cell.holds_point(point.0, point.1) {
            hover.push(HoverPoint {
                x: point.0,
                y: point.1,
                text: format!("{}\n{}", named(x_axis, x), named(y_axis, y)),
            });
        }
    };
    match mark {
        PanelMark::Points(MarkPoints { x, y, rows, .. }) | PanelMark::Line { x, y, rows, .. } => {
            let count = rows.as_ref().map_or(x.len(), Vec::len);
            if count > HOVER_MAX {
                return;
            }
            for index in 0..count {
                let row = rows.as_ref().map_or(index, |rows| rows[index] as usize);
                add(projected(projection, x[row], y[row]), x[row], y[row]);
            }
        }
        PanelMark::Boxes { boxes, .. } if boxes.len() <= HOVER_MAX => {
            for one in boxes {
                if let Some(place) = projection.rectangle(one) {
                    let middle = (
                        place.left + place.width / 2.0,
                        place.top + place.height / 2.0,
                    );
                    let end = |ends: &[AxisPlace; 2]| {
                        if ends[1].value.is_finite() {
                            ends[1].value
                        } else {
                            ends[0].value
                        }
                    };
                    let x = if x_axis.kind == ScaleKind::Band {
                        one.x[0].value
                    } else {
                        end(&one.x)
                    };
                    let y = if y_axis.kind == ScaleKind::Band {
                        one.y[0].value
                    } else {
                        end(&one.y)
                    };
                    if x.is_finite() && y.is_finite() {
                        add(middle, x, y);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Rectangles times texts above this number are not looked at.
const CONTRASTS_MAX: usize = 4_000_000;

/// Least difference of lightness of a text and what is below it.
const CONTRAST_MIN: f64 = 0.4;

/// The rectangles with a fill, the uppermost first; none where there are too many for so many texts.
fn filled_rectangles(items: &[SceneItem], texts: usize) -> Vec<(SceneBox, PlotColour)> {
    let filled = items.iter().rev().filter_map(|item| match item {
        SceneItem::Rectangle {
            place,
            fill: Some(fill),
            ..
        } => Some((*place, *fill)),
        _ => None,
    });
    let filled: Vec<(SceneBox, PlotColour)> = filled.collect();
    if filled.len() * texts > CONTRASTS_MAX {
        return Vec::new();
    }
    filled
}

/// Black or white for a text without a colour of its own that a cell or bar below it would hide.
fn readable_colour(
    fills: &[(SceneBox, PlotColour)],
    colour: PlotColour,
    theme: PlotTheme,
    (x, y): CurvePoint,
) -> PlotColour {
    let below = fills.iter().find(|(place, _)| place.holds_point(x, y));
    let Some((_, fill)) = below.filter(|_| colour == theme.ink()) else {
        return colour;
    };
    let share = f64::from(fill.alpha) / 255.0;
    let seen = fill.lightness() * share + theme.background().lightness() * (1.0 - share);
    if (seen - colour.lightness()).abs() >= CONTRAST_MIN {
        return colour;
    }
    PlotColour::opaque(if seen > 0.5 { 0x000000 } else { 0xffffff })
}

/// Writes the texts among the marks, each where it is apart from all others: at its place, else above, below or beside it.
pub(crate) fn draw_texts(builder: &mut SceneBuilder<'_>, cell_of: impl Fn(&PlotPanel) -> SceneBox) {
    let plot = builder.plot;
    for panel in &plot.panels {
        let cell = cell_of(panel);
        for (is_right, mark) in &panel.marks {
            let PanelMark::Texts { texts, size, shift } = mark else {
                continue;
            };
            let projection = panel_projection(plot, *is_right, cell);
            let fills = filled_rectangles(&builder.items, texts.len());
            for text in texts {
                let (x, y) = projection.point(text.place);
                let x = if text.place[0].value.is_nan() {
                    cell.left + cell.width / 2.0
                } else {
                    x
                };
                let y = if text.place[1].value.is_nan() {
                    cell.top + cell.height / 2.0
                } else {
                    y
                };
                if !(cell.widened(1.0).holds_point(x, y)) {
                    continue;
                }
                let (up, beside) = (
                    0.85 * text_height(*size),
                    text_width(&text.text, *size) / 2.0 + 0.6 * size,
                );
                let places = [
                    (0.0, 0.0),
                    (0.0, -up),
                    (0.0, up),
                    (beside, 0.0),
                    (-beside, 0.0),
                    (beside, -up),
                    (-beside, -up),
                ];
                let colour = readable_colour(&fills, text.colour, plot.theme, (x, y));
                let is_placed = places.into_iter().any(|(dx, dy)| {
                    builder.add_text(TextRun {
                        text: text.text.clone(),
                        x: x + dx + shift.0 * plot.font_scale,
                        y: y + dy + shift.1 * plot.font_scale + CAP_HEIGHT * size / 2.0,
                        size: *size,
                        anchor: TextAnchor::Middle,
                        is_vertical: false,
                        colour,
                        role: TextRole::Annotation,
                    })
                });
                let _ = is_placed; // Where no place is free the text is left out.
            }
        }
    }
}
