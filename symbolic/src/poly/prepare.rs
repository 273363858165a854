//! Rewriting before polynomials are made of an expression: circular functions by sine and cosine of common angles, hyperbolic ones by exponentials, numbers in
//! powers and logarithms by their primes.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::budget::{Budget, Outcome};
use crate::simplify::expand::expand;
use crate::tree::integer::{gcd_of, small_factors};
use crate::tree::walk::is_known_positive;
use crate::tree::{Expr, ExprNode, MathFunction};

/// Multiples of an angle that are written out.
const MULTIPLE_LIMIT: i64 = 24;

/// The expression in few functions.
pub(crate) fn prepare(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(expr.size() as usize)?;
    let plain = rewrite_functions(expr, budget)?;
    let angles = AngleUnits::collect(&plain);
    budget.admit(plain.rewrite(&|part| angles.expand(part)))
}

/// As [`prepare`], but circular functions of multiples stay as they are.
pub(crate) fn rewrite_functions(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(1)?;
    let mut fault = None;
    let inner = match expr.parts().is_empty() {
        true => expr.clone(),
        false => expr.map_parts(&mut |part| match rewrite_functions(part, budget) {
            Ok(part) => part,
            Err(err) => {
                fault = Some(err);
                Expr::zero()
            }
        }),
    };
    if let Some(fault) = fault {
        return Err(fault);
    }
    let changed = match inner.node() {
        ExprNode::Call(function, arguments) if arguments.len() == 1 => {
            let argument =
                match matches!(arguments[0].node(), ExprNode::Product(_) | ExprNode::Sum(_)) {
                    true => expand(&arguments[0], budget)?,
                    false => arguments[0].clone(),
                };
            rewrite_call(function, &argument)
        }
        ExprNode::Power(base, exponent) if exponent.as_integer().is_none() => {
            rewrite_power(base, &expand(exponent, budget)?)
        }
        _ => inner,
    };
    budget.admit(changed)
}

fn rewrite_call(function: &MathFunction, x: &Expr) -> Expr {
    use MathFunction as F;
    let call = |function: F| Expr::apply(function, x.clone());
    let two = Expr::integer(2);
    let (rising, falling) = (x.exp(), (-x).exp());
    match function {
        F::Tan => call(F::Sin) / call(F::Cos),
        F::Cot => call(F::Cos) / call(F::Sin),
        F::Sec => call(F::Cos).recip(),
        F::Csc => call(F::Sin).recip(),
        F::Sinh => (rising - falling) / two,
        F::Cosh => (rising + falling) / two,
        F::Tanh => (&rising - &falling) / (rising + falling),
        F::Coth => (&rising + &falling) / (rising - falling),
        F::Sech => two / (rising + falling),
        F::Csch => two / (rising - falling),
        F::Ln => split_logarithm(x),
        F::Factorial => shift_factorial(x),
        _ => call(function.clone()),
    }
}

/// Logarithms of positive numbers by their primes, of products by their positive factors.
pub(crate) fn split_logarithm(x: &Expr) -> Expr {
    let of_integer = |value: &BigInt| {
        Expr::sum(small_factors(value).into_iter().map(|(prime, count)| {
            Expr::integer(i64::from(count)) * Expr::number(BigRational::from_integer(prime)).ln()
        }))
    };
    match x.node() {
        ExprNode::Number(value)
            if value.is_positive() && value.numer().bits() < 256 && value.denom().bits() < 256 =>
        {
            of_integer(value.numer()) - of_integer(value.denom())
        }
        ExprNode::Product(factors) => {
            let (positive, others): (Vec<&Expr>, Vec<&Expr>) =
                factors.iter().partition(|factor| is_known_positive(factor));
            if positive.is_empty() || (others.is_empty() && positive.len() < 2) {
                return x.ln();
            }
            let rest = Expr::product(others.into_iter().cloned());
            Expr::sum(positive.into_iter().map(|factor| match factor.as_number() {
                Some(_) => split_logarithm(factor),
                None => factor.ln(),
            })) + rest.ln()
        }
        _ => x.ln(),
    }
}

/// `(n + k)!` for whole k as a multiple of `n!`.
fn shift_factorial(x: &Expr) -> Expr {
    let plain = || Expr::apply(MathFunction::Factorial, x.clone());
    let ExprNode::Sum(terms) = x.node() else {
        return plain();
    };
    let Some(shift) = terms[0].as_integer().filter(|shift| shift.abs() <= 20) else {
        return plain();
    };
    let rest = Expr::sum(terms[1..].iter().cloned());
    let base = Expr::apply(MathFunction::Factorial, rest.clone());
    match shift > 0 {
        true => Expr::product((1..=shift).map(|k| &rest + Expr::integer(k)).chain([base])),
        false => base / Expr::product((shift + 1..=0).map(|k| &rest + Expr::integer(k))),
    }
}

/// Powers of numbers by their primes, and of quotients of positive numbers.
fn rewrite_power(base: &Expr, exponent: &Expr) -> Expr {
    let Some(value) = base.as_number().filter(|value| value.is_positive()) else {
        return base.pow(exponent);
    };
    if value.numer().bits() > 256 || value.denom().bits() > 256 {
        return base.pow(exponent);
    }
    let of_integer = |value: &BigInt, sign: i64| {
        Expr::product(small_factors(value).into_iter().map(|(prime, count)| {
            let exponent = Expr::integer(sign * i64::from(count)) * exponent;
            Expr::from_prime_power(prime, &exponent)
        }))
    };
    of_integer(value.numer(), 1) * of_integer(value.denom(), -1)
}

impl Expr {
    fn from_prime_power(prime: BigInt, exponent: &Expr) -> Expr {
        Expr::number(BigRational::from_integer(prime)).pow(exponent)
    }
}

/// The unit of each direction of angles, of which all angles are whole multiples.
struct AngleUnits {
    units: BTreeMap<Expr, BigRational>,
}

impl AngleUnits {
    fn collect(expr: &Expr) -> Self {
        let mut units: BTreeMap<Expr, BigRational> = BTreeMap::new();
        let is_circular = |part: &Expr| {
            matches!(
                part.as_call(),
                Some((MathFunction::Sin | MathFunction::Cos, _))
            )
        };
        for call in expr.collect(&is_circular) {
            let Some((_, [angle])) = call.as_call() else {
                continue;
            };
            for term in angle.terms() {
                let (coefficient, direction) = term.coefficient_and_rest();
                let unit = units.entry(direction).or_insert_with(BigRational::zero);
                *unit = match unit.is_zero() {
                    true => coefficient.abs(),
                    false => BigRational::new(
                        gcd_of(
                            &(unit.numer() * coefficient.denom()),
                            &(coefficient.numer() * unit.denom()),
                        ),
                        unit.denom() * coefficient.denom(),
                    ),
                };
            }
        }
        Self { units }
    }

    /// A sine or cosine by those of the units.
    fn expand(&self, part: &Expr) -> Option<Expr> {
        let (function, [angle]) = part.as_call()? else {
            return None;
        };
        if !matches!(function, MathFunction::Sin | MathFunction::Cos) {
            return None;
        }
        let mut total = 0i64;
        let mut pieces: Vec<(Expr, i64)> = Vec::new();
        for term in angle.terms() {
            let (coefficient, direction) = term.coefficient_and_rest();
            let unit = self.units.get(&direction).filter(|unit| !unit.is_zero())?;
            let multiple = (coefficient / unit).to_integer().to_i64()?;
            total = total.saturating_add(multiple.abs());
            pieces.push((Expr::number(unit.clone()) * direction, multiple));
        }
        if total > MULTIPLE_LIMIT || pieces.len() > 6 {
            return None;
        }
        let (sine, cosine) =
            pieces
                .into_iter()
                .fold((Expr::zero(), Expr::one()), |(s, c), (unit, multiple)| {
                    let (sn, cn) = multiple_angle(&unit, multiple);
                    (&s * &cn + &c * &sn, c * cn - s * sn)
                });
        Some(match function {
            MathFunction::Sin => sine,
            _ => cosine,
        })
    }
}

/// Sine and cosine of a whole multiple, as polynomials in those of the unit.
pub(crate) fn multiple_angle(unit: &Expr, multiple: i64) -> (Expr, Expr) {
    let sine = Expr::apply(MathFunction::Sin, unit.clone());
    let cosine = Expr::apply(MathFunction::Cos, unit.clone());
    let count = multiple.unsigned_abs();
    // The parts of (c + i*s)^n.
    let mut binomial = BigInt::one();
    let (mut real, mut imaginary) = (Vec::new(), Vec::new());
    for k in 0..=count {
        let term = Expr::number(BigRational::from_integer(binomial.clone()))
            * cosine.powi((count - k) as i64)
            * sine.powi(k as i64);
        match k % 4 {
            0 => real.push(term),
            1 => imaginary.push(term),
            2 => real.push(-term),
            _ => imaginary.push(-term),
        }
        binomial = binomial * (count - k) / (k + 1);
    }
    let imaginary = Expr::sum(imaginary);
    let imaginary = match multiple < 0 {
        true => -imaginary,
        false => imaginary,
    };
    (imaginary, Expr::sum(real))
}
