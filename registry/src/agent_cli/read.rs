//! Reads tables of agent CLIs over the built-in ones, and checks their templates.

use tool_core::convert::{from_value, to_value};
use tool_core::nearest::nearest_name;
use tool_core::path::{push_index, push_key};
use tool_core::{Decode, Describe, Object, RequestProblem, Value};

use super::placeholders::{OF_OWN_SERVER, PLACEHOLDERS};
use super::variables::{self, VariablePatterns};
use crate::document::{self, ParsedDocument};
use crate::error::LoadError;
use crate::model::CliSpec;

/// A file of tables.
#[derive(Decode, Describe)]
#[value(default)]
#[derive(Default)]
pub(super) struct CliFile {
    /// Version of the format.
    #[schema(required, extend("const" = 1))]
    version: Option<u64>,
    /// Patterns for names of variables; part of the built-in file only.
    pub(super) environment: VariablePatterns,
    /// Tables by name.
    #[schema(with = "std::collections::BTreeMap<String, CliSpec>")]
    clis: Value,
}

/// The tables of a file, each over that of its name in `known`.
pub(super) fn cli_file(
    document: &ParsedDocument,
    known: &[CliSpec],
    errors: &mut Vec<LoadError>,
) -> (CliFile, Vec<CliSpec>) {
    let file: CliFile = document::read_typed(document, errors).unwrap_or_default();
    let clis = cli_tables(document, "clis", known, errors);
    (file, clis)
}

/// The tables below a key of a document whose types have been checked, each over that of its name in `known`.
pub(crate) fn cli_tables(
    document: &ParsedDocument,
    key: &str,
    known: &[CliSpec],
    errors: &mut Vec<LoadError>,
) -> Vec<CliSpec> {
    let mut clis = Vec::new();
    let tables = document.value.get(key).and_then(Value::as_object);
    for (name, table) in tables.into_iter().flat_map(Object::iter) {
        let mut pointer = format!("/{key}");
        push_key(&mut pointer, name);
        let problems = check_cli_table(known, name, table).into_iter();
        let problems = problems.map(|problem| RequestProblem {
            path: format!("{pointer}{}", problem.path),
            ..problem
        });
        document::report_problems(document, problems.collect(), errors);
        clis.extend(table_over(known, name, table).map(|cli| CliSpec {
            place: Some(document.place(&pointer)),
            ..cli
        }));
    }
    clis
}

/// Keys whose members replace those of the built-in table one by one; other keys are replaced whole.
const JOINED: [&str; 6] = [
    "flags",
    "visibility",
    "off",
    "approval",
    "sandbox",
    "own_server",
];

fn merge_cli_tables(base: &Value, table: &Value) -> Value {
    let (Some(under), Some(members)) = (base.as_object(), table.as_object()) else {
        return table.clone();
    };
    let mut joined = under.clone();
    for (key, member) in members.iter() {
        let below = under.get(key).filter(|_| JOINED.contains(&key));
        let value = below.map_or_else(|| member.clone(), |below| merge_cli_tables(below, member));
        joined.insert(key, value);
    }
    Value::Object(joined.into())
}

/// A table over that of its name; `None` where its types are wrong.
fn table_over(known: &[CliSpec], name: &str, table: &Value) -> Option<CliSpec> {
    let base = known.iter().find(|cli| cli.name == name);
    let base = to_value(&base.cloned().unwrap_or_default()).ok()?;
    let mut cli: CliSpec = from_value(&merge_cli_tables(&base, table)).ok()?;
    name.clone_into(&mut cli.name);
    name.clone_into(&mut cli.family);
    cli.subcommand.0.retain(|word| !word.is_empty());
    if cli.mcp_name.is_empty() {
        "mcp__{server}__{tool}".clone_into(&mut cli.mcp_name);
    }
    if table.get("native").is_some() && table.get("tools").is_none() {
        cli.tools = cli.native.keys().cloned().collect();
    }
    Some(cli)
}

/// The problems of a table beyond the types of its values.
fn check_cli_table(known: &[CliSpec], name: &str, table: &Value) -> Vec<RequestProblem> {
    let mut problems = Vec::new();
    let names = || known.iter().map(|cli| cli.name.as_str());
    let binary = table.get("binary");
    if !names().any(|known| known == name) && binary.is_none_or(|one| one.as_str() == Some("")) {
        let near = nearest_name(name, names());
        let near = near.map(|near| format!("; did you mean the built-in `{near}`?"));
        let message = format!(
            "a command line needs its `binary`{}",
            near.unwrap_or_default()
        );
        problems.push(RequestProblem::new("", message));
    }
    let mut report = |keys: [&str; 2], message: String| {
        let mut pointer = String::new();
        keys.iter().for_each(|key| push_key(&mut pointer, key));
        problems.push(RequestProblem::new(pointer, message));
    };
    let names = |key: &str| -> Vec<String> {
        let members = table.get(key).and_then(Value::as_object).into_iter();
        members
            .flat_map(Object::iter)
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    for profile in names("flags").iter().filter(|profile| !is_profile(profile)) {
        report(["flags", profile], bad_profile(profile));
    }
    for flag in names("managed")
        .iter()
        .filter(|flag| !flag.starts_with('-'))
    {
        let message = format!("expected a flag, found `{flag}`");
        report(["managed", flag], message);
    }
    for (index, text) in table.items_at("env_passlist").iter().enumerate() {
        let text = text.as_str().unwrap_or_default();
        if let Err(what) = variables::compile_name_pattern(text, false) {
            let message = format!("`{text}` is no pattern for names: {what}");
            report(["env_passlist", &index.to_string()], message);
        }
    }
    for key in [
        "model_args",
        "prompt_argv",
        "prompt_stdin",
        "output",
        "visibility",
        "approval",
        "sandbox",
        "own_server",
        "turns",
        "config",
    ] {
        let known = match key {
            "own_server" => &OF_OWN_SERVER[..],
            _ => &PLACEHOLDERS[..],
        };
        if let Some(templates) = table.get(key) {
            check_placeholders(templates, known, &mut format!("/{key}"), &mut problems);
        }
    }
    problems
}

/// Reports every `{word}` that is no placeholder, in texts and keys at any depth.
fn check_placeholders(
    templates: &Value,
    known: &[&str],
    pointer: &mut String,
    problems: &mut Vec<RequestProblem>,
) {
    let length = pointer.len();
    match templates {
        Value::String(text) => problems.extend(unknown_words(text, known, pointer)),
        Value::Object(members) => {
            for (key, member) in members.iter() {
                push_key(pointer, key);
                problems.extend(unknown_words(key, known, pointer));
                check_placeholders(member, known, pointer, problems);
                pointer.truncate(length);
            }
        }
        other => {
            for (index, item) in other.items().iter().flatten().enumerate() {
                push_index(pointer, index);
                check_placeholders(item, known, pointer, problems);
                pointer.truncate(length);
            }
        }
    }
}

fn unknown_words(text: &str, known: &[&str], pointer: &str) -> Vec<RequestProblem> {
    let words = text
        .split('{')
        .skip(1)
        .filter_map(|after| after.split_once('}'));
    let words = words.map(|(word, _)| word).filter(|word| {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        !word.is_empty() && word.bytes().all(plain) && !known.contains(word)
    });
    let problem = |word: &str| {
        let mut problem = RequestProblem::new(pointer, format!("no placeholder `{{{word}}}`"));
        problem.hint =
            nearest_name(word, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        problem
    };
    words.map(problem).collect()
}

/// The message for a name that no profile can have.
pub fn bad_profile(name: &str) -> String {
    let name = tool_core::brief::brief_name(name);
    format!("`{name}` is no name for a profile: letters, digits, `.`, `_` and `-`")
}

/// Whether a text can be the name of a profile: `[A-Za-z0-9][A-Za-z0-9._-]*`.
pub fn is_profile(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.bytes().all(plain)
}
