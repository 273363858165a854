//! Derivatives beside differences of values, and series beside the values that they stand for.

use astro_float_num::BigFloat;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::budget::{Budget, Outcome};
use crate::numeric::compare::PointSequence;
use crate::numeric::complex::ManyDigitComplex;
use crate::numeric::evaluate::{Assignment, Evaluation, WORKING_BITS};
use crate::tree::{Expr, Symbol};

/// Points at which a derivative is compared.
const POINTS: usize = 3;
/// Points that are tried for each one wanted.
const TRIES: usize = 8;
/// Powers of the step that a difference leaves out.
const DIFFERENCE_ORDER: usize = 8;
/// The step of differences is 2 to the power of minus this.
const STEP_BITS: usize = 24;
/// Highest order of a derivative that is compared.
const ORDER_LIMIT: usize = 12;
/// Bits to which values agree: 30 digits.
const AGREEMENT_BITS: i64 = 100;
/// Distances from the point of a series are 2 to the power of minus these.
const NEARNESS: [usize; 2] = [14, 38];

/// What a check by values found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueCheck {
    /// Points that agreed; 0 where there is no value to compare with.
    pub points: usize,
    /// Digits to which they agreed.
    pub digits: usize,
    /// Whether a point differs.
    pub has_failed: bool,
}

fn values_of(
    expr: &Expr,
    values: Assignment,
    bits: usize,
    budget: &Budget<'_>,
) -> Outcome<Option<ManyDigitComplex>> {
    match Evaluation::new(bits, values, budget) {
        Some(mut evaluation) => evaluation.value(expr),
        None => Ok(None),
    }
}

fn assignment(
    symbols: &[(Symbol, BigRational)],
    bits: usize,
    budget: &Budget<'_>,
) -> Option<Assignment> {
    let empty = Evaluation::new(bits, Assignment::new(), budget)?;
    let set = symbols.iter().map(|(symbol, value)| {
        let value = empty.arithmetic.fraction(value);
        (symbol.clone(), empty.arithmetic.complex(value))
    });
    Some(set.collect())
}

/// Compares a derivative with central differences of values at random points.
pub fn check_derivative(
    expr: &Expr,
    x: &Expr,
    order: usize,
    derivative: &Expr,
    budget: &Budget<'_>,
) -> Outcome<ValueCheck> {
    let mut check = ValueCheck {
        points: 0,
        digits: 30,
        has_failed: false,
    };
    let Some(variable) = x.as_symbol() else {
        return Ok(check);
    };
    if order == 0 || order > ORDER_LIMIT || !expr.contains(x) {
        return Ok(check);
    }
    let bits = (WORKING_BITS + STEP_BITS * order).next_multiple_of(64);
    let weights = difference_weights(order);
    let half = weights.len() as i64 / 2;
    let step = BigRational::new(BigInt::one(), BigInt::one() << STEP_BITS);
    let mut symbols: Vec<Symbol> = expr.symbols().into_iter().collect();
    symbols.retain(|symbol| symbol != variable);
    let mut sequence = PointSequence::new();
    for attempt in 0..POINTS * TRIES {
        let mut chosen: Vec<(Symbol, BigRational)> = symbols
            .iter()
            .map(|symbol| (symbol.clone(), sequence.value(symbol, attempt)))
            .collect();
        let centre = sequence.value(variable, attempt);
        chosen.push((variable.clone(), centre.clone()));
        let Some(values) = assignment(&chosen, bits, budget) else {
            break;
        };
        let Some(exact) = values_of(derivative, values, bits, budget)? else {
            continue;
        };
        let Some(evaluation) = Evaluation::new(bits, Assignment::new(), budget) else {
            break;
        };
        let math = &evaluation.arithmetic;
        let mut total = math.small(0);
        let mut size = math.modulus(&exact);
        let mut is_complete = true;
        for (place, weight) in weights.iter().enumerate().filter(|(_, one)| !one.is_zero()) {
            let shift = BigRational::from_integer(BigInt::from(place as i64 - half));
            if let Some(last) = chosen.last_mut() {
                last.1 = &centre + &step * shift;
            }
            let value = match assignment(&chosen, bits, budget) {
                Some(values) => values_of(expr, values, bits, budget)?,
                None => None,
            };
            let Some(value) = value else {
                is_complete = false;
                break;
            };
            let term = math.mul(&value, &math.complex(math.fraction(weight)));
            // Values themselves, not their quotients, tell what can be lost to cancellation.
            size = math.fadd(&size, &math.modulus(&value));
            total = math.add(&total, &term);
        }
        if !is_complete {
            continue;
        }
        let scale = math.fraction(&num_traits::pow(step.clone(), order));
        let slope = math.div(&total, &math.complex(scale));
        let gap = math.modulus(&math.sub(&slope, &exact));
        match is_below(&gap, &size, AGREEMENT_BITS) {
            true => check.points += 1,
            false => {
                check.has_failed = true;
                return Ok(check);
            }
        }
        if check.points == POINTS {
            break;
        }
    }
    Ok(check)
}

fn is_below(gap: &BigFloat, size: &BigFloat, bits: i64) -> bool {
    match (gap.exponent(), size.exponent()) {
        _ if gap.is_zero() => true,
        _ if size.is_zero() => false,
        (Some(gap), Some(size)) => i64::from(size) - i64::from(gap) > bits,
        _ => false,
    }
}

/// Weights of values at equally spaced points around the middle, for a derivative of an order (B. Fornberg, Math. Comp. 51, 1988).
fn difference_weights(order: usize) -> Vec<BigRational> {
    let half = (order.div_ceil(2) + DIFFERENCE_ORDER / 2) as i64;
    let points: Vec<BigRational> = (-half..=half)
        .map(|at| BigRational::from_integer(at.into()))
        .collect();
    let count = points.len();
    let zero = BigRational::zero;
    let mut table = vec![vec![zero(); order + 1]; count];
    table[0][0] = BigRational::one();
    let mut before = BigRational::one();
    for n in 1..count {
        let mut product = BigRational::one();
        let row_before = table[n - 1].clone();
        for at in 0..n {
            let gap = &points[n] - &points[at];
            product *= &gap;
            for k in (0..=order.min(n)).rev() {
                if at == n - 1 {
                    let low = if k == 0 {
                        zero()
                    } else {
                        row_before[k - 1].clone()
                    };
                    let factor = BigRational::from_integer((k as i64).into());
                    table[n][k] =
                        &before * (factor * low - &points[n - 1] * &row_before[k]) / &product;
                }
            }
            for k in (0..=order.min(n)).rev() {
                let low = if k == 0 {
                    zero()
                } else {
                    table[at][k - 1].clone()
                };
                let factor = BigRational::from_integer((k as i64).into());
                table[at][k] = (&points[n] * &table[at][k] - factor * low) / &gap;
            }
        }
        before = product;
    }
    table.into_iter().map(|mut row| row.remove(order)).collect()
}

/// Compares a series with the values of its expression at two points near: the error falls as the power that is left out.
pub fn check_series(
    expr: &Expr,
    x: &Expr,
    point: &Expr,
    terms: &Expr,
    order: f64,
    budget: &Budget<'_>,
) -> Outcome<ValueCheck> {
    let mut check = ValueCheck {
        points: 0,
        digits: 0,
        has_failed: false,
    };
    let Some(variable) = x.as_symbol() else {
        return Ok(check);
    };
    let bits = (WORKING_BITS + (40.0 * order.max(1.0)) as usize).next_multiple_of(64);
    let mut sequence = PointSequence::new();
    let others: Vec<(Symbol, BigRational)> = expr
        .symbols()
        .union(&point.symbols())
        .filter(|symbol| *symbol != variable)
        .map(|symbol| (symbol.clone(), sequence.value(symbol, 0)))
        .collect();
    let mut errors = Vec::new();
    for nearness in NEARNESS {
        let distance = Expr::number(BigRational::new(BigInt::one(), BigInt::one() << nearness));
        let at = match (point.is_infinite(), point.as_constant()) {
            (true, Some(crate::tree::MathConstant::MinusInfinity)) => -distance.recip(),
            (true, _) => distance.recip(),
            _ => point + distance,
        };
        let set = |expr: &Expr| -> Outcome<Option<ManyDigitComplex>> {
            let placed = expr.replace(x, &at);
            match assignment(&others, bits, budget) {
                Some(values) if placed.poison().is_none() => {
                    values_of(&placed, values, bits, budget)
                }
                _ => Ok(None),
            }
        };
        let (Some(value), Some(sum)) = (set(expr)?, set(terms)?) else {
            return Ok(check);
        };
        let Some(evaluation) = Evaluation::new(bits, Assignment::new(), budget) else {
            return Ok(check);
        };
        let math = &evaluation.arithmetic;
        let gap = math.modulus(&math.sub(&value, &sum));
        let size = math.modulus(&value);
        let exponent = |value: &BigFloat| match value.is_zero() {
            true => None,
            false => value.exponent().map(i64::from),
        };
        errors.push((exponent(&gap), exponent(&size).unwrap_or(0)));
    }
    let [(far, _), (near, size)] = errors.as_slice() else {
        return Ok(check);
    };
    check.points = NEARNESS.len();
    // An error of nothing, or of rounding alone.
    let floor = size - bits as i64 + 40;
    let near = near.unwrap_or(floor).max(floor);
    let far = far.unwrap_or(floor).max(floor);
    let fall = (NEARNESS[1] - NEARNESS[0]) as f64 * order;
    // Factors of logarithms and of the next coefficients are below 2^8 between such points; a wrong last coefficient is one of 2^24.
    check.has_failed = near > floor + 8 && ((far - near) as f64) < fall - 8.0;
    check.digits = (((size - near).max(0) as f64 * 0.301) as usize).min(60);
    Ok(check)
}

/// The power at which a series is cut off, a fraction.
pub fn power_of_order(text: &str) -> Option<f64> {
    let (top, bottom) = text.split_once('/').unwrap_or((text, "1"));
    let number = |text: &str| text.trim_matches(['(', ')', ' ']).parse::<f64>().ok();
    let (top, bottom) = (number(top)?, number(bottom)?);
    (bottom != 0.0).then_some(top / bottom)
}
