use super::*;
use tool_core::{json, tool_entry};

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default())
        .unwrap_or_else(|err| panic!("{text}: {err}"))
}

fn run(schema: &str, data: &str) -> Result<Value, ToolError> {
    let args = Value::object([("schema", parse(schema)), ("data", parse(data))]);
    tool_entry::<Args>()
        .tool()
        .decode(&args)?
        .run(&Ctx::default())
}

#[test]
fn each_keyword_takes_and_refuses() {
    for (schema, good, bad) in [
        (r#"{"type": ["integer", "null"]}"#, "1.0", "1.5"),
        (r#"{"enum": [1, [2]]}"#, "[2]", "2"),
        (r#"{"const": {"a": 1}}"#, r#"{"a": 1.0}"#, "{}"),
        (r#"{"minimum": 2}"#, "2", "1"),
        (r#"{"exclusiveMaximum": 2}"#, "1", "2"),
        (r#"{"multipleOf": 0.1}"#, "0.3", "0.35"),
        (r#"{"maxLength": 2}"#, r#""éé""#, r#""abc""#),
        (r#"{"pattern": "^a\\d$"}"#, r#""a1""#, r#""xa1""#),
        (r#"{"items": {"type": "string"}}"#, r#"["a"]"#, "[1]"),
        (
            r#"{"prefixItems": [{"const": 1}], "items": false}"#,
            "[1]",
            "[1,2]",
        ),
        (
            r#"{"contains": {"const": 1}, "maxContains": 1}"#,
            "[1,2]",
            "[1,1]",
        ),
        (r#"{"uniqueItems": true}"#, "[1,2]", "[1,1.0]"),
        (r#"{"minItems": 1}"#, "[1]", "[]"),
        (r#"{"required": ["a"]}"#, r#"{"a": null}"#, "{}"),
        (
            r#"{"properties": {"a": {"type": "null"}}, "additionalProperties": false}"#,
            r#"{"a": null}"#,
            r#"{"b": 1}"#,
        ),
        (
            r#"{"patternProperties": {"^x": {"type": "number"}}, "additionalProperties": {"type": "string"}}"#,
            r#"{"x1": 1, "y": "s"}"#,
            r#"{"y": 1}"#,
        ),
        (
            r#"{"propertyNames": {"maxLength": 1}}"#,
            r#"{"a": 1}"#,
            r#"{"ab": 1}"#,
        ),
        (
            r#"{"maxProperties": 1}"#,
            r#"{"a": 1}"#,
            r#"{"a": 1, "b": 2}"#,
        ),
        (
            r#"{"dependentRequired": {"a": ["b"]}}"#,
            r#"{"b": 1}"#,
            r#"{"a": 1}"#,
        ),
        (
            r#"{"dependentSchemas": {"a": {"required": ["b"]}}}"#,
            r#"{"a": 1, "b": 1}"#,
            r#"{"a": 1}"#,
        ),
        (r#"{"allOf": [{"minimum": 1}, {"maximum": 3}]}"#, "2", "4"),
        (r#"{"anyOf": [{"const": 1}, {"const": 2}]}"#, "2", "3"),
        (r#"{"oneOf": [{"minimum": 1}, {"minimum": 5}]}"#, "2", "6"),
        (r#"{"not": {"type": "string"}}"#, "1", r#""x""#),
        (
            r#"{"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"const": 1}}"#,
            "20",
            "2",
        ),
        (
            r##"{"$ref": "#/$defs/n", "$defs": {"n": {"type": "number"}}}"##,
            "1",
            "null",
        ),
        (
            r##"{"properties": {"next": {"$ref": "#"}}, "required": ["v"]}"##,
            r#"{"v": 1, "next": {"v": 2}}"#,
            r#"{"v": 1, "next": {}}"#,
        ),
        (
            r##"{"$ref": "#n", "$defs": {"x": {"$anchor": "n", "const": 1}}}"##,
            "1",
            "2",
        ),
    ] {
        let found =
            |data: &str| run(schema, data).unwrap_or_else(|err| panic!("{schema}: {err:?}"));
        assert_eq!(
            found(good).get("valid"),
            Some(&Value::Bool(true)),
            "{schema} {good}: {:?}",
            found(good)
        );
        assert_eq!(
            found(bad).get("valid"),
            Some(&Value::Bool(false)),
            "{schema} {bad}"
        );
        assert_ne!(
            found(bad).get("faults").unwrap().items().unwrap().len(),
            0,
            "{schema} {bad}"
        );
    }
}

#[test]
fn what_is_not_known_is_refused() {
    for (schema, data, path) in [
        (r##"{"$ref": "other.json"}"##, "1", "/schema/$ref"),
        (r##"{"$ref": "#/none"}"##, "1", "/schema/$ref"),
        (r##"{"$ref": "#"}"##, "1", "/schema"),
        (
            r#"{"unevaluatedItems": false}"#,
            "[]",
            "/schema/unevaluatedItems",
        ),
        (
            r#"{"properties": {"a": 1}}"#,
            r#"{"a": 1}"#,
            "/schema/properties/a",
        ),
        (r#"{"pattern": "("}"#, r#""x""#, "/schema/pattern"),
        ("3", "1", "/schema"),
    ] {
        let err = run(schema, data).unwrap_err();
        assert_eq!(err.path(), Some(path), "{schema}: {err:?}");
    }
}

/// A malformed schema is refused whatever the value is.
#[test]
fn malformed_keywords_are_refused_with_their_place() {
    for (schema, path) in [
        (r#"{"type": "strin"}"#, "/schema/type"),
        (r#"{"type": 3}"#, "/schema/type"),
        (r#"{"type": []}"#, "/schema/type"),
        (r#"{"type": ["null", "null"]}"#, "/schema/type"),
        (r#"{"minimum": "3"}"#, "/schema/minimum"),
        (r#"{"multipleOf": 0}"#, "/schema/multipleOf"),
        (r#"{"multipleOf": -2}"#, "/schema/multipleOf"),
        (r#"{"minLength": 1.5}"#, "/schema/minLength"),
        (r#"{"maxItems": -1}"#, "/schema/maxItems"),
        (r#"{"uniqueItems": "yes"}"#, "/schema/uniqueItems"),
        (r#"{"required": "a"}"#, "/schema/required"),
        (r#"{"required": ["a", "a"]}"#, "/schema/required"),
        (r#"{"required": [1]}"#, "/schema/required"),
        (r#"{"enum": 1}"#, "/schema/enum"),
        (r#"{"pattern": 1}"#, "/schema/pattern"),
        (r#"{"properties": ["a"]}"#, "/schema/properties"),
        (r#"{"allOf": []}"#, "/schema/allOf"),
        (r#"{"items": [{"type": "null"}]}"#, "/schema/items"),
        (r#"{"$ref": 1}"#, "/schema/$ref"),
        (
            r#"{"properties": {"a": {"items": {"minimum": null}}}}"#,
            "/schema/properties/a/items/minimum",
        ),
        (
            r#"{"patternProperties": {"(": true}}"#,
            "/schema/patternProperties/(",
        ),
        (
            r##"{"not": {"$ref": "#/x/y"}, "x": {"y": {"maximum": true}}}"##,
            "/schema/x/y/maximum",
        ),
        (
            r#"{"dependentRequired": {"a": "b"}}"#,
            "/schema/dependentRequired",
        ),
    ] {
        let err = run(schema, "null").unwrap_err();
        assert_eq!(err.path(), Some(path), "{schema}: {err:?}");
        assert_eq!(err.reason_str(), Some("json_schema"));
    }
    let err = run(r#"{"type": "strin"}"#, "null").unwrap_err();
    assert_eq!(err.hint_str(), Some("did you mean `string`?"));
    // Constants and annotations are no schemas.
    let fine =
        r#"{"const": {"type": 3}, "default": {"type": 3}, "x-own": {"type": 3}, "minLength": 2.0}"#;
    assert!(run(fine, "null").is_ok());
}

/// Each of forty schemas refers to the next one twice: 2^40 steps.
#[test]
fn schemas_that_multiply_end_at_a_limit() {
    let names: Vec<String> = (0..40)
        .map(|index| {
            let next = index + 1;
            format!(
                r##""s{index}": {{"allOf": [{{"$ref": "#/$defs/s{next}"}}, {{"$ref": "#/$defs/s{next}"}}]}}"##
            )
        })
        .collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/s0", "$defs": {{{}, "s40": true}}}}"##,
        names.join(", ")
    );
    let err = run(&schema, "1").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str(), err.path()),
        (ErrorCode::LimitExceeded, Some("steps"), Some("/schema"))
    );
    // A long value under a schema of several parts stays far from the limit.
    let long = format!("[{}]", vec!["1"; 50_000].join(","));
    let each =
        r#"{"items": {"allOf": [{"type": "number"}, {"minimum": 0}, {"not": {"const": 2}}]}}"#;
    let found = run(each, &long).unwrap();
    assert_eq!(found.get("valid"), Some(&Value::Bool(true)));
}
