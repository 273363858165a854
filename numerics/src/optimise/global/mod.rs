//! Global minima in a box.
//!
//! [`search::GlobalSearch`] counts evaluations and keeps the best point; each method is a file. All run in one thread on random streams of the
//! seed, so that a result depends on the arguments alone.

mod annealing;
mod cma;
mod evolution;
mod hopping;
mod multistart;
mod proposed;
mod search;

pub use self::proposed::GlobalPointSource;

use self::search::{GlobalSearch, INFEASIBLE};
use super::error::{MethodMismatch, NotFinitePlace, OptimiseError};
use super::functions::FunctionShape;
use super::minimise::constrained::{ConstrainedProblem, ConstraintEvaluator, TOLERANCE};
use super::minimise::problem::MinimiseProblem;
use super::minimise::result::ConstraintState;
use super::minimise::scale::in_units;
use super::minimise::target::MinimisationTarget;
use super::minimise::{lbfgs, nelder_mead};
use crate::Watch;

/// A global method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GlobalMethod {
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

/// How a global search is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GlobalOptions {
    /// The method.
    pub method: GlobalMethod,
    /// Whether a maximum is looked for.
    pub maximise: bool,
    /// Largest number of evaluations, those of gradients included; at least 1, with constraints at least 100.
    pub max_evaluations: u64,
    /// Seed of the random streams.
    pub seed: u64,
}

impl Default for GlobalOptions {
    fn default() -> Self {
        Self {
            method: GlobalMethod::Auto,
            maximise: false,
            max_evaluations: 40_000,
            seed: 42,
        }
    }
}

/// Reason a global search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobalEnd {
    /// Many independent searches ended at the best value before the evaluations were used up.
    Agreement,
    /// The evaluations were used up.
    MaxEvaluations,
}

/// The point that a global search found, and how. No method can prove that it is the global optimum.
#[derive(Debug, Clone)]
pub struct GlobalOptimum {
    /// The best point.
    pub x: Vec<f64>,
    /// The objective there, in the caller's sign.
    pub value: f64,
    /// Evaluations of the objective and of gradients; under constraints also of points where those fail.
    pub evaluations: u64,
    /// Each constraint at x.
    pub constraints: Vec<ConstraintState>,
    /// Largest amount by which a constraint is violated.
    pub violation: f64,
    /// Independent searches that came to an end.
    pub searches: usize,
    /// Those that ended at the value found, to 8 digits.
    pub agreeing: usize,
    /// The largest difference of a coordinate between those, as a share of the box.
    pub spread: f64,
    /// Largest component of the gradient that neither bounds nor active constraints balance, in magnitude: 0 at a smooth optimum; NaN where
    /// too few evaluations are left.
    pub kkt_residual: f64,
    /// Whether at least two searches agree and all have probably met every local optimum: evidence, no proof.
    pub converged: bool,
    /// Reason the search ended.
    pub reason: GlobalEnd,
}

/// The fewest evaluations with constraints.
const CONSTRAINED_MIN: u64 = 100;

impl MinimiseProblem<'_> {
    /// The lowest or highest value within finite bounds.
    ///
    /// # Errors
    /// [`OptimiseError`]: an interruption, an error of a function, an objective without a value anywhere, constraints that hold at no point
    /// that was met, bounds that are not finite, and fewer evaluations than 100 under constraints.
    pub fn minimise_globally(
        self,
        options: &GlobalOptions,
        watch: &dyn Watch,
    ) -> Result<GlobalOptimum, OptimiseError> {
        let method = options.method;
        self.search_globally(options, watch, |search, budget| {
            run_method(search, method, budget)
        })
    }

    /// As [`MinimiseProblem::minimise_globally`], with a method of the caller in place of that of the options: its points are improved by
    /// local searches, and the evidence is the same.
    ///
    /// # Errors
    /// Those of [`MinimiseProblem::minimise_globally`].
    pub fn minimise_globally_from(
        self,
        source: &mut dyn GlobalPointSource,
        options: &GlobalOptions,
        watch: &dyn Watch,
    ) -> Result<GlobalOptimum, OptimiseError> {
        self.search_globally(options, watch, |search, budget| {
            search.limit = budget_before_polish(budget);
            let limit = search.limit;
            let ended = search.within(limit, |search| {
                proposed::search_by_proposals(search, source)
            })?;
            search.limit = budget;
            Ok(end_of(ended))
        })
    }

    fn search_globally(
        self,
        options: &GlobalOptions,
        watch: &dyn Watch,
        run: impl FnOnce(&mut GlobalSearch<'_>, u64) -> Result<GlobalEnd, OptimiseError>,
    ) -> Result<GlobalOptimum, OptimiseError> {
        let n = self.bounds.low.len();
        self.check_box(options)?;
        watch.reserve_doubles(400 * n * n + 40_000 * n)?;
        let max_evaluations = options.max_evaluations;
        let mut search = self.begin_search(options, watch)?;
        let reserve = search.gradient_cost().min(max_evaluations / 2);
        let reason = run(&mut search, max_evaluations - reserve)?;
        polish_best_point(&mut search)?;
        if !search.best.0.is_finite() {
            return Err(NotFinitePlace::WholeBox.into());
        }
        if search.best.0 >= INFEASIBLE {
            return Err(infeasible_error(&mut search)?);
        }
        let evidence = gather_evidence(&mut search, max_evaluations)?;
        Ok(GlobalOptimum {
            value: search.problem.target.restored(search.best.0),
            evaluations: search.spent(),
            constraints: evidence.constraints,
            violation: evidence.violation,
            searches: search.searches(),
            agreeing: search.agreeing(),
            spread: search.spread(),
            kkt_residual: evidence.residual,
            converged: search.is_exhausted(),
            reason,
            x: search.best.1,
        })
    }

    fn check_box(&self, options: &GlobalOptions) -> Result<(), MethodMismatch> {
        let n = self.bounds.low.len();
        if n == 0 {
            return Err(MethodMismatch::NoVariables);
        }
        self.bounds.check(n)?;
        let is_infinite =
            |&i: &usize| !(self.bounds.low[i].is_finite() && self.bounds.high[i].is_finite());
        if let Some(variable) = (0..n).find(is_infinite) {
            return Err(MethodMismatch::InfiniteBounds { variable });
        }
        let evaluations = options.max_evaluations;
        let least = if self.kinds.equal.is_empty() {
            1
        } else {
            CONSTRAINED_MIN
        };
        if evaluations < least {
            return Err(MethodMismatch::TooFewEvaluations { least, evaluations });
        }
        Ok(())
    }
}

impl<'a> MinimiseProblem<'a> {
    /// A search of which the centre of the box was evaluated.
    fn begin_search(
        self,
        options: &GlobalOptions,
        watch: &'a dyn Watch,
    ) -> Result<GlobalSearch<'a>, OptimiseError> {
        let bounds = self.bounds;
        let centre: Vec<f64> = (0..bounds.low.len())
            .map(|i| bounds.low[i] / 2.0 + bounds.high[i] / 2.0)
            .collect();
        let maximise = options.maximise;
        let smooth = self.function.shape() == FunctionShape::Smooth && self.kinds.is_smooth;
        let (target, value) = MinimisationTarget::near(self.function, maximise, &centre, watch)?;
        let free = self.kinds.equal.is_empty();
        let floor = if free { f64::MIN } else { f64::NEG_INFINITY };
        let target = target.within(&bounds).down_to(floor);
        // Under constraints the first search tells.
        let key = match (free && value.is_finite(), maximise) {
            (true, true) => -value,
            (true, false) => value,
            (false, _) => f64::INFINITY,
        };
        let evaluator = ConstraintEvaluator::new(self.kinds, self.constraints, watch);
        let problem = ConstrainedProblem::in_box(target, evaluator, bounds, &centre);
        Ok(GlobalSearch::new(
            problem,
            options.seed,
            smooth,
            (key, centre),
        ))
    }
}

/// The error of a search that found no feasible point.
fn infeasible_error(search: &mut GlobalSearch<'_>) -> Result<OptimiseError, OptimiseError> {
    let x = search.best.1.clone();
    let c = search.problem.constraints(&x)?;
    let violated = search.problem.violated(&c, TOLERANCE);
    let nearest = Box::new(search.problem.conflict(&x, &c, &violated, false));
    Ok(OptimiseError::NoFeasiblePoint {
        evaluations: search.spent(),
        nearest,
    })
}

/// What is known of the best point.
struct GlobalEvidence {
    residual: f64,
    constraints: Vec<ConstraintState>,
    violation: f64,
}

fn gather_evidence(
    search: &mut GlobalSearch<'_>,
    max_evaluations: u64,
) -> Result<GlobalEvidence, OptimiseError> {
    if search.is_constrained() {
        let (value, x) = search.best.clone();
        let c = search.problem.constraints(&x)?;
        let at = search.problem.state(x, (value, c))?;
        let evidence = search.problem.evidence(&at)?;
        return Ok(GlobalEvidence {
            residual: evidence.residual,
            violation: evidence.violation,
            constraints: search.problem.constraint_states(&at, &evidence),
        });
    }
    let left = max_evaluations.saturating_sub(search.spent());
    let residual = match left >= search.gradient_cost() {
        true => search.slope()?,
        false => f64::NAN,
    };
    Ok(GlobalEvidence {
        residual,
        constraints: Vec::new(),
        violation: 0.0,
    })
}

/// What a method may use of a budget: a twentieth of it is left for the polish.
fn budget_before_polish(max_evaluations: u64) -> u64 {
    const POLISH: u64 = 20;
    max_evaluations - max_evaluations / POLISH
}

fn end_of(agrees: bool) -> GlobalEnd {
    match agrees {
        true => GlobalEnd::Agreement,
        false => GlobalEnd::MaxEvaluations,
    }
}

/// Runs a method until its part of the budget is used up or many searches agree.
fn run_method(
    search: &mut GlobalSearch<'_>,
    method: GlobalMethod,
    max_evaluations: u64,
) -> Result<GlobalEnd, OptimiseError> {
    search.limit = budget_before_polish(max_evaluations);
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
    search.limit = max_evaluations;
    Ok(end_of(agrees))
}

/// A method: it ends by the error of a budget that is used up.
type Run = fn(&mut GlobalSearch<'_>) -> Result<(), OptimiseError>;

/// Shares the budget among the methods that suit the problem; answers whether it ended early, since many searches agree.
///
/// # Method
/// Where local searches have gradients, `basin_hopping` and `cma_es` get a share each, and the rest goes to the one with the lower value.
fn share_budget(search: &mut GlobalSearch<'_>) -> Result<bool, OptimiseError> {
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
        Ok::<_, OptimiseError>((agree, search.best.0))
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
fn polish_best_point(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
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
