//! Formulas and the design matrices that they make of named columns.
//!
//! [`Formula::parse`] reads the text, [`ModelFrame::new`] makes the response and the columns of the rows that have all cells, and the frame's
//! [`DesignPlan`] gives new rows the same columns. Categories are coded against their first level (treatment coding).

mod coding;
mod columns;
mod error;
mod evaluate;
mod formula;
mod frame;
mod lexer;
mod parser;
mod plan;
mod polynomial;

#[cfg(test)]
mod tests;

pub use self::columns::{CategoryColumn, ModelColumn, ModelColumns};
pub use self::error::{DesignError, FormulaError, FormulaProblem};
pub use self::formula::{
    ArithmeticSign, ColumnFunction, FORMULA_LENGTH_MAX, FactorKind, Formula, FormulaFactor,
    NumericExpression, RandomTerm, ResponseKind, ResponseTerm,
};
pub use self::frame::{ModelFrame, ModelMatrix, ModelResponse, RandomDesign};
pub use self::plan::DesignPlan;
