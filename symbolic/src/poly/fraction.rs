//! Fractions of polynomials in kernels, and the normal form of an expression.

use num_rational::BigRational;
use num_traits::Zero;

use super::kernels::KernelTable;
use super::prepare::prepare;
use super::sparse::SparsePoly;
use super::sparse_gcd::sparse_gcd;
use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::tree::Expr;

/// Numerator and denominator, which is not zero.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KernelFraction {
    pub num: SparsePoly,
    pub den: SparsePoly,
}

impl KernelFraction {
    pub(crate) fn constant(variables: usize, value: BigRational) -> Self {
        Self {
            num: SparsePoly::constant(variables, value),
            den: SparsePoly::one(variables),
        }
    }

    pub(crate) fn add(&self, other: &Self, budget: &Budget<'_>) -> Outcome<Self> {
        if self.den == other.den {
            return Ok(Self {
                num: self.num.add(&other.num),
                den: self.den.clone(),
            });
        }
        let common = match self.den.as_constant().is_some() || other.den.as_constant().is_some() {
            true => SparsePoly::one(self.den.variables),
            false => sparse_gcd(&self.den, &other.den, budget)?,
        };
        let mine = self
            .den
            .div_exact(&common, budget)?
            .unwrap_or_else(|| self.den.clone());
        let theirs = other
            .den
            .div_exact(&common, budget)?
            .unwrap_or_else(|| other.den.clone());
        Ok(Self {
            num: self
                .num
                .mul(&theirs, budget)?
                .add(&other.num.mul(&mine, budget)?),
            den: self.den.mul(&theirs, budget)?,
        })
    }

    pub(crate) fn mul(&self, other: &Self, budget: &Budget<'_>) -> Outcome<Self> {
        Ok(Self {
            num: self.num.mul(&other.num, budget)?,
            den: self.den.mul(&other.den, budget)?,
        })
    }

    pub(crate) fn pow(&self, exponent: i64, budget: &Budget<'_>) -> Outcome<Self> {
        let size = u32::try_from(exponent.unsigned_abs()).map_err(|_| SymbolicFault::Size)?;
        let (num, den) = (self.num.pow(size, budget)?, self.den.pow(size, budget)?);
        match exponent < 0 {
            true if num.is_zero() => Err(SymbolicFault::Undefined),
            true => Ok(Self { num: den, den: num }),
            false => Ok(Self { num, den }),
        }
    }

    /// Common factors cancelled, the denominator primitive.
    pub(crate) fn cancel(&self, budget: &Budget<'_>) -> Outcome<Self> {
        if self.num.is_zero() {
            return Ok(Self::constant(self.num.variables, BigRational::zero()));
        }
        let common = sparse_gcd(&self.num, &self.den, budget)?;
        let num = self
            .num
            .div_exact(&common, budget)?
            .unwrap_or_else(|| self.num.clone());
        let den = self
            .den
            .div_exact(&common, budget)?
            .unwrap_or_else(|| self.den.clone());
        let (content, den) = den.primitive();
        Ok(Self {
            num: num.scale(&content.recip()),
            den,
        })
    }
}

/// An expression as a fraction of polynomials in its kernels.
#[derive(Debug, Clone)]
pub(crate) struct NormalForm {
    pub table: KernelTable,
    pub fraction: KernelFraction,
}

/// The normal form. It is zero only for expressions that are zero everywhere; one that is not zero may still be so by a relation that is not known.
pub(crate) fn normal_form(
    expr: &Expr,
    leading: Option<&Expr>,
    budget: &Budget<'_>,
) -> Outcome<NormalForm> {
    let prepared = prepare(expr, budget)?;
    normal_form_of_prepared(&prepared, leading, budget)
}

/// The normal form of an expression in its own functions.
pub(crate) fn normal_form_of_prepared(
    prepared: &Expr,
    leading: Option<&Expr>,
    budget: &Budget<'_>,
) -> Outcome<NormalForm> {
    let table = KernelTable::of(&[prepared], leading, budget)?;
    let fraction = table.convert(prepared, budget)?;
    let fraction = table.rationalise(fraction, budget)?;
    let fraction = fraction.cancel(budget)?;
    Ok(NormalForm { table, fraction })
}

impl NormalForm {
    pub(crate) fn to_expr(&self) -> Expr {
        self.table.to_expr(&self.fraction)
    }

    pub(crate) fn numerator(&self) -> Expr {
        self.table.poly_to_expr(&self.fraction.num)
    }

    pub(crate) fn denominator(&self) -> Expr {
        self.table.poly_to_expr(&self.fraction.den)
    }
}

/// Whether the expression is proved to be zero.
pub(crate) fn is_proved_zero(expr: &Expr, budget: &Budget<'_>) -> Outcome<bool> {
    if expr.is_zero() {
        return Ok(true);
    }
    let prepared = prepare(expr, budget)?;
    if prepared.is_zero() {
        return Ok(true);
    }
    let table = KernelTable::of(&[&prepared], None, budget)?;
    Ok(table.convert(&prepared, budget)?.num.is_zero())
}

/// Whether the expression is one of no kernels: the number.
pub(crate) fn as_plain_number(fraction: &KernelFraction) -> Option<BigRational> {
    let (num, den) = (fraction.num.as_constant()?, fraction.den.as_constant()?);
    (!den.is_zero()).then(|| num / den)
}
