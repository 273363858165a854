//! Notifications: an append-only list of texts for the operator.

use rusqlite::params;
use serde::Serialize;
use tool_core::Result;
use tool_core::capability::{Notice, Notices};

use super::random;
use super::sql::{self, row_structs};
use super::state::State;

row_structs! {
    /// One notification.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub NoticeRecord {
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
}

impl State {
    /// Lists the newest notifications, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn notices(&self, count_max: usize) -> Result<Vec<NoticeRecord>> {
        let sql = NoticeRecord::sql("FROM notices ORDER BY number DESC LIMIT ?");
        self.shared
            .select("list the notifications", &sql, [sql::limit(count_max)])
    }
}

impl Notices for State {
    fn notify(&self, notice: &Notice) -> Result<String> {
        const SQL: &str = "INSERT INTO notices(id, kind, call_id, tool, role, agent, text, time_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        let id = random::id();
        self.shared
            .transact("store the notification", |transaction, now_ms| {
                let (call, time_ms) = (&notice.call_id, now_ms as i64);
                let params = params![
                    id,
                    notice.kind,
                    call,
                    notice.tool,
                    notice.role,
                    notice.agent,
                    notice.text,
                    time_ms
                ];
                sql::execute(transaction, SQL, params)?;
                Ok(((), None))
            })?;
        Ok(id)
    }
}
