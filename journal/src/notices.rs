//! Notifications: an append-only list of texts for the operator.

use rusqlite::{Row, params};
use tool_core::ToolError;
use tool_core::capability::{Notice, Notices};

use super::random;
use super::sql;
use super::state::State;

/// One notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeRecord {
    /// Twelve hex digits.
    pub id: String,
    /// `call` or `question`.
    pub kind: String,
    /// Id of the call that sent it.
    pub call_id: String,
    /// Canonical id of the tool concerned.
    pub tool: Option<String>,
    /// Role of the caller.
    pub role: String,
    /// Agent of the caller.
    pub agent: Option<String>,
    /// The message.
    pub text: String,
    /// Time of sending, in milliseconds since 1970-01-01 UTC.
    pub time_ms: u64,
}

impl NoticeRecord {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            kind: row.get(1)?,
            call_id: row.get(2)?,
            tool: row.get(3)?,
            role: row.get(4)?,
            agent: row.get(5)?,
            text: row.get(6)?,
            time_ms: sql::ms_at(row, 7)?,
        })
    }
}

impl State {
    /// Lists the newest notifications, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn notices(&self, count_max: usize) -> Result<Vec<NoticeRecord>, ToolError> {
        const SQL: &str = "SELECT id, kind, call_id, tool, role, agent, text, time_ms FROM notices ORDER BY number DESC LIMIT ?";
        self.shared.read("list the notifications", |connection| {
            Ok(sql::rows(
                connection,
                SQL,
                [sql::limit(count_max)],
                NoticeRecord::read,
            )?)
        })
    }
}

impl Notices for State {
    fn notify(&self, notice: &Notice) -> Result<String, ToolError> {
        const SQL: &str = "INSERT INTO notices(id, kind, call_id, tool, role, agent, text, time_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        let id = random::id();
        self.shared
            .transact("store the notification", |transaction, now_ms| {
                let Notice {
                    kind,
                    call_id,
                    tool,
                    role,
                    agent,
                    text,
                    ..
                } = notice;
                let params = params![id, kind, call_id, tool, role, agent, text, now_ms as i64];
                sql::execute(transaction, SQL, params)?;
                Ok(((), None))
            })?;
        Ok(id)
    }
}
