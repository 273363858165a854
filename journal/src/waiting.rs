//! Batched values, references and cached results, and their rows.

use std::collections::HashMap;

use rusqlite::{Transaction, params};
use tool_core::json;

use super::{packs, sql};
use crate::artifacts::{ArtifactHandle, ArtifactHash};

/// Values and references that are not in the file yet.
#[derive(Default)]
pub(super) struct WriteBuffer {
    pub(super) small: HashMap<ArtifactHash, String>,
    uses: Vec<(ArtifactHash, String)>,
    pub(super) remembered: Vec<CacheEntry>,
    /// Keys of cached results whose time of use is to be updated.
    pub(super) used: Vec<String>,
    bytes: usize,
}

impl WriteBuffer {
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

    pub(super) fn add(&mut self, run: &str, hash: ArtifactHash, body: Option<String>) {
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
            const SQL: &str = "UPDATE cache SET used_ms = ? WHERE action_key = ?";
            sql::execute_statement(transaction, SQL, params![now_ms as i64, key])?;
        }
        Ok(())
    }
}

pub(super) fn insert_small(
    transaction: &Transaction<'_>,
    hash: ArtifactHash,
    body: &str,
    now_ms: u64,
) -> rusqlite::Result<()> {
    // A different body under the same hash is damaged.
    const SQL: &str = "INSERT INTO vals(hash, body, created_ms) VALUES (?, ?, ?)
         ON CONFLICT(hash) DO UPDATE SET body = excluded.body WHERE body <> excluded.body";
    let body = packs::to_stored_text(body);
    sql::execute_statement(transaction, SQL, params![hash.0, body, now_ms as i64]).map(drop)
}

pub(super) fn insert_use(
    transaction: &Transaction<'_>,
    hash: ArtifactHash,
    run: &str,
) -> rusqlite::Result<()> {
    const SQL: &str = "INSERT OR IGNORE INTO uses(value, run) VALUES (?, ?)";
    sql::execute_statement(transaction, SQL, params![hash.0, run]).map(drop)
}

/// A result to be cached.
pub(super) struct CacheEntry {
    pub(super) key: String,
    pub(super) handle: ArtifactHandle,
    pub(super) tool: String,
    pub(super) version: u32,
}

impl CacheEntry {
    fn write(&self, transaction: &Transaction<'_>, now_ms: u64) -> rusqlite::Result<()> {
        const SQL: &str = "INSERT INTO cache(action_key, value, handle, tool, version, created_ms, used_ms, bound) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
             ON CONFLICT(action_key) DO UPDATE SET value = excluded.value, handle = excluded.handle, bound = excluded.bound,
                created_ms = excluded.created_ms, used_ms = excluded.used_ms";
        let handle = json::to_text(&self.handle.to_value());
        let (hash, now_ms) = (self.handle.hash.0, now_ms as i64);
        let bound = binding_hash(&self.key, &hash, &handle);
        let params = params![
            self.key,
            hash,
            handle,
            self.tool,
            self.version,
            now_ms,
            bound
        ];
        sql::execute_statement(transaction, SQL, params).map(drop)
    }
}

/// Binds a cached result to its key, so that no other result is taken for it. This detects damage and careless edits, not an
/// attacker who recomputes it.
pub(super) fn binding_hash(key: &str, value: &[u8], handle: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in [
        b"mc-kept-v1".as_slice(),
        key.as_bytes(),
        value,
        handle.as_bytes(),
    ] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}
