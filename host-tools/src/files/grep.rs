//! Searching the text of files.

use globset::GlobMatcher;

use super::glob::{FolderPrefix, compile_glob};
use super::scan::{MEMORY, SearchPattern, TextScan};
use super::walk::{self, WalkControl};
use crate::prelude::*;

pub(crate) use super::scan::LineMatch;

/// Maximum matches in one result.
const MATCHES_MAX: i64 = 10_000;

/// Search the files of a folder of the workspace, or one file, line by line for a regular expression or a literal text. Links are not
/// followed; binary files, the content of `.git` and files that `.gitignore` excludes are skipped.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The pattern: a regular expression in the syntax of Rust's `regex` (no look-around, no back-references), matched
    /// within one line.
    pub pattern: String,
    /// The folder or file to search, relative to the workspace root.
    #[value(default = "default_root")]
    pub path: String,
    /// Whether the pattern is a literal text.
    #[value(default)]
    pub literal: bool,
    /// Whether to ignore the case of letters.
    #[value(default)]
    pub ignore_case: bool,
    /// Only files whose path below `path` matches this pattern: `*` and `?` within a name, `**` over folders, `{rs,toml}`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Context lines before each match, 0 to 100.
    #[value(default = "BoundedInteger::<0, 100>::of::<0>")]
    pub before: BoundedInteger<0, 100>,
    /// Context lines after each match, 0 to 100.
    #[value(default = "BoundedInteger::<0, 100>::of::<0>")]
    pub after: BoundedInteger<0, 100>,
    /// Whether to search files that `.gitignore` excludes.
    #[value(default)]
    pub ignored: bool,
    /// Maximum matching lines, 1 to 10000; `truncated` reports whether there are more.
    #[value(default = "BoundedInteger::<1, MATCHES_MAX>::of::<100>")]
    pub max_matches: BoundedInteger<1, MATCHES_MAX>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The matching lines, by path and line.
    pub matches: Vec<LineMatch>,
    /// Number of matching lines returned.
    pub count: usize,
    /// Number of files with a returned match.
    pub files_matched: u64,
    /// Number of files searched.
    pub files_searched: u64,
    /// Number of files skipped because they contain zero bytes or a line of more than 16 MiB, or cannot be read.
    pub files_skipped: u64,
    /// Whether the search ended at `max_matches`, or a folder could not be read.
    pub truncated: bool,
}

impl Tool for Args {
    const SPEC: Spec = super::READING
        .with_name("grep", "Search in files")
        .tags(&["file", "text", "search"])
        .syntax(&[
            ("/path", Syntax::Tree),
            ("/pattern", Syntax::Pattern),
            ("/glob", Syntax::Pattern),
        ]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let pattern = SearchPattern {
            text: &args.pattern,
            literal: args.literal,
            ignore_case: args.ignore_case,
            pointer: "/pattern",
        };
        let wanted = args.glob.as_deref().map(|glob| compile_glob(glob, "/glob"));
        let wanted = wanted.transpose()?;
        let files = ctx.files()?;
        let (before, after) = (args.before.get(), args.after.get());
        let shown = (args.max_matches.get() * (1 + before + after)) as u64;
        ctx.reserve(MEMORY + shown * 256)?;
        let around = (before.unsigned_abs(), after.unsigned_abs());
        let mut scan = TextScan::new(&pattern, around, args.max_matches.size(), ctx.stop())?;
        let mut unread = 0;
        let info = files.stat(&args.path).at("/path")?;
        if info.kind == FileKind::Directory {
            let top = walk::resolve_top(ctx, &args.path).at("/path")?;
            let below = FolderPrefix::of(&top);
            let walked = walk::walk_tree(ctx, &top, args.ignored, &mut |entry| {
                let fits = |glob: &GlobMatcher| glob.is_match(below.path(&entry.path));
                if entry.kind == FileKind::File && wanted.as_ref().is_none_or(fits) {
                    match search_file(&mut scan, files, entry) {
                        // Deleted, unreadable, or no longer a regular file.
                        Err(err) if is_skippable(&err) => scan.skipped += 1,
                        searched => searched?,
                    }
                }
                Ok(if scan.full {
                    WalkControl::Stop
                } else {
                    WalkControl::On
                })
            });
            unread = walked.at("/path")?;
        } else {
            search_file(&mut scan, files, &info).at("/path")?;
        }
        Ok(Output {
            count: scan.found.len(),
            matches: scan.found,
            files_matched: scan.matched,
            files_searched: scan.searched,
            files_skipped: scan.skipped,
            truncated: scan.full || unread > 0,
        })
    }

    /// Run in a workspace that has `notes.txt` with `hello world`, `data/a.csv` with the lines `1,2` and `3`, and `data/b.txt`
    /// with `x`.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a word in any case": r#"{"pattern": "\\bWorld\\b", "ignore_case": true}"# => r#"{
            "matches": [{"path": "notes.txt", "line": 1, "column": 7, "text": "hello world"}], "count": 1,
            "files_matched": 1, "files_searched": 3, "files_skipped": 0, "truncated": false
        }"#;
        "a line of a table and the one before it":
            r#"{"pattern": "^[3-9]", "glob": "*.csv", "before": 1}"#
            => r#"{
                "matches": [{"path": "data/a.csv", "line": 2, "column": 1, "text": "3", "before": ["1,2"]}],
                "count": 1, "files_matched": 1, "files_searched": 1, "files_skipped": 0, "truncated": false
            }"#;
    };
}

fn is_skippable(err: &ToolError) -> bool {
    matches!(err.code(), ErrorCode::ToolError | ErrorCode::InvalidArgs)
}

fn search_file(scan: &mut TextScan<'_>, files: &dyn WorkspaceFiles, info: &FileInfo) -> Result<()> {
    let (_, mut reader) = files.open(&info.path, LinkMode::Refuse)?;
    let searched = scan.search(&info.path, &mut reader);
    scan.stop().check()?;
    searched.map_err(|err| tool_error!(ToolError, "io"; "cannot read `{}`: {err}", info.path))
}
