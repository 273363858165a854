//! [`VariableBounds`]: the box that the variables may not leave.

use std::borrow::Borrow;

use tool_core::{Finite, ToolError};

use crate::linalg::dense::max_abs;

/// Lower and upper bound of a variable as given; `None` where there is none.
pub(crate) type Given = [Option<Finite>; 2];

/// Lower and upper bound of each variable, infinite where there is none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VariableBounds {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

impl VariableBounds {
    /// No bound on any of `n` variables.
    pub(crate) fn free(n: usize) -> Self {
        Self {
            low: vec![f64::NEG_INFINITY; n],
            high: vec![f64::INFINITY; n],
        }
    }

    /// Checks the bounds of `n` variables.
    ///
    /// # Errors
    /// `invalid_args` at `/bounds` when there is not one pair for each variable, and at the pair whose low is above its high.
    pub(crate) fn new(given: &[impl Borrow<Given>], n: usize) -> Result<Self, ToolError> {
        if given.len() != n {
            let found = given.len();
            refuse!(invalid "/bounds", "shape"; "expected {n} pairs [low, high], one per variable, found {found}";
                "give one pair for each entry of `x0`; null where there is no bound");
        }
        let mut bounds = Self::free(n);
        for (index, pair) in given.iter().enumerate() {
            let [low, high] = pair.borrow().map(|bound| bound.map(Finite::get));
            bounds.low[index] = low.unwrap_or(f64::NEG_INFINITY);
            bounds.high[index] = high.unwrap_or(f64::INFINITY);
            if let (Some(low), Some(high)) = (low, high)
                && low > high
            {
                refuse!(invalid format!("/bounds/{index}"), "infeasible";
                    "no x{index} satisfies the bounds: the low {low} is above the high {high}";
                    "give each pair as [low, high]");
            }
        }
        Ok(bounds)
    }

    /// Whether no variable has a bound.
    pub(crate) fn is_free(&self) -> bool {
        let infinite = |bound: &f64| bound.is_infinite();
        self.low.iter().all(infinite) && self.high.iter().all(infinite)
    }

    /// The nearest value of a variable within its bounds.
    pub(crate) fn nearest(&self, index: usize, value: f64) -> f64 {
        value.max(self.low[index]).min(self.high[index])
    }

    /// Moves a point to the nearest one in the box; answers whether it moved.
    pub(crate) fn project(&self, x: &mut [f64]) -> bool {
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
