//! The folder of artifacts: `artifacts/ab/<64 hex digits>.npy` or `.json`, each written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Take, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tool_core::value::Numbers;
use tool_core::{ErrorCode, Reason, ToolError, Value};

use super::{ArtifactHash, FILE_BYTES_MAX, Handle, Kind, block};
use crate::failpoints::fail_at;
use crate::private::{private_file, private_folder};
use crate::random::chance;

/// Name of the folder beside the state file.
pub const FOLDER: &str = "artifacts";

/// What a file begins with that is not whole yet.
const DRAFT: &str = ".new-";

/// The files of one state.
pub(crate) struct Folder {
    root: PathBuf,
}

/// A file in the folder.
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub(crate) changed_ms: u64,
    /// The artifact it holds; `None` for one that was never finished.
    pub(crate) hash: Option<ArtifactHash>,
}

impl Folder {
    /// Beside a state file.
    pub(crate) fn beside(file: &Path) -> Self {
        Self {
            root: file.with_file_name(FOLDER),
        }
    }

    /// Where a file is.
    pub(crate) fn place(&self, hash: ArtifactHash, ending: &str) -> PathBuf {
        let hex = hash.to_string().split_off(3);
        self.root.join(&hex[..2]).join(format!("{hex}.{ending}"))
    }

    /// Writes a block, unless a sound file of it is there.
    pub(crate) fn keep_block(&self, handle: &Handle, numbers: &Numbers) -> Result<(), ToolError> {
        self.keep(handle, &|out| {
            block::npy_parts(numbers, &mut |part| out.write_all(part))
        })
    }

    /// Writes a text, unless a sound file of it is there.
    pub(crate) fn keep_text(&self, handle: &Handle, text: &str) -> Result<(), ToolError> {
        self.keep(handle, &|out| out.write_all(text.as_bytes()))
    }

    fn keep(
        &self,
        handle: &Handle,
        content: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ToolError> {
        let Some(ending) = handle.ending() else {
            return Ok(());
        };
        let place = self.place(handle.hash, ending);
        // What is there is looked at: a damaged file is written anew.
        if hash_of(&place).is_ok_and(|found| found == handle.hash) {
            return Ok(());
        }
        self.write(&place, content).map_err(|err| {
            let full = matches!(
                err.kind(),
                io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge
            );
            let (reason, hint) = if full {
                (
                    "artifact_full",
                    "free space on the disk, or run `mathchain runs gc`",
                )
            } else {
                (
                    "artifact_unwritable",
                    "`mathchain doctor` shows the state folder",
                )
            };
            ToolError::new(
                ErrorCode::ToolError,
                format_args!("the artifact `{}` cannot be written: {err}", handle.hash),
            )
            .reason(reason)
            .hint(hint)
        })
    }

    fn write(
        &self,
        place: &Path,
        content: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let folder = place.parent().unwrap_or(&self.root);
        for folder in [self.root.as_path(), folder] {
            make_folder(folder)?;
        }
        let draft = folder.join(format!("{DRAFT}{:016x}", chance()));
        let done = (|| {
            let mut file = private_file().create_new(true).open(&draft)?;
            content(&mut file)?;
            fail_at("artifact.temp");
            file.sync_all()?;
            fail_at("artifact.sync");
            fs::rename(&draft, place)?;
            fail_at("artifact.rename");
            File::open(folder)?.sync_all()
        })();
        if done.is_err() {
            let _ = fs::remove_file(&draft);
        }
        done
    }

    /// The bytes of a file, verified.
    pub(crate) fn read(&self, handle: &Handle) -> Result<Vec<u8>, ToolError> {
        let place = self.place(handle.hash, handle.ending().unwrap_or_default());
        let read = || -> io::Result<Vec<u8>> {
            let (mut file, length) = open(&place)?;
            let mut bytes = Vec::with_capacity(length as usize);
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|err| {
            if err.kind() == io::ErrorKind::NotFound {
                missing(handle.hash)
            } else {
                corrupt(handle.hash, &err.to_string())
            }
        })?;
        if ArtifactHash::of(&bytes) == handle.hash {
            Ok(bytes)
        } else {
            Err(corrupt(handle.hash, "its content is not what was written"))
        }
    }

    /// Holds a file against its name, without taking it into memory.
    pub(crate) fn check(&self, handle: &Handle) -> Result<(), ToolError> {
        let place = self.place(handle.hash, handle.ending().unwrap_or_default());
        match hash_of(&place) {
            Ok(found) if found == handle.hash => Ok(()),
            Ok(_) => Err(corrupt(handle.hash, "its content is not what was written")),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Err(missing(handle.hash)),
            Err(err) => Err(corrupt(handle.hash, &err.to_string())),
        }
    }

    /// Whether a handle says of a file what is in it; the file is verified.
    pub(crate) fn describes(&self, handle: &Handle) -> Result<bool, ToolError> {
        Ok(match &handle.kind {
            Kind::Npy { .. } => match self.block(handle)? {
                Value::Numbers(numbers) => block::named(&numbers)?.says_the_same(handle),
                _ => false,
            },
            _ => self.read(handle)?.len() as u64 == handle.bytes(),
        })
    }

    /// The block in a file, verified.
    pub(crate) fn block(&self, handle: &Handle) -> Result<Value, ToolError> {
        block::block(handle, &self.read(handle)?)
    }

    /// Every file, in no order that matters.
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
                // What is neither ours nor half of ours is left alone.
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

/// No such artifact.
pub(crate) fn missing(hash: ArtifactHash) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("the artifact `{hash}` is not there any more"),
    )
    .reason(Reason::ArtifactMissing)
    .hint("run the plan again to make it anew; `mathchain runs pin RUN` keeps a run from being collected")
}

/// An artifact that is not what was written.
pub(crate) fn corrupt(hash: ArtifactHash, why: &str) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("the artifact `{hash}` cannot be used: {why}"),
    )
    .reason("artifact_corrupt")
    .hint("run the plan again to make it anew; a damaged file is replaced then")
}

/// Opens an artifact, and gives its length: a regular file that may be one by its length, and no link. What is read ends there, also of a file that
/// grows.
fn open(place: &Path) -> io::Result<(Take<File>, u64)> {
    let irregular = || io::Error::other("it is no regular file");
    // Opening a pipe would wait for a writer: what is there is looked at first.
    if !place.symlink_metadata()?.is_file() {
        return Err(irregular());
    }
    let file = File::open(place)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(irregular());
    }
    if found.len() > FILE_BYTES_MAX {
        let message = format!("it has {} bytes, and no artifact has so many", found.len());
        return Err(io::Error::other(message));
    }
    Ok((file.take(FILE_BYTES_MAX), found.len()))
}

fn hash_of(place: &Path) -> io::Result<ArtifactHash> {
    let mut hasher = blake3::Hasher::new();
    let mut file = BufReader::with_capacity(1 << 16, open(place)?.0);
    io::copy(&mut file, &mut hasher)?;
    Ok(ArtifactHash(hasher.finalize().into()))
}

/// Makes a folder for this user alone; what is there must be a folder and no link.
fn make_folder(folder: &Path) -> io::Result<()> {
    match private_folder().create(folder) {
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
            if folder.symlink_metadata()?.is_dir() {
                Ok(())
            } else {
                Err(io::Error::other("its folder is no folder"))
            }
        }
        made => {
            made?;
            // The name of a new folder is itself data of the folder above.
            folder.parent().map_or(Ok(()), |above| {
                File::open(above).and_then(|above| above.sync_all())
            })
        }
    }
}
