//! Evidence for recovery: digests of the files before and after a change, from which a crashed call is judged.

use std::io::Read as _;

use crate::prelude::*;

/// Maximum file size for evidence.
const BYTES_MAX: u64 = 256 << 20;

/// Digests recorded before a change, and the output of the call if it happened.
#[derive(Encode, Decode)]
struct ChangeEvidence {
    files: Vec<FileDigests>,
    output: Value,
}

/// Digests of a file before and after a change; `None` for no file.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub(super) struct FileDigests {
    path: String,
    before: Option<String>,
    after: Option<String>,
}

impl FileDigests {
    /// The digests of one file.
    pub(super) fn new(path: &str, before: Option<String>, after: Option<String>) -> Self {
        Self {
            path: path.to_owned(),
            before,
            after,
        }
    }

    fn of_change(change: &FileChange) -> Self {
        let (before, after) = change.contents();
        Self::new(
            change.path(),
            before.map(content_digest),
            after.map(content_digest),
        )
    }
}

/// Evidence for changes that are written together.
pub(super) fn of_changes(changes: &[FileChange], output: &impl Encode) -> Result<Option<Value>> {
    of_files(changes.iter().map(FileDigests::of_change).collect(), output)
}

/// Evidence for changed files.
pub(super) fn of_files(files: Vec<FileDigests>, output: &impl Encode) -> Result<Option<Value>> {
    let output = to_value(output)?;
    to_value(&ChangeEvidence { files, output }).map(Some)
}

/// The path of a file as results show it.
pub(crate) fn identity_path(path: &str, ctx: &Ctx) -> Result<String> {
    Ok(ctx.files()?.identity(path)?.path)
}

/// Decides whether the change happened: all files have their new content, or their old one.
pub(super) fn probe_change(before: &Value, ctx: &Ctx) -> Result<CallProbe> {
    let Ok(ChangeEvidence { files, output }) = from_value::<ChangeEvidence>(before) else {
        return Ok(CallProbe::Unknown);
    };
    let mut held = Vec::with_capacity(files.len());
    for file in &files {
        match held_by(ctx.files()?, &file.path, ctx)? {
            PathDigest::Absent => held.push(None),
            PathDigest::Digest(digest, _) => held.push(Some(digest)),
            PathDigest::TooLarge => return Ok(CallProbe::Unknown),
        }
    }
    let all =
        |wanted: fn(&FileDigests) -> &Option<String>| files.iter().map(wanted).eq(held.iter());
    let found = if all(|file| &file.after) {
        CallProbe::Happened(output)
    } else if all(|file| &file.before) || put_back(&files, &held, ctx)? {
        CallProbe::NotHappened
    } else {
        return Ok(CallProbe::Unknown);
    };
    // The leftovers beside the files are not needed any more.
    for file in &files {
        ctx.files()?.clear_leftovers(folder_of(&file.path))?;
    }
    Ok(found)
}

/// The folder that a path is in, as text.
pub(crate) fn folder_of(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}

/// Rolls back a change that was interrupted between two files: files that are new already get their old content from the copy beside
/// them. Returns false, without a change, if a file is neither old nor new or a copy is missing.
fn put_back(files: &[FileDigests], held: &[Option<String>], ctx: &Ctx) -> Result<bool> {
    let world = ctx.files()?;
    let mut changes = Vec::new();
    for (file, held) in files.iter().zip(held) {
        if *held == file.before {
            continue;
        }
        if *held != file.after {
            return Ok(false);
        }
        let path = file.path.clone();
        let now = || world.read(&path, BYTES_MAX).map(|found| found.bytes);
        let old = match &file.before {
            None => None,
            Some(digest) => copy_of(digest, folder_of(&path), ctx)?,
        };
        if old.is_none() && file.before.is_some() {
            return Ok(false);
        }
        changes.push(match (held, old) {
            (Some(_), Some(content)) => FileChange::Replace {
                before: now()?,
                path,
                content,
            },
            (Some(_), None) => FileChange::Delete {
                before: now()?,
                path,
            },
            (None, Some(content)) => FileChange::Create {
                path,
                content,
                mode: None,
            },
            (None, None) => continue,
        });
    }
    world.change(&changes)?;
    Ok(true)
}

/// The leftover of the call in a folder that has this digest.
fn copy_of(wanted: &str, folder: &str, ctx: &Ctx) -> Result<Option<Vec<u8>>> {
    for file in ctx.files()?.leftovers(folder)? {
        ctx.check()?;
        let mut content = Vec::new();
        let read = file.take(BYTES_MAX).read_to_end(&mut content);
        if read.is_ok() && content_digest(&content) == wanted {
            return Ok(Some(content));
        }
    }
    Ok(None)
}

/// Content of a path.
pub(crate) enum PathDigest {
    Absent,
    /// Digest and size.
    Digest(String, u64),
    TooLarge,
}

/// Reads the content of a path without following links, as writing does.
pub(crate) fn held_by(files: &dyn WorkspaceFiles, path: &str, ctx: &Ctx) -> Result<PathDigest> {
    held_and_then(files, path, &[], ctx)
}

/// As [`held_by`], with `more` appended.
pub(super) fn held_and_then(
    files: &dyn WorkspaceFiles,
    path: &str,
    more: &[u8],
    ctx: &Ctx,
) -> Result<PathDigest> {
    let (info, mut reader) = match files.open(path, LinkMode::Refuse) {
        Ok(opened) => opened,
        Err(err) if err.is(Reason::NotFound) => return Ok(PathDigest::Absent),
        Err(err) => return Err(err),
    };
    if info.size > BYTES_MAX {
        return Ok(PathDigest::TooLarge);
    }
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    let mut size = 0;
    loop {
        ctx.check()?;
        let read = reader
            .read(&mut buffer)
            .map_err(|err| tool_error!(ToolError, "io"; "cannot read `{path}`: {err}"))?;
        if read == 0 {
            break;
        }
        size += read as u64;
        hasher.update(&buffer[..read]);
    }
    hasher.update(more);
    let digest = hasher.finalize().to_hex().to_string();
    Ok(PathDigest::Digest(digest, size + more.len() as u64))
}

/// The digest of a content.
pub(crate) fn content_digest(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}
