//! The door scan: text to [`Value`] in one pass, with every limit checked on the way.

mod block;
mod error;
mod string;

use std::collections::HashSet;
use std::sync::Arc;

pub use self::error::JsonError;
use self::error::{JsonScanError, locate_error};
use super::number::{self, NumberFault};
use crate::value::{Object, Value};

/// What a document may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonLimits {
    /// Longest text, in bytes; checked before anything is read.
    pub bytes_max: usize,
    /// Deepest nesting of arrays and objects.
    pub depth_max: usize,
    /// Most memory the parsed value may hold, in bytes.
    pub memory_bytes_max: usize,
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self {
            bytes_max: 256 << 20,
            depth_max: 128,
            memory_bytes_max: 4 << 30,
        }
    }
}

/// Parses bytes that should be UTF-8 JSON.
///
/// # Errors
/// As [`parse_json`], and for bytes that are not UTF-8 (with the offset of the first bad one).
pub fn parse_bytes(bytes: &[u8], limits: JsonLimits) -> Result<Value, JsonError> {
    // Outside strings the grammar has ASCII only, so that only the strings of a valid document need to be checked.
    scan_document(bytes, None, limits).map_err(|(stop, offset, path)| {
        match std::str::from_utf8(bytes) {
            Ok(text) => locate_error(text, offset, stop, path),
            Err(err) => {
                let valid = std::str::from_utf8(&bytes[..err.valid_up_to()]).unwrap_or_default();
                locate_error(
                    valid,
                    err.valid_up_to(),
                    JsonScanError::new(NOT_UTF8),
                    String::new(),
                )
            }
        }
    })
}

const NOT_UTF8: &str = "the text is not UTF-8";

/// Parses one JSON document: strict grammar, unique keys, bounded depth, size and memory, correctly rounded doubles.
///
/// # Errors
/// [`JsonError`] with line, column and JSON pointer of the culprit.
pub fn parse_json(text: &str, limits: JsonLimits) -> Result<Value, JsonError> {
    scan_document(text.as_bytes(), Some(text), limits)
        .map_err(|(stop, offset, path)| locate_error(text, offset, stop, path))
}

/// The document, or why there is none, at which byte offset and JSON pointer.
fn scan_document(
    bytes: &[u8],
    text: Option<&str>,
    limits: JsonLimits,
) -> Result<Value, (JsonScanError, usize, String)> {
    if bytes.len() > limits.bytes_max {
        let (found, most) = (bytes.len(), limits.bytes_max);
        let stop = JsonScanError::limit(
            format!("the text has {found} bytes, the limit is {most}"),
            "raise `limits.max_input_bytes`, or pass large arrays as {\"$file\": ...}",
        );
        return Err((stop, 0, String::new()));
    }
    let mut scan = JsonScanner {
        text,
        bytes,
        position: 0,
        depth: 0,
        memory_bytes: 0,
        limits,
        path: Vec::new(),
    };
    scan.document()
        .map_err(|stop| (stop, scan.position, scan.pointer()))
}

enum JsonPathSegment {
    Key(Arc<str>),
    Index(usize),
}

struct JsonScanner<'a> {
    /// The bytes as text, where they are known to be UTF-8.
    text: Option<&'a str>,
    bytes: &'a [u8],
    position: usize,
    depth: usize,
    memory_bytes: usize,
    limits: JsonLimits,
    /// Position of the scan, kept on failure.
    path: Vec<JsonPathSegment>,
}

impl JsonScanner<'_> {
    fn document(&mut self) -> Result<Value, JsonScanError> {
        self.skip_space();
        if self.peek().is_none() {
            return Err(JsonScanError::new("the text is empty").hint("send one JSON object"));
        }
        let value = self.value()?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.expected("the end of the document")),
        }
    }

    fn value(&mut self) -> Result<Value, JsonScanError> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => {
                let text = self.string()?;
                self.charge(text.len() + 32)?;
                Ok(Value::String(text))
            }
            Some(b'-' | b'0'..=b'9') => Ok(self.number()?.to_value()),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            _ => {
                let stop = self.expected("a value");
                let rest = &self.bytes[self.position..];
                let names = [b"NaN".as_slice(), b"Infinity", b"+", b"nan", b"inf"];
                Err(match names.iter().any(|name| rest.starts_with(name)) {
                    true => stop.hint("JSON has no non-finite numbers and no plus sign"),
                    false => stop,
                })
            }
        }
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<Value, JsonScanError>,
    ) -> Result<Value, JsonScanError> {
        if self.depth == self.limits.depth_max {
            return Err(JsonScanError::limit(
                format!("nesting deeper than {} levels", self.limits.depth_max),
                "flatten the value",
            ));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, JsonScanError> {
        const LINEAR_MAX: usize = 16;
        self.position += 1;
        self.charge(64)?;
        let mut object = Object::new();
        let mut seen: HashSet<Arc<str>> = HashSet::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Object(Arc::new(object)));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in double quotes"));
            }
            let start = self.position;
            let key = self.string()?;
            if object.len() == LINEAR_MAX {
                seen = object.iter().map(|(name, _)| Arc::from(name)).collect();
            }
            let duplicate = if object.len() < LINEAR_MAX {
                object.get(&key).is_some()
            } else {
                !seen.insert(Arc::clone(&key))
            };
            if duplicate {
                self.position = start;
                return Err(JsonScanError::new(format!("duplicate key {key:?}"))
                    .hint("each key may occur once in an object"));
            }
            self.charge(key.len() + 64)?;
            self.skip_space();
            if !self.take(b':') {
                return Err(self.expected(&format!("`:` after the key {key:?}")));
            }
            self.skip_space();
            self.path.push(JsonPathSegment::Key(Arc::clone(&key)));
            let value = self.value()?;
            self.path.pop();
            object.push_unique(key, value);
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Object(Arc::new(object)));
            }
            if !self.take(b',') {
                return Err(self.expected("`,` or `}`"));
            }
        }
    }

    fn array(&mut self) -> Result<Value, JsonScanError> {
        let start = self.position;
        if let Some(numbers) = self.number_block()? {
            return Ok(Value::Numbers(numbers));
        }
        self.position = start + 1;
        self.charge(64)?;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::Array(Arc::new(items)));
        }
        loop {
            self.skip_space();
            self.path.push(JsonPathSegment::Index(items.len()));
            let item = self.value()?;
            self.path.pop();
            self.charge(48)?;
            items.push(item);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::array(items));
            }
            if !self.take(b',') {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn number(&mut self) -> Result<number::ParsedNumber, JsonScanError> {
        let parsed = number::read_json_number(&self.bytes[self.position..])
            .map_err(|fault| self.number_fault(fault))?;
        self.position += parsed.length;
        Ok(parsed)
    }

    fn number_fault(&self, fault: NumberFault) -> JsonScanError {
        match fault {
            NumberFault::Grammar => JsonScanError::new("not a JSON number")
                .hint("write digits on both sides of the point and after the exponent"),
            NumberFault::LeadingZero => JsonScanError::new("a number must not start with a zero")
                .hint("drop the leading zeros, or use a string"),
            NumberFault::Overflow => JsonScanError::new("the number is larger than any double")
                .hint("the largest double is about 1.8e308"),
            NumberFault::InexactInteger => {
                JsonScanError::new("the integer is beyond 2^63 and no double holds it exactly")
                    .hint("send it as a string, or with a decimal point if rounding is meant")
            }
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, JsonScanError> {
        if !self.bytes[self.position..].starts_with(word.as_bytes()) {
            return Err(self.expected("a value"));
        }
        self.position += word.len();
        Ok(value)
    }

    fn charge(&mut self, bytes: usize) -> Result<(), JsonScanError> {
        self.memory_bytes = self.memory_bytes.saturating_add(bytes);
        let most = self.limits.memory_bytes_max;
        if self.memory_bytes > most {
            return Err(JsonScanError::limit(
                format!("the value needs more than {most} bytes of memory"),
                "send less, or pass large arrays as {\"$file\": ...}",
            ));
        }
        Ok(())
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            match segment {
                JsonPathSegment::Key(key) => crate::path::push_key(&mut pointer, key),
                JsonPathSegment::Index(index) => crate::path::push_index(&mut pointer, *index),
            }
        }
        pointer
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    #[inline]
    fn skip_space(&mut self) {
        self.position = behind_space(self.bytes, self.position);
    }

    /// A part of the text that begins and ends between characters, if it is UTF-8.
    fn piece(&self, start: usize, end: usize) -> Result<&str, JsonScanError> {
        match self.text {
            Some(text) => Ok(&text[start..end]),
            None => std::str::from_utf8(&self.bytes[start..end])
                .map_err(|_| JsonScanError::new(NOT_UTF8)),
        }
    }

    /// The failure at what is here instead of something else.
    fn expected(&self, what: &str) -> JsonScanError {
        const CHARACTER_BYTES_MAX: usize = 4;
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let next = &rest[..rest.len().min(CHARACTER_BYTES_MAX)];
        let character = next.utf8_chunks().next();
        let found = match character.and_then(|chunk| chunk.valid().chars().next()) {
            None => "the end of the text".to_owned(),
            Some(character) => format!("`{}`", character.escape_debug()),
        };
        JsonScanError::new(format!("expected {what}, found {found}"))
    }
}

/// The first place from `position` on that is not white space.
#[inline(always)]
fn behind_space(bytes: &[u8], mut position: usize) -> usize {
    while matches!(bytes.get(position), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        position += 1;
    }
    position
}
