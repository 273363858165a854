//! [`DecodeError`]: why a value is not of a type, and where.

use std::fmt;

use crate::error::RequestProblem;
use crate::value::Value;

/// A value that is not of the type read from it.
#[derive(Debug)]
pub struct DecodeError(Box<DecodeMismatch>);

#[derive(Debug)]
struct DecodeMismatch {
    message: String,
    hint: Option<String>,
    /// Innermost segment first.
    path: Vec<DecodeSegment>,
}

#[derive(Debug)]
enum DecodeSegment {
    Key(String),
    Index(usize),
    /// A pointer that the failing type built itself, such as `/2/1` inside a matrix.
    Pointer(String),
}

impl DecodeError {
    /// An error at the value itself.
    pub fn new(message: impl fmt::Display) -> Self {
        Self(Box::new(DecodeMismatch {
            message: message.to_string(),
            hint: None,
            path: Vec::new(),
        }))
    }

    /// `expected WHAT, found` the value in its own words.
    pub fn expected(what: &str, found: &Value) -> Self {
        Self::new(format_args!("expected {what}, found {}", found.kind()))
    }

    /// As [`DecodeError::expected`], with numbers and truth values in full and arrays in short.
    pub fn unexpected(found: &Value, expected: impl fmt::Display) -> Self {
        let found = match found {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => format!("boolean `{value}`"),
            Value::Int(number) => format!("the integer {number}"),
            Value::Float(number) => format!("the number {number}"),
            Value::String(_) => found.kind(),
            Value::Array(_) | Value::Numbers(_) => "an array".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        };
        Self::new(format_args!("expected {expected}, found {found}"))
    }

    pub(crate) fn missing(field: &str) -> Self {
        Self::new(format_args!("missing required argument `{field}`")).under_key(field)
    }

    pub(crate) fn unknown_field(field: &str, expected: &[&str]) -> Self {
        let instead = crate::nearest::suggest_instead(field, expected.iter().copied());
        let shown = crate::brief::brief_name(field);
        Self::new(format_args!("unknown argument `{shown}`{instead}")).under_key(field)
    }

    /// The error for a name that is none of those expected, with the nearest one.
    pub fn unknown_variant(variant: &str, expected: &[&str]) -> Self {
        let near = crate::nearest::nearest_name(variant, expected.iter().copied());
        let near = near.map(|name| format!("; did you mean `{name}`?"));
        let near = near.unwrap_or_default();
        let (names, shown) = (expected.join("`, `"), crate::brief::brief_name(variant));
        Self::new(format_args!(
            "expected one of `{names}`, found `{shown}`{near}"
        ))
    }

    /// The same error, seen from the object around it.
    #[must_use]
    pub fn under_key(mut self, key: &str) -> Self {
        self.0.path.push(DecodeSegment::Key(key.to_owned()));
        self
    }

    /// The same error, seen from the array around it.
    #[must_use]
    pub fn under_index(mut self, index: usize) -> Self {
        self.0.path.push(DecodeSegment::Index(index));
        self
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in self.0.path.iter().rev() {
            match segment {
                DecodeSegment::Key(key) => crate::path::push_key(&mut pointer, key),
                DecodeSegment::Index(index) => crate::path::push_index(&mut pointer, *index),
                DecodeSegment::Pointer(inner) => pointer.push_str(inner),
            }
        }
        pointer
    }
}

impl From<RequestProblem> for DecodeError {
    fn from(problem: RequestProblem) -> Self {
        Self(Box::new(DecodeMismatch {
            message: problem.message,
            hint: problem.hint,
            path: vec![DecodeSegment::Pointer(problem.path)],
        }))
    }
}

impl From<DecodeError> for RequestProblem {
    fn from(error: DecodeError) -> Self {
        Self {
            hint: error.0.hint.clone(),
            ..Self::new(error.pointer(), &error.0.message)
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for DecodeError {}
