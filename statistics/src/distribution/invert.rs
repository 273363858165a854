//! Quantiles from distribution functions.

use super::Distribution;

/// The doubles in their order, as integers.
fn order_of(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    match bits < 0 {
        true => i64::MIN.wrapping_sub(bits),
        false => bits,
    }
}

fn of_order(order: i64) -> f64 {
    match order < 0 {
        true => f64::from_bits(i64::MIN.wrapping_sub(order) as u64),
        false => f64::from_bits(order as u64),
    }
}

/// The x at which a tail of a continuous distribution is `target`: Newton's steps on the logarithm of the tail, within a bracket that is halved in
/// the order of the doubles where they do not help. The smaller of the two tails is compared, so that no digit of a tail is lost.
pub(super) fn invert_continuous<D: Distribution + ?Sized>(
    distribution: &D,
    p: f64,
    is_upper: bool,
) -> f64 {
    const STEPS_MAX: usize = 200;
    // Above one half the other tail has the digits of the target, as 1 - p is exact there.
    let (target, uses_upper) = match p > 0.5 {
        true => (1.0 - p, !is_upper),
        false => (p, is_upper),
    };
    let support = distribution.support();
    let (mut below, mut above) = (support.low.max(f64::MIN), support.high.min(f64::MAX));
    let mut x = distribution.centre().clamp(below, above);
    let mut halve = false;
    for _ in 0..STEPS_MAX {
        let tail = match uses_upper {
            true => distribution.sf(x),
            false => distribution.cdf(x),
        };
        if tail == target || tail.is_nan() {
            return if tail.is_nan() { f64::NAN } else { x };
        }
        let goes_right = (tail > target) == uses_upper;
        match goes_right {
            true => below = x,
            false => above = x,
        }
        let (low, high) = (order_of(below), order_of(above));
        let gap = high.abs_diff(low);
        if gap <= 1 {
            return above;
        }
        let slope = distribution.density(x) / tail;
        let sign = if uses_upper { 1.0 } else { -1.0 };
        let step = sign * (tail / target).ln() / slope;
        let next = x + step;
        let is_fit = next > below && next < above && !halve && tail > 0.0;
        let before = x;
        x = match is_fit {
            true => next,
            false => of_order(low + (gap / 2) as i64),
        };
        if is_fit && (x - before).abs() <= 2e-16 * x.abs() {
            return x;
        }
        // Every step that leaves most of the bracket is followed by a halving.
        halve = is_fit && (next - before).abs() > 0.25 * before.abs().max(1e-300);
    }
    x
}

/// The least whole number of which the lower tail is at least `p` (the upper tail at most `p`); a tail that differs by some units in the last place
/// counts as equal, so that the quantile of a probability that was computed is the number it came from.
pub(super) fn invert_discrete<D: Distribution + ?Sized>(
    distribution: &D,
    p: f64,
    is_upper: bool,
) -> f64 {
    const SLACK: f64 = 64.0 * f64::EPSILON;
    let reaches = |k: f64| match (is_upper, p > 0.5) {
        (false, false) => distribution.cdf(k) >= p * (1.0 - SLACK),
        (false, true) => distribution.sf(k) <= (1.0 - p) * (1.0 + SLACK),
        (true, false) => distribution.sf(k) <= p * (1.0 + SLACK),
        (true, true) => distribution.cdf(k) >= (1.0 - p) * (1.0 - SLACK),
    };
    let support = distribution.support();
    let start = distribution
        .centre()
        .floor()
        .clamp(support.low, support.high);
    let spread = distribution.moments().variance.sqrt();
    let mut stride = if spread.is_finite() {
        spread.ceil().max(1.0)
    } else {
        1.0
    };
    let (mut below, mut above);
    if reaches(start) {
        above = start;
        below = start - stride;
        while below >= support.low && reaches(below) {
            above = below;
            stride *= 2.0;
            below -= stride;
        }
        below = below.max(support.low - 1.0);
    } else {
        below = start;
        above = start + stride;
        while above < support.high && !reaches(above) {
            below = above;
            stride *= 2.0;
            above += stride;
        }
        above = above.min(support.high);
    }
    while above - below > 1.0 {
        let middle = (0.5 * below + 0.5 * above).floor();
        if middle <= below || middle >= above {
            break; // beyond 2^53 whole numbers have no others between them
        }
        match reaches(middle) {
            true => above = middle,
            false => below = middle,
        }
    }
    above
}
