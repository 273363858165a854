//! Partial fractions over the rationals.

use num_rational::BigRational;
use num_traits::One;

use crate::budget::{Budget, Outcome, refuse};
use crate::poly::dense::RationalPoly;
use crate::poly::factor::factor_polynomial;
use crate::poly::fraction::normal_form_of_prepared;
use crate::poly::sparse_gcd::to_dense;
use crate::tree::Expr;

/// A polynomial and terms `numerator / factor^power`.
#[derive(Debug, Clone)]
pub(crate) struct PartialFractions {
    pub whole: RationalPoly,
    pub terms: Vec<PartialFractionTerm>,
}

/// One term of partial fractions.
#[derive(Debug, Clone)]
pub(crate) struct PartialFractionTerm {
    pub numerator: RationalPoly,
    pub factor: RationalPoly,
    pub power: usize,
}

/// The quotient of polynomials with rational coefficients, where the expression is one in the symbol.
pub(crate) fn as_rational_function(
    expr: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<(RationalPoly, RationalPoly)>> {
    let is_plain = expr.symbols().len() <= 1
        && !expr.any(&|part| part.as_call().is_some() || part.as_constant().is_some());
    if !is_plain {
        return Ok(None);
    }
    let form = normal_form_of_prepared(expr, Some(x), budget)?;
    let place = form.table.place_of(x);
    let is_only_kernel = form.table.count() == 0 || (form.table.count() == 1 && place.is_some());
    if !is_only_kernel {
        return Ok(None);
    }
    Ok(Some(match place {
        Some(place) => (
            to_dense(&form.fraction.num, place),
            to_dense(&form.fraction.den, place),
        ),
        None => {
            let value = crate::poly::fraction::as_plain_number(&form.fraction);
            let Some(value) = value else {
                return Ok(None);
            };
            (
                RationalPoly::constant(value),
                RationalPoly::constant(BigRational::one()),
            )
        }
    }))
}

/// Decomposes `num/den`.
pub(crate) fn partial_fractions(
    num: &RationalPoly,
    den: &RationalPoly,
    budget: &Budget<'_>,
) -> Outcome<PartialFractions> {
    let (whole, mut rest) = num.div_rem(den);
    let factored = factor_polynomial(den, budget)?;
    rest = rest.scale(&factored.constant.recip());
    let mut terms = Vec::new();
    let powers: Vec<(RationalPoly, usize, RationalPoly)> = factored
        .factors
        .into_iter()
        .map(|(factor, power)| (factor.clone(), power, factor.pow(power)))
        .collect();
    for (place, (factor, power, product)) in powers.iter().enumerate() {
        let others = powers
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place)
            .fold(
                RationalPoly::constant(BigRational::one()),
                |all, (_, (_, _, power))| all.mul(power),
            );
        // rest/(product*others): the part over the product is rest * others^-1 modulo it.
        let (inverse, _, _) = others.extended_gcd(product, budget)?;
        let mut part = rest.mul(&inverse).div_rem(product).1;
        for count in (1..=*power).rev() {
            budget.spend(product.0.len())?;
            let (next, numerator) = part.div_rem(factor);
            if !numerator.is_zero() {
                terms.push(PartialFractionTerm {
                    numerator,
                    factor: factor.clone(),
                    power: count,
                });
            }
            part = next;
        }
    }
    Ok(PartialFractions { whole, terms })
}

/// The expression in partial fractions of a symbol.
pub(crate) fn apart(expr: &Expr, x: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let Some((num, den)) = as_rational_function(expr, x, budget)? else {
        return refuse(
            "partial fractions are made of quotients of polynomials in one variable with rational coefficients",
        );
    };
    let parts = partial_fractions(&num, &den, budget)?;
    let terms = parts.terms.iter().map(|term| {
        let (content, factor) = (term.numerator.primitive().0, term.numerator.primitive().1);
        Expr::product([
            Expr::number(content),
            factor.to_expr(x),
            term.factor.to_expr(x).powi(-(term.power as i64)),
        ])
    });
    budget.admit(Expr::sum(
        std::iter::once(parts.whole.to_expr(x)).chain(terms),
    ))
}
