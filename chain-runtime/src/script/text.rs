//! Texts in quotes, and numbers.

use tool_core::{Value, json};

use super::faults::{Read, shortened};
use super::parse::Parser;

const ESCAPES: &str = "the escapes are \\n \\r \\t \\b \\f \\0 \\\\ \\\" \\' \\/ \\xHH and \\uHHHH";

impl Parser<'_> {
    /// A text in one or three quotes of either kind; one in a single pair ends on its line.
    pub(super) fn quoted(&mut self) -> Read<String> {
        let start = self.at;
        let quote = if self.rest().starts_with('"') {
            '"'
        } else {
            '\''
        };
        let long = [quote; 3].iter().collect::<String>();
        let end = match self.rest().starts_with(&long) {
            true => long,
            false => quote.to_string(),
        };
        let across = end.len() > 1;
        self.at += end.len();
        let mut text = String::new();
        loop {
            if self.eat(&end) {
                return Ok(text);
            }
            let Some(next) = self.rest().chars().next() else {
                return Err(self.fault(
                    start,
                    "the text does not end",
                    format!("close it with {end}"),
                ));
            };
            match next {
                '\\' => text.push(self.escape()?),
                '\n' if !across => {
                    return Err(self.fault(
                        start,
                        "the text does not end on its line",
                        format!("close it with {end}, or begin and end it with three quotes"),
                    ));
                }
                '\r' if self.rest().starts_with("\r\n") => self.at += 1, // lines end alike everywhere
                '\t' | '\n' => {
                    text.push(next);
                    self.at += 1;
                }
                control if control.is_control() => {
                    return Err(self.fault(
                        self.at,
                        format!("the text holds the control character {control:?}"),
                        ESCAPES,
                    ));
                }
                other => {
                    text.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let start = self.at;
        let mut after = self.rest().chars().skip(1);
        let kind = after.next();
        let plain = match kind {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('0') => Some('\0'),
            Some(same @ ('\\' | '"' | '\'' | '/')) => Some(same),
            _ => None,
        };
        if let Some(plain) = plain {
            self.at += 2;
            return Ok(plain);
        }
        let code = match kind {
            Some('x') => self.hex(2, 2),
            Some('u') => self.hex(2, 4),
            _ => None,
        };
        let wrong = self.fault(start, "unknown escape", ESCAPES);
        let Some(code) = code else {
            return Err(wrong);
        };
        self.at += if kind == Some('x') { 4 } else { 6 };
        if !(0xD800..0xDC00).contains(&code) {
            return char::from_u32(code).ok_or(wrong);
        }
        // The first half of a pair.
        let low = match self.rest().starts_with("\\u") {
            true => self.hex(2, 4).filter(|low| (0xDC00..0xE000).contains(low)),
            false => None,
        };
        let whole =
            low.and_then(|low| char::from_u32(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)));
        match whole {
            Some(whole) => {
                self.at += 6;
                Ok(whole)
            }
            None => Err(wrong),
        }
    }

    /// The hexadecimal digits that come after so many bytes.
    fn hex(&self, skip: usize, digits: usize) -> Option<u32> {
        let text = self.rest().get(skip..skip + digits)?;
        let all = text.bytes().all(|b| b.is_ascii_hexdigit());
        all.then(|| u32::from_str_radix(text, 16).ok()).flatten()
    }

    /// A number as JSON spells it.
    pub(super) fn number(&mut self) -> Read<Value> {
        let start = self.at;
        let rest = self.rest();
        let mut end = 0;
        let mut before = ' ';
        for c in rest.chars() {
            let sign = matches!(c, '+' | '-') && (end == 0 || matches!(before, 'e' | 'E'));
            if !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || sign) {
                break;
            }
            end += c.len_utf8();
            before = c;
        }
        let text = &rest[..end];
        if let Ok(value) = json::parse(text, json::Limits::default())
            && value.as_f64().is_some()
        {
            self.at += end;
            return Ok(value);
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let hint = match digits.chars().next() {
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                "a script computes nothing itself: make it a call of `calculate`"
            }
            None => "a script computes nothing itself: make it a call of `calculate`",
            Some(_) if whole && !digits.starts_with('0') => {
                "integers beyond 2^53 are written as texts, in quotes"
            }
            Some(_) => "numbers are written as in JSON: 12, -0.5, 1e-3",
        };
        Err(self.fault(
            start,
            format!("`{}` is not a number", shortened(text)),
            hint,
        ))
    }
}
