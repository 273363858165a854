//! Variables of a search, in order or by name: [`StartPoint`] and [`PerVariable`].

use std::collections::BTreeMap;
use std::ops::Deref;

use tool_core::schema::{Contract, Schema, json};
use tool_core::{
    Ctx, Decode, DecodeError, Describe, Encode, Input, LoadInput, RequestProblem, Table, ToolError,
    Value, Vector, path,
};

use super::parameters::{NamedParameters, check_name};
use super::{Expression, ExpressionScope};
use crate::prelude::did_you_mean;
use tool_core::input::InputKind;

/// A start point: numbers in the order of the variables, or by their names, which stand in alphabetical order then.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StartPoint {
    names: Option<Vec<String>>,
    values: Vector,
}

impl Deref for StartPoint {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values
    }
}

impl From<Vec<f64>> for StartPoint {
    fn from(values: Vec<f64>) -> Self {
        let (names, values) = (None, values.into());
        Self { names, values }
    }
}

impl<const N: usize> From<[f64; N]> for StartPoint {
    fn from(values: [f64; N]) -> Self {
        values.to_vec().into()
    }
}

impl LoadInput for StartPoint {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let Value::Object(object) = value else {
            let (names, values) = (None, Vector::from_value(value)?);
            return Ok(Self { names, values });
        };
        let mut entries = BTreeMap::new();
        for (name, value) in object.iter() {
            let number = value.as_f64().filter(|number| number.is_finite());
            let Some(number) = number else {
                let mut pointer = String::new();
                path::push_key(&mut pointer, name);
                let message = format_args!("expected a finite number, found {}", value.kind());
                return Err(RequestProblem::new(pointer, message));
            };
            entries.insert(name.to_owned(), number);
        }
        let (names, values): (Vec<String>, Vec<f64>) = entries.into_iter().unzip();
        let (names, values) = (Some(names), values.into());
        Ok(Self { names, values })
    }

    fn to_value(&self) -> Value {
        match &self.names {
            None => self.values.to_value(),
            Some(names) => {
                Value::object(names.iter().map(String::as_str).zip(self.iter().copied()))
            }
        }
    }

    fn schema() -> Schema {
        json!({ "anyOf": [
            { "type": "array", "items": { "type": "number" } },
            { "type": "object", "additionalProperties": { "type": "number" } }
        ] })
    }
}

impl StartPoint {
    /// The names, where they were given.
    pub(crate) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }
}

/// A value for each variable: in their order, or by their names.
#[derive(Debug, Clone, PartialEq, Encode)]
#[value(untagged)]
pub(crate) enum PerVariable<T> {
    /// In the order of the variables.
    List(Vec<T>),
    /// By name.
    Named(BTreeMap<String, T>),
}

impl<T> From<Vec<T>> for PerVariable<T> {
    fn from(values: Vec<T>) -> Self {
        Self::List(values)
    }
}

impl<T: Decode> Decode for PerVariable<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let expected = "a list with an entry for each variable, or an object of entries by name";
        match value {
            Value::Array(_) | Value::Numbers(_) => Vec::decode(value).map(Self::List),
            Value::Object(_) => BTreeMap::decode(value).map(Self::Named),
            other => Err(DecodeError::unexpected(other, expected)),
        }
    }
}

impl<T: Describe> Describe for PerVariable<T> {
    fn describe(contract: Contract) -> Schema {
        let entry = T::describe(contract);
        json!({ "anyOf": [
            { "type": "array", "items": entry },
            { "type": "object", "additionalProperties": entry }
        ] })
    }
}

impl<T: Clone> PerVariable<T> {
    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::List(values) => values.len(),
            Self::Named(values) => values.len(),
        }
    }

    /// The entries, and their names where they have some; these are in alphabetical order.
    pub(crate) fn entries(&self) -> (Vec<T>, Option<Vec<String>>) {
        match self {
            Self::List(values) => (values.clone(), None),
            Self::Named(values) => (
                values.values().cloned().collect(),
                Some(values.keys().cloned().collect()),
            ),
        }
    }

    /// The entries in the order of a start point; `absent` for a name that has none.
    ///
    /// # Errors
    /// `invalid_args` below `pointer` for a name that is no variable.
    pub(crate) fn of(
        &self,
        start: &StartPoint,
        absent: &T,
        pointer: &str,
    ) -> Result<Vec<T>, ToolError> {
        let values = match self {
            Self::List(values) => return Ok(values.clone()),
            Self::Named(values) => values,
        };
        let numbered: Vec<String>;
        let names = match start.names() {
            Some(names) => names,
            None => {
                numbered = (0..start.len()).map(|index| format!("x{index}")).collect();
                &numbered
            }
        };
        if let Some(name) = values.keys().find(|name| !names.contains(name)) {
            let mut pointer = pointer.to_owned();
            path::push_key(&mut pointer, name);
            let error = ToolError::invalid(pointer, format!("`{name}` is no variable of `x0`"));
            let near = did_you_mean(name, names.iter().map(String::as_str));
            let listed = || format!("the variables are `{}`", names.join("`, `"));
            return Err(error.hint(near.unwrap_or_else(listed)));
        }
        let entry = |name: &String| values.get(name).unwrap_or(absent).clone();
        Ok(names.iter().map(entry).collect())
    }
}

/// The names of `n` variables (`x0`, `x1`, ... where they have none of their own), the columns of a table and parameters.
///
/// # Errors
/// `invalid_args` for a name that is none or means something else; `pointer` is where the variables have theirs.
pub(crate) fn unknowns_scope(
    (n, names): (usize, Option<&[String]>),
    data: Option<&Input<Table>>,
    parameters: &NamedParameters,
    pointer: &str,
    ctx: &Ctx,
) -> Result<ExpressionScope, ToolError> {
    let scope = match names {
        None => ExpressionScope::point(n),
        Some(names) => {
            for name in names {
                check_name(name, pointer)?;
            }
            names
                .iter()
                .fold(ExpressionScope::new(), |scope, name| scope.variable(name))
        }
    };
    scope
        .with_table(data, ctx)?
        .with_parameters(parameters, "/parameters")
}

/// Checks that `data`, where they are given, are used, and reserves the memory of running sums.
///
/// # Errors
/// `invalid_args` at `/data` when no expression names a column.
pub(crate) fn check_use<'e>(
    data: Option<&Input<Table>>,
    expressions: impl IntoIterator<Item = &'e Expression>,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let mut uses_data = false;
    for expression in expressions {
        uses_data |= expression.uses_data();
        ctx.reserve_doubles(expression.buffered())?;
    }
    if data.is_some() && !uses_data {
        refuse!(invalid "/data"; "no expression names a column of `data`"; "name columns in the expression, or leave `data` out");
    }
    Ok(())
}

/// The entries of a point by the names of its variables.
pub(crate) fn by_name(names: Option<&[String]>, x: &[f64]) -> Option<BTreeMap<String, f64>> {
    names.map(|names| names.iter().cloned().zip(x.iter().copied()).collect())
}
