//! Creating branches and changing to them.

use tool_core::object;

use super::repository::{GitAccess, GitInvocation, GitRepository};
use super::settings::GitOperation;
use super::{commit, failure, in_the_way, names, paths};
use crate::prelude::*;

tool_core::names! {
    /// What to do.
    Action {
        /// Creates a branch at the last commit.
        Create = "create",
        /// Changes to a branch.
        Checkout = "checkout",
    }
}

/// Create a branch in a repository of git at the last commit, or change to a branch. Local changes are never lost: a file that would be
/// overwritten is an error. Branches are neither deleted nor moved.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Folder with the work tree, relative to the workspace root.
    #[value(default = "default_root")]
    pub repo_path: String,
    /// Name of the branch.
    pub name: String,
    /// `create`: the branch is new, and the work tree stays on the present one. `checkout`: the branch exists.
    pub action: Action,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The branch.
    pub name: String,
    /// The commit at its end.
    pub commit: String,
    /// The branch of the work tree afterwards; `null` where `HEAD` is detached.
    pub current: Option<String>,
    /// Whether anything changed; not for a checkout of the present branch.
    pub changed: bool,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "git:branch",
        title: "Create or change branches",
        tags: &["git", "repository", "branch"],
        syntax: &[("/repo_path", Syntax::Tree), ("/name", Syntax::Ref)],
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let reference = names::branch_reference(&args.name, "/name")?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        let changed = match args.action {
            Action::Create => create_branch(&repository, &args.name, &reference)?,
            Action::Checkout => check_out_branch(&repository, &args.name, &reference)?,
        };
        args.output(&repository, changed)
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let reference = names::branch_reference(&args.name, "/name")?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        Ok(Some(object! {
            "branch" => repository.commit(&reference)?,
            "head" => repository.commit("HEAD")?,
            "current" => repository.head()?,
        }))
    }

    fn probe(args: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        let reference = names::branch_reference(&args.name, "/name")?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        let was = |name: &str| before.get(name).and_then(Value::as_str);
        let now = repository.commit(&reference)?;
        let (before, after) = match args.action {
            Action::Create if was("branch").is_some() => return Ok(CallProbe::NotHappened),
            Action::Create => (now.is_none(), now.as_deref() == was("head")),
            Action::Checkout => {
                let current = repository.head()?;
                // A checkout that was killed may have changed files; the lock is then still there.
                let is_whole = !repository.has("index.lock")?;
                (
                    is_whole && current.as_deref() == was("current"),
                    current.as_deref() == Some(&reference),
                )
            }
        };
        Ok(match (after, before) {
            (true, _) => CallProbe::Happened(to_value(&args.output(&repository, true)?)?),
            (false, true) => CallProbe::NotHappened,
            (false, false) => CallProbe::Unknown,
        })
    }

    /// In a repository on the branch `main`, with one commit.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a new branch": r#"{"name": "topic/notes", "action": "create"}"# => r#"{
            "name": "topic/notes", "commit": "19cabfff2a05339fece78056567f8c665c43c179", "current": "main", "changed": true
        }"#;
    };
}

impl Args {
    fn output(&self, repository: &GitRepository<'_>, changed: bool) -> Result<Output> {
        let reference = names::branch_reference(&self.name, "/name")?;
        let current = repository.head()?;
        Ok(Output {
            name: self.name.clone(),
            commit: repository.commit(&reference)?.unwrap_or_default(),
            current: current.map(|name| name.trim_start_matches("refs/heads/").to_owned()),
            changed,
        })
    }
}

/// Creates the reference, unless there is one.
fn create_branch(repository: &GitRepository<'_>, name: &str, reference: &str) -> Result<bool> {
    let Some(head) = repository.commit("HEAD")? else {
        return Err(tool_error!(PreconditionFailed, "initial";
            "the repository has no commit, at which a branch could begin"; "commit first"));
    };
    if repository.commit(reference)?.is_some() {
        return Err(tool_error!(Conflict at "/name", Reason::Exists;
            "the branch `{name}` exists"; "`action` `checkout` changes to it"));
    }
    let nothing = "0".repeat(head.len());
    let words = [
        "update-ref",
        "--create-reflog",
        "-m",
        "branch: Created from HEAD",
        reference,
        &head,
        &nothing,
    ];
    let finished = repository.finished(&GitInvocation {
        grant: GitAccess::Repository,
        ..GitInvocation::new(&words)
    })?;
    let said = finished.stderr.text();
    if said.contains("exists; cannot create") || said.contains("reference already exists") {
        return Err(tool_error!(Conflict at "/name", Reason::Exists;
            "`{name}` collides with another branch: a name cannot be both a branch and the folder of others";
            "choose another name"));
    }
    match finished.exit.code() {
        0 => Ok(true),
        code => Err(failure::error_from_stderr(&said, code)),
    }
}

/// Brings the work tree to the end of a branch. The commits are named by id, so that the files that were judged are those that change.
fn check_out_branch(repository: &GitRepository<'_>, name: &str, reference: &str) -> Result<bool> {
    let Some(target) = repository.commit(reference)? else {
        return Err(tool_error!(InvalidArgs at "/name", Reason::NotFound;
            "there is no branch `{name}`"; "`action` `create` makes it"));
    };
    let current = repository.head()?;
    if current.as_deref() == Some(reference) {
        return Ok(false);
    }
    let Some(head) = repository.commit("HEAD")? else {
        return Err(tool_error!(PreconditionFailed, "initial";
            "the present branch has no commit, so that its files could be lost"; "commit first"));
    };
    let trees = repository.output(&["worktree", "list", "--porcelain"])?;
    let taken = format!("branch {reference}");
    if String::from_utf8_lossy(&trees)
        .lines()
        .any(|line| line == taken)
    {
        return Err(tool_error!(PreconditionFailed at "/name", "checked_out";
            "the branch `{name}` is checked out in another work tree of the repository";
            "name another branch, or work in that folder"));
    }
    commit::refuse_unfinished_operation(repository)?;
    let differing = |filter: &[&str]| {
        let form = ["diff-tree", "-r", "-z", "--no-renames", "--name-only"];
        let words = [&form, filter, &["--no-ext-diff", &head, &target]].concat();
        repository.output(&words)
    };
    let changed = differing(&[])?;
    refuse_protected(repository, &changed)?;
    commit::refuse_filtered_paths(repository, &changed)?;
    in_the_way::refuse_overwriting_checkout(repository, &differing(&["--diff-filter=A"])?)?;
    let run = |words: &[&str], grant| {
        repository.run(&GitInvocation {
            grant,
            ..GitInvocation::new(words)
        })
    };
    run(&["update-index", "-q", "--refresh"], GitAccess::Repository).or_else(|err| {
        // Status 1: some files changed; the next step judges them.
        match err.reason_str() {
            Some("git") => Ok(Vec::new()),
            _ => Err(err),
        }
    })?;
    run(
        &[
            "read-tree",
            "-m",
            "-u",
            "--no-recurse-submodules",
            &head,
            &target,
        ],
        GitAccess::WorkTree,
    )?;
    let from = current.as_deref().unwrap_or(&head);
    let note = format!(
        "checkout: moving from {} to {name}",
        from.trim_start_matches("refs/heads/")
    );
    run(
        &["symbolic-ref", "-m", &note, "HEAD", reference],
        GitAccess::Repository,
    )?;
    Ok(true)
}

/// Refuses a checkout that would change a file that tools never write.
fn refuse_protected(repository: &GitRepository<'_>, changed: &[u8]) -> Result<()> {
    let files = repository.ctx().files()?;
    for path in changed
        .split(|&byte| byte == 0)
        .filter(|one| !one.is_empty())
    {
        let path = String::from_utf8_lossy(path);
        files.may_write(&paths::join_path(&repository.folder, &path))?;
    }
    Ok(())
}
