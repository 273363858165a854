//! `POST /v1/call`: one call, in the form of a line of `serve --jsonl`.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use registry::{AnswerReader, ApprovalAnswer as Approvals, TraceParent, Unattended};
use tool_core::{CallOutcome, OutcomeStatus, StopFlag, Value};

use super::body;
use super::callers::Caller;
use super::once::{Answer, Once};
use super::reply::{self, Replied};
use super::server::{Server, lost};
use crate::line::{self, LineCall};
use crate::{Context, Toolkit};

/// Stops a call whose client is gone.
struct StopWhenDropped(StopFlag);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Reads the body of a request that has to be JSON.
pub(super) async fn json_of(
    server: &Server,
    request: Request,
) -> tool_core::Result<(HeaderMap, Bytes)> {
    let (parts, sent) = request.into_parts();
    body::is_json(&parts.headers)?;
    let text = body::read(&parts.headers, sent, server.body_bytes_max()).await?;
    Ok((parts.headers, text))
}

/// The span of the client in the head of a request, where it is sound.
pub(super) fn trace_of(headers: &HeaderMap) -> Option<TraceParent> {
    TraceParent::parse(headers.get("traceparent")?.to_str().ok()?)
}

/// The answer to requests for approval of calls at this door.
pub(super) fn unattended(toolkit: &Toolkit) -> Approvals {
    match toolkit.config().approvals.unattended {
        Unattended::Deny => Approvals::Unattended,
        Unattended::Pending => Approvals::Ask,
    }
}

/// Answers one call.
pub(super) async fn call(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Arc<Caller>>,
    request: Request,
) -> Replied {
    let (headers, text) = json_of(&server, request).await?;
    let (text, id, read) = parsed(&server, &caller, text).await?;
    let line = match read {
        Ok(line) => line,
        Err(error) => return Ok(reply::outcome(id, &CallOutcome::error(error))),
    };
    let once = match Once::of(&server, &caller, &headers, "/v1/call", &text) {
        Ok(once) => once,
        Err(error) => return Ok(reply::outcome(id, &CallOutcome::error(error))),
    };
    if once.is_none() {
        let context = context(&server, &caller, &line, &headers, server.calls.clone());
        let outcome = (server.toolkit).call_briefly(&context, &line.tool, &line.args);
        if let Some(outcome) = outcome {
            return Ok(answered(&server, id, &outcome, None));
        }
    }
    let permit = match caller.queue.enter().await {
        Ok(permit) => permit,
        Err(overloaded) => return Ok(reply::outcome(id, &CallOutcome::error(overloaded))),
    };
    // A key may have been revoked while the call waited.
    server.callers.check(&caller)?;
    let stop = server.calls.child();
    // One that may act once is not stopped: its client asks again for the answer.
    let _stops = once.is_none().then(|| StopWhenDropped(stop.clone()));
    let context = Context {
        request: once.as_ref().map(Once::name),
        ..context(&server, &caller, &line, &headers, stop)
    };
    let thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        answer(&server, &context, &line, id, once)
    });
    Ok(thread.await.map_err(lost)?)
}

/// Longest body that is read on the thread that reads requests.
const SHORT: usize = 64 << 10;

/// Reads a call, a long one on another thread.
async fn parsed(
    server: &Arc<Server>,
    caller: &Arc<Caller>,
    text: Bytes,
) -> tool_core::Result<(Bytes, Value, tool_core::Result<LineCall>)> {
    let (bytes_max, length) = (server.body_bytes_max(), text.len());
    let caller = Arc::clone(caller);
    let parse = move || {
        let (id, read) = line::parse(line::Door::Body, &text, &caller.roles, bytes_max);
        (text, id, read)
    };
    match length {
        ..=SHORT => Ok(parse()),
        _ => server.aside(move |_| Ok(parse())).await,
    }
}

/// Calls the tool, or answers as before where the request acted already.
fn answer(
    server: &Server,
    context: &Context,
    line: &LineCall,
    id: Value,
    once: Option<Once>,
) -> Response {
    match once.as_ref().map(Once::claim) {
        None | Some(Ok(None)) => {}
        // An answer is given again only to a caller who may still make the call.
        Some(Ok(Some(answer))) => {
            return match server.toolkit.permits(context, &line.tool, &line.args) {
                Ok(()) => answer.replayed(),
                Err(error) => reply::outcome(id, &CallOutcome::error(error)),
            };
        }
        Some(Err(error)) => return reply::outcome(id, &CallOutcome::error(error)),
    }
    let outcome = server.toolkit.call_with(context, &line.tool, &line.args);
    answered(server, id, &outcome, once)
}

/// The answer to a call that has run.
fn answered(server: &Server, id: Value, outcome: &CallOutcome, once: Option<Once>) -> Response {
    server.metrics.called(outcome);
    let (status, body) = reply::envelope(id, outcome);
    let response = reply::advised(status, &body);
    if let Some(once) = once {
        let waits = matches!(outcome.status, OutcomeStatus::PendingApproval { .. });
        once.end((!waits).then_some(&Answer { status, body }));
    }
    response
}

fn context(
    server: &Server,
    caller: &Caller,
    line: &LineCall,
    headers: &HeaderMap,
    stop: StopFlag,
) -> Context {
    Context {
        answer: unattended(&server.toolkit),
        reader: AnswerReader::Model,
        stop,
        client_id: line.id.clone(),
        trace: line.trace.clone().or_else(|| trace_of(headers)),
        role: line.role.clone().or_else(|| caller.context.role.clone()),
        ..caller.context.clone()
    }
}
