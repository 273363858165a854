//! Forms of an expression: multiplied out, factored, over one denominator, in partial fractions, by circular identities; and whether two are equal.

pub(crate) mod apart;
pub(crate) mod circular;
pub(crate) mod conditions;
pub(crate) mod equality;
pub(crate) mod expand;
pub(crate) mod forms;

#[cfg(test)]
mod tests;

pub use conditions::lost_conditions;
pub use equality::{EqualityVerdict, decide_equality};
pub use forms::{SimplifyForm, simplify_as};
