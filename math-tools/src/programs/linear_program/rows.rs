//! [`ConstraintMatrix`]: coefficients of constraints, all of them or those that are not zero.

use numerics::sparse::{CsrMatrix, csr::SIZE_MAX};
use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};
use tool_core::{Ctx, Input, LoadInput, Matrix, RequestProblem, ToolError, Value, Vector};

/// A matrix with a column for each variable.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConstraintMatrix {
    /// Every coefficient.
    Full(Matrix),
    /// `rows`, `cols`, `values`, or `indptr`, `indices`, `data`.
    Sparse([Vector; 3], SparseMatrixForm),
}

/// The form of a sparse matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SparseMatrixForm {
    /// One row, column and value for each entry.
    Coordinates,
    /// Compressed rows.
    Compressed,
}

const NAMES: [(SparseMatrixForm, [&str; 3]); 2] = [
    (SparseMatrixForm::Coordinates, ["rows", "cols", "values"]),
    (SparseMatrixForm::Compressed, ["indptr", "indices", "data"]),
];

impl From<Matrix> for ConstraintMatrix {
    fn from(matrix: Matrix) -> Self {
        Self::Full(matrix)
    }
}

impl SparseMatrixForm {
    fn names(self) -> [&'static str; 3] {
        NAMES[usize::from(self == Self::Compressed)].1
    }
}

impl LoadInput for ConstraintMatrix {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let Value::Object(object) = value else {
            return Matrix::from_value(value).map(Self::Full);
        };
        for (form, names) in NAMES {
            if object.len() != 3 || names.iter().any(|name| object.get(name).is_none()) {
                continue;
            }
            let mut lists: [Vector; 3] = Default::default();
            for (list, name) in lists.iter_mut().zip(names) {
                let member = object.get(name).unwrap_or(&Value::Null);
                *list = Vector::from_value(member).map_err(|problem| {
                    RequestProblem::new(format!("/{name}{}", problem.path), problem.message)
                })?;
            }
            return Ok(Self::Sparse(lists, form));
        }
        let found: Vec<&str> = object.iter().map(|(name, _)| name).collect();
        let message = format_args!(
            "expected a list of rows, or an object with `rows`, `cols`, `values` or with `indptr`, `indices`, `data`, found the members {found:?}"
        );
        Err(RequestProblem::new("", message))
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Full(matrix) => matrix.to_value(),
            Self::Sparse(lists, form) => Value::object(
                form.names()
                    .into_iter()
                    .zip(lists.iter().map(LoadInput::to_value)),
            ),
        }
    }

    fn schema() -> Schema {
        json!({ "anyOf": [Matrix::schema(), { "type": "object", "additionalProperties": { "type": "array", "items": { "type": "number" } } }] })
    }
}

/// Entries of a part of the constraints.
#[derive(Debug, Default)]
pub(super) struct ConstraintEntries {
    pub(super) rows: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl ConstraintEntries {
    /// Adds the entries of `input`, which has `count` rows and `n` columns, below the first `above` rows.
    pub(super) fn add(
        &mut self,
        input: &Input<ConstraintMatrix>,
        at: &str,
        (above, count, n): (usize, usize, usize),
        ctx: &Ctx,
    ) -> Result<(), ToolError> {
        match input.load(ctx)? {
            ConstraintMatrix::Full(matrix) => {
                if (matrix.rows(), matrix.columns()) != (count, n) {
                    let (rows, columns) = (matrix.rows(), matrix.columns());
                    refuse!(invalid at, "shape"; "expected {count} rows of {n} coefficients, found {rows} x {columns}";
                        "a row for each right-hand side, a column for each entry of `c`");
                }
                let entries = matrix
                    .as_slice()
                    .iter()
                    .enumerate()
                    .filter(|(_, value)| **value != 0.0);
                let count = entries.clone().count();
                ctx.reserve(16 * count as u64)?;
                for (place, &value) in entries {
                    self.rows.push((above + place / n) as u32);
                    self.columns.push((place % n) as u32);
                    self.values.push(value);
                }
            }
            ConstraintMatrix::Sparse([rows, columns, values], form) => {
                let names = form.names();
                if columns.len() != values.len()
                    || (form == SparseMatrixForm::Coordinates && rows.len() != values.len())
                {
                    let (found, expected) = (columns.len(), values.len());
                    refuse!(invalid format!("{at}/{}", names[1]), "shape"; "the lists of entries differ in length: {found} columns, {expected} values";
                        "each entry has one of each");
                }
                if values.len() > SIZE_MAX / 2 {
                    refuse!(invalid at, "shape"; "{} entries are more than can be stored", values.len());
                }
                ctx.reserve(16 * values.len() as u64)?;
                self.columns
                    .extend(check_indices(&format!("{at}/{}", names[1]), &columns, n)?);
                self.values.extend_from_slice(&values);
                let path = format!("{at}/{}", names[0]);
                match form {
                    SparseMatrixForm::Coordinates => {
                        self.rows.extend(
                            check_indices(&path, &rows, count)?
                                .into_iter()
                                .map(|row| row + above as u32),
                        );
                    }
                    SparseMatrixForm::Compressed => {
                        let starts = check_indices(&path, &rows, values.len() + 1)?;
                        let is_good = starts.len() == count + 1
                            && starts[0] == 0
                            && starts[count] as usize == values.len()
                            && starts.windows(2).all(|pair| pair[0] <= pair[1]);
                        if !is_good {
                            refuse!(invalid path, "indptr"; "expected {} numbers that rise from 0 to {}", count + 1, values.len();
                                "`indptr[i]` is where row i starts in `indices` and `data`");
                        }
                        for (row, pair) in starts.windows(2).enumerate() {
                            let length = (pair[1] - pair[0]) as usize;
                            self.rows
                                .extend(std::iter::repeat_n((above + row) as u32, length));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The matrix of all entries added; those of one place are summed.
    pub(super) fn matrix(&self, rows: usize, columns: usize) -> CsrMatrix {
        CsrMatrix::from_triplets(rows, columns, &self.rows, &self.columns, &self.values)
    }
}

/// Whole numbers from 0 to `count` - 1.
fn check_indices(path: &str, numbers: &[f64], count: usize) -> Result<Vec<u32>, ToolError> {
    let is_good = |number: f64| number >= 0.0 && number < count as f64 && number.fract() == 0.0;
    match numbers.iter().position(|&number| !is_good(number)) {
        None => Ok(numbers.iter().map(|&number| number as u32).collect()),
        Some(at) => {
            let found = numbers[at];
            refuse!(invalid format!("{path}/{at}"), "index"; "expected a whole number from 0 and below {count}, found {found}";
                "rows and columns are counted from 0");
        }
    }
}
