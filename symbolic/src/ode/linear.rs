//! Linear equations: constant coefficients, those of Cauchy and Euler, and reduction of the order by a simple solution.

use super::operator::ConstantOperator;
use super::problem::DifferentialProblem;
use super::{FoundSolutions, antiderivative, shorten_form, unless_refused};
use crate::budget::{Budget, Outcome};
use crate::calculus::derivative_of;
use crate::numeric::compare_values;
use crate::simplify::expand::expand;
use crate::tree::walk::is_known_positive;
use crate::tree::{Expr, RelationKind, SymbolTraits};

/// Orders for which a particular solution is found by variation of the constants.
const VARIATION_LIMIT: usize = 4;

/// Coefficients of the derivatives from order 0, and the right-hand side.
struct LinearEquation<'a> {
    x: Expr,
    coefficients: Vec<Expr>,
    right: Expr,
    constants: &'a [Expr],
    budget: &'a Budget<'a>,
}

/// Solves a linear equation of an order above 1.
pub(super) fn solve_linear_equation(
    problem: &DifferentialProblem,
    budget: &Budget<'_>,
) -> Outcome<Option<FoundSolutions>> {
    let Some(equation) = LinearEquation::read(problem, budget)? else {
        return Ok(None);
    };
    if let Some(found) = unless_refused(equation.constant_coefficients())? {
        return Ok(Some(found));
    }
    if let Some(found) = unless_refused(equation.cauchy_euler())? {
        return Ok(Some(found));
    }
    unless_refused(equation.reduction())
}

impl<'a> LinearEquation<'a> {
    fn read(problem: &'a DifferentialProblem, budget: &'a Budget<'a>) -> Outcome<Option<Self>> {
        let mut coefficients = Vec::new();
        let mut right = -&problem.residual;
        for slot in &problem.slots {
            let coefficient = derivative_of(&problem.residual, slot, budget)?;
            let coefficient = shorten_form(&coefficient, budget)?;
            if problem.slots.iter().any(|slot| coefficient.contains(slot)) {
                return Ok(None);
            }
            coefficients.push(coefficient);
            right = right.replace(slot, &Expr::zero());
        }
        if right.poison().is_some() {
            return Ok(None);
        }
        Ok(Some(Self {
            x: problem.x.clone(),
            coefficients,
            right: expand(&right, budget)?,
            constants: &problem.constants,
            budget,
        }))
    }

    fn order(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// Constants times the basis, and a particular solution.
    fn general(&self, basis: &[Expr], particular: Expr) -> Expr {
        let homogeneous = self
            .constants
            .iter()
            .zip(basis)
            .map(|(constant, function)| constant * function);
        Expr::sum(homogeneous.chain([particular]))
    }

    fn constant_coefficients(&self) -> Outcome<Option<FoundSolutions>> {
        // All coefficients over the leading one.
        let leading = self.coefficients[self.order()].clone();
        let mut coefficients = Vec::new();
        for value in &self.coefficients {
            let value = shorten_form(&(value / &leading), self.budget)?;
            if value.contains(&self.x) {
                return Ok(None);
            }
            coefficients.push(value);
        }
        let operator = ConstantOperator {
            coefficients,
            t: self.x.clone(),
            budget: self.budget,
        };
        let Some(basis) = operator
            .basis()?
            .filter(|basis| basis.len() == self.order())
        else {
            return Ok(None);
        };
        let right = expand(&(&self.right / &leading), self.budget)?;
        if right.is_zero() {
            return Ok(Some(FoundSolutions::explicit(
                "linear with constant coefficients",
                vec![self.general(&basis, Expr::zero())],
            )));
        }
        if let Some(particular) = unless_refused(operator.particular(&right))? {
            return Ok(Some(FoundSolutions::explicit(
                "linear with constant coefficients, by undetermined coefficients",
                vec![self.general(&basis, particular)],
            )));
        }
        let particular = self.variation(&basis, &right)?;
        Ok(particular.map(|particular| {
            FoundSolutions::explicit(
                "linear with constant coefficients, by variation of parameters",
                vec![self.general(&basis, particular)],
            )
        }))
    }

    /// Coefficients `c_k*x^k`: with `x = exp(t)` they are constant.
    fn cauchy_euler(&self) -> Outcome<Option<FoundSolutions>> {
        let order = self.order();
        let leading = &self.coefficients[order];
        let mut scaled = Vec::new();
        for (k, value) in self.coefficients.iter().enumerate() {
            let power = self.x.powi((order - k) as i64);
            let value = shorten_form(&(value * power / leading), self.budget)?;
            if value.contains(&self.x) {
                return Ok(None);
            }
            scaled.push(value);
        }
        // x^k*y^(k) is r*(r - 1)*...*(r - k + 1) for y = x^r.
        let r = Expr::symbol("\u{3b7}r");
        let polynomial = Expr::sum(scaled.iter().enumerate().map(|(k, value)| {
            let falling = (0..k as i64).map(|step| &r - Expr::integer(step));
            value * Expr::product(falling)
        }));
        let Some(coefficients) = crate::calculus::coefficients_of(&polynomial, &r, self.budget)?
        else {
            return Ok(None);
        };
        let t = Expr::symbol("\u{3b7}t");
        let operator = ConstantOperator {
            coefficients,
            t: t.clone(),
            budget: self.budget,
        };
        let Some(basis) = operator.basis()?.filter(|basis| basis.len() == order) else {
            return Ok(None);
        };
        let logarithm = self.x.ln();
        let mut in_x = Vec::new();
        for function in &basis {
            in_x.push(self.budget.admit(function.replace(&t, &logarithm))?);
        }
        let basis = in_x;
        let right = self.right.clone() * self.x.powi(order as i64) / leading;
        let right = expand(&shorten_form(&right, self.budget)?, self.budget)?;
        let mut found = if right.is_zero() {
            FoundSolutions::explicit("Cauchy-Euler", vec![self.general(&basis, Expr::zero())])
        } else {
            let positive = Expr::symbol_with("\u{3b7}x", SymbolTraits::POSITIVE);
            let in_time = right
                .replace(&self.x, &positive)
                .replace(&positive, &t.exp());
            let in_time = expand(&in_time, self.budget)?;
            let by_coefficients = unless_refused(operator.particular(&in_time))?;
            let particular = match by_coefficients {
                Some(found) => Some(found.replace(&t, &logarithm)),
                None => {
                    let normal = shorten_form(&(&right / self.x.powi(order as i64)), self.budget)?;
                    self.variation(&basis, &normal)?
                }
            };
            let Some(particular) = particular else {
                return Ok(None);
            };
            FoundSolutions::explicit("Cauchy-Euler", vec![self.general(&basis, particular)])
        };
        let has_logarithm = found.solutions.iter().any(|solution| {
            solution.expr.contains(&logarithm)
                || solution.expr.any(&|part| {
                    let (base, exponent) = part.base_and_exponent();
                    base == self.x && exponent.as_integer().is_none()
                })
        });
        if has_logarithm && !is_known_positive(&self.x) {
            found.conditions.push(Expr::relation(
                RelationKind::Greater,
                self.x.clone(),
                Expr::zero(),
            ));
        }
        Ok(Some(found))
    }

    /// `sum of y_k * integral of W_k*g/W`, for a right-hand side over the leading coefficient.
    fn variation(&self, basis: &[Expr], right: &Expr) -> Outcome<Option<Expr>> {
        let order = basis.len();
        if order > VARIATION_LIMIT {
            return Ok(None);
        }
        let mut rows = vec![basis.to_vec()];
        for _ in 1..order {
            let last = &rows[rows.len() - 1];
            let next: Outcome<Vec<Expr>> = last
                .iter()
                .map(|function| derivative_of(function, &self.x, self.budget))
                .collect();
            rows.push(next?);
        }
        let wronskian = shorten_form(&cofactor_determinant(&rows), self.budget)?;
        if wronskian.is_zero() {
            return Ok(None);
        }
        let mut total = Vec::new();
        for (place, function) in basis.iter().enumerate() {
            let minor: Vec<Vec<Expr>> = rows[..order - 1]
                .iter()
                .map(|row| row_without(row, place))
                .collect();
            let sign = if (order - 1 + place).is_multiple_of(2) {
                1
            } else {
                -1
            };
            let weight = Expr::integer(sign) * cofactor_determinant(&minor) * right / &wronskian;
            let weight = shorten_form(&expand(&weight, self.budget)?, self.budget)?;
            let Some(primitive) = antiderivative(&weight, &self.x, self.budget)? else {
                return Ok(None);
            };
            total.push(function * primitive);
        }
        let sum = self.budget.admit(Expr::sum(total))?;
        shorten_form(&sum, self.budget).map(Some)
    }

    /// The second solution from a simple first one.
    fn reduction(&self) -> Outcome<Option<FoundSolutions>> {
        if self.order() != 2 {
            return Ok(None);
        }
        let x = &self.x;
        let mut guesses = vec![x.exp(), (-x).exp()];
        guesses.extend([1, 2, -1, 3, -2, 0].map(|power| x.powi(power)));
        guesses.extend([1, -1].map(|sign| (Expr::ratio(sign, 2) * x.powi(2)).exp()));
        let leading = &self.coefficients[2];
        for first in guesses {
            let slope = derivative_of(&first, x, self.budget)?;
            let second = derivative_of(&slope, x, self.budget)?;
            let value =
                &self.coefficients[0] * &first + &self.coefficients[1] * slope + leading * second;
            if !compare_values(&value, &Expr::zero(), 4, self.budget)?.is_agreement() {
                continue;
            }
            let Some(exponent) =
                antiderivative(&(-&self.coefficients[1] / leading), x, self.budget)?
            else {
                return Ok(None);
            };
            let weight = expand(&exponent, self.budget)?.exp() / first.powi(2);
            let Some(factor) = antiderivative(&weight, x, self.budget)? else {
                return Ok(None);
            };
            let partner = shorten_form(&(&first * factor), self.budget)?;
            let basis = [first.clone(), partner];
            let right = shorten_form(&(&self.right / leading), self.budget)?;
            let particular = match right.is_zero() {
                true => Some(Expr::zero()),
                false => self.variation(&basis, &right)?,
            };
            return Ok(particular.map(|particular| {
                FoundSolutions::explicit(
                    format!(
                        "linear, reduced by the solution {}",
                        crate::print::write_text(&first)
                    ),
                    vec![self.general(&basis, particular)],
                )
            }));
        }
        Ok(None)
    }
}

fn row_without(row: &[Expr], place: usize) -> Vec<Expr> {
    row.iter()
        .enumerate()
        .filter(|(at, _)| *at != place)
        .map(|(_, entry)| entry.clone())
        .collect()
}

/// The determinant by its first row, of at most four rows.
fn cofactor_determinant(rows: &[Vec<Expr>]) -> Expr {
    let Some((first, rest)) = rows.split_first() else {
        return Expr::one();
    };
    Expr::sum(first.iter().enumerate().map(|(place, entry)| {
        let minor: Vec<Vec<Expr>> = rest.iter().map(|row| row_without(row, place)).collect();
        let sign = if place.is_multiple_of(2) { 1 } else { -1 };
        Expr::integer(sign) * entry * cofactor_determinant(&minor)
    }))
}
