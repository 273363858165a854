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

// All that is public in them: a new function is written in its file alone.
pub use bessel::*;
pub use bessel_real::*;
pub use error::*;
pub use gamma::*;
pub use incomplete::*;
pub use number::*;

#[cfg(test)]
use self::{bessel::ORDER_MAX, gamma::lgamma_sign};
#[cfg(test)]
mod tests;
