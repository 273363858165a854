//! Whether two expressions are equal.

use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::numeric::{Comparison, SamplePoint, compare_values};
use crate::poly::fraction::is_proved_zero;
use crate::simplify::forms::simplify;
use crate::tree::Expr;

/// Points at which equality is tried.
pub(crate) const POINTS: usize = 8;

/// What is known of an equality.
#[derive(Debug, Clone, PartialEq)]
pub enum EqualityVerdict {
    /// The difference is zero in its normal form.
    Proved,
    /// The values differ at a point.
    Refuted(SamplePoint),
    /// Equal at so many points to 30 digits, without proof.
    Undecided {
        /// The number of points; 0 where none has a value.
        points: usize,
    },
}

/// Decides whether two expressions are equal wherever both are defined.
pub fn decide_equality(a: &Expr, b: &Expr, budget: &Budget<'_>) -> Outcome<EqualityVerdict> {
    let points = match compare_values(a, b, POINTS, budget)? {
        Comparison::Differ(point) => return Ok(EqualityVerdict::Refuted(point)),
        Comparison::Agree { points } => points,
        Comparison::Unknown => 0,
    };
    let difference = a - b;
    let proved = is_proved_zero(&difference, &budget.share(1_500_000));
    match proved {
        Ok(true) => return Ok(EqualityVerdict::Proved),
        Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
        _ => {}
    }
    if points > 0
        && let (Ok(x), Ok(y)) = (
            simplify(a, &budget.share(1_000_000)),
            simplify(b, &budget.share(1_000_000)),
        )
        && (x == y || is_proved_zero(&(x - y), &budget.share(1_000_000)).unwrap_or(false))
    {
        return Ok(EqualityVerdict::Proved);
    }
    Ok(EqualityVerdict::Undecided { points })
}
