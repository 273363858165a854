//! [`TableError`]: why there is no table.

use std::fmt::Display;

/// A fault of a table, of a file or of what was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// No column has this name.
    #[error("no column is named `{name}`: {known}")]
    UnknownColumn {
        /// The name.
        name: String,
        /// Which names there are, for a reader.
        known: String,
    },
    /// No sheet of a workbook or table of a database has this name, or one must be chosen.
    #[error("{message}")]
    UnknownMember {
        /// The name that is wanted, and the names there are.
        message: String,
        /// The next step.
        hint: &'static str,
    },
    /// Two columns of one name.
    #[error("two columns are named `{0}`")]
    DuplicateColumn(String),
    /// A column of another type than an operation takes.
    #[error("column `{column}`: expected {expected}, found {found}")]
    ColumnType {
        /// The column.
        column: String,
        /// What the operation takes.
        expected: &'static str,
        /// The type of the column.
        found: String,
    },
    /// Columns of unequal length.
    #[error("column `{column}` has {found} cells, the ones before it {expected}")]
    UnequalLength {
        /// The column.
        column: String,
        /// Its cells.
        found: usize,
        /// Those of the others.
        expected: usize,
    },
    /// A type that tables do not have, such as lists and structures.
    #[error("column `{column}` has the type {found}, which tables do not have")]
    UnsupportedType {
        /// The column.
        column: String,
        /// Its type, in the words of the format.
        found: String,
    },
    /// More than a limit allows.
    #[error("{what}: {found}, the limit is {most}")]
    Limit {
        /// What is limited.
        what: &'static str,
        /// How much there is, or that there is more.
        found: String,
        /// The limit.
        most: u64,
    },
    /// A file that is not in its format.
    #[error("{message}")]
    Format {
        /// What is wrong, with its place.
        message: String,
        /// The next step.
        hint: &'static str,
    },
    /// An argument of an operation that has no meaning.
    #[error("{message}")]
    Operation {
        /// What is wrong.
        message: String,
        /// The next step.
        hint: &'static str,
    },
    /// The call was stopped.
    #[error("the operation was stopped")]
    Stopped,
}

impl TableError {
    /// A fault of a format.
    pub fn format(message: impl Display, hint: &'static str) -> Self {
        Self::Format {
            message: message.to_string(),
            hint,
        }
    }

    /// A fault of what was asked.
    pub fn operation(message: impl Display, hint: &'static str) -> Self {
        Self::Operation {
            message: message.to_string(),
            hint,
        }
    }

    pub(crate) fn limit(what: &'static str, found: impl Display, most: usize) -> Self {
        Self::Limit {
            what,
            found: found.to_string(),
            most: most as u64,
        }
    }

    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownColumn { .. } => {
                "names of columns are compared exactly, with upper and lower case"
            }
            Self::DuplicateColumn(_) => "rename one of them",
            Self::ColumnType { .. } => {
                "choose another column; `table_describe` tells the types of all of them"
            }
            Self::UnequalLength { .. } => "give every column the same number of cells",
            Self::UnsupportedType { .. } => {
                "choose the other columns with `columns`, or write this one as text"
            }
            Self::Limit { .. } => "request less at once",
            Self::Format { hint, .. }
            | Self::Operation { hint, .. }
            | Self::UnknownMember { hint, .. } => hint,
            Self::Stopped => "try again with more time",
        }
    }
}

/// Asked now and then by what takes long: whether to stop.
pub type StopCheck<'a> = &'a (dyn Fn() -> bool + Sync);

/// Rows between two looks at a stop check.
const ROWS_BETWEEN_CHECKS: usize = 1 << 14;

/// Asks a stop check in some of the rows.
pub(crate) fn check_row(row: usize, stop: StopCheck<'_>) -> Result<(), TableError> {
    match row.is_multiple_of(ROWS_BETWEEN_CHECKS) && stop() {
        true => Err(TableError::Stopped),
        false => Ok(()),
    }
}
