//! Every root of an interval.

use super::function::{CountedFunction, UnenclosedFunction};
use super::shrink::{ShrunkBracket, shrink_bracket};
use super::{
    IrregularKind, IrregularPlace, RealRootEstimate, RootSearchEnd, RootSearchMethod,
    RootSearchNote, RootSearchResult,
};
use crate::roots::RootError;
use crate::roots::bracket::RootBracket;
use crate::roots::interval::Interval;
use crate::roots::isolate::{
    self, FunctionEnclosure, IsolationLimits, RootIsolation, UnprovenRegion, isolate_roots,
};

const LIMITS: IsolationLimits = IsolationLimits {
    parts: 40_000,
    roots: 1_000,
};
/// Samples where intervals do not know a function.
const SAMPLES: usize = 8192;

/// Why the search over intervals ended early.
enum IntervalSearchEnd {
    Unsupported(&'static str),
    Stopped(RootError),
}

/// Every root from one end to the other.
///
/// # Errors
/// A stop.
pub(super) fn search_all(
    f: &CountedFunction<'_>,
    ends: (f64, f64),
) -> Result<RootSearchResult, RootError> {
    let mut over = |x: Interval| -> Result<FunctionEnclosure, IntervalSearchEnd> {
        f.enclosure(x)
            .map_err(IntervalSearchEnd::Stopped)?
            .map_err(|UnenclosedFunction(name)| IntervalSearchEnd::Unsupported(name))
    };
    match isolate_roots(Interval::new(ends.0, ends.1), LIMITS, &mut over) {
        Ok(found) => all_roots_result(f, ends, &found),
        Err(IntervalSearchEnd::Stopped(err)) => Err(err),
        Err(IntervalSearchEnd::Unsupported(name)) => {
            let mut found = find_sampled_roots(f, ends)?;
            found.notes.push(RootSearchNote::Sampled {
                function: name,
                samples: SAMPLES,
            });
            Ok(found)
        }
    }
}

fn all_roots_result(
    f: &CountedFunction<'_>,
    (from, to): (f64, f64),
    found: &RootIsolation,
) -> Result<RootSearchResult, RootError> {
    let mut roots = Vec::new();
    for enclosure in &found.roots {
        let inside = enclosure
            .intersect(Interval::new(from, to))
            .unwrap_or(*enclosure);
        let x = inside.middle();
        let residual = f.value(x)? + 0.0; // no minus zero
        let error = (enclosure.hi - x).max(x - enclosure.lo);
        roots.push(RealRootEstimate {
            x,
            error,
            residual,
            is_proven: true,
        });
    }
    let mut places = Vec::new();
    for region in &found.regions {
        let place = classify_region(f, region, to - from)?;
        // A value of exactly zero is a root, though others may be near it.
        if let (Some(x), isolate::UnprovenReason::Undecided) = (region.exact, region.kind) {
            roots.push(RealRootEstimate {
                x,
                error: 0.0,
                residual: 0.0,
                is_proven: true,
            });
        }
        places.push(place);
    }
    roots.sort_by(|a, b| a.x.total_cmp(&b.x));
    let open =
        |place: &&IrregularPlace| !matches!(place.kind, IrregularKind::Pole | IrregularKind::Jump);
    let is_complete = places.iter().find(open).is_none();
    let mut notes = Vec::new();
    let unsearched = places
        .iter()
        .find(|place| place.kind == IrregularKind::Unsearched);
    if let Some(place) = unsearched {
        notes.push(RootSearchNote::Unsearched {
            roots: roots.len(),
            parts: LIMITS.parts,
            low: place.low,
            high: places.last().map_or(place.high, |place| place.high),
        });
    } else if !is_complete {
        notes.push(RootSearchNote::Undecided);
    }
    let is_flat = places.iter().any(|place| place.kind == IrregularKind::Flat);
    Ok(RootSearchResult {
        end: match (is_complete, is_flat) {
            (true, _) => RootSearchEnd::All,
            (false, true) if roots.is_empty() => RootSearchEnd::Flat,
            _ => RootSearchEnd::Unresolved,
        },
        roots,
        places: merge_last_places(places),
        method: RootSearchMethod::Intervals,
        evaluations: 0,
        notes,
    })
}

/// Most places that are listed.
const PLACES_MAX: usize = 100;

/// The first places, and the rest as one.
fn merge_last_places(mut places: Vec<IrregularPlace>) -> Vec<IrregularPlace> {
    if places.len() > PLACES_MAX {
        let last = places[places.len() - 1];
        places.truncate(PLACES_MAX);
        let rest = &mut places[PLACES_MAX - 1];
        rest.kind = IrregularKind::Unsearched;
        rest.high = last.high;
    }
    places
}

/// What a part is; `span` is the length of the interval searched.
fn classify_region(
    f: &CountedFunction<'_>,
    region: &UnprovenRegion,
    span: f64,
) -> Result<IrregularPlace, RootError> {
    let Interval { lo, hi } = region.part;
    let mut best = (region.part.middle(), f64::NAN);
    for share in 0..=16 {
        let x = lo * (1.0 - f64::from(share) / 16.0) + hi * (f64::from(share) / 16.0);
        let value = f.value(x)?;
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
        isolate::UnprovenReason::Zero => IrregularKind::Flat,
        isolate::UnprovenReason::Undecided if is_wide && best.1 == 0.0 && !region.has_root => {
            IrregularKind::Flat
        }
        isolate::UnprovenReason::Undecided => IrregularKind::Multiple,
        isolate::UnprovenReason::Unsearched => IrregularKind::Unsearched,
        isolate::UnprovenReason::Edge => IrregularKind::Undefined,
        isolate::UnprovenReason::Jump if best.1.abs() > 0.0 => IrregularKind::Jump,
        isolate::UnprovenReason::Jump => IrregularKind::Multiple,
    };
    Ok(IrregularPlace {
        kind,
        low: lo,
        high: hi,
        has_root: region.has_root || region.exact.is_some(),
        x: best.0,
        residual: best.1,
    })
}

/// Roots by samples.
fn find_sampled_roots(
    f: &CountedFunction<'_>,
    (from, to): (f64, f64),
) -> Result<RootSearchResult, RootError> {
    let x = |index: usize| {
        let share = index as f64 / SAMPLES as f64;
        if index == SAMPLES {
            to
        } else {
            from * (1.0 - share) + to * share
        }
    };
    let values = (0..=SAMPLES)
        .map(|index| f.value(x(index)))
        .collect::<Result<Vec<f64>, _>>()?;
    let (mut roots, mut places): (Vec<RealRootEstimate>, Vec<IrregularPlace>) =
        (Vec::new(), Vec::new());
    for index in 1..=SAMPLES {
        let bracket = RootBracket {
            low: x(index - 1),
            at_low: values[index - 1],
            high: x(index),
            at_high: values[index],
        };
        let is_new = bracket.at_low != 0.0 || index == 1;
        if !bracket.at_low.is_nan() && !bracket.at_high.is_nan() && bracket.has_change() && is_new {
            match shrink_bracket(f, &bracket, 0.0)? {
                Some(ShrunkBracket::Root(root)) => roots.push(root),
                Some(ShrunkBracket::Place(place)) => places.push(place),
                None => {}
            }
        } else if index < SAMPLES && has_touching_minimum(&values[index - 1..=index + 1]) {
            let (low, high) = (x(index - 1), x(index + 1));
            let (at, value) = golden_section_minimum(f, low, high)?;
            let scale = values[index - 1].abs().max(values[index + 1].abs());
            if value.abs() <= 1e-9 * scale {
                places.push(IrregularPlace {
                    kind: IrregularKind::Multiple,
                    low,
                    high,
                    has_root: value == 0.0,
                    x: at,
                    residual: value,
                });
            }
        }
    }
    Ok(RootSearchResult {
        roots,
        end: RootSearchEnd::Sampled,
        places: merge_last_places(places),
        method: RootSearchMethod::Sampling,
        evaluations: 0,
        notes: Vec::new(),
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
    f: &CountedFunction<'_>,
    low: f64,
    high: f64,
) -> Result<(f64, f64), RootError> {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (low, high);
    let mut best = (low, f64::INFINITY);
    for _ in 0..80 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        let (at_a, at_b) = (f.value(a)?, f.value(b)?);
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
