//! Elementary functions of doubles, over blocks of lanes.
//!
//! A lane of a block and a single value give the same bits, on every processor and at every [`Level`]: the functions are
//! made of operations that IEEE 754 defines exactly (sums, products, quotients, square roots, fused multiply-add, bits),
//! never of the system's mathematics library. A NaN that a function makes is always `f64::NAN`; those that pass an operand
//! on (minus, magnitude, sign, minimum, maximum, copysign, the branches of a selection) pass its bits on.
//!
//! Read [`unary`] and [`unary_block`] first. Blocks of about 128 lanes stay in the first-level cache.

mod arithmetic;
mod circular;
mod coefficients;
mod dispatch;
mod error;
mod evaluate;
mod exponential;
mod inverse;
mod lanes;
mod level;
mod logarithm;
mod operation;
mod power;
mod reduction;
mod simple;

pub use evaluate::{
    binary, binary_block, binary_block_scalar_left, binary_block_scalar_right, select,
    select_block, unary, unary_block, unary_in_place,
};
pub use level::{Level, level, with_level};
pub use operation::{Binary, Unary};
