//! The memory of tools: one JSON value per key, changed in transactions, so that no process loses the change of another.

use rusqlite::params;
use tool_core::{Result, Value, capability, json, tool_error};

use super::sql;
use super::state::StateStore;

/// Longest key, in bytes.
const KEY_BYTES_MAX: usize = 256;
/// Longest value as JSON, in bytes.
const VALUE_BYTES_MAX: usize = 1 << 20;

const SELECT: &str = "SELECT value FROM memory WHERE key = ?";
const STORE: &str = "INSERT INTO memory(key, value, changed_ms) VALUES (?, ?, ?)
    ON CONFLICT(key) DO UPDATE SET value = excluded.value, changed_ms = excluded.changed_ms";

impl capability::ToolStateStore for StateStore {
    fn get(&self, key: &str) -> Result<Option<Value>> {
        check_key(key)?;
        let text = self.shared.read("read the memory", |connection| {
            Ok(sql::first_row(connection, SELECT, [key])?)
        })?;
        text.map(|text| parse_memory(key, text)).transpose()
    }

    fn update(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Result<Value>,
    ) -> Result<Value> {
        check_key(key)?;
        self.shared
            .transact("write the memory", |transaction, now_ms| {
                let text = sql::first_row(transaction, SELECT, [key])?;
                let before = text.map(|text| parse_memory(key, text)).transpose()?;
                let value = change(before)?;
                let text = json::to_text(&value);
                if text.len() > VALUE_BYTES_MAX {
                    return Err(tool_error!(LimitExceeded, "memory_full";
                        "`{key}` would exceed {VALUE_BYTES_MAX} bytes";
                        "delete something from it first")
                    .into());
                }
                sql::execute_statement(transaction, STORE, params![key, text, now_ms as i64])?;
                Ok((value, None))
            })
    }
}

fn check_key(key: &str) -> Result<()> {
    if (1..=KEY_BYTES_MAX).contains(&key.len()) {
        return Ok(());
    }
    Err(tool_error!(InvalidArgs, "key"; "a key of the memory has 1 to {KEY_BYTES_MAX} bytes"))
}

fn parse_memory(key: &str, text: String) -> Result<Value> {
    json::parse_json(&text, json::JsonLimits::default()).map_err(|err| {
        tool_error!(ToolError, "state_corrupt"; "the memory of `{key}` cannot be read: {err}").hint(
            "`mathchain doctor` shows the state file; retain the file and start with a new one",
        )
    })
}
