//! `POST /v1/call`: one call, in the form of a line of `serve --jsonl`.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use registry::{AnswerReader, ApprovalAnswer as Approvals, TraceParent, Unattended};
use tool_core::{CallOutcome, OutcomeStatus, StopFlag, Value};

use super::body;
use super::callers::HttpCaller;
use super::once::{IdempotentRequest, StoredAnswer};
use super::reply::{self, Replied};
use super::server::{HttpServer, lost_thread_error};
use crate::line::{self, LineCall};
use mathchain::{CallContext, Toolkit};

/// Stops a call whose client is gone.
struct StopWhenDropped(StopFlag);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Reads the body of a request that has to be JSON.
pub(super) async fn json_of(
    server: &HttpServer,
    request: Request,
) -> tool_core::Result<(HeaderMap, Bytes)> {
    let (parts, sent) = request.into_parts();
    body::is_json(&parts.headers)?;
    let text = body::read_body(&parts.headers, sent, server.body_bytes_max()).await?;
    Ok((parts.headers, text))
}

/// The span of the client in the head of a request, where it is sound.
pub(super) fn trace_of(headers: &HeaderMap) -> Option<TraceParent> {
    TraceParent::parse(headers.get("traceparent")?.to_str().ok()?)
}

/// The answer to requests for approval of calls at this door.
pub(super) fn unattended_approvals(toolkit: &Toolkit) -> Approvals {
    match toolkit.config().approvals.unattended {
        Unattended::Deny => Approvals::Unattended,
        Unattended::Pending => Approvals::Ask,
    }
}

/// Answers one call.
pub(super) async fn answer_call(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    request: Request,
) -> Replied {
    let (headers, text) = json_of(&server, request).await?;
    let (text, id, read) = parse_call(&server, &caller, text).await?;
    let line = match read {
        Ok(line) => line,
        Err(error) => return Ok(reply::outcome_response(id, &CallOutcome::error(error))),
    };
    let once = match IdempotentRequest::of(&server, &caller, &headers, "/v1/call", &text) {
        Ok(once) => once,
        Err(error) => return Ok(reply::outcome_response(id, &CallOutcome::error(error))),
    };
    if once.is_none() {
        let context = call_context(&server, &caller, &line, &headers, server.calls.clone());
        let outcome = (server.toolkit).call_briefly(&context, &line.tool, &line.args);
        if let Some(outcome) = outcome {
            return Ok(call_response(&server, id, &outcome, None));
        }
    }
    let permit = match caller.queue.enter().await {
        Ok(permit) => permit,
        Err(overloaded) => return Ok(reply::outcome_response(id, &CallOutcome::error(overloaded))),
    };
    // A key may have been revoked while the call waited.
    server.callers.check(&caller)?;
    let stop = server.calls.child();
    // One that may act once is not stopped: its client asks again for the answer.
    let _stops = once.is_none().then(|| StopWhenDropped(stop.clone()));
    let context = CallContext {
        request: once.as_ref().map(IdempotentRequest::name),
        ..call_context(&server, &caller, &line, &headers, stop)
    };
    let thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        run_call(&server, &context, &line, id, once)
    });
    Ok(thread.await.map_err(lost_thread_error)?)
}

/// Longest body that is read on the thread that reads requests.
const SHORT: usize = 64 << 10;

/// Reads a call, a long one on another thread.
async fn parse_call(
    server: &Arc<HttpServer>,
    caller: &Arc<HttpCaller>,
    text: Bytes,
) -> tool_core::Result<(Bytes, Value, tool_core::Result<LineCall>)> {
    let (bytes_max, length) = (server.body_bytes_max(), text.len());
    let caller = Arc::clone(caller);
    let parse = move || {
        let (id, read) = line::parse_line(line::CallOrigin::Body, &text, &caller.roles, bytes_max);
        (text, id, read)
    };
    match length {
        ..=SHORT => Ok(parse()),
        _ => server.aside(move |_| Ok(parse())).await,
    }
}

/// Calls the tool, or answers as before where the request acted already.
fn run_call(
    server: &HttpServer,
    context: &CallContext,
    line: &LineCall,
    id: Value,
    once: Option<IdempotentRequest>,
) -> Response {
    match once.as_ref().map(IdempotentRequest::claim) {
        None | Some(Ok(None)) => {}
        // An answer is given again only to a caller who may still make the call.
        Some(Ok(Some(answer))) => {
            return match server.toolkit.permits(context, &line.tool, &line.args) {
                Ok(()) => answer.replayed(),
                Err(error) => reply::outcome_response(id, &CallOutcome::error(error)),
            };
        }
        Some(Err(error)) => return reply::outcome_response(id, &CallOutcome::error(error)),
    }
    let outcome = server.toolkit.call_with(context, &line.tool, &line.args);
    call_response(server, id, &outcome, once)
}

/// The answer to a call that has run.
fn call_response(
    server: &HttpServer,
    id: Value,
    outcome: &CallOutcome,
    once: Option<IdempotentRequest>,
) -> Response {
    server.metrics.called(outcome);
    let (status, body) = reply::answer_envelope(id, outcome);
    let response = reply::advised_response(status, &body);
    if let Some(once) = once {
        let waits = matches!(outcome.status, OutcomeStatus::PendingApproval { .. });
        once.end((!waits).then_some(&StoredAnswer { status, body }));
    }
    response
}

fn call_context(
    server: &HttpServer,
    caller: &HttpCaller,
    line: &LineCall,
    headers: &HeaderMap,
    stop: StopFlag,
) -> CallContext {
    CallContext {
        answer: unattended_approvals(&server.toolkit),
        reader: AnswerReader::Model,
        stop,
        client_id: line.id.clone(),
        trace: line.trace.clone().or_else(|| trace_of(headers)),
        role: line.role.clone().or_else(|| caller.context.role.clone()),
        ..caller.context.clone()
    }
}
