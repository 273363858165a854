//! [`ParsedDocument`]: YAML, TOML and JSON as one kind of value with the position of each part.
//!
//! Configuration, roles and plans are read through this. The language is as strict as the JSON at the door: unique keys,
//! bounded depth and size, no anchors, no tags, no number that a double does not hold.

mod fault;
mod json;
mod spans;
mod toml;
mod typed;
mod yaml;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_core::{Value, path};

use crate::error::{LoadError, LoadErrors, TextPlace};
use fault::DocumentFault;
pub use fault::{BYTES_MAX, DEPTH_MAX};
use spans::DocumentSpans;
pub use spans::SpanNode as Part;
pub use typed::{read_typed, report_problems, schema_of};

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// YAML 1.2, core schema.
    Yaml,
    /// TOML 1.
    Toml,
    /// JSON.
    Json,
}

impl DocumentFormat {
    /// By the extension of a file name; YAML for any other.
    pub fn of_name(name: &str) -> Self {
        match name.rsplit('.').next() {
            Some("toml") => Self::Toml,
            Some("json") => Self::Json,
            _ => Self::Yaml,
        }
    }
}

/// A parsed text: its value, and the position of each part.
#[derive(Debug, Clone)]
pub struct ParsedDocument {
    /// The value.
    pub value: Value,
    name: Arc<str>,
    spans: DocumentSpans,
}

impl ParsedDocument {
    /// An empty document.
    pub(crate) fn empty() -> Self {
        Self {
            value: Value::Null,
            name: "".into(),
            spans: DocumentSpans::Json("".into()),
        }
    }

    /// A document read from another language; the parts have the shape of the value.
    pub fn of_parts(name: &str, value: Value, parts: Part) -> Self {
        Self {
            value,
            name: name.into(),
            spans: DocumentSpans::Tree(parts),
        }
    }

    /// Line and column (both from 1) of the value at a JSON pointer; of an object's member, of its key. A pointer that
    /// leads nowhere gives the deepest part there is.
    pub fn locate(&self, pointer: &str) -> (u32, u32) {
        let places = self.locate_all(&[pointer]);
        places.first().copied().unwrap_or((1, 1))
    }

    /// [`ParsedDocument::locate`] of many pointers in one scan of the text.
    pub fn locate_all(&self, pointers: &[&str]) -> Vec<(u32, u32)> {
        self.spans.locate(&self.value, pointers)
    }

    /// [`ParsedDocument::locate`] with the name of the text.
    pub fn place(&self, pointer: &str) -> TextPlace {
        let (line, column) = self.locate(pointer);
        self.at(line, column)
    }

    /// [`ParsedDocument::place`] of many pointers in one scan of the text.
    pub fn places(&self, pointers: &[&str]) -> Vec<TextPlace> {
        let places = self.locate_all(pointers).into_iter();
        places.map(|(line, column)| self.at(line, column)).collect()
    }

    /// A line and column with the name of the text.
    fn at(&self, line: u32, column: u32) -> TextPlace {
        TextPlace {
            file: Arc::clone(&self.name),
            line,
            column,
        }
    }

    /// Every text that looks like a secret, as an error that does not repeat it: a configuration names the variable of the
    /// environment that holds one.
    pub(crate) fn secrets(&self) -> Vec<LoadError> {
        let mut secrets = Vec::new();
        secrets_below(&self.value, &mut String::new(), &mut secrets);
        let pointers: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let places = self.places(&pointers);
        let error = |(place, pointer): (TextPlace, &String)| {
            LoadError::new(Some(&place), "a secret is written here in plain text")
                .at(pointer.clone())
                .hint("keep it in a variable of the environment and write `env:NAME`")
        };
        places.into_iter().zip(&secrets).map(error).collect()
    }

    /// Names the text, usually by its file name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self
    }
}

/// Adds the pointers of texts that look like secrets. Documents are at most [`DEPTH_MAX`] deep.
fn secrets_below(value: &Value, pointer: &mut String, secrets: &mut Vec<String>) {
    let length = pointer.len();
    match value {
        Value::String(text) if crate::redact::redact_text(text).1 > 0 => {
            secrets.push(pointer.clone())
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path::push_index(pointer, index);
                secrets_below(item, pointer, secrets);
                pointer.truncate(length);
            }
        }
        Value::Object(object) => {
            for (key, member) in object.iter() {
                path::push_key(pointer, key);
                secrets_below(member, pointer, secrets);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

/// Reads a text in the given language; the name appears in places.
///
/// # Errors
/// Every problem found, with line and column.
pub fn parse_document(
    name: &str,
    text: &str,
    format: DocumentFormat,
) -> Result<ParsedDocument, LoadErrors> {
    let (document, errors) = read_document(name, text, format)?;
    LoadErrors::check(errors)?;
    Ok(document)
}

/// As [`parse_document`], but continues after an error where possible: the first value of a duplicate key counts, anchors and tags are ignored,
/// and a number that is not finite is `null`. The caller must refuse the document if there are errors.
///
/// # Errors
/// The text is not a document at all.
pub fn read_document(
    name: &str,
    text: &str,
    format: DocumentFormat,
) -> Result<(ParsedDocument, Vec<LoadError>), LoadErrors> {
    let parsed = match format {
        DocumentFormat::Yaml => yaml::parse_yaml_document(text),
        DocumentFormat::Toml => toml::parse_toml_document(text),
        DocumentFormat::Json => json::parse_json_document(text),
    };
    let name: Arc<str> = name.into();
    let error = |fault: DocumentFault| {
        let place = TextPlace {
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
            Ok((ParsedDocument { value, name, spans }, errors))
        }
        Err(faults) => {
            LoadErrors::check(faults.into_iter().map(error).collect())?;
            Ok((ParsedDocument::empty().named(&name), Vec::new()))
        }
    }
}

/// Reads YAML 1.2 with the core schema; anchors, aliases, tags, duplicate keys and more than one document are refused.
///
/// # Errors
/// The first problem, with line and column.
pub fn parse_yaml(text: &str) -> Result<ParsedDocument, LoadErrors> {
    parse_document("yaml", text, DocumentFormat::Yaml)
}
