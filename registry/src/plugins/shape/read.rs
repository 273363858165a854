//! Reading a schema: only what is checked may be written.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use tool_core::path::push_key;
use tool_core::schema;
use tool_core::{Object, Value};

use super::{Fault, schema_of};

/// Keywords that are checked, or that describe.
const KEYWORDS: [&str; 25] = [
    "$schema",
    "access",
    "additionalProperties",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];
const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];
/// Most memory that a pattern may take.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// The older form has no keyword of a schema at its top, and a table for each parameter.
pub(super) fn is_map(members: &Object) -> bool {
    let schema = ["type", "properties", "$schema", "anyOf"]
        .iter()
        .any(|key| {
            members
                .get(key)
                .is_some_and(|member| *key != "type" || member.as_str().is_some())
        });
    !schema
        && members
            .iter()
            .all(|(_, member)| member.as_object().is_some())
}

pub(super) struct Reader<'a> {
    faults: &'a mut Vec<Fault>,
    pub(super) patterns: BTreeMap<String, Regex>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(faults: &'a mut Vec<Fault>) -> Self {
        Self {
            faults,
            patterns: BTreeMap::new(),
        }
    }

    fn report(&mut self, pointer: &str, message: impl Into<String>) {
        self.faults.push(Fault {
            pointer: pointer.to_owned(),
            message: message.into(),
            name: String::new(),
            known: &[],
        });
    }

    pub(super) fn of_map(&mut self, members: &Object, pointer: &str) -> Value {
        let mut properties = Object::new();
        let mut required = Vec::new();
        for (name, member) in members.iter() {
            let at = below(pointer, name);
            let mut property = member.as_object().cloned().unwrap_or_default();
            match property.remove("required") {
                None | Some(Value::Bool(false)) => {}
                Some(Value::Bool(true)) => required.push(Value::from(name)),
                Some(_) => self.report(&below(&at, "required"), "expected true or false"),
            }
            // An absent default was written as null.
            if property.get("default").is_some_and(Value::is_null) {
                property.remove("default");
            }
            properties.insert(name, self.schema(&Value::Object(Arc::new(property)), &at));
        }
        let mut object = Object::new();
        object.insert("type", "object");
        object.insert("properties", Value::Object(Arc::new(properties)));
        object.insert("required", Value::array(required));
        object.insert("additionalProperties", false);
        Value::Object(Arc::new(object))
    }

    /// Checks a schema; objects that list their members take no others.
    pub(super) fn schema(&mut self, schema: &Value, pointer: &str) -> Value {
        let Some(members) = schema.as_object() else {
            self.report(
                pointer,
                format!("expected a schema, found {}", schema.kind()),
            );
            return schema.clone();
        };
        for (key, _) in members.iter().filter(|(key, _)| !KEYWORDS.contains(key)) {
            self.faults.push(Fault {
                pointer: below(pointer, key),
                message: format!("the keyword `{key}` is not checked here, so it cannot be used"),
                name: key.to_owned(),
                known: &KEYWORDS,
            });
        }
        let mut object = members.clone();
        self.types(members, pointer);
        self.numbers(members, pointer);
        if let Some(pattern) = members.get("pattern") {
            self.pattern(pattern, &below(pointer, "pattern"));
        }
        if let Some(list) = members.get("enum")
            && list.items().is_none_or(|items| items.is_empty())
        {
            self.report(&below(pointer, "enum"), "expected a list of values");
        }
        if let Some(items) = members.get("items") {
            object.insert("items", self.schema(items, &below(pointer, "items")));
        }
        if let Some(branches) = members.get("anyOf") {
            let at = below(pointer, "anyOf");
            let before = self.patterns.len();
            let branches: Vec<Value> = match branches.items() {
                Some(list) => list
                    .iter()
                    .enumerate()
                    .map(|(index, branch)| self.schema(branch, &format!("{at}/{index}")))
                    .collect(),
                None => Vec::new(),
            };
            if branches.is_empty() {
                self.report(&at, "expected a list of schemas");
            }
            if self.patterns.len() > before {
                self.report(&at, "`pattern` cannot be used below `anyOf`");
            }
            object.insert("anyOf", Value::array(branches));
        }
        match members.get("properties").map(Value::as_object) {
            None => {}
            Some(None) => self.report(&below(pointer, "properties"), "expected a table of schemas"),
            Some(Some(properties)) => {
                let at = below(pointer, "properties");
                let mut read = Object::new();
                for (name, property) in properties.iter() {
                    read.insert(name, self.schema(property, &below(&at, name)));
                }
                object.insert("properties", Value::Object(Arc::new(read)));
                if members.get("additionalProperties").is_none() {
                    object.insert("additionalProperties", false);
                }
            }
        }
        self.required(members, pointer);
        let read = Value::Object(Arc::new(object));
        if let Some(default) = members.get("default") {
            let checked = schema::check(&schema_of(&read), default);
            for problem in checked {
                self.report(
                    &below(pointer, "default"),
                    format!("the default does not fit: {}", problem.message),
                );
            }
        }
        read
    }

    fn types(&mut self, members: &Object, pointer: &str) {
        let Some(given) = members.get("type") else {
            return;
        };
        let at = below(pointer, "type");
        let names = match given.as_str() {
            Some(name) => vec![name.to_owned()],
            None => given
                .items()
                .unwrap_or_default()
                .iter()
                .map(|name| name.as_str().unwrap_or("").to_owned())
                .collect(),
        };
        if names.is_empty() {
            self.report(
                &at,
                format!("expected the name of a type, found {}", given.kind()),
            );
        }
        for name in names
            .into_iter()
            .filter(|name| !TYPES.contains(&name.as_str()))
        {
            self.faults.push(Fault {
                pointer: at.clone(),
                message: format!("no type named `{name}`"),
                name,
                known: &TYPES,
            });
        }
    }

    fn numbers(&mut self, members: &Object, pointer: &str) {
        for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            if members
                .get(key)
                .is_some_and(|bound| bound.as_f64().is_none())
            {
                self.report(&below(pointer, key), "expected a number");
            }
        }
        for key in ["minLength", "maxLength", "minItems", "maxItems"] {
            if members
                .get(key)
                .is_some_and(|bound| bound.as_i64().is_none_or(|bound| bound < 0))
            {
                self.report(&below(pointer, key), "expected an integer of at least 0");
            }
        }
        if let Some(format) = members.get("format")
            && format.as_str().is_none()
        {
            self.report(&below(pointer, "format"), "expected text");
        }
        if let Some(access) = members.get("access") {
            if !matches!(access.as_str(), Some("read" | "write")) {
                self.report(&below(pointer, "access"), "expected `read` or `write`");
            }
            if members.get("format").and_then(Value::as_str) != Some("path") {
                self.report(
                    &below(pointer, "access"),
                    "`access` is about a parameter of `format` `path`",
                );
            }
        }
    }

    fn pattern(&mut self, pattern: &Value, at: &str) {
        let Some(text) = pattern.as_str() else {
            return self.report(at, "expected a pattern as text");
        };
        match RegexBuilder::new(text)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build()
        {
            Ok(regex) => {
                self.patterns.insert(text.to_owned(), regex);
            }
            Err(_) => self.report(at, format!("`{text}` is not a pattern, or too large a one")),
        }
    }

    fn required(&mut self, members: &Object, pointer: &str) {
        let Some(list) = members.get("required") else {
            return;
        };
        let at = below(pointer, "required");
        let Some(names) = list.items() else {
            return self.report(&at, "expected a list of names");
        };
        for (index, name) in names.iter().enumerate() {
            let known = name.as_str().is_some_and(|name| {
                members
                    .get("properties")
                    .is_some_and(|properties| properties.get(name).is_some())
            });
            if !known {
                self.report(
                    &format!("{at}/{index}"),
                    format!("{name} is not among the properties"),
                );
            }
        }
    }
}

fn below(pointer: &str, key: &str) -> String {
    let mut pointer = pointer.to_owned();
    push_key(&mut pointer, key);
    pointer
}
