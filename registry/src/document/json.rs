//! JSON into a document: the strict scan of the door, and a second look for places.

use tool_core::Value;
use tool_core::json::{self, Limits};

use super::Fault;
use super::spans::{Lines, Spans, saturate};

pub(super) fn parse(text: &str) -> Result<(Value, Spans), Fault> {
    match json::parse(text, Limits::default()) {
        Ok(value) => Ok((value, Spans::Json(text.into()))),
        Err(err) => Err(Fault {
            line: saturate(err.line),
            column: saturate(err.column),
            pointer: err.path,
            message: err.message,
            hint: err.hint,
        }),
    }
}

/// Where the part reached by these positions begins, in a text known to be valid JSON.
pub(super) fn locate(text: &str, indices: &[usize]) -> (u32, u32) {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
    };
    scan.space();
    let mut start = scan.at;
    for &index in indices {
        let object = scan.peek() == Some(b'{');
        scan.at += 1;
        for _ in 0..index {
            scan.member(object);
            scan.space();
            scan.at += 1; // the comma
        }
        scan.space();
        start = scan.at;
        if object {
            scan.key();
        }
    }
    Lines::new(text).of(start)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn key(&mut self) {
        self.string();
        self.space();
        self.at += 1; // the colon
        self.space();
    }

    fn member(&mut self, object: bool) {
        self.space();
        if object {
            self.key();
        }
        self.value();
    }

    /// Skips a value: brackets are counted, strings are stepped over.
    fn value(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.string();
                    if depth == 0 {
                        return;
                    }
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' if depth == 0 => return,
                b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return;
                    }
                }
                b',' if depth == 0 => return,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => return,
                _ => {}
            }
        }
    }
}
