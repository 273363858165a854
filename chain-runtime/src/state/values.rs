//! The values that runs refer to: rows of small ones, the index of files, who refers to what.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Transaction, params};
use tool_core::{ErrorCode, ToolError, Value, json};

use super::State;
use super::cache::Remembered;
use super::ledger::{How, Shared, Target};
use crate::artifacts::{self, ArtifactHash, Handle, Kind, Stored};

/// The role that may open what any run made.
pub const OPERATOR: &str = "operator";

/// A large value, and who made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Its name, with what a reader wants to know.
    pub handle: Handle,
    /// When it was first made, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// The runs that refer to it, oldest first, at most a hundred.
    pub runs: Vec<String>,
}

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
    insert_use(transaction, whole.hash, run)
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

    fn small(&self, hash: ArtifactHash) -> Result<String, ToolError> {
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

impl State {
    /// The value that a handle names, verified against its hash.
    ///
    /// # Errors
    /// `artifact_missing` or `artifact_corrupt`.
    pub fn value(&self, handle: &Handle) -> Result<Value, ToolError> {
        self.shared.value(handle)
    }

    /// The bytes that a handle names, verified: of an artifact its file, of a small value its stored form.
    ///
    /// # Errors
    /// As [`State::value`].
    pub fn bytes(&self, handle: &Handle) -> Result<Vec<u8>, ToolError> {
        match handle.kind {
            Kind::Small => self.shared.small(handle.hash).map(String::into_bytes),
            _ => self.shared.folder.read(handle),
        }
    }

    /// The newest artifacts, newest first: of one run, or of all.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn artifacts(
        &self,
        run: Option<&str>,
        count_max: usize,
    ) -> Result<Vec<Artifact>, ToolError> {
        const SQL: &str = "SELECT hash FROM artifacts WHERE ?1 IS NULL
                OR hash IN (SELECT value FROM uses WHERE run = ?1)
                OR hash IN (SELECT part FROM parts WHERE value IN (SELECT value FROM uses WHERE run = ?1))
             ORDER BY created_ms DESC, hash LIMIT ?2";
        self.flush()?;
        let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
        let core = self.shared.lock();
        let hashes = core.connection.prepare_cached(SQL).and_then(|mut query| {
            query
                .query_map(params![run, limit], |row| row.get(0).map(ArtifactHash))?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        drop(core);
        hashes
            .map_err(|err| self.shared.fail("list the artifacts", &err))?
            .into_iter()
            .map(|hash| self.artifact(hash))
            .collect()
    }

    /// The artifact or small value of a hash, and the runs that refer to it.
    ///
    /// # Errors
    /// `artifact_missing` when there is none.
    pub fn artifact(&self, hash: ArtifactHash) -> Result<Artifact, ToolError> {
        const RUNS: &str = "SELECT id FROM runs WHERE id IN (SELECT run FROM uses WHERE value = ?1
                OR value IN (SELECT value FROM parts WHERE part = ?1)) ORDER BY rowid LIMIT 100";
        self.flush()?;
        let core = self.shared.lock();
        let found = || -> rusqlite::Result<Option<(Option<String>, i64, Vec<String>)>> {
            let about = core
                .connection
                .prepare_cached("SELECT about, created_ms FROM artifacts WHERE hash = ?")?
                .query_row([hash.0], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let small = || {
                core.connection
                    .prepare_cached("SELECT NULL, created_ms FROM vals WHERE hash = ?")?
                    .query_row([hash.0], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            };
            let Some((about, created_ms)) = about.map_or_else(small, |about| Ok(Some(about)))?
            else {
                return Ok(None);
            };
            let runs = core
                .connection
                .prepare_cached(RUNS)?
                .query_map([hash.0], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Some((about, created_ms, runs)))
        };
        let found = found().map_err(|err| self.shared.fail("look for the artifact", &err))?;
        let (about, created_ms, runs) = found.ok_or_else(|| artifacts::missing(hash))?;
        let handle = match about {
            None => Some(Handle {
                hash,
                kind: Kind::Small,
            }),
            Some(about) => json::parse(&about, json::Limits::default())
                .ok()
                .and_then(|about| Handle::from_value(&about))
                .filter(|handle| handle.hash == hash),
        };
        Ok(Artifact {
            handle: handle.ok_or_else(|| artifacts::corrupt(hash, "its row was changed"))?,
            created_ms: created_ms.unsigned_abs(),
            runs,
        })
    }

    /// The handle that a text names: `b3:` and the digits, or any unique beginning of them.
    ///
    /// # Errors
    /// `invalid_args` for what names none or several.
    pub fn artifact_named(&self, text: &str) -> Result<Artifact, ToolError> {
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
        let first: Vec<u8> = digits.as_bytes()[..digits.len() / 2 * 2]
            .chunks(2)
            .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let core = self.shared.lock();
        let found = core.connection.prepare_cached(SQL).and_then(|mut query| {
            query
                .query_map(params![first, digits], |row| row.get(0).map(ArtifactHash))?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        drop(core);
        let found = found.map_err(|err| self.shared.fail("look for the artifact", &err))?;
        match found.as_slice() {
            [hash] => self.artifact(*hash),
            several => Err(ToolError::new(
                ErrorCode::InvalidArgs,
                if several.is_empty() {
                    format!("no artifact begins with `{text}`")
                } else {
                    format!("several artifacts begin with `{text}`")
                },
            )
            .reason("handle")
            .hint("`mathchain artifacts list` shows handles")),
        }
    }

    /// The value that a handle names, for a caller with this role: it must be one of a run of that role, or the caller the
    /// operator. A handle is a name, not a permission.
    ///
    /// # Errors
    /// `policy_denied` with reason `artifact_role`, `limit_exceeded` above `bytes_max`, and as [`State::value`].
    pub fn open_for(&self, role: &str, name: &str, bytes_max: u64) -> Result<Value, ToolError> {
        const SQL: &str = "SELECT EXISTS(SELECT 1 FROM uses JOIN runs ON runs.id = uses.run
             WHERE runs.role = ?2 AND (uses.value = ?1 OR uses.value IN (SELECT value FROM parts WHERE part = ?1)))";
        let hash = ArtifactHash::parse(name)?;
        self.flush()?;
        let allowed = role == OPERATOR
            || self
                .shared
                .lock()
                .connection
                .prepare_cached(SQL)
                .and_then(|mut query| query.query_row(params![hash.0, role], |row| row.get(0)))
                .map_err(|err| self.shared.fail("look for the artifact", &err))?;
        if !allowed {
            // The same whether it exists or not: what others made is not to be found out.
            return Err(ToolError::new(
                ErrorCode::PolicyDenied,
                format_args!("no run of role `{role}` made the artifact `{hash}`"),
            )
            .reason("artifact_role")
            .hint("an artifact is opened by the role whose run made it, or by the operator"));
        }
        let found = self.artifact(hash)?;
        if found.handle.bytes() > bytes_max {
            return Err(ToolError::new(
                ErrorCode::LimitExceeded,
                format_args!(
                    "the artifact `{hash}` has {} bytes; the limit is {bytes_max}",
                    found.handle.bytes()
                ),
            )
            .reason("artifact_size")
            .hint("raise `limits.max_input_bytes`"));
        }
        self.value(&found.handle)
    }
}
