//! The double nearest to a decimal fraction, for the fractions that data is made of.
//!
//! Method: Eisel and Lemire (D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021):
//! the significand times a 128-bit reciprocal of the power of five. For up to [`SCALE_MAX`] digits after the point that product
//! always decides the rounding (section 8 there), so there is no slow path here.

/// Most digits after the point.
const SCALE_MAX: usize = 27;

/// `significand / 10^scale`, correctly rounded (ties to even); `None` for a scale beyond the table.
#[inline(always)]
pub(super) fn round_decimal(significand: u64, scale: usize) -> Option<f64> {
    let (high, low) = *RECIPROCALS.get(scale)?;
    if significand == 0 {
        return Some(0.0);
    }
    let shift = significand.leading_zeros();
    let normal = significand << shift;
    let product = u128::from(normal) * u128::from(high);
    let (mut upper, mut lower) = ((product >> 64) as u64, product as u64);
    // The lower half of the reciprocal matters only when the bits below the mantissa are all ones.
    if upper & 0x1ff == 0x1ff {
        let correction = (u128::from(normal) * u128::from(low)) >> 64;
        let (sum, carried) = lower.overflowing_add(correction as u64);
        lower = sum;
        upper += u64::from(carried);
    }
    let top = (upper >> 63) as u32;
    // 54 bits: the mantissa and the bit that decides.
    let below = top + 64 - 52 - 3;
    let mut mantissa = upper >> below;
    let mut exponent = binary_exponent(scale) + top as i32 - shift as i32 + 1023;
    // A tie is possible only for a few digits after the point: 5^scale must divide the significand.
    const TIE_SCALE_MAX: usize = 4;
    if lower <= 1 && scale <= TIE_SCALE_MAX && mantissa & 3 == 1 && mantissa << below == upper {
        mantissa &= !1;
    }
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if mantissa == 1 << 53 {
        mantissa = 1 << 52;
        exponent += 1;
    }
    Some(f64::from_bits(
        (mantissa & ((1 << 52) - 1)) | ((exponent as u64) << 52),
    ))
}

/// The binary exponent of `10^-scale` times 2^63.
#[inline]
fn binary_exponent(scale: usize) -> i32 {
    // log2(10) in 16 binary digits after the point.
    const LOG2_10: i32 = 152_170 + 65_536;
    ((LOG2_10 * -(scale as i32)) >> 16) + 63
}

/// `5^-scale` as 128 bits with the first one set, rounded up; its upper and lower half.
static RECIPROCALS: [(u64, u64); SCALE_MAX + 1] = {
    let mut table = [(1 << 63, 0); SCALE_MAX + 1];
    let mut power: u128 = 1;
    let mut scale = 1;
    while scale <= SCALE_MAX {
        power *= 5;
        let reciprocal = power_reciprocal(power);
        table[scale] = ((reciprocal >> 64) as u64, reciprocal as u64);
        scale += 1;
    }
    table
};

/// `floor(2^(z + 127) / power) + 1`, where z is the number of bits of the power; by long division, bit by bit.
const fn power_reciprocal(power: u128) -> u128 {
    let bits = 128 - (power - 1).leading_zeros();
    let mut remainder: u128 = 1;
    let mut quotient: u128 = 0;
    let mut step = 0;
    while step < bits + 127 {
        remainder <<= 1;
        quotient <<= 1;
        if remainder >= power {
            remainder -= power;
            quotient |= 1;
        }
        step += 1;
    }
    quotient + 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(significand: u64, scale: usize) {
        let text = format!("{significand}e-{scale}");
        let expected: f64 = text.parse().unwrap();
        assert_eq!(
            round_decimal(significand, scale).map(f64::to_bits),
            Some(expected.to_bits()),
            "{text}"
        );
    }

    #[test]
    fn hard_cases_round_to_the_nearest_even() {
        // Ties, neighbours of ties, powers of two, all nines, the largest significand.
        let middle = (1_u64 << 54) + 1; // one bit beyond a double
        for significand in [
            1,
            9_007_199_254_740_993,
            9_007_199_254_740_995,
            middle,
            middle + 1,
            3 * middle,
            5 * middle,
            625 * middle,
            9_999_999_999_999_999_999,
            u64::MAX,
            1 << 63,
            (1 << 63) + 1024,
            (1 << 63) + 1025,
            72_057_594_037_927_935,
        ] {
            (0..=SCALE_MAX).for_each(|scale| check(significand, scale));
        }
        assert_eq!(round_decimal(0, 3), Some(0.0));
        assert_eq!(round_decimal(1, SCALE_MAX + 1), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn agrees_with_the_standard_library(significand in any::<u64>(), shift in 0_u32..64, scale in 0..=SCALE_MAX) {
            check(significand >> shift, scale);
        }

        #[test]
        fn halves_between_two_doubles_go_to_the_even_one(mantissa in (1_u64 << 52)..(1 << 53), up in 0_u64..3, scale in 0..=4_usize) {
            // (2 m + 1) * 5^scale * 2^-scale lies exactly between two doubles, up to a last digit more or less.
            let significand = (2 * mantissa + 1).checked_mul(5_u64.pow(scale as u32));
            if let Some(significand) = significand {
                check((significand + up).saturating_sub(1), scale);
            }
        }
    }
}
