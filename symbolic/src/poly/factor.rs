//! Irreducible factors over the rationals of polynomials of one variable (H. Zassenhaus, "On Hensel factorization I", J. Number Theory 1, 1969; J. von zur
//! Gathen and J. Gerhard, Modern Computer Algebra, chapter 15).

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::dense::RationalPoly;
use super::modular::{ModularPoly, ResidueField};
use crate::budget::{Budget, Outcome, SymbolicFault};

/// Primes of the modular factors.
const PRIMES: [u64; 12] = [
    10_007, 10_009, 10_037, 10_039, 10_061, 10_067, 10_069, 10_079, 10_091, 10_093, 10_099, 10_103,
];
/// Modular factors whose subsets are tried.
const FACTOR_LIMIT: usize = 18;

/// The irreducible factors, primitive with positive leading coefficient, by their multiplicity, and the constant in front.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PolynomialFactors {
    pub constant: BigRational,
    pub factors: Vec<(RationalPoly, usize)>,
}

/// Factors a polynomial over the rationals.
pub(crate) fn factor_polynomial(
    poly: &RationalPoly,
    budget: &Budget<'_>,
) -> Outcome<PolynomialFactors> {
    let mut factors = Vec::new();
    for (part, multiplicity) in poly.square_free(budget)? {
        let (_, primitive) = part.primitive();
        for factor in factor_square_free(&primitive, budget)? {
            factors.push((factor, multiplicity));
        }
    }
    factors.sort_by(|a, b| (a.0.degree(), &a.0.0, a.1).cmp(&(b.0.degree(), &b.0.0, b.1)));
    let leading = factors
        .iter()
        .fold(BigRational::one(), |product, (factor, count)| {
            product * num_traits::pow(factor.leading(), *count)
        });
    let constant = match poly.is_zero() {
        true => BigRational::zero(),
        false => poly.leading() / leading,
    };
    Ok(PolynomialFactors { constant, factors })
}

fn whole_coefficients(poly: &RationalPoly) -> Vec<BigInt> {
    poly.0.iter().map(|value| value.numer().clone()).collect()
}

fn from_whole(coefficients: &[BigInt]) -> RationalPoly {
    RationalPoly::new(
        coefficients
            .iter()
            .map(|value| BigRational::from_integer(value.clone()))
            .collect(),
    )
}

fn reduce(coefficients: &[BigInt], modulus: u64) -> ModularPoly {
    let modulus = BigInt::from(modulus);
    let mut poly: ModularPoly = coefficients
        .iter()
        .map(|value| {
            (((value % &modulus) + &modulus) % &modulus)
                .to_u64()
                .unwrap_or(0)
        })
        .collect();
    while poly.last() == Some(&0) {
        poly.pop();
    }
    poly
}

/// Factors a primitive square-free polynomial with whole coefficients.
fn factor_square_free(poly: &RationalPoly, budget: &Budget<'_>) -> Outcome<Vec<RationalPoly>> {
    if poly.degree() <= 1 {
        return Ok(vec![poly.clone()]);
    }
    if poly.0[0].is_zero() {
        let x = RationalPoly::new(vec![BigRational::zero(), BigRational::one()]);
        let mut factors = factor_square_free(&poly.div_rem(&x).0, budget)?;
        factors.push(x);
        factors.retain(|factor| factor.degree() > 0);
        return Ok(factors);
    }
    let coefficients = whole_coefficients(poly);
    let mut best: Option<(ResidueField, Vec<ModularPoly>)> = None;
    let mut tried = 0;
    for prime in PRIMES {
        let field = ResidueField(prime);
        let image = reduce(&coefficients, prime);
        if image.len() != coefficients.len() {
            continue;
        }
        let slope: ModularPoly = reduce(&whole_coefficients(&poly.derivative()), prime);
        if field.gcd(&image, &slope).len() != 1 {
            continue;
        }
        let factors = field.factors(&field.monic(&image), budget)?;
        if factors.len() == 1 {
            return Ok(vec![poly.clone()]);
        }
        if best
            .as_ref()
            .is_none_or(|(_, known)| factors.len() < known.len())
        {
            best = Some((field, factors));
        }
        tried += 1;
        if tried == 3 {
            break;
        }
    }
    let Some((field, factors)) = best else {
        return Err(SymbolicFault::Refused(
            "no prime fits the factorisation".to_owned(),
        ));
    };
    if factors.len() > FACTOR_LIMIT {
        return Err(SymbolicFault::Refused(format!(
            "more than {FACTOR_LIMIT} factors modulo a prime"
        )));
    }
    let bound = coefficient_bound(&coefficients);
    let (lifted, modulus) = lift_factors(&coefficients, &factors, field, &bound, budget)?;
    recombine(poly, lifted, &modulus, budget)
}

/// Twice Mignotte's bound of the coefficients of factors, times the leading coefficient.
fn coefficient_bound(coefficients: &[BigInt]) -> BigInt {
    let square: BigInt = coefficients.iter().map(|value| value * value).sum();
    let norm = square.sqrt() + 1;
    let degree = coefficients.len() as u32 - 1;
    let leading = coefficients.last().map_or_else(BigInt::one, Signed::abs);
    (BigInt::from(2).pow(degree + 1)) * norm * leading
}

type WholePoly = Vec<BigInt>;

fn symmetric(value: &BigInt, modulus: &BigInt) -> BigInt {
    let reduced = ((value % modulus) + modulus) % modulus;
    match &reduced * 2 > *modulus {
        true => reduced - modulus,
        false => reduced,
    }
}

fn trim_whole(mut poly: WholePoly) -> WholePoly {
    while poly.last().is_some_and(Zero::is_zero) {
        poly.pop();
    }
    poly
}

fn mul_whole(a: &[BigInt], b: &[BigInt], modulus: &BigInt) -> WholePoly {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![BigInt::zero(); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    trim_whole(
        product
            .iter()
            .map(|value| symmetric(value, modulus))
            .collect(),
    )
}

/// Lifts monic coprime factors linearly to a power of the prime above the bound.
fn lift_factors(
    coefficients: &[BigInt],
    factors: &[ModularPoly],
    field: ResidueField,
    bound: &BigInt,
    budget: &Budget<'_>,
) -> Outcome<(Vec<WholePoly>, BigInt)> {
    let prime = BigInt::from(field.0);
    let mut modulus = prime.clone();
    while modulus <= *bound {
        modulus *= &prime;
    }
    // The monic polynomial modulo the power.
    let leading = coefficients.last().cloned().unwrap_or_else(BigInt::one);
    let inverse = inverse_modulo(&leading, &modulus);
    let mut target: WholePoly = coefficients
        .iter()
        .map(|value| symmetric(&(value * &inverse), &modulus))
        .collect();
    let mut lifted = Vec::new();
    let mut open: Vec<ModularPoly> = factors.to_vec();
    while open.len() > 1 {
        let first = open.remove(0);
        let others = open
            .iter()
            .fold(vec![1], |product, factor| field.mul_poly(&product, factor));
        let (one, rest) = lift_pair(&target, &first, &others, field, &modulus, budget)?;
        lifted.push(one);
        target = rest;
    }
    lifted.push(target);
    Ok((lifted, modulus))
}

fn inverse_modulo(value: &BigInt, modulus: &BigInt) -> BigInt {
    let (mut r0, mut r1) = (modulus.clone(), ((value % modulus) + modulus) % modulus);
    let (mut t0, mut t1) = (BigInt::zero(), BigInt::one());
    while !r1.is_zero() {
        let quotient = &r0 / &r1;
        let next = &r0 - &quotient * &r1;
        (r0, r1) = (r1, next);
        let next = &t0 - &quotient * &t1;
        (t0, t1) = (t1, next);
    }
    t0
}

/// `target = a*b` modulo the prime becomes one modulo the power, for monic `a` and `b`.
fn lift_pair(
    target: &[BigInt],
    a: &[u64],
    b: &[u64],
    field: ResidueField,
    modulus: &BigInt,
    budget: &Budget<'_>,
) -> Outcome<(WholePoly, WholePoly)> {
    let whole = |poly: &[u64]| {
        poly.iter()
            .map(|&value| BigInt::from(value))
            .collect::<WholePoly>()
    };
    let (s, t) = field.bezout(a, b);
    let (mut lifted_a, mut lifted_b) = (whole(a), whole(b));
    let prime = BigInt::from(field.0);
    let mut power = prime.clone();
    while power < *modulus {
        budget.spend(target.len() * target.len())?;
        let next = &power * &prime;
        let product = mul_whole(&lifted_a, &lifted_b, &next);
        let error: WholePoly = (0..target.len())
            .map(|place| {
                let difference =
                    &target[place] - product.get(place).cloned().unwrap_or_else(BigInt::zero);
                symmetric(&difference, &next) / &power
            })
            .collect();
        let error = reduce(&error, field.0);
        // a*db + b*da = error with deg(da) < deg(a).
        let (_, da) = field.div_rem(&field.mul_poly(&t, &error), a);
        let quotient = field
            .div_rem(&field.sub_poly(&error, &field.mul_poly(&da, b)), a)
            .0;
        let db = quotient;
        let add = |poly: &mut WholePoly, change: &[u64]| {
            for (place, value) in change.iter().enumerate() {
                poly[place] = symmetric(&(&poly[place] + &power * BigInt::from(*value)), &next);
            }
        };
        add(&mut lifted_a, &da);
        add(&mut lifted_b, &db);
        power = next;
    }
    let _ = s;
    Ok((lifted_a, lifted_b))
}

/// Finds the true factors among products of lifted ones.
fn recombine(
    poly: &RationalPoly,
    mut lifted: Vec<WholePoly>,
    modulus: &BigInt,
    budget: &Budget<'_>,
) -> Outcome<Vec<RationalPoly>> {
    let mut rest = poly.clone();
    let mut found = Vec::new();
    let mut size = 1;
    while 2 * size <= lifted.len() {
        let mut hit = None;
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            budget.spend(8 * rest.0.len())?;
            if let Some(factor) = try_subset(&rest, &lifted, &chosen, modulus) {
                hit = Some((factor, chosen.clone()));
                break;
            }
            if !next_subset(&mut chosen, lifted.len()) {
                break;
            }
        }
        match hit {
            Some((factor, chosen)) => {
                rest = rest.div_rem(&factor).0.primitive().1;
                found.push(factor);
                lifted = lifted
                    .into_iter()
                    .enumerate()
                    .filter(|(place, _)| !chosen.contains(place))
                    .map(|(_, factor)| factor)
                    .collect();
            }
            None => size += 1,
        }
    }
    if rest.degree() > 0 {
        found.push(rest);
    }
    Ok(found)
}

fn try_subset(
    rest: &RationalPoly,
    lifted: &[WholePoly],
    chosen: &[usize],
    modulus: &BigInt,
) -> Option<RationalPoly> {
    let leading = rest.leading().numer().clone();
    let product = chosen.iter().fold(vec![leading], |product, &place| {
        mul_whole(&product, &lifted[place], modulus)
    });
    let candidate = from_whole(&product).primitive().1;
    // The constant term must divide before all is divided.
    let (a, b) = (rest.0[0].numer(), candidate.0[0].numer());
    if b.is_zero() || !(a * candidate.leading().numer() % b).is_zero() && !(a % b).is_zero() {
        return None;
    }
    let (_, remainder) = rest.div_rem(&candidate);
    remainder.is_zero().then_some(candidate)
}

/// The next subset of the same size in lexicographic order.
pub(crate) fn next_subset(chosen: &mut [usize], count: usize) -> bool {
    let size = chosen.len();
    for place in (0..size).rev() {
        if chosen[place] < count - size + place {
            chosen[place] += 1;
            for later in place + 1..size {
                chosen[later] = chosen[later - 1] + 1;
            }
            return true;
        }
    }
    false
}
