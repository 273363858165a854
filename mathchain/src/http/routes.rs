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
use super::guard::guard;
use super::metrics::HttpGauges;
use super::reply::{self, Replied, RequestError};
use super::server::HttpServer;
use super::{approvals, artifacts, body, calls, chains, events, home, openapi, recorded, tools};

/// Every path, behind the checks of a request.
pub(super) fn routes(server: &Arc<HttpServer>) -> Router {
    Router::new()
        .route("/", get(home::show))
        .route("/healthz", get(healthy))
        .route("/readyz", get(ready))
        .route("/metrics", get(counted))
        .route("/mcp", any(mcp))
        .route("/v1/openapi.json", get(openapi::show))
        .route("/v1/call", post(calls::call))
        .route("/v1/tools", get(tools::list))
        .route("/v1/tools/{name}", get(tools::show))
        .route("/v1/chains", post(chains::submit))
        .route("/v1/chains/{id}", get(chains::show))
        .route("/v1/chains/{id}/events", get(events::stream))
        .route("/v1/chains/{id}/cancel", post(chains::cancel))
        .route("/v1/chains/{id}/resume", post(chains::resume))
        .route("/v1/events", get(events::workflows))
        .route("/v1/runs", get(recorded::list))
        .route("/v1/runs/{id}", get(recorded::show))
        .route("/v1/approvals", get(approvals::list))
        .route("/v1/approvals/{id}", get(approvals::show))
        .route("/v1/approvals/{id}/approve", post(approvals::approve))
        .route("/v1/approvals/{id}/deny", post(approvals::deny))
        .route("/v1/artifacts/{handle}", get(artifacts::read))
        .fallback(no_path)
        .method_not_allowed_fallback(no_method)
        .layer(from_fn_with_state(Arc::clone(server), guard))
        .with_state(Arc::clone(server))
}

/// The process answers.
async fn healthy() -> Response {
    reply::data(&object! { "status" => "ok" })
}

/// The process accepts requests.
async fn ready(State(server): State<Arc<HttpServer>>) -> Response {
    match server.closing.is_cancelled() {
        true => reply::value(
            StatusCode::SERVICE_UNAVAILABLE,
            &object! { "status" => "stopping" },
        ),
        false => reply::data(&object! { "status" => "ready" }),
    }
}

/// The counters of the server.
async fn counted(State(server): State<Arc<HttpServer>>) -> Replied {
    let now = server.aside(|server| Ok(now(server))).await?;
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(reply::text(StatusCode::OK, kind, server.metrics.text(&now)))
}

/// What the server and the state hold now.
fn now(server: &HttpServer) -> HttpGauges {
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
async fn mcp(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    request: Request,
) -> Replied {
    let (parts, sent) = request.into_parts();
    let text = body::read(&parts.headers, sent, server.body_bytes_max()).await?;
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
