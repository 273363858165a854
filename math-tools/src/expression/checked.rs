//! Evaluation in doubles that names the operation without a finite value and the reason.

use tool_core::ToolError;

use super::ast::{Ast, Kind, Node};
use super::functions::{Binary, Unary};

/// Reasons for an expression without a finite value at a point.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// A divisor is zero.
    #[error("division by zero in `{name}` at column {column}")]
    DivisionByZero {
        /// Column of the operation.
        column: usize,
        /// Name of the operation.
        name: &'static str,
    },
    /// An operand lies outside the function's domain.
    #[error("`{name}` at column {column} has no real value for {operands}")]
    Domain {
        /// Column of the operation.
        column: usize,
        /// Name of the operation.
        name: &'static str,
        /// The operands, in words.
        operands: String,
    },
    /// A value is beyond the range of a double.
    #[error("`{name}` at column {column} overflows a double for {operands}")]
    Overflow {
        /// Column of the operation.
        column: usize,
        /// Name of the operation.
        name: &'static str,
        /// The operands, in words.
        operands: String,
    },
}

impl ValueError {
    /// The error of the argument at a JSON pointer: `numeric`, with the reason `division_by_zero`, `domain` or `overflow`.
    pub fn into_tool_error(self, pointer: &str) -> ToolError {
        let (reason, hint) = match &self {
            Self::DivisionByZero { .. } => ("division_by_zero", "guard it: `if(b != 0, a / b, 0)`"),
            Self::Domain { name: "**", .. } => (
                "domain",
                "a negative number has only whole powers; `cbrt` takes its cube root",
            ),
            Self::Domain { .. } => ("domain", "guard it with `if(condition, a, b)`"),
            Self::Overflow { .. } => (
                "overflow",
                "work with logarithms; `calculate` with `precision` or `exact` has no such limit",
            ),
        };
        ToolError::numeric(pointer, self).reason(reason).hint(hint)
    }
}

/// The value at a point of finite numbers; a failure in the branch that `if` does not take does not count.
pub(super) fn evaluate(ast: &Ast, slots: &[f64]) -> Result<f64, ValueError> {
    let mut stack: Vec<Result<f64, ValueError>> = Vec::new();
    for node in ast.nodes() {
        let mut operands = stack.split_off(stack.len() - node.kind.arity());
        stack.push(match &node.kind {
            Kind::Number { value, .. } => Ok(*value),
            Kind::Slot(slot) => Ok(slots[*slot]),
            Kind::Unary(op) => operands.remove(0).and_then(|x| unary(node, *op, x)),
            Kind::Binary(op) => {
                let right = operands.remove(1);
                operands
                    .remove(0)
                    .and_then(|a| binary(node, *op, a, right?))
            }
            Kind::Select => match operands[0] {
                Ok(0.0) => operands.swap_remove(2),
                Ok(_) => operands.swap_remove(1),
                Err(_) => operands.swap_remove(0),
            },
        });
    }
    stack.pop().expect("a tree has a root")
}

fn unary(node: &Node, op: Unary, x: f64) -> Result<f64, ValueError> {
    let value = op.value(x);
    let pole = matches!(
        op,
        Unary::Ln | Unary::Log2 | Unary::Log10 | Unary::Log1p | Unary::Atanh | Unary::Lgamma
    );
    finite(value, pole, node, op.name(), || format!("{x}"))
}

fn binary(node: &Node, op: Binary, a: f64, b: f64) -> Result<f64, ValueError> {
    let divides = matches!(
        op,
        Binary::Div | Binary::FloorDiv | Binary::Mod | Binary::Fmod
    ) && b == 0.0;
    if divides || (op == Binary::Pow && a == 0.0 && b < 0.0) {
        return Err(ValueError::DivisionByZero {
            column: node.column,
            name: op.name(),
        });
    }
    let value = op.value(a, b);
    finite(value, op == Binary::LogBase, node, op.name(), || {
        format!("{a} and {b}")
    })
}

/// The value, when it is finite; `pole` says that an infinite value is a pole and not an overflow.
fn finite(
    value: f64,
    pole: bool,
    node: &Node,
    name: &'static str,
    operands: impl Fn() -> String,
) -> Result<f64, ValueError> {
    let column = node.column;
    if value.is_finite() {
        Ok(value)
    } else if value.is_nan() || pole {
        Err(ValueError::Domain {
            column,
            name,
            operands: operands(),
        })
    } else {
        Err(ValueError::Overflow {
            column,
            name,
            operands: operands(),
        })
    }
}
