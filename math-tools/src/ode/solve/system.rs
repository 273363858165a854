//! [`Equations`]: the right-hand side as expressions, or as a linear system, and its evaluation.

use std::fmt;

use schemars::{JsonSchema, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tool_core::{Ctx, Input, Matrix, ToolError, Vector};

use crate::expression::{Expression, Parameters, Scope, System};
use crate::linalg::{dense::dot, square_and_vector};
use kernels::program;

/// One expression per component: a list, or one text in which `;` separates them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Equations {
    /// One text.
    Text(String),
    /// A list.
    List(Vec<String>),
}

impl From<&str> for Equations {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<const N: usize> From<[&str; N]> for Equations {
    fn from(texts: [&str; N]) -> Self {
        Self::List(texts.map(str::to_owned).into())
    }
}

impl Equations {
    /// The texts with the JSON pointer of each.
    fn parts(&self) -> Vec<(&str, String)> {
        match self {
            Self::Text(text) => {
                let whole = text.trim_end().strip_suffix(';').unwrap_or(text);
                let parts = whole.split(';');
                parts.map(|part| (part, "/system".to_owned())).collect()
            }
            Self::List(list) => {
                let place = |index| format!("/system/{index}");
                let parts = list.iter().map(String::as_str).enumerate();
                parts.map(|(index, text)| (text, place(index))).collect()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Equations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EquationsVisitor;
        impl<'de> Visitor<'de> for EquationsVisitor {
            type Value = Equations;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an expression or a list of expressions")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Equations, E> {
                Ok(text.into())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Equations, A::Error> {
                let list = Vec::deserialize(SeqAccessDeserializer::new(items))?;
                Ok(Equations::List(list))
            }
        }
        deserializer.deserialize_any(EquationsVisitor)
    }
}

tool_core::inline_schema!(
    Equations,
    "Equations",
    json_schema!({
        "anyOf": [
            { "type": "string" },
            { "type": "array", "minItems": 1, "items": { "type": "string" } }
        ]
    })
);

/// The linear system y' = A y + b.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Linear {
    /// The matrix, n rows of n numbers.
    #[serde(rename = "A")]
    #[schemars(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
    /// The constant part, n numbers; zero when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shape" = ["n"]))]
    pub b: Option<Input<Vector>>,
}

/// A checked right-hand side for n components.
#[derive(Debug)]
pub(crate) enum Dynamics {
    /// One expression per component in the slots t, y0, y1, ..., compiled together; and their number.
    Expressions(System, usize),
    /// y' = A y + b.
    Linear(Matrix, Vector),
}

impl Dynamics {
    /// Parses the equations of `n` components.
    ///
    /// # Errors
    /// `invalid_args` at `/system` when their number or one of them does not fit.
    pub(crate) fn parse(
        equations: &Equations,
        parameters: &Parameters,
        n: usize,
    ) -> Result<Self, ToolError> {
        let parts = equations.parts();
        if parts.len() != n {
            let found = parts.len();
            refuse!(invalid "/system", "shape";
                "expected {n} equations, one per entry of `y0`, found {found}";
                "give a list of expressions in t, y0, y1, ..., or separate them by `;`");
        }
        let mut scope = Scope::new().variable("t").variables("y", n);
        if n == 1 {
            scope = scope.alias("y", 1);
        }
        let scope = scope.with_parameters(parameters, "/parameters")?;
        let mut expressions = Vec::with_capacity(n);
        for (text, pointer) in parts {
            let parsed = Expression::parse(text, &scope);
            expressions.push(parsed.map_err(|err| err.into_tool_error(&pointer))?);
        }
        Ok(Self::Expressions(System::values(&expressions), n))
    }

    /// Loads the linear system of `n` components.
    ///
    /// # Errors
    /// `invalid_args` at `/coefficients` when the sizes do not fit.
    pub(crate) fn load(linear: &Linear, n: usize, ctx: &Ctx) -> Result<Self, ToolError> {
        let (a, b) = square_and_vector((&linear.a, &linear.b), (n, "y0"), "/coefficients", ctx)?;
        Ok(Self::Linear(a, b))
    }

    /// Evaluator of the right-hand side.
    pub(crate) fn evaluators(&self) -> Derivative<'_> {
        match self {
            Self::Expressions(system, n) => Derivative::Expressions {
                evaluator: system.evaluator(),
                slots: vec![0.0; n + 1],
            },
            Self::Linear(a, b) => Derivative::Linear(a, b),
        }
    }
}

/// Evaluates the right-hand side without allocating.
pub(crate) enum Derivative<'a> {
    /// By expressions over `slots`: t, then y.
    Expressions {
        /// Of all components.
        evaluator: program::Evaluator<'a>,
        /// The values of t and y.
        slots: Vec<f64>,
    },
    /// By a matrix product.
    Linear(&'a Matrix, &'a [f64]),
}

impl Derivative<'_> {
    /// `dy = f(t, y)`.
    pub(crate) fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        match self {
            Self::Expressions { evaluator, slots } => {
                slots[0] = t;
                slots[1..].copy_from_slice(y);
                evaluator.point(slots, dy);
            }
            Self::Linear(a, b) => {
                for (row, value) in dy.iter_mut().enumerate() {
                    *value = dot(a.row(row), y) + b[row];
                }
            }
        }
    }
}
