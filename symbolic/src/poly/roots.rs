//! Roots of polynomials with rational coefficients: in radicals where they are short, numerically otherwise.

use astro_float_num::BigFloat;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::dense::RationalPoly;
use super::factor::factor_polynomial;
use crate::budget::{Budget, Outcome};
use crate::numeric::complex::{BigArithmetic, ManyDigitComplex, to_double};
use crate::numeric::evaluate::WORKING_BITS;
use crate::tree::integer::exact_root;
use crate::tree::{Expr, MathFunction};

/// A root with its multiplicity: exact, or a number.
#[derive(Debug, Clone)]
pub(crate) struct RootWithMultiplicity {
    pub exact: Option<Expr>,
    pub value: ManyDigitComplex,
    pub is_real: bool,
    pub multiplicity: usize,
}

/// All complex roots. The real ones come first, by size.
pub(crate) fn polynomial_roots(
    poly: &RationalPoly,
    budget: &Budget<'_>,
) -> Outcome<Vec<RootWithMultiplicity>> {
    let mut roots = Vec::new();
    for (factor, multiplicity) in factor_polynomial(poly, budget)?.factors {
        let values = numeric_roots(&factor, budget)?;
        let real_count = count_real_roots(&factor, budget)?;
        let exact = radical_roots(&factor, budget)?;
        let mut found: Vec<RootWithMultiplicity> = values
            .into_iter()
            .map(|value| RootWithMultiplicity {
                exact: None,
                value,
                is_real: false,
                multiplicity,
            })
            .collect();
        // As many roots are real as Sturm's theorem says: those nearest to the real line.
        found.sort_by(|a, b| {
            let size = |root: &RootWithMultiplicity| root.value.to_doubles().1.abs();
            size(a).total_cmp(&size(b))
        });
        for root in found.iter_mut().take(real_count) {
            root.is_real = true;
            root.value.im = BigFloat::from_i64(0, WORKING_BITS);
        }
        if let Some(exact) = exact {
            attach_exact(&mut found, exact, budget)?;
        }
        roots.extend(found);
    }
    // Real roots by their digits; pairs of complex ones beside each other, which share all but the last bits of their real part.
    let shared = |re: f64| f64::from_bits(re.to_bits() & !0xfff);
    roots.sort_by(|a, b| {
        if a.is_real && b.is_real {
            let order = a.value.re.partial_cmp(&b.value.re);
            return order.unwrap_or(std::cmp::Ordering::Equal);
        }
        let key = |root: &RootWithMultiplicity| (!root.is_real, root.value.to_doubles());
        let ((ia, (ra, ma)), (ib, (rb, mb))) = (key(a), key(b));
        ia.cmp(&ib)
            .then(shared(ra).total_cmp(&shared(rb)))
            .then(ma.abs().total_cmp(&mb.abs()))
            .then(mb.total_cmp(&ma))
    });
    Ok(roots)
}

/// Pairs each exact root with the nearest number; where one has none within rounding, no exact root is used.
fn attach_exact(
    found: &mut [RootWithMultiplicity],
    exact: Vec<Expr>,
    budget: &Budget<'_>,
) -> Outcome<()> {
    let mut taken = vec![None; found.len()];
    for root in exact {
        let evaluation = crate::numeric::evaluate::Evaluation::new(
            WORKING_BITS,
            std::collections::BTreeMap::new(),
            budget,
        );
        let Some(mut evaluation) = evaluation else {
            return Ok(());
        };
        let Some(value) = evaluation.value(&root)? else {
            return Ok(());
        };
        // The nearest one: roots may share all digits of a double.
        let math = &evaluation.arithmetic;
        let distance = |place: &usize| math.modulus(&math.sub(&found[*place].value, &value));
        let nearest = (0..found.len())
            .filter(|place| taken[*place].is_none())
            .min_by(|a, b| {
                let order = distance(a).partial_cmp(&distance(b));
                order.unwrap_or(std::cmp::Ordering::Equal)
            });
        let Some(place) = nearest else {
            return Ok(());
        };
        let (gap, size) = (
            to_double(&distance(&place)),
            to_double(&math.modulus(&value)),
        );
        if gap > 1e-9 * size {
            return Ok(());
        }
        taken[place] = Some(root);
    }
    for (root, exact) in found.iter_mut().zip(taken) {
        root.exact = exact;
    }
    Ok(())
}

/// The roots of an irreducible polynomial in radicals, where there is a form.
pub(crate) fn radical_roots(
    poly: &RationalPoly,
    budget: &Budget<'_>,
) -> Outcome<Option<Vec<Expr>>> {
    budget.spend(poly.0.len())?;
    let degree = poly.degree();
    if degree == 0 {
        return Ok(Some(Vec::new()));
    }
    // A polynomial in x^k.
    let step = poly
        .0
        .iter()
        .enumerate()
        .filter(|(_, value)| !value.is_zero())
        .fold(0, |all, (power, _)| gcd_usize(all, power));
    if step > 1 {
        let inner = RationalPoly::new(poly.0.iter().step_by(step).cloned().collect());
        let Some(squares) = radical_roots(&inner, budget)? else {
            return Ok(None);
        };
        let mut roots = Vec::new();
        for square in squares {
            roots.extend(all_roots_of(&square, step)?);
        }
        return Ok(Some(roots));
    }
    Ok(match degree {
        1 => Some(vec![Expr::number(
            -poly.coefficient(0) / poly.coefficient(1),
        )]),
        2 => Some(quadratic_roots(poly)),
        3 => Some(cubic_roots(poly)),
        4 => quartic_roots(poly, budget)?,
        _ => None,
    })
}

fn gcd_usize(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => gcd_usize(b, a % b),
    }
}

/// The numbers whose power is `value`.
fn all_roots_of(value: &Expr, degree: usize) -> Outcome<Vec<Expr>> {
    let exponent = Expr::ratio(1, degree as i64);
    let (principal, is_turned) = match value.is_negative_number() {
        true => ((-value).pow(&exponent), true),
        false => (denest(&value.pow(&exponent)), false),
    };
    if degree == 2 && !is_turned {
        return Ok(vec![principal.clone(), -principal]);
    }
    let roots = (0..degree as i64).map(|k| {
        let turns = match is_turned {
            true => BigRational::new((2 * k + 1).into(), (degree as i64).into()),
            false => BigRational::new((2 * k).into(), (degree as i64).into()),
        };
        let turn = match crate::tree::special_angles::unit_circle(&turns) {
            Some(turn) => turn,
            None => {
                let angle = Expr::number(turns) * Expr::pi();
                Expr::apply(MathFunction::Cos, angle.clone())
                    + Expr::i() * Expr::apply(MathFunction::Sin, angle)
            }
        };
        crate::simplify::expand::distribute(&principal, &turn)
    });
    Ok(roots.collect())
}

/// `sqrt(a + b*sqrt(c))` as a sum of two roots, where one exists.
pub(crate) fn denest(expr: &Expr) -> Expr {
    try_denest(expr).unwrap_or_else(|| expr.clone())
}

fn try_denest(expr: &Expr) -> Option<Expr> {
    let (base, exponent) = expr.base_and_exponent();
    if exponent != Expr::ratio(1, 2) {
        return None;
    }
    let [first, second] = base.terms() else {
        return None;
    };
    let a = first.as_number()?;
    let (b, root) = second.coefficient_and_rest();
    let (radicand, half) = root.base_and_exponent();
    let c = radicand.as_number().filter(|_| half == Expr::ratio(1, 2))?;
    // sqrt(a + b*sqrt(c)) = sqrt(u) + sign(b)*sqrt(v) with u + v = a, 4*u*v = b^2*c.
    let square = a * a - &b * &b * c;
    if square.is_negative() || a.is_negative() {
        return None;
    }
    let root = BigRational::new(
        exact_root(square.numer(), 2)?,
        exact_root(square.denom(), 2)?,
    );
    let two = BigRational::from_integer(2.into());
    let (u, v) = ((a + &root) / &two, (a - &root) / &two);
    let (u, v) = (Expr::number(u).sqrt(), Expr::number(v).sqrt());
    Some(match b.is_negative() {
        true => u - v,
        false => u + v,
    })
}

fn quadratic_roots(poly: &RationalPoly) -> Vec<Expr> {
    let (c, b, a) = (
        poly.coefficient(0),
        poly.coefficient(1),
        poly.coefficient(2),
    );
    let two = BigRational::from_integer(2.into());
    let middle = -&b / (&two * &a);
    let square = &middle * &middle - &c / &a;
    let root = Expr::number(square).sqrt();
    let middle = Expr::number(middle);
    vec![&middle - &root, middle + root]
}

/// Cardano's formula; three real roots by cosines (F. Viète).
fn cubic_roots(poly: &RationalPoly) -> Vec<Expr> {
    let monic = poly.monic();
    let three = BigRational::from_integer(3.into());
    let (c, b, a) = (
        monic.coefficient(0),
        monic.coefficient(1),
        monic.coefficient(2),
    );
    let shift = -&a / &three;
    let p = &b - &a * &a / &three;
    let q = monic.evaluate(&shift);
    let shift_expr = Expr::number(shift);
    let number = |value: BigRational| Expr::number(value);
    let discriminant = &q * &q / BigRational::from_integer(4.into())
        + &p * &p * &p / BigRational::from_integer(27.into());
    let _ = c;
    if discriminant.is_negative() {
        // t = 2*sqrt(-p/3)*cos((acos(3*q/(2*p)*sqrt(-3/p)) - 2*pi*k)/3)
        let size = Expr::integer(2) * number(-&p / &three).sqrt();
        let cosine = number(&three * &q / (BigRational::from_integer(2.into()) * &p))
            * number(-&three / &p).sqrt();
        let angle = Expr::apply(MathFunction::Acos, cosine) / Expr::integer(3);
        return (0..3)
            .map(|k| {
                let turned = &angle - Expr::ratio(2 * k, 3) * Expr::pi();
                &shift_expr + &size * Expr::apply(MathFunction::Cos, turned)
            })
            .collect();
    }
    let half = number(-&q / BigRational::from_integer(2.into()));
    let root = number(discriminant).sqrt();
    let real_root = |value: Expr, sign: i64| {
        // The real cube root: the sign of q/2 +- root is known from doubles.
        match sign < 0 {
            true => -((-value).pow(&Expr::ratio(1, 3))),
            false => value.pow(&Expr::ratio(1, 3)),
        }
    };
    // |root| > |q/2| exactly where p > 0.
    let q_sign = if q.is_negative() { 1 } else { -1 };
    let (plus_sign, minus_sign) = match p.is_positive() {
        true => (1, -1),
        false => (q_sign, q_sign),
    };
    let u = real_root(&half + &root, plus_sign);
    let v = real_root(&half - &root, minus_sign);
    let sum = &u + &v;
    let difference = Expr::i() * Expr::integer(3).sqrt() / Expr::integer(2) * (&u - &v);
    let middle = &shift_expr - &sum / Expr::integer(2);
    vec![shift_expr + sum, &middle + &difference, middle - difference]
}

/// Quartics whose resolvent has a rational root, so that they split into quadratics with one square root (L. Ferrari).
fn quartic_roots(poly: &RationalPoly, budget: &Budget<'_>) -> Outcome<Option<Vec<Expr>>> {
    let monic = poly.monic();
    let four = BigRational::from_integer(4.into());
    let two = BigRational::from_integer(2.into());
    let shift = -monic.coefficient(3) / &four;
    let depressed = compose_shift(&monic, &shift);
    let (r, q, p) = (
        depressed.coefficient(0),
        depressed.coefficient(1),
        depressed.coefficient(2),
    );
    // y^4 + p*y^2 + q*y + r = (y^2 + s*y + t)(y^2 - s*y + u), s^2 a root of z^3 + 2*p*z^2 + (p^2 - 4*r)*z - q^2.
    let resolvent = RationalPoly::new(vec![
        -&q * &q,
        &p * &p - &four * &r,
        &two * &p,
        BigRational::one(),
    ]);
    let factored = factor_polynomial(&resolvent, budget)?;
    let rational = factored
        .factors
        .iter()
        .filter(|(factor, _)| factor.degree() == 1)
        .map(|(factor, _)| -factor.coefficient(0) / factor.coefficient(1))
        .find(|root| !root.is_zero());
    let Some(square) = rational else {
        return Ok(None);
    };
    let s = Expr::number(square.clone()).sqrt();
    let sum = Expr::number(&p + &square);
    let quotient = Expr::number(q) / &s;
    let half = Expr::ratio(1, 2);
    let (t, u) = ((&sum - &quotient) * &half, (&sum + &quotient) * &half);
    let shift = Expr::number(shift);
    let mut roots = Vec::new();
    for (linear, constant) in [(s.clone(), t), (-s, u)] {
        let middle = -&linear * &half;
        let square = crate::simplify::expand::expand(&(middle.powi(2) - constant), budget)?;
        let root = denest(&square.sqrt());
        roots.push(&shift + &middle - &root);
        roots.push(&shift + middle + root);
    }
    Ok(Some(roots))
}

/// `p(x + shift)`.
fn compose_shift(poly: &RationalPoly, shift: &BigRational) -> RationalPoly {
    let line = RationalPoly::new(vec![shift.clone(), BigRational::one()]);
    poly.0
        .iter()
        .rev()
        .fold(RationalPoly::zero(), |total, value| {
            total.mul(&line).add(&RationalPoly::constant(value.clone()))
        })
}

/// The number of different real roots of a square-free polynomial, by Sturm's theorem.
pub(crate) fn count_real_roots(poly: &RationalPoly, budget: &Budget<'_>) -> Outcome<usize> {
    let mut chain = vec![poly.clone(), poly.derivative()];
    while chain.last().is_some_and(|last| last.degree() > 0) {
        let count = chain.len();
        budget.spend(poly.0.len() * poly.0.len())?;
        let (content, rest) = chain[count - 2].div_rem(&chain[count - 1]).1.primitive();
        if rest.is_zero() {
            break;
        }
        // The sign of the remainder is turned; the content is positive but for the sign of the leading coefficient.
        chain.push(match content.is_negative() {
            true => rest,
            false => rest.scale(&-BigRational::one()),
        });
    }
    let changes = |is_left: bool| {
        let signs: Vec<bool> = chain
            .iter()
            .filter(|poly| !poly.is_zero())
            .map(|poly| poly.leading().is_negative() != (is_left && poly.degree() % 2 == 1))
            .collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    };
    Ok(changes(true).saturating_sub(changes(false)))
}

/// All complex roots of a square-free polynomial as numbers (O. Aberth, Math. Comp. 27, 1973).
pub(crate) fn numeric_roots(
    poly: &RationalPoly,
    budget: &Budget<'_>,
) -> Outcome<Vec<ManyDigitComplex>> {
    let degree = poly.degree();
    let Some(mut math) = BigArithmetic::new(WORKING_BITS) else {
        return Ok(Vec::new());
    };
    let monic = poly.monic();
    let coefficients: Vec<BigFloat> = monic.0.iter().map(|value| math.fraction(value)).collect();
    let radius = monic
        .0
        .iter()
        .take(degree)
        .enumerate()
        .map(|(power, value)| {
            let size = num_traits::ToPrimitive::to_f64(&value.abs()).unwrap_or(1.0);
            2.0 * size.powf(1.0 / (degree - power) as f64)
        })
        .fold(0.0, f64::max);
    let mut roots: Vec<ManyDigitComplex> = (0..degree)
        .map(|k| {
            let angle = std::f64::consts::TAU * (k as f64 + 0.35) / degree as f64 + 0.4;
            let size = radius * (0.5 + 0.3 * (k as f64 / degree as f64));
            ManyDigitComplex {
                re: BigFloat::from_f64(size * angle.cos(), math.bits),
                im: BigFloat::from_f64(size * angle.sin(), math.bits),
            }
        })
        .collect();
    for _ in 0..200 {
        budget.spend(degree * degree + 1)?;
        let mut largest = i64::MIN;
        for k in 0..degree {
            let (value, slope) = horner(&math, &coefficients, &roots[k]);
            let mut sum = math.small(0);
            for other in (0..degree).filter(|&other| other != k) {
                let gap = math.sub(&roots[k], &roots[other]);
                sum = math.add(&sum, &math.div(&math.small(1), &gap));
            }
            let newton = math.div(&value, &slope);
            let step = math.div(&newton, &math.sub(&math.small(1), &math.mul(&newton, &sum)));
            if !step.is_finite() {
                continue;
            }
            roots[k] = math.sub(&roots[k], &step);
            let change = math.modulus(&step);
            let size = math.modulus(&roots[k]);
            let relative = match (change.is_zero(), change.exponent(), size.exponent()) {
                (true, _, _) => i64::MIN,
                (_, Some(change), Some(size)) => i64::from(change) - i64::from(size),
                _ => 0,
            };
            largest = largest.max(relative);
        }
        if largest < -(math.bits as i64) + 60 {
            break;
        }
    }
    let _ = math.pi();
    Ok(roots)
}

fn horner(
    math: &BigArithmetic,
    coefficients: &[BigFloat],
    x: &ManyDigitComplex,
) -> (ManyDigitComplex, ManyDigitComplex) {
    let mut value = math.small(0);
    let mut slope = math.small(0);
    for coefficient in coefficients.iter().rev() {
        slope = math.add(&math.mul(&slope, x), &value);
        value = math.mul(&value, x);
        value.re = math.fadd(&value.re, coefficient);
    }
    (value, slope)
}
