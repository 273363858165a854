//! The arguments of `linear_program`.

use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use tool_core::{Bounded, Finite, Input, Probability, Value, Vector};

use super::rows::Rows;
use crate::expression::unknowns::Each;
use crate::prelude::yes;

/// Minimise c'x under linear constraints, with integer variables where asked.
///
/// Constraints are `A_ub x <= b_ub` and `A_eq x == b_eq`; variables are at least 0 unless `bounds` says otherwise.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "the names of SciPy's `linprog`")]
pub(crate) struct Args {
    /// Cost of each variable.
    #[schemars(extend("x-shape" = ["n"]))]
    pub c: Input<Vector>,
    /// Coefficients of `<=` constraints: rows, or `{"rows", "cols", "values"}` or `{"indptr", "indices", "data"}` of the nonzeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub A_ub: Option<Input<Rows>>,
    /// Right-hand side of each `<=` constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b_ub: Option<Input<Vector>>,
    /// Coefficients of `==` constraints, as `A_ub`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub A_eq: Option<Input<Rows>>,
    /// Right-hand side of each `==` constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b_eq: Option<Input<Vector>>,
    /// `[low, high]` of each variable, null for none, or of some by name; absent: `[0, null]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Each<[Option<Finite>; 2]>>,
    /// Integer variables: 0 or 1 for each variable, or their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrality: Option<Integrality>,
    /// Whether to find the maximum.
    #[serde(default)]
    pub maximize: bool,
    /// Name of each variable; absent: x0, x1, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// With `integrality`: end when the best point is within this of the bound, relative to its objective; absent: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Probability>,
    /// With `integrality`: largest number of nodes; absent: 100000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<Bounded<1, 1_000_000_000>>,
    /// Largest number of iterations of the simplex method.
    #[serde(default = "Bounded::<1, 1_000_000_000>::of::<10_000_000>")]
    pub max_iter: Bounded<1, 1_000_000_000>,
    /// Whether to draw the feasible region of two variables.
    #[serde(default = "yes")]
    pub plot: bool,
}

/// Which variables are integers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Integrality {
    /// 1 for an integer and 0 for any number, for each variable.
    Flags(Vec<u8>),
    /// The names of those that are integers.
    Names(Vec<String>),
}

impl<'de> Deserialize<'de> for Integrality {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let value = Value::deserialize(deserializer)?;
        let items = value.items().unwrap_or_default();
        let names: Option<Vec<String>> = items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect();
        let flag = |item: &Value| {
            item.as_i64()
                .filter(|flag| (0..=1).contains(flag))
                .map(|flag| flag as u8)
        };
        let flags: Option<Vec<u8>> = items.iter().map(flag).collect();
        match (flags, names) {
            _ if items.is_empty() => Err(D::Error::custom(
                "expected 0 or 1 for each variable, or names of variables, found none",
            )),
            (Some(flags), _) => Ok(Self::Flags(flags)),
            (_, Some(names)) => Ok(Self::Names(names)),
            _ => Err(D::Error::custom(
                "expected 0 or 1 for each variable, or a list of names of variables",
            )),
        }
    }
}

impl JsonSchema for Integrality {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Integrality".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "array", "items": { "enum": [0, 1] } },
            { "type": "array", "items": { "type": "string" } }
        ] })
    }
}
