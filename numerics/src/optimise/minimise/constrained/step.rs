//! One step of sequential quadratic programming: the quadratic program at a point, made convex and, where its constraints contradict
//! each other, elastic.
//!
//! J. Nocedal, S. J. Wright, "Numerical Optimization", 2nd ed., Springer 2006, sections 16.2, 18.2 and 18.3; P. E. Gill, W. Murray,
//! M. A. Saunders, "SNOPT", SIAM Review 47, 2005 (elastic mode).

use faer::Mat;

use super::super::bounds::VariableBounds;
use super::ConstrainedPoint;
use super::kkt::constraint_violations;
use super::quadratic::{self, LinearConstraint, SubproblemFailure};
use crate::dense::cholesky::Cholesky;
use crate::dense::orthogonal::factor_orthogonal;
use crate::dense::{add_multiple, dot, max_abs, symmetric_eigen};
use crate::{Interruption, Watch};

/// A step from a point.
#[derive(Debug, Clone)]
pub(super) struct SqpStep {
    pub direction: Vec<f64>,
    /// Multipliers of the constraints.
    pub multipliers: Vec<f64>,
    /// Violations of the linearised constraints after the step.
    pub left: Vec<f64>,
    /// The rows that hold with equality: constraints, then bounds.
    pub active: Vec<usize>,
}

/// The linear conditions on a step: constraints first, then bounds.
pub(super) struct StepConditions {
    pub rows: Vec<LinearConstraint>,
    constraints: usize,
}

impl StepConditions {
    pub(super) fn new(at: &ConstrainedPoint, equal: &[bool], bounds: &VariableBounds) -> Self {
        let n = at.x.len();
        let constraints = at.jacobian.iter().zip(&at.c).zip(equal);
        let mut rows: Vec<LinearConstraint> = constraints
            .map(|((normal, c), equal)| LinearConstraint {
                normal: normal.clone(),
                least: -c,
                equal: *equal,
            })
            .collect();
        let constraints = rows.len();
        for index in 0..n {
            let (low, high) = (bounds.low[index], bounds.high[index]);
            let mut push = |sign: f64, least: f64| {
                let mut normal = vec![0.0; n];
                normal[index] = sign;
                rows.push(LinearConstraint {
                    normal,
                    least,
                    equal: low == high,
                });
            };
            if low.is_finite() {
                push(1.0, low - at.x[index]);
            }
            if high.is_finite() && high > low {
                push(-1.0, at.x[index] - high);
            }
        }
        Self { rows, constraints }
    }

    fn step(
        &self,
        at: &ConstrainedPoint,
        direction: Vec<f64>,
        multipliers: &[f64],
        active: Vec<usize>,
    ) -> SqpStep {
        let linear: Vec<f64> = at
            .jacobian
            .iter()
            .zip(&at.c)
            .map(|(row, c)| c + dot(row, &direction))
            .collect();
        let equal: Vec<bool> = self.rows[..self.constraints]
            .iter()
            .map(|row| row.equal)
            .collect();
        SqpStep {
            left: constraint_violations(&linear, &equal).collect(),
            multipliers: multipliers[..self.constraints].to_vec(),
            direction,
            active,
        }
    }

    /// The step of the convex program; elastic with this penalty where the conditions contradict each other.
    ///
    /// # Errors
    /// A stop.
    pub(super) fn solve(
        &self,
        at: &ConstrainedPoint,
        hessian: &Mat<f64>,
        penalty: f64,
        watch: &dyn Watch,
    ) -> Result<Option<SqpStep>, Interruption> {
        match quadratic::minimise_quadratic(hessian, &at.gradient, &self.rows, watch)? {
            Ok(found) => {
                // The dual method starts far away where the matrix is nearly singular: its digits are restored.
                let refined = self.newton(at, hessian, &found.active);
                let plain = || {
                    self.step(
                        at,
                        found.x.clone(),
                        &found.multipliers,
                        found.active.clone(),
                    )
                };
                Ok(Some(refined.unwrap_or_else(plain)))
            }
            Err(SubproblemFailure::Numeric) => Ok(None),
            Err(SubproblemFailure::Infeasible(_)) => self.elastic(at, hessian, penalty, watch),
        }
    }

    /// The step of the program whose constraints may be violated at a price, which bounds are not.
    ///
    /// # Errors
    /// A stop.
    pub(super) fn elastic(
        &self,
        at: &ConstrainedPoint,
        hessian: &Mat<f64>,
        penalty: f64,
        watch: &dyn Watch,
    ) -> Result<Option<SqpStep>, Interruption> {
        /// Curvature of the price, which makes the program strictly convex.
        const CURVATURE: f64 = 1e-4;
        let n = at.x.len();
        let slacks: usize = self.rows[..self.constraints]
            .iter()
            .map(|row| 1 + usize::from(row.equal))
            .sum();
        let size = n + slacks;
        let mut wide = Mat::<f64>::zeros(size, size);
        for column in 0..n {
            wide.col_as_slice_mut(column)[..n].copy_from_slice(hessian.col_as_slice(column));
        }
        for index in n..size {
            wide[(index, index)] = CURVATURE * penalty;
        }
        let mut gradient = at.gradient.clone();
        gradient.resize(size, penalty);
        let mut rows = Vec::with_capacity(self.rows.len() + slacks);
        let mut slack = n;
        for (index, row) in self.rows.iter().enumerate() {
            let mut normal = row.normal.clone();
            normal.resize(size, 0.0);
            if index < self.constraints {
                normal[slack] = 1.0;
                slack += 1;
                if row.equal {
                    normal[slack] = -1.0;
                    slack += 1;
                }
            }
            rows.push(LinearConstraint { normal, ..*row });
        }
        for index in n..size {
            let mut normal = vec![0.0; size];
            normal[index] = 1.0;
            rows.push(LinearConstraint {
                normal,
                least: 0.0,
                equal: false,
            });
        }
        let Ok(mut found) = quadratic::minimise_quadratic(&wide, &gradient, &rows, watch)? else {
            return Ok(None);
        };
        found.x.truncate(n);
        found.active.retain(|row| *row < self.rows.len());
        Ok(Some(self.step(
            at,
            found.x,
            &found.multipliers,
            found.active,
        )))
    }

    /// The normals of rows in columns.
    fn normals(&self, active: &[usize], n: usize) -> Mat<f64> {
        Mat::from_fn(n, active.len(), |row, column| {
            self.rows[active[column]].normal[row]
        })
    }

    /// Newton's step for the active rows as equalities, with the Hessian itself; `None` unless it is positive definite along them and
    /// the step satisfies every condition.
    pub(super) fn newton(
        &self,
        at: &ConstrainedPoint,
        hessian: &Mat<f64>,
        active: &[usize],
    ) -> Option<SqpStep> {
        const SIGN: f64 = 1e-9;
        let n = at.x.len();
        let split = NormalSplit::new(self.normals(active, n))?;
        let least: Vec<f64> = active.iter().map(|&row| self.rows[row].least).collect();
        let mut direction = split.range_step(&least);
        let mut slope = at.gradient.clone();
        add_multiple(&mut slope, 1.0, &multiply_symmetric(hessian, &direction));
        let null = split.null();
        if !null.is_empty() {
            let reduced = Cholesky::new(reduced_hessian(hessian, &null)).ok()?;
            if !well_conditioned(&reduced) {
                return None;
            }
            let mut rhs = Mat::from_fn(null.len(), 1, |row, _| -dot(null[row], &slope));
            reduced.solve(&mut rhs);
            for (vector, share) in null.iter().zip(rhs.col_as_slice(0)) {
                add_multiple(&mut direction, *share, vector);
            }
        }
        let mut slope = at.gradient.clone();
        add_multiple(&mut slope, 1.0, &multiply_symmetric(hessian, &direction));
        let shares = split.multipliers(&slope);
        let scale = max_abs(&shares);
        let mut multipliers = vec![0.0; self.rows.len()];
        for (&row, share) in active.iter().zip(shares) {
            if !self.rows[row].equal && share < -SIGN * scale {
                return None;
            }
            multipliers[row] = share;
        }
        let size = max_abs(&direction);
        let holds = |row: &LinearConstraint| {
            let slack = dot(&row.normal, &direction) - row.least;
            slack >= -1e-9 * (row.least.abs() + max_abs(&row.normal) * size)
        };
        let sound = size.is_finite() && self.rows.iter().all(|row| row.equal || holds(row));
        sound.then(|| self.step(at, direction, &multipliers, active.to_vec()))
    }

    /// The shortest step that makes the active constraints hold whose values are `c`, to first order; active bounds stay.
    pub(super) fn correction(&self, active: &[usize], c: &[f64], n: usize) -> Option<Vec<f64>> {
        let split = NormalSplit::new(self.normals(active, n))?;
        let least = |row: &usize| {
            if *row < self.constraints {
                -c[*row]
            } else {
                0.0
            }
        };
        let least: Vec<f64> = active.iter().map(least).collect();
        Some(split.range_step(&least))
    }

    /// The lowest curvature of the Lagrangian along the rows that are strongly active, its direction and the size of the curvatures;
    /// `None` where no direction is left.
    pub(super) fn lowest_curvature(
        &self,
        hessian: &Mat<f64>,
        active: &[usize],
    ) -> Option<(f64, Vec<f64>, f64)> {
        let n = hessian.nrows();
        let found = factor_orthogonal(self.normals(active, n), true, true);
        let rank = (0..active.len().min(n))
            .take_while(|&i| found.r[(i, i)] > 1e-10 * found.r[(0, 0)])
            .count();
        let null: Vec<&[f64]> = (rank..n)
            .map(|column| found.q.col_as_slice(column))
            .collect();
        if null.is_empty() {
            return None;
        }
        let (values, vectors) =
            symmetric_eigen(reduced_hessian(hessian, &null).as_ref(), true).ok()?;
        let vectors = vectors?;
        let mut direction = vec![0.0; n];
        for (vector, share) in null.iter().zip(vectors.col_as_slice(0)) {
            add_multiple(&mut direction, *share, vector);
        }
        Some((values[0], direction, max_abs(&values)))
    }
}

/// The space of some normals and what is orthogonal to it.
struct NormalSplit {
    q: Mat<f64>,
    r: Mat<f64>,
}

impl NormalSplit {
    /// `None` when the normals depend on each other.
    fn new(normals: Mat<f64>) -> Option<Self> {
        let (n, k) = normals.shape();
        if k > n {
            return None;
        }
        let found = factor_orthogonal(normals, false, true);
        let diagonal = (0..k).map(|index| found.r[(index, index)]);
        let (least, most) = diagonal.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), r| {
            (a.min(r), b.max(r))
        });
        (k == 0 || least > 1e-12 * most).then_some(Self {
            q: found.q,
            r: found.r,
        })
    }

    fn rank(&self) -> usize {
        self.r.ncols()
    }

    /// The shortest vector whose products with the normals are these.
    fn range_step(&self, products: &[f64]) -> Vec<f64> {
        let mut step = vec![0.0; self.q.nrows()];
        let mut shares = products.to_vec();
        for column in 0..self.rank() {
            let known: f64 = (0..column)
                .map(|row| self.r[(row, column)] * shares[row])
                .sum();
            shares[column] = (shares[column] - known) / self.r[(column, column)];
            add_multiple(&mut step, shares[column], self.q.col_as_slice(column));
        }
        step
    }

    /// An orthonormal basis of what is orthogonal to the normals.
    fn null(&self) -> Vec<&[f64]> {
        (self.rank()..self.q.ncols())
            .map(|column| self.q.col_as_slice(column))
            .collect()
    }

    /// The combination of the normals nearest to a vector.
    fn multipliers(&self, vector: &[f64]) -> Vec<f64> {
        let mut shares: Vec<f64> = (0..self.rank())
            .map(|column| dot(self.q.col_as_slice(column), vector))
            .collect();
        for row in (0..self.rank()).rev() {
            let known: f64 = (row + 1..self.rank())
                .map(|column| self.r[(row, column)] * shares[column])
                .sum();
            shares[row] = (shares[row] - known) / self.r[(row, row)];
        }
        shares
    }
}

/// `A v` of a symmetric matrix.
pub(super) fn multiply_symmetric(matrix: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    (0..v.len())
        .map(|column| dot(matrix.col_as_slice(column), v))
        .collect()
}

fn reduced_hessian(hessian: &Mat<f64>, basis: &[&[f64]]) -> Mat<f64> {
    let images: Vec<Vec<f64>> = basis
        .iter()
        .map(|vector| multiply_symmetric(hessian, vector))
        .collect();
    let entry =
        |i: usize, j: usize| dot(basis[i], &images[j]) / 2.0 + dot(basis[j], &images[i]) / 2.0;
    Mat::from_fn(basis.len(), basis.len(), entry)
}

fn well_conditioned(factor: &Cholesky) -> bool {
    let n = factor.packed.nrows();
    let diagonal = (0..n).map(|index| factor.packed[(index, index)]);
    let (least, most) = diagonal.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), d| {
        (a.min(d), b.max(d))
    });
    n == 0 || least > 1e-7 * most
}

/// A positive definite matrix near a symmetric one, and whether it differs: the magnitudes of its eigenvalues, at least so large that
/// no step without constraints is longer than the radius.
pub(super) fn convexify_hessian(
    hessian: &Mat<f64>,
    gradient: &[f64],
    radius: f64,
) -> Option<(Mat<f64>, bool)> {
    const LEAST: f64 = 1e-9;
    let n = gradient.len();
    if Cholesky::new(hessian.clone()).is_ok_and(|factor| well_conditioned(&factor)) {
        return Some((hessian.clone(), false));
    }
    let (values, vectors) = symmetric_eigen(hessian.as_ref(), true).ok()?;
    let vectors = vectors?;
    let size = max_abs(&values);
    if !size.is_finite() {
        return None;
    }
    let mut sum = Mat::<f64>::zeros(n, n);
    for (index, value) in values.iter().enumerate() {
        let vector = vectors.col_as_slice(index);
        let steepness = dot(vector, gradient).abs() / radius;
        let least = 1e-10 * max_abs(gradient).max(1e-10) / radius;
        let value = value.abs().max(LEAST * size).max(steepness).max(least);
        for column in 0..n {
            add_multiple(sum.col_as_slice_mut(column), value * vector[column], vector);
        }
    }
    Some((sum, true))
}
