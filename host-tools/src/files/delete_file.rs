//! Deleting a file.

use super::evidence::{self, FileDigests, PathDigest};
use crate::prelude::*;

/// Delete a regular file or an empty folder of the workspace.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the file, relative to the workspace root. Links are not followed; files of the repository,
    /// the state and the configuration are never deleted.
    pub path: String,
    /// What to delete: `file`, or a `folder` that must be empty.
    #[value(default)]
    pub kind: DeletedKind,
}

/// Kind of the path to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum DeletedKind {
    /// A regular file.
    #[default]
    File,
    /// An empty folder.
    Folder,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Path relative to the workspace root.
    pub path: String,
    /// Its former type.
    #[value(rename = "type")]
    pub kind: FileKind,
    /// Its former size in bytes; 0 for a folder.
    pub size: u64,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "delete_file",
        title: "Delete a file",
        tags: &["file", "folder"],
        destructive: true,
        idempotent: false,
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let kind = match args.kind {
            DeletedKind::File => FileKind::File,
            DeletedKind::Folder => FileKind::Directory,
        };
        ctx.check()?;
        let removed = ctx.files()?.remove(&args.path, kind);
        let info = removed.at("/path")?;
        Ok(Output {
            path: info.path,
            kind: info.kind,
            size: info.size,
        })
    }

    /// The digest of a file; an empty folder has no evidence.
    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let files = ctx.files()?;
        match (args.kind, evidence::held_by(files, &args.path, ctx)?) {
            (DeletedKind::File, PathDigest::Digest(before, size)) => {
                let output = Output {
                    path: evidence::identity_path(&args.path, ctx)?,
                    kind: FileKind::File,
                    size,
                };
                let gone = FileDigests::new(&args.path, Some(before), None);
                evidence::of_files(vec![gone], &output)
            }
            _ => Ok(None),
        }
    }

    fn probe(_: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        evidence::probe_change(before, ctx)
    }

    /// Run in a workspace that has `notes.txt` with 12 bytes.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a file": r#"{"path": "notes.txt"}"#
            => r#"{"path": "notes.txt", "type": "file", "size": 12}"#;
    };
}
