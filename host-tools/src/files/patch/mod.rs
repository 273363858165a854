//! Patches as data: two formats are parsed into [`FilePatch`]es, and [`apply`](apply::apply) applies its hunks to texts.
//!
//! No file access: the tool `apply_patch` reads and writes.

use crate::prelude::*;

pub(super) mod apply;
mod envelope;
mod unified;

#[cfg(test)]
mod tests;

/// Maximum size of a patch in bytes.
pub(super) const BYTES_MAX: usize = 16 << 20;

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePatch {
    pub(super) path: String,
    pub(super) action: PatchAction,
    /// Line of the patch, from 1, that names the file.
    pub(super) line: usize,
}

/// The kinds of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatchAction {
    /// A new file with this content.
    Add { content: String, executable: bool },
    /// The file is deleted; if the patch contains its content, that must match.
    Delete { hunks: Option<Vec<PatchHunk>> },
    /// The file is changed, and optionally moved.
    Update {
        move_to: Option<String>,
        hunks: Vec<PatchHunk>,
    },
}

/// One hunk: the lines of a position before and after the change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PatchHunk {
    /// Lines that precede it, in this order, not necessarily adjacent; from `@@ def name` of the envelope.
    pub(super) headings: Vec<String>,
    /// First old line, from 1, if the patch has line numbers; for an insertion, the line before it.
    pub(super) start: Option<usize>,
    pub(super) lines: Vec<HunkLine>,
    /// Whether it must be at the end of the file.
    pub(super) at_end: bool,
    /// Whether the last old line has no line end.
    pub(super) old_open: bool,
    /// Whether the last new line has none.
    pub(super) new_open: bool,
    /// Line of the patch, from 1, where it begins.
    pub(super) line: usize,
}

/// A line of a hunk, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HunkLine {
    Keep(String),
    Remove(String),
    Add(String),
}

impl HunkLine {
    /// A line of a hunk; editors strip the space of an empty one.
    fn parse(line: &str) -> Option<Self> {
        match line.split_at_checked(1) {
            None => line.is_empty().then(|| Self::Keep(String::new())),
            Some((" ", text)) => Some(Self::Keep(text.to_owned())),
            Some(("-", text)) => Some(Self::Remove(text.to_owned())),
            Some(("+", text)) => Some(Self::Add(text.to_owned())),
            Some(_) => None,
        }
    }
}

impl PatchHunk {
    pub(super) fn old(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Keep(text) | HunkLine::Remove(text) => Some(text.as_str()),
            HunkLine::Add(_) => None,
        })
    }

    pub(super) fn new_lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(|line| match line {
            HunkLine::Keep(text) | HunkLine::Add(text) => Some(text.as_str()),
            HunkLine::Remove(_) => None,
        })
    }
}

/// Parses a patch in either format.
///
/// # Errors
/// `invalid_args` at `/patch` with the line of the patch.
pub(super) fn parse_patch(text: &str) -> Result<Vec<FilePatch>> {
    if text.len() > BYTES_MAX {
        return Err(tool_error!(InvalidArgs at "/patch", "bytes";
            "expected at most {BYTES_MAX} bytes, found {}", text.len()));
    }
    let reader = PatchReader::new(text);
    let first = reader.lines.iter().find(|line| !line.trim().is_empty());
    let files = match first {
        Some(line) if line.trim() == "*** Begin Patch" => envelope::parse_envelope(reader)?,
        _ => unified::parse_unified(reader)?,
    };
    if files.is_empty() {
        let hint = "begin with `*** Begin Patch`, or with `--- a/path` and `+++ b/path`";
        return Err(patch_error(1, "it names no file", hint));
    }
    Ok(files)
}

/// A reader of the lines of a patch, without their line ends.
struct PatchReader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    /// The hint of its errors.
    hint: &'static str,
}

impl<'a> PatchReader<'a> {
    /// Where every line of the patch ends in CR LF, that belongs to the patch and not to its content.
    fn new(text: &'a str) -> Self {
        let body = text.strip_suffix('\n').unwrap_or(text);
        let mut lines: Vec<&str> = body.split('\n').collect();
        let ends = lines.len() - usize::from(!text.ends_with('\n'));
        strip_cr(&mut lines[..ends]);
        Self {
            lines,
            at: 0,
            hint: "",
        }
    }

    fn get(&self, index: usize) -> Option<&'a str> {
        self.lines.get(index).copied()
    }

    fn peek(&self) -> Option<&'a str> {
        self.get(self.at)
    }

    /// The rest of the current line after a prefix.
    fn after(&self, prefix: &str) -> Option<&'a str> {
        self.peek()?.strip_prefix(prefix)
    }

    /// An error about the current line.
    fn fault(&self, why: impl std::fmt::Display) -> ToolError {
        patch_error(self.at + 1, why, self.hint)
    }
}

/// Removes CR from the ends of lines if all have one; returns whether they do.
fn strip_cr(lines: &mut [&str]) -> bool {
    let all = !lines.is_empty() && lines.iter().all(|line| line.ends_with('\r'));
    if all {
        lines
            .iter_mut()
            .for_each(|line| *line = &line[..line.len() - 1]);
    }
    all
}

/// An error about a line of the patch.
fn patch_error(line: usize, why: impl std::fmt::Display, hint: &str) -> ToolError {
    tool_error!(InvalidArgs at "/patch", "patch"; "line {line} of the patch: {why}").hint(hint)
}

/// A line for a message.
fn abbreviate_line(line: &str) -> String {
    const SHOWN_MAX: usize = 80;
    let shown: String = line.chars().take(SHOWN_MAX).collect();
    let more = if shown.len() < line.len() { "..." } else { "" };
    format!("`{}{more}`", shown.escape_debug())
}
