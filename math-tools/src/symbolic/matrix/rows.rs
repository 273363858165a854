//! Matrices as they are written: rows of numbers and formulas, or one text.

use symbolic::matrices::{ExprMatrix, NUMERIC_SIZE_LIMIT};
use symbolic::print::{write_latex, write_text, write_unicode};
use symbolic::tree::{Expr, MathFunction};
use tool_core::schema::json;
use tool_core::{DecodeError, EncodeError, Encoder};

use super::super::reading::TextReader;
use crate::prelude::*;

/// An entry: a number, exactly as it is written, or a formula.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WrittenEntry {
    /// A number.
    Number(f64),
    /// A formula.
    Formula(String),
}

/// Rows of entries, a list of them, or one text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WrittenMatrix {
    /// Rows.
    Rows(Vec<Vec<WrittenEntry>>),
    /// One column.
    Column(Vec<WrittenEntry>),
    /// Such as `1, a; 2, b`, or LaTeX.
    Text(String),
}

impl WrittenEntry {
    fn read(value: &Value) -> Result<Self, DecodeError> {
        if let Some(text) = value.as_str() {
            return Ok(Self::Formula(text.to_owned()));
        }
        match value.as_f64() {
            Some(number) => Ok(Self::Number(number)),
            None => Err(DecodeError::unexpected(value, "a number or a formula")),
        }
    }

    fn write(&self) -> Value {
        match self {
            Self::Number(value) => Value::Float(*value),
            Self::Formula(text) => Value::String(text.as_str().into()),
        }
    }
}

impl Encode for WrittenMatrix {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Rows(rows) => {
                let rows = rows
                    .iter()
                    .map(|row| Value::array(row.iter().map(WrittenEntry::write).collect()));
                Ok(Value::array(rows.collect()))
            }
            Self::Column(entries) => Ok(Value::array(
                entries.iter().map(WrittenEntry::write).collect(),
            )),
            Self::Text(text) => text.encode(encoder),
        }
    }
}

impl Decode for WrittenMatrix {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        if let Some(text) = value.as_str() {
            return Ok(Self::Text(text.to_owned()));
        }
        let expected = "rows of numbers and formulas, or a text such as `1, a; 2, b`";
        let Some(items) = value.items() else {
            return Err(DecodeError::unexpected(value, expected));
        };
        if items.iter().any(|item| item.items().is_none()) {
            let entries = items.iter().map(WrittenEntry::read);
            return entries.collect::<Result<_, _>>().map(Self::Column);
        }
        let rows = items.iter().map(|row| {
            let entries = row.items().unwrap_or_default();
            entries
                .iter()
                .map(WrittenEntry::read)
                .collect::<Result<Vec<_>, _>>()
        });
        rows.collect::<Result<_, _>>().map(Self::Rows)
    }
}

tool_core::inline_schema!(
    WrittenMatrix,
    json!({ "anyOf": [
        { "type": "string" },
        { "type": "array", "minItems": 1, "items": { "anyOf": [
            { "type": "number" },
            { "type": "string" },
            { "type": "array", "minItems": 1, "items": { "anyOf": [{ "type": "number" }, { "type": "string" }] } }
        ] } }
    ] })
);

/// A matrix in three notations.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct RenderedMatrix {
    /// Rows in the language of `calculate`.
    pub rows: Vec<Vec<String>>,
    /// In LaTeX.
    pub latex: String,
    /// Rows with mathematical signs, columns aligned.
    pub unicode: Vec<String>,
}

/// Writes a matrix.
pub(super) fn render_matrix(matrix: &ExprMatrix) -> RenderedMatrix {
    let rows = matrix.to_rows();
    let calls = rows
        .iter()
        .map(|row| Expr::call(MathFunction::Row, row.clone()));
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(write_unicode).collect())
        .collect();
    let width = |column: usize| {
        let widths = cells.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..matrix.columns()).map(width).collect();
    let unicode = cells.iter().map(|row| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| {
            let gap = width - cell.chars().count();
            format!("{}{cell}", " ".repeat(gap))
        });
        padded.collect::<Vec<String>>().join("  ")
    });
    RenderedMatrix {
        rows: write_rows(matrix),
        latex: write_latex(&Expr::call(MathFunction::MatrixOf, calls.collect())),
        unicode: unicode.collect(),
    }
}

/// The rows as texts.
pub(super) fn write_rows(matrix: &ExprMatrix) -> Vec<Vec<String>> {
    matrix
        .to_rows()
        .iter()
        .map(|row| row.iter().map(write_text).collect())
        .collect()
}

/// Reads a matrix.
pub(super) fn read_matrix(
    written: &WrittenMatrix,
    path: &str,
    reader: &mut TextReader,
) -> Result<ExprMatrix, ToolError> {
    let rows = match written {
        WrittenMatrix::Text(text) => return read_text(text, path, reader),
        WrittenMatrix::Column(entries) => {
            admit_size(entries.len(), 1, path)?;
            let column = entries
                .iter()
                .enumerate()
                .map(|(at, entry)| Ok(vec![read_entry(entry, &format!("{path}/{at}"), reader)?]));
            column.collect::<Result<Vec<_>, ToolError>>()?
        }
        WrittenMatrix::Rows(rows) => {
            let columns = rows.first().map_or(0, Vec::len);
            admit_size(rows.len(), columns, path)?;
            if let Some(at) = rows.iter().position(|row| row.len() != columns) {
                let found = rows[at].len();
                return Err(ToolError::invalid(
                    format!("{path}/{at}"),
                    format_args!("expected {columns} entries as in the first row, found {found}"),
                )
                .reason("shape")
                .hint("all rows of a matrix are equally long"));
            }
            let mut read = Vec::new();
            for (at, row) in rows.iter().enumerate() {
                let entries = row.iter().enumerate().map(|(place, entry)| {
                    read_entry(entry, &format!("{path}/{at}/{place}"), reader)
                });
                read.push(entries.collect::<Result<Vec<_>, ToolError>>()?);
            }
            read
        }
    };
    regular_matrix(rows, path)
}

fn admit_size(rows: usize, columns: usize, path: &str) -> Result<(), ToolError> {
    if rows == 0 || columns == 0 {
        return Err(ToolError::invalid(path, "the matrix has no entry")
            .reason("shape")
            .hint("write rows, such as `[[1, \"a\"], [0, 2]]`"));
    }
    if rows > NUMERIC_SIZE_LIMIT || columns > NUMERIC_SIZE_LIMIT {
        refuse!(invalid path, "limit"; "expected at most {NUMERIC_SIZE_LIMIT} rows and columns, found {rows} by {columns}";
            "`matrix_solve`, `matrix_eigenvalues` and their like take large matrices of numbers");
    }
    Ok(())
}

fn regular_matrix(rows: Vec<Vec<Expr>>, path: &str) -> Result<ExprMatrix, ToolError> {
    ExprMatrix::from_rows(rows).ok_or_else(|| {
        ToolError::invalid(path, "expected rows of equal length")
            .reason("shape")
            .hint("rows end with `;`, entries with `,`")
    })
}

fn read_entry(
    entry: &WrittenEntry,
    path: &str,
    reader: &mut TextReader,
) -> Result<Expr, ToolError> {
    match entry {
        WrittenEntry::Formula(text) => reader.read(text, path),
        WrittenEntry::Number(value) if value.fract() == 0.0 && value.abs() < 9e15 => {
            Ok(Expr::integer(*value as i64))
        }
        WrittenEntry::Number(value) => reader.read(&format!("{value:e}"), path),
    }
}

/// `[[1, a], [2, b]]`, `1, a; 2, b`, or a matrix of LaTeX.
fn read_text(text: &str, path: &str, reader: &mut TextReader) -> Result<ExprMatrix, ToolError> {
    if text.contains(r"\begin") {
        let read = reader.read(text, path)?;
        let rows = matrix_rows(&read).ok_or_else(|| {
            ToolError::invalid(path, "expected a matrix, found a formula").hint("give its rows")
        })?;
        admit_size(rows.len(), rows.first().map_or(0, Vec::len), path)?;
        return regular_matrix(rows, path);
    }
    let plain = text.trim();
    let plain = match plain
        .strip_prefix("[[")
        .and_then(|rest| rest.strip_suffix("]]"))
    {
        Some(inside) => split_outside(inside, ']')
            .iter()
            .map(|row| row.trim_start_matches([',', ' ', '[']))
            .collect::<Vec<&str>>()
            .join(";"),
        None => plain.trim_matches(['[', ']']).replace('\n', ";"),
    };
    let rows = split_outside(&plain, ';');
    let rows: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| row.trim())
        .filter(|row| !row.is_empty())
        .map(|row| split_outside(row, ','))
        .collect();
    admit_size(rows.len(), rows.first().map_or(0, Vec::len), path)?;
    let mut read = Vec::new();
    for row in rows {
        let entries = row.iter().map(|entry| reader.read(entry, path));
        read.push(entries.collect::<Result<Vec<_>, ToolError>>()?);
    }
    regular_matrix(read, path)
}

/// Parts between a sign that stands outside of round brackets.
fn split_outside(text: &str, sign: char) -> Vec<&str> {
    let mut depth = 0usize;
    text.split(|found: char| {
        match found {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        found == sign && depth == 0
    })
    .collect()
}

fn matrix_rows(expr: &Expr) -> Option<Vec<Vec<Expr>>> {
    match expr.as_call()? {
        (MathFunction::MatrixOf, rows) => rows
            .iter()
            .map(|row| match row.as_call()? {
                (MathFunction::Row, entries) => Some(entries.to_vec()),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}
