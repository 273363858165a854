//! [`ResponseModel`]: a formula, or [`OdeModel`] whose solution is the model.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tool_core::schema::{Contract, Schema, json};
use tool_core::{DecodeError, EncodeError, Encoder};

use crate::ode::solve::method::SolveOdeMethod;
use crate::prelude::*;

/// A model of the response.
#[derive(Debug, Clone)]
pub(crate) enum ResponseModel {
    /// An expression in columns and parameters.
    Formula(String),
    /// Differential equations.
    Equations(Box<OdeModel>),
}

/// Differential equations whose solution is the model.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct OdeModel {
    /// Derivative of each state by time, by the name of the state: expressions in states, the time and parameters.
    pub system: BTreeMap<String, String>,
    /// Value of each state at `t0`: a number, or an expression in parameters.
    pub y0: BTreeMap<String, InitialValue>,
    /// What the response measures: an expression in states, parameters and columns. Absent: the state, where there is one.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub observe: Option<String>,
    /// Column of `data` that is the time, by which name the expressions use it; rows in any order.
    #[value(default = "default_time_name")]
    pub time: String,
    /// Time of `y0`; absent: the smallest of the data.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub t0: Option<Finite>,
    /// Method, as in `solve_ode`, but for `rodas4`.
    #[value(default)]
    pub method: SolveOdeMethod,
    /// Relative tolerance of the error of each step, which derivatives by parameters keep to too.
    #[value(default = "default_rtol")]
    pub rtol: Tolerance,
    /// Absolute tolerance, in the units of the states.
    #[value(default = "default_atol")]
    pub atol: Tolerance,
    /// Largest number of steps of one integration; parameters that need more are treated as no fit.
    #[value(default = "BoundedInteger::<1, 10_000_000>::of::<10_000>")]
    pub max_steps: BoundedInteger<1, 10_000_000>,
}

fn default_time_name() -> String {
    "t".to_owned()
}

fn default_rtol() -> Tolerance {
    Tolerance::literal(1e-8)
}

fn default_atol() -> Tolerance {
    Tolerance::literal(1e-10)
}

impl Decode for ResponseModel {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        match value {
            Value::String(text) => Ok(Self::Formula((**text).to_owned())),
            Value::Object(_) => OdeModel::decode(value).map(Box::new).map(Self::Equations),
            other => {
                let expected =
                    r#"an expression, or differential equations {"system": .., "y0": ..}"#;
                Err(DecodeError::unexpected(other, expected))
            }
        }
    }
}

impl Encode for ResponseModel {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Formula(text) => text.encode(encoder),
            Self::Equations(equations) => equations.encode(encoder),
        }
    }
}

impl Describe for ResponseModel {
    fn describe(contract: Contract) -> Schema {
        json!({ "anyOf": [{ "type": "string" }, OdeModel::describe(contract)] })
    }
}

/// An initial value.
#[derive(Debug, Clone)]
pub(crate) enum InitialValue {
    /// A number.
    Number(f64),
    /// An expression in parameters.
    Text(String),
}

impl InitialValue {
    /// As an expression.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Number(value) => format!("{value:?}").into(),
            Self::Text(text) => text.into(),
        }
    }
}

impl Decode for InitialValue {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        if let Some(text) = value.as_str() {
            return Ok(Self::Text(text.to_owned()));
        }
        let number = value.as_f64().and_then(Finite::new);
        let mismatch = || DecodeError::expected("a finite number or an expression", value);
        let number = number.ok_or_else(mismatch)?;
        Ok(Self::Number(number.get()))
    }
}

impl Encode for InitialValue {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Number(value) => value.encode(encoder),
            Self::Text(text) => text.encode(encoder),
        }
    }
}

tool_core::inline_schema!(
    InitialValue,
    json!({ "anyOf": [{ "type": "number" }, { "type": "string" }] })
);
