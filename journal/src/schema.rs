//! The file: opening, tables, and migrations.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode as Sqlite, MAIN_DB, OpenFlags, TransactionBehavior};
use tool_core::{Result, ToolError, tool_error};

use super::{error, local_disk, sql};
use crate::private::{private_file, private_folder};

/// Name of the file in the state folder.
pub const FILE_NAME: &str = "state.db";

/// Marks the file as one of this program (`mcst`).
const APPLICATION_ID: i64 = 0x6d63_7374;

/// Time that SQLite waits for another process, per attempt.
const BUSY_WAIT: Duration = Duration::from_secs(2);
/// Number of attempts; half a minute in total.
const BUSY_ATTEMPTS: u32 = 15;

/// Longest write-ahead log that a process leaves behind. The next process reads all of it, a mebibyte in about a millisecond; emptying
/// it costs a few disk syncs.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// The migrations; `user_version` counts those applied.
pub(super) const MIGRATIONS: &[&str] = &[
    // 1: audit and approvals
    "CREATE TABLE sessions(
        id TEXT PRIMARY KEY NOT NULL,
        opened_ms INTEGER NOT NULL,
        header TEXT NOT NULL
     ) STRICT;
     CREATE TABLE events(
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL REFERENCES sessions(id),
        sequence INTEGER NOT NULL,
        body TEXT NOT NULL,
        hash BLOB NOT NULL,
        UNIQUE(session, sequence)
     ) STRICT;
     CREATE TABLE heads(
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL REFERENCES sessions(id),
        sequence INTEGER NOT NULL,
        hash BLOB NOT NULL,
        link BLOB NOT NULL
     ) STRICT;
     CREATE TRIGGER sessions_stay BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'sessions are append-only'); END;
     CREATE TRIGGER sessions_kept BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'sessions are append-only'); END;
     CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
     CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
     CREATE TRIGGER heads_stay BEFORE UPDATE ON heads BEGIN SELECT RAISE(ABORT, 'heads are append-only'); END;
     CREATE TRIGGER heads_kept BEFORE DELETE ON heads BEGIN SELECT RAISE(ABORT, 'heads are append-only'); END;
     CREATE TABLE approvals(
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        digest TEXT NOT NULL,
        tool TEXT NOT NULL,
        role TEXT NOT NULL,
        preview TEXT NOT NULL,
        reason TEXT NOT NULL,
        state TEXT NOT NULL CHECK(state IN ('pending', 'granted', 'declined', 'expired', 'consumed')),
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL,
        decided_by TEXT,
        decided_ms INTEGER,
        told INTEGER NOT NULL DEFAULT 0
     ) STRICT;
     CREATE UNIQUE INDEX approvals_open ON approvals(digest) WHERE state IN ('pending', 'granted');
     CREATE INDEX approvals_of_call ON approvals(digest, number);",
    // 2: the memory of tools
    "CREATE TABLE memory(
        key TEXT PRIMARY KEY NOT NULL,
        value TEXT NOT NULL,
        changed_ms INTEGER NOT NULL
     ) STRICT, WITHOUT ROWID;",
    // 3: agent and rule condition of approvals, notifications, backups
    "ALTER TABLE approvals ADD COLUMN agent TEXT;
     ALTER TABLE approvals ADD COLUMN condition TEXT;
     CREATE TABLE notices(
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT,
        role TEXT NOT NULL,
        agent TEXT,
        text TEXT NOT NULL,
        time_ms INTEGER NOT NULL
     ) STRICT;
     CREATE TRIGGER notices_stay BEFORE UPDATE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;
     CREATE TRIGGER notices_kept BEFORE DELETE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;
     CREATE TABLE backups(
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        call_id TEXT NOT NULL,
        path TEXT NOT NULL,
        digest TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        mode INTEGER NOT NULL,
        time_ms INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX backups_of_path ON backups(path, number);",
    // 4: runs, the values they refer to, results of pure calls
    "CREATE TABLE runs(
        id TEXT PRIMARY KEY NOT NULL REFERENCES sessions(id),
        plan_id TEXT NOT NULL,
        plan_digest TEXT NOT NULL,
        plan TEXT NOT NULL,
        inputs TEXT NOT NULL,
        role TEXT NOT NULL,
        who TEXT NOT NULL,
        seed TEXT NOT NULL,
        build TEXT NOT NULL,
        profile TEXT NOT NULL,
        state TEXT NOT NULL CHECK(state IN ('running', 'suspended', 'needs_decision', 'succeeded', 'failed', 'cancelled', 'rejected')),
        created_ms INTEGER NOT NULL,
        changed_ms INTEGER NOT NULL,
        lease_owner TEXT,
        lease_fence INTEGER NOT NULL,
        lease_until_ms INTEGER NOT NULL,
        lease_up_ms INTEGER NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0,
        collected INTEGER NOT NULL DEFAULT 0
     ) STRICT;
     CREATE INDEX runs_by_time ON runs(created_ms);
     CREATE TRIGGER runs_kept BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'runs are kept'); END;
     CREATE TABLE vals(
        hash BLOB PRIMARY KEY NOT NULL,
        body TEXT NOT NULL,
        created_ms INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE artifacts(
        hash BLOB PRIMARY KEY NOT NULL,
        about TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        created_ms INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE parts(
        part BLOB NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY(part, value)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE uses(
        value BLOB NOT NULL,
        run TEXT NOT NULL,
        PRIMARY KEY(value, run)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE cache(
        action_key TEXT PRIMARY KEY NOT NULL,
        value BLOB NOT NULL,
        handle TEXT NOT NULL,
        tool TEXT NOT NULL,
        version INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        used_ms INTEGER NOT NULL
     ) STRICT;",
    // 5: the run and the step that ask for an approval
    "ALTER TABLE approvals ADD COLUMN run TEXT;
     ALTER TABLE approvals ADD COLUMN step TEXT;",
    // 6: a checksum that binds a cached result to its key; results without one are computed again
    "DELETE FROM cache;
     ALTER TABLE cache ADD COLUMN bound BLOB;",
    // 7: the time when the cancellation of a run was requested
    "ALTER TABLE runs ADD COLUMN cancel_ms INTEGER;",
    // 8: workspace and details of an approval request, and the chain that has the answer
    "ALTER TABLE approvals ADD COLUMN workspace TEXT;
     ALTER TABLE approvals ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE approvals ADD COLUMN details TEXT;
     ALTER TABLE approvals ADD COLUMN decided_in TEXT;",
    // 9: results of direct calls that are too large for an answer
    "CREATE TABLE answers(
        value BLOB NOT NULL,
        call TEXT NOT NULL,
        role TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        PRIMARY KEY(value, call)
     ) STRICT, WITHOUT ROWID;",
    // 10: the parent of a run, so far only implied by its id: that of the parent, a dash and eight hex digits, for a delegate
    "ALTER TABLE runs ADD COLUMN parent TEXT;
     UPDATE runs SET parent = substr(id, 1, length(id) - 9)
        WHERE substr(id, -9) GLOB '-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
            AND instr(who, 'delegation') > 0 AND substr(id, 1, length(id) - 9) IN (SELECT id FROM runs);
     CREATE INDEX runs_by_parent ON runs(parent) WHERE parent IS NOT NULL;",
    // 11: the folder of sessions, notifications, backups and answers, for lists of a state that several folders share
    "CREATE TABLE folders(
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        root TEXT NOT NULL
     ) STRICT;
     ALTER TABLE sessions ADD COLUMN folder INTEGER;
     ALTER TABLE notices ADD COLUMN folder INTEGER;
     ALTER TABLE backups ADD COLUMN folder INTEGER;
     ALTER TABLE answers ADD COLUMN folder INTEGER;",
    // 12: requests that act once, by the keys that clients chose
    "CREATE TABLE requests(
        owner TEXT NOT NULL,
        key TEXT NOT NULL,
        request TEXT NOT NULL,
        answer TEXT,
        created_ms INTEGER NOT NULL,
        PRIMARY KEY(owner, key)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX requests_answered ON requests(created_ms) WHERE answer IS NOT NULL;",
    // 13: the events of workflows of each folder (0 without one), and up to which of them files show
    "CREATE TABLE workflow_events(
        folder INTEGER NOT NULL,
        number INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY(folder, number)
     ) STRICT, WITHOUT ROWID;
     CREATE TRIGGER workflow_events_stay BEFORE UPDATE ON workflow_events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
     CREATE TRIGGER workflow_events_kept BEFORE DELETE ON workflow_events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
     CREATE TABLE workflow_shown(
        folder INTEGER PRIMARY KEY,
        number INTEGER NOT NULL
     ) STRICT;",
    // 14: pipelines and their events
    "CREATE TABLE pipelines(
        id TEXT PRIMARY KEY NOT NULL,
        file TEXT NOT NULL,
        digest TEXT NOT NULL,
        state TEXT NOT NULL CHECK(state IN ('running', 'waiting', 'succeeded', 'failed', 'stopped')),
        created_ms INTEGER NOT NULL,
        changed_ms INTEGER NOT NULL,
        requester_group INTEGER,
        owner TEXT,
        beat_ms INTEGER NOT NULL,
        folder INTEGER
     ) STRICT;
     CREATE TABLE pipeline_events(
        pipeline TEXT NOT NULL REFERENCES pipelines(id),
        number INTEGER NOT NULL,
        body TEXT NOT NULL,
        time_ms INTEGER NOT NULL,
        PRIMARY KEY(pipeline, number)
     ) STRICT;
     CREATE TRIGGER pipeline_events_stay BEFORE UPDATE ON pipeline_events BEGIN SELECT RAISE(ABORT, 'events of pipelines are append-only'); END;
     CREATE TRIGGER pipeline_events_kept BEFORE DELETE ON pipeline_events BEGIN SELECT RAISE(ABORT, 'events of pipelines are append-only'); END;",
    // 15: the process that claimed a request, so that a claim of one that ended before it acted is taken again
    "ALTER TABLE requests ADD COLUMN claimer TEXT;",
    // 16: what the ids of new items have in them, for each folder whose log began in one of several checkouts
    "CREATE TABLE workflow_checkouts(
        folder INTEGER PRIMARY KEY,
        name TEXT NOT NULL
     ) STRICT;
     UPDATE approvals SET condition = NULL WHERE state != 'pending';",
    // 17: the role of the call that began a pipeline
    "ALTER TABLE pipelines ADD COLUMN role TEXT;",
    // 18: arguments that an approver gave in place of the caller's, until the grant is used
    "ALTER TABLE approvals ADD COLUMN edited TEXT;",
    // 19: calls counted against the limits of rules
    "CREATE TABLE counted_calls(
        number INTEGER PRIMARY KEY,
        counter TEXT NOT NULL,
        call TEXT NOT NULL,
        amount REAL NOT NULL,
        time_ms INTEGER NOT NULL,
        until_ms INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX counted_calls_in_window ON counted_calls(counter, time_ms, amount);
     CREATE INDEX counted_calls_of_call ON counted_calls(call);
     CREATE INDEX counted_calls_by_end ON counted_calls(until_ms);",
    // 20: packs of records, and compressed values, which older programs cannot read; no table changes
    "SELECT 1;",
    // 21: what becomes of a request that nobody decides in time
    "ALTER TABLE approvals ADD COLUMN fallback TEXT NOT NULL DEFAULT 'expire';",
    // 22: schedules with the time up to which they were looked at, and what became of each of their times
    "CREATE TABLE schedules(
        workspace TEXT NOT NULL,
        name TEXT NOT NULL,
        digest TEXT NOT NULL,
        handled_ms INTEGER NOT NULL,
        PRIMARY KEY(workspace, name)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE schedule_times(
        workspace TEXT NOT NULL,
        name TEXT NOT NULL,
        due_ms INTEGER NOT NULL,
        outcome TEXT NOT NULL CHECK(outcome IN ('claimed', 'begun', 'missed', 'overlapped', 'refused')),
        run TEXT,
        error TEXT,
        time_ms INTEGER NOT NULL,
        claimer TEXT NOT NULL,
        PRIMARY KEY(workspace, name, due_ms)
     ) STRICT, WITHOUT ROWID;",
];

/// Opens the file in a folder, creating both where missing, and migrates it to the newest version.
pub(super) fn open_database(folder: &Path) -> Result<(Connection, PathBuf)> {
    let file = prepare_file(folder)?;
    let fail = |err: rusqlite::Error| error::of_sqlite("open the state", &file, &err);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(&file, flags).map_err(fail)?;
    configure_connection(&connection).map_err(fail)?;
    let version = retry_busy(|| schema_version(&connection)).map_err(fail)?;
    if version != MIGRATIONS.len() as i64 {
        migrate_schema(&mut connection, version, &file)?;
    }
    if connection.is_readonly(MAIN_DB).map_err(fail)? {
        return Err(error::file_unwritable(&file, "it is read-only"));
    }
    Ok((connection, file))
}

fn configure_connection(connection: &Connection) -> rusqlite::Result<()> {
    configure_reading(connection)?;
    // No checkpoint on close: a short-lived process pays only for its own records; see `shorten_log`.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000;")
}

/// Settings of every connection.
pub(super) fn configure_reading(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_WAIT)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    Ok(())
}

/// Empties a long write-ahead log, unless another process is using it. A log written by short-lived processes would otherwise grow for
/// ever, since none of them reaches the automatic checkpoint.
pub(super) fn shorten_log(connection: &Connection, file: &Path) {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    if !std::fs::metadata(log).is_ok_and(|found| found.len() > LOG_BYTES_MAX) {
        return;
    }
    // On failure a later process does it; no record depends on it.
    let _ = connection
        .busy_timeout(Duration::ZERO)
        .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
    let _ = connection.busy_timeout(BUSY_WAIT);
}

pub(super) fn schema_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn migrate_schema(connection: &mut Connection, found: i64, file: &Path) -> Result<()> {
    let newest = MIGRATIONS.len() as i64;
    let fail = |err: rusqlite::Error| error::of_sqlite("prepare the state", file, &err);
    let foreign = || {
        tool_error!(ToolError, "`{}` belongs to another program", file.display())
            .reason("state_foreign")
            .hint("set `[workspace] state` to a folder of its own")
    };
    let application: i64 = connection
        .pragma_query_value(None, "application_id", |row| row.get(0))
        .map_err(fail)?;
    if application != 0 && application != APPLICATION_ID {
        return Err(foreign());
    }
    if found > newest || found < 0 {
        return Err(tool_error!(
            ToolError,
            "`{}` has schema version {found}; this program knows up to {newest}",
            file.display()
        )
        .reason("state_newer")
        .hint("use the newer program, or another state folder"));
    }
    let tables = |connection: &Connection| -> rusqlite::Result<u64> {
        const SQL: &str = "SELECT count(*) FROM sqlite_schema";
        Ok(sql::first_row(connection, SQL, [])?.unwrap_or(0))
    };
    if found == 0 && application == 0 && retry_busy(|| tables(connection)).map_err(fail)? > 0 {
        // Another process may have created them since the version was read.
        if schema_version(connection).map_err(fail)? == 0 {
            return Err(foreign());
        }
    }
    retry_busy(|| connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())))
        .map_err(fail)?;
    let migrated = retry_busy(|| {
        let transaction =
            rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let from = schema_version(&transaction)?;
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        for step in MIGRATIONS.iter().skip(from) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", newest)?;
        transaction.commit()
    });
    migrated.map_err(fail)
}

/// Retries an operation that another process blocked.
pub(super) fn retry_busy<T>(
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let mut attempts = 0;
    loop {
        match attempt() {
            Err(err) if is_busy(&err) && attempts < BUSY_ATTEMPTS => {
                attempts += 1;
                std::thread::sleep(Duration::from_millis(u64::from(attempts) * 4));
            }
            result => return result,
        }
    }
}

fn is_busy(err: &rusqlite::Error) -> bool {
    matches!(
        err.sqlite_error_code(),
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked | Sqlite::FileLockingProtocolFailed)
    )
}

/// Creates a private folder and file; returns the real path of the file.
fn prepare_file(folder: &Path) -> Result<PathBuf> {
    let unwritable = |err: io::Error| error::file_unwritable(folder, err);
    if !folder.is_dir() {
        let made = private_folder().recursive(true).create(folder);
        made.map_err(unwritable)?;
    }
    // SQLite follows no link here, so links above the file are resolved first.
    let folder = folder.canonicalize().map_err(unwritable)?;
    local_disk::require_local_disk(&folder)?;
    let file = folder.join(FILE_NAME);
    if let Ok(found) = file.symlink_metadata() {
        check_file(&file, &found, unwritable)?;
        return Ok(file);
    }
    match private_file().create_new(true).open(&file) {
        Ok(_) => {}
        // Another process was first.
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
            let found = file.symlink_metadata();
            check_file(&file, &found.map_err(unwritable)?, unwritable)?;
        }
        Err(err) => return Err(error::file_unwritable(&file, err)),
    }
    Ok(file)
}

/// Refuses a file that is no regular one, and makes it private.
fn check_file(
    file: &Path,
    found: &std::fs::Metadata,
    unwritable: impl FnOnce(io::Error) -> ToolError,
) -> Result<()> {
    if !found.is_file() {
        return Err(error::file_unwritable(file, "it is not a regular file"));
    }
    make_private(file, found).map_err(unwritable)
}

/// Removes permissions of other users, as a copy or a restored backup may have.
#[cfg(unix)]
fn make_private(file: &Path, found: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if found.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &Path, _: &std::fs::Metadata) -> io::Result<()> {
    Ok(())
}
