//! [`HttpServer`]: what every connection shares.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tool_core::{Result, StopFlag, ToolError, tool_error};

use super::addresses::AddressCounts;
use super::begun::SubmittedChains;
use super::callers::HttpCallers;
use super::console::{ConsoleAccess, ConsoleSessions, LiveChanges};
use super::metrics::HttpMetrics;
use super::newest_event::NewestEvent;
use super::once::IdempotencyKeys;
use super::submitted_pipelines::SubmittedPipelines;
use crate::mcp;
use crate::queue::CallQueue;
use mathchain::Toolkit;
use mathchain::cluster::EngineRequest;

/// Settings of the server, fixed when it starts.
pub struct HttpServerSettings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Names of the server beside those of this machine.
    pub hosts: Vec<String>,
    /// Origins of pages that may call it.
    pub origins: Vec<String>,
    /// Whether a proxy in front ends TLS.
    pub behind_proxy: bool,
    /// Files of the certificate and its key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Roles that a call with the token may name.
    pub roles: Vec<String>,
    /// Requests of one key per second.
    pub rate_per_second: u64,
    /// Requests of one key at a time.
    pub requests_at_once: u64,
    /// Calls that run at a time.
    pub workers: usize,
    /// The caller with the token, and what MCP clients are offered.
    pub mcp: mcp::McpSettings,
    /// Whether it has pages for people.
    pub console: Option<ConsoleAccess>,
    /// The engine of the plans that it runs; the threads of this process where absent.
    pub engine: Option<EngineRequest>,
}

pub(super) struct HttpServer {
    pub(super) toolkit: Arc<Toolkit>,
    pub(super) settings: HttpServerSettings,
    /// The address that it listens on.
    pub(super) address: SocketAddr,
    pub(super) queue: Arc<CallQueue>,
    pub(super) callers: HttpCallers,
    pub(super) chains: SubmittedChains,
    pub(super) pipelines: SubmittedPipelines,
    pub(super) metrics: Arc<HttpMetrics>,
    /// Requests on their way without a key.
    pub(super) addresses: Arc<AddressCounts>,
    /// What streams found in the log of workflows.
    pub(super) newest_event: NewestEvent,
    /// Sessions of MCP clients.
    pub(super) sessions: Arc<mcp::McpSessions>,
    /// Requests that may act once and are on their way.
    pub(super) once: IdempotencyKeys,
    /// People who look at pages.
    pub(super) console: ConsoleSessions,
    /// Tells open pages that something was recorded.
    pub(super) live: LiveChanges,
    /// Stops every call.
    pub(super) calls: StopFlag,
    /// Set when no further request is accepted.
    pub(super) closing: CancellationToken,
    /// Ends streams and sessions of MCP clients.
    pub(super) ended: CancellationToken,
}

impl HttpServer {
    pub(super) fn new(
        toolkit: Arc<Toolkit>,
        settings: HttpServerSettings,
        address: SocketAddr,
        calls: StopFlag,
        callers: HttpCallers,
    ) -> Self {
        Self {
            queue: Arc::new(CallQueue::new(settings.workers)),
            toolkit,
            settings,
            address,
            callers,
            chains: SubmittedChains::default(),
            pipelines: SubmittedPipelines::default(),
            metrics: Arc::default(),
            addresses: Arc::default(),
            newest_event: NewestEvent::default(),
            sessions: Arc::default(),
            once: IdempotencyKeys::default(),
            console: ConsoleSessions::default(),
            live: LiveChanges::default(),
            calls,
            closing: CancellationToken::new(),
            ended: CancellationToken::new(),
        }
    }

    /// Whether the user at the terminal opens pages.
    pub(super) fn has_terminal_access(&self) -> bool {
        let console = self.settings.console.as_ref();
        console.is_some_and(|console| console.terminal().is_some())
    }

    /// Where a reader on this machine opens the console; behind a proxy its address is not known here.
    pub(super) fn console_address(&self) -> Option<String> {
        let is_direct = self.settings.console.is_some() && !self.settings.behind_proxy;
        let scheme = match self.settings.tls {
            Some(_) => "https",
            None => "http",
        };
        is_direct.then(|| format!("{scheme}://{}", self.address))
    }

    /// Runs work that reads the state or computes on a thread, so that no other request waits for it.
    ///
    /// # Errors
    /// Those of the work, and `internal` for a thread that was lost.
    pub(super) async fn aside<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let server = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&server)).await;
        done.map_err(lost_thread_error)?
    }
}

/// The error for a thread that ended without a result.
pub(super) fn lost_thread_error(err: tokio::task::JoinError) -> ToolError {
    tool_error!(Internal, "the thread of the request ended: {err}")
}

/// Longest body of a request, where the configuration allows as much.
const BODY_BYTES_MAX: usize = 10 << 20;

impl HttpServer {
    /// Longest body of a request in bytes.
    pub(super) fn body_bytes_max(&self) -> usize {
        self.settings.mcp.line_bytes_max.min(BODY_BYTES_MAX)
    }
}
