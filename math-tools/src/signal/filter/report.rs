//! What is said of a filter: stability, gains, delays, a picture.

use numerics::signal::filter::{is_stable, pole_radius};

use super::given::{EdgeTreatment, FilterRequest};
use super::{Args, FilterDesign, Output, PassbandKind};
use crate::prelude::*;
use crate::signal::fft::plot::plot_line;

/// Beyond this many coefficients the radius of the poles is not searched.
const SEARCHED_MAX: usize = 200;

pub(super) fn filter_output(
    args: &Args,
    given: FilterRequest,
    filtered: Vec<f64>,
    spread: EdgeTreatment,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let stages: Vec<&[f64]> = given.cascade.denominators().collect();
    for stage in &stages {
        ctx.afford(10.0 * (stage.len() as f64).powi(2))?;
    }
    let stable = stages.iter().all(|stage| is_stable(stage));
    let radius = stages
        .iter()
        .filter(|stage| stage.len() <= SEARCHED_MAX)
        .map(|stage| pole_radius(stage))
        .fold(0.0, f64::max);
    if !stable {
        ctx.warn("the filter is unstable or nearly: a pole lies on or outside the unit circle");
    }
    let passes = if args.zero_phase { 2.0 } else { 1.0 };
    let decibels =
        |frequency: f64| passes * 20.0 * libm::log10(given.cascade.response(frequency).norm());
    let gains: Option<Vec<f64>> = given
        .band
        .as_ref()
        .map(|(frequencies, _)| frequencies.iter().map(|&f| decibels(f)).collect());
    warn_of_rounding(args, gains.as_deref(), passes, ctx);
    let delay = given
        .band
        .as_ref()
        .filter(|_| !args.zero_phase)
        .map(|(cutoffs, kind)| {
            let all = passband_frequencies(cutoffs, *kind);
            all.map(|f| given.cascade.group_delay(f))
                .fold(f64::NEG_INFINITY, f64::max)
        });
    let plot = args.plot.then(|| {
        let rate = args.rate.map_or(1.0, Positive::get);
        let unit = if args.rate.is_some() {
            "Hz"
        } else {
            "cycles per sample"
        };
        plot_response(rate, unit, &decibels, ctx)
    });
    let (padding, state) = match spread {
        EdgeTreatment::Padding(padding) => (Some(padding), None),
        EdgeTreatment::State(state) => (None, Some(state)),
    };
    Ok(Output {
        filtered,
        stable,
        pole_radius: radius,
        settling: Real(settling_samples(radius, &stages)),
        gain_at_cutoff_db: gains.map(|gains| gains.into_iter().map(Real).collect()),
        group_delay: delay,
        padding,
        state,
        plot: plot.transpose()?,
        sos: given.sections,
    })
}

/// Samples until an impulse has faded to a millionth.
fn settling_samples(radius: f64, stages: &[&[f64]]) -> f64 {
    if radius == 0.0 {
        return stages.iter().map(|stage| stage.len() - 1).sum::<usize>() as f64;
    }
    if radius >= 1.0 {
        return f64::INFINITY;
    }
    (libm::log(1e-6) / libm::log(radius)).ceil()
}

/// A design whose gain at the cutoff is not what it is defined to be has lost its digits to the rounding of its coefficients.
fn warn_of_rounding(args: &Args, gains: Option<&[f64]>, passes: f64, ctx: &Ctx) {
    const OFF: f64 = 1e-3;
    let defined = match args.design.unwrap_or_default() {
        FilterDesign::Butterworth => -10.0 * std::f64::consts::LOG10_2,
        FilterDesign::Chebyshev1 => -args.ripple.map_or(1.0, Positive::get),
        FilterDesign::Chebyshev2 => -args.ripple.map_or(40.0, Positive::get),
    };
    let off = |gain: &&f64| {
        (**gain - passes * defined).abs().is_nan() || (**gain - passes * defined).abs() > OFF
    };
    if let Some(gain) = gains.into_iter().flatten().find(off) {
        ctx.warn(format!(
            "the gain at the cutoff is {gain:.3} dB and should be {:.3} dB: so near to the ends of the band its coefficients lack digits; \
             filter fewer samples per second",
            passes * defined
        ));
    }
}

/// Frequencies within the band that passes.
fn passband_frequencies(cutoffs: &[f64], kind: PassbandKind) -> impl Iterator<Item = f64> {
    const COUNT: usize = 200;
    let (from, to) = match (kind, cutoffs) {
        (PassbandKind::Lowpass, [to]) => (0.0, *to),
        (PassbandKind::Highpass, [from]) => (*from, 0.5),
        (PassbandKind::Bandpass, [from, to]) => (*from, *to),
        (_, [from, ..]) => (0.0, *from),
        _ => (0.0, 0.5),
    };
    (0..=COUNT).map(move |k| from + (to - from) * k as f64 / COUNT as f64)
}

/// The gain over the frequency, cut at -120 dB.
fn plot_response(
    rate: f64,
    unit: &str,
    decibels: &impl Fn(f64) -> f64,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    const COUNT: usize = 400;
    const FLOOR: f64 = -120.0;
    let frequencies = (0..=COUNT).map(|k| 0.5 * k as f64 / COUNT as f64);
    let (x, y): (Vec<f64>, Vec<f64>) = frequencies
        .map(|f| (f * rate, decibels(f)))
        .filter(|(_, gain)| !gain.is_nan())
        .map(|(f, gain)| (f, gain.clamp(FLOOR, -FLOOR)))
        .unzip();
    if x.is_empty() {
        return Ok(String::new());
    }
    plot_line(x, y, "gain, dB", unit, ctx)
}
