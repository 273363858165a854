//! Backups of files that calls replace or delete: contents by digest in a folder beside the state file, which has their index.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use registry::WorkspaceId;
use rusqlite::{Transaction, params};
use tool_core::capability::RecordDurability;
use tool_core::capability::{
    AuditLedger as _, BackupCopy, BackupStore, FileChange, FileInfo, FileKind, WorkspaceFiles,
};
use tool_core::{Encode, ErrorCode, Reason, Result, StopFlag, ToolError, object, tool_error};

use super::folders::{self, IS_IN, ROOT};
use super::open::ChainTarget;
use super::random;
use super::sql::{self, row_structs};
use super::state::StateStore;
use crate::private::write_whole;

/// Name of the folder beside the state file.
pub const BACKUPS: &str = "backups";

/// Most files that are backed up before one call.
const FILES_MAX: usize = 1000;
/// Most bytes that are backed up before one call.
const BYTES_MAX: u64 = 1 << 30;

row_structs! {
    /// The backup of one file.
    #[derive(Debug, Clone, PartialEq, Eq, Encode)]
    pub Backup {
        /// Twelve hex digits; any unique prefix names it.
        pub id: String,
        /// Path of the file, relative to the workspace root.
        pub path: String,
        /// Id of the call that changed the file.
        pub call_id: String,
        /// BLAKE3 digest of the content, 64 hex digits.
        pub digest: String,
        /// Size in bytes.
        pub bytes: u64,
        /// Permission bits.
        pub mode: u32,
        /// Time of the backup, in milliseconds since 1970-01-01 UTC.
        pub time_ms: u64,
        /// Root of the workspace of the file, where it is known.
        #[value(rename = "folder")]
        pub folder_root: Option<String>,
    }
}

/// Backs up the files of one workspace into one state.
pub struct FileBackups {
    state: Arc<StateStore>,
    files: Arc<dyn WorkspaceFiles>,
}

impl FileBackups {
    /// Backs up these files into this state.
    pub fn new(state: Arc<StateStore>, files: Arc<dyn WorkspaceFiles>) -> Self {
        Self { state, files }
    }

    /// Restores a file from a backup, after backing up its present content. `wanted` is a path, whose newest backup no later than
    /// `at_ms` is taken, or the id of a backup (or a unique prefix). Returns that backup, and the backup of the present content.
    ///
    /// # Errors
    /// `invalid_args` for no or several matching backups; `tool_error` when the backup is damaged or the file cannot be written.
    pub fn restore(
        &self,
        wanted: &str,
        at_ms: Option<u64>,
        by: &str,
    ) -> Result<(Backup, Option<BackupCopy>)> {
        let backup = self.state.backup(wanted, at_ms)?;
        let content = self.state.content(&backup)?;
        let before = self.keep("restore", std::slice::from_ref(&backup.path))?;
        let path = backup.path.clone();
        let change = match before.first() {
            Some(kept) => {
                let now = self.files.read(&path, BYTES_MAX)?;
                if now.truncated || digest_of(&now.bytes) != kept.digest {
                    let changed =
                        tool_error!(ResourceChanged, "`{path}` changed while it was restored");
                    return Err(changed.hint("restore it again"));
                }
                let before = now.bytes;
                FileChange::Replace {
                    path,
                    before,
                    content,
                }
            }
            None => {
                let mode = Some(backup.mode);
                FileChange::Create {
                    path,
                    content,
                    mode,
                }
            }
        };
        self.files.change(&[change])?;
        let record = object! {
            "event" => "restore",
            "backup" => backup.id.as_str(),
            "path" => backup.path.as_str(),
            "digest" => backup.digest.as_str(),
            "restored_by" => by,
        };
        self.state.record(&record, RecordDurability::Synced)?;
        Ok((backup, before.into_iter().next()))
    }

    /// Stores the content of a file; returns its digest and size.
    fn store(&self, path: &str) -> Result<(String, u64)> {
        let content = self.files.read(path, BYTES_MAX)?;
        if content.truncated {
            return Err(too_many(path));
        }
        let digest = digest_of(&content.bytes);
        self.state.store(&digest, &content.bytes)?;
        Ok((digest, content.bytes.len() as u64))
    }

    /// The files at or below a path.
    fn below(&self, path: &str, found: &mut Vec<FileInfo>) -> Result<()> {
        let info = match self.files.stat(path) {
            Err(err) if err.is(Reason::NotFound) => return Ok(()),
            info => info?,
        };
        let path_of_file = path.to_owned();
        match info.kind {
            FileKind::File => found.push(FileInfo {
                path: path_of_file,
                ..info
            }),
            FileKind::Directory => {
                let stop = StopFlag::new();
                let (listed, more) = self.files.list(path, true, FILES_MAX + 1, &stop)?;
                if more {
                    return Err(too_many(path));
                }
                let files = listed
                    .into_iter()
                    .filter(|info| info.kind == FileKind::File);
                found.extend(files);
            }
            FileKind::Link | FileKind::Other => {
                return Err(tool_error!(ToolError, "backup";
                    "`{path}` is not a regular file and cannot be backed up"));
            }
        }
        Ok(())
    }
}

impl BackupStore for FileBackups {
    fn keep(&self, call_id: &str, paths: &[String]) -> Result<Vec<BackupCopy>> {
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
            let (digest, bytes) = self.store(&info.path)?;
            kept.push(Backup {
                id: random::random_id(),
                call_id: call_id.to_owned(),
                path: info.path.clone(),
                digest,
                bytes,
                mode: info.mode,
                time_ms: 0,
                folder_root: None,
            });
        }
        self.state.index(&kept)?;
        // A pruning that did not see the index yet may have removed an old content that was found above.
        for one in &kept {
            if !self.state.place(&one.digest).exists() && self.store(&one.path)?.0 != one.digest {
                let path = &one.path;
                return Err(tool_error!(
                    ResourceChanged,
                    "`{path}` changed while it was backed up"
                ));
            }
        }
        let one = |backup: Backup| BackupCopy {
            id: backup.id,
            path: backup.path,
            digest: backup.digest,
            bytes: backup.bytes,
        };
        Ok(kept.into_iter().map(one).collect())
    }
}

impl StateStore {
    /// Lists the newest backups of a folder, or of all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn backups(&self, of: Option<&WorkspaceId>, count_max: usize) -> Result<Vec<Backup>> {
        let (id, root) = folders::folder_params(of);
        let rest = format!("WHERE {IS_IN} ORDER BY number DESC LIMIT ?3");
        self.select(&rest, params![id, root, sql::row_limit(count_max)])
    }

    fn select(&self, rest: &str, params: impl rusqlite::Params) -> Result<Vec<Backup>> {
        let sql = Backup::sql(&format!("FROM (SELECT *, {ROOT} FROM backups) {rest}"));
        self.shared.select("look for backups", &sql, params)
    }

    /// Finds a backup by path and time, or by id or its prefix. A path is one of the workspace of this process, or of the time before
    /// backups had a folder.
    fn backup(&self, wanted: &str, at_ms: Option<u64>) -> Result<Backup> {
        let until = at_ms.map_or(i64::MAX, |ms| i64::try_from(ms).unwrap_or(i64::MAX));
        let (id, root) = folders::folder_params(self.shared.folder_of_calls());
        let by_path = format!(
            "WHERE path = ?3 AND time_ms <= ?4 AND (folder IS NULL OR {IS_IN}) ORDER BY number DESC LIMIT 1"
        );
        let by_path = self.select(&by_path, params![id, root, wanted, until])?;
        if let Some(newest) = by_path.into_iter().next() {
            return Ok(newest);
        }
        const BY_ID: &str = "WHERE substr(id, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT 2";
        let by_id = self.select(BY_ID, params![wanted])?;
        let error = match by_id.as_slice() {
            [only] if !wanted.is_empty() => return Ok(only.clone()),
            [_, _] if !wanted.is_empty() => {
                tool_error!(InvalidArgs, "`{wanted}` is a prefix of several backup ids")
                    .reason("ambiguous_backup")
            }
            _ => tool_error!(InvalidArgs, "no backup has the id or path `{wanted}`")
                .reason("unknown_backup"),
        };
        Err(error.hint("`mathchain backups list` lists the backups"))
    }

    fn place(&self, digest: &str) -> PathBuf {
        let folder = self.shared.file.with_file_name(BACKUPS);
        folder.join(digest.get(..2).unwrap_or("00")).join(digest)
    }

    /// Writes a content under its digest, unless a sound file of it exists.
    fn store(&self, digest: &str, content: &[u8]) -> Result<()> {
        let place = self.place(digest);
        if read_backup(&place).is_ok_and(|there| digest_of(&there) == digest) {
            return Ok(());
        }
        write_whole(&place, |file| file.write_all(content)).map_err(|err| {
            let message = format_args!("the backup `{}` cannot be written: {err}", place.display());
            ToolError::new(ErrorCode::ToolError, message).reason("backup")
        })
    }

    /// Removes contents that no backup has. Within a transaction: a process that indexes one meanwhile has done so, or waits and then
    /// finds that the file is gone.
    pub(super) fn remove_contents(&self, digests: &[String]) -> Result<()> {
        const SQL: &str = "SELECT 1 FROM backups WHERE digest = ?";
        let work = |transaction: &Transaction<'_>, _| {
            for digest in digests {
                if sql::row_exists(transaction, SQL, [digest])? {
                    continue;
                }
                let place = self.place(digest);
                match std::fs::remove_file(&place) {
                    Err(err) if err.kind() != io::ErrorKind::NotFound => {
                        let place = place.display();
                        let error = tool_error!(ToolError, "backup"; "the backup `{place}` cannot be removed: {err}";
                            "`mathchain doctor` shows the state folder");
                        return Err(error.into());
                    }
                    _ => {}
                }
            }
            Ok(())
        };
        match digests {
            [] => Ok(()),
            _ => self.shared.change(ChainTarget::Own, "remove backups", work),
        }
    }

    fn content(&self, backup: &Backup) -> Result<Vec<u8>> {
        let place = self.place(&backup.digest);
        let damaged = |why: &str| {
            let message = format_args!("the backup `{}` cannot be used: {why}", place.display());
            ToolError::new(ErrorCode::ToolError, message)
                .reason("backup")
                .hint("`mathchain backups list` lists the others")
        };
        let content = read_backup(&place).map_err(|err| damaged(&err.to_string()))?;
        if digest_of(&content) != backup.digest {
            return Err(damaged("its content does not match its digest"));
        }
        Ok(content)
    }

    fn index(&self, kept: &[Backup]) -> Result<()> {
        if kept.is_empty() {
            return Ok(());
        }
        self.shared
            .transact("index the backups", |transaction, now_ms| {
                const SQL: &str = "INSERT INTO backups(id, path, call_id, digest, bytes, mode, time_ms, folder) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
                let folder = folders::folder_number(transaction, self.shared.folder_of_calls())?;
                for one in kept {
                    let (bytes, time_ms) = (one.bytes as i64, now_ms as i64);
                    let params = params![one.id, one.path, one.call_id, one.digest, bytes, one.mode, time_ms, folder];
                    sql::execute_statement(transaction, SQL, params)?;
                }
                Ok(((), None))
            })
    }
}

fn digest_of(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

fn too_many(path: &str) -> ToolError {
    tool_error!(LimitExceeded, "backup";
        "`{path}`: at most {FILES_MAX} files of {BYTES_MAX} bytes in total are backed up before a call")
}

fn read_backup(place: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    File::open(place)?.read_to_end(&mut content)?;
    Ok(content)
}
