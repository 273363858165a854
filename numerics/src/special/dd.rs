//! Double-double arithmetic: sums of two doubles with about 106 significant bits.
//!
//! Used by the special functions where doubles would cancel: near zeros and poles, and for exponents of a few hundred. The
//! operations are those of T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18,
//! 1971, and of Y. Hida, X. S. Li and D. H. Bailey, "Algorithms for quad-double precision floating point arithmetic", 2001,
//! with the fused multiply-add. Elementary functions have a relative error below about 1e-30.

use std::f64::consts;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::exact;
use crate::vector::reduction::reduce_large;

/// An unevaluated sum `hi + lo` with `|lo|` at most half a unit in the last place of `hi`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DoubleDouble {
    pub(super) hi: f64,
    pub(super) lo: f64,
}

pub(super) const PI: DoubleDouble = DoubleDouble::new(consts::PI, 1.2246467991473532e-16);
pub(super) const FRAC_PI_2: DoubleDouble =
    DoubleDouble::new(consts::FRAC_PI_2, 6.123233995736766e-17);
pub(super) const LN_2: DoubleDouble = DoubleDouble::new(consts::LN_2, 2.3190468138462996e-17);
pub(super) const EULER: DoubleDouble =
    DoubleDouble::new(0.5772156649015329, -4.942915152430645e-18);
pub(super) const LN_PI: DoubleDouble =
    DoubleDouble::new(1.1447298858494002, 1.0265951162707826e-17);
pub(super) const HALF_LN_TAU: DoubleDouble =
    DoubleDouble::new(0.9189385332046728, -3.8782941580672414e-17);
const PIO2: [f64; 4] = [
    consts::FRAC_PI_2,
    6.123233995736766e-17,
    -1.4973849048591698e-33,
    5.562271104316826e-50,
];
const INVERSE_FACTORIALS: [DoubleDouble; 28] = [
    DoubleDouble::new(1.0, 0.0),
    DoubleDouble::new(1.0, 0.0),
    DoubleDouble::new(0.5, 0.0),
    DoubleDouble::new(0.16666666666666666, 9.25185853854297e-18),
    DoubleDouble::new(0.041666666666666664, 2.3129646346357427e-18),
    DoubleDouble::new(0.008333333333333333, 1.1564823173178714e-19),
    DoubleDouble::new(0.001388888888888889, -5.300543954373577e-20),
    DoubleDouble::new(0.0001984126984126984, 1.7209558293420705e-22),
    DoubleDouble::new(2.48015873015873e-05, 2.1511947866775882e-23),
    DoubleDouble::new(2.7557319223985893e-06, -1.858393274046472e-22),
    DoubleDouble::new(2.755731922398589e-07, 2.3767714622250297e-23),
    DoubleDouble::new(2.505210838544172e-08, -1.448814070935912e-24),
    DoubleDouble::new(2.08767569878681e-09, -1.20734505911326e-25),
    DoubleDouble::new(1.6059043836821613e-10, 1.2585294588752098e-26),
    DoubleDouble::new(1.1470745597729725e-11, 2.0655512752830745e-28),
    DoubleDouble::new(7.647163731819816e-13, 7.03872877733453e-30),
    DoubleDouble::new(4.779477332387385e-14, 4.399205485834081e-31),
    DoubleDouble::new(2.8114572543455206e-15, 1.6508842730861433e-31),
    DoubleDouble::new(1.5619206968586225e-16, 1.1910679660273754e-32),
    DoubleDouble::new(8.22063524662433e-18, 2.2141894119604265e-34),
    DoubleDouble::new(4.110317623312165e-19, 1.4412973378659527e-36),
    DoubleDouble::new(1.9572941063391263e-20, -1.3643503830087908e-36),
    DoubleDouble::new(8.896791392450574e-22, -7.911402614872376e-38),
    DoubleDouble::new(3.868170170630684e-23, -8.843177655482344e-40),
    DoubleDouble::new(1.6117375710961184e-24, -3.6846573564509766e-41),
    DoubleDouble::new(6.446950284384474e-26, -1.9330404233703465e-42),
    DoubleDouble::new(2.4795962632247976e-27, -1.2953730964765229e-43),
    DoubleDouble::new(9.183689863795546e-29, 1.4303150396787322e-45),
];

/// Taylor's coefficients in the negative square.
const COSINE: [DoubleDouble; 14] = every_second(0);
const SINE: [DoubleDouble; 14] = every_second(1);

const fn every_second(first: usize) -> [DoubleDouble; 14] {
    let mut chosen = [DoubleDouble::new(0.0, 0.0); 14];
    let mut k = 0;
    while k < 14 {
        chosen[k] = INVERSE_FACTORIALS[2 * k + first];
        k += 1;
    }
    chosen
}

impl From<f64> for DoubleDouble {
    fn from(hi: f64) -> Self {
        Self { hi, lo: 0.0 }
    }
}

impl From<(f64, f64)> for DoubleDouble {
    fn from((hi, lo): (f64, f64)) -> Self {
        Self { hi, lo }
    }
}

impl DoubleDouble {
    pub(super) const fn new(hi: f64, lo: f64) -> Self {
        Self { hi, lo }
    }

    /// The exact sum of two doubles.
    pub(super) fn sum(a: f64, b: f64) -> Self {
        exact::two_sum(a, b).into()
    }

    /// The exact sum when `|a| >= |b|`.
    fn quick_sum(a: f64, b: f64) -> Self {
        exact::quick_two_sum(a, b).into()
    }

    /// The exact product of two doubles, barring underflow.
    pub(super) fn product(a: f64, b: f64) -> Self {
        /// Beyond, splitting would overflow.
        const SPLIT_MAX: f64 = 1e299;
        if a.abs() > SPLIT_MAX || b.abs() > SPLIT_MAX {
            exact::fused_product(a, b).into()
        } else {
            exact::two_product(a, b).into()
        }
    }

    /// The quotient of two doubles.
    pub(super) fn quotient(a: f64, b: f64) -> Self {
        let hi = a / b;
        let product = Self::product(hi, b);
        Self::quick_sum(hi, ((a - product.hi) - product.lo) / b)
    }

    /// The nearest double.
    pub(super) fn round(self) -> f64 {
        self.hi + self.lo
    }

    pub(super) fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }

    /// Times a power of two.
    pub(super) fn scale(self, exponent: i32) -> Self {
        Self {
            hi: libm::scalbn(self.hi, exponent),
            lo: libm::scalbn(self.lo, exponent),
        }
    }

    pub(super) fn sqrt(self) -> Self {
        if self.hi <= 0.0 {
            return Self::from(self.hi.sqrt());
        }
        let root = self.hi.sqrt();
        let rest = self - Self::product(root, root);
        Self::quick_sum(root, rest.hi / (2.0 * root))
    }

    /// The polynomial with these coefficients, lowest first; those from `exact` on only count as doubles.
    pub(super) fn polynomial(self, coefficients: &[Self], exact: usize) -> Self {
        let (low, high) = coefficients.split_at(exact.min(coefficients.len()));
        let tail = high
            .iter()
            .rev()
            .fold(0.0, |value, c| value * self.hi + c.hi);
        low.iter()
            .rev()
            .fold(Self::from(tail), |value, &coefficient| {
                value * self + coefficient
            })
    }

    /// `e` to this power as a factor near 1 and a power of two; for magnitudes up to 10^6.
    pub(super) fn exp_scaled(self) -> (Self, i32) {
        let exponent = (self.hi / LN_2.hi).round_ties_even();
        let rest = self - LN_2 * Self::from(exponent);
        (rest.exp_small(), exponent as i32)
    }

    /// `e` to this power.
    pub(super) fn exp(self) -> Self {
        if self.hi > 710.0 {
            return Self::from(f64::INFINITY);
        }
        if self.hi < -746.0 {
            return Self::from(0.0);
        }
        let (factor, exponent) = self.exp_scaled();
        factor.scale(exponent)
    }

    /// The double nearest to `e` to this power, rounded once also where it is subnormal.
    pub(super) fn exp_round(self) -> f64 {
        if self.hi > 710.0 {
            return f64::INFINITY;
        }
        if self.hi < -746.0 {
            return 0.0;
        }
        let (factor, exponent) = self.exp_scaled();
        libm::scalbn(factor.round(), exponent)
    }

    /// The exponential of a magnitude below 1: Taylor's series of a 64th, squared six times as `exp(x) - 1`.
    fn exp_small(self) -> Self {
        const HALVINGS: i32 = 6;
        const TERMS: usize = 14;
        let part = self.scale(-HALVINGS);
        let mut less_one = part * part.polynomial(&INVERSE_FACTORIALS[1..TERMS], 7);
        for _ in 0..HALVINGS {
            less_one = less_one * less_one + less_one.scale(1);
        }
        less_one + Self::from(1.0)
    }

    /// The natural logarithm of a positive number.
    ///
    /// Near 1 the series of the inverse hyperbolic tangent keeps the relative error small; elsewhere one Newton step from the
    /// logarithm in doubles.
    pub(super) fn ln(self) -> Self {
        if (self.hi - 1.0).abs() < 0.1 {
            return (self - Self::from(1.0)).ln_1p();
        }
        let exponent = libm::ilogb(self.hi);
        let mantissa = self.scale(-exponent);
        let first = libm::log(mantissa.hi);
        let rest = mantissa * Self::from(-first).exp_small() - Self::from(1.0);
        let correction = rest - (rest * rest).scale(-1);
        LN_2 * Self::from(f64::from(exponent)) + (Self::from(first) + correction)
    }

    /// `ln(1 + x)` with a small relative error also near zero.
    pub(super) fn ln_1p(self) -> Self {
        if self.hi.abs() > 0.12 {
            return (self + Self::from(1.0)).ln();
        }
        let s = self / (self + Self::from(2.0));
        let square = s * s;
        let mut power = s;
        let mut sum = s;
        let mut k = 3.0;
        while power.hi.abs() > 1e-34 * sum.hi.abs() {
            power = power * square;
            sum = sum + power / Self::from(k);
            k += 2.0;
        }
        sum.scale(1)
    }

    /// Sine and cosine of a magnitude up to pi/4.
    fn sin_cos_small(self) -> (Self, Self) {
        let square = -(self * self);
        let cosine = square.polynomial(&COSINE, 9);
        let sine = square.polynomial(&SINE, 9);
        (sine * self, cosine)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.hi, other.hi);
        let low = Self::sum(self.lo, other.lo);
        let first = Self::quick_sum(high.hi, high.lo + low.hi);
        Self::quick_sum(first.hi, first.lo + low.lo)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.hi, other.hi);
        let cross = self.hi * other.lo + self.lo * other.hi;
        Self::quick_sum(product.hi, product.lo + cross)
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * Self::from(first);
        Self::quick_sum(first, rest.hi / other.hi)
    }
}

/// Sine and cosine of a double, of any size.
pub(super) fn sin_cos(x: f64) -> (DoubleDouble, DoubleDouble) {
    let (quadrant, rest) = reduce_argument(x);
    rotate_quadrant(quadrant, rest.sin_cos_small())
}

/// Sine and cosine of `pi x`; whole and half numbers are exact.
pub(super) fn sin_cos_pi(x: f64) -> (DoubleDouble, DoubleDouble) {
    let reduced = x % 2.0;
    let quarter = (2.0 * reduced).round_ties_even();
    let rest = DoubleDouble::from(reduced - 0.5 * quarter) * PI;
    rotate_quadrant((quarter as i32).rem_euclid(4), rest.sin_cos_small())
}

fn rotate_quadrant(
    quadrant: i32,
    (sine, cosine): (DoubleDouble, DoubleDouble),
) -> (DoubleDouble, DoubleDouble) {
    match quadrant {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// `x = quadrant pi/2 + rest` with the quadrant modulo 4 and `|rest|` at most about pi/4.
fn reduce_argument(x: f64) -> (i32, DoubleDouble) {
    const DIRECT_MAX: f64 = 4_294_967_296.0;
    if x.abs() >= DIRECT_MAX {
        let (rest, quadrant) = reduce_large(x);
        return (quadrant as i32, rest.into());
    }
    let quadrant = (x / FRAC_PI_2.hi).round_ties_even();
    let rest = PIO2.iter().fold(DoubleDouble::from(x), |rest, &part| {
        rest - DoubleDouble::product(quadrant, part)
    });
    ((quadrant as i64).rem_euclid(4) as i32, rest)
}
