//! Sums over blocks, in a fixed order that suits vectors.

use super::dispatch;

/// Partial sums; number `i` belongs to partial sum `i` modulo this.
const PARTS: usize = 32;

/// The sum of some numbers: 32 interleaved partial sums, which are joined as a tree.
///
/// The rounding error is at most about `n / 32 + 5` units of the last place of the sum of the magnitudes.
pub fn sum(x: &[f64]) -> f64 {
    dispatch::sums(x)
}

/// The sum of the squared distances of some numbers from a centre, in the order of [`sum`].
pub fn sum_of_squares(x: &[f64], centre: f64) -> f64 {
    dispatch::squares(x, centre)
}

#[inline(always)]
pub(super) fn plain(x: &[f64]) -> f64 {
    gather(x, |x| x)
}

#[inline(always)]
pub(super) fn squares(x: &[f64], centre: f64) -> f64 {
    gather(x, |x| (x - centre) * (x - centre))
}

#[inline(always)]
fn gather(x: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let mut parts = [0.0; PARTS];
    let chunks = x.chunks_exact(PARTS);
    let rest = chunks.remainder();
    for chunk in chunks {
        for lane in 0..PARTS {
            parts[lane] += term(chunk[lane]);
        }
    }
    for (part, &x) in parts.iter_mut().zip(rest) {
        *part += term(x);
    }
    let mut count = PARTS;
    while count > 1 {
        count /= 2;
        for lane in 0..count {
            parts[lane] += parts[lane + count];
        }
    }
    parts[0]
}
