//! The records that diagnoses are made of.

use rusqlite::params;
use tool_core::ToolError;

use super::State;
use super::audit::{AuditRecord, read_row};

impl State {
    /// Records of calls and plans, of runs and sessions: those since a time, newest first, and before them all of one run, whatever
    /// its age.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn calls_and_plans(
        &self,
        run: Option<&str>,
        since_ms: u64,
        count_max: usize,
    ) -> Result<Vec<AuditRecord>, ToolError> {
        self.flush()?;
        let core = self.shared.lock();
        let sql = "SELECT session, sequence, hash, body FROM events
                   WHERE json_extract(body, '$.kind') IN ('call', 'chain')
                     AND (session = ?1 OR json_extract(body, '$.recorded_ms') >= ?2)
                   ORDER BY session = ?1 DESC, number DESC LIMIT ?3";
        let since_ms = i64::try_from(since_ms).unwrap_or(i64::MAX);
        let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
        let rows = core.connection.prepare_cached(sql).and_then(|mut query| {
            query
                .query_map(params![run.unwrap_or(""), since_ms, limit], read_row)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        drop(core);
        rows.map_err(|err| self.shared.fail("read the journal", &err))?
            .into_iter()
            .map(|row| self.parsed(row))
            .collect()
    }
}
