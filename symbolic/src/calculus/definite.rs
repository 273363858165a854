//! Definite integrals: by the antiderivative, where nothing is singular between the limits, and compared with a quadrature.

use crate::budget::{Budget, Outcome, refuse};
use crate::calculus::integrate::integral_of;
use crate::calculus::limit::{LimitSide, limit_of};
use crate::numeric::compare::real_double;
use crate::numeric::double::double_value;
use crate::tree::Expr;

/// A definite integral and the quadrature that it was compared with.
#[derive(Debug, Clone)]
pub struct DefiniteIntegral {
    /// The exact value.
    pub value: Expr,
    /// The antiderivative.
    pub antiderivative: Expr,
    /// The value by quadrature; none where parameters remain.
    pub quadrature: Option<f64>,
    /// Points at which the derivative of the antiderivative is the integrand.
    pub points: usize,
}

/// How near a quadrature must be.
const AGREEMENT: f64 = 1e-6;

/// The integral between two limits, which may be infinite.
pub fn integrate_between(
    expr: &Expr,
    x: &Expr,
    low: &Expr,
    high: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<DefiniteIntegral>> {
    match integral_of(expr, x, budget)? {
        Some(found) => definite_from(found, expr, x, (low, high), budget).map(Some),
        None => Ok(None),
    }
}

/// The integral between two limits by an antiderivative and the points at which that was checked.
pub(crate) fn definite_from(
    (antiderivative, points): (Expr, usize),
    expr: &Expr,
    x: &Expr,
    (low, high): (&Expr, &Expr),
    budget: &Budget<'_>,
) -> Outcome<DefiniteIntegral> {
    let is_numeric = expr
        .symbols()
        .iter()
        .all(|symbol| x.as_symbol() == Some(symbol))
        && low.symbols().is_empty()
        && high.symbols().is_empty();
    if !is_numeric {
        let has_poles = !crate::simplify::conditions::denominator_factors(expr, budget)?.is_empty();
        let has_infinite_end = low.is_infinite() || high.is_infinite();
        if has_poles
            || has_infinite_end
            || antiderivative
                .any(&|part| matches!(part.as_call(), Some((crate::tree::MathFunction::Tan, _))))
        {
            return refuse(
                "with symbols in the integrand or the limits it is not known whether a singularity lies between: give numbers, or take the antiderivative",
            );
        }
        let value = antiderivative.replace(x, high) - antiderivative.replace(x, low);
        let value = crate::simplify::forms::simplify(&budget.admit(value)?, budget)?;
        return Ok(DefiniteIntegral {
            value,
            antiderivative,
            quadrature: None,
            points,
        });
    }
    let at = |point: &Expr, side: LimitSide| -> Outcome<Expr> {
        let direct = antiderivative.replace(x, point);
        match (point.is_infinite(), direct.poison()) {
            (false, None) => Ok(direct),
            _ => limit_of(&antiderivative, x, point, side, budget),
        }
    };
    let ends = (double_value(low, x, 0.0), double_value(high, x, 0.0));
    let (upper_side, lower_side) = match ends.0 <= ends.1 {
        true => (LimitSide::Left, LimitSide::Right),
        false => (LimitSide::Right, LimitSide::Left),
    };
    let (Ok(upper), Ok(lower)) = (at(high, upper_side), at(low, lower_side)) else {
        return refuse("the antiderivative has no limit at an end of the interval");
    };
    let value = upper - lower;
    if value.poison().is_some() || value.is_infinite() {
        return refuse("the integral diverges or is not determined by its antiderivative");
    }
    let value = crate::simplify::forms::simplify(&value, &budget.share(500_000)).unwrap_or(value);
    let quadrature = tanh_sinh(&|at| double_value(expr, x, at), ends.0, ends.1);
    let Some(number) = real_double(&value, budget)? else {
        return refuse("the value of the antiderivative at the limits is not real");
    };
    let Some(quadrature) = quadrature else {
        return refuse(
            "the integrand has a singularity between the limits, or its quadrature does not settle",
        );
    };
    // The scale is the largest of both: an answer that jumps over a pole is far off.
    let scale = number
        .abs()
        .max(quadrature.value.abs())
        .max(quadrature.size * 1e-3);
    if (number - quadrature.value).abs() > AGREEMENT * scale {
        return refuse(format!(
            "the antiderivative gives {number}, a quadrature {}: there is a jump between the limits, or the integral diverges",
            quadrature.value
        ));
    }
    Ok(DefiniteIntegral {
        value,
        antiderivative,
        quadrature: Some(quadrature.value),
        points,
    })
}

/// The value of a quadrature and the integral of the absolute value.
pub(crate) struct QuadratureValue {
    pub value: f64,
    pub size: f64,
}

/// Double exponential quadrature (H. Takahasi and M. Mori, Publ. RIMS 9, 1974), halving the step until two values agree.
pub(crate) fn tanh_sinh(
    integrand: &dyn Fn(f64) -> f64,
    low: f64,
    high: f64,
) -> Option<QuadratureValue> {
    if low == high {
        return Some(QuadratureValue {
            value: 0.0,
            size: 0.0,
        });
    }
    if low > high {
        return tanh_sinh(integrand, high, low).map(|found| QuadratureValue {
            value: -found.value,
            size: found.size,
        });
    }
    let place = |t: f64| -> (f64, f64) {
        let inner = std::f64::consts::FRAC_PI_2 * t.sinh();
        let speed = std::f64::consts::FRAC_PI_2 * t.cosh();
        match (low.is_finite(), high.is_finite()) {
            (true, true) => {
                let half = (high - low) / 2.0;
                // The distance from the nearer end keeps its digits.
                let gap = half * 2.0 / (1.0 + (2.0 * inner.abs()).exp());
                let at = if inner < 0.0 { low + gap } else { high - gap };
                (at, half * speed / inner.cosh().powi(2))
            }
            (true, false) => (low + inner.exp(), speed * inner.exp()),
            (false, true) => (high - inner.exp(), speed * inner.exp()),
            (false, false) => (inner.sinh(), speed * inner.cosh()),
        }
    };
    let mut previous: Option<f64> = None;
    for level in 0..9 {
        let step = 0.5f64.powi(level + 1);
        let (mut total, mut size) = (0.0, 0.0);
        let count = (4.0 / step) as i64;
        for k in -count..=count {
            let (at, weight) = place(k as f64 * step);
            if !at.is_finite() || weight.is_nan() || weight <= 0.0 || at <= low || at >= high {
                continue;
            }
            let value = integrand(at) * weight * step;
            if value.is_nan() {
                // Underflow of both parts far out is no singularity.
                let is_far = at.abs() > 1e3 || weight < 1e-30;
                if is_far {
                    continue;
                }
                return None;
            }
            if value.is_infinite() {
                return None;
            }
            total += value;
            size += value.abs();
        }
        if let Some(before) = previous
            && level > 2
            && (total - before).abs() <= 1e-8 * size.max(f64::MIN_POSITIVE)
        {
            return Some(QuadratureValue { value: total, size });
        }
        previous = Some(total);
    }
    None
}
