//! Strings and their escapes.

use std::sync::Arc;

use super::{JsonScanError, JsonScanner};

impl JsonScanner<'_> {
    /// Reads a string from its opening quotation mark.
    pub(super) fn string(&mut self) -> Result<Arc<str>, JsonScanError> {
        let start = self.position + 1;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                Some(b'"') => {
                    let text = Arc::from(self.piece(start, end)?);
                    self.position = end + 1;
                    return Ok(text);
                }
                Some(b'\\') => return self.escaped_string(start, end),
                Some(0x00..=0x1f) => {
                    self.position = end;
                    return Err(JsonScanError::new("a control character in a string")
                        .hint("write it as an escape such as \\n"));
                }
                Some(_) => end += 1,
                None => {
                    self.position = end;
                    return Err(JsonScanError::new("the text ends inside a string"));
                }
            }
        }
    }

    /// Continues a string that holds escapes; `end` is the first backslash.
    fn escaped_string(&mut self, start: usize, end: usize) -> Result<Arc<str>, JsonScanError> {
        let mut text = String::from(self.piece(start, end)?);
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
            text.push_str(self.piece(run, self.position)?);
            match self.peek() {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(Arc::from(text));
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => {
                    return Err(JsonScanError::new("a control character in a string")
                        .hint("write it as an escape such as \\n"));
                }
                None => return Err(JsonScanError::new("the text ends inside a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonScanError> {
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
                return Err(JsonScanError::new("an unknown escape in a string")
                    .hint("the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041"));
            }
        };
        self.position += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, JsonScanError> {
        let first = self.hex4(self.position)?;
        let scalar = match first {
            0xd800..=0xdbff => {
                let second = self
                    .hex4(self.position + 6)
                    .ok()
                    .filter(|low| (0xdc00..=0xdfff).contains(low));
                let Some(low) = second else {
                    return Err(JsonScanError::new("a lone surrogate in a string"));
                };
                self.position += 6;
                0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)
            }
            _ => first,
        };
        self.position += 6;
        char::from_u32(scalar).ok_or_else(|| JsonScanError::new("a lone surrogate in a string"))
    }

    fn hex4(&self, at: usize) -> Result<u32, JsonScanError> {
        let fault = || JsonScanError::new("expected `\\u` and four hexadecimal digits");
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
}
