//! `optimize_global`: the lowest or highest value of a function in a box.

mod options;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numerics::optimise::{GlobalOptimum, GlobalOptions, MinimiseProblem};

use self::options::{GlobalSearchMethod, OptimizeGlobalMethod, OptimizeGlobalReason};
use super::errors::ProblemWords;
use super::minimise::bounds::read_bounds;
use super::minimise::call::report_constraints;
use super::minimise::constraints::ConstraintSet;
use super::minimise::objective::{Objective, ObjectiveFunction};
use super::minimise::{ConstraintReport, OptimisationMode};
use crate::call_watch::CallWatch;
use crate::expression::NamedParameters;
use crate::expression::unknowns::{self, PerVariable};
use crate::prelude::*;

/// Find the global minimum or maximum of a function in a box. No method can prove that it is the global one: `agreeing` says how many
/// independent searches ended at the value found.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Objective: as in `optimize`.
    pub objective: Objective,
    /// Lower and upper bound of each variable. `[[low, high], ...]`, or by name, `{"a": [0, 1]}`; at most 200.
    #[schema(extend("x-shape" = ["n", 2]))]
    pub bounds: PerVariable<[Finite; 2]>,
    /// Columns of numbers. The objective names them and reduces them to one number, such as `sum((y - x0 - x1*t)**2)`; inline or from a
    /// file.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Constraints, as in `optimize`; they count as satisfied up to 1e-8. The objective is evaluated where they hold, and by local
    /// searches near there.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// `auto` shares the evaluations among the methods that suit the objective; `cma_es` for rugged and ill-conditioned functions, `dual_annealing` and
    /// `differential_evolution` for many minima, `multistart` and `basin_hopping` for smooth ones; `particle_swarm` and
    /// `simulated_annealing` are plain methods of another library, for comparison.
    #[value(default)]
    pub method: OptimizeGlobalMethod,
    /// `minimize` or `maximize`.
    #[value(default)]
    pub(crate) mode: OptimisationMode,
    /// Largest number of evaluations, those of gradients included.
    #[value(default = "BoundedInteger::<1, 1_000_000_000>::of::<40_000>")]
    pub max_evals: BoundedInteger<1, 1_000_000_000>,
    /// Seed of the random streams; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// The point found and how.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The best point.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The entries of `x` by name, where `bounds` has names.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "bounds": { "is": "named" } }))]
    pub named: Option<BTreeMap<String, f64>>,
    /// The objective there.
    pub f: f64,
    /// Evaluations of the objective and of gradients; under constraints also of points where those fail.
    pub evaluations: u64,
    /// The budget.
    pub max_evals: u64,
    /// Each constraint at x, in the order given.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "constraints": { "least": 1 } }))]
    pub constraints: Option<Vec<ConstraintReport>>,
    /// Largest amount by which a constraint is violated.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "constraints": { "least": 1 } }))]
    pub violation: Option<f64>,
    /// Independent searches that came to an end.
    pub searches: usize,
    /// Those that ended at the value found, to 8 digits; a warning says where they ended at different points.
    pub agreeing: usize,
    /// Largest component of the gradient that neither bounds nor active constraints balance, in magnitude: 0 at a smooth optimum; "NaN"
    /// where too few evaluations are left.
    pub kkt_residual: Real,
    /// Whether at least two searches agree and all have probably met every local optimum (Boender and Rinnooy Kan): evidence, no proof.
    pub converged: bool,
    /// Reason the search ended.
    pub reason: OptimizeGlobalReason,
    /// The method that ran.
    pub method: OptimizeGlobalMethod,
    /// The seed used.
    pub seed: RandomSeed,
}

/// The most variables.
const VARIABLES_MAX: usize = 200;

impl Tool for Args {
    const SPEC: Spec = Spec::named("optimize_global", "Global minimum or maximum in a box")
        .seeded()
        .tags(&[
            "optimisation",
            "global",
            "minimum",
            "maximum",
            "annealing",
            "evolution",
            "cma-es",
        ])
        .syntax(&[
            ("/objective", Syntax::Expression),
            ("/constraints", Syntax::Expression),
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two minima, of which the left is lower": r#"{"objective": "(x**2-1)**2+x", "bounds": [[-2, 2]], "method": "multistart", "max_evals": 1000}"#
            => r#"{"x": [-1.1071598717192255], "f": -1.056172885244464, "evaluations": 992, "max_evals": 1000, "searches": 44, "agreeing": 43, "kkt_residual": 3.26192406419068e-10, "converged": true, "reason": "max_evals", "method": "multistart", "seed": 42}"#;
        "under a constraint, which holds with equality":
            r#"{"objective": "x**2+y", "bounds": [[-5, 5], [-5, 5]], "constraints": ["x*y>=1"]}"#
            => r#"{"x": [-0.2, -5.0], "f": -4.96, "evaluations": 1907, "max_evals": 40000, "constraints": [{"value": 0.0,
                "multiplier": 0.08, "active": true}], "violation": 0.0, "searches": 68, "agreeing": 48, "kkt_residual": 0.0,
                "converged": true, "reason": "agreement", "method": "auto", "seed": 42}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let n = args.bounds.len();
        if n == 0 || n > VARIABLES_MAX {
            refuse!(invalid "/bounds"; "expected bounds of 1 to {VARIABLES_MAX} variables, found {n}";
                "give one pair [low, high] per variable");
        }
        let (pairs, names) = args.bounds.entries();
        let given: Vec<_> = pairs.iter().map(|pair| pair.map(Some)).collect();
        let bounds = read_bounds(&given, n)?;
        let (variables, data) = ((n, names.as_deref()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/bounds", ctx)?;
        let function = ObjectiveFunction::new(&args.objective, &scope, n, ctx)?;
        unknowns::check_use(data, function.expression_of(), ctx)?;
        let seed = ctx.seed(args.seed);
        let constraints = ConstraintSet::new(&args.constraints, &scope, n)?;
        let mut options = GlobalOptions {
            maximise: args.mode == OptimisationMode::Maximize,
            max_evaluations: args.max_evals.get() as u64,
            seed: seed.get(),
            ..GlobalOptions::default()
        };
        let problem = MinimiseProblem::new(function.evaluator(ctx), n)
            .within(bounds)
            .under(&constraints.kinds, constraints.evaluator());
        let words = ProblemWords {
            objective: None,
            constraints: Some(&constraints),
        };
        let watch = CallWatch(ctx);
        let found = match args.method.search_method() {
            GlobalSearchMethod::Native(method) => {
                options.method = method;
                problem.minimise_globally(&options, &watch)
            }
            GlobalSearchMethod::Proposed(mut source) => {
                problem.minimise_globally_from(&mut source, &options, &watch)
            }
        };
        let found = found.map_err(|error| words.error(error, ctx))?;
        warn_of_weak_search(&found, ctx);
        let is_constrained = constraints.len() > 0;
        Ok(Output {
            f: found.value,
            evaluations: found.evaluations,
            max_evals: options.max_evaluations,
            constraints: is_constrained
                .then(|| report_constraints(&constraints, &found.constraints)),
            violation: is_constrained.then_some(found.violation),
            searches: found.searches,
            agreeing: found.agreeing,
            kkt_residual: Real(found.kkt_residual),
            converged: found.converged,
            reason: found.reason.into(),
            method: args.method,
            seed,
            named: unknowns::by_name(names.as_deref(), &found.x),
            x: found.x,
        })
    }
}

fn warn_of_weak_search(found: &GlobalOptimum, ctx: &Ctx) {
    /// Difference of coordinates, relative to the box, beyond which points are different.
    const APART: f64 = 1e-3;
    if !found.converged {
        ctx.warn("there may be a better value: the searches have not met every local optimum often enough; raise `max_evals` or narrow `bounds`");
    }
    let spread = found.spread;
    if found.agreeing >= 2 && spread > APART {
        ctx.warn(format!("searches that agree on the value ended at different points, up to {spread:.2} of the box apart: it is reached at several points or on a plateau, and counts as one optimum"));
    }
}
