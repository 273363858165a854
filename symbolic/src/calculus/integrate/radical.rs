//! Roots of linear and quadratic polynomials.

use super::IntegralSearch;
use super::substitute::replace_powers;
use super::table::{as_linear, as_polynomial, log_abs};
use crate::budget::{Budget, Outcome};
use crate::poly::fraction::normal_form_of_prepared;
use crate::simplify::expand::expand;
use crate::tree::walk::{is_known_positive, is_known_real};
use crate::tree::{Expr, ExprNode, MathFunction};

impl IntegralSearch<'_> {
    /// Rational functions of x and one root of a linear or quadratic polynomial.
    pub(super) fn by_radicals(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let roots = expr.collect(&|part| match part.node() {
            ExprNode::Power(base, exponent) => {
                base.contains(x)
                    && exponent
                        .as_number()
                        .is_some_and(|value| !value.is_integer())
            }
            _ => false,
        });
        let Some(first) = roots.first() else {
            return Ok(None);
        };
        let (base, _) = first.base_and_exponent();
        if roots.iter().any(|root| root.base_and_exponent().0 != base) {
            return Ok(None);
        }
        if let Some((a, b)) = as_linear(&base, x, self.budget)? {
            return self.linear_root(expr, &roots, x, &base, &a, &b);
        }
        if let Some(found) = self.fraction_root(expr, &roots, x, &base)? {
            return Ok(Some(found));
        }
        let Some(parts) = as_polynomial(&base, x, 2, self.budget)? else {
            return Ok(None);
        };
        let [c, b, a] = parts.as_slice() else {
            return Ok(None);
        };
        let is_square_root = roots.iter().all(|root| {
            root.base_and_exponent()
                .1
                .as_number()
                .is_some_and(|value| *value.denom() == 2.into())
        });
        if !is_square_root {
            return Ok(None);
        }
        if let Some(found) = self.polynomial_over_root(expr, x, &base, [a, b, c])? {
            return Ok(Some(found));
        }
        self.euler(expr, x, &base, [a, b, c])
    }

    /// `u = (a*x + b)^(1/n)`.
    fn linear_root(
        &mut self,
        expr: &Expr,
        roots: &[Expr],
        x: &Expr,
        base: &Expr,
        a: &Expr,
        b: &Expr,
    ) -> Outcome<Option<Expr>> {
        let Some(degree) = common_degree(roots) else {
            return Ok(None);
        };
        let u = self.fresh_symbol();
        let root = base.pow(&Expr::ratio(1, degree));
        let replaced = replace_powers(expr, &root, &u);
        let value = (u.powi(degree) - b) / a;
        let replaced = replaced.replace(x, &value);
        let integrand = replaced * Expr::integer(degree) * u.powi(degree - 1) / a;
        let integrand = match normal_form_of_prepared(&integrand, Some(&u), self.budget) {
            Ok(form) => form.to_expr(),
            Err(_) => integrand,
        };
        Ok(self
            .integrate(&integrand, &u)?
            .map(|found| found.replace(&u, &root)))
    }

    /// `u = ((a*x + b)/(c*x + d))^(1/n)`.
    fn fraction_root(
        &mut self,
        expr: &Expr,
        roots: &[Expr],
        x: &Expr,
        base: &Expr,
    ) -> Outcome<Option<Expr>> {
        let is_below = |factor: &&Expr| {
            let exponent = factor.base_and_exponent().1;
            exponent.as_integer().is_some_and(|count| count < 0)
        };
        let (below, above): (Vec<&Expr>, Vec<&Expr>) = base.factors().iter().partition(is_below);
        let num = Expr::product(above.into_iter().cloned());
        let den = Expr::product(below.into_iter().map(Expr::recip));
        let (Some((a, b)), Some((c, d))) = (
            line_of(&num, x, self.budget)?,
            line_of(&den, x, self.budget)?,
        ) else {
            return Ok(None);
        };
        let Some(degree) = common_degree(roots).filter(|_| den.contains(x)) else {
            return Ok(None);
        };
        let u = self.fresh_symbol();
        let root = base.pow(&Expr::ratio(1, degree));
        let power = u.powi(degree);
        // u^n = (a*x + b)/(c*x + d).
        let value = (&d * &power - b) / (a - c * &power);
        let slope = crate::calculus::differentiate::derivative_of(&value, &u, self.budget)?;
        let replaced = replace_powers(expr, &root, &u).replace(x, &value);
        let integrand = normal_form_of_prepared(&(replaced * slope), Some(&u), self.budget)?;
        Ok(self
            .integrate(&integrand.to_expr(), &u)?
            .map(|found| found.replace(&u, &root)))
    }

    /// `p(x)*q^(k/2)` with whole k >= -1: `Q(x)*sqrt(q) + lambda*integral(1/sqrt(q))`.
    fn polynomial_over_root(
        &mut self,
        expr: &Expr,
        x: &Expr,
        q: &Expr,
        [a, b, c]: [&Expr; 3],
    ) -> Outcome<Option<Expr>> {
        let scaled = expand(&(expr * q.sqrt()), self.budget)?;
        let Some(mut rest) = as_polynomial(&scaled, x, 14, self.budget)? else {
            return Ok(None);
        };
        // (x^(n-1)*sqrt(q))' = (n*a*x^n + (n - 1/2)*b*x^(n-1) + (n - 1)*c*x^(n-2))/sqrt(q).
        let mut outside = Vec::new();
        while rest.len() > 1 {
            let n = rest.len() as i64 - 1;
            let top = rest.pop().unwrap_or_else(Expr::zero);
            let weight = top / (Expr::integer(n) * a);
            outside.push(&weight * x.powi(n - 1));
            let place = n as usize - 1;
            rest[place] = &rest[place] - &weight * Expr::ratio(2 * n - 1, 2) * b;
            if n >= 2 {
                rest[place - 1] = &rest[place - 1] - &weight * Expr::integer(n - 1) * c;
            }
            for part in &mut rest {
                *part = expand(part, self.budget)?;
            }
        }
        let root = q.sqrt();
        let polynomial = Expr::sum(outside) * &root;
        let last = rest.pop().unwrap_or_else(Expr::zero);
        if last.is_zero() {
            return Ok(Some(polynomial));
        }
        let two = Expr::integer(2);
        let line = &two * a * x + b;
        let base = match is_known_positive(&-a) {
            true => {
                let size = (b.powi(2) - Expr::integer(4) * a * c).sqrt();
                -Expr::apply(MathFunction::Asin, line / size) / (-a).sqrt()
            }
            false if is_known_positive(a) || is_known_real(a) => {
                let side = a.sqrt();
                log_abs(&(line + &two * &side * root)) / side
            }
            false => return Ok(None),
        };
        Ok(Some(polynomial + last * base))
    }

    /// Euler's substitutions, where one is rational.
    fn euler(
        &mut self,
        expr: &Expr,
        x: &Expr,
        q: &Expr,
        [a, b, c]: [&Expr; 3],
    ) -> Outcome<Option<Expr>> {
        let t = self.fresh_symbol();
        let root = q.sqrt();
        let has_no_root = |side: &Expr| {
            !side.any(&|part| matches!(part.node(), ExprNode::Power(_, exponent) if exponent.as_integer().is_none()))
        };
        let two = Expr::integer(2);
        let (side_a, side_c) = (a.sqrt(), c.sqrt());
        let is_fit = |value: &Expr, side: &Expr| is_known_positive(value) && has_no_root(side);
        let (value, rooted, back) = if is_fit(a, &side_a) {
            // sqrt(q) = t - sqrt(a)*x
            let value = (t.powi(2) - c) / (b + &two * &side_a * &t);
            let rooted = &t - &side_a * &value;
            (value, rooted, &root + &side_a * x)
        } else if is_fit(c, &side_c) {
            // sqrt(q) = x*t + sqrt(c)
            let value = (&two * &side_c * &t - b) / (a - t.powi(2));
            let rooted = &value * &t + &side_c;
            (value, rooted, (&root - &side_c) / x)
        } else {
            return Ok(None);
        };
        let replaced = replace_powers(expr, &root, &rooted).replace(x, &value);
        let slope = crate::calculus::differentiate::derivative_of(&value, &t, self.budget)?;
        let integrand =
            normal_form_of_prepared(&(replaced * slope), Some(&t), self.budget)?.to_expr();
        Ok(self
            .integrate(&integrand, &t)?
            .map(|found| found.replace(&t, &back)))
    }
}

/// The least common denominator of the exponents, where it is small.
fn common_degree(roots: &[Expr]) -> Option<i64> {
    let exponents = roots.iter();
    let exponents = exponents.filter_map(|root| root.base_and_exponent().1.as_number().cloned());
    let degree = exponents.fold(num_bigint::BigInt::from(1), |all, value| {
        crate::tree::integer::lcm_of(&all, value.denom())
    });
    num_traits::ToPrimitive::to_i64(&degree).filter(|degree| *degree <= 12)
}

/// `a` and `b` of `a*x + b`, where either may be zero.
fn line_of(expr: &Expr, x: &Expr, budget: &Budget<'_>) -> Outcome<Option<(Expr, Expr)>> {
    let parts = as_polynomial(expr, x, 1, budget)?;
    Ok(parts.map(|parts| {
        let part = |at: usize| parts.get(at).cloned().unwrap_or_else(Expr::zero);
        (part(1), part(0))
    }))
}
