//! Connections: accepting clients within limits, and answering what is on its way at the end.

use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tool_core::{Result, tool_error};

use super::routes;
use super::server::Server;

/// Connections at a time; more wait to be accepted.
const CONNECTIONS_MAX: usize = 512;
/// Bytes of the head of a request.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// Fields of the head of a request.
const FIELDS_MAX: usize = 100;
/// Time for a client to send a head, and for an idle connection.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Pause after a client could not be accepted, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(50);
/// Interval at which the end of the last call is looked for.
const POLL: Duration = Duration::from_millis(20);
/// Time without calls after which streams are ended: their last answer has been written.
const QUIET: Duration = Duration::from_millis(200);

/// Time for stopped calls to end and to be recorded.
const STOPPING: Duration = Duration::from_secs(2);

/// Accepts clients until `closed` returns, then waits for their requests.
///
/// # Errors
/// `io` for a thread that cannot be started.
pub(super) async fn accept(
    server: Arc<Server>,
    socket: TcpListener,
    tls: Option<TlsAcceptor>,
    closed: impl FnOnce() + Send + 'static,
) -> Result<()> {
    let closing = server.closing.clone();
    let waiting = std::thread::Builder::new()
        .name("closing".to_owned())
        .spawn(move || {
            closed();
            closing.cancel();
        });
    waiting.map_err(|err| tool_error!(ToolError, "io"; "cannot start a thread: {err}"))?;
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let routes = routes::routes(&server);
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = server.closing.cancelled() => break,
            accepted = async {
                let place = Arc::clone(&room).acquire_owned().await;
                (socket.accept().await, place)
            } => accepted,
        };
        match accepted {
            (Ok((stream, _)), place) => {
                let (server, routes, tls) = (Arc::clone(&server), routes.clone(), tls.clone());
                connections.spawn(async move {
                    let _place = place;
                    begun(&server, stream, tls, routes).await;
                });
            }
            (Err(_), _) => tokio::time::sleep(PAUSE).await,
        }
    }
    drop(socket);
    tokio::select! {
        () = async { while connections.join_next().await.is_some() {} } => {}
        () = end(&server) => while connections.join_next().await.is_some() {},
    }
    rest(&server).await;
    Ok(())
}

/// Waits for plans, and for calls whose clients will ask for the answer again, until they have ended, or have had time to stop.
async fn rest(server: &Server) {
    let mut left = STOPPING;
    while server.queue.running() + server.queue.waiting() > 0 && !left.is_zero() {
        tokio::time::sleep(POLL).await;
        if server.calls.is_set() {
            left = left.saturating_sub(POLL);
        }
    }
}

/// Answers one client, after a handshake where the server speaks TLS.
async fn begun(server: &Server, stream: TcpStream, tls: Option<TlsAcceptor>, routes: axum::Router) {
    // Answers are small, and each is waited for.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        return connection(server, stream, routes).await;
    };
    // A client that fails to shake hands is no fault of the server.
    let shaken = tokio::select! {
        shaken = tokio::time::timeout(HEAD_TIME, tls.accept(stream)) => shaken,
        () = server.closing.cancelled() => return,
    };
    if let Ok(Ok(stream)) = shaken {
        connection(server, stream, routes).await;
    }
}

/// Answers the requests of one client.
async fn connection(
    server: &Server,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    routes: axum::Router,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(FIELDS_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    tokio::pin!(connection);
    // A client that breaks off is no fault of the server.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = server.closing.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Ends streams that stay open, as soon as no call is on its way or calls are stopped.
async fn end(server: &Server) {
    let mut quiet = Duration::ZERO;
    while quiet < QUIET && !server.calls.is_set() {
        tokio::time::sleep(POLL).await;
        let is_quiet = server.queue.running() + server.queue.waiting() == 0;
        quiet = if is_quiet {
            quiet + POLL
        } else {
            Duration::ZERO
        };
    }
    if server.calls.is_set() {
        // Stopped calls are answered too.
        tokio::time::sleep(QUIET).await;
    }
    server.ended.cancel();
}
