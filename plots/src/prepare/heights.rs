//! Lines of equal height: of a grid of values, or of the density of points.

use std::collections::{BTreeMap, HashMap};

use super::columns::extent_of;
use super::context::LayerContext;
use super::marks::{AxisPlace, PanelMark};
use super::statistics::smooth_counts;
use crate::colour::GradientPalette;
use crate::error::PlotError;
use crate::scene::SceneStroke;
use crate::ticks::extended::choose_extended;

/// Values over a grid.
struct HeightGrid {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Row by row of y; NaN where unknown.
    heights: Vec<f64>,
}

/// Contours.
pub(crate) fn contour_marks(context: &LayerContext<'_>) -> Result<Vec<PanelMark>, PlotError> {
    let columns = context.columns;
    let (Some(x), Some(y)) = (&columns.x, &columns.y) else {
        return Err(context.missing_channel(if columns.x.is_none() { "x" } else { "y" }));
    };
    let width = context.style.stroke_width.unwrap_or(1.5) * context.font_scale;
    let quantity = columns
        .color
        .as_ref()
        .filter(|column| !column.is_category());
    if let Some(column) = quantity {
        let Some(grid) = grid_of(context, &x.values, &y.values, &column.values) else {
            return Err(PlotError::form(
                format!("{}/encoding", context.layer.place),
                "a value for each pair of at least 2 different x and 2 different y",
                "rows that form no grid",
            ));
        };
        return Ok(level_marks(&grid, width, |height, _| {
            context.colour_of(column.kind, height)
        }));
    }
    let mut marks = Vec::new();
    let groups = context.groups();
    let is_divided = groups.len() > 1;
    for group in groups {
        let points: Vec<(f64, f64)> = group
            .list(columns.rows)
            .iter()
            .map(|&row| (x.values[row as usize], y.values[row as usize]))
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .collect();
        if let Some(grid) = density_of(&points) {
            let colour = context.colour(group.first);
            marks.extend(level_marks(&grid, width, |_, share| {
                if is_divided || columns.color.is_some() {
                    colour.mix(context.theme.background(), 0.55 * (1.0 - share))
                } else {
                    GradientPalette::Viridis.colour(0.85 * share)
                }
            }));
        }
    }
    Ok(marks)
}

/// The grid that rows form, if most of its places are known.
fn grid_of(
    context: &LayerContext<'_>,
    x: &[f64],
    y: &[f64],
    heights: &[f64],
) -> Option<HeightGrid> {
    const SIDE_MAX: usize = 1000;
    let rows = context.row_list();
    let distinct = |values: &[f64]| {
        let mut sorted: Vec<f64> = rows
            .iter()
            .map(|&row| values[row as usize])
            .filter(|value| value.is_finite())
            .collect();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        sorted
    };
    let (across, upwards) = (distinct(x), distinct(y));
    let sides = [across.len(), upwards.len()];
    if sides.iter().any(|side| !(2..=SIDE_MAX).contains(side))
        || 2 * rows.len() < sides[0] * sides[1]
    {
        return None;
    }
    let mut grid = vec![f64::NAN; sides[0] * sides[1]];
    let index = |sorted: &[f64], value: f64| {
        sorted
            .binary_search_by(|one| one.total_cmp(&(value + 0.0)))
            .ok()
            .or_else(|| sorted.iter().position(|one| *one == value))
    };
    for row in rows {
        let row = row as usize;
        if let (Some(column), Some(line)) = (index(&across, x[row]), index(&upwards, y[row])) {
            grid[line * sides[0] + column] = heights[row];
        }
    }
    Some(HeightGrid {
        x: across,
        y: upwards,
        heights: grid,
    })
}

/// The density of points on a grid a little beyond them.
fn density_of(points: &[(f64, f64)]) -> Option<HeightGrid> {
    const SIDE: usize = 128;
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let axis = |values: &[f64]| {
        let [low, high] = extent_of(values)?;
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let width = 1.25 * super::statistics::kernel_width(&sorted);
        let (low, high) = (low - 3.0 * width, high + 3.0 * width);
        let places: Vec<f64> = (0..SIDE)
            .map(|index| low + (high - low) * index as f64 / (SIDE - 1) as f64)
            .collect();
        Some((places, width / (high - low) * (SIDE - 1) as f64))
    };
    let ((x, x_width), (y, y_width)) = (axis(&xs)?, axis(&ys)?);
    let mut counts = vec![0.0; SIDE * SIDE];
    let index = |places: &[f64], value: f64| {
        ((value - places[0]) / (places[SIDE - 1] - places[0]) * (SIDE - 1) as f64 + 0.5) as usize
    };
    for (px, py) in points {
        counts[index(&y, *py).min(SIDE - 1) * SIDE + index(&x, *px).min(SIDE - 1)] += 1.0;
    }
    for row in counts.chunks_mut(SIDE) {
        let smooth = smooth_counts(row, x_width);
        row.copy_from_slice(&smooth);
    }
    for column in 0..SIDE {
        let values: Vec<f64> = (0..SIDE).map(|row| counts[row * SIDE + column]).collect();
        for (row, value) in smooth_counts(&values, y_width).into_iter().enumerate() {
            counts[row * SIDE + column] = value;
        }
    }
    Some(HeightGrid {
        x,
        y,
        heights: counts,
    })
}

/// The lines of round heights; the colour is given the height and its share of the way from lowest to highest line.
fn level_marks(
    grid: &HeightGrid,
    width: f64,
    colour: impl Fn(f64, f64) -> crate::colour::PlotColour,
) -> Vec<PanelMark> {
    const LEVELS: usize = 9;
    let Some([low, high]) = extent_of(&grid.heights) else {
        return Vec::new();
    };
    let levels: Vec<f64> = choose_extended(low, high, LEVELS)
        .iter()
        .map(|level| level.value())
        .filter(|level| low < *level && *level < high)
        .collect();
    let count = levels.len();
    levels
        .into_iter()
        .enumerate()
        .filter_map(|(index, level)| {
            let rings = trace_level(grid, level);
            let share = if count > 1 {
                index as f64 / (count - 1) as f64
            } else {
                1.0
            };
            (!rings.is_empty()).then(|| PanelMark::Polygon {
                rings: rings
                    .into_iter()
                    .map(|ring| {
                        ring.into_iter()
                            .map(|(x, y)| [AxisPlace::at(x), AxisPlace::at(y)])
                            .collect()
                    })
                    .collect(),
                is_closed: false,
                fill: None,
                stroke: Some(SceneStroke::plain(colour(level, share), width)),
            })
        })
        .collect()
}

/// An edge of the grid: the place of its lower corner, and whether it runs upwards.
type GridEdge = (usize, bool);

/// The curves of one height through the cells of a grid (marching squares), joined at the edges they share.
fn trace_level(grid: &HeightGrid, level: f64) -> Vec<Vec<(f64, f64)>> {
    let (columns, rows) = (grid.x.len(), grid.y.len());
    let mut places: HashMap<GridEdge, (f64, f64)> = HashMap::new();
    let mut next: BTreeMap<GridEdge, Vec<GridEdge>> = BTreeMap::new();
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let corner = row * columns + column;
            let corners = [corner, corner + 1, corner + 1 + columns, corner + columns];
            let heights = corners.map(|corner| grid.heights[corner]);
            if heights.iter().any(|height| !height.is_finite()) {
                continue;
            }
            let edges: [(GridEdge, usize, usize); 4] = [
                ((corner, false), 0, 1),
                ((corner + 1, true), 1, 2),
                ((corner + columns, false), 3, 2),
                ((corner, true), 0, 3),
            ];
            let crossed: Vec<GridEdge> = edges
                .into_iter()
                .filter(|(_, a, b)| (heights[*a] >= level) != (heights[*b] >= level))
                .map(|(edge, a, b)| {
                    let share = (level - heights[a]) / (heights[b] - heights[a]);
                    let place = |corner: usize| {
                        (
                            grid.x[corners[corner] % columns],
                            grid.y[corners[corner] / columns],
                        )
                    };
                    let (from, to) = (place(a), place(b));
                    places.insert(
                        edge,
                        (
                            from.0 + share * (to.0 - from.0),
                            from.1 + share * (to.1 - from.1),
                        ),
                    );
                    edge
                })
                .collect();
            let mut join = |a: GridEdge, b: GridEdge| {
                next.entry(a).or_default().push(b);
                next.entry(b).or_default().push(a);
            };
            match crossed[..] {
                [a, b] => join(a, b),
                [bottom, right, top, left] => {
                    // A saddle: the middle decides which corners belong together.
                    let middle = heights.iter().sum::<f64>() / 4.0;
                    if (middle >= level) == (heights[0] >= level) {
                        join(bottom, right);
                        join(top, left);
                    } else {
                        join(bottom, left);
                        join(top, right);
                    }
                }
                _ => {}
            }
        }
    }
    let mut curves = Vec::new();
    // Open curves first, from their ends.
    let mut starts: Vec<GridEdge> = next
        .iter()
        .filter(|(_, others)| others.len() == 1)
        .map(|(edge, _)| *edge)
        .collect();
    starts.extend(next.keys().copied().collect::<Vec<_>>());
    for start in starts {
        let mut curve = Vec::new();
        let mut at = start;
        while let Some(other) = next.get_mut(&at).and_then(Vec::pop) {
            if curve.is_empty() {
                curve.push(places[&at]);
            }
            if let Some(back) = next.get_mut(&other)
                && let Some(index) = back.iter().position(|edge| *edge == at)
            {
                back.swap_remove(index);
            }
            curve.push(places[&other]);
            at = other;
        }
        if curve.len() > 1 {
            curves.push(curve);
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contour_of_a_cone_is_one_closed_ring_of_its_radius() {
        let axis: Vec<f64> = (-20..=20).map(|index| f64::from(index) / 10.0).collect();
        let heights = axis
            .iter()
            .flat_map(|y| axis.iter().map(move |x| libm::sqrt(x * x + y * y)))
            .collect();
        let grid = HeightGrid {
            x: axis.clone(),
            y: axis,
            heights,
        };
        let curves = trace_level(&grid, 1.0);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].first(), curves[0].last());
        assert!(
            curves[0]
                .iter()
                .all(|(x, y)| (libm::sqrt(x * x + y * y) - 1.0).abs() < 2e-3)
        );
    }
}
