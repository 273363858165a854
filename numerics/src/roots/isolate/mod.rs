//! All roots of a function in an interval, each proven to be the only one in its enclosure.
//!
//! # Method
//! The interval is divided. A part is left when the enclosure of the values, or the mean value form, excludes zero; where the slope
//! has one sign there is at most one root, which the signs at the ends decide, and interval Newton steps narrow it. What is left
//! when doubles tell no more apart is named: a root of even order or a cluster, a jump, an edge of the domain.
//!
//! # References
//! R. E. Moore, R. B. Kearfott, M. J. Cloud, "Introduction to Interval Analysis", SIAM 2009, chapter 8. E. Hansen and G. W. Walster,
//! "Global Optimization Using Interval Analysis", Dekker 2004, chapter 9.

mod search;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use self::search::IsolationSearch;
use super::interval::Interval;

/// What is known of a function on an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionEnclosure {
    /// Holds the values; `None` where it is defined nowhere.
    pub values: Option<Interval>,
    /// Holds every slope between two points of the interval.
    pub slope: Interval,
    /// Whether it is defined everywhere.
    pub is_defined: bool,
    /// Whether it is continuous.
    pub is_continuous: bool,
}

impl FunctionEnclosure {
    fn may_be_zero(&self) -> bool {
        self.values.is_some_and(|values| values.contains(0.0))
    }

    fn sign(&self) -> i32 {
        self.values.map_or(0, Interval::sign)
    }

    fn is_regular(&self) -> bool {
        self.is_defined && self.is_continuous && self.values.is_some()
    }

    fn is_monotone(&self) -> bool {
        self.is_regular() && self.slope.sign() != 0
    }
}

/// Why a part may have roots that are not proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnprovenReason {
    /// Zero everywhere.
    Zero,
    /// Not told from zero: a root of higher order, several near each other, or a value that comes near to zero.
    Undecided,
    /// The values jump.
    Jump,
    /// Not defined everywhere.
    Edge,
    /// Not looked at: the limit of parts or roots was reached.
    Unsearched,
}

/// A part that is left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnprovenRegion {
    /// From where to where.
    pub part: Interval,
    /// Why it is left.
    pub kind: UnprovenReason,
    /// Whether the function is continuous there and changes its sign: it has a root.
    pub has_root: bool,
    /// A point at which the function is exactly zero.
    pub exact: Option<f64>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct RootIsolation {
    /// Exactly one root in each, ascending.
    pub roots: Vec<Interval>,
    /// What is left, ascending.
    pub regions: Vec<UnprovenRegion>,
    /// Enclosures evaluated.
    pub evaluations: u64,
}

/// Limits of a search.
#[derive(Debug, Clone, Copy)]
pub struct IsolationLimits {
    /// Most parts.
    pub parts: usize,
    /// Most roots.
    pub roots: usize,
}

/// Parts that are looked at side by side.
const PARTS_OPEN: usize = 4096;

/// Isolates the roots of `f` in `whole`, and within two units in the last place beyond its ends.
///
/// # Errors
/// What `f` returns.
pub fn isolate_roots<E>(
    whole: Interval,
    limits: IsolationLimits,
    f: &mut impl FnMut(Interval) -> Result<FunctionEnclosure, E>,
) -> Result<RootIsolation, E> {
    let mut evaluations = 0;
    let mut counted = |x: Interval| {
        evaluations += 1;
        f(x)
    };
    let mut search = IsolationSearch::new(&mut counted);
    let mut open = VecDeque::from([whole]);
    // Roots at the ends may lie a rounding beyond them.
    let beyond = |x: f64, end: f64| if x == 0.0 { x } else { end };
    let (lo, hi) = (
        whole.lo.next_down().next_down(),
        whole.hi.next_up().next_up(),
    );
    for edge in [
        Interval::new(beyond(whole.lo, lo), whole.lo),
        Interval::new(whole.hi, beyond(whole.hi, hi)),
    ] {
        search.edge(edge)?;
    }
    let mut parts = 0;
    // Large parts first; where there are many, one after the other, so that some are searched to the end.
    while let Some(part) = if open.len() > PARTS_OPEN {
        open.pop_back()
    } else {
        open.pop_front()
    } {
        parts += 1;
        if parts > limits.parts || search.roots.len() >= limits.roots {
            open.push_front(part);
            break;
        }
        open.extend(search.part(part)?.into_iter().flatten());
    }
    for part in open {
        search.leave(part, UnprovenReason::Unsearched, None);
    }
    search.join_roots()?;
    search.join_regions()?;
    let (roots, regions) = (search.roots, search.regions);
    Ok(RootIsolation {
        roots,
        regions,
        evaluations,
    })
}
