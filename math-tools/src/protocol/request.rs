//! From bytes to a command and its parameters.

use std::sync::Arc;

use tool_core::{ErrorCode, Object, ToolError, Value, json};

use super::{INPUT_BYTES_MAX, TIMEOUT_MS, TIMEOUT_MS_MAX};

/// A request without its envelope.
#[derive(Debug, PartialEq)]
pub(super) struct CommandRequest {
    /// Name of the command.
    pub(super) command: String,
    /// The parameters, in the order given.
    pub(super) params: CommandParams,
    /// The deadline.
    pub(super) timeout_ms: u64,
}

/// Parameters of a command.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandParams(pub(super) Object);

impl PartialEq for CommandParams {
    fn eq(&self, other: &Self) -> bool {
        self.clone().into_value() == other.clone().into_value()
    }
}

impl CommandParams {
    /// The parameters as the arguments of a tool.
    pub(super) fn into_value(self) -> Value {
        Value::Object(Arc::new(self.0))
    }

    /// Removes and returns a string.
    ///
    /// # Errors
    /// When it is there and no text.
    pub(super) fn take_text(&mut self, name: &str) -> Result<Option<String>, ToolError> {
        match self.0.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.to_string())),
            Some(other) => {
                let message = format!("expected a string, found {}", other.kind());
                Err(ToolError::invalid(format!("/{name}"), message))
            }
        }
    }
}

/// Reads a request: strict JSON, an object, a command, and its parameters beside it or in `params`, there also as JSON text.
///
/// # Errors
/// `invalid_request`, or `limit_exceeded` for one that is too long or too deep.
pub(super) fn parse_request(bytes: &[u8]) -> Result<CommandRequest, ToolError> {
    let limits = json::JsonLimits {
        bytes_max: INPUT_BYTES_MAX,
        ..json::JsonLimits::default()
    };
    if bytes.len() > limits.bytes_max {
        let message =
            format!("the request has more than {INPUT_BYTES_MAX} bytes, which is the limit");
        return Err(ToolError::new(ErrorCode::LimitExceeded, message).reason("json"));
    }
    const LIST: &str = r#"send {"command":"help"} for a list"#;
    let expected = |path: &str, expected: &str, found: &Value| {
        invalid_request_error(
            path,
            format_args!("expected {expected}, found {}", found.kind()),
        )
    };
    let Value::Object(object) = json::parse_bytes(bytes, limits)? else {
        let message = "expected one JSON object with the member `command`";
        return Err(invalid_request_error("", message).hint(LIST));
    };
    let mut envelope = Arc::unwrap_or_clone(object);
    let command = match envelope.remove("command") {
        Some(Value::String(name)) => name.to_string(),
        Some(other) => return Err(expected("/command", "the name of a command", &other)),
        None => {
            return Err(invalid_request_error("/command", "missing member `command`").hint(LIST));
        }
    };
    let timeout_ms = parse_timeout(envelope.remove("timeout_ms"))?;
    let params = match envelope.remove("params") {
        None => envelope,
        Some(_) if !envelope.is_empty() => {
            let name = envelope.iter().next().map_or("", |(name, _)| name);
            let message = format!("parameters in `params` and beside it: `{name}`");
            return Err(invalid_request_error(&member_pointer(name), message)
                .hint("put all parameters in one place"));
        }
        Some(given) => match json::parse_call_arguments(&given, INPUT_BYTES_MAX)? {
            Value::Object(nested) => Arc::unwrap_or_clone(nested),
            other => return Err(expected("/params", "an object", &other)),
        },
    };
    Ok(CommandRequest {
        command,
        params: CommandParams(params),
        timeout_ms,
    })
}

fn parse_timeout(given: Option<Value>) -> Result<u64, ToolError> {
    let Some(value) = given else {
        return Ok(TIMEOUT_MS);
    };
    let in_range = |ms: &u64| (1..=TIMEOUT_MS_MAX).contains(ms);
    value
        .as_i64()
        .and_then(|ms| u64::try_from(ms).ok())
        .filter(in_range)
        .ok_or_else(|| {
            let message = format!(
                "expected a number of milliseconds from 1 to {TIMEOUT_MS_MAX}, found {}",
                value.kind()
            );
            invalid_request_error("/timeout_ms", message)
        })
}

fn invalid_request_error(path: &str, message: impl std::fmt::Display) -> ToolError {
    ToolError::new(ErrorCode::InvalidRequest, message).at(path)
}

/// The JSON pointer of a member.
pub(super) fn member_pointer(name: &str) -> String {
    let mut pointer = String::new();
    tool_core::path::push_key(&mut pointer, name);
    pointer
}
