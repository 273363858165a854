//! [`Document`]: YAML, TOML and JSON as one kind of value that knows where each part was written.
//!
//! Configuration, roles and plans are read through this. The language is as strict as the JSON at the door: unique keys,
//! bounded depth and size, no anchors, no tags, no number that a double does not hold.

mod json;
mod spans;
mod toml;
mod typed;
mod yaml;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_core::Value;

use crate::error::{LoadError, LoadErrors, Place};
pub use spans::Node as Part;
use spans::Spans;
pub use typed::{read as read_typed, report, schema_of};

/// Deepest nesting of lists and tables.
pub const DEPTH_MAX: usize = 128;
/// Most problems of one text that are kept.
const FAULTS_MAX: usize = 1000;
/// Longest YAML or TOML text, in bytes.
pub const BYTES_MAX: usize = 32 << 20;

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, core schema.
    Yaml,
    /// TOML 1.
    Toml,
    /// JSON.
    Json,
}

impl Format {
    /// By the ending of a file name; YAML where it says nothing.
    pub fn of_name(name: &str) -> Self {
        match name.rsplit('.').next() {
            Some("toml") => Self::Toml,
            Some("json") => Self::Json,
            _ => Self::Yaml,
        }
    }
}

/// A parsed text: its value, and where each part of it was written.
#[derive(Debug, Clone)]
pub struct Document {
    /// The value.
    pub value: Value,
    name: Arc<str>,
    spans: Spans,
}

impl Document {
    /// A document that says nothing.
    pub(crate) fn empty() -> Self {
        Self {
            value: Value::Null,
            name: "".into(),
            spans: Spans::Json("".into()),
        }
    }

    /// What another language than these was read into; the parts have the shape of the value.
    pub fn of_parts(name: &str, value: Value, parts: Part) -> Self {
        Self {
            value,
            name: name.into(),
            spans: Spans::Tree(parts),
        }
    }

    /// Line and column (both from 1) of the value at a JSON pointer; of an object's member, of its key. A pointer that
    /// leads nowhere gives the deepest part there is.
    pub fn locate(&self, pointer: &str) -> (u32, u32) {
        let places = self.locate_all(&[pointer]);
        places.first().copied().unwrap_or((1, 1))
    }

    /// [`Document::locate`] of many pointers, for which the text is looked at once.
    pub fn locate_all(&self, pointers: &[&str]) -> Vec<(u32, u32)> {
        self.spans.locate(&self.value, pointers)
    }

    /// [`Document::locate`] with the name of the text.
    pub fn place(&self, pointer: &str) -> Place {
        let (line, column) = self.locate(pointer);
        self.at(line, column)
    }

    /// A line and column with the name of the text.
    fn at(&self, line: u32, column: u32) -> Place {
        Place {
            file: Arc::clone(&self.name),
            line,
            column,
        }
    }

    /// Every text that looks like a secret, as an error that does not repeat it: a configuration names the variable of the
    /// environment that holds one.
    pub(crate) fn secrets(&self) -> Vec<LoadError> {
        let mut errors = Vec::new();
        self.secrets_below(&self.value, &mut String::new(), &mut errors);
        errors
    }

    /// Documents are at most [`DEPTH_MAX`] deep.
    fn secrets_below(&self, value: &Value, pointer: &mut String, errors: &mut Vec<LoadError>) {
        let length = pointer.len();
        match value {
            Value::String(text) if crate::redact::text(text).1 > 0 => {
                let place = self.place(pointer);
                errors.push(
                    LoadError::new(Some(&place), "a secret is written here in plain text")
                        .at(pointer.clone())
                        .hint("keep it in a variable of the environment and write `env:NAME`"),
                );
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    tool_core::path::push_index(pointer, index);
                    self.secrets_below(item, pointer, errors);
                    pointer.truncate(length);
                }
            }
            Value::Object(object) => {
                for (key, member) in object.iter() {
                    tool_core::path::push_key(pointer, key);
                    self.secrets_below(member, pointer, errors);
                    pointer.truncate(length);
                }
            }
            _ => {}
        }
    }

    /// Names the text, usually by its file name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }
}

/// A value, where its parts were written, and what reading went on after.
type Parsed = (Value, Spans, Vec<Fault>);

/// Reads a text in the given language; the name appears in places.
///
/// # Errors
/// Every problem that can be seen, with line and column.
pub fn parse(name: &str, text: &str, format: Format) -> Result<Document, LoadErrors> {
    let (document, errors) = read(name, text, format)?;
    LoadErrors::check(errors)?;
    Ok(document)
}

/// As [`parse`], for a reader who goes on where that can be: of a key that is given twice the first value holds, anchors and tags
/// are left out, and what is no finite number is `null`. Whoever takes the document refuses it in the end.
///
/// # Errors
/// What is no document at all.
pub fn read(
    name: &str,
    text: &str,
    format: Format,
) -> Result<(Document, Vec<LoadError>), LoadErrors> {
    let parsed = match format {
        Format::Yaml => yaml::parse(text),
        Format::Toml => toml::parse(text),
        Format::Json => json::parse(text),
    };
    let name: Arc<str> = name.into();
    let error = |fault: Fault| {
        let place = Place {
            file: Arc::clone(&name),
            line: fault.line,
            column: fault.column,
        };
        let mut error = LoadError::new(Some(&place), fault.message).at(fault.pointer);
        error.hint = fault.hint;
        error
    };
    match parsed {
        Ok((value, spans, faults)) => {
            let errors = faults.into_iter().map(error).collect();
            Ok((Document { value, name, spans }, errors))
        }
        Err(faults) => {
            LoadErrors::check(faults.into_iter().map(error).collect())?;
            Ok((Document::empty().named(&name), Vec::new()))
        }
    }
}

/// Reads YAML 1.2 with the core schema; anchors, aliases, tags, duplicate keys and more than one document are refused.
///
/// # Errors
/// The first problem, with line and column.
pub fn parse_yaml(text: &str) -> Result<Document, LoadErrors> {
    parse("yaml", text, Format::Yaml)
}

/// Reads TOML; dates are kept as text, non-finite numbers are refused.
///
/// # Errors
/// The first problem, with line and column.
pub fn parse_toml(text: &str) -> Result<Document, LoadErrors> {
    parse("toml", text, Format::Toml)
}

/// Reads strict JSON.
///
/// # Errors
/// The first problem, with line and column.
pub fn parse_json(text: &str) -> Result<Document, LoadErrors> {
    parse("json", text, Format::Json)
}

/// Why a text is no document.
#[derive(Debug)]
struct Fault {
    line: u32,
    column: u32,
    pointer: String,
    message: String,
    hint: Option<String>,
}

impl Fault {
    fn new((line, column): (u32, u32), message: impl Into<String>) -> Self {
        Self {
            line,
            column,
            pointer: String::new(),
            message: message.into(),
            hint: None,
        }
    }

    fn hint(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

/// A number that a text spells, when the double it stands for can be kept.
fn number(text: &str) -> Result<Value, String> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    if unsigned
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-')
        && let Ok(integer) = unsigned.parse::<i64>()
    {
        let zero_with_sign = integer == 0 && unsigned.starts_with('-');
        return match Value::from(integer) {
            Value::Int(_) if zero_with_sign => Ok(Value::Float(-0.0)),
            Value::Int(integer) => Ok(Value::Int(integer)),
            _ => Err(too_wide(text)),
        };
    }
    let whole = unsigned
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    match unsigned.parse::<f64>() {
        Ok(_) if whole => Err(too_wide(text)),
        Ok(value) if value.is_finite() => Ok(Value::Float(value)),
        Ok(_) => Err(format!("`{text}` is beyond the range of a double")),
        Err(_) => Err(format!("`{text}` is not a number")),
    }
}

fn too_wide(text: &str) -> String {
    format!(
        "the integer `{text}` is beyond 2^53; where a text is taken, as for a seed, write it in quotes"
    )
}
