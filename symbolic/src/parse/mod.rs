//! From text to expressions: the language of `calculate`, what is written by hand (`2x`, `sin^2 x`, `x²`) and LaTeX, all by one grammar.
//!
//! What can be read in two ways is read in one and named with the other.

mod command;
mod function;
mod lexer;
mod operator;
mod parser;
mod unknown;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use thiserror::Error;

use crate::tree::{Expr, SymbolTraits};

/// Bytes of a text.
pub const TEXT_LIMIT: usize = 20_000;

/// A text that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message} (at byte {place})")]
pub struct ReadFault {
    /// What was expected or found.
    pub message: String,
    /// The byte of the text.
    pub place: usize,
}

/// What can be read in two ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguity {
    /// The part of the text or the rule.
    pub fragment: String,
    /// How it was read.
    pub read_as: String,
    /// The other reading.
    pub or: String,
}

/// What is known before a text is read.
#[derive(Debug, Clone, Default)]
pub struct NotationOptions {
    /// What is known of symbols by their names; the others are real.
    pub traits: BTreeMap<String, SymbolTraits>,
    /// Symbols without an entry may be complex.
    pub is_complex: bool,
    /// The unknown function of a differential equation and its variable: `y` may be written for `y(x)`.
    pub function: Option<(String, String)>,
    /// Names that are symbols although they could be constants.
    pub symbols: Vec<String>,
}

/// A text as an expression.
#[derive(Debug, Clone)]
pub struct ReadExpression {
    /// The expression.
    pub expr: Expr,
    /// What could be read otherwise.
    pub ambiguities: Vec<Ambiguity>,
}

/// Reads one expression, equation or inequality.
pub fn read_expression(text: &str, options: &NotationOptions) -> Result<ReadExpression, ReadFault> {
    let tokens = lexer::split_tokens(text)?;
    parser::read_tokens(&tokens, text, options)
}
