//! [`RangeLimit`]: an end of a range, a number or a text such as `inf` or `pi/2`.

use tool_core::schema::json;
use tool_core::{DecodeError, EncodeError, Encoder};

use crate::expression::{Expression, ExpressionScope};
use crate::prelude::*;

/// An end of a range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RangeLimit {
    /// A number, not NaN.
    Number(f64),
    /// `inf`, `-inf`, or an expression.
    Text(String),
}

impl RangeLimit {
    /// The number it stands for, where no variable is in it.
    ///
    /// # Errors
    /// `invalid_args` at `pointer` for a text that is no expression of known numbers.
    pub(crate) fn number(&self, scope: &ExpressionScope, pointer: &str) -> Result<f64, ToolError> {
        match self {
            Self::Number(value) => Ok(*value),
            Self::Text(text) => match parse_infinity(text) {
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
            Self::Text(text) => parse_infinity(text),
        }
    }

    /// It as an expression in the names of a scope.
    ///
    /// # Errors
    /// `invalid_args` at `pointer`.
    pub(crate) fn expression(
        &self,
        scope: &ExpressionScope,
        pointer: &str,
    ) -> Result<Expression, ToolError> {
        let text = match self {
            Self::Number(value) => format!("{value:e}"),
            Self::Text(text) => text.clone(),
        };
        Expression::parse(&text, scope).map_err(|err| err.into_tool_error(pointer))
    }
}

fn parse_infinity(text: &str) -> Option<f64> {
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

impl Encode for RangeLimit {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Number(value) if value.is_finite() => value.encode(encoder),
            Self::Number(value) => if *value > 0.0 { "inf" } else { "-inf" }.encode(encoder),
            Self::Text(text) => text.encode(encoder),
        }
    }
}

impl Decode for RangeLimit {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        if let Some(text) = value.as_str() {
            return Ok(Self::Text(text.to_owned()));
        }
        let number = value.as_f64().filter(|number| !number.is_nan());
        let expected = "a number, or a text such as \"inf\" or \"pi/2\"";
        let mismatch = || DecodeError::expected(expected, value);
        number.map(Self::Number).ok_or_else(mismatch)
    }
}

tool_core::inline_schema!(
    RangeLimit,
    json!({ "anyOf": [{ "type": "number" }, { "type": "string" }] })
);
