//! The promises of the state: chains, approvals, several processes, and what can go wrong with the file.

mod approvals;
mod audit;
mod backups;
mod collecting;
mod crashes;
mod memory;
mod notices;
mod opening;
mod processes;
mod runs;
mod values;
mod verifying;

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

/// A machine whose processes and uptime a test sets.
#[derive(Default)]
struct Machine {
    up_ms: AtomicU64,
    dead: Mutex<Vec<u32>>,
}

/// A process of it.
struct Process(Arc<Machine>, u32);

impl lease::Machine for Process {
    fn here(&self) -> lease::Owner {
        lease::Owner {
            boot: "boot".to_owned(),
            space: "space".to_owned(),
            process: self.1,
            started: 1,
        }
    }

    fn up_ms(&self) -> u64 {
        self.0.up_ms.load(Ordering::Relaxed)
    }

    fn runs(&self, owner: &lease::Owner) -> Option<bool> {
        Some(!ledger::lock(&self.0.dead).contains(&owner.process))
    }
}

impl Machine {
    fn open(self: &Arc<Self>, folder: &Path, clock: &Arc<Still>, process: u32) -> Arc<State> {
        let clock: Arc<dyn Clock> = Arc::clone(clock) as _;
        let process = Arc::new(Process(Arc::clone(self), process));
        Arc::new(State::open_on(folder, clock, process).unwrap())
    }

    fn advance(&self, ms: u64) {
        self.up_ms.fetch_add(ms, Ordering::Relaxed);
    }

    fn kill(&self, process: u32) {
        ledger::lock(&self.dead).push(process);
    }
}

fn header() -> RunHeader {
    RunHeader {
        plan_id: "fit".to_owned(),
        plan_digest: "d".repeat(64),
        plan: Value::object([("steps", 3_i64)]),
        inputs: Value::object([("n", 1.0)]),
        role: "worker_math".to_owned(),
        who: Value::object([("agent", "a")]),
        seed: u64::MAX,
        build: "0.1.0".to_owned(),
        profile: "x86-64-v3".to_owned(),
        ..RunHeader::default()
    }
}

/// An event of a kind.
fn told(kind: &str, number: usize) -> Value {
    Value::object([("kind", Value::from(kind)), ("step", Value::from(number))])
}

#[track_caller]
fn assert_reason<T: std::fmt::Debug>(result: Result<T, ToolError>, reason: &str) -> ToolError {
    let err = result.unwrap_err();
    assert_eq!(err.reason_str(), Some(reason), "{err:?}");
    assert!(err.hint_str().is_some(), "{err:?}");
    err
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("State")
    }
}
