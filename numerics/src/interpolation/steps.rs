//! [`StepCurve`]: the value of the nearest point, or of the one before.

use super::Extrapolation;

/// A curve of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct StepCurve {
    /// Places, strictly ascending, at least one.
    pub x: Vec<f64>,
    /// Values, as many.
    pub y: Vec<f64>,
    /// Whether the nearest point counts, the earlier of two as near, or the one before.
    pub is_nearest: bool,
}

impl StepCurve {
    /// The value at a place; NaN outside where `outside` says so.
    ///
    /// ```
    /// use numerics::interpolation::{Extrapolation, StepCurve};
    ///
    /// let curve = StepCurve { x: vec![0.0, 1.0], y: vec![5.0, 7.0], is_nearest: true };
    /// assert_eq!(curve.value(0.75, Extrapolation::Nan), 7.0);
    /// ```
    pub fn value(&self, t: f64, outside: Extrapolation) -> f64 {
        let (x, y) = (&self.x, &self.y);
        let (low, high) = (x[0], x[x.len() - 1]);
        let t = match outside {
            _ if (low..=high).contains(&t) => t,
            Extrapolation::Nan => return f64::NAN,
            Extrapolation::Periodic => t - ((t - low) / (high - low)).floor() * (high - low),
            Extrapolation::Extend | Extrapolation::Constant => t.clamp(low, high),
        };
        let before = x.partition_point(|&x| x <= t).saturating_sub(1);
        let is_nearer = |after: f64| t > x[before] / 2.0 + after / 2.0;
        let moves = self.is_nearest && x.get(before + 1).is_some_and(|&after| is_nearer(after));
        y[before + usize::from(moves)]
    }
}
