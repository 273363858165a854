//! Limits: by continuity, by the first term of a series, and by the fastest growing exponential (D. Gruntz, On Computing Limits in a Symbolic Manipulation
//! System, ETH Zürich 1996).

use num_traits::{Signed, Zero};

use super::series::SeriesMaker;
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::numeric::compare::numeric_sign;
use crate::numeric::evaluate::{Assignment, Evaluation, WORKING_BITS};
use crate::poly::prepare::rewrite_functions;
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction, SymbolTraits};

/// Limits within limits.
const NESTING: usize = 8;

/// From where a point is approached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSide {
    /// From below.
    Left,
    /// From both sides, which must agree.
    Both,
    /// From above.
    Right,
}

/// The limit at a point or at infinity.
pub fn limit_of(
    expr: &Expr,
    x: &Expr,
    point: &Expr,
    side: LimitSide,
    budget: &Budget<'_>,
) -> Outcome<Expr> {
    checked_limit(expr, x, point, side, budget).map(|found| found.value)
}

/// A limit and the number of values that come nearer to it.
#[derive(Debug, Clone)]
pub struct CheckedLimit {
    /// The limit.
    pub value: Expr,
    /// Values of the expression that were compared with it.
    pub points: usize,
}

/// The limit with its check; one that values do not come nearer to is refused.
pub fn checked_limit(
    expr: &Expr,
    x: &Expr,
    point: &Expr,
    side: LimitSide,
    budget: &Budget<'_>,
) -> Outcome<CheckedLimit> {
    let y = Expr::symbol_with("\u{3c5}", SymbolTraits::POSITIVE);
    let right = || limit_at_infinity(&expr.replace(x, &(point + y.recip())), &y, 0, budget);
    let left = || limit_at_infinity(&expr.replace(x, &(point - y.recip())), &y, 0, budget);
    let found = match (point.as_constant(), side) {
        (Some(MathConstant::Infinity), _) => {
            limit_at_infinity(&expr.replace(x, &y), &y, 0, budget)?
        }
        (Some(MathConstant::MinusInfinity), _) => {
            limit_at_infinity(&expr.replace(x, &-&y), &y, 0, budget)?
        }
        (_, LimitSide::Right) => right()?,
        (_, LimitSide::Left) => left()?,
        (_, LimitSide::Both) => {
            let (above, below) = (right()?, left()?);
            let is_same = above == below
                || (!above.is_infinite()
                    && !below.is_infinite()
                    && crate::numeric::compare_values(&above, &below, 4, budget)?.is_agreement());
            if !is_same {
                return refuse(format!(
                    "the limits from the two sides differ: {} from below, {} from above",
                    crate::print::write_text(&below),
                    crate::print::write_text(&above)
                ));
            }
            above
        }
    };
    let tidy = crate::simplify::forms::simplify(&found, &budget.share(200_000)).unwrap_or(found);
    let tidy = budget.admit(tidy)?;
    match approaching_points(expr, x, point, side, &tidy, budget)? {
        Some(points) => Ok(CheckedLimit {
            value: tidy,
            points,
        }),
        None => refuse("the limit that was found is not approached by values: it is not returned"),
    }
}

/// A limit that was found elsewhere, with its check; from both sides where both are meant. `None` where values do not come nearer to it.
pub(crate) fn keep_limit(
    found: &Expr,
    expr: &Expr,
    x: &Expr,
    point: &Expr,
    side: LimitSide,
    budget: &Budget<'_>,
) -> Outcome<Option<CheckedLimit>> {
    let sides: &[LimitSide] = match side {
        LimitSide::Both if !point.is_infinite() => &[LimitSide::Left, LimitSide::Right],
        LimitSide::Left => &[LimitSide::Left],
        _ => &[LimitSide::Right],
    };
    let mut least = usize::MAX;
    for side in sides {
        match approaching_points(expr, x, point, *side, found, budget)? {
            Some(points) => least = least.min(points),
            None => return Ok(None),
        }
    }
    Ok(Some(CheckedLimit {
        value: found.clone(),
        points: least,
    }))
}

/// Distances from the point, or their inverses, at which values are taken: logarithms grow by a half from one to the next.
const APPROACH: [i64; 6] = [
    40,
    4_000,
    400_000,
    40_000_000,
    400_000_000_000,
    40_000_000_000_000_000,
];
/// A value is nearer to the limit if its distance is at most this share of the larger of the two before it.
const NEARER: f64 = 0.9;

/// How many values nearer and nearer to the point are nearer and nearer to the limit; `None` where they are not, or fewer than three can be had.
/// Parameters are set to a number.
fn approaching_points(
    expr: &Expr,
    x: &Expr,
    point: &Expr,
    side: LimitSide,
    limit: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<usize>> {
    let set = |expr: &Expr| {
        let others = expr
            .symbols()
            .into_iter()
            .map(|symbol| Expr::symbol_with(&symbol.name, symbol.traits));
        others
            .filter(|symbol| symbol != x)
            .fold(expr.clone(), |expr, symbol| {
                expr.replace(&symbol, &Expr::ratio(13, 7))
            })
    };
    let (expr, limit) = (set(expr), set(limit));
    let mut distances = Vec::new();
    for size in APPROACH {
        let far = Expr::integer(size);
        let near = match (point.as_constant(), side) {
            (Some(MathConstant::Infinity), _) => far,
            (Some(MathConstant::MinusInfinity), _) => -far,
            (_, LimitSide::Left) => set(point) - far.recip(),
            _ => set(point) + far.recip(),
        };
        let Some(mut evaluation) = Evaluation::new(WORKING_BITS, Assignment::new(), budget) else {
            return Ok(None);
        };
        let Some(value) = evaluation.value(&expr.replace(x, &near))? else {
            continue;
        };
        let distance = match limit.is_infinite() {
            // A limit without bound is far from no value that is large.
            true => {
                let (re, _) = value.to_doubles();
                let sign = if limit.as_constant() == Some(MathConstant::Infinity) {
                    1.0
                } else {
                    -1.0
                };
                match re * sign > 0.0 {
                    true => 1.0 / (re * sign),
                    false => f64::INFINITY,
                }
            }
            false => {
                let Some(target) = evaluation.value(&limit)? else {
                    return Ok(None);
                };
                let (re, im) = evaluation.arithmetic.sub(&value, &target).to_doubles();
                re.hypot(im)
            }
        };
        distances.push(distance);
    }
    let scale = distances.first().copied().unwrap_or(0.0);
    let is_nearer = match distances.as_slice() {
        [.., earlier, before, last] => {
            last.is_finite()
                && (*last <= NEARER * f64::max(*earlier, *before) || *last <= 1e-40 * scale)
        }
        _ => return Ok(None),
    };
    Ok(is_nearer.then_some(distances.len()))
}

/// The limit for a positive variable that grows without bound.
fn limit_at_infinity(expr: &Expr, y: &Expr, nesting: usize, budget: &Budget<'_>) -> Outcome<Expr> {
    budget.spend(100)?;
    if nesting > NESTING {
        return refuse("the limit needs more steps than are taken");
    }
    let expr = budget.admit(rewrite_for_limits(&rewrite_functions(expr, budget)?, y))?;
    if !expr.contains(y) {
        return Ok(expr);
    }
    if expr == *y {
        return Ok(Expr::infinity());
    }
    if let Some(found) = bounded_times_vanishing(&expr, y, nesting, budget)? {
        return Ok(found);
    }
    let exponentials = growing_exponentials(&expr, y, nesting, budget)?;
    match exponentials.is_empty() {
        true => algebraic_limit(&expr, y, nesting, budget),
        false => exponential_limit(&expr, y, &exponentials, nesting, budget),
    }
}

/// Powers with the variable in base and exponent as exponentials.
fn rewrite_for_limits(expr: &Expr, y: &Expr) -> Expr {
    expr.rewrite(&|part| match part.node() {
        ExprNode::Power(base, exponent)
            if exponent.contains(y) && base.as_constant() != Some(MathConstant::E) =>
        {
            let inside = exponent * base.ln();
            Some(Expr::from_node(ExprNode::Power(
                Expr::constant(MathConstant::E),
                inside,
            )))
        }
        _ => None,
    })
}

/// A product of what stays bounded and what vanishes.
fn bounded_times_vanishing(
    expr: &Expr,
    y: &Expr,
    nesting: usize,
    budget: &Budget<'_>,
) -> Outcome<Option<Expr>> {
    let is_oscillating = |part: &Expr| -> Outcome<bool> {
        match part.as_call() {
            Some((MathFunction::Sin | MathFunction::Cos, [argument])) if argument.contains(y) => {
                Ok(
                    matches!(limit_at_infinity(argument, y, nesting + 1, budget), Ok(limit) if limit.is_infinite()),
                )
            }
            _ => Ok(false),
        }
    };
    let mut others = Vec::new();
    let mut count = 0;
    for factor in expr.factors() {
        let (base, exponent) = factor.base_and_exponent();
        match exponent.as_integer().is_some_and(|power| power > 0) && is_oscillating(&base)? {
            true => count += 1,
            false => others.push(factor.clone()),
        }
    }
    if count == 0 {
        // A sum whose oscillating terms vanish.
        if let ExprNode::Sum(terms) = expr.node() {
            let has_oscillation = expr.collect(&|part| part.as_call().is_some());
            for call in has_oscillation {
                if is_oscillating(&call)? {
                    let limits: Outcome<Vec<Expr>> = terms
                        .iter()
                        .map(|term| limit_at_infinity(term, y, nesting + 1, budget))
                        .collect();
                    return Ok(Some(budget.admit(Expr::sum(limits?))?));
                }
            }
        }
        return Ok(None);
    }
    match limit_at_infinity(&Expr::product(others), y, nesting + 1, budget)? {
        limit if limit.is_zero() => Ok(Some(Expr::zero())),
        _ => refuse("the expression oscillates"),
    }
}

/// Exponentials whose exponents grow without bound, with their exponents.
fn growing_exponentials(
    expr: &Expr,
    y: &Expr,
    nesting: usize,
    budget: &Budget<'_>,
) -> Outcome<Vec<GrowingExponential>> {
    let mut found = Vec::new();
    let is_exponential = |part: &Expr| match part.node() {
        ExprNode::Power(base, exponent) => exponent.contains(y) && !base.contains(y),
        _ => false,
    };
    for part in expr.collect(&is_exponential) {
        let (base, exponent) = part.base_and_exponent();
        let exponent = exponent * base.ln();
        // Multiples of the logarithm are powers.
        let limit = limit_at_infinity(&exponent, y, nesting + 1, budget)?;
        if !limit.is_infinite() {
            continue;
        }
        let ratio = limit_at_infinity(&(&exponent / y.ln()), y, nesting + 1, budget)?;
        if ratio.is_infinite() {
            found.push(GrowingExponential { part, exponent });
        }
    }
    Ok(found)
}

/// A power whose exponent grows without bound, and the exponent to the base of the natural logarithm.
struct GrowingExponential {
    part: Expr,
    exponent: Expr,
}

/// In powers of the fastest exponential.
fn exponential_limit(
    expr: &Expr,
    y: &Expr,
    found: &[GrowingExponential],
    nesting: usize,
    budget: &Budget<'_>,
) -> Outcome<Expr> {
    let mut fastest = found[0].exponent.clone();
    for GrowingExponential { exponent, .. } in &found[1..] {
        if limit_at_infinity(&(exponent / &fastest), y, nesting + 1, budget)?.is_infinite() {
            fastest = exponent.clone();
        }
    }
    let sign = match limit_at_infinity(&fastest, y, nesting + 1, budget)?.as_constant() {
        Some(MathConstant::Infinity) => -1,
        _ => 1,
    };
    // w = exp(sign*fastest) goes to zero.
    let w = Expr::symbol_with("\u{3c8}", SymbolTraits::POSITIVE);
    let mut rewritten = expr.clone();
    let mut by_size: Vec<&GrowingExponential> = found.iter().collect();
    by_size.sort_by_key(|growing| std::cmp::Reverse(growing.part.size()));
    for GrowingExponential { part, exponent } in by_size {
        let ratio = limit_at_infinity(&(exponent / &fastest), y, nesting + 1, budget)?;
        if ratio.is_zero() {
            continue;
        }
        let Some(count) = ratio.as_number() else {
            return refuse("exponentials grow in a proportion that is no fraction");
        };
        let rest = crate::simplify::expand::expand(
            &(exponent - Expr::number(count.clone()) * &fastest),
            budget,
        )?;
        let power = w.pow(&(Expr::number(count.clone()) * Expr::integer(sign)));
        rewritten = rewritten.replace(part, &(power * rest.exp()));
    }
    // What is left must grow more slowly, or its coefficients would not be constants beside w.
    for GrowingExponential { exponent, .. } in
        growing_exponentials(&rewritten, y, nesting + 1, budget)?
    {
        if !limit_at_infinity(&(exponent / &fastest), y, nesting + 1, budget)?.is_zero() {
            return refuse("exponentials of the same growth are not separated");
        }
    }
    let log = Expr::integer(sign) * &fastest;
    let maker = SeriesMaker {
        t: w.clone(),
        log: Expr::symbol("\u{39b}"),
        budget,
    };
    let (value, exponent) = maker.first_term(&rewritten)?;
    let value = value.replace(&maker.log, &log);
    if exponent.is_positive() {
        return Ok(Expr::zero());
    }
    let limit = limit_at_infinity(&value, y, nesting + 1, budget)?;
    match exponent.is_zero() {
        true => Ok(limit),
        false => {
            let sign = match limit.is_zero() {
                true => sign_near_infinity(&value, y, budget)?,
                false => sign_of_limit(&limit, budget)?,
            };
            Ok(signed_infinity(sign))
        }
    }
}

fn signed_infinity(sign: i64) -> Expr {
    match sign > 0 {
        true => Expr::infinity(),
        false => Expr::constant(MathConstant::MinusInfinity),
    }
}

fn sign_of_limit(limit: &Expr, budget: &Budget<'_>) -> Outcome<i64> {
    match limit.as_constant() {
        Some(MathConstant::Infinity) => return Ok(1),
        Some(MathConstant::MinusInfinity) => return Ok(-1),
        _ => {}
    }
    if crate::tree::walk::is_known_positive(limit) {
        return Ok(1);
    }
    if crate::tree::walk::is_known_positive(&-limit) {
        return Ok(-1);
    }
    match numeric_sign(limit, budget)? {
        Some(sign) if sign != 0 => Ok(sign),
        _ => refuse("the sign of a factor is not known: state an assumption on the symbols"),
    }
}

/// The sign of what vanishes, by its first term.
fn sign_near_infinity(value: &Expr, y: &Expr, budget: &Budget<'_>) -> Outcome<i64> {
    let (first, _, _) = first_power(value, y, budget)?;
    sign_of_limit(&first, budget)
}

/// First coefficient and exponent in `t = 1/y`, and the symbol of `log(t)`.
fn first_power(
    expr: &Expr,
    y: &Expr,
    budget: &Budget<'_>,
) -> Outcome<(Expr, num_rational::BigRational, Expr)> {
    let t = Expr::symbol_with("\u{3c4}", SymbolTraits::POSITIVE);
    let maker = SeriesMaker {
        t: t.clone(),
        log: Expr::symbol("\u{39b}"),
        budget,
    };
    let (value, exponent) = maker.first_term(&expr.replace(y, &t.recip()))?;
    Ok((value, exponent, maker.log))
}

/// Without growing exponentials: by the first term in powers of `1/y`.
fn algebraic_limit(expr: &Expr, y: &Expr, nesting: usize, budget: &Budget<'_>) -> Outcome<Expr> {
    let (value, exponent, log) = match first_power(expr, y, budget) {
        Ok(found) => found,
        Err(SymbolicFault::Refused(reason)) => {
            return limit_of_parts(expr, y, nesting, budget)
                .map_err(|_| SymbolicFault::Refused(reason));
        }
        Err(fault) => return Err(fault),
    };
    if exponent.is_positive() {
        return Ok(Expr::zero());
    }
    // log(t) = -log(y), which grows without bound itself.
    let limit = match value.contains(&log) {
        true => limit_at_infinity(&value.replace(&log, &-y), y, nesting + 1, budget)?,
        false => value.clone(),
    };
    if exponent.is_zero() {
        return Ok(limit);
    }
    let sign = match limit.is_zero() {
        true => sign_near_infinity(&value.replace(&log, &-y), y, budget)?,
        false => sign_of_limit(&limit, budget)?,
    };
    Ok(signed_infinity(sign))
}

/// A continuous function of the limit of its argument, and sums and products of limits.
fn limit_of_parts(expr: &Expr, y: &Expr, nesting: usize, budget: &Budget<'_>) -> Outcome<Expr> {
    let of = |part: &Expr| limit_at_infinity(part, y, nesting + 1, budget);
    let found = match expr.node() {
        ExprNode::Call(function, arguments) if arguments.len() == 1 => {
            use MathFunction as F;
            let is_continuous = matches!(
                function,
                F::Sin
                    | F::Cos
                    | F::Atan
                    | F::Asin
                    | F::Acos
                    | F::Erf
                    | F::Erfc
                    | F::Abs
                    | F::Ln
                    | F::Asinh
                    | F::Acosh
                    | F::SinIntegral
                    | F::Gamma
                    | F::Factorial
            );
            let limit = of(&arguments[0])?;
            if !is_continuous || (*function == F::Ln && limit.is_zero()) {
                return refuse("the function may jump");
            }
            Expr::apply(function.clone(), limit)
        }
        ExprNode::Sum(terms) => {
            let limits: Outcome<Vec<Expr>> = terms.iter().map(of).collect();
            Expr::sum(limits?)
        }
        ExprNode::Product(factors) => {
            let limits: Outcome<Vec<Expr>> = factors.iter().map(of).collect();
            Expr::product(limits?)
        }
        ExprNode::Power(base, exponent) if !exponent.contains(y) => of(base)?.pow(exponent),
        ExprNode::Power(base, exponent) if !base.contains(y) => base.pow(&of(exponent)?),
        _ => return refuse("the limit is not found"),
    };
    match found.poison() {
        Some(_) => refuse("the limit has an indeterminate form that is not resolved"),
        None => Ok(found),
    }
}
