//! Results of direct calls that are too large for an answer.

use registry::Answers;
use rusqlite::params;
use tool_core::{Result, Value};

use super::ledger::How;
use super::open::Target;
use super::sql;
use super::state::State;
use super::values::enter_value;
use crate::artifacts;

impl Answers for State {
    fn keep(&self, call_id: &str, role: &str, value: &Value) -> Result<Value> {
        const SQL: &str =
            "INSERT OR IGNORE INTO answers(value, call, role, created_ms) VALUES (?, ?, ?, ?)";
        let shared = &self.shared;
        let stored = artifacts::stored(value, shared.artifact_bytes())?;
        shared.transact_on(
            Target::Own,
            How::QUICK,
            "store a result",
            |transaction, now_ms| {
                enter_value(transaction, &stored, now_ms)?;
                let params = params![stored.handle.hash.0, call_id, role, now_ms as i64];
                sql::execute(transaction, SQL, params)?;
                Ok(((), None))
            },
        )?;
        shared.write_files(&stored)?;
        Ok(stored.handle.to_value())
    }
}
