//! [`DampedNewton`]: Newton's method with steps that are halved.

use super::search::euclidean_norm;
use super::verify::{invert_matrix, multiply_vector};
use super::{DescentEnd, SquaresDescent, SquaresDescentResult, SquaresPoint, SystemSearch};
use crate::roots::RootError;

/// Newton's method with steps that are halved until they reduce the sum of squares; it ends where the Jacobian is singular.
pub struct DampedNewton<'s> {
    search: &'s SystemSearch<'s>,
    max_iter: u64,
}

impl<'s> DampedNewton<'s> {
    pub(super) fn new(search: &'s SystemSearch<'_>, max_iter: u64) -> Self {
        Self { search, max_iter }
    }
}

impl SquaresDescent for DampedNewton<'_> {
    fn descend(&mut self, start: &[f64]) -> Result<SquaresDescentResult, RootError> {
        /// Halvings of a step.
        const HALVINGS: usize = 40;
        let Some(mut local) = self.search.at(start)? else {
            return Ok(SquaresDescentResult {
                point: None,
                iterations: 0,
            });
        };
        let (mut x, mut iterations) = (start.to_vec(), 0);
        let end = loop {
            if iterations == self.max_iter {
                break DescentEnd::Iterations;
            }
            iterations += 1;
            let inverse = invert_matrix(&local.jacobian, x.len(), self.search.watch)?;
            let Some(inverse) = inverse else {
                break DescentEnd::NoStep;
            };
            let newton = multiply_vector(&inverse, &local.values);
            let norm = euclidean_norm(&local.values);
            let (mut share, mut moved) = (1.0, None);
            for _ in 0..HALVINGS {
                let step = x.iter().zip(&newton).map(|(x, step)| x - share * step);
                let next: Vec<f64> = step.collect();
                if let Some(there) = self.search.at(&next)?
                    && euclidean_norm(&there.values) < norm
                {
                    moved = Some((next, there));
                    break;
                }
                share *= 0.5;
            }
            match moved {
                Some(moved) => (x, local) = moved,
                None => break DescentEnd::NoStep,
            }
        };
        Ok(SquaresDescentResult {
            point: Some(SquaresPoint {
                x,
                residuals: local.values,
                end,
            }),
            iterations,
        })
    }
}
