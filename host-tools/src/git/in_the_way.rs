//! Untracked files that a checkout would overwrite. Git itself spares only those that are not ignored.

use std::collections::HashMap;

use super::paths;
use super::repository::GitRepository;
use crate::prelude::*;

/// Most paths of one start of git.
const PATHS_MAX: usize = 200;

/// Refuses a checkout that adds these paths, each with a NUL after it, where untracked files are in their places.
///
/// # Errors
/// `conflict` with reason `local_changes`; `precondition_failed` for names that are not UTF-8.
pub(super) fn refuse_overwriting_checkout(
    repository: &GitRepository<'_>,
    added: &[u8],
) -> Result<()> {
    let mut folders = WorkTreeFolders {
        repository,
        known: HashMap::new(),
    };
    let mut taken = Vec::new();
    for path in added.split(|&byte| byte == 0).filter(|one| !one.is_empty()) {
        let path = std::str::from_utf8(path).map_err(|_| {
            let (shown, _) = paths::decode_name(path);
            tool_error!(PreconditionFailed at "/name", "not_utf8";
                "the branch adds `{shown}`, whose name is not UTF-8"; "the user checks it out by hand")
        })?;
        if let Some(place) = folders.taken(path)? {
            taken.push(place);
        }
    }
    taken.dedup();
    for places in taken.chunks(PATHS_MAX) {
        let mut words = vec!["ls-files", "-z", "--others", "--"];
        words.extend(places.iter().map(String::as_str));
        let listed = repository.output(&words)?;
        if let Some(first) = listed.split(|&byte| byte == 0).find(|one| !one.is_empty()) {
            let (shown, _) = paths::decode_name(first);
            return Err(tool_error!(Conflict, "local_changes";
                "the untracked file `{shown}` is in the way of the branch"; "move it away, or commit it first"));
        }
    }
    Ok(())
}

/// The entries of folders of the work tree.
struct WorkTreeFolders<'a> {
    repository: &'a GitRepository<'a>,
    known: HashMap<String, HashMap<String, FileKind>>,
}

impl WorkTreeFolders<'_> {
    /// What is in the place of a path: an entry of that name, or one above it that is no folder.
    fn taken(&mut self, path: &str) -> Result<Option<String>> {
        let ends = path.match_indices('/').map(|(end, _)| end);
        for end in ends.chain([path.len()]) {
            let place = &path[..end];
            match self.kind(place)? {
                None => return Ok(None),
                Some(FileKind::Directory) if end < path.len() => {}
                Some(_) => return Ok(Some(place.to_owned())),
            }
        }
        Ok(None)
    }

    fn kind(&mut self, path: &str) -> Result<Option<FileKind>> {
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        if !self.known.contains_key(folder) {
            let ctx = self.repository.ctx();
            ctx.check()?;
            let place = match folder {
                "." => self.repository.folder.clone(),
                folder => paths::join_path(&self.repository.folder, folder),
            };
            let entries = ctx.files()?.entries(&place, LinkMode::Refuse, ctx.stop())?;
            let named = entries.iter().filter_map(|entry| {
                let name = entry.path.rsplit('/').next()?;
                Some((name.to_owned(), entry.kind))
            });
            self.known.insert(folder.to_owned(), named.collect());
        }
        let entries = self.known.get(folder);
        Ok(entries.and_then(|entries| entries.get(name)).copied())
    }
}
