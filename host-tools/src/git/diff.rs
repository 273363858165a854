//! Differences of a work tree.

use super::changes::{self, GitChange, OPTIONS};
use super::repository::{GitInvocation, GitRepository};
use super::settings::GitOperation;
use super::{names, paths};
use crate::prelude::*;

/// Most bytes of a difference.
const BYTES_MAX: i64 = 1_000_000;

/// Show how the files of a repository of git differ: the work tree from the index, with `staged` the index from the last commit, with `from`
/// the work tree from a commit, and with `from` and `to` one commit from another. Use `git_status` for untracked files.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Folder with the work tree, relative to the workspace root.
    #[value(default = "default_root")]
    pub repo_path: String,
    /// Files and folders relative to the repository, each exactly as named; all where empty.
    #[value(default)]
    pub files: Vec<String>,
    /// Whether to show what the next commit would contain.
    #[value(default)]
    pub staged: bool,
    /// Commit to compare from: `HEAD`, a branch, a tag, or the id of a commit.
    #[value(default)]
    pub from: Option<String>,
    /// Commit that is compared with `from`; the work tree where absent.
    #[value(default)]
    pub to: Option<String>,
    /// Maximum bytes of `diff`, 1 to 1000000.
    #[value(default = "BoundedInteger::<1, BYTES_MAX>::of::<100_000>")]
    pub max_bytes: BoundedInteger<1, BYTES_MAX>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The difference as `git diff` prints it; invalid UTF-8 is replaced.
    pub diff: String,
    /// Bytes of the whole difference.
    pub bytes: u64,
    /// Whether `diff` is cut at `max_bytes`; `files` is always whole.
    pub truncated: bool,
    /// The files that differ, with the numbers of changed lines.
    pub files: Vec<GitChange>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "git:diff",
        title: "Differences in a repository",
        tags: &["git", "repository", "diff"],
        syntax: &[
            ("/repo_path", Syntax::Tree),
            ("/files", Syntax::Tracked),
            ("/from", Syntax::Ref),
            ("/to", Syntax::Ref),
        ],
        ..super::READING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        paths::check_paths(&args.files)?;
        args.check()?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        let commits = [(&args.from, "/from"), (&args.to, "/to")];
        let commits = commits.map(|(name, at)| resolve_commit(&repository, name.as_deref(), at));
        let [from, to] = commits;
        let commits: Vec<String> = [from?, to?].into_iter().flatten().collect();
        if args.to.is_none() {
            repository.warn_of_filters();
        }
        let mut words = vec!["diff"];
        words.extend(OPTIONS);
        words.extend(args.staged.then_some("--cached"));
        let with = |form: &[&'static str]| {
            let mut words = [&words[..], form].concat();
            words.extend(commits.iter().map(String::as_str));
            words.push("--");
            words.extend(args.files.iter().map(String::as_str));
            words
        };
        let files = changes::parse_raw_changes(&repository.output(&with(&["--numstat", "-z"]))?)?;
        let words = with(&["--patch"]);
        let finished = repository.finished(&GitInvocation {
            output_bytes: args.max_bytes.size(),
            ..GitInvocation::new(&words)
        })?;
        if !finished.exit.success() {
            let code = finished.exit.code();
            return Err(super::failure::error_from_stderr(
                &finished.stderr.text(),
                code,
            ));
        }
        Ok(Output {
            diff: crate::code::complete_text(&finished.stdout),
            bytes: finished.stdout.bytes_total,
            truncated: finished.stdout.truncated(),
            files,
        })
    }

    /// In a repository with one commit of `notes.txt`, which changed since.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one modified file": r#"{"files": ["notes.txt"]}"# => r#"{
            "diff": "diff --git a/notes.txt b/notes.txt\nindex 3b18e51..8a0aa38 100644\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1,2 @@\n hello world\n+more\n",
            "bytes": 130, "truncated": false,
            "files": [{"path": "notes.txt", "path_base64": null, "original_path": null, "added": 1, "deleted": 0}]
        }"#;
    };
}

impl Args {
    /// Checks what needs no repository.
    fn check(&self) -> Result<()> {
        if self.to.is_some() && self.from.is_none() {
            return Err(
                tool_error!(InvalidArgs at "/from", "range"; "`to` needs `from`, the commit to compare with";
                "name both: {{\"from\": \"main\", \"to\": \"HEAD\"}}"),
            );
        }
        if self.staged && self.to.is_some() {
            return Err(tool_error!(InvalidArgs at "/staged", "range";
                "`staged` compares the index, and `to` names a commit"; "leave one of them out"));
        }
        Ok(())
    }
}

/// The id of a commit that an argument names.
fn resolve_commit(
    repository: &GitRepository<'_>,
    name: Option<&str>,
    at: &str,
) -> Result<Option<String>> {
    let Some(name) = name else { return Ok(None) };
    let name = names::check_commit(name, at)?;
    let found = repository.commit(name)?;
    found.map(Some).ok_or_else(|| {
        tool_error!(InvalidArgs at at, Reason::NotFound; "no commit is named `{name}`";
            "`git_log` lists commits, `git_branch` branches")
    })
}
