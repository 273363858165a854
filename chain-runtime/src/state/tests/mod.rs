//! The promises of the state: chains, approvals, several processes, and what can go wrong with the file.

mod approvals;
mod audit;
mod backups;
mod memory;
mod notices;
mod opening;
mod processes;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;
use tool_core::capability::{Alarm, Clock, Durability, Ledger};
use tool_core::{StopFlag, ToolError, Value};

use super::*;

/// A clock that stands still until it is moved.
#[derive(Default)]
struct Still(AtomicU64);

impl Still {
    fn at(unix_ms: u64) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(unix_ms)))
    }

    fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

struct NoAlarm;

impl Alarm for NoAlarm {}

impl Clock for Still {
    fn unix_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.unix_ms())
    }

    fn alarm(&self, _: Duration, _: StopFlag) -> Box<dyn Alarm> {
        Box::new(NoAlarm)
    }
}

const NOW: u64 = 1_795_305_600_000;

fn open(folder: &Path) -> State {
    State::open(folder, Still::at(NOW)).unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn event(number: usize) -> Value {
    Value::object([
        ("tool", Value::from("calculate")),
        ("call_id", Value::from(format!("c{number}"))),
    ])
}

/// A state with three sessions: two closed with `count` records each, and one that was never closed.
fn filled(folder: &Path, count: usize) {
    for _ in 0..2 {
        let state = open(folder);
        for number in 0..count {
            state.record(&event(number), Durability::Batched).unwrap();
        }
        state.close().unwrap();
    }
    let state = open(folder);
    for number in 0..count {
        state.record(&event(number), Durability::Synced).unwrap();
    }
    state.flush().unwrap();
    // As after a kill: the end of the session is not linked.
    std::mem::forget(state);
}

/// The file as an intruder sees it: without the triggers that keep it append-only.
fn intruder(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
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

#[track_caller]
fn assert_reason<T: std::fmt::Debug>(result: Result<T, ToolError>, reason: &str) -> ToolError {
    let err = result.unwrap_err();
    assert_eq!(err.reason_str(), Some(reason), "{err:?}");
    assert!(err.hint_str().is_some(), "{err:?}");
    err
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("State")
    }
}
