//! The paths of the server.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{any, get, post};
use journal::StateScope;
use tool_core::{object, tool_error};

use super::callers::HttpCaller;
use super::guard::guard_request;
use super::metrics::HttpGauges;
use super::reply::{self, Replied, RequestError};
use super::server::HttpServer;
use super::{
    approvals, artifacts, body, calls, chains, console, events, home, openapi, pipelines, recorded,
    schedules, tools,
};

/// Every path, behind the checks of a request.
pub(super) fn build_router(server: &Arc<HttpServer>) -> Router {
    let pages = match server.settings.console {
        Some(_) => console::console_routes(),
        None => Router::new(),
    };
    Router::new()
        .route("/", get(home::show_home))
        .route("/healthz", get(report_health))
        .route("/readyz", get(report_readiness))
        .route("/metrics", get(report_metrics))
        .route("/mcp", any(answer_mcp))
        .route("/v1/openapi.json", get(openapi::show_document))
        .route("/v1/call", post(calls::answer_call))
        .route("/v1/tools", get(tools::list_tools))
        .route("/v1/tools/{name}", get(tools::show_tool))
        .route("/v1/chains", post(chains::submit_plan))
        .route("/v1/chains/{id}", get(chains::show_chain))
        .route("/v1/chains/{id}/events", get(events::stream_chain_events))
        .route("/v1/chains/{id}/cancel", post(chains::cancel_chain))
        .route("/v1/chains/{id}/resume", post(chains::resume_chain))
        .route(
            "/v1/pipelines",
            get(pipelines::list_pipelines).post(pipelines::submit_pipeline),
        )
        .route("/v1/pipelines/{id}", get(pipelines::show_pipeline))
        .route(
            "/v1/pipelines/{id}/events",
            get(pipelines::stream_pipeline_events),
        )
        .route(
            "/v1/pipelines/{id}/cancel",
            post(pipelines::cancel_pipeline),
        )
        .route(
            "/v1/pipelines/{id}/resume",
            post(pipelines::resume_pipeline),
        )
        .route("/v1/pipelines/{id}/gate", post(pipelines::answer_gate))
        .route("/v1/events", get(events::stream_workflow_events))
        .route("/v1/runs", get(recorded::list_runs))
        .route("/v1/runs/{id}", get(recorded::show_run))
        .route("/v1/schedules", get(schedules::list_schedules))
        .route("/v1/approvals", get(approvals::list_approvals))
        .route("/v1/approvals/{id}", get(approvals::show_approval))
        .route(
            "/v1/approvals/{id}/approve",
            post(approvals::approve_request),
        )
        .route("/v1/approvals/{id}/deny", post(approvals::deny_request))
        .route("/v1/artifacts/{handle}", get(artifacts::send_artifact))
        .merge(pages)
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(Arc::clone(server), guard_request))
        .with_state(Arc::clone(server))
}

/// The process answers.
async fn report_health() -> Response {
    reply::data_response(&object! { "status" => "ok" })
}

/// The process accepts requests.
async fn report_readiness(State(server): State<Arc<HttpServer>>) -> Response {
    match server.closing.is_cancelled() {
        true => reply::value_response(
            StatusCode::SERVICE_UNAVAILABLE,
            &object! { "status" => "stopping" },
        ),
        false => reply::data_response(&object! { "status" => "ready" }),
    }
}

/// The counters of the server.
async fn report_metrics(State(server): State<Arc<HttpServer>>) -> Replied {
    let now = server.aside(|server| Ok(current_load(server))).await?;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(reply::text_response(
        StatusCode::OK,
        kind,
        server.metrics.text(&now),
    ))
}

/// What the server and the state hold now.
fn current_load(server: &HttpServer) -> HttpGauges {
    let mut now = HttpGauges {
        running: server.queue.running(),
        waiting: server.queue.waiting(),
        oldest_waiting: Some(server.chains.oldest_waiting()),
        ..HttpGauges::default()
    };
    if let Ok(state) = server.records() {
        let scope = StateScope::workspace(server.toolkit.workspace_id());
        now.approvals_pending = state.approvals_pending(&scope).ok();
        now.runs = state.run_counts(&scope).ok();
        now.free_bytes = state.free_bytes();
        now.state_failures = Some(state.failures());
    }
    now
}

/// Answers an MCP client.
async fn answer_mcp(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    request: Request,
) -> Replied {
    let (parts, sent) = request.into_parts();
    let text = body::read_body(&parts.headers, sent, server.body_bytes_max()).await?;
    let (text, sent) = caller.endpoint.read(text).await?;
    let request = Request::from_parts(parts, axum::body::Body::from(text));
    let response = caller.endpoint.answer(request, sent).await?;
    Ok(response.map(axum::body::Body::new))
}

async fn no_path(request: Request) -> RequestError {
    let path: String = request.uri().path().chars().take(100).collect();
    RequestError::from(
        tool_error!(InvalidRequest, "no_path"; "there is no path `{path}`"; "`/v1/call`, `/v1/tools` and `/mcp` are the first to try"),
    )
}

async fn no_method(request: Request) -> RequestError {
    let (method, path) = (request.method(), request.uri().path());
    RequestError::from(
        tool_error!(InvalidRequest, "no_method"; "`{path}` does not take {method}"; "docs/http.md lists the methods of each path"),
    )
}
