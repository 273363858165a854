//! `filter_signal`: recursive filters, designed or given.

mod given;
mod report;
#[cfg(test)]
mod tests;

use self::given::{CutoffFrequencies, EdgeTreatment, FilterRequest};
use crate::prelude::*;

/// Filter samples. Designs a low, high, band pass or band stop filter (Butterworth, Chebyshev), or takes `sos` or `b`, `a`.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Equally spaced samples.
    #[schema(extend("x-shape" = ["m"]))]
    pub data: Input<Vector>,
    /// Frequency where the band ends, or `[low, high]`; above 0, below half of `rate`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub cutoff: Option<CutoffFrequencies>,
    /// Samples per second, which makes `cutoff` hertz; absent: 1, cycles per sample.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub rate: Option<Positive>,
    /// What passes: `lowpass`, `highpass`, `bandpass` or `bandstop`; absent: `lowpass`, of two frequencies `bandpass`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub kind: Option<PassbandKind>,
    /// Order of the design; bands between two frequencies have twice as many poles. Absent: 4.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub order: Option<BoundedInteger<1, 50>>,
    /// `butterworth`, `chebyshev1` (ripples in the pass band) or `chebyshev2` (in the stop band, which begins at `cutoff`).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub design: Option<FilterDesign>,
    /// Decibels: of chebyshev1 the ripple (absent: 1), of chebyshev2 the attenuation (absent: 40).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub ripple: Option<Positive>,
    /// Second-order sections in place of a design: rows of b0, b1, b2, a0, a1, a2.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["k", 6]))]
    pub sos: Option<Input<Matrix>>,
    /// Numerator coefficients in place of a design, by rising powers of 1/z.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub b: Option<Input<Vector>>,
    /// Denominator coefficients beside `b`; absent: 1.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub a: Option<Input<Vector>>,
    /// Whether to filter forward and backward: no delay, gains squared. Else causal.
    #[value(default = "default_true")]
    pub zero_phase: bool,
    /// Zero phase: samples that continue each end, point-mirrored; absent: three times the coefficients, as SciPy.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub padding: Option<BoundedInteger<0, 1_000_000_000>>,
    /// Causal: what came before, `rest` (zeros, the default) or `steady` (the first sample for ever).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub initial: Option<FilterInitial>,
    /// Causal: `state` of an earlier call, to continue from there.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub state: Option<Vec<Vec<Finite>>>,
    /// Whether to draw the response.
    #[value(default = "default_true")]
    pub plot: bool,
}

/// What passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum PassbandKind {
    /// Below the cutoff.
    Lowpass,
    /// Above it.
    Highpass,
    /// Between two.
    Bandpass,
    /// Outside of two.
    Bandstop,
}

/// A family of designs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FilterDesign {
    /// Flat.
    #[default]
    Butterworth,
    /// Ripples in the pass band.
    Chebyshev1,
    /// Ripples in the stop band.
    Chebyshev2,
}

/// The past of a causal filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FilterInitial {
    /// Zeros.
    #[default]
    Rest,
    /// The first sample for ever.
    Steady,
}

/// The filtered samples, and the filter.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The samples, filtered.
    #[schema(extend("x-shape" = ["m"]))]
    pub filtered: Vec<f64>,
    /// Second-order sections: rows of b0, b1, b2, a0, a1, a2; not where `b` is given.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "b": null }))]
    pub sos: Option<Vec<[f64; 6]>>,
    /// Whether all poles lie inside the unit circle.
    pub stable: bool,
    /// Largest magnitude of a pole, to 12 digits; 0 without poles.
    pub pole_radius: f64,
    /// Samples until an impulse has faded to a millionth, by the largest pole; "Infinity" where it does not fade.
    pub settling: Real,
    /// Gain at each cutoff in decibels, both passes of `zero_phase` together; of a design.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "cutoff": { "not": null } }))]
    pub gain_at_cutoff_db: Option<Vec<Real>>,
    /// Largest delay of waves within the band that passes, in samples; of a causal design.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "cutoff": { "not": null }, "zero_phase": false }))]
    pub group_delay: Option<f64>,
    /// Samples that continued each end; with `zero_phase`.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "zero_phase": true }))]
    pub padding: Option<usize>,
    /// State of each section after the last sample; of a causal filter.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "zero_phase": false }))]
    pub state: Option<Vec<Vec<f64>>>,
    /// The gain in decibels over the frequency.
    #[value(skip_encoding_if = "Option::is_none")]
    pub plot: Option<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("filter_signal", "Filter a signal")
        .tags(&[
            "signal",
            "filter",
            "butterworth",
            "lowpass",
            "highpass",
            "bandpass",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "half of each sample and of the one before": r#"{"data": [2, 4, 6], "b": [0.5, 0.5], "zero_phase": false, "plot": false}"#
            => r#"{"filtered": [1.0, 3.0, 5.0], "stable": true, "pole_radius": 0.0, "settling": 1.0, "state": [[3.0]]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let data = args.data.load(ctx)?;
        if data.is_empty() {
            refuse!(invalid "/data", "empty"; "`data` is empty"; "give at least one sample");
        }
        let given = FilterRequest::new(&args, ctx)?;
        let work = 10.0 * data.len() as f64 * given.size as f64;
        ctx.reserve_doubles(data.len().saturating_mul(4))?;
        ctx.afford(work)?;
        let (filtered, spread) = if args.zero_phase {
            let padding = args
                .padding
                .map_or(given.cascade.padding(), BoundedInteger::size);
            (
                both_ways(&given, &data, padding)?,
                EdgeTreatment::Padding(padding),
            )
        } else {
            let mut state = given.state(&args, data[0])?;
            let mut filtered = data.to_vec();
            given.cascade.causal(&mut filtered, &mut state);
            (filtered, EdgeTreatment::State(state))
        };
        let is_finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let state_is = !matches!(&spread, EdgeTreatment::State(state) if !state.iter().all(|state| is_finite(state)));
        if !is_finite(&filtered) || !state_is {
            refuse!(numeric "/data", "overflow"; "the filtered samples grow beyond any double";
                "take a stable filter: all poles inside the unit circle");
        }
        report::filter_output(&args, given, filtered, spread, ctx)
    }
}

fn both_ways(given: &FilterRequest, data: &[f64], padding: usize) -> Result<Vec<f64>, ToolError> {
    if data.len() <= padding {
        let (found, needed) = (data.len(), padding + 1);
        refuse!(invalid "/data", "too_short"; "filtering forward and backward with {padding} samples of padding needs at least {needed} samples, found {found}";
            "pass more samples, a smaller `padding` or `order`, or `zero_phase`: false");
    }
    let Some(filtered) = given.cascade.zero_phase(data, padding) else {
        refuse!(numeric "/zero_phase", "no_steady_state"; "the filter has a pole at frequency 0, so that no constant leaves it in a steady state";
            "pass `zero_phase`: false, or a `cutoff` further from 0");
    };
    Ok(filtered)
}
