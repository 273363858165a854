//! [`CoefficientMatrix`]: a matrix by rows, or by its entries.

use numerics::sparse::CsrMatrix;
use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};
use tool_core::{LoadInput, Matrix, RequestProblem, ToolError, Value, Vector};

/// A matrix of coefficients.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CoefficientMatrix {
    /// All entries.
    Dense(Matrix),
    /// Entries that are not zero; those of one place are added.
    Sparse(CoefficientTriplets),
}

/// Rows, columns and values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CoefficientTriplets {
    rows: Vector,
    columns: Vector,
    values: Vector,
}

impl LoadInput for CoefficientMatrix {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let Value::Object(object) = value else {
            return Matrix::from_value(value).map(Self::Dense);
        };
        const NAMES: [&str; 3] = ["rows", "cols", "values"];
        if let Some((name, _)) = object.iter().find(|(name, _)| !NAMES.contains(name)) {
            let message =
                format!("`{name}` is unknown: a sparse matrix has `rows`, `cols` and `values`");
            return Err(RequestProblem::new("", message));
        }
        let list = |name: &str| {
            let Some(list) = object.get(name) else {
                let message =
                    format!("`{name}` is missing: a sparse matrix has `rows`, `cols` and `values`");
                return Err(RequestProblem::new("", message));
            };
            Vector::from_value(list).map_err(|problem| {
                RequestProblem::new(format!("/{name}{}", problem.path), problem.message)
            })
        };
        let [rows, columns, values] = [list("rows")?, list("cols")?, list("values")?];
        if rows.len() != columns.len() || rows.len() != values.len() {
            let message = format!(
                "`rows`, `cols` and `values` have {}, {} and {} entries: there is one of each for an entry",
                rows.len(),
                columns.len(),
                values.len()
            );
            return Err(RequestProblem::new("", message));
        }
        Ok(Self::Sparse(CoefficientTriplets {
            rows,
            columns,
            values,
        }))
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Dense(matrix) => LoadInput::to_value(matrix),
            Self::Sparse(entries) => Value::object([
                ("rows", entries.rows.to_value()),
                ("cols", entries.columns.to_value()),
                ("values", entries.values.to_value()),
            ]),
        }
    }

    fn schema() -> Schema {
        let list = <Vector as LoadInput>::schema();
        json!({ "anyOf": [<Matrix as LoadInput>::schema(), {
            "type": "object",
            "properties": { "rows": list, "cols": list, "values": list },
            "required": ["rows", "cols", "values"],
            "additionalProperties": false
        }] })
    }
}

impl CoefficientMatrix {
    /// Entries that are stored.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Dense(matrix) => matrix.as_slice().len(),
            Self::Sparse(entries) => entries.values.len(),
        }
    }

    /// Number of rows and columns of a dense matrix.
    pub(super) fn shape(&self) -> Option<(usize, usize)> {
        match self {
            Self::Dense(matrix) => Some((matrix.rows(), matrix.columns())),
            Self::Sparse(_) => None,
        }
    }

    /// The matrix, of the expected size.
    ///
    /// # Errors
    /// `invalid_args` at the argument when it has another, or an index is out of it.
    pub(super) fn matrix(
        &self,
        path: &str,
        rows: usize,
        columns: usize,
    ) -> Result<CsrMatrix, ToolError> {
        match self {
            Self::Dense(matrix) => {
                let (found_rows, found_columns) = (matrix.rows(), matrix.columns());
                if (found_rows, found_columns) != (rows, columns) {
                    refuse!(invalid path, "shape"; "expected {rows} x {columns} numbers, found {found_rows} x {found_columns}";
                        "a column for each variable, and a row for each right-hand side");
                }
                let starts = (0..=rows).map(|row| row * columns).collect();
                let all = (0..rows).flat_map(|_| 0..columns as u32).collect();
                Ok(CsrMatrix::from_rows(
                    columns,
                    starts,
                    all,
                    matrix.as_slice().to_vec(),
                ))
            }
            Self::Sparse(entries) => {
                let rows_of = check_indices(path, "rows", &entries.rows, rows)?;
                let columns_of = check_indices(path, "cols", &entries.columns, columns)?;
                Ok(CsrMatrix::from_triplets(
                    rows,
                    columns,
                    &rows_of,
                    &columns_of,
                    &entries.values,
                ))
            }
        }
    }
}

/// Whole numbers below a count.
fn check_indices(
    path: &str,
    name: &str,
    numbers: &[f64],
    count: usize,
) -> Result<Vec<u32>, ToolError> {
    let good = |number: f64| number >= 0.0 && number < count as f64 && number.fract() == 0.0;
    match numbers.iter().position(|&number| !good(number)) {
        None => Ok(numbers.iter().map(|&number| number as u32).collect()),
        Some(at) => {
            let found = numbers[at];
            refuse!(invalid format!("{path}/{name}/{at}"), "index"; "expected a whole number from 0 up to before {count}, found {found}";
                "rows and columns are counted from 0");
        }
    }
}
