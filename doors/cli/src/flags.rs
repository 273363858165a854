//! The options of one tool, made from the schema of its arguments.

use std::sync::OnceLock;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Args, Command};
use tool_core::json::{JsonLimits, parse_json};
use tool_core::nearest::nearest_name;
use tool_core::schema::Schema;
use tool_core::{AnyTool, Object, Result, Spec, Value, source, synonyms, tool_error};

use super::call::CallCommand;
use super::data::{self, CommandWord};
use super::forms::{takes, takes_files, takes_itself, takes_texts, types};
use super::global::GlobalArgs;
use super::save::SaveOptions;

/// Options of a call beside those that name the caller.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Call")]
pub(super) struct CallOptions {
    /// Approve the call automatically, as the operator
    #[arg(short, long)]
    pub yes: bool,
    /// Stop after N milliseconds
    #[arg(long = "timeout-ms", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout_ms: Option<u64>,
    /// Argument of the tool by name, also one whose name is an option of `call`; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub arg: Vec<String>,
    #[command(flatten)]
    pub save: SaveOptions,
}

/// The command `call` for one tool: an option for each argument, required ones first, then the options of every call.
pub(super) fn tool_command(tool: &dyn AnyTool) -> Command {
    let id = tool.spec().id;
    option_command(tool.spec(), &tool.input_schema())
        .about(tool.description())
        .override_usage(format!("mathchain call {id} [--NAME VALUE]... [OPTIONS]"))
}

/// As [`tool_command`], from the schema of the arguments: without what only help and errors show.
pub(super) fn option_command(spec: &Spec, schema: &Schema) -> Command {
    let reserved = reserved_options();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let is_required = |name: &str| required.contains(&Schema::from(name));
    let listed = schema_properties(schema).filter(|(name, _)| !reserved.contains(name));
    let mut listed: Vec<_> = listed.collect();
    listed.sort_by_key(|(name, _)| !is_required(name));
    let options = listed.into_iter().map(|(name, property)| {
        let hyphened = Some(name.replace('_', "-"));
        let hyphened = hyphened.filter(|hyphened| hyphened != name && !reserved.contains(hyphened));
        let option = Arg::new(format!("tool:{name}"))
            .long(name.clone())
            .aliases(hyphened)
            .aliases(
                synonyms::argument_synonyms(spec, schema, name)
                    .into_iter()
                    .filter(|other| !reserved.iter().any(|known| known == other)),
            )
            .value_name(value_placeholder(property))
            .help(describe_argument(property, is_required(name)) + files_note(property))
            .help_heading("Arguments");
        match is_switch(property) {
            true => option.num_args(0..=1).default_missing_value("true"),
            false => option.allow_hyphen_values(true),
        }
    });
    let command = Command::new("call").args(options.collect::<Vec<_>>());
    CallCommand::augment_args(command).mut_arg("words", |tool| {
        tool.trailing_var_arg(false)
            .action(clap::ArgAction::Append)
            .num_args(1)
            .hide(true)
    })
}

/// The description of an argument, with its default or a note that it is required.
pub(super) fn describe_argument(property: &Schema, is_required: bool) -> String {
    let text = property["description"].as_str().unwrap_or_default();
    match property.get("default").filter(|default| !default.is_null()) {
        _ if is_required => format!("{text} [required]"),
        Some(default) => format!("{text} [default: {default}]"),
        None => text.to_owned(),
    }
}

/// The note on files that an argument takes.
fn files_note(property: &Schema) -> &'static str {
    match takes_files(property) {
        true => " [or a file: @PATH, @- for stdin]",
        false => "",
    }
}

/// The names of options that every call has.
fn reserved_options() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let command = GlobalArgs::augment_args(CallCommand::augment_args(Command::new("call")));
        let options = command.get_arguments().filter_map(Arg::get_long);
        options.chain(["help"]).map(str::to_owned).collect()
    })
}

/// Refuses an option after the tool name that may mean an argument of the tool as well.
///
/// # Errors
/// `invalid_request` with both spellings.
pub(super) fn check_ambiguous(tool: &dyn AnyTool, schema: &Schema, words: &[String]) -> Result<()> {
    let reserved = reserved_options();
    let shared = schema_properties(schema).filter(|(name, _)| reserved.contains(name));
    for (name, _) in shared {
        let is_it = |word: &&String| {
            let rest = word
                .strip_prefix("--")
                .and_then(|word| word.strip_prefix(name.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        if words.iter().any(|word| is_it(&word)) {
            let id = tool.spec().id;
            return Err(tool_error!(InvalidRequest;
                "`--{name}` is an option of `call` and an argument of `{id}`";
                "give the argument as --arg {name}=VALUE, and the option before the tool name"));
        }
    }
    Ok(())
}

/// Suggests the nearest argument of the tool for an unknown option.
pub(super) fn suggest_argument(tool: &dyn AnyTool, mut err: clap::Error) -> clap::Error {
    let schema = tool.input_schema();
    let unknown = match err.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => word.trim_start_matches('-').to_owned(),
        _ => return err,
    };
    let names = || schema_properties(&schema).map(|(name, _)| name.as_str());
    let same = names().find(|name| name.eq_ignore_ascii_case(&unknown.replace('-', "_")));
    if let Some(name) = same.or_else(|| nearest_name(&unknown, names())) {
        let suggested = ContextValue::String(format!("--{name}"));
        err.insert(ContextKind::SuggestedArg, suggested);
    } else if nearest_name(&unknown, reserved_options().iter().map(String::as_str)).is_none() {
        // What is left is far from both: an option of every call is no help.
        err.remove(ContextKind::SuggestedArg);
    }
    err
}

/// The arguments given as options; `None` without any, so that stdin is read.
///
/// # Errors
/// `invalid_request` for an option that is not NAME=VALUE or is given twice.
pub(super) fn read_option_arguments(
    spec: &Spec,
    schema: &Schema,
    options: &CallOptions,
    matches: &ArgMatches,
    files: &data::CommandFiles,
) -> Result<Option<Value>> {
    let pairs = options.arg.iter();
    let mut given = pairs
        .map(|pair| split_assignment(pair))
        .collect::<Result<Vec<_>>>()?;
    given.extend(schema_properties(schema).filter_map(|(name, _)| {
        let text = matches.try_get_one::<String>(&format!("tool:{name}"));
        Some((name.clone(), text.ok()??.clone()))
    }));
    if given.is_empty() {
        return Ok(None);
    }
    let mut object = Object::new();
    for (name, text) in &given {
        let (name, mut text) = (name.as_str(), text.as_str());
        if object.get(name).is_some() {
            return Err(tool_error!(InvalidRequest;
                "the argument `{name}` is given twice"));
        }
        let property = &schema["properties"][name];
        let read;
        let value = match data::resolve_word(spec, name, property, text, files)? {
            Some(CommandWord::Value(value)) => value,
            Some(CommandWord::Word(word)) => {
                read = word;
                text = &read;
                value_of(property, text)
            }
            None => value_of(property, text),
        };
        if value.as_str().is_some() && !takes(property, "string") {
            data::check_json(name, text)?;
        }
        object.insert(name, value);
    }
    for (name, text) in &given {
        let is_list = matches!(object.get(name), Some(Value::Array(_) | Value::Numbers(_)));
        if is_list && !may_be_list(&schema["properties"][name], &object) {
            object.insert(name.as_str(), text.as_str());
        }
    }
    Ok(Some(Value::Object(object.into())))
}

/// Whether a list is one, and no text in brackets: a schema may say for which endings of another argument (`x-list-endings`).
fn may_be_list(property: &Schema, args: &Object) -> bool {
    let Some(stated) = property["x-list-endings"].as_object() else {
        return true;
    };
    stated.iter().any(|(other, endings)| {
        let other = args.get(other).and_then(Value::as_str).unwrap_or_default();
        let mut endings = endings.as_array().into_iter().flatten();
        endings.any(|ending| {
            ending
                .as_str()
                .is_some_and(|ending| other.ends_with(ending))
        })
    })
}

/// Splits NAME=VALUE.
///
/// # Errors
/// `invalid_request` when there is no `=`.
pub(super) fn split_assignment(pair: &str) -> Result<(String, String)> {
    let Some((name, value)) = pair.split_once('=') else {
        return Err(tool_error!(InvalidRequest;
            "expected NAME=VALUE, found `{pair}`"; "for example --arg expression='2**10'"));
    };
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads a value as the schema expects it: as JSON of a type that it takes, `1,2,3` as a list, anything else as text.
pub(super) fn value_of(property: &Schema, text: &str) -> Value {
    if property["type"] == "string" {
        return Value::from(text);
    }
    let value = parse_json(text, JsonLimits::default()).ok();
    let fits = |value: &Value| match value.as_object() {
        // Beside a text, an object is only a reference to one.
        Some(object) if takes(property, "string") && !takes_itself(property, "object") => {
            source::has_source_reference(object)
        }
        // A text keeps its quotes.
        None if value.as_str().is_some() => takes(property, "string") && !takes_texts(property),
        _ => {
            let name = type_of(value);
            takes(property, name) || name == "integer" && takes(property, "number")
        }
    };
    match value {
        Some(value) if fits(&value) => value,
        _ if takes(property, "string") => Value::from(text),
        _ if takes(property, "array") && !text.contains(['[', '{', '"', ' ']) => {
            list_of(text, has_texts(property))
        }
        Some(value) => value,
        None => Value::from(text),
    }
}

/// The elements between commas.
fn list_of(text: &str, of_texts: bool) -> Value {
    let element = |word: &str| match parse_json(word, JsonLimits::default()) {
        Ok(value) if !of_texts => value,
        _ => Value::from(word),
    };
    Value::array(text.split(',').map(element).collect())
}

/// Whether the elements of a list are texts.
fn has_texts(property: &Schema) -> bool {
    let mut branches = property["anyOf"].as_array().into_iter().flatten();
    property["items"]["type"] == "string" || branches.any(has_texts)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) | Value::Numbers(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether an argument is true or false, or absent.
fn is_switch(property: &Schema) -> bool {
    let mut names = types(property).filter(|name| *name != "null");
    names.next() == Some("boolean") && names.next().is_none()
}

fn schema_properties(schema: &Schema) -> impl Iterator<Item = (&String, &Schema)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// The placeholder for a value of this type; of several types the first.
fn value_placeholder(property: &Schema) -> &'static str {
    let branches = property["anyOf"].as_array().into_iter().flatten();
    let schemas = [property].into_iter().chain(branches);
    let mut names = schemas.filter_map(|schema| types(schema).next());
    match names.next() {
        Some("string") => "TEXT",
        Some("integer") => "INTEGER",
        Some("number") => "NUMBER",
        Some("boolean") => "true|false",
        Some("array") => "LIST",
        Some("object") => "OBJECT",
        _ => "VALUE",
    }
}

/// The first examples of a tool, as commands that a shell runs as they stand.
pub(super) fn tool_examples(tool: &dyn AnyTool) -> String {
    let examples = tool.examples().into_iter().take(3).map(|example| {
        let (title, id) = (example.title, tool.spec().id);
        let args = quote_shell_arguments(&example.args);
        format!("\n  # {title}\n  echo {args} | mathchain call {id}")
    });
    match examples.collect::<String>() {
        none if none.is_empty() => none,
        examples => format!("Examples:{examples}\n"),
    }
}

/// Arguments as one word of a shell.
pub(super) fn quote_shell_arguments(args: &Value) -> String {
    format!("'{}'", args.to_string().replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tool_core::DataSource;
    use tool_core::capability::ArrayLoader;
    use tool_core::input::InputKind;

    use super::super::data::{CommandFiles, may_begin_with_at};
    use super::*;

    struct OneText;

    impl ArrayLoader for OneText {
        fn open(&self, _: &DataSource, _: InputKind, _: u64) -> Result<Value> {
            Ok("text of the file".into())
        }
    }

    /// Every argument of every tool: `@PATH` is the file, for the tool or as a text, unless the argument may begin with `@`; a reference is
    /// opened or refused, and never a text.
    #[test]
    fn no_argument_takes_the_name_of_a_file_for_its_content() {
        let files = CommandFiles {
            arrays: Some(Arc::new(OneText)),
            bytes_max: 1 << 20,
        };
        let mut counts = [0; 3];
        for tool in mathchain::tool_families()
            .flatten()
            .map(|entry| entry.tool())
        {
            let (spec, schema) = (tool.spec(), tool.input_schema());
            let properties = schema["properties"].as_object().into_iter().flatten();
            for (name, property) in properties {
                let id = spec.id;
                let named = |word: &str| data::resolve_word(spec, name, property, word, &files);
                let place = format!("/{name}");
                let syntax = spec.syntax.iter().find(|(pointer, _)| *pointer == place);
                match named("@some.txt") {
                    Ok(Some(CommandWord::Value(value))) => {
                        assert_eq!(value.to_string(), r#"{"$file":"some.txt"}"#, "{id}.{name}");
                        counts[0] += 1;
                    }
                    Ok(Some(CommandWord::Word(word))) => {
                        assert_eq!(word, "text of the file", "{id}.{name}");
                        counts[1] += 1;
                    }
                    Ok(None) => {
                        let syntax = syntax.map(|(_, syntax)| *syntax);
                        assert!(syntax.is_some_and(may_begin_with_at), "{id}.{name}");
                        counts[2] += 1;
                        continue;
                    }
                    Err(err) => panic!("{id}.{name}: {err:?}"),
                }
                let reference = r#"{"$file":"some.txt"}"#;
                match named(reference) {
                    Err(err) => {
                        assert_eq!(err.reason_str(), Some("reference"), "{id}.{name}");
                        assert!(err.message().contains(&format!("`{name}`")), "{err:?}");
                    }
                    Ok(_) => {
                        let value = value_of(property, reference);
                        assert!(value.as_str().is_none(), "{id}.{name} takes it for a text");
                    }
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
    }
}
