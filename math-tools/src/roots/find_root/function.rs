//! [`RootFunction`]: the expression at points and over intervals, counted.

use std::cell::{Cell, RefCell};

use kernels::roots::interval::Interval;
use kernels::roots::isolate::FunctionEnclosure;
use tool_core::{Ctx, ToolError};

use super::Args;
use crate::expression::enclosure::NoIntervalForm;
use crate::expression::{Expression, ExpressionScope, SystemEvaluator, unknowns};

/// A function of one variable.
pub(super) struct RootFunction<'a> {
    expression: Expression,
    count: Cell<u64>,
    ctx: &'a Ctx,
}

impl<'a> RootFunction<'a> {
    /// # Errors
    /// `invalid_args` for what is no expression in the variable.
    pub(super) fn new(args: &Args, ctx: &'a Ctx) -> Result<Self, ToolError> {
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
        let count = Cell::new(0);
        Ok(Self {
            expression,
            count,
            ctx,
        })
    }

    pub(super) fn expression(&self) -> &Expression {
        &self.expression
    }

    pub(super) fn evaluations(&self) -> u64 {
        self.count.get()
    }

    fn tick(&self) -> Result<(), ToolError> {
        self.count.set(self.count.get() + 1);
        self.ctx.check()?;
        self.ctx.count_evaluations(1)
    }

    /// An evaluator for many points.
    pub(super) fn points(&self) -> PointEvaluator<'_, 'a> {
        PointEvaluator {
            evaluator: RefCell::new(self.expression.evaluator()),
            function: self,
        }
    }

    /// What is known over an interval, or the function that is not known over intervals.
    pub(super) fn over(
        &self,
        x: Interval,
    ) -> Result<Result<FunctionEnclosure, NoIntervalForm>, ToolError> {
        self.tick()?;
        let empty = FunctionEnclosure {
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
            Ok(None) => Ok(empty),
            Err(unsupported) => Err(unsupported),
        })
    }

    /// The sign that intervals prove at a point; 0 where they prove none.
    pub(super) fn sign(&self, x: f64) -> Result<i32, ToolError> {
        let found = self.over(Interval::point(x))?;
        Ok(found
            .ok()
            .and_then(|found| found.values)
            .map_or(0, Interval::sign))
    }
}

/// Values at points.
pub(super) struct PointEvaluator<'f, 'a> {
    evaluator: RefCell<SystemEvaluator<'f>>,
    function: &'f RootFunction<'a>,
}

impl PointEvaluator<'_, '_> {
    /// The value; NaN where there is none, infinite beyond the doubles.
    pub(super) fn at(&self, x: f64) -> Result<f64, ToolError> {
        self.function.tick()?;
        Ok(self.evaluator.borrow_mut().eval(&[x]))
    }
}
