//! Every key of every document, each with the test that shows its effect: `keys.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use registry::document;
use serde_json::Value as Json;
use tool_core::Value;

const KEYS: &str = include_str!("keys.yaml");

/// Keys whose effect no test shows yet; the number only falls.
const UNPROVED: usize = 0;

/// The paths of a schema: `[]` is an item of a list, `*` a name of the author's. The second value says whether others lie below.
fn paths(schema: &Json, root: &Json, path: &str, found: &mut BTreeMap<String, bool>) {
    if let Some(target) = schema["$ref"].as_str() {
        let target = root.pointer(target.trim_start_matches('#'));
        return paths(target.expect("a definition"), root, path, found);
    }
    for branches in ["anyOf", "oneOf", "allOf"] {
        for branch in schema[branches].as_array().into_iter().flatten() {
            paths(branch, root, path, found);
        }
    }
    let below = |key: &str| match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    };
    let mut inner = Vec::new();
    for (key, member) in schema["properties"].as_object().into_iter().flatten() {
        found.entry(below(key)).or_insert(false);
        inner.push((below(key), member));
    }
    if schema["items"].is_object() {
        inner.push((format!("{path}[]"), &schema["items"]));
    }
    if schema["additionalProperties"].is_object() {
        inner.push((below("*"), &schema["additionalProperties"]));
    }
    for (path, member) in inner {
        let before = found.len();
        paths(member, root, &path, found);
        let key = path.trim_end_matches("[]").trim_end_matches(".*");
        if let Some(has_keys) = found.get(key).map(|has| *has || found.len() > before) {
            found.insert(key.to_owned(), has_keys);
        }
    }
}

fn documents() -> BTreeMap<String, BTreeMap<String, bool>> {
    let plan: Json = serde_json::from_str(include_str!("../docs/schema/plan.schema.json"))
        .expect("the schema of plans");
    let named = registry::load::document_schemas().into_iter();
    let all = named.chain([
        ("configuration", registry::load::config_schema()),
        ("plan", plan),
    ]);
    all.map(|(name, schema)| {
        let mut found = BTreeMap::new();
        paths(&schema, &schema, "", &mut found);
        (name.to_owned(), found)
    })
    .collect()
}

/// The keys of a document that hold no others.
pub(crate) fn leaves(document: &str) -> Vec<String> {
    let mut documents = documents();
    let keys = documents.remove(document).expect("a document");
    let leaves = keys.into_iter().filter(|(_, has_keys)| !has_keys);
    leaves.map(|(key, _)| key).collect()
}

/// What `keys.yaml` says of a key.
enum Listed {
    /// Names of tests, or of cases of data files.
    Shown(Vec<String>),
    /// Why it has no effect of its own.
    Inert,
    Unproved,
}

fn listed(value: &Value) -> Option<Listed> {
    let reason = |key: &str| value.get(key).and_then(Value::as_str).map(str::len);
    let names = match value.as_str() {
        Some(name) => Some(vec![name.to_owned()]),
        None => value.items().map(|items| {
            let name = |item: &Value| item.as_str().map(str::to_owned);
            items.iter().filter_map(name).collect()
        }),
    };
    match (names, reason("inert"), reason("unproved")) {
        (Some(names), ..) => Some(Listed::Shown(names)),
        (None, Some(10..), None) => Some(Listed::Inert),
        (None, None, Some(10..)) => Some(Listed::Unproved),
        _ => None,
    }
}

/// The sources of tests, with the data files that each takes in.
#[expect(
    clippy::disallowed_methods,
    reason = "the sources of the repository are what is looked at"
)]
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") {
            let mut text = std::fs::read_to_string(&path).expect("a source");
            let taken: Vec<String> = text
                .split("include_str!(\"")
                .skip(1)
                .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
                .collect();
            for file in taken {
                let file = folder.join(file);
                text += &std::fs::read_to_string(&file).unwrap_or_default();
            }
            // A key may begin a line of a text in a string.
            found.push((path, text.replace("\\n", "\n")));
        }
    }
}

/// Whether a text has a key as a word of its own.
fn has_word(text: &str, word: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.as_bytes()[..at].last();
        let after = text.as_bytes().get(at + word.len());
        !before.is_some_and(|byte| part(*byte)) && !after.is_some_and(|byte| part(*byte))
    })
}

/// What is wrong with the tests named for a key: one that is not there, or none that stands beside the key's word.
fn shown(key: &str, tests: &[String], files: &[(PathBuf, String)]) -> Vec<String> {
    let word = key.rsplit('.').find(|word| !word.starts_with('*'));
    let word = word.unwrap_or_default().trim_end_matches("[]");
    let mut problems = Vec::new();
    let mut has_key = false;
    for test in tests {
        let (function, case) = (format!("fn {test}("), format!("id: {test}\n"));
        let holds = |text: &str| text.contains(&function) || text.contains(&case);
        let holding: Vec<_> = files.iter().filter(|(_, text)| holds(text)).collect();
        if holding.is_empty() {
            problems.push(format!("`{key}`: no test `{test}`"));
        }
        has_key |= holding.iter().any(|(_, text)| has_word(text, word));
    }
    if !has_key {
        problems.push(format!(
            "`{key}`: no test of {tests:?} stands where `{word}` is"
        ));
    }
    problems
}

#[test]
fn every_key_has_a_test_that_shows_its_effect() {
    let list = document::parse_yaml(KEYS).expect("a document").value;
    let list = list.as_object().expect("a table");
    let documents = documents();
    let mut files = Vec::new();
    sources(&tests::root(), &mut files);
    let mut faults = Vec::new();
    let mut unproved = 0;
    let names: BTreeSet<&str> = list.iter().map(|(name, _)| name).collect();
    for name in names.iter().filter(|name| !documents.contains_key(**name)) {
        faults.push(format!("`{name}` is no document"));
    }
    for (name, keys) in &documents {
        let none = Value::object::<&str, Value>([]);
        let of = list.get(name).unwrap_or(&none);
        let of = of.as_object().expect("a table of keys");
        for (key, _) in of.iter().filter(|(key, _)| !keys.contains_key(*key)) {
            faults.push(format!("{name}: no key `{key}`"));
        }
        for (key, has_keys) in keys {
            let Some(value) = of.get(key) else {
                // A table acts through its keys.
                if !has_keys {
                    faults.push(format!("{name}: `{key}` is not listed"));
                }
                continue;
            };
            match listed(value) {
                None => faults.push(format!(
                    "{name}: `{key}` needs the name of a test, or `inert` or `unproved` with a reason"
                )),
                Some(Listed::Inert) => {}
                Some(Listed::Unproved) => unproved += 1,
                Some(Listed::Shown(tests)) => {
                    let problems = shown(key, &tests, &files);
                    faults.extend(problems.iter().map(|problem| format!("{name}: {problem}")));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(unproved, UNPROVED, "keys without a test");
}
