//! Files as values on the command line: `--A A.npy`, `--A @A.npy`, `--A @-`, `--code @main.py`.

use std::sync::Arc;

use tool_core::capability::ArrayLoader;
use tool_core::input::InputKind;
use tool_core::json::{JsonLimits, parse_json};
use tool_core::schema::Schema;
use tool_core::{DataSource, Object, Result, Spec, Syntax, Value, source, tool_error};

use super::forms::{taken, takes};
use super::stdin;

/// Reads what the words of a call name.
pub(super) struct CommandFiles {
    /// Opens files of the workspace.
    pub arrays: Option<Arc<dyn ArrayLoader>>,
    /// Most bytes of a file or of standard input.
    pub bytes_max: u64,
}

/// What a word of the command line stands for.
pub(super) enum CommandWord {
    /// A value, of a file that the tool opens or of standard input.
    Value(Value),
    /// Another word: the text of a file.
    Word(String),
}

/// What a word names, if it is more than itself.
///
/// `@PATH` is a file: for an argument that takes files `{"$file": PATH}`, which the tool opens; for any other its text, which is read
/// here as if it stood on the command line. `@-` is standard input, and `@@` begins a text with one `@`. Without `@`, the ending of
/// the name must be one of data, or one that the argument states (`x-file-endings`) where it takes text. A word is never a file for arguments
/// that may begin with `@` themselves: paths, addresses, patterns, queries and git references.
///
/// # Errors
/// A file or standard input that cannot be read or is not data; a reference to a file as a text.
pub(super) fn resolve_word(
    spec: &Spec,
    argument: &str,
    property: &Schema,
    word: &str,
    files: &CommandFiles,
) -> Result<Option<CommandWord>> {
    let Some(kind) = taken(property) else {
        return text_of(spec, argument, property, word, files);
    };
    let value = match word.strip_prefix('@') {
        Some("-") => Some(of_stdin(kind, files.bytes_max)?),
        Some(text) if text.starts_with('@') && kind == InputKind::Text => Some(text.into()),
        Some(path) => Some(file_reference(path)),
        None if kind != InputKind::Text && is_path(word) => Some(file_reference(word)),
        None if has_ending(property, word) => Some(file_reference(word)),
        None => None,
    };
    Ok(value.map(CommandWord::Value))
}

/// As [`resolve_word`], for an argument that takes no files itself.
fn text_of(
    spec: &Spec,
    argument: &str,
    property: &Schema,
    word: &str,
    files: &CommandFiles,
) -> Result<Option<CommandWord>> {
    let place = format!("/{argument}");
    let mut syntaxes = spec.syntax.iter();
    let syntax = syntaxes.find(|(pointer, _)| *pointer == place);
    if syntax.is_some_and(|(_, syntax)| may_begin_with_at(*syntax)) {
        return Ok(None);
    }
    let Some(path) = word.strip_prefix('@') else {
        let is_reference =
            |value: Value| value.as_object().is_some_and(source::has_source_reference);
        if takes(property, "string")
            && parse_json(word, JsonLimits::default()).is_ok_and(is_reference)
        {
            return Err(tool_error!(InvalidArgs at place, "reference";
                "`{argument}` is a text, and opens no file or artifact";
                "`--{argument} @PATH` reads the text of a file, `@-` that of standard input"));
        }
        return Ok(None);
    };
    let text = match path {
        "-" => of_stdin(InputKind::Text, files.bytes_max)?,
        text if text.starts_with('@') => return Ok(Some(CommandWord::Word(text.to_owned()))),
        path => {
            let Some(arrays) = &files.arrays else {
                return Err(tool_error!(PreconditionFailed at place, "no_workspace";
                    "`{path}` cannot be opened: there is no workspace";
                    "open one with --workspace; a text that begins with `@` is written `@@`"));
            };
            let opened = arrays.open(&DataSource::file(path), InputKind::Text, files.bytes_max);
            opened.map_err(|err| match err.hint_str() {
                Some(_) if err.reason_str() != Some("not_found") => err.at(&place),
                _ => err
                    .at(&place)
                    .hint("a text that begins with `@` is written `@@`"),
            })?
        }
    };
    Ok(text.as_str().map(|text| CommandWord::Word(text.to_owned())))
}

/// Whether a text in a syntax may begin with `@`.
pub(super) fn may_begin_with_at(syntax: Syntax) -> bool {
    match syntax {
        Syntax::Path
        | Syntax::Tree
        | Syntax::Tracked
        | Syntax::Url
        | Syntax::Host
        | Syntax::Query
        | Syntax::Pattern
        | Syntax::Member
        | Syntax::Ref => true,
        Syntax::Shell
        | Syntax::Sql
        | Syntax::Expression
        | Syntax::Arguments
        | Syntax::Plan
        | Syntax::Patch => false,
    }
}

fn is_path(word: &str) -> bool {
    !word.starts_with(['[', '{', '"']) && host_tools::inputs::is_data(word)
}

fn has_ending(property: &Schema, word: &str) -> bool {
    let endings = property["x-file-endings"].as_array().into_iter().flatten();
    let mut endings = endings.filter_map(Schema::as_str);
    !word.contains(['\n', ' ']) && endings.any(|ending| word.ends_with(ending))
}

fn file_reference(path: &str) -> Value {
    let mut object = Object::new();
    object.insert("$file", path);
    object.into()
}

fn of_stdin(kind: InputKind, bytes_max: u64) -> Result<Value> {
    let bytes = stdin::read_stdin(bytes_max)
        .map_err(|err| tool_error!(ToolError, "io"; "cannot read stdin: {err}"))?;
    if bytes.len() as u64 > bytes_max {
        return Err(tool_error!(LimitExceeded, "file_size";
            "standard input has more than {bytes_max} bytes";
            "send less, or raise `limits.max_input_bytes`"));
    }
    host_tools::inputs::parse_unnamed_data("standard input", kind, &bytes, bytes_max)
}

/// A text that begins as a JSON list or object and is none.
///
/// # Errors
/// Its fault and place.
pub(super) fn check_json(argument: &str, word: &str) -> Result<()> {
    if !word.trim_start().starts_with(['[', '{']) {
        return Ok(());
    }
    match parse_json(word, JsonLimits::default()) {
        Ok(_) => Ok(()),
        Err(err) => Err(tool_error!(InvalidArgs at format!("/{argument}"), "json";
            "`{argument}` is not valid JSON: {err}";
            "close every bracket, and quote the value for the shell: --{argument} '[[1, 2], [3, 4]]'")),
    }
}
