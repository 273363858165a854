//! Complex numbers of doubles.
//!
//! Real numbers stay real until an operation needs the plane, so that `sqrt(-1)` and `sqrt(0 - 1)` agree: a real number has no sign
//! of zero beside it to choose a side of a branch cut. Cuts and their sides follow C99 Annex G and W. Kahan, "Branch cuts for
//! complex elementary functions, or much ado about nothing's sign bit", 1987.

use super::fault::EvaluationFault;

/// A number of the plane, or of its real line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RealOrComplex {
    /// A real number.
    Real(f64),
    /// The real and the imaginary part.
    Pair(f64, f64),
}

use RealOrComplex::{Pair, Real};

/// A number, or why there is none.
pub(crate) type PlaneResult = Result<RealOrComplex, EvaluationFault>;

impl RealOrComplex {
    pub(super) fn parts(self) -> (f64, f64) {
        match self {
            Real(re) => (re, 0.0),
            Pair(re, im) => (re, im),
        }
    }

    pub(super) fn finite(self) -> PlaneResult {
        let (re, im) = self.parts();
        if re.is_finite() && im.is_finite() {
            Ok(self)
        } else {
            Err(EvaluationFault::NotFinite)
        }
    }

    /// 1 where the relation holds, else 0.
    pub(super) fn truth(holds: bool) -> Self {
        Real(f64::from(u8::from(holds)))
    }

    pub(super) fn neg(self) -> Self {
        match self {
            Real(re) => Real(-re),
            Pair(re, im) => Pair(-re, -im),
        }
    }

    pub(super) fn conj(self) -> Self {
        match self {
            Real(re) => Real(re),
            Pair(re, im) => Pair(re, -im),
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        match (self, other) {
            (Real(a), Real(b)) => Real(a + b),
            (Real(a), Pair(re, im)) | (Pair(re, im), Real(a)) => Pair(a + re, im),
            (Pair(a, b), Pair(c, d)) => Pair(a + c, b + d),
        }
    }

    pub(super) fn sub(self, other: Self) -> Self {
        self.add(other.neg())
    }

    pub(super) fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Real(a), Real(b)) => Real(a * b),
            (Real(a), Pair(re, im)) | (Pair(re, im), Real(a)) => Pair(a * re, a * im),
            (Pair(a, b), Pair(c, d)) => Pair(a * c - b * d, a * d + b * c),
        }
    }

    /// Times the imaginary unit.
    pub(super) fn turned(self) -> Self {
        let (re, im) = self.parts();
        Pair(-im, re)
    }

    /// Over the imaginary unit.
    pub(super) fn turned_back(self) -> Self {
        let (re, im) = self.parts();
        Pair(im, -re)
    }

    /// R. L. Smith's division (CACM 5, 1962), after scaling the divisor towards 1.
    pub(super) fn div(self, other: Self) -> PlaneResult {
        let (c, d) = other.parts();
        if c == 0.0 && d == 0.0 {
            return Err(EvaluationFault::DivisionByZero);
        }
        Ok(match (self, other) {
            (Real(a), Real(b)) => Real(a / b),
            (Pair(re, im), Real(b)) => Pair(re / b, im / b),
            _ => {
                let (a, b) = self.parts();
                let exponent = -libm::ilogb(c.abs().max(d.abs()));
                let (c, d) = (libm::scalbn(c, exponent), libm::scalbn(d, exponent));
                let (re, im) = if c.abs() >= d.abs() {
                    let ratio = d / c;
                    let size = c + d * ratio;
                    ((a + b * ratio) / size, (b - a * ratio) / size)
                } else {
                    let ratio = c / d;
                    let size = c * ratio + d;
                    ((a * ratio + b) / size, (b * ratio - a) / size)
                };
                Pair(libm::scalbn(re, exponent), libm::scalbn(im, exponent))
            }
        })
    }

    pub(super) fn abs(self) -> f64 {
        let (re, im) = self.parts();
        libm::hypot(re, im)
    }

    pub(super) fn arg(self) -> f64 {
        let (re, im) = self.parts();
        libm::atan2(im, re)
    }

    pub(super) fn sqrt(self) -> Self {
        let (re, im) = match self {
            Real(re) if re >= 0.0 => return Real(re.sqrt()),
            Real(re) => return Pair(0.0, (-re).sqrt()),
            Pair(re, im) => (re, im),
        };
        if re == 0.0 && im == 0.0 {
            return Pair(0.0, im);
        }
        // Scaled by an even power of two, so that the sum below cannot overflow.
        let exponent = (libm::ilogb(re.abs().max(im.abs())) / 2) * 2;
        let (x, y) = (libm::scalbn(re, -exponent), libm::scalbn(im, -exponent));
        let large = ((libm::hypot(x, y) + x.abs()) / 2.0).sqrt();
        let small = y.abs() / (2.0 * large);
        let (large, small) = (
            libm::scalbn(large, exponent / 2),
            libm::scalbn(small, exponent / 2),
        );
        if re >= 0.0 {
            Pair(large, small.copysign(im))
        } else {
            Pair(small, large.copysign(im))
        }
    }

    pub(super) fn exp(self) -> Self {
        match self {
            Real(x) => Real(libm::exp(x)),
            Pair(x, y) => {
                // In two factors where one would overflow before the product does.
                let (first, second) = if x > 709.0 {
                    (709.0, x - 709.0)
                } else {
                    (x, 0.0)
                };
                let (first, second) = (libm::exp(first), libm::exp(second));
                Pair(first * libm::cos(y) * second, first * libm::sin(y) * second)
            }
        }
    }

    pub(super) fn ln(self) -> PlaneResult {
        let (re, im) = self.parts();
        if re == 0.0 && im == 0.0 {
            return Err(EvaluationFault::NotFinite);
        }
        if let Real(x) = self
            && x > 0.0
        {
            return Ok(Real(libm::log(x)));
        }
        let size = self.abs();
        let (large, small) = (re.abs().max(im.abs()), re.abs().min(im.abs()));
        let ln = if (0.5..2.0).contains(&size) {
            0.5 * libm::log1p((large - 1.0) * (large + 1.0) + small * small)
        } else if size.is_infinite() || size < 1e-300 {
            libm::log(large) + 0.5 * libm::log1p((small / large) * (small / large))
        } else {
            libm::log(size)
        };
        Ok(Pair(ln, self.arg()))
    }

    pub(super) fn sinh(self) -> Self {
        let (x, y) = self.parts();
        Pair(libm::sinh(x) * libm::cos(y), libm::cosh(x) * libm::sin(y))
    }

    pub(super) fn cosh(self) -> Self {
        let (x, y) = self.parts();
        Pair(libm::cosh(x) * libm::cos(y), libm::sinh(x) * libm::sin(y))
    }

    /// Kahan's form, which neither overflows nor cancels.
    pub(super) fn tanh(self) -> Self {
        let (x, y) = self.parts();
        if x.abs() > 22.0 {
            let decay = libm::exp(-2.0 * x.abs());
            return Pair(
                1.0_f64.copysign(x),
                4.0 * libm::sin(y) * libm::cos(y) * decay,
            );
        }
        let (tan, sinh) = (libm::tan(y), libm::sinh(x));
        let beta = 1.0 + tan * tan;
        let rho = (1.0 + sinh * sinh).sqrt();
        let size = 1.0 + beta * sinh * sinh;
        Pair(beta * rho * sinh / size, tan / size)
    }

    pub(super) fn asin(self) -> Self {
        let one = Real(1.0);
        let (less, more) = (one.sub(self).sqrt(), one.add(self).sqrt());
        let (re, _) = self.parts();
        let product = less.mul(more).parts().0;
        Pair(
            libm::atan2(re, product),
            libm::asinh(less.conj().mul(more).parts().1),
        )
    }

    pub(super) fn acos(self) -> Self {
        let one = Real(1.0);
        let (less, more) = (one.sub(self).sqrt(), one.add(self).sqrt());
        Pair(
            2.0 * libm::atan2(less.parts().0, more.parts().0),
            libm::asinh(more.conj().mul(less).parts().1),
        )
    }

    pub(super) fn acosh(self) -> Self {
        let one = Real(1.0);
        let (less, more) = (self.sub(one).sqrt(), self.add(one).sqrt());
        Pair(
            libm::asinh(less.conj().mul(more).parts().0),
            2.0 * libm::atan2(less.parts().1, more.parts().0),
        )
    }

    pub(super) fn atanh(self) -> PlaneResult {
        let one = Real(1.0);
        let (more, less) = (one.add(self).ln()?, one.sub(self).ln()?);
        Ok(Real(0.5).mul(more.sub(less)))
    }

    pub(super) fn pow(self, exponent: Self) -> PlaneResult {
        const REPEATED_MAX: f64 = 1024.0;
        if let (Real(a), Real(b)) = (self, exponent)
            && (a >= 0.0 || b.fract() == 0.0)
        {
            return if a == 0.0 && b < 0.0 {
                Err(EvaluationFault::DivisionByZero)
            } else {
                Ok(Real(libm::pow(a, b)))
            };
        }
        if self.parts() == (0.0, 0.0) {
            let (re, im) = exponent.parts();
            return match (re, im) {
                (0.0, 0.0) => Ok(Real(1.0)),
                (re, _) if re > 0.0 => Ok(Real(0.0)),
                _ => Err(EvaluationFault::DivisionByZero),
            };
        }
        if let Real(n) = exponent
            && n.fract() == 0.0
            && n.abs() <= REPEATED_MAX
        {
            let (mut power, mut square, mut left) = (Real(1.0), self, n.abs() as u32);
            while left > 0 {
                if left & 1 == 1 {
                    power = power.mul(square);
                }
                square = square.mul(square);
                left >>= 1;
            }
            return if n < 0.0 {
                Real(1.0).div(power)
            } else {
                Ok(power)
            };
        }
        Ok(exponent.mul(self.ln()?).exp())
    }

    /// `sin(z) = sinh(i z) / i`.
    pub(super) fn sin(self) -> Self {
        self.turned().sinh().turned_back()
    }

    pub(super) fn cos(self) -> Self {
        self.turned().cosh()
    }

    pub(super) fn tan(self) -> Self {
        self.turned().tanh().turned_back()
    }

    pub(super) fn asinh(self) -> Self {
        self.turned().asin().turned_back()
    }

    pub(super) fn atan(self) -> PlaneResult {
        Ok(self.turned().atanh()?.turned_back())
    }
}
