//! The history of a repository.

use super::repository::GitRepository;
use super::settings::GitOperation;
use super::{names, paths};
use crate::prelude::*;

/// List commits of a repository of git, newest first.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Folder with the work tree, relative to the workspace root.
    #[value(default = "default_root")]
    pub repo_path: String,
    /// Maximum number of commits, 1 to 1000.
    #[value(default = "BoundedInteger::<1, 1000>::of::<20>")]
    pub count: BoundedInteger<1, 1000>,
    /// A file or folder relative to the repository: only commits that changed it.
    #[value(default)]
    pub path: Option<String>,
    /// Where to start: a branch, a tag, another reference, or the id of a commit.
    #[value(default, rename = "ref")]
    pub reference: Option<String>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The commits; none before the first one.
    pub commits: Vec<GitCommit>,
    /// Whether there are more.
    pub truncated: bool,
}

/// A commit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GitCommit {
    /// Its id.
    pub hash: String,
    /// Ids of its parents, the first one first.
    pub parents: Vec<String>,
    /// Name of the author.
    pub author: String,
    /// Address of the author.
    pub email: String,
    /// Time of the author, as in ISO 8601 with the author's offset.
    pub date: String,
    /// Name of the committer.
    pub committer: String,
    /// Time of the commit.
    pub committed: String,
    /// First paragraph of the message, on one line.
    pub subject: String,
    /// The rest of the message, up to 10000 characters.
    pub body: String,
}

/// Most characters of the body of a message.
const BODY_MAX: usize = 10_000;

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "git:log",
        title: "History of a repository",
        tags: &["git", "repository", "history"],
        syntax: &[
            ("/repo_path", Syntax::Tree),
            ("/path", Syntax::Tracked),
            ("/ref", Syntax::Ref),
        ],
        ..super::READING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let wanted = args.reference.as_deref();
        let name = wanted
            .map(|name| names::check_commit(name, "/ref"))
            .transpose()?;
        if let Some(path) = &args.path {
            paths::check_one(path, "/path")?;
        }
        let repository = GitRepository::open(ctx, &args.repo_path, GitOperation::Local)?;
        let start = match (repository.commit(name.unwrap_or("HEAD"))?, name) {
            (Some(id), _) => id,
            (None, Some(name)) => {
                return Err(tool_error!(InvalidArgs at "/ref", "not_found";
                    "no commit is named `{name}`"; "`git_log` without `ref` starts at `HEAD`"));
            }
            (None, None) => {
                return Ok(Output {
                    commits: Vec::new(),
                    truncated: false,
                });
            }
        };
        let count = args.count.size();
        let most = format!("--max-count={}", count + 1);
        let mut words = vec![
            "log",
            "-z",
            "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%cI%x00%s%x00%b",
            "--no-show-signature",
            "--no-color",
            "--no-notes",
            "--no-patch",
            &most,
            &start,
            "--",
        ];
        words.extend(args.path.as_deref());
        let listed = repository.output(&words)?;
        let text = String::from_utf8_lossy(&listed);
        let fields: Vec<&str> = text.split('\0').collect();
        let mut commits: Vec<GitCommit> = fields.chunks_exact(9).map(GitCommit::of).collect();
        let truncated = commits.len() > count;
        commits.truncate(count);
        Ok(Output { commits, truncated })
    }

    /// In a repository with one commit.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the last commit": r#"{"count": 1}"# => r#"{
            "commits": [{
                "hash": "19cabfff2a05339fece78056567f8c665c43c179", "parents": [],
                "author": "Ada", "email": "ada@example.org", "date": "2025-01-01T12:00:00Z",
                "committer": "Ada", "committed": "2025-01-01T12:00:00Z",
                "subject": "docs: add notes", "body": ""
            }],
            "truncated": false
        }"#;
    };
}

impl GitCommit {
    fn of(fields: &[&str]) -> Self {
        let text = |index: usize| fields[index].to_owned();
        Self {
            hash: text(0),
            parents: fields[1].split_whitespace().map(str::to_owned).collect(),
            author: text(2),
            email: text(3),
            date: normalise_date(fields[4]),
            committer: text(5),
            committed: normalise_date(fields[6]),
            subject: text(7),
            body: fields[8].trim_end().chars().take(BODY_MAX).collect(),
        }
    }
}

/// A time in one spelling: versions of git write UTC as `Z` or as `+00:00`.
fn normalise_date(text: &str) -> String {
    match text.strip_suffix("+00:00") {
        Some(time) => format!("{time}Z"),
        None => text.to_owned(),
    }
}
