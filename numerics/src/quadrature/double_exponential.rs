//! The trapezoidal rule after a double-exponential substitution.

use std::f64::consts::{FRAC_PI_2, PI};

use super::{Integral, QuadratureEnd, QuadratureError, Values};
use crate::watch::Watch;

/// The substitution for a range.
#[derive(Debug, Clone, Copy)]
enum DoubleExponentialMap {
    /// tanh-sinh.
    Finite { low: f64, high: f64 },
    /// exp-sinh.
    Half { origin: f64, sign: f64 },
    /// sinh-sinh.
    Whole,
}

impl DoubleExponentialMap {
    /// The place and its weight at a parameter.
    fn place(&self, t: f64) -> (f64, f64) {
        match *self {
            Self::Finite { low, high } => {
                let width = high - low;
                let part = 1.0 / (1.0 + (PI * t.abs().sinh()).exp());
                let x = if t < 0.0 {
                    low + width * part
                } else {
                    high - width * part
                };
                (x, width * PI * t.cosh() * part * (1.0 - part))
            }
            Self::Half { origin, sign } => {
                let distance = (FRAC_PI_2 * t.sinh()).exp();
                (origin + sign * distance, FRAC_PI_2 * t.cosh() * distance)
            }
            Self::Whole => {
                let inner = FRAC_PI_2 * t.sinh();
                (inner.sinh(), FRAC_PI_2 * t.cosh() * inner.cosh())
            }
        }
    }

    fn is_inside(&self, x: f64) -> bool {
        match *self {
            Self::Finite { low, high } => low < x && x < high,
            Self::Half { origin, .. } => x != origin && x.is_finite(),
            Self::Whole => x.is_finite(),
        }
    }
}

/// Integrates over one interval from `low` to `high`, of which either may be infinite: tanh-sinh, exp-sinh or sinh-sinh.
///
/// # Accuracy and cost
/// The error is the difference of the last two levels, each of which halves the step, the values at which the rule is cut off, and the
/// rounding of values and places. Converges exponentially for functions that are analytic inside, whatever they do at the ends; not for
/// waves up to infinity. About 12 times two to the level evaluations.
///
/// # Errors
/// [`QuadratureError::Undefined`] where no value is finite, [`QuadratureError::Function`], [`QuadratureError::Interrupted`].
///
/// # References
/// H. Takahasi, M. Mori, "Double exponential formulas for numerical integration", Publ. RIMS 9, 1974.
pub fn double_exponential(
    f: &mut Values<'_>,
    (low, high): (f64, f64),
    (relative, absolute): (f64, f64),
    evaluations_max: u64,
    watch: &dyn Watch,
) -> Result<Integral, QuadratureError> {
    const REACH: f64 = 6.6;
    const LEVEL_MAX: u32 = 14;
    let map = match (low.is_finite(), high.is_finite()) {
        (true, true) => DoubleExponentialMap::Finite { low, high },
        (true, false) => DoubleExponentialMap::Half {
            origin: low,
            sign: 1.0,
        },
        (false, true) => DoubleExponentialMap::Half {
            origin: high,
            sign: -1.0,
        },
        (false, false) => DoubleExponentialMap::Whole,
    };
    let mut terms: Vec<(f64, f64, f64)> = Vec::new(); // parameter, place, value with its weight
    let (mut before, mut changed, mut evaluations, mut reach) = (f64::NAN, f64::NAN, 0, REACH);
    let mut ending = QuadratureEnd::Rounding;
    let (mut value, mut error, mut noise, mut size) = (0.0, f64::INFINITY, 0.0, 0.0);
    for level in 1..=LEVEL_MAX {
        let step = (-f64::from(level)).exp2();
        let count = (reach / step) as i64;
        let new = (-count..=count).filter(|k| level == 1 || k % 2 != 0);
        let places = new.map(|k| k as f64 * step).map(|t| (t, map.place(t)));
        let places = places
            .filter(|(_, (x, weight))| map.is_inside(*x) && *weight > 0.0 && weight.is_finite());
        let places: Vec<(f64, (f64, f64))> = places.collect();
        if evaluations + places.len() as u64 > evaluations_max {
            ending = QuadratureEnd::Evaluations;
            break;
        }
        let xs: Vec<f64> = places.iter().map(|(_, (x, _))| *x).collect();
        let mut ys = vec![f64::NAN; xs.len()];
        watch.check()?;
        watch.count_evaluations(xs.len() as u64)?;
        f(&xs, &mut ys)?;
        evaluations += xs.len() as u64;
        terms.extend(
            places
                .iter()
                .zip(&ys)
                .map(|((t, (x, weight)), y)| (*t, *x, y * weight)),
        );
        terms.sort_by(|a, b| a.0.total_cmp(&b.0));
        let finite: Vec<&(f64, f64, f64)> =
            terms.iter().filter(|(.., term)| term.is_finite()).collect();
        if finite.is_empty() {
            let at = xs.get(xs.len() / 2).copied().unwrap_or(low);
            return Err(QuadratureError::Undefined { at });
        }
        let sum = |of: &dyn Fn(usize) -> f64| (0..finite.len()).map(of).sum::<f64>() * step;
        value = sum(&|i| finite[i].2);
        size = sum(&|i| finite[i].2.abs());
        let slope = |i: usize| {
            let [a, b] = [
                finite[i.saturating_sub(1)],
                finite[(i + 1).min(finite.len() - 1)],
            ];
            ((b.2 - a.2) / (b.1 - a.1)).abs()
        };
        noise = sum(&|i| {
            let moved = finite[i].1.abs() * slope(i);
            f64::EPSILON * (4.0 * finite[i].2.abs() + if moved.is_finite() { moved } else { 0.0 })
        });
        // The terms fall double-exponentially: the last of each side stands for those beyond.
        let cut = [finite[0], finite[finite.len() - 1]]
            .map(|(.., term)| term.abs())
            .iter()
            .sum::<f64>();
        let change = (value - before).abs();
        // The differences fall with their square where the rule converges; where they do not, the last one may be small by chance.
        let irregular = if changed.is_nan() { 0.0 } else { 0.3 * changed };
        changed = change;
        error = change.max(irregular) + 4.0 * cut * step.max(0.25) + noise;
        if before.is_nan() {
            error = f64::INFINITY;
        }
        if level >= 4 && error <= absolute.max(relative * value.abs()) {
            ending = QuadratureEnd::Tolerance;
            break;
        }
        if level >= 7 && change.max(irregular) <= noise && 4.0 * cut <= noise {
            break;
        }
        before = value;
        // What is negligible at this level needs no smaller steps.
        let tiny = finite
            .iter()
            .filter(|(.., term)| term.abs() > f64::MIN_POSITIVE);
        reach = tiny
            .map(|(t, ..)| t.abs() + step)
            .fold(1.0, f64::max)
            .min(REACH);
    }
    Ok(Integral {
        value,
        error,
        rounding: noise,
        absolute: size,
        evaluations,
        panels: 1,
        ending,
        singular: Vec::new(),
        oscillates: false,
        bulk: (low.max(-10.0), high.min(10.0)),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_root_at_an_end() {
        let mut f = |x: &[f64], y: &mut [f64]| {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x.powf(-0.5));
            Ok(())
        };
        let found =
            super::double_exponential(&mut f, (0.0, 1.0), (1e-12, 0.0), 100_000, &crate::NoWatch)
                .unwrap();
        assert!(
            (found.value - 2.0).abs() <= found.error && found.error < 1e-10,
            "{found:?}"
        );
    }
}
