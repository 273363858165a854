//! The door scan: text to [`Value`] in one pass, with every limit checked on the way.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

mod block;

use super::number::{self, Fault};
use crate::error::{ErrorCode, Problem, ToolError};
use crate::value::{Object, Value};

/// What a document may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest text, in bytes; checked before anything is read.
    pub bytes_max: usize,
    /// Deepest nesting of arrays and objects.
    pub depth_max: usize,
    /// Most memory the parsed value may hold, in bytes.
    pub memory_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes_max: 256 << 20,
            depth_max: 128,
            memory_bytes_max: 4 << 30,
        }
    }
}

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
        let mut problem = Problem::new(err.path.clone(), err.to_string());
        problem.hint = err.hint;
        Self::of_problems(err.code, vec![problem]).reason("json")
    }
}

/// Parses bytes that should be UTF-8 JSON.
///
/// # Errors
/// As [`parse`], and for bytes that are not UTF-8 (with the offset of the first bad one).
pub fn parse_bytes(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, limits),
        Err(err) => {
            let valid = std::str::from_utf8(&bytes[..err.valid_up_to()]).unwrap_or_default();
            Err(locate(
                valid,
                err.valid_up_to(),
                Stop::new("the text is not UTF-8"),
                String::new(),
            ))
        }
    }
}

/// Parses one JSON document: strict grammar, unique keys, bounded depth, size and memory, correctly rounded doubles.
///
/// # Errors
/// [`JsonError`] with line, column and JSON pointer of the culprit.
pub fn parse(text: &str, limits: Limits) -> Result<Value, JsonError> {
    if text.len() > limits.bytes_max {
        let stop = Stop::limit(
            format!(
                "the text has {} bytes, the limit is {}",
                text.len(),
                limits.bytes_max
            ),
            "raise `limits.max_input_bytes`, or pass large arrays as {\"$file\": ...}",
        );
        return Err(locate(text, 0, stop, String::new()));
    }
    let mut scan = Scan {
        text,
        bytes: text.as_bytes(),
        position: 0,
        depth: 0,
        memory_bytes: 0,
        limits,
        path: Vec::new(),
    };
    scan.document().map_err(|stop| {
        let (offset, path) = (scan.position, scan.pointer());
        locate(text, offset, stop, path)
    })
}

/// A failure inside the scan; position and path are the scan's own at that moment.
struct Stop {
    code: ErrorCode,
    message: String,
    hint: Option<&'static str>,
}

impl Stop {
    fn new(message: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidRequest,
            message: message.into(),
            hint: None,
        }
    }

    fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    fn limit(message: String, hint: &'static str) -> Self {
        Self {
            code: ErrorCode::LimitExceeded,
            message,
            hint: Some(hint),
        }
    }
}

fn locate(text: &str, offset: usize, stop: Stop, path: String) -> JsonError {
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

enum Segment {
    Key(Arc<str>),
    Index(usize),
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    depth: usize,
    memory_bytes: usize,
    limits: Limits,
    /// Where the scan is; left as it stands when it fails.
    path: Vec<Segment>,
}

impl Scan<'_> {
    fn document(&mut self) -> Result<Value, Stop> {
        self.skip_space();
        if self.peek().is_none() {
            return Err(Stop::new("the text is empty").hint("send one JSON object"));
        }
        let value = self.value()?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(Stop::new(format!(
                "expected the end of the document, found {}",
                self.found()
            ))),
        }
    }

    fn value(&mut self) -> Result<Value, Stop> {
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
                let stop = Stop::new(format!("expected a value, found {}", self.found()));
                let rest = &self.bytes[self.position..];
                let non_finite = [b"NaN".as_slice(), b"Infinity", b"+", b"nan", b"inf"]
                    .iter()
                    .any(|name| rest.starts_with(name));
                Err(if non_finite {
                    stop.hint("JSON has no non-finite numbers and no plus sign")
                } else {
                    stop
                })
            }
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Stop>) -> Result<Value, Stop> {
        if self.depth == self.limits.depth_max {
            return Err(Stop::limit(
                format!("nesting deeper than {} levels", self.limits.depth_max),
                "flatten the value",
            ));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, Stop> {
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
                return Err(Stop::new(format!(
                    "expected a key in double quotes, found {}",
                    self.found()
                )));
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
                return Err(Stop::new(format!("duplicate key {key:?}"))
                    .hint("each key may stand once in an object"));
            }
            self.charge(key.len() + 64)?;
            self.skip_space();
            if !self.take(b':') {
                return Err(Stop::new(format!(
                    "expected `:` after the key {key:?}, found {}",
                    self.found()
                )));
            }
            self.skip_space();
            self.path.push(Segment::Key(Arc::clone(&key)));
            let value = self.value()?;
            self.path.pop();
            object.push_unique(key, value);
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Object(Arc::new(object)));
            }
            if !self.take(b',') {
                return Err(Stop::new(format!(
                    "expected `,` or `}}`, found {}",
                    self.found()
                )));
            }
        }
    }

    fn array(&mut self) -> Result<Value, Stop> {
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
            self.path.push(Segment::Index(items.len()));
            let item = self.value()?;
            self.path.pop();
            self.charge(48)?;
            items.push(item);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::array(items));
            }
            if !self.take(b',') {
                return Err(Stop::new(format!(
                    "expected `,` or `]`, found {}",
                    self.found()
                )));
            }
        }
    }

    fn number(&mut self) -> Result<number::Parsed, Stop> {
        let parsed =
            number::read(&self.bytes[self.position..]).map_err(|fault| self.number_fault(fault))?;
        self.position += parsed.length;
        Ok(parsed)
    }

    fn number_fault(&self, fault: Fault) -> Stop {
        match fault {
            Fault::Grammar => Stop::new("not a JSON number")
                .hint("write digits on both sides of the point and after the exponent"),
            Fault::LeadingZero => Stop::new("a number must not start with a zero")
                .hint("drop the leading zeros, or use a string"),
            Fault::Overflow => Stop::new("the number is larger than any double")
                .hint("the largest double is about 1.8e308"),
            Fault::InexactInteger => {
                Stop::new("the integer is beyond 2^53 and no double holds it exactly")
                    .hint("send it as a string, or with a decimal point if rounding is meant")
            }
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, Stop> {
        if !self.bytes[self.position..].starts_with(word.as_bytes()) {
            return Err(Stop::new(format!(
                "expected a value, found {}",
                self.found()
            )));
        }
        self.position += word.len();
        Ok(value)
    }

    fn string(&mut self) -> Result<Arc<str>, Stop> {
        let start = self.position + 1;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                Some(b'"') => {
                    self.position = end + 1;
                    return Ok(Arc::from(&self.text[start..end]));
                }
                Some(b'\\') => return self.escaped_string(start, end),
                Some(0x00..=0x1f) => {
                    self.position = end;
                    return Err(Stop::new("a control character in a string")
                        .hint("write it as an escape such as \\n"));
                }
                Some(_) => end += 1,
                None => {
                    self.position = end;
                    return Err(Stop::new("the text ends inside a string"));
                }
            }
        }
    }

    /// Continues a string that holds escapes; `end` is the first backslash.
    fn escaped_string(&mut self, start: usize, end: usize) -> Result<Arc<str>, Stop> {
        let mut text = String::from(&self.text[start..end]);
        self.position = end;
        loop {
            let run = self.position;
            while self
                .bytes
                .get(self.position)
                .is_some_and(|&byte| byte != b'"' && byte != b'\\' && byte >= 0x20)
            {
                self.position += 1;
            }
            text.push_str(&self.text[run..self.position]);
            match self.peek() {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(Arc::from(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => {
                    return Err(Stop::new("a control character in a string")
                        .hint("write it as an escape such as \\n"));
                }
                None => return Err(Stop::new("the text ends inside a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Stop> {
        let letter = self.bytes.get(self.position + 1).copied();
        let plain = match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            _ => {
                return Err(Stop::new("an unknown escape in a string")
                    .hint("the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041"));
            }
        };
        self.position += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, Stop> {
        let first = self.hex4(self.position)?;
        let scalar = match first {
            0xd800..=0xdbff => {
                let second = self
                    .hex4(self.position + 6)
                    .ok()
                    .filter(|low| (0xdc00..=0xdfff).contains(low));
                let Some(low) = second else {
                    return Err(Stop::new("a lone surrogate in a string"));
                };
                self.position += 6;
                0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)
            }
            _ => first,
        };
        self.position += 6;
        char::from_u32(scalar).ok_or_else(|| Stop::new("a lone surrogate in a string"))
    }

    fn hex4(&self, at: usize) -> Result<u32, Stop> {
        let fault = || Stop::new("expected `\\u` and four hexadecimal digits");
        let digits = self
            .bytes
            .get(at..at + 6)
            .filter(|bytes| bytes.starts_with(b"\\u"))
            .ok_or_else(fault)?;
        digits[2..]
            .iter()
            .try_fold(0, |value, &byte| {
                Some(value * 16 + char::from(byte).to_digit(16)?)
            })
            .ok_or_else(fault)
    }

    fn charge(&mut self, bytes: usize) -> Result<(), Stop> {
        self.memory_bytes = self.memory_bytes.saturating_add(bytes);
        if self.memory_bytes > self.limits.memory_bytes_max {
            return Err(Stop::limit(
                format!(
                    "the value needs more than {} bytes of memory",
                    self.limits.memory_bytes_max
                ),
                "send less, or pass large arrays as {\"$file\": ...}",
            ));
        }
        Ok(())
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            match segment {
                Segment::Key(key) => crate::path::push_key(&mut pointer, key),
                Segment::Index(index) => crate::path::push_index(&mut pointer, *index),
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
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.position += 1;
        }
    }

    fn found(&self) -> String {
        match self
            .text
            .get(self.position..)
            .and_then(|rest| rest.chars().next())
        {
            None => "the end of the text".to_owned(),
            Some(character) => format!("`{}`", character.escape_debug()),
        }
    }
}
