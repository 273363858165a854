//! [`NonlinearSystem`]: the system with its Jacobian, at points and over boxes.

use numerics::FunctionError;
use numerics::roots::interval::Interval;
use numerics::roots::system::{EquationSystem, SystemEnclosure};
use tool_core::{Ctx, ToolError};

use crate::expression::{Expression, ExpressionScope, ExpressionSystem};

/// As many equations as unknowns.
pub(super) struct NonlinearSystem<'a> {
    expressions: Vec<Expression>,
    system: ExpressionSystem,
    n: usize,
    ctx: &'a Ctx,
}

impl<'a> NonlinearSystem<'a> {
    /// # Errors
    /// `invalid_args` at `/system` for what is no expression or has no derivative.
    pub(super) fn new(
        texts: &[String],
        scope: &ExpressionScope,
        n: usize,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        ctx.reserve_doubles(8 * n * (n + 2))?;
        let parse = |(index, text): (usize, &String)| {
            Expression::parse(text, scope)
                .map_err(|err| err.into_tool_error(&format!("/system/{index}")))
        };
        let expressions: Vec<Expression> = texts
            .iter()
            .enumerate()
            .map(parse)
            .collect::<Result<_, _>>()?;
        let enclosed = expressions.iter().map(|expression| expression.enclosed(n));
        ctx.reserve_doubles(enclosed.max().unwrap_or(0))?;
        let (system, _) =
            ExpressionSystem::values_and_jacobian(&expressions, n).map_err(|err| {
                ToolError::invalid("/system", format!("an equation has no derivative: {err}"))
                    .hint("write it without that function")
            })?;
        Ok(Self {
            expressions,
            system,
            n,
            ctx,
        })
    }

    pub(super) fn expressions(&self) -> &[Expression] {
        &self.expressions
    }
}

impl EquationSystem for NonlinearSystem<'_> {
    fn unknowns(&self) -> usize {
        self.n
    }

    fn evaluate(&self, x: &[f64], out: &mut [f64]) -> Result<(), FunctionError> {
        self.system.evaluator().point(x, out);
        Ok(())
    }

    fn enclosure(&self, x: &[Interval]) -> Result<Option<SystemEnclosure>, FunctionError> {
        let (mut values, mut slopes) = (
            Vec::with_capacity(self.n),
            Vec::with_capacity(self.n * self.n),
        );
        let mut is_regular = true;
        for expression in &self.expressions {
            self.ctx.check().map_err(FunctionError::new)?;
            let Ok(Some(found)) = expression.enclosure(x, self.n) else {
                return Ok(None);
            };
            is_regular &= found.is_defined && found.is_continuous;
            values.push(found.values);
            slopes.extend(found.slopes);
        }
        Ok(Some(SystemEnclosure {
            values,
            slopes,
            is_regular,
        }))
    }
}
