//! Reading an answer: where it leads, whether to wait, whether it can be read; and what a failure is called.

use std::time::Duration;

use tool_core::capability::HttpResponse;
use tool_core::{ErrorCode, ToolError};
use ureq::Error;

use super::target::Target;
use super::wire::Wire;
use super::{HEAD_BYTES_MAX, Head, body};

/// Where a redirect leads, if the response is one.
pub(super) fn location(head: &Head) -> Option<String> {
    if !matches!(head.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = head.headers().get("location")?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// The seconds a server asks to wait; a date counts as too long, as nothing here knows the time of day.
pub(super) fn retry_after(head: &Head) -> Option<Duration> {
    let text = head.headers().get("retry-after")?.to_str().ok()?.trim();
    Some(text.parse().map_or(Duration::MAX, Duration::from_secs))
}

pub(super) fn finish(
    head: Head,
    target: &Target,
    wire: &Wire,
    bytes_max: u64,
    accept: &[&str],
) -> Result<HttpResponse, ToolError> {
    let (parts, body) = head.into_parts();
    let headers: Vec<(String, String)> = (parts.headers.iter())
        .map(|(name, value)| {
            (
                name.as_str().to_owned(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    let status = parts.status.as_u16();
    if parts.status.is_success() {
        accepted(header("content-type"), accept, target)?;
    }
    let read = body::read(body.into_reader(), header("content-encoding"), bytes_max);
    let (body, truncated) = read.map_err(|fault| match fault {
        body::Fault::Broken(err) => failed(&Error::Io(err), target, wire),
        body::Fault::Refused(err) => err,
    })?;
    Ok(HttpResponse {
        status,
        headers,
        body,
        truncated,
        url: target.url.to_string(),
        elapsed: Duration::ZERO,
    })
}

/// Whether the caller can read what came.
fn accepted(found: Option<&str>, accept: &[&str], target: &Target) -> Result<(), ToolError> {
    let found = found.unwrap_or("application/octet-stream");
    let found = found
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let fits =
        |wanted: &&str| *wanted == found || wanted.ends_with('/') && found.starts_with(*wanted);
    if accept.is_empty() || accept.iter().any(fits) {
        return Ok(());
    }
    let message = format_args!(
        "{} is `{found}`, expected one of `{}`",
        target.shown(),
        accept.join("`, `")
    );
    Err(ToolError::new(ErrorCode::ToolError, message)
        .reason("content_type")
        .hint("`http_get` takes any type of content"))
}

/// Words what ureq reports; what was learnt on the wire says more.
pub(super) fn failed(err: &Error, target: &Target, wire: &Wire) -> ToolError {
    if let Some(fault) = wire.take_fault() {
        return fault;
    }
    let of_tls =
        |err: &std::io::Error| target.secure() && err.kind() == std::io::ErrorKind::InvalidData;
    let (reason, hint) = match err {
        Error::LargeResponseHeader(..) => {
            let message = format_args!(
                "the head of the answer of {} is larger than {HEAD_BYTES_MAX} bytes",
                target.shown()
            );
            return ToolError::new(ErrorCode::LimitExceeded, message).reason("header");
        }
        Error::Tls(_) | Error::Rustls(_) | Error::TlsRequired => ("tls", TLS),
        Error::Io(err) if of_tls(err) => ("tls", TLS),
        Error::Io(_) | Error::ConnectionFailed => ("network", "ask again later"),
        _ => (
            "http",
            "the server does not speak proper HTTP; use another URL",
        ),
    };
    const TLS: &str = "the server's certificate or encryption is not to be trusted; this check cannot be turned off";
    let message = format_args!("the exchange with {} failed: {err}", target.shown());
    ToolError::new(ErrorCode::ToolError, message)
        .reason(reason)
        .hint(hint)
}
