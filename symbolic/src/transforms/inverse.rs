//! From images back to functions of time: delays, partial fractions, roots, and logarithms by their derivatives.

use std::collections::BTreeMap;

use super::check::{TransformCheck, check_inverse};
use super::fractions::{FractionTerm, decompose_fraction, split_complex};
use super::laplace::{split_exponential, without_absolute};
use super::{shorten_within, split_factors};
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::calculus::{LimitSide, derivative_of, limit_of, linear_parts};
use crate::poly::dense::RationalPoly;
use crate::poly::roots::polynomial_roots;
use crate::simplify::conditions::nonzero_condition;
use crate::simplify::expand::expand;
use crate::tree::walk::{has_minus_sign, is_known_nonnegative, is_known_positive};
use crate::tree::{Expr, ExprNode, MathFunction};

/// Steps of the shortest form of a term.
const SHORTEN_STEPS: u64 = 120_000;
/// Powers of one factor of a denominator.
const POWER_LIMIT: usize = 20;

/// A function of time with what must hold for it.
#[derive(Debug, Clone)]
pub struct InverseTransform {
    /// The function, for times above 0.
    pub function: Expr,
    /// What must hold for it.
    pub conditions: Vec<Expr>,
    /// How it was checked.
    pub check: TransformCheck,
}

struct InverseRules<'a> {
    s: &'a Expr,
    t: &'a Expr,
    budget: &'a Budget<'a>,
    conditions: Vec<Expr>,
}

/// The function of `t` whose Laplace transform is the image, compared with the image when transformed back.
pub fn inverse_laplace(
    image: &Expr,
    s: &Expr,
    t: &Expr,
    budget: &Budget<'_>,
) -> Outcome<InverseTransform> {
    let image = budget.admit(image.clone())?;
    let mut rules = InverseRules {
        s,
        t,
        budget,
        conditions: Vec::new(),
    };
    let function = rules.invert(&image)?;
    let check = check_inverse(&function, &image, t, s, budget)?;
    Ok(InverseTransform {
        function,
        conditions: rules.conditions,
        check,
    })
}

impl InverseRules<'_> {
    /// Terms are sorted by the delay that an exponential of `s` stands for.
    fn invert(&mut self, image: &Expr) -> Outcome<Expr> {
        if image.is_zero() {
            return Ok(Expr::zero());
        }
        if !image.any(&|part| {
            part.as_exponential()
                .is_some_and(|power| power.contains(self.s))
        }) {
            return self.invert_plain(image);
        }
        let mut by_delay: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
        for term in expand(image, self.budget)?.terms() {
            let (exponent, others) = split_exponential(term, self.s);
            let mut delay = Expr::zero();
            let mut kept = Expr::zero();
            for part in exponent.terms() {
                match linear_parts(part, self.s, self.budget)? {
                    Some((slope, constant)) => {
                        delay = delay - slope;
                        kept = kept + constant;
                    }
                    None => kept = kept + part,
                }
            }
            by_delay.entry(delay).or_default().push(kept.exp() * others);
        }
        let mut total = Vec::new();
        for (delay, terms) in by_delay {
            let function = self.invert_plain(&Expr::sum(terms))?;
            if delay.is_zero() {
                total.push(function);
                continue;
            }
            if is_known_positive(&-&delay) {
                return refuse("an exponential that grows with the variable is no transform");
            }
            if !is_known_nonnegative(&delay) {
                return refuse(format!(
                    "it is not known whether the delay `{}` is above 0: assume its sign",
                    crate::print::write_text(&delay)
                ));
            }
            let moved = self.t - &delay;
            let step = Expr::apply(MathFunction::Heaviside, moved.clone());
            for term in function.terms() {
                let shifted = term.replace(self.t, &moved);
                let is_impulse =
                    shifted.any(&|part| part.argument_of(MathFunction::Dirac).is_some());
                total.push(match is_impulse {
                    true => shifted,
                    false => &step * shifted,
                });
            }
        }
        self.budget.admit(join_steps(&Expr::sum(total)))
    }

    /// Without exponentials of `s`.
    fn invert_plain(&mut self, image: &Expr) -> Outcome<Expr> {
        match decompose_fraction(image, self.s, &self.budget.share(2_000_000)) {
            Ok(Some(sum)) => return self.invert_fractions(&sum.whole, &sum.terms),
            Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
            Err(fault @ (SymbolicFault::Work(_) | SymbolicFault::Size)) => return Err(fault),
            _ => {}
        }
        if let Some(found) = self.by_derivative(image)? {
            return Ok(found);
        }
        let mut total = Vec::new();
        for term in expand(image, self.budget)?.terms() {
            let (inside, outside) = split_factors(term, self.s);
            let found = match decompose_fraction(&inside, self.s, self.budget) {
                Ok(Some(sum)) => self.invert_fractions(&sum.whole, &sum.terms)?,
                Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
                _ => self.invert_term(&inside)?,
            };
            total.push(outside * found);
        }
        self.budget.admit(Expr::sum(total))
    }

    fn invert_fractions(&mut self, whole: &[Expr], terms: &[FractionTerm]) -> Outcome<Expr> {
        let mut total = Vec::new();
        match whole {
            [] => {}
            [constant] => {
                total.push(constant * Expr::apply(MathFunction::Dirac, self.t.clone()));
            }
            _ => {
                return refuse(
                    "the image grows with its variable: its function has derivatives of an impulse",
                );
            }
        }
        for term in terms {
            let found = self.fraction_term(term)?;
            total.push(shorten_within(&found, SHORTEN_STEPS, self.budget)?);
        }
        self.budget.admit(Expr::sum(total))
    }

    fn fraction_term(&mut self, term: &FractionTerm) -> Outcome<Expr> {
        if term.power > POWER_LIMIT {
            return refuse(format!(
                "a factor of the denominator to a power above {POWER_LIMIT}"
            ));
        }
        let power = term.power as i64;
        match term.factor.as_slice() {
            [constant, slope] => {
                let root = shorten_within(&(-constant / slope), SHORTEN_STEPS, self.budget)?;
                let factorial: i64 = (1..power).product();
                let number = term.numerator[0].clone() / slope.powi(power);
                Ok(number * self.t.powi(power - 1) * (root * self.t).exp()
                    / Expr::integer(factorial))
            }
            [c, b, a] => self.quadratic_term(term, c, b, a),
            _ => self.roots_term(term),
        }
    }

    /// `(u*s + v)/(a*s^2 + b*s + c)^k` by completing the square.
    fn quadratic_term(
        &mut self,
        term: &FractionTerm,
        c: &Expr,
        b: &Expr,
        a: &Expr,
    ) -> Outcome<Expr> {
        let two = Expr::integer(2);
        let centre = shorten_within(&(-b / (&two * a)), SHORTEN_STEPS, self.budget)?;
        let square = shorten_within(&(c / a - centre.powi(2)), SHORTEN_STEPS, self.budget)?;
        let zero = Expr::zero();
        let scale = a.powi(term.power as i64);
        let v = &term.numerator[0] / &scale;
        let u = term.numerator.get(1).unwrap_or(&zero) / scale;
        let (sine, cosine) = self.oscillation(&square, term.power)?;
        let inside = &u * cosine + (v + u * &centre) * sine;
        let expanded = match term.power {
            1 => inside,
            _ => expand(&inside, self.budget)?,
        };
        Ok((centre * self.t).exp() * expanded)
    }

    /// The functions of `1/(s^2 + w)^k` and `s/(s^2 + w)^k`: for `f_k` and `g_k` of them `g_(k+1) = t*f_k/(2*k)` and
    /// `2*k*w*f_(k+1) = (2*k - 1)*f_k - t*g_k`, by differentiating `s/(s^2 + w)^k`.
    fn oscillation(&mut self, square: &Expr, power: usize) -> Outcome<(Expr, Expr)> {
        let is_growing = has_minus_sign(square);
        let size = if is_growing { -square } else { square.clone() };
        let root = self.root_of(&size)?;
        if !is_known_positive(&size) && !size.symbols().is_empty() {
            let condition = nonzero_condition(&root);
            if !self.conditions.contains(&condition) {
                self.conditions.push(condition);
            }
        }
        let angle = &root * self.t;
        let (odd, even) = match is_growing {
            true => (MathFunction::Sinh, MathFunction::Cosh),
            false => (MathFunction::Sin, MathFunction::Cos),
        };
        let mut f = Expr::apply(odd, angle.clone()) / &root;
        let mut g = Expr::apply(even, angle);
        for k in 1..power as i64 {
            let next =
                (Expr::integer(2 * k - 1) * &f - self.t * &g) / (Expr::integer(2 * k) * square);
            g = self.t * &f / Expr::integer(2 * k);
            f = expand(&next, self.budget)?;
        }
        Ok((f, g))
    }

    /// A root in which squares come out without their sign, which even functions do not see.
    fn root_of(&self, square: &Expr) -> Outcome<Expr> {
        if square.as_number().is_some() {
            return Ok(square.sqrt());
        }
        let factored = crate::simplify::forms::factor(square, self.budget)?;
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

    /// A factor of higher degree over the rationals, by its exact roots.
    fn roots_term(&mut self, term: &FractionTerm) -> Outcome<Expr> {
        let degree = term.factor.len() - 1;
        let numbers = |parts: &[Expr]| -> Option<RationalPoly> {
            let values: Option<Vec<_>> =
                parts.iter().map(|part| part.as_number().cloned()).collect();
            values.map(RationalPoly::new)
        };
        let no_roots = || {
            refuse(format!(
                "the denominator has a factor of degree {degree} whose roots have no short form"
            ))
        };
        let (Some(top), Some(factor), 1) =
            (numbers(&term.numerator), numbers(&term.factor), term.power)
        else {
            return no_roots();
        };
        let slope = factor.derivative();
        let mut total = Vec::new();
        for root in polynomial_roots(&factor, self.budget)? {
            let Some(value) = root.exact.filter(|value| value.size() < 40) else {
                return no_roots();
            };
            if !root.is_real && root.value.to_doubles().1 < 0.0 {
                continue;
            }
            let residue = top.to_expr(&value) / slope.to_expr(&value);
            if root.is_real {
                let residue = shorten_within(&residue, SHORTEN_STEPS, self.budget)?;
                total.push(residue * (value * self.t).exp());
                continue;
            }
            let (Some((re, im)), Some((p, q))) = (
                split_complex(&value, self.budget)?,
                split_complex(&residue, self.budget)?,
            ) else {
                return no_roots();
            };
            let angle = im * self.t;
            let p = shorten_within(&p, SHORTEN_STEPS, self.budget)?;
            let q = shorten_within(&q, SHORTEN_STEPS, self.budget)?;
            let two = Expr::integer(2);
            total.push(
                (re * self.t).exp()
                    * (&two * p * Expr::apply(MathFunction::Cos, angle.clone())
                        - two * q * Expr::apply(MathFunction::Sin, angle)),
            );
        }
        Ok(Expr::sum(total))
    }

    /// An image that vanishes far out and whose derivative is a quotient of polynomials: `f = -(inverse of the derivative)/t`.
    fn by_derivative(&mut self, image: &Expr) -> Outcome<Option<Expr>> {
        let has_call = image.any(&|part| {
            matches!(
                part.as_call(),
                Some((
                    MathFunction::Ln | MathFunction::Atan | MathFunction::Atanh,
                    _
                ))
            )
        });
        if !has_call {
            return Ok(None);
        }
        let plain = without_absolute(image);
        let end = limit_of(
            &plain,
            self.s,
            &Expr::infinity(),
            LimitSide::Left,
            self.budget,
        );
        let vanishes = match end {
            Ok(end) => end.is_zero(),
            Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
            Err(_) => false,
        };
        if !vanishes {
            return Ok(None);
        }
        let slope = derivative_of(&plain, self.s, self.budget)?;
        match decompose_fraction(&slope, self.s, self.budget) {
            Ok(Some(sum)) => {
                let inner = self.invert_fractions(&sum.whole, &sum.terms)?;
                Ok(Some(-inner / self.t))
            }
            Err(SymbolicFault::Stopped) => Err(SymbolicFault::Stopped),
            _ => Ok(None),
        }
    }

    /// Roots of the variable.
    fn invert_term(&mut self, term: &Expr) -> Outcome<Expr> {
        let (s, t) = (self.s, self.t);
        let half = Expr::ratio(1, 2);
        if let ExprNode::Power(base, exponent) = term.node()
            && !exponent.contains(s)
            && let Some((a, b)) = linear_parts(base, s, self.budget)?
        {
            let power = -exponent;
            if is_known_positive(&power) && is_known_positive(&a) {
                let scale = a.pow(exponent) / Expr::apply(MathFunction::Gamma, power.clone());
                return Ok(scale * t.pow(&(power - Expr::one())) * (-(b / a) * t).exp());
            }
        }
        // exp(-c*sqrt(s)) with s^0, s^(-1/2) and s^-1.
        let (exponent, others) = split_exponential(term, s);
        let c = -(&exponent * s.pow(&-&half));
        if !exponent.is_zero() && !c.contains(s) && is_known_positive(&c) {
            let decay = (-(c.powi(2) / (Expr::integer(4) * t))).exp();
            if others.is_one() {
                let scale = &c / (Expr::integer(2) * Expr::pi().sqrt());
                return Ok(scale * t.pow(&Expr::ratio(-3, 2)) * decay);
            }
            if others == s.pow(&-&half) {
                return Ok(decay / (Expr::pi() * t).sqrt());
            }
            if others == s.recip() {
                let argument = c / (Expr::integer(2) * t.sqrt());
                return Ok(Expr::apply(MathFunction::Erfc, argument));
            }
        }
        // 1/(s*sqrt(s + a))
        if let [first, second] = term.factors()
            && let Some(root) = [(first, second), (second, first)]
                .into_iter()
                .find_map(|(a, b)| (*a == s.recip()).then_some(b))
            && let ExprNode::Power(base, exponent) = root.node()
            && *exponent == -&half
        {
            let a = base - s;
            if !a.contains(s) && is_known_positive(&a) {
                let argument = a.sqrt() * t.sqrt();
                return Ok(Expr::apply(MathFunction::Erf, argument) / a.sqrt());
            }
        }
        refuse(format!(
            "no rule gives the function whose transform is `{}`",
            crate::print::write_text(term)
        ))
    }
}

/// Steps at one time with all that they switch on.
fn join_steps(function: &Expr) -> Expr {
    let mut by_step: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
    let mut others = Vec::new();
    for term in function.terms() {
        let step = term
            .factors()
            .iter()
            .find(|factor| factor.argument_of(MathFunction::Heaviside).is_some());
        match step {
            Some(step) => by_step.entry(step.clone()).or_default().push(term / step),
            None => others.push(term.clone()),
        }
    }
    others.extend(
        by_step
            .into_iter()
            .map(|(step, terms)| step * Expr::sum(terms)),
    );
    Expr::sum(others)
}
