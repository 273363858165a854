//! Help, version and the descriptions of the commands.

use tool_core::{AnyTool, ToolError, Value, json};

use super::work::{EXTRA, all_tools};

/// The text of `--help`.
pub const HELP: &str = r#"math-tools: pure numeric, data and plot tools over standard input

usage: math-tools < request.json

Reads one JSON object from standard input, to its end, and answers with one line of JSON.

  request   {"command": NAME, ...parameters}
            {"command": NAME, "params": {...parameters}}
            beside either: "timeout_ms", 1 to 3600000, 60000 where absent
  answer    {"status": "success" | "error", "result": ..., "error": ..., "stats": {"elapsed_ms": ...}}
            always with all four members; `error` is null, or {code, message, path, hint, ...}
  exit      0 for success, 1 for an error (the answer is on standard output in both cases)

examples
  echo '{"command":"help"}' | math-tools
  echo '{"command":"help","name":"matrix_solve"}' | math-tools
  echo '{"command":"matrix_solve","A":[[3,1],[1,2]],"b":[9,8]}' | math-tools
  echo '{"command":"matrix_op","operation":"det","A":[[3,1],[1,2]]}' | math-tools
  echo '{"command":"bayesopt","bounds":[[0,5]],"objective":"-(x0-2)**2","n_iter":20}' | math-tools
  echo '{"command":"plot","type":"function","function":"sin(x)/x","x_min":-20,"x_max":20}' | math-tools

limits
  request and answer 256 MiB each, nesting 128 levels, memory 8 GiB, deadline as above

It has no role, no policy, no approval and no audit, and reads and writes no file: it runs every request of any user who
can start it. For tools with effects, limits per role, plans and a record of calls, use `mathchain`.

options
  -h, --help     this text
  -V, --version  the version
"#;

/// The line of `--version`.
pub fn version_line() -> String {
    format!("math-tools {}", env!("CARGO_PKG_VERSION"))
}

/// All commands with what they do, sorted by name.
pub(super) fn list_commands() -> Value {
    let of_tools = all_tools().map(|tool| (tool.spec().id.to_owned(), tool.description()));
    let mut commands: Vec<(String, String)> = of_tools.collect();
    commands.extend(EXTRA.map(|(name, description)| (name.to_owned(), description.to_owned())));
    commands.sort();
    let entry = |(name, description)| {
        Value::object([
            ("name", Value::from(name)),
            ("description", Value::from(description)),
        ])
    };
    Value::object([(
        "commands",
        Value::array(commands.into_iter().map(entry).collect()),
    )])
}

/// One tool: arguments, result and examples.
///
/// # Errors
/// When a schema cannot be written, which would be a defect.
pub(super) fn describe_tool(tool: &dyn AnyTool) -> Result<Value, ToolError> {
    let schema = |schema: tool_core::schema::Schema| {
        json::parse_json(&schema.to_string(), json::JsonLimits::default())
    };
    let examples = tool.examples().into_iter().map(|example| {
        Value::object([
            ("title", Value::from(example.title)),
            ("params", example.args),
            ("result", example.output),
        ])
    });
    Ok(Value::object([
        ("name", Value::from(tool.spec().id)),
        ("description", tool.description().into()),
        ("input_schema", schema(tool.input_schema())?),
        ("output_schema", schema(tool.output_schema())?),
        ("examples", Value::array(examples.collect())),
    ]))
}
