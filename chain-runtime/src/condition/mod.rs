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
//! Sides are evaluated from left to right and no further than needed. An absent value equals `null`; it has no order and no
//! length, and using one is an error. There are no functions beyond these and no arithmetic: what is to be computed is a step.

mod contradiction;
mod parse;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use tool_core::{Decode, DecodeError, ErrorCode, ToolError, Value, json};

use crate::template::PlacedReference;

pub(crate) use contradiction::find_contradiction;
use parse::ConditionParser;

/// Longest text of a condition, in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = 4096;
/// Deepest nesting of parentheses and negations.
pub(crate) const DEPTH_MAX: usize = 32;

/// A condition, read but not typed.
#[derive(Debug, Clone)]
pub struct StepCondition {
    pub(crate) expr: ConditionExpression,
    /// JSON pointer in the plan.
    pub(crate) pointer: String,
}

/// A part of a condition.
#[derive(Debug, Clone)]
pub(crate) enum ConditionExpression {
    Literal(Value),
    Reference(Arc<PlacedReference>),
    Length(Arc<PlacedReference>),
    Defined(Arc<PlacedReference>),
    Not(Box<ConditionExpression>),
    All(Vec<ConditionExpression>),
    Any(Vec<ConditionExpression>),
    Compare(
        Box<ConditionExpression>,
        ComparisonOperator,
        Box<ConditionExpression>,
    ),
}

/// Comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComparisonOperator {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Longest spellings first, so that none hides another.
const OPS: [(&str, ComparisonOperator); 6] = [
    ("==", ComparisonOperator::Equal),
    ("!=", ComparisonOperator::Unequal),
    ("<=", ComparisonOperator::AtMost),
    (">=", ComparisonOperator::AtLeast),
    ("<", ComparisonOperator::Less),
    (">", ComparisonOperator::Greater),
];

impl ComparisonOperator {
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

    /// The negated comparison.
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

    /// The comparison with its sides exchanged.
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

/// Returns the value of a reference; `None` where it is absent.
pub(crate) type Lookup<'a> =
    &'a mut dyn FnMut(&PlacedReference) -> Result<Option<Value>, ToolError>;

/// The text as written, also as `{expr: ..}`; [`StepCondition::compile`] then reads it.
impl Decode for StepCondition {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let text = value.get("expr").unwrap_or(value).clone();
        Ok(Self {
            expr: ConditionExpression::Literal(text),
            pointer: String::new(),
        })
    }
}

tool_core::inline_schema!(StepCondition, {
    let text = serde_json::json!({"type": "string", "minLength": 1, "maxLength": TEXT_BYTES_MAX});
    tool_core::schema::json!({
        "anyOf": [
            text,
            {"type": "object", "properties": {"expr": text}, "required": ["expr"], "additionalProperties": false},
        ],
        "examples": ["fit.r2 > 0.9"],
    })
});

impl StepCondition {
    /// Reads the text that was written at a JSON pointer of the plan.
    ///
    /// # Errors
    /// As [`StepCondition::parse`].
    pub(crate) fn compile(&mut self, pointer: &str) -> Result<(), String> {
        let written = std::mem::replace(&mut self.expr, ConditionExpression::Literal(Value::Null));
        pointer.clone_into(&mut self.pointer);
        if let ConditionExpression::Literal(Value::String(text)) = written {
            *self = Self::parse(&text, pointer)?;
        }
        Ok(())
    }

    /// Reads the text of a condition at a JSON pointer of the plan.
    ///
    /// # Errors
    /// What was expected and found, with the position in the text.
    pub fn parse(text: &str, pointer: &str) -> Result<Self, String> {
        if text.len() > TEXT_BYTES_MAX {
            let most = format!("a condition has at most {TEXT_BYTES_MAX} bytes");
            return Err(format!("{most}, found {}", text.len()));
        }
        let mut parser = ConditionParser {
            text,
            at: 0,
            depth: 0,
            pointer,
        };
        let expr = parser.any()?;
        parser.space();
        if !parser.rest().is_empty() {
            return Err(parser.unexpected("the end"));
        }
        let pointer = pointer.to_owned();
        Ok(Self { expr, pointer })
    }

    /// Whether it references a step or an input.
    pub(crate) fn has_reference(&self) -> bool {
        self.expr.has_reference()
    }

    /// The operands of the top-level `&&`.
    pub(crate) fn conjuncts(&self) -> &[ConditionExpression] {
        match &self.expr {
            ConditionExpression::All(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Evaluates the condition.
    ///
    /// # Errors
    /// `invalid_args` where sides cannot be compared, and what `lookup` gives.
    pub(crate) fn holds(&self, lookup: Lookup<'_>) -> Result<bool, ToolError> {
        self.expr.truth(lookup)
    }
}

impl fmt::Display for StepCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl ConditionExpression {
    fn has_reference(&self) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Reference(_) | Self::Length(_) | Self::Defined(_) => true,
            Self::Not(inner) => inner.has_reference(),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(Self::has_reference),
            Self::Compare(left, _, right) => left.has_reference() || right.has_reference(),
        }
    }

    fn truth(&self, lookup: Lookup<'_>) -> Result<bool, ToolError> {
        match self {
            Self::Not(inner) => Ok(!inner.truth(lookup)?),
            Self::All(parts) | Self::Any(parts) => {
                let decides = matches!(self, Self::Any(_));
                for part in parts {
                    if part.truth(lookup)? == decides {
                        return Ok(decides);
                    }
                }
                Ok(!decides)
            }
            Self::Compare(left, op, right) => {
                let (a, b) = (left.value(lookup)?, right.value(lookup)?);
                compare_values(&a, *op, &b).ok_or_else(|| {
                    let message =
                        format_args!("`{self}`: {} and {} have no order", a.kind(), b.kind());
                    let hint =
                        "only numbers, and only texts, have an order; test `defined(..) &&` first";
                    condition_fault(message).hint(hint)
                })
            }
            other => match other.value(lookup)? {
                Value::Bool(truth) => Ok(truth),
                found => {
                    let what = "is not a condition: expected true or false, found";
                    Err(condition_fault(format_args!(
                        "`{other}` {what} {}",
                        found.kind()
                    )))
                }
            },
        }
    }

    fn value(&self, lookup: Lookup<'_>) -> Result<Value, ToolError> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Reference(placed) => Ok(lookup(placed)?.unwrap_or(Value::Null)),
            Self::Defined(placed) => Ok(Value::Bool(
                lookup(placed)?.is_some_and(|found| !found.is_null()),
            )),
            Self::Length(placed) => {
                let found = lookup(placed)?.unwrap_or(Value::Null);
                value_length(&found).map(Value::from).ok_or_else(|| {
                    condition_fault(format_args!("`{self}`: {} has no length", found.kind()))
                        .hint("test `defined(..) &&` first")
                })
            }
            other => other.truth(lookup).map(Value::Bool),
        }
    }
}

fn condition_fault(message: fmt::Arguments<'_>) -> ToolError {
    ToolError::new(ErrorCode::InvalidArgs, message).reason("condition")
}

fn value_length(value: &Value) -> Option<u64> {
    Some(match value {
        Value::String(text) => text.chars().count(),
        Value::Object(object) => object.len(),
        Value::Array(items) => items.len(),
        Value::Numbers(numbers) => numbers.len(),
        _ => return None,
    } as u64)
}

/// Result of the comparison; `None` where the sides have no order.
fn compare_values(left: &Value, op: ComparisonOperator, right: &Value) -> Option<bool> {
    let order = match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (a, b) => match a.as_f64().zip(b.as_f64()) {
            // A NaN equals nothing and has no order, as everywhere.
            Some((a, b)) if a.is_nan() || b.is_nan() => {
                return Some(op == ComparisonOperator::Unequal);
            }
            numbers => numbers.and_then(|(a, b)| a.partial_cmp(&b)),
        },
    };
    match order {
        Some(order) => Some(op.holds(order)),
        None if op.is_order() => None,
        None => Some((left == right) == (op == ComparisonOperator::Equal)),
    }
}

impl fmt::Display for ConditionExpression {
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

impl ConditionExpression {
    fn fmt_inside(&self, f: &mut fmt::Formatter<'_>, apart: bool) -> fmt::Result {
        if apart {
            write!(f, "({self})")
        } else {
            write!(f, "{self}")
        }
    }
}
