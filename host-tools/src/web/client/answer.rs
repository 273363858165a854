//! Responses: redirects, retry delays, content types; and the errors of failed exchanges.

use std::io::ErrorKind::{InvalidData, InvalidInput};
use std::time::Duration;

use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use ureq::Error;

use super::target::HttpTarget;
use super::wire::HttpExchange;
use super::{HEAD_BYTES_MAX, Head, body};
use crate::prelude::*;

/// The target of a redirect.
pub(super) fn redirect_location(head: &Head) -> Option<String> {
    if !matches!(head.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = head.headers().get("location")?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// The delay requested by `Retry-After`, in seconds or until a time; an invalid value counts as too long.
pub(super) fn retry_after(head: &Head, clock: Option<&dyn Clock>) -> Option<Duration> {
    let text = head.headers().get("retry-after")?.to_str().ok()?.trim();
    Some(match (text.parse(), unix_seconds(text), clock) {
        (Ok(seconds), ..) => Duration::from_secs(seconds),
        (_, Some(then), Some(clock)) => {
            Duration::from_secs(then).saturating_sub(Duration::from_millis(clock.unix_ms()))
        }
        _ => Duration::MAX,
    })
}

/// A time in one of the three formats of HTTP (RFC 9110, 5.6.7), all of them UTC.
fn unix_seconds(text: &str) -> Option<u64> {
    const FORMS: [&str; 3] = [
        "%a, %d %b %Y %H:%M:%S GMT",
        "%A, %d-%b-%y %H:%M:%S GMT",
        "%a %b %e %H:%M:%S %Y",
    ];
    let read = |form: &&str| strtime::parse(form, text).ok()?.to_datetime().ok();
    let time = FORMS.iter().find_map(read)?.to_zoned(TimeZone::UTC).ok()?;
    u64::try_from(time.timestamp().as_second()).ok()
}

pub(super) fn finish_response(
    head: Head,
    target: &HttpTarget,
    wire: &HttpExchange,
    bytes_max: u64,
    accept: &[&str],
) -> Result<HttpResponse> {
    let (parts, body) = head.into_parts();
    let headers = parts.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.as_str().to_owned(), value.into_owned())
    });
    let headers: Vec<(String, String)> = headers.collect();
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    let status = parts.status.as_u16();
    if parts.status.is_success() {
        check_content_type(header("content-type"), accept, target)?;
    }
    let read = body::read_body(body.into_reader(), header("content-encoding"), bytes_max);
    let (body, truncated) = read.map_err(|fault| match fault {
        body::BodyError::Broken(err) => convert_ureq_error(&Error::Io(err), target, wire),
        body::BodyError::Refused(err) => err,
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

/// Checks the content type against the accepted ones.
fn check_content_type(found: Option<&str>, accept: &[&str], target: &HttpTarget) -> Result<()> {
    let found = found.unwrap_or_default().split(';').next();
    let found = found.unwrap_or_default().trim().to_ascii_lowercase();
    let fits =
        |wanted: &&str| *wanted == found || wanted.ends_with('/') && found.starts_with(*wanted);
    if accept.is_empty() || accept.iter().any(fits) {
        return Ok(());
    }
    let what = match found.as_str() {
        "" => "has no content type".to_owned(),
        found => format!("is `{found}`"),
    };
    let (shown, accepted) = (target.shown(), accept.join("`, `"));
    Err(tool_error!(ToolError, "content_type";
        "{shown} {what}, expected one of `{accepted}`"; "`http_get` accepts any content type"))
}

/// Converts an error of ureq; a fault recorded on the wire takes precedence.
pub(super) fn convert_ureq_error(
    err: &Error,
    target: &HttpTarget,
    wire: &HttpExchange,
) -> ToolError {
    if let Some(fault) = wire.take_fault() {
        return fault;
    }
    let of_tls = |err: &std::io::Error| target.secure() && err.kind() == InvalidData;
    let (reason, hint) = match err {
        Error::LargeResponseHeader(..) => {
            return tool_error!(LimitExceeded, "header";
                "the response headers of {} are larger than {HEAD_BYTES_MAX} bytes", target.shown())
            .may_have_happened();
        }
        Error::Tls(_) | Error::Rustls(_) | Error::TlsRequired => ("tls", TLS),
        Error::Io(err) if of_tls(err) => ("tls", TLS),
        // Invalid chunks, and invalid compressed data.
        Error::Io(err)
            if matches!(err.kind(), InvalidData | InvalidInput)
                || err.get_ref().is_some_and(|inner| inner.is::<Error>()) =>
        {
            ("http", NOT_HTTP)
        }
        Error::Io(_) | Error::ConnectionFailed => ("network", "try again later"),
        _ => ("http", NOT_HTTP),
    };
    const NOT_HTTP: &str = "the server does not speak valid HTTP; use another URL";
    const TLS: &str =
        "the server's certificate or encryption cannot be trusted; this check cannot be disabled";
    let error =
        tool_error!(ToolError, reason; "the exchange with {} failed: {err}", target.shown())
            .hint(hint);
    match reason {
        "tls" => error,
        // The request may have arrived before the exchange broke.
        _ => error.may_have_happened(),
    }
}

#[cfg(test)]
mod tests {
    use super::unix_seconds;

    #[test]
    fn times_are_read_in_the_three_forms_of_http() {
        for (text, expected) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777)),
            ("Sun Nov  6 08:49:37 1994", Some(784_111_777)),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 31 Feb 1994 08:49:37 GMT", None),
            ("Thu, 01 Jan 1960 00:00:00 GMT", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(unix_seconds(text), expected, "{text}");
        }
    }
}
