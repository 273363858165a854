//! Values of expressions at many digits, real and complex, for the check of every answer.

pub(crate) mod bernoulli;
pub(crate) mod compare;
pub(crate) mod complex;
pub(crate) mod double;
pub(crate) mod evaluate;
pub(crate) mod special;

#[cfg(test)]
mod tests;

pub use compare::{Comparison, SamplePoint, compare_values};
pub use evaluate::{NumericValue, evaluate_digits};
