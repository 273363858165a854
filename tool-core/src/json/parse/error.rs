//! Failures of the scan, and their errors with places.

use std::fmt;

use crate::error::{ErrorCode, RequestProblem, ToolError};

/// Why a text is not an acceptable document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// `invalid_request`, or `limit_exceeded` for a size, depth or memory limit.
    pub code: ErrorCode,
    /// What was expected and found.
    pub message: String,
    /// The next step, where one is known.
    pub hint: Option<String>,
    /// JSON pointer of the value being read.
    pub path: String,
    /// Byte offset in the text.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} (line {}, column {})",
            self.message, self.line, self.column
        )
    }
}

impl std::error::Error for JsonError {}

impl From<JsonError> for ToolError {
    fn from(err: JsonError) -> Self {
        let mut problem = RequestProblem::new(err.path.clone(), err.to_string());
        problem.hint = err.hint;
        Self::of_problems(err.code, vec![problem]).reason("json")
    }
}

/// A failure inside the scan; position and path are the scan's own at that moment.
pub(super) struct JsonScanError {
    pub(super) code: ErrorCode,
    pub(super) message: String,
    pub(super) hint: Option<&'static str>,
}

impl JsonScanError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidRequest,
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    pub(super) fn limit(message: String, hint: &'static str) -> Self {
        Self {
            code: ErrorCode::LimitExceeded,
            message,
            hint: Some(hint),
        }
    }
}

/// The error for a failure at a byte offset.
pub(super) fn locate_error(
    text: &str,
    offset: usize,
    stop: JsonScanError,
    path: String,
) -> JsonError {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |last| last.chars().count())
        + 1;
    JsonError {
        code: stop.code,
        message: stop.message,
        hint: stop.hint.map(str::to_owned),
        path,
        offset,
        line,
        column,
    }
}
