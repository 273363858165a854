//! The cache: results of pure calls for later runs, by a key that the runner computes.

use rusqlite::Row;
use tool_core::{Result, Value};

use super::sql::{self, SqlColumns, column_value};
use super::state::StateStore;
use super::waiting::{CacheEntry, binding_hash};
use crate::artifacts::ArtifactHandle;

/// The interval between updates of the time of use.
const USE_MS: u64 = 3_600_000;

/// A row of the cache.
pub(super) struct CacheRow {
    pub(super) key: String,
    /// `None` for a row that was changed.
    pub(super) handle: Option<ArtifactHandle>,
    used_ms: u64,
}

impl CacheRow {
    pub(super) const COLUMNS: &str = "action_key, handle, used_ms, value, bound";
}

impl SqlColumns for CacheRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (key, handle, used_ms) = <(String, String, u64)>::read(row)?;
        let (value, found): (Vec<u8>, Vec<u8>) = (column_value(row, 3)?, column_value(row, 4)?);
        let is_sound = found == binding_hash(&key, &value, &handle);
        let handle = ArtifactHandle::parse(&handle)
            .filter(|handle| is_sound && handle.hash.0.as_slice() == value);
        Ok(Self {
            key,
            handle,
            used_ms,
        })
    }
}

impl StateStore {
    /// Looks up the cached result of a call; `None` also for a changed row and a missing or damaged value.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn cached(&self, key: &str) -> Result<Option<(ArtifactHandle, Value)>> {
        let mut core = self.shared.lock();
        let waiting = &core.chains.values.remembered;
        let waiting = waiting.iter().rev().find(|one| one.key == key);
        let handle = match waiting {
            Some(one) => Some(one.handle.clone()),
            None => {
                let sql = format!(
                    "SELECT {} FROM cache WHERE action_key = ?",
                    CacheRow::COLUMNS
                );
                let found: Option<CacheRow> = sql::first_row(&core.connection, &sql, [key])
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

    /// Caches the result of a call. It is written with the next records; a lost result is computed again.
    ///
    /// # Errors
    /// `tool_error` when batched records cannot be written.
    pub fn remember(
        &self,
        key: &str,
        handle: &ArtifactHandle,
        tool: &str,
        version: u32,
    ) -> Result<()> {
        let mut core = self.shared.lock();
        self.shared.make_room(&mut core)?;
        core.chains.values.remembered.push(CacheEntry {
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
