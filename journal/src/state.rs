//! [`StateStore`]: opening and closing the file, and its ledger of direct calls.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use registry::WorkspaceId;
use rusqlite::Connection;
use tool_core::capability::{
    ApprovalRequest, ApprovalState, ApprovalStore, AuditLedger, Clock, LedgerHead, RecordDurability,
};
use tool_core::{Result, Value};

use super::ledger::{self, LedgerCore, LedgerShared};
use super::open::ChainTarget;
use super::{lease, local_disk, read_only, schema};

/// An open state folder: ledger, approvals and the operator's views of them.
pub struct StateStore {
    pub(super) shared: Arc<LedgerShared>,
    /// Writes batched records; started with the first of them.
    flusher: Mutex<Option<JoinHandle<()>>>,
    /// Whether the state is closed right after the next record, so that no thread needs to write it.
    closes_next: AtomicBool,
    /// A temporary copy of a file that cannot be read in place.
    _copy: Option<read_only::TemporaryCopy>,
}

impl StateStore {
    /// Opens the state in a folder; folder (mode 0700) and file (mode 0600) are created where missing.
    ///
    /// # Errors
    /// `tool_error` with reason `state_unwritable`, `state_network`, `state_corrupt`, `state_foreign` (a file of
    /// another program), `state_newer` (of a newer version) or `state_busy`; the caller decides what to do without a state.
    pub fn open(folder: impl AsRef<Path>, clock: Arc<dyn Clock>) -> Result<Self> {
        Self::open_on(folder.as_ref(), clock, Arc::new(lease::ThisMachine::new()))
    }

    pub(super) fn open_on(
        folder: &Path,
        clock: Arc<dyn Clock>,
        machine: Arc<dyn lease::LeaseMachine>,
    ) -> Result<Self> {
        let (connection, file) = schema::open_database(folder)?;
        Ok(Self::of_connection(connection, file, clock, machine, None))
    }

    fn of_connection(
        connection: Connection,
        file: PathBuf,
        clock: Arc<dyn Clock>,
        machine: Arc<dyn lease::LeaseMachine>,
        copy: Option<read_only::TemporaryCopy>,
    ) -> Self {
        let core = LedgerCore::new(connection, clock.unix_ms());
        Self {
            shared: Arc::new(LedgerShared::new(core, clock, machine, file)),
            flusher: Mutex::new(None),
            closes_next: AtomicBool::new(false),
            _copy: copy,
        }
    }

    /// Opens the state of a read-only folder, for commands that only read. Where its write-ahead log cannot be read in place, a
    /// temporary copy is made below `scratch`.
    ///
    /// # Errors
    /// `tool_error` with reason `state_unreadable`, and as [`StateStore::open`].
    pub fn open_to_read(
        folder: impl AsRef<Path>,
        scratch: &Path,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let (connection, file, copy) = read_only::open_read_only(folder.as_ref(), scratch)?;
        let machine = Arc::new(lease::ThisMachine::new());
        Ok(Self::of_connection(connection, file, clock, machine, copy))
    }

    /// States the workspace of this process: lists of a state that several share can show its rows alone. The first one counts.
    pub fn set_workspace(&self, workspace: WorkspaceId) {
        let _ = self.shared.workspace.set(workspace);
    }

    /// States that the state is closed as soon as the next record is made: no thread is started that would write it later.
    pub fn close_follows(&self) {
        self.closes_next.store(true, Ordering::Relaxed);
    }

    /// Number of accesses to the file that failed since this process opened it, such as records that a full disk did not take.
    pub fn failures(&self) -> u64 {
        self.shared.failures.load(Ordering::Relaxed)
    }

    /// Free space on the disk of the file, in bytes; `None` where it is unknown.
    pub fn free_bytes(&self) -> Option<u64> {
        local_disk::free_bytes(self.shared.file.parent()?)
    }

    /// Path of the SQLite file.
    pub fn file(&self) -> PathBuf {
        self.shared.file.clone()
    }

    /// Name of the chain of this process.
    pub fn session(&self) -> String {
        self.shared.lock().chains.own.session.clone()
    }

    /// The newest record of the chain of this process; `None` before the first.
    pub fn head(&self) -> Option<LedgerHead> {
        let head = self.shared.lock().chains.own.head();
        (head.sequence > 0).then_some(head)
    }

    /// Writes the batched records.
    ///
    /// # Errors
    /// `tool_error` when they cannot be written; they stay batched.
    pub fn flush(&self) -> Result<()> {
        self.shared.flush(&mut self.shared.lock())
    }

    /// Writes the batched records and links the end of the chain. Call it before the process ends, so that a failure is noticed;
    /// dropping the state does the same silently. Later records need another call.
    ///
    /// # Errors
    /// As [`StateStore::flush`].
    pub fn close(&self) -> Result<()> {
        self.shared.finish(&mut self.shared.lock())
    }
}

impl AuditLedger for StateStore {
    fn record(&self, record: &Value, durability: RecordDurability) -> Result<LedgerHead> {
        match durability {
            RecordDurability::Synced => self.shared.record_synced(ChainTarget::Own, record),
            RecordDurability::Batched => {
                let head = self.shared.record_batched(ChainTarget::Own, record)?;
                self.flush_later();
                Ok(head)
            }
        }
    }

    fn record_at_once(&self, record: &Value) -> Option<Result<LedgerHead>> {
        let recorded = self.shared.record_at_once(ChainTarget::Own, record)?;
        if recorded.is_ok() {
            self.flush_later();
        }
        Some(recorded)
    }
}

impl ApprovalStore for StateStore {
    fn settle(&self, request: &ApprovalRequest, intent: &Value) -> Result<ApprovalState> {
        self.shared.settle(ChainTarget::Own, request, intent)
    }
}

impl StateStore {
    /// Leaves batched records to the thread of the state, unless the process ends with this one.
    fn flush_later(&self) {
        if !self.closes_next.swap(false, Ordering::Relaxed) {
            self.start_flusher();
        }
    }

    pub(super) fn start_flusher(&self) {
        let mut flusher = ledger::lock_ignoring_poison(&self.flusher);
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

impl Drop for StateStore {
    fn drop(&mut self) {
        self.shared.stop_flusher();
        if let Some(flusher) = ledger::lock_ignoring_poison(&self.flusher).take() {
            // Even if the thread panicked, batched records are written below.
            let _ = flusher.join();
        }
        // `close` reports failures.
        let _ = self.close();
    }
}
