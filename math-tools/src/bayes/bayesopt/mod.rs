//! Optimisation of an expensive objective with few evaluations.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use numerics::FunctionError;
use numerics::bayes::{AcquisitionFunction, BayesError, BayesOptions, maximise_in_cube};

use crate::call_watch::CallWatch;
use crate::expression::unknowns::{self, PerVariable};
use crate::expression::{Expression, NamedParameters};
use crate::prelude::*;

/// Optimise an expression in a box with few evaluations. A Gaussian process (Matern 5/2, one fitted length scale for each
/// dimension) is fitted to all evaluations so far and the next point maximises an acquisition function. Maximises unless `mode`
/// says otherwise. Uses exactly n_init + n_iter evaluations.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Lower and upper bound of each variable. `[[low, high], ...]`, or by name, `{"a": [0, 1]}`; 1 to 20 variables, low < high.
    #[schema(extend("x-shape" = ["d", 2]))]
    pub bounds: PerVariable<[Finite; 2]>,
    /// Expression in x0, x1, ... (x, y and z are x0, x1 and x2) or in the names of `bounds`.
    pub objective: String,
    /// Named numbers the expression uses, such as `{"a": 1.5}`; the entries of a list `w` are `w[0]`, `w[1]`, ...
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers. The objective names them and reduces them to one number, such as `sum((y - x0 - x1*t)**2)`; inline or from a
    /// file.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Whether to look for the largest or the smallest value.
    #[value(default)]
    pub(crate) mode: BayesoptMode,
    /// Evaluations before the first model, on a Latin hypercube.
    #[value(default = "BoundedInteger::<1, 300>::of::<5>")]
    pub n_init: BoundedInteger<1, 300>,
    /// Evaluations chosen by the model.
    #[value(default = "BoundedInteger::<0, 300>::of::<25>")]
    pub n_iter: BoundedInteger<0, 300>,
    /// Quantity that the next point maximises.
    #[value(default)]
    pub acquisition: BayesoptAcquisition,
    /// Standard deviation of the noise of the objective, relative to that of the process, at most 1e100; at least 1e-5 is used,
    /// for a stable fit. Expressions have no noise: larger values smooth over jumps and ripples.
    #[value(default = "default_noise")]
    pub noise: Tolerance,
    /// Seed of the design and of the starting points of the searches; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// Smallest noise variance relative to that of the process: correlation matrices of close points are singular to rounding.
const NUGGET_MIN: f64 = 1e-10;

fn default_noise() -> Tolerance {
    Tolerance::literal(1e-6)
}

/// Direction of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum BayesoptMode {
    /// The largest value.
    #[default]
    Maximize,
    /// The smallest value.
    Minimize,
}

/// Criterion for the next point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum BayesoptAcquisition {
    /// Expected improvement over the best value so far.
    #[default]
    Ei,
    /// Upper confidence bound: mean + 2 standard deviations.
    Ucb,
    /// Probability of improving the best value by 0.01 standard deviations of all values; searches locally.
    Pi,
}

impl From<BayesoptAcquisition> for AcquisitionFunction {
    fn from(acquisition: BayesoptAcquisition) -> Self {
        match acquisition {
            BayesoptAcquisition::Ei => Self::ExpectedImprovement,
            BayesoptAcquisition::Ucb => Self::UpperConfidence,
            BayesoptAcquisition::Pi => Self::ImprovementProbability,
        }
    }
}

/// The error of a search in the words of the tools.
fn search_error(error: BayesError, ctx: &Ctx) -> ToolError {
    match error {
        BayesError::Interrupted(interruption) => CallWatch(ctx).interruption_error(interruption),
        BayesError::Function(error) => CallWatch::function_error(error),
        shape @ BayesError::Shape { .. } => ToolError::new(ErrorCode::Internal, shape),
        singular @ BayesError::Singular { .. } => ToolError::numeric("/objective", singular)
            .reason("singular")
            .hint("give other `bounds`, or a `noise` from 1e-5 to 1"),
    }
}

/// The best point and how it was found.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The best point evaluated.
    #[schema(extend("x-shape" = ["d"]))]
    pub x_best: Vec<f64>,
    /// The entries of `x_best` by name, where `bounds` has names.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "bounds": { "is": "named" } }))]
    pub named: Option<BTreeMap<String, f64>>,
    /// The objective there.
    pub y_best: f64,
    /// Every evaluation in order.
    pub history: EvaluationHistory,
    /// Evaluations of the objective, n_init + n_iter.
    pub n_evaluations: usize,
    /// The process fitted to all evaluations.
    pub(crate) model: GaussianProcessReport,
    /// Largest improvement that the last model still expects anywhere in the box, in the units of the objective.
    pub expected_improvement: Real,
    /// Whether that is below a millionth of the standard deviation of the values; when not, more `n_iter` may help.
    pub converged: bool,
    /// Reason it has not converged; absent when it has.
    #[value(skip_encoding_if = "Option::is_none")]
    pub reason: Option<BayesoptReason>,
    /// The seed used.
    pub seed: RandomSeed,
}

/// Reason a search has not converged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum BayesoptReason {
    /// `n_iter` was used up while the model expected improvements.
    Evaluations,
}

/// Points and values in the order of their evaluation.
#[derive(Debug, Encode, Describe)]
#[allow(non_snake_case, reason = "X and y are the names of the field")]
pub(crate) struct EvaluationHistory {
    /// One point for each row.
    #[schema(extend("x-shape" = ["evaluations", "d"]))]
    pub X: Matrix,
    /// The objective at each point; "NaN" where it was not finite.
    #[schema(extend("x-shape" = ["evaluations"]))]
    pub y: Vec<Real>,
}

/// A fitted Gaussian process.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GaussianProcessReport {
    /// Length scale of each variable, in its own units.
    #[schema(extend("x-shape" = ["d"]))]
    pub length_scales: Vec<f64>,
    /// Variance of the process, in squared units of the objective.
    pub signal_variance: Real,
    /// Variance of the noise, in squared units of the objective.
    pub noise: Real,
    /// Log marginal likelihood of the standardised values; "Infinity" when all values are equal.
    pub log_marginal_likelihood: Real,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("bayesopt", "Bayesian optimisation")
        .seeded()
        .tags(&["optimisation", "numeric"])
        .syntax(&[("/objective", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a constant objective: nothing to improve anywhere":
            r#"{"bounds": {"a": [0, 1]}, "objective": "7", "n_init": 2, "n_iter": 0}"#
            => r#"{"x_best": [0.7207068555433085], "named": {"a": 0.7207068555433085}, "y_best": 7.0,
                "history": {"X": [[0.7207068555433085], [0.017846825567724656]], "y": [7.0, 7.0]},
                "n_evaluations": 2,
                "model": {"length_scales": [0.5], "signal_variance": 0.0, "noise": 0.0, "log_marginal_likelihood": "Infinity"},
                "expected_improvement": 0.0, "converged": true, "seed": 42}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (pairs, names) = args.bounds.entries();
        let bounds = check_bounds(&pairs)?;
        let d = bounds.len();
        let (variables, data) = ((d, names.as_deref()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/bounds", ctx)?;
        let objective = Expression::parse(&args.objective, &scope)
            .map_err(|err| err.into_tool_error("/objective"))?;
        unknowns::check_use(data, [&objective], ctx)?;
        let seed = ctx.seed(args.seed);
        let plan = BayesOptions {
            initial: args.n_init.size(),
            iterations: args.n_iter.size(),
            acquisition: args.acquisition.into(),
            nugget: relative_noise_variance(args.noise)?,
            seed: seed.get(),
        };
        let total = plan.initial + plan.iterations;
        ctx.reserve_doubles(8 * total * total + total * d)?;
        let sign = [-1.0, 1.0][usize::from(args.mode == BayesoptMode::Maximize)];
        let mut evaluator = objective.evaluator();
        let mut point = vec![0.0; d];
        let found = maximise_in_cube(d, &plan, &CallWatch(ctx), &mut |unit| {
            ctx.count_evaluations(1).map_err(FunctionError::new)?;
            into_box(unit, &bounds, &mut point);
            let value = sign * evaluator.eval(&point);
            Ok(if value.is_finite() { value } else { f64::NAN })
        })
        .map_err(|error| search_error(error, ctx))?;
        let (best, value) = best_evaluation(&found.y, &args.objective)?;
        let failures = found.y.iter().filter(|value| value.is_nan()).count();
        if failures > 0 {
            ctx.warn(format!("the objective was not finite at {failures} of {total} points; they count as the worst value"));
        }
        let mut points = found.x;
        for unit in points.chunks_exact_mut(d) {
            point.copy_from_slice(unit);
            into_box(&point, &bounds, unit);
        }
        let x_best = points[best * d..(best + 1) * d].to_vec();
        let nothing = || ToolError::new(ErrorCode::Internal, "no evaluation");
        let history = EvaluationHistory {
            X: Matrix::new(total, d, points).ok_or_else(nothing)?,
            y: found.y.iter().map(|value| Real(sign * value)).collect(),
        };
        let scale = found.spread * found.spread;
        let converged = found.expected_improvement < 1e-6 * found.spread;
        let process = &found.process;
        let lengths = process.lengths.iter().zip(&bounds);
        let length_scales = lengths.map(|(length, (low, high))| length * (high - low));
        Ok(Output {
            named: unknowns::by_name(names.as_deref(), &x_best),
            x_best,
            y_best: sign * value,
            history,
            n_evaluations: total,
            model: GaussianProcessReport {
                length_scales: length_scales.collect(),
                signal_variance: Real(process.signal_variance * scale),
                noise: Real(process.nugget * process.signal_variance * scale),
                log_marginal_likelihood: Real(process.log_likelihood),
            },
            expected_improvement: Real(found.expected_improvement),
            converged,
            reason: (!converged).then_some(BayesoptReason::Evaluations),
            seed,
        })
    }
}

/// Maximises an objective in a box with so many evaluations, as the tool does by default; answers whether little improvement is expected. The
/// caller keeps the best point.
///
/// # Errors
/// Those of the objective, of stops, and `invalid_args` at `/bounds`.
pub(crate) fn maximise_within(
    bounds: &[[Finite; 2]],
    evaluations: usize,
    seed: RandomSeed,
    ctx: &Ctx,
    mut objective: impl FnMut(&[f64]) -> Result<f64, ToolError>,
) -> Result<bool, ToolError> {
    const INITIAL_MAX: usize = 5;
    let bounds = check_bounds(bounds)?;
    let d = bounds.len();
    let initial = INITIAL_MAX.max(d + 1).min(evaluations);
    let plan = BayesOptions {
        initial,
        iterations: evaluations - initial,
        acquisition: AcquisitionFunction::default(),
        nugget: NUGGET_MIN,
        seed: seed.get(),
    };
    ctx.reserve_doubles(8 * evaluations * evaluations + evaluations * d)?;
    let mut point = vec![0.0; d];
    let found = maximise_in_cube(d, &plan, &CallWatch(ctx), &mut |unit| {
        into_box(unit, &bounds, &mut point);
        let value = objective(&point).map_err(FunctionError::new)?;
        Ok(if value.is_finite() { value } else { f64::NAN })
    })
    .map_err(|error| search_error(error, ctx))?;
    let is_modelled = plan.iterations > 0 && found.spread > 0.0;
    Ok(is_modelled && found.expected_improvement < 1e-6 * found.spread)
}

/// The noise variance relative to that of the process.
fn relative_noise_variance(noise: Tolerance) -> Result<f64, ToolError> {
    /// The square is far from overflow, also times the variance of the values.
    const NOISE_MAX: f64 = 1e100;
    if noise.get() > NOISE_MAX {
        refuse!(invalid "/noise"; "expected at most {NOISE_MAX:e}, found {:e}", noise.get();
            "give it relative to the standard deviation of the objective, such as 0.1");
    }
    Ok(noise.get().powi(2).max(NUGGET_MIN))
}

/// The bounds as pairs, each checked.
fn check_bounds(bounds: &[[Finite; 2]]) -> Result<Vec<(f64, f64)>, ToolError> {
    const DIMENSIONS_MAX: usize = 20;
    if bounds.is_empty() || bounds.len() > DIMENSIONS_MAX {
        let found = bounds.len();
        refuse!(invalid "/bounds"; "expected 1 to {DIMENSIONS_MAX} pairs of bounds, found {found}";
            "give one [low, high] for each variable");
    }
    let pair = |(index, [low, high]): (usize, &[Finite; 2])| {
        let (low, high) = (low.get(), high.get());
        if low < high && (high - low).is_finite() {
            return Ok((low, high));
        }
        let message =
            format!("expected low < high, a finite distance apart, found [{low}, {high}]");
        let error = ToolError::invalid(format!("/bounds/{index}"), message);
        Err(error.hint("write each pair as [low, high]"))
    };
    bounds.iter().enumerate().map(pair).collect()
}

/// From the unit cube into the box; 0 and 1 give the bounds exactly.
fn into_box(unit: &[f64], bounds: &[(f64, f64)], point: &mut [f64]) {
    for ((slot, share), (low, high)) in point.iter_mut().zip(unit).zip(bounds) {
        *slot = (low * (1.0 - share) + high * share).clamp(*low, *high);
    }
}

/// Index and value of the best evaluation; an error when none was finite.
fn best_evaluation(y: &[f64], objective: &str) -> Result<(usize, f64), ToolError> {
    let values = y.iter().copied().enumerate();
    let finite = values.filter(|(_, value)| value.is_finite());
    // The first of equal values.
    let best = finite.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.ok_or_else(|| {
        let count = y.len();
        let message = format!("`{objective}` was not finite at any of {count} points in the box");
        ToolError::numeric("/objective", message)
            .reason("non_finite")
            .hint("change `bounds` so that the objective is defined inside them")
            .evidence(Value::object([("evaluations", count)]))
    })
}
