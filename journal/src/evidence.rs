//! The records that diagnoses are made of.

use std::sync::Arc;

use rusqlite::params;
use tool_core::{ToolError, Value};

use super::audit::{AuditRecord, read_row};
use super::{LISTS_KEY, State};
use crate::artifacts::Handle;

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
            .map(|row| Ok(self.whole(self.parsed(row)?)))
            .collect()
    }

    /// A record with the lists that it only names; without them where they were collected.
    fn whole(&self, mut record: AuditRecord) -> AuditRecord {
        record.record = self.with_lists(&record.record);
        record
    }

    /// A record of a chain with the lists that it only names; without them where they were collected.
    pub fn with_lists(&self, record: &Value) -> Value {
        let handle = record.get(LISTS_KEY).and_then(Handle::from_value);
        let lists = handle.and_then(|handle| self.value(&handle).ok());
        let lists = lists.as_ref().and_then(Value::as_object);
        let (Some(members), Some(lists)) = (record.as_object(), lists) else {
            return record.clone();
        };
        let mut members = members.clone();
        for (key, list) in lists.iter() {
            members.insert(key, list.clone());
        }
        Value::Object(Arc::new(members))
    }
}
