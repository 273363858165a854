//! Images beside a quadrature of their definition, and functions beside their images transformed back.

use super::laplace::{ForwardTransform, UnknownFunction};
use super::region::HalfPlane;
use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::calculus::definite::tanh_sinh;
use crate::calculus::{derivative_of, linear_parts};
use crate::numeric::complex::to_double;
use crate::numeric::double::double_value;
use crate::numeric::evaluate::{Assignment, Evaluation};
use crate::numeric::{Comparison, compare_values};
use crate::simplify::expand::expand;
use crate::tree::{Expr, MathFunction};

/// How far to the right of the half plane's edge images are compared.
const DISTANCES: [f64; 3] = [0.75, 1.625, 3.25];
/// How near a quadrature must be.
const AGREEMENT: f64 = 1e-7;
/// Significant digits of a quadrature that agrees.
const QUADRATURE_DIGITS: usize = 7;
/// Points at which exact forms are compared.
const POINTS: usize = 4;
/// Bits of values that doubles do not have.
const BITS: usize = 128;

/// How a transform was checked.
#[derive(Debug, Clone)]
pub struct TransformCheck {
    /// What was done.
    pub how: &'static str,
    /// At how many points.
    pub points: usize,
    /// Digits to which values agreed.
    pub digits: usize,
}

fn failed<T>() -> Outcome<T> {
    Err(SymbolicFault::Refused(
        "the transform that was found fails its check".to_owned(),
    ))
}

/// Compares an image with the quadrature of the definition.
pub(super) fn check_image(
    function: &Expr,
    image: &Expr,
    region: &HalfPlane,
    t: &Expr,
    s: &Expr,
    budget: &Budget<'_>,
) -> Outcome<TransformCheck> {
    let points = quadrature_points(function, image, region, t, s, budget)?;
    Ok(TransformCheck {
        how: "the image agrees with a quadrature of the definition inside the half plane",
        points,
        digits: QUADRATURE_DIGITS,
    })
}

/// The number of points at which a quadrature agrees; a fault where one does not or none can be made.
pub(super) fn quadrature_points(
    function: &Expr,
    image: &Expr,
    region: &HalfPlane,
    t: &Expr,
    s: &Expr,
    budget: &Budget<'_>,
) -> Outcome<usize> {
    let (mut function, mut image) = (function.clone(), image.clone());
    let mut bounds = region.bounds.clone();
    // Numbers for the other symbols, above zero and different from each other.
    let symbols: Vec<_> = function
        .symbols()
        .union(&image.symbols())
        .cloned()
        .collect();
    for (place, symbol) in symbols.into_iter().enumerate() {
        let symbol = Expr::symbol_with(&symbol.name, symbol.traits);
        if symbol == *t || symbol == *s {
            continue;
        }
        let is_integer = symbol
            .as_symbol()
            .is_some_and(|known| known.traits.is_integer);
        let value = match is_integer {
            true => Expr::integer(2 + place as i64),
            false => Expr::ratio(7 + 4 * place as i64, 10),
        };
        function = function.replace(&symbol, &value);
        image = image.replace(&symbol, &value);
        bounds
            .iter_mut()
            .for_each(|bound| *bound = bound.replace(&symbol, &value));
    }
    let edge = bounds
        .iter()
        .map(|bound| double_value(bound, t, 0.0))
        .fold(-1.0, f64::max);
    let mut agreed = 0;
    for distance in DISTANCES {
        // A point that is an exact fraction.
        let at = ((edge + distance) * 64.0).ceil() / 64.0;
        let exact = Expr::ratio((at * 64.0) as i64, 64);
        let value = image.replace(s, &exact);
        let Some(expected) = double_of(&value, budget)? else {
            continue;
        };
        let Some(found) = definition(&function, t, &exact, budget)? else {
            continue;
        };
        let size = found.1.max(expected.abs());
        if (found.0 - expected).abs() > AGREEMENT * size {
            return failed();
        }
        agreed += 1;
    }
    match agreed {
        0 => Err(SymbolicFault::Refused(
            "the transform that was found could not be compared with a quadrature at any point"
                .to_owned(),
        )),
        _ => Ok(agreed),
    }
}

fn double_of(value: &Expr, budget: &Budget<'_>) -> Outcome<Option<f64>> {
    let Some(mut evaluation) = Evaluation::new(BITS, Assignment::new(), budget) else {
        return Ok(None);
    };
    Ok(evaluation.value(value)?.and_then(|value| {
        let (re, im) = value.to_doubles();
        (im.abs() <= 1e-20 * re.abs() || im == 0.0).then(|| to_double(&value.re))
    }))
}

/// The integral of the definition, and that of the absolute value: impulses by their definition, steps by parts.
fn definition(
    function: &Expr,
    t: &Expr,
    s: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<(f64, f64)>> {
    let decay = (-(s * t)).exp();
    let (mut smooth, mut total, mut size) = (Vec::new(), 0.0, 0.0);
    for term in expand(function, budget)?.terms() {
        let impulse = term
            .factors()
            .iter()
            .find_map(|factor| Some((factor, factor.argument_of(MathFunction::Dirac)?)));
        let Some((factor, argument)) = impulse else {
            smooth.push(term.clone());
            continue;
        };
        let Some((slope, constant)) = linear_parts(argument, t, budget)? else {
            return Ok(None);
        };
        let at = -constant / &slope;
        let position = double_value(&at, t, 0.0);
        if position < 0.0 {
            continue;
        }
        let weight = (term / factor * &decay).replace(t, &at);
        let Some(value) = double_of(&weight, budget)? else {
            return Ok(None);
        };
        let value = value / double_value(&slope, t, 0.0).abs();
        total += value;
        size += value.abs();
    }
    let smooth = Expr::sum(smooth);
    if smooth.is_zero() {
        return Ok(Some((total, size)));
    }
    let mut breaks = vec![0.0];
    for call in smooth.collect(&|part| part.argument_of(MathFunction::Heaviside).is_some()) {
        if let Some((slope, constant)) = call
            .argument_of(MathFunction::Heaviside)
            .map(|argument| linear_parts(argument, t, budget))
            .transpose()?
            .flatten()
        {
            let at = double_value(&(-constant / slope), t, 0.0);
            if at > 0.0 {
                breaks.push(at);
            }
        }
    }
    breaks.sort_by(f64::total_cmp);
    breaks.dedup();
    let integrand = smooth * decay;
    let value_at = |x: f64| integrand_value(&integrand, t, x, budget);
    for (place, low) in breaks.iter().enumerate() {
        let high = breaks.get(place + 1).copied().unwrap_or(f64::INFINITY);
        budget.spend(20_000)?;
        let Some(part) = tanh_sinh(&value_at, *low, high) else {
            return Ok(None);
        };
        total += part.value;
        size += part.size;
    }
    Ok(Some((total, size)))
}

/// In doubles, or in more digits where a function has no value in doubles.
fn integrand_value(integrand: &Expr, t: &Expr, x: f64, budget: &Budget<'_>) -> f64 {
    let direct = double_value(integrand, t, x);
    if !direct.is_nan() {
        return direct;
    }
    let Some(empty) = Evaluation::new(BITS, Assignment::new(), budget) else {
        return f64::NAN;
    };
    let Some(symbol) = t.as_symbol() else {
        return f64::NAN;
    };
    let value = astro_float_num::BigFloat::from_f64(x, BITS);
    let values = Assignment::from([(symbol.clone(), empty.arithmetic.complex(value))]);
    let Some(mut evaluation) = Evaluation::new(BITS, values, budget) else {
        return f64::NAN;
    };
    match evaluation.value(integrand) {
        Ok(Some(value)) => to_double(&value.re),
        // Beyond the range of a special function the exponential has decayed.
        _ if x > 50.0 => 0.0,
        _ => f64::NAN,
    }
}

/// Compares a function with its image transformed back.
pub(super) fn check_inverse(
    function: &Expr,
    image: &Expr,
    t: &Expr,
    s: &Expr,
    budget: &Budget<'_>,
) -> Outcome<TransformCheck> {
    let rules = ForwardTransform {
        t,
        s,
        unknown: None,
        budget,
    };
    match rules.transform(function, 0) {
        Ok(back) => match compare_values(&back.expr, image, POINTS, budget)? {
            Comparison::Agree { points } => Ok(TransformCheck {
                how: "the transform of the answer agrees with the image at random points",
                points,
                digits: 30,
            }),
            // Roots and logarithms of two forms may differ by their branch to the left of the half plane.
            Comparison::Differ(_) | Comparison::Unknown => {
                let points = quadrature_points(function, image, &back.region, t, s, budget)?;
                Ok(TransformCheck {
                    how: "a quadrature of the definition agrees with the image",
                    points,
                    digits: QUADRATURE_DIGITS,
                })
            }
        },
        Err(SymbolicFault::Stopped) => Err(SymbolicFault::Stopped),
        Err(_) => {
            let region = HalfPlane::above(Expr::integer(2));
            let points = quadrature_points(function, image, &region, t, s, budget)?;
            Ok(TransformCheck {
                how: "a quadrature of the definition agrees with the image",
                points,
                digits: QUADRATURE_DIGITS,
            })
        }
    }
}

/// Compares the image of terms with an unknown function, with a known one in its place.
pub(super) fn check_unknown(
    function: &Expr,
    image: &Expr,
    unknown: &UnknownFunction,
    rules: &ForwardTransform<'_>,
) -> Outcome<TransformCheck> {
    let (t, s, budget) = (rules.t, rules.s, rules.budget);
    // A polynomial times an exponential, whose values at 0 are those that were given or free.
    let count = 8usize;
    let mut trial = Expr::zero();
    let decay = (-t).exp();
    let free = UnknownFunction {
        name: unknown.name.clone(),
        image: unknown.image.clone(),
        initial: Vec::new(),
    };
    let mut values = Vec::new();
    for k in 0..count {
        let value = match unknown.initial.get(k) {
            Some(Some(value)) => value.clone(),
            _ => Expr::ratio(3 * k as i64 + 2, 5),
        };
        values.push(value);
    }
    // y = exp(-t) * sum of c_k t^k/k! with c_k = sum of binomial(k, j) y^(j)(0).
    for k in 0..count {
        let mut coefficient = Expr::zero();
        let mut binomial = 1i64;
        for (j, value) in values.iter().enumerate().take(k + 1) {
            coefficient = coefficient + Expr::integer(binomial) * value;
            binomial = binomial * (k as i64 - j as i64) / (j as i64 + 1);
        }
        let factorial: i64 = (1..=k as i64).product();
        trial = trial + coefficient * t.powi(k as i64) / Expr::integer(factorial);
    }
    let trial = trial * decay;
    let known = super::laplace::ForwardTransform {
        t,
        s,
        unknown: None,
        budget,
    };
    let trial_image = known.transform(&trial, 0)?.expr;
    let set = |expr: &Expr| -> Outcome<Expr> {
        let mut changed = expr.clone();
        let call = Expr::apply(MathFunction::Named(unknown.name.as_str().into()), t.clone());
        for derivative in changed.collect(&|part| {
            matches!(part.as_call(), Some((MathFunction::Derivative, [inner, ..])) if *inner == call)
        }) {
            let Some((_, [_, _, order])) = derivative.as_call() else {
                continue;
            };
            let mut slope = trial.clone();
            for _ in 0..order.as_integer().unwrap_or(0).clamp(0, 20) {
                slope = derivative_of(&slope, t, budget)?;
            }
            changed = changed.replace(&derivative, &slope);
        }
        budget.admit(changed.replace(&call, &trial))
    };
    let left = known.transform(&set(function)?, 0)?.expr;
    let mut right = image.clone();
    let unknown_image = unknown.image_at(s);
    for derivative in right.collect(&|part| {
        matches!(part.as_call(), Some((MathFunction::Derivative, [inner, ..])) if *inner == unknown_image)
    }) {
        let Some((_, [_, _, order])) = derivative.as_call() else {
            continue;
        };
        let mut slope = trial_image.clone();
        for _ in 0..order.as_integer().unwrap_or(0).clamp(0, 20) {
            slope = derivative_of(&slope, s, budget)?;
        }
        right = right.replace(&derivative, &slope);
    }
    right = right.replace(&unknown_image, &trial_image);
    for (order, value) in values.iter().enumerate() {
        right = right.replace(&free.at_zero(order), value);
    }
    match compare_values(&left, &right, POINTS, budget)? {
        Comparison::Agree { points } => Ok(TransformCheck {
            how: "with a known function in place of the unknown one both sides agree at random points",
            points,
            digits: 30,
        }),
        _ => failed(),
    }
}
