//! [`IsolationSearch`]: the parts of an interval one by one.

use super::{FunctionEnclosure, UnprovenReason, UnprovenRegion};
use crate::roots::bracket::halfway_double;
use crate::roots::interval::Interval;

/// What is found and left so far.
pub(super) struct IsolationSearch<'f, F> {
    f: &'f mut F,
    pub(super) roots: Vec<Interval>,
    pub(super) regions: Vec<UnprovenRegion>,
}

impl<'f, E, F: FnMut(Interval) -> Result<FunctionEnclosure, E>> IsolationSearch<'f, F> {
    pub(super) fn new(f: &'f mut F) -> Self {
        let (roots, regions) = (Vec::new(), Vec::new());
        Self { f, roots, regions }
    }

    pub(super) fn leave(&mut self, part: Interval, kind: UnprovenReason, exact: Option<f64>) {
        let has_root = false;
        self.regions.push(UnprovenRegion {
            part,
            kind,
            has_root,
            exact,
        });
    }

    /// A sliver beyond an end: only a root that is proven counts.
    pub(super) fn edge(&mut self, x: Interval) -> Result<(), E> {
        let found = (self.f)(x)?;
        if found.is_monotone() && found.may_be_zero() {
            let (a, b) = (
                (self.f)(Interval::point(x.lo))?,
                (self.f)(Interval::point(x.hi))?,
            );
            if a.sign() * b.sign() < 0 {
                self.roots.push(x);
            }
        }
        Ok(())
    }

    /// Decides a part, or divides it.
    pub(super) fn part(&mut self, x: Interval) -> Result<[Option<Interval>; 2], E> {
        let found = (self.f)(x)?;
        if !found.may_be_zero() {
            return Ok([None; 2]);
        }
        let middle = x.middle();
        let centre = (self.f)(Interval::point(middle))?;
        if found.is_regular() {
            let values = centre.values.unwrap_or(Interval::WHOLE);
            let reach = found.slope.times(x.minus(Interval::point(middle)));
            if !values.plus(reach).contains(0.0) {
                return Ok([None; 2]);
            }
            if found.is_monotone() && self.monotone(x, &found)? {
                return Ok([None; 2]);
            }
            if found.slope == Interval::ZERO && values == Interval::ZERO {
                self.leave(x, UnprovenReason::Zero, Some(middle));
                return Ok([None; 2]);
            }
        }
        let is_narrow = x.lo.next_up().next_up() >= x.hi;
        if is_narrow || (centre.may_be_zero() && self.is_noise(x)?) {
            let kind = match (found.is_continuous, found.is_defined) {
                (false, true) => UnprovenReason::Jump,
                (_, false) => UnprovenReason::Edge,
                _ => UnprovenReason::Undecided,
            };
            let exact = self.exact(x)?;
            self.leave(x, kind, exact);
            return Ok([None; 2]);
        }
        let at = division_point(x);
        Ok([Some(Interval::new(x.lo, at)), Some(Interval::new(at, x.hi))])
    }

    /// Whether zero cannot be excluded at two more places: rounding hides the sign on the whole part.
    fn is_noise(&mut self, x: Interval) -> Result<bool, E> {
        for share in [0.171, 0.829] {
            let at = (x.lo * (1.0 - share) + x.hi * share).clamp(x.lo, x.hi);
            if !(self.f)(Interval::point(at))?.may_be_zero() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A place where the function is exactly zero: an end, the middle, or the shortest number inside.
    fn exact(&mut self, x: Interval) -> Result<Option<f64>, E> {
        for at in [shortest_double(x), x.lo, x.hi, x.middle()] {
            let value = (self.f)(Interval::point(at))?;
            if value.values == Some(Interval::ZERO) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The one root, if any, where the slope has one sign. False where rounding at an end leaves it open.
    fn monotone(&mut self, x: Interval, found: &FunctionEnclosure) -> Result<bool, E> {
        let (a, b) = (
            (self.f)(Interval::point(x.lo))?,
            (self.f)(Interval::point(x.hi))?,
        );
        if a.sign() != 0 && b.sign() != 0 {
            if a.sign() != b.sign() {
                let narrow = self.narrowed(x)?;
                self.roots.push(narrow);
            }
            return Ok(true);
        }
        // Zero within rounding at an end: the root is as near as the value there and the least slope say.
        let least = found.slope.absolute().lo;
        let reach = |end: &FunctionEnclosure, at: f64| {
            let value = end.values.map_or(f64::INFINITY, Interval::magnitude);
            2.0 * value / least + 4.0 * (at.abs().next_up() - at.abs())
        };
        let lo = if a.sign() == 0 {
            x.lo - reach(&a, x.lo)
        } else {
            x.hi - reach(&b, x.hi)
        };
        let hi = if b.sign() == 0 {
            x.hi + reach(&b, x.hi)
        } else {
            x.lo + reach(&a, x.lo)
        };
        let around = Interval::new(lo, hi);
        if around.is_bounded() {
            let wider = (self.f)(around)?;
            let (a, b) = (
                (self.f)(Interval::point(lo))?,
                (self.f)(Interval::point(hi))?,
            );
            if wider.is_monotone() && a.sign() * b.sign() < 0 {
                let narrow = self.narrowed(around)?;
                self.roots.push(narrow);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Interval Newton steps inside a part with exactly one root.
    fn narrowed(&mut self, x: Interval) -> Result<Interval, E> {
        const STEPS_MAX: usize = 100;
        let mut x = x;
        for _ in 0..STEPS_MAX {
            let middle = x.middle();
            let slope = (self.f)(x)?.slope;
            let Some(value) = (self.f)(Interval::point(middle))?.values else {
                break;
            };
            let Some(step) = value.over(slope) else {
                break;
            };
            let newton = Interval::point(middle).minus(step.values).hull();
            let Some(mut next) = newton.intersect(x) else {
                break;
            };
            if next.width() > 0.6 * x.width() {
                // Wide slopes: the sign in the middle halves the part.
                let (low, at) = ((self.f)(Interval::point(x.lo))?.sign(), value.sign());
                if at == 0 || low == 0 {
                    x = next;
                    break;
                }
                let half = if low == at {
                    Interval::new(middle, x.hi)
                } else {
                    Interval::new(x.lo, middle)
                };
                next = next.intersect(half).unwrap_or(half);
            }
            if next.width() >= x.width() {
                break;
            }
            x = next;
        }
        Ok(x)
    }

    /// Roots whose enclosures meet are one where the slope has one sign on both.
    pub(super) fn join_roots(&mut self) -> Result<(), E> {
        self.roots.sort_by(|a, b| a.lo.total_cmp(&b.lo));
        let mut joined: Vec<Interval> = Vec::new();
        for next in std::mem::take(&mut self.roots) {
            let Some(last) = joined.last_mut() else {
                joined.push(next);
                continue;
            };
            if last.hi < next.lo {
                joined.push(next);
                continue;
            }
            let both = last.union(next);
            if (self.f)(both)?.is_monotone() {
                *last = last.intersect(next).unwrap_or(both);
            } else {
                joined.pop();
                self.leave(both, UnprovenReason::Undecided, None);
            }
        }
        self.roots = joined;
        Ok(())
    }

    /// Neighbouring parts of a kind become one; then what the signs at its ends tell.
    pub(super) fn join_regions(&mut self) -> Result<(), E> {
        self.regions.sort_by(|a, b| a.part.lo.total_cmp(&b.part.lo));
        let mut joined: Vec<UnprovenRegion> = Vec::new();
        for next in std::mem::take(&mut self.regions) {
            match joined.last_mut() {
                Some(last) if last.kind == next.kind && next.part.lo <= last.part.hi => {
                    last.part.hi = last.part.hi.max(next.part.hi);
                    last.exact = last.exact.or(next.exact);
                }
                _ => joined.push(next),
            }
        }
        for region in &mut joined {
            if region.kind != UnprovenReason::Undecided {
                continue;
            }
            // The ends themselves may be within rounding of zero: a little beyond them the sign is known.
            let reach = region
                .part
                .width()
                .max(region.part.magnitude() * f64::EPSILON);
            let wider = Interval::new(region.part.lo - reach, region.part.hi + reach);
            let signs = (
                (self.f)(Interval::point(wider.lo))?.sign(),
                (self.f)(Interval::point(wider.hi))?.sign(),
            );
            region.has_root = signs.0 * signs.1 < 0 && (self.f)(wider)?.is_regular();
        }
        self.regions = joined;
        Ok(())
    }
}

/// Where a part is divided: not in the middle, where roots like to be.
fn division_point(x: Interval) -> f64 {
    const SHARE: f64 = 0.496_093_75;
    let is_wide = x.lo > 0.0 && x.hi > 16.0 * x.lo || x.hi < 0.0 && x.lo < 16.0 * x.hi;
    let at = if is_wide {
        halfway_double(x.lo, x.hi)
    } else {
        x.lo * (1.0 - SHARE) + x.hi * SHARE
    };
    at.clamp(x.lo.next_up(), x.hi.next_down())
}

/// The double inside with the fewest bits.
fn shortest_double(x: Interval) -> f64 {
    if x.contains(0.0) {
        return 0.0;
    }
    let (near, far) = if x.lo > 0.0 {
        (x.lo, x.hi)
    } else {
        (-x.hi, -x.lo)
    };
    let mut best = far;
    for bits in 1..52 {
        let mask = !((1_u64 << bits) - 1);
        let cut = f64::from_bits(far.to_bits() & mask);
        if cut >= near {
            best = cut;
        }
    }
    if x.lo > 0.0 { best } else { -best }
}
