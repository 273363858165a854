//! Whole text files for the tools that edit them.

use crate::prelude::*;

/// Maximum size of a file that is edited in memory.
pub(super) const BYTES_MAX: u64 = 64 << 20;

/// Reads a UTF-8 text file.
///
/// # Errors
/// As reading does; `limit_exceeded` for a large file, `invalid_args` for one that is not UTF-8.
pub(super) fn read_text(ctx: &Ctx, path: &str) -> Result<String> {
    let files = ctx.files()?;
    let size = files.stat(path)?.size.min(BYTES_MAX);
    // The old text, the new one, and the bytes of both on their way to the disk.
    ctx.reserve(size.saturating_mul(4))?;
    let content = files.read(path, BYTES_MAX)?;
    if content.truncated {
        return Err(tool_error!(LimitExceeded, "bytes";
            "`{path}` has more than {BYTES_MAX} bytes"; "replace such a file with `write_file`"));
    }
    String::from_utf8(content.bytes).map_err(|err| {
        let place = err.utf8_error().valid_up_to();
        tool_error!(InvalidArgs, "encoding"; "`{path}` is not UTF-8: byte {place} is invalid";
            "only UTF-8 texts are edited in place; `write_file` supports other encodings")
    })
}

/// The number of the line, from 1, that a byte is in.
pub(super) fn line_of(text: &str, byte: usize) -> u64 {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..byte]).count() as u64 + 1
}
