//! The messages of the plugin protocol.

use tool_core::{ErrorCode, ToolError, Value};

use super::process::Launch;

/// Version of the protocol.
pub const PROTOCOL: i64 = 1;
/// Maximum length of an error message, in characters.
const MESSAGE_CHARS: usize = 2000;

/// A message of a plugin.
pub(super) enum Message {
    Hello(Value),
    Result {
        id: i64,
        result: Result<Value, ToolError>,
    },
    Progress {
        id: i64,
        fraction: f64,
        words: String,
    },
}

impl Message {
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let id = || {
            value
                .get("id")
                .and_then(Value::as_i64)
                .ok_or_else(|| "it has no `id`".to_owned())
        };
        match text("type") {
            Some("hello") => Ok(Self::Hello(value.clone())),
            Some("result") => {
                let result = match (value.get("output"), value.get("error")) {
                    (Some(output), None) => Ok(output.clone()),
                    (None, Some(error)) => Err(error_of(error)?),
                    _ => return Err("a result has `output` or `error`".to_owned()),
                };
                Ok(Self::Result { id: id()?, result })
            }
            Some("progress") => Ok(Self::Progress {
                id: id()?,
                fraction: value
                    .get("fraction")
                    .and_then(Value::as_f64)
                    .unwrap_or(0.0)
                    .clamp(0.0, 1.0),
                words: text("message")
                    .unwrap_or_default()
                    .chars()
                    .take(200)
                    .collect(),
            }),
            Some(other) => Err(format!(
                "no type `{}`",
                other.chars().take(40).collect::<String>()
            )),
            None => Err("it has no `type`".to_owned()),
        }
    }
}

/// The error of a failed call: a message, and optionally code, path and hint.
fn error_of(error: &Value) -> Result<ToolError, String> {
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let message = error
        .as_str()
        .or_else(|| text("message"))
        .ok_or("an error has a `message`")?;
    let code = match text("code") {
        Some("invalid_args") => ErrorCode::InvalidArgs,
        Some("precondition_failed") => ErrorCode::PreconditionFailed,
        Some("limit_exceeded") => ErrorCode::LimitExceeded,
        Some("conflict") => ErrorCode::Conflict,
        Some("tool_error") | None => ErrorCode::ToolError,
        Some(_) => return Err("no such `code` of an error".to_owned()),
    };
    let cut = |text: &str| text.chars().take(MESSAGE_CHARS).collect::<String>();
    let mut read = ToolError::new(code, cut(message));
    if let Some(path) = text("path") {
        read = read.at(cut(path));
    }
    if let Some(hint) = text("hint") {
        read = read.hint(cut(hint));
    }
    Ok(read)
}

pub(super) fn hello(launch: &Launch) -> Value {
    Value::object([
        ("type", Value::from("hello")),
        ("protocol", Value::from(PROTOCOL)),
        ("plugin", Value::from(launch.plugin.as_str())),
        ("version", Value::from(launch.version.as_str())),
        ("modules", Value::from(launch.modules.clone())),
        ("config", launch.config.clone()),
    ])
}

pub(super) fn call(id: i64, tool: &str, args: &Value) -> Value {
    Value::object([
        ("type", Value::from("call")),
        ("id", Value::from(id)),
        ("tool", Value::from(tool)),
        ("args", args.clone()),
    ])
}

pub(super) fn cancel(id: i64) -> Value {
    Value::object([("type", Value::from("cancel")), ("id", Value::from(id))])
}

/// Checks the greeting against the manifest.
pub(super) fn check_hello(launch: &Launch, message: &Message) -> Result<(), ToolError> {
    let plugin = &launch.plugin;
    let refuse = |what: String| {
        Err(ToolError::new(
            ErrorCode::ToolError,
            format_args!("the plugin `{plugin}` {what}"),
        )
        .reason("plugin_protocol"))
    };
    let Message::Hello(hello) = message else {
        return refuse("did not greet first".to_owned());
    };
    match hello.get("protocol").and_then(Value::as_i64) {
        Some(PROTOCOL) => {}
        Some(other) => {
            return refuse(format!(
                "uses protocol version {other}, expected {PROTOCOL}"
            ));
        }
        None => return refuse("greeted without `protocol`".to_owned()),
    }
    if let Some(version) = hello.get("version").and_then(Value::as_str)
        && version != launch.version
    {
        return refuse(format!(
            "reports version {version}, its manifest {}",
            launch.version
        ));
    }
    let missing: Vec<String> = hello
        .get("missing")
        .and_then(Value::items)
        .unwrap_or_default()
        .iter()
        .filter_map(|name| Some(format!("`{}`", name.as_str()?)))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format_args!("the plugin `{plugin}` lacks {}", missing.join(", "));
    Err(ToolError::new(ErrorCode::PreconditionFailed, message)
        .reason("plugin_dependency")
        .hint("install what it depends on"))
}
