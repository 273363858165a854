//! [`FormulaError`] and [`DesignError`]: what is wrong with a formula, or with the data that it is over.

use numerics::Interruption;

/// What is wrong with the text of a formula, and where.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{problem} (character {place} of `{text}`)")]
pub struct FormulaError {
    /// The problem.
    pub problem: FormulaProblem,
    /// Its character, from 1.
    pub place: usize,
    /// The formula.
    pub text: String,
}

/// What is wrong with the text of a formula.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FormulaProblem {
    /// A character that no formula has.
    #[error("unexpected character `{0}`")]
    Character(char),
    /// A text or quoted name without its end.
    #[error("the quote is not closed")]
    OpenQuote,
    /// Another word or sign was needed.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What was needed.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A function that formulas do not have.
    #[error("unknown function `{0}`")]
    UnknownFunction(String),
    /// Parentheses or signs deeper than the limit.
    #[error("the formula is nested deeper than {0} levels")]
    Depth(usize),
    /// More terms than the limit.
    #[error("the formula has more than {0} terms")]
    Terms(usize),
    /// A number other than 0 and 1 among the terms.
    #[error(
        "the number {0} is no term: only 0 and 1 stand for the intercept; write `I(..)` for arithmetic"
    )]
    Number(f64),
    /// Something that may stand only among the terms of the right side.
    #[error("`{0}` is not allowed here")]
    Misplaced(String),
    /// Nothing after `~`.
    #[error("the formula has no terms")]
    Empty,
}

/// Why data give no design matrix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DesignError {
    /// A name that is no column.
    #[error("there is no column `{name}`")]
    UnknownColumn {
        /// The name.
        name: String,
    },
    /// A column of texts where numbers are needed.
    #[error("column `{name}` holds categories, and {place} needs numbers")]
    NotNumeric {
        /// The column.
        name: String,
        /// Where it stands.
        place: String,
    },
    /// A value that is not finite, such as the logarithm of zero.
    #[error("`{factor}` is not finite in row {row}")]
    NotFinite {
        /// The factor.
        factor: String,
        /// Row of the data, from 0.
        row: usize,
    },
    /// A category with a single level.
    #[error(
        "`{factor}` has the single level `{level}` in the complete rows, so it has no effect to estimate"
    )]
    OneLevel {
        /// The factor.
        factor: String,
        /// Its level.
        level: String,
    },
    /// A base level, or a level of new rows, that the data do not have.
    #[error("`{factor}` has no level `{level}`: the levels are {known}")]
    UnknownLevel {
        /// The factor.
        factor: String,
        /// The level.
        level: String,
        /// The known levels, as a list.
        known: String,
    },
    /// A polynomial that needs more distinct numbers.
    #[error("`{factor}` needs at least {needed} distinct numbers, found {found}")]
    PolynomialDegree {
        /// The factor.
        factor: String,
        /// Distinct numbers that are needed.
        needed: usize,
        /// Distinct numbers of the complete rows.
        found: usize,
    },
    /// A constant column that is divided by its standard deviation.
    #[error("`{factor}` cannot be scaled: all its values are equal")]
    ConstantScale {
        /// The factor.
        factor: String,
    },
    /// No row has all cells.
    #[error(
        "no row has a value in every column of the formula ({rows} rows, {missing} with a missing cell)"
    )]
    NoRows {
        /// Rows of the data.
        rows: usize,
        /// Rows with a missing cell.
        missing: usize,
    },
    /// More columns than the limit.
    #[error("the design matrix would have {columns} columns, more than {limit}")]
    Columns {
        /// Columns.
        columns: usize,
        /// Most columns.
        limit: usize,
    },
    /// Columns of different lengths.
    #[error("column `{name}` has {found} rows, expected {expected}")]
    Ragged {
        /// The column.
        name: String,
        /// Its rows.
        found: usize,
        /// Rows of the others.
        expected: usize,
    },
    /// The caller ended it.
    #[error(transparent)]
    Interrupted(#[from] Interruption),
}
