//! Opening a state for reading only: on read-only media or mounts, or owned by another user. It is never changed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use tool_core::Result;

use super::error;
use super::random::random_bits;
use super::schema::{self, FILE_NAME, MIGRATIONS};
use crate::private::{private_file, private_folder};

/// A temporary copy, removed when dropped.
pub(super) struct TemporaryCopy(PathBuf);

impl Drop for TemporaryCopy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // a leftover is private and in the folder for temporary files
    }
}

/// Opens the file of a folder; a copy below `scratch` where its write-ahead log cannot be read in place, or it has an older version.
pub(super) fn open_read_only(
    folder: &Path,
    scratch: &Path,
) -> Result<(Connection, PathBuf, Option<TemporaryCopy>)> {
    let unreadable = |err: io::Error| error::file_unreadable(folder, err);
    let file = folder.canonicalize().map_err(unreadable)?.join(FILE_NAME);
    if !file.symlink_metadata().map_err(unreadable)?.is_file() {
        return Err(error::file_unreadable(&file, "it is not a regular file"));
    }
    if let Ok(connection) = in_place(&file) {
        return Ok((connection, file, None));
    }
    let copied = copy_database(&file, scratch).map_err(unreadable)?;
    let (connection, _) = schema::open_database(&copied.0)?;
    Ok((connection, file, Some(copied)))
}

/// Opens the file in place, respecting the locks of a process that may be writing it.
fn in_place(file: &Path) -> rusqlite::Result<Connection> {
    let beside = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        fs::metadata(name).is_ok_and(|found| found.len() > 0)
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = match beside("-wal") {
        true => Connection::open_with_flags(file, flags)?,
        // Without a log no process is writing; only then may the file be treated as immutable.
        false => Connection::open_with_flags(
            immutable_file_uri(file),
            flags | OpenFlags::SQLITE_OPEN_URI,
        )?,
    };
    schema::configure_reading(&connection)?;
    let version = schema::schema_version(&connection)?;
    match version == MIGRATIONS.len() as i64 {
        true => Ok(connection),
        false => Err(rusqlite::Error::InvalidQuery), // only a copy can be migrated
    }
}

/// The URI of a file that does not change.
fn immutable_file_uri(file: &Path) -> String {
    use std::fmt::Write as _;
    let mut address = "file:".to_owned();
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                address.push(*byte as char)
            }
            // Writing to a string cannot fail.
            byte => drop(write!(address, "%{byte:02x}")),
        }
    }
    address + "?immutable=1"
}

/// Copies the file with its log into a private folder.
fn copy_database(file: &Path, scratch: &Path) -> io::Result<TemporaryCopy> {
    let folder = scratch.join(format!("mathchain-state-{:016x}", random_bits()));
    private_folder().create(&folder)?;
    let copied = TemporaryCopy(folder);
    for ending in ["", "-wal"] {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        let mut source = match File::open(&name) {
            Err(err) if err.kind() == io::ErrorKind::NotFound && ending == "-wal" => continue,
            source => source?,
        };
        let target = copied.0.join(format!("{FILE_NAME}{ending}"));
        let mut target = private_file().create_new(true).open(target)?;
        io::copy(&mut source, &mut target)?;
    }
    Ok(copied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_every_file() {
        let address = immutable_file_uri(Path::new("/a b/ü?x=1#%.db"));
        assert_eq!(address, "file:/a%20b/%c3%bc%3fx%3d1%23%25.db?immutable=1");
    }
}
