//! Added and deleted lines of files: the output of `--numstat -z`.

use super::paths::decode_name;
use crate::prelude::*;

/// The options of every difference: no program of the repository, and one form whatever is configured.
pub(super) const OPTIONS: [&str; 9] = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--find-renames",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// A changed file.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(super) struct GitChange {
    /// Path relative to the repository. Invalid UTF-8 is replaced.
    pub path: String,
    /// The bytes of the path as base64; `null` where `path` is exact.
    pub path_base64: Option<String>,
    /// The path that it was renamed from; otherwise `null`.
    pub original_path: Option<String>,
    /// Added lines; `null` for a binary file.
    pub added: Option<u64>,
    /// Deleted lines; `null` for a binary file.
    pub deleted: Option<u64>,
}

/// Reads the output.
///
/// # Errors
/// `internal` for a line of another form.
pub(super) fn parse_raw_changes(bytes: &[u8]) -> Result<Vec<GitChange>> {
    let unread = || tool_error!(Internal, "unexpected output of `git diff --numstat`");
    let mut records = bytes.split(|&byte| byte == 0).filter(|one| !one.is_empty());
    let mut files = Vec::new();
    while let Some(record) = records.next() {
        // `git log` and combined differences put line ends before a record.
        let mut fields = record.trim_ascii_start().splitn(3, |&byte| byte == b'\t');
        let mut field = || fields.next().ok_or_else(unread);
        let (added, deleted, path) = (field()?, field()?, field()?);
        let (from, path) = match path {
            [] => (
                Some(records.next().ok_or_else(unread)?),
                records.next().ok_or_else(unread)?,
            ),
            path => (None, path),
        };
        let (path, path_base64) = decode_name(path);
        files.push(GitChange {
            path,
            path_base64,
            original_path: from.map(|from| decode_name(from).0),
            added: parse_line_count(added).ok_or_else(unread)?,
            deleted: parse_line_count(deleted).ok_or_else(unread)?,
        });
    }
    Ok(files)
}

/// A number of lines; `-` for a binary file.
fn parse_line_count(field: &[u8]) -> Option<Option<u64>> {
    match field {
        b"-" => Some(None),
        digits => Some(Some(std::str::from_utf8(digits).ok()?.parse().ok()?)),
    }
}
