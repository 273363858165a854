//! A walk through a tree: no link is followed, and the content of `.git` and files that `.gitignore` excludes are skipped, the latter
//! unless requested.

use std::vec::IntoIter;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::prelude::*;

/// Maximum entries of one walk.
const ENTRIES_MAX: usize = 1_000_000;
/// Maximum depth below the top.
const DEPTH_MAX: usize = 256;
/// Maximum size of a `.gitignore` file.
const IGNORE_BYTES_MAX: u64 = 1 << 20;

/// How a walk or a visit continues after an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkControl {
    /// With the next entry.
    On,
    /// Not at all.
    Stop,
}

struct FileWalk<'a> {
    files: &'a dyn WorkspaceFiles,
    ctx: &'a Ctx,
    /// The patterns of each folder on the way, unless ignored files are included.
    ignores: Option<Vec<Gitignore>>,
    entries: usize,
    /// Folders that could not be read.
    unread: u64,
}

/// Canonical path of a folder to walk; the way to it must not contain a link.
///
/// # Errors
/// As listing does.
pub(crate) fn resolve_top(ctx: &Ctx, path: &str) -> Result<String> {
    let files = ctx.files()?;
    files.entries(path, LinkMode::Refuse, ctx.stop())?;
    Ok(files.identity(path)?.path)
}

/// Visits every entry below a folder from [`resolve_top`], in the order of their paths; returns the number of folders that could not be read.
///
/// # Errors
/// As listing does; `limit_exceeded` for more than a million entries; what `visit` returns.
pub(crate) fn walk_tree(
    ctx: &Ctx,
    top: &str,
    with_ignored: bool,
    visit: &mut dyn FnMut(&FileInfo) -> Result<WalkControl>,
) -> Result<u64> {
    let files = ctx.files()?;
    let mut walk = FileWalk {
        files,
        ctx,
        ignores: (!with_ignored).then(Vec::new),
        entries: 0,
        unread: 0,
    };
    let first = files.entries(top, LinkMode::Refuse, ctx.stop())?;
    walk.enter_above(top)?;
    let mut stack = vec![walk.enter(top, first)];
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
        if is_folder && entry_name(&entry) == ".git" || walk.ignored(&entry) {
            continue;
        }
        if let WalkControl::Stop = visit(&entry)? {
            break;
        }
        if is_folder {
            let within = (stack.len() < DEPTH_MAX).then_some(&entry.path);
            let list = |path: &String| files.entries(path, LinkMode::Refuse, ctx.stop()).ok();
            match within.and_then(list) {
                Some(found) => stack.push(walk.enter(&entry.path, found)),
                None => {
                    ctx.check()?;
                    walk.unread += 1;
                }
            }
        }
    }
    Ok(walk.unread)
}

fn entry_name(entry: &FileInfo) -> &str {
    entry.path.rsplit('/').next().unwrap_or_default()
}

impl FileWalk<'_> {
    fn count(&mut self) -> Result<()> {
        self.entries += 1;
        if self.entries.is_multiple_of(256) {
            self.ctx.check()?;
        }
        if self.entries <= ENTRIES_MAX {
            return Ok(());
        }
        Err(tool_error!(LimitExceeded, "entries";
            "more than {ENTRIES_MAX} entries"; "choose a folder further down"))
    }

    /// Patterns of the folders above the top apply too.
    fn enter_above(&mut self, top: &str) -> Result<()> {
        if self.ignores.is_some() {
            let real = self.files.identity(top)?.path;
            if real != "." {
                // The name of a folder in another root than the first is absolute.
                if !real.starts_with('/') {
                    self.add_ignores(".");
                }
                real.match_indices('/')
                    .for_each(|(end, _)| self.add_ignores(&real[..end]));
            }
        }
        Ok(())
    }

    /// Enters a folder and reads its patterns.
    fn enter(&mut self, folder: &str, found: Vec<FileInfo>) -> IntoIter<FileInfo> {
        let is_patterns =
            |entry: &FileInfo| entry_name(entry) == ".gitignore" && entry.kind == FileKind::File;
        if found.iter().any(is_patterns) {
            self.add_ignores(folder);
        } else if let Some(ignores) = &mut self.ignores {
            ignores.push(Gitignore::empty());
        }
        found.into_iter()
    }

    /// Skips lines that are not patterns, as git does.
    fn add_ignores(&mut self, folder: &str) {
        let Some(ignores) = &mut self.ignores else {
            return;
        };
        let path = match folder {
            "." => ".gitignore".to_owned(),
            folder => format!("{folder}/.gitignore"),
        };
        let mut builder = GitignoreBuilder::new(folder);
        if let Ok(content) = self.files.read(&path, IGNORE_BYTES_MAX) {
            let text = String::from_utf8_lossy(&content.bytes);
            let lines = text.trim_start_matches('\u{feff}').lines();
            let lines = lines.filter(|line| !line.starts_with('#'));
            for line in lines.filter_map(super::ignore_line::translate_ignore_line) {
                let _ = builder.add_line(None, &line);
            }
        }
        ignores.push(builder.build().unwrap_or_else(|_| Gitignore::empty()));
    }

    /// The nearest folder with a matching pattern decides.
    fn ignored(&self, entry: &FileInfo) -> bool {
        let is_folder = entry.kind == FileKind::Directory;
        let mut patterns = self.ignores.iter().flatten().rev();
        let found = patterns.find_map(|patterns| {
            let found = patterns.matched(&entry.path, is_folder);
            (!found.is_none()).then(|| found.is_ignore())
        });
        found.unwrap_or(false)
    }
}
