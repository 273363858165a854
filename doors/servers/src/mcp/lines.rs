//! The transport over stdin and stdout: one JSON-RPC message a line.
//!
//! Lines are read as at every other door: strictly, within a size, numbers exactly. The arguments of a call are set aside as a value and
//! never become a tree of nodes. A line that is no message is answered, which the transport of `rmcp` does not do.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions as _,
    GetMeta as _, JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde::Deserialize as _;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, Notify};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;
use tool_core::json::{JsonLimits, parse_bytes};
use tool_core::{Object, ToolError, Value, json as text_of};

use super::json;

/// The arguments of a call as they were sent, or what is wrong with them.
#[derive(Clone)]
pub(super) struct SentArguments(pub(super) Result<Value, ToolError>);

/// Tells the rest of the server that no more input comes, or that no output is read.
#[derive(Clone, Default)]
pub(super) struct StreamEnds {
    /// Set by a signal: read no more.
    pub(super) closing: CancellationToken,
    /// Set at the end of the input.
    pub(super) input: CancellationToken,
    /// Set when the output cannot be written.
    pub(super) output: CancellationToken,
    /// Counts the bytes that were written.
    pub(super) written: Arc<AtomicU64>,
}

pub(super) struct LineTransport<R, W> {
    input: BufReader<R>,
    output: Arc<Output<W>>,
    line: Vec<u8>,
    /// Whether the rest of the line is dropped, since it is too long.
    is_dropping: bool,
    /// Whether the request that begins the connection has been read.
    has_begun: bool,
    /// A long message that is read on another thread.
    parsing: Option<JoinHandle<Result<ClientJsonRpcMessage, Unread>>>,
    bytes_max: usize,
    ends: StreamEnds,
}

/// What is wrong with a line that is no message, and the id that the answer carries.
type Unread = Box<(ErrorData, Option<RequestId>)>;

/// Bytes of answers that may wait for a client; until it has read of them, no more is read from it.
const WAITING_BYTES_MAX: usize = 8 << 20;
/// Longest line that is read on the thread that reads requests.
const SHORT: usize = 64 << 10;
/// Beginning of a line over the limit that is searched for the id.
const HEAD_BYTES: usize = 4096;

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> LineTransport<R, W> {
    pub(super) fn new(input: R, output: W, bytes_max: usize, ends: StreamEnds) -> Self {
        Self {
            input: BufReader::with_capacity(64 << 10, input),
            output: Arc::new(Output {
                stream: Mutex::new(output),
                waiting: AtomicUsize::new(0),
                written: Notify::new(),
                ends: ends.clone(),
            }),
            line: Vec::new(),
            is_dropping: false,
            has_begun: false,
            parsing: None,
            bytes_max,
            ends,
        }
    }

    /// Reads to the end of a line; `None` at the end of the input. While the client does not read, nothing is read from it. Dropping the
    /// future loses nothing.
    async fn read(&mut self) -> Option<()> {
        loop {
            let (output, input) = (&self.output, &mut self.input);
            let available = async {
                output.is_read().await;
                input.fill_buf().await
            };
            let available = tokio::select! {
                biased;
                () = self.ends.closing.cancelled() => return None,
                () = self.ends.output.cancelled() => return None,
                available = available => available.ok()?,
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

    /// The line that was read, unless it is empty, or the error that answers it.
    fn line(&mut self) -> Result<Option<Vec<u8>>, Unread> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_dropping) {
            let bytes_max = self.bytes_max;
            write_stderr(&format!(
                "mcp: dropped a line of more than {bytes_max} bytes\n"
            ));
            let message = format!(
                "the message is longer than {bytes_max} bytes; pass large arrays as {{\"$file\": ..}}, or raise `limits.max_input_bytes`"
            );
            return Err(unread_message(
                ErrorData::invalid_request(message, None),
                id_in(&line),
            ));
        }
        Ok((!line.iter().all(u8::is_ascii_whitespace)).then_some(line))
    }

    /// The message, unless it is a notification or a response before the connection begins, which belongs to nothing.
    fn wanted(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        self.has_begun |= is_connection_start(&message);
        let is_wanted = self.has_begun || matches!(message, JsonRpcMessage::Request(_));
        is_wanted.then_some(message)
    }

    /// Writes an error that answers a line.
    fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        let message = ServerJsonRpcMessage::error(error, id);
        tokio::spawn(Arc::clone(&self.output).write(message));
    }
}

/// The output, and what waits to be written there.
struct Output<W> {
    stream: Mutex<W>,
    /// Bytes of messages that wait.
    waiting: AtomicUsize,
    /// Tells that fewer wait.
    written: Notify,
    ends: StreamEnds,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    /// Writes a message as a line, unless nothing is written any more.
    async fn write(self: Arc<Self>, message: ServerJsonRpcMessage) -> io::Result<()> {
        let mut line = serde_json::to_vec(&message)?;
        drop(message);
        line.push(b'\n');
        let _waiting = QueuedMessage::new(&self, line.len());
        let written = async {
            let mut stream = self.stream.lock().await;
            let mut rest = &line[..];
            while !rest.is_empty() {
                let count = stream.write(rest).await?;
                if count == 0 {
                    return Err(io::ErrorKind::WriteZero.into());
                }
                self.ends.written.fetch_add(count as u64, Ordering::Relaxed);
                rest = &rest[count..];
            }
            stream.flush().await
        };
        let written = tokio::select! {
            biased;
            () = self.ends.output.cancelled() => return Err(io::ErrorKind::BrokenPipe.into()),
            written = written => written,
        };
        if written.is_err() {
            self.ends.output.cancel();
        }
        written
    }

    /// Waits until the client has read most of what waits for it.
    async fn is_read(&self) {
        loop {
            let written = self.written.notified();
            if self.waiting.load(Ordering::Relaxed) <= WAITING_BYTES_MAX {
                return;
            }
            written.await;
        }
    }
}

/// A message that waits to be written; it is counted until this is dropped.
struct QueuedMessage<'a, W> {
    output: &'a Output<W>,
    bytes: usize,
}

impl<'a, W> QueuedMessage<'a, W> {
    fn new(output: &'a Output<W>, bytes: usize) -> Self {
        output.waiting.fetch_add(bytes, Ordering::Relaxed);
        Self { output, bytes }
    }
}

impl<W> Drop for QueuedMessage<'_, W> {
    fn drop(&mut self) {
        self.output.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
        self.output.written.notify_waiters();
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer>
    for LineTransport<R, W>
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        Arc::clone(&self.output).write(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let read = match &mut self.parsing {
                Some(parsing) => {
                    let read = parsing.await;
                    self.parsing = None;
                    read.unwrap_or_else(|err| Err(lost_thread_error(&err)))
                }
                None => {
                    if self.read().await.is_none() {
                        self.ends.input.cancel();
                        return None;
                    }
                    match self.line() {
                        Err(unread) => Err(unread),
                        Ok(None) => continue,
                        Ok(Some(line)) if line.len() <= SHORT => {
                            parse_message(&line, self.bytes_max)
                        }
                        Ok(Some(line)) => {
                            // Other messages are written meanwhile.
                            let bytes_max = self.bytes_max;
                            let parsing = move || parse_message(&line, bytes_max);
                            self.parsing = Some(tokio::task::spawn_blocking(parsing));
                            continue;
                        }
                    }
                }
            };
            match read {
                Ok(message) => {
                    if let Some(message) = self.wanted(message) {
                        return Some(message);
                    }
                }
                Err(unread) => {
                    let (error, id) = *unread;
                    self.refuse(error, id);
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let flushed = async { self.output.stream.lock().await.flush().await };
        tokio::select! {
            biased;
            () = self.ends.output.cancelled() => Ok(()),
            flushed = flushed => flushed,
        }
    }
}

/// Whether a message begins a connection, so that notifications and responses that follow belong to it: a handshake, or a request that states
/// its version and what its client can do. A ping and a question what there is begin none.
fn is_connection_start(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    let newest = &ProtocolVersion::V_2026_07_28;
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let version = meta.protocol_version();
            meta.missing_required_keys(newest).is_empty()
                && version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// Reads a message, and sets the arguments of a call aside.
fn parse_message(line: &[u8], bytes_max: usize) -> Result<ClientJsonRpcMessage, Unread> {
    let limits = JsonLimits {
        bytes_max,
        ..JsonLimits::default()
    };
    match parse_bytes(line, limits) {
        Ok(Value::Object(message)) => {
            let (message, arguments) = set_aside(&message);
            let json = serde_json::Value::Object(json::of_object(&message));
            let id = id_of(message.get("id"));
            let mut read = match (parse_tool_call(&json), &id) {
                (Some(call), Some(id)) => JsonRpcMessage::request(call, id.clone()),
                _ => serde_json::from_value(json)
                    .map_err(|err| unread_message(not_a_message(&err), id))?,
            };
            if let Some(arguments) = arguments {
                attach_arguments(&mut read, Ok(arguments));
            }
            Ok(read)
        }
        Ok(_) => Err(unread_message(
            ErrorData::invalid_request(
                "expected one JSON-RPC message a line, found no object; batches are not supported",
                None,
            ),
            None,
        )),
        Err(fault) => parse_lenient_message(line, fault.into()),
    }
}

/// The call in a sound message. Without this, the request would be tried as each of all methods.
fn parse_tool_call(message: &serde_json::Value) -> Option<ClientRequest> {
    if message["method"] != "tools/call" || message["jsonrpc"] != "2.0" {
        return None;
    }
    let call = CallToolRequest::deserialize(message).ok()?;
    Some(ClientRequest::CallToolRequest(call))
}

/// A message that came another way, read as a line.
#[derive(Default)]
pub(super) struct PostedMessage {
    /// The arguments of its call.
    pub(super) sent: Option<SentArguments>,
    /// The message without them.
    pub(super) rest: Option<Vec<u8>>,
    /// Whether it begins a session.
    pub(super) initializes: bool,
}

impl PostedMessage {
    pub(super) fn read(message: &[u8], bytes_max: usize) -> Self {
        let limits = JsonLimits {
            bytes_max,
            ..JsonLimits::default()
        };
        match parse_bytes(message, limits) {
            Ok(Value::Object(message)) => {
                let (rest, arguments) = set_aside(&message);
                let rest = arguments.is_some().then(|| text_of::to_text(&rest.into()));
                Self {
                    sent: arguments.map(|arguments| SentArguments(Ok(arguments))),
                    rest: rest.map(String::into_bytes),
                    initializes: message.get("method").and_then(Value::as_str)
                        == Some("initialize"),
                }
            }
            Ok(_) => Self::default(),
            Err(fault) => Self {
                sent: Some(SentArguments(Err(fault.into()))),
                ..Self::default()
            },
        }
    }
}

/// Reads a message that is not strict JSON. In a call this is an error of the arguments, which a model can repair.
fn parse_lenient_message(line: &[u8], fault: ToolError) -> Result<ClientJsonRpcMessage, Unread> {
    let id = || id_in(&line[..line.len().min(HEAD_BYTES)]);
    let read: Result<ClientJsonRpcMessage, serde_json::Error> = serde_json::from_slice(line);
    match read {
        Ok(mut message) => {
            attach_arguments(&mut message, Err(fault));
            Ok(message)
        }
        Err(err) if err.is_data() => Err(unread_message(not_a_message(&err), id())),
        Err(_) => Err(unread_message(
            ErrorData::parse_error(fault.message().to_owned(), None),
            id(),
        )),
    }
}

fn lost_thread_error(err: &JoinError) -> Unread {
    let error = ErrorData::internal_error(format!("the thread of the message ended: {err}"), None);
    unread_message(error, None)
}

fn unread_message(error: ErrorData, id: Option<RequestId>) -> Unread {
    Box::new((error, id))
}

fn not_a_message(err: &serde_json::Error) -> ErrorData {
    ErrorData::invalid_request(format!("not a JSON-RPC message of a client: {err}"), None)
}

fn attach_arguments(message: &mut ClientJsonRpcMessage, sent: Result<Value, ToolError>) {
    if let JsonRpcMessage::Request(request) = message
        && let ClientRequest::CallToolRequest(call) = &mut request.request
    {
        call.params.arguments = None;
        call.extensions_mut().insert(SentArguments(sent));
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

fn write_stderr(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
