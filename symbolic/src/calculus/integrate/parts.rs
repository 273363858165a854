//! Integration by parts.

use super::IntegralSearch;
use super::table::{as_linear, as_polynomial};
use crate::budget::Outcome;
use crate::calculus::differentiate::derivative_of;
use crate::simplify::expand::expand;
use crate::tree::{Expr, MathFunction};

impl IntegralSearch<'_> {
    /// Logarithms and inverse functions are differentiated, exponentials and circular functions integrated.
    pub(super) fn by_parts(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        if let Some(found) = self.exponential_times_circular(expr, x)? {
            return Ok(Some(found));
        }
        let factors = expr.factors();
        let is_inverse = |factor: &Expr| {
            use MathFunction as F;
            matches!(
                factor.base_and_exponent().0.as_call(),
                Some((
                    F::Ln | F::Asin | F::Acos | F::Atan | F::Asinh | F::Acosh | F::Atanh | F::Erf,
                    _
                ))
            ) && factor
                .base_and_exponent()
                .1
                .as_integer()
                .is_some_and(|count| count > 0)
        };
        let is_polynomial = |factor: &Expr| {
            let (base, exponent) = factor.base_and_exponent();
            exponent.as_integer().is_some_and(|count| count > 0)
                && matches!(as_polynomial(&base, x, 12, self.budget), Ok(Some(_)))
        };
        let inverse: Vec<&Expr> = factors.iter().filter(|factor| is_inverse(factor)).collect();
        let polynomial: Vec<&Expr> = factors
            .iter()
            .filter(|factor| is_polynomial(factor))
            .collect();
        for chosen in [inverse, polynomial] {
            if chosen.is_empty() {
                continue;
            }
            let first = Expr::product(chosen.iter().map(|factor| (*factor).clone()));
            let rest = Expr::product(
                factors
                    .iter()
                    .filter(|factor| !chosen.contains(factor))
                    .cloned(),
            );
            if let Some(found) = self.parts_of(&first, &rest, x)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// `first*G - integral(first'*G)` with `G` the integral of the rest.
    fn parts_of(&mut self, first: &Expr, rest: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let Some(integrated) = self.integrate(rest, x)? else {
            return Ok(None);
        };
        if integrated.size() > 300 {
            return Ok(None);
        }
        let slope = derivative_of(first, x, self.budget)?;
        let remainder = &slope * &integrated;
        let remainder = match expand(&remainder, &self.budget.share(50_000)) {
            Ok(expanded) if expanded.terms().len() < 40 => expanded,
            _ => remainder,
        };
        Ok(self
            .integrate(&remainder, x)?
            .map(|second| first * integrated - second))
    }

    /// `exp(a*x + b)*sin(c*x + d)`, and with the cosine and hyperbolic functions left out.
    fn exponential_times_circular(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let [one, two] = expr.factors() else {
            return Ok(None);
        };
        let (exponential, circular) = match one.as_call() {
            Some(_) => (two, one),
            None => (one, two),
        };
        let Some((function @ (MathFunction::Sin | MathFunction::Cos), [angle])) =
            circular.as_call()
        else {
            return Ok(None);
        };
        let (base, exponent) = exponential.base_and_exponent();
        if base.contains(x) || !exponent.contains(x) {
            return Ok(None);
        }
        let (Some((a, _)), Some((c, _))) = (
            as_linear(&exponent, x, self.budget)?,
            as_linear(angle, x, self.budget)?,
        ) else {
            return Ok(None);
        };
        let a = a * base.ln();
        let sine = Expr::apply(MathFunction::Sin, angle.clone());
        let cosine = Expr::apply(MathFunction::Cos, angle.clone());
        let top = match function {
            MathFunction::Sin => &a * sine - &c * cosine,
            _ => &a * cosine + &c * sine,
        };
        Ok(Some(exponential * top / (a.powi(2) + c.powi(2))))
    }
}
