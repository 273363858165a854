//! [`Rhs`]: one right-hand side or several, and the solution in the same form.

use tool_core::error::RequestProblem;
use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};
use tool_core::{Encode, EncodeError, Encoder, LoadInput, Matrix, Value, Vector};

/// A vector, or a matrix whose columns are vectors.
#[derive(Debug, Clone, PartialEq)]
pub enum Rhs {
    /// A single one.
    One(Vector),
    /// One per column.
    Many(Matrix),
}

impl Default for Rhs {
    fn default() -> Self {
        Self::One(Vector::default())
    }
}

impl Rhs {
    /// Number of entries of each.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::One(vector) => vector.len(),
            Self::Many(matrix) => matrix.rows(),
        }
    }

    /// Number of right-hand sides.
    pub(crate) fn columns(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many(matrix) => matrix.columns(),
        }
    }

    /// All entries, row by row.
    pub(crate) fn as_slice(&self) -> &[f64] {
        match self {
            Self::One(vector) => vector,
            Self::Many(matrix) => matrix.as_slice(),
        }
    }

    /// Other data in the same form: `rows` entries for each.
    pub(crate) fn like(&self, rows: usize, data: Vec<f64>) -> Self {
        match self {
            Self::One(_) => Self::One(data.into()),
            Self::Many(matrix) => {
                Matrix::new(rows, matrix.columns(), data).map_or_else(Self::default, Self::Many)
            }
        }
    }
}

impl<const N: usize> From<[f64; N]> for Rhs {
    fn from(data: [f64; N]) -> Self {
        Self::One(data.into())
    }
}

impl<const R: usize, const C: usize> From<[[f64; C]; R]> for Rhs {
    fn from(rows: [[f64; C]; R]) -> Self {
        Self::Many(rows.into())
    }
}

impl LoadInput for Rhs {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let nested = match value {
            Value::Numbers(numbers) => numbers.rank() > 1,
            Value::Array(items) => {
                matches!(items.first(), Some(Value::Numbers(_) | Value::Array(_)))
            }
            _ => false,
        };
        if nested {
            Matrix::from_value(value).map(Self::Many)
        } else {
            Vector::from_value(value).map(Self::One)
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::One(vector) => vector.to_value(),
            Self::Many(matrix) => LoadInput::to_value(matrix),
        }
    }

    fn schema() -> Schema {
        json!({ "anyOf": [Vector::schema(), <Matrix as LoadInput>::schema()] })
    }
}

impl Encode for Rhs {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        self.to_value().encode(encoder)
    }
}

tool_core::inline_schema!(Rhs, <Self as LoadInput>::schema());
