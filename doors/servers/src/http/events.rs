//! `GET /v1/chains/{id}/events`: the steps of a plan as they begin and end, and `GET /v1/events`: the events of workflows, as server-sent
//! events.

use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use hyper::body::Frame;
use tokio::sync::mpsc;
use tool_core::{Value, json};

use super::begun::SubmittedChain;
use super::callers::HttpCaller;
use super::chains;
use super::reply::{self, Replied};
use super::server::HttpServer;

/// Longest silence of a stream.
pub(super) const SILENCE: Duration = Duration::from_secs(15);
/// How often the log of workflows is read again.
const LOOK: Duration = Duration::from_millis(250);
/// Parts that wait for a slow client.
pub(super) const EVENTS_WAITING: usize = 4;

/// A body whose parts come from a task.
struct StreamedBody(mpsc::Receiver<Bytes>);

impl hyper::body::Body for StreamedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let part = self.0.poll_recv(context);
        part.map(|part| part.map(|part| Ok(Frame::data(part))))
    }
}

/// The answer that sends these parts as they come.
pub(super) fn stream_response(parts: mpsc::Receiver<Bytes>) -> Response {
    let body = Body::new(StreamedBody(parts));
    reply::text_response(StatusCode::OK, "text/event-stream", body)
}

/// Streams the events of a plan that runs or ran here, from the first or the one after `Last-Event-ID`; of any other plan, its end.
pub(super) async fn stream_chain_events(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Replied {
    let chain = server.chains.find(&id, |role| caller.sees(&server, role));
    // What cannot be seen is said before the stream begins.
    let (by, named) = (Arc::clone(&caller), id.clone());
    server
        .aside(move |server| chains::state_of(server, &by, &named))
        .await?;
    let seen = headers
        .get("last-event-id")
        .and_then(|seen| seen.to_str().ok()?.parse::<usize>().ok());
    let (sender, parts) = mpsc::channel(EVENTS_WAITING);
    match chain {
        Some(chain) => {
            let next = seen.map_or(0, |seen| seen + 1);
            tokio::spawn(follow_chain(server, caller, chain, next, sender));
        }
        None => drop(tokio::spawn(await_end(server, caller, id, sender))),
    }
    Ok(stream_response(parts))
}

/// Streams the events of workflows of this workspace, from the first or the one after `Last-Event-ID`, until the client is gone.
pub(super) async fn stream_workflow_events(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    headers: HeaderMap,
) -> Replied {
    let seen = headers
        .get("last-event-id")
        .and_then(|seen| seen.to_str().ok()?.parse::<u64>().ok())
        .unwrap_or(0);
    // What cannot be read is said before the stream begins.
    let first = read_after(&server, &caller, seen).await?;
    let (sender, parts) = mpsc::channel(EVENTS_WAITING);
    tokio::spawn(async move {
        let (mut number, mut bodies) = (seen, first);
        let mut silent = Instant::now();
        loop {
            let mut text = String::new();
            // A key that was revoked since the last look is sent nothing.
            if server.callers.check(&caller).is_err() {
                return;
            }
            for body in &bodies {
                number += 1;
                let _ = write!(text, "id: {number}\ndata: {body}\n\n");
            }
            if text.is_empty() && silent.elapsed() >= SILENCE {
                text.push_str(": still here\n\n");
            }
            if !text.is_empty() {
                silent = Instant::now();
                if sender.send(text.into()).await.is_err() {
                    return;
                }
            }
            tokio::select! {
                () = caller.gone.cancelled() => return,
                () = sender.closed() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            match events_after(&server, &caller, number).await {
                Ok(newer) => bodies = newer,
                // The client connects again, and is told why.
                Err(_) => return,
            }
        }
    });
    Ok(stream_response(parts))
}

/// The events after a number. Where another stream has just found that there is none, the log is not read.
async fn events_after(
    server: &Arc<HttpServer>,
    caller: &HttpCaller,
    number: u64,
) -> tool_core::Result<Vec<String>> {
    match server.newest_event.has_none_after(number) {
        true => Ok(Vec::new()),
        false => read_after(server, caller, number).await,
    }
}

async fn read_after(
    server: &Arc<HttpServer>,
    caller: &HttpCaller,
    number: u64,
) -> tool_core::Result<Vec<String>> {
    let context = caller.context.clone();
    let found = server
        .aside(move |server| server.toolkit.events_for(&context, number))
        .await?;
    server.newest_event.note(number + found.len() as u64);
    Ok(found)
}

/// Sends events until the plan has ended, its client or its key is gone, or the server ends.
async fn follow_chain(
    server: Arc<HttpServer>,
    caller: Arc<HttpCaller>,
    chain: Arc<SubmittedChain>,
    mut next: usize,
    sender: mpsc::Sender<Bytes>,
) {
    let mut changes = chain.changes.subscribe();
    loop {
        // Read first: what is told before the end is sent before it.
        let has_ended = chain.has_ended();
        let mut text = String::new();
        for event in chain.told_since(next) {
            let _ = write!(text, "id: {next}\ndata: {event}\n\n");
            next += 1;
        }
        if has_ended {
            match end_of(&server, &caller, &chain.id).await {
                Some(end) => text.push_str(&end),
                None => return,
            }
        }
        if server.callers.check(&caller).is_err() {
            return;
        }
        if !text.is_empty() && sender.send(text.into()).await.is_err() {
            return;
        }
        if has_ended {
            return;
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = caller.gone.cancelled() => return,
            () = sender.closed() => return,
            () = tokio::time::sleep(SILENCE) => {
                if sender.send(Bytes::from_static(b": still running\n\n")).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Sends the end of a plan that does not run here, as soon as it is recorded.
async fn await_end(
    server: Arc<HttpServer>,
    caller: Arc<HttpCaller>,
    id: String,
    sender: mpsc::Sender<Bytes>,
) {
    let mut silent = std::time::Instant::now();
    loop {
        let (by, named) = (Arc::clone(&caller), id.clone());
        let found = server
            .aside(move |server| chains::state_of(server, &by, &named))
            .await;
        let Ok(found) = found else { return };
        if server.callers.check(&caller).is_err() {
            return;
        }
        if found.text("state") != Some("running") {
            let _ = sender.send(ended_event(&found).into()).await;
            return;
        }
        if silent.elapsed() >= SILENCE {
            silent = std::time::Instant::now();
            let words = Bytes::from_static(b": still running\n\n");
            if sender.send(words).await.is_err() {
                return;
            }
        }
        tokio::select! {
            () = caller.gone.cancelled() => return,
            () = sender.closed() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// The last event of a plan.
async fn end_of(server: &Arc<HttpServer>, caller: &Arc<HttpCaller>, id: &str) -> Option<String> {
    let (by, id) = (Arc::clone(caller), id.to_owned());
    let found = server
        .aside(move |server| chains::state_of(server, &by, &id))
        .await;
    found.ok().map(|found| ended_event(&found))
}

pub(super) fn ended_event(found: &Value) -> String {
    format!("event: ended\ndata: {}\n\n", json::to_text(found))
}
