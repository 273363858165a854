//! From trees to programs of the kernels, and their evaluation with one output.

use std::sync::Arc;

use numerics::bytecode::{self, NotDifferentiable, ProgramBuilder, ProgramNode};

use super::Expression;
use super::ast::{Ast, AstKind};
use super::data::DataColumns;
use super::lowered::LoweredExpressions;

pub use numerics::bytecode::LANES;

/// Adds the operations of a tree; slot `i` is variable `i`.
pub(super) fn lower_tree(ast: &Ast, builder: &mut ProgramBuilder) -> ProgramNode {
    let mut stack: Vec<ProgramNode> = Vec::new();
    let mut locals: Vec<ProgramNode> = Vec::new();
    for node in ast.nodes() {
        let first = stack.len() - node.kind.arity();
        let operand = |index: usize| stack[first + index];
        let value = match &node.kind {
            AstKind::Number { value, .. } => builder.constant(*value),
            AstKind::Slot(slot) => builder.variable(*slot),
            AstKind::Unary(op) => op.lower(builder, operand(0)),
            AstKind::Binary(op) => op.lower(builder, operand(0), operand(1)),
            AstKind::Ternary(op) => op.lower(builder, [operand(0), operand(1), operand(2)]),
            AstKind::Select => builder.select(operand(0), operand(1), operand(2)),
            AstKind::Define(_) => {
                locals.extend(stack.pop());
                continue;
            }
            AstKind::Local(local) => locals[*local],
            AstKind::Reduce(op) => op.lower(builder, operand(0)),
            AstKind::Support => {
                let outside = builder.constant(f64::NEG_INFINITY);
                builder.select(operand(0), operand(1), outside)
            }
        };
        stack.truncate(first);
        stack.push(value);
    }
    stack.pop().expect("a tree has a root")
}

/// The columns of the scope that expressions share.
pub(super) fn shared_data<'e>(
    expressions: impl IntoIterator<Item = &'e Expression>,
) -> Option<&'e Arc<DataColumns>> {
    expressions.into_iter().find_map(|one| one.ast().data())
}

/// A builder for expressions over the same scope.
pub(super) fn builder_over_scope<'e>(
    expressions: impl IntoIterator<Item = &'e Expression>,
) -> ProgramBuilder {
    shared_data(expressions).map_or_else(ProgramBuilder::new, |data| {
        let first = data.first();
        ProgramBuilder::with_columns(first..first + data.len(), data.rows())
    })
}

/// Several expressions over the same scope, compiled together: what they share is computed once.
#[derive(Debug, Clone)]
pub struct ExpressionSystem(CompiledSystem);

/// A program, of several passes where the scope has columns of data.
#[derive(Debug, Clone)]
enum CompiledSystem {
    Plain(bytecode::EvaluationProgram),
    Staged(Box<bytecode::StagedProgram>),
}

impl ExpressionSystem {
    /// The values of expressions.
    pub fn values<'e>(expressions: impl IntoIterator<Item = &'e Expression> + Clone) -> Self {
        LoweredExpressions::new(expressions).values()
    }

    fn finish<'e>(
        builder: &ProgramBuilder,
        outputs: &[ProgramNode],
        expressions: impl IntoIterator<Item = &'e Expression>,
    ) -> Self {
        Self::compile(builder, outputs, shared_data(expressions))
    }

    pub(super) fn compile(
        builder: &ProgramBuilder,
        outputs: &[ProgramNode],
        data: Option<&Arc<DataColumns>>,
    ) -> Self {
        Self(match data {
            None => CompiledSystem::Plain(builder.finish(outputs)),
            Some(data) => {
                let staged = bytecode::StagedProgram::new(builder, outputs, &data.columns());
                CompiledSystem::Staged(Box::new(staged))
            }
        })
    }

    /// The value of an expression, and then its derivatives with respect to slots.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub fn value_and_gradient(
        expression: &Expression,
        slots: &[usize],
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = builder_over_scope([expression]);
        let value = lower_tree(expression.ast(), &mut builder);
        let gradient = builder.gradient(value, slots)?;
        let outputs: Vec<ProgramNode> = std::iter::once(value).chain(gradient).collect();
        Ok(Self::finish(&builder, &outputs, [expression]))
    }

    /// The value of an expression, and then its derivatives by a slot up to an order; `None` when they take more than `operations`.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn derivatives(
        expression: &Expression,
        slot: usize,
        order: usize,
        operations: usize,
    ) -> Result<Option<Self>, NotDifferentiable> {
        let mut builder = builder_over_scope([expression]);
        let mut outputs = vec![lower_tree(expression.ast(), &mut builder)];
        let one = builder.constant(1.0);
        for index in 0..order {
            let next = builder.tangents(&outputs[index..=index], &[(slot, one)])?;
            outputs.extend(next);
            if builder.len() > operations {
                return Ok(None);
            }
        }
        Ok(Some(Self::finish(&builder, &outputs, [expression])))
    }

    /// The product of the Hessian of an expression in the slots 0 to n - 1 and a vector, whose entries follow the slots of the scope.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn hessian_product(
        expression: &Expression,
        n: usize,
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = builder_over_scope([expression]);
        let value = lower_tree(expression.ast(), &mut builder);
        let slots: Vec<usize> = (0..n).collect();
        let gradient = builder.gradient(value, &slots)?;
        let first = n + column_count([expression]);
        let direction: Vec<(usize, ProgramNode)> = (0..n)
            .map(|slot| (slot, builder.variable(first + slot)))
            .collect();
        let product = builder.tangents(&gradient, &direction)?;
        Ok(Self::finish(&builder, &product, [expression]))
    }

    /// As [`LoweredExpressions::jacobian`].
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn jacobian(
        expressions: &[Expression],
        slots: &[usize],
    ) -> Result<(Vec<(usize, usize)>, Self), NotDifferentiable> {
        LoweredExpressions::new(expressions).jacobian(expressions, slots)
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
        let mut builder = builder_over_scope(expressions);
        let slots: Vec<usize> = (0..n).collect();
        let lowered = expressions.iter().map(Expression::ast);
        let mut outputs: Vec<ProgramNode> =
            lowered.map(|ast| lower_tree(ast, &mut builder)).collect();
        let mut affine = Vec::with_capacity(expressions.len());
        for index in 0..expressions.len() {
            let gradient = builder.gradient(outputs[index], &slots)?;
            let known = |node: &ProgramNode| builder.constant_of(*node).is_some();
            // Steps have constant derivatives too.
            affine.push(expressions[index].ast().is_smooth() && gradient.iter().all(known));
            outputs.extend(gradient);
        }
        Ok((Self::finish(&builder, &outputs, expressions), affine))
    }

    /// The gradient of a weighted sum of expressions in the slots 0 to n - 1; the weights follow the slots of the scope.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn weighted_gradient(
        expressions: &[Expression],
        n: usize,
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = builder_over_scope(expressions);
        let slots: Vec<usize> = (0..n).collect();
        let first = n + column_count(expressions);
        let gradient = weighted_gradient(expressions, &slots, first, &mut builder)?;
        Ok(Self::finish(&builder, &gradient, expressions))
    }

    /// The product of the Hessian of a weighted sum of expressions in the slots 0 to n - 1 and a vector: its entries follow the slots
    /// of the scope, and the weights these.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub(crate) fn weighted_hessian_product(
        expressions: &[Expression],
        n: usize,
    ) -> Result<Self, NotDifferentiable> {
        let mut builder = builder_over_scope(expressions);
        let slots: Vec<usize> = (0..n).collect();
        let first = n + column_count(expressions);
        let gradient = weighted_gradient(expressions, &slots, first + n, &mut builder)?;
        let along = |builder: &mut ProgramBuilder, slot| (slot, builder.variable(first + slot));
        let direction: Vec<_> = slots
            .iter()
            .map(|&slot| along(&mut builder, slot))
            .collect();
        let product = builder.tangents(&gradient, &direction)?;
        Ok(Self::finish(&builder, &product, expressions))
    }

    /// An evaluator with memory of its own; make one per thread.
    pub fn evaluator(&self) -> SystemEvaluator<'_> {
        match &self.0 {
            CompiledSystem::Plain(program) => SystemEvaluator::Plain(program.evaluator()),
            CompiledSystem::Staged(staged) => {
                SystemEvaluator::Staged(staged.evaluator(), staged.outputs())
            }
        }
    }
}

/// The gradient of a weighted sum of expressions; the weights are the slots from `first` on.
fn weighted_gradient(
    expressions: &[Expression],
    slots: &[usize],
    first: usize,
    builder: &mut ProgramBuilder,
) -> Result<Vec<ProgramNode>, NotDifferentiable> {
    let mut sum = builder.constant(0.0);
    for (index, expression) in expressions.iter().enumerate() {
        let value = lower_tree(expression.ast(), builder);
        let weight = builder.variable(first + index);
        let term = builder.binary(numerics::vector::Binary::Mul, weight, value);
        sum = builder.binary(numerics::vector::Binary::Add, sum, term);
    }
    builder.gradient(sum, slots)
}

/// Number of columns of the scope.
fn column_count<'e>(expressions: impl IntoIterator<Item = &'e Expression>) -> usize {
    shared_data(expressions).map_or(0, |data| data.len())
}

/// Evaluates expressions; owns its memory, so that evaluation does not allocate. Slots that are columns of data are not given: the
/// numbers that are follow each other without them.
#[derive(Debug)]
pub enum SystemEvaluator<'a> {
    /// Of numbers alone.
    Plain(bytecode::ProgramEvaluator<'a>),
    /// With columns of data; and how many outputs there are.
    Staged(bytecode::StagedEvaluator<'a>, usize),
}

impl SystemEvaluator<'_> {
    /// The outputs at one point: `slots[i]` is the variable of slot `i`. NaN and infinities are possible; the caller decides.
    ///
    /// # Panics
    /// When `slots` is shorter than the highest slot in use, `out` than the outputs, or an output is a column.
    pub fn point(&mut self, slots: &[f64], out: &mut [f64]) {
        match self {
            Self::Plain(evaluator) => evaluator.point(slots, out),
            Self::Staged(evaluator, outputs) => {
                evaluator.run(slots);
                for (index, out) in out.iter_mut().enumerate().take(*outputs) {
                    *out = evaluator.number(index);
                }
            }
        }
    }

    /// As [`SystemEvaluator::point`], with the slots in parts that follow each other.
    ///
    /// # Panics
    /// As [`SystemEvaluator::point`].
    #[inline]
    pub(crate) fn point_of<const PARTS: usize>(&mut self, slots: [&[f64]; PARTS], out: &mut [f64]) {
        match self {
            Self::Plain(evaluator) => evaluator.point_of(slots, out),
            Self::Staged(..) => self.point(&slots.concat(), out),
        }
    }

    /// As [`SystemEvaluator::point_of`], at a few points in less time than one after the other.
    ///
    /// # Panics
    /// As [`SystemEvaluator::point`].
    pub(crate) fn points_of<const POINTS: usize, const PARTS: usize>(
        &mut self,
        slots: [[&[f64]; PARTS]; POINTS],
        out: [&mut [f64]; POINTS],
    ) {
        match self {
            Self::Plain(evaluator) => evaluator.points_of(slots, out),
            Self::Staged(..) => {
                for (slots, out) in slots.into_iter().zip(out) {
                    self.point_of(slots, out);
                }
            }
        }
    }

    /// The first output at one point.
    ///
    /// # Panics
    /// As [`SystemEvaluator::point`].
    pub fn eval(&mut self, slots: &[f64]) -> f64 {
        let mut out = [f64::NAN];
        self.point(slots, &mut out);
        out[0]
    }

    /// The outputs at many points: `slots[i][lane]` is the variable of slot `i` at point `lane`, `out[j][lane]` output `j` there; the same
    /// bits as [`SystemEvaluator::point`] point by point.
    ///
    /// # Panics
    /// When `slots` is shorter than the highest slot in use, or such a slot shorter than `out`.
    pub fn block(&mut self, slots: &[&[f64]], out: &mut [&mut [f64]]) {
        if let Self::Plain(evaluator) = self {
            return evaluator.block(slots, out);
        }
        let points = out.first().map_or(0, |first| first.len());
        let mut found = vec![0.0; out.len()];
        for lane in 0..points {
            let point: Vec<f64> = slots.iter().map(|slot| slot[lane]).collect();
            self.point(&point, &mut found);
            out.iter_mut()
                .zip(&found)
                .for_each(|(out, value)| out[lane] = *value);
        }
    }

    /// The first output at many points; see [`SystemEvaluator::block`].
    ///
    /// # Panics
    /// As [`SystemEvaluator::block`].
    pub fn eval_block(&mut self, slots: &[&[f64]], out: &mut [f64]) {
        self.block(slots, &mut [out]);
    }

    /// Computes outputs of which some may be columns; those that are numbers go to `out`.
    pub(crate) fn run(&mut self, slots: &[f64], out: &mut [f64]) {
        match self {
            Self::Plain(evaluator) => evaluator.point(slots, out),
            Self::Staged(evaluator, _) => {
                evaluator.run(slots);
                for (index, out) in out.iter_mut().enumerate() {
                    if evaluator.column(index).is_none() {
                        *out = evaluator.number(index);
                    }
                }
            }
        }
    }

    /// An output of [`SystemEvaluator::run`] that is a column; `None` of a number.
    pub(crate) fn column(&self, output: usize) -> Option<&[f64]> {
        match self {
            Self::Plain(_) => None,
            Self::Staged(evaluator, _) => evaluator.column(output),
        }
    }
}
