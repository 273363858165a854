//! JSON Schema 2020-12 of arguments, results and documents: derived from types, inline, closed. [`check_value`] reports every problem of a value.

use crate::source::InputKind;

mod check;
#[doc(hidden)]
pub mod derived;
mod describe;
mod sources;

pub(crate) use check::equals_constant;
pub use check::{
    SchemaViolation, check_document, check_value, check_with_patterns, document_violations,
};
pub use describe::{Contract, Describe};
pub use serde_json::json;
pub use tool_derive::Describe;

/// A JSON Schema document.
pub type Schema = serde_json::Value;

/// The schema of arguments.
pub fn of_input<T: Describe>() -> Schema {
    finish_schema(T::describe(Contract::Read))
}

/// The schema of a result.
pub fn of_output<T: Describe>() -> Schema {
    finish_schema(T::describe(Contract::Write))
}

/// Adds to the schema of a result what the dispatcher adds to results of these arguments: the number of rows left out.
pub(crate) fn add_dropped(output: &mut Schema, input: &Schema) {
    let takes_numbers = input["$defs"]["data"].is_object();
    let properties = output.get_mut("properties").and_then(Schema::as_object_mut);
    if let (true, Some(properties)) = (takes_numbers, properties) {
        let description =
            "Rows of the data that were left out for missing cells; absent where none was.";
        let added =
            serde_json::json!({ "type": "integer", "minimum": 1, "description": description });
        properties.entry(DROPPED).or_insert(added);
    }
}

/// The member of a result that counts the rows left out.
pub const DROPPED: &str = "dropped";

/// The schema of a document that people write: as [`of_input`], but an absent key is the only way to say nothing (`null` is no
/// value), and enums of names are lists of names.
pub fn of_document<T: Describe>() -> Schema {
    let mut schema = T::describe(Contract::Read);
    simplify_schema(&mut schema);
    finish_schema(schema)
}

/// The description of the root.
pub fn root_description(schema: &Schema) -> String {
    let text = schema.get("description").and_then(Schema::as_str);
    text.unwrap_or_default().to_owned()
}

fn finish_schema(mut schema: Schema) -> Schema {
    tidy_schema(&mut schema);
    derived::set_keyword(&mut schema, "$schema", DIALECT.into());
    add_definitions(&mut schema);
    schema
}

/// The dialect of every schema here.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Calls back for each schema directly below one.
fn each_below(schema: &mut Schema, each: &mut dyn FnMut(&mut Schema)) {
    for (key, value) in schema.as_object_mut().into_iter().flatten() {
        match (key.as_str(), value) {
            (
                "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "additionalProperties"
                | "propertyNames"
                | "items",
                value,
            ) => {
                each(value);
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Schema::Array(items)) => {
                items.iter_mut().for_each(&mut *each);
            }
            ("properties" | "patternProperties" | "$defs", Schema::Object(members)) => {
                members.values_mut().for_each(&mut *each);
            }
            _ => {}
        }
    }
}

/// Adds the shared definitions that a schema refers to.
pub fn add_definitions(schema: &mut Schema) {
    let mut names = Vec::new();
    collect_references(schema, &mut names);
    for name in names {
        if let Some(definition) = sources::shared_definition(&name) {
            schema["$defs"][name] = definition.clone();
        }
    }
}

fn collect_references(schema: &Schema, names: &mut Vec<String>) {
    match schema {
        Schema::Object(object) => {
            let name = object.get("$ref").and_then(Schema::as_str);
            names.extend(name.and_then(|name| Some(name.strip_prefix(DEFS)?.to_owned())));
            object
                .values()
                .for_each(|member| collect_references(member, names));
        }
        Schema::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, names)),
        _ => {}
    }
}

/// A schema, or data that is not inline; the description stays outside.
pub fn or_source(mut schema: Schema, kind: InputKind) -> Schema {
    let beside = |key: &str, from: &mut Schema| from.as_object_mut()?.remove(key);
    let told = ["title", "description", "default", "examples"];
    let told = told.map(|key| (key, beside(key, &mut schema)));
    let mut either = serde_json::json!({ "anyOf": [schema, { "$ref": source_of(kind) }] });
    for (key, value) in told {
        if let Some(value) = value {
            either[key] = value;
        }
    }
    either
}

/// The reference to the definition of data that is not inline.
pub fn source_of(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Data => "#/$defs/data",
        InputKind::Table | InputKind::Any => "#/$defs/table",
        InputKind::Text => "#/$defs/text",
    }
}

/// The prefix of a reference to a definition.
const DEFS: &str = "#/$defs/";

/// The shared definition that a schema is a reference to, if it is one.
pub fn resolve_shared_definition(schema: &Schema) -> Option<&'static Schema> {
    let name = schema.get("$ref")?.as_str()?.strip_prefix(DEFS)?;
    sources::shared_definition(name)
}

/// Closes every object that lists its properties, and undoes the line wraps that descriptions have in the source.
fn tidy_schema(schema: &mut Schema) {
    if let Some(object) = schema.as_object_mut() {
        if object.contains_key("properties") && !object.contains_key("additionalProperties") {
            object.insert("additionalProperties".to_owned(), false.into());
        }
        if let Some(Schema::String(text)) = object.get_mut("description") {
            *text = unwrap_lines(text);
        }
    }
    each_below(schema, &mut tidy_schema);
}

/// Takes `null` out of optional values and joins the documented names of an enum into one list.
fn simplify_schema(schema: &mut Schema) {
    each_below(schema, &mut simplify_schema);
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    object.remove("format");
    if object.get("default").is_some_and(Schema::is_null) {
        object.remove("default");
    }
    let required = object.get("required").and_then(Schema::as_array).cloned();
    for name in required.iter().flatten().filter_map(Schema::as_str) {
        let properties = object.get_mut("properties");
        let property = properties.and_then(|all| all.get_mut(name)?.as_object_mut());
        property.map(|property| property.remove("default"));
    }
    if let Some(Schema::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Schema::Array(names)) = object.get_mut("enum") {
        names.retain(|name| !name.is_null());
    }
    let Some(Schema::Array(branches)) = object.remove("anyOf").or(object.remove("oneOf")) else {
        return;
    };
    let (mut names, mut others) = (Vec::new(), Vec::new());
    for branch in branches
        .into_iter()
        .filter(|branch| branch["type"] != "null")
    {
        match names_of(&branch) {
            Some(Schema::Array(more)) => names.extend(more),
            Some(name) => names.push(name),
            None => others.push(branch),
        }
    }
    if !names.is_empty() {
        others.insert(0, serde_json::json!({"type": "string", "enum": names}));
    }
    match others.as_mut_slice() {
        [only] => {
            for (key, value) in only.as_object().into_iter().flatten() {
                object.entry(key).or_insert(value.clone());
            }
        }
        _ => drop(object.insert("anyOf".to_owned(), Schema::Array(others))),
    }
}

/// The name or names that a branch of an enum stands for.
fn names_of(branch: &Schema) -> Option<Schema> {
    let text = branch.get("const").filter(|name| name.is_string());
    text.or(branch.get("enum")).cloned()
}

/// The paragraphs of a text, each on one line; items of a list keep theirs.
fn unwrap_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut paragraph_ended = true;
    for line in text.lines().map(str::trim) {
        let own_line = line.is_empty() || line.starts_with("- ");
        if !joined.is_empty() {
            let separate = own_line || paragraph_ended;
            joined.push(if separate { '\n' } else { ' ' });
        }
        joined.push_str(line);
        paragraph_ended = line.is_empty();
    }
    joined
}

#[cfg(test)]
mod tests;
