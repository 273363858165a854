//! [`RootExpression`]: the expression at points and over intervals.

use std::cell::RefCell;

use numerics::FunctionError;
use numerics::roots::find::{RealFunction, UnenclosedFunction};
use numerics::roots::interval::Interval;
use numerics::roots::isolate::FunctionEnclosure;
use tool_core::{Ctx, ToolError};

use super::Args;
use crate::expression::enclosure::NoIntervalForm;
use crate::expression::{Expression, ExpressionScope, SystemEvaluator, unknowns};

/// The expression of the arguments.
///
/// # Errors
/// `invalid_args` for what is no expression in the variable.
pub(super) fn parse_function(args: &Args, ctx: &Ctx) -> Result<Expression, ToolError> {
    let variable = args.variable.as_str();
    Expression::check_name(variable, "/variable")?;
    let scope = ExpressionScope::new()
        .variable(variable)
        .with_table(args.data.as_ref(), ctx)?
        .with_parameters(&args.parameters, "/parameters")?;
    let parsed = Expression::parse(&args.f, &scope);
    let expression = parsed.map_err(|err| err.into_tool_error("/f"))?;
    if !expression.uses(0) {
        refuse!(invalid "/f", "constant"; "`f` does not contain the variable `{variable}`";
            "write it in that variable, or name another one in `variable`");
    }
    unknowns::check_use(args.data.as_ref(), [&expression], ctx)?;
    ctx.reserve_doubles(expression.enclosed(1))?;
    Ok(expression)
}

/// An expression of one variable, with an evaluator for many points.
pub(super) struct RootExpression<'f> {
    expression: &'f Expression,
    evaluator: RefCell<SystemEvaluator<'f>>,
}

impl<'f> RootExpression<'f> {
    pub(super) fn new(expression: &'f Expression) -> Self {
        Self {
            expression,
            evaluator: RefCell::new(expression.evaluator()),
        }
    }
}

impl RealFunction for RootExpression<'_> {
    fn value(&self, x: f64) -> Result<f64, FunctionError> {
        Ok(self.evaluator.borrow_mut().eval(&[x]))
    }

    fn enclosure(
        &self,
        x: Interval,
    ) -> Result<Result<FunctionEnclosure, UnenclosedFunction>, FunctionError> {
        let nowhere = FunctionEnclosure {
            values: None,
            slope: Interval::WHOLE,
            is_defined: false,
            is_continuous: true,
        };
        Ok(match self.expression.enclosure(&[x], 1) {
            Ok(Some(found)) => Ok(FunctionEnclosure {
                values: Some(found.values),
                slope: found.slopes[0],
                is_defined: found.is_defined,
                is_continuous: found.is_continuous,
            }),
            Ok(None) => Ok(nowhere),
            Err(NoIntervalForm(name)) => Err(UnenclosedFunction(name)),
        })
    }
}
