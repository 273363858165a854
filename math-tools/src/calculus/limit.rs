//! [`Limit`]: an end of a range, a number or a text such as `inf` or `pi/2`.

use schemars::json_schema;

use crate::expression::{Expression, Scope};
use crate::prelude::*;

/// An end of a range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Limit {
    /// A number, not NaN.
    Number(f64),
    /// `inf`, `-inf`, or an expression.
    Text(String),
}

impl Limit {
    /// The number it stands for, where no variable is in it.
    ///
    /// # Errors
    /// `invalid_args` at `pointer` for a text that is no expression of known numbers.
    pub(crate) fn number(&self, scope: &Scope, pointer: &str) -> Result<f64, ToolError> {
        match self {
            Self::Number(value) => Ok(*value),
            Self::Text(text) => match infinite(text) {
                Some(value) => Ok(value),
                None => {
                    let expression = self.expression(scope, pointer)?;
                    expression.value(&[]).map_err(|err| {
                        ToolError::invalid(pointer, format!("`{text}` has no finite value: {err}"))
                            .hint("write a number, `inf` or `-inf`")
                    })
                }
            },
        }
    }

    /// The infinity it spells.
    pub(crate) fn infinite(&self) -> Option<f64> {
        match self {
            Self::Number(value) => value.is_infinite().then_some(*value),
            Self::Text(text) => infinite(text),
        }
    }

    /// It as an expression in the names of a scope.
    ///
    /// # Errors
    /// `invalid_args` at `pointer`.
    pub(crate) fn expression(&self, scope: &Scope, pointer: &str) -> Result<Expression, ToolError> {
        let text = match self {
            Self::Number(value) => format!("{value:e}"),
            Self::Text(text) => text.clone(),
        };
        Expression::parse(&text, scope).map_err(|err| err.into_tool_error(pointer))
    }
}

fn infinite(text: &str) -> Option<f64> {
    let text = text.trim();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let name = rest.trim().to_ascii_lowercase();
    let is_infinite = matches!(
        name.as_str(),
        "inf" | "infinity" | "oo" | "∞" | "np.inf" | "math.inf"
    );
    is_infinite.then_some(sign * f64::INFINITY)
}

impl Serialize for Limit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) if value.is_finite() => serializer.serialize_f64(*value),
            Self::Number(value) => {
                serializer.serialize_str(if *value > 0.0 { "inf" } else { "-inf" })
            }
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Some(text) = value.as_str() {
            return Ok(Self::Text(text.to_owned()));
        }
        value
            .as_f64()
            .filter(|number| !number.is_nan())
            .map(Self::Number)
            .ok_or_else(|| {
                serde::de::Error::custom(format_args!(
                    "expected a number, or a text such as \"inf\" or \"pi/2\", found {}",
                    value.kind()
                ))
            })
    }
}

tool_core::inline_schema!(
    Limit,
    "Limit",
    json_schema!({ "anyOf": [{ "type": "number" }, { "type": "string" }] })
);
