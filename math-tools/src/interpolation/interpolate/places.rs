//! [`QueryPoints`]: where to evaluate.

use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};
use tool_core::{LoadInput, Matrix, RequestProblem, Value, Vector};

/// Numbers, or points of two coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum QueryPoints {
    /// On a line.
    Line(Vector),
    /// In a plane: rows of two numbers.
    Plane(Matrix),
}

impl LoadInput for QueryPoints {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        if let Some(number) = value.as_f64() {
            if !number.is_finite() {
                return Err(RequestProblem::new("", "expected a finite number"));
            }
            return Ok(Self::Line(vec![number].into()));
        }
        match value {
            Value::Numbers(numbers) if numbers.rank() == 2 => {
                Matrix::from_value(value).map(Self::Plane)
            }
            _ => Vector::from_value(value).map(Self::Line),
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Line(numbers) => numbers.to_value(),
            Self::Plane(rows) => rows.to_value(),
        }
    }

    fn schema() -> Schema {
        json!({ "anyOf": [
            { "type": "number" },
            { "type": "array", "items": { "type": "array", "items": { "type": "number" } } },
            { "type": "array", "items": { "type": "number" } }
        ] })
    }
}
