//! [`SpectralTone`]: a peak of a spectrum in the units of the caller.

use numerics::signal::peaks::PeakSearch;

use crate::prelude::*;

/// A tone.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct SpectralTone {
    /// Its frequency, between the points of the transform.
    pub frequency: f64,
    /// Standard deviation of the frequency by the noise around, with the most that leakage moves it.
    pub uncertainty: f64,
    /// Amplitude of the sine, in the unit of the data.
    pub amplitude: f64,
    /// Full width of the peak at half of its power, in the unit of the frequency.
    pub width: f64,
    /// Decibels of the peak above the noise around.
    pub above_noise_db: Real,
}

/// The tones of a spectrum of amplitudes.
pub(super) fn find_tones(
    search: &PeakSearch<'_>,
    most: Option<BoundedInteger<0, 1000>>,
    rate: f64,
) -> Vec<SpectralTone> {
    const USUAL: usize = 5;
    /// What rounding leaves of an offset.
    const ROUNDING: f64 = 1e-13;
    let spacing = rate / search.points as f64;
    let most = most.map_or(USUAL, BoundedInteger::size);
    let tone = |peak: numerics::signal::peaks::SpectralPeak| {
        let mut place = peak.index as f64 + peak.offset;
        if search.is_circular && place >= search.points as f64 / 2.0 {
            place -= search.points as f64;
        }
        let frequency = place * spacing;
        SpectralTone {
            frequency,
            uncertainty: (peak.uncertainty.max(ROUNDING) * spacing)
                .max(frequency.abs() * f64::EPSILON),
            amplitude: peak.magnitude,
            width: peak.width * spacing,
            above_noise_db: Real(10.0 * libm::log10(peak.over_noise)),
        }
    };
    let mut tones: Vec<SpectralTone> = search.peaks(most).into_iter().map(tone).collect();
    tones.sort_by(|a, b| b.amplitude.total_cmp(&a.amplitude));
    tones
}
