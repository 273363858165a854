//! The state folder: audit and approvals in one SQLite file, `state.db`.
//!
//! [`State`] is the one type to know. It is the [`Ledger`] (every call is a record in a hash chain), the [`Approvals`] desk
//! (what waits for a person, and what a person answered), and it gives the operator's views of both: `approvals`, `approve`,
//! `decline` in `approvals.rs`; `audit_list`, `audit_show`, `export` in `audit.rs`, `verify` in `verify/`. The schema and its migrations
//! are in `schema.rs` and nowhere else.
//!
//! One opened state is one *session* with a hash chain of its own, so that processes never wait for one another's chain;
//! sessions are linked when they begin and end in the table `heads`, whose newest row vouches for all of them. A durable run is
//! such a chain too: its [`Journal`] (`begin_run`, `take_run` in `runs.rs`) is a ledger and an approvals desk of its own, held by
//! one process at a time (`lease.rs`). The values it refers to stand outside the chain (`values.rs`, `kept.rs`, [`crate::artifacts`]),
//! are kept for later runs (`cache.rs`) and collected when nobody refers to them (`gc.rs`).
//!
//! # Durability
//! Records with [`Durability::Synced`] are on disk before `record` returns. Batched ones are written by a thread of the state
//! within milliseconds, and at the latest by [`State::close`] or when the state is dropped: a killed process can lose the
//! last few, a power cut the last few more; the chain stays whole in both cases.

pub mod anomalies;
mod answers;
mod approvals;
pub mod artifacts;
mod audit;
mod backups;
mod cache;
mod cancelling;
mod chain;
mod error;
mod evidence;
pub mod failpoints;
mod gc;
mod grants;
mod journal;
mod kept;
mod lease;
mod ledger;
mod memory;
mod notices;
mod open;
mod place;
mod private;
mod random;
mod read_only;
mod run;
mod runs;
mod schema;
mod values;
mod verify;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use tool_core::capability::{
    ApprovalRequest, ApprovalState, Approvals, Clock, Durability, Ledger, LedgerHead,
};
use tool_core::{ToolError, Value};

pub use self::approvals::{Approval, WITHOUT_KEY};
pub use self::audit::{AuditRecord, parse_head};
pub use self::backups::{BACKUPS, Backup, Keeper};
use self::gc::COLLECTED_KEY;
pub use self::gc::{Collected, Keep};
pub use self::journal::Journal;
pub use self::kept::{Artifact, OPERATOR};
pub use self::lease::LEASE;
use self::ledger::{Core, Shared};
pub use self::notices::NoticeRecord;
use self::open::Target;
pub use self::run::{END_KEY, Holder, LISTS_KEY, Run, RunHeader, RunState, named_values};
pub use self::verify::{Fault, Verification};

/// Name of the file in the state folder.
pub const FILE_NAME: &str = "state.db";

/// How long an approval waits for an answer, and an answer for its call, where nothing else is said.
pub const APPROVAL_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// An open state folder: ledger, approvals and the operator's views of them.
pub struct State {
    shared: Arc<Shared>,
    /// Writes batched records; started with the first of them.
    flusher: Mutex<Option<JoinHandle<()>>>,
    /// What is looked at instead of a file that cannot be read where it is.
    _copy: Option<read_only::Copy>,
}

impl State {
    /// Opens the state in a folder; folder (mode 0700) and file (mode 0600) are made when missing.
    ///
    /// # Errors
    /// `tool_error` with reason `state_unwritable`, `state_network`, `state_corrupt`, `state_foreign` (another program's
    /// file), `state_newer` (a newer version's) or `state_busy`; the caller decides what to do without a state.
    pub fn open(folder: impl AsRef<Path>, clock: Arc<dyn Clock>) -> Result<Self, ToolError> {
        Self::open_on(folder.as_ref(), clock, Arc::new(lease::ThisMachine::new()))
    }

    fn open_on(
        folder: &Path,
        clock: Arc<dyn Clock>,
        machine: Arc<dyn lease::Machine>,
    ) -> Result<Self, ToolError> {
        let (connection, file) = schema::open(folder)?;
        let core = Core::new(connection, clock.unix_ms());
        Ok(Self {
            shared: Arc::new(Shared::new(core, clock, machine, file)),
            flusher: Mutex::new(None),
            _copy: None,
        })
    }

    /// Opens the state of a folder that cannot be written, for commands that look at it; no call may be recorded in it. Where its
    /// write-ahead log cannot be read in place, a copy is made below `scratch`, which goes with the state.
    ///
    /// # Errors
    /// `tool_error` with reason `state_unreadable`, and as [`State::open`].
    pub fn open_to_read(
        folder: impl AsRef<Path>,
        scratch: &Path,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ToolError> {
        let (connection, file, copy) = read_only::open(folder.as_ref(), scratch)?;
        let core = Core::new(connection, clock.unix_ms());
        let machine = Arc::new(lease::ThisMachine::new());
        Ok(Self {
            shared: Arc::new(Shared::new(core, clock, machine, file)),
            flusher: Mutex::new(None),
            _copy: copy,
        })
    }

    /// With another lifetime of approvals than [`APPROVAL_LIFETIME`].
    #[must_use]
    pub fn with_approval_lifetime(self, lifetime: Duration) -> Self {
        self.shared.set_approval_lifetime(lifetime);
        self
    }

    /// With files for values above another size than [`crate::artifacts::FILE_BYTES_LEAST`].
    #[must_use]
    pub fn with_artifact_bytes(self, bytes: usize) -> Self {
        self.shared.set_artifact_bytes(bytes);
        self
    }

    /// Arrays of more bytes are files.
    pub fn artifact_bytes(&self) -> usize {
        self.shared.artifact_bytes()
    }

    /// The file.
    pub fn file(&self) -> PathBuf {
        self.shared.file.clone()
    }

    /// The name of the open session's chain.
    pub fn session(&self) -> String {
        self.shared.lock().chains.own.session.clone()
    }

    /// Where the open session's chain stands; `None` before its first record.
    pub fn head(&self) -> Option<LedgerHead> {
        let head = self.shared.lock().chains.own.head();
        (head.sequence > 0).then_some(head)
    }

    /// Writes what is still batched.
    ///
    /// # Errors
    /// `tool_error` when it could not be written; it stays batched.
    pub fn flush(&self) -> Result<(), ToolError> {
        self.shared.flush(&mut self.shared.lock())
    }

    /// Writes what is still batched and links the end of the session. Call it before the process ends, so that a failure is
    /// noticed; dropping the state does the same and says nothing. Later records begin to be linked anew.
    ///
    /// # Errors
    /// As [`State::flush`].
    pub fn close(&self) -> Result<(), ToolError> {
        self.shared.finish(&mut self.shared.lock())
    }
}

impl Ledger for State {
    fn record(&self, record: &Value, durability: Durability) -> Result<LedgerHead, ToolError> {
        match durability {
            Durability::Synced => self.shared.record_synced(Target::Own, record),
            Durability::Batched => {
                let head = self.shared.record_batched(Target::Own, record)?;
                self.start_flusher();
                Ok(head)
            }
        }
    }
}

impl Approvals for State {
    fn settle(
        &self,
        request: &ApprovalRequest,
        intent: &Value,
    ) -> Result<ApprovalState, ToolError> {
        self.shared.settle(Target::Own, request, intent)
    }
}

impl State {
    fn start_flusher(&self) {
        let mut flusher = ledger::lock(&self.flusher);
        if flusher.is_none() {
            let shared = Arc::clone(&self.shared);
            // Without the thread, batched records are written by the next synced one, or at the end.
            *flusher = std::thread::Builder::new()
                .name("state".to_owned())
                .spawn(move || shared.flush_until_closed())
                .ok();
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.shared.stop_flusher();
        if let Some(flusher) = ledger::lock(&self.flusher).take() {
            // It ends by itself; had it panicked, what is batched is written below all the same.
            let _ = flusher.join();
        }
        // `close` is where a failure is reported.
        let _ = self.close();
    }
}
