//! Loops over lanes: the branch-free value of every lane, then the rare lanes again.
//!
//! The loops are written once, and compiled for each level of instructions by the functions of `dispatch`; the compiler turns
//! them into vector instructions. Every operation in them is exactly defined, so the level cannot change a bit.

use super::arithmetic::magnitude_key;
use super::simple::choose_value;

/// Lanes between two checks for rare ones.
pub(super) const CHUNK: usize = 256;

/// A function of one number.
pub(super) trait UnaryMap {
    /// Whether a NaN result is an operand passed on bit by bit or already the one NaN; otherwise it is replaced by it.
    const KEEPS_NAN: bool = false;

    /// The largest [`UnaryMap::key`] of a lane that [`UnaryMap::fast`] is right for.
    const LIMIT: i64 = i64::MAX;

    /// The value where the key is within the limit; no branches.
    fn fast(x: f64) -> f64;

    /// A number that is above the limit where the lane needs [`UnaryMap::slow`]: a block keeps the largest, two instructions a lane.
    #[inline(always)]
    fn key(x: f64) -> i64 {
        magnitude_key(x)
    }

    /// The value of a rare lane.
    #[inline(always)]
    fn slow(x: f64) -> f64 {
        Self::fast(x)
    }
}

/// Defines a function of one number that keeps NaN: the branch-free value, the largest key that it is right for, and the value of the
/// rare lanes beyond.
macro_rules! function {
    (
        $(#[$doc:meta])*
        $name:ident, limit $limit:expr $(, key($k:ident) $key:block)?;
        fast($x:ident) $fast:block
        slow($y:ident) $slow:block
    ) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl UnaryMap for $name {
            const KEEPS_NAN: bool = true;
            const LIMIT: i64 = $limit;

            #[inline(always)]
            fn fast($x: f64) -> f64 $fast

            $(#[inline(always)]
            fn key($k: f64) -> i64 $key)?

            #[cold]
            #[inline(never)]
            fn slow($y: f64) -> f64 $slow
        }
    };
}
pub(super) use function;

/// A function of two numbers.
pub(super) trait BinaryMap {
    /// Whether a NaN result is an operand passed on bit by bit or already the one NaN; otherwise it is replaced by it.
    const KEEPS_NAN: bool = false;

    /// The largest [`BinaryMap::key`] of lanes that [`BinaryMap::fast`] is right for.
    const LIMIT: i64 = i64::MAX;

    /// The value where the key is within the limit; no branches.
    fn fast(a: f64, b: f64) -> f64;

    /// [`BinaryMap::fast`] of every lane, at most [`CHUNK`] of them, and the largest key.
    #[inline(always)]
    fn block(a: impl BlockOperand, b: impl BlockOperand, out: &mut [f64]) -> i64 {
        let mut worst = i64::MIN;
        for ((out, a), b) in out.iter_mut().zip(a.lanes()).zip(b.lanes()) {
            *out = one_nan(Self::fast(a, b), Self::KEEPS_NAN);
            worst = worst.max(Self::key(a, b));
        }
        worst
    }

    /// A number that is above the limit where the lane needs [`BinaryMap::slow`].
    #[inline(always)]
    fn key(_a: f64, _b: f64) -> i64 {
        i64::MIN
    }

    /// The value of a rare lane.
    #[inline(always)]
    fn slow(a: f64, b: f64) -> f64 {
        Self::fast(a, b)
    }
}

/// Two operations of [`BinaryMap`] in a row, on three numbers.
pub(super) trait TernaryMap {
    /// The value; no branches.
    fn value(a: f64, b: f64, c: f64) -> f64;
}

/// One operand of a block.
pub(super) trait BlockOperand: Copy {
    /// The lanes from `start` on, `count` of them.
    fn part(self, start: usize, count: usize) -> Self;
    /// The values, as an iterator that ends with the lanes it is zipped with: an index would keep a check in every lane, and
    /// with it the last lanes out of the vector loop.
    fn lanes(self) -> impl Iterator<Item = f64>;
}

impl BlockOperand for &[f64] {
    #[inline(always)]
    fn part(self, start: usize, count: usize) -> Self {
        &self[start..start + count]
    }

    #[inline(always)]
    fn lanes(self) -> impl Iterator<Item = f64> {
        self.iter().copied()
    }
}

/// The same value in every lane.
#[derive(Clone, Copy)]
pub(super) struct ConstantOperand(pub(super) f64);

impl BlockOperand for ConstantOperand {
    #[inline(always)]
    fn part(self, _start: usize, _count: usize) -> Self {
        self
    }

    #[inline(always)]
    fn lanes(self) -> impl Iterator<Item = f64> {
        std::iter::repeat(self.0)
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
pub(super) fn unary_lane<K: UnaryMap>(x: f64) -> f64 {
    let value = if K::key(x) > K::LIMIT {
        K::slow(x)
    } else {
        K::fast(x)
    };
    one_nan(value, K::KEEPS_NAN)
}

#[inline(always)]
pub(super) fn binary_lane<K: BinaryMap>(a: f64, b: f64) -> f64 {
    let value = if K::key(a, b) > K::LIMIT {
        K::slow(a, b)
    } else {
        K::fast(a, b)
    };
    one_nan(value, K::KEEPS_NAN)
}

#[inline(always)]
pub(super) fn map_unary_block<K: UnaryMap>(x: &[f64], out: &mut [f64]) {
    for (x, out) in x.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
        let mut worst = i64::MIN;
        for (out, &x) in out.iter_mut().zip(x) {
            *out = one_nan(K::fast(x), K::KEEPS_NAN);
            worst = worst.max(K::key(x));
        }
        if worst > K::LIMIT {
            for (out, &x) in out.iter_mut().zip(x) {
                let value = *out;
                *out = if K::key(x) > K::LIMIT {
                    one_nan(K::slow(x), K::KEEPS_NAN)
                } else {
                    value
                };
            }
        }
    }
}

#[inline(always)]
pub(super) fn map_binary_block<K: BinaryMap, A: BlockOperand, B: BlockOperand>(
    a: A,
    b: B,
    out: &mut [f64],
) {
    for (index, out) in out.chunks_mut(CHUNK).enumerate() {
        let count = out.len();
        let (a, b) = (a.part(index * CHUNK, count), b.part(index * CHUNK, count));
        if K::block(a, b, out) > K::LIMIT {
            for ((out, a), b) in out.iter_mut().zip(a.lanes()).zip(b.lanes()) {
                if K::key(a, b) > K::LIMIT {
                    *out = one_nan(K::slow(a, b), K::KEEPS_NAN);
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn ternary_lane<K: TernaryMap>(a: f64, b: f64, c: f64) -> f64 {
    one_nan(K::value(a, b, c), false)
}

#[inline(always)]
pub(super) fn map_ternary_block<
    K: TernaryMap,
    A: BlockOperand,
    B: BlockOperand,
    C: BlockOperand,
>(
    a: A,
    b: B,
    c: C,
    out: &mut [f64],
) {
    let operands = a.lanes().zip(b.lanes()).zip(c.lanes());
    for (out, ((a, b), c)) in out.iter_mut().zip(operands) {
        *out = ternary_lane::<K>(a, b, c);
    }
}

#[inline(always)]
pub(super) fn block_choose<A: BlockOperand, B: BlockOperand>(
    condition: &[f64],
    then: A,
    otherwise: B,
    out: &mut [f64],
) {
    let branches = then.lanes().zip(otherwise.lanes());
    for ((out, &c), (t, o)) in out.iter_mut().zip(condition).zip(branches) {
        *out = choose_value(c, t, o);
    }
}
