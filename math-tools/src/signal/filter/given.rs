//! The filter of a call: designed, or as it is given.

use numerics::signal::design::{FilterPrototype, PassBand, Section, design_filter};
use numerics::signal::filter::FilterCascade;
use tool_core::schema::json;
use tool_core::{DecodeError, EncodeError, Encoder};

use super::{Args, FilterDesign, FilterInitial, PassbandKind};
use crate::prelude::*;

/// One frequency, or two.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CutoffFrequencies(pub(super) Vec<f64>);

impl Encode for CutoffFrequencies {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match &self.0[..] {
            [one] => one.encode(encoder),
            several => several.encode(encoder),
        }
    }
}

impl Decode for CutoffFrequencies {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let frequencies = match value {
            Value::Numbers(numbers) if numbers.rank() == 1 => numbers.as_slice().to_vec(),
            other => other.as_f64().into_iter().collect(),
        };
        let good = |frequency: &f64| frequency.is_finite() && *frequency > 0.0;
        if matches!(frequencies.len(), 1 | 2) && frequencies.iter().all(good) {
            return Ok(Self(frequencies));
        }
        Err(DecodeError::new(format_args!(
            "expected a frequency above 0, or two as [low, high], found {value}"
        )))
    }
}

tool_core::inline_schema!(
    CutoffFrequencies,
    json!({ "anyOf": [
        { "type": "number", "exclusiveMinimum": 0 },
        { "type": "array", "items": { "type": "number", "exclusiveMinimum": 0 }, "minItems": 1, "maxItems": 2 }
    ] })
);

/// What the ends of the samples were given or leave.
pub(super) enum EdgeTreatment {
    Padding(usize),
    State(Vec<Vec<f64>>),
}

/// A filter.
pub(super) struct FilterRequest {
    pub cascade: FilterCascade,
    pub sections: Option<Vec<Section>>,
    /// Cutoffs in cycles per sample, and what passes.
    pub band: Option<(Vec<f64>, PassbandKind)>,
    /// Coefficients.
    pub size: usize,
}

impl FilterRequest {
    /// # Errors
    /// `invalid_args` at the argument that does not fit the others.
    pub(super) fn new(args: &Args, ctx: &Ctx) -> Result<Self, ToolError> {
        let forms = [args.cutoff.is_some(), args.sos.is_some(), args.b.is_some()];
        if forms.iter().filter(|form| **form).count() != 1 {
            refuse!(invalid "/cutoff", "filter"; "expected one of `cutoff` (a design), `sos`, and `b` with `a`";
                "pass `cutoff` and `rate` for a Butterworth low pass of order 4");
        }
        refuse_idle(args)?;
        if let Some(sos) = &args.sos {
            return of_sections(&sos.load(ctx)?);
        }
        if let Some(b) = &args.b {
            let a = args.a.as_ref().map(|a| a.load(ctx)).transpose()?;
            return of_polynomials(&b.load(ctx)?, a.as_deref().unwrap_or(&[1.0]));
        }
        let (band, frequencies, kind) = filter_band(args)?;
        let prototype = filter_prototype(args);
        let sections =
            design_filter(prototype, args.order.map_or(4, BoundedInteger::size), band).sections();
        if sections.iter().flatten().any(|value| !value.is_finite()) {
            refuse!(numeric "/order", "overflow"; "the coefficients of this design are no doubles"; "lower `order`, or move `cutoff` away from the ends");
        }
        Ok(Self {
            cascade: FilterCascade::of_sections(&sections),
            size: 6 * sections.len(),
            sections: Some(sections),
            band: Some((frequencies, kind)),
        })
    }

    /// The state that a causal filter begins with.
    pub(super) fn state(&self, args: &Args, first: f64) -> Result<Vec<Vec<f64>>, ToolError> {
        if let Some(state) = &args.state {
            let lengths = self.cascade.state_lengths();
            let found: Vec<usize> = state.iter().map(Vec::len).collect();
            if found != lengths {
                refuse!(invalid "/state", "shape"; "expected lists of the lengths {lengths:?}, one per section, found {found:?}";
                    "pass the `state` of a result of the same filter");
            }
            let plain = |one: &Vec<Finite>| one.iter().map(|value| value.get()).collect();
            return Ok(state.iter().map(plain).collect());
        }
        if args.initial.unwrap_or_default() == FilterInitial::Rest {
            return Ok(self.cascade.rest());
        }
        let Some(mut state) = self.cascade.steady() else {
            refuse!(numeric "/initial", "no_steady_state"; "the filter has a pole at frequency 0, so that no constant leaves it in a steady state";
                "pass `initial`: \"rest\"");
        };
        state.iter_mut().flatten().for_each(|value| *value *= first);
        Ok(state)
    }
}

/// Refuses options that would do nothing.
fn refuse_idle(args: &Args) -> Result<(), ToolError> {
    let of_designs = [
        ("rate", args.rate.is_some() && !args.plot),
        ("kind", args.kind.is_some()),
        ("order", args.order.is_some()),
        ("design", args.design.is_some()),
        ("ripple", args.ripple.is_some()),
    ];
    let idle =
        |all: &[(&'static str, bool)]| all.iter().find(|(_, given)| *given).map(|(name, _)| *name);
    if args.cutoff.is_none()
        && let Some(name) = idle(&of_designs)
    {
        refuse!(invalid format!("/{name}"), "idle"; "`{name}` is for a design, which `cutoff` asks for"; "leave it out");
    }
    if args.a.is_some() && args.b.is_none() {
        refuse!(invalid "/a", "idle"; "`a` belongs to `b`"; "pass `b` too; without zeros it is [1]");
    }
    if args.ripple.is_some() && args.design.unwrap_or_default() == FilterDesign::Butterworth {
        refuse!(invalid "/ripple", "idle"; "a Butterworth filter has no ripples"; "leave `ripple` out, or pass `design`: \"chebyshev1\"");
    }
    let causal = [
        ("initial", args.initial.is_some()),
        ("state", args.state.is_some()),
    ];
    if args.zero_phase
        && let Some(name) = idle(&causal)
    {
        refuse!(invalid format!("/{name}"), "idle"; "`{name}` is for a causal filter"; "pass `zero_phase`: false");
    }
    if !args.zero_phase && args.padding.is_some() {
        refuse!(invalid "/padding", "idle"; "`padding` is for `zero_phase`"; "leave it out");
    }
    if args.state.is_some() && args.initial.is_some() {
        refuse!(invalid "/initial", "idle"; "`state` says how the filter begins"; "leave `initial` out");
    }
    Ok(())
}

fn filter_prototype(args: &Args) -> FilterPrototype {
    let ripple = |usual: f64| args.ripple.map_or(usual, Positive::get);
    match args.design.unwrap_or_default() {
        FilterDesign::Butterworth => FilterPrototype::Butterworth,
        FilterDesign::Chebyshev1 => FilterPrototype::Chebyshev1(ripple(1.0)),
        FilterDesign::Chebyshev2 => FilterPrototype::Chebyshev2(ripple(40.0)),
    }
}

fn filter_band(args: &Args) -> Result<(PassBand, Vec<f64>, PassbandKind), ToolError> {
    let rate = args.rate.map_or(1.0, Positive::get);
    let given = args.cutoff.as_ref().map_or(&[][..], |cutoff| &cutoff.0);
    let half = rate / 2.0;
    if let Some(beyond) = given.iter().find(|frequency| **frequency >= half) {
        refuse!(invalid "/cutoff", "range"; "expected a frequency below {half}, half of `rate`, found {beyond}";
            "pass the sampling rate as `rate`, in the same unit");
    }
    let frequencies: Vec<f64> = given.iter().map(|frequency| frequency / rate).collect();
    let usual = if given.len() == 2 {
        PassbandKind::Bandpass
    } else {
        PassbandKind::Lowpass
    };
    let kind = args.kind.unwrap_or(usual);
    let band = match (kind, &frequencies[..]) {
        (PassbandKind::Lowpass, [cutoff]) => PassBand::Low(*cutoff),
        (PassbandKind::Highpass, [cutoff]) => PassBand::High(*cutoff),
        (PassbandKind::Bandpass, [from, to]) if from < to => PassBand::Pass(*from, *to),
        (PassbandKind::Bandstop, [from, to]) if from < to => PassBand::Stop(*from, *to),
        (_, [_, _]) if matches!(kind, PassbandKind::Bandpass | PassbandKind::Bandstop) => {
            refuse!(invalid "/cutoff", "range"; "expected [low, high] with low below high, found {given:?}");
        }
        _ => {
            let needed = if matches!(kind, PassbandKind::Lowpass | PassbandKind::Highpass) {
                "one frequency"
            } else {
                "two frequencies"
            };
            refuse!(invalid "/cutoff", "shape"; "this `kind` takes {needed}, found {}", given.len());
        }
    };
    Ok((band, frequencies, kind))
}

fn of_sections(sos: &Matrix) -> Result<FilterRequest, ToolError> {
    if sos.columns() != 6 {
        refuse!(invalid "/sos", "shape"; "expected rows of 6 coefficients, found {}", sos.columns(); "a row is b0, b1, b2, a0, a1, a2");
    }
    let mut sections: Vec<Section> = Vec::with_capacity(sos.rows());
    for row in 0..sos.rows() {
        let given = sos.row(row);
        let leading = given[3];
        if leading == 0.0 {
            refuse!(invalid format!("/sos/{row}/3"), "range"; "a0 is 0"; "divide all of a section by its a0, which is 1 then");
        }
        sections.push(std::array::from_fn(|at| given[at] / leading));
    }
    Ok(FilterRequest {
        cascade: FilterCascade::of_sections(&sections),
        size: 6 * sections.len(),
        sections: Some(sections),
        band: None,
    })
}

fn of_polynomials(b: &[f64], a: &[f64]) -> Result<FilterRequest, ToolError> {
    const COEFFICIENTS_MAX: usize = 100_000;
    for (path, name, of) in [("/b", "b", b), ("/a", "a", a)] {
        if of.is_empty() || of.len() > COEFFICIENTS_MAX {
            refuse!(invalid path, "shape"; "expected 1 to {COEFFICIENTS_MAX} coefficients in `{name}`, found {}", of.len();
                "a long filter is quicker with `convolve`");
        }
    }
    if a[0] == 0.0 {
        refuse!(invalid "/a/0", "range"; "the first coefficient of `a` is 0"; "leave leading zeros out");
    }
    Ok(FilterRequest {
        cascade: FilterCascade::of_polynomials(b, a),
        sections: None,
        band: None,
        size: a.len().max(b.len()),
    })
}
