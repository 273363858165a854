//! [`OperationCode`], an operation on operands that are found somewhere, and its computation on lanes of numbers; [`Instruction`], with a place for the
//! result.

use super::builder::{BinaryFunction, TernaryFunction, UnaryFunction};
use crate::vector::{self, Binary, LaneOperand, Ternary, Unary};

/// An operation on operands.
#[derive(Debug, Clone, Copy)]
pub(super) enum OperationCode<P> {
    Unary(Unary, P),
    Binary(Binary, P, P),
    Ternary(Ternary, P, P, P),
    Select(P, P, P),
    Call1(&'static UnaryFunction, P),
    Call2(&'static BinaryFunction, P, P),
    Call3(&'static TernaryFunction, P, P, P),
}

/// Location of an operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum OperandPlace {
    Register(u32),
    Variable(u32),
    /// A number that is the same at every point of a block.
    Number(u32),
    Constant(f64),
}

/// An operation with the place of its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    pub(super) code: OperationCode<OperandPlace>,
    /// The register that takes the result; never one of the operands'.
    pub(super) to: u32,
    /// Of a sine, the register that takes the cosine too.
    pub(super) cosine: Option<u32>,
}

impl<P> OperationCode<P> {
    /// The same operation on other operands; part of its caller, since a call would pass them through memory.
    #[inline(always)]
    pub(super) fn map<Q>(self, mut f: impl FnMut(P) -> Q) -> OperationCode<Q> {
        match self {
            Self::Unary(op, a) => OperationCode::Unary(op, f(a)),
            Self::Binary(op, a, b) => OperationCode::Binary(op, f(a), f(b)),
            Self::Ternary(op, a, b, c) => OperationCode::Ternary(op, f(a), f(b), f(c)),
            Self::Select(a, b, c) => OperationCode::Select(f(a), f(b), f(c)),
            Self::Call1(function, a) => OperationCode::Call1(function, f(a)),
            Self::Call2(function, a, b) => OperationCode::Call2(function, f(a), f(b)),
            Self::Call3(function, a, b, c) => OperationCode::Call3(function, f(a), f(b), f(c)),
        }
    }
}

impl OperationCode<LaneOperand<'_>> {
    /// Computes a lane of the result from each lane of the operands; part of its caller, as `map`.
    #[inline(always)]
    pub(super) fn run(self, out: &mut [f64]) {
        match self {
            OperationCode::Unary(op, LaneOperand::Many(a)) => vector::unary_block(op, a, out),
            OperationCode::Unary(op, LaneOperand::One(a)) => {
                out.fill(vector::evaluate_unary(op, a))
            }
            OperationCode::Binary(op, a, b) => match (a, b) {
                (LaneOperand::Many(a), LaneOperand::Many(b)) => vector::binary_block(op, a, b, out),
                (LaneOperand::Many(a), LaneOperand::One(b)) => {
                    vector::binary_block_scalar_right(op, a, b, out);
                }
                (LaneOperand::One(a), LaneOperand::Many(b)) => {
                    vector::binary_block_scalar_left(op, a, b, out);
                }
                (LaneOperand::One(a), LaneOperand::One(b)) => {
                    out.fill(vector::evaluate_binary(op, a, b))
                }
            },
            OperationCode::Ternary(op, a, b, c) => vector::ternary_block(op, a, b, c, out),
            OperationCode::Select(a, b, c) => match (a, b, c) {
                (LaneOperand::Many(a), LaneOperand::Many(b), LaneOperand::Many(c)) => {
                    vector::select_block(a, b, c, out);
                }
                (LaneOperand::Many(a), LaneOperand::One(b), LaneOperand::Many(c)) => {
                    vector::select_block_scalar_then(a, b, c, out);
                }
                (LaneOperand::Many(a), LaneOperand::Many(b), LaneOperand::One(c)) => {
                    vector::select_block_scalar_otherwise(a, b, c, out);
                }
                (a, b, c) => {
                    for (lane, out) in out.iter_mut().enumerate() {
                        *out = vector::select_value(a.lane(lane), b.lane(lane), c.lane(lane));
                    }
                }
            },
            OperationCode::Call1(function, a) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = (function.value)(a.lane(lane));
                }
            }
            OperationCode::Call2(function, a, b) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = (function.value)(a.lane(lane), b.lane(lane));
                }
            }
            OperationCode::Call3(function, a, b, c) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = (function.value)(a.lane(lane), b.lane(lane), c.lane(lane));
                }
            }
        }
    }
}
