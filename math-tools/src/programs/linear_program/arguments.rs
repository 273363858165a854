//! The arguments of `linear_program`.

use tool_core::schema::json;
use tool_core::{
    BoundedInteger, Decode, DecodeError, Describe, Encode, Finite, Input, Probability, Value,
    Vector,
};

use super::rows::ConstraintMatrix;
use crate::expression::unknowns::PerVariable;
use crate::prelude::default_true;

/// Minimise c'x under linear constraints, with integer variables where asked.
///
/// Constraints are `A_ub x <= b_ub` and `A_eq x == b_eq`; variables are at least 0 unless `bounds` says otherwise.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
#[allow(non_snake_case, reason = "the names of SciPy's `linprog`")]
pub(crate) struct Args {
    /// Cost of each variable.
    #[schema(extend("x-shape" = ["n"]))]
    pub c: Input<Vector>,
    /// Coefficients of `<=` constraints: rows, or `{"rows", "cols", "values"}` or `{"indptr", "indices", "data"}` of the nonzeros.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub A_ub: Option<Input<ConstraintMatrix>>,
    /// Right-hand side of each `<=` constraint.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub b_ub: Option<Input<Vector>>,
    /// Coefficients of `==` constraints, as `A_ub`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub A_eq: Option<Input<ConstraintMatrix>>,
    /// Right-hand side of each `==` constraint.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub b_eq: Option<Input<Vector>>,
    /// `[low, high]` of each variable, null for none, or of some by name; absent: `[0, null]`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub bounds: Option<PerVariable<[Option<Finite>; 2]>>,
    /// Integer variables: 0 or 1 for each variable, or their names.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub integrality: Option<IntegerVariables>,
    /// Whether to find the maximum.
    #[value(default)]
    pub maximize: bool,
    /// Name of each variable; absent: x0, x1, ...
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// With `integrality`: end when the best point is within this of the bound, relative to its objective; absent: 0.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub gap: Option<Probability>,
    /// With `integrality`: largest number of nodes; absent: 100000.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub max_nodes: Option<BoundedInteger<1, 1_000_000_000>>,
    /// Largest number of iterations of the simplex method.
    #[value(default = "BoundedInteger::<1, 1_000_000_000>::of::<10_000_000>")]
    pub max_iter: BoundedInteger<1, 1_000_000_000>,
    /// Whether to draw the feasible region of two variables.
    #[value(default = "default_true")]
    pub plot: bool,
}

/// Which variables are integers.
#[derive(Debug, Clone, PartialEq, Encode)]
#[value(untagged)]
pub(crate) enum IntegerVariables {
    /// 1 for an integer and 0 for any number, for each variable.
    Flags(Vec<u8>),
    /// The names of those that are integers.
    Names(Vec<String>),
}

impl Decode for IntegerVariables {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let items = value.items().unwrap_or_default();
        let names = items.iter().map(|item| item.as_str().map(str::to_owned));
        let names: Option<Vec<String>> = names.collect();
        let flag = |item: &Value| {
            let flag = item.as_i64().filter(|flag| (0..=1).contains(flag));
            flag.map(|flag| flag as u8)
        };
        let flags: Option<Vec<u8>> = items.iter().map(flag).collect();
        match (flags, names) {
            _ if items.is_empty() => Err(DecodeError::new(
                "expected 0 or 1 for each variable, or names of variables, found none",
            )),
            (Some(flags), _) => Ok(Self::Flags(flags)),
            (_, Some(names)) => Ok(Self::Names(names)),
            _ => Err(DecodeError::new(
                "expected 0 or 1 for each variable, or a list of names of variables",
            )),
        }
    }
}

tool_core::inline_schema!(
    IntegerVariables,
    json!({ "anyOf": [
        { "type": "array", "items": { "enum": [0, 1] } },
        { "type": "array", "items": { "type": "string" } }
    ] })
);
