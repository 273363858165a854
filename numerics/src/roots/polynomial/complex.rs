//! Complex numbers: of doubles, for corrections, and of many bits, for values.

use astro_float_num::{BigFloat, RoundingMode};

const NEAREST: RoundingMode = RoundingMode::ToEven;
/// Bits of a magnitude that is only a bound.
pub(super) const COARSE: usize = 64;

/// A pair of doubles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ComplexDouble {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl ComplexDouble {
    pub(super) const fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    pub(super) fn abs(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::new(self.re + other.re, self.im + other.im)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self::new(self.re - other.re, self.im - other.im)
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self::new(
            self.re * other.re - self.im * other.im,
            self.re * other.im + self.im * other.re,
        )
    }

    /// The quotient, scaled so that it overflows only where the result does.
    pub(super) fn over(self, other: Self) -> Self {
        if other.re.abs() >= other.im.abs() {
            let ratio = other.im / other.re;
            let divisor = other.re + other.im * ratio;
            Self::new(
                (self.re + self.im * ratio) / divisor,
                (self.im - self.re * ratio) / divisor,
            )
        } else {
            let ratio = other.re / other.im;
            let divisor = other.re * ratio + other.im;
            Self::new(
                (self.re * ratio + self.im) / divisor,
                (self.im * ratio - self.re) / divisor,
            )
        }
    }

    pub(super) fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

/// A number as a double in [1/2, 1) in magnitude and a power of two.
pub(super) fn split_exponent(x: &BigFloat) -> (f64, i64) {
    match (x.exponent(), x.mantissa_digits()) {
        (Some(exponent), Some(words)) if !x.is_zero() => {
            let low = words.len().checked_sub(2).map_or(0, |at| words[at]);
            let top = words.last().copied().unwrap_or(0);
            let size = (top as f64 + low as f64 * 2f64.powi(-64)) * 2f64.powi(-64);
            let signed = if x.is_negative() { -size } else { size };
            (signed, i64::from(exponent))
        }
        _ => (0.0, 0),
    }
}

/// Times a power of two, rounded once; what is too large is infinite.
pub(super) fn join_exponent(mantissa: f64, exponent: i64) -> f64 {
    libm::scalbn(mantissa, exponent.clamp(-5000, 5000) as i32)
}

/// A complex number of many bits.
#[derive(Debug, Clone)]
pub(super) struct BigComplex {
    pub(super) re: BigFloat,
    pub(super) im: BigFloat,
}

impl BigComplex {
    pub(super) fn new(re: f64, im: f64) -> Self {
        Self {
            re: BigFloat::from_f64(re, COARSE),
            im: BigFloat::from_f64(im, COARSE),
        }
    }

    /// A complex number of doubles times a power of two.
    pub(super) fn scaled(z: ComplexDouble, exponent: i64) -> Self {
        let part = |value: f64| {
            let mut big = BigFloat::from_f64(value, COARSE);
            if let Some(own) = big.exponent().filter(|_| !big.is_zero()) {
                big.set_exponent((i64::from(own) + exponent).clamp(-(1 << 30), 1 << 30) as i32);
            }
            big
        };
        Self {
            re: part(z.re),
            im: part(z.im),
        }
    }

    pub(super) fn plus(&self, other: &Self, bits: usize) -> Self {
        Self {
            re: self.re.add(&other.re, bits, NEAREST),
            im: self.im.add(&other.im, bits, NEAREST),
        }
    }

    pub(super) fn minus(&self, other: &Self, bits: usize) -> Self {
        Self {
            re: self.re.sub(&other.re, bits, NEAREST),
            im: self.im.sub(&other.im, bits, NEAREST),
        }
    }

    pub(super) fn times(&self, other: &Self, bits: usize) -> Self {
        let product = |a: &BigFloat, b: &BigFloat| a.mul(b, bits, NEAREST);
        let (a, b) = (product(&self.re, &other.re), product(&self.im, &other.im));
        let (c, d) = (product(&self.re, &other.im), product(&self.im, &other.re));
        Self {
            re: a.sub(&b, bits, NEAREST),
            im: c.add(&d, bits, NEAREST),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.re.is_zero() && self.im.is_zero()
    }

    /// As doubles and a power of two.
    pub(super) fn split(&self) -> (ComplexDouble, i64) {
        let ((re, p), (im, q)) = (split_exponent(&self.re), split_exponent(&self.im));
        let exponent = match (re == 0.0, im == 0.0) {
            (true, true) => return (ComplexDouble::new(0.0, 0.0), 0),
            (true, false) => q,
            (false, true) => p,
            _ => p.max(q),
        };
        let parts = ComplexDouble::new(
            join_exponent(re, p - exponent),
            join_exponent(im, q - exponent),
        );
        (parts, exponent)
    }

    /// The binary logarithm of the magnitude, to about 1e-15 of itself; minus infinity for zero.
    pub(super) fn log2(&self) -> f64 {
        let (z, exponent) = self.split();
        libm::log2(z.abs()) + exponent as f64
    }

    /// The nearest doubles.
    pub(super) fn round(&self) -> ComplexDouble {
        let ((re, p), (im, q)) = (split_exponent(&self.re), split_exponent(&self.im));
        ComplexDouble::new(join_exponent(re, p), join_exponent(im, q))
    }

    /// An upper bound of the magnitude, as a coarse number.
    pub(super) fn size(&self) -> BigFloat {
        let sum = self.re.abs().add(&self.im.abs(), COARSE, RoundingMode::Up);
        // Exact where one part is zero, at most a factor of the root of two too large else.
        sum.abs()
    }
}

/// The sum `a + b c` of coarse numbers that are not negative, rounded up.
pub(super) fn add_product(a: &BigFloat, b: &BigFloat, c: &BigFloat) -> BigFloat {
    let product = b.mul(c, COARSE, RoundingMode::Up);
    product.add(a, COARSE, RoundingMode::Up)
}

/// The binary logarithm of a number that is not negative.
pub(super) fn log2_of(x: &BigFloat) -> f64 {
    let (mantissa, exponent) = split_exponent(x);
    libm::log2(mantissa) + exponent as f64
}
