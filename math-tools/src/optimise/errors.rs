//! The ends of minimisations without a result, in the words of the tools.

use numerics::optimise::{
    ConstraintConflict, MethodMismatch, MinimiseMethod, NotFinitePlace, OptimiseError,
    UnboundedFall,
};
use tool_core::{Ctx, ErrorCode, ToolError, Value};

use super::minimise::constraints::ConstraintSet;
use super::minimise::objective::ObjectiveFunction;
use crate::call_watch::CallWatch;

/// What the words of an error are taken from.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProblemWords<'a> {
    /// The objective and the start at which it was evaluated.
    pub(crate) objective: Option<(&'a ObjectiveFunction, &'a [f64])>,
    /// The constraints.
    pub(crate) constraints: Option<&'a ConstraintSet>,
}

/// The error of a fit, whose residuals are functions of the call.
pub(crate) fn fit_error(error: OptimiseError, ctx: &Ctx) -> ToolError {
    ProblemWords::default().error(error, ctx)
}

impl ProblemWords<'_> {
    /// The error of a call.
    pub(crate) fn error(self, error: OptimiseError, ctx: &Ctx) -> ToolError {
        match error {
            OptimiseError::Interrupted(interruption) => {
                CallWatch(ctx).interruption_error(interruption)
            }
            OptimiseError::Function(error) => CallWatch::function_error(error),
            OptimiseError::NotFinite(place) => self.not_finite(place),
            OptimiseError::Unsuitable(mismatch) => mismatch_error(mismatch),
            OptimiseError::Unbounded(fall) => unbounded_error(*fall),
            OptimiseError::Infeasible(conflict) => self.infeasible(&conflict),
            OptimiseError::NoFeasiblePoint {
                evaluations,
                nearest,
            } => {
                let message = format!("no feasible point found in {evaluations} evaluations");
                ToolError::numeric("/constraints", message)
                    .reason("infeasible")
                    .hint("relax a constraint, raise `max_evals` or narrow `bounds` to where a feasible point may be")
                    .evidence(self.conflict_evidence(&nearest))
            }
            // The global search takes it back.
            spent @ OptimiseError::EvaluationsSpent => ToolError::new(ErrorCode::Internal, spent),
        }
    }

    fn not_finite(self, place: NotFinitePlace) -> ToolError {
        let (at, message, hint) = match place {
            NotFinitePlace::Start { value } => {
                let found = tool_core::number::non_finite_spelling(value);
                let cause = self.objective.and_then(|(function, x0)| {
                    function.expression_of().and_then(|one| one.value(x0).err())
                });
                let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
                let message = format!("the objective at `x0` is {found}{cause}");
                let hint = "start at a point where the objective is finite";
                return ToolError::numeric("/x0", message)
                    .reason("not_finite")
                    .hint(hint);
            }
            NotFinitePlace::StartOfBoth => (
                "/x0",
                "the objective or a constraint is not finite at `x0`",
                "start at a point where they are finite",
            ),
            NotFinitePlace::MovedStart => (
                "/x0",
                "the objective or a constraint is not finite at `x0` or at the nearest point that satisfies the linear constraints",
                "start at a point where they are finite",
            ),
            NotFinitePlace::NearStart => (
                "/x0",
                "the objective is not finite near `x0`",
                "start elsewhere",
            ),
            NotFinitePlace::EveryEnd => (
                "/x0",
                "the constraints are finite at no end of the method",
                "start elsewhere",
            ),
            NotFinitePlace::WholeBox => (
                "/objective",
                "the objective is finite at no point that was tried",
                "choose `bounds` within its domain",
            ),
        };
        ToolError::numeric(at, message)
            .reason("not_finite")
            .hint(hint)
    }

    /// The error of constraints that cannot all hold: near a point, or anywhere in the case of affine ones.
    fn infeasible(self, conflict: &ConstraintConflict) -> ToolError {
        let texts = self.violated_texts(conflict);
        let named: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
        let named = named.join(", ");
        let most = conflict.violation;
        let message = if conflict.is_proven && texts.len() == 1 {
            format!("the problem is infeasible: no point within the bounds satisfies {named}")
        } else if conflict.is_proven {
            format!(
                "the problem is infeasible: no point within the bounds satisfies all of {named}"
            )
        } else {
            format!(
                "no feasible point found: near the best one, every step increases the violation of {named} from {most:.3e}"
            )
        };
        let place = match conflict.violated[..] {
            [only] => format!("/constraints/{only}"),
            _ => "/constraints".to_owned(),
        };
        let hint = if conflict.is_proven {
            "relax or remove one of them"
        } else {
            "start elsewhere, or relax a constraint"
        };
        ToolError::numeric(place, message)
            .reason("infeasible")
            .hint(hint)
            .evidence(self.conflict_evidence(conflict))
    }

    fn violated_texts(&self, conflict: &ConstraintConflict) -> Vec<&str> {
        let all = self.constraints.map_or(&[][..], |set| &set.texts);
        let texts = conflict.violated.iter().filter_map(|&one| all.get(one));
        texts.map(String::as_str).collect()
    }

    fn conflict_evidence(&self, conflict: &ConstraintConflict) -> Value {
        let texts = self.violated_texts(conflict).into_iter();
        Value::object([
            ("x", Value::vector(conflict.x.clone())),
            ("violation", Value::from(conflict.violation)),
            ("violated", Value::array(texts.map(Value::from).collect())),
        ])
    }
}

/// The error of an objective without an optimum, with a point as evidence.
fn unbounded_error(fall: UnboundedFall) -> ToolError {
    let (direction, verb) = if fall.is_maximised {
        ("above", "maximum")
    } else {
        ("below", "minimum")
    };
    let message = format!("the objective is unbounded {direction}: it has no {verb}");
    ToolError::numeric("/objective", message)
        .reason("unbounded")
        .hint("check the sign of the objective and `mode`")
        .evidence(Value::object([
            ("x", Value::vector(fall.x)),
            ("f", Value::from(fall.value)),
            ("evaluations", Value::from(fall.evaluations)),
        ]))
}

/// The error of a method that does not suit the problem.
pub(crate) fn mismatch_error(mismatch: MethodMismatch) -> ToolError {
    match mismatch {
        MethodMismatch::NoVariables => {
            ToolError::invalid("/x0", "`x0` is empty").hint("give one number per variable")
        }
        MethodMismatch::TooManyVariables {
            method: None,
            most,
            variables,
        } => {
            let message = format!(
                "problems with constraints have at most {most} variables, found {variables}"
            );
            ToolError::invalid("/x0", message)
                .hint("eliminate variables, or state constraints of one variable as `bounds`")
        }
        MethodMismatch::TooManyVariables {
            method: Some(method),
            most,
            variables,
        } => {
            let (name, other) = match method {
                MinimiseMethod::NelderMead => ("nelder_mead", "gradient"),
                MinimiseMethod::Sqp => ("sqp", "augmented_lagrangian"),
                _ => ("cobyla", "auto"),
            };
            let message = format!("`{name}` takes at most {most} variables, found {variables}");
            ToolError::invalid("/method", message).hint(format!("use `{other}`"))
        }
        MethodMismatch::TooFewEvaluations { least, evaluations } => {
            let message = format!(
                "expected at least {least} evaluations with constraints, found {evaluations}"
            );
            ToolError::invalid("/max_evals", message).hint("leave it out, or raise it")
        }
        MethodMismatch::NoSecondDerivatives => {
            let message = "the objective has no known second derivatives at `x0`";
            ToolError::invalid("/method", message).hint("use `auto`")
        }
        MethodMismatch::TakesNoConstraints => {
            ToolError::invalid("/method", "this method takes no constraints")
                .hint("use `auto`, `sqp`, `augmented_lagrangian` or `cobyla`")
        }
        // Arguments are read so that these do not occur.
        MethodMismatch::Shape { .. }
        | MethodMismatch::EmptyBounds { .. }
        | MethodMismatch::InfiniteBounds { .. } => ToolError::invalid("/bounds", mismatch),
    }
}
