//! OpenAPI documents as typed tools: the operations that the configuration lists, each with the schema of its parameters and its JSON body.
//!
//! A document comes from outside: names and descriptions are cleaned before a model reads them, references are followed within the document
//! and to a limited depth, and what cannot be called as it is written is an error that names the operation.

use std::sync::Arc;

use tool_core::{AnyTool, Object, Value, object};

use super::outside::{clean_outside_text, loosen_schema_within};
use super::tool::{ServiceEntry, service_tool};
use super::{PluginRunner, manifest};
use crate::document::{self, DocumentFormat};
use crate::error::{LoadError, LoadErrors};
use crate::model::OpenApiService;

/// Largest document, in bytes.
const DOCUMENT_BYTES_MAX: usize = 16 << 20;
/// Most operations of a service.
const OPERATIONS_MAX: usize = 200;
/// Most parameters of an operation.
const PARAMETERS_MAX: usize = 100;
/// Longest chain of references to a parameter or a body.
const REFERENCES_MAX: usize = 8;
/// Longest path and name of a parameter, in characters.
const PATH_CHARS: usize = 1000;
const NAME_CHARS: usize = 128;
/// Longest description of a tool and of an argument, in characters.
const DESCRIPTION_CHARS: usize = 2000;
const ARGUMENT_CHARS: usize = 500;
/// The argument of the body.
pub const BODY: &str = "body";

/// Where a parameter is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterPlace {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationParameter {
    /// Its name at the service, and of the argument.
    pub name: String,
    /// Where it is sent.
    pub place: ParameterPlace,
    /// Whether a list is sent as several parameters of the name, not as one with commas.
    pub explode: bool,
}

/// An operation as its document describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenApiOperation {
    /// Its id in the document.
    pub id: String,
    /// Id of the tool.
    pub tool: String,
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Path with its templates.
    pub path: String,
    /// Parameters, those of the path first.
    pub parameters: Vec<OperationParameter>,
    /// Whether it has a JSON body.
    pub has_body: bool,
    declaration: Value,
}

const METHODS: [(&str, &str); 5] = [
    ("get", "GET"),
    ("post", "POST"),
    ("put", "PUT"),
    ("patch", "PATCH"),
    ("delete", "DELETE"),
];

/// Reads the listed operations of a service.
///
/// # Errors
/// A document of another form, an operation that it does not have, or one that cannot be called.
pub fn read_operations(service: &OpenApiService) -> Result<Vec<OpenApiOperation>, LoadErrors> {
    let wrong = |message: String| LoadErrors::from(LoadError::new(None, message));
    let text = match &service.text {
        Some(Ok(text)) => text,
        _ => return Err(wrong(service.mismatch().unwrap_or_default())),
    };
    if text.len() > DOCUMENT_BYTES_MAX {
        let (name, bytes) = (&service.name, text.len());
        return Err(wrong(format!(
            "the document of `openapi.{name}` has {bytes} bytes, at most {DOCUMENT_BYTES_MAX} are read"
        )));
    }
    let format = match service.document.to_ascii_lowercase().ends_with(".json") {
        true => DocumentFormat::Json,
        false => DocumentFormat::Yaml,
    };
    let document = document::parse_document(&service.document, text, format)?;
    let root = &document.value;
    let version = root.text("openapi").unwrap_or_default();
    if !version.starts_with("3.0.") && !version.starts_with("3.1.") {
        return Err(wrong(format!(
            "`{}` is no OpenAPI document of version 3.0 or 3.1: its key `openapi` says {}",
            service.document,
            root.get("openapi")
                .map_or("nothing".to_owned(), Value::to_string)
        )));
    }
    let reader = OperationReader {
        service,
        root,
        nullable: version.starts_with("3.0."),
    };
    reader.operations().map_err(|(message, known)| {
        let error = LoadError::new(None, format!("openapi.{}: {message}", service.name));
        match known {
            Some((name, known)) => error
                .nearest(&name, known.iter().map(String::as_str))
                .into(),
            None => error.into(),
        }
    })
}

/// What is wrong; for a name that is unknown the name and those that are known.
type OperationFault = (String, Option<(String, Vec<String>)>);

fn fault(message: impl Into<String>) -> OperationFault {
    (message.into(), None)
}

struct OperationReader<'a> {
    service: &'a OpenApiService,
    root: &'a Value,
    /// Whether `nullable` says that a value may be null, as up to version 3.0.
    nullable: bool,
}

/// An operation in the document: path, method, what it says, and what all operations of the path say.
type FoundOperation<'a> = (&'a str, &'static str, &'a Value, &'a Value);

impl OperationReader<'_> {
    fn operations(&self) -> Result<Vec<OpenApiOperation>, OperationFault> {
        let listed = &self.service.operations;
        if listed.is_empty() || listed.len() > OPERATIONS_MAX {
            return Err(fault(format!(
                "`operations` lists 1 to {OPERATIONS_MAX} ids of operations"
            )));
        }
        let mut found: Vec<(&str, FoundOperation<'_>)> = Vec::new();
        let paths = self.root.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flat_map(Object::iter) {
            for (key, method) in METHODS {
                let Some(operation) = item.get(key) else {
                    continue;
                };
                if let Some(id) = operation.text("operationId") {
                    found.push((id, (path, method, operation, item)));
                }
            }
        }
        let mut read: Vec<OpenApiOperation> = Vec::new();
        for id in listed {
            let mut of_id = found.iter().filter(|(known, _)| known == id);
            let operation = match (of_id.next(), of_id.next()) {
                (Some((_, operation)), None) => operation,
                (Some(_), Some(_)) => {
                    return Err(fault(format!("two operations have the id `{id}`")));
                }
                (None, _) => {
                    let known = found.iter().map(|(known, _)| (*known).to_owned()).collect();
                    let message = format!("the document has no operation `{id}`");
                    return Err((message, Some((id.clone(), known))));
                }
            };
            let operation = self.operation(id, operation).map_err(|why| {
                fault(format!(
                    "operation `{}`: {why}",
                    clean_outside_text(id, NAME_CHARS)
                ))
            })?;
            if let Some(other) = read.iter().find(|other| other.tool == operation.tool) {
                return Err(fault(format!(
                    "`{}` and `{id}` would both be the tool `{}`",
                    other.id, other.tool
                )));
            }
            read.push(operation);
        }
        Ok(read)
    }

    fn operation(
        &self,
        id: &str,
        (path, method, operation, item): &FoundOperation<'_>,
    ) -> Result<OpenApiOperation, String> {
        check_path(path)?;
        let mut properties = Object::new();
        let mut required: Vec<Value> = Vec::new();
        let mut parameters: Vec<OperationParameter> = Vec::new();
        // What the operation says of a parameter replaces what its path says.
        let own = operation.items_at("parameters");
        let of_path = item.items_at("parameters");
        if own.len() + of_path.len() > PARAMETERS_MAX {
            return Err(format!("more than {PARAMETERS_MAX} parameters"));
        }
        for parameter in own.iter().chain(of_path.iter()) {
            let parameter = self.resolve(parameter)?;
            let Some((read, schema, is_required)) = self.parameter(&parameter)? else {
                continue;
            };
            if let Some(same) = parameters.iter().find(|one| one.name == read.name) {
                match same.place == read.place {
                    true => continue,
                    false => return Err(format!("two parameters are named `{}`", read.name)),
                }
            }
            if is_required {
                required.push(read.name.as_str().into());
            }
            properties.insert(read.name.as_str(), schema);
            parameters.push(read);
        }
        check_templates(path, &parameters)?;
        let body = self.body(operation, method)?;
        let has_body = body.is_some();
        if let Some((schema, is_required)) = body {
            if properties.get(BODY).is_some() {
                return Err(format!(
                    "a parameter has the name `{BODY}`, which is that of the body here"
                ));
            }
            properties.insert(BODY, schema);
            if is_required {
                required.push(BODY.into());
            }
        }
        let tool = tool_name(&self.service.name, id);
        let declaration =
            self.declaration(&tool, (path, method), operation, (properties, required));
        Ok(OpenApiOperation {
            id: id.to_owned(),
            tool,
            method,
            path: (*path).to_owned(),
            parameters,
            has_body,
            declaration,
        })
    }

    fn declaration(
        &self,
        tool: &str,
        (path, method): (&str, &str),
        operation: &Value,
        (properties, required): (Object, Vec<Value>),
    ) -> Value {
        let text = |key: &str| operation.text(key).unwrap_or_default();
        let title = clean_outside_text(text("summary"), 120).replace('\n', " ");
        let said = clean_outside_text(text("description"), DESCRIPTION_CHARS);
        let line = format!("`{method} {path}` of the service `{}`.", self.service.name);
        let description = [title.as_str(), said.as_str(), line.as_str()];
        let description: Vec<&str> = description
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        let is_read = method == "GET";
        let mut entry = Object::new();
        entry.insert("name", tool);
        if !title.is_empty() {
            entry.insert("title", title.as_str());
        }
        entry.insert("description", description.join("\n"));
        entry.insert("category", "web");
        entry.insert(
            "parameters",
            object! {
                "type" => "object",
                "properties" => properties,
                "required" => Value::array(required),
                "additionalProperties" => false,
            },
        );
        entry.insert("effects", Value::array(vec!["network_access".into()]));
        entry.insert(
            "callers",
            Value::array(vec!["direct".into(), "chain".into()]),
        );
        // What a service does with what it is sent is not known here.
        entry.insert("destructive", !is_read);
        entry.insert("idempotent", is_read);
        entry.insert("enabled", true);
        entry.insert("command", Value::array(vec!["openapi".into()]));
        if let Some(ms) = self.service.timeout_ms {
            entry.insert("timeout", ms as f64 / 1e3);
        }
        entry.into()
    }

    /// A parameter with the schema of its argument; `None` for one that is not sent.
    fn parameter(
        &self,
        parameter: &Value,
    ) -> Result<Option<(OperationParameter, Value, bool)>, String> {
        /// Headers that the client or the configuration sets; as parameters they mean nothing (OpenAPI), or are not the caller's.
        const NOT_SENT: [&str; 8] = [
            "accept",
            "authorization",
            "content-length",
            "content-type",
            "cookie",
            "host",
            "proxy-authorization",
            "transfer-encoding",
        ];
        let name = parameter.text("name").unwrap_or_default();
        if !is_name(name) {
            return Err(
                "a parameter has no name, or one with characters that no reader sees".to_owned(),
            );
        }
        let is_required = parameter.get("required").and_then(Value::as_bool) == Some(true);
        let unsupported = |what: &str| match is_required {
            true => Err(format!(
                "the required parameter `{name}` {what}, which is not supported"
            )),
            false => Ok(None),
        };
        let place = match parameter.text("in").unwrap_or_default() {
            "path" => ParameterPlace::Path,
            "query" => ParameterPlace::Query,
            "header" => {
                let header = name.to_ascii_lowercase();
                let is_own = self
                    .service
                    .api_key_header
                    .as_deref()
                    .is_some_and(|own| own.eq_ignore_ascii_case(name));
                let is_token =
                    |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
                if !name.bytes().all(is_token) {
                    return Err(format!(
                        "the header `{name}` has other characters than letters, digits, `-` and `_`"
                    ));
                }
                if is_own || NOT_SENT.contains(&header.as_str()) {
                    return Ok(None);
                }
                ParameterPlace::Header
            }
            other => return unsupported(&format!("is in `{}`", clean_outside_text(other, 20))),
        };
        let Some(schema) = parameter.get("schema") else {
            return unsupported("has no `schema`");
        };
        let mut schema = self.schema(schema);
        let kind = kind_of(&schema);
        if kind == Some("object") || place != ParameterPlace::Query && kind == Some("array") {
            return unsupported("is an object or a list there");
        }
        let style = parameter.text("style").unwrap_or("form");
        if place == ParameterPlace::Query && style != "form" {
            return unsupported("has another style than `form`");
        }
        if let (Some(said), Some(members)) = (parameter.text("description"), schema.as_object()) {
            let mut members = members.clone();
            members.insert("description", clean_outside_text(said, ARGUMENT_CHARS));
            schema = members.into();
        }
        let read = OperationParameter {
            name: name.to_owned(),
            place,
            explode: parameter.get("explode").and_then(Value::as_bool) != Some(false),
        };
        Ok(Some((
            read,
            schema,
            is_required || place == ParameterPlace::Path,
        )))
    }

    /// The schema of the body, and whether it is required.
    fn body(&self, operation: &Value, method: &str) -> Result<Option<(Value, bool)>, String> {
        let Some(body) = operation.get("requestBody") else {
            return Ok(None);
        };
        let body = self.resolve(body)?;
        let is_required = body.get("required").and_then(Value::as_bool) == Some(true);
        let content = body.get("content").and_then(Value::as_object);
        let mut kinds = content.into_iter().flat_map(Object::iter);
        let json = kinds.find(|(kind, _)| {
            let kind = kind
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase();
            kind == "application/json"
                || kind.starts_with("application/") && kind.ends_with("+json")
        });
        match json {
            _ if matches!(method, "GET" | "DELETE") => match is_required {
                true => Err(format!("`{method}` with a body is not supported")),
                false => Ok(None),
            },
            Some((_, media)) => {
                let schema = media.get("schema").map(|schema| self.schema(schema));
                Ok(Some((
                    schema.unwrap_or_else(|| Object::new().into()),
                    is_required,
                )))
            }
            None if is_required => Err("its body is not JSON".to_owned()),
            None => Ok(None),
        }
    }

    fn schema(&self, schema: &Value) -> Value {
        loosen_schema_within(self.root, schema, self.nullable)
    }

    /// What a reference within the document leads to.
    fn resolve(&self, value: &Value) -> Result<Value, String> {
        let mut found = value.clone();
        for _ in 0..REFERENCES_MAX {
            let Some(name) = found.text("$ref").map(str::to_owned) else {
                return Ok(found);
            };
            let target = name
                .strip_prefix('#')
                .and_then(|pointer| self.root.pointer(pointer));
            found = target.ok_or_else(|| {
                format!(
                    "`{}` leads to nothing within the document",
                    clean_outside_text(&name, NAME_CHARS)
                )
            })?;
        }
        Err(format!(
            "more than {REFERENCES_MAX} references one after the other"
        ))
    }
}

/// The one kind of a schema.
fn kind_of(schema: &Value) -> Option<&str> {
    schema.text("type")
}

/// Whether a name may be that of an argument: a model and a person read it as it is.
fn is_name(name: &str) -> bool {
    !name.is_empty() && clean_outside_text(name, NAME_CHARS) == name && !name.contains(['\n', '\t'])
}

/// A path that begins at the address of the service and stays below it.
fn check_path(path: &str) -> Result<(), String> {
    let is_plain = |one: char| one.is_ascii_graphic() && !"?#\\%".contains(one);
    let shown = clean_outside_text(path, NAME_CHARS);
    if !path.starts_with('/') || path.chars().count() > PATH_CHARS || !path.chars().all(is_plain) {
        return Err(format!(
            "the path `{shown}` is not `/` with letters, digits and signs of a path"
        ));
    }
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        if matches!(part, "." | "..") || part.is_empty() && parts.peek().is_some() {
            return Err(format!("the path `{shown}` has an empty part, `.` or `..`"));
        }
    }
    Ok(())
}

/// The names between braces in a path.
pub fn template_names(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.split('{').skip(1);
    parts.map(|part| part.split_once('}').map_or(part, |(name, _)| name))
}

fn check_templates(path: &str, parameters: &[OperationParameter]) -> Result<(), String> {
    let is_known = |name: &str| {
        let mut known = parameters
            .iter()
            .filter(|one| one.place == ParameterPlace::Path);
        known.any(|one| one.name == name)
    };
    if path.matches('{').count() != path.matches('}').count() {
        return Err("its path has a brace without its other one".to_owned());
    }
    if let Some(name) = template_names(path).find(|name| !is_known(name)) {
        return Err(format!(
            "its path names `{name}`, which is no parameter of the path"
        ));
    }
    let mut of_path = parameters
        .iter()
        .filter(|one| one.place == ParameterPlace::Path);
    match of_path.find(|one| !template_names(path).any(|name| name == one.name)) {
        Some(lost) => Err(format!(
            "its path does not name the parameter `{}`",
            lost.name
        )),
        None => Ok(()),
    }
}

/// Id of the tool: the service and the operation in the form of names here; a long one ends with the beginning of its digest.
fn tool_name(service: &str, operation: &str) -> String {
    const DIGEST: usize = 6;
    let mut name = format!("{service}_");
    let mut before = '_';
    for character in operation.chars() {
        // `getPetById` is `get_pet_by_id`.
        if character.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_digit())
        {
            name.push('_');
        }
        let plain = character.to_ascii_lowercase();
        let is_plain = plain.is_ascii_lowercase() || plain.is_ascii_digit();
        if is_plain {
            name.push(plain);
        } else if !name.ends_with('_') {
            name.push('_');
        }
        before = character;
    }
    let most = manifest::ID_MAX - 1;
    if name.len() > most {
        let digest = blake3::hash(operation.as_bytes()).to_hex();
        name.truncate(most - DIGEST - 1);
        name = format!("{name}_{}", &digest[..DIGEST]);
    }
    name.trim_end_matches('_').to_owned()
}

/// The tool of an operation. `host` is that of the service with its port; `unmet` is a precondition that never holds, for a tool that cannot
/// be called.
///
/// # Errors
/// A declaration that is none, which a document cannot bring about.
pub fn operation_tool(
    service: &OpenApiService,
    operation: &OpenApiOperation,
    host: &str,
    unmet: Option<&str>,
    runner: Arc<dyn PluginRunner>,
) -> Result<Arc<dyn AnyTool>, LoadErrors> {
    let source = format!("openapi {} {}", service.name, service.digest);
    let entry = ServiceEntry {
        declaration: &operation.declaration,
        source: &source,
        host,
        is_read: operation.method == "GET",
        unmet,
    };
    service_tool(entry, runner)
}
