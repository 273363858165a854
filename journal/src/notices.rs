//! What people are told: a list that only grows.

use rusqlite::{Row, params};
use tool_core::ToolError;
use tool_core::capability::{Notice, Notices};

use super::State;
use super::random;

/// One notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeRecord {
    /// Its id.
    pub id: String,
    /// `call` or `question`.
    pub kind: String,
    /// The call it comes from.
    pub call_id: String,
    /// The tool it is about.
    pub tool: Option<String>,
    /// Role of the caller.
    pub role: String,
    /// Agent of the caller.
    pub agent: Option<String>,
    /// What is said.
    pub text: String,
    /// When, in milliseconds since 1970-01-01 UTC.
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
            time_ms: row.get::<_, i64>(7)?.unsigned_abs(),
        })
    }
}

impl State {
    /// The newest notices, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn notices(&self, count_max: usize) -> Result<Vec<NoticeRecord>, ToolError> {
        const SQL: &str = "SELECT id, kind, call_id, tool, role, agent, text, time_ms FROM notices ORDER BY number DESC LIMIT ?";
        let core = self.shared.lock();
        let listed = core.connection.prepare_cached(SQL).and_then(|mut query| {
            let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
            query
                .query_map([limit], NoticeRecord::read)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        listed.map_err(|err| self.shared.fail("list the notices", &err))
    }
}

impl Notices for State {
    fn notify(&self, notice: &Notice) -> Result<String, ToolError> {
        const ACTION: &str = "keep the notice";
        let id = random::id();
        self.shared.transact(ACTION, |transaction, now_ms| {
            let insert = transaction.prepare_cached(
                "INSERT INTO notices(id, kind, call_id, tool, role, agent, text, time_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            );
            insert
                .and_then(|mut insert| {
                    insert.execute(params![
                        id,
                        notice.kind,
                        notice.call_id,
                        notice.tool,
                        notice.role,
                        notice.agent,
                        notice.text,
                        now_ms as i64,
                    ])
                })
                .map_err(|err| self.shared.fail(ACTION, &err))?;
            Ok(((), None))
        })?;
        Ok(id)
    }
}
