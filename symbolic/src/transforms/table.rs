//! Images of single functions (F. Oberhettinger and L. Badii, "Tables of Laplace transforms", 1973).

use super::laplace::{ForwardTransform, LaplaceImage, split_power};
use super::region::HalfPlane;
use crate::budget::Outcome;
use crate::calculus::linear_parts;
use crate::tree::walk::{is_known_positive, is_known_real};
use crate::tree::{Expr, MathConstant, MathFunction};

/// The image of a function of `a*t + b`, or of a root of `t`.
pub(super) fn image_of_call(
    expr: &Expr,
    rules: &ForwardTransform<'_>,
) -> Outcome<Option<LaplaceImage>> {
    use MathFunction as F;
    let (t, s) = (rules.t, rules.s);
    let Some((function, [argument])) = expr.as_call() else {
        return Ok(None);
    };
    let of = |function: F, x: Expr| Expr::apply(function, x);
    if let Some((a, b)) = linear_parts(argument, t, rules.budget)? {
        let square = s.powi(2) + a.powi(2);
        let opposite = s.powi(2) - a.powi(2);
        let is_real = is_known_real(&a) && is_known_real(&b);
        return Ok(match function {
            F::Sin | F::Cos if is_real => {
                let (sin, cos) = (of(F::Sin, b.clone()), of(F::Cos, b));
                let top = match function {
                    F::Sin => &a * cos + s * sin,
                    _ => s * cos - a * sin,
                };
                Some(LaplaceImage::above(top / square, Expr::zero()))
            }
            F::Sinh | F::Cosh if is_real => {
                let (sinh, cosh) = (of(F::Sinh, b.clone()), of(F::Cosh, b));
                let top = match function {
                    F::Sinh => &a * cosh + s * sinh,
                    _ => s * cosh + &a * sinh,
                };
                Some(LaplaceImage::above(top / opposite, of(F::Abs, a)))
            }
            F::Ln if b.is_zero() && is_known_positive(&a) => {
                let gamma = Expr::constant(MathConstant::EulerGamma);
                let value = (a.ln() - gamma - s.ln()) / s;
                Some(LaplaceImage::above(value, Expr::zero()))
            }
            F::Erf | F::Erfc if b.is_zero() && is_known_positive(&a) => {
                let two = Expr::integer(2);
                let inside = s / (&two * &a);
                let value = inside.powi(2).exp() * of(F::Erfc, inside) / s;
                Some(match function {
                    F::Erf => LaplaceImage::above(value, Expr::zero()),
                    _ => LaplaceImage {
                        expr: s.recip() - value,
                        region: HalfPlane::default(),
                    },
                })
            }
            F::SinIntegral if b.is_zero() && is_real => {
                Some(LaplaceImage::above(of(F::Atan, a / s) / s, Expr::zero()))
            }
            F::Abs if b.is_zero() && is_real => {
                Some(LaplaceImage::above(of(F::Abs, a) / s.powi(2), Expr::zero()))
            }
            _ => None,
        });
    }
    let (power, rest) = split_power(argument, t);
    if rest.contains(t) {
        return Ok(None);
    }
    let half = Expr::ratio(1, 2);
    Ok(match function {
        F::Erf if power == half && is_known_positive(&rest) => {
            let a = rest.powi(2);
            let value = a.sqrt() / (s * (s + a).sqrt());
            Some(LaplaceImage::above(value, Expr::zero()))
        }
        F::Erf | F::Erfc if power == -&half && is_known_positive(&rest) => {
            let value = (Expr::integer(-2) * rest * s.sqrt()).exp() / s;
            Some(match function {
                F::Erfc => LaplaceImage::above(value, Expr::zero()),
                _ => LaplaceImage::above(s.recip() - value, Expr::zero()),
            })
        }
        _ => None,
    })
}

/// The image of an exponential of what is not linear: `exp(-c*t^2)`, and `t^p*exp(-c/t)` for p = -1/2 and -3/2.
pub(super) fn image_of_exponential(
    exponent: &Expr,
    others: &Expr,
    rules: &ForwardTransform<'_>,
) -> Outcome<Option<LaplaceImage>> {
    let s = rules.s;
    let (power, rest) = split_power(exponent, rules.t);
    let (factor, more) = split_power(others, rules.t);
    let c = -rest;
    if c.contains(rules.t) || !more.is_one() || !is_known_positive(&c) {
        return Ok(None);
    }
    let two = Expr::integer(2);
    if power == two {
        let Some(count) = factor.as_integer().filter(|count| (0..=6).contains(count)) else {
            return Ok(None);
        };
        let inside = s / (&two * c.sqrt());
        let mut expr = (Expr::pi() / c).sqrt() / two
            * inside.powi(2).exp()
            * Expr::apply(MathFunction::Erfc, inside);
        for _ in 0..count {
            expr = -crate::calculus::derivative_of(&expr, s, rules.budget)?;
        }
        return Ok(Some(LaplaceImage {
            expr,
            region: HalfPlane::default(),
        }));
    }
    if power != Expr::integer(-1) {
        return Ok(None);
    }
    let decay = (-two * c.sqrt() * s.sqrt()).exp();
    Ok(if factor == Expr::ratio(-1, 2) {
        Some(LaplaceImage::above(
            Expr::pi().sqrt() * s.pow(&Expr::ratio(-1, 2)) * decay,
            Expr::zero(),
        ))
    } else if factor == Expr::ratio(-3, 2) {
        Some(LaplaceImage::above(
            Expr::pi().sqrt() * c.pow(&Expr::ratio(-1, 2)) * decay,
            Expr::zero(),
        ))
    } else {
        None
    })
}
