//! Keeping the values that runs refer to: rows of small ones, the index of files, who refers to what.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Transaction, params};
use tool_core::{ToolError, Value, json};

use super::cache::Remembered;
use super::ledger::{How, Shared};
use super::open::Target;
use crate::artifacts::{self, ArtifactHash, Handle, Kind, Stored};

/// What is not in the file yet.
#[derive(Default)]
pub(super) struct Waiting {
    small: HashMap<ArtifactHash, String>,
    uses: Vec<(ArtifactHash, String)>,
    pub(super) remembered: Vec<Remembered>,
    /// Keys of the cache that were used again.
    pub(super) used: Vec<String>,
    bytes: usize,
}

impl Waiting {
    pub(super) fn len(&self) -> usize {
        self.uses.len() + self.remembered.len() + self.used.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn clear(&mut self) {
        self.small.clear();
        self.uses.clear();
        self.remembered.clear();
        self.used.clear();
        self.bytes = 0;
    }

    fn add(&mut self, run: &str, hash: ArtifactHash, body: Option<String>) {
        if let Some(body) = body {
            self.bytes += body.len();
            self.small.insert(hash, body);
        }
        self.uses.push((hash, run.to_owned()));
    }

    pub(super) fn write(&self, transaction: &Transaction<'_>, now_ms: u64) -> rusqlite::Result<()> {
        for (hash, body) in &self.small {
            insert_small(transaction, *hash, body, now_ms)?;
        }
        for (hash, run) in &self.uses {
            insert_use(transaction, *hash, run)?;
        }
        for one in &self.remembered {
            one.write(transaction, now_ms)?;
        }
        for key in &self.used {
            transaction
                .prepare_cached("UPDATE cache SET used_ms = ? WHERE action_key = ?")?
                .execute(params![now_ms as i64, key])?;
        }
        Ok(())
    }
}

fn insert_small(
    transaction: &Transaction<'_>,
    hash: ArtifactHash,
    body: &str,
    now_ms: u64,
) -> rusqlite::Result<()> {
    // What is there under this hash and differs is damaged.
    transaction
        .prepare_cached(
            "INSERT INTO vals(hash, body, created_ms) VALUES (?, ?, ?)
             ON CONFLICT(hash) DO UPDATE SET body = excluded.body WHERE body <> excluded.body",
        )?
        .execute(params![hash.0, body, now_ms as i64])?;
    Ok(())
}

fn insert_use(
    transaction: &Transaction<'_>,
    hash: ArtifactHash,
    run: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR IGNORE INTO uses(value, run) VALUES (?, ?)")?
        .execute(params![hash.0, run])?;
    Ok(())
}

/// Enters a value and that a run refers to it. The files are written afterwards: what is entered is never collected between.
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
        transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO artifacts(hash, about, bytes, created_ms) VALUES (?, ?, ?, ?)",
            )?
            .execute(params![
                handle.hash.0,
                json::to_text(&handle.to_value()),
                handle.bytes() as i64,
                now_ms as i64
            ])?;
        if handle.hash != whole.hash {
            transaction
                .prepare_cached("INSERT OR IGNORE INTO parts(part, value) VALUES (?, ?)")?
                .execute(params![handle.hash.0, whole.hash.0])?;
        }
    }
    Ok(())
}

impl Shared {
    /// Keeps a value for a run that is written here.
    pub(super) fn put(&self, key: &str, value: &Value) -> Result<Handle, ToolError> {
        let stored = artifacts::stored(value, self.artifact_bytes())?;
        let is_small = stored.handle.kind == Kind::Small && stored.blocks.is_empty();
        let handle = stored.handle.clone();
        if is_small {
            self.refer(key, &handle, stored.body)?;
            return Ok(handle);
        }
        const ACTION: &str = "keep a value";
        let id = self.lock().chains.run(key)?.id.clone();
        self.transact_on(
            Target::Run(key),
            How::QUICK,
            ACTION,
            |transaction, now_ms| {
                enter(transaction, &id, &stored, now_ms).map_err(|err| self.fail(ACTION, &err))?;
                Ok(((), None))
            },
        )?;
        self.write_files(&stored)?;
        Ok(handle)
    }

    /// Enters that a run refers to a value which another one made. Whether it is there is looked at in the same transaction, so
    /// that it cannot be collected between.
    pub(super) fn refer_to(&self, key: &str, handle: &Handle) -> Result<(), ToolError> {
        const ACTION: &str = "refer to a value";
        const SQL: &str = "SELECT EXISTS(SELECT 1 FROM vals WHERE hash = ?1) OR EXISTS(SELECT 1 FROM artifacts WHERE hash = ?1)";
        if handle.kind == Kind::Small {
            let body = self.small(handle.hash)?;
            // Without blocks it is all there is: writing it once more costs less than a transaction.
            if !body.contains(artifacts::FILE_KEY) {
                return self.refer(key, handle, Some(body));
            }
        }
        let id = self.lock().chains.run(key)?.id.clone();
        self.transact_on(Target::Run(key), How::QUICK, ACTION, |transaction, _| {
            let fail = |err: rusqlite::Error| self.fail(ACTION, &err);
            let is_there: bool = transaction
                .prepare_cached(SQL)
                .and_then(|mut query| query.query_row([handle.hash.0], |row| row.get(0)))
                .map_err(fail)?;
            if !is_there {
                return Err(artifacts::missing(handle.hash));
            }
            insert_use(transaction, handle.hash, &id).map_err(fail)?;
            Ok(((), None))
        })?;
        Ok(())
    }

    /// Enters that a run refers to a value; with its body, also the value.
    fn refer(&self, key: &str, handle: &Handle, body: Option<String>) -> Result<(), ToolError> {
        let mut core = self.lock();
        self.make_room(&mut core)?;
        let id = core.chains.run(key)?.id.clone();
        core.chains.values.add(&id, handle.hash, body);
        self.wake(&core);
        Ok(())
    }

    pub(super) fn write_files(&self, stored: &Stored) -> Result<(), ToolError> {
        for (handle, numbers) in &stored.blocks {
            self.folder.keep_block(handle, numbers)?;
        }
        match &stored.body {
            Some(body) => self.folder.keep_text(&stored.handle, body),
            None => Ok(()),
        }
    }

    /// The value that a handle names, verified.
    pub(super) fn value(&self, handle: &Handle) -> Result<Value, ToolError> {
        let body = match handle.kind {
            Kind::Npy { .. } => return self.folder.block(handle),
            Kind::Json { .. } => String::from_utf8(self.folder.read(handle)?)
                .map_err(|_| artifacts::corrupt(handle.hash, "it is no text"))?,
            Kind::Small => self.small(handle.hash)?,
        };
        artifacts::load(&body, &mut |block| self.folder.block(block))
    }

    pub(super) fn small(&self, hash: ArtifactHash) -> Result<String, ToolError> {
        let core = self.lock();
        if let Some(body) = core.chains.values.small.get(&hash) {
            return Ok(body.clone());
        }
        let body: Option<String> = core
            .connection
            .prepare_cached("SELECT body FROM vals WHERE hash = ?")
            .and_then(|mut query| query.query_row([hash.0], |row| row.get(0)).optional())
            .map_err(|err| self.fail("read a value", &err))?;
        drop(core);
        let body = body.ok_or_else(|| artifacts::missing(hash))?;
        if ArtifactHash::of(body.as_bytes()) == hash {
            Ok(body)
        } else {
            Err(artifacts::corrupt(
                hash,
                "its content is not what was written",
            ))
        }
    }
}
