//! The promises of the state: chains, approvals, several processes, and what can go wrong with the file.

mod approvals;
mod audit;
mod collecting;
mod counts;
mod crashes;
mod cuts;
mod opening;
mod overdue;
mod packs;
mod processes;
mod pruning;
mod receipts;
mod requests;
mod runs;
mod schedules;
mod scopes;
#[path = "../../tests/support.rs"]
mod support;
mod values;
mod verifying;

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use tempfile::TempDir;
use tool_core::capability::{
    ApprovalFallback, ApprovalRequest, ApprovalState, ApprovalStore, AuditLedger, Clock,
    LedgerHead, RecordDurability,
};
use tool_core::{ToolError, Value};

use self::support::*;
use super::*;

/// Lifetime of the approval requests of tests.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// A machine whose processes and uptime a test sets.
#[derive(Default)]
struct Machine {
    up_ms: AtomicU64,
    dead: Mutex<Vec<u32>>,
}

/// A process of it.
struct Process(Arc<Machine>, u32);

impl lease::LeaseMachine for Process {
    fn here(&self) -> lease::LeaseOwner {
        lease::LeaseOwner {
            boot: "boot".to_owned(),
            space: "space".to_owned(),
            process: self.1,
            started: 1,
        }
    }

    fn up_ms(&self) -> u64 {
        self.0.up_ms.load(Ordering::Relaxed)
    }

    fn runs(&self, owner: &lease::LeaseOwner) -> Option<bool> {
        Some(!ledger::lock_ignoring_poison(&self.0.dead).contains(&owner.process))
    }
}

impl Machine {
    fn open(
        self: &Arc<Self>,
        folder: &Path,
        clock: &Arc<TestClock>,
        process: u32,
    ) -> Arc<StateStore> {
        let clock: Arc<dyn Clock> = Arc::clone(clock) as _;
        let process = Arc::new(Process(Arc::clone(self), process));
        Arc::new(StateStore::open_on(folder, clock, process).unwrap())
    }

    fn advance(&self, ms: u64) {
        self.up_ms.fetch_add(ms, Ordering::Relaxed);
    }

    fn kill(&self, process: u32) {
        ledger::lock_ignoring_poison(&self.dead).push(process);
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

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}

impl std::fmt::Debug for StateStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("State")
    }
}
