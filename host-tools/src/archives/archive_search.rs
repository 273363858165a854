//! Searching the files of an archive.

use super::fault::{ArchiveFault, escape_name};
use super::read::{MemberKind, OpenArchive, WalkControl};
use super::select::{MemberSelection, normalise_name};
use crate::files::scan::{MEMORY, SearchPattern, TextScan};
use crate::prelude::*;

/// Search the files of an archive (zip, tar, 7z) line by line for a text or a regular expression, without extracting it to disk. Binary
/// files are skipped.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the archive, relative to the workspace root.
    pub path: String,
    /// The text to search for.
    pub query: String,
    /// Whether the query is a regular expression, in the syntax of Rust's `regex`, matched within one line.
    #[value(default)]
    pub regex: bool,
    /// Whether to ignore the case of letters.
    #[value(default = "default_true")]
    pub ignore_case: bool,
    /// Only files whose names match: `*` and `?` match within a part, `**` any number of parts; a pattern without `/` matches at any depth.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Maximum matching lines, 1 to 10000; `truncated` reports whether there are more.
    #[value(default = "BoundedInteger::<1, 10_000>::of::<50>")]
    pub max_matches: BoundedInteger<1, 10_000>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The matching lines, in the order of the archive.
    pub matches: Vec<ArchiveMatch>,
    /// Number of matching lines returned.
    pub count: usize,
    /// Number of files searched.
    pub files_searched: u64,
    /// Number of binary files skipped.
    pub files_skipped: u64,
    /// Whether the search ended at `max_matches`.
    pub truncated: bool,
}

/// A matching line.
#[derive(Debug, PartialEq, Eq, Encode, Describe)]
pub(crate) struct ArchiveMatch {
    /// Name of the file in the archive.
    pub file: String,
    /// Number of the line, from 1.
    pub line: u64,
    /// The line, without its end; lines of more than 500 characters are cut and end in `...`.
    #[value(rename = "match")]
    pub text: String,
}

impl Tool for Args {
    const SPEC: Spec = crate::files::READING
        .with_name("archive_search", "Search an archive")
        .category(Category::Archive)
        .tags(&["archive", "zip", "tar", "search"])
        .syntax(&[("/path", Syntax::Path), ("/pattern", Syntax::Pattern)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let pattern = SearchPattern {
            text: &args.query,
            literal: !args.regex,
            ignore_case: args.ignore_case,
            pointer: "/query",
        };
        let mut scan = TextScan::new(&pattern, (0, 0), args.max_matches.size(), ctx.stop())?;
        let selection = MemberSelection::of(args.pattern.as_deref(), None)?;
        OpenArchive::at_path(&args.path, MEMORY, ctx)?.each(&mut |member, content| {
            ctx.check()?;
            let name = normalise_name(&member.name);
            if member.kind != MemberKind::File || !selection.takes(&name) {
                return Ok(WalkControl::On);
            }
            if member.encrypted {
                return Err(ArchiveFault::encrypted().of(&member.name).into());
            }
            scan.search(&escape_name(&name), content)
                .map_err(|err| ArchiveFault::from(err).of(&member.name))?;
            Ok(if scan.full {
                WalkControl::Stop
            } else {
                WalkControl::On
            })
        })?;
        let matches: Vec<ArchiveMatch> = scan
            .found
            .into_iter()
            .map(|found| ArchiveMatch {
                file: found.path,
                line: found.line,
                text: found.text,
            })
            .collect();
        Ok(Output {
            count: matches.len(),
            matches,
            files_searched: scan.searched,
            files_skipped: scan.skipped,
            truncated: scan.full,
        })
    }

    /// Run in a workspace that has `bundle.zip`, with `a.txt` and `d/b.csv`.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a word in any case": r#"{"path": "bundle.zip", "query": "HELLO"}"# => r#"{
            "matches": [{"file": "a.txt", "line": 1, "match": "hello"}], "count": 1, "files_searched": 2,
            "files_skipped": 0, "truncated": false
        }"#;
    };
}
