//! [`Model`]: a formula, or [`Equations`] whose solution is the model.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserializer, Serializer};

use crate::ode::solve::method::Method;
use crate::prelude::*;

/// A model of the response.
#[derive(Debug, Clone)]
pub(crate) enum Model {
    /// An expression in columns and parameters.
    Formula(String),
    /// Differential equations.
    Equations(Box<Equations>),
}

/// Differential equations whose solution is the model.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Equations {
    /// Derivative of each state by time, by the name of the state: expressions in states, the time and parameters.
    pub system: BTreeMap<String, String>,
    /// Value of each state at `t0`: a number, or an expression in parameters.
    pub y0: BTreeMap<String, Initial>,
    /// What the response measures: an expression in states, parameters and columns. Absent: the state, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<String>,
    /// Column of `data` that is the time, by which name the expressions use it; rows in any order.
    #[serde(default = "time")]
    pub time: String,
    /// Time of `y0`; absent: the smallest of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t0: Option<Finite>,
    /// Method, as in `solve_ode`, but for `rodas4`.
    #[serde(default)]
    pub method: Method,
    /// Relative tolerance of the error of each step, which derivatives by parameters keep to too.
    #[serde(default = "rtol")]
    pub rtol: Tolerance,
    /// Absolute tolerance, in the units of the states.
    #[serde(default = "atol")]
    pub atol: Tolerance,
    /// Largest number of steps of one integration; parameters that need more are treated as no fit.
    #[serde(default = "Bounded::<1, 10_000_000>::of::<10_000>")]
    pub max_steps: Bounded<1, 10_000_000>,
}

fn time() -> String {
    "t".to_owned()
}

fn rtol() -> Tolerance {
    Tolerance::literal(1e-8)
}

fn atol() -> Tolerance {
    Tolerance::literal(1e-10)
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ModelVisitor;
        impl<'de> Visitor<'de> for ModelVisitor {
            type Value = Model;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"an expression, or differential equations {"system": .., "y0": ..}"#)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Model, E> {
                Ok(Model::Formula(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Model, A::Error> {
                let equations = Equations::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Model::Equations(Box::new(equations)))
            }
        }
        deserializer.deserialize_any(ModelVisitor)
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Formula(text) => serializer.serialize_str(text),
            Self::Equations(equations) => equations.serialize(serializer),
        }
    }
}

impl JsonSchema for Model {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Model".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "string" }, generator.subschema_for::<Equations>()] })
    }
}

/// An initial value.
#[derive(Debug, Clone)]
pub(crate) enum Initial {
    /// A number.
    Number(f64),
    /// An expression in parameters.
    Text(String),
}

impl Initial {
    /// As an expression.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Number(value) => format!("{value:?}").into(),
            Self::Text(text) => text.into(),
        }
    }
}

impl<'de> Deserialize<'de> for Initial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Some(text) = value.as_str() {
            return Ok(Self::Text(text.to_owned()));
        }
        let number = value.as_f64().and_then(Finite::new).ok_or_else(|| {
            let found = value.kind();
            de::Error::custom(format_args!(
                "expected a finite number or an expression, found {found}"
            ))
        });
        number.map(|number| Self::Number(number.get()))
    }
}

impl Serialize for Initial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

tool_core::inline_schema!(
    Initial,
    "Initial",
    json_schema!({ "anyOf": [{ "type": "number" }, { "type": "string" }] })
);
