//! Committing.

use std::collections::{BTreeMap, BTreeSet};

use tool_core::object;

use super::changes::{self, GitChange, OPTIONS};
use super::message::CommitMessage;
use super::repository::{GitAccess, GitInvocation, GitRepository};
use super::settings::{self, GitOperation};
use super::{failure, paths, user};
use crate::prelude::*;

/// Commit to the current branch of a repository of git: with `files` these and nothing else, without them what is staged. The message is
/// `type(scope): subject` with an optional body, as the configuration of the project requires. No hook runs and nothing is signed.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Folder with the work tree, relative to the workspace root.
    #[value(default = "default_root")]
    pub repo_path: String,
    /// The message, such as `fix(parser): accept empty lines`; a blank line separates a body.
    pub message: String,
    /// Files and folders to commit, relative to the repository, each exactly as named; deleted files are committed as deleted. What else is
    /// staged stays staged.
    #[value(default)]
    pub files: Vec<String>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Id of the commit.
    pub commit: String,
    /// Ids of its parents; none for the first commit.
    pub parents: Vec<String>,
    /// The branch; `null` where `HEAD` is detached.
    pub branch: Option<String>,
    /// First line of the message.
    pub subject: String,
    /// The files of the commit, compared with its first parent.
    pub files: Vec<GitChange>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "git:commit",
        title: "Commit to a repository",
        tags: &["git", "repository", "commit"],
        capabilities: &[
            Capability::FilesRead,
            Capability::Spawn,
            Capability::CommitRules,
        ],
        syntax: &[("/repo_path", Syntax::Tree), ("/files", Syntax::Tracked)],
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let message = args.check(ctx)?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        refuse_unfinished_operation(&repository)?;
        refuse_filters(&repository, &args.files)?;
        if !args.files.is_empty() {
            let mut words = vec!["add", "--"];
            words.extend(args.files.iter().map(String::as_str));
            repository.run(&GitInvocation {
                grant: GitAccess::Repository,
                ..GitInvocation::new(&words)
            })?;
        }
        if !is_staged(&repository, &args.files)? {
            return Err(tool_error!(PreconditionFailed, "nothing_staged";
                "nothing is staged, so that the commit would be empty";
                "pass `files` that changed; `git_status` lists them"));
        }
        let author = configured_author(&repository)?;
        let mut words = vec![
            "commit",
            "--quiet",
            "--no-verify",
            "--no-gpg-sign",
            "--no-status",
            "--cleanup=verbatim",
            "--file=-",
        ];
        if !args.files.is_empty() {
            words.extend(["--only", "--"]);
            words.extend(args.files.iter().map(String::as_str));
        }
        let finished = repository.finished(&GitInvocation {
            grant: GitAccess::Repository,
            stdin: message.text.as_bytes(),
            settings: &author,
            ..GitInvocation::new(&words)
        })?;
        if !finished.exit.success() {
            let said = finished.stderr.text() + &finished.stdout.text();
            return Err(failure::error_from_stderr(&said, finished.exit.code()));
        }
        let output = commit_output(&repository, &message)?;
        ctx.happened(
            "git.committed",
            object! {
                "repository" => args.repo_path.as_str(), "commit" => output.commit.as_str(), "branch" => output.branch.clone(),
            },
        );
        Ok(output)
    }

    /// Branch, parent, and every file that the commit will hold, with its content.
    fn bound(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        args.check(ctx)?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        Ok(Some(object! {
            "branch" => repository.head()?,
            "parent" => repository.commit("HEAD")?,
            "commits" => planned_commit_lines(&repository, args)?,
        }))
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        args.check(ctx)?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        Ok(Some(object! {
            "head" => repository.commit("HEAD")?,
            "branch" => repository.head()?,
        }))
    }

    /// It happened if `HEAD` is a commit with this message on the former one, and the index is its tree.
    fn probe(args: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        let message = args.check(ctx)?;
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        let same = |name: &str, now: Option<String>| {
            before.get(name).and_then(Value::as_str) == now.as_deref()
        };
        if !same("branch", repository.head()?) {
            return Ok(CallProbe::Unknown);
        }
        if same("head", repository.commit("HEAD")?) {
            // One that was killed in between leaves the lock, which the call reports when it is repeated.
            return Ok(CallProbe::NotHappened);
        }
        let parent = repository.commit("HEAD^1")?;
        let found =
            repository.output(&["log", "-1", "--no-show-signature", "--format=%B", "HEAD"])?;
        let is_own = String::from_utf8_lossy(&found).trim_end() == message.text.trim_end();
        if !same("head", parent) || !is_own || is_staged(&repository, &args.files)? {
            return Ok(CallProbe::Unknown);
        }
        Ok(CallProbe::Happened(to_value(&commit_output(
            &repository,
            &message,
        )?)?))
    }

    /// In a repository with one commit of `notes.txt`, which changed since. The id depends on the time and the author.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one file": r#"{"message": "docs(notes): add a line", "files": ["notes.txt"]}"# => r#"{
            "commit": "0d1c1f9b7b0dbb2ae49a8e0bb0ae32a5a8cbe7b1",
            "parents": ["19cabfff2a05339fece78056567f8c665c43c179"], "branch": "main",
            "subject": "docs(notes): add a line",
            "files": [{"path": "notes.txt", "path_base64": null, "original_path": null, "added": 1, "deleted": 0}]
        }"#;
    };
}

impl Args {
    /// Checks what needs no repository.
    fn check(&self, ctx: &Ctx) -> Result<CommitMessage> {
        paths::check_paths(&self.files)?;
        CommitMessage::parse(&self.message, ctx.commit_rules()?)
    }
}

/// Refuses to commit in the middle of a merge and the like, whose messages and parents git prepares for an editor.
pub(super) fn refuse_unfinished_operation(repository: &GitRepository<'_>) -> Result<()> {
    for (name, what) in [
        ("MERGE_HEAD", "a merge"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("rebase-merge", "a rebase"),
        ("rebase-apply", "a rebase"),
    ] {
        if repository.has(name)? {
            return Err(tool_error!(Conflict at "/repo_path", "unfinished";
                "{what} is not finished in this repository";
                "the user finishes or aborts it by hand"));
        }
    }
    Ok(())
}

/// A line for each file that the commit of a call will hold: status, path, content as git names it.
fn planned_commit_lines(repository: &GitRepository<'_>, args: &Args) -> Result<Vec<String>> {
    let parent = repository.commit("HEAD")?;
    if args.files.is_empty() {
        let mut words = vec!["diff", "--cached", "--raw", "-z", "--no-abbrev"];
        words.extend(OPTIONS);
        words.push("--no-renames");
        return Ok(parse_raw_diff(&repository.output(&words)?));
    }
    let contents = file_contents(repository, args)?;
    let mut lines = Vec::new();
    let mut known = BTreeSet::new();
    if let Some(parent) = &parent {
        let mut words = vec!["diff", "--name-status", "-z"];
        words.extend(OPTIONS);
        words.extend(["--no-renames", parent, "--"]);
        words.extend(args.files.iter().map(String::as_str));
        let listed = repository.output(&words)?;
        let listed = String::from_utf8_lossy(&listed);
        let fields: Vec<&str> = listed.split('\0').collect();
        for pair in fields.chunks_exact(2) {
            let (status, path) = (pair[0], pair[1]);
            known.insert(path.to_owned());
            let content = contents.get(path).map_or("", String::as_str);
            lines.push(format!("{status} {path} {content}").trim_end().to_owned());
        }
    }
    // Those that are not tracked yet, and every file of a first commit.
    let mut words = vec!["ls-files", "-z", "--others", "--exclude-standard"];
    words.extend(parent.is_none().then_some("--cached"));
    words.push("--");
    words.extend(args.files.iter().map(String::as_str));
    let listed = repository.output(&words)?;
    let listed = String::from_utf8_lossy(&listed);
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        if known.insert(path.to_owned()) {
            let content = contents.get(path).map_or("", String::as_str);
            lines.push(format!("A {path} {content}").trim_end().to_owned());
        }
    }
    Ok(lines)
}

/// The lines of `git diff --raw -z`: status, path, content of the index.
fn parse_raw_diff(listed: &[u8]) -> Vec<String> {
    let listed = String::from_utf8_lossy(listed);
    let fields: Vec<&str> = listed.split('\0').collect();
    let line = |pair: &[&str]| {
        let mut words = pair[0].split(' ').skip(3);
        let (content, status) = (words.next().unwrap_or_default(), words.next());
        let path = pair[1];
        match status.unwrap_or_default() {
            "D" => format!("D {path}"),
            status => format!("{status} {path} {content}"),
        }
    };
    fields.chunks_exact(2).map(line).collect()
}

/// The contents of the files of a call, as git names them, by path; none for a file that is gone.
fn file_contents(repository: &GitRepository<'_>, args: &Args) -> Result<BTreeMap<String, String>> {
    /// Paths of one command line.
    const AT_ONCE: usize = 500;
    let listed = list_files(repository, &args.files)?;
    let listed = String::from_utf8_lossy(&listed);
    let files = repository.ctx().files()?;
    let is_file = |name: &&str| {
        let path = format!("{}/{name}", args.repo_path);
        files
            .stat(&path)
            .is_ok_and(|info| info.kind == FileKind::File)
    };
    let names: Vec<&str> = listed
        .split('\0')
        .filter(|name| !name.is_empty())
        .filter(is_file)
        .collect();
    let mut found = BTreeMap::new();
    for part in names.chunks(AT_ONCE) {
        let mut words = vec!["hash-object", "--no-filters", "--"];
        words.extend(part);
        let hashes = repository.output(&words)?;
        let hashes = String::from_utf8_lossy(&hashes);
        found.extend(
            part.iter()
                .zip(hashes.lines())
                .map(|(name, hash)| ((*name).to_owned(), hash.to_owned())),
        );
    }
    Ok(found)
}

/// Refuses files whose content a filter would change.
fn refuse_filters(repository: &GitRepository<'_>, files: &[String]) -> Result<()> {
    refuse_filtered_paths(repository, &list_files(repository, files)?)
}

/// The tracked and new files at or below paths, each with a NUL after it.
fn list_files(repository: &GitRepository<'_>, files: &[String]) -> Result<Vec<u8>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let mut words = vec![
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
    ];
    words.extend(files.iter().map(String::as_str));
    repository.output(&words)
}

/// Refuses paths, each with a NUL after it, that have a filter.
pub(super) fn refuse_filtered_paths(repository: &GitRepository<'_>, paths: &[u8]) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let words = ["check-attr", "--stdin", "-z", "filter"];
    let attributes = repository.run(&GitInvocation {
        stdin: paths,
        ..GitInvocation::new(&words)
    })?;
    settings::refuse_filters(&attributes)
}

/// Whether the index differs from the last commit, in these files where some are named.
fn is_staged(repository: &GitRepository<'_>, files: &[String]) -> Result<bool> {
    let files = files.iter().map(String::as_str);
    if repository.commit("HEAD")?.is_none() {
        let mut words = vec!["ls-files", "-z", "--cached", "--"];
        words.extend(files);
        return Ok(!repository.output(&words)?.is_empty());
    }
    let mut words = vec!["diff", "--cached", "--quiet"];
    words.extend(OPTIONS);
    words.push("--");
    words.extend(files);
    Ok(repository.line_if_any(&words)?.is_none())
}

/// Name and address of the author from the user's configuration, where the repository sets none.
fn configured_author(repository: &GitRepository<'_>) -> Result<Vec<(String, String)>> {
    const KINDS: [&str; 3] = ["user.name", "user.email", "user.signingkey"];
    let own = |key: &str| repository.settings.iter().any(|one| one.key == key);
    let found = user::user_settings(repository.ctx(), &KINDS)?;
    let missing = found.into_iter().filter(|setting| !own(&setting.key));
    let pairs = missing.filter_map(|setting| Some((setting.key, setting.value?)));
    Ok(pairs.collect())
}

/// The result, from the commit that `HEAD` names.
fn commit_output(repository: &GitRepository<'_>, message: &CommitMessage) -> Result<Output> {
    let listed = repository.line(&["rev-list", "--parents", "--max-count=1", "HEAD"])?;
    let mut ids = listed.split_whitespace().map(str::to_owned);
    let commit = ids.next().unwrap_or_default();
    let mut words = vec![
        "diff-tree",
        "--no-commit-id",
        "--numstat",
        "-z",
        "-r",
        "--root",
    ];
    words.extend(OPTIONS);
    words.push(&commit);
    let files = changes::parse_raw_changes(&repository.output(&words)?)?;
    let branch = repository.head()?;
    Ok(Output {
        parents: ids.collect(),
        branch: branch.map(|name| name.trim_start_matches("refs/heads/").to_owned()),
        subject: message.subject.clone(),
        files,
        commit,
    })
}
