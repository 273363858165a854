//! Powers: exact roots, powers of powers and of products, where the rule holds for all values.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::integer::{exact_root, rational_power, small_factors};
use super::special_angles::unit_circle;
use super::walk::{is_known_nonnegative, is_known_real};
use super::{Expr, ExprNode, MathConstant, MathFunction};

/// The canonical power.
pub(crate) fn build_power(base: &Expr, exponent: &Expr) -> Expr {
    if let Some(poisoned) = [base, exponent]
        .into_iter()
        .find(|part| part.poison().is_some())
    {
        return poisoned.clone();
    }
    if exponent.is_one() {
        return base.clone();
    }
    if exponent.is_zero() {
        return match base.is_infinite() {
            true => Expr::undefined(),
            false => Expr::one(),
        };
    }
    if base.is_infinite() || exponent.is_infinite() {
        return infinite_power(base, exponent);
    }
    match base.node() {
        ExprNode::Number(value) => number_power(value, exponent),
        ExprNode::Constant(MathConstant::E) => exponential(exponent),
        ExprNode::Constant(MathConstant::I) => imaginary_power(exponent),
        ExprNode::Power(inner, first) => nested_power(base, inner, first, exponent),
        ExprNode::Product(factors) => product_power(base, factors, exponent),
        ExprNode::Call(MathFunction::Abs, arguments)
            if exponent.as_integer().is_some_and(|n| n % 2 == 0)
                && is_known_real(&arguments[0]) =>
        {
            arguments[0].pow(exponent)
        }
        ExprNode::Sum(_) if exponent.as_integer().is_some() => primitive_power(base, exponent),
        _ => Expr::from_node(ExprNode::Power(base.clone(), exponent.clone())),
    }
}

fn raw(base: &Expr, exponent: &Expr) -> Expr {
    Expr::from_node(ExprNode::Power(base.clone(), exponent.clone()))
}

fn infinite_power(base: &Expr, exponent: &Expr) -> Expr {
    match (base.as_constant(), exponent.as_number()) {
        (Some(MathConstant::Infinity), Some(value)) if value.is_negative() => Expr::zero(),
        (Some(MathConstant::Infinity), Some(_)) => Expr::infinity(),
        (Some(MathConstant::MinusInfinity), Some(value)) if value.is_integer() => {
            let is_odd = exponent.as_integer().is_some_and(|n| n % 2 != 0);
            match (value.is_negative(), is_odd) {
                (true, _) => Expr::zero(),
                (false, true) => base.clone(),
                (false, false) => Expr::infinity(),
            }
        }
        (Some(MathConstant::E), None) => match exponent.as_constant() {
            Some(MathConstant::Infinity) => Expr::infinity(),
            _ => Expr::zero(),
        },
        _ => Expr::undefined(),
    }
}

/// A whole power of a sum, whose common number comes in front.
fn primitive_power(base: &Expr, exponent: &Expr) -> Expr {
    let (content, primitive) = split_content(base);
    match (content.is_one(), exponent.as_integer()) {
        (false, Some(count)) => match rational_power(&content, count) {
            Some(number) => Expr::number(number) * raw(&primitive, exponent),
            None => raw(base, exponent),
        },
        _ => raw(base, exponent),
    }
}

/// The common number of the terms of a sum, with the sign of its last term, and the sum without it.
pub(crate) fn split_content(sum: &Expr) -> (BigRational, Expr) {
    let mut content = BigRational::zero();
    let mut last_sign = false;
    for term in sum.terms() {
        let (coefficient, _) = term.coefficient_and_rest();
        last_sign = coefficient.is_negative();
        content = match content.is_zero() {
            true => coefficient.abs(),
            false => BigRational::new(
                super::integer::gcd_of(
                    &(content.numer() * coefficient.denom()),
                    &(coefficient.numer() * content.denom()),
                ),
                content.denom() * coefficient.denom(),
            ),
        };
    }
    if last_sign {
        content = -content;
    }
    if content.is_one() || content.is_zero() {
        return (BigRational::one(), sum.clone());
    }
    let inverse = Expr::number(content.recip());
    let primitive = Expr::sum(sum.terms().iter().map(|term| term * &inverse));
    (content, primitive)
}

fn number_power(value: &BigRational, exponent: &Expr) -> Expr {
    if value.is_one() {
        return Expr::one();
    }
    if let Some(part) = exponent.as_number() {
        if value.is_zero() {
            return match part.is_positive() {
                true => Expr::zero(),
                false => Expr::undefined(),
            };
        }
        if let Some(count) = exponent.as_integer() {
            return match rational_power(value, count) {
                Some(power) => Expr::number(power),
                None => raw(&Expr::number(value.clone()), exponent),
            };
        }
        if value.is_negative() {
            return negative_root(value, part);
        }
        let (outside, inside) = split_root(value, part);
        // A root that stays as it is must not be multiplied again.
        return match (outside.is_one(), inside.as_slice()) {
            (true, [root]) => root.clone(),
            _ => Expr::product(std::iter::once(Expr::number(outside)).chain(inside)),
        };
    }
    if value.is_zero() {
        return raw(&Expr::zero(), exponent);
    }
    // Whole coefficients of sums come in front: 2^(x + 3) is 8*2^x.
    if let ExprNode::Sum(terms) = exponent.node()
        && let Some(count) = terms[0].as_integer().filter(|count| count.abs() < 200)
    {
        let rest = Expr::sum(terms[1..].iter().cloned());
        if let Some(power) = rational_power(value, count) {
            return Expr::number(power) * number_power(value, &rest);
        }
    }
    smallest_base(value, exponent)
}

/// A power of a number in its smallest base: `4^x` is `2^(2x)`, `(1/3)^x` is `3^(-x)`.
fn smallest_base(value: &BigRational, exponent: &Expr) -> Expr {
    if value.is_positive() && value.numer().is_one() {
        return number_power(&value.recip(), &-exponent);
    }
    if value.is_positive() && value.is_integer() && value.numer().bits() < 512 {
        for degree in (2..=9u32).rev() {
            if let Some(root) = exact_root(value.numer(), degree) {
                let scaled = Expr::integer(i64::from(degree)) * exponent;
                return raw(&Expr::number(BigRational::from_integer(root)), &scaled);
            }
        }
    }
    raw(&Expr::number(value.clone()), exponent)
}

/// A positive number to a fraction: what comes out of the root, and the roots of whole numbers that stay.
pub(crate) fn split_root(value: &BigRational, part: &BigRational) -> (BigRational, Vec<Expr>) {
    let floor = part.floor();
    let fraction = part - &floor;
    let whole = floor
        .numer()
        .to_i64()
        .and_then(|count| rational_power(value, count));
    let Some(mut outside) = whole else {
        let raw = raw(&Expr::number(value.clone()), &Expr::number(part.clone()));
        return (BigRational::one(), vec![raw]);
    };
    if fraction.is_zero() {
        return (outside, Vec::new());
    }
    let (Some(top), Some(degree)) = (fraction.numer().to_u32(), fraction.denom().to_u32()) else {
        let raw = raw(&Expr::number(value.clone()), &Expr::number(fraction));
        return (outside, vec![raw]);
    };
    let mut inside: std::collections::BTreeMap<(u32, u32), BigInt> =
        std::collections::BTreeMap::new();
    let mut take = |number: &BigInt, is_denominator: bool, outside: &mut BigRational| {
        for (prime, count) in small_factors(number) {
            let mut total = u64::from(count) * u64::from(top);
            let divisor = u64::from(degree);
            // 1/p^(a/d) is p^((-a mod d)/d) / p^ceil(a/d).
            let (whole, left) = match is_denominator {
                false => (total / divisor, total % divisor),
                true => {
                    let whole = total.div_ceil(divisor);
                    total = whole * divisor - total;
                    (whole, total)
                }
            };
            let power = BigRational::from_integer(prime.pow(whole as u32));
            match is_denominator {
                false => *outside *= power,
                true => *outside /= power,
            }
            if left > 0 {
                let common = gcd_small(left, divisor);
                let key = ((left / common) as u32, (divisor / common) as u32);
                *inside.entry(key).or_insert_with(BigInt::one) *= prime;
            }
        }
    };
    take(value.numer(), false, &mut outside);
    take(value.denom(), true, &mut outside);
    let roots = inside.into_iter().map(|((top, degree), radicand)| {
        raw(
            &Expr::number(BigRational::from_integer(radicand)),
            &Expr::ratio(i64::from(top), i64::from(degree)),
        )
    });
    (outside, roots.collect())
}

fn gcd_small(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd_small(b, a % b),
    }
}

/// The principal root of a negative number.
fn negative_root(value: &BigRational, part: &BigRational) -> Expr {
    let (outside, inside) = split_root(&value.abs(), part);
    let size = Expr::product(std::iter::once(Expr::number(outside)).chain(inside));
    let floor = part.floor();
    let fraction = part - &floor;
    let is_odd = (floor.numer() % 2) != BigInt::zero();
    let half = BigRational::new(BigInt::one(), BigInt::from(2));
    let turn = match fraction {
        fraction if fraction == half => Expr::i(),
        fraction => raw(&Expr::integer(-1), &Expr::number(fraction)),
    };
    // A root of -1 that stays as it is must not be multiplied again.
    match (is_odd, size.is_one()) {
        (false, true) => turn,
        (true, _) => Expr::product([Expr::integer(-1), size, turn]),
        (false, false) => size * turn,
    }
}

fn imaginary_power(exponent: &Expr) -> Expr {
    match exponent.as_number().filter(|part| part.is_integer()) {
        Some(part) => {
            let four = BigInt::from(4);
            let turns = ((part.numer() % &four) + &four) % &four;
            match turns.to_u8() {
                Some(0) => Expr::one(),
                Some(1) => Expr::i(),
                Some(2) => Expr::integer(-1),
                _ => -Expr::i(),
            }
        }
        None => raw(&Expr::i(), exponent),
    }
}

/// `(b^p)^q`.
fn nested_power(base: &Expr, inner: &Expr, first: &Expr, exponent: &Expr) -> Expr {
    let joined = || inner.pow(&(first * exponent));
    if exponent.as_integer().is_some() {
        return joined();
    }
    if is_known_real(first) && is_known_nonnegative(inner) {
        return joined();
    }
    // |p| < 1 keeps the argument of b^p within a half turn, so that any power may follow.
    if first
        .as_number()
        .is_some_and(|value| value.abs() < BigRational::one() && value.is_positive())
    {
        return joined();
    }
    let is_even = first.as_integer().is_some_and(|count| count % 2 == 0);
    if is_even && is_known_real(inner) {
        return Expr::apply(MathFunction::Abs, inner.clone()).pow(&(first * exponent));
    }
    if inner.as_constant() == Some(MathConstant::E) && is_known_real(first) {
        return joined();
    }
    raw(base, exponent)
}

/// `(a*b)^q`: all factors for whole q, those known not to be negative otherwise.
fn product_power(base: &Expr, factors: &[Expr], exponent: &Expr) -> Expr {
    if exponent.as_integer().is_some() {
        return Expr::product(factors.iter().map(|factor| factor.pow(exponent)));
    }
    let mut outside = Vec::new();
    let mut inside = Vec::new();
    for factor in factors {
        match factor.as_number() {
            Some(value) if value.is_negative() && !value.abs().is_one() => {
                outside.push(Expr::number(value.abs()).pow(exponent));
                inside.push(Expr::integer(-1));
            }
            Some(value) if value.is_negative() => inside.push(factor.clone()),
            _ if is_known_nonnegative(factor) => outside.push(factor.pow(exponent)),
            _ => inside.push(factor.clone()),
        }
    }
    if outside.is_empty() {
        return raw(base, exponent);
    }
    outside.push(Expr::product(inside).pow(exponent));
    Expr::product(outside)
}

/// Euler's number to a power: logarithms come down, multiples of i*pi turn.
fn exponential(exponent: &Expr) -> Expr {
    let mut outside = Vec::new();
    let mut rest = Vec::new();
    for term in exponent.terms() {
        match exponential_factor(term) {
            Some(factor) => outside.push(factor),
            None => rest.push(term.clone()),
        }
    }
    let remaining = Expr::sum(rest);
    let e = Expr::constant(MathConstant::E);
    let power = match (remaining.is_zero(), remaining.is_one()) {
        (true, _) => Expr::one(),
        (_, true) => e,
        _ => raw(&e, &remaining),
    };
    match outside.is_empty() {
        true => power,
        false => Expr::product(outside.into_iter().chain([power])),
    }
}

fn exponential_factor(term: &Expr) -> Option<Expr> {
    if let Some(inside) = term.argument_of(MathFunction::Ln) {
        return Some(inside.clone());
    }
    let factors = term.factors();
    if let Some(place) = factors
        .iter()
        .position(|factor| factor.argument_of(MathFunction::Ln).is_some())
    {
        let inside = factors[place].argument_of(MathFunction::Ln)?;
        let others = factors.iter().enumerate().filter(|(at, _)| *at != place);
        let multiple = Expr::product(others.map(|(_, factor)| factor.clone()));
        let is_simple = multiple.as_number().is_some()
            || inside.as_number().is_some()
            || (inside.as_symbol().is_some() && !multiple.contains(inside));
        return is_simple.then(|| inside.pow(&multiple));
    }
    let (turns, rest) = term.coefficient_and_rest();
    (rest == Expr::pi() * Expr::i())
        .then(|| unit_circle(&turns))
        .flatten()
}
