//! The loops of `lanes`, compiled once for each level of instructions.
//!
//! The only unsafe code of this family: calling a function that was compiled for instructions which the machine must have.
//! [`active_level`] never answers with one that it lacks.
#![expect(
    unsafe_code,
    reason = "calls of functions compiled for instructions whose presence was checked"
)]

use super::lanes::{
    BinaryMap, BlockOperand, TernaryMap, UnaryMap, binary_lane, block_choose, map_binary_block,
    map_ternary_block, map_unary_block, unary_lane,
};
#[cfg(target_arch = "x86_64")]
use super::level::{InstructionSet, active_level};
use super::uniform::GENERATORS;
use super::{circular, sum, uniform};

macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident / $avx2:ident / $avx512:ident <$($generic:ident: $bound:ident),*> ($($argument:ident: $type:ty),*) $(-> $result:ty)? = $plain:path;)+) => {$(
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        fn $avx2<$($generic: $bound),*>($($argument: $type),*) $(-> $result)? {
            $plain($($argument),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512vl,avx512bw")]
        fn $avx512<$($generic: $bound),*>($($argument: $type),*) $(-> $result)? {
            $plain($($argument),*)
        }

        $(#[$doc])*
        #[inline]
        pub(super) fn $name<$($generic: $bound),*>($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            match active_level() {
                // SAFETY: `level` found AVX-512 F, DQ, VL and BW, and AVX2 with FMA, on this machine.
                InstructionSet::Avx512 => return unsafe { $avx512::<$($generic),*>($($argument),*) },
                // SAFETY: `level` found AVX2 and FMA on this machine.
                InstructionSet::Avx2 => return unsafe { $avx2::<$($generic),*>($($argument),*) },
                InstructionSet::Portable => {}
            }
            $plain($($argument),*)
        }
    )+};
}

levels! {
    /// One value of a function of one number.
    one / one_avx2 / one_avx512 <K: UnaryMap> (x: f64) -> f64 = unary_lane::<K>;
    /// One value of a function of two numbers.
    two / two_avx2 / two_avx512 <K: BinaryMap> (a: f64, b: f64) -> f64 = binary_lane::<K>;
    /// A block of a function of one number.
    run1 / run1_avx2 / run1_avx512 <K: UnaryMap> (x: &[f64], out: &mut [f64]) = map_unary_block::<K>;
    /// A block of a function of two numbers.
    run2 / run2_avx2 / run2_avx512 <K: BinaryMap, A: BlockOperand, B: BlockOperand> (a: A, b: B, out: &mut [f64]) = map_binary_block::<K, A, B>;
    /// A block of two operations in a row.
    run3 / run3_avx2 / run3_avx512 <K: TernaryMap, A: BlockOperand, B: BlockOperand, C: BlockOperand> (a: A, b: B, c: C, out: &mut [f64]) = map_ternary_block::<K, A, B, C>;
    /// Sine and cosine of one value.
    sin_cos / sin_cos_avx2 / sin_cos_avx512 <> (x: f64) -> (f64, f64) = circular::sin_cos;
    /// Sines and cosines of a block.
    sin_cos_block / sin_cos_block_avx2 / sin_cos_block_avx512 <> (x: &[f64], sines: &mut [f64], cosines: &mut [f64]) = circular::sin_cos_block;
    /// A block of choices.
    run_choose / run_choose_avx2 / run_choose_avx512 <A: BlockOperand, B: BlockOperand> (condition: &[f64], then: A, otherwise: B, out: &mut [f64]) = block_choose::<A, B>;
    /// Numbers of generators in lockstep.
    uniforms / uniforms_avx2 / uniforms_avx512 <> (state: &mut [[u64; GENERATORS]; 4], lower: f64, width: f64, out: &mut [f64]) = uniform::fill_uniform;
    /// A sum.
    sums / sums_avx2 / sums_avx512 <> (x: &[f64]) -> f64 = sum::sum_lanes;
    /// A sum of squared distances.
    squares / squares_avx2 / squares_avx512 <> (x: &[f64], centre: f64) -> f64 = sum::sum_square_lanes;
    /// A sum of products.
    products / products_avx2 / products_avx512 <> (x: &[f64], y: &[f64]) -> f64 = sum::sum_product_lanes;
    /// The largest.
    most / most_avx2 / most_avx512 <> (x: &[f64]) -> f64 = sum::largest_lane;
    /// The smallest.
    least / least_avx2 / least_avx512 <> (x: &[f64]) -> f64 = sum::smallest_lane;
}
