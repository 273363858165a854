//! Antiderivatives: rational functions, a table, substitution, parts, powers of circular functions, roots of quadratics. Every answer is differentiated and
//! compared with the integrand before it is returned.

mod exponential;
mod parts;
mod products;
mod radical;
mod rational;
mod substitute;
mod table;

pub(crate) use table::{as_linear, as_polynomial as polynomial_parts};

use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::calculus::differentiate::derivative_of;
use crate::numeric::{Comparison, compare_values};
use crate::poly::fraction::normal_form_of_prepared;
use crate::simplify::apart::as_rational_function;
use crate::simplify::circular::{complexity, products_to_sums};
use crate::simplify::expand::expand;
use crate::simplify::forms::simplify;
use crate::tree::{Expr, ExprNode, MathFunction};

/// Steps of substitution and parts within each other.
const NESTING: usize = 7;

/// Points at which the derivative of an answer is compared.
pub(crate) const CHECK_POINTS: usize = 4;

/// A search for an antiderivative.
pub(crate) struct IntegralSearch<'a> {
    pub budget: &'a Budget<'a>,
    /// Integrands that are being worked on, so that none is begun twice.
    pub open: Vec<Expr>,
    /// Names of new variables that were given.
    pub fresh: usize,
}

/// The antiderivative by a symbol, where one is found, and the number of points at which it was checked.
pub fn integral_of(expr: &Expr, x: &Expr, budget: &Budget<'_>) -> Outcome<Option<(Expr, usize)>> {
    let expr = budget.admit(expr.clone())?;
    let mut search = IntegralSearch {
        budget,
        open: Vec::new(),
        fresh: 0,
    };
    let found = match search.integrate(&expr, x) {
        Ok(found) => found,
        Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
        Err(SymbolicFault::Work(limit)) => return Err(SymbolicFault::Work(limit)),
        Err(_) => None,
    };
    let Some(found) = found else {
        return Ok(None);
    };
    keep_antiderivative(&[found], &expr, x, budget)
}

/// The first candidate whose derivative is the integrand, in a short form, and the number of points at which it was checked.
pub(crate) fn keep_antiderivative(
    candidates: &[Expr],
    expr: &Expr,
    x: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<(Expr, usize)>> {
    for found in candidates {
        let tidy = simplify_terms(found, budget);
        for candidate in [&tidy, found] {
            let Ok(slope) = derivative_of(candidate, x, budget) else {
                budget.spend(1)?;
                continue;
            };
            if let Comparison::Agree { points } =
                compare_values(&slope, expr, CHECK_POINTS, budget)?
            {
                return Ok(Some((candidate.clone(), points)));
            }
        }
    }
    Ok(None)
}

/// Each term by itself, without its constant.
fn simplify_terms(expr: &Expr, budget: &Budget<'_>) -> Expr {
    let share = budget.share(600_000);
    let whole = simplify(expr, &share).unwrap_or_else(|_| expr.clone());
    let terms = expr
        .terms()
        .iter()
        .filter(|term| !term.symbols().is_empty());
    let terms = Expr::sum(
        terms.map(|term| simplify(term, &budget.share(200_000)).unwrap_or_else(|_| term.clone())),
    );
    match complexity(&whole) <= complexity(&terms) {
        true => whole,
        false => terms,
    }
}

impl IntegralSearch<'_> {
    /// A symbol that occurs nowhere else.
    pub(crate) fn fresh_symbol(&mut self) -> Expr {
        self.fresh += 1;
        Expr::symbol(&format!("\u{3b6}{}", self.fresh))
    }

    pub(crate) fn integrate(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        self.budget.spend(20)?;
        let expr = self.budget.admit(expr.clone())?;
        if !expr.contains(x) {
            return Ok(Some(&expr * x));
        }
        if self.open.len() >= NESTING || self.open.contains(&expr) {
            return Ok(None);
        }
        self.open.push(expr.clone());
        let found = self.try_methods(&expr, x);
        self.open.pop();
        match found {
            Ok(found) => found.map(|found| self.budget.admit(found)).transpose(),
            Err(SymbolicFault::Refused(_) | SymbolicFault::Size | SymbolicFault::Undefined) => {
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    fn try_methods(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        // Constants come in front.
        let (inside, outside): (Vec<&Expr>, Vec<&Expr>) =
            expr.factors().iter().partition(|factor| factor.contains(x));
        if !outside.is_empty() {
            let constant = Expr::product(outside.into_iter().cloned());
            let rest = Expr::product(inside.into_iter().cloned());
            return Ok(self.integrate(&rest, x)?.map(|found| constant * found));
        }
        if let Some(found) = self.polynomial_times_exponential(expr, x)? {
            return Ok(Some(found));
        }
        if let ExprNode::Sum(terms) = expr.node() {
            if let Some(found) = self.integrate_terms(terms, x)? {
                return Ok(Some(found));
            }
            if let Some(found) = self.by_undoing_products(terms, x)? {
                return Ok(Some(found));
            }
        }
        if let Some(found) = table::from_table(expr, x, self.budget)? {
            return Ok(Some(found));
        }
        if let Some((num, den)) = as_rational_function(expr, x, self.budget)?
            && let Some(found) = rational::integrate_rational(&num, &den, x, self.budget)?
        {
            return Ok(Some(found));
        }
        if let Some(found) = rational::integrate_quadratic_denominator(expr, x, self.budget)? {
            return Ok(Some(found));
        }
        for method in [
            Self::by_circular_products as fn(&mut Self, &Expr, &Expr) -> Outcome<Option<Expr>>,
            Self::by_substitution,
            Self::by_parts,
            Self::by_radicals,
            Self::by_exponential,
            Self::by_half_angle,
            Self::by_expansion,
        ] {
            match method(self, expr, x) {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None)
                | Err(SymbolicFault::Refused(_) | SymbolicFault::Size | SymbolicFault::Undefined) =>
                    {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(None)
    }

    fn integrate_terms(&mut self, terms: &[Expr], x: &Expr) -> Outcome<Option<Expr>> {
        let mut total = Vec::new();
        for term in terms {
            match self.integrate(term, x)? {
                Some(found) => total.push(found),
                None => return Ok(None),
            }
        }
        Ok(Some(Expr::sum(total)))
    }

    /// Polynomials in sines and cosines as sums of multiples.
    fn by_circular_products(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let is_circular = |part: &Expr| {
            matches!(
                part.as_call(),
                Some((MathFunction::Sin | MathFunction::Cos, _))
            ) && part.contains(x)
        };
        let count: i64 = expr
            .factors()
            .iter()
            .filter(|factor| is_circular(&factor.base_and_exponent().0))
            .map(|factor| factor.base_and_exponent().1.as_integer().unwrap_or(-100))
            .sum();
        if count < 2 {
            return Ok(None);
        }
        // One odd power: the substitution is shorter.
        if let Some(found) = self.odd_power(expr, x)? {
            return Ok(Some(found));
        }
        let lowered = products_to_sums(expr, self.budget)?;
        match lowered == *expr {
            true => Ok(None),
            false => self.integrate(&lowered, x),
        }
    }

    /// `sin(u)^m cos(u)^n` with an odd exponent and a linear angle.
    fn odd_power(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let mut angle: Option<Expr> = None;
        let (mut m, mut n) = (0, 0);
        for factor in expr.factors() {
            let (base, exponent) = factor.base_and_exponent();
            let Some((function, [argument])) = base.as_call() else {
                return Ok(None);
            };
            let Some(count) = exponent.as_integer() else {
                return Ok(None);
            };
            if angle.as_ref().is_some_and(|angle| angle != argument) {
                return Ok(None);
            }
            angle = Some(argument.clone());
            match function {
                MathFunction::Sin => m += count,
                MathFunction::Cos => n += count,
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
        let u = self.fresh_symbol();
        let square = Expr::one() - u.powi(2);
        let sine = Expr::apply(MathFunction::Sin, angle.clone());
        let cosine = Expr::apply(MathFunction::Cos, angle);
        let (integrand, value, sign) = match (m % 2 != 0 && m > 0, n % 2 != 0 && n > 0) {
            (_, true) => (u.powi(m) * square.powi((n - 1) / 2), sine, 1),
            (true, _) => (u.powi(n) * square.powi((m - 1) / 2), cosine, -1),
            _ => return Ok(None),
        };
        let integrand = expand(&integrand, self.budget)?;
        let found = self.integrate(&integrand, &u)?;
        Ok(found.map(|found| found.replace(&u, &value) * Expr::integer(sign) / slope))
    }

    /// Multiplied out, or over one denominator without common factors.
    fn by_expansion(&mut self, expr: &Expr, x: &Expr) -> Outcome<Option<Expr>> {
        let expanded = expand(expr, self.budget)?;
        if expanded != *expr
            && expanded.terms().len() > 1
            && let Some(found) = self.integrate(&expanded, x)?
        {
            return Ok(Some(found));
        }
        let form = normal_form_of_prepared(expr, Some(x), &self.budget.share(200_000))?;
        let plain = form.to_expr();
        if plain != *expr
            && plain != expanded
            && let Some(found) = self.integrate(&plain, x)?
        {
            return Ok(Some(found));
        }
        Ok(None)
    }
}
