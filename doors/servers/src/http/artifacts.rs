//! `GET /v1/artifacts/{handle}`: a large value as JSON, whole or a range of its bytes.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::header::{ACCEPT_RANGES, CONTENT_RANGE, ETAG, HeaderValue, RANGE};
use axum::http::{HeaderMap, StatusCode};
use tool_core::{Result, json, tool_error};

use super::callers::HttpCaller;
use super::reply::{self, Replied};
use super::server::HttpServer;

/// Largest value that is opened, in bytes.
const BYTES_MAX: u64 = 256 << 20;

/// Sends a value that the caller's role may read.
pub(super) async fn send_artifact(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(handle): Path<String>,
    headers: HeaderMap,
) -> Replied {
    let tag = HeaderValue::from_str(&format!("\"{handle}\""));
    let text = server
        .aside(move |server| {
            let scope = caller.scope(server);
            let value = server.records()?.open_in(&scope, &handle, BYTES_MAX)?;
            Ok(json::to_text(&value))
        })
        .await?;
    let total = text.len();
    let mut response = match requested_range(&headers, total)? {
        None => reply::text_response(StatusCode::OK, reply::JSON, text),
        Some((first, last)) => {
            let part = text.as_bytes()[first..=last].to_vec();
            let mut response = reply::text_response(StatusCode::PARTIAL_CONTENT, reply::JSON, part);
            let stated = HeaderValue::from_str(&format!("bytes {first}-{last}/{total}"));
            if let Ok(stated) = stated {
                response.headers_mut().insert(CONTENT_RANGE, stated);
            }
            response
        }
    };
    let stated = response.headers_mut();
    stated.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Ok(tag) = tag {
        stated.insert(ETAG, tag);
    }
    Ok(response)
}

/// The first and last byte that a request wants; `None` for all. Several ranges are answered as none, which RFC 9110 allows.
///
/// # Errors
/// `invalid_args` with reason `byte_range` for a range beyond the end.
fn requested_range(headers: &HeaderMap, total: usize) -> Result<Option<(usize, usize)>> {
    let stated = headers.get(RANGE).and_then(|stated| stated.to_str().ok());
    let Some((first, last)) =
        stated.and_then(|stated| stated.strip_prefix("bytes=")?.split_once('-'))
    else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let wanted = match (number(first), number(last)) {
        (Some(first), Some(last)) => (first, last.min(total.saturating_sub(1))),
        (Some(first), None) if last.trim().is_empty() => (first, total.saturating_sub(1)),
        (None, Some(count)) if first.trim().is_empty() && count > 0 => {
            (total.saturating_sub(count), total.saturating_sub(1))
        }
        _ => return Ok(None),
    };
    match wanted.0 <= wanted.1 && wanted.0 < total {
        true => Ok(Some(wanted)),
        false => Err(
            tool_error!(InvalidArgs, "byte_range"; "the range lies beyond the {total} bytes of the value"; "bytes=0-{}", total.saturating_sub(1)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_the_standard_says() {
        let of = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(RANGE, HeaderValue::from_static(text));
            requested_range(&headers, 100)
        };
        for (text, expected) in [
            ("bytes=0-9", Some((0, 9))),
            ("bytes=90-", Some((90, 99))),
            ("bytes=90-500", Some((90, 99))),
            ("bytes=-10", Some((90, 99))),
            ("bytes=-500", Some((0, 99))),
            ("bytes=0-0", Some((0, 0))),
            ("lines=0-9", None),
            ("bytes=a-b", None),
            ("bytes=0-1,5-6", None),
        ] {
            assert_eq!(of(text).unwrap(), expected, "{text}");
        }
        for text in ["bytes=100-", "bytes=100-200", "bytes=9-3"] {
            assert_eq!(
                of(text).unwrap_err().reason_str(),
                Some("byte_range"),
                "{text}"
            );
        }
    }
}
