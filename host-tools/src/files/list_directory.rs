//! Listing a folder.

use tool_core::capability::{FileInfo, FileKind};

use super::pattern::Pattern;
use crate::prelude::*;

/// Most entries in one answer.
const LIMIT_MAX: i64 = 100_000;
/// Most entries looked at for one answer, whether their names match or not.
const LOOKED_AT_MAX: usize = 200_000;

pub(crate) struct ListDirectory;

/// List the entries of a folder of the workspace, or of the whole tree below it, sorted by path. Links are listed, not followed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The folder, relative to the workspace root.
    #[serde(default = "root")]
    pub path: String,
    /// Pattern that names must match: `*` any characters, `?` one, `[a-z]` one of a set, `[!a-z]` one outside it. Matches names,
    /// not paths, so no `/` and no `..`.
    #[serde(default = "default_pattern")]
    pub pattern: String,
    /// Whether everything below is listed too.
    #[serde(default)]
    pub recursive: bool,
    /// Most entries in the answer, 1 to 100000; `truncated` says whether there are more.
    #[serde(default = "Bounded::<1, LIMIT_MAX>::of::<1000>")]
    pub limit: Bounded<1, LIMIT_MAX>,
}

fn default_pattern() -> String {
    "*".to_owned()
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The entries, sorted by path.
    pub entries: Vec<ListedEntry>,
    /// Number of entries in the answer.
    pub count: usize,
    /// Whether there are more, or a folder below could not be read.
    pub truncated: bool,
}

/// One entry of a folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedEntry {
    /// Its name; bytes that are not UTF-8 are spelled `\xNN`.
    pub name: String,
    /// Its path relative to the workspace root.
    pub path: String,
    /// `file`, `directory`, `link` or `other`.
    #[serde(rename = "type")]
    pub kind: EntryKind,
    /// Size in bytes of a file; 0 for all else.
    pub size: u64,
    /// Last change, in seconds since 1970-01-01 UTC.
    pub modified: f64,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Other,
}

impl Tool for ListDirectory {
    const SPEC: Spec = Spec {
        id: "list_directory",
        title: "List a folder",
        tags: &["file", "folder"],
        syntax: &[("/path", Syntax::Tree), ("/pattern", Syntax::Pattern)],
        ..super::READING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let pattern = Pattern::parse(&args.pattern)?;
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

    /// Without `recursive` it shows the names of the folder's entries and nothing of what is in them.
    fn narrow(args: &Args) -> Reach {
        Reach {
            below: args.recursive,
            ..Reach::of(&Self::SPEC)
        }
    }

    /// Run in a workspace that has `data/a.csv` with 6 bytes and `data/b.txt` with 2, last changed at second 1,700,000,000.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "the CSV files of a folder",
        args: r#"{"path": "data", "pattern": "*.csv"}"#,
        output: r#"{
            "entries": [{
                "name": "a.csv", "path": "data/a.csv", "type": "file", "size": 6, "modified": 1700000000.0
            }],
            "count": 1, "truncated": false
        }"#,
    }];
}

impl From<FileInfo> for ListedEntry {
    fn from(info: FileInfo) -> Self {
        let name = info.path.rsplit('/').next().unwrap_or_default().to_owned();
        Self {
            name,
            path: info.path,
            kind: info.kind.into(),
            size: info.size,
            modified: info.modified_s,
        }
    }
}

impl From<FileKind> for EntryKind {
    fn from(kind: FileKind) -> Self {
        match kind {
            FileKind::File => Self::File,
            FileKind::Directory => Self::Directory,
            FileKind::Link => Self::Link,
            FileKind::Other => Self::Other,
        }
    }
}
