//! Sums in closed form: of polynomials, of geometric and hypergeometric terms (R. W. Gosper, PNAS 75, 1978, by an antidifference with unknown coefficients),
//! and known infinite ones.

use num_traits::ToPrimitive;

use crate::budget::{Budget, Outcome, refuse};
use crate::calculus::coefficients_of;
use crate::calculus::limit::{LimitSide, limit_of};
use crate::numeric::bernoulli::bernoulli_numbers;
use crate::numeric::compare_values;
use crate::simplify::apart::{as_rational_function, partial_fractions};
use crate::simplify::expand::expand;
use crate::simplify::forms::{factor, simplify};
use crate::tree::{Expr, MathFunction};

/// Terms that are added one by one.
const DIRECT_LIMIT: i64 = 2_000;

/// The sum over whole `k` from `low` to `high`, which may be infinite.
pub fn sum_of(
    expr: &Expr,
    k: &Expr,
    low: &Expr,
    high: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    if let (Some(first), Some(last)) = (low.as_integer(), high.as_integer())
        && last - first < DIRECT_LIMIT
    {
        let mut terms = Vec::new();
        for index in first..=last {
            budget.spend(expr.size() as usize)?;
            terms.push(expr.replace(k, &Expr::integer(index)));
        }
        return budget.admit(Expr::sum(terms)).map(Some);
    }
    if high.is_infinite() {
        return infinite_sum(expr, k, low, budget);
    }
    let Some(antidifference) = antidifference(expr, k, budget)? else {
        return Ok(None);
    };
    let value = antidifference.replace(k, &(high + Expr::one())) - antidifference.replace(k, low);
    let value = budget.admit(value)?;
    let short = factor(&value, &budget.share(300_000)).unwrap_or_else(|_| value.clone());
    let simple = simplify(&value, &budget.share(300_000)).unwrap_or_else(|_| value.clone());
    let best = crate::simplify::circular::shortest(vec![short, simple, value]);
    match is_sum_checked(expr, k, low, high, &best, budget)? {
        true => Ok(Some(best)),
        false => Ok(None),
    }
}

/// A sum that was found elsewhere, in a short form; `None` where it does not stand its check.
pub(crate) fn keep_sum(
    found: &Expr,
    expr: &Expr,
    k: &Expr,
    (low, high): (&Expr, &Expr),
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    let simple = simplify(found, &budget.share(300_000)).unwrap_or_else(|_| found.clone());
    let best = crate::simplify::circular::shortest(vec![simple, found.clone()]);
    let holds = match (high.is_infinite(), high.as_symbol()) {
        (true, _) => super::accelerate::is_infinite_sum(expr, k, low, &best, budget)?,
        (false, Some(_)) => is_sum_checked(expr, k, low, high, &best, budget)?,
        (false, None) => false,
    };
    Ok(holds.then_some(best))
}

/// Compares with the terms added, for a few upper limits.
fn is_sum_checked(
    expr: &Expr,
    k: &Expr,
    low: &Expr,
    high: &Expr,
    value: &Expr,
    budget: &Budget<'_>,
) -> Outcome<bool> {
    let Some(first) = low.as_integer() else {
        // The difference in the upper limit is the term, and one term is itself.
        let next = value.replace(high, &(high + Expr::one()));
        let is_step = high.as_symbol().is_some()
            && compare_values(
                &(next - value),
                &expr.replace(k, &(high + Expr::one())),
                4,
                budget,
            )?
            .is_agreement();
        let single = value.replace(high, low);
        return Ok(
            is_step && compare_values(&single, &expr.replace(k, low), 4, budget)?.is_agreement()
        );
    };
    let symbol = match high.as_symbol() {
        Some(_) => high.clone(),
        None => match high.as_integer() {
            Some(_) => return Ok(true),
            None => return Ok(false),
        },
    };
    for count in [0, 1, 2, 5] {
        let last = first + count;
        let terms = Expr::sum((first..=last).map(|index| expr.replace(k, &Expr::integer(index))));
        let stated = value.replace(&symbol, &Expr::integer(last));
        if !compare_values(&terms, &stated, 3, budget)?.is_agreement() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `F` with `F(k+1) - F(k) = expr`.
fn antidifference(expr: &Expr, k: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    let expanded = expand(expr, budget)?;
    if let Some(parts) = coefficients_of(&expanded, k, budget)? {
        return Ok(Some(faulhaber(&parts, k)));
    }
    if let Some(found) = telescoping(expr, k, budget)? {
        return Ok(Some(found));
    }
    let mut total = Vec::new();
    for term in expanded.terms() {
        match geometric_term(term, k, budget)? {
            Some(found) => total.push(found),
            None => return Ok(None),
        }
    }
    Ok(Some(Expr::sum(total)))
}

/// Sums of powers by Bernoulli's numbers.
fn faulhaber(parts: &[Expr], k: &Expr) -> Expr {
    let numbers = bernoulli_numbers(parts.len() + 1);
    Expr::sum(parts.iter().enumerate().map(|(power, part)| {
        // sum_{j<k} j^p = 1/(p+1) * sum_i C(p+1, i) B_i k^(p+1-i)
        let p = power as i64;
        let mut binomial = num_rational::BigRational::from_integer(1.into());
        let mut terms = Vec::new();
        for i in 0..=p {
            terms.push(Expr::number(&binomial * &numbers[i as usize]) * k.powi(p + 1 - i));
            binomial *= num_rational::BigRational::new((p + 1 - i).into(), (i + 1).into());
        }
        part * Expr::sum(terms) / Expr::integer(p + 1)
    }))
}

/// `p(k)*r^k` with a polynomial p: `q(k)*r^k` with `r*q(k+1) - q(k) = p(k)`.
fn geometric_term(term: &Expr, k: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    let mut ratio = Expr::one();
    let mut rest = Vec::new();
    for factor in term.factors() {
        let (base, exponent) = factor.base_and_exponent();
        if exponent.contains(k) && !base.contains(k) {
            let slope = crate::calculus::differentiate::derivative_of(&exponent, k, budget)?;
            if slope.contains(k) {
                return Ok(None);
            }
            ratio = ratio * base.pow(&slope);
            rest.push(base.pow(&exponent.replace(k, &Expr::zero())));
        } else {
            rest.push(factor.clone());
        }
    }
    let Some(mut parts) = coefficients_of(&Expr::product(rest), k, budget)? else {
        return Ok(None);
    };
    if ratio.is_one() {
        return Ok(Some(faulhaber(&parts, k)));
    }
    let step = &ratio - Expr::one();
    let mut coefficients = vec![Expr::zero(); parts.len()];
    for power in (0..parts.len()).rev() {
        let value = &parts[power] / &step;
        // r*(k+1)^n contributes to all lower powers.
        let mut binomial = Expr::one();
        for lower in (0..power).rev() {
            binomial = binomial * Expr::ratio(lower as i64 + 1, (power - lower) as i64);
            parts[lower] = &parts[lower] - &ratio * &value * &binomial;
        }
        coefficients[power] = value;
    }
    let polynomial = Expr::sum(
        coefficients
            .iter()
            .enumerate()
            .map(|(power, value)| value * k.powi(power as i64)),
    );
    Ok(Some(polynomial * ratio.pow(k)))
}

/// The exponent m, the fraction of s, and whole parts of s with their weights, of terms c/(k + s)^m.
type ShiftedTerms = (
    usize,
    num_rational::BigRational,
    Vec<(i64, num_rational::BigRational)>,
);

/// Rational terms whose partial fractions cancel when the index is shifted.
fn telescoping(expr: &Expr, k: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    let Some((num, den)) = as_rational_function(expr, k, budget)? else {
        return factorial_step(expr, k, budget);
    };
    let parts = partial_fractions(&num, &den, budget)?;
    let whole: Vec<Expr> = parts
        .whole
        .0
        .iter()
        .map(|value| Expr::number(value.clone()))
        .collect();
    // Terms c/(k + s)^m, by m and by the fraction of s.
    let mut groups: Vec<ShiftedTerms> = Vec::new();
    for term in &parts.terms {
        if term.factor.degree() != 1 {
            return Ok(None);
        }
        let shift = term.factor.coefficient(0) / term.factor.leading();
        let floor = shift.floor();
        let fraction = &shift - &floor;
        let Some(offset) = floor.numer().to_i64() else {
            return Ok(None);
        };
        let weight = term.numerator.leading() / num_traits::pow(term.factor.leading(), term.power);
        match groups
            .iter_mut()
            .find(|(power, part, _)| *power == term.power && *part == fraction)
        {
            Some(group) => group.2.push((offset, weight)),
            None => groups.push((term.power, fraction, vec![(offset, weight)])),
        }
    }
    let mut total = vec![faulhaber(&whole, k)];
    for (power, fraction, members) in groups {
        let sum = members.iter().fold(
            num_rational::BigRational::from_integer(0.into()),
            |sum, (_, weight)| sum + weight,
        );
        if sum != num_rational::BigRational::from_integer(0.into()) {
            return Ok(None);
        }
        let lowest = members.iter().map(|(offset, _)| *offset).min().unwrap_or(0);
        for (offset, weight) in members {
            if offset - lowest > 200 {
                return Ok(None);
            }
            // 1/(k+s+n) = 1/(k+s) + the difference of the sum over j < n.
            for j in lowest..offset {
                let base =
                    k + Expr::number(&fraction + num_rational::BigRational::from_integer(j.into()));
                total.push(Expr::number(weight.clone()) * base.powi(-(power as i64)));
            }
        }
    }
    Ok(Some(Expr::sum(total)))
}

/// `k*k! = (k+1)! - k!`, and the same with quotients, by a multiple of the term with a rational function tried.
fn factorial_step(expr: &Expr, k: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    if !expr.any(&|part| matches!(part.as_call(), Some((MathFunction::Factorial, _)))) {
        return Ok(None);
    }
    for multiple in [
        Expr::one(),
        k.recip(),
        k.clone(),
        -Expr::one(),
        -k,
        -(k + Expr::one()),
        (k + Expr::one()) / k,
    ] {
        let candidate = &multiple * expr;
        let difference = candidate.replace(k, &(k + Expr::one())) - &candidate;
        if crate::poly::fraction::is_proved_zero(&(difference - expr), &budget.share(100_000))
            .unwrap_or(false)
        {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

fn infinite_sum(expr: &Expr, k: &Expr, low: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    if let Some(found) = known_series(expr, k, low, budget)? {
        return Ok(Some(found));
    }
    let Some(antidifference) = antidifference(expr, k, budget)? else {
        return Ok(None);
    };
    let limit = limit_of(
        &antidifference,
        k,
        &Expr::infinity(),
        LimitSide::Both,
        budget,
    )?;
    if limit.is_infinite() {
        return refuse("the sum diverges");
    }
    let value = limit - antidifference.replace(k, low);
    let value = simplify(&budget.admit(value)?, budget)?;
    Ok(Some(value))
}

/// `1/k^s`, `(-1)^k/k^s`, `x^k/k!`, `x^k/k`.
fn known_series(expr: &Expr, k: &Expr, low: &Expr, budget: &Budget<'_>) -> Outcome<Option<Expr>> {
    let Some(first) = low.as_integer() else {
        return Ok(None);
    };
    let (inside, outside): (Vec<&Expr>, Vec<&Expr>) =
        expr.factors().iter().partition(|factor| factor.contains(k));
    let constant = Expr::product(outside.into_iter().cloned());
    let term = Expr::product(inside.into_iter().cloned());
    let finish = |total: Expr, start: i64| -> Outcome<Option<Expr>> {
        if first < start {
            return Ok(None);
        }
        if first - start > 200 {
            return Ok(None);
        }
        let missing = Expr::sum((start..first).map(|index| term.replace(k, &Expr::integer(index))));
        Ok(Some(simplify(
            &(&constant * (total - missing)),
            &budget.share(200_000),
        )?))
    };
    let (mut power, mut ratio, mut has_factorial) = (0i64, Expr::one(), false);
    for factor in term.factors() {
        let (base, exponent) = factor.base_and_exponent();
        let factorial = Expr::apply(MathFunction::Factorial, k.clone());
        if base == *k && exponent.as_integer().is_some() {
            power += exponent.as_integer().unwrap_or(0);
        } else if base == factorial && exponent.as_integer() == Some(-1) {
            has_factorial = true;
        } else if !base.contains(k) {
            let slope = crate::calculus::differentiate::derivative_of(&exponent, k, budget)?;
            if slope.contains(k) || !exponent.replace(k, &Expr::zero()).is_zero() {
                return Ok(None);
            }
            ratio = ratio * base.pow(&slope);
        } else {
            return Ok(None);
        }
    }
    match (has_factorial, power) {
        (true, 0) => finish(ratio.exp(), 0),
        (true, 1) => finish(&ratio * ratio.exp(), 0),
        (true, 2) => finish((ratio.powi(2) + &ratio) * ratio.exp(), 0),
        (false, -1) => {
            let size = crate::numeric::compare::real_double(&ratio, budget)?;
            match size {
                Some(size) if (-1.0..1.0).contains(&size) => finish(-(Expr::one() - ratio).ln(), 1),
                Some(_) => refuse("the sum diverges"),
                None => Ok(None),
            }
        }
        (false, power) if power < -1 && ratio.is_one() => {
            finish(Expr::apply(MathFunction::Zeta, Expr::integer(-power)), 1)
        }
        (false, power) if power < -1 && ratio == Expr::integer(-1) => {
            let zeta = Expr::apply(MathFunction::Zeta, Expr::integer(-power));
            finish((Expr::integer(2).powi(1 + power) - Expr::one()) * zeta, 1)
        }
        (false, power) if power >= 0 && !ratio.is_one() => {
            let size = crate::numeric::compare::real_double(&ratio, budget)?;
            match size {
                Some(size) if size.abs() >= 1.0 => refuse("the sum diverges"),
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}
