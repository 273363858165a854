//! `optimize_program`: the lowest or highest value that a program returns.
//!
//! The program runs in the sandbox as any other and is kept alive; `talk` exchanges lines with it. The methods are those of `optimize`
//! that need no formula, and that of `bayesopt`. It is a tool of its own because it has effects, which formulas have not.

mod talk;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use numerics::optimise::{MinimiseMethod, check_size};

use self::talk::{BestAnswer, ConversationTerms, ExternalObjective};
use super::errors::mismatch_error;
use super::minimise::OptimisationMode;
use super::minimise::bounds::Given;
use super::minimise::call::OptimizeCall;
use super::minimise::constraints::ConstraintSet;
use super::minimise::objective::{ObjectiveFunction, ObjectiveOracle as _};
use crate::bayes::bayesopt;
use crate::expression::NamedParameters;
use crate::expression::unknowns::{self, PerVariable, StartPoint};
use crate::prelude::*;
use tool_core::{Capability, Determinism, Effect, Permission, ResourceKey};

/// Find the point at which a program returns its lowest or highest value. The program is started once in the sandbox, reads the workspace and
/// has no network: for each line `{"x": [1.5, 2]}` (with names `{"x": {"a": 1.5, "b": 2}}`) on its standard input it prints one line: a number, or
/// `{"f": number, "gradient": [...]}`; null where there is no value. It must flush its output after each line.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Program and arguments. Such as `["python3", "objective.py"]`, started at the root of the workspace.
    pub command: Vec<String>,
    /// Start point. A list, or an object with names, such as `{"a": 1, "b": 0}`; not for `bayes`, which begins anywhere within `bounds`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub x0: Option<Input<StartPoint>>,
    /// Lower and upper bound of each variable. In their order or by name, such as `[[0, null], [-1, 1]]`; null where there is none. The
    /// program never sees a point beyond them.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n", 2]))]
    pub bounds: Option<PerVariable<Given>>,
    /// Constraints, such as `["x0+x1<=1"]`: expressions with `>=`, `<=` or `==` between them.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// Method. `nelder_mead` (downhill simplex), `gradient` (limited-memory BFGS, with the program's gradients, else by differences), `cobyla` (linear
    /// models, with constraints), `bayes` (Gaussian process, at most 20 variables with finite bounds, for slow programs), or `auto`: without `x0` `bayes`, with
    /// constraints `cobyla`, else `nelder_mead`.
    #[value(default)]
    pub method: OptimiseProgramMethod,
    /// `minimize` or `maximize`.
    #[value(default)]
    pub(crate) mode: OptimisationMode,
    /// Most evaluations. 50 for `bayes` (at most 600), else 1000, where absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub max_evals: Option<BoundedInteger<1, 1_000_000>>,
    /// Longest time for one answer, in seconds.
    #[value(default = "default_seconds")]
    pub seconds: Positive,
    /// As in `optimize`; `bayes` has none.
    #[value(default = "default_tolerance")]
    pub tolerance: Tolerance,
    /// Seed of `bayes`; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// A violation of a constraint that never counts, as in `optimize`.
const FEASIBLE: f64 = 1e-8;

fn default_seconds() -> Positive {
    Positive::literal(60.0)
}

fn default_tolerance() -> Tolerance {
    Tolerance::literal(1e-6)
}

/// The method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum OptimiseProgramMethod {
    /// By what is given.
    #[default]
    Auto,
    /// Downhill simplex.
    NelderMead,
    /// Limited-memory BFGS.
    Gradient,
    /// Linear models without derivatives.
    Cobyla,
    /// A Gaussian process of all answers.
    Bayes,
}

/// The point found and how.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The best point.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The entries of `x` by name, where the variables have names.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = [{ "x0": { "is": "named" } }]))]
    pub named: Option<BTreeMap<String, f64>>,
    /// The value there.
    pub f: f64,
    /// Points that were sent to the program.
    pub evaluations: u64,
    /// Points for which it returned no value.
    pub without_value: u64,
    /// Largest amount by which a constraint is violated at x.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "constraints": { "least": 1 } }))]
    pub violation: Option<f64>,
    /// Whether the method's test of an optimum was passed.
    pub converged: bool,
    /// Reason the search ended.
    pub reason: OptimiseProgramReason,
    /// The method that ran.
    pub method: OptimiseProgramMethod,
}

/// Reason a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum OptimiseProgramReason {
    /// The test of the method was passed.
    Converged,
    /// `max_evals` was used up.
    MaxEvals,
    /// The method found no better point, and its test was not passed.
    NoProgress,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        effects: &[Effect::LocalExec],
        permissions: &[Permission::Shell],
        capabilities: &[Capability::Spawn],
        idempotent: false,
        determinism: Determinism::External,
        preconditions: &["workspace=ready"],
        ..Spec::named("optimize_program", "Optimise a program")
            .tags(&["optimisation", "program", "black box", "bayesian"])
            .syntax(&[
                ("/command", Syntax::Shell),
                ("/constraints", Syntax::Expression),
            ])
    };
    type Output = Output;

    /// In a workspace with `square.py`, which prints `(x - 2)**2`.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a parabola by a program": r#"{"command": ["python3", "square.py"], "x0": [0], "method": "gradient"}"#
            => r#"{"x": [2.0], "f": 0.0, "evaluations": 75, "without_value": 0, "converged": true, "reason": "converged",
                "method": "gradient"}"#;
        "under a constraint": r#"{"command": ["python3", "square.py"], "x0": {"x": 0}, "constraints": ["x<=1"]}"#
            => r#"{"x": [1.0], "named": {"x": 1.0}, "f": 1.0, "evaluations": 28, "without_value": 0, "violation": 0.0, "converged": true,
                "reason": "converged", "method": "cobyla"}"#;
        "within a bound": r#"{"command": ["python3", "square.py"], "x0": {"x": 0}, "bounds": [[0, 1]], "method": "gradient"}"#
            => r#"{"x": [1.0], "named": {"x": 1.0}, "f": 1.0, "evaluations": 9, "without_value": 0, "converged": true, "reason": "converged",
                "method": "gradient"}"#;
    };

    /// The whole workspace, since the files read are unknown before the run.
    fn resources(_: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        Ok(vec![ResourceKey::read_path(".")])
    }

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        if args.command.first().is_none_or(String::is_empty) {
            refuse!(invalid "/command"; "expected a program and its arguments, found no program";
                "give a list such as [\"python3\", \"objective.py\"]");
        }
        let start = args.x0.as_ref().map(|x0| x0.load(ctx)).transpose()?;
        let method = args.chosen(start.is_some())?;
        let names = match (&start, &args.bounds) {
            (Some(start), _) => start.names().map(<[String]>::to_vec),
            (None, Some(bounds)) => bounds.entries().1,
            (None, None) => None,
        };
        let bayes = method == OptimiseProgramMethod::Bayes;
        let default = if bayes { 50 } else { 1000 };
        let max_evals = args.max_evals.map_or(default, |most| most.get() as u64);
        if bayes && max_evals > 600 {
            refuse!(invalid "/max_evals"; "`bayes` takes at most 600 evaluations, found {max_evals}";
                "use `nelder_mead`, which takes more");
        }
        // All that can be refused is, before the program runs.
        let n = match (&start, &args.bounds) {
            (Some(start), _) => start.len(),
            (None, bounds) => bounds.as_ref().map_or(0, PerVariable::len),
        };
        check_size(n, method.local(), !args.constraints.is_empty()).map_err(mismatch_error)?;
        let none = NamedParameters::default();
        let scope = unknowns::unknowns_scope((n, names.as_deref()), None, &none, "/x0", ctx)?;
        let constraints = Rc::new(ConstraintSet::new(&args.constraints, &scope, n)?);
        let space = if bayes { args.space()? } else { Vec::new() };
        let terms = ConversationTerms {
            max_evals,
            patience: Duration::try_from_secs_f64(args.seconds.get()).unwrap_or(Duration::MAX),
            maximise: args.mode == OptimisationMode::Maximize,
            constraints: Rc::clone(&constraints),
            tolerance: args.tolerance.get().max(FEASIBLE),
        };
        let program = Rc::new(ExternalObjective::start(
            &args.command,
            names.as_deref(),
            terms,
            ctx,
        )?);
        let found = match &start {
            Some(start) => args.search(&program, start, &constraints, (method, max_evals), ctx),
            None => args.by_process(&program, &space, max_evals, ctx),
        };
        let found = found.and_then(|converged| program.is_quiet(ctx).map(|()| converged));
        let (reason, converged) = match found {
            Ok(true) => (OptimiseProgramReason::Converged, true),
            Ok(false) if program.evaluations() >= max_evals => {
                (OptimiseProgramReason::MaxEvals, false)
            }
            Ok(false) => (OptimiseProgramReason::NoProgress, false),
            Err(_) if program.is_exhausted() => (OptimiseProgramReason::MaxEvals, false),
            Err(error) => return Err(program.with_best(error)),
        };
        let Some(BestAnswer { x, f, violation }) = program.best() else {
            refuse!(numeric "/command", "not_finite"; "the program returned no value at any of {} points", program.evaluations();
                "choose `x0` or `bounds` where it has one");
        };
        let violation = (constraints.len() > 0).then_some(violation);
        if !converged {
            ctx.warn("not known to be an optimum: compare the results from other starts, or raise `max_evals`");
        }
        Ok(Output {
            named: unknowns::by_name(names.as_deref(), &x),
            x,
            f,
            evaluations: program.evaluations(),
            without_value: program.without_value(),
            violation,
            converged,
            reason,
            method,
        })
    }
}

impl OptimiseProgramMethod {
    /// The local search that it is.
    fn local(self) -> MinimiseMethod {
        match self {
            Self::Cobyla => MinimiseMethod::Cobyla,
            Self::Gradient => MinimiseMethod::Gradient,
            Self::Auto | Self::NelderMead | Self::Bayes => MinimiseMethod::NelderMead,
        }
    }
}

impl Args {
    /// The method for what is given.
    ///
    /// # Errors
    /// `invalid_args` where a method lacks what it needs, or would not heed what is given.
    fn chosen(&self, has_start: bool) -> Result<OptimiseProgramMethod, ToolError> {
        let constrained = !self.constraints.is_empty();
        let method = match self.method {
            OptimiseProgramMethod::Auto if !has_start => OptimiseProgramMethod::Bayes,
            OptimiseProgramMethod::Auto if constrained => OptimiseProgramMethod::Cobyla,
            OptimiseProgramMethod::Auto => OptimiseProgramMethod::NelderMead,
            method => method,
        };
        if self.seed.is_some() && method != OptimiseProgramMethod::Bayes {
            refuse!(invalid "/seed"; "only `bayes` has a seed"; "leave it out");
        }
        match method {
            OptimiseProgramMethod::Bayes if has_start => {
                refuse!(invalid "/x0"; "`bayes` begins anywhere within `bounds`"; "leave `x0` out, or use `nelder_mead`");
            }
            OptimiseProgramMethod::Bayes if constrained => {
                refuse!(invalid "/constraints"; "`bayes` takes no constraints";
                    "give `x0` for `cobyla`, or let the program return null where they do not hold");
            }
            OptimiseProgramMethod::Bayes if self.bounds.is_none() => {
                refuse!(invalid "/x0"; "expected a start point, or `bounds` for `bayes`, found neither";
                    "give `x0`, one number per variable");
            }
            OptimiseProgramMethod::Bayes => {}
            _ if !has_start => {
                refuse!(invalid "/x0"; "this method needs a start point"; "give `x0`, one number per variable");
            }
            OptimiseProgramMethod::NelderMead | OptimiseProgramMethod::Gradient if constrained => {
                refuse!(invalid "/method"; "this method takes no constraints"; "use `auto` or `cobyla`");
            }
            _ => {}
        }
        Ok(method)
    }

    /// A local search; answers whether it converged.
    fn search(
        &self,
        program: &Rc<ExternalObjective>,
        start: &StartPoint,
        constraints: &ConstraintSet,
        (method, max_evals): (OptimiseProgramMethod, u64),
        ctx: &Ctx,
    ) -> Result<bool, ToolError> {
        let call = OptimizeCall {
            function: &ObjectiveFunction::Oracle(Rc::<ExternalObjective>::clone(program)),
            constraints,
            start,
            bounds: self.bounds.as_ref(),
            method: method.local(),
            maximise: self.mode == OptimisationMode::Maximize,
            max_iter: Some(max_evals),
            tolerance: self.tolerance.get(),
        };
        Ok(call.solve(ctx)?.converged)
    }

    /// The finite bounds that `bayes` searches within.
    fn space(&self) -> Result<Vec<[Finite; 2]>, ToolError> {
        let (pairs, _) = self
            .bounds
            .as_ref()
            .map(PerVariable::entries)
            .unwrap_or_default();
        let finite = |(index, pair): (usize, Given)| {
            let [Some(low), Some(high)] = pair else {
                refuse!(invalid format!("/bounds/{index}"); "`bayes` needs finite bounds"; "give both, or `x0` and another method");
            };
            Ok([low, high])
        };
        pairs.into_iter().enumerate().map(finite).collect()
    }

    /// A search by a Gaussian process; answers whether it converged.
    fn by_process(
        &self,
        program: &ExternalObjective,
        space: &[[Finite; 2]],
        max_evals: u64,
        ctx: &Ctx,
    ) -> Result<bool, ToolError> {
        let sign = [-1.0, 1.0][usize::from(self.mode == OptimisationMode::Maximize)];
        let seed = ctx.seed(self.seed);
        bayesopt::maximise_within(space, max_evals as usize, seed, ctx, |x| {
            Ok(sign * program.value(x, ctx)?)
        })
    }
}
