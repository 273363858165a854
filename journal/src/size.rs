//! The disk space of a state: the sizes of its parts, and shrinking its file.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tool_core::{Encode, Result};

use super::backups::BACKUPS;
use super::state::StateStore;
use super::{error, schema, sql};

/// The size of one part of a state.
#[derive(Debug, Clone, PartialEq, Eq, Encode)]
pub struct StatePartSize {
    /// Its name: `audit`, `runs`, `inbox`, `other`, `free`, `log`, `artifacts` or `backups`.
    pub part: &'static str,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Number of its items.
    pub items: u64,
    /// What an item is.
    pub item: &'static str,
}

/// The sizes of a state.
#[derive(Debug, Clone, PartialEq, Eq, Encode)]
pub struct StateSize {
    /// Sizes of its parts; together all of its files.
    pub parts: Vec<StatePartSize>,
    /// Their sum.
    pub bytes: u64,
    /// Time of the oldest audit session or run, in milliseconds since 1970-01-01 UTC.
    pub oldest_ms: Option<u64>,
}

/// What giving free pages back achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode)]
pub struct VacuumReport {
    /// Bytes of the file and its write-ahead log before.
    pub before_bytes: u64,
    /// The same afterwards.
    pub after_bytes: u64,
}

/// The tables of each part of the file, and the table and name of its items; all others are `other`.
const PARTS: [(&str, &[&str], &str, &str); 3] = [
    (
        "audit",
        &["events", "sessions", "heads"],
        "events",
        "record",
    ),
    (
        "runs",
        &[
            "runs",
            "vals",
            "parts",
            "uses",
            "cache",
            "answers",
            "artifacts",
        ],
        "runs",
        "run",
    ),
    ("inbox", &["notices"], "notices", "message"),
];

impl StateStore {
    /// Measures what takes how much.
    ///
    /// # Errors
    /// `tool_error` when the state or a folder cannot be read.
    pub fn sizes(&self) -> Result<StateSize> {
        const OLDEST: &str = "SELECT min(opened_ms) FROM sessions";
        self.flush()?;
        let file = &self.shared.file;
        let (mut parts, oldest_ms) = self.shared.read("measure the state", |connection| {
            let oldest = sql::first_row::<Option<u64>>(connection, OLDEST, [])?.flatten();
            Ok((parts_of_file(connection)?, oldest))
        })?;
        let unreadable = |err: std::io::Error| error::file_unreadable(file, err);
        let mut part = |part, bytes, items, item| {
            parts.push(StatePartSize {
                part,
                bytes,
                items,
                item,
            });
        };
        part("log", bytes_of(&log_of(file)), 1, "file");
        let files = self.shared.folder.files().map_err(unreadable)?;
        let bytes = files.iter().map(|file| file.bytes).sum();
        part("artifacts", bytes, files.len() as u64, "file");
        let (bytes, count) =
            measure_subfolders(&file.with_file_name(BACKUPS)).map_err(unreadable)?;
        part("backups", bytes, count, "file");
        Ok(StateSize {
            bytes: parts.iter().map(|part| part.bytes).sum(),
            parts,
            oldest_ms,
        })
    }

    /// Gives free pages back to the disk: the file becomes smaller.
    ///
    /// # Errors
    /// `conflict` with reason `state_busy` while another process reads or writes the file, `tool_error` with reason `state_full` when
    /// there is no room for the smaller copy.
    pub fn vacuum(&self) -> Result<VacuumReport> {
        self.flush()?;
        let core = self.shared.lock();
        let file = &self.shared.file;
        let size = || bytes_of(file) + bytes_of(&log_of(file));
        let before_bytes = size();
        let connection = &core.connection;
        let checkpoint = || {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                row.get::<_, bool>(0)
            })
        };
        let done = schema::retry_busy(|| connection.execute_batch("VACUUM"))
            .and_then(|()| schema::retry_busy(checkpoint));
        match done {
            Ok(false) => Ok(VacuumReport {
                before_bytes,
                after_bytes: size(),
            }),
            Ok(true) => Err(error::file_busy("shrink the state", file)),
            Err(err) => Err(self.shared.fail("shrink the state", &err)),
        }
    }
}

/// The parts of the file itself, with its free pages.
fn parts_of_file(connection: &Connection) -> rusqlite::Result<Vec<StatePartSize>> {
    const TABLES: &str = "SELECT ifnull(tbl_name, ''), sum(pgsize) FROM dbstat
         LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name WHERE aggregate = TRUE GROUP BY 1";
    let tables: Vec<(String, u64)> = sql::all_rows(connection, TABLES, [])?;
    let mut rest: u64 = tables.iter().map(|(_, bytes)| bytes).sum();
    let mut parts = Vec::new();
    for (part, names, counted, item) in PARTS {
        let of_part = tables.iter().filter(|(name, _)| names.contains(&&**name));
        let bytes = of_part.map(|(_, bytes)| bytes).sum();
        rest -= bytes;
        let count = format!("SELECT count(*) FROM {counted}");
        let items = sql::first_row(connection, &count, [])?.unwrap_or(0);
        parts.push(StatePartSize {
            part,
            bytes,
            items,
            item,
        });
    }
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let free = u64::from(number("freelist_count")?);
    let page = u64::from(number("page_size")?);
    let requests = sql::first_row(connection, "SELECT count(*) FROM approvals", [])?.unwrap_or(0);
    let rest = [
        ("other", rest, requests, "approval request"),
        ("free", free * page, free, "page"),
    ];
    parts.extend(rest.map(|(part, bytes, items, item)| StatePartSize {
        part,
        bytes,
        items,
        item,
    }));
    Ok(parts)
}

fn log_of(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// The size of a file; 0 for a missing one.
fn bytes_of(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |found| found.len())
}

/// Bytes and number of the files below a folder of folders.
fn measure_subfolders(folder: &Path) -> std::io::Result<(u64, u64)> {
    let (mut bytes, mut count) = (0, 0);
    if !folder.is_dir() {
        return Ok((bytes, count));
    }
    for group in fs::read_dir(folder)? {
        let group = group?.path();
        if !group.is_dir() {
            continue;
        }
        for file in fs::read_dir(group)? {
            bytes += file?.metadata()?.len();
            count += 1;
        }
    }
    Ok((bytes, count))
}
