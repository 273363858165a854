//! Whether two expressions have equal values at random points of their domain, at 30 digits and more.

use std::collections::BTreeMap;

use astro_float_num::BigFloat;
use num_bigint::BigInt;
use num_rational::BigRational;

use super::complex::{ManyDigitComplex, to_double};
use super::evaluate::{Assignment, Evaluation, WORKING_BITS};
use crate::budget::{Budget, Outcome};
use crate::tree::{Expr, Symbol};

/// Points that are tried for each one wanted.
const TRIES: usize = 12;

/// Values of symbols at which two expressions were compared.
#[derive(Debug, Clone, PartialEq)]
pub struct SamplePoint {
    /// The symbols and their values.
    pub values: BTreeMap<String, String>,
    /// The value of the first expression.
    pub first: String,
    /// The value of the second.
    pub second: String,
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq)]
pub enum Comparison {
    /// Equal at so many points, to 30 digits.
    Agree {
        /// The number of points.
        points: usize,
    },
    /// Different at a point.
    Differ(SamplePoint),
    /// No point where both have a value was found.
    Unknown,
}

impl Comparison {
    /// Whether the expressions agreed.
    pub fn is_agreement(&self) -> bool {
        matches!(self, Self::Agree { .. })
    }

    /// Whether they differed at a point.
    pub fn is_difference(&self) -> bool {
        matches!(self, Self::Differ(_))
    }
}

/// Points of a fixed sequence (G. Steele and others, "Fast splittable pseudorandom number generators", OOPSLA 2014).
pub(crate) struct PointSequence(u64);

impl PointSequence {
    pub(crate) fn new() -> Self {
        Self(0x5eed_5eed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A value that a symbol may have; the range grows with the attempt.
    pub(crate) fn value(&mut self, symbol: &Symbol, attempt: usize) -> BigRational {
        let random = self.next();
        if symbol.traits.is_integer {
            let size = (random % 9) as i64 + 1;
            let is_positive = symbol.traits.is_nonnegative || attempt % 3 != 2;
            return BigRational::from_integer(BigInt::from(if is_positive { size } else { -size }));
        }
        let spread = [2_000, 900, 4_000, 12_000][attempt % 4];
        let size = (random % spread) as i64 + 13;
        // The first point is positive, the second negative in every symbol: there the branches of roots and logarithms differ.
        let is_positive = symbol.traits.is_nonnegative
            || match attempt {
                0 => true,
                1 => false,
                _ => (random >> 40) & 1 == 0,
            };
        BigRational::new(
            BigInt::from(if is_positive { size } else { -size }),
            BigInt::from(997),
        )
    }
}

/// Compares two expressions at up to `points` random points.
pub fn compare_values(
    a: &Expr,
    b: &Expr,
    points: usize,
    budget: &Budget<'_>,
) -> Outcome<Comparison> {
    let symbols: Vec<Symbol> = a.symbols().union(&b.symbols()).cloned().collect();
    let mut sequence = PointSequence::new();
    let wanted = match symbols.is_empty() {
        true => 1,
        false => points,
    };
    let mut agreed = 0;
    for attempt in 0..wanted * TRIES {
        let chosen: Vec<BigRational> = symbols
            .iter()
            .map(|symbol| sequence.value(symbol, attempt))
            .collect();
        let Some((first, second, is_equal)) = values_at(a, b, &symbols, &chosen, budget)? else {
            if symbols.is_empty() {
                break;
            }
            continue;
        };
        if !is_equal {
            let values = symbols
                .iter()
                .zip(&chosen)
                .map(|(symbol, value)| (symbol.name.to_string(), value.to_string()));
            return Ok(Comparison::Differ(SamplePoint {
                values: values.collect(),
                first: describe(&first),
                second: describe(&second),
            }));
        }
        agreed += 1;
        if agreed == wanted {
            break;
        }
    }
    Ok(match agreed {
        0 => Comparison::Unknown,
        points => Comparison::Agree { points },
    })
}

fn describe(value: &ManyDigitComplex) -> String {
    super::evaluate::describe_value(value, 20).text
}

/// The values at a point and whether they are equal.
fn values_at(
    a: &Expr,
    b: &Expr,
    symbols: &[Symbol],
    chosen: &[BigRational],
    budget: &Budget<'_>,
) -> Outcome<Option<(ManyDigitComplex, ManyDigitComplex, bool)>> {
    let at_precision = |bits: usize| -> Outcome<
        Option<(ManyDigitComplex, ManyDigitComplex, BigFloat, BigFloat)>,
    > {
        let Some(evaluation) = Evaluation::new(bits, Assignment::new(), budget) else {
            return Ok(None);
        };
        let values: Assignment = symbols
            .iter()
            .zip(chosen)
            .map(|(symbol, value)| {
                let value = evaluation.arithmetic.fraction(value);
                (symbol.clone(), evaluation.arithmetic.complex(value))
            })
            .collect();
        let Some(mut evaluation) = Evaluation::new(bits, values, budget) else {
            return Ok(None);
        };
        let (Some(first), Some(second)) = (evaluation.value(a)?, evaluation.value(b)?) else {
            return Ok(None);
        };
        let math = &evaluation.arithmetic;
        let gap = math.modulus(&math.sub(&first, &second));
        let size = math.fadd(&math.modulus(&first), &math.modulus(&second));
        Ok(Some((first, second, gap, size)))
    };
    // 2^-110 is below 10^-33.
    let is_close = |gap: &BigFloat, size: &BigFloat| match (gap.exponent(), size.exponent()) {
        _ if gap.is_zero() => true,
        (Some(gap), Some(size)) => i64::from(size) - i64::from(gap) > 110,
        _ => false,
    };
    // A difference that is rounding becomes smaller with more digits: after cancellation, the first ones say nothing.
    let mut before: Option<i64> = None;
    let mut values = None;
    for bits in [WORKING_BITS, 4 * WORKING_BITS, 16 * WORKING_BITS] {
        let Some((first, second, gap, size)) = at_precision(bits)? else {
            return Ok(None);
        };
        let exponent = gap.exponent().map_or(0, i64::from);
        let is_equal = is_close(&gap, &size);
        let shrinks = before.is_none_or(|before| before - exponent > 100);
        values = Some((first, second, is_equal || shrinks));
        if is_equal || !shrinks {
            break;
        }
        before = Some(exponent);
    }
    Ok(values)
}

/// Whether an expression without symbols is zero, by its digits; `None` where it has no value.
pub(crate) fn is_numeric_zero(expr: &Expr, budget: &Budget<'_>) -> Outcome<Option<bool>> {
    Ok(match compare_values(expr, &Expr::zero(), 1, budget)? {
        Comparison::Agree { .. } => Some(true),
        Comparison::Differ(_) => Some(false),
        Comparison::Unknown => None,
    })
}

/// The sign of a real expression without symbols; `None` where it is not real or has no value.
pub(crate) fn numeric_sign(expr: &Expr, budget: &Budget<'_>) -> Outcome<Option<i64>> {
    if is_numeric_zero(expr, budget)? == Some(true) {
        return Ok(Some(0));
    }
    let Some(mut evaluation) = Evaluation::new(WORKING_BITS, Assignment::new(), budget) else {
        return Ok(None);
    };
    Ok(evaluation.value(expr)?.and_then(|value| {
        let (re, im) = value.to_doubles();
        (im.abs() <= re.abs() * 1e-40).then(|| super::evaluate::sign_of(&value.re))
    }))
}

/// The real double of an expression without symbols.
pub(crate) fn real_double(expr: &Expr, budget: &Budget<'_>) -> Outcome<Option<f64>> {
    let Some(mut evaluation) = Evaluation::new(WORKING_BITS, Assignment::new(), budget) else {
        return Ok(None);
    };
    Ok(evaluation.value(expr)?.and_then(|value| {
        let (re, im) = value.to_doubles();
        (im.abs() <= re.abs() * 1e-40 || (im == 0.0))
            .then(|| to_double(&value.re))
            .filter(|_| re.is_finite())
    }))
}
