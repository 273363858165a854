//! [`Objective`], what is optimised, and [`Target`], how the methods see it: always minimised, counted, and stoppable.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tool_core::nearest::nearest;
use tool_core::{Ctx, ErrorCode, Finite, Input, Matrix, ToolError, Value, Vector};

use crate::expression::{Evaluator, Expression, Parameters, Scope, System};
use crate::linalg::dense::{dot, max_abs};
use kernels::program;

/// The names of the built-in functions.
pub const NAMES: [&str; 2] = ["rosenbrock", "sphere"];

/// What is optimised.
#[derive(Debug, Clone)]
pub enum Objective {
    /// An expression in x0, x1, ...
    Expression(String),
    /// `sum 100 (x[i+1] - x[i]^2)^2 + (1 - x[i])^2`; minimum 0 at (1, ..., 1).
    Rosenbrock,
    /// `sum x[i]^2`; minimum 0 at the origin.
    Sphere,
    /// `x'Ax / 2 + b'x + c`.
    Quadratic(Quadratic),
}

/// The quadratic function 0.5 x'Ax + b'x + c.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quadratic {
    /// The matrix, n rows of n numbers; only its symmetric part counts.
    #[serde(rename = "A")]
    #[schemars(extend("x-shape" = ["n", "n"]))]
    pub a: Input<Matrix>,
    /// The linear part, n numbers; zero when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shape" = ["n"]))]
    pub b: Option<Input<Vector>>,
    /// The constant; zero when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

impl Serialize for Objective {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Expression(text) => serializer.serialize_str(text),
            Self::Rosenbrock => serializer.serialize_str(NAMES[0]),
            Self::Sphere => serializer.serialize_str(NAMES[1]),
            Self::Quadratic(quadratic) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("quadratic", quadratic)?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Objective {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectiveVisitor;
        impl<'de> Visitor<'de> for ObjectiveVisitor {
            type Value = Objective;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an expression, `rosenbrock`, `sphere`, or {\"quadratic\": {\"A\", \"b\", \"c\"}}")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Objective, E> {
                Ok(text.into())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Objective, A::Error> {
                const KEYS: &[&str] = &["quadratic", "rosenbrock", "sphere"];
                let Some(key) = map.next_key::<String>()? else {
                    return Err(de::Error::custom(format_args!(
                        "expected {}, found an empty object",
                        Expected(&self)
                    )));
                };
                let objective = match key.as_str() {
                    "quadratic" => Objective::Quadratic(map.next_value()?),
                    name => {
                        let named = Objective::named(name)
                            .ok_or_else(|| de::Error::unknown_variant(name, KEYS))?;
                        if !map.next_value::<bool>()? {
                            return Err(de::Error::custom(format_args!(
                                "expected `true` for `{name}`, found `false`"
                            )));
                        }
                        named
                    }
                };
                if let Some(extra) = map.next_key::<String>()? {
                    return Err(de::Error::custom(format_args!(
                        "expected one objective, found `{key}` and `{extra}`"
                    )));
                }
                Ok(objective)
            }
        }
        deserializer.deserialize_any(ObjectiveVisitor)
    }
}

struct Expected<'a, V>(&'a V);

impl<'de, V: Visitor<'de>> fmt::Display for Expected<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }
}

impl JsonSchema for Objective {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Objective".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let named = |name: &str| json_schema!({ "type": "object", "properties": { name: { "const": true } }, "required": [name], "additionalProperties": false });
        json_schema!({
            "anyOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "quadratic": generator.subschema_for::<Quadratic>() },
                    "required": ["quadratic"],
                    "additionalProperties": false
                },
                named(NAMES[0]),
                named(NAMES[1]),
            ]
        })
    }
}

/// A checked objective for points of n coordinates.
#[derive(Debug)]
pub enum Function {
    /// An expression in the slots x0, x1, ...; and its value with its gradient, where every function in it has a derivative.
    Expression(Expression, Option<System>),
    /// See [`Objective::Rosenbrock`].
    Rosenbrock,
    /// See [`Objective::Sphere`].
    Sphere,
    /// Symmetric matrix (row by row), linear part, constant.
    Quadratic(Vec<f64>, Vector, f64),
}

impl Function {
    /// Parses and loads an objective for `n` coordinates.
    ///
    /// # Errors
    /// `invalid_args` at `/objective` when it does not fit.
    pub fn new(
        objective: &Objective,
        parameters: &Parameters,
        n: usize,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        match objective {
            Objective::Sphere => Ok(Self::Sphere),
            Objective::Rosenbrock if n >= 2 => Ok(Self::Rosenbrock),
            Objective::Rosenbrock => Err(ToolError::invalid(
                "/x0",
                "`rosenbrock` needs at least 2 coordinates, found 1",
            )),
            Objective::Expression(text) => Self::expression(text, parameters, n),
            Objective::Quadratic(quadratic) => Self::quadratic(quadratic, n, ctx),
        }
    }

    fn expression(text: &str, parameters: &Parameters, n: usize) -> Result<Self, ToolError> {
        let scope = Scope::point(n).with_parameters(parameters, "/parameters")?;
        let expression = Expression::parse(text, &scope).map_err(|err| {
            let error = err.into_tool_error("/objective");
            match nearest(text.trim(), NAMES) {
                Some(name) => error.hint(format!("did you mean `{name}`?")),
                None => error,
            }
        })?;
        let slots: Vec<usize> = (0..n).collect();
        let gradient = System::value_and_gradient(&expression, &slots).ok();
        Ok(Self::Expression(expression, gradient))
    }

    fn quadratic(quadratic: &Quadratic, n: usize, ctx: &Ctx) -> Result<Self, ToolError> {
        let a = quadratic.a.load(ctx)?;
        if (a.rows(), a.columns()) != (n, n) {
            let (rows, columns) = (a.rows(), a.columns());
            return Err(ToolError::invalid(
                "/objective/quadratic/A",
                format_args!(
                    "expected {n} x {n} for the {n} entries of `x0`, found {rows} x {columns}"
                ),
            )
            .reason("shape"));
        }
        let b = match &quadratic.b {
            Some(b) => b.load(ctx)?,
            None => vec![0.0; n].into(),
        };
        if b.len() != n {
            return Err(ToolError::invalid(
                "/objective/quadratic/b",
                format_args!(
                    "expected {n} entries, one per entry of `x0`, found {}",
                    b.len()
                ),
            )
            .reason("shape"));
        }
        ctx.reserve_doubles(n * n)?;
        let data = a.as_slice();
        let symmetric = (0..n * n)
            .map(|index| data[index] / 2.0 + data[index % n * n + index / n] / 2.0)
            .collect();
        Ok(Self::Quadratic(
            symmetric,
            b,
            quadratic.c.map_or(0.0, Finite::get),
        ))
    }

    /// The gradient where a formula is known.
    fn exact_gradient(&self, x: &[f64]) -> Option<Vec<f64>> {
        match self {
            Self::Expression(..) => None, // by its program
            Self::Sphere => Some(x.iter().map(|x| 2.0 * x).collect()),
            Self::Rosenbrock => {
                let mut gradient = vec![0.0; x.len()];
                for i in 0..x.len() - 1 {
                    let bend = x[i + 1] - x[i] * x[i];
                    gradient[i] += -400.0 * x[i] * bend - 2.0 * (1.0 - x[i]);
                    gradient[i + 1] += 200.0 * bend;
                }
                Some(gradient)
            }
            Self::Quadratic(a, b, _) => {
                let rows = a.chunks_exact(x.len());
                Some(rows.zip(b.iter()).map(|(row, b)| dot(row, x) + b).collect())
            }
        }
    }
}

/// The objective as the methods see it: minimised, counted, watched for stop requests and for a fall without end.
pub struct Target<'a> {
    function: &'a Function,
    evaluator: Option<Evaluator<'a>>,
    gradient: Option<program::Evaluator<'a>>,
    ctx: &'a Ctx,
    /// -1 when the caller maximises.
    sign: f64,
    /// Below this the objective counts as unbounded.
    floor: f64,
    /// Evaluations so far.
    pub evaluations: u64,
    /// The lowest value and its point.
    best: (f64, Vec<f64>),
}

impl<'a> Target<'a> {
    /// Looks at a function from a start point.
    ///
    /// # Errors
    /// `numeric` with reason `not_finite` when the function is not finite there.
    pub fn new(
        function: &'a Function,
        maximise: bool,
        x0: &[f64],
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        /// How far below the start, relative to its size, is too far to be an optimum.
        const FALL: f64 = 1e100;
        let (evaluator, gradient) = match function {
            Function::Expression(expression, gradient) => (
                Some(expression.evaluator()),
                gradient.as_ref().map(System::evaluator),
            ),
            _ => (None, None),
        };
        let sign = if maximise { -1.0 } else { 1.0 };
        let mut target = Self {
            function,
            evaluator,
            gradient,
            ctx,
            sign,
            floor: f64::NEG_INFINITY,
            evaluations: 0,
            best: (f64::INFINITY, x0.to_vec()),
        };
        let start = target.raw(x0)?;
        if !start.is_finite() {
            let found = tool_core::number::spelling(start);
            return Err(ToolError::new(
                ErrorCode::Numeric,
                format_args!("the objective at `x0` is {found}"),
            )
            .reason("not_finite")
            .at("/x0")
            .hint("start at a point where the objective is finite"));
        }
        target.best.0 = sign * start;
        target.floor = -FALL * (1.0 + start.abs());
        Ok(target)
    }

    /// The function as the caller wrote it.
    fn raw(&mut self, x: &[f64]) -> Result<f64, ToolError> {
        self.ctx.check()?;
        self.ctx.count_evaluations(1)?;
        self.evaluations += 1;
        Ok(match (self.function, &mut self.evaluator) {
            (_, Some(evaluator)) => evaluator.eval(x),
            (Function::Rosenbrock, _) => x
                .windows(2)
                .map(|pair| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2))
                .sum(),
            (Function::Quadratic(a, b, c), _) => {
                let rows = a.chunks_exact(x.len());
                rows.zip(x)
                    .zip(b.iter())
                    .map(|((row, x_i), b)| x_i * (0.5 * dot(row, x) + b))
                    .sum::<f64>()
                    + c
            }
            _ => dot(x, x),
        })
    }

    /// The value to be minimised; positive infinity where the function is not finite.
    ///
    /// # Errors
    /// A stop request, a budget, or `numeric` with reason `unbounded` and the best point as evidence.
    pub fn value(&mut self, x: &[f64]) -> Result<f64, ToolError> {
        let raw = self.raw(x)?;
        let value = self.sign * raw;
        if value < self.best.0 && x.iter().all(|x| x.is_finite()) {
            if value.is_finite() {
                self.best = (value, x.to_vec());
            }
            if value < self.floor {
                return Err(self.unbounded());
            }
        }
        Ok(if value.is_finite() {
            value
        } else {
            f64::INFINITY
        })
    }

    fn unbounded(&self) -> ToolError {
        let (direction, verb) = if self.sign < 0.0 {
            ("above", "maximum")
        } else {
            ("below", "minimum")
        };
        ToolError::new(
            ErrorCode::Numeric,
            format_args!("the objective is unbounded {direction}: it has no {verb}"),
        )
        .reason("unbounded")
        .at("/objective")
        .hint("check the sign of the objective and `mode`")
        .evidence(Value::object([
            ("x", Value::vector(self.best.1.clone())),
            ("f", Value::from(self.sign * self.best.0)),
            ("evaluations", Value::from(self.evaluations)),
        ]))
    }

    /// The gradient, given the value at the point: by formula or by the derivatives of the expression, else by central differences of step 6e-6 max(1, |x|), one-sided
    /// where a neighbour is not finite.
    ///
    /// # Errors
    /// As [`Target::value`].
    pub fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, ToolError> {
        if let Some(mut gradient) = self.function.exact_gradient(x) {
            self.ctx.check()?;
            self.ctx.count_evaluations(1)?;
            self.evaluations += 1;
            gradient.iter_mut().for_each(|entry| *entry *= self.sign);
            return Ok(gradient);
        }
        if let Some(gradient) = self.programmed_gradient(x)? {
            return Ok(gradient);
        }
        let mut point = x.to_vec();
        let mut gradient = Vec::with_capacity(x.len());
        for index in 0..x.len() {
            let step = difference_step(x[index]);
            let (above, below) = (x[index] + step, x[index] - step);
            point[index] = above;
            let up = self.value(&point)?;
            point[index] = below;
            let down = self.value(&point)?;
            point[index] = x[index];
            gradient.push(match (up.is_finite(), down.is_finite()) {
                (true, false) => (up - value) / (above - x[index]),
                (false, true) => (value - down) / (x[index] - below),
                _ => (up - down) / (above - below),
            });
        }
        Ok(gradient)
    }

    /// The gradient by the derivatives of the expression; `None` where one is not known, or not finite at this point.
    fn programmed_gradient(&mut self, x: &[f64]) -> Result<Option<Vec<f64>>, ToolError> {
        let Some(evaluator) = &mut self.gradient else {
            return Ok(None);
        };
        self.ctx.check()?;
        self.ctx.count_evaluations(1)?;
        self.evaluations += 1;
        let mut found = vec![0.0; x.len() + 1]; // the value, then its derivatives
        evaluator.point(x, &mut found);
        let gradient = found[1..].iter().map(|entry| self.sign * entry);
        Ok(found
            .iter()
            .all(|entry| entry.is_finite())
            .then(|| gradient.collect()))
    }

    /// The size of the rounding error of a component of the gradient.
    pub fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        const ROUNDINGS: f64 = 4.0;
        let size = match self.function {
            Function::Expression(_, Some(_)) => value.abs(),
            Function::Expression(_, None) => value.abs() / difference_step(0.0),
            Function::Sphere => max_abs(x),
            Function::Rosenbrock => 400.0 * max_abs(x).powi(3),
            Function::Quadratic(a, b, _) => x.len() as f64 * max_abs(a) * max_abs(x) + max_abs(b),
        };
        ROUNDINGS * f64::EPSILON * size
    }

    /// A value in the caller's sign.
    pub fn restored(&self, value: f64) -> f64 {
        self.sign * value + 0.0 // no negative zero
    }
}

/// The cube root of the rounding unit, which balances truncation and rounding.
fn difference_step(x: f64) -> f64 {
    const STEP: f64 = 6.055_454_452_393_343e-6;
    STEP * x.abs().max(1.0)
}
