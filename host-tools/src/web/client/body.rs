//! Reading a body: decoded, cut at a limit, refused at an excessive compression ratio.

use std::cell::Cell;
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::counted::CountingReader;
use crate::prelude::*;

/// Decoded bytes per byte on the wire, beyond the first [`RATIO_FROM`]: ordinary text stays below 20.
const RATIO_MAX: u64 = 100;
const RATIO_FROM: u64 = 1 << 20;
/// Encoded bytes allowed beyond the limit of the decoded body.
const SLACK: u64 = 64 << 10;

/// A body and whether it has more.
pub(super) type Body = (Vec<u8>, bool);

/// Errors of reading a body.
pub(super) enum BodyError {
    /// The connection failed.
    Broken(io::Error),
    /// The body is refused.
    Refused(ToolError),
}

/// Reads up to `bytes_max` decoded bytes.
///
/// # Errors
/// See [`BodyError`].
pub(super) fn read_body(
    from: impl Read,
    encoding: Option<&str>,
    bytes_max: u64,
) -> Result<Body, BodyError> {
    let (counted, wire) = CountingReader::new(from.take(bytes_max.saturating_add(SLACK)));
    let encoding = encoding.unwrap_or_default().trim().to_ascii_lowercase();
    match encoding.as_str() {
        "" | "identity" => read_bounded(counted, &wire, bytes_max),
        "gzip" | "x-gzip" => read_bounded(MultiGzDecoder::new(counted), &wire, bytes_max),
        other => Err(BodyError::Refused(tool_error!(ToolError, "encoding";
            "the server sent the content encoding `{other}`, which was not requested"))),
    }
}

fn read_bounded(
    mut source: impl Read,
    wire: &Cell<u64>,
    bytes_max: u64,
) -> Result<Body, BodyError> {
    let mut body = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        let count = match source.read(&mut piece) {
            Ok(0) => return Ok((body, false)),
            Ok(count) => count,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            Err(err) => return Err(BodyError::Broken(err)),
        };
        let room = bytes_max - body.len() as u64;
        if count as u64 > room {
            body.extend_from_slice(&piece[..room as usize]);
            return Ok((body, true));
        }
        body.extend_from_slice(&piece[..count]);
        let decoded = body.len() as u64;
        if decoded > RATIO_FROM && decoded > wire.get().saturating_mul(RATIO_MAX) {
            return Err(BodyError::Refused(
                tool_error!(LimitExceeded, "compression";
                "compression ratio too high (possible zip bomb): the body expands to more than {RATIO_MAX} times its size";
                "use another source"),
            ));
        }
    }
}
