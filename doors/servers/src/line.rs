//! A call as a line of JSON, and its answer: the form of `serve --jsonl` and of `POST /v1/call`.

use registry::TraceParent;
use tool_core::json::{self, JsonLimits};
use tool_core::{CallOutcome, Object, Result, ToolError, Value, object, tool_error};

/// The call of one line.
pub struct LineCall {
    /// Id given by the client.
    pub id: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// Role of the line, one of those allowed.
    pub role: Option<String>,
    /// Span of the client that the call belongs to.
    pub trace: Option<TraceParent>,
    /// Whether its progress is written, before its answer.
    pub progress: bool,
}

/// Where a call was read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CallOrigin {
    /// A line of `serve --jsonl`, where progress can be written.
    Lines,
    /// The body of `POST /v1/call`, which has one answer.
    Body,
}

/// The answer to a line: its id, and the envelope.
pub fn line_envelope(id: Value, outcome: &CallOutcome) -> Value {
    let mut envelope = Object::new();
    envelope.insert("id", id);
    let outcome = outcome.to_value();
    for (key, value) in outcome.as_object().into_iter().flat_map(Object::iter) {
        envelope.insert(key, value.clone());
    }
    Value::Object(envelope.into())
}

/// The keys of a call; the last one is that of a line alone.
const KEYS: [&str; 6] = ["id", "tool", "args", "role", "traceparent", "progress"];

impl CallOrigin {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Lines => &KEYS,
            Self::Body => &KEYS[..KEYS.len() - 1],
        }
    }
}

/// Reads a line: the id as far as it could be read, and the call.
pub fn parse_line(
    door: CallOrigin,
    bytes: &[u8],
    roles: &[String],
    bytes_max: usize,
) -> (Value, Result<LineCall>) {
    let limits = JsonLimits {
        bytes_max,
        ..JsonLimits::default()
    };
    let value = match json::parse_bytes(bytes, limits) {
        Ok(value) => value,
        Err(err) => return (Value::Null, Err(err.into())),
    };
    let refuse = |error: ToolError| (Value::Null, Err(error));
    let Some(object) = value.as_object() else {
        let example = "send {\"id\":1,\"tool\":\"statistics\",\"args\":{...}}";
        return refuse(expected_kind_error("", "an object", &value).hint(example));
    };
    match object.get("id").cloned().unwrap_or_default() {
        id @ (Value::Null | Value::String(_) | Value::Int(_) | Value::Float(_)) => {
            let call = line_call(door, object, &id, roles, bytes_max);
            (id, call)
        }
        other => refuse(expected_kind_error("/id", "a text or a number", &other)),
    }
}

fn line_call(
    door: CallOrigin,
    object: &Object,
    id: &Value,
    roles: &[String],
    bytes_max: usize,
) -> Result<LineCall> {
    let keys = door.keys();
    if let Some((key, _)) = object.iter().find(|(key, _)| !keys.contains(key)) {
        let keys = keys.join("`, `");
        return Err(tool_error!(InvalidRequest at format!("/{key}");
            "unknown key `{key}`; a line has `{keys}`"));
    }
    let tool = object.get("tool").and_then(Value::as_str);
    let missing = || tool_error!(InvalidRequest at "/tool"; "expected `tool`, the name of a tool");
    let role = optional_text(object, "role", "the name of a role")?;
    if let Some(role) = role.filter(|role| !roles.iter().any(|allowed| allowed == role)) {
        return Err(tool_error!(PolicyDenied at "/role", "role";
            "the role `{role}` is not allowed here"; "start the server with --roles to allow it"));
    }
    let trace = optional_text(object, "traceparent", "a text")?;
    let progress = match object.get("progress") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(wanted)) => *wanted,
        Some(other) => return Err(expected_kind_error("/progress", "true or false", other)),
    };
    Ok(LineCall {
        id: match id {
            Value::Null => None,
            Value::String(text) => Some(text.to_string()),
            number => Some(number.to_string()),
        },
        tool: tool.ok_or_else(missing)?.to_owned(),
        args: match object.get("args") {
            Some(args) => json::parse_call_arguments(args, bytes_max)?,
            None => object! {},
        },
        role: role.map(str::to_owned),
        // W3C Trace Context requires that a malformed one is ignored.
        trace: trace.and_then(TraceParent::parse),
        progress,
    })
}

/// An optional text of a line.
fn optional_text<'a>(object: &'a Object, key: &str, kind: &str) -> Result<Option<&'a str>> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(expected_kind_error(&format!("/{key}"), kind, other)),
    }
}

fn expected_kind_error(path: &str, kind: &str, found: &Value) -> ToolError {
    tool_error!(InvalidRequest at path; "expected {kind}, found {}", found.kind())
}
