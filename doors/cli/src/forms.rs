//! The forms that an argument takes, as its schema states them.

use tool_core::input::InputKind;
use tool_core::schema::Schema;

/// The kind of data that an argument takes from files; `None` where it takes none.
pub(super) fn taken(property: &Schema) -> Option<InputKind> {
    let branches = property["anyOf"].as_array()?;
    let kind = |branch: &Schema| match branch["$ref"].as_str()? {
        "#/$defs/data" => Some(InputKind::Data),
        // Records suit tables as well.
        "#/$defs/table" => Some(InputKind::Any),
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

/// Whether an argument is a text that may come from a file.
pub(super) fn takes_texts(property: &Schema) -> bool {
    taken(property) == Some(InputKind::Text)
}

/// Whether an argument takes files.
pub(super) fn takes_files(property: &Schema) -> bool {
    taken(property).is_some()
}

/// Whether one form of an argument has this type; a form without a type has every type.
pub(super) fn takes(property: &Schema, wanted: &str) -> bool {
    wanted == "object" && takes_files(property) || takes_itself(property, wanted)
}

/// As [`takes`], without references to data.
pub(super) fn takes_itself(property: &Schema, wanted: &str) -> bool {
    // An unknown argument has no schema, and one that takes everything an empty one.
    let is_open = property.as_object().is_none_or(serde_json::Map::is_empty);
    let mut branches = property["anyOf"].as_array().into_iter().flatten();
    is_open
        || types(property).any(|name| name == wanted)
        || branches.any(|branch| takes_itself(branch, wanted))
}

/// The types that a schema states itself.
pub(super) fn types(property: &Schema) -> impl Iterator<Item = &str> {
    let types = &property["type"];
    let many = types.as_array().into_iter().flatten();
    types
        .as_str()
        .into_iter()
        .chain(many.filter_map(Schema::as_str))
}
