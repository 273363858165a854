//! Texts in quotes, and numbers.

use tool_core::{Value, json};

use super::faults::{Fault, Read, shortened};
use super::parse::Parser;

const ESCAPES: &str = "the escapes are \\n \\r \\t \\b \\f \\0 \\\\ \\\" \\' \\/ \\xHH and \\uHHHH";

impl Parser<'_> {
    /// A text in one or three quotes of either kind; one in a single pair ends on its line.
    pub(super) fn quoted(&mut self) -> Read<String> {
        let start = self.at;
        let quote = &self.rest()[..1];
        let long = quote.repeat(3);
        let across = self.rest().starts_with(&long);
        let end = if across { long } else { quote.to_owned() };
        self.at += end.len();
        let mut text = String::new();
        loop {
            if self.eat(&end) {
                return Ok(text);
            }
            let Some(next) = self.rest().chars().next() else {
                let fault = Fault::new(start, "the text does not end");
                return Err(fault.hint(format!("close it with {end}")));
            };
            match next {
                '\\' => text.push(self.escape()?),
                '\n' if !across => {
                    let hint =
                        format!("close it with {end}, or begin and end it with three quotes");
                    return Err(Fault::new(start, "the text does not end on its line").hint(hint));
                }
                '\r' if self.rest().starts_with("\r\n") => self.at += 1, // lines end alike everywhere
                '\t' | '\n' => {
                    text.push(next);
                    self.at += 1;
                }
                control if control.is_control() => {
                    let message = format!("the text holds the control character {control:?}");
                    return Err(Fault::new(self.at, message).hint(ESCAPES));
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
        let wrong = Fault::new(start, "unknown escape").hint(ESCAPES);
        let Some(code) = code else {
            return Err(wrong);
        };
        self.at += if kind == Some('x') { 4 } else { 6 };
        if !(0xD800..0xDC00).contains(&code) {
            return char::from_u32(code).ok_or(wrong);
        }
        // The first half of a pair.
        let low = self.rest().strip_prefix("\\u").and_then(|_| self.hex(2, 4));
        let low = low.filter(|low| (0xDC00..0xE000).contains(low));
        let whole = low.map(|low| 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
        let whole = whole.and_then(char::from_u32);
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
        u32::from_str_radix(text, 16)
            .ok()
            .filter(|_| !text.starts_with('+'))
    }

    /// A number as JSON spells it.
    pub(super) fn number(&mut self) -> Read<Value> {
        let rest = self.rest();
        let mut before = ' ';
        let end = rest.find(|c: char| {
            let sign = matches!(c, '+' | '-') && matches!(before, ' ' | 'e' | 'E');
            before = c;
            !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || sign)
        });
        let end = end.unwrap_or(rest.len());
        let text = &rest[..end];
        if let Ok(value) = json::parse(text, json::Limits::default())
            && value.as_f64().is_some()
        {
            self.at += end;
            return Ok(value);
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        const STEP: &str = "a script computes nothing itself: make it a call of `calculate`";
        let hint = match digits.chars().next() {
            Some('0'..='9' | '.' | '+' | '-') if !whole || digits.starts_with('0') => {
                "numbers are written as in JSON: 12, -0.5, 1e-3"
            }
            Some('0'..='9') => "integers beyond 2^53 are written as texts, in quotes",
            _ => STEP,
        };
        Err(Fault::new(self.at, format!("`{}` is not a number", shortened(text))).hint(hint))
    }
}
