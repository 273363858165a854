//! Files as arguments: the value of `{"$file": path}`.
//!
//! | extension | value |
//! | --- | --- |
//! | `.json` | the document, parsed strictly |
//! | `.csv` | without a header: a list of rows of numbers, or a flat list for one column; with a header: an object of columns |
//! | `.npy` | nested lists of numbers in its shape |
//!
//! For an argument of type text, any UTF-8 file is its content. Start with [`Inputs`].

mod csv;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_core::capability::Arrays;
use tool_core::input::InputKind;
use tool_core::{Source, npy};

use crate::prelude::*;

/// Reads the files of arguments through a workspace.
#[derive(Clone)]
pub struct Inputs {
    files: Arc<dyn Files>,
}

impl Inputs {
    /// Reads from the files of a workspace.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files }
    }
}

impl Arrays for Inputs {
    fn open(&self, source: &Source, kind: InputKind, bytes_max: u64) -> Result<Value> {
        let path = match source {
            Source::File(path) => path,
            Source::Artifact(handle) => {
                return Err(tool_error!(PreconditionFailed, "no_artifact_store";
                    "the artifact `{handle}` cannot be opened here: there is no artifact store")
                .hint("pass the data inline, or as a file with `{\"$file\": path}`"));
            }
        };
        let content = self.files.read(path, bytes_max)?;
        if content.truncated {
            let size = content.info.size.max(bytes_max);
            let error = tool_error!(LimitExceeded;
                "`{path}` has {size} bytes; the limit is {bytes_max}");
            return Err(error
                .reason("file_size")
                .hint("pass a smaller file, or raise `limits.max_input_bytes`"));
        }
        match kind {
            InputKind::Text => text(path, &content.bytes).map(Value::from),
            InputKind::Data => data(path, &content.bytes),
        }
    }
}

fn data(path: &str, bytes: &[u8]) -> Result<Value> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    let fault = |fault: npy::Fault| unfit(path, &fault.message, "format").hint(fault.hint);
    match ending.as_deref() {
        Some("json") => {
            let limits = json::Limits {
                bytes_max: bytes.len(),
                ..json::Limits::default()
            };
            let bytes = without_mark(bytes);
            json::parse_bytes(bytes, limits).map_err(|err| {
                let error = unfit(path, &err.to_string(), "json");
                match err.hint {
                    Some(hint) => error.hint(hint),
                    None => error,
                }
            })
        }
        Some("csv") => csv::parse(text(path, bytes)?).map_err(fault),
        Some("npy") => npy::parse(bytes).map_err(fault),
        _ => {
            let message = "unknown data format: the extension is not supported";
            Err(unfit(path, message, "format")
                .hint("use a file that ends in `.json`, `.csv` or `.npy`"))
        }
    }
}

fn unfit(path: &str, message: &str, reason: &'static str) -> ToolError {
    tool_error!(InvalidArgs, reason; "`{path}`: {message}")
}

fn text<'a>(path: &str, bytes: &'a [u8]) -> Result<&'a str> {
    let bytes = without_mark(bytes);
    std::str::from_utf8(bytes).map_err(|err| {
        let offset = err.valid_up_to();
        let byte = bytes[offset];
        let message = format!("expected UTF-8, found the byte {byte:#04x} at offset {offset}");
        unfit(path, &message, "encoding")
            .hint("convert the file to UTF-8, or read it with `read_file` and its encoding")
    })
}

/// Removes a UTF-8 byte-order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
