//! One root of a function of one variable, between two points at which its signs differ.
//!
//! # Method
//! Chandrupatla's choice between inverse quadratic interpolation and bisection, down to neighbouring doubles. Bisection halves the
//! doubles between the ends rather than their distance where these are of different magnitude, so that a bracket from 1e-300 to 1e300
//! takes some 60 steps.
//!
//! # References
//! T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without using
//! derivatives", Adv. Eng. Softw. 28, 1997.

/// Two points with the values of the function there; its signs differ, or one value is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RootBracket {
    /// Lower end.
    pub low: f64,
    /// Value there.
    pub at_low: f64,
    /// Upper end.
    pub high: f64,
    /// Value there.
    pub at_high: f64,
}

/// Why there is no smaller bracket.
#[derive(Debug, Clone, PartialEq)]
pub enum BracketFault<E> {
    /// The function has no value at this point.
    NotANumber(f64),
    /// What the function returned instead of a value.
    Stopped(E),
}

/// Most steps; bisection alone takes 64 at most, and every third step is one in effect.
const STEPS_MAX: usize = 400;

impl RootBracket {
    /// Whether the values have different signs, or one of them is zero.
    pub fn has_change(&self) -> bool {
        self.at_low == 0.0 || self.at_high == 0.0 || (self.at_low < 0.0) != (self.at_high < 0.0)
    }

    /// The end with the smaller value.
    pub fn best(&self) -> (f64, f64) {
        if self.at_low.abs() <= self.at_high.abs() {
            (self.low, self.at_low)
        } else {
            (self.high, self.at_high)
        }
    }

    /// The bracket made smaller until its ends are `tolerance` or two units in the last place apart, or a value is zero.
    ///
    /// # Errors
    /// [`BracketFault`].
    pub fn narrowed<E>(
        &self,
        tolerance: f64,
        f: &mut impl FnMut(f64) -> Result<f64, E>,
    ) -> Result<Self, BracketFault<E>> {
        // a is the last point, b the other end of the bracket, c the point before a.
        let (mut a, mut fa) = (self.low, self.at_low);
        let (mut b, mut fb) = (self.high, self.at_high);
        let (mut c, mut fc);
        let mut share = 0.5;
        for step in 0..STEPS_MAX {
            let (low, high) = (a.min(b), a.max(b));
            let near = if fa.abs() < fb.abs() { a } else { b };
            let reach = tolerance.max(2.0 * (near.abs().next_up() - near.abs()));
            if fa == 0.0 || fb == 0.0 || high - low <= reach {
                break;
            }
            // From time to time a bisection, for functions that are flat on one side.
            let interpolated = a + share * (b - a);
            let is_far = low.abs().max(high.abs()) > 4.0 * low.abs().min(high.abs())
                || low.signum() != high.signum();
            let by_halves = share == 0.5 || step % 8 == 7;
            let mut x = if by_halves && is_far {
                halfway_double(low, high)
            } else if by_halves {
                low / 2.0 + high / 2.0
            } else {
                interpolated
            };
            let margin = 0.5 * reach;
            if !(x > low && x < high) {
                x = halfway_double(low, high);
            }
            if high - low > 2.0 * margin {
                x = x.clamp(
                    (low + margin).max(low.next_up()),
                    (high - margin).min(high.next_down()),
                );
            }
            let fx = f(x).map_err(BracketFault::Stopped)?;
            if fx.is_nan() {
                return Err(BracketFault::NotANumber(x));
            }
            if (fx < 0.0) == (fa < 0.0) && fx != 0.0 {
                (c, fc) = (a, fa);
            } else {
                (c, fc, b, fb) = (b, fb, a, fa);
            }
            (a, fa) = (x, fx);
            let (xi, phi) = ((a - b) / (c - b), (fa - fb) / (fc - fb));
            share = if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
                fa / (fb - fa) * (fc / (fb - fc))
                    + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb))
            } else {
                0.5
            };
            if !(share > 0.0 && share < 1.0) {
                share = 0.5;
            }
        }
        let (low, high) = if a <= b {
            ((a, fa), (b, fb))
        } else {
            ((b, fb), (a, fa))
        };
        Ok(Self {
            low: low.0,
            at_low: low.1,
            high: high.0,
            at_high: high.1,
        })
    }
}

/// The double half-way between two in the order of doubles.
pub fn halfway_double(low: f64, high: f64) -> f64 {
    let key = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 {
            i64::MIN.wrapping_sub(bits)
        } else {
            bits
        }
    };
    let (a, b) = (key(low), key(high));
    let middle = ((i128::from(a) + i128::from(b)) >> 1) as i64;
    let bits = if middle < 0 {
        i64::MIN.wrapping_sub(middle)
    } else {
        middle
    };
    f64::from_bits(bits as u64)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn root(f: impl Fn(f64) -> f64, low: f64, high: f64) -> (f64, usize) {
        let mut count = 0;
        let mut counted = |x: f64| {
            count += 1;
            Ok::<f64, Infallible>(f(x))
        };
        let bracket = RootBracket {
            low,
            at_low: f(low),
            high,
            at_high: f(high),
        };
        let found = bracket.narrowed(0.0, &mut counted).unwrap();
        assert!(found.has_change() && found.low >= low && found.high <= high);
        (found.best().0, count)
    }

    #[test]
    fn halves_of_the_doubles() {
        assert_eq!(halfway_double(-1.0, 1.0), 0.0);
        assert_eq!(halfway_double(1.0, 4.0), 2.0);
        assert_eq!(halfway_double(-4.0, -1.0), -2.0);
        assert!(halfway_double(1e-300, 1e300) > 1e-10 && halfway_double(1e-300, 1e300) < 1e10);
    }

    /// A function, the ends of a bracket, its root, and the most evaluations.
    type Case = (fn(f64) -> f64, f64, f64, f64, usize);

    /// Roots to the last place in few evaluations: published test functions of Alefeld, Potra and Shi (1995) and hard ones.
    #[test]
    fn roots_to_the_last_place() {
        let cases: &[Case] = &[
            (|x| x.cos() - x, 0.0, 1.0, 0.739_085_133_215_160_6, 16),
            (|x| x.sin() - x / 2.0, 1.6, 3.0, 1.895_494_267_033_981, 16),
            (
                |x| x * x * x - 2.0 * x - 5.0,
                2.0,
                3.0,
                2.094_551_481_542_326_6,
                16,
            ),
            (
                |x| 2.0 * x * (-20.0_f64).exp() - 2.0 * (-20.0 * x).exp() + 1.0,
                0.0,
                1.0,
                0.034_657_359_020_853_85,
                20,
            ),
            (|x| (x - 1.0).powi(3), -3.0, 4.0, 1.0, 140),
            (|x| x.powi(9), -1.0, 3.0, 0.0, 200),
            (|x| x - 1e-300, -1.0, 1.0, 1e-300, 90),
            (|x| 1e-300 * (x - 3.0), 0.0, 10.0, 3.0, 16),
            (|x| x.ln(), 1e-300, 1e300, 1.0, 90),
        ];
        for (index, &(f, low, high, expected, most)) in cases.iter().enumerate() {
            let (found, count) = root(f, low, high);
            let near = (found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs();
            let flat = f(found) == 0.0;
            assert!(near || flat, "{index}: {found} {expected}");
            assert!(count <= most, "{index}: {count}");
        }
    }

    #[test]
    fn a_value_that_is_none_is_named() {
        let mut f = |x: f64| {
            Ok::<f64, Infallible>(if x > 0.3 && x < 0.7 {
                f64::NAN
            } else {
                x - 0.5
            })
        };
        let bracket = RootBracket {
            low: 0.0,
            at_low: -0.5,
            high: 1.0,
            at_high: 0.5,
        };
        assert!(matches!(
            bracket.narrowed(0.0, &mut f),
            Err(BracketFault::NotANumber(_))
        ));
    }
}
