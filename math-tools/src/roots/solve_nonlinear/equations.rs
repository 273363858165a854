//! [`NonlinearSystem`]: the system with its Jacobian, at points and over boxes.

use std::cell::Cell;

use kernels::roots::interval::Interval;
use tool_core::{Ctx, ToolError};

use crate::expression::{Expression, ExpressionScope, ExpressionSystem};

/// Values and Jacobian at a point, row by row.
pub(super) struct JacobianPoint {
    pub(super) values: Vec<f64>,
    pub(super) jacobian: Vec<f64>,
}

/// Values and slopes over a box.
pub(super) struct JacobianEnclosure {
    pub(super) values: Vec<Interval>,
    pub(super) slopes: Vec<Interval>,
    /// Whether every equation is defined and continuous there.
    pub(super) is_regular: bool,
}

/// As many equations as unknowns.
pub(super) struct NonlinearSystem<'a> {
    expressions: Vec<Expression>,
    system: ExpressionSystem,
    n: usize,
    count: Cell<u64>,
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
        let count = Cell::new(0);
        Ok(Self {
            expressions,
            system,
            n,
            count,
            ctx,
        })
    }

    pub(super) fn expressions(&self) -> &[Expression] {
        &self.expressions
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn evaluations(&self) -> u64 {
        self.count.get()
    }

    fn tick(&self) -> Result<(), ToolError> {
        self.count.set(self.count.get() + 1);
        self.ctx.check()?;
        self.ctx.count_evaluations(1)
    }

    /// At a point; `None` where a number is not finite.
    pub(super) fn at(&self, x: &[f64]) -> Result<Option<JacobianPoint>, ToolError> {
        self.tick()?;
        let mut values = vec![0.0; self.n * (self.n + 1)];
        self.system.evaluator().point(x, &mut values);
        let is_finite = values.iter().all(|value| value.is_finite());
        let jacobian = values.split_off(self.n);
        Ok(is_finite.then_some(JacobianPoint { values, jacobian }))
    }

    /// Over a box; `None` where a function is not known over intervals.
    pub(super) fn over(&self, x: &[Interval]) -> Result<Option<JacobianEnclosure>, ToolError> {
        self.tick()?;
        let (mut values, mut slopes) = (
            Vec::with_capacity(self.n),
            Vec::with_capacity(self.n * self.n),
        );
        let mut is_regular = true;
        for expression in &self.expressions {
            self.ctx.check()?;
            let Ok(Some(found)) = expression.enclosure(x, self.n) else {
                return Ok(None);
            };
            is_regular &= found.is_defined && found.is_continuous;
            values.push(found.values);
            slopes.extend(found.slopes);
        }
        Ok(Some(JacobianEnclosure {
            values,
            slopes,
            is_regular,
        }))
    }
}
