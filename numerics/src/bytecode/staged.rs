//! [`StagedProgram`]: a program over numbers and columns of data, with reductions between its passes over the rows.

use std::sync::Arc;

use rayon::prelude::*;

use super::builder::{ColumnReduction, ProgramBuilder, ProgramNode, RunningDirection};
use super::evaluate::{LANES, ProgramEvaluator};
use super::schedule::{ProgramStage, StageSchedule};
use crate::vector::{self, Binary, LaneOperand, Unary};

/// The values of a variable that is a column, one for each row.
pub type Column = Arc<[f64]>;

/// Rows that one thread computes at a time. Partial results are joined in the order of the rows, so that the result does not depend on
/// the number of threads.
const CHUNK: usize = 64 * LANES;

/// A program over numbers and columns of data. What depends on the data alone is computed once, when it is made.
#[derive(Debug, Clone)]
pub struct StagedProgram {
    rows: usize,
    /// Numbers of the caller, and how many there are in all.
    given: usize,
    numbers: usize,
    /// The numbers known from the data, from `given` on.
    fixed: Vec<f64>,
    /// The data, and what is computed of them alone.
    columns: Vec<Column>,
    /// Buffers of an evaluation.
    buffers: usize,
    stages: Vec<ProgramStage>,
    outputs: Vec<Output>,
}

#[derive(Debug, Clone, Copy)]
enum Output {
    Number(usize),
    Column(usize),
}

impl StagedProgram {
    /// The program that computes the outputs, in this order, from numbers (the variables that are no columns, in their order) and the
    /// data, a column for each column variable of the builder.
    ///
    /// # Panics
    /// When the data are not as many columns as the builder has, or not of its number of rows.
    pub fn new(builder: &ProgramBuilder, outputs: &[ProgramNode], data: &[Column]) -> Self {
        let given = builder.numbers();
        assert_eq!(builder.columns.len(), data.len(), "a column for each");
        assert!(data.iter().all(|column| column.len() == builder.rows));
        let mut schedule = StageSchedule::new(builder, given);
        let (numbers, columns) = schedule.fixed(outputs);
        let stages = schedule.stages(&numbers, &columns);
        let mut fixed = Self {
            rows: builder.rows,
            given,
            numbers: schedule.numbers,
            fixed: Vec::new(),
            columns: data.to_vec(),
            buffers: schedule.buffers - data.len(),
            stages,
            outputs: Vec::new(),
        };
        let mut evaluator = fixed.evaluator();
        evaluator.run(&vec![0.0; given]); // none of them is used
        let known = evaluator.numbers.split_off(given);
        let computed = evaluator.buffers.into_iter().map(Column::from);
        let data: Vec<Column> = data.iter().cloned().chain(computed).collect();
        fixed.fixed = known;
        fixed.columns = data;

        let (numbers, columns): (Vec<ProgramNode>, Vec<ProgramNode>) = outputs
            .iter()
            .partition(|&&output| !builder.is_column(output));
        let first = schedule.buffers;
        fixed.stages = schedule.stages(&numbers, &columns);
        fixed.numbers = schedule.numbers;
        fixed.buffers = schedule.buffers - first;
        fixed.outputs = outputs
            .iter()
            .map(|&output| match schedule.number_of(output) {
                Some(number) => Output::Number(number),
                None => Output::Column(schedule.buffer_of(output).expect("it was asked for")),
            })
            .collect();
        fixed
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// An evaluator with memory of its own; make one per thread.
    pub fn evaluator(&self) -> StagedEvaluator<'_> {
        let mut numbers = vec![0.0; self.numbers];
        numbers[self.given..self.given + self.fixed.len()].copy_from_slice(&self.fixed);
        let one_chunk = |stage: &'_ ProgramStage| stage.pass.outputs() > 0 && self.rows <= CHUNK;
        StagedEvaluator {
            staged: self,
            points: self
                .stages
                .iter()
                .map(|stage| stage.point.evaluator())
                .collect(),
            passes: self
                .stages
                .iter()
                .map(|stage| one_chunk(stage).then(|| stage.pass.evaluator()))
                .collect(),
            buffers: vec![vec![0.0; self.rows]; self.buffers],
            numbers,
        }
    }
}

/// Runs one program over numbers and columns.
#[derive(Debug)]
pub struct StagedEvaluator<'s> {
    staged: &'s StagedProgram,
    points: Vec<ProgramEvaluator<'s>>,
    /// The evaluators of passes over few rows.
    passes: Vec<Option<ProgramEvaluator<'s>>>,
    numbers: Vec<f64>,
    buffers: Vec<Vec<f64>>,
}

impl StagedEvaluator<'_> {
    /// Computes the outputs for some numbers.
    ///
    /// # Panics
    /// When they are fewer than the program was made for.
    pub fn run(&mut self, given: &[f64]) {
        let staged = self.staged;
        self.numbers[..staged.given].copy_from_slice(&given[..staged.given]);
        let mut found = Vec::new();
        for (index, stage) in staged.stages.iter().enumerate() {
            found.resize(stage.point_to.len(), 0.0);
            self.points[index].point(&self.numbers, &mut found);
            for (&to, value) in stage.point_to.iter().zip(&found) {
                self.numbers[to] = *value;
            }
            if stage.pass.outputs() > 0 {
                self.pass(index, stage);
            }
        }
    }

    /// An output that is a number, after a run.
    ///
    /// # Panics
    /// When it is a column.
    pub fn number(&self, output: usize) -> f64 {
        match self.staged.outputs[output] {
            Output::Number(number) => self.numbers[number],
            Output::Column(_) => panic!("output {output} is a column"),
        }
    }

    /// An output that is a column, after a run; `None` of a number.
    pub fn column(&self, output: usize) -> Option<&[f64]> {
        match self.staged.outputs[output] {
            Output::Number(_) => None,
            Output::Column(buffer) => Some(match self.staged.columns.get(buffer) {
                Some(column) => column,
                None => &self.buffers[buffer - self.staged.columns.len()],
            }),
        }
    }

    fn pass(&mut self, index: usize, stage: &ProgramStage) {
        let staged = self.staged;
        let known = staged.columns.len();
        let mut kept: Vec<Vec<f64>> = stage
            .kept
            .iter()
            .map(|kept| std::mem::take(&mut self.buffers[kept.buffer - known]))
            .collect();
        let data = staged.columns.iter().map(|column| &column[..]);
        let inputs: Vec<&[f64]> = data.chain(self.buffers.iter().map(|b| &b[..])).collect();
        let numbers = &self.numbers;
        let totals = match &mut self.passes[index] {
            Some(evaluator) => {
                let mut pieces: Vec<&mut [f64]> = kept.iter_mut().map(|k| &mut k[..]).collect();
                evaluate_chunk(
                    stage,
                    evaluator,
                    &inputs,
                    numbers,
                    0..staged.rows,
                    &mut pieces,
                )
            }
            None => {
                let chunks = staged.rows.div_ceil(CHUNK);
                let mut pieces: Vec<Vec<&mut [f64]>> = Vec::new();
                pieces.resize_with(chunks, Vec::new);
                for column in &mut kept {
                    let parts = column.chunks_mut(CHUNK);
                    pieces
                        .iter_mut()
                        .zip(parts)
                        .for_each(|(piece, part)| piece.push(part));
                }
                let pieces = pieces.into_par_iter().enumerate();
                let computed = pieces.map_init(
                    || stage.pass.evaluator(),
                    |evaluator, (index, mut pieces)| {
                        let first = index * CHUNK;
                        let rows = first..(first + CHUNK).min(staged.rows);
                        evaluate_chunk(stage, evaluator, &inputs, numbers, rows, &mut pieces)
                    },
                );
                let partial: Vec<Vec<ReductionTotal>> =
                    thread_pools::run_in_pool(|| computed.collect());
                let first = initial_totals(stage);
                partial.iter().fold(first, |mut totals, next| {
                    totals
                        .iter_mut()
                        .zip(next)
                        .for_each(|(total, next)| total.join(next));
                    totals
                })
            }
        };
        for (reduced, total) in stage.reductions.iter().zip(&totals) {
            self.numbers[reduced.number] = total.value();
        }
        for (mut column, kept) in kept.into_iter().zip(&stage.kept) {
            match kept.running {
                Some(RunningDirection::FromFirst) => add_up(column.iter_mut()),
                Some(RunningDirection::ToLast) => add_up(column.iter_mut().rev()),
                None => {}
            }
            self.buffers[kept.buffer - known] = column;
        }
    }
}

/// Replaces entries by their running sums.
fn add_up<'a>(entries: impl Iterator<Item = &'a mut f64>) {
    let mut total = ReductionTotal::new(ColumnReduction::Sum);
    for entry in entries {
        total.add(*entry);
        *entry = total.value();
    }
}

fn initial_totals(stage: &ProgramStage) -> Vec<ReductionTotal> {
    let reductions = stage.reductions.iter();
    reductions
        .map(|reduced| ReductionTotal::new(reduced.reduction))
        .collect()
}

/// Runs a pass over some rows.
fn evaluate_chunk(
    stage: &ProgramStage,
    evaluator: &mut ProgramEvaluator<'_>,
    inputs: &[&[f64]],
    numbers: &[f64],
    rows: std::ops::Range<usize>,
    kept: &mut [&mut [f64]],
) -> Vec<ReductionTotal> {
    let mut totals = initial_totals(stage);
    for first in rows.clone().step_by(LANES) {
        let count = LANES.min(rows.end - first);
        evaluator.pass(inputs, numbers, first, count);
        let output = |index| evaluator.output(index, inputs, numbers, first, count);
        let mut next = 0;
        for (reduced, total) in stage.reductions.iter().zip(&mut totals) {
            match (output(next), reduced.of_products) {
                (LaneOperand::Many(x), true) => {
                    next += 1;
                    let LaneOperand::Many(y) = output(next) else {
                        unreachable!("both factors are columns")
                    };
                    total.add(vector::sum_of_products(x, y));
                }
                (LaneOperand::Many(lanes), false) => total.add_block(lanes),
                (LaneOperand::One(value), _) => (0..count).for_each(|_| total.add(value)),
            }
            next += 1;
        }
        for (index, kept) in kept.iter_mut().enumerate() {
            let out = &mut kept[first - rows.start..][..count];
            match output(next + index) {
                LaneOperand::Many(lanes) => out.copy_from_slice(lanes),
                LaneOperand::One(value) => out.fill(value),
            }
        }
    }
    totals
}

/// A reduction of the rows so far.
#[derive(Debug, Clone, Copy)]
struct ReductionTotal {
    reduction: ColumnReduction,
    /// The sum, the extreme, or the largest so far.
    main: f64,
    /// What rounding took from the sum (Neumaier 1974), or the sum of `exp(x - main)`.
    rest: f64,
}

impl ReductionTotal {
    fn new(reduction: ColumnReduction) -> Self {
        let main = match reduction {
            ColumnReduction::Sum => 0.0,
            ColumnReduction::Min => f64::INFINITY,
            ColumnReduction::Max | ColumnReduction::LogSumExp => f64::NEG_INFINITY,
        };
        let rest = 0.0;
        Self {
            reduction,
            main,
            rest,
        }
    }

    fn add(&mut self, value: f64) {
        self.join(&Self {
            reduction: self.reduction,
            main: value,
            rest: if self.reduction == ColumnReduction::LogSumExp {
                1.0
            } else {
                0.0
            },
        });
    }

    fn add_block(&mut self, lanes: &[f64]) {
        match self.reduction {
            ColumnReduction::Sum => self.add(vector::sum_numbers(lanes)),
            ColumnReduction::Min => self.add(vector::smallest_number(lanes)),
            ColumnReduction::Max => self.add(vector::largest_number(lanes)),
            ColumnReduction::LogSumExp => {
                let main = vector::largest_number(lanes);
                let mut scaled = [0.0; LANES];
                let mut powers = [0.0; LANES];
                let (scaled, powers) = (&mut scaled[..lanes.len()], &mut powers[..lanes.len()]);
                vector::binary_block_scalar_right(Binary::Sub, lanes, main, scaled);
                vector::unary_block(Unary::Exp, scaled, powers);
                let reduction = self.reduction;
                let rest = vector::sum_numbers(powers);
                self.join(&Self {
                    reduction,
                    main,
                    rest,
                });
            }
        }
    }

    /// Adds the rows of another that follow.
    fn join(&mut self, next: &Self) {
        match self.reduction {
            ColumnReduction::Sum => {
                let sum = self.main + next.main;
                let lost = if self.main.abs() >= next.main.abs() {
                    (self.main - sum) + next.main
                } else {
                    (next.main - sum) + self.main
                };
                self.rest += lost + next.rest;
                self.main = sum;
            }
            ColumnReduction::Min => {
                self.main = vector::evaluate_binary(Binary::Min, self.main, next.main)
            }
            ColumnReduction::Max => {
                self.main = vector::evaluate_binary(Binary::Max, self.main, next.main)
            }
            ColumnReduction::LogSumExp => {
                let main = vector::evaluate_binary(Binary::Max, self.main, next.main);
                let scaled = |part: &Self| match part.main == main {
                    true => part.rest,
                    false => part.rest * vector::evaluate_unary(Unary::Exp, part.main - main),
                };
                self.rest = scaled(self) + scaled(next);
                self.main = main;
            }
        }
    }

    fn value(&self) -> f64 {
        match self.reduction {
            ColumnReduction::Sum if self.main.is_finite() => self.main + self.rest,
            ColumnReduction::Sum | ColumnReduction::Min | ColumnReduction::Max => self.main,
            // An infinite or NaN extreme decides.
            ColumnReduction::LogSumExp if !self.main.is_finite() => self.main,
            ColumnReduction::LogSumExp => self.main + vector::evaluate_unary(Unary::Log, self.rest),
        }
    }
}
