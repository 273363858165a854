//! Parser of conditions.

use std::sync::Arc;

use tool_core::{Value, json};

use super::{ConditionExpression, DEPTH_MAX, OPS};
use crate::reference::PlanReference;
use crate::template::PlacedReference;

pub(super) struct ConditionParser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) pointer: &'a str,
}

impl<'a> ConditionParser<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        self.eat(token)
            .then_some(())
            .ok_or_else(|| self.unexpected(&format!("`{token}`")))
    }

    pub(super) fn unexpected(&self, expected: &str) -> String {
        let found = self.rest().chars().next();
        let found = found.map_or_else(|| "the end".to_owned(), |c| format!("{c:?}"));
        format!("expected {expected} at position {}, found {found}", self.at)
    }

    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        if self.depth == DEPTH_MAX {
            return Err(format!("a condition is nested at most {DEPTH_MAX} deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn joined(
        &mut self,
        token: &str,
        read: impl Fn(&mut Self) -> Result<ConditionExpression, String>,
        join: fn(Vec<ConditionExpression>) -> ConditionExpression,
    ) -> Result<ConditionExpression, String> {
        let mut parts = vec![read(self)?];
        while self.eat(token) {
            parts.push(read(self)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => join(parts),
        })
    }

    pub(super) fn any(&mut self) -> Result<ConditionExpression, String> {
        self.joined("||", Self::all, ConditionExpression::Any)
    }

    fn all(&mut self) -> Result<ConditionExpression, String> {
        self.joined("&&", Self::not, ConditionExpression::All)
    }

    fn not(&mut self) -> Result<ConditionExpression, String> {
        self.space();
        if self.rest().starts_with('!') && !self.rest().starts_with("!=") {
            self.at += 1;
            let inner = self.deeper(Self::not)?;
            return Ok(ConditionExpression::Not(Box::new(inner)));
        }
        let left = self.term()?;
        for (token, op) in OPS {
            if self.eat(token) {
                let right = self.term()?;
                return Ok(ConditionExpression::Compare(
                    Box::new(left),
                    op,
                    Box::new(right),
                ));
            }
        }
        Ok(left)
    }

    fn term(&mut self) -> Result<ConditionExpression, String> {
        if self.eat("(") {
            let inner = self.deeper(Self::any)?;
            self.expect(")")?;
            return Ok(inner);
        }
        match self.rest().bytes().next() {
            Some(b'"' | b'\'') => self.quoted(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => self.named(),
            _ => Err(self.unexpected("a reference, a number or a text")),
        }
    }

    fn quoted(&mut self) -> Result<ConditionExpression, String> {
        let rest = self.rest();
        let (quote, inner) = rest.split_at(1);
        let end = inner.find(|c| c == '\\' || quote.starts_with(c));
        if let Some(end) = end.filter(|&end| inner[end..].starts_with(quote)) {
            self.at += end + 2;
            return Ok(ConditionExpression::Literal(Value::from(&inner[..end])));
        }
        let what = format!("the text at position {} does not end with {quote}", self.at);
        Err(format!(
            "{what}; a text holds no backslash and not its own quote"
        ))
    }

    fn number(&mut self) -> Result<ConditionExpression, String> {
        let rest = self.rest();
        let in_number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let end = rest.find(|c| !in_number(c)).unwrap_or(rest.len());
        match json::parse_json(&rest[..end], json::JsonLimits::default()) {
            Ok(value) if value.as_f64().is_some() => {
                self.at += end;
                Ok(ConditionExpression::Literal(value))
            }
            _ => {
                let (text, at) = (&rest[..end], self.at);
                Err(format!("`{text}` at position {at} is not a number"))
            }
        }
    }

    fn named(&mut self) -> Result<ConditionExpression, String> {
        let word = self.word();
        let literal = match word {
            "true" | "false" => Some(Value::Bool(word == "true")),
            "null" => Some(Value::Null),
            _ => None,
        };
        if let Some(value) = literal {
            self.at += word.len();
            return Ok(ConditionExpression::Literal(value));
        }
        for (name, make) in [
            (
                "len",
                ConditionExpression::Length as fn(Arc<PlacedReference>) -> ConditionExpression,
            ),
            ("defined", ConditionExpression::Defined),
        ] {
            let called = self.rest().strip_prefix(name);
            if called.is_some_and(|rest| rest.trim_start().starts_with('(')) {
                self.at += name.len();
                self.expect("(")?;
                self.space();
                let placed = self.reference()?;
                self.expect(")")?;
                return Ok(make(placed));
            }
        }
        self.reference().map(ConditionExpression::Reference)
    }

    /// The letters, digits and signs of a reference that come next.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        let in_word =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '*');
        &rest[..rest.find(|c| !in_word(c)).unwrap_or(rest.len())]
    }

    fn reference(&mut self) -> Result<Arc<PlacedReference>, String> {
        let word = self.word();
        let reference = PlanReference::parse(word).map_err(|err| err.message)?;
        self.at += word.len();
        Ok(Arc::new(PlacedReference {
            reference,
            default: None,
            pointer: self.pointer.to_owned(),
        }))
    }
}
