//! Ordinary sizes, steps of differences, and what derivatives by formula are made of.

use crate::dense::max_abs;

/// Sizes between these are ordinary.
pub(crate) const ORDINARY: (f64, f64) = (1e-4, 1e4);

/// 1 for what is ordinary, else a power of two near it.
pub(crate) fn round_to_scale(size: f64) -> f64 {
    if (ORDINARY.0..=ORDINARY.1).contains(&size) {
        1.0
    } else {
        size.log2().round().clamp(-1000.0, 1000.0).exp2()
    }
}

/// The step of a central difference at a coordinate: the cube root of the rounding unit, which balances truncation and rounding.
pub(crate) fn difference_step(x: f64) -> f64 {
    const STEP: f64 = 6.055_454_452_393_343e-6;
    STEP * x.abs().max(1.0)
}

/// The size of the terms of a gradient by differences of values of this size.
pub fn difference_gradient_size(value: f64) -> f64 {
    value.abs() / difference_step(0.0)
}

/// The size of the terms of a gradient that is known by a formula, which is not looked into: that of the value, by a step of 1, or of the
/// size of the point where that is far beyond. For [`CostFunction::gradient_size`](crate::optimise::CostFunction::gradient_size).
pub fn formula_gradient_size(x: &[f64], value: f64) -> f64 {
    value.abs() / round_to_scale(max_abs(x)).max(1.0)
}
