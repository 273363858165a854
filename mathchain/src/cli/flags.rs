//! The flags of one tool, made from the schema of its arguments.

use clap::{Arg, ArgAction, Command};
use tool_core::json::{Limits, parse};
use tool_core::schema::Schema;
use tool_core::{AnyTool, Object, ToolError, Value};

/// Flags of `call` itself; an argument of the same name is reached through `--arg`.
const RESERVED: [&str; 9] = [
    "role",
    "yes",
    "timeout-ms",
    "arg",
    "config",
    "workspace",
    "output",
    "json",
    "help",
];

/// The command for one tool: the flags of `call`, and one for each argument.
pub(super) fn command(tool: &dyn AnyTool) -> Command {
    let schema = tool.input_schema();
    let mut command = Command::new(tool.spec().id)
        .bin_name(format!("mathchain call {}", tool.spec().id))
        .about(tool.description())
        .after_help(examples(tool))
        .max_term_width(100)
        .arg(
            Arg::new("role")
                .long("role")
                .value_name("ROLE")
                .help("Role of the caller")
                .help_heading("Call"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .action(ArgAction::SetTrue)
                .help("Approve in advance, as the operator")
                .help_heading("Call"),
        )
        .arg(
            Arg::new("timeout-ms")
                .long("timeout-ms")
                .value_name("N")
                .value_parser(clap::value_parser!(u64).range(1..))
                .help("Longest run in milliseconds")
                .help_heading("Call"),
        )
        .arg(
            Arg::new("arg")
                .long("arg")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("An argument by name; repeatable")
                .help_heading("Call"),
        )
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .hide(true),
        )
        .arg(
            Arg::new("workspace")
                .long("workspace")
                .value_name("DIR")
                .hide(true),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("FORMAT")
                .value_parser(["human", "json", "raw", "npy"])
                .help("How the result is printed")
                .help_heading("Call"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .hide(true),
        );
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let is_required = |name: &str| required.contains(&Schema::from(name));
    let mut listed: Vec<_> = properties(&schema).collect();
    listed.sort_by_key(|(name, _)| !is_required(name)); // what must be given stands first
    for (name, property) in listed {
        if RESERVED.contains(&name.as_str()) {
            continue;
        }
        let mut help = property["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if is_required(name) {
            help.push_str(" [required]");
        } else if let Some(default) = property.get("default").filter(|default| !default.is_null()) {
            help.push_str(&format!(" [default: {default}]"));
        }
        let arg = Arg::new(format!("tool:{name}"))
            .long(name.clone())
            .value_name(kind(property))
            .help(help)
            .help_heading("Arguments")
            .allow_hyphen_values(true);
        command = command.arg(arg);
    }
    command
}

/// The arguments that flags gave; `None` when there were none, so that stdin is read.
///
/// # Errors
/// `invalid_request` for a flag that is not NAME=VALUE or is given twice.
pub(super) fn arguments(
    tool: &dyn AnyTool,
    matches: &clap::ArgMatches,
) -> Result<Option<Value>, ToolError> {
    let schema = tool.input_schema();
    let mut given: Vec<(String, String)> = Vec::new();
    for pair in matches.get_many::<String>("arg").into_iter().flatten() {
        given.push(split(pair)?);
    }
    for (name, _) in properties(&schema) {
        if RESERVED.contains(&name.as_str()) {
            continue;
        }
        if let Some(text) = matches.get_one::<String>(&format!("tool:{name}")) {
            given.push((name.clone(), text.clone()));
        }
    }
    if given.is_empty() {
        return Ok(None);
    }
    let mut object = Object::new();
    for (name, text) in given {
        if object.get(&name).is_some() {
            return Err(ToolError::new(
                tool_core::ErrorCode::InvalidRequest,
                format_args!("the argument `{name}` is given twice"),
            ));
        }
        let property = &schema["properties"][&name];
        object.insert(name, value_of(property, &text));
    }
    Ok(Some(Value::Object(std::sync::Arc::new(object))))
}

/// Splits NAME=VALUE.
///
/// # Errors
/// `invalid_request` when there is no `=`.
pub(super) fn split(pair: &str) -> Result<(String, String), ToolError> {
    let (name, value) = pair.split_once('=').ok_or_else(|| {
        ToolError::new(
            tool_core::ErrorCode::InvalidRequest,
            format_args!("expected NAME=VALUE, found `{pair}`"),
        )
        .hint("for example --arg expression='2**10'")
    })?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads a value as the schema expects it: text where only text is meant, else JSON, else text for the check to judge.
pub(super) fn value_of(property: &Schema, text: &str) -> Value {
    if property["type"] == "string" {
        return Value::from(text);
    }
    parse(text, Limits::default()).unwrap_or_else(|_| Value::from(text))
}

fn properties(schema: &Schema) -> impl Iterator<Item = (&String, &Schema)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn kind(property: &Schema) -> &'static str {
    let named = |schema: &Schema| schema["type"].as_str().map(str::to_owned);
    let name = named(property)
        .or_else(|| {
            property["type"]
                .as_array()
                .and_then(|types| types.iter().find_map(Schema::as_str).map(str::to_owned))
        })
        .or_else(|| {
            property["anyOf"]
                .as_array()
                .and_then(|branches| branches.iter().find_map(named))
        });
    match name.as_deref() {
        Some("string") => "TEXT",
        Some("integer") => "INTEGER",
        Some("number") => "NUMBER",
        Some("boolean") => "true|false",
        Some("array") => "[...]",
        Some("object") => "{...}",
        _ => "VALUE",
    }
}

fn examples(tool: &dyn AnyTool) -> String {
    let mut text = String::from("Examples:");
    for example in tool.examples().into_iter().take(3) {
        text.push_str(&format!(
            "\n  # {}\n  echo '{}' | mathchain call {}",
            example.title,
            example.args,
            tool.spec().id
        ));
    }
    text
}
