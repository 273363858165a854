//! Bodies of requests: read whole, within a size and a time.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use hyper::body::{Body as _, Frame, SizeHint};
use tool_core::{Result, ToolError, tool_error};

/// Time for a client to send a body.
const TIME: Duration = Duration::from_secs(30);

/// Reads a body.
///
/// # Errors
/// `limit_exceeded` with reason `body_size` or `body_time`; `invalid_request` for a client that breaks off.
pub(super) async fn read_body(headers: &HeaderMap, body: Body, bytes_max: usize) -> Result<Bytes> {
    let stated = headers
        .get(CONTENT_LENGTH)
        .and_then(|stated| stated.to_str().ok()?.parse::<u64>().ok());
    if stated.is_some_and(|stated| stated > bytes_max as u64) {
        return Err(too_large(bytes_max));
    }
    let slow =
        |_| tool_error!(LimitExceeded, "body_time"; "the body took more than {} s", TIME.as_secs());
    tokio::time::timeout(TIME, collect_body(body, bytes_max))
        .await
        .map_err(slow)?
}

async fn collect_body(mut body: Body, bytes_max: usize) -> Result<Bytes> {
    let mut text = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame
            .map_err(|err| tool_error!(InvalidRequest, "body"; "the body cannot be read: {err}"))?;
        if let Ok(data) = frame.into_data() {
            if text.len() + data.len() > bytes_max {
                return Err(too_large(bytes_max));
            }
            if text.is_empty() && body.is_end_stream() {
                return Ok(data);
            }
            text.extend_from_slice(&data);
        }
    }
    Ok(text.into())
}

fn too_large(bytes_max: usize) -> ToolError {
    tool_error!(LimitExceeded, "body_size"; "the body is longer than {bytes_max} bytes";
        "pass large arrays as {{\"$file\": ..}}")
}

/// A body that notes its end.
struct WatchedBody {
    body: Body,
    is_read: Arc<AtomicBool>,
}

impl hyper::body::Body for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None)) || self.body.is_end_stream() {
            self.is_read.store(true, Ordering::Relaxed);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Tells whether a body was read.
pub(super) struct BodyRest(Arc<AtomicBool>);

impl BodyRest {
    /// Whether the body was read to its end.
    pub(super) fn is_read(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The request, and what tells whether its body was read, where it has one.
pub(super) fn watch_body(request: Request) -> (Request, Option<BodyRest>) {
    if request.body().is_end_stream() {
        return (request, None);
    }
    let is_read = Arc::new(AtomicBool::new(false));
    let rest = BodyRest(Arc::clone(&is_read));
    let request = request.map(|body| Body::new(WatchedBody { body, is_read }));
    (request, Some(rest))
}

/// Requires that a body is stated to be JSON, which a form of a web page cannot do.
///
/// # Errors
/// `invalid_request` with reason `content_type`.
pub(super) fn is_json(headers: &HeaderMap) -> Result<()> {
    let stated = headers
        .get(CONTENT_TYPE)
        .and_then(|stated| stated.to_str().ok());
    let kind = stated.and_then(|stated| stated.split(';').next());
    match kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        true => Ok(()),
        false => Err(
            tool_error!(InvalidRequest, "content_type"; "expected `Content-Type: application/json`, found `{}`",
            stated.unwrap_or("none"); "send one JSON object"),
        ),
    }
}

/// A body that keeps something until it was sent, or its client is gone.
struct HoldingBody<T> {
    body: Body,
    _kept: T,
}

impl<T: Unpin> hyper::body::Body for HoldingBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body, which keeps something until it was sent.
pub(super) fn attach_to_body<T: Send + Unpin + 'static>(body: Body, kept: Option<T>) -> Body {
    match kept {
        Some(kept) => Body::new(HoldingBody { body, _kept: kept }),
        None => body,
    }
}
