//! Tables of files: several as one, exact decimals, and errors that point at the argument.

use tool_core::input::InputKind;
use tool_core::{DataSource, capability::ArrayLoader as _};

use super::*;
use crate::inputs::FileInputs;

fn sales() -> Place {
    let place = Place::new();
    place.put("data/s2.csv", b"n,city\n2,Rome\n");
    place.put("data/s1.csv", b"city,n\nOslo,1\nBern,1.5\n");
    place.put("data/s10.csv", b"city,n\n,\n");
    place
}

#[test]
fn the_files_of_a_pattern_are_one_table() {
    let place = sales();
    let found = place
        .call(
            "read_table",
            r#"{"path":"data/s*.csv","source_column":"file"}"#,
        )
        .unwrap();
    assert_eq!(
        found.get("table").unwrap().to_string(),
        r#"{"file":["data/s1.csv","data/s1.csv","data/s10.csv","data/s2.csv"],"city":["Oslo","Bern",null,"Rome"],"n":[1.0,1.5,null,2.0]}"#
    );
    assert_eq!(found.text("path"), Some("data/s*.csv"));
    assert!(found.get("found").unwrap().to_string().contains("3 files"));
    let one = place.call("read_table", r#"{"path":"data/s?.csv","columns":["n"]}"#);
    let one = one.unwrap().get("table").unwrap().to_string();
    assert_eq!(one, r#"{"n":[1.0,1.5,2.0]}"#);
    // The same files as an argument of another tool.
    let files = Workspace::open(place.folder.path()).unwrap();
    let inputs = FileInputs::new(Arc::new(files));
    let source = DataSource::file("data/s*.csv");
    let table = inputs.open(&source, InputKind::Table, 1 << 20).unwrap();
    assert_eq!(
        table.to_string(),
        r#"{"city":["Oslo","Bern",null,"Rome"],"n":[1.0,1.5,null,2.0]}"#
    );
    // A file of that very name is that file.
    place.put("data/s*.csv", b"x\n7\n");
    let literal = place
        .call("read_table", r#"{"path":"data/s*.csv"}"#)
        .unwrap();
    assert_eq!(literal.get("table").unwrap().to_string(), r#"{"x":[7]}"#);
}

#[test]
fn faults_of_several_files_name_them() {
    let place = sales();
    place.put("data/t.csv", b"city,price\nRome,3\n");
    for (args, path, words) in [
        (r#"{"path":"data/*.csv"}"#, "/path", "line 2 has 1 cells"),
        (r#"{"path":"data/[ts]*.csv"}"#, "/path", "no file matches"),
        (r#"{"path":"none/*.csv"}"#, "/path", "none"),
        (
            r#"{"path":"data/s*.csv","columns":["price"]}"#,
            "/columns",
            "no column is named `price`",
        ),
        (
            r#"{"path":"data/s*.csv","columns":["n","n"]}"#,
            "/columns/1",
            "named twice",
        ),
        (
            r#"{"path":"data/s1.csv","source_column":"n"}"#,
            "/source_column",
            "two columns are named `n`",
        ),
    ] {
        let err = place.call("read_table", args).unwrap_err();
        assert_eq!(err.path(), Some(path), "{args}: {err:?}");
        assert!(err.message().contains(words), "{args}: {err:?}");
    }
    std::fs::remove_file(place.folder.path().join("data/a.csv")).unwrap();
    let err = place
        .call("read_table", r#"{"path":"data/*.csv"}"#)
        .unwrap_err();
    assert!(
        err.message()
            .contains("`data/s1.csv` has a column `n`, and `data/t.csv` has none"),
        "{err:?}"
    );
}

#[test]
fn decimals_of_text_are_exact_where_asked() {
    let place = Place::new();
    place.put(
        "data/d.csv",
        b"a,b,c\n0.1,1,1e3\n12345678901234567890.25,2,0.5\n",
    );
    let read = |more: &str| {
        let args = format!(r#"{{"path":"data/d.csv"{more}}}"#);
        place.call("read_table", &args).unwrap()
    };
    let exact = read(r#","exact_decimals":true"#);
    assert_eq!(
        exact.get("types").unwrap().to_string(),
        r#"["decimal (2 after the point)","integer","number"]"#
    );
    let cells = exact.pointer("/table/a/1").unwrap();
    assert_eq!(cells, Value::from("12345678901234567890.25"));
    let plain = read("");
    assert_eq!(
        plain.get("types").unwrap().to_string(),
        r#"["number","integer","number"]"#
    );
}

#[test]
fn an_existing_table_is_told_in_the_words_of_the_tool() {
    let place = Place::new();
    let write = |more: &str| {
        let args = format!(r#"{{"path":"data/a.csv","table":{{"a":[1]}}{more}}}"#);
        place.call("write_table", &args)
    };
    let err = write("").unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::Conflict, Some("/path"))
    );
    let hint = err.hint_str().unwrap();
    assert!(
        hint.contains("overwrite") && !hint.contains("append"),
        "{hint}"
    );
    assert!(write(r#","mode":"overwrite""#).is_ok());
}

/// What it answers is the content of a file, which the policy decides as `read_file`.
#[test]
fn reading_a_table_is_reading_a_file() {
    assert_eq!(find("read_table").spec().reads, ["/path"]);
    let call = find("read_table")
        .decode(&json::parse_json(r#"{"path":"data/*.csv"}"#, json::JsonLimits::default()).unwrap())
        .unwrap();
    let keys = call.resources().unwrap();
    assert_eq!(
        keys[0].name, "data",
        "a change in the folder is a change of the table"
    );
}

/// 9,001 columns cost what their cells cost, not their square.
#[test]
fn wide_tables_are_read_in_linear_time() {
    let place = Place::new();
    let names: Vec<String> = (0..9_001).map(|index| format!("column_{index}")).collect();
    let cells = vec!["1"; names.len()].join(",");
    let text = format!("{}\n{cells}\n{cells}\n", names.join(","));
    place.put("data/wide.csv", text.as_bytes());
    let found = place
        .call("read_table", r#"{"path":"data/wide.csv"}"#)
        .unwrap();
    assert_eq!(found.get("count"), Some(&Value::Int(2)));
    assert_eq!(found.pointer("/rows/1/column_9000"), Some(Value::Int(1)));
}
