//! `mathchain state backup` and `restore`: the state as one file, and back. The file is a tar archive (ustar) whose last entry lists the
//! BLAKE3 digest of every other.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};

use journal::{FILE_NAME, StateStore, VerificationChecks};
use tool_core::capability::Clock as _;

use super::prelude::*;
use mathchain::clock::SystemClock;
use mathchain::{audit_key, identity, user_rules};

/// The last entry.
const MANIFEST: &str = "manifest.json";
/// Longest manifest that is read, in bytes.
const MANIFEST_BYTES_MAX: u64 = 256 << 20;
/// Files and folders of a state folder beside the database.
const PARTS: [&str; 4] = [
    identity::FILE_NAME,
    user_rules::FILE_NAME,
    "artifacts",
    "backups",
];
/// Bytes of a block of an archive.
const BLOCK: usize = 512;

fn file_error(what: &str, path: &Path, err: &dyn std::fmt::Display) -> ToolError {
    tool_error!(ToolError, "io"; "cannot {what} `{}`: {err}", path.display())
}

/// A folder that is removed with everything in it.
struct CopyFolder(PathBuf);

impl CopyFolder {
    fn new(state: &Path) -> Result<Self> {
        let name = format!(
            "copy-{}-{}.tmp",
            std::process::id(),
            SystemClock::default().unix_ms()
        );
        let folder = state.join(name);
        std::fs::create_dir(&folder).map_err(|err| file_error("make", &folder, &err))?;
        Ok(Self(folder))
    }
}

impl Drop for CopyFolder {
    fn drop(&mut self) {
        // What is left is removed by hand; nothing reads it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes the state of a running system to one file.
pub(super) fn backup_state(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    to: &Path,
    force: bool,
) -> Result<ExitCode> {
    let state = open::state_to_read(global, toolkit)?;
    let folder = open::state_folder(global)?;
    let scratch = CopyFolder::new(&folder)?;
    let copy = scratch.0.join(FILE_NAME);
    state.snapshot(&copy)?;
    let mut entries = Vec::new();
    let bytes = output::to_file(to, force, |out| {
        let mut archive = StateArchive {
            out,
            entries: &mut entries,
        };
        archive.add(FILE_NAME, &copy)?;
        for part in PARTS {
            archive.add_all(part, &folder.join(part))?;
        }
        archive.finish()
    })?;
    // What was written is read again, and the copy in it verified as the state would be.
    let checked = examine_archive(to, None)?;
    let verified = verify_state_folder(&scratch.0)?;
    let file = to.display().to_string();
    let data = object! {
        "file" => file.as_str(),
        "bytes" => bytes,
        "files" => checked,
        "records" => verified,
    };
    output::print_data(global, &data, || {
        format!(
            "wrote {} with {} and {}, read again and verified, to {file}\n",
            human::format_byte_size(bytes),
            count_phrase(checked, "file"),
            count_phrase(verified, "record"),
        )
    })
}

/// Verifies the records of the state in a folder; gives their number.
fn verify_state_folder(folder: &Path) -> Result<u64> {
    let clock = std::sync::Arc::new(SystemClock::default());
    let state = StateStore::open(folder, clock)?;
    let found = state.verify_with(&VerificationChecks {
        published: &[],
        values: false,
        cut_keys: Some(&audit_key::trusted_cut_keys(&[])?),
    })?;
    match found.faults.first() {
        None => Ok(found.records),
        Some(fault) => Err(
            tool_error!(ToolError, "state_corrupt"; "the audit in the copy is not sound: {}", fault.message;
            "`mathchain audit verify` lists the faults; a cut of another user needs their `keys/audit.key`, or `--cut-key`"),
        ),
    }
}

/// Puts a backup in the place of the state.
pub(super) fn restore_state(global: &GlobalArgs, file: &Path, force: bool) -> Result<ExitCode> {
    let folder = open::state_folder(global)?;
    let is_there = folder.join(FILE_NAME).exists();
    if is_there && !force {
        return Err(
            tool_error!(Conflict, "state_exists"; "`{}` has a state already", folder.display();
            "end every server and run that uses it, then give `--force`: the present state is kept in a folder below it"),
        );
    }
    if !folder.is_dir() {
        std::fs::create_dir_all(&folder).map_err(|err| file_error("make", &folder, &err))?;
        restrict_folder(&folder)?;
    }
    // Everything is checked before anything is replaced.
    examine_archive(file, None)?;
    let scratch = CopyFolder::new(&folder)?;
    let files = examine_archive(file, Some(&scratch.0))?;
    let records = verify_state_folder(&scratch.0)?;
    let kept = match is_there {
        false => None,
        true => {
            let kept = folder.join(format!("replaced-{}", SystemClock::default().unix_ms()));
            std::fs::create_dir(&kept).map_err(|err| file_error("make", &kept, &err))?;
            restrict_folder(&kept)?;
            let database = ["", "-wal", "-shm"].map(|end| format!("{FILE_NAME}{end}"));
            for part in database.iter().map(String::as_str).chain(PARTS) {
                rename_path(&folder.join(part), &kept.join(part))?;
            }
            Some(kept)
        }
    };
    let database = ["", "-wal", "-shm"].map(|end| format!("{FILE_NAME}{end}"));
    for part in database.iter().map(String::as_str).chain(PARTS) {
        rename_path(&scratch.0.join(part), &folder.join(part))?;
    }
    drop(scratch);
    let toolkit = open::open_toolkit_quietly(global)?;
    let copy_of = toolkit.copy_of().map(str::to_owned);
    let place = folder.display().to_string();
    let kept = kept.map(|kept| kept.display().to_string());
    let data = object! {
        "state" => place.as_str(),
        "files" => files,
        "records" => records,
        "replaced" => kept.clone(),
        "copy_of" => copy_of.clone(),
    };
    output::print_data(global, &data, || {
        let mut text = format!(
            "restored {} and {} to {place}\n",
            count_phrase(files, "file"),
            count_phrase(records, "record")
        );
        if let Some(kept) = kept {
            let _ = writeln!(text, "the state that was there is in {kept}");
        }
        if let Some(original) = copy_of {
            let _ = writeln!(
                text,
                "it is the state of {original}: `mathchain workspace adopt` makes it that of this folder"
            );
        }
        text
    })
}

#[cfg(unix)]
fn restrict_folder(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(folder, mode).map_err(|err| file_error("change", folder, &err))
}

#[cfg(not(unix))]
fn restrict_folder(_: &Path) -> Result<()> {
    Ok(())
}

fn rename_path(from: &Path, to: &Path) -> Result<()> {
    match from.exists() {
        true => std::fs::rename(from, to).map_err(|err| file_error("move", from, &err)),
        false => Ok(()),
    }
}

/// An archive that is written.
struct StateArchive<'a> {
    out: &'a mut dyn Write,
    /// Names and digests of the files so far.
    entries: &'a mut Vec<(String, String)>,
}

impl StateArchive<'_> {
    /// Adds a file, or every file of a folder; one that a process removed meanwhile is left out.
    fn add_all(&mut self, name: &str, path: &Path) -> Result<()> {
        if path.is_symlink() || !path.exists() {
            return Ok(());
        }
        if !path.is_dir() {
            return self.add(name, path);
        }
        let entries = path
            .read_dir()
            .map_err(|err| file_error("read", path, &err))?;
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|err| file_error("read", path, &err))?;
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
        found.sort();
        for inner in found.iter().filter(|inner| !inner.ends_with(".tmp")) {
            self.add_all(&format!("{name}/{inner}"), &path.join(inner))?;
        }
        Ok(())
    }

    fn add(&mut self, name: &str, path: &Path) -> Result<()> {
        let file = match File::open(path) {
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            other => other.map_err(|err| file_error("read", path, &err))?,
        };
        let size = file
            .metadata()
            .map_err(|err| file_error("read", path, &err))?
            .len();
        self.write(&archive_header(name, size)?)?;
        let mut hasher = blake3::Hasher::new();
        let mut reader = BufReader::new(file).take(size);
        let mut buffer = vec![0; 1 << 16];
        let mut left = size;
        loop {
            let read = reader
                .read(&mut buffer)
                .map_err(|err| file_error("read", path, &err))?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
            self.write(&buffer[..read])?;
            left -= read as u64;
        }
        if left > 0 {
            return Err(file_error("read", path, &"it became shorter meanwhile"));
        }
        self.pad(size)?;
        self.entries
            .push((name.to_owned(), hasher.finalize().to_hex().to_string()));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let files = self.entries.iter().map(|(name, digest)| {
            object! { "name" => name.as_str(), "blake3" => digest.as_str() }
        });
        let files = Value::array(files.collect());
        let made_ms = SystemClock::default().unix_ms();
        let version = env!("CARGO_PKG_VERSION");
        let manifest = object! { "mathchain" => version, "made_ms" => made_ms, "files" => files };
        let text = json::to_text(&manifest);
        self.write(&archive_header(MANIFEST, text.len() as u64)?)?;
        self.write(text.as_bytes())?;
        self.pad(text.len() as u64)?;
        // Two empty blocks end an archive.
        self.write(&[0; 2 * BLOCK])
    }

    fn pad(&mut self, size: u64) -> Result<()> {
        let over = (size % BLOCK as u64) as usize;
        match over {
            0 => Ok(()),
            over => self.write(&[0; BLOCK][over..]),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.out.write_all(bytes);
        written.map_err(|err| tool_error!(ToolError, "io"; "the backup cannot be written: {err}"))
    }
}

/// The header of a file in an archive.
fn archive_header(name: &str, size: u64) -> Result<[u8; BLOCK]> {
    const NAME_MAX: usize = 100;
    const SIZE_MAX: u64 = 0o77_777_777_777;
    if name.len() > NAME_MAX || size > SIZE_MAX {
        return Err(
            tool_error!(LimitExceeded, "backup"; "`{name}` of {size} bytes does not fit into a backup"),
        );
    }
    let mut block = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000600\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, "00000000000\0");
    // The sum is taken with spaces in its own place.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// Reads a backup whole and compares every digest, writing its files below a folder where one is given; gives their number.
fn examine_archive(path: &Path, into: Option<&Path>) -> Result<u64> {
    let broken = |why: &str| {
        tool_error!(InvalidRequest, "backup"; "`{}` is not a sound backup: {why}", path.display();
            "use another copy; `mathchain state backup --to FILE` makes one")
    };
    let file = File::open(path).map_err(|err| file_error("read", path, &err))?;
    let mut reader = BufReader::new(file);
    let mut found: Vec<(String, String)> = Vec::new();
    loop {
        let mut block = [0; BLOCK];
        (reader.read_exact(&mut block)).map_err(|_| broken("it ends too early"))?;
        let (name, size) = read_header(&block).ok_or_else(|| broken("an entry has no header"))?;
        if name == MANIFEST {
            if size > MANIFEST_BYTES_MAX {
                return Err(broken("its list of files is too long"));
            }
            let mut text = String::new();
            let read = reader.by_ref().take(size).read_to_string(&mut text);
            read.map_err(|_| broken("its list of files cannot be read"))?;
            let limits = json::JsonLimits::default();
            let manifest = json::parse_json(&text, limits)
                .map_err(|_| broken("its list of files cannot be read"))?;
            let listed: Vec<(String, String)> = (manifest.items_at("files").iter())
                .filter_map(|one| {
                    Some((one.text("name")?.to_owned(), one.text("blake3")?.to_owned()))
                })
                .collect();
            return match listed == found && found.iter().any(|(name, _)| name == FILE_NAME) {
                true => Ok(found.len() as u64),
                false => Err(broken("its files differ from its list of them")),
            };
        }
        if !is_part(&name) || found.iter().any(|(other, _)| *other == name) {
            return Err(broken("it has a file that no state has"));
        }
        let mut out = match into {
            None => None,
            Some(folder) => {
                let to = folder.join(&name);
                if let Some(above) = to.parent() {
                    std::fs::create_dir_all(above)
                        .map_err(|err| file_error("make", above, &err))?;
                }
                let file = File::create_new(&to).map_err(|err| file_error("write", &to, &err))?;
                private_file(&file, &to)?;
                Some((BufWriter::new(file), to))
            }
        };
        let mut hasher = blake3::Hasher::new();
        let mut left = size;
        let mut buffer = vec![0; 1 << 16];
        while left > 0 {
            let most = buffer
                .len()
                .min(usize::try_from(left).unwrap_or(usize::MAX));
            let part = &mut buffer[..most];
            reader
                .read_exact(part)
                .map_err(|_| broken("it ends too early"))?;
            hasher.update(part);
            if let Some((out, to)) = &mut out {
                out.write_all(part)
                    .map_err(|err| file_error("write", to, &err))?;
            }
            left -= most as u64;
        }
        if let Some((mut out, to)) = out {
            out.flush().map_err(|err| file_error("write", &to, &err))?;
        }
        let over = size % BLOCK as u64;
        if over > 0 {
            let mut rest = vec![0; (BLOCK as u64 - over) as usize];
            reader
                .read_exact(&mut rest)
                .map_err(|_| broken("it ends too early"))?;
        }
        found.push((name, hasher.finalize().to_hex().to_string()));
    }
}

#[cfg(unix)]
fn private_file(file: &File, path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::Permissions::from_mode(0o600);
    file.set_permissions(mode)
        .map_err(|err| file_error("change", path, &err))
}

#[cfg(not(unix))]
fn private_file(_: &File, _: &Path) -> Result<()> {
    Ok(())
}

/// Name and size of an entry.
fn read_header(block: &[u8; BLOCK]) -> Option<(String, u64)> {
    let text = |range: std::ops::Range<usize>| {
        let field = &block[range];
        let end = field
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(field.len());
        std::str::from_utf8(&field[..end]).ok().map(str::trim)
    };
    let number = |range| u64::from_str_radix(text(range)?, 8).ok();
    let sum: u64 = block
        .iter()
        .enumerate()
        .map(|(at, byte)| match at {
            148..156 => u64::from(b' '),
            _ => u64::from(*byte),
        })
        .sum();
    let name = text(0..100)?.to_owned();
    (number(148..156)? == sum && !name.is_empty() && block[156] == b'0').then_some(())?;
    Some((name, number(124..136)?))
}

/// Whether a name is that of a part of a state.
fn is_part(name: &str) -> bool {
    let path = Path::new(name);
    let is_plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let first = name.split('/').next().unwrap_or_default();
    is_plain && !name.contains(['\\', '\0']) && (name == FILE_NAME || PARTS.contains(&first))
}
