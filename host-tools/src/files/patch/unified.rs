//! Unified diffs, as `diff -u` and `git diff` write them.

use super::{
    FilePatch, HunkLine, PatchAction, PatchHunk, PatchReader, abbreviate_line, patch_error,
};
use crate::prelude::*;

const HINT: &str = "a file begins with `--- a/path` and `+++ b/path`, each hunk with `@@ -first,count +first,count @@`";

/// The header of a file: the lines before its hunks.
#[derive(Default)]
struct UnifiedHeader {
    line: usize,
    git: bool,
    old: Option<PatchPath>,
    new: Option<PatchPath>,
    /// From `diff --git a/path b/path`, for changes that have no other names.
    both: Option<String>,
    rename_from: Option<String>,
    rename_to: Option<String>,
    added: bool,
    deleted: bool,
    executable: bool,
}

/// The name of a file before or after.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PatchPath {
    /// `/dev/null`.
    Nothing,
    Path(String),
}

pub(super) fn parse_unified(mut reader: PatchReader<'_>) -> Result<Vec<FilePatch>> {
    reader.hint = HINT;
    let mut files = Vec::new();
    // Text before the first file and between files is a message to readers, but not hunk lines beyond the counts of a hunk.
    let mut after_hunk = false;
    while let Some(line) = reader.peek() {
        let next = reader.get(reader.at + 1).unwrap_or_default();
        if line.starts_with("diff --git ") || line.starts_with("--- ") && next.starts_with("+++ ") {
            files.push(reader.file()?);
            after_hunk = true;
            continue;
        }
        if line.starts_with("@@ -") {
            return Err(reader.fault("a hunk comes before the name of its file"));
        }
        // A mail ends its patch with `-- ` and the version of git.
        if after_hunk && line != "-- " && line.starts_with([' ', '+', '-']) {
            let why = "is outside of every hunk: the counts of the `@@` before it may be wrong";
            return Err(reader.fault(format_args!("{} {why}", abbreviate_line(line))));
        }
        after_hunk &= line.is_empty();
        reader.at += 1;
    }
    Ok(files)
}

impl PatchReader<'_> {
    fn file(&mut self) -> Result<FilePatch> {
        let header = self.header()?;
        let mut hunks = Vec::new();
        while self.peek().is_some_and(|line| line.starts_with("@@")) {
            hunks.push(self.numbered_hunk()?);
        }
        header.file(hunks)
    }

    fn header(&mut self) -> Result<UnifiedHeader> {
        let mut header = UnifiedHeader {
            line: self.at + 1,
            ..UnifiedHeader::default()
        };
        if let Some(names) = self.after("diff --git ") {
            header.git = true;
            header.both = same_name(names);
            self.at += 1;
            while let Some(line) = self.peek() {
                if !self.extended(line, &mut header)? {
                    break;
                }
                self.at += 1;
            }
        }
        let next = self.get(self.at + 1).unwrap_or_default();
        if let (Some(old), Some(new)) = (self.after("--- "), next.strip_prefix("+++ ")) {
            header.old = Some(self.name(old)?);
            self.at += 1;
            header.new = Some(self.name(new)?);
            self.at += 1;
        }
        Ok(header)
    }

    /// Reads an extended header line of git; returns whether it is one.
    fn extended(&self, line: &str, header: &mut UnifiedHeader) -> Result<bool> {
        let mode = |mode: &str| match mode.trim() {
            "100644" => Ok(false),
            "100755" => Ok(true),
            other => {
                let message = "only regular files can be patched";
                Err(self.fault(format_args!(
                    "{message}, found mode {}",
                    abbreviate_line(other)
                )))
            }
        };
        if let Some(found) = line.strip_prefix("new file mode ") {
            header.added = true;
            header.executable = mode(found)?;
        } else if let Some(found) = line.strip_prefix("deleted file mode ") {
            header.deleted = true;
            mode(found)?;
        } else if line.starts_with("old mode ") || line.starts_with("new mode ") {
            return Err(self.fault("a patch cannot change file modes"));
        } else if let Some(name) = line.strip_prefix("rename from ") {
            header.rename_from = Some(self.plain(name)?);
        } else if let Some(name) = line.strip_prefix("rename to ") {
            header.rename_to = Some(self.plain(name)?);
        } else if line.starts_with("copy from ") || line.starts_with("copy to ") {
            return Err(self.fault("a patch cannot copy files"));
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            return Err(self.fault("binary files cannot be patched"));
        } else {
            let mut plain = ["index ", "similarity index ", "dissimilarity index "].iter();
            return Ok(plain.any(|prefix| line.starts_with(prefix)));
        }
        Ok(true)
    }

    fn plain(&self, name: &str) -> Result<String> {
        match self.name(name)? {
            PatchPath::Path(path) => Ok(path),
            PatchPath::Nothing => Err(self.fault("`/dev/null` is not a file")),
        }
    }

    /// A file name without the time after it; git quotes names with special characters.
    fn name(&self, text: &str) -> Result<PatchPath> {
        let name = if text.starts_with('"') {
            unquote_name(text).ok_or_else(|| self.fault("invalid quoted name"))?
        } else {
            let name = text.split('\t').next().unwrap_or_default();
            name.trim_end().to_owned()
        };
        match name.as_str() {
            "" => Err(self.fault("the path is missing")),
            "/dev/null" => Ok(PatchPath::Nothing),
            _ => Ok(PatchPath::Path(name)),
        }
    }

    fn numbered_hunk(&mut self) -> Result<PatchHunk> {
        let header = self.peek().unwrap_or_default();
        let Some((old, new)) = parse_hunk_ranges(header) else {
            let expected = "expected `@@ -first,count +first,count @@`";
            return Err(self.fault(format_args!(
                "{expected}, found {}",
                abbreviate_line(header)
            )));
        };
        let mut hunk = PatchHunk {
            start: Some(old.0),
            line: self.at + 1,
            ..PatchHunk::default()
        };
        self.at += 1;
        let (mut old_left, mut new_left) = (old.1, new.1);
        while old_left > 0 || new_left > 0 {
            let Some(line) = self.peek() else {
                return Err(self.counts(&hunk, "it ends early"));
            };
            if line.starts_with('\\') {
                self.open_end(&mut hunk)?;
                continue;
            }
            let (old_line, new_line, found) = match HunkLine::parse(line) {
                Some(found @ HunkLine::Keep(_)) => (1, 1, found),
                Some(found @ HunkLine::Remove(_)) => (1, 0, found),
                Some(found @ HunkLine::Add(_)) => (0, 1, found),
                None => {
                    let why = format!("{} is not a hunk line", abbreviate_line(line));
                    return Err(self.counts(&hunk, &why));
                }
            };
            if old_line > old_left || new_line > new_left {
                return Err(self.counts(&hunk, "there are more"));
            }
            old_left -= old_line;
            new_left -= new_line;
            hunk.lines.push(found);
            self.at += 1;
        }
        if self.peek().is_some_and(|line| line.starts_with('\\')) {
            self.open_end(&mut hunk)?;
        }
        Ok(hunk)
    }

    fn counts(&self, hunk: &PatchHunk, why: &str) -> ToolError {
        let what = "does not have the number of lines of its `@@`";
        let message = format_args!("the hunk of line {} {what}: {why}", hunk.line);
        let hint = "correct the counts, or use the format `*** Begin Patch`, which has no counts";
        patch_error(self.at + 1, message, hint)
    }

    /// `\ No newline at end of file`, about the line before it.
    fn open_end(&mut self, hunk: &mut PatchHunk) -> Result<()> {
        match hunk.lines.last() {
            Some(HunkLine::Keep(_)) => (hunk.old_open, hunk.new_open) = (true, true),
            Some(HunkLine::Remove(_)) => hunk.old_open = true,
            Some(HunkLine::Add(_)) => hunk.new_open = true,
            None => return Err(self.fault("a missing line end is marked before the first line")),
        }
        self.at += 1;
        Ok(())
    }
}

impl UnifiedHeader {
    fn file(self, hunks: Vec<PatchHunk>) -> Result<FilePatch> {
        let fail = |why: &str| Err(patch_error(self.line, why, HINT));
        let (old, new) = self.names();
        let line = self.line;
        let update = |path, move_to, hunks| (path, PatchAction::Update { move_to, hunks });
        let renamed = self.rename_from.is_some() || self.rename_to.is_some();
        let (path, action) = match (old, new) {
            (Some(old), Some(new)) if renamed && old == new && hunks.is_empty() => {
                return fail("the file is moved to itself");
            }
            (Some(old), Some(new)) if renamed => {
                let moved = (old != new).then_some(new);
                update(old, moved, hunks)
            }
            (_, Some(path)) if self.added || self.old == Some(PatchPath::Nothing) => {
                let Some(content) = new_file_content(&hunks) else {
                    return fail("a new file must have only added lines, in one hunk");
                };
                let action = PatchAction::Add {
                    content,
                    executable: self.executable,
                };
                (path, action)
            }
            (Some(old), _) if self.deleted || self.new == Some(PatchPath::Nothing) => {
                (old, PatchAction::Delete { hunks: Some(hunks) })
            }
            (_, Some(_)) if hunks.is_empty() => return fail("the file has no changes"),
            (_, Some(path)) => update(path, None, hunks),
            _ => return fail("the name of the file is missing"),
        };
        Ok(FilePatch { path, action, line })
    }

    /// The old and new path, without the prefixes `a/` and `b/` of git.
    fn names(&self) -> (Option<String>, Option<String>) {
        if let (Some(from), Some(to)) = (&self.rename_from, &self.rename_to) {
            return (Some(from.clone()), Some(to.clone()));
        }
        let path = |name: &Option<PatchPath>| match name {
            Some(PatchPath::Path(path)) => Some(path.clone()),
            _ => None,
        };
        let (old, new) = (path(&self.old), path(&self.new));
        let prefixed = |name: &Option<String>, prefix: &str| {
            (name.as_ref()).is_none_or(|name| name.starts_with(prefix))
        };
        if self.old.is_none() && self.new.is_none() {
            return (self.both.clone(), self.both.clone());
        }
        if prefixed(&old, "a/") && prefixed(&new, "b/") {
            let strip = |name: Option<String>| name.map(|name| name[2..].to_owned());
            return (strip(old), strip(new));
        }
        (old, new)
    }
}

/// The content of a new file; `None` if the hunks have other lines.
fn new_file_content(hunks: &[PatchHunk]) -> Option<String> {
    let [hunk] = hunks else {
        return hunks.is_empty().then(String::new);
    };
    let added = |line: &HunkLine| match line {
        HunkLine::Add(text) => Some(format!("{text}\n")),
        _ => None,
    };
    let mut content: String = hunk.lines.iter().map(added).collect::<Option<_>>()?;
    if hunk.new_open {
        content.pop();
    }
    Some(content)
}

/// `@@ -first,count +first,count @@` and whatever follows; a count that is left out is 1.
fn parse_hunk_ranges(header: &str) -> Option<((usize, usize), (usize, usize))> {
    let rest = header.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| {
        let (first, count) = text.split_once(',').unwrap_or((text, "1"));
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<usize>().ok()).flatten()
        };
        Some((number(first)?, number(count)?))
    };
    Some((range(old)?, range(new)?))
}

/// `a/path b/path` with the same path twice.
fn same_name(names: &str) -> Option<String> {
    let middle = names.len() / 2;
    let (old, new) = names.split_at_checked(middle)?;
    let old = old.strip_prefix("a/")?;
    let new = new.strip_prefix(" b/")?;
    (old == new && !old.is_empty()).then(|| old.to_owned())
}

/// A name as git quotes it: C escapes, bytes in octal.
fn unquote_name(text: &str) -> Option<String> {
    let inner = text.trim_end().strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            same @ (b'"' | b'\\') => same,
            high @ b'0'..=b'3' => {
                let mut value = high - b'0';
                for _ in 0..2 {
                    let digit = rest.next().filter(|digit| (b'0'..=b'7').contains(digit))?;
                    value = value * 8 + (digit - b'0');
                }
                value
            }
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}
