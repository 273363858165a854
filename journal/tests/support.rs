//! Folders and checks that the unit tests and the integration tests share.
#![allow(dead_code, reason = "each of the two binaries uses a part")]

use std::path::Path;

pub(crate) use fakes::TestClock;
use rusqlite::Connection;
use tempfile::TempDir;
use tool_core::capability::{AuditLedger as _, RecordDurability};
use tool_core::{ToolError, Value};

use super::StateStore;

pub(crate) const NOW: u64 = 1_795_305_600_000;

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The file as an attacker sees it: without the triggers that keep it append-only.
pub(crate) fn intruder(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join("state.db")).unwrap();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF")
        .unwrap();
    for table in ["sessions", "events", "heads"] {
        connection
            .execute_batch(&format!(
                "DROP TRIGGER IF EXISTS {table}_stay; DROP TRIGGER IF EXISTS {table}_kept"
            ))
            .unwrap();
    }
    connection
}

pub(crate) fn open(folder: &Path) -> StateStore {
    StateStore::open(folder, TestClock::at(NOW)).unwrap()
}

pub(crate) fn event(number: usize) -> Value {
    Value::object([
        ("tool", Value::from("calculate")),
        ("call_id", Value::from(format!("c{number}"))),
    ])
}

/// A state with three sessions: two closed with `count` records each, and one that was never closed.
pub(crate) fn filled(folder: &Path, count: usize) {
    for _ in 0..2 {
        let state = open(folder);
        for number in 0..count {
            state
                .record(&event(number), RecordDurability::Batched)
                .unwrap();
        }
        state.close().unwrap();
    }
    let state = open(folder);
    for number in 0..count {
        state
            .record(&event(number), RecordDurability::Synced)
            .unwrap();
    }
    state.flush().unwrap();
    // As after a kill: the end of the session is not linked.
    std::mem::forget(state);
}

#[track_caller]
pub(crate) fn assert_reason<T>(result: Result<T, ToolError>, reason: &str) -> ToolError {
    let err = result.err().unwrap();
    assert_eq!(err.reason_str(), Some(reason), "{err:?}");
    assert!(err.hint_str().is_some(), "{err:?}");
    err
}
