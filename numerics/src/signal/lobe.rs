//! The transform of a window: what a tone looks like in a spectrum.

use super::window::WindowFunction;
use super::{Complex64, transform};

/// Full width at half of the power of the peak of a tone under these weights, in cycles per sample.
pub fn half_width(weights: &[f64]) -> f64 {
    let n = weights.len();
    let kernel = WindowLobe {
        sum: weights.iter().sum(),
        weights: weights.to_vec(),
        envelope: Vec::new(),
        stretch: 1.0,
    };
    // Beyond the first zero of any window here; its width grows with a Kaiser window's shape.
    let (mut low, mut high) = (0.0, n as f64 / 2.0);
    let mut step = 0.25;
    while low + step < high {
        if kernel.at(low + step) <= std::f64::consts::FRAC_1_SQRT_2 {
            high = low + step;
        } else {
            low += step;
            step *= 1.25;
        }
    }
    for _ in 0..45 {
        let middle = 0.5 * (low + high);
        if kernel.at(middle) > std::f64::consts::FRAC_1_SQRT_2 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / n as f64
}

/// The magnitude of the window's transform over its value at 0.
pub(super) struct WindowLobe {
    weights: Vec<f64>,
    sum: f64,
    /// The most from a distance outward, at multiples of `1 / FINE` of a cycle over the samples.
    envelope: Vec<f64>,
    /// Points of the grid per cycle over the samples.
    pub(super) stretch: f64,
}

impl WindowLobe {
    const FINE: usize = 16;
    /// A window of this many samples has the shape of a longer one to 1e-6.
    const SAMPLES_MAX: usize = 2048;

    pub(super) fn new(window: WindowFunction, samples: usize, points: usize) -> Self {
        let n = samples.clamp(1, Self::SAMPLES_MAX);
        let weights = window.weights(n);
        let sum: f64 = weights.iter().sum();
        let mut padded = weights.clone();
        padded.resize(n * Self::FINE, 0.0);
        let values = transform::transform_real(&padded);
        let mut envelope: Vec<f64> = values.iter().map(|value| value.norm() / sum).collect();
        for index in (0..envelope.len() - 1).rev() {
            envelope[index] = envelope[index].max(envelope[index + 1]);
        }
        Self {
            weights,
            sum,
            envelope,
            stretch: points as f64 / samples.max(1) as f64,
        }
    }

    /// The value at a distance in points of the grid.
    pub(super) fn at(&self, distance: f64) -> f64 {
        let angle = std::f64::consts::TAU * distance / self.stretch / self.weights.len() as f64;
        let turn = Complex64::new(libm::cos(angle), libm::sin(angle));
        let mut phase = Complex64::new(1.0, 0.0);
        let mut sum = Complex64::default();
        for weight in &self.weights {
            sum += phase * weight;
            phase *= turn;
        }
        sum.norm() / self.sum
    }

    /// The most that a tone of magnitude 1 leaks to a distance in points of the grid.
    pub(super) fn leak(&self, distance: f64) -> f64 {
        let place = (distance - 0.5).max(0.0) / self.stretch * Self::FINE as f64;
        let last = self.envelope.len() - 1;
        self.envelope[(place as usize).min(last)]
    }

    /// The larger neighbour of the point nearest to a tone, over that point, for a tone at an offset from 0 to 0.5; rises.
    pub(super) fn ratio(&self, offset: f64) -> f64 {
        self.at(1.0 - offset) / self.at(offset)
    }

    /// The offset of a tone, 0 to 0.5, from that ratio.
    pub(super) fn offset(&self, ratio: f64) -> f64 {
        const HALVINGS: usize = 45;
        let (mut low, mut high) = (0.0, 0.5);
        if ratio <= self.ratio(0.0) {
            return 0.0;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.ratio(middle) < ratio {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// Whether magnitudes hardly tell frequencies apart, as with a flat top.
    pub(super) fn is_flat(&self) -> bool {
        self.at(self.stretch) > 0.9
    }

    /// Standard deviation of an offset to first order when the noise has this power over that of the point; and what leaks there, of this
    /// magnitude over that of the point, moves it as far as it can.
    pub(super) fn uncertainty(&self, ratio: f64, offset: f64, (noise, leaked): (f64, f64)) -> f64 {
        const H: f64 = 1e-3;
        let (low, high) = ((offset - H).max(0.0), (offset + H).min(0.5));
        let slope = (self.ratio(high) - self.ratio(low)) / (high - low);
        // The component of the noise along the tone has half of its power.
        let by_noise = noise / 2.0 * (1.0 + ratio * ratio);
        let of_ratio = (by_noise + (leaked * (1.0 + ratio)).powi(2)).sqrt();
        let deviation = of_ratio / slope;
        if deviation.is_finite() {
            deviation.clamp(0.0, 0.5)
        } else {
            0.5
        }
    }
}
