use proptest::prelude::*;
use tool_core::{AnyTool, Ctx, ErasedTool, ErrorCode, ToolError, Value, json, tool_entry};

use super::Args;
use crate::data::csv_to_json;

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap()
}

fn call(entry: ErasedTool, args: &Value) -> Result<Value, ToolError> {
    let tool: &dyn AnyTool = entry.tool();
    tool.decode(args)?.run(&Ctx::default())
}

fn write(args: &str) -> Result<Value, ToolError> {
    call(tool_entry::<Args>(), &parse(args))
}

fn check(args: &str, csv: &str) {
    let output = write(args).unwrap_or_else(|err| panic!("{args}: {err:?}"));
    assert_eq!(
        output.get("csv").and_then(Value::as_str),
        Some(csv),
        "{args}"
    );
}

#[test]
fn shapes_and_cells() {
    check(r#"{"data":[{"b":1,"a":2}]}"#, "b,a\n1,2\n");
    check(r#"{"data":{"a":[1,2],"b":["x",null]}}"#, "a,b\n1,x\n2,\n");
    check(
        r#"{"data":[{"a":true,"b":0.1,"c":1e300,"d":-0.0}]}"#,
        "a,b,c,d\ntrue,0.1,1e+300,-0.0\n",
    );
    check(
        r#"{"data":[{"a":"x,y","b":"say \"hi\"","c":"two\nlines"}]}"#,
        "a,b,c\n\"x,y\",\"say \"\"hi\"\"\",\"two\nlines\"\n",
    );
    check(
        r#"{"data":[{"a":"x;y","b":"x,y"}],"delimiter":";"}"#,
        "a;b\n\"x;y\";x,y\n",
    );
    check(r#"{"data":[{"a":1,"b":2}],"columns":["b"]}"#, "b\n2\n");
    check(r#"{"data":[]}"#, "");
    check(r#"{"data":[],"columns":["a","b"]}"#, "a,b\n");
    check(r#"{"data":[{"a":null},{"a":1}]}"#, "a\n\"\"\n1\n");
}

#[test]
fn faults_name_the_argument() {
    for (args, path, words) in [
        (
            r#"{"data":[{"price":1}],"columns":["prise"]}"#,
            "/columns/0",
            "no column `prise`",
        ),
        (
            r#"{"data":[{"a":1}],"columns":["a","a"]}"#,
            "/columns/1",
            "listed twice",
        ),
        (
            r#"{"data":[{"a":[1]}]}"#,
            "/data/0/a",
            "expected a number, text, boolean or null",
        ),
        (r#"{"data":[1,2]}"#, "/data", ""),
        (r#"{"data":{"a":[1],"b":[1,2]}}"#, "/data/b", "2 cells"),
        (r#"{"data":"x"}"#, "/data", ""),
    ] {
        let err = write(args).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{args}");
        assert!(
            err.path().unwrap_or_default().starts_with(path),
            "{args}: {err:?}"
        );
        assert!(err.message().contains(words), "{args}: {err:?}");
    }
    let err = write(r#"{"data":[{"price":1}],"columns":["prise"]}"#).unwrap_err();
    assert_eq!(err.hint_str(), Some("did you mean `price`?"));
}

fn number_cell() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        (-(1_i64 << 53)..=(1_i64 << 53)).prop_map(Value::Int),
        prop::num::f64::NORMAL.prop_map(Value::Float),
    ]
}

/// Any text but the empty one, which comes back as null, and one of the spellings that would come back as something else.
fn text_cell() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        "[a-zA-Z\",;\n\r é\u{1F600}0-9]{1,12}".prop_map(|text| Value::from(format!("t{text}"))),
    ]
}

fn boolean_cell() -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::Bool)]
}

proptest! {
    #[test]
    fn csv_to_json_reads_it_back(rows in prop::collection::vec((number_cell(), text_cell(), boolean_cell()), 0..20)) {
        let records: Vec<Value> = rows
            .into_iter()
            .map(|(a, b, c)| Value::object([("a", a), ("b, \"quoted\"", b), ("c", c)]))
            .collect();
        let data = Value::array(records);
        let columns = Value::array(["a", "b, \"quoted\"", "c"].map(Value::from).to_vec());
        let written = call(tool_entry::<Args>(), &Value::object([("data", data.clone()), ("columns", columns)])).unwrap();
        let csv = written.get("csv").unwrap().clone();
        let read = call(tool_entry::<csv_to_json::Args>(), &Value::object([("csv_content", csv)])).unwrap();
        prop_assert_eq!(read.get("rows").unwrap(), &data);
    }
}
