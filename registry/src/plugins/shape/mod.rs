//! [`Shape`]: the JSON Schema of a plugin's parameters, results or settings; only what is checked may be written.

mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;
use tool_core::path::{push_index, push_key};
use tool_core::schema::{self, Schema};
use tool_core::{ErrorCode, Object, Problem, ToolError, Value};

use self::read::{Reader, is_map};

/// What is wrong with a schema, and where.
pub(super) struct Fault {
    pub(super) pointer: String,
    pub(super) message: String,
    pub(super) name: String,
    pub(super) known: &'static [&'static str],
}

/// A checked schema.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    value: Value,
    schema: Schema,
    patterns: BTreeMap<String, Regex>,
}

impl Shape {
    /// Reads a JSON Schema, or the older map `{name: {type, required, default, description}}`.
    pub(super) fn read(value: &Value, pointer: &str, faults: &mut Vec<Fault>) -> Self {
        let mut reader = Reader::new(faults);
        let value = match value {
            Value::Object(members) if is_map(members) => reader.of_map(members, pointer),
            _ => reader.schema(value, pointer),
        };
        let patterns = reader.patterns;
        Self {
            schema: schema_of(&value),
            value,
            patterns,
        }
    }

    /// No parameters.
    pub(super) fn empty() -> Self {
        Self::read(&Value::object::<&str, Value>([]), "", &mut Vec::new())
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The members of an object and their schemas.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.value
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Object::iter)
    }

    /// Everything that is wrong with a value.
    pub(super) fn problems(&self, value: &Value) -> Vec<Problem> {
        let mut problems = schema::check(&self.schema, value);
        self.texts(&self.value, value, &mut String::new(), &mut problems);
        problems
    }

    /// The value with defaults filled in, members in the order of the schema.
    ///
    /// # Errors
    /// `invalid_args` with every problem.
    pub(super) fn decode(&self, value: &Value) -> Result<Value, ToolError> {
        if value.as_object().is_none() {
            let message = format_args!(
                "expected the arguments as an object, found {}",
                value.kind()
            );
            return Err(ToolError::invalid("", message));
        }
        let problems = self.problems(value);
        if problems.is_empty() {
            Ok(filled(&self.value, value))
        } else {
            Err(ToolError::of_problems(ErrorCode::InvalidArgs, problems))
        }
    }

    /// What the common check does not look at: lengths and patterns of texts, repeated items.
    fn texts(&self, schema: &Value, value: &Value, path: &mut String, problems: &mut Vec<Problem>) {
        let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
        match value {
            Value::String(text) => {
                let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
                if let Some(least) = bound("minLength").filter(|least| length < *least) {
                    problems.push(Problem::new(
                        path.as_str(),
                        format!("expected at least {least} characters, found {length}"),
                    ));
                }
                if let Some(most) = bound("maxLength").filter(|most| length > *most) {
                    problems.push(Problem::new(
                        path.as_str(),
                        format!("expected at most {most} characters, found {length}"),
                    ));
                }
                if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
                    && !self
                        .patterns
                        .get(pattern)
                        .is_some_and(|regex| regex.is_match(text))
                {
                    problems.push(Problem::new(
                        path.as_str(),
                        format!("expected text that fits the pattern `{pattern}`"),
                    ));
                }
            }
            Value::Object(members) => {
                for (name, member) in members.iter() {
                    if let Some(property) = schema
                        .get("properties")
                        .and_then(|properties| properties.get(name))
                    {
                        let length = path.len();
                        push_key(path, name);
                        self.texts(property, member, path, problems);
                        path.truncate(length);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(wanted) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        let length = path.len();
                        push_index(path, index);
                        self.texts(wanted, item, path, problems);
                        path.truncate(length);
                    }
                }
            }
            _ => {}
        }
        if schema.get("uniqueItems").and_then(Value::as_bool) == Some(true) {
            let digests: Vec<String> = value
                .items()
                .unwrap_or_default()
                .iter()
                .map(crate::digest::of_value)
                .collect();
            let unique: std::collections::BTreeSet<&String> = digests.iter().collect();
            if unique.len() < digests.len() {
                problems.push(Problem::new(
                    path.as_str(),
                    "expected items that differ".to_owned(),
                ));
            }
        }
    }
}

/// Fills defaults in, at every depth that lists its members.
fn filled(schema: &Value, value: &Value) -> Value {
    match (value, schema.get("properties").and_then(Value::as_object)) {
        (Value::Object(members), Some(properties)) => {
            let mut object = Object::new();
            for (name, property) in properties.iter() {
                match (members.get(name), property.get("default")) {
                    (Some(member), _) => object.insert(name, filled(property, member)),
                    (None, Some(default)) => object.insert(name, default.clone()),
                    (None, None) => {}
                }
            }
            for (name, member) in members
                .iter()
                .filter(|(name, _)| properties.get(name).is_none())
            {
                object.insert(name, member.clone());
            }
            Value::Object(Arc::new(object))
        }
        _ => value.clone(),
    }
}

fn schema_of(value: &Value) -> Schema {
    match value {
        Value::Null => Schema::Null,
        Value::Bool(value) => Schema::from(*value),
        Value::Int(value) => Schema::from(*value),
        Value::Float(value) => Schema::from(*value),
        Value::String(value) => Schema::from(&**value),
        Value::Object(object) => object
            .iter()
            .map(|(name, member)| (name.to_owned(), schema_of(member)))
            .collect(),
        Value::Array(_) | Value::Numbers(_) => value
            .items()
            .unwrap_or_default()
            .iter()
            .map(schema_of)
            .collect(),
    }
}
