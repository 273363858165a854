//! [`Objective`], the objective as given, and [`ObjectiveFunction`], the checked one.

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

use numerics::FunctionError;
use numerics::dense::{dot, max_abs};
use numerics::optimise::{
    CostFunction, FunctionShape, KnownDerivative, difference_gradient_size, formula_gradient_size,
};
use tool_core::schema::{Contract, Schema, json};
use tool_core::{
    Ctx, Decode, DecodeError, Describe, Encode, Finite, Input, Matrix, ToolError, Value, Vector,
};

use crate::expression::{Expression, ExpressionScope, ExpressionSystem, SystemEvaluator, program};
use crate::linalg::square_and_vector;
use crate::prelude::did_you_mean;

/// The names of the built-in functions.
pub(crate) const NAMES: [&str; 2] = ["rosenbrock", "sphere"];

/// The objective of an optimisation.
#[derive(Debug, Clone, Encode)]
#[value(rename_all = "snake_case")]
pub(crate) enum Objective {
    /// `sum 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2`; minimum 0 at (1, ..., 1).
    Rosenbrock,
    /// `sum x[i]^2`; minimum 0 at the origin.
    Sphere,
    /// `x'Ax / 2 + b'x + c`.
    Quadratic(QuadraticFunction),
    /// An expression in x0, x1, ...
    #[value(untagged)]
    Expression(String),
}

/// The quadratic function 0.5 x'Ax + b'x + c.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct QuadraticFunction {
    /// The matrix, n rows of n numbers; only its symmetric part counts.
    #[value(rename = "A")]
    #[schema(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
    /// The linear part, n numbers; zero when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub b: Option<Input<Vector>>,
    /// The constant; zero when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub c: Option<Finite>,
}

impl Objective {
    fn named(name: &str) -> Option<Self> {
        match name {
            "rosenbrock" => Some(Self::Rosenbrock),
            "sphere" => Some(Self::Sphere),
            _ => None,
        }
    }
}

impl From<&str> for Objective {
    fn from(text: &str) -> Self {
        Self::named(text.trim()).unwrap_or_else(|| Self::Expression(text.to_owned()))
    }
}

impl Decode for Objective {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        const EXPECTED: &str =
            r#"an expression, `rosenbrock`, `sphere`, or {"quadratic": {"A", "b", "c"}}"#;
        const KEYS: &[&str] = &["quadratic", "rosenbrock", "sphere"];
        let object = match value {
            Value::String(text) => return Ok((&**text).into()),
            Value::Object(object) => object,
            other => return Err(DecodeError::unexpected(other, EXPECTED)),
        };
        let mut members = object.iter();
        let Some((key, content)) = members.next() else {
            let message = format_args!("expected {EXPECTED}, found an empty object");
            return Err(DecodeError::new(message));
        };
        let under_key = |error: DecodeError| error.under_key(key);
        let objective = match key {
            "quadratic" => Self::Quadratic(QuadraticFunction::decode(content).map_err(under_key)?),
            "command" => {
                let message = "a program as objective has effects: call `optimize_program` with its `command`";
                return Err(DecodeError::new(message));
            }
            name => {
                let unknown = || DecodeError::unknown_variant(name, KEYS);
                let named = Self::named(name).ok_or_else(unknown)?;
                if !bool::decode(content).map_err(under_key)? {
                    let message = format_args!("expected `true` for `{name}`, found `false`");
                    return Err(DecodeError::new(message));
                }
                named
            }
        };
        match members.next() {
            Some((extra, _)) => Err(DecodeError::new(format_args!(
                "expected one objective, found `{key}` and `{extra}`"
            ))),
            None => Ok(objective),
        }
    }
}

impl Describe for Objective {
    fn describe(contract: Contract) -> Schema {
        let named = |name: &str| json!({ "type": "object", "properties": { name: { "const": true } }, "required": [name], "additionalProperties": false });
        let quadratic = QuadraticFunction::describe(contract);
        json!({
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "quadratic": quadratic },
                    "required": ["quadratic"],
                    "additionalProperties": false
                },
                named(NAMES[0]),
                named(NAMES[1]),
            ]
        })
    }
}

/// The value of an expression with its gradient, and the product of its Hessian and a vector, compiled when first requested.
#[derive(Debug)]
pub(crate) struct ObjectiveDerivatives {
    gradient: ExpressionSystem,
    curvature: OnceCell<Option<ExpressionSystem>>,
}

/// An objective that is no formula.
pub(crate) trait ObjectiveOracle: fmt::Debug {
    /// The value at a point; NaN where there is none.
    ///
    /// # Errors
    /// Why no value can be had any more.
    fn value(&self, x: &[f64], ctx: &Ctx) -> Result<f64, ToolError>;

    /// The gradient at the point of the last value, where it is known.
    fn gradient(&self, x: &[f64]) -> Option<Vec<f64>>;
}

/// A checked objective for points of n coordinates.
#[derive(Debug)]
pub(crate) enum ObjectiveFunction {
    /// An expression in the slots x0, x1, ...; and its derivatives, where every function in it has them.
    Expression(Expression, Option<Box<ObjectiveDerivatives>>),
    /// See [`Objective::Rosenbrock`].
    Rosenbrock,
    /// See [`Objective::Sphere`].
    Sphere,
    /// Symmetric matrix (row by row), linear part, constant.
    Quadratic(Vec<f64>, Vector, f64),
    /// No formula.
    Oracle(Rc<dyn ObjectiveOracle>),
}

impl ObjectiveFunction {
    /// Parses and loads an objective for `n` coordinates.
    ///
    /// # Errors
    /// `invalid_args` at `/objective` when it does not fit.
    pub(crate) fn new(
        objective: &Objective,
        scope: &ExpressionScope,
        n: usize,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        match objective {
            Objective::Sphere => Ok(Self::Sphere),
            Objective::Rosenbrock if n >= 2 => Ok(Self::Rosenbrock),
            Objective::Rosenbrock => {
                let message = "`rosenbrock` needs at least 2 coordinates, found 1";
                Err(ToolError::invalid("/x0", message))
            }
            Objective::Expression(text) => Self::expression(text, scope, n),
            Objective::Quadratic(quadratic) => Self::quadratic(quadratic, n, ctx),
        }
    }

    fn expression(text: &str, scope: &ExpressionScope, n: usize) -> Result<Self, ToolError> {
        let expression = Expression::parse(text, scope).map_err(|err| {
            let error = err.into_tool_error("/objective");
            match did_you_mean(text.trim(), NAMES) {
                Some(near) => error.hint(near),
                None => error,
            }
        })?;
        let slots: Vec<usize> = (0..n).collect();
        let gradient = ExpressionSystem::value_and_gradient(&expression, &slots).ok();
        let curvature = OnceCell::new();
        let derivatives = gradient.map(|gradient| ObjectiveDerivatives {
            gradient,
            curvature,
        });
        Ok(Self::Expression(expression, derivatives.map(Box::new)))
    }

    fn quadratic(quadratic: &QuadraticFunction, n: usize, ctx: &Ctx) -> Result<Self, ToolError> {
        let parts = (&quadratic.a, &quadratic.b);
        let (a, b) = square_and_vector(parts, (n, "x0"), "/objective/quadratic", ctx)?;
        ctx.reserve_doubles(n * n)?;
        let data = a.as_slice();
        let symmetric = (0..n * n)
            .map(|index| data[index] / 2.0 + data[index % n * n + index / n] / 2.0)
            .collect();
        let c = quadratic.c.map_or(0.0, Finite::get);
        Ok(Self::Quadratic(symmetric, b, c))
    }

    /// The expression, where it is one.
    pub(crate) fn expression_of(&self) -> Option<&Expression> {
        match self {
            Self::Expression(expression, _) => Some(expression),
            _ => None,
        }
    }

    /// The function for the methods of one call.
    pub(crate) fn evaluator<'a>(&'a self, ctx: &'a Ctx) -> ObjectiveEvaluator<'a> {
        let (value, gradient) = match self {
            Self::Expression(expression, derivatives) => {
                let gradient = derivatives.as_ref().map(|all| all.gradient.evaluator());
                (Some(expression.evaluator()), gradient)
            }
            _ => (None, None),
        };
        ObjectiveEvaluator {
            function: self,
            value,
            gradient,
            ctx,
        }
    }
}

/// An objective as the methods ask for it.
pub(crate) struct ObjectiveEvaluator<'a> {
    function: &'a ObjectiveFunction,
    value: Option<SystemEvaluator<'a>>,
    gradient: Option<program::SystemEvaluator<'a>>,
    ctx: &'a Ctx,
}

impl CostFunction for ObjectiveEvaluator<'_> {
    fn value(&mut self, x: &[f64]) -> Result<f64, FunctionError> {
        Ok(match (self.function, &mut self.value) {
            (_, Some(evaluator)) => evaluator.eval(x),
            (ObjectiveFunction::Oracle(oracle), _) => {
                oracle.value(x, self.ctx).map_err(FunctionError::new)?
            }
            (ObjectiveFunction::Rosenbrock, _) => {
                let term = |x: f64, y: f64| 100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2);
                x.windows(2).map(|pair| term(pair[0], pair[1])).sum()
            }
            (ObjectiveFunction::Quadratic(a, b, c), _) => {
                let rows = a.chunks_exact(x.len()).zip(x).zip(b.iter());
                let terms = rows.map(|((row, x_i), b)| x_i * (0.5 * dot(row, x) + b));
                terms.sum::<f64>() + c
            }
            _ => dot(x, x),
        })
    }

    fn gradient(&mut self, x: &[f64]) -> Result<KnownDerivative<Vec<f64>>, FunctionError> {
        Ok(match self.function {
            ObjectiveFunction::Expression(..) => {
                let Some(evaluator) = &mut self.gradient else {
                    return Ok(KnownDerivative::Unknown);
                };
                let mut found = vec![0.0; x.len() + 1]; // the value, then its derivatives
                evaluator.point(x, &mut found);
                if found.iter().all(|entry| entry.is_finite()) {
                    found.remove(0);
                    KnownDerivative::Known(found)
                } else {
                    KnownDerivative::NotFinite
                }
            }
            ObjectiveFunction::Oracle(oracle) => match oracle.gradient(x) {
                Some(gradient) => KnownDerivative::Known(gradient),
                None => KnownDerivative::Unknown,
            },
            ObjectiveFunction::Sphere => {
                KnownDerivative::Known(x.iter().map(|x| 2.0 * x).collect())
            }
            ObjectiveFunction::Rosenbrock => {
                let mut gradient = vec![0.0; x.len()];
                for i in 0..x.len() - 1 {
                    let bend = x[i + 1] - x[i] * x[i];
                    gradient[i] += -400.0 * x[i] * bend - 2.0 * (1.0 - x[i]);
                    gradient[i + 1] += 200.0 * bend;
                }
                KnownDerivative::Known(gradient)
            }
            ObjectiveFunction::Quadratic(a, b, _) => {
                let rows = a.chunks_exact(x.len()).zip(b.iter());
                KnownDerivative::Known(rows.map(|(row, b)| dot(row, x) + b).collect())
            }
        })
    }

    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, FunctionError> {
        Ok(match self.function {
            ObjectiveFunction::Expression(expression, Some(derivatives)) => {
                let compile = || ExpressionSystem::hessian_product(expression, x.len()).ok();
                let product = derivatives.curvature.get_or_init(compile);
                product.as_ref().map(|product| {
                    let mut found = vec![0.0; x.len()];
                    let slots: Vec<f64> = x.iter().chain(v).copied().collect();
                    product.evaluator().point(&slots, &mut found);
                    found
                })
            }
            ObjectiveFunction::Expression(_, None) | ObjectiveFunction::Oracle(_) => None,
            ObjectiveFunction::Sphere => Some(v.iter().map(|v| 2.0 * v).collect()),
            ObjectiveFunction::Rosenbrock => {
                let mut product = vec![0.0; x.len()];
                for i in 0..x.len() - 1 {
                    let bend = x[i + 1] - x[i] * x[i];
                    let across = -400.0 * x[i];
                    product[i] +=
                        (800.0 * x[i] * x[i] - 400.0 * bend + 2.0) * v[i] + across * v[i + 1];
                    product[i + 1] += across * v[i] + 200.0 * v[i + 1];
                }
                Some(product)
            }
            ObjectiveFunction::Quadratic(a, ..) => {
                Some(a.chunks_exact(x.len()).map(|row| dot(row, v)).collect())
            }
        })
    }

    fn shape(&self) -> FunctionShape {
        match self.function {
            ObjectiveFunction::Expression(expression, derivatives) => {
                if derivatives.is_some() && expression.ast().is_smooth() {
                    FunctionShape::Smooth
                } else {
                    FunctionShape::Kinked
                }
            }
            ObjectiveFunction::Oracle(_) => FunctionShape::Unknown,
            _ => FunctionShape::Smooth,
        }
    }

    fn gradient_size(&self, x: &[f64], value: f64) -> f64 {
        match self.function {
            ObjectiveFunction::Expression(_, Some(_)) => formula_gradient_size(x, value),
            ObjectiveFunction::Expression(_, None) | ObjectiveFunction::Oracle(_) => {
                difference_gradient_size(value)
            }
            ObjectiveFunction::Sphere => max_abs(x),
            ObjectiveFunction::Rosenbrock => 400.0 * max_abs(x).powi(3),
            ObjectiveFunction::Quadratic(a, b, _) => {
                x.len() as f64 * max_abs(a) * max_abs(x) + max_abs(b)
            }
        }
    }
}
