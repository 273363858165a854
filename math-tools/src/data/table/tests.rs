//! The tools of tables by their arguments, and the two readers of delimited text side by side.

use ::tables::read::{CsvShape, read_csv};
use ::tables::{PlainCell, PlainColumn, ReadLimits};
use proptest::prelude::*;
use tool_core::csv::{self, CsvDialect};
use tool_core::{AnyTool, Ctx, ErasedTool, ToolError, Value, json, tool_entry};

use crate::data::{
    table_describe, table_group, table_join, table_melt, table_pivot, table_select, table_window,
};

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default())
        .unwrap_or_else(|err| panic!("{text}: {err}"))
}

fn call(entry: ErasedTool, args: &str) -> Result<Value, ToolError> {
    let tool: &dyn AnyTool = entry.tool();
    tool.decode(&parse(args))?.run(&Ctx::default())
}

fn rows(entry: ErasedTool, args: &str) -> String {
    let found = call(entry, args).unwrap_or_else(|err| panic!("{args}: {err:?}"));
    found.get("rows").expect("rows").to_string()
}

const SELECT: ErasedTool = tool_entry::<table_select::Args>();
const GROUP: ErasedTool = tool_entry::<table_group::Args>();
const WINDOW: ErasedTool = tool_entry::<table_window::Args>();
const MELT: ErasedTool = tool_entry::<table_melt::Args>();
const PIVOT: ErasedTool = tool_entry::<table_pivot::Args>();
const JOIN: ErasedTool = tool_entry::<table_join::Args>();

#[test]
fn rows_are_chosen_by_values_and_by_expressions() {
    let table = r#""table": {"c": ["a", "b", null, "a"], "n": [1, 2, 3, null], "d": ["2024-01-01", "2024-02-01", null, "2024-03-01"], "t": [true, false, true, null]}"#;
    for (wanted, expected) in [
        (r#""where": {"c": "a"}"#, r#"[{"n":1},{"n":null}]"#),
        (r#""where": {"c": null}"#, r#"[{"n":3}]"#),
        (r#""where": {"n": [1, 3]}"#, r#"[{"n":1},{"n":3}]"#),
        (r#""where": {"n": {"min": 2}}"#, r#"[{"n":2},{"n":3}]"#),
        (r#""where": {"d": {"max": "2024-01-31"}}"#, r#"[{"n":1}]"#),
        (r#""where": {"t": true}, "filter": "n > 1""#, r#"[{"n":3}]"#),
        (r#""filter": "n - mean(n) >= 0""#, r#"[{"n":2},{"n":3}]"#),
        (r#""sort": ["-n"], "head": 2"#, r#"[{"n":3},{"n":2}]"#),
        (r#""distinct": ["c"]"#, r#"[{"n":1},{"n":2},{"n":3}]"#),
        (r#""sample": 2, "seed": 1, "rows": 0"#, "[]"),
    ] {
        let args = format!(r#"{{{table}, {wanted}, "columns": ["n"]}}"#);
        assert_eq!(rows(SELECT, &args), expected, "{wanted}");
    }
    let sample = |seed: u64| {
        let args = format!(r#"{{{table}, "sample": 2, "seed": {seed}}}"#);
        call(SELECT, &args).unwrap()
    };
    assert_eq!(sample(3), sample(3));
    assert_eq!(sample(3).get("count"), Some(&Value::Int(2)));
    let computed = format!(
        r#"{{{table}, "compute": ["x = 1 / (n - 1)", "y = x + 1", "k = 7"], "columns": ["x", "y", "k"]}}"#
    );
    assert_eq!(
        rows(SELECT, &computed),
        r#"[{"x":null,"y":null,"k":7.0},{"x":1.0,"y":2.0,"k":7.0},{"x":0.5,"y":1.5,"k":7.0},{"x":null,"y":null,"k":7.0}]"#
    );
}

#[test]
fn expressions_know_texts_and_dates() {
    let table = r#""table": {"city": ["Rome", " oslo", null, "Bern"], "d": ["2024-01-31", "2023-12-25", "2024-06-30", null],
        "t": ["2024-05-17T10:30:15", null, "2024-05-18T00:00:00", "2024-05-19T23:59:59"], "n": [1, 2, 3, 4]}"#;
    for (compute, expected) in [
        ("lower(city)", r#"["rome"," oslo",null,"bern"]"#),
        ("upper(trim(city))", r#"["ROME","OSLO",null,"BERN"]"#),
        ("length(city)", "[4,5,null,4]"),
        ("contains(city, 'o')", "[true,true,null,false]"),
        ("starts_with(city, \"B\")", "[false,false,null,true]"),
        ("ends_with(lower(city), 'E')", "[false,false,null,false]"),
        ("replace(city, 'o', '0')", r#"["R0me"," 0sl0",null,"Bern"]"#),
        ("slice(city, 2, 2)", r#"["om","os",null,"er"]"#),
        (
            "concat(city, '/', d)",
            r#"["Rome/2024-01-31"," oslo/2023-12-25",null,null]"#,
        ),
        ("city == 'Rome'", "[true,false,null,false]"),
        ("'Bern' <= city", "[true,false,null,true]"),
        ("d >= '2024-01-01'", "[true,false,true,null]"),
        ("year(d)", "[2024,2023,2024,null]"),
        ("quarter(d)", "[1,4,2,null]"),
        ("weekday(d)", "[3,1,7,null]"),
        ("hour(t)", "[10,null,0,23]"),
        ("minute(t) + second(t)", "[45.0,null,0.0,118.0]"),
        ("n * (year(d) == 2024)", "[1.0,0.0,3.0,null]"),
        (
            "n * contains(city, 'o') + length(city)",
            "[5.0,7.0,null,4.0]",
        ),
        ("if(length(city) > 4, -1, n)", "[1.0,-1.0,null,4.0]"),
        ("'x'", r#"["x","x","x","x"]"#),
        ("1e2 * n", "[100.0,200.0,300.0,400.0]"),
    ] {
        let compute = compute.replace('"', "\\\"");
        let args = format!(r#"{{{table}, "compute": ["r = {compute}"], "columns": ["r"]}}"#);
        let found = call(SELECT, &args).unwrap_or_else(|err| panic!("{compute}: {err:?}"));
        let found = found.pointer("/table/r").unwrap().to_string();
        assert_eq!(found, expected, "{compute}");
    }
    for (filter, message) in [
        ("lower(n) == 'x'", "`lower` takes texts"),
        ("city + 1", "`city` is a text or a date"),
        (
            "city == 1",
            "column `city` is text: expected a text after `==`, found `1`",
        ),
        ("year(city)", "`year` takes dates and times, found text"),
        ("contains(city)", "`contains` takes other arguments"),
        ("d > 'soon'", "expected a date of ISO 8601"),
        ("city == 'Rome", "a text is not closed"),
        ("lower(citi) == 'x'", "no column is named `citi`"),
        ("lower(city)", "expected a condition, found text"),
        ("lower(city", "expected `,` or `)`"),
    ] {
        let args = format!(r#"{{{table}, "filter": "{filter}"}}"#);
        let err = call(SELECT, &args).unwrap_err();
        assert_eq!(err.path(), Some("/filter"), "{filter}: {err:?}");
        assert!(err.message().contains(message), "{filter}: {err:?}");
        assert!(err.hint_str().is_some(), "{filter}: {err:?}");
    }
}

#[test]
fn errors_name_the_argument_and_the_next_step() {
    let table = r#""table": {"price": [1, 2], "city": ["a", "b"]}"#;
    for (entry, rest, path, message, hint) in [
        (
            SELECT,
            r#""columns": ["prise"]"#,
            "/columns/0",
            "no column is named `prise`",
            "did you mean `price`?",
        ),
        (
            SELECT,
            r#""filter": "prise > 1""#,
            "/filter",
            "prise",
            "did you mean `price`?",
        ),
        (
            SELECT,
            r#""filter": "city > 1""#,
            "/filter",
            "column `city` is text",
            "`where`",
        ),
        (
            SELECT,
            r#""compute": ["price / 2"]"#,
            "/compute/0",
            "expected a name and an expression",
            "such as",
        ),
        (
            SELECT,
            r#""where": {"price": {"least": 1}}"#,
            "/where/price",
            "expected a value",
            "",
        ),
        (
            GROUP,
            r#""aggregates": ["meen(price)"]"#,
            "/aggregates/0",
            "unknown function `meen`",
            "did you mean `mean`?",
        ),
        (
            GROUP,
            r#""aggregates": ["mean(prices)"]"#,
            "/aggregates/0",
            "no column",
            "did you mean `price`?",
        ),
        (
            GROUP,
            r#""aggregates": ["count(city)", "sum(city)"]"#,
            "/aggregates/1",
            "expected numbers, found text",
            "",
        ),
        (
            GROUP,
            r#""aggregates": ["mean"]"#,
            "/aggregates/0",
            "expected a function of a column",
            "mean(price)",
        ),
        (
            GROUP,
            r#""aggregates": ["mean()"]"#,
            "/aggregates/0",
            "needs a column",
            "count()",
        ),
        (
            GROUP,
            r#""aggregates": ["quantile(price, 2)"]"#,
            "/aggregates/0",
            "from 0 to 1",
            "0.9",
        ),
        (
            GROUP,
            r#""aggregates": ["count()", "count()"]"#,
            "/aggregates/1",
            "a column is named `count` already",
            "another name",
        ),
        (
            GROUP,
            r#""by": ["city", "city"], "aggregates": ["count()"]"#,
            "/by/1",
            "column `city` is named twice",
            "once",
        ),
        (
            GROUP,
            r#""by": ["city"], "aggregates": ["city = count()"]"#,
            "/aggregates/0",
            "a column is named `city` already",
            "",
        ),
        (
            WINDOW,
            r#""compute": ["price = rank(price)"]"#,
            "/compute/0",
            "a column is named `price` already",
            "",
        ),
        (
            MELT,
            r#""keep": ["citi"]"#,
            "/keep/0",
            "no column",
            "did you mean `city`?",
        ),
        (
            MELT,
            r#""keep": ["city"], "value_to": "city""#,
            "/value_to",
            "`keep` has a column named `city`",
            "another name",
        ),
        (
            PIVOT,
            r#""by": ["price"], "names": "city", "values": "price", "function": "nope""#,
            "/function",
            "unknown function",
            "",
        ),
        (
            PIVOT,
            r#""by": ["price"], "names": "price", "values": "city", "function": "sum""#,
            "/values",
            "column `city`: expected numbers",
            "",
        ),
        (GROUP, r#""aggregates": []"#, "/aggregates", "", ""),
        (
            WINDOW,
            r#""compute": ["rolling_mean(price)"]"#,
            "/compute/0",
            "at least 1",
            "rolling_mean(price, 7)",
        ),
        (
            WINDOW,
            r#""compute": ["rank(price)"], "order": ["citi"]"#,
            "/order/0",
            "no column",
            "did you mean `city`?",
        ),
    ] {
        let err = call(entry, &format!("{{{table}, {rest}}}")).unwrap_err();
        assert_eq!(err.path(), Some(path), "{rest}: {err:?}");
        assert!(err.message().contains(message), "{rest}: {err:?}");
        assert!(
            err.hint_str().unwrap_or_default().contains(hint),
            "{rest}: {err:?}"
        );
    }
    let err = call(
        JOIN,
        r#"{"left": {"a": [1]}, "right": {"b": [1]}, "on": ["a"]}"#,
    )
    .unwrap_err();
    assert!(err.message().contains("no column is named `a`"), "{err:?}");
    let no_table = call(SELECT, r#"{"table": {"a": [1], "b": [1, 2]}}"#).unwrap_err();
    assert!(no_table.message().contains("column"), "{no_table:?}");
    let alike = r#"{"table": {"k": ["a", "a"], "n": ["1", "k"], "v": [1, 2]}, "by": ["k"], "names": "n", "values": "v"}"#;
    let err = call(PIVOT, alike).unwrap_err();
    assert_eq!(err.path(), Some("/names"), "{err:?}");
    let taken = r#"{"left": {"a": [1], "b": [1], "b_right": [2]}, "right": {"a": [1], "b": [2]}, "on": ["a"]}"#;
    let err = call(JOIN, taken).unwrap_err();
    assert_eq!(err.path(), Some("/suffix"), "{err:?}");
    let err = call(SELECT, r#"{"table": {}, "columns": ["a"]}"#).unwrap_err();
    assert!(
        err.message().contains("the table has no columns"),
        "{err:?}"
    );
    let nested = call(SELECT, r#"{"table": [{"a": [1]}]}"#).unwrap_err();
    assert_eq!(nested.path(), Some("/table/0/a"), "{nested:?}");
}

/// The square of 1e200 is no double: the cell is missing, and a warning says so.
#[test]
fn values_beyond_the_largest_double_are_missing_with_a_warning() {
    let table = r#""table": {"k": ["a", "a", "b", "b"], "n": ["x", "x", "x", "x"], "v": [1e200, -1e200, 1, 2]}"#;
    let by = r#""by": ["k"]"#;
    for (entry, rest, expected) in [
        (
            GROUP,
            format!(r#"{by}, "aggregates": ["s = var(v)"]"#),
            r#"[{"k":"a","s":null},{"k":"b","s":0.5}]"#,
        ),
        (
            PIVOT,
            format!(r#"{by}, "names": "n", "values": "v", "function": "var""#),
            r#"[{"k":"a","x":null},{"k":"b","x":0.5}]"#,
        ),
    ] {
        let ctx = Ctx::default();
        let args = parse(&format!("{{{table}, {rest}}}"));
        let found = entry.tool().decode(&args).unwrap().run(&ctx).unwrap();
        assert_eq!(found.get("rows").unwrap().to_string(), expected);
        let warnings = ctx.take_warnings();
        assert!(
            warnings
                .iter()
                .any(|text| text.contains("beyond the largest double in 1 rows")),
            "{warnings:?}"
        );
    }
}

#[test]
fn every_tool_takes_records_columns_and_arrays() {
    let describe = tool_entry::<table_describe::Args>();
    for table in [
        r#"[{"a": 1, "b": 2}, {"a": 3}]"#,
        r#"{"a": [1, 3], "b": [2, null]}"#,
    ] {
        let found = call(describe, &format!(r#"{{"table": {table}}}"#)).unwrap();
        let names = found.get("columns").unwrap().to_string();
        assert!(
            names.contains(r#""name":"b","type":"integer","missing":1"#),
            "{names}"
        );
    }
    let array = rows(SELECT, r#"{"table": [[1, 2], [3, 4]]}"#);
    assert_eq!(array, r#"[{"c0":1,"c1":2},{"c0":3,"c1":4}]"#);
    let wide = rows(
        tool_entry::<table_pivot::Args>(),
        r#"{"table": {"k": ["a", "b", "a"], "v": [1, 2, 3]}, "by": [], "names": "k", "values": "v", "function": "sum"}"#,
    );
    assert_eq!(wide, r#"[{"a":4,"b":2}]"#);
    let long = rows(
        tool_entry::<table_melt::Args>(),
        r#"{"table": {"a": [1], "b": [2.5]}}"#,
    );
    assert_eq!(
        long,
        r#"[{"name":"a","value":1.0},{"name":"b","value":2.5}]"#
    );
    let large = rows(SELECT, r#"{"table": {"a": [9007199254740993, 1]}}"#);
    assert_eq!(large, r#"[{"a":9007199254740993},{"a":1}]"#);
}

/// A table as the cells of the other reader.
fn plain(text: &str, shape: &CsvShape) -> Result<Vec<(String, Vec<String>)>, String> {
    let read =
        read_csv(text, shape, ReadLimits::default(), &|| false).map_err(|err| err.to_string())?;
    let columns = read.table.iter().map(|(name, column)| {
        let cells = match column.to_plain() {
            PlainColumn::Numbers(numbers, _) => numbers
                .into_iter()
                .map(|number| format!("{number:?}"))
                .collect(),
            PlainColumn::Cells(cells) => cells
                .into_iter()
                .map(|cell| match cell {
                    PlainCell::Null => "missing".to_owned(),
                    PlainCell::Integer(value) => match value.unsigned_abs() <= 1 << 53 {
                        true => format!("{:?}", value as f64),
                        false => value.to_string(),
                    },
                    PlainCell::Double(value) => format!("{value:?}"),
                    PlainCell::Boolean(value) => value.to_string(),
                    PlainCell::Text(text) => format!("text {text}"),
                })
                .collect(),
        };
        (name.to_string(), cells)
    });
    Ok(columns.collect())
}

fn plain_of_core(text: &str, dialect: &CsvDialect) -> Result<Vec<(String, Vec<String>)>, String> {
    let read = csv::read_csv(text, dialect, &|| Ok(()));
    let read = read.map_err(|err| match err {
        csv::CsvReadError::Fault(fault) => fault.message,
        csv::CsvReadError::Stopped(stopped) => stopped.to_string(),
    })?;
    let columns = read.names.iter().zip(&read.columns).map(|(name, cells)| {
        let cell = |cell: &Value| match cell {
            Value::Null => "missing".to_owned(),
            Value::Int(value) if value.unsigned_abs() <= 1 << 53 => format!("{:?}", *value as f64),
            Value::Int(value) => value.to_string(),
            Value::Float(value) => format!("{value:?}"),
            Value::Bool(value) => value.to_string(),
            other => format!("text {}", other.as_str().unwrap_or_default()),
        };
        (name.to_string(), cells.iter().map(cell).collect())
    });
    Ok(columns.collect())
}

fn compare_readers(text: &str) {
    let (ours, others) = (
        plain(text, &CsvShape::default()),
        plain_of_core(text, &CsvDialect::default()),
    );
    assert_eq!(ours, others, "{text:?}");
}

#[test]
fn both_readers_of_delimited_text_agree() {
    for text in [
        "",
        "\n\n",
        "a",
        "a\n",
        "\u{feff}a,b\r\n1,2\r\n",
        "a,b\n\n1,2\n\n",
        "a,b\n1\n",
        "a;b\n3,5;x\n1,25;y\n",
        "a;b\n3,500;x\n",
        "1,5;2,5\n3,5;4\n",
        "a\tb\n1\t2,5",
        "a|b\n1|2",
        "a,a\n1,2\n",
        " a , b \n1,2\n",
        ",x\n1,2\n",
        "a\n\"x\"y\n",
        "a\n\"open",
        "a\n\"\"\n1",
        "a\n\"x \"\"y\"\"\"\n",
        "a\n\"two\nlines\"\n",
        "a\r1\r2\r",
        "a\n007\n",
        "a\n+1\n",
        "a\n.5\n",
        "a\n1e5\n",
        "a\n-0\n",
        "a\n1e999\n",
        "a\n1_000\n",
        "a\n 1\n2 \n",
        "a\nNA\n1\n",
        "a\nNA\nx\n",
        "a\n-\n-\n",
        "a\n-\n1\n",
        "a\nNaN\nnull\n",
        "a\ntrue\nfalse\nNA\n",
        "a\ntrue\n1\n",
        "a\n2024-05-17\nNA\n",
        "a\n17.5.2024\n-\n",
        "a\n2024-05-17T10:30:00Z\nnull\n",
        "a\n2024-05-17 10:30\n-\n",
        "2020,5\n2021,7\n",
        "1\n",
        "a,b\n\"1\",2\n",
        "a\n9007199254740993\n1\n",
        "a\n9223372036854775808\n",
        "note\na;b\nc",
        "\"a,1\";b\n\"c,2\";3",
        "a,b\n,\n",
        "a\n   \n",
        "\"\"\n1\n",
        "x\"y,z\n1,2\n",
        "a,b\n1,\"\n\"\n",
    ] {
        compare_readers(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_readers_agree_on_whatever_comes(text in "([ab01.,;\t|\"\n\r -]|NA|null|true|false|3,5|2024-05-17|e3){0,24}") {
        // Of two faults of one text they may tell different ones.
        let ours = plain(&text, &CsvShape::default()).ok();
        let others = plain_of_core(&text, &CsvDialect::default()).ok();
        prop_assert_eq!(ours, others);
    }
}
