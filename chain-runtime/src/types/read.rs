//! Types from schemas.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tool_core::number::from_spelling;
use tool_core::schema::{Schema, resolve_shared_definition};

use super::{RecordField, RecordType, Type};

/// Deepest nesting of a schema that is read; below it anything goes.
const DEPTH_MAX: usize = 24;

/// The types of the parts of one schema, each read once.
#[derive(Debug, Default)]
pub(crate) struct SchemaTypes(RefCell<HashMap<*const Schema, Type>>);

impl SchemaTypes {
    /// Type of a part of the schema, by address; the schema must outlive the slots and not move.
    pub(crate) fn of(&self, schema: &Schema) -> Type {
        let mut known = self.0.borrow_mut();
        let slot = known.entry(std::ptr::from_ref(schema));
        slot.or_insert_with(|| Type::of_schema(schema)).clone()
    }
}

pub(super) fn type_from_schema(schema: &Schema, depth: usize) -> Type {
    let Some(object) = schema.as_object() else {
        return match schema {
            Schema::Bool(false) => Type::union([]),
            _ => Type::Any,
        };
    };
    if depth > DEPTH_MAX || object.contains_key("$ref") || object.contains_key("allOf") {
        return Type::Any;
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = object.get(key).and_then(Schema::as_array) {
            // The output of a step is data and opens nothing.
            let is_data = |branch: &&Schema| {
                !is_spelling(branch) && resolve_shared_definition(branch).is_none()
            };
            let branches = branches.iter().filter(is_data);
            return Type::union(branches.map(|branch| type_from_schema(branch, depth + 1)));
        }
    }
    let constants = object.get("enum").and_then(Schema::as_array);
    let constant = object.get("const").map(std::slice::from_ref);
    if let Some(constants) = constant.or(constants.map(Vec::as_slice)) {
        return Type::union(constants.iter().map(of_constant));
    }
    match object.get("type") {
        Some(Schema::String(name)) => type_from_name(name, object, depth),
        Some(Schema::Array(names)) => {
            let names = names.iter().filter_map(Schema::as_str);
            Type::union(names.map(|name| type_from_name(name, object, depth)))
        }
        _ if object.contains_key("properties") => type_from_name("object", object, depth),
        _ => Type::Any,
    }
}

/// A double that may be non-finite is a number with three more spellings; it counts as a number.
fn is_spelling(schema: &Schema) -> bool {
    let is_spelling = |name: &Schema| name.as_str().and_then(from_spelling).is_some();
    let names = schema.get("enum").and_then(Schema::as_array);
    names.is_some_and(|names| names.len() == 3 && names.iter().all(is_spelling))
}

fn of_constant(constant: &Schema) -> Type {
    match constant {
        Schema::Null => Type::Null,
        Schema::Bool(_) => Type::Boolean,
        Schema::Number(number) if number.is_f64() => Type::Number,
        Schema::Number(_) => Type::Integer,
        Schema::String(_) => Type::String,
        Schema::Array(_) => Type::List(Arc::new(Type::Any)),
        Schema::Object(_) => Type::Any,
    }
}

fn type_from_name(name: &str, schema: &serde_json::Map<String, Schema>, depth: usize) -> Type {
    match name {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "integer" => Type::Integer,
        "number" => Type::Number,
        "string" => Type::String,
        "array" => {
            let below = |items: &Schema| type_from_schema(items, depth + 1);
            let items = match schema.get("prefixItems").and_then(Schema::as_array) {
                Some(items) => Type::union(items.iter().map(below)),
                None => schema.get("items").map_or(Type::Any, below),
            };
            Type::List(Arc::new(items))
        }
        "object" => Type::Record(Arc::new(record_from_schema(schema, depth))),
        _ => Type::Any,
    }
}

fn record_from_schema(schema: &serde_json::Map<String, Schema>, depth: usize) -> RecordType {
    let required = schema.get("required").and_then(Schema::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let properties = schema.get("properties").and_then(Schema::as_object);
    let field = |(name, member): (&String, &Schema)| RecordField {
        name: name.as_str().into(),
        ty: type_from_schema(member, depth + 1),
        required: is_required(name),
    };
    let fields = properties.into_iter().flatten().map(field).collect();
    let rest = match schema.get("additionalProperties") {
        Some(Schema::Bool(false)) => None,
        Some(rest) => Some(type_from_schema(rest, depth + 1)),
        None => Some(Type::Any),
    };
    RecordType { fields, rest }
}
