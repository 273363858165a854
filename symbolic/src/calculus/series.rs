//! Series in powers of a variable, with fractions as exponents and logarithms in coefficients where they occur.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::calculus::differentiate::outer_derivative;
use crate::numeric::compare::numeric_sign;
use crate::numeric::compare_values;
use crate::poly::fraction::{is_proved_zero, normal_form_of_prepared};
use crate::poly::prepare::rewrite_functions;
use crate::tree::{Expr, ExprNode, MathFunction};

/// Terms of a series.
const TERM_LIMIT: i64 = 60;

/// A series about a point.
#[derive(Debug, Clone)]
pub struct SeriesExpansion {
    /// The sum of its terms, as an expression in the variable.
    pub terms: Expr,
    /// The power of `x - point` (of `1/x` at infinity) at which it is cut off.
    pub order: String,
}

/// Terms by their exponent, up to but without the order.
#[derive(Debug, Clone)]
pub(crate) struct PowerSeries {
    pub terms: BTreeMap<BigRational, Expr>,
    pub order: BigRational,
}

/// Makes series of expressions in a variable that goes to zero from above.
pub(crate) struct SeriesMaker<'a> {
    pub t: Expr,
    /// The logarithm of the variable.
    pub log: Expr,
    pub budget: &'a Budget<'a>,
}

fn whole(value: i64) -> BigRational {
    BigRational::from_integer(BigInt::from(value))
}

impl PowerSeries {
    fn of(terms: impl IntoIterator<Item = (BigRational, Expr)>, order: BigRational) -> Self {
        let mut series = Self {
            terms: BTreeMap::new(),
            order,
        };
        for (exponent, value) in terms {
            series.put(exponent, value);
        }
        series
    }

    fn put(&mut self, exponent: BigRational, value: Expr) {
        if exponent >= self.order || value.is_zero() {
            return;
        }
        match self.terms.remove(&exponent) {
            None => {
                self.terms.insert(exponent, value);
            }
            Some(known) => {
                let sum = known + value;
                if !sum.is_zero() {
                    self.terms.insert(exponent, sum);
                }
            }
        }
    }

    /// The first exponent, or the order where there is no term.
    pub(crate) fn valuation(&self) -> BigRational {
        self.terms
            .keys()
            .next()
            .cloned()
            .unwrap_or_else(|| self.order.clone())
    }

    fn add(&self, other: &Self) -> Self {
        let order = self.order.clone().min(other.order.clone());
        let all = self.terms.iter().chain(&other.terms);
        Self::of(
            all.map(|(exponent, value)| (exponent.clone(), value.clone())),
            order,
        )
    }

    fn scale(&self, factor: &Expr) -> Self {
        Self::of(
            self.terms
                .iter()
                .map(|(exponent, value)| (exponent.clone(), value * factor)),
            self.order.clone(),
        )
    }

    fn shift(&self, by: &BigRational) -> Self {
        Self::of(
            self.terms
                .iter()
                .map(|(exponent, value)| (exponent + by, value.clone())),
            &self.order + by,
        )
    }
}

impl SeriesMaker<'_> {
    /// A coefficient in a short form, with zero recognised.
    fn clean(&self, value: &Expr) -> Outcome<Expr> {
        if value.is_zero() || value.parts().is_empty() {
            return Ok(value.clone());
        }
        let expanded = crate::simplify::expand::expand(value, self.budget)?;
        if expanded.parts().is_empty()
            || (matches!(expanded.node(), ExprNode::Product(_) | ExprNode::Power(..))
                && expanded.size() < 12)
        {
            return Ok(expanded);
        }
        let share = self.budget.share(100_000);
        if is_proved_zero(&expanded, &share).unwrap_or(false) {
            return Ok(Expr::zero());
        }
        if compare_values(&expanded, &Expr::zero(), 3, self.budget)?.is_agreement() {
            return Ok(Expr::zero());
        }
        let form = normal_form_of_prepared(&expanded, None, &self.budget.share(60_000))
            .map(|form| form.to_expr());
        Ok(match form {
            Ok(form) if form.size() < expanded.size() => form,
            _ => expanded,
        })
    }

    fn cleaned(&self, series: &PowerSeries) -> Outcome<PowerSeries> {
        let mut terms = Vec::new();
        for (exponent, value) in &series.terms {
            terms.push((exponent.clone(), self.clean(value)?));
        }
        Ok(PowerSeries::of(terms, series.order.clone()))
    }

    fn mul(&self, a: &PowerSeries, b: &PowerSeries) -> Outcome<PowerSeries> {
        self.budget.spend(a.terms.len() * b.terms.len() + 1)?;
        let order = (&a.order + b.valuation()).min(&b.order + a.valuation());
        let mut product = PowerSeries::of([], order);
        for (x, p) in &a.terms {
            for (y, q) in &b.terms {
                product.put(x + y, p * q);
            }
        }
        self.cleaned(&product)
    }

    /// The series up to an order.
    pub(crate) fn make(&self, expr: &Expr, order: &BigRational) -> Outcome<PowerSeries> {
        self.budget.spend(10)?;
        if !expr.contains(&self.t) {
            return Ok(PowerSeries::of(
                [(BigRational::zero(), expr.clone())],
                order.clone().max(BigRational::one()),
            ));
        }
        match expr.node() {
            ExprNode::Symbol(_) => Ok(PowerSeries::of(
                [(BigRational::one(), Expr::one())],
                order.clone().max(whole(2)),
            )),
            ExprNode::Sum(terms) => {
                let mut total = self.make(&terms[0], order)?;
                for term in &terms[1..] {
                    total = total.add(&self.make(term, order)?);
                }
                self.cleaned(&total)
            }
            ExprNode::Product(factors) => {
                let mut total = self.make(&factors[0], order)?;
                for factor in &factors[1..] {
                    total = self.mul(&total, &self.make(factor, order)?)?;
                }
                Ok(total)
            }
            ExprNode::Power(base, exponent) => {
                match (base.contains(&self.t), exponent.contains(&self.t)) {
                    (true, false) => {
                        let inner = self.make(base, order)?;
                        self.power(&inner, exponent, order)
                    }
                    _ if expr.as_exponential().is_some() => {
                        let inner = self.make(exponent, order)?;
                        self.exponential(&inner)
                    }
                    _ => {
                        let inner = self.make(&(exponent * base.ln()), order)?;
                        self.exponential(&inner)
                    }
                }
            }
            ExprNode::Call(function, arguments) if arguments.len() == 1 => {
                let inner = self.make(&arguments[0], order)?;
                self.function(function, &inner)
            }
            _ => refuse("the expression has no series"),
        }
    }

    /// Leading coefficient, exponent and the rest over it.
    fn leading(&self, series: &PowerSeries) -> Outcome<(Expr, BigRational, PowerSeries)> {
        let Some((exponent, value)) = series.terms.iter().next() else {
            return Err(SymbolicFault::Refused(format!(
                "all terms below the order {} vanish",
                series.order
            )));
        };
        let inverse = value.recip();
        let mut rest = series.scale(&inverse).shift(&-exponent.clone());
        rest.terms.remove(&BigRational::zero());
        Ok((value.clone(), exponent.clone(), rest))
    }

    /// `sum c_k r^k` for a series r without constant term.
    fn compose(
        &self,
        coefficients: &dyn Fn(usize) -> Outcome<Expr>,
        rest: &PowerSeries,
    ) -> Outcome<PowerSeries> {
        let order = rest.order.clone();
        let mut total = PowerSeries::of([(BigRational::zero(), coefficients(0)?)], order.clone());
        let mut power = PowerSeries::of([(BigRational::zero(), Expr::one())], order.clone());
        let step = rest.valuation();
        if !step.is_positive() {
            return refuse("a series does not begin with a positive power");
        }
        let count = (&order / &step)
            .ceil()
            .to_integer()
            .to_i64()
            .unwrap_or(i64::MAX);
        if count > TERM_LIMIT {
            return Err(SymbolicFault::Size);
        }
        for k in 1..=count as usize {
            power = self.mul(&power, rest)?;
            power.order = power.order.clone().min(order.clone());
            if power.terms.is_empty() {
                break;
            }
            total = total.add(&power.scale(&coefficients(k)?));
        }
        self.cleaned(&total)
    }

    fn power(
        &self,
        series: &PowerSeries,
        exponent: &Expr,
        order: &BigRational,
    ) -> Outcome<PowerSeries> {
        if let Some(count) = exponent
            .as_integer()
            .filter(|count| (1..=8).contains(count))
        {
            let mut total = series.clone();
            for _ in 1..count {
                total = self.mul(&total, series)?;
            }
            return Ok(total);
        }
        let (value, first, rest) = self.leading(series)?;
        let shift = match (exponent.as_number(), first.is_zero()) {
            (Some(number), _) => &first * number,
            (None, true) => BigRational::zero(),
            (None, false) => return refuse("a power of the variable has no number as exponent"),
        };
        let _ = order;
        let binomial = |k: usize| {
            let top = (0..k).map(|j| exponent - Expr::integer(j as i64));
            let bottom = Expr::apply(MathFunction::Factorial, Expr::integer(k as i64));
            Ok(Expr::product(top) / bottom)
        };
        let outside = self.clean(&value.pow(exponent))?;
        Ok(self
            .compose(&binomial, &rest)?
            .scale(&outside)
            .shift(&shift))
    }

    /// Splits into the constant term and what vanishes; none where there are negative powers.
    fn split_constant(&self, series: &PowerSeries) -> Outcome<(Expr, PowerSeries)> {
        if series.valuation().is_negative() {
            return refuse("a function of what grows without bound has no series");
        }
        let mut rest = series.clone();
        let constant = rest
            .terms
            .remove(&BigRational::zero())
            .unwrap_or_else(Expr::zero);
        Ok((constant, rest))
    }

    fn exponential(&self, series: &PowerSeries) -> Outcome<PowerSeries> {
        let (constant, rest) = self.split_constant(series)?;
        let inverse_factorial =
            |k: usize| Ok(Expr::apply(MathFunction::Factorial, Expr::integer(k as i64)).recip());
        let expanded = crate::simplify::expand::expand(&constant, self.budget)?;
        // exp(p*log(t)) = t^p
        let mut shift = BigRational::zero();
        let mut others = Vec::new();
        for term in expanded.terms() {
            let (coefficient, direction) = term.coefficient_and_rest();
            match direction == self.log {
                true => shift += coefficient,
                false if term.contains(&self.log) => {
                    return refuse("an exponential of a power of a logarithm has no series");
                }
                false => others.push(term.clone()),
            }
        }
        let outside = Expr::sum(others).exp();
        Ok(self
            .compose(&inverse_factorial, &rest)?
            .scale(&outside)
            .shift(&shift))
    }

    fn function(&self, function: &MathFunction, series: &PowerSeries) -> Outcome<PowerSeries> {
        match function {
            MathFunction::Ln => return self.logarithm(series),
            MathFunction::Abs | MathFunction::Sign => {
                let (value, _, _) = self.leading(series)?;
                let Some(sign) = numeric_sign(&value, self.budget)?.filter(|sign| *sign != 0)
                else {
                    return refuse("the sign of a value is not known");
                };
                let sign = Expr::integer(sign);
                return Ok(match function {
                    MathFunction::Abs => series.scale(&sign),
                    _ => PowerSeries::of([(BigRational::zero(), sign)], series.order.clone()),
                });
            }
            MathFunction::Atan if series.valuation().is_negative() => {
                // atan(u) = sign(u)*pi/2 - atan(1/u)
                let (value, _, _) = self.leading(series)?;
                let Some(sign) = numeric_sign(&value, self.budget)?.filter(|sign| *sign != 0)
                else {
                    return refuse("the sign of a value is not known");
                };
                let inverse = self.power(series, &Expr::integer(-1), &series.order)?;
                let small = self.function(&MathFunction::Atan, &inverse)?;
                let half = Expr::pi() * Expr::ratio(sign, 2);
                let constant = PowerSeries::of([(BigRational::zero(), half)], small.order.clone());
                return Ok(small.scale(&Expr::integer(-1)).add(&constant));
            }
            _ => {}
        }
        let (constant, rest) = self.split_constant(series)?;
        let u = Expr::symbol("\u{3c9}");
        let coefficient = |k: usize| -> Outcome<Expr> {
            let mut value = Expr::apply(function.clone(), u.clone());
            for step in 0..k {
                value = match (step, outer_derivative(function, &u)) {
                    (0, Some(slope)) => slope,
                    (0, None) => return refuse(format!("`{}` has no series", function.name())),
                    _ => super::differentiate::derivative_of(&value, &u, self.budget)?,
                };
            }
            let value = value.replace(&u, &constant)
                / Expr::apply(MathFunction::Factorial, Expr::integer(k as i64));
            self.budget.admit(value)
        };
        self.compose(&coefficient, &rest)
    }

    fn logarithm(&self, series: &PowerSeries) -> Outcome<PowerSeries> {
        let (value, exponent, rest) = self.leading(series)?;
        let coefficient = |k: usize| {
            Ok(match k {
                0 => value.ln() + Expr::number(exponent.clone()) * &self.log,
                _ => Expr::ratio(if k % 2 == 1 { 1 } else { -1 }, k as i64),
            })
        };
        self.compose(&coefficient, &rest)
    }

    /// The first term, with more and more terms until there is one.
    pub(crate) fn first_term(&self, expr: &Expr) -> Outcome<(Expr, BigRational)> {
        for order in [3, 7, 14] {
            let made = match self.make(expr, &whole(order)) {
                Ok(made) => made,
                Err(SymbolicFault::Refused(reason)) if order == 14 => {
                    return Err(SymbolicFault::Refused(reason));
                }
                Err(SymbolicFault::Refused(_)) => continue,
                Err(fault) => return Err(fault),
            };
            if let Some((exponent, value)) = made.terms.iter().next() {
                return Ok((value.clone(), exponent.clone()));
            }
        }
        refuse("no term of the series up to order 14 differs from zero")
    }
}

/// The series of an expression about a point (infinity too), with the terms below an order.
pub fn series_of(
    expr: &Expr,
    x: &Expr,
    point: &Expr,
    order: usize,
    budget: &Budget<'_>,
) -> Outcome<SeriesExpansion> {
    let t = Expr::symbol_with("\u{3c4}", crate::tree::SymbolTraits::POSITIVE);
    let (value, back) = match point.as_constant() {
        Some(crate::tree::MathConstant::Infinity) => (t.recip(), x.recip()),
        Some(crate::tree::MathConstant::MinusInfinity) => (-t.recip(), -x.recip()),
        _ => (point + &t, x - point),
    };
    let log = Expr::symbol("\u{39b}");
    let maker = SeriesMaker {
        t: t.clone(),
        log: log.clone(),
        budget,
    };
    let prepared = rewrite_functions(&expr.replace(x, &value), budget)?;
    let wanted = whole(order as i64);
    for extra in [0, 2, 5, 10] {
        let made = match maker.make(&prepared, &(&wanted + whole(extra))) {
            Ok(made) => made,
            Err(SymbolicFault::Refused(reason)) if extra == 10 => {
                return Err(SymbolicFault::Refused(reason));
            }
            Err(SymbolicFault::Refused(_)) => continue,
            Err(fault) => return Err(fault),
        };
        if made.order < wanted {
            continue;
        }
        let mut terms = Vec::new();
        for (exponent, value) in made
            .terms
            .iter()
            .filter(|(exponent, _)| **exponent < wanted)
        {
            let value = crate::simplify::forms::simplify(value, &budget.share(100_000))
                .unwrap_or_else(|_| value.clone());
            terms.push(value.replace(&log, &back.ln()) * back.pow(&Expr::number(exponent.clone())));
        }
        return Ok(SeriesExpansion {
            terms: budget.admit(Expr::sum(terms))?,
            order: wanted.to_string(),
        });
    }
    refuse("the series is not found to that order")
}
