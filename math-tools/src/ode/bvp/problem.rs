//! [`Problem`]: the equations and conditions of a boundary value problem, with their derivatives; [`Curve`], a candidate solution.

use tool_core::{Ctx, ToolError};

use super::Args;
use crate::expression::parameters::Parameter;
use crate::expression::{Expression, Scope, System};
use crate::ode::solve::dynamics::{Derivative, Dynamics};
use crate::ode::solve::system::{self, State};

/// First number of intervals.
const INTERVALS: usize = 10;

/// A checked problem of n equations and k unknown parameters.
pub(super) struct Problem {
    dynamics: Dynamics,
    first: Vec<f64>,
    /// Row and unknown of each derivative of the equations by unknowns.
    pub by_unknowns: Vec<(usize, usize)>,
    unknown_slopes: System,
    conditions: System,
    /// Condition and variable of each derivative of the conditions: both ends, then the unknowns.
    pub by_ends: Vec<(usize, usize)>,
    condition_slopes: System,
}

/// A mesh, the solution at its points, the unknowns, and the derivatives at the points.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub t: Vec<f64>,
    pub y: Vec<f64>,
    pub p: Vec<f64>,
    pub slope: Vec<f64>,
}

impl Curve {
    /// Number of components.
    pub(super) fn n(&self) -> usize {
        self.y.len() / self.t.len()
    }

    /// Value and derivative of the cubic through the nearest points.
    pub(super) fn at(&self, t: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.n();
        let after = self.t.partition_point(|&node| node <= t);
        let index = after.clamp(1, self.t.len() - 1) - 1;
        let h = self.t[index + 1] - self.t[index];
        let s = (t - self.t[index]) / h;
        let r = 1.0 - s;
        let mut value = vec![0.0; n];
        let mut slope = vec![0.0; n];
        for k in 0..n {
            let (left, right) = (index * n + k, (index + 1) * n + k);
            let (y0, y1) = (self.y[left], self.y[right]);
            let (f0, f1) = (self.slope[left], self.slope[right]);
            value[k] = (1.0 + 2.0 * s) * r * r * y0
                + (3.0 - 2.0 * s) * s * s * y1
                + s * r * h * (r * f0 - s * f1);
            slope[k] =
                6.0 * s * r * (y1 - y0) / h + r * (1.0 - 3.0 * s) * f0 - s * (2.0 - 3.0 * s) * f1;
        }
        (value, slope)
    }
}

impl Problem {
    /// Checks the arguments.
    ///
    /// # Errors
    /// `invalid_args` at the argument.
    pub(super) fn parse(args: &Args) -> Result<Self, ToolError> {
        let n = args.system.len();
        let mut first = Vec::with_capacity(args.unknowns.len());
        for (index, name) in args.unknowns.iter().enumerate() {
            let Some(Parameter::Number(value)) = args.parameters.get(name) else {
                refuse!(invalid format!("/unknowns/{index}"); "expected the name of a number in `parameters`, found `{name}`";
                    "give it a first guess in `parameters`");
            };
            if args.unknowns[..index].contains(name) {
                refuse!(invalid format!("/unknowns/{index}"); "`{name}` is named twice"; "name each unknown once");
            }
            first.push(*value);
        }
        let (count, expected) = (args.boundary.len(), n + first.len());
        if count != expected {
            refuse!(invalid "/boundary", "shape"; "expected {expected} conditions, one per component and unknown, found {count}";
                "give expressions in a0, a1, ... and b0, b1, ... that have to be 0");
        }
        let dynamics = system::parse(
            &args.system,
            &args.parameters,
            &args.unknowns,
            State::First(n),
        )?;
        let unknown = |at: &'static str| {
            move |err| ToolError::invalid(at, err).hint("replace the function by others")
        };
        let (by_unknowns, unknown_slopes) = dynamics
            .by_parameters(first.len())
            .map_err(unknown("/system"))?;
        let fixed = args.parameters.without(&args.unknowns);
        let ends = Scope::new().variables("a", n).variables("b", n);
        let ends = ends.with_parameters(&fixed, "/parameters")?;
        let scope = args
            .unknowns
            .iter()
            .fold(ends, |scope, name| scope.variable(name));
        let parse = |(index, text): (usize, &String)| {
            let pointer = format!("/boundary/{index}");
            Expression::parse(text, &scope).map_err(|err| err.into_tool_error(&pointer))
        };
        let conditions: Vec<Expression> = args
            .boundary
            .iter()
            .enumerate()
            .map(parse)
            .collect::<Result<_, _>>()?;
        let slots: Vec<usize> = (0..2 * n + first.len()).collect();
        let (by_ends, condition_slopes) =
            System::jacobian(&conditions, &slots).map_err(unknown("/boundary"))?;
        Ok(Self {
            dynamics,
            first,
            by_unknowns,
            unknown_slopes,
            conditions: System::values(&conditions),
            by_ends,
            condition_slopes,
        })
    }

    /// Number of components.
    pub(super) fn n(&self) -> usize {
        self.dynamics.pattern().n
    }

    /// Places of the derivatives of the equations by the state.
    pub(super) fn by_state(&self) -> &[(usize, usize)] {
        &self.dynamics.pattern().entries
    }

    /// The right-hand side with values of the unknowns.
    pub(super) fn flow(&self, p: &[f64]) -> Derivative<'_> {
        self.dynamics.evaluator(p)
    }

    /// The derivatives of the equations by the unknowns, at slots as [`Derivative::slots`] gives them.
    pub(super) fn unknown_slopes(&self, slots: &[f64], out: &mut [f64]) {
        self.unknown_slopes.evaluator().point(slots, out);
    }

    /// The conditions.
    pub(super) fn conditions(&self, curve: &Curve) -> Vec<f64> {
        let mut values = vec![0.0; self.n() + curve.p.len()];
        self.conditions
            .evaluator()
            .point(&self.ends(curve), &mut values);
        values
    }

    /// The derivatives of the conditions.
    pub(super) fn condition_slopes(&self, curve: &Curve) -> Vec<f64> {
        let mut values = vec![0.0; self.by_ends.len()];
        self.condition_slopes
            .evaluator()
            .point(&self.ends(curve), &mut values);
        values
    }

    fn ends(&self, curve: &Curve) -> Vec<f64> {
        let n = self.n();
        let mut ends = curve.y[..n].to_vec();
        ends.extend_from_slice(&curve.y[curve.y.len() - n..]);
        ends.extend_from_slice(&curve.p);
        ends
    }

    /// The first guess on a mesh of equal intervals.
    ///
    /// # Errors
    /// `invalid_args` at `/guess`.
    pub(super) fn guess(
        &self,
        args: &Args,
        (start, end): (f64, f64),
        ctx: &Ctx,
    ) -> Result<Curve, ToolError> {
        let n = self.n();
        if !args.guess.is_empty() && args.guess.len() != n {
            let found = args.guess.len();
            refuse!(invalid "/guess", "shape"; "expected {n} expressions in t, one per component, found {found}");
        }
        let scope = Scope::new()
            .variable("t")
            .with_parameters(&args.parameters, "/parameters")?;
        let mut components = Vec::with_capacity(n);
        for (index, text) in args.guess.iter().enumerate() {
            let pointer = format!("/guess/{index}");
            let parsed = Expression::parse(text, &scope);
            components.push(parsed.map_err(|err| err.into_tool_error(&pointer))?);
        }
        let step = (end - start) / INTERVALS as f64;
        let mut t: Vec<f64> = (0..=INTERVALS)
            .map(|index| start + step * index as f64)
            .collect();
        t[INTERVALS] = end;
        if t.windows(2).any(|pair| pair[0] >= pair[1]) {
            refuse!(invalid "/t_span"; "the interval is too short for a mesh of doubles");
        }
        ctx.reserve_doubles(20 * n * t.len())?;
        let mut y = vec![0.0; n * t.len()];
        for (k, component) in components.iter().enumerate() {
            let mut evaluator = component.evaluator();
            for (node, &t) in t.iter().enumerate() {
                let value = evaluator.eval(&[t]);
                if !value.is_finite() {
                    let found = tool_core::number::spelling(value);
                    refuse!(invalid format!("/guess/{k}"); "the guess is {found} at t = {t}"; "give one that is finite on `t_span`");
                }
                y[node * n + k] = value;
            }
        }
        Ok(Curve {
            slope: vec![0.0; y.len()],
            t,
            y,
            p: self.first.clone(),
        })
    }
}
