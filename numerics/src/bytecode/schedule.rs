//! The order of a program over columns: which numbers are computed before a pass over the rows, and what the pass leaves.
//!
//! A number that depends on no reduction, and a column computed from such numbers, have level 0; a reduction or a running sum has the
//! level of its column plus 1. Stage `k` computes the numbers of level `k`, then everything of all rows that needs them in one pass.

use std::collections::HashMap;

use super::builder::{
    ColumnReduction, NodeOperation, ProgramBuilder, ProgramNode, RunningDirection,
};
use super::code::OperandPlace;
use super::evaluate::EvaluationProgram;
use crate::vector::{Binary, Unary};

/// Numbers, and then a pass over the rows.
#[derive(Debug, Clone)]
pub(super) struct ProgramStage {
    /// Computes numbers from numbers.
    pub(super) point: EvaluationProgram,
    /// The number that each output of `point` becomes.
    pub(super) point_to: Vec<usize>,
    /// Its outputs are what is reduced, in the order of the reductions, then what is kept.
    pub(super) pass: EvaluationProgram,
    pub(super) reductions: Vec<ReducedOutput>,
    pub(super) kept: Vec<BufferedColumn>,
}

/// A number that a pass makes of all rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReducedOutput {
    pub(super) reduction: ColumnReduction,
    pub(super) number: usize,
    /// Whether the sum is that of the products of two outputs, which saves a column that nothing else uses.
    pub(super) of_products: bool,
}

/// A column that a pass leaves in a buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct BufferedColumn {
    pub(super) buffer: usize,
    /// Added up after the pass.
    pub(super) running: Option<RunningDirection>,
}

/// A value that is known before a stage.
#[derive(Debug, Clone, Copy)]
enum ComputedPlace {
    Number(usize),
    Buffer(usize),
}

/// Assigns numbers and buffers.
#[derive(Debug)]
pub(super) struct StageSchedule<'b> {
    builder: &'b ProgramBuilder,
    known: HashMap<ProgramNode, ComputedPlace>,
    /// Numbers and buffers assigned so far.
    pub(super) numbers: usize,
    pub(super) buffers: usize,
}

impl<'b> StageSchedule<'b> {
    /// The variables of the builder are known: those before the columns and after them as numbers in their order, the columns as
    /// buffers. `numbers` is how many numbers the caller gives.
    pub(super) fn new(builder: &'b ProgramBuilder, numbers: usize) -> Self {
        let columns = &builder.columns;
        let mut known = HashMap::new();
        for (index, operation) in builder.operations.iter().enumerate() {
            if let NodeOperation::Variable(variable) = *operation {
                let variable = variable as usize;
                let place = if columns.contains(&variable) {
                    ComputedPlace::Buffer(variable - columns.start)
                } else if variable < columns.start {
                    ComputedPlace::Number(variable)
                } else {
                    ComputedPlace::Number(variable - columns.len())
                };
                known.insert(ProgramNode(index as u32), place);
            }
        }
        Self {
            builder,
            known,
            numbers,
            buffers: columns.len(),
        }
    }

    /// What the outputs need of the data alone: the numbers, and the columns that cost more than sums and products.
    pub(super) fn fixed(&self, outputs: &[ProgramNode]) -> (Vec<ProgramNode>, Vec<ProgramNode>) {
        let operations = &self.builder.operations;
        let needed = self.needed(outputs);
        let (mut varies, mut costs) =
            (vec![false; operations.len()], vec![false; operations.len()]);
        let mut wanted = vec![false; operations.len()];
        for (index, operation) in operations.iter().enumerate() {
            varies[index] = match *operation {
                NodeOperation::Variable(variable) => {
                    !self.builder.columns.contains(&(variable as usize))
                }
                _ => operation.operands().any(|operand| varies[operand.index()]),
            };
            costs[index] =
                !is_cheap(operation) || operation.operands().any(|operand| costs[operand.index()]);
            if varies[index] && needed[index] {
                for operand in operation.operands() {
                    wanted[operand.index()] |= !varies[operand.index()];
                }
            }
        }
        for output in outputs {
            wanted[output.index()] |= !varies[output.index()];
        }
        let (mut numbers, mut columns) = (Vec::new(), Vec::new());
        for index in 0..operations.len() {
            let node = ProgramNode(index as u32);
            if !wanted[index] || self.known.contains_key(&node) {
                continue;
            }
            match operations[index] {
                NodeOperation::Constant(_) => {}
                _ if !self.builder.is_column(node) => numbers.push(node),
                _ if costs[index] => columns.push(node),
                _ => {}
            }
        }
        (numbers, columns)
    }

    /// Stages that compute numbers and columns; afterwards these are known.
    pub(super) fn stages(
        &mut self,
        numbers: &[ProgramNode],
        columns: &[ProgramNode],
    ) -> Vec<ProgramStage> {
        let outputs: Vec<ProgramNode> = numbers.iter().chain(columns).copied().collect();
        let needed = self.needed(&outputs);
        let operations = &self.builder.operations;
        let mut level = vec![0_usize; operations.len()];
        let mut last = 0;
        for (index, operation) in operations.iter().enumerate() {
            if !needed[index] || self.known.contains_key(&ProgramNode(index as u32)) {
                continue;
            }
            let highest = operation.operands().map(|operand| level[operand.index()]);
            level[index] = highest.max().unwrap_or(0) + usize::from(is_boundary(operation));
            last = last.max(level[index]);
        }
        let mut stages = Vec::new();
        for stage in 0..=last {
            let boundaries: Vec<ProgramNode> = (0..operations.len())
                .filter(|&index| {
                    needed[index]
                        && is_boundary(&operations[index])
                        && level[index] == stage + 1
                        && !self.known.contains_key(&ProgramNode(index as u32))
                })
                .map(|index| ProgramNode(index as u32))
                .collect();
            let at = |node: &&ProgramNode| level[node.index()] == stage;
            let columns: Vec<ProgramNode> = columns.iter().filter(at).copied().collect();
            let numbers: Vec<ProgramNode> = numbers.iter().filter(at).copied().collect();
            stages.push(self.stage(&boundaries, &numbers, &columns));
        }
        stages
    }

    fn stage(
        &mut self,
        boundaries: &[ProgramNode],
        numbers: &[ProgramNode],
        columns: &[ProgramNode],
    ) -> ProgramStage {
        let operations = &self.builder.operations;
        let (mut reduced, mut kept) = (Vec::new(), Vec::new());
        for &node in boundaries {
            match operations[node.index()] {
                NodeOperation::Reduce(reduction, column) => reduced.push((node, reduction, column)),
                NodeOperation::RunningSum(running, column) => {
                    kept.push((node, Some(running), column))
                }
                _ => {}
            }
        }
        kept.extend(columns.iter().map(|&column| (column, None, column)));
        let columns: Vec<ProgramNode> = reduced.iter().map(|(.., column)| *column).collect();
        let kept_columns: Vec<ProgramNode> = kept.iter().map(|(.., column)| *column).collect();
        let factors = self.factors(&reduced, &[&columns[..], &kept_columns].concat());
        let mut pass_outputs: Vec<ProgramNode> = Vec::new();
        for (column, factors) in columns.iter().zip(&factors) {
            match factors {
                Some(factors) => pass_outputs.extend(factors),
                None => pass_outputs.push(*column),
            }
        }
        pass_outputs.extend(kept_columns);

        // Numbers that the pass uses, and those that are asked for.
        let mut point_outputs: Vec<ProgramNode> = numbers.to_vec();
        let in_pass = self.needed(&pass_outputs);
        let mut is_used = vec![false; operations.len()];
        for output in &pass_outputs {
            is_used[output.index()] |= !self.builder.is_column(*output);
        }
        for (index, operation) in operations.iter().enumerate() {
            let node = ProgramNode(index as u32);
            let computed = in_pass[index] && !self.known.contains_key(&node);
            if computed && self.builder.is_column(node) {
                for operand in operation.operands() {
                    is_used[operand.index()] |= !self.builder.is_column(operand);
                }
            }
        }
        for (index, operation) in operations.iter().enumerate() {
            let node = ProgramNode(index as u32);
            let is_constant = matches!(operation, NodeOperation::Constant(_));
            if is_used[index] && !is_constant && !self.known.contains_key(&node) {
                point_outputs.push(node);
            }
        }
        point_outputs.retain(|node| !self.known.contains_key(node));
        point_outputs.sort_unstable();
        point_outputs.dedup();
        let number = |node: ProgramNode| match self.known.get(&node) {
            Some(ComputedPlace::Number(number)) => Some(OperandPlace::Variable(*number as u32)),
            _ => None,
        };
        let point = EvaluationProgram::of_numbers(operations, &point_outputs, &number);
        let point_to = point_outputs
            .iter()
            .map(|&node| self.number(node))
            .collect();
        let place = |node: ProgramNode| match self.known.get(&node) {
            Some(ComputedPlace::Number(number)) => Some(OperandPlace::Number(*number as u32)),
            Some(ComputedPlace::Buffer(buffer)) => Some(OperandPlace::Variable(*buffer as u32)),
            None => None,
        };
        let pass = EvaluationProgram::pass(operations, &pass_outputs, &place);
        let reductions = reduced
            .into_iter()
            .zip(factors)
            .map(|((node, reduction, _), factors)| ReducedOutput {
                reduction,
                number: self.number(node),
                of_products: factors.is_some(),
            })
            .collect();
        let kept = kept
            .into_iter()
            .map(|(node, running, _)| {
                let buffer = self.buffers;
                self.buffers += 1;
                self.known.insert(node, ComputedPlace::Buffer(buffer));
                BufferedColumn { buffer, running }
            })
            .collect();
        ProgramStage {
            point,
            point_to,
            pass,
            reductions,
            kept,
        }
    }

    /// For each reduction the two columns whose products are summed, where no other operation of the pass needs the products.
    fn factors(
        &self,
        reduced: &[(ProgramNode, ColumnReduction, ProgramNode)],
        outputs: &[ProgramNode],
    ) -> Vec<Option<[ProgramNode; 2]>> {
        let operations = &self.builder.operations;
        let needed = self.needed(outputs);
        let mut uses = vec![0_usize; operations.len()];
        for output in outputs {
            uses[output.index()] += 1;
        }
        for (index, operation) in operations.iter().enumerate() {
            if needed[index] && !self.known.contains_key(&ProgramNode(index as u32)) {
                for operand in operation.operands() {
                    uses[operand.index()] += 1;
                }
            }
        }
        let factors = |&(_, reduction, column): &(ProgramNode, ColumnReduction, ProgramNode)| {
            if reduction != ColumnReduction::Sum
                || uses[column.index()] > 1
                || self.known.contains_key(&column)
            {
                return None;
            }
            let pair = match operations[column.index()] {
                NodeOperation::Unary(Unary::Square, a) => [a, a],
                NodeOperation::Binary(Binary::Mul, a, b) => [a, b],
                _ => return None,
            };
            pair.iter()
                .all(|&factor| self.builder.is_column(factor))
                .then_some(pair)
        };
        reduced.iter().map(factors).collect()
    }

    /// The number that a node is, a new one where it is not known.
    fn number(&mut self, node: ProgramNode) -> usize {
        if let Some(ComputedPlace::Number(number)) = self.known.get(&node) {
            return *number;
        }
        self.numbers += 1;
        self.known
            .insert(node, ComputedPlace::Number(self.numbers - 1));
        self.numbers - 1
    }

    /// Where a number that was asked for is.
    pub(super) fn number_of(&self, node: ProgramNode) -> Option<usize> {
        match self.known.get(&node) {
            Some(ComputedPlace::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Where a column that was asked for is.
    pub(super) fn buffer_of(&self, node: ProgramNode) -> Option<usize> {
        match self.known.get(&node) {
            Some(ComputedPlace::Buffer(buffer)) => Some(*buffer),
            _ => None,
        }
    }

    /// By operation, whether the outputs need it; what is known is not looked through.
    fn needed(&self, outputs: &[ProgramNode]) -> Vec<bool> {
        let operations = &self.builder.operations;
        let mut needed = vec![false; operations.len()];
        for output in outputs {
            needed[output.index()] = true;
        }
        for (index, operation) in operations.iter().enumerate().rev() {
            if needed[index] && !self.known.contains_key(&ProgramNode(index as u32)) {
                for operand in operation.operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        needed
    }
}

/// Whether an operation needs all rows of its operand.
fn is_boundary(operation: &NodeOperation) -> bool {
    matches!(
        operation,
        NodeOperation::Reduce(..) | NodeOperation::RunningSum(..)
    )
}

/// Whether an operation costs less than reading its result from memory.
fn is_cheap(operation: &NodeOperation) -> bool {
    match operation {
        NodeOperation::Constant(_) | NodeOperation::Variable(_) => true,
        NodeOperation::Unary(op, _) => matches!(op, Unary::Neg | Unary::Square | Unary::Abs),
        NodeOperation::Binary(op, ..) => matches!(op, Binary::Add | Binary::Sub | Binary::Mul),
        _ => false,
    }
}
