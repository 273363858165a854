//! The JSON Schema of `mathchain.toml`, for editors: made by the readers, with what `config_keys.yaml` says of each key.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use tool_core::schema::Schema;

use super::part::Part;
use super::read;
use crate::document;

/// What keys mean, by path or by the end of a path.
const KEYS: &str = include_str!("../../config_keys.yaml");

/// The JSON Schema (draft 2020-12) of a configuration: the same keys and kinds of values that [`super::Config::parse`] takes.
pub fn schema() -> Schema {
    let (schema, _) = described();
    schema
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
