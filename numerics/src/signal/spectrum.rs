//! Power spectra by Welch's method, and the trend taken off before.

use super::transform::RealTransform;
use super::window::WindowFunction;
use crate::watch::{Interruption, Watch};

/// What is subtracted from samples before a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrendRemoval {
    /// Nothing.
    None,
    /// Their mean.
    Constant,
    /// The straight line of least squares.
    Linear,
}

/// Subtracts the trend.
pub fn subtract_trend(samples: &mut [f64], trend: TrendRemoval) {
    let n = samples.len() as f64;
    if trend == TrendRemoval::None || samples.is_empty() {
        return;
    }
    let mean = samples.iter().map(|x| x / n).sum::<f64>();
    samples.iter_mut().for_each(|x| *x -= mean);
    // What rounding left of the mean.
    let rest = samples.iter().sum::<f64>() / n;
    samples.iter_mut().for_each(|x| *x -= rest);
    if trend == TrendRemoval::Constant || samples.len() < 2 {
        return;
    }
    let middle = (n - 1.0) / 2.0;
    let moment: f64 = (0..samples.len())
        .map(|j| (j as f64 - middle) * samples[j])
        .sum();
    let slope = moment / (n * (n * n - 1.0) / 12.0);
    for (j, x) in samples.iter_mut().enumerate() {
        *x -= slope * (j as f64 - middle);
    }
}

/// Unit of a power spectrum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpectrumScaling {
    /// Power per unit of frequency: the sum times the resolution is the mean square of the samples.
    Density,
    /// Power: a sine of amplitude A on the grid has A^2 / 2 at its frequency.
    Spectrum,
}

/// How a power spectrum is estimated.
#[derive(Debug, Clone)]
pub struct WelchMethod {
    /// Samples of a segment, from 1 to all.
    pub segment: usize,
    /// Samples that neighbouring segments share, fewer than `segment`.
    pub overlap: usize,
    /// Points of each transform, at least `segment`: zeros are appended.
    pub points: usize,
    /// Weights in a segment.
    pub window: WindowFunction,
    /// What is taken off each segment.
    pub trend: TrendRemoval,
    /// The unit.
    pub scaling: SpectrumScaling,
    /// Samples per unit of time.
    pub rate: f64,
}

/// A one-sided power spectrum: frequencies `k rate / points` for k from 0 to `points / 2`.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerSpectrum {
    /// Power or power density at each frequency.
    pub power: Vec<f64>,
    /// Segments averaged.
    pub segments: usize,
}

impl WelchMethod {
    /// Averages the squared transforms of overlapping segments; samples after the last whole segment are left out.
    ///
    /// The caller is asked before each segment.
    ///
    /// # Errors
    /// [`Interruption::Stopped`].
    ///
    /// # References
    /// P. D. Welch, "The use of fast Fourier transform for the estimation of power spectra", IEEE Trans. Audio Electroacoust. 15, 1967.
    ///
    /// # Panics
    /// When `segment` is 0, more than there are samples or more than `points`, or `overlap` not below it.
    pub fn run(&self, samples: &[f64], watch: &dyn Watch) -> Result<PowerSpectrum, Interruption> {
        let (segment, step) = (self.segment, self.segment - self.overlap);
        assert!(segment > 0 && segment <= samples.len() && segment <= self.points && step > 0);
        let weights = self.window.weights(segment);
        let unit = match self.scaling {
            SpectrumScaling::Density => self.rate * weights.iter().map(|w| w * w).sum::<f64>(),
            SpectrumScaling::Spectrum => weights.iter().sum::<f64>().powi(2),
        };
        let mut transform = RealTransform::new(self.points);
        let mut power = vec![0.0; self.points / 2 + 1];
        let segments = (samples.len() - segment) / step + 1;
        let mut buffer = vec![0.0; self.points];
        for start in (0..segments).map(|index| index * step) {
            watch.check()?;
            buffer[..segment].copy_from_slice(&samples[start..start + segment]);
            subtract_trend(&mut buffer[..segment], self.trend);
            let pairs = buffer.iter_mut().zip(&weights);
            pairs.for_each(|(x, weight)| *x *= weight);
            buffer[segment..].fill(0.0);
            for (sum, value) in power.iter_mut().zip(transform.run(&mut buffer)) {
                *sum += value.norm_sqr();
            }
        }
        let last = power.len() - 1;
        for (k, value) in power.iter_mut().enumerate() {
            // The negative frequencies, which 0 and half the rate have not.
            let both = if k == 0 || (k == last && self.points.is_multiple_of(2)) {
                1.0
            } else {
                2.0
            };
            *value *= both / (unit * segments as f64);
        }
        Ok(PowerSpectrum { power, segments })
    }
}
