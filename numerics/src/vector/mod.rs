//! Elementary functions of doubles, over blocks of lanes.
//!
//! A lane of a block and a single value give the same bits, on every processor and at every [`InstructionSet`]: the functions are
//! made of operations that IEEE 754 defines exactly (sums, products, quotients, square roots, fused multiply-add, bits),
//! never of the system's mathematics library. A NaN that a function makes is always `f64::NAN`; those that pass an operand
//! on (minus, magnitude, sign, minimum, maximum, copysign, the branches of a selection) pass its bits on.
//!
//! # Cost
//! With 512-bit vectors the exponentials and `cosh` take less than 1 ns per value on the machine of `BENCHMARKS.md`, most others
//! 1 to 1.7 ns, `asinh`, `acosh` and `pow` 2.3 to 2.8 ns; without a fused multiply-add instruction ([`InstructionSet::Portable`] on old
//! x86) each of the functions takes 50 to 250 ns. The loops are bound by the number of arithmetic instructions and by the
//! divider: sums of two doubles are carried only where a rounding would reach the result, at most one quotient and one root are
//! taken per value, and lanes that need more are only looked for, by the largest of one integer per lane. Such rare lanes
//! (arguments of the circular functions beyond 2^32, zeros and subnormals under a logarithm, numbers outside a domain, results
//! of a power outside the normal range) are computed one by one.
//!
//! Read [`evaluate_unary`] and [`unary_block`] first. Blocks of about 128 lanes stay in the first-level cache.

mod arithmetic;
mod circular;
mod coefficients;
mod copy;
mod dispatch;
mod error;
mod evaluate;
mod exponential;
mod hyperbolic;
mod inverse;
mod inverse_hyperbolic;
mod lanes;
mod level;
mod logarithm;
mod operation;
mod power;
pub(crate) mod reduction;
mod simple;
mod sum;
mod uniform;

pub use copy::copy_numbers;
pub use evaluate::{
    LaneOperand, binary_block, binary_block_scalar_left, binary_block_scalar_right,
    evaluate_binary, evaluate_ternary, evaluate_unary, select_block, select_block_scalar_otherwise,
    select_block_scalar_then, select_value, sin_cos, sin_cos_block, ternary_block, unary_block,
};
pub use level::{InstructionSet, active_level, with_level};
pub use operation::{Binary, Ternary, Unary};
pub use sum::{largest_number, smallest_number, sum_numbers, sum_of_products, sum_of_squares};
pub use uniform::{GENERATORS, UniformGenerators};
