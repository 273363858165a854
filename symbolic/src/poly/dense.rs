//! Polynomials of one variable with rational coefficients.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::modular::ResidueField;
use crate::budget::{Budget, Outcome};
use crate::tree::Expr;
use crate::tree::integer::{gcd_of, lcm_of};

/// Coefficients from the constant term up; the last one is not zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RationalPoly(pub Vec<BigRational>);

impl RationalPoly {
    /// Drops leading zeros.
    pub(crate) fn new(mut coefficients: Vec<BigRational>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn zero() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn constant(value: BigRational) -> Self {
        Self::new(vec![value])
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; of zero 0.
    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The leading coefficient; of zero 0.
    pub(crate) fn leading(&self) -> BigRational {
        self.0.last().cloned().unwrap_or_else(BigRational::zero)
    }

    pub(crate) fn coefficient(&self, power: usize) -> BigRational {
        self.0.get(power).cloned().unwrap_or_else(BigRational::zero)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let count = self.0.len().max(other.0.len());
        Self::new(
            (0..count)
                .map(|power| self.coefficient(power) + other.coefficient(power))
                .collect(),
        )
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        let count = self.0.len().max(other.0.len());
        Self::new(
            (0..count)
                .map(|power| self.coefficient(power) - other.coefficient(power))
                .collect(),
        )
    }

    pub(crate) fn scale(&self, factor: &BigRational) -> Self {
        Self::new(self.0.iter().map(|value| value * factor).collect())
    }

    pub(crate) fn mul(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::zero();
        }
        let mut product = vec![BigRational::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    pub(crate) fn pow(&self, exponent: usize) -> Self {
        (0..exponent).fold(Self::constant(BigRational::one()), |product, _| {
            product.mul(self)
        })
    }

    /// Quotient and remainder; the divisor is not zero.
    pub(crate) fn div_rem(&self, divisor: &Self) -> (Self, Self) {
        let mut rest = self.0.clone();
        let count = divisor.0.len();
        if rest.len() < count {
            return (Self::zero(), self.clone());
        }
        let leading = divisor.leading();
        let mut quotient = vec![BigRational::zero(); rest.len() + 1 - count];
        for at in (0..quotient.len()).rev() {
            let factor = &rest[at + count - 1] / &leading;
            if !factor.is_zero() {
                for (place, value) in divisor.0.iter().enumerate() {
                    rest[at + place] -= &factor * value;
                }
            }
            quotient[at] = factor;
        }
        (Self::new(quotient), Self::new(rest))
    }

    pub(crate) fn derivative(&self) -> Self {
        let scaled = self.0.iter().enumerate().skip(1);
        Self::new(
            scaled
                .map(|(power, value)| value * BigRational::from_integer(power.into()))
                .collect(),
        )
    }

    /// With leading coefficient 1.
    pub(crate) fn monic(&self) -> Self {
        match self.is_zero() {
            true => self.clone(),
            false => self.scale(&self.leading().recip()),
        }
    }

    /// The monic greatest common divisor: 1 where it is 1 modulo a prime, else by remainders of whole coefficients made primitive.
    pub(crate) fn gcd(&self, other: &Self, budget: &Budget<'_>) -> Outcome<Self> {
        let (mut a, mut b) = (self.whole_coefficients(), other.whole_coefficients());
        budget.spend(a.len() * b.len() + 1)?;
        if are_coprime_modulo_prime(&a, &b) {
            return Ok(Self::constant(BigRational::one()));
        }
        while !b.is_empty() {
            let words = [&a, &b].map(|poly| poly.last().map_or(0, BigInt::bits) / 64 + 1);
            budget.spend(a.len() * b.len() * (words[0] + words[1]) as usize)?;
            let rest = pseudo_remainder(a, &b);
            a = b;
            b = without_content(rest);
        }
        Ok(Self::new(a.into_iter().map(BigRational::from_integer).collect()).monic())
    }

    /// The coefficients of the primitive part.
    fn whole_coefficients(&self) -> Vec<BigInt> {
        let primitive = self.primitive().1.0.into_iter();
        primitive.map(|value| value.numer().clone()).collect()
    }

    /// `s`, `t` and the monic gcd `g` with `s*self + t*other = g`.
    pub(crate) fn extended_gcd(
        &self,
        other: &Self,
        budget: &Budget<'_>,
    ) -> Outcome<(Self, Self, Self)> {
        let one = Self::constant(BigRational::one());
        let (mut r0, mut r1) = (self.clone(), other.clone());
        let (mut s0, mut s1) = (one.clone(), Self::zero());
        let (mut t0, mut t1) = (Self::zero(), one);
        while !r1.is_zero() {
            budget.spend(r0.0.len() * r1.0.len() + 1)?;
            let (quotient, rest) = r0.div_rem(&r1);
            (r0, r1) = (r1, rest);
            let next = s0.sub(&quotient.mul(&s1));
            (s0, s1) = (s1, next);
            let next = t0.sub(&quotient.mul(&t1));
            (t0, t1) = (t1, next);
        }
        if r0.is_zero() {
            return Ok((s0, t0, r0));
        }
        let factor = r0.leading().recip();
        Ok((s0.scale(&factor), t0.scale(&factor), r0.scale(&factor)))
    }

    /// The content and the primitive part, with whole coefficients and positive leading one.
    pub(crate) fn primitive(&self) -> (BigRational, Self) {
        if self.is_zero() {
            return (BigRational::one(), self.clone());
        }
        let bottom = self
            .0
            .iter()
            .fold(BigInt::one(), |all, value| lcm_of(&all, value.denom()));
        let top = self.0.iter().fold(BigInt::zero(), |all, value| {
            gcd_of(&all, &(value.numer() * (&bottom / value.denom())))
        });
        let mut content = BigRational::new(top, bottom);
        if self.leading().is_negative() {
            content = -content;
        }
        let primitive = self.scale(&content.recip());
        (content, primitive)
    }

    pub(crate) fn evaluate(&self, x: &BigRational) -> BigRational {
        self.0
            .iter()
            .rev()
            .fold(BigRational::zero(), |value, coefficient| {
                value * x + coefficient
            })
    }

    /// Square-free factors by their multiplicity, without the leading coefficient (D. Yun, "On square-free decomposition algorithms", SYMSAC 1976).
    pub(crate) fn square_free(&self, budget: &Budget<'_>) -> Outcome<Vec<(Self, usize)>> {
        let mut found = Vec::new();
        if self.degree() == 0 {
            return Ok(found);
        }
        let monic = self.monic();
        let slope = monic.derivative();
        let common = monic.gcd(&slope, budget)?;
        let mut b = monic.div_rem(&common).0;
        let mut d = slope.div_rem(&common).0.sub(&b.derivative());
        let mut multiplicity = 1;
        while b.degree() > 0 {
            let factor = b.gcd(&d, budget)?;
            b = b.div_rem(&factor).0;
            let c = d.div_rem(&factor).0;
            d = c.sub(&b.derivative());
            if factor.degree() > 0 {
                found.push((factor, multiplicity));
            }
            multiplicity += 1;
        }
        Ok(found)
    }

    /// The expression of it.
    pub(crate) fn to_expr(&self, x: &Expr) -> Expr {
        Expr::sum(
            self.0
                .iter()
                .enumerate()
                .map(|(power, value)| Expr::number(value.clone()) * x.powi(power as i64)),
        )
    }
}

/// A prime of [`ResidueField`].
const PRIME: u64 = (1 << 31) - 1;

/// Whether two polynomials, none of them zero, have no common factor because they have none modulo a prime; false where that tells nothing.
fn are_coprime_modulo_prime(a: &[BigInt], b: &[BigInt]) -> bool {
    let field = ResidueField(PRIME);
    let modulus = BigInt::from(PRIME);
    let residues = |poly: &[BigInt]| -> Option<Vec<u64>> {
        let residue = |value: &BigInt| ((value % &modulus + &modulus) % &modulus).to_u64();
        let found: Vec<u64> = poly.iter().map(residue).collect::<Option<_>>()?;
        // With the leading coefficients the degree of a common factor stays.
        found
            .last()
            .is_some_and(|&leading| leading != 0)
            .then_some(found)
    };
    match (residues(a), residues(b)) {
        (Some(a), Some(b)) => field.gcd(&a, &b).len() == 1,
        _ => false,
    }
}

/// A multiple of the remainder, with whole coefficients; the divisor is not zero.
fn pseudo_remainder(mut rest: Vec<BigInt>, divisor: &[BigInt]) -> Vec<BigInt> {
    let count = divisor.len();
    while let (true, Some(top), Some(leading)) = (rest.len() >= count, rest.last(), divisor.last())
    {
        let common = gcd_of(top, leading);
        let (by, factor) = (leading / &common, top / &common);
        let at = rest.len() - count;
        for value in &mut rest {
            *value *= &by;
        }
        for (value, part) in rest.iter_mut().skip(at).zip(divisor) {
            *value -= &factor * part;
        }
        while rest.last().is_some_and(Zero::is_zero) {
            rest.pop();
        }
    }
    rest
}

/// Coefficients without their common factor.
fn without_content(mut poly: Vec<BigInt>) -> Vec<BigInt> {
    let content = poly
        .iter()
        .fold(BigInt::zero(), |all, value| gcd_of(&all, value));
    if content > BigInt::one() {
        for value in &mut poly {
            *value /= &content;
        }
    }
    poly
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::ordinary_budget;

    fn poly(coefficients: &[i64]) -> RationalPoly {
        let whole = |value: &i64| BigRational::from_integer((*value).into());
        RationalPoly::new(coefficients.iter().map(whole).collect())
    }

    #[test]
    fn common_divisors_are_found_and_coprime_ones_have_none() {
        let budget = ordinary_budget();
        let gcd =
            |a: &RationalPoly, b: &RationalPoly| a.gcd(b, &budget).expect("within the budget");
        let (f, g, h) = (poly(&[1, 1]), poly(&[-3, 0, 2]), poly(&[5, 1, 0, 7]));
        let one = poly(&[1]);
        assert_eq!(gcd(&f.mul(&g), &f.mul(&h)), f);
        assert_eq!(gcd(&f.pow(3).mul(&g), &f.pow(2).mul(&h)), f.pow(2));
        assert_eq!(gcd(&f.mul(&h), &g), one);
        assert_eq!(gcd(&poly(&[]), &g), g.monic());
        assert_eq!(gcd(&g, &poly(&[])), g.monic());
        assert_eq!(gcd(&poly(&[6]), &g), one);
        // The prime divides a leading coefficient, and a difference of roots.
        let prime = PRIME as i64;
        assert_eq!(gcd(&poly(&[1, prime]), &poly(&[2, prime])), one);
        assert_eq!(gcd(&poly(&[0, 1]), &poly(&[prime, 1])), one);
        let third = BigRational::new(1.into(), 3.into());
        assert_eq!(gcd(&f.mul(&g).scale(&third), &g), g.monic());
    }
}
