//! `optimize`: minima and maxima of a function of several variables, within bounds and under constraints where there are some.

pub(crate) mod bounds;
mod compact;
pub(crate) mod constrained;
pub(crate) mod curvature;
mod ending;
mod found;
pub(crate) mod lbfgs;
mod line;
pub(crate) mod nelder_mead;
pub(crate) mod newton;
pub(crate) mod objective;
pub(crate) mod smooth;
pub(crate) mod target;

use std::collections::BTreeMap;

use crate::expression::Parameters;
use crate::expression::unknowns::{self, Each, Start};
use crate::prelude::*;

use crate::linalg::dense::max_abs;

use self::bounds::Bounds;
use self::constrained::constraints::Watched;
use self::constrained::{Constraints, Problem as Constrained, cobyla, sqp};
pub(crate) use self::found::{Found, Method, Mode, Reason};
use self::objective::{Function, Objective};
use self::target::Target;

/// Find a local minimum or maximum of a function of n variables from a start point, within bounds and under constraints
/// where they are given. A run that does not
/// converge returns its best point with `converged`: false and the reason; an unbounded objective is an error that carries the
/// best point.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Start point, one number per variable: a list, or an object with names, such as `{"a": 1, "b": 0}`.
    #[schemars(extend("x-shape" = ["n"]))]
    pub x0: Input<Start>,
    /// Objective: an expression in x0, x1, ... (also x, y, z for the first three) or in the names of `x0`, the name `rosenbrock` or `sphere`, or
    /// {"quadratic": {"A", "b", "c"}} for 0.5 x'Ax + b'x + c.
    pub objective: Objective,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Columns of numbers, inline or from a file: the objective names them and reduces them to one number, such as
    /// `sum((y - x0 - x1*t)**2)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Lower and upper bound of each variable, in their order or by name, such as `[[0, null], [-1, 1]]`; null where there is none. The objective is
    /// evaluated within the bounds only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shape" = ["n", 2]))]
    pub bounds: Option<Each<bounds::Given>>,
    /// Constraints, such as `["x0+x1<=1", "x0*x1==0.2"]`: expressions with `>=`, `<=` or `==` between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// `gradient` (limited-memory BFGS; for smooth functions), `nelder_mead` (downhill simplex, no derivatives, at most 200
    /// variables), `newton` (trust region with exact second derivatives), `sqp` (sequential quadratic programming with exact second derivatives), `cobyla` (linear
    /// models without derivatives, at most 100 variables), or `auto`: with constraints `sqp`, then `cobyla`; else
    /// `gradient`, and where it does not converge `newton` and `nelder_mead` from its end.
    #[serde(default)]
    pub method: Method,
    /// `minimize` or `maximize`.
    #[serde(default)]
    pub(crate) mode: Mode,
    /// Largest number of iterations of each method.
    #[serde(default = "Bounded::<1, 100_000_000>::of::<1000>")]
    pub max_iter: Bounded<1, 100_000_000>,
    /// `gradient`: converged when no component of the gradient (of those that bounds do not hold) exceeds this by more than its
    /// rounding error and the function curves down in no direction. `nelder_mead`: when a
    /// fresh simplex changes neither x nor f by more than this, relative to their size or to 1 (x: by no more than 6e-8 at least,
    /// which is what values can resolve).
    #[serde(default = "default_tolerance")]
    pub tolerance: Tolerance,
}

fn default_tolerance() -> Tolerance {
    Tolerance::literal(1e-8)
}

/// The point found and how.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The best point.
    #[schemars(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The entries of `x` by name, where `x0` has names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-present" = { "x0": { "is": "named" } }))]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-present" = { "constraints": { "least": 1 } }))]
    pub constraints: Option<Vec<Constraint>>,
    /// Largest amount by which a constraint is violated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-present" = { "constraints": { "least": 1 } }))]
    pub violation: Option<f64>,
    /// Largest component of the gradient that no active constraint and no bound balances: 0 at an optimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-present" = [{ "bounds": { "not": null } }, { "constraints": { "least": 1 } }]))]
    pub kkt_residual: Option<Real>,
    /// Multiplier of the bound that holds each variable: the change of the optimal objective per unit by which the bound rises; 0
    /// where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-shape" = ["n"], "x-present" = { "bounds": { "not": null } }))]
    pub bound_multipliers: Option<Vec<f64>>,
    /// Lowest eigenvalue of the Hessian of the objective (when maximising: of its negative; under constraints of the Lagrangian) at x
    /// in the directions that no bound and no constraint blocks, at least 0 up to rounding at an optimum; of more than 60 variables the lowest that 60 products find. Absent where second derivatives
    /// are not known or no direction is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_curvature: Option<f64>,
    /// Whether x passed the test of convergence.
    pub converged: bool,
    /// The method that found x: `gradient` or `nelder_mead`.
    pub method: Method,
    /// Reason the method ended.
    pub reason: Reason,
}

/// A constraint at the point found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Constraint {
    /// Left side minus right side.
    pub value: f64,
    /// Change of the optimal objective per unit by which the right side grows; 0 where the constraint is not active.
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
                "iterations": 2, "evaluations": 17, "gradient_norm": 7.993605777301127e-15, "lowest_curvature": 2.379500648186692,
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
        let x0 = args.x0.load(ctx)?;
        let n = x0.len();
        if n == 0 {
            refuse!(invalid "/x0"; "`x0` is empty"; "give one number per variable");
        }
        let simplex_fits = n <= nelder_mead::COORDINATES_MAX;
        if args.method == Method::NelderMead && !simplex_fits {
            let most = nelder_mead::COORDINATES_MAX;
            let message = format!("`nelder_mead` takes at most {most} variables, found {n}");
            return Err(ToolError::invalid("/method", message).hint("use `gradient`"));
        }
        let constrained =
            !args.constraints.is_empty() || matches!(args.method, Method::Sqp | Method::Cobyla);
        if constrained && n > constrained::VARIABLES_MAX {
            let most = constrained::VARIABLES_MAX;
            let message =
                format!("problems with constraints have at most {most} variables, found {n}");
            return Err(ToolError::invalid("/x0", message)
                .hint("eliminate variables, or state constraints of one variable as `bounds`"));
        }
        ctx.reserve_doubles(40 * n + if simplex_fits { 4 * n * n } else { 0 })?;
        let names = x0.names().map(<[String]>::to_vec);
        let (variables, data) = ((n, x0.names()), args.data.as_ref());
        let scope = unknowns::scope(variables, data, &args.parameters, "/x0", ctx)?;
        let function = Function::new(&args.objective, &scope, n, ctx)?;
        let constraints = Constraints::new(&args.constraints, &scope, n)?;
        unknowns::check_use(
            data,
            function
                .expression_of()
                .into_iter()
                .chain(constraints.sides()),
        )?;
        let given = args.bounds.as_ref();
        let given = given.map(|each| each.of(&x0, &[None, None], "/bounds"));
        let given = given.transpose()?;
        let given = given.as_deref();
        let bounds = given.map_or_else(|| Ok(Bounds::free(n)), |given| Bounds::new(given, n))?;
        let mut x0 = x0.to_vec();
        if bounds.project(&mut x0) {
            ctx.warn("`x0` is outside the bounds; started at the nearest point within");
        }
        let maximise = args.mode == Mode::Maximize;
        let target = if constrained {
            Target::near(&function, maximise, &x0, ctx)?.0 // the start moves to satisfy linear constraints
        } else {
            Target::new(&function, maximise, &x0, ctx)?
        }
        .within(&bounds);
        let (max_iter, tolerance) = (args.max_iter.get() as u64, args.tolerance.get());
        if constrained {
            ctx.reserve_doubles(2 * n * (constraints.len() + 2 * n) + 8 * n * n)?;
            let watched = Watched::new(&constraints, ctx);
            let mut problem = Constrained::new(target, watched, bounds);
            let found = under_constraints(&mut problem, args.method, &x0, max_iter, tolerance)?;
            let mut output = found.output(&problem, given.is_some(), ctx);
            output.named = unknowns::by_name(names.as_deref(), &output.x);
            return Ok(output);
        }

        let mut search = Search {
            target,
            bounds,
            max_iter,
            tolerance,
        };
        let (found, method) = search.run(args.method, &x0)?;
        let Search {
            mut target, bounds, ..
        } = search;
        if !found.converged {
            warn_of_no_convergence(found.iterations, ctx);
        }
        let movable = bounds.movable(&found.x, &found.gradient);
        let lowest_curvature = match found.lowest_curvature {
            None => curvature::lowest(&mut target, &found.x, &movable)?
                .map(|curvature| curvature.lowest),
            known => known,
        };
        let mut multipliers: Vec<f64> =
            found.gradient.iter().map(|g| target.restored(*g)).collect();
        movable.iter().for_each(|&index| multipliers[index] = 0.0);
        Ok(Output {
            lowest_curvature,
            f: target.restored(found.value),
            iterations: found.iterations,
            evaluations: target.evaluations,
            gradient_norm: Real(max_abs(&found.gradient)),
            constraints: None,
            violation: None,
            kkt_residual: given.map(|_| Real(bounds.slope(&found.x, &found.gradient))),
            bound_multipliers: given.map(|_| multipliers),
            converged: found.converged,
            method,
            reason: found.reason,
            named: unknowns::by_name(names.as_deref(), &found.x),
            x: found.x,
        })
    }
}

fn warn_of_no_convergence(iterations: u64, ctx: &Ctx) {
    ctx.warn(format!("stopped after {iterations} iterations without convergence; raise `max_iter`, start elsewhere or try another `method`"));
}

/// A method for problems with constraints.
fn under_constraints(
    problem: &mut Constrained<'_>,
    method: Method,
    x0: &[f64],
    max_iter: u64,
    tolerance: f64,
) -> Result<constrained::Found, ToolError> {
    match method {
        Method::Sqp => sqp::minimise(problem, x0, max_iter, tolerance),
        Method::Cobyla => {
            let (most, n) = (cobyla::COORDINATES_MAX, x0.len());
            if n > most {
                let message = format!("`cobyla` takes at most {most} variables, found {n}");
                return Err(ToolError::invalid("/method", message).hint("use `sqp`"));
            }
            cobyla::minimise(problem, x0, max_iter, tolerance)
        }
        Method::Auto => {
            let first = sqp::minimise(problem, x0, max_iter, tolerance)?;
            if first.converged || x0.len() > cobyla::COORDINATES_MAX {
                return Ok(first);
            }
            let mut second = cobyla::minimise(problem, &first.at.x, max_iter, tolerance)?;
            let feasible = second.evidence.violation <= first.evidence.violation.max(tolerance);
            // A kink is where this method ends converged; elsewhere it has to be lower.
            let lower = second.at.value < first.at.value || first.evidence.violation > tolerance;
            let better = feasible && second.converged && (lower || !problem.is_smooth());
            second.iterations += first.iterations;
            Ok(if better { second } else { first })
        }
        Method::Gradient | Method::Newton | Method::NelderMead => {
            refuse!(invalid "/method"; "this method takes no constraints"; "use `auto`, `sqp` or `cobyla`")
        }
    }
}

impl constrained::Found {
    fn output(self, problem: &Constrained<'_>, bounded: bool, ctx: &Ctx) -> Output {
        if !self.converged {
            warn_of_no_convergence(self.iterations, ctx);
        }
        let target = &problem.target;
        let is_seen = self.method != Method::Cobyla || target.is_smooth();
        if !is_seen {
            ctx.warn("the objective has kinks or steps, at which linear models may see no gain: not known to be an optimum; compare the results from other starts");
        }
        let given = problem.watched.constraints;
        let constraints = (0..given.len()).map(|index| Constraint {
            value: given.signs[index] * self.at.c[index] + 0.0,
            multiplier: target.restored(given.signs[index] * self.evidence.multipliers[index]),
            active: self.evidence.active[index],
        });
        let constrained = given.len() > 0;
        let bound_multipliers = self.evidence.bound_multipliers.iter();
        let bound_multipliers = bound_multipliers.map(|multiplier| target.restored(*multiplier));
        Output {
            f: target.restored(self.at.value),
            iterations: self.iterations,
            evaluations: target.evaluations,
            gradient_norm: Real(max_abs(&self.at.gradient)),
            constraints: constrained.then(|| constraints.collect()),
            violation: constrained.then_some(self.evidence.violation),
            kkt_residual: (bounded || constrained).then_some(Real(self.evidence.residual)),
            bound_multipliers: bounded.then(|| bound_multipliers.collect()),
            lowest_curvature: self.lowest_curvature,
            converged: self.converged && is_seen,
            method: self.method,
            reason: self.reason,
            named: None,
            x: self.at.x,
        }
    }
}

/// A search without constraints.
struct Search<'a> {
    target: Target<'a>,
    bounds: Bounds,
    max_iter: u64,
    tolerance: f64,
}

impl Search<'_> {
    /// Minimises with a method; answers which one found the point.
    fn run(&mut self, method: Method, x0: &[f64]) -> Result<(Found, Method), ToolError> {
        if method == Method::Auto {
            return self.in_turn(x0);
        }
        Ok((self.by(method, x0)?, method))
    }

    fn by(&mut self, method: Method, x0: &[f64]) -> Result<Found, ToolError> {
        let (target, bounds) = (&mut self.target, &self.bounds);
        let (max_iter, tolerance) = (self.max_iter, self.tolerance);
        match method {
            Method::NelderMead => nelder_mead::minimise(target, bounds, x0, max_iter, tolerance),
            Method::Newton => match newton::minimise(target, bounds, x0, max_iter, tolerance)? {
                Some(found) => Ok(found),
                None => {
                    refuse!(invalid "/method"; "the objective has no known second derivatives at `x0`"; "use `auto`")
                }
            },
            Method::Auto | Method::Gradient | Method::Sqp | Method::Cobyla => {
                lbfgs::minimise(target, bounds, x0, max_iter, tolerance)
            }
        }
    }

    /// The methods in turn until one converges; each starts where the best one ended.
    fn in_turn(&mut self, x0: &[f64]) -> Result<(Found, Method), ToolError> {
        let mut best = (self.by(Method::Gradient, x0)?, Method::Gradient);
        for method in [Method::Newton, Method::NelderMead] {
            let simplex_fits = x0.len() <= nelder_mead::COORDINATES_MAX;
            if best.0.converged || (method == Method::NelderMead && !simplex_fits) {
                break;
            }
            let start = best.0.x.clone();
            let found = if method == Method::Newton {
                let (target, bounds) = (&mut self.target, &self.bounds);
                newton::minimise(target, bounds, &start, self.max_iter, self.tolerance)?
            } else {
                Some(self.by(method, &start)?)
            };
            if let Some(mut found) = found {
                found.iterations += best.0.iterations;
                if found.converged || found.value <= best.0.value {
                    best = (found, method);
                } else {
                    best.0.iterations = found.iterations;
                }
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests;
