//! Peaks of a spectrum that are neither noise nor leakage of larger ones, with frequencies between the points of the grid.

use super::lobe::WindowLobe;
use super::window::WindowFunction;

/// A tone.
#[derive(Debug, Clone, PartialEq)]
pub struct SpectralPeak {
    /// Point of the grid at the peak.
    pub index: usize,
    /// Distance of the tone from the point, -0.5 to 0.5 of the spacing of the grid.
    pub offset: f64,
    /// Standard deviation of `offset` by the noise around, with the most that leakage moves it, at most 0.5; with a flat top, whose magnitudes do not tell frequencies apart,
    /// half a cycle over the samples.
    pub uncertainty: f64,
    /// Magnitude at the tone, in the unit of the spectrum.
    pub magnitude: f64,
    /// Full width at half of the power, in spacings of the grid.
    pub width: f64,
    /// Power over the mean power of the noise around.
    pub over_noise: f64,
}

/// The spectrum that is searched.
#[derive(Debug, Clone, Copy)]
pub struct PeakSearch<'a> {
    /// Magnitudes over the grid.
    pub magnitudes: &'a [f64],
    /// Weights that the samples had.
    pub window: WindowFunction,
    /// Samples under the window; the grid has one point per `points / samples` of a cycle over them.
    pub samples: usize,
    /// Points of the transform.
    pub points: usize,
    /// Whether the grid ends where it begins, as two-sided spectra do; else it begins at frequency 0.
    pub is_circular: bool,
}

/// Chance that white noise alone has any peak that is named.
pub const FALSE_ALARM: f64 = 1e-3;

/// Points on each side of a peak whose median power is the noise.
const AROUND: usize = 100;

/// Median power of blocks.
struct NoiseFloors {
    size: usize,
    levels: Vec<f64>,
}

impl NoiseFloors {
    /// The least of the block of a point and of its neighbours, around the ends too.
    fn around(&self, k: usize) -> f64 {
        let (count, at) = (self.levels.len(), k / self.size);
        let beside = [(at + count - 1) % count, at, (at + 1) % count];
        beside
            .iter()
            .fold(f64::INFINITY, |least, &block| least.min(self.levels[block]))
    }
}

impl PeakSearch<'_> {
    /// The `most` largest peaks, by magnitude.
    ///
    /// # Method
    /// A local maximum counts when its power exceeds the noise around (the median power of up to 200 points, over log 2) so far that white
    /// noise has any such peak with probability [`FALSE_ALARM`] only, and when it is more than twice what the larger peaks and the mean
    /// leak there. Its frequency is the one whose window transform has the same ratio of the two largest points.
    ///
    /// # References
    /// T. Grandke, "Interpolation algorithms for discrete Fourier transforms of weighted signals", IEEE Trans. Instrum. Meas. 32, 1983.
    pub fn peaks(&self, most: usize) -> Vec<SpectralPeak> {
        let n = self.magnitudes.len();
        if n < 3 || most == 0 {
            return Vec::new();
        }
        let kernel = WindowLobe::new(self.window, self.samples, self.points);
        let independent = (n as f64 / kernel.stretch).max(1.0);
        let threshold = libm::log(independent / FALSE_ALARM);
        let floors = self.floors(&kernel);
        // A quarter of the threshold is left for the differences between blocks and what lies around a maximum.
        let stands_out =
            |k: usize| self.magnitudes[k].powi(2) > 0.25 * threshold * floors.around(k);
        let mut maxima: Vec<usize> = (0..n)
            .filter(|&k| self.is_maximum(k) && stands_out(k))
            .collect();
        maxima.sort_by(|&a, &b| {
            self.magnitudes[b]
                .total_cmp(&self.magnitudes[a])
                .then(a.cmp(&b))
        });
        let mut louder: Vec<(usize, f64)> = Vec::new();
        if !self.is_circular {
            // Magnitudes of other frequencies count their negative ones.
            louder.push((0, 2.0 * self.magnitudes[0]));
        }
        let mut peaks = Vec::new();
        let largest = maxima.first().map_or(0.0, |&k| self.magnitudes[k]);
        for k in maxima {
            // As much as rounding leaves of a transform.
            if peaks.len() >= most || self.magnitudes[k] <= largest * 1e-14 {
                break;
            }
            let power = self.magnitudes[k].powi(2);
            let leaked: f64 = louder
                .iter()
                .map(|&(at, magnitude)| magnitude * self.leak(k, at, &kernel))
                .sum();
            if self.magnitudes[k] <= 2.0 * leaked {
                continue;
            }
            let noise = self.noise(k, &kernel);
            if power <= threshold * noise {
                continue;
            }
            louder.push((k, self.magnitudes[k]));
            let own = self.magnitudes[k] * self.image(k, k, &kernel);
            peaks.push(self.peak(k, noise, leaked + own, &kernel));
        }
        peaks
    }

    /// The most that a tone of magnitude 1 at `at` leaks to `k`, its negative frequency included.
    fn leak(&self, k: usize, at: usize, kernel: &WindowLobe) -> f64 {
        kernel.leak(self.distance(k, at)) + self.image(k, at, kernel)
    }

    /// What its negative frequency leaks there.
    fn image(&self, k: usize, at: usize, kernel: &WindowLobe) -> f64 {
        let has_none = self.is_circular || at == 0 || 2 * at == self.points;
        if has_none {
            return 0.0;
        }
        let around = k + at;
        kernel.leak(around.min(self.points - around.min(self.points)) as f64)
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        let straight = a.abs_diff(b);
        let n = self.magnitudes.len();
        if self.is_circular {
            straight.min(n - straight) as f64
        } else {
            straight as f64
        }
    }

    /// The magnitude at a point that may lie beyond the ends: spectra of real samples are mirrored there.
    fn at(&self, k: isize) -> f64 {
        let n = self.magnitudes.len() as isize;
        let place = if self.is_circular {
            k.rem_euclid(n)
        } else if k < 0 {
            -k
        } else if k >= n && self.points.is_multiple_of(2) {
            2 * (n - 1) - k
        } else if k >= n {
            2 * n - 1 - k
        } else {
            k
        };
        self.magnitudes[place.clamp(0, n - 1) as usize]
    }

    fn is_maximum(&self, k: usize) -> bool {
        let value = self.magnitudes[k];
        let at_zero = k == 0 && !self.is_circular;
        !at_zero && value > self.at(k as isize - 1) && value >= self.at(k as isize + 1)
    }

    /// Levels of noise block by block, a quick lower bound of [`Self::noise`].
    fn floors(&self, kernel: &WindowLobe) -> NoiseFloors {
        let n = self.magnitudes.len();
        let size = ((AROUND as f64 * kernel.stretch).ceil() as usize).clamp(1, n);
        if n <= 4 * size {
            // So few points have no level but that around each.
            return NoiseFloors {
                size: n,
                levels: vec![0.0],
            };
        }
        let median = |block: &[f64]| {
            let mut powers: Vec<f64> = block.iter().map(|value| value * value).collect();
            let middle = (powers.len() - 1) / 2;
            *powers.select_nth_unstable_by(middle, f64::total_cmp).1
        };
        NoiseFloors {
            size,
            levels: self.magnitudes.chunks(size).map(median).collect(),
        }
    }

    /// Mean power of the noise around a peak.
    fn noise(&self, k: usize, kernel: &WindowLobe) -> f64 {
        const BESIDE: f64 = 4.0;
        let n = self.magnitudes.len();
        let near = (BESIDE * kernel.stretch).ceil() as usize;
        let far = near + (AROUND as f64 * kernel.stretch).ceil() as usize;
        let mut around: Vec<f64> = if self.is_circular {
            let far = far.min(n / 2);
            let both = |d: usize| [(k + d) % n, (k + n - d) % n];
            (near..=far)
                .flat_map(both)
                .map(|at| self.magnitudes[at].powi(2))
                .collect()
        } else {
            let below = k.saturating_sub(far)..k.saturating_sub(near);
            let above = (k + near + 1).min(n)..(k + far + 1).min(n);
            below
                .chain(above)
                .map(|at| self.magnitudes[at].powi(2))
                .collect()
        };
        if around.is_empty() {
            return 0.0;
        }
        let middle = around.len() / 2;
        let (_, median, _) = around.select_nth_unstable_by(middle, f64::total_cmp);
        *median / std::f64::consts::LN_2
    }

    fn peak(&self, k: usize, noise: f64, leaked: f64, kernel: &WindowLobe) -> SpectralPeak {
        let middle = self.magnitudes[k];
        let (left, right) = (self.at(k as isize - 1), self.at(k as isize + 1));
        let (larger, sign) = if right >= left {
            (right, 1.0)
        } else {
            (left, -1.0)
        };
        let last = self.magnitudes.len() - 1;
        let is_end = !self.is_circular && k == last && self.points.is_multiple_of(2);
        let over_noise = middle * middle / noise;
        let ratio = larger / middle;
        let (offset, uncertainty) = if kernel.is_flat() {
            (0.0, 0.5 * kernel.stretch)
        } else if is_end {
            (0.0, 0.5)
        } else {
            let offset = kernel.offset(ratio);
            let relative = (over_noise.recip(), leaked / middle);
            (offset, kernel.uncertainty(ratio, offset, relative))
        };
        SpectralPeak {
            index: k,
            offset: sign * offset,
            uncertainty,
            magnitude: middle / kernel.at(offset),
            width: self.width(k),
            over_noise,
        }
    }

    /// Distance between the points on both sides where the power, interpolated, falls to half.
    fn width(&self, k: usize) -> f64 {
        let half = self.magnitudes[k].powi(2) / 2.0;
        let side = |sign: isize| {
            let power = |d: isize| self.at(k as isize + sign * d).powi(2);
            let last = self.magnitudes.len() as isize;
            let Some(beyond) = (1..last).find(|&d| power(d) <= half) else {
                return last as f64;
            };
            let (before, after) = (power(beyond - 1), power(beyond));
            (beyond - 1) as f64 + (before - half) / (before - after)
        };
        side(1) + side(-1)
    }
}
