//! [`McpEndpoint`]: the protocol over HTTP, for one caller. Hosts, origins, keys and limits are checked before it.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;

use hyper::body::{Body, Bytes};
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tool_core::{Result, StopFlag, tool_error};

use super::changes;
use super::door::{McpServerState, McpSettings};
use super::handler::McpHandler;
use super::lines::PostedMessage;
use super::sessions::McpSessions;
use crate::queue::CallQueue;
use mathchain::Toolkit;

/// Bodies up to this size are read on the thread that reads requests.
const SHORT: usize = 64 << 10;
/// What a client of the protocol accepts.
const ACCEPTED: &str = "application/json, text/event-stream";
const SESSION: &str = "mcp-session-id";

/// What answers the requests of one caller; a session belongs to the endpoint that began it.
#[derive(Clone)]
pub struct McpEndpoint {
    service: StreamableHttpService<McpHandler, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    all: Arc<McpSessions>,
    bytes_max: usize,
}

/// A message that was read.
pub struct EndpointMessage(PostedMessage);

impl McpEndpoint {
    /// Starts an endpoint, whose sessions are among those of `all`; `closing` ends its streams and sessions, and lets no further call
    /// begin. Needs a runtime.
    pub fn new(
        toolkit: Arc<Toolkit>,
        settings: McpSettings,
        calls: StopFlag,
        queue: Arc<CallQueue>,
        all: &Arc<McpSessions>,
        closing: CancellationToken,
    ) -> Self {
        let bytes_max = settings.line_bytes_max;
        let door = Arc::new(McpServerState::new(
            toolkit,
            settings,
            calls,
            queue,
            closing.clone(),
        ));
        tokio::spawn(changes::poll_changes(Arc::clone(&door)));
        let mut config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_cancellation_token(closing)
            .with_max_request_body_bytes(bytes_max);
        // The server checks both, for every path.
        config = config.disable_allowed_hosts().disable_allowed_origins();
        let sessions = all.add();
        let handler = move || Ok(McpHandler::new(Arc::clone(&door)));
        Self {
            service: StreamableHttpService::new(handler, Arc::clone(&sessions), config),
            sessions,
            all: Arc::clone(all),
            bytes_max,
        }
    }

    /// Reads a message, a long one on another thread; gives it without the arguments of its call, which the rest of the way does not need.
    ///
    /// # Errors
    /// `internal` for a thread that was lost.
    pub async fn read(&self, text: Bytes) -> Result<(Bytes, EndpointMessage)> {
        let bytes_max = self.bytes_max;
        let read = match text.len() {
            ..=SHORT => PostedMessage::read(&text, bytes_max),
            _ => {
                let text = text.clone();
                let reading =
                    tokio::task::spawn_blocking(move || PostedMessage::read(&text, bytes_max));
                let lost = |err| tool_error!(Internal, "the thread of the request ended: {err}");
                reading.await.map_err(lost)?
            }
        };
        let (rest, read) = (read.rest, PostedMessage { rest: None, ..read });
        Ok((rest.map_or(text, Bytes::from), EndpointMessage(read)))
    }

    /// Answers one request, whose body has been read.
    ///
    /// # Errors
    /// `limit_exceeded` with reason `overloaded` for one session too many, `invalid_request` with reason `no_method` for a stream without a
    /// session.
    pub async fn answer<B>(
        &self,
        mut request: Request<B>,
        EndpointMessage(posted): EndpointMessage,
    ) -> Result<Response<impl Body<Data = Bytes, Error = Infallible> + Send + use<B>>>
    where
        B: Body + Send + 'static,
        B::Error: Display,
        B::Data: Send,
    {
        let has_session = request.headers().contains_key(SESSION);
        if request.method() == Method::GET && !has_session {
            return Err(
                tool_error!(InvalidRequest, "no_method"; "a stream of `/mcp` belongs to a session, and the request names none"; "POST a message"),
            );
        }
        if posted.initializes && !has_session {
            self.all.admit(&self.sessions).await?;
        }
        accept_any_content(request.headers_mut());
        if let Some(sent) = posted.sent {
            request.extensions_mut().insert(sent);
        }
        Ok(self.service.handle(request).await)
    }
}

/// Takes a client that accepts anything at its word.
fn accept_any_content(headers: &mut HeaderMap) {
    let mut stated = headers.get_all(ACCEPT).iter().peekable();
    let is_any = |stated: &HeaderValue| {
        let kinds = stated.to_str().unwrap_or_default().split(',');
        let mut kinds = kinds.map(|kind| kind.split(';').next().unwrap_or_default().trim());
        kinds.any(|kind| kind == "*/*")
    };
    if stated.peek().is_none() || stated.any(is_any) {
        headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    }
}
