//! [`Place`]: where a repository has its parts; in `.git`, or, of a linked work tree, in that of its main work tree.

use super::{paths, settings};
use crate::prelude::*;

/// Longest file of a linked work tree that names a path.
const NAME_BYTES_MAX: u64 = 8 << 10;
/// What git never changes for a call, below the common part.
const KEPT: [&str; 6] = [
    "config",
    "config.worktree",
    "hooks",
    "info",
    "modules",
    "worktrees",
];

/// The parts of a repository.
pub(super) struct Place {
    /// Folder of the work tree's own state, as git names it: `.git`, or `.../.git/worktrees/NAME`.
    pub(super) git: String,
    /// Folder of what all work trees of the repository share, as git names it.
    pub(super) common: String,
    /// Name of [`Self::git`] in the workspace.
    pub(super) inner: String,
    /// Name of [`Self::common`] in [`tool_core::command::SandboxCommand::writable`].
    pub(super) writable: String,
    /// Name of a linked work tree, and the names of the others.
    linked: Option<(String, Vec<String>)>,
}

impl Place {
    /// The parts of the repository whose work tree is a folder of the workspace.
    ///
    /// # Errors
    /// `precondition_failed` with the reason.
    pub(super) fn of(ctx: &Ctx, folder: &str) -> Result<Self> {
        if let Some(place) = find_linked_worktree(ctx, folder)? {
            return Ok(place);
        }
        check_worktree(ctx, folder)?;
        Ok(Self {
            git: ".git".to_owned(),
            common: ".git".to_owned(),
            inner: paths::join_path(&ctx.files()?.identity(folder)?.path, ".git"),
            writable: ".git".to_owned(),
            linked: None,
        })
    }

    /// Whether another folder holds the repository.
    pub(super) fn is_linked(&self) -> bool {
        self.linked.is_some()
    }

    /// What stays read-only where git changes the repository.
    pub(super) fn kept(&self) -> Vec<String> {
        let below = |name: &str| format!("{}/{name}", self.writable);
        let Some((own, others)) = &self.linked else {
            return KEPT.map(below).to_vec();
        };
        let shared = KEPT.iter().filter(|name| **name != "worktrees");
        let others = others
            .iter()
            .map(|name| below(&format!("worktrees/{name}")));
        let of_own = ["config.worktree", "commondir", "gitdir"];
        let of_own = of_own.map(|name| below(&format!("worktrees/{own}/{name}")));
        let shared = shared.map(|name| below(name));
        shared.chain(others).chain(of_own).collect()
    }
}

/// The parts of a linked work tree whose repository lies in the workspace and names it; `None` for every other folder.
///
/// A file `.git` can name any folder: the repository has to name the work tree too, as git writes it there.
fn find_linked_worktree(ctx: &Ctx, folder: &str) -> Result<Option<Place>> {
    let files = ctx.files()?;
    let line = |path: &str| -> Option<String> {
        let info = files.stat(path).ok()?;
        let content = (info.kind == FileKind::File).then(|| files.read(path, NAME_BYTES_MAX))?;
        let text = String::from_utf8(content.ok()?.bytes).ok()?;
        Some(text.strip_suffix('\n').unwrap_or(&text).to_owned())
    };
    let within = |folder: &str, path: &str| match path.starts_with('/') {
        true => path.to_owned(),
        false => paths::join_path(folder, path),
    };
    let own = files.identity(folder)?.path;
    let dot_git = paths::join_path(&own, ".git");
    let place = || {
        let text = line(&dot_git)?;
        let git = text.strip_prefix("gitdir: ")?.to_owned();
        let inner = files.identity(&within(&own, &git)).ok()?.path;
        let (common, name) = inner.rsplit_once("/worktrees/")?;
        let main = match common {
            ".git" => ".",
            other => other.strip_suffix("/.git")?,
        };
        let named = line(&format!("{inner}/gitdir"))?;
        let named = files.identity(&within(&inner, &named)).ok()?.path;
        let is_whole = named == dot_git
            && line(&format!("{inner}/commondir"))? == "../.."
            && line(&format!("{inner}/HEAD")).is_some();
        let told = git.strip_suffix(&format!("/worktrees/{name}"))?;
        is_whole.then(|| (main.to_owned(), told.to_owned(), git.clone(), inner.clone()))
    };
    let Some((main, common, git, inner)) = place() else {
        return Ok(None);
    };
    check_worktree(ctx, &main)?;
    let shared = paths::join_path(&main, ".git");
    let all = files.entries(&format!("{shared}/worktrees"), LinkMode::Follow, ctx.stop())?;
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let name_own = name(&inner);
    let others = all.iter().map(|entry| name(&entry.path));
    let others = others.filter(|other| *other != name_own).collect();
    // Names that are relative to one root lead from folder to folder; of several roots, the whole names are those of git.
    let writable = match own.starts_with('/') || shared.starts_with('/') {
        true => common.clone(),
        false => {
            let up = own.split('/').filter(|part| !matches!(*part, "" | "."));
            up.map(|_| "../").collect::<String>() + &shared
        }
    };
    Ok(Some(Place {
        git,
        common,
        inner,
        writable,
        linked: Some((name_own, others)),
    }))
}

/// Refuses folders that are not the work tree of a repository of their own.
fn check_worktree(ctx: &Ctx, folder: &str) -> Result<()> {
    let files = ctx.files()?;
    let refuse = |reason: &'static str, what: &str, hint: &str| {
        let error = tool_error!(PreconditionFailed at "/repo_path", reason; "`{folder}` {what}");
        Err(error.hint(hint.to_owned()))
    };
    let entries = files.entries(folder, LinkMode::Follow, ctx.stop())?;
    let kind_in = |entries: &[FileInfo], name: &str| {
        let named = |entry: &&FileInfo| entry.path.rsplit('/').next() == Some(name);
        entries.iter().find(named).map(|entry| entry.kind)
    };
    let hint = "name the folder that contains the folder `.git`";
    match kind_in(&entries, ".git") {
        Some(FileKind::Directory) => {}
        Some(FileKind::File) => {
            return refuse(
                "git_file",
                "is a submodule or a linked work tree: its `.git` is a file that names another folder",
                "name the main work tree of the repository",
            );
        }
        Some(_) => return refuse("git_link", "has a link instead of the folder `.git`", hint),
        None if kind_in(&entries, "HEAD").is_some() && kind_in(&entries, "objects").is_some() => {
            return Err(settings::bare_repository_error());
        }
        None => {
            return refuse(
                "no_repository",
                "is not the work tree of a repository",
                hint,
            );
        }
    }
    let inner = paths::join_path(folder, ".git");
    let entries = files.entries(&inner, LinkMode::Follow, ctx.stop())?;
    if kind_in(&entries, "commondir").is_some() {
        return refuse(
            "git_file",
            "shares the repository of another folder (`.git/commondir`)",
            "name the main work tree of the repository",
        );
    }
    let alternates = paths::join_path(&inner, "objects/info/alternates");
    if kind_in(&entries, "objects") == Some(FileKind::Directory) && files.stat(&alternates).is_ok()
    {
        return refuse(
            "alternates",
            "uses objects of another repository (`.git/objects/info/alternates`)",
            "the user copies them by `git repack -a -d` and removes that file",
        );
    }
    for name in ["config", "HEAD", "objects", "refs", "index"] {
        match kind_in(&entries, name) {
            Some(FileKind::Link) => {
                let what = format!("has a link `.git/{name}`, which leads to another repository");
                return refuse("git_link", &what, "name a repository without such links");
            }
            None if name != "index" => {
                return refuse("no_repository", &format!("has no `.git/{name}`"), hint);
            }
            _ => {}
        }
    }
    Ok(())
}
