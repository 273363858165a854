//! Results of pure calls, kept for later runs by a key that the runner makes.

use rusqlite::{OptionalExtension, Row, Transaction, params};
use tool_core::{ToolError, Value, json};

use super::State;
use super::audit::text_at;
use crate::artifacts::Handle;

/// How old the note of a use becomes before another is written.
const USE_MS: u64 = 3_600_000;

/// A result to be kept.
pub(super) struct Remembered {
    key: String,
    handle: Handle,
    tool: String,
    version: u32,
}

impl Remembered {
    pub(super) fn write(&self, transaction: &Transaction<'_>, now_ms: u64) -> rusqlite::Result<()> {
        let handle = json::to_text(&self.handle.to_value());
        transaction
            .prepare_cached(
                "INSERT INTO cache(action_key, value, handle, tool, version, created_ms, used_ms, bound) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
                 ON CONFLICT(action_key) DO UPDATE SET value = excluded.value, handle = excluded.handle, bound = excluded.bound,
                    created_ms = excluded.created_ms, used_ms = excluded.used_ms",
            )?
            .execute(params![
                self.key,
                self.handle.hash.0,
                handle,
                self.tool,
                self.version,
                now_ms as i64,
                bound(&self.key, &self.handle.hash.0, &handle),
            ])?;
        Ok(())
    }
}

/// Binds a kept result to its key, so that no other result is taken for it. It keeps out damage and what was changed without care, not somebody
/// who computes it anew.
fn bound(key: &str, value: &[u8], handle: &str) -> [u8; 32] {
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

/// A kept result as its row has it.
pub(super) struct Kept {
    pub(super) key: String,
    /// `None` where the row is not as it was written.
    pub(super) handle: Option<Handle>,
    used_ms: u64,
}

impl Kept {
    pub(super) const COLUMNS: &str = "action_key, value, handle, bound, used_ms";

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (key, handle) = (text_at(row, 0)?, text_at(row, 2)?);
        let value = row.get_ref(1)?.as_blob().unwrap_or_default();
        let found = row.get_ref(3)?.as_blob().unwrap_or_default();
        let sound = found == bound(&key, value, &handle);
        let named = || Handle::from_value(&json::parse(&handle, json::Limits::default()).ok()?);
        let handle = sound.then(named).flatten();
        Ok(Self {
            handle: handle.filter(|handle| handle.hash.0 == value),
            key,
            used_ms: row.get::<_, i64>(4)?.unsigned_abs(),
        })
    }
}

impl State {
    /// The kept result of a call; `None` also where its row was changed, or its value is gone or damaged.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn cached(&self, key: &str) -> Result<Option<(Handle, Value)>, ToolError> {
        let mut core = self.shared.lock();
        let waiting = &core.chains.values.remembered;
        let waiting = waiting.iter().rev().find(|one| one.key == key);
        let handle = match waiting {
            Some(one) => Some(one.handle.clone()),
            None => {
                let sql = format!("SELECT {} FROM cache WHERE action_key = ?", Kept::COLUMNS);
                let found = core
                    .connection
                    .prepare_cached(&sql)
                    .and_then(|mut query| query.query_row([key], Kept::read).optional())
                    .map_err(|err| self.shared.fail("read the cache", &err))?;
                let used_ms = found.as_ref().map_or(0, |found| found.used_ms);
                let handle = found.and_then(|found| found.handle);
                let now_ms = self.shared.clock.unix_ms();
                if handle.is_some() && now_ms.abs_diff(used_ms) > USE_MS {
                    core.chains.values.used.push(key.to_owned());
                    self.shared.wake(&core);
                }
                handle
            }
        };
        drop(core);
        Ok(handle.and_then(|handle| {
            let value = self.value(&handle).ok()?;
            Some((handle, value))
        }))
    }

    /// Keeps the result of a call. It is written with the next records; a result that is lost is computed again.
    ///
    /// # Errors
    /// `tool_error` when what waits could not be written.
    pub fn remember(
        &self,
        key: &str,
        handle: &Handle,
        tool: &str,
        version: u32,
    ) -> Result<(), ToolError> {
        let mut core = self.shared.lock();
        self.shared.make_room(&mut core)?;
        core.chains.values.remembered.push(Remembered {
            key: key.to_owned(),
            handle: handle.clone(),
            tool: tool.to_owned(),
            version,
        });
        self.shared.wake(&core);
        drop(core);
        self.start_flusher();
        Ok(())
    }
}
