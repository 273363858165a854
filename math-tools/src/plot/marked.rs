//! A curve with marked points: roots on a function, data on an interpolant.

use tool_core::{Ctx, ToolError};

use super::axis::AxisRange;
use super::braille::{BrailleChart, ChartCaptions};
use super::canvas::trace_curve;
use super::curve::sample_curve;
use super::series::value_extent;
use crate::expression::Expression;

const WIDTH: usize = 72;
const HEIGHT: usize = 14;
const SAMPLES: usize = 600;

/// A function of slot 0 from `low` to `high`, with marks at places on the axis; `None` where no sample is defined.
///
/// # Errors
/// When the call is stopped.
pub(crate) fn plot_marked_function(
    expression: &Expression,
    (low, high): (f64, f64),
    marks: &[f64],
    title: &str,
    ctx: &Ctx,
) -> Result<Option<String>, ToolError> {
    let (x, ends) = (AxisRange::exact(low, high), (low, high));
    let Some(curve) = sample_curve(expression, ends, SAMPLES, ctx)? else {
        return Ok(None);
    };
    let marks: Vec<(f64, f64)> = marks.iter().map(|&x| (x, 0.0)).collect();
    draw_marked_curve((x, curve.y), &curve.points, &marks, title, ctx).map(Some)
}

/// A curve through points, with marks.
///
/// # Errors
/// When the call is stopped.
pub(crate) fn plot_marked_points(
    curve: &[(f64, f64)],
    marks: &[(f64, f64)],
    title: &str,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    let all = || curve.iter().chain(marks);
    let x = value_extent(&all().map(|point| point.0).collect::<Vec<f64>>());
    let y = value_extent(&all().map(|point| point.1).collect::<Vec<f64>>());
    let joined: Vec<Option<(f64, f64)>> = curve.iter().copied().map(Some).collect();
    let ranges = (
        AxisRange::with_margin(x.0, x.1),
        AxisRange::with_margin(y.0, y.1),
    );
    draw_marked_curve(ranges, &joined, marks, title, ctx)
}

fn draw_marked_curve(
    (x, y): (AxisRange, AxisRange),
    curve: &[Option<(f64, f64)>],
    marks: &[(f64, f64)],
    title: &str,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    ctx.reserve((WIDTH * HEIGHT * 8) as u64)?;
    let mut chart = BrailleChart::new(x, y, WIDTH, HEIGHT);
    let mut canvas = chart.canvas();
    trace_curve(
        &mut canvas,
        &chart.dot_projection(),
        curve.iter().copied(),
        ctx,
    )?;
    chart.draw(&canvas);
    let cells = chart.cell_projection();
    for &(at, height) in marks {
        if x.contains(at) && y.contains(height) {
            chart.put(cells.column(at), cells.row(height), 'o');
        }
    }
    let words = ChartCaptions {
        title,
        ..ChartCaptions::default()
    };
    Ok(chart.text(&words, &[]))
}
