//! Diophantine equations: linear ones in two unknowns, and Pell's.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Zero as _};

use super::fractions::{expand_square_root, floor_quotient};
use super::modular::extended_gcd;
use super::work::{WorkBudget, WorkEnd};

/// All solutions `(x + dx t, y + dy t)` of `a x + b y = c`, for every integer `t`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiophantineLine {
    /// The least `x` that is not negative, where `b` is not 0.
    pub x: BigInt,
    /// Its `y`.
    pub y: BigInt,
    /// Step of `x`, not negative.
    pub dx: BigInt,
    /// Step of `y`.
    pub dy: BigInt,
}

/// Solves `a x + b y = c` with `a` and `b` not both 0; `None` where their divisor does not divide `c`.
pub fn solve_linear_diophantine(a: &BigInt, b: &BigInt, c: &BigInt) -> Option<DiophantineLine> {
    let bezout = extended_gcd(a, b);
    if bezout.gcd.is_zero() || !(c % &bezout.gcd).is_zero() {
        return None;
    }
    let scale = c / &bezout.gcd;
    let (mut x, mut y) = (&bezout.x * &scale, &bezout.y * &scale);
    let (mut dx, mut dy) = (b / &bezout.gcd, -(a / &bezout.gcd));
    if dx < BigInt::zero() {
        (dx, dy) = (-dx, -dy);
    }
    if !dx.is_zero() {
        let shift = floor_quotient(&x, &dx);
        x -= &shift * &dx;
        y -= &shift * &dy;
    }
    Some(DiophantineLine { x, y, dx, dy })
}

/// The least solution of Pell's equation and those after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PellResult {
    /// Pairs `(x, y)`, the least first.
    pub solutions: Vec<(BigInt, BigInt)>,
    /// Length of the period of the square root.
    pub period: usize,
}

/// Most terms of a period: 2^20, as many as a root of a number of 12 digits may have.
const PERIOD_MAX: usize = 1 << 20;

/// The `count` least positive solutions of `x^2 - d y^2 = 1` for `d` that is no square.
///
/// # Errors
/// The budget; [`WorkEnd::Spent`] also where the period is beyond 2^20 terms.
pub fn solve_pell(
    d: &BigUint,
    count: usize,
    work: &mut WorkBudget<'_>,
) -> Result<PellResult, WorkEnd> {
    let (first, period) = least_solution(d, false, work)?;
    let first = first.unwrap_or_default();
    Ok(PellResult {
        solutions: repeat_solution(d, &first, &first, count),
        period,
    })
}

/// The `count` least positive solutions of `x^2 - d y^2 = -1`; none where the period is even.
///
/// # Errors
/// As [`solve_pell`].
pub fn solve_negative_pell(
    d: &BigUint,
    count: usize,
    work: &mut WorkBudget<'_>,
) -> Result<PellResult, WorkEnd> {
    let (first, period) = least_solution(d, true, work)?;
    let solutions = match first {
        None => Vec::new(),
        Some(first) => {
            let unit = repeat_solution(d, &first, &first, 2)
                .pop()
                .unwrap_or_default();
            repeat_solution(d, &first, &unit, count)
        }
    };
    Ok(PellResult { solutions, period })
}

/// The fundamental solution for the right side 1, or -1 where `is_negative`.
fn least_solution(
    d: &BigUint,
    is_negative: bool,
    work: &mut WorkBudget<'_>,
) -> Result<(Option<(BigInt, BigInt)>, usize), WorkEnd> {
    let root = expand_square_root(d, PERIOD_MAX, work)?;
    let period = root.period.len();
    if root.is_cut || period == 0 {
        return Err(WorkEnd::Spent);
    }
    if is_negative && period % 2 == 0 {
        return Ok((None, period));
    }
    let terms = match is_negative || period % 2 == 0 {
        true => period,
        false => 2 * period,
    };
    // The digits of a convergent grow with its index.
    let length = (terms as u64).saturating_mul(terms as u64) / 16 + 64;
    work.spend(length)?;
    let convergents = last_convergent(&root.terms, &root.period, terms);
    Ok((Some(convergents), period))
}

/// The convergent of so many terms, without those before it.
fn last_convergent(terms: &[BigInt], period: &[BigInt], count: usize) -> (BigInt, BigInt) {
    let (mut h_before, mut h) = (BigInt::zero(), BigInt::one());
    let (mut k_before, mut k) = (BigInt::one(), BigInt::zero());
    for term in terms.iter().chain(period.iter().cycle()).take(count) {
        let (h_next, k_next) = (term * &h + &h_before, term * &k + &k_before);
        (h_before, h) = (h, h_next);
        (k_before, k) = (k, k_next);
    }
    (h, k)
}

/// The first solution, then each one times the unit `x + y sqrt(d)`.
fn repeat_solution(
    d: &BigUint,
    first: &(BigInt, BigInt),
    unit: &(BigInt, BigInt),
    count: usize,
) -> Vec<(BigInt, BigInt)> {
    let d = BigInt::from(d.clone());
    let mut all = Vec::with_capacity(count);
    let mut current = first.clone();
    for _ in 0..count {
        all.push(current.clone());
        current = (
            &current.0 * &unit.0 + &d * &current.1 * &unit.1,
            &current.0 * &unit.1 + &current.1 * &unit.0,
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::fractions::list_convergents;
    use super::*;

    #[test]
    fn a_convergent_is_the_last_of_the_list() {
        let never = || false;
        let mut work = WorkBudget::new(1 << 20, &never);
        let root = expand_square_root(&BigUint::from(61_u8), 100, &mut work).unwrap();
        let listed = list_convergents(&root, 22);
        let (h, k) = last_convergent(&root.terms, &root.period, 22);
        let last = listed.last().unwrap();
        assert_eq!((&last.numerator, &last.denominator), (&h, &k));
    }
}
