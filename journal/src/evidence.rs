//! The records of calls and plans, for diagnoses.

use std::sync::Arc;

use rusqlite::params;
use tool_core::{Result, Value};

use super::audit::AuditRecord;
use super::run::LISTS_KEY;
use super::sql;
use super::state::State;
use crate::artifacts::Handle;

impl State {
    /// Reads records of calls and plans: first all of one run, of any age, then those since a time, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn calls_and_plans(
        &self,
        run: Option<&str>,
        since_ms: u64,
        count_max: usize,
    ) -> Result<Vec<AuditRecord>> {
        const SQL: &str = "SELECT session, sequence, hash, body FROM events
             WHERE json_extract(body, '$.kind') IN ('call', 'chain')
                 AND (session = ?1 OR json_extract(body, '$.recorded_ms') >= ?2)
             ORDER BY session = ?1 DESC, number DESC LIMIT ?3";
        self.flush()?;
        let since_ms = i64::try_from(since_ms).unwrap_or(i64::MAX);
        let params = params![run.unwrap_or(""), since_ms, sql::limit(count_max)];
        let rows = self.shared.select("read the journal", SQL, params)?;
        let whole = |row| {
            let mut record = self.parsed(row)?;
            record.record = self.with_lists(&record.record);
            Ok(record)
        };
        rows.into_iter().map(whole).collect()
    }

    /// Completes the record of a chain with the lists that are stored apart; without them where they were collected.
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
