//! Power spectra.

use numerics::signal::peaks::PeakSearch;
use numerics::signal::spectrum::{SpectrumScaling, WelchMethod};
use numerics::signal::transform::{bin_frequencies, transform_cost};

use super::given::{FftRequest, FftSamples};
use super::tones::find_tones;
use super::transforms::half_width;
use super::{Args, Output, ScalingName, Sides};
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Welch's method.
pub(super) fn power_spectrum(
    args: &Args,
    given: FftRequest,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    const SEGMENT: usize = 256;
    let FftSamples::Real(samples) = given.samples else {
        refuse!(invalid "/data"; "power is of real samples in a list"; "pass one list");
    };
    let count = samples.len();
    let segment = args.segment.map_or(SEGMENT.min(count), Count::size);
    if segment > count {
        refuse!(invalid "/segment"; "a segment of {segment} samples is longer than `data` with {count}"; "pass at most the number of samples");
    }
    let overlap = args.overlap.map_or(segment / 2, BoundedInteger::size);
    if overlap >= segment {
        refuse!(invalid "/overlap"; "expected fewer samples than the {segment} of a segment, found {overlap}"; "the usual overlap is half a segment");
    }
    let points = args.n.map_or(segment, BoundedInteger::size);
    if points < segment {
        refuse!(invalid "/n"; "{points} points are fewer than the {segment} samples of a segment"; "pass `segment` too, or leave `n` out");
    }
    ctx.reserve_doubles(points.saturating_mul(8))?;
    let segments = (count - segment) / (segment - overlap) + 1;
    ctx.afford(transform_cost(points))?;
    // Segments are stopped between; their sum may still take longer than any deadline.
    ctx.afford(2.0 * segments as f64 * points as f64)?;
    let scaling = match args.scaling.unwrap_or_default() {
        ScalingName::Density => SpectrumScaling::Density,
        ScalingName::Spectrum => SpectrumScaling::Spectrum,
    };
    let welch = WelchMethod {
        segment,
        overlap,
        points,
        window: given.window,
        trend: given.trend,
        scaling,
        rate: given.rate,
    };
    let watch = CallWatch(ctx);
    let found = welch
        .run(&samples, &watch)
        .map_err(|interruption| watch.interruption_error(interruption))?;
    if found.power.iter().any(|power| !power.is_finite()) {
        refuse!(numeric "/data", "overflow"; "a power is larger than any double"; "scale `data`");
    }
    let weights = given.window.weights(segment);
    let sum: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    // Amplitudes: power over A^2 / 2.
    let unit = match scaling {
        SpectrumScaling::Spectrum => 2.0,
        SpectrumScaling::Density => 2.0 * given.rate * squares / (sum * sum),
    };
    let magnitudes: Vec<f64> = found
        .power
        .iter()
        .map(|power| (power * unit).sqrt())
        .collect();
    let search = PeakSearch {
        magnitudes: &magnitudes,
        window: given.window,
        samples: segment,
        points,
        is_circular: false,
    };
    let is_two_sided = given.sides == Sides::Two;
    let power = match is_two_sided {
        true => two_sided(&found.power, points),
        false => found.power,
    };
    Ok(Output {
        peaks: find_tones(&search, args.peaks, given.rate),
        n: points,
        window: given.window_name,
        resolution: Some(half_width(given.window, segment) * given.rate),
        frequencies: Some(bin_frequencies(points, given.rate, is_two_sided)),
        segments: Some(found.segments),
        power: Some(power),
        ..Output::default()
    })
}

/// The power of positive and negative frequencies, which have half of their sum each.
fn two_sided(power: &[f64], points: usize) -> Vec<f64> {
    let of = |k: usize| match k == 0 || 2 * k == points {
        true => power[k],
        false => 0.5 * power[k],
    };
    (0..points).map(|k| of(k.min(points - k))).collect()
}
