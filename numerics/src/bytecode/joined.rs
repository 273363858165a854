//! [`plan_parts`]: which operations are computed together by one instruction, with the bits of one after the other.

use std::collections::HashMap;

use super::builder::{NodeOperation, ProgramNode};
use crate::vector::{Binary, Ternary, Unary};

/// How an operation is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum InstructionFusion {
    /// By an instruction of its own.
    Alone,
    /// By the instruction of another one.
    Inside,
    /// With the sum, difference or product that is its operand, which nothing else needs.
    Ternary(Ternary, [ProgramNode; 3]),
    /// A sine and the cosine of the same argument, in their places in the list.
    SinCos {
        sine: ProgramNode,
        cosine: ProgramNode,
    },
}

/// How each operation is computed; `uses` counts what needs its value, outputs included. Operations with a flag are computed.
pub(super) fn plan_parts(
    operations: &[NodeOperation],
    uses: &[u32],
    is_computed: &[bool],
) -> Vec<InstructionFusion> {
    let mut parts = vec![InstructionFusion::Alone; operations.len()];
    let mut circular: HashMap<ProgramNode, usize> = HashMap::new();
    for (index, operation) in operations.iter().enumerate() {
        match *operation {
            _ if !is_computed[index] => {}
            NodeOperation::Binary(op, a, b) => {
                let inner = |node: ProgramNode| match operations[node.index()] {
                    NodeOperation::Binary(op, x, y)
                        if is_computed[node.index()]
                            && uses[node.index()] == 1
                            && parts[node.index()] == InstructionFusion::Alone =>
                    {
                        Some((op, x, y))
                    }
                    _ => None,
                };
                let (op, inside, operands) = match (op, inner(a), inner(b)) {
                    (Binary::Add, _, Some((Binary::Mul, x, y))) => (Ternary::MulAdd, b, [x, y, a]),
                    (Binary::Add, Some((Binary::Mul, x, y)), _) => (Ternary::MulAdd, a, [x, y, b]),
                    (Binary::Sub, _, Some((Binary::Mul, x, y))) => (Ternary::SubMul, b, [x, y, a]),
                    (Binary::Sub, Some((Binary::Mul, x, y)), _) => (Ternary::MulSub, a, [x, y, b]),
                    (Binary::Mul, _, Some((Binary::Add, x, y))) => (Ternary::AddMul, b, [x, y, a]),
                    (Binary::Mul, Some((Binary::Add, x, y)), _) => (Ternary::AddMul, a, [x, y, b]),
                    (Binary::Mul, _, Some((Binary::Sub, x, y))) => (Ternary::DiffMul, b, [x, y, a]),
                    (Binary::Mul, Some((Binary::Sub, x, y)), _) => (Ternary::DiffMul, a, [x, y, b]),
                    _ => continue,
                };
                parts[index] = InstructionFusion::Ternary(op, operands);
                parts[inside.index()] = InstructionFusion::Inside;
            }
            NodeOperation::Unary(op @ (Unary::Sin | Unary::Cos), a) => {
                // Equal operations are one, so that the other one found is the other function.
                let other = *circular.entry(a).or_insert(index);
                if other != index {
                    let (sine, cosine) = if op == Unary::Sin {
                        (index, other)
                    } else {
                        (other, index)
                    };
                    parts[other] = InstructionFusion::SinCos {
                        sine: ProgramNode(sine as u32),
                        cosine: ProgramNode(cosine as u32),
                    };
                    parts[index] = InstructionFusion::Inside;
                }
            }
            _ => {}
        }
    }
    parts
}
