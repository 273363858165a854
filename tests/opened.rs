//! References to files and artifacts in the arguments of every tool, at every place: each is opened or refused, never taken for data.

use std::collections::BTreeSet;

use mathchain::{ApprovalAnswer, CallContext, Toolkit};
use serde_json::json;
use tool_core::schema::Schema;
use tool_core::{AnyTool, ErrorCode, Value};

/// A file that does not exist: a call that opens it says so.
const ABSENT: &str = "absent.csv";
/// An artifact that does not exist.
const HANDLE: &str = "b3:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn tools() -> Vec<&'static dyn AnyTool> {
    let entries = mathchain::tool_families().flatten();
    entries.map(|entry| entry.tool()).collect()
}

fn toolkit(folder: &tempfile::TempDir) -> Toolkit {
    let builder = Toolkit::builder().workspace(folder.path());
    builder.build().expect("a toolkit")
}

/// A person who approves everything: a call that was not refused runs.
fn operator() -> CallContext {
    CallContext {
        answer: ApprovalAnswer::Yes,
        timeout_ms: Some(20_000),
        ..CallContext::default()
    }
}

fn value(json: &Schema) -> Value {
    let limits = tool_core::json::JsonLimits::default();
    tool_core::json::parse_json(&json.to_string(), limits).expect("JSON")
}

fn schema(value: &Value) -> Schema {
    serde_json::from_str(&tool_core::json::to_text(value)).expect("JSON")
}

/// Every place in a value, as a pointer; of long lists the first two.
fn places(value: &Schema, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Schema::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(member, &format!("{at}/{key}"), found);
            }
        }
        Schema::Array(items) => {
            for (index, item) in items.iter().enumerate().take(2) {
                places(item, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// The arguments to start from: those of the examples, and none.
fn starts(tool: &dyn AnyTool) -> Vec<Schema> {
    let examples = tool.examples();
    let examples = examples.iter().map(|example| schema(&example.args));
    examples.chain([json!({})]).collect()
}

/// The arguments with a reference at each place: in place of what is there, within it, and as every argument that is not given.
fn poisoned(tool: &dyn AnyTool, reference: &Schema) -> BTreeSet<String> {
    let known = tool.input_schema();
    let known = known["properties"].as_object().cloned().unwrap_or_default();
    let mut found = BTreeSet::new();
    for start in starts(tool) {
        let mut pointers = Vec::new();
        places(&start, "", &mut pointers);
        for pointer in pointers.iter().filter(|pointer| !pointer.is_empty()) {
            for put in [
                reference.clone(),
                json!([reference]),
                json!({ "inner": reference }),
            ] {
                let mut args = start.clone();
                *args.pointer_mut(pointer).expect("a place") = put;
                found.insert(args.to_string());
            }
            let mut args = start.clone();
            match args.pointer_mut(pointer) {
                Some(Schema::Object(members)) => {
                    members.insert("added".to_owned(), reference.clone());
                }
                Some(Schema::Array(items)) => items.push(reference.clone()),
                _ => continue,
            }
            found.insert(args.to_string());
        }
        for name in known.keys().filter(|name| start.get(name).is_none()) {
            let mut args = start.clone();
            args[name] = reference.clone();
            found.insert(args.to_string());
        }
    }
    found
}

/// The codes of calls that did not begin.
const REFUSALS: [ErrorCode; 2] = [ErrorCode::InvalidArgs, ErrorCode::PreconditionFailed];

/// What a call does with a reference to `name`.
#[derive(Debug, PartialEq)]
enum Met {
    /// It wanted to open it: the error, or a part of the result, names it.
    Opened,
    /// The call was refused, for its arguments or whatever they are.
    Refused,
    /// Neither.
    Read(String),
}

fn meet(toolkit: &Toolkit, tool: &dyn AnyTool, args: &Value, name: &str) -> Met {
    let outcome = toolkit.call_with(&operator(), tool.spec().id, args);
    let shown = outcome.to_value().to_string();
    match outcome.err() {
        Some(err) if err.message().contains(name) => Met::Opened,
        Some(err) if REFUSALS.contains(&err.code()) => Met::Refused,
        // The calls within are answered one by one.
        _ if tool.spec().calls_tools && shown.contains(name) => Met::Opened,
        _ => Met::Read(shown),
    }
}

/// An error that lists what is wrong; a toolkit has a panic hook that would not show it.
fn none_of(wrong: &[String]) -> Result<(), String> {
    match wrong {
        [] => Ok(()),
        wrong => Err(wrong.join("\n")),
    }
}

/// The number of references that each tool opened.
fn check(reference: &Schema, name: &str) -> Result<Vec<(&'static str, usize)>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let toolkit = toolkit(&folder);
    let mut wrong = Vec::new();
    let mut opened = Vec::new();
    for tool in tools() {
        let mut count = 0;
        for text in poisoned(tool, reference) {
            let args = tool_core::json::parse_json(&text, tool_core::json::JsonLimits::default());
            match meet(&toolkit, tool, &args.expect("JSON"), name) {
                Met::Opened => count += 1,
                Met::Refused => {}
                Met::Read(shown) => wrong.push(format!("{} {text}\n  {shown}", tool.spec().id)),
            }
        }
        opened.push((tool.spec().id, count));
    }
    none_of(&wrong).map(|()| opened)
}

#[test]
fn a_file_anywhere_in_the_arguments_is_opened_or_refused() -> Result<(), String> {
    let opened = check(&json!({ "$file": ABSENT }), ABSENT)?;
    let idle = |tool: &dyn AnyTool| {
        let id = tool.spec().id;
        let (_, count) = opened.iter().find(|(known, _)| *known == id)?;
        let may = takes_data(tool) && !tool.examples().is_empty();
        (may && *count == 0).then(|| format!("`{id}` takes data and opened nothing"))
    };
    none_of(&tools().into_iter().filter_map(idle).collect::<Vec<_>>())
}

#[test]
fn an_artifact_anywhere_in_the_arguments_is_opened_or_refused() -> Result<(), String> {
    check(&json!({ "$artifact": HANDLE }), HANDLE).map(drop)
}

fn takes_data(tool: &dyn AnyTool) -> bool {
    let schema = tool.input_schema().to_string();
    ["data", "table", "text"]
        .iter()
        .any(|kind| schema.contains(&format!("#/$defs/{kind}")))
}

/// The content of a file shows in the answer: an argument of an example read from a file gives the same result.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test makes the files of its workspace"
)]
fn what_a_file_holds_is_what_the_tool_gets() -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let toolkit = toolkit(&folder);
    let (mut read, mut wrong) = (0, Vec::new());
    for tool in tools()
        .into_iter()
        .filter(|tool| tool.spec().effects.is_empty())
    {
        for example in tool.examples() {
            let args = schema(&example.args);
            let whole = toolkit.call_with(&operator(), tool.spec().id, &example.args);
            for (name, given) in example
                .args
                .as_object()
                .into_iter()
                .flat_map(|args| args.iter())
            {
                let (file, content) = match given.as_str() {
                    Some(text) => ("decoy.txt", text.to_owned()),
                    None => ("decoy.json", tool_core::json::to_text(given)),
                };
                std::fs::write(folder.path().join(file), content).expect("writes");
                let mut args = args.clone();
                args[name] = json!({ "$file": file });
                let outcome = toolkit.call_with(&operator(), tool.spec().id, &value(&args));
                match (outcome.output(), whole.output()) {
                    (Some(found), Some(expected)) if found == expected => read += 1,
                    // What takes no file says so.
                    _ if outcome.err().is_some() => {}
                    _ => wrong.push(format!("{} `{name}`: {outcome:?}", tool.spec().id)),
                }
            }
        }
    }
    if read <= 40 {
        wrong.push(format!("only {read} arguments were read from files"));
    }
    none_of(&wrong)
}
