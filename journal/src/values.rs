//! Storing the values that runs refer to: rows of small values, the index of files, and the references.

use rusqlite::{Transaction, params};
use tool_core::{Result, Value, json};

use super::ledger::{How, Shared};
use super::open::Target;
use super::sql;
use super::waiting::{insert_small, insert_use};
use crate::artifacts::{self, ArtifactHash, Handle, Kind, Stored};

/// Inserts the rows of a value and the reference of a run to it. Files are written afterwards, so that no collection removes them in
/// between.
pub(super) fn enter(
    transaction: &Transaction<'_>,
    run: &str,
    stored: &Stored,
    now_ms: u64,
) -> rusqlite::Result<()> {
    enter_value(transaction, stored, now_ms)?;
    insert_use(transaction, stored.handle.hash, run)
}

pub(super) fn enter_value(
    transaction: &Transaction<'_>,
    stored: &Stored,
    now_ms: u64,
) -> rusqlite::Result<()> {
    let whole = &stored.handle;
    let is_small = whole.kind == Kind::Small;
    if let (true, Some(body)) = (is_small, &stored.body) {
        insert_small(transaction, whole.hash, body, now_ms)?;
    }
    let files = stored.blocks.iter().map(|(handle, _)| handle);
    for handle in files.chain((!is_small).then_some(whole)) {
        const FILE: &str =
            "INSERT OR IGNORE INTO artifacts(hash, about, bytes, created_ms) VALUES (?, ?, ?, ?)";
        const PART: &str = "INSERT OR IGNORE INTO parts(part, value) VALUES (?, ?)";
        let about = json::to_text(&handle.to_value());
        let params = params![handle.hash.0, about, handle.bytes() as i64, now_ms as i64];
        sql::execute(transaction, FILE, params)?;
        if handle.hash != whole.hash {
            sql::execute(transaction, PART, params![handle.hash.0, whole.hash.0])?;
        }
    }
    Ok(())
}

impl Shared {
    /// Stores a value for a run that this process executes.
    pub(super) fn put(&self, key: &str, value: &Value) -> Result<Handle> {
        let stored = artifacts::stored(value, self.artifact_bytes())?;
        let is_small = stored.handle.kind == Kind::Small && stored.blocks.is_empty();
        let handle = stored.handle.clone();
        if is_small {
            self.refer(key, &handle, stored.body)?;
            return Ok(handle);
        }
        let id = self.lock().chains.run(key)?.id.clone();
        let target = Target::Run(key);
        self.transact_on(
            target,
            How::QUICK,
            "store a value",
            |transaction, now_ms| {
                enter(transaction, &id, &stored, now_ms)?;
                Ok(((), None))
            },
        )?;
        self.write_files(&stored)?;
        Ok(handle)
    }

    /// Adds a reference of a run to a value of another run. The same transaction checks that the value exists, so that it cannot be
    /// collected in between.
    pub(super) fn refer_to(&self, key: &str, handle: &Handle) -> Result<()> {
        const SQL: &str =
            "SELECT 1 FROM vals WHERE hash = ?1 UNION ALL SELECT 1 FROM artifacts WHERE hash = ?1";
        if handle.kind == Kind::Small {
            let body = self.small(handle.hash)?;
            // Without blocks this is the whole value: writing it again costs less than a transaction.
            if !body.contains(artifacts::FILE_KEY) {
                return self.refer(key, handle, Some(body));
            }
        }
        let id = self.lock().chains.run(key)?.id.clone();
        self.transact_on(
            Target::Run(key),
            How::QUICK,
            "refer to a value",
            |transaction, _| {
                if !sql::exists(transaction, SQL, [handle.hash.0])? {
                    return Err(artifacts::missing(handle.hash).into());
                }
                insert_use(transaction, handle.hash, &id)?;
                Ok(((), None))
            },
        )?;
        Ok(())
    }

    /// Adds a reference to a value, and with a body the value itself.
    fn refer(&self, key: &str, handle: &Handle, body: Option<String>) -> Result<()> {
        let mut core = self.lock();
        self.make_room(&mut core)?;
        let id = core.chains.run(key)?.id.clone();
        core.chains.values.add(&id, handle.hash, body);
        self.wake(&core);
        Ok(())
    }

    pub(super) fn write_files(&self, stored: &Stored) -> Result<()> {
        for (handle, numbers) in &stored.blocks {
            self.folder.keep_block(handle, numbers)?;
        }
        match &stored.body {
            Some(body) => self.folder.keep_text(&stored.handle, body),
            None => Ok(()),
        }
    }

    /// Reads and verifies the value of a handle.
    pub(super) fn value(&self, handle: &Handle) -> Result<Value> {
        let body = match handle.kind {
            Kind::Npy { .. } => return self.folder.block(handle),
            Kind::Json { .. } => String::from_utf8(self.folder.read(handle)?)
                .map_err(|_| artifacts::corrupt(handle.hash, "it is not UTF-8"))?,
            Kind::Small => self.small(handle.hash)?,
        };
        artifacts::load(&body, &mut |block| self.folder.block(block))
    }

    pub(super) fn small(&self, hash: ArtifactHash) -> Result<String> {
        if let Some(body) = self.lock().chains.values.small.get(&hash) {
            return Ok(body.clone());
        }
        let body: Option<String> = self.read("read a value", |connection| {
            const SQL: &str = "SELECT body FROM vals WHERE hash = ?";
            Ok(sql::row(connection, SQL, [hash.0])?)
        })?;
        artifacts::verified(hash, body)
    }
}
