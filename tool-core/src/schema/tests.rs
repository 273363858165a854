use std::collections::BTreeMap;

use super::{Contract, json, of_document, of_input, of_output};
use crate::{Decode, Describe, Encode};

/// A room of
/// a house.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
struct Room {
    /// Width in metres.
    #[schema(range(min = 1, max = 9.5))]
    width: f64,
    #[value(default = "two", skip_encoding_if = "Option::is_none")]
    windows: Option<u8>,
    #[value(rename = "type", default)]
    kind: Option<Kind>,
    #[schema(length(max = 3), extend("x-shape" = ["n"]))]
    labels: Vec<String>,
    #[value(skip_encoding)]
    #[expect(dead_code, reason = "read, and not written")]
    secret: BTreeMap<Key, bool>,
    #[value(skip)]
    #[expect(dead_code, reason = "in no schema")]
    cached: bool,
}

fn two() -> Option<u8> {
    Some(2)
}

#[derive(Debug, Clone, Copy, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
enum Kind {
    Hall,
    /// With a bed.
    BedRoom,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Encode, Decode, Describe)]
#[value(rename_all = "lowercase")]
enum Key {
    Front,
    Back,
}

#[test]
fn a_schema_has_the_fields_with_their_bounds_defaults_and_comments() {
    let kind = json!({
        "anyOf": [
            { "oneOf": [
                { "type": "string", "enum": ["hall"] },
                { "type": "string", "const": "bed_room", "description": "With a bed." },
            ] },
            { "type": "null" },
        ],
        "default": null,
    });
    let mut properties = json!({
        "width": { "type": "number", "format": "double", "minimum": 1, "maximum": 9.5, "description": "Width in metres." },
        "windows": { "type": ["integer", "null"], "format": "uint8", "minimum": 0, "maximum": 255, "default": 2 },
        "type": kind,
        "labels": { "type": "array", "items": { "type": "string" }, "maxItems": 3, "x-shape": ["n"] },
        "secret": {
            "type": "object",
            "additionalProperties": false,
            "properties": { "front": { "type": "boolean" }, "back": { "type": "boolean" } },
        },
    });
    let read = of_input::<Room>();
    assert_eq!(read["properties"], properties);
    assert_eq!(read["required"], json!(["width", "labels", "secret"]));
    assert_eq!(read["description"], "A room of a house.");
    assert_eq!(read["additionalProperties"], false);

    let written = of_output::<Room>();
    properties
        .as_object_mut()
        .expect("an object")
        .remove("secret");
    assert_eq!(written["properties"], properties);
    assert_eq!(written["required"], json!(["width", "type", "labels"]));
}

#[test]
fn a_document_has_no_null_and_lists_the_names_of_an_enum() {
    let document = of_document::<Room>();
    let properties = &document["properties"];
    assert_eq!(
        properties["type"],
        json!({ "type": "string", "enum": ["hall", "bed_room"] })
    );
    assert_eq!(properties["windows"]["type"], "integer");
}

#[test]
fn forms_of_the_standard_library() {
    let read = |schema: fn(Contract) -> super::Schema| schema(Contract::Read);
    assert_eq!(
        read(<(f64, Option<bool>)>::describe),
        json!({
            "type": "array",
            "prefixItems": [{ "type": "number", "format": "double" }, { "type": ["boolean", "null"] }],
            "minItems": 2,
            "maxItems": 2,
        })
    );
    assert_eq!(
        read(<[u64; 3]>::describe),
        json!({ "type": "array", "items": { "type": "integer", "format": "uint64", "minimum": 0 }, "minItems": 3, "maxItems": 3 })
    );
    assert_eq!(
        read(BTreeMap::<String, ()>::describe),
        json!({ "type": "object", "additionalProperties": { "type": "null" } })
    );
    let keys = read(Option::<Key>::describe);
    assert_eq!(
        keys,
        json!({ "type": ["string", "null"], "enum": ["front", "back", null] })
    );
}
