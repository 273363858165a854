//! Programs of arithmetic: expressions over numbered variables as straight-line code, with derivatives.
//!
//! A [`ProgramBuilder`] takes operations one by one; an operation that is there already is not added again, so common parts are
//! computed once, also between the several outputs of a system and between a function and its gradient
//! ([`ProgramBuilder::gradient`], [`ProgramBuilder::tangents`]). [`ProgramBuilder::finish`] gives the [`EvaluationProgram`], which drops what no output
//! needs and places values in few registers; a product with the sum that alone uses it, and sine and cosine of one argument, are one
//! instruction. An [`ProgramEvaluator`] runs it for one point or over blocks of [`LANES`] points;
//! both give the same bits, on every processor (see [`crate::vector`]). For one point, many operations that are alike run together
//! in loops (`batch`).
//!
//! Variables can be columns of data: operations on them are computed row by row, and reductions give numbers again. A [`StagedProgram`]
//! program is made of passes over the rows and of the numbers computed between them.

mod batch;
mod builder;
mod code;
mod derivative;
mod evaluate;
mod joined;
mod schedule;
mod single;
mod staged;

pub use builder::{
    BinaryFunction, ColumnReduction, ProgramBuilder, ProgramNode, RunningDirection, Slope,
    TernaryFunction, UnaryFunction,
};
pub use derivative::NotDifferentiable;
pub use evaluate::{EvaluationProgram, LANES, ProgramEvaluator};
pub use staged::{Column, StagedEvaluator, StagedProgram};

#[cfg(test)]
mod tests;
