//! Expressions as functions of random variables, and the errors of sampling in the words of the tools.

use numerics::sampling::blocks::UndefinedPoints;
pub(crate) use numerics::sampling::blocks::sorted_quantile;
use numerics::sampling::monte_carlo::{BlockEvaluator, BlockFunction};
use numerics::sampling::{ImproperEvidence, SamplingError};
use tool_core::{Ctx, ErrorCode, ToolError};

use crate::call_watch::CallWatch;
use crate::expression::Expression;

/// The error of a problem with too many dimensions.
pub(crate) fn too_many_dimensions(found: usize, most: usize) -> Option<ToolError> {
    let message = format!("expected at most {most} dimensions, found {found}");
    let error = ToolError::new(ErrorCode::LimitExceeded, message).reason("dimension");
    (found > most).then_some(error)
}

/// An expression as a function of points.
pub(super) struct PointExpression<'e>(pub(super) &'e Expression);

impl BlockFunction for PointExpression<'_> {
    fn strip(&self, most: usize) -> usize {
        self.0.strip(most)
    }

    fn evaluator(&self) -> BlockEvaluator<'_> {
        let mut evaluator = self.0.evaluator();
        Box::new(move |slots, values| evaluator.eval_block(slots, values))
    }
}

/// An error where an expression has no finite value: `numeric`, saying what is wrong at the first point.
pub(super) fn check_defined(
    undefined: &UndefinedPoints,
    expression: &Expression,
    samples: u64,
    pointer: &str,
) -> Result<(), ToolError> {
    if undefined.count == 0 {
        return Ok(());
    }
    let coordinate = |(index, x): (usize, &f64)| format!("x{index} = {x}");
    let point: Vec<String> = undefined.first.iter().enumerate().map(coordinate).collect();
    let cause = match expression.value(&undefined.first) {
        Err(cause) => cause.to_string(),
        Ok(value) => format!("the value is {value}, out of an infinite intermediate value"),
    };
    let (count, point) = (undefined.count, point.join(", "));
    refuse!(numeric pointer, "domain";
        "no finite value at {count} of {samples} points, first at {point}: {cause}";
        "guard it with `if(condition, a, b)`, or sample where it is defined");
}

/// The error of sampling as that of a call; `pointer` is the argument that is sampled.
pub(super) fn sampling_error(error: SamplingError, pointer: &str, ctx: &Ctx) -> ToolError {
    match error {
        SamplingError::Interrupted(interruption) => CallWatch(ctx).interruption_error(interruption),
        SamplingError::Improper(evidence) => {
            let cause = match evidence {
                ImproperEvidence::DivergingDraws => "the draws diverge",
                ImproperEvidence::FlatDirection => {
                    "the log density does not fall in some direction"
                }
            };
            let message = format!("{cause}: the density has no finite integral");
            let error = ToolError::numeric(pointer, message).reason("improper");
            error.hint("the log density must fall faster than -log|x| in every direction")
        }
        SamplingError::Unbounded { point } => {
            let message = format!("the log density is infinite at {point:?}");
            let error = ToolError::numeric(pointer, message).reason("unbounded");
            error.hint("a density must be bounded")
        }
        SamplingError::Rough => {
            let message = "no step along the gradient keeps the energy: the log density is too rough for `nuts`";
            let error = ToolError::numeric(pointer, message).reason("rough");
            error.hint("set `method` to \"metropolis\"")
        }
        SamplingError::Overflow => {
            let message = "the mean or the variance of the values is beyond the range of a double";
            let error = ToolError::numeric(pointer, message).reason("overflow");
            error.hint("sample the logarithm of the expression")
        }
    }
}
