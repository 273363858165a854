//! Checks of every request before its body is read: host, origin, key, limits of the key.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::Uri;
use axum::http::header::{CONNECTION, HOST, HeaderValue, ORIGIN};
use axum::middleware::Next;
use axum::response::Response;
use tool_core::{Result, ToolError, tool_error};

use super::addresses::OfAddress;
use super::bucket::OnItsWay;
use super::callers::HttpCaller;
use super::places::HttpConnection;
use super::server::HttpServer;
use super::{body, console, metrics, reply};

/// Names of this machine, which need not be configured.
const OWN_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// The path that a key for metrics alone reads.
const METRICS_PATH: &str = "/metrics";
/// Paths that need no key: they tell only whether the server works.
const OPEN_PATHS: [&str; 2] = ["/healthz", "/readyz"];

/// Checks a request, and counts it.
pub(super) async fn guard_request(
    State(server): State<Arc<HttpServer>>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let route = metrics::route_label(request.uri().path());
    let (mut request, rest) = body::watch_body(request);
    let is_console =
        server.settings.console.is_some() && console::is_console_path(request.uri().path());
    let checked = match is_console {
        true => console::check_visit(&server, &mut request, begun).map_err(|refusal| *refusal),
        false => check_request(&server, &mut request, begun)
            .map_err(|error| reply::error_response(&error)),
    };
    let mut response = match checked {
        Err(refusal) => refusal,
        Ok(on_its_way) => {
            let response = next.run(request).await;
            response.map(|body| body::attach_to_body(body, on_its_way))
        }
    };
    if is_console {
        console::protect_response(&mut response);
    }
    if rest.is_some_and(|rest| !rest.is_read()) {
        // The rest of the body would be taken for the next request.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    server
        .metrics
        .answered(route, response.status(), begun.elapsed());
    response
}

/// Checks the head of a request; gives what counts it for its key.
fn check_request(
    server: &Arc<HttpServer>,
    request: &mut Request,
    now: Instant,
) -> Result<Option<RequestSlot>> {
    require_known_host(server, request.uri(), request.headers())?;
    require_allowed_origin(server, request.headers())?;
    if OPEN_PATHS.contains(&request.uri().path()) {
        return Ok(None);
    }
    let caller = server
        .callers
        .of(server, request.uri(), request.headers())?;
    let path = request.uri().path();
    if let Some(key) = caller.key.as_ref().filter(|key| key.metrics_only)
        && path != METRICS_PATH
    {
        let name = &key.name;
        return Err(
            tool_error!(PolicyDenied, "metrics_only"; "the key `{name}` reads `{METRICS_PATH}` and nothing else"; "use a key with a role"),
        );
    }
    let on_its_way = caller_slot(server, request, Some(&caller), now)?;
    request.extensions_mut().insert(caller);
    Ok(on_its_way)
}

/// Counts a request: for its key, else for its address.
///
/// # Errors
/// `limit_exceeded` for too many.
pub(super) fn caller_slot(
    server: &HttpServer,
    request: &Request,
    caller: Option<&HttpCaller>,
    now: Instant,
) -> Result<Option<RequestSlot>> {
    let place = request.extensions().get::<Arc<HttpConnection>>();
    if let (Some(place), Some(_)) = (place, caller) {
        place.show_key();
    }
    let bucket = caller.and_then(|caller| caller.bucket.as_ref());
    Ok(match (bucket, place.map(|place| place.address)) {
        (Some(bucket), _) => Some(RequestSlot::OfKey(bucket.take(now)?)),
        (None, Some(address)) => Some(RequestSlot::OfAddress(server.addresses.take(address)?)),
        (None, None) => None,
    })
}

/// A request that is counted while this lives.
#[expect(dead_code, reason = "each is held for its end")]
pub(super) enum RequestSlot {
    OfKey(OnItsWay),
    OfAddress(OfAddress),
}

/// Requires exactly one name of the server, so that a name that an attacker resolves to this machine is refused.
pub(super) fn require_known_host(
    server: &HttpServer,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<()> {
    let denied = |found: &str| -> ToolError {
        tool_error!(PolicyDenied, "host"; "`{found}` is no name of this server"; "add it to `server.hosts` of the configuration")
    };
    let mut stated = headers.get_all(HOST).iter();
    let (Some(stated), None) = (stated.next(), stated.next()) else {
        return Err(denied("a request without exactly one `Host`"));
    };
    let in_line = uri.authority().map(|authority| authority.as_str());
    for name in [stated.to_str().ok()]
        .into_iter()
        .chain([in_line].into_iter().filter(Option::is_some))
    {
        let name = name.unwrap_or_default();
        if !is_name(server, name) {
            let shown: String = name.chars().take(100).collect();
            return Err(denied(&shown));
        }
    }
    Ok(())
}

/// Whether `host` or `host:port` is a name of the server.
fn is_name(server: &HttpServer, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let host = host_of(&name);
    let own_port = |name: &str| {
        name.strip_prefix(host)
            .is_some_and(|port| is_port(port, server.address.port()))
    };
    let is_own = OWN_HOSTS.contains(&host) || is_address(host, server.address.ip());
    let configured = server.settings.hosts.iter().any(|one| {
        let one = one.to_ascii_lowercase();
        // An entry without a port is the name at any port.
        one == name || (host_of(&one) == one && one == host)
    });
    configured || (is_own && own_port(&name))
}

/// The part before the port.
fn host_of(name: &str) -> &str {
    match name.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => name,
    }
}

/// Whether the rest of a name is this port, or none.
fn is_port(rest: &str, port: u16) -> bool {
    rest.is_empty()
        || rest
            .strip_prefix(':')
            .is_some_and(|rest| rest.parse() == Ok(port))
}

fn is_address(host: &str, address: IpAddr) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse() == Ok(address) && !address.is_unspecified()
}

/// Requires that a page that calls is of an allowed origin. Programs state none.
fn require_allowed_origin(server: &HttpServer, headers: &HeaderMap) -> Result<()> {
    for stated in headers.get_all(ORIGIN) {
        let stated = stated.to_str().unwrap_or_default();
        let scheme = match server.settings.tls {
            Some(_) => "https://",
            None => "http://",
        };
        let own = stated.strip_prefix(scheme).is_some_and(|name| {
            name.contains(':') && OWN_HOSTS.contains(&host_of(name)) && is_name(server, name)
        });
        let configured = server
            .settings
            .origins
            .iter()
            .any(|one| one.trim_end_matches('/').eq_ignore_ascii_case(stated));
        if !(own || configured) {
            let shown: String = stated.chars().take(100).collect();
            return Err(
                tool_error!(PolicyDenied, "origin"; "pages of `{shown}` may not call this server";
                "add the origin to `server.origins` of the configuration"),
            );
        }
    }
    Ok(())
}
