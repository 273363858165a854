//! Mixed integer rounding of a combination of rows; of a row of the tableau, it gives the cut of Gomory.
//!
//! # References
//! H. Marchand, L. A. Wolsey, "Aggregation and mixed integer rounding to solve MIPs", Oper. Res. 49, 2001. R. E. Gomory, RAND
//! RM-2597, 1960.

use super::aggregate::{AggregatedRow, RelaxedPoint, RowSlack};
use super::cut::{CuttingPlane, safe_cut};

/// Least distance of the divided right side from the integers.
const FRACTION: f64 = 0.01;
/// Divisors tried at most.
const DIVISORS: usize = 24;
/// Coefficients of a combination below this part of its largest term are cancellation.
const CANCELLED: f64 = 1e-11;

/// An integer at least 0 that stands for a variable or a slack, with its coefficient and its value at the point.
struct IntegerTerm {
    of: TermOrigin,
    by: f64,
    value: f64,
    range: f64,
}

/// A number at least 0 that stands for a variable or a slack and has a coefficient below 0.
struct ContinuousTerm {
    of: TermOrigin,
    by: f64,
    value: f64,
}

#[derive(Clone, Copy)]
enum TermOrigin {
    /// `x - low`.
    Low(u32),
    /// `high - x`.
    High(u32),
    /// `constant + factor z - x`.
    Upper(u32),
    /// `x - constant - factor z`.
    Lower(u32),
    Slack(RowSlack),
}

/// A combination as `sum wholes + sum parts <= right`.
struct RoundingBase {
    wholes: Vec<IntegerTerm>,
    parts: Vec<ContinuousTerm>,
    right: f64,
}

/// The deepest cut of a combination taken as `<=`; `sign` -1 takes it as `>=`.
pub(super) fn round_aggregate(
    space: &RelaxedPoint<'_>,
    given: &AggregatedRow,
    sign: f64,
    work: &mut AggregatedRow,
) -> Option<CuttingPlane> {
    if given.size > 1e7 {
        return None;
    }
    let mut base = substitute_bounds(space, given, sign, work)?;
    let mut best: Option<(f64, f64)> = None;
    let mut tried: Vec<f64> = Vec::new();
    let is_between = |whole: &IntegerTerm| whole.value > 1e-6 && whole.value < whole.range - 1e-6;
    let inner = base
        .wholes
        .iter()
        .filter(|whole| is_between(whole))
        .map(|whole| whole.by.abs());
    for divisor in std::iter::once(1.0).chain(inner) {
        let is_new = |other: &f64| (other - divisor).abs() > 1e-9 * divisor;
        if tried.len() < DIVISORS && divisor > 1e-6 && tried.iter().all(is_new) {
            tried.push(divisor);
            improve_divisor(&mut best, &base, divisor);
        }
    }
    let (_, mut divisor) = best?;
    for part in [2.0, 4.0, 8.0] {
        let before = divisor;
        improve_divisor(&mut best, &base, before / part);
    }
    divisor = best?.1;
    // Other ends of integers between their bounds.
    let mut order: Vec<usize> = (0..base.wholes.len())
        .filter(|&at| is_between(&base.wholes[at]) && base.wholes[at].range.is_finite())
        .collect();
    order.sort_by(|&a, &b| {
        let middle = |at: usize| (base.wholes[at].value - base.wholes[at].range / 2.0).abs();
        middle(a).total_cmp(&middle(b))
    });
    for at in order.into_iter().take(DIVISORS) {
        let before = best?.0;
        base.turn(at);
        improve_divisor(&mut best, &base, divisor);
        if best?.0 <= before {
            base.turn(at);
        }
    }
    rounded_cut(space, &base, divisor, work)
}

fn improve_divisor(best: &mut Option<(f64, f64)>, base: &RoundingBase, divisor: f64) {
    if let Some(depth) = base.depth(divisor)
        && depth > best.map_or(0.0, |best| best.0)
    {
        *best = Some((depth, divisor));
    }
}

/// Bounds in the place of variables: every term at least 0, terms that only help left out.
fn substitute_bounds(
    space: &RelaxedPoint<'_>,
    given: &AggregatedRow,
    sign: f64,
    work: &mut AggregatedRow,
) -> Option<RoundingBase> {
    work.clear(space.x.len());
    let mut base = RoundingBase {
        wholes: Vec::new(),
        parts: Vec::new(),
        right: sign * given.right,
    };
    let least = CANCELLED * given.size;
    for &place in &given.places {
        let (at, value) = (place as usize, sign * given.values[place as usize]);
        let (low, high, x) = (space.program.low[at], space.program.high[at], space.x[at]);
        if value.abs() <= least {
            let bound = if value > 0.0 { low } else { high };
            if value.abs() > 1e-200 {
                base.right -= if bound.is_finite() {
                    value * bound
                } else {
                    return None;
                };
            }
        } else if space.is_integer[at] {
            work.add(place, value);
        } else {
            base.part(space, (place, value), (low, high, x), work)?;
        }
    }
    for slack in &given.slacks {
        let by = sign * slack.by;
        let of = TermOrigin::Slack(*slack);
        if slack.is_whole {
            let range = f64::INFINITY;
            base.wholes.push(IntegerTerm {
                of,
                by,
                value: slack.value,
                range,
            });
        } else if by < 0.0 {
            base.parts.push(ContinuousTerm {
                of,
                by,
                value: slack.value,
            });
        }
    }
    for &place in &work.places {
        let (at, value) = (place as usize, work.values[place as usize]);
        if value.abs() < 1e-200 {
            continue;
        }
        let (low, high, x) = (space.program.low[at], space.program.high[at], space.x[at]);
        let (of, by, bound) = if low.is_finite() && (x - low <= high - x || !high.is_finite()) {
            (TermOrigin::Low(place), value, low)
        } else if high.is_finite() {
            (TermOrigin::High(place), -value, high)
        } else {
            return None;
        };
        base.right -= value * bound;
        base.wholes.push(IntegerTerm {
            of,
            by,
            value: (x - bound).abs(),
            range: high - low,
        });
    }
    Some(base)
}

impl RoundingBase {
    /// Puts a variable that is no integer in terms of its nearest bound.
    fn part(
        &mut self,
        space: &RelaxedPoint<'_>,
        (place, value): (u32, f64),
        (low, high, x): (f64, f64, f64),
        work: &mut AggregatedRow,
    ) -> Option<()> {
        let at = place as usize;
        let above = space.upper[at].filter(|tie| tie.at(&space.x) - x <= high - x + 1e-9);
        let below = space.lower[at].filter(|tie| x - tie.at(&space.x) <= x - low + 1e-9);
        let up = above.map_or(high, |tie| tie.at(&space.x)) - x;
        let down = x - below.map_or(low, |tie| tie.at(&space.x));
        if !up.is_finite() && !down.is_finite() {
            return None;
        }
        let is_up = up < down || (up == down && value > 0.0);
        let (of, by, tie, bound) = match (is_up, above, below) {
            (true, Some(tie), _) => (TermOrigin::Upper(place), -value, Some(tie), tie.constant),
            (true, None, _) => (TermOrigin::High(place), -value, None, high),
            (false, _, Some(tie)) => (TermOrigin::Lower(place), value, Some(tie), tie.constant),
            (false, _, None) => (TermOrigin::Low(place), value, None, low),
        };
        self.right -= value * bound;
        if let Some(tie) = tie {
            work.add(tie.variable, value * tie.factor);
        }
        if by < 0.0 {
            let value = if is_up { up } else { down };
            self.parts.push(ContinuousTerm { of, by, value });
        }
        Some(())
    }

    /// Counts an integer from its other bound.
    fn turn(&mut self, at: usize) {
        let whole = &mut self.wholes[at];
        self.right -= whole.by * whole.range;
        whole.by = -whole.by;
        whole.value = whole.range - whole.value;
        whole.of = match whole.of {
            TermOrigin::Low(place) => TermOrigin::High(place),
            TermOrigin::High(place) => TermOrigin::Low(place),
            other => other,
        };
    }

    /// How far the point is beyond the rounded inequality.
    fn depth(&self, divisor: f64) -> Option<f64> {
        let right = self.right / divisor;
        let fraction = right - right.floor();
        if !(FRACTION..=1.0 - FRACTION).contains(&fraction) || right.abs() > 1e6 {
            return None;
        }
        let (mut sum, mut square) = (-right.floor(), 0.0);
        for whole in &self.wholes {
            let value = rounded_coefficient(whole.by / divisor, fraction);
            sum += value * whole.value;
            square += value * value;
        }
        for part in &self.parts {
            let value = part.by / divisor / (1.0 - fraction);
            sum += value * part.value;
            square += value * value;
        }
        Some(sum / f64::sqrt(square.max(1e-12)))
    }
}

/// The coefficient of an integer after rounding.
fn rounded_coefficient(value: f64, fraction: f64) -> f64 {
    let floor = value.floor();
    floor + (value - floor - fraction).max(0.0) / (1.0 - fraction)
}

/// The rounded inequality in terms of the variables.
fn rounded_cut(
    space: &RelaxedPoint<'_>,
    base: &RoundingBase,
    divisor: f64,
    work: &mut AggregatedRow,
) -> Option<CuttingPlane> {
    work.clear(space.x.len());
    let right = base.right / divisor;
    let fraction = right - right.floor();
    let mut high = right.floor();
    let wholes = base
        .wholes
        .iter()
        .map(|whole| (whole.of, rounded_coefficient(whole.by / divisor, fraction)));
    let parts = base
        .parts
        .iter()
        .map(|part| (part.of, part.by / divisor / (1.0 - fraction)));
    for (of, by) in wholes.chain(parts) {
        if by == 0.0 {
            continue;
        }
        match of {
            TermOrigin::Low(place) => {
                work.add(place, by);
                high += by * space.program.low[place as usize];
            }
            TermOrigin::High(place) => {
                work.add(place, -by);
                high -= by * space.program.high[place as usize];
            }
            TermOrigin::Upper(place) => {
                let tie = space.upper[place as usize]?;
                work.add(place, -by);
                work.add(tie.variable, by * tie.factor);
                high -= by * tie.constant;
            }
            TermOrigin::Lower(place) => {
                let tie = space.lower[place as usize]?;
                work.add(place, by);
                work.add(tie.variable, -by * tie.factor);
                high += by * tie.constant;
            }
            TermOrigin::Slack(slack) => {
                let row = slack.row as usize;
                let sign = if slack.is_upper { -by } else { by };
                let (columns, values) = space.program.matrix.row(row);
                for (&column, value) in columns.iter().zip(values) {
                    work.add(column, sign * value);
                }
                high += sign
                    * if slack.is_upper {
                        space.program.row_high[row]
                    } else {
                        space.program.row_low[row]
                    };
            }
        }
    }
    let least = CANCELLED * work.size;
    if work.size > 1e8 {
        return None;
    }
    let terms = work
        .places
        .iter()
        .map(|&place| (place, work.values[place as usize]));
    let mut seen: Vec<(u32, f64)> = terms.filter(|term| term.1.abs() > 1e-200).collect();
    for (place, value) in &mut seen {
        if value.abs() <= least {
            let at = *place as usize;
            let bound = if *value > 0.0 {
                space.program.low[at]
            } else {
                space.program.high[at]
            };
            if !bound.is_finite() {
                return None;
            }
            high -= *value * bound;
            *value = 0.0;
        }
    }
    safe_cut(space.program, &space.x, seen.into_iter(), high)
}
