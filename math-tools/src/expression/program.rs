//! The flat program of an expression, and its evaluation for one point or for blocks of points.
//!
//! One instruction per node, on a stack whose height is known when the program is compiled. A block runs each instruction
//! over [`LANES`] lanes before the next; every lane sees the same operations as a single evaluation, hence the same bits.

use super::ast::{Ast, Kind};
use super::functions::{Binary, Unary, select};

/// Lanes of one pass of [`Evaluator::eval_block`]; longer blocks take several passes.
pub const LANES: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Instruction {
    Constant(f64),
    Slot(usize),
    Unary(Unary),
    Binary(Binary),
    Select,
}

/// Instructions in the order of the tree, with constant subtrees computed.
#[derive(Debug, Clone)]
pub(super) struct Program {
    instructions: Vec<Instruction>,
    /// Greatest number of values on the stack.
    height: usize,
}

impl Program {
    /// Compiles a tree: a linear pass.
    pub(super) fn compile(ast: &Ast) -> Self {
        let mut program = Self {
            instructions: Vec::with_capacity(ast.nodes().len()),
            height: 0,
        };
        let mut height = 0;
        for node in ast.nodes() {
            height = height + 1 - node.kind.arity();
            program.height = program.height.max(height);
            match &node.kind {
                Kind::Number { value, .. } => program.push(Instruction::Constant(*value)),
                Kind::Slot(slot) => program.push(Instruction::Slot(*slot)),
                Kind::Unary(op) => program.unary(*op),
                Kind::Binary(op) => program.binary(*op),
                Kind::Select => program.push(Instruction::Select),
            }
        }
        program
    }

    fn push(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }

    fn unary(&mut self, op: Unary) {
        match self.instructions.last_mut() {
            Some(Instruction::Constant(x)) => *x = op.function()(*x),
            _ => self.push(Instruction::Unary(op)),
        }
    }

    fn binary(&mut self, op: Binary) {
        match *self.instructions.as_slice() {
            [.., Instruction::Constant(a), Instruction::Constant(b)] => {
                self.instructions.pop();
                self.instructions.pop();
                self.push(Instruction::Constant(op.function()(a, b)));
            }
            // x * x is correctly rounded and several times faster than a general power.
            [.., Instruction::Constant(2.0)] if op == Binary::Pow => {
                self.instructions.pop();
                self.push(Instruction::Unary(Unary::Square));
            }
            _ => self.push(Instruction::Binary(op)),
        }
    }
}

/// Evaluates one program; owns the scratch stack, so that evaluation never allocates.
#[derive(Debug)]
pub struct Evaluator<'a> {
    program: &'a Program,
    stack: Vec<f64>,
    block: Vec<[f64; LANES]>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        Self {
            program,
            stack: vec![0.0; program.height],
            block: Vec::with_capacity(program.height),
        }
    }

    /// The value at one point: `slots[i]` is the variable of slot `i`. NaN and infinities are possible; the caller decides.
    ///
    /// # Panics
    /// When `slots` is shorter than the highest slot the expression uses.
    pub fn eval(&mut self, slots: &[f64]) -> f64 {
        let stack = &mut self.stack[..];
        let mut top = 0; // values on the stack
        for instruction in &self.program.instructions {
            match *instruction {
                Instruction::Constant(value) => {
                    stack[top] = value;
                    top += 1;
                }
                Instruction::Slot(slot) => {
                    stack[top] = slots[slot];
                    top += 1;
                }
                Instruction::Unary(op) => stack[top - 1] = unary(op, stack[top - 1]),
                Instruction::Binary(op) => {
                    top -= 1;
                    stack[top - 1] = binary(op, stack[top - 1], stack[top]);
                }
                Instruction::Select => {
                    top -= 2;
                    stack[top - 1] = select(stack[top - 1], stack[top], stack[top + 1]);
                }
            }
        }
        stack[0]
    }

    /// The values at many points: `slots[i][lane]` is the variable of slot `i` at point `lane`, `out[lane]` its value; the same
    /// bits as [`Evaluator::eval`] point by point.
    ///
    /// # Panics
    /// When `slots` is shorter than the highest slot the expression uses, or such a slot shorter than `out`.
    pub fn eval_block(&mut self, slots: &[&[f64]], out: &mut [f64]) {
        self.block.resize(self.program.height, [0.0; LANES]);
        for (pass, out) in out.chunks_mut(LANES).enumerate() {
            self.pass(slots, pass * LANES, out);
        }
    }

    fn pass(&mut self, slots: &[&[f64]], first: usize, out: &mut [f64]) {
        let lanes = out.len();
        let stack = &mut self.block[..];
        let mut top = 0;
        for instruction in &self.program.instructions {
            match *instruction {
                Instruction::Constant(value) => {
                    stack[top][..lanes].fill(value);
                    top += 1;
                }
                Instruction::Slot(slot) => {
                    stack[top][..lanes].copy_from_slice(&slots[slot][first..first + lanes]);
                    top += 1;
                }
                Instruction::Unary(op) => unary_lanes(op, &mut stack[top - 1][..lanes]),
                Instruction::Binary(op) => {
                    top -= 1;
                    let (below, above) = stack.split_at_mut(top);
                    binary_lanes(op, &mut below[top - 1][..lanes], &above[0][..lanes]);
                }
                Instruction::Select => {
                    top -= 2;
                    let (below, above) = stack.split_at_mut(top);
                    let (then, otherwise) = (&above[0][..lanes], &above[1][..lanes]);
                    for (lane, value) in below[top - 1][..lanes].iter_mut().enumerate() {
                        *value = select(*value, then[lane], otherwise[lane]);
                    }
                }
            }
        }
        out.copy_from_slice(&stack[0][..lanes]);
    }
}

/// One operation; the cheap ones are spelled out because a call costs more than they do.
#[inline]
fn unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Neg => -x,
        Unary::Square => x * x,
        _ => op.function()(x),
    }
}

#[inline]
fn binary(op: Binary, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        _ => op.function()(a, b),
    }
}

fn unary_lanes(op: Unary, lanes: &mut [f64]) {
    fn each(lanes: &mut [f64], f: impl Fn(f64) -> f64) {
        for lane in lanes {
            *lane = f(*lane);
        }
    }
    match op {
        Unary::Neg => each(lanes, |x| -x),
        Unary::Square => each(lanes, |x| x * x),
        Unary::Abs => each(lanes, f64::abs),
        Unary::Sqrt => each(lanes, f64::sqrt),
        _ => each(lanes, op.function()),
    }
}

fn binary_lanes(op: Binary, lanes: &mut [f64], right: &[f64]) {
    fn each(lanes: &mut [f64], right: &[f64], f: impl Fn(f64, f64) -> f64) {
        for (lane, &right) in lanes.iter_mut().zip(right) {
            *lane = f(*lane, right);
        }
    }
    match op {
        Binary::Add => each(lanes, right, |a, b| a + b),
        Binary::Sub => each(lanes, right, |a, b| a - b),
        Binary::Mul => each(lanes, right, |a, b| a * b),
        Binary::Div => each(lanes, right, |a, b| a / b),
        _ => each(lanes, right, op.function()),
    }
}
