//! The folder of a run on a shared disk: files that are written whole, and signed with the key of the run.
//!
//! A signed file has three lines: a header as JSON, the code that only who has the key can make of the other two, and a body. It is written
//! under another name and renamed, so that no reader sees half of it; the code tells a damaged file from a whole one.

use std::collections::hash_map::RandomState;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use registry::digest;
use tool_core::{Object, Result, ToolError, Value, json, tool_error};

/// Version of the format of the files.
pub(super) const FORMAT: u32 = 1;
/// Beginning of the names of the folders of runs.
const RUN_PREFIX: &str = "run-";
/// Beginning of the names of files that are not complete.
const DRAFT: &str = ".new-";
/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 512 << 20;
/// Between the id of a ticket and the name of a worker in the name of a file.
const OWNER: char = '~';

/// The folder of a run, and its key.
pub(super) struct RunFolder {
    pub(super) path: PathBuf,
    key: [u8; 32],
}

/// A signed file that was read.
pub(super) struct SignedFile {
    pub(super) header: Value,
    pub(super) body: String,
}

/// Why a file is none of the run.
#[derive(Debug)]
pub(super) enum FileFault {
    /// It is not there.
    Missing,
    /// It cannot be read now.
    Unreadable(io::Error),
    /// It is damaged, or signed with another key.
    Unsigned,
}

impl RunFolder {
    pub(super) const TICKETS: &str = "tickets";
    pub(super) const CLAIMS: &str = "claims";
    pub(super) const RESULTS: &str = "results";
    pub(super) const WORKERS: &str = "workers";
    pub(super) const HEAD: &str = "head";
    const RUN: &str = "run";
    const KEY: &str = "key";
    const CLOSED: &str = "closed";

    /// Makes the folder of a new run, for this user alone, within one that is made where it is missing.
    pub(super) fn create(within: &Path, header: &Object) -> io::Result<Self> {
        fs::create_dir_all(within)?;
        let path = within.join(format!("{RUN_PREFIX}{:016x}", random_bits()));
        private_folder().create(&path)?;
        for name in [Self::TICKETS, Self::CLAIMS, Self::RESULTS, Self::WORKERS] {
            private_folder().create(path.join(name))?;
        }
        let key = random_key()?;
        let mut file = private_file().create_new(true).open(path.join(Self::KEY))?;
        file.write_all(hex_of(&key).as_bytes())?;
        drop(file);
        let folder = Self { path, key };
        // Last: a worker takes part once it is there.
        folder.write(Self::RUN, header, "")?;
        Ok(folder)
    }

    /// Opens the folder of a run that another process of this user made; with the header of the run.
    pub(super) fn open(path: &Path) -> Result<(Self, Value)> {
        let refused = |why: &str| {
            tool_error!(PreconditionFailed, "run_folder"; "`{}` {why}", path.display();
                "a worker computes for runs of its own user alone")
        };
        require_own(path).map_err(refused)?;
        require_own(&path.join(Self::KEY)).map_err(refused)?;
        let key = read_bounded(&path.join(Self::KEY), 256).ok();
        let key = key.and_then(|text| key_of_hex(text.trim()));
        let key = key.ok_or_else(|| refused("has no readable key"))?;
        let folder = Self {
            path: path.to_owned(),
            key,
        };
        match folder.read(&folder.path.join(Self::RUN)) {
            Ok(run) => Ok((folder, run.header)),
            Err(_) => Err(refused("has no header that its key signed")),
        }
    }

    /// The folders of runs in a folder.
    pub(super) fn list(within: &Path) -> io::Result<Vec<PathBuf>> {
        let names = names_in(within)?.into_iter();
        let names = names.filter(|name| name.starts_with(RUN_PREFIX));
        Ok(names.map(|name| within.join(name)).collect())
    }

    pub(super) fn place(&self, folder: &str, name: &str) -> PathBuf {
        self.path.join(folder).join(name)
    }

    /// The names of the complete files of one of its folders, sorted.
    pub(super) fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        names_in(&self.path.join(folder))
    }

    /// Writes a signed file whole or not at all.
    pub(super) fn write(&self, name: &str, header: &Object, body: &str) -> io::Result<()> {
        let header = json::to_text(&Value::from(header.clone()));
        let code = digest::keyed(&self.key, [name_signed(name), &*header, body]);
        let place = self.path.join(name);
        let folder = place.parent().unwrap_or(&self.path);
        let draft = folder.join(format!("{DRAFT}{:016x}", random_bits()));
        let written = (|| {
            let mut file = private_file().create_new(true).open(&draft)?;
            file.write_all(format!("{header}\n{code}\n").as_bytes())?;
            file.write_all(body.as_bytes())?;
            file.flush()?;
            drop(file);
            fs::rename(&draft, &place)
        })();
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
        written
    }

    /// Reads a signed file, which must lie where its code says.
    pub(super) fn read(&self, place: &Path) -> std::result::Result<SignedFile, FileFault> {
        let text = read_bounded(place, FILE_BYTES_MAX).map_err(|err| match err.kind() {
            io::ErrorKind::NotFound => FileFault::Missing,
            io::ErrorKind::InvalidData => FileFault::Unsigned,
            _ => FileFault::Unreadable(err),
        })?;
        let name = place.strip_prefix(&self.path).unwrap_or(place);
        let name = name.to_string_lossy();
        let parts = text.split_once('\n');
        let parts = parts.and_then(|(header, rest)| Some((header, rest.split_once('\n')?)));
        let Some((header, (code, body))) = parts else {
            return Err(FileFault::Unsigned);
        };
        if digest::keyed(&self.key, [name_signed(&name), header, body]) != code {
            return Err(FileFault::Unsigned);
        }
        let header = json::parse_json(header, json::JsonLimits::default());
        Ok(SignedFile {
            header: header.map_err(|_| FileFault::Unsigned)?,
            body: body.to_owned(),
        })
    }

    /// Marks the run as over.
    pub(super) fn close(&self) {
        // A worker also learns it from a head that is silent.
        let _ = private_file()
            .create(true)
            .open(self.path.join(Self::CLOSED));
    }

    pub(super) fn is_closed(&self) -> bool {
        self.path.join(Self::CLOSED).exists() || !self.path.exists()
    }

    /// Removes the folder of a run that is over.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// What of a name the code covers: a claimed ticket moves between folders and owners.
fn name_signed(name: &str) -> &str {
    let last = name.rsplit('/').next().unwrap_or(name);
    match (name.split('/').next(), last.split_once(OWNER)) {
        (Some(RunFolder::CLAIMS), Some((ticket, _))) => ticket,
        _ => last,
    }
}

/// The name of a file about a ticket that belongs to a worker.
pub(super) fn owned_name(ticket: &str, worker: &str) -> String {
    format!("{ticket}{OWNER}{worker}")
}

/// The ticket and the worker in the name of a file.
pub(super) fn split_owned(name: &str) -> Option<(&str, &str)> {
    name.split_once(OWNER)
}

/// Refuses what belongs to another user, or that others may write.
#[cfg(unix)]
fn require_own(path: &Path) -> std::result::Result<(), &'static str> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::symlink_metadata(path).map_err(|_| "cannot be read")?;
    if found.is_symlink() {
        return Err("is a link");
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err("belongs to another user");
    }
    match found.mode() & 0o077 {
        0 => Ok(()),
        _ => Err("is open to other users"),
    }
}

#[cfg(not(unix))]
fn require_own(path: &Path) -> std::result::Result<(), &'static str> {
    fs::symlink_metadata(path).map_err(|_| "cannot be read")?;
    Ok(())
}

/// Random bits for names.
pub(super) fn random_bits() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A key that cannot be guessed.
fn random_key() -> io::Result<[u8; 32]> {
    let mut key = [0; 32];
    #[cfg(unix)]
    File::open("/dev/urandom")?.read_exact(&mut key)?;
    #[cfg(not(unix))]
    for part in key.chunks_exact_mut(8) {
        part.copy_from_slice(&random_bits().to_le_bytes());
    }
    Ok(key)
}

fn hex_of(key: &[u8; 32]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key_of_hex(text: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(key)
}

fn read_bounded(place: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    File::open(place)?
        .take(most + 1)
        .read_to_string(&mut text)?;
    match text.len() as u64 > most {
        true => Err(io::Error::new(io::ErrorKind::InvalidData, "too large")),
        false => Ok(text),
    }
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        // Names of others are no text of ours.
        if let Ok(name) = entry?.file_name().into_string()
            && !name.starts_with('.')
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(unix)]
fn private_folder() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(unix)]
fn private_file() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(not(unix))]
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    options
}

/// The error of a folder that cannot be used.
pub(super) fn folder_error(path: &Path, what: &str, err: &io::Error) -> ToolError {
    tool_error!(PreconditionFailed, "run_folder"; "`{}` {what}: {err}", path.display();
        "name a folder that this user may write, on a disk that all workers see")
}
