//! Arrays and texts as arguments: inline (numbers also as the base64 of an .npy file), from a file, an artifact or an earlier step.
//!
//! Tools declare an [`Input`]; `load` returns the checked data, shared and read-only. The dispatcher opens files and artifacts
//! after the rules have passed; tools never do.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::convert::{Decode, DecodeError, Encode, EncodeError, Encoder};
use crate::ctx::Ctx;
use crate::error::{ErrorCode, RequestProblem, ToolError};
use crate::npy;
use crate::schema::{Contract, Describe, Schema, json};
use crate::selection;
pub use crate::source::{DataPlace, DataSource, InputKind, SourceRef};
use crate::value::{NumberBlock, Numbers, Value};

/// A problem of the whole value.
fn expected_problem(what: &str, found: impl fmt::Display) -> RequestProblem {
    expected_at("", what, found)
}

fn expected_at(path: &str, what: &str, found: impl fmt::Display) -> RequestProblem {
    RequestProblem::new(path, format_args!("expected {what}, found {found}"))
}

/// Data that an [`Input`] can hold.
pub trait LoadInput: Sized + Clone {
    /// Kind of the content that [`LoadInput::from_value`] converts.
    const KIND: InputKind;
    /// Whether named columns are taken as they are; else selected columns become the rows of a matrix.
    const NAMED: bool = false;

    /// Checks and converts; the pointer of the problem is relative to the value.
    ///
    /// # Errors
    /// The first element that does not fit.
    fn from_value(value: &Value) -> Result<Self, RequestProblem>;

    /// The data as a value, shared where possible.
    fn to_value(&self) -> Value;

    /// The schema of the inline form.
    fn schema() -> Schema;
}

/// An argument with inline data or a reference to data.
#[derive(Debug, Clone, PartialEq)]
pub enum Input<T> {
    /// The data itself.
    Inline(T),
    /// A file or artifact.
    From(DataSource),
}

impl<T: LoadInput> Input<T> {
    /// Inline data.
    pub fn inline(data: impl Into<T>) -> Self {
        Self::Inline(data.into())
    }

    /// The checked data.
    ///
    /// # Errors
    /// `invalid_args` when the content of the file does not fit; `internal` when the dispatcher did not load it.
    pub fn load(&self, ctx: &Ctx) -> Result<T, ToolError> {
        match self {
            Self::Inline(data) => Ok(data.clone()),
            Self::From(source) => {
                let value = ctx.loaded(source)?;
                let rows = match source.selection.columns {
                    Some(_) if !T::NAMED => selection::table_rows(&value),
                    _ => None,
                };
                T::from_value(rows.as_ref().unwrap_or(&value))
                    .map_err(|problem| unfit_content_error(source, &value, &problem))
            }
        }
    }
}

/// A content that an argument does not take; of a table with named columns, how one is chosen.
pub fn unfit_content_error(
    source: &DataSource,
    content: &Value,
    problem: &RequestProblem,
) -> ToolError {
    let (name, place, message) = (source.name(), &problem.path, &problem.message);
    let error = |words: fmt::Arguments<'_>| ToolError::new(ErrorCode::InvalidArgs, words);
    let names = selection::column_names(content).filter(|_| source.selection.is_whole_table());
    let Some(names) = names else {
        let error = error(format_args!("`{name}`{place}: {message}"));
        return match &problem.hint {
            Some(hint) => error.hint(hint),
            None => error,
        };
    };
    let mut chosen = source.to_value().as_object().cloned().unwrap_or_default();
    chosen.insert("column", names[0].as_str());
    error(format_args!(
        "`{name}` is a table with the columns {}: choose a `column`, or `columns` for a matrix",
        selection::list_column_names(&names)
    ))
    .hint(format_args!("for example {}", Value::Object(chosen.into())))
}

impl<T: LoadInput> Encode for Input<T> {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Inline(data) => data.to_value().encode(encoder),
            Self::From(source) => encoder.source(T::KIND, source.to_value()),
        }
    }
}

impl<T: LoadInput> Decode for Input<T> {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        if let Some(source) = DataSource::from_value(value) {
            let source = source?;
            if T::KIND == InputKind::Text && !source.selection.is_all() {
                let message =
                    "a text takes the whole file: leave `column`, `where` and the like out";
                return Err(RequestProblem::new("", message).into());
            }
            if T::KIND != InputKind::Data && source.selection.missing.is_some() {
                let message = "`missing` is for lists and matrices of numbers: a table keeps its missing cells, as null";
                let problem = RequestProblem::new("/missing", message);
                return Err(problem.hint("leave it out; `where` chooses rows").into());
            }
            return Ok(Self::From(source));
        }
        let array = npy::from_value(value).filter(|_| T::KIND != InputKind::Text);
        let array = array.transpose();
        let array = array.map_err(|fault| RequestProblem::new("", fault.message))?;
        let data = T::from_value(array.as_ref().unwrap_or(value))?;
        Ok(Self::Inline(data))
    }
}

impl<T: LoadInput> Describe for Input<T> {
    fn describe(_: Contract) -> Schema {
        let elsewhere = crate::schema::source_of(T::KIND);
        json!({ "anyOf": [T::schema(), { "$ref": elsewhere }] })
    }
}

/// Any JSON value; a table with a header as a list of records.
impl LoadInput for Value {
    const KIND: InputKind = InputKind::Any;
    const NAMED: bool = true;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        Ok(value.clone())
    }

    fn to_value(&self) -> Value {
        self.clone()
    }

    fn schema() -> Schema {
        json!({})
    }
}

/// A list of finite numbers; may be empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Vector(Arc<NumberBlock>);

impl Deref for Vector {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl From<Vec<f64>> for Vector {
    fn from(data: Vec<f64>) -> Self {
        Self(Arc::new(data.into()))
    }
}

impl<const N: usize> From<[f64; N]> for Vector {
    fn from(data: [f64; N]) -> Self {
        Self(Arc::new(data.to_vec().into()))
    }
}

impl LoadInput for Vector {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        match value {
            Value::Numbers(numbers) if numbers.rank() == 1 => {
                require_finite(numbers).map(|numbers| Self(numbers.clone().into_shared()))
            }
            Value::Numbers(numbers) => Err(expected_problem(
                "a flat list of numbers",
                shape_words(numbers),
            )),
            Value::Array(items) if items.is_empty() => Ok(Self::default()),
            Value::Array(items) => Err(first_non_number(items)),
            other => Err(expected_problem("a list of numbers", other.kind())),
        }
    }

    fn to_value(&self) -> Value {
        Numbers::from_shared(Arc::clone(&self.0), vec![self.0.len()])
            .map_or_else(|| Value::vector(Vec::new()), Value::Numbers)
    }

    fn schema() -> Schema {
        json!({ "type": "array", "items": { "type": "number" } })
    }
}

/// A rectangular block of finite numbers, row-major; never empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    data: Arc<NumberBlock>,
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// A matrix from row-major data; `None` when the sizes do not fit or one is zero.
    pub fn new(rows: usize, columns: usize, data: Vec<f64>) -> Option<Self> {
        (rows > 0 && rows.checked_mul(columns) == Some(data.len()) && columns > 0).then(|| Self {
            data: Arc::new(data.into()),
            rows,
            columns,
        })
    }

    /// Number of rows, at least 1.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, at least 1.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All entries, row by row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// One row.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.data[index * self.columns..(index + 1) * self.columns]
    }
}

impl<const R: usize, const C: usize> From<[[f64; C]; R]> for Matrix {
    fn from(rows: [[f64; C]; R]) -> Self {
        const {
            assert!(
                R > 0 && C > 0,
                "a matrix has at least one row and one column"
            )
        };
        Self {
            data: Arc::new(rows.concat().into()),
            rows: R,
            columns: C,
        }
    }
}

/// A matrix in a result is written as a list of rows.
impl Encode for Matrix {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        self.to_value().encode(encoder)
    }
}

inline_schema!(Matrix, <Self as LoadInput>::schema());

impl LoadInput for Matrix {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        match value {
            Value::Numbers(numbers) if numbers.rank() == 2 => {
                let (rows, columns) = (numbers.shape()[0], numbers.shape()[1]);
                require_finite(numbers).map(|numbers| Self {
                    data: numbers.clone().into_shared(),
                    rows,
                    columns,
                })
            }
            Value::Numbers(numbers) if numbers.rank() == 1 => Err(expected_problem(
                "a list of rows",
                format_args!("a flat list of {} numbers", numbers.len()),
            )
            .hint("write a column as [[1], [2]] and a row as [[1, 2]]")),
            Value::Numbers(numbers) => {
                Err(expected_problem("a list of rows", shape_words(numbers)))
            }
            Value::Array(items) if items.is_empty() => {
                Err(expected_problem("at least one row", "an empty list"))
            }
            Value::Array(rows) => Err(ragged_rows_problem(rows)),
            other => Err(expected_problem("a list of rows of numbers", other.kind())),
        }
    }

    fn to_value(&self) -> Value {
        Numbers::from_shared(Arc::clone(&self.data), vec![self.rows, self.columns])
            .map_or(Value::Null, Value::Numbers)
    }

    fn schema() -> Schema {
        json!({ "type": "array", "minItems": 1, "items": { "type": "array", "minItems": 1, "items": { "type": "number" } } })
    }
}

/// Named columns of equal length; read from a list of records or from an object of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<Arc<str>>,
    columns: Vec<Vec<Value>>,
    rows: usize,
}

impl Table {
    /// The rows without a missing cell in these columns, and how many are left out.
    #[must_use]
    pub fn complete_rows(self, columns: &[usize]) -> (Self, usize) {
        let is_complete = |row: usize| {
            let mut cells = columns.iter().map(|column| &self.columns[*column][row]);
            cells.all(|cell| !cell.is_null())
        };
        let kept: Vec<bool> = (0..self.rows).map(is_complete).collect();
        let rows = kept.iter().filter(|kept| **kept).count();
        let dropped = self.rows - rows;
        if dropped == 0 {
            return (self, 0);
        }
        let keep = |column: Vec<Value>| {
            let cells = column.into_iter().zip(&kept);
            cells
                .filter(|(_, kept)| **kept)
                .map(|(cell, _)| cell)
                .collect()
        };
        let columns = self.columns.into_iter().map(keep).collect();
        let names = self.names;
        (
            Self {
                names,
                columns,
                rows,
            },
            dropped,
        )
    }

    /// Column names, in the order of first appearance.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// The columns, in the order of the names; a cell that a record lacks is `null`.
    pub fn columns(&self) -> &[Vec<Value>] {
        &self.columns
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    fn from_records(records: &[Value]) -> Result<Self, RequestProblem> {
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        let mut index = std::collections::HashMap::new();
        for (row, record) in records.iter().enumerate() {
            let Some(members) = record.as_object() else {
                let path = format!("/{row}");
                return Err(expected_at(&path, "a record (an object)", record.kind()));
            };
            for (name, cell) in members.iter() {
                check_cell(cell, || pointer_from_keys([&row.to_string(), name]))?;
                let column = *index.entry(Arc::<str>::from(name)).or_insert_with(|| {
                    names.push(name.into());
                    columns.push(vec![Value::Null; records.len()]);
                    names.len() - 1
                });
                columns[column][row] = cell.clone();
            }
        }
        let rows = records.len();
        Ok(Self {
            names,
            columns,
            rows,
        })
    }

    /// The columns `c0`, `c1`, ... of an array.
    fn from_numbers(numbers: &Numbers) -> Self {
        let rows = numbers.shape().first().copied().unwrap_or(0);
        let count = numbers.shape().get(1).copied().unwrap_or(1);
        let data = numbers.as_slice();
        let column = |column: usize| {
            let cells = data.iter().skip(column).step_by(count.max(1));
            cells.map(|&cell| Value::from(cell)).collect()
        };
        Self {
            names: (0..count).map(|index| format!("c{index}").into()).collect(),
            columns: (0..count).map(column).collect(),
            rows,
        }
    }

    fn from_columns(object: &crate::value::Object) -> Result<Self, RequestProblem> {
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        let mut rows = 0;
        for (name, column) in object.iter() {
            let Some(cells) = column.items() else {
                let what = "a column (a list of cells)";
                return Err(expected_at(&pointer_from_keys([name]), what, column.kind()));
            };
            for (row, cell) in cells.iter().enumerate() {
                check_cell(cell, || pointer_from_keys([name, &row.to_string()]))?;
            }
            let found = cells.len();
            if !names.is_empty() && found != rows {
                let message =
                    format_args!("the column has {found} cells, the ones before it {rows}");
                return Err(RequestProblem::new(pointer_from_keys([name]), message));
            }
            rows = found;
            names.push(name.into());
            columns.push(cells);
        }
        Ok(Self {
            names,
            columns,
            rows,
        })
    }
}

fn no_table(found: &Value) -> RequestProblem {
    let problem = expected_problem("a list of records or an object of columns", found.kind());
    match found.as_str() {
        Some(path) if !path.contains(['\n', ' ']) && path.contains('.') => {
            problem.hint(format!("a file is written {{\"$file\": {path:?}}}"))
        }
        _ => problem,
    }
}

impl LoadInput for Table {
    const KIND: InputKind = InputKind::Table;
    const NAMED: bool = true;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        match value {
            Value::Array(records) => Self::from_records(records),
            Value::Object(columns) => Self::from_columns(columns),
            Value::Numbers(numbers) if numbers.rank() == 2 => Ok(Self::from_numbers(numbers)),
            other => Err(no_table(other)),
        }
    }

    fn to_value(&self) -> Value {
        Value::object(
            self.names
                .iter()
                .cloned()
                .zip(self.columns.iter().map(|cells| Value::array(cells.clone()))),
        )
    }

    fn schema() -> Schema {
        let cell = json!({ "type": ["number", "string", "boolean", "null"] });
        json!({
            "anyOf": [
                { "type": "array", "items": { "type": "object", "additionalProperties": cell } },
                { "type": "object", "additionalProperties": { "type": "array", "items": cell } }
            ]
        })
    }
}

/// A text argument that may come from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextInput(Arc<str>);

impl Deref for TextInput {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TextInput {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl LoadInput for TextInput {
    const KIND: InputKind = InputKind::Text;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        match value {
            Value::String(text) => Ok(Self(Arc::clone(text))),
            other => Err(expected_problem("a text", other.kind())),
        }
    }

    fn to_value(&self) -> Value {
        Value::String(Arc::clone(&self.0))
    }

    fn schema() -> Schema {
        json!({ "type": "string" })
    }
}

/// Checks that all numbers are finite, as those of a file or an earlier step need not be.
fn require_finite(numbers: &Numbers) -> Result<&Numbers, RequestProblem> {
    if numbers.is_finite() {
        return Ok(numbers);
    }
    let mut found = numbers.as_slice().iter();
    let position = found.position(|number| !number.is_finite());
    let Some(position) = position else {
        return Ok(numbers);
    };
    let mut pointer = String::new();
    let mut stride: usize = numbers.shape().iter().product();
    let mut rest = position;
    for extent in numbers.shape() {
        stride /= extent;
        crate::path::push_index(&mut pointer, rest / stride);
        rest %= stride;
    }
    let found = crate::number::non_finite_spelling(numbers.as_slice()[position]);
    Err(expected_at(&pointer, "a finite number", found))
}

fn first_non_number(items: &[Value]) -> RequestProblem {
    let mut items = items.iter().enumerate();
    let culprit = items.find(|(_, item)| item.as_f64().is_none());
    let (index, item) = culprit.unwrap_or((0, &Value::Null));
    expected_at(&format!("/{index}"), "a number", item.kind())
}

fn ragged_rows_problem(rows: &[Value]) -> RequestProblem {
    const EQUAL: &str = "give every row the same number of entries, as in [[1, 2], [3, 4]]";
    let mut columns = None;
    for (index, row) in rows.iter().enumerate() {
        let at = format!("/{index}");
        match row {
            Value::Numbers(numbers) if numbers.rank() == 1 => {
                let (found, expected) = (numbers.len(), *columns.get_or_insert(numbers.len()));
                if found != expected {
                    let entries = if found == 1 { "entry" } else { "entries" };
                    let message = format_args!(
                        "row {index} has {found} {entries}, expected {expected} (rows count from 0)"
                    );
                    return RequestProblem::new("", message).hint(EQUAL);
                }
            }
            Value::Array(items) if items.is_empty() => {
                let message = format_args!("row {index} is empty (rows count from 0)");
                return RequestProblem::new(at, message).hint(EQUAL);
            }
            Value::Array(items) => {
                let inner = first_non_number(items);
                let path = at + &inner.path;
                return RequestProblem { path, ..inner };
            }
            other => return expected_at(&at, "a row of numbers", other.kind()),
        }
    }
    RequestProblem::new("", "expected rows of equal length")
}

fn check_cell(cell: &Value, path: impl FnOnce() -> String) -> Result<(), RequestProblem> {
    match cell {
        Value::Array(_) | Value::Numbers(_) | Value::Object(_) => {
            let what = "a number, text, boolean or null";
            Err(expected_at(&path(), what, cell.kind()))
        }
        _ => Ok(()),
    }
}

fn shape_words(numbers: &Numbers) -> String {
    format!("an array of {} dimensions", numbers.rank())
}

fn pointer_from_keys<const N: usize>(keys: [&str; N]) -> String {
    let mut pointer = String::new();
    for key in keys {
        crate::path::push_key(&mut pointer, key);
    }
    pointer
}
