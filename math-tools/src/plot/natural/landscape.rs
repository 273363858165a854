//! `optimize`: lines of equal height with the path from the start to the point found, of two variables; a curve of one.

use std::sync::Arc;

use numerics::optimise::CostFunction as _;
use plots::{
    ChannelDefinition, DataTable, GradientPalette, MarkKind, PlotColour, PlotColumn, PlotLayer,
    ScaleOptions,
};

use super::result::{DrawnResult, in_call};
use super::{
    AxisField, NaturalPicture, NaturalSize, WHOLE, channel, layer, plot_of, shared_table,
    short_number, table_of,
};
use crate::expression::unknowns;
use crate::optimise::minimise::objective::ObjectiveFunction;
use crate::optimise::minimise::{Args as OptimizeArgs, OptimizeMethod};
use crate::prelude::*;

/// Places of the grid, across and upwards.
const GRID: usize = 101;

/// Most steps of a path that are computed again.
const STEPS_MAX: u64 = 60;

/// Share of the picture around the path on each side.
const MARGIN: f64 = 0.45;

/// Heights that span more than this factor above the lowest are spaced by their logarithm.
const LOG_SPAN: f64 = 300.0;

/// The course of an optimisation: the points after so many iterations.
struct OptimisationPath {
    points: Vec<[f64; 2]>,
}

pub(super) fn draw_optimize(source: &DrawnResult<'_>) -> Result<NaturalPicture, ToolError> {
    let ctx = source.ctx;
    let Some(args) = source.call_arguments::<OptimizeArgs>()? else {
        refuse!(invalid "/call", "missing"; "the result of `optimize` does not say what was optimised";
            "pass the arguments of the call as `call`");
    };
    let end = source.numbers("x")?;
    let start = args.x0.load(ctx).map_err(in_call)?;
    if start.len() != end.len() || !(1..=2).contains(&end.len()) {
        refuse!(invalid "/result/x", "shape"; "expected a point of 1 or 2 variables as in `x0`, found {}", end.len();
            "a picture shows two variables: hold the others fixed with `parameters`");
    }
    let names: Vec<String> = match start.names() {
        Some(names) => names.to_vec(),
        None => (0..end.len()).map(|index| format!("x{index}")).collect(),
    };
    let landscape = ObjectiveLandscape {
        args: &args,
        start: &start,
        ctx,
    };
    let size = NaturalSize {
        width: 720,
        height: 540,
    };
    let mut picture = NaturalPicture::new("Optimisation", size);
    let steps = source.number("iterations").unwrap_or(0.0);
    let values: Vec<String> = names
        .iter()
        .zip(&end)
        .map(|(name, value)| format!("{name} = {}", short_number(*value)))
        .collect();
    let found = source.number("f")?;
    picture.subtitle = format!(
        "{} at {} after {} iterations",
        short_number(found),
        values.join(", "),
        short_number(steps)
    );
    let layers = match end[..] {
        [x, y] => landscape.contour_layers(source, &names, [x, y])?,
        _ => landscape.curve_layers(&names[0], end[0], source.theme.category(1))?,
    };
    picture.add(WHOLE, plot_of(layers));
    Ok(picture)
}

struct ObjectiveLandscape<'a> {
    args: &'a OptimizeArgs,
    start: &'a unknowns::StartPoint,
    ctx: &'a Ctx,
}

impl ObjectiveLandscape<'_> {
    /// The objective at points; NaN where it has no value.
    fn values(&self, points: &[Vec<f64>]) -> Result<Vec<f64>, ToolError> {
        let n = self.start.len();
        let variables = (n, self.start.names());
        let (data, parameters) = (self.args.data.as_ref(), &self.args.parameters);
        let scope = unknowns::unknowns_scope(variables, data, parameters, "/x0", self.ctx);
        let scope = scope.map_err(in_call)?;
        let function = ObjectiveFunction::new(&self.args.objective, &scope, n, self.ctx);
        let function = function.map_err(in_call)?;
        let mut evaluator = function.evaluator(self.ctx);
        let mut values = Vec::with_capacity(points.len());
        for row in points.chunks(GRID) {
            self.ctx.check()?;
            self.ctx.count_evaluations(row.len() as u64)?;
            for point in row {
                let value = evaluator.value(point).unwrap_or(f64::NAN);
                values.push(if value.is_finite() { value } else { f64::NAN });
            }
        }
        Ok(values)
    }

    /// The best points after 1, 2, ... iterations of the method that found the result, each by a call of its own.
    fn path(&self, source: &DrawnResult<'_>, end: [f64; 2]) -> OptimisationPath {
        let start = [self.start[0], self.start[1]];
        let steps = source.number("iterations").unwrap_or(0.0) as u64;
        let method = source.result.get("method");
        let method = method.and_then(|name| OptimizeMethod::decode(name).ok());
        let mut points = vec![start];
        // What the calls below warn of is no news of the picture.
        let warnings = self.ctx.take_warnings();
        for step in 1..steps.min(STEPS_MAX) {
            let mut args = self.args.clone();
            args.max_iter = Some(BoundedInteger::literal(step as i64));
            args.method = method.unwrap_or(args.method);
            let Ok(output) = OptimizeArgs::run(args, self.ctx) else {
                break;
            };
            if let [x, y] = output.x[..]
                && points.last() != Some(&[x, y])
            {
                points.push([x, y]);
            }
        }
        self.ctx.take_warnings();
        warnings.into_iter().for_each(|text| self.ctx.warn(text));
        if points.last() != Some(&end) {
            points.push(end);
        }
        OptimisationPath { points }
    }

    /// Bounds of a variable.
    fn bounds(&self, variable: usize) -> [f64; 2] {
        let none = [f64::NEG_INFINITY, f64::INFINITY];
        let Some(bounds) = &self.args.bounds else {
            return none;
        };
        let given = bounds.of(self.start, &[None, None], "/bounds").ok();
        match given.as_ref().and_then(|given| given.get(variable)) {
            Some([low, high]) => [
                low.map_or(none[0], Finite::get),
                high.map_or(none[1], Finite::get),
            ],
            None => none,
        }
    }

    /// The range around values that a picture shows, within the bounds.
    fn range(&self, variable: usize, values: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        let size = low.abs().max(high.abs());
        let span = (high - low).max(size * 1e-3).max(1e-12);
        let span = if high - low < size * 1e-3 {
            size.max(1.0)
        } else {
            span
        };
        let [least, most] = self.bounds(variable);
        [
            (low - MARGIN * span).max(least),
            (high + MARGIN * span).min(most),
        ]
    }

    fn contour_layers(
        &self,
        source: &DrawnResult<'_>,
        names: &[String],
        end: [f64; 2],
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let path = self.path(source, end);
        let ranges = [0, 1].map(|axis| self.range(axis, path.points.iter().map(|one| one[axis])));
        let place = |axis: usize, index: usize| {
            let share = index as f64 / (GRID - 1) as f64;
            ranges[axis][0] * (1.0 - share) + ranges[axis][1] * share
        };
        let grid: Vec<Vec<f64>> = (0..GRID * GRID)
            .map(|cell| vec![place(0, cell % GRID), place(1, cell / GRID)])
            .collect();
        let mut heights = self.values(&grid)?;
        let is_log = space_heights(&mut heights);
        let (x, y) = (
            AxisField {
                field: "x",
                title: &names[0],
            },
            AxisField {
                field: "y",
                title: &names[1],
            },
        );
        let column = |axis: usize| grid.iter().map(|point| point[axis]).collect::<Vec<f64>>();
        let data = table_of(&[("x", &column(0)), ("y", &column(1)), ("height", &heights)])?;
        let mut contour = layer(MarkKind::Contour, &data, x, y);
        let title = match is_log {
            true => "log10(objective − lowest)",
            false => "objective",
        };
        contour.channels.color = Some(ChannelDefinition {
            title: Some(title.to_owned()),
            scale: ScaleOptions {
                palette: GradientPalette::Viridis,
                ..ScaleOptions::default()
            },
            ..ChannelDefinition::of_field("height")
        });
        let mut layers = vec![contour];
        layers.extend(path.layers(x, y, source.theme.category(1))?);
        Ok(layers)
    }

    fn curve_layers(
        &self,
        name: &str,
        end: f64,
        colour: PlotColour,
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let ends = [self.start[0], end];
        let [low, high] = self.range(0, ends.into_iter());
        let places: Vec<f64> = (0..4 * GRID)
            .map(|index| low + (high - low) * index as f64 / (4 * GRID - 1) as f64)
            .collect();
        let points: Vec<Vec<f64>> = places.iter().map(|x| vec![*x]).collect();
        let x = AxisField {
            field: "x",
            title: name,
        };
        let y = AxisField {
            field: "y",
            title: "objective",
        };
        let curve = table_of(&[("x", &places), ("y", &self.values(&points)?)])?;
        let heights = self.values(&ends.map(|x| vec![x]))?;
        let marks = shared_table(vec![
            PlotColumn::of_numbers("x", ends.to_vec()),
            PlotColumn::of_numbers("y", heights),
            PlotColumn::of_texts("name", ["start", "found"].into_iter().map(Some)),
        ])?;
        let mut layers = vec![layer(MarkKind::Line, &curve, x, y)];
        layers.extend(named_points(&marks, x, y, colour));
        Ok(layers)
    }
}

/// Heights over many powers of ten as the logarithm of their distance from the lowest; whether they are.
fn space_heights(heights: &mut [f64]) -> bool {
    let finite = heights.iter().copied().filter(|height| height.is_finite());
    let low = finite.clone().fold(f64::INFINITY, f64::min);
    let mut above: Vec<f64> = finite.map(|height| height - low).collect();
    above.sort_by(f64::total_cmp);
    let middle = above.get(above.len() / 20).copied().unwrap_or(0.0);
    let most = above.last().copied().unwrap_or(0.0);
    // Below a 20th of the places nothing would be left of a logarithm but the lowest point.
    if !(middle > 0.0 && most / middle > LOG_SPAN) {
        return false;
    }
    let floor = (middle / 30.0).max(most * 1e-9);
    for height in heights {
        *height = (*height - low).max(floor).log10();
    }
    true
}

/// Points with their names.
fn named_points(
    data: &Arc<DataTable>,
    x: AxisField<'_>,
    y: AxisField<'_>,
    colour: PlotColour,
) -> Vec<PlotLayer> {
    let mut points = layer(MarkKind::Point, data, x, y);
    points.style.size = Some(80.0);
    points.style.colour = Some(colour);
    let mut texts = layer(MarkKind::Text, data, x, y);
    texts.channels.text = channel("name", "");
    texts.style.shift = (0.0, -13.0);
    vec![points, texts]
}

impl OptimisationPath {
    fn layers(
        &self,
        x: AxisField<'_>,
        y: AxisField<'_>,
        colour: PlotColour,
    ) -> Result<Vec<PlotLayer>, ToolError> {
        let column = |axis: usize| {
            self.points
                .iter()
                .map(|one| one[axis])
                .collect::<Vec<f64>>()
        };
        let data = table_of(&[("x", &column(0)), ("y", &column(1))])?;
        let mut line = layer(MarkKind::Line, &data, x, y);
        line.style.keeps_order = true;
        line.style.has_points = true;
        line.style.colour = Some(colour);
        let last = self.points.len() - 1;
        let ends = shared_table(vec![
            PlotColumn::of_numbers("x", vec![self.points[0][0], self.points[last][0]]),
            PlotColumn::of_numbers("y", vec![self.points[0][1], self.points[last][1]]),
            PlotColumn::of_texts("name", ["start", "found"].into_iter().map(Some)),
        ])?;
        let mut layers = vec![line];
        layers.extend(named_points(&ends, x, y, colour));
        Ok(layers)
    }
}
