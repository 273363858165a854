//! The output of `git status --porcelain=v2 --branch -z`, as rows.
//!
//! # References
//! `git-status(1)`, "Porcelain Format Version 2".

use super::paths::decode_name;
use crate::prelude::*;

tool_core::names! {
    /// How a file differs.
    FileChange {
        /// It does not.
        Unmodified = "unmodified",
        /// Its content or mode does.
        Modified = "modified",
        /// It is of another type: a file, a link or a submodule.
        TypeChanged = "type_changed",
        /// It is new.
        Added = "added",
        /// It is missing.
        Deleted = "deleted",
        /// It is new, with the content of one that is missing.
        Renamed = "renamed",
        /// It is new, with the content of one that is there.
        Copied = "copied",
        /// It has a conflict.
        Unmerged = "unmerged",
        /// It is in the work tree alone.
        Untracked = "untracked",
        /// It is in the work tree alone, and ignored.
        Ignored = "ignored",
    }

    /// What both sides of a merge did to a file.
    Conflict {
        /// Both deleted it.
        BothDeleted = "both_deleted",
        /// We added it.
        AddedByUs = "added_by_us",
        /// They deleted it, we changed it.
        DeletedByThem = "deleted_by_them",
        /// They added it.
        AddedByThem = "added_by_them",
        /// We deleted it, they changed it.
        DeletedByUs = "deleted_by_us",
        /// Both added it.
        BothAdded = "both_added",
        /// Both changed it.
        BothModified = "both_modified",
    }
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(super) struct GitStatusEntry {
    /// Path relative to the repository; a folder ends with `/`. Invalid UTF-8 is replaced.
    pub path: String,
    /// The bytes of the path as base64; `null` where `path` is exact.
    pub path_base64: Option<String>,
    /// The path that it was renamed or copied from; otherwise `null`.
    pub original_path: Option<String>,
    /// The bytes of that path as base64; `null` where `original_path` is exact.
    pub original_path_base64: Option<String>,
    /// How the index differs from the last commit.
    pub index: FileChange,
    /// How the work tree differs from the index.
    pub worktree: FileChange,
    /// Whether it is a submodule; changes within submodules are not examined.
    pub submodule: bool,
    /// Similarity to `original_path` in percent; `null` without one.
    pub similarity: Option<u64>,
    /// The kind of its conflict; `null` without one.
    pub conflict: Option<Conflict>,
}

/// Branch and rows.
#[derive(Debug, Default, PartialEq)]
pub(super) struct GitStatus {
    /// Id of the last commit, if there is one.
    pub(super) head: Option<String>,
    /// The branch, unless `HEAD` is detached.
    pub(super) branch: Option<String>,
    pub(super) upstream: Option<String>,
    /// Commits ahead of the upstream and behind it, if it exists.
    pub(super) ahead_behind: Option<(u64, u64)>,
    pub(super) rows: Vec<GitStatusEntry>,
}

/// Reads the output.
///
/// # Errors
/// `internal` for a line of another form.
pub(super) fn parse_status(bytes: &[u8]) -> Result<GitStatus> {
    let mut table = GitStatus::default();
    let mut records = bytes.split(|&byte| byte == 0).filter(|one| !one.is_empty());
    while let Some(record) = records.next() {
        let unread = || {
            let shown = String::from_utf8_lossy(record).into_owned();
            tool_error!(
                Internal,
                "unexpected output of git: `{}`",
                shown.escape_debug()
            )
        };
        if let Some(header) = record.strip_prefix(b"# ") {
            table.header(&String::from_utf8_lossy(header));
            continue;
        }
        let original = match record.first() {
            Some(b'2') => Some(records.next().ok_or_else(unread)?),
            _ => None,
        };
        table
            .rows
            .push(parse_status_row(record, original).ok_or_else(unread)?);
    }
    Ok(table)
}

impl GitStatus {
    fn header(&mut self, header: &str) {
        let Some((name, value)) = header.split_once(' ') else {
            return;
        };
        let some = |absent: &str| (value != absent).then(|| value.to_owned());
        match name {
            "branch.oid" => self.head = some("(initial)"),
            "branch.head" => self.branch = some("(detached)"),
            "branch.upstream" => self.upstream = Some(value.to_owned()),
            "branch.ab" => {
                let (ahead, behind) = value.split_once(' ').unwrap_or_default();
                let count = |text: &str| text.get(1..)?.parse().ok();
                self.ahead_behind = count(ahead).zip(count(behind));
            }
            _ => {} // later versions of git may add headers
        }
    }
}

fn parse_status_row(record: &[u8], original: Option<&[u8]>) -> Option<GitStatusEntry> {
    let (kind, rest) = (*record.first()?, record.get(2..)?);
    // Number of fields before the path.
    let before = match kind {
        b'1' => 7,
        b'2' => 8,
        b'u' => 9,
        b'?' | b'!' => 0,
        _ => return None,
    };
    let fields: Vec<&[u8]> = rest.splitn(before + 1, |&byte| byte == b' ').collect();
    let (path, path_base64) = decode_name(fields.get(before)?);
    let from = original.map(decode_name);
    let mut row = GitStatusEntry {
        path,
        path_base64,
        original_path: from.as_ref().map(|(path, _)| path.clone()),
        original_path_base64: from.and_then(|(_, bytes)| bytes),
        index: FileChange::Unmodified,
        worktree: if kind == b'!' {
            FileChange::Ignored
        } else {
            FileChange::Untracked
        },
        submodule: false,
        similarity: None,
        conflict: None,
    };
    if before == 0 {
        return Some(row);
    }
    let [index, worktree] = fields.first()? else {
        return None;
    };
    row.submodule = fields.get(1)?.first() == Some(&b'S');
    if kind == b'u' {
        (row.index, row.worktree) = (FileChange::Unmerged, FileChange::Unmerged);
        row.conflict = Some(parse_conflict(*index, *worktree)?);
        return Some(row);
    }
    (row.index, row.worktree) = (parse_change(*index)?, parse_change(*worktree)?);
    if kind == b'2' {
        let score = std::str::from_utf8(fields.get(7)?).ok()?;
        row.similarity = Some(score.get(1..)?.parse().ok()?);
    }
    Some(row)
}

fn parse_change(letter: u8) -> Option<FileChange> {
    Some(match letter {
        b'.' => FileChange::Unmodified,
        b'M' => FileChange::Modified,
        b'T' => FileChange::TypeChanged,
        b'A' => FileChange::Added,
        b'D' => FileChange::Deleted,
        b'R' => FileChange::Renamed,
        b'C' => FileChange::Copied,
        _ => return None,
    })
}

fn parse_conflict(us: u8, them: u8) -> Option<Conflict> {
    Some(match [us, them] {
        [b'D', b'D'] => Conflict::BothDeleted,
        [b'A', b'U'] => Conflict::AddedByUs,
        [b'U', b'D'] => Conflict::DeletedByThem,
        [b'U', b'A'] => Conflict::AddedByThem,
        [b'D', b'U'] => Conflict::DeletedByUs,
        [b'A', b'A'] => Conflict::BothAdded,
        [b'U', b'U'] => Conflict::BothModified,
        _ => return None,
    })
}
