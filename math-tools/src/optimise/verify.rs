//! Second opinions on minimisers, by `argmin`: from the point found, and from starts of its own.

use std::cell::RefCell;

use numerics::optimise::{
    ConstrainedProblem, ConstraintEvaluator, FEASIBILITY_TOLERANCE, MinimisationTarget,
    OptimiseError,
};
use second_opinions::minimum;
use tool_core::{AnswerVerification, Ctx, ToolError, VerificationOutcome, Verify};

use super::errors::ProblemWords;
use super::minimise::bounds::{VariableBounds, read_bounds};
use super::minimise::constraints::ConstraintSet;
use super::minimise::objective::ObjectiveFunction;
use super::minimise::{self, OptimisationMode};
use super::{global, minimise as local};
use crate::call_watch::CallWatch;
use crate::expression::unknowns;

const BY: &str = "argmin, Nelder and Mead's simplex";
const BY_BOTH: &str = "argmin, Nelder and Mead's simplex and limited-memory BFGS";
const COMPARED: &str = "f";
/// Most variables of a simplex that gets anywhere.
const VARIABLES_MAX: usize = 60;
/// Improvement, relative to the sizes that the objective has, that two local methods may leave.
const TOLERATED: f64 = 1e-7;

/// An objective to be minimised, infinite outside of its bounds and constraints.
struct BarrieredObjective<'a> {
    problem: RefCell<ConstrainedProblem<'a>>,
    /// The first stop request.
    stopped: RefCell<Option<OptimiseError>>,
    words: ProblemWords<'a>,
    ctx: &'a Ctx,
}

impl<'a> BarrieredObjective<'a> {
    fn new(
        function: &'a ObjectiveFunction,
        maximise: bool,
        (constraints, bounds): (&'a ConstraintSet, VariableBounds),
        x: &[f64],
        watch: &'a CallWatch<'a>,
    ) -> Result<Self, ToolError> {
        let ctx = watch.0;
        let words = ProblemWords {
            objective: None,
            constraints: Some(constraints),
        };
        let objective = Box::new(function.evaluator(ctx));
        let (target, _) = MinimisationTarget::near(objective, maximise, x, watch)
            .map_err(|error| words.error(error, ctx))?;
        let target = target.within(&bounds).down_to(f64::NEG_INFINITY);
        let watched = Box::new(constraints.evaluator());
        let watched = ConstraintEvaluator::new(&constraints.kinds, watched, watch);
        let problem = ConstrainedProblem::in_box(target, watched, bounds, x);
        Ok(Self {
            problem: RefCell::new(problem),
            stopped: RefCell::new(None),
            words,
            ctx,
        })
    }

    /// The value at a point; `None` to stop.
    fn value(&self, x: &[f64]) -> Option<f64> {
        if self.stopped.borrow().is_some() {
            return None;
        }
        let mut problem = self.problem.borrow_mut();
        let inside = x.iter().zip(&problem.bounds.low).all(|(x, low)| x >= low)
            && x.iter()
                .zip(&problem.bounds.high)
                .all(|(x, high)| x <= high);
        if !inside {
            return Some(f64::INFINITY);
        }
        match problem.values(x) {
            Ok((value, c)) if problem.violated(&c, FEASIBILITY_TOLERANCE).is_empty() => Some(value),
            Ok(_) => Some(f64::INFINITY),
            Err(err) => {
                self.stopped.borrow_mut().get_or_insert(err);
                None
            }
        }
    }

    fn slope(&self, x: &[f64]) -> Option<Vec<f64>> {
        let value = self.value(x)?;
        let gradient = self.problem.borrow_mut().target.gradient(x, value).ok()?;
        gradient
            .iter()
            .all(|entry| entry.is_finite())
            .then_some(gradient)
    }

    /// The lowest value that a second method finds near a point.
    fn descend(&self, x: &[f64], with_gradient: bool) -> Option<(Vec<f64>, f64)> {
        let high = self.problem.borrow().bounds.high.clone();
        let objective = |x: &[f64]| self.value(x);
        let simplex = minimum::nelder_mead(&objective, x, &high);
        let slope = |x: &[f64]| self.slope(x);
        let quasi_newton = with_gradient
            .then(|| minimum::lbfgs(&objective, &slope, x))
            .flatten();
        let found = simplex.into_iter().chain(quasi_newton);
        found.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Compares the value found with what a second method makes of the point found, and of other starts.
    fn compare(
        &self,
        (x, f): (&[f64], f64),
        starts: &[Vec<f64>],
        is_global: bool,
    ) -> Result<AnswerVerification, ToolError> {
        let free =
            self.problem.borrow().bounds.is_free() && self.problem.borrow().equal().is_empty();
        let with_gradient = free && self.problem.borrow().is_smooth();
        let by = if with_gradient { BY_BOTH } else { BY };
        if x.len() > VARIABLES_MAX {
            let reason = format!(
                "a simplex of {} variables gets nowhere: it takes {VARIABLES_MAX}",
                x.len()
            );
            return Ok(AnswerVerification::unavailable(by, COMPARED, reason));
        }
        if self.problem.borrow().equal().contains(&true) {
            let reason = "equality constraints leave a simplex no room";
            return Ok(AnswerVerification::unavailable(by, COMPARED, reason));
        }
        let sign = self.problem.borrow().target.restored(1.0);
        let value = sign * f;
        let near = self.descend(x, with_gradient);
        let values = starts.iter().filter_map(|start| self.value(start));
        let scale = values
            .filter(|other| other.is_finite())
            .fold(value.abs(), |most, other| most.max((other - value).abs()));
        let others = starts
            .iter()
            .filter_map(|start| self.descend(start, with_gradient));
        let elsewhere = others.min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some(err) = self.stopped.borrow_mut().take() {
            return Err(self.words.error(err, self.ctx));
        }
        if near.is_none() && elsewhere.is_none() {
            let reason = "it finds no value";
            return Ok(AnswerVerification::unavailable(by, COMPARED, reason));
        }
        let lower = |found: &Option<(Vec<f64>, f64)>| {
            let found = found.as_ref()?;
            (value - found.1 > TOLERATED * scale).then(|| found.clone())
        };
        let (better, is_near) = match (lower(&near), lower(&elsewhere)) {
            (Some(near), _) => (Some(near), true),
            (None, other) => (other, false),
        };
        let best = match &better {
            Some((_, best)) => *best,
            None => near.map_or(value, |(_, near)| near.min(value)),
        };
        let words = |(x, best): &(Vec<f64>, f64)| format!("it finds {:e} at {x:?}", sign * best);
        if let (Some(better), false, false) = (&better, is_near, is_global) {
            // A local method need not find it.
            let pair = (&[value, scale][..], &[value, scale][..]);
            let found = AnswerVerification::of_numbers(by, COMPARED, pair, TOLERATED);
            let note = format!("another start leads to a better value: {}", words(better));
            return Ok(found.noting(note));
        }
        let pair = (&[value, scale][..], &[best, scale][..]);
        let mut found = AnswerVerification::of_numbers(by, COMPARED, pair, TOLERATED);
        if let (Some(better), VerificationOutcome::Differs) = (&better, found.outcome) {
            found.note = Some(words(better));
        }
        Ok(found)
    }
}

impl Verify for minimise::Args {
    fn verify(
        args: Self,
        output: &minimise::Output,
        ctx: &Ctx,
    ) -> Result<AnswerVerification, ToolError> {
        let start = args.x0.load(ctx)?;
        let n = start.len();
        let (variables, data) = ((n, start.names()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/x0", ctx)?;
        let function = ObjectiveFunction::new(&args.objective, &scope, n, ctx)?;
        let constraints = ConstraintSet::new(&args.constraints, &scope, n)?;
        let given = args.bounds.as_ref();
        let given = given.map(|each| each.of(&start, &[None, None], "/bounds"));
        let bounds = match given.transpose()? {
            Some(given) => read_bounds(&given, n)?,
            None => VariableBounds::free(n),
        };
        let mut x0 = start.to_vec();
        bounds.project(&mut x0);
        let maximise = args.mode == local::OptimisationMode::Maximize;
        let box_and_rules = (&constraints, bounds);
        let watch = CallWatch(ctx);
        let landscape =
            BarrieredObjective::new(&function, maximise, box_and_rules, &output.x, &watch)?;
        landscape.compare((&output.x, output.f), &[x0], false)
    }
}

impl Verify for global::Args {
    fn verify(
        args: Self,
        output: &global::Output,
        ctx: &Ctx,
    ) -> Result<AnswerVerification, ToolError> {
        let n = args.bounds.len();
        let (pairs, names) = args.bounds.entries();
        let given: Vec<_> = pairs.iter().map(|pair| pair.map(Some)).collect();
        let bounds = read_bounds(&given, n)?;
        let (variables, data) = ((n, names.as_deref()), args.data.as_ref());
        let scope = unknowns::unknowns_scope(variables, data, &args.parameters, "/bounds", ctx)?;
        let function = ObjectiveFunction::new(&args.objective, &scope, n, ctx)?;
        let constraints = ConstraintSet::new(&args.constraints, &scope, n)?;
        let starts = spread_points(&bounds, 4 * n.min(10) + 4);
        let maximise = args.mode == OptimisationMode::Maximize;
        let box_and_rules = (&constraints, bounds);
        let watch = CallWatch(ctx);
        let landscape =
            BarrieredObjective::new(&function, maximise, box_and_rules, &output.x, &watch)?;
        landscape.compare((&output.x, output.f), &starts, true)
    }
}

/// Points that fill a box evenly: multiples of the inverse powers of the root of x^(n+1) = x + 1, modulo 1 (M. Roberts, 2018).
fn spread_points(bounds: &VariableBounds, count: usize) -> Vec<Vec<f64>> {
    let n = bounds.low.len();
    let mut root = 2.0_f64;
    for _ in 0..64 {
        root = (1.0 + root).powf(1.0 / (n as f64 + 1.0));
    }
    let coordinate = |k: usize, axis: usize| {
        let share = (0.5 + k as f64 / root.powi(axis as i32 + 1)).fract();
        bounds.low[axis] * (1.0 - share) + bounds.high[axis] * share
    };
    let point = |k: usize| (0..n).map(|axis| coordinate(k, axis)).collect();
    (1..=count).map(point).collect()
}
