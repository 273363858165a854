//! Exact values of circular functions at fractions of a half turn.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

use super::{Expr, MathFunction};

/// `cos(k*pi/60)` for the angles that have a short exact value: multiples of 15, 18, 22.5 and 36 degrees are among the sixtieths and eighths.
fn cosine_of_first_quadrant(turns: &BigRational) -> Option<Expr> {
    let (top, bottom) = (turns.numer().to_i64()?, turns.denom().to_i64()?);
    let root = |value: i64| Expr::integer(value).sqrt();
    let quarter = Expr::ratio(1, 4);
    Some(match (top, bottom) {
        (0, 1) => Expr::one(),
        (1, 2) => Expr::zero(),
        (1, 3) => Expr::ratio(1, 2),
        (1, 4) => root(2) / Expr::integer(2),
        (1, 6) => root(3) / Expr::integer(2),
        (1, 12) => (root(6) + root(2)) * quarter,
        (5, 12) => (root(6) - root(2)) * quarter,
        (1, 5) => (root(5) + Expr::one()) * quarter,
        (2, 5) => (root(5) - Expr::one()) * quarter,
        (1, 8) => (Expr::integer(2) + root(2)).sqrt() / Expr::integer(2),
        (3, 8) => (Expr::integer(2) - root(2)).sqrt() / Expr::integer(2),
        (1, 10) => (Expr::integer(10) + Expr::integer(2) * root(5)).sqrt() * quarter,
        (3, 10) => (Expr::integer(10) - Expr::integer(2) * root(5)).sqrt() * quarter,
        _ => return None,
    })
}

/// `cos(turns*pi)`, where it has a short exact value.
pub(crate) fn cosine_of_turns(turns: &BigRational) -> Option<Expr> {
    let two = BigRational::from_integer(BigInt::from(2));
    let one = BigRational::one();
    let half = BigRational::new(BigInt::one(), BigInt::from(2));
    let mut angle = turns - (turns / &two).floor() * &two;
    if angle > one {
        angle = &two - angle;
    }
    match angle > half {
        true => cosine_of_first_quadrant(&(one - angle)).map(|value| -value),
        false => cosine_of_first_quadrant(&angle),
    }
}

/// `sin(turns*pi)`, where it has a short exact value.
pub(crate) fn sine_of_turns(turns: &BigRational) -> Option<Expr> {
    let half = BigRational::new(BigInt::one(), BigInt::from(2));
    cosine_of_turns(&(half - turns))
}

/// `exp(turns*i*pi)`.
pub(crate) fn unit_circle(turns: &BigRational) -> Option<Expr> {
    Some(cosine_of_turns(turns)? + Expr::i() * sine_of_turns(turns)?)
}

/// The exact value of an inverse circular function.
pub(crate) fn inverse_circular(function: &MathFunction, value: &Expr) -> Option<Expr> {
    let sixtieths = [0, 5, 6, 10, 12, 15, 18, 20, 24, 25, 30];
    let eighths = [(1, 8), (3, 8)];
    let angles = sixtieths
        .iter()
        .map(|&count| BigRational::new(BigInt::from(count), BigInt::from(60)))
        .chain(
            eighths
                .iter()
                .map(|&(p, q)| BigRational::new(BigInt::from(p), BigInt::from(q))),
        );
    for turns in angles {
        let angle = Expr::number(turns.clone()) * Expr::pi();
        let candidate = match function {
            MathFunction::Asin => sine_of_turns(&turns)?,
            MathFunction::Acos => cosine_of_turns(&turns)?,
            MathFunction::Atan => {
                let cosine = cosine_of_turns(&turns)?;
                if cosine.is_zero() {
                    continue;
                }
                tangent_value(&turns, &cosine)?
            }
            _ => return None,
        };
        if candidate == *value {
            return Some(angle);
        }
        if *function == MathFunction::Acos && candidate == -value {
            return Some(Expr::pi() - angle);
        }
    }
    None
}

/// `tan(turns*pi)` in its short form.
fn tangent_value(turns: &BigRational, cosine: &Expr) -> Option<Expr> {
    let root = |value: i64| Expr::integer(value).sqrt();
    Some(match (turns.numer().to_i64()?, turns.denom().to_i64()?) {
        (1, 12) => Expr::integer(2) - root(3),
        (5, 12) => Expr::integer(2) + root(3),
        (1, 8) => root(2) - Expr::one(),
        (3, 8) => root(2) + Expr::one(),
        (_, 5 | 10) => sine_of_turns(turns)? / cosine,
        _ => sine_of_turns(turns)? / cosine,
    })
}

/// `tan(turns*pi)`, where it has a short exact value.
pub(crate) fn tangent_of_turns(turns: &BigRational) -> Option<Expr> {
    let one = BigRational::one();
    let half = BigRational::new(BigInt::one(), BigInt::from(2));
    let angle = turns - turns.floor();
    let (angle, is_mirrored) = match angle > half {
        true => (one - angle, true),
        false => (angle, false),
    };
    let cosine = cosine_of_turns(&angle)?;
    if cosine.is_zero() {
        return Some(Expr::undefined());
    }
    let value = tangent_value(&angle, &cosine)?;
    Some(match is_mirrored {
        true => -value,
        false => value,
    })
}
