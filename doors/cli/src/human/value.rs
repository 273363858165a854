//! Values for readers: members on lines, records and series as tables, unchanged plots, long lists without their middle.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use tool_core::{Numbers, Object, Value};

use super::number::format_rounded;
use super::safe::is_picture;
use super::table::TextTable;
use super::text::{terminal_width, wrap_paragraph};

/// Maximum number of shown elements of a list, and of rows and columns of a table.
const SHOWN_MAX: usize = 12;
/// How many of them are the last ones.
const SHOWN_LAST: usize = 4;

/// A value, each member on a line; a picture as it is.
pub(crate) fn render_value(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Object(object) => render_members(object, 0, &mut text),
        other => {
            text.push_str(&inline_or_block(other, 0));
            text.push('\n');
        }
    }
    text
}

/// The picture that a result is: a text, or a member, that a terminal draws; a file of it is a file of the picture.
pub(crate) fn find_picture(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) if is_picture(text) => Some(text),
        Value::Object(object) => {
            let mut members = object.iter().filter_map(|(_, member)| member.as_str());
            members.find(|text| is_picture(text))
        }
        _ => None,
    }
}

fn render_members(object: &Object, indent: usize, text: &mut String) {
    let widths = object.iter().map(|(key, _)| key.chars().count());
    let width = widths.max().unwrap_or(0);
    let pad = " ".repeat(indent);
    let all: Vec<(&str, &Value)> = object.iter().collect();
    let mut rest = all.as_slice();
    while let Some((&(key, value), after)) = rest.split_first() {
        let series = series_members(rest);
        if series.len() > 1 {
            text.push_str(&series_table(series).lines(indent));
            rest = &rest[series.len()..];
            continue;
        }
        rest = after;
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                let _ = writeln!(text, "{pad}{key}");
                render_members(inner, indent + 2, text);
            }
            other => {
                let rendered = inline_or_block(other, indent + 2);
                if rendered.contains('\n') {
                    let _ = writeln!(text, "{pad}{key}\n{}", rendered.trim_end_matches('\n'));
                } else {
                    let line = in_lines(&rendered, indent + width + 2);
                    let _ = writeln!(text, "{pad}{key:width$}  {line}");
                }
            }
        }
    }
}

/// A text beside its name, on a terminal in lines that end at words.
fn in_lines(text: &str, indent: usize) -> String {
    match std::io::stdout().is_terminal() && indent + text.chars().count() > terminal_width() {
        true => wrap_paragraph(text, terminal_width().saturating_sub(indent), 0)
            .replace('\n', &format!("\n{}", " ".repeat(indent))),
        false => text.to_owned(),
    }
}

fn inline_or_block(value: &Value, indent: usize) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if is_picture(text) => format!("{text}\n"),
        Value::String(text) => text.trim_end_matches('\n').to_owned(),
        Value::Float(number) => format_rounded(*number),
        Value::Numbers(numbers) if numbers.rank() == 1 => render_number_list(numbers),
        Value::Numbers(numbers) if numbers.rank() == 2 => render_matrix(numbers, indent),
        Value::Numbers(numbers) => format!("array of shape {:?}", numbers.shape()),
        Value::Array(items) if items.is_empty() => "(none)".to_owned(),
        Value::Array(items) => render_rows(items, indent),
        Value::Object(object) => {
            let members = object.iter();
            let members =
                members.map(|(key, value)| format!("{key}={}", inline_or_block(value, 0)));
            members.collect::<Vec<_>>().join("  ")
        }
        other => other.to_string(),
    }
}

/// The indices of the shown ones of `count` elements: the first and the last; `None` stands for the others.
fn shown_indices(count: usize) -> Vec<Option<usize>> {
    if count <= SHOWN_MAX {
        return (0..count).map(Some).collect();
    }
    let first = (0..SHOWN_MAX - SHOWN_LAST).map(Some);
    let last = (count - SHOWN_LAST..count).map(Some);
    first.chain([None]).chain(last).collect()
}

fn format_element(of: &Numbers, number: f64) -> String {
    match of.integral() {
        true => format!("{number:.0}"),
        false => format_rounded(number),
    }
}

/// The cells of the shown ones of a row or list.
fn row_cells(of: &Numbers, row: &[f64]) -> Vec<String> {
    let cell =
        |index: Option<usize>| index.map_or("...".to_owned(), |at| format_element(of, row[at]));
    shown_indices(row.len()).into_iter().map(cell).collect()
}

fn render_number_list(numbers: &Numbers) -> String {
    let text = row_cells(numbers, numbers.as_slice()).join(" ");
    match numbers.len() {
        0..=SHOWN_MAX => text,
        count => format!("{text} ({count} values)"),
    }
}

fn render_matrix(numbers: &Numbers, indent: usize) -> String {
    let (rows, columns) = (numbers.shape()[0], numbers.shape()[1]);
    let header = shown_indices(columns).into_iter().map(|_| "");
    let mut table = TextTable::new(header);
    for row in shown_indices(rows) {
        let of = |at: usize| &numbers.as_slice()[at * columns..(at + 1) * columns];
        let dots = || vec!["...".to_owned(); shown_indices(columns).len()];
        table.push(row.map_or_else(dots, |at| row_cells(numbers, of(at))));
    }
    let mut text = table.lines(indent);
    if rows > SHOWN_MAX || columns > SHOWN_MAX {
        let _ = writeln!(text, "{}({rows} x {columns})", " ".repeat(indent));
    }
    text
}

/// The members that form one table: an ascending `t`, and those after it with a value or row for each of its elements.
fn series_members<'a, 'b>(members: &'b [(&'a str, &'a Value)]) -> &'b [(&'a str, &'a Value)] {
    let times = match members.first() {
        Some(("t", Value::Numbers(times))) if times.rank() == 1 => times,
        _ => return &members[..0],
    };
    let is_ascending = times.as_slice().windows(2).all(|pair| pair[0] < pair[1]);
    let fits = |value: &Value| match value {
        Value::Numbers(numbers) => numbers.rank() <= 2 && numbers.shape()[0] == times.len(),
        _ => false,
    };
    let count = members.iter().take_while(|(_, value)| fits(value)).count();
    match is_ascending && times.len() > 1 {
        true => &members[..count],
        false => &members[..0],
    }
}

fn series_table(members: &[(&str, &Value)]) -> TextTable {
    let numbers = members.iter().filter_map(|(name, value)| match value {
        Value::Numbers(numbers) => Some((*name, numbers)),
        _ => None,
    });
    let columns: Vec<(String, &Numbers, usize, usize)> = numbers
        .flat_map(|(name, numbers)| {
            let width = numbers.shape().get(1).copied();
            (0..width.unwrap_or(1)).map(move |column| {
                let name = width.map_or(name.to_owned(), |_| format!("{name}{column}"));
                (name, numbers, column, width.unwrap_or(1))
            })
        })
        .take(SHOWN_MAX)
        .collect();
    let mut table = TextTable::new(columns.iter().map(|(name, ..)| name.clone()));
    let count = columns.first().map_or(0, |(_, times, ..)| times.len());
    for row in shown_indices(count) {
        let cell = |&(_, of, column, width): &(String, &Numbers, usize, usize)| match row {
            Some(row) => format_element(of, of.as_slice()[row * width + column]),
            None => "...".to_owned(),
        };
        table.push(columns.iter().map(cell).collect());
    }
    table
}

fn render_rows(items: &[Value], indent: usize) -> String {
    if let Some(table) = records_table(items).and_then(|table| table.fitting(indent)) {
        return table + &total_line(items.len(), indent);
    }
    let pad = " ".repeat(indent);
    let mut text = String::new();
    for index in shown_indices(items.len()) {
        match index.map(|at| &items[at]) {
            None => {
                let _ = writeln!(text, "{pad}...");
            }
            Some(Value::Object(object)) if !object.is_empty() => {
                let mut block = String::new();
                render_members(object, indent + 2, &mut block);
                block.replace_range(indent..=indent, "-");
                text.push_str(&block);
            }
            Some(item) => {
                let _ = writeln!(text, "{pad}{}", inline_or_block(item, indent + 2));
            }
        }
    }
    let short = items.iter().all(|item| !matches!(item, Value::Object(_)));
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = short
        && items
            .iter()
            .all(|item| item.as_str().is_none_or(|text| !text.contains(' ')));
    match short && items.len() <= SHOWN_MAX && line.len() <= terminal_width() / 2 {
        true => line,
        false => text + &total_line(items.len(), indent),
    }
}

fn total_line(count: usize, indent: usize) -> String {
    match count {
        0..=SHOWN_MAX => String::new(),
        _ => format!("{}({count} in total)\n", " ".repeat(indent)),
    }
}

/// Records as a table: a column for each member of any of them; `None` where a cell would be a structure.
fn records_table(items: &[Value]) -> Option<TextTable> {
    let mut names: Vec<&str> = Vec::new();
    let mut objects = Vec::with_capacity(items.len());
    for item in items {
        let Value::Object(object) = item else {
            return None;
        };
        for (name, value) in object.iter() {
            let is_cell = match value {
                Value::Object(_) => false,
                Value::Array(items) => items.is_empty(),
                Value::Numbers(numbers) => numbers.rank() == 1 && numbers.len() <= 4,
                _ => true,
            };
            if !is_cell {
                return None;
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        objects.push(object);
    }
    let mut table = TextTable::new(names.iter().copied());
    for index in shown_indices(objects.len()) {
        let cell = |name: &&str| match index.map(|at| objects[at].get(name)) {
            None => "...".to_owned(),
            Some(None) => String::new(),
            Some(Some(value)) => inline_or_block(value, 0),
        };
        table.push(names.iter().map(cell).collect());
    }
    (!names.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use tool_core::{Value, json, object};

    use super::*;

    fn shown_of(text: &str) -> String {
        render_value(&json::parse_json(text, json::JsonLimits::default()).unwrap())
    }

    #[test]
    fn members_are_aligned_and_numbers_rounded() {
        assert_eq!(
            shown_of(r#"{"mean": 6.416666666666667, "n": 3, "name": "a"}"#),
            "mean  6.41667\nn     3\nname  a\n"
        );
    }

    #[test]
    fn an_ascending_t_begins_a_table() {
        assert_eq!(
            shown_of(r#"{"t": [0, 1.5], "y": [[1, 0.25], [0.5403023, 2]], "completed": true}"#),
            "  t        y0    y1\n0    1         0.25\n1.5  0.540302  2\ncompleted  true\n"
        );
        let unordered = shown_of(r#"{"t": [1.5, 0], "y": [1, 2]}"#);
        assert!(unordered.starts_with("t  1.5 0\n"), "{unordered}");
    }

    #[test]
    fn records_are_a_table() {
        assert_eq!(
            shown_of(
                r#"{"rows": [{"group": "a", "mean": 3.0}, {"group": "b", "mean": 11.2, "n": null}]}"#
            ),
            "rows\n  group  mean  n\n  a       3\n  b      11.2  -\n"
        );
    }

    #[test]
    fn wide_records_are_blocks() {
        let text = "x".repeat(70);
        let shown = shown_of(&format!(r#"{{"rows": [{{"a": "{text}", "b": 1}}]}}"#));
        assert_eq!(shown, format!("rows\n  - a  {text}\n    b  1\n"));
    }

    #[test]
    fn the_middle_of_a_long_list_is_left_out() {
        let all: Vec<String> = (0..300).map(|n| format!("{n}")).collect();
        let shown = shown_of(&format!(r#"{{"x": [{}]}}"#, all.join(",")));
        assert_eq!(
            shown,
            "x  0 1 2 3 4 5 6 7 ... 296 297 298 299 (300 values)\n"
        );
    }

    #[test]
    fn a_picture_is_printed_as_it_is() {
        let drawn = "\x1bP0;1q\"1;1;100;50#0;2;100;100;100#0!100~$-\x1b\\";
        let shown = render_value(&object! { "plot" => drawn });
        assert!(shown.contains(drawn), "{shown:?}");
        assert_eq!(render_value(&Value::from(drawn)).trim_end(), drawn);
        assert_eq!(
            find_picture(&object! { "sixel" => drawn, "n_points" => 3.0 }),
            Some(drawn)
        );
        assert_eq!(find_picture(&object! { "text" => "drawn" }), None);
    }
}
