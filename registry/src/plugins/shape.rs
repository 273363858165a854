//! [`PluginSchema`]: the JSON Schema of a plugin's parameters, results or settings; only keywords that are checked may be used.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use regex::{Regex, RegexBuilder};
use tool_core::input::{self, InputKind, SourceRef};
use tool_core::path::push_key;
use tool_core::schema::json;
use tool_core::schema::{self, Schema};
use tool_core::{
    Ctx, DataSource, Decode, DecodeError, ErrorCode, Object, RequestProblem, ToolError, Value,
};

/// Most memory that a compiled pattern may take, in bytes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// The keywords of one schema; those of the schemas below it are checked on their own.
static KEYWORDS: LazyLock<Schema> = LazyLock::new(|| {
    let size = json!({"type": "integer", "minimum": 0});
    let number = json!({"type": "number"});
    let text = json!({"type": "string"});
    let names = [
        "null", "boolean", "integer", "number", "string", "array", "object",
    ];
    let name = json!({"type": "string", "enum": names});
    json!({"type": "object", "additionalProperties": false, "properties": {
        "$schema": {}, "additionalProperties": {}, "const": {}, "default": {}, "description": {}, "examples": {}, "title": {},
        "access": {"enum": ["read", "write"]},
        "anyOf": {"type": "array", "minItems": 1},
        "enum": {"type": "array", "minItems": 1},
        "exclusiveMaximum": number, "exclusiveMinimum": number, "maximum": number, "minimum": number,
        "format": text, "pattern": text,
        "items": {"type": "object"}, "properties": {"type": "object"},
        "maxItems": size, "maxLength": size, "minItems": size, "minLength": size,
        "required": {"type": "array", "items": text},
        "type": {"anyOf": [name, {"type": "array", "items": name, "minItems": 1}]},
        "uniqueItems": {"type": "boolean"}
    }})
});

/// A checked schema.
#[derive(Debug, Clone)]
pub(super) struct PluginSchema {
    /// With members in the order of the document.
    value: Value,
    schema: Schema,
    patterns: BTreeMap<String, Regex>,
}

impl PluginSchema {
    /// Reads a JSON Schema, or the older map `{name: {type, required, default, description}}`, with its problems.
    pub(super) fn read(value: &Value) -> (Self, Vec<RequestProblem>) {
        let mut reader = PluginSchemaReader::default();
        let value = match value {
            Value::Object(members) if is_map(members) => reader.map(members),
            _ => reader.schema(value, ""),
        };
        let shape = Self {
            schema: schema_of(&value),
            value,
            patterns: reader.patterns,
        };
        (shape, reader.problems)
    }

    /// No parameters.
    pub(super) fn empty() -> Self {
        Self::read(&Value::object::<&str, Value>([])).0
    }

    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The members of an object and their schemas.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.value.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(Object::iter)
    }

    /// Every problem of a value.
    pub(super) fn problems(&self, value: &Value) -> Vec<RequestProblem> {
        let mut problems = self.check(&self.schema, value);
        for problem in problems.iter_mut().filter(|one| one.hint.is_none()) {
            problem.hint = self.described(&problem.path);
        }
        problems
    }

    /// The description of the member at a pointer, for a hint.
    fn described(&self, pointer: &str) -> Option<String> {
        let name = pointer.split('/').nth(1)?;
        let (_, property) = self.properties().find(|(known, _)| *known == name)?;
        Some(format!("`{name}`: {}", property.text("description")?))
    }

    fn check(&self, schema: &Schema, value: &Value) -> Vec<RequestProblem> {
        schema::check_with_patterns(schema, value, &|pattern, text| {
            let regex = self.patterns.get(pattern);
            regex.is_some_and(|regex| regex.is_match(text))
        })
    }

    /// The value with defaults filled in, members in the order of the schema.
    ///
    /// # Errors
    /// `invalid_args` with every problem.
    pub(super) fn decode(&self, value: &Value) -> Result<Value, ToolError> {
        if value.as_object().is_none() {
            let found = value.kind();
            let message = format_args!("expected the arguments as an object, found {found}");
            return Err(ToolError::invalid("", message));
        }
        match self.problems(value) {
            problems if problems.is_empty() => Ok(fill_defaults(&self.value, value)),
            problems => Err(ToolError::of_problems(ErrorCode::InvalidArgs, problems)),
        }
    }

    /// As [`PluginSchema::decode`], for arguments of which some are files or artifacts: the content of those is checked when it is loaded.
    ///
    /// # Errors
    /// As [`PluginSchema::decode`]; a malformed reference.
    pub(super) fn decode_open(&self, args: &Value) -> Result<(Value, Vec<SourceRef>), ToolError> {
        let mut sources = Vec::new();
        for (name, kind) in self.takes() {
            let Some(read) = args.get(name).and_then(DataSource::from_value) else {
                continue;
            };
            let pointer = member_pointer("", name);
            let source = read.map_err(|problem| {
                ToolError::invalid(format!("{pointer}{}", problem.path), problem.message)
            })?;
            sources.push(SourceRef {
                pointer,
                source,
                kind,
            });
        }
        if sources.is_empty() {
            return Ok((self.decode(args)?, sources));
        }
        let is_open = |path: &str| {
            sources.iter().any(|one| {
                path == one.pointer
                    || path
                        .strip_prefix(&*one.pointer)
                        .is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let mut problems = self.problems(args);
        problems.retain(|problem| !is_open(&problem.path));
        match problems.is_empty() {
            true => Ok((fill_defaults(&self.value, args), sources)),
            false => Err(ToolError::of_problems(ErrorCode::InvalidArgs, problems)),
        }
    }

    /// The arguments with the content of files and artifacts in their places.
    ///
    /// # Errors
    /// Content that does not fit the parameter, with the name of the file.
    pub(super) fn loaded(
        &self,
        args: &Value,
        sources: &[SourceRef],
        ctx: &Ctx,
    ) -> Result<Value, ToolError> {
        let Some(members) = args.as_object().filter(|_| !sources.is_empty()) else {
            return Ok(args.clone());
        };
        let mut members = members.clone();
        for (name, _) in self.takes() {
            let pointer = member_pointer("", name);
            let Some(found) = sources.iter().find(|one| one.pointer == pointer) else {
                continue;
            };
            let content = ctx.loaded(&found.source)?;
            let property = self.schema.pointer(&format!("/properties{pointer}"));
            let wrong =
                property.and_then(|property| self.check(property, &content).into_iter().next());
            if let Some(problem) = wrong {
                return Err(
                    input::unfit_content_error(&found.source, &content, &problem).at(pointer),
                );
            }
            members.insert(name, content);
        }
        // Defaults inside the content are filled in, too.
        self.decode(&Value::Object(Arc::new(members)))
    }

    /// The parameters that take files and artifacts, and as what: texts as text, all others as data. Paths and numbers take none.
    fn takes(&self) -> impl Iterator<Item = (&str, InputKind)> {
        self.properties().filter_map(|(name, property)| {
            let is_path = property.text("format") == Some("path");
            let kind = match property.text("type") {
                Some("string") if property.get("enum").is_none() => InputKind::Text,
                Some("array" | "object") => InputKind::Any,
                Some(_) => return None,
                None => InputKind::Any,
            };
            (!is_path).then_some((name, kind))
        })
    }

    /// The schema, with files and artifacts where they are taken.
    pub(super) fn with_sources(&self) -> Schema {
        let mut schema = self.schema.clone();
        for (name, kind) in self.takes() {
            let pointer = format!("/properties{}", member_pointer("", name));
            if let Some(property) = schema.pointer_mut(&pointer) {
                *property = schema::or_source(std::mem::take(property), kind);
            }
        }
        schema::add_definitions(&mut schema);
        schema
    }
}

impl Decode for PluginSchema {
    /// Never fails: the check of the document reports the problems.
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        Ok(Self::read(value).0)
    }
}

tool_core::inline_schema!(PluginSchema, tool_core::schema::json!({"type": "object"}));

/// Fills defaults in, at every depth that lists its members.
fn fill_defaults(schema: &Value, value: &Value) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let (Value::Object(members), Some(properties)) = (value, properties) else {
        return value.clone();
    };
    let mut object = Object::new();
    for (name, property) in properties.iter() {
        match (members.get(name), property.get("default")) {
            (Some(member), _) => object.insert(name, fill_defaults(property, member)),
            (None, Some(default)) => object.insert(name, default.clone()),
            (None, None) => {}
        }
    }
    let others = members
        .iter()
        .filter(|(name, _)| properties.get(name).is_none());
    others.for_each(|(name, member)| object.insert(name, member.clone()));
    object.into()
}

fn schema_of(value: &Value) -> Schema {
    serde_json::to_value(value).unwrap_or_default()
}

/// The older form has no keyword of a schema at its top, and a table for each parameter.
fn is_map(members: &Object) -> bool {
    let has_type = matches!(members.get("type"), Some(Value::String(_)));
    let mut keywords = ["properties", "$schema", "anyOf"].iter();
    let is_schema = has_type || keywords.any(|key| members.get(key).is_some());
    !is_schema
        && members
            .iter()
            .all(|(_, member)| member.as_object().is_some())
}

#[derive(Default)]
struct PluginSchemaReader {
    problems: Vec<RequestProblem>,
    patterns: BTreeMap<String, Regex>,
}

impl PluginSchemaReader {
    fn report(&mut self, pointer: String, message: impl Into<String>) {
        self.problems
            .push(RequestProblem::new(pointer, message.into()));
    }

    fn map(&mut self, members: &Object) -> Value {
        let mut properties = Object::new();
        let mut required = Vec::new();
        for (name, member) in members.iter() {
            let at = member_pointer("", name);
            let mut property = member.as_object().cloned().unwrap_or_default();
            match property.remove("required") {
                None | Some(Value::Bool(false)) => {}
                Some(Value::Bool(true)) => required.push(Value::from(name)),
                Some(_) => self.report(member_pointer(&at, "required"), "expected true or false"),
            }
            // An absent default was written as null.
            if property.get("default").is_some_and(Value::is_null) {
                property.remove("default");
            }
            properties.insert(name, self.schema(&Value::Object(Arc::new(property)), &at));
        }
        Value::object([
            ("type", Value::from("object")),
            ("properties", Value::Object(Arc::new(properties))),
            ("required", Value::array(required)),
            ("additionalProperties", Value::from(false)),
        ])
    }

    /// Checks a schema; an object that lists its members takes no others.
    fn schema(&mut self, schema: &Value, pointer: &str) -> Value {
        for mut problem in schema::check_document(&KEYWORDS, schema) {
            if let Some(name) = problem.message.strip_prefix("unknown key ") {
                problem.message =
                    format!("the keyword {name} is not checked here, so it cannot be used");
            }
            problem.path.insert_str(0, pointer);
            self.problems.push(problem);
        }
        let Some(members) = schema.as_object() else {
            return schema.clone();
        };
        let mut object = members.clone();
        self.text(members, pointer);
        if let Some(items) = members.get("items") {
            object.insert(
                "items",
                self.schema(items, &member_pointer(pointer, "items")),
            );
        }
        if let Some(branches) = members.get("anyOf").and_then(Value::items) {
            let at = |index| format!("{pointer}/anyOf/{index}");
            let branches = branches.iter().enumerate();
            let branches = branches.map(|(index, branch)| self.schema(branch, &at(index)));
            object.insert("anyOf", Value::array(branches.collect()));
        }
        let properties = members.get("properties").and_then(Value::as_object);
        if let Some(properties) = properties {
            let at = member_pointer(pointer, "properties");
            let read = properties.iter().map(|(name, property)| {
                (
                    name.to_owned(),
                    self.schema(property, &member_pointer(&at, name)),
                )
            });
            object.insert("properties", Value::object(read.collect::<Vec<_>>()));
            if members.get("additionalProperties").is_none() {
                object.insert("additionalProperties", false);
            }
        }
        for (index, name) in schema.items_at("required").iter().enumerate() {
            let name = name.as_str().unwrap_or_default();
            if properties.is_none_or(|known| known.get(name).is_none()) {
                let at = format!("{pointer}/required/{index}");
                self.report(at, format!("`{name}` is not among the properties"));
            }
        }
        let read = Value::Object(Arc::new(object));
        if let Some(default) = members.get("default") {
            for problem in schema::check_value(&schema_of(&read), default) {
                let message = format!("the default does not fit: {}", problem.message);
                self.report(member_pointer(pointer, "default"), message);
            }
        }
        read
    }

    /// The keywords of texts.
    fn text(&mut self, members: &Object, pointer: &str) {
        let text = |key: &str| members.get(key).and_then(Value::as_str);
        if members.get("access").is_some() && text("format") != Some("path") {
            let message = "`access` is about a parameter of `format` `path`";
            self.report(member_pointer(pointer, "access"), message);
        }
        let Some(pattern) = text("pattern") else {
            return;
        };
        let built = RegexBuilder::new(pattern)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build();
        match built {
            Ok(regex) => drop(self.patterns.insert(pattern.to_owned(), regex)),
            Err(_) => self.report(
                member_pointer(pointer, "pattern"),
                format!("`{pattern}` is not a pattern, or too large a one"),
            ),
        }
    }
}

fn member_pointer(pointer: &str, key: &str) -> String {
    let mut pointer = pointer.to_owned();
    push_key(&mut pointer, key);
    pointer
}
