//! A walk through a tree: no link is followed, and the content of `.git` and files that `.gitignore` excludes are skipped, the latter
//! unless requested.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use tool_core::capability::{FileInfo, FileKind, Files, Links};

use crate::prelude::*;

/// Maximum entries of one walk.
const ENTRIES_MAX: usize = 1_000_000;
/// Maximum depth below the top.
const DEPTH_MAX: usize = 256;
/// Maximum size of a `.gitignore` file.
const IGNORE_BYTES_MAX: u64 = 1 << 20;

/// How a walk continues after an entry.
pub(crate) enum Next {
    /// With the next entry.
    On,
    /// Not at all.
    Stop,
}

/// Result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Folders that could not be read.
    pub(crate) unread: u64,
}

struct Walk<'a> {
    files: &'a dyn Files,
    ctx: &'a Ctx,
    /// The patterns of each folder on the way, unless ignored files are included.
    ignores: Option<Vec<Gitignore>>,
    entries: usize,
    walked: Walked,
}

/// Canonical path of a folder to walk; the way to it must not contain a link.
///
/// # Errors
/// As listing does.
pub(crate) fn top(ctx: &Ctx, path: &str) -> Result<String, ToolError> {
    let files = ctx.files()?;
    files.entries(path, Links::Refuse, ctx.stop())?;
    Ok(files.identity(path)?.path)
}

/// Visits every entry below a folder from [`top`], in the order of their paths.
///
/// # Errors
/// As listing does; `limit_exceeded` for more than a million entries; what `visit` returns.
pub(crate) fn walk(
    ctx: &Ctx,
    top: &str,
    with_ignored: bool,
    visit: &mut dyn FnMut(&FileInfo) -> Result<Next, ToolError>,
) -> Result<Walked, ToolError> {
    let files = ctx.files()?;
    let mut walk = Walk {
        files,
        ctx,
        ignores: (!with_ignored).then(Vec::new),
        entries: 0,
        walked: Walked::default(),
    };
    let first = files.entries(top, Links::Refuse, ctx.stop())?;
    walk.enter_above(top)?;
    let mut stack = vec![walk.enter(top, first)?.into_iter()];
    let base = walk.ignores.as_ref().map_or(0, Vec::len);
    while let Some(here) = stack.last_mut() {
        let Some(entry) = here.next() else {
            stack.pop();
            if let Some(ignores) = &mut walk.ignores {
                ignores.truncate((base + stack.len()).saturating_sub(1));
            }
            continue;
        };
        walk.count()?;
        let is_folder = entry.kind == FileKind::Directory;
        if is_folder && name(&entry) == ".git" || walk.ignored(&entry) {
            continue;
        }
        if let Next::Stop = visit(&entry)? {
            break;
        }
        if is_folder {
            let found = if stack.len() < DEPTH_MAX {
                files.entries(&entry.path, Links::Refuse, ctx.stop()).ok()
            } else {
                None
            };
            match found {
                Some(found) => stack.push(walk.enter(&entry.path, found)?.into_iter()),
                None => {
                    ctx.check()?;
                    walk.walked.unread += 1;
                }
            }
        }
    }
    Ok(walk.walked)
}

fn name(entry: &FileInfo) -> &str {
    entry.path.rsplit('/').next().unwrap_or_default()
}

impl Walk<'_> {
    fn count(&mut self) -> Result<(), ToolError> {
        self.entries += 1;
        if self.entries.is_multiple_of(256) {
            self.ctx.check()?;
        }
        if self.entries <= ENTRIES_MAX {
            return Ok(());
        }
        Err(
            tool_error!(LimitExceeded, "more than {ENTRIES_MAX} entries")
                .reason("entries")
                .hint("choose a folder further down"),
        )
    }

    /// Patterns of the folders above the top apply too.
    fn enter_above(&mut self, top: &str) -> Result<(), ToolError> {
        if self.ignores.is_none() {
            return Ok(());
        }
        let real = self.files.identity(top)?.path;
        let mut above = String::new();
        for part in real.split('/').filter(|_| real != ".") {
            let folder = if above.is_empty() { "." } else { &above };
            self.add_ignores(folder);
            if !above.is_empty() {
                above.push('/');
            }
            above.push_str(part);
        }
        Ok(())
    }

    /// Enters a folder and reads its patterns.
    fn enter(&mut self, folder: &str, found: Vec<FileInfo>) -> Result<Vec<FileInfo>, ToolError> {
        if self.ignores.is_some() {
            let has_patterns = found
                .iter()
                .any(|entry| name(entry) == ".gitignore" && entry.kind == FileKind::File);
            if has_patterns {
                self.add_ignores(folder);
            } else if let Some(ignores) = &mut self.ignores {
                ignores.push(Gitignore::empty());
            }
        }
        Ok(found)
    }

    /// Skips lines that are not patterns, as git does.
    fn add_ignores(&mut self, folder: &str) {
        let path = if folder == "." {
            ".gitignore".to_owned()
        } else {
            format!("{folder}/.gitignore")
        };
        let mut builder = GitignoreBuilder::new(folder);
        if let Ok(content) = self.files.read(&path, IGNORE_BYTES_MAX) {
            for line in String::from_utf8_lossy(&content.bytes).lines() {
                let _ = builder.add_line(None, line);
            }
        }
        let patterns = builder.build().unwrap_or_else(|_| Gitignore::empty());
        if let Some(ignores) = &mut self.ignores {
            ignores.push(patterns);
        }
    }

    /// The nearest folder with a matching pattern decides.
    fn ignored(&self, entry: &FileInfo) -> bool {
        let is_folder = entry.kind == FileKind::Directory;
        for patterns in self.ignores.iter().flatten().rev() {
            let found = patterns.matched(&entry.path, is_folder);
            if !found.is_none() {
                return found.is_ignore();
            }
        }
        false
    }
}
