//! The options of one tool, made from the schema of its arguments.

use clap::{Arg, Args, Command};
use tool_core::json::{Limits, parse};
use tool_core::schema::Schema;
use tool_core::{AnyTool, Object, Result, Value, tool_error};

use super::data;

/// Options of `call` after the tool name. A tool argument of the same name is given by `--arg`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Call")]
struct CallOptions {
    /// Role of the caller
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Approve the call automatically, as the operator
    #[arg(short, long)]
    yes: bool,
    /// Assume that nothing may be changed, or that the network is out of reach; repeatable
    #[arg(long = "fact", id = "fact", value_name = "FACT", value_parser = ["read_only", "no_web"])]
    facts: Vec<String>,
    /// Stop after N milliseconds
    #[arg(long = "timeout-ms", id = "timeout-ms", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    timeout_ms: Option<u64>,
    /// Argument by name; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    arg: Vec<String>,
    #[arg(long, value_name = "FILE", hide = true)]
    config: Option<String>,
    #[arg(long, value_name = "DIR", hide = true)]
    workspace: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_parser = ["human", "json", "raw", "npy"])]
    output: Option<String>,
    #[arg(long, hide = true)]
    json: bool,
}

/// The command for one tool: the options of `call`, and one for each argument; required arguments come first.
pub(super) fn command(tool: &dyn AnyTool) -> Command {
    let (schema, id) = (tool.input_schema(), tool.spec().id);
    let command = Command::new(id)
        .bin_name(format!("mathchain call {id}"))
        .about(tool.description())
        .after_help(examples(tool))
        .max_term_width(100);
    let command = CallOptions::augment_args(command);
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let is_required = |name: &str| required.contains(&Schema::from(name));
    let listed = properties(&schema).filter(|(name, _)| !is_reserved(name));
    let mut listed: Vec<_> = listed.collect();
    listed.sort_by_key(|(name, _)| !is_required(name));
    let options = listed.into_iter().map(|(name, property)| {
        let hyphened = Some(name.replace('_', "-"));
        let hyphened = hyphened.filter(|hyphened| hyphened != name && !is_reserved(hyphened));
        let option = Arg::new(format!("tool:{name}"))
            .long(name.clone())
            .aliases(hyphened)
            .value_name(kind(property))
            .help(described(property, is_required(name)) + files_note(property))
            .help_heading("Arguments");
        match property["type"] == "boolean" {
            true => option.num_args(0..=1).default_missing_value("true"),
            false => option.allow_hyphen_values(true),
        }
    });
    command.args(options)
}

/// The description of an argument, with its default or a note that it is required.
pub(super) fn described(property: &Schema, is_required: bool) -> String {
    let text = property["description"].as_str().unwrap_or_default();
    match property.get("default").filter(|default| !default.is_null()) {
        _ if is_required => format!("{text} [required]"),
        Some(default) => format!("{text} [default: {default}]"),
        None => text.to_owned(),
    }
}

/// The note on files that an argument takes.
fn files_note(property: &Schema) -> &'static str {
    match data::takes_files(property) {
        true => " [or a file: @PATH, @- for stdin]",
        false => "",
    }
}

/// Whether `call` has an option of this name.
fn is_reserved(name: &str) -> bool {
    let options = CallOptions::augment_args(Command::new("call"));
    let mut options = options.get_arguments();
    name == "help" || options.any(|arg| arg.get_long() == Some(name))
}

/// The arguments given as options; `None` without any, so that stdin is read.
///
/// # Errors
/// `invalid_request` for an option that is not NAME=VALUE or is given twice.
pub(super) fn arguments(
    tool: &dyn AnyTool,
    matches: &clap::ArgMatches,
    bytes_max: u64,
) -> Result<Option<Value>> {
    let schema = tool.input_schema();
    let pairs = matches.get_many::<String>("arg").into_iter().flatten();
    let mut given = pairs.map(|pair| split(pair)).collect::<Result<Vec<_>>>()?;
    let named = properties(&schema).filter(|(name, _)| !is_reserved(name));
    given.extend(named.filter_map(|(name, _)| {
        let text = matches.get_one::<String>(&format!("tool:{name}"))?;
        Some((name.clone(), text.clone()))
    }));
    if given.is_empty() {
        return Ok(None);
    }
    let mut object = Object::new();
    for (name, text) in given {
        if object.get(&name).is_some() {
            return Err(tool_error!(InvalidRequest;
                "the argument `{name}` is given twice"));
        }
        let property = &schema["properties"][&name];
        let value = match data::named(property, &text, bytes_max)? {
            Some(value) => value,
            None => value_of(property, &text),
        };
        if value.as_str().is_some() && property["type"] != "string" && !takes_text(property) {
            data::check_json(&name, &text)?;
        }
        object.insert(name, value);
    }
    Ok(Some(Value::Object(object.into())))
}

/// Splits NAME=VALUE.
///
/// # Errors
/// `invalid_request` when there is no `=`.
pub(super) fn split(pair: &str) -> Result<(String, String)> {
    let Some((name, value)) = pair.split_once('=') else {
        return Err(tool_error!(InvalidRequest;
            "expected NAME=VALUE, found `{pair}`"; "for example --arg expression='2**10'"));
    };
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads a value as the schema expects it: as text if only text is valid, else as JSON, else as text that the check rejects.
pub(super) fn value_of(property: &Schema, text: &str) -> Value {
    if property["type"] == "string" {
        return Value::from(text);
    }
    parse(text, Limits::default()).unwrap_or_else(|_| Value::from(text))
}

/// Whether one form of an argument is a text.
fn takes_text(property: &Schema) -> bool {
    let mut branches = property["anyOf"].as_array().into_iter().flatten();
    let is_text =
        |one: &Schema| one["type"] == "string" || one.as_object().is_some_and(|one| one.is_empty());
    is_text(property) || branches.any(|branch| is_text(branch) || takes_text(branch))
}

fn properties(schema: &Schema) -> impl Iterator<Item = (&String, &Schema)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// The placeholder for a value of this type; of several types the first.
fn kind(property: &Schema) -> &'static str {
    let branches = property["anyOf"].as_array().into_iter().flatten();
    let schemas = [property].into_iter().chain(branches);
    let types = schemas.map(|schema| &schema["type"]);
    let mut names = types.filter_map(|kind| kind.as_str().or_else(|| kind.get(0)?.as_str()));
    match names.next() {
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
    let examples = tool.examples().into_iter().take(3).map(|example| {
        let (title, args, id) = (example.title, example.args, tool.spec().id);
        format!("\n  # {title}\n  echo '{args}' | mathchain call {id}")
    });
    format!("Examples:{}", examples.collect::<String>())
}
