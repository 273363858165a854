//! Derivatives of samples.

use kernels::quadrature::samples as kernel;

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
    let derivatives = kernel::difference_derivatives(x, y, order, used);
    // One accuracy below; of the lowest, the nearest `order + 1` samples alone.
    let lower = if used > 2 {
        kernel::difference_derivatives(x, y, order, used - 2)
    } else {
        one_sided_derivatives(x, y, order)
    };
    let errors = largest_neighbour_differences(&derivatives, &lower);
    Ok((derivatives, errors))
}

/// Derivatives from `order + 1` samples, one side first.
fn one_sided_derivatives(x: &[f64], y: &[f64], order: usize) -> Vec<f64> {
    let one = |index: usize| {
        let first = index.min(x.len() - order - 1);
        let places = &x[first..=first + order];
        let weights = kernel::difference_weights(x[index], places, order);
        weights.iter().zip(&y[first..]).map(|(w, y)| w * y).sum()
    };
    (0..x.len()).map(one).collect()
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
    let slopes = kernel::spline_slopes(x, y);
    let derivatives: Vec<f64> = if order == 1 {
        slopes
    } else {
        let bend = |index: usize| {
            // From the interval on the right, at the end from that on the left.
            let (a, b) = if index + 1 < x.len() {
                (index, index + 1)
            } else {
                (index, index - 1)
            };
            let step = x[b] - x[a];
            (6.0 * (y[b] - y[a]) / step - 4.0 * slopes[a] - 2.0 * slopes[b]) / step
        };
        (0..x.len()).map(bend).collect()
    };
    let other = kernel::difference_derivatives(
        x,
        y,
        order,
        if x.len() >= kernel::stencil_size(order, 4) {
            4
        } else {
            1
        },
    );
    let errors = largest_neighbour_differences(&derivatives, &other);
    Ok((derivatives, errors))
}

/// Differences of two rules, the largest of each sample and its neighbours: one alone may be small by chance.
fn largest_neighbour_differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect();
    let around = |index: usize| index.saturating_sub(1)..(index + 2).min(apart.len());
    let most = |index: usize| apart[around(index)].iter().copied().fold(0.0, f64::max);
    (0..apart.len()).map(most).collect()
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
