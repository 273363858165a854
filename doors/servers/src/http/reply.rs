//! Replies: envelopes with the status that fits.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use tool_core::{CallOutcome, ErrorCode, OutcomeStatus, ToolError, Value, json};

use crate::line;

/// The content type of JSON.
pub(super) const JSON: &str = "application/json";

/// An error that ends a request.
pub(super) struct RequestError(ToolError);

impl From<ToolError> for RequestError {
    fn from(error: ToolError) -> Self {
        Self(error)
    }
}

impl IntoResponse for RequestError {
    fn into_response(self) -> Response {
        error_response(&self.0)
    }
}

/// What a handler answers.
pub(super) type Replied = Result<Response, RequestError>;

/// A text.
pub(super) fn text_response(
    status: StatusCode,
    kind: &'static str,
    text: impl Into<Body>,
) -> Response {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// A value as one line of JSON.
pub(super) fn value_response(status: StatusCode, value: &Value) -> Response {
    text_response(status, JSON, json::to_text(value) + "\n")
}

/// Data that is no answer to a call.
pub(super) fn data_response(data: &Value) -> Response {
    value_response(StatusCode::OK, data)
}

/// The envelope of an answer to a call, with its status.
pub(super) fn answer_envelope(id: Value, outcome: &CallOutcome) -> (StatusCode, Value) {
    let status = match &outcome.status {
        OutcomeStatus::Success(_) => StatusCode::OK,
        OutcomeStatus::PendingApproval { .. } => StatusCode::ACCEPTED,
        OutcomeStatus::Error(error) => status_of(error),
    };
    (status, line::line_envelope(id, outcome))
}

/// A value with what a client that reads heads only does next.
pub(super) fn advised_response(status: StatusCode, body: &Value) -> Response {
    let mut response = value_response(status, body);
    add_advice_headers(response.headers_mut(), status, body);
    response
}

/// The answer to a call.
pub(super) fn outcome_response(id: Value, outcome: &CallOutcome) -> Response {
    let (status, envelope) = answer_envelope(id, outcome);
    advised_response(status, &envelope)
}

/// The envelope of an error that is no answer to a call.
pub(super) fn error_response(error: &ToolError) -> Response {
    advised_response(
        error_status(error),
        &CallOutcome::error(error.clone()).to_value(),
    )
}

/// The status of an error that is no answer to a call.
pub(super) fn error_status(error: &ToolError) -> StatusCode {
    // What the path names.
    const NAMED: [&str; 9] = [
        "run",
        "unknown_run",
        "ambiguous_run",
        "unknown_approval",
        "unknown_pipeline",
        "ambiguous_approval",
        "handle",
        "artifact_missing",
        "artifact_role",
    ];
    let is_named = error.path().is_none_or(str::is_empty);
    let is_unknown = is_named
        && error
            .reason_str()
            .is_some_and(|reason| NAMED.contains(&reason));
    match is_unknown {
        true => StatusCode::NOT_FOUND,
        false => status_of(error),
    }
}

/// What a client does next, for clients that read heads only.
fn add_advice_headers(headers: &mut HeaderMap, status: StatusCode, body: &Value) {
    let error = body.get("error").unwrap_or(&Value::Null);
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        StatusCode::CONFLICT if error.text("reason") == Some("in_progress") => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        _ => {}
    }
}

fn status_of(error: &ToolError) -> StatusCode {
    match error.reason_str() {
        Some("server_key") => return StatusCode::UNAUTHORIZED,
        Some("no_path") => return StatusCode::NOT_FOUND,
        Some("no_method") => return StatusCode::METHOD_NOT_ALLOWED,
        Some("content_type") => return StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Some("body_time") => return StatusCode::REQUEST_TIMEOUT,
        Some("key_reused") => return StatusCode::UNPROCESSABLE_ENTITY,
        Some("byte_range") => return StatusCode::RANGE_NOT_SATISFIABLE,
        Some("rate" | "requests_at_once" | "overloaded") => return StatusCode::TOO_MANY_REQUESTS,
        _ => {}
    }
    match error.code() {
        ErrorCode::InvalidRequest => StatusCode::BAD_REQUEST,
        ErrorCode::UnknownTool => StatusCode::NOT_FOUND,
        ErrorCode::NotVisible
        | ErrorCode::PolicyDenied
        | ErrorCode::ApprovalRequired
        | ErrorCode::ApprovalDeclined => StatusCode::FORBIDDEN,
        ErrorCode::ApprovalExpired
        | ErrorCode::PreconditionFailed
        | ErrorCode::ResourceChanged
        | ErrorCode::Conflict => StatusCode::CONFLICT,
        ErrorCode::LimitExceeded => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::Cancelled | ErrorCode::SandboxUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        // The request was understood, and what it asks for cannot be computed.
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}
