//! The result of `integrate`, and its refusals.

use numerics::quadrature::{Integral, QuadratureEnd, QuadratureError};

use super::range::IntegrationRange;
use super::{Args, IntegrateMethod};
use crate::call_watch::CallWatch;
use crate::expression::Expression;
use crate::plot::{plot_braille, series};
use crate::prelude::*;

/// The integral, and how good it is.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct Output {
    /// The integral.
    pub integral: f64,
    /// Estimate of the absolute error, rounding included, meant to exceed the true one.
    pub error: f64,
    /// Whether `error` is at most `atol` or `rtol` times the integral; where parts cancel, `rtol` times `absolute`.
    pub converged: bool,
    /// Reason the search ended.
    pub reason: IntegrateReason,
    /// Integral of the magnitude of the integrand.
    pub absolute: f64,
    /// Evaluations of the integrand.
    pub evaluations: u64,
    /// Intervals at the end.
    pub intervals: usize,
    /// Places between the ends at which the integrand jumps, has a kink or is infinite, where the search met some.
    pub singularities: Vec<f64>,
    /// What was used: `gauss_kronrod`, `gauss_kronrod, half-waves` or `tanh_sinh`.
    pub method: String,
    /// The integrand as text.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "plot": true }))]
    pub plot: Option<String>,
}

/// Reason that a search for an integral ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum IntegrateReason {
    /// The error is as small as asked for.
    Tolerance,
    /// Positive and negative parts cancel: the error is small beside them, not beside the integral.
    Cancellation,
    /// Rounding of the values, or the limit at an end, allows no smaller error.
    Rounding,
    /// `max_evals` were used.
    Evaluations,
    /// The integrand was 0 at every place that was tried: a narrow peak may have been missed.
    Zero,
}

pub(super) fn integral_output(
    args: &Args,
    expression: &Expression,
    range: &IntegrationRange,
    found: Integral,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let (rtol, atol) = (args.rtol.get().max(1e-14), args.atol.get());
    if !found.value.is_finite() {
        refuse!(numeric "/f", "overflow"; "the integral is beyond the range of a double"; "scale the integrand");
    }
    let is_unseen = found.absolute == 0.0 && found.evaluations > 0 && expression.uses(0);
    let reason = match found.ending {
        _ if is_unseen => IntegrateReason::Zero,
        QuadratureEnd::Tolerance => IntegrateReason::Tolerance,
        _ if found.error <= atol.max(rtol * found.value.abs()) => IntegrateReason::Tolerance,
        QuadratureEnd::Rounding if found.error <= rtol * found.absolute => {
            IntegrateReason::Cancellation
        }
        QuadratureEnd::Rounding => IntegrateReason::Rounding,
        QuadratureEnd::Evaluations => IntegrateReason::Evaluations,
    };
    if !found.error.is_finite() {
        refuse!(numeric "/f", "no_limit"; "the integral has no limit that {} evaluations show", found.evaluations;
            "raise `max_evals`, shorten the range, or name the places that matter in `points`");
    }
    let error = found.error;
    match reason {
        IntegrateReason::Tolerance => {}
        IntegrateReason::Zero => ctx.warn(
            "the integrand is 0 at every place that was tried; if it has a narrow peak, name its place in `points` or choose ends near it",
        ),
        IntegrateReason::Cancellation => ctx.warn(format!(
            "positive and negative parts cancel: the error {error:.1e} is small beside the integral of the magnitude, {:.3e}, not beside the integral",
            found.absolute
        )),
        IntegrateReason::Rounding => ctx.warn(format!(
            "the error {error:.1e} is above the tolerance, and more evaluations do not reduce it: the integrand is too steep, or the limit at an end too slow, for doubles"
        )),
        IntegrateReason::Evaluations => ctx.warn(format!(
            "stopped after {} evaluations with the error {error:.1e}; raise `max_evals` or the tolerance, or name kinks and peaks in `points`",
            found.evaluations
        )),
    }
    let method = match args.method {
        IntegrateMethod::TanhSinh => "tanh_sinh",
        _ if found.oscillates => "gauss_kronrod, half-waves",
        _ => "gauss_kronrod",
    };
    let plot = if args.plot {
        Some(plot_integrand(args, expression, &found, range, ctx)?)
    } else {
        None
    };
    Ok(Output {
        integral: range.sign * found.value + 0.0,
        error,
        converged: matches!(
            reason,
            IntegrateReason::Tolerance | IntegrateReason::Cancellation
        ),
        reason,
        absolute: found.absolute,
        evaluations: found.evaluations,
        intervals: found.panels,
        singularities: found.singular,
        method: method.to_owned(),
        plot,
    })
}

/// The error of an integral that does not exist, or cannot be found.
pub(super) fn integral_error(
    error: QuadratureError,
    args: &Args,
    expression: &Expression,
    range: &IntegrationRange,
    ctx: &Ctx,
) -> ToolError {
    match error {
        QuadratureError::Interrupted(interruption) => {
            CallWatch(ctx).interruption_error(interruption)
        }
        QuadratureError::Function(error) => CallWatch::function_error(error),
        QuadratureError::Divergent { at } => {
            let name = &args.variable;
            let place = if at.is_finite() {
                format!("{at}")
            } else if at > 0.0 {
                "inf".into()
            } else {
                "-inf".into()
            };
            let message = format!("the integral diverges at {name} = {place}");
            let ends = [range.points.first(), range.points.last()];
            let is_inside = at.is_finite() && !ends.contains(&Some(&at));
            let hint = if range.poles.contains(&at) {
                format!("the pole at {place} is not simple: it has no principal value")
            } else if is_inside {
                format!("for its Cauchy principal value pass `principal_value`: [{place}]")
            } else if at.is_infinite() {
                "the integrand does not fall fast enough: choose a finite end".to_owned()
            } else {
                "move the end away from the singularity".to_owned()
            };
            ToolError::numeric("/f", message)
                .reason("divergent")
                .hint(hint)
        }
        QuadratureError::Undefined { at } => {
            let cause = match expression.value(&[at]) {
                Err(cause) => cause.to_string(),
                Ok(value) => format!("the value is {value}"),
            };
            let message = format!("no finite value around {} = {at}: {cause}", args.variable);
            ToolError::numeric("/f", message).reason("domain").hint(
                "choose ends between which it is defined, or guard it with `if(condition, a, b)`",
            )
        }
    }
}

/// The integrand over the range, or over the part of an infinite one that holds nearly all of it.
fn plot_integrand(
    args: &Args,
    expression: &Expression,
    found: &Integral,
    range: &IntegrationRange,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    const POINTS: usize = 400;
    let first = range.points.first().copied().unwrap_or(0.0);
    let last = range.points.last().copied().unwrap_or(1.0);
    let low = if first.is_finite() {
        first
    } else {
        found.bulk.0.max(-1e300)
    };
    let high = if last.is_finite() {
        last
    } else {
        found.bulk.1.min(1e300)
    };
    let mut evaluator = expression.evaluator();
    let places = (0..=POINTS).map(|index| {
        let part = index as f64 / POINTS as f64;
        low * (1.0 - part) + high * part
    });
    ctx.count_evaluations(POINTS as u64 + 1)?;
    let pairs = places
        .map(|x| (x, evaluator.eval(&[x])))
        .filter(|(_, y)| y.is_finite());
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.unzip();
    if x.is_empty() {
        return Ok(String::new());
    }
    let drawn = plot_braille::Args {
        x: Input::inline(x),
        y: Input::Inline(series::PlotSeries(std::sync::Arc::new(vec![Vector::from(
            y,
        )]))),
        plot_type: series::PlotType::Line,
        points: Vec::new(),
        width: BoundedInteger::literal(72),
        height: BoundedInteger::literal(12),
        title: format!(
            "f({}) = {}",
            args.variable,
            expression.text().chars().take(50).collect::<String>()
        ),
        x_label: Some(args.variable.clone()),
        y_label: None,
        labels: None,
    };
    plot_braille::Args::run(drawn, ctx).map(|output| output.plot)
}
