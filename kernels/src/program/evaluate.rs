//! Straight-line code over registers, for one point and for blocks of points.

use super::batch::Batches;
use super::builder::{Builder, Node, Operation};
use super::code::{Code, Instruction, Place};
use super::joined::{self, Part};
use super::single::Single;
use crate::vector::{self, Lanes, Unary};

/// Points of one pass over a program: a register of a pass takes 1 KiB, so that a few dozen stay in the first-level cache.
pub const LANES: usize = 128;

/// A register of a pass, at the start of a cache line: a vector of 512 bits that crosses lines takes two accesses.
#[derive(Debug)]
#[repr(align(64))]
struct Register([f64; LANES]);

/// Code that computes some outputs from variables; see [`Builder::finish`].
#[derive(Debug, Clone)]
pub struct Program {
    instructions: Vec<Instruction>,
    outputs: Vec<Place>,
    registers: usize,
    variables: usize,
    single: Single,
    /// Takes the place of `single` where many operations are alike.
    batches: Option<Box<Batches>>,
}

impl Builder {
    /// The program that computes the outputs, in this order, for points and blocks of them.
    ///
    /// # Panics
    /// When an output depends on a column: [`super::Staged`] computes those.
    pub fn finish(&self, outputs: &[Node]) -> Program {
        let mut program = Program::pass(&self.operations, outputs, &|_| None);
        program.batches = Batches::new(&self.operations, outputs, program.variables).map(Box::new);
        if program.batches.is_none() {
            program.single = program.single();
        }
        program
    }
}

impl Program {
    /// The program for points, with leaves as in [`Program::pass`].
    pub(super) fn of_numbers(
        operations: &[Operation],
        outputs: &[Node],
        leaf: &dyn Fn(Node) -> Option<Place>,
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
        operations: &[Operation],
        outputs: &[Node],
        leaf: &dyn Fn(Node) -> Option<Place>,
    ) -> Self {
        let mut uses = vec![0_u32; operations.len()];
        let mut needed = vec![false; operations.len()];
        for output in outputs {
            needed[output.index()] = true;
            uses[output.index()] += 1; // outputs keep theirs to the end
        }
        for index in (0..operations.len()).rev() {
            if needed[index] && leaf(Node(index as u32)).is_none() {
                for operand in operations[index].operands() {
                    needed[operand.index()] = true;
                    uses[operand.index()] += 1;
                }
            }
        }
        let is_computed = |index: usize| needed[index] && leaf(Node(index as u32)).is_none();
        let is_computed: Vec<bool> = (0..operations.len()).map(is_computed).collect();
        let parts = joined::parts(operations, &uses, &is_computed);
        let mut program = Self {
            instructions: Vec::with_capacity(needed.iter().filter(|needed| **needed).count()),
            outputs: Vec::new(),
            registers: 0,
            variables: 0,
            single: Single::default(),
            batches: None,
        };
        let mut places = vec![Place::Constant(0.0); operations.len()];
        let mut free: Vec<u32> = Vec::new();
        for (index, operation) in operations.iter().enumerate() {
            if !needed[index] {
                continue;
            }
            if let Some(place) = leaf(Node(index as u32)) {
                places[index] = place;
                if let Place::Variable(variable) = place {
                    program.variables = program.variables.max(variable as usize + 1);
                }
                continue;
            }
            let code = match (parts[index], *operation) {
                (Part::Inside, _) => continue,
                (_, Operation::Constant(value)) => {
                    places[index] = Place::Constant(value);
                    continue;
                }
                (_, Operation::Variable(variable)) => {
                    places[index] = Place::Variable(variable);
                    program.variables = program.variables.max(variable as usize + 1);
                    continue;
                }
                (Part::SinCos { .. }, Operation::Unary(_, a)) => {
                    uses[a.index()] -= 1; // one of the two uses
                    Code::Unary(Unary::Sin, a)
                }
                (Part::Ternary(op, [a, b, c]), _) => Code::Ternary(op, a, b, c),
                (_, Operation::Unary(op, a)) => Code::Unary(op, a),
                (_, Operation::Binary(op, a, b)) => Code::Binary(op, a, b),
                (_, Operation::Select(a, b, c)) => Code::Select(a, b, c),
                (_, Operation::Call1(function, a)) => Code::Call1(function, a),
                (_, Operation::Call2(function, a, b)) => Code::Call2(function, a, b),
                (_, Operation::Call3(function, a, b, c)) => Code::Call3(function, a, b, c),
                (_, Operation::Reduce(..) | Operation::RunningSum(..)) => {
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
            let cosine = matches!(parts[index], Part::SinCos { .. }).then(register);
            // The registers of operands are free only now, so that the results take others.
            let code = code.map(|operand| {
                let place = places[operand.index()];
                uses[operand.index()] -= 1;
                if let (0, Place::Register(register)) = (uses[operand.index()], place) {
                    free.push(register);
                }
                place
            });
            program.instructions.push(Instruction { code, to, cosine });
            match (parts[index], cosine) {
                (Part::SinCos { sine, cosine }, Some(second)) => {
                    places[sine.index()] = Place::Register(to);
                    places[cosine.index()] = Place::Register(second);
                }
                _ => places[index] = Place::Register(to),
            }
        }
        program.outputs = outputs.iter().map(|node| places[node.index()]).collect();
        program
    }

    fn single(&self) -> Single {
        Single::new(
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
        self.batches.as_deref().map(Batches::len)
    }

    /// One more than the highest variable that is used.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// An evaluator with registers of its own; make one per thread.
    pub fn evaluator(&self) -> Evaluator<'_> {
        let batches = self.batches.as_deref();
        Evaluator {
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
pub struct Evaluator<'p> {
    program: &'p Program,
    values: Vec<f64>,
    /// The same list for a few points at once.
    wide: Vec<f64>,
    /// The registers, and two to write the next results into.
    #[expect(clippy::vec_box, reason = "a result and its register change places")]
    lanes: Vec<Box<Register>>,
}

impl Evaluator<'_> {
    /// The outputs at one point: `variables[i]` is variable `i`; a shorter `out` takes the first outputs.
    ///
    /// # Panics
    /// When `variables` is shorter than [`Program::variables`].
    pub fn point(&mut self, variables: &[f64], out: &mut [f64]) {
        self.point_of([variables], out);
    }

    /// As [`Evaluator::point`], with the variables in parts that follow each other.
    ///
    /// # Panics
    /// As [`Evaluator::point`].
    pub fn point_of<const PARTS: usize>(&mut self, variables: [&[f64]; PARTS], out: &mut [f64]) {
        let Program {
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
            vector::copy(part, here);
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

    /// The outputs at a few points, in less time than one after the other; the same bits as [`Evaluator::point_of`].
    ///
    /// # Panics
    /// As [`Evaluator::point`].
    pub fn points_of<const POINTS: usize, const PARTS: usize>(
        &mut self,
        variables: [[&[f64]; PARTS]; POINTS],
        mut out: [&mut [f64]; POINTS],
    ) {
        let Program {
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
    /// As [`Evaluator::point`].
    pub fn value(&mut self, variables: &[f64]) -> f64 {
        let mut out = [f64::NAN];
        self.point(variables, &mut out);
        out[0]
    }

    /// The outputs at many points: `variables[i][k]` is variable `i` at point `k`, `out[j][k]` output `j` there; the same bits as
    /// [`Evaluator::point`], point by point.
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
                    Lanes::Many(lanes) => out.copy_from_slice(lanes),
                    Lanes::One(value) => out.fill(value),
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
    ) -> Lanes<'a> {
        match self.program.outputs[index] {
            Place::Register(register) => Lanes::Many(&self.lanes[register as usize].0[..count]),
            Place::Variable(variable) => {
                Lanes::Many(&variables[variable as usize][first..first + count])
            }
            Place::Number(number) => Lanes::One(numbers[number as usize]),
            Place::Constant(value) => Lanes::One(value),
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
            Box::new(Register([0.0; LANES]))
        });
        let [lanes @ .., spare, second] = &mut self.lanes[..] else {
            return;
        };
        for instruction in &self.program.instructions {
            let out = &mut spare.0[..count];
            let at = |place: Place| match place {
                Place::Register(register) => Lanes::Many(&lanes[register as usize].0[..count]),
                Place::Variable(variable) => {
                    Lanes::Many(&variables[variable as usize][first..first + count])
                }
                Place::Number(number) => Lanes::One(numbers[number as usize]),
                Place::Constant(value) => Lanes::One(value),
            };
            match (instruction.code.map(at), instruction.cosine) {
                (Code::Unary(_, a), Some(cosine)) => {
                    let cosines = &mut second.0[..count];
                    match a {
                        Lanes::Many(a) => vector::sin_cos_block(a, out, cosines),
                        Lanes::One(a) => {
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
