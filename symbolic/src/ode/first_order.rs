//! Equations of the first order by their kind: direct, linear, separable, Bernoulli, homogeneous, exact, of a linear argument, Riccati.

use super::exact::solve_exact;
use super::problem::{DifferentialProblem, slot_symbol};
use super::separable::{separate_variables, solve_separated};
use super::{ClosedFormSolution, FoundSolutions, antiderivative, shorten_form, unless_refused};
use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::calculus::derivative_of;
use crate::poly::fraction::{is_proved_zero, normal_form_of_prepared};
use crate::simplify::expand::expand;
use crate::solve::{SolveDomain, solve_equation};
use crate::transforms::split_factors;
use crate::tree::{Expr, ExprNode, RelationKind, SymbolTraits};

/// Equations that one of them leads to.
const NESTING: usize = 3;

/// `y' = f(x, y)`.
pub(super) struct SlopeEquation<'a> {
    pub x: Expr,
    pub y: Expr,
    pub slope: Expr,
    pub constant: Expr,
    /// The equation as it was written, where it is linear in the derivative.
    pub written: Option<&'a DifferentialProblem>,
    pub budget: &'a Budget<'a>,
    pub nesting: usize,
}

/// Solves an equation of the first order.
pub(super) fn solve_first_order(
    problem: &DifferentialProblem,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    solve_with_nesting(problem, 0, budget)
}

pub(super) fn solve_with_nesting(
    problem: &DifferentialProblem,
    nesting: usize,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    let top = &problem.slots[1];
    let mut found = FoundSolutions::default();
    let slopes = slopes_of(problem, budget)?;
    if slopes.is_empty() {
        return Ok(None);
    }
    let is_linear_in_slope =
        slopes.len() == 1 && !derivative_of(&problem.residual, top, budget)?.contains(top);
    for slope in slopes {
        let equation = SlopeEquation {
            x: problem.x.clone(),
            y: problem.slots[0].clone(),
            slope: shorten_form(&slope, budget)?,
            constant: problem.constants[0].clone(),
            written: is_linear_in_slope.then_some(problem),
            budget,
            nesting,
        };
        let Some(part) = equation.solve()? else {
            return Ok(None);
        };
        found.method = part.method;
        found.solutions.extend(part.solutions);
        found.singular.extend(part.singular);
        for condition in part.conditions {
            if !found.conditions.contains(&condition) {
                found.conditions.push(condition);
            }
        }
    }
    Ok(Some(found))
}

/// The values of the derivative that fulfil the equation.
fn slopes_of(problem: &DifferentialProblem, budget: &Budget<'_>) -> Outcome<Vec<Expr>> {
    let top = &problem.slots[problem.order];
    let factor = derivative_of(&problem.residual, top, budget)?;
    if !factor.contains(top) {
        let rest = problem.residual.replace(top, &Expr::zero());
        return Ok(vec![budget.admit(-rest / factor)?]);
    }
    match solve_equation(
        &problem.residual,
        top,
        SolveDomain::Real,
        &budget.share(600_000),
    ) {
        Ok(solved) if solved.unsolved.is_empty() => Ok(solved
            .solutions
            .into_iter()
            .filter(|solution| solution.family.is_none() && solution.is_exact)
            .map(|solution| solution.value)
            .collect()),
        Err(SymbolicFault::Stopped) => Err(SymbolicFault::Stopped),
        _ => Ok(Vec::new()),
    }
}

impl SlopeEquation<'_> {
    fn solve(&self) -> Outcome<Option<FoundSolutions>> {
        if self.nesting > NESTING {
            return Ok(None);
        }
        let mut complex = None;
        for method in [
            Self::direct as fn(&Self) -> Outcome<Option<FoundSolutions>>,
            Self::linear,
            Self::separable,
            Self::bernoulli,
            Self::exact,
            Self::homogeneous,
            Self::exact_with_factor,
            Self::linear_argument,
            Self::riccati,
        ] {
            let Some(found) = unless_refused(method(self))? else {
                continue;
            };
            // A form with the imaginary unit is the last resort.
            let is_complex = |one: &ClosedFormSolution| one.expr.contains(&Expr::i());
            if !self.slope.contains(&Expr::i()) && found.solutions.iter().any(is_complex) {
                complex = complex.or(Some(found));
                continue;
            }
            return Ok(Some(found));
        }
        Ok(complex)
    }

    fn direct(&self) -> Outcome<Option<FoundSolutions>> {
        if self.slope.contains(&self.y) {
            return Ok(None);
        }
        let found = crate::calculus::integral_of(&self.slope, &self.x, self.budget)?;
        Ok(found.map(|(primitive, _)| {
            FoundSolutions::explicit("direct integration", vec![primitive + &self.constant])
        }))
    }

    /// `y' = a(x)*y + b(x)`, by the integrating factor.
    fn linear(&self) -> Outcome<Option<FoundSolutions>> {
        let a = shorten_form(
            &derivative_of(&self.slope, &self.y, self.budget)?,
            self.budget,
        )?;
        if a.contains(&self.y) {
            return Ok(None);
        }
        let b = self.slope.replace(&self.y, &Expr::zero());
        if b.poison().is_some() {
            return Ok(None);
        }
        let value = self.linear_value(&a, &b)?;
        Ok(value
            .map(|value| FoundSolutions::explicit("linear, by an integrating factor", vec![value])))
    }

    /// The general solution of `y' = a*y + b`.
    fn linear_value(&self, a: &Expr, b: &Expr) -> Outcome<Option<Expr>> {
        let Some(exponent) = antiderivative(a, &self.x, self.budget)? else {
            return Ok(None);
        };
        let growth = expand(&exponent, self.budget)?.exp();
        let growth = shorten_form(&growth, self.budget)?;
        if b.is_zero() {
            return Ok(Some(&self.constant * growth));
        }
        let Some(inner) = antiderivative(&(b / &growth), &self.x, self.budget)? else {
            return Ok(None);
        };
        let particular = expand(&(&growth * inner), self.budget)?;
        let particular = shorten_form(&particular, self.budget)?;
        Ok(Some(&self.constant * growth + particular))
    }

    fn separable(&self) -> Outcome<Option<FoundSolutions>> {
        let Some((g, h)) = separate_variables(&self.slope, &self.x, &self.y, self.budget)? else {
            return Ok(None);
        };
        solve_separated((&g, &h), &self.x, &self.y, &self.constant, self.budget)
    }

    /// `y' = a(x)*y + b(x)*y^n`, linear in `y^(1 - n)`.
    fn bernoulli(&self) -> Outcome<Option<FoundSolutions>> {
        let (mut a, mut b, mut power) = (Expr::zero(), Expr::zero(), None);
        for term in expand(&self.slope, self.budget)?.terms() {
            let (inside, outside) = split_factors(term, &self.y);
            let (base, exponent) = inside.base_and_exponent();
            if base != self.y || exponent.contains(&self.x) || exponent.contains(&self.y) {
                return Ok(None);
            }
            if exponent.is_one() {
                a = a + outside;
            } else if power.as_ref().is_none_or(|known| *known == exponent) {
                power = Some(exponent);
                b = b + outside;
            } else {
                return Ok(None);
            }
        }
        let Some(n) = power else {
            return Ok(None);
        };
        let m = Expr::one() - &n;
        let Some(v) = self.linear_value(&(&m * a), &(&m * b))? else {
            return Ok(None);
        };
        let root = v.pow(&m.recip());
        let is_even = m
            .as_number()
            .is_some_and(|m| (m.numer() % 2u32) == num_bigint::BigInt::from(0));
        let mut values = vec![root.clone()];
        if is_even {
            values.push(-root);
        }
        let mut found = FoundSolutions::explicit(
            format!("Bernoulli, linear in y^({})", crate::print::write_text(&m)),
            values,
        );
        if n.as_number().is_some_and(num_traits::Signed::is_positive) {
            found.singular.push(Expr::zero());
        }
        Ok(Some(found))
    }

    /// `y' = f(y/x)`, separable in `v = y/x`.
    fn homogeneous(&self) -> Outcome<Option<FoundSolutions>> {
        let positive = Expr::symbol_with("\u{3b7}x", SymbolTraits::POSITIVE);
        let v = &self.y;
        let set = self
            .slope
            .replace(&self.y, &Expr::symbol("\u{3b7}y"))
            .replace(&self.x, &positive)
            .replace(&Expr::symbol("\u{3b7}y"), &(v * &positive));
        let of_quotient = shorten_form(&set, self.budget)?;
        if of_quotient.contains(&positive) {
            return Ok(None);
        }
        let back = v / &self.x;
        let name = "homogeneous, separable in y/x";
        let slope = shorten_form(&(&of_quotient - v), self.budget)?;
        if slope.is_zero() {
            let line = &self.constant * &self.x;
            return Ok(Some(FoundSolutions::explicit(name, vec![line])));
        }
        let found = solve_separated(
            (&self.x.recip(), &slope),
            &self.x,
            v,
            &self.constant,
            self.budget,
        )?;
        let Some(mut found) = found else {
            return Ok(None);
        };
        found.method = name.to_owned();
        for solution in &mut found.solutions {
            solution.expr = match solution.is_explicit {
                true => shorten_form(&(&self.x * &solution.expr), self.budget)?,
                false => solution.expr.replace(v, &back),
            };
        }
        for value in &mut found.singular {
            *value = &self.x * &*value;
        }
        Ok(Some(found))
    }

    /// As it is written.
    fn exact(&self) -> Outcome<Option<FoundSolutions>> {
        match self.written {
            Some(written) => solve_exact(written, false, self.budget),
            None => Ok(None),
        }
    }

    fn exact_with_factor(&self) -> Outcome<Option<FoundSolutions>> {
        if let Some(written) = self.written
            && let Some(found) = solve_exact(written, true, self.budget)?
        {
            return Ok(Some(found));
        }
        if self.y != slot_symbol(0) {
            return Ok(None);
        }
        let problem = DifferentialProblem::of_slope(&self.x, &self.slope, &self.constant);
        solve_exact(&problem, true, self.budget)
    }

    /// `y' = f(r*x + y)` for a number r, separable in the argument.
    fn linear_argument(&self) -> Outcome<Option<FoundSolutions>> {
        let by_x = derivative_of(&self.slope, &self.x, self.budget)?;
        let by_y = derivative_of(&self.slope, &self.y, self.budget)?;
        if by_y.is_zero() {
            return Ok(None);
        }
        let ratio = shorten_form(&(by_x / by_y), self.budget)?;
        if ratio.contains(&self.x) || ratio.contains(&self.y) {
            return Ok(None);
        }
        let u = &self.y;
        let argument = u - &ratio * &self.x;
        let set = self
            .slope
            .replace(&self.y, &Expr::symbol("\u{3b7}y"))
            .replace(&Expr::symbol("\u{3b7}y"), &argument);
        let slope = shorten_form(&expand(&(set + &ratio), self.budget)?, self.budget)?;
        if slope.contains(&self.x) {
            return Ok(None);
        }
        let parts = (&Expr::one(), &slope);
        let found = solve_separated(parts, &self.x, u, &self.constant, self.budget)?;
        let Some(mut found) = found else {
            return Ok(None);
        };
        found.method = "separable in a linear argument".to_owned();
        let shift = &ratio * &self.x;
        for solution in &mut found.solutions {
            solution.expr = match solution.is_explicit {
                true => &solution.expr - &shift,
                false => solution
                    .expr
                    .replace(u, &Expr::symbol("\u{3b7}y"))
                    .replace(&Expr::symbol("\u{3b7}y"), &(u + &shift)),
            };
        }
        for value in &mut found.singular {
            *value = &*value - &shift;
        }
        Ok(Some(found))
    }

    /// `y' = a + b*y + c*y^2` with a particular solution that is a multiple of a power or an exponential.
    fn riccati(&self) -> Outcome<Option<FoundSolutions>> {
        let parts = crate::calculus::coefficients_of(&self.slope, &self.y, self.budget)?;
        let Some([_, b, c]) = parts.as_deref() else {
            return Ok(None);
        };
        let Some(particular) = self.riccati_guess()? else {
            return Ok(None);
        };
        // y = p + 1/u with u' = -(b + 2*c*p)*u - c.
        let factor = -(b + Expr::integer(2) * c * &particular);
        let factor = shorten_form(&factor, self.budget)?;
        let Some(u) = self.linear_value(&factor, &-c)? else {
            return Ok(None);
        };
        let value = shorten_form(&(&particular + u.recip()), self.budget)?;
        let name = format!(
            "Riccati, with the particular solution {}",
            crate::print::write_text(&particular)
        );
        let mut found = FoundSolutions::explicit(name, vec![value]);
        found.singular.push(particular);
        Ok(Some(found))
    }

    fn riccati_guess(&self) -> Outcome<Option<Expr>> {
        let k = Expr::symbol("\u{3b7}k");
        let shapes = [
            Expr::one(),
            self.x.clone(),
            self.x.recip(),
            self.x.powi(2),
            self.x.exp(),
            (-&self.x).exp(),
        ];
        for shape in shapes {
            let guess = &k * &shape;
            let residual =
                derivative_of(&guess, &self.x, self.budget)? - self.slope.replace(&self.y, &guess);
            let form =
                normal_form_of_prepared(&residual, Some(&self.x), &self.budget.share(100_000));
            let Ok(form) = form else {
                continue;
            };
            let at_some_point = form.numerator().replace(&self.x, &Expr::ratio(3, 2));
            let solved = solve_equation(
                &at_some_point,
                &k,
                SolveDomain::Real,
                &self.budget.share(100_000),
            );
            let Ok(solved) = solved else {
                continue;
            };
            for solution in solved.solutions.into_iter().filter(|one| one.is_exact) {
                let value = residual.replace(&k, &solution.value);
                if is_proved_zero(&value, &self.budget.share(100_000)).unwrap_or(false) {
                    return Ok(Some(&solution.value * &shape));
                }
            }
        }
        Ok(None)
    }
}

/// Solutions that a substitution has changed, as equations where they are implicit.
pub(super) fn implicit_relation(left: Expr, constant: &Expr) -> ClosedFormSolution {
    ClosedFormSolution::implicit(Expr::relation(RelationKind::Equal, left, constant.clone()))
}

/// Left and right of a relation.
pub(super) fn relation_sides(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match expr.node() {
        ExprNode::Relation(_, left, right) => Some((left, right)),
        _ => None,
    }
}
