//! The lattice: schemas in, fits and paths out.

use serde_json::json;

use super::*;
use crate::reference::PlanReference;

fn ty(schema: Schema) -> Type {
    Type::of_schema(&schema)
}

#[test]
fn reads_schemas() {
    let number = json!({"type": "number"});
    let cases = [
        (json!({}), "any value"),
        (json!(true), "any value"),
        (json!(false), "nothing"),
        (number.clone(), "a number"),
        (json!({"type": ["integer", "null"]}), "an integer or null"),
        (
            json!({"type": "array", "items": {"type": "array", "items": number}}),
            "an array of numbers of rank 2",
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "number"}]}),
            "a list of numbers",
        ),
        (
            json!({"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}),
            "a number",
        ),
        (
            json!({"oneOf": [{"const": "qr"}, {"const": "svd"}]}),
            "a string",
        ),
        (json!({"enum": ["a", 1]}), "a string or an integer"),
        (json!({"$ref": "#"}), "any value"),
        (
            json!({"properties": {"a": {}}, "type": "object"}),
            "a record of `a`",
        ),
    ];
    for (schema, expected) in cases {
        assert_eq!(ty(schema.clone()).to_string(), expected, "{schema}");
    }
}

#[test]
fn a_schema_of_any_depth_is_read() {
    let mut schema = json!({"type": "number"});
    for _ in 0..100 {
        schema = json!({"type": "array", "items": schema});
    }
    assert!(ty(schema).to_string().starts_with("an array of any values"));
}

fn record() -> Type {
    ty(json!({
        "type": "object",
        "properties": {
            "mean": {"type": "number"},
            "note": {"type": "string"},
            "best": {"type": ["number", "null"]},
            "rows": {"type": "array", "items": {
                "type": "object", "properties": {"p": {"type": "number"}, "q": {"type": "string"}},
                "required": ["p"], "additionalProperties": false
            }},
            "free": {}
        },
        "required": ["mean", "best", "rows", "free"],
        "additionalProperties": false
    }))
}

#[test]
fn walks_references() {
    let cases = [
        ("r.mean", "a number", false),
        ("r.note", "a string", true),
        ("r.best", "a number", true),
        ("r.rows", "a list of records", false),
        ("r.rows[0].p", "a number", false),
        ("r.rows[0].q", "a string", true),
        ("r.rows[*].p", "a list of numbers", false),
        ("r.rows[*].q", "a list of values", false),
        ("r.free.x[3].y", "any value", false),
        ("r.free[*].x", "a list of any values", false),
    ];
    for (text, expected, maybe) in cases {
        let reference = PlanReference::parse(text).unwrap();
        let walked = record().walk(reference.segments()).unwrap();
        assert_eq!(
            (walked.ty.to_string().as_str(), walked.maybe),
            (expected, maybe),
            "{text}"
        );
    }
}

#[test]
fn what_may_be_missing_needs_a_default() {
    let record = ty(json!({
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "p": {"type": "number"},
                    "q": {"type": ["number", "null"]},
                    "v": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]},
                    "l": {"type": "array", "items": {"type": ["number", "null"]}}
                },
                "required": ["p", "q", "l"]
            }},
            "m": {"type": "array", "items": {"type": "number"}}
        },
        "required": ["rows"]
    }));
    // Into a list of numbers, a list of what may be null, and anything.
    let number = json!({"type": "array", "items": {"type": "number"}});
    let nullable = json!({"type": "array", "items": {"type": ["number", "null"]}});
    let slots = [number, nullable, json!({})].map(ty);
    let cases = [
        ("r.rows[*].p", [false, false, false]),
        ("r.rows[*].q", [true, false, false]),
        ("r.rows[*].v.n", [true, true, true]),
        ("r.rows[0].v.n", [true, true, true]),
        ("r.rows[0].l", [false, false, false]),
        ("r.rows[0].l[*]", [true, false, false]),
        ("r.m", [true, true, false]),
        ("r.m[*]", [true, true, true]),
    ];
    for (text, expected) in cases {
        let walked = record.walk(PlanReference::parse(text).unwrap().segments());
        let walked = walked.unwrap();
        let found = slots.each_ref().map(|slot| walked.needs_default(slot));
        assert_eq!(found, expected, "{text}");
    }
    let nested = PlanReference::parse("r.rows[*].l[*]").unwrap();
    let gaps = record.walk(nested.segments()).unwrap().gaps.unwrap();
    assert_eq!(gaps, Type::list(2, Type::Null));
}

#[test]
fn dead_ends_list_the_fields() {
    let cases = [
        ("r.meen", 0, vec!["best", "free", "mean", "note", "rows"]),
        ("r.mean.x", 1, vec![]),
        ("r.rows[0].z", 2, vec!["p", "q"]),
        ("r.rows[*].z", 2, vec!["p", "q"]),
        ("r.mean[*]", 1, vec![]),
        ("r[0]", 0, vec!["best", "free", "mean", "note", "rows"]),
    ];
    for (text, followed, known) in cases {
        let reference = PlanReference::parse(text).unwrap();
        let end = record().walk(reference.segments()).unwrap_err();
        let found: Vec<&str> = end.known.iter().map(|name| &**name).collect();
        assert_eq!((end.followed, found), (followed, known), "{text}");
    }
}

#[test]
fn fits() {
    use TypeFit::{Always, Check, Never};
    let closed = |properties: Schema, required: Schema| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let number = || json!({"type": "number"});
    let list = |items: Schema| json!({"type": "array", "items": items});
    let cases = [
        (number(), number(), Always),
        (json!({"type": "integer"}), number(), Always),
        (number(), json!({"type": "integer"}), Check),
        (json!({"type": "string"}), number(), Never),
        (json!({}), number(), Check),
        (json!({"type": "string"}), json!({}), Always),
        (list(number()), list(number()), Always),
        (list(list(number())), list(number()), Never),
        (list(json!({"type": "string"})), list(list(number())), Never),
        (list(json!({})), list(number()), Check),
        (list(json!({"type": "integer"})), list(number()), Always),
        (list(number()), list(json!({"type": "integer"})), Check),
        (
            list(list(json!({"type": "integer"}))),
            list(list(number())),
            Always,
        ),
        (json!({"type": ["number", "string"]}), number(), Check),
        (json!({"type": ["boolean", "string"]}), number(), Never),
        (
            number(),
            json!({"anyOf": [{"type": "string"}, {"type": "number"}]}),
            Always,
        ),
        (
            closed(json!({"a": number()}), json!(["a"])),
            closed(json!({"a": number()}), json!(["a"])),
            Always,
        ),
        (
            closed(json!({"a": number()}), json!([])),
            closed(json!({"a": number()}), json!(["a"])),
            Check,
        ),
        (
            closed(json!({"b": number()}), json!(["b"])),
            closed(json!({"a": number()}), json!(["a"])),
            Never,
        ),
        (
            closed(json!({"a": number(), "b": number()}), json!(["a", "b"])),
            closed(json!({"a": number()}), json!(["a"])),
            Never,
        ),
        (
            closed(json!({"a": {"type": "string"}}), json!(["a"])),
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
            Never,
        ),
        (
            json!({"type": "object"}),
            closed(json!({"a": number()}), json!(["a"])),
            Check,
        ),
    ];
    for (from, to, expected) in cases {
        assert_eq!(
            check_type_fit(&ty(from.clone()), &ty(to.clone())),
            expected,
            "{from} -> {to}"
        );
    }
}

/// The lattice never calls impossible what the schema check would accept.
#[test]
fn never_is_never() {
    use tool_core::{Value, schema};
    let schemas = [
        json!({"type": "number"}),
        json!({"type": "integer"}),
        json!({"type": ["string", "null"]}),
        json!({"type": "array", "items": {"type": "number"}}),
        json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
        json!({"anyOf": [{"type": "boolean"}, {"type": "array", "items": {}}]}),
        json!({"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"], "additionalProperties": false}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
    ];
    let values = [
        Value::Int(3),
        Value::Float(0.5),
        Value::Null,
        Value::from("x"),
        Value::Bool(true),
        Value::vector(vec![1.0, 2.0]),
        Value::object([("a", 1_u32)]),
        Value::object([("b", "t")]),
    ];
    for from in &schemas {
        for to in &schemas {
            let both = values.iter().find(|value| {
                schema::check_value(from, value).is_empty()
                    && schema::check_value(to, value).is_empty()
            });
            if let Some(value) = both {
                assert_ne!(
                    check_type_fit(&ty(from.clone()), &ty(to.clone())),
                    TypeFit::Never,
                    "{value}: {from} -> {to}"
                );
            }
        }
    }
}
