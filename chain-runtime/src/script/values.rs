//! Values: texts, numbers, constants, lists, records, and references with the way into what they mean.

use std::collections::HashSet;
use std::sync::Arc;

use tool_core::{Value, json};

use super::DEPTH_MAX;
use super::faults::{Read, ScriptFault, shorten_message_text};
use super::parse::{STEP_HINT, ScriptExpression, ScriptExpressionKind, ScriptName, ScriptParser};

impl ScriptParser<'_> {
    pub(super) fn value(&mut self) -> Read<ScriptExpression> {
        if self.open.len() > DEPTH_MAX {
            let message = format!("brackets are nested at most {DEPTH_MAX} deep");
            let hint = "pass data as a file: `{\"$file\": \"path\"}`";
            return Err(ScriptFault::new(self.at, message).hint(hint));
        }
        let at = self.at;
        let kind = match self.peek() {
            Some('"' | '\'') => ScriptExpressionKind::Literal(Value::from(self.quoted()?)),
            Some('[') => ScriptExpressionKind::List(self.bracketed(']', Self::value)?),
            Some('{') => ScriptExpressionKind::Record(self.record()?),
            Some('(') => {
                let hint = "lists are written [..]; nothing is grouped";
                return Err(self.unexpected("a value", hint));
            }
            Some('0'..='9' | '-' | '+' | '.') => ScriptExpressionKind::Literal(self.number()?),
            _ => self.named()?,
        };
        Ok(ScriptExpression { at, kind })
    }

    /// What is in brackets, separated by commas, up to the one that closes; the bracket that opens was seen.
    pub(super) fn bracketed<T>(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.open.push(self.at);
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space();
            if self.peek() == Some(close) {
                self.at += 1;
                self.open.pop();
                return Ok(items);
            }
            items.push(item(self)?);
            self.separator(close)?;
        }
    }

    fn record(&mut self) -> Read<Vec<(ScriptName, ScriptExpression)>> {
        let mut keys = HashSet::new();
        self.bracketed('}', |parser| {
            let at = parser.at;
            if !matches!(parser.peek(), Some('"' | '\'')) {
                return Err(parser.unexpected("a key in quotes", "write `{\"name\": value}`"));
            }
            let text: Arc<str> = parser.quoted()?.into();
            if matches!(&*text, "$ref" | "$lit") {
                let fault = ScriptFault::new(at, format!("`{text}` is not written in a script"));
                return Err(fault.hint(
                    "write the reference itself: `a.rows[0]`; other values are data as they are",
                ));
            }
            if !keys.insert(Arc::clone(&text)) {
                let fault = ScriptFault::new(
                    at,
                    format!("the key `{}` is given twice", shorten_message_text(&text)),
                );
                return Err(fault.hint("leave one out"));
            }
            parser.space();
            if !parser.eat(":") {
                return Err(parser.unexpected("`:`", "write `{\"name\": value}`"));
            }
            parser.space();
            Ok((ScriptName { at, text }, parser.value()?))
        })
    }

    /// A constant, or a reference.
    fn named(&mut self) -> Read<ScriptExpressionKind> {
        let Some(name) = self.word()? else {
            let hint = "write a number, a text, a list, a record or the name of a result";
            return Err(self.unexpected("a value", hint));
        };
        let literal = match &*name.text {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "null" | "None" => Some(Value::Null),
            "not" | "lambda" | "await" => {
                let fault = ScriptFault::new(name.at, format!("`{}` is not a value", name.text));
                return Err(fault.hint(STEP_HINT));
            }
            _ => None,
        };
        if let Some(literal) = literal {
            return Ok(ScriptExpressionKind::Literal(literal));
        }
        if matches!(self.peek(), Some('"' | '\'')) {
            let message = format!("texts have no prefix, found `{}`", name.text);
            let hint = "values are put into texts with {\"$fmt\": \"mean={}\", \"args\": [a.mean]}";
            return Err(ScriptFault::new(name.at, message).hint(hint));
        }
        let path = self.path()?;
        self.space();
        if self.peek() == Some('(') {
            let hint = "assign it first, on a line of its own:";
            let hint = format!("{hint} `result = {}(..)`", name.text);
            return Err(ScriptFault::new(name.at, "calls are not nested").hint(hint));
        }
        if !self.eat("??") {
            return Ok(ScriptExpressionKind::Reference(name.text, path, None));
        }
        self.space();
        let default = self.value()?;
        if let Some(at) = default.reference() {
            let fault = ScriptFault::new(at, "a default is a value that is written out");
            return Err(fault.hint("write a number, a text, a list or a record after `??`"));
        }
        Ok(ScriptExpressionKind::Reference(
            name.text,
            path,
            Some(Box::new(default)),
        ))
    }

    /// The way into a result, as references of plans spell it.
    fn path(&mut self) -> Read<String> {
        let mut path = String::new();
        loop {
            if self.eat(".") {
                let Some(field) = self.word()? else {
                    return Err(self.unexpected("the name of a field", "write `a.field`"));
                };
                path.push('.');
                path.push_str(&field.text);
            } else if self.eat("[*]") {
                path.push_str("[*]");
            } else if self.peek() == Some('[') {
                self.at += 1;
                let hint = "write `a[0]`, `a[*].field` or `a.field`";
                if matches!(self.peek(), Some('"' | '\'')) {
                    let at = self.at;
                    let field = self.quoted()?;
                    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let starts = |c: char| is_plain(c) && !c.is_ascii_digit();
                    if !(field.starts_with(starts) && field.chars().all(is_plain)) {
                        let message = format!(
                            "`{}` is not a valid field name",
                            shorten_message_text(&field)
                        );
                        let hint = "take it out of the result with a call of `json_query`";
                        return Err(ScriptFault::new(at, message).hint(hint));
                    }
                    path.push('.');
                    path.push_str(&field);
                } else {
                    let rest = self.rest();
                    let end = rest.find(|c: char| !c.is_ascii_digit());
                    let end = end.unwrap_or(rest.len());
                    if end == 0 {
                        return Err(self.unexpected("an index from 0, or `*`", hint));
                    }
                    path.push_str(&format!("[{}]", &rest[..end]));
                    self.at += end;
                }
                if !self.eat("]") {
                    return Err(self.unexpected("`]`", hint));
                }
            } else {
                return Ok(path);
            }
        }
    }
}

const ESCAPES: &str = "the escapes are \\n \\r \\t \\b \\f \\0 \\\\ \\\" \\' \\/ \\xHH and \\uHHHH";

impl ScriptParser<'_> {
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
                let fault = ScriptFault::new(start, "the text does not end");
                return Err(fault.hint(format!("close it with {end}")));
            };
            match next {
                '\\' => text.push(self.escape()?),
                '\n' if !across => {
                    let hint =
                        format!("close it with {end}, or begin and end it with three quotes");
                    return Err(
                        ScriptFault::new(start, "the text does not end on its line").hint(hint)
                    );
                }
                '\r' if self.rest().starts_with("\r\n") => self.at += 1, // lines end alike everywhere
                '\t' | '\n' => {
                    text.push(next);
                    self.at += 1;
                }
                control if control.is_control() => {
                    let message = format!("the text holds the control character {control:?}");
                    return Err(ScriptFault::new(self.at, message).hint(ESCAPES));
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
        let wrong = ScriptFault::new(start, "unknown escape").hint(ESCAPES);
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
        if let Ok(value) = json::parse_json(text, json::JsonLimits::default())
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
            Some('0'..='9') => "integers beyond 2^63 are written as texts, in quotes",
            _ => STEP,
        };
        Err(ScriptFault::new(
            self.at,
            format!("`{}` is not a number", shorten_message_text(text)),
        )
        .hint(hint))
    }
}
