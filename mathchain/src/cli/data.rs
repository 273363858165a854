//! Files as values on the command line: `--A A.npy`, `--A @A.npy`, `--A @-`.

use tool_core::input::InputKind;
use tool_core::schema::Schema;
use tool_core::{Object, Result, Value, tool_error};

use super::stdin;

/// The file that a word names, as `{"$file": path}`, or the data of standard input; `None` for a word that is a value.
///
/// `@` names a file of any argument that takes files; without it, the ending of the name must be one of data, or one that the argument
/// states (`x-file-endings`) where it takes text. `@@` begins a text with one `@`.
///
/// # Errors
/// Standard input that cannot be read or is not data.
pub(super) fn named(property: &Schema, word: &str, bytes_max: u64) -> Result<Option<Value>> {
    let Some(kind) = taken(property) else {
        return Ok(None);
    };
    Ok(match word.strip_prefix('@') {
        Some("-") => Some(of_stdin(kind, bytes_max)?),
        Some(text) if text.starts_with('@') && kind == InputKind::Text => Some(text.into()),
        Some(path) => Some(file(path)),
        None if kind == InputKind::Data && is_path(word) => Some(file(word)),
        None if has_ending(property, word) => Some(file(word)),
        None => None,
    })
}

/// The kind of data that an argument takes from files; `None` where it takes none.
fn taken(property: &Schema) -> Option<InputKind> {
    let branches = property["anyOf"].as_array()?;
    let kind = |branch: &Schema| match branch["$ref"].as_str()? {
        "#/$defs/data" | "#/$defs/table" => Some(InputKind::Data),
        "#/$defs/text" => Some(InputKind::Text),
        _ => None,
    };
    branches
        .iter()
        .find_map(|branch| match branch.get("anyOf") {
            Some(_) => taken(branch),
            None => kind(branch),
        })
}

/// Whether an argument takes files.
pub(super) fn takes_files(property: &Schema) -> bool {
    taken(property).is_some()
}

fn is_path(word: &str) -> bool {
    !word.starts_with(['[', '{', '"']) && host_tools::inputs::is_data(word)
}

fn has_ending(property: &Schema, word: &str) -> bool {
    let endings = property["x-file-endings"].as_array().into_iter().flatten();
    let mut endings = endings.filter_map(Schema::as_str);
    !word.contains(['\n', ' ']) && endings.any(|ending| word.ends_with(ending))
}

fn file(path: &str) -> Value {
    let mut object = Object::new();
    object.insert("$file", path);
    object.into()
}

fn of_stdin(kind: InputKind, bytes_max: u64) -> Result<Value> {
    let bytes = stdin::read(bytes_max)
        .map_err(|err| tool_error!(ToolError, "io"; "cannot read stdin: {err}"))?;
    if bytes.len() as u64 > bytes_max {
        return Err(tool_error!(LimitExceeded, "file_size";
            "standard input has more than {bytes_max} bytes";
            "send less, or raise `limits.max_input_bytes`"));
    }
    host_tools::inputs::parse("standard input", kind, &bytes, bytes_max)
}

/// A text that begins as a JSON list or object and is none.
///
/// # Errors
/// Its fault and place.
pub(super) fn check_json(argument: &str, word: &str) -> Result<()> {
    if !word.trim_start().starts_with(['[', '{']) {
        return Ok(());
    }
    match tool_core::json::parse(word, tool_core::json::Limits::default()) {
        Ok(_) => Ok(()),
        Err(err) => Err(tool_error!(InvalidArgs at format!("/{argument}"), "json";
            "`{argument}` is not valid JSON: {err}";
            "close every bracket, and quote the value for the shell: --{argument} '[[1, 2], [3, 4]]'")),
    }
}
