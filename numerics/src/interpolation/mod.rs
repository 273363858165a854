//! Curves and surfaces through points.
//!
//! A curve is a [`PiecewiseCubic`] cubic: the methods differ in the slopes at the points ([`slopes`]), or, for smoothing, in the values
//! too ([`smoothing`]). [`grid`] has surfaces over rectangular grids. Points are checked by the caller: `x` ascends strictly, all
//! numbers are finite.

pub mod grid;
mod piecewise;
pub mod slopes;
pub mod smoothing;
mod steps;
#[cfg(test)]
mod tests;

pub use piecewise::{Extrapolation, PiecewiseCubic};
pub use steps::StepCurve;
