//! The MCP server: one adapter around `rmcp`, which no other folder names.
//!
//! Read [`serve_stdio`] first: a transport (`lines`) gives requests to a handler (`handler`), which calls the toolkit, on threads
//! unless a call ends at once (`call`), and turns outcomes into answers (`answer`). Nothing here decides anything: every call passes the dispatcher, with the caller
//! that the start of the server names.

mod answer;
mod approval;
mod apps;
mod call;
mod calling;
mod changes;
mod client;
mod completion;
mod door;
mod endpoint;
mod extras;
mod handler;
mod json;
mod lines;
mod media;
mod pages;
mod progress;
mod prompts;
mod requests;
mod resources;
mod resume;
mod running;
mod sessions;
mod tasks;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use tokio_util::sync::CancellationToken;
use tool_core::{Result, StopFlag, tool_error};

use crate::queue::CallQueue;
use door::McpServerState;
pub use door::McpSettings;
pub use endpoint::McpEndpoint;
use handler::McpHandler;
use lines::{LineTransport, StreamEnds};
use mathchain::Toolkit;
pub use sessions::McpSessions;

/// Stack of a thread that runs calls.
pub const CALL_STACK_BYTES: usize = 16 << 20;
/// Time after the end of the input for calls to complete, before they are stopped, and in which a client then has to read of the answers.
const DRAIN: Duration = Duration::from_millis(500);

/// Serves one client over stdin and stdout until its input ends, or `closed` returns.
///
/// # Errors
/// `io` when the runtime cannot start, and for a client that does not begin as the protocol demands.
pub fn serve_stdio(
    toolkit: Arc<Toolkit>,
    settings: McpSettings,
    workers: usize,
    stop: &StopFlag,
    closed: impl FnOnce() + Send + 'static,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // Beside the calls: lists, resources, and streams that are no pipes.
        .max_blocking_threads(workers + 8)
        .thread_stack_size(CALL_STACK_BYTES)
        .thread_name("call")
        .build();
    let runtime =
        runtime.map_err(|err| tool_error!(ToolError, "io"; "cannot start the server: {err}"))?;
    let stop = stop.child();
    let ended =
        on_call_stack(|| runtime.block_on(serve_pipes(toolkit, settings, workers, stop, closed)))?;
    // A call that does not stop must not hold the process.
    runtime.shutdown_background();
    ended
}

/// Runs a server on a thread whose stack is large enough for the calls that run there.
///
/// # Errors
/// `io` when the thread cannot start, `internal` when it panicked, and those of the server.
pub fn on_call_stack<T: Send>(server: impl FnOnce() -> T + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("server".to_owned())
            .stack_size(CALL_STACK_BYTES)
            .spawn_scoped(scope, || {
                // Calls that run on this thread must not wait for those on others.
                thread_pools::keep_to_this_thread();
                server()
            });
        let thread =
            thread.map_err(|err| tool_error!(ToolError, "io"; "cannot start a thread: {err}"))?;
        let ended = thread.join();
        ended.map_err(|_| tool_error!(Internal, "the server ended unexpectedly"))
    })
}

async fn serve_pipes(
    toolkit: Arc<Toolkit>,
    settings: McpSettings,
    workers: usize,
    calls: StopFlag,
    closed: impl FnOnce() + Send + 'static,
) -> Result<()> {
    let ends = StreamEnds::default();
    let (input, output) = stdio_pipes();
    let lines = LineTransport::new(input, output, settings.line_bytes_max, ends.clone());
    let queue = Arc::new(CallQueue::new(workers));
    let gone = CancellationToken::new();
    let door = Arc::new(McpServerState::new(toolkit, settings, calls, queue, gone));
    let closing = ends.closing.clone();
    let waiting = std::thread::Builder::new()
        .name("closing".to_owned())
        .spawn(move || {
            closed();
            closing.cancel();
        });
    waiting.map_err(|err| tool_error!(ToolError, "io"; "cannot start a thread: {err}"))?;
    tokio::spawn(stop_at_end(Arc::clone(&door), ends));
    tokio::spawn(changes::poll_changes(Arc::clone(&door)));
    match McpHandler::new(door).serve(lines).await {
        Ok(service) => {
            // A task that was lost has been answered as such.
            let _ = service.waiting().await;
            Ok(())
        }
        // The client only asked what there is.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(err) => {
            Err(tool_error!(InvalidRequest, "mcp"; "the client did not begin a connection: {err}"))
        }
    }
}

/// Stops calls that are not done soon after the end of the input, and at once when nothing is read any more.
async fn stop_at_end(door: Arc<McpServerState>, ends: StreamEnds) {
    tokio::select! {
        () = ends.output.cancelled() => {}
        () = async {
            ends.input.cancelled().await;
            tokio::time::sleep(DRAIN).await;
        } => {}
    }
    // A signal has its own time for calls to complete.
    if !ends.closing.is_cancelled() || ends.output.is_cancelled() {
        door.calls.cancel();
        // A client that reads no answers does not hold the process.
        let mut before = None;
        loop {
            let written = Some(ends.written.load(Ordering::Relaxed));
            if written == before {
                break;
            }
            before = written;
            tokio::time::sleep(DRAIN).await;
        }
        ends.output.cancel();
    }
}
