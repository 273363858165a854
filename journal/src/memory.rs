//! What tools remember: one JSON value per key, changed in transactions, so that two processes never lose each other's change.

use rusqlite::{OptionalExtension, params};
use tool_core::capability;
use tool_core::{ErrorCode, ToolError, Value, json};

use super::State;

/// Longest key, and longest value as JSON, in bytes.
const KEY_BYTES_MAX: usize = 256;
const VALUE_BYTES_MAX: usize = 1 << 20;

const SELECT: &str = "SELECT value FROM memory WHERE key = ?";

impl capability::State for State {
    fn get(&self, key: &str) -> Result<Option<Value>, ToolError> {
        check_key(key)?;
        let core = self.shared.lock();
        let text = core
            .connection
            .prepare_cached(SELECT)
            .and_then(|mut query| query.query_row([key], |row| row.get(0)).optional())
            .map_err(|err| self.shared.fail("read the memory", &err))?;
        drop(core);
        text.map(|text| read(key, text)).transpose()
    }

    fn update(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Result<Value, ToolError>,
    ) -> Result<Value, ToolError> {
        const ACTION: &str = "write the memory";
        check_key(key)?;
        let (value, _) = self.shared.transact(ACTION, |transaction, now_ms| {
            let fail = |err: rusqlite::Error| self.shared.fail(ACTION, &err);
            let text = transaction
                .prepare_cached(SELECT)
                .and_then(|mut query| query.query_row([key], |row| row.get(0)).optional())
                .map_err(fail)?;
            let before = text.map(|text| read(key, text)).transpose()?;
            let value = change(before)?;
            let text = json::to_text(&value);
            if text.len() > VALUE_BYTES_MAX {
                return Err(ToolError::new(
                    ErrorCode::LimitExceeded,
                    format_args!("`{key}` would hold more than {VALUE_BYTES_MAX} bytes"),
                )
                .reason("memory_full")
                .hint("take something away first"));
            }
            transaction
                .prepare_cached(
                    "INSERT INTO memory(key, value, changed_ms) VALUES (?, ?, ?)
                     ON CONFLICT(key) DO UPDATE SET value = excluded.value, changed_ms = excluded.changed_ms",
                )
                .and_then(|mut query| query.execute(params![key, text, now_ms as i64]))
                .map_err(fail)?;
            Ok((value, None))
        })?;
        Ok(value)
    }
}

fn check_key(key: &str) -> Result<(), ToolError> {
    if (1..=KEY_BYTES_MAX).contains(&key.len()) {
        return Ok(());
    }
    Err(ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("a key of the memory has 1 to {KEY_BYTES_MAX} bytes"),
    )
    .reason("key"))
}

fn read(key: &str, text: String) -> Result<Value, ToolError> {
    json::parse(&text, json::Limits::default()).map_err(|err| {
        ToolError::new(
            ErrorCode::ToolError,
            format_args!("what is remembered under `{key}` cannot be read: {err}"),
        )
        .reason("state_corrupt")
        .hint("`mathchain doctor` shows the state file; keep it, and begin with a new one")
    })
}
