//! Errors of the expression parser.

use std::borrow::Cow;

use tool_core::ToolError;

/// The hint where a token is out of place.
pub(super) const GRAMMAR: &str = "expressions have numbers, names, + - * / % **, comparisons, parentheses and calls such as sin(x)";

/// An error of the expression parser with the next step; columns are 1-based and count characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    message: String,
    hint: Cow<'static, str>,
    /// Location of the fault where it is not the text.
    pointer: Option<String>,
}

impl ExpressionError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<Cow<'static, str>>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            pointer: None,
        }
    }

    /// The error of a column that the text names.
    pub(super) fn of_data(error: ToolError) -> Self {
        let hint = error.hint_str().unwrap_or_default().to_owned();
        Self {
            message: error.message().to_owned(),
            hint: hint.into(),
            pointer: error.path().map(str::to_owned),
        }
    }

    /// The next step.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The error of the argument at a JSON pointer: `invalid_args` with the reason `expression`.
    pub fn into_tool_error(self, pointer: &str) -> ToolError {
        let error = ToolError::invalid(self.pointer.as_deref().unwrap_or(pointer), &self.message);
        error.reason("expression").hint(self.hint)
    }
}
