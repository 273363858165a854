//! [`BatchFormer`], which gives every value its place and forms batches of operations whose operands lie well.

use super::super::builder::{NodeOperation, ProgramNode};
use super::super::code::OperationCode;
use super::{BatchProgram, OperandPlaces, OperationBatch};

/// Consecutive operands from which on a batch of their own saves more than it costs.
const LONG: usize = 24;

/// An operand while batches are formed.
#[derive(Debug, Clone, Copy)]
enum BatchOperand {
    Value(u32),
    Constant(f64),
}

/// Forms the batches. Until it finishes, constants have the places after the results.
pub(super) struct BatchFormer<'o> {
    operations: &'o [NodeOperation],
    variables: usize,
    results: usize,
    /// By operation, where its value is.
    sources: Vec<BatchOperand>,
    constants: Vec<f64>,
    batches: Vec<OperationBatch>,
    gathered: Vec<u32>,
    next: u32,
}

impl<'o> BatchFormer<'o> {
    /// Before the first batch; `results` is how many operations there will be in all.
    pub(super) fn new(operations: &'o [NodeOperation], variables: usize, results: usize) -> Self {
        let source = |operation: &NodeOperation| match *operation {
            NodeOperation::Constant(value) => BatchOperand::Constant(value),
            NodeOperation::Variable(variable) => BatchOperand::Value(variable),
            _ => BatchOperand::Value(0), // until its batch is formed
        };
        Self {
            operations,
            variables,
            results,
            sources: operations.iter().map(source).collect(),
            constants: Vec::new(),
            batches: Vec::new(),
            gathered: Vec::new(),
            next: variables as u32,
        }
    }

    /// Number of batches so far.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// Adds operations of one function, none of which needs another.
    pub(super) fn group(&mut self, group: &[(u64, u32)]) {
        let operations = self.operations;
        let operands: Vec<[BatchOperand; 3]> = group
            .iter()
            .map(|&(_, index)| {
                let mut three = [BatchOperand::Constant(0.0); 3];
                let operands = operations[index as usize].operands();
                for (place, operand) in three.iter_mut().zip(operands) {
                    *place = self.sources[operand.index()];
                }
                three
            })
            .collect();
        let operation = &operations[group[0].1 as usize];
        let (mut first, mut start) = (0, 0);
        while start < group.len() {
            let end = start + batch_length(&operands[start..]);
            if end - start >= LONG {
                self.batch(operation, &operands[first..start]);
                self.batch(operation, &operands[start..end]);
                first = end;
            }
            start = end;
        }
        self.batch(operation, &operands[first..]);
        for (&(_, index), place) in group.iter().zip(self.next - group.len() as u32..) {
            self.sources[index as usize] = BatchOperand::Value(place);
        }
    }

    fn batch(&mut self, operation: &NodeOperation, operands: &[[BatchOperand; 3]]) {
        if operands.is_empty() {
            return;
        }
        let mut operand = 0;
        let mut place = || {
            operand += 1;
            self.operands(operands.iter().map(|three| three[operand - 1]))
        };
        let code = match *operation {
            NodeOperation::Unary(op, _) => OperationCode::Unary(op, place()),
            NodeOperation::Binary(op, ..) => OperationCode::Binary(op, place(), place()),
            NodeOperation::Select(..) => OperationCode::Select(place(), place(), place()),
            NodeOperation::Call1(function, _) => OperationCode::Call1(function, place()),
            NodeOperation::Call2(function, ..) => OperationCode::Call2(function, place(), place()),
            NodeOperation::Call3(function, ..) => {
                OperationCode::Call3(function, place(), place(), place())
            }
            NodeOperation::Constant(_)
            | NodeOperation::Variable(_)
            | NodeOperation::Reduce(..)
            | NodeOperation::RunningSum(..) => {
                unreachable!("no operation of a program for one point")
            }
        };
        let (to, count) = (self.next, operands.len() as u32);
        self.batches.push(OperationBatch { code, to, count });
        self.next += count;
    }

    /// Where one operand of every operation of a batch is.
    fn operands(&mut self, sources: impl Iterator<Item = BatchOperand> + Clone) -> OperandPlaces {
        let count = sources.clone().count() as u32;
        let alike = |step: u32| {
            let mut pairs = sources.clone().zip(sources.clone().skip(1));
            pairs.all(|(a, b)| is_successor(a, b, step))
        };
        let first = sources.clone().next();
        let constants = (self.variables + self.results + self.constants.len()) as u32;
        match first {
            Some(BatchOperand::Value(place)) if alike(0) => OperandPlaces::Same(place),
            Some(BatchOperand::Value(place)) if alike(1) => OperandPlaces::Consecutive(place),
            Some(BatchOperand::Constant(value)) if alike(0) => {
                self.constants.push(value);
                OperandPlaces::Same(constants)
            }
            _ => {
                let places = sources.map(|source| match source {
                    BatchOperand::Value(place) => place,
                    BatchOperand::Constant(value) => {
                        self.constants.push(value);
                        (self.variables + self.results + self.constants.len() - 1) as u32
                    }
                });
                let start = self.gathered.len() as u32;
                self.gathered.extend(places);
                let last = self.gathered.last().copied().unwrap_or(0);
                // Constants that differ were laid down one after the other.
                if self.gathered[start as usize] == constants && last + 1 == constants + count {
                    self.gathered.truncate(start as usize);
                    return OperandPlaces::Consecutive(constants);
                }
                OperandPlaces::Gathered(start)
            }
        }
    }

    /// The batches, and where the outputs are.
    pub(super) fn finish(mut self, outputs: &[ProgramNode]) -> BatchProgram {
        let mut places = Vec::with_capacity(outputs.len());
        for output in outputs {
            places.push(match self.sources[output.index()] {
                BatchOperand::Value(place) => place,
                BatchOperand::Constant(value) => {
                    self.constants.push(value);
                    (self.variables + self.results + self.constants.len() - 1) as u32
                }
            });
        }
        let (variables, results) = (self.variables as u32, self.results as u32);
        let constants = self.constants.len() as u32;
        let moved = |place: u32| match place {
            _ if place < variables => place,
            _ if place < variables + results => place + constants,
            _ => place - results,
        };
        for batch in &mut self.batches {
            batch.to = moved(batch.to);
            batch.code = batch.code.map(|operands| match operands {
                OperandPlaces::Same(place) => OperandPlaces::Same(moved(place)),
                OperandPlaces::Consecutive(place) => OperandPlaces::Consecutive(moved(place)),
                OperandPlaces::Gathered(start) => OperandPlaces::Gathered(start),
            });
        }
        for place in self.gathered.iter_mut().chain(&mut places) {
            *place = moved(*place);
        }
        let stretches = places.chunk_by(|a, b| *b == a + 1);
        let outputs = stretches.map(|stretch| (stretch[0], stretch.len() as u32));
        let mut values = vec![0.0; self.variables];
        values.extend(&self.constants);
        values.resize(values.len() + self.results, 0.0);
        BatchProgram {
            values,
            batches: self.batches,
            gathered: self.gathered,
            outputs: outputs.collect(),
        }
    }
}

/// How many of the operations at the start have operands that stay or follow each other, each in the same way.
fn batch_length(operands: &[[BatchOperand; 3]]) -> usize {
    let Some(second) = operands.get(1) else {
        return operands.len();
    };
    let is_constant = |source| matches!(source, BatchOperand::Constant(_));
    let steps = [0, 1, 2].map(|place| {
        let (a, b) = (operands[0][place], second[place]);
        // Constants may be any: they are laid down in the order of the operations.
        let stays = is_constant(a) && is_constant(b) || is_successor(a, b, 0);
        if stays { 0 } else { 1 }
    });
    let goes_on = |pair: &[[BatchOperand; 3]]| {
        (0..3).all(|place| {
            let (a, b) = (pair[0][place], pair[1][place]);
            is_constant(a) && is_constant(b) || is_successor(a, b, steps[place])
        })
    };
    1 + operands.windows(2).take_while(|pair| goes_on(pair)).count()
}

/// Whether an operand is so many places after another; a constant, whether it is the same number.
fn is_successor(a: BatchOperand, b: BatchOperand, step: u32) -> bool {
    match (a, b) {
        (BatchOperand::Value(a), BatchOperand::Value(b)) => b == a.wrapping_add(step),
        (BatchOperand::Constant(a), BatchOperand::Constant(b)) => {
            step == 0 && a.to_bits() == b.to_bits()
        }
        _ => false,
    }
}
