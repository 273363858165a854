//! JSON into a document: the strict scan of the door, and a second look for places.

use tool_core::json::{self, JsonLimits};

use super::fault::DocumentFault;
use super::spans::{DocumentSpans, LineIndex, Parsed, saturate_to_u32};

pub(super) fn parse_json_document(text: &str) -> Result<Parsed, Vec<DocumentFault>> {
    let err = match json::parse_json(text, JsonLimits::default()) {
        Ok(value) => return Ok((value, DocumentSpans::Json(text.into()), Vec::new())),
        Err(err) => err,
    };
    let fault = DocumentFault {
        line: saturate_to_u32(err.line),
        column: saturate_to_u32(err.column),
        pointer: err.path,
        message: err.message,
        hint: err.hint,
    };
    // JSON is YAML, whose reader goes on after what it can do without.
    match super::yaml::parse_yaml_document(text) {
        Ok((value, spans, mut faults)) => {
            let place = |fault: &DocumentFault| (fault.line, fault.column);
            if !faults.iter().any(|other| place(other) == place(&fault)) {
                faults.insert(0, fault);
            }
            Ok((value, spans, faults))
        }
        Err(_) => Err(vec![fault]),
    }
}

/// Where the parts reached by these positions begin, in a text known to be valid JSON; the text is scanned once.
pub(super) fn locate_json_parts(text: &str, ways: &[Vec<usize>]) -> Vec<(u32, u32)> {
    let mut order: Vec<usize> = (0..ways.len()).collect();
    order.sort_by_key(|&way| &ways[way]);
    let mut scan = JsonSpanScanner {
        bytes: text.as_bytes(),
        at: 0,
    };
    scan.space();
    let mut starts = vec![scan.at; ways.len()];
    scan.visit(&order, ways, 0, &mut starts);
    let lines = LineIndex::new(text);
    starts.into_iter().map(|start| lines.of(start)).collect()
}

struct JsonSpanScanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl JsonSpanScanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Notes where the parts begin that lie deeper on these ways, which are in order and the same up to this value. The depth is
    /// that of the document.
    fn visit(&mut self, order: &[usize], ways: &[Vec<usize>], depth: usize, starts: &mut [usize]) {
        let ended = order.partition_point(|&way| ways[way].len() <= depth);
        let mut order = &order[ended..];
        if order.is_empty() {
            return self.value();
        }
        let object = self.peek() == Some(b'{');
        self.at += 1;
        let mut index = 0;
        while let Some(&first) = order.first() {
            while index < ways[first][depth] {
                self.member(object);
                self.space();
                self.at += 1; // the comma
                index += 1;
            }
            self.space();
            let start = self.at;
            let same = order.partition_point(|&way| ways[way][depth] == index);
            order[..same].iter().for_each(|&way| starts[way] = start);
            if object {
                self.key();
            }
            self.visit(&order[..same], ways, depth + 1, starts);
            order = &order[same..];
            if !order.is_empty() {
                self.space();
                self.at += 1; // the comma
                index += 1;
            }
        }
        // The rest of this value, as far as a later part needs it.
        self.rest(object);
    }

    /// Skips what is left of a list or object after one of its members.
    fn rest(&mut self, object: bool) {
        loop {
            self.space();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.member(object);
                }
                Some(_) => {
                    self.at += 1; // the bracket
                    return;
                }
                None => return,
            }
        }
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
