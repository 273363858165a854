//! [`LoweredExpressions`]: expressions as operations, for the systems that are made of the same ones.

use std::collections::HashMap;
use std::sync::Arc;

use numerics::bytecode::{NotDifferentiable, ProgramBuilder, ProgramNode};

use super::Expression;
use super::data::DataColumns;
use super::program::{ExpressionSystem, builder_over_scope, lower_tree, shared_data};

/// Expressions over the same scope as operations, of which several systems can be made.
#[derive(Debug, Clone)]
pub(crate) struct LoweredExpressions {
    builder: ProgramBuilder,
    values: Vec<ProgramNode>,
    data: Option<Arc<DataColumns>>,
}

impl LoweredExpressions {
    pub(crate) fn new<'e>(expressions: impl IntoIterator<Item = &'e Expression> + Clone) -> Self {
        let mut builder = builder_over_scope(expressions.clone());
        let asts = || expressions.clone().into_iter().map(Expression::ast);
        builder.reserve(asts().map(|ast| ast.nodes().len()).sum());
        Self {
            values: asts().map(|ast| lower_tree(ast, &mut builder)).collect(),
            builder,
            data: shared_data(expressions).cloned(),
        }
    }

    /// The values of the expressions.
    pub(crate) fn values(&self) -> ExpressionSystem {
        ExpressionSystem::compile(&self.builder, &self.values, self.data.as_ref())
    }

    /// The derivatives of the expressions with respect to slots, but for those that are zero everywhere: which expression and which
    /// position in `slots` each belongs to, and the system that computes them in this order.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn jacobian(
        mut self,
        expressions: &[Expression],
        slots: &[usize],
    ) -> Result<(Vec<(usize, usize)>, ExpressionSystem), NotDifferentiable> {
        let position: HashMap<usize, usize> = slots.iter().copied().zip(0..).collect();
        let used = expressions.iter().map(|expression| {
            let mut used = expression.slots();
            used.retain(|slot| position.contains_key(slot));
            used
        });
        let used: Vec<Vec<usize>> = used.collect();
        let gradients = self.builder.gradients(&self.values, &used)?;
        let (mut places, mut outputs) = (Vec::new(), Vec::new());
        for (row, (used, gradient)) in used.iter().zip(gradients).enumerate() {
            for (slot, derivative) in used.iter().zip(gradient) {
                if self.builder.constant_of(derivative) != Some(0.0) {
                    places.push((row, position[slot]));
                    outputs.push(derivative);
                }
            }
        }
        let system = ExpressionSystem::compile(&self.builder, &outputs, self.data.as_ref());
        Ok((places, system))
    }
}
