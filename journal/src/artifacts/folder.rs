//! The folder of artifacts: `artifacts/ab/<64 hex digits>.npy` or `.json`, each written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Take, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tool_core::value::Numbers;
use tool_core::{ErrorCode, Reason, Result, ToolError, Value, tool_error};

use super::{ArtifactHandle, ArtifactHash, ArtifactKind, FILE_BYTES_MAX, block};
use crate::packs::of_stored_text;
use crate::private::{DRAFT, write_whole};

/// Name of the folder beside the state file.
pub const FOLDER: &str = "artifacts";

/// The files of one state.
pub(crate) struct ArtifactFolder {
    root: PathBuf,
}

/// A file in the folder.
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    /// Time of the last write, in milliseconds since 1970.
    pub(crate) changed_ms: u64,
    /// Hash of the artifact; `None` for an incomplete file.
    pub(crate) hash: Option<ArtifactHash>,
}

impl ArtifactFolder {
    /// The folder beside a state file.
    pub(crate) fn beside(file: &Path) -> Self {
        Self {
            root: file.with_file_name(FOLDER),
        }
    }

    /// Path of a file.
    pub(crate) fn place(&self, hash: ArtifactHash, ending: &str) -> PathBuf {
        let hex = hash.to_string().split_off(3);
        self.root.join(&hex[..2]).join(format!("{hex}.{ending}"))
    }

    /// Writes a block, unless a sound file of it is there.
    pub(crate) fn keep_block(&self, handle: &ArtifactHandle, numbers: &Numbers) -> Result<()> {
        self.keep(handle, &|out| {
            block::npy_parts(numbers, &mut |part| out.write_all(part))
        })
    }

    /// Writes a text, unless a sound file of it is there.
    pub(crate) fn keep_text(&self, handle: &ArtifactHandle, text: &str) -> Result<()> {
        self.keep(handle, &|out| out.write_all(text.as_bytes()))
    }

    fn keep(
        &self,
        handle: &ArtifactHandle,
        content: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        let Some(ending) = handle.ending() else {
            return Ok(());
        };
        let place = self.place(handle.hash, ending);
        // A damaged file is replaced.
        if hash_of(&place).is_ok_and(|found| found == handle.hash) {
            return Ok(());
        }
        write_whole(&place, |file| content(file)).map_err(|err| {
            use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
            let (reason, hint) = match err.kind() {
                StorageFull | QuotaExceeded | FileTooLarge => (
                    "artifact_full",
                    "free space on the disk, or run `mathchain runs gc`",
                ),
                _ => (
                    "artifact_unwritable",
                    "`mathchain doctor` shows the state folder",
                ),
            };
            let message = format_args!("the artifact `{}` cannot be written: {err}", handle.hash);
            ToolError::new(ErrorCode::ToolError, message)
                .reason(reason)
                .hint(hint)
        })
    }

    /// Reads and verifies a file.
    pub(crate) fn read(&self, handle: &ArtifactHandle) -> Result<Vec<u8>> {
        let place = self.place(handle.hash, handle.ending().unwrap_or_default());
        let read = || -> io::Result<Vec<u8>> {
            let (mut file, length) = open_artifact(&place)?;
            let mut bytes = Vec::with_capacity(length as usize);
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|err| artifact_read_error(handle.hash, &err))?;
        match ArtifactHash::of(&bytes) == handle.hash {
            true => Ok(bytes),
            false => Err(hash_mismatch_error(handle.hash)),
        }
    }

    /// Reads some rows of the block in a file, which is verified: memory for the rows alone is taken.
    pub(crate) fn rows(&self, handle: &ArtifactHandle, rows: Range<usize>) -> Result<Value> {
        self.check(handle)?;
        let place = self.place(handle.hash, handle.ending().unwrap_or_default());
        let span = block::row_span(handle, rows)?;
        let read = || -> io::Result<Vec<u8>> {
            let (file, _) = open_artifact(&place)?;
            let mut file = file.into_inner();
            file.seek(SeekFrom::Start(span.offset))?;
            let mut bytes = vec![0; span.bytes];
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|err| artifact_read_error(handle.hash, &err))?;
        span.numbers(&bytes)
    }

    /// Verifies a file against its name, without reading it into memory.
    pub(crate) fn check(&self, handle: &ArtifactHandle) -> Result<()> {
        let place = self.place(handle.hash, handle.ending().unwrap_or_default());
        match hash_of(&place) {
            Ok(found) if found == handle.hash => Ok(()),
            Ok(_) => Err(hash_mismatch_error(handle.hash)),
            Err(err) => Err(artifact_read_error(handle.hash, &err)),
        }
    }

    /// Whether the description in a handle is that of its file, which is verified.
    pub(crate) fn describes(&self, handle: &ArtifactHandle) -> Result<bool> {
        Ok(match &handle.kind {
            ArtifactKind::Npy { .. } => match self.block(handle)? {
                Value::Numbers(numbers) => block::block_handle(&numbers)?.describes_same(handle),
                _ => false,
            },
            _ => self.read(handle)?.len() as u64 == handle.bytes(),
        })
    }

    /// Reads and verifies the block in a file.
    pub(crate) fn block(&self, handle: &ArtifactHandle) -> Result<Value> {
        block::decode_block(handle, &self.read(handle)?)
    }

    /// Lists every file, in arbitrary order.
    pub(crate) fn files(&self) -> io::Result<Vec<FoundFile>> {
        let mut found = Vec::new();
        let listed = match fs::read_dir(&self.root) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(found),
            listed => listed?,
        };
        for folder in listed {
            let folder = folder?.path();
            if !folder.symlink_metadata()?.is_dir() {
                continue;
            }
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let about = entry.metadata()?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let hash = name
                    .split_once('.')
                    .and_then(|(hex, _)| ArtifactHash::parse(&format!("b3:{hex}")).ok());
                // Other files are ignored.
                if about.is_file() && (hash.is_some() || name.starts_with(DRAFT)) {
                    let changed = about.modified()?.duration_since(UNIX_EPOCH);
                    found.push(FoundFile {
                        path: entry.path(),
                        bytes: about.len(),
                        changed_ms: changed.unwrap_or(Duration::ZERO).as_millis() as u64,
                        hash,
                    });
                }
            }
        }
        Ok(found)
    }
}

/// The error for an artifact that does not exist.
pub(crate) fn missing_artifact(hash: ArtifactHash) -> ToolError {
    tool_error!(ToolError, Reason::ArtifactMissing; "the artifact `{hash}` no longer exists";
        "run the plan again to recreate it; `mathchain runs pin RUN` protects the values of a run from collection")
}

/// The error for an artifact whose content does not match its hash.
pub(crate) fn corrupt_artifact(hash: ArtifactHash, why: &str) -> ToolError {
    tool_error!(ToolError, "artifact_corrupt"; "the artifact `{hash}` cannot be used: {why}";
        "run the plan again; it replaces a damaged file")
}

fn hash_mismatch_error(hash: ArtifactHash) -> ToolError {
    corrupt_artifact(hash, "its content does not match its hash")
}

fn artifact_read_error(hash: ArtifactHash, err: &io::Error) -> ToolError {
    match err.kind() {
        io::ErrorKind::NotFound => missing_artifact(hash),
        _ => corrupt_artifact(hash, &err.to_string()),
    }
}

/// The body of a small value, if it is there and matches its hash.
pub(crate) fn verify_body(hash: ArtifactHash, body: Option<String>) -> Result<String> {
    let body = of_stored_text(body.ok_or_else(|| missing_artifact(hash))?);
    match ArtifactHash::of(body.as_bytes()) == hash {
        true => Ok(body),
        false => Err(hash_mismatch_error(hash)),
    }
}

/// Opens an artifact and returns its length. It must be a regular file, not a link, of at most [`FILE_BYTES_MAX`]; reading stops there,
/// even if the file grows.
fn open_artifact(place: &Path) -> io::Result<(Take<File>, u64)> {
    let irregular = || io::Error::other("it is not a regular file");
    // Opening a pipe would wait for a writer, so the kind of file is checked first.
    if !place.symlink_metadata()?.is_file() {
        return Err(irregular());
    }
    let file = File::open(place)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(irregular());
    }
    if found.len() > FILE_BYTES_MAX {
        let message = format!("it has {} bytes, more than any artifact", found.len());
        return Err(io::Error::other(message));
    }
    Ok((file.take(FILE_BYTES_MAX), found.len()))
}

fn hash_of(place: &Path) -> io::Result<ArtifactHash> {
    let mut hasher = blake3::Hasher::new();
    let mut file = BufReader::with_capacity(1 << 16, open_artifact(place)?.0);
    io::copy(&mut file, &mut hasher)?;
    Ok(ArtifactHash(hasher.finalize().into()))
}
