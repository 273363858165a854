//! Results of calls of their own that were too large to be answered with.

use registry::Answers;
use rusqlite::params;
use tool_core::{ToolError, Value};

use super::State;
use super::ledger::How;
use super::open::Target;
use super::values::enter_value;
use crate::artifacts;

impl Answers for State {
    fn keep(&self, call_id: &str, role: &str, value: &Value) -> Result<Value, ToolError> {
        const ACTION: &str = "keep a result";
        const SQL: &str =
            "INSERT OR IGNORE INTO answers(value, call, role, created_ms) VALUES (?, ?, ?, ?)";
        let shared = &self.shared;
        let stored = artifacts::stored(value, shared.artifact_bytes())?;
        shared.transact_on(Target::Own, How::QUICK, ACTION, |transaction, now_ms| {
            let hash = stored.handle.hash.0;
            let entered = enter_value(transaction, &stored, now_ms).and_then(|()| {
                transaction.prepare_cached(SQL)?.execute(params![
                    hash,
                    call_id,
                    role,
                    now_ms as i64
                ])
            });
            entered.map_err(|err| shared.fail(ACTION, &err))?;
            Ok(((), None))
        })?;
        shared.write_files(&stored)?;
        Ok(stored.handle.to_value())
    }
}
