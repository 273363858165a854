//! The JSON Schema of plans, derived from [`Plan`]; only the language of values, which no Rust type has, is written here.
//!
//! It states what a schema can: forms, names, ranges. References, types of arguments, permissions and order are up to the check.

use std::sync::LazyLock;

use tool_core::schema::{Schema, json, of_document};

use super::{INTEGER_MAX, NAMES_MAX, Plan, RESERVED, VERSION};
use crate::reference;

/// The form of ids.
pub(super) const ID: &str = "^[a-z][a-z0-9_]{0,63}$";

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let mut schema = of_document::<Plan>();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("A plan of mathchain");
    schema["$defs"] = value_definitions();
    schema
});

/// The JSON Schema (draft 2020-12) of a plan.
pub fn plan_schema() -> Schema {
    SCHEMA.clone()
}

/// [`plan_schema`], built once.
pub(super) fn shared_plan_schema() -> &'static Schema {
    &SCHEMA
}

/// What values of a plan may be: data, references, formatted texts and literals.
fn value_definitions() -> Schema {
    let special = |key: &str, properties: Schema| json!({"type": "object", "properties": properties, "required": [key], "additionalProperties": false});
    let reference = json!({
        "$ref": {
            "type": "string",
            "pattern": r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\]|\[\*\])*$",
            "maxLength": reference::TEXT_BYTES_MAX,
        },
        "default": {"description": "Value used where the reference is absent or `null`, or its step did not succeed."},
    });
    let format = json!({
        "$fmt": {"type": "string", "description": "A text with `{}` for each value; `{{` and `}}` are braces."},
        "args": {"type": "array", "items": {"$ref": "#/$defs/value"}},
    });
    let unless = |key: &str, definition: &str, otherwise: Schema| {
        json!({
            "if": {"type": "object", "required": [key]},
            "then": {"$ref": format!("#/$defs/{definition}")},
            "else": otherwise,
        })
    };
    let all = |definition: &str| {
        let each = json!({"$ref": format!("#/$defs/{definition}")});
        json!({"items": each, "additionalProperties": each})
    };
    let mut value = unless("$lit", "literal", all("value"));
    value = unless("$ref", "reference", unless("$fmt", "format", value));
    value["description"] =
        json!("Data; an object with `$ref`, `$fmt` or `$lit` is replaced by a value.");
    json!({
        "reference": special("$ref", reference),
        "format": special("$fmt", format),
        "literal": special("$lit", json!({"$lit": {}})),
        "value": value,
        "output": {
            "description": "As a value; it opens no file.",
            "allOf": [
                {"$ref": "#/$defs/value"},
                {"not": {
                    "type": "object",
                    "anyOf": [{"required": ["$file"]}, {"required": ["$artifact"]}],
                }},
                {"if": {"type": "object", "required": ["$lit"]}, "then": {}, "else": all("output")},
            ],
        },
    })
}

pub(super) fn version_schema() -> Schema {
    json!({"const": VERSION, "examples": [VERSION]})
}

pub(super) fn id_schema() -> Schema {
    json!({"type": "string", "pattern": ID})
}

pub(super) fn reserved_schema() -> Schema {
    json!({"type": "string", "pattern": ID, "not": {"enum": RESERVED}, "examples": ["fit"]})
}

pub(super) fn positive_integer_schema() -> Schema {
    json!({"type": "integer", "minimum": 1, "maximum": INTEGER_MAX})
}

pub(super) fn names_schema() -> Schema {
    json!({"type": ["string", "array"], "items": {"type": "string"}})
}

pub(super) fn args_schema() -> Schema {
    json!({"type": "object", "allOf": [{"$ref": "#/$defs/value"}]})
}

pub(super) fn list_schema() -> Schema {
    json!({
        "type": ["array", "object"],
        "allOf": [{"$ref": "#/$defs/value"}],
        "examples": [[1, 2, 3]],
    })
}

pub(super) fn outputs_schema() -> Schema {
    json!({
        "type": "object",
        "not": {"maxProperties": 1, "anyOf": [{"required": ["$ref"]}, {"required": ["$lit"]}, {"required": ["$fmt"]}]},
        "additionalProperties": {"$ref": "#/$defs/output"},
        "maxProperties": NAMES_MAX,
    })
}

#[cfg(test)]
mod tests;
