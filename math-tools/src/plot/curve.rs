//! A function of one variable as a curve to draw: samples, gaps where it is undefined or jumps, and a range that poles cannot
//! stretch.

use tool_core::{Ctx, ToolError};

use super::axis::AxisRange;
use super::series::value_extent;
use crate::expression::{Expression, SystemEvaluator};

/// A sampled function, ready to draw.
#[derive(Debug)]
pub(crate) struct PlottedCurve {
    /// Points in order; `None` is a gap. At edges of gaps points are added, so that branches reach as far as they go.
    pub(crate) points: Vec<Option<(f64, f64)>>,
    /// The values worth showing.
    pub(crate) y: AxisRange,
    /// Samples where the function has no finite value.
    pub(crate) undefined: usize,
    /// Samples that lie outside `y`, near poles.
    pub(crate) clipped: usize,
}

/// Samples an expression of `x` (slot 0) at `count` equally spaced points from `low` to `high`, both included.
///
/// # Range
/// From the smallest to the largest sample and 5 %, unless one of these lies near a pole and the whole is more than four times
/// as long as the middle 80 % of the samples; towards that pole the range then ends half that length beyond them. An extreme
/// sample lies near a pole when the function grows tenfold, or leaves the doubles, on the way to it between its neighbours; a
/// narrow peak does not, and is shown whole.
///
/// # Jumps
/// Two samples further apart than a twentieth of the range are halved towards the jump; what remains of it after 60 halvings
/// is a gap, not a stroke.
///
/// # Errors
/// When the call is stopped or its evaluations are used up; `None` when no sample is defined.
pub(crate) fn sample_curve(
    expression: &Expression,
    (low, high): (f64, f64),
    count: usize,
    ctx: &Ctx,
) -> Result<Option<PlottedCurve>, ToolError> {
    ctx.reserve_doubles(8 * count)?;
    let xs: Vec<f64> = (0..count)
        .map(|index| {
            let part = index as f64 / (count - 1) as f64;
            low * (1.0 - part) + high * part
        })
        .collect();
    let mut function = PlottedFunction {
        evaluator: expression.evaluator(),
        ctx,
    };
    let ys = function.block(&xs)?;
    let mut sorted: Vec<f64> = ys.iter().copied().filter(|y| y.is_finite()).collect();
    if sorted.is_empty() {
        return Ok(None);
    }
    let undefined = ys.len() - sorted.len();
    sorted.sort_unstable_by(f64::total_cmp);
    let y = function.shown(&xs, &ys, &sorted)?;
    let clipped = sorted.iter().filter(|value| !y.contains(**value)).count();
    let points = function.join(&xs, &ys, y)?;
    Ok(Some(PlottedCurve {
        points,
        y,
        undefined,
        clipped,
    }))
}

struct PlottedFunction<'a> {
    evaluator: SystemEvaluator<'a>,
    ctx: &'a Ctx,
}

impl PlottedFunction<'_> {
    fn at(&mut self, x: f64) -> f64 {
        self.evaluator.eval(&[x])
    }

    fn block(&mut self, xs: &[f64]) -> Result<Vec<f64>, ToolError> {
        let mut ys = vec![0.0; xs.len()];
        for (x, y) in xs.chunks(1 << 12).zip(ys.chunks_mut(1 << 12)) {
            self.ctx.check()?;
            self.ctx.count_evaluations(x.len() as u64)?;
            self.evaluator.eval_block(&[x], y);
        }
        Ok(ys)
    }

    /// The range worth showing; `sorted` holds the defined samples.
    fn shown(&mut self, xs: &[f64], ys: &[f64], sorted: &[f64]) -> Result<AxisRange, ToolError> {
        let (smallest, largest) = value_extent(sorted);
        let quantile = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        let (tenth, ninth) = (quantile(0.1), quantile(0.9));
        let half_middle = ninth / 2.0 - tenth / 2.0;
        if largest / 2.0 - smallest / 2.0 <= 4.0 * half_middle {
            return Ok(AxisRange::with_margin(smallest, largest));
        }
        let mut end = |extreme: f64, robust: f64| -> Result<f64, ToolError> {
            let at = ys.iter().position(|&y| y == extreme).unwrap_or(0);
            Ok(if self.pole(xs, at, extreme)? {
                robust
            } else {
                extreme
            })
        };
        let low = end(smallest, (tenth - half_middle).max(smallest))?;
        let high = end(largest, (ninth + half_middle).min(largest))?;
        Ok(AxisRange::with_margin(low, high))
    }

    /// Whether the function grows without bound between the neighbours of a sample: nine points, then nine around the largest.
    fn pole(&mut self, xs: &[f64], at: usize, value: f64) -> Result<bool, ToolError> {
        const ROUNDS: usize = 40;
        const POINTS: usize = 9;
        let (mut left, mut right) = (xs[at.saturating_sub(1)], xs[(at + 1).min(xs.len() - 1)]);
        self.ctx.count_evaluations((ROUNDS * POINTS) as u64)?;
        for _ in 0..ROUNDS {
            let step = (right - left) / (POINTS - 1) as f64;
            let mut largest = (0.0, left);
            for x in (0..POINTS).map(|index| left + index as f64 * step) {
                let size = self.at(x).abs();
                if size.is_infinite() || size > 10.0 * value.abs().max(f64::MIN_POSITIVE) {
                    return Ok(true);
                }
                if size > largest.0 {
                    largest = (size, x);
                }
            }
            (left, right) = (largest.1 - step, largest.1 + step);
        }
        Ok(false)
    }

    /// The samples with gaps where the function is undefined or jumps.
    fn join(
        &mut self,
        xs: &[f64],
        ys: &[f64],
        y: AxisRange,
    ) -> Result<Vec<Option<(f64, f64)>>, ToolError> {
        let mut points = Vec::with_capacity(xs.len());
        for index in 0..xs.len() {
            if index % (1 << 8) == 0 {
                self.ctx.check()?;
            }
            let here = (xs[index], ys[index]);
            if index > 0 {
                let before = (xs[index - 1], ys[index - 1]);
                match (before.1.is_finite(), here.1.is_finite()) {
                    (true, true) => self.bridge(before, here, y, &mut points)?,
                    (true, false) => points.extend([Some(self.edge(before, here.0)?), None]),
                    (false, true) => points.push(Some(self.edge(here, before.0)?)),
                    (false, false) => {}
                }
            }
            if here.1.is_finite() {
                points.push(Some(here));
            }
        }
        Ok(points)
    }

    /// Puts a gap between two samples when the function jumps between them, with what it does on both sides of the jump.
    fn bridge(
        &mut self,
        left: (f64, f64),
        right: (f64, f64),
        y: AxisRange,
        points: &mut Vec<Option<(f64, f64)>>,
    ) -> Result<(), ToolError> {
        let rise = |left: (f64, f64), right: (f64, f64)| (right.1 / 2.0 - left.1 / 2.0).abs();
        let before = rise(left, right);
        if before <= y.half_span() / 20.0 {
            return Ok(());
        }
        self.ctx.count_evaluations(HALVINGS)?;
        let (mut left, mut right) = (left, right);
        for _ in 0..HALVINGS {
            let x = left.0 / 2.0 + right.0 / 2.0;
            let middle = (x, self.at(x));
            if !middle.1.is_finite() {
                let edges = [self.edge(left, x)?, self.edge(right, x)?];
                points.extend([Some(edges[0]), None, Some(edges[1])]);
                return Ok(());
            }
            if x <= left.0 || right.0 <= x {
                break;
            }
            if rise(left, middle) > rise(middle, right) {
                right = middle;
            } else {
                left = middle;
            }
        }
        if rise(left, right) > before / 2.0 {
            points.extend([Some(left), None, Some(right)]);
        }
        Ok(())
    }

    /// The last defined point on the way from a defined point to an undefined one.
    fn edge(&mut self, defined: (f64, f64), undefined: f64) -> Result<(f64, f64), ToolError> {
        self.ctx.count_evaluations(HALVINGS)?;
        let (mut inside, mut outside) = (defined, undefined);
        for _ in 0..HALVINGS {
            let x = inside.0 / 2.0 + outside / 2.0;
            let y = self.at(x);
            if y.is_finite() {
                inside = (x, y);
            } else {
                outside = x;
            }
        }
        Ok(inside)
    }
}

/// Halvings of an interval between samples: enough to reach neighbouring doubles.
const HALVINGS: u64 = 60;
