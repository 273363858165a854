//! The memory of tools: one JSON value per key, changed in transactions, so that no process loses the change of another.

use rusqlite::params;
use tool_core::{ErrorCode, ToolError, Value, json, tool_error};
use tool_core::{Result, capability};

use super::sql;
use super::state::State;

/// Longest key, in bytes.
const KEY_BYTES_MAX: usize = 256;
/// Longest value as JSON, in bytes.
const VALUE_BYTES_MAX: usize = 1 << 20;

const SELECT: &str = "SELECT value FROM memory WHERE key = ?";
const STORE: &str = "INSERT INTO memory(key, value, changed_ms) VALUES (?, ?, ?)
    ON CONFLICT(key) DO UPDATE SET value = excluded.value, changed_ms = excluded.changed_ms";

impl capability::State for State {
    fn get(&self, key: &str) -> Result<Option<Value>> {
        check_key(key)?;
        let text = self.shared.read("read the memory", |connection| {
            Ok(sql::row(connection, SELECT, [key])?)
        })?;
        text.map(|text| read(key, text)).transpose()
    }

    fn update(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Result<Value>,
    ) -> Result<Value> {
        check_key(key)?;
        self.shared
            .transact("write the memory", |transaction, now_ms| {
                let text = sql::row(transaction, SELECT, [key])?;
                let before = text.map(|text| read(key, text)).transpose()?;
                let value = change(before)?;
                let text = json::to_text(&value);
                if text.len() > VALUE_BYTES_MAX {
                    let message = format_args!("`{key}` would exceed {VALUE_BYTES_MAX} bytes");
                    return Err(ToolError::new(ErrorCode::LimitExceeded, message)
                        .reason("memory_full")
                        .hint("delete something from it first")
                        .into());
                }
                sql::execute(transaction, STORE, params![key, text, now_ms as i64])?;
                Ok((value, None))
            })
    }
}

fn check_key(key: &str) -> Result<()> {
    if (1..=KEY_BYTES_MAX).contains(&key.len()) {
        return Ok(());
    }
    let message = format_args!("a key of the memory has 1 to {KEY_BYTES_MAX} bytes");
    Err(ToolError::new(ErrorCode::InvalidArgs, message).reason("key"))
}

fn read(key: &str, text: String) -> Result<Value> {
    json::parse(&text, json::Limits::default()).map_err(|err| {
        tool_error!(ToolError, "the memory of `{key}` cannot be read: {err}")
            .reason("state_corrupt")
            .hint(
                "`mathchain doctor` shows the state file; retain the file and start with a new one",
            )
    })
}
