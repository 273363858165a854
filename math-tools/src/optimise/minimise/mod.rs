//! `optimize`: minima and maxima of a function of several variables, within bounds and under constraints where there are some.

pub(crate) mod bounds;
pub(in crate::optimise) mod call;
pub(crate) mod constraints;
pub(crate) mod objective;
mod options;

use std::collections::BTreeMap;

use crate::expression::NamedParameters;
use crate::expression::unknowns::{self, PerVariable, StartPoint};
use crate::prelude::*;

use numerics::optimise::check_size;

use self::call::OptimizeCall;
use self::constraints::ConstraintSet;
use self::objective::{Objective, ObjectiveFunction};
pub(crate) use self::options::{OptimisationMode, OptimizeMethod, OptimizeReason};
use super::errors::mismatch_error;

/// Find a local minimum or maximum of a function of n variables from a start point, within bounds and under constraints
/// where they are given. A run that does not
/// converge returns its best point with `converged`: false and the reason; an unbounded objective is an error that carries the
/// best point.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Start point. A list, one number per variable, or an object with names, such as `{"a": 1, "b": 0}`.
    #[schema(extend("x-shape" = ["n"]))]
    pub x0: Input<StartPoint>,
    /// Objective: an expression in x0, x1, ... (also x, y, z for the first three) or in the names of `x0`, the name `rosenbrock` or `sphere`, or
    /// {"quadratic": {"A", "b", "c"}} for 0.5 x'Ax + b'x + c.
    pub objective: Objective,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers. The objective names them and reduces them to one number, such as `sum((y - x0 - x1*t)**2)`; inline or from a
    /// file.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Lower and upper bound of each variable. In their order or by name, such as `[[0, null], [-1, 1]]`; null where there is none. The objective is
    /// evaluated within the bounds only.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", 2]))]
    pub bounds: Option<PerVariable<bounds::Given>>,
    /// Constraints, such as `["x0+x1<=1", "x0*x1==0.2"]`: expressions with `>=`, `<=` or `==` between them.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// `gradient` (limited-memory BFGS; for smooth functions), `nelder_mead` (downhill simplex, no derivatives, at most 200
    /// variables), `newton` (trust region with exact second derivatives); with constraints `sqp` (sequential quadratic programming with exact
    /// second derivatives, at most 300 variables), `augmented_lagrangian` (at most 5000 variables), `cobyla` (linear models without
    /// derivatives, at most 100 variables); or `auto`: with constraints `sqp`, and where it does not converge `augmented_lagrangian` and
    /// `cobyla`; else `gradient`, and where it does not converge `newton` and `nelder_mead` from its end.
    #[value(default)]
    pub method: OptimizeMethod,
    /// `minimize` or `maximize`.
    #[value(default)]
    pub(crate) mode: OptimisationMode,
    /// Largest number of iterations of each method; absent: 1000, and for `nelder_mead` 400 for each variable if that is more.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub max_iter: Option<BoundedInteger<1, 100_000_000>>,
    /// Converged when no component of the gradient (of those that bounds and constraints do not balance) exceeds this by more than its
    /// rounding error and the function curves down in no direction. `nelder_mead`: when a fresh simplex changes neither x nor f by more
    /// than this, relative to their size or to 1 (x: by no more than 6e-8 at least, which is what values can resolve). All in units of the
    /// problem: where the objective is below 1e-4 or above 1e4, the most that a variable changes it by changing by its own size (by second
    /// derivatives, where they are known); and for each variable the step that changes the objective by that unit, where it is below 1e-4 or above 1e4. Else,
    /// and beyond 300 variables with constraints, 1. Constraints may be violated by this much, in their own units.
    #[value(default = "default_tolerance")]
    pub tolerance: Tolerance,
}

fn default_tolerance() -> Tolerance {
    Tolerance::literal(1e-8)
}

/// The point found and how.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The best point.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The entries of `x` by name, where `x0` has names.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "x0": { "is": "named" } }))]
    pub named: Option<BTreeMap<String, f64>>,
    /// The objective there.
    pub f: f64,
    /// Iterations of the methods that ran.
    pub iterations: u64,
    /// Evaluations of the objective, those for differences included.
    pub evaluations: u64,
    /// Largest component of the gradient at x in magnitude, by formula or by central differences.
    pub gradient_norm: Real,
    /// Each constraint at x, in the order given.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "constraints": { "least": 1 } }))]
    pub constraints: Option<Vec<ConstraintReport>>,
    /// Largest amount by which a constraint is violated.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "constraints": { "least": 1 } }))]
    pub violation: Option<f64>,
    /// Largest component of the gradient that no active constraint and no bound balances: 0 at an optimum.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "bounds": { "not": null } }, { "constraints": { "least": 1 } }]))]
    pub kkt_residual: Option<Real>,
    /// Multiplier of the bound that holds each variable: the change of the optimal objective per unit by which the bound rises; 0
    /// where none does.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"], "x-present" = { "bounds": { "not": null } }))]
    pub bound_multipliers: Option<Vec<f64>>,
    /// Lowest eigenvalue of the Hessian of the objective (when maximising: of its negative; under constraints of the Lagrangian) at x
    /// in the directions that no bound and no constraint blocks, at least 0 up to rounding at an optimum; of more than 60 variables the lowest that 60 products find. Absent where second derivatives
    /// are not known or no direction is left.
    #[value(skip_encoding_if = "Option::is_none")]
    pub lowest_curvature: Option<f64>,
    /// Whether x passed the test of convergence.
    pub converged: bool,
    /// The method that found x.
    pub method: OptimizeMethod,
    /// Reason the method ended.
    pub reason: OptimizeReason,
}

/// A constraint at the point found.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct ConstraintReport {
    /// Left side minus right side.
    pub value: f64,
    /// Change of the optimal objective per unit by which the right side grows; 0 where the constraint is not active. One choice of many
    /// where the gradients of active constraints depend on each other, which a warning says.
    pub multiplier: f64,
    /// Whether it holds with equality.
    pub active: bool,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("optimize", "Minimise or maximise a function")
        .tags(&["optimisation", "minimum", "maximum", "nelder-mead", "bfgs"])
        .syntax(&[
            ("/objective", Syntax::Expression),
            ("/constraints", Syntax::Expression),
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "x^2 + y^2 - 2 x - 4 y is lowest at (1, 2)": r#"{"x0": [0, 0],
                "objective": {"quadratic": {"A": [[2, 0], [0, 2]], "b": [-2, -4]}}}"#
            => r#"{"x": [1.0, 2.0], "f": -5.0, "iterations": 2, "evaluations": 13,
                "gradient_norm": 0.0, "lowest_curvature": 2.0, "converged": true, "method": "gradient",
                "reason": "gradient"}"#;
        "a straight line through four points, by least squares":
            r#"{"objective": "r = y - a - b*t; sum(r**2)", "x0": {"a": 0, "b": 0}, "data": {"t": [0, 1, 2, 3], "y": [1, 3, 2, 5]},
                "method": "newton"}"#
            => r#"{"x": [1.1000000000000003, 1.1], "named": {"a": 1.1000000000000003, "b": 1.1}, "f": 2.6999999999999997,
                "iterations": 2, "evaluations": 20, "gradient_norm": 7.993605777301127e-15, "lowest_curvature": 2.379500648186692,
                "converged": true, "method": "newton", "reason": "gradient"}"#;
        "under a constraint and bounds":
            r#"{"objective": "(x0-1)**2+(x1-2.5)**2", "x0": [2, 0], "constraints": ["x0-2*x1+2>=0"], "bounds": [[0, null],
                [0, null]]}"#
            => r#"{"x": [1.4, 1.7], "f": 0.8, "iterations": 1, "evaluations": 9, "gradient_norm": 1.6, "constraints": [{"value":
                0.0, "multiplier": 0.8000000000000002, "active": true}], "violation": 0.0, "kkt_residual":
                2.9790409838967276e-16, "bound_multipliers": [0.0, 0.0], "lowest_curvature":
                1.9999999999999998, "converged": true, "method": "sqp", "reason": "kkt"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let start = args.x0.load(ctx)?;
        let n = start.len();
        let is_constrained = !args.constraints.is_empty();
        check_size(n, args.method.into(), is_constrained).map_err(mismatch_error)?;
        let (variables, data) = ((n, start.names()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/x0", ctx)?;
        let function = ObjectiveFunction::new(&args.objective, &scope, n, ctx)?;
        let constraints = ConstraintSet::new(&args.constraints, &scope, n)?;
        let expressions = function.expression_of().into_iter();
        unknowns::check_use(data, expressions.chain(constraints.sides()), ctx)?;
        let call = OptimizeCall {
            function: &function,
            constraints: &constraints,
            start: &start,
            bounds: args.bounds.as_ref(),
            method: args.method.into(),
            maximise: args.mode == OptimisationMode::Maximize,
            max_iter: args.max_iter.map(|most| most.get().unsigned_abs()),
            tolerance: args.tolerance.get(),
        };
        call.solve(ctx)
    }
}

#[cfg(test)]
mod tests;
