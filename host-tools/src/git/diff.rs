//! Differences of a work tree.

use super::changes::{self, Changed, OPTIONS};
use super::paths;
use super::repository::{Repository, Start};
use super::settings::Work;
use crate::prelude::*;

/// Most bytes of a difference.
const BYTES_MAX: i64 = 1_000_000;

/// Show how the files of a repository of git differ: the work tree from the index, or with `staged` the index from the last commit. Use
/// `git_status` for untracked files.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Folder with the work tree, relative to the workspace root.
    #[value(default = "root")]
    pub repo_path: String,
    /// Files and folders relative to the repository, each exactly as named; all where empty.
    #[value(default)]
    pub files: Vec<String>,
    /// Whether to show what the next commit would contain.
    #[value(default)]
    pub staged: bool,
    /// Maximum bytes of `diff`, 1 to 1000000.
    #[value(default = "Bounded::<1, BYTES_MAX>::of::<100_000>")]
    pub max_bytes: Bounded<1, BYTES_MAX>,
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
    pub files: Vec<Changed>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "git:diff",
        title: "Differences in a repository",
        tags: &["git", "repository", "diff"],
        syntax: &[("/repo_path", Syntax::Tree), ("/files", Syntax::Tracked)],
        ..super::READING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        paths::check(&args.files)?;
        let repository = Repository::open(ctx, &args.repo_path, Work::Local)?;
        let mut words = vec!["diff"];
        words.extend(OPTIONS);
        words.extend(args.staged.then_some("--cached"));
        let with = |form: &[&'static str]| {
            let mut words = [&words[..], form, &["--"]].concat();
            words.extend(args.files.iter().map(String::as_str));
            words
        };
        let files = changes::changed(&repository.output(&with(&["--numstat", "-z"]))?)?;
        let words = with(&["--patch"]);
        let finished = repository.finished(&Start {
            output_bytes: args.max_bytes.size(),
            ..Start::new(&words)
        })?;
        if !finished.exit.success() {
            let code = finished.exit.code();
            return Err(super::failure::of(&finished.stderr.text(), code));
        }
        Ok(Output {
            diff: crate::code::cut(&finished.stdout),
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
