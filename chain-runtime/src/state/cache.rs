//! Results of pure calls, kept for later runs by a key that the runner makes.

use rusqlite::{OptionalExtension, Transaction, params};
use tool_core::{ToolError, Value, json};

use super::State;
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
        transaction
            .prepare_cached(
                "INSERT INTO cache(action_key, value, handle, tool, version, created_ms, used_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
                 ON CONFLICT(action_key) DO UPDATE SET value = excluded.value, handle = excluded.handle,
                    created_ms = excluded.created_ms, used_ms = excluded.used_ms",
            )?
            .execute(params![
                self.key,
                self.handle.hash.0,
                json::to_text(&self.handle.to_value()),
                self.tool,
                self.version,
                now_ms as i64
            ])?;
        Ok(())
    }
}

impl State {
    /// The kept result of a call; `None` also where its value is gone or damaged.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn cached(&self, key: &str) -> Result<Option<(Handle, Value)>, ToolError> {
        const SQL: &str = "SELECT handle, used_ms FROM cache WHERE action_key = ?";
        let mut core = self.shared.lock();
        let waiting = &core.chains.values.remembered;
        let waiting = waiting.iter().rev().find(|one| one.key == key);
        let handle = match waiting {
            Some(one) => Some(one.handle.clone()),
            None => {
                let found: Option<(String, i64)> = core
                    .connection
                    .prepare_cached(SQL)
                    .and_then(|mut query| {
                        query
                            .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
                            .optional()
                    })
                    .map_err(|err| self.shared.fail("read the cache", &err))?;
                let handle = found.as_ref().and_then(|(text, _)| {
                    Handle::from_value(&json::parse(text, json::Limits::default()).ok()?)
                });
                let used_ms = found.map_or(0, |(_, used_ms)| used_ms.unsigned_abs());
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
