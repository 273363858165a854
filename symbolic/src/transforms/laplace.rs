//! From functions of time to their images: linearity, shifts, derivatives by the image's variable, and a table.

use super::check::{TransformCheck, check_image, check_unknown};
use super::region::{HalfPlane, real_part};
use super::table::{image_of_call, image_of_exponential};
use super::{shorten_within, split_factors};
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::calculus::{LimitSide, derivative_of, integral_of, limit_of, linear_parts};
use crate::simplify::circular::products_to_sums;
use crate::simplify::equality::circular_as_exponential;
use crate::simplify::expand::expand;
use crate::tree::walk::{is_known_nonnegative, is_known_positive};
use crate::tree::{Expr, ExprNode, MathFunction};

/// Rules within each other.
const NESTING: usize = 12;
/// Powers of the variable that become derivatives.
const POWER_LIMIT: i64 = 12;
/// Steps of the shortest form of an image.
const SHORTEN_STEPS: u64 = 200_000;

/// An image with where it converges.
#[derive(Debug, Clone)]
pub struct LaplaceTransform {
    /// The image.
    pub image: Expr,
    /// The real part of the variable is above each of these; everywhere where there is none.
    pub bounds: Vec<Expr>,
    /// How it was checked.
    pub check: TransformCheck,
}

/// A function that is not known, with its values at 0.
#[derive(Debug, Clone)]
pub struct UnknownFunction {
    /// Its name.
    pub name: String,
    /// The name of its image.
    pub image: String,
    /// Values of the function and its derivatives at 0, in order; symbols such as `y'(0)` where there is none.
    pub initial: Vec<Option<Expr>>,
}

impl UnknownFunction {
    /// The value of a derivative at 0.
    pub(super) fn at_zero(&self, order: usize) -> Expr {
        match self.initial.get(order) {
            Some(Some(value)) => value.clone(),
            _ => {
                let name = format!("{}{}", self.name, "'".repeat(order));
                Expr::apply(MathFunction::Named(name.as_str().into()), Expr::zero())
            }
        }
    }

    pub(super) fn image_at(&self, s: &Expr) -> Expr {
        Expr::apply(MathFunction::Named(self.image.as_str().into()), s.clone())
    }
}

/// An image and its half plane.
#[derive(Debug, Clone)]
pub(super) struct LaplaceImage {
    pub expr: Expr,
    pub region: HalfPlane,
}

impl LaplaceImage {
    pub(super) fn above(expr: Expr, bound: Expr) -> Self {
        Self {
            expr,
            region: HalfPlane::above(bound),
        }
    }
}

/// The rules with their variables.
pub(super) struct ForwardTransform<'a> {
    pub t: &'a Expr,
    pub s: &'a Expr,
    pub unknown: Option<&'a UnknownFunction>,
    pub budget: &'a Budget<'a>,
}

/// The Laplace transform of a function of `t`, compared with a quadrature of the definition.
pub fn laplace_transform(
    function: &Expr,
    t: &Expr,
    s: &Expr,
    unknown: Option<&UnknownFunction>,
    budget: &Budget<'_>,
) -> Outcome<LaplaceTransform> {
    let function = budget.admit(function.clone())?;
    let rules = ForwardTransform {
        t,
        s,
        unknown,
        budget,
    };
    let image = rules.transform(&function, 0)?;
    let expr = shorten_within(&image.expr, SHORTEN_STEPS, budget)?;
    let check = match unknown {
        Some(unknown) => check_unknown(&function, &expr, unknown, &rules)?,
        None => check_image(&function, &expr, &image.region, t, s, budget)?,
    };
    Ok(LaplaceTransform {
        image: expr,
        bounds: image.region.bounds,
        check,
    })
}

impl ForwardTransform<'_> {
    /// The image of a sum.
    pub(super) fn transform(&self, function: &Expr, nesting: usize) -> Outcome<LaplaceImage> {
        self.budget.spend(50)?;
        if nesting > NESTING {
            return refuse("the rules of the transform go deeper than their limit");
        }
        let plain = rewrite_hyperbolic_products(function, self.t);
        let expanded = expand(&plain, self.budget)?;
        let time = self.t.recip();
        let is_divided = !expanded.is_zero()
            && expanded != time
            && expanded
                .terms()
                .iter()
                .all(|term| term.factors().contains(&time));
        if is_divided && let Some(image) = self.divided(&expanded, nesting)? {
            return Ok(image);
        }
        let mut total = Vec::new();
        let mut region = HalfPlane::default();
        for term in expanded.terms() {
            let (inside, outside) = split_factors(term, self.t);
            if outside.is_zero() {
                continue;
            }
            let image = self.transform_term(&inside, nesting)?;
            total.push(outside * image.expr);
            region = region.meet(&image.region);
        }
        Ok(LaplaceImage {
            expr: self.budget.admit(Expr::sum(total))?,
            region,
        })
    }

    /// `f(t)/t`: the integral of the image of `f` from `s` on.
    fn divided(&self, function: &Expr, nesting: usize) -> Outcome<Option<LaplaceImage>> {
        let above = expand(&(function * self.t), self.budget)?;
        let Ok(image) = self.transform(&above, nesting + 1) else {
            return Ok(None);
        };
        let Some((primitive, _)) = integral_of(&image.expr, self.s, self.budget)? else {
            return Ok(None);
        };
        let primitive = without_absolute(&primitive);
        let end = limit_of(
            &primitive,
            self.s,
            &Expr::infinity(),
            LimitSide::Left,
            self.budget,
        );
        Ok(match end {
            Ok(end) if !end.is_infinite() => Some(LaplaceImage {
                expr: end - primitive,
                region: image.region,
            }),
            Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
            _ => None,
        })
    }

    /// The image of a product of factors with `t`.
    fn transform_term(&self, term: &Expr, nesting: usize) -> Outcome<LaplaceImage> {
        let s = self.s;
        if term.is_one() {
            return Ok(LaplaceImage::above(s.recip(), Expr::zero()));
        }
        if let Some(image) = self.unknown_term(term, nesting)? {
            return Ok(image);
        }
        for factor in term.factors() {
            let rest = || term / factor;
            if let Some(argument) = factor.argument_of(MathFunction::Heaviside) {
                return self.step(argument, &rest(), nesting);
            }
            if let Some(argument) = factor.argument_of(MathFunction::Dirac) {
                return self.impulse(argument, &rest());
            }
        }
        let (exponent, others) = split_exponential(term, self.t);
        if !exponent.is_zero() {
            return self.exponential(&exponent, &others, nesting);
        }
        let (power, others) = split_power(term, self.t);
        if others.is_one() {
            return self.power_image(&power);
        }
        if let Some(count) = power.as_integer().filter(|count| *count > 0) {
            if count > POWER_LIMIT {
                return refuse(format!("a power above {POWER_LIMIT} of the variable"));
            }
            let mut image = self.transform_term(&others, nesting + 1)?;
            for _ in 0..count {
                let slope = -derivative_of(&image.expr, s, self.budget)?;
                image.expr = shorten_within(&slope, SHORTEN_STEPS, self.budget)?;
            }
            return Ok(image);
        }
        if !power.is_zero() {
            if let Some(exponentials) = circular_as_exponentials(&others) {
                return self.transform(&(self.t.pow(&power) * exponentials), nesting + 1);
            }
            return self.no_rule(term);
        }
        if let Some(image) = image_of_call(&others, self)? {
            return Ok(image);
        }
        let lowered = products_to_sums(&others, self.budget)?;
        match lowered == others {
            true => self.no_rule(term),
            false => self.transform(&lowered, nesting + 1),
        }
    }

    pub(super) fn no_rule<T>(&self, term: &Expr) -> Outcome<T> {
        refuse(format!(
            "no rule gives the transform of `{}`",
            crate::print::write_text(term)
        ))
    }

    /// `t^p`.
    fn power_image(&self, power: &Expr) -> Outcome<LaplaceImage> {
        let next = power + Expr::one();
        if !is_known_positive(&next) {
            return refuse(format!(
                "the integral of `{}` diverges at 0, or its exponent is not known to be above -1",
                crate::print::write_text(&self.t.pow(power))
            ));
        }
        let expr = Expr::apply(MathFunction::Gamma, next.clone()) * self.s.pow(&-next);
        Ok(LaplaceImage::above(expr, Expr::zero()))
    }

    /// `exp(exponent)*others`: what is linear shifts the image.
    fn exponential(&self, exponent: &Expr, others: &Expr, nesting: usize) -> Outcome<LaplaceImage> {
        let (mut slope, mut rest) = (Expr::zero(), Expr::zero());
        let mut constant = Expr::zero();
        for term in expand(exponent, self.budget)?.terms() {
            if !term.contains(self.t) {
                constant = constant + term;
                continue;
            }
            match linear_parts(term, self.t, self.budget)? {
                Some((a, _)) => slope = slope + a,
                None => rest = rest + term,
            }
        }
        let inner = match rest.is_zero() {
            true => self.transform_sum_or_term(others, nesting)?,
            false => match image_of_exponential(&rest, others, self)? {
                Some(image) => image,
                None => return self.no_rule(&(exponent.exp() * others)),
            },
        };
        let bound = real_part(&slope, self.budget)?;
        Ok(LaplaceImage {
            expr: constant.exp() * inner.expr.replace(self.s, &(self.s - &slope)),
            region: inner.region.shift(&bound),
        })
    }

    fn transform_sum_or_term(&self, others: &Expr, nesting: usize) -> Outcome<LaplaceImage> {
        match others.contains(self.t) || others.is_one() {
            true => self.transform_term(others, nesting + 1),
            false => self.transform(others, nesting + 1),
        }
    }

    /// `heaviside(a*t + b)*f(t)`.
    fn step(&self, argument: &Expr, others: &Expr, nesting: usize) -> Outcome<LaplaceImage> {
        let Some((slope, constant)) = linear_parts(argument, self.t, self.budget)? else {
            return self.no_rule(&Expr::apply(MathFunction::Heaviside, argument.clone()));
        };
        let at = -constant / &slope;
        if is_known_positive(&-&slope) {
            // What is switched off is what was there, less what is switched on.
            let on = Expr::apply(MathFunction::Heaviside, self.t - &at);
            return self.transform(&((Expr::one() - on) * others), nesting + 1);
        }
        if !is_known_positive(&slope) {
            return refuse("the sign of the factor of the variable in `heaviside` is not known");
        }
        if is_known_nonnegative(&-&at) {
            return self.transform(others, nesting + 1);
        }
        if !is_known_nonnegative(&at) {
            return refuse(format!(
                "it is not known whether the step at `{}` is after 0: assume its sign",
                crate::print::write_text(&at)
            ));
        }
        let moved = others.replace(self.t, &(self.t + &at));
        let image = self.transform(&moved, nesting + 1)?;
        Ok(LaplaceImage {
            expr: (-(at * self.s)).exp() * image.expr,
            region: image.region,
        })
    }

    /// `dirac(a*t + b)*f(t)`; an impulse at 0 counts whole.
    fn impulse(&self, argument: &Expr, others: &Expr) -> Outcome<LaplaceImage> {
        let Some((slope, constant)) = linear_parts(argument, self.t, self.budget)? else {
            return self.no_rule(&Expr::apply(MathFunction::Dirac, argument.clone()));
        };
        let at = -constant / &slope;
        if is_known_positive(&-&at) {
            return Ok(LaplaceImage {
                expr: Expr::zero(),
                region: HalfPlane::default(),
            });
        }
        if !is_known_nonnegative(&at) {
            return refuse(format!(
                "it is not known whether the impulse at `{}` is after 0: assume its sign",
                crate::print::write_text(&at)
            ));
        }
        let size = Expr::apply(MathFunction::Abs, slope);
        let value = self.budget.admit(others.replace(self.t, &at))?;
        Ok(LaplaceImage {
            expr: value * (-(at * self.s)).exp() / size,
            region: HalfPlane::default(),
        })
    }

    /// The unknown function, and its derivatives by their values at 0.
    fn unknown_term(&self, term: &Expr, _nesting: usize) -> Outcome<Option<LaplaceImage>> {
        let Some(unknown) = self.unknown else {
            return Ok(None);
        };
        let is_it = |expr: &Expr| {
            matches!(expr.as_call(), Some((MathFunction::Named(name), [argument]))
                if **name == *unknown.name && argument == self.t)
        };
        let everywhere = |expr: Expr| LaplaceImage {
            expr,
            region: HalfPlane::default(),
        };
        let (power, call) = split_power(term, self.t);
        let count = power.as_integer().filter(|count| (0..=6).contains(count));
        let (Some(count), Some((function, arguments))) = (count, call.as_call()) else {
            return Ok(None);
        };
        let order = match (function, arguments) {
            (MathFunction::Derivative, [inner, variable, order])
                if is_it(inner) && variable == self.t =>
            {
                order.as_integer().filter(|order| (1..=20).contains(order))
            }
            _ if is_it(&call) => Some(0),
            _ => None,
        };
        let Some(order) = order else {
            return Ok(None);
        };
        let image = unknown.image_at(self.s);
        let lost = (0..order).map(|k| unknown.at_zero(k as usize) * self.s.powi(order - 1 - k));
        let mut expr = self.s.powi(order) * image - Expr::sum(lost);
        for _ in 0..count {
            expr = -derivative_of(&expr, self.s, self.budget)?;
        }
        Ok(Some(everywhere(expr)))
    }
}

/// The sum of all exponents with the variable, of any base without it, and the other factors.
pub(super) fn split_exponential(term: &Expr, t: &Expr) -> (Expr, Expr) {
    let (mut exponent, mut others) = (Expr::zero(), Vec::new());
    for factor in term.factors() {
        match factor.node() {
            ExprNode::Power(base, power) if power.contains(t) && !base.contains(t) => {
                exponent = exponent + power * base.ln();
            }
            _ => others.push(factor.clone()),
        }
    }
    (exponent, Expr::product(others))
}

/// The exponent of the variable and the other factors.
pub(super) fn split_power(term: &Expr, t: &Expr) -> (Expr, Expr) {
    let (mut power, mut others) = (Expr::zero(), Vec::new());
    for factor in term.factors() {
        let (base, exponent) = factor.base_and_exponent();
        match base == *t && !exponent.contains(t) {
            true => power = power + exponent,
            false => others.push(factor.clone()),
        }
    }
    (power, Expr::product(others))
}

/// Sines and cosines by exponentials, for powers of the variable that are not whole.
fn circular_as_exponentials(expr: &Expr) -> Option<Expr> {
    let factors = expr.factors();
    let rewritten = Expr::product(factors.iter().map(circular_as_exponential));
    (rewritten != *expr).then_some(rewritten)
}

/// Hyperbolic functions that are not alone become exponentials.
fn rewrite_hyperbolic_products(function: &Expr, t: &Expr) -> Expr {
    let is_hyperbolic = |factor: &Expr| {
        matches!(
            factor.as_call(),
            Some((MathFunction::Sinh | MathFunction::Cosh, [u])) if u.contains(t)
        )
    };
    let rewrite_term = |term: &Expr| {
        let (inside, _) = split_factors(term, t);
        if inside.factors().len() < 2 && !matches!(inside.node(), ExprNode::Power(..)) {
            return term.clone();
        }
        term.rewrite(&|part| {
            let u = match part.as_call() {
                Some((_, [u])) if is_hyperbolic(part) => u,
                _ => return None,
            };
            let (rising, falling) = (u.exp(), (-u).exp());
            let two = Expr::integer(2);
            Some(match part.as_call() {
                Some((MathFunction::Sinh, _)) => (rising - falling) / two,
                _ => (rising + falling) / two,
            })
        })
    };
    Expr::sum(function.terms().iter().map(rewrite_term))
}

/// Logarithms without absolute values, which only serve on the real line.
pub(crate) fn without_absolute(expr: &Expr) -> Expr {
    expr.rewrite(&|part| {
        let inside = part.argument_of(MathFunction::Ln)?;
        Some(inside.argument_of(MathFunction::Abs)?.ln())
    })
}
