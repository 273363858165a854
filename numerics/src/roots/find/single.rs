//! One root, by a bracket.

use kernels::roots::bracket::RootBracket;
use tool_core::{Ctx, ToolError};

use super::function::RootFunction;
use super::shrink::{ShrunkBracket, shrink_bracket};
use super::{FindRootMethod, FindRootReason, Output, SuspectKind};

/// Samples between the ends where their signs do not differ.
const SAMPLES: usize = 256;

/// The root between two ends.
///
/// # Errors
/// `numeric` where no two points with different signs are found, or `f` has no value.
pub(super) fn find_root_between(
    f: &RootFunction<'_>,
    (from, to): (f64, f64),
    tolerance: f64,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let points = f.points();
    let (low, high) = (points.at(from)?, points.at(to)?);
    let whole = RootBracket {
        low: from,
        at_low: low,
        high: to,
        at_high: high,
    };
    let is_defined = !low.is_nan() && !high.is_nan();
    let mut first = None;
    if is_defined && whole.has_change() {
        match shrink_bracket(f, &points, &whole, tolerance)? {
            Some(ShrunkBracket::Root(root)) => {
                return Ok(single_root_output(ShrunkBracket::Root(root)));
            }
            other => first = other,
        }
    }
    // No sign change, or one that is no root: look between.
    let mut brackets = Vec::new();
    let mut before = (from, low);
    for index in 1..=SAMPLES {
        let share = index as f64 / SAMPLES as f64;
        let x = if index == SAMPLES {
            to
        } else {
            from * (1.0 - share) + to * share
        };
        let here = (
            x,
            if index == SAMPLES {
                high
            } else {
                points.at(x)?
            },
        );
        let bracket = RootBracket {
            low: before.0,
            at_low: before.1,
            high: here.0,
            at_high: here.1,
        };
        if !before.1.is_nan() && !here.1.is_nan() && bracket.has_change() {
            brackets.push(bracket);
        }
        before = here;
    }
    for bracket in &brackets {
        let found = shrink_bracket(f, &points, bracket, tolerance)?;
        if let Some(ShrunkBracket::Root(root)) = found {
            ctx.warn(format!(
                "the signs of `f` at `from` and `to` do not single this root out: it is the first of {} sign changes between {SAMPLES} samples; `all` finds every root",
                brackets.len()
            ));
            return Ok(single_root_output(ShrunkBracket::Root(root)));
        }
        first = first.or(found);
    }
    if let Some(found) = first {
        return Ok(single_root_output(found));
    }
    if !is_defined && brackets.is_empty() {
        let (end, value) = if low.is_nan() {
            ("from", from)
        } else {
            ("to", to)
        };
        refuse!(numeric format!("/{end}"), "undefined"; "`f` has no value at {value:?}, and no sign change was found between";
            "choose ends where it is defined");
    }
    refuse!(numeric "/from", "no_sign_change";
        "`f` has the same sign at {from:?} ({low:?}) and {to:?} ({high:?}), and at {SAMPLES} samples between";
        "choose ends where the signs differ; `all` tells whether there is a root, also one without a sign change");
}

/// The root nearest to a start: ends move outwards until the signs differ.
///
/// # Errors
/// `numeric` where they never do.
pub(super) fn find_root_around(
    f: &RootFunction<'_>,
    start: f64,
    tolerance: f64,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    const GROWTH: f64 = 1.5;
    let points = f.points();
    let value = points.at(start)?;
    if value.is_nan() {
        refuse!(numeric "/x0", "undefined"; "`f` has no value at {start:?}"; "choose a start where it is defined");
    }
    let mut first = None;
    if value == 0.0 {
        let exact = RootBracket {
            low: start,
            at_low: value,
            high: start,
            at_high: value,
        };
        if let Some(found) = shrink_bracket(f, &points, &exact, tolerance)? {
            return Ok(single_root_output(found));
        }
    }
    let mut step = 0.01 * start.abs().max(1.0);
    let mut ends = [Some((start, value)); 2];
    while step < f64::MAX / 4.0 && ends.iter().any(Option::is_some) {
        for (end, side) in ends.iter_mut().zip([-1.0, 1.0]) {
            let Some(inner) = *end else {
                continue;
            };
            let x = start + side * step;
            let outer = (x, points.at(x)?);
            if outer.1.is_nan() {
                *end = None;
                continue;
            }
            let (a, b) = if side < 0.0 {
                (outer, inner)
            } else {
                (inner, outer)
            };
            let bracket = RootBracket {
                low: a.0,
                at_low: a.1,
                high: b.0,
                at_high: b.1,
            };
            if bracket.has_change() && inner.1 != 0.0 {
                match shrink_bracket(f, &points, &bracket, tolerance)? {
                    Some(ShrunkBracket::Root(root)) => {
                        return Ok(single_root_output(ShrunkBracket::Root(root)));
                    }
                    found => first = first.or(found),
                }
            }
            *end = Some(outer);
        }
        step *= GROWTH;
    }
    if let Some(found) = first {
        ctx.warn("only places that are no roots were found around `x0`");
        return Ok(single_root_output(found));
    }
    refuse!(numeric "/x0", "no_sign_change"; "`f` has the same sign on both sides of {start:?}, as far as it has values";
        "give `from` and `to` with different signs; with `all`, roots without a sign change are found too");
}

fn single_root_output(found: ShrunkBracket) -> Output {
    let (roots, unresolved, reason) = match found {
        ShrunkBracket::Root(root) => (vec![root], Vec::new(), FindRootReason::Root),
        ShrunkBracket::Place(place) => {
            let reason = match place.kind {
                SuspectKind::Pole => FindRootReason::Pole,
                SuspectKind::Flat => FindRootReason::Flat,
                SuspectKind::Jump => FindRootReason::Jump,
                _ => FindRootReason::Unresolved,
            };
            (Vec::new(), vec![place], reason)
        }
    };
    Output {
        root: roots.first().map(|root| root.x),
        converged: reason == FindRootReason::Root,
        roots,
        reason,
        complete: None,
        unresolved,
        method: FindRootMethod::Chandrupatla,
        evaluations: 0,
        plot: None,
    }
}
