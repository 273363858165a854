//! [`CheckedSchema`]: a schema whose keywords are well formed, with its anchors and patterns.

use std::collections::{HashMap, HashSet};

use regex::Regex;
use tool_core::{Object, path};

use crate::prelude::{did_you_mean, *};

/// Deepest schema.
pub(super) const DEPTH_MAX: usize = 200;
/// The types of JSON, in the words of schemas.
pub(super) const TYPES: [&str; 7] = [
    "null", "boolean", "object", "array", "number", "integer", "string",
];

/// What the value of a keyword must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeywordForm {
    /// A type, or a list of them.
    Types,
    /// A number.
    Number,
    /// A number above zero.
    PositiveNumber,
    /// A whole number, 0 or more.
    Count,
    /// `true` or `false`.
    Flag,
    /// A text.
    Text,
    /// A regular expression.
    Pattern,
    /// A list of texts that differ.
    Names,
    /// An object of such lists.
    NamesByMember,
    /// A list of values.
    Values,
    /// A schema.
    Schema,
    /// A list of schemas, at least one.
    Schemas,
    /// An object of schemas.
    SchemasByMember,
    /// An object of schemas by regular expressions.
    SchemasByPattern,
    /// A place in the same schema.
    Reference,
    /// Of the standard, and not known here.
    Unsupported,
    /// Anything: an annotation, a constant.
    Any,
}

impl KeywordForm {
    fn of(keyword: &str) -> Self {
        match keyword {
            "type" => Self::Types,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Self::Number,
            "multipleOf" => Self::PositiveNumber,
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minContains" | "maxContains"
            | "minProperties" | "maxProperties" => Self::Count,
            "uniqueItems" => Self::Flag,
            "$anchor" | "$id" | "$schema" => Self::Text,
            "pattern" => Self::Pattern,
            "required" => Self::Names,
            "dependentRequired" => Self::NamesByMember,
            "enum" => Self::Values,
            "not"
            | "if"
            | "then"
            | "else"
            | "items"
            | "contains"
            | "additionalProperties"
            | "propertyNames" => Self::Schema,
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => Self::Schemas,
            "properties" | "dependentSchemas" | "$defs" | "definitions" => Self::SchemasByMember,
            "patternProperties" => Self::SchemasByPattern,
            "$ref" => Self::Reference,
            "$dynamicRef"
            | "$dynamicAnchor"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "$vocabulary" => Self::Unsupported,
            // Other keywords are annotations by the standard.
            _ => Self::Any,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Types => "a type or a list of types that differ",
            Self::Number => "a number",
            Self::PositiveNumber => "a number above 0",
            Self::Count => "a whole number, 0 or more",
            Self::Flag => "true or false",
            Self::Text | Self::Reference => "a text",
            Self::Pattern => "a regular expression",
            Self::Names => "a list of names that differ",
            Self::NamesByMember => "an object of lists of names that differ",
            Self::Values => "a list of values",
            Self::Schema => "an object, true or false",
            Self::Schemas => "a list of schemas, at least one",
            Self::SchemasByMember | Self::SchemasByPattern => "an object of schemas",
            Self::Unsupported | Self::Any => "another keyword",
        }
    }
}

/// A schema that was read through once.
pub(super) struct CheckedSchema<'a> {
    root: &'a Value,
    /// Places of anchors.
    anchors: HashMap<String, String>,
    patterns: HashMap<String, Regex>,
    /// Schemas in it.
    pub(super) count: u64,
}

impl<'a> CheckedSchema<'a> {
    /// Reads a schema through.
    ///
    /// # Errors
    /// Keywords that are malformed or not known here, references that lead nowhere or out of the schema, schemas that are nested too deep.
    pub(super) fn read(root: &'a Value, ctx: &Ctx) -> Result<Self, ToolError> {
        let mut reader = SchemaReader {
            checked: CheckedSchema {
                root,
                anchors: HashMap::new(),
                patterns: HashMap::new(),
                count: 0,
            },
            seen: HashSet::new(),
            references: Vec::new(),
            ctx,
        };
        reader.find_anchors(root, &mut String::new(), 0)?;
        reader.schema(root, &mut String::new(), 0)?;
        while let Some(reference) = reader.references.pop() {
            let mut place = reader.checked.find(&reference.target, &reference.place)?;
            let target = root
                .pointer(&place)
                .ok_or_else(|| leads_nowhere(&reference.target, &reference.place))?;
            reader.schema(&target, &mut place, 0)?;
        }
        Ok(reader.checked)
    }

    /// The schema that a reference leads to.
    pub(super) fn target(&self, reference: &str, place: &str) -> Result<Value, ToolError> {
        let found = self.root.pointer(&self.find(reference, place)?);
        found.ok_or_else(|| leads_nowhere(reference, place))
    }

    /// The place that a reference leads to.
    fn find(&self, reference: &str, place: &str) -> Result<String, ToolError> {
        let Some(rest) = reference.strip_prefix('#') else {
            return Err(schema_error(
                place,
                format_args!("`{reference}` is in another document"),
                "put what it refers to into `$defs`",
            ));
        };
        match rest.starts_with('/') || rest.is_empty() {
            true => Ok(rest.to_owned()),
            false => match self.anchors.get(rest) {
                Some(place) => Ok(place.clone()),
                None => Err(leads_nowhere(reference, place)),
            },
        }
    }

    /// A pattern of the schema.
    pub(super) fn pattern(&self, pattern: &str) -> Option<&Regex> {
        self.patterns.get(pattern)
    }
}

pub(super) fn schema_error(place: &str, message: impl std::fmt::Display, hint: &str) -> ToolError {
    ToolError::invalid(format!("/schema{place}"), message)
        .reason("json_schema")
        .hint(hint)
}

fn leads_nowhere(reference: &str, place: &str) -> ToolError {
    schema_error(
        place,
        format_args!("`{reference}` leads nowhere"),
        "such as `#/$defs/name`",
    )
}

/// A number, also an integer that no double is equal to.
pub(super) fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        other => other.as_f64(),
    }
}

/// A reference that is still to be followed.
struct SchemaReference {
    target: String,
    /// Where it stands.
    place: String,
}

struct SchemaReader<'a, 'c> {
    checked: CheckedSchema<'a>,
    /// Places that were read.
    seen: HashSet<String>,
    references: Vec<SchemaReference>,
    ctx: &'c Ctx,
}

impl SchemaReader<'_, '_> {
    fn find_anchors(
        &mut self,
        value: &Value,
        at: &mut String,
        depth: usize,
    ) -> Result<(), ToolError> {
        check_depth(depth)?;
        if let Some(anchor) = value.text("$anchor") {
            self.checked.anchors.insert(anchor.to_owned(), at.clone());
        }
        let length = at.len();
        match value {
            Value::Object(object) => {
                for (key, member) in object.iter() {
                    path::push_key(at, key);
                    self.find_anchors(member, at, depth + 1)?;
                    at.truncate(length);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    path::push_index(at, index);
                    self.find_anchors(item, at, depth + 1)?;
                    at.truncate(length);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn schema(&mut self, schema: &Value, at: &mut String, depth: usize) -> Result<(), ToolError> {
        self.ctx.check()?;
        check_depth(depth)?;
        if !self.seen.insert(at.clone()) {
            return Ok(());
        }
        self.checked.count += 1;
        let object = match schema {
            Value::Bool(_) => return Ok(()),
            Value::Object(object) => object,
            other => {
                let found = other.kind();
                return Err(schema_error(
                    at,
                    format_args!("expected an object, true or false, found {found}"),
                    "see json-schema.org",
                ));
            }
        };
        let length = at.len();
        for (keyword, value) in object.iter() {
            path::push_key(at, keyword);
            self.keyword(keyword, value, at, depth)?;
            at.truncate(length);
        }
        Ok(())
    }

    fn keyword(
        &mut self,
        keyword: &str,
        value: &Value,
        at: &mut String,
        depth: usize,
    ) -> Result<(), ToolError> {
        let form = KeywordForm::of(keyword);
        match form {
            KeywordForm::Any => return Ok(()),
            KeywordForm::Unsupported => {
                return Err(schema_error(
                    at,
                    format_args!("the keyword `{keyword}` is not known here"),
                    "write the schema without it",
                ));
            }
            KeywordForm::Schema if keyword == "items" && value.items().is_some() => {
                return Err(schema_error(
                    at,
                    "expected a schema, found a list",
                    "a schema for each place is `prefixItems` in draft 2020-12",
                ));
            }
            KeywordForm::Schema => return self.schema(value, at, depth + 1),
            KeywordForm::Schemas | KeywordForm::SchemasByMember | KeywordForm::SchemasByPattern => {
                return self.schemas(form, value, at, depth);
            }
            KeywordForm::Reference | KeywordForm::Pattern => {
                let text = value.as_str().ok_or_else(|| malformed(form, value, at))?;
                if form == KeywordForm::Pattern {
                    return self.pattern(text, at);
                }
                let reference = SchemaReference {
                    target: text.to_owned(),
                    place: at.clone(),
                };
                self.references.push(reference);
                return Ok(());
            }
            _ => {}
        }
        match is_well_formed(form, value) {
            true => Ok(()),
            false => Err(malformed(form, value, at)),
        }
    }

    fn schemas(
        &mut self,
        form: KeywordForm,
        value: &Value,
        at: &mut String,
        depth: usize,
    ) -> Result<(), ToolError> {
        let length = at.len();
        if form == KeywordForm::Schemas {
            let items = value.items().filter(|items| !items.is_empty());
            let items = items.ok_or_else(|| malformed(form, value, at))?;
            for (index, item) in items.iter().enumerate() {
                path::push_index(at, index);
                self.schema(item, at, depth + 1)?;
                at.truncate(length);
            }
            return Ok(());
        }
        let object = value.as_object();
        for (key, member) in object.ok_or_else(|| malformed(form, value, at))?.iter() {
            path::push_key(at, key);
            if form == KeywordForm::SchemasByPattern {
                self.pattern(key, at)?;
            }
            self.schema(member, at, depth + 1)?;
            at.truncate(length);
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &str, at: &str) -> Result<(), ToolError> {
        if self.checked.patterns.contains_key(pattern) {
            return Ok(());
        }
        let compiled = Regex::new(pattern).map_err(|_| {
            schema_error(
                at,
                format_args!("the pattern `{pattern}` cannot be read"),
                "look-around and back-references are not known",
            )
        })?;
        self.checked.patterns.insert(pattern.to_owned(), compiled);
        Ok(())
    }
}

fn check_depth(depth: usize) -> Result<(), ToolError> {
    match depth > DEPTH_MAX {
        true => Err(schema_error(
            "",
            format_args!("it is nested more than {DEPTH_MAX} deep"),
            "write it flatter",
        )),
        false => Ok(()),
    }
}

fn malformed(form: KeywordForm, value: &Value, at: &str) -> ToolError {
    let (expected, found) = (form.expected(), value.kind());
    let error = schema_error(
        at,
        format_args!("expected {expected}, found {found}"),
        "see json-schema.org",
    );
    let word = value.as_str().filter(|_| form == KeywordForm::Types);
    match word {
        Some(word) => {
            let known = || format!("the types are {}", TYPES.join(", "));
            error.hint(did_you_mean(word, TYPES).unwrap_or_else(known))
        }
        None => error,
    }
}

/// Whether the value of a keyword that has no schemas in it is what it must be.
fn is_well_formed(form: KeywordForm, value: &Value) -> bool {
    let is_type = |value: &Value| value.as_str().is_some_and(|word| TYPES.contains(&word));
    match form {
        KeywordForm::Types => match value.items() {
            Some(_) => names_of(value).is_some_and(|names| {
                !names.is_empty() && names.iter().all(|name| TYPES.contains(&name.as_str()))
            }),
            None => is_type(value),
        },
        KeywordForm::Number => number_of(value).is_some(),
        KeywordForm::PositiveNumber => number_of(value).is_some_and(|number| number > 0.0),
        KeywordForm::Count => {
            number_of(value).is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
        }
        KeywordForm::Flag => value.as_bool().is_some(),
        KeywordForm::Text => value.as_str().is_some(),
        KeywordForm::Names => names_of(value).is_some(),
        KeywordForm::NamesByMember => value.as_object().is_some_and(|object: &Object| {
            object.iter().all(|(_, names)| names_of(names).is_some())
        }),
        KeywordForm::Values => value.items().is_some(),
        _ => true,
    }
}

/// A list of texts that differ.
fn names_of(value: &Value) -> Option<Vec<String>> {
    let items = value.items()?;
    let mut seen = HashSet::new();
    let names = items.iter().map(|item| {
        let name = item.as_str()?.to_owned();
        seen.insert(name.clone()).then_some(name)
    });
    names.collect()
}
