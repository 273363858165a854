//! The messages of the plugin protocol.

use tool_core::{ErrorCode, ToolError, Value, object, tool_error};

use super::process::PluginSpeech;

/// Version of the protocol.
pub const PROTOCOL: i64 = 1;
/// Maximum length of an error message, in characters.
const MESSAGE_CHARS: usize = 2000;

/// A message of a plugin.
pub(super) enum PluginMessage {
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
    /// A message to send back.
    Reply(Value),
    /// The tools changed: the process takes no more calls.
    Changed,
    /// Nothing that matters here.
    Other,
}

impl PluginMessage {
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        let id = || {
            let id = value.get("id").and_then(Value::as_i64);
            id.ok_or_else(|| "it has no `id`".to_owned())
        };
        match value.text("type") {
            Some("hello") => Ok(Self::Hello(value.clone())),
            Some("result") => {
                let result = match (value.get("output"), value.get("error")) {
                    (Some(output), None) => Ok(output.clone()),
                    (None, Some(error)) => Err(error_of(error)?),
                    _ => return Err("a result has `output` or `error`".to_owned()),
                };
                Ok(Self::Result { id: id()?, result })
            }
            Some("progress") => {
                let fraction = value.get("fraction").and_then(Value::as_f64).unwrap_or(0.0);
                let words = value.text("message").unwrap_or_default();
                Ok(Self::Progress {
                    id: id()?,
                    fraction: fraction.clamp(0.0, 1.0),
                    words: words.chars().take(200).collect(),
                })
            }
            Some(other) => {
                let shown: String = other.chars().take(40).collect();
                Err(format!("no type `{shown}`"))
            }
            None => Err("it has no `type`".to_owned()),
        }
    }
}

/// The error of a failed call: a message, and optionally code, path and hint.
fn error_of(error: &Value) -> Result<ToolError, String> {
    const CODES: [ErrorCode; 5] = [
        ErrorCode::InvalidArgs,
        ErrorCode::PreconditionFailed,
        ErrorCode::LimitExceeded,
        ErrorCode::Conflict,
        ErrorCode::ToolError,
    ];
    let message = error.as_str().or_else(|| error.text("message"));
    let message = message.ok_or("an error has a `message`")?;
    let code = error.text("code").unwrap_or("tool_error");
    let code = CODES.into_iter().find(|known| known.as_str() == code);
    let code = code.ok_or("no such `code` of an error")?;
    let cut = |text: &str| text.chars().take(MESSAGE_CHARS).collect::<String>();
    let mut read = ToolError::new(code, cut(message));
    if let Some(path) = error.text("path") {
        read = read.at(cut(path));
    }
    if let Some(hint) = error.text("hint") {
        read = read.hint(cut(hint));
    }
    Ok(read)
}

pub(super) fn hello_message(plugin: &str, launch: &PluginSpeech) -> Value {
    object! {
        "type" => "hello",
        "protocol" => PROTOCOL,
        "plugin" => plugin,
        "version" => launch.version.as_str(),
        "modules" => launch.modules.clone(),
        "config" => launch.config.clone(),
    }
}

pub(super) fn call_message(id: i64, tool: &str, args: &Value) -> Value {
    object! { "type" => "call", "id" => id, "tool" => tool, "args" => args.clone() }
}

pub(super) fn cancel_message(id: i64) -> Value {
    object! { "type" => "cancel", "id" => id }
}

/// Checks the greeting against the manifest.
pub(super) fn check_hello(
    plugin: &str,
    launch: &PluginSpeech,
    message: &PluginMessage,
) -> Result<(), ToolError> {
    let version = &launch.version;
    let who = format!("the plugin `{plugin}`");
    let PluginMessage::Hello(hello) = message else {
        return Err(protocol_error(&who, "did not greet first"));
    };
    let refuse = |what: String| Err(protocol_error(&who, &what));
    match hello.get("protocol").and_then(Value::as_i64) {
        Some(PROTOCOL) => {}
        Some(other) => {
            return refuse(format!(
                "uses protocol version {other}, expected {PROTOCOL}"
            ));
        }
        None => return refuse("greeted without `protocol`".to_owned()),
    }
    if let Some(found) = hello.text("version").filter(|found| found != version) {
        return refuse(format!("reports version {found}, its manifest {version}"));
    }
    let missing = hello.items_at("missing");
    let missing = missing
        .iter()
        .filter_map(|name| Some(format!("`{}`", name.as_str()?)));
    let missing: Vec<String> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = missing.join(", ");
    Err(tool_error!(PreconditionFailed, "plugin_dependency";
        "the plugin `{plugin}` lacks {missing}"; "install what it depends on"))
}

/// The error for a plugin that breaks the protocol.
pub(super) fn protocol_error(who: &str, what: &str) -> ToolError {
    tool_error!(ToolError, "{who} {what}").reason("plugin_protocol")
}
