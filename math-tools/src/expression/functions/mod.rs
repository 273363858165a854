//! The functions and constants of the language: one table, one definition of each value.
//!
//! A function is one `UnaryDefinition`, `BinaryDefinition` or `TernaryDefinition` in the file of its family: its spellings, its value
//! in doubles with the derivatives, and what it is over the rational and complex numbers, to any number of digits and over intervals.
//! Every evaluation looks there. A new function is one definition, listed in the `FAMILY` of its file, and a kernel in
//! [`numerics::special`] where it has none yet.

use std::f64::consts;

mod analytic;
mod bessel;
mod circular;
mod complex_parts;
mod definition;
mod exponential;
mod formulas;
mod gamma;
mod gaussian;
mod hyperbolic;
mod incomplete;
mod integers;
mod operators;
mod rounding;

pub(crate) use definition::{
    BinaryDefinition, DigitCost, ReductionFunction, TernaryDefinition, UnaryDefinition,
};
pub(crate) use exponential::{EXP, LN, LOG_ADD_EXP, LOG_BASE, LOG2, LOG10};
pub(crate) use operators::{
    ADD, DIV, EQUAL, FLOOR_DIV, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, MAX, MIN, MOD, MUL, NEG,
    NOT_EQUAL, POW, SUB,
};

use super::densities::{self, LogDensity};
use definition::FunctionFamily;

/// The whole table.
static FAMILIES: &[&FunctionFamily] = &[
    &operators::FAMILY,
    &circular::FAMILY,
    &hyperbolic::FAMILY,
    &exponential::FAMILY,
    &rounding::FAMILY,
    &complex_parts::FAMILY,
    &gamma::FAMILY,
    &gaussian::FAMILY,
    &incomplete::FAMILY,
    &bessel::FAMILY,
    &analytic::FAMILY,
    &integers::FAMILY,
];

/// Meaning of a name that is followed by `(`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpressionFunction {
    /// One argument.
    Unary(&'static UnaryDefinition),
    /// Two arguments.
    Binary(&'static BinaryDefinition),
    /// Three arguments.
    Ternary(&'static TernaryDefinition),
    /// One or more arguments, combined from left to right.
    Fold(&'static BinaryDefinition),
    /// `quantile(x, p, definition)` of a column of data.
    Quantile,
    /// The median of a column of data.
    Median,
    /// A logarithm: natural, or to the base given as second argument.
    Log,
    /// `if(condition, then, else)`.
    Select,
    /// `clip(x, low, high)`: the nearest value of the range.
    Clip,
    /// The mean of a column, or of several values.
    Mean,
    /// The sum of the products of two columns.
    Dot,
    /// The sum of the rows so far.
    CumSum,
    /// Number of rows.
    Count,
    /// The logarithm of a density: its template.
    Density(&'static LogDensity),
    /// `support(condition, value)` in the template of a density.
    Support,
}

impl ExpressionFunction {
    /// Fewest and most arguments.
    pub(crate) fn arity(self) -> (usize, usize) {
        match self {
            Self::Unary(_) | Self::CumSum | Self::Count | Self::Median => (1, 1),
            Self::Quantile => (2, 3),
            Self::Binary(_) | Self::Dot | Self::Support => (2, 2),
            Self::Fold(_) | Self::Mean => (1, usize::MAX),
            Self::Density(density) => (density.names.len(), density.names.len()),
            Self::Log => (1, 2),
            Self::Select | Self::Clip | Self::Ternary(_) => (3, 3),
        }
    }
}

/// What is called by a name and is more than one operation.
static FORMS: &[(&str, ExpressionFunction)] = &[
    ("if", ExpressionFunction::Select),
    ("where", ExpressionFunction::Select),
    ("log", ExpressionFunction::Log),
    ("min", ExpressionFunction::Fold(&MIN)),
    ("max", ExpressionFunction::Fold(&MAX)),
    ("sum", ExpressionFunction::Fold(&ADD)),
    ("prod", ExpressionFunction::Fold(&MUL)),
    ("logsumexp", ExpressionFunction::Fold(&LOG_ADD_EXP)),
    ("clip", ExpressionFunction::Clip),
    ("mean", ExpressionFunction::Mean),
    ("dot", ExpressionFunction::Dot),
    ("cumsum", ExpressionFunction::CumSum),
    ("count", ExpressionFunction::Count),
    ("quantile", ExpressionFunction::Quantile),
    ("median", ExpressionFunction::Median),
];

/// The named numbers.
pub const CONSTANTS: &[(&str, f64)] = &[("pi", consts::PI), ("e", consts::E), ("tau", consts::TAU)];

/// Whether a canonical name is a word that can be called, not the sign of an operator.
fn is_word(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
}

/// Every function of one number.
pub(super) fn unary_definitions() -> impl Iterator<Item = &'static UnaryDefinition> + Clone {
    FAMILIES.iter().flat_map(|family| family.unary).copied()
}

/// Every function of two numbers.
fn binary_definitions() -> impl Iterator<Item = &'static BinaryDefinition> + Clone {
    FAMILIES.iter().flat_map(|family| family.binary).copied()
}

/// Every callable name with its meaning: forms, other spellings, names. Of equally near names the first is suggested.
fn callable_functions() -> impl Iterator<Item = (&'static str, ExpressionFunction)> {
    let ternary = FAMILIES.iter().flat_map(|family| family.ternary);
    let aliases_of_unary = unary_definitions().flat_map(|one| {
        let spell = move |name: &&'static str| (*name, ExpressionFunction::Unary(one));
        one.aliases.iter().map(spell)
    });
    let aliases_of_binary = binary_definitions().flat_map(|two| {
        let spell = move |name: &&'static str| (*name, ExpressionFunction::Binary(two));
        two.aliases.iter().map(spell)
    });
    let densities = densities::density_templates()
        .map(|density| (density.name, ExpressionFunction::Density(density)));
    let names = unary_definitions()
        .map(|one| (one.name, ExpressionFunction::Unary(one)))
        .chain(binary_definitions().map(|two| (two.name, ExpressionFunction::Binary(two))))
        .chain(ternary.map(|three| (three.name(), ExpressionFunction::Ternary(three))));
    FORMS
        .iter()
        .copied()
        .chain(aliases_of_binary)
        .chain(aliases_of_unary)
        .chain(names)
        .chain(densities)
        .filter(|(name, _)| is_word(name))
}

/// The function of a name.
pub(crate) fn find_function(name: &str) -> Option<ExpressionFunction> {
    callable_functions()
        .find(|(candidate, _)| *candidate == name)
        .map(|(_, function)| function)
}

/// Every name of a function.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    callable_functions().map(|(name, _)| name)
}

/// The constant of a name.
pub(crate) fn find_constant(name: &str) -> Option<f64> {
    CONSTANTS
        .iter()
        .find(|(candidate, _)| *candidate == name)
        .map(|&(_, value)| value)
}

#[cfg(test)]
mod tests;
