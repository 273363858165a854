//! Checks of a request for a page, before its body is read: host, origin, session, limits of the caller.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, HeaderValue, LOCATION,
    ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use tool_core::{Result, tool_error};

use super::super::guard::{RequestSlot, caller_slot, require_known_host};
use super::super::reply;
use super::super::server::HttpServer;
use super::sessions::{ConsoleSession, SessionOrigin};
use super::{layout, peer};

/// What a page may load and do: its own style, script and pictures, and forms to itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// Pages that need no session: they begin one, or belong to the sign-in.
const OPEN_PATHS: [&str; 2] = [LINK_PATH, "/console/sign-in"];
/// The path of the link of the terminal.
const LINK_PATH: &str = "/console/open";
const ASSETS: &str = "/console/assets/";

/// A request with its session.
#[derive(Clone)]
pub(super) struct ConsoleVisit {
    pub(super) session: Arc<ConsoleSession>,
}

impl ConsoleVisit {
    /// Whether the user at the terminal signed in.
    pub(super) fn is_terminal(&self) -> bool {
        self.session.origin == SessionOrigin::Terminal
    }
}

/// Whether a path is one of the pages.
pub(in super::super) fn is_console_path(path: &str) -> bool {
    path.strip_prefix("/console")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Checks a request, and adds its session; gives what counts it.
///
/// # Errors
/// The page that says what is wrong, or leads to the sign-in.
pub(in super::super) fn check_visit(
    server: &Arc<HttpServer>,
    request: &mut Request,
    now: Instant,
) -> std::result::Result<Option<RequestSlot>, Box<Response>> {
    let refuse = |error| Box::new(layout::error_response(&error));
    let (headers, path) = (request.headers(), request.uri().path());
    require_known_host(server, request.uri(), headers).map_err(refuse)?;
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    require_same_origin(server, headers, is_reading).map_err(refuse)?;
    if path == LINK_PATH {
        peer::require_own_user(server, request).map_err(refuse)?;
    }
    if OPEN_PATHS.contains(&path) || path.starts_with(ASSETS) {
        let slot = caller_slot(server, request, None, now).map_err(refuse)?;
        return Ok(slot);
    }
    let Some(session) = server.console.of_request(server, headers) else {
        return Err(Box::new(match is_reading && path != super::live::PATH {
            true => redirect_response("/console/sign-in"),
            false => layout::error_response(&tool_error!(PolicyDenied, "server_key";
                "you are not signed in, or no longer";
                "open the link of `mathchain console`, or sign in with a key at /console/sign-in")),
        }));
    };
    if session.origin == SessionOrigin::Terminal {
        peer::require_own_user(server, request).map_err(refuse)?;
    }
    let caller = Arc::clone(&session.caller);
    let slot = caller_slot(server, request, Some(&caller), now).map_err(refuse)?;
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(ConsoleVisit { session });
    Ok(slot)
}

/// Requires that a page that sends a form is of this server: its origin is the name under which it is called. A browser always states the
/// origin of a form; only a request to read may come without.
fn require_same_origin(server: &HttpServer, headers: &HeaderMap, is_reading: bool) -> Result<()> {
    let refused = |found: &str| {
        let shown: String = found.chars().take(100).collect();
        tool_error!(PolicyDenied, "origin"; "a page of `{shown}` may not use this console";
            "open the console at its own address, in a browser that says where a form comes from")
    };
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let mut stated = headers.get_all(ORIGIN).iter();
    let origin = match (stated.next(), stated.next()) {
        (None, _) if is_reading => return Ok(()),
        (None, _) => return Err(refused("no origin")),
        (Some(origin), None) => origin.to_str().unwrap_or_default(),
        (Some(_), Some(_)) => return Err(refused("several origins")),
    };
    let encrypted = server.settings.tls.is_some() || server.settings.behind_proxy;
    let scheme = if encrypted { "https://" } else { "http://" };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let is_own = origin
        .strip_prefix(scheme)
        .zip(host)
        .is_some_and(|(name, host)| name.eq_ignore_ascii_case(host));
    let is_sent_by_it = site.is_none_or(|site| site == b"same-origin");
    match is_own && is_sent_by_it {
        true => Ok(()),
        false => Err(refused(origin)),
    }
}

/// Sends the browser to another page.
pub(super) fn redirect_response(to: &str) -> Response {
    let mut response = reply::text_response(StatusCode::SEE_OTHER, "text/plain", "");
    // Made of ids and digits; another text would be no page.
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/console"));
    response.headers_mut().insert(LOCATION, to);
    response
}

/// Adds the fields that bind a browser, to every answer.
pub(in super::super) fn protect_response(response: &mut Response) {
    let fields = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        fields
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    };
    set(CONTENT_SECURITY_POLICY, POLICY);
    set(REFERRER_POLICY, "same-origin");
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(CACHE_CONTROL, "no-store");
    set(CONTENT_TYPE, "text/plain; charset=utf-8");
    set(
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    set(
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    set(HeaderName::from_static("x-frame-options"), "DENY");
}
