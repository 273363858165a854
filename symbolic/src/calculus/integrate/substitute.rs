//! Substitutions: an inner function whose derivative divides the integrand, exponentials, the tangent of half an angle.

use super::IntegralSearch;
use super::table::as_linear;
use crate::budget::Outcome;
use crate::calculus::differentiate::derivative_of;
use crate::poly::fraction::normal_form_of_prepared;
use crate::poly::prepare::rewrite_functions;
use crate::tree::{Expr, ExprNode, MathFunction};

impl IntegralSearch<'_> {
    /// `g'(x)*h(g(x))`.
    pub(super) fn by_substitution(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        for inner in substitution_candidates(expr, x) {
            self.budget.spend(50)?;
            let slope = derivative_of(&inner, x, self.budget)?;
            if slope.is_zero() {
                continue;
            }
            let u = self.fresh_symbol();
            for quotient in self.quotients(expr, &slope)? {
                let replaced = replace_powers(&quotient, &inner, &u);
                if replaced.contains(x) {
                    continue;
                }
                if let Some(found) = self.integrate(&replaced, &u)? {
                    return Ok(Some(found.replace(&u, &inner)));
                }
                break;
            }
        }
        Ok(None)
    }

    /// The integrand over the derivative, as it is and without common factors.
    fn quotients(&self, expr: &Expr, slope: &Expr) -> Outcome<Vec<Expr>> {
        let plain = expr / slope;
        let mut all = vec![plain.clone()];
        if let Ok(form) = normal_form_of_prepared(&plain, None, &self.budget.share(60_000)) {
            let cancelled = form.to_expr();
            if cancelled != plain {
                all.push(cancelled);
            }
            if let Ok(factored) =
                crate::simplify::forms::factored_expr(&form, &self.budget.share(60_000))
            {
                all.push(factored);
            }
        }
        if let Ok(rewritten) = rewrite_functions(&plain, &self.budget.share(60_000))
            && rewritten != plain
        {
            all.push(rewritten);
        }
        Ok(all)
    }

    /// Rational functions of one exponential.
    pub(super) fn by_exponential(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let rewritten = rewrite_functions(expr, self.budget)?;
        let exponentials =
            rewritten.collect(&|part| part.contains(x) && part.as_exponential().is_some());
        if exponentials.is_empty() {
            return Ok(None);
        }
        let mut unit: Option<num_rational::BigRational> = None;
        let mut direction: Option<Expr> = None;
        for exponential in &exponentials {
            let Some(exponent) = exponential.as_exponential() else {
                return Ok(None);
            };
            let Some((slope, _)) = as_linear(exponent, x, self.budget)? else {
                return Ok(None);
            };
            let (coefficient, rest) = slope.coefficient_and_rest();
            if direction
                .as_ref()
                .is_some_and(|direction| *direction != rest)
            {
                return Ok(None);
            }
            direction = Some(rest);
            let size = num_traits::Signed::abs(&coefficient);
            unit = Some(match unit {
                None => size,
                Some(unit) => num_rational::BigRational::new(
                    crate::tree::integer::gcd_of(
                        &(unit.numer() * size.denom()),
                        &(size.numer() * unit.denom()),
                    ),
                    unit.denom() * size.denom(),
                ),
            });
        }
        let (Some(unit), Some(direction)) = (unit, direction) else {
            return Ok(None);
        };
        let slope = Expr::number(unit) * direction;
        let u = self.fresh_symbol();
        let base = (&slope * x).exp();
        let replaced = replace_powers(
            &crate::simplify::expand::expand(&rewritten, self.budget)?,
            &base,
            &u,
        );
        if replaced.contains(x) {
            return Ok(None);
        }
        let integrand = replaced / (&u * &slope);
        let integrand = normal_form_of_prepared(&integrand, Some(&u), self.budget)?.to_expr();
        Ok(self
            .integrate(&integrand, &u)?
            .map(|found| found.replace(&u, &base)))
    }

    /// Rational functions of sine and cosine of one linear angle, by the tangent of its half.
    pub(super) fn by_half_angle(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let prepared = crate::poly::prepare::prepare(expr, self.budget)?;
        let calls = prepared.collect(&|part| part.contains(x) && part.as_call().is_some());
        let mut angle: Option<Expr> = None;
        for call in &calls {
            match call.as_call() {
                Some((MathFunction::Sin | MathFunction::Cos, [argument]))
                    if angle.as_ref().is_none_or(|known| known == argument) =>
                {
                    angle = Some(argument.clone());
                }
                _ => return Ok(None),
            }
        }
        let Some(angle) = angle else {
            return Ok(None);
        };
        let slope = derivative_of(&angle, x, self.budget)?;
        if slope.contains(x) {
            return Ok(None);
        }
        let t = self.fresh_symbol();
        let one = Expr::one();
        let sine = Expr::apply(MathFunction::Sin, angle.clone());
        let cosine = Expr::apply(MathFunction::Cos, angle.clone());
        // Even in sine and cosine together: the whole angle is enough.
        let mirrored = prepared.replace(&sine, &-&sine).replace(&cosine, &-&cosine);
        let is_even = crate::poly::fraction::is_proved_zero(&(&mirrored - &prepared), self.budget)
            .unwrap_or(false);
        if is_even {
            let u = self.fresh_symbol();
            let halved = self.by_tangent(&prepared, &angle, &u)?;
            if let Some(integrand) = halved
                && !integrand.contains(x)
                && let Some(found) = self.integrate(&integrand, &u)?
            {
                let tangent = Expr::apply(MathFunction::Tan, angle.clone());
                return Ok(Some(found.replace(&u, &tangent) / slope));
            }
        }
        let square = t.powi(2);
        let replaced = prepared
            .replace(&sine, &(Expr::integer(2) * &t / (&one + &square)))
            .replace(&cosine, &((&one - &square) / (&one + &square)));
        if replaced.contains(x) {
            return Ok(None);
        }
        let integrand = replaced * Expr::integer(2) / (one + square);
        let integrand = normal_form_of_prepared(&integrand, Some(&t), self.budget)?.to_expr();
        let half = Expr::apply(MathFunction::Tan, angle / Expr::integer(2));
        Ok(self
            .integrate(&integrand, &t)?
            .map(|found| found.replace(&t, &half) / slope))
    }

    /// An even function of sine and cosine by the tangent: `sin^2 = u^2/(1 + u^2)`, `sin*cos = u/(1 + u^2)`.
    fn by_tangent(&mut self, expr: &Expr, angle: &Expr, u: &Expr) -> Outcome<Option<Expr>> {
        let one = Expr::one();
        let cosine = Expr::apply(MathFunction::Cos, angle.clone());
        let sine = Expr::apply(MathFunction::Sin, angle.clone());
        let replaced = expr.replace(&sine, &(u * &cosine));
        let form = normal_form_of_prepared(&replaced, Some(&cosine), self.budget)?.to_expr();
        let square = (&one + u.powi(2)).recip();
        let lowered = replace_powers(&form, &cosine.powi(2), &square);
        if lowered.contains(&cosine) {
            return Ok(None);
        }
        let integrand = lowered / (one + u.powi(2));
        Ok(Some(
            normal_form_of_prepared(&integrand, Some(u), self.budget)?.to_expr(),
        ))
    }
}

/// Every power of a base as a power of the symbol, where the exponents are whole multiples.
pub(super) fn replace_powers(expr: &Expr, inner: &Expr, u: &Expr) -> Expr {
    if expr == inner {
        return u.clone();
    }
    let (base, exponent) = inner.base_and_exponent();
    if let ExprNode::Power(own, raised) = expr.node()
        && *own == base
    {
        let ratio = raised / &exponent;
        if ratio.as_integer().is_some() {
            return u.pow(&ratio);
        }
    }
    match expr.parts().is_empty() {
        true => expr.clone(),
        false => expr.map_parts(&mut |part| replace_powers(part, inner, u)),
    }
}

/// Inner functions, the shortest first.
fn substitution_candidates(expr: &Expr, x: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    let mut add = |candidate: &Expr| {
        if candidate != x
            && candidate != expr
            && candidate.contains(x)
            && !found.contains(candidate)
        {
            found.push(candidate.clone());
        }
    };
    for part in expr.collect(&|part| part.contains(x) && !part.parts().is_empty()) {
        match part.node() {
            ExprNode::Call(_, arguments) => {
                arguments.iter().for_each(&mut add);
                add(&part);
            }
            ExprNode::Power(base, exponent) => {
                add(base);
                add(exponent);
                if base.as_symbol().is_none() || exponent.as_integer().is_none() {
                    add(&part);
                }
                // x^2, x^3, ... inside: powers of the variable that divide the exponent.
                if let (Some(count), true) = (exponent.as_integer(), base == x) {
                    for divisor in 2..=count.abs() {
                        if count % divisor == 0 {
                            add(&x.powi(divisor));
                        }
                    }
                }
            }
            ExprNode::Sum(_) => add(&part),
            _ => {}
        }
    }
    // x^n*x as in x/(x^4 + 1): the square is tried too.
    add(&x.powi(2));
    found.sort_by_key(Expr::size);
    found.truncate(16);
    found
}
