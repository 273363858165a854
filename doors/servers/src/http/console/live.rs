//! `/console/live`: tells open pages that something was recorded, as server-sent events without content. One task looks for all of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::{Extension, State};
use tokio::sync::{mpsc, watch};

use super::super::events::{EVENTS_WAITING, SILENCE, stream_response};
use super::super::server::HttpServer;
use super::guard::ConsoleVisit;
use super::layout::PageReply;

/// Path of the stream.
pub(super) const PATH: &str = "/console/live";
/// How often the records are looked at, while a page is open.
const LOOK: Duration = Duration::from_millis(400);

/// The number of the newest record that open pages were told of.
pub(in super::super) struct LiveChanges {
    newest: watch::Sender<u64>,
    is_looking: AtomicBool,
}

impl Default for LiveChanges {
    fn default() -> Self {
        Self {
            newest: watch::Sender::new(0),
            is_looking: AtomicBool::new(false),
        }
    }
}

/// Streams changes until the page is left, its session or its key ends, or the server does.
pub(super) async fn stream_changes(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
) -> PageReply {
    let (sender, parts) = mpsc::channel(EVENTS_WAITING);
    let changes = server.live.newest.subscribe();
    if !server.live.is_looking.swap(true, Ordering::AcqRel) {
        tokio::spawn(look_at_records(Arc::clone(&server)));
    }
    tokio::spawn(tell_changes(server, visit, changes, sender));
    Ok(stream_response(parts))
}

async fn tell_changes(
    server: Arc<HttpServer>,
    visit: ConsoleVisit,
    mut changes: watch::Receiver<u64>,
    sender: mpsc::Sender<Bytes>,
) {
    changes.mark_unchanged();
    // The browser asks again this long after a stream ended.
    let mut text = Bytes::from_static(b"retry: 3000\nevent: here\ndata:\n\n");
    let mut silent = Instant::now();
    loop {
        if sender.send(text).await.is_err() {
            return;
        }
        text = tokio::select! {
            changed = changes.changed() => {
                if changed.is_err() { return; }
                changes.mark_unchanged();
                Bytes::from_static(b"event: changed\ndata:\n\n")
            }
            () = visit.session.gone.cancelled() => return,
            () = sender.closed() => return,
            () = tokio::time::sleep(SILENCE) => Bytes::from_static(b": still here\n\n"),
        };
        // A key that was revoked since the last look is told nothing.
        if server.callers.check(&visit.session.caller).is_err() {
            return;
        }
        if silent.elapsed() >= SILENCE {
            silent = Instant::now();
            visit.session.note_use();
        }
    }
}

/// Looks for new records as long as a page listens.
async fn look_at_records(server: Arc<HttpServer>) {
    loop {
        let found = server
            .aside(|server| server.records()?.newest_record())
            .await;
        if let Ok(found) = found {
            server.live.newest.send_if_modified(|newest| {
                let is_new = *newest != found;
                *newest = found;
                is_new
            });
        }
        tokio::select! {
            () = server.ended.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        if server.live.newest.receiver_count() == 0 {
            server.live.is_looking.store(false, Ordering::Release);
            // A page that began to listen meanwhile has begun another look, or needs this one.
            let is_needed = server.live.newest.receiver_count() > 0;
            if !is_needed || server.live.is_looking.swap(true, Ordering::AcqRel) {
                return;
            }
        }
    }
}
