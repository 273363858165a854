//! The messages between mathchain as a client and an outside server, in the version 2025-11-25 of the protocol.

use std::collections::BTreeMap;

use tool_core::{ErrorCode, Object, ToolError, Value, object, tool_error};

use super::super::message::PluginMessage;
use super::{PinnedTool, TOOLS_MAX, describe_pin_mismatch};

/// Version of the protocol that is asked for; older ones that a server names instead have the same calls.
const VERSION: &str = "2025-11-25";
/// Most pages of a list of tools.
const PAGES_MAX: usize = 100;
/// Most bytes of all pages together.
const LIST_BYTES_MAX: usize = 4 << 20;
/// Most requests of a server that are answered before the first call.
const ASKED_MAX: usize = 100;
/// Longest id of a request of a server, in bytes.
const ID_BYTES_MAX: usize = 256;
/// Longest message of an error, in characters.
const MESSAGE_CHARS: usize = 2000;

/// The other end of a conversation that begins.
pub(in super::super) trait HandshakeExchange {
    /// Sends a message.
    fn say(&mut self, message: &Value) -> Result<(), ToolError>;
    /// Waits for the next message.
    fn hear(&mut self) -> Result<Value, ToolError>;
}

fn request_message(id: i64, method: &str, params: Value) -> Value {
    object! { "jsonrpc" => "2.0", "id" => id, "method" => method, "params" => params }
}

pub(in super::super) fn call_request(id: i64, tool: &str, args: &Value) -> Value {
    let params = object! {
        "name" => tool, "arguments" => args.clone(), "_meta" => object! { "progressToken" => id },
    };
    request_message(id, "tools/call", params)
}

pub(in super::super) fn cancel_notification(id: i64) -> Value {
    let params = object! { "requestId" => id, "reason" => "the caller cancelled the call" };
    object! { "jsonrpc" => "2.0", "method" => "notifications/cancelled", "params" => params }
}

/// Begins the conversation, and compares the tools with the pinned ones.
///
/// # Errors
/// `resource_changed` for other tools; an answer that is none of this protocol.
pub(in super::super) fn greet_server(
    name: &str,
    pinned: &[PinnedTool],
    talk: &mut dyn HandshakeExchange,
) -> Result<(), ToolError> {
    let (_, listed) = list_server_tools(name, talk)?;
    match describe_pin_mismatch(pinned, &listed) {
        None => Ok(()),
        Some(what) => Err(
            tool_error!(ResourceChanged, "pin"; "the MCP server `{name}` is not as it was pinned: {what}";
                "`mathchain plugins pin {name}` shows the difference"),
        ),
    }
}

/// Begins the conversation; the server and its tools.
///
/// # Errors
/// An answer that is none of this protocol.
pub(in super::super) fn list_server_tools(
    name: &str,
    talk: &mut dyn HandshakeExchange,
) -> Result<(Value, Vec<PinnedTool>), ToolError> {
    let client = object! { "name" => "mathchain", "version" => env!("CARGO_PKG_VERSION") };
    let params = object! {
        "protocolVersion" => VERSION, "capabilities" => Object::new(), "clientInfo" => client,
    };
    let hello = await_answer(talk, request_message(-1, "initialize", params))?;
    talk.say(&object! { "jsonrpc" => "2.0", "method" => "notifications/initialized" })?;
    let mut tools: Vec<PinnedTool> = Vec::new();
    let mut cursor: Option<String> = None;
    let mut bytes = 0;
    for page in 0..PAGES_MAX {
        let params = match &cursor {
            Some(cursor) => object! { "cursor" => cursor.as_str() },
            None => Object::new().into(),
        };
        let answer = await_answer(
            talk,
            request_message(-2 - page as i64, "tools/list", params),
        )?;
        bytes += tool_core::json::to_text(&answer).len();
        if bytes > LIST_BYTES_MAX {
            return Err(protocol_error(&format!(
                "lists its tools in more than {LIST_BYTES_MAX} bytes"
            )));
        }
        let listed = answer.items_at("tools");
        let read = listed
            .iter()
            .map(|tool| PinnedTool::of(name, tool))
            .collect::<Option<Vec<_>>>();
        tools.extend(read.ok_or_else(|| protocol_error("lists a tool without a name"))?);
        if tools.len() > TOOLS_MAX {
            return Err(protocol_error(&format!(
                "lists more than {TOOLS_MAX} tools"
            )));
        }
        cursor = answer.text("nextCursor").map(str::to_owned);
        if cursor.is_none() {
            tools.sort_by(|a, b| a.name.cmp(&b.name));
            let mut names = BTreeMap::new();
            for tool in &tools {
                if let Some(other) = names.insert(&tool.local, &tool.name) {
                    let what = format!(
                        "lists two tools of one name here: `{other}`, `{}`",
                        tool.name
                    );
                    return Err(protocol_error(&what));
                }
            }
            return Ok((hello.get("serverInfo").cloned().unwrap_or_default(), tools));
        }
    }
    Err(protocol_error(&format!(
        "lists its tools on more than {PAGES_MAX} pages"
    )))
}

/// The result of a request before the first call.
fn await_answer(talk: &mut dyn HandshakeExchange, request: Value) -> Result<Value, ToolError> {
    talk.say(&request)?;
    let mut asked = 0;
    loop {
        let message = talk.hear()?;
        match read_server_message(&message).map_err(|fault| protocol_error(&fault))? {
            // The result of a call is read otherwise.
            PluginMessage::Result { .. } if message.get("id") == request.get("id") => {
                let method = request.text("method").unwrap_or_default();
                return match (message.get("result"), message.get("error")) {
                    (Some(result), _) => Ok(result.clone()),
                    (None, error) => {
                        let said = error
                            .and_then(|error| error.text("message"))
                            .unwrap_or_default();
                        Err(protocol_error(&format!(
                            "refuses `{method}`: {}",
                            trim_message(said)
                        )))
                    }
                };
            }
            PluginMessage::Reply(_) if asked == ASKED_MAX => {
                return Err(protocol_error("asks without end before it greets"));
            }
            PluginMessage::Reply(reply) => {
                asked += 1;
                talk.say(&reply)?;
            }
            PluginMessage::Result { .. } => {
                return Err(protocol_error("answers what it was not asked"));
            }
            _ => {}
        }
    }
}

/// A message of a server.
///
/// # Errors
/// What makes it none.
pub(in super::super) fn read_server_message(value: &Value) -> Result<PluginMessage, String> {
    let id = value.get("id");
    match (value.text("method"), id) {
        (Some(method), Some(id)) => match id {
            Value::String(text) if text.len() > ID_BYTES_MAX => {
                Err("the `id` of its request is too long".to_owned())
            }
            Value::String(_) | Value::Int(_) | Value::Float(_) => {
                Ok(PluginMessage::Reply(reply_to_server(method, id)))
            }
            _ => Err("the `id` of its request is neither a number nor a text".to_owned()),
        },
        (Some("notifications/progress"), None) => {
            let params = value.get("params").cloned().unwrap_or_default();
            let number = |key: &str| params.get(key).and_then(Value::as_f64);
            let Some(id) = params.get("progressToken").and_then(Value::as_i64) else {
                return Ok(PluginMessage::Other);
            };
            let part = match (number("progress"), number("total")) {
                (Some(done), Some(total)) if total > 0.0 => (done / total).clamp(0.0, 1.0),
                _ => 0.0,
            };
            Ok(PluginMessage::Progress {
                id,
                fraction: part,
                words: super::clean_outside_text(params.text("message").unwrap_or_default(), 200),
            })
        }
        (Some("notifications/tools/list_changed"), None) => Ok(PluginMessage::Changed),
        (Some(_), None) => Ok(PluginMessage::Other),
        (None, Some(id)) => {
            let id = id.as_i64().ok_or("its `id` is none of a request")?;
            let result = match (value.get("result"), value.get("error")) {
                // Before the first call the results are others, which `answer` reads.
                (Some(result), None) if id < 0 => Ok(result.clone()),
                (Some(result), None) => decode_call_result(result)?,
                (None, Some(error)) => Err(error_of(error)),
                _ => return Err("a response has `result` or `error`".to_owned()),
            };
            Ok(PluginMessage::Result { id, result })
        }
        (None, None) => Err("it has no `method` and no `id`".to_owned()),
    }
}

/// The answer to a request of a server: this client offers it nothing.
fn reply_to_server(method: &str, id: &Value) -> Value {
    match method {
        "ping" => object! { "jsonrpc" => "2.0", "id" => id.clone(), "result" => Object::new() },
        _ => {
            let error =
                object! { "code" => -32601_i64, "message" => "this client answers no requests" };
            object! { "jsonrpc" => "2.0", "id" => id.clone(), "error" => error }
        }
    }
}

/// The result of a call: structured content, or `text` and the `content` that is no text.
///
/// # Errors
/// What makes it none: an answer of another form is no success.
fn decode_call_result(result: &Value) -> Result<Result<Value, ToolError>, String> {
    let is_error = match result.get("isError") {
        None | Some(Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return Err("`isError` of its result is neither true nor false".to_owned()),
    };
    let is_complete = |kind: &str| kind == "complete";
    if !result.text("resultType").is_none_or(is_complete) {
        let error = tool_error!(ToolError, "mcp_server"; "the server asks for input, which a call of its tools cannot give");
        return Ok(Err(error.may_have_happened()));
    }
    let structured = result
        .get("structuredContent")
        .filter(|value| !value.is_null());
    let content = result.get("content").and_then(Value::items);
    if content.is_none() && structured.is_none() {
        return Err("its result has neither `content` nor `structuredContent`".to_owned());
    }
    let (texts, others): (Vec<Value>, Vec<Value>) = (content.unwrap_or_default().into_iter())
        .partition(|block| block.text("type") == Some("text"));
    let texts: Vec<&str> = texts
        .iter()
        .filter_map(|block| block.text("text"))
        .collect();
    let text = texts.join("\n");
    if is_error {
        let said = match text.trim() {
            "" => "the server names no reason",
            said => said,
        };
        return Ok(Err(ToolError::new(
            ErrorCode::ToolError,
            trim_message(said),
        )
        .reason("mcp_server")));
    }
    if let Some(structured) = structured {
        return Ok(Ok(structured.clone()));
    }
    let mut output = Object::new();
    output.insert("text", text);
    if !others.is_empty() {
        output.insert("content", Value::array(others));
    }
    Ok(Ok(output.into()))
}

fn error_of(error: &Value) -> ToolError {
    let said = error
        .text("message")
        .unwrap_or("the server names no reason");
    let code = match error.get("code").and_then(Value::as_i64) {
        Some(-32602) => ErrorCode::InvalidArgs,
        _ => ErrorCode::ToolError,
    };
    ToolError::new(code, trim_message(said)).reason("mcp_server")
}

fn trim_message(text: &str) -> String {
    super::clean_outside_text(text, MESSAGE_CHARS)
}

fn protocol_error(what: &str) -> ToolError {
    tool_error!(ToolError, "mcp_protocol"; "the MCP server {what}")
}
