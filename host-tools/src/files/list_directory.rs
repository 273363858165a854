//! Listing a folder.

use super::pattern::NamePattern;
use crate::prelude::*;

/// Maximum entries in one result.
const LIMIT_MAX: i64 = 100_000;
/// Maximum entries examined, whether their names match or not.
const LOOKED_AT_MAX: usize = 200_000;

/// List the entries of a folder of the workspace, or of the tree below it, sorted by path. Links are listed, not followed.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The folder, relative to the workspace root.
    #[value(default = "default_root")]
    pub path: String,
    /// Pattern for names: `*` matches any characters, `?` one, `[a-z]` one of a set, `[!a-z]` one outside it. It matches names,
    /// not paths, so it must not contain `/` or `..`.
    #[value(default = "default_pattern")]
    pub pattern: String,
    /// Whether to list the whole tree.
    #[value(default)]
    pub recursive: bool,
    /// Maximum entries, 1 to 100000; `truncated` reports whether there are more.
    #[value(default = "BoundedInteger::<1, LIMIT_MAX>::of::<1000>")]
    pub limit: BoundedInteger<1, LIMIT_MAX>,
}

fn default_pattern() -> String {
    "*".to_owned()
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The entries, sorted by path.
    pub entries: Vec<ListedEntry>,
    /// Number of entries returned.
    pub count: usize,
    /// Whether there are more, or a folder below could not be read.
    pub truncated: bool,
}

/// One entry of a folder.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ListedEntry {
    /// Name; bytes that are not UTF-8 are written as `\xNN`.
    pub name: String,
    /// Path relative to the workspace root.
    pub path: String,
    /// `file`, `directory`, `link` or `other`.
    #[value(rename = "type")]
    pub kind: FileKind,
    /// Size of a file in bytes; 0 for anything else.
    pub size: u64,
    /// Time of the last change, in seconds since 1970-01-01 UTC.
    pub modified: f64,
}

impl Tool for Args {
    const SPEC: Spec = super::READING
        .with_name("list_directory", "List a folder")
        .tags(&["file", "folder"])
        .syntax(&[("/path", Syntax::Tree), ("/pattern", Syntax::Pattern)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let pattern = NamePattern::parse(&args.pattern)?;
        let limit = args.limit.size();
        let (found, more) = ctx
            .files()?
            .list(&args.path, args.recursive, LOOKED_AT_MAX, ctx.stop())
            .at("/path")?;
        let mut matching = found
            .into_iter()
            .map(ListedEntry::from)
            .filter(|entry| pattern.matches(&entry.name));
        let entries: Vec<ListedEntry> = matching.by_ref().take(limit).collect();
        Ok(Output {
            count: entries.len(),
            truncated: more || matching.next().is_some(),
            entries,
        })
    }

    /// Without `recursive`, only the names of the folder's own entries are listed.
    fn narrow(args: &Args) -> EffectReach {
        EffectReach {
            below: args.recursive,
            ..EffectReach::of(&Self::SPEC)
        }
    }

    /// Run in a workspace that has `data/a.csv` with 6 bytes and `data/b.txt` with 2, last changed at second 1,700,000,000.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the CSV files of a folder": r#"{"path": "data", "pattern": "*.csv"}"# => r#"{
            "entries": [{
                "name": "a.csv", "path": "data/a.csv", "type": "file", "size": 6, "modified": 1700000000.0
            }],
            "count": 1, "truncated": false
        }"#;
    };
}

impl From<FileInfo> for ListedEntry {
    fn from(info: FileInfo) -> Self {
        let name = info.path.rsplit('/').next().unwrap_or_default().to_owned();
        Self {
            name,
            path: info.path,
            kind: info.kind,
            size: info.size,
            modified: info.modified_s,
        }
    }
}
