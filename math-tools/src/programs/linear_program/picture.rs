//! The feasible region of two variables as text.

use std::sync::Arc;

use numerics::programming::linear::LinearProgram;

use super::arguments::Args;
use super::pose::PosedLinearProgram;
use crate::plot::{plot_braille, series};
use crate::prelude::*;

/// Columns at which the region is measured.
const COLUMNS: usize = 129;

/// The picture, where there are two variables, it is wanted, and the region is not empty.
pub(super) fn draw_region(
    args: &Args,
    posed: &PosedLinearProgram,
    best: Option<&Vec<f64>>,
    ctx: &Ctx,
) -> Result<Option<String>, ToolError> {
    let program = &posed.given;
    let (true, 2, Some(best)) = (args.plot, posed.names.len(), best) else {
        return Ok(None);
    };
    let Some([left, right]) = drawing_span(program, best) else {
        return Ok(None);
    };
    let mut columns = Vec::new();
    let most = drawing_height(program, best);
    for step in 0..COLUMNS {
        let x = left + (right - left) * step as f64 / (COLUMNS - 1) as f64;
        let [low, high] = feasible_interval(program, x, most);
        if low <= high {
            columns.push((x, low, high));
        }
    }
    if columns.len() < 2 {
        return Ok(None);
    }
    let x: Vec<f64> = columns.iter().map(|column| column.0).collect();
    let lower: Vec<f64> = columns.iter().map(|column| column.1).collect();
    let upper: Vec<f64> = columns.iter().map(|column| column.2).collect();
    let labels = vec!["lowest feasible".to_owned(), "highest feasible".to_owned()];
    let title = format!(
        "feasible region, optimum at ({}, {})",
        format_rounded(best[0]),
        format_rounded(best[1])
    );
    let args = plot_braille::Args {
        x: Input::inline(x),
        y: Input::Inline(series::PlotSeries(Arc::new(vec![
            Vector::from(lower),
            Vector::from(upper),
        ]))),
        plot_type: series::PlotType::Line,
        points: Vec::new(),
        width: BoundedInteger::literal(72),
        height: BoundedInteger::literal(16),
        title,
        x_label: Some(posed.names[0].clone()),
        y_label: Some(posed.names[1].clone()),
        labels: Some(labels),
    };
    plot_braille::Args::run(args, ctx).map(|output| Some(output.plot))
}

fn format_rounded(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A value of the second variable beyond which nothing is drawn.
fn drawing_height(program: &LinearProgram, best: &[f64]) -> f64 {
    let corners = region_corners(program);
    let most = corners
        .iter()
        .map(|corner| corner[1].abs())
        .fold(best[1].abs(), f64::max);
    2.0 * most.max(1.0)
}

/// The range of the first variable that is drawn: from corner to corner, and a little beyond where the region goes on.
fn drawing_span(program: &LinearProgram, best: &[f64]) -> Option<[f64; 2]> {
    let corners = region_corners(program);
    let all = corners.iter().map(|corner| corner[0]).chain([best[0]]);
    let (least, most) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
        (least.min(x), most.max(x))
    });
    let room = (most - least).max(1.0);
    let beyond = drawing_height(program, best);
    let goes_on = |x: f64| {
        let [low, high] = feasible_interval(program, x, beyond);
        low <= high
    };
    let left = if goes_on(least - 0.5 * room) {
        least - 0.5 * room
    } else {
        least
    };
    let right = if goes_on(most + 0.5 * room) {
        most + 0.5 * room
    } else {
        most
    };
    (left < right).then_some([left, right])
}

/// Lines a x + b y = c of all constraints and bounds that are there; few enough for all pairs.
fn boundary_lines(program: &LinearProgram) -> Vec<[f64; 3]> {
    let mut lines = Vec::new();
    for row in 0..program.matrix.row_count() {
        let (a, b) = (program.matrix.get(row, 0), program.matrix.get(row, 1));
        for bound in [program.row_low[row], program.row_high[row]] {
            lines.push([a, b, bound]);
        }
    }
    for (column, (low, high)) in program.low.iter().zip(&program.high).enumerate() {
        let unit = if column == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
        lines.extend([[unit[0], unit[1], *low], [unit[0], unit[1], *high]]);
    }
    lines.retain(|line| line[2].is_finite());
    lines.truncate(200);
    lines
}

/// Corners of the region.
fn region_corners(program: &LinearProgram) -> Vec<[f64; 2]> {
    let lines = boundary_lines(program);
    let mut corners = Vec::new();
    for (index, [a, b, c]) in lines.iter().enumerate() {
        for [d, e, f] in &lines[..index] {
            let determinant = a * e - b * d;
            let corner = [(c * e - b * f) / determinant, (a * f - c * d) / determinant];
            if corner.iter().all(|value| value.is_finite()) && is_inside(program, corner) {
                corners.push(corner);
            }
        }
    }
    corners
}

fn is_inside(program: &LinearProgram, point: [f64; 2]) -> bool {
    let slack = |size: f64| 1e-9 * size.abs().max(1.0);
    let bounds = program.low.iter().zip(&program.high).zip(point);
    let mut all = bounds
        .map(|((low, high), value)| low - slack(value) <= value && value <= high + slack(value));
    all.all(|is_good| is_good)
        && (0..program.matrix.row_count()).all(|row| {
            let terms = [
                program.matrix.get(row, 0) * point[0],
                program.matrix.get(row, 1) * point[1],
            ];
            let (sum, size) = (terms[0] + terms[1], terms[0].abs() + terms[1].abs());
            program.row_low[row] - slack(size) <= sum && sum <= program.row_high[row] + slack(size)
        })
}

/// The lowest and highest feasible value of the second variable where the first is x, within `most`.
fn feasible_interval(program: &LinearProgram, x: f64, most: f64) -> [f64; 2] {
    let slack = 1e-9 * x.abs().max(1.0);
    if x < program.low[0] - slack || x > program.high[0] + slack {
        return [1.0, 0.0];
    }
    let (mut low, mut high) = (program.low[1].max(-most), program.high[1].min(most));
    for row in 0..program.matrix.row_count() {
        let (a, b) = (program.matrix.get(row, 0), program.matrix.get(row, 1));
        let ends = [program.row_low[row] - a * x, program.row_high[row] - a * x];
        if b == 0.0 {
            let slack = 1e-9 * (a * x).abs().max(1.0);
            if ends[0] > slack || ends[1] < -slack {
                return [1.0, 0.0];
            }
            continue;
        }
        let (a, b) = (ends[0] / b, ends[1] / b);
        low = low.max(a.min(b));
        high = high.min(a.max(b));
    }
    // Where the region ends in a corner, rounding may turn the two around.
    if low > high && low - high <= 1e-9 * low.abs().max(1.0) {
        [high, high]
    } else {
        [low, high]
    }
}
