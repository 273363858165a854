//! The JSON Schema of `mathchain.toml`, for editors: made by the readers, with what `config_keys.yaml` says of each key.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use tool_core::schema::Schema;

use super::outline::Outline;
use super::part::Part;
use super::{approvers, cases, earlier, read};
use crate::plugins::{Manifest, Settings};
use crate::{agents, document};

/// What keys mean, by path or by the end of a path.
const KEYS: &str = include_str!("../../config_keys.yaml");

/// The JSON Schema (draft 2020-12) of a configuration: the same keys and kinds of values that [`super::Config::parse`] takes.
pub fn schema() -> Schema {
    let (schema, _) = described();
    schema
}

/// What the documents beside the configuration take, each as a JSON Schema without descriptions.
pub fn documents() -> Vec<(&'static str, Schema)> {
    let outlines = [
        ("agent", agents::outline()),
        (
            "approvers",
            Part::outline(|part| approvers::approvers(part, &mut Vec::new())),
        ),
        ("policy case", Part::outline(|part| drop(cases::case(part)))),
        (
            "earlier tool",
            Part::outline(|part| earlier::indexed(part, &mut BTreeMap::new())),
        ),
        (
            "earlier role",
            Part::outline(|part| drop(earlier::of_index(part))),
        ),
        (
            "earlier flat role",
            Part::outline(|part| drop(earlier::flat(String::new(), part))),
        ),
    ];
    let schema = |(name, outline): (_, Outline)| (name, outline.schema("", &mut |_| None));
    let derived = [
        ("plugin manifest", document::schema_of::<Manifest>()),
        ("plugin settings", document::schema_of::<Settings>()),
    ];
    outlines.into_iter().map(schema).chain(derived).collect()
}

/// The schema; and for each path which description it has.
fn described() -> (Schema, BTreeMap<String, Option<String>>) {
    let known = descriptions();
    let mut used = BTreeMap::new();
    let outline = Part::outline(|part| {
        read::whole(part);
    });
    let mut schema = outline.schema("", &mut |path| {
        let name = name_of(path, &known);
        used.insert(path.to_owned(), name.clone());
        known.get(&name?).cloned()
    });
    if let Some(members) = schema.as_object_mut() {
        let draft = "https://json-schema.org/draft/2020-12/schema";
        members.insert("$schema".to_owned(), draft.into());
        members.insert("title".to_owned(), "mathchain.toml".into());
    }
    (schema, used)
}

/// The description that fits a path: of the whole, else of the longest end.
fn name_of(path: &str, known: &BTreeMap<String, String>) -> Option<String> {
    let mut rest = path;
    loop {
        if known.contains_key(rest) {
            return Some(rest.to_owned());
        }
        (_, rest) = rest.split_once('.')?;
    }
}

fn descriptions() -> BTreeMap<String, String> {
    let document = document::parse_yaml(KEYS);
    let document = document.expect("config_keys.yaml is part of the program and a test reads it");
    let members = document
        .value
        .as_object()
        .into_iter()
        .flat_map(|table| table.iter());
    members
        .filter_map(|(key, text)| Some((key.to_owned(), text.as_str()?.to_owned())))
        .collect()
}
