//! Linear operators with constant coefficients: their basis of solutions, and particular solutions for polynomials times exponentials and circular functions.

use num_rational::BigRational;

use super::shorten_form;
use crate::budget::{Budget, Outcome, refuse};
use crate::calculus::{coefficients_of, linear_parts};
use crate::poly::dense::RationalPoly;
use crate::poly::fraction::normal_form_of_prepared;
use crate::poly::roots::polynomial_roots;
use crate::poly::sparse_factor::factor_sparse;
use crate::simplify::circular::products_to_sums;
use crate::simplify::expand::expand;
use crate::transforms::split_complex;
use crate::tree::walk::{has_minus_sign, is_known_nonnegative};
use crate::tree::{Expr, ExprNode, MathFunction};

/// Degree of polynomials on the right-hand side.
const DEGREE_LIMIT: usize = 30;
/// Nodes of a root that is written into a solution.
const ROOT_SIZE: u32 = 30;

/// `sum of coefficients[k] * D^k`, coefficients without the variable, the last one not zero.
pub(super) struct ConstantOperator<'a> {
    pub coefficients: Vec<Expr>,
    pub t: Expr,
    pub budget: &'a Budget<'a>,
}

/// A polynomial of `t` times `exp(rate*t)`, of which the real or the imaginary part is meant.
struct ExponentialTerm {
    polynomial: Vec<Expr>,
    rate: Expr,
    is_imaginary: bool,
}

impl ConstantOperator<'_> {
    /// As many independent solutions as the order; `None` where a root has no short form.
    pub(super) fn basis(&self) -> Outcome<Option<Vec<Expr>>> {
        let numbers: Option<Vec<BigRational>> = self
            .coefficients
            .iter()
            .map(|value| value.as_number().cloned())
            .collect();
        match numbers {
            Some(numbers) => self.numeric_basis(&RationalPoly::new(numbers)),
            None => self.symbolic_basis(),
        }
    }

    fn numeric_basis(&self, polynomial: &RationalPoly) -> Outcome<Option<Vec<Expr>>> {
        let mut basis = Vec::new();
        for root in polynomial_roots(polynomial, self.budget)? {
            let Some(value) = root.exact.filter(|value| value.size() <= ROOT_SIZE) else {
                return Ok(None);
            };
            if root.is_real {
                self.push_powers(&mut basis, root.multiplicity, &(&value * &self.t).exp());
                continue;
            }
            if root.value.to_doubles().1 < 0.0 {
                continue;
            }
            let Some((re, im)) = split_complex(&value, self.budget)? else {
                return Ok(None);
            };
            self.push_pair(&mut basis, root.multiplicity, &re, &im);
        }
        Ok(Some(basis))
    }

    fn push_powers(&self, basis: &mut Vec<Expr>, multiplicity: usize, function: &Expr) {
        basis.extend((0..multiplicity).map(|power| self.t.powi(power as i64) * function));
    }

    fn push_pair(&self, basis: &mut Vec<Expr>, multiplicity: usize, re: &Expr, im: &Expr) {
        let growth = (re * &self.t).exp();
        let angle = im * &self.t;
        for function in [MathFunction::Cos, MathFunction::Sin] {
            let wave = &growth * Expr::apply(function, angle.clone());
            self.push_powers(basis, multiplicity, &wave);
        }
    }

    /// With symbols in the coefficients: factors of the first and second degree.
    fn symbolic_basis(&self) -> Outcome<Option<Vec<Expr>>> {
        let r = Expr::symbol("\u{3b7}r");
        let polynomial = Expr::sum(
            self.coefficients
                .iter()
                .enumerate()
                .map(|(power, value)| value * r.powi(power as i64)),
        );
        let form = normal_form_of_prepared(&polynomial, Some(&r), self.budget)?;
        let Some(place) = form.table.place_of(&r) else {
            return Ok(None);
        };
        let mut basis = Vec::new();
        for (factor, multiplicity) in factor_sparse(&form.fraction.num, self.budget)?.factors {
            if !factor.depends_on(place) {
                continue;
            }
            let parts: Vec<Expr> = factor
                .coefficients(place)
                .iter()
                .map(|part| form.table.poly_to_expr(part))
                .collect();
            match parts.as_slice() {
                [b, a] => {
                    let root = shorten_form(&(-b / a), self.budget)?;
                    self.push_powers(&mut basis, multiplicity, &(root * &self.t).exp());
                }
                [c, b, a] => {
                    let centre = shorten_form(&(-b / (Expr::integer(2) * a)), self.budget)?;
                    let square = shorten_form(&(c / a - centre.powi(2)), self.budget)?;
                    if is_known_nonnegative(&square) {
                        let root = square_root(&square, self.budget)?;
                        self.push_pair(&mut basis, multiplicity, &centre, &root);
                        continue;
                    }
                    let root = match has_minus_sign(&square) || !square.symbols().is_empty() {
                        true => square_root(&shorten_form(&-square, self.budget)?, self.budget)?,
                        false => return Ok(None),
                    };
                    for root in [-&root, root] {
                        let function = ((&centre + root) * &self.t).exp();
                        self.push_powers(&mut basis, multiplicity, &function);
                    }
                }
                _ => return Ok(None),
            }
        }
        Ok(Some(basis))
    }

    /// A particular solution for a sum of such terms; `None` where a term is of another kind.
    pub(super) fn particular(&self, right: &Expr) -> Outcome<Option<Expr>> {
        let plain = right.rewrite(&|part| {
            let (function, [u]) = part.as_call()? else {
                return None;
            };
            let (rising, falling) = (u.exp(), (-u).exp());
            match function {
                MathFunction::Sinh => Some((rising - falling) / Expr::integer(2)),
                MathFunction::Cosh => Some((rising + falling) / Expr::integer(2)),
                _ => None,
            }
        });
        let lowered = products_to_sums(&plain, self.budget)?;
        let mut total = Vec::new();
        for term in lowered.terms() {
            if term.is_zero() {
                continue;
            }
            let Some(parsed) = self.read_term(term)? else {
                return Ok(None);
            };
            let Some(found) = self.particular_of(&parsed)? else {
                return Ok(None);
            };
            total.push(found);
        }
        self.budget.admit(Expr::sum(total)).map(Some)
    }

    fn read_term(&self, term: &Expr) -> Outcome<Option<ExponentialTerm>> {
        let t = &self.t;
        let (mut polynomial, mut rate, mut constant) = (Vec::new(), Expr::zero(), Expr::one());
        let mut wave: Option<(bool, Expr, Expr)> = None;
        for factor in term.factors() {
            if !factor.contains(t) {
                polynomial.push(factor.clone());
                continue;
            }
            match factor.node() {
                ExprNode::Power(base, exponent) if !base.contains(t) => {
                    let Some((slope, shift)) = linear_parts(exponent, t, self.budget)? else {
                        return Ok(None);
                    };
                    rate = rate + slope * base.ln();
                    constant = constant * base.pow(&shift);
                }
                ExprNode::Call(function @ (MathFunction::Sin | MathFunction::Cos), arguments)
                    if wave.is_none() =>
                {
                    let Some((slope, shift)) = linear_parts(&arguments[0], t, self.budget)? else {
                        return Ok(None);
                    };
                    wave = Some((*function == MathFunction::Sin, slope, shift));
                }
                _ => polynomial.push(factor.clone()),
            }
        }
        let product = Expr::product(polynomial);
        let Some(mut polynomial) = coefficients_of(&product, t, self.budget)? else {
            return Ok(None);
        };
        if polynomial.len() > DEGREE_LIMIT {
            return refuse(format!("a polynomial of a degree above {DEGREE_LIMIT}"));
        }
        let mut is_imaginary = false;
        if let Some((is_sine, slope, shift)) = wave {
            is_imaginary = is_sine;
            rate = rate + Expr::i() * slope;
            // exp(i*shift), by its parts.
            constant = constant
                * (Expr::apply(MathFunction::Cos, shift.clone())
                    + Expr::i() * Expr::apply(MathFunction::Sin, shift));
        }
        for value in &mut polynomial {
            *value = &*value * &constant;
        }
        Ok(Some(ExponentialTerm {
            polynomial,
            rate,
            is_imaginary,
        }))
    }

    /// `L(exp(r*t)*Q) = exp(r*t) * sum of L_j*Q^(j)` with the Taylor coefficients `L_j` of the characteristic polynomial at `r`.
    fn particular_of(&self, term: &ExponentialTerm) -> Outcome<Option<Expr>> {
        let order = self.coefficients.len() - 1;
        let mut taylor = Vec::new();
        for j in 0..=order {
            let value = Expr::sum((j..=order).map(|k| {
                let binomial =
                    (0..j as i64).fold(1i64, |all, step| all * (k as i64 - step) / (step + 1));
                Expr::integer(binomial) * &self.coefficients[k] * term.rate.powi((k - j) as i64)
            }));
            taylor.push(shorten_form(&expand(&value, self.budget)?, self.budget)?);
        }
        let Some(first) = taylor.iter().position(|value| !value.is_zero()) else {
            return Ok(None);
        };
        // The derivative of order `first` of Q, from its highest power down.
        let count = term.polynomial.len();
        let mut rest = vec![Expr::zero(); count];
        let lead = &taylor[first];
        for power in (0..count).rev() {
            let mut value = term.polynomial[power].clone();
            for (j, coefficient) in taylor.iter().enumerate().skip(first + 1) {
                let shift = j - first;
                if power + shift >= count {
                    break;
                }
                let scale: i64 = (power as i64 + 1..=(power + shift) as i64).product();
                value = value - coefficient * Expr::integer(scale) * &rest[power + shift];
            }
            rest[power] = shorten_form(&expand(&(value / lead), self.budget)?, self.budget)?;
        }
        let mut real = Vec::new();
        let Some((growth, turn)) = split_complex(&term.rate, self.budget)? else {
            return Ok(None);
        };
        let angle = &turn * &self.t;
        let (cos, sin) = (
            Expr::apply(MathFunction::Cos, angle.clone()),
            Expr::apply(MathFunction::Sin, angle),
        );
        for (power, value) in rest.iter().enumerate() {
            let scale: i64 = (power as i64 + 1..=(power + first) as i64).product();
            let monomial = self.t.powi((power + first) as i64) / Expr::integer(scale);
            let Some((re, im)) = split_complex(value, self.budget)? else {
                return Ok(None);
            };
            let part = match (turn.is_zero(), term.is_imaginary) {
                (true, _) => re,
                (false, false) => re * &cos - im * &sin,
                (false, true) => re * &sin + im * &cos,
            };
            real.push(expand(&(part * monomial), self.budget)?);
        }
        let sum = Expr::sum(real);
        Ok(Some((growth * &self.t).exp() * sum))
    }
}

/// A root in which squares of factors come out without their sign.
pub(super) fn square_root(square: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    if square.as_number().is_some() {
        return Ok(square.sqrt());
    }
    let factored = crate::simplify::forms::factor(square, budget)?;
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for factor in factored.factors() {
        let (base, exponent) = factor.base_and_exponent();
        match exponent.as_integer() {
            Some(count) if count % 2 == 0 => outside.push(base.powi(count / 2)),
            _ => inside.push(factor.clone()),
        }
    }
    Ok(Expr::product(outside) * Expr::product(inside).sqrt())
}
