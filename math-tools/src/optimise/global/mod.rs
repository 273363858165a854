//! `optimize_global`: the lowest or highest value of a function in a box.
//!
//! [`search::GlobalSearch`] counts evaluations and keeps the best point; each method is a file. All run in one thread on random streams of the
//! seed, so that a result depends on the arguments alone.

mod annealing;
mod cma;
mod evolution;
mod hopping;
mod multistart;
mod search;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::search::{GlobalSearch, INFEASIBLE};
use super::minimise::bounds::VariableBounds;
use super::minimise::constrained::constraints::ConstraintEvaluator;
use super::minimise::constrained::{ConstrainedProblem, ConstraintSet, TOLERANCE};
use super::minimise::objective::{Objective, ObjectiveFunction};
use super::minimise::scale::in_units;
use super::minimise::target::MinimisationTarget;
use super::minimise::{ConstraintReport, OptimisationMode, lbfgs, nelder_mead};
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
    /// `differential_evolution` for many minima, `multistart` and `basin_hopping` for smooth ones.
    #[value(default)]
    pub method: GlobalMethod,
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

/// The method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum GlobalMethod {
    /// The methods that suit the objective, in turn.
    #[default]
    Auto,
    /// Differential evolution with adapted settings and a shrinking population.
    DifferentialEvolution,
    /// Evolution of a normal distribution, with restarts of two kinds.
    CmaEs,
    /// Local searches from many points.
    Multistart,
    /// Local searches from displacements of the best minimum.
    BasinHopping,
    /// Generalised simulated annealing with local searches.
    DualAnnealing,
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
    pub reason: GlobalReason,
    /// The method that ran.
    pub method: GlobalMethod,
    /// The seed used.
    pub seed: RandomSeed,
}

/// Reason a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum GlobalReason {
    /// Many independent searches ended at the best value before the budget was used up.
    Agreement,
    /// `max_evals` was used up.
    MaxEvals,
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
        let bounds = VariableBounds::new(&given, n)?;
        ctx.reserve_doubles(400 * n * n + 40_000 * n)?;
        let (variables, data) = ((n, names.as_deref()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/bounds", ctx)?;
        let function = ObjectiveFunction::new(&args.objective, &scope, n, ctx)?;
        unknowns::check_use(data, function.expression_of(), ctx)?;
        let seed = ctx.seed(args.seed);
        let centre: Vec<f64> = (0..n)
            .map(|i| bounds.low[i] / 2.0 + bounds.high[i] / 2.0)
            .collect();
        let constraints = ConstraintSet::new(&args.constraints, &scope, n)?;
        let max_evals = args.max_evals.get() as u64;
        if constraints.len() > 0 && max_evals < CONSTRAINED_MIN {
            refuse!(invalid "/max_evals"; "expected at least {CONSTRAINED_MIN} evaluations with constraints, found {max_evals}";
                "leave it out, or raise it");
        }
        let maximise = args.mode == OptimisationMode::Maximize;
        let smooth = function.is_smooth() && constraints.smooth;
        let (problem, first) =
            begin_problem((&function, maximise), &constraints, (bounds, centre), ctx)?;
        let mut search = GlobalSearch::new(problem, (ctx, seed), smooth, first);
        let reserve = search.gradient_cost().min(max_evals / 2);
        let reason = run_method(&mut search, args.method, max_evals - reserve)?;
        polish_best_point(&mut search)?;
        if !search.best.0.is_finite() {
            refuse!(numeric "/objective", "not_finite"; "the objective is finite at no point that was tried";
                "choose `bounds` within its domain");
        }
        if search.best.0 >= INFEASIBLE {
            return Err(infeasible_error(&mut search)?);
        }
        let evidence = gather_evidence(&mut search, max_evals)?;
        let agreeing = search.agreeing();
        let converged = search.is_exhausted();
        warn_of_weak_search(&search, converged, ctx);
        Ok(Output {
            f: search.problem.target.restored(search.best.0),
            evaluations: search.spent(),
            max_evals,
            constraints: evidence.constraints,
            violation: evidence.violation,
            searches: search.searches(),
            agreeing,
            kkt_residual: Real(evidence.residual),
            converged,
            reason,
            method: args.method,
            seed,
            named: unknowns::by_name(names.as_deref(), &search.best.1),
            x: search.best.1,
        })
    }
}

/// The fewest evaluations with constraints.
const CONSTRAINED_MIN: u64 = 100;

/// The problem in a box, and the key of the centre with the centre.
fn begin_problem<'a>(
    (function, maximise): (&'a ObjectiveFunction, bool),
    constraints: &'a ConstraintSet,
    (bounds, centre): (VariableBounds, Vec<f64>),
    ctx: &'a Ctx,
) -> Result<(ConstrainedProblem<'a>, (f64, Vec<f64>)), ToolError> {
    let (target, value) = MinimisationTarget::near(function, maximise, &centre, ctx)?;
    let free = constraints.len() == 0;
    let floor = if free { f64::MIN } else { f64::NEG_INFINITY };
    let target = target.within(&bounds).down_to(floor);
    let key = match free && value.is_finite() {
        true => {
            if maximise {
                -value
            } else {
                value
            }
        }
        false => f64::INFINITY, // the first search tells
    };
    let problem = ConstrainedProblem::in_box(
        target,
        ConstraintEvaluator::new(constraints, ctx),
        bounds,
        &centre,
    );
    Ok((problem, (key, centre)))
}

fn warn_of_weak_search(search: &GlobalSearch<'_>, converged: bool, ctx: &Ctx) {
    /// Difference of coordinates, relative to the box, beyond which points are different.
    const APART: f64 = 1e-3;
    if !converged {
        ctx.warn("there may be a better value: the searches have not met every local optimum often enough; raise `max_evals` or narrow `bounds`");
    }
    let spread = search.spread();
    if search.agreeing() >= 2 && spread > APART {
        ctx.warn(format!("searches that agree on the value ended at different points, up to {:.2} of the box apart: it is reached at several points or on a plateau, and counts as one optimum", spread));
    }
}

/// The error of a search that found no feasible point.
fn infeasible_error(search: &mut GlobalSearch<'_>) -> Result<ToolError, ToolError> {
    let x = search.best.1.clone();
    let c = search.problem.constraints(&x)?;
    let violated = search.problem.violated(&c, TOLERANCE);
    let error = search.problem.infeasible(&x, &c, &violated, false);
    let evaluations = search.spent();
    let message = format!("no feasible point found in {evaluations} evaluations");
    let evidence = error.to_value().get("evidence").cloned();
    let error = ToolError::numeric("/constraints", message)
        .reason("infeasible")
        .hint("relax a constraint, raise `max_evals` or narrow `bounds` to where a feasible point may be");
    Ok(match evidence {
        Some(evidence) => error.evidence(evidence),
        None => error,
    })
}

/// What is known of the best point.
struct GlobalEvidence {
    residual: f64,
    constraints: Option<Vec<ConstraintReport>>,
    violation: Option<f64>,
}

fn gather_evidence(
    search: &mut GlobalSearch<'_>,
    max_evals: u64,
) -> Result<GlobalEvidence, ToolError> {
    if search.is_constrained() {
        let (value, x) = search.best.clone();
        let c = search.problem.constraints(&x)?;
        let at = search.problem.state(x, (value, c))?;
        let evidence = search.problem.evidence(&at)?;
        return Ok(GlobalEvidence {
            residual: evidence.residual,
            violation: Some(evidence.violation),
            constraints: Some(search.problem.report(&at, &evidence)),
        });
    }
    let left = max_evals.saturating_sub(search.spent());
    let residual = match left >= search.gradient_cost() {
        true => search.slope()?,
        false => f64::NAN,
    };
    Ok(GlobalEvidence {
        residual,
        constraints: None,
        violation: None,
    })
}

/// Runs a method until the budget is used up or many searches agree; a twentieth of it is left for the polish.
fn run_method(
    search: &mut GlobalSearch<'_>,
    method: GlobalMethod,
    max_evals: u64,
) -> Result<GlobalReason, ToolError> {
    const POLISH: u64 = 20;
    search.limit = max_evals - max_evals / POLISH;
    let limit = search.limit;
    let agrees = match method {
        GlobalMethod::Auto => share_budget(search)?,
        GlobalMethod::Multistart => search.within(limit, multistart::search_by_multistart)?,
        GlobalMethod::DualAnnealing => search.within(limit, annealing::search_by_annealing)?,
        GlobalMethod::CmaEs => search.within(limit, cma::search_by_cma)?,
        GlobalMethod::DifferentialEvolution => {
            search.within(limit, evolution::search_by_evolution)?
        }
        GlobalMethod::BasinHopping => search.within(limit, hopping::search_by_hopping)?,
    };
    search.limit = max_evals;
    Ok(match agrees {
        true => GlobalReason::Agreement,
        false => GlobalReason::MaxEvals,
    })
}

/// A method: it ends by the error of a budget that is used up.
type Run = fn(&mut GlobalSearch<'_>) -> Result<(), ToolError>;

/// Shares the budget among the methods that suit the problem; answers whether it ended early, since many searches agree.
///
/// # Method
/// Where local searches have gradients, `basin_hopping` and `cma_es` get a share each, and the rest goes to the one with the lower value.
fn share_budget(search: &mut GlobalSearch<'_>) -> Result<bool, ToolError> {
    let parts: &[(Run, f64)] = if search.smooth {
        &[
            (multistart::search_by_multistart, 0.05),
            (hopping::search_by_hopping, 0.2),
            (cma::search_by_cma, 0.3),
        ]
    } else {
        &[
            (cma::search_by_cma, 0.4),
            (evolution::search_by_evolution, 1.0),
        ]
    };
    let mut go_on = |run: Run, part: f64| {
        let limit = search.share(part);
        search.within(limit, run)?;
        let agree = search.agreeing() >= AGREEING_MANY && search.is_exhausted();
        Ok::<_, ToolError>((agree, search.best.0))
    };
    let mut lows = Vec::new();
    for &(run, part) in parts {
        let (agree, low) = go_on(run, part)?;
        if agree {
            return Ok(true);
        }
        lows.push(low);
    }
    let [_, hops, evolution] = lows[..] else {
        return Ok(false);
    };
    let better: Run = match evolution < hops {
        true => cma::search_by_cma,
        false => hopping::search_by_hopping,
    };
    Ok(go_on(better, 1.0)?.0)
}

/// So many ends at the best value end the search between methods.
const AGREEING_MANY: usize = 40;

/// Improves the best point by a local search with what is left of the budget.
fn polish_best_point(search: &mut GlobalSearch<'_>) -> Result<(), ToolError> {
    const ITERATIONS_MAX: u64 = 10_000;
    const TOLERANCE: f64 = 1e-10;
    let (bounds, x) = (search.bounds.clone(), search.best.1.clone());
    let smooth = search.smooth;
    let limit = search.limit;
    search.within(limit, |search| {
        if search.is_constrained() {
            search.under_constraints(&x, ITERATIONS_MAX)?;
        } else if smooth {
            in_units(search, &bounds, &x, TOLERANCE, |target, bounds, x| {
                let found = lbfgs::minimise_by_lbfgs(target, bounds, x, ITERATIONS_MAX, TOLERANCE)?;
                Ok((found, ()))
            })?;
        } else if x.len() <= nelder_mead::COORDINATES_MAX {
            in_units(search, &bounds, &x, TOLERANCE, |target, bounds, x| {
                let found =
                    nelder_mead::minimise_by_simplex(target, bounds, x, ITERATIONS_MAX, TOLERANCE)?;
                Ok((found, ()))
            })?;
        }
        Ok(())
    })?;
    Ok(())
}
