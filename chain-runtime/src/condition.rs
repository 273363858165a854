//! Conditions of steps: `fit.r2 > 0.9 && len(raw.rows) >= 10`.
//!
//! ```text
//! or      = and ( "||" and )*
//! and     = not ( "&&" not )*
//! not     = "!" not | compare
//! compare = term ( ("==" | "!=" | "<=" | "<" | ">=" | ">") term )?
//! term    = reference | "len(" reference ")" | "defined(" reference ")" | number | text | "true" | "false" | "null" | "(" or ")"
//! ```
//!
//! Sides are evaluated from left to right and no further than needed. What is absent equals `null`; it has no order and no
//! length, and asking for one is an error, never a guess. There are no functions beyond these and no arithmetic: what is to be
//! computed is a step.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use tool_core::{ErrorCode, ToolError, Value, json};

use crate::reference::Reference;
use crate::template::Placed;

/// Longest text of a condition, in bytes.
pub const TEXT_BYTES_MAX: usize = 4096;
/// Deepest nesting of parentheses and negations.
pub const DEPTH_MAX: usize = 32;

/// A condition, read but not typed.
#[derive(Debug, Clone)]
pub struct Condition {
    pub(crate) expr: Expr,
    /// JSON pointer in the plan.
    pub(crate) pointer: String,
}

/// A part of a condition.
#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Literal(Value),
    Reference(Arc<Placed>),
    Length(Arc<Placed>),
    Defined(Arc<Placed>),
    Not(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Compare(Box<Expr>, Op, Box<Expr>),
}

/// How two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Longest spellings first, so that none hides another.
const OPS: [(&str, Op); 6] = [
    ("==", Op::Equal),
    ("!=", Op::Unequal),
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    ("<", Op::Less),
    (">", Op::Greater),
];

impl Op {
    fn as_str(self) -> &'static str {
        OPS.iter()
            .find(|(_, op)| *op == self)
            .map_or("", |(text, _)| text)
    }

    pub(crate) fn is_order(self) -> bool {
        !matches!(self, Self::Equal | Self::Unequal)
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order == Ordering::Equal,
            Self::Unequal => order != Ordering::Equal,
            Self::Less => order == Ordering::Less,
            Self::AtMost => order != Ordering::Greater,
            Self::Greater => order == Ordering::Greater,
            Self::AtLeast => order != Ordering::Less,
        }
    }

    /// What holds exactly when this does not.
    fn negated(self) -> Self {
        match self {
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::Greater,
            Self::Greater => Self::AtMost,
            Self::AtLeast => Self::Less,
        }
    }

    /// The same with its sides exchanged.
    fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
            same => same,
        }
    }
}

/// What a reference gives; `None` where it is absent.
pub(crate) type Lookup<'a> = &'a mut dyn FnMut(&Placed) -> Result<Option<Value>, ToolError>;

impl Condition {
    /// Reads a condition that stands at a JSON pointer of the plan.
    ///
    /// # Errors
    /// What was expected and found, with the position in the text.
    pub fn parse(text: &str, pointer: &str) -> Result<Self, String> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(format!(
                "a condition has at most {TEXT_BYTES_MAX} bytes, found {}",
                text.len()
            ));
        }
        let mut parser = Parser {
            text,
            at: 0,
            depth: 0,
            pointer,
        };
        let expr = parser.any()?;
        parser.space();
        match parser.rest().is_empty() {
            true => Ok(Self {
                expr,
                pointer: pointer.to_owned(),
            }),
            false => Err(parser.unexpected("the end")),
        }
    }

    /// Calls back for every reference, from left to right.
    pub fn for_each_reference<'a>(&'a self, visit: &mut dyn FnMut(&'a Arc<Placed>)) {
        self.expr.for_each_reference(visit);
    }

    /// The parts that must all hold.
    pub(crate) fn conjuncts(&self) -> &[Expr] {
        match &self.expr {
            Expr::All(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether it holds.
    ///
    /// # Errors
    /// `invalid_args` where sides cannot be compared, and what `lookup` gives.
    pub(crate) fn holds(&self, lookup: Lookup<'_>) -> Result<bool, ToolError> {
        self.expr.truth(lookup)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl Expr {
    fn for_each_reference<'a>(&'a self, visit: &mut dyn FnMut(&'a Arc<Placed>)) {
        match self {
            Self::Literal(_) => {}
            Self::Reference(placed) | Self::Length(placed) | Self::Defined(placed) => visit(placed),
            Self::Not(inner) => inner.for_each_reference(visit),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.for_each_reference(visit));
            }
            Self::Compare(left, _, right) => {
                left.for_each_reference(visit);
                right.for_each_reference(visit);
            }
        }
    }

    fn truth(&self, lookup: Lookup<'_>) -> Result<bool, ToolError> {
        match self {
            Self::Not(inner) => Ok(!inner.truth(lookup)?),
            Self::All(parts) => {
                for part in parts {
                    if !part.truth(lookup)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Any(parts) => {
                for part in parts {
                    if part.truth(lookup)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Compare(left, op, right) => {
                let (left_value, right_value) = (left.value(lookup)?, right.value(lookup)?);
                compare(&left_value, *op, &right_value).ok_or_else(|| {
                    fault(format_args!(
                        "`{self}`: {} and {} have no order",
                        left_value.kind(),
                        right_value.kind()
                    ))
                    .hint("only numbers, and only texts, have an order; ask `defined(..) &&` first")
                })
            }
            other => match other.value(lookup)? {
                Value::Bool(truth) => Ok(truth),
                found => Err(fault(format_args!(
                    "`{other}` is no condition: expected true or false, found {}",
                    found.kind()
                ))),
            },
        }
    }

    fn value(&self, lookup: Lookup<'_>) -> Result<Value, ToolError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Reference(placed) => Ok(lookup(placed)?.unwrap_or(Value::Null)),
            Self::Defined(placed) => Ok(Value::Bool(
                lookup(placed)?.is_some_and(|found| !matches!(found, Value::Null)),
            )),
            Self::Length(placed) => {
                let found = lookup(placed)?.unwrap_or(Value::Null);
                length(&found).map(Value::from).ok_or_else(|| {
                    fault(format_args!("`{self}`: {} has no length", found.kind()))
                        .hint("ask `defined(..) &&` first")
                })
            }
            other => other.truth(lookup).map(Value::Bool),
        }
    }
}

fn fault(message: fmt::Arguments<'_>) -> ToolError {
    ToolError::new(ErrorCode::InvalidArgs, message).reason("condition")
}

fn length(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => Some(text.chars().count() as u64),
        Value::Object(object) => Some(object.len() as u64),
        Value::Array(items) => Some(items.len() as u64),
        Value::Numbers(numbers) => Some(numbers.len() as u64),
        _ => None,
    }
}

/// Whether the comparison holds; `None` where the sides have no order.
fn compare(left: &Value, op: Op, right: &Value) -> Option<bool> {
    let order = match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (a, b) => match (a.as_f64(), b.as_f64()) {
            // A NaN equals nothing and has no order, as everywhere.
            (Some(a), Some(b)) => match a.partial_cmp(&b) {
                None => return Some(op == Op::Unequal),
                order => order,
            },
            _ => None,
        },
    };
    match order {
        Some(order) => Some(op.holds(order)),
        None if op.is_order() => None,
        None => Some((left == right) == (op == Op::Equal)),
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Self], by: &str| {
            parts.iter().enumerate().try_for_each(|(index, part)| {
                if index > 0 {
                    write!(f, " {by} ")?;
                }
                part.fmt_inside(f, matches!(part, Self::All(_) | Self::Any(_)))
            })
        };
        let side = |f: &mut fmt::Formatter<'_>, part: &Self| {
            let simple = matches!(
                part,
                Self::Literal(_) | Self::Reference(_) | Self::Length(_) | Self::Defined(_)
            );
            part.fmt_inside(f, !simple)
        };
        match self {
            Self::Literal(Value::String(text)) if text.contains('"') => write!(f, "'{text}'"),
            Self::Literal(Value::String(text)) => write!(f, "\"{text}\""),
            Self::Literal(value) => f.write_str(&json::to_text(value)),
            Self::Reference(placed) => placed.reference.fmt(f),
            Self::Length(placed) => write!(f, "len({})", placed.reference),
            Self::Defined(placed) => write!(f, "defined({})", placed.reference),
            Self::Not(inner) => {
                f.write_str("!")?;
                side(f, inner)
            }
            Self::All(parts) => joined(f, parts, "&&"),
            Self::Any(parts) => joined(f, parts, "||"),
            Self::Compare(left, op, right) => {
                side(f, left)?;
                write!(f, " {} ", op.as_str())?;
                side(f, right)
            }
        }
    }
}

impl Expr {
    fn fmt_inside(&self, f: &mut fmt::Formatter<'_>, apart: bool) -> fmt::Result {
        if apart {
            write!(f, "({self})")
        } else {
            write!(f, "{self}")
        }
    }
}

/// Two parts that can never hold together, where that can be seen without values.
pub(crate) fn contradiction(parts: &[&Expr]) -> Option<(String, String)> {
    for (position, one) in parts.iter().enumerate() {
        if matches!(one, Expr::Literal(Value::Bool(false))) {
            return Some((one.to_string(), "true".to_owned()));
        }
        for other in &parts[..position] {
            if excludes(one, other) {
                return Some((other.to_string(), one.to_string()));
            }
        }
    }
    None
}

fn excludes(one: &Expr, other: &Expr) -> bool {
    let is_negation = |whole: &Expr, inner: &Expr| match whole {
        Expr::Not(negated) => negated.to_string() == inner.to_string(),
        _ => false,
    };
    if is_negation(one, other) || is_negation(other, one) {
        return true;
    }
    let (Some((a, first, x)), Some((b, second, y))) = (bound(one), bound(other)) else {
        return false;
    };
    a == b && !together((first, x), (second, y))
}

/// `reference op literal`, whichever side the reference is on; a bare reference is compared with `true`.
fn bound(expr: &Expr) -> Option<(String, Op, &Value)> {
    const TRUE: &Value = &Value::Bool(true);
    match expr {
        Expr::Reference(_) => Some((expr.to_string(), Op::Equal, TRUE)),
        Expr::Not(inner) => {
            let (name, op, value) = bound(inner)?;
            Some((name, op.negated(), value))
        }
        Expr::Compare(left, op, right) => match (&**left, &**right) {
            (Expr::Reference(_) | Expr::Length(_), Expr::Literal(value)) => {
                Some((left.to_string(), *op, value))
            }
            (Expr::Literal(value), Expr::Reference(_) | Expr::Length(_)) => {
                Some((right.to_string(), op.mirrored(), value))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether something can be both.
fn together((first, x): (Op, &Value), (second, y): (Op, &Value)) -> bool {
    match (first, second) {
        (Op::Equal, _) => compare(x, second, y) != Some(false),
        (_, Op::Equal) => compare(y, first, x) != Some(false),
        (Op::Unequal, _) | (_, Op::Unequal) => true,
        _ => {
            let upper = |op: Op| matches!(op, Op::Less | Op::AtMost);
            if upper(first) == upper(second) {
                return true;
            }
            let ((low, a), (high, b)) = match upper(first) {
                true => ((second, y), (first, x)),
                false => ((first, x), (second, y)),
            };
            let strict = low == Op::Greater || high == Op::Less;
            compare(a, if strict { Op::Less } else { Op::AtMost }, b) != Some(false)
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    pointer: &'a str,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
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
        match self.eat(token) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{token}`"))),
        }
    }

    fn unexpected(&self, expected: &str) -> String {
        let found = self
            .rest()
            .chars()
            .next()
            .map_or_else(|| "the end".to_owned(), |c| format!("{c:?}"));
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
        read: impl Fn(&mut Self) -> Result<Expr, String>,
        join: fn(Vec<Expr>) -> Expr,
    ) -> Result<Expr, String> {
        let first = read(self)?;
        let mut parts = vec![first];
        while self.eat(token) {
            parts.push(read(self)?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => join(parts),
        })
    }

    fn any(&mut self) -> Result<Expr, String> {
        self.joined("||", Self::all, Expr::Any)
    }

    fn all(&mut self) -> Result<Expr, String> {
        self.joined("&&", Self::not, Expr::All)
    }

    fn not(&mut self) -> Result<Expr, String> {
        self.space();
        if self.rest().starts_with('!') && !self.rest().starts_with("!=") {
            self.at += 1;
            let inner = self.deeper(Self::not)?;
            return Ok(Expr::Not(Box::new(inner)));
        }
        let left = self.term()?;
        for (token, op) in OPS {
            if self.eat(token) {
                let right = self.term()?;
                return Ok(Expr::Compare(Box::new(left), op, Box::new(right)));
            }
        }
        Ok(left)
    }

    fn term(&mut self) -> Result<Expr, String> {
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

    fn quoted(&mut self) -> Result<Expr, String> {
        let rest = self.rest();
        let quote = &rest[..1];
        let inner = &rest[1..];
        let end = inner.find([quote.chars().next().unwrap_or('"'), '\\'].as_slice());
        match end {
            Some(end) if inner[end..].starts_with(quote) => {
                self.at += end + 2;
                Ok(Expr::Literal(Value::from(&inner[..end])))
            }
            _ => Err(format!(
                "the text at position {} does not end with {quote}; a text holds no backslash and not its own quote",
                self.at
            )),
        }
    }

    fn number(&mut self) -> Result<Expr, String> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))
            .unwrap_or(rest.len());
        match json::parse(&rest[..end], json::Limits::default()) {
            Ok(value) if value.as_f64().is_some() => {
                self.at += end;
                Ok(Expr::Literal(value))
            }
            _ => Err(format!(
                "`{}` at position {} is no number",
                &rest[..end],
                self.at
            )),
        }
    }

    fn named(&mut self) -> Result<Expr, String> {
        for (word, value) in [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
        ] {
            if self.word() == word {
                self.at += word.len();
                return Ok(Expr::Literal(value));
            }
        }
        for (name, make) in [
            ("len", Expr::Length as fn(Arc<Placed>) -> Expr),
            ("defined", Expr::Defined),
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
        self.reference().map(Expr::Reference)
    }

    /// The letters, digits and signs of a reference that come next.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| {
                !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '*'))
            })
            .unwrap_or(rest.len());
        &rest[..end]
    }

    fn reference(&mut self) -> Result<Arc<Placed>, String> {
        let word = self.word();
        let reference = Reference::parse(word).map_err(|err| err.message)?;
        self.at += word.len();
        Ok(Arc::new(Placed {
            reference,
            default: None,
            pointer: self.pointer.to_owned(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds(text: &str) -> Result<bool, ToolError> {
        let root = json::parse(
            r#"{"r2":0.93,"n":12,"rows":[1,2,3],"name":"fit","ok":true,"gone":null,"big":9007199254740991}"#,
            json::Limits::default(),
        )
        .unwrap();
        let condition = Condition::parse(text, "/steps/0/when").unwrap();
        condition.holds(&mut |placed| Ok(placed.reference.resolve(&root).ok()))
    }

    #[test]
    fn conditions_hold_or_not() {
        let cases = [
            ("f.r2 > 0.9 && len(f.rows) >= 3", true),
            ("f.r2 > 0.9 && len(f.rows) > 3", false),
            ("f.r2 < 0.9 || f.ok", true),
            ("!f.ok", false),
            ("!(f.n == 12)", false),
            ("!!f.ok", true),
            ("f.name == 'fit'", true),
            ("f.name < \"fix\"", true),
            ("len(f.name) == 3", true),
            ("f.gone == null && f.absent == null", true),
            ("defined(f.gone) || defined(f.absent)", false),
            ("defined(f.absent) && f.absent > 3", false),
            ("f.n == 12.0", true),
            ("-1e3 < f.n", true),
            ("f.rows[0] == 1 && f.rows[2] != 1", true),
            ("f.big == 9007199254740991", true),
            ("f.big > 9007199254740990", true),
            ("f.name == 3", false),
            ("(f.ok == true) == true", true),
        ];
        for (text, expected) in cases {
            assert_eq!(holds(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_order_is_an_error() {
        for (text, message) in [
            ("f.absent > 3", "have no order"),
            ("f.name > 3", "have no order"),
            ("f.n", "expected true or false"),
            ("len(f.n) > 1", "has no length"),
        ] {
            let err = holds(text).unwrap_err();
            assert!(err.message().contains(message), "{text}: {err}");
        }
    }

    #[test]
    fn malformed_texts_name_the_position() {
        for (text, message) in [
            ("", "position 0, found the end"),
            ("a >", "position 3, found the end"),
            ("a = 3", "expected the end at position 2"),
            ("a && ", "position 5"),
            ("(a", "expected `)` at position 2"),
            ("a.b()", "expected the end at position 3"),
            ("'x", "does not end"),
            ("1.2.3 > a", "no number"),
            ("a; b", "expected the end at position 1"),
            ("$a > 1", "position 0"),
            ("a + 1 > 2", "expected the end at position 2"),
        ] {
            let found = Condition::parse(text, "").unwrap_err();
            assert!(found.contains(message), "{text}: {found}");
        }
        let deep = format!(
            "{}a{}",
            "(".repeat(DEPTH_MAX + 1),
            ")".repeat(DEPTH_MAX + 1)
        );
        assert!(Condition::parse(&deep, "").unwrap_err().contains("deep"));
        assert!(Condition::parse(&"!".repeat(4000), "").is_err());
        assert!(Condition::parse(&"a".repeat(5000), "").is_err());
    }

    #[test]
    fn contradictions_are_seen() {
        let cases = [
            ("a.x < 1 && a.x > 2", true),
            ("a.x < 1 && a.x > 0", false),
            ("a.x < 1 && a.x >= 1", true),
            ("a.x <= 1 && a.x >= 1", false),
            ("a.x == 1 && a.x == 2", true),
            ("a.x == 'p' && a.x == 'q'", true),
            ("a.x == 1 && a.x != 1", true),
            ("a.x != 1 && a.x != 2", false),
            ("a.ok && !a.ok", true),
            ("a.ok && a.ok == false", true),
            ("1 > a.x && 2 < a.x", true),
            ("len(a) == 0 && len(a) > 1", true),
            ("a.x < 1 && b.x > 2", false),
            ("!(a.x > 1) && a.x > 3", true),
            ("false", true),
        ];
        for (text, expected) in cases {
            let condition = Condition::parse(text, "").unwrap();
            let parts: Vec<&Expr> = condition.conjuncts().iter().collect();
            assert_eq!(contradiction(&parts).is_some(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_prints_what_it_read(text in "[ab.()!&|<>=\\[\\]*0-9 '\"]{0,24}") {
            if let Ok(condition) = Condition::parse(&text, "") {
                let printed = condition.to_string();
                let again = Condition::parse(&printed, "");
                prop_assert!(again.is_ok(), "{} -> {}", text, printed);
                prop_assert_eq!(again.unwrap().to_string(), printed);
            }
        }
    }
}
