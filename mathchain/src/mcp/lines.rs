//! The transport over stdin and stdout: one JSON-RPC message a line.
//!
//! Lines are read as at every other door: strictly, within a size, numbers exactly. The arguments of a call are set aside as a value and
//! never become a tree of nodes. A line that is no message is answered, which the transport of `rmcp` does not do.

use std::io::{self, Write as _};
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions as _,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize as _;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tool_core::json::{Limits, parse_bytes};
use tool_core::{Object, ToolError, Value};

use super::json;

/// The arguments of a call as they were sent, or what is wrong with them.
#[derive(Clone)]
pub(super) struct Sent(pub(super) Result<Value, ToolError>);

/// Tells the rest of the server that no more input comes, or that no output is read.
#[derive(Clone, Default)]
pub(super) struct Ends {
    /// Set by a signal: read no more.
    pub(super) closing: CancellationToken,
    /// Set at the end of the input.
    pub(super) input: CancellationToken,
    /// Set when the output cannot be written.
    pub(super) output: CancellationToken,
}

pub(super) struct Lines<R, W> {
    input: BufReader<R>,
    output: Arc<Mutex<W>>,
    line: Vec<u8>,
    /// Whether the rest of the line is dropped, since it is too long.
    is_dropping: bool,
    /// Whether a request has been read.
    has_begun: bool,
    bytes_max: usize,
    ends: Ends,
}

/// What is wrong with a line that is no message, and the id that the answer carries.
type Unread = Box<(ErrorData, Option<RequestId>)>;

/// Beginning of a line over the limit that is searched for the id.
const HEAD_BYTES: usize = 4096;

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    pub(super) fn new(input: R, output: W, bytes_max: usize, ends: Ends) -> Self {
        Self {
            input: BufReader::with_capacity(64 << 10, input),
            output: Arc::new(Mutex::new(output)),
            line: Vec::new(),
            is_dropping: false,
            has_begun: false,
            bytes_max,
            ends,
        }
    }

    /// Reads to the end of a line; `None` at the end of the input. Dropping the future loses nothing.
    async fn read(&mut self) -> Option<()> {
        loop {
            let available = tokio::select! {
                biased;
                () = self.ends.closing.cancelled() => return None,
                () = self.ends.output.cancelled() => return None,
                available = self.input.fill_buf() => available.ok()?,
            };
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if self.line.len() + taken > self.bytes_max {
                self.is_dropping = true;
                let room = HEAD_BYTES.saturating_sub(self.line.len()).min(taken);
                self.line.extend_from_slice(&available[..room]);
                self.line.truncate(HEAD_BYTES);
            } else if !self.is_dropping {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                return Some(());
            }
        }
    }

    /// The message of the line that was read, or the error that answers it.
    fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Unread> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_dropping) {
            let bytes_max = self.bytes_max;
            complain(&format!(
                "mcp: dropped a line of more than {bytes_max} bytes\n"
            ));
            let message = format!(
                "the message is longer than {bytes_max} bytes; pass large arrays as {{\"$file\": ..}}, or raise `limits.max_input_bytes`"
            );
            return Err(unread(
                ErrorData::invalid_request(message, None),
                id_in(&line),
            ));
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let message = parse(&line, self.bytes_max)?;
        let is_request = matches!(message, JsonRpcMessage::Request(_));
        self.has_begun |= is_request;
        // A notification before the first request belongs to nothing.
        Ok(self.has_begun.then_some(message))
    }

    /// Writes an error that answers a line.
    fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        let message = ServerJsonRpcMessage::error(error, id);
        tokio::spawn(write(Arc::clone(&self.output), self.ends.clone(), message));
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<W>>,
    ends: Ends,
    message: ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let written = async {
        output.write_all(&line).await?;
        output.flush().await
    };
    let written = written.await;
    if written.is_err() {
        ends.output.cancel();
    }
    written
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer>
    for Lines<R, W>
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        write(Arc::clone(&self.output), self.ends.clone(), message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.read().await.is_none() {
                self.ends.input.cancel();
                return None;
            }
            match self.message() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(unread) => {
                    let (error, id) = *unread;
                    self.refuse(error, id);
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

/// Reads a message, and sets the arguments of a call aside.
fn parse(line: &[u8], bytes_max: usize) -> Result<ClientJsonRpcMessage, Unread> {
    let limits = Limits {
        bytes_max,
        ..Limits::default()
    };
    match parse_bytes(line, limits) {
        Ok(Value::Object(message)) => {
            let (message, arguments) = set_aside(&message);
            let json = serde_json::Value::Object(json::of_object(&message));
            let id = id_of(message.get("id"));
            let mut read = match (call(&json), &id) {
                (Some(call), Some(id)) => JsonRpcMessage::request(call, id.clone()),
                _ => serde_json::from_value(json).map_err(|err| unread(not_a_message(&err), id))?,
            };
            if let Some(arguments) = arguments {
                attach(&mut read, Ok(arguments));
            }
            Ok(read)
        }
        Ok(_) => Err(unread(
            ErrorData::invalid_request(
                "expected one JSON-RPC message a line, found no object; batches are not supported",
                None,
            ),
            None,
        )),
        Err(fault) => tolerant(line, fault.into()),
    }
}

/// The call in a sound message. Without this, the request would be tried as each of all methods.
fn call(message: &serde_json::Value) -> Option<ClientRequest> {
    if message["method"] != "tools/call" || message["jsonrpc"] != "2.0" {
        return None;
    }
    let call = CallToolRequest::deserialize(message).ok()?;
    Some(ClientRequest::CallToolRequest(call))
}

/// The arguments of the call in a message that came another way, read as in a line.
pub(super) fn sent(message: &[u8], bytes_max: usize) -> Option<Sent> {
    let limits = Limits {
        bytes_max,
        ..Limits::default()
    };
    match parse_bytes(message, limits) {
        Ok(Value::Object(message)) => set_aside(&message).1.map(|arguments| Sent(Ok(arguments))),
        Ok(_) => None,
        Err(fault) => Some(Sent(Err(fault.into()))),
    }
}

/// Reads a message that is not strict JSON. In a call this is an error of the arguments, which a model can repair.
fn tolerant(line: &[u8], fault: ToolError) -> Result<ClientJsonRpcMessage, Unread> {
    let id = || id_in(&line[..line.len().min(HEAD_BYTES)]);
    let read: Result<ClientJsonRpcMessage, serde_json::Error> = serde_json::from_slice(line);
    match read {
        Ok(mut message) => {
            attach(&mut message, Err(fault));
            Ok(message)
        }
        Err(err) if err.is_data() => Err(unread(not_a_message(&err), id())),
        Err(_) => Err(unread(
            ErrorData::parse_error(fault.message().to_owned(), None),
            id(),
        )),
    }
}

fn unread(error: ErrorData, id: Option<RequestId>) -> Unread {
    Box::new((error, id))
}

fn not_a_message(err: &serde_json::Error) -> ErrorData {
    ErrorData::invalid_request(format!("not a JSON-RPC message of a client: {err}"), None)
}

fn attach(message: &mut ClientJsonRpcMessage, sent: Result<Value, ToolError>) {
    if let JsonRpcMessage::Request(request) = message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
    {
        call.params.arguments = None;
        call.extensions_mut().insert(Sent(sent));
    }
}

/// A message without the arguments of its call, and the arguments.
fn set_aside(message: &Object) -> (Object, Option<Value>) {
    let mut rest = message.clone();
    let is_call = message.get("method").and_then(Value::as_str) == Some("tools/call");
    let params = message
        .get("params")
        .and_then(Value::as_object)
        .filter(|_| is_call);
    let arguments = params.and_then(|params| params.get("arguments"));
    let arguments = arguments
        .filter(|arguments| arguments.as_object().is_some())
        .cloned();
    if let (Some(params), Some(_)) = (params, &arguments) {
        let mut params = params.clone();
        params.remove("arguments");
        rest.insert("params", params);
    }
    (rest, arguments)
}

fn id_of(id: Option<&Value>) -> Option<RequestId> {
    match id? {
        Value::String(text) => Some(RequestId::String(Arc::clone(text))),
        other => other.as_i64().map(RequestId::Number),
    }
}

/// The id in the beginning of a line that could not be read, so that its sender does not wait for an answer.
fn id_in(head: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(head);
    let after = text
        .split_once("\"id\"")?
        .1
        .trim_start()
        .strip_prefix(':')?
        .trim_start();
    if let Some(text) = after.strip_prefix('"') {
        return text
            .split_once('"')
            .map(|(id, _)| RequestId::String(id.into()));
    }
    let digits: String = after
        .chars()
        .take_while(|one| one.is_ascii_digit() || *one == '-')
        .collect();
    digits.parse().ok().map(RequestId::Number)
}

fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
