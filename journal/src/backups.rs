//! Copies of files that calls replace or delete: contents by their digest in a folder beside the state file, an index in it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Row, params};
use tool_core::capability::Durability;
use tool_core::capability::{Backups, Change, FileInfo, FileKind, Files, Kept, Ledger as _};
use tool_core::{ErrorCode, Reason, StopFlag, ToolError, Value};

use super::State;
use super::random;

/// Name of the folder beside the state file.
pub const BACKUPS: &str = "backups";

/// Most files that one call may have copied, and most bytes.
const FILES_MAX: usize = 1000;
const BYTES_MAX: u64 = 1 << 30;

const COLUMNS: &str = "id, call_id, path, digest, bytes, mode, time_ms";

/// A copy of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// Its id; any unique beginning names it.
    pub id: String,
    /// The call before which it was kept.
    pub call_id: String,
    /// Path of the file, relative to the workspace root.
    pub path: String,
    /// Digest of the content.
    pub digest: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Permission bits.
    pub mode: u32,
    /// When it was kept, in milliseconds since 1970-01-01 UTC.
    pub time_ms: u64,
}

impl Backup {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            call_id: row.get(1)?,
            path: row.get(2)?,
            digest: row.get(3)?,
            bytes: row.get::<_, i64>(4)?.unsigned_abs(),
            mode: row.get::<_, u32>(5)?,
            time_ms: row.get::<_, i64>(6)?.unsigned_abs(),
        })
    }
}

/// Keeps copies of the files of one workspace in one state.
pub struct Keeper {
    state: Arc<State>,
    files: Arc<dyn Files>,
}

impl Keeper {
    /// Of these files, in this state.
    pub fn new(state: Arc<State>, files: Arc<dyn Files>) -> Self {
        Self { state, files }
    }

    /// Brings a file back, as the copy has it; what is there now is copied first. The path is looked for by id of the copy (or its
    /// beginning), else as a path, of which the newest copy is taken that was kept no later than `at_ms`. Gives the copy, and the
    /// copy of what was there.
    ///
    /// # Errors
    /// `invalid_args` for what names no copy or several; `tool_error` when the copy is damaged or the file cannot be written.
    pub fn restore(
        &self,
        wanted: &str,
        at_ms: Option<u64>,
        by: &str,
    ) -> Result<(Backup, Option<Kept>), ToolError> {
        let backup = self.state.backup(wanted, at_ms)?;
        let content = self.state.content(&backup)?;
        let before = self.keep("restore", std::slice::from_ref(&backup.path))?;
        let change = match before.first() {
            Some(kept) => {
                let now = self.files.read(&backup.path, BYTES_MAX)?;
                if now.truncated || digest_of(&now.bytes) != kept.digest {
                    return Err(changed(&backup.path));
                }
                Change::Replace {
                    path: backup.path.clone(),
                    before: now.bytes,
                    content,
                }
            }
            None => Change::Create {
                path: backup.path.clone(),
                content,
                mode: Some(backup.mode),
            },
        };
        self.files.change(&[change])?;
        let record = Value::object([
            ("event", Value::from("restore")),
            ("backup", Value::from(backup.id.as_str())),
            ("path", Value::from(backup.path.as_str())),
            ("digest", Value::from(backup.digest.as_str())),
            ("restored_by", Value::from(by)),
        ]);
        self.state.record(&record, Durability::Synced)?;
        Ok((backup, before.into_iter().next()))
    }

    /// The files at or below a path.
    fn below(&self, path: &str, found: &mut Vec<FileInfo>) -> Result<(), ToolError> {
        let info = match self.files.stat(path) {
            Ok(info) => info,
            Err(err) if err.is(Reason::NotFound) => return Ok(()),
            Err(err) => return Err(err),
        };
        match info.kind {
            FileKind::File => found.push(FileInfo {
                path: path.to_owned(),
                ..info
            }),
            FileKind::Directory => {
                let stop = StopFlag::new();
                let (listed, more) = self.files.list(path, true, FILES_MAX + 1, &stop)?;
                if more {
                    return Err(too_many(path));
                }
                found.extend(
                    listed
                        .into_iter()
                        .filter(|info| info.kind == FileKind::File),
                );
            }
            FileKind::Link | FileKind::Other => {
                let message =
                    format_args!("`{path}` is no regular file: no copy of it can be kept");
                return Err(ToolError::new(ErrorCode::ToolError, message).reason("backup"));
            }
        }
        Ok(())
    }
}

impl Backups for Keeper {
    fn keep(&self, call_id: &str, paths: &[String]) -> Result<Vec<Kept>, ToolError> {
        let mut found = Vec::new();
        for path in paths {
            self.below(path, &mut found)?;
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.dedup_by(|a, b| a.path == b.path);
        let bytes: u64 = found.iter().map(|info| info.size).sum();
        if found.len() > FILES_MAX || bytes > BYTES_MAX {
            return Err(too_many(&paths.join("`, `")));
        }
        let mut kept = Vec::with_capacity(found.len());
        for info in &found {
            let content = self.files.read(&info.path, BYTES_MAX)?;
            if content.truncated {
                return Err(too_many(&info.path));
            }
            let digest = digest_of(&content.bytes);
            self.state.store(&digest, &content.bytes)?;
            kept.push(Backup {
                id: random::id(),
                call_id: call_id.to_owned(),
                path: info.path.clone(),
                digest,
                bytes: content.bytes.len() as u64,
                mode: info.mode,
                time_ms: 0,
            });
        }
        self.state.index(&kept)?;
        let one = |backup: Backup| Kept {
            id: backup.id,
            path: backup.path,
            digest: backup.digest,
            bytes: backup.bytes,
        };
        Ok(kept.into_iter().map(one).collect())
    }
}

impl State {
    /// The newest copies, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn backups(&self, count_max: usize) -> Result<Vec<Backup>, ToolError> {
        let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
        self.select("ORDER BY number DESC LIMIT ?1", params![limit])
    }

    fn select(
        &self,
        rest: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Backup>, ToolError> {
        let sql = format!("SELECT {COLUMNS} FROM backups {rest}");
        let core = self.shared.lock();
        let found = core.connection.prepare_cached(&sql).and_then(|mut query| {
            query
                .query_map(values, Backup::read)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        found.map_err(|err| self.shared.fail("look for copies", &err))
    }

    /// The copy that an id, its beginning, or a path and a time name.
    fn backup(&self, wanted: &str, at_ms: Option<u64>) -> Result<Backup, ToolError> {
        let until = at_ms.map_or(i64::MAX, |ms| i64::try_from(ms).unwrap_or(i64::MAX));
        let by_path = self.select(
            "WHERE path = ?1 AND time_ms <= ?2 ORDER BY number DESC LIMIT 1",
            params![wanted, until],
        )?;
        if let Some(newest) = by_path.into_iter().next() {
            return Ok(newest);
        }
        let by_id = self.select(
            "WHERE substr(id, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT 2",
            params![wanted],
        )?;
        let refuse = |message: std::fmt::Arguments<'_>, reason| {
            Err(ToolError::new(ErrorCode::InvalidArgs, message)
                .reason(reason)
                .hint("`mathchain backups list` lists the backups"))
        };
        match by_id.as_slice() {
            [only] if !wanted.is_empty() => Ok(only.clone()),
            [_, _] if !wanted.is_empty() => refuse(
                format_args!("the ids of several copies begin with `{wanted}`"),
                "ambiguous_backup",
            ),
            _ => refuse(
                format_args!("no copy has the id or path `{wanted}`"),
                "unknown_backup",
            ),
        }
    }

    fn folder(&self) -> PathBuf {
        self.shared.file.with_file_name(BACKUPS)
    }

    fn place(&self, digest: &str) -> PathBuf {
        self.folder()
            .join(digest.get(..2).unwrap_or("00"))
            .join(digest)
    }

    /// Writes a content under its digest, unless it is there: whole, on disk, for this user alone.
    fn store(&self, digest: &str, content: &[u8]) -> Result<(), ToolError> {
        let place = self.place(digest);
        if read(&place).is_ok_and(|there| digest_of(&there) == digest) {
            return Ok(());
        }
        write(&place, content).map_err(|err| {
            let message = format_args!("the copy `{}` cannot be written: {err}", place.display());
            ToolError::new(ErrorCode::ToolError, message).reason("backup")
        })
    }

    fn content(&self, backup: &Backup) -> Result<Vec<u8>, ToolError> {
        let place = self.place(&backup.digest);
        let damaged = |why: &str| {
            let message = format_args!("the copy `{}` cannot be used: {why}", place.display());
            ToolError::new(ErrorCode::ToolError, message)
                .reason("backup")
                .hint("`mathchain backups list` lists the others")
        };
        let content = read(&place).map_err(|err| damaged(&err.to_string()))?;
        if digest_of(&content) != backup.digest {
            return Err(damaged("its content is not what was kept"));
        }
        Ok(content)
    }

    fn index(&self, kept: &[Backup]) -> Result<(), ToolError> {
        const ACTION: &str = "list the copies";
        if kept.is_empty() {
            return Ok(());
        }
        self.shared.transact(ACTION, |transaction, now_ms| {
            let insert = || -> rusqlite::Result<()> {
                let sql = format!("INSERT INTO backups({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)");
                let mut insert = transaction.prepare_cached(&sql)?;
                for one in kept {
                    insert.execute(params![
                        one.id,
                        one.call_id,
                        one.path,
                        one.digest,
                        one.bytes as i64,
                        one.mode,
                        now_ms as i64,
                    ])?;
                }
                Ok(())
            };
            insert().map_err(|err| self.shared.fail(ACTION, &err))?;
            Ok(((), None))
        })?;
        Ok(())
    }
}

fn digest_of(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

fn too_many(path: &str) -> ToolError {
    let message = format_args!(
        "`{path}`: at most {FILES_MAX} files of {BYTES_MAX} bytes together are copied before a call"
    );
    ToolError::new(ErrorCode::LimitExceeded, message).reason("backup")
}

fn changed(path: &str) -> ToolError {
    let message = format_args!("`{path}` changed while it was brought back");
    ToolError::new(ErrorCode::ResourceChanged, message).hint("bring it back again")
}

fn read(place: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(place)?.read_to_end(&mut content)?;
    Ok(content)
}

/// Under another name first, so that nobody ever finds half a copy.
fn write(place: &Path, content: &[u8]) -> io::Result<()> {
    let folder = place.parent().unwrap_or(place);
    private_folder().recursive(true).create(folder)?;
    let draft = folder.join(format!(".{:016x}", random::chance()));
    let done = (|| {
        let mut file = private_file().create_new(true).open(&draft)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&draft, place)?;
        File::open(folder)?.sync_all()
    })();
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done
}

#[cfg(unix)]
fn private_folder() -> fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(unix)]
fn private_file() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_folder() -> fs::DirBuilder {
    fs::DirBuilder::new()
}

#[cfg(not(unix))]
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    options
}
