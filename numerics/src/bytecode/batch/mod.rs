//! [`BatchProgram`]: a program for one point, in which equal operations run together.
//!
//! Equations that differ in their variables alone, such as those of a grid, become a few loops over consecutive values; where the operands
//! are scattered, they are gathered first. A loop gives the same bits as its operations one by one.

mod former;

use self::former::BatchFormer;
use super::builder::{NodeOperation, ProgramNode};
use super::code::OperationCode;
use super::evaluate::LANES;
use crate::vector::{self, LaneOperand};

/// Programs with fewer instructions run one by one.
const INSTRUCTIONS_MIN: usize = 64;
/// Instructions for each batch, on average, with which batches pay.
const SHARE: usize = 12;

/// Loops over a list of values: variables, then constants, then results in the order of the loops.
#[derive(Debug, Clone)]
pub(super) struct BatchProgram {
    /// The list at first; only variables and results change.
    pub(super) values: Vec<f64>,
    batches: Vec<OperationBatch>,
    /// Places in the list of the operands that are gathered.
    gathered: Vec<u32>,
    /// Where each stretch of outputs is found, and its length.
    outputs: Vec<(u32, u32)>,
}

/// A loop over one operation.
#[derive(Debug, Clone, Copy)]
struct OperationBatch {
    code: OperationCode<OperandPlaces>,
    /// Place of the first result.
    to: u32,
    count: u32,
}

/// Where the operands of a batch are.
#[derive(Debug, Clone, Copy)]
enum OperandPlaces {
    /// One value for all.
    Same(u32),
    /// Consecutive values, from a place on.
    Consecutive(u32),
    /// Gathered from places that are listed from an index on.
    Gathered(u32),
}

impl BatchProgram {
    /// The batches of the operations that outputs need; `None` where they do not pay.
    pub(super) fn new(
        operations: &[NodeOperation],
        outputs: &[ProgramNode],
        variables: usize,
    ) -> Option<Self> {
        let order = batch_order(operations, outputs)?;
        let mut former = BatchFormer::new(operations, variables, order.len());
        let same = |a: &(u64, u32), b: &(u64, u32)| {
            a.0 == b.0 && is_same(&operations[a.1 as usize], &operations[b.1 as usize])
        };
        for group in order.chunk_by(same) {
            former.group(group);
            if former.len() * SHARE > order.len() {
                return None;
            }
        }
        Some(former.finish(outputs))
    }

    /// Number of loops.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// The outputs; `values` is the list, which begins with the variables.
    pub(super) fn run(&self, values: &mut [f64], out: &mut [f64]) {
        let mut buffers = [[0.0; LANES]; 3];
        for batch in &self.batches {
            let (known, rest) = values.split_at_mut(batch.to as usize);
            let results = &mut rest[..batch.count as usize];
            for (index, results) in results.chunks_mut(LANES).enumerate() {
                let (first, count) = (index * LANES, results.len());
                let mut free = buffers.iter_mut();
                let code = batch.code.map(|operands| match operands {
                    OperandPlaces::Same(place) => LaneOperand::One(known[place as usize]),
                    OperandPlaces::Consecutive(place) => {
                        LaneOperand::Many(&known[place as usize + first..][..count])
                    }
                    OperandPlaces::Gathered(start) => {
                        let buffer = free.next().expect("an operation has up to three operands");
                        let places = &self.gathered[start as usize + first..][..count];
                        for (lane, &place) in buffer.iter_mut().zip(places) {
                            *lane = known[place as usize];
                        }
                        LaneOperand::Many(&buffer[..count])
                    }
                });
                code.run(results);
            }
        }
        let mut rest = out;
        for &(from, count) in &self.outputs {
            let (part, after) = rest.split_at_mut(rest.len().min(count as usize));
            vector::copy_numbers(&values[from as usize..], part);
            rest = after;
        }
    }
}

/// The operations that are computed, those of equal depth and kind together; each after its operands. `None` for too few of them.
fn batch_order(operations: &[NodeOperation], outputs: &[ProgramNode]) -> Option<Vec<(u64, u32)>> {
    let mut needed = vec![false; operations.len()];
    for output in outputs {
        needed[output.index()] = true;
    }
    for (index, operation) in operations.iter().enumerate().rev() {
        if needed[index] {
            for operand in operation.operands() {
                needed[operand.index()] = true;
            }
        }
    }
    let mut depths = vec![0_u32; operations.len()];
    let mut order = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        if !needed[index]
            || matches!(
                operation,
                NodeOperation::Constant(_) | NodeOperation::Variable(_)
            )
        {
            continue;
        }
        let deepest = operation.operands().map(|operand| depths[operand.index()]);
        let depth = deepest.max().unwrap_or(0) + 1;
        depths[index] = depth;
        order.push((u64::from(depth) << 32 | sort_key(operation), index as u32));
    }
    if order.len() < INSTRUCTIONS_MIN {
        return None;
    }
    order.sort_unstable();
    Some(order)
}

/// A number by which operations are sorted.
fn sort_key(operation: &NodeOperation) -> u64 {
    match *operation {
        NodeOperation::Constant(_) | NodeOperation::Variable(_) => 0,
        NodeOperation::Unary(op, _) => 0x100 + op as u64,
        NodeOperation::Binary(op, ..) => 0x200 + op as u64,
        NodeOperation::Select(..) => 0x300,
        NodeOperation::Call1(..) => 0x400,
        NodeOperation::Call2(..) => 0x500,
        NodeOperation::Call3(..) => 0x700,
        NodeOperation::Reduce(..) | NodeOperation::RunningSum(..) => 0x600,
    }
}

/// Whether two operations of one kind are the same function.
fn is_same(a: &NodeOperation, b: &NodeOperation) -> bool {
    match (a, b) {
        (NodeOperation::Call1(f, _), NodeOperation::Call1(g, _)) => std::ptr::eq(*f, *g),
        (NodeOperation::Call2(f, ..), NodeOperation::Call2(g, ..)) => std::ptr::eq(*f, *g),
        (NodeOperation::Call3(f, ..), NodeOperation::Call3(g, ..)) => std::ptr::eq(*f, *g),
        _ => true,
    }
}
