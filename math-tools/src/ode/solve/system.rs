//! [`OdeEquations`]: the right-hand side as expressions, or as a linear system; [`OdeDynamics`], the checked one.

use tool_core::schema::json;
use tool_core::{
    Ctx, Decode, DecodeError, Describe, Encode, Input, Matrix, Table, ToolError, Value, Vector,
};

use super::dynamics::OdeDynamics;
use crate::expression::{Expression, ExpressionError, ExpressionScope, NamedParameters};
use crate::linalg::square_and_vector;

/// One expression per component: a list, or one text in which `;` separates them.
#[derive(Debug, Clone, PartialEq, Eq, Encode)]
#[value(untagged)]
pub(crate) enum OdeEquations {
    /// One text.
    Text(String),
    /// A list.
    List(Vec<String>),
}

impl From<&str> for OdeEquations {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<const N: usize> From<[&str; N]> for OdeEquations {
    fn from(texts: [&str; N]) -> Self {
        Self::List(texts.map(str::to_owned).into())
    }
}

impl OdeEquations {
    /// Number of equations.
    pub(crate) fn len(&self) -> usize {
        self.parts().len()
    }

    /// The texts.
    fn parts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => {
                let whole = text.trim_end().strip_suffix(';').unwrap_or(text);
                whole.split(';').collect()
            }
            Self::List(list) => list.iter().map(String::as_str).collect(),
        }
    }

    /// The JSON pointer of a text.
    fn pointer(&self, index: usize) -> String {
        match self {
            Self::Text(_) => "/system".to_owned(),
            Self::List(_) => format!("/system/{index}"),
        }
    }
}

impl Decode for OdeEquations {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        match value {
            Value::String(text) => Ok((&**text).into()),
            Value::Array(_) | Value::Numbers(_) => Vec::decode(value).map(Self::List),
            other => {
                let expected = "an expression or a list of expressions";
                Err(DecodeError::unexpected(other, expected))
            }
        }
    }
}

tool_core::inline_schema!(
    OdeEquations,
    json!({
        "anyOf": [
            { "type": "string" },
            { "type": "array", "minItems": 1, "items": { "type": "string" } }
        ]
    })
);

/// The linear system y' = A y + b.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct LinearOde {
    /// The matrix, n rows of n numbers.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
    /// The constant part, n numbers; zero when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub b: Option<Input<Vector>>,
}

/// The names of the state: `y` alone, or positions and velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateNames {
    /// `y0`, `y1`, ... of a system of first order.
    First(usize),
    /// `y0`, ..., `v0`, ... of a system of second order of so many positions.
    Second(usize),
}

impl StateNames {
    /// Number of equations.
    pub(crate) fn equations(self) -> usize {
        let (Self::First(n) | Self::Second(n)) = self;
        n
    }

    /// Number of entries of the state.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::First(n) => n,
            Self::Second(n) => 2 * n,
        }
    }

    /// The names an expression may use: t in slot 0, then the state, then the parameters that are free, then columns of data.
    ///
    /// # Errors
    /// `invalid_args` for names that collide.
    pub(crate) fn scope(
        self,
        parameters: &NamedParameters,
        free: &[String],
        data: Option<&Input<Table>>,
        ctx: &Ctx,
    ) -> Result<ExpressionScope, ToolError> {
        let n = self.equations();
        let mut scope = ExpressionScope::new().variable("t").variables("y", n);
        if n == 1 {
            scope = scope.alias("y", 1);
        }
        if matches!(self, Self::Second(_)) {
            scope = scope.variables("v", n);
            if n == 1 {
                scope = scope.alias("v", 2);
            }
        }
        parameters.check("/parameters")?;
        if let Some(name) = free.iter().find(|name| scope.slot(name).is_some()) {
            refuse!(invalid format!("/parameters/{name}"); "`{name}` is a variable of the expression"; "rename the parameter");
        }
        let scope = free.iter().fold(scope, |scope, name| scope.variable(name));
        let scope = scope.with_table(data, ctx)?;
        scope.with_parameters(&parameters.without(free), "/parameters")
    }
}

/// Parses the equations of a state.
///
/// # Errors
/// `invalid_args` at `/system` when their number or one of them does not fit.
pub(crate) fn parse_equations(
    equations: &OdeEquations,
    scope: &ExpressionScope,
    state: StateNames,
) -> Result<OdeDynamics, ToolError> {
    let (parts, n) = (equations.parts(), state.equations());
    if parts.len() != n {
        let found = parts.len();
        refuse!(invalid "/system", "shape";
            "expected {n} equations, one per entry of `y0`, found {found}";
            "give a list of expressions in t, y0, y1, ..., or separate them by `;`");
    }
    let mut expressions = Vec::with_capacity(n);
    for (index, text) in parts.into_iter().enumerate() {
        if is_delayed(text) {
            refuse!(invalid equations.pointer(index); "a value of y at another time, as in `y(t - 1)`: equations with delays are not solved";
                "approximate the delay by a chain of components, or write y0 for the present value");
        }
        let parsed = Expression::parse(text, scope);
        let at = |err: ExpressionError| err.into_tool_error(&equations.pointer(index));
        expressions.push(parsed.map_err(at)?);
    }
    Ok(OdeDynamics::expressions(expressions, state))
}

/// Whether a text calls a component of the state, such as `y(t-1)` or `y0(t - tau)`.
fn is_delayed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let calls = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'(');
    calls.into_iter().any(|(at, _)| {
        let name = text[..at].trim_end();
        let start = name
            .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .map_or(0, |index| index + 1);
        let name = &name[start..];
        let digits = name.strip_prefix('y').or_else(|| name.strip_prefix('v'));
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Loads the linear system of `n` components.
///
/// # Errors
/// `invalid_args` at `/coefficients` when the sizes do not fit.
pub(crate) fn load_linear_system(
    linear: &LinearOde,
    n: usize,
    ctx: &Ctx,
) -> Result<OdeDynamics, ToolError> {
    let (a, b) = square_and_vector((&linear.a, &linear.b), (n, "y0"), "/coefficients", ctx)?;
    Ok(OdeDynamics::linear(a, b))
}
