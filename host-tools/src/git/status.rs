//! The state of a work tree.

use super::porcelain::{self, FileChange, GitStatusEntry};
use super::repository::GitRepository;
use super::settings::GitOperation;
use crate::prelude::*;

/// Show the branch of a repository of git, and which files are modified, staged, in conflict or untracked. Nothing of the repository
/// runs, and changes within submodules are not examined.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Folder with the work tree, relative to the workspace root.
    #[value(default = "default_root")]
    pub repo_path: String,
    /// Whether to list ignored files too.
    #[value(default)]
    pub ignored: bool,
    /// Maximum number of rows, 1 to 10000; `total` counts all.
    #[value(default = "BoundedInteger::<1, 10_000>::of::<1000>")]
    pub max_entries: BoundedInteger<1, 10_000>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The branch; `null` where `HEAD` is detached.
    pub branch: Option<String>,
    /// Id of the last commit; `null` before the first one.
    pub head: Option<String>,
    /// Whether `HEAD` is a commit and no branch.
    pub detached: bool,
    /// Whether there is no commit yet.
    pub initial: bool,
    /// The upstream of the branch; `null` without one.
    pub upstream: Option<String>,
    /// Commits that the upstream lacks; `null` where that is not known.
    pub ahead: Option<u64>,
    /// Commits of the upstream that the branch lacks; `null` where that is not known.
    pub behind: Option<u64>,
    /// Paths of tracked files that differ from the index, those with conflicts too.
    pub modified: Vec<String>,
    /// Paths of files whose index differs from the last commit.
    pub staged: Vec<String>,
    /// Paths of untracked files that are not ignored.
    pub untracked: Vec<String>,
    /// Every file that differs, by kind of row and path.
    pub entries: Vec<GitStatusEntry>,
    /// Number of all rows.
    pub total: usize,
    /// Whether rows beyond `max_entries` are left out, of every list.
    pub truncated: bool,
}

impl Tool for Args {
    const SPEC: Spec = super::READING
        .with_name("git:status", "State of a repository")
        .tags(&["git", "repository", "branch"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        repository.warn_of_filters();
        let ignored = match args.ignored {
            true => "--ignored=traditional",
            false => "--ignored=no",
        };
        let listed = repository.output(&[
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            ignored,
            "--ignore-submodules=dirty",
            "--ahead-behind",
            "--no-show-stash",
        ])?;
        let mut table = porcelain::parse_status(&listed)?;
        let total = table.rows.len();
        table.rows.truncate(args.max_entries.size());
        let paths = |fits: fn(&GitStatusEntry) -> bool| -> Vec<String> {
            let rows = table.rows.iter().filter(|row| fits(row));
            rows.map(|row| row.path.clone()).collect()
        };
        Ok(Output {
            detached: table.branch.is_none(),
            initial: table.head.is_none(),
            ahead: table.ahead_behind.map(|(ahead, _)| ahead),
            behind: table.ahead_behind.map(|(_, behind)| behind),
            modified: paths(|row| {
                use FileChange::{Ignored, Unmodified, Untracked};
                !matches!(row.worktree, Unmodified | Untracked | Ignored)
            }),
            staged: paths(|row| {
                !matches!(row.index, FileChange::Unmodified | FileChange::Unmerged)
            }),
            untracked: paths(|row| row.worktree == FileChange::Untracked),
            branch: table.branch,
            head: table.head,
            upstream: table.upstream,
            truncated: total > table.rows.len(),
            total,
            entries: table.rows,
        })
    }

    /// In a repository with one commit of `notes.txt`, which changed since.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one modified file": r#"{}"# => r#"{
            "branch": "main", "head": "19cabfff2a05339fece78056567f8c665c43c179", "detached": false, "initial": false,
            "upstream": null, "ahead": null, "behind": null,
            "modified": ["notes.txt"], "staged": [], "untracked": [],
            "entries": [{
                "path": "notes.txt", "path_base64": null, "original_path": null, "original_path_base64": null,
                "index": "unmodified", "worktree": "modified", "submodule": false, "similarity": null, "conflict": null
            }],
            "total": 1, "truncated": false
        }"#;
    };
}
