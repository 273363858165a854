//! Rational functions (M. Bronstein, Symbolic Integration I, chapter 2): Hermite's reduction by partial fractions, logarithms and arcus tangents by the roots
//! of the factors.

use num_rational::BigRational;

use super::table::{as_polynomial, log_abs};
use crate::budget::{Budget, Outcome};
use crate::poly::dense::RationalPoly;
use crate::poly::fraction::normal_form_of_prepared;
use crate::poly::roots::radical_roots;
use crate::simplify::apart::{PartialFractionTerm, partial_fractions};
use crate::simplify::expand::expand;
use crate::tree::{Expr, MathFunction};

/// The antiderivative of `num/den`.
pub(super) fn integrate_rational(
    num: &RationalPoly,
    den: &RationalPoly,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    let parts = partial_fractions(num, den, budget)?;
    let whole = parts.whole.0.iter().enumerate().map(|(power, value)| {
        let next = power as i64 + 1;
        Expr::number(value / BigRational::from_integer(next.into())) * x.powi(next)
    });
    let mut total: Vec<Expr> = whole.collect();
    for term in parts.terms {
        match integrate_term(term, x, budget)? {
            Some(found) => total.push(found),
            None => return Ok(None),
        }
    }
    Ok(Some(Expr::sum(total)))
}

/// One term; powers above 1 are lowered first.
fn integrate_term(
    term: PartialFractionTerm,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    let PartialFractionTerm {
        mut numerator,
        factor,
        mut power,
    } = term;
    let mut total = Vec::new();
    let slope = factor.derivative();
    let (s, t, _) = factor.extended_gcd(&slope, budget)?;
    while power > 1 {
        // numerator = a*factor + b*factor', so that b*factor'/factor^k is integrated by parts.
        budget.spend(factor.0.len() * factor.0.len())?;
        let (quotient, b) = numerator.mul(&t).div_rem(&factor);
        let a = numerator.mul(&s).add(&quotient.mul(&slope));
        let count = BigRational::from_integer((power as i64 - 1).into());
        total
            .push(-(b.scale(&count.recip()).to_expr(x) * factor.to_expr(x).powi(1 - power as i64)));
        numerator = a.add(&b.derivative().scale(&count.recip()));
        power -= 1;
    }
    if numerator.is_zero() {
        return Ok(Some(Expr::sum(total)));
    }
    // A multiple of the derivative is a logarithm.
    let ratio = numerator.leading() / slope.leading();
    if numerator == slope.scale(&ratio) {
        total.push(Expr::number(ratio) * log_of(&factor, x, budget)?);
        return Ok(Some(Expr::sum(total)));
    }
    let found = match factor.degree() {
        2 => {
            let parts: Vec<Expr> = factor
                .0
                .iter()
                .map(|value| Expr::number(value.clone()))
                .collect();
            quadratic_term(
                &Expr::number(numerator.coefficient(1)),
                &Expr::number(numerator.coefficient(0)),
                &parts,
                x,
            )
        }
        _ => by_roots(&numerator, &factor, x, budget)?,
    };
    Ok(found.map(|found| Expr::sum(total) + found))
}

/// The logarithm, without an absolute value where the polynomial has no real roots.
fn log_of(factor: &RationalPoly, x: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    let expr = factor.to_expr(x);
    let is_positive = crate::poly::roots::count_real_roots(factor, budget)? == 0;
    Ok(match is_positive {
        true => expr.ln(),
        false => log_abs(&expr),
    })
}

/// `(p*x + q)/(a*x^2 + b*x + c)`, the parts of the denominator from the constant up.
fn quadratic_term(p: &Expr, q: &Expr, parts: &[Expr], x: &Expr) -> Option<Expr> {
    let [c, b, a] = parts else {
        return None;
    };
    let two = Expr::integer(2);
    let denominator = a * x.powi(2) + b * x + c;
    let discriminant = Expr::integer(4) * a * c - b.powi(2);
    let is_definite = crate::tree::walk::is_known_positive(&discriminant);
    let logarithm = match is_definite {
        true if crate::tree::walk::is_known_positive(a) => denominator.ln(),
        _ => log_abs(&denominator),
    };
    let first = p / (&two * a) * logarithm;
    let rest = q - p * b / (&two * a);
    if rest.is_zero() {
        return Some(first);
    }
    let top = &two * a * x + b;
    let sign = discriminant
        .as_number()
        .map(|value| value > &BigRational::from_integer(0.into()));
    let second = match sign {
        Some(false) => {
            let root = (-discriminant).sqrt();
            &rest / &root * log_abs(&((&top - &root) / (&top + &root)))
        }
        _ => {
            let root = discriminant.sqrt();
            &two * &rest / &root * Expr::apply(MathFunction::Atan, top / root)
        }
    };
    Some(first + second)
}

/// Logarithms and arcus tangents over the roots in radicals.
fn by_roots(
    numerator: &RationalPoly,
    factor: &RationalPoly,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    if factor.degree() > 8 {
        return Ok(None);
    }
    let Some(roots) = radical_roots(factor, budget)? else {
        return Ok(None);
    };
    if roots.iter().any(|root| root.size() > 60) {
        return Ok(None);
    }
    let slope = factor.derivative();
    let mut total = Vec::new();
    for root in roots {
        let Some((alpha, beta)) = split_complex(&root, budget)? else {
            return Ok(None);
        };
        let is_lower = crate::numeric::compare::numeric_sign(&beta, budget)?;
        if is_lower.is_none_or(|sign| sign < 0) {
            if is_lower.is_none() {
                return Ok(None);
            }
            continue;
        }
        let weight = numerator.to_expr(&root) / slope.to_expr(&root);
        let weight = normal_form_of_prepared(&weight, None, budget)?.to_expr();
        let Some((u, v)) = split_complex(&weight, budget)? else {
            return Ok(None);
        };
        if beta.is_zero() {
            total.push(u * log_abs(&(x - alpha)));
            continue;
        }
        let square = expand(&((x - &alpha).powi(2) + beta.powi(2)), budget)?;
        total.push(u * square.ln());
        let angle = Expr::apply(MathFunction::Atan, (x - alpha) / beta);
        total.push(Expr::integer(-2) * v * angle);
    }
    Ok(Some(Expr::sum(total)))
}

/// Real and imaginary part of a number in radicals.
fn split_complex(value: &Expr, budget: &Budget<'_>) -> Outcome<Option<(Expr, Expr)>> {
    let expanded = expand(value, budget)?;
    let (mut real, mut imaginary) = (Vec::new(), Vec::new());
    let i = Expr::i();
    for term in expanded.terms() {
        match term.contains(&i) {
            false => real.push(term.clone()),
            true => {
                let rest = term / &i;
                if rest.contains(&i) {
                    return Ok(None);
                }
                imaginary.push(rest);
            }
        }
    }
    Ok(Some((Expr::sum(real), Expr::sum(imaginary))))
}

/// `(p*x + q)/(a*x^2 + b*x + c)` and `1/(..)^n` with any coefficients without x.
pub(super) fn integrate_quadratic_denominator(
    expr: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    let (mut top, mut bottom) = (Vec::new(), Vec::new());
    for factor in expr.factors() {
        let (base, exponent) = factor.base_and_exponent();
        match exponent.as_integer() {
            Some(count) if count < 0 => bottom.push(base.powi(-count)),
            _ => top.push(factor.clone()),
        }
    }
    if bottom.is_empty() {
        return Ok(None);
    }
    let Some(parts) = as_polynomial(&Expr::product(bottom), x, 2, budget)? else {
        return Ok(None);
    };
    let Some(above) = as_polynomial(&Expr::product(top), x, 1, budget)? else {
        return Ok(None);
    };
    if parts.len() != 3 || above.is_empty() {
        return Ok(None);
    }
    let p = above.get(1).cloned().unwrap_or_else(Expr::zero);
    Ok(quadratic_term(&p, &above[0], &parts, x))
}
