//! Existence and metadata of a file.

use crate::prelude::*;

/// Show the metadata of a path of the workspace: type, size, time of the last change, mode, and the real path without links.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Stat {
    /// The path, relative to the workspace root. Links are followed as long as they stay in the workspace.
    pub path: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct PathMetadata {
    /// Path relative to the workspace root.
    pub path: String,
    /// The same path with links resolved.
    pub real_path: String,
    /// `file`, `directory` or `other`.
    #[value(rename = "type")]
    pub kind: FileKind,
    /// Size of a file in bytes; 0 for anything else.
    pub size: u64,
    /// Time of the last change, in seconds since 1970-01-01 UTC.
    pub modified: f64,
    /// Permission bits in octal, such as `0644`.
    pub mode: String,
}

impl Tool for Stat {
    const SPEC: Spec = super::READING
        .with_name("stat", "Show metadata of a file")
        .tags(&["file", "folder"]);
    type Output = PathMetadata;

    fn run(args: Stat, ctx: &Ctx) -> Result<PathMetadata> {
        let files = ctx.files()?;
        let info = files.stat(&args.path).at("/path")?;
        let id = files.identity(&args.path).at("/path")?;
        Ok(PathMetadata {
            path: info.path,
            real_path: id.path,
            kind: info.kind,
            size: info.size,
            modified: info.modified_s,
            mode: format!("{:04o}", info.mode),
        })
    }

    /// Run in a workspace that has `notes.txt`, 12 bytes of text with mode 0644, last changed at second 1,700,000,000.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a file": r#"{"path": "data/../notes.txt"}"# => r#"{
            "path": "data/../notes.txt", "real_path": "notes.txt", "type": "file", "size": 12,
            "modified": 1700000000.0, "mode": "0644"
        }"#;
    };
}

/// Report whether a path of the workspace exists. A path that leaves the workspace is an error, not `false`.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Exists {
    /// The path, relative to the workspace root. Links are followed as long as they stay in the workspace.
    pub path: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct PathExistence {
    /// Whether the path exists.
    pub exists: bool,
    /// Its type: `file`, `directory` or `other`.
    #[value(rename = "type", skip_encoding_if = "Option::is_none")]
    pub kind: Option<FileKind>,
}

impl Tool for Exists {
    const SPEC: Spec = super::READING
        .with_name("exists", "Check whether a path exists")
        .tags(&["file", "folder"]);
    type Output = PathExistence;

    fn run(args: Exists, ctx: &Ctx) -> Result<PathExistence> {
        let kind = match ctx.files()?.stat(&args.path) {
            Ok(info) => Some(info.kind),
            // Below a file nothing exists.
            Err(err) if err.is(Reason::NotFound) || err.is(Reason::NotAFolder) => None,
            Err(err) => return Err(err.at("/path")),
        };
        let exists = kind.is_some();
        Ok(PathExistence { exists, kind })
    }

    /// Run in a workspace that has `notes.txt`.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a file": r#"{"path": "notes.txt"}"# => r#"{"exists": true, "type": "file"}"#;
        "a missing path": r#"{"path": "missing.txt"}"# => r#"{"exists": false}"#;
    };
}
