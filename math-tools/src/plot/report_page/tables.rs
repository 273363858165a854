//! Results as tables of words and rounded numbers.

use plots::{ReportCell, ReportSection, ReportTable, readable_number};
use tool_core::{Numbers, Object};

use crate::prelude::*;

/// Rows of a table on a page; a page is for people.
const ROWS_MAX: usize = 60;
/// Columns of a table on a page.
const COLUMNS_MAX: usize = 40;
/// Numbers of a list that are written out.
const LISTED_MAX: usize = 12;
/// How deep members of members are shown.
const DEPTH_MAX: usize = 4;
/// Significant digits: a page is read, and JSON has all of them.
const DIGITS: usize = 4;

/// Adds a result to a section: its sentence and its line for a paper, lists of records, and the rest as details.
pub(super) fn push_result(
    section: &mut ReportSection,
    result: &Value,
    show: Option<&[String]>,
    place: &str,
) -> Result<(), ToolError> {
    let Some(members) = result.as_object() else {
        refuse!(invalid format!("{place}/result"), "type"; "expected the result of a tool, an object, found {}", result.kind();
            "pass the whole result of a step: {{\"$ref\": \"step\"}}");
    };
    let text = |name: &str| result.get(name).and_then(Value::as_str);
    text("summary")
        .unwrap_or_default()
        .clone_into(&mut section.finding);
    text("apa")
        .unwrap_or_default()
        .clone_into(&mut section.quoted);
    if let Some(names) = show {
        return push_named(section, members, names, place);
    }
    let mut scalars = ReportTable::default();
    for (name, value) in members.iter() {
        if matches!(name, "summary" | "apa") {
            continue;
        }
        if let Some(table) = records_of(name, value) {
            section.tables.push(table);
        } else {
            push_details(&mut section.details, &mut scalars, name, value, 0);
        }
    }
    if !scalars.rows.is_empty() {
        section.details.insert(0, scalars);
    }
    Ok(())
}

fn push_named(
    section: &mut ReportSection,
    members: &Object,
    names: &[String],
    place: &str,
) -> Result<(), ToolError> {
    let mut scalars = ReportTable::default();
    for (at, name) in names.iter().enumerate() {
        let Some(value) = members.get(name) else {
            let known = did_you_mean(name, members.iter().map(|(known, _)| known));
            let hint = known.unwrap_or_else(|| "name a member of `result`".to_owned());
            let error = ToolError::invalid(
                format!("{place}/show/{at}"),
                format_args!("`result` has no member `{name}`"),
            );
            return Err(error.reason("unknown_member").hint(hint));
        };
        match records_of(name, value) {
            Some(table) => section.tables.push(table),
            None => push_details(&mut section.tables, &mut scalars, name, value, 0),
        }
    }
    if !scalars.rows.is_empty() {
        section.tables.push(scalars);
    }
    Ok(())
}

fn records_of(name: &str, value: &Value) -> Option<ReportTable> {
    match value {
        Value::Array(items) if !items.is_empty() => record_table(&heading_of(name), items),
        _ => None,
    }
}

/// Records as a table, a column for each member of any of them; `None` where an item is no record.
pub(super) fn record_table(caption: &str, items: &[Value]) -> Option<ReportTable> {
    let mut names: Vec<&str> = Vec::new();
    for item in items {
        for (name, _) in item.as_object()?.iter() {
            if !names.contains(&name) && names.len() < COLUMNS_MAX {
                names.push(name);
            }
        }
    }
    let row = |item: &Value| -> Vec<ReportCell> {
        let cell = |name: &&str| item.get(name).map_or_else(empty_cell, cell_of);
        names.iter().map(cell).collect()
    };
    let cut = match items.len() {
        count if count > ROWS_MAX => format!(" (the first {ROWS_MAX} of {count})"),
        _ => String::new(),
    };
    Some(ReportTable {
        caption: format!("{caption}{cut}"),
        columns: names.iter().map(|name| heading_of(name)).collect(),
        rows: items.iter().take(ROWS_MAX).map(row).collect(),
    })
}

/// Adds a member: to the table of single values, or as tables of its own.
fn push_details(
    tables: &mut Vec<ReportTable>,
    scalars: &mut ReportTable,
    name: &str,
    value: &Value,
    depth: usize,
) {
    match value {
        Value::Object(members) if depth < DEPTH_MAX => {
            let mut own = ReportTable {
                caption: heading_of(name),
                ..ReportTable::default()
            };
            let mut inner = Vec::new();
            for (name, value) in members.iter() {
                match records_of(name, value) {
                    Some(table) => inner.push(table),
                    None => push_details(&mut inner, &mut own, name, value, depth + 1),
                }
            }
            if !own.rows.is_empty() {
                tables.push(own);
            }
            tables.append(&mut inner);
        }
        Value::String(text) if text.contains('\n') => {}
        Value::Numbers(numbers)
            if numbers.rank() == 2 && numbers.len() <= LISTED_MAX * LISTED_MAX =>
        {
            tables.push(matrix_table(name, numbers));
        }
        other => scalars
            .rows
            .push(vec![ReportCell::Text(heading_of(name)), cell_of(other)]),
    }
}

fn matrix_table(name: &str, numbers: &Numbers) -> ReportTable {
    let width = numbers.shape()[1].max(1);
    let row = |row: &[f64]| row.iter().map(|&number| number_cell(number)).collect();
    ReportTable {
        caption: heading_of(name),
        columns: Vec::new(),
        rows: numbers.as_slice().chunks(width).map(row).collect(),
    }
}

/// The name of a member as words.
fn heading_of(name: &str) -> String {
    name.replace('_', " ")
}

fn empty_cell() -> ReportCell {
    ReportCell::Text(String::new())
}

fn number_cell(number: f64) -> ReportCell {
    ReportCell::Number(readable_number(number, DIGITS))
}

fn cell_of(value: &Value) -> ReportCell {
    match value {
        Value::Null => ReportCell::Text("-".to_owned()),
        Value::Bool(true) => ReportCell::Text("yes".to_owned()),
        Value::Bool(false) => ReportCell::Text("no".to_owned()),
        Value::Float(number) => number_cell(*number),
        Value::String(text) => ReportCell::Text(text.to_string()),
        Value::Numbers(numbers) if numbers.rank() == 1 && numbers.len() == 1 => {
            number_cell(numbers.as_slice()[0])
        }
        Value::Numbers(numbers) if numbers.rank() == 1 && numbers.len() <= LISTED_MAX => {
            let number = |&number: &f64| readable_number(number, DIGITS);
            let texts: Vec<String> = numbers.as_slice().iter().map(number).collect();
            ReportCell::Text(texts.join(", "))
        }
        Value::Numbers(numbers) => {
            let sides: Vec<String> = numbers.shape().iter().map(usize::to_string).collect();
            ReportCell::Text(format!("{} numbers", sides.join(" x ")))
        }
        Value::Array(items) if items.is_empty() => ReportCell::Text("none".to_owned()),
        Value::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
            match texts {
                Some(texts) => ReportCell::Text(texts.join("; ")),
                None => ReportCell::Text(format!("{} items", items.len())),
            }
        }
        Value::Object(members) => {
            let member = |(name, value): (&str, &Value)| match cell_of(value) {
                ReportCell::Number(text) | ReportCell::Text(text) => {
                    format!("{} {text}", heading_of(name))
                }
            };
            let texts: Vec<String> = members.iter().take(LISTED_MAX).map(member).collect();
            ReportCell::Text(texts.join(", "))
        }
        other => ReportCell::Number(other.to_string()),
    }
}
