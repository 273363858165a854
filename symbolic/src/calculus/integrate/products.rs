//! Sums that are the derivative of a product: `u'*v + u*v'`, of which neither term has an antiderivative alone.

use super::IntegralSearch;
use crate::budget::{Outcome, SymbolicFault};
use crate::calculus::differentiate::derivative_of;
use crate::poly::fraction::is_proved_zero;
use crate::simplify::expand::expand;
use crate::tree::Expr;

/// Terms of a sum that is looked at.
const TERMS: usize = 8;
/// Parts of an antiderivative that may stand in the product.
const SIZE: u32 = 60;

impl IntegralSearch<'_> {
    /// For each term and each of its factors: the product of the factor's antiderivative and the others is tried, where what is left has fewer
    /// terms.
    pub(super) fn by_undoing_products(
        &mut self,
        terms: &[Expr],
        x: &Expr,
    ) -> Outcome<Option<Expr>> {
        if terms.len() > TERMS {
            return Ok(None);
        }
        let sum = Expr::sum(terms.iter().cloned());
        for term in terms {
            for (product, slope) in self.undone_products(term, x)? {
                let share = self.budget.share(60_000);
                let Ok(left) = expand(&(&sum - slope), &share) else {
                    continue;
                };
                if is_proved_zero(&left, &share).unwrap_or(false) {
                    return Ok(Some(product));
                }
                if left.terms().len() < terms.len()
                    && let Some(rest) = self.integrate(&left, x)?
                {
                    return Ok(Some(product + rest));
                }
            }
        }
        Ok(None)
    }

    /// Products whose derivative has the term, each with this derivative.
    fn undone_products(&mut self, term: &Expr, x: &Expr) -> Outcome<Vec<(Expr, Expr)>> {
        let mut found = Vec::new();
        let factors = term.factors();
        if factors.len() < 2 {
            return Ok(found);
        }
        for (place, factor) in factors.iter().enumerate() {
            if !factor.contains(x) {
                continue;
            }
            let others = factors.iter().enumerate();
            let others = others.filter(|(at, _)| *at != place);
            let others = Expr::product(others.map(|(_, other)| other.clone()));
            let integrated = match super::table::from_table(factor, x, self.budget) {
                Ok(Some(integrated)) => Some(integrated),
                Ok(None) => self.integrate(factor, x)?,
                Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
                Err(_) => None,
            };
            let Some(integrated) = integrated.filter(|it| it.size() <= SIZE) else {
                continue;
            };
            let slope = derivative_of(&others, x, self.budget)?;
            found.push((&integrated * &others, term + &integrated * slope));
        }
        Ok(found)
    }
}
