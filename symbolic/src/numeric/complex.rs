//! Complex numbers of many digits and their elementary functions, on the principal branches. What is real stays exactly real.

use astro_float_num::{BigFloat, Consts, RoundingMode, Sign};
use num_bigint::BigInt;
use num_rational::BigRational;

const ROUND: RoundingMode = RoundingMode::ToEven;

/// A complex number.
#[derive(Debug, Clone)]
pub(crate) struct ManyDigitComplex {
    pub re: BigFloat,
    pub im: BigFloat,
}

/// Arithmetic of a precision in bits.
pub(crate) struct BigArithmetic {
    pub bits: usize,
    consts: Consts,
}

impl BigArithmetic {
    /// Arithmetic with a mantissa of so many bits.
    pub(crate) fn new(bits: usize) -> Option<Self> {
        Some(Self {
            bits,
            consts: Consts::new().ok()?,
        })
    }

    pub(crate) fn real(&self, value: i64) -> BigFloat {
        BigFloat::from_i64(value, self.bits)
    }

    pub(crate) fn complex(&self, re: BigFloat) -> ManyDigitComplex {
        ManyDigitComplex {
            re,
            im: BigFloat::from_i64(0, self.bits),
        }
    }

    pub(crate) fn small(&self, value: i64) -> ManyDigitComplex {
        self.complex(self.real(value))
    }

    pub(crate) fn pi(&mut self) -> BigFloat {
        self.consts.pi(self.bits, ROUND)
    }

    pub(crate) fn whole(&self, value: &BigInt) -> BigFloat {
        let (sign, digits) = value.to_u64_digits().into_sign_digits();
        let mut total = BigFloat::from_i64(0, self.bits);
        let base = BigFloat::from_u128(1u128 << 64, self.bits);
        for digit in digits.iter().rev() {
            total = total.mul(&base, self.bits, ROUND).add(
                &BigFloat::from_u64(*digit, self.bits),
                self.bits,
                ROUND,
            );
        }
        if sign {
            total.inv_sign();
        }
        total
    }

    pub(crate) fn fraction(&self, value: &BigRational) -> BigFloat {
        self.fdiv(&self.whole(value.numer()), &self.whole(value.denom()))
    }

    pub(crate) fn fadd(&self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.add(b, self.bits, ROUND)
    }

    pub(crate) fn fsub(&self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.sub(b, self.bits, ROUND)
    }

    pub(crate) fn fmul(&self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.mul(b, self.bits, ROUND)
    }

    pub(crate) fn fdiv(&self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        a.div(b, self.bits, ROUND)
    }

    pub(crate) fn fsqrt(&self, a: &BigFloat) -> BigFloat {
        a.sqrt(self.bits, ROUND)
    }

    pub(crate) fn fexp(&mut self, a: &BigFloat) -> BigFloat {
        a.exp(self.bits, ROUND, &mut self.consts)
    }

    pub(crate) fn fln(&mut self, a: &BigFloat) -> BigFloat {
        a.ln(self.bits, ROUND, &mut self.consts)
    }

    pub(crate) fn fsin(&mut self, a: &BigFloat) -> BigFloat {
        a.sin(self.bits, ROUND, &mut self.consts)
    }

    pub(crate) fn fcos(&mut self, a: &BigFloat) -> BigFloat {
        a.cos(self.bits, ROUND, &mut self.consts)
    }

    /// Hyperbolic sine and cosine.
    fn sinh_cosh(&mut self, a: &BigFloat) -> (BigFloat, BigFloat) {
        let sinh = a.sinh(self.bits, ROUND, &mut self.consts);
        let cosh = a.cosh(self.bits, ROUND, &mut self.consts);
        (sinh, cosh)
    }

    pub(crate) fn add(&self, a: &ManyDigitComplex, b: &ManyDigitComplex) -> ManyDigitComplex {
        ManyDigitComplex {
            re: self.fadd(&a.re, &b.re),
            im: self.fadd(&a.im, &b.im),
        }
    }

    pub(crate) fn sub(&self, a: &ManyDigitComplex, b: &ManyDigitComplex) -> ManyDigitComplex {
        ManyDigitComplex {
            re: self.fsub(&a.re, &b.re),
            im: self.fsub(&a.im, &b.im),
        }
    }

    pub(crate) fn mul(&self, a: &ManyDigitComplex, b: &ManyDigitComplex) -> ManyDigitComplex {
        if a.im.is_zero() && b.im.is_zero() {
            return self.complex(self.fmul(&a.re, &b.re));
        }
        ManyDigitComplex {
            re: self.fsub(&self.fmul(&a.re, &b.re), &self.fmul(&a.im, &b.im)),
            im: self.fadd(&self.fmul(&a.re, &b.im), &self.fmul(&a.im, &b.re)),
        }
    }

    pub(crate) fn div(&self, a: &ManyDigitComplex, b: &ManyDigitComplex) -> ManyDigitComplex {
        if b.im.is_zero() {
            let im = match a.im.is_zero() {
                true => self.real(0),
                false => self.fdiv(&a.im, &b.re),
            };
            return ManyDigitComplex {
                re: self.fdiv(&a.re, &b.re),
                im,
            };
        }
        let size = self.fadd(&self.fmul(&b.re, &b.re), &self.fmul(&b.im, &b.im));
        let conjugate = ManyDigitComplex {
            re: b.re.clone(),
            im: b.im.neg(),
        };
        let top = self.mul(a, &conjugate);
        ManyDigitComplex {
            re: self.fdiv(&top.re, &size),
            im: self.fdiv(&top.im, &size),
        }
    }

    pub(crate) fn neg(&self, a: &ManyDigitComplex) -> ManyDigitComplex {
        let im = match a.im.is_zero() {
            true => self.real(0),
            false => a.im.neg(),
        };
        ManyDigitComplex { re: a.re.neg(), im }
    }

    /// The absolute value.
    pub(crate) fn modulus(&self, a: &ManyDigitComplex) -> BigFloat {
        if a.im.is_zero() {
            return a.re.abs();
        }
        self.fsqrt(&self.fadd(&self.fmul(&a.re, &a.re), &self.fmul(&a.im, &a.im)))
    }

    /// The angle between -pi (not included) and pi.
    fn angle(&mut self, a: &ManyDigitComplex) -> BigFloat {
        let is_left = a.re.sign() == Some(Sign::Neg) && !a.re.is_zero();
        if a.im.is_zero() {
            return match is_left {
                true => self.pi(),
                false => self.real(0),
            };
        }
        let pi = self.pi();
        let half = self.fdiv(&pi, &self.real(2));
        let is_below = a.im.sign() == Some(Sign::Neg);
        if a.re.abs_cmp(&a.im).is_some_and(|order| order < 0) {
            let turn = self
                .fdiv(&a.re, &a.im)
                .atan(self.bits, ROUND, &mut self.consts);
            let quarter = match is_below {
                true => half.neg(),
                false => half,
            };
            return self.fsub(&quarter, &turn);
        }
        let turn = self
            .fdiv(&a.im, &a.re)
            .atan(self.bits, ROUND, &mut self.consts);
        match (is_left, is_below) {
            (false, _) => turn,
            (true, false) => self.fadd(&turn, &pi),
            (true, true) => self.fsub(&turn, &pi),
        }
    }

    pub(crate) fn exp(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        let size = self.fexp(&a.re);
        if a.im.is_zero() {
            return self.complex(size);
        }
        let (sin, cos) = (self.fsin(&a.im), self.fcos(&a.im));
        ManyDigitComplex {
            re: self.fmul(&size, &cos),
            im: self.fmul(&size, &sin),
        }
    }

    pub(crate) fn ln(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        let size = self.modulus(a);
        ManyDigitComplex {
            re: self.fln(&size),
            im: self.angle(a),
        }
    }

    pub(crate) fn sqrt(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        if a.im.is_zero() {
            let root = self.fsqrt(&a.re.abs());
            return match a.re.sign() == Some(Sign::Neg) && !a.re.is_zero() {
                true => ManyDigitComplex {
                    re: self.real(0),
                    im: root,
                },
                false => self.complex(root),
            };
        }
        let half = BigRational::new(1.into(), 2.into());
        let half = self.complex(self.fraction(&half));
        let logarithm = self.ln(a);
        let scaled = self.mul(&logarithm, &half);
        self.exp(&scaled)
    }

    /// A whole power by squaring.
    pub(crate) fn powi(&self, a: &ManyDigitComplex, exponent: i64) -> ManyDigitComplex {
        let mut result = self.small(1);
        let mut square = a.clone();
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                result = self.mul(&result, &square);
            }
            left >>= 1;
            if left > 0 {
                square = self.mul(&square, &square);
            }
        }
        match exponent < 0 {
            true => self.div(&self.small(1), &result),
            false => result,
        }
    }

    pub(crate) fn pow(
        &mut self,
        a: &ManyDigitComplex,
        exponent: &ManyDigitComplex,
    ) -> ManyDigitComplex {
        if a.re.is_zero() && a.im.is_zero() {
            let is_positive = exponent.re.is_positive() && !exponent.re.is_zero();
            return match is_positive {
                true => self.small(0),
                false => self.div(&self.small(1), &self.small(0)),
            };
        }
        let logarithm = self.ln(a);
        let scaled = self.mul(&logarithm, exponent);
        self.exp(&scaled)
    }

    /// Sine and cosine.
    pub(crate) fn sin_cos(&mut self, a: &ManyDigitComplex) -> (ManyDigitComplex, ManyDigitComplex) {
        let (sin, cos) = (self.fsin(&a.re), self.fcos(&a.re));
        if a.im.is_zero() {
            return (self.complex(sin), self.complex(cos));
        }
        let (sinh, cosh) = self.sinh_cosh(&a.im);
        let sine = ManyDigitComplex {
            re: self.fmul(&sin, &cosh),
            im: self.fmul(&cos, &sinh),
        };
        let cosine = ManyDigitComplex {
            re: self.fmul(&cos, &cosh),
            im: self.fmul(&sin, &sinh).neg(),
        };
        (sine, cosine)
    }

    /// Hyperbolic sine and cosine.
    pub(crate) fn hyperbolic(
        &mut self,
        a: &ManyDigitComplex,
    ) -> (ManyDigitComplex, ManyDigitComplex) {
        let (sinh, cosh) = self.sinh_cosh(&a.re);
        if a.im.is_zero() {
            return (self.complex(sinh), self.complex(cosh));
        }
        let (sin, cos) = (self.fsin(&a.im), self.fcos(&a.im));
        let sine = ManyDigitComplex {
            re: self.fmul(&sinh, &cos),
            im: self.fmul(&cosh, &sin),
        };
        let cosine = ManyDigitComplex {
            re: self.fmul(&cosh, &cos),
            im: self.fmul(&sinh, &sin),
        };
        (sine, cosine)
    }

    fn times_i(&self, a: &ManyDigitComplex) -> ManyDigitComplex {
        ManyDigitComplex {
            re: match a.im.is_zero() {
                true => self.real(0),
                false => a.im.neg(),
            },
            im: a.re.clone(),
        }
    }

    fn is_within_one(&self, a: &ManyDigitComplex) -> bool {
        a.im.is_zero() && a.re.abs_cmp(&self.real(1)).is_some_and(|order| order <= 0)
    }

    pub(crate) fn asin(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        if self.is_within_one(a) {
            let value = a.re.asin(self.bits, ROUND, &mut self.consts);
            return self.complex(value);
        }
        let root = self.sub(&self.small(1), &self.mul(a, a));
        let root = self.sqrt(&root);
        let inside = self.add(&self.times_i(a), &root);
        let logarithm = self.ln(&inside);
        let turned = self.times_i(&logarithm);
        self.neg(&turned)
    }

    pub(crate) fn acos(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        if self.is_within_one(a) {
            let value = a.re.acos(self.bits, ROUND, &mut self.consts);
            return self.complex(value);
        }
        let pi = self.pi();
        let half = self.complex(self.fdiv(&pi, &self.real(2)));
        let asin = self.asin(a);
        self.sub(&half, &asin)
    }

    pub(crate) fn atan(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        if a.im.is_zero() {
            let value = a.re.atan(self.bits, ROUND, &mut self.consts);
            return self.complex(value);
        }
        let turned = self.times_i(a);
        let minus = self.sub(&self.small(1), &turned);
        let plus = self.add(&self.small(1), &turned);
        let (minus, plus) = (self.ln(&minus), self.ln(&plus));
        let difference = self.sub(&minus, &plus);
        let turned = self.times_i(&difference);
        self.div(&turned, &self.small(2))
    }

    pub(crate) fn asinh(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        if a.im.is_zero() {
            let value = a.re.asinh(self.bits, ROUND, &mut self.consts);
            return self.complex(value);
        }
        let turned = self.times_i(a);
        let asin = self.asin(&turned);
        let back = self.times_i(&asin);
        self.neg(&back)
    }

    pub(crate) fn acosh(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        let one = self.small(1);
        let (plus, minus) = (self.add(a, &one), self.sub(a, &one));
        let (plus, minus) = (self.sqrt(&plus), self.sqrt(&minus));
        let inside = self.add(a, &self.mul(&plus, &minus));
        self.ln(&inside)
    }

    pub(crate) fn atanh(&mut self, a: &ManyDigitComplex) -> ManyDigitComplex {
        let one = self.small(1);
        let (plus, minus) = (self.add(&one, a), self.sub(&one, a));
        let (plus, minus) = (self.ln(&plus), self.ln(&minus));
        let difference = self.sub(&plus, &minus);
        self.div(&difference, &self.small(2))
    }
}

/// Digits of a whole number with its sign.
trait IntoSignDigits {
    fn into_sign_digits(self) -> (bool, Vec<u64>);
}

impl IntoSignDigits for (num_bigint::Sign, Vec<u64>) {
    fn into_sign_digits(self) -> (bool, Vec<u64>) {
        (self.0 == num_bigint::Sign::Minus, self.1)
    }
}

impl ManyDigitComplex {
    /// Whether both parts are finite numbers.
    pub(crate) fn is_finite(&self) -> bool {
        [&self.re, &self.im]
            .iter()
            .all(|part| !part.is_nan() && !part.is_inf())
    }

    /// The nearest doubles.
    pub(crate) fn to_doubles(&self) -> (f64, f64) {
        (to_double(&self.re), to_double(&self.im))
    }
}

/// The double of a number: its leading 64 bits, scaled.
pub(crate) fn to_double(value: &BigFloat) -> f64 {
    let Some((words, _, sign, exponent, _)) = value.as_raw_parts() else {
        return match (value.is_inf_pos(), value.is_inf_neg()) {
            (true, _) => f64::INFINITY,
            (_, true) => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
    };
    let Some(&top) = words.last().filter(|_| !value.is_zero()) else {
        return 0.0;
    };
    // A mantissa is a fraction between 1/2 and 1.
    let fraction = top as f64 / 2f64.powi(64);
    let half = exponent / 2;
    let size = fraction * 2f64.powi(half) * 2f64.powi(exponent - half);
    match sign {
        Sign::Neg => -size,
        Sign::Pos => size,
    }
}
