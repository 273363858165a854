//! Reduction of huge arguments modulo pi/2 (Payne & Hanek, "Radian reduction for trigonometric functions", SIGNUM 18, 1983).

use super::arithmetic::{doubled_product, power_of_two, quick_two_sum};

/// The fraction bits of 2/pi after 64 zeros: word i has the weights 2^(-64 (i - 1) - 1) down to 2^(-64 i).
const BITS: [u64; 25] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
    0xa9e3_9161_5ee6_1b08,
    0x6599_855f_14a0_6840,
    0x8dff_d880_4d73_2731,
    0x0606_1556_ca73_a8c9,
];

const FRAC_PI_2: (f64, f64) = (std::f64::consts::FRAC_PI_2, 6.123233995736766e-17);

/// `x - n pi/2` as a sum of two, relative error below 2^-100, and n modulo 4; x finite, |x| >= 2^32.
pub(crate) fn reduce_large(x: f64) -> ((f64, f64), u64) {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1075;
    let integer = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    // |x| = integer 2^exponent; bits of 2/pi with weights above 2^(2 - exponent) add multiples of 4 and are left out.
    let start = (exponent - 2 + 64) as usize;
    let (word, shift) = (start / 64, start % 64);
    let window: [u64; 4] = std::array::from_fn(|i| match shift {
        0 => BITS[word + i],
        _ => BITS[word + i] << shift | BITS[word + i + 1] >> (64 - shift),
    });
    // The product modulo 2^256, most significant word first: 2 bits of n, then the fraction.
    let mut words = [0_u64; 4];
    let mut carry = 0_u128;
    for (out, &part) in words.iter_mut().zip(&window).rev() {
        let sum = u128::from(part) * u128::from(integer) + carry;
        *out = sum as u64;
        carry = sum >> 64;
    }
    let mut n = words[0] >> 62;
    let mut high =
        (u128::from(words[0]) << 64 | u128::from(words[1])) << 2 | u128::from(words[2] >> 62);
    let mut low = (u128::from(words[2]) << 64 | u128::from(words[3])) << 2;
    let above_half = high >> 127 != 0;
    if above_half {
        // The fraction minus 1, as a magnitude.
        n += 1;
        (high, low) = (!high, !low);
    }
    let zeros = high.leading_zeros();
    let leading = if zeros == 0 {
        high
    } else {
        high << zeros | low >> (128 - zeros)
    };
    let fraction = quick_two_sum(
        ((leading >> 75) as f64) * power_of_two(-53),
        (((leading >> 22) as u64 & 0x001f_ffff_ffff_ffff) as f64) * power_of_two(-106),
    );
    let weight = power_of_two(-i64::from(zeros));
    let (r, r_low) = doubled_product((fraction.0 * weight, fraction.1 * weight), FRAC_PI_2);
    match (above_half, x < 0.0) {
        (true, false) => ((-r, -r_low), n & 3),
        (false, false) => ((r, r_low), n & 3),
        (true, true) => ((r, r_low), n.wrapping_neg() & 3),
        (false, true) => ((-r, -r_low), n.wrapping_neg() & 3),
    }
}
