//! Paths in a repository: arguments, and names in the output of git, which may be any bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::prelude::*;

/// Most paths of one call.
const FILES_MAX: usize = 1000;

/// Checks paths of files, relative to the repository.
///
/// # Errors
/// `invalid_args` at the path, `limit_exceeded` for too many.
pub(super) fn check_paths(files: &[String]) -> Result<()> {
    if files.len() > FILES_MAX {
        let count = files.len();
        return Err(tool_error!(LimitExceeded at "/files";
            "expected at most {FILES_MAX} paths, found {count}"; "name a folder instead of its files"));
    }
    files.iter().enumerate().try_for_each(|(index, path)| {
        let pointer = format!("/files/{index}");
        check_one(path, &pointer)
    })
}

/// Checks one path.
///
/// # Errors
/// `invalid_args` at the pointer.
pub(super) fn check_one(path: &str, pointer: &str) -> Result<()> {
    let what = if path.is_empty() {
        "it is empty"
    } else if path.starts_with('/') {
        "it is absolute"
    } else if path.contains('\0') {
        "it contains a NUL character"
    } else if path.split('/').any(|part| part == "..") {
        "it contains `..`"
    } else if path_parts(path).any(|part| part.eq_ignore_ascii_case(".git")) {
        "it lies in `.git`"
    } else {
        return Ok(());
    };
    let shown: String = path.chars().take(80).collect();
    Err(tool_error!(InvalidArgs at pointer, "path";
        "expected a path relative to the repository, found `{}`: {what}", shown.escape_debug()))
}

/// A path in the workspace, from a folder of it and a path relative to that.
pub(super) fn join_path(folder: &str, path: &str) -> String {
    match folder {
        "" | "." => path.to_owned(),
        folder => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}

/// A name as text, with U+FFFD for invalid UTF-8, and then its bytes as base64.
pub(super) fn decode_name(bytes: &[u8]) -> (String, Option<String>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) => (
            String::from_utf8_lossy(bytes).into_owned(),
            Some(STANDARD.encode(bytes)),
        ),
    }
}
