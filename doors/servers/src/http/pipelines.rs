//! `/v1/pipelines`: the phases of the server's configuration, begun, shown, followed, resumed and cancelled, and their gates.
//!
//! A pipeline begins by a call of `pipeline_run`, so that the policy decides on it, a person may have to approve it, and the audit has it. What
//! is shown comes from its record.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::pipeline::RecordedPipeline;
use agents::tools::PIPELINE_RUN;
use axum::body::Bytes;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use journal::{OPERATOR, StateScope};
use registry::RunIdReceiver;
use tokio::sync::mpsc;
use tool_core::json::{JsonLimits, parse_bytes};
use tool_core::{CallOutcome, Object, OutcomeStatus, Result, Value, json, object, tool_error};

use super::approvals::approver_key;
use super::callers::HttpCaller;
use super::calls::{json_of, trace_of, unattended_approvals};
use super::chains::set_location;
use super::events::{self, EVENTS_WAITING, SILENCE};
use super::once::{IdempotentRequest, StoredAnswer};
use super::reply::{self, Replied};
use super::server::{HttpServer, lost_thread_error};
use crate::recorded::{pipeline_details, pipeline_summary, visible_pipeline};
use mathchain::CallContext;

/// Maximum number of pipelines that are listed.
const LISTED: usize = 200;
/// How often a request looks whether its pipeline has begun.
const BEGIN_LOOK: Duration = Duration::from_millis(10);
/// How often a stream reads the record again.
const RECORD_LOOK: Duration = Duration::from_millis(250);

/// Reads a body that is an object with some of these keys; an empty one has none.
pub(super) fn read_members(server: &HttpServer, text: &[u8], keys: &[&str]) -> Result<Object> {
    if text.is_empty() {
        return Ok(Object::new());
    }
    let limits = JsonLimits {
        bytes_max: server.body_bytes_max(),
        ..JsonLimits::default()
    };
    let body = parse_bytes(text, limits)?;
    let known = keys.join("`, `");
    let members = body.as_object().ok_or_else(|| {
        let found = body.kind();
        tool_error!(InvalidRequest; "expected an object, found {found}"; "its keys are `{known}`")
    })?;
    match members.iter().find(|(key, _)| !keys.contains(key)) {
        None => Ok(members.clone()),
        Some((key, _)) => Err(
            tool_error!(InvalidRequest at format!("/{key}"); "unknown key `{key}`"; "the keys are `{known}`"),
        ),
    }
}

/// Begins a pipeline of the configuration.
pub(super) async fn submit_pipeline(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    request: Request,
) -> Replied {
    let (headers, text) = json_of(&server, request).await?;
    let members = read_members(&server, &text, &["skip", "only", "from"])?;
    let once = IdempotentRequest::of(&server, &caller, &headers, "/v1/pipelines", &text)?;
    let args = Value::from(members);
    detach(begin_pipeline(server, caller, headers, args, once)).await
}

/// Resumes a pipeline that stopped, failed or was interrupted.
pub(super) async fn resume_pipeline(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    text: Bytes,
) -> Replied {
    let mut members = read_members(&server, &text, &["retry_unknown"])?;
    let by = Arc::clone(&caller);
    let found = server
        .aside(move |server| visible_pipeline(server.records()?, &by.scope(server), &id))
        .await?;
    members.insert("resume", found.id);
    let args = Value::from(members);
    detach(begin_pipeline(server, caller, headers, args, None)).await
}

/// Goes on with the work where the client is gone, so that what has begun is known here.
async fn detach(work: impl Future<Output = Replied> + Send + 'static) -> Replied {
    tokio::spawn(work).await.map_err(lost_thread_error)?
}

/// Calls the tool, and answers as soon as the pipeline has begun, or the call has ended without.
async fn begin_pipeline(
    server: Arc<HttpServer>,
    caller: Arc<HttpCaller>,
    headers: HeaderMap,
    args: Value,
    once: Option<IdempotentRequest>,
) -> Replied {
    let permit = caller.queue.enter().await?;
    // A key may have been revoked while the request waited.
    server.callers.check(&caller)?;
    let (begun, stop) = (RunIdReceiver::default(), server.calls.child());
    let context = CallContext {
        answer: unattended_approvals(&server.toolkit),
        trace: trace_of(&headers),
        begun: Some(begun.clone()),
        stop: stop.clone(),
        request: once.as_ref().map(IdempotentRequest::name),
        ..caller.context.clone()
    };
    let once = match once {
        None => None,
        Some(once) => {
            let (who, sent) = (context.clone(), args.clone());
            let (once, answered) = server
                .aside(move |server| {
                    let answered = once.claim()?;
                    if answered.is_some() {
                        // An answer is given again only to a caller who may still begin it.
                        server.toolkit.permits(&who, PIPELINE_RUN, &sent)?;
                    }
                    Ok((once, answered))
                })
                .await?;
            if let Some(answer) = answered {
                let place = answer.text("id").map(place_of);
                return Ok(set_location(answer.replayed(), place));
            }
            Some(once)
        }
    };
    let at = Arc::clone(&server);
    let thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        at.toolkit.call_with(&context, PIPELINE_RUN, &args)
    });
    let id = loop {
        if let Some(id) = begun.id() {
            break id.to_owned();
        }
        if thread.is_finished() && begun.id().is_none() {
            let outcome = thread.await.map_err(lost_thread_error)?;
            return end_unbegun(&server, outcome, once).await;
        }
        tokio::time::sleep(BEGIN_LOOK).await;
    };
    let number = server.pipelines.add(&id, stop);
    let body = object! { "id" => id.as_str(), "state" => "running" };
    let status = StatusCode::ACCEPTED;
    if let Some(once) = once {
        let answer = StoredAnswer {
            status,
            body: body.clone(),
        };
        let stored = move |_: &HttpServer| {
            once.end(Some(&answer));
            Ok(())
        };
        server.aside(stored).await?;
    }
    tokio::spawn(async move {
        let outcome = thread.await;
        server.pipelines.remove(number);
        if let Ok(outcome) = outcome {
            server.metrics.called(&outcome);
        }
    });
    let answer = reply::value_response(status, &body);
    Ok(set_location(answer, Some(place_of(&id))))
}

/// The answer to a call that began no pipeline: it waits for approval, or was refused. The request can be sent again under its key.
async fn end_unbegun(
    server: &Arc<HttpServer>,
    outcome: CallOutcome,
    once: Option<IdempotentRequest>,
) -> Replied {
    server.metrics.called(&outcome);
    if let Some(once) = once {
        let released = move |_: &HttpServer| {
            once.end(None);
            Ok(())
        };
        server.aside(released).await?;
    }
    match outcome.status {
        OutcomeStatus::Error(error) => Err(error.into()),
        _ => Ok(reply::outcome_response(Value::Null, &outcome)),
    }
}

fn place_of(id: &str) -> String {
    format!("/v1/pipelines/{id}")
}

/// Lists pipelines, newest first.
pub(super) async fn list_pipelines(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
) -> Replied {
    let listed = server
        .aside(move |server| {
            let scope = caller.scope(server);
            let rows = server.records()?.pipelines_in(&scope, LISTED)?;
            Ok(Value::array(rows.iter().map(pipeline_summary).collect()))
        })
        .await?;
    Ok(reply::data_response(&object! { "pipelines" => listed }))
}

/// Shows a pipeline with its phases and agents.
pub(super) async fn show_pipeline(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    let shown = server
        .aside(move |server| {
            let state = server.records()?;
            let row = visible_pipeline(state, &caller.scope(server), &id)?;
            pipeline_details(state, row)
        })
        .await?;
    Ok(reply::data_response(&shown))
}

/// Cancels a pipeline that this server runs: its agents are asked to end, and killed after 30 seconds. It can be resumed.
pub(super) async fn cancel_pipeline(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    let row = server
        .aside(move |server| visible_pipeline(server.records()?, &caller.scope(server), &id))
        .await?;
    let id = &row.id;
    // Its call here ends a moment after the record says so.
    let runs = matches!(row.state.as_str(), "running" | "waiting");
    if runs && server.pipelines.cancel(id) {
        return Ok(reply::value_response(
            StatusCode::ACCEPTED,
            &pipeline_summary(&row),
        ));
    }
    let error = match row.state.as_str() {
        "running" | "waiting" => {
            tool_error!(Conflict, "pipeline_busy"; "another process runs the pipeline `{id}`"; "stop it there")
        }
        "interrupted" => {
            tool_error!(Conflict, "pipeline_ended"; "no process runs the pipeline `{id}`: it was interrupted"; "resume it, or leave it as it is")
        }
        state => {
            tool_error!(Conflict, "pipeline_ended"; "the pipeline `{id}` has ended: {state}"; "begin another")
        }
    };
    Err(error.into())
}

/// Answers the gate that a pipeline waits at, for keys that approve, and never of a pipeline of their own role.
pub(super) async fn answer_gate(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
    text: Bytes,
) -> Replied {
    let answered = server
        .aside(move |server| {
            let key = approver_key(&caller)?;
            server.toolkit.check_origin()?;
            let state = server.records()?;
            let scope = StateScope::workspace(server.toolkit.workspace_id());
            let row = visible_pipeline(state, &scope, &id)?;
            let began = row.role.as_deref().unwrap_or(OPERATOR);
            if began == key.role {
                let role = &key.role;
                return Err(
                    tool_error!(PolicyDenied, "approver"; "the key calls as role `{role}`, and does not answer gates of pipelines of that role";
                    "a key of another role answers it, or `mathchain inbox answer` in a terminal"),
                );
            }
            let members = read_members(server, &text, &["answer"])?;
            let answer = match members.get("answer").and_then(Value::as_str) {
                Some(answer @ ("yes" | "no")) => answer,
                _ => {
                    return Err(
                        tool_error!(InvalidRequest at "/answer"; "expected `yes` or `no`"; "send {{\"answer\":\"yes\"}}"),
                    );
                }
            };
            let id = row.id.clone();
            let recorded = RecordedPipeline::load(state, row)?;
            let gate = recorded.open_gate().ok_or_else(
                || tool_error!(Conflict, "gate"; "the pipeline `{id}` waits at no gate"; "its state says where it is"),
            )?;
            let (_, answers) = state.notice(&gate.notice)?;
            if !answers.is_empty() {
                return Err(
                    tool_error!(Conflict, "gate"; "the gate of the phase `{}` has its answer", gate.phase; "the pipeline takes it when it runs"),
                );
            }
            state.answer(&gate.notice, answer, &format!("key {}", key.name))?;
            Ok(object! { "id" => id, "phase" => gate.phase, "answer" => answer })
        })
        .await?;
    Ok(reply::data_response(&answered))
}

/// Streams the events of a pipeline from the first or the one after `Last-Event-ID`, with the output of its agents, and its end.
pub(super) async fn stream_pipeline_events(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Replied {
    // What cannot be seen is said before the stream begins.
    let by = Arc::clone(&caller);
    let row = server
        .aside(move |server| visible_pipeline(server.records()?, &by.scope(server), &id))
        .await?;
    let seen = headers.get("last-event-id");
    let seen = seen.and_then(|seen| seen.to_str().ok()?.parse::<u64>().ok());
    let (sender, parts) = mpsc::channel(EVENTS_WAITING);
    let seen = seen.unwrap_or(0);
    tokio::spawn(follow_pipeline(server, caller, row.id, seen, sender));
    Ok(events::stream_response(parts))
}

/// New events, and the pipeline where it runs no more.
struct PipelineNews {
    events: Vec<journal::PipelineEvent>,
    end: Option<Value>,
}

fn news_after(
    server: &HttpServer,
    caller: &HttpCaller,
    id: &str,
    seen: u64,
) -> Result<PipelineNews> {
    let state = server.records()?;
    // The state first: what is recorded before the end is sent before it.
    let row = visible_pipeline(state, &caller.scope(server), id)?;
    let runs = matches!(row.state.as_str(), "running" | "waiting");
    let events = state.pipeline_events(id, seen)?;
    let end = if runs {
        None
    } else {
        Some(pipeline_details(state, row)?)
    };
    Ok(PipelineNews { events, end })
}

/// Sends events until the pipeline has ended, its client or its key is gone, or the server ends.
async fn follow_pipeline(
    server: Arc<HttpServer>,
    caller: Arc<HttpCaller>,
    id: String,
    mut seen: u64,
    sender: mpsc::Sender<Bytes>,
) {
    let mut silent = Instant::now();
    loop {
        let (by, named) = (Arc::clone(&caller), id.clone());
        let news = server
            .aside(move |server| news_after(server, &by, &named, seen))
            .await;
        let Ok(news) = news else { return };
        if server.callers.check(&caller).is_err() {
            return;
        }
        let mut text = String::new();
        for event in &news.events {
            seen = event.number;
            let _ = write!(
                text,
                "id: {seen}\ndata: {}\n\n",
                json::to_text(&event.event)
            );
        }
        if let Some(end) = &news.end {
            text.push_str(&events::ended_event(end));
        } else if text.is_empty() && silent.elapsed() >= SILENCE {
            text.push_str(": still running\n\n");
        }
        if !text.is_empty() {
            silent = Instant::now();
            if sender.send(text.into()).await.is_err() {
                return;
            }
        }
        if news.end.is_some() {
            return;
        }
        tokio::select! {
            () = caller.gone.cancelled() => return,
            () = sender.closed() => return,
            () = tokio::time::sleep(RECORD_LOOK) => {}
        }
    }
}
