//! Straight-line code over registers, for one point and for blocks of points.

use super::batch::BatchProgram;
use super::builder::{NodeOperation, ProgramBuilder, ProgramNode};
use super::code::{Instruction, OperandPlace, OperationCode};
use super::joined::{self, InstructionFusion};
use super::single::PointProgram;
use crate::vector::{self, LaneOperand, Unary};

/// Points of one pass over a program: a register of a pass takes 1 KiB, so that a few dozen stay in the first-level cache.
pub const LANES: usize = 128;

/// A register of a pass, at the start of a cache line: a vector of 512 bits that crosses lines takes two accesses.
#[derive(Debug)]
#[repr(align(64))]
struct BlockRegister([f64; LANES]);

/// Code that computes some outputs from variables; see [`ProgramBuilder::finish`].
#[derive(Debug, Clone)]
pub struct EvaluationProgram {
    instructions: Vec<Instruction>,
    outputs: Vec<OperandPlace>,
    registers: usize,
    variables: usize,
    single: PointProgram,
    /// Takes the place of `single` where many operations are alike.
    batches: Option<Box<BatchProgram>>,
}

impl ProgramBuilder {
    /// The program that computes the outputs, in this order, for points and blocks of them.
    ///
    /// # Panics
    /// When an output depends on a column: [`super::StagedProgram`] computes those.
    pub fn finish(&self, outputs: &[ProgramNode]) -> EvaluationProgram {
        let mut program = EvaluationProgram::pass(&self.operations, outputs, &|_| None);
        program.batches =
            BatchProgram::new(&self.operations, outputs, program.variables).map(Box::new);
        if program.batches.is_none() {
            program.single = program.single();
        }
        program
    }
}

/// By operation, whether an output needs its value, and how often the value is used.
struct OperationUses {
    needed: Vec<bool>,
    uses: Vec<u32>,
}

/// The uses of the operations under some outputs, down to those whose value is found elsewhere.
fn count_uses(
    operations: &[NodeOperation],
    outputs: &[ProgramNode],
    leaf: &dyn Fn(ProgramNode) -> Option<OperandPlace>,
) -> OperationUses {
    let mut uses = vec![0_u32; operations.len()];
    let mut needed = vec![false; operations.len()];
    for output in outputs {
        needed[output.index()] = true;
        uses[output.index()] += 1; // outputs keep theirs to the end
    }
    for index in (0..operations.len()).rev() {
        if needed[index] && leaf(ProgramNode(index as u32)).is_none() {
            for operand in operations[index].operands() {
                needed[operand.index()] = true;
                uses[operand.index()] += 1;
            }
        }
    }
    OperationUses { needed, uses }
}

impl EvaluationProgram {
    /// The program for points, with leaves as in [`EvaluationProgram::pass`].
    pub(super) fn of_numbers(
        operations: &[NodeOperation],
        outputs: &[ProgramNode],
        leaf: &dyn Fn(ProgramNode) -> Option<OperandPlace>,
    ) -> Self {
        let mut program = Self::pass(operations, outputs, leaf);
        program.single = program.single();
        program
    }

    /// The program for blocks of points alone.
    ///
    /// Retains the values that the outputs need, in order, and assigns each a register until its last use; `leaf` is where the value
    /// of a node is found that is not to be computed.
    pub(super) fn pass(
        operations: &[NodeOperation],
        outputs: &[ProgramNode],
        leaf: &dyn Fn(ProgramNode) -> Option<OperandPlace>,
    ) -> Self {
        let OperationUses { needed, mut uses } = count_uses(operations, outputs, leaf);
        let is_computed = |index: usize| needed[index] && leaf(ProgramNode(index as u32)).is_none();
        let is_computed: Vec<bool> = (0..operations.len()).map(is_computed).collect();
        let parts = joined::plan_parts(operations, &uses, &is_computed);
        let mut program = Self {
            instructions: Vec::with_capacity(needed.iter().filter(|needed| **needed).count()),
            outputs: Vec::new(),
            registers: 0,
            variables: 0,
            single: PointProgram::default(),
            batches: None,
        };
        let mut places = vec![OperandPlace::Constant(0.0); operations.len()];
        let mut free: Vec<u32> = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            if !needed[index] {
                continue;
            }
            if let Some(place) = leaf(ProgramNode(index as u32)) {
                places[index] = place;
                if let OperandPlace::Variable(variable) = place {
                    program.variables = program.variables.max(variable as usize + 1);
                }
                continue;
            }
            let code = match (parts[index], *operation) {
                (InstructionFusion::Inside, _) => continue,
                (_, NodeOperation::Constant(value)) => {
                    places[index] = OperandPlace::Constant(value);
                    continue;
                }
                (_, NodeOperation::Variable(variable)) => {
                    places[index] = OperandPlace::Variable(variable);
                    program.variables = program.variables.max(variable as usize + 1);
                    continue;
                }
                (InstructionFusion::SinCos { .. }, NodeOperation::Unary(_, a)) => {
                    uses[a.index()] -= 1; // one of the two uses
                    OperationCode::Unary(Unary::Sin, a)
                }
                (InstructionFusion::Ternary(op, [a, b, c]), _) => {
                    OperationCode::Ternary(op, a, b, c)
                }
                (_, NodeOperation::Unary(op, a)) => OperationCode::Unary(op, a),
                (_, NodeOperation::Binary(op, a, b)) => OperationCode::Binary(op, a, b),
                (_, NodeOperation::Select(a, b, c)) => OperationCode::Select(a, b, c),
                (_, NodeOperation::Call1(function, a)) => OperationCode::Call1(function, a),
                (_, NodeOperation::Call2(function, a, b)) => OperationCode::Call2(function, a, b),
                (_, NodeOperation::Call3(function, a, b, c)) => {
                    OperationCode::Call3(function, a, b, c)
                }
                (_, NodeOperation::Reduce(..) | NodeOperation::RunningSum(..)) => {
                    unreachable!("a value of all rows is no operation of a program")
                }
            };
            let mut register = || {
                free.pop().unwrap_or_else(|| {
                    program.registers += 1;
                    program.registers as u32 - 1
                })
            };
            let to = register();
            let cosine = matches!(parts[index], InstructionFusion::SinCos { .. }).then(register);
            // The registers of operands are free only now, so that the results take others.
            let code = code.map(|operand| {
                let place = places[operand.index()];
                uses[operand.index()] -= 1;
                if let (0, OperandPlace::Register(register)) = (uses[operand.index()], place) {
                    free.push(register);
                }
                place
            });
            program.instructions.push(Instruction { code, to, cosine });
            match (parts[index], cosine) {
                (InstructionFusion::SinCos { sine, cosine }, Some(second)) => {
                    places[sine.index()] = OperandPlace::Register(to);
                    places[cosine.index()] = OperandPlace::Register(second);
                }
                _ => places[index] = OperandPlace::Register(to),
            }
        }
        program.outputs = outputs.iter().map(|node| places[node.index()]).collect();
        program
    }

    fn single(&self) -> PointProgram {
        PointProgram::new(
            &self.instructions,
            &self.outputs,
            self.registers,
            self.variables,
        )
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Number of instructions: what one evaluation costs.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Whether nothing is computed: every output is a variable or a constant.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    /// Number of batches in which one evaluation runs; `None` where it runs operation by operation.
    #[cfg(test)]
    pub(super) fn batches(&self) -> Option<usize> {
        self.batches.as_deref().map(BatchProgram::len)
    }

    /// One more than the highest variable that is used.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// An evaluator with registers of its own; make one per thread.
    pub fn evaluator(&self) -> ProgramEvaluator<'_> {
        let batches = self.batches.as_deref();
        ProgramEvaluator {
            program: self,
            values: batches
                .map_or(&self.single.values, |batches| &batches.values)
                .clone(),
            wide: Vec::new(),
            lanes: Vec::new(),
        }
    }
}

/// Runs one program; evaluation does not allocate after the first block.
#[derive(Debug)]
pub struct ProgramEvaluator<'p> {
    program: &'p EvaluationProgram,
    values: Vec<f64>,
    /// The same list for a few points at once.
    wide: Vec<f64>,
    /// The registers, and two to write the next results into.
    #[expect(clippy::vec_box, reason = "a result and its register change places")]
    lanes: Vec<Box<BlockRegister>>,
}

impl ProgramEvaluator<'_> {
    /// The outputs at one point: `variables[i]` is variable `i`; a shorter `out` takes the first outputs.
    ///
    /// # Panics
    /// When `variables` is shorter than [`EvaluationProgram::variables`].
    pub fn point(&mut self, variables: &[f64], out: &mut [f64]) {
        self.point_of([variables], out);
    }

    /// As [`ProgramEvaluator::point`], with the variables in parts that follow each other.
    ///
    /// # Panics
    /// As [`ProgramEvaluator::point`].
    pub fn point_of<const PARTS: usize>(&mut self, variables: [&[f64]; PARTS], out: &mut [f64]) {
        let EvaluationProgram {
            single,
            registers,
            variables: count,
            batches,
            ..
        } = self.program;
        let first = if batches.is_some() { 0 } else { *registers };
        let mut places = &mut self.values[first..first + count];
        for part in variables {
            let given = part.len().min(places.len());
            let (here, after) = places.split_at_mut(given);
            vector::copy_numbers(part, here);
            places = after;
        }
        assert!(places.is_empty(), "a value for each variable");
        let values = &mut self.values[..];
        if let Some(batches) = batches {
            return batches.run(values, out);
        }
        single.run(values.as_chunks_mut::<1>().0);
        for (out, &index) in out.iter_mut().zip(&single.outputs) {
            *out = values[index as usize];
        }
    }

    /// The outputs at a few points, in less time than one after the other; the same bits as [`ProgramEvaluator::point_of`].
    ///
    /// # Panics
    /// As [`ProgramEvaluator::point`].
    pub fn points_of<const POINTS: usize, const PARTS: usize>(
        &mut self,
        variables: [[&[f64]; PARTS]; POINTS],
        mut out: [&mut [f64]; POINTS],
    ) {
        let EvaluationProgram {
            single,
            registers,
            variables: count,
            batches,
            ..
        } = self.program;
        if batches.is_some() {
            for (variables, out) in variables.into_iter().zip(out) {
                self.point_of(variables, out);
            }
            return;
        }
        if self.wide.len() != POINTS * self.values.len() {
            let values = self.values.iter();
            self.wide = values.flat_map(|&value| [value; POINTS]).collect();
        }
        let (places, _) = self.wide.as_chunks_mut::<POINTS>();
        for (point, parts) in variables.into_iter().enumerate() {
            let mut places = places[*registers..registers + count].iter_mut();
            for (value, place) in parts.into_iter().flatten().zip(places.by_ref()) {
                place[point] = *value;
            }
            assert!(places.next().is_none(), "a value for each variable");
        }
        single.run(places);
        for (row, &index) in single.outputs.iter().enumerate() {
            let values = places[index as usize];
            for (out, value) in out.iter_mut().zip(values) {
                out[row] = value;
            }
        }
    }

    /// The only output at one point.
    ///
    /// # Panics
    /// As [`ProgramEvaluator::point`].
    pub fn value(&mut self, variables: &[f64]) -> f64 {
        let mut out = [f64::NAN];
        self.point(variables, &mut out);
        out[0]
    }

    /// The outputs at many points: `variables[i][k]` is variable `i` at point `k`, `out[j][k]` output `j` there; the same bits as
    /// [`ProgramEvaluator::point`], point by point.
    ///
    /// # Panics
    /// When a variable that is used is missing or shorter than the outputs, or the outputs differ in length.
    pub fn block(&mut self, variables: &[&[f64]], out: &mut [&mut [f64]]) {
        let Some(points) = out.first().map(|first| first.len()) else {
            return;
        };
        for first in (0..points).step_by(LANES) {
            let count = LANES.min(points - first);
            self.pass(variables, &[], first, count);
            for (index, out) in out.iter_mut().enumerate() {
                let out = &mut out[first..first + count];
                match self.output(index, variables, &[], first, count) {
                    LaneOperand::Many(lanes) => out.copy_from_slice(lanes),
                    LaneOperand::One(value) => out.fill(value),
                }
            }
        }
    }

    /// An output after a pass over these points.
    pub(super) fn output<'a>(
        &'a self,
        index: usize,
        variables: &[&'a [f64]],
        numbers: &[f64],
        first: usize,
        count: usize,
    ) -> LaneOperand<'a> {
        match self.program.outputs[index] {
            OperandPlace::Register(register) => {
                LaneOperand::Many(&self.lanes[register as usize].0[..count])
            }
            OperandPlace::Variable(variable) => {
                LaneOperand::Many(&variables[variable as usize][first..first + count])
            }
            OperandPlace::Number(number) => LaneOperand::One(numbers[number as usize]),
            OperandPlace::Constant(value) => LaneOperand::One(value),
        }
    }

    /// Computes the registers at up to [`LANES`] points.
    pub(super) fn pass(
        &mut self,
        variables: &[&[f64]],
        numbers: &[f64],
        first: usize,
        count: usize,
    ) {
        self.lanes.resize_with(self.program.registers + 2, || {
            Box::new(BlockRegister([0.0; LANES]))
        });
        let [lanes @ .., spare, second] = &mut self.lanes[..] else {
            return;
        };
        for instruction in &self.program.instructions {
            let out = &mut spare.0[..count];
            let at = |place: OperandPlace| match place {
                OperandPlace::Register(register) => {
                    LaneOperand::Many(&lanes[register as usize].0[..count])
                }
                OperandPlace::Variable(variable) => {
                    LaneOperand::Many(&variables[variable as usize][first..first + count])
                }
                OperandPlace::Number(number) => LaneOperand::One(numbers[number as usize]),
                OperandPlace::Constant(value) => LaneOperand::One(value),
            };
            match (instruction.code.map(at), instruction.cosine) {
                (OperationCode::Unary(_, a), Some(cosine)) => {
                    let cosines = &mut second.0[..count];
                    match a {
                        LaneOperand::Many(a) => vector::sin_cos_block(a, out, cosines),
                        LaneOperand::One(a) => {
                            let (sine, cosine) = vector::sin_cos(a);
                            out.fill(sine);
                            cosines.fill(cosine);
                        }
                    }
                    std::mem::swap(second, &mut lanes[cosine as usize]);
                }
                (code, _) => code.run(out),
            }
            std::mem::swap(spare, &mut lanes[instruction.to as usize]);
        }
    }
}
