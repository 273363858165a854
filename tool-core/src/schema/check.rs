//! Checks of values against the schemas made here: every problem at once, with its JSON pointer.

use std::fmt::Display;

use super::{Schema, resolve_shared_definition};
use crate::error::RequestProblem;
use crate::nearest::nearest_name;
use crate::value::Value;

/// Checks a value against a schema made here; returns every problem with its JSON pointer.
pub fn check_value(schema: &Schema, value: &Value) -> Vec<RequestProblem> {
    check_with_patterns(schema, value, &|_, _| true)
}

/// As [`check_value`], with `pattern` checked too: `matches` says whether a text matches a pattern.
pub fn check_with_patterns(
    schema: &Schema,
    value: &Value,
    matches: &dyn Fn(&str, &str) -> bool,
) -> Vec<RequestProblem> {
    SchemaChecker::new(SchemaCheckKind::Arguments, matches).problems(schema, value)
}

/// Checks a document against a schema of [`of_document`](super::of_document); problems speak of keys, tables and lists, and their hints name what
/// was meant.
pub fn check_document(schema: &Schema, value: &Value) -> Vec<RequestProblem> {
    SchemaChecker::new(SchemaCheckKind::Document, &|_, _| true).problems(schema, value)
}

/// Checks a document as [`check_document`] does, and reports every violation, however many there are.
pub fn document_violations(schema: &Schema, value: &Value) -> Vec<SchemaViolation> {
    let mut checker = SchemaChecker::new(SchemaCheckKind::Document, &|_, _| true);
    checker.violations_max = usize::MAX;
    checker.unknown_max = usize::MAX;
    checker.check(schema, value);
    checker.violations
}

/// A rule of a schema that a value breaks.
#[derive(Debug, Clone)]
pub struct SchemaViolation {
    /// Keyword of the rule: `type`, `required`, `maximum` ...
    pub keyword: &'static str,
    /// JSON pointer of the culprit, in full; of a missing key that of the table.
    pub path: String,
    /// What was expected and found.
    pub message: String,
    /// An example of the schema, or the name that was meant.
    pub hint: Option<String>,
}

/// What is checked, which decides how problems are worded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaCheckKind {
    /// Arguments or a result of a call.
    Arguments,
    /// A document that people write.
    Document,
}

struct SchemaChecker<'a> {
    kind: SchemaCheckKind,
    /// Whether a text matches a pattern.
    matches: &'a dyn Fn(&str, &str) -> bool,
    violations: Vec<SchemaViolation>,
    path: String,
    violations_max: usize,
    /// Most unknown keys of one table that are reported.
    unknown_max: usize,
}

impl<'a> SchemaChecker<'a> {
    /// Most unknown keys for which the nearest name is looked for.
    const SUGGESTED_MAX: usize = 1000;
    /// Longest pointer below which the members of a document are checked: every violation repeats it.
    const PATH_BYTES_MAX: usize = 1 << 10;

    fn new(kind: SchemaCheckKind, matches: &'a dyn Fn(&str, &str) -> bool) -> Self {
        Self {
            kind,
            matches,
            violations: Vec::new(),
            path: String::new(),
            violations_max: match kind {
                SchemaCheckKind::Arguments => 20,
                SchemaCheckKind::Document => 1000,
            },
            unknown_max: 20,
        }
    }

    fn problems(mut self, schema: &Schema, value: &Value) -> Vec<RequestProblem> {
        self.check(schema, value);
        let problem = |one: SchemaViolation| RequestProblem {
            hint: one.hint,
            ..RequestProblem::new(one.path, one.message)
        };
        self.violations.into_iter().map(problem).collect()
    }

    fn report(&mut self, keyword: &'static str, message: String) {
        self.report_with(keyword, message, None);
    }

    fn report_with(&mut self, keyword: &'static str, message: String, hint: Option<String>) {
        if self.violations.len() < self.violations_max {
            let path = self.path.clone();
            self.violations.push(SchemaViolation {
                keyword,
                path,
                message,
                hint,
            });
        }
    }

    /// Reports a value of another kind than expected.
    fn expected(&mut self, keyword: &'static str, what: impl Display, value: &Value) {
        self.report(keyword, format!("expected {what}, found {}", value.kind()));
    }

    /// Reports with the name that was meant: in the message for arguments, as a hint for documents.
    fn report_near(&mut self, keyword: &'static str, message: String, near: Option<&str>) {
        let meant = near.map(|near| format!("did you mean `{near}`?"));
        match (self.kind, meant) {
            (SchemaCheckKind::Arguments, Some(meant)) => {
                self.report(keyword, format!("{message}; {meant}"))
            }
            (_, meant) => self.report_with(keyword, message, meant),
        }
    }

    fn below(&mut self, push: impl FnOnce(&mut String), check: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        push(&mut self.path);
        check(self);
        self.path.truncate(length);
    }

    fn check(&mut self, schema: &Schema, value: &Value) {
        let before = self.violations.len();
        self.check_rules(schema, value);
        let example = schema.pointer("/examples/0");
        if let (SchemaCheckKind::Document, Some(example)) = (self.kind, example) {
            for one in &mut self.violations[before..] {
                if one.path == self.path && !matches!(one.keyword, "required" | "path") {
                    one.hint.get_or_insert_with(|| format!("write `{example}`"));
                }
            }
        }
    }

    fn check_rules(&mut self, schema: &Schema, value: &Value) {
        let schema = resolve_shared_definition(schema).unwrap_or(schema);
        let Some(object) = schema.as_object() else {
            if schema == &Schema::Bool(false) {
                self.expected("false", "nothing here", value);
            }
            return;
        };
        let before = self.violations.len();
        for (key, rule) in object {
            match (key.as_str(), rule) {
                ("anyOf" | "oneOf", Schema::Array(branches)) => self.check_any(branches, value),
                ("enum", Schema::Array(names)) => self.check_enum(names, value),
                ("const", expected) if !equals_constant(expected, value) => {
                    self.expected("const", expected, value);
                }
                _ => {}
            }
        }
        // Names are of one type: what is none of them is one mistake of who wrote the document.
        let of_names = |one: &SchemaViolation| one.keyword == "enum" && one.path == self.path;
        if self.kind == SchemaCheckKind::Document && self.violations[before..].iter().any(of_names)
        {
            return;
        }
        if !self.check_type(object, value) {
            return;
        }
        match value {
            Value::Object(members) => self.check_object(object, members),
            Value::Array(_) | Value::Numbers(_) => self.check_array(object, value),
            Value::Int(_) | Value::Float(_) => self.check_range(object, value),
            Value::String(text) => self.check_text(object, text),
            _ => {}
        }
    }

    fn check_any(&mut self, branches: &[Schema], value: &Value) {
        let mut attempts: Vec<(bool, Vec<SchemaViolation>)> = Vec::new();
        for branch in branches {
            // The path is lent: it may be long, and a list may have many elements below it.
            let mut attempt = Self {
                violations: Vec::new(),
                path: std::mem::take(&mut self.path),
                ..*self
            };
            attempt.check(branch, value);
            self.path = attempt.path;
            if attempt.violations.is_empty() {
                return;
            }
            let is_of_type = branch.as_object().is_some_and(|branch| {
                let name = branch.get("type").and_then(Schema::as_str);
                name.is_some_and(|name| is_of_type(name, branch, value))
            });
            attempts.push((is_of_type, attempt.violations));
        }
        let shallow = |(is_of_type, found): &(bool, Vec<SchemaViolation>)| {
            !is_of_type && found.iter().all(|one| one.path == self.path)
        };
        if self.kind == SchemaCheckKind::Document && attempts.iter().all(shallow) {
            let mut expected: Vec<String> = branches.iter().filter_map(expected_type).collect();
            expected.dedup();
            if value.as_object().is_none() && expected.len() > 1 {
                return self.expected("type", expected.join(" or "), value);
            }
        }
        // The branch that was meant lacks nothing, got deepest into the value, or has its type.
        let deep = |one: &SchemaViolation| match one.keyword {
            "required" => one.path.rfind('/').unwrap_or(0), // what is missing is not in the value
            _ => one.path.len(),
        };
        let depth = |found: &[SchemaViolation]| found.iter().map(deep).max();
        let complete =
            |found: &[SchemaViolation]| found.iter().all(|one| one.keyword != "required");
        if let Some((_, best)) = attempts.into_iter().max_by_key(|(is_of_type, found)| {
            (*is_of_type && complete(found), depth(found), *is_of_type)
        }) {
            self.violations.extend(best);
        }
    }

    fn check_enum(&mut self, names: &[Schema], value: &Value) {
        if names.iter().any(|name| equals_constant(name, value)) {
            return;
        }
        let texts: Vec<&str> = names.iter().filter_map(Schema::as_str).collect();
        let text = |name: &Schema| {
            name.as_str()
                .map_or_else(|| name.to_string(), str::to_owned)
        };
        let listed: Vec<String> = names
            .iter()
            .map(|name| format!("`{}`", text(name)))
            .collect();
        let listed = listed.join(", ");
        let near = value.as_str().and_then(|text| nearest_name(text, texts));
        let found = match (self.kind, value.as_str()) {
            (SchemaCheckKind::Document, Some(text)) => {
                format!("`{}`", crate::brief::brief_name(text))
            }
            _ => value.kind(),
        };
        let message = format!("expected one of {listed}, found {found}");
        self.report_near("enum", message, near);
    }

    fn check_type(&mut self, schema: &serde_json::Map<String, Schema>, value: &Value) -> bool {
        let is = |name: &str| is_of_type(name, schema, value);
        let types = match schema.get("type") {
            Some(Schema::String(name)) if is(name) => return true,
            Some(one @ Schema::String(_)) => std::slice::from_ref(one),
            Some(Schema::Array(names)) => names,
            _ => return true,
        };
        let names = || types.iter().filter_map(Schema::as_str);
        let fits = names().any(is);
        if !fits {
            let expected = match (self.kind, expected_integer(schema)) {
                (SchemaCheckKind::Document, Some(range)) => range,
                (SchemaCheckKind::Document, None) => {
                    names().map(in_document).collect::<Vec<_>>().join(" or ")
                }
                _ => names().map(with_article).collect::<Vec<_>>().join(" or "),
            };
            self.expected("type", expected, value);
        }
        fits
    }

    fn check_object(
        &mut self,
        schema: &serde_json::Map<String, Schema>,
        members: &crate::value::Object,
    ) {
        let properties = schema.get("properties").and_then(Schema::as_object);
        let required = schema.get("required").and_then(Schema::as_array);
        let required = required.into_iter().flatten().filter_map(Schema::as_str);
        for required in required.filter(|required| members.get(required).is_none()) {
            if self.kind == SchemaCheckKind::Document {
                let property = properties.and_then(|known| known.get(required));
                let constant = property.and_then(|one| one.get("const"));
                let constant = constant.map(|value| format!("write `{required} = {value}`"));
                let example = property.and_then(|one| one.pointer("/examples/0"));
                let example = example.map(|value| format!("write `\"{required}\": {value}`"));
                let message = format!("missing key `{required}`");
                self.report_with("required", message, constant.or(example));
            } else {
                let message = format!("missing required argument `{required}`");
                let push = |path: &mut String| crate::path::push_key(path, required);
                self.below(push, |checker| checker.report("required", message));
            }
        }
        if let Some(most) = schema.get("maxProperties").and_then(Schema::as_u64)
            && members.len() as u64 > most
        {
            let message = format!("expected at most {most} members, found {}", members.len());
            return self.report("maxProperties", message);
        }
        if self.kind == SchemaCheckKind::Document && self.path.len() > Self::PATH_BYTES_MAX {
            let most = Self::PATH_BYTES_MAX;
            let message = format!("the names on the way here have more than {most} bytes");
            return self.report_with("path", message, Some("shorten them".to_owned()));
        }
        let mut unknown = 0;
        for (name, member) in members.iter() {
            let property = properties.and_then(|properties| properties.get(name));
            let extra = schema.get("additionalProperties");
            self.below(
                |path| crate::path::push_key(path, name),
                |checker| match (property, extra) {
                    (Some(property), _) => checker.check(property, member),
                    (None, Some(Schema::Bool(false))) => {
                        unknown += 1;
                        let known = properties.into_iter().flat_map(|known| known.keys());
                        let known = known.map(String::as_str);
                        let shown = crate::brief::brief_name(name);
                        match checker.kind {
                            SchemaCheckKind::Arguments => {
                                let instead = crate::nearest::suggest_instead(name, known);
                                let message = format!("unknown argument `{shown}`{instead}");
                                checker.report("unknown", message);
                            }
                            SchemaCheckKind::Document if unknown - 1 == checker.unknown_max => {
                                checker.report("unknown", "and more unknown keys".to_owned());
                            }
                            SchemaCheckKind::Document if unknown > checker.unknown_max => {}
                            SchemaCheckKind::Document => {
                                let few = checker.violations.len() < Self::SUGGESTED_MAX;
                                let near = few.then(|| nearest_name(name, known)).flatten();
                                let message = format!("unknown key `{shown}`");
                                checker.report_near("unknown", message, near);
                            }
                        }
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
        let bounds = ["minItems", "maxItems"];
        let is_too_long = self.check_length(schema, bounds, length as u64, "element");
        if is_too_long && self.kind == SchemaCheckKind::Document {
            return; // a long list is one fault
        }
        if schema.get("uniqueItems") == Some(&Schema::Bool(true)) {
            let items = value.items().unwrap_or_default();
            let texts = items.iter().map(crate::json::canonical_json);
            if texts.collect::<std::collections::BTreeSet<_>>().len() < length {
                self.report("uniqueItems", "expected items that differ".to_owned());
            }
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
            if self.violations.len() >= self.violations_max {
                return;
            }
            let Some(item) = value.at(index) else { return };
            self.below(
                |path| crate::path::push_index(path, index),
                |checker| checker.check(items, &item),
            );
        }
    }

    /// Checks a length against the keywords of its bounds; `true` where it is beyond the upper one.
    fn check_length(
        &mut self,
        schema: &serde_json::Map<String, Schema>,
        [least, most]: [&'static str; 2],
        found: u64,
        unit: &str,
    ) -> bool {
        let bound = |key: &str| schema.get(key).and_then(Schema::as_u64);
        if let Some(bound) = bound(least).filter(|&bound| found < bound) {
            let plural = if bound == 1 { "" } else { "s" };
            let message = format!("expected at least {bound} {unit}{plural}, found {found}");
            self.report(least, message);
        }
        let exceeded = bound(most).filter(|&bound| found > bound);
        if let Some(bound) = exceeded {
            let message = format!("expected at most {bound} {unit}s, found {found}");
            self.report(most, message);
        }
        exceeded.is_some()
    }

    fn check_text(&mut self, schema: &serde_json::Map<String, Schema>, text: &str) {
        let bounds = ["minLength", "maxLength"];
        self.check_length(schema, bounds, text.chars().count() as u64, "character");
        if let Some(Schema::String(pattern)) = schema.get("pattern")
            && !(self.matches)(pattern, text)
        {
            let message = format!("expected text that matches the pattern `{pattern}`");
            self.report("pattern", message);
        }
    }

    fn check_range(&mut self, schema: &serde_json::Map<String, Schema>, value: &Value) {
        let about = value.as_i64().map(|integer| integer as f64);
        let Some(number) = value.as_f64().or(about) else {
            return;
        };
        type Breaks = fn(f64, f64) -> bool;
        const BOUNDS: [(&str, &str, Breaks); 4] = [
            ("minimum", "of at least", |found, least| found < least),
            ("maximum", "of at most", |found, most| found > most),
            ("exclusiveMinimum", "greater than", |found, least| {
                found <= least
            }),
            ("exclusiveMaximum", "less than", |found, most| found >= most),
        ];
        for (keyword, words, breaks) in BOUNDS {
            let bound = schema.get(keyword).and_then(Schema::as_f64);
            let Some(bound) = bound.filter(|bound| breaks(number, *bound)) else {
                continue;
            };
            match (self.kind, expected_integer(schema)) {
                (SchemaCheckKind::Document, Some(expected)) => {
                    self.expected(keyword, expected, value)
                }
                _ => {
                    let found = crate::number::non_finite_spelling(number);
                    self.report(
                        keyword,
                        format!("expected a number {words} {bound}, found {found}"),
                    );
                }
            }
        }
    }
}

/// Whether a value is an integer beyond those that a double holds exactly, where the schema says how large it may be.
fn is_huge_integer(schema: &serde_json::Map<String, Schema>, value: &Value) -> bool {
    let huge =
        |number: f64| number.fract() == 0.0 && number.abs() > crate::value::SAFE_INTEGER as f64;
    schema.contains_key("maximum") && value.as_f64().is_some_and(huge)
}

fn is_of_type(name: &str, schema: &serde_json::Map<String, Schema>, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.as_bool().is_some(),
        // One beyond what a double holds exactly is out of range, and still an integer.
        "integer" => value.as_i64().is_some() || is_huge_integer(schema, value),
        "number" => matches!(value, Value::Int(_) | Value::Float(_)),
        "string" => value.as_str().is_some(),
        "array" => matches!(value, Value::Array(_) | Value::Numbers(_)),
        "object" => value.as_object().is_some(),
        _ => true,
    }
}

/// The words for the type of a branch of a document's schema.
fn expected_type(branch: &Schema) -> Option<String> {
    let object = branch.as_object()?;
    let name = object.get("type")?.as_str()?;
    Some(expected_integer(object).unwrap_or_else(|| in_document(name)))
}

/// The words for an integer in a range.
fn expected_integer(schema: &serde_json::Map<String, Schema>) -> Option<String> {
    if schema.get("type")?.as_str()? != "integer" {
        return None;
    }
    let bound = |key: &str| schema.get(key);
    Some(match (bound("minimum"), bound("maximum")) {
        (Some(least), Some(most)) => format!("an integer from {least} to {most}"),
        (Some(least), None) => format!("an integer of at least {least}"),
        _ => "an integer".to_owned(),
    })
}

/// A type in the words of people who write documents.
fn in_document(type_name: &str) -> String {
    match type_name {
        "array" => "a list".to_owned(),
        "object" => "a table".to_owned(),
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        other => with_article(other),
    }
}

fn with_article(type_name: &str) -> String {
    match type_name {
        "null" => "null".to_owned(),
        "integer" | "array" | "object" => format!("an {type_name}"),
        _ => format!("a {type_name}"),
    }
}

pub(crate) fn equals_constant(expected: &Schema, value: &Value) -> bool {
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
