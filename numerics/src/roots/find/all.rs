//! Every root of an interval.

use kernels::roots::bracket::RootBracket;
use kernels::roots::interval::Interval;
use kernels::roots::isolate::{
    self, FunctionEnclosure, IsolationLimits, RootIsolation, UnprovenRegion, isolate_roots,
};
use tool_core::{Ctx, Real, ToolError};

use super::function::RootFunction;
use super::shrink::{ShrunkBracket, shrink_bracket};
use super::{FindRootMethod, FindRootReason, Output, RealRoot, SuspectKind, SuspectPlace};
use crate::expression::enclosure::NoIntervalForm;

const LIMITS: IsolationLimits = IsolationLimits {
    parts: 40_000,
    roots: 1_000,
};
/// Samples where intervals do not know a function.
const SAMPLES: usize = 8192;

/// Why the search over intervals ended early.
enum IntervalSearchEnd {
    Unsupported(&'static str),
    Stopped(ToolError),
}

/// Every root from one end to the other.
///
/// # Errors
/// A stop.
pub(super) fn find_all_roots(
    f: &RootFunction<'_>,
    ends: (f64, f64),
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let mut over = |x: Interval| -> Result<FunctionEnclosure, IntervalSearchEnd> {
        f.over(x)
            .map_err(IntervalSearchEnd::Stopped)?
            .map_err(|NoIntervalForm(name)| IntervalSearchEnd::Unsupported(name))
    };
    match isolate_roots(Interval::new(ends.0, ends.1), LIMITS, &mut over) {
        Ok(found) => all_roots_output(f, ends, &found, ctx),
        Err(IntervalSearchEnd::Stopped(err)) => Err(err),
        Err(IntervalSearchEnd::Unsupported(name)) => {
            ctx.warn(format!(
                "`{name}` is not known over intervals: roots are sign changes and minima among {SAMPLES} samples, and some may be missing"
            ));
            find_sampled_roots(f, ends)
        }
    }
}

fn all_roots_output(
    f: &RootFunction<'_>,
    (from, to): (f64, f64),
    found: &RootIsolation,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let points = f.points();
    let mut roots = Vec::new();
    for enclosure in &found.roots {
        let inside = enclosure
            .intersect(Interval::new(from, to))
            .unwrap_or(*enclosure);
        let x = inside.middle();
        let residual = points.at(x)? + 0.0; // no minus zero
        let error = (enclosure.hi - x).max(x - enclosure.lo);
        roots.push(RealRoot {
            x,
            error,
            residual: Real(residual),
            proven: true,
        });
    }
    let mut unresolved = Vec::new();
    for region in &found.regions {
        let place = classify_region(f, region, to - from)?;
        // A value of exactly zero is a root, though others may be near it.
        if let (Some(x), isolate::UnprovenReason::Undecided) = (region.exact, region.kind) {
            roots.push(RealRoot {
                x,
                error: 0.0,
                residual: Real(0.0),
                proven: true,
            });
        }
        unresolved.push(place);
    }
    roots.sort_by(|a, b| a.x.total_cmp(&b.x));
    let open = |place: &&SuspectPlace| !matches!(place.kind, SuspectKind::Pole | SuspectKind::Jump);
    let is_complete = unresolved.iter().find(open).is_none();
    let unsearched = unresolved
        .iter()
        .find(|place| place.kind == SuspectKind::Unsearched);
    if let Some(place) = unsearched {
        ctx.warn(format!(
            "stopped at {} roots and {} parts: from {:?} to {:?} roots may be missing, as where they accumulate; search parts of the interval",
            roots.len(), LIMITS.parts, place.from, unresolved.last().map_or(place.to, |place| place.to)
        ));
    } else if !is_complete {
        ctx.warn("some places could not be decided: `unresolved` names them");
    }
    let is_flat = unresolved
        .iter()
        .any(|place| place.kind == SuspectKind::Flat);
    Ok(Output {
        root: roots.first().map(|root| root.x),
        converged: is_complete,
        reason: match (is_complete, is_flat) {
            (true, _) => FindRootReason::All,
            (false, true) if roots.is_empty() => FindRootReason::Flat,
            _ => FindRootReason::Unresolved,
        },
        roots,
        complete: Some(is_complete),
        unresolved: merge_last_places(unresolved),
        method: FindRootMethod::Intervals,
        evaluations: 0,
        plot: None,
    })
}

/// Most places that are listed.
const PLACES_MAX: usize = 100;

/// The first places, and the rest as one.
fn merge_last_places(mut places: Vec<SuspectPlace>) -> Vec<SuspectPlace> {
    if places.len() > PLACES_MAX {
        let last = places[places.len() - 1].clone();
        places.truncate(PLACES_MAX);
        let rest = &mut places[PLACES_MAX - 1];
        rest.kind = SuspectKind::Unsearched;
        rest.to = last.to;
    }
    places
}

/// What a part is; `span` is the length of the interval searched.
fn classify_region(
    f: &RootFunction<'_>,
    region: &UnprovenRegion,
    span: f64,
) -> Result<SuspectPlace, ToolError> {
    let points = f.points();
    let Interval { lo, hi } = region.part;
    let mut best = (region.part.middle(), f64::NAN);
    for share in 0..=16 {
        let x = lo * (1.0 - f64::from(share) / 16.0) + hi * (f64::from(share) / 16.0);
        let value = points.at(x)?;
        if value.abs() < best.1.abs() || best.1.is_nan() {
            best = (x, value);
        }
    }
    if let Some(x) = region.exact {
        best = (x, 0.0);
    }
    let size = region.part.magnitude();
    let is_wide = region.part.width() > (1e-3 * size).max(1e-6 * span);
    let kind = match region.kind {
        isolate::UnprovenReason::Zero => SuspectKind::Flat,
        isolate::UnprovenReason::Undecided if is_wide && best.1 == 0.0 && !region.has_root => {
            SuspectKind::Flat
        }
        isolate::UnprovenReason::Undecided => SuspectKind::Multiple,
        isolate::UnprovenReason::Unsearched => SuspectKind::Unsearched,
        isolate::UnprovenReason::Edge => SuspectKind::Undefined,
        isolate::UnprovenReason::Jump if best.1.abs() > 0.0 => SuspectKind::Jump,
        isolate::UnprovenReason::Jump => SuspectKind::Multiple,
    };
    Ok(SuspectPlace {
        kind,
        from: lo,
        to: hi,
        has_root: region.has_root || region.exact.is_some(),
        x: best.0,
        residual: super::function_value(best.1),
    })
}

/// Roots by samples.
fn find_sampled_roots(f: &RootFunction<'_>, (from, to): (f64, f64)) -> Result<Output, ToolError> {
    let points = f.points();
    let x = |index: usize| {
        let share = index as f64 / SAMPLES as f64;
        if index == SAMPLES {
            to
        } else {
            from * (1.0 - share) + to * share
        }
    };
    let values = (0..=SAMPLES)
        .map(|index| points.at(x(index)))
        .collect::<Result<Vec<f64>, _>>()?;
    let (mut roots, mut unresolved): (Vec<RealRoot>, Vec<SuspectPlace>) = (Vec::new(), Vec::new());
    for index in 1..=SAMPLES {
        let bracket = RootBracket {
            low: x(index - 1),
            at_low: values[index - 1],
            high: x(index),
            at_high: values[index],
        };
        let is_new = bracket.at_low != 0.0 || index == 1;
        if !bracket.at_low.is_nan() && !bracket.at_high.is_nan() && bracket.has_change() && is_new {
            match shrink_bracket(f, &points, &bracket, 0.0)? {
                Some(ShrunkBracket::Root(root)) => roots.push(root),
                Some(ShrunkBracket::Place(place)) => unresolved.push(place),
                None => {}
            }
        } else if index < SAMPLES && has_touching_minimum(&values[index - 1..=index + 1]) {
            let (low, high) = (x(index - 1), x(index + 1));
            let (at, value) = golden_section_minimum(&points, low, high)?;
            let scale = values[index - 1].abs().max(values[index + 1].abs());
            if value.abs() <= 1e-9 * scale {
                let residual = super::function_value(value);
                unresolved.push(SuspectPlace {
                    kind: SuspectKind::Multiple,
                    from: low,
                    to: high,
                    has_root: value == 0.0,
                    x: at,
                    residual,
                });
            }
        }
    }
    Ok(Output {
        root: roots.first().map(|root| root.x),
        roots,
        converged: false,
        reason: FindRootReason::Sampled,
        complete: Some(false),
        unresolved: merge_last_places(unresolved),
        method: FindRootMethod::Sampling,
        evaluations: 0,
        plot: None,
    })
}

/// Whether the middle one of three samples of one sign is the nearest to zero.
fn has_touching_minimum(values: &[f64]) -> bool {
    let size: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    let same = values.iter().all(|value| *value > 0.0) || values.iter().all(|value| *value < 0.0);
    same && size[1] <= size[0] && size[1] <= size[2]
}

/// The smallest magnitude between two points, by golden sections.
fn golden_section_minimum(
    points: &super::function::PointEvaluator<'_, '_>,
    low: f64,
    high: f64,
) -> Result<(f64, f64), ToolError> {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (low, high);
    let mut best = (low, f64::INFINITY);
    for _ in 0..80 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        let (at_a, at_b) = (points.at(a)?, points.at(b)?);
        for (x, value) in [(a, at_a), (b, at_b)] {
            if value.abs() < best.1.abs() {
                best = (x, value);
            }
        }
        if at_a.abs() <= at_b.abs() {
            high = b;
        } else {
            low = a;
        }
    }
    Ok(best)
}
