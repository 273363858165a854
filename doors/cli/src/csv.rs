//! Results that are tables as delimited text: `--output csv`.

use journal::artifacts::ArtifactHandle;
use tool_core::schema::Schema;
use tool_core::{Ctx, Result, ToolError, Value, tool_error};

/// The text of a result that is a table: its member `table` with all rows, a list of records, such a list as its member `rows`, or as the
/// only one of its members.
///
/// # Errors
/// `invalid_request` for any other result; `invalid_args` for a cell that is a list or an object.
pub(super) fn render_csv(result: &Value) -> Result<String> {
    if is_unopened(result) {
        return Err(
            tool_error!(InvalidRequest, "csv"; "the table is an artifact that could not be opened here";
            "use `--output json`, and pass the artifact to `write_table`"),
        );
    }
    let table = extract_table(result).or_else(|| only_member(result));
    let (rows, columns) = table.ok_or_else(|| no_table_error("this result"))?;
    let names = || columns.iter().flatten().filter_map(Value::as_str);
    let data = match &rows {
        Value::Array(records) if records.is_empty() => {
            Value::object(names().map(|name| (name, Value::array(Vec::new()))))
        }
        _ => rows,
    };
    let mut args = vec![("data", data)];
    if let Some(columns) = &columns {
        args.push(("columns", Value::array(columns.clone())));
    }
    let writer =
        mathchain::built_in_tool("json_to_csv").ok_or_else(|| no_table_error("this build"))?;
    let written = writer.decode(&Value::object(args));
    let written = written.and_then(|call| call.run(&Ctx::default()));
    let written = written.map_err(|err| {
        tool_error!(InvalidRequest, "csv"; "the table has a cell that CSV cannot hold: {}", err.message();
            "use `--output json` or `raw`")
    })?;
    let text = written.get("csv").and_then(Value::as_str);
    Ok(text.unwrap_or_default().to_owned())
}

/// Refuses a tool whose results are never tables, before it runs.
///
/// # Errors
/// `invalid_request`.
pub(super) fn require_table_output(id: &str, output: &Schema) -> Result<()> {
    let is_open = |schema: &Schema| {
        let stated = ["type", "anyOf", "oneOf", "enum", "const", "$ref"];
        stated.iter().all(|key| schema[*key].is_null())
    };
    let is_records = |schema: &Schema| {
        let items = &schema["items"];
        schema["type"] == "array" && (is_open(items) || items["type"] == "object")
    };
    let mut members = output["properties"].as_object().into_iter().flatten();
    match members.any(|(_, member)| is_open(member) || is_records(member))
        || is_records(output)
        || output["properties"].is_null()
    {
        true => Ok(()),
        false => Err(no_table_error(&format!("the result of `{id}`"))),
    }
}

fn no_table_error(what: &str) -> ToolError {
    tool_error!(InvalidRequest, "csv"; "{what} is no table, which `--output csv` is for";
        "use `--output json` or `raw`; tables are lists of records, such as the rows of `sql_query`")
}

/// Rows, and the names of their columns where they are stated.
type Table = (Value, Option<Vec<Value>>);

fn extract_table(value: &Value) -> Option<Table> {
    if is_records(value) {
        return Some((value.clone(), None));
    }
    match value.get("table") {
        Some(whole) if whole.table_rows().is_some() => return Some((whole.clone(), None)),
        _ if is_unopened(value) => return None,
        _ => {}
    }
    let rows = value.get("rows")?;
    let columns = value.get("columns").and_then(Value::items);
    let is_empty = columns.is_some() && rows.items().is_some_and(|rows| rows.is_empty());
    (is_records(rows) || is_empty).then(|| (rows.clone(), columns))
}

/// Whether the table is an artifact: the rows shown beside it are not all.
fn is_unopened(value: &Value) -> bool {
    let table = value.get("table");
    table.and_then(ArtifactHandle::from_value).is_some()
}

fn only_member(value: &Value) -> Option<Table> {
    let members = value.as_object()?;
    let mut tables = members
        .iter()
        .filter_map(|(_, member)| extract_table(member));
    let first = tables.next()?;
    tables.next().is_none().then_some(first)
}

fn is_records(value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|item| item.as_object().is_some())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_written_and_other_results_refused() {
        let value = |text: &str| mathchain::parse_json(text).expect("JSON");
        for (result, expected) in [
            (
                r#"[{"a":1,"b":"x, y"},{"a":null,"b":"z"}]"#,
                "a,b\n1,\"x, y\"\n,z\n",
            ),
            (
                r#"{"columns":["b","a"],"rows":[{"b":1,"a":2}],"count":1}"#,
                "b,a\n1,2\n",
            ),
            (r#"{"columns":["b","a"],"rows":[],"count":0}"#, "b,a\n"),
            (
                r#"{"columns":["b","a"],"rows":[{"b":1,"a":"x"}],"table":{"b":[1,2],"a":["x",null]}}"#,
                "b,a\n1,x\n2,\n",
            ),
            (r#"{"result":[{"a":1}]}"#, "a\n1\n"),
            (
                r#"{"n":1,"out":{"columns":["a"],"rows":[{"a":1}]}}"#,
                "a\n1\n",
            ),
        ] {
            assert_eq!(
                render_csv(&value(result)).expect("a table"),
                expected,
                "{result}"
            );
        }
        for result in [
            r#"{"mean":1.5}"#,
            "[1,2]",
            "[]",
            "3",
            r#"{"x":[{"a":1}],"y":[{"a":1}]}"#,
            r#"[{"a":[1]}]"#,
            r#"{"rows":[{"a":1}],"table":{"$artifact":"b3:79777d56db34e3a5294ccba27ff1be57e0936c5beb3504ebd6c38da418e5e4ec","media":"application/json","bytes":9}}"#,
        ] {
            let err = render_csv(&value(result)).expect_err("no table");
            assert_eq!(err.reason_str(), Some("csv"), "{result}");
        }
    }

    #[test]
    fn tools_without_tables_are_refused_before_they_run() {
        let checked = |name: &str| {
            let tool = mathchain::built_in_tool(name).expect("a built-in tool");
            require_table_output(name, &tool.output_schema())
        };
        for name in ["sql_query", "csv_to_json", "json_query"] {
            assert!(checked(name).is_ok(), "{name}");
        }
        for name in ["statistics", "write_file", "convert_units"] {
            assert!(checked(name).is_err(), "{name}");
        }
    }
}
