//! [`RealOrComplexField`]: the real and the complex numbers, as the factorisations use them.

use std::fmt::Debug;
use std::ops::{AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use faer::c64;
use faer::traits::ComplexField;

/// Real or complex numbers.
pub(crate) trait RealOrComplexField:
    ComplexField
    + Copy
    + Debug
    + PartialEq
    + Neg<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// A real number.
    fn real(value: f64) -> Self;
    /// The reciprocal.
    fn reciprocal(self) -> Self;
    /// A norm: of a complex number the sum of the magnitudes of both parts.
    fn size(self) -> f64;
}

impl RealOrComplexField for f64 {
    fn real(value: f64) -> Self {
        value
    }

    fn reciprocal(self) -> Self {
        1.0 / self
    }

    fn size(self) -> f64 {
        self.abs()
    }
}

impl RealOrComplexField for c64 {
    fn real(value: f64) -> Self {
        Self::new(value, 0.0)
    }

    /// Without the square of a part, which can overflow.
    fn reciprocal(self) -> Self {
        let scale = self.re.abs().max(self.im.abs());
        let (re, im) = (self.re / scale, self.im / scale);
        let size = scale * (re * re + im * im);
        Self::new(re / size, -im / size)
    }

    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// `s M - J` is singular to the last bit, or not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SingularShift;
