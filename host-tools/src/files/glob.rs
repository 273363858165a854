//! Finding files by their paths.

use globset::{GlobBuilder, GlobMatcher};

use super::walk::{self, WalkControl};
use crate::prelude::*;

/// Maximum paths in one result.
const LIMIT_MAX: i64 = 100_000;
/// Maximum length of a pattern in bytes.
const PATTERN_MAX: usize = 1024;

/// Find files of the workspace whose paths match a pattern, sorted by path. Links are not followed; the content of `.git`
/// and files that `.gitignore` excludes are omitted.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Pattern for the path below `path`: `*` and `?` within one name, `**` over any number of folders, `[a-z]`, `{rs,toml}`.
    /// A pattern without `/` matches the name at any depth.
    pub pattern: String,
    /// The folder to look in, relative to the workspace root.
    #[value(default = "default_root")]
    pub path: String,
    /// Whether to return folders as well as files.
    #[value(default)]
    pub folders: bool,
    /// Whether to include files that `.gitignore` excludes.
    #[value(default)]
    pub ignored: bool,
    /// Maximum paths, 1 to 100000; `truncated` reports whether there are more.
    #[value(default = "BoundedInteger::<1, LIMIT_MAX>::of::<1000>")]
    pub limit: BoundedInteger<1, LIMIT_MAX>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The paths, relative to the workspace root.
    pub paths: Vec<String>,
    /// Number of paths returned.
    pub count: usize,
    /// Whether there are more, or a folder could not be read.
    pub truncated: bool,
}

impl Tool for Args {
    const SPEC: Spec = super::READING
        .with_name("glob", "Find files by name")
        .tags(&["file", "search"])
        .syntax(&[("/path", Syntax::Tree), ("/pattern", Syntax::Pattern)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let pattern = compile_glob(&args.pattern, "/pattern")?;
        let top = walk::resolve_top(ctx, &args.path).at("/path")?;
        let below = FolderPrefix::of(&top);
        let mut paths = Vec::new();
        let mut truncated = false;
        let unread = walk::walk_tree(ctx, &top, args.ignored, &mut |entry| {
            let folder = args.folders && entry.kind == FileKind::Directory;
            let wanted = folder || entry.kind == FileKind::File;
            if !wanted || !pattern.is_match(below.path(&entry.path)) {
                return Ok(WalkControl::On);
            }
            if paths.len() == args.limit.size() {
                truncated = true;
                return Ok(WalkControl::Stop);
            }
            paths.push(entry.path.clone());
            Ok(WalkControl::On)
        })
        .at("/path")?;
        Ok(Output {
            count: paths.len(),
            paths,
            truncated: truncated || unread > 0,
        })
    }

    /// Run in a workspace that has `notes.txt`, `data/a.csv` and `data/b.txt`.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "text files at any depth": r#"{"pattern": "*.txt"}"#
            => r#"{"paths": ["data/b.txt", "notes.txt"], "count": 2, "truncated": false}"#;
        "tables of one folder": r#"{"pattern": "data/*.{csv,tsv}"}"#
            => r#"{"paths": ["data/a.csv"], "count": 1, "truncated": false}"#;
    };
}

/// Reads a pattern for paths.
///
/// # Errors
/// `invalid_args` at the pointer for an invalid pattern.
pub(crate) fn compile_glob(pattern: &str, pointer: &str) -> Result<GlobMatcher> {
    let refuse = |why: String| {
        ToolError::invalid(pointer, why)
            .reason("pattern")
            .hint("`*` and `?` match within a name, `**` folders, `[a-z]` and `{a,b}` choices; `[*]` matches a star")
    };
    if pattern.is_empty() || pattern.len() > PATTERN_MAX {
        let found = pattern.len();
        let expected = format!("expected a pattern of 1 to {PATTERN_MAX} bytes");
        return Err(refuse(format!("{expected}, found {found}")));
    }
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        const BELOW: &str =
            "patterns match below the folder: they must not begin with `/` or contain `..`";
        return Err(refuse(BELOW.to_owned()));
    }
    let anywhere = if pattern.contains('/') { "" } else { "**/" };
    GlobBuilder::new(&format!("{anywhere}{pattern}"))
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|err| refuse(format!("invalid pattern: {}", err.kind())))
}

/// Converts workspace paths to paths below one folder.
pub(crate) struct FolderPrefix(String);

impl FolderPrefix {
    pub(crate) fn of(folder: &str) -> Self {
        let root = if folder.starts_with('/') { "/" } else { "" };
        let below = path_parts(folder).map(|part| format!("{part}/"));
        Self(std::iter::once(root.to_owned()).chain(below).collect())
    }

    pub(crate) fn path<'a>(&self, path: &'a str) -> &'a str {
        path.strip_prefix(self.0.as_str()).unwrap_or(path)
    }
}
