//! [`QuasiNewtonHessian`]: damped updates in the place of second derivatives.
//!
//! M. J. D. Powell, "A fast algorithm for nonlinearly constrained optimization calculations", in: Numerical Analysis, Lecture Notes in
//! Mathematics 630, Springer 1978.

use faer::Mat;

use super::super::ConstrainedPoint;
use super::super::step;
use crate::dense::{add_multiple, dot, max_abs};
use crate::optimise::minimise::curvature::point_along;

/// A positive definite matrix in the place of the Hessian of the Lagrangian, by damped updates.
pub(super) struct QuasiNewtonHessian {
    matrix: Option<Mat<f64>>,
    n: usize,
}

impl QuasiNewtonHessian {
    pub(super) fn new(n: usize) -> Self {
        Self { matrix: None, n }
    }

    /// The matrix; at first such that steepest descent goes as far as the size of the point.
    pub(super) fn matrix(&self, at: &ConstrainedPoint, radius: f64) -> Mat<f64> {
        if let Some(matrix) = &self.matrix {
            return matrix.clone();
        }
        let size = (10.0 * max_abs(&at.gradient) / radius).max(1e-10);
        Mat::from_fn(self.n, self.n, |i, j| if i == j { size } else { 0.0 })
    }

    /// Powell's update with the change of the gradient of the Lagrangian.
    pub(super) fn update(
        &mut self,
        from: &ConstrainedPoint,
        to: &ConstrainedPoint,
        multipliers: &[f64],
    ) {
        const DAMPING: f64 = 0.2;
        let step = point_along(&to.x, -1.0, &from.x);
        let mut change = point_along(&to.gradient, -1.0, &from.gradient);
        for (multiplier, (new, old)) in multipliers
            .iter()
            .zip(to.jacobian.iter().zip(&from.jacobian))
        {
            add_multiple(&mut change, -multiplier, new);
            add_multiple(&mut change, *multiplier, old);
        }
        let (inner, square) = (dot(&step, &change), dot(&change, &change));
        let mut matrix = match self.matrix.take() {
            Some(matrix) => matrix,
            None => {
                let scale = if inner > 0.0 { square / inner } else { 1.0 };
                let scale = if scale.is_finite() && scale > 0.0 {
                    scale.clamp(1e-8, 1e8)
                } else {
                    1.0
                };
                Mat::from_fn(self.n, self.n, |i, j| if i == j { scale } else { 0.0 })
            }
        };
        let image = step::multiply_symmetric(&matrix, &step);
        let bend = dot(&step, &image);
        if bend > 0.0 && bend.is_finite() && square.is_finite() {
            let theta = if inner >= DAMPING * bend {
                1.0
            } else {
                (1.0 - DAMPING) * bend / (bend - inner)
            };
            let mut damped: Vec<f64> = change.iter().map(|entry| theta * entry).collect();
            add_multiple(&mut damped, 1.0 - theta, &image);
            let inner = dot(&step, &damped);
            for column in 0..self.n {
                add_multiple(
                    matrix.col_as_slice_mut(column),
                    -image[column] / bend,
                    &image,
                );
                add_multiple(
                    matrix.col_as_slice_mut(column),
                    damped[column] / inner,
                    &damped,
                );
            }
        }
        self.matrix = Some(matrix);
    }
}
