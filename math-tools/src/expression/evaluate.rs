//! Evaluation of a tree over any kind of numbers.

use tool_core::number;

use super::ast::{Ast, AstKind, AstNode};
use super::fault::{EvaluationFault, ValueError};
use super::functions::{
    ADD, BinaryDefinition, EXP, LN, MAX, ReductionFunction, SUB, TernaryDefinition, UnaryDefinition,
};

/// The arithmetic that a tree is evaluated in.
pub(super) trait Arithmetic {
    type Value: Clone;

    /// A number with its nearest double and its spelling, which is empty for a named constant.
    fn number(&mut self, value: f64, text: &str) -> Result<Self::Value, EvaluationFault>;
    /// The value of a variable.
    fn variable(&self, slot: usize) -> Self::Value;
    fn function(
        &mut self,
        op: &UnaryDefinition,
        x: &Self::Value,
    ) -> Result<Self::Value, EvaluationFault>;
    fn operation(
        &mut self,
        op: &BinaryDefinition,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Result<Self::Value, EvaluationFault>;
    fn is_zero(&mut self, x: &Self::Value) -> Result<bool, EvaluationFault>;

    /// A function of three values.
    fn ternary(
        &mut self,
        _: &TernaryDefinition,
        _: [&Self::Value; 3],
    ) -> Result<Self::Value, EvaluationFault> {
        Err(EvaluationFault::Unsupported)
    }

    /// A number of a column of data.
    fn datum(&mut self, value: f64) -> Result<Self::Value, EvaluationFault> {
        self.number(value, &number::non_finite_spelling(value))
    }

    /// The logarithm of the sum of the exponentials of at least one value.
    fn log_sum_exp(&mut self, values: &[Self::Value]) -> Result<Self::Value, EvaluationFault> {
        let mut largest = values[0].clone();
        for value in &values[1..] {
            largest = self.operation(&MAX, &largest, value)?;
        }
        let mut sum = self.number(0.0, "0")?;
        for value in values {
            let below = self.operation(&SUB, value, &largest)?;
            let term = self.function(&EXP, &below)?;
            sum = self.operation(&ADD, &sum, &term)?;
        }
        let logarithm = self.function(&LN, &sum)?;
        self.operation(&ADD, &largest, &logarithm)
    }

    /// A reduction of a column.
    fn reduction(
        &mut self,
        _: ReductionFunction,
        _: &Self::Value,
    ) -> Result<Self::Value, EvaluationFault> {
        Err(EvaluationFault::Unsupported)
    }

    /// The value of `if`.
    ///
    /// # Errors
    /// That of the condition, or of the branch that is taken.
    fn select(
        &mut self,
        condition: &Self::Value,
        branches: [Result<Self::Value, ValueError>; 2],
    ) -> Result<Result<Self::Value, ValueError>, EvaluationFault> {
        let [then, otherwise] = branches;
        Ok(match self.is_zero(condition)? {
            true => otherwise,
            false => then,
        })
    }

    /// The operands of a failed operation in words.
    fn words(_: &[&Self::Value]) -> String {
        String::new()
    }

    /// Fails with [`Fault::Stopped`] when the call is stopped.
    fn check(&self) -> Result<(), EvaluationFault> {
        Ok(())
    }
}

/// The value of a tree; a failure in the branch that `if` does not take does not count.
pub(super) fn evaluate_tree<A: Arithmetic>(
    ast: &Ast,
    arithmetic: &mut A,
) -> Result<A::Value, ValueError> {
    let mut stack: Vec<Result<A::Value, ValueError>> = Vec::new();
    let mut locals = Vec::new();
    for node in ast.nodes() {
        let operands = stack.split_off(stack.len() - node.kind.arity());
        match node.kind {
            AstKind::Define(_) => {
                locals.extend(operands);
                continue;
            }
            AstKind::Local(local) => {
                stack.push(locals[local].clone());
                continue;
            }
            _ => {}
        }
        let value = apply_node(node, operands, arithmetic);
        if value
            .as_ref()
            .is_err_and(|err| err.fault == EvaluationFault::Stopped)
        {
            return value;
        }
        stack.push(value);
    }
    stack.pop().expect("a tree has a root")
}

fn apply_node<A: Arithmetic>(
    node: &AstNode,
    operands: Vec<Result<A::Value, ValueError>>,
    arithmetic: &mut A,
) -> Result<A::Value, ValueError> {
    let fail = |name, operands: &[&A::Value]| {
        let (column, operands) = (node.column, A::words(operands));
        move |fault| ValueError {
            fault,
            column,
            name,
            operands,
        }
    };
    let mut operands = operands.into_iter();
    let mut next = || operands.next().expect("an operand for each place");
    arithmetic.check().map_err(fail("the value", &[]))?;
    match &node.kind {
        AstKind::Number { value, text } => {
            let name = if text.is_empty() {
                "a constant"
            } else {
                "the number"
            };
            arithmetic.number(*value, text).map_err(fail(name, &[]))
        }
        AstKind::Slot(slot) => Ok(arithmetic.variable(*slot)),
        AstKind::Unary(op) => {
            let x = next()?;
            let value = arithmetic.function(op, &x);
            value.map_err(|fault| fail(op.name, &[&x])(fault))
        }
        AstKind::Binary(op) => {
            let (a, b) = (next(), next());
            let (a, b) = (a?, b?);
            let value = arithmetic.operation(op, &a, &b);
            value.map_err(|fault| fail(op.name, &[&a, &b])(fault))
        }
        AstKind::Ternary(op) => {
            let (a, b, c) = (next()?, next()?, next()?);
            let value = arithmetic.ternary(op, [&a, &b, &c]);
            value.map_err(|fault| fail(op.name(), &[&a, &b, &c])(fault))
        }
        AstKind::Select => {
            let (condition, branches) = (next()?, [next(), next()]);
            let chosen = arithmetic.select(&condition, branches);
            chosen.map_err(fail("if", &[]))?
        }
        AstKind::Support => {
            let (condition, value) = (next()?, next());
            let outside = Err(fail("the logarithm of a density outside its support", &[])(
                EvaluationFault::Outside,
            ));
            let chosen = arithmetic.select(&condition, [value, outside]);
            chosen.map_err(fail("a support", &[]))?
        }
        AstKind::Reduce(op) => {
            let column = next()?;
            let value = arithmetic.reduction(*op, &column);
            value.map_err(|fault| fail(op.name(), &[&column])(fault))
        }
        AstKind::Define(_) | AstKind::Local(_) => unreachable!("names are no operations"),
    }
}

/// Doubles at a point of finite numbers; a value that is not finite is a fault.
pub(super) struct DoubleArithmetic<'a>(pub(super) &'a [f64]);

impl Arithmetic for DoubleArithmetic<'_> {
    type Value = f64;

    fn number(&mut self, value: f64, _: &str) -> Result<f64, EvaluationFault> {
        Ok(value)
    }

    fn datum(&mut self, value: f64) -> Result<f64, EvaluationFault> {
        Ok(value)
    }

    fn variable(&self, slot: usize) -> f64 {
        self.0[slot]
    }

    fn function(&mut self, op: &UnaryDefinition, x: &f64) -> Result<f64, EvaluationFault> {
        op.finite_value(*x)
    }

    fn operation(
        &mut self,
        op: &BinaryDefinition,
        a: &f64,
        b: &f64,
    ) -> Result<f64, EvaluationFault> {
        op.finite_value(*a, *b)
    }

    fn ternary(
        &mut self,
        op: &TernaryDefinition,
        [a, b, c]: [&f64; 3],
    ) -> Result<f64, EvaluationFault> {
        op.finite_value(*a, *b, *c)
    }

    fn is_zero(&mut self, x: &f64) -> Result<bool, EvaluationFault> {
        Ok(*x == 0.0)
    }

    fn words(operands: &[&f64]) -> String {
        match operands {
            [] => String::new(),
            [x] => format!(" for {x}"),
            [a, b] => format!(" for {a} and {b}"),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(ToString::to_string).collect();
                format!(" for {} and {last}", first.join(", "))
            }
        }
    }
}
