//! Errors of the expression parser.

use tool_core::ToolError;

use super::{DEPTH_MAX, LENGTH_MAX, TOKENS_MAX};

/// An error of the expression parser; columns are 1-based and count characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// Nothing but white space.
    #[error("the expression is empty")]
    Empty,
    /// The text is longer than the limit.
    #[error("the expression has {length} bytes, the limit is {LENGTH_MAX}")]
    TooLong {
        /// Length of the expression in bytes.
        length: usize,
    },
    /// There are more tokens than the limit.
    #[error("more than {TOKENS_MAX} numbers, names and signs, at column {column}")]
    TooManyTokens {
        /// Column at which the limit is exceeded.
        column: usize,
    },
    /// Nesting deeper than the limit.
    #[error("nested more than {DEPTH_MAX} levels deep at column {column}")]
    TooDeep {
        /// Column at which the limit is exceeded.
        column: usize,
    },
    /// A character that starts nothing.
    #[error("unexpected character `{found}` at column {column}")]
    Character {
        /// Column of the token.
        column: usize,
        /// The character.
        found: char,
        /// Replacement to suggest, where known.
        hint: Option<&'static str>,
    },
    /// A number that is not a finite double.
    #[error("the number at column {column} is beyond the range of a double")]
    NumberTooLarge {
        /// Column at which it starts.
        column: usize,
    },
    /// A token where another was expected.
    #[error("unexpected {found} at column {column}, expected {expected}")]
    Unexpected {
        /// Column of the token.
        column: usize,
        /// Description of the token found.
        found: String,
        /// Description of the tokens expected.
        expected: &'static str,
    },
    /// Two operands side by side.
    #[error("unexpected {found} at column {column}: two values without an operator between them")]
    ImplicitProduct {
        /// Column of the second operand.
        column: usize,
        /// The second operand's first token, in words.
        found: String,
    },
    /// `a < b < c`.
    #[error("a second comparison at column {column}: comparisons cannot be chained")]
    ChainedComparison {
        /// Column of the second comparison.
        column: usize,
    },
    /// A name that is no variable and no constant.
    #[error("unknown name `{name}` at column {column}")]
    UnknownName {
        /// Column of the token.
        column: usize,
        /// The name.
        name: String,
        /// Suggested next step.
        hint: String,
    },
    /// `name[position]` that names no entry.
    #[error("cannot read an entry of `{name}` at column {column}: {problem}")]
    Entry {
        /// Column of the name.
        column: usize,
        /// The name.
        name: String,
        /// Description of the fault.
        problem: String,
    },
    /// A name before `(` that is no function.
    #[error("unknown function `{name}` at column {column}")]
    UnknownFunction {
        /// Column of the token.
        column: usize,
        /// The name.
        name: String,
        /// Suggested next step.
        hint: String,
    },
    /// A call with too few or too many arguments.
    #[error("`{name}` at column {column} takes {expected}, found {found}")]
    Arguments {
        /// Column of the name.
        column: usize,
        /// The function as it was spelled.
        name: String,
        /// Number of arguments expected, in words.
        expected: String,
        /// Number of arguments found.
        found: usize,
    },
}

impl ExpressionError {
    /// The next step.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty => "pass a formula such as \"sin(x) + 1\"".into(),
            Self::TooLong { .. } | Self::TooManyTokens { .. } => "split the expression".into(),
            Self::TooDeep { .. } => "remove parentheses, or split the expression".into(),
            Self::Character { hint: Some(hint), .. } => (*hint).into(),
            Self::NumberTooLarge { .. } => "the largest double is about 1.8e308".into(),
            Self::ImplicitProduct { .. } => "write the product with `*`".into(),
            Self::ChainedComparison { .. } => "multiply comparisons: `(a < b) * (b < c)`".into(),
            Self::UnknownName { hint, .. } | Self::UnknownFunction { hint, .. } => hint.clone(),
            Self::Entry { .. } => "lists have entries `x[0]`, `x[1]`, ...: variables such as `x`, or parameters given as a list".into(),
            Self::Character { hint: None, .. }
            | Self::Unexpected { .. }
            | Self::Arguments { .. } => {
                "expressions have numbers, names, + - * / % **, comparisons, parentheses and calls such as sin(x)".into()
            }
        }
    }

    /// The error of the argument at a JSON pointer: `invalid_args` with the reason `expression`.
    pub fn into_tool_error(self, pointer: &str) -> ToolError {
        let hint = self.hint();
        ToolError::invalid(pointer, self)
            .reason("expression")
            .hint(hint)
    }
}
