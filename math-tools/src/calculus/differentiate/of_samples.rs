//! Derivatives of samples.

use numerics::quadrature::samples as kernel;
use numerics::quadrature::{self, differentiate_spline};

use super::super::samples::SampledFunction;
use super::{Args, DifferentiateMethod, Output, refuse_given};
use crate::prelude::*;

/// Highest order.
const ORDER_MAX: usize = 4;

pub(super) fn differentiate_samples(
    args: &Args,
    y: &Input<Vector>,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    refuse_given(
        &[
            ("at", args.at.is_some()),
            ("parameters", !args.parameters.is_empty()),
        ],
        "samples",
    )?;
    let method = args.method.unwrap_or(DifferentiateMethod::Finite);
    let order = args.order.size();
    if order > ORDER_MAX {
        refuse!(invalid "/order"; "of samples the orders are 1 to {ORDER_MAX}, found {order}"; "ask for a lower one");
    }
    let savitzky_golay = method == DifferentiateMethod::SavitzkyGolay;
    let given = [
        (
            "accuracy",
            args.accuracy.is_some() && method != DifferentiateMethod::Finite,
        ),
        ("window", args.window.is_some() && !savitzky_golay),
        ("degree", args.degree.is_some() && !savitzky_golay),
    ];
    refuse_given(&given, "this method")?;
    let samples = SampledFunction::load(args.x.as_ref(), y, args.dx, order + 1, ctx)?;
    let (x, y) = (&samples.x, &samples.y);
    ctx.reserve_doubles(x.len().saturating_mul(8))?;
    let (mut derivatives, mut errors) = match method {
        DifferentiateMethod::Exact => {
            refuse!(invalid "/method"; "`exact` derivatives are those of an expression"; "pass `f` and `at`, or another method");
        }
        DifferentiateMethod::Finite => difference_derivatives(args, x, y, order, ctx)?,
        DifferentiateMethod::Spline => spline_derivatives(x, y, order, ctx)?,
        DifferentiateMethod::SavitzkyGolay => savitzky_golay_derivatives(args, x, y, order, ctx)?,
    };
    let mut all = derivatives.iter().chain(&errors);
    if !all.all(|value| value.is_finite()) {
        refuse!(numeric "/y", "overflow"; "a derivative is beyond the range of a double"; "scale the places or the values");
    }
    if samples.is_reversed {
        derivatives.reverse();
        errors.reverse();
    }
    Ok(Output {
        derivatives: Some(derivatives),
        errors: Some(errors),
        method,
        ..Output::default()
    })
}

type Derivatives = (Vec<f64>, Vec<f64>);

fn difference_derivatives(
    args: &Args,
    x: &[f64],
    y: &[f64],
    order: usize,
    ctx: &Ctx,
) -> Result<Derivatives, ToolError> {
    let accuracy = args.accuracy.map_or(4, BoundedInteger::size);
    if accuracy % 2 == 1 {
        refuse!(invalid "/accuracy"; "expected 2, 4 or 6, found {accuracy}"; "choose an even one");
    }
    // Fewer samples allow a lower accuracy, which is said.
    let fits = |accuracy: &usize| kernel::stencil_size(order, *accuracy) <= x.len();
    let Some(used) = [accuracy, 4, 2]
        .into_iter()
        .filter(|one| *one <= accuracy)
        .find(fits)
    else {
        let least = kernel::stencil_size(order, 2);
        refuse!(invalid "/y", "too_few"; "a derivative of order {order} takes at least {least} samples, found {}", x.len(); "pass more samples");
    };
    if used < accuracy {
        ctx.warn(format!(
            "{} samples allow the accuracy {used}, not {accuracy}",
            x.len()
        ));
    }
    let width = kernel::stencil_size(order, used);
    ctx.afford((x.len() * width * width * (order + 1)) as f64 * 4.0)?;
    let found = quadrature::differentiate_samples(x, y, order, used);
    Ok((found.values, found.errors))
}

fn spline_derivatives(
    x: &[f64],
    y: &[f64],
    order: usize,
    ctx: &Ctx,
) -> Result<Derivatives, ToolError> {
    if order > 2 {
        refuse!(invalid "/order"; "a cubic spline has the derivatives 1 and 2 at its samples, found {order}"; "use `finite`");
    }
    if x.len() < 4 {
        refuse!(invalid "/y", "too_few"; "a spline takes at least 4 samples, found {}", x.len(); "pass more samples, or use `finite`");
    }
    ctx.afford(x.len() as f64 * 200.0)?;
    let found = differentiate_spline(x, y, order);
    Ok((found.values, found.errors))
}

fn savitzky_golay_derivatives(
    args: &Args,
    x: &[f64],
    y: &[f64],
    order: usize,
    ctx: &Ctx,
) -> Result<Derivatives, ToolError> {
    let width = args.window.map_or(7, BoundedInteger::size);
    let degree = args.degree.map_or(order.max(3), BoundedInteger::size);
    if width.is_multiple_of(2) {
        refuse!(invalid "/window"; "expected an odd number of samples, found {width}"; "take one more");
    }
    if degree < order || degree >= width {
        refuse!(invalid "/degree"; "expected a degree from {order} to {}, found {degree}", width - 1; "change `degree` or `window`");
    }
    if width > x.len() {
        refuse!(invalid "/window", "too_few"; "a window of {width} samples does not fit into {}", x.len(); "choose a smaller window");
    }
    ctx.afford((x.len() * width * (degree + 1) * (degree + 1)) as f64 * 4.0)?;
    Ok(kernel::savitzky_golay(x, y, order, width, degree))
}
