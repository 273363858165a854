//! From trees to programs of the kernels, and their evaluation with one output.

use std::collections::HashMap;

use kernels::program::{self, Builder, Node, NotDifferentiable};

use super::Expression;
use super::ast::{Ast, Kind};

pub use kernels::program::LANES;

/// Adds the operations of a tree; slot `i` is variable `i`.
pub(super) fn lower(ast: &Ast, builder: &mut Builder) -> Node {
    let mut stack: Vec<Node> = Vec::new();
    for node in ast.nodes() {
        let mut operands = stack.split_off(stack.len() - node.kind.arity()).into_iter();
        let mut next = || operands.next().expect("an operand for each place");
        let value = match &node.kind {
            Kind::Number { value, .. } => builder.constant(*value),
            Kind::Slot(slot) => builder.variable(*slot),
            Kind::Unary(op) => op.lower(builder, next()),
            Kind::Binary(op) => {
                let (a, b) = (next(), next());
                op.lower(builder, a, b)
            }
            Kind::Select => {
                let (condition, then, otherwise) = (next(), next(), next());
                builder.select(condition, then, otherwise)
            }
        };
        stack.push(value);
    }
    stack.pop().expect("a tree has a root")
}

/// Several expressions over the same scope, compiled together: what they share is computed once.
#[derive(Debug, Clone)]
pub struct System {
    program: program::Program,
}

impl System {
    /// The values of expressions.
    pub fn values<'e>(expressions: impl IntoIterator<Item = &'e Expression>) -> Self {
        let mut builder = Builder::new();
        let outputs: Vec<Node> = expressions
            .into_iter()
            .map(|expression| lower(expression.ast(), &mut builder))
            .collect();
        Self {
            program: builder.finish(&outputs),
        }
    }

    /// The value of an expression, and then its derivatives with respect to slots.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub fn value_and_gradient(
        expression: &Expression,
        slots: &[usize],
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = Builder::new();
        let value = lower(expression.ast(), &mut builder);
        let gradient = builder.gradient(value, slots)?;
        let outputs: Vec<Node> = std::iter::once(value).chain(gradient).collect();
        Ok(Self {
            program: builder.finish(&outputs),
        })
    }

    /// The product of the Hessian of an expression in the slots 0 to n - 1 and a vector, whose entries are the slots n to 2 n - 1.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn hessian_product(
        expression: &Expression,
        n: usize,
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = Builder::new();
        let value = lower(expression.ast(), &mut builder);
        let slots: Vec<usize> = (0..n).collect();
        let gradient = builder.gradient(value, &slots)?;
        let direction: Vec<(usize, Node)> = (0..n)
            .map(|slot| (slot, builder.variable(n + slot)))
            .collect();
        let product = builder.tangents(&gradient, &direction)?;
        Ok(Self {
            program: builder.finish(&product),
        })
    }

    /// The derivatives of expressions with respect to slots, but for those that are zero everywhere: which expression and which
    /// position in `slots` each belongs to, and the system that computes them in this order.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn jacobian(
        expressions: &[Expression],
        slots: &[usize],
    ) -> Result<(Vec<(usize, usize)>, Self), NotDifferentiable> {
        let position: HashMap<usize, usize> = slots.iter().copied().zip(0..).collect();
        let mut builder = Builder::new();
        let values: Vec<Node> = expressions
            .iter()
            .map(|expression| lower(expression.ast(), &mut builder))
            .collect();
        let (mut places, mut outputs) = (Vec::new(), Vec::new());
        for (row, (expression, value)) in expressions.iter().zip(values).enumerate() {
            let mut used = expression.slots();
            used.retain(|slot| position.contains_key(slot));
            let gradient = builder.gradient(value, &used)?;
            for (slot, derivative) in used.into_iter().zip(gradient) {
                if builder.constant_of(derivative) != Some(0.0) {
                    places.push((row, position[&slot]));
                    outputs.push(derivative);
                }
            }
        }
        let program = builder.finish(&outputs);
        Ok((places, Self { program }))
    }

    /// The values of expressions in the slots 0 to n - 1, then the derivatives of each, row by row; and which of them are affine: their
    /// derivatives are numbers.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn values_and_jacobian(
        expressions: &[Expression],
        n: usize,
    ) -> Result<(Self, Vec<bool>), NotDifferentiable> {
        let mut builder = Builder::new();
        let slots: Vec<usize> = (0..n).collect();
        let lowered = expressions.iter().map(Expression::ast);
        let mut outputs: Vec<Node> = lowered.map(|ast| lower(ast, &mut builder)).collect();
        let mut affine = Vec::with_capacity(expressions.len());
        for index in 0..expressions.len() {
            let gradient = builder.gradient(outputs[index], &slots)?;
            let known = |node: &Node| builder.constant_of(*node).is_some();
            // Steps have constant derivatives too.
            affine.push(expressions[index].ast().is_smooth() && gradient.iter().all(known));
            outputs.extend(gradient);
        }
        let program = builder.finish(&outputs);
        Ok((Self { program }, affine))
    }

    /// The gradient of a weighted sum of expressions in the slots 0 to n - 1; the weights are the slots from n on.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn weighted_gradient(
        expressions: &[Expression],
        n: usize,
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = Builder::new();
        let slots: Vec<usize> = (0..n).collect();
        let gradient = weighted_gradient(expressions, &slots, n, &mut builder)?;
        let program = builder.finish(&gradient);
        Ok(Self { program })
    }

    /// The product of the Hessian of a weighted sum of expressions in the slots 0 to n - 1 and a vector: its entries are the slots n to
    /// 2 n - 1, the weights those from 2 n on.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn weighted_hessian_product(
        expressions: &[Expression],
        n: usize,
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = Builder::new();
        let slots: Vec<usize> = (0..n).collect();
        let gradient = weighted_gradient(expressions, &slots, 2 * n, &mut builder)?;
        let along = |builder: &mut Builder, slot| (slot, builder.variable(n + slot));
        let direction: Vec<_> = slots
            .iter()
            .map(|&slot| along(&mut builder, slot))
            .collect();
        let product = builder.tangents(&gradient, &direction)?;
        let program = builder.finish(&product);
        Ok(Self { program })
    }

    /// An evaluator with registers of its own; make one per thread.
    pub fn evaluator(&self) -> program::Evaluator<'_> {
        self.program.evaluator()
    }
}

/// The gradient of a weighted sum of expressions; the weights are the slots from `first` on.
fn weighted_gradient(
    expressions: &[Expression],
    slots: &[usize],
    first: usize,
    builder: &mut Builder,
) -> Result<Vec<Node>, NotDifferentiable> {
    let mut sum = builder.constant(0.0);
    for (index, expression) in expressions.iter().enumerate() {
        let value = lower(expression.ast(), builder);
        let weight = builder.variable(first + index);
        let term = builder.binary(kernels::vector::Binary::Mul, weight, value);
        sum = builder.binary(kernels::vector::Binary::Add, sum, term);
    }
    builder.gradient(sum, slots)
}

/// Evaluates one expression; owns its scratch registers, so that evaluation does not allocate.
#[derive(Debug)]
pub struct Evaluator<'a>(program::Evaluator<'a>);

impl<'a> Evaluator<'a> {
    pub(super) fn new(program: &'a program::Program) -> Self {
        Self(program.evaluator())
    }

    /// The value at one point: `slots[i]` is the variable of slot `i`. NaN and infinities are possible; the caller decides.
    ///
    /// # Panics
    /// When `slots` is shorter than the highest slot the expression uses.
    pub fn eval(&mut self, slots: &[f64]) -> f64 {
        self.0.value(slots)
    }

    /// The values at many points: `slots[i][lane]` is the variable of slot `i` at point `lane`, `out[lane]` its value; the same
    /// bits as [`Evaluator::eval`] point by point.
    ///
    /// # Panics
    /// When `slots` is shorter than the highest slot the expression uses, or such a slot shorter than `out`.
    pub fn eval_block(&mut self, slots: &[&[f64]], out: &mut [f64]) {
        self.0.block(slots, &mut [out]);
    }
}
