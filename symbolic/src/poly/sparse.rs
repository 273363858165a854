//! Polynomials of several variables with rational coefficients.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::tree::integer::{gcd_of, lcm_of};

/// Terms that a polynomial may have.
pub(crate) const TERM_LIMIT: usize = 20_000;

/// Exponents, one a variable.
pub(crate) type Exponents = Vec<u32>;

/// Coefficients by exponents; none is zero. The order of terms is lexicographic, the last is the leading one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SparsePoly {
    pub variables: usize,
    pub terms: BTreeMap<Exponents, BigRational>,
}

impl SparsePoly {
    pub(crate) fn zero(variables: usize) -> Self {
        Self {
            variables,
            terms: BTreeMap::new(),
        }
    }

    pub(crate) fn constant(variables: usize, value: BigRational) -> Self {
        let mut poly = Self::zero(variables);
        poly.add_term(vec![0; variables], value);
        poly
    }

    pub(crate) fn one(variables: usize) -> Self {
        Self::constant(variables, BigRational::one())
    }

    /// A power of a variable.
    pub(crate) fn power_of(variables: usize, variable: usize, exponent: u32) -> Self {
        let mut exponents = vec![0; variables];
        exponents[variable] = exponent;
        let mut poly = Self::zero(variables);
        poly.add_term(exponents, BigRational::one());
        poly
    }

    pub(crate) fn add_term(&mut self, exponents: Exponents, value: BigRational) {
        if value.is_zero() {
            return;
        }
        match self.terms.entry(exponents) {
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(value);
            }
            std::collections::btree_map::Entry::Occupied(mut place) => {
                *place.get_mut() += value;
                if place.get().is_zero() {
                    place.remove();
                }
            }
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value, where no variable occurs.
    pub(crate) fn as_constant(&self) -> Option<BigRational> {
        match self.terms.len() {
            0 => Some(BigRational::zero()),
            1 => {
                let (exponents, value) = self.terms.iter().next()?;
                exponents
                    .iter()
                    .all(|&power| power == 0)
                    .then(|| value.clone())
            }
            _ => None,
        }
    }

    pub(crate) fn is_one(&self) -> bool {
        self.as_constant().is_some_and(|value| value.is_one())
    }

    pub(crate) fn degree(&self, variable: usize) -> u32 {
        self.terms
            .keys()
            .map(|exponents| exponents[variable])
            .max()
            .unwrap_or(0)
    }

    /// Whether the variable occurs.
    pub(crate) fn depends_on(&self, variable: usize) -> bool {
        self.terms.keys().any(|exponents| exponents[variable] > 0)
    }

    pub(crate) fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (exponents, value) in &other.terms {
            sum.add_term(exponents.clone(), value.clone());
        }
        sum
    }

    pub(crate) fn neg(&self) -> Self {
        self.scale(&-BigRational::one())
    }

    pub(crate) fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    pub(crate) fn scale(&self, factor: &BigRational) -> Self {
        let mut scaled = Self::zero(self.variables);
        if !factor.is_zero() {
            scaled.terms = self
                .terms
                .iter()
                .map(|(exponents, value)| (exponents.clone(), value * factor))
                .collect();
        }
        scaled
    }

    pub(crate) fn mul(&self, other: &Self, budget: &Budget<'_>) -> Outcome<Self> {
        let mut product = Self::zero(self.variables);
        for (a, x) in &self.terms {
            budget.spend(other.terms.len() + 1)?;
            for (b, y) in &other.terms {
                let exponents = a.iter().zip(b).map(|(a, b)| a + b).collect();
                product.add_term(exponents, x * y);
            }
            if product.terms.len() > TERM_LIMIT {
                return Err(SymbolicFault::Size);
            }
        }
        Ok(product)
    }

    pub(crate) fn pow(&self, exponent: u32, budget: &Budget<'_>) -> Outcome<Self> {
        let mut result = Self::one(self.variables);
        for _ in 0..exponent {
            result = result.mul(self, budget)?;
        }
        Ok(result)
    }

    /// The last term in lexicographic order.
    pub(crate) fn leading(&self) -> Option<(&Exponents, &BigRational)> {
        self.terms.iter().next_back()
    }

    /// The exact quotient, where the division leaves nothing.
    pub(crate) fn div_exact(&self, divisor: &Self, budget: &Budget<'_>) -> Outcome<Option<Self>> {
        let Some((lead, value)) = divisor.leading() else {
            return Ok(None);
        };
        if let Some(constant) = divisor.as_constant() {
            return Ok(Some(self.scale(&constant.recip())));
        }
        let mut rest = self.clone();
        let mut quotient = Self::zero(self.variables);
        while let Some((exponents, coefficient)) = rest.leading() {
            budget.spend(divisor.terms.len() + 1)?;
            if exponents.iter().zip(lead).any(|(a, b)| a < b) {
                return Ok(None);
            }
            let step: Exponents = exponents.iter().zip(lead).map(|(a, b)| a - b).collect();
            let factor = coefficient / value;
            for (other, amount) in &divisor.terms {
                let place = other.iter().zip(&step).map(|(a, b)| a + b).collect();
                rest.add_term(place, -(amount * &factor));
            }
            quotient.add_term(step, factor);
        }
        Ok(Some(quotient))
    }

    /// The coefficients by powers of a variable, which no longer occurs in them.
    pub(crate) fn coefficients(&self, variable: usize) -> Vec<Self> {
        let count = self.degree(variable) as usize + 1;
        let mut parts = vec![Self::zero(self.variables); count];
        for (exponents, value) in &self.terms {
            let mut rest = exponents.clone();
            let power = std::mem::take(&mut rest[variable]) as usize;
            parts[power].add_term(rest, value.clone());
        }
        parts
    }

    pub(crate) fn derivative(&self, variable: usize) -> Self {
        let mut slope = Self::zero(self.variables);
        for (exponents, value) in &self.terms {
            if exponents[variable] > 0 {
                let factor = BigRational::from_integer(BigInt::from(exponents[variable]));
                let mut exponents = exponents.clone();
                exponents[variable] -= 1;
                slope.add_term(exponents, value * factor);
            }
        }
        slope
    }

    /// The common number, with the sign of the leading coefficient, and the rest with whole coefficients.
    pub(crate) fn primitive(&self) -> (BigRational, Self) {
        let Some((_, leading)) = self.leading() else {
            return (BigRational::one(), self.clone());
        };
        let bottom = self
            .terms
            .values()
            .fold(BigInt::one(), |all, value| lcm_of(&all, value.denom()));
        let top = self.terms.values().fold(BigInt::zero(), |all, value| {
            gcd_of(&all, &(value.numer() * (&bottom / value.denom())))
        });
        let content = match leading.is_negative() {
            true => -BigRational::new(top, bottom),
            false => BigRational::new(top, bottom),
        };
        let primitive = self.scale(&content.recip());
        (content, primitive)
    }

    /// The greatest monomial that divides every term.
    pub(crate) fn monomial_content(&self) -> Exponents {
        let mut terms = self.terms.keys();
        let Some(first) = terms.next() else {
            return vec![0; self.variables];
        };
        terms.fold(first.clone(), |least, exponents| {
            least
                .iter()
                .zip(exponents)
                .map(|(a, b)| *a.min(b))
                .collect()
        })
    }

    /// The same with every term divided by a monomial that divides it.
    pub(crate) fn divide_monomial(&self, monomial: &Exponents) -> Self {
        let terms = self.terms.iter().map(|(exponents, value)| {
            (
                exponents.iter().zip(monomial).map(|(a, b)| a - b).collect(),
                value.clone(),
            )
        });
        Self {
            variables: self.variables,
            terms: terms.collect(),
        }
    }

    /// The value with a variable set to a number.
    pub(crate) fn set(&self, variable: usize, value: &BigRational) -> Self {
        let mut result = Self::zero(self.variables);
        for (exponents, coefficient) in &self.terms {
            let mut rest = exponents.clone();
            let power = std::mem::take(&mut rest[variable]) as usize;
            result.add_term(rest, coefficient * num_traits::pow(value.clone(), power));
        }
        result
    }
}
