//! What derived schemas call: one function reads the table of fields that each type gives.

use serde_json::{Map, json};

use super::{Contract, Schema};
use crate::convert::{Encode, EncodeError, Encoder, to_value};

/// A field of a struct, as its schema tells it.
pub struct FieldRow {
    /// Its spelling.
    pub name: &'static str,
    /// Its doc comment.
    pub doc: &'static str,
    /// The schema of its type.
    pub describe: fn(Contract) -> Schema,
    /// Adds its range or length.
    pub bounds: Option<fn(&mut Schema)>,
    /// Adds what its attributes state, after everything else.
    pub extend: Option<fn(&mut Schema)>,
    /// Its default, where that is written.
    pub default: Option<fn() -> Option<Schema>>,
    /// Whether it may be absent when it is read.
    pub optional_in: bool,
    /// Whether it may be left out when it is written.
    pub optional_out: bool,
    /// Whether it is read.
    pub read: bool,
    /// Whether it is written.
    pub written: bool,
}

/// The schema of a struct.
pub fn struct_schema(contract: Contract, closed: bool, fields: &[FieldRow]) -> Schema {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields {
        let (shown, optional) = match contract {
            Contract::Read => (field.read, field.optional_in),
            Contract::Write => (field.written, field.optional_out),
        };
        if !shown {
            continue;
        }
        let mut schema = (field.describe)(contract);
        if !field.doc.is_empty() {
            set_description(&mut schema, field.doc);
        }
        if let Some(add) = field.bounds {
            add(&mut schema);
        }
        if let Some(default) = field.default.and_then(|default| default()) {
            set_keyword(&mut schema, "default", default);
        }
        if let Some(add) = field.extend {
            add(&mut schema);
        }
        properties.insert(field.name.to_owned(), schema);
        if !optional {
            required.push(Schema::from(field.name));
        }
    }
    let mut schema = json!({"type": "object"});
    if closed {
        set_keyword(&mut schema, "additionalProperties", Schema::Bool(false));
    }
    if !properties.is_empty() {
        set_keyword(&mut schema, "properties", Schema::Object(properties));
    }
    if !required.is_empty() {
        set_keyword(&mut schema, "required", Schema::Array(required));
    }
    schema
}

/// The schema of an enum: names without a comment, and the other branches; with each, whether it is read.
pub fn enum_schema(
    contract: Contract,
    exclusive: bool,
    names: &[(&str, bool)],
    branches: Vec<(bool, Schema)>,
) -> Schema {
    let shown = |read: bool| read || contract == Contract::Write;
    let spelled = names.iter().filter(|(_, read)| shown(*read));
    let spelled = spelled.map(|(name, _)| Schema::from(*name)).collect();
    let list = json!({"type": "string", "enum": Schema::Array(spelled)});
    if branches.is_empty() {
        return list;
    }
    let list = (!names.is_empty()).then_some(list);
    let branches = branches.into_iter().filter(|(read, _)| shown(*read));
    let all: Vec<Schema> = list
        .into_iter()
        .chain(branches.map(|(_, one)| one))
        .collect();
    let key = if exclusive { "oneOf" } else { "anyOf" };
    json!({ key: all })
}

/// The schema of a name alone.
pub fn name_schema(name: &str) -> Schema {
    json!({"type": "string", "const": name})
}

/// The schema of content under its name.
pub fn tagged_schema(name: &str, content: Schema) -> Schema {
    json!({
        "type": "object",
        "properties": { name: content },
        "required": [name],
        "additionalProperties": false,
    })
}

/// The schema of a tuple.
pub fn tuple_schema(items: Vec<Schema>) -> Schema {
    let length = items.len();
    json!({"type": "array", "prefixItems": items, "minItems": length, "maxItems": length})
}

/// The schema of a map; keys with a list of names are properties, those with a pattern follow it.
pub(super) fn map_schema(key: &Schema, value: &Schema) -> Schema {
    let names = key.get("enum").and_then(Schema::as_array);
    let names = names.filter(|names| names.iter().all(Schema::is_string));
    let mut schema = json!({"type": "object"});
    if let Some(pattern) = key.get("pattern").and_then(Schema::as_str) {
        set_keyword(&mut schema, "additionalProperties", Schema::Bool(false));
        set_keyword(&mut schema, "patternProperties", json!({ pattern: value }));
    } else if let Some(names) = names {
        let names = names.iter().filter_map(Schema::as_str);
        let members = names.map(|name| (name.to_owned(), value.clone()));
        set_keyword(&mut schema, "additionalProperties", Schema::Bool(false));
        set_keyword(&mut schema, "properties", Schema::Object(members.collect()));
    } else {
        set_keyword(&mut schema, "additionalProperties", value.clone());
    }
    schema
}

/// A schema or `null`.
pub(super) fn or_null(mut schema: Schema) -> Schema {
    let null = || json!({"type": "null"});
    let Some(object) = schema.as_object_mut() else {
        return match schema {
            Schema::Bool(false) => null(),
            other => other,
        };
    };
    let with_null = |branches: &Schema| {
        let mut branches = branches.as_array().into_iter().flatten();
        branches.any(|branch| has_type(branch, "null"))
    };
    if object.len() == 1 && object.get("anyOf").is_some_and(with_null) {
        return schema;
    }
    let branching = ["if", "allOf", "anyOf", "oneOf", "$ref"];
    if branching.iter().any(|key| object.contains_key(*key)) {
        return json!({"anyOf": [schema, {"type": "null"}]});
    }
    match object.get_mut("type") {
        Some(Schema::Array(types)) if !types.contains(&Schema::from("null")) => {
            types.push("null".into());
        }
        Some(Schema::String(only)) if only != "null" => {
            let types = json!([only, "null"]);
            object.insert("type".to_owned(), types);
        }
        _ => {}
    }
    if let Some(only) = object.remove("const") {
        if !only.is_null() {
            object.insert("enum".to_owned(), json!([only, null]));
        }
    } else if let Some(Schema::Array(names)) = object.get_mut("enum")
        && !names.contains(&Schema::Null)
    {
        names.push(Schema::Null);
    }
    schema
}

fn has_type(schema: &Schema, name: &str) -> bool {
    match schema.get("type") {
        Some(Schema::String(only)) => only == name,
        Some(Schema::Array(types)) => types.iter().any(|one| one == name),
        _ => false,
    }
}

/// Sets the description.
pub fn set_description(schema: &mut Schema, doc: &str) {
    set_keyword(schema, "description", doc.into());
}

/// Sets a key of a schema.
pub fn set_keyword(schema: &mut Schema, key: &str, value: Schema) {
    if let Schema::Bool(anything) = schema {
        let not = json!({"not": {}});
        *schema = if *anything { json!({}) } else { not };
    }
    if let Some(object) = schema.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

/// Sets a bound, where the schema is of the kind that it bounds.
pub fn set_bound(schema: &mut Schema, kind: &str, key: &str, value: Schema) {
    if has_type(schema, kind) || (kind == "number" && has_type(schema, "integer")) {
        set_keyword(schema, key, value);
    }
}

/// A default value; its schema where its type can be written.
pub struct MaybeEncode<T>(
    /// The value.
    pub T,
);

/// A default whose type cannot be written is not shown: this is taken where the method of [`MaybeEncode`] does not exist.
pub trait NotEncode: Sized {
    /// Nothing.
    fn schema(self) -> Option<Schema> {
        None
    }
}

impl<T> NotEncode for MaybeEncode<T> {}

impl<T: Encode> MaybeEncode<T> {
    /// The value as it is written.
    pub fn schema(self) -> Option<Schema> {
        default_schema_value(&self.0)
    }
}

/// A default value as a function writes it.
pub fn default_with<T>(
    value: &T,
    write: fn(&T, &mut Encoder) -> Result<crate::Value, EncodeError>,
) -> Option<Schema> {
    default_schema_value(&crate::convert::EncodeWith(value, write))
}

fn default_schema_value(value: &dyn Encode) -> Option<Schema> {
    serde_json::to_value(to_value(value).ok()?).ok()
}
