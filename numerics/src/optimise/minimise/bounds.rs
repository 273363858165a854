//! [`VariableBounds`]: the box that the variables may not leave.

use crate::dense::max_abs;
use crate::optimise::error::MethodMismatch;

/// Lower and upper bound of each variable, infinite where there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableBounds {
    /// Lower bounds.
    pub low: Vec<f64>,
    /// Upper bounds.
    pub high: Vec<f64>,
}

impl VariableBounds {
    /// No bound on any of `n` variables.
    pub fn free(n: usize) -> Self {
        Self {
            low: vec![f64::NEG_INFINITY; n],
            high: vec![f64::INFINITY; n],
        }
    }

    /// Checks the bounds of `n` variables.
    ///
    /// # Errors
    /// [`MethodMismatch::Shape`] for another number of bounds, [`MethodMismatch::EmptyBounds`] for a low above its high.
    pub fn check(&self, n: usize) -> Result<(), MethodMismatch> {
        for found in [self.low.len(), self.high.len()] {
            if found != n {
                return Err(MethodMismatch::Shape {
                    variables: n,
                    entries: found,
                });
            }
        }
        let pairs = self.low.iter().zip(&self.high);
        for (variable, (&low, &high)) in pairs.enumerate() {
            if low.is_nan() || high.is_nan() || low > high {
                return Err(MethodMismatch::EmptyBounds {
                    variable,
                    low,
                    high,
                });
            }
        }
        Ok(())
    }

    /// Whether no variable has a bound.
    pub fn is_free(&self) -> bool {
        let infinite = |bound: &f64| bound.is_infinite();
        self.low.iter().all(infinite) && self.high.iter().all(infinite)
    }

    /// The nearest value of a variable within its bounds.
    pub(crate) fn nearest(&self, index: usize, value: f64) -> f64 {
        value.max(self.low[index]).min(self.high[index])
    }

    /// Moves a point to the nearest one in the box; answers whether it moved.
    pub fn project(&self, x: &mut [f64]) -> bool {
        let mut moved = false;
        for (index, value) in x.iter_mut().enumerate() {
            let nearest = self.nearest(index, *value);
            moved |= nearest != *value;
            *value = nearest;
        }
        moved
    }

    /// The step from `x` to the projection of `x - gradient`: zero at a minimum, minus the gradient without bounds.
    pub(crate) fn descent(&self, x: &[f64], gradient: &[f64]) -> Vec<f64> {
        let step = |index: usize| {
            let (room_down, room_up) = (self.low[index] - x[index], self.high[index] - x[index]);
            (-gradient[index]).max(room_down).min(room_up)
        };
        (0..x.len()).map(step).collect()
    }

    /// Largest entry of [`VariableBounds::descent`] in magnitude.
    pub(crate) fn slope(&self, x: &[f64], gradient: &[f64]) -> f64 {
        if gradient.iter().any(|entry| entry.is_nan()) {
            return f64::NAN;
        }
        max_abs(&self.descent(x, gradient))
    }

    /// The variables that a small step against the gradient moves, and those whose gradient vanishes within the box.
    pub(crate) fn movable(&self, x: &[f64], gradient: &[f64]) -> Vec<usize> {
        let held = |index: usize| {
            (x[index] <= self.low[index] && gradient[index] >= 0.0)
                || (x[index] >= self.high[index] && gradient[index] <= 0.0)
        };
        (0..x.len()).filter(|&index| !held(index)).collect()
    }

    /// The variables strictly within their bounds, and those at one bound whose gradient is no larger than `small`: nothing of first
    /// order holds them.
    pub(crate) fn loose(
        &self,
        x: &[f64],
        gradient: &[f64],
        small: f64,
    ) -> (Vec<usize>, Vec<usize>) {
        let inside = |index: &usize| self.low[*index] < x[*index] && x[*index] < self.high[*index];
        let weak = |index: &usize| {
            self.low[*index] < self.high[*index]
                && gradient[*index].abs() <= small
                && !inside(index)
        };
        let all = 0..x.len();
        (
            all.clone().filter(inside).collect(),
            all.filter(weak).collect(),
        )
    }

    /// The longest step along a direction that stays in the box.
    pub(crate) fn longest_step(&self, x: &[f64], direction: &[f64]) -> f64 {
        let room = |index: usize| match direction[index] {
            d if d > 0.0 => (self.high[index] - x[index]) / d,
            d if d < 0.0 => (self.low[index] - x[index]) / d,
            _ => f64::INFINITY,
        };
        (0..x.len()).map(room).fold(f64::INFINITY, f64::min)
    }
}
