//! Polynomials times one exponential of a polynomial: the exponential case of Risch's equation (M. Bronstein, "Symbolic Integration I", 2005, chapter 6).

use super::IntegralSearch;
use super::table::as_polynomial;
use crate::budget::Outcome;
use crate::calculus::differentiate::derivative_of;
use crate::poly::fraction::is_proved_zero;
use crate::simplify::expand::expand;
use crate::tree::Expr;

/// Largest degree of the polynomial.
const DEGREE: usize = 60;
/// Largest degree of the exponent.
const EXPONENT_DEGREE: usize = 8;

impl IntegralSearch<'_> {
    /// `p*exp(g) = (q*exp(g))'` for a polynomial q with `q' + g'*q = p`, where there is one.
    pub(super) fn polynomial_times_exponential(
        &self,
        expr: &Expr,
        x: &Expr,
    ) -> Outcome<Option<Expr>> {
        let is_exponential = |part: &Expr| part.contains(x) && part.as_exponential().is_some();
        let exponentials = expr.collect(&is_exponential);
        let [exponential] = exponentials.as_slice() else {
            return Ok(None);
        };
        let share = self.budget.share(100_000);
        let Ok(quotient) = expand(&(expr / exponential), &share) else {
            return Ok(None);
        };
        let Some(inside) = exponential.as_exponential() else {
            return Ok(None);
        };
        let slope = derivative_of(inside, x, self.budget)?;
        let (Ok(Some(p)), Ok(Some(g))) = (
            as_polynomial(&quotient, x, DEGREE, &share),
            as_polynomial(&slope, x, EXPONENT_DEGREE, &share),
        ) else {
            return Ok(None);
        };
        let Some(lead) = g.last() else {
            return Ok(None);
        };
        let degree = g.len() - 1;
        let Some(count) = p.len().checked_sub(degree) else {
            return Ok(None);
        };
        // The coefficients of q from the top: each power of q' + g'*q fixes one.
        let mut rest = p;
        let mut q = vec![Expr::zero(); count];
        for n in (0..count).rev() {
            let top = rest[n + degree].clone() / lead;
            for (place, part) in g.iter().enumerate() {
                rest[n + place] = expand(&(&rest[n + place] - &top * part), &share)?;
            }
            if n > 0 {
                rest[n - 1] = expand(&(&rest[n - 1] - &top * Expr::integer(n as i64)), &share)?;
            }
            q[n] = top;
        }
        for part in &rest {
            if !is_proved_zero(part, &share)? {
                return Ok(None);
            }
        }
        let powers = q.into_iter().enumerate();
        let polynomial = Expr::sum(powers.map(|(n, part)| part * x.powi(n as i64)));
        Ok(Some(polynomial * exponential))
    }
}
