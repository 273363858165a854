//! [`Code`], an operation on operands that are found somewhere, and its computation on lanes of numbers; [`Instruction`], with a place for the
//! result.

use super::builder::{Function1, Function2, Function3};
use crate::vector::{self, Binary, Lanes, Ternary, Unary};

/// An operation on operands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Code<P> {
    Unary(Unary, P),
    Binary(Binary, P, P),
    Ternary(Ternary, P, P, P),
    Select(P, P, P),
    Call1(&'static Function1, P),
    Call2(&'static Function2, P, P),
    Call3(&'static Function3, P, P, P),
}

/// Location of an operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    Register(u32),
    Variable(u32),
    /// A number that is the same at every point of a block.
    Number(u32),
    Constant(f64),
}

/// An operation with the place of its result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instruction {
    pub(super) code: Code<Place>,
    /// The register that takes the result; never one of the operands'.
    pub(super) to: u32,
    /// Of a sine, the register that takes the cosine too.
    pub(super) cosine: Option<u32>,
}

impl<P> Code<P> {
    /// The same operation on other operands; part of its caller, since a call would pass them through memory.
    #[inline(always)]
    pub(super) fn map<Q>(self, mut f: impl FnMut(P) -> Q) -> Code<Q> {
        match self {
            Self::Unary(op, a) => Code::Unary(op, f(a)),
            Self::Binary(op, a, b) => Code::Binary(op, f(a), f(b)),
            Self::Ternary(op, a, b, c) => Code::Ternary(op, f(a), f(b), f(c)),
            Self::Select(a, b, c) => Code::Select(f(a), f(b), f(c)),
            Self::Call1(function, a) => Code::Call1(function, f(a)),
            Self::Call2(function, a, b) => Code::Call2(function, f(a), f(b)),
            Self::Call3(function, a, b, c) => Code::Call3(function, f(a), f(b), f(c)),
        }
    }
}

impl Code<Lanes<'_>> {
    /// Computes a lane of the result from each lane of the operands; part of its caller, as `map`.
    #[inline(always)]
    pub(super) fn run(self, out: &mut [f64]) {
        match self {
            Code::Unary(op, Lanes::Many(a)) => vector::unary_block(op, a, out),
            Code::Unary(op, Lanes::One(a)) => out.fill(vector::unary(op, a)),
            Code::Binary(op, a, b) => match (a, b) {
                (Lanes::Many(a), Lanes::Many(b)) => vector::binary_block(op, a, b, out),
                (Lanes::Many(a), Lanes::One(b)) => {
                    vector::binary_block_scalar_right(op, a, b, out);
                }
                (Lanes::One(a), Lanes::Many(b)) => {
                    vector::binary_block_scalar_left(op, a, b, out);
                }
                (Lanes::One(a), Lanes::One(b)) => out.fill(vector::binary(op, a, b)),
            },
            Code::Ternary(op, a, b, c) => vector::ternary_block(op, a, b, c, out),
            Code::Select(a, b, c) => match (a, b, c) {
                (Lanes::Many(a), Lanes::Many(b), Lanes::Many(c)) => {
                    vector::select_block(a, b, c, out);
                }
                (Lanes::Many(a), Lanes::One(b), Lanes::Many(c)) => {
                    vector::select_block_scalar_then(a, b, c, out);
                }
                (Lanes::Many(a), Lanes::Many(b), Lanes::One(c)) => {
                    vector::select_block_scalar_otherwise(a, b, c, out);
                }
                (a, b, c) => {
                    for (lane, out) in out.iter_mut().enumerate() {
                        *out = vector::select(a.lane(lane), b.lane(lane), c.lane(lane));
                    }
                }
            },
            Code::Call1(function, a) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = (function.value)(a.lane(lane));
                }
            }
            Code::Call2(function, a, b) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = (function.value)(a.lane(lane), b.lane(lane));
                }
            }
            Code::Call3(function, a, b, c) => {
                for (lane, out) in out.iter_mut().enumerate() {
                    *out = (function.value)(a.lane(lane), b.lane(lane), c.lane(lane));
                }
            }
        }
    }
}
