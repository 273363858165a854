//! [`DataSelection`]: columns, rows and members of data that is not inline.

use std::collections::HashSet;

use crate::brief;
use crate::csv::{self, CsvDialect};
use crate::error::RequestProblem;
use crate::nearest::nearest_name;
use crate::npy::NpyFault;
use crate::value::{Object, Value};

/// The part of a file or artifact that an argument takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataSelection {
    /// The array of an `.npz` file.
    pub member: Option<String>,
    /// One column of a table, as a list.
    pub column: Option<String>,
    /// Columns of a table, in this order.
    pub columns: Option<Vec<String>>,
    /// Conditions on columns; a row is taken if all hold.
    pub rows: Vec<(String, CellCondition)>,
    /// What becomes of rows with missing cells where numbers are wanted.
    pub missing: Option<MissingCellMode>,
    /// How delimited text is written.
    pub dialect: CsvDialect,
}

/// What becomes of rows with missing cells where numbers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingCellMode {
    /// They are left out, with a warning that says how many.
    Drop,
    /// They are an error.
    Refuse,
}

/// A condition on the cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum CellCondition {
    /// The cell is one of these; whether they were written as a list.
    OneOf(Vec<Value>, bool),
    /// The cell is a number between these, inclusive.
    Between(Option<f64>, Option<f64>),
}

const MEMBER: &str = "member";
const COLUMN: &str = "column";
const COLUMNS: &str = "columns";
const WHERE: &str = "where";
const MISSING: &str = "missing";
const DELIMITER: &str = "delimiter";
const HAS_HEADER: &str = "has_header";
const DECIMAL_COMMA: &str = "decimal_comma";
const MISSING_WORDS: &str = "missing_words";

impl DataSelection {
    /// Its keys, beside `$file` or `$artifact`.
    pub const KEYS: [&str; 9] = [
        MEMBER,
        COLUMN,
        COLUMNS,
        WHERE,
        MISSING,
        DELIMITER,
        HAS_HEADER,
        DECIMAL_COMMA,
        MISSING_WORDS,
    ];

    /// Whether everything is taken, as it is found.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether columns are chosen.
    pub fn selects_columns(&self) -> bool {
        self.column.is_some() || self.columns.is_some()
    }

    /// Whether no column and no row is chosen.
    pub fn is_whole_table(&self) -> bool {
        !self.selects_columns() && self.rows.is_empty()
    }

    pub(crate) fn read(object: &Object) -> Result<Self, RequestProblem> {
        let name = |key: &str| {
            let read = |value: &Value| require_text(value, &format!("/{key}"));
            object.get(key).map(read).transpose()
        };
        let columns = object.get(COLUMNS).map(|value| {
            let found = value.items().filter(|items| !items.is_empty());
            let names =
                found.ok_or_else(|| type_problem("/columns", "a list of column names", value))?;
            let names: Vec<String> = (names.iter().enumerate())
                .map(|(index, name)| require_text(name, &format!("/columns/{index}")))
                .collect::<Result<_, _>>()?;
            let mut seen = HashSet::new();
            match names.iter().find(|name| !seen.insert(name.as_str())) {
                Some(twice) => Err(RequestProblem::new(
                    "/columns",
                    format_args!("the column `{}` is named twice", brief::brief_name(twice)),
                )),
                None => Ok(names),
            }
        });
        let rows = object.get(WHERE).map(|value| {
            let members = value.as_object().filter(|members| !members.is_empty());
            let members = members
                .ok_or_else(|| type_problem("/where", "an object of column names", value))?;
            let read = |(name, wanted): (&str, &Value)| {
                Ok::<_, RequestProblem>((name.to_owned(), CellCondition::read(name, wanted)?))
            };
            members
                .iter()
                .map(read)
                .collect::<Result<_, RequestProblem>>()
        });
        let missing = object.get(MISSING).map(|value| match value.as_str() {
            Some("drop") => Ok(MissingCellMode::Drop),
            Some("refuse") => Ok(MissingCellMode::Refuse),
            _ => Err(type_problem("/missing", "`drop` or `refuse`", value)),
        });
        let read = Self {
            member: name(MEMBER)?,
            column: name(COLUMN)?,
            columns: columns.transpose()?,
            rows: rows.transpose()?.unwrap_or_default(),
            missing: missing.transpose()?,
            dialect: parse_dialect(object)?,
        };
        match (&read.column, &read.columns) {
            (Some(_), Some(_)) => Err(RequestProblem::new(
                "",
                "`column` takes one column, as a list, and `columns` several: give one of them",
            )),
            _ => Ok(read),
        }
    }

    pub(crate) fn write(&self, object: &mut Object) {
        object.insert_some(MEMBER, self.member.as_deref());
        object.insert_some(COLUMN, self.column.as_deref());
        object.insert_some(COLUMNS, self.columns.clone());
        if !self.rows.is_empty() {
            let rows = self.rows.iter();
            let rows = rows.map(|(name, wanted)| (name.as_str(), wanted.to_value()));
            object.insert(WHERE, Value::object(rows));
        }
        let missing = self.missing.map(|missing| match missing {
            MissingCellMode::Drop => "drop",
            MissingCellMode::Refuse => "refuse",
        });
        object.insert_some(MISSING, missing);
        let dialect = &self.dialect;
        let delimiter = dialect.delimiter.map(|byte| char::from(byte).to_string());
        object.insert_some(DELIMITER, delimiter);
        object.insert_some(HAS_HEADER, dialect.has_header);
        object.insert_some(DECIMAL_COMMA, dialect.decimal_comma);
        object.insert_some(MISSING_WORDS, dialect.missing_words.clone());
    }

    /// The selected part of a table: a list of records, or an object of columns. A member is selected where the file is read.
    ///
    /// # Errors
    /// A value without named columns, an unknown column, and a condition that no row meets.
    pub fn apply(&self, value: Value) -> Result<Value, NpyFault> {
        if self.is_whole_table() {
            return Ok(value);
        }
        let table = TableForm::of(&value)?;
        let rows = self.matching(&table)?;
        if let Some(name) = &self.column {
            let cells = table.column(name)?;
            return Ok(Value::array(take_rows(cells, &rows)));
        }
        let names: Vec<&str> = match &self.columns {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => table.names(),
        };
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            columns.push((name, take_rows(table.column(name)?, &rows)));
        }
        Ok(match table {
            TableForm::Columns(_) => {
                let columns = columns.into_iter();
                Value::object(columns.map(|(name, cells)| (name, Value::array(cells))))
            }
            TableForm::Records(_) => column_records(&columns),
        })
    }

    /// The rows that meet every condition, from 0.
    fn matching(&self, table: &TableForm<'_>) -> Result<Option<Vec<usize>>, NpyFault> {
        let mut rows: Option<Vec<usize>> = None;
        for (name, wanted) in &self.rows {
            let cells = table.column(name)?;
            wanted.suits(name, &cells)?;
            let kept: Vec<usize> = match rows {
                None => (0..cells.len())
                    .filter(|row| wanted.holds(&cells[*row]))
                    .collect(),
                Some(rows) => rows
                    .into_iter()
                    .filter(|row| wanted.holds(&cells[*row]))
                    .collect(),
            };
            if kept.is_empty() {
                let wanted = crate::json::to_text(&wanted.to_value());
                let message = format!(
                    "no row has a `{}` that is {}",
                    brief::brief_name(name),
                    brief::brief_name(&wanted)
                );
                return Err(NpyFault::new(
                    message,
                    "compare with the cells of that column: texts are compared exactly",
                ));
            }
            rows = Some(kept);
        }
        Ok(rows)
    }
}

/// How delimited text is written, as far as it is stated.
fn parse_dialect(object: &Object) -> Result<CsvDialect, RequestProblem> {
    let flag = |key: &str| {
        let read = |value: &Value| {
            let flag = value.as_bool();
            flag.ok_or_else(|| type_problem(&format!("/{key}"), "true or false", value))
        };
        object.get(key).map(read).transpose()
    };
    let delimiter = object.get(DELIMITER).map(|value| {
        let found = value.as_str().and_then(csv::parse_delimiter);
        found.ok_or_else(|| type_problem("/delimiter", "one ASCII character such as \",\"", value))
    });
    let words = object.get(MISSING_WORDS).map(|value| {
        let words = value.items().filter(|_| value.as_str().is_none());
        let words =
            words.ok_or_else(|| type_problem("/missing_words", "a list of texts", value))?;
        let words = words.iter().enumerate();
        words
            .map(|(index, word)| require_text(word, &format!("/missing_words/{index}")))
            .collect::<Result<_, _>>()
    });
    Ok(CsvDialect {
        delimiter: delimiter.transpose()?,
        has_header: flag(HAS_HEADER)?,
        decimal_comma: flag(DECIMAL_COMMA)?,
        missing_words: words.transpose()?,
    })
}

/// The objects of a list of columns of equal length.
pub fn column_records(columns: &[(&str, Vec<Value>)]) -> Value {
    let rows = columns.first().map_or(0, |(_, cells)| cells.len());
    let record = |row: usize| {
        let cells = columns.iter();
        Value::object(cells.map(|(name, cells)| (*name, cells[row].clone())))
    };
    Value::array((0..rows).map(record).collect())
}

/// The names of the columns of a table, if a value is one; at least one.
pub fn column_names(value: &Value) -> Option<Vec<String>> {
    let table = TableForm::of(value).ok()?;
    Some(table.names().into_iter().map(str::to_owned).collect())
}

/// The rows of a table, each a list of its cells; `None` where the value is no table.
pub fn table_rows(value: &Value) -> Option<Value> {
    let table = TableForm::of(value).ok()?;
    let names = table.names();
    let columns: Vec<Vec<Value>> = names
        .iter()
        .map(|name| table.column(name).ok())
        .collect::<Option<_>>()?;
    let row = |row: usize| Value::array(columns.iter().map(|cells| cells[row].clone()).collect());
    Some(Value::array((0..columns.first()?.len()).map(row).collect()))
}

/// A table with at least one named column, as it is written.
enum TableForm<'a> {
    Columns(&'a Object),
    Records(&'a [Value]),
}

impl<'a> TableForm<'a> {
    fn of(value: &'a Value) -> Result<Self, NpyFault> {
        match value {
            Value::Object(columns) if is_columns(columns) => return Ok(Self::Columns(columns)),
            Value::Array(items) if !items.is_empty() => {
                let is_record = |item: &Value| item.as_object().is_some();
                if items.iter().all(is_record) {
                    return Ok(Self::Records(items));
                }
            }
            _ => {}
        }
        Err(NpyFault::new(
            format!(
                "expected a table with named columns, found {}",
                value.kind()
            ),
            "`column`, `columns` and `where` need a .csv file with a header, a list of objects, or an object of equal lists",
        ))
    }

    fn names(&self) -> Vec<&'a str> {
        match self {
            Self::Columns(columns) => columns.iter().map(|(name, _)| name).collect(),
            Self::Records(records) => {
                let (mut names, mut seen) = (Vec::new(), HashSet::new());
                for record in records.iter().filter_map(Value::as_object) {
                    names.extend(
                        record
                            .iter()
                            .map(|(name, _)| name)
                            .filter(|name| seen.insert(*name)),
                    );
                }
                names
            }
        }
    }

    /// The cells of a column; one that a record lacks is `null`.
    fn column(&self, name: &str) -> Result<Vec<Value>, NpyFault> {
        let found = match self {
            Self::Columns(columns) => columns.get(name).and_then(Value::items),
            Self::Records(records) => {
                let cells: Vec<Option<&Value>> =
                    records.iter().map(|record| record.get(name)).collect();
                let is_there = cells.iter().any(Option::is_some);
                is_there.then(|| {
                    cells
                        .into_iter()
                        .map(|cell| cell.cloned().unwrap_or_default())
                        .collect()
                })
            }
        };
        found.ok_or_else(|| {
            let names = self.names();
            let near = nearest_name(name, names.iter().copied());
            let near = near.map(|near| format!(" (did you mean `{near}`?)"));
            NpyFault::new(
                format!(
                    "no column is named `{}`{}: the columns are {}",
                    brief::brief_name(name),
                    near.unwrap_or_default(),
                    list_column_names(&names)
                ),
                "names of columns are compared exactly, with upper and lower case",
            )
        })
    }
}

/// Whether an object has at least one column, all of them lists of one length.
fn is_columns(object: &Object) -> bool {
    let length = |value: &Value| match value {
        Value::Array(items) => Some(items.len()),
        Value::Numbers(numbers) => numbers.shape().first().copied(),
        _ => None,
    };
    let mut lengths = object.iter().map(|(_, value)| length(value));
    let first = lengths.next().flatten();
    first.is_some() && lengths.all(|length| length == first)
}

/// Names of columns, for a message.
pub fn list_column_names<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN_MAX: usize = 20;
    let shown = names.iter().take(SHOWN_MAX);
    let shown: Vec<String> = shown
        .map(|name| format!("`{}`", brief::brief_name(name.as_ref())))
        .collect();
    let more = names.len().saturating_sub(SHOWN_MAX);
    match more {
        0 => shown.join(", "),
        _ => format!("{} and {more} more", shown.join(", ")),
    }
}

fn take_rows(cells: Vec<Value>, rows: &Option<Vec<usize>>) -> Vec<Value> {
    match rows {
        None => cells,
        Some(rows) => rows.iter().map(|row| cells[*row].clone()).collect(),
    }
}

impl CellCondition {
    fn read(column: &str, value: &Value) -> Result<Self, RequestProblem> {
        let mut at = String::from("/where");
        crate::path::push_key(&mut at, column);
        let what = "a value, a list of values, or {\"min\": .., \"max\": ..}";
        let is_cell = |value: &Value| {
            !matches!(
                value,
                Value::Object(_) | Value::Array(_) | Value::Numbers(_)
            )
        };
        if let Some(object) = value.as_object() {
            let bound = |key: &str| {
                let read = |bound: &Value| {
                    let number = bound.as_f64().filter(|number| number.is_finite());
                    number.ok_or_else(|| type_problem(&format!("{at}/{key}"), "a number", bound))
                };
                object.get(key).map(read).transpose()
            };
            let (min, max) = (bound("min")?, bound("max")?);
            let known = usize::from(min.is_some()) + usize::from(max.is_some());
            return match known {
                0 => Err(type_problem(&at, what, value)),
                _ if known < object.len() => {
                    Err(RequestProblem::new(at, "expected `min` and `max` only"))
                }
                _ => Ok(Self::Between(min, max)),
            };
        }
        let (values, is_list) = match value.items() {
            Some(values) => (values, true),
            None => (vec![value.clone()], false),
        };
        match values.iter().all(is_cell) && !values.is_empty() {
            true => Ok(Self::OneOf(values, is_list)),
            false => Err(type_problem(&at, what, value)),
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::OneOf(values, true) => Value::array(values.clone()),
            Self::OneOf(values, false) => values.first().cloned().unwrap_or_default(),
            Self::Between(min, max) => {
                let mut object = Object::new();
                object.insert_some("min", *min);
                object.insert_some("max", *max);
                object.into()
            }
        }
    }

    /// Refuses bounds on a column that holds no number: no row would be taken, without a word about the reason.
    fn suits(&self, name: &str, cells: &[Value]) -> Result<(), NpyFault> {
        let is_text = !cells.is_empty() && cells.iter().all(|cell| cell.as_f64().is_none());
        if matches!(self, Self::Between(..)) && is_text {
            let message = format!("the column `{}` holds no numbers", brief::brief_name(name));
            return Err(NpyFault::new(message, "`min` and `max` compare numbers"));
        }
        Ok(())
    }

    fn holds(&self, cell: &Value) -> bool {
        match self {
            Self::OneOf(values, _) => {
                values
                    .iter()
                    .any(|value| match (value.as_f64(), cell.as_f64()) {
                        (Some(a), Some(b)) => a == b,
                        _ => value == cell,
                    })
            }
            Self::Between(min, max) => cell.as_f64().is_some_and(|number| {
                min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max)
            }),
        }
    }
}

fn require_text(value: &Value, at: &str) -> Result<String, RequestProblem> {
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| type_problem(at, "a text", value))
}

fn type_problem(at: &str, what: &str, found: &Value) -> RequestProblem {
    RequestProblem::new(at, format_args!("expected {what}, found {}", found.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::DataSource;

    fn value(text: &str) -> Value {
        crate::json::parse_json(text, crate::json::JsonLimits::default()).unwrap()
    }

    fn selected(selection: &str, of: &str) -> Result<String, String> {
        let mut object = value(selection).as_object().unwrap().clone();
        object.insert("$file", "t.csv");
        let source = DataSource::from_value(&object.into()).unwrap();
        let source = source.map_err(|problem| format!("{} {}", problem.path, problem.message))?;
        let read = source.selection.apply(value(of));
        read.map(|value| value.to_string())
            .map_err(|fault| fault.message)
    }

    const RECORDS: &str = r#"[{"g":"a","v":1.0},{"g":"b","v":2.5},{"g":"a","v":4.0}]"#;
    const COLUMNS: &str = r#"{"g":["a","b","a"],"v":[1.0,2.5,4.0]}"#;

    #[test]
    fn columns_and_rows_are_taken_from_both_forms_of_a_table() {
        for (selection, records, columns) in [
            (r#"{"column":"v"}"#, "[1.0,2.5,4.0]", "[1.0,2.5,4.0]"),
            (
                r#"{"column":"v","where":{"g":"a"}}"#,
                "[1.0,4.0]",
                "[1.0,4.0]",
            ),
            (
                r#"{"column":"g","where":{"v":{"min":2.5}}}"#,
                r#"["b","a"]"#,
                r#"["b","a"]"#,
            ),
            (
                r#"{"column":"v","where":{"v":{"max":2.5},"g":["a","c"]}}"#,
                "[1.0]",
                "[1.0]",
            ),
            (
                r#"{"columns":["v","g"],"where":{"v":[4.0]}}"#,
                r#"[{"v":4.0,"g":"a"}]"#,
                r#"{"v":[4.0],"g":["a"]}"#,
            ),
            (
                r#"{"where":{"g":"b"}}"#,
                r#"[{"g":"b","v":2.5}]"#,
                r#"{"g":["b"],"v":[2.5]}"#,
            ),
        ] {
            assert_eq!(
                selected(selection, RECORDS).unwrap(),
                records,
                "{selection}"
            );
            assert_eq!(
                selected(selection, COLUMNS).unwrap(),
                columns,
                "{selection}"
            );
        }
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (selection, of, message) in [
            (
                r#"{"column":"V"}"#,
                RECORDS,
                "no column is named `V` (did you mean `v`?): the columns are `g`, `v`",
            ),
            (
                r#"{"column":"w2"}"#,
                COLUMNS,
                "no column is named `w2`: the columns are `g`, `v`",
            ),
            (
                r#"{"column":"v"}"#,
                "[[1,2]]",
                "expected a table with named columns",
            ),
            (
                r#"{"column":"v"}"#,
                r#"{"a":[1],"b":[1,2]}"#,
                "expected a table with named columns",
            ),
            (
                r#"{"where":{"g":"c"}}"#,
                RECORDS,
                "no row has a `g` that is \"c\"",
            ),
            (
                r#"{"where":{"g":{"min":1}}}"#,
                COLUMNS,
                "the column `g` holds no numbers",
            ),
        ] {
            let found = selected(selection, of).unwrap_err();
            assert!(found.contains(message), "{selection}: {found}");
        }
    }

    #[test]
    fn a_malformed_selection_is_refused_with_its_place() {
        for (selection, message) in [
            (
                r#"{"colum":"v"}"#,
                " unknown key `colum` beside `$file`; did you mean `column`?",
            ),
            (r#"{"column":3}"#, "/column expected a text, found"),
            (
                r#"{"columns":[]}"#,
                "/columns expected a list of column names",
            ),
            (
                r#"{"columns":["a","a"]}"#,
                "/columns the column `a` is named twice",
            ),
            (
                r#"{"column":"a","columns":["a"]}"#,
                " `column` takes one column",
            ),
            (r#"{"where":{}}"#, "/where expected an object"),
            (
                r#"{"where":{"g":{"least":1}}}"#,
                "/where/g expected a value",
            ),
            (
                r#"{"where":{"g":{"min":1,"x":1}}}"#,
                "/where/g expected `min` and `max` only",
            ),
            (
                r#"{"where":{"g":{"min":"1"}}}"#,
                "/where/g/min expected a number",
            ),
            (r#"{"where":{"g":[[1]]}}"#, "/where/g expected a value"),
            (
                r#"{"delimiter":";;"}"#,
                "/delimiter expected one ASCII character",
            ),
            (r#"{"has_header":1}"#, "/has_header expected true or false"),
            (
                r#"{"missing_words":"NA"}"#,
                "/missing_words expected a list of texts",
            ),
            (
                r#"{"missing_words":[1]}"#,
                "/missing_words/0 expected a text",
            ),
            (
                r#"{"$artifact":"b3:0"}"#,
                " `$file` and `$artifact` exclude each other",
            ),
        ] {
            let found = selected(selection, RECORDS).unwrap_err();
            assert!(found.starts_with(message), "{selection}: {found}");
        }
    }

    #[test]
    fn a_source_is_written_as_it_was_read() {
        for text in [
            r#"{"$file":"t.csv"}"#,
            r#"{"$file":"t.npz","member":"A"}"#,
            r#"{"$file":"t.csv","missing":"refuse","delimiter":";","has_header":false,"decimal_comma":true,"missing_words":["?"]}"#,
            r#"{"$file":"t.csv","missing_words":[]}"#,
            r#"{"$artifact":"b3:0","columns":["a","b"],"where":{"g":"a","h":[1,"x"],"i":{"min":1.5}}}"#,
        ] {
            let source = DataSource::from_value(&value(text)).unwrap().unwrap();
            assert_eq!(source.to_value().to_string(), text);
        }
    }
}
