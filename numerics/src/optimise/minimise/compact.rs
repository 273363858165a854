//! The direction of a limited-memory quasi-Newton method in a box.
//!
//! The Hessian is `B = theta I - W M W'` with `W = [Y, theta S]`, of the last steps `S` and changes of gradient `Y`. The direction leads
//! to the minimum of the quadratic model over the variables that are free at the generalised Cauchy point, projected onto the box.
//!
//! R. H. Byrd, P. Lu, J. Nocedal, C. Zhu, "A limited memory algorithm for bound constrained optimization", SIAM J. Sci. Comput. 16(5),
//! 1995, algorithm CP and the direct primal method; J. L. Morales, J. Nocedal, "Remark on Algorithm 778", ACM TOMS 38(1), 2011
//! (projection in place of truncation).

use faer::Mat;

use super::bounds::VariableBounds;
use super::curvature::point_along;
use super::smooth::GradientPoint;
use crate::dense::{Lu, add_multiple, dot};

/// A step, the change of the gradient along it, and the inverse of their inner product.
pub(super) type Pair = (Vec<f64>, Vec<f64>, f64);

/// The quadratic model.
struct CompactLbfgs<'a> {
    pairs: Vec<&'a Pair>,
    theta: f64,
    /// Factors of the inverse of `M`.
    middle: Lu,
}

impl<'a> CompactLbfgs<'a> {
    fn new(pairs: impl Iterator<Item = &'a Pair>) -> Option<Self> {
        let pairs: Vec<&Pair> = pairs.collect();
        let (_, change, inverse) = pairs.last()?;
        let theta = inverse * dot(change, change);
        let m = pairs.len();
        let mut matrix = Mat::<f64>::zeros(2 * m, 2 * m);
        for i in 0..m {
            for j in 0..m {
                matrix[(m + i, m + j)] = theta * dot(&pairs[i].0, &pairs[j].0);
                if i > j {
                    let lower = dot(&pairs[i].0, &pairs[j].1);
                    matrix[(m + i, j)] = lower;
                    matrix[(j, m + i)] = lower;
                }
            }
            matrix[(i, i)] = -pairs[i].2.recip();
        }
        let middle = Lu::new(matrix);
        let sound = theta.is_finite() && theta > 0.0 && middle.zero_pivot().is_none();
        sound.then_some(Self {
            pairs,
            theta,
            middle,
        })
    }

    /// A row of `W`.
    fn row(&self, index: usize) -> Vec<f64> {
        let changes = self.pairs.iter().map(|pair| pair.1[index]);
        let steps = self.pairs.iter().map(|pair| self.theta * pair.0[index]);
        changes.chain(steps).collect()
    }

    /// `W' v`.
    fn transposed_times(&self, v: &[f64]) -> Vec<f64> {
        let changes = self.pairs.iter().map(|pair| dot(&pair.1, v));
        let steps = self.pairs.iter().map(|pair| self.theta * dot(&pair.0, v));
        changes.chain(steps).collect()
    }

    /// `W v`.
    fn times(&self, v: &[f64], n: usize) -> Vec<f64> {
        let mut product = vec![0.0; n];
        for (index, pair) in self.pairs.iter().enumerate() {
            add_multiple(&mut product, v[index], &pair.1);
            let share = self.theta * v[self.pairs.len() + index];
            add_multiple(&mut product, share, &pair.0);
        }
        product
    }

    /// `M v`.
    fn middle_times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = v.to_vec();
        self.middle.solve_vector(&mut product);
        product
    }
}

/// The first minimum of the model along the projected steepest descent.
struct CauchyPoint {
    x: Vec<f64>,
    /// `W' (x - start)`.
    moved: Vec<f64>,
    /// The variables strictly between their bounds, as far as the path decides.
    free: Vec<usize>,
}

fn cauchy_point(
    model: &CompactLbfgs<'_>,
    bounds: &VariableBounds,
    at: &GradientPoint,
) -> CauchyPoint {
    let n = at.x.len();
    let limit = |index: usize| {
        let bound = match at.gradient[index] {
            g if g < 0.0 => bounds.high[index],
            g if g > 0.0 => bounds.low[index],
            _ => return f64::INFINITY,
        };
        (at.x[index] - bound) / at.gradient[index]
    };
    let limits: Vec<f64> = (0..n).map(limit).collect();
    let mut direction: Vec<f64> = at.gradient.iter().map(|g| -g).collect();
    for index in (0..n).filter(|&index| limits[index] <= 0.0) {
        direction[index] = 0.0;
    }
    let mut order: Vec<usize> = (0..n)
        .filter(|&i| limits[i] > 0.0 && limits[i].is_finite())
        .collect();
    order.sort_by(|&a, &b| limits[a].total_cmp(&limits[b]));

    let mut p = model.transposed_times(&direction);
    let mut moved = vec![0.0; p.len()];
    let mut x = at.x.clone();
    let mut slope = -dot(&direction, &direction);
    let first_bend = -model.theta * slope - dot(&p, &model.middle_times(&p));
    let least = f64::EPSILON * first_bend.abs();
    let mut bend = first_bend.max(least);
    let mut reached = 0.0;
    let mut passed = 0;
    for &index in &order {
        let span = limits[index] - reached;
        if slope >= 0.0 || -slope / bend < span {
            break;
        }
        let g = at.gradient[index];
        x[index] = if g < 0.0 {
            bounds.high[index]
        } else {
            bounds.low[index]
        };
        let z = x[index] - at.x[index];
        add_multiple(&mut moved, span, &p);
        let row = model.row(index);
        let image = model.middle_times(&row);
        slope += span * bend + g * g + model.theta * g * z - g * dot(&image, &moved);
        bend -= model.theta * g * g + 2.0 * g * dot(&image, &p) + g * g * dot(&image, &row);
        bend = bend.max(least);
        add_multiple(&mut p, g, &row);
        direction[index] = 0.0;
        reached = limits[index];
        passed += 1;
    }
    let span = if slope < 0.0 { -slope / bend } else { 0.0 };
    let step = reached + span;
    add_multiple(&mut moved, span, &p);
    for index in 0..n {
        if direction[index] != 0.0 {
            x[index] = bounds.nearest(index, at.x[index] + step * direction[index]);
        }
    }
    let mut hit = vec![false; n];
    order[..passed].iter().for_each(|&index| hit[index] = true);
    let free = (0..n).filter(|&index| !hit[index] && limits[index] > 0.0);
    let free = free.collect();
    CauchyPoint { x, moved, free }
}

/// The minimum of the model over the free variables, from the Cauchy point on; `None` where the model does not have one.
fn subspace_minimum(
    model: &CompactLbfgs<'_>,
    at: &GradientPoint,
    from: &CauchyPoint,
) -> Option<Vec<f64>> {
    let n = at.x.len();
    let correction = model.times(&model.middle_times(&from.moved), n);
    let mut residual = vec![0.0; n];
    for &index in &from.free {
        let moved = from.x[index] - at.x[index];
        residual[index] = at.gradient[index] + model.theta * moved - correction[index];
    }
    let size = 2 * model.pairs.len();
    let mut gram = Mat::<f64>::zeros(size, size);
    for &index in &from.free {
        let row = model.row(index);
        for j in 0..size {
            add_multiple(gram.col_as_slice_mut(j), row[j], &row);
        }
    }
    let mut matrix = Mat::<f64>::identity(size, size);
    for j in 0..size {
        let image = model.middle_times(gram.col_as_slice(j));
        add_multiple(matrix.col_as_slice_mut(j), -model.theta.recip(), &image);
    }
    let factors = Lu::new(matrix);
    if factors.zero_pivot().is_some() {
        return None;
    }
    let mut inner = model.middle_times(&model.transposed_times(&residual));
    factors.solve_vector(&mut inner);
    let back = model.times(&inner, n);
    let mut step = vec![0.0; n];
    for &index in &from.free {
        step[index] = -residual[index] / model.theta - back[index] / model.theta.powi(2);
    }
    step.iter().all(|entry| entry.is_finite()).then_some(step)
}

/// The direction from a point to the minimum of the model in the box; `None` where the pairs do not define a model.
pub(super) fn quasi_newton_direction<'a>(
    pairs: impl Iterator<Item = &'a Pair>,
    bounds: &VariableBounds,
    at: &GradientPoint,
) -> Option<Vec<f64>> {
    let model = CompactLbfgs::new(pairs)?;
    let cauchy = cauchy_point(&model, bounds, at);
    let to_cauchy = point_along(&cauchy.x, -1.0, &at.x);
    let Some(step) = subspace_minimum(&model, at, &cauchy) else {
        return Some(to_cauchy);
    };
    let mut end = point_along(&cauchy.x, 1.0, &step);
    bounds.project(&mut end);
    let projected = point_along(&end, -1.0, &at.x);
    if dot(&projected, &at.gradient) < 0.0 {
        return Some(projected);
    }
    let share = bounds.longest_step(&cauchy.x, &step).min(1.0);
    let mut truncated = point_along(&cauchy.x, share, &step);
    bounds.project(&mut truncated);
    Some(point_along(&truncated, -1.0, &at.x))
}
