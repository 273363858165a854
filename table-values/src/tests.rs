use std::sync::Arc;

use tables::{DataTable, TableColumn};
use tool_core::{Ctx, Value, json};

use super::{
    CELLS_MAX, column_value, settled_column, table_result, table_value, typed_column, typed_columns,
};

fn columns() -> Vec<(&'static str, TableColumn)> {
    let text = |cells: &[Option<&'static str>]| TableColumn::texts(cells.iter().copied());
    let date = |year: i32| tables::parse_date(&format!("{year}-02-03"));
    vec![
        (
            "whole",
            TableColumn::integers([1, -7, (1 << 60) + 1].map(Some)),
        ),
        ("holes", TableColumn::integers([None, Some(3), None])),
        ("double", TableColumn::doubles([1.0, 0.1, -0.0].map(Some))),
        ("gap", TableColumn::doubles([Some(2.0), None, Some(1e300)])),
        (
            "vast",
            TableColumn::doubles([Some(f64::INFINITY), None, None]),
        ),
        (
            "truth",
            TableColumn::booleans([Some(true), None, Some(false)]),
        ),
        ("text", text(&[Some("a"), Some("2024-01-02"), None])),
        (
            "days",
            text(&[Some("2024-01-02"), None, Some("2024-01-03")]),
        ),
        ("numerals", text(&[Some("007"), Some("1"), Some("")])),
        ("date", TableColumn::dates([date(2024), None, date(1999)])),
        (
            "moment",
            TableColumn::moments([Some(0), Some(1), None], Some("Z".into())),
        ),
        (
            "decimal",
            TableColumn::decimals(vec![Some(125), None, Some(10_i128.pow(30))], 2)
                .expect("decimals"),
        ),
        ("none", TableColumn::Missing(3)),
        ("empty", TableColumn::doubles([None, None, None])),
    ]
}

/// A typed column that goes straight to the next tool is the one that its cells give, and so is one that was recorded in between.
#[test]
fn typed_columns_are_those_of_their_cells() {
    for (name, column) in columns() {
        let cells = column_value(&column);
        let from_cells = typed_column(&cells);
        assert_eq!(settled_column(&column), from_cells, "{name}");
        let text = json::to_text(&cells);
        let read = json::parse_json(&text, json::JsonLimits::default()).expect("JSON");
        assert_eq!(typed_column(&read), from_cells, "{name}: {text}");
    }
}

#[test]
fn a_table_is_an_object_of_columns_to_everybody() {
    let named = columns()
        .into_iter()
        .map(|(name, column)| (Arc::from(name), column));
    let table = DataTable::new(named.collect()).expect("a table");
    let plain = Value::object(
        table
            .iter()
            .map(|(name, column)| (Arc::clone(name), column_value(column))),
    );
    let value = table_value(table.clone());
    assert_eq!(json::to_text(&value), json::to_text(&plain));
    assert_eq!(json::canonical_json(&value), json::canonical_json(&plain));
    assert_eq!(value, plain);
    assert_eq!(value.table_rows(), Some(3));
    assert_eq!(value.get("text"), plain.get("text"));
    assert_eq!(value.get("absent"), None);
    let size = value.as_object().and_then(tool_core::Object::table);
    let size = size.expect("a table").json_bytes_max();
    let names: usize = table.names().iter().map(|name| name.len() + 4).sum();
    assert!(size + names as u64 >= json::to_text(&plain).len() as u64);
    let mut changed = value.as_object().cloned().expect("an object");
    changed.insert("text", 1.0);
    assert_eq!(
        changed.len(),
        plain.as_object().map_or(0, tool_core::Object::len)
    );
    assert!(changed.table().is_none());
    let back = typed_columns(value.as_object().expect("an object"));
    let of_plain = typed_columns(plain.as_object().expect("an object"));
    assert_eq!(back, of_plain);
}

#[test]
fn an_empty_table_keeps_its_names() {
    let table = DataTable::new(vec![("a".into(), TableColumn::integers([]))]).expect("a table");
    let value = table_value(table);
    assert_eq!(json::to_text(&value), r#"{"a":[]}"#);
    let columns = typed_columns(value.as_object().expect("an object"));
    assert_eq!(columns[0].1.column, TableColumn::Missing(0));
}

/// Columns without a value take no memory, however long.
#[test]
fn a_result_is_the_whole_table_or_an_error() {
    let of_cells = |cells: usize| {
        let column = ("a".into(), TableColumn::Missing(cells));
        let table = DataTable::new(vec![column]).expect("a table");
        table_result(table, 2, "use `head`", &Ctx::default())
    };
    let result = of_cells(CELLS_MAX).expect("as many as may be");
    assert_eq!(result.table.table_rows(), Some(CELLS_MAX));
    assert_eq!(
        result.rows,
        Value::array(vec![Value::object([("a", Value::Null)]); 2])
    );
    let err = of_cells(CELLS_MAX + 1).expect_err("one cell too many");
    assert_eq!(
        (err.reason_str(), err.hint_str()),
        (Some("limit"), Some("use `head`"))
    );
}
