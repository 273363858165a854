//! Linear models by interpolation, for constraints and objectives without useful derivatives.

use crate::optimise::error::{NotFinitePlace, OptimiseError};
use faer::Mat;

use super::super::bounds::VariableBounds;
use super::kkt::constraint_violations;
use super::step::StepConditions;
use super::{ConstrainedPoint, ConstrainedProblem, ConstrainedResult};
use crate::dense::{Lu, add_multiple, dot, euclidean_norm, max_abs};
use crate::optimise::minimise::result::{MinimiseEnd, MinimiseMethod};

/// The cost of a step grows with the cube of the number of variables.
pub(crate) const COORDINATES_MAX: usize = 100;

/// Minimises from a start point without derivatives.
///
/// # Method
/// Objective and constraints are interpolated linearly at the corners of a simplex. A step minimises the linear objective under the
/// linear constraints, which may be violated at a price, in a box around the best corner whose size falls when the models predict no
/// further gain; corners that are far away or nearly in the plane of the others are replaced first.
///
/// # Accuracy and cost
/// Converged when the size has fallen to `tolerance` times that of the point, a fresh start there gains no more than `tolerance`, and no
/// constraint is violated by more than that (at least 1e-8). Kinks of constraints are followed; at one of the objective linear models
/// may see no gain where there is one. One evaluation and n^3 operations for each step.
///
/// # Errors
/// Those of the problem.
///
/// # References
/// M. J. D. Powell, "A direct search optimization method that models the objective and constraint functions by linear interpolation", in:
/// Advances in Optimization and Numerical Analysis, Kluwer 1994.
pub(crate) fn minimise_by_cobyla(
    problem: &mut ConstrainedProblem<'_>,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<ConstrainedResult, OptimiseError> {
    const FIRST: f64 = 0.25;
    const TOLERANCE_MIN: f64 = 1e-8;
    /// Share of a gradient that counts as balanced.
    const BALANCED: f64 = 1e-2;
    let tolerance = tolerance.max(TOLERANCE_MIN);
    let size = max_abs(x0).max(1.0);
    let mut simplex = CobylaSimplex::new(problem, x0, FIRST * size)?;
    let (mut iterations, mut converged) = (0, false);
    let mut start = f64::INFINITY;
    let mut downwards = true;
    while iterations < max_iter && !converged {
        iterations += 1;
        simplex.choose_best(problem.equal());
        if simplex.advance(problem)? == CobylaProgress::More {
            continue;
        }
        if simplex.radius > tolerance * size {
            simplex.radius = (0.5 * simplex.radius).max(0.5 * tolerance * size);
            continue;
        }
        simplex.choose_best(problem.equal());
        let end = simplex.merit(&simplex.corners[0], problem.equal());
        converged = start - end <= tolerance * end.abs().max(1.0);
        if !converged {
            // Anew, along the other axes: a kink can stop models whose corners lie on one side.
            let x = simplex.corners[0].x.clone();
            let signed = if downwards { -FIRST } else { FIRST };
            (start, downwards) = (end, !downwards);
            let price = simplex.price;
            simplex = CobylaSimplex {
                price,
                ..CobylaSimplex::new(problem, &x, signed * size)?
            };
        }
    }
    simplex.choose_best(problem.equal());
    let best = simplex.corners.swap_remove(0);
    let at = problem.state(best.x, (best.value, best.c))?;
    let evidence = problem.evidence(&at)?;
    // Derivatives that are known show where models on a small simplex see no gain.
    let balanced = evidence.relative <= BALANCED * BALANCED
        || evidence.residual <= BALANCED * max_abs(&at.gradient);
    let sound = balanced || !problem.is_smooth();
    let converged = converged && sound && evidence.violation <= tolerance;
    let reason = match (converged, iterations == max_iter) {
        (true, _) => MinimiseEnd::Radius,
        (false, true) => MinimiseEnd::MaxIter,
        (false, false) => MinimiseEnd::NoProgress,
    };
    Ok(ConstrainedResult {
        has_unique_multipliers: None,
        at,
        evidence,
        iterations,
        converged,
        method: MinimiseMethod::Cobyla,
        reason,
        lowest_curvature: None,
    })
}

/// Whether a step was worth it.
#[derive(PartialEq, Eq)]
enum CobylaProgress {
    /// The next step may be as long.
    More,
    /// Nothing more is to be gained with this radius.
    Exhausted,
}

struct CobylaCorner {
    x: Vec<f64>,
    value: f64,
    c: Vec<f64>,
}

/// The corners of which the first is the best, one more than variables that can move.
struct CobylaSimplex {
    corners: Vec<CobylaCorner>,
    free: Vec<usize>,
    radius: f64,
    /// Price of a violation.
    price: f64,
}

impl CobylaSimplex {
    /// Corners along the axes, downwards for a negative radius.
    fn new(
        problem: &mut ConstrainedProblem<'_>,
        x0: &[f64],
        signed: f64,
    ) -> Result<Self, OptimiseError> {
        let radius = signed.abs();
        let bounds = problem.bounds.clone();
        let free: Vec<usize> = (0..x0.len())
            .filter(|&i| bounds.high[i] > bounds.low[i])
            .collect();
        let (value, c) = problem.values(x0)?;
        if !value.is_finite() {
            return Err(NotFinitePlace::StartOfBoth.into());
        }
        let mut simplex = Self {
            corners: vec![CobylaCorner {
                x: x0.to_vec(),
                value,
                c,
            }],
            free,
            radius,
            price: 1.0,
        };
        for position in 0..simplex.free.len() {
            let index = simplex.free[position];
            let room = (bounds.high[index] - bounds.low[index]) / 2.0;
            let step = radius.min(room);
            let (up, down) = (
                x0[index] + step <= bounds.high[index],
                x0[index] - step >= bounds.low[index],
            );
            let upwards = if signed > 0.0 { up } else { !down };
            let signed = if upwards { step } else { -step };
            let mut offset = vec![0.0; simplex.free.len()];
            offset[position] = signed;
            // Nearer where the function is not finite.
            for _ in 0..60 {
                if let Some(corner) = simplex.corner(problem, x0, &offset)? {
                    simplex.corners.push(corner);
                    break;
                }
                offset[position] *= -0.5;
            }
            if simplex.corners.len() < position + 2 {
                return Err(NotFinitePlace::NearStart.into());
            }
        }
        Ok(simplex)
    }

    /// The corner at an offset of the free variables; `None` where a function is not finite.
    fn corner(
        &self,
        problem: &mut ConstrainedProblem<'_>,
        from: &[f64],
        offset: &[f64],
    ) -> Result<Option<CobylaCorner>, OptimiseError> {
        let mut x = from.to_vec();
        for (&index, step) in self.free.iter().zip(offset) {
            x[index] += step;
        }
        problem.bounds.project(&mut x);
        let (value, c) = problem.values(&x)?;
        Ok(value.is_finite().then_some(CobylaCorner { x, value, c }))
    }

    fn merit(&self, corner: &CobylaCorner, equal: &[bool]) -> f64 {
        corner.value + self.price * constraint_violations(&corner.c, equal).sum::<f64>()
    }

    fn choose_best(&mut self, equal: &[bool]) {
        let merits: Vec<f64> = self
            .corners
            .iter()
            .map(|corner| self.merit(corner, equal))
            .collect();
        let better = |best: usize, index: usize| {
            if merits[index] < merits[best] {
                index
            } else {
                best
            }
        };
        let best = (1..merits.len()).fold(0, better);
        self.corners.swap(0, best);
    }

    /// The edges from the best corner, a row for each, in the free variables.
    fn edges(&self) -> Mat<f64> {
        let n = self.free.len();
        let (base, free) = (&self.corners[0].x, &self.free);
        Mat::from_fn(n, n, |row, column| {
            self.corners[row + 1].x[free[column]] - base[free[column]]
        })
    }

    fn advance(
        &mut self,
        problem: &mut ConstrainedProblem<'_>,
    ) -> Result<CobylaProgress, OptimiseError> {
        let n = self.free.len();
        if n == 0 {
            return Ok(CobylaProgress::Exhausted);
        }
        let edges = Lu::new(self.edges());
        if edges.zero_pivot().is_some() {
            return self.rebuild(problem);
        }
        let mut inverse = Mat::<f64>::identity(n, n);
        edges.solve(&mut inverse);
        if let Some(worst) = self.misplaced(&inverse) {
            return self.replace(problem, &inverse, worst);
        }
        let step = self.model_step(problem, &inverse)?;
        let Some((offset, expected)) = step else {
            return Ok(CobylaProgress::Exhausted);
        };
        if max_abs(&offset) < 0.5 * self.radius || expected <= 0.0 {
            return Ok(CobylaProgress::Exhausted);
        }
        let base = self.corners[0].x.clone();
        let Some(corner) = self.corner(problem, &base, &offset)? else {
            return Ok(CobylaProgress::Exhausted);
        };
        let equal = problem.equal();
        let gain = self.merit(&self.corners[0], equal) - self.merit(&corner, equal);
        // The corner whose replacement leaves the largest volume, far ones first.
        let volume = |position: usize| dot(inverse.col_as_slice(position), &offset).abs();
        let weight = |position: usize| {
            let edge: Vec<f64> = (0..n)
                .map(|i| self.corners[position + 1].x[self.free[i]] - base[self.free[i]])
                .collect();
            volume(position) * (euclidean_norm(&edge) / self.radius).max(1.0)
        };
        let largest = |best: usize, position: usize| {
            if weight(position) > weight(best) {
                position
            } else {
                best
            }
        };
        let out = (1..n).fold(0, largest);
        if gain > 0.0 || volume(out) > 0.1 {
            self.corners[out + 1] = corner;
        }
        Ok(if gain >= 0.1 * expected {
            CobylaProgress::More
        } else {
            CobylaProgress::Exhausted
        })
    }

    /// A corner that is too far away or too near to the plane of the others.
    fn misplaced(&self, inverse: &Mat<f64>) -> Option<usize> {
        const FAR: f64 = 2.1;
        const FLAT: f64 = 0.2;
        let n = self.free.len();
        let base = &self.corners[0].x;
        let distance = |position: usize| {
            let edge: Vec<f64> = self
                .free
                .iter()
                .map(|&i| self.corners[position + 1].x[i] - base[i])
                .collect();
            euclidean_norm(&edge)
        };
        let farthest = (0..n).max_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        if distance(farthest) > FAR * self.radius * (n as f64).sqrt() {
            return Some(farthest);
        }
        let height = |position: usize| euclidean_norm(inverse.col_as_slice(position)).recip();
        let flattest = (0..n).min_by(|&a, &b| height(a).total_cmp(&height(b)))?;
        (height(flattest) < FLAT * self.radius).then_some(flattest)
    }

    /// Replaces a corner by one at the radius along the normal of the plane of the others.
    fn replace(
        &mut self,
        problem: &mut ConstrainedProblem<'_>,
        inverse: &Mat<f64>,
        worst: usize,
    ) -> Result<CobylaProgress, OptimiseError> {
        let normal = inverse.col_as_slice(worst);
        let length = euclidean_norm(normal);
        let base = self.corners[0].x.clone();
        for share in [1.0, -1.0, 0.5, -0.5, 0.25, -0.25] {
            let offset: Vec<f64> = normal
                .iter()
                .map(|entry| share * self.radius * entry / length)
                .collect();
            let inside = self.free.iter().zip(&offset).all(|(&i, step)| {
                base[i] + step >= problem.bounds.low[i] && base[i] + step <= problem.bounds.high[i]
            });
            if inside && let Some(corner) = self.corner(problem, &base, &offset)? {
                self.corners[worst + 1] = corner;
                return Ok(CobylaProgress::More);
            }
        }
        self.rebuild(problem)
    }

    /// A new simplex around the best corner.
    fn rebuild(
        &mut self,
        problem: &mut ConstrainedProblem<'_>,
    ) -> Result<CobylaProgress, OptimiseError> {
        let base = self.corners[0].x.clone();
        let price = self.price;
        *self = Self {
            price,
            ..Self::new(problem, &base, 0.9 * self.radius)?
        };
        Ok(CobylaProgress::More)
    }

    /// The step of the linear models and the gain of merit that they expect.
    fn model_step(
        &mut self,
        problem: &ConstrainedProblem<'_>,
        inverse: &Mat<f64>,
    ) -> Result<Option<(Vec<f64>, f64)>, OptimiseError> {
        const CURVATURE: f64 = 1e-3;
        const MARGIN: f64 = 2.0;
        let n = self.free.len();
        let base = &self.corners[0];
        let slope = |of: &dyn Fn(&CobylaCorner) -> f64| {
            let mut gradient = vec![0.0; n];
            for position in 0..n {
                let rise = of(&self.corners[position + 1]) - of(base);
                add_multiple(&mut gradient, rise, inverse.col_as_slice(position));
            }
            gradient
        };
        let gradient = slope(&|corner: &CobylaCorner| corner.value);
        let rows: Vec<Vec<f64>> = (0..base.c.len())
            .map(|row| slope(&|corner: &CobylaCorner| corner.c[row]))
            .collect();
        let x: Vec<f64> = self.free.iter().map(|&i| base.x[i]).collect();
        let near = VariableBounds {
            low: (0..n)
                .map(|i| problem.bounds.low[self.free[i]].max(x[i] - self.radius))
                .collect(),
            high: (0..n)
                .map(|i| problem.bounds.high[self.free[i]].min(x[i] + self.radius))
                .collect(),
        };
        let equal = problem.equal();
        let at = ConstrainedPoint {
            x,
            value: base.value,
            gradient,
            c: base.c.clone(),
            jacobian: rows,
        };
        let steep = max_abs(&at.gradient);
        let steep = if steep > 0.0 { steep } else { 1.0 };
        let bend = (CURVATURE * steep / self.radius).max(f64::MIN_POSITIVE);
        let hessian = Mat::from_fn(n, n, |i, j| if i == j { bend } else { 0.0 });
        let conditions = StepConditions::new(&at, equal, &near);
        let penalty = 10.0 * self.price.max(max_abs(&at.gradient)).max(1.0);
        let watch = problem.target.watch;
        let Some(step) = conditions.solve(&at, &hessian, penalty, watch)? else {
            return Ok(None);
        };
        self.price = self.price.max(MARGIN * max_abs(&step.multipliers));
        let before: f64 = constraint_violations(&at.c, equal).sum();
        let after: f64 = step.left.iter().sum();
        let expected = self.price * (before - after) - dot(&at.gradient, &step.direction);
        Ok(Some((step.direction, expected)))
    }
}
