//! Sums and extremes over blocks, in a fixed order that suits vectors.

use super::dispatch;
use super::lanes::BinaryMap as _;
use super::simple::{Max, Min};

/// Partial sums; number `i` belongs to partial sum `i` modulo this.
const PARTS: usize = 32;

/// The sum of some numbers: 32 interleaved partial sums, which are joined as a tree.
///
/// The rounding error is at most about `n / 32 + 5` units of the last place of the sum of the magnitudes.
pub fn sum_numbers(x: &[f64]) -> f64 {
    dispatch::sums(x)
}

/// The sum of the squared distances of some numbers from a centre, in the order of [`sum_numbers`].
pub fn sum_of_squares(x: &[f64], centre: f64) -> f64 {
    dispatch::squares(x, centre)
}

/// The sum of the products of two lists, in the order of [`sum_numbers`]: the same bits as the sum of the rounded products.
///
/// # Panics
/// When the lengths differ.
pub fn sum_of_products(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "a factor for each");
    dispatch::products(x, y)
}

/// The largest of some numbers, minus infinity of none; NaN when one is NaN.
pub fn largest_number(x: &[f64]) -> f64 {
    dispatch::most(x)
}

/// The smallest of some numbers, infinity of none; NaN when one is NaN.
pub fn smallest_number(x: &[f64]) -> f64 {
    dispatch::least(x)
}

#[inline(always)]
pub(super) fn sum_lanes(x: &[f64]) -> f64 {
    gather_lanes(x, x, 0.0, |x, _| x, |a, b| a + b)
}

#[inline(always)]
pub(super) fn sum_square_lanes(x: &[f64], centre: f64) -> f64 {
    gather_lanes(x, x, 0.0, |x, _| (x - centre) * (x - centre), |a, b| a + b)
}

#[inline(always)]
pub(super) fn sum_product_lanes(x: &[f64], y: &[f64]) -> f64 {
    gather_lanes(x, y, 0.0, |x, y| x * y, |a, b| a + b)
}

#[inline(always)]
pub(super) fn largest_lane(x: &[f64]) -> f64 {
    gather_lanes(x, x, f64::NEG_INFINITY, |x, _| x, Max::fast)
}

#[inline(always)]
pub(super) fn smallest_lane(x: &[f64]) -> f64 {
    gather_lanes(x, x, f64::INFINITY, |x, _| x, Min::fast)
}

/// Joins a value of each pair of lanes into `none`.
#[inline(always)]
fn gather_lanes(
    x: &[f64],
    y: &[f64],
    none: f64,
    value: impl Fn(f64, f64) -> f64,
    join: impl Fn(f64, f64) -> f64,
) -> f64 {
    let mut parts = [none; PARTS];
    let (chunks, others) = (x.chunks_exact(PARTS), y.chunks_exact(PARTS));
    let rest = chunks.remainder().iter().zip(others.remainder());
    for (chunk, other) in chunks.zip(others) {
        for lane in 0..PARTS {
            parts[lane] = join(parts[lane], value(chunk[lane], other[lane]));
        }
    }
    for (part, (&x, &y)) in parts.iter_mut().zip(rest) {
        *part = join(*part, value(x, y));
    }
    let mut count = PARTS;
    while count > 1 {
        count /= 2;
        for lane in 0..count {
            parts[lane] = join(parts[lane], parts[lane + count]);
        }
    }
    parts[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_summed_as_if_they_were_stored() {
        for count in [0, 1, 31, 32, 33, 127, 128, 300] {
            let x: Vec<f64> = (0..count).map(|i| f64::from(i).sin() * 1e3).collect();
            let y: Vec<f64> = (0..count).map(|i| f64::from(i).cos() / 3.0).collect();
            let products: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
            let (found, expected) = (sum_of_products(&x, &y), sum_numbers(&products));
            assert_eq!(found.to_bits(), expected.to_bits(), "{count} products");
        }
    }

    #[test]
    fn extremes_are_found_in_every_lane() {
        assert_eq!(
            [largest_number(&[]), smallest_number(&[])],
            [f64::NEG_INFINITY, f64::INFINITY]
        );
        for count in [1, 31, 32, 33, 128, 200] {
            for place in 0..count {
                let mut x: Vec<f64> = (0..count).map(|i| (i as f64).sin()).collect();
                x[place] = 7.0;
                assert_eq!(largest_number(&x), 7.0);
                x[place] = -7.0;
                assert_eq!(smallest_number(&x), -7.0);
                x[place] = f64::NAN;
                assert!(
                    largest_number(&x).is_nan() && smallest_number(&x).is_nan(),
                    "{place} of {count}"
                );
            }
        }
    }
}
