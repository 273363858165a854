//! What elimination computes with: whole numbers, polynomials, or fractions in kernels.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::numeric::compare_values;
use crate::poly::fraction::KernelFraction;
use crate::poly::kernels::KernelTable;
use crate::poly::sparse::SparsePoly;
use crate::tree::Expr;

/// Points at which a fraction in roots or functions is compared with zero, where its form is not zero.
const ZERO_POINTS: usize = 2;

/// A ring without divisors of zero, in which exact quotients are found.
pub(super) trait EliminationRing {
    /// An element.
    type Element: Clone;

    fn budget(&self) -> &Budget<'_>;
    fn zero(&self) -> Self::Element;
    fn one(&self) -> Self::Element;
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Outcome<Self::Element>;
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Outcome<Self::Element>;
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Outcome<Self::Element>;
    /// The quotient, which is known to be an element.
    fn div_exact(&self, a: &Self::Element, b: &Self::Element) -> Outcome<Self::Element>;
    /// Whether it is zero.
    fn is_zero(&self, a: &Self::Element) -> Outcome<bool>;
    /// How large it is: pivots are the smallest, numbers before others.
    fn weight(&self, a: &Self::Element) -> usize;
    /// The element of a whole number.
    fn small(&self, value: i64) -> Self::Element;
    /// The quotient as an expression without common factors.
    fn quotient(&self, a: &Self::Element, b: &Self::Element) -> Outcome<Expr>;
    /// Factors without which the element is not zero, as expressions with symbols.
    fn factors(&self, a: &Self::Element) -> Outcome<Vec<Expr>>;
}

/// Whole numbers.
pub(super) struct WholeRing<'a> {
    pub budget: &'a Budget<'a>,
}

impl EliminationRing for WholeRing<'_> {
    type Element = BigInt;

    fn budget(&self) -> &Budget<'_> {
        self.budget
    }

    fn zero(&self) -> BigInt {
        BigInt::zero()
    }

    fn one(&self) -> BigInt {
        BigInt::one()
    }

    fn add(&self, a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
        Ok(a + b)
    }

    fn sub(&self, a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
        Ok(a - b)
    }

    fn mul(&self, a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
        self.budget
            .spend(1 + (a.bits().min(b.bits()) / 256) as usize)?;
        match a.bits() + b.bits() > crate::tree::integer::BITS_LIMIT {
            true => Err(SymbolicFault::Size),
            false => Ok(a * b),
        }
    }

    fn div_exact(&self, a: &BigInt, b: &BigInt) -> Outcome<BigInt> {
        Ok(a / b)
    }

    fn is_zero(&self, a: &BigInt) -> Outcome<bool> {
        Ok(a.is_zero())
    }

    fn weight(&self, a: &BigInt) -> usize {
        a.bits() as usize
    }

    fn small(&self, value: i64) -> BigInt {
        BigInt::from(value)
    }

    fn quotient(&self, a: &BigInt, b: &BigInt) -> Outcome<Expr> {
        match b.is_zero() {
            true => Err(SymbolicFault::Undefined),
            false => Ok(Expr::number(BigRational::new(a.clone(), b.clone()))),
        }
    }

    fn factors(&self, _: &BigInt) -> Outcome<Vec<Expr>> {
        Ok(Vec::new())
    }
}

/// Polynomials in symbols that are independent of each other.
pub(super) struct PolynomialRing<'a> {
    pub table: &'a KernelTable,
    pub budget: &'a Budget<'a>,
}

impl EliminationRing for PolynomialRing<'_> {
    type Element = SparsePoly;

    fn budget(&self) -> &Budget<'_> {
        self.budget
    }

    fn zero(&self) -> SparsePoly {
        SparsePoly::zero(self.table.count())
    }

    fn one(&self) -> SparsePoly {
        SparsePoly::one(self.table.count())
    }

    fn add(&self, a: &SparsePoly, b: &SparsePoly) -> Outcome<SparsePoly> {
        Ok(a.add(b))
    }

    fn sub(&self, a: &SparsePoly, b: &SparsePoly) -> Outcome<SparsePoly> {
        Ok(a.sub(b))
    }

    fn mul(&self, a: &SparsePoly, b: &SparsePoly) -> Outcome<SparsePoly> {
        a.mul(b, self.budget)
    }

    fn div_exact(&self, a: &SparsePoly, b: &SparsePoly) -> Outcome<SparsePoly> {
        match a.div_exact(b, self.budget)? {
            Some(quotient) => Ok(quotient),
            None => refuse("a division of the elimination leaves a remainder"),
        }
    }

    fn is_zero(&self, a: &SparsePoly) -> Outcome<bool> {
        Ok(a.is_zero())
    }

    fn weight(&self, a: &SparsePoly) -> usize {
        match a.as_constant() {
            Some(_) => 0,
            None => a.terms.len(),
        }
    }

    fn small(&self, value: i64) -> SparsePoly {
        let value = BigRational::from_integer(value.into());
        SparsePoly::constant(self.table.count(), value)
    }

    fn quotient(&self, a: &SparsePoly, b: &SparsePoly) -> Outcome<Expr> {
        if b.is_zero() {
            return Err(SymbolicFault::Undefined);
        }
        let fraction = KernelFraction {
            num: a.clone(),
            den: b.clone(),
        };
        let fraction = fraction.cancel(self.budget)?;
        self.budget.admit(self.table.to_expr(&fraction))
    }

    fn factors(&self, a: &SparsePoly) -> Outcome<Vec<Expr>> {
        polynomial_factors(self.table, a, self.budget)
    }
}

/// Fractions in kernels, some of which have relations.
pub(super) struct KernelField<'a> {
    pub table: &'a KernelTable,
    pub budget: &'a Budget<'a>,
    /// Whether a form that is not zero may stand for zero, as with roots of products: then digits decide.
    pub has_hidden_zeros: bool,
}

impl EliminationRing for KernelField<'_> {
    type Element = KernelFraction;

    fn budget(&self) -> &Budget<'_> {
        self.budget
    }

    fn zero(&self) -> KernelFraction {
        self.small(0)
    }

    fn one(&self) -> KernelFraction {
        self.small(1)
    }

    fn add(&self, a: &KernelFraction, b: &KernelFraction) -> Outcome<KernelFraction> {
        let sum = a.add(b, self.budget)?;
        self.table.reduce(sum, self.budget)?.cancel(self.budget)
    }

    fn sub(&self, a: &KernelFraction, b: &KernelFraction) -> Outcome<KernelFraction> {
        let opposite = KernelFraction {
            num: b.num.neg(),
            den: b.den.clone(),
        };
        self.add(a, &opposite)
    }

    fn mul(&self, a: &KernelFraction, b: &KernelFraction) -> Outcome<KernelFraction> {
        let product = a.mul(b, self.budget)?;
        self.table.reduce(product, self.budget)?.cancel(self.budget)
    }

    fn div_exact(&self, a: &KernelFraction, b: &KernelFraction) -> Outcome<KernelFraction> {
        if b.num.is_zero() {
            return Err(SymbolicFault::Undefined);
        }
        let inverse = KernelFraction {
            num: b.den.clone(),
            den: b.num.clone(),
        };
        let inverse = self.table.rationalise(inverse, self.budget)?;
        self.mul(a, &inverse)
    }

    fn is_zero(&self, a: &KernelFraction) -> Outcome<bool> {
        if a.num.is_zero() {
            return Ok(true);
        }
        if !self.has_hidden_zeros || a.num.as_constant().is_some() {
            return Ok(false);
        }
        let expr = self.table.poly_to_expr(&a.num);
        let compared = compare_values(&expr, &Expr::zero(), ZERO_POINTS, self.budget)?;
        Ok(compared.is_agreement())
    }

    fn weight(&self, a: &KernelFraction) -> usize {
        match a.num.as_constant() {
            Some(_) => 0,
            None => a.num.terms.len() + a.den.terms.len(),
        }
    }

    fn small(&self, value: i64) -> KernelFraction {
        let value = BigRational::from_integer(value.into());
        KernelFraction::constant(self.table.count(), value)
    }

    fn quotient(&self, a: &KernelFraction, b: &KernelFraction) -> Outcome<Expr> {
        let fraction = self.div_exact(a, b)?;
        let fraction = self.table.rationalise(fraction, self.budget)?;
        let fraction = fraction.cancel(self.budget)?;
        self.budget.admit(self.table.to_expr(&fraction))
    }

    fn factors(&self, a: &KernelFraction) -> Outcome<Vec<Expr>> {
        polynomial_factors(self.table, &a.num, self.budget)
    }
}

fn polynomial_factors(
    table: &KernelTable,
    poly: &SparsePoly,
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    let factors = crate::poly::sparse_factor::factor_sparse(poly, budget)?.factors;
    Ok(factors
        .into_iter()
        .map(|(factor, _)| table.poly_to_expr(&factor))
        .filter(|factor| !factor.symbols().is_empty())
        .collect())
}
