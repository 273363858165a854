//! [`MinimiseProblem`]: a function with its bounds and constraints, and the choice between the methods with and without constraints.

use super::bounds::VariableBounds;
use super::constrained::{self, ConstrainedProblem, ConstraintEvaluator};
use super::result::{MinimiseEnd, MinimiseMethod, Optimum, OptimumNote};
use super::target::MinimisationTarget;
use super::unconstrained::{self, ITERATIONS};
use super::{curvature, nelder_mead};
use crate::Watch;
use crate::dense::max_abs;
use crate::optimise::error::{MethodMismatch, OptimiseError};
use crate::optimise::functions::{
    ConstraintFunctions, ConstraintKinds, CostFunction, no_constraint,
};

/// A function of n variables with bounds and constraints.
pub struct MinimiseProblem<'a> {
    pub(crate) function: Box<dyn CostFunction + 'a>,
    pub(crate) kinds: &'a ConstraintKinds,
    pub(crate) constraints: Box<dyn ConstraintFunctions + 'a>,
    pub(crate) bounds: VariableBounds,
}

/// How a local search is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinimiseOptions {
    /// The method.
    pub method: MinimiseMethod,
    /// Whether a maximum is looked for.
    pub maximise: bool,
    /// Largest number of iterations of each method; absent: 1000, and 400 for each variable of a simplex if that is more.
    pub max_iter: Option<u64>,
    /// Largest component of the gradient that counts as zero, largest violation of a constraint, and the change of a fresh simplex, in units
    /// of the problem: at least 0.
    pub tolerance: f64,
}

impl Default for MinimiseOptions {
    fn default() -> Self {
        Self {
            method: MinimiseMethod::Auto,
            maximise: false,
            max_iter: None,
            tolerance: 1e-8,
        }
    }
}

fn takes_constraints(method: MinimiseMethod) -> bool {
    matches!(
        method,
        MinimiseMethod::Sqp | MinimiseMethod::AugmentedLagrangian | MinimiseMethod::Cobyla
    )
}

/// Checks the number of variables.
///
/// # Errors
/// [`MethodMismatch`] for none, and for more than a method takes.
pub fn check_size(
    n: usize,
    method: MinimiseMethod,
    is_constrained: bool,
) -> Result<(), MethodMismatch> {
    if n == 0 {
        return Err(MethodMismatch::NoVariables);
    }
    let too_many = |method, most| MethodMismatch::TooManyVariables {
        method,
        most,
        variables: n,
    };
    let most = nelder_mead::COORDINATES_MAX;
    if method == MinimiseMethod::NelderMead && n > most {
        return Err(too_many(Some(method), most));
    }
    let most = constrained::VARIABLES_MAX_SPARSE;
    if (is_constrained || takes_constraints(method)) && n > most {
        return Err(too_many(None, most));
    }
    Ok(())
}

impl<'a> MinimiseProblem<'a> {
    /// A function of `n` variables without bounds and constraints.
    pub fn new(function: impl CostFunction + 'a, n: usize) -> Self {
        Self {
            function: Box::new(function),
            kinds: const { &ConstraintKinds::NONE },
            constraints: Box::new(no_constraint),
            bounds: VariableBounds::free(n),
        }
    }

    /// The same within bounds, beyond which the function is not evaluated.
    #[must_use]
    pub fn within(self, bounds: VariableBounds) -> Self {
        Self { bounds, ..self }
    }

    /// The same under constraints.
    #[must_use]
    pub fn under(
        self,
        kinds: &'a ConstraintKinds,
        constraints: impl ConstraintFunctions + 'a,
    ) -> Self {
        Self {
            kinds,
            constraints: Box::new(constraints),
            ..self
        }
    }

    /// Minimises or maximises from a start, which is first moved into the bounds. A search that does not converge answers with its best
    /// point.
    ///
    /// # Errors
    /// [`OptimiseError`]: an interruption, an error of a function, a start without a value, an objective without a bound, constraints that do
    /// not hold together, or a method that does not suit the problem.
    pub fn minimise_from(
        self,
        x0: &[f64],
        options: &MinimiseOptions,
        watch: &dyn Watch,
    ) -> Result<Optimum, OptimiseError> {
        let n = x0.len();
        check_size(n, options.method, !self.kinds.equal.is_empty())?;
        self.bounds.check(n)?;
        let simplex_fits = n <= nelder_mead::COORDINATES_MAX;
        watch.reserve_doubles(40 * n + if simplex_fits { 4 * n * n } else { 0 })?;
        let mut start = x0.to_vec();
        self.bounds.project(&mut start);
        let count = self.kinds.equal.len();
        let found = if count > 0 || takes_constraints(options.method) {
            if constrained::takes_dense_factors(n) {
                watch.reserve_doubles(2 * n * (count + 2 * n) + 8 * n * n)?;
            }
            self.minimise_constrained(&start, options, watch)?
        } else {
            self.minimise_unconstrained(&start, options, watch)?
        };
        Ok(judge_distance(found, x0))
    }

    fn minimise_constrained(
        self,
        start: &[f64],
        options: &MinimiseOptions,
        watch: &dyn Watch,
    ) -> Result<Optimum, OptimiseError> {
        let usual = (options.max_iter.unwrap_or(ITERATIONS), options.tolerance);
        // The start moves to satisfy linear constraints, so it need not have a value.
        let (target, _) = MinimisationTarget::near(self.function, options.maximise, start, watch)?;
        let target = target.within(&self.bounds);
        let evaluator = ConstraintEvaluator::new(self.kinds, self.constraints, watch);
        let mut problem = ConstrainedProblem::new(target, evaluator, self.bounds, start);
        let found = constrained::minimise_constrained(&mut problem, options.method, start, usual)?;
        Ok(found.into_optimum(&problem))
    }

    fn minimise_unconstrained(
        self,
        start: &[f64],
        options: &MinimiseOptions,
        watch: &dyn Watch,
    ) -> Result<Optimum, OptimiseError> {
        let bounds = self.bounds;
        let target = MinimisationTarget::new(self.function, options.maximise, start, watch)?;
        let mut target = target.within(&bounds);
        let limits = (options.max_iter, options.tolerance);
        let (found, method) =
            unconstrained::minimise_in_box(&mut target, &bounds, options.method, start, limits)?;
        let movable = bounds.movable(&found.x, &found.gradient);
        let lowest_curvature = match found.lowest_curvature {
            None => curvature::find_lowest_curvature(&mut target, &found.x, &movable)?
                .map(|curvature| curvature.lowest),
            known => known,
        };
        let mut multipliers: Vec<f64> =
            found.gradient.iter().map(|g| target.restored(*g)).collect();
        movable.iter().for_each(|&index| multipliers[index] = 0.0);
        let mut notes = Vec::new();
        if !found.converged {
            notes.push(OptimumNote::NotConverged);
        }
        Ok(Optimum {
            value: target.restored(found.value),
            iterations: found.iterations,
            evaluations: target.evaluations,
            gradient_norm: max_abs(&found.gradient),
            constraints: Vec::new(),
            violation: 0.0,
            kkt_residual: bounds.slope(&found.x, &found.gradient),
            bound_multipliers: multipliers,
            lowest_curvature,
            converged: found.converged,
            method,
            reason: found.reason,
            notes,
            x: found.x,
        })
    }
}

/// A point that ran away is no optimum, and one far from the start is said to be.
fn judge_distance(mut optimum: Optimum, start: &[f64]) -> Optimum {
    const FAR: f64 = 1e12;
    const LOST: f64 = 1e100;
    let distance = max_abs(&optimum.x) / (1.0 + max_abs(start));
    if distance > LOST && optimum.converged {
        (optimum.converged, optimum.reason) = (false, MinimiseEnd::NoProgress);
    }
    if distance > FAR {
        optimum.notes.push(OptimumNote::FarFromStart);
    }
    optimum
}

/// Minimises or maximises a function from a start, without bounds and constraints.
///
/// # Errors
/// As [`MinimiseProblem::minimise_from`].
pub fn minimise(
    function: impl CostFunction,
    x0: &[f64],
    options: &MinimiseOptions,
    watch: &dyn Watch,
) -> Result<Optimum, OptimiseError> {
    MinimiseProblem::new(function, x0.len()).minimise_from(x0, options, watch)
}
