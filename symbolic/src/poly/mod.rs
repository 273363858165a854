//! Polynomials over the rationals, of one and of several variables, and fractions of them in the kernels of an expression.

pub(crate) mod dense;
pub(crate) mod factor;
pub(crate) mod fraction;
pub(crate) mod kernels;
pub(crate) mod modular;
pub(crate) mod prepare;
pub(crate) mod roots;
pub(crate) mod sparse;
pub(crate) mod sparse_factor;
pub(crate) mod sparse_gcd;
