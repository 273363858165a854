//! Loops over lanes: the branch-free value of every lane, then the rare lanes again.
//!
//! The loops are written once, and compiled for each level of instructions by the functions of `dispatch`; the compiler turns
//! them into vector instructions. Every operation in them is exactly defined, so the level cannot change a bit.

use super::simple::choose;

/// Lanes between two looks at the rare ones.
pub(super) const CHUNK: usize = 256;

/// A function of one number.
pub(super) trait Map1 {
    /// Whether a NaN result is an operand passed on bit by bit or already the one NaN; otherwise it is replaced by it.
    const KEEPS_NAN: bool = false;

    /// The value where [`Map1::rare`] is false; no branches.
    fn fast(x: f64) -> f64;

    /// Whether the lane needs [`Map1::slow`].
    #[inline(always)]
    fn rare(_x: f64) -> bool {
        false
    }

    /// The value of a rare lane.
    #[inline(always)]
    fn slow(x: f64) -> f64 {
        Self::fast(x)
    }
}

/// A function of two numbers.
pub(super) trait Map2 {
    /// Whether a NaN result is an operand passed on bit by bit or already the one NaN; otherwise it is replaced by it.
    const KEEPS_NAN: bool = false;

    /// The value where [`Map2::rare`] is false; no branches.
    fn fast(a: f64, b: f64) -> f64;

    /// [`Map2::fast`] of every lane, at most [`CHUNK`] of them.
    #[inline(always)]
    fn block(a: impl Operand, b: impl Operand, out: &mut [f64]) {
        for (lane, out) in out.iter_mut().enumerate() {
            *out = one_nan(Self::fast(a.at(lane), b.at(lane)), Self::KEEPS_NAN);
        }
    }

    /// Whether the lane needs [`Map2::slow`].
    #[inline(always)]
    fn rare(_a: f64, _b: f64) -> bool {
        false
    }

    /// The value of a rare lane.
    #[inline(always)]
    fn slow(a: f64, b: f64) -> f64 {
        Self::fast(a, b)
    }
}

/// One operand of a block.
pub(super) trait Operand: Copy {
    /// The lanes from `start` on, `count` of them.
    fn part(self, start: usize, count: usize) -> Self;
    /// The value in a lane.
    fn at(self, lane: usize) -> f64;
}

impl Operand for &[f64] {
    #[inline(always)]
    fn part(self, start: usize, count: usize) -> Self {
        &self[start..start + count]
    }

    #[inline(always)]
    fn at(self, lane: usize) -> f64 {
        self[lane]
    }
}

/// The same value in every lane.
#[derive(Clone, Copy)]
pub(super) struct Constant(pub(super) f64);

impl Operand for Constant {
    #[inline(always)]
    fn part(self, _start: usize, _count: usize) -> Self {
        self
    }

    #[inline(always)]
    fn at(self, _lane: usize) -> f64 {
        self.0
    }
}

/// Replaces every NaN by the one, through integers: the sign of a NaN from arithmetic is the compiler's and the processor's choice.
#[inline(always)]
fn one_nan(value: f64, keeps: bool) -> f64 {
    if keeps {
        return value;
    }
    let bits = value.to_bits();
    let is_nan = bits << 1 > f64::INFINITY.to_bits() << 1;
    f64::from_bits(if is_nan { f64::NAN.to_bits() } else { bits })
}

#[inline(always)]
pub(super) fn lane1<K: Map1>(x: f64) -> f64 {
    let value = if K::rare(x) { K::slow(x) } else { K::fast(x) };
    one_nan(value, K::KEEPS_NAN)
}

#[inline(always)]
pub(super) fn lane2<K: Map2>(a: f64, b: f64) -> f64 {
    let value = if K::rare(a, b) {
        K::slow(a, b)
    } else {
        K::fast(a, b)
    };
    one_nan(value, K::KEEPS_NAN)
}

#[inline(always)]
pub(super) fn block1<K: Map1>(x: &[f64], out: &mut [f64]) {
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        let mut rare = 0_u64;
        for (out, &x) in out.iter_mut().zip(x) {
            *out = one_nan(K::fast(x), K::KEEPS_NAN);
            rare |= u64::from(K::rare(x));
        }
        if rare != 0 {
            for (out, &x) in out.iter_mut().zip(x) {
                let value = *out;
                *out = if K::rare(x) {
                    one_nan(K::slow(x), K::KEEPS_NAN)
                } else {
                    value
                };
            }
        }
    }
}

#[inline(always)]
pub(super) fn block2<K: Map2, A: Operand, B: Operand>(a: A, b: B, out: &mut [f64]) {
    for (index, out) in out.chunks_mut(CHUNK).enumerate() {
        let count = out.len();
        let (a, b) = (a.part(index * CHUNK, count), b.part(index * CHUNK, count));
        K::block(a, b, out);
        let mut rare = 0_u64;
        for lane in 0..count {
            rare |= u64::from(K::rare(a.at(lane), b.at(lane)));
        }
        if rare != 0 {
            for (lane, out) in out.iter_mut().enumerate() {
                let (a, b) = (a.at(lane), b.at(lane));
                if K::rare(a, b) {
                    *out = one_nan(K::slow(a, b), K::KEEPS_NAN);
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn block_choose(condition: &[f64], then: &[f64], otherwise: &[f64], out: &mut [f64]) {
    for (((out, &c), &t), &o) in out.iter_mut().zip(condition).zip(then).zip(otherwise) {
        *out = choose(c, t, o);
    }
}
