//! One root, by a bracket.

use super::function::CountedFunction;
use super::shrink::{ShrunkBracket, shrink_bracket};
use super::{IrregularKind, RootSearchEnd, RootSearchMethod, RootSearchNote, RootSearchResult};
use crate::roots::RootError;
use crate::roots::bracket::RootBracket;

/// Samples between the ends where their signs do not differ.
const SAMPLES: usize = 256;

/// The root between two ends.
///
/// # Errors
/// Where no two points with different signs are found, or `f` has no value.
pub(super) fn search_between(
    f: &CountedFunction<'_>,
    (from, to): (f64, f64),
    tolerance: f64,
) -> Result<RootSearchResult, RootError> {
    let (low, high) = (f.value(from)?, f.value(to)?);
    let whole = RootBracket {
        low: from,
        at_low: low,
        high: to,
        at_high: high,
    };
    let is_defined = !low.is_nan() && !high.is_nan();
    let mut first = None;
    if is_defined && whole.has_change() {
        match shrink_bracket(f, &whole, tolerance)? {
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
        let here = (x, if index == SAMPLES { high } else { f.value(x)? });
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
        let found = shrink_bracket(f, bracket, tolerance)?;
        if let Some(ShrunkBracket::Root(root)) = found {
            let mut found = single_root_output(ShrunkBracket::Root(root));
            found.notes.push(RootSearchNote::FirstOfChanges {
                changes: brackets.len(),
                samples: SAMPLES,
            });
            return Ok(found);
        }
        first = first.or(found);
    }
    if let Some(found) = first {
        return Ok(single_root_output(found));
    }
    if !is_defined && brackets.is_empty() {
        return Err(RootError::UndefinedEnd {
            x: if low.is_nan() { from } else { to },
            is_upper: !low.is_nan(),
        });
    }
    Err(RootError::NoSignChange {
        low: from,
        at_low: low,
        high: to,
        at_high: high,
        samples: SAMPLES,
    })
}

/// The root nearest to a start: ends move outwards until the signs differ.
///
/// # Errors
/// Where they never do.
pub(super) fn search_around(
    f: &CountedFunction<'_>,
    start: f64,
    tolerance: f64,
) -> Result<RootSearchResult, RootError> {
    const GROWTH: f64 = 1.5;
    let value = f.value(start)?;
    if value.is_nan() {
        return Err(RootError::UndefinedStart { x: start });
    }
    let mut first = None;
    if value == 0.0 {
        let exact = RootBracket {
            low: start,
            at_low: value,
            high: start,
            at_high: value,
        };
        if let Some(found) = shrink_bracket(f, &exact, tolerance)? {
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
            let outer = (x, f.value(x)?);
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
                match shrink_bracket(f, &bracket, tolerance)? {
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
        let mut found = single_root_output(found);
        found.notes.push(RootSearchNote::NoRootAround);
        return Ok(found);
    }
    Err(RootError::NoSignChangeAround { start })
}

fn single_root_output(found: ShrunkBracket) -> RootSearchResult {
    let (roots, places, end) = match found {
        ShrunkBracket::Root(root) => (vec![root], Vec::new(), RootSearchEnd::Root),
        ShrunkBracket::Place(place) => {
            let end = match place.kind {
                IrregularKind::Pole => RootSearchEnd::Pole,
                IrregularKind::Flat => RootSearchEnd::Flat,
                IrregularKind::Jump => RootSearchEnd::Jump,
                _ => RootSearchEnd::Unresolved,
            };
            (Vec::new(), vec![place], end)
        }
    };
    RootSearchResult {
        roots,
        places,
        end,
        method: RootSearchMethod::Chandrupatla,
        evaluations: 0,
        notes: Vec::new(),
    }
}
