//! The schemas of an outside server in the keywords that are checked here. What is not understood is left out, so that every value that the
//! server takes is taken; the server checks the rest.

use std::cell::Cell;

use tool_core::{Object, Value};

/// Deepest schema.
const DEPTH_MAX: usize = 24;
/// Most schemas in one, references followed.
const SCHEMAS_MAX: usize = 5000;
/// Longest description of an argument, in characters.
const DESCRIPTION_CHARS: usize = 500;
/// Longest name of an argument, and longest text and list of `enum` and `const`, in characters: models read them too.
const NAME_CHARS: usize = 128;
const VALUE_CHARS: usize = 500;
const VALUES_CHARS: usize = 20_000;
/// Keywords that are kept as they are.
const KEPT: [&str; 10] = [
    "const",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
];

/// The schema of the arguments of a tool; without one it takes any object.
pub(super) fn loosen_argument_schema(schema: Option<&Value>) -> Value {
    let read = schema.map(loosen_schema).unwrap_or_default();
    let mut object = read.as_object().cloned().unwrap_or_default();
    object.insert("type", "object");
    if object.get("properties").is_none() {
        object.insert("properties", Object::new());
        object.insert("additionalProperties", true);
    }
    object.into()
}

/// A schema without what is not checked here.
pub(super) fn loosen_schema(schema: &Value) -> Value {
    loosen_schema_within(schema, schema, false)
}

/// As [`loosen_schema`], of a schema in a document whose other parts it may refer to; with `nullable` as OpenAPI 3.0 has it.
pub(in crate::plugins) fn loosen_schema_within(
    root: &Value,
    schema: &Value,
    nullable: bool,
) -> Value {
    let loosen = SchemaLoosener {
        root,
        left: Cell::new(SCHEMAS_MAX),
        nullable,
    };
    loosen.schema(schema, 0)
}

struct SchemaLoosener<'a> {
    root: &'a Value,
    /// Number of schemas that may still be read.
    left: Cell<usize>,
    /// Whether `nullable: true` adds null to the kind.
    nullable: bool,
}

impl SchemaLoosener<'_> {
    fn schema(&self, schema: &Value, depth: usize) -> Value {
        let mut out = Object::new();
        let left = self.left.get();
        let (Some(members), true) = (schema.as_object(), depth < DEPTH_MAX && left > 0) else {
            return out.into();
        };
        self.left.set(left - 1);
        if let Some(target) = schema.text("$ref").map(|name| self.target(name)) {
            let mut found = self.schema(&target.unwrap_or_default(), depth + 1);
            if let (Some(description), Some(object)) =
                (schema.text("description"), found.as_object())
            {
                let mut object = object.clone();
                object.insert("description", trim_description(description));
                found = object.into();
            }
            return found;
        }
        // One schema in `allOf` is how some generators write a description beside a reference.
        if let Some([one]) = members.get("allOf").and_then(Value::items).as_deref() {
            out = self
                .schema(one, depth + 1)
                .as_object()
                .cloned()
                .unwrap_or_default();
        }
        for key in ["title", "description"] {
            if let Some(text) = schema.text(key) {
                out.insert(key, trim_description(text));
            }
        }
        for key in KEPT {
            if let Some(value) = members.get(key).filter(|value| is_sound(key, value)) {
                out.insert(key, value.clone());
            }
        }
        if let Some(kind) = members.get("type").filter(|kind| is_kind(kind)) {
            let is_nullable = members.get("nullable") == Some(&Value::Bool(true));
            match kind.as_str() {
                Some(kind) if self.nullable && is_nullable => {
                    // A list of values may lack the null that is meant.
                    out.remove("enum");
                    out.insert("type", Value::array(vec![kind.into(), "null".into()]));
                }
                _ => {
                    out.insert("type", kind.clone());
                }
            }
        }
        if let Some(items) = members
            .get("items")
            .filter(|items| items.as_object().is_some())
        {
            out.insert("items", self.schema(items, depth + 1));
        }
        let branches = members.get("anyOf").or(members.get("oneOf"));
        if let Some(branches) = branches
            .and_then(Value::items)
            .filter(|all| !all.is_empty())
        {
            let branches = branches.iter().map(|branch| self.schema(branch, depth + 1));
            out.insert("anyOf", Value::array(branches.collect()));
        }
        if let Some(properties) = members.get("properties").and_then(Value::as_object) {
            let read = properties
                .iter()
                .filter(|(name, _)| is_clear(name, NAME_CHARS));
            let hides = properties
                .iter()
                .any(|(name, _)| !is_clear(name, NAME_CHARS));
            let read =
                read.map(|(name, property)| (name.to_owned(), self.schema(property, depth + 1)));
            out.insert("properties", Value::object(read.collect::<Vec<_>>()));
            let is_closed = members.get("additionalProperties") == Some(&Value::Bool(false));
            let has_patterns = members.get("patternProperties").is_some();
            out.insert("additionalProperties", !is_closed || has_patterns || hides);
            let required = schema.items_at("required");
            let is_known = |name: &&Value| {
                name.as_str().is_some_and(|name| {
                    is_clear(name, NAME_CHARS) && properties.get(name).is_some()
                })
            };
            out.insert(
                "required",
                Value::array(required.iter().filter(is_known).cloned().collect()),
            );
        }
        out.into()
    }

    /// The schema that a reference in this document names.
    fn target(&self, name: &str) -> Option<Value> {
        self.root.pointer(name.strip_prefix('#')?)
    }
}

fn trim_description(text: &str) -> String {
    super::clean_outside_text(text, DESCRIPTION_CHARS)
}

fn is_kind(kind: &Value) -> bool {
    const KINDS: [&str; 7] = [
        "null", "boolean", "integer", "number", "string", "array", "object",
    ];
    let is_name = |name: &Value| name.as_str().is_some_and(|name| KINDS.contains(&name));
    match kind.items() {
        Some(names) => !names.is_empty() && names.iter().all(is_name),
        None => is_name(kind),
    }
}

/// Whether a keyword has a value of its form.
fn is_sound(key: &str, value: &Value) -> bool {
    match key {
        // A list without one of its values would refuse what the server takes.
        "const" => is_clear_value(value),
        "enum" => value.items().is_some_and(|items| !items.is_empty()) && is_clear_value(value),
        "maxItems" | "maxLength" | "minItems" | "minLength" => {
            value.as_i64().is_some_and(|size| size >= 0)
        }
        _ => value.as_f64().is_some(),
    }
}

/// Whether a text has a length that a model may be given, and nothing in it that a person does not see.
fn is_clear(text: &str, chars_max: usize) -> bool {
    super::clean_outside_text(text, chars_max) == text
}

/// Whether every text in a value is [clear](is_clear), and the whole is not too long.
fn is_clear_value(value: &Value) -> bool {
    fn texts_are(value: &Value) -> bool {
        let items = value.items().unwrap_or_default();
        let mut members = value.as_object().into_iter().flat_map(Object::iter);
        value
            .as_str()
            .is_none_or(|text| is_clear(text, VALUE_CHARS))
            && items.iter().all(texts_are)
            && members.all(|(name, member)| is_clear(name, NAME_CHARS) && texts_are(member))
    }
    value.to_string().len() <= VALUES_CHARS && texts_are(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugins::shape::PluginSchema;

    fn value(text: &str) -> Value {
        tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).expect("JSON")
    }

    /// What a schema of a server becomes; it is always one that is checked here.
    fn read(text: &str) -> String {
        let read = loosen_argument_schema(Some(&value(text)));
        assert_eq!(PluginSchema::read(&read).1, [], "{read}");
        read.to_string()
    }

    #[test]
    fn names_and_values_that_no_reader_sees_or_that_are_too_long_reach_no_model() {
        let long = "x".repeat(60_000);
        let found = read(&format!(
            r#"{{"properties":{{"a":{{"enum":["x","y\u202e"]}},"b\u202e":{{"type":"string"}},"{long}":{{}},
            "c":{{"enum":["one","two"]}},"d":{{"const":"{long}"}},"e":{{"enum":[{{"k\u200b":1}}]}}}},
            "required":["b\u202e","c"],"additionalProperties":false}}"#
        ));
        assert_eq!(
            found,
            r#"{"properties":{"a":{},"c":{"enum":["one","two"]},"d":{},"e":{}},"additionalProperties":true,"required":["c"],"type":"object"}"#
        );
    }

    #[test]
    fn keywords_that_are_not_checked_are_left_out() {
        let found = read(
            r##"{"$schema":"x","type":"object","required":["a","gone"],"properties":{
            "a":{"type":"string","format":"path","pattern":"(?=x)","minLength":1,"maxLength":"x","default":3},
            "b":{"$ref":"#/$defs/B","description":"own"},"c":{"allOf":[{"$ref":"#/$defs/B"}],"title":"C"},
            "d":{"oneOf":[{"type":"null"},{"type":["integer","string"]}]},"e":{"type":"float"},"f":true},
            "$defs":{"B":{"type":"object","properties":{"x":{"type":"number","minimum":0}},"additionalProperties":false}}}"##,
        );
        let b = r#"{"type":"object","properties":{"x":{"minimum":0,"type":"number"}},"additionalProperties":false,"required":[]"#;
        let expected = [
            r#"{"type":"object","properties":{"a":{"minLength":1,"type":"string"},"b":"#.to_owned(),
            format!(r#"{b},"description":"own"}},"c":{b},"title":"C"}},"#),
            r#""d":{"anyOf":[{"type":"null"},{"type":["integer","string"]}]},"e":{},"f":{}},"#
                .to_owned(),
            r#""additionalProperties":true,"required":["a"]}"#.to_owned(),
        ];
        assert_eq!(found, expected.concat());
    }

    #[test]
    fn no_schema_takes_any_object() {
        let any = r#"{"type":"object","properties":{},"additionalProperties":true}"#;
        for text in ["{}", "[]", "3", r#"{"type":"array"}"#] {
            assert_eq!(read(text), any, "{text}");
        }
    }

    #[test]
    fn references_in_circles_end() {
        let branch = r##"{"$ref":"#/$defs/T"}"##;
        let many = [branch; 10].join(",");
        let text = format!(
            r##"{{"type":"object","properties":{{"t":{branch}}},"$defs":{{"T":{{"anyOf":[{many}]}}}}}}"##
        );
        assert!(read(&text).len() < 2_000_000);
        read(r##"{"$ref":"#"}"##);
    }
}
