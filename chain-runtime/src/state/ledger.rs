//! Writing: one session's chain in memory, what of it is not yet in the file, and the transactions that put it there.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tool_core::capability::{Clock, LedgerHead};
use tool_core::{ErrorCode, ToolError, Value, json};

use super::chain::{self, Hash};
use super::{APPROVAL_LIFETIME, error, schema};

/// How long a batched record waits for company.
const BATCH_WAIT: Duration = Duration::from_millis(5);
/// How many wait at most; the next one writes them itself.
const BATCH_MAX: usize = 1024;
/// Longest record, as canonical JSON.
const RECORD_BYTES_MAX: usize = 1 << 20;

/// What the state and its thread share.
pub(super) struct Shared {
    core: Mutex<Core>,
    wake: Condvar,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) file: PathBuf,
    approval_lifetime_ms: AtomicU64,
}

/// The connection and the chain.
pub(super) struct Core {
    pub(super) connection: Connection,
    pub(super) chain: Chain,
    full_sync: bool,
    closing: bool,
}

/// One session's chain: what is known of its end, and what the file lacks.
pub(super) struct Chain {
    pub(super) session: String,
    header: String,
    opened_ms: u64,
    genesis: Hash,
    /// Newest record, written or not.
    sequence: u64,
    hash: Hash,
    /// Records not yet written, oldest first.
    pending: Vec<Event>,
    /// Newest sequence in the table of heads; `None` before the session is in the file.
    linked: Option<u64>,
}

struct Event {
    sequence: u64,
    body: String,
    hash: Hash,
}

/// Takes a lock; a panic elsewhere leaves nothing half-done behind it, since what counts is in the file.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    pub(super) fn new(connection: Connection, opened_ms: u64) -> Self {
        let session = format!("{opened_ms:011x}-{:016x}", chance());
        let header = json::canonical(&Value::object([
            ("opened_ms", Value::from(opened_ms)),
            ("session", Value::from(session.as_str())),
        ]));
        let genesis = chain::record_hash(&chain::START, &header);
        let chain = Chain {
            session,
            header,
            opened_ms,
            genesis,
            sequence: 0,
            hash: genesis,
            pending: Vec::new(),
            linked: None,
        };
        Self {
            connection,
            chain,
            full_sync: false,
            closing: false,
        }
    }

    fn set_full_sync(&mut self, full: bool) -> rusqlite::Result<()> {
        if self.full_sync != full {
            let level = if full { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", level)?;
            self.full_sync = full;
        }
        Ok(())
    }
}

impl Chain {
    fn head(&self) -> LedgerHead {
        LedgerHead {
            session: self.session.clone(),
            sequence: self.sequence,
            hash: chain::hex(&self.hash),
        }
    }

    /// Puts a record at the end of the chain, to be written.
    fn append(&mut self, body: String) {
        self.hash = chain::record_hash(&self.hash, &body);
        self.sequence += 1;
        self.pending.push(Event {
            sequence: self.sequence,
            body,
            hash: self.hash,
        });
    }

    /// Takes the newest record back, which the file does not have.
    fn take_back(&mut self, before: Hash) {
        self.pending.pop();
        self.sequence -= 1;
        self.hash = before;
    }

    fn has_unwritten(&self) -> bool {
        !self.pending.is_empty()
    }

    /// After the commit of what was pending, and of a link up to `linked`.
    fn written(&mut self, linked: Option<u64>) {
        if self.has_unwritten() {
            self.pending.clear();
            self.linked = self.linked.or(Some(0));
        }
        self.linked = linked.or(self.linked);
    }

    fn write_pending(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        if self.linked.is_none() {
            transaction
                .prepare_cached("INSERT INTO sessions(id, opened_ms, header) VALUES (?, ?, ?)")?
                .execute(params![self.session, self.opened_ms as i64, self.header])?;
            self.write_link(transaction, 0, &self.genesis)?;
        }
        let mut insert = transaction.prepare_cached(
            "INSERT INTO events(session, sequence, body, hash) VALUES (?, ?, ?, ?)",
        )?;
        for event in &self.pending {
            insert.execute(params![
                self.session,
                event.sequence as i64,
                event.body,
                event.hash
            ])?;
        }
        Ok(())
    }

    fn write_link(
        &self,
        transaction: &Transaction<'_>,
        sequence: u64,
        hash: &Hash,
    ) -> rusqlite::Result<()> {
        let before: Option<(i64, Hash)> = transaction
            .prepare_cached("SELECT number, link FROM heads ORDER BY number DESC LIMIT 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let (number, before) = before.unwrap_or((0, chain::START));
        let link = chain::link_hash(&before, &self.session, sequence, hash);
        transaction
            .prepare_cached(
                "INSERT INTO heads(number, session, sequence, hash, link) VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![
                number + 1,
                self.session,
                sequence as i64,
                hash,
                link
            ])?;
        Ok(())
    }
}

impl Shared {
    pub(super) fn new(core: Core, clock: Arc<dyn Clock>, file: PathBuf) -> Self {
        Self {
            core: Mutex::new(core),
            wake: Condvar::new(),
            clock,
            file,
            approval_lifetime_ms: AtomicU64::new(APPROVAL_LIFETIME.as_millis() as u64),
        }
    }

    pub(super) fn set_approval_lifetime(&self, lifetime: Duration) {
        let ms = u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX);
        self.approval_lifetime_ms.store(ms, Ordering::Relaxed);
    }

    pub(super) fn approval_lifetime_ms(&self) -> u64 {
        self.approval_lifetime_ms.load(Ordering::Relaxed)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Core> {
        lock(&self.core)
    }

    pub(super) fn fail(&self, action: &str, err: &rusqlite::Error) -> ToolError {
        error::of_sqlite(action, &self.file, err)
    }

    /// The text that is hashed and kept: the record with the time it was recorded.
    fn body(&self, record: &Value) -> Result<String, ToolError> {
        let mut object = match record.as_object() {
            Some(object) => object.clone(),
            None => {
                let mut object = tool_core::Object::new();
                object.insert("record", record.clone());
                object
            }
        };
        object.insert("recorded_ms", self.clock.unix_ms());
        let body = json::canonical(&Value::Object(Arc::new(object)));
        if body.len() <= RECORD_BYTES_MAX {
            return Ok(body);
        }
        Err(ToolError::new(
            ErrorCode::LimitExceeded,
            format_args!(
                "an audit record of {} bytes; the limit is {RECORD_BYTES_MAX}",
                body.len()
            ),
        )
        .reason("record")
        .hint("record digests and summaries, not contents"))
    }

    pub(super) fn record_batched(&self, record: &Value) -> Result<LedgerHead, ToolError> {
        let body = self.body(record)?;
        let mut core = self.lock();
        if core.chain.pending.len() >= BATCH_MAX {
            self.flush(&mut core)?;
        }
        core.chain.append(body);
        if core.chain.pending.len() == 1 {
            self.wake.notify_all();
        }
        Ok(core.chain.head())
    }

    pub(super) fn record_synced(&self, record: &Value) -> Result<LedgerHead, ToolError> {
        let ((), head) = self.transact("record the call", |_, _| Ok(((), Some(record.clone()))))?;
        Ok(head)
    }

    /// Runs a transaction that is on disk when this returns: what `work` does, all batched records, and the record that
    /// `work` gives. When it fails, none of it happened and the chain stands where it stood.
    pub(super) fn transact<T>(
        &self,
        action: &str,
        work: impl FnOnce(&Transaction<'_>, u64) -> Result<(T, Option<Value>), ToolError>,
    ) -> Result<(T, LedgerHead), ToolError> {
        let now_ms = self.clock.unix_ms();
        let mut core = self.lock();
        core.set_full_sync(true)
            .map_err(|err| self.fail(action, &err))?;
        let Core {
            connection, chain, ..
        } = &mut *core;
        let (before, length) = (chain.hash, chain.sequence);
        let done = (|| {
            let transaction = begin(connection).map_err(|err| self.fail(action, &err))?;
            let (result, record) = work(&transaction, now_ms)?;
            if let Some(record) = record {
                chain.append(self.body(&record)?);
            }
            if chain.has_unwritten() {
                chain
                    .write_pending(&transaction)
                    .map_err(|err| self.fail(action, &err))?;
            }
            transaction
                .commit()
                .map_err(|err| self.fail(action, &err))?;
            Ok(result)
        })();
        match done {
            Ok(result) => {
                chain.written(None);
                Ok((result, chain.head()))
            }
            Err(err) => {
                if chain.sequence > length {
                    chain.take_back(before);
                }
                Err(err)
            }
        }
    }

    /// Writes what is batched.
    pub(super) fn flush(&self, core: &mut Core) -> Result<(), ToolError> {
        self.write(core, false)
    }

    /// Writes what is batched, and links the end of the chain.
    pub(super) fn finish(&self, core: &mut Core) -> Result<(), ToolError> {
        self.write(core, true)?;
        schema::shorten_log(&core.connection, &self.file);
        Ok(())
    }

    fn write(&self, core: &mut Core, link: bool) -> Result<(), ToolError> {
        let chain = &core.chain;
        let link = link && chain.sequence > 0 && chain.linked != Some(chain.sequence);
        if !chain.has_unwritten() && !link {
            return Ok(());
        }
        let done = core.set_full_sync(false).and_then(|()| {
            let chain = &core.chain;
            let transaction = begin(&core.connection)?;
            chain.write_pending(&transaction)?;
            if link {
                chain.write_link(&transaction, chain.sequence, &chain.hash)?;
            }
            transaction.commit()
        });
        done.map_err(|err| self.fail("write the audit", &err))?;
        core.chain.written(link.then_some(core.chain.sequence));
        Ok(())
    }

    /// What the state's thread does: waits for batched records, lets a few gather, writes them.
    pub(super) fn flush_until_closed(&self) {
        let mut core = self.lock();
        loop {
            core = self
                .wake
                .wait_while(core, |core| !core.closing && !core.chain.has_unwritten())
                .unwrap_or_else(PoisonError::into_inner);
            if core.closing {
                return;
            }
            core = self
                .wake
                .wait_timeout_while(core, BATCH_WAIT, |core| !core.closing)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            if self.flush(&mut core).is_err() {
                // They stay batched; the next call that needs the file, or `close`, reports what is wrong with it.
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

/// Begins a transaction that may write; waits for other processes.
fn begin(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    schema::patiently(|| Transaction::new_unchecked(connection, TransactionBehavior::Immediate))
}

/// A number nobody else has: the hasher's keys come from the operating system.
pub(super) fn chance() -> u64 {
    RandomState::new().build_hasher().finish()
}
