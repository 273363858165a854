//! [`PointProgram`]: straight-line code for one point, or a few of them side by side.

use super::code::{Instruction, OperandPlace, OperationCode};
use crate::vector::{self, Binary, Ternary, Unary};

/// The same program for one point, where every operand is an index into one list: registers, then variables, then constants.
#[derive(Debug, Clone, Default)]
pub(super) struct PointProgram {
    steps: Vec<PointStep>,
    /// The instructions that are no steps of their own.
    others: Vec<OperationCode<u32>>,
    /// Where the outputs are.
    pub(super) outputs: Vec<u32>,
    /// The list at first; only registers and variables change.
    pub(super) values: Vec<f64>,
}

/// An instruction for one point. What costs less than a call is told apart by one jump.
#[derive(Debug, Clone, Copy)]
struct PointStep {
    kind: StepKind,
    a: u32,
    b: u32,
    c: u32,
    to: u32,
}

#[derive(Debug, Clone, Copy)]
enum StepKind {
    Neg,
    Square,
    Sqrt,
    Reciprocal,
    Add,
    Sub,
    Mul,
    Div,
    MulAdd,
    MulSub,
    SubMul,
    AddMul,
    DiffMul,
    /// The cosine goes to `b`.
    SinCos,
    /// The one of index `a` among the others.
    Other,
}

impl PointProgram {
    /// Of a program whose operands are no numbers of blocks.
    pub(super) fn new(
        instructions: &[Instruction],
        outputs: &[OperandPlace],
        registers: usize,
        variables: usize,
    ) -> Self {
        let mut values = vec![0.0; registers + variables];
        let mut index = |place: OperandPlace| match place {
            OperandPlace::Register(register) => register,
            OperandPlace::Variable(variable) => registers as u32 + variable,
            // Programs with such operands run over blocks only.
            OperandPlace::Number(_) => u32::MAX,
            OperandPlace::Constant(value) => {
                values.push(value);
                values.len() as u32 - 1
            }
        };
        let mut others = Vec::new();
        let mut step = |instruction: &Instruction| {
            let code = instruction.code.map(&mut index);
            let (kind, [a, b, c]) = match (code, instruction.cosine) {
                (OperationCode::Unary(_, a), Some(cosine)) => (StepKind::SinCos, [a, cosine, a]),
                (OperationCode::Unary(Unary::Neg, a), _) => (StepKind::Neg, [a; 3]),
                (OperationCode::Unary(Unary::Square, a), _) => (StepKind::Square, [a; 3]),
                (OperationCode::Unary(Unary::Sqrt, a), _) => (StepKind::Sqrt, [a; 3]),
                (OperationCode::Unary(Unary::Reciprocal, a), _) => (StepKind::Reciprocal, [a; 3]),
                (OperationCode::Binary(Binary::Add, a, b), _) => (StepKind::Add, [a, b, b]),
                (OperationCode::Binary(Binary::Sub, a, b), _) => (StepKind::Sub, [a, b, b]),
                (OperationCode::Binary(Binary::Mul, a, b), _) => (StepKind::Mul, [a, b, b]),
                (OperationCode::Binary(Binary::Div, a, b), _) => (StepKind::Div, [a, b, b]),
                (OperationCode::Ternary(op, a, b, c), _) => {
                    let kind = match op {
                        Ternary::MulAdd => StepKind::MulAdd,
                        Ternary::MulSub => StepKind::MulSub,
                        Ternary::SubMul => StepKind::SubMul,
                        Ternary::AddMul => StepKind::AddMul,
                        Ternary::DiffMul => StepKind::DiffMul,
                    };
                    (kind, [a, b, c])
                }
                (other, _) => {
                    others.push(other);
                    (StepKind::Other, [others.len() as u32 - 1, 0, 0])
                }
            };
            let to = instruction.to;
            PointStep { kind, a, b, c, to }
        };
        let steps = instructions.iter().map(&mut step).collect();
        let outputs = outputs.iter().map(|&place| index(place)).collect();
        Self {
            steps,
            others,
            outputs,
            values,
        }
    }

    /// Computes the registers at a few points; the values of a place are side by side.
    #[inline(always)]
    pub(super) fn run<const POINTS: usize>(&self, places: &mut [[f64; POINTS]]) {
        for step in &self.steps {
            let at = |index: u32| places[index as usize];
            let (a, b, c) = (step.a, step.b, step.c);
            let value = match step.kind {
                StepKind::Neg => at(a).map(|a| -a),
                StepKind::Square => at(a).map(|a| a * a),
                StepKind::Sqrt => at(a).map(f64::sqrt),
                StepKind::Reciprocal => at(a).map(|a| 1.0 / a),
                StepKind::Add => map_pairs(at(a), at(b), |a, b| a + b),
                StepKind::Sub => map_pairs(at(a), at(b), |a, b| a - b),
                StepKind::Mul => map_pairs(at(a), at(b), |a, b| a * b),
                StepKind::Div => map_pairs(at(a), at(b), |a, b| a / b),
                StepKind::MulAdd => by_three(at(a), at(b), at(c), |a, b, c| a * b + c),
                StepKind::MulSub => by_three(at(a), at(b), at(c), |a, b, c| a * b - c),
                StepKind::SubMul => by_three(at(a), at(b), at(c), |a, b, c| c - a * b),
                StepKind::AddMul => by_three(at(a), at(b), at(c), |a, b, c| (a + b) * c),
                StepKind::DiffMul => by_three(at(a), at(b), at(c), |a, b, c| (a - b) * c),
                StepKind::SinCos => {
                    let both = at(a).map(vector::sin_cos);
                    places[b as usize] = both.map(|(_, cosine)| cosine);
                    both.map(|(sine, _)| sine)
                }
                StepKind::Other => match self.others[a as usize] {
                    OperationCode::Unary(op, a) => at(a).map(|a| vector::evaluate_unary(op, a)),
                    OperationCode::Binary(op, a, b) => {
                        map_pairs(at(a), at(b), |a, b| vector::evaluate_binary(op, a, b))
                    }
                    OperationCode::Ternary(op, a, b, c) => {
                        by_three(at(a), at(b), at(c), |a, b, c| {
                            vector::evaluate_ternary(op, a, b, c)
                        })
                    }
                    OperationCode::Select(a, b, c) => {
                        by_three(at(a), at(b), at(c), vector::select_value)
                    }
                    OperationCode::Call1(function, a) => at(a).map(function.value),
                    OperationCode::Call2(function, a, b) => map_pairs(at(a), at(b), function.value),
                    OperationCode::Call3(function, a, b, c) => {
                        by_three(at(a), at(b), at(c), function.value)
                    }
                },
            };
            places[step.to as usize] = value;
        }
    }
}

#[inline(always)]
fn map_pairs<const POINTS: usize>(
    a: [f64; POINTS],
    b: [f64; POINTS],
    f: impl Fn(f64, f64) -> f64,
) -> [f64; POINTS] {
    std::array::from_fn(|point| f(a[point], b[point]))
}

#[inline(always)]
fn by_three<const POINTS: usize>(
    a: [f64; POINTS],
    b: [f64; POINTS],
    c: [f64; POINTS],
    f: impl Fn(f64, f64, f64) -> f64,
) -> [f64; POINTS] {
    std::array::from_fn(|point| f(a[point], b[point], c[point]))
}
