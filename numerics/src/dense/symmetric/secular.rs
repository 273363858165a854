//! The secular equation of a diagonal matrix with a rank-one update: `1/rho + sum z_i^2 / (d_i - x) = 0`.
//!
//! # Method
//! A root is sought from the nearer of the two poles beside it, so that its distances to the poles keep all their digits. Each step
//! fits a simple rational function to the sums left and right of the root with both their slopes ("the middle way"), and is replaced
//! by a bisection where it leaves the bracket. The sums run in eight interleaved parts.
//!
//! # References
//! R.-C. Li, "Solving secular equations stably and efficiently", LAPACK working note 89, 1994.

use pulp::Simd;

use crate::dense::lanes::{LaneKernel, VectorUnit, WIDTH, dispatch_kernel};

const EPS: f64 = 0.5 * f64::EPSILON;

/// Steps after which a root is taken as it is: a bracket of doubles is used up by then.
const STEPS_MOST: usize = 1100;

/// A root `poles[origin] + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SecularRoot {
    pub(super) origin: usize,
    pub(super) offset: f64,
}

/// Poles, strictly ascending, with the components of a vector that are not zero, and `1 / rho > 0`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SecularEquation<'a> {
    pub(super) poles: &'a [f64],
    pub(super) components: &'a [f64],
    pub(super) inverse_rho: f64,
}

impl SecularEquation<'_> {
    /// Finds the root above pole `index`, and writes its distances `d_i - x` from all poles.
    pub(super) fn root(&self, index: usize, distances: &mut [f64]) -> SecularRoot {
        dispatch_kernel(SecularSearch {
            equation: self,
            index,
            distances,
        })
    }
}

struct SecularSearch<'a> {
    equation: &'a SecularEquation<'a>,
    index: usize,
    distances: &'a mut [f64],
}

/// The sums at one point: up to the pole below the root, and after it, each with its slope.
#[derive(Clone, Copy)]
struct SecularSums {
    below: f64,
    below_slope: f64,
    above: f64,
    above_slope: f64,
}

impl LaneKernel for SecularSearch<'_> {
    type Output = SecularRoot;

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) -> SecularRoot {
        let Self {
            equation,
            index,
            distances,
        } = self;
        let SecularEquation {
            poles,
            components,
            inverse_rho,
        } = *equation;
        let last = poles.len() - 1;
        if last == 0 {
            let offset = components[0] * components[0] / inverse_rho;
            distances[0] = -offset;
            return SecularRoot { origin: 0, offset };
        }
        let inner = index < last;
        // The poles next to the root; above all of them, the last two.
        let near = index.min(last - 1);
        let value = |sums: SecularSums| inverse_rho + (sums.below + sums.above);
        let width = if inner {
            poles[index + 1] - poles[index]
        } else {
            let square: f64 = components.iter().map(|z| z * z).sum();
            square / inverse_rho * (1.0 + 8.0 * EPS)
        };
        let mut origin = index;
        let mut offset = 0.5 * width;
        let mut found = secular_sums(unit, equation, near, origin, offset, distances);
        let (mut low, mut high) = (0.0, width);
        if inner && value(found) < 0.0 {
            // Nearer to the pole above: count from there.
            origin = index + 1;
            offset -= width;
            (low, high) = (-width, 0.0);
        }
        for _ in 0..STEPS_MOST {
            let f = value(found);
            let scale = inverse_rho + found.below.abs() + found.above.abs();
            if f.abs() <= 4.0 * EPS * scale || f.is_nan() {
                break;
            }
            if f < 0.0 {
                low = offset;
            } else {
                high = offset;
            }
            let [to_near, to_far] = [near, near + 1].map(|k| (poles[k] - poles[origin]) - offset);
            let mut next = offset + secular_step(found, f, to_near, to_far, inner);
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            if !(next > low && next < high) {
                break;
            }
            let small = (next - offset).abs() <= 2.0 * EPS * next.abs();
            offset = next;
            found = secular_sums(unit, equation, near, origin, offset, distances);
            if small {
                break;
            }
        }
        secular_sums(unit, equation, near, origin, offset, distances);
        SecularRoot { origin, offset }
    }
}

/// The sums up to pole `near` and after it, and the distances of the poles, at an offset from a pole.
#[inline(always)]
fn secular_sums<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    equation: &SecularEquation<'_>,
    near: usize,
    origin: usize,
    offset: f64,
    distances: &mut [f64],
) -> SecularSums {
    let base = equation.poles[origin];
    let (low_poles, high_poles) = equation.poles.split_at(near + 1);
    let (low, high) = equation.components.split_at(near + 1);
    let (low_distances, high_distances) = distances.split_at_mut(near + 1);
    let below = partial_secular_sum(unit, low_poles, low, base, offset, low_distances);
    let above = partial_secular_sum(unit, high_poles, high, base, offset, high_distances);
    SecularSums {
        below: below.0,
        below_slope: below.1,
        above: above.0,
        above_slope: above.1,
    }
}

/// `sum z^2 / (d - x)` and its slope, with the distances `d - x` where `x = base + offset`.
#[inline(always)]
fn partial_secular_sum<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    poles: &[f64],
    components: &[f64],
    base: f64,
    offset: f64,
    distances: &mut [f64],
) -> (f64, f64) {
    let (bases, offsets) = (unit.splat(base), unit.splat(offset));
    let (mut sum, mut slope) = (unit.splat(0.0), unit.splat(0.0));
    let (blocks, rest) = poles.as_chunks::<WIDTH>();
    let (parts, parts_rest) = components.as_chunks::<WIDTH>();
    let (outs, outs_rest) = distances.as_chunks_mut::<WIDTH>();
    for ((d, z), out) in blocks.iter().zip(parts).zip(outs) {
        let z = unit.load(z);
        let distance = unit.sub(unit.sub(unit.load(d), bases), offsets);
        unit.store(distance, out);
        let ratio = unit.div(z, distance);
        sum = unit.mul_add(z, ratio, sum);
        slope = unit.mul_add(ratio, ratio, slope);
    }
    let (mut sum, mut slope) = (unit.sum(sum), unit.sum(slope));
    for ((d, z), out) in rest.iter().zip(parts_rest).zip(outs_rest) {
        *out = (d - base) - offset;
        let ratio = z / *out;
        sum = z.mul_add(ratio, sum);
        slope = ratio.mul_add(ratio, slope);
    }
    (sum, slope)
}

/// The step to the root of the function fitted to the sums, with the poles next to the root at these distances.
fn secular_step(sums: SecularSums, f: f64, near: f64, far: f64, inner: bool) -> f64 {
    let slope = sums.below_slope + sums.above_slope;
    let a = (near + far) * f - near * far * slope;
    let b = near * far * f;
    let c = f - near * sums.below_slope - far * sums.above_slope;
    let c = if inner { c } else { c.abs() };
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    let found = match (inner, a > 0.0) {
        (true, false) => (a - root) / (2.0 * c),
        (true, true) => 2.0 * b / (a + root),
        (false, true) => (a + root) / (2.0 * c),
        (false, false) => 2.0 * b / (a - root),
    };
    if f * found < 0.0 { found } else { -f / slope }
}

#[cfg(test)]
mod tests {
    use super::{SecularEquation, SecularRoot};

    fn roots(poles: &[f64], components: &[f64], rho: f64) -> Vec<(SecularRoot, Vec<f64>)> {
        let equation = SecularEquation {
            poles,
            components,
            inverse_rho: rho.recip(),
        };
        (0..poles.len())
            .map(|index| {
                let mut distances = vec![f64::NAN; poles.len()];
                let root = equation.root(index, &mut distances);
                (root, distances)
            })
            .collect()
    }

    #[test]
    fn roots_interlace_and_satisfy_trace_and_determinant() {
        // One pole: x = d + rho z^2; two poles: the roots of a quadratic.
        let (root, distances) = roots(&[2.0], &[3.0], 0.5).remove(0);
        assert_eq!((root.offset, distances[0]), (4.5, -4.5));
        let found = roots(&[0.0, 1.0], &[0.6, 0.8], 1.0);
        // (x - 1)(x) - 0.36 (x - 1) - 0.64 x = x^2 - 2 x + 0.36
        for ((root, _), expected) in found.iter().zip([0.2, 1.8]) {
            let x = [0.0, 1.0][root.origin] + root.offset;
            assert!((x - expected).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn roots_keep_all_digits_of_their_distance_to_near_poles() {
        // Tiny components push the roots against their poles, clusters of poles leave them no room.
        let mut poles: Vec<f64> = (0..40).map(f64::from).collect();
        poles.extend((1..40).map(|k| 39.0 + f64::from(k) * 1e-13));
        poles.sort_by(f64::total_cmp);
        poles.dedup();
        let components: Vec<f64> = (0..poles.len()).map(|k| [1e-9, 0.3, 1e-5][k % 3]).collect();
        let square: f64 = components.iter().map(|z| z * z).sum();
        let rho = 1.75;
        let mut offsets = 0.0;
        for (index, (root, distances)) in roots(&poles, &components, rho).into_iter().enumerate() {
            assert!(distances[index] < 0.0, "{index}");
            assert!(distances.get(index + 1).is_none_or(|&d| d > 0.0), "{index}");
            let (mut f, mut scale) = (rho.recip(), rho.recip());
            for (z, d) in components.iter().zip(&distances) {
                f += z * z / d;
                scale += (z * z / d).abs();
            }
            assert!(f.abs() <= 1e-14 * scale, "{index}: {f} of {scale}");
            offsets += (poles[root.origin] - poles[index]) + root.offset;
        }
        // The trace grows by rho |z|^2.
        assert!((offsets - rho * square).abs() < 1e-12, "{offsets}");
    }
}
