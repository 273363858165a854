//! Exact evaluation over the rationals.

use tool_core::{Ctx, ToolError};

use super::ast::{Ast, Kind, Node};
use super::functions::{Binary, Unary};
use super::rational::{Failure, Rational};

/// The reason for an expression without an exact value, and the operation responsible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExactError {
    pub(super) failure: Failure,
    pub(super) column: usize,
    pub(super) name: &'static str,
}

type Exact = Result<Rational, ExactError>;

/// The exact value; `slots` are the exact values of the variables. A failure in the branch that `if` does not take does
/// not count.
///
/// # Errors
/// The outer error when the call is stopped, the inner one when there is no exact value.
pub(super) fn evaluate(ast: &Ast, slots: &[Exact], ctx: &Ctx) -> Result<Exact, ToolError> {
    let mut stack: Vec<Exact> = Vec::new();
    for node in ast.nodes() {
        ctx.check()?;
        let operands = stack.split_off(stack.len() - node.kind.arity());
        stack.push(apply(node, operands, slots));
    }
    Ok(stack.pop().expect("a tree has a root"))
}

fn apply(node: &Node, mut operands: Vec<Exact>, slots: &[Exact]) -> Exact {
    let at = |name| {
        move |failure| ExactError {
            failure,
            column: node.column,
            name,
        }
    };
    match &node.kind {
        Kind::Number { text, .. } if text.is_empty() => Err(at("a constant")(Failure::Inexact)),
        Kind::Number { text, .. } => Rational::parse(text).map_err(at("the number")),
        Kind::Slot(slot) => slots[*slot].clone(),
        Kind::Unary(op) => unary(*op, &operands.remove(0)?).map_err(at(op.name())),
        Kind::Binary(op) => {
            let right = operands.remove(1);
            binary(*op, &operands.remove(0)?, &right?).map_err(at(op.name()))
        }
        Kind::Select => {
            let taken = if operands[0].as_ref().map_err(Clone::clone)?.is_zero() {
                2
            } else {
                1
            };
            operands.swap_remove(taken)
        }
    }
}

/// A function of one exact value, where that is exact.
pub(super) fn unary(op: Unary, x: &Rational) -> Result<Rational, Failure> {
    match op {
        Unary::Neg => Ok(x.neg()),
        Unary::Square => x.mul(x),
        Unary::Abs => Ok(x.abs()),
        Unary::Floor => Ok(x.floor()),
        Unary::Ceil => Ok(x.ceil()),
        Unary::Trunc => Ok(x.trunc()),
        Unary::Round => x.round(),
        Unary::Sign => Ok(x.sign()),
        Unary::Sqrt => x.sqrt(),
        Unary::Factorial => x.factorial(),
        Unary::Gamma => x.gamma(),
        Unary::Lgamma if *x == Rational::from(1) || *x == Rational::from(2) => Ok(0.into()),
        Unary::Reciprocal => Rational::from(1).div(x),
        Unary::Re | Unary::Conj => Ok(x.clone()),
        Unary::Im => Ok(Rational::from(0)),
        _ => Err(Failure::Inexact),
    }
}

/// A function of two exact values, where that is exact.
pub(super) fn binary(op: Binary, a: &Rational, b: &Rational) -> Result<Rational, Failure> {
    let truth = |holds: bool| Ok(Rational::from(i32::from(holds)));
    match op {
        Binary::Add => a.add(b),
        Binary::Sub => a.sub(b),
        Binary::Mul => a.mul(b),
        Binary::Div => a.div(b),
        Binary::Mod => a.modulo(b),
        Binary::FloorDiv => a.div(b).map(|quotient| quotient.floor()),
        Binary::Fmod => a.remainder(b),
        Binary::Pow => a.pow(b),
        Binary::Less => truth(a < b),
        Binary::LessEqual => truth(a <= b),
        Binary::Greater => truth(a > b),
        Binary::GreaterEqual => truth(a >= b),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Min => Ok(a.min(b).clone()),
        Binary::Max => Ok(a.max(b).clone()),
        Binary::CopySign => Ok(
            if (a.sign() < Rational::from(0)) == (b.sign() < Rational::from(0)) {
                a.clone()
            } else {
                a.neg()
            },
        ),
        _ => Err(Failure::Inexact),
    }
}
