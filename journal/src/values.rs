//! The values of runs: storing them as rows and files, and reading them by handle, by run and by role.

use registry::{ResultStore, WorkspaceId};
use rusqlite::{Params, Transaction, params};
use tool_core::{Result, Value, json, tool_error};

use super::folders::{self, IS_IN};
use super::ledger::LedgerShared;
use super::open::ChainTarget;
use super::scope::{OF_ANSWERS, OF_RUNS, OPERATOR, StateScope};
use super::sql;
use super::state::StateStore;
use super::waiting::{insert_small, insert_use};
use crate::artifacts::{self, ArtifactHandle, ArtifactHash, ArtifactKind, StoredForm};

/// Inserts the rows of a value and the reference of a run to it. Files are written afterwards, so that no collection removes them in
/// between.
pub(super) fn insert_value(
    transaction: &Transaction<'_>,
    run: &str,
    stored: &StoredForm,
    now_ms: u64,
) -> rusqlite::Result<()> {
    enter_value(transaction, stored, now_ms)?;
    insert_use(transaction, stored.handle.hash, run)
}

pub(super) fn enter_value(
    transaction: &Transaction<'_>,
    stored: &StoredForm,
    now_ms: u64,
) -> rusqlite::Result<()> {
    let whole = &stored.handle;
    let is_small = whole.kind == ArtifactKind::Small;
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
        sql::execute_statement(transaction, FILE, params)?;
        if handle.hash != whole.hash {
            sql::execute_statement(transaction, PART, params![handle.hash.0, whole.hash.0])?;
        }
    }
    Ok(())
}

impl LedgerShared {
    /// Stores a value for a run that this process executes.
    pub(super) fn put(&self, key: &str, value: &Value) -> Result<ArtifactHandle> {
        let stored = artifacts::encode_value(value, artifacts::least_of(value))?;
        let is_small = stored.handle.kind == ArtifactKind::Small && stored.blocks.is_empty();
        let handle = stored.handle.clone();
        if is_small {
            self.refer(key, &handle, stored.body)?;
            return Ok(handle);
        }
        let id = self.lock().chains.run(key)?.id.clone();
        self.change(
            ChainTarget::Run(key),
            "store a value",
            |transaction, now_ms| Ok(insert_value(transaction, &id, &stored, now_ms)?),
        )?;
        self.write_files(&stored)?;
        Ok(handle)
    }

    /// Adds a reference to a value, and with a body the value itself.
    fn refer(&self, key: &str, handle: &ArtifactHandle, body: Option<String>) -> Result<()> {
        let mut core = self.lock();
        self.make_room(&mut core)?;
        let id = core.chains.run(key)?.id.clone();
        core.chains.values.add(&id, handle.hash, body);
        self.wake(&core);
        Ok(())
    }

    pub(super) fn write_files(&self, stored: &StoredForm) -> Result<()> {
        for (handle, numbers) in &stored.blocks {
            self.folder.keep_block(handle, numbers)?;
        }
        match &stored.body {
            Some(body) => self.folder.keep_text(&stored.handle, body),
            None => Ok(()),
        }
    }

    /// Reads and verifies the value of a handle.
    pub(super) fn value(&self, handle: &ArtifactHandle) -> Result<Value> {
        let body = match handle.kind {
            ArtifactKind::Npy { .. } => return self.folder.block(handle),
            ArtifactKind::Json { .. } => String::from_utf8(self.folder.read(handle)?)
                .map_err(|_| artifacts::corrupt_artifact(handle.hash, "it is not UTF-8"))?,
            ArtifactKind::Small => self.small(handle.hash)?,
        };
        artifacts::decode_stored_form(&body, &mut |block| self.folder.block(block))
    }

    pub(super) fn small(&self, hash: ArtifactHash) -> Result<String> {
        if let Some(body) = self.lock().chains.values.small.get(&hash) {
            return Ok(body.clone());
        }
        let body: Option<String> = self.read("read a value", |connection| {
            const SQL: &str = "SELECT body FROM vals WHERE hash = ?";
            Ok(sql::first_row(connection, SQL, [hash.0])?)
        })?;
        artifacts::verify_body(hash, body)
    }
}

/// A large value and the runs that refer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredArtifact {
    /// Its handle: hash, size and shape.
    pub handle: ArtifactHandle,
    /// Time of its first creation, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// The runs that refer to it, oldest first, at most a hundred.
    pub runs: Vec<String>,
}

impl StateStore {
    /// Reads the value of a handle and verifies it against its hash.
    ///
    /// # Errors
    /// `artifact_missing` or `artifact_corrupt`.
    pub fn value(&self, handle: &ArtifactHandle) -> Result<Value> {
        self.shared.value(handle)
    }

    /// Reads and verifies the bytes of a handle: the file of an artifact, the stored form of a small value.
    ///
    /// # Errors
    /// As [`StateStore::value`].
    pub fn bytes(&self, handle: &ArtifactHandle) -> Result<Vec<u8>> {
        match handle.kind {
            ArtifactKind::Small => self.shared.small(handle.hash).map(String::into_bytes),
            _ => self.shared.folder.read(handle),
        }
    }

    /// Lists the newest artifacts of one run, or of all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn artifacts(&self, run: Option<&str>, count_max: usize) -> Result<Vec<StoredArtifact>> {
        const SQL: &str = "SELECT hash FROM artifacts WHERE ?1 IS NULL
                OR hash IN (SELECT value FROM uses WHERE run = ?1)
                OR hash IN (SELECT part FROM parts WHERE value IN (SELECT value FROM uses WHERE run = ?1))
             ORDER BY created_ms DESC, hash LIMIT ?2";
        self.listed(SQL, params![run, sql::row_limit(count_max)])
    }

    /// Lists the newest artifacts of the runs and answers of a folder; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn artifacts_of(
        &self,
        folder: &WorkspaceId,
        count_max: usize,
    ) -> Result<Vec<StoredArtifact>> {
        let sql = format!(
            "WITH own(value) AS (
                SELECT value FROM uses WHERE run IN (SELECT id FROM runs
                    WHERE who ->> '$.workspace.id' = ?1 OR who ->> '$.workspace.root' = ?2)
                UNION SELECT value FROM answers WHERE {IS_IN})
             SELECT hash FROM artifacts
             WHERE hash IN own OR hash IN (SELECT part FROM parts WHERE value IN own)
             ORDER BY created_ms DESC, hash LIMIT ?3"
        );
        let (id, root) = folders::folder_params(Some(folder));
        self.listed(&sql, params![id, root, sql::row_limit(count_max)])
    }

    /// Lists the newest artifacts that a caller sees; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn artifacts_in(
        &self,
        scope: &StateScope,
        count_max: usize,
    ) -> Result<Vec<StoredArtifact>> {
        let sql = format!(
            "WITH own(value) AS (
                SELECT value FROM uses WHERE run IN (SELECT id FROM runs WHERE {OF_RUNS})
                UNION SELECT value FROM answers WHERE {OF_ANSWERS})
             SELECT hash FROM artifacts
             WHERE hash IN own OR hash IN (SELECT part FROM parts WHERE value IN own)
             ORDER BY created_ms DESC, hash LIMIT ?5"
        );
        let (role, every, id, root) = scope.params();
        let limit = sql::row_limit(count_max);
        self.listed(&sql, params![role, every, id, root, limit])
    }

    fn listed(&self, sql: &str, params: impl Params) -> Result<Vec<StoredArtifact>> {
        self.flush()?;
        let hashes = self.shared.select("list the artifacts", sql, params)?;
        hashes.into_iter().map(|hash| self.artifact(hash)).collect()
    }

    /// Finds the artifact or small value of a hash, and the runs that refer to it.
    ///
    /// # Errors
    /// `artifact_missing` when there is none.
    pub fn artifact(&self, hash: ArtifactHash) -> Result<StoredArtifact> {
        const RUNS: &str = "SELECT id FROM runs WHERE id IN (SELECT run FROM uses WHERE value = ?1
                OR value IN (SELECT value FROM parts WHERE part = ?1)) ORDER BY rowid LIMIT 100";
        const FOUND: &str = "SELECT about, created_ms FROM artifacts WHERE hash = ?1
             UNION ALL SELECT NULL, created_ms FROM vals WHERE hash = ?1";
        self.flush()?;
        let found = self.shared.read("look for the artifact", |connection| {
            let found: Option<(Option<String>, u64)> = sql::first_row(connection, FOUND, [hash.0])?;
            let runs = sql::all_rows(connection, RUNS, [hash.0])?;
            Ok(found.map(|(about, created_ms)| (about, created_ms, runs)))
        })?;
        let (about, created_ms, runs) = found.ok_or_else(|| artifacts::missing_artifact(hash))?;
        let handle = match about {
            None => Some(ArtifactHandle::small(hash)),
            Some(about) => ArtifactHandle::parse(&about).filter(|handle| handle.hash == hash),
        };
        Ok(StoredArtifact {
            handle: handle
                .ok_or_else(|| artifacts::corrupt_artifact(hash, "its row was changed"))?,
            created_ms,
            runs,
        })
    }

    /// The handle of a value, if it is stored.
    pub fn handle_of(&self, value: &Value) -> Option<ArtifactHandle> {
        let handle = artifacts::encode_value(value, artifacts::least_of(value))
            .ok()?
            .handle;
        self.artifact(handle.hash).ok().map(|found| found.handle)
    }

    /// Finds the artifact that a text names: `b3:` and the digits, or a unique prefix of them.
    ///
    /// # Errors
    /// `invalid_args` for a text that matches none or several.
    pub fn artifact_named(&self, text: &str) -> Result<StoredArtifact> {
        const SQL: &str = "SELECT hash FROM (SELECT hash FROM artifacts UNION SELECT hash FROM vals)
             WHERE hash >= ?1 AND substr(lower(hex(hash)), 1, length(?2)) = ?2 ORDER BY hash LIMIT 2";
        const DIGITS_LEAST: usize = 4;
        if let Ok(hash) = ArtifactHash::parse(text) {
            return self.artifact(hash);
        }
        let digits = text.strip_prefix("b3:").unwrap_or(text);
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if digits.len() < DIGITS_LEAST || !hex {
            return ArtifactHash::parse(text).and_then(|hash| self.artifact(hash));
        }
        self.flush()?;
        let digits = digits.to_ascii_lowercase();
        let pairs = digits.as_bytes().chunks_exact(2);
        let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let first: Vec<u8> = pairs.filter_map(byte).collect();
        let params = params![first, digits];
        let found: Vec<ArtifactHash> = self.shared.select("look for the artifact", SQL, params)?;
        match found.as_slice() {
            [hash] => self.artifact(*hash),
            several => {
                let count = if several.is_empty() { "no" } else { "several" };
                Err(tool_error!(InvalidArgs, "handle";
                    "`{text}` is a prefix of {count} artifacts";
                    "`mathchain artifacts list` shows handles"))
            }
        }
    }

    /// Opens a value for a caller with this role in the workspace of this process.
    ///
    /// # Errors
    /// As [`StateStore::open_in`].
    pub fn open_for(&self, role: &str, name: &str, bytes_max: u64) -> Result<Value> {
        let scope = match self.shared.folder_of_calls() {
            Some(workspace) => StateScope::new(Some(workspace.clone()), role),
            None => StateScope::role(role),
        };
        self.open_in(&scope, name, bytes_max)
    }

    /// Opens a value for a caller: a run or an answer that the caller sees must refer to it. A handle is a name, not a permission.
    ///
    /// # Errors
    /// `policy_denied` with reason `artifact_role`, `limit_exceeded` above `bytes_max`, and as [`StateStore::value`].
    pub fn open_in(&self, scope: &StateScope, name: &str, bytes_max: u64) -> Result<Value> {
        let found = self.artifact_in(scope, name)?;
        let hash = found.handle.hash;
        let bytes = found
            .handle
            .bytes()
            .saturating_add(self.bytes_of_parts(hash)?);
        if bytes > bytes_max {
            return Err(tool_error!(LimitExceeded, "artifact_size";
                "the artifact `{hash}` has {bytes} bytes; the limit is {bytes_max}";
                "raise `limits.max_input_bytes`"));
        }
        self.value(&found.handle)
    }

    /// Size of the files that a value refers to, in bytes.
    fn bytes_of_parts(&self, hash: ArtifactHash) -> Result<u64> {
        const SQL: &str = "SELECT coalesce(sum(bytes), 0) FROM artifacts
             WHERE hash IN (SELECT part FROM parts WHERE value = ?)";
        self.shared.read("measure the artifact", |connection| {
            Ok(sql::first_row(connection, SQL, [hash.0])?.unwrap_or(0))
        })
    }

    /// Finds an artifact for who asks, as [`StateStore::open_in`].
    pub(super) fn artifact_in(&self, scope: &StateScope, name: &str) -> Result<StoredArtifact> {
        let sql = format!(
            "SELECT 1 WHERE EXISTS(SELECT 1 FROM uses JOIN runs ON runs.id = uses.run
             WHERE {OF_RUNS} AND (uses.value = ?5 OR uses.value IN (SELECT value FROM parts WHERE part = ?5)))
             OR EXISTS(SELECT 1 FROM answers
             WHERE {OF_ANSWERS} AND (value = ?5 OR value IN (SELECT value FROM parts WHERE part = ?5)))"
        );
        let hash = ArtifactHash::parse(name)?;
        self.flush()?;
        let is_allowed = self.shared.read("look for the artifact", |connection| {
            let (role, every, id, root) = scope.params();
            let params = params![role, every, id, root, hash.0];
            Ok(scope.is_everything() || sql::row_exists(connection, &sql, params)?)
        })?;
        if !is_allowed {
            // The same error whether or not it exists, so that nothing is revealed about the values of other roles.
            let role = scope.of_role().unwrap_or(OPERATOR);
            return Err(tool_error!(PolicyDenied, "artifact_role";
                "nothing that role `{role}` ran in this workspace made the artifact `{hash}`";
                "an artifact is opened in its workspace, by the role whose run or call made it or by the operator"));
        }
        self.artifact(hash)
    }
}

impl ResultStore for StateStore {
    fn keep(&self, call_id: &str, role: &str, value: &Value) -> Result<Value> {
        const SQL: &str = "INSERT OR IGNORE INTO answers(value, call, role, created_ms, folder) VALUES (?, ?, ?, ?, ?)";
        let shared = &self.shared;
        let stored = artifacts::encode_value(value, artifacts::least_of(value))?;
        shared.change(ChainTarget::Own, "store a result", |transaction, now_ms| {
            enter_value(transaction, &stored, now_ms)?;
            let folder = folders::folder_number(transaction, shared.folder_of_calls())?;
            let hash = stored.handle.hash.0;
            let params = params![hash, call_id, role, now_ms as i64, folder];
            Ok(sql::execute_statement(transaction, SQL, params).map(drop)?)
        })?;
        shared.write_files(&stored)?;
        Ok(stored.handle.to_value())
    }
}
