//! Dispatch from an operation to its kernel.

use super::dispatch;
use super::lanes::{self, ConstantOperand};
use super::operation::{
    Binary, Ternary, Unary, binary_functions, ternary_functions, unary_functions,
};

/// Every kernel by the name of its operation.
mod kernel {
    pub(super) use crate::vector::circular::*;
    pub(super) use crate::vector::error::*;
    pub(super) use crate::vector::exponential::*;
    pub(super) use crate::vector::hyperbolic::*;
    pub(super) use crate::vector::inverse::*;
    pub(super) use crate::vector::inverse_hyperbolic::*;
    pub(super) use crate::vector::logarithm::*;
    pub(super) use crate::vector::power::*;
    pub(super) use crate::vector::simple::*;
}

/// Defines a macro that evaluates an expression with the kernel type of an operation.
macro_rules! kernels {
    ($dollar:tt $macro:ident $operation:ident { $($kernel:ident = $word:literal, $meaning:literal;)+ }) => {
        macro_rules! $macro {
            ($dollar op:expr, $dollar alias:ident => $dollar body:expr) => {
                match $dollar op {
                    $($operation::$kernel => {
                        type $dollar alias = kernel::$kernel;
                        $dollar body
                    })+
                }
            };
        }
    };
}

unary_functions!(kernels $ with_unary Unary);
binary_functions!(kernels $ with_binary Binary);
ternary_functions!(kernels $ with_ternary Ternary);

/// An operand of a block: a value for each lane, or one for all.
#[derive(Debug, Clone, Copy)]
pub enum LaneOperand<'a> {
    /// One for each lane.
    Many(&'a [f64]),
    /// One for all.
    One(f64),
}

impl LaneOperand<'_> {
    /// The value of a lane.
    ///
    /// # Panics
    /// Beyond the lanes.
    pub fn lane(&self, lane: usize) -> f64 {
        match self {
            Self::Many(lanes) => lanes[lane],
            Self::One(value) => *value,
        }
    }
}

/// The value of a function at one point: the same bits as a lane of [`unary_block`].
pub fn evaluate_unary(op: Unary, x: f64) -> f64 {
    with_unary!(op, Kernel => dispatch::one::<Kernel>(x))
}

/// The value of a function of two numbers: the same bits as a lane of [`binary_block`].
pub fn evaluate_binary(op: Binary, a: f64, b: f64) -> f64 {
    with_binary!(op, Kernel => dispatch::two::<Kernel>(a, b))
}

/// The value of two operations in a row: the same bits as one after the other.
#[inline]
pub fn evaluate_ternary(op: Ternary, a: f64, b: f64, c: f64) -> f64 {
    with_ternary!(op, Kernel => lanes::ternary_lane::<Kernel>(a, b, c))
}

/// Sine and cosine: the same bits as [`evaluate_unary`] of each, in little more than the time of one.
pub fn sin_cos(x: f64) -> (f64, f64) {
    dispatch::sin_cos(x)
}

/// `then` where the condition is neither 0 nor NaN, `otherwise` where it is 0, and NaN where it is NaN.
pub fn select_value(condition: f64, then: f64, otherwise: f64) -> f64 {
    super::simple::choose_value(condition, then, otherwise)
}

/// `out[i] = op(x[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn unary_block(op: Unary, x: &[f64], out: &mut [f64]) {
    assert_eq!(x.len(), out.len(), "lanes of x and out");
    with_unary!(op, Kernel => dispatch::run1::<Kernel>(x, out));
}

/// `out[i] = op(a[i], b[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block(op: Binary, a: &[f64], b: &[f64], out: &mut [f64]) {
    assert_eq!(a.len(), out.len(), "lanes of a and out");
    assert_eq!(b.len(), out.len(), "lanes of b and out");
    with_binary!(op, Kernel => dispatch::run2::<Kernel, &[f64], &[f64]>(a, b, out));
}

/// `out[i] = op(a[i], b)`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block_scalar_right(op: Binary, a: &[f64], b: f64, out: &mut [f64]) {
    assert_eq!(a.len(), out.len(), "lanes of a and out");
    with_binary!(op, Kernel => dispatch::run2::<Kernel, &[f64], ConstantOperand>(a, ConstantOperand(b), out));
}

/// `out[i] = op(a, b[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn binary_block_scalar_left(op: Binary, a: f64, b: &[f64], out: &mut [f64]) {
    assert_eq!(b.len(), out.len(), "lanes of b and out");
    with_binary!(op, Kernel => dispatch::run2::<Kernel, ConstantOperand, &[f64]>(ConstantOperand(a), b, out));
}

/// `out[i] = op(a[i], b[i], c[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn ternary_block(
    op: Ternary,
    a: LaneOperand<'_>,
    b: LaneOperand<'_>,
    c: LaneOperand<'_>,
    out: &mut [f64],
) {
    for lanes in [a, b, c] {
        if let LaneOperand::Many(lanes) = lanes {
            assert_eq!(lanes.len(), out.len(), "lanes of the operands and out");
        }
    }
    // Sums and products do not depend on the order.
    let (a, b) = match (a, b) {
        (LaneOperand::One(_), LaneOperand::Many(_)) if op != Ternary::DiffMul => (b, a),
        _ => (a, b),
    };
    use LaneOperand::{Many, One};
    with_ternary!(op, Kernel => match (a, b, c) {
        (Many(a), Many(b), Many(c)) => dispatch::run3::<Kernel, _, _, _>(a, b, c, out),
        (Many(a), Many(b), One(c)) => dispatch::run3::<Kernel, _, _, _>(a, b, ConstantOperand(c), out),
        (Many(a), One(b), Many(c)) => dispatch::run3::<Kernel, _, _, _>(a, ConstantOperand(b), c, out),
        (Many(a), One(b), One(c)) => dispatch::run3::<Kernel, _, _, _>(a, ConstantOperand(b), ConstantOperand(c), out),
        (One(a), Many(b), Many(c)) => dispatch::run3::<Kernel, _, _, _>(ConstantOperand(a), b, c, out),
        (One(a), Many(b), One(c)) => dispatch::run3::<Kernel, _, _, _>(ConstantOperand(a), b, ConstantOperand(c), out),
        (One(_), One(_), _) => {
            for (lane, out) in out.iter_mut().enumerate() {
                *out = evaluate_ternary(op, a.lane(lane), b.lane(lane), c.lane(lane));
            }
        }
    });
}

/// `sines[i] = sin(x[i])`, `cosines[i] = cos(x[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn sin_cos_block(x: &[f64], sines: &mut [f64], cosines: &mut [f64]) {
    assert_eq!(x.len(), sines.len(), "lanes of x and of the sines");
    assert_eq!(x.len(), cosines.len(), "lanes of x and of the cosines");
    dispatch::sin_cos_block(x, sines, cosines);
}

/// `out[i] = select(condition[i], then[i], otherwise[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn select_block(condition: &[f64], then: &[f64], otherwise: &[f64], out: &mut [f64]) {
    assert_eq!(condition.len(), out.len(), "lanes of condition and out");
    assert_eq!(then.len(), out.len(), "lanes of then and out");
    assert_eq!(otherwise.len(), out.len(), "lanes of otherwise and out");
    dispatch::run_choose(condition, then, otherwise, out);
}

/// `out[i] = select(condition[i], then, otherwise[i])`.
///
/// # Panics
/// When the lengths differ.
pub fn select_block_scalar_then(condition: &[f64], then: f64, otherwise: &[f64], out: &mut [f64]) {
    assert_eq!(condition.len(), out.len(), "lanes of condition and out");
    assert_eq!(otherwise.len(), out.len(), "lanes of otherwise and out");
    dispatch::run_choose(condition, ConstantOperand(then), otherwise, out);
}

/// `out[i] = select(condition[i], then[i], otherwise)`.
///
/// # Panics
/// When the lengths differ.
pub fn select_block_scalar_otherwise(
    condition: &[f64],
    then: &[f64],
    otherwise: f64,
    out: &mut [f64],
) {
    assert_eq!(condition.len(), out.len(), "lanes of condition and out");
    assert_eq!(then.len(), out.len(), "lanes of then and out");
    dispatch::run_choose(condition, then, ConstantOperand(otherwise), out);
}
