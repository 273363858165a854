//! The values that are kept, as readers see them: by name, by run, and by role.

use rusqlite::{OptionalExtension, params};
use tool_core::{ErrorCode, ToolError, Value, json};

use super::State;
use crate::artifacts::{self, ArtifactHash, Handle, Kind};

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

/// A value as the tables have it.
struct Found {
    /// The handle of a file; `None` for a small value.
    about: Option<String>,
    created_ms: i64,
    runs: Vec<String>,
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
        let found = || -> rusqlite::Result<Option<Found>> {
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
            Ok(Some(Found {
                about,
                created_ms,
                runs,
            }))
        };
        let found = found().map_err(|err| self.shared.fail("look for the artifact", &err))?;
        let found = found.ok_or_else(|| artifacts::missing(hash))?;
        let handle = match found.about {
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
            created_ms: found.created_ms.unsigned_abs(),
            runs: found.runs,
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
             WHERE runs.role = ?2 AND (uses.value = ?1 OR uses.value IN (SELECT value FROM parts WHERE part = ?1)))
             OR EXISTS(SELECT 1 FROM answers
             WHERE role = ?2 AND (value = ?1 OR value IN (SELECT value FROM parts WHERE part = ?1)))";
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
