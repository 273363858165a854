//! Whether two expressions are equal.

use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::numeric::{Comparison, SamplePoint, compare_values};
use crate::poly::fraction::is_proved_zero;
use crate::simplify::forms::simplify;
use crate::tree::walk::{is_known_positive, is_known_real};
use crate::tree::{Expr, MathFunction};

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
    for rewritten in [squares_of(a, b), exponential_difference(&difference)] {
        let is_zero = |it: Expr| is_proved_zero(&it, &budget.share(1_000_000)).unwrap_or(false);
        if rewritten.is_some_and(is_zero) {
            return Ok(EqualityVerdict::Proved);
        }
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

/// The difference of the squares of two expressions that are both principal: equal squares then mean equal values.
fn squares_of(a: &Expr, b: &Expr) -> Option<Expr> {
    let has_shape = [a, b].iter().all(|side| is_principal(side));
    let has_root = |side: &Expr| {
        side.any(&|part| part.as_call().is_some_and(is_modulus) || is_square_root(part))
    };
    (has_shape && (has_root(a) || has_root(b))).then(|| square_of(a) - square_of(b))
}

/// Whether the value has a positive real part, or is zero or above zero on the imaginary axis: numbers above zero, moduli, and one square root.
fn is_principal(expr: &Expr) -> bool {
    let mut roots = 0;
    let fits = expr.factors().iter().all(|factor| {
        let is_root = is_square_root(factor);
        roots += usize::from(is_root);
        is_root || is_known_positive(factor) || factor.as_call().is_some_and(is_modulus)
    });
    fits && roots <= 1
}

fn is_modulus((function, arguments): (&MathFunction, &[Expr])) -> bool {
    *function == MathFunction::Abs && arguments.iter().all(is_known_real)
}

/// Whether it is the square root of a real expression.
fn is_square_root(expr: &Expr) -> bool {
    let (base, exponent) = expr.base_and_exponent();
    exponent == Expr::ratio(1, 2) && is_known_real(&base)
}

/// The square, without the roots and moduli of [`is_principal`].
fn square_of(expr: &Expr) -> Expr {
    Expr::product(expr.factors().iter().map(|factor| match factor.as_call() {
        Some((MathFunction::Abs, [inside])) => inside.powi(2),
        _ if is_square_root(factor) => factor.base_and_exponent().0,
        _ => factor.powi(2),
    }))
}

/// A difference with the imaginary unit, its circular functions as exponentials (Euler).
fn exponential_difference(difference: &Expr) -> Option<Expr> {
    let has_unit = difference.any(&|part| *part == Expr::i());
    has_unit.then(|| difference.rewrite(&|part| Some(circular_as_exponential(part))))
}

/// A sine or cosine by exponentials (Euler); what is neither stays.
pub(crate) fn circular_as_exponential(part: &Expr) -> Expr {
    let Some((function @ (MathFunction::Sin | MathFunction::Cos), [u])) = part.as_call() else {
        return part.clone();
    };
    let (rising, falling) = ((Expr::i() * u).exp(), (-(Expr::i() * u)).exp());
    match function {
        MathFunction::Sin => (rising - falling) / (Expr::integer(2) * Expr::i()),
        _ => (rising + falling) / Expr::integer(2),
    }
}
