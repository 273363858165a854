//! A bracket made small, and what is in it.

use super::function::CountedFunction;
use super::{IrregularKind, IrregularPlace, RealRootEstimate};
use crate::roots::RootError;
use crate::roots::bracket::{BracketFault, RootBracket};
use crate::roots::interval::Interval;

/// What a bracket shrank to.
pub(super) enum ShrunkBracket {
    /// A root.
    Root(RealRootEstimate),
    /// Not a root.
    Place(IrregularPlace),
}

/// Makes a bracket smaller and tells what is in it; `None` where `f` has no value in it.
///
/// # Errors
/// A stop.
pub(super) fn shrink_bracket(
    f: &CountedFunction<'_>,
    bracket: &RootBracket,
    tolerance: f64,
) -> Result<Option<ShrunkBracket>, RootError> {
    // A single point without a value, as where a bisection meets a pole, counts with the one beside it.
    let mut value = |x: f64| -> Result<f64, RootError> {
        let value = f.value(x)?;
        if value.is_nan() {
            f.value(x.next_up())
        } else {
            Ok(value)
        }
    };
    let found = match bracket.narrowed(tolerance, &mut value) {
        Ok(found) => found,
        Err(BracketFault::Stopped(err)) => return Err(err),
        Err(BracketFault::NotANumber(x)) => {
            return Ok(Some(ShrunkBracket::Place(IrregularPlace {
                kind: IrregularKind::Undefined,
                low: bracket.low,
                high: bracket.high,
                has_root: false,
                x,
                residual: f64::NAN,
            })));
        }
    };
    let (x, residual) = found.best();
    let place = |kind, low, high| {
        Some(ShrunkBracket::Place(IrregularPlace {
            kind,
            low,
            high,
            has_root: false,
            x,
            residual,
        }))
    };
    if f.value(x)?.is_nan() {
        let gap = classify_discontinuity(f, &found, bracket)?;
        return Ok(place(
            gap.unwrap_or(IrregularKind::Undefined),
            found.low,
            found.high,
        ));
    }
    if residual == 0.0 {
        return Ok(if is_flat(f, x, bracket)? {
            place(IrregularKind::Flat, x, x)
        } else {
            Some(ShrunkBracket::Root(exact_root(f, x, bracket)?))
        });
    }
    let inside = Interval::new(found.low, found.high);
    let known = f.enclosure(inside)?;
    if let Ok(known) = known {
        if known.values.is_none_or(|values| !values.contains(0.0)) && !known.is_continuous {
            return Ok(place(IrregularKind::Pole, found.low, found.high));
        }
        if known.is_defined && known.is_continuous {
            let (error, proven) = prove_root(f, x, &found, bracket)?;
            return Ok(Some(ShrunkBracket::Root(RealRootEstimate {
                x,
                error,
                residual,
                is_proven: proven,
            })));
        }
    }
    Ok(match classify_discontinuity(f, &found, bracket)? {
        Some(kind) => place(kind, found.low, found.high),
        None => {
            let error = (found.high - x).max(x - found.low);
            Some(ShrunkBracket::Root(RealRootEstimate {
                x,
                error,
                residual,
                is_proven: false,
            }))
        }
    })
}

/// A root where the value in doubles is zero.
fn exact_root(
    f: &CountedFunction<'_>,
    x: f64,
    bracket: &RootBracket,
) -> Result<RealRootEstimate, RootError> {
    let known = f.enclosure(Interval::point(x))?;
    if known.is_ok_and(|found| found.values == Some(Interval::ZERO)) {
        return Ok(RealRootEstimate {
            x,
            error: 0.0,
            residual: 0.0,
            is_proven: true,
        });
    }
    let at = RootBracket {
        low: x,
        at_low: 0.0,
        high: x,
        at_high: 0.0,
    };
    if known.is_err() {
        return Ok(RealRootEstimate {
            x,
            error: x.abs().next_up() - x.abs(),
            residual: 0.0,
            is_proven: false,
        });
    }
    let (error, proven) = prove_root(f, x, &at, bracket)?;
    Ok(RealRootEstimate {
        x,
        error,
        residual: 0.0,
        is_proven: proven,
    })
}

/// How far to go from a root until intervals prove both signs, with a proof that the function is continuous between; at most the width
/// of the bracket that the search began with.
fn prove_root(
    f: &CountedFunction<'_>,
    x: f64,
    found: &RootBracket,
    bracket: &RootBracket,
) -> Result<(f64, bool), RootError> {
    /// Enough from the smallest double to the largest.
    const STEPS_MAX: usize = 1100;
    let widest = (bracket.high - bracket.low).max(1e-6 * x.abs());
    let unit = x.abs().next_up() - x.abs();
    let (mut low, mut high) = (found.low, found.high);
    let (mut at_low, mut at_high) = (f.sign(low)?, f.sign(high)?);
    let mut step = unit;
    for _ in 0..STEPS_MAX {
        if at_low * at_high < 0 {
            let whole = f.enclosure(Interval::new(low, high))?;
            let is_proven = whole.is_ok_and(|found| found.is_defined && found.is_continuous);
            return Ok(((high - x).max(x - low), is_proven));
        }
        if step > widest {
            break;
        }
        if at_low == 0 {
            low = found.low - step;
            at_low = f.sign(low)?;
        }
        if at_high == 0 {
            high = found.high + step;
            at_high = f.sign(high)?;
        }
        if at_low * at_high > 0 {
            break;
        }
        step *= 4.0;
    }
    Ok(((found.high - x).max(x - found.low).max(unit), false))
}

/// Whether the function is zero on both sides of a zero, as where its values underflow.
fn is_flat(f: &CountedFunction<'_>, x: f64, bracket: &RootBracket) -> Result<bool, RootError> {
    const SHARE: f64 = 1e-6;
    let reach = SHARE * x.abs().max(1e-3 * (bracket.high - bracket.low));
    let zero = |x: f64| f.value(x).map(|value| value == 0.0);
    Ok(reach > 0.0 && zero(x - reach)? && zero(x + reach)?)
}

/// What a sign change is that does not come from a root: the values beside it do not become smaller with the bracket.
fn classify_discontinuity(
    f: &CountedFunction<'_>,
    found: &RootBracket,
    bracket: &RootBracket,
) -> Result<Option<IrregularKind>, RootError> {
    const WIDER: f64 = 1000.0;
    let rise = |low: f64, high: f64| (high / 2.0 - low / 2.0).abs();
    let width = found.high - found.low;
    let (low, high) = (
        (found.low - WIDER * width).max(bracket.low),
        (found.high + WIDER * width).min(bracket.high),
    );
    let (near, far) = (
        rise(found.at_low, found.at_high),
        rise(f.value(low)?, f.value(high)?),
    );
    let is_small = width <= 1e-9 * found.low.abs().max(found.high.abs()).max(1e-300);
    Ok(if !is_small || far.is_nan() {
        None
    } else if !near.is_finite() || near > 2.0 * far {
        Some(IrregularKind::Pole)
    } else if near > 0.5 * far {
        Some(IrregularKind::Jump)
    } else {
        None
    })
}
