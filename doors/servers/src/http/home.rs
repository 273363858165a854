//! `GET /`: a short page for a person who opens the address.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY};
use axum::http::{StatusCode, Uri};
use axum::response::Response;

use super::callers::HttpCaller;
use super::reply;
use super::server::HttpServer;

/// Says what this is, and where to go.
pub(super) async fn show_home(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    uri: Uri,
) -> Response {
    // The token was compared with that of the server: it has no character of markup.
    let token = match uri.query().filter(|query| query.starts_with("token=")) {
        Some(query) if caller.key.is_none() => format!("?{query}"),
        _ => String::new(),
    };
    let (version, role) = (env!("CARGO_PKG_VERSION"), caller.role(&server));
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>mathchain</title>
<h1>mathchain {version}</h1>
<p>Typed tools over HTTP. You call as the role <code>{role}</code>.</p>
<ul>
<li><a href=\"/v1/openapi.json{token}\">/v1/openapi.json</a>: paths and tools as an OpenAPI document</li>
<li><a href=\"/v1/tools{token}\">/v1/tools</a>: the tools that you see</li>
<li><a href=\"/v1/runs{token}\">/v1/runs</a>: recorded runs</li>
<li><code>/mcp</code>: for clients of the Model Context Protocol</li>
</ul>
<p>Documentation: <code>mathchain --help</code>, and <code>docs/http.md</code> of the project.</p>
</html>
"
    );
    let mut response = reply::text_response(StatusCode::OK, "text/html; charset=utf-8", page);
    let fields = response.headers_mut();
    fields.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'"),
    );
    fields.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
