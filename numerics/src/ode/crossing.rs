//! Zeros of a function of time within a step: [`find_crossing`] between two signs, [`find_smallest_size`] for a pair of zeros between two equal ones, and
//! [`FastChangeDetector`], which tells when the function changes too fast for the points at which it is seen.

/// A zero of a function between two points where its signs differ, to the last bits, on the side of the second point.
///
/// The regula falsi of Anderson and Bjorck with bisection where it is slow: G. Dahlquist, A. Bjorck, "Numerical Methods in Scientific
/// Computing I", SIAM 2008, section 6.2.
pub(super) fn find_crossing(
    (mut a, mut ga): (f64, f64),
    (mut b, mut gb): (f64, f64),
    g: &mut dyn FnMut(f64) -> f64,
) -> f64 {
    const ITERATIONS_MAX: usize = 100;
    // Where it stays zero, the first time it is.
    while gb == 0.0 {
        let middle = a + 0.5 * (b - a);
        if middle == a || middle == b {
            return b;
        }
        let value = g(middle);
        if value == 0.0 || (value < 0.0) != (ga < 0.0) {
            (b, gb) = (middle, value);
        } else {
            (a, ga) = (middle, value);
        }
    }
    for iteration in 0..ITERATIONS_MAX {
        if gb == 0.0 || (b - a).abs() <= 4.0 * f64::EPSILON * b.abs().max(a.abs()) {
            break;
        }
        let mut middle = b - gb * (b - a) / (gb - ga);
        let inside = (middle - a) * (middle - b) < 0.0;
        if iteration % 4 == 3 || !inside {
            middle = a + 0.5 * (b - a);
        }
        if middle == a || middle == b {
            break;
        }
        let value = g(middle);
        if (value < 0.0) == (gb < 0.0) && value != 0.0 {
            // The same side as before: the value of the other end is damped.
            let factor = 1.0 - value / gb;
            ga *= if factor > 0.0 { factor } else { 0.5 };
            (b, gb) = (middle, value);
        } else if value == 0.0 {
            return middle;
        } else {
            (a, ga) = (b, gb);
            (b, gb) = (middle, value);
        }
    }
    b
}

/// A time and the value of the function there.
pub(super) type Point = (f64, f64);

/// The point of an interval where the size of a function is smallest: `middle` lies between `left` and `right`, has their sign, and is
/// no farther from 0. The search ends at the first point of the other sign, or of value 0, and where the function does not approach 0
/// any more.
///
/// # Method
/// Vertices of parabolas through three points, and golden sections where these do not shrink the interval: R. P. Brent, "Algorithms for
/// Minimization without Derivatives", Prentice-Hall 1973, chapter 5.
pub(super) fn find_smallest_size(
    left: Point,
    middle: Point,
    right: Point,
    g: &mut dyn FnMut(f64) -> f64,
) -> Point {
    const ITERATIONS_MAX: usize = 80;
    const GOLDEN: f64 = 0.381_966_011_250_105;
    /// So many gains below this share of the value, in succession, lead nowhere near 0.
    const IDLE: (u32, f64) = (4, 0.01);
    let sign = middle.1.signum();
    let (mut a, mut fa) = (left.0, sign * left.1);
    let (mut x, mut fx) = (middle.0, sign * middle.1);
    let (mut b, mut fb) = (right.0, sign * right.1);
    let mut idle = 0;
    let mut width = (b - a).abs();
    for iteration in 0..ITERATIONS_MAX {
        let (l, r) = (x - a, b - x);
        let least = 2.0 * f64::EPSILON * x.abs();
        let longer = match r.abs() > l.abs() {
            true => GOLDEN * r,
            false => -GOLDEN * l,
        };
        let (dl, dr) = (fa - fx, fb - fx);
        let vertex = (dl * r * r - dr * l * l) / (2.0 * (dl * r + dr * l));
        let is_slow = iteration % 3 == 2 && {
            let before = std::mem::replace(&mut width, (b - a).abs());
            (b - a).abs() > 0.5 * before
        };
        let inside = |at: f64| at.is_finite() && (x + at - a) * (x + at - b) < 0.0;
        let mut step = if is_slow || !inside(vertex) {
            longer
        } else {
            vertex
        };
        if step.abs() < least {
            step = least.copysign(longer);
        }
        let at = x + step;
        if at == a || at == x || at == b {
            break;
        }
        let value = sign * g(at);
        if value <= 0.0 {
            return (at, sign * value);
        }
        // A value that is not a number ends the search.
        if value.is_nan() {
            break;
        }
        idle = match value < (1.0 - IDLE.1) * fx {
            true => 0,
            false => idle + 1,
        };
        let before = at * (b - a) < x * (b - a);
        if value <= fx {
            if before {
                (b, fb) = (x, fx);
            } else {
                (a, fa) = (x, fx);
            }
            (x, fx) = (at, value);
        } else if before {
            (a, fa) = (at, value);
        } else {
            (b, fb) = (at, value);
        }
        if idle == IDLE.0 {
            break;
        }
    }
    (x, sign * fx)
}

/// Counts the turns of a function at the points where it is seen. Where every third of many points is one, zeros may lie between them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FastChangeDetector {
    turns: u32,
    points: u32,
}

impl FastChangeDetector {
    /// Adds the inner points of values at equal distances; whether there are too many turns. A turn counts where the changes
    /// around it are as large as the value, so that the function may have been 0.
    pub(super) fn add(&mut self, values: &[f64]) -> bool {
        const POINTS: u32 = 24;
        for around in values.windows(3) {
            let (before, after) = (around[1] - around[0], around[2] - around[1]);
            self.points += 1;
            let turns = before * after < 0.0 && before.abs() + after.abs() >= around[1].abs();
            self.turns += u32::from(turns);
        }
        if self.points < POINTS {
            return false;
        }
        let Self { turns, points } = std::mem::take(self);
        3 * turns > points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two zeros as close as 2e-6 are found, of a parabola, a kink and a power; without zeros, the lowest point to a hundredth.
    #[test]
    fn the_other_sign_is_found_or_the_lowest_point() {
        let parabola = |t: f64| (t - 5.0) * (t - 5.0);
        let kink = |t: f64| (t - 5.0).abs();
        let power = |t: f64| (t - 5.0).powi(4);
        let functions: [(&dyn Fn(f64) -> f64, f64); 6] = [
            (&parabola, 1e-12),
            (&kink, 1e-6),
            (&power, 1e-9),
            (&parabola, -1e-6),
            (&kink, -1e-3),
            (&power, -1e-6),
        ];
        for (index, (f, depth)) in functions.into_iter().enumerate() {
            for sign in [1.0, -1.0] {
                let mut g = |t: f64| sign * (f(t) - depth);
                let at = |t: f64| (t, sign * (f(t) - depth));
                let (t, value) = find_smallest_size(at(4.6), at(5.1), at(5.7), &mut g);
                assert_eq!(sign * value <= 0.0, depth > 0.0, "{index}: {t} {value}");
                if depth < 0.0 {
                    assert!(sign * value < -1.01 * depth, "{index}: {t} {value}");
                }
            }
        }
    }

    #[test]
    fn many_turns_are_told_and_slow_functions_are_not() {
        let values =
            |rate: f64| -> Vec<f64> { (0..60).map(|i| (rate * f64::from(i)).sin()).collect() };
        assert!(FastChangeDetector::default().add(&values(2.1)));
        assert!(!FastChangeDetector::default().add(&values(0.3)));
        let small: Vec<f64> = values(2.1).iter().map(|value| 5.0 + value).collect();
        assert!(!FastChangeDetector::default().add(&small));
    }
}
