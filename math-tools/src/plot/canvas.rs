//! Drawing on a grid of dots, braille dots or pixels.
//!
//! [`PlotProjection`] takes data to dots; [`trace_curve`] draws a curve in time proportional to its points plus what is visible of it.

use tool_core::{Ctx, ToolError};

use super::axis::AxisRange;

/// A grid of dots; row 0 is the top one.
pub(crate) trait DotSurface {
    /// Columns and rows of dots.
    fn size(&self) -> (usize, usize);
    /// Sets one dot inside the grid.
    fn set(&mut self, column: usize, row: usize);
}

/// Maps data to dots: each dot represents an equal share of its axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlotProjection {
    /// Range of the horizontal axis.
    pub(crate) x: AxisRange,
    /// Range of the vertical axis.
    pub(crate) y: AxisRange,
    /// Columns of dots.
    pub(crate) columns: usize,
    /// Rows of dots.
    pub(crate) rows: usize,
}

impl PlotProjection {
    /// The column of a value; outside the range the nearest one.
    pub(crate) fn column(&self, x: f64) -> usize {
        dot_index(self.x.fraction(x) * self.columns as f64, self.columns)
    }

    /// The row of a value; outside the range the nearest one.
    pub(crate) fn row(&self, y: f64) -> usize {
        dot_index(self.height(y), self.rows)
    }

    /// Distance from the top in dots, outside the grid too.
    fn height(&self, y: f64) -> f64 {
        (1.0 - self.y.fraction(y)) * self.rows as f64
    }
}

/// The dot that holds a place on an axis of `count` dots.
fn dot_index(place: f64, count: usize) -> usize {
    (place.max(0.0) as usize).min(count - 1)
}

/// Number of points between two checks of the stop flag.
const CHECK_EVERY: usize = 1 << 14;

/// Draws a curve through points in their order; `None` is a gap.
///
/// Points that follow each other within one column become one vertical stroke from the lowest to the highest, which sets the
/// same dots as drawing every segment; so a million points cost one pass over them.
///
/// # Errors
/// When the call is stopped.
pub(crate) fn trace_curve(
    surface: &mut impl DotSurface,
    projection: &PlotProjection,
    points: impl Iterator<Item = Option<(f64, f64)>>,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let mut run: Option<ColumnRun> = None;
    for (index, point) in points.enumerate() {
        if index % CHECK_EVERY == 0 {
            ctx.check()?;
        }
        let Some((x, y)) = point else {
            if let Some(done) = run.take() {
                done.stroke(surface);
            }
            continue;
        };
        let (column, height) = (projection.column(x), projection.height(y));
        match &mut run {
            Some(current) if current.column == column => current.add(height),
            other => {
                if let Some(done) = other.take() {
                    done.stroke(surface);
                    draw_segment(surface, (done.column, done.last), (column, height));
                }
                *other = Some(ColumnRun::new(column, height));
            }
        }
    }
    if let Some(done) = run {
        done.stroke(surface);
    }
    Ok(())
}

/// Sets the dot of each point.
///
/// # Errors
/// When the call is stopped.
pub(crate) fn set_dots(
    surface: &mut impl DotSurface,
    projection: &PlotProjection,
    points: impl Iterator<Item = (f64, f64)>,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    for (index, (x, y)) in points.enumerate() {
        if index % CHECK_EVERY == 0 {
            ctx.check()?;
        }
        surface.set(projection.column(x), projection.row(y));
    }
    Ok(())
}

/// Points that follow each other within one column.
#[derive(Debug, Clone, Copy)]
struct ColumnRun {
    column: usize,
    lowest: f64,
    highest: f64,
    last: f64,
}

impl ColumnRun {
    fn new(column: usize, height: f64) -> Self {
        Self {
            column,
            lowest: height,
            highest: height,
            last: height,
        }
    }

    fn add(&mut self, height: f64) {
        self.lowest = self.lowest.min(height);
        self.highest = self.highest.max(height);
        self.last = height;
    }

    fn stroke(self, surface: &mut impl DotSurface) {
        let rows = surface.size().1;
        if self.highest < 0.0 || self.lowest > rows as f64 {
            return;
        }
        for row in dot_index(self.lowest, rows)..=dot_index(self.highest, rows) {
            surface.set(self.column, row);
        }
    }
}

/// Draws what is visible of a straight line between two columns; heights may lie outside.
fn draw_segment(surface: &mut impl DotSurface, from: (usize, f64), to: (usize, f64)) {
    let rows = surface.size().1;
    let Some((from, to)) = clip_segment((from.0 as f64, from.1), (to.0 as f64, to.1), rows as f64)
    else {
        return;
    };
    let end = |(x, y): (f64, f64)| (x.round() as i64, dot_index(y, rows) as i64);
    draw_line(surface, end(from), end(to));
}

/// The part of a segment with heights from 0 to `rows` (Liang and Barsky, for the two horizontal edges).
fn clip_segment(from: (f64, f64), to: (f64, f64), rows: f64) -> Option<((f64, f64), (f64, f64))> {
    let (rise, run) = (to.1 - from.1, to.0 - from.0);
    if rise == 0.0 {
        return (0.0 <= from.1 && from.1 <= rows).then_some((from, to));
    }
    let (a, b) = (-from.1 / rise, (rows - from.1) / rise);
    let (enter, leave) = (a.min(b).max(0.0), a.max(b).min(1.0));
    let at = |part: f64| (from.0 + part * run, (from.1 + part * rise).clamp(0.0, rows));
    (enter <= leave).then(|| {
        let start = if enter > 0.0 { at(enter) } else { from };
        (start, if leave < 1.0 { at(leave) } else { to })
    })
}

/// Draws a line between two dots of the grid, both included (Bresenham 1965).
pub(crate) fn draw_line(surface: &mut impl DotSurface, from: (i64, i64), to: (i64, i64)) {
    let (width, height) = ((to.0 - from.0).abs(), -(to.1 - from.1).abs());
    let (right, down) = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
    let (mut x, mut y) = from;
    let mut error = width + height;
    loop {
        surface.set(x as usize, y as usize);
        if (x, y) == to {
            return;
        }
        let twice = 2 * error;
        if twice >= height {
            error += height;
            x += right;
        }
        if twice <= width {
            error += width;
            y += down;
        }
    }
}

#[cfg(test)]
mod tests;
