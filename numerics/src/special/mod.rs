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
    bessel_i0, bessel_i1, bessel_j0, bessel_j1, bessel_jn, bessel_k0, bessel_k1, bessel_y0,
    bessel_y1, bessel_yn,
};
pub use bessel_real::{bessel_iv, bessel_jv, bessel_kv, bessel_yv};
pub use error::{
    erf, erfc, inverse_erf, inverse_erfc, normal_cdf, normal_density, normal_log_cdf,
    normal_quantile,
};
pub use gamma::{
    beta_function, binomial_coefficient, digamma, factorial, gamma, lbeta, lgamma, polygamma,
    trigamma,
};
pub use incomplete::{
    binomial_ccdf, binomial_cdf, binomial_quantile, exponential_integral_e1,
    exponential_integral_ei, inverse_regularised_beta, inverse_regularised_gamma, poisson_quantile,
    regularised_beta, regularised_beta_complement, regularised_gamma_p, regularised_gamma_q,
    student_cdf, student_quantile, student_two_sided, student_two_sided_inverse,
};
pub use number::{cos_pi, gcd, lambert_w, lcm, riemann_zeta, sin_pi, sinc, zeta_derivative};

#[cfg(test)]
use self::{bessel::ORDER_MAX, gamma::lgamma_sign};
#[cfg(test)]
mod tests;
