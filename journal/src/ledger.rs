//! Writing: the open chains, their pending records, and the transactions that write them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use registry::WorkspaceId;
use rusqlite::{Connection, Params, Transaction, TransactionBehavior};
use tool_core::capability::{Clock, LedgerHead};
use tool_core::{Object, Result, ToolError, Value, json, object, tool_error};

use super::chain::RecordChain;
use super::lease::{LeaseMachine, LeaseTime};
use super::local_disk;
use super::open::{ChainTarget, OpenChains};
use super::random::random_bits;
use super::sql::{self, Done, SqlColumns, SqlError};
use super::waiting::WriteBuffer;
use super::{error, schema, watching};
use crate::artifacts::ArtifactFolder;

/// The longest delay of a batched record.
const BATCH_WAIT: Duration = Duration::from_millis(5);
/// The longest delay of a record that waits for its pack. Its call is a function of its arguments, and is made again where it is lost.
const PACK_WAIT: Duration = Duration::from_millis(50);
/// Most batched records; the next one writes them at once.
const BATCH_MAX: usize = 1024;
/// Most bytes of batched values.
const BATCH_BYTES_MAX: usize = 4 << 20;
/// Longest record, as canonical JSON.
const RECORD_BYTES_MAX: usize = 1 << 20;

/// The data shared by a state and its thread.
pub(super) struct LedgerShared {
    core: Mutex<LedgerCore>,
    wake: Condvar,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) machine: Arc<dyn LeaseMachine>,
    /// Whether calls of this process are those of an approver.
    pub(super) by_approver: AtomicBool,
    pub(super) file: PathBuf,
    pub(super) folder: ArtifactFolder,
    /// The workspace of this process.
    pub(super) workspace: OnceLock<WorkspaceId>,
    /// Failed accesses to the file.
    pub(super) failures: AtomicU64,
}

/// The connection and the chains.
pub(super) struct LedgerCore {
    pub(super) connection: Connection,
    pub(super) chains: OpenChains,
    full_sync: bool,
    closing: bool,
    /// Whether a newly watched run is to be checked.
    pub(super) looks: bool,
    /// Whether the last attempt to write batched records failed.
    behind: bool,
}

/// The kind of commit, and whether the end of the chain is linked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct CommitMode {
    pub(super) synced: bool,
    pub(super) link: bool,
}

impl CommitMode {
    pub(super) const SYNCED: Self = Self {
        synced: true,
        link: false,
    };
    pub(super) const QUICK: Self = Self {
        synced: false,
        link: false,
    };
}

/// Takes a lock, even a poisoned one: the file alone holds what must be consistent.
pub(super) fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LedgerCore {
    pub(super) fn new(connection: Connection, opened_ms: u64) -> Self {
        let session = format!("{opened_ms:011x}-{:016x}", random_bits());
        let header = chain_header(&session, opened_ms);
        Self {
            connection,
            chains: OpenChains {
                own: RecordChain::begin(session, opened_ms, header),
                runs: HashMap::new(),
                values: WriteBuffer::default(),
            },
            full_sync: false,
            closing: false,
            looks: false,
            behind: false,
        }
    }

    /// Whether as many records or values are batched as may be.
    fn is_full(&self) -> bool {
        self.chains.unwritten() >= BATCH_MAX || self.chains.values.bytes() >= BATCH_BYTES_MAX
    }

    pub(super) fn set_full_sync(&mut self, full: bool) -> rusqlite::Result<()> {
        if self.full_sync != full {
            let level = if full { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.full_sync = full;
        }
        Ok(())
    }
}

impl LedgerShared {
    pub(super) fn new(
        core: LedgerCore,
        clock: Arc<dyn Clock>,
        machine: Arc<dyn LeaseMachine>,
        file: PathBuf,
    ) -> Self {
        Self {
            core: Mutex::new(core),
            wake: Condvar::new(),
            clock,
            machine,
            by_approver: AtomicBool::new(false),
            folder: ArtifactFolder::beside(&file),
            workspace: OnceLock::new(),
            failures: AtomicU64::new(0),
            file,
        }
    }

    /// The workspace whose calls this process records.
    pub(super) fn folder_of_calls(&self) -> Option<&WorkspaceId> {
        self.workspace.get()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LedgerCore> {
        lock_ignoring_poison(&self.core)
    }

    pub(super) fn now(&self) -> LeaseTime {
        LeaseTime {
            unix_ms: self.clock.unix_ms(),
            up_ms: self.machine.up_ms(),
        }
    }

    pub(super) fn fail(&self, action: &str, err: &rusqlite::Error) -> ToolError {
        self.failures.fetch_add(1, Ordering::Relaxed);
        error::of_sqlite(action, &self.file, err)
    }

    pub(super) fn failed(&self, action: &str, failure: SqlError) -> ToolError {
        match failure {
            SqlError::Sql(err) => self.fail(action, &err),
            SqlError::Refused(err) => err,
        }
    }

    /// Reads from the file, which lacks batched records.
    pub(super) fn read<T>(
        &self,
        action: &str,
        work: impl FnOnce(&Connection) -> Done<T>,
    ) -> Result<T> {
        let core = self.lock();
        work(&core.connection).map_err(|failure| self.failed(action, failure))
    }

    /// Reads all rows of a query, without batched records.
    pub(super) fn select<T: SqlColumns>(
        &self,
        action: &str,
        sql: &str,
        params: impl Params,
    ) -> Result<Vec<T>> {
        self.read(action, |connection| {
            Ok(sql::all_rows(connection, sql, params)?)
        })
    }

    /// The text that is hashed and stored: the record with the time of recording.
    fn body(&self, record: &Value) -> Result<String> {
        let whole = || object! { "record" => record.clone() }.as_object().cloned();
        let mut object = (record.as_object().cloned().or_else(whole)).unwrap_or_default();
        object.insert("recorded_ms", self.clock.unix_ms());
        let body = json::canonical_json(&Value::Object(Arc::new(object)));
        if body.len() <= RECORD_BYTES_MAX {
            return Ok(body);
        }
        Err(tool_error!(
            LimitExceeded,
            "an audit record of {} bytes; the limit is {RECORD_BYTES_MAX}",
            body.len()
        )
        .reason("record")
        .hint("record digests and summaries, not contents"))
    }

    pub(super) fn record_batched(
        &self,
        target: ChainTarget<'_>,
        record: &Value,
    ) -> Result<LedgerHead> {
        let body = self.body(record)?;
        let mut core = self.lock();
        self.make_room(&mut core)?;
        core.chains.append(target, body)?;
        let head = core.chains.of(target)?.head();
        // A head promises that the record will be written, so after a failure, or where there may be no room, it is written first. The record
        // stays batched anyway.
        if core.behind || local_disk::is_nearly_full(&self.file) {
            self.flush(&mut core)?;
        }
        self.wake(&core);
        Ok(head)
    }

    /// Records the call or the end of an element together with those of its neighbours. The head is that of the records before it.
    pub(super) fn record_packed(
        &self,
        key: &str,
        record: &Object,
        end: Option<String>,
    ) -> Result<LedgerHead> {
        let mut record = record.clone();
        record.insert("recorded_ms", self.clock.unix_ms());
        let mut core = self.lock();
        self.make_room(&mut core)?;
        let run = core.chains.run(key)?;
        run.packs.add(record, end);
        let (head, is_full) = (run.chain.head(), run.packs.is_full());
        if is_full {
            core.chains.close_packs(key);
        }
        if core.behind || local_disk::is_nearly_full(&self.file) {
            self.flush(&mut core)?;
        }
        self.wake(&core);
        Ok(head)
    }

    /// As [`LedgerShared::record_batched`]; `None`, with nothing done, where another thread writes, or this one would have to.
    pub(super) fn record_at_once(
        &self,
        target: ChainTarget<'_>,
        record: &Value,
    ) -> Option<Result<LedgerHead>> {
        let body = match self.body(record) {
            Ok(body) => body,
            Err(err) => return Some(Err(err)),
        };
        let mut core = match self.core.try_lock() {
            Ok(core) => core,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        if core.behind || core.is_full() {
            return None;
        }
        let head = core.chains.of(target).map(|chain| {
            chain.append(body);
            chain.head()
        });
        self.wake(&core);
        Some(head)
    }

    /// Writes the batched records when there are many.
    pub(super) fn make_room(&self, core: &mut LedgerCore) -> Result<()> {
        if core.is_full() {
            self.flush(core)?;
        }
        Ok(())
    }

    /// Wakes the thread of the state.
    pub(super) fn wake_all(&self) {
        self.wake.notify_all();
    }

    /// Wakes the thread of the state for the first batched record.
    pub(super) fn wake(&self, core: &LedgerCore) {
        if core.chains.unwritten() <= 1 || core.chains.unpacked() == 1 {
            self.wake.notify_all();
        }
    }

    pub(super) fn record_synced(
        &self,
        target: ChainTarget<'_>,
        record: &Value,
    ) -> Result<LedgerHead> {
        let work = |_: &Transaction<'_>, _| Ok(((), Some(record.clone())));
        let ((), head) = self.transact_on(target, CommitMode::SYNCED, "record the call", work)?;
        Ok(head)
    }

    /// As [`LedgerShared::transact_on`], on the chain of direct calls and synced.
    pub(super) fn transact<T>(
        &self,
        action: &str,
        work: impl FnOnce(&Transaction<'_>, u64) -> Done<(T, Option<Value>)>,
    ) -> Result<T> {
        let (result, _) = self.transact_on(ChainTarget::Own, CommitMode::SYNCED, action, work)?;
        Ok(result)
    }

    /// As [`LedgerShared::transact_on`], without a record and not synced.
    pub(super) fn change(
        &self,
        target: ChainTarget<'_>,
        action: &str,
        work: impl FnOnce(&Transaction<'_>, u64) -> Done<()>,
    ) -> Result<()> {
        let work = |transaction: &Transaction<'_>, now_ms| Ok((work(transaction, now_ms)?, None));
        self.transact_on(target, CommitMode::QUICK, action, work)
            .map(drop)
    }

    /// Runs a transaction of `work`, all batched records, and the record that `work` returns, which is appended to the chain of the
    /// target. With `how.synced` all of it is on disk when this returns. A failure leaves file and chain unchanged.
    pub(super) fn transact_on<T>(
        &self,
        target: ChainTarget<'_>,
        how: CommitMode,
        action: &str,
        work: impl FnOnce(&Transaction<'_>, u64) -> Done<(T, Option<Value>)>,
    ) -> Result<(T, LedgerHead)> {
        let now = self.now();
        let fail = |err: rusqlite::Error| self.fail(action, &err);
        let mut core = self.lock();
        core.chains.close_all_packs();
        let mark = core.chains.of(target)?.mark();
        core.set_full_sync(how.synced).map_err(fail)?;
        let core = &mut *core;
        let (connection, chains) = (&core.connection, &mut core.chains);
        let done = (|| {
            let transaction = begin_write(connection).map_err(fail)?;
            let (result, record) =
                work(&transaction, now.unix_ms).map_err(|failure| self.failed(action, failure))?;
            if let Some(record) = record {
                let body = self.body(&record)?;
                chains.append(target, body)?;
            }
            let folder = self.folder_of_calls();
            let written = chains.write(&transaction, target, now, folder);
            let written = written.map_err(fail)?;
            chains.close_lost(&written);
            let chain = chains.of(target)?;
            let link = how.link && chain.wants_link();
            if link {
                chain.write_link(&transaction).map_err(fail)?;
            }
            transaction.commit().map_err(fail)?;
            chains.written(&written, target, link, now);
            Ok(result)
        })();
        let result = done.inspect_err(|_: &ToolError| {
            if let Ok(chain) = chains.of(target) {
                chain.roll_back(mark);
            }
        })?;
        let head = chains.of(target)?.head();
        if let (ChainTarget::Run(key), true) = (target, how.synced) {
            chains.run(key)?.synced = true;
        }
        Ok((result, head))
    }

    /// Writes the batched records.
    pub(super) fn flush(&self, core: &mut LedgerCore) -> Result<()> {
        self.write(core, false)
    }

    /// Writes the batched records, and links the end of the chain of direct calls.
    pub(super) fn finish(&self, core: &mut LedgerCore) -> Result<()> {
        self.write(core, true)?;
        schema::shorten_log(&core.connection, &self.file);
        Ok(())
    }

    fn write(&self, core: &mut LedgerCore, link: bool) -> Result<()> {
        let now = self.now();
        core.chains.close_all_packs();
        let link = link && core.chains.own.wants_link();
        if core.chains.unwritten() == 0 && !link && !core.chains.wants_renewal(now.up_ms) {
            return Ok(());
        }
        let done = core.set_full_sync(false).and_then(|()| {
            let transaction = begin_write(&core.connection)?;
            let folder = self.folder_of_calls();
            let written = (core.chains).write(&transaction, ChainTarget::Own, now, folder)?;
            if link {
                core.chains.own.write_link(&transaction)?;
            }
            transaction.commit()?;
            Ok(written)
        });
        core.behind = done.is_err();
        let written = done.map_err(|err| self.fail("write the audit log", &err))?;
        core.chains.close_lost(&written);
        core.chains.written(&written, ChainTarget::Own, link, now);
        Ok(())
    }

    /// The loop of the thread of the state: waits for batched records, writes them in groups, and renews leases.
    pub(super) fn flush_until_closed(&self) {
        let mut core = self.lock();
        loop {
            let pause = watching::longest_wait(&core.chains);
            core = self
                .wake
                .wait_timeout_while(core, pause, |core| {
                    !core.closing && !core.looks && core.chains.unwritten() == 0
                })
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            if core.closing {
                return;
            }
            core.looks = false;
            watching::stop_cancelled_runs(&core.connection, &core.chains);
            if core.chains.unwritten() > 0 {
                let only_packs = |core: &mut LedgerCore| {
                    !core.closing && core.chains.unwritten() > 0 && core.chains.unpacked() == 0
                };
                core = self
                    .wake
                    .wait_timeout_while(core, PACK_WAIT, only_packs)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
            if core.chains.unpacked() > 0 {
                core = self
                    .wake
                    .wait_timeout_while(core, BATCH_WAIT, |core| !core.closing)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0;
            }
            if self.flush(&mut core).is_err() {
                // They stay batched; the next call that needs the file, or `close`, reports the error.
                drop(core);
                std::thread::sleep(BATCH_WAIT * 20);
                core = self.lock();
            }
        }
    }

    pub(super) fn stop_flusher(&self) {
        self.lock().closing = true;
        self.wake.notify_all();
    }
}

/// The header of a chain of direct calls.
pub(super) fn chain_header(session: &str, opened_ms: u64) -> String {
    json::canonical_json(&object! { "opened_ms" => opened_ms, "session" => session })
}

/// Begins a transaction that may write, waiting for other processes.
pub(super) fn begin_write(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    schema::retry_busy(|| Transaction::new_unchecked(connection, TransactionBehavior::Immediate))
}
