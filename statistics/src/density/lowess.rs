//! Locally weighted regression: W. S. Cleveland, "Robust locally weighted regression and smoothing scatterplots", J. Am. Stat. Assoc. 74, 1979.

/// Why there is no smooth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LowessError {
    /// Fewer than 3 pairs.
    #[error("a smooth needs 3 pairs, found {0}")]
    TooFew(usize),
    /// The share of the pairs gives a line fewer than 2 of them.
    #[error("the share of the pairs is {0} of them, and a line needs 2")]
    TooNarrow(usize),
    /// The caller said so.
    #[error("stopped")]
    Stopped,
}

/// How a smooth is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LowessOptions {
    /// Share of the pairs in each line, above 0, at most 1.
    pub share: f64,
    /// Fits after the first, with weights by the residuals.
    pub robust_iterations: usize,
    /// Distance along x within which places are interpolated instead of fitted; 0 fits all.
    pub delta: f64,
}

/// The smooth at each x. `x` is ascending, of the length of `y`; the answers are those of the routine of Cleveland that R and statsmodels have.
pub fn lowess(
    x: &[f64],
    y: &[f64],
    options: LowessOptions,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<f64>, LowessError> {
    let n = x.len();
    if n < 3 {
        return Err(LowessError::TooFew(n));
    }
    let neighbours = ((options.share * n as f64 + 1e-10) as usize).min(n);
    if neighbours < 2 {
        return Err(LowessError::TooNarrow(neighbours));
    }
    let mut smooth = Smooth {
        x,
        y,
        neighbours,
        robust: vec![1.0; n],
        fitted: vec![0.0; n],
    };
    for round in 0..=options.robust_iterations {
        smooth.pass(options.delta, is_stopped)?;
        if round < options.robust_iterations && !smooth.weigh_residuals() {
            break;
        }
    }
    Ok(smooth.fitted)
}

/// A smooth under work.
struct Smooth<'a> {
    x: &'a [f64],
    y: &'a [f64],
    neighbours: usize,
    robust: Vec<f64>,
    fitted: Vec<f64>,
}

impl Smooth<'_> {
    fn pass(&mut self, delta: f64, is_stopped: &dyn Fn() -> bool) -> Result<(), LowessError> {
        let n = self.x.len();
        let (mut left, mut last, mut i) = (0, None::<usize>, 0);
        loop {
            if is_stopped() {
                return Err(LowessError::Stopped);
            }
            while left + self.neighbours < n
                && self.x[i] > 0.5 * (self.x[left] + self.x[left + self.neighbours])
            {
                left += 1;
            }
            self.fitted[i] = self.line_at(i, left);
            if let Some(last) = last {
                self.interpolate(last, i);
            }
            let mut next = i;
            let cut = self.x[i] + delta;
            let mut k = i + 1;
            while k < n && self.x[k] <= cut {
                if self.x[k] == self.x[i] {
                    self.fitted[k] = self.fitted[i];
                    next = k;
                }
                k += 1;
            }
            let done = next;
            if done >= n - 1 {
                return Ok(());
            }
            i = (done + 1).max(k - 1);
            last = Some(done);
        }
    }

    /// The line through the neighbours of a place, weighted by distance and residual.
    fn line_at(&self, i: usize, left: usize) -> f64 {
        let at = self.x[i];
        let right = left + self.neighbours - 1;
        let radius = (at - self.x[left]).max(self.x[right] - at);
        // Ties of the farthest neighbour count too.
        let mut end = right + 1;
        while end < self.x.len() && self.x[end] - at <= radius {
            end += 1;
        }
        let weight = |j: usize| {
            let distance = (self.x[j] - at).abs();
            let weight = match distance {
                d if d >= 0.999 * radius => 0.0,
                d if d > 0.001 * radius => (1.0 - (d / radius).powi(3)).powi(3),
                _ => 1.0,
            };
            self.robust[j] * weight
        };
        let mut weights: Vec<f64> = (left..end).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            return self.y[i];
        }
        weights.iter_mut().for_each(|w| *w /= sum);
        let of = |f: &dyn Fn(usize) -> f64| {
            weights
                .iter()
                .enumerate()
                .map(|(k, w)| w * f(left + k))
                .sum::<f64>()
        };
        let mean = of(&|j| self.x[j]);
        let spread = of(&|j| (self.x[j] - mean).powi(2));
        let range = self.x[self.x.len() - 1] - self.x[0];
        let tilt = match spread.sqrt() > 0.001 * range {
            true => (at - mean) / spread,
            false => 0.0,
        };
        of(&|j| self.y[j] * (1.0 + tilt * (self.x[j] - mean)))
    }

    fn interpolate(&mut self, from: usize, to: usize) {
        let width = self.x[to] - self.x[from];
        for k in from + 1..to {
            let share = (self.x[k] - self.x[from]) / width;
            self.fitted[k] = share * self.fitted[to] + (1.0 - share) * self.fitted[from];
        }
    }

    /// Weights by the residuals for the next pass; false where the fit is exact.
    fn weigh_residuals(&mut self) -> bool {
        let residual = |(y, f): (&f64, &f64)| (y - f).abs();
        let residuals: Vec<f64> = self.y.iter().zip(&self.fitted).map(residual).collect();
        let mut sorted = residuals.clone();
        sorted.sort_by(f64::total_cmp);
        let scale = 6.0 * crate::summary::median_of(&sorted);
        let mean = residuals.iter().sum::<f64>() / residuals.len() as f64;
        if scale <= 1e-7 * mean || scale == 0.0 {
            return false;
        }
        let weight = |r: &f64| match r / scale {
            u if u <= 0.001 => 1.0,
            u if u >= 0.999 => 0.0,
            u => (1.0 - u * u).powi(2),
        };
        self.robust = residuals.iter().map(weight).collect();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> (Vec<f64>, Vec<f64>) {
        let mut x: Vec<f64> = (0..20)
            .map(|k| f64::from(k) + 0.3 * f64::from((k * 3) % 5))
            .collect();
        x.sort_by(f64::total_cmp);
        let mut y: Vec<f64> = (0..20)
            .map(|k| f64::from((k * 13) % 17) / 3.0 + 0.2 * f64::from(k))
            .collect();
        y[7] = 40.0;
        (x, y)
    }

    fn check(share: f64, robust_iterations: usize, delta: f64, expected: &[f64]) {
        let (x, y) = data();
        let options = LowessOptions {
            share,
            robust_iterations,
            delta,
        };
        let found = lowess(&x, &y, options, &|| false).unwrap();
        for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "{place}: {found} {expected}"
            );
        }
    }

    /// By statsmodels 0.15, `lowess(y, x, frac, it, delta)`.
    #[test]
    fn smooths_agree_with_statsmodels() {
        check(
            0.5,
            3,
            0.0,
            &[
                1.4554179549200894,
                2.353269455414014,
                2.5465191515273617,
                3.441223271208267,
                3.5219571542655355,
                3.5545096249380808,
                4.043041013110431,
                4.223942566782178,
                4.710722742090909,
                4.686479960497271,
                4.6835251551706785,
                5.276379892917129,
                5.41360192544068,
                5.473796887264139,
                5.468234602393117,
                5.493203348432486,
                5.980961848857021,
                6.05740936593295,
                6.385856949319042,
                6.467204767918375,
            ],
        );
        check(
            0.4,
            0,
            0.0,
            &[
                1.4357379376735118,
                2.440000026523006,
                2.661610353114,
                4.911916744746437,
                6.909909063462492,
                7.882798234030922,
                16.986196127158895,
                16.678983285345183,
                10.232046234985201,
                9.077930300923219,
                7.391207529377586,
                4.713551780306756,
                4.847196493823213,
                5.682102715924573,
                5.552945332168576,
                5.664963447098658,
                5.777369639270862,
                5.883465240541236,
                6.360589660269328,
                6.517612776162034,
            ],
        );
        check(
            0.5,
            3,
            2.0,
            &[
                1.4556965092426406,
                2.3527745109050806,
                2.5458809919757024,
                3.440028297709171,
                3.4966468048356916,
                3.5532653119622117,
                4.042580228009852,
                4.223658863701806,
                4.7112869431646756,
                4.697711158828129,
                4.684135374491582,
                5.276859293891971,
                5.414015215205496,
                5.474083054799395,
                5.483780356873195,
                5.493477658946996,
                5.9811144094035775,
                6.057538127825551,
                6.38585824005076,
                6.467176238161608,
            ],
        );
    }

    #[test]
    fn a_line_is_its_own_smooth() {
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 3.0 - 0.5 * x).collect();
        let options = LowessOptions {
            share: 0.6,
            robust_iterations: 3,
            delta: 0.0,
        };
        let found = lowess(&x, &y, options, &|| false).unwrap();
        assert!(found.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-13));
        assert_eq!(
            lowess(&x[..2], &y[..2], options, &|| false),
            Err(LowessError::TooFew(2))
        );
    }
}
