//! [`RangeChart`]: coordinates in which the end of a range, finite or infinite, is at zero, where doubles are dense.

/// A part of the range of integration, by the distance `u` from the end at `u = 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RangeChart {
    /// `x = origin + sign u`.
    Near {
        /// The end.
        origin: f64,
        /// Direction of growing `u`.
        sign: f64,
    },
    /// `x = origin + sign / u`: the end is infinite.
    Far {
        /// Where distances are measured from.
        origin: f64,
        /// Direction of the infinite end.
        sign: f64,
    },
    /// `f(origin + u) + f(origin - u)`: a principal value. `grid` rounds `u` so that both places are exact.
    Pair {
        /// The pole.
        origin: f64,
        /// A power of two far above `u`.
        grid: f64,
    },
}

impl RangeChart {
    /// The pair of places around a pole, for distances up to `reach`.
    pub(super) fn pair(origin: f64, reach: f64) -> Self {
        let size = (origin.abs() + reach).log2().ceil();
        let grid = if origin == 0.0 { 0.0 } else { size.exp2() };
        Self::Pair { origin, grid }
    }

    /// The place of a coordinate, and `dx/du` in magnitude.
    pub(super) fn place(&self, u: f64) -> (f64, f64) {
        match *self {
            Self::Near { origin, sign } => (origin + sign * u, 1.0),
            Self::Far { origin, sign } => (origin + sign / u, 1.0 / (u * u)),
            Self::Pair { origin, .. } => (origin + self.rounded(u), 1.0),
        }
    }

    /// A distance from a pole such that the places on both sides are exact.
    pub(super) fn rounded(&self, u: f64) -> f64 {
        match *self {
            Self::Pair { grid, .. } => (u + grid) - grid,
            _ => u,
        }
    }

    /// Smallest coordinate at which places can be told apart from the end.
    pub(super) fn floor(&self) -> f64 {
        match *self {
            Self::Near { origin, .. } | Self::Pair { origin, .. } => {
                (64.0 * f64::EPSILON * origin.abs()).max(1e-290)
            }
            Self::Far { .. } => 1e-140,
        }
    }
}
