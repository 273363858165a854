//! Special functions of doubles, one value at a time.
//!
//! Each function states the largest error measured against references of 50 digits over its range, or the part it names, in units in the last
//! place of the correctly rounded value, and what it answers at poles. They use `+ - * / sqrt` and the fused multiply-add, which are defined
//! to the last bit, and the portable elementary functions of the `libm` crate: the same bits on every machine.
//!
//! Where doubles would cancel, the work is done in double-double arithmetic (`dd`), so that the accuracy holds near zeros and poles
//! and for large arguments; a value then costs about a microsecond.

mod bessel;
mod bessel_real;
mod dd;
mod error;
mod gamma;
mod incomplete;
mod number;

pub use bessel::{
    besseli0, besseli1, besselj, besselj0, besselj1, besselk0, besselk1, bessely, bessely0,
    bessely1,
};
pub use bessel_real::{besseliv, besseljv, besselkv, besselyv};
pub use error::{erf, erfc, erfcinv, erfinv, lognormcdf, normcdf, normpdf, normppf};
pub use gamma::{beta, binomial, digamma, factorial, gamma, lbeta, lgamma, polygamma, trigamma};
pub use incomplete::{
    betainc, betaincc, betaincinv, binomial_ccdf, binomial_cdf, binomial_quantile, e1, ei,
    gammainc, gammaincc, gammaincinv, poisson_quantile, student_cdf, student_quantile,
    student_two_sided, student_two_sided_inverse,
};
pub use number::{cospi, gcd, lambertw, lcm, sinc, sinpi, zeta, zeta_derivative};

#[cfg(test)]
use self::{bessel::ORDER_MAX, gamma::lgamma_sign};
#[cfg(test)]
mod tests;
