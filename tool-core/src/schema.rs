//! JSON Schema 2020-12 of arguments and results: made from the types, inline, closed; and a check that reports every problem.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};

use crate::error::Problem;
use crate::nearest::nearest;
use crate::value::Value;

/// A JSON Schema document.
pub type Schema = serde_json::Value;

/// The schema of arguments.
pub fn of_input<T: JsonSchema>() -> Schema {
    finish(settings().into_generator().into_root_schema_for::<T>())
}

/// The schema of a result.
pub fn of_output<T: JsonSchema>() -> Schema {
    finish(
        settings()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<T>(),
    )
}

/// The description of the whole.
pub fn description(schema: &Schema) -> String {
    schema
        .get("description")
        .and_then(Schema::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}

fn finish(mut schema: schemars::Schema) -> Schema {
    Tidy.transform(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    schema.to_value()
}

/// Closes every object that lists its properties, and undoes the line wraps that descriptions have in the source.
struct Tidy;

impl Transform for Tidy {
    fn transform(&mut self, schema: &mut schemars::Schema) {
        if let Some(object) = schema.as_object_mut() {
            if object.contains_key("properties") && !object.contains_key("additionalProperties") {
                object.insert("additionalProperties".to_owned(), false.into());
            }
            if let Some(Schema::String(text)) = object.get_mut("description") {
                *text = unwrapped(text);
            }
        }
        transform_subschemas(self, schema);
    }
}

/// The paragraphs of a text, each on one line; items of a list keep theirs.
fn unwrapped(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut paragraph_ended = true;
    for line in text.lines().map(str::trim) {
        let own_line = line.is_empty() || line.starts_with("- ");
        if !joined.is_empty() {
            joined.push(if own_line || paragraph_ended {
                '\n'
            } else {
                ' '
            });
        }
        joined.push_str(line);
        paragraph_ended = line.is_empty();
    }
    joined
}

/// Checks a value against a schema of the shapes made here; every problem with its JSON pointer.
pub fn check(schema: &Schema, value: &Value) -> Vec<Problem> {
    let mut checker = Checker {
        problems: Vec::new(),
        path: String::new(),
    };
    checker.check(schema, value);
    checker.problems
}

struct Checker {
    problems: Vec<Problem>,
    path: String,
}

impl Checker {
    /// No list of problems longer than this helps anybody.
    const PROBLEMS_MAX: usize = 20;

    fn report(&mut self, message: String) {
        if self.problems.len() < Self::PROBLEMS_MAX {
            self.problems.push(Problem::new(&self.path, message));
        }
    }

    fn below(&mut self, push: impl FnOnce(&mut String), check: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        push(&mut self.path);
        check(self);
        self.path.truncate(length);
    }

    fn check(&mut self, schema: &Schema, value: &Value) {
        let Some(object) = schema.as_object() else {
            if schema == &Schema::Bool(false) {
                self.report(format!("expected nothing here, found {}", value.kind()));
            }
            return;
        };
        for (key, rule) in object {
            match (key.as_str(), rule) {
                ("anyOf" | "oneOf", Schema::Array(branches)) => self.check_any(branches, value),
                ("enum", Schema::Array(names)) => self.check_enum(names, value),
                ("const", expected) if !equals(expected, value) => {
                    self.report(format!("expected {expected}, found {}", value.kind()));
                }
                _ => {}
            }
        }
        if !self.check_type(object, value) {
            return;
        }
        match value {
            Value::Object(members) => self.check_object(object, members),
            Value::Array(_) | Value::Numbers(_) => self.check_array(object, value),
            Value::Int(_) | Value::Float(_) => self.check_range(object, value),
            _ => {}
        }
    }

    fn check_any(&mut self, branches: &[Schema], value: &Value) {
        let mut attempts: Vec<Vec<Problem>> = Vec::new();
        for branch in branches {
            // The path is lent: it may be long, and a list may have many elements below it.
            let mut attempt = Self {
                problems: Vec::new(),
                path: std::mem::take(&mut self.path),
            };
            attempt.check(branch, value);
            self.path = attempt.path;
            if attempt.problems.is_empty() {
                return;
            }
            attempts.push(attempt.problems);
        }
        // The branch that got deepest into the value is the one that was meant.
        if let Some(best) = attempts
            .into_iter()
            .max_by_key(|problems| problems.iter().map(|problem| problem.path.len()).max())
        {
            self.problems.extend(best);
        }
    }

    fn check_enum(&mut self, names: &[Schema], value: &Value) {
        if names.iter().any(|name| equals(name, value)) {
            return;
        }
        let texts: Vec<&str> = names.iter().filter_map(Schema::as_str).collect();
        let listed = names
            .iter()
            .map(|name| {
                format!(
                    "`{}`",
                    name.as_str()
                        .map_or_else(|| name.to_string(), str::to_owned)
                )
            })
            .collect::<Vec<_>>()
            .join(", ");
        let near = value
            .as_str()
            .and_then(|text| nearest(text, texts))
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
        self.report(format!(
            "expected one of {listed}, found {}{near}",
            value.kind()
        ));
    }

    fn check_type(&mut self, schema: &serde_json::Map<String, Schema>, value: &Value) -> bool {
        let is = |name: &str| match name {
            "null" => value.is_null(),
            "boolean" => value.as_bool().is_some(),
            "integer" => value.as_i64().is_some(),
            "number" => value.as_f64().is_some(),
            "string" => value.as_str().is_some(),
            "array" => matches!(value, Value::Array(_) | Value::Numbers(_)),
            "object" => value.as_object().is_some(),
            _ => true,
        };
        let types = match schema.get("type") {
            Some(Schema::String(name)) if is(name) => return true,
            Some(one @ Schema::String(_)) => std::slice::from_ref(one),
            Some(Schema::Array(names)) => names,
            _ => return true,
        };
        let names = || types.iter().filter_map(Schema::as_str);
        let fits = names().any(is);
        if !fits {
            let expected = names().map(article).collect::<Vec<_>>().join(" or ");
            self.report(format!("expected {expected}, found {}", value.kind()));
        }
        fits
    }

    fn check_object(
        &mut self,
        schema: &serde_json::Map<String, Schema>,
        members: &crate::value::Object,
    ) {
        let properties = schema.get("properties").and_then(Schema::as_object);
        for required in schema
            .get("required")
            .and_then(Schema::as_array)
            .into_iter()
            .flatten()
            .filter_map(Schema::as_str)
        {
            if members.get(required).is_none() {
                self.below(
                    |path| crate::path::push_key(path, required),
                    |checker| checker.report(format!("missing required argument `{required}`")),
                );
            }
        }
        for (name, member) in members.iter() {
            let property = properties.and_then(|properties| properties.get(name));
            let extra = schema.get("additionalProperties");
            self.below(
                |path| crate::path::push_key(path, name),
                |checker| match (property, extra) {
                    (Some(property), _) => checker.check(property, member),
                    (None, Some(Schema::Bool(false))) => {
                        let known = properties
                            .into_iter()
                            .flat_map(|properties| properties.keys().map(String::as_str));
                        let instead = crate::nearest::instead(name, known);
                        let name = crate::brief::name(name);
                        checker.report(format!("unknown argument `{name}`{instead}"));
                    }
                    (None, Some(extra)) => checker.check(extra, member),
                    (None, None) => {}
                },
            );
        }
    }

    fn check_array(&mut self, schema: &serde_json::Map<String, Schema>, value: &Value) {
        let length = match value {
            Value::Array(items) => items.len(),
            Value::Numbers(numbers) => numbers.len(),
            _ => return,
        };
        let bound = |key: &str| schema.get(key).and_then(Schema::as_u64);
        if bound("minItems").is_some_and(|least| (length as u64) < least) {
            self.report(format!(
                "expected at least {} elements, found {length}",
                bound("minItems").unwrap_or_default()
            ));
        }
        if bound("maxItems").is_some_and(|most| (length as u64) > most) {
            self.report(format!(
                "expected at most {} elements, found {length}",
                bound("maxItems").unwrap_or_default()
            ));
        }
        let Some(items) = schema.get("items") else {
            return;
        };
        if value.as_numbers().is_some_and(|numbers| {
            items == &serde_json::json!({"type": "number"}) && numbers.rank() == 1
        }) {
            return;
        }
        for index in 0..length {
            if self.problems.len() >= Self::PROBLEMS_MAX {
                return;
            }
            let Some(item) = value.at(index) else { return };
            self.below(
                |path| crate::path::push_index(path, index),
                |checker| checker.check(items, &item),
            );
        }
    }

    fn check_range(&mut self, schema: &serde_json::Map<String, Schema>, value: &Value) {
        let Some(number) = value.as_f64() else { return };
        let bound = |key: &str| schema.get(key).and_then(Schema::as_f64);
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            self.report(format!(
                "expected a number of at least {least}, found {}",
                crate::number::spelling(number)
            ));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            self.report(format!(
                "expected a number of at most {most}, found {}",
                crate::number::spelling(number)
            ));
        }
        if let Some(least) = bound("exclusiveMinimum").filter(|least| number <= *least) {
            self.report(format!(
                "expected a number greater than {least}, found {}",
                crate::number::spelling(number)
            ));
        }
        if let Some(most) = bound("exclusiveMaximum").filter(|most| number >= *most) {
            self.report(format!(
                "expected a number less than {most}, found {}",
                crate::number::spelling(number)
            ));
        }
    }
}

fn article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        "integer" | "array" | "object" => format!("an {type_name}"),
        _ => format!("a {type_name}"),
    }
}

fn equals(expected: &Schema, value: &Value) -> bool {
    match expected {
        Schema::Null => value.is_null(),
        Schema::Bool(expected) => value.as_bool() == Some(*expected),
        Schema::Number(expected) => {
            expected.as_f64().is_some() && value.as_f64() == expected.as_f64()
        }
        Schema::String(expected) => value.as_str() == Some(expected),
        _ => false,
    }
}
