//! Missing cells where numbers are wanted: rows of a table are left out, the same ones in every argument that takes of that table.

use std::collections::HashMap;

use tool_core::brief;
use tool_core::input::{DataSource, InputKind, SourceRef};
use tool_core::schema::DROPPED;
use tool_core::selection::MissingCellMode;
use tool_core::{AnyTool, ToolError, Value, tool_error};

use super::DecidedCall;

/// What was left out.
#[derive(Default)]
pub(super) struct LeftOut {
    /// A sentence about each table.
    pub notes: Vec<String>,
    /// Rows of all tables.
    pub rows: usize,
}

/// A result with the number of rows that were left out of its data, where its schema has a place for it.
pub(super) fn add_missing_count(output: Value, rows: usize, tool: &dyn AnyTool) -> Value {
    let has_place = || tool.output_schema()["properties"][DROPPED].is_object();
    match output.as_object() {
        Some(members) if rows > 0 && members.get(DROPPED).is_none() && has_place() => {
            let mut members = members.clone();
            members.insert(DROPPED, rows as i64);
            Value::Object(members.into())
        }
        _ => output,
    }
}

/// Leaves out the rows in which a cell is missing.
///
/// # Errors
/// Missing cells where the call wants none, or where nothing tells which rows of two tables belong together; texts among numbers,
/// with column, line and text.
pub(super) fn leave_out(
    decided: &DecidedCall<'_>,
    loaded: &mut HashMap<DataSource, Value>,
) -> Result<LeftOut, ToolError> {
    let references = decided.call.sources();
    let mut left_out = LeftOut::default();
    let mut done: Vec<&DataSource> = Vec::new();
    let numeric = |reference: &&SourceRef| reference.kind == InputKind::Data;
    for reference in references.iter().filter(numeric) {
        if let Some(value) = loaded.get_mut(&reference.source) {
            check_texts(decided, reference, value)?;
            *value = parse_number_texts(value, &reference.source);
        }
    }
    let holes = |reference: &SourceRef| match loaded.get(&reference.source) {
        Some(value) if reference.kind == InputKind::Data => missing_rows(decided, reference, value),
        _ => Vec::new(),
    };
    let holes: Vec<Vec<usize>> = references.iter().map(holes).collect();
    for (reference, own) in references.iter().zip(&holes) {
        let source = &reference.source;
        if own.is_empty() || done.contains(&source) {
            continue;
        }
        // Whatever takes of the same rows loses the same ones.
        let beside = |other: &SourceRef| is_beside(source, &other.source) && takes_rows(other);
        let together: Vec<&SourceRef> = references.iter().filter(|other| beside(other)).collect();
        let of_these = references.iter().zip(&holes);
        let mut rows: Vec<usize> = of_these
            .filter(|(other, _)| beside(other))
            .flat_map(|(_, holes)| holes.iter().copied())
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let name = source.name();
        if together
            .iter()
            .any(|one| one.source.selection.missing == Some(MissingCellMode::Refuse))
        {
            let (count, first) = (rows.len(), rows[0] + 1);
            return Err(tool_error!(InvalidArgs at &reference.pointer, "missing";
                "`{name}`{}: {count} rows have a missing cell, the first is row {first}", column_suffix(source);
                "leave them out with `\"missing\": \"drop\"`, or choose rows with `where`"));
        }
        let elsewhere = references.iter().filter(numeric).find(|other| {
            !is_beside(source, &other.source) && loaded.get(&other.source).is_some_and(is_list)
        });
        if let (Some(other), None) = (elsewhere, source.selection.missing) {
            return Err(tool_error!(InvalidArgs at &reference.pointer, "missing";
                "`{name}`{}: {} rows have a missing cell, and nothing tells which rows of `{}` belong to them",
                column_suffix(source), rows.len(), other.source.name();
                "take all columns of one table, so that whole rows are left out, or say `\"missing\": \"drop\"` if the arguments do not go together"));
        }
        let mut count = None;
        for one in &together {
            done.push(&one.source);
        }
        let mut sources: Vec<&DataSource> = together.iter().map(|one| &one.source).collect();
        sources.dedup();
        let mut seen: Vec<&DataSource> = Vec::new();
        for source in sources {
            if seen.contains(&source) {
                continue;
            }
            seen.push(source);
            if let Some(value) = loaded.get_mut(source) {
                let before = column_length(value);
                *value = remove_rows(value, &rows);
                count = count.max(Some(before));
            }
        }
        let (all, left) = (count.unwrap_or_default(), rows.len());
        if left >= all {
            return Err(tool_error!(InvalidArgs at &reference.pointer, "missing";
                "`{name}`{}: no row is without a missing cell", column_suffix(source);
                "choose other columns, or fill the cells"));
        }
        left_out.rows += left;
        left_out.notes.push(format!(
            "{left} of {all} rows of `{name}`{} have a missing cell and were left out",
            column_suffix(source)
        ));
    }
    Ok(left_out)
}

/// Whether two references take the same rows of one table.
fn is_beside(one: &DataSource, other: &DataSource) -> bool {
    let (of_one, of_other) = (&one.selection, &other.selection);
    one.place == other.place
        && of_one.member == of_other.member
        && of_one.rows == of_other.rows
        && of_one.dialect.has_header == of_other.dialect.has_header
        && (one == other || (of_one.selects_columns() && of_other.selects_columns()))
}

/// Whether an argument takes rows that go with those of others: numbers, or one column of any kind.
fn takes_rows(reference: &SourceRef) -> bool {
    match reference.kind {
        InputKind::Data => true,
        InputKind::Any => reference.source.selection.selects_columns(),
        InputKind::Table | InputKind::Text => false,
    }
}

fn column_suffix(source: &DataSource) -> String {
    match &source.selection.column {
        Some(name) => format!(", column `{}`", brief::brief_name(name)),
        None => String::new(),
    }
}

fn is_list(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Numbers(_))
}

/// The columns or rows of a value: what a table has, or a list as its only column.
fn table_parts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(columns)
            if !columns.is_empty() && columns.iter().all(|(_, cells)| is_list(cells)) =>
        {
            columns.iter().map(|(_, cells)| cells).collect()
        }
        Value::Array(_) | Value::Numbers(_) => vec![value],
        _ => Vec::new(),
    }
}

fn column_length(value: &Value) -> usize {
    let of = |part: &&Value| match part {
        Value::Array(items) => items.len(),
        Value::Numbers(numbers) => numbers.shape().first().copied().unwrap_or(0),
        _ => 0,
    };
    table_parts(value).first().map_or(0, of)
}

/// The rows of an argument that are left out. Where the argument itself takes `null`, such as a pair that is
/// forbidden, nothing is missing unless the call says so.
fn missing_rows(decided: &DecidedCall<'_>, reference: &SourceRef, value: &Value) -> Vec<usize> {
    let rows = rows_with_holes(value);
    if rows.is_empty() || reference.source.selection.missing.is_some() {
        return rows;
    }
    let schema = decided.located.tool().input_schema();
    let argument = reference.pointer.strip_prefix('/').unwrap_or_default();
    let argument = &schema["properties"][argument];
    match argument.is_object() && tool_core::schema::check_value(argument, value).is_empty() {
        true => Vec::new(),
        false => rows,
    }
}

/// The rows with a missing cell, from 0; of numbers alone there are none.
fn rows_with_holes(value: &Value) -> Vec<usize> {
    let has_hole = |item: &Value| match item {
        Value::Null => true,
        Value::Array(cells) => cells.iter().any(Value::is_null),
        Value::Object(cells) => cells.iter().any(|(_, cell)| cell.is_null()),
        _ => false,
    };
    let mut rows = Vec::new();
    for part in table_parts(value) {
        if let Value::Array(items) = part {
            let holes = items.iter().enumerate();
            rows.extend(holes.filter(|(_, item)| has_hole(item)).map(|(row, _)| row));
        }
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// A list or an object of columns without some rows.
fn remove_rows(value: &Value, rows: &[usize]) -> Value {
    match value {
        Value::Object(columns) => Value::object(
            columns
                .iter()
                .map(|(name, cells)| (name, remove_rows(cells, rows))),
        ),
        _ => {
            let items = value.items().unwrap_or_default().into_iter().enumerate();
            let kept = items.filter(|(row, _)| rows.binary_search(row).is_err());
            Value::array(kept.map(|(_, item)| item).collect())
        }
    }
}

/// Refuses a selected column of texts where numbers are wanted.
fn check_texts(
    decided: &DecidedCall<'_>,
    reference: &SourceRef,
    value: &Value,
) -> Result<(), ToolError> {
    let source = &reference.source;
    let columns: Vec<(&str, &Value)> = match (value, &source.selection.column) {
        (Value::Array(_), Some(name)) => vec![(name, value)],
        (Value::Object(columns), None) if source.selection.columns.is_some() => {
            columns.iter().collect()
        }
        _ => return Ok(()),
    };
    for (name, cells) in columns {
        let Value::Array(cells) = cells else { continue };
        let is_text = |text: &&str| {
            let number =
                tool_core::json::parse_json(text.trim(), tool_core::json::JsonLimits::default());
            !is_missing_word(text, source) && !number.is_ok_and(|number| number.as_f64().is_some())
        };
        let mut texts = cells.iter().filter_map(Value::as_str);
        let Some(text) = texts.find(is_text) else {
            continue;
        };
        let row = cells.iter().position(|cell| cell.as_str() == Some(text));
        let place = find_cell_line(decided, source, name, text)
            .map(|line| format!("line {line}"))
            .unwrap_or_else(|| format!("row {}", row.map_or(0, |row| row + 1)));
        return Err(tool_error!(InvalidArgs at &reference.pointer, "column";
            "`{}`: expected numbers, the column `{}` is text because of {:?} in {place}",
            source.name(), brief::brief_name(name), brief::brief_name(text);
            "leave that row out by `where`, mend the cell, or name it beside `$file` as one of the words for no value: `\"missing_words\": [{:?}]`, in place of NA, NaN, null and -", brief::brief_name(text)));
    }
    Ok(())
}

/// Whether a text stands for a missing cell among numbers; where the call states such words, they were found by the reader.
fn is_missing_word(text: &str, source: &DataSource) -> bool {
    let is_open = source.selection.dialect.missing_words.is_none();
    is_open && tool_core::csv::MISSING.contains(&text.trim())
}

/// Selected numbers that a column of texts spells, of which no other text is left.
fn parse_number_texts(value: &Value, source: &DataSource) -> Value {
    let number = |cell: &Value| match cell.as_str() {
        Some(text) if is_missing_word(text, source) => Value::Null,
        Some(text) => {
            tool_core::json::parse_json(text.trim(), tool_core::json::JsonLimits::default())
                .unwrap_or_else(|_| cell.clone())
        }
        None => cell.clone(),
    };
    match value {
        Value::Array(cells)
            if source.selection.selects_columns()
                && cells.iter().any(|cell| cell.as_str().is_some()) =>
        {
            Value::array(cells.iter().map(number).collect())
        }
        Value::Object(columns) if source.selection.selects_columns() => Value::object(
            columns
                .iter()
                .map(|(name, cells)| (name, parse_number_texts(cells, source))),
        ),
        _ => value.clone(),
    }
}

/// The line of a text in a file of delimited text, which is opened again for this message.
fn find_cell_line(
    decided: &DecidedCall<'_>,
    source: &DataSource,
    column: &str,
    cell: &str,
) -> Option<u64> {
    let name = source.name().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let mut dialect = source.selection.dialect.clone();
    if name.ends_with(".tsv") {
        dialect.delimiter.get_or_insert(b'\t');
    } else if !name.ends_with(".csv") {
        return None;
    }
    let dispatcher = decided.located.dispatcher;
    let files = decided.places.as_ref()?.files("");
    let arrays = dispatcher.host.arrays.clone()?;
    let arrays = arrays.for_call(&files).unwrap_or(arrays);
    let whole = DataSource::file(source.name());
    let (role, most) = (
        decided.located.caller.role(),
        dispatcher.limits.max_input_bytes,
    );
    let text = arrays.open_for(role, &whole, InputKind::Text, most).ok()?;
    tool_core::csv::line_of(text.as_str()?, &dialect, column, cell)
}
