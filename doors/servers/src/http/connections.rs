//! Connections: accepting clients within limits, and answering what is on its way at the end.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tool_core::{Result, tool_error};

use super::patient::PatientStream;
use super::places::{ConnectionSlots, HttpConnection};
use super::server::HttpServer;
use super::{body, routes};

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
pub(super) async fn accept_clients(
    server: Arc<HttpServer>,
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
    let places = Arc::new(ConnectionSlots::default());
    let routes = routes::build_router(&server);
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = server.closing.cancelled() => break,
            accepted = async {
                let (stream, address) = socket.accept().await?;
                Ok::<_, std::io::Error>((stream, places.take(address.ip()).await))
            } => accepted,
        };
        match accepted {
            Ok((stream, taken)) => {
                if let Ok(peer) = stream.peer_addr() {
                    let _ = taken.place.port.set(peer.port());
                }
                let (server, routes, tls) = (Arc::clone(&server), routes.clone(), tls.clone());
                connections.spawn(async move {
                    tokio::select! {
                        biased;
                        () = taken.place.closing.cancelled() => {}
                        () = handle_client(&server, stream, tls, routes, &taken.place) => {}
                    }
                });
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    drop(socket);
    tokio::select! {
        () = async { while connections.join_next().await.is_some() {} } => {}
        () = end_streams(&server) => while connections.join_next().await.is_some() {},
    }
    await_remaining_work(&server).await;
    Ok(())
}

/// Waits for plans, and for calls whose clients will ask for the answer again, until they have ended, or have had time to stop.
async fn await_remaining_work(server: &HttpServer) {
    let mut left = STOPPING;
    while server.queue.running() + server.queue.waiting() > 0 && !left.is_zero() {
        tokio::time::sleep(POLL).await;
        if server.calls.is_set() {
            left = left.saturating_sub(POLL);
        }
    }
}

/// Answers one client, after a handshake where the server speaks TLS.
async fn handle_client(
    server: &HttpServer,
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    routes: axum::Router,
    place: &Arc<HttpConnection>,
) {
    // Answers are small, and each is waited for.
    let _ = stream.set_nodelay(true);
    let stream = PatientStream::new(stream, Arc::clone(place));
    let Some(tls) = tls else {
        return serve_client(server, stream, routes, place).await;
    };
    // A client that fails to shake hands is no fault of the server.
    let shaken = tokio::select! {
        shaken = tokio::time::timeout(HEAD_TIME, tls.accept(stream)) => shaken,
        () = server.closing.cancelled() => return,
    };
    if let Ok(Ok(stream)) = shaken {
        serve_client(server, stream, routes, place).await;
    }
}

/// Answers requests, each of which keeps the place of its connection until it is answered in full.
struct ConnectionService {
    routes: TowerToHyperService<axum::Router>,
    place: Arc<HttpConnection>,
}

impl Service<Request<Incoming>> for ConnectionService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future =
        Pin<Box<dyn Future<Output = std::result::Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let busy = self.place.busy();
        request.extensions_mut().insert(Arc::clone(&self.place));
        let answered = self.routes.call(request);
        Box::pin(async move {
            let response = answered.await?;
            Ok(response.map(|body| body::attach_to_body(body, Some(busy))))
        })
    }
}

/// Answers the requests of one client.
async fn serve_client(
    server: &HttpServer,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    routes: axum::Router,
    place: &Arc<HttpConnection>,
) {
    let answering = ConnectionService {
        routes: TowerToHyperService::new(routes),
        place: Arc::clone(place),
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(FIELDS_MAX)
        .serve_connection(TokioIo::new(stream), answering);
    tokio::pin!(connection);
    // A client that breaks off is no fault of the server.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = server.closing.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Ends streams that stay open, as soon as no call is on its way or calls are stopped.
async fn end_streams(server: &HttpServer) {
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
