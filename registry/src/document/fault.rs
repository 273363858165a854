//! Errors in the text of a document, and its limits.

use tool_core::Value;

/// Deepest nesting of lists and tables.
pub const DEPTH_MAX: usize = 128;
/// Maximum number of errors reported for one text.
pub(super) const FAULTS_MAX: usize = 1000;
/// Longest YAML or TOML text, in bytes.
pub const BYTES_MAX: usize = 32 << 20;

/// An error in a text, with its position.
#[derive(Debug)]
pub(super) struct DocumentFault {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) pointer: String,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl DocumentFault {
    pub(super) fn new((line, column): (u32, u32), message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            pointer: String::new(),
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

/// Refuses a text beyond [`BYTES_MAX`].
pub(super) fn check_size(text: &str) -> Result<(), DocumentFault> {
    let bytes = text.len();
    let message = || format!("the text has {bytes} bytes, the limit is {BYTES_MAX}");
    match bytes > BYTES_MAX {
        true => Err(DocumentFault::new((1, 1), message())),
        false => Ok(()),
    }
}

/// The number that a text spells: an integer of 64 bits with all its digits, or a double.
pub(super) fn parse_double(text: &str) -> Result<Value, String> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let digit = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    let whole = unsigned.bytes().all(digit);
    if whole && let Ok(integer) = unsigned.parse::<i64>() {
        let zero_with_sign = integer == 0 && unsigned.starts_with('-');
        return Ok(match zero_with_sign {
            true => Value::Float(-0.0),
            false => Value::Int(integer),
        });
    }
    match unsigned.parse::<f64>() {
        // As in JSON: a larger integer is a double where that has its digits.
        Ok(value) if whole && format!("{value:.0}") != unsigned => Err(too_wide(text)),
        Ok(value) if value.is_finite() => Ok(Value::Float(value)),
        Ok(_) => Err(format!("`{text}` is beyond the range of a double")),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}

pub(super) fn too_wide(text: &str) -> String {
    format!(
        "the integer `{text}` is beyond 64 bits and no double holds it exactly; where text is accepted, as for a seed, write it in quotes"
    )
}
