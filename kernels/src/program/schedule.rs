//! The order of a program over columns: which numbers are computed before a pass over the rows, and what the pass leaves.
//!
//! A number that depends on no reduction, and a column computed from such numbers, have level 0; a reduction or a running sum has the
//! level of its column plus 1. Stage `k` computes the numbers of level `k`, then everything of all rows that needs them in one pass.

use std::collections::HashMap;

use super::builder::{Builder, Node, Operation, Reduction, Running};
use super::code::Place;
use super::evaluate::Program;
use crate::vector::{Binary, Unary};

/// Numbers, and then a pass over the rows.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    /// Computes numbers from numbers.
    pub(super) point: Program,
    /// The number that each output of `point` becomes.
    pub(super) point_to: Vec<usize>,
    /// Its outputs are what is reduced, in the order of the reductions, then what is kept.
    pub(super) pass: Program,
    pub(super) reductions: Vec<Reduced>,
    pub(super) kept: Vec<Kept>,
}

/// A number that a pass makes of all rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduced {
    pub(super) reduction: Reduction,
    pub(super) number: usize,
    /// Whether the sum is that of the products of two outputs, which saves a column that nothing else uses.
    pub(super) of_products: bool,
}

/// A column that a pass leaves in a buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) buffer: usize,
    /// Added up after the pass.
    pub(super) running: Option<Running>,
}

/// A value that is known before a stage.
#[derive(Debug, Clone, Copy)]
enum Known {
    Number(usize),
    Buffer(usize),
}

/// Assigns numbers and buffers.
#[derive(Debug)]
pub(super) struct Schedule<'b> {
    builder: &'b Builder,
    known: HashMap<Node, Known>,
    /// Numbers and buffers assigned so far.
    pub(super) numbers: usize,
    pub(super) buffers: usize,
}

impl<'b> Schedule<'b> {
    /// The variables of the builder are known: those before the columns and after them as numbers in their order, the columns as
    /// buffers. `numbers` is how many numbers the caller gives.
    pub(super) fn new(builder: &'b Builder, numbers: usize) -> Self {
        let columns = &builder.columns;
        let mut known = HashMap::new();
        for (index, operation) in builder.operations.iter().enumerate() {
            if let Operation::Variable(variable) = *operation {
                let variable = variable as usize;
                let place = if columns.contains(&variable) {
                    Known::Buffer(variable - columns.start)
                } else if variable < columns.start {
                    Known::Number(variable)
                } else {
                    Known::Number(variable - columns.len())
                };
                known.insert(Node(index as u32), place);
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
    pub(super) fn fixed(&self, outputs: &[Node]) -> (Vec<Node>, Vec<Node>) {
        let operations = &self.builder.operations;
        let needed = self.needed(outputs);
        let (mut varies, mut costs) =
            (vec![false; operations.len()], vec![false; operations.len()]);
        let mut wanted = vec![false; operations.len()];
        for (index, operation) in operations.iter().enumerate() {
            varies[index] = match *operation {
                Operation::Variable(variable) => {
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
            let node = Node(index as u32);
            if !wanted[index] || self.known.contains_key(&node) {
                continue;
            }
            match operations[index] {
                Operation::Constant(_) => {}
                _ if !self.builder.is_column(node) => numbers.push(node),
                _ if costs[index] => columns.push(node),
                _ => {}
            }
        }
        (numbers, columns)
    }

    /// Stages that compute numbers and columns; afterwards these are known.
    pub(super) fn stages(&mut self, numbers: &[Node], columns: &[Node]) -> Vec<Stage> {
        let outputs: Vec<Node> = numbers.iter().chain(columns).copied().collect();
        let needed = self.needed(&outputs);
        let operations = &self.builder.operations;
        let mut level = vec![0_usize; operations.len()];
        let mut last = 0;
        for (index, operation) in operations.iter().enumerate() {
            if !needed[index] || self.known.contains_key(&Node(index as u32)) {
                continue;
            }
            let highest = operation.operands().map(|operand| level[operand.index()]);
            level[index] = highest.max().unwrap_or(0) + usize::from(is_boundary(operation));
            last = last.max(level[index]);
        }
        let mut stages = Vec::new();
        for stage in 0..=last {
            let boundaries: Vec<Node> = (0..operations.len())
                .filter(|&index| {
                    needed[index]
                        && is_boundary(&operations[index])
                        && level[index] == stage + 1
                        && !self.known.contains_key(&Node(index as u32))
                })
                .map(|index| Node(index as u32))
                .collect();
            let at = |node: &&Node| level[node.index()] == stage;
            let columns: Vec<Node> = columns.iter().filter(at).copied().collect();
            let numbers: Vec<Node> = numbers.iter().filter(at).copied().collect();
            stages.push(self.stage(&boundaries, &numbers, &columns));
        }
        stages
    }

    fn stage(&mut self, boundaries: &[Node], numbers: &[Node], columns: &[Node]) -> Stage {
        let operations = &self.builder.operations;
        let (mut reduced, mut kept) = (Vec::new(), Vec::new());
        for &node in boundaries {
            match operations[node.index()] {
                Operation::Reduce(reduction, column) => reduced.push((node, reduction, column)),
                Operation::RunningSum(running, column) => kept.push((node, Some(running), column)),
                _ => {}
            }
        }
        kept.extend(columns.iter().map(|&column| (column, None, column)));
        let columns: Vec<Node> = reduced.iter().map(|(.., column)| *column).collect();
        let kept_columns: Vec<Node> = kept.iter().map(|(.., column)| *column).collect();
        let factors = self.factors(&reduced, &[&columns[..], &kept_columns].concat());
        let mut pass_outputs: Vec<Node> = Vec::new();
        for (column, factors) in columns.iter().zip(&factors) {
            match factors {
                Some(factors) => pass_outputs.extend(factors),
                None => pass_outputs.push(*column),
            }
        }
        pass_outputs.extend(kept_columns);

        // Numbers that the pass uses, and those that are asked for.
        let mut point_outputs: Vec<Node> = numbers.to_vec();
        let in_pass = self.needed(&pass_outputs);
        let mut is_used = vec![false; operations.len()];
        for output in &pass_outputs {
            is_used[output.index()] |= !self.builder.is_column(*output);
        }
        for (index, operation) in operations.iter().enumerate() {
            let node = Node(index as u32);
            let computed = in_pass[index] && !self.known.contains_key(&node);
            if computed && self.builder.is_column(node) {
                for operand in operation.operands() {
                    is_used[operand.index()] |= !self.builder.is_column(operand);
                }
            }
        }
        for (index, operation) in operations.iter().enumerate() {
            let node = Node(index as u32);
            let is_constant = matches!(operation, Operation::Constant(_));
            if is_used[index] && !is_constant && !self.known.contains_key(&node) {
                point_outputs.push(node);
            }
        }
        point_outputs.retain(|node| !self.known.contains_key(node));
        point_outputs.sort_unstable();
        point_outputs.dedup();
        let number = |node: Node| match self.known.get(&node) {
            Some(Known::Number(number)) => Some(Place::Variable(*number as u32)),
            _ => None,
        };
        let point = Program::of_numbers(operations, &point_outputs, &number);
        let point_to = point_outputs
            .iter()
            .map(|&node| self.number(node))
            .collect();
        let place = |node: Node| match self.known.get(&node) {
            Some(Known::Number(number)) => Some(Place::Number(*number as u32)),
            Some(Known::Buffer(buffer)) => Some(Place::Variable(*buffer as u32)),
            None => None,
        };
        let pass = Program::pass(operations, &pass_outputs, &place);
        let reductions = reduced
            .into_iter()
            .zip(factors)
            .map(|((node, reduction, _), factors)| Reduced {
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
                self.known.insert(node, Known::Buffer(buffer));
                Kept { buffer, running }
            })
            .collect();
        Stage {
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
        reduced: &[(Node, Reduction, Node)],
        outputs: &[Node],
    ) -> Vec<Option<[Node; 2]>> {
        let operations = &self.builder.operations;
        let needed = self.needed(outputs);
        let mut uses = vec![0_usize; operations.len()];
        for output in outputs {
            uses[output.index()] += 1;
        }
        for (index, operation) in operations.iter().enumerate() {
            if needed[index] && !self.known.contains_key(&Node(index as u32)) {
                for operand in operation.operands() {
                    uses[operand.index()] += 1;
                }
            }
        }
        let factors = |&(_, reduction, column): &(Node, Reduction, Node)| {
            if reduction != Reduction::Sum
                || uses[column.index()] > 1
                || self.known.contains_key(&column)
            {
                return None;
            }
            let pair = match operations[column.index()] {
                Operation::Unary(Unary::Square, a) => [a, a],
                Operation::Binary(Binary::Mul, a, b) => [a, b],
                _ => return None,
            };
            pair.iter()
                .all(|&factor| self.builder.is_column(factor))
                .then_some(pair)
        };
        reduced.iter().map(factors).collect()
    }

    /// The number that a node is, a new one where it is not known.
    fn number(&mut self, node: Node) -> usize {
        if let Some(Known::Number(number)) = self.known.get(&node) {
            return *number;
        }
        self.numbers += 1;
        self.known.insert(node, Known::Number(self.numbers - 1));
        self.numbers - 1
    }

    /// Where a number that was asked for is.
    pub(super) fn number_of(&self, node: Node) -> Option<usize> {
        match self.known.get(&node) {
            Some(Known::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Where a column that was asked for is.
    pub(super) fn buffer_of(&self, node: Node) -> Option<usize> {
        match self.known.get(&node) {
            Some(Known::Buffer(buffer)) => Some(*buffer),
            _ => None,
        }
    }

    /// By operation, whether the outputs need it; what is known is not looked through.
    fn needed(&self, outputs: &[Node]) -> Vec<bool> {
        let operations = &self.builder.operations;
        let mut needed = vec![false; operations.len()];
        for output in outputs {
            needed[output.index()] = true;
        }
        for (index, operation) in operations.iter().enumerate().rev() {
            if needed[index] && !self.known.contains_key(&Node(index as u32)) {
                for operand in operation.operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        needed
    }
}

/// Whether an operation needs all rows of its operand.
fn is_boundary(operation: &Operation) -> bool {
    matches!(operation, Operation::Reduce(..) | Operation::RunningSum(..))
}

/// Whether an operation costs less than reading its result from memory.
fn is_cheap(operation: &Operation) -> bool {
    match operation {
        Operation::Constant(_) | Operation::Variable(_) => true,
        Operation::Unary(op, _) => matches!(op, Unary::Neg | Unary::Square | Unary::Abs),
        Operation::Binary(op, ..) => matches!(op, Binary::Add | Binary::Sub | Binary::Mul),
        _ => false,
    }
}
