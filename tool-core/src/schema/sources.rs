//! The shared definitions of schemas: the forms of data that is not inline.

use std::sync::LazyLock;

use serde_json::json;

use super::Schema;
use crate::npy;

/// A shared definition, by its name.
pub(super) fn shared_definition(name: &str) -> Option<&'static Schema> {
    static DEFINITIONS: LazyLock<[(&str, Schema); 3]> = LazyLock::new(|| {
        [
            ("data", data_source_schema()),
            ("table", table_source_schema()),
            ("text", text_source_schema()),
        ]
    });
    let mut known = DEFINITIONS.iter();
    known
        .find(|(known, _)| *known == name)
        .map(|(_, schema)| schema)
}

fn text_source_schema() -> Schema {
    json!({ "anyOf": [
        reference_schema("$file", "A text file, relative to the workspace root", &json!({})),
        artifact_schema(&json!({})),
    ] })
}

/// Numbers, of which rows with missing cells are left out.
fn data_source_schema() -> Schema {
    let missing = json!({ "enum": ["drop", "refuse"], "description": "Rows with missing cells: left out with a warning (the default), or an error" });
    of_data(&json!({ "missing": missing }))
}

/// Tables with their missing cells.
fn table_source_schema() -> Schema {
    of_data(&json!({}))
}

fn of_data(more: &Schema) -> Schema {
    let cell = json!({ "type": ["number", "string", "boolean", "null"] });
    let wanted = json!({ "anyOf": [
        cell,
        { "type": "array", "items": cell, "minItems": 1 },
        { "type": "object", "properties": { "min": { "type": "number" }, "max": { "type": "number" } }, "additionalProperties": false }
    ] });
    let mut table = json!({
        "column": { "type": "string", "description": "One column of a table, as a list" },
        "columns": { "type": "array", "items": { "type": "string" }, "minItems": 1, "description": "Columns of a table, in this order" },
        "where": { "type": "object", "additionalProperties": wanted, "description": "Rows of a table: {column: value, list of values, or {min, max}}" }
    });
    for (name, property) in more.as_object().into_iter().flatten() {
        table[name] = property.clone();
    }
    let mut file = table.clone();
    file["member"] = json!({ "type": "string", "description": "Array of an .npz file, sheet of a workbook, table of a database" });
    file["delimiter"] = json!({ "type": "string", "minLength": 1, "maxLength": 1, "description": "Delimited text: the character between cells; found where absent" });
    file["has_header"] = json!({ "type": "boolean", "description": "Delimited text: whether the first line names the columns" });
    file["decimal_comma"] =
        json!({ "type": "boolean", "description": "Delimited text: whether `3,5` is a number" });
    file["missing_words"] = json!({ "type": "array", "items": { "type": "string" }, "description": "Delimited text: words for missing cells, in place of NA, NaN, null and -, which are texts in columns of texts" });
    json!({ "anyOf": [
        reference_schema("$file", "A .csv, .tsv, .json, .jsonl, .parquet, .arrow, .xlsx, .db, .npy or .npz file, also .gz or .zst, below the workspace root", &file),
        artifact_schema(&table),
        reference_schema(npy::KEY, "The bytes of an .npy file in base64", &json!({})),
    ] })
}

fn artifact_schema(beside: &Schema) -> Schema {
    reference_schema(
        "$artifact",
        "Handle of an artifact: b3:<64 hex digits>",
        beside,
    )
}

fn reference_schema(key: &str, description: &str, beside: &Schema) -> Schema {
    let mut properties = json!({ key: { "type": "string", "description": description } });
    for (name, property) in beside.as_object().into_iter().flatten() {
        properties[name] = property.clone();
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": [key],
        "additionalProperties": false
    })
}
